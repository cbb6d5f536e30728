//! What a campaign's folder holds about one person: exported as one document, or erased.

#[cfg(feature = "serve")]
use super::serve::links::Links;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};
use tiebreak_decide::feedback::dealing::is_same_person;
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::inputs::source::Source;
use tiebreak_stages::inputs::source::campaign::JOURNAL;
use tiebreak_stages::journal::{ErasedTexts, Journal, PersonalAnswer, mentions, mentions_in_path};

/// What erasing a person does not reach.
const NOT_REACHED: &str = "backups and copies of the folder; sheets, exports and reports elsewhere; what others wrote about the person; the data \
     set; what was sent or printed";

/// The result of erasing a person from a campaign's folder.
#[derive(Debug, Serialize)]
pub(crate) struct Erasure {
    /// What was erased from the journal.
    #[serde(flatten)]
    pub(crate) journal: ErasedTexts,
    /// Whether their link was removed.
    pub(crate) link: bool,
    /// The names in the journal, where it did not have this one: it was erased before, or never was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) known: Option<Vec<String>>,
    /// The files of the folder that still hold the name.
    pub(crate) left: Vec<NamedFile>,
    /// What is not reached.
    pub(crate) not_reached: &'static str,
}

/// A file in which a name stands.
#[derive(Debug, Serialize)]
pub(crate) struct NamedFile {
    /// Its path in the campaign's folder.
    pub(crate) path: PathBuf,
    /// Whether the path itself holds the name.
    pub(crate) in_path: bool,
    /// The places in its text.
    pub(crate) places: usize,
}

/// Erases a person's name and remarks from the journal of a campaign, and their link. What is made from the journal is
/// to be made again afterwards, and then to be [`searched`](files_naming).
///
/// # Errors
/// If nobody has that name; if a file cannot be read or written, or another process has the campaign open.
pub(crate) fn erase(run: &Path, name: &str) -> Result<Erasure> {
    let path = run.join(JOURNAL);
    let mut link = false;
    // A server that starts afterwards must not find the link, nor write it back.
    let beside = || {
        link = remove_link(run, name)?;
        Ok(())
    };
    let journal = Journal::erase(&path, name, beside)?;
    let is_unknown = journal.is_empty() && !link;
    let known = is_unknown.then(|| Journal::people(&path)).transpose()?;
    // A command that was interrupted after the journal finds nothing there any more, and makes the rest.
    if let Some(people) = known.as_ref().filter(|_| !journal.earlier) {
        return Err(unknown(run, name, people));
    }
    Ok(Erasure {
        journal,
        link,
        known: known.map(|people| people.into_iter().collect()),
        left: Vec::new(),
        not_reached: NOT_REACHED,
    })
}

fn unknown(run: &Path, name: &str, known: &BTreeSet<String>) -> Error {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let what = format!("no annotator in {} is called `{name}`", run.display());
    Error::usage(what).with_hint(match known.is_empty() {
        true => "the answers there have no names".to_string(),
        false => format!("the annotators are {}", known.join(", ")),
    })
}

#[cfg(feature = "serve")]
fn remove_link(run: &Path, name: &str) -> Result<bool> {
    Links::remove(run, name)
}

#[cfg(not(feature = "serve"))]
#[allow(clippy::unnecessary_wraps)] // as where there is a server
fn remove_link(_: &Path, _: &str) -> Result<bool> {
    Ok(false)
}

