//! Annotators who stand out among their peers.
//!
//! Everyone differs a little, and with enough answers every difference is significant; so the
//! question is not whether an annotator's bias is 0 but whether it is unlike the others'. Peers are taken to
//! spread around their median with the standard deviation 1.4826 × the median absolute deviation (which
//! a few outliers cannot move), on top of each one's own standard error. The standardised distance is
//! compared with Student's t. A scale so estimated has 37 % of the efficiency of the usual one, so m
//! annotators give 0.37 (m − 1) degrees of freedom. Holm's correction keeps the chance of naming
//! anyone wrongly below the level.
//!
//! With few annotators the spread is so uncertain that no distance is far: [`reach`] says which would be.

use super::standing::{AnnotatorProfile, ValueWithError};
use tiebreak_base::stats::quantiles::median;
use tiebreak_base::stats::{holm, special};

/// The fewest units of shared answers that are tested: fewer do not give a standard error.
const FEWEST: u64 = 10;

/// The efficiency of the median absolute deviation where values are normal.
const EFFICIENCY: f64 = 0.37;

/// The largest distance that is searched, in spreads.
const FARTHEST: f64 = 1e9;

/// The side on which an annotator stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutlierSide {
    /// Below the others only.
    Low,
    /// Above the others only.
    High,
    /// Above or below the others.
    Both,
}

/// A trait in which an annotator is unlike the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trait {
    /// Agreement with others is lower.
    Agreement,
    /// Judgments are higher or lower, or prefer a side.
    Bias,
    /// Judgments scatter more.
    Noise,
}

impl Trait {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agreement => "agreement",
            Self::Bias => "bias",
            Self::Noise => "noise",
        }
    }
}

/// The value of a trait, on a scale on which it varies evenly, and its standard error.
type TraitMeasure<'a> = dyn Fn(&AnnotatorProfile) -> Option<(f64, f64)> + 'a;

/// The number of traits tested, of judgments on a scale or of categories.
pub fn traits(scale: bool) -> usize {
    if scale { 3 } else { 2 }
}

impl AnnotatorProfile {
    /// Whether an annotator has enough answers to be compared with others.
    pub fn is_tested(&self) -> bool {
        self.units >= FEWEST
    }
}

/// The number of spreads below the median at which one of `annotators` is named; `None` for a single one.
pub fn reach(annotators: usize, level: f64) -> Option<f64> {
    let degrees = degrees(annotators);
    let allowed = level / annotators as f64;
    let (mut low, mut high) = (0.0_f64, FARTHEST.ln());
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match special::student_t_above(middle.exp(), degrees) > allowed {
            true => low = middle,
            false => high = middle,
        }
    }
    (annotators > 1).then(|| high.exp())
}

fn degrees(annotators: usize) -> f64 {
    EFFICIENCY * annotators.saturating_sub(1) as f64
}

impl AnnotatorProfile {
    /// The traits in which each annotator stands out; the chance of any error in one trait is below `level`.
    /// `scale`: agreement is a correlation.
    pub fn outliers(standings: &[AnnotatorProfile], scale: bool, level: f64) -> Vec<Vec<Trait>> {
        let mut found = vec![Vec::new(); standings.len()];
        let fisher = |r: f64| match scale {
            true => r.clamp(-0.999, 0.999).atanh(),
            false => r,
        };
        let traits: [(Trait, OutlierSide, &TraitMeasure<'_>); 3] = [
            (Trait::Agreement, OutlierSide::Low, &|one| {
                one.agreement
                    .map(|ValueWithError { value, error }| (fisher(value), error))
            }),
            (Trait::Bias, OutlierSide::Both, &|one| {
                one.bias
                    .map(|ValueWithError { value, error }| (value, error))
            }),
            (Trait::Noise, OutlierSide::High, &|one| {
                one.noise
                    .map(|ValueWithError { value, error }| (value.ln(), error))
            }),
        ];
        for (name, side, of) in traits {
            let tested = |one: &AnnotatorProfile| of(one).filter(|_| one.is_tested());
            let measured: Vec<Option<(f64, f64)>> = standings.iter().map(tested).collect();
            for (found, stands_out) in found.iter_mut().zip(apart(&measured, side, level)) {
                if stands_out {
                    found.push(name);
                }
            }
        }
        found
    }
}

/// Whether each (value, standard error) stands apart from the rest.
pub fn apart(measured: &[Option<(f64, f64)>], side: OutlierSide, level: f64) -> Vec<bool> {
    let values: Vec<f64> = measured.iter().flatten().map(|one| one.0).collect();
    let mut found = vec![false; measured.len()];
    let Some(centre) = median(values.clone()) else {
        return found;
    };
    let distances = values.iter().map(|value| (value - centre).abs());
    let scale = 1.4826 * median(distances.collect()).unwrap_or(0.0);
    let degrees = degrees(values.len());
    let p_value = |&(value, error): &(f64, f64)| {
        let distance = (value - centre) / (scale * scale + error * error).sqrt();
        // No peers, or no distance and no spread.
        if degrees == 0.0 || distance.is_nan() {
            return 1.0;
        }
        let above = special::student_t_above(distance.abs(), degrees);
        match side {
            OutlierSide::Both => 2.0 * above,
            OutlierSide::High if distance > 0.0 => above,
            OutlierSide::Low if distance < 0.0 => above,
            OutlierSide::High | OutlierSide::Low => 1.0 - above,
        }
    };
    let p_values: Vec<f64> = measured.iter().flatten().map(p_value).collect();
    let known = (0..measured.len()).filter(|&at| measured[at].is_some());
    for (at, rejected) in known.zip(holm::rejected(&p_values, level)) {
        found[at] = rejected;
    }
    found
}
