//! The number of human annotations that a bandit needs until it names the true winner reliably.
//!
//! Source: Mohankumar and Khapra, ACL 2022, section 5.1. With `win_r(n)` the leader of run r after
//! n annotations and acc(n) the share of runs where it is a true winner,
//!
//! ```text
//! AC = min { n' : acc(n) ≥ 0.95 for all n ≥ n' }
//! ```
//!
//! A run that ended keeps its last answer. AC is `None` where acc is below the level at the end. It
//! is a noisy statistic, hence the percentile bootstrap interval over runs.
//!
//! Unlike the released code, the level may be reached exactly, every run has one vote at every n,
//! and all algorithms are measured alike. Where several systems share the highest Copeland score, a
//! run is right when it names one of them.
//!
//! Where the cost of judgments was noted, the same is reported in seconds of people's time and in money.

use super::active::{RunTrace, Stop};
use super::history::{ComplexityUnit, History};
use super::truth::Truth;
use serde::Serialize;
use std::collections::BTreeMap;
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::quantiles::{median, of_sorted};

/// The standard against which traces are scored.
#[derive(Debug, Clone)]
pub struct Scoring<'a> {
    /// The truth; `None` where it is unknown.
    pub truth: Option<&'a Truth>,
    /// The share of runs that must be right.
    pub level: f64,
    /// Bootstrap resamples of the runs.
    pub resamples: u64,
    /// The confidence of the interval.
    pub confidence: f64,
    /// The seed of the resamples.
    pub seed: Seed,
}

impl<'a> Scoring<'a> {
    /// The usual scoring: 95 % of the runs, and a 95 % interval from 1000 resamples.
    pub fn new(truth: Option<&'a Truth>, seed: Seed) -> Self {
        Self {
            truth,
            level: 0.95,
            resamples: 1000,
            confidence: 0.95,
            seed,
        }
    }
}

/// An annotation complexity with its interval; `None` means never reached within the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ComplexityEstimate<T = u64> {
    /// The annotation complexity of the runs.
    pub value: Option<T>,
    /// Lower end of the interval.
    pub lower: Option<T>,
    /// Upper end of the interval.
    pub upper: Option<T>,
}

impl ComplexityEstimate {
    fn map<T>(self, of: impl Fn(u64) -> T) -> ComplexityEstimate<T> {
        ComplexityEstimate {
            value: self.value.map(&of),
            lower: self.lower.map(&of),
            upper: self.upper.map(&of),
        }
    }
}

/// The ends of the runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoppingSummary {
    /// The share of runs that stopped by their own certificate.
    pub share: f64,
    /// The number of runs per reason.
    pub reasons: BTreeMap<Stop, usize>,
    /// Annotations until a run's own certificate.
    pub annotations: RunQuartiles,
    /// The number of annotations that half of the runs took at least, with certificate or without.
    pub median_taken: f64,
    /// The share of the runs with a certificate whose claim is true ([`Truth::agrees`]); `None` without such runs, without
    /// a known truth, or where that says nothing of some claim.
    pub correct: Option<f64>,
}

/// The quartiles of what all runs take until their own certificate. Runs without one come last: a quartile that is
/// among them is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct RunQuartiles {
    /// The median.
    pub median: Option<f64>,
    /// The lower quartile.
    pub q25: Option<f64>,
    /// The upper quartile.
    pub q75: Option<f64>,
}

/// The summary of many runs of one bandit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BanditRunSummary {
    /// The true winners; none where they are unknown.
    pub true_winners: Vec<Arm>,
    /// The system that most runs name; the first of those where several are named equally often.
    pub winner: Arm,
    /// The number of runs.
    pub runs: usize,
    /// The annotations until the winner is named reliably.
    pub annotation_complexity: ComplexityEstimate,
    /// (annotations, share of runs that are right from there on), at most 200 of its changes.
    pub accuracy: Vec<(u64, f64)>,
    /// Human annotations per run.
    pub mean_annotations: f64,
    /// The ends of the runs.
    pub stopped: StoppingSummary,
    /// Answers of the model per run.
    pub model_answers: f64,
    /// The costs in each unit; `None` where they were not noted.
    pub cost: Cost<Option<RunCostSummary>>,
}

