//! Events in, rulings out: a pure function over a list of events.

mod answer;
mod arrival_events;
mod choice;
mod claim_events;
mod clock;
mod clock_events;
mod complaint_events;
mod conduct_events;
mod counted;
mod decision_events;
mod dispatch;
mod doubts;
mod draw_events;
mod edition;
mod end_events;
mod ending;
mod event;
mod fact;
mod fault;
mod letters;
mod move_events;
mod movement;
mod pauses;
mod penalty;
mod position;
mod press_events;
mod quickplay_events;
mod reason;
mod record_events;
mod release_events;
mod resume_events;
mod ruling;
mod sealed_events;
mod setup_claims;
mod setup_events;
mod setup_moves;
mod setup_written;
mod stage;
mod standing;
mod start;
mod table;
mod time_control;
mod touch;
mod touch_breach;
mod touch_events;
mod touches;
mod unruly;
mod written;

use std::time::Duration;

use tabiya_rules::{Board, Color, Game, Move, Variant};

pub use choice::Choice;
pub use clock::{ClockView, Clocks};
pub use edition::{replay, replay_until};
pub use event::{ClockReading, Event, EventKind};
pub use fact::{
    Breach, ClockFault, Decision, EnvelopeItem, Notation, PauseReason, QuickplayClaim, RecordingLapse,
    SetupFault, Witness,
};
pub use reason::Reason;
pub use ruling::{Conclusion, Effect, GameResult, GameStatus, MissingFact, Report, Right, Ruling};
pub use time_control::{DelayMode, Period, TimeCategory, TimeControl, TimeControlError};

pub(crate) use position::{announceable, claim_holds, loss_is_draw};

use answer::Answer;
use decision_events::Listed;
use doubts::Doubts;
use draw_events::OpenOffer;
use fault::Fault;
use move_events::Unmade;
use pauses::Pause;
use record_events::Sheets;
use resume_events::Attendance;
use sealed_events::Envelope;
use stage::Stage;
use touches::Touches;
use unruly::Unruly;
use written::Written;

use crate::{
    mate,
    ruleset::{LossDraw, Rule, Ruleset},
};

/// Open questions about mating chances that are gone into in one game; later ones get short proofs.
const OPEN_QUESTIONS: usize = 8;

