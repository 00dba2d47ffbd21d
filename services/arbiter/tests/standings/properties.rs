//! What must hold for every tournament.

use tabiya_arbiter::standings::{
    CATALOGUE, Cell, Contest, Edition, Fraction, Mark, Person, Rules, Scope, Spec, System, table,
};

use crate::{
    crosstable::{contest, values},
    oracle::{Random, tournament},
};

/// Every tie-break of players, with cuts.
fn specs() -> Vec<String> {
    let players = CATALOGUE.iter().filter(|info| info.scope != Scope::Teams);
    let mut all: Vec<String> = players.map(|info| info.acronym.to_owned()).collect();
    for extra in [
        "BH/C1", "BH/C2", "BH/M1", "BH/M2", "BH/P", "FB/C1", "AOB/F", "SB/C1", "SB/M2", "SB/P", "PS/C2",
        "ARO/C1", "KS/L+1",
    ] {
        all.push(extra.to_owned());
    }
    all
}

#[test]
fn relabelling_players_changes_no_value() {
    let mut random = Random(3);
    for _ in 0..40 {
        let (players, rounds) = (4 + random.below(10), 2 + random.below(7));
        let before = tournament(&mut random, players, rounds);
        // `new[old]` is where a player goes; pairing numbers stay with the player.
        let mut new: Vec<usize> = (0..players).collect();
        for at in (1..players).rev() {
            new.swap(at, random.below(at + 1));
        }
        let mut after = before.clone();
        for old in 0..players {
            after.people[new[old]] = before.people[old].clone();
            let moved = |cell: &Cell| Cell {
                opponent: cell.opponent.map(|opponent| new[opponent]),
                ..*cell
            };
            after.rows[new[old]] = before.rows[old].iter().map(moved).collect();
        }
        assert_eq!(after.faults(), []);
        for spec in specs() {
            let (one, two) = (
                values(&before.field(), &spec, Edition::Fide2026),
                values(&after.field(), &spec, Edition::Fide2026),
            );
            for old in 0..players {
                assert_eq!(one[old], two[new[old]], "{spec}");
            }
        }
    }
}

#[test]
fn a_player_who_never_came_changes_nothing_for_the_others() {
    let mut random = Random(5);
    for _ in 0..40 {
        let (players, rounds) = (4 + random.below(10), 2 + random.below(7));
        let before = tournament(&mut random, players, rounds);
        let mut after = before.clone();
        after.people.push(Person {
            number: 9999,
            rating: Some(1500),
            ..Default::default()
        });
        after.rows.push(vec![Cell::alone(Mark::ZeroPointBye); rounds]);
        after.extra.push(Fraction::ZERO);
        // A direct encounter is a place within the tied, who may be one more.
        for spec in specs().iter().filter(|spec| *spec != "DE") {
            let one = values(&before.field(), spec, Edition::Fide2026);
            assert_eq!(
                one,
                values(&after.field(), spec, Edition::Fide2026)[..players],
                "{spec}"
            );
        }
    }
}

#[test]
fn a_withdrawn_player_counts_as_drawing_to_his_opponents() {
    // Number 1 plays two rounds, then leaves: two wins and two draws are 3 to his opponents. 2 and 3 met him and 4.
    let field = contest(
        System::Swiss,
        &[
            "2000: 2w1 3b1 0Z 0Z",
            "2000: 1b0 4w1 3w= 4w0",
            "2000: 4w= 1w0 2b= 0U",
            "2000: 3b= 2b0 0U 2b1",
        ],
    )
    .field();
    let found = values(&field, "BH", Edition::Fide2026);
    // Number 2 has 1½: 3 from number 1, twice 2½ from number 4, 2 from number 3.
    assert_eq!(found[1], "10");
    // Number 3 has 2: 2½ and 3 and 1½, and for the allocated bye a dummy with 2, its limit being 4 × ½.
    assert_eq!(found[2], "9");
}

#[test]
fn tables_are_in_order_and_every_place_is_taken_once() {
    let mut random = Random(9);
    for _ in 0..60 {
        let (players, rounds) = (3 + random.below(20), 1 + random.below(6));
        let field = tournament(&mut random, players, rounds).field();
        let list = ["BH/C1", "BH", "SB", "DE", "WON"]
            .map(|spec| Spec::parse(spec).unwrap())
            .to_vec();
        let ranked = table(&field, &Rules::of(list, Edition::Fide2026));
        let mut next = 1;
        for group in ranked.standings.chunk_by(|a, b| a.place == b.place) {
            assert_eq!(group[0].place, next);
            next += group.len() as u32;
            assert!(group.iter().all(|standing| standing.last_place == next - 1));
            assert!(
                group
                    .windows(2)
                    .all(|pair| pair[0].values == pair[1].values && pair[0].entry < pair[1].entry)
            );
        }
        assert_eq!(next as usize, players + 1);
        for pair in ranked.standings.windows(2) {
            assert!(pair[0].score >= pair[1].score);
            if let Some(index) = pair[1].decided_by {
                assert_eq!(pair[0].score, pair[1].score);
                assert!(
                    pair[0].values[index]
                        .compare(pair[1].values[index], false)
                        .is_lt()
                );
            }
        }
    }
}

#[test]
fn unrated_players_make_ratings_void_unless_they_are_given_one() {
    let field = contest(System::Swiss, &["2000: 2w1", "0: 1b0", "1900: 4w=", "1800: 3b="]).field();
    let mut rules = Rules::of(vec![Spec::parse("ARO").unwrap()], Edition::Fide2026);
    assert_eq!(table(&field, &rules).void, [0]);
    rules.unrated = Some(1400);
    let ranked = table(&field, &rules);
    assert_eq!(
        (ranked.void.len(), ranked.standings[0].values[0].to_string()),
        (0, "1400".into())
    );
}

#[test]
fn faults_are_found_where_they_are() {
    let faults = |lines: &[&str], change: &dyn Fn(&mut Contest)| {
        let mut contest = contest(System::Swiss, lines);
        change(&mut contest);
        let found = contest.faults();
        found
            .iter()
            .map(|(player, round, error)| format!("{player}/{round}: {error}"))
            .collect::<Vec<_>>()
    };
    let lines = ["0: 2w1 0Z", "0: 1b0 0Z"];
    assert_eq!(
        faults(&lines, &|contest| contest.rows[1][0].mark = Mark::Win),
        [
            "0/0: the opponent's result does not go with this one",
            "1/0: the opponent's result does not go with this one"
        ]
    );
    assert_eq!(
        faults(&lines, &|contest| contest.rows[1][0].color =
            contest.rows[0][0].color)
        .len(),
        2
    );
    assert_eq!(
        faults(&lines, &|contest| contest.rows[0][0].opponent = Some(0)),
        [
            "0/0: a player cannot be paired with itself",
            "1/0: the opponent is not paired with this player in this round"
        ]
    );
    assert_eq!(
        faults(&lines, &|contest| contest.rows[0][0].opponent = None).len(),
        2
    );
    assert_eq!(
        faults(&lines, &|contest| contest.rows[0][1].opponent = Some(1)),
        ["0/1: a bye has no opponent"]
    );
}