/// The files below a folder in whose path or text a name stands as a word.
pub(crate) fn files_naming(name: &str, folder: &Path) -> Result<Vec<NamedFile>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(inner) = folders.pop() {
        let Some(entries) = present(fs::read_dir(&inner), &inner)? else {
            continue;
        };
        for entry in entries {
            let Some(entry) = present(entry, &inner)? else {
                continue;
            };
            let path = entry.path();
            let Some(kind) = present(entry.file_type(), &path)? else {
                continue;
            };
            let in_path = mentions_in_path(&entry.file_name().to_string_lossy(), name);
            let places = match kind.is_file() {
                true => present(places(&path, name), &path)?,
                false => Some(0),
            };
            if let Some(places) = places.filter(|&places| in_path || places > 0) {
                found.push(NamedFile {
                    path: path.strip_prefix(folder).unwrap_or(&path).to_path_buf(),
                    in_path,
                    places,
                });
            }
            if kind.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// What was read; `None` where it is gone, as what a running server replaces may be.
fn present<T>(read: std::io::Result<T>, path: &Path) -> Result<Option<T>> {
    match read {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(Error::reading(path)),
    }
}

fn places(path: &Path, name: &str) -> std::io::Result<usize> {
    let (mut file, mut line, mut places) = (BufReader::new(File::open(path)?), Vec::new(), 0);
    while file.read_until(b'\n', &mut line)? > 0 {
        places += mentions(&String::from_utf8_lossy(&line), name);
        line.clear();
    }
    Ok(places)
}

/// Returns all that a campaign's folder holds about a person, as one document. The campaign may go on meanwhile.
///
/// # Errors
/// If nobody has that name; if a file cannot be read.
pub(crate) fn export(context: &Context<'_>, run: &Path, name: &str) -> Result<Value> {
    let path = run.join(JOURNAL);
    let record = Journal::about(&path, name)?;
    let people = &record.people;
    let link = link(run, name)?;
    let spelled = people.iter().find(|known| is_same_person(known, name));
    if spelled.is_none() && link.is_none() && record.answers.is_empty() {
        return Err(unknown(run, name, people));
    }
    let texts = Source::open(context, run, &[]).and_then(|source| ShownTexts::new(context, source));
    if let Err(error) = &texts {
        let what = format!("items and systems are given as numbers instead of names: {error}");
        context.progress.warn(&what);
    }
    let texts = texts.ok();
    let answers = record.answers.iter();
    let answers: Vec<Value> = answers.map(|one| answer(one, texts.as_ref())).collect();
    Ok(json!({
        "annotator": spelled.map_or(name, String::as_str),
        "listed": record.listed,
        "link": link,
        "answers": answers,
        "checks": record.checks,
        "files": files_naming(name, run)?,
    }))
}

/// The names of what was shown.
struct ShownTexts {
    source: Source,
    items: Vec<String>,
}

impl ShownTexts {
    fn new(context: &Context<'_>, source: Source) -> Result<Self> {
        context.check()?;
        let items = source.index.all().map(|group| Ok(group?.item));
        let items = items.collect::<Result<_>>()?;
        Ok(Self { source, items })
    }
}

/// An answer as its line has it, with what it is about.
fn answer(one: &PersonalAnswer, texts: Option<&ShownTexts>) -> Value {
    let mut row = json!({ "line": one.line, "on_record": one.holds });
    let (item, pair) = (one.question.sample.item, one.question.duel.pair);
    let named = texts.and_then(|texts| texts.items.get(item as usize));
    row["item"] = named.map_or(json!(item), |name| json!(name));
    let system = |arm| match texts {
        Some(texts) => json!(texts.source.system(arm)),
        None => json!(arm),
    };
    row["systems"] = match pair.is_self() {
        true => json!([system(pair.first)]),
        false => json!([system(pair.first), system(pair.second)]),
    };
    if let (Some(row), Value::Object(answer)) = (row.as_object_mut(), &one.answer) {
        row.extend(answer.clone());
    }
    row
}

#[cfg(feature = "serve")]
fn link(run: &Path, name: &str) -> Result<Option<Value>> {
    Links::about(run, name)
}

#[cfg(not(feature = "serve"))]
#[allow(clippy::unnecessary_wraps)] // as where there is a server
fn link(_: &Path, _: &str) -> Result<Option<Value>> {
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_gone_meanwhile_name_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let (here, gone) = (folder.path().join("ben.csv"), folder.path().join("gone"));
        fs::write(&here, "annotator\nben\nBen\n").unwrap();
        assert_eq!(present(places(&here, "ben"), &here).unwrap(), Some(2));
        assert_eq!(present(places(&gone, "ben"), &gone).unwrap(), None);
        assert!(present(fs::read_dir(&gone), &gone).unwrap().is_none());
        assert!(files_naming("ben", &gone).unwrap().is_empty());
        assert!(present(fs::read_dir(&here), &here).is_err());
        let found = files_naming("ben", folder.path()).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0].in_path && found[0].places == 2);
    }
}
