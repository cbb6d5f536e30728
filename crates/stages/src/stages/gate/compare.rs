//! What a gate compares: which systems, by which criteria, on which items.

use super::evidence::DifferenceSample;
use super::pairs::{CriterionJudgments, GateComparison, Preferences};
use super::slices::Slices;
use super::{Gate, PREFERENCE};
use crate::engine::context::Context;
use crate::inputs::source::Source;
use crate::stages::score::Scorer;
use crate::stages::score::significance::{CorpusStatistics, ResampledDifference};
use std::collections::BTreeSet;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::words::capitalised;
use tiebreak_data::records::Kind;

/// The base and the new systems.
///
/// # Errors
/// Unknown names; none that is the base; a base that is its own new system.
pub(super) fn systems(source: &Source, gate: &Gate) -> Result<(Arm, Vec<Arm>)> {
    let names = source.systems();
    let Some(base) = &gate.base else {
        let hint = message!("name it, {}: {}", Key("base"), names.join(", "));
        return Err(Error::key("base", "the base is not named").with_hint(hint));
    };
    let base = source.index.system(base).map_err(Error::of_key("base"))?;
    let named = gate.new.iter().map(|name| source.index.system(name));
    let mut news: Vec<Arm> = named.collect::<Result<_>>().map_err(Error::of_key("new"))?;
    if news.is_empty() {
        news.extend(Arm::all(names.len()).filter(|&arm| arm != base));
    }
    if news.is_empty() || news.contains(&base) {
        let what = format!("`{}` is compared with itself", source.system(base));
        return Err(Error::key("new", what).with_hint("name another system"));
    }
    Ok((base, news))
}

/// The criteria by name: those that are asked for, or all there are unless a metric is.
///
/// # Errors
/// An unknown criterion.
pub(super) fn criteria(source: &Source, gate: &Gate) -> Result<Vec<String>> {
    let is_compared = source.index.has(Kind::Comparisons);
    if gate.criterion.is_empty() {
        let mut all = match gate.metric.is_empty() {
            true => source.index.criteria().to_vec(),
            false => Vec::new(),
        };
        all.extend((is_compared && gate.metric.is_empty()).then(|| PREFERENCE.to_string()));
        return Ok(all);
    }
    for name in gate
        .criterion
        .iter()
        .filter(|name| !(is_compared && *name == PREFERENCE))
    {
        source
            .index
            .criterion(name)
            .map_err(Error::of_key("criterion"))?;
    }
    Ok(gate.criterion.clone())
}

/// The comparisons of a gate: of all items, and of each slice with its label.
#[derive(Default)]
pub(super) struct GateComparisons {
    pub all: Vec<GateComparison>,
    pub sliced: Vec<(String, GateComparison)>,
    /// Sentences about criteria under which a new system is not compared.
    pub missing: Vec<String>,
}

/// Who is compared, on which items.
struct ComparedSystems<'a> {
    context: &'a Context<'a>,
    source: &'a Source,
    gate: &'a Gate,
    base: Arm,
    news: &'a [Arm],
    slices: Option<&'a Slices>,
}

/// Compares the base with each new system, under each criterion; on all items, and on each slice.
///
/// # Errors
/// A named criterion or a metric that no item has of both; a criterion whose scale is not known; the comparisons of a
/// campaign.
pub(super) fn compare(
    context: &Context<'_>,
    source: &Source,
    gate: &Gate,
    (base, news): (Arm, &[Arm]),
    slices: Option<&Slices>,
) -> Result<GateComparisons> {
    let systems = ComparedSystems {
        context,
        source,
        gate,
        base,
        news,
        slices,
    };
    let mut found = GateComparisons::default();
    let names = criteria(source, gate)?;
    for (number, name) in names.iter().enumerate() {
        systems.by_criterion((number, name), &mut found)?;
    }
    if !gate.metric.is_empty() {
        systems.by_corpus(names.len(), &mut found)?;
    }
    Ok(found)
}

