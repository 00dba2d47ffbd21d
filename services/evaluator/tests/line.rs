//! The evaluator that follows a line of play gives the reference's value at every step.

mod common;

use std::sync::Arc;

use common::{Random, random_network, shapes};
use tabiya_evaluator::{
    AnyKernel, CpuEvaluator, Evaluator, Kernel, KernelVisitor, Network, dispatch, evaluate_reference, pack,
};
use tabiya_rules::fen::{self, FenMode};
use tabiya_rules::{Board, Move, MoveKind, MoveList, Variant};

/// What a walk met, so that a test can say that it met enough.
#[derive(Default, Debug)]
struct Met {
    castlings: usize,
    en_passants: usize,
    promotions: usize,
    captures: usize,
    nulls: usize,
    pops: usize,
    evaluations: usize,
    crowded: usize,
}

impl Met {
    fn note(&mut self, board: &Board, mv: Move) {
        match mv.kind() {
            MoveKind::Castle => self.castlings += 1,
            MoveKind::EnPassant => self.en_passants += 1,
            MoveKind::Promotion(_) => self.promotions += 1,
            MoveKind::Normal => self.captures += usize::from(board.occupied().has(mv.to())),
        }
    }
}

struct Walk<'a> {
    network: &'a Arc<Network>,
    start: Board,
    plies: usize,
    seed: u64,
    met: &'a mut Met,
}

impl KernelVisitor for Walk<'_> {
    type Output = ();

    /// Wanders through the game tree, forwards and back, and compares after some of the steps: the others leave
    /// sums unmade, which a later evaluation must make up for.
    fn visit<K: Kernel>(self, kernel: K) {
        let Self {
            network,
            start,
            plies,
            seed,
            met,
        } = self;
        let mut random = Random(seed);
        let mut evaluator = CpuEvaluator::new(kernel, Arc::clone(network));
        evaluator.refresh(&start);
        let mut line = vec![start];
        for _ in 0..plies {
            let board = line[line.len() - 1];
            let mut moves = MoveList::new();
            board.legal_moves(&mut moves);
            let step = random.below(20);
            if line.len() > 1 && (moves.is_empty() || step < 6) {
                evaluator.pop();
                line.pop();
                met.pops += 1;
            } else if step == 6 && !board.in_check() {
                evaluator.push_null();
                let mut after = board;
                after.play_null();
                line.push(after);
                met.nulls += 1;
            } else if moves.is_empty() {
                break;
            } else {
                let mv = pick(&board, &moves, &mut random);
                met.note(&board, mv);
                let after = board.after(mv);
                evaluator.push(&board, mv, &after);
                line.push(after);
            }
            if random.below(3) > 0 {
                let board = &line[line.len() - 1];
                let expected = evaluate_reference(network, &pack(board));
                let shape = network.architecture();
                assert_eq!(
                    evaluator.evaluate_raw(board),
                    expected,
                    "{} {shape}: {board:?}",
                    kernel.name()
                );
                assert_eq!(evaluator.evaluate(board), network.to_centipawns(expected));
                met.evaluations += 1;
                met.crowded += usize::from(board.occupied().count() > 32);
            }
        }
    }
}

/// Prefers the moves that are rare in random play.
fn pick(board: &Board, moves: &MoveList, random: &mut Random) -> Move {
    let rare: Vec<_> = moves
        .iter()
        .copied()
        .filter(|mv| !mv.is_normal() || board.occupied().has(mv.to()))
        .collect();
    let from = if rare.is_empty() || random.below(2) == 0 {
        moves.as_slice()
    } else {
        &rare
    };
    from[random.below(from.len())]
}

/// The standard start, and Chess960 positions about to castle: with pieces between, side by side, without a move
/// of the king or of the rook, and across the middle. The last has all the pieces that analysis accepts.
fn starts() -> Vec<Board> {
    let chess960 = [
        "rkrnqbbn/pppppppp/8/8/8/8/PPPPPPPP/RKRNQBBN w KQkq - 0 1",
        "rk5r/pppp1ppp/4p3/8/8/3P4/PPP1PPPP/RK5R w KQkq - 0 1",
        "4r1kr/pppppppp/8/8/8/8/PPPPPPPP/4R1KR b KQkq - 0 1",
        "r2k1r2/8/8/8/8/8/8/R2K1R2 w KQkq - 0 1",
        "1r3rk1/p6p/8/8/8/8/P6P/1RK2R2 w KQkq - 0 1",
        "rnbqkbnr/pppppppp/n7/8/8/N7/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
    ];
    let parse = |text: &str| {
        fen::parse(text, FenMode::Lenient, Variant::Chess960)
            .expect("own position")
            .board
    };
    [Board::startpos()]
        .into_iter()
        .chain(chess960.map(parse))
        .collect()
}

#[test]
fn every_step_has_the_value_of_the_reference() {
    let mut met = Met::default();
    for (index, shape) in shapes().into_iter().enumerate() {
        let network = random_network(shape, 100 + index as u64);
        for kernel in AnyKernel::all() {
            for (start, seed) in starts().into_iter().cycle().zip(0..28) {
                let walk = Walk {
                    network: &network,
                    start,
                    plies: 300,
                    seed: 1_000 * index as u64 + seed,
                    met: &mut met,
                };
                dispatch(kernel, walk);
            }
        }
    }
    eprintln!("{met:?}");
    let Met {
        castlings,
        en_passants,
        promotions,
        captures,
        nulls,
        pops,
        evaluations,
        crowded,
    } = met;
    for count in [
        castlings,
        en_passants,
        promotions,
        captures,
        nulls,
        pops,
        evaluations,
        crowded,
    ] {
        assert!(count >= 50, "the walks met too little");
    }
}

#[test]
fn lines_beyond_the_limit_and_pops_at_the_start_do_no_harm() {
    let network = Network::default_network();
    let mut evaluator = CpuEvaluator::new(tabiya_evaluator::kernel::Scalar, Arc::clone(&network));
    let mut random = Random(7);
    let mut line = vec![Board::startpos()];
    evaluator.pop();
    let expect = |board: &Board| evaluate_reference(&network, &pack(board));
    assert_eq!(evaluator.evaluate_raw(&line[0]), expect(&line[0]));
    while line.len() < 600 {
        let board = line[line.len() - 1];
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        let Some(&mv) = moves.get(random.below(moves.len().max(1))) else {
            // The game is over: start another from here on, deep in the line.
            evaluator.refresh(&Board::startpos());
            line = vec![Board::startpos()];
            continue;
        };
        let after = board.after(mv);
        evaluator.push(&board, mv, &after);
        line.push(after);
        assert_eq!(evaluator.evaluate_raw(&after), expect(&after));
    }
    while let Some(board) = line.pop() {
        assert_eq!(
            evaluator.evaluate_raw(&board),
            expect(&board),
            "at ply {}",
            line.len()
        );
        evaluator.pop();
    }
    evaluator.pop();
    assert_eq!(
        evaluator.evaluate_raw(&Board::startpos()),
        expect(&Board::startpos())
    );
}
