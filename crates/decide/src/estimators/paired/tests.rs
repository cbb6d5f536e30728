//! Simulations of gates on paired differences: false verdicts, and what is found.

use super::*;
use crate::evaluation::gate::{GateDecision, GateEvidence, Requirement, decide};
use std::collections::BTreeMap;
use tiebreak_base::rng::{Rng, Seed};
use tiebreak_base::stats::moments::Moments;

const RUNS: u64 = 2000;

/// Successes and failures of two systems whose items differ in a share of cases, the first ahead by a difference.
fn successes(rng: &mut Rng, n: usize, differing: f64, difference: f64) -> PairedDifferences {
    let ahead = 0.5 * (differing + difference);
    let draw = |u: f64| match u {
        u if u < ahead => 1.0,
        u if u < differing => -1.0,
        _ => 0.0,
    };
    let values: Vec<f64> = (0..n).map(|_| draw(rng.uniform())).collect();
    PairedDifferences::new(&values, 1.0, true).unwrap()
}

/// Successes and failures of a system that succeeds less often by a drop than the other one, each by itself.
fn apart(rng: &mut Rng, n: usize, succeeds: f64, drop: f64) -> PairedDifferences {
    let mut draw = |p: f64| f64::from(u8::from(rng.bernoulli(p)));
    let values: Vec<f64> = (0..n)
        .map(|_| draw(succeeds - drop) - draw(succeeds))
        .collect();
    PairedDifferences::new(&values, 1.0, true).unwrap()
}

/// Scores of two systems: equal but for jitter and rare regressions by most of the scale, made up for elsewhere.
fn rare(rng: &mut Rng, n: usize, share: f64) -> PairedDifferences {
    let made_up = 0.8 * share / (1.0 - share);
    let mut draw = || match rng.bernoulli(share) {
        true => -0.8,
        false => made_up + 0.02 * rng.normal(),
    };
    let values: Vec<f64> = (0..n).map(|_| draw()).collect();
    PairedDifferences::new(&values, 1.0, false).unwrap()
}

fn normal(rng: &mut Rng, n: usize, difference: f64) -> PairedDifferences {
    let values: Vec<f64> = (0..n)
        .map(|_| (difference + 0.25 * rng.normal()).clamp(-1.0, 1.0))
        .collect();
    PairedDifferences::new(&values, 1.0, false).unwrap()
}

fn decision(one: &PairedDifferences, requirement: Requirement, margin: f64) -> GateDecision {
    let margin = requirement.needs_margin().then_some(margin);
    let evidence = GateEvidence::new(|x| one.p_above(x), |x| one.p_below(x), margin);
    decide(&[(0, evidence)], requirement, 0.05).decision
}

/// The shares of runs that meet a requirement and that refute it.
fn shares(
    name: &str,
    requirement: Requirement,
    margin: f64,
    draw: impl Fn(&mut Rng) -> PairedDifferences,
) -> (f64, f64) {
    let (mut met, mut refuted) = (0, 0);
    let mut known = BTreeMap::new();
    for run in 0..RUNS {
        let one = draw(&mut Seed(17).stream(name, run));
        let decide = || decision(&one, requirement, margin);
        let decision = match one.counts {
            Some(counts) => *known.entry(counts).or_insert_with(decide),
            None => decide(),
        };
        match decision {
            GateDecision::Met => met += 1,
            GateDecision::NotMet => refuted += 1,
            GateDecision::Undecided => {}
        }
    }
    (met as f64 / RUNS as f64, refuted as f64 / RUNS as f64)
}

/// Three standard errors of a share of the runs.
fn slack(share: f64) -> f64 {
    3.0 * (share * (1.0 - share) / RUNS as f64).sqrt()
}

