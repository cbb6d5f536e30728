//! Annotators as text: agreement, those who stand out, and the busiest.

use super::text::section;
use crate::layout::{self, optional};
use crate::tables::annotators::{Agreement, Annotator, Annotators};

/// Most annotators listed of one kind of answer, outliers aside.
const LISTED: usize = 12;

/// Agreement in a table, then a section for each kind of answer.
pub fn render_annotators(found: &Annotators) -> String {
    let rows: Vec<Vec<String>> = found.agreement.iter().map(agreement).collect();
    let header = [
        "agreement on",
        "annotators",
        "questions",
        "by two or more",
        "alpha nominal",
        "ordinal",
        "interval",
        "kappa Fleiss",
        "Cohen",
    ];
    let mut text = layout::table(&header, &rows);
    for agreement in &found.agreement {
        text += &notes(agreement);
    }
    for agreement in &found.agreement {
        let of = found
            .annotators
            .iter()
            .filter(|one| one.asked == agreement.asked);
        let title = format!("Annotators, {}", agreement.asked.name());
        text += &section(&title, &annotators(&of.collect::<Vec<_>>()));
    }
    text
}

fn agreement(one: &Agreement) -> Vec<String> {
    let decimals =
        |value: Option<f64>| value.map_or_else(|| "–".to_string(), |x| format!("{x:.3}"));
    vec![
        one.asked.name(),
        one.annotators.to_string(),
        one.questions.to_string(),
        one.shared.to_string(),
        decimals(one.alpha_nominal),
        decimals(one.alpha_ordinal),
        decimals(one.alpha_interval),
        decimals(one.kappa_fleiss),
        decimals(one.kappa_cohen),
    ]
}

/// What the numbers alone would hide.
fn notes(one: &Agreement) -> String {
    let name = one.asked.name();
    let mut text = String::new();
    if one.shared == 0 {
        text += &format!("{name}: no question was answered by two, so agreement is unknown\n");
    }
    if one.repeated > 0 {
        let n = one.repeated;
        text += &format!("{name}: {n} answers repeat an annotator's own; their mean counts once\n");
    }
    if one.unknown > 0 {
        text += &format!("{name}: {} answers do not say who gave them\n", one.unknown);
    }
    text
}

/// Outliers first, then the busiest.
fn annotators(all: &[&Annotator]) -> String {
    let mut order = all.to_vec();
    order.sort_by_key(|one| (one.outlier.is_empty(), std::cmp::Reverse(one.answers)));
    let outliers = order.iter().filter(|one| !one.outlier.is_empty()).count();
    let has_accuracy = all.iter().any(|one| one.accuracy.is_some());
    let line = |one: &&Annotator| {
        let mut line = vec![
            one.annotator.clone(),
            one.answers.to_string(),
            one.shared.to_string(),
            optional(one.agreement),
            optional(one.bias),
            optional(one.noise),
        ];
        if has_accuracy {
            line.push(optional(one.accuracy));
        }
        line.push(one.outlier.join(", "));
        line
    };
    let shown = outliers + LISTED;
    let lines: Vec<Vec<String>> = order.iter().take(shown).map(line).collect();
    let mut header = vec![
        "annotator",
        "answers",
        "shared",
        "agreement",
        "bias",
        "noise",
    ];
    if has_accuracy {
        header.push("accuracy");
    }
    header.push("stands out in");
    let mut text = layout::table(&header, &lines);
    if order.len() > shown {
        text += &format!("and {} more\n", order.len() - shown);
    }
    let named = match outliers {
        0 => "nobody stands out".to_string(),
        1 => "1 annotator stands out".to_string(),
        n => format!("{n} annotators stand out"),
    };
    text + &format!(
        "{named} (distance to the median annotator, Student's t, 5 % with Holm's correction)\n"
    )
}
