//! A metric by its name, and one system's outputs scored from memory.

use super::by_item::items;
use super::{CorpusMetric, Direction, METRICS, Metric, Segment, direction};
use crate::env::Env;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Params, find_entry};
use tiebreak_base::signature::Signature;
use tiebreak_base::words::counted;

/// The metric called `NAME` or `NAME:key=value,key=value`; [`METRICS`] lists them with their parameters.
///
/// ```
/// use tiebreak_metrics::{env::Env, metrics::{self, Metric, Segment}};
/// let metric = metrics::load("wer", &Env::default())?;
/// let references = ["a dog barks".to_string()];
/// let segment = Segment { hypothesis: "a dog", references: &references, context: None };
/// assert_eq!(metric.score(&[segment])?.len(), 1);
/// # Ok::<(), tiebreak_base::Error>(())
/// ```
///
/// # Errors
/// [`Error::UnknownName`] with the nearest name, [`Error::Usage`] for a parameter it does not have,
/// [`Error::Model`] or [`Error::Input`] where a model or file that it needs cannot be had.
pub fn load(name: &str, env: &Env) -> Result<Box<dyn Metric>> {
    let (name, params) = Params::parse(name)?;
    (find_entry("metric", METRICS, &name)?.build.build)(&params, env)
}

/// The scores of one system's outputs by one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricScores {
    /// One score per output, in order, on the metric's own scale.
    pub segments: Vec<f64>,
    /// The metric's own score of all outputs together, as BLEU's of a corpus; the mean of segment scores where it has
    /// none.
    pub corpus: f64,
    /// The direction of better scores.
    pub better: Direction,
    /// The signature of the segment scores.
    pub signature: Signature,
    /// The signature of the corpus score.
    pub corpus_signature: Signature,
}

