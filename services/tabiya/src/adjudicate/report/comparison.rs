//! The report on a game under several rulesets.

use tabiya_client::v1::{
    AdjudicateResponse, CompareRulingsResponse, DifferenceField, DifferenceSide, GameResult, GameStatus,
    Termination,
};

use super::{Titles, articles, cited::Cited, game::verdict_text, header, paper::Paper, steps, with_note};
use crate::adjudicate::{Lang, item::Item, words};

/// Writes the whole report.
pub(super) fn write(
    paper: &mut Paper,
    titles: &Titles,
    item: &Item,
    comparison: &CompareRulingsResponse,
    lang: Lang,
) {
    let answers = &comparison.answers;
    header::game(paper, item, lang);
    for response in answers {
        header::ruleset(paper, titles, response, lang);
    }
    if let Some(first) = answers.first() {
        header::conditions(paper, item, first, lang);
        steps::write(paper, header::events(item, first), &[], lang);
    }
    paper.heading(lang.pick("Verdicts", "裁决"));
    paper.table(&table(answers, lang));
    for response in answers {
        paper.gap();
        let colon = lang.pick(": ", "：");
        let verdict = verdict_text(response, lang);
        paper.hang("", 0, &format!("{}{colon}{verdict}", response.ruleset));
        let reason = with_note(&response.reason, &articles(&response.citations, lang), lang);
        paper.hang("", 4, &reason);
    }
    differences(paper, comparison, lang);
    let mut cited = Cited::default();
    cited.add(answers.iter().flat_map(|response| &response.citations));
    let sides = comparison
        .differences
        .iter()
        .flat_map(|difference| &difference.sides);
    cited.add(sides.flat_map(|side| &side.citations));
    cited.write(paper, lang);
    paper.gap();
}

fn table(answers: &[AdjudicateResponse], lang: Lang) -> Vec<Vec<String>> {
    let names = lang.pick(
        ["Ruleset", "Result", "Outcome", "Ending", "Event", "Articles"],
        ["规则", "结果", "胜负", "终局", "事件", "条款"],
    );
    let row = |response: &AdjudicateResponse| {
        let event = response
            .decisive_event
            .map(|event| (u64::from(event) + 1).to_string());
        let numbers: Vec<_> = response
            .citations
            .iter()
            .map(|citation| citation.article.as_str())
            .collect();
        vec![
            response.ruleset.clone(),
            words::result_marks(response.result()).to_owned(),
            words::outcome(response.status(), response.result(), lang).to_owned(),
            words::termination(response.termination(), lang).to_owned(),
            event.unwrap_or_default(),
            numbers.join(lang.pick(", ", "、")),
        ]
    };
    let names = names.map(str::to_owned).to_vec();
    std::iter::once(names).chain(answers.iter().map(row)).collect()
}

fn differences(paper: &mut Paper, comparison: &CompareRulingsResponse, lang: Lang) {
    if comparison.differences.is_empty() {
        paper.heading(lang.pick("The rulesets do not differ here", "各规则在此并无差别"));
        return;
    }
    paper.heading(lang.pick("Differences", "差别"));
    for (index, difference) in comparison.differences.iter().enumerate() {
        let event = difference.event.map_or_else(String::new, |event| {
            let event = u64::from(event) + 1;
            lang.pick(format!("event {event}: "), format!("事件 {event}："))
        });
        let text = format!("{event}{}", difference.reason);
        paper.hang(&format!("{:>4}.", index + 1), 6, &text);
        for side in &difference.sides {
            let who: Vec<_> = side
                .rulesets
                .iter()
                .filter_map(|&place| comparison.answers.get(place as usize))
                .map(|response| response.ruleset.as_str())
                .collect();
            let value = value(difference.field(), side, lang);
            let text = with_note(&value, &articles(&side.citations, lang), lang);
            let who = who.join(lang.pick(", ", "、"));
            paper.hang("      -", 8, &format!("{who}{}{text}", lang.pick(": ", "：")));
        }
    }
}

/// One of the different answers in words, where its name is one that has words.
fn value(field: DifferenceField, side: &DifferenceSide, lang: Lang) -> String {
    let name = side.value.as_str();
    if name.is_empty() {
        return lang.pick("none", "无").to_owned();
    }
    let known = match field {
        DifferenceField::Status => GameStatus::from_str_name(&format!("GAME_STATUS_{name}"))
            .map(|status| words::status(status, lang)),
        DifferenceField::Result => {
            GameResult::from_str_name(&format!("GAME_RESULT_{name}")).map(words::result_marks)
        }
        DifferenceField::Termination => Termination::from_str_name(&format!("TERMINATION_{name}"))
            .map(|termination| words::termination(termination, lang)),
        _ => None,
    };
    match (field, name.parse::<u64>()) {
        // Events are counted from 1 in reports.
        (DifferenceField::DecisiveEvent, Ok(event)) => (event + 1).to_string(),
        _ => known.unwrap_or(name).to_owned(),
    }
}
