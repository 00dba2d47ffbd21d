//! What an arbiter decides, one event list a case.

use std::{env, fs, time::Duration};

use tabiya_arbiter::{
    ClaimGround::{self, FiftyMoves, ThreefoldRepetition},
    replay::{
        Breach, DelayMode, Effect, Event, EventKind, GameResult, GameStatus, Period, Reason, Report,
        SetupFault, TimeControl, replay,
    },
    ruleset::Library,
};
use tabiya_rules::{Board, Color, Game, Square, Variant, uci};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const ROOK: &str = "8/8/4k3/8/8/3K4/8/7R w - - 0 1";
const CENTRE: &str = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
const LOCKED: &str = "4k3/8/8/p2p2p1/P2P2P1/8/8/4K3 w - - 0 1";
const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8 ";
const FIFTY_ROOKS: &str = "r3k3/8/8/8/8/8/8/R3K3 w - - ";

const W: Option<Color> = Some(Color::White);
const B: Option<Color> = Some(Color::Black);
const ARBITER: Option<Color> = None;

enum Want {
    /// The game is decided for this reason.
    Ends(GameResult, Reason),
    /// The game does not count.
    Void(Reason),
    /// The last event is ruled so, and the game goes on or is adjourned.
    Rules(bool, Reason),
    /// The position alone leaves the game going.
    GoesOn,
}

use Want::{Ends, GoesOn, Rules, Void};

struct Case {
    /// The row of the handed cases that it plays, if there is one.
    id: &'static str,
    ruleset: &'static str,
    overrides: Vec<(&'static str, &'static str)>,
    fen: String,
    moves: String,
    events: Vec<Event>,
    want: Want,
    articles: &'static [&'static str],
    /// Effects of the rulings, among others.
    effects: Vec<Effect>,
}

fn case(
    id: &'static str,
    ruleset: &'static str,
    events: Vec<Event>,
    want: Want,
    articles: &'static [&'static str],
) -> Case {
    Case {
        id,
        ruleset,
        overrides: Vec::new(),
        fen: START.into(),
        moves: String::new(),
        events,
        want,
        articles,
        effects: Vec::new(),
    }
}

impl Case {
    fn fen(mut self, fen: &str) -> Self {
        self.fen = fen.into();
        self
    }

    fn moves(mut self, moves: &str) -> Self {
        self.moves = moves.into();
        self
    }

    fn set(mut self, name: &'static str, value: &'static str) -> Self {
        self.overrides.push((name, value));
        self
    }

    fn effect(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }

    fn game(&self) -> Game {
        let mut game = Game::new(Board::from_fen(&self.fen).unwrap());
        for text in self.moves.split_whitespace() {
            let mv = uci::parse(game.board(), text, Variant::Standard)
                .unwrap_or_else(|error| panic!("{}: {error}", self.id));
            game.play(mv);
        }
        game
    }

    fn report(&self) -> Report {
        let overrides: Vec<_> = self
            .overrides
            .iter()
            .map(|&(k, v)| (k.to_owned(), v.to_owned()))
            .collect();
        let ruleset = Library::built_in().unwrap().find(self.ruleset).unwrap();
        let ruleset = ruleset.with_overrides(&overrides).unwrap();
        replay(&ruleset, &self.game(), Variant::Standard, None, &self.events)
    }

    /// What is wrong with the report, if anything.
    fn check(&self) -> Option<String> {
        let report = self.report();
        let last = report.rulings.last();
        let end = report.conclusion.as_ref();
        let right = match &self.want {
            Ends(result, reason) => {
                end.is_some_and(|end| end.result == Some(*result) && end.reason == *reason)
            }
            Void(reason) => report.status == GameStatus::Void && end.is_some_and(|end| end.reason == *reason),
            Rules(accepted, reason) => {
                last.is_some_and(|last| last.accepted == *accepted && last.reason == *reason)
            }
            GoesOn => report.status == GameStatus::Ongoing,
        };
        let mut cited: Vec<String> = report
            .rulings
            .iter()
            .flat_map(|ruling| ruling.articles.clone())
            .collect();
        cited.extend(end.map(|end| end.articles.clone()).unwrap_or_default());
        let missing: Vec<_> = self
            .articles
            .iter()
            .filter(|&&article| !cited.iter().any(|c| c == article))
            .collect();
        let absent: Vec<_> = self
            .effects
            .iter()
            .filter(|&effect| {
                !report
                    .rulings
                    .iter()
                    .any(|ruling| ruling.effects.contains(effect))
            })
            .collect();
        let wrong = !right || !missing.is_empty() || !absent.is_empty();
        wrong.then(|| {
            format!(
                "{}: articles {missing:?} and effects {absent:?} are missing in {report:?}",
                self.id
            )
        })
    }
}

fn at(actor: Option<Color>, kind: EventKind) -> Event {
    Event {
        actor,
        at: None,
        kind,
    }
}

fn mv(actor: Option<Color>, uci: &str) -> Event {
    let uci = uci.into();
    at(
        actor,
        EventKind::Move {
            uci,
            two_hands: false,
        },
    )
}

fn press(actor: Option<Color>) -> Event {
    at(actor, EventKind::ClockPress)
}

fn offer(actor: Option<Color>) -> Event {
    at(actor, EventKind::DrawOffer)
}

fn answer(actor: Option<Color>, accept: bool) -> Event {
    at(actor, EventKind::DrawAnswer { accept })
}

