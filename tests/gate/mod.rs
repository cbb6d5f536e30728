//! One gate for everything that prints a confidence: on worlds made to mislead it (equal systems, cycles,
//! duplicates, near ties, few items, annotators with tastes) every path is wrong at most as often as it
//! says, and on a clear world it speaks at all: silence is no pass.
//!
//! A new path that can print a confidence is one entry of [`PATHS`].

#![expect(clippy::print_stdout, reason = "a table for whoever runs it")]

/// The worlds of a path: the name of each, its runs here and by hand, its power, and one run.
macro_rules! worlds {
    ($($name:literal, $runs:expr, $power:literal, $play:expr;)*) => {
        &[$(World { name: $name, runs: $runs, power: $power, play: $play }),*]
    };
}

mod campaigns;
mod clusters;
mod estimates;
mod pages;
mod rank;
mod targets;
mod tests;

use rayon::prelude::*;
use std::sync::atomic::AtomicBool;
use tiebreak::engine::Context;
use tiebreak::engine::SilentProgress;
use tiebreak::rng::Seed;

/// What one run of a path says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Nothing,
    Right,
    Wrong,
}

impl Said {
    /// Of something claimed.
    fn of(holds: bool) -> Self {
        match holds {
            true => Self::Right,
            false => Self::Wrong,
        }
    }
}

/// A world in which a path is tried.
struct World {
    name: &'static str,
    /// Runs here: in the tests, and by hand.
    runs: [u64; 2],
    /// The least share of runs in which something right must be said.
    power: f64,
    /// One run, a function of its seed and index.
    play: fn(Seed, u64) -> Said,
}

/// A path that prints a confidence of 95 %.
struct Path {
    name: &'static str,
    worlds: &'static [World],
}

const PATHS: &[Path] = &[
    rank::CLAIM,
    rank::RANKS,
    targets::EPSILON,
    targets::TOP,
    targets::RANKING,
    targets::EXAM,
    campaigns::ONE,
    campaigns::LISTED,
    campaigns::PANEL,
    estimates::INTERVALS,
    estimates::DIFFERENCES,
    tests::PAIRED,
    tests::CORRELATIONS,
    tests::CORPUS,
    clusters::GATE,
    clusters::DIFFERENCES,
    clusters::CLAIM,
];

/// δ of all paths.
const DELTA: f64 = 0.05;

/// Runs every path in every world and returns what went wrong.
fn walk(long: usize) -> Vec<String> {
    let mut faults = Vec::new();
    for path in PATHS {
        for world in path.worlds {
            let runs = world.runs[long];
            let play = |index| (world.play)(Seed(20_26), index);
            let said: Vec<Said> = (0..runs).into_par_iter().map(play).collect();
            let count = |what| said.iter().filter(|&&one| one == what).count() as f64;
            let (wrong, right) = (count(Said::Wrong), count(Said::Right));
            let n = runs as f64;
            let tolerated = n * DELTA + 2.0 * (n * DELTA * (1.0 - DELTA)).sqrt();
            let told = format!(
                "{}, {}: {wrong} wrong and {right} right of {runs}",
                path.name, world.name
            );
            println!("{told}");
            if wrong > tolerated {
                faults.push(format!("{told}, tolerated {tolerated:.1}"));
            }
            if right < world.power * n {
                faults.push(format!(
                    "{told}, expected at least {:.0} right",
                    world.power * n
                ));
            }
        }
    }
    faults
}

#[test]
fn every_path_is_as_right_as_it_says() {
    let faults = walk(0);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
#[ignore = "a thousand runs of every path: some half an hour"]
fn every_path_is_as_right_as_it_says_over_a_thousand_runs() {
    let faults = walk(1);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Does something with a quiet context.
fn quietly<T>(seed: u64, work: impl FnOnce(&Context<'_>) -> T) -> T {
    let stop = AtomicBool::new(false);
    work(&Context {
        seed: Seed(seed),
        env: tiebreak::env::Env::default(),
        progress: &SilentProgress,
        stop: &stop,
    })
}
