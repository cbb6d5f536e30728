//! What is said of who may be best on recorded answers, drawn again and again, beside who is best by all
//! records: a study to be run by hand, `cargo test --release -- --ignored --nocapture chances`.
//!
//! Sets of one campaign share systems, texts or people, so they are left out, and drawn for intervals,
//! together. The odds that no system beats all others are the one thing that was fitted; each set is
//! also shown with these odds fitted on the other campaigns.

#![expect(clippy::print_stdout, reason = "tables for whoever runs it")]

use super::recorded::{self, Comparison, Output};
use crate::bandits::chances::{Said, World};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tiebreak::bandits::Square;
use tiebreak::rng::Seed;

/// The sets of each campaign.
const CAMPAIGNS: [&str; 11] = [
    "wmt12-cze-eng wmt12-deu-eng wmt12-fre-eng wmt12-spa-eng",
    "wmt13-fre-eng",
    "wmt15-ces-eng wmt15-deu-eng wmt15-fin-eng wmt15-fre-eng wmt15-rus-eng",
    "wmt16-cze-eng wmt16-deu-eng wmt16-rus-eng wmt16-tur-eng",
    "grammarly-fce grammarly-fce-dev grammarly-wiki grammarly-wiki-dev",
    "conll14-gec conll14-gec-napoles conll14-paper",
    "seeda-edit seeda-sent",
    "e2e-quality e2e-naturalness",
    "parabank",
    "mtbench-human",
    "faireval",
];

const ANSWERS: [u64; 4] = [50, 100, 200, 500];

/// Runs on each set.
const RUNS: u64 = 20;

/// By run, what was said at each number of answers.
struct Set {
    campaign: usize,
    said: Vec<Vec<Said>>,
}

/// The answers on outputs that differ, and who is best by all records.
fn world(name: &str) -> Option<World> {
    let comparisons: Vec<Comparison> = recorded::rows(name, "comparisons")?;
    let outputs: Vec<Output> = recorded::rows(name, "outputs")?;
    let text = |one: Output| ((one.item, one.system), one.output);
    let texts: HashMap<(String, String), String> = outputs.into_iter().map(text).collect();
    let both = |one: &Comparison| [one.system_a.clone(), one.system_b.clone()];
    let systems: BTreeSet<String> = comparisons.iter().flat_map(both).collect();
    let k = systems.len();
    let numbers: BTreeMap<String, usize> = systems.into_iter().zip(0..).collect();
    let mut answers = vec![[0.0; 3]; k * k];
    let mut same = vec![0.0; k * k];
    let mut margins = vec![0.0; k * k];
    for Comparison {
        item,
        system_a,
        system_b,
        outcome,
    } in comparisons
    {
        let (a, b) = (numbers[&system_a], numbers[&system_b]);
        let of = |system| texts.get(&(item.clone(), system));
        let identical = of(system_a).is_some_and(|text| of(system_b) == Some(text));
        for (i, j, outcome) in [(a, b, outcome), (b, a, 1.0 - outcome)] {
            margins[i * k + j] += outcome - 0.5;
            match identical {
                true => same[i * k + j] += 1.0,
                false => answers[i * k + j][(2.0 - 2.0 * outcome) as usize] += 1.0,
            }
        }
    }
    let share = |i: usize, j: usize| {
        let differing: f64 = answers[i * k + j].iter().sum();
        let all = differing + same[i * k + j];
        if i == j { 0.0 } else { differing / all }
    };
    let differing = Square::from_fn(k, share);
    Some(World::new(differing, answers, |i, j| {
        margins[i * k + j] > 0.0
    }))
}

fn sets() -> Vec<Set> {
    let all = CAMPAIGNS.into_iter().enumerate();
    let all = all.flat_map(|(campaign, names)| names.split(' ').map(move |name| (campaign, name)));
    all.filter_map(|(campaign, name)| {
        let world = world(name)?;
        let run = |run| world.said_after(&ANSWERS, run);
        let said = (0..RUNS).into_par_iter().map(run).collect();
        Some(Set { campaign, said })
    })
    .collect()
}

/// The factor on the odds that no system beats all others under which what is so was most probable, in
/// the sets of all campaigns but one.
fn fitted(sets: &[Set], without: usize) -> f64 {
    let others = || sets.iter().filter(move |set| set.campaign != without);
    let score = |factor: f64| {
        let all = others().flat_map(|set| set.said.iter().flatten());
        // A share of no draws at all counts as half a draw of 10,000.
        all.map(|one| one.with_odds(factor).truth.max(0.5e-4).ln())
            .sum::<f64>()
    };
    let factors = (-12..=8).map(|step| 2_f64.powf(f64::from(step) / 4.0));
    factors
        .max_by(|&a, &b| score(a).total_cmp(&score(b)))
        .unwrap()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    sum / n
}

