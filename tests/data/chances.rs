//! What is said of who may be best on recorded answers, drawn again and again, beside who is best by all
//! records: a study to be run by hand, `cargo test --release -- --ignored --nocapture chances`.
//!
//! Sets of one campaign share systems, texts or people, so they are left out, and drawn for intervals,
//! together. Sets in which no system beats all others are few. Each set counts also without its best system, its best
//! two and its best three. The odds that no system beats all others are the one thing that was fitted; each set is also
//! shown with these odds, and with these and a power of all probabilities, fitted on the other campaigns.

#![expect(clippy::print_stdout, reason = "tables for whoever runs it")]

use super::recorded::{self, Comparison, Output};
use crate::bandits::chances::{Said, World};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tiebreak::bandits::Square;
use tiebreak::duel::Verdict;
use tiebreak::rng::Seed;

/// The sets of each campaign.
const CAMPAIGNS: [&str; 12] = [
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
    "llmbar llmbar-llmeval2 llmbar-mtbench",
];

const ANSWERS: [u64; 4] = [50, 100, 200, 500];

/// Runs on each set, and on each without its best systems.
const RUNS: [u64; 4] = [20, 6, 6, 6];

/// By run, what was said at each number of answers.
struct Set {
    campaign: usize,
    name: &'static str,
    /// The number of its best systems that are left out.
    without: usize,
    said: Vec<Vec<Said>>,
}

/// The records of a set, at i·K + j for i against j.
struct Records {
    k: usize,
    /// Wins, ties and losses on outputs that differ.
    answers: Vec<[f64; 3]>,
    same: Vec<f64>,
    margins: Vec<f64>,
}

impl Records {
    fn beats(&self, i: usize, j: usize) -> bool {
        self.margins[i * self.k + j] > 0.0
    }

    /// The answers, and who is best by all records, without the `without` systems that beat most others.
    fn world(&self, without: usize) -> Option<World> {
        let k = self.k;
        let mut systems: Vec<usize> = (0..k).collect();
        systems.sort_by_key(|&i| std::cmp::Reverse((0..k).filter(|&j| self.beats(i, j)).count()));
        systems.drain(..without.min(k));
        systems.sort_unstable();
        // Of two systems one beats the other, and nothing is to be learnt of sets without a winner.
        if without > 0 && systems.len() < 3 {
            return None;
        }
        let at = |i: usize, j: usize| systems[i] * k + systems[j];
        let share = |i: usize, j: usize| {
            let differing: f64 = self.answers[at(i, j)].iter().sum();
            let all = differing + self.same[at(i, j)];
            if i == j { 0.0 } else { differing / all }
        };
        let differing = Square::from_fn(systems.len(), share);
        let pairs = systems
            .iter()
            .flat_map(|i| systems.iter().map(move |j| i * k + j));
        let answers = pairs.map(|at| self.answers[at]).collect();
        let beats = |i: usize, j: usize| self.beats(systems[i], systems[j]);
        Some(World::new(differing, answers, beats))
    }
}

fn records(name: &str) -> Option<Records> {
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
    Some(Records {
        k,
        answers,
        same,
        margins,
    })
}

fn sets() -> Vec<Set> {
    let all = CAMPAIGNS.into_iter().enumerate();
    let all = all.flat_map(|(campaign, names)| names.split(' ').map(move |name| (campaign, name)));
    let each = all.filter_map(|(campaign, name)| Some((campaign, name, records(name)?)));
    let each = each.flat_map(|(campaign, name, records)| {
        let worlds =
            (0..RUNS.len()).filter_map(move |without| Some((without, records.world(without)?)));
        worlds.map(move |(without, world)| {
            let run = |run| world.said_after(&ANSWERS, run);
            Set {
                campaign,
                name,
                without,
                said: (0..RUNS[without]).into_par_iter().map(run).collect(),
            }
        })
    });
    each.collect()
}

/// The logarithm of a probability; a share of no draws at all counts as half a draw of 10,000.
fn score(probability: f64) -> f64 {
    probability.max(0.5e-4).ln()
}

/// A factor on the odds that no system beats all others, and a power of all probabilities.
type Adjustment = (f64, f64);

