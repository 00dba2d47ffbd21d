//! FIDE's tournament report file.

use tabiya_arbiter::standings::{
    CATALOGUE, Edition, Fraction, Rules, Scheme, Spec, System, Unit, table,
    trf::{Header, Report, WriteError, write},
};

use crate::{
    crosstable::{fractions, values},
    oracle::{Random, tournament},
};

/// Four players, three rounds, in columns by hand, with records that we do not know and a comment.
const OPEN: &str = "\
012 Spring Open\r
022 Suzhou\r
032 CHN\r
042 2026/04/04\r
052 2026/04/05\r
092 Individual: Swiss-System\r
102 IA Example, Ada (1234567)\r
112 Deputy, One\r
112 Deputy, Two\r
122 90 min + 30 s\r
XXR 3\r
### SSSS sTTT NNNN\r
202 BH/C1,SB\r
001    1 mGM  Ding, One                         2700 CHN     8603677 1992/10/24  2.0    2     3 w 1     2 b 0     4 w 1\r
001    2 w    Hou, Two                          2600 CHN     8602980 1994/02/27  2.5    1     4 b =     1 w 1     3 w +\r
CHN    1                                        2711\r
001    3 m    Xu, Three                              CHN                         0.0    4     1 b 0     4 w 0     2 b -\r
001    4 mIM  Yu, Four                          2500 CHN     8603405 1987/07/01  1.5    3     2 w =     3 b 1     1 b 0\r
999 nobody knows this record \r
";

