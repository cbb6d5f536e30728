//! `estimate`: its intervals, and which systems it says differ.

use super::{Path, Said, World, quietly};
use std::fmt::Write;
use std::fs;
use tiebreak::inputs::source::Source;
use tiebreak::keys::{self, ParameterizedName};
use tiebreak::rng::{Rng, Seed};
use tiebreak::stages::estimate::{self, EstimateStage};

pub(super) const INTERVALS: Path = Path {
    name: "an interval of a mean",
    worlds: worlds![
        "one yes in twenty, ten judgments", [300, 2000], 0.9,
            |seed, run| covered(&RARE, 10, Some([0.0, 1.0]), seed, run);
        "one yes in twenty, thirty judgments", [300, 2000], 0.9,
            |seed, run| covered(&RARE, 30, Some([0.0, 1.0]), seed, run);
        "five stars, ten judgments", [300, 2000], 0.9, |seed, run| covered(&STARS, 10, Some([1.0, 5.0]), seed, run);
        "five stars by eight people with tastes, for new ones like them", [300, 2000], 0.9,
            |seed, run| covered(&TASTES, 200, Some([1.0, 5.0]), seed, run);
    ],
};

pub(super) const DIFFERENCES: Path = Path {
    name: "which systems differ",
    worlds: worlds![
        "three equal systems", [300, 1000], 0.0, |seed, run| differing(0.0, seed, run);
        "one that is better", [60, 300], 0.8, |seed, run| differing(0.8, seed, run);
        "five equal systems, one of which went to other people", [200, 1000], 0.0, apart;
    ],
};

/// How judgments come about.
struct Scale {
    /// One judgment, in the mean over people 0 above `mean`.
    draw: fn(&mut Rng) -> f64,
    mean: f64,
    /// People with tastes of such a standard deviation; 0 where nobody is named.
    people: usize,
    taste: f64,
}

const RARE: Scale = Scale {
    draw: |rng| f64::from(u8::from(rng.bernoulli(0.05))),
    mean: 0.05,
    people: 0,
    taste: 0.0,
};
const STARS: Scale = Scale {
    draw: |rng| (1 + rng.below(5)) as f64,
    mean: 3.0,
    people: 0,
    taste: 0.0,
};
const TASTES: Scale = Scale {
    draw: |rng| 3.0 + 0.5 * rng.normal(),
    mean: 3.0,
    people: 8,
    taste: 0.4,
};

fn covered(scale: &Scale, n: usize, range: Option<[f64; 2]>, seed: Seed, run: u64) -> Said {
    let mut rng = seed.stream("gate", run);
    let tastes: Vec<f64> = (0..scale.people.max(1))
        .map(|_| scale.taste * rng.normal())
        .collect();
    let mut rows = String::from("item,system,criterion,score,annotator\n");
    for item in 0..n {
        let person = rng.below(tastes.len());
        let score = (scale.draw)(&mut rng) + tastes[person];
        let score = range.map_or(score, |[low, high]| score.clamp(low, high));
        let name = if scale.people > 0 {
            format!("a{person}")
        } else {
            String::new()
        };
        let _ = writeln!(rows, "i{item},s,quality,{score},{name}");
    }
    let rows = estimated(&rows, range, false, seed);
    match (rows.0[0].0, rows.0[0].1) {
        (Some(lower), Some(upper)) => Said::of(lower <= scale.mean && scale.mean <= upper),
        _ => Said::Nothing,
    }
}

fn differing(better: f64, seed: Seed, run: u64) -> Said {
    let mut rng = seed.stream("gate", run);
    let mut rows = String::from("item,system,criterion,score,annotator\n");
    for item in 0..60 {
        let level = rng.normal();
        for system in 0..3 {
            let gain = if system == 0 { better } else { 0.0 };
            let _ = writeln!(
                rows,
                "i{item},s{system},quality,{},",
                level + gain + rng.normal()
            );
        }
    }
    let (_, found) = estimated(&rows, None, true, seed);
    let wrong =
        |&(a, b, ahead): &(usize, usize, bool)| !(better > 0.0 && (a, ahead) == (0, true) && b > 0);
    match found.as_slice() {
        [] => Said::Nothing,
        some => Said::of(!some.iter().any(wrong)),
    }
}

/// Five people, one stricter than another, of whom those who judged most of the first system judged least of the others.
fn apart(seed: Seed, run: u64) -> Said {
    let mut rng = seed.stream("gate", run);
    let strictness: Vec<f64> = (0..5).map(|_| rng.normal()).collect();
    let mut rows = String::from("item,system,criterion,score,annotator\n");
    for item in 0..80 {
        let level = rng.normal();
        for system in 0..5 {
            // Shares of 16, 8, 4, 2 and 1 in 31.
            let draw = rng.below(31) + 1;
            let least = (5 - usize::BITS.saturating_sub(draw.leading_zeros())) as usize;
            let person = if system == 0 { 4 - least } else { least };
            let score = level + strictness[person] + 0.7 * rng.normal();
            let _ = writeln!(rows, "i{item},s{system},quality,{score},p{person}");
        }
    }
    let (_, found) = estimated(&rows, None, true, seed);
    match found.is_empty() {
        true => Said::Nothing,
        false => Said::Wrong,
    }
}

type Ends = (Option<f64>, Option<f64>);

/// The ends of each system's interval, and the pairs that differ, with whether the first is ahead.
fn estimated(
    rows: &str,
    range: Option<[f64; 2]>,
    differences: bool,
    seed: Seed,
) -> (Vec<Ends>, Vec<(usize, usize, bool)>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("judgments.csv"), rows).unwrap();
    let keys = EstimateStage {
        estimator: Some(ParameterizedName::new("mean")),
        range: range.map(|[low, high]| keys::flag(&format!("{low},{high}")).unwrap()),
        differences,
        ..EstimateStage::default()
    };
    quietly(seed.0, |context| {
        let source = Source::open(context, folder.path(), &[]).unwrap();
        let found = estimate::run(context, &source, &[], &keys).unwrap();
        // Where enough people judged, of new ones: what these say on average is not fixed here.
        let ends = found.rows.iter().map(|row| {
            let found = &row.analysis;
            let new = found
                .new_annotators
                .map(|new| (Some(new.lower), Some(new.upper)));
            new.unwrap_or((found.lower, found.upper))
        });
        let place = |name: &str| name[1..].parse::<usize>().unwrap();
        let significant = found
            .comparisons
            .differences
            .iter()
            .filter(|one| one.significant);
        let pairs = significant.map(|one| {
            (
                place(&one.system_a),
                place(&one.system_b),
                one.difference > 0.0,
            )
        });
        (ends.collect(), pairs.collect())
    })
}
