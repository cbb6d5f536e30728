//! A gate in the forms that other programs read: test results in XML, and annotations of a workflow.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use tiebreak_base::error::{Error, Result};
use tiebreak_decide::evaluation::gate::{GateDecision, GateVerdict};
use tiebreak_stages::stages::gate::{GateReport, GateRow};

/// The variable that names the file of a job's summary.
const SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// The decision on one comparison alone, whatever others decide.
fn state(report: &GateReport, row: &GateRow) -> GateDecision {
    match (row.meets(report.require), row.refuted) {
        (true, _) => GateDecision::Met,
        (false, true) => GateDecision::NotMet,
        (false, false) => GateDecision::Undecided,
    }
}

/// The comparisons of slices, which show where a difference is and decide nothing.
fn slices(report: &GateReport) -> impl Iterator<Item = &GateRow> {
    report.results.iter().filter(|row| row.slice.is_some())
}

fn message(row: &GateRow) -> String {
    let why = row.why.iter().map(|why| format!(" ({why})"));
    format!(
        "{} against {}: {}, {}: {}{}",
        row.subject(),
        row.base,
        row.difference_text(),
        row.items_text(),
        row.proved(),
        why.collect::<String>()
    )
}

/// Test results in XML: a case a comparison. What is not met is a failure; what is undecided is one unless that passes.
pub(super) fn junit(report: &GateReport) -> String {
    let fails = |row: &GateRow| match state(report, row) {
        GateDecision::Met => false,
        GateDecision::NotMet => true,
        GateDecision::Undecided => !report.passed,
    };
    let tests = report.required().count();
    let failures = report.required().filter(|row| fails(row)).count();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{tests}\" failures=\"{failures}\">\n  \
         <testsuite name=\"tiebreak gate\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">\n"
    );
    for row in report.required() {
        let name = escaped(&format!("{}: {}", row.criterion, report.require));
        let class = escaped(&format!("{} against {}", row.new, row.base));
        let text = escaped(&message(row));
        let _ = write!(xml, "    <testcase classname=\"{class}\" name=\"{name}\">");
        if fails(row) {
            let kind = if state(report, row) == GateDecision::NotMet {
                "not-met"
            } else {
                "undecided"
            };
            let _ = write!(xml, "<failure type=\"{kind}\" message=\"{text}\"/>");
        }
        let _ = writeln!(xml, "<system-out>{text}</system-out></testcase>");
    }
    let sliced = slices(report).map(message).collect();
    let notes = [sliced, report.slice_tests(), report.all_notes()].concat();
    if !notes.is_empty() {
        let _ = writeln!(
            xml,
            "    <system-out>{}</system-out>",
            escaped(&notes.join("\n"))
        );
    }
    xml + "  </testsuite>\n</testsuites>\n"
}

/// A text within XML, without the characters that XML cannot have.
fn escaped(text: &str) -> String {
    let forbidden = |c: char| c < ' ' && !"\t\n\r".contains(c) || "\u{fffe}\u{ffff}".contains(c);
    let allowed = text.chars().filter(|&c| !forbidden(c));
    let mut out = String::new();
    for c in allowed {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => out.push(c),
        }
    }
    out
}

/// Annotations of a workflow, and its summary where there is a file for it.
pub(super) fn github(report: &GateReport) -> Result<String> {
    let mut lines = String::new();
    for row in report.required() {
        let level = match state(report, row) {
            GateDecision::Met => "notice",
            GateDecision::Undecided if report.passed => "warning",
            GateDecision::NotMet | GateDecision::Undecided => "error",
        };
        let title = format!("tiebreak gate: {}", report.require);
        lines += &annotation(level, &title, &message(row));
    }
    for row in slices(report) {
        let level = match row.verdicts.contains(&GateVerdict::Worse) {
            true => "warning",
            false => "notice",
        };
        lines += &annotation(level, "tiebreak gate: slice", &message(row));
    }
    for test in report.slice_tests() {
        lines += &annotation("notice", "tiebreak gate: slices", &test);
    }
    lines += &(one_line(&report.verdict()) + "\n");
    if let Some(path) = std::env::var_os(SUMMARY).filter(|path| !path.is_empty()) {
        let opened = OpenOptions::new().create(true).append(true).open(&path);
        let written = opened.and_then(|mut file| file.write_all(summary(report).as_bytes()));
        written.map_err(|source| Error::Write {
            path: path.into(),
            source,
        })?;
    }
    Ok(lines)
}

/// An annotation of a workflow.
fn annotation(level: &str, title: &str, text: &str) -> String {
    format!("::{level} title={}::{}\n", property(title), data(text))
}

/// A message of an annotation.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25");
    text.replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of an annotation.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The summary of a job, in Markdown.
fn summary(report: &GateReport) -> String {
    let mut text = format!(
        "### tiebreak gate\n\n**{}**\n\n| criterion | new | base | slice | items | difference | proved |\n\
         | --- | --- | --- | --- | ---: | --- | --- |\n",
        cell(&report.verdict())
    );
    for row in &report.results {
        let slice = row.slice.as_deref().unwrap_or("all");
        let cells = [&row.criterion, &row.new, &row.base, slice].map(|text: &str| cell(text));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            cells.join(" | "),
            row.n,
            row.difference_text(),
            row.proved()
        );
    }
    let told = [report.explanations(), report.all_notes()].concat();
    let told = told
        .iter()
        .map(|sentence| format!("\n- {}", cell(sentence)));
    text + &told.collect::<String>() + "\n\n"
}

/// A text within a table of Markdown.
fn cell(text: &str) -> String {
    let text = one_line(text).replace('\\', "\\\\");
    text.replace('|', "\\|").replace('<', "&lt;")
}

/// A text without line ends, after which a workflow would take names for commands.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_names_in_every_form() {
        let name = "a\n::error::b\\| <c>\u{fffe}\u{1}&";
        assert_eq!(one_line(name).lines().count(), 1);
        assert_eq!(data("a\n::error::b"), "a%0A::error::b");
        assert_eq!(cell("b\\| <c>"), "b\\\\\\| &lt;c>");
        assert_eq!(escaped(name), "a\n::error::b\\| &lt;c&gt;&amp;");
    }
}
