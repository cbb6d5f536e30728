//! Our side of `benches/peers/neural.py`: loads a model, with `bf16` or `int8` after its name to multiply
//! in that, and answers commands, one per line.
//!
//! `logits FILE DRAWS` runs it over the token ids in FILE and answers with the logits, with dropout
//! off or, for DRAWS above 0, of the last draw. `score METRIC FILE` scores the items in FILE, each
//! `[reference, [output, …]]`, and answers with the scores. `train FILE` takes one step of training
//! with dropout on the token ids in FILE, all of label 1, and answers with their losses.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::Path;
use tiebreak::encoders::training::{AdamW, Output, Trainable};
use tiebreak::encoders::{Checkpoint, Classifier, Config, Device, Precision, Tokens, Weights};
use tiebreak::env::Env;
use tiebreak::metrics::{METRICS, Metric, Segment};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::Seed;

fn main() {
    // `cargo bench` runs every bench, and then names no model.
    let Some(folder) = std::env::args().nth(1) else {
        return;
    };
    let folder = Path::new(&folder);
    if !folder.is_dir() {
        return;
    }
    let checkpoint = Checkpoint::in_folder(folder).expect("a model's folder");
    let config = Config::read(&checkpoint).expect("config.json");
    let precision = match std::env::args().nth(2).as_deref() {
        Some("bf16") => Precision::Bf16,
        Some("int8") => Precision::Int8,
        _ => Precision::F32,
    };
    let weights = Weights::read_for(&checkpoint, Device::Cpu, precision).expect("weights");
    let classifier = Classifier::new(&checkpoint, &config, &weights).expect("a classifier");
    let trainable = || Trainable::new(&checkpoint, &config, &weights, Output::Logits(2), Seed(1));
    let mut training = None;
    let mut metrics = BTreeMap::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a command");
        let answer = match line.split(' ').collect::<Vec<_>>()[..] {
            ["logits", file, draws] => {
                let draws = draws.parse().expect("a number of draws");
                serde_json::to_string(&logits(&classifier, file, draws))
            }
            ["score", name, file] => {
                let metric = metrics
                    .entry(name.to_string())
                    .or_insert_with(|| load(name));
                serde_json::to_string(&score(&mut **metric, file))
            }
            ["train", file] => {
                let training = training.get_or_insert_with(|| {
                    let model = trainable().expect("a model to train");
                    (AdamW::new(&model), model)
                });
                serde_json::to_string(&train(training, file))
            }
            _ => panic!("expected a command, found `{line}`"),
        };
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{}", answer.expect("numbers")).expect("an open pipe");
    }
}

fn read<T: serde::de::DeserializeOwned>(file: &str) -> T {
    let text = std::fs::read_to_string(file).expect("a file");
    serde_json::from_str(&text).expect("the form that the command asks for")
}

fn inputs(file: &str) -> Vec<Tokens> {
    read::<Vec<Vec<u32>>>(file)
        .into_iter()
        .map(|ids| Tokens {
            types: vec![0; ids.len()],
            ids,
        })
        .collect()
}

fn logits(classifier: &Classifier, file: &str, draws: u32) -> Vec<Vec<f32>> {
    let tokens = inputs(file);
    let numbers: Vec<_> = match draws {
        0 => vec![None],
        _ => (0..draws).map(|draw| Some((Seed(1), draw))).collect(),
    };
    let asked: Vec<_> = tokens
        .iter()
        .flat_map(|tokens| numbers.iter().map(move |&draw| (tokens, draw)))
        .collect();
    let mut logits = classifier.all_logits(&asked).expect("logits").into_iter();
    let mut last = Vec::with_capacity(tokens.len());
    while let Some(of_item) = logits.nth(numbers.len() - 1) {
        last.push(of_item);
    }
    last
}

fn train((optimiser, model): &mut (AdamW, Trainable), file: &str) -> Vec<f64> {
    let inputs = inputs(file);
    let examples: Vec<Vec<&Tokens>> = inputs.iter().map(|tokens| vec![tokens]).collect();
    let loss = |_: usize, logits: &[Vec<f32>]| {
        let p = 1.0 / (1.0 + f64::from(logits[0][0] - logits[0][1]).exp());
        let slope = (1.0 - p) as f32 / inputs.len() as f32;
        (-p.ln(), vec![vec![slope, -slope]])
    };
    let draw = optimiser.steps() as u32;
    let (gradients, losses) = model
        .gradients(&examples, Some((Seed(1), draw)), &loss)
        .expect("gradients");
    optimiser.step(model, &gradients, |_| 1e-5);
    losses
}

fn load(metric: &str) -> Box<dyn Metric> {
    let (name, params) = Params::parse(metric).expect("a metric");
    let entry = find_entry("metric", METRICS, &name).expect("a listed metric");
    (entry.build.build)(&params, &Env::default()).expect("its parameters")
}

fn score(metric: &mut dyn Metric, file: &str) -> Vec<f64> {
    let items: Vec<(String, Vec<String>)> = read(file);
    let items: Vec<([String; 1], Vec<String>)> = items
        .into_iter()
        .map(|(reference, outputs)| ([reference], outputs))
        .collect();
    let segments: Vec<Segment<'_>> = items
        .iter()
        .flat_map(|(references, outputs)| {
            outputs.iter().map(|output| Segment {
                hypothesis: output,
                references,
                context: None,
            })
        })
        .collect();
    if metric.needs_corpus() {
        metric.observe(&segments).expect("frequencies");
    }
    metric.score(&segments).expect("scores")
}
