//! What is known of one difference, whatever it is of: intervals and p-values at any level, and what items can show.

use super::POWER;
use crate::stages::score::significance::{FEWEST_ITEMS, ResampledDifference};
use tiebreak_base::layout::number;
use tiebreak_base::stats::{normal, quantiles};
use tiebreak_base::words::counted;
use tiebreak_decide::estimators::{NewAnnotators, PairComparison, PairedDifferences, UnlikeItems};
use tiebreak_decide::evaluation::gate::GateEvidence;

/// A level at which something is known of new annotators if it is at any.
const USUAL: f64 = 0.05;

/// The evidence of a difference, new less base.
pub(in crate::stages) enum DifferenceSample {
    /// The items' differences are a sample.
    Paired(PairedDifferences),
    /// The difference of two estimates with its error, and the number of items.
    Estimated(PairComparison, u64),
    /// The difference of two estimates for people like those who judged.
    NewAnnotators(PairComparison),
    /// The scores of the whole corpus, resampled.
    Corpus(ResampledDifference),
}

/// Why there is no interval where too few items were judged for any.
pub(in crate::stages) const TOO_FEW_ITEMS: &str = "too few items";

/// Why nothing is known of new annotators.
pub(in crate::stages) const TOO_FEW_ANNOTATORS: &str =
    "too few annotators gave their names, or nothing varies between them";

/// Why nothing is said of two systems of which this one has items that are judged unlike those of both.
pub(in crate::stages) fn unlike_items(system: &str, unlike: &UnlikeItems) -> String {
    let (alone, shared) = (number(unlike.mean_alone), number(unlike.mean_shared));
    format!(
        "{system} has a mean of {alone} on {} of its own, and of {shared} on shared ones: the items may make the difference",
        counted(unlike.alone, "item")
    )
}

impl DifferenceSample {
    pub(in crate::stages) fn of_pair(compared: PairComparison, n: u64) -> Self {
        match compared.paired() {
            Some(differences) => Self::Paired(differences.clone()),
            None => Self::Estimated(compared, n),
        }
    }

    pub(in crate::stages) fn difference(&self) -> f64 {
        match self {
            Self::Paired(differences) => differences.mean(),
            Self::Estimated(compared, _) => compared.difference(),
            Self::NewAnnotators(compared) => {
                let new = self.new_annotators(0.5 * USUAL);
                new.map_or(compared.difference(), |new| new.estimate)
            }
            Self::Corpus(resampled) => resampled.difference(),
        }
    }

    /// What is known of new annotators, with an interval each end of which is missed with probability `level` at most.
    fn new_annotators(&self, level: f64) -> Option<NewAnnotators> {
        let Self::NewAnnotators(compared) = self else {
            return None;
        };
        compared.new_annotators(1.0 - 2.0 * level)
    }

    /// Whether nothing is known, as different people judged different systems or slices.
    pub(in crate::stages) fn is_unshared(&self) -> bool {
        matches!(self, Self::Estimated(compared, _) if compared.unshared().is_some())
    }

    /// The difference for these annotators, with an interval each end of which is missed with probability `level` at most.
    pub(in crate::stages) fn for_these_annotators(&self, level: f64) -> Option<(f64, (f64, f64))> {
        match self {
            Self::NewAnnotators(compared) => {
                Some((compared.difference(), compared.interval(2.0 * level)?))
            }
            _ => Some((self.difference(), self.ends(level)?)),
        }
    }

    /// The interval, each end of which is missed with probability `level` at most.
    pub(in crate::stages) fn ends(&self, level: f64) -> Option<(f64, f64)> {
        match self {
            Self::Paired(differences) => Some(differences.ends(level)),
            Self::Estimated(compared, _) => compared.interval(2.0 * level),
            Self::NewAnnotators(..) => {
                let new = self.new_annotators(level)?;
                Some((new.lower, new.upper))
            }
            Self::Corpus(resampled) => resampled.ends(level),
        }
    }

    /// What a gate decides by; `is_blind`: the items can show no difference.
    pub(in crate::stages) fn evidence(&self, margin: Option<f64>, is_blind: bool) -> GateEvidence {
        let mut evidence = match self {
            Self::Paired(one) => GateEvidence::new(|x| one.p_above(x), |x| one.p_below(x), margin),
            Self::Estimated(one, _) => {
                GateEvidence::new(|x| one.p_above(x), |x| one.p_below(x), margin)
            }
            Self::NewAnnotators(one) => GateEvidence::new(
                |x| one.p_of_new_annotators(|(lower, _)| lower > x),
                |x| one.p_of_new_annotators(|(_, upper)| upper < x),
                margin,
            ),
            Self::Corpus(one) => GateEvidence::new(|x| one.p_above(x), |x| one.p_below(x), margin),
        };
        evidence.is_blind = is_blind;
        evidence
    }

