//! The meaning of a table's intervals: with what confidence, each or all at once, for whom and which items, and what
//! makes them valid.

use super::kinds::kinds;
use super::rows::{IntervalBasis, ReportedEstimate};
use crate::report::distinct;
use std::collections::BTreeSet;
use tiebreak_base::error::Flag;
use tiebreak_base::layout::number;
use tiebreak_base::scope::PeopleScope;
use tiebreak_base::words::{interval, listed};

/// The line for estimates of one kind; `None` where their table does not say.
pub(super) fn of_estimates(rows: &[&ReportedEstimate]) -> Option<String> {
    let all: Vec<&IntervalBasis> = rows
        .iter()
        .filter_map(|row| row.rests_on.as_ref())
        .collect();
    let first = all.first()?;
    let systems: BTreeSet<&str> = rows.iter().map(|row| row.system.as_str()).collect();
    let people = all.iter().filter_map(|one| one.annotators);
    let fewest = people.clone().min();
    let range = people.max().map(|most| (fewest.unwrap_or(most), most));
    let each = |of: &[&IntervalBasis], told: &dyn Fn(&IntervalBasis) -> String| {
        let told: Vec<String> = of.iter().map(|one| told(one)).collect();
        distinct(told.iter().map(String::as_str)).join(" or ")
    };
    // Systems with one judgment cannot show whether annotators return; the others can.
    let several = rows.iter().filter(|row| row.n > 1);
    let several: Vec<&IntervalBasis> = several.filter_map(|row| row.rests_on.as_ref()).collect();
    let telling = if several.is_empty() { &all } else { &several };
    let known = telling.iter().any(|one| one.over == THESE_ANNOTATORS);
    Some(format!(
        "{} % intervals, each for one system by itself, for {}. They are {}.",
        // Rounded, since 100 times 0.99 is not quite 99.
        number((first.confidence * 1e9).round() / 1e7),
        each(telling, &|one| over(one, range, systems.len(), known)),
        each(&all, &method),
    ))
}

/// The reasons why systems have no interval, a line each.
pub(super) fn without_interval(rows: &[&ReportedEstimate]) -> Vec<String> {
    let reasons = distinct(rows.iter().filter_map(|row| row.why.as_deref()));
    let line = |why: &str| {
        let systems = rows.iter().filter(|row| row.why.as_deref() == Some(why));
        let systems: Vec<&str> = systems.map(|row| row.system.as_str()).collect();
        format!("No interval for {}: {why}.", listed(&systems))
    };
    reasons.into_iter().map(line).collect()
}

/// The lines for estimates of all kinds, each with its criteria; what holds for several appears once.
pub fn of_each(rows: &[ReportedEstimate]) -> Vec<String> {
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for rows in kinds(rows) {
        let Some(line) = of_estimates(&rows) else {
            continue;
        };
        let criterion = rows[0].criterion.as_str();
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, criteria)) => criteria.push(criterion),
            None => lines.push((line, vec![criterion])),
        }
    }
    let told = |(line, criteria): (String, Vec<&str>)| format!("{}: {line}", criteria.join(", "));
    lines.into_iter().map(told).collect()
}

/// The name in tables of intervals that are about the annotators who judged.
const THESE_ANNOTATORS: &str = "these-annotators";

/// The variation that intervals allow for; `people` are the fewest and the most annotators of one of several systems.
/// Where intervals of other systems are about `known` annotators, those that are not say which systems they are of.
fn over(one: &IntervalBasis, people: Option<(u64, u64)>, systems: usize, known: bool) -> String {
    let (fewest, most) = people.unwrap_or_default();
    let count = match fewest == most {
        true => most.to_string(),
        false => format!("{fewest} to {most}"),
    };
    // Different ones may have judged different systems.
    let count = if systems > 1 {
        count + " a system"
    } else {
        count
    };
    match one.over.as_str() {
        THESE_ANNOTATORS => format!("these annotators ({count}) and items like these"),
        "these-items" if most == 0 => "these items (annotators have no names)".to_string(),
        "these-items" => format!("these annotators ({count}) and these items"),
        "outputs-at-hand" => {
            "the outputs of this data set, as these annotators judge them".to_string()
        }
        _ if known => "for items alone where no annotator judged two items".to_string(),
        _ if most == 0 => "items like these (annotators have no names)".to_string(),
        _ => "items like these (no annotator judged two items)".to_string(),
    }
}

/// The line on new annotators: of each system, or that there are too few annotators to estimate any.
pub(super) fn of_new_annotators(rows: &[&ReportedEstimate]) -> Option<String> {
    let told: Vec<String> = rows.iter().filter_map(|row| new_annotators(row)).collect();
    if !told.is_empty() {
        return Some(format!("New annotators like these: {}.", told.join("; ")));
    }
    let people = rows
        .iter()
        .filter_map(|row| row.rests_on.as_ref()?.annotators);
    PeopleScope::too_few(people.max()? as usize)
}

/// The lines on new annotators of all kinds, each with its criterion; what holds for all appears once.
pub fn of_new_annotators_each(rows: &[ReportedEstimate]) -> Vec<String> {
    let kinds = kinds(rows).into_iter();
    let line =
        |rows: Vec<&ReportedEstimate>| Some((rows[0].criterion.clone(), of_new_annotators(&rows)?));
    let lines: Vec<(String, String)> = kinds.filter_map(line).collect();
    match distinct(lines.iter().map(|(_, line)| line)).as_slice() {
        [one] => vec![(*one).clone()],
        _ => lines
            .iter()
            .map(|(criterion, line)| format!("{criterion}: {line}"))
            .collect(),
    }
}

