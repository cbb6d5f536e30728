//! Annotators who did not do their work: too fast, at odds with everybody else, or hardly editing.
//!
//! Source: the quality control of Chaganty, Mussmann and Liang (ACL 2018, appendix) looks at the time
//! people took, their agreement with others and the size of their edits. The thresholds are the
//! user's.
//!
//! Whole annotators are left out, under one criterion, never single judgments: a judgment that was
//! quick, or an output that needed no edit, says something of the output, and leaving it out would
//! bias the estimate. Time and edits are medians over an annotator's judgments. Agreement is
//! Pearson's correlation of the annotator's judgments with the mean of the others' of the same output
//! (and part), over at least five. It is 0 for an annotator who always gives the same answer where the others' differ:
//! such answers agree by chance alone. Where it is unknown the annotator stays. Judgments without an annotator stay.

use super::JudgmentSelection;
use super::edits::{HumanTargeted, text};
use crate::engine::context::Context;
use crate::inputs::source::Source;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::{CorrelationValue, NonNegativeNumber};
use tiebreak_base::layout::decimals;
use tiebreak_base::message;
use tiebreak_base::stats::moments::JointMoments;
use tiebreak_base::stats::quantiles::median;
use tiebreak_base::words::counted;
use tiebreak_data::records::index::{Group, GroupJudgment};
use tiebreak_decide::annotators::standing::correlation_with_others;

/// Judgments shared with others that agreement needs.
const FEWEST_SHARED: u64 = 5;

/// What annotators must meet; `None` demands nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct AnnotatorRequirements {
    /// Leave out annotators with fewer seconds for a judgment (median)
    #[cfg_attr(feature = "cli", arg(long, value_name = "S", value_parser = tiebreak_base::keys::flag::<NonNegativeNumber>))]
    pub min_seconds: Option<NonNegativeNumber>,
    /// Leave out annotators whose judgments correlate less with those of others (0 where theirs are all the same)
    #[cfg_attr(feature = "cli", arg(long, value_name = "R", value_parser = tiebreak_base::keys::flag::<CorrelationValue>))]
    pub min_agreement: Option<CorrelationValue>,
    /// Leave out annotators who change fewer words per word (median of post-edits)
    #[cfg_attr(feature = "cli", arg(long, value_name = "E", value_parser = tiebreak_base::keys::flag::<NonNegativeNumber>))]
    pub min_edit: Option<NonNegativeNumber>,
}

impl AnnotatorRequirements {
    /// The demands in the form of signatures.
    pub(crate) fn signature(&self) -> String {
        let demands = [
            ("min-seconds", self.min_seconds.map(f64::from)),
            ("min-agreement", self.min_agreement.map(f64::from)),
            ("min-edit", self.min_edit.map(f64::from)),
        ];
        let mut text = String::new();
        for (name, least) in demands {
            text += &least.map_or_else(String::new, |least| format!("|{name}:{least}"));
        }
        text
    }

    /// Whether there are no demands.
    pub(crate) fn asks_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// An annotator who was left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ExcludedAnnotator {
    /// The name.
    pub annotator: String,
    pub criterion: String,
    #[serde(skip)]
    pub(super) number: usize,
    /// The number of judgments they gave.
    pub judgments: u64,
    /// The demand that they failed.
    pub demand: Demand,
    /// The value found.
    pub found: f64,
    /// The least value that would have been enough.
    pub least: f64,
}

/// A demand on annotators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Demand {
    /// Median seconds per judgment.
    Seconds,
    /// Median edits per word.
    Edit,
    /// Correlation with the others.
    Agreement,
}

impl fmt::Display for ExcludedAnnotator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            annotator,
            criterion,
            judgments,
            demand,
            found,
            least,
            ..
        } = self;
        let what = match demand {
            Demand::Seconds => "median seconds",
            Demand::Edit => "median edits per word",
            Demand::Agreement => "correlation with the others",
        };
        write!(
            f,
            "left out annotator `{annotator}` under `{criterion}`, {}: {what} {}, below {least}",
            counted(*judgments, "judgment"),
            decimals(*found, 3)
        )
    }
}

/// The work of one annotator under one criterion.
#[derive(Default)]
struct AnnotatorActivity {
    judgments: u64,
    seconds: Vec<f64>,
    edits: Vec<f64>,
    shared: JointMoments,
}