fn read(text: &str) -> Report {
    Report::read(text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn errors(text: &str) -> Vec<String> {
    let errors = Report::read(text).expect_err("it can be read");
    errors.kept().iter().map(ToString::to_string).collect()
}

#[test]
fn a_report_is_read_and_written_back_byte_for_byte() {
    let mut report = read(OPEN);
    assert_eq!(report.text(), OPEN);
    let contest = report.contest();
    assert_eq!(
        (contest.people.len(), contest.rounds, contest.system),
        (4, 3, System::Swiss)
    );
    assert_eq!(
        (contest.people[3].name.as_str(), contest.people[3].title.as_str()),
        ("Yu, Four", "IM")
    );
    assert_eq!(
        (contest.people[2].rating, contest.people[0].rating),
        (None, Some(2700))
    );
    assert_eq!(report.header().deputies, ["Deputy, One", "Deputy, Two"]);
    assert_eq!(report.tie_breaks().unwrap(), (13, vec!["BH/C1", "SB"]));
    let scores: Vec<_> = (0..4).map(|player| contest.points(player).to_string()).collect();
    assert_eq!(scores, fractions("2 2.5 0 1.5"));
    assert_eq!(report.discrepancies(), []);

    // Points and rank change, nothing else on the line.
    report.set_result(0, "9.5", 12);
    let changed = report.text();
    assert!(changed.contains("1992/10/24  9.5   12     3 w 1"), "{changed}");
    assert_eq!(changed.len(), OPEN.len());
    let wrong = read(&changed).discrepancies();
    assert_eq!(
        (wrong[0].line, wrong[0].claimed, wrong[0].computed.to_string()),
        (14, Fraction::parse("9.5").unwrap(), "2".into())
    );
}

#[test]
fn line_ends_byte_order_marks_and_blank_lines_are_kept() {
    for text in [
        "\u{feff}012 A\n\n001    1\r001    2\r\n",
        "",
        "\r\n\n\r",
        "001    1",
    ] {
        assert_eq!(read(text).text(), text);
    }
    assert_eq!(read("\u{feff}012 A\n").header().name, "A");
}

#[test]
fn what_is_written_is_canonical() {
    let mut random = Random(21);
    for _ in 0..100 {
        let (players, rounds) = (2 + random.below(20), 1 + random.below(9));
        let mut contest = tournament(&mut random, players, rounds);
        contest.rounds = rounds + random.below(2);
        if random.below(3) == 0 {
            contest.scheme = Scheme::of(Fraction::whole(3), Fraction::whole(1));
        }
        contest.extra[0] = Fraction::parse(["0", "-1.5", "2"][random.below(3)]).unwrap();
        for person in &mut contest.people {
            person.name = format!("选手, {}", person.number);
            person.federation = "CHN".into();
            person.birth = "2001/02/03".into();
        }
        let header = Header {
            name: "Test".into(),
            // A text that is blank once it is cleaned makes no record; it comes back empty.
            city: ["", "\0\t"][random.below(2)].into(),
            kind: "Swiss".into(),
            deputies: vec!["A".into(), "B".into()],
            ..Default::default()
        };
        let ranked = table(
            &contest.field(),
            &Rules::of(vec![Spec::parse("BH").unwrap()], Edition::Fide2026),
        );
        let text = write(&header, &contest, &ranked).unwrap();
        let report = read(&text);
        let blank = Header {
            city: String::new(),
            ..header.clone()
        };
        assert_eq!(report.header(), &blank);
        let mut again = report.contest().clone();
        // A row that ends in absences may come back shorter: they are the same.
        for (row, old) in again.rows.iter_mut().zip(&contest.rows) {
            row.extend_from_slice(&old[row.len()..]);
        }
        assert_eq!(again, contest);
        assert_eq!(report.discrepancies(), []);
        assert_eq!(write(&header, &again, &ranked).unwrap(), text);
    }
}

#[test]
fn every_error_names_its_place() {
    let line = "001    1 m    A                                 2700                             1.0    1     2 w 1\n";
    let other = "001    2 m    B                                 2600                             0.0    2     1 b 0\n";
    assert_eq!(read(&format!("{line}{other}")).contest().people.len(), 2);
    let cases = [
        (
            "001    1",
            "001    x",
            "line 1, column 5, starting rank `x`: not a whole number",
        ),
        (
            "001    1",
            "001     ",
            "line 1, column 5, starting rank ``: missing",
        ),
        (
            "001    1",
            "001    2",
            "line 2, column 5, starting rank `2`: used twice",
        ),
        (
            "2700",
            "27.0",
            "line 1, column 49, rating `27.0`: not a whole number",
        ),
        (
            " 1.0    1",
            " 1,0    1",
            "line 1, column 81, points `1,0`: not a number such as 3, -2, 1.5 or 7/2",
        ),
        (
            "    1     2 w 1",
            "    Q     2 w 1",
            "line 1, column 86, rank `Q`: not a whole number",
        ),
        (
            "2 w 1",
            "7 w 1",
            "line 1, column 92, opponent `7`: no player has this number",
        ),
        ("2 w 1", "2 x 1", "line 1, column 97, colour `x`: not w, b or -"),
        (
            "2 w 1",
            "2 w 9",
            "line 1, column 99, result `9`: not one of 1 = 0 + - W D L H F U Z",
        ),
        (
            "2 w 1",
            "2w  1",
            "line 1, column 96, gap `w`: a blank is expected here",
        ),
    ];
    for (from, to, expected) in cases {
        let found = errors(&format!("{}{other}", line.replacen(from, to, 1)));
        assert!(found.iter().any(|error| error == expected), "{to}: {found:?}");
    }
    // A drawn game on one side and a lost one on the other may be; two wins may not.
    read(&format!("{}{other}", line.replace("2 w 1", "2 w =")));
    let found = errors(&format!("{line}{}", other.replace("1 b 0", "1 b 1")));
    assert_eq!(
        found[0],
        "line 1, column 99, result `1`: the opponent's result does not go with this one"
    );
    let found = errors(&format!("{line}{}", other.replace("1 b 0", "1 w 0")));
    assert_eq!(
        found[0],
        "line 1, column 97, colour ``: both players have the same colour"
    );
    assert_eq!(
        errors("299 W    1.0")[0],
        "line 1, column 5, type of assignment `W`: not supported: it would change what a result is worth"
    );
    assert_eq!(
        errors("142 many")[0],
        "line 1, column 5, number of rounds `many`: not a whole number up to 100"
    );
    assert_eq!(
        errors("162  Q 1.0")[0],
        "line 1, column 6, result `Q`: not one of W D L A P X"
    );
    assert_eq!(
        errors("162  W")[0],
        "line 1, column 6, result `W`: no points follow it"
    );
    assert_eq!(errors(&"001    x\n".repeat(30)).len(), 16);
    for (letter, told) in [
        ("\0", "\\0"),
        ("\u{1b}", "\\u{1b}"),
        ("\u{85}", "\\u{85}"),
        ("\u{1a}", "\\u{1a}"),
    ] {
        let hidden = format!("{}{other}", line.replacen("A ", letter, 1));
        let expected = format!("line 1, column 15, line `{told}`: control characters are not allowed");
        assert_eq!(errors(&hidden)[0], expected);
    }
    let tabbed = format!("{}{other}", line.replacen("A ", "A\t", 1));
    assert_eq!(
        errors(&tabbed)[0],
        "line 1, column 16, line `\\t`: a tab cannot stand in a record of columns"
    );
    read(&format!("### by\thand\n{line}{other}"));
}

#[test]
fn points_of_the_event_are_read() {
    let report = read("162  W 3.0    D 1.0    P 1.5\n001    1\n299          -1.5         1\n");
    let scheme = report.contest().scheme;
    assert_eq!(
        (scheme.win.to_string(), scheme.draw.to_string()),
        ("3".into(), "1".into())
    );
    assert_eq!(
        (scheme.allocated_bye.to_string(), scheme.unfinished.to_string()),
        ("3/2".into(), "1".into())
    );
    assert_eq!(report.contest().points(0).to_string(), "-3/2");
    let report = read("XXS W=3 D=1 PAB=1\nXXR 7\n");
    assert_eq!(
        (
            report.contest().scheme.allocated_bye.to_string(),
            report.contest().rounds
        ),
        ("1".into(), 7)
    );
    assert_eq!(read("192 FIDE_ROUNDROBIN").system(), Some(System::RoundRobin));
    assert_eq!(
        read("092 Round-Robin (double)").system(),
        Some(System::RoundRobin)
    );
}

#[test]
fn teams_are_read_with_byes_and_forfeits() {
    let mut text = String::from("192 FIDE_TEAM\n362 TW 2     TD 1     TL 0\n142 3\n");
    // Round 1: A beats B 1½ to ½. Round 2: B beats C 1½ to ½. Round 3: neither A nor C comes.
    for (number, cells) in [
        (1, "   3 w 1  0000 - Z"),
        (2, "   4 b =  0000 - Z"),
        (3, "   1 b 0     5 w 1"),
        (4, "   2 w =     6 b ="),
        (5, "0000 - Z     3 b 0"),
        (6, "0000 - Z     4 w ="),
    ] {
        text.push_str(&format!("001 {number:>4}{:83}{cells}\n", ""));
    }
    let team =
        |number: u32, name: &str, a: u32, b: u32| format!("310 {number:>3} {name:<64} {a:>4} {b:>4}\n");
    let text = format!(
        "{text}{}{}{}320  1.0  1.0 003 000 002\n330 -- 003 001 003\n",
        team(1, "A", 1, 2),
        team(2, "B", 3, 4),
        team(3, "C", 5, 6)
    );
    let report = read(&text);
    let field = report.contest().field();
    assert!(field.teams);
    let scores = |unit| {
        (0..3)
            .map(|team| field.score(team, unit).to_string())
            .collect::<Vec<_>>()
    };
    // A: won, absent, double forfeit. B: lost, won 1½ - ½, bye of 1 and 1. C: bye of 1 and 1, lost, double forfeit.
    assert_eq!(scores(Unit::Match), ["2", "3", "1"]);
    assert_eq!(scores(Unit::Game), fractions("1.5 3 1.5"));
    assert_eq!(values(&field, "MPvGP", Edition::Fide2026), fractions("1.5 3 1.5"));
    assert_eq!(report.text(), text);
    let ranked = table(&field, &Rules::of(Vec::new(), Edition::Fide2026));
    assert_eq!(
        write(&Header::default(), report.contest(), &ranked),
        Err(WriteError::Teams)
    );
    assert!(errors(&format!("{text}310   3 D{:70}   9\n", ""))[0].contains("team number `3`: used twice"));
}

/// Record 162: the order of its pairs says nothing, and what it names is not overwritten by what would follow from a win.
#[test]
fn the_order_of_points_says_nothing() {
    let points = |record: &str| {
        let scheme = read(&format!("162  {record}\n")).contest().scheme;
        [scheme.win, scheme.draw, scheme.allocated_bye, scheme.unfinished].map(|points| points.to_string())
    };
    for record in [
        "P 1.0  W 3.0  D 1.0  X 0.5",
        "W 3.0  D 1.0  X 0.5  P 1.0",
        "X 0.5  D 1.0  P 1.0  W 3.0",
    ] {
        assert_eq!(points(record), ["3", "1", "1", "1/2"], "{record}");
    }
    // What is not named follows from wins and draws.
    assert_eq!(points("D 1.0  W 3.0"), ["3", "1", "3", "1"]);
    // No result is worth more than a better one.
    assert!(errors("162  W 0.0  D 1.0\n001    1\n")[0].contains("a win is worth less than a draw"));
}

/// Records 192 and 212 name the score that ranks teams, or leave it open.
#[test]
fn the_score_that_ranks_teams_is_named_or_left_open() {
    for (records, primary) in [
        ("192 FIDE_TEAM_SWISS_MP", Some(Unit::Match)),
        ("192 FIDE_TEAM_SWISS_GP", Some(Unit::Game)),
        ("192 FIDE_TEAM", None),
        ("212 MPTS,GPTS", Some(Unit::Match)),
        ("212 GPTS,MPTS", Some(Unit::Game)),
        ("192 FIDE_TEAM_SWISS_MP\n212 GPTS", Some(Unit::Match)),
        ("212 BH", None),
    ] {
        assert_eq!(read(&format!("{records}\n")).primary(), primary, "{records}");
    }
}

/// A report with teams of every kind of record.
const TEAMS: &str = include_str!("../../../../tests/fuzz/seeds/trf/teams");

#[test]
fn mutated_reports_are_refused_or_survive() {
    let mut random = Random(77);
    let mut read = 0;
    for turn in 0..6_000 {
        let mut text: Vec<char> = if turn % 2 == 0 { OPEN } else { TEAMS }.chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(text.len());
            match random.below(4) {
                0 => {
                    text[at] = [
                        ' ', '0', '1', '9', '-', '+', '=', 'w', 'b', 'H', 'U', 'Z', '.', '\n', '马',
                    ][random.below(15)]
                }
                1 => drop(text.remove(at)),
                2 => text.insert(at, [' ', '1', '-', '\r', '\u{feff}'][random.below(5)]),
                _ => text.truncate(at + 1),
            }
        }
        let text: String = text.into_iter().collect();
        let Ok(mut report) = Report::read(&text) else {
            continue;
        };
        read += 1;
        assert_eq!(report.text(), text);
        let contest = report.contest().clone();
        assert_eq!(contest.faults(), []);
        let field = contest.field();
        for edition in Edition::ALL {
            let all = CATALOGUE.iter().map(|info| Spec::of(info.code));
            let list = all.filter(|spec| spec.check(edition, field.system, field.teams).is_ok());
            let ranked = table(&field, &Rules::of(list.collect(), edition));
            if let Ok(written) = write(report.header(), &contest, &ranked) {
                let again = Report::read(&written).unwrap_or_else(|errors| panic!("{errors}\n{written}"));
                let rewritten = write(again.header(), again.contest(), &ranked);
                assert_eq!(rewritten.as_deref(), Ok(&*written));
            }
        }
        for player in 0..contest.people.len() {
            report.set_result(player, "1.0", 1);
        }
        assert!(Report::read(&report.text()).is_ok(), "{text}");
    }
    assert!(read > 1_000, "only {read} could be read");
}

#[test]
fn a_text_that_is_longer_than_its_columns_is_not_cut() {
    use tabiya_arbiter::standings::{Person, trf::too_wide_texts};

    let report = read(OPEN);
    let ranked = table(
        &report.contest().field(),
        &Rules::of(Vec::new(), Edition::default()),
    );
    type Text = fn(&mut Person) -> &mut String;
    let texts: [(&str, Text, usize); 6] = [
        ("name", |person| &mut person.name, 33),
        ("federation", |person| &mut person.federation, 3),
        ("title", |person| &mut person.title, 3),
        ("sex", |person| &mut person.sex, 1),
        ("fide_id", |person| &mut person.fide_id, 11),
        ("birth_date", |person| &mut person.birth, 10),
    ];
    for (field, text, width) in texts {
        let mut contest = report.contest().clone();
        // As many characters as there are columns, of more bytes than that.
        *text(&mut contest.people[2]) = "马".repeat(width);
        let written = write(report.header(), &contest, &ranked).unwrap();
        assert!(written.contains(&"马".repeat(width)), "{field}");
        text(&mut contest.people[2]).push('马');
        let error = write(report.header(), &contest, &ranked).unwrap_err();
        assert_eq!(error, WriteError::TooWide { player: 2, field });
        let wide: Vec<_> = too_wide_texts(&contest.people[2]).collect();
        assert_eq!(wide, [(field, "马".repeat(width + 1).as_str(), width)]);
    }
}
