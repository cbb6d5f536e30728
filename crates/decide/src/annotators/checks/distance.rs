//! One annotator far from the others, who are close to each other: what three annotators can still show.
//!
//! How much people usually differ cannot be learned from two or three, so no one can be called unusual. But a
//! test can show that an annotator is more than twice as far from the others as those are from each other.
//! On every question that the annotator and two others answered, let u be the mean distance of the annotator
//! from the others and v that of any two others. Unless that is so, the mean of u − 2v is at most 0, tested by
//! Student's t on one side, with the scatter between units. Distances are 0 or 1 between categories, differences between numbers.

use super::{AnnotatorCheckResult, Check, FEWEST};
use crate::annotators::QuestionAnswer;
use crate::annotators::units::UnitSums;
use tiebreak_base::stats::special;

/// The factor by which an annotator must be farther from the others than those are from each other.
const FAR: f64 = 2.0;

/// The evidence about one annotator.
#[derive(Default, Clone)]
struct DistanceExcess {
    /// The sums of u − 2v.
    excess: UnitSums,
    /// The number of questions where u − 2v is above 0.
    found: u64,
}

/// Tests each of `annotators` annotators who shares enough units with two others. `units`: that of each question;
/// `scale`: answers are numbers.
pub fn distance(
    questions: &[Vec<QuestionAnswer>],
    units: &[usize],
    annotators: usize,
    scale: bool,
) -> Vec<AnnotatorCheckResult> {
    let between = |a: &QuestionAnswer, b: &QuestionAnswer| match scale {
        true => (a.value - b.value).abs(),
        false => f64::from(u8::from(a.value != b.value)),
    };
    let mut beside = vec![DistanceExcess::default(); annotators];
    let enough = questions.iter().zip(units);
    for (answers, &unit) in enough.filter(|(answers, _)| answers.len() > 2) {
        let n = answers.len() as f64;
        let from_others = |at: usize| {
            let others = answers.iter();
            others
                .map(|other| between(&answers[at], other))
                .sum::<f64>()
        };
        let sums: Vec<f64> = (0..answers.len()).map(from_others).collect();
        let all = 0.5 * sums.iter().sum::<f64>();
        for (answer, sum) in answers.iter().zip(&sums) {
            if let Some(annotator) = answer.annotator {
                let among = (all - sum) / (0.5 * (n - 1.0) * (n - 2.0));
                beside[annotator].push(unit, sum / (n - 1.0) - FAR * among);
            }
        }
    }
    let [found, all] = beside.iter().fold([0, 0], |[found, all], one| {
        [found + one.found, all + one.excess.count()]
    });
    let of_others = |one: &DistanceExcess| {
        let rest = (all - one.excess.count()).max(1) as f64;
        (found - one.found) as f64 / rest * one.excess.count() as f64
    };
    let all = beside.iter().enumerate();
    all.filter_map(|(annotator, one)| one.tested(annotator, of_others(one)))
        .collect()
}

impl DistanceExcess {
    fn push(&mut self, unit: usize, excess: f64) {
        self.excess.push(unit, excess);
        self.found += u64::from(excess > 0.0);
    }

    fn tested(&self, annotator: usize, expected: f64) -> Option<AnnotatorCheckResult> {
        let (mean, units) = (self.excess.mean()?, self.excess.units());
        if units < FEWEST || mean.error == 0.0 {
            return None;
        }
        let t = mean.value / mean.error;
        let above = special::student_t_above(t.abs(), (units - 1) as f64);
        Some(AnnotatorCheckResult {
            check: Check::Distance,
            annotator,
            other: None,
            found: self.found,
            of: self.excess.count(),
            expected,
            p: if t > 0.0 { above } else { 1.0 - above },
        })
    }
}