/// The annotators who do not meet the demands, by criterion and name.
pub(super) fn screen(
    context: &Context<'_>,
    source: &Source,
    judging: &JudgmentSelection,
    demands: &AnnotatorRequirements,
) -> Result<Vec<ExcludedAnnotator>> {
    let mut work: BTreeMap<(usize, String), AnnotatorActivity> = BTreeMap::new();
    let ter = HumanTargeted::from_name("hter")?.filter(|_| demands.min_edit.is_some());
    for group in source.index.all() {
        context.check()?;
        let group = group?;
        let judgments = judging.single(source, &group)?;
        for one in &judgments {
            let Some(annotator) = &one.annotator else {
                continue;
            };
            let work = work.entry((one.criterion, annotator.clone())).or_default();
            work.add(source, &group, one, &judgments, ter.as_ref())?;
        }
    }
    answerable(source, demands, &work)?;
    let left_out = |(&(number, ref annotator), work): (&(usize, String), &AnnotatorActivity)| {
        let (demand, found, least) = work.failing(demands)?;
        Some(ExcludedAnnotator {
            annotator: annotator.clone(),
            criterion: judging.criterion(source, number).to_string(),
            number,
            judgments: work.judgments,
            demand,
            found,
            least,
        })
    };
    Ok(work.iter().filter_map(left_out).collect())
}

/// Refuses demands on what no judgment records.
fn answerable(
    source: &Source,
    demands: &AnnotatorRequirements,
    work: &BTreeMap<(usize, String), AnnotatorActivity>,
) -> Result<()> {
    let is_known = |one: &AnnotatorActivity| one.shared.x().count() >= FEWEST_SHARED;
    if demands.min_agreement.is_some() && !work.is_empty() && !work.values().any(is_known) {
        let what = format!(
            "no annotator shares {FEWEST_SHARED} judgments with others, so no agreement is known"
        );
        let error = Error::input(source.dataset.path(), what);
        return Err(error.with_hint(message!("leave out {}", Key("min-agreement"))));
    }
    let lacking = if work.is_empty() {
        Some("`annotator`")
    } else if demands.min_seconds.is_some() && work.values().all(|one| one.seconds.is_empty()) {
        Some("`seconds`")
    } else if demands.min_edit.is_some() && work.values().all(|one| one.edits.is_empty()) {
        Some("`post_edit`")
    } else {
        None
    };
    lacking.map_or(Ok(()), |column| {
        let what = format!("no judgment has {column}, which the demands on annotators need");
        Err(Error::input(source.dataset.path(), what))
    })
}

impl AnnotatorActivity {
    /// Adds a judgment, given all judgments of the item.
    fn add(
        &mut self,
        source: &Source,
        group: &Group,
        one: &GroupJudgment,
        all: &[GroupJudgment],
        ter: Option<&HumanTargeted>,
    ) -> Result<()> {
        self.judgments += 1;
        self.seconds.extend(one.seconds);
        if let (Some(ter), Some(edited)) = (ter, &one.post_edit) {
            self.edits
                .push(ter.edits(text(source, group, one)?, edited)?);
        }
        let others = all.iter().filter(|other| {
            (other.system, other.criterion) == (one.system, one.criterion)
                && other.part == one.part
                && other.annotator != one.annotator
        });
        let others: Vec<f64> = others.map(|other| other.score).collect();
        if !others.is_empty() {
            let mean = others.iter().sum::<f64>() / others.len() as f64;
            self.shared.push(one.score, mean);
        }
        Ok(())
    }

    /// The first demand that is not met, with the value found and the value demanded.
    fn failing(&self, demands: &AnnotatorRequirements) -> Option<(Demand, f64, f64)> {
        let agreement = correlation_with_others(&self.shared);
        let agreement = agreement.filter(|_| self.shared.x().count() >= FEWEST_SHARED);
        let checks = [
            (
                Demand::Seconds,
                median(self.seconds.clone()),
                demands.min_seconds.map(f64::from),
            ),
            (
                Demand::Edit,
                median(self.edits.clone()),
                demands.min_edit.map(f64::from),
            ),
            (
                Demand::Agreement,
                agreement,
                demands.min_agreement.map(f64::from),
            ),
        ];
        checks.into_iter().find_map(|(demand, found, least)| {
            let (found, least) = (found?, least?);
            (found < least).then_some((demand, found, least))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_are_always_the_same_agree_by_chance() {
        let failing = |shared: u32, own: fn(u32) -> u32, others: fn(u32) -> u32| {
            let pairs = (0..shared).map(|at| (f64::from(own(at)), f64::from(others(at))));
            let work = AnnotatorActivity {
                shared: pairs.collect(),
                ..AnnotatorActivity::default()
            };
            let demands = AnnotatorRequirements {
                min_agreement: Some(CorrelationValue::try_from(0.2).unwrap()),
                ..AnnotatorRequirements::default()
            };
            work.failing(&demands)
        };
        let always = failing(6, |_| 5, |at| at % 3);
        assert_eq!(always, Some((Demand::Agreement, 0.0, 0.2)));
        assert_eq!(failing(4, |_| 5, |at| at % 3), None, "too few to tell");
        assert_eq!(failing(6, |_| 5, |_| 5), None, "the others do the same");
        assert_eq!(failing(6, |at| at, |at| at), None);
    }
}
