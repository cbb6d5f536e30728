//! Two annotators whose answers are the same: one person under two names, or copies.
//!
//! How often honest people agree depends on the questions, so it is read off the others. The questions of a unit that
//! two annotators share are the same if at most a tenth of their answers differ. In the units that two annotators
//! share, any other two who share no more of the unit's questions differ in a share d. Honest people differ at least a
//! third as often, so that the chance of a units alike among n is at most P(X ≥ a), X binomial with n trials of
//! probability 1 − d/3. Where no one else answered their questions, honest people differ in at least a
//! twentieth of the cases in which chance, by their own shares of answers, would have them differ; a unit is then the
//! same if all its answers are. So questions on which all agree say nothing, however many they are.
//!
//! Annotators who merely agree well are no copies: only pairs with a κ of .95 or more are tested.

use super::{AnnotatorCheckResult, Check, FEWEST};
use crate::annotators::QuestionAnswer;
use std::collections::BTreeMap;
use tiebreak_base::stats::binomial;

/// Copies differ in at most this part of the cases in which chance would have them differ.
const FAITHFUL: f64 = 0.05;

/// Honest people differ in at least this part of the cases in which others do.
const ALIKE: f64 = 1.0 / 3.0;

/// The part of a unit's answers that may differ where the unit counts as the same.
const SLIPS: f64 = 0.1;

/// How the answers of two annotators to the shared questions of a unit compare.
#[derive(Default, Clone, Copy)]
struct UnitComparison {
    shared: usize,
    differing: usize,
}

/// Two annotators and the questions that both answered.
#[derive(Default)]
struct SharedAnswers {
    /// The two answers to each question.
    answers: Vec<[f64; 2]>,
    units: Vec<UnitComparison>,
    /// The share of the other pairs of annotators that differ, summed over the units with other pairs.
    others_differ: f64,
    /// The number of units with other pairs.
    with_others: u64,
}

/// Tests every two annotators who share enough units, in the order of their numbers; `units`: that of each question.
/// Memory grows with the pairs of one annotator, not with all of them.
pub fn copies(questions: &[Vec<QuestionAnswer>], units: &[usize]) -> Vec<AnnotatorCheckResult> {
    let mut of_units: BTreeMap<usize, Vec<&[QuestionAnswer]>> = BTreeMap::new();
    for (question, &unit) in questions.iter().zip(units) {
        of_units.entry(unit).or_default().push(question);
    }
    let units: Vec<SharedUnit<'_>> = of_units.into_values().map(SharedUnit::new).collect();
    let mut answered: BTreeMap<usize, Vec<&SharedUnit<'_>>> = BTreeMap::new();
    for unit in &units {
        for annotator in unit.annotators() {
            answered.entry(annotator).or_default().push(unit);
        }
    }
    let tested = answered.into_iter().flat_map(|(annotator, own)| {
        let mut together: BTreeMap<usize, SharedAnswers> = BTreeMap::new();
        for unit in own {
            for (other, answers) in unit.beside(annotator) {
                together.entry(other).or_default().add(unit, answers);
            }
        }
        let enough = together.into_iter();
        let enough = enough.filter(|(_, shared)| shared.units.len() as u64 >= FEWEST);
        enough.map(move |(other, shared)| shared.tested([annotator, other]))
    });
    tested.collect()
}

/// The questions of a unit, with the pairs of annotators who answered the same of them.
struct SharedUnit<'a> {
    questions: Vec<&'a [QuestionAnswer]>,
    /// The number of pairs that share at most so many questions as their place says, and of those that differ.
    pairs: Vec<[u64; 2]>,
}

impl<'a> SharedUnit<'a> {
    fn new(questions: Vec<&'a [QuestionAnswer]>) -> Self {
        let mut unit = Self {
            pairs: vec![[0; 2]; questions.len() + 1],
            questions,
        };
        for annotator in unit.annotators() {
            for (_, answers) in unit.beside(annotator) {
                unit.count(UnitComparison::new(&answers));
            }
        }
        // Who an unknown annotator is in another question cannot be known.
        let mut unknown = Vec::new();
        for answers in &unit.questions {
            let nameless = answers.iter().take_while(|one| one.annotator.is_none());
            for (at, one) in nameless.enumerate() {
                let later = answers[at + 1..].iter();
                unknown.extend(later.map(|other| UnitComparison::new(&[[one.value, other.value]])));
            }
        }
        for pair in unknown {
            unit.count(pair);
        }
        for place in 1..unit.pairs.len() {
            let [pairs, differing] = unit.pairs[place - 1];
            unit.pairs[place][0] += pairs;
            unit.pairs[place][1] += differing;
        }
        unit
    }