/// The cost of runs, in seconds of people's time or in money.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunCostSummary {
    /// The cost until the winner is named reliably.
    pub complexity: ComplexityEstimate<f64>,
    /// The mean cost of a run.
    pub mean: f64,
    /// The cost until a run's own certificate.
    pub certificate: RunQuartiles,
}

/// Summarises finished runs.
///
/// # Errors
/// [`Error::Usage`] if there are no runs.
pub fn summarise(traces: &[RunTrace], scoring: &Scoring<'_>) -> Result<BanditRunSummary> {
    let winner = most_named(traces).ok_or_else(|| Error::usage("no runs, expected at least 1"))?;
    let winners = scoring.truth.map_or(&[][..], Truth::winners);
    let history = History::new(traces, winners, ComplexityUnit::Annotations);
    let taken = |unit, of| taken(traces, winners, scoring, unit, of);
    Ok(BanditRunSummary {
        true_winners: winners.to_vec(),
        winner,
        runs: traces.len(),
        annotation_complexity: complexity(&history, scoring),
        accuracy: history.curve(),
        mean_annotations: mean(traces, |trace| trace.annotations as f64),
        stopped: stopped(traces, scoring.truth),
        model_answers: mean(traces, |trace| trace.model_answers as f64),
        cost: Cost {
            seconds: taken(ComplexityUnit::Seconds, |trace| trace.spent.all.seconds),
            price: taken(ComplexityUnit::Money, |trace| trace.spent.all.price),
        },
    })
}

/// The summary of the costs in the unit that `of` counts; `None` where runs spend none.
fn taken(
    traces: &[RunTrace],
    winners: &[Arm],
    scoring: &Scoring<'_>,
    unit: ComplexityUnit,
    of: fn(&RunTrace) -> f64,
) -> Option<RunCostSummary> {
    let mean = Some(mean(traces, of)).filter(|&mean| mean > 0.0)?;
    let complexity = complexity(&History::new(traces, winners, unit), scoring);
    Some(RunCostSummary {
        complexity: complexity.map(|count| unit.amount(count)),
        mean,
        certificate: until_certificate(traces, of),
    })
}

fn mean(traces: &[RunTrace], of: fn(&RunTrace) -> f64) -> f64 {
    traces.iter().map(of).sum::<f64>() / traces.len() as f64
}

fn is_certified(trace: &RunTrace) -> bool {
    trace.stop == Stop::Certificate
}

fn complexity(history: &History, scoring: &Scoring<'_>) -> ComplexityEstimate {
    let resample = |index| {
        let mut rng = scoring.seed.stream("annotation complexity", index);
        let mut weights = vec![0_u32; history.runs()];
        for _ in 0..history.runs() {
            weights[rng.below(history.runs())] += 1;
        }
        history.complexity(&weights, scoring.level)
    };
    let mut samples: Vec<Option<u64>> = (0..scoring.resamples).map(resample).collect();
    samples.sort_unstable_by_key(|ac| ac.unwrap_or(u64::MAX)); // never reached is the largest
    let tail = ((1.0 - scoring.confidence) / 2.0 * samples.len() as f64) as usize;
    let (lower, upper) = match samples.len().checked_sub(tail + 1) {
        Some(last) => (samples[tail], samples[last]),
        None => (None, None),
    };
    ComplexityEstimate {
        value: history.complexity(&vec![1; history.runs()], scoring.level),
        lower,
        upper,
    }
}

fn most_named(traces: &[RunTrace]) -> Option<Arm> {
    let mut named: BTreeMap<Arm, usize> = BTreeMap::new();
    for winner in traces.iter().filter_map(RunTrace::winner) {
        *named.entry(winner).or_default() += 1;
    }
    let most = named.values().copied().max()?;
    named
        .into_iter()
        .find(|&(_, times)| times == most)
        .map(|(arm, _)| arm)
}

