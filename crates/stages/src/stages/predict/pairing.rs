//! Pairings of outputs: pairs of systems on each item, as contests for a model.

use crate::engine::context::Context;
use crate::inputs::source::{RequestedPairs, Source};
use std::ops::Range;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::index::Group;
use tiebreak_preference::preference::{Contest, PairwiseModel, Preference};

/// One contest, by systems and their places among the group's outputs.
pub(super) struct OutputPair {
    pub group: usize,
    pub systems: (Arm, Arm),
    pub outputs: (usize, usize),
}

impl OutputPair {
    fn contest<'a>(&self, groups: &'a [Group]) -> Contest<'a> {
        let group = &groups[self.group];
        Contest {
            a: &group.outputs[self.outputs.0].text,
            b: &group.outputs[self.outputs.1].text,
            source: group.source.as_deref(),
            references: &group.references,
        }
    }
}

/// Returns the model's preference for each pairing, where it has one, and reports the cost as it goes.
pub(super) fn prefer(
    context: &Context<'_>,
    model: &dyn PairwiseModel,
    groups: &[Group],
    pairings: &[OutputPair],
) -> Result<Vec<Option<Preference>>> {
    let warn = || {
        for warning in model.take_warnings() {
            context.progress.warn(&warning);
        }
    };
    let go_on = || {
        warn();
        if let Some(account) = model.account() {
            context.progress.status(&account);
        }
        context.check()
    };
    let contests: Vec<Contest<'_>> = pairings.iter().map(|one| one.contest(groups)).collect();
    let mut preferences = Vec::with_capacity(contests.len());
    while preferences.len() < contests.len() {
        let start = preferences.len();
        let end = few(pairings, start, model);
        preferences.extend(model.preferences(&contests[start..end], &go_on)?);
    }
    warn();
    Ok(preferences)
}

/// The end of the next batch of contests; those of one item stay together where they share inputs.
fn few(pairings: &[OutputPair], start: usize, model: &dyn PairwiseModel) -> usize {
    let whole_items = model.reads_outputs_apart();
    let mut end = (start + model.at_once()).min(pairings.len());
    while whole_items && end < pairings.len() && pairings[end].group == pairings[end - 1].group {
        end += 1;
    }
    end
}

/// All pairs of systems on each item, or those asked for.
pub(super) fn pairings(
    source: &Source,
    groups: &[Group],
    pairs: Option<&RequestedPairs>,
    range: Range<u64>,
) -> Result<Vec<OutputPair>> {
    let mut found = Vec::new();
    let asked = pairs.map(|pairs| pairs.compared(range)).transpose()?;
    for (place, group) in groups.iter().enumerate() {
        match &asked {
            None => found.extend(all(place, group)),
            Some(asked) => {
                for &systems in &asked[place] {
                    found.push(pair_systems(source, place, group, systems)?);
                }
            }
        }
    }
    Ok(found)
}

/// All pairs of outputs of a group, the lower system first.
pub(super) fn all(place: usize, group: &Group) -> impl Iterator<Item = OutputPair> {
    let outputs = &group.outputs;
    outputs.iter().enumerate().flat_map(move |(i, first)| {
        let rest = outputs.iter().enumerate().skip(i + 1);
        rest.map(move |(j, second)| OutputPair {
            group: place,
            systems: (first.system, second.system),
            outputs: (i, j),
        })
    })
}

/// Two systems on one item.
///
/// # Errors
/// [`Error::Usage`] if one of them has no output there.
pub(super) fn pair_systems(
    source: &Source,
    place: usize,
    group: &Group,
    systems: (Arm, Arm),
) -> Result<OutputPair> {
    let output = |system: Arm| {
        let at = group.outputs.iter().position(|one| one.system == system);
        at.ok_or_else(|| {
            Error::usage(format!(
                "a pair asks for what is not there: system `{}` has no output for item `{}`",
                source.system(system),
                group.item
            ))
        })
    };
    Ok(OutputPair {
        group: place,
        systems,
        outputs: (output(systems.0)?, output(systems.1)?),
    })
}
