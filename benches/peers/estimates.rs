//! Our side of `benches/peers/estimates.py`: estimates and tests on numbers in memory.
//!
//! Each line on standard input is a command, and the answer is what it takes and what it finds, in
//! JSON. `bootstrap FILE RESAMPLES` bounds the mean of the numbers in FILE (eight bytes each);
//! `ppi FILE N` estimates a mean from N judgments, N scores of the judged outputs, and then scores of
//! others; `paired FILE RESAMPLES` resamples the BLEU of all systems of a table of texts
//! together, from statistics computed beforehand.

mod clock;
mod texts;

use clock::Seconds;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use tiebreak::env::Env;
use tiebreak::estimators::{
    ESTIMATORS, Estimator, MeanEstimate, Population, ScoredJudgment, Survey,
};
use tiebreak::evaluation::significance::ReplicateSums;
use tiebreak::metrics::METRICS;
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::Seed;

/// Items whose statistics are added at a time, as `score` does it.
const ITEMS: usize = 256;

fn main() {
    let threads = std::env::args()
        .nth(1)
        .and_then(|threads| threads.parse().ok());
    let Some(threads) = threads else {
        return; // `cargo bench` runs every bench
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global().expect("threads");
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a command");
        let [what, file, number] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("expected WHAT FILE NUMBER, found `{line}`");
        };
        let number: u32 = number.parse().expect("a number");
        let answer = match what {
            "bootstrap" => bootstrap(&numbers(file), number),
            "ppi" => ppi(&numbers(file), number),
            "paired" => paired(file, number),
            other => panic!("expected bootstrap, ppi or paired, found `{other}`"),
        };
        writeln!(std::io::stdout().lock(), "{answer}").expect("an open pipe");
    }
}

fn numbers(file: &str) -> Vec<f64> {
    let bytes = std::fs::read(file).expect("a file");
    let (eights, _) = bytes.as_chunks();
    eights.iter().copied().map(f64::from_le_bytes).collect()
}

fn answer(taken: &Seconds, found: &Value) -> Value {
    json!({ "wall": taken.wall, "cpu": taken.cpu, "found": found })
}

/// An estimator that was shown the judgments.
fn shown<'a>(
    text: &str,
    population: Population,
    judged: impl Iterator<Item = ScoredJudgment<'a>>,
) -> Box<dyn Estimator> {
    let (name, params) = Params::parse(text).expect("a well-formed name");
    let entry = find_entry("estimator", ESTIMATORS, &name).expect("a listed name");
    let survey = Survey::new(population);
    let mut estimator = (entry.build.build)(&params, &survey).expect("good parameters");
    judged.for_each(|one| estimator.push(&one));
    estimator
}

fn bounds(found: &MeanEstimate) -> Value {
    let interval = found.interval.expect("several judgments");
    json!([interval.lower, interval.upper])
}

/// With the judgments taken in beforehand.
fn bootstrap(numbers: &[f64], resamples: u32) -> Value {
    let text = format!("mean:interval=bootstrap,resamples={resamples}");
    let population = Population::unscored(numbers.len() as u64);
    let judged = (0..)
        .zip(numbers)
        .map(|(item, &y)| ScoredJudgment::new(item, y, &[]));
    let estimator = shown(&text, population, judged);
    let mut found = None;
    let taken = Seconds::of(|| found = estimator.estimate(0.95));
    answer(&taken, &bounds(&found.expect("judgments")))
}

/// With all that is made of the scores.
fn ppi(numbers: &[f64], n: u32) -> Value {
    let n = n as usize;
    let (judgments, scores) = numbers.split_at(n);
    let (of_judged, others) = scores.split_at(n);
    let mut found = None;
    let taken = Seconds::of(|| {
        let population = Population::from_scores(others.iter().copied());
        let pairs = judgments.iter().zip(of_judged.chunks(1));
        let judged = (0..)
            .zip(pairs)
            .map(|(item, (&y, g))| ScoredJudgment::new(item, y, g));
        found = shown("ppi++:interval=reference", population, judged).estimate(0.95);
    });
    answer(&taken, &bounds(&found.expect("judgments")))
}

/// With the statistics of all texts computed beforehand: each system's mean score.
fn paired(file: &str, resamples: u32) -> Value {
    let text = std::fs::read_to_string(file).expect("the texts");
    let items = texts::items(&text);
    let entry = find_entry("metric", METRICS, "bleu").expect("a listed metric");
    let metric = (entry.build.build)(&Params::default(), &Env::default()).expect("a metric");
    let corpus = metric.corpus().expect("a corpus metric");
    let segments = texts::segments(&items);
    let statistics = corpus.statistics(&segments).expect("references");
    let width = statistics.len() / items.len();
    let mut means = Vec::new();
    let taken = Seconds::of(|| {
        let n = items.len() as u64;
        let mut replicates = ReplicateSums::bootstrap(u64::from(resamples), n, width, Seed(1));
        for block in statistics.chunks(ITEMS * width) {
            replicates.add(block);
        }
        means = vec![0.0; width / corpus.width()];
        for sums in replicates.sums() {
            for (mean, totals) in means.iter_mut().zip(sums.chunks(corpus.width())) {
                *mean += corpus.aggregate(totals) / f64::from(resamples);
            }
        }
    });
    answer(&taken, &json!(means))
}