#[test]
fn unchanged_systems_fail_as_rarely_as_said() {
    use Requirement::{Better, Equivalent, NoRegression, NotWorse};
    for n in [50, 300] {
        for requirement in [NoRegression, Better, NotWorse, Equivalent] {
            let most = if requirement.needs_margin() {
                0.05
            } else {
                0.025
            };
            let by_scores = shares("scores", requirement, 0.05, |rng| normal(rng, n, 0.0));
            let by_success = shares("successes", requirement, 0.05, |rng| {
                successes(rng, n, 0.2, 0.0)
            });
            for (met, refuted) in [by_scores, by_success] {
                assert!(
                    refuted <= most + slack(most),
                    "{n} {requirement}: {refuted}"
                );
                if requirement == Better {
                    assert!(met <= most + slack(most), "{n}: {met}");
                }
            }
        }
    }
}

#[test]
fn a_system_that_is_worse_by_the_margin_passes_as_rarely_as_said() {
    for (n, share) in [(50, 0.3), (300, 0.15)] {
        let (met, _) = shares("margin", Requirement::NotWorse, 0.1, |rng| {
            successes(rng, n, share, -0.1)
        });
        assert!(met <= 0.05 + slack(0.05), "{n}: {met}");
        let (met, _) = shares("margin", Requirement::Equivalent, 0.1, |rng| {
            normal(rng, n, 0.1)
        });
        assert!(met <= 0.05 + slack(0.05), "{n}: {met}");
    }
}

#[test]
fn rare_regressions_do_not_look_like_gains() {
    for (n, share) in [(50, 0.02), (100, 0.005), (300, 0.02), (300, 0.005)] {
        let (met, refuted) = shares("rare", Requirement::Better, 0.0, |rng| rare(rng, n, share));
        assert!(met <= 0.025 + slack(0.025), "{n} {share}: {met}");
        assert!(refuted <= 0.025 + slack(0.025), "{n} {share}: {refuted}");
    }
    // Student's t alone would see gains where most samples show no regression.
    let t = quantiles::two_sided_t(0.95, 99).unwrap();
    let gains = (0..500).filter(|&run| {
        let one = rare(&mut Seed(17).stream("rare", run), 100, 0.005);
        one.mean() > t * one.standard_error()
    });
    assert!(gains.count() > 100);
}

#[test]
fn drops_are_found_with_the_power_that_is_said() {
    for n in [50_usize, 300, 1000] {
        // What is said is of a typical sample: its own deviation, and share of differing items.
        let even: Vec<f64> = (0..n)
            .map(|at| [1.0, -1.0, 0.0, 0.0, 0.0][at % 5])
            .collect();
        let typical = PairedDifferences::new(&even, 1.0, true).unwrap();
        let drop = typical.detectable(0.025, 0.8).unwrap();
        let succeeds = 0.5 + 0.5 * (1.0_f64 - 2.0 * 0.4).sqrt();
        let (_, found) = shares("drop", Requirement::NoRegression, 0.0, |rng| {
            apart(rng, n, succeeds, drop)
        });
        assert!(
            (0.8 - slack(0.8)..0.87).contains(&found),
            "{n} {drop}: {found}"
        );
        // Near the ceiling a drop makes items differ that agree now.
        let mut near: Vec<f64> = vec![0.0; n];
        near[..n / 50].fill(1.0);
        near[n / 50..2 * (n / 50)].fill(-1.0);
        let typical = PairedDifferences::new(&near, 1.0, true).unwrap();
        let drop = typical.detectable(0.025, 0.8).unwrap();
        let (_, found) = shares("ceiling", Requirement::NoRegression, 0.0, |rng| {
            apart(rng, n, 0.5 + 0.5 * (1.0 - 2.0 * 0.04_f64).sqrt(), drop)
        });
        assert!(
            (0.8 - slack(0.8)..0.9).contains(&found),
            "{n} {drop}: {found}"
        );
        let scaled: Vec<f64> = (0..n)
            .map(|at| 0.25 * quantiles::normal((at as f64 + 0.5) / n as f64).unwrap())
            .collect();
        let typical = PairedDifferences::new(&scaled, 1.0, false).unwrap();
        let drop = typical.detectable(0.025, 0.8).unwrap();
        let (_, found) = shares("drop", Requirement::NoRegression, 0.0, |rng| {
            normal(rng, n, -drop)
        });
        assert!((0.77..0.9).contains(&found), "{n} {drop}: {found}");
    }
}

