//! The exercises that FIDE's Technical Commission published for its Tie-Break Regulations (M. Held, "Exercises in
//! Tie-Breaking", revision of 22 March 2024): crosstables and solutions, and the same events under the edition of 2026,
//! whose limit on the dummy's score (16.4) changes some of the values.

use tabiya_arbiter::standings::{Edition, Field, System};

use crate::crosstable::{contest, fractions, places, rounded, values};

fn swiss_5() -> Field {
    contest(
        System::Swiss,
        &[
            "2200: 9w1 13b= 2w= 15b1 4w=",
            "2150: 10b1 7w1 1b= 16w1 3b=",
            "2100: 11w= 6b1 8w1 4b= 2w=",
            "2050: 12b1 0H 13w1 3w= 1b=",
            "2000: 13w0 15b0 11w1 7b= 10w1",
            "1950: 14b0 3w0 0U 10w1 8b1",
            "1900: 15w1 2b0 16b0 5w= 11b0",
            "1850: 16b= 14w1 3b0 13w1 6w0",
            "1800: 1b0 10w0 0H 11b- 0U",
            "1750: 2w0 9b1 15w0 6b0 5b0",
            "1700: 3b= 16w0 5b0 9w+ 7w1",
            "1650: 4w0 0U 14w+ 0Z 0Z",
            "1600: 5b1 1w= 4b0 8b0 14w0",
            "1550: 6w1 8b0 12b- 0Z 13b1",
            "1500: 7b0 5w1 10b1 1w0 16b0",
            "1450: 8w= 11b1 7w1 2b0 15w1",
        ],
    )
    .field()
}

fn round_robin() -> Field {
    contest(
        System::RoundRobin,
        &[
            "2200: 5w= 2w1 3b1 4w0 6b1",
            "2150: 6w1 1b0 5w1 3w= 4b1",
            "2100: 4w1 6b1 1w0 2b= 5w1",
            "2050: 3b0 5b0 6w= 1b1 2w0",
            "1950: 1b= 4w1 2b0 6w- 3b0",
            "2000: 2b0 3w0 4b= 5b+ 1w0",
        ],
    )
    .field()
}

fn swiss_9() -> Field {
    contest(
        System::Swiss,
        &[
            "2150: 9w1 13b= 2w= 15b1 4w= 6b= 3b= 16w= 8b1",
            "2130: 10b1 7w1 1b= 16w1 3b1 4w= 6w0 15b= 5w=",
            "2200: 11w= 6b1 8w1 4b= 2w0 16b1 1w= 14w1 10b1",
            "2110: 12b1 0H 13w1 3w= 1b= 2b= 16w= 6b= 15w1",
            "1890: 13w0 15b0 11w1 7b= 10w1 14b0 9b1 8w0 2b=",
            "2090: 14b0 3w0 0U 10w1 8b1 1w= 2b1 4w= 16b1",
            "1950: 15w1 2b0 16b0 5w= 11b0 10b0 13w1 9w1 14b1",
            "1930: 16b= 14w1 3b0 13w1 6w0 11b= 15w= 5b1 1w0",
            "1790: 1b0 10w0 0H 11b- 0U 13b1 5w0 7b0 12w=",
            "1870: 2w0 9b1 15w0 6b0 5b0 7w1 12b1 11w1 3w0",
            "1810: 3b= 16w0 5b0 9w+ 7w1 8w= 14b0 10b0 13w=",
            "1770: 4w0 0U 14w+ 0Z 0Z 15b0 10w0 13b= 9b=",
            "1750: 5b1 1w= 4b0 8b0 14w0 9w0 7b0 12w= 11b=",
            "1850: 6w1 8b0 12b- 0Z 13b1 5w1 11w1 3b0 7w0",
            "1830: 7b0 5w1 10b1 1w0 16b0 12w1 8b= 2w= 4b0",
            "1910: 8w= 11b1 7w1 2b0 15w1 3w0 4b= 1b= 6w0",
        ],
    )
    .field()
}