fn stopped(traces: &[RunTrace], truth: Option<&Truth>) -> StoppingSummary {
    let mut reasons = BTreeMap::new();
    for trace in traces {
        *reasons.entry(trace.stop).or_insert(0) += 1;
    }
    let certified = || traces.iter().filter(|trace| is_certified(trace));
    let count = certified().count();
    let right = |truth: &Truth| {
        let judged = certified().map(|trace| truth.agrees(&trace.verdict));
        let judged: Vec<bool> = judged.collect::<Option<_>>()?;
        let right = judged.iter().filter(|&&is_right| is_right).count();
        Some(right as f64 / count as f64)
    };
    let annotations = |trace: &RunTrace| trace.annotations as f64;
    StoppingSummary {
        share: count as f64 / traces.len() as f64,
        reasons,
        annotations: until_certificate(traces, annotations),
        median_taken: median(traces.iter().map(annotations).collect()).unwrap_or(0.0),
        correct: truth.filter(|_| count > 0).and_then(right),
    }
}

/// The quartiles of what runs take until their own certificate, those without one last.
fn until_certificate(traces: &[RunTrace], of: impl Fn(&RunTrace) -> f64) -> RunQuartiles {
    let taken = |trace: &RunTrace| match is_certified(trace) {
        true => of(trace),
        false => f64::INFINITY,
    };
    let mut values: Vec<f64> = traces.iter().map(taken).collect();
    values.sort_unstable_by(f64::total_cmp);
    let quartile = |p| of_sorted(&values, p).filter(|value| value.is_finite());
    RunQuartiles {
        median: quartile(0.5),
        q25: quartile(0.25),
        q75: quartile(0.75),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feedback::matrix::PreferenceMatrix;
    use tiebreak_base::duel::Verdict;

    /// The truth about three systems by their `p_01`, `p_02` and `p_12`.
    fn truth(upper: [f64; 3]) -> Truth {
        let matrix = PreferenceMatrix::from_upper(3, &upper).unwrap();
        Truth::new(&matrix, &Arm::all(3).collect::<Vec<_>>())
    }

    fn trace(leaders: &[(u64, u16)]) -> RunTrace {
        RunTrace {
            leaders: leaders.iter().map(|&(n, arm)| (n, Arm(arm))).collect(),
            annotations: 100,
            steps: 100,
            stop: Stop::Budget,
            ..RunTrace::new(Arm(0))
        }
    }

    #[test]
    fn a_hand_made_example() {
        // Nineteen runs are right from 10 on; one is wrong between 30 and 40.
        let mut traces = vec![trace(&[(0, 1), (10, 0)]); 19];
        traces.push(trace(&[(0, 0), (30, 2), (40, 0)]));
        traces[0] = trace(&[(0, 1), (35, 0)]);
        let truth = truth([0.6, 0.6, 0.5]);
        let scoring = Scoring::new(Some(&truth), Seed(1));
        let summary = summarise(&traces, &scoring).unwrap();
        // Two are wrong in 30..35, one in 35..40: 0.95 is reached at 35.
        assert_eq!(summary.annotation_complexity.value, Some(35));
        assert_eq!(
            summary.accuracy,
            [(0, 0.05), (10, 0.95), (30, 0.9), (35, 0.95), (40, 1.0)]
        );
        assert_eq!(summary.winner, Arm(0));
        assert_eq!(summary.stopped.reasons[&Stop::Budget], 20);
        assert_eq!(summary.stopped.correct, None);
    }

    #[test]
    fn the_same_in_peoples_time_and_in_money() {
        // Both runs are right for good from their second judgment on; those of one cost more.
        let run = |seconds: [f64; 2], price: [f64; 2]| {
            let mut run = trace(&[(0, 1), (2, 0)]);
            run.spent.until.seconds = vec![0.0, seconds[0]];
            run.spent.until.price = vec![0.0, price[0]];
            run.spent.all = Cost {
                seconds: seconds[1],
                price: price[1],
            };
            run
        };
        let traces = [
            run([10.2, 100.0], [0.35, 1.5]),
            run([70.0, 300.0], [2.1, 2.5]),
        ];
        let truth = truth([0.6, 0.6, 0.5]);
        let summary = summarise(&traces, &Scoring::new(Some(&truth), Seed(1))).unwrap();
        assert_eq!(summary.annotation_complexity.value, Some(2));
        let time = summary.cost.seconds.unwrap();
        assert_eq!((time.complexity.value, time.mean), (Some(70.0), 200.0));
        assert_eq!(
            (time.complexity.lower, time.certificate),
            (Some(11.0), RunQuartiles::default())
        );
        let money = summary.cost.price.unwrap();
        assert_eq!((money.complexity.value, money.mean), (Some(2.1), 2.0));
        assert_eq!(
            (money.complexity.lower, money.certificate),
            (Some(0.35), RunQuartiles::default())
        );
        let unnoted = summarise(&[trace(&[(0, 1)])], &Scoring::new(Some(&truth), Seed(1)));
        assert_eq!(unnoted.unwrap().cost, Cost::default());
    }

    #[test]
    fn never_is_a_value_of_its_own_also_at_the_end_of_an_interval() {
        let mut traces = vec![trace(&[(0, 0)]); 39];
        traces.push(trace(&[(0, 0), (50, 1)]));
        let truth = truth([0.6, 0.6, 0.5]);
        let complexity = summarise(&traces, &Scoring::new(Some(&truth), Seed(1)))
            .unwrap()
            .annotation_complexity;
        // 39 of 40 suffice, but every resample with the odd run three times falls short.
        assert_eq!((complexity.value, complexity.lower), (Some(0), Some(0)));
        assert_eq!(complexity.upper, None);
        let json = serde_json::to_value(complexity).unwrap();
        assert!(json["upper"].is_null());
    }

    #[test]
    fn a_run_is_right_when_it_names_one_of_several_winners() {
        let traces = vec![trace(&[(0, 1)]), trace(&[(0, 2)])];
        let truth = truth([0.4, 0.4, 0.5]);
        let summary = summarise(&traces, &Scoring::new(Some(&truth), Seed(1))).unwrap();
        assert_eq!(summary.annotation_complexity.value, Some(0));
        assert_eq!(summary.winner, Arm(1));
    }

    #[test]
    fn certified_runs_are_right_by_what_they_announce() {
        let announced = |arms: [u16; 2]| RunTrace {
            stop: Stop::Certificate,
            verdict: Verdict::Top {
                arms: arms.map(Arm).to_vec(),
                condorcet: true,
            },
            ..trace(&[(0, 0)])
        };
        let traces = [announced([0, 1]), announced([0, 2])];
        let truth = truth([0.6, 0.6, 0.6]);
        let known = summarise(&traces, &Scoring::new(Some(&truth), Seed(1))).unwrap();
        assert_eq!(known.stopped.correct, Some(0.5));
        let unknown = summarise(&traces, &Scoring::new(None, Seed(1))).unwrap();
        assert_eq!(
            (unknown.stopped.correct, unknown.stopped.share),
            (None, 1.0)
        );
    }

    #[test]
    fn quartiles_are_of_all_runs_those_without_proof_last() {
        let run = |annotations, stop| RunTrace {
            annotations,
            stop,
            ..trace(&[(0, 0)])
        };
        let proved = |annotations| run(annotations, Stop::Certificate);
        let cut = |annotations| run(annotations, Stop::Budget);
        let quartiles = |traces: &[RunTrace]| {
            let stopped = summarise(traces, &Scoring::new(None, Seed(1)))
                .unwrap()
                .stopped;
            let RunQuartiles { q25, median, q75 } = stopped.annotations;
            ([q25, median, q75], stopped.median_taken)
        };
        let all = [proved(4), proved(1), proved(2), proved(3)];
        assert_eq!(quartiles(&all), ([Some(1.75), Some(2.5), Some(3.25)], 2.5));
        // The third of five is the last with proof; the fourth has none.
        let most = [cut(9), proved(4), cut(9), proved(1), proved(2)];
        assert_eq!(quartiles(&most), ([Some(2.0), Some(4.0), None], 4.0));
        // A run without proof that ended early is no early proof.
        let few = [cut(1), proved(3), cut(9), cut(9), cut(9)];
        assert_eq!(quartiles(&few), ([None; 3], 9.0));
        let even = [proved(3), proved(5), cut(9), cut(9)];
        assert_eq!(quartiles(&even).0[1], None);
    }
}
