//! Where no system beats all the others none is called best, and where one does it still is.

use super::{Claims, Preferences};

/// Each of the first three beats the next and loses to the one before, by `margin`; the others lose
/// to those, by a tenth, and are in line among themselves.
fn cycle(k: usize, margin: f64) -> Preferences {
    Preferences::from_fn(k, |i, j| match (i, j) {
        (0, 2) => 0.5 - margin,
        (_, 0..3) => 0.5 + margin,
        (0..3, _) => 0.6,
        _ => 0.5 + 0.03 * (j as f64 - i as f64),
    })
}

/// 0 and 1 are as good as tied; 2 beats 1 clearly and loses to 0 clearly. What 0 lacks is one system
/// that others rule out quickly.
fn tied_with_the_beaten(margin: f64) -> Preferences {
    Preferences::from_fn(3, |i, j| match (i, j) {
        (0, 1) => 0.5 - margin,
        (0, _) => 0.6,
        _ => 0.4,
    })
}

/// The first `tied` are equal, the others worse by a tenth.
fn tied(k: usize, tied: usize) -> Preferences {
    Preferences::from_fn(k, |i, j| if i < tied && j >= tied { 0.6 } else { 0.5 })
}

fn assert_nobody_is_called_best(runs: u64, steps: u64) {
    let worlds = [
        ("a cycle", cycle(3, 0.1)),
        ("a weak cycle", cycle(3, 0.02)),
        ("a cycle above others", cycle(6, 0.05)),
        ("as good as tied", tied_with_the_beaten(0.005)),
        ("tied with the beaten", tied_with_the_beaten(0.0)),
        ("two equal systems", tied(2, 2)),
        ("equal systems", tied(5, 5)),
        ("two best", tied(4, 2)),
        ("three best", tied(5, 3)),
    ];
    for (what, truth) in worlds {
        for bandit in [
            "adaptive",
            "adaptive:target=ranking",
            "adaptive:target=top-k,k=1",
        ] {
            let found = Claims::of_matrix(bandit, &truth, (runs, steps));
            found.assert_valid(&format!("{what}, {bandit}"));
        }
    }
}

#[test]
fn where_no_system_beats_all_others_none_is_called_best() {
    assert_nobody_is_called_best(40, 600);
}

#[test]
#[ignore = "a thousand runs of every world take some minutes"]
fn where_no_system_beats_all_others_none_is_called_best_in_a_thousand_runs() {
    assert_nobody_is_called_best(1000, 3000);
}

#[test]
fn a_clear_cycle_is_called_one_and_a_clear_winner_the_best() {
    let nobody = Claims::of_matrix("adaptive", &cycle(3, 0.1), (40, 4000));
    nobody.assert_valid("a cycle");
    assert!(nobody.nobody >= 36, "{nobody:?}");
    let winner = Preferences::from_fn(5, |i, j| 0.5 + 0.04 * (j as f64 - i as f64));
    let best = Claims::of_matrix("adaptive", &winner, (40, 4000));
    best.assert_valid("a winner");
    assert!(best.made >= 36, "{best:?}");
}
