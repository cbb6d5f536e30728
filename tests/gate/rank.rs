//! `rank` of a file: its claim, and the ranks that are to hold together.

use super::{Path, Said, World, quietly};
use std::fmt::Write;
use tiebreak::inputs::source::Source;
use tiebreak::ranking::result::Ranking;
use tiebreak::rng::{Rng, Seed};
use tiebreak::stages::rank;

pub(super) const CLAIM: Path = Path {
    name: "claim of a file",
    worlds: worlds![
        "three equal systems", [300, 1000], 0.0, |seed, run| claimed(&EQUAL, seed, run);
        "rock, paper, scissors", [200, 1000], 0.0, |seed, run| claimed(&CYCLE, seed, run);
        "a faint cycle", [200, 1000], 0.0, |seed, run| claimed(&FAINT_CYCLE, seed, run);
        "a cycle whose first is strongest", [200, 1000], 0.0, |seed, run| claimed(&UNEVEN_CYCLE, seed, run);
        "two equal ahead of the rest", [200, 1000], 0.0, |seed, run| claimed(&TIED_AHEAD, seed, run);
        "a near tie", [200, 1000], 0.0, |seed, run| claimed(&NEAR_TIE, seed, run);
        "few items", [300, 1000], 0.0, |seed, run| claimed(&FEW_ITEMS, seed, run);
        "annotators with tastes", [300, 1000], 0.0, |seed, run| claimed(&TASTES, seed, run);
        "few annotators with tastes", [200, 1000], 0.0, |seed, run| claimed(&FEW_TASTES, seed, run);
        "a clear winner", [60, 300], 0.9, |seed, run| claimed(&CLEAR, seed, run);
        "a clear winner for many people", [60, 300], 0.8, |seed, run| claimed(&CLEAR_TO_ALL, seed, run);
    ],
};

pub(super) const RANKS: Path = Path {
    name: "ranks of a file",
    worlds: worlds![
        "three equal systems", [200, 1000], 0.9, |seed, run| ranks_hold(&EQUAL, seed, run);
        "few items", [200, 1000], 0.9, |seed, run| ranks_hold(&FEW_ITEMS, seed, run);
        "annotators with tastes", [200, 1000], 0.9, |seed, run| ranks_hold(&TASTES, seed, run);
        "a clear winner", [100, 300], 0.9, |seed, run| ranks_hold(&CLEAR, seed, run);
    ],
};

/// Who beats whom, and how comparisons are collected.
struct Truth {
    /// `p_ij` for i < j, row by row, in the mean over people and items.
    upper: &'static [f64],
    systems: usize,
    items: u64,
    /// Comparisons of each pair.
    each: u64,
    /// People, each with a taste of her own for each pair; 0 where nobody is named.
    annotators: u64,
    /// The standard deviation of tastes, and of items.
    taste: f64,
    item_effect: f64,
    ties: f64,
}

const EQUAL: Truth = Truth {
    upper: &[0.5, 0.5, 0.5],
    systems: 3,
    items: 100,
    each: 34,
    annotators: 0,
    taste: 0.0,
    item_effect: 0.1,
    ties: 0.2,
};
const CYCLE: Truth = Truth {
    upper: &[0.8, 0.2, 0.8],
    each: 100,
    ..EQUAL
};
const FAINT_CYCLE: Truth = Truth {
    upper: &[0.55, 0.45, 0.55],
    each: 150,
    ..EQUAL
};
const UNEVEN_CYCLE: Truth = Truth {
    upper: &[0.95, 0.46, 0.6],
    each: 120,
    ..EQUAL
};
const TIED_AHEAD: Truth = Truth {
    upper: &[0.5, 0.8, 0.8, 0.8, 0.8, 0.5],
    systems: 4,
    each: 120,
    ..EQUAL
};
const NEAR_TIE: Truth = Truth {
    upper: &[0.505, 0.6, 0.6],
    each: 150,
    ..EQUAL
};
const FEW_ITEMS: Truth = Truth {
    items: 5,
    each: 60,
    item_effect: 0.2,
    ..EQUAL
};
const TASTES: Truth = Truth {
    annotators: 8,
    each: 120,
    taste: 0.15,
    ..EQUAL
};
const FEW_TASTES: Truth = Truth {
    annotators: 3,
    each: 60,
    taste: 0.0,
    ..EQUAL
};
const CLEAR: Truth = Truth {
    upper: &[0.8, 0.8, 0.6],
    each: 100,
    ..EQUAL
};
const CLEAR_TO_ALL: Truth = Truth {
    upper: &[0.8, 0.8, 0.6],
    each: 120,
    annotators: 10,
    taste: 0.1,
    ..EQUAL
};

