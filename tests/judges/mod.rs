//! Language models as judges, against a server of our own.

mod batch;
mod engines;
mod goldens;
mod hostile;
mod stub;

use crate::cli::{Finished, text, tiebreak};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stub::Stub;

/// A data set of three systems and so many items.
pub(crate) fn data(folder: &Path, items: usize) -> PathBuf {
    let path = folder.join("outputs.jsonl");
    let mut lines = String::new();
    for item in 0..items {
        for (system, words) in [("ash", 1), ("birch", 3), ("cedar", 5)] {
            let output = "word ".repeat(words + item % 3);
            lines += &format!(
                "{{\"item\":\"i{item:03}\",\"system\":\"{system}\",\"source\":\"say it {item}\",\"output\":\"{output}{item}\"}}\n"
            );
        }
    }
    std::fs::write(&path, lines).unwrap();
    path
}

/// A descriptor of a judge behind a stub, with answers kept in the same folder.
pub(crate) fn descriptor(folder: &Path, stub: &Stub, more: &str) -> PathBuf {
    let path = folder.join("judge.toml");
    let text = format!(
        "engine = \"http\"\nendpoint = \"{}\"\nmodel = \"stub\"\nanswers = \"judged\"\n{more}\n",
        stub.address
    );
    std::fs::write(&path, text).unwrap();
    path
}

/// Judges all pairs into `p.csv`.
pub(crate) fn judge(folder: &Path, model: &Path, more: &[&str]) -> Finished {
    let all = judging(folder, model);
    let all = all.iter().map(String::as_str).chain(["--force"]);
    tiebreak(&all.chain(more.iter().copied()).collect::<Vec<_>>())
}

/// The arguments that judge the outputs of a folder into its `p.csv`.
pub(crate) fn judging(folder: &Path, model: &Path) -> [String; 6] {
    let (data, out) = (folder.join("outputs.jsonl"), folder.join("p.csv"));
    let path = |path: &Path| text(path).to_string();
    let [judge, by, to] = ["judge", "--model", "--out"].map(str::to_string);
    [judge, path(&data), by, path(model), to, path(&out)]
}

/// What a judge said, without the folder and the address of this run.
pub(crate) fn said(told: &str, folder: &Path, stub: &Stub) -> String {
    told.replace(text(folder), "FOLDER")
        .replace(&stub.address, "ENDPOINT")
}

/// The rows of a table of predictions: item, systems, and the named numbers.
pub(crate) fn rows(path: &Path) -> BTreeMap<[String; 3], BTreeMap<String, Option<f64>>> {
    use tiebreak::records::reader::{ColumnMapping, Row, TableReader};
    let row = |row: tiebreak::Result<Row>| {
        let row = row.unwrap();
        let key = ["item", "system_a", "system_b"].map(|name| row.text(name).unwrap());
        let numbers = ["p", "mean", "bald", "std", "position"];
        let number = |name: &str| (name.to_string(), row.optional_number(name).unwrap());
        (key, numbers.map(number).into())
    };
    TableReader::open(path, &ColumnMapping::default())
        .unwrap()
        .map(row)
        .collect()
}
