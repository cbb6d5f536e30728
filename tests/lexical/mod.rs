//! Lexical metrics and what they stand on, against slow obvious versions and known properties.

mod bad_inputs;
mod captions;
mod gleu;
mod meteor;
mod oracles;
mod properties;
mod rouge155;
mod ter;
mod texts;
mod wer;

use tiebreak::env::Env;
use tiebreak::metrics::{METRICS, Metric, Segment};
use tiebreak::registry::{Params, find_entry};

/// A metric as a user asks for it.
fn metric(text: &str) -> Box<dyn Metric> {
    let (name, params) = Params::parse(text).unwrap();
    let entry = find_entry("metric", METRICS, &name).unwrap();
    (entry.build.build)(&params, &Env::default()).unwrap()
}

/// The score of one text.
fn score(metric: &dyn Metric, hypothesis: &str, references: &[String]) -> f64 {
    let segment = Segment {
        hypothesis,
        references,
        context: None,
    };
    metric.score(&[segment]).unwrap()[0]
}
