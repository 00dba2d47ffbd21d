//! The report on a game under several rulesets.

use tabiya_client::v1::{
    AdjudicateResponse, Citation, CompareRulingsResponse, DifferenceField, DifferenceSide, GameStatus,
    Ruling, RulingDifference,
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
        if response.status() != GameStatus::Ongoing {
            paper.hang("", 4, &response.reason);
        }
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
        let text = format!("{event}{}", words::difference(difference.field(), lang));
        paper.hang(&format!("{:>4}.", index + 1), 6, &text);
        for side in &difference.sides {
            let mut answers = side
                .rulesets
                .iter()
                .filter_map(|&place| comparison.answers.get(place as usize))
                .peekable();
            let value = value(difference, side, answers.peek().copied(), lang);
            let who: Vec<_> = answers.map(|response| response.ruleset.as_str()).collect();
            let text = with_note(&value, &articles_by_ruleset(&side.citations, lang), lang);
            let who = who.join(lang.pick(", ", "、"));
            paper.hang("      -", 8, &format!("{who}{}{text}", lang.pick(": ", "：")));
        }
    }
}

/// Numbers of articles, with their rulesets where there are several.
fn articles_by_ruleset(citations: &[Citation], lang: Lang) -> String {
    let parts: Vec<_> = citations
        .chunk_by(|one, next| one.ruleset == next.ruleset)
        .map(|part| {
            (
                part.first().map_or("", |one| one.ruleset.as_str()),
                articles(part, lang),
            )
        })
        .collect();
    match &parts[..] {
        [(_, numbers)] => numbers.clone(),
        parts => {
            let named: Vec<_> = parts
                .iter()
                .map(|(ruleset, numbers)| format!("{ruleset} {numbers}"))
                .collect();
            named.join(lang.pick("; ", "；"))
        }
    }
}

/// One of the different answers in words: those of the reports, where they have words of their own for it.
fn value(
    difference: &RulingDifference,
    side: &DifferenceSide,
    answer: Option<&AdjudicateResponse>,
    lang: Lang,
) -> String {
    let said = answer.and_then(|answer| match difference.field() {
        DifferenceField::Status => Some(words::status(answer.status(), lang).to_owned()),
        DifferenceField::Result => Some(words::result_marks(answer.result()).to_owned()),
        DifferenceField::Termination => Some(words::termination(answer.termination(), lang).to_owned()),
        // Events are counted from 1 in reports.
        DifferenceField::DecisiveEvent => {
            let event = answer.decisive_event.map(|event| u64::from(event) + 1);
            Some(event.map(|event| event.to_string()).unwrap_or_default())
        }
        DifferenceField::Ruling => steps::short_answer(ruling(answer, difference)?, &answer.ruleset, lang),
        DifferenceField::MissingFacts => {
            let facts = answer.missing_facts.iter().map(|missing| missing.text.as_str());
            Some(facts.collect::<Vec<_>>().join(lang.pick("; ", "；")))
        }
        _ => None,
    });
    let said = said.unwrap_or_else(|| side.text.clone());
    if said.is_empty() {
        lang.pick("none", "无").to_owned()
    } else {
        said
    }
}

fn ruling<'a>(answer: &'a AdjudicateResponse, difference: &RulingDifference) -> Option<&'a Ruling> {
    answer
        .rulings
        .iter()
        .find(|ruling| Some(ruling.event) == difference.event)
}