/// Scores one system's outputs: `references[i]` are the human references of `outputs[i]`, one or several. The numbers
/// are those of the command `score` on the same texts.
///
/// ```
/// let outputs = ["The train is late.", "He sings."];
/// let references = [vec!["The train is late."], vec!["He is singing.", "He sings a song."]];
/// let scores = tiebreak_metrics::metrics::score("chrf", &outputs, &references)?;
/// assert_eq!(scores.segments[0], 100.0);
/// assert!(scores.segments[1] < 100.0 && scores.corpus < 100.0);
/// # Ok::<(), tiebreak_base::Error>(())
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
) -> Result<MetricScores> {
    if outputs.is_empty() || outputs.len() != references.len() {
        let (outputs, references) = (outputs.len(), references.len());
        let what = format!(
            "{} with {}",
            counted(outputs as u64, "output"),
            counted(references as u64, "reference list")
        );
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
    let stop = AtomicBool::new(false);
    observe_until(built.as_mut(), &segments, &stop)?;
    let numbers = segment_scores_until(built.as_ref(), &segments, &stop)?;
    let whole = corpus_until(built.as_ref(), &segments, &stop)?;
    Ok(MetricScores {
        segments: numbers,
        corpus: whole.score,
        better: direction(built.signature().name()),
        signature: with_references(built.signature(), references_of(&segments)),
        corpus_signature: whole.signature,
    })
}

/// The number of segments that a thread takes at a time.
const AT_A_TIME: usize = 256;

/// The most bytes of outputs whose words are counted before an end is heard: edits of long texts take a second.
const UNHEARD: usize = 1 << 13;

/// Shows segments, the whole data set, to a metric that must see it, unless `stop` is set before the last.
///
/// # Errors
/// As [`Metric::observe`]; [`Error::Interrupted`].
pub fn observe_until(
    metric: &mut dyn Metric,
    segments: &[Segment<'_>],
    stop: &AtomicBool,
) -> Result<()> {
    if !metric.needs_corpus() {
        return Ok(());
    }
    loop {
        let mut rest = segments;
        while !rest.is_empty() {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            // Whole items, of which a metric may count each once.
            let mut end = 0;
            for item in items(rest) {
                if end >= AT_A_TIME {
                    break;
                }
                end += item.len();
            }
            let (piece, later) = rest.split_at(end);
            metric.observe(piece)?;
            rest = later;
        }
        if !metric.observed() {
            return Ok(());
        }
    }
}

/// The score of each segment, in order, unless `stop` is set before the last.
///
/// # Errors
/// As [`Metric::score`]; a score that is no number; [`Error::Interrupted`].
pub fn segment_scores_until(
    metric: &dyn Metric,
    segments: &[Segment<'_>],
    stop: &AtomicBool,
) -> Result<Vec<f64>> {
    // Models are run on as many at a time as there are.
    let unheard = metric.corpus().map_or(usize::MAX, |_| UNHEARD);
    let score = |part: &[Segment<'_>]| -> Result<Vec<f64>> {
        let mut scores = Vec::with_capacity(part.len());
        in_pieces(part, unheard, stop, |piece| {
            scores.extend(metric.score(piece)?);
            Ok(())
        })?;
        Ok(scores)
    };
    let scores = match segments.len() > AT_A_TIME {
        true => {
            let parts = segments.par_chunks(AT_A_TIME);
            let parts: Vec<Result<Vec<f64>>> = parts.map(score).collect();
            let scores: Vec<Vec<f64>> = parts.into_iter().collect::<Result<_>>()?;
            scores.concat()
        }
        // Waking another thread takes longer than a sentence.
        false => score(segments)?,
    };
    scores.iter().try_for_each(|&score| finite(metric, score))?;
    Ok(scores)
}

/// The score of all segments together.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CorpusScore {
    /// The metric's own corpus score; the mean of segment scores where it has none.
    pub score: f64,
    /// The sums of the metric's [statistics](CorpusMetric::statistics); empty where it has none.
    pub statistics: Vec<f64>,
    /// The signature of the score.
    pub signature: Signature,
}

/// The corpus score of at least one segment, unless `stop` is set before it is known.
///
/// # Errors
/// As [`segment_scores_until`].
pub fn corpus_until(
    metric: &dyn Metric,
    segments: &[Segment<'_>],
    stop: &AtomicBool,
) -> Result<CorpusScore> {
    let (score, statistics, signature) = match metric.corpus() {
        Some(corpus) => {
            let totals = totals(corpus, segments, stop)?;
            (corpus.aggregate(&totals), totals, corpus.corpus_signature())
        }
        None => {
            let scores = segment_scores_until(metric, segments, stop)?;
            let mean = scores.iter().sum::<f64>() / scores.len() as f64;
            (mean, Vec::new(), metric.signature())
        }
    };
    finite(metric, score)?;
    Ok(CorpusScore {
        score,
        statistics,
        signature: with_references(signature, references_of(segments)),
    })
}

/// Calls `each` for pieces with at most `most` bytes of outputs, or one output, unless `stop` is set before the last.
fn in_pieces(
    segments: &[Segment<'_>],
    most: usize,
    stop: &AtomicBool,
    mut each: impl FnMut(&[Segment<'_>]) -> Result<()>,
) -> Result<()> {
    let mut rest = segments;
    while !rest.is_empty() {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let mut bytes = 0;
        let fits = |segment: &&Segment<'_>| {
            bytes += segment.hypothesis.len();
            bytes <= most
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (piece, later) = rest.split_at(count);
        each(piece)?;
        rest = later;
    }
    Ok(())
}

fn finite(metric: &dyn Metric, score: f64) -> Result<()> {
    match score.is_finite() {
        true => Ok(()),
        false => Err(Error::failed(format!(
            "{} gave {score}",
            metric.signature().name()
        ))),
    }
}

/// The fewest and the most references of a segment.
fn references_of(segments: &[Segment<'_>]) -> (usize, usize) {
    let counts = segments.iter().map(|segment| segment.references.len());
    (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0))
}

/// The sums of all statistics: counts, so that the order of parts cannot matter.
fn totals(
    corpus: &dyn CorpusMetric,
    segments: &[Segment<'_>],
    stop: &AtomicBool,
) -> Result<Vec<f64>> {
    let sum = |(part, segments): (usize, &[Segment<'_>])| -> Result<Vec<f64>> {
        let mut first = (part * AT_A_TIME) as u64;
        let mut totals = vec![0.0; corpus.width()];
        in_pieces(segments, UNHEARD, stop, |segments| {
            let after = first + segments.len() as u64;
            let positions: Vec<u64> = (first..after).collect();
            first = after;
            let statistics = corpus.statistics_at(segments, &positions)?;
            statistics
                .chunks_exact(corpus.width())
                .for_each(|row| add(&mut totals, row));
            Ok(())
        })?;
        Ok(totals)
    };
    if segments.len() <= AT_A_TIME {
        return sum((0, segments));
    }
    let parts: Vec<&[Segment<'_>]> = segments.chunks(AT_A_TIME).collect();
    let parts: Vec<Result<Vec<f64>>> = parts.into_par_iter().enumerate().map(sum).collect();
    let mut totals = vec![0.0; corpus.width()];
    for part in parts {
        add(&mut totals, &part?);
    }
    Ok(totals)
}

fn add(totals: &mut [f64], row: &[f64]) {
    for (total, value) in totals.iter_mut().zip(row) {
        *total += value;
    }
}

/// A signature with `nrefs` as sacrebleu writes it: the number of references, or `var` where the fewest
/// and the most that an item has differ.
pub fn with_references(signature: Signature, (fewest, most): (usize, usize)) -> Signature {
    match fewest == most {
        true => signature.with_first("nrefs", fewest),
        false => signature.with_first("nrefs", "var"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A metric that wants an end as soon as it is shown something.
    struct Impatient<'a> {
        stop: &'a AtomicBool,
        shown: Vec<usize>,
    }

    impl Metric for Impatient<'_> {
        fn signature(&self) -> Signature {
            Signature::new("impatient")
        }

        fn score(&self, _: &[Segment<'_>]) -> Result<Vec<f64>> {
            Ok(Vec::new())
        }

        fn needs_corpus(&self) -> bool {
            true
        }

        fn observe(&mut self, segments: &[Segment<'_>]) -> Result<()> {
            self.shown.push(segments.len());
            self.stop.store(true, Ordering::Relaxed);
            Ok(())
        }
    }

    #[test]
    fn an_end_is_heard_between_two_pieces_of_whole_items() {
        let items = vec![vec!["a dog barks".to_string()]; AT_A_TIME];
        let outputs = |references| {
            ["a dog", "a cat", "a"].map(|hypothesis| Segment {
                hypothesis,
                references,
                context: None,
            })
        };
        let segments: Vec<Segment<'_>> = items.iter().flat_map(|item| outputs(item)).collect();
        let stop = AtomicBool::new(false);
        let mut metric = Impatient {
            stop: &stop,
            shown: Vec::new(),
        };
        let shown = observe_until(&mut metric, &segments, &stop);
        assert!(matches!(shown, Err(Error::Interrupted)));
        assert_eq!(metric.shown, [AT_A_TIME.next_multiple_of(3)]);
    }
}
