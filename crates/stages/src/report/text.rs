//! The report as text.

use super::chapter::{Chapter, lines};
use super::summary::ReportSummary;
use std::path::Path;
use tiebreak_base::layout::visible;
use tiebreak_base::words::section;
use tiebreak_data::tables::Manifest;

/// The most lines that a terminal of `COLUMNS` columns is given.
const LINES: usize = 40;
const COLUMNS: usize = 80;

/// The whole report; `texts` are those of the chapters.
pub(super) fn render(
    run: &Manifest,
    summary: &ReportSummary,
    chapters: &[Box<dyn Chapter>],
    texts: &[String],
) -> String {
    let mut text = title(run);
    text.extend(summary.answers().iter().map(ToString::to_string));
    text += &changes(run);
    text.push('\n');
    // The first answer stands above already.
    let further = chapters.iter().flat_map(|chapter| chapter.answers());
    let further = further.filter(|answer| answer.sentence != summary.best);
    text += &lines(further.collect());
    if !run.contents.is_empty() {
        text += &section("Data", &format!("{}: {}\n", run.data, run.contents));
    }
    text.extend(texts.iter().map(String::as_str));
    visible(&(text + &section("How this was made", &provenance(run))))
}

/// The answer, how all systems stand, and a short text of each chapter; then where the rest is.
pub(super) fn brief(
    run: &Manifest,
    summary: &ReportSummary,
    chapters: &[Box<dyn Chapter>],
    texts: &[String],
    dir: &Path,
) -> String {
    let mut text = title(run) + &summary.to_string() + &changes(run);
    let (mut alone, mut others) = (summary.standings.is_empty(), Vec::new());
    for (chapter, text_of) in chapters.iter().zip(texts) {
        let brief = chapter.brief();
        if !brief.is_empty() {
            text += &format!("\n{brief}");
            alone = false;
        } else if chapter.headline().is_none() {
            others.push(text_of);
        }
    }
    // As much of the rest as fits; all of it where there is nothing else.
    for other in others {
        if alone || height(&text) + height(other) < LINES {
            text += other;
        }
    }
    let rest = format!(
        "rest  {}: report.html for a browser, report.txt with every number\n",
        dir.display()
    );
    if height(&text) < LINES {
        return text + &rest;
    }
    let mut room = LINES - 2;
    let fits = text.lines().take_while(|line| {
        let fits = height(line) <= room;
        room = room.saturating_sub(height(line));
        fits
    });
    fits.collect::<Vec<_>>().join("\n") + "\n…\n" + &rest
}

/// The lines that a text takes on a terminal.
fn height(text: &str) -> usize {
    let line = |line: &str| line.chars().count().max(1).div_ceil(COLUMNS);
    text.lines().map(line).sum()
}

fn title(run: &Manifest) -> String {
    format!("{}\n{}\n", run.name, "═".repeat(run.name.chars().count()))
}

/// What changed while people answered.
fn changes(run: &Manifest) -> String {
    let line = |change: &String| format!("note  {change}\n");
    run.changes.iter().map(line).collect()
}

fn provenance(run: &Manifest) -> String {
    let data = match (run.data.is_empty(), run.digest.is_empty()) {
        // The folder of one result does not say which data it is about.
        (true, true) => String::new(),
        (true, false) => format!(", data {}", run.digest),
        (false, _) => format!(", data {} ({})", run.data, run.digest),
    };
    let mut text = format!("tiebreak {}, seed {}{data}\n", run.tiebreak, run.seed);
    for stage in &run.stages {
        text += &format!("{:9} {}\n", stage.kind, stage.signature);
    }
    if !run.command.is_empty() {
        text += &format!("{:9} {}\n", "again", run.command);
    }
    if !run.note.is_empty() {
        text += &format!("{:9} {}\n", "", run.note);
    }
    text
}
