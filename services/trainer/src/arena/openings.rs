//! Openings for paired games: random moves from the start, kept where neither side stands clearly better.

use std::time::Duration;

use tabiya_rules::{Board, Game, Move, MoveList};

use crate::{
    arena::engine::Engine,
    ending::ending,
    error::Error,
    generate::{
        piece_squares::PieceSquares,
        quiesce::{INFINITY, quiesce},
    },
    rng::Rng,
};

/// Random plies of an opening.
const PLIES: usize = 8;
/// Tries before giving up; about one in ten succeeds.
const TRIES: usize = 10_000;

/// Draws the openings of a match one after another.
pub(crate) struct Openings {
    rng: Rng,
    /// An engine that judges the openings at a fixed depth, and its depth.
    judge: Option<(Engine, u32)>,
    limit: i32,
}

impl Openings {
    /// Openings within `limit` centipawns, by the judge or, without one, by material and squares.
    pub(crate) fn new(seed: u64, limit: i32, judge: Option<(Engine, u32)>) -> Self {
        Self {
            rng: Rng::new(seed, 0x09e4),
            judge,
            limit,
        }
    }

    /// The next opening.
    pub(crate) fn next(&mut self) -> Result<Vec<Move>, Error> {
        for _ in 0..TRIES {
            let mut game = Game::new(Board::startpos());
            while game.moves().len() < PLIES {
                let mut moves = MoveList::new();
                game.board().legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                game.play(moves[self.rng.below(moves.len())]);
            }
            if ending(&game).is_none() && !game.board().in_check() && self.is_level(&game)? {
                return Ok(game.moves().to_vec());
            }
        }
        Err(Error::Flag {
            flag: "--opening-limit",
            reason: format!("no opening in {TRIES} tries"),
        })
    }

    fn is_level(&mut self, game: &Game) -> Result<bool, Error> {
        let quick = quiesce(&mut PieceSquares, game.board(), -INFINITY, INFINITY);
        // A judge's view is finer, so that the quick look may be coarser in front of it.
        let slack = if self.judge.is_some() { 100 } else { 0 };
        if quick.abs() > self.limit + slack {
            return Ok(false);
        }
        let Some((engine, depth)) = &mut self.judge else {
            return Ok(true);
        };
        let go = format!("go depth {depth}");
        let reply = engine.search(
            &super::game::position_line(game.moves()),
            &go,
            Duration::from_secs(60),
        );
        let fail = |reason: String| Error::Engine {
            engine: "opening judge".into(),
            reason,
        };
        let reply = reply.map_err(|f| fail(format!("{f:?}")))?;
        let score = reply.score.ok_or_else(|| fail("it gave no score".into()))?;
        Ok(score.abs() <= self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_differ_and_repeat_with_the_seed() {
        let draw = |seed| {
            let mut openings = Openings::new(seed, 60, None);
            (0..20)
                .map(|_| openings.next().expect("an opening"))
                .collect::<Vec<_>>()
        };
        let first = draw(1);
        assert_eq!(first, draw(1));
        assert_ne!(first, draw(2));
        assert!(first.iter().all(|o| o.len() == PLIES));
        assert_ne!(first[0], first[1]);
    }
}
