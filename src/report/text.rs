//! The report as text.

use super::chapter::Chapter;
use super::summary::Summary;
use super::words::section;
use crate::tables::Manifest;

/// The whole report.
pub(super) fn render(run: &Manifest, chapters: &[Box<dyn Chapter>]) -> String {
    let mut text = opening(run, chapters);
    if !run.contents.is_empty() {
        text += &section("Data", &format!("{}: {}\n", run.data, run.contents));
    }
    text.extend(chapters.iter().map(|chapter| chapter.text()));
    text + &section("How this was made", &provenance(run))
}

/// The answer, then every ranking and criterion in a sentence.
fn opening(run: &Manifest, chapters: &[Box<dyn Chapter>]) -> String {
    let mut text = format!("{}\n{}\n", run.name, "═".repeat(run.name.chars().count()));
    for (word, _, sentence) in Summary::of(chapters).sentences() {
        text += &format!("{word:6}{sentence}\n");
    }
    text.push('\n');
    for answer in chapters.iter().flat_map(|chapter| chapter.answers()) {
        text += &format!("{}: {}\n", answer.about, answer.sentence);
    }
    text
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
