//! `rank`: what collected comparisons say of all systems, each used once and in no order.

pub(in crate::stages) mod coverage;
mod keys;
mod style;
pub(super) mod tell;
mod verdicts;
mod win_rates;

pub use keys::Rank;
pub(crate) use tell::placed;
pub use verdicts::VerdictSource;

use crate::engine::context::Context;
use crate::inputs::source::{COMPARED, ItemClusters, PredictionTable, Source};
use crate::stages::slices::differences::SlicedPairs;
use crate::stages::slices::{Preferences, Slices};
use coverage::Coverage;
use std::path::Path;
use tiebreak_base::claims::Premise;
use tiebreak_base::duel::{Arm, Pair, Prediction};
use tiebreak_base::error::{Audience, Error, Flag, Message, Result, StageCommand};
use tiebreak_base::layout::path_argument;
use tiebreak_base::message;
use tiebreak_base::words::{as_sentence, counted};
use tiebreak_data::records::Kind;
use tiebreak_data::tables::json;
use tiebreak_decide::estimators::margins::MarginPrediction;
use tiebreak_decide::ranking::Collection;
use tiebreak_decide::ranking::result::Ranking;

/// The stage's name: its verb, and its list in a pipeline.
pub(crate) const NAME: &str = "rank";

/// The name of a ranking's file in its folder.
pub(crate) const FILE: &str = "ranking.json";

/// Ranks all systems by the comparisons of a data set, as `keys` ask, at a confidence between 0 and 1, which several
/// rankings may share; pairs may be missing. With `predictions` the few comparisons of people correct the many of the
/// model; a warning says where these do not cover all outputs.
///
/// # Errors
/// A data set without a table of comparisons or with one system; a campaign, of which `campaign::ranking` knows
/// more; predictions of nothing that was compared.
pub fn run(
    context: &Context<'_>,
    source: &Source,
    keys: &Rank,
    predictions: Option<&PredictionTable>,
    confidence: f64,
) -> Result<Ranking> {
    systems(source)?;
    if let (Some(_), Some(table)) = (&keys.verdicts, predictions) {
        let verdicts = verdicts::collect(source, table)?;
        let clusters = keys.clusters.of_comparisons(source, &verdicts)?;
        let of_clusters = (verdicts, clusters.as_ref());
        let mut ranking = ranked(context, source, keys, of_clusters, confidence)?;
        ranking.position = verdicts::position(source, table, confidence)?;
        let places = table.unbalanced_places(source)?;
        if let Some(places) = &places {
            ranking.hints.push(as_sentence(&places.clause()));
            ranking.claim.assumes.push(Premise::PositionFree);
        }
        let verdicts = |_: &Slices| {
            let found = Preferences::of_judge(source, table, 0, places)?;
            Ok(found.of_clusters(clusters))
        };
        slice(&mut ranking, context, source, keys, verdicts)?;
        return Ok(ranking);
    }
    rankable(source)?;
    source.require_fixed_questions()?;
    let collection = source.comparisons()?;
    let repeated = collection.repeated();
    if repeated > 0 {
        context.progress.warn(&format!(
            "there again, with the same item, systems, outcome and annotator: {}. Was a file given twice? Each row counts",
            counted(repeated, "comparison")
        ));
    }
    let clusters = keys.clusters.of_comparisons(source, &collection)?;
    let mut ranking = match predictions {
        None => {
            let of_clusters = (collection, clusters.as_ref());
            ranked(context, source, keys, of_clusters, confidence)?
        }
        Some(table) => {
            let predicted = predicted(context, source, table)?;
            let predicted = (&predicted[..], table.signature.as_str());
            let cluster = clusters.as_ref().filter(|all| all.shared().is_some());
            let cluster = cluster.map(|all| |item: u32| all.cluster(item));
            let cluster = cluster.as_ref().map(|of| of as &dyn Fn(u32) -> u32);
            let (scope, seed) = (keys.scope, context.seed);
            let ranking = collection.rank_predicted(predicted, cluster, scope, confidence, seed);
            with_clusters(ranking, source, keys, clusters.as_ref())?
        }
    };
    // Collected again, since the ranking took the first.
    let comparisons = |slices: &Slices| {
        let again = source.comparisons()?;
        let shares = again.uneven_shares();
        Ok(Preferences::of_people(&again, shares, 0, Some(slices)).of_clusters(clusters))
    };
    slice(&mut ranking, context, source, keys, comparisons)?;
    Ok(ranking)
}

/// Adds the differences of all pairs in slices of the items, where they are wanted.
fn slice(
    ranking: &mut Ranking,
    context: &Context<'_>,
    source: &Source,
    keys: &Rank,
    preferences: impl FnOnce(&Slices) -> Result<Preferences>,
) -> Result<()> {
    let Some(column) = &keys.by else {
        return Ok(());
    };
    let slices = Slices::read(context, source, column)?;
    let compared = preferences(&slices)?;
    let mut pairs = SlicedPairs::new(source, &slices);
    let systems: Vec<Arm> = Arm::all(source.systems().len()).collect();
    pairs.add(&systems, |base, new, slice| {
        compared.compare(base, new, Slices::numbered(Some(&slices), slice))
    })?;
    ranking.slices = Some(pairs.finish(ranking.evidence.confidence));
    ranking.signature += &format!("|by:{column}");
    Ok(())
}

