//! `ArbiterService.Standings` over a real connection.

use crate::common;

use tabiya_api::v1::{
    self, ByeKind, Language, PairingResult, arbiter_service_client::ArbiterServiceClient,
    standings_request::Event, tie_break_value::Value,
};
use tonic::{Code, Status, transport::Channel};

async fn client() -> (tabiya_server::RunningServer, ArbiterServiceClient<Channel>) {
    let server = common::start();
    let client = ArbiterServiceClient::new(common::channel(server.addr()).await);
    (server, client)
}

fn player(number: u32, rating: u32) -> v1::ContestPlayer {
    v1::ContestPlayer {
        number,
        name: format!("Player, {number}"),
        rating: (rating > 0).then_some(rating),
        federation: "CHN".into(),
        ..Default::default()
    }
}

fn pairing(round: u32, white: u32, black: u32, result: PairingResult) -> v1::Pairing {
    v1::Pairing {
        round,
        white,
        black,
        result: result.into(),
        board: 0,
    }
}

/// Four players, everybody against everybody: 1 has 2½, 2 has 1½, 3 and 4 have 1 each.
fn round_robin() -> v1::Contest {
    use PairingResult::{BlackWins, Draw, WhiteWins};
    v1::Contest {
        players: vec![player(1, 2200), player(2, 2000), player(3, 2100), player(4, 1900)],
        pairings: vec![
            pairing(1, 1, 4, WhiteWins),
            pairing(1, 2, 3, Draw),
            pairing(2, 4, 3, Draw),
            pairing(2, 1, 2, Draw),
            pairing(3, 2, 4, Draw),
            pairing(3, 3, 1, BlackWins),
        ],
        ..Default::default()
    }
}

fn request(contest: v1::Contest) -> v1::StandingsRequest {
    v1::StandingsRequest {
        event: Some(Event::Contest(contest)),
        ..Default::default()
    }
}

fn values(row: &v1::StandingsRow) -> Vec<String> {
    let text = |value: &v1::TieBreakValue| match &value.value {
        Some(Value::Number(number)) => number.exact.clone(),
        Some(Value::Order(place)) => format!("#{place}"),
        None => "-".into(),
    };
    row.values.iter().map(text).collect()
}

fn refused(status: &Status, paths: &[&str]) {
    assert_eq!(status.code(), Code::InvalidArgument, "{status}");
    for path in paths {
        assert!(status.message().contains(path), "{path}: {}", status.message());
    }
}

#[tokio::test]
async fn a_round_robin_is_ranked_and_explained_in_both_languages() {
    let (_server, mut client) = client().await;
    let mut asked = request(round_robin());
    asked.set_pairing_system(v1::PairingSystem::RoundRobin);
    asked.set_language(Language::Zh);
    let answer = client.standings(asked.clone()).await.unwrap().into_inner();
    let places: Vec<_> = answer.rows.iter().map(|row| (row.number, row.place)).collect();
    // 3 and 4 drew, have ½ × 1½ + ½ × 1 = 1¼ each, and ½ against those with half of the points.
    assert_eq!(places, [(1, 1), (2, 2), (3, 3), (4, 3)]);
    assert!(answer.ties_left);
    assert_eq!(answer.edition, "FIDE C.07 (2026-03)");
    let codes: Vec<_> = answer
        .columns
        .iter()
        .map(|column| (column.code.as_str(), column.article.as_str()))
        .collect();
    assert_eq!(codes, [("DE", "6"), ("SB", "9.1"), ("KS", "9.2")]);
    assert_eq!(
        (answer.score_title.as_str(), answer.columns[1].title.as_str()),
        ("积分", "索伯分")
    );
    assert!(!answer.columns[1].explanation.is_ascii());
    assert_eq!(answer.score_citation.unwrap().article, "10.1");
    asked.set_language(Language::En);
    let answer = client.standings(asked).await.unwrap().into_inner();
    assert_eq!(answer.columns[1].title, "Sonneborn-Berger");
}

