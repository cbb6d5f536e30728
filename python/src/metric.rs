//! Metrics on lists of Python, for what looks like other packages.

use crate::errors::{raise, raised};
use crate::work::{Settings, here, quickly, work};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::atomic::AtomicBool;
use tiebreak::keys::ParameterizedName;
use tiebreak::metrics::{self, CorpusMetric, Segment, bleu, ter, with_references};
use tiebreak::registry::find_entry;
use tiebreak::text::tokenize::SacrebleuTokenizer;
use tiebreak::{Env, Error, Result};

/// So few segments, of so few bytes, are scored before anybody could want an end.
const FEW: usize = 64;
const SHORT: usize = 1 << 14;

/// The most characters of something that is no text in a message.
const SHOWN: usize = 40;

/// A metric with its parameters.
#[pyclass(frozen, module = "tiebreak._native")]
pub struct Metric {
    named: ParameterizedName,
    /// Where scores do not depend on what was observed: built once.
    built: Option<Box<dyn metrics::Metric>>,
}

/// A corpus score: itself, its sums, its signature.
type Corpus = (f64, Vec<f64>, String);

/// Outputs with what they are judged against.
struct Texts {
    hypotheses: Vec<String>,
    references: Vec<Vec<String>>,
    sources: Option<Vec<String>>,
}

#[pymethods]
impl Metric {
    /// `{"name": …, parameters…}` as JSON.
    #[new]
    fn new(py: Python<'_>, named: &str) -> PyResult<Self> {
        let named: ParameterizedName = serde_json::from_str(named)
            .map_err(|error| raise(py)(Error::usage(error.to_string())))?;
        let built = quickly(py, || build(&named))?;
        Ok(Self {
            built: (!built.needs_corpus()).then_some(built),
            named,
        })
    }