#[test]
fn exercises_on_buchholz_and_sonneborn_berger() {
    let field = swiss_5();
    let solved = |spec: &str, expected: &str| {
        assert_eq!(
            values(&field, spec, Edition::Fide2024),
            fractions(expected),
            "{spec}"
        );
    };
    // Exercises 1 to 4.
    solved(
        "BH",
        "12.5 13 15.5 15 8.5 12 14.5 13.5 9 13 13.5 11.5 14 11 12 12.5",
    );
    // Exercises 5 to 8.
    solved("BH/C1", "11 12 13 11.5 7.5 11 12.5 12 7.5 11.5 12 9.5 12 9 11 11");
    // Exercise 10.
    solved(
        "FB",
        "13.5 13.5 15 15.5 10 12 13.5 12.5 9.5 12.5 12.5 11.5 13.5 10.5 12 13.5",
    );
    // Exercises 11 and 12.
    solved(
        "SB",
        "8 9.5 10.5 9.75 4.25 6.5 3.25 5.25 2.25 1.5 5.75 4 4.25 4.5 3.5 7.25",
    );
    // Exercise 13.
    solved(
        "SB/C1",
        "7.25 8.5 9.25 8 3.25 5.5 1.25 3.75 2.25 0 4.25 4 4.25 3 2.5 5.75",
    );
    // Exercise 9, printed with two decimals.
    let average = rounded(&values(&field, "AOB", Edition::Fide2024));
    let printed =
        "12.60 13.60 13.40 13.38 13.40 13.25 11.90 13.00 12.75 10.90 12.75 15.00 12.10 13.17 12.20 13.30";
    assert_eq!(average, printed.split(' ').collect::<Vec<_>>());
}

#[test]
fn the_same_exercises_in_the_edition_of_2026() {
    let field = swiss_5();
    let solved = |spec: &str, expected: &str| {
        assert_eq!(
            values(&field, spec, Edition::Fide2026),
            fractions(expected),
            "{spec}"
        );
    };
    // Number 4 has a requested bye: the dummy has at most 5 × ½ = 2½ and not 3½. Number 6 has the allocated bye: 2½ and
    // not 3. Number 11 won by forfeit against number 9, who has 1½: 1½ and not 2½.
    solved(
        "BH",
        "12.5 13 15.5 14 8.5 11.5 14.5 13.5 9 13 12.5 11.5 14 11 12 12.5",
    );
    solved(
        "BH/C1",
        "11 12 13 11.5 7.5 10.5 12.5 12 7.5 11.5 11 9.5 12 9 11 11",
    );
    solved(
        "FB",
        "13.5 13.5 15 14.5 10 12 13.5 12.5 9.5 12.5 12 11 13.5 10.5 12 13.5",
    );
    solved(
        "SB",
        "8 9.5 10.5 9.25 4.25 6 3.25 5.25 2.25 1.5 4.75 4 4.25 4.5 3.5 7.25",
    );
    solved(
        "SB/C1",
        "7.25 8.5 9.25 7.75 3.25 5 1.25 3.75 2.25 0 3.25 4 4.25 3 2.5 5.75",
    );
}

#[test]
fn exercises_on_ratings() {
    let field = swiss_5();
    let solved = |spec: &str, expected: &str| {
        let expected: Vec<_> = expected.split(' ').collect();
        assert_eq!(values(&field, spec, Edition::Fide2024), expected, "{spec}");
    };
    // Exercises 17 and 18: number 12 met one opponent only.
    solved(
        "ARO",
        "1820 1880 1940 1888 1690 1813 1760 1730 1975 1880 1863 2050 1930 1800 1860 1820",
    );
    solved(
        "ARO/C1",
        "1900 1988 2000 1983 1738 1900 1838 1800 2200 1975 2000 - 2025 1900 1963 1900",
    );
    // Exercises 19 and 20.
    solved(
        "TPR",
        "1969 2120 2089 2081 1690 1813 1611 1730 1175 1640 1776 1250 1781 1925 1788 1969",
    );
    // Exercise 21, for the four in question, and exercise 22.
    let average = values(&field, "APRO", Edition::Fide2024);
    assert_eq!(
        [0, 2, 3, 15].map(|at| average[at].as_str()),
        ["1789", "1904", "1772", "1805"]
    );
    assert_eq!(values(&field, "PTP", Edition::Fide2024)[2], "2112");
}