fn claim(actor: Option<Color>, ground: ClaimGround, with: Option<&str>, remaining: Option<u64>) -> Event {
    let with_move = with.map(str::to_owned);
    let remaining = remaining.map(Duration::from_secs);
    at(
        actor,
        EventKind::Claim {
            ground,
            with_move,
            remaining,
        },
    )
}

fn flag(side: Option<Color>) -> Event {
    at(
        ARBITER,
        EventKind::FlagFall {
            side,
            last_period: None,
        },
    )
}

fn report(actor: Option<Color>, after_signature: bool, times_known: bool) -> Event {
    let position_known = true;
    at(
        actor,
        EventKind::IllegalMoveReport {
            after_signature,
            position_known,
            times_known,
        },
    )
}

fn late(actor: Option<Color>, minutes: u64) -> Event {
    at(
        actor,
        EventKind::Arrival {
            late: Duration::from_secs(60 * minutes),
        },
    )
}

fn sq(text: &str) -> Square {
    text.parse().unwrap()
}

fn touch(actor: Option<Color>, squares: &str, order_unclear: bool) -> Event {
    let squares = squares.split(' ').map(sq).collect();
    at(
        actor,
        EventKind::Touch {
            squares,
            adjust: false,
            order_unclear,
        },
    )
}

fn setup(fault: SetupFault, first_period_permille: Option<u32>) -> Event {
    at(
        ARBITER,
        EventKind::SetupFault {
            fault,
            first_period_permille,
        },
    )
}

fn breach(actor: Option<Color>, breach: Breach) -> Event {
    at(actor, EventKind::Breach { breach })
}

fn seal(text: &str, clock_stopped: bool) -> Event {
    let text = text.into();
    at(W, EventKind::Seal { text, clock_stopped })
}

fn resume(replier_present: bool, minutes: u64) -> Event {
    let sealer_late = Duration::from_secs(60 * minutes);
    at(
        ARBITER,
        EventKind::Resume {
            replier_present,
            sealer_late,
        },
    )
}

fn record(seconds: u64) -> Event {
    let remaining = Some(Duration::from_secs(seconds));
    at(
        W,
        EventKind::RecordingLapse {
            remaining,
            increment: Some(Duration::ZERO),
        },
    )
}

fn resign(actor: Option<Color>) -> Event {
    at(actor, EventKind::Resignation)
}

fn moves(fen: &str, list: &str) -> Effect {
    let board = Board::from_fen(fen).unwrap();
    let read = |text| uci::parse(&board, text, Variant::Standard).unwrap();
    Effect::Obliged(list.split(' ').map(read).collect())
}

const WHITE: Color = Color::White;
const BLACK: Color = Color::Black;
const WHITE_WINS: GameResult = GameResult::Wins(WHITE);
const BLACK_WINS: GameResult = GameResult::Wins(BLACK);
const DRAW: GameResult = GameResult::Draw;

