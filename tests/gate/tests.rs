//! Tests that print stars: corpus scores of systems beside a baseline, and metrics held against people.

use super::{Path, Said, World, quietly};
use std::fmt::Write;
use std::fs;
use tiebreak::pipeline::correlate::{self, Level, Options, Resample};
use tiebreak::pipeline::source::{Scores, Source};
use tiebreak::rng::Seed;

pub(super) const CORRELATIONS: Path = Path {
    name: "which metric goes better with people",
    worlds: &[
        World {
            name: "two equally good metrics",
            runs: [120, 1000],
            power: 0.0,
            play: |seed, run| better(1.0, seed, run),
        },
        World {
            name: "one with far less noise",
            runs: [20, 200],
            power: 0.8,
            play: |seed, run| better(5.0, seed, run),
        },
    ],
};

/// Two metrics are people's scores with noise, of the second so many times as much.
fn better(noise: f64, seed: Seed, run: u64) -> Said {
    let mut rng = seed.stream("gate", run);
    let folder = tempfile::tempdir().unwrap();
    let mut judgments = String::from("item,system,criterion,score\n");
    let mut outputs = String::from("item,system,output\n");
    let mut scores = String::from("item,system,metric,score\n");
    for item in 0..60 {
        for system in 0..3 {
            let quality = rng.normal();
            let _ = writeln!(judgments, "i{item},s{system},quality,{quality}");
            let _ = writeln!(outputs, "i{item},s{system},text {item} {system}");
            for (metric, noise) in [("bleu", 1.0), ("chrf", noise)] {
                let score = quality + noise * rng.normal();
                let _ = writeln!(scores, "i{item},s{system},{metric},{score}");
            }
        }
    }
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("data")).unwrap();
    fs::write(at("data/judgments.csv"), judgments).unwrap();
    fs::write(at("data/outputs.csv"), outputs).unwrap();
    fs::write(at("scores.csv"), scores).unwrap();
    let options = Options {
        criterion: Some("quality"),
        level: Level::Segment,
        resample: Resample::Items,
        confidence: 0.95,
        resamples: 200,
    };
    quietly(run, |context| {
        let source = Source::open(context, &at("data"), &[]).unwrap();
        let open = |metric| Scores::open(&source, &at("scores.csv"), metric).unwrap();
        let scores = [open("bleu"), open("chrf")];
        let found = correlate::run(context, &source, &scores, &options).unwrap();
        let pearson = |held: &str| held == "pearson";
        let found = found.found.differences.into_iter();
        let mut said = found.filter(|one| pearson(&one.held.coefficient) && one.significant);
        match said.next() {
            None => Said::Nothing,
            Some(one) => Said::of(noise > 1.0 && (one.metric == "bleu") == (one.difference > 0.0)),
        }
    })
}
