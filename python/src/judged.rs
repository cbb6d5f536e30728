//! Comparisons and judgments in lists: rankings and estimates without a data set.

use crate::errors::raise;
use crate::work::quickly;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use tiebreak::annotators::alpha::{MeasurementLevel, alpha_of_values};
use tiebreak::annotators::dawid_skene::DawidSkene;
use tiebreak::annotators::{ClassOrder, FittedLabelModel as _};
use tiebreak::duel::Outcome;
use tiebreak::estimators::{ESTIMATORS, Judgments, Population, ScoredJudgment, Survey, analyse};
use tiebreak::registry::{Params, find_entry};
use tiebreak::{Comparison, Error, Result};

/// A ranking as JSON, text and HTML of comparisons: two systems, how the first fared (1, 0.5 or 0), and
/// where they are known items and annotators.
#[pyfunction]
#[pyo3(signature = (firsts, seconds, outcomes, items, annotators, confidence))]
pub(crate) fn rank(
    py: Python<'_>,
    firsts: Vec<String>,
    seconds: Vec<String>,
    outcomes: Vec<f64>,
    items: Option<Vec<String>>,
    annotators: Option<Vec<Option<String>>>,
    confidence: f64,
) -> PyResult<(String, String, String)> {
    let comparison = |place: usize| -> Result<Comparison<'_>> {
        let outcome = Outcome::from_value(outcomes[place]).ok_or_else(|| {
            let found = outcomes[place];
            Error::usage(format!("outcome {place} is {found}, expected 1, 0.5 or 0"))
        })?;
        let mut one = Comparison::new(&firsts[place], &seconds[place], outcome);
        if let Some(items) = &items {
            one = one.on(&items[place]);
        }
        if let Some(annotator) = annotators.as_ref().and_then(|all| all[place].as_deref()) {
            one = one.by(annotator);
        }
        Ok(one)
    };
    quickly(py, || {
        let lengths = [
            ("seconds", Some(seconds.len())),
            ("outcomes", Some(outcomes.len())),
            ("items", items.as_ref().map(Vec::len)),
            ("annotators", annotators.as_ref().map(Vec::len)),
        ];
        for (what, length) in lengths {
            if let Some(found) = length.filter(|&length| length != firsts.len()) {
                let expected = firsts.len();
                let what = format!("{found} {what}, expected {expected}, as many as first systems");
                return Err(Error::usage(what));
            }
        }
        let all: Vec<Comparison<'_>> = (0..firsts.len()).map(comparison).collect::<Result<_>>()?;
        let ranking = tiebreak::rank(all, confidence)?;
        crate::data::shown(&ranking)
    })
}

/// The mean score of `outputs` outputs from those of some, in the order in which they came: estimate and ends of the
/// interval.
#[pyfunction]
pub(crate) fn estimate_scores(
    py: Python<'_>,
    estimator: &str,
    scores: Vec<f64>,
    outputs: u64,
    range: (f64, f64),
    confidence: f64,
) -> PyResult<(Option<f64>, Option<f64>, Option<f64>)> {
    quickly(py, || {
        let survey = Survey::unscored(outputs).with_range(range.0, range.1)?;
        let judged: Vec<(usize, f64)> = scores.into_iter().enumerate().collect();
        let found = survey.estimate(estimator, &judged, confidence)?;
        Ok((found.estimate, found.lower, found.upper))
    })
}

/// The mean judgment over a population of which `unlabelled` are a metric's values, from judgments `y` with the
/// metric's values `g`: estimate and ends of the interval.
#[pyfunction]
pub(crate) fn estimate_mean(
    py: Python<'_>,
    estimator: &str,
    y: &Bound<'_, PyAny>,
    g: &Bound<'_, PyAny>,
    unlabelled: &Bound<'_, PyAny>,
    confidence: f64,
) -> PyResult<(Option<f64>, Option<f64>, Option<f64>)> {
    let (y, g, unlabelled) = (numbers(y)?, numbers(g)?, numbers(unlabelled)?);
    if y.len() != g.len() {
        let what = format!("{} labels with {} predictions", y.len(), g.len());
        return Err(raise(py)(Error::usage(what)));
    }
    quickly(py, || {
        let (name, params) = Params::parse(estimator)?;
        let survey = Survey::new(Population::from_scores(unlabelled));
        let entry = find_entry("estimator", ESTIMATORS, &name)?;
        let mut built = (entry.build.build)(&params, &survey)?;
        let mut judgments = Judgments::new(1);
        for (item, (y, g)) in (0..).zip(y.iter().zip(&g)) {
            judgments.push(ScoredJudgment::new(item, *y, std::slice::from_ref(g)));
        }
        let found = analyse(built.as_mut(), &judgments, confidence, None)?;
        Ok((found.estimate, found.lower, found.upper))
    })
}

/// Krippendorff's α of answers, those of an annotator after those of another; NaN where there is none.
#[pyfunction]
pub(crate) fn krippendorff_alpha(
    py: Python<'_>,
    answers: &Bound<'_, PyAny>,
    annotators: usize,
    level: &str,
) -> PyResult<Option<f64>> {
    let level = match level {
        "nominal" => MeasurementLevel::Nominal,
        "ordinal" => MeasurementLevel::Ordinal,
        "interval" => MeasurementLevel::Interval,
        "ratio" => MeasurementLevel::Ratio,
        _ => {
            let what = format!("level is `{level}`, expected nominal, ordinal, interval or ratio");
            return Err(raise(py)(Error::usage(what)));
        }
    };
    let answers = numbers(answers)?;
    if level == MeasurementLevel::Ratio
        && let Some(below) = answers.iter().find(|&&answer| answer < 0.0)
    {
        let what = format!("an answer is {below}, expected none below 0 at the level ratio");
        return Err(raise(py)(Error::usage(what)));
    }
    quickly(py, || {
        let questions = answers.len() / annotators.max(1);
        let (mut values, mut sizes) = (Vec::with_capacity(answers.len()), Vec::new());
        for question in 0..questions {
            let before = values.len();
            let each = answers.iter().skip(question).step_by(questions);
            values.extend(each.filter(|value| !value.is_nan()));
            sizes.push(values.len() - before);
        }
        Ok(alpha_of_values(values, sizes, level))
    })
}

/// The most probable right answer to each question, with its probability. Questions, annotators and answers are
/// numbered from 0, in the order of their first places.
#[pyfunction]
pub(crate) fn dawid_skene(
    py: Python<'_>,
    questions: Vec<usize>,
    annotators: Vec<usize>,
    answers: Vec<usize>,
) -> PyResult<Vec<(usize, f64)>> {
    quickly(py, || {
        let number = |codes: &[usize]| codes.iter().max().map_or(0, |last| last + 1);
        let mut labels = vec![Vec::new(); number(&questions)];
        let each = annotators.iter().zip(&answers);
        for (question, (&annotator, &answer)) in questions.iter().zip(each) {
            labels[*question].push((annotator, answer));
        }
        let model = DawidSkene::fit(
            &labels,
            number(&annotators),
            number(&answers),
            ClassOrder::Nominal,
        );
        Ok((0..labels.len()).map(|at| model.label(at)).collect())
    })
}

/// The numbers of an array, at once where it lies in memory as such, or of anything that can be iterated over.
fn numbers(given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if let Ok(buffer) = PyBuffer::<f64>::get(given) {
        return buffer.to_vec(given.py());
    }
    let each = given.try_iter()?;
    each.map(|one| one?.extract()).collect()
}
