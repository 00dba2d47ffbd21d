//! Where a game stands, so that a move can be taken back.

use tabiya_rules::{Board, Color, Game, Move, Variant, fen::Setup};

use super::{
    Fault, Replay, Written,
    table::{self, Table},
    touches::Touches,
    unruly::Unruly,
};
use crate::ruleset::Rule;

/// The moves played, what stands on the board, and what was touched in the turn.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    game: Game,
    earlier_plies: usize,
    illegal_position: Option<usize>,
    unruly: Option<Unruly>,
    touched: bool,
    touches: Touches,
    move_fixed: bool,
    released: bool,
    obliged: Option<Vec<Move>>,
    binding: Option<Rule>,
    rook_released: bool,
}

impl Stage {
    /// A game in which nothing was touched yet in the turn.
    pub(super) fn of_game(game: Game, earlier_plies: usize) -> Self {
        Self {
            game,
            earlier_plies,
            illegal_position: None,
            unruly: None,
            touched: false,
            touches: Touches::default(),
            move_fixed: false,
            released: false,
            obliged: None,
            binding: None,
            rook_released: false,
        }
    }

    /// Plies played by then.
    pub(super) fn plies(&self) -> usize {
        let beyond = self.unruly.as_ref().map_or(0, |unruly| unruly.plies);
        self.earlier_plies + self.game.moves().len() + beyond
    }

    /// What stands on the board with its moves, if that is known.
    pub(super) fn table(&self) -> Option<Table> {
        match &self.unruly {
            Some(unruly) => unruly.setup.map(Table::of_setup),
            None => Some(Table::of_board(self.game.board())),
        }
    }

    /// Reads a move for the side on move.
    pub(super) fn read(&self, text: &str, variant: Variant) -> Written {
        table::read(self.unruly.as_ref(), self.game.board(), text, variant)
    }

    /// What stands on the board, if that is known.
    pub(super) fn setup(&self) -> Option<Setup> {
        match &self.unruly {
            Some(unruly) => unruly.setup,
            None => Some(Setup::from(self.game.board())),
        }
    }
}

impl Replay<'_> {
    pub(super) fn stage(&self) -> Stage {
        Stage {
            game: self.game.clone(),
            earlier_plies: self.earlier_plies,
            illegal_position: self.illegal_position,
            unruly: self.unruly.clone(),
            touched: self.touched,
            touches: self.touches.clone(),
            move_fixed: self.move_fixed,
            released: self.released,
            obliged: self.obliged.clone(),
            binding: self.binding,
            rook_released: self.rook_released,
        }
    }

    pub(super) fn go_back(&mut self, stage: Stage) {
        self.unmade = None;
        self.replaces = false;
        self.before_setup = None;
        self.breach = None;
        self.lapse_seal();
        // Only a resumption before the stage is part of the game that goes on from it.
        self.resumed.take_if(|resumed| resumed.plies() > stage.plies());
        self.game = stage.game;
        self.earlier_plies = stage.earlier_plies;
        self.illegal_position = stage.illegal_position;
        self.unruly = stage.unruly;
        self.touched = stage.touched;
        self.touches = stage.touches;
        self.move_fixed = stage.move_fixed;
        self.released = stage.released;
        self.obliged = stage.obliged;
        self.binding = stage.binding;
        self.rook_released = stage.rook_released;
        self.hand_left = false;
        self.unannounced = false;
    }

    /// The game before the last move on the board, and that move if it was one by the rules.
    pub(super) fn before_last_move(&self) -> Option<(Stage, Option<Move>)> {
        let opponents = |fault: &&Fault| fault.by != self.to_move();
        if let Some(fault) = self.waiting.last().filter(opponents) {
            return Some((fault.before.clone()?, fault.played));
        }
        if let Some((stage, mv)) = &self.before_setup {
            return Some(((**stage).clone(), *mv));
        }
        if self.unruly.is_some() {
            return None;
        }
        let (before, last) = self.game.before_last_move()?;
        Some((Stage::of_game(before, self.earlier_plies), Some(last)))
    }

    /// Moves that are taken back are counted on no clock any more: so many plies, the last of them by `last`. What was not
    /// pressed was not counted; where nobody presses, every move was.
    pub(super) fn uncount(&mut self, last: Color, plies: usize) {
        let presses = self.ruleset.has(Rule::Press);
        let mut side = last;
        for _ in 0..plies {
            let mut open = [&mut self.unpressed, &mut self.late].into_iter();
            let unpressed = open.any(|open| open.take_if(|by| *by == side).is_some());
            if let Some(clock) = self.clock.as_mut().filter(|_| !(unpressed && presses)) {
                clock.take_back(side);
            }
            side = !side;
        }
    }

    /// Nothing is touched, released or announced yet.
    pub(super) fn new_turn(&mut self) {
        self.unmade = None;
        self.breach = None;
        self.touched = false;
        self.touches.clear();
        self.move_fixed = false;
        self.released = false;
        self.obliged = None;
        self.binding = None;
        self.rook_released = false;
        self.hand_left = false;
        self.unannounced = false;
        self.replaces = false;
    }

    /// Goes on from a board that no legal move has led to, `plies` plies after the last one.
    pub(super) fn set_board(&mut self, board: Board, plies: usize) {
        self.earlier_plies += self.game.moves().len() + plies;
        self.game.go_on_from(board, plies);
        self.unruly = None;
    }
}