/// Ranks the systems of a collection, with style held equal where that is wanted, and their win rates.
fn ranked(
    context: &Context<'_>,
    source: &Source,
    keys: &Rank,
    (mut collection, clusters): (Collection, Option<&ItemClusters>),
    confidence: f64,
) -> Result<Ranking> {
    let mut uses = None;
    if keys.style && !collection.comparisons().is_empty() {
        let styles = style::differences(source, &collection)?;
        uses = Some(styles.features);
        collection = collection.styled(styles.rows);
    }
    if let Some(clusters) = clusters {
        collection = clusters.group(collection);
    }
    let ranking = collection.rank(keys.scope, confidence, context.seed);
    let mut ranking = with_clusters(ranking, source, keys, clusters)?;
    let styled = uses.map(|uses| (collection.strengths(), uses));
    if let Some((strengths, uses)) = &styled {
        ranking.style = style::effects(strengths, *uses, confidence);
    }
    // Logs of judges are made against a baseline, whose name is the one in all verdicts.
    let common = || match &keys.verdicts {
        Some(_) => win_rates::common_opponent(&collection, &ranking.strengths),
        None => None,
    };
    if let Some(baseline) = keys.baseline.clone().or_else(common) {
        let opponent = win_rates::Opponent {
            name: &baseline,
            equal_style: styled.as_ref().map(|(strengths, _)| strengths),
        };
        let ranked = &ranking.strengths;
        let against = win_rates::against(source, &collection, &opponent, ranked, confidence)?;
        ranking.against = Some(against);
    }
    Ok(ranking)
}

/// Says which items count as one, or that some may depend on each other.
fn with_clusters(
    mut ranking: Ranking,
    source: &Source,
    keys: &Rank,
    clusters: Option<&ItemClusters>,
) -> Result<Ranking> {
    let sentence = clusters.map(|clusters| clusters.sentence(COMPARED));
    let hint = keys.clusters.hint(source, keys.scope.items)?;
    ranking.hints.extend(sentence.into_iter().chain(hint));
    ranking.signature += &keys.clusters.signature();
    Ok(ranking)
}

/// The margins that a model predicts, with a warning where they do not cover all pairs of outputs.
fn predicted(
    context: &Context<'_>,
    source: &Source,
    predictions: &PredictionTable,
) -> Result<Vec<MarginPrediction>> {
    let (mut rows, mut coverage) = (Vec::new(), Coverage::default());
    for group in source.index.all() {
        let group = group?;
        let of_item = predictions.of_item(group.position)?;
        coverage.count(&group, &of_item);
        rows.extend(margins(group.position, &of_item)?);
    }
    if let Some(lacking) = coverage.warning(predictions)? {
        context.progress.warn(&lacking);
    }
    Ok(rows)
}

/// The margins of the predictions of one item.
fn margins(
    position: u64,
    of_item: &[(Arm, Arm, Prediction)],
) -> Result<impl Iterator<Item = MarginPrediction>> {
    let item = u32::try_from(position).map_err(Error::failed)?;
    Ok(of_item
        .iter()
        .map(move |&(a, b, prediction)| MarginPrediction {
            item,
            pair: Pair::new(a, b),
            score: 2.0 * prediction.p - 1.0,
        }))
}

/// The systems of preference data whose rows name none.
const UNNAMED: [&str; 2] = ["chosen", "rejected"];

/// Whether systems are only the words of preference data whose rows name none.
pub fn are_unnamed(systems: &[String]) -> bool {
    !systems.is_empty() && systems.iter().all(|name| UNNAMED.contains(&name.as_str()))
}

/// Checks that people compared systems.
///
/// # Errors
/// If they did not, or what they compared are no systems.
fn rankable(source: &Source) -> Result<()> {
    let data = source.dataset.path();
    if !source.index.has(Kind::Comparisons) {
        return Err(match source.dataset.predictions() {
            Some(_) if source.unanswered.is_none() => by_verdicts(data),
            _ => source.lacks("rank", "comparisons"),
        });
    }
    if are_unnamed(source.systems()) {
        let what = format!(
            "{} names no systems: `chosen` and `rejected` are what people made of two texts, so there is nothing to rank",
            data.display()
        );
        return Err(Error::usage(what).with_hint(message!(
            "{} learns from such data; to rank, the rows need `chosen_model` and `rejected_model`",
            StageCommand("fit pairwise", &[])
        )));
    }
    Ok(())
}

/// The error for a data set that a judge compared, and no people.
fn by_verdicts(data: &Path) -> Error {
    let path = path_argument(data);
    let shown = data.display();
    let verdicts = Message::each(|audience| match audience {
        Audience::Terminal => format!("`tiebreak rank {path} {}`", Flag("verdicts")),
        Audience::File => "`verdicts = true`".to_string(),
        Audience::Python => "`rank(verdicts=True)`".to_string(),
    });
    Error::usage(message!(
        "`{shown}` has no comparisons by people, which `rank` needs. It has a judge's verdicts: {}",
        verdicts
    ))
}

/// Checks that there is more than one system to rank.
pub(crate) fn systems(source: &Source) -> Result<()> {
    match source.systems().len() {
        0 | 1 => Err(source.lacks_second_system()),
        _ => Ok(()),
    }
}

/// Stores the ranking of a campaign as it stands, in the campaign's folder.
///
/// # Errors
/// If it cannot be written.
pub fn write(ranking: &Ranking, folder: &Path) -> Result<()> {
    json::write(&folder.join(FILE), ranking)
}

/// Reads the ranking in a folder, if there is one.
///
/// # Errors
/// If it cannot be read, or was changed.
pub fn stored(folder: &Path) -> Result<Option<Ranking>> {
    json::read_if_there(&folder.join(FILE))
}
