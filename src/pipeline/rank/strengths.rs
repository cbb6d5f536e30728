//! The full ranking that judgments give: strengths, and the ranks each system may have.

use super::telling::percent;
use crate::duel::Pair;
use crate::error::Result;
use crate::estimators::bradley_terry::{Comparison, Strengths};
use crate::evaluation::standing::{Collected, Standing, standings};
use crate::feedback::comparisons::{Comparisons, Judgment};
use crate::pipeline::source::Source;
use crate::tables::ranking::Ranked;

/// What is known about pairs of systems, and from where.
pub(super) struct Judgments {
    comparisons: Vec<Comparison>,
    from: From,
}

enum From {
    /// A bandit's run, with so many answers of people.
    Run(u64),
    /// Everything that was collected.
    Recorded,
}

impl Judgments {
    /// Those that a run notes while it is played; `play` says how many people answered.
    ///
    /// # Errors
    /// Those of the run.
    pub(super) fn of_run(
        play: impl FnOnce(&mut dyn FnMut(Comparison)) -> Result<u64>,
    ) -> Result<Self> {
        let mut comparisons = Vec::new();
        let from = From::Run(play(&mut |one| comparisons.push(one))?);
        Ok(Self { comparisons, from })
    }

    /// All that were collected.
    pub(super) fn recorded(recorded: &Comparisons) -> Self {
        let comparison = |(pair, judgment): (Pair, Judgment)| Comparison {
            item: judgment.item,
            pair,
            outcome: judgment.outcome,
        };
        Self {
            comparisons: recorded.all().map(comparison).collect(),
            from: From::Recorded,
        }
    }

    /// How many.
    pub(super) fn count(&self) -> usize {
        self.comparisons.len()
    }

    /// All systems, strongest first, and from what that is made and what it claims.
    pub(super) fn ranking(&self, source: &Source, confidence: f64) -> (Vec<Ranked>, String) {
        let strengths = Strengths::fit(source.systems().len(), &self.comparisons);
        let row = |one: Standing| Ranked {
            system: source.systems()[one.system].clone(),
            strength: one.strength,
            lower: one.interval.map(|(lower, _)| lower),
            upper: one.interval.map(|(_, upper)| upper),
            rank_low: one.ranks.0 as u64,
            rank_high: one.ranks.1 as u64,
            group: one.group as u64,
            comparisons: strengths.comparisons(one.system),
        };
        let collected = match self.from {
            From::Run(_) => Collected::Adaptively,
            From::Recorded => Collected::AsPlanned,
        };
        let standings = standings(&strengths, collected, confidence);
        let told = self.told(confidence, strengths.groups());
        (standings.into_iter().map(row).collect(), told)
    }

    fn told(&self, confidence: f64, groups: usize) -> String {
        let (from, chosen) = match self.from {
            From::Recorded => (format!("all {} recorded comparisons", self.count()), ""),
            From::Run(answers) => {
                let chosen = " The pairs are those that the bandit needed for its own claim.";
                let identical = match (self.count() as u64).saturating_sub(answers) {
                    0 => String::new(),
                    free => format!(" and {free} identical outputs"),
                };
                (
                    format!("the {answers} judgments of this run{identical}"),
                    chosen,
                )
            }
        };
        let apart = match groups {
            0 | 1 => String::new(),
            _ => format!(
                " {groups} groups of systems were never compared with each other; strengths are \
                 against the average of the own group."
            ),
        };
        format!(
            "Strengths in log-odds against the average system, with {} intervals, from {from}. \
             Intervals and ranks hold for all systems together; systems of one group cannot be \
             told apart.{apart}{chosen}",
            percent(confidence)
        )
    }
}