#[tokio::test]
async fn chinese_rules_share_places_or_tell_them_apart() {
    let (_server, mut client) = client().await;
    let mut asked = request(round_robin());
    asked.set_pairing_system(v1::PairingSystem::RoundRobin);
    asked.ruleset = "cn-classic".into();
    asked.place_points = ["10", "6", "3", "1"].map(String::from).to_vec();
    let answer = client.standings(asked.clone()).await.unwrap().into_inner();
    assert_eq!(answer.columns.len(), 0);
    let places: Vec<_> = answer
        .rows
        .iter()
        .map(|row| (row.number, row.place, row.last_place))
        .collect();
    let scores: Vec<_> = answer
        .rows
        .iter()
        .map(|row| row.score.as_ref().unwrap().exact.as_str())
        .collect();
    assert_eq!(scores, ["5/2", "3/2", "1", "1"]);
    assert_eq!(places, [(1, 1, 1), (2, 2, 2), (3, 3, 4), (4, 3, 4)]);
    let worth: Vec<_> = answer
        .rows
        .iter()
        .map(|row| row.place_points.as_ref().unwrap().exact.as_str())
        .collect();
    // The third and the fourth share 3 and 1.
    assert_eq!(worth, ["10", "6", "2", "2"]);

    asked.ruleset = "cn-domestic".into();
    let answer = client.standings(asked).await.unwrap().into_inner();
    assert_eq!(
        (
            answer.columns[0].code.as_str(),
            answer.columns[0].article.as_str()
        ),
        ("SMALL", "preface")
    );
    // Small score of 3: half of 1½ and of 1; of 4: half of 1 and of 1½.
    assert_eq!(
        (values(&answer.rows[2]), values(&answer.rows[3])),
        (vec!["5/4".into()], vec!["5/4".into()])
    );
    assert!(answer.ties_left);
}

#[tokio::test]
async fn ratings_and_club_points_are_computed() {
    let (_server, mut client) = client().await;
    let mut contest = round_robin();
    contest.players[3].rating = None;
    let mut asked = request(contest);
    asked.ratings = Some(v1::RatingQuestion {
        facts: vec![v1::RatingFacts {
            number: 1,
            k: Some(20),
            ..Default::default()
        }],
        ..Default::default()
    });
    asked.club = Some(v1::ClubQuestion {
        before: vec![v1::ClubPoints {
            number: 1,
            points: "1000".into(),
        }],
        ..Default::default()
    });
    asked.tie_breaks = vec!["ARO".into()];
    let answer = client.standings(asked.clone()).await.unwrap().into_inner();
    assert!(answer.columns[0].is_void);
    let first = &answer.ratings[0];
    // 2200 against 2000 (200: .76, drawn) and 2100 (100: .64, won): -.26 + .36 = .10, times 20.
    let changes: Vec<_> = first
        .games
        .iter()
        .map(|game| (game.opponent, game.change_hundredths))
        .collect();
    assert_eq!(changes, [(2, -26), (3, 36)]);
    assert_eq!(
        (
            first.k,
            first.change.as_ref().unwrap().exact.as_str(),
            first.rounded_change
        ),
        (20, "2", Some(2))
    );
    // 2050 on average, 1½ of 2 is .75: 193.
    assert_eq!(first.performance, Some(2243));
    assert_eq!(answer.ratings[1].missing_facts, ["games_before"]);
    assert!(answer.ratings[3].no_rating_reason.contains("fewer than 5 games"));
    assert_eq!(answer.rating_edition, "FIDE B.02 (2024-03, amended 2025-10)");
    // 1 wins and gains nothing at a difference of 1000; draws with 2, who gains 1000 / 4; wins and gains nothing at 750. 2 then
    // draws with 4, who gains 250 / 4.
    let club: Vec<_> = answer
        .club
        .iter()
        .map(|row| (row.after.as_ref().unwrap().exact.as_str(), row.level_after))
        .collect();
    assert_eq!(club[..2], [("750", 24), ("375/2", 30)]);

    asked.unrated_rating = Some(1400);
    let answer = client.standings(asked).await.unwrap().into_inner();
    // (2000 + 2100 + 1400) / 3 = 1833.3.
    assert_eq!(values(&answer.rows[0]), ["1833"]);
}

