use tabiya_search::{Bound, Score, Wdl};

use crate::v1;

/// A score with its chances and its bound.
pub fn score_message(score: Score, bound: Bound, wdl: Wdl) -> v1::Score {
    v1::Score {
        kind: Some(match score {
            Score::Centipawns(centipawns) => v1::score::Kind::Centipawns(centipawns),
            Score::Mate(moves) => v1::score::Kind::MateIn(moves),
        }),
        wdl: Some(v1::Wdl {
            win: wdl.win,
            draw: wdl.draw,
            loss: wdl.loss,
        }),
        bound: match bound {
            Bound::Exact => v1::Bound::Exact,
            Bound::Lower => v1::Bound::Lower,
            Bound::Upper => v1::Bound::Upper,
        }
        .into(),
    }
}

/// The score of a position that was evaluated and not searched.
pub fn static_score(centipawns: i32) -> v1::Score {
    let score = Score::Centipawns(centipawns);
    score_message(score, Bound::Exact, score.wdl())
}