/// The state of a game between two events.
struct Replay<'a> {
    ruleset: &'a Ruleset,
    variant: Variant,
    control: Option<&'a TimeControl>,
    game: Game,
    doubts: Doubts,
    /// Plies played before a forced position replaced `game`.
    earlier_plies: usize,
    /// A move was made on the board that does not count: it is no legal move yet, and no fault either.
    unmade: Option<Unmade>,
    /// Plies that the move number of the starting position stands for.
    plies_before: usize,
    /// A fault that counts once the clock is pressed.
    fault: Option<Fault>,
    /// Nobody notices what is against the rules in the move at hand.
    unnoticed: bool,
    /// Faults that were pressed, in order: acted on only before the reply to them, or not noticed yet.
    waiting: Vec<Fault>,
    /// The game before the last move, where that does not honour what was touched and the opponent may complain.
    breach: Option<Stage>,
    /// The game before the last illegal move that stands.
    stood_before: Option<Stage>,
    /// What stands on the board, if no board holds it.
    unruly: Option<Unruly>,
    /// The game before the last move, and that move, where no board held it.
    before_setup: Option<(Box<Stage>, Option<Move>)>,
    /// The last legal move was made and not yet pressed, by this side.
    unpressed: Option<Color>,
    /// The opponent has replied before this side pressed; it may still press.
    late: Option<Color>,
    illegal: [u32; 2],
    king_fouls: [u32; 2],
    /// The offers of a draw that stand: White's and Black's.
    open: [Option<OpenOffer>; 2],
    offers: [u32; 2],
    /// The side whose offer was refused last and that has to wait.
    refused: [bool; 2],
    touched: bool,
    /// What was touched in this turn, in order.
    touches: Touches,
    /// A move was announced, or a piece released where it has to stay: touching changes nothing any more.
    move_fixed: bool,
    /// A piece was released where it has to stay, and the move is not reported yet.
    released: bool,
    obliged: Option<Vec<Move>>,
    /// The rule by which only the obliged moves are allowed.
    binding: Option<Rule>,
    /// The hand has left that piece, so that its move is made.
    hand_left: bool,
    /// A visually disabled player has set his piece down and has not announced the move.
    unannounced: bool,
    /// The rook of a castling was released in its place.
    rook_released: bool,
    /// The move that is due replaces an illegal one.
    replaces: bool,
    envelope: Option<Envelope>,
    /// Where an adjourned game was taken up again.
    resumed: Option<Stage>,
    /// The sealer, if he was absent when his move was opened.
    absent: Option<Color>,
    /// Who has come to a resumption at which the envelope stays shut.
    attendance: Option<Attendance>,
    sheets: Sheets,
    /// Half points that the arbiter has given each side, or taken from it.
    points: [i32; 2],
    /// Plies played when an illegal position was noted.
    illegal_position: Option<usize>,
    /// Who claimed last, and after how many plies.
    claimed: Option<(Color, usize)>,
    /// Whose claim in the last two minutes the arbiter has put off.
    postponed: Option<Color>,
    /// The arbiter has granted an increment to a game without one.
    increment_granted: bool,
    /// The options that rulings have left to the arbiter.
    listed: Vec<Listed>,
    arrived: [bool; 2],
    /// Who has lost for what he did.
    guilty: [bool; 2],
    /// Whether both players have signed the result.
    signed: bool,
    suspended: bool,
    /// A claim has ended play, and an arbiter decides on it later.
    referred: bool,
    conclusion: Option<Conclusion>,
    /// Boards and winners about which a proof came to no end: they are not asked about again.
    unproved: Vec<(Board, Color)>,
    missing: Vec<MissingFact>,
    event: Option<usize>,
    clock: Option<clock::Clock>,
    /// Both clocks stand, and what ends that.
    paused: Option<Pause>,
    /// The last move, if nobody has told its time yet and the press may.
    untimed: Option<usize>,
    /// The side whose clock runs in the other's turn, for what it has to put right in its own time.
    own_time: Option<Color>,
    /// The latest time that an event gave.
    now: Duration,
}

/// Plies played before a position, by its move number.
fn plies_before(board: &Board) -> usize {
    let rounds = usize::from(board.fullmove_number()).saturating_sub(1);
    2 * rounds + board.side_to_move().index()
}

/// Moves by White and by Black, in the rounds that were complete before the start and in so many plies since, of which `last`
/// made the last. Where Black is on move at the start, nobody says that White has moved in the round: Black may begin.
fn moves_of_each(plies_before: usize, plies: usize, last: Color) -> [u32; 2] {
    let mut made = [(plies_before / 2) as u32; 2];
    made[last.index()] += plies.div_ceil(2) as u32;
    made[(!last).index()] += (plies / 2) as u32;
    made
}

impl<'a> Replay<'a> {
    fn new(
        ruleset: &'a Ruleset,
        moves: &Game,
        variant: Variant,
        control: Option<&'a TimeControl>,
        doubts: Doubts,
    ) -> Self {
        let mut state = Self {
            ruleset,
            variant,
            control,
            game: Game::new(*moves.start()),
            doubts,
            earlier_plies: 0,
            unmade: None,
            plies_before: plies_before(moves.start()),
            fault: None,
            unnoticed: false,
            waiting: Vec::new(),
            breach: None,
            stood_before: None,
            unruly: None,
            before_setup: None,
            unpressed: None,
            late: None,
            illegal: [0; 2],
            king_fouls: [0; 2],
            open: [None; 2],
            offers: [0; 2],
            refused: [false; 2],
            touched: false,
            touches: Touches::default(),
            move_fixed: false,
            released: false,
            obliged: None,
            binding: None,
            hand_left: false,
            unannounced: false,
            rook_released: false,
            replaces: false,
            envelope: None,
            resumed: None,
            absent: None,
            attendance: None,
            sheets: Sheets::default(),
            points: [0; 2],
            illegal_position: None,
            claimed: None,
            postponed: None,
            increment_granted: false,
            listed: Vec::new(),
            arrived: [false; 2],
            guilty: [false; 2],
            signed: false,
            suspended: false,
            referred: false,
            conclusion: None,
            unproved: Vec::new(),
            missing: Vec::new(),
            event: None,
            clock: control.map(|control| {
                let (board, plies) = (moves.board(), moves.moves().len());
                let made = moves_of_each(plies_before(moves.start()), plies, !board.side_to_move());
                clock::Clock::new(control, board.side_to_move(), made)
            }),
            paused: None,
            untimed: None,
            own_time: None,
            now: Duration::ZERO,
        };
        state.end_by_position();
        for &mv in moves.moves() {
            if state.conclusion.is_some() || state.doubts.is_stopped() {
                break;
            }
            state.game.play(mv);
            state.end_by_position();
        }
        if state.conclusion.is_some() {
            // The game was over before the first event: nobody's clock runs.
            state.set_clocks(&[Effect::ClocksPaused]);
        }
        state
    }