#[test]
fn many_gates_share_the_level() {
    // Fifty gates at .05 together: each end at .0005, where the shape of scores says less.
    let level = 0.05 / 50.0;
    let wrong = |run: u64| {
        let mut rng = Seed(23).stream("over", run);
        let one = rare(&mut rng, 100, 0.02);
        one.p_above(0.0).min(one.p_below(0.0)) <= 0.5 * level
    };
    let wrong = (0..RUNS).filter(|&run| wrong(run)).count();
    assert!(wrong <= 7, "{wrong}");
}

#[test]
fn items_that_settle_it_by_hand() {
    // Three points on 300 items of which a tenth differ: found in 30 % of cases.
    let mut values = vec![0.0; 300];
    values[..10].fill(1.0);
    values[10..29].fill(-1.0);
    let one = PairedDifferences::new(&values, 1.0, true).unwrap();
    let needed = one.needed(0.0, 0.025, 0.8).unwrap();
    let found = power::power_of_mcnemar(19.0 / 300.0, 10.0 / 300.0, needed, 0.05);
    assert!(
        (850..930).contains(&needed) && found >= 0.8,
        "{needed} {found}"
    );
    let detectable = one.detectable(0.025, 0.8).unwrap();
    assert!((0.06..0.07).contains(&detectable), "{detectable}");
    // With one value only a share ln(1/α)/n could have stayed unseen.
    let same = PairedDifferences::new(&[0.0; 300], 1.0, false).unwrap();
    let (lower, upper) = same.ends(0.025);
    let unseen = 0.025_f64.ln() / -300.0;
    assert!((upper - unseen).abs() < 1e-12 && (lower + unseen).abs() < 1e-12);
    assert_eq!(same.needed(0.0, 0.025, 0.8), None);
    // (1 − .01)^298 is just above .05: as many equal items as settle it, and no fewer.
    for (n, settles) in [(100, false), (298, false), (299, true)] {
        let equal = PairedDifferences::new(&vec![0.0; n], 1.0, true).unwrap();
        assert_eq!(equal.needed(-0.01, 0.05, 0.8), Some(299), "{n}");
        let is_settled = decision(&equal, Requirement::NotWorse, 0.01) == GateDecision::Met;
        assert_eq!(is_settled, settles, "{n}");
    }
    assert!(same.least_margin(0.05, 0.8, false).unwrap() < 0.011);
    assert!(PairedDifferences::new(&[], 1.0, true).is_none());
    let single = PairedDifferences::new(&[0.5], 1.0, false).unwrap();
    assert_eq!(single.ends(0.025), (-1.0, 1.0));
    assert_eq!(single.detectable(0.025, 0.8), None);
}

#[test]
fn a_p_value_is_the_level_at_which_an_end_passes() {
    let mut rng = Seed(3).stream("p", 0);
    let samples = [
        normal(&mut rng, 60, 0.08),
        rare(&mut rng, 200, 0.02),
        successes(&mut rng, 80, 0.3, 0.1),
    ];
    for one in samples {
        for x in [-0.15, -0.05, 0.0, 0.02, 0.1] {
            let (above, below) = (one.p_above(x), one.p_below(x));
            for (p, excludes) in [
                (
                    above,
                    Box::new(|level: f64| one.ends(level).0 > x) as Box<dyn Fn(f64) -> bool>,
                ),
                (below, Box::new(|level: f64| one.ends(level).1 < x)),
            ] {
                if (1e-6..0.49).contains(&p) {
                    assert!(excludes(1.001 * p) && !excludes(0.999 * p), "{x}: {p}");
                }
            }
        }
    }
    let one = rare(&mut rng, 400, 0.02);
    let (out, inside) = (one.ends(0.01).1, one.ends(0.01 - 1e-9).1);
    assert!(inside - out > 1e-4, "{out} {inside}");
    assert_eq!(one.p_below(0.5 * (out + inside)), 0.01);
}

