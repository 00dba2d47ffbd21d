//! What the arbiter decides where the laws leave it to him.

use std::time::Duration;

use tabiya_rules::Color;

use super::{Answer, Choice, ClockReading, Decision, Effect, GameResult, Reason, Replay};
use crate::ruleset::{Rule, SANCTIONS};

/// The most half points that one game can give a player.
const MOST_HALF_POINTS: u32 = 2;

/// What both players get for the guideline's increment, and its opponent besides.
const GUIDELINE_INCREMENT: Duration = Duration::from_secs(5);
const GUIDELINE_TIME: Duration = Duration::from_secs(120);

/// An option that a ruling left to the arbiter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Listed {
    event: usize,
    choice: Choice,
    /// Who the ruling was about.
    side: Option<Color>,
    /// What the ruling rests on.
    rule: Option<Rule>,
}

/// A choice with what was said of it.
struct Chosen {
    choice: Choice,
    side: Option<Color>,
    time: Option<Duration>,
    half_points: u32,
    result: Option<GameResult>,
    clocks: ClockReading,
    /// What the ruling that listed it rests on.
    rule: Option<Rule>,
}

impl Chosen {
    /// What the choice rests on: of a claim in the last minutes, the guideline by which it was made.
    fn rules(&self) -> Vec<Rule> {
        match (self.rule, self.choice) {
            // The flag of a player whose claim was put off: it is no penalty.
            (Some(rule @ Rule::QuickplayNormalMeans), Choice::Loss) => vec![rule, Rule::FlagLoss],
            (Some(rule @ Rule::QuickplayUnsupervised), _) => vec![rule],
            _ => vec![self.choice.rule()],
        }
    }
}

