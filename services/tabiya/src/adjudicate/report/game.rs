//! The report on a game under one ruleset.

use tabiya_client::v1::{AdjudicateResponse, Clock, Color, GameStatus};

use super::{Titles, articles, cited::Cited, header, paper::Paper, steps, with_note};
use crate::adjudicate::{Lang, item::Item, words};

/// Writes the whole report.
pub(super) fn write(
    paper: &mut Paper,
    titles: &Titles,
    item: &Item,
    response: &AdjudicateResponse,
    lang: Lang,
) {
    header::game(paper, item, lang);
    header::ruleset(paper, titles, response, lang);
    header::conditions(paper, item, response, lang);
    steps::write(paper, header::events(item, response), &response.rulings, lang);
    paper.gap();
    verdict(paper, response, lang);
    state(paper, response, lang);
    contradictions(paper, response, lang);
    cited(response).write(paper, lang);
    paper.gap();
}

/// Every article of an answer.
fn cited(response: &AdjudicateResponse) -> Cited<'_> {
    let mut cited = Cited::default();
    cited.add(&response.citations);
    for ruling in &response.rulings {
        for ruling in std::iter::once(ruling).chain(&ruling.replayed) {
            cited.add(&ruling.citations);
            cited.add(ruling.effects.iter().flat_map(|effect| &effect.citations));
        }
    }
    cited.add(
        response
            .missing_facts
            .iter()
            .flat_map(|missing| &missing.citations),
    );
    cited.add(
        response
            .claimable
            .iter()
            .filter_map(|claim| claim.citation.as_ref()),
    );
    cited.add(response.contradictions.iter().flat_map(|one| &one.citations));
    cited
}

/// The verdict in figures and words: `1/2-1/2, draw: time`.
pub(super) fn verdict_text(response: &AdjudicateResponse, lang: Lang) -> String {
    let marks = words::result_marks(response.result());
    let outcome = words::outcome(response.status(), response.result(), lang);
    let ending = words::termination(response.termination(), lang);
    let comma = if marks.is_empty() {
        ""
    } else {
        lang.pick(", ", "，")
    };
    let colon = if ending.is_empty() {
        ""
    } else {
        lang.pick(": ", "：")
    };
    format!("{marks}{comma}{outcome}{colon}{ending}")
}

fn verdict(paper: &mut Paper, response: &AdjudicateResponse, lang: Lang) {
    paper.pair(lang.pick("Verdict", "裁决"), &verdict_text(response, lang));
    if response.status() != GameStatus::Ongoing {
        paper.pair(lang.pick("Reason", "理由"), &response.reason);
    }
    let by = match (response.decisive_event, response.decisive_ply) {
        (Some(event), _) => {
            let event = u64::from(event) + 1;
            lang.pick(format!("event {event}"), format!("事件 {event}"))
        }
        (None, Some(ply)) => lang.pick(format!("after ply {ply}"), format!("第 {ply} 着之后")),
        (None, None) => String::new(),
    };
    paper.pair(lang.pick("Decided by", "由此决定"), &by);
    let also: Vec<_> = response
        .also_applied()
        .map(|termination| words::termination(termination, lang))
        .collect();
    paper.pair(
        lang.pick("Also applied", "同时成立"),
        &also.join(lang.pick("; ", "；")),
    );
}

/// What holds in the end: clocks, claims, bonds, what is missing.
fn state(paper: &mut Paper, response: &AdjudicateResponse, lang: Lang) {
    if let Some(clocks) = &response.clocks {
        let label = lang.pick("Clocks", "棋钟");
        for (color, clock) in [(Color::White, &clocks.white), (Color::Black, &clocks.black)] {
            if let Some(clock) = clock {
                let text = clock_line(color, clock, clocks.running() == color, lang);
                paper.pair(if color == Color::White { label } else { "" }, &text);
            }
        }
    }
    for (index, claim) in response.claimable.iter().enumerate() {
        let ground = words::claim_ground(claim.ground(), lang);
        let with = match claim.with_move.as_str() {
            "" => String::new(),
            uci => lang.pick(format!(", with the move {uci}"), format!("，并写下着法 {uci}")),
        };
        let note = articles(claim.citation.as_slice(), lang);
        let label = if index == 0 {
            lang.pick("Claims", "可提要求")
        } else {
            ""
        };
        paper.pair(label, &with_note(&format!("{ground}{with}"), &note, lang));
    }
    paper.pair(
        lang.pick("Bound to", "限走着法"),
        &response.obligations.join(lang.pick(", ", "、")),
    );
    for (index, missing) in response.missing_facts.iter().enumerate() {
        let said = if missing.text.is_empty() {
            &missing.fact
        } else {
            &missing.text
        };
        let at = missing.event.map_or_else(String::new, |event| {
            let event = u64::from(event) + 1;
            lang.pick(format!("event {event}: "), format!("事件 {event}："))
        });
        let label = if index == 0 {
            lang.pick("Not reported", "缺少事实")
        } else {
            ""
        };
        let note = match articles(&missing.citations, lang) {
            articles if articles.is_empty() => missing.fact.clone(),
            articles => format!("{}{}{articles}", missing.fact, lang.pick("; ", "；")),
        };
        paper.pair(label, &with_note(&format!("{at}{said}"), &note, lang));
    }
}

fn clock_line(color: Color, clock: &Clock, runs: bool, lang: Lang) -> String {
    let time = words::clock_text(clock.remaining.unwrap_or_default());
    let name = words::actor(color, lang);
    let mut text = lang.pick(
        format!("{name} {time}, period {}, {} moves", clock.period, clock.moves),
        format!("{name} {time}，第 {} 时限，已走 {} 着", clock.period, clock.moves),
    );
    if clock.run_out {
        text += lang.pick(", run out", "，已走完");
    }
    if runs {
        text += lang.pick(", runs", "，正在走");
    }
    text
}

fn contradictions(paper: &mut Paper, response: &AdjudicateResponse, lang: Lang) {
    if response.contradictions.is_empty() {
        return;
    }
    paper.heading(lang.pick("The record contradicts the rules", "记录与规则不符"));
    for (index, one) in response.contradictions.iter().enumerate() {
        paper.hang(&format!("{:>4}.", index + 1), 6, &one.reason);
    }
}