    /// The smallest difference that is found at a level of either end.
    pub(in crate::stages) fn detectable(&self, level: f64) -> Option<f64> {
        match self {
            Self::Paired(differences) => differences.detectable(level, POWER),
            Self::Estimated(compared, _) | Self::NewAnnotators(compared) => {
                let largest = compared.largest().unwrap_or(f64::INFINITY);
                let found = self.reach(level, POWER);
                found.filter(|&difference| difference <= largest)
            }
            Self::Corpus(_) => self.reach(level, POWER),
        }
    }

    /// The number of items at which an end excludes a value with probability `power`, were the true difference the observed
    /// one.
    pub(in crate::stages) fn needed(&self, boundary: f64, level: f64, power: f64) -> Option<u64> {
        match self {
            Self::Paired(differences) => differences.needed(boundary, level, power),
            Self::Estimated(compared, n) => compared.needed(*n, boundary, level, power),
            // It takes annotators, too.
            Self::NewAnnotators(..) => None,
            Self::Corpus(one) => {
                let distance = (self.difference() - boundary).abs();
                let needed = one.items as f64 * (self.reach(level, power)? / distance).powi(2);
                (distance > 0.0 && needed < 1e15).then_some(needed.ceil() as u64)
            }
        }
    }

    /// The smallest margin that these items show at a level of an end with probability `power`; with `both` on both sides.
    pub(in crate::stages) fn least_margin(
        &self,
        level: f64,
        power: f64,
        both: bool,
    ) -> Option<f64> {
        match self {
            Self::Paired(differences) => differences.least_margin(level, power, both),
            _ if both => self.reach(level, 0.5 + 0.5 * power),
            _ => self.reach(level, power),
        }
    }

    /// About how often a system without any difference is shown to stay within a margin.
    pub(in crate::stages) fn chance_within(
        &self,
        margin: f64,
        level: f64,
        both: bool,
    ) -> Option<f64> {
        match self {
            Self::Paired(differences) => Some(differences.chance_within(margin, level, both)),
            _ => {
                let error = self.standard_error()?;
                let side = normal::cdf((margin - self.farther_end(level)?) / error);
                Some(if both {
                    (2.0 * side - 1.0).max(0.0)
                } else {
                    side
                })
            }
        }
    }

    /// Why there is no interval, or why it has no width.
    pub(in crate::stages) fn why(&self) -> Option<String> {
        match self {
            _ if self.is_unshared() => Some(
                "different people judged different systems, so it may be the people who differ"
                    .to_string(),
            ),
            Self::Estimated(compared, _) if compared.standard_error().is_none() => {
                Some(TOO_FEW_ITEMS.to_string())
            }
            Self::NewAnnotators(..) if self.ends(0.5 * USUAL).is_none() => {
                Some(TOO_FEW_ANNOTATORS.to_string())
            }
            Self::Corpus(resampled) if resampled.items < FEWEST_ITEMS => Some(format!(
                "fewer than {FEWEST_ITEMS} items: a corpus score cannot be resampled"
            )),
            Self::Corpus(resampled) if resampled.is_same() => {
                Some("no output differs for this metric, so the interval has no width".to_string())
            }
            _ => None,
        }
    }

    /// The standard error, where items' differences are no sample.
    pub(in crate::stages) fn standard_error(&self) -> Option<f64> {
        match self {
            Self::Paired(_) => None,
            Self::Estimated(compared, _) => compared.standard_error(),
            Self::NewAnnotators(..) => Some(self.new_annotators(0.5 * USUAL)?.standard_error),
            Self::Corpus(one) => one.standard_error(),
        }
    }

    /// The distance from a value that is found at a level of either end with probability `power`.
    fn reach(&self, level: f64, power: f64) -> Option<f64> {
        let error = self.standard_error()?;
        Some(self.farther_end(level)? + quantiles::normal(power)? * error)
    }

    /// The distance of the farther end of that level, which items that nobody judged can make far larger than the error.
    fn farther_end(&self, level: f64) -> Option<f64> {
        let ((lower, upper), difference) = (self.ends(level)?, self.difference());
        Some((difference - lower).max(upper - difference))
    }
}
