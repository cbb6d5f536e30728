//! Annotators with known qualities: they are recovered, and nobody is accused without reason.

mod checks;

use tiebreak::annotators::QuestionAnswer;
use tiebreak::annotators::alpha::{MeasurementLevel, alpha};
use tiebreak::annotators::dawid_skene::DawidSkene;
use tiebreak::annotators::kappa::{cohen, fleiss};
use tiebreak::annotators::labels::{ClassOrder, FittedLabelModel, LabelModel};
use tiebreak::annotators::mace::Mace;
use tiebreak::annotators::outliers::{OutlierSide, Trait, apart};
use tiebreak::annotators::standing::AnnotatorProfile;
use tiebreak::rng::{Rng, Seed};

/// Judgments of `questions` outputs, each by five of the annotators: (bias, noise) of each of them.
fn judged(people: &[(f64, f64)], questions: usize, rng: &mut Rng) -> Vec<Vec<QuestionAnswer>> {
    let mut order: Vec<usize> = (0..people.len()).collect();
    (0..questions)
        .map(|_| {
            let truth = 60.0 + 15.0 * rng.normal();
            rng.shuffle(&mut order);
            let mut chosen = order[..5].to_vec();
            chosen.sort_unstable();
            let mut answer = |annotator: usize| {
                let (bias, noise) = people[annotator];
                let value = truth + bias + noise * rng.normal();
                QuestionAnswer {
                    annotator: Some(annotator),
                    value,
                }
            };
            chosen.into_iter().map(&mut answer).collect()
        })
        .collect()
}

/// The units of questions that are each about an item of its own.
fn alone(questions: &[Vec<QuestionAnswer>]) -> Vec<usize> {
    (0..questions.len()).collect()
}

/// Twelve people who differ as people do.
fn ordinary(rng: &mut Rng) -> Vec<(f64, f64)> {
    (0..12)
        .map(|_| (3.0 * rng.normal(), 8.0 * (0.15 * rng.normal()).exp()))
        .collect()
}

#[test]
fn bias_and_noise_are_recovered() {
    let rng = &mut Seed(1).stream("test", 0);
    let mut people = ordinary(rng);
    people[3] = (-25.0, 8.0);
    people[8] = (0.0, 40.0);
    let questions = judged(&people, 1500, rng);
    let standings = AnnotatorProfile::on_a_scale(&questions, &alone(&questions), people.len());
    for (standing, &(bias, noise)) in standings.iter().zip(&people) {
        // The others' mean bias, and a fourth of their noise variance, come on top.
        let of_others = (people.iter().map(|one| one.0).sum::<f64>() - bias) / 11.0;
        let found = standing.bias.unwrap();
        assert!(
            (found.value - (bias - of_others)).abs() < 5.0 * found.error + 0.3,
            "{found:?}"
        );
        let others = people
            .iter()
            .map(|one| one.1 * one.1 + one.0 * one.0)
            .sum::<f64>()
            / 48.0;
        let expected = (noise * noise + others).sqrt();
        let found = standing.noise.unwrap();
        assert!(
            (found.value / expected - 1.0).abs() < 0.15,
            "{found:?} {expected}"
        );
        assert_eq!(
            (standing.answers, standing.answers),
            (standing.shared, standing.shared)
        );
    }
    let found = AnnotatorProfile::outliers(&standings, true, 0.05);
    for (annotator, traits) in found.iter().enumerate() {
        let expected: &[Trait] = match annotator {
            3 => &[Trait::Bias],
            8 => &[Trait::Agreement, Trait::Noise],
            _ => &[],
        };
        assert_eq!(traits, expected, "annotator {annotator}: {standings:?}");
    }
}

#[test]
fn ordinary_people_are_rarely_accused() {
    const RUNS: u64 = 400;
    let accused = (0..RUNS).filter(|&run| {
        let rng = &mut Seed(2).stream("world", run);
        let people = 5 + rng.below(10);
        let measured: Vec<Option<(f64, f64)>> = (0..people)
            .map(|_| {
                let error = 0.2 + rng.uniform();
                Some((rng.normal() + error * rng.normal(), error))
            })
            .collect();
        apart(&measured, OutlierSide::Both, 0.05).contains(&true)
    });
    // 5 % of 400 with a standard deviation of 4.4.
    let accused = accused.count();
    assert!(accused <= 33, "{accused}");
}

/// Questions of three classes, answered by six of the annotators, each right with their own accuracy,
/// else one class up. Also the right answers.
fn labelled(
    skill: &[f64],
    questions: usize,
    rng: &mut Rng,
) -> (Vec<Vec<(usize, usize)>>, Vec<usize>) {
    let truth: Vec<usize> = (0..questions).map(|_| rng.below(3)).collect();
    let answers = truth.iter().map(|&truth| {
        let mut order: Vec<usize> = (0..skill.len()).collect();
        rng.shuffle(&mut order);
        let answer = |&annotator: &usize| {
            let right = rng.bernoulli(skill[annotator]);
            (annotator, if right { truth } else { (truth + 1) % 3 })
        };
        order[..6].iter().map(answer).collect()
    });
    (answers.collect(), truth)
}

