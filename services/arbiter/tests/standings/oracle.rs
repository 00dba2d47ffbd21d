//! A second, slow implementation, written from the articles without sharing any code, over random tournaments.
//!
//! Scores are in half points, products in quarters; every value is recomputed for each participant from the crosstable.

use tabiya_arbiter::standings::{Cell, Contest, Edition, Fraction, Mark, System};

use crate::crosstable::{contest, places, values};

/// A small generator, so that a seed names a tournament.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// A tournament with every kind of round, as crosstable lines.
pub(crate) fn tournament(random: &mut Random, players: usize, rounds: usize) -> Contest {
    let mut lines: Vec<String> = (0..players)
        .map(|_| format!("{}:", 1400 + random.below(1200)))
        .collect();
    let mut withdrawn = vec![false; players];
    for round in 0..rounds {
        let mut free: Vec<usize> = (0..players).collect();
        for at in (1..free.len()).rev() {
            free.swap(at, random.below(at + 1));
        }
        let mut cells = vec![String::new(); players];
        free.retain(|&player| {
            if round > 1 && random.below(25) == 0 {
                withdrawn[player] = true;
            }
            let bye = match (withdrawn[player], random.below(14)) {
                (true, _) | (_, 0) => "0Z",
                (_, 1) => "0H",
                (_, 2) if random.below(4) == 0 => "0F",
                _ => return true,
            };
            cells[player] = bye.to_owned();
            false
        });
        if free.len() % 2 == 1 {
            cells[free.pop().unwrap()] = "0U".to_owned();
        }
        for pair in free.chunks(2) {
            let [white, black] = [pair[0], pair[1]];
            let (a, b) = [
                ('1', '0'),
                ('0', '1'),
                ('=', '='),
                ('1', '0'),
                ('0', '1'),
                ('=', '='),
                ('+', '-'),
                ('-', '+'),
                ('-', '-'),
                ('0', '0'),
            ][random.below(10)];
            cells[white] = format!("{}w{a}", black + 1);
            cells[black] = format!("{}b{b}", white + 1);
        }
        for (line, cell) in lines.iter_mut().zip(cells) {
            line.push(' ');
            line.push_str(&cell);
        }
    }
    contest(
        System::Swiss,
        &lines.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}

fn halves(mark: Mark) -> i64 {
    match mark {
        Mark::Win | Mark::ForfeitWin | Mark::FullPointBye | Mark::AllocatedBye => 2,
        Mark::Draw | Mark::HalfPointBye => 1,
        _ => 0,
    }
}

fn at_board(cell: &Cell) -> bool {
    matches!(cell.mark, Mark::Win | Mark::Draw | Mark::Loss)
}

fn requested(cell: &Cell) -> bool {
    matches!(cell.mark, Mark::HalfPointBye | Mark::ZeroPointBye)
}

fn voluntary(cell: &Cell) -> bool {
    requested(cell) || cell.mark == Mark::ForfeitLoss
}

fn score(contest: &Contest, player: usize) -> i64 {
    contest.rows[player].iter().map(|cell| halves(cell.mark)).sum()
}

/// 16.3; before 2023 every unplayed round is a draw to the opponents.
fn seen_by_opponents(contest: &Contest, player: usize, edition: Edition) -> i64 {
    let row = &contest.rows[player];
    let mut sum = 0;
    for (round, cell) in row.iter().enumerate() {
        let last_of_its_kind = requested(cell) && row[round + 1..].iter().all(voluntary);
        sum += match edition {
            Edition::Fide2017 if !at_board(cell) => 1,
            Edition::Fide2024 | Edition::Fide2026 if last_of_its_kind => 1,
            _ => halves(cell.mark),
        };
    }
    sum
}

/// Opponent's score in half points, and that times the points in quarters, and whether the absence was voluntary.
fn contributions(contest: &Contest, player: usize, edition: Edition) -> Vec<(i64, i64, bool)> {
    let row = &contest.rows[player];
    let rounds = row.len() as i64;
    let mut all = Vec::new();
    for (round, cell) in row.iter().enumerate() {
        let other = if at_board(cell) {
            seen_by_opponents(contest, cell.opponent.unwrap(), edition)
        } else {
            match edition {
                Edition::Fide2017 => {
                    let before: i64 = row[..round].iter().map(|cell| halves(cell.mark)).sum();
                    before + 2 - halves(cell.mark) + (rounds - round as i64 - 1)
                }
                Edition::Fide2024 => score(contest, player),
                Edition::Fide2026 => match cell.opponent {
                    Some(opponent) => {
                        score(contest, player).min(seen_by_opponents(contest, opponent, edition))
                    }
                    None => score(contest, player).min(rounds),
                },
            }
        };
        all.push((other, other * halves(cell.mark), voluntary(cell)));
    }
    all
}

/// One low cut by 16.5.1: the lowest voluntary contribution, unless it is lower than the least significant one.
fn cut(all: &mut Vec<(i64, i64, bool)>, products: bool, edition: Edition) {
    let worth = |item: &(i64, i64, bool)| if products { item.1 } else { item.0 };
    let Some(least) = all.iter().copied().min_by_key(|item| (item.0, worth(item))) else {
        return;
    };
    let own = all
        .iter()
        .copied()
        .filter(|item| item.2)
        .min_by_key(|item| (worth(item), item.0));
    let gone = match own {
        Some(own) if edition != Edition::Fide2017 && worth(&own) >= worth(&least) => own,
        _ => least,
    };
    let at = all.iter().position(|item| *item == gone).unwrap();
    all.remove(at);
}

#[test]
fn buchholz_and_sonneborn_berger_agree() {
    let mut random = Random(7);
    for round in 0..250 {
        let (players, rounds) = (4 + random.below(14), 2 + random.below(9));
        let contest = tournament(&mut random, players, rounds);
        let field = contest.field();
        for edition in Edition::ALL {
            for (name, products) in [("BH", false), ("SB", true)] {
                for cuts in 0..=2 {
                    let spec = if cuts == 0 {
                        name.to_owned()
                    } else {
                        format!("{name}/C{cuts}")
                    };
                    let expected: Vec<String> = (0..players)
                        .map(|player| {
                            let mut all = contributions(&contest, player, edition);
                            for _ in 0..cuts {
                                cut(&mut all, products, edition);
                            }
                            let (sum, unit) = if products {
                                (all.iter().map(|item| item.1).sum::<i64>(), 4)
                            } else {
                                (all.iter().map(|item| item.0).sum::<i64>(), 2)
                            };
                            Fraction::quotient(sum, unit).unwrap().to_string()
                        })
                        .collect();
                    assert_eq!(
                        values(&field, &spec, edition),
                        expected,
                        "tournament {round}, {spec}, {edition:?}"
                    );
                }
            }
        }
    }
}

/// Article 6 by brute force: every outcome of the missing games is tried.
fn direct(contest: &Contest, group: &[usize]) -> Vec<Vec<usize>> {
    if group.len() < 2 {
        return vec![group.to_vec()];
    }
    // Average quarter points would not be whole: sums of doubled halves over one or two games, scaled by 12.
    let against = |a: usize, b: usize| -> Option<i64> {
        let games = contest.rows[a]
            .iter()
            .filter(|cell| at_board(cell) && cell.opponent == Some(b));
        let points: Vec<i64> = games.map(|cell| halves(cell.mark)).collect();
        (!points.is_empty()).then(|| points.iter().sum::<i64>() * 840 / points.len() as i64)
    };
    let mut base = vec![0; group.len()];
    let mut missing = Vec::new();
    for (i, &a) in group.iter().enumerate() {
        for (j, &b) in group.iter().enumerate() {
            if i == j {
                continue;
            }
            match against(a, b) {
                Some(points) => base[i] += points,
                None if i < j => missing.push((i, j)),
                None => {}
            }
        }
    }
    let mut ranked: Vec<Vec<usize>> = Vec::new();
    if missing.is_empty() {
        let mut order: Vec<usize> = (0..group.len()).collect();
        order.sort_by_key(|&i| -base[i]);
        for i in order {
            match ranked.last_mut() {
                Some(part) if base[part[0]] == base[i] => part.push(i),
                _ => ranked.push(vec![i]),
            }
        }
    } else {
        let mut rest: Vec<usize> = (0..group.len()).collect();
        while rest.len() > 1 {
            let always = rest.iter().copied().find(|&leader| {
                (0..3_usize.pow(missing.len() as u32)).all(|mut code| {
                    let mut scores = base.clone();
                    for &(i, j) in &missing {
                        let half_points = (code % 3) as i64;
                        code /= 3;
                        scores[i] += half_points * 840;
                        scores[j] += (2 - half_points) * 840;
                    }
                    rest.iter()
                        .all(|&other| other == leader || scores[other] < scores[leader])
                })
            });
            let Some(leader) = always else { break };
            ranked.push(vec![leader]);
            rest.retain(|&other| other != leader);
        }
        ranked.push(rest);
    }
    let parts = ranked
        .into_iter()
        .map(|part| part.into_iter().map(|i| group[i]).collect::<Vec<_>>());
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    if parts.len() == 1 {
        return parts;
    }
    parts.iter().flat_map(|part| direct(contest, part)).collect()
}

#[test]
fn direct_encounters_agree() {
    let mut random = Random(11);
    let mut decided = 0;
    for round in 0..900 {
        let (players, rounds) = (3 + random.below(5), 2 + random.below(6));
        let contest = tournament(&mut random, players, rounds);
        let found = places(&contest.field(), "DE", Edition::Fide2026);
        let mut expected = vec![0; players];
        let mut place = 1;
        let mut scores: Vec<i64> = (0..players).map(|player| score(&contest, player)).collect();
        scores.sort_unstable();
        scores.dedup();
        for wanted in scores.into_iter().rev() {
            let group: Vec<usize> = (0..players)
                .filter(|&player| score(&contest, player) == wanted)
                .collect();
            let parts = direct(&contest, &group);
            decided += usize::from(parts.len() > 1);
            for part in parts {
                for &player in &part {
                    expected[player] = place;
                }
                place += part.len() as u32;
            }
        }
        assert_eq!(found, expected, "tournament {round}");
    }
    assert!(decided > 50, "only {decided} ties were decided");
}
