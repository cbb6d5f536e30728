//! The system with the best estimate, and the judgments that would separate it from the next.

use crate::report::headline::{BEST, Headline, SampleSizeEstimate};
use crate::stages::estimate::kinds::sign;
use crate::stages::estimate::rows::ReportedEstimate;
use crate::stages::estimate::standing::EstimateRanking;
use tiebreak_base::error::Flag;
use tiebreak_base::layout::number;
use tiebreak_base::words::{interval, listed};
use tiebreak_metrics::metrics::is_lower_better;

/// The hint at tests: intervals that do not overlap are no test.
fn test_hint() -> String {
    format!(
        "`tiebreak estimate {}` tests which systems differ.",
        Flag("differences")
    )
}

pub(super) fn estimates_headline(standing: &EstimateRanking<'_>) -> Headline {
    let near = standing.near();
    let sure = match (near.is_empty(), standing.rows.len(), standing.is_tested()) {
        (_, 1, _) => "It is the only system with judgments.".to_string(),
        (true, _, true) => "It differs significantly from every other system.".to_string(),
        (true, _, false) => "Its interval overlaps with no other one.".to_string(),
        (false, ..) => not_separated(standing, &near),
    };
    let is_unlike = near
        .iter()
        .any(|row| standing.unlike_to_best(row).is_some());
    let next = match near.first() {
        Some(_) if is_unlike => test_hint(),
        Some(_) if near.iter().any(|row| standing.is_ahead(row)) => {
            "Have the same items judged for all systems.".to_string()
        }
        Some(other) => needed(standing, other),
        None if standing.is_tested() => "No more judgments are needed for this.".to_string(),
        None => test_hint(),
    };
    let undecided = if near.is_empty() {
        ""
    } else {
        "Not decided yet. "
    };
    Headline {
        question: BEST,
        best: format!("{undecided}{}", leader(standing)),
        sure,
        assumptions: Vec::new(),
        next,
    }
}

/// A sentence on the best estimate and the systems without a significant difference from it.
pub(in crate::stages::estimate) fn best_estimated(standing: &EstimateRanking<'_>) -> String {
    let leader = leader(standing);
    match standing.near().as_slice() {
        [] => leader,
        near => format!("{leader} {}", not_separated(standing, near)),
    }
}

/// Sentences on the systems that are not told apart from the best: those ahead of it on the items of both, those tested
/// against it, those whose intervals overlap, and those of which neither is known.
fn not_separated(standing: &EstimateRanking<'_>, near: &[&ReportedEstimate]) -> String {
    let best = standing.rows[0];
    let is_tested = standing.is_tested();
    let is_known = |row: &&ReportedEstimate| match is_tested {
        true => standing
            .test(&best.system, &row.system)
            .is_some_and(|test| test.corrected_lower.is_some()),
        false => best.first_interval().is_some() && row.first_interval().is_some(),
    };
    let (ahead, others): (Vec<&ReportedEstimate>, Vec<_>) =
        near.iter().partition(|row| standing.is_ahead(row));
    let ahead = (!ahead.is_empty()).then(|| {
        format!(
            "On the items judged for both, it is significantly behind {}.",
            names(&ahead)
        )
    });
    let (unlike, others): (Vec<&ReportedEstimate>, Vec<_>) = others
        .into_iter()
        .partition(|row| standing.unlike_to_best(row).is_some());
    let unlike = unlike.iter().map(|row| {
        let why = standing.unlike_to_best(row).unwrap_or_default();
        format!("It and {} have other items: {why}.", row.system)
    });
    let (known, unknown): (Vec<&ReportedEstimate>, Vec<_>) = others.into_iter().partition(is_known);
    let known = (!known.is_empty()).then(|| match is_tested {
        true => format!("It does not differ significantly from {}.", names(&known)),
        false => format!(
            "Its interval overlaps with the {} of {}.",
            if known.len() == 1 {
                "interval"
            } else {
                "intervals"
            },
            names(&known)
        ),
    });
    let unknown = (!unknown.is_empty()).then(|| match is_tested {
        true => format!("It is not tested against {}.", names(&unknown)),
        false => format!(
            "There are no intervals to compare it with {}.",
            names(&unknown)
        ),
    });
    let all = ahead.into_iter().chain(unlike).chain(known).chain(unknown);
    all.collect::<Vec<_>>().join(" ")
}

fn leader(standing: &EstimateRanking<'_>) -> String {
    let best = standing.rows[0];
    let better = sign(&best.criterion);
    let end = match better < 0.0 {
        true => "lowest",
        false => "highest",
    };
    // Nothing but its name tells of the direction of a criterion.
    let doubt = match better > 0.0 && is_lower_better(&best.criterion) {
        true => format!(
            " If lower {} is better, the order is the reverse.",
            best.criterion
        ),
        false => String::new(),
    };
    let (lower, upper) = best.first_interval().unzip();
    let whose = match best.is_of_new() {
        true => " for new annotators",
        false => "",
    };
    format!(
        "{} has the {end} mean {}{whose}, {} {}.{doubt}",
        best.system,
        best.criterion,
        number(best.first_estimate()),
        interval(lower, upper)
    )
}