    fn articles(&self, rules: &[Rule]) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for article in rules.iter().flat_map(|&rule| self.ruleset.articles_of(rule)) {
            if !all.contains(article) {
                all.push(article.clone());
            }
        }
        all
    }

    fn board(&self) -> &Board {
        self.game.board()
    }

    /// Whose move it is.
    fn to_move(&self) -> Color {
        self.unruly
            .as_ref()
            .map_or_else(|| self.board().side_to_move(), |unruly| unruly.to_move)
    }

    fn plies(&self) -> usize {
        let beyond = self.unruly.as_ref().map_or(0, |unruly| unruly.plies);
        self.earlier_plies + self.game.moves().len() + beyond
    }

    /// Completed rounds: moves by both sides; with the one in progress where the ruleset counts it.
    fn rounds(&self) -> u32 {
        let started = usize::from(self.ruleset.switches.rounds_in_progress);
        ((self.moves_made() + started) / 2) as u32
    }

    /// Moves that each side has made, those before the starting position included.
    fn made_by_each(&self) -> [u32; 2] {
        moves_of_each(self.plies_before, self.plies(), !self.to_move())
    }

    /// Plies of the whole game, those before the starting position included.
    fn moves_made(&self) -> usize {
        self.plies_before + self.plies()
    }

    /// Whether a loss against `winner` is a draw; `None` if that is not known. A decided answer ends the game, so only
    /// open questions come again: each is asked once, and after [`OPEN_QUESTIONS`] of them a game's proofs are short.
    fn loss_is_draw(&mut self, winner: Color, reading: LossDraw) -> Option<bool> {
        if let Some(unruly) = &self.unruly {
            let unruly = unruly.clone();
            let known = unruly.loss_is_draw(winner, reading);
            return known.or_else(|| self.mates_soon(&unruly, winner).then_some(false));
        }
        let question = (*self.board(), winner);
        if self.unproved.contains(&question) {
            return None;
        }
        let limit = if self.unproved.len() < OPEN_QUESTIONS {
            mate::DEFAULT_LIMIT
        } else {
            doubts::LEAST
        };
        let (board, switches) = (question.0, &self.ruleset.switches);
        let answer = self
            .doubts
            .apart(|prover| position::loss_is_draw(prover, &board, winner, reading, limit, switches));
        if answer.is_none() {
            self.unproved.push(question);
        }
        answer
    }

    fn lacks(&mut self, fact: &'static str) {
        let asked = |missing: &MissingFact| missing.event == self.event && missing.fact == fact;
        if self.missing.iter().any(asked) {
            return;
        }
        self.missing.push(MissingFact {
            event: self.event,
            fact,
            articles: Vec::new(),
        });
    }

    /// A fact that these rules ask for, whatever the ruling on the event rests on.
    fn lacks_for(&mut self, fact: &'static str, rules: &[Rule]) {
        self.lacks(fact);
        let articles = self.articles(rules);
        let asked = |missing: &&mut MissingFact| missing.event == self.event && missing.fact == fact;
        if let Some(missing) = self.missing.iter_mut().find(asked) {
            missing.articles = articles;
        }
    }
}