/// The ends of a 95 % interval of the mean of what sets give, by drawing campaigns again.
fn interval(by_set: &[(usize, f64)]) -> (f64, f64) {
    let mut rng = Seed(42).stream("bootstrap", 0);
    let n = CAMPAIGNS.len();
    let mut draws: Vec<f64> = (0..4000)
        .map(|_| {
            let drawn: Vec<usize> = (0..n).map(|_| rng.below(n)).collect();
            let of = |&campaign: &usize| by_set.iter().filter(move |(one, _)| *one == campaign);
            mean(drawn.iter().flat_map(of).map(|&(_, value)| value))
        })
        .collect();
    draws.retain(|mean| mean.is_finite()); // of no sets there is none
    draws.sort_by(f64::total_cmp);
    let at = |share: f64| draws[(share * (draws.len() - 1) as f64) as usize];
    (at(0.025), at(0.975))
}

fn number(so: bool) -> f64 {
    f64::from(u8::from(so))
}

/// A line for each number of answers; `odds` are the factors of the campaigns.
fn by_answers(sets: &[Set], odds: &[f64]) {
    println!("answers  leader said  right  said less right     none said  none  log score");
    for (at, answers) in ANSWERS.iter().enumerate() {
        let of = |value: fn(Said) -> f64| -> Vec<(usize, f64)> {
            let of_set = |set: &Set| {
                let said = set
                    .said
                    .iter()
                    .map(|run| run[at].with_odds(odds[set.campaign]));
                (set.campaign, mean(said.map(value)))
            };
            sets.iter().map(of_set).collect()
        };
        let over_sets = |value| mean(of(value).into_iter().map(|(_, value)| value));
        let excess = |one: Said| one.leader - number(one.right);
        let (low, high) = interval(&of(excess));
        println!(
            "{answers:7}  {:11.3}  {:5.3}  {:+.3} [{low:+.3}, {high:+.3}]  {:9.3}  {:.3}  {:9.3}",
            over_sets(|one| one.leader),
            over_sets(|one| number(one.right)),
            over_sets(excess),
            over_sets(|one| one.none),
            over_sets(|one| number(one.no_winner)),
            over_sets(|one| one.truth.max(0.5e-4).ln()),
        );
    }
}

/// A line for each tenth of what was said of leaders, at any number of answers.
fn by_probability(sets: &[Set], odds: &[f64]) {
    println!("said        mean   right  share of all  said less right");
    let all = sets.iter().flat_map(|set| {
        let runs = set.said.iter().flatten();
        runs.map(|one| (set.campaign, one.with_odds(odds[set.campaign])))
    });
    let all: Vec<(usize, Said)> = all.collect();
    for tenth in 0..10 {
        let within = |one: &&(usize, Said)| ((10.0 * one.1.leader) as i32).min(9) == tenth;
        let these: Vec<&(usize, Said)> = all.iter().filter(within).collect();
        let excess = |one: &&(usize, Said)| (one.0, one.1.leader - number(one.1.right));
        let (low, high) = interval(&these.iter().map(excess).collect::<Vec<_>>());
        println!(
            "{:.1} to {:.1}  {:.3}  {:.3}  {:12.3}  [{low:+.3}, {high:+.3}]",
            f64::from(tenth) / 10.0,
            f64::from(tenth + 1) / 10.0,
            mean(these.iter().map(|one| one.1.leader)),
            mean(these.iter().map(|one| number(one.1.right))),
            these.len() as f64 / all.len() as f64,
        );
    }
}

#[test]
#[ignore = "a study of some minutes on the public data sets, which prints tables"]
fn reliability_of_what_is_said_of_the_leader() {
    let sets = sets();
    let all = |factor: f64| vec![factor; CAMPAIGNS.len()];
    let fitted = (0..CAMPAIGNS.len()).map(|without| fitted(&sets, without));
    // What is said has half the odds that the model's draws have.
    for (what, odds) in [
        ("as the model draws", all(2.0)),
        ("as said", all(1.0)),
        ("odds fitted on the other campaigns", fitted.collect()),
    ] {
        let odds = &odds[..];
        println!("\n{what}: factors {odds:.2?}");
        by_answers(&sets, odds);
        by_probability(&sets, odds);
    }
}
