//! FIDE's rating tables: Rating Regulations (B.02) effective from 1 March 2024, 8.1.1 and 8.1.2; the same in the
//! edition before, and in table 1.4.9 of the Title Regulations (B.01).

/// 8.1.1: the rating difference for a fractional score of 50, 51, … 100 hundredths. Below a half it is the negative of
/// the mirror image. At 0 and 1 it is indeterminate and put at 800.
const DIFFERENCES: [i32; 51] = [
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175,
    184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444,
    470, 501, 538, 589, 677, 800,
];

/// 8.1.2: the greatest difference at which the higher rated player is expected to score 50, 51, … 99 hundredths.
const GREATEST: [u32; 50] = [
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162, 170, 179,
    188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374, 391, 411, 432, 456,
    484, 517, 559, 619, 735,
];

/// The rating difference for a fractional score in hundredths (8.1.1).
pub fn difference_for(hundredths: u32) -> i32 {
    let hundredths = hundredths.min(100);
    if hundredths >= 50 {
        DIFFERENCES[hundredths as usize - 50]
    } else {
        -DIFFERENCES[50 - hundredths as usize]
    }
}

/// The score to expect, in hundredths, from a player rated `difference` above the opponent (8.1.2).
pub fn expected_at(difference: i32) -> u32 {
    let higher = 50 + GREATEST.partition_point(|greatest| *greatest < difference.unsigned_abs()) as u32;
    if difference >= 0 { higher } else { 100 - higher }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_mirror_images() {
        assert_eq!(
            (difference_for(0), difference_for(100), difference_for(50)),
            (-800, 800, 0)
        );
        for hundredths in 1..100 {
            assert_eq!(difference_for(hundredths), -difference_for(100 - hundredths));
            // The difference of a fractional score is always one at which that score is expected.
            assert_eq!(expected_at(difference_for(hundredths)), hundredths);
        }
        for difference in -900..900 {
            assert_eq!(expected_at(difference) + expected_at(-difference), 100);
            assert!(expected_at(difference) <= expected_at(difference + 1));
        }
    }

    #[test]
    fn single_lines_are_as_printed() {
        let printed = [
            (0, 50),
            (3, 50),
            (4, 51),
            (91, 62),
            (92, 63),
            (197, 75),
            (198, 76),
            (344, 88),
            (345, 89),
        ];
        for (difference, expected) in printed {
            assert_eq!(expected_at(difference), expected, "{difference}");
        }
        for (difference, expected) in [
            (391, 91),
            (392, 92),
            (411, 92),
            (412, 93),
            (735, 99),
            (736, 100),
            (3000, 100),
        ] {
            assert_eq!(expected_at(difference), expected, "{difference}");
        }
        assert_eq!(
            (difference_for(66), difference_for(34), difference_for(92)),
            (117, -117, 401)
        );
    }
}
