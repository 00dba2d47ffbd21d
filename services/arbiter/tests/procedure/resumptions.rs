//! Sealing that is not finished, and players who are late or absent when a game is resumed.

use tabiya_arbiter::replay::{Effect, Event, GameResult, Reason};
use tabiya_rules::{Board, Color, Variant, uci};

use crate::{
    case::{
        Case, Want,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

fn sealed_move(text: &str) -> Effect {
    Effect::SealedMove(uci::parse(&Board::startpos(), text, Variant::Standard).unwrap())
}

/// I.1.1, 13.1(1): a move played after the order to seal is the sealed move.
fn played_while_sealing() -> Vec<Case> {
    let played = |more: Vec<Event>| {
        let mut events = vec![seal("d2d4", false), mv(W, "e2e4")];
        events.extend(more);
        events
    };
    let matches = |accepted| Rules(accepted, Reason::SealMustMatch);
    let mut cases = Vec::new();
    for (ruleset, article) in [(F, &["I.1.1"] as &[_]), (CN, &["13.1(1)"])] {
        let one =
            |more, want: Want| case("", ruleset, played(more), want, article).effect(sealed_move("e2e4"));
        let resumed = vec![seal("e2e4", true), resume(true, 0), mv(B, "e7e5")];
        let mut replied = one(resumed, Rules(true, Reason::MoveMade)).told(2, article);
        replied.articles = &[];
        cases.extend([
            replied,
            one(vec![], matches(true)),
            one(vec![mv(W, "d2d4")], matches(false)),
            one(vec![seal("d2d4", true)], matches(false)),
            one(vec![press(W)], matches(false)),
            one(vec![seal("e4", true)], Rules(true, Reason::SealChanged)),
        ]);
    }
    cases
}

/// I.9.3, 14.4: the reply to an absent sealer is played or sealed; once sealed it stays.
fn replies() -> Vec<Case> {
    let absent = || resumption(true, false, 0, 0);
    let reply = |stopped| seal_by(B, "e7e5", stopped, None);
    let mut cases = Vec::new();
    for (ruleset, article) in [(F, &["I.9.3"] as &[_]), (CN, &["14.4"])] {
        let one = |more: Vec<Event>, want, articles| {
            let mut events = vec![seal("e2e4", true), absent()];
            events.extend(more);
            case("", ruleset, events, want, articles).set("late_limit_minutes", "30")
        };
        cases.extend([
            one(
                vec![reply(false), mv(B, "c7c5")],
                Rules(true, Reason::MoveMade),
                &[],
            ),
            one(
                vec![reply(false), mv(B, "c7c5"), late(W, 10)],
                Rules(true, Reason::InTime),
                &[],
            ),
            one(
                vec![reply(true), mv(B, "c7c5")],
                Rules(false, Reason::SealLate),
                article,
            ),
            one(
                vec![reply(true), late(W, 10), mv(W, "g1f3")],
                Rules(true, Reason::MoveMade),
                &[],
            )
            .told(3, article),
            one(
                vec![reply(true), late(W, 31)],
                Ends(BLACK_WINS, Reason::TooLate),
                &[],
            ),
        ]);
    }
    cases
}

/// I.10: who comes too late loses, both if both do, unless the sealed move ended the game; by 10.17 both lose.
fn too_late() -> Vec<Case> {
    let both = GameResult::BothLose;
    let limited = |ruleset, events, want, articles| {
        case("", ruleset, events, want, articles).set("late_limit_minutes", "30")
    };
    let fide = |events, want| limited(F, events, want, &["I.10"]);
    let sealed = || seal("e2e4", true);
    let nobody = || resumption(false, false, 0, 0);
    let lose = || Ends(both, Reason::BothTooLate);
    let mates = |ruleset, want, articles| {
        let events = vec![seal("a1a8", true), resumption(true, true, 31, 31)];
        limited(ruleset, events, want, articles).fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    };
    vec![
        fide(vec![sealed(), resumption(true, true, 31, 31)], lose()),
        limited(
            CN,
            vec![sealed(), resumption(true, true, 31, 31)],
            lose(),
            &["10.17"],
        ),
        mates(F, Ends(WHITE_WINS, Reason::Mate), &["5.1.1", "I.10"]),
        mates(CN, lose(), &["10.17"]),
        // They come one after the other.
        fide(vec![sealed(), nobody(), late(W, 31)], lose()),
        fide(vec![sealed(), nobody(), late(B, 31)], lose()),
        limited(CN, vec![sealed(), nobody(), late(B, 31)], lose(), &["10.17"]),
        fide(
            vec![sealed(), nobody(), late(W, 10), late(B, 31)],
            Ends(WHITE_WINS, Reason::TooLate),
        ),
        fide(
            vec![sealed(), nobody(), late(B, 10), late(W, 31)],
            Ends(BLACK_WINS, Reason::SealerTooLate),
        ),
        fide(
            vec![sealed(), resumption(false, true, 31, 0), late(B, 10)],
            Ends(BLACK_WINS, Reason::SealerTooLate),
        ),
        // The arbiter lets him play.
        limited(
            F,
            vec![sealed(), nobody(), late(B, 10), arrival(W, 31, false, true)],
            Rules(true, Reason::InTime),
            &["I.10"],
        ),
        // I.9.3: the replier comes first and finds the sealer absent.
        limited(
            F,
            vec![sealed(), nobody(), late(B, 10)],
            Rules(true, Reason::SealerAbsent),
            &["I.9.3"],
        ),
        // I.11: the replier's clock runs until he comes.
        limited(
            F,
            vec![sealed(), nobody()],
            Rules(false, Reason::EnvelopeShut),
            &["I.7", "I.11"],
        )
        .effect(Effect::ClockRuns { side: Color::Black }),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [played_while_sealing(), replies(), too_late()]
        .into_iter()
        .flatten()
        .collect()
}
