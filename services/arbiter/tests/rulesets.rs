//! The rulesets that come with the crate.

use tabiya_arbiter::{
    ruleset::{DeadPosition, Library, SwitchError, Switches},
    standings::{Spec, System, Unit, default_primary, default_tie_breaks},
};

#[test]
fn every_ruleset_is_read_and_speaks_both_languages() {
    let library = Library::built_in().unwrap_or_else(|error| panic!("{error}"));
    let ids: Vec<_> = library
        .rulesets()
        .iter()
        .map(|ruleset| ruleset.id.as_str())
        .collect();
    assert_eq!(
        ids,
        [
            "fide-2023",
            "fide-2023-rapid-a4",
            "fide-2023-rapid-a5",
            "fide-2023-blitz-b2",
            "fide-2023-blitz-b3",
            "cn-classic",
            "cn-domestic",
            "popular",
            "online-platform",
            "club"
        ]
    );
    for ruleset in library.rulesets() {
        assert!(
            ruleset.uncited().is_empty(),
            "{}: {:?}",
            ruleset.id,
            ruleset.uncited()
        );
        for (number, article) in &ruleset.articles {
            assert!(
                article.en.is_ascii() && article.en.ends_with('.'),
                "{} {number}",
                ruleset.id
            );
            assert!(
                !article.zh.is_ascii() && article.zh.ends_with('。'),
                "{} {number}",
                ruleset.id
            );
        }
    }
}

#[test]
fn variants_differ_from_their_base_where_they_say_so() {
    let library = Library::built_in().unwrap();
    let seconds = |id| library.find(id).unwrap().switches.illegal_penalty_seconds;
    assert_eq!(
        (
            seconds(""),
            seconds("fide-2023-rapid-a4"),
            seconds("fide-2023-blitz-b3")
        ),
        (120, 60, 60)
    );
    assert!(
        library
            .find("fide-2023-blitz-b3")
            .unwrap()
            .switches
            .illegal_stands_after_reply
    );
    assert_eq!(
        library.find("cn-domestic").unwrap().switches.late_limit_minutes,
        15
    );
    assert!(
        library
            .find("fide-1997")
            .unwrap_err()
            .to_string()
            .contains("cn-classic")
    );
}

#[test]
fn overrides_change_single_switches_and_a_source_changes_what_follows_from_it() {
    let popular = Library::built_in().unwrap().find("popular").unwrap();
    let set = |pairs: &[(&str, &str)]| {
        let pairs: Vec<_> = pairs.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        popular.with_overrides(&pairs)
    };
    let other = set(&[("checks_in_a_row", "12"), ("popular_source", "001")])
        .unwrap()
        .switches;
    assert_eq!((other.automatic_quiet_moves, other.checks_in_a_row), (50, 12));
    assert_eq!(other.dead_position, DeadPosition::Unwinnable);
    assert_eq!(popular.switches.automatic_quiet_moves, 30);
    assert_eq!(
        set(&[("offer_rounds", "3"), ("offer_limit", "9000")]).unwrap_err(),
        (1, SwitchError::OutOfRange { min: 0, max: 500 })
    );
    assert_eq!(
        set(&[("offer_limit", "3"), ("offer_rounds", "1"), ("offer_limit", "3")]).unwrap_err(),
        (2, SwitchError::Twice)
    );
}

/// The preface's practice and FIDE's order are data: what builds on a ruleset has them, and may change each.
#[test]
fn ranking_follows_the_switches_whatever_the_identifier() {
    let house = |base: &str, switches: &str| {
        let text = format!(
            "id = \"house\"\nversion = \"1\"\ntitle_en = \"House\"\ntitle_zh = \"本店\"\nbase = \"{base}\"\n\
             [switches]\n{switches}"
        );
        let read = Library::built_in().unwrap().read("house.toml", &text);
        read.map(|ruleset| ruleset.switches)
            .map_err(|error| error.to_string())
    };
    let ranked = |switches: &Switches| {
        let lists = [
            (System::Swiss, false),
            (System::RoundRobin, false),
            (System::Swiss, true),
            (System::RoundRobin, true),
        ];
        let text = |list: &[Spec]| {
            let names: Vec<_> = list.iter().map(ToString::to_string).collect();
            names.join(" ")
        };
        let lists = lists.map(|(system, teams)| text(default_tie_breaks(switches, system, teams)));
        (default_primary(switches), lists)
    };
    let expect = |primary, lists: [&str; 4]| (primary, lists.map(String::from));
    let domestic = expect(Unit::Match, ["OPP", "SMALL", "MPvGP", "MPvGP"]);
    assert_eq!(ranked(&house("cn-domestic", "").unwrap()), domestic);
    let fide = expect(
        Unit::Match,
        ["BH/C1 BH SB DE", "DE SB KS", "MPvGP EDE", "MPvGP EDE"],
    );
    for base in ["fide-2023", "fide-2023-blitz-b3"] {
        assert_eq!(ranked(&house(base, "").unwrap()), fide, "{base}");
    }
    for base in ["cn-classic", "popular", "online-platform", "club"] {
        let shared = expect(Unit::Game, [""; 4]);
        assert_eq!(ranked(&house(base, "").unwrap()), shared, "{base}");
    }
    let changed = house(
        "cn-domestic",
        "team_score = \"game\"\ntie_breaks_swiss = \"opp, sb\"\ntie_breaks_teams = \"\"\n",
    );
    let expected = expect(Unit::Game, ["OPP SB", "SMALL", "", ""]);
    assert_eq!(ranked(&changed.unwrap()), expected);
    let refused = house("cn-domestic", "tie_breaks_swiss = \"OPP, EDE\"\n").unwrap_err();
    assert!(
        refused.starts_with("house.toml:7: switch `tie_breaks_swiss`, value `OPP, EDE`"),
        "{refused}"
    );
}