#[test]
fn dawid_and_skene_recover_who_is_right_and_beat_the_majority() {
    let rng = &mut Seed(3).stream("test", 0);
    let skill = [0.95, 0.9, 0.85, 0.8, 0.45, 0.4, 0.35, 0.3, 0.7, 0.6];
    let (questions, truth) = labelled(&skill, 800, rng);
    let model = DawidSkene::fit(&questions, skill.len(), 3, ClassOrder::Nominal);
    for (annotator, skill) in skill.iter().enumerate() {
        let found = model.accuracy(annotator);
        assert!(
            (found - skill).abs() < 0.07,
            "{annotator}: {found}, {skill}"
        );
        assert!(
            model.confusion(annotator, 0, 2) < 0.05,
            "nobody errs downwards"
        );
    }
    let right = |label: &dyn Fn(usize) -> usize| {
        let right = truth
            .iter()
            .enumerate()
            .filter(|&(at, &truth)| label(at) == truth);
        right.count() as f64 / truth.len() as f64
    };
    let majority = |at: usize| {
        let votes = |class: usize| questions[at].iter().filter(|one| one.1 == class).count();
        (0..3).rev().max_by_key(|&class| votes(class)).unwrap()
    };
    let (by_model, by_majority) = (right(&|at| model.label(at).0), right(&majority));
    assert!(by_model > by_majority + 0.05, "{by_model} {by_majority}");
    // Probabilities mean what they say.
    let stated: f64 = (0..truth.len()).map(|at| model.label(at).1).sum();
    assert!((stated / truth.len() as f64 - by_model).abs() < 0.04);
}

/// Annotators who know, and some who nearly always say the same whatever is right.
#[test]
fn mace_finds_the_spammers_and_their_habits() {
    let rng = &mut Seed(5).stream("test", 0);
    let competence = [0.95, 0.9, 0.8, 0.7, 0.1, 0.05, 0.05];
    let truth: Vec<usize> = (0..400).map(|_| rng.below(3)).collect();
    let questions: Vec<Vec<(usize, usize)>> = truth
        .iter()
        .map(|&truth| {
            let annotators = competence.iter().enumerate();
            let answer = |(annotator, &knows): (usize, &f64)| {
                let habit = if rng.bernoulli(0.8) { 2 } else { rng.below(3) };
                (annotator, if rng.bernoulli(knows) { truth } else { habit })
            };
            annotators.map(answer).collect()
        })
        .collect();
    let fit = |seed| Mace::fit(&questions, competence.len(), 3, (ClassOrder::Nominal, seed));
    let model = fit(Seed(1));
    for (annotator, competence) in competence.iter().enumerate() {
        let found = model.competence(annotator);
        assert!(
            (found - competence).abs() < 0.12,
            "{annotator}: {found}, {competence}"
        );
        let right = questions.iter().zip(&truth);
        let right = right
            .filter(|(answers, truth)| answers[annotator].1 == **truth)
            .count();
        let accuracy = model.accuracy(annotator);
        assert!(
            (accuracy - right as f64 / 400.0).abs() < 0.06,
            "{annotator}: {accuracy}"
        );
    }
    let right = (0..400)
        .filter(|&at| model.label(at).0 == truth[at])
        .count();
    assert!(right > 380, "{right}");
    // Another seed starts elsewhere and ends in the same place.
    let again = fit(Seed(2));
    assert!((again.competence(0) - model.competence(0)).abs() < 1e-6);
    assert_eq!(model, fit(Seed(1)));
}

#[test]
fn what_cannot_be_told_is_none() {
    let answer = |annotator: usize, value: f64| QuestionAnswer {
        annotator: Some(annotator),
        value,
    };
    let single = vec![vec![answer(0, 1.0)], vec![answer(0, 3.0)]];
    let apart = vec![vec![answer(0, 1.0)], vec![answer(1, 3.0)]];
    let alike = vec![vec![answer(0, 2.0), answer(1, 2.0)]; 20];
    for questions in [&vec![], &single, &apart, &alike] {
        let units = alone(questions);
        for scale in [
            MeasurementLevel::Nominal,
            MeasurementLevel::Ordinal,
            MeasurementLevel::Interval,
            MeasurementLevel::Ratio,
        ] {
            assert_eq!(alpha(questions, scale), None);
        }
        assert_eq!(fleiss(questions), None);
        assert!(cohen(questions, false).all(|pair| pair.kappa.is_none()));
        let standings = AnnotatorProfile::on_a_scale(questions, &units, 2);
        assert!(
            standings
                .iter()
                .all(|one| one.noise.is_none() && one.agreement.is_none())
        );
        assert!(
            AnnotatorProfile::outliers(&standings, true, 0.05)
                .concat()
                .is_empty()
        );
        assert!(
            AnnotatorProfile::outliers(
                &AnnotatorProfile::among_categories(questions, &units, 2),
                false,
                0.05
            )
            .concat()
            .is_empty()
        );
    }
    for how in LabelModel::ALL {
        let by = (ClassOrder::Turned, Seed(1));
        assert!(how.fit(&[], 2, 0, by).posteriors().is_empty());
        let certain = how.fit(&[vec![(0, 0)], vec![(1, 0)]], 2, 1, by);
        let (class, probability) = certain.label(0);
        assert!(class == 0 && (probability - 1.0).abs() < 1e-12);
        assert!((certain.accuracy(1) - 1.0).abs() < 1e-12);
        let absent = how.fit(&[vec![(0, 1), (1, 1)]], 3, 2, by);
        assert!(
            (0.0..=1.0).contains(&absent.accuracy(2)),
            "who never answered"
        );
    }
}