impl Truth {
    fn p(&self, i: usize, j: usize) -> f64 {
        if i > j {
            return 1.0 - self.p(j, i);
        }
        let before: usize = (0..i).map(|row| self.systems - 1 - row).sum();
        self.upper[before + j - i - 1]
    }

    fn beats_all(&self, system: usize) -> bool {
        (0..self.systems).all(|other| other == system || self.p(system, other) > 0.5)
    }

    /// A file of comparisons drawn from it.
    fn file(&self, rng: &mut Rng) -> String {
        let mut rows = String::new();
        let deviate = |rng: &mut Rng, spread: f64| spread * rng.normal();
        for (i, j) in pairs(self.systems) {
            let items: Vec<f64> = (0..self.items)
                .map(|_| deviate(rng, self.item_effect))
                .collect();
            let people = self.annotators.max(1);
            let tastes: Vec<f64> = (0..people).map(|_| deviate(rng, self.taste)).collect();
            for _ in 0..self.each {
                let (item, person) = (rng.below(items.len()), rng.below(tastes.len()));
                let p = (self.p(i, j) + items[item] + tastes[person]).clamp(0.0, 1.0);
                let outcome = match rng.bernoulli(self.ties) {
                    true => 0.5,
                    false => f64::from(u8::from(rng.bernoulli(p))),
                };
                let annotator = match self.annotators {
                    0 => String::new(),
                    _ => format!(",\"annotator\":\"a{person}\""),
                };
                let _ = writeln!(
                    rows,
                    "{{\"item\":\"i{item}\",\"system_a\":\"s{i}\",\"system_b\":\"s{j}\",\"outcome\":{outcome}{annotator}}}"
                );
            }
        }
        rows
    }

    fn ranking(&self, seed: Seed, run: u64) -> Ranking {
        let folder = tempfile::tempdir().unwrap();
        let rows = self.file(&mut seed.stream("gate", run));
        std::fs::write(folder.path().join("comparisons.jsonl"), rows).unwrap();
        quietly(seed.0, |context| {
            let source = Source::open(context, folder.path(), &[]).unwrap();
            rank::run(context, &source, &rank::Rank::default(), None, 0.95).unwrap()
        })
    }

    /// Whether what is known is what people prefer, of whom those who answer are a few.
    fn is_of_people(&self) -> bool {
        self.taste > 0.0
    }

    /// Systems by their mean preference over the others, as strengths have it.
    fn borda(&self, system: usize) -> f64 {
        let others = (0..self.systems).filter(|&other| other != system);
        others.map(|other| self.p(system, other)).sum()
    }
}

fn pairs(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |i| (i + 1..k).map(move |j| (i, j)))
}

fn place(name: &str) -> usize {
    name[1..].parse().unwrap()
}

fn claimed(truth: &Truth, seed: Seed, run: u64) -> Said {
    let ranking = truth.ranking(seed, run);
    let claim = match ranking.new_annotators {
        Some(panel) if truth.is_of_people() => panel.claim,
        _ => ranking.claim,
    };
    match claim.systems.as_slice() {
        [] => Said::Nothing,
        [only] => Said::of(truth.beats_all(place(only))),
        _ => Said::Wrong,
    }
}

/// Whether the true rank of every system lies within its ranks; equals share theirs.
fn ranks_hold(truth: &Truth, seed: Seed, run: u64) -> Said {
    let ranking = truth.ranking(seed, run);
    let ranks = match ranking.new_annotators {
        Some(panel) if truth.is_of_people() => panel.ranks,
        _ => ranking.ranks,
    };
    let holds = ranks.iter().all(|one| {
        let own = truth.borda(place(&one.system));
        let others = || (0..truth.systems).map(|other| truth.borda(other));
        let ahead = others().filter(|&other| other > own + 1e-9).count() as u64;
        let not_behind = others().filter(|&other| other > own - 1e-9).count() as u64;
        one.rank_low <= ahead + 1 && one.rank_high >= not_behind
    });
    Said::of(holds)
}
