//! Each annotator beside the others who answered the same questions.
//!
//! On a scale of numbers the deviation of an answer is its difference from the mean of the others' answers to the
//! question. *Bias* is the mean deviation, *noise* the standard deviation of deviations, *agreement* Pearson's
//! correlation of the answers with those means. Among categories *agreement* is the mean share of the
//! others who gave the same answer. Only questions that someone else answered count.

use super::QuestionAnswer;
use tiebreak_base::stats::moments::{JointMoments, Moments};

/// A value with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueWithError {
    /// The value.
    pub value: f64,
    /// Its standard error, on the scale on which annotators are compared: Fisher's z for correlations,
    /// the logarithm for noise, the value's own for everything else.
    pub error: f64,
}

/// The profile of one annotator. `None`: too few shared questions, or answers that never vary.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AnnotatorProfile {
    /// The number of questions answered.
    pub answers: u64,
    /// The number of these that others answered too.
    pub shared: u64,
    /// The agreement with the answers of others.
    pub agreement: Option<ValueWithError>,
    /// The mean deviation, on a scale of numbers.
    pub bias: Option<ValueWithError>,
    /// The standard deviation of deviations, on a scale of numbers; above 0.
    pub noise: Option<ValueWithError>,
}

/// The mean of some values with its standard error; `None` for fewer than two.
pub fn mean(values: &Moments) -> Option<ValueWithError> {
    let error = (values.sample_variance()? / values.count() as f64).sqrt();
    values.mean().map(|value| ValueWithError { value, error })
}

/// The profile of each of `annotators` known annotators whose answers are numbers on a scale.
pub fn on_a_scale(questions: &[Vec<QuestionAnswer>], annotators: usize) -> Vec<AnnotatorProfile> {
    let mut beside = vec![(0, JointMoments::default(), Moments::default()); annotators];
    for answers in questions {
        for (at, answer) in answers.iter().enumerate() {
            let Some(annotator) = answer.annotator else {
                continue;
            };
            let (answered, joint, deviations) = &mut beside[annotator];
            *answered += 1;
            let others = answers[..at].iter().chain(&answers[at + 1..]);
            let others: Moments = others.map(|other| other.value).collect();
            if let Some(others) = others.mean() {
                joint.push(answer.value, others);
                deviations.push(answer.value - others);
            }
        }
    }
    let standing = |(answers, joint, deviations): (u64, JointMoments, Moments)| AnnotatorProfile {
        answers,
        shared: deviations.count(),
        agreement: correlation(&joint),
        bias: mean(&deviations),
        noise: noise(&deviations),
    };
    beside.into_iter().map(standing).collect()
}

/// The profile of each of `annotators` known annotators whose answers are categories.
pub fn among_categories(
    questions: &[Vec<QuestionAnswer>],
    annotators: usize,
) -> Vec<AnnotatorProfile> {
    let mut beside = vec![(0, Moments::default()); annotators];
    for answers in questions {
        for answer in answers {
            let Some(annotator) = answer.annotator else {
                continue;
            };
            let (answered, shares) = &mut beside[annotator];
            *answered += 1;
            if answers.len() > 1 {
                let same = answers.iter().filter(|other| other.value == answer.value);
                shares.push((same.count() - 1) as f64 / (answers.len() - 1) as f64);
            }
        }
    }
    let standing = |(answers, shares): (u64, Moments)| AnnotatorProfile {
        answers,
        shared: shares.count(),
        agreement: mean(&shares),
        ..AnnotatorProfile::default()
    };
    beside.into_iter().map(standing).collect()
}

fn correlation(joint: &JointMoments) -> Option<ValueWithError> {
    let degrees = joint.x().count().checked_sub(3).filter(|&left| left > 0)?;
    joint.correlation().map(|value| ValueWithError {
        value,
        error: (1.0 / degrees as f64).sqrt(),
    })
}

fn noise(deviations: &Moments) -> Option<ValueWithError> {
    let value = deviations.sample_variance()?.sqrt();
    (value > 0.0).then(|| ValueWithError {
        value,
        error: (0.5 / (deviations.count() - 1) as f64).sqrt(),
    })
}
