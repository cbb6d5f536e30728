//! The status of a campaign of ratings, as text.

use super::status::{RatingStatus, SystemMean};
use crate::campaign::text::{labelled, questions, read, written};
use tiebreak_base::layout::{number, table};
use tiebreak_base::words::{counted, interval};

/// Renders what `ask`, `tell` and `serve` print.
pub(crate) fn render(ratings: &RatingStatus) -> String {
    let line = |label: &str, value: String| labelled(label, [value]);
    let mut text = String::new();
    if let Some(written) = written(ratings.told.as_ref(), ratings.sheet.as_ref(), ratings.state) {
        text += &line("written", written);
    }
    text += &labelled("verdict", &ratings.verdict_lines);
    if let Some(told) = &ratings.told {
        text += &line("read", read(told));
    }
    if !ratings.annotators.is_empty() {
        text += &line("annotators", ratings.annotators.join(", "));
    }
    text += &line("plan", plan(ratings));
    text += &line("questions", questions(&ratings.questions, 0));
    if let Some(agreement) = &ratings.agreement {
        text += &line("agreement", agreement.summary_line());
    }
    for finding in &ratings.findings {
        text += &line("stands out", finding.clone());
    }
    if let Some(notice) = &ratings.notice {
        text += &line("note", notice.clone());
    }
    if !ratings.estimates.is_empty() {
        text += &format!("\n{}", means(&ratings.estimates));
        for meaning in &ratings.meaning {
            text += &format!("{meaning}\n");
        }
        text += "\n";
    }
    text + &labelled("next", [&ratings.next])
}

fn plan(ratings: &RatingStatus) -> String {
    let same = match ratings.alike {
        0 => String::new(),
        same => format!("; {same} have the same text as another, which is rated once"),
    };
    let left = ratings.left.as_ref().map_or(0, |left| left.questions);
    format!(
        "{}, {left} still to be rated{same}",
        counted(ratings.planned, "output")
    )
}

fn means(estimates: &[SystemMean]) -> String {
    let rows: Vec<Vec<String>> = estimates
        .iter()
        .map(|row| {
            vec![
                row.criterion.clone(),
                row.system.clone(),
                row.n.to_string(),
                number(row.estimate),
                interval(row.lower, row.upper),
            ]
        })
        .collect();
    table(
        &["criterion", "system", "ratings", "mean", "interval"],
        &rows,
    )
}
