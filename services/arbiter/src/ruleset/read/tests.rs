use super::*;

const SMALL: &str = include_str!("../../../rulesets/online-platform.toml");

fn refused(text: &str) -> String {
    read("house.toml", text, &[]).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_refused_with_file_and_line() {
    let line_of = |part: &str| 1 + SMALL[..SMALL.find(part).unwrap()].matches('\n').count();
    let switch = line_of("offer_limit = 3");
    let cases = [
        (
            "offer_limit = 3",
            "offer_limits = 3",
            switch,
            "switch `offer_limits`",
        ),
        ("offer_limit = 3", "offer_limit = 501", switch, "not in 0..=500"),
        (
            "offer_limit = 3",
            "offer_limit = true",
            switch,
            "not a whole number",
        ),
        (
            "touch_move = false",
            "touch_move = 2.5",
            line_of("touch_move"),
            "is not a number",
        ),
        (
            "[articles.time]",
            "[articles.tome]",
            line_of("flag_loss ="),
            "article `time`, which is missing",
        ),
        (
            "checks_in_total = [",
            "checks_total = [",
            line_of("checks_in_total = ["),
            "unknown key `checks_total`",
        ),
        (
            "resignation_early = [\"resignation\", \"rounds\"]\n",
            "",
            line_of("[rules]"),
            "`resignation_early`",
        ),
        ("version = \"1\"", "version = 1", 2, "`version` is not a string"),
        ("version = \"1\"", "version = \"\"", 2, "`version` has 0 bytes"),
        ("id = \"online-platform\"", "", 1, "`id` is missing"),
        (
            "id = \"online-platform\"",
            "id = \"on\\u001bline\"",
            1,
            "`id` has a control character",
        ),
        (
            "version = \"1\"",
            "version = \"1\\n\"",
            2,
            "`version` has a control character",
        ),
        (
            "[articles.mate]",
            "[articles.\"ma\\tte\"]",
            line_of("[articles.mate]"),
            "`ma\\tte` has a control character",
        ),
        (
            "en = \"The mated side loses.\"",
            "en = \"The mated\\u0007 side loses.\"",
            line_of("en = \"The mated side loses.\""),
            "`en` has a control character",
        ),
        (
            "version = \"1\"",
            "base = \"fide-1997\"",
            2,
            "base `fide-1997` is not known",
        ),
        ("[switches]", "[switches", line_of("[switches]"), ""),
        ("version = \"1\"", "edition = \"1\"", 2, "unknown key `edition`"),
        (
            "pressed_promotion = \"ask\"",
            "pressed_promotion = \"beg\"",
            line_of("pressed_promotion ="),
            "not one of queen, finish, announce, ask",
        ),
        (
            "[articles.mate]\nen = ",
            "[articles.mate]\nde = ",
            line_of("[articles.mate]") + 1,
            "unknown key `de`",
        ),
        (
            "[articles.mate]\nen = \"The mated side loses.\"\n",
            "[articles.mate]\n",
            line_of("[articles.mate]"),
            "`en` is missing",
        ),
        (
            "[articles.mate]\nen = \"The mated side loses.\"\n",
            "[articles.mate]\nen = \" \"\n",
            line_of("[articles.mate]"),
            "`en` is missing",
        ),
        (
            "mate = [\"mate\"]",
            "mate = []",
            line_of("checkmate ="),
            "not a list of articles",
        ),
        (
            "[rules]\n",
            "[choices.popular_sauce.\"000\"]\noffer_limit = 2\n\n[rules]\n",
            line_of("[rules]"),
            "switch `popular_sauce`",
        ),
        (
            "[rules]\n",
            "[choices.popular_source.\"007\"]\noffer_limit = 2\n\n[rules]\n",
            line_of("[rules]"),
            "not one of none, 000, 001",
        ),
        (
            "[rules]\n",
            "[choices.popular_source.\"000\"]\noffer_limit = 502\n\n[rules]\n",
            line_of("[rules]") + 1,
            "not in 0..=500",
        ),
        (
            "offer_limit = 3",
            "popular_source = \"001\"",
            switch,
            "switch `popular_source`, value `001`: nothing in this ruleset depends on it",
        ),
        (
            "offer_limit = 3",
            "automatic_repetition = 1",
            switch,
            "switch `automatic_repetition`, value `1`: neither 0 nor in 2..=10",
        ),
        (
            "offer_limit = 3",
            "sanctions = \"warning, warning\"",
            switch,
            "switch `sanctions`, value `warning, warning`: names warning twice",
        ),
        (
            "offer_limit = 3",
            "claim_penalty = \"opponent-time\"",
            switch,
            "a claim_penalty needs claim_penalty_seconds in 1..=3600",
        ),
        (
            "offer_limit = 3",
            "listed_endings = \"KRB-KR:75 KR-KRB:60\"",
            switch,
            "each once",
        ),
    ];
    assert!(read("house.toml", SMALL, &[]).is_ok());
    for (from, to, line, reason) in cases {
        let told = refused(&SMALL.replacen(from, to, 1));
        assert!(told.starts_with(&format!("house.toml:{line}: ")), "{told}");
        assert!(told.contains(reason), "{told}");
    }
}

/// A claim of quiet moves is refused, lost, upheld and withdrawn by articles as one of repetitions is.
#[test]
fn a_claim_of_either_kind_needs_its_articles() {
    let wider = [
        "claim_needs_turn",
        "claim_touched",
        "claim_withdrawn",
        "claim_upheld",
        "claim_wrong",
    ];
    for (switch, rule) in [
        ("claim_quiet_moves = 50", "claim_quiet_moves"),
        ("claim_repetition = 3", "claim_repetition"),
    ] {
        let house = |rules: &[&str]| {
            let switches = SMALL.replacen("[switches]", &format!("[switches]\n{switch}"), 1);
            let named: Vec<_> = rules
                .iter()
                .map(|rule| format!("{rule} = [\"rounds\"]\n"))
                .collect();
            switches.replacen("[rules]\n", &format!("[rules]\n{}", named.concat()), 1)
        };
        let all: Vec<_> = [rule].into_iter().chain(wider).collect();
        assert!(read("house.toml", &house(&all), &[]).is_ok(), "{switch}");
        for lacking in &all {
            let some: Vec<_> = all.iter().copied().filter(|named| named != lacking).collect();
            let error = refused(&house(&some));
            assert!(error.contains(&format!("`{lacking}`")), "{switch} {error}");
        }
    }
}