/// Student's t of few items reaches farther than the range alone at a somewhat higher confidence.
#[test]
fn intervals_widen_as_the_confidence_rises() {
    let mut rng = Seed(5).stream("nested", 0);
    for n in [2, 3, 5, 10, 29, 30, 40, 400] {
        let samples = [normal(&mut rng, n, 0.1), rare(&mut rng, n, 0.1)];
        for one in samples {
            let mut inner = one.ends(0.2);
            for level in [
                0.05, 0.02, 0.0101, 0.01, 0.0099, 0.005, 0.001, 1e-4, 1.01e-6, 0.99e-6, 1e-7,
            ] {
                let (lower, upper) = one.ends(level);
                assert!(lower <= inner.0 && upper >= inner.1, "{n} {level}");
                inner = (lower, upper);
            }
        }
    }
}

/// Three comparisons that share a level, as by Bonferroni or Holm, have ends below .01.
#[test]
fn intervals_do_not_jump_above_98_percent() {
    let mut rng = Seed(7).stream("jump", 0);
    let width = |one: &PairedDifferences, level: f64| {
        let (lower, upper) = one.ends(level);
        upper - lower
    };
    for n in [400, 4000] {
        let even = normal(&mut rng, n, 0.04);
        let least = width(&even, 0.01);
        assert!(width(&even, 0.0099) < 1.01 * least, "{n}");
        // Normal quantiles are 1.33 and 1.6 times as far as at .01.
        assert!(width(&even, 0.001) < 1.36 * least, "{n}");
        assert!(width(&even, 1e-4) < 1.75 * least, "{n}");
        let rare = rare(&mut rng, n, 0.02);
        let times = width(&rare, 0.0099) / width(&rare, 0.01);
        assert!(times < 1.26, "{n}: {times}");
    }
}

/// Scores of two equal systems where few items fall far: the mean difference is 0.
fn skewed(rng: &mut Rng, n: usize) -> PairedDifferences {
    let share = 0.08;
    let mut draw = || match rng.bernoulli(share) {
        true => -0.9,
        false => 0.9 * share / (1.0 - share) + 0.01 * rng.normal(),
    };
    let values: Vec<f64> = (0..n).map(|_| draw()).collect();
    PairedDifferences::new(&values, 1.0, false).unwrap()
}

#[test]
fn equal_systems_win_in_none_of_twelve_slices() {
    use crate::evaluation::slices::SliceEstimate;
    const DATA_SETS: u64 = 500;
    // By the ends of their share of the level, and by Student's t with Bonferroni's.
    for (least, most, by_t_alone) in [(8, 12, 0.3), (20, 40, 0.1)] {
        let (mut wrong, mut by_t) = (0, 0);
        for run in 0..DATA_SETS {
            let mut rng = Seed(31).stream("slices", run);
            let slices: Vec<PairedDifferences> = (0..12)
                .map(|_| {
                    let n = least + rng.below(most - least + 1);
                    skewed(&mut rng, n)
                })
                .collect();
            let level = SliceEstimate::shared_level(0.05, slices.iter().map(|one| one.n));
            // Small slices claim nothing; their ends are tested as if they did.
            let level = match slices
                .iter()
                .any(|one| one.n >= SliceEstimate::FEWEST_ITEMS)
            {
                true => level,
                false => level / 12.0,
            };
            let differs = |(lower, upper): (f64, f64)| lower > 0.0 || upper < 0.0;
            wrong += u64::from(slices.iter().any(|one| differs(one.ends(0.5 * level))));
            by_t += u64::from(slices.iter().any(|one| {
                let t = quantiles::two_sided_t(1.0 - level, one.n - 1).unwrap();
                one.mean().abs() > t * one.standard_error()
            }));
        }
        let share = |count: u64| count as f64 / DATA_SETS as f64;
        assert!(share(wrong) <= 0.05, "{least} to {most}: {}", share(wrong));
        assert!(
            share(by_t) > by_t_alone,
            "{least} to {most}: {}",
            share(by_t)
        );
    }
}

