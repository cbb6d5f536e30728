//! A campaign's folder as a data set: the texts it asks about, and what people answered so far.
//!
//! The journal is only read, so the campaign may go on meanwhile.

use super::Source;
use crate::duel::Pair;
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::feedback::journal::{Journal, Posed};
use crate::feedback::texts::swapped;
use crate::records::{Dataset, Kind};
use crate::rng::Seed;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The journal, in the campaign's folder.
pub const JOURNAL: &str = "journal.jsonl";

/// What the campaign was begun with, in its folder.
pub const SETTINGS: &str = "campaign.toml";

/// Where the texts are that a campaign asks about.
#[derive(Deserialize)]
struct Begun {
    data: PathBuf,
    seed: u64,
    #[serde(default)]
    columns: BTreeMap<String, String>,
}

/// The texts and answers of the campaign in a folder; `None` where there is none.
///
/// # Errors
/// Texts that changed since the campaign began; those of the journal.
pub(super) fn dataset(context: &Context<'_>, folder: &Path) -> Result<Option<Dataset>> {
    let (journal, settings) = (folder.join(JOURNAL), folder.join(SETTINGS));
    if !journal.is_file() || !settings.is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(&settings).map_err(Error::reading(&settings))?;
    let begun: Begun = toml::from_str(&text)
        .map_err(|source| Error::input(&settings, source.message().to_string()))?;
    let columns: Vec<(String, String)> = begun.columns.into_iter().collect();
    let texts = Source::open(context, &folder.join(begun.data), &columns)?;
    let posed = Journal::look(&journal, &texts.tables)
        .map_err(|error| which_changed(&texts.dataset, error))?;
    let rows = rows(&texts, posed.iter(), Seed(begun.seed))?;
    let lines = rows
        .iter()
        .flat_map(|row| [row.to_string(), "\n".to_string()]);
    let answers: String = lines.collect();
    texts.dataset.with_comparisons(folder, &answers).map(Some)
}

/// Rows of `comparisons`, one an answer, as objects. `system_a` is the one whose text was shown first.
///
/// # Errors
/// A question about an item that is not there.
pub(crate) fn rows<'a>(
    texts: &Source,
    posed: impl Iterator<Item = &'a Posed>,
    seed: Seed,
) -> Result<Vec<Value>> {
    let items = texts.index.all().map(|group| Ok(group?.item));
    let items: Vec<String> = items.collect::<Result<_>>()?;
    let mut rows = Vec::new();
    let given = posed.flat_map(|posed| {
        let given = posed.puts().filter_map(|(put, given)| Some((put, given?)));
        given.filter_map(|(put, given)| Some((posed.question, put, given, given.outcome?)))
    });
    for (question, put, given, outcome) in given {
        let item = question.sample.item as usize;
        let Pair { first, second } = question.duel.pair;
        let (pair, outcome) = match swapped(seed, put) {
            true => (Pair::new(second, first), outcome.flipped()),
            false => (question.duel.pair, outcome),
        };
        let item = items
            .get(item)
            .ok_or_else(|| Error::failed(format!("item number {item} is not in the data set")))?;
        rows.push(json!({
            "item": item,
            "system_a": texts.system(pair.first),
            "system_b": texts.system(pair.second),
            "outcome": outcome.value(),
            "annotator": given.annotator,
            "seconds": given.seconds,
            "label": given.label,
            "comment": given.comment,
        }));
    }
    Ok(rows)
}

/// Two digests tell nobody anything: which table changed, and what can be done.
pub(crate) fn which_changed(dataset: &Dataset, error: Error) -> Error {
    let Error::Changed { key, .. } = &error else {
        return error;
    };
    let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name() == key) else {
        return error;
    };
    let what = "changed since the campaign began, which asks about what it held then";
    Error::input(dataset.table(kind).unwrap_or(dataset.path()), what).with_hint(
        "restore it from a copy, or begin another campaign in a folder of its own; new comparisons and \
         judgments may be added at any time",
    )
}
