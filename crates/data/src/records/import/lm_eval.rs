//! Samples of lm-evaluation-harness (`--log_samples`).
//!
//! A system is a folder, an item a task and a document. Of files that were renamed each is a system, unless their names
//! repeat in several folders. There is a row for every filter, and the output is the raw
//! response, since a filter that found nothing writes `[invalid]`; `--pick filter=NAME` takes the filtered text.
//! Where options were scored, the output is the likeliest. A target that is a list arrives as Python would print it.

mod request;

use super::frame::{
    DatasetBuilder, ImportFile, ImportFiles, ImportFormat, ImportRecord, Pick, digest, likeliest,
    picked,
};
use crate::records::reader::python_list;
use request::LmEvalRequest;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::message;

/// The format of a folder of samples.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "lm-eval",
    summary: "lm-evaluation-harness samples",
    picks: &[FILTER.key, "text"],
    matching_files: |files| files.that(|file| file.has(&["doc_id", "resps"])),
    read,
};

const FILTER: Pick = Pick {
    key: "filter",
    of: "",
    several: "several filters",
    ask: "say whose text is the output",
};

/// Fields that are no metrics.
const KNOWN: [&str; 14] = [
    "doc_id",
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
    "schema_version",
    "prompt_token_ids",
    "sample_id",
];

/// Returns the task and the date in the name of a file, as the harness writes it.
fn task_and_date(file: &ImportFile) -> Option<(String, String)> {
    let stem = file.stem().strip_prefix("samples_")?;
    let dated = stem.rsplit_once('_').filter(|(_, date)| {
        let mut parts = date.splitn(2, 'T');
        let day = parts.next().unwrap_or_default();
        day.len() == 10 && day.matches('-').count() == 2 && parts.next().is_some()
    });
    let (task, date) = dated.unwrap_or((stem, ""));
    Some((task.to_string(), date.to_string()))
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let choice = OutputTextChoice::picked(builder)?;
    builder.taken(format!(
        "source: the prompt; output: {}; references: target; criteria: metrics",
        choice.description()
    ));
    let mut runs: BTreeMap<(String, String), Vec<(String, &ImportFile)>> = BTreeMap::new();
    let renamed = found.iter().filter(|file| task_and_date(file).is_none());
    let stems: Vec<&str> = renamed.map(|file| file.stem()).collect();
    let different = stems.iter().collect::<BTreeSet<_>>().len();
    for file in found {
        let stem = file.stem().to_string();
        let (system, (task, date)) = match task_and_date(file) {
            Some(named) => (file.folder(), named),
            None if different == stems.len() => (stem, <_>::default()),
            None if different == 1 => (file.folder(), <_>::default()),
            None => (file.folder(), (stem, String::new())),
        };
        runs.entry((system, task)).or_default().push((date, file));
    }
    if stems.len() < found.len() {
        builder.taken("samples_TASK_TIME: system: the folder; item: task and doc_id");
    }
    if !stems.is_empty() {
        builder.taken(match different {
            n if n == stems.len() => "files of other names: system: the file's name; item: doc_id",
            1 => "files of one name: system: the folder; item: doc_id",
            _ => "files of other names: system: the folder; item: the file's name and doc_id",
        });
    }
    let mut all_filters = BTreeSet::new();
    for ((system, task), files) in runs {
        let file = whole_run(files, builder)?;
        let filters = filters(file)?;
        samples((file, &filters), &system, &task, &choice, builder)?;
        all_filters.extend(filters);
    }
    match choice {
        OutputTextChoice::Filtered(Some(wanted)) if !all_filters.contains(&wanted) => {
            let all_filters: Vec<String> = all_filters.into_iter().collect();
            Err(Error::input(
                &found[0].path,
                FILTER.unknown(&wanted, &all_filters),
            ))
        }
        _ => Ok(()),
    }
}