#[tokio::test]
async fn a_report_file_is_ranked_and_comes_back_with_ranks() {
    let (_server, mut client) = client().await;
    let mut contest = round_robin();
    contest.info = Some(v1::ContestInfo {
        name: "Four".into(),
        ..Default::default()
    });
    contest.byes = vec![v1::Bye {
        round: 4,
        player: 4,
        kind: ByeKind::HalfPoint.into(),
    }];
    let mut asked = request(contest);
    asked.include_trf = true;
    let made = client.standings(asked).await.unwrap().into_inner().trf;
    assert!(made.starts_with("012 Four\r\n"), "{made}");
    assert!(
        made.contains("\r\n001    1      Player, 1                         2200 CHN"),
        "{made}"
    );
    assert!(made.contains("  0000 - H\r\n"), "{made}");

    // Sent back with unknown records, wrong points and no ranks: only points and ranks change.
    let sent = made
        .replace(" 2.5    1  ", " 9.5       ")
        .replace("012 Four", "012 Four\r\nXYZ kept");
    let asked = v1::StandingsRequest {
        event: Some(Event::Trf(sent)),
        include_trf: true,
        ..Default::default()
    };
    let answer = client.standings(asked).await.unwrap().into_inner();
    assert_eq!(answer.trf, made.replace("012 Four", "012 Four\r\nXYZ kept"));
    let wrong = &answer.discrepancies[0];
    assert_eq!(
        (
            wrong.line,
            wrong.number,
            wrong.claimed.as_ref().unwrap().exact.as_str()
        ),
        (7, 1, "19/2")
    );
}

#[tokio::test]
async fn teams_are_ranked_by_their_players_games() {
    use PairingResult::{BlackWins, Draw, WhiteWins, WhiteWinsByForfeit};
    let (_server, mut client) = client().await;
    let team = |number: u32, members: &[u32]| v1::ContestTeam {
        number,
        name: format!("Team {number}"),
        members: members.to_vec(),
    };
    let contest = v1::Contest {
        players: (1..=4).map(|number| player(number, 2000)).collect(),
        pairings: vec![
            pairing(1, 1, 3, WhiteWins),
            pairing(1, 4, 2, Draw),
            pairing(2, 3, 1, WhiteWins),
            // Nobody sat at the second board for team 1.
            pairing(2, 4, 0, WhiteWinsByForfeit),
            pairing(3, 1, 4, BlackWins),
            pairing(3, 2, 3, WhiteWins),
        ],
        teams: vec![team(1, &[1, 2]), team(2, &[3, 4])],
        ..Default::default()
    };
    let mut asked = request(contest);
    let answer = client.standings(asked.clone()).await.unwrap().into_inner();
    assert!(answer.teams);
    // Team 1: 1½, 0, 1 game points, so a win, a loss and a draw; team 2: ½, 2, 1.
    let rows: Vec<_> = answer
        .rows
        .iter()
        .map(|row| (row.number, row.score.as_ref().unwrap().exact.clone(), values(row)))
        .collect();
    assert_eq!(
        rows,
        [
            (2, "3".into(), vec!["7/2".into(), "-".into()]),
            (1, "3".into(), vec!["5/2".into(), "-".into()])
        ]
    );
    assert_eq!(answer.rows[1].decided_by, "MPvGP");
    asked.ruleset = "cn-classic".into();
    let answer = client.standings(asked.clone()).await.unwrap().into_inner();
    assert_eq!(
        (
            answer.score_title.as_str(),
            answer.rows[0].score.as_ref().unwrap().exact.as_str()
        ),
        ("Game points", "7/2")
    );
    asked.include_trf = true;
    refused(&client.standings(asked).await.unwrap_err(), &["include_trf"]);
}