#[test]
fn exercises_on_own_results() {
    let field = swiss_5();
    let solved = |spec: &str, expected: &str| {
        assert_eq!(
            values(&field, spec, Edition::Fide2024),
            fractions(expected),
            "{spec}"
        );
    };
    // Exercises 27 to 33; `GE` is the older name of `REP`.
    solved("WIN", "2 3 2 2 2 3 1 2 1 1 2 2 1 2 2 3");
    solved("WON", "2 3 2 2 2 2 1 2 0 1 1 0 1 2 2 3");
    solved("BPG", "2 3 2 2 2 2 3 2 1 3 2 0 3 2 3 2");
    solved("BWG", "1 1 1 1 0 1 0 0 0 1 0 0 1 1 1 1");
    solved("GE", "5 5 5 4 5 5 5 5 3 5 5 3 5 3 5 5");
    solved("PS", "11 13 11 11.5 5 6 6 8.5 2.5 4 5.5 7 7 6 7 10.5");
    solved("PS/C1", "10 12 10.5 10.5 5 6 5 8 2.5 4 5 7 6 5 7 10");
}

#[test]
fn exercises_in_a_round_robin() {
    let field = round_robin();
    let solved = |spec: &str, expected: &str| {
        assert_eq!(
            values(&field, spec, Edition::Fide2024),
            fractions(expected),
            "{spec}"
        );
    };
    // Exercises 14 to 16: the forfeit of 5 against 6 is a game.
    solved("SB", "9.25 6.25 6.25 4.25 3.25 2.25");
    solved("SB/C1", "9.25 4.75 4.75 4.25 3.25 1.5");
    solved("KS", "2 0.5 0.5 1 0.5 0");
}

#[test]
fn exercises_on_direct_encounters() {
    // Exercises 23 and 24: not all have met, and the missing games could change who leads.
    let field = swiss_5();
    let after = places(&field, "DE", Edition::Fide2024);
    assert_eq!([0, 2, 3, 15].map(|at| after[at]), [2; 4]);
    assert_eq!([4, 7, 10].map(|at| after[at]), [7; 3]);
    // Exercise 25.
    let after = places(&swiss_9(), "DE", Edition::Fide2024);
    assert_eq!(after, [3, 5, 1, 3, 9, 2, 6, 6, 14, 9, 13, 14, 16, 9, 9, 6]);
    // Exercise 26.
    assert_eq!(
        places(&round_robin(), "DE", Edition::Fide2024),
        [1, 2, 2, 6, 5, 4]
    );
}

