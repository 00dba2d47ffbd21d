//! A quick hunt for a helpmate with a picture of the mate before its eyes.
//!
//! [`gallery`] thinks up pictures: where the kings will stand, which piece gives the check, what covers or blocks each
//! flight, each with an estimate of the moves that it takes. [`Quest`] then walks towards one of them, best estimate
//! first. Nothing here decides anything: a line that is found ends in a real mate, and where none is found nothing
//! is said.

mod gallery;
mod picture;
mod scene;
mod sketch;
mod steps;
mod walk;

use std::sync::atomic::AtomicBool;

use tabiya_rules::{Board, Color, Move};

use gallery::Gallery;
use picture::Picture;
use scene::Scene;
use walk::Walk;

/// How much is tried in a round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Pictures that are tried.
    pictures: usize,
    /// Positions that may be met without coming nearer to one.
    patience: u32,
}

/// Enough for most positions.
pub(super) const HASTE: Effort = Effort {
    pictures: 8,
    patience: 30,
};

/// For a position that a long search has just opened.
pub(super) const GLANCE: Effort = Effort {
    pictures: 4,
    patience: 16,
};

/// Before all that can arise is searched through.
pub(super) const CARE: Effort = Effort {
    pictures: 16,
    patience: 400,
};

/// What a quest remembers from one position to the next, so that nothing is allocated twice.
#[derive(Clone, Debug, Default)]
pub(super) struct Quest {
    gallery: Gallery,
    walk: Walk,
}

impl Quest {
    /// Whether no walk has ever met more positions than many do.
    pub(super) fn is_small(&self) -> bool {
        self.walk.is_small()
    }

    /// A line that ends in mate by `side`, if one is found; and the positions met, about `limit` at most.
    pub(super) fn find(
        &mut self,
        board: &Board,
        side: Color,
        effort: Effort,
        limit: u32,
        stop: &AtomicBool,
    ) -> (Option<Vec<Move>>, u32) {
        let scene = Scene::new(board, side);
        self.gallery.fill(&scene, effort.pictures);
        let mut met = 0;
        for sketch in self.gallery.sketches() {
            if met >= limit {
                break;
            }
            let picture = Picture::new(&scene, sketch);
            let left = limit - met;
            let line = self
                .walk
                .towards(&picture, board, side, effort.patience, left, stop);
            met += self.walk.positions();
            if line.is_some() {
                return (line, met);
            }
        }
        (None, met)
    }
}