/// The estimate for new annotators: `gpt 3.2 [2.9, 3.5]`.
fn new_annotators(row: &ReportedEstimate) -> Option<String> {
    let new = row.new_annotators?;
    let ends = interval(Some(new.lower), Some(new.upper));
    Some(format!("{} {} {ends}", row.system, number(new.estimate)))
}

/// The method that makes intervals hold.
fn method(one: &IntervalBasis) -> String {
    let range = one.range.map_or_else(String::new, |[low, high]| {
        format!(" from {} to {}", number(low), number(high))
    });
    match one.interval.as_str() {
        "exact" => "exact for judgments of 1 (yes) and 0 (no)".to_string(),
        "hull" | "bounded" => format!("valid for any judgments{range}"),
        "unseen-ends" => {
            format!("valid for enough judgments{range}, rare ones at either end included")
        }
        "large-sample" => format!("valid for enough judgments{range} (central limit theorem)"),
        _ => format!(
            "approximate, since the range of the judgments is not known ({})",
            Flag("range")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_decide::estimators::NewAnnotators;

    fn row(interval: &str, over: &str, annotators: Option<u64>) -> ReportedEstimate {
        ReportedEstimate {
            system: "s".to_string(),
            criterion: "fluency".to_string(),
            estimator: "mean".to_string(),
            n: 10,
            estimate: 0.5,
            lower: Some(0.4),
            upper: Some(0.6),
            rests_on: Some(IntervalBasis {
                standard_error: None,
                confidence: 0.95,
                interval: interval.to_string(),
                over: over.to_string(),
                annotators,
                range: (interval != "approximate").then_some([1.0, 5.0]),
                people: PeopleScope::These,
            }),
            ..ReportedEstimate::default()
        }
    }

    fn line(rows: &[ReportedEstimate]) -> String {
        of_estimates(&rows.iter().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn one_line_says_over_what_and_why() {
        assert_eq!(
            line(&[row("hull", "these-annotators", Some(3))]),
            "95 % intervals, each for one system by itself, for these annotators (3) and items like these. They are \
             valid for any judgments from 1 to 5."
        );
        let two = line(&[row("approximate", "these-annotators", Some(2))]);
        assert!(two.contains("for these annotators (2)"));
        assert!(two.contains("approximate, since the range"), "{two}");
        for over in ["items", "these-items"] {
            let told = line(&[row("exact", over, None)]);
            assert!(
                told.contains("annotators have no names") && !told.contains("(0)"),
                "{told}"
            );
        }
        // Each system may have its own annotator.
        let mut other = row("exact", "these-annotators", Some(1));
        other.system = "t".to_string();
        let told = line(&[row("exact", "these-annotators", Some(1)), other]);
        assert!(told.contains("for these annotators (1 a system)"), "{told}");
    }

    #[test]
    fn items_are_named_once_where_some_systems_have_annotators_who_return() {
        let told = line(&[
            row("hull", "these-annotators", Some(2)),
            row("hull", "items", Some(1)),
        ]);
        assert!(
            told.contains(
                "for these annotators (1 to 2) and items like these or for items alone where no annotator judged two items."
            ),
            "{told}"
        );
    }

    #[test]
    fn one_judgment_does_not_say_that_nobody_returns() {
        let mut once = row("hull", "items", Some(1));
        once.n = 1;
        let told = line(&[once.clone(), row("hull", "these-annotators", Some(1))]);
        assert!(
            told.contains("for these annotators (1) and items like these"),
            "{told}"
        );
        assert!(!told.contains("judged twice"), "{told}");
        assert!(line(&[once]).contains("no annotator judged two items"));
    }

    #[test]
    fn few_annotators_say_nothing_of_others() {
        let mut of_eight = row("hull", "these-annotators", Some(8));
        let too_few = |row: &ReportedEstimate| of_new_annotators(&[row]);
        assert_eq!(too_few(&of_eight), None, "asked for and not known");
        of_eight.new_annotators = Some(NewAnnotators {
            estimate: 0.5,
            lower: 0.25,
            upper: 0.75,
            standard_error: 0.1,
            annotators: 8,
            tastes: 0.0,
        });
        let told = too_few(&of_eight).unwrap();
        assert_eq!(
            told,
            "New annotators like these: s 0.5000 [0.2500, 0.7500]."
        );
        let three = too_few(&row("hull", "these-annotators", Some(3))).unwrap();
        assert_eq!(
            three,
            "3 annotators are too few to say what others would answer."
        );
        assert_eq!(too_few(&row("hull", "items", None)), None);
    }

    #[test]
    fn systems_that_rest_on_different_things_are_both_told() {
        let mut second = row("unseen-ends", "items", None);
        (second.lower, second.upper) = (None, None);
        second.why = Some("one judged item".to_string());
        let rows = [row("hull", "items", None), second];
        let told = line(&rows);
        assert!(
            told.contains(
                "valid for any judgments from 1 to 5 or valid for enough judgments from 1 to 5, rare ones \
                 at either end included"
            ),
            "{told}"
        );
        let missing = without_interval(&rows.iter().collect::<Vec<_>>());
        assert_eq!(missing, ["No interval for s: one judged item."]);
        let mut old = row("hull", "items", None);
        old.rests_on = None;
        assert_eq!(of_estimates(&[&old]), None);
    }
}