#[test]
fn many_unplayed_rounds_as_another_program_counts_them() {
    // Fifteen players and seven rounds with byes and forfeits of every kind, two of them double. The values are those that the
    // tie-break server of FIDE's Technical Commission gives for the edition of 2026.
    let field = contest(
        System::Swiss,
        &[
            "0: 8b= 6w1 3b= 14w+ 5w= 2b0 9w=",
            "0: 9w0 11b1 15w1 5b- 7b1 1w1 5b0",
            "0: 10b+ 7b1 1w= 9b= 0H 0Z 0H",
            "0: 11w- 13w- 6b- 0U 8w= 15b= 6w=",
            "0: 13b1 9w= 7b= 2w+ 1b= 11w= 2w1",
            "0: 14w= 1b0 4w+ 7w= 9b0 10w0 4b=",
            "0: 15b1 3w0 5w= 6b= 2w0 14b0 0U",
            "0: 1w= 14b- 0Z 0Z 4b= 13w1 14b0",
            "0: 2b1 5b= 0H 3w= 6w1 0H 1b=",
            "0: 3w- 15w- 13w= 15b1 14w1 6b1 11w0",
            "0: 4b- 2w0 0U 13b1 15w1 5b= 10b1",
            "0: 0H 0F 14b1 0H 0Z 0F 0Z",
            "0: 5w0 4b- 10b= 11w0 0U 8b0 15w0",
            "0: 6b= 8w+ 12w0 1b- 10b0 7w1 8w1",
            "0: 7w0 10b+ 2b0 10w0 11b0 4w= 13b1",
        ],
    )
    .field();
    let counted = |spec: &str, expected: &str| {
        assert_eq!(
            values(&field, spec, Edition::Fide2026),
            fractions(expected),
            "{spec}"
        );
    };
    counted("WIN", "2 4 2 1 3 1 2 1 2 3 4 3 1 3 2");
    counted("WON", "1 4 1 0 2 0 1 1 2 3 3 1 0 2 1");
    counted("BWG", "0 2 1 0 1 0 1 0 1 2 2 1 0 0 1");
    counted("BPG", "3 3 2 1 3 3 3 2 3 2 3 1 2 2 3");
    counted("PS", "18 16 19.5 7 20 11 12.5 7 19 11.5 14 18.5 5.5 12.5 8");
    counted("PS/C1", "17.5 16 18.5 7 19 10.5 11.5 6.5 18 11.5 14 18 5.5 12 8");
    counted("KS", "2.5 2 2 0 3.5 0.5 0.5 0.5 2.5 1 1.5 1 0.5 0 1");
    counted(
        "BH",
        "26 27.5 25.5 16 25.5 23.5 25 17.5 27 20.5 22.5 24.5 20.5 21 21.5",
    );
    counted(
        "BH/C1",
        "24 23.5 22 14.5 24 21 22.5 15.5 23.5 18 20 21 19 17.5 20",
    );
    counted(
        "BH/C2",
        "21.5 21 18.5 12 21 18.5 20 13.5 20 14.5 18.5 17.5 17.5 15.5 17.5",
    );
    counted(
        "BH/M1",
        "19 18.5 17.5 12 19.5 16.5 17.5 11.5 18.5 13.5 15 17.5 14 13 15.5",
    );
    counted("BH/M2", "12 11.5 10 7 12 10 10.5 6 10.5 6.5 9.5 10.5 8 7.5 9");
    counted("FB", "26 26.5 26 16.5 26.5 23.5 24 19 27 19.5 23 24 21 22 22");
    counted(
        "SB",
        "14 14 14.25 6 17.5 7 9.25 4.75 16.75 9.25 13.5 14 3.25 8.25 5.25",
    );
    counted(
        "SB/C1",
        "13 11.5 11.25 6 16 5.75 8 3.25 14.25 8.5 12 14 3.25 6.25 3.75",
    );
    counted(
        "SB/C2",
        "10.5 8.5 11.25 5 14.5 3.25 5.5 3.25 12.5 8.5 12 14 1.75 4.25 2.5",
    );
    counted(
        "SB/M1",
        "10.5 11.5 9 3.5 13.75 5.75 5.5 1.25 11.75 8.5 9.5 10.5 3.25 6.25 3.75",
    );
    counted("SB/M2", "5.75 4 7 1.25 10 3.25 3 1.25 7.75 5 9.5 7 1.75 4.25 2.5");
    let average = rounded(&values(&field, "AOB", Edition::Fide2026));
    let expected =
        "24.42 24.58 26.00 20.83 24.75 22.58 24.08 20.88 25.60 21.80 23.10 21.00 21.50 22.20 22.00";
    assert_eq!(average, expected.split(' ').collect::<Vec<_>>());
}

#[test]
fn the_virtual_opponent_of_2017() {
    // The regulation's own example: after two rounds a player has 1½; he does not come to the third of nine. His virtual
    // opponent has 1½ + (1 - 0) + ½ × 6 = 5½. With 3½ after five, a win by forfeit in the sixth: 3½ + 0 + ½ × 3 = 5.
    let field = contest(
        System::Swiss,
        &[
            "0: 2w1 2w= 2b- 2w1 2w0 2w0 2w0 2w0 2w0",
            "0: 1b0 1b= 1w+ 1b0 1b1 1b1 1b1 1b1 1b1",
            "0: 4w1 4w1 4w1 4w= 4w0 4w+ 4w0 4w0 4w0",
            "0: 3b0 3b0 3b0 3b= 3b1 3b- 3b1 3b1 3b1",
        ],
    )
    .field();
    // Number 2 scored 6½, of which the forfeit counts as a draw to his opponents: 6. Eight games: 8 × 6 + 5½ = 53½.
    assert_eq!(values(&field, "BH", Edition::Fide2017)[0], fractions("53.5")[0]);
    // Number 4 scored 4½ and a forfeit that counts as a draw, 5: 8 × 5 + 5 = 45.
    assert_eq!(values(&field, "BH", Edition::Fide2017)[2], "45");
}
