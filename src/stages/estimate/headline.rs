//! Which system has the highest estimate, and what would tell it from the next.

use super::kinds::near;
use super::rows::Estimated;
use crate::layout::number;
use crate::report::headline::{Headline, Needed};
use crate::report::words::{interval, listed};

/// Intervals that do not overlap are no test.
const TEST: &str = "`tiebreak estimate --differences` tests which systems differ.";

pub(super) fn of_estimates(kind: &[&Estimated]) -> Headline {
    let best = kind[0];
    let near = near(kind);
    let sure = match (near.is_empty(), kind.len()) {
        (_, 1) => "It is the only system with estimates.".to_string(),
        (true, _) => "No other interval overlaps with its own.".to_string(),
        (false, _) => {
            let names: Vec<&str> = near.iter().map(|row| row.system.as_str()).collect();
            format!("The intervals of {} overlap with it.", listed(&names))
        }
    };
    let next = near.first().map_or_else(
        || TEST.to_string(),
        |other| {
            let needed = Needed {
                gap: best.estimate - other.estimate,
                intervals: [best, other].map(|row| row.lower.zip(row.upper)),
                n: [best.n, other.n],
            };
            needed.told(&best.system, &other.system, "judgments")
        },
    );
    Headline {
        best: format!(
            "{} has the highest mean {}, {} {}.",
            best.system,
            best.criterion,
            number(best.estimate),
            interval(best.lower, best.upper)
        ),
        sure,
        next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(system: &str, estimate: f64, half: f64) -> Estimated {
        Estimated {
            system: system.to_string(),
            criterion: "fluency".to_string(),
            metric: None,
            estimator: "mean".to_string(),
            n: 100,
            estimate,
            lower: Some(estimate - half),
            upper: Some(estimate + half),
            data_efficiency: None,
            rests_on: None,
        }
    }

    #[test]
    fn estimates_that_overlap_ask_for_more() {
        // √(1 + 1)/0.5 squared is 8: eight times as many judgments.
        let rows = [row("a", 5.0, 1.0), row("b", 4.5, 1.0), row("c", 1.0, 1.0)];
        let found = of_estimates(&rows.iter().collect::<Vec<_>>());
        assert_eq!(found.best, "a has the highest mean fluency, 5 [4, 6].");
        assert_eq!(found.sure, "The intervals of b overlap with it.");
        assert!(
            found
                .next
                .contains("roughly 800 judgments of each instead of 100"),
            "{}",
            found.next
        );
        let rows = [row("a", 5.0, 1.0), row("b", 5.0, 1.0)];
        assert!(
            of_estimates(&rows.iter().collect::<Vec<_>>())
                .next
                .contains("so close")
        );
        let rows = [row("a", 5.0, 0.1), row("b", 4.0, 0.1)];
        assert_eq!(of_estimates(&rows.iter().collect::<Vec<_>>()).next, TEST);
    }
}