/// The number of items comes from the interval itself: so many of the same items just reach the boundary.
#[test]
fn needed_items_solve_the_interval_of_the_range_alone() {
    let values = |copies: usize| -> Vec<f64> {
        let one = (0..50).map(|item| if item % 10 == 0 { 0.02 } else { 0.01 });
        let one: Vec<f64> = one.collect();
        one.repeat(copies)
    };
    let of = |copies: usize| PairedDifferences::new(&values(copies), 1.0, false).unwrap();
    let level = 0.001;
    let needed = of(1).needed(0.0, level, 0.5).unwrap() as usize;
    let copies = needed.div_ceil(50);
    assert!(of(copies).ends(level).0 >= 0.0, "{needed}");
    assert!(of(copies - 1).ends(level).0 < 0.0, "{needed}");
    // By 1/√n alone it would be many times as many.
    let (lower, upper) = of(1).ends(level);
    let scaled = 50.0 * ((upper - lower) / 2.0 / of(1).mean()).powi(2);
    assert!(scaled > 2.0 * needed as f64, "{scaled} {needed}");
}

#[test]
fn needed_items_follow_the_shape_of_many_below_a_level_of_one_percent() {
    let values = |n: usize| -> Vec<f64> {
        let each = (0..n).map(|at| quantiles::normal((at as f64 + 0.5) / n as f64).unwrap());
        each.map(|z| 0.04 + 0.25 * z).collect()
    };
    let of = |n: usize| PairedDifferences::new(&values(n), 1.0, false).unwrap();
    for level in [0.005, 0.001] {
        let needed = of(200).needed(0.0, level, 0.5).unwrap() as usize;
        assert!(
            of(needed + needed / 20).ends(level).0 > 0.0,
            "{level}: {needed}"
        );
        assert!(
            of(needed - needed / 20).ends(level).0 < 0.0,
            "{level}: {needed}"
        );
    }
}

/// Equal systems, each of which fails badly on a small share of items by itself.
fn failing(rng: &mut Rng, n: usize, share: f64, yes_no: bool) -> PairedDifferences {
    let mut score = || match rng.bernoulli(share) {
        true => 0.0,
        false if yes_no => 1.0,
        false => 0.97 + 0.03 * rng.uniform(),
    };
    let values: Vec<f64> = (0..n).map(|_| score() - score()).collect();
    PairedDifferences::new(&values, 1.0, yes_no).unwrap()
}

/// A system that has not changed is undecided as often as said, also where failures are rare. By the normal distribution
/// it is .6 of that.
#[test]
fn unchanged_systems_are_undecided_as_often_as_said() {
    for (n, share, yes_no, margin) in [
        (100, 0.02, true, 0.07),
        (100, 0.02, false, 0.07),
        (300, 0.01, true, 0.03),
    ] {
        let (mut told, mut open) = (Moments::default(), Moments::default());
        for run in 0..300 {
            let one = failing(&mut Seed(23).stream("unchanged", run), n, share, yes_no);
            if run % 10 == 0 {
                told.push(1.0 - one.chance_within(margin, 0.05, false));
            }
            open.push(f64::from(u8::from(one.p_above(-margin) > 0.05)));
        }
        let [told, open] = [told, open].map(|one| one.mean().unwrap());
        let share = told / open;
        assert!((0.75..1.35).contains(&share), "{n} {yes_no}: {told} {open}");
    }
}
