//! FIDE's tournament report file: what is read must come back byte for byte, be ranked by every tie-break, and survive being
//! written anew.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_arbiter::standings::trf::{Report, write};
use tabiya_arbiter::standings::{CATALOGUE, Edition, Rules, Spec, table};

fuzz_target!(|text: &str| {
    let mut report = match Report::read(text) {
        Ok(report) => report,
        Err(errors) => {
            assert!(!errors.is_empty());
            let _ = errors.to_string();
            return;
        }
    };
    assert_eq!(report.text(), text);
    let contest = report.contest().clone();
    assert_eq!(contest.faults(), []);
    let field = contest.field();
    for edition in Edition::ALL {
        let all = CATALOGUE.iter().map(|info| Spec::of(info.code));
        let list = all
            .filter(|spec| spec.check(edition, field.system, field.teams).is_ok())
            .collect();
        let mut rules = Rules::of(list, edition);
        rules.unrated = Some(1400);
        let ranked = table(&field, &rules);
        assert_eq!(ranked.standings.len(), field.entries.len());
        if let Ok(written) = write(report.header(), &contest, &ranked) {
            let again = Report::read(&written).unwrap_or_else(|errors| panic!("{errors}\n{written}"));
            let rewritten = write(again.header(), again.contest(), &ranked);
            assert_eq!(rewritten.as_deref(), Ok(&*written));
        }
    }
    let _ = report.discrepancies();
    for player in 0..contest.people.len() {
        report.set_result(player, "1.0", 1);
    }
    assert!(Report::read(&report.text()).is_ok());
});