/// Six players of two boards in three teams, and one of none; teams 1 and 2 have played round 1.
fn three_teams() -> v1::Contest {
    let team = |number: u32| v1::ContestTeam {
        number,
        name: format!("Team {number}"),
        members: vec![2 * number - 1, 2 * number],
    };
    v1::Contest {
        players: (1..=7).map(|number| player(number, 2000)).collect(),
        pairings: vec![
            pairing(1, 1, 3, PairingResult::WhiteWins),
            pairing(1, 4, 2, PairingResult::Draw),
        ],
        teams: (1..=3).map(team).collect(),
        ..Default::default()
    }
}

#[tokio::test]
async fn rounds_of_teams_go_together() {
    use v1::TeamRoundKind::{AllocatedBye, ForfeitLoss, ForfeitWin};
    let (_server, mut client) = client().await;
    let round = |round, team, opponent, kind: v1::TeamRoundKind| v1::TeamRound {
        round,
        team,
        opponent,
        kind: kind.into(),
    };
    let mut ask = async |rounds: Vec<v1::TeamRound>, pairings: Vec<v1::Pairing>| {
        let mut contest = three_teams();
        contest.team_rounds = rounds;
        contest.pairings.extend(pairings);
        client.standings(request(contest)).await
    };
    let field = "contest.team_rounds[0].team";
    // Both cannot win, one alone has no match, and who has played was there.
    for (wrong, reason) in [
        (
            vec![round(2, 1, 2, ForfeitWin), round(2, 2, 1, ForfeitWin)],
            "the opponent's result does not go with this one",
        ),
        (vec![round(2, 1, 2, ForfeitWin)], "the opponent is not paired"),
        (
            vec![round(2, 1, 2, ForfeitWin), round(2, 2, 3, ForfeitLoss)],
            "the opponent is not paired",
        ),
        (
            vec![round(1, 1, 2, ForfeitLoss)],
            "the players of the team have games",
        ),
        (
            vec![round(1, 1, 0, AllocatedBye)],
            "the players of the team have games",
        ),
    ] {
        refused(&ask(wrong, vec![]).await.unwrap_err(), &[field, reason]);
    }
    for right in [
        vec![round(2, 1, 2, ForfeitWin), round(2, 2, 1, ForfeitLoss)],
        vec![round(2, 1, 2, ForfeitLoss), round(2, 2, 1, ForfeitLoss)],
        vec![round(1, 3, 0, AllocatedBye)],
    ] {
        ask(right, vec![]).await.unwrap();
    }
    let stranger = vec![pairing(2, 1, 7, PairingResult::WhiteWins)];
    refused(
        &ask(vec![], stranger).await.unwrap_err(),
        &["contest.pairings[2].white", "the opponent is in no team"],
    );
    let mut asked = request(three_teams());
    asked.team_scoring = Some(v1::TeamScoring {
        boards: 1,
        ..Default::default()
    });
    refused(
        &client.standings(asked).await.unwrap_err(),
        &["team_scoring.boards", "less than the 2 that were occupied"],
    );
    let mut asked = request(three_teams());
    asked.points = Some(v1::PointScheme {
        win: "0".into(),
        draw: "1".into(),
        ..Default::default()
    });
    refused(
        &client.standings(asked).await.unwrap_err(),
        &["a win is worth less than a draw"],
    );
}

