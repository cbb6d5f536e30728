//! Campaigns through `ask` and `tell`, with sheets on disk: what is claimed of one person, and of people
//! who are listed.

use super::{Path, Said, World, quietly};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path as File;
use tiebreak::claims::{Claim, Kind};
use tiebreak::pipeline::campaign::{self, Asking, Call, Named, Telling};
use tiebreak::rng::{Rng, Seed};

pub(super) const ONE: Path = Path {
    name: "a campaign of one person",
    worlds: &[
        World {
            name: "equal systems",
            runs: [40, 1000],
            power: 0.0,
            play: |seed, run| played(&[0.0], 0.5, seed, run),
        },
        World {
            name: "a clear winner",
            runs: [10, 200],
            power: 0.9,
            play: |seed, run| played(&[0.0], 0.75, seed, run),
        },
    ],
};

pub(super) const LISTED: Path = Path {
    name: "a campaign of listed people",
    worlds: &[
        World {
            name: "tastes that cancel out",
            runs: [40, 1000],
            power: 0.0,
            play: |seed, run| played(&[0.25, -0.25, 0.1, -0.1], 0.5, seed, run),
        },
        World {
            name: "a clear winner",
            runs: [10, 200],
            power: 0.9,
            play: |seed, run| played(&[0.15, -0.15, 0.1, -0.1], 0.75, seed, run),
        },
    ],
};

const ITEMS: usize = 150;
const ROUNDS: usize = 4;
const QUESTIONS: usize = 45;

/// Plays a campaign about two systems, the first preferred with probability `p` on average and by each
/// person with a taste of her own; says whether what it claims is so.
fn played(tastes: &[f64], p: f64, seed: Seed, run: u64) -> Said {
    let folder = tempfile::tempdir().unwrap();
    let mut outputs = String::from("item,system,output\n");
    for item in 0..ITEMS {
        outputs += &format!("i{item},first,first {item}\ni{item},second,second {item}\n");
    }
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("outputs.csv"), outputs).unwrap();
    let mut rng = seed.stream("gate", run);
    let names: Vec<String> = (0..tastes.len())
        .map(|person| format!("p{person}"))
        .collect();
    let claim = quietly(run, |context| {
        let mut last = None;
        for round in 0..ROUNDS {
            let out = match names.len() {
                1 => folder.path().join(format!("{round}.csv")),
                _ => folder.path().join(format!("{round}")),
            };
            let at = folder.path().join("run");
            let call = |people: Option<Named>| Call {
                run: &at,
                data: Some(&data),
                columns: &[],
                seed: Some(Seed(run)),
                people,
                change: &|_| {},
            };
            let asking = Asking {
                n: Some(QUESTIONS),
                again: false,
                out: &out,
            };
            let list = (names.len() > 1).then(|| Named::List(names.clone()));
            let status = campaign::ask(context, &call(list), &asking).unwrap();
            if status.stopped.is_some() {
                return status.claim;
            }
            let sheets = fill(&out, tastes, p, &mut rng);
            let telling = Telling {
                sheets: &sheets,
                annotator: None,
            };
            last = Some(
                campaign::tell(context, &call(None), &telling)
                    .unwrap()
                    .claim,
            );
        }
        last.unwrap()
    });
    said(&claim, p)
}

fn said(claim: &Claim, p: f64) -> Said {
    match (claim.kind, claim.systems.as_slice()) {
        (Kind::Undecided, _) => Said::Nothing,
        (Kind::Best, [only]) => Said::of(only == "first" && p > 0.5),
        _ => Said::Wrong,
    }
}

/// Fills a sheet, or those in a folder, and names them. Every item has its own answer for a person, which
/// stays: p is the share of items on which the first is preferred.
fn fill(out: &File, tastes: &[f64], p: f64, rng: &mut Rng) -> Vec<std::path::PathBuf> {
    let sheets: Vec<_> = match out.is_dir() {
        false => vec![out.to_path_buf()],
        true => {
            let entries = fs::read_dir(out).unwrap();
            let mut sheets: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            sheets.sort();
            sheets
        }
    };
    for sheet in &sheets {
        let mut reader = csv::Reader::from_path(sheet).unwrap();
        let header = reader.headers().unwrap().clone();
        let rows: Vec<BTreeMap<String, String>> =
            reader.deserialize().map(Result::unwrap).collect();
        let mut writer = csv::Writer::from_path(sheet).unwrap();
        writer.write_record(&header).unwrap();
        for mut row in rows {
            let person: usize = row["annotator"]
                .strip_prefix('p')
                .map_or(0, |place| place.parse().unwrap());
            let first = rng.bernoulli(p + tastes[person]);
            let shown_first = row["text_1"].starts_with("first");
            let answer = if first == shown_first { "1" } else { "2" };
            row.insert("answer".to_string(), answer.to_string());
            writer
                .write_record(header.iter().map(|name| &row[name]))
                .unwrap();
        }
    }
    sheets
}
