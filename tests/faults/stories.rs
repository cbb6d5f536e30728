//! What is done to files: each kind of writing once.

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

pub(super) const STORIES: &[Story] = &[
    story("score a file", &[], SCORE),
    story(
        "score a folder",
        &[],
        "score DATA --metric chrf bleu --out scores",
    ),
    story(
        "score Parquet",
        &[],
        "score DATA --metric chrf --out scores.parquet",
    ),
    story(
        "predict",
        &[SCORE],
        "predict DATA --scores scores.csv --metric chrf --link linear --out predictions",
    ),
    story(
        "fit",
        &[SCORE],
        "fit link DATA --scores scores.csv --metric chrf --link btl-logistic --out link.toml",
    ),
    story("rank", &[], "rank DATA --out ranking"),
    story("report", &["rank DATA --out ranking"], "report ranking"),
    Story {
        prepare: aligned,
        ..story(
            "import",
            &[],
            "import --source in.txt --reference ref.txt --system a=a.txt --system b=b.txt --out data",
        )
    },
    story("ask first", &[], "ask run DATA --n 5 --out sheet.csv"),
    story(
        "ask again",
        &["ask run DATA --n 2 --out first.csv"],
        "ask run --n 5 --out second.csv",
    ),
    Story {
        prepare: fill,
        ..story(
            "tell",
            &["ask run DATA --n 5 --out sheet.csv"],
            "tell run sheet.csv --annotator anna",
        )
    },
    story(
        "ask ratings",
        &[],
        "ask run DATA --task rating --budget 7 --n 5 --out sheet.csv",
    ),
];

const fn story(name: &'static str, before: &'static [&'static str], last: &'static str) -> Story {
    Story {
        name,
        before,
        prepare: |_| {},
        last,
    }
}

fn aligned(folder: &Path) {
    for name in ["in", "ref", "a", "b"] {
        let lines: Vec<String> = (0..50).map(|line| format!("{name} {line}")).collect();
        std::fs::write(folder.join(name).with_extension("txt"), lines.join("\n")).unwrap();
    }
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