/// Returns the file of the run that counts: the latest of those with the most documents. The rows of others are counted.
fn whole_run<'a>(
    mut files: Vec<(String, &'a ImportFile)>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<&'a ImportFile> {
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    if let [(_, one)] = files[..] {
        return Ok(one);
    }
    let mut runs = Vec::new();
    for (date, file) in files {
        let (mut rows, mut documents) = (0, HashSet::new());
        file.records(&[], &mut |record| {
            rows += 1;
            documents.insert(digest(&record.get("doc_id").name()?));
            Ok(())
        })?;
        runs.push((documents.len(), date, rows, file));
    }
    // Of equals the last, which is the latest.
    let (documents, date, _, whole) = runs
        .iter()
        .max_by_key(|(documents, ..)| *documents)
        .cloned()
        .expect("every run has a file");
    for (few, other, rows, file) in runs {
        if !std::ptr::eq(file, whole) {
            let is_part = few < documents && other > date;
            builder.drop_many(
                match is_part {
                    true => "a row of a later run of the same task, which has fewer documents",
                    false => "a row of an earlier run of the same task",
                },
                rows,
            );
        }
    }
    Ok(whole)
}

/// The text that is the output.
enum OutputTextChoice {
    /// The raw response of the model.
    Raw,
    /// The response after a filter.
    Filtered(Option<String>),
}

impl OutputTextChoice {
    fn picked(builder: &DatasetBuilder<'_>) -> Result<Self> {
        let filter = builder.options.picked(FILTER.key).map(ToString::to_string);
        match builder.options.picked("text") {
            Some("raw") => Ok(Self::Raw),
            Some("filtered") => Ok(Self::Filtered(filter)),
            Some(other) => Err(Error::usage(message!(
                "{}: expected raw or filtered",
                picked("text", other)
            ))),
            None if filter.is_some() => Ok(Self::Filtered(filter)),
            None => Ok(Self::Raw),
        }
    }

    fn description(&self) -> &str {
        match self {
            Self::Raw => "the raw response",
            Self::Filtered(_) => "the filtered response",
        }
    }
}

/// Lists the filters of a file.
fn filters(file: &ImportFile) -> Result<Vec<String>> {
    let mut filters = Vec::new();
    file.records(&[], &mut |record| {
        let filter = record.get("filter").filled()?.unwrap_or_default();
        if !filters.contains(&filter) {
            filters.push(filter);
        }
        Ok(())
    })?;
    Ok(filters)
}

fn samples(
    (file, filters): (&ImportFile, &[String]),
    system: &str,
    task: &str,
    choice: &OutputTextChoice,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let texts_of = match choice {
        OutputTextChoice::Raw => None,
        OutputTextChoice::Filtered(Some(wanted)) => Some(wanted.clone()),
        OutputTextChoice::Filtered(None) => match filters {
            [one] => Some(one.clone()),
            several => return Err(FILTER.undecided(&file.path, several)),
        },
    };
    let mut met: HashSet<u64> = HashSet::new();
    file.records(&[], &mut |record| {
        let filter = record.get("filter").filled()?.unwrap_or_default();
        let document = record.get("doc_id").name()?;
        if !met.insert(digest(&(&document, &filter))) {
            builder.drop("another row of the same document and filter");
            return Ok(());
        }
        let item = match task {
            "" => document.clone(),
            task => format!("{task}/{document}"),
        };
        let sample = LmEvalSample::read(&record, builder)?;
        let source = sample.prompt.as_deref();
        if !builder.item_of(&item, sample.identity, source, &sample.references)? {
            builder.refuse(&item, system, "another document under the same id");
            return Ok(());
        }
        let first = met.insert(digest(&document));
        let text = match &texts_of {
            None if first => Some(sample.raw),
            Some(wanted) if *wanted == filter => Some(record.get("filtered_resps").nth(0).text()?),
            _ => None,
        };
        if first {
            builder.drop_many("a further repeat", sample.repeats);
        }
        let kept = match text {
            _ if !sample.is_text && first => {
                builder.drop("a likelihood without options: no text");
                true
            }
            Some(text) if sample.is_text => {
                builder.output(&item, system, text.as_deref(), record.node())?
            }
            // The rows of other filters still give metrics.
            None => {
                if let Some(wanted) = texts_of
                    .as_ref()
                    .filter(|one| first && !filters.contains(one))
                {
                    builder.drop(format!("a response that `{wanted}` did not filter"));
                }
                true
            }
            _ => true,
        };
        match kept {
            true => metrics(
                &record,
                &item,
                system,
                (filters.len() > 1).then_some(&filter),
                builder,
            ),
            false => Ok(()),
        }
    })
}

/// Adds each metric as a criterion, under several filters one for each.
fn metrics(
    record: &ImportRecord,
    item: &str,
    system: &str,
    filter: Option<&String>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let listed = record.get("metrics").texts()?;
    for (name, value) in record.node().fields() {
        let metric = match listed.is_empty() {
            true => !KNOWN.contains(&name),
            false => listed.iter().any(|metric| metric == name),
        };
        if !metric {
            continue;
        }
        let criterion = match filter {
            Some(filter) => format!("{name},{filter}"),
            None => name.to_string(),
        };
        builder.measured((item, system), None, &criterion, value.measure())?;
    }
    Ok(())
}

/// The part of a row that describes its document.
struct LmEvalSample {
    prompt: Option<String>,
    raw: Option<String>,
    /// Whether the response is a text, or a choice among texts.
    is_text: bool,
    references: Vec<String>,
    repeats: u64,
    /// The hash that distinguishes the document from others of the same number.
    identity: u64,
}

impl LmEvalSample {
    fn read(record: &ImportRecord, builder: &mut DatasetBuilder<'_>) -> Result<Self> {
        let asked = LmEvalRequest::parse(record.get("arguments"));
        let responses = record.get("resps");
        let first = responses.nth(0);
        let identity = match record.get("doc_hash").filled()? {
            Some(hash) => digest(&hash),
            None => digest(&record.get("doc").value().to_string()),
        };
        let prompt = asked.prompt.clone();
        let targets = targets(record.get("target").text()?);
        let targets = builder.given_references(targets);
        // A likelihood is a pair; with continuations there is one for each.
        let scored = first.nth(0).is_list() || asked.rolling;
        if !scored {
            return Ok(Self {
                prompt,
                raw: first.nth(0).text()?,
                is_text: true,
                references: targets,
                repeats: first.items().len().saturating_sub(1) as u64,
                identity,
            });
        }
        let several =
            asked.continuations.len() > 1 && asked.continuations.len() == responses.items().len();
        let choices = record.get("doc").get("choices");
        let option = |target: &String| {
            let index: usize = target.trim().parse().ok()?;
            let listed = choices.nth(index).text().ok().flatten();
            listed.or_else(|| {
                asked
                    .continuations
                    .get(index)
                    .map(|text| text.trim().to_string())
            })
        };
        let references = targets
            .iter()
            .map(|target| option(target).unwrap_or_else(|| target.clone()));
        Ok(Self {
            prompt,
            raw: likeliest(responses.items().map(|response| response.nth(0).nth(0)))
                .and_then(|k| asked.continuations.get(k))
                .map(|text| text.trim().to_string()),
            is_text: several,
            references: references.collect(),
            repeats: 0,
            identity,
        })
    }
}

/// Returns the references in a target: one, or a list as Python prints it.
fn targets(target: Option<String>) -> Vec<Option<String>> {
    match target {
        None => Vec::new(),
        Some(target) => python_list(&target).unwrap_or_else(|| vec![Some(target)]),
    }
}
