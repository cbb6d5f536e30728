//! All outputs that could be judged, with what is known of them.

use super::SamplingMethod;
use crate::engine::context::Context;
use crate::inputs::judging::JudgmentSelection;
use crate::inputs::source::{Marks, Source};
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::stats::moments::Moments;
use tiebreak_data::records::index::Group;
use tiebreak_decide::estimators::allocate;

/// An output that could be judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CandidateOutput {
    /// The place of its item.
    pub item: u64,
    /// The uncertainty, to which the probability of being drawn is proportional.
    pub uncertainty: f64,
    stratum: usize,
}

/// All outputs, by system.
pub(super) struct SamplingFrame {
    by_system: Vec<Vec<CandidateOutput>>,
    /// Earlier judgments by system and stratum; empty where they do not matter.
    judged: BTreeMap<(usize, usize), Moments>,
    stratified: bool,
}

impl SamplingFrame {
    pub(super) fn gather(
        context: &Context<'_>,
        source: &Source,
        by: SamplingMethod<'_>,
    ) -> Result<Self> {
        let marks = match by {
            SamplingMethod::Chance => None,
            SamplingMethod::Uncertainty { table, .. } => Some(Marks::uncertainties(source, table)?),
            SamplingMethod::Strata { table, .. } => Some(Marks::strata(source, table)?),
        };
        let judging = match by {
            SamplingMethod::Strata {
                criterion: Some(criterion),
                ..
            } => Some(JudgmentSelection::new(source, Some(criterion), None)?),
            _ => None,
        };
        let mut all = Self {
            by_system: vec![Vec::new(); source.systems().len()],
            judged: BTreeMap::new(),
            stratified: matches!(by, SamplingMethod::Strata { .. }),
        };
        for group in source.index.all() {
            context.check()?;
            let group = group?;
            all.push(source, &group, marks.as_ref())?;
            if let Some(judging) = &judging {
                for judgment in judging.judgments(source, &group)? {
                    let system = judgment.system.index();
                    let outputs = all.by_system[system].last();
                    let output = outputs.filter(|output| output.item == group.position);
                    if let Some(output) = output {
                        let judged = all.judged.entry((system, output.stratum)).or_default();
                        judged.push(judgment.score);
                    }
                }
            }
        }
        Ok(all)
    }

    fn push(&mut self, source: &Source, group: &Group, marks: Option<&Marks>) -> Result<()> {
        let marked = marks.map(|marks| marks.of_item(group)).transpose()?;
        for output in &group.outputs {
            let mark = marked.as_ref().map(|marked| marked.get(&output.system));
            let mark = match (mark, marks) {
                (Some(None), Some(marks)) => {
                    let what = if self.stratified {
                        "stratum"
                    } else {
                        "uncertainty"
                    };
                    return Err(marks.lacks(what, source, group, output.system));
                }
                (mark, _) => mark.flatten().copied(),
            };
            let (stratum, uncertainty) = match (mark, self.stratified) {
                (Some(stratum), true) => (stratum as usize, 1.0),
                (mark, _) => (0, mark.unwrap_or(1.0)),
            };
            self.by_system[output.system.index()].push(CandidateOutput {
                item: group.position,
                uncertainty,
                stratum,
            });
        }
        Ok(())
    }

    /// A system's outputs stratum by stratum, each with how many of them to judge; in one piece where
    /// there are no strata.
    pub(super) fn strata(
        &self,
        system: usize,
        budget: u64,
    ) -> Result<Vec<(Vec<CandidateOutput>, u64)>> {
        let mut strata: BTreeMap<usize, Vec<CandidateOutput>> = BTreeMap::new();
        for output in &self.by_system[system] {
            strata.entry(output.stratum).or_default().push(*output);
        }
        if !self.stratified {
            return Ok(strata.into_values().map(|all| (all, budget)).collect());
        }
        // With fewer than two judgments a stratum has no standard error.
        let least: u64 = strata.values().map(|all| all.len().min(2) as u64).sum();
        if budget < least {
            let what = format!(
                "{budget} judgments of each system for {} strata, expected at least two of each stratum",
                strata.len()
            );
            return Err(
                Error::usage(what).with_hint(message!("raise {} or join strata", Key("budget")))
            );
        }
        let sizes: Vec<(u64, f64)> = strata
            .iter()
            .map(|(&stratum, all)| (all.len() as u64, self.deviation(system, stratum)))
            .collect();
        let given = allocate(&sizes, budget)?;
        Ok(strata.into_values().zip(given).collect())
    }

    /// The standard deviation of earlier judgments: of this system's in the stratum, else of all in
    /// it, else of all; 0 without any.
    fn deviation(&self, system: usize, stratum: usize) -> f64 {
        let own = self.judged.get(&(system, stratum));
        let own = own.and_then(Moments::sample_variance);
        let pooled = |wanted: &dyn Fn(usize) -> bool| {
            let all = self
                .judged
                .iter()
                .filter(|((_, stratum), _)| wanted(*stratum));
            let weighed = all.filter_map(|(_, moments)| {
                let df = moments.count().checked_sub(1)? as f64;
                Some((df * moments.sample_variance()?, df))
            });
            let (squares, df) = weighed.fold((0.0, 0.0), |sums, (squares, df)| {
                (sums.0 + squares, sums.1 + df)
            });
            (df > 0.0).then(|| squares / df)
        };
        let found = own
            .or_else(|| pooled(&|other| other == stratum))
            .or_else(|| pooled(&|_| true));
        found.unwrap_or_default().sqrt()
    }
}
