//! What a gate compares: which systems, by which criteria, on which items.

use super::evidence::DifferenceSample;
use super::pairs::{CriterionJudgments, GateComparison, by_preference};
use super::slices::Slices;
use super::{Gate, PREFERENCE};
use crate::engine::context::Context;
use crate::inputs::source::Source;
use crate::stages::score::Scorer;
use crate::stages::score::significance::ResampledDifference;
use std::collections::BTreeSet;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
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
        let mut all = source.index.criteria().to_vec();
        all.extend(is_compared.then(|| PREFERENCE.to_string()));
        all.retain(|_| gate.metric.is_empty());
        return Ok(all);
    }
    for name in &gate.criterion {
        if !(is_compared && name == PREFERENCE) {
            let found = source.index.criterion(name);
            found.map_err(Error::of_key("criterion"))?;
        }
    }
    Ok(gate.criterion.clone())
}

/// The comparisons of a gate: of all items, and of each slice with its label.
#[derive(Default)]
pub(super) struct GateComparisons {
    pub all: Vec<GateComparison>,
    pub sliced: Vec<(String, GateComparison)>,
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
/// A named criterion that no item has of both; a criterion whose scale is not known.
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
    for number in names.len()..names.len() + gate.metric.len() {
        systems.by_corpus(number, names.len(), &mut found)?;
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
        let judged = match name == PREFERENCE && source.index.criterion(name).is_err() {
            true => None,
            false => Some(CriterionJudgments::read(
                self.context,
                source,
                gate,
                (number, name),
            )?),
        };
        let is_named = gate.criterion.iter().any(|one| one == name);
        self.each(into, |new, slice| {
            let found = match &judged {
                Some(judged) => judged.compare(base, new, slice)?,
                None => by_preference(source, (number, base, new), slice)?,
            };
            if found.is_none() && slice.is_none() && is_named {
                let systems = [base, new].map(|arm| source.system(arm)).join("` and `");
                let what = format!("no item has `{name}` of both `{systems}`");
                return Err(Error::key("criterion", what));
            }
            Ok(found)
        })
    }

    /// Compares by a metric of the whole corpus, which comes after so many criteria.
    fn by_corpus(&self, number: usize, criteria: usize, into: &mut GateComparisons) -> Result<()> {
        let (context, source, gate) = (self.context, self.source, self.gate);
        let mut scorer = Scorer::new(context, &gate.metric[number - criteria], None)?;
        scorer.prepare(context, source)?;
        let comparisons = self.news.len() * (criteria + gate.metric.len());
        let level = 0.5 * gate.level() / comparisons as f64;
        self.each(into, |new, slice| {
            let is_inside = |item: u64| match slice {
                Some(items) => u32::try_from(item).is_ok_and(|item| items.contains(&item)),
                None => true,
            };
            let pair = [new, self.base];
            let sample =
                ResampledDifference::new(context, source, &scorer, pair, level, &is_inside)?;
            let (n, sample) = (sample.items, DifferenceSample::Corpus(sample));
            Ok((n > 0).then(|| GateComparison::new(new, (number, &scorer.label), n, sample)))
        })
    }

    /// Compares the base with each new system, and where that is possible on each slice too.
    fn each(
        &self,
        into: &mut GateComparisons,
        compare: impl Fn(Arm, Option<&BTreeSet<u32>>) -> Result<Option<GateComparison>>,
    ) -> Result<()> {
        for &new in self.news {
            let Some(found) = compare(new, None)? else {
                continue;
            };
            into.all.push(found);
            for (label, items) in self.slices.iter().flat_map(|slices| &slices.items) {
                let found = compare(new, Some(items))?;
                let found = found.map(|found| (label.clone(), found));
                into.sliced.extend(found);
            }
        }
        Ok(())
    }
}
