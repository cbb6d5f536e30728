//! The design of a study: how many items, judgments of each and annotators, without any judgment or after a
//! pilot.
//!
//! Source: Chaganty, Mussmann and Liang, ACL 2018, Theorem 3.1. With k judgments of each of m outputs the variance of
//! control variates is `V = (σ_f² (1 − ρ²) + σ_a²/k)/m`, for these annotators. New annotators, A of them, add `σ_t²/A`
//! (see `new_annotators`). The same holds for differences of systems, with the variances of the items' differences.
//!
//! * A *width* is 2 t √V, with m − 1 degrees of freedom, A − 1 for new annotators. The observed variance scatters, as
//!   did the pilot's. Plans are for a variance that four studies in five stay below, √(2/df + 2/df of the pilot) its
//!   relative error. Where the pilot shows skewness and tails, both the reaches (see `skewness`) and these degrees of
//!   freedom (see `tails`) are those of m such items. Yeses and noes have the exact interval.
//! * A *difference* is found with probability P if its interval leaves out 0 so often (see `planned`): on an unknown scale
//!   where Student's t passes its two-sided limit, on a known one where outputs that nobody judged could not hide it
//!   either.
//!
//! Where only certain items matter, n of N, `σ_f²` counts 1 − n/N times (see `finite`).
//!
//! Judging other outputs always tells more than judging one again, so k = 1 takes the fewest judgments; more pay
//! only where outputs are few.

use super::Range;
use super::large_sample::DifferenceScale;
use super::planned::{PlannedComparison, SoughtEnd, mcnemar_shows, shows_by_t};
use super::skewness::reaches_of;
use super::tails::TailShape;
use serde::Serialize;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::scope::PeopleScope;
use tiebreak_base::stats::bisection::bisected;
use tiebreak_base::stats::{clopper_pearson, quantiles};

/// The share of studies in which a planned width is reached.
const ASSURANCE: f64 = 0.8;

/// The most items and annotators that are considered.
const MOST: u64 = 1 << 53;

/// The most items of which the exact interval is computed.
const MOST_EXACT: u64 = 1 << 24;

/// The number of items below which an interval on a known scale uses the range alone (see `rule`), and is wider.
const FEW_ITEMS: u64 = 30;

/// The factor by which it is wider (`rule`, ten items).
const FEW_ITEMS_WIDEN: f64 = 1.6;

/// The expected variation of judgments of one system, or of the differences of two on the same items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Prospect {
    /// `σ_f²`, variance of outputs' true means. Where `noise` is not known, that of single judgments.
    pub signal: f64,
    /// `σ_a²`, variance of the judgments of one output; `None` where no output was judged more than once.
    pub noise: Option<f64>,
    /// `σ_t²`, variance between annotators' means; `None` where it is not known.
    pub tastes: Option<f64>,
    /// ρ, correlation of the metric with the outputs' true means; 0 without a metric.
    pub rho: f64,
    /// The source of the variances.
    #[serde(skip)]
    pub basis: ProspectBasis,
    /// The kind of scale that people judge on.
    #[serde(skip)]
    pub scale: ScaleKind,
    /// The number of items, if only those matter; `None` where items like them do.
    #[serde(skip)]
    pub items: Option<u64>,
    /// The widening of intervals by skewness, few items and unseen outputs.
    #[serde(skip)]
    pub widening: Widening,
    /// The largest possible difference; `None` on an unknown scale, and of judgments of one system.
    #[serde(skip)]
    pub most: Option<f64>,
}

/// What intervals have beyond those of their standard errors.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Widening {
    /// The shape of what items contribute, where intervals follow it.
    pub shape: Option<TailShape>,
    /// Without a shape: the relative excess, 0 or above, at a number of items. For more items it shrinks, as 1/√m at the
    /// slowest.
    pub excess: f64,
    /// That number of items.
    pub items: f64,
    /// The least reach of either end times the number of items: what outputs at the ends of the range that nobody judged
    /// could do (see `rule`).
    pub unseen: [f64; 2],
}

/// The source of the variances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProspectBasis {
    /// Numbers given by the user.
    #[default]
    Given,
    /// Bounds that no judgments pass.
    Worst,
    /// A pilot.
    Pilot {
        /// Degrees of freedom of the pilot's items.
        degrees: u64,
        /// The pilot's annotators.
        annotators: u64,
    },
}

/// The kind of scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScaleKind {
    /// Unknown: intervals are approximate.
    #[default]
    Unknown,
    /// Known ends.
    Bounded,
    /// Yes or no, each output judged once: intervals are exact.
    YesNo,
}

