//! A table of results for a text: the ranking of compared systems, or the mean judgments of judged ones, in Markdown or LaTeX.

use super::lines::LineFileWriter;
use super::{Export, ExportRequest, ExportSummary};
use crate::inputs::judging::is_less_better;
use crate::stages::estimate::{self, EstimateStage};
use crate::stages::rank::{self, Rank, VerdictSource};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::keys::Confidence;
use tiebreak_base::layout::{decimals, in_line, share};
use tiebreak_base::words::as_sentence;
use tiebreak_data::records::Kind;

/// As Markdown.
pub(crate) const MARKDOWN: Export = Export {
    name: "markdown",
    summary: "the ranking, or mean judgments, as a table of Markdown",
    file: Some("results.md"),
    write: |what, out| write(what, out, MARKDOWN.name, markdown),
};

/// As LaTeX.
pub(crate) const LATEX: Export = Export {
    name: "latex",
    summary: "the ranking, or mean judgments, as a table of LaTeX",
    file: Some("results.tex"),
    write: |what, out| write(what, out, LATEX.name, latex),
};

/// The cells of a table, and what its numbers are.
struct ResultTable {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    note: String,
}

/// Digits after the point.
const DIGITS: usize = 3;

fn write(
    what: &ExportRequest<'_>,
    out: &Path,
    form: &str,
    render: fn(&ResultTable) -> Vec<String>,
) -> Result<ExportSummary> {
    let is_compared = what.predictions.is_some() || what.source.index.has(Kind::Comparisons);
    let table = match is_compared || !what.source.index.has(Kind::Judgments) {
        true => ranked(what)?,
        false => estimated(what)?,
    };
    let mut lines = LineFileWriter::create(out)?;
    // Names may have line ends, which would end a row.
    let in_lines = table
        .rows
        .iter()
        .map(|cells| cells.iter().map(|cell| in_line(cell)).collect());
    let table = ResultTable {
        rows: in_lines.collect(),
        note: in_line(&table.note),
        ..table
    };
    render(&table)
        .iter()
        .try_for_each(|line| lines.line(line))?;
    Ok(ExportSummary {
        form: form.to_string(),
        rows: vec![(lines.finish()?.0, table.rows.len() as u64)],
        dropped: Vec::new(),
    })
}

fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn value(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| decimals(value, DIGITS))
}

fn interval(ends: Option<(f64, f64)>) -> String {
    ends.map_or_else(String::new, |(lower, upper)| {
        format!("[{}, {}]", decimals(lower, DIGITS), decimals(upper, DIGITS))
    })
}

fn ranked(what: &ExportRequest<'_>) -> Result<ResultTable> {
    // Predictions stand in the place of people's comparisons.
    let keys = Rank {
        verdicts: what.predictions.map(|_| VerdictSource::DataSet),
        ..Rank::default()
    };
    let confidence = Confidence::default().value();
    let ranking = rank::run(
        what.context,
        what.source,
        &keys,
        what.predictions,
        confidence,
    )?;
    let rows = ranking.strengths.iter().map(|one| {
        let rank = match rank::placed(one, &ranking).places {
            None => String::new(),
            Some((low, high)) if low == high => low.to_string(),
            Some((low, high)) => format!("{low}-{high}"),
        };
        vec![
            rank,
            one.system.clone(),
            value(one.strength),
            interval(one.lower.zip(one.upper)),
            one.comparisons.to_string(),
        ]
    });
    let counted = as_sentence(ranking.evidence.compared());
    Ok(ResultTable {
        columns: columns(&[
            "Rank",
            "System",
            "Strength",
            "Interval",
            counted.trim_end_matches('.'),
        ]),
        rows: rows.collect(),
        note: format!(
            "{} {}",
            ranking.claim.verdict(),
            ranking.evidence.ranked_from()
        ),
    })
}

fn estimated(what: &ExportRequest<'_>) -> Result<ResultTable> {
    let keys = EstimateStage::default();
    let mut rows = estimate::run(what.context, what.source, &[], &keys)?.rows;
    let mean = |row: &estimate::EstimateRow| match row.analysis.estimate {
        Some(mean) if is_less_better(&row.criterion) => -mean,
        mean => mean.unwrap_or(f64::NEG_INFINITY),
    };
    rows.sort_by(|a, b| {
        a.criterion
            .cmp(&b.criterion)
            .then(mean(b).total_cmp(&mean(a)))
    });
    let cells = rows.iter().map(|row| {
        let analysis = &row.analysis;
        vec![
            row.criterion.clone(),
            row.system.clone(),
            value(analysis.estimate),
            interval(analysis.lower.zip(analysis.upper)),
            analysis.n.to_string(),
        ]
    });
    Ok(ResultTable {
        columns: columns(&["Criterion", "System", "Mean", "Interval", "Judgments"]),
        rows: cells.collect(),
        note: format!(
            "Each interval holds by itself with {} confidence.",
            share(keys.confidence.value())
        ),
    })
}

fn markdown(table: &ResultTable) -> Vec<String> {
    let row = |cells: &[String]| {
        let cells = cells
            .iter()
            .map(|cell| cell.replace('\\', "\\\\").replace('|', "\\|"));
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    };
    let rule = table
        .columns
        .iter()
        .enumerate()
        .map(|(place, _)| if place < 2 { "---" } else { "---:" });
    let rule = format!("| {} |", rule.collect::<Vec<_>>().join(" | "));
    let rows = table.rows.iter().map(|cells| row(cells));
    let note = [String::new(), table.note.clone()];
    [row(&table.columns), rule]
        .into_iter()
        .chain(rows)
        .chain(note)
        .collect()
}

fn latex(table: &ResultTable) -> Vec<String> {
    let row = |cells: &[String]| {
        let cells = cells.iter().map(|cell| escaped(cell));
        format!("{} \\\\", cells.collect::<Vec<_>>().join(" & "))
    };
    let begin = [
        "\\begin{tabular}{llrrr}".to_string(),
        "\\hline".to_string(),
        row(&table.columns),
        "\\hline".to_string(),
    ];
    let rows = table.rows.iter().map(|cells| row(cells));
    let end = [
        "\\hline".to_string(),
        "\\end{tabular}".to_string(),
        format!("% {}", table.note),
    ];
    begin.into_iter().chain(rows).chain(end).collect()
}

/// A text with the characters escaped that are commands in LaTeX. A row that began with a bracket would be an option of
/// the line break before it.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '[' | ']' => escaped.extend(['{', c, '}']),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_do_not_become_columns_or_commands() {
        let table = ResultTable {
            columns: columns(&["Rank", "System"]),
            rows: vec![columns(&["1", "a|b_c & 5%"])],
            note: "n".to_string(),
        };
        assert_eq!(markdown(&table)[2], "| 1 | a\\|b_c & 5% |");
        assert_eq!(latex(&table)[4], "1 & a|b\\_c \\& 5\\% \\\\");
    }
}
