//! Ratings of single outputs, as judgments.
//!
//! A text that several systems wrote of an item is rated once, and its ratings hold for all of them. Not
//! everything that was drawn need be rated: the rest is missing at random, since the plan is in random order, so an
//! output's probability is multiplied by the share of its system's outputs that were.

use super::{CampaignAnswers, name, names};
use crate::inputs::source::{Marks, Source};
use crate::journal::{Assignment, OutputRating, PosedQuestion, RatingPlan, Response};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::duel::{Arm, DuelId};
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::import::{EDITED, is_edited};
use tiebreak_decide::feedback::PairQuestion;

/// The scale of each criterion, where it has one.
pub(super) fn ranges(plan: &RatingPlan) -> Vec<(String, [f64; 2])> {
    let scales = plan.scales.iter();
    let scales = scales.filter_map(|scale| Some((scale.criterion.clone(), scale.range?)));
    let edited = plan.edits.then(|| (EDITED.to_string(), [0.0, 1.0]));
    scales.chain(edited).collect()
}

/// An output, by the place of its item and its system: the first of those that read the same.
pub type OutputKey = (u32, Arm);

/// The ratings of outputs, in the order in which they came in.
fn collected_ratings<'a>(
    answered: &CampaignAnswers<'a>,
) -> Vec<(OutputKey, &'a Response, &'a OutputRating)> {
    let posed: BTreeMap<DuelId, &PosedQuestion> = answered
        .posed
        .iter()
        .map(|posed| (posed.question.duel.id, *posed))
        .collect();
    // A skipped question may have been answered later.
    let mut seen = BTreeSet::new();
    let new = answered.came.iter().filter(|put| seen.insert(**put));
    let given = |put: &Assignment| {
        let posed = posed.get(&put.id)?;
        let (_, given) = posed.puts().find(|(one, _)| one == put)?;
        let given = given?;
        let PairQuestion { duel, sample } = posed.question;
        Some(((sample.item, duel.pair.first), given, given.rated.as_ref()?))
    };
    new.filter_map(given).collect()
}

/// Passes rows of `judgments` to `take` in the order in which texts were first rated, all ratings of a text together.
pub(super) fn each_row(
    texts: &Source,
    plan: &RatingPlan,
    answered: &CampaignAnswers<'_>,
    mut take: impl FnMut(Value),
) -> Result<()> {
    let (items, alike) = (names(texts)?, IdenticalOutputs::in_plan(texts, plan)?);
    let mut order: Vec<OutputKey> = Vec::new();
    let mut of: BTreeMap<OutputKey, Vec<(&Response, &OutputRating)>> = BTreeMap::new();
    for (output, given, rated) in collected_ratings(answered) {
        let all = of.entry(output).or_default();
        if all.is_empty() {
            order.push(output);
        }
        all.push((given, rated));
    }
    for output in order {
        let (item, text) = (name(&items, output.0)?, alike.text(output)?);
        for system in alike.with(output)? {
            let about = (item.as_str(), texts.system(system), text);
            for (given, rated) in &of[&output] {
                judgments(plan, about, given, rated).for_each(&mut take);
            }
        }
    }
    Ok(())
}

/// The judgments of a rating, one row a score; a post-edit is one of its own, so that it counts once.
fn judgments<'a>(
    plan: &'a RatingPlan,
    (item, system, text): (&'a str, &'a str, &'a str),
    given: &'a Response,
    rated: &'a OutputRating,
) -> impl Iterator<Item = Value> + 'a {
    let row = move |criterion: &str, score: f64| {
        json!({
            "item": item,
            "system": system,
            "criterion": criterion,
            "score": score,
            "annotator": given.annotator,
            "seconds": given.seconds,
            "comment": given.comment,
        })
    };
    let edited = rated.text.as_ref().filter(|_| plan.edits).map(|edited| {
        let changed = f64::from(u8::from(is_edited(text, edited)));
        let mut row = row(EDITED, changed);
        row["post_edit"] = json!(edited);
        row
    });
    let evidence = rated.text.as_ref().filter(|_| !plan.edits);
    let scores = rated.scores.iter().map(move |(criterion, &score)| {
        let mut row = row(criterion, score);
        if let Some(evidence) = evidence {
            row["evidence"] = json!(evidence);
        }
        row
    });
    edited.into_iter().chain(scores)
}

/// The probabilities with which the rated outputs were chosen to be judged.
pub(super) fn chosen(
    source: &Source,
    plan: &RatingPlan,
    answered: &CampaignAnswers<'_>,
) -> Result<Marks> {
    let (items, alike) = (names(source)?, IdenticalOutputs::in_plan(source, plan)?);
    let mut rated: BTreeSet<OutputKey> = BTreeSet::new();
    for (output, ..) in collected_ratings(answered) {
        rated.extend(
            alike
                .with(output)?
                .into_iter()
                .map(|system| (output.0, system)),
        );
    }
    let of = |system: Arm| {
        let all = plan.outputs.iter();
        let all = all.filter(|one| Arm(one.system) == system);
        let (n, done) = all.fold((0.0, 0.0), |(n, done), one| {
            let is_rated = rated.contains(&(one.item, system));
            (n + 1.0, done + f64::from(u8::from(is_rated)))
        });
        done / n
    };
    let arms: BTreeSet<Arm> = plan.outputs.iter().map(|one| Arm(one.system)).collect();
    let shares: BTreeMap<Arm, f64> = arms.into_iter().map(|arm| (arm, of(arm))).collect();
    let mut rows = Vec::new();
    for one in &plan.outputs {
        let arm = Arm(one.system);
        if rated.contains(&(one.item, arm)) {
            rows.push((name(&items, one.item)?.clone(), arm, one.p * shares[&arm]));
        }
    }
    Marks::chosen(source, rows)
}

/// The drawn outputs that read the same.
pub struct IdenticalOutputs {
    /// The systems drawn, by item, with their texts.
    drawn: BTreeMap<u32, BTreeMap<Arm, String>>,
}

impl IdenticalOutputs {
    /// # Errors
    /// A plan of outputs that are not there.
    pub fn in_plan(texts: &Source, plan: &RatingPlan) -> Result<Self> {
        let mut drawn: BTreeMap<u32, BTreeMap<Arm, String>> = BTreeMap::new();
        for one in &plan.outputs {
            let of = drawn.entry(one.item).or_default();
            of.insert(Arm(one.system), String::new());
        }
        for group in texts.index.all() {
            let group = group?;
            let place = u32::try_from(group.position).map_err(Error::failed)?;
            for (system, text) in drawn.get_mut(&place).into_iter().flatten() {
                let found = group.output(*system).ok_or_else(gone)?;
                found.clone_into(text);
            }
        }
        Ok(Self { drawn })
    }

    fn text(&self, (item, system): OutputKey) -> Result<&str> {
        let found = self.drawn.get(&item).and_then(|drawn| drawn.get(&system));
        found.map(String::as_str).ok_or_else(gone)
    }

    /// The systems whose output is the same text, itself among them.
    ///
    /// # Errors
    /// If it was not drawn.
    pub fn with(&self, output: OutputKey) -> Result<Vec<Arm>> {
        let text = self.text(output)?;
        let drawn = self.drawn.get(&output.0).into_iter().flatten();
        let alike = drawn.filter(|(_, other)| *other == text);
        Ok(alike.map(|(system, _)| *system).collect())
    }
}

fn gone() -> Error {
    Error::failed("an output of the plan is not in the data set")
}
