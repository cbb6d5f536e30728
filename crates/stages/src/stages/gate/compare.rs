//! What a gate compares: which systems, by which criteria, on which items.

use super::evidence::DifferenceSample;
use super::pairs::{CriterionJudgments, GateComparison, by_preference};
use super::slices::Slices;
use super::{Gate, PREFERENCE};
use crate::engine::context::Context;
use crate::inputs::source::Source;
use crate::stages::score::Scorer;
use crate::stages::score::significance::ResampledDifference;
use std::collections::BTreeMap;
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
        let Self {
            context,
            source,
            gate,
            base,
            ..
        } = *self;
        let judged = match name == PREFERENCE && source.index.criterion(name).is_err() {
            true => {
                source.require_fixed_questions()?;
                None
            }
            false => Some(CriterionJudgments::read(
                context,
                source,
                gate,
                (number, name),
            )?),
        };
        let compare = |new: Arm, slice: Option<&_>| match &judged {
            Some(judged) => judged.compare(base, new, slice),
            None => by_preference(source, (number, base, new), slice),
        };
        for &new in self.news {
            let Some(found) = compare(new, None)? else {
                let what = format!("no item has `{name}` of {}", both(source, base, new));
                if gate.criterion.iter().any(|one| one == name) {
                    return Err(Error::key("criterion", what));
                }
                let what = format!("{what}, so this criterion is left out");
                into.missing.push(capitalised(&what));
                continue;
            };
            into.all.push(found);
            for (label, items) in self.slices.iter().flat_map(|slices| &slices.items) {
                let found = compare(new, Some(items))?;
                into.sliced
                    .extend(found.map(|found| (label.clone(), found)));
            }
        }
        Ok(())
    }

    /// Compares by a metric of the whole corpus, which comes after so many criteria.
    fn by_corpus(&self, number: usize, criteria: usize, into: &mut GateComparisons) -> Result<()> {
        let Self {
            context,
            source,
            gate,
            base,
            ..
        } = *self;
        let mut scorer = Scorer::new(context, &gate.metric[number - criteria], None)?;
        scorer.prepare(context, source)?;
        let comparisons = self.news.len() * (criteria + gate.metric.len());
        let level = 0.5 * gate.level() / comparisons as f64;
        let outputs = self.outputs()?;
        let compare = |new: Arm, level: f64, inside: &(dyn Fn(u64) -> bool + Sync)| -> Result<_> {
            let lone = |one: Arm, other: Arm| {
                let lone = outputs.iter().filter(|(item, systems)| {
                    inside(*item) && systems.contains(&one) && !systems.contains(&other)
                });
                lone.count() as u64
            };
            let pair = [new, base];
            let sample = ResampledDifference::new(context, source, &scorer, pair, level, &inside)?;
            Ok((sample.items > 0).then(|| GateComparison {
                new,
                criterion: scorer.label.clone(),
                number,
                n: sample.items,
                only_base: lone(base, new),
                only_new: lone(new, base),
                sample: DifferenceSample::Corpus(sample),
                items: BTreeMap::new(),
                repeats: None,
                new_annotators: None,
            }))
        };
        for &new in self.news {
            let Some(found) = compare(new, level, &|_| true)? else {
                let what = format!("no item has outputs of {}", both(source, base, new));
                return Err(Error::key("metric", what));
            };
            into.all.push(found);
            let slices = self.slices.map(|slices| slices.items.as_slice());
            let slices = slices.unwrap_or_default();
            for (label, items) in slices {
                let inside =
                    |item: u64| u32::try_from(item).is_ok_and(|item| items.contains(&item));
                let found = compare(new, level / slices.len() as f64, &inside)?;
                into.sliced
                    .extend(found.map(|found| (label.clone(), found)));
            }
        }
        Ok(())
    }

    /// The systems that have an output for each item.
    fn outputs(&self) -> Result<Vec<(u64, Vec<Arm>)>> {
        let mut outputs = Vec::new();
        for group in self.source.index.all() {
            let group = group?;
            let systems: Vec<Arm> = group.outputs.iter().map(|one| one.system).collect();
            outputs.push((group.position, systems));
        }
        Ok(outputs)
    }
}

/// Two systems in an error.
pub(super) fn both(source: &Source, base: Arm, new: Arm) -> String {
    let systems = [base, new].map(|arm| source.system(arm)).join("` and `");
    format!("both `{systems}`")
}