/// The target of a study.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StudyTarget {
    /// An interval no wider than this.
    Width(f64),
    /// Finding this difference with this probability.
    Difference {
        /// The difference, above 0.
        least: f64,
        /// The probability, between 0 and 1.
        power: f64,
    },
}

/// The target of a study, and its population of people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DesignTerms {
    /// The target.
    pub wish: StudyTarget,
    /// The confidence of the interval or the test, between 0 and 1.
    pub confidence: f64,
    /// `NewAnnotators`, or else the present ones.
    pub people: PeopleScope,
}

/// A study: numbers of outputs of each system, judgments of each, and annotators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Design {
    /// Items, each with an output of every system.
    pub items: u64,
    /// Annotators who share the work.
    pub annotators: u64,
    /// Judgments of each output.
    pub repeats: u32,
    /// Judgments of each system.
    pub judgments: u64,
}

/// Why there is no design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoDesign {
    /// More judgments than can be counted are needed.
    TooMany,
    /// No number of items suffices with so few annotators.
    TooFewAnnotators,
    /// More items than there are would be needed.
    TooFewItems,
    /// No output was judged more than once, so the gain of repeated judgments is unknown.
    NoiseUnknown,
    /// The variance between annotators is unknown.
    TastesUnknown,
}

impl Prospect {
    /// A prospect from variances known from elsewhere.
    ///
    /// # Errors
    /// If a variance is negative or those of outputs and judgments are both 0, or ρ is no correlation.
    pub fn new(signal: f64, noise: f64, tastes: Option<f64>, rho: f64) -> Result<Self> {
        let is_variance = |value: f64| value >= 0.0 && value.is_finite();
        let given = [signal, noise, tastes.unwrap_or_default()];
        let what = if !given.into_iter().all(is_variance) || signal + noise == 0.0 {
            let tastes =
                tastes.map_or_else(String::new, |tastes| format!(" (annotators: {tastes})"));
            format!(
                "variances {signal} and {noise}{tastes}, expected numbers not below 0, the first two not both 0"
            )
        } else if !(-1.0..=1.0).contains(&rho) {
            format!("rho is {rho}, expected a correlation from -1 to 1")
        } else {
            return Ok(Self {
                signal,
                noise: Some(noise),
                tastes,
                rho,
                basis: ProspectBasis::Given,
                scale: ScaleKind::Unknown,
                items: None,
                widening: Widening::default(),
                most: None,
            });
        };
        Err(Error::usage(what))
    }

    /// The worst case of judgments on a scale: all at its ends, evenly (Popoviciu), people agreed
    /// on each output, so that asking more of them helps nothing, and a worthless metric.
    pub fn worst(range: &Range) -> Self {
        Self {
            signal: range.largest_deviation().powi(2),
            noise: Some(0.0),
            tastes: None,
            rho: 0.0,
            basis: ProspectBasis::Worst,
            scale: match range.is_yes_no() {
                true => ScaleKind::YesNo,
                false => ScaleKind::Bounded,
            },
            items: None,
            widening: Widening::default(),
            most: None,
        }
    }

    /// The worst case for a difference of two systems: as far apart as the scale allows, either way.
    pub fn worst_difference(range: &Range) -> Self {
        let most = 2.0 * range.largest_deviation();
        Self {
            signal: most * most,
            most: Some(most),
            ..Self::worst(range)
        }
    }

    /// The prospect of the difference of two means on a scale, of whose judgments only the standard errors and numbers are
    /// known, as if they were of different items; `once`: each output is judged once.
    pub fn of_two_means(means: [(f64, u64); 2], range: &Range, once: bool) -> Self {
        let per_item = means.map(|(error, n)| error * error * n as f64);
        Self {
            signal: per_item.iter().sum(),
            noise: None,
            basis: ProspectBasis::Given,
            scale: match once && range.is_yes_no() {
                true => ScaleKind::YesNo,
                false => ScaleKind::Bounded,
            },
            ..Self::worst_difference(range)
        }
    }

