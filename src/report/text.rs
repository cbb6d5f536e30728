//! The report as text.

use super::chapter::{Chapter, lines};
use super::summary::Summary;
use super::words::section;
use crate::layout::visible;
use crate::tables::Manifest;
use std::path::Path;

/// The most lines that a terminal is given.
const LINES: usize = 40;

/// The whole report.
pub(super) fn render(run: &Manifest, summary: &Summary, chapters: &[Box<dyn Chapter>]) -> String {
    let mut text = title(run);
    for (word, _, sentence) in summary.sentences() {
        text += &format!("{word:6}{sentence}\n");
    }
    text.push('\n');
    text.extend(chapters.iter().map(|chapter| lines(chapter.answers())));
    if !run.contents.is_empty() {
        text += &section("Data", &format!("{}: {}\n", run.data, run.contents));
    }
    text.extend(chapters.iter().map(|chapter| chapter.text()));
    visible(&(text + &section("How this was made", &provenance(run))))
}

/// The answer, how all systems stand, and what chapters say in short; then where the rest is.
pub(super) fn brief(
    run: &Manifest,
    summary: &Summary,
    chapters: &[Box<dyn Chapter>],
    dir: &Path,
) -> String {
    let mut text = title(run) + &summary.to_string();
    let (mut alone, mut others) = (summary.standings.is_empty(), Vec::new());
    for chapter in chapters {
        let brief = chapter.brief();
        if !brief.is_empty() {
            text += &format!("\n{brief}");
            alone = false;
        } else if chapter.headline().is_none() {
            others.push(chapter.text());
        }
    }
    // Of the rest what fits; where there is nothing else, as much as fits.
    for other in others {
        if alone || text.lines().count() + other.lines().count() + 2 <= LINES {
            text += &other;
        }
    }
    let lines: Vec<&str> = text.lines().collect();
    let rest = format!(
        "\nrest  {}: report.html for a browser, report.txt with every number\n",
        dir.display()
    );
    // The rest takes two.
    match lines.len() + 2 > LINES {
        true => lines[..LINES - 3].join("\n") + "\n…\n" + &rest,
        false => text + &rest,
    }
}

fn title(run: &Manifest) -> String {
    format!("{}\n{}\n", run.name, "═".repeat(run.name.chars().count()))
}

fn provenance(run: &Manifest) -> String {
    let data = match run.data.is_empty() {
        true => run.digest.clone(),
        false => format!("{} ({})", run.data, run.digest),
    };
    let mut text = format!(
        "tiebreak {}, seed {}, data {data}\n",
        run.tiebreak, run.seed
    );
    for stage in &run.stages {
        text += &format!("{:9} {}\n", stage.kind.name(), stage.signature);
    }
    if !run.command.is_empty() {
        text += &format!("{:9} {}\n", "again", run.command);
    }
    text
}
