//! What the board and its history end, by ruleset.

use tabiya_rules::{Bitboard, Board, Color, Game, Move, MoveList, Piece, Square, fen::Setup};

use super::{Doubts, GameResult, Reason, counted};
use crate::{
    Claim, ClaimGround,
    mate::{Prover, Verdict},
    ruleset::{DeadPosition, LossDraw, Rule, Ruleset, Switches},
};

const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;

/// Whether a side can still mate by any series of legal moves; `None` if the proof's limit does not suffice.
pub(super) fn can_mate(prover: &mut Prover, board: &Board, side: Color, limit: u32) -> Option<bool> {
    match prover.prove(board, side, limit).verdict {
        Verdict::Yes(_) => Some(true),
        Verdict::No(_) => Some(false),
        Verdict::Unknown => None,
    }
}

pub(super) fn is_bare(board: &Board, side: Color) -> bool {
    board.colors(side).count() == 1
}

/// Whether a side can still mate, as the ruleset reads it.
pub(super) fn can_win(
    prover: &mut Prover,
    board: &Board,
    side: Color,
    limit: u32,
    switches: &Switches,
) -> Option<bool> {
    if switches.unwinnable_by_count && quiet_plies(board, switches) > 0 {
        return counted::can_mate_before(prover, board, side, limit, switches);
    }
    can_mate(prover, board, side, limit)
}

/// Plies without pawn move or capture that draw by themselves with these men; 0 for none.
pub(super) fn quiet_plies(board: &Board, switches: &Switches) -> u32 {
    let exception = switches.quiet_moves_bishop_knight;
    if exception > 0 && is_bishop_and_knight(board) {
        return exception * 2;
    }
    switches.automatic_quiet_moves * 2
}

/// Whether a loss against `winner` is a draw; `None` if that is not known.
pub(crate) fn loss_is_draw(
    prover: &mut Prover,
    board: &Board,
    winner: Color,
    reading: LossDraw,
    limit: u32,
    switches: &Switches,
) -> Option<bool> {
    match reading {
        LossDraw::Never => Some(false),
        LossDraw::BareKing => Some(is_bare(board, winner)),
        LossDraw::Unwinnable => can_win(prover, board, winner, limit, switches).map(|can| !can),
    }
}

/// Line-ups of article 10.4 of the older Chinese code.
fn code_line_up(board: &Board) -> bool {
    if (board.pieces(Piece::Pawn).0 | board.pieces(Piece::Rook).0 | board.pieces(Piece::Queen).0) != 0 {
        return false;
    }
    let of = |color, piece| board.of(color, piece).count();
    let minors = |color| of(color, Piece::Knight) + of(color, Piece::Bishop);
    let (white, black) = (minors(Color::White), minors(Color::Black));
    let bishops = board.pieces(Piece::Bishop).0;
    white + black <= 1
        || (white == 1
            && black == 1
            && bishops.count_ones() == 2
            && (bishops & LIGHT == 0 || bishops & !LIGHT == 0))
}

/// Line-ups that source 000 lists.
fn popular_line_up(board: &Board) -> bool {
    if (board.pieces(Piece::Pawn).0 | board.pieces(Piece::Rook).0 | board.pieces(Piece::Queen).0) != 0 {
        return false;
    }
    let of = |color, piece| board.of(color, piece).count();
    let bishops = board.pieces(Piece::Bishop).0;
    let one_color = bishops & LIGHT == 0 || bishops & !LIGHT == 0;
    let side = |color| (of(color, Piece::Knight), of(color, Piece::Bishop));
    let (white, black) = (side(Color::White), side(Color::Black));
    match (white.min(black), white.max(black)) {
        ((0, 0), (0, _)) => one_color,
        ((0, 0), (1 | 2, 0)) => true,
        ((0, a), (0, b)) => one_color || (a == 1 && b == 1),
        ((0, 1), (1, 0)) | ((1, 0), (1, 0)) => true,
        _ => false,
    }
}

