//! Scores, tie-breaks, ratings, points and report files.

mod cases;
mod crosstable;
mod exercises;
mod oracle;
mod properties;
mod reports;
mod team_exercises;
