//! The comparisons of many data sets as items with judged pairs.
//!
//! Judgments of one pair by several people are merged. Outputs that are the same text are one
//! output, and judgments of a text against itself are left out.

use super::unseen::{ExcludedTexts, plain};
use crate::engine::context::Context;
use crate::inputs::source::Source;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::{Group, GroupComparison};
use tiebreak_preference::preference::training::{JudgedPair, JudgmentCounts, Settings, Ties};

/// One item of some data set.
pub(super) struct JudgedItem {
    pub source: Option<String>,
    pub references: Vec<String>,
    /// The outputs, all different.
    pub outputs: Vec<String>,
    /// The judged pairs, by the places of their outputs; at least one.
    pub pairs: Vec<JudgedPair>,
}

impl JudgedItem {
    /// Its source and references without case and spacing: items that share one belong together.
    pub(super) fn texts(&self) -> impl Iterator<Item = String> {
        let texts = self.source.iter().chain(&self.references);
        texts.filter_map(|text| plain(text))
    }
}

/// The summary of what was taken of a data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrainingDataSummary {
    /// Its name.
    pub name: String,
    /// Its digest.
    pub digest: String,
    /// Items with a judged pair.
    pub items: usize,
    /// Pairs of different outputs of an item that somebody judged.
    pub pairs: usize,
    /// Judgments of them.
    pub judgments: f64,
    /// Judgments of identical outputs, which are left out.
    pub identical: u64,
    /// Items left out because they share a text with a data set that must stay unseen.
    pub seen: usize,
}

/// The judged items of a data set, with a summary.
///
/// # Errors
/// A data set without comparisons, or without any that can be learnt from.
pub(super) fn read(
    context: &Context<'_>,
    source: &Source,
    settings: &Settings,
    unseen: &ExcludedTexts,
) -> Result<(Vec<JudgedItem>, TrainingDataSummary)> {
    if source.index.rows(Kind::Comparisons) == 0 {
        return Err(source.lacks("fit pairwise", "comparisons"));
    }
    let (mut items, mut identical) = (Vec::new(), 0);
    for group in source.index.all() {
        let (item, same) = judged(source, group?, settings.ties)?;
        identical += same;
        items.extend((!item.pairs.is_empty()).then_some(item));
        context.check()?;
    }
    if items.is_empty() {
        let what = match settings.ties {
            Ties::Drop => "no comparison of different outputs that is not a tie",
            Ties::Half | Ties::Class => "no comparison of different outputs",
        };
        return Err(Error::input(source.dataset.path(), what));
    }
    let seen = unseen.leave_out(&mut items);
    if items.is_empty() {
        let what = "every item shares a source or reference with a data set to exclude";
        return Err(Error::input(source.dataset.path(), what));
    }
    if let Some(most) = settings.max_pairs {
        items = drawn(items, most, context.seed, &source.digest);
    }
    let pairs = || items.iter().flat_map(|item| &item.pairs);
    let taken = TrainingDataSummary {
        name: source.dataset.name(),
        digest: source.digest.clone(),
        items: items.len(),
        pairs: pairs().count(),
        judgments: pairs().map(|pair| pair.said.total()).sum(),
        identical,
        seen,
    };
    Ok((items, taken))
}

/// An item with its judged pairs, and the number of judgments of identical outputs.
fn judged(source: &Source, group: Group, ties: Ties) -> Result<(JudgedItem, u64)> {
    let mut outputs: Vec<String> = Vec::new();
    let mut said: BTreeMap<(usize, usize), JudgmentCounts> = BTreeMap::new();
    let mut identical = 0;
    for &GroupComparison { a, b, outcome, .. } in &group.comparisons {
        let text = |system| {
            let text = group.output(system);
            text.ok_or_else(|| source.lacks_output(&group.item, system))
        };
        let (a, b) = (text(a)?, text(b)?);
        if a == b {
            identical += 1;
            continue;
        }
        if outcome == Outcome::Tie && ties == Ties::Drop {
            continue;
        }
        let (a, b) = (
            position_or_insert(&mut outputs, a),
            position_or_insert(&mut outputs, b),
        );
        let outcome = if a < b { outcome } else { outcome.flipped() };
        let said = said.entry((a.min(b), a.max(b))).or_default();
        match outcome {
            Outcome::Win => said.wins += 1.0,
            Outcome::Tie => said.ties += 1.0,
            Outcome::Loss => said.losses += 1.0,
        }
    }
    let item = JudgedItem {
        source: group.source,
        references: group.references,
        pairs: said
            .into_iter()
            .map(|((first, second), said)| JudgedPair {
                first,
                second,
                said,
            })
            .collect(),
        outputs,
    };
    Ok((item, identical))
}

/// The place of a text, at the end if it is new.
fn position_or_insert(outputs: &mut Vec<String>, text: &str) -> usize {
    let known = outputs.iter().position(|output| output == text);
    known.unwrap_or_else(|| {
        outputs.push(text.to_string());
        outputs.len() - 1
    })
}

/// Items drawn at random, in their order, until they have `most` pairs.
fn drawn(items: Vec<JudgedItem>, most: u64, seed: Seed, digest: &str) -> Vec<JudgedItem> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    seed.stream(&format!("pairs of {digest}"), 0)
        .shuffle(&mut order);
    let mut taken = vec![false; items.len()];
    let mut pairs = 0;
    for place in order {
        if pairs >= most {
            break;
        }
        taken[place] = true;
        pairs += items[place].pairs.len() as u64;
    }
    let kept = items.into_iter().zip(taken);
    kept.filter_map(|(item, taken)| taken.then_some(item))
        .collect()
}