/// Record 192 names the score; the ruleset, and other fields of `team_scoring`, leave it so.
#[tokio::test]
async fn the_score_that_a_report_names_stands() {
    let (_server, mut client) = client().await;
    for (record, by_match_points) in [
        ("FIDE_TEAM_SWISS_GP", [false; 3]),
        ("FIDE_TEAM_SWISS_MP", [true; 3]),
        ("FIDE_TEAM", [true, false, true]),
    ] {
        let mut text = format!("192 {record}\n");
        for number in 1..=4 {
            text.push_str(&format!("001 {number:>4}\n"));
        }
        for (number, members) in [(1, [1, 2]), (2, [3, 4])] {
            let [one, other] = members;
            text.push_str(&format!("310 {number:>3} {:<64} {one:>4} {other:>4}\n", "A"));
        }
        let rulesets = ["fide-2023", "cn-classic", "cn-domestic"];
        for (ruleset, by_match_points) in rulesets.into_iter().zip(by_match_points) {
            for scoring in [
                None,
                Some(v1::TeamScoring {
                    boards: 2,
                    ..Default::default()
                }),
            ] {
                let asked = v1::StandingsRequest {
                    event: Some(Event::Trf(text.clone())),
                    ruleset: ruleset.into(),
                    team_scoring: scoring,
                    ..Default::default()
                };
                let title = client.standings(asked).await.unwrap().into_inner().score_title;
                let expected = if by_match_points {
                    "Match points"
                } else {
                    "Game points"
                };
                assert_eq!(title, expected, "{record} {ruleset}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let (_server, mut client) = client().await;
    let mut wrong = async |change: &dyn Fn(&mut v1::StandingsRequest), path: &str| {
        let mut asked = request(round_robin());
        change(&mut asked);
        refused(&client.standings(asked).await.unwrap_err(), &[path]);
    };
    fn contest(asked: &mut v1::StandingsRequest) -> &mut v1::Contest {
        match &mut asked.event {
            Some(Event::Contest(contest)) => contest,
            _ => unreachable!("it is one"),
        }
    }
    wrong(&|asked| asked.event = None, "event").await;
    wrong(&|asked| asked.ruleset = "fide-1997".into(), "ruleset").await;
    wrong(&|asked| asked.edition = 99, "edition").await;
    wrong(&|asked| asked.language = 99, "language").await;
    wrong(
        &|asked| asked.tie_breaks = vec!["BH".into(), "XX".into()],
        "tie_breaks[1]",
    )
    .await;
    wrong(&|asked| asked.tie_breaks = vec!["EDE".into()], "tie_breaks[0]").await;
    wrong(&|asked| asked.tie_breaks = vec!["BH".into(); 33], "tie_breaks").await;
    wrong(
        &|asked| {
            asked.tie_breaks = vec!["BH".into()];
            asked.set_pairing_system(v1::PairingSystem::RoundRobin);
        },
        "tie_breaks[0]",
    )
    .await;
    wrong(&|asked| asked.unrated_rating = Some(0), "unrated_rating").await;
    wrong(&|asked| asked.place_points = vec!["x".into()], "place_points[0]").await;
    wrong(&|asked| asked.place_points = vec!["1".into(); 5], "place_points").await;
    let points = |win: &str| {
        Some(v1::PointScheme {
            win: win.into(),
            ..Default::default()
        })
    };
    wrong(&|asked| asked.points = points("1/7"), "points.win").await;
    wrong(&|asked| asked.points = points("-3"), "points.win `-3`").await;
    wrong(
        &|asked| contest(asked).players[2].number = 1,
        "contest.players[2].number",
    )
    .await;
    wrong(
        &|asked| contest(asked).players[2].number = 0,
        "contest.players[2].number",
    )
    .await;
    wrong(
        &|asked| contest(asked).players[2].name = "a\nb".into(),
        "contest.players[2].name",
    )
    .await;
    wrong(
        &|asked| contest(asked).players[2].rating = Some(9000),
        "contest.players[2].rating",
    )
    .await;
    wrong(
        &|asked| contest(asked).pairings[1].round = 0,
        "contest.pairings[1].round",
    )
    .await;
    wrong(
        &|asked| contest(asked).pairings[1].round = 2,
        "contest.pairings[2].black",
    )
    .await;
    wrong(
        &|asked| contest(asked).pairings[1].white = 77,
        "contest.pairings[1].white",
    )
    .await;
    wrong(
        &|asked| contest(asked).pairings[1].white = 0,
        "contest.pairings[1].white",
    )
    .await;
    wrong(
        &|asked| contest(asked).pairings[1].white = 3,
        "contest.pairings[1].black",
    )
    .await;
    wrong(
        &|asked| contest(asked).pairings[1].result = 44,
        "contest.pairings[1].result",
    )
    .await;
    wrong(
        &|asked| {
            contest(asked).byes.push(v1::Bye {
                round: 9,
                player: 1,
                kind: 0,
            })
        },
        "contest.byes[0].kind",
    )
    .await;
    wrong(&|asked| contest(asked).rounds = 101, "contest.rounds").await;
    wrong(
        &|asked| contest(asked).players = (1..=2001).map(|number| player(number, 0)).collect(),
        "contest.players",
    )
    .await;
    wrong(
        &|asked| contest(asked).players = vec![player(1, 0); 1000],
        "contest.players[1].number",
    )
    .await;
    let trf = |text: &str| Some(Event::Trf(text.into()));
    wrong(
        &|asked| asked.event = trf("001    x"),
        "line 1, column 5, starting rank: not a whole number",
    )
    .await;
    wrong(
        &|asked| asked.event = trf("202 ZZ\n001    1"),
        "trf `ZZ`: line 1: ",
    )
    .await;
    let club = |before: Vec<v1::ClubPoints>, rounding: i32| {
        Some(v1::ClubQuestion {
            before,
            rounding,
            ..Default::default()
        })
    };
    wrong(
        &|asked| {
            asked.club = club(
                vec![v1::ClubPoints {
                    number: 9,
                    points: "1".into(),
                }],
                0,
            )
        },
        "club.before[0].number",
    )
    .await;
    wrong(
        &|asked| asked.club = club(vec![], v1::ClubRounding::Exact.into()),
        "club.rounding",
    )
    .await;
    let facts = |facts: v1::RatingFacts| {
        Some(v1::RatingQuestion {
            facts: vec![facts],
            ..Default::default()
        })
    };
    wrong(
        &|asked| {
            asked.ratings = facts(v1::RatingFacts {
                number: 1,
                k: Some(0),
                ..Default::default()
            })
        },
        "ratings.facts[0].k",
    )
    .await;
}

#[tokio::test]
async fn a_large_event_is_answered() {
    let (_server, mut client) = client().await;
    // 600 players, 100 rounds, every tie-break of players: rivals half of the field apart, White wins or they draw.
    let players = 600;
    let mut contest = v1::Contest {
        players: (1..=players)
            .map(|number| player(number, 1500 + number))
            .collect(),
        ..Default::default()
    };
    for round in 0..100 {
        for white in 0..players / 2 {
            let black = players / 2 + (white + round) % (players / 2);
            let result = if (white + round) % 3 == 0 {
                PairingResult::Draw
            } else {
                PairingResult::WhiteWins
            };
            contest
                .pairings
                .push(pairing(round + 1, white + 1, black + 1, result));
        }
    }
    let mut asked = request(contest);
    let names = [
        "DE", "WIN", "WON", "BPG", "PS", "STD", "BH", "AOB/F", "FB/M2", "SB/C2", "KS", "ARO", "TPR", "PTP",
        "APRO", "APPO", "TPN",
    ];
    asked.tie_breaks = names.map(String::from).to_vec();
    let started = std::time::Instant::now();
    let answer = client.standings(asked).await.unwrap().into_inner();
    assert_eq!((answer.rows.len(), answer.rows[599].place), (600, 600));
    eprintln!(
        "600 players, 100 rounds, {} tie-breaks: {:?}",
        names.len(),
        started.elapsed()
    );
}

#[tokio::test]
async fn an_event_without_players_is_refused() {
    let (_server, mut client) = client().await;
    for text in ["", "\r\n\r\n", "<html>\n<body>", "012 An Event\r\n"] {
        let asked = v1::StandingsRequest {
            event: Some(Event::Trf(text.into())),
            ..Default::default()
        };
        let status = client.standings(asked).await.unwrap_err();
        refused(&status, &["trf `", "holds no player: no line begins with 001"]);
    }
    let status = client
        .standings(request(v1::Contest::default()))
        .await
        .unwrap_err();
    refused(&status, &["contest.players ``: missing"]);
}

#[tokio::test]
async fn years_that_cannot_be_make_no_juniors() {
    let (_server, mut client) = client().await;
    let facts = |birth_year| v1::RatingFacts {
        number: 1,
        games_before: Some(100),
        reached_2400: Some(false),
        birth_year,
        ..Default::default()
    };
    let asked = |birth_date: &str, birth_year, event_year| {
        let mut contest = round_robin();
        contest.players[0].birth_date = birth_date.into();
        v1::StandingsRequest {
            ratings: Some(v1::RatingQuestion {
                event_year,
                facts: vec![facts(birth_year)],
                ..Default::default()
            }),
            ..request(contest)
        }
    };
    // Named: refused. In a date: as good as unknown.
    for (birth, event, path) in [
        (
            Some(0),
            2026,
            "ratings.facts[0].birth_year `0`: not from 1900 to 2026",
        ),
        (
            Some(9999),
            2026,
            "ratings.facts[0].birth_year `9999`: not from 1900 to 2026",
        ),
        (
            Some(2027),
            2026,
            "ratings.facts[0].birth_year `2027`: not from 1900 to 2026",
        ),
        (None, 9999, "ratings.event_year `9999`: not from 1900 to 2999"),
        (None, 1, "ratings.event_year `1`: not from 1900 to 2999"),
    ] {
        let status = client.standings(asked("", birth, event)).await.unwrap_err();
        refused(&status, &[path]);
    }
    for (birth, k, missing) in [
        ("0000/00/00", 0, vec!["birth_year"]),
        ("9999/01/01", 0, vec!["birth_year"]),
        ("2027/01/01", 0, vec!["birth_year"]),
        ("2010/01/01", 40, vec![]),
        ("1990/01/01", 20, vec![]),
    ] {
        let answer = client
            .standings(asked(birth, None, 2026))
            .await
            .unwrap()
            .into_inner();
        let row = answer.ratings.iter().find(|row| row.number == 1).unwrap();
        assert_eq!(
            (row.k, row.missing_facts.clone()),
            (k, missing.iter().map(|fact| fact.to_string()).collect()),
            "{birth}"
        );
    }
}

#[tokio::test]
async fn what_does_not_fit_into_a_report_is_named() {
    let (_server, mut client) = client().await;
    let mut contest = round_robin();
    contest.players[2].name = "Name, ".to_owned() + &"x".repeat(28);
    contest.players[3].title = "WGMX".into();
    contest.players[3].fide_id = "123456789012".into();
    let mut asked = request(contest);
    client.standings(asked.clone()).await.unwrap();
    asked.include_trf = true;
    let status = client.standings(asked.clone()).await.unwrap_err();
    refused(
        &status,
        &[
            "contest.players[2].name",
            "more than the 33 characters",
            "and 2 more",
        ],
    );
    let Some(Event::Contest(contest)) = &mut asked.event else {
        unreachable!("a contest")
    };
    for player in &mut contest.players {
        player.name.truncate(33);
        player.title.truncate(3);
        player.fide_id.truncate(11);
    }
    let report = client.standings(asked).await.unwrap().into_inner().trf;
    assert!(report.contains("WGM Player, 4"), "{report}");
}