fn names(rows: &[&ReportedEstimate]) -> String {
    listed(
        &rows
            .iter()
            .map(|row| row.system.as_str())
            .collect::<Vec<_>>(),
    )
}

/// The judgments that tell the best from another: by the test of their difference, or without tests by their intervals.
fn needed(standing: &EstimateRanking<'_>, other: &ReportedEstimate) -> String {
    let best = standing.rows[0];
    let gap = sign(&best.criterion) * (best.first_estimate() - other.first_estimate());
    let n = best.n.max(other.n);
    let tested = standing.test(&best.system, &other.system);
    let halves = [best, other].map(ReportedEstimate::half_width);
    let needed = match tested.filter(|test| test.corrected_lower.is_some()) {
        Some(test) => SampleSizeEstimate {
            times: test.needed_times,
            n,
        },
        None if best.holds_at_any_time() => {
            SampleSizeEstimate::by_anytime_intervals(gap, halves, n)
        }
        None => best
            .judgments_to_separate(other, gap)
            .unwrap_or_else(|| SampleSizeEstimate::by_intervals(gap, halves, n)),
    };
    needed.effort_sentence(&best.system, &other.system, "judgments")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stages::estimate::differences::{SystemComparisons, SystemDifference};
    use crate::stages::estimate::standing::standings;

    fn row(system: &str, estimate: f64, half: f64) -> ReportedEstimate {
        ReportedEstimate {
            system: system.to_string(),
            criterion: "fluency".to_string(),
            estimator: "mean".to_string(),
            n: 100,
            estimate,
            lower: Some(estimate - half),
            upper: Some(estimate + half),
            ..ReportedEstimate::default()
        }
    }

    fn headline(rows: &[ReportedEstimate]) -> Headline {
        estimates_headline(&standings(rows, &[])[0])
    }

    #[test]
    fn estimates_that_overlap_ask_for_more() {
        // √(1 + 1)/0.5 squared is 8, and with power for four cases of five 16 times as many.
        let found = headline(&[row("a", 5.0, 1.0), row("b", 4.5, 1.0), row("c", 1.0, 1.0)]);
        assert_eq!(
            found.best,
            "Not decided yet. a has the highest mean fluency, 5 [4, 6]."
        );
        assert_eq!(found.sure, "Its interval overlaps with the interval of b.");
        let more = "About 1600 judgments of each would separate a from b, instead of 100 now";
        assert!(found.next.contains(more), "{}", found.next);
        let equal = headline(&[row("a", 5.0, 1.0), row("b", 5.0, 1.0)]);
        assert!(equal.next.contains("so close"));
        let unknown = ReportedEstimate {
            lower: None,
            ..row("a", 5.0, 0.0)
        };
        let found = headline(&[unknown, row("b", 1.0, 0.1)]);
        assert!(found.best.starts_with("Not decided yet") && found.sure.contains("no interval"));
        let apart = headline(&[row("a", 5.0, 0.1), row("b", 4.0, 0.1)]);
        assert_eq!(apart.next, test_hint());
        assert!(apart.best.starts_with("a has"), "{}", apart.best);
    }

    /// Intervals that hold at any time are told apart once they do not overlap, and are wider than a test's.
    #[test]
    fn anytime_intervals_ask_for_as_many_as_they_take() {
        let anytime = |system, estimate| ReportedEstimate {
            estimator: "betting:anytime=true".to_string(),
            ..row(system, estimate, 1.0)
        };
        // (1 + 1 + .43 · √2)/0.5 squared is 27.2.
        let found = headline(&[anytime("a", 5.0), anytime("b", 4.5)]);
        let more = "About 2700 judgments of each would separate a from b";
        assert!(found.next.contains(more), "{}", found.next);
    }

    #[test]
    fn what_was_changed_least_is_best() {
        let edited = |system, estimate| ReportedEstimate {
            criterion: "hter".to_string(),
            ..row(system, estimate, 0.1)
        };
        let found = headline(&[edited("a", 1.2), edited("b", 0.1), edited("c", 0.25)]);
        assert_eq!(
            found.best,
            "Not decided yet. b has the lowest mean hter, 0.1000 [0, 0.2000]."
        );
        assert_eq!(found.sure, "Its interval overlaps with the interval of c.");
        assert!(found.next.contains("separate b from c"), "{}", found.next);
        // Of our own metrics the direction is known; of other names it is a guess.
        let errors = |criterion: &str| {
            let rows = [row("a", 0.2, 0.01), row("b", 0.1, 0.01)];
            headline(&rows.map(|one| ReportedEstimate {
                criterion: criterion.to_string(),
                ..one
            }))
            .best
        };
        assert_eq!(
            errors("TER"),
            "b has the lowest mean TER, 0.1000 [0.09000, 0.1100]."
        );
        let doubted = "a has the highest mean cer, 0.2000 [0.1900, 0.2100]. If lower cer is better, the order is the reverse.";
        assert_eq!(errors("cer"), doubted);
    }

    fn pair(
        system_a: &str,
        system_b: &str,
        difference: f64,
        significant: bool,
    ) -> SystemDifference {
        SystemDifference {
            system_a: system_a.to_string(),
            system_b: system_b.to_string(),
            criterion: "fluency".to_string(),
            estimator: "mean".to_string(),
            difference,
            standard_error: Some(1.0),
            significant,
            items: 100,
            corrected_lower: Some(difference - 0.5),
            corrected_upper: Some(difference + 0.5),
            needed_times: (!significant).then_some(3.0),
            ..SystemDifference::default()
        }
    }

    /// Pairs on the same items may differ where intervals overlap: tests go before intervals, and places
    /// are what they leave open.
    #[test]
    fn tests_decide_where_there_are_tests() {
        let rows = [row("a", 5.0, 1.0), row("b", 4.5, 1.0), row("c", 4.4, 1.0)];
        let tests = |a_b: bool| {
            let differences = vec![
                pair("a", "b", 0.5, a_b),
                pair("c", "a", -0.6, true),
                pair("b", "c", 0.1, false),
            ];
            let found = SystemComparisons {
                differences,
                ..SystemComparisons::default()
            };
            vec![("e".to_string(), found)]
        };
        let places = |compared: &[(String, SystemComparisons)]| -> Vec<Option<(u64, u64)>> {
            let judged = standings(&rows, compared)[0].judged();
            judged.systems.iter().map(|one| one.places).collect()
        };
        assert_eq!(
            places(&tests(true)),
            [Some((1, 1)), Some((2, 3)), Some((2, 3))]
        );
        assert_eq!(
            places(&tests(false)),
            [Some((1, 2)), Some((1, 3)), Some((2, 3))]
        );
        assert_eq!(places(&[]), [None; 3], "no place without a test");
        let (all, compared) = (tests(true), tests(false));
        let decided = estimates_headline(&standings(&rows, &all)[0]);
        assert!(decided.best.starts_with("a has") && decided.sure.contains("every other"));
        let open = estimates_headline(&standings(&rows, &compared)[0]);
        assert!(
            open.best.starts_with("Not decided yet")
                && open.sure.ends_with("significantly from b.")
        );
        assert!(open.next.contains("About 300 judgments"), "{}", open.next);
    }

    /// A mean of other items too may be the highest though its system is behind on the items of both.
    #[test]
    fn who_is_behind_on_shared_items_is_not_said_to_lead() {
        let rows = [row("a", 5.0, 1.0), row("b", 4.5, 1.0), row("c", 4.4, 1.0)];
        let found = SystemComparisons {
            differences: vec![pair("a", "b", -0.6, true), pair("a", "c", 0.6, true)],
            ..SystemComparisons::default()
        };
        let compared = [("e".to_string(), found)];
        let standing = &standings(&rows, &compared)[0];
        let said = "On the items judged for both, it is significantly behind b.";
        let found = estimates_headline(standing);
        assert!(found.best.starts_with("Not decided yet."), "{found:?}");
        assert_eq!(
            (found.sure.as_str(), found.next.as_str()),
            (said, "Have the same items judged for all systems.")
        );
        assert!(best_estimated(standing).ends_with(said));
    }

    /// The answer and the headline say of a pair only what was found of it.
    #[test]
    fn pairs_without_a_test_are_not_said_to_be_tested() {
        let rows = [row("a", 5.0, 1.0), row("b", 4.5, 1.0), row("c", 4.4, 1.0)];
        let untested = SystemDifference {
            corrected_lower: None,
            corrected_upper: None,
            ..pair("a", "c", 0.6, false)
        };
        let found = SystemComparisons {
            differences: vec![pair("a", "b", 0.5, false), untested],
            ..SystemComparisons::default()
        };
        let compared = [("e".to_string(), found)];
        let tested = "It does not differ significantly from b. It is not tested against c.";
        let overlap = "Its interval overlaps with the intervals of b and c.";
        for (compared, said) in [(&compared[..], tested), (&[][..], overlap)] {
            let standing = &standings(&rows, compared)[0];
            assert!(best_estimated(standing).ends_with(said), "{said}");
            assert_eq!(estimates_headline(standing).sure, said);
        }
    }
}
