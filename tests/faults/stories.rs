//! What is done to files: each kind of writing once.

use crate::support::variants;
use std::path::Path;

/// Commands one after the other, of which the last is disturbed. `DATA` stands for a data set.
pub(super) struct Story {
    pub name: &'static str,
    pub before: &'static [&'static str],
    /// What is done by hand after them.
    pub prepare: fn(&Path),
    pub last: &'static str,
}

const SCORE: &str = "score DATA --metric chrf --out scores.csv";

const STORY: Story = Story {
    name: "",
    before: &[],
    prepare: |_| {},
    last: "",
};

#[allow(clippy::needless_update)] // a line may name all fields
pub(super) const STORIES: &[Story] = &variants![STORY => Story
    { name: "score a file", last: SCORE }
    { name: "score a folder", last: "score DATA --metric chrf bleu --out scores" }
    { name: "score Parquet", last: "score DATA --metric chrf --out scores.parquet" }
    { name: "predict", before: &[SCORE],
      last: "predict DATA --scores scores.csv --metric chrf --link linear --out predictions" }
    { name: "fit", before: &[SCORE],
      last: "fit link DATA --scores scores.csv --metric chrf --link btl-logistic --out link.toml" }
    { name: "rank", last: "rank DATA --out ranking" }
    { name: "report", before: &["rank DATA --out ranking"], last: "report ranking" }
    { name: "import", prepare: aligned,
      last: "import --source in.txt --reference ref.txt --system a=a.txt --system b=b.txt --out data" }
    { name: "ask first", last: "ask run DATA --n 5 --out sheet.csv" }
    { name: "ask again", before: &["ask run DATA --n 2 --out first.csv"], last: "ask run --n 5 --out second.csv" }
    { name: "tell", before: &["ask run DATA --n 5 --out sheet.csv"], prepare: fill,
      last: "tell run sheet.csv --annotator anna" }
    { name: "begin a race", last: "ask run DATA --task score --range 0,1 --n 40 --out next.jsonl" }
    { name: "scores of a race", before: &["ask run DATA --task score --range 0,1 --n 40 --out next.jsonl"], prepare: score,
      last: "tell run next.jsonl" }
    { name: "ask ratings", last: "ask run DATA --task rating --budget 7 --n 5 --out sheet.csv" }
];

fn aligned(folder: &Path) {
    for name in ["in", "ref", "a", "b"] {
        let lines: Vec<String> = (0..50).map(|line| format!("{name} {line}")).collect();
        std::fs::write(folder.join(name).with_extension("txt"), lines.join("\n")).unwrap();
    }
}

/// Every task gets a score.
fn score(folder: &Path) {
    let path = folder.join("next.jsonl");
    let tasks = std::fs::read_to_string(&path).unwrap();
    let scored: Vec<String> = tasks
        .lines()
        .map(|line| line.replace('}', ",\"score\":0.5}\n"))
        .collect();
    std::fs::write(path, scored.concat()).unwrap();
}

/// The first text of every question wins.
fn fill(folder: &Path) {
    let path = folder.join("sheet.csv");
    let mut sheet = csv::Reader::from_path(&path).unwrap();
    let mut filled = csv::Writer::from_writer(Vec::new());
    let header = sheet.headers().unwrap().clone();
    filled.write_record(&header).unwrap();
    for row in sheet.records() {
        let row = row.unwrap();
        let cells = header.iter().zip(&row);
        filled
            .write_record(cells.map(|(name, cell)| if name == "answer" { "1" } else { cell }))
            .unwrap();
    }
    std::fs::write(path, filled.into_inner().unwrap()).unwrap();
}