    /// The study with `repeats` judgments of each output that takes the fewest items; new annotators are fixed.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn design(
        &self,
        repeats: u32,
        annotators: u64,
        terms: &DesignTerms,
    ) -> std::result::Result<Design, NoDesign> {
        if self.noise.is_none() && repeats > 1 {
            return Err(NoDesign::NoiseUnknown);
        }
        if terms.is_new() {
            let alone = self.tastes.ok_or(NoDesign::TastesUnknown)? / annotators as f64;
            let degrees = annotators.saturating_sub(1);
            if degrees == 0 || !self.reaches(alone, degrees, terms) {
                return Err(NoDesign::TooFewAnnotators);
            }
        }
        let enough = |items: u64| self.is_enough(items, repeats, annotators, terms);
        let items = fewest(2, enough).ok_or(NoDesign::TooMany)?;
        if self.items.is_some_and(|all| items > all) {
            return Err(NoDesign::TooFewItems);
        }
        let judgments = items.checked_mul(u64::from(repeats));
        Ok(Design {
            items,
            annotators: annotators.max(u64::from(repeats)),
            repeats,
            judgments: judgments.filter(|&n| n <= MOST).ok_or(NoDesign::TooMany)?,
        })
    }

    /// The fewest new annotators whose variance leaves half of the allowed variance to the items; `None` where it is
    /// not known.
    pub fn enough_annotators(&self, terms: &DesignTerms) -> Option<u64> {
        let tastes = self.tastes?;
        fewest(2, |n| self.reaches(2.0 * tastes / n as f64, n - 1, terms))
    }

    /// The fewest new annotators, each judging `items_each` items of their own once; `None` where it is not known.
    pub fn annotators_with(&self, items_each: f64, terms: &DesignTerms) -> Option<u64> {
        let each = self.tastes? + self.per_item(1.0) / items_each;
        fewest(2, |n| self.reaches(each / n as f64, n - 1, terms))
    }

    /// The smallest difference that a design for one finds with the wished probability; `None` for other designs.
    pub fn detectable(&self, design: &Design, terms: &DesignTerms) -> Option<f64> {
        let StudyTarget::Difference { least, power } = terms.wish else {
            return None;
        };
        bisected(0.0, least, |least| {
            let wish = StudyTarget::Difference { least, power };
            let terms = DesignTerms { wish, ..*terms };
            self.is_enough(design.items, design.repeats, design.annotators, &terms)
        })
    }

    fn is_enough(&self, items: u64, repeats: u32, annotators: u64, terms: &DesignTerms) -> bool {
        let Some((variance, degrees)) = self.variance(items, repeats, annotators, terms) else {
            return false;
        };
        if terms.is_new() {
            // What is said of new annotators is never more than what is said of these.
            let these = DesignTerms {
                people: PeopleScope::These,
                ..*terms
            };
            return self.reaches(variance, degrees, terms)
                && self.is_enough(items, repeats, annotators, &these);
        }
        let width = match terms.wish {
            StudyTarget::Width(width) => width,
            StudyTarget::Difference { least, power } => {
                let end = SoughtEnd::new(0.0, 0.5 * (1.0 - terms.confidence), power);
                return self.shows(least, items, repeats, variance, &end);
            }
        };
        let m = items as f64;
        let assured = variance * self.assurance(degrees, self.shape_of(items), terms);
        if let (ScaleKind::YesNo, true) = (self.scale, self.rho == 0.0) {
            return exact_width(items, assured * m, terms.confidence) <= width;
        }
        let is_few = self.scale != ScaleKind::Unknown && items < FEW_ITEMS;
        let few = if is_few { FEW_ITEMS_WIDEN } else { 1.0 };
        let Some(plain) = quantiles::two_sided_t(terms.confidence, degrees) else {
            return false;
        };
        let skewed = 1.0 + self.widening.excess * (self.widening.items / m).sqrt();
        let shape = self.shape_of(items).filter(|_| !is_few);
        let skewed = shape
            .and_then(|shape| reaches_of(&shape, degrees, terms.confidence))
            .map_or([plain * skewed.max(few); 2], |(below, above)| {
                [below, above]
            });
        let unseen = self.widening.unseen.map(|unseen| few * unseen / m);
        let ends = skewed.into_iter().zip(unseen);
        ends.map(|(reach, unseen)| (reach * assured.sqrt()).max(unseen))
            .sum::<f64>()
            <= width
    }

    /// The shape of what so many items contribute, where intervals follow it.
    fn shape_of(&self, items: u64) -> Option<TailShape> {
        self.widening.shape.map(|shape| shape.of_items(items))
    }

    /// Whether so many items show a difference, the variance of whose estimate is known.
    fn shows(
        &self,
        difference: f64,
        items: u64,
        repeats: u32,
        variance: f64,
        end: &SoughtEnd,
    ) -> bool {
        let all = items as f64;
        if let (ScaleKind::YesNo, 1, None) = (self.scale, repeats, self.items) {
            let differing = (variance * all + difference * difference).min(1.0);
            let shares = [differing + difference, differing - difference];
            return mcnemar_shows(shares.map(|share| 0.5 * share.max(0.0)), items, end);
        }
        let left = |of| (1.0 - all / of as f64).max(0.0);
        let scale = self.most.map(|most| DifferenceScale {
            left: self.items.map_or(1.0, left),
            ..DifferenceScale::of_sample(most, all)
        });
        let study = PlannedComparison {
            degrees: items - 1,
            error: variance.sqrt(),
            scale,
            shape: None,
            sample: None,
        };
        study.expected_shows(difference, end)
    }

    /// The variance of the estimate, and its degrees of freedom.
    fn variance(
        &self,
        items: u64,
        repeats: u32,
        annotators: u64,
        terms: &DesignTerms,
    ) -> Option<(f64, u64)> {
        let all = self.per_item(f64::from(repeats));
        let known = match (self.items, self.noise) {
            // Where all items are judged only noise remains; without repeats the two cannot be separated.
            (Some(of), Some(_)) => self.unexplained() * (items as f64 / of as f64).min(1.0),
            _ => 0.0,
        };
        let of_items = (all - known) / items as f64;
        match terms.is_new() {
            false => Some((of_items, items - 1)),
            true => Some((of_items + self.tastes? / annotators as f64, annotators - 1)),
        }
    }

    /// The variance of an estimate from one item with `repeats` judgments of each output, for these annotators.
    pub fn per_item(&self, repeats: f64) -> f64 {
        self.unexplained() + self.noise.unwrap_or_default() / repeats
    }

    /// The variance of outputs' true means that no metric explains.
    fn unexplained(&self) -> f64 {
        self.signal * (1.0 - self.rho * self.rho)
    }

    /// Whether a variance is small enough for the target.
    fn reaches(&self, variance: f64, degrees: u64, terms: &DesignTerms) -> bool {
        let confidence = terms.confidence;
        let found = match terms.wish {
            StudyTarget::Width(width) => quantiles::two_sided_t(confidence, degrees).map(|t| {
                let assured = variance * self.assurance(degrees, None, terms);
                2.0 * t * assured.sqrt() <= width
            }),
            StudyTarget::Difference { least, power } => {
                let end = SoughtEnd::new(0.0, 0.5 * (1.0 - confidence), power);
                Some(shows_by_t(least, variance.sqrt(), degrees, &end))
            }
        };
        found.unwrap_or(false)
    }

    /// The factor by which the variance may exceed its expectation, so that plans come true in most studies; of heavy
    /// tails by more.
    fn assurance(&self, degrees: u64, shape: Option<TailShape>, terms: &DesignTerms) -> f64 {
        let of = |degrees: u64| {
            let limited = shape.map(|shape| shape.of_items(degrees + 1).degrees(degrees));
            2.0 / limited.unwrap_or(degrees).max(1) as f64
        };
        let pilot = match self.basis {
            // The most that the observed variance can be.
            ProspectBasis::Worst => return (degrees + 1) as f64 / degrees.max(1) as f64,
            ProspectBasis::Given => 0.0,
            ProspectBasis::Pilot { annotators, .. } if terms.is_new() => {
                of(annotators.saturating_sub(1))
            }
            ProspectBasis::Pilot { degrees, .. } => of(degrees),
        };
        let z = quantiles::normal(ASSURANCE).unwrap_or_default();
        (z * (of(degrees) + pilot).sqrt()).exp()
    }
}