impl ComparedSystems<'_> {
    /// Compares by judgments or comparisons.
    fn by_criterion(
        &self,
        (number, name): (usize, &str),
        into: &mut GateComparisons,
    ) -> Result<()> {
        let (source, gate, base) = (self.source, self.gate, self.base);
        let lacking = |new: Arm| {
            let what = format!("no item has `{name}` of {}", both(source, base, new));
            match gate.criterion.iter().any(|one| one == name) {
                true => Err(Error::key("criterion", what)),
                false => Ok(capitalised(&format!(
                    "{what}, so this criterion is left out"
                ))),
            }
        };
        if name == PREFERENCE && source.index.criterion(name).is_err() {
            source.require_fixed_questions()?;
            let compared = Preferences::read(source, number, base)?;
            return self.each(into, |new, slice| Ok(compared.compare(new, slice)), lacking);
        }
        let judged = CriterionJudgments::read(self.context, source, gate, (number, name))?;
        self.each(into, |new, slice| judged.compare(base, new, slice), lacking)
    }

    /// Compares by the metrics of the whole corpus, which come after so many criteria.
    fn by_corpus(&self, criteria: usize, into: &mut GateComparisons) -> Result<()> {
        let (context, source, gate, base) = (self.context, self.source, self.gate, self.base);
        let comparisons = self.news.len() * (criteria + gate.metric.len());
        let level = 0.5 * gate.level() / comparisons as f64;
        let systems: Vec<Arm> = self.news.iter().copied().chain([base]).collect();
        for (metric, number) in gate.metric.iter().zip(criteria..) {
            let mut scorer = Scorer::new(context, metric, None)?;
            scorer.prepare(context, source)?;
            let statistics = CorpusStatistics::read(context, source, &scorer, &systems)?;
            let compare = |new: Arm, slice: Option<&BTreeSet<u32>>| {
                let inside = |item: u64| match slice {
                    Some(items) => u32::try_from(item).is_ok_and(|item| items.contains(&item)),
                    None => true,
                };
                let level = match slice {
                    Some(_) => level / self.slices().len() as f64,
                    None => level,
                };
                let sample = ResampledDifference::new(&statistics, [new, base], level, &inside);
                let (n, sample) = (sample.items, DifferenceSample::Corpus(sample));
                Ok((n > 0).then(|| GateComparison {
                    only_base: statistics.lone(base, new, &inside),
                    only_new: statistics.lone(new, base, &inside),
                    ..GateComparison::new(new, (number, &scorer.label), n, sample)
                }))
            };
            self.each(into, compare, |new| {
                let what = format!("no item has outputs of {}", both(source, base, new));
                Err(Error::key("metric", what))
            })?;
        }
        Ok(())
    }

    /// Compares the base with each new system, on all items and on each slice. `lacking` is what a new system means that
    /// shares no item with the base.
    fn each(
        &self,
        into: &mut GateComparisons,
        compare: impl Fn(Arm, Option<&BTreeSet<u32>>) -> Result<Option<GateComparison>>,
        lacking: impl Fn(Arm) -> Result<String>,
    ) -> Result<()> {
        for &new in self.news {
            let Some(found) = compare(new, None)? else {
                into.missing.push(lacking(new)?);
                continue;
            };
            into.all.push(found);
            for (label, items) in self.slices() {
                let found = compare(new, Some(items))?;
                into.sliced
                    .extend(found.map(|found| (label.clone(), found)));
            }
        }
        Ok(())
    }

    /// The slices, each with its label and items.
    fn slices(&self) -> &[(String, BTreeSet<u32>)] {
        self.slices.map_or(&[], |slices| &slices.items)
    }
}

/// Two systems in an error.
pub(super) fn both(source: &Source, base: Arm, new: Arm) -> String {
    let systems = [base, new].map(|arm| source.system(arm)).join("` and `");
    format!("both `{systems}`")
}