/// The adjustment under which what is so was most probable, in the sets of all campaigns but one.
fn fitted(sets: &[Set], without: usize, powers: &[f64]) -> Adjustment {
    let others = || sets.iter().filter(move |set| set.campaign != without);
    let total = |(factor, power): Adjustment| {
        let all = others().flat_map(|set| set.said.iter().flatten());
        all.map(|one| score(one.adjusted(factor, power).truth()))
            .sum::<f64>()
    };
    let factors = (-6..=4).map(|step| 2_f64.powf(f64::from(step) / 2.0));
    let all = factors.flat_map(|factor| powers.iter().map(move |&power| (factor, power)));
    all.max_by(|&a, &b| total(a).total_cmp(&total(b))).unwrap()
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

/// What was said in each run of a set at some number of answers, adjusted.
fn said_at(set: &Set, at: usize, (factor, power): Adjustment) -> impl Iterator<Item = Said> {
    set.said
        .iter()
        .map(move |run| run[at].adjusted(factor, power))
}

fn excess(one: &Said) -> f64 {
    one.leader() - number(one.right())
}

/// A line for each number of answers; by campaign, how what was said is adjusted.
fn by_answers(sets: &[&Set], by_campaign: &[Adjustment]) {
    println!(
        "answers  leader said  right  said less right     none said  none  log score  of none"
    );
    for (at, answers) in ANSWERS.iter().enumerate() {
        let of = |value: fn(&Said) -> f64| -> Vec<(usize, f64)> {
            let of_set = |set: &&Set| {
                let said = said_at(set, at, by_campaign[set.campaign]);
                (set.campaign, mean(said.map(|one| value(&one))))
            };
            sets.iter().map(of_set).collect()
        };
        let over_sets =
            |value: fn(&Said) -> f64| mean(of(value).into_iter().map(|(_, value)| value));
        let (low, high) = interval(&of(excess));
        let of_none = |one: &Said| {
            score(if one.no_winner() {
                one.none
            } else {
                1.0 - one.none
            })
        };
        println!(
            "{answers:7}  {:11.3}  {:5.3}  {:+.3} [{low:+.3}, {high:+.3}]  {:9.3}  {:.3}  {:9.3}  {:7.3}",
            over_sets(Said::leader),
            over_sets(|one| number(one.right())),
            over_sets(excess),
            over_sets(|one| one.none),
            over_sets(|one| number(one.no_winner())),
            over_sets(|one| score(one.truth())),
            over_sets(of_none),
        );
    }
}

/// A line for each tenth of what was said of leaders, at any number of answers.
fn by_probability(sets: &[&Set], by_campaign: &[Adjustment]) {
    println!("said        mean   right  share of all  said less right");
    let all = sets.iter().flat_map(|set| {
        let at = (0..ANSWERS.len()).flat_map(move |at| said_at(set, at, by_campaign[set.campaign]));
        at.map(move |one| (set.campaign, one))
    });
    let all: Vec<(usize, Said)> = all.collect();
    for tenth in 0..10 {
        let within = |one: &&(usize, Said)| ((10.0 * one.1.leader()) as i32).min(9) == tenth;
        let these: Vec<&(usize, Said)> = all.iter().filter(within).collect();
        if these.is_empty() {
            continue;
        }
        let (low, high) = interval(
            &these
                .iter()
                .map(|one| (one.0, excess(&one.1)))
                .collect::<Vec<_>>(),
        );
        println!(
            "{:.1} to {:.1}  {:.3}  {:.3}  {:12.3}  [{low:+.3}, {high:+.3}]",
            f64::from(tenth) / 10.0,
            f64::from(tenth + 1) / 10.0,
            mean(these.iter().map(|one| one.1.leader())),
            mean(these.iter().map(|one| number(one.1.right()))),
            these.len() as f64 / all.len() as f64,
        );
    }
}

/// A line for each set, with what was said after 200 answers: a set is clear or not, so sets differ more than runs.
fn by_set(sets: &[&Set]) {
    println!("set                   leader said  right  none said  none");
    for set in sets {
        let of = |value: fn(&Said) -> f64| mean(set.said.iter().map(|run| value(&run[2])));
        println!(
            "{:20}  {:11.3}  {:5.3}  {:9.3}  {:4}",
            set.name,
            of(Said::leader),
            of(|one| number(one.right())),
            of(|one| one.none),
            of(|one| number(one.no_winner())),
        );
    }
}

/// What was said of winners when they were proved.
fn at_proofs(sets: &[&Set]) {
    let last = sets
        .iter()
        .flat_map(|set| set.said.iter().filter_map(|run| run.last()));
    let proved: Vec<&Said> = last
        .filter(|one| matches!(one.verdict, Verdict::Winner { .. }))
        .collect();
    let least = proved.iter().map(|one| one.leader()).fold(1.0, f64::min);
    println!(
        "{} proofs: {:.4} said, {least:.3} at least, {:.4} right",
        proved.len(),
        mean(proved.iter().map(|one| one.leader())),
        mean(proved.iter().map(|one| number(one.right()))),
    );
}

#[test]
#[ignore = "a study of some minutes on the public data sets, which prints tables"]
fn reliability_of_what_is_said_of_the_leader() {
    let sets = sets();
    let (whole, reduced): (Vec<&Set>, Vec<&Set>) = sets.iter().partition(|set| set.without == 0);
    let all = |factor: f64| vec![(factor, 1.0); CAMPAIGNS.len()];
    let left_out = |powers: &[f64]| -> Vec<Adjustment> {
        let campaigns = 0..CAMPAIGNS.len();
        campaigns
            .map(|without| fitted(&sets, without, powers))
            .collect()
    };
    // What is said has .7 of the odds that the model's draws have.
    for (what, by_campaign) in [
        ("as the model draws", all(1.0 / 0.7)),
        ("as said", all(1.0)),
        ("odds fitted on the other campaigns", left_out(&[1.0])),
        (
            "odds and a power fitted on the other campaigns",
            left_out(&[0.8, 0.9, 1.0, 1.1, 1.2]),
        ),
    ] {
        println!("\n{what}: {by_campaign:.2?}");
        for (which, sets) in [
            ("sets", &whole),
            ("sets without their best systems", &reduced),
        ] {
            println!("{} {which}", sets.len());
            by_answers(sets, &by_campaign);
            by_probability(sets, &by_campaign);
        }
    }
    println!();
    by_set(&whole);
    at_proofs(&whole);
}
