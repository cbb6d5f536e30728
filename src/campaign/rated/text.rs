//! The status of a campaign of ratings, as text.

use super::status::{RatingStatus, SystemMean};
use crate::campaign::text::{questions, read, written};
use tiebreak_base::layout::{number, table};
use tiebreak_base::words::interval;

/// Renders what `ask`, `tell` and `serve` print.
pub(crate) fn render(ratings: &RatingStatus) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| text += &format!("{label:16}{value}\n");
    if let Some(told) = &ratings.told {
        line("read", read(told));
    }
    if let Some(written) = written(ratings.told.as_ref(), ratings.sheet.as_ref()) {
        line("written", written);
    }
    if !ratings.annotators.is_empty() {
        line("annotators", ratings.annotators.join(", "));
    }
    line("plan", plan(ratings));
    line("questions", questions(&ratings.questions, 0));
    line("verdict", ratings.verdict.clone());
    if let Some(agreement) = &ratings.agreement {
        line("agreement", agreement.summary_line());
    }
    for finding in &ratings.findings {
        line("stands out", finding.clone());
    }
    if let Some(notice) = &ratings.notice {
        line("note", notice.clone());
    }
    if !ratings.estimates.is_empty() {
        text += &format!("\n{}", means(&ratings.estimates));
        for meaning in &ratings.meaning {
            text += &format!("{meaning}\n");
        }
        text += "\n";
    }
    text + &format!("{:16}{}\n", "next", ratings.next)
}

fn plan(ratings: &RatingStatus) -> String {
    let alike = match ratings.alike {
        0 => String::new(),
        alike => format!(", {alike} of them like another, which is rated once"),
    };
    let left = ratings.left.as_ref().map_or(0, |left| left.questions);
    format!(
        "{} outputs{alike}; {left} still to be rated",
        ratings.planned
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
