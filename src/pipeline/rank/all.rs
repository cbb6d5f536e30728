//! `rank --all`: no bandit, the ranking by everything that was collected.

use super::check;
use super::prepare::{comparisons, names};
use super::strengths::Judgments;
use super::telling::{percent, standings};
use super::write;
use crate::error::Result;
use crate::feedback::matrix::PreferenceMatrix;
use crate::pipeline::context::Context;
use crate::pipeline::source::Source;
use crate::records::Kind;
use crate::signature::Signature;
use crate::tables::ranking::{Complexity, Quartiles, Ranked, Ranking, Stopped};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Ranks by all recorded comparisons together; pairs may be missing.
///
/// # Errors
/// A data set without comparisons or with one system; a folder that cannot be written.
pub fn all(
    context: &Context<'_>,
    source: &Source,
    confidence: f64,
    out: Option<&Path>,
) -> Result<Ranking> {
    check::systems(source)?;
    if !source.index.has(Kind::Comparisons) {
        return Err(source.lacks("rank --all", "comparisons"));
    }
    let recorded = comparisons(source, &Arc::new(names(source)?))?;
    let judgments = Judgments::recorded(&recorded);
    let (ranking, ranked_from) = judgments.ranking(source, confidence);
    let preferences = recorded.preferences().ok();
    let winners = preferences.as_ref().map(PreferenceMatrix::copeland_winners);
    let signature = Signature::new("bradley-terry")
        .with("ties", "davidson")
        .with("confidence", confidence)
        .with("version", 1);
    let strongest = source.index.system(&ranking[0].system)?;
    let named = |arm| f64::from(u8::from(arm == strongest));
    let told = Ranking {
        systems: source.systems().to_vec(),
        true_winner: match winners.as_deref() {
            Some([only]) => Some(source.system(*only).to_string()),
            _ => None,
        },
        winner: ranking[0].system.clone(),
        bandit: "none".to_string(),
        runs: 0,
        seed: context.seed.0,
        annotation_complexity: Complexity::default(),
        accuracy: Vec::new(),
        mean_annotations: judgments.count() as f64,
        stopped: Stopped {
            share: 0.0,
            reasons: BTreeMap::new(),
            annotations: Quartiles::default(),
            correct: None,
        },
        verdict: verdict(&ranking, confidence),
        eliminated: Vec::new(),
        model_answers: 0.0,
        predictions: None,
        standings: standings(source, named, preferences.as_ref()),
        ranked_from,
        ranking,
        signature: signature.to_string(),
    };
    write(&told, out)?;
    Ok(told)
}

/// What the comparisons say of the strongest system.
fn verdict(ranking: &[Ranked], confidence: f64) -> String {
    let strongest = &ranking[0].system;
    let equals = ranking[1..].iter().filter(|one| one.rank_low == 1);
    let equals: Vec<&str> = equals.map(|one| one.system.as_str()).collect();
    match equals.is_empty() {
        true => format!(
            "{strongest} is strongest; with {} confidence every other system is weaker",
            percent(confidence)
        ),
        false => format!(
            "{strongest} leads; the comparisons do not tell it apart from {}",
            equals.join(", ")
        ),
    }
}
