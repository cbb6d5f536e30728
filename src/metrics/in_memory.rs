//! A metric by its name, and one system's outputs scored from memory.

use super::{CorpusMetric, Direction, METRICS, Metric, Segment, direction};
use crate::env::Env;
use crate::error::{Error, Result};
use crate::registry::{Params, find};
use crate::signature::Signature;

/// The metric called `NAME` or `NAME:key=value,key=value`; [`METRICS`] lists them with their parameters.
///
/// ```
/// use tiebreak::{Env, metrics::{self, Metric, Segment}};
/// let metric = metrics::load("wer", &Env::default())?;
/// let references = ["a dog barks".to_string()];
/// let segment = Segment { hypothesis: "a dog", references: &references, context: None };
/// assert_eq!(metric.score(&[segment])?.len(), 1);
/// # Ok::<(), tiebreak::Error>(())
/// ```
///
/// # Errors
/// [`Error::UnknownName`] with the nearest name, [`Error::Usage`] for a parameter it does not have,
/// [`Error::Model`] or [`Error::Input`] where a model or file that it needs cannot be had.
pub fn load(name: &str, env: &Env) -> Result<Box<dyn Metric>> {
    let (name, params) = Params::parse(name)?;
    (find("metric", METRICS, &name)?.build.build)(&params, env)
}

/// What a metric says of one system's outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// One score per output, in order, on the metric's own scale.
    pub segments: Vec<f64>,
    /// The metric's own score of all outputs together, as BLEU's of a corpus; the mean of the others
    /// where it has none.
    pub corpus: f64,
    /// Which scores are better.
    pub better: Direction,
    /// What produced the scores of the outputs.
    pub signature: Signature,
    /// What produced the score of all.
    pub corpus_signature: Signature,
}

/// Scores one system's outputs: `references[i]` are what people wrote in place of `outputs[i]`, one or
/// several. The numbers are those of the command `score` on the same texts.
///
/// ```
/// let outputs = ["The train is late.", "He sings."];
/// let references = [vec!["The train is late."], vec!["He is singing.", "He sings a song."]];
/// let scores = tiebreak::score("chrf", &outputs, &references)?;
/// assert_eq!(scores.segments[0], 100.0);
/// assert!(scores.segments[1] < 100.0 && scores.corpus < 100.0);
/// # Ok::<(), tiebreak::Error>(())
/// ```
///
/// Metrics that read the source too (`gec-gleu`), or models from another folder than `models`, are for
/// [`load`].
///
/// # Errors
/// Those of [`load`]; [`Error::Usage`] without outputs, where there are not as many lists of references as
/// outputs, or one that the metric needs is empty.
pub fn score<L: AsRef<[R]>, R: AsRef<str>>(
    metric: &str,
    outputs: &[impl AsRef<str>],
    references: &[L],
) -> Result<Scores> {
    if outputs.is_empty() || outputs.len() != references.len() {
        let (outputs, references) = (outputs.len(), references.len());
        let what = format!("{outputs} outputs with {references} lists of references");
        return Err(Error::usage(what).with_hint("give at least one output, and a list for each"));
    }
    let owned = |list: &L| -> Vec<String> {
        let texts = list.as_ref().iter();
        texts.map(|text| text.as_ref().to_string()).collect()
    };
    let references: Vec<Vec<String>> = references.iter().map(owned).collect();
    let pairs = outputs.iter().zip(&references);
    let segments: Vec<Segment<'_>> = pairs
        .map(|(output, references)| Segment {
            hypothesis: output.as_ref(),
            references,
            context: None,
        })
        .collect();
    let mut built = load(metric, &Env::default())?;
    if built.needs_corpus() {
        built.observe(&segments)?;
        while built.observed() {
            built.observe(&segments)?;
        }
    }
    scored(metric, built.as_ref(), &segments)
}

fn scored(name: &str, metric: &dyn Metric, segments: &[Segment<'_>]) -> Result<Scores> {
    let numbers = metric.score(segments)?;
    let corpus = match metric.corpus() {
        Some(corpus) => {
            let positions: Vec<u64> = (0..segments.len() as u64).collect();
            corpus.aggregate(&totals(corpus, segments, &positions)?)
        }
        None => numbers.iter().sum::<f64>() / numbers.len() as f64,
    };
    if let Some(odd) = numbers.iter().chain([&corpus]).find(|one| !one.is_finite()) {
        return Err(Error::failed(format!("{name} gave {odd}")));
    }
    let counts = segments.iter().map(|segment| segment.references.len());
    let ends = (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0));
    let corpus_signature = metric.corpus().map(CorpusMetric::corpus_signature);
    let signature = metric.signature();
    Ok(Scores {
        segments: numbers,
        corpus,
        better: direction(signature.name()),
        corpus_signature: with_references(corpus_signature.unwrap_or(signature.clone()), ends),
        signature: with_references(signature, ends),
    })
}

/// The sums of all statistics.
fn totals(
    corpus: &dyn CorpusMetric,
    segments: &[Segment<'_>],
    positions: &[u64],
) -> Result<Vec<f64>> {
    let statistics = corpus.statistics_at(segments, positions)?;
    let mut totals = vec![0.0; corpus.width()];
    for row in statistics.chunks_exact(corpus.width()) {
        for (total, value) in totals.iter_mut().zip(row) {
            *total += value;
        }
    }
    Ok(totals)
}

/// A signature with `nrefs` as sacrebleu writes it: the number of references, or `var` where the fewest
/// and the most that an item has differ.
pub fn with_references(signature: Signature, (fewest, most): (usize, usize)) -> Signature {
    match fewest == most {
        true => signature.with_first("nrefs", fewest),
        false => signature.with_first("nrefs", "var"),
    }
}
