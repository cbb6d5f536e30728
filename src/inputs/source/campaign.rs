//! A campaign's folder as a data set: the texts it asks about, and what people answered so far.
//!
//! The journal is only read, so the campaign may go on meanwhile.

use super::Source;
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::feedback::journal::{Journal, Posed};
use crate::records::{Dataset, Kind};
use serde::Deserialize;
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
    let answers = answers(&texts, &posed)?;
    texts.dataset.with_comparisons(folder, &answers).map(Some)
}

/// Rows of `comparisons`, one an answer, as JSON lines.
fn answers(texts: &Source, posed: &[Posed]) -> Result<String> {
    let items = texts.index.all().map(|group| Ok(group?.item));
    let items: Vec<String> = items.collect::<Result<_>>()?;
    let mut rows = String::new();
    for Posed { question, given } in posed {
        let Some((given, outcome)) = given.as_ref().and_then(|g| Some((g, g.outcome?))) else {
            continue;
        };
        let (pair, item) = (question.duel.pair, question.sample.item as usize);
        let item = items
            .get(item)
            .ok_or_else(|| Error::failed(format!("item number {item} is not in the data set")))?;
        let row = serde_json::json!({
            "item": item,
            "system_a": texts.system(pair.first),
            "system_b": texts.system(pair.second),
            "outcome": outcome.value(),
            "annotator": given.annotator,
            "seconds": given.seconds,
        });
        rows += &format!("{row}\n");
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
