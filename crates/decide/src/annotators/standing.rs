//! Each annotator beside the others who answered the same questions.
//!
//! On a scale of numbers the deviation of an answer is its difference from the mean of the others' answers to the
//! question. *Bias* is the mean deviation, *noise* the standard deviation of deviations, *agreement* Pearson's
//! correlation of the answers with those means, 0 for answers that never differ. Among categories *agreement* is the mean share of the
//! others who gave the same answer. Only questions that someone else answered count. Questions of one item are a unit
//! ([`units`](super::units)): standard errors are between units.

use super::QuestionAnswer;
use super::units::UnitSums;
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

/// The profile of one annotator. `None`: too few shared questions, or others' answers that never vary.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AnnotatorProfile {
    /// The number of questions answered.
    pub answers: u64,
    /// The number of these that others answered too.
    pub shared: u64,
    /// The units of the shared questions.
    pub units: u64,
    /// The agreement with the answers of others.
    pub agreement: Option<ValueWithError>,
    /// The mean deviation, on a scale of numbers.
    pub bias: Option<ValueWithError>,
    /// The standard deviation of deviations, on a scale of numbers; above 0.
    pub noise: Option<ValueWithError>,
}

impl AnnotatorProfile {
    /// The profile of each of `annotators` known annotators whose answers are numbers on a scale. `units`: that of each
    /// question.
    pub fn on_a_scale(
        questions: &[Vec<QuestionAnswer>],
        units: &[usize],
        annotators: usize,
    ) -> Vec<AnnotatorProfile> {
        let new = (
            0,
            JointMoments::default(),
            Moments::default(),
            UnitSums::default(),
        );
        let mut beside = vec![new; annotators];
        for (answers, &unit) in questions.iter().zip(units) {
            for (at, answer) in answers.iter().enumerate() {
                let Some(annotator) = answer.annotator else {
                    continue;
                };
                let (answered, joint, deviations, sums) = &mut beside[annotator];
                *answered += 1;
                let others = answers[..at].iter().chain(&answers[at + 1..]);
                let others: Moments = others.map(|other| other.value).collect();
                if let Some(others) = others.mean() {
                    joint.push(answer.value, others);
                    deviations.push(answer.value - others);
                    sums.push(unit, answer.value - others);
                }
            }
        }
        let all = beside.into_iter();
        all.map(|(answers, joint, deviations, sums)| AnnotatorProfile {
            answers,
            shared: sums.count(),
            units: sums.units(),
            agreement: correlation(&joint, sums.units()),
            bias: sums.mean(),
            noise: noise(&deviations, sums.units()),
        })
        .collect()
    }

    /// The profile of each of `annotators` known annotators whose answers are categories. `units`: that of each
    /// question.
    pub fn among_categories(
        questions: &[Vec<QuestionAnswer>],
        units: &[usize],
        annotators: usize,
    ) -> Vec<AnnotatorProfile> {
        let mut beside = vec![(0, UnitSums::default()); annotators];
        for (answers, &unit) in questions.iter().zip(units) {
            for answer in answers {
                let Some(annotator) = answer.annotator else {
                    continue;
                };
                let (answered, shares) = &mut beside[annotator];
                *answered += 1;
                if answers.len() > 1 {
                    let same = answers.iter().filter(|other| other.value == answer.value);
                    let share = (same.count() - 1) as f64 / (answers.len() - 1) as f64;
                    shares.push(unit, share);
                }
            }
        }
        let standing = |(answers, shares): (u64, UnitSums)| AnnotatorProfile {
            answers,
            shared: shares.count(),
            units: shares.units(),
            agreement: shares.mean(),
            ..AnnotatorProfile::default()
        };
        beside.into_iter().map(standing).collect()
    }
}

/// The correlation of an annotator's answers with the others' means. It is 0 for answers that are always the same where the
/// others' differ: they agree by chance alone.
pub fn correlation_with_others(joint: &JointMoments) -> Option<f64> {
    let varies = |side: &Moments| side.sample_variance().is_some_and(|found| found > 0.0);
    let is_constant = !varies(joint.x()) && varies(joint.y());
    joint.correlation().or(is_constant.then_some(0.0))
}

fn correlation(joint: &JointMoments, units: u64) -> Option<ValueWithError> {
    let degrees = units.checked_sub(3).filter(|&left| left > 0)?;
    correlation_with_others(joint).map(|value| ValueWithError {
        value,
        error: (1.0 / degrees as f64).sqrt(),
    })
}

fn noise(deviations: &Moments, units: u64) -> Option<ValueWithError> {
    let value = deviations.sample_variance()?.sqrt();
    (value > 0.0 && units > 1).then(|| ValueWithError {
        value,
        error: (0.5 / (units - 1) as f64).sqrt(),
    })
}
