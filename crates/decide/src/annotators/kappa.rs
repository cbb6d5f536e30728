//! κ: agreement beyond what annotators' habits alone would give.
//!
//! Sources: Cohen, "A coefficient of agreement for nominal scales", 1960, for two annotators, each with
//! habits of their own; Fleiss, "Measuring nominal scale agreement among many raters", 1971, for many,
//! with common habits. Answers are the same or not. Deviation: Fleiss wants the same number of answers
//! to every question; here the agreement is the mean over questions answered at least twice, and the
//! habits are the shares among all answers to those. With equal numbers that is his κ.

use super::QuestionAnswer;
use super::places::{AnnotatorPlaces, AnswerPlace};
use rayon::prelude::*;

/// The annotators whose pairs with others are found, and held, at a time.
const AT_ONCE: usize = 64;

/// Cohen's κ of two annotators who answered the same questions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cohen {
    /// The two annotators, the smaller number first.
    pub annotators: [usize; 2],
    /// The number of questions that both answered.
    pub shared: u64,
    /// κ, at most 1; `None` where both always gave the one same answer.
    pub kappa: Option<f64>,
}

/// Cohen's κ of every two known annotators who share a question, in the order of their numbers; `both_ways` counts each
/// answer v also as 1 − v, as comparisons need ([`both_ways_round`](super::both_ways_round)). Memory grows with the pairs of
/// one annotator, not with all of them.
pub fn cohen(questions: &[Vec<QuestionAnswer>], both_ways: bool) -> impl Iterator<Item = Cohen> {
    let answered = AnnotatorPlaces::new(questions);
    let of_one = move |own: &[AnswerPlace]| {
        let a = own[0].annotator as usize;
        let mut shared: Vec<(usize, [f64; 2])> = Vec::new();
        for one in own {
            let answers = &questions[one.question as usize];
            let own = answers[one.place as usize].value;
            let others = answers.iter().filter_map(|other| {
                let b = other.annotator.filter(|&b| b > a)?;
                Some((b, [own, other.value]))
            });
            shared.extend(others);
        }
        // Stable, so that questions keep their order.
        shared.sort_by_key(|one| one.0);
        let pairs = shared.chunk_by(|one, other| one.0 == other.0);
        let pair = |answers: &[(usize, [f64; 2])]| Cohen {
            annotators: [a, answers[0].0],
            shared: answers.len() as u64,
            kappa: beyond_chance(answers, both_ways),
        };
        pairs.map(pair).collect::<Vec<_>>()
    };
    let mut begin = 0;
    let some = std::iter::from_fn(move || {
        let mut some = Vec::new();
        while some.len() < AT_ONCE
            && let Some(own) = answered.own_from(begin)
        {
            begin += own.len();
            some.push(own);
        }
        let found = some.par_iter().map(|own| of_one(own));
        (!some.is_empty()).then(|| found.collect::<Vec<_>>())
    });
    some.flatten().flatten()
}

/// κ of two annotators' answers to the same questions, one question a row.
fn beyond_chance(answers: &[(usize, [f64; 2])], both_ways: bool) -> Option<f64> {
    // Most of many pairs share one question: its answers differ, or chance is all there is.
    if let ([(_, [x, y])], false) = (answers, both_ways) {
        return (x != y).then_some(0.0);
    }
    let answers = answers.iter().map(|one| one.1);
    let agreed = answers.clone().filter(|[x, y]| x == y).count() as f64 / answers.len() as f64;
    let ways = 1 + usize::from(both_ways);
    let n = (ways * answers.len()) as f64;
    let each = |value: f64| [value, 1.0 - value].into_iter().take(ways);
    let habits = [0, 1].map(|side| counts(answers.clone().flat_map(|row| each(row[side]))));
    let matching = habits[0].iter().filter_map(|(value, count)| {
        let other = habits[1].iter().find(|(other, _)| other == value)?;
        Some(count * other.1)
    });
    let chance = matching.sum::<f64>() / (n * n);
    (chance < 1.0).then(|| (agreed - chance) / (1.0 - chance))
}