/// The width of the exact interval of yeses and noes with a variance; of more items than matter, that of a normal one which
/// is by 1/m wider.
fn exact_width(items: u64, variance: f64, confidence: f64) -> f64 {
    if items > MOST_EXACT {
        let z = quantiles::normal(0.5 + 0.5 * confidence).unwrap_or(f64::INFINITY);
        return 2.0 * z * (variance / items as f64).sqrt() + 1.0 / items as f64;
    }
    let share = 0.5 - (0.25 - variance).max(0.0).sqrt();
    let yeses = (share * items as f64).ceil() as u64;
    let (lower, upper) = clopper_pearson::interval(yeses, items, confidence);
    upper - lower
}

impl DesignTerms {
    fn is_new(&self) -> bool {
        self.people == PeopleScope::NewAnnotators
    }
}

/// The smallest number from `least` on from which `holds` is true of all larger ones; `None` beyond [`MOST`].
pub(super) fn fewest(least: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let mut enough = least;
    while !holds(enough) {
        enough = enough.checked_mul(2).filter(|&n| n <= MOST)?;
    }
    let mut few = (enough / 2).max(least - 1);
    while few + 1 < enough {
        let middle = few + (enough - few) / 2;
        match holds(middle) {
            true => enough = middle,
            false => few = middle,
        }
    }
    Some(enough)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn width(width: f64) -> DesignTerms {
        DesignTerms {
            wish: StudyTarget::Width(width),
            confidence: 0.95,
            people: PeopleScope::These,
        }
    }

    #[test]
    fn widths_by_hand() {
        let bound = |signal, noise, rho| Prospect {
            basis: ProspectBasis::Worst,
            ..Prospect::new(signal, noise, None, rho).unwrap()
        };
        let items = |prospect: Prospect, k| prospect.design(k, 1, &width(0.5)).unwrap().items;
        // 4 · (2 t/0.5)² with t = 1.9697: 248.3, and one more for the variance of a sample; with four judgments each 3.25 of 4.
        let prospect = bound(3.0, 1.0, 0.0);
        assert_eq!((items(prospect, 1), items(prospect, 4)), (250, 204));
        assert_eq!(items(bound(3.0, 1.0, 0.6), 1), 183);
        // What is known of numbers alone scatters: four studies in five stay below it.
        let given = Prospect::new(3.0, 1.0, None, 0.0).unwrap();
        assert_eq!(items(given, 1), 267);
        assert_eq!(given.design(3, 2, &width(0.5)).unwrap().annotators, 3);
    }

    #[test]
    fn the_worst_of_yes_and_no_is_the_exact_interval() {
        let items = |range: [f64; 2], wide| {
            let worst = Prospect::worst(&Range::new(range[0], range[1]).unwrap());
            worst.design(1, 1, &width(wide)).unwrap().items
        };
        let yes_no = items([0.0, 1.0], 0.1);
        let reached = |n: u64| {
            let (lower, upper) = tiebreak_base::stats::clopper_pearson::interval(n / 2, n, 0.95);
            upper - lower
        };
        assert!(
            reached(yes_no) <= 0.1 && reached(yes_no - 8) > 0.1,
            "{yes_no}"
        );
        // (2 · 1.96 · 50/10)² = 384.1, with Student's t 387, and one more for the variance of a sample.
        assert_eq!(items([0.0, 100.0], 10.0), 388);
    }

    #[test]
    fn differences_by_the_textbook() {
        // Three points of a hundred with a standard deviation of ten: 90 pairs (noncentral t, power .8).
        let given = Prospect::new(100.0, 0.0, None, 0.0).unwrap();
        let terms = DesignTerms {
            wish: StudyTarget::Difference {
                least: 3.0,
                power: 0.8,
            },
            ..width(0.0)
        };
        let design = given.design(1, 3, &terms).unwrap();
        assert_eq!(design.items, 90);
        let found = given.detectable(&design, &terms).unwrap();
        assert!(found <= 3.0 && found > 2.97, "{found}");
        assert_eq!((design.annotators, design.judgments), (3, 90));
    }

    #[test]
    fn new_annotators_have_a_floor_of_their_own() {
        let prospect = Prospect::new(1.0, 0.0, Some(0.1), 0.0).unwrap();
        let terms = DesignTerms {
            people: PeopleScope::NewAnnotators,
            ..width(0.5)
        };
        let few = prospect.design(1, 5, &terms);
        assert_eq!(few, Err(NoDesign::TooFewAnnotators));
        let enough = prospect.enough_annotators(&terms).unwrap();
        let design = prospect.design(1, enough, &terms).unwrap();
        let more = prospect.design(1, 2 * enough, &terms).unwrap();
        assert!(more.items < design.items, "{more:?} {design:?}");
        assert!(prospect.annotators_with(20.0, &terms) > prospect.annotators_with(200.0, &terms));
        let unknown = Prospect {
            tastes: None,
            ..prospect
        };
        assert_eq!(unknown.design(1, 5, &terms), Err(NoDesign::TastesUnknown));
        assert_eq!(unknown.enough_annotators(&terms), None);
    }

    #[test]
    fn nonsense_is_refused() {
        for (signal, noise, tastes, rho) in [
            (-1.0, 1.0, None, 0.0),
            (0.0, 0.0, None, 0.0),
            (1.0, f64::NAN, None, 0.0),
            (1.0, 1.0, Some(-1.0), 0.0),
            (1.0, 1.0, None, 1.5),
        ] {
            assert!(Prospect::new(signal, noise, tastes, rho).is_err());
        }
        let one = Prospect::new(1.0, 0.0, None, 0.0).unwrap();
        assert_eq!(one.design(1, 1, &width(1e-12)), Err(NoDesign::TooMany));
        let unrepeated = Prospect { noise: None, ..one };
        assert_eq!(
            unrepeated.design(2, 1, &width(1.0)),
            Err(NoDesign::NoiseUnknown)
        );
        assert!(unrepeated.design(1, 1, &width(1.0)).is_ok());
    }
}
