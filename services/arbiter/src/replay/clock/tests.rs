use super::{super::TimeControlError, *};

const W: Color = Color::White;
const B: Color = Color::Black;

fn period(moves: u32, time: u64, increment: u64, delay: u64, delay_mode: DelayMode) -> Period {
    let seconds = Duration::from_secs;
    Period {
        moves,
        time: seconds(time),
        increment: seconds(increment),
        delay: seconds(delay),
        delay_mode,
    }
}

fn left(clock: &Clock, at: u64) -> [u64; 2] {
    clock
        .view(Duration::from_secs(at))
        .sides
        .map(|side| side.remaining.as_secs())
}

#[test]
fn periods_carry_over_and_increments_are_added() {
    let control = TimeControl::new(vec![
        period(2, 100, 10, 0, DelayMode::Simple),
        period(0, 50, 0, 0, DelayMode::Simple),
    ]);
    let mut clock = Clock::new(&control.unwrap(), W, [0; 2]);
    assert_eq!(left(&clock, 30), [70, 100]);
    clock.press(W, Duration::from_secs(30));
    assert_eq!(left(&clock, 50), [80, 80]);
    clock.press(B, Duration::from_secs(50));
    clock.press(W, Duration::from_secs(60));
    // 80 - 10 + 10 and the next period's 50.
    assert_eq!(left(&clock, 60), [130, 90]);
    let white = clock.view(Duration::from_secs(60)).sides[0];
    assert_eq!((white.period, white.moves, white.run_out), (1, 2, false));
    clock.press(B, Duration::from_secs(61));
    // No increment in the second period.
    clock.press(W, Duration::from_secs(71));
    assert_eq!(left(&clock, 71)[0], 120);
}

#[test]
fn a_move_taken_back_is_not_counted_nor_its_period_begun() {
    let control = TimeControl::new(vec![
        period(2, 100, 0, 0, DelayMode::Simple),
        period(0, 50, 0, 0, DelayMode::Simple),
    ]);
    let mut clock = Clock::new(&control.unwrap(), W, [0; 2]);
    clock.press(W, Duration::from_secs(10));
    clock.press(B, Duration::from_secs(10));
    clock.press(W, Duration::from_secs(20));
    assert_eq!(left(&clock, 20), [130, 100]);
    clock.take_back(W);
    let white = clock.view(Duration::from_secs(20)).sides[0];
    assert_eq!((white.remaining.as_secs(), white.period, white.moves), (80, 0, 1));
    assert_eq!(clock.moves_to_go(W), Some(1));
    clock.take_back(W);
    clock.take_back(W);
    assert_eq!(clock.moves_to_go(W), Some(2));
}

#[test]
fn delays_differ_in_when_the_flag_falls() {
    for (mode, run_out) in [(DelayMode::Simple, false), (DelayMode::Bronstein, true)] {
        let control = TimeControl::new(vec![period(0, 10, 0, 5, mode)]).unwrap();
        let mut clock = Clock::new(&control, W, [0; 2]);
        clock.press(W, Duration::from_secs(4));
        assert_eq!(left(&clock, 4)[0], 10, "{mode:?}");
        clock.press(B, Duration::from_secs(4));
        // Twelve seconds: seven after a simple delay; a Bronstein clock has run out before any is given back.
        clock.press(W, Duration::from_secs(16));
        let white = clock.view(Duration::from_secs(16)).sides[0];
        assert_eq!(
            (white.remaining.as_secs(), white.run_out),
            (3, run_out),
            "{mode:?}"
        );
    }
}

#[test]
fn impossible_controls_are_refused() {
    let simple = DelayMode::Simple;
    assert_eq!(TimeControl::new(vec![]), Err(TimeControlError::Periods));
    let open = vec![period(0, 9, 0, 0, simple), period(0, 9, 0, 0, simple)];
    assert_eq!(TimeControl::new(open), Err(TimeControlError::Moves(0)));
    assert_eq!(
        TimeControl::new(vec![period(40, 9, 0, 0, simple)]),
        Err(TimeControlError::Moves(0))
    );
    let long = vec![period(0, u64::MAX, 0, 0, simple)];
    assert_eq!(TimeControl::new(long), Err(TimeControlError::Time(0, "time")));
}