    /// The score of all outputs together. `references` are streams, each with a text, or none, for each output.
    #[pyo3(signature = (hypotheses, references, sources = None))]
    fn corpus(
        &self,
        py: Python<'_>,
        hypotheses: &Bound<'_, PyAny>,
        references: &Bound<'_, PyAny>,
        sources: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Corpus> {
        let texts = Texts::of_streams(hypotheses, references, sources)?;
        self.on(py, &texts, |metric, segments, stop| {
            let whole = metrics::corpus_until(metric, segments, stop)?;
            Ok((whole.score, whole.statistics, whole.signature.to_string()))
        })
    }

    /// The score of each output. `references` are lists of texts, one for each output.
    #[pyo3(signature = (hypotheses, references, sources = None))]
    fn segments(
        &self,
        py: Python<'_>,
        hypotheses: &Bound<'_, PyAny>,
        references: &Bound<'_, PyAny>,
        sources: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<f64>> {
        let texts = Texts::of_lists(hypotheses, references, sources)?;
        self.on(py, &texts, metrics::segment_scores_until)
    }

    /// The scores of several metrics, for each output; the lists are read once.
    #[staticmethod]
    fn segments_of_each(
        py: Python<'_>,
        metrics: Vec<Py<Self>>,
        hypotheses: &Bound<'_, PyAny>,
        references: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<Vec<f64>>> {
        let texts = Texts::of_lists(hypotheses, references, None)?;
        let each = metrics.iter();
        each.map(|metric| metric.get().on(py, &texts, metrics::segment_scores_until))
            .collect()
    }

    /// What makes its scores, where an output has so many references.
    fn signature(&self, py: Python<'_>, corpus: bool, references: usize) -> PyResult<String> {
        quickly(py, || {
            let made;
            let metric = match &self.built {
                Some(built) => built.as_ref(),
                None => {
                    made = build(&self.named)?;
                    made.as_ref()
                }
            };
            let whole = metric.corpus().filter(|_| corpus);
            let signature =
                whole.map_or_else(|| metric.signature(), CorpusMetric::corpus_signature);
            Ok(with_references(signature, (references, references)).to_string())
        })
    }
}

impl Metric {
    fn on<T: Send>(
        &self,
        py: Python<'_>,
        texts: &Texts,
        job: impl FnOnce(&dyn metrics::Metric, &[Segment<'_>], &AtomicBool) -> Result<T> + Send,
    ) -> PyResult<T> {
        let job = |stop: &AtomicBool| {
            let segments = texts.segments()?;
            match &self.built {
                Some(built) => job(built.as_ref(), &segments, stop),
                None => {
                    let mut built = build(&self.named)?;
                    metrics::observe_until(built.as_mut(), &segments, stop)?;
                    job(built.as_ref(), &segments, stop)
                }
            }
        };
        // What counts in texts alone has a corpus score of counts, and uses no other thread for few.
        let counts = self.built.as_ref().and_then(|built| built.corpus());
        let never = &AtomicBool::new(false);
        match texts.are_few() {
            true if counts.is_some() => here(py, || job(never)),
            true => quickly(py, || job(never)),
            false => work(py, &Settings::default(), |context| job(context.stop)),
        }
    }
}

fn build(named: &ParameterizedName) -> Result<Box<dyn metrics::Metric>> {
    let entry = find_entry("metric", metrics::METRICS, &named.name)?;
    (entry.build.build)(&named.params, &Env::default())
}

impl Texts {
    /// References by stream, as sacrebleu has them.
    fn of_streams(
        hypotheses: &Bound<'_, PyAny>,
        references: &Bound<'_, PyAny>,
        sources: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let hypotheses = texts(hypotheses, "output")?;
        let mut by_output = vec![Vec::new(); hypotheses.len()];
        for stream in references.try_iter()? {
            let stream = stream?;
            let mut found = 0;
            for (place, text) in stream.try_iter()?.enumerate() {
                let text = text?;
                found = place + 1;
                // Of some outputs there are fewer.
                if let Some(all) = by_output.get_mut(place)
                    && !text.is_none()
                {
                    all.push(owned(&text, REFERENCE, place)?);
                }
            }
            same_length(hypotheses.len(), "references", found).map_err(raise(stream.py()))?;
        }
        Ok(Self {
            hypotheses,
            references: by_output,
            sources: sources.map(|all| texts(all, "source")).transpose()?,
        })
    }

    /// References by output: one text or a list of them.
    fn of_lists(
        hypotheses: &Bound<'_, PyAny>,
        references: &Bound<'_, PyAny>,
        sources: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let one = |(place, given): (usize, PyResult<Bound<'_, PyAny>>)| {
            let given = given?;
            let text = |text: &Bound<'_, PyAny>| owned(text, REFERENCE, place);
            match given.is_instance_of::<PyString>() {
                true => Ok(vec![text(&given)?]),
                false => given.try_iter()?.map(|one| text(&one?)).collect(),
            }
        };
        let references = references.try_iter()?.enumerate().map(one);
        Ok(Self {
            hypotheses: texts(hypotheses, "output")?,
            references: references.collect::<PyResult<_>>()?,
            sources: sources.map(|all| texts(all, "source")).transpose()?,
        })
    }

    /// Whether they are scored before anybody could want an end.
    fn are_few(&self) -> bool {
        let outputs = &self.hypotheses;
        outputs.len() <= FEW && outputs.iter().map(String::len).sum::<usize>() <= SHORT
    }

    fn segments(&self) -> Result<Vec<Segment<'_>>> {
        let outputs = self.hypotheses.len();
        if outputs == 0 {
            return Err(Error::usage("no outputs, expected at least one"));
        }
        same_length(outputs, "lists of references", self.references.len())?;
        if let Some(sources) = &self.sources {
            same_length(outputs, "sources", sources.len())?;
        }
        let pairs = self.hypotheses.iter().zip(&self.references).enumerate();
        Ok(pairs
            .map(|(place, (hypothesis, references))| Segment {
                hypothesis,
                references,
                context: self.sources.as_ref().map(|all| all[place].as_str()),
            })
            .collect())
    }
}

fn same_length(outputs: usize, what: &str, found: usize) -> Result<()> {
    match outputs == found {
        true => Ok(()),
        false => Err(Error::usage(format!(
            "{outputs} outputs with {found} {what}, expected as many"
        ))),
    }
}

/// What a reference is called by the place of its output.
const REFERENCE: &str = "a reference of output";

fn texts(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<String>> {
    let each = given.try_iter()?.enumerate();
    each.map(|(place, text)| owned(&text?, what, place))
        .collect()
}

/// A text as Rust has it; `what` and `place`, counted from 0, say in messages which it is.
fn owned(text: &Bound<'_, PyAny>, what: &str, place: usize) -> PyResult<String> {
    text.extract().map_err(|error: PyErr| {
        let shown = text
            .repr()
            .map(|shown| shown.to_string_lossy().into_owned());
        let Ok(shown) = shown else {
            return error;
        };
        let shown: String = shown.chars().take(SHOWN).collect();
        // Python has texts with half of a surrogate pair, which no encoding has.
        let expected = match text.is_instance_of::<PyString>() {
            true => "Unicode without halves of surrogate pairs",
            false => "a text",
        };
        let what = format!("{what} {} is {shown}, expected {expected}", place + 1);
        raised(text.py(), &Error::usage(what))
    })
}

/// A BLEU score with its parts: score, counts, totals, precisions, brevity penalty, lengths of text and reference.
type BleuParts = (f64, Vec<f64>, Vec<f64>, Vec<f64>, f64, f64, f64);

/// BLEU from sums of counts.
#[pyclass(frozen, module = "tiebreak._native")]
pub struct BleuFormula(bleu::Bleu);

#[pymethods]
impl BleuFormula {
    /// The parameters are JSON.
    #[new]
    fn new(py: Python<'_>, params: &str) -> PyResult<Self> {
        quickly(py, || {
            let mut params: bleu::BleuParams =
                serde_json::from_str(params).map_err(|error| Error::usage(error.to_string()))?;
            // Sums are of tokens already, so that no tokeniser need be read.
            params.tokenize = SacrebleuTokenizer::None;
            bleu::Bleu::new(params, &Env::default()).map(Self)
        })
    }

    /// The score of sums of lengths, counts and totals.
    fn score(&self, py: Python<'_>, statistics: Vec<f64>) -> PyResult<BleuParts> {
        here(py, || {
            let found = self.0.corpus_formula().score(&statistics);
            Ok((
                found.score,
                found.counts,
                found.totals,
                found.precisions,
                found.bp,
                found.sys_len,
                found.ref_len,
            ))
        })
    }
}

/// The edits and the length of the references, in words, of the statistics of TER.
#[pyfunction]
pub(crate) fn ter_of_statistics(statistics: Vec<f64>) -> (f64, f64) {
    ter::edits_and_length(&statistics)
}