impl Replay<'_> {
    /// Remembers the options that a ruling lists.
    pub(super) fn list_options(&mut self, event: usize, side: Option<Color>, answer: &Answer) {
        let rule = answer.rules.first().copied();
        let options = answer.effects.iter().filter_map(|effect| match *effect {
            Effect::Option(choice) => Some(Listed {
                event,
                choice,
                side,
                rule,
            }),
            _ => None,
        });
        self.listed.extend(options);
    }

    pub(super) fn on_decision(&mut self, actor: Option<Color>, decision: &Decision) -> Answer {
        if actor.is_some() {
            return Answer::no(Reason::NotArbiter, &[]);
        }
        let asked = self.missing.len();
        let answer = match *decision {
            // Which further article he rests it on is his to say.
            Decision::Result(result) => self.decide(result, Reason::Decided, &[Rule::ArbiterDecides]),
            Decision::Annul => self.annul(Reason::Decided, &[Rule::ArbiterDecides]),
            Decision::Choice {
                choice,
                event,
                side,
                time,
                half_points,
                result,
                clocks,
            } => {
                let fits = |listed: &&Listed| {
                    listed.choice == choice && event.is_none_or(|event| event == listed.event)
                };
                let listed = self.listed.iter().rev().find(fits).copied();
                if listed.is_none() && (event.is_some() || !self.is_general_power(choice)) {
                    return Answer::no(Reason::NotAnOption, &[]);
                }
                let side = side.or(listed.and_then(|listed| listed.side));
                let chosen = Chosen {
                    choice,
                    side,
                    // No time at all is none that anybody gives or takes.
                    time: time.filter(|time| !time.is_zero()),
                    half_points,
                    result,
                    clocks,
                    rule: listed.and_then(|listed| listed.rule),
                };
                let answer = self.choose(&chosen);
                if let Some(listed) = listed.filter(|_| answer.accepted) {
                    self.dispose_of(listed);
                }
                answer
            }
        };
        if answer.accepted
            && self
                .conclusion
                .as_ref()
                .is_some_and(|end| end.event == self.event)
        {
            // He has decided the game, whatever was asked to decide it.
            self.missing.drain(..asked);
        }
        answer
    }

    /// Once one of two answers to a question is chosen, neither can be chosen any more. To postpone one answers nothing, and
    /// sanctions and times are no answers: one may follow another.
    fn dispose_of(&mut self, chosen: Listed) {
        if chosen.choice == Choice::Postpone || !is_answer(chosen.choice) {
            return;
        }
        // What both players are asked about is one question, whoever has put it.
        let same = |listed: &Listed| {
            let side = chosen.rule == Some(Rule::ColoursReversed) || listed.side == chosen.side;
            listed.rule == chosen.rule && side
        };
        self.listed
            .retain(|listed| !(is_answer(listed.choice) && same(listed)));
    }

    /// What each side scores, if the game has a result.
    pub(super) fn scores(&self) -> Option<[u32; 2]> {
        let result = self.conclusion.as_ref()?.result?;
        Some(scores(Some(result.half_points()), self.points).map(|half_points| half_points.max(0) as u32))
    }

    /// Whether a sanction can still be imposed once the game is over: time cannot, and the result changes only where the
    /// arbiter may decide otherwise than it says.
    pub(super) fn outlasts_the_game(&self, choice: Choice) -> bool {
        match choice {
            Choice::Loss => {
                let counts = self.conclusion.as_ref().is_some_and(|end| end.result.is_some());
                counts && self.ruleset.switches.signed_result_may_change
            }
            Choice::AddOpponentTime | Choice::TakeOwnTime => false,
            _ => SANCTIONS.contains(&choice.name()),
        }
    }

    /// Whether the ruleset gives the arbiter an option without a ruling that lists it.
    fn is_general_power(&self, choice: Choice) -> bool {
        match choice {
            Choice::SetClocks | Choice::AddTime => self.ruleset.has(choice.rule()),
            // A result stands unless a ruling gives the arbiter reason to punish with a loss.
            Choice::Loss if self.conclusion.is_some() => false,
            _ => self.ruleset.switches.sanctions.contains(&choice.name()),
        }
    }

    /// Gives a side half points, or takes them: nobody has less than nothing, and both together never more than a game
    /// can give. Before the end the result is still to come.
    fn change_points(&mut self, side: Color, half_points: i32, rule: Rule) -> Answer {
        let result = match &self.conclusion {
            None => None,
            Some(end) => match end.result {
                Some(result) => Some(result.half_points()),
                // A game that does not count gives no points.
                None => return Answer::no(Reason::GameOver, &[]),
            },
        };
        let mut points = self.points;
        points[side.index()] += half_points;
        let mut wanted = scores(result, self.points);
        wanted[side.index()] += half_points;
        if scores(result, points) != wanted {
            return match half_points > 0 {
                true => Answer::no(Reason::TooManyPoints, &[rule, Rule::ScoreLimit]),
                false => Answer::no(Reason::TooFewPoints, &[rule]),
            };
        }
        self.points = points;
        Answer::yes(Reason::OptionChosen, &[rule]).with(Effect::Points { side, half_points })
    }

    fn choose(&mut self, chosen: &Chosen) -> Answer {
        let rules = chosen.rules();
        let done = Answer::yes(Reason::OptionChosen, &rules);
        let lost_side = match chosen.choice {
            Choice::SetClocks | Choice::CorrectClocks | Choice::AdjustForAssistant => {
                return self.choose_clocks(chosen);
            }
            Choice::AddTime => return self.choose_time(chosen),
            Choice::Restart => return self.annul(Reason::ColoursRestart, &rules).with(Effect::NewGame),
            Choice::GoOn | Choice::RefuseIncrement => return done,
            Choice::DeclareDraw => return self.decide(GameResult::Draw, Reason::Decided, &rules),
            Choice::ChangeResult => {
                let Some(result) = chosen.result else {
                    self.lacks("result");
                    return Answer::no(Reason::MissingFact, &rules);
                };
                return self.decide(result, Reason::Decided, &rules);
            }
            _ => chosen.side,
        };
        let Some(side) = lost_side else {
            self.lacks("side");
            return Answer::no(Reason::MissingFact, &rules);
        };
        match chosen.choice {
            Choice::Loss if self.lost_for_breach(!side) => {
                self.guilty[side.index()] = true;
                let mut rules = rules;
                rules.extend(self.ruleset.has(Rule::BothRefuse).then_some(Rule::BothRefuse));
                self.decide(GameResult::BothLose, Reason::Decided, &rules)
            }
            Choice::Loss if self.signed => {
                let rules = [rules[0], Rule::ResultSigned];
                self.decide(GameResult::Wins(!side), Reason::Decided, &rules)
            }
            Choice::Loss => {
                let claimed = [Rule::QuickplayNormalMeans, Rule::QuickplayUnsupervised].map(Some);
                self.guilty[side.index()] = !claimed.contains(&chosen.rule);
                self.decide(GameResult::Wins(!side), Reason::Decided, &rules)
            }
            Choice::AddOpponentPoints | Choice::TakeOwnPoints => {
                if chosen.half_points == 0 {
                    self.lacks("half_points");
                    return Answer::no(Reason::MissingFact, &rules);
                }
                if chosen.half_points > MOST_HALF_POINTS {
                    return Answer::no(Reason::TooManyPoints, &rules);
                }
                let points = chosen.half_points as i32;
                match chosen.choice {
                    Choice::TakeOwnPoints => self.change_points(side, -points, rules[0]),
                    _ => self.change_points(!side, points, rules[0]),
                }
            }
            Choice::AddOpponentTime | Choice::TakeOwnTime => {
                let Some(time) = chosen.time else {
                    self.lacks("time");
                    return Answer::no(Reason::MissingFact, &rules);
                };
                if chosen.choice == Choice::AddOpponentTime {
                    return done.with(Effect::TimeAdded { side: !side, time });
                }
                let left = self.remaining(side).unwrap_or_default();
                let after = left.saturating_sub(time);
                self.floored(&[(side, after)])
                    .unwrap_or(done.with(Effect::UsedTimeAdded { side, time }))
            }
            Choice::GrantIncrement => {
                self.increment_granted = true;
                if let Some(clock) = &mut self.clock {
                    clock.add_increment(GUIDELINE_INCREMENT);
                }
                done.with(Effect::TimeAdded {
                    side: !side,
                    time: GUIDELINE_TIME,
                })
            }
            Choice::Postpone | Choice::RejectClaim => {
                self.postponed = (chosen.choice == Choice::Postpone).then_some(side);
                // Two minutes are due after a rejection; after a postponement they may be given.
                match (chosen.choice, chosen.time) {
                    (Choice::Postpone, None) => done,
                    (_, given) => done.with(Effect::TimeAdded {
                        side: !side,
                        time: given.unwrap_or(GUIDELINE_TIME),
                    }),
                }
            }
            _ => done,
        }
    }

    /// Whether a side has lost already for what it did itself.
    fn lost_for_breach(&self, side: Color) -> bool {
        let result = self.conclusion.as_ref().and_then(|end| end.result);
        let lost = result == Some(GameResult::Wins(!side)) || result == Some(GameResult::BothLose);
        lost && self.guilty[side.index()]
    }

    /// Refuses a correction that leaves too little, where the ruleset has a floor.
    fn floored(&mut self, after: &[(Color, Duration)]) -> Option<Answer> {
        if !self.ruleset.has(Rule::TimeFloor) {
            return None;
        }
        for &(side, left) in after {
            match self.above_floor(side, left) {
                Some(true) => {}
                Some(false) => return Some(Answer::no(Reason::BelowFloor, &[Rule::TimeFloor])),
                None => {
                    self.lacks("remaining");
                    return Some(Answer::no(Reason::MissingFact, &[Rule::TimeFloor]));
                }
            }
        }
        None
    }

    fn choose_clocks(&mut self, chosen: &Chosen) -> Answer {
        let rules = [chosen.choice.rule()];
        let read = |side: Color| chosen.clocks.0[side.index()].map(|left| (side, left));
        let set: Vec<_> = Color::ALL.into_iter().filter_map(read).collect();
        if set.is_empty() {
            self.lacks("clocks");
            return Answer::no(Reason::MissingFact, &rules);
        }
        // The floor is known from what is set, but for the moves to go.
        if self.ruleset.has(Rule::TimeFloor) && self.clock.is_some() {
            // Only what is set lower than it was takes time away.
            let lower: Vec<_> = set
                .iter()
                .copied()
                .filter(|&(side, left)| self.remaining(side).is_some_and(|before| left < before))
                .collect();
            if let Some(refused) = self.floored(&lower) {
                return refused;
            }
        }
        let effects = set
            .into_iter()
            .map(|(side, time)| Effect::ClockSet { side, time });
        let mut answer = Answer::yes(Reason::OptionChosen, &rules);
        answer.effects.extend(effects);
        answer
    }

    fn choose_time(&mut self, chosen: &Chosen) -> Answer {
        let rules = [chosen.choice.rule()];
        let Some(time) = chosen.time else {
            self.lacks("time");
            return Answer::no(Reason::MissingFact, &rules);
        };
        let mut answer = Answer::yes(Reason::OptionChosen, &rules);
        for side in Color::ALL {
            if chosen.side.is_none_or(|one| one == side) {
                answer.effects.push(Effect::TimeAdded { side, time });
            }
        }
        answer
    }
}

/// Whether an option answers a question that is asked once.
fn is_answer(choice: Choice) -> bool {
    matches!(
        choice,
        Choice::Restart
            | Choice::GoOn
            | Choice::GrantIncrement
            | Choice::RefuseIncrement
            | Choice::DeclareDraw
            | Choice::Postpone
            | Choice::RejectClaim
    )
}

/// What both sides have in half points: first points are taken, then given as far as the game has any left. Without a
/// result, each side could still have them all.
fn scores(result: Option<[u32; 2]>, points: [i32; 2]) -> [i32; 2] {
    let most = MOST_HALF_POINTS as i32;
    let taken = |index: usize| points[index].min(0);
    let Some(result) = result else {
        let given = points[0].max(0).min(most);
        let rest = points[1].max(0).min(most - given);
        return [given + taken(0).max(-most), rest + taken(1).max(-most)];
    };
    let mut scores = [0, 1].map(|index| (result[index] as i32 + taken(index)).max(0));
    for index in [0, 1] {
        let left = most - scores[0] - scores[1];
        scores[index] += points[index].clamp(0, left.max(0));
    }
    scores
}