    fn count(&mut self, comparison: UnitComparison) {
        let [pairs, differing] = &mut self.pairs[comparison.shared];
        *pairs += 1;
        *differing += u64::from(!comparison.is_same(SLIPS));
    }

    /// The known annotators, each once.
    fn annotators(&self) -> Vec<usize> {
        let answers = self.questions.iter().copied().flatten();
        let mut known: Vec<usize> = answers.filter_map(|one| one.annotator).collect();
        known.sort_unstable();
        known.dedup();
        known
    }

    /// The later annotators who answered some of an annotator's questions, with both answers to each of these.
    fn beside(&self, annotator: usize) -> BTreeMap<usize, Vec<[f64; 2]>> {
        let mut beside: BTreeMap<usize, Vec<[f64; 2]>> = BTreeMap::new();
        for answers in &self.questions {
            let mut places = answers.iter();
            let Some(own) = places.position(|one| one.annotator == Some(annotator)) else {
                continue;
            };
            for later in &answers[own + 1..] {
                if let Some(other) = later.annotator {
                    let both = [answers[own].value, later.value];
                    beside.entry(other).or_default().push(both);
                }
            }
        }
        beside
    }
}

impl UnitComparison {
    fn new(answers: &[[f64; 2]]) -> Self {
        Self {
            shared: answers.len(),
            differing: answers.iter().filter(|[x, y]| x != y).count(),
        }
    }

    /// Whether at most that part of the answers differs.
    fn is_same(self, slips: f64) -> bool {
        self.differing as f64 <= slips * self.shared as f64
    }
}

impl SharedAnswers {
    /// Adds the two answers to each shared question of a unit.
    fn add(&mut self, unit: &SharedUnit<'_>, answers: Vec<[f64; 2]>) {
        let own = UnitComparison::new(&answers);
        let [pairs, differing] = unit.pairs[own.shared];
        if pairs > 1 {
            let others = differing - u64::from(!own.is_same(SLIPS));
            self.others_differ += others as f64 / (pairs - 1) as f64;
            self.with_others += 1;
        }
        self.units.push(own);
        self.answers.extend(answers);
    }

    fn tested(&self, [annotator, other]: [usize; 2]) -> AnnotatorCheckResult {
        let by_chance = self.differ_by_chance();
        let (usual, part, slips) = match self.with_others >= FEWEST {
            true => (self.others_differ / self.with_others as f64, ALIKE, SLIPS),
            false => (by_chance, FAITHFUL, 0.0),
        };
        let same = self.units.iter().filter(|unit| unit.is_same(slips));
        let (n, found) = (self.units.len() as u64, same.count() as u64);
        let all = UnitComparison::new(&self.answers);
        let are_faithful = all.is_same(FAITHFUL * by_chance) && by_chance > 0.0;
        AnnotatorCheckResult {
            check: Check::Copies,
            annotator,
            other: Some(other),
            found,
            of: n,
            expected: n as f64 * (1.0 - usual),
            p: match are_faithful {
                true => binomial::at_least(found, n, 1.0 - part * usual),
                false => 1.0,
            },
        }
    }

    /// The share of questions on which the two would differ if they answered at random by their own shares.
    fn differ_by_chance(&self) -> f64 {
        let mut counts: BTreeMap<u64, [f64; 2]> = BTreeMap::new();
        for [x, y] in &self.answers {
            counts.entry(x.to_bits()).or_default()[0] += 1.0;
            counts.entry(y.to_bits()).or_default()[1] += 1.0;
        }
        let n = self.answers.len() as f64;
        let alike: f64 = counts.values().map(|[a, b]| a * b).sum();
        1.0 - alike / (n * n)
    }
}