/// Everything that ends the game in the game's last position, by precedence.
pub(super) fn endings(
    game: &Game,
    switches: &Switches,
    doubts: &mut Doubts,
) -> Vec<(Reason, Rule, GameResult)> {
    let board = game.board();
    let mover = !board.side_to_move();
    let stuck = !board.has_legal_move();
    // A line-up draws because it is listed, even where it can still mate.
    let listed = switches.dead_position == DeadPosition::PopularLineUps
        && popular_line_up(board)
        && !board.is_dead_by_material();
    let dead = match switches.dead_position {
        DeadPosition::None => false,
        DeadPosition::CodeLineUps => code_line_up(board),
        DeadPosition::PopularLineUps if listed => false,
        DeadPosition::Unwinnable | DeadPosition::PopularLineUps => doubts.is_dead(game, switches),
    };
    let counted = switches.checks_in_a_row > 0 || switches.checks_in_total > 0;
    let (in_a_row, in_total) = if counted && board.in_check() {
        checks(game, mover)
    } else {
        (0, 0)
    };
    let reached = |limit: u32, count: u32| limit > 0 && count >= limit;
    let found = [
        (stuck && board.in_check(), Reason::Mate, Rule::Checkmate),
        (stuck && !board.in_check(), Reason::Stalemate, Rule::Stalemate),
        (dead, Reason::Dead, Rule::DeadPosition),
        (listed, Reason::LineUp, Rule::DeadPosition),
        (
            reached(switches.automatic_repetition, game.repetition_count()),
            Reason::Repetition,
            Rule::AutomaticRepetition,
        ),
        (
            reached(quiet_plies(board, switches), board.halfmove_clock()),
            Reason::Quiet,
            Rule::AutomaticQuietMoves,
        ),
        (
            reached(switches.checks_in_a_row, in_a_row),
            Reason::ChecksInARow,
            Rule::ChecksInARow,
        ),
        (
            reached(switches.checks_in_total, in_total),
            Reason::ChecksInTotal,
            Rule::ChecksInTotal,
        ),
    ];
    found
        .into_iter()
        .filter(|(holds, ..)| *holds)
        .map(|(_, reason, rule)| {
            let result = if reason == Reason::Mate {
                GameResult::Wins(mover)
            } else {
                GameResult::Draw
            };
            (reason, rule, result)
        })
        .collect()
}

/// Whether the FIDE laws end the game in its last position by a rule that is not in force here: as to material, only where
/// the men alone cannot mate.
pub(super) fn is_draw_elsewhere(game: &Game, switches: &Switches) -> bool {
    let board = game.board();
    (switches.dead_position == DeadPosition::None && board.is_dead_by_material())
        || (switches.automatic_repetition == 0 && game.repetition_count() >= 5)
        || (switches.automatic_quiet_moves == 0 && board.halfmove_clock() >= 150)
}

/// Consecutive and total checks that `by` has given.
fn checks(game: &Game, by: Color) -> (u32, u32) {
    let checks = game.checks(by);
    (checks.current_run, checks.total)
}

fn is_bishop_and_knight(board: &Board) -> bool {
    Color::ALL.into_iter().any(|side| {
        is_bare(board, !side)
            && board.colors(side).count() == 3
            && board.of(side, Piece::Bishop).count() == 1
            && board.of(side, Piece::Knight).count() == 1
    })
}

/// Whether a claim holds, with the move written down for it.
pub(crate) fn claim_holds(game: &Game, ground: ClaimGround, with: Option<Move>, switches: &Switches) -> bool {
    let after = with.map(|mv| game.board().after(mv));
    let board = after.as_ref().unwrap_or(game.board());
    if with.is_some() && !switches.announced_mate_claims && !board.has_legal_move() {
        return false;
    }
    match ground {
        ClaimGround::ThreefoldRepetition => {
            let count = with.map_or_else(|| game.repetition_count(), |mv| game.repetition_count_after(mv));
            switches.claim_repetition > 0 && count >= switches.claim_repetition
        }
        ClaimGround::FiftyMoves => {
            let listed = switches.listed_endings.count(board).unwrap_or_default();
            let limit = switches.claim_quiet_moves.max(listed);
            limit > 0 && board.halfmove_clock() >= 2 * limit
        }
    }
}

/// The draws that the player on move may claim.
pub(super) fn claimable(game: &Game, ruleset: &Ruleset) -> Vec<Claim> {
    let mut claims = Vec::new();
    for ground in ClaimGround::ALL {
        if claim_holds(game, ground, None, &ruleset.switches) {
            claims.push(Claim {
                ground,
                with_move: None,
            });
            continue;
        }
        let with = announceable(game, ground, ruleset).into_iter();
        claims.extend(with.map(|mv| Claim {
            ground,
            with_move: Some(mv),
        }));
    }
    claims
}

/// The moves that a claim may be made with; none where no article lets a move be announced for it.
pub(crate) fn announceable(game: &Game, ground: ClaimGround, ruleset: &Ruleset) -> Vec<Move> {
    if !ruleset.has(ground.rule(true)) {
        return Vec::new();
    }
    let mut moves = MoveList::new();
    game.board().legal_moves(&mut moves);
    let holds = |mv: &Move| claim_holds(game, ground, Some(*mv), &ruleset.switches);
    moves.iter().copied().filter(holds).collect()
}

/// The same position in which these rooks do not castle.
pub(super) fn without_castling(board: &Board, rooks: &[Square]) -> Option<Board> {
    let mut setup = Setup::from(board);
    for rook in rooks {
        setup.castling_rooks = Bitboard(setup.castling_rooks.0 & !rook.bitboard().0);
    }
    setup.to_board().ok()
}
