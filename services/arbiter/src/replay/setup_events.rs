//! What was set up wrong, and pieces knocked over.

use tabiya_rules::{Color, Game, MoveList, Square, Variant};

use super::{Answer, Choice, Effect, GameStatus, Reason, Replay, Right, SetupFault, Stage, position};
use crate::ruleset::{Rule, WrongSetup};

/// What is reported of displaced pieces.
pub(super) struct Displaced {
    pub(super) found_later: bool,
    pub(super) position_known: bool,
    pub(super) pressed: bool,
    pub(super) times_known: bool,
    pub(super) moves_before: Option<u32>,
}

/// Where a game stood before it went back to an earlier position.
pub(super) struct Gone {
    plies: usize,
    to_move: Color,
    on_clock: Color,
    unpressed: Option<Color>,
    late: Option<Color>,
}

impl Gone {
    pub(super) fn from(state: &Replay<'_>) -> Self {
        Self {
            plies: state.plies(),
            to_move: state.to_move(),
            on_clock: state.on_clock(),
            unpressed: state.unpressed,
            late: state.late,
        }
    }
}

impl Replay<'_> {
    pub(super) fn on_displacement(&mut self, actor: Option<Color>, report: &Displaced) -> Answer {
        if report.found_later && self.ruleset.has(Rule::DisplacedLater) {
            if !report.position_known {
                return self.unknown_position(Rule::DisplacedLater);
            }
            // By the moves that are counted on the clocks until now.
            let times = (!report.times_known).then(|| {
                let completed = report.moves_before.map(|moves| [moves; 2]);
                self.share_times(completed)
            });
            let plies = self.plies();
            let gone = self.go_back_to(report.moves_before);
            if gone.is_none() {
                // How far back the players put the pieces is not on record.
                self.lacks("moves_before");
            }
            let mut answer =
                Answer::yes(Reason::DisplacedLater, &[Rule::DisplacedLater]).with(Effect::Restored);
            answer.effects.extend(gone.and_then(|gone| self.taken_back(gone)));
            match times {
                Some(times) => {
                    answer.effects.extend(times.effects);
                    answer.rules.extend(times.rules);
                }
                None if self.plies() < plies => self.may_set_clocks(&mut answer),
                None => {}
            }
            return answer;
        }
        if !self.ruleset.has(Rule::Displaced) {
            return Answer::no(Reason::Unstated, &[]);
        }
        let Some(side) = actor else {
            self.lacks("actor");
            return Answer::no(Reason::MissingFact, &[Rule::Displaced]);
        };
        let mut answer = Answer::yes(Reason::Displaced, &[Rule::Displaced])
            .with(Effect::Restored)
            .with(Effect::ClockRuns { side });
        if report.pressed && self.ruleset.has(Rule::DisplacedPressed) {
            answer.rules.push(Rule::DisplacedPressed);
        }
        // Whether the clock was pressed or not.
        if self.ruleset.has(Rule::DisplacedPenalty) {
            answer.rules.push(Rule::DisplacedPenalty);
            return self.may_penalise(side, answer);
        }
        answer
    }

    /// Goes back to where each player had completed so many moves; `None` if that is not on record.
    pub(super) fn go_back_to(&mut self, moves: Option<u32>) -> Option<Gone> {
        let held_from = self.plies_before + self.earlier_plies;
        let target = moves.and_then(|moves| (2 * moves as usize).checked_sub(held_from));
        let known = |plies: &usize| *plies <= self.game.moves().len() && self.unruly.is_none();
        let plies = target.filter(known)?;
        let gone = Gone::from(self);
        if plies < self.game.moves().len() {
            let mut game = Game::new(*self.game.start());
            self.game.moves()[..plies].iter().for_each(|&mv| game.play(mv));
            self.take_up(Stage::of_game(game, self.earlier_plies));
        }
        Some(gone)
    }

    /// What was played since then is no longer counted on the clocks; whose clock runs now, if that changes.
    pub(super) fn taken_back(&mut self, gone: Gone) -> Option<Effect> {
        let taken = gone.plies.saturating_sub(self.plies());
        if taken == 0 {
            return None;
        }
        (self.unpressed, self.late) = (gone.unpressed, gone.late);
        self.uncount(!gone.to_move, taken);
        (self.unpressed, self.late) = (None, None);
        let side = self.to_move();
        (side != gone.on_clock).then_some(Effect::ClockRuns { side })
    }

    /// The game is taken up again where it was earlier, at the beginning of a turn.
    pub(super) fn take_up(&mut self, stage: Stage) {
        self.retrace(stage);
        self.new_turn();
    }

    /// The game is taken up again where it was earlier; what was the matter since then is no more.
    pub(super) fn retrace(&mut self, stage: Stage) {
        self.go_back(stage);
        self.fault = None;
        let plies = self.plies();
        let earlier = |before: &Stage| before.plies() < plies;
        self.waiting
            .retain(|fault| fault.before.as_ref().is_some_and(earlier));
        self.stood_before = None;
        self.illegal_position = None;
        self.unpressed = None;
        self.late = None;
    }

    pub(super) fn on_setup(
        &mut self,
        fault: SetupFault,
        first_period_permille: Option<u32>,
        squares: &[Square],
    ) -> Answer {
        let switches = &self.ruleset.switches;
        let late = switches.setup_claim_moves > 0 && self.rounds() >= switches.setup_claim_moves;
        match fault {
            SetupFault::ColoursReversed => self.on_reversed(first_period_permille),
            SetupFault::ResumedWrong if self.ruleset.has(Rule::ResumedSetup) => self.on_resumed_wrong(),
            SetupFault::WrongPieces if late => self.bar_castling(squares),
            SetupFault::BoardTurned if late => Answer::no(Reason::SetupTooLate, &[Rule::SetupLate]),
            // Neither 7.2.1 nor 8.5 excepts a game of which nothing is played yet: what is seen before it begins is put right,
            // and no event of it.
            SetupFault::WrongPieces => {
                let reason = match switches.wrong_setup {
                    WrongSetup::Unstated => return Answer::no(Reason::Unstated, &[]),
                    WrongSetup::NewGame => Reason::NewGame,
                    WrongSetup::Annul => Reason::SetupAnnulled,
                };
                let start = self.variant == Variant::Chess960 && self.ruleset.has(Rule::Chess960Start);
                let mut rules = vec![Rule::WrongSetup];
                rules.extend(start.then_some(Rule::Chess960Start));
                self.annul(reason, &rules).with(Effect::NewGame)
            }
            SetupFault::BoardTurned if self.ruleset.has(Rule::BoardTurned) => {
                Answer::yes(Reason::BoardTurned, &[Rule::BoardTurned]).with(Effect::CarriedOver)
            }
            SetupFault::BoardTurned | SetupFault::ResumedWrong => Answer::no(Reason::Unstated, &[]),
        }
    }

    /// After an adjournment the pieces were set up wrong: what was played from there is taken back, and the sealed move stands.
    fn on_resumed_wrong(&mut self) -> Answer {
        let mut answer = Answer::yes(Reason::ResumedRestored, &[Rule::ResumedSetup]).with(Effect::Restored);
        let Some(stage) = self.resumed.clone() else {
            self.lacks("position");
            return answer;
        };
        let gone = Gone::from(self);
        self.take_up(stage);
        let played = gone.plies > self.plies();
        answer.effects.extend(self.taken_back(gone));
        if played && self.ruleset.has(Rule::SetClocks) {
            answer.rules.push(Rule::SetClocks);
            answer.effects.push(Effect::Option(Choice::SetClocks));
        }
        answer
    }

    /// Too late to claim: the game goes on, and what stood wrong does not castle (A.5.1).
    fn bar_castling(&mut self, squares: &[Square]) -> Answer {
        if self.unruly.is_some() {
            return self.bar_castling_without_board(squares);
        }
        let board = *self.board();
        let mut answer = Answer::no(Reason::SetupTooLate, &[Rule::SetupLate]);
        let mut barred = Vec::new();
        for side in Color::ALL {
            for (king_side, right) in [(true, Right::CastleKingSide), (false, Right::CastleQueenSide)] {
                let Some(rook) = board.castling_rook(side, king_side) else {
                    continue;
                };
                if squares.contains(&rook) || squares.contains(&board.king(side)) {
                    barred.push(rook);
                    answer.effects.push(Effect::RightLost { side, right });
                }
            }
        }
        if !barred.is_empty()
            && let Some(board) = position::without_castling(&board, &barred)
        {
            self.set_board(board, 0);
            answer.effects.extend(self.bind_anew());
        }
        answer
    }

    /// The same where no board holds the position.
    fn bar_castling_without_board(&mut self, squares: &[Square]) -> Answer {
        let mut answer = Answer::no(Reason::SetupTooLate, &[Rule::SetupLate]);
        let Some(setup) = self.unruly.as_mut().and_then(|unruly| unruly.setup.as_mut()) else {
            self.lacks("position");
            return Answer::no(Reason::MissingFact, &[Rule::SetupLate]);
        };
        for side in Color::ALL {
            let Some(king) = setup.placement.king(side) else {
                continue;
            };
            for rook in setup.castling_rooks & setup.placement.color(side) {
                if squares.contains(&rook) || squares.contains(&king) {
                    setup.castling_rooks &= !rook.bitboard();
                    let right = match rook.file() > king.file() {
                        true => Right::CastleKingSide,
                        false => Right::CastleQueenSide,
                    };
                    answer.effects.push(Effect::RightLost { side, right });
                }
            }
        }
        answer
    }

    /// Castling that is barred now is due no more: what was touched decides anew.
    fn bind_anew(&mut self) -> Option<Effect> {
        let mut legal = MoveList::new();
        self.board().legal_moves(&mut legal);
        let due = self.obliged.as_mut()?;
        let before = due.len();
        due.retain(|mv| legal.iter().any(|other| other == mv));
        if due.len() == before {
            return None;
        }
        if due.is_empty() {
            (self.move_fixed, self.released) = (false, false);
            self.bind();
        }
        Some(self.obliged.clone().map_or(Effect::Free, Effect::Obliged))
    }

    fn on_reversed(&mut self, first_period_permille: Option<u32>) -> Answer {
        let switches = &self.ruleset.switches;
        let rules = [Rule::ColoursReversed];
        if switches.colours_reversed_quarter {
            return match first_period_permille {
                None => {
                    self.lacks("first_period_permille");
                    Answer::no(Reason::MissingFact, &rules)
                }
                Some(passed) if passed >= 250 => Answer::no(Reason::ColoursGoOn, &rules),
                Some(_) if switches.colours_reversed_restart => {
                    self.annul(Reason::ColoursRestart, &rules).with(Effect::NewGame)
                }
                Some(_) => Answer::yes(Reason::ColoursMayRestart, &rules)
                    .with(Effect::Option(Choice::Restart))
                    .with(Effect::Option(Choice::GoOn)),
            };
        }
        if switches.colours_reversed_moves == 0 {
            return Answer::no(Reason::Unstated, &[]);
        }
        if self.rounds() >= switches.colours_reversed_moves {
            return Answer::no(Reason::ColoursGoOn, &rules);
        }
        self.conclude(GameStatus::Void, None, Reason::ColoursRestart, &rules, Vec::new());
        Answer::yes(Reason::ColoursRestart, &rules).with(Effect::NewGame)
    }
}