/// Fleiss' κ, at most 1; `None` where no question has two answers, or all answers are the same.
pub fn fleiss(questions: &[Vec<QuestionAnswer>]) -> Option<f64> {
    let shared: Vec<&Vec<QuestionAnswer>> = questions.iter().filter(|one| one.len() > 1).collect();
    let values = |answers: &[QuestionAnswer]| counts(answers.iter().map(|answer| answer.value));
    let agreement = |answers: &&Vec<QuestionAnswer>| {
        let n = answers.len() as f64;
        let alike = values(answers)
            .into_iter()
            .map(|(_, count)| count * (count - 1.0));
        alike.sum::<f64>() / (n * (n - 1.0))
    };
    let agreed = shared.iter().map(agreement).sum::<f64>() / shared.len() as f64;
    let all: Vec<QuestionAnswer> = shared.into_iter().flatten().copied().collect();
    let share = |(_, count): (f64, f64)| count / all.len() as f64;
    let chance: f64 = values(&all).into_iter().map(share).map(|p| p * p).sum();
    (!all.is_empty() && chance < 1.0).then(|| (agreed - chance) / (1.0 - chance))
}

/// The distinct values, ascending, each with its count.
fn counts(values: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values
        .chunk_by(|a, b| a == b)
        .map(|equal| (equal[0], equal.len() as f64))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(values: &[f64]) -> Vec<QuestionAnswer> {
        let answer = |(annotator, &value)| QuestionAnswer {
            annotator: Some(annotator),
            value,
        };
        values.iter().enumerate().map(answer).collect()
    }

    #[test]
    fn both_by_hand() {
        // Annotator 0 says 1, 1, 0, 0 and annotator 1 says 1, 0, 0, 0: 3/4 agreed, 1/2 by chance.
        let questions: Vec<Vec<QuestionAnswer>> = [[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
            .iter()
            .map(|values| question(values))
            .collect();
        let found = cohen(&questions, false).collect::<Vec<_>>();
        assert_eq!((found[0].annotators, found[0].shared), ([0, 1], 4));
        assert!((found[0].kappa.unwrap() - 0.5).abs() < 1e-15);
        // Common habits 3/8 and 5/8: 34/64 by chance.
        let expected = (0.75 - 34.0 / 64.0) / (1.0 - 34.0 / 64.0);
        assert!((fleiss(&questions).unwrap() - expected).abs() < 1e-15);
    }

    /// Two annotators agree on 8 of 10 comparisons of which the first system wins most, whatever it is called.
    #[test]
    fn no_name_of_a_system_changes_agreement_on_comparisons() {
        let answers = |turns: u32| -> Vec<Vec<QuestionAnswer>> {
            let question = |at: u32| {
                let first = if at == 0 { 0.0 } else { 1.0 };
                let second = if [1, 2].contains(&at) { 0.0 } else { first };
                let turn = |value: f64| if at < turns { 1.0 - value } else { value };
                question(&[turn(first), turn(second)])
            };
            (0..10).map(question).collect()
        };
        for turns in 0..=10 {
            let questions = answers(turns);
            let both = super::super::both_ways_round(&questions);
            // 8/10 agreed, half of it by chance.
            assert!((fleiss(&both).unwrap() - 0.6).abs() < 1e-12);
            let found = cohen(&questions, true).collect::<Vec<_>>();
            assert!((found[0].kappa.unwrap() - 0.6).abs() < 1e-12, "{found:?}");
            assert_eq!(found[0].shared, 10);
        }
        let of_one = |values: [f64; 2]| cohen(&[question(&values)], true).next().unwrap().kappa;
        assert_eq!(of_one([1.0, 1.0]), Some(1.0));
        assert_eq!(of_one([1.0, 0.0]), Some(-1.0));
        assert_eq!(of_one([1.0, 0.5]), Some(0.0));
        assert_eq!(of_one([0.5, 0.5]), None);
    }

    #[test]
    fn what_does_not_exist_is_none() {
        assert_eq!(fleiss(&[]), None);
        assert_eq!(fleiss(&[question(&[1.0])]), None);
        let same = vec![question(&[1.0, 1.0]); 3];
        assert_eq!(fleiss(&same), None);
        assert_eq!(cohen(&same, false).collect::<Vec<_>>()[0].kappa, None);
        assert!(cohen(&[question(&[1.0])], false).next().is_none());
    }
}
