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

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect()
}

/// However a source is chosen, its values are in force.
#[test]
fn a_source_brings_its_values_in_a_whole_ruleset_too() {
    let library = Library::built_in().unwrap();
    let values = |switches: &Switches| {
        (
            switches.automatic_quiet_moves,
            switches.quiet_moves_bishop_knight,
            switches.checks_in_a_row,
            switches.dead_position,
        )
    };
    let (first, second) = (
        (30, 50, 11, DeadPosition::PopularLineUps),
        (50, 0, 0, DeadPosition::Unwinnable),
    );
    let head = "id = \"house\"\nversion = \"1\"\ntitle_en = \"House\"\ntitle_zh = \"本店\"\n";
    let house = |switches: &str| {
        let text = format!("{head}base = \"popular\"\n[switches]\n{switches}");
        library.read("house.toml", &text).unwrap()
    };
    assert_eq!(values(&house("popular_source = \"001\"\n").switches), second);
    // What the file sets itself stands, in whatever order.
    let mixed = house("automatic_quiet_moves = 40\npopular_source = \"001\"\n");
    assert_eq!(values(&mixed.switches), (40, 0, 0, DeadPosition::Unwinnable));
    // There and back, also by way of the text.
    let popular = library.find("popular").unwrap();
    let other = popular
        .with_overrides(&pairs(&[("popular_source", "001")]))
        .unwrap();
    let sent = library.read("sent.toml", &other.to_toml()).unwrap();
    assert_eq!(values(&sent.switches), second);
    let back = sent.with_overrides(&pairs(&[("popular_source", "000")])).unwrap();
    assert_eq!(values(&back.switches), first);
}

#[test]
fn an_override_that_changes_nothing_is_refused() {
    let library = Library::built_in().unwrap();
    for (id, name, value) in [
        ("fide-2023", "popular_source", "001"),
        ("cn-classic", "popular_source", "001"),
        ("online-platform", "popular_source", "000"),
        ("club", "popular_source", "000"),
        ("club", "popular_source", "001"),
        ("popular", "popular_source", "none"),
        ("cn-classic", "unwinnable_by_count", "true"),
        ("cn-classic", "guideline_iii", "true"),
        ("popular", "late_limit_minutes", "30"),
        ("online-platform", "claim_penalty_seconds", "60"),
        ("popular", "listed_endings", "KRB-KR:25"),
        ("online-platform", "release_binds", "square"),
        ("online-platform", "captain_consult", "false"),
    ] {
        let refused = library.find(id).unwrap().with_overrides(&pairs(&[(name, value)]));
        let idle = matches!(refused, Err((0, SwitchError::Idle(_))));
        assert!(
            idle,
            "{id} {name}={value}: {:?}",
            refused.map(|ruleset| ruleset.id)
        );
    }
    // With what it depends on it has an effect, in whatever order; and a value that stands is no change.
    let club = library.find("club").unwrap();
    assert!(club.with_overrides(&pairs(&[("popular_source", "none")])).is_ok());
    let fide = library.find("fide-2023").unwrap();
    let both = [("illegal_loss_draw", "never"), ("illegal_limit", "3")];
    assert!(fide.with_overrides(&pairs(&both)).is_ok());
    let without = [("illegal_loss_draw", "never"), ("illegal_limit", "0")];
    assert_eq!(
        fide.with_overrides(&pairs(&without))
            .map_err(|(index, _)| index)
            .err(),
        Some(0)
    );
}

/// 10.12: the organiser may only raise the count.
#[test]
fn listed_endings_have_longer_counts_that_can_be_reached() {
    let library = Library::built_in().unwrap();
    let set = |id: &str, list: &str| {
        let set = library
            .find(id)
            .unwrap()
            .with_overrides(&pairs(&[("listed_endings", list)]));
        set.map(|_| ())
    };
    assert_eq!(set("cn-classic", "KRB-KR:75 KNN-KP:100"), Ok(()));
    assert_eq!(
        set("cn-classic", "KRB-KR:30"),
        Err((0, SwitchError::NotLonger(50)))
    );
    assert_eq!(
        set("cn-classic", "KRB-KR:50"),
        Err((0, SwitchError::NotLonger(50)))
    );
    assert_eq!(
        set("cn-classic", "KRB-KR:75 KRB-KR:60"),
        Err((0, SwitchError::NotEndings))
    );
    assert_eq!(set("fide-2023", "KRB-KR:75"), Ok(()));
    assert_eq!(
        set("fide-2023", "KRB-KR:100"),
        Err((0, SwitchError::NotReached(75)))
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
