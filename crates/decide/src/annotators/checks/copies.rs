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
use crate::annotators::places::{AnnotatorPlaces, AnswerPlace};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::OnceLock;
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
    let of_units: Vec<Vec<&[QuestionAnswer]>> = of_units.into_values().collect();
    let units: Vec<SharedUnit<'_>> = of_units.into_par_iter().map(SharedUnit::new).collect();
    // The units of each annotator, with where their places begin there.
    let mut answered = Vec::new();
    for (at, unit) in (0_u32..).zip(&units) {
        let mut begin = 0;
        while let Some(own) = unit.own.own_from(begin) {
            answered.push((own[0].annotator, at, begin as u32));
            begin += own.len();
        }
    }
    answered.sort_unstable();
    let own: Vec<_> = answered.chunk_by(|one, other| one.0 == other.0).collect();
    let tested = own.into_par_iter().flat_map_iter(|own| {
        let annotator = own[0].0 as usize;
        let mut together = Vec::new();
        for &(_, at, begin) in own {
            let unit = &units[at as usize];
            let own = unit.own.own_from(begin as usize).unwrap_or_default();
            let beside = unit.answered_by_both(own);
            together.extend(beside.map(|(other, answers)| (other, at, answers)));
        }
        // Stable, so that units and their questions keep their order.
        together.sort_by_key(|one| one.0);
        let of_both = together.chunk_by(|one, next| one.0 == next.0);
        let tested = of_both.filter_map(|of_both| {
            let of_units = of_both.chunk_by(|one, next| one.1 == next.1);
            if (of_units.clone().count() as u64) < FEWEST {
                return None;
            }
            let mut shared = SharedAnswers::default();
            for answers in of_units {
                let unit = &units[answers[0].1 as usize];
                shared.add(unit, answers.iter().map(|one| one.2));
            }
            Some(shared.tested([annotator, of_both[0].0 as usize]))
        });
        tested.collect::<Vec<_>>()
    });
    tested.collect()
}

/// The questions of a unit, with the pairs of annotators who answered the same of them.
struct SharedUnit<'a> {
    questions: Vec<&'a [QuestionAnswer]>,
    own: AnnotatorPlaces,
    /// The number of pairs that share at most so many questions as their place says, and of those that differ. Counted
    /// when first needed: hardly any two of many annotators share enough units.
    pairs: OnceLock<Vec<[u64; 2]>>,
}

impl<'a> SharedUnit<'a> {
    fn new(questions: Vec<&'a [QuestionAnswer]>) -> Self {
        Self {
            own: AnnotatorPlaces::new(&questions),
            questions,
            pairs: OnceLock::new(),
        }
    }

    fn pairs(&self) -> &[[u64; 2]] {
        self.pairs.get_or_init(|| self.counted())
    }

    fn counted(&self) -> Vec<[u64; 2]> {
        let mut counts = vec![[0; 2]; self.questions.len() + 1];
        let mut count = |pair: UnitComparison| {
            let [pairs, differing] = &mut counts[pair.shared];
            *pairs += 1;
            *differing += u64::from(!pair.is_same(SLIPS));
        };
        let mut begin = 0;
        while let Some(own) = self.own.own_from(begin) {
            let mut beside: Vec<_> = self.answered_by_both(own).collect();
            beside.sort_by_key(|one| one.0);
            for of_both in beside.chunk_by(|one, next| one.0 == next.0) {
                count(UnitComparison::new(of_both.iter().map(|one| one.1)));
            }
            begin += own.len();
        }
        // Who an unknown annotator is in another question cannot be known.
        for answers in &self.questions {
            let nameless = answers.iter().take_while(|one| one.annotator.is_none());
            for (at, one) in nameless.enumerate() {
                for other in &answers[at + 1..] {
                    let both = [one.value, other.value];
                    count(UnitComparison::new([both].into_iter()));
                }
            }
        }
        for place in 1..counts.len() {
            let [pairs, differing] = counts[place - 1];
            counts[place][0] += pairs;
            counts[place][1] += differing;
        }
        counts
    }

    /// The later annotators who answered some of an annotator's questions, question by question, with both answers.
    fn answered_by_both(&self, own: &[AnswerPlace]) -> impl Iterator<Item = (u32, [f64; 2])> {
        own.iter().flat_map(|one| {
            let (own, later) = self.questions[one.question as usize][one.place as usize..]
                .split_first()
                .expect("a place of an answer");
            let known = later
                .iter()
                .filter_map(|other| Some((other.annotator? as u32, other.value)));
            known.map(|(other, value)| (other, [own.value, value]))
        })
    }
}

impl UnitComparison {
    fn new(answers: impl Iterator<Item = [f64; 2]> + Clone) -> Self {
        Self {
            shared: answers.clone().count(),
            differing: answers.filter(|[x, y]| x != y).count(),
        }
    }

    /// Whether at most that part of the answers differs.
    fn is_same(self, slips: f64) -> bool {
        self.differing as f64 <= slips * self.shared as f64
    }
}

impl SharedAnswers {
    /// Adds the two answers to each shared question of a unit.
    fn add(&mut self, unit: &SharedUnit<'_>, answers: impl Iterator<Item = [f64; 2]> + Clone) {
        let own = UnitComparison::new(answers.clone());
        let [pairs, differing] = unit.pairs()[own.shared];
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
        let all = UnitComparison::new(self.answers.iter().copied());
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