fn draws() -> Vec<Case> {
    let f = "fide-2023";
    let rounds = |n: usize| {
        SHUFFLE
            .split_whitespace()
            .cycle()
            .take(2 * n)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let perpetual = "b2b1 g1h2 b1b8 h2g1 ".to_owned() + &"b8b1 g1h2 b1b8 h2g1 ".repeat(4);
    let four = "g1h1 h8g7 h1g1 g7h8 ".repeat(4);
    let thirty = format!(
        "{four}b2b3 b7b6 {four}b3b4 b6b5 {four}c2c3 c7c6 {}g1h1 h8g7 h1g1",
        "g1h1 h8g7 h1g1 g7h8 ".repeat(2)
    );
    vec![
        case(
            "proc-agree-normal",
            f,
            vec![mv(W, "g1f3"), offer(W), answer(B, true)],
            Ends(DRAW, Reason::Agreed),
            &["5.2.3"],
        )
        .moves("e2e4 e7e5"),
        case(
            "proc-agree-too-early",
            f,
            vec![mv(W, "e2e4"), offer(W), answer(B, true)],
            Rules(false, Reason::AgreedEarly),
            &["5.2.3"],
        ),
        case(
            "proc-auto-3-popular",
            "popular",
            vec![mv(B, "f6g8")],
            Ends(DRAW, Reason::Repetition),
            &["repetition"],
        )
        .moves(&(SHUFFLE.to_owned() + "g1f3 g8f6 f3g1")),
        case(
            "proc-auto-50-popular",
            "popular",
            vec![mv(W, "e1e2")],
            Ends(DRAW, Reason::Quiet),
            &["quiet"],
        )
        .set("popular_source", "001")
        .fen(&format!("{FIFTY_ROOKS}99 90")),
        case(
            "",
            "popular",
            vec![mv(W, "e1e2")],
            Ends(DRAW, Reason::Quiet),
            &["quiet"],
        )
        .fen(&format!("{FIFTY_ROOKS}59 90")),
        case(
            "proc-auto-75-mate",
            f,
            vec![mv(W, "a1a8")],
            Ends(WHITE_WINS, Reason::Mate),
            &["5.1.1", "9.6.2"],
        )
        .fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 149 90"),
        case(
            "proc-both-kings-in-check-rapid",
            "fide-2023-rapid-a5",
            vec![
                at(ARBITER, EventKind::IllegalPosition),
                mv(W, "e2e4"),
                at(ARBITER, EventKind::IllegalPosition),
            ],
            Ends(DRAW, Reason::IllegalPositionDraw),
            &["A.5.4"],
        ),
        case(
            "",
            f,
            vec![at(ARBITER, EventKind::IllegalPosition)],
            Rules(false, Reason::Unstated),
            &[],
        ),
        case(
            "proc-check-10-platform",
            "online-platform",
            vec![],
            Ends(DRAW, Reason::ChecksInARow),
            &["checks"],
        )
        .fen("6k1/6p1/7p/8/8/8/1q4P1/6K1 b - - 0 1")
        .moves(&perpetual),
        case(
            "proc-check-30-platform",
            "online-platform",
            vec![],
            Ends(DRAW, Reason::ChecksInTotal),
            &["checks"],
        )
        .fen("7k/1pp5/8/8/8/8/1PP5/K5R1 w - - 0 1")
        .moves(&thirty),
        case(
            "proc-claim-3-intended",
            f,
            vec![claim(B, ThreefoldRepetition, Some("f6g8"), None)],
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.2.1", "9.5.2"],
        )
        .moves(&(SHUFFLE.to_owned() + "g1f3 g8f6 f3g1")),
        case(
            "proc-claim-3-not-on-move",
            f,
            vec![claim(B, ThreefoldRepetition, None, None)],
            Rules(false, Reason::ClaimNotOnMove),
            &["9.2"],
        )
        .moves(&SHUFFLE.repeat(2)),
        case(
            "proc-claim-3-ok-cn",
            "cn-classic",
            vec![claim(W, ThreefoldRepetition, None, None)],
            Ends(DRAW, Reason::ClaimUpheld),
            &["10.10(2)"],
        )
        .moves(&SHUFFLE.repeat(2)),
        case(
            "proc-claim-3-touched",
            f,
            vec![touch(W, "g1", false), claim(W, ThreefoldRepetition, None, None)],
            Rules(false, Reason::ClaimTouched),
            &["9.4"],
        )
        .moves(&SHUFFLE.repeat(2)),
        case(
            "proc-claim-3-wrong",
            f,
            vec![claim(W, ThreefoldRepetition, None, None)],
            Rules(false, Reason::ClaimWrong),
            &["9.5.3"],
        )
        .moves(SHUFFLE)
        .effect(Effect::TimeAdded {
            side: BLACK,
            seconds: 120,
        }),
        case(
            "proc-claim-3-wrong-rapid",
            "fide-2023-rapid-a4",
            vec![claim(W, ThreefoldRepetition, None, None)],
            Rules(false, Reason::ClaimWrong),
            &["9.5.3", "A.3"],
        )
        .moves(SHUFFLE)
        .effect(Effect::TimeAdded {
            side: BLACK,
            seconds: 60,
        }),
        case(
            "proc-claim-50-extended-cn",
            "cn-classic",
            vec![claim(W, FiftyMoves, None, Some(3600))],
            Rules(false, Reason::ClaimWrong),
            &["10.12"],
        )
        .set("claim_quiet_moves_listed", "75")
        .fen(&format!("{FIFTY_ROOKS}120 90")),
        case(
            "proc-claim-50-ok",
            f,
            vec![claim(W, FiftyMoves, None, None)],
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.3.2"],
        )
        .fen(&format!("{FIFTY_ROOKS}100 90")),
        case(
            "proc-claim-withdraw",
            f,
            vec![
                claim(W, ThreefoldRepetition, None, None),
                at(W, EventKind::Withdrawal),
            ],
            Rules(false, Reason::ClaimStands),
            &["9.5.1"],
        ),
        case(
            "proc-claim-wrong-cn",
            "cn-classic",
            vec![claim(W, ThreefoldRepetition, Some("e2e4"), Some(301))],
            Rules(false, Reason::ClaimWrong),
            &["10.13(2)"],
        )
        .effect(Effect::UsedTimeAdded {
            side: WHITE,
            seconds: 300,
        })
        .effect(moves(START, "e2e4")),
        case(
            "proc-claim-wrong-cn-flag",
            "cn-classic",
            vec![claim(W, ThreefoldRepetition, None, Some(300))],
            Ends(BLACK_WINS, Reason::ClaimWrongLoses),
            &["10.13(2)"],
        ),
        case(
            "proc-claim-wrong-intended-illegal",
            f,
            vec![claim(W, ThreefoldRepetition, Some("e2e5"), None)],
            Rules(false, Reason::ClaimIllegalMove),
            &["9.5.3"],
        )
        .effect(Effect::TimeAdded {
            side: BLACK,
            seconds: 120,
        })
        .effect(moves(START, "e2e3 e2e4")),
        case(
            "proc-offer-alternate-popular",
            "popular",
            vec![offer(W), answer(B, false), offer(B), answer(W, false), offer(W)],
            Rules(true, Reason::OfferUnusual),
            &["offers"],
        ),
        case(
            "",
            "popular",
            vec![offer(W), answer(B, false), offer(W)],
            Rules(false, Reason::OfferAlternate),
            &["offers"],
        ),
        case(
            "proc-offer-before-move-cn",
            "cn-classic",
            vec![offer(W)],
            Rules(true, Reason::OfferDeferred),
            &["10.9"],
        )
        .effect(Effect::AnswerMayWait),
        case(
            "proc-offer-on-opponent-time",
            f,
            vec![offer(B)],
            Rules(true, Reason::OfferUnusual),
            &["9.1.2.1", "11.5"],
        )
        .effect(Effect::MayBePenalised { side: BLACK }),
        case(
            "proc-offer-platform-early",
            "online-platform",
            vec![offer(W)],
            Rules(false, Reason::OfferEarly),
            &["offers"],
        )
        .moves(&rounds(15)),
        case(
            "",
            "online-platform",
            vec![offer(W)],
            Rules(true, Reason::OfferMade),
            &["offers"],
        )
        .moves(&rounds(16)),
        case(
            "proc-offer-platform-fourth",
            "online-platform",
            vec![
                offer(W),
                answer(B, false),
                offer(W),
                answer(B, false),
                offer(W),
                answer(B, false),
                offer(W),
            ],
            Rules(false, Reason::OfferLimit),
            &["offers"],
        )
        .moves(&rounds(20)),
        case(
            "proc-offer-withdraw",
            f,
            vec![mv(W, "e2e4"), offer(W), at(W, EventKind::Withdrawal)],
            Rules(false, Reason::OfferStands),
            &["9.1.2.1"],
        ),
        case(
            "proc-dead-auto",
            f,
            vec![mv(W, "e2d3")],
            Ends(DRAW, Reason::Dead),
            &["5.2.2"],
        )
        .fen("8/8/4k3/8/8/3p4/4B3/4K3 w - - 0 1"),
        case("proc-dead-locked-cn", "cn-classic", vec![], GoesOn, &[]).fen(LOCKED),
        case(
            "proc-kbk-cn",
            "cn-classic",
            vec![],
            Ends(DRAW, Reason::Dead),
            &["10.4"],
        )
        .fen("8/8/4k3/8/2B5/3K4/8/8 b - - 0 1"),
        case("proc-kk-platform", "online-platform", vec![], GoesOn, &[]).fen("8/8/4k3/8/8/3K4/8/8 w - - 0 1"),
        case("proc-knn-fide", f, vec![], GoesOn, &[]).fen("8/8/4k3/8/2NN4/3K4/8/8 b - - 0 1"),
        case("", "popular", vec![], Ends(DRAW, Reason::Dead), &["material"])
            .fen("8/8/4k3/8/2NN4/3K4/8/8 b - - 0 1"),
    ]
}

fn flags_and_ends() -> Vec<Case> {
    let f = "fide-2023";
    let rounds = |n: usize| {
        SHUFFLE
            .split_whitespace()
            .cycle()
            .take(2 * n)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let eve = "f2f3 e7e5 g2g4";
    vec![
        case(
            "proc-flag-after-agreement-cn",
            "cn-classic",
            vec![mv(W, "e2e4"), offer(W), answer(B, true), flag(W)],
            Ends(DRAW, Reason::Agreed),
            &["12.7"],
        ),
        case(
            "proc-flag-after-mate",
            f,
            vec![mv(B, "d8h4"), flag(B)],
            Ends(BLACK_WINS, Reason::Mate),
            &["5.1.1", "6.2.1.1"],
        )
        .moves(eve),
        case(
            "proc-flag-bare-king",
            f,
            vec![flag(W)],
            Ends(DRAW, Reason::FlagDraw),
            &["6.9"],
        )
        .fen(ROOK),
        case(
            "proc-flag-bare-king-cn",
            "cn-classic",
            vec![flag(W)],
            Ends(DRAW, Reason::FlagDraw),
            &["10.14", "10.5"],
        )
        .fen(ROOK),
        case(
            "proc-flag-before-move-released",
            f,
            vec![flag(B), mv(B, "a2a1")],
            Ends(WHITE_WINS, Reason::FlagLoss),
            &["6.9", "6.8"],
        )
        .fen("6k1/5ppp/8/8/8/8/q4PPP/R5K1 b - - 0 1"),
        case(
            "proc-flag-both-not-last",
            f,
            vec![at(
                ARBITER,
                EventKind::FlagFall {
                    side: None,
                    last_period: Some(false),
                },
            )],
            Rules(false, Reason::FlagsContinue),
            &["III.3.1"],
        )
        .set("guideline_iii", "true"),
        case(
            "",
            f,
            vec![at(
                ARBITER,
                EventKind::FlagFall {
                    side: None,
                    last_period: Some(true),
                },
            )],
            Ends(DRAW, Reason::FlagsDraw),
            &["III.3.1"],
        )
        .set("guideline_iii", "true"),
        case(
            "",
            f,
            vec![flag(None)],
            Rules(false, Reason::MissingFact),
            &["III.3.1"],
        )
        .set("guideline_iii", "true"),
        case(
            "proc-flag-fivefold-first",
            f,
            vec![mv(B, "f6g8"), flag(W)],
            Ends(DRAW, Reason::Repetition),
            &["9.6.1"],
        )
        .moves(&(SHUFFLE.repeat(3) + "g1f3 g8f6 f3g1")),
        case(
            "proc-flag-move-not-pressed",
            f,
            vec![mv(W, "g2g4"), flag(W)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["6.9", "6.2.1"],
        )
        .moves("f2f3 e7e5"),
        case(
            "proc-flag-move-not-pressed-cn",
            "cn-classic",
            vec![mv(W, "e2e4"), flag(W)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["10.14", "6.5"],
        ),
        case(
            "proc-flag-normal",
            f,
            vec![flag(W)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["6.9"],
        ),
        case(
            "proc-flag-platform-late",
            "online-platform",
            vec![flag(W)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["time"],
        )
        .moves(&rounds(6)),
        case(
            "",
            "online-platform",
            vec![flag(W)],
            Void(Reason::FlagVoid),
            &["time"],
        )
        .moves(&rounds(5)),
        case(
            "proc-late-both-fide",
            f,
            vec![late(W, 10), late(B, 15)],
            Rules(true, Reason::InTime),
            &["6.7.2"],
        )
        .set("late_limit_minutes", "30")
        .effect(Effect::TimeLost {
            side: WHITE,
            seconds: 600,
        }),
        case(
            "",
            f,
            vec![late(W, 10)],
            Rules(true, Reason::WhiteWaits),
            &["6.7.2"],
        )
        .set("late_limit_minutes", "30")
        .effect(Effect::TimeLost {
            side: WHITE,
            seconds: 600,
        }),
        case(
            "proc-late-cn-59",
            "cn-classic",
            vec![late(B, 59)],
            Rules(true, Reason::InTime),
            &["10.15"],
        ),
        case(
            "proc-late-cn-61",
            "cn-classic",
            vec![late(B, 61)],
            Ends(WHITE_WINS, Reason::TooLate),
            &["10.15"],
        ),
        case(
            "",
            "cn-domestic",
            vec![late(B, 16)],
            Ends(WHITE_WINS, Reason::TooLate),
            &["10.15", "preface"],
        ),
        case(
            "proc-late-fide-30",
            f,
            vec![late(B, 0), late(W, 20)],
            Rules(true, Reason::InTime),
            &["6.7.1"],
        )
        .set("late_limit_minutes", "30")
        .effect(Effect::TimeLost {
            side: WHITE,
            seconds: 1200,
        }),
        case(
            "proc-resign-bare-cn",
            "cn-classic",
            vec![resign(W)],
            Ends(DRAW, Reason::ResignedDraw),
            &["10.5", "10.2"],
        )
        .fen(ROOK),
        case(
            "proc-resign-normal",
            f,
            vec![resign(W)],
            Ends(BLACK_WINS, Reason::Resigned),
            &["5.1.2"],
        ),
        case(
            "proc-resign-platform-early",
            "online-platform",
            vec![resign(W)],
            Rules(false, Reason::ResignedEarly),
            &["resignation"],
        )
        .moves(&rounds(14)),
        case(
            "proc-score",
            f,
            vec![mv(W, "a1a8")],
            Ends(WHITE_WINS, Reason::Mate),
            &[],
        )
        .fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"),
        case(
            "proc-score-both-lost",
            "cn-classic",
            vec![breach(ARBITER, Breach::BothRefuse)],
            Ends(GameResult::BothLose, Reason::BothRefuse),
            &["10.17"],
        ),
        case(
            "proc-refuse-both",
            f,
            vec![breach(ARBITER, Breach::BothRefuse)],
            Ends(GameResult::BothLose, Reason::BothRefuse),
            &["11.8"],
        ),
        case(
            "proc-device",
            f,
            vec![breach(W, Breach::DeviceOnPlayer)],
            Ends(BLACK_WINS, Reason::Device),
            &["11.3.2.2"],
        ),
        case(
            "proc-penalty-list-cn",
            "cn-classic",
            vec![breach(W, Breach::Other)],
            Rules(true, Reason::Breach),
            &["16.5"],
        )
        .effect(Effect::Sanction("warning"))
        .effect(Effect::Sanction("take-own-time"))
        .effect(Effect::Sanction("add-opponent-time"))
        .effect(Effect::Sanction("loss")),
    ]
}

fn irregularities() -> Vec<Case> {
    let f = "fide-2023";
    let ten = SHUFFLE.repeat(3) + "e2e4 e7e5 g1f3 g8f6 f3g1 f6g8 d2d4 d7d5";
    let b3 = "fide-2023-blitz-b3";
    let king = "4r2k/8/8/8/8/8/8/3K4 w - - 0 1";
    let illegal = Reason::IllegalFirst;
    vec![
        case(
            "proc-clock-without-move",
            f,
            vec![press(W)],
            Rules(false, Reason::PressedNothing),
            &["7.5.3", "7.5.5"],
        )
        .effect(Effect::IllegalCount {
            side: WHITE,
            count: 1,
        })
        .effect(Effect::TimeAdded {
            side: BLACK,
            seconds: 120,
        }),
        case(
            "proc-colours-10",
            f,
            vec![setup(SetupFault::ColoursReversed, None)],
            Rules(false, Reason::ColoursGoOn),
            &["7.3"],
        )
        .moves(&ten),
        case(
            "",
            f,
            vec![setup(SetupFault::ColoursReversed, None)],
            Void(Reason::ColoursRestart),
            &["7.3"],
        )
        .moves(SHUFFLE),
        case(
            "proc-colours-cn-early",
            "cn-classic",
            vec![setup(SetupFault::ColoursReversed, Some(200))],
            Rules(true, Reason::ColoursMayRestart),
            &["8.6"],
        )
        .effect(Effect::MayRestart),
        case(
            "proc-colours-cn-late",
            "cn-classic",
            vec![setup(SetupFault::ColoursReversed, Some(300))],
            Rules(false, Reason::ColoursGoOn),
            &["8.6"],
        ),
        case(
            "",
            "cn-classic",
            vec![setup(SetupFault::ColoursReversed, None)],
            Rules(false, Reason::MissingFact),
            &["8.6"],
        ),
        case(
            "proc-displaced",
            f,
            vec![at(W, EventKind::Displacement)],
            Rules(true, Reason::Displaced),
            &["7.4.1"],
        )
        .effect(Effect::ClockRuns { side: WHITE }),
        case(
            "proc-illegal-1-std",
            f,
            vec![mv(W, "e2e5"), press(W)],
            Rules(false, illegal),
            &["7.5.1", "7.5.5"],
        )
        .effect(Effect::Restored)
        .effect(Effect::TimeAdded {
            side: BLACK,
            seconds: 120,
        }),
        case(
            "",
            f,
            vec![
                mv(W, "e2e5"),
                press(W),
                mv(W, "e2e4"),
                press(W),
                mv(B, "e7e5"),
                mv(W, "f1a7"),
                press(W),
            ],
            Ends(BLACK_WINS, Reason::IllegalLoses),
            &["7.5.5"],
        ),
        case(
            "proc-illegal-after-signed",
            f,
            vec![resign(W), report(B, true, true)],
            Rules(false, Reason::ResultStands),
            &["8.7"],
        ),
        case(
            "proc-illegal-blitz-claimed",
            b3,
            vec![mv(B, "e7e4"), press(B), report(W, false, true)],
            Rules(false, illegal),
            &["7.5.1", "A.3", "B.3"],
        )
        .moves("d2d4")
        .effect(Effect::Restored)
        .effect(Effect::TimeAdded {
            side: WHITE,
            seconds: 60,
        }),
        case(
            "proc-illegal-blitz-replied",
            b3,
            vec![mv(B, "e7e4"), press(B), mv(W, "g1f3")],
            Rules(true, Reason::IllegalStands),
            &["A.5.2", "B.3"],
        )
        .moves("d2d4"),
        case(
            "proc-illegal-cn",
            "cn-classic",
            vec![mv(W, "e2e5"), report(B, false, false)],
            Rules(false, illegal),
            &["8.1", "12.6", "16.5"],
        )
        .effect(Effect::Restored)
        .effect(Effect::ShareTimes)
        .effect(Effect::Sanction("warning")),
        case(
            "proc-illegal-popular-3",
            "popular",
            vec![mv(W, "d1e1"), mv(W, "d1e2"), mv(W, "d1e1")],
            Ends(BLACK_WINS, Reason::KingFoulsLose),
            &["king"],
        )
        .fen(king),
        case(
            "proc-illegal-rapid-1",
            "fide-2023-rapid-a4",
            vec![mv(B, "e7e4"), press(B)],
            Rules(false, illegal),
            &["7.5.5", "A.3"],
        )
        .moves("d2d4")
        .effect(Effect::TimeAdded {
            side: WHITE,
            seconds: 60,
        }),
        case(
            "proc-promo-pawn-left",
            f,
            vec![mv(W, "a7a8"), press(W)],
            Rules(false, Reason::PromotionLeft),
            &["7.5.2", "7.5.5"],
        )
        .fen("7k/P7/8/8/8/8/8/K7 w - - 0 1")
        .effect(Effect::BecomesQueen(sq("a8")))
        .effect(Effect::TimeAdded {
            side: BLACK,
            seconds: 120,
        }),
        case(
            "proc-two-hands",
            f,
            vec![
                at(
                    W,
                    EventKind::Move {
                        uci: "e1g1".into(),
                        two_hands: true,
                    },
                ),
                press(W),
            ],
            Rules(false, Reason::TwoHands),
            &["7.5.4", "7.5.5"],
        )
        .fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
        .effect(Effect::TimeAdded {
            side: BLACK,
            seconds: 120,
        }),
        case(
            "proc-record-cn",
            "cn-classic",
            vec![record(299)],
            Rules(true, Reason::NeedNotRecord),
            &["11.2"],
        )
        .effect(Effect::CompleteSheet { side: WHITE }),
        case(
            "proc-record-cn-unreconstructable",
            "cn-classic",
            vec![at(ARBITER, EventKind::SheetsUnclear)],
            Rules(true, Reason::SheetsUnclear),
            &["11.9"],
        )
        .effect(Effect::NextPeriod),
        case(
            "proc-record-exempt",
            f,
            vec![record(299)],
            Rules(true, Reason::NeedNotRecord),
            &["8.4"],
        ),
        case(
            "",
            f,
            vec![record(300)],
            Rules(false, Reason::MustRecord),
            &["8.1.1"],
        ),
        case(
            "proc-setup-board-turned-cn",
            "cn-classic",
            vec![setup(SetupFault::BoardTurned, None)],
            Rules(true, Reason::BoardTurned),
            &["8.7"],
        )
        .effect(Effect::CarriedOver),
        case(
            "proc-setup-wrong-pieces",
            f,
            vec![setup(SetupFault::WrongPieces, None)],
            Void(Reason::NewGame),
            &["7.2.1"],
        ),
        case(
            "proc-setup-wrong-pieces-cn",
            "cn-classic",
            vec![setup(SetupFault::WrongPieces, None)],
            Void(Reason::PositionAnnulled),
            &["8.5"],
        ),
    ]
}

fn touches_and_seals() -> Vec<Case> {
    let f = "fide-2023";
    let cn = "cn-classic";
    let castle = "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    let rook = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let mate = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
    let stalemate = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1";
    vec![
        case(
            "proc-touch-adjust-not-on-move",
            f,
            vec![at(
                B,
                EventKind::Touch {
                    squares: vec![sq("g8")],
                    adjust: true,
                    order_unclear: false,
                },
            )],
            Rules(false, Reason::AdjustNotOnMove),
            &["4.2.1", "6.2.5"],
        ),
        case(
            "proc-touch-both-illegal",
            f,
            vec![touch(W, "b1 d5", false)],
            Rules(true, Reason::TouchedBoth),
            &["4.3.3"],
        )
        .fen(CENTRE)
        .effect(moves(CENTRE, "b1a3 b1c3")),
        case(
            "proc-touch-claim-late",
            f,
            vec![at(W, EventKind::TouchComplaint { touched_since: true })],
            Rules(false, Reason::ComplaintLate),
            &["4.8"],
        ),
        case(
            "proc-touch-enemy",
            f,
            vec![touch(W, "d5", false)],
            Rules(true, Reason::TouchedEnemy),
            &["4.3.2"],
        )
        .fen(CENTRE)
        .effect(moves(CENTRE, "e4d5")),
        case(
            "proc-touch-king-rook-illegal",
            f,
            vec![touch(W, "e1 h1", false)],
            Rules(true, Reason::TouchedCastleIllegal),
            &["4.4.3"],
        )
        .fen(castle),
        case(
            "proc-touch-order-unclear",
            f,
            vec![touch(W, "d5 b1", true)],
            Rules(true, Reason::TouchedBoth),
            &["4.3.3"],
        )
        .fen(CENTRE)
        .effect(moves(CENTRE, "b1a3 b1c3")),
        case(
            "proc-touch-own",
            f,
            vec![touch(W, "g1", false)],
            Rules(true, Reason::TouchedOwn),
            &["4.3.1"],
        )
        .effect(moves(START, "g1f3 g1h3")),
        case(
            "",
            f,
            vec![touch(W, "g1", false), mv(W, "e2e4")],
            Rules(false, Reason::TouchBinds),
            &["4.3.1"],
        ),
        case(
            "proc-touch-own-immobile",
            f,
            vec![touch(W, "a1", false)],
            Rules(true, Reason::TouchedFree),
            &["4.5"],
        )
        .effect(Effect::Free),
        case(
            "proc-touch-rook-king-cn",
            cn,
            vec![touch(W, "h1 e1", false)],
            Rules(true, Reason::TouchedRookFirst),
            &["5.1(3)"],
        )
        .fen(rook),
        case(
            "",
            f,
            vec![touch(W, "e1 h1", false)],
            Rules(true, Reason::TouchedCastle),
            &["4.4.1"],
        )
        .fen(rook)
        .effect(moves(rook, "e1g1")),
        case(
            "proc-not-released-intl",
            f,
            vec![at(
                W,
                EventKind::Release {
                    from: sq("g1"),
                    to: sq("f3"),
                    released: false,
                },
            )],
            Rules(true, Reason::NotReleased),
            &["4.7"],
        )
        .effect(moves(START, "g1f3 g1h3")),
        case(
            "",
            "cn-domestic",
            vec![at(
                W,
                EventKind::Release {
                    from: sq("g1"),
                    to: sq("f3"),
                    released: false,
                },
            )],
            Rules(true, Reason::Released),
            &["preface"],
        )
        .effect(moves(START, "g1f3")),
        case(
            "proc-seal-ambiguous",
            f,
            vec![seal("Nd2", true), resume(true, 0)],
            Ends(DRAW, Reason::SealInvalidDraw),
            &["I.8.1"],
        )
        .fen("4k3/8/8/8/8/8/4K3/1N3N2 w - - 0 1"),
        case(
            "proc-seal-change-cn",
            cn,
            vec![seal("e2e4", false), seal("d2d4", false)],
            Rules(true, Reason::SealChanged),
            &["13.1(1)"],
        ),
        case(
            "proc-seal-change-late-cn",
            cn,
            vec![seal("e2e4", true), seal("d2d4", false)],
            Rules(false, Reason::SealLate),
            &["13.1(1)"],
        ),
        case(
            "proc-seal-draw-agreed-invalid-cn",
            cn,
            vec![seal("Qh8", true), offer(W), answer(B, true), resume(true, 0)],
            Ends(DRAW, Reason::Agreed),
            &["14.2(1)"],
        ),
        case(
            "proc-seal-illegal-bare-king-cn",
            cn,
            vec![seal("h1g3", true), resume(true, 0)],
            Ends(DRAW, Reason::SealInvalidDraw),
            &["10.16", "10.5"],
        )
        .fen(ROOK),
        case(
            "",
            cn,
            vec![seal("h1g3", true), resume(true, 0)],
            Ends(BLACK_WINS, Reason::SealInvalid),
            &["10.16"],
        ),
        case(
            "proc-seal-lost-all-cn",
            cn,
            vec![
                seal("e2e4", true),
                at(
                    ARBITER,
                    EventKind::EnvelopeLost {
                        position_known: Some(false),
                    },
                ),
            ],
            Void(Reason::EnvelopeAnnuls),
            &["14.5(2)"],
        ),
        case(
            "proc-seal-mate-late-sealer-cn",
            cn,
            vec![seal("a1a8", true), resume(true, 61)],
            Ends(WHITE_WINS, Reason::Mate),
            &["10.15(1)"],
        )
        .fen(mate),
        case(
            "",
            cn,
            vec![seal("a1a7", true), resume(true, 61)],
            Ends(BLACK_WINS, Reason::SealerTooLate),
            &["10.15"],
        )
        .fen(mate),
        case(
            "proc-seal-non-sealer-absent-cn",
            cn,
            vec![seal("e2e4", true), resume(false, 0)],
            Rules(false, Reason::EnvelopeShut),
            &["14.3"],
        )
        .effect(Effect::EnvelopeShut)
        .effect(Effect::ClockRuns { side: BLACK }),
        case(
            "proc-seal-ok",
            f,
            vec![seal("Nf3", true), resume(true, 0)],
            Rules(true, Reason::Resumed),
            &["I.9.1"],
        ),
        case(
            "proc-seal-played-on-board-cn",
            cn,
            vec![mv(W, "e2e4"), seal("d2d4", true)],
            Rules(false, Reason::SealMustMatch),
            &["13.1(1)"],
        ),
        case(
            "proc-seal-stalemate-late-cn",
            cn,
            vec![seal("g6f7", true), resume(true, 61)],
            Ends(DRAW, Reason::Stalemate),
            &["10.15(2)"],
        )
        .fen(stalemate),
    ]
}

/// Cases that rest on a proof of what can still be mated.
fn proofs() -> Vec<Case> {
    let f = "fide-2023";
    let pawn = "8/8/8/4k3/4p3/4N3/4K3/8 b - - 0 1";
    vec![
        case(
            "proc-dead-locked",
            f,
            vec![],
            Ends(DRAW, Reason::Dead),
            &["5.2.2"],
        )
        .fen(LOCKED),
        case(
            "proc-flag-knight-v-pawn",
            f,
            vec![flag(B)],
            Ends(WHITE_WINS, Reason::FlagLoss),
            &["6.9"],
        )
        .fen(pawn),
    ]
}

fn cases() -> Vec<Case> {
    [
        draws(),
        flags_and_ends(),
        irregularities(),
        proofs(),
        touches_and_seals(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn every_case_is_ruled_as_the_articles_say() {
    let wrong: Vec<String> = cases().iter().filter_map(Case::check).collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn replaying_gives_the_same_and_a_prefix_never_knows_the_future() {
    for case in cases() {
        let whole = case.report();
        assert_eq!(whole, case.report(), "{}", case.id);
        for count in 0..case.events.len() {
            let prefix = Case {
                events: case.events[..count].to_vec(),
                overrides: case.overrides.clone(),
                fen: case.fen.clone(),
                moves: case.moves.clone(),
                want: GoesOn,
                effects: vec![],
                ..case
            };
            assert_eq!(
                prefix.report().rulings,
                whole.rulings[..count],
                "{} {count}",
                case.id
            );
        }
    }
}

#[test]
fn results_score() {
    assert_eq!(WHITE_WINS.half_points(), [2, 0]);
    assert_eq!(DRAW.half_points(), [1, 1]);
    assert_eq!(GameResult::BothLose.half_points(), [0, 0]);
}

/// The handed rows, where they are at hand: each is played by a case above that cites one of its articles.
#[test]
fn handed_rows_are_all_played() {
    let Some(folder) = env::var_os("TABIYA_CASES") else {
        eprintln!("SKIPPED: TABIYA_CASES is not set");
        return;
    };
    let path = std::path::Path::new(&folder).join("procedure.jsonl");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases = cases();
    let mut missing = Vec::new();
    let mut rows = 0;
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let id = row["id"].as_str().unwrap();
        rows += 1;
        let Some(case) = cases.iter().find(|case| case.id == id) else {
            missing.push(id.to_owned());
            continue;
        };
        assert!(case.ruleset.starts_with(row["ruleset"].as_str().unwrap()), "{id}");
        if let Some(fen) = row["fen"].as_str() {
            assert_eq!(case.fen, fen, "{id}");
        }
        // Lay texts have no numbers; elsewhere a cited article is one of the row's, or a part or parent of one.
        let numbered = case.ruleset.starts_with("fide") || case.ruleset.starts_with("cn");
        let article = row["article"].as_str().unwrap();
        let cites = |cited: &&&str| {
            article.contains(**cited) || article.split(", ").any(|part| cited.starts_with(part))
        };
        assert!(
            !numbered || case.articles.is_empty() || case.articles.iter().any(|a| cites(&a)),
            "{id}: {article}"
        );
    }
    let played = rows - missing.len();
    eprintln!("{played} of {rows} rows hold");
    assert!(missing.is_empty(), "not played: {missing:?}");
}

/// Clocks follow the events' times, penalties move them, and a flag that has not fallen is not claimed.
#[test]
fn clocks_follow_the_events() {
    let seconds = Duration::from_secs;
    let control = TimeControl::new(vec![Period {
        moves: 0,
        time: seconds(300),
        increment: seconds(2),
        delay: Duration::ZERO,
        delay_mode: DelayMode::Simple,
    }])
    .unwrap();
    let when = |time: u64, event: Event| Event {
        at: Some(seconds(time)),
        ..event
    };
    let ruleset = Library::built_in().unwrap().find("fide-2023").unwrap();
    let start = Game::new(Board::startpos());
    let mut events = vec![
        when(10, mv(W, "e2e4")),
        when(11, press(W)),
        // Never pressed, so it took until it was made.
        when(21, mv(B, "e7e5")),
        when(30, mv(W, "f1a7")),
        when(31, press(W)),
        when(40, flag(W)),
    ];
    let report = replay(ruleset, &start, Variant::Standard, Some(&control), &events);
    assert_eq!(report.rulings[5].reason, Reason::FlagUp);
    let clocks = report.clocks.unwrap();
    // Black: 300 - 10 + 120 for the illegal move; his own move is not complete yet.
    assert_eq!(clocks.sides[1].moves, 0);
    assert_eq!(clocks.sides[0].remaining, seconds(291));
    events.push(when(41, mv(W, "f1c4")));
    events.push(when(42, press(W)));
    let clocks = replay(ruleset, &start, Variant::Standard, Some(&control), &events)
        .clocks
        .unwrap();
    assert_eq!(
        (clocks.sides[0].remaining, clocks.sides[0].moves),
        (seconds(291 - 21 + 2), 2)
    );
    assert_eq!(
        (clocks.sides[1].remaining, clocks.running),
        (seconds(300 - 10 + 2 + 120), B)
    );
    // Without its time, a move leaves the clocks unknown.
    events.push(mv(B, "b8c6"));
    let report = replay(ruleset, &start, Variant::Standard, Some(&control), &events);
    assert_eq!((report.clocks, report.missing_facts[0].fact), (None, "at"));
}
