//! Tables with tiebreak's own columns in other forms or under other names: an array of JSON, a file of another name, a
//! folder of `save_to_disk`; outcomes in words; ratings with a column for every criterion; a file of outputs for each
//! system, which is named by its file.

use super::convention::OutcomeColumn;
use super::frame::{
    DatasetBuilder, FURTHER_OUTPUT, ImportFile, ImportFiles, ImportFormat, ImportOptions,
    ImportRecord, ImportedComparison, JudgmentRow, PredictionRow, RecordValue, by_file, called,
};
use super::ratings::criteria;
use crate::records::reader::{is_row_index, renamed, spelled_list};
use crate::records::{Kind, LABEL};
use std::collections::BTreeMap;
use tiebreak_base::cost::Cost;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::in_line;
use tiebreak_base::message;

/// The format of tables with tiebreak's own columns.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "tables",
    summary: "tables of outputs, comparisons, judgments or ratings",
    picks: &[],
    matching_files: |files| {
        let alone = files
            .that(|file| holds(file, &files.options) == Some(ImportTableKind::OneSystem))
            .len()
            == 1;
        files.that(|file| match holds(file, &files.options) {
            Some(ImportTableKind::OneSystem) => !alone,
            kind => kind.is_some(),
        })
    },
    read,
};

/// The reason to leave out a row whose texts differ from those of an earlier row of the item.
const ANOTHER_SOURCE: &str = "another source or references of the same item";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ImportTableKind {
    Comparisons,
    Judgments,
    Predictions,
    /// Outputs, ratings, or both.
    Outputs,
    /// Outputs without a column of systems: there is a file for each.
    OneSystem,
    Items,
}

/// Returns the column of outcomes.
fn outcome<'a>(file: &ImportFile, options: &'a ImportOptions) -> &'a str {
    let outcome = called(options, "outcome");
    if file.has(&[outcome]) {
        outcome
    } else {
        "winner"
    }
}

fn holds(file: &ImportFile, options: &ImportOptions) -> Option<ImportTableKind> {
    let has = |columns: &[&str]| {
        columns
            .iter()
            .all(|column| file.has(&[called(options, column)]))
    };
    let pair = has(&["item", "system_a", "system_b"]);
    match () {
        // Scores of a metric are no human judgments.
        () if has(&["metric", "score"]) => None,
        () if pair && file.has(&[outcome(file, options)]) => Some(ImportTableKind::Comparisons),
        () if pair && has(&["p"]) => Some(ImportTableKind::Predictions),
        () if has(&["item", "system", "criterion", "score"]) => Some(ImportTableKind::Judgments),
        () if has(&["item", "system"]) => Some(ImportTableKind::Outputs),
        () if has(&["item", "output"]) => Some(ImportTableKind::OneSystem),
        () if has(&["item", "source"]) || has(&["item", "references"]) => {
            Some(ImportTableKind::Items)
        }
        () => None,
    }
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let options = builder.options;
    let found = &distinct(found, options)?[..];
    check_columns(found, options)?;
    let of = |wanted: ImportTableKind| {
        found
            .iter()
            .copied()
            .filter(move |file| holds(file, options) == Some(wanted))
    };
    for file in of(ImportTableKind::Items) {
        file.records(&[], &mut |record| {
            if !item(&record, builder)?.1 {
                builder.drop(ANOTHER_SOURCE);
            }
            Ok(())
        })?;
    }
    for file in of(ImportTableKind::Outputs) {
        outputs(file, None, builder)?;
    }
    let with_criteria = [ImportTableKind::Outputs, ImportTableKind::OneSystem].map(Some);
    for file in found {
        if !with_criteria.contains(&holds(file, options)) {
            note_unread(file, &[], builder);
        }
    }
    let of_one: Vec<&ImportFile> = of(ImportTableKind::OneSystem).collect();
    if let [alone] = of_one[..] {
        return Err(lacking(alone));
    }
    let system = by_file(&of_one);
    for file in of_one {
        outputs(file, Some(&system(file)), builder)?;
    }
    for file in of(ImportTableKind::Comparisons) {
        comparisons(file, builder)?;
    }
    for file in of(ImportTableKind::Judgments) {
        file.records(&[], &mut |record| judgment(&record, builder))?;
    }
    for file in of(ImportTableKind::Predictions) {
        file.records(&[], &mut |record| {
            let p = record.get(called(options, "p"));
            let probability = p.number()?.filter(|p| (0.0..=1.0).contains(p));
            let probability = probability.ok_or_else(|| p.wrong("a probability"))?;
            let name = |column| record.get(called(options, column)).name();
            builder.prediction(&PredictionRow {
                item: &name("item")?,
                system_a: &name("system_a")?,
                system_b: &name("system_b")?,
                p: probability,
                judge: record.get("judge").filled()?.as_deref(),
                position: record.get("position").number()?,
            })
        })?;
    }
    match found.iter().find(|file| holds(file, options).is_none()) {
        Some(file) => Err(lacking(file)),
        None => Ok(()),
    }
}

/// The files without copies of others, whose rows would count twice. Files that name their systems may be the same.
fn distinct<'a>(found: &[&'a ImportFile], options: &ImportOptions) -> Result<Vec<&'a ImportFile>> {
    let mut kept: Vec<&ImportFile> = Vec::new();
    let mut by_size: BTreeMap<u64, Vec<&ImportFile>> = BTreeMap::new();
    for &file in found {
        if holds(file, options) != Some(ImportTableKind::OneSystem) {
            let alike = by_size.entry(file.size()?).or_default();
            let mut same = alike.iter().map(|other| other.has_the_contents_of(file));
            if same.try_fold(false, |found, same| Ok::<_, Error>(found || same?))? {
                file.leave_out("the same contents as another file");
                continue;
            }
            alike.push(file);
        }
        kept.push(file);
    }
    Ok(kept)
}

/// Checks that every mapped column is there.
fn check_columns(found: &[&ImportFile], options: &ImportOptions) -> Result<()> {
    let missing = options
        .columns
        .iter()
        .find(|(_, in_file)| !found.iter().any(|file| file.has(&[in_file.as_str()])));
    missing.map_or(Ok(()), |(name, in_file)| {
        let columns = found
            .iter()
            .flat_map(|file| file.look().first.keys())
            .map(String::as_str);
        let columns = columns.collect::<Vec<_>>().join(", ");
        let what = format!("no table has a column `{in_file}`, to which `{name}` is mapped");
        Err(Error::input(&found[0].path, what).with_hint(format!("columns are {columns}")))
    })
}

/// The error for a table that lacks the columns it was to be read by.
fn lacking(file: &ImportFile) -> Error {
    let columns = file
        .look()
        .first
        .keys()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    Error::input(
        &file.path,
        format!("no known table; its columns are {columns}"),
    )
    .with_hint(message!(
        "map columns of other names: {}, {}, …",
        renamed("item", "NAME"),
        renamed("system_a", "NAME")
    ))
}

/// Says which columns of a table are not read.
fn note_unread(file: &ImportFile, criteria: &[String], builder: &mut DatasetBuilder<'_>) {
    let options = builder.options;
    let mut known = Kind::columns();
    known.extend(["reference", "winner", LABEL, "p", "judge", "position"]);
    let is_known = |name: &str| known.iter().any(|own| called(options, own) == name);
    let columns = file.look().first.keys();
    let unread =
        columns.filter(|name| !is_known(name) && !is_row_index(name) && !criteria.contains(name));
    let unread: Vec<String> = unread.map(|name| in_line(name)).collect();
    if !unread.is_empty() {
        let (path, unread) = (file.path.display(), unread.join(", "));
        builder.note(format!("{path}: columns that are not read: {unread}"));
    }
}

/// Adds the item of a row; false where the name belongs to a different item already.
fn item(record: &ImportRecord, builder: &mut DatasetBuilder<'_>) -> Result<(String, bool)> {
    let options = builder.options;
    let get = |column| record.get(called(options, column));
    let item = get("item").name()?;
    let source = get("source").text()?;
    let references = references(get("references"), record.get("reference"), builder)?;
    if source.is_none() && references.is_empty() {
        return Ok((item, true));
    }
    let same = builder.item(&item, source.as_deref(), &references)?;
    Ok((item, same))
}

fn references(
    list: RecordValue<'_>,
    one: RecordValue<'_>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<Vec<String>> {
    let given = if list.is_null() { one } else { list };
    if let Some(texts) = given.value().as_str().and_then(spelled_list) {
        return Ok(builder.given_references(texts));
    }
    Ok(builder
        .references(given)?
        .into_iter()
        .filter(|text| !text.is_empty() || list.is_list())
        .collect())
}

/// Reads outputs and ratings, of the rows' own systems or all of one.
fn outputs(
    file: &ImportFile,
    own_system: Option<&str>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let options = builder.options;
    let has_output = file.has(&[called(options, "output")]);
    let mut criteria = criteria(file, has_output, builder)?;
    note_unread(file, &criteria, builder);
    criteria.retain(|criterion| builder.meet_criterion(criterion));
    let columns = match (has_output, own_system) {
        (true, None) => "item, system, output".to_string(),
        (true, Some(system)) => format!("item, output; system: {system}"),
        (false, _) => "item, system".to_string(),
    };
    builder.taken(match criteria.is_empty() {
        true => format!("{}: {columns}", file.path.display()),
        false => format!(
            "{}: {columns}; ratings: {}",
            file.path.display(),
            criteria.join(", ")
        ),
    });
    file.records(&[], &mut |record| {
        let get = |column| record.get(called(options, column));
        let (item, same) = item(&record, builder)?;
        let system = match own_system {
            Some(system) => system.to_string(),
            None => get("system").name()?,
        };
        let repeat = get("repeat").filled()?;
        if !same {
            builder.refuse(&item, &system, ANOTHER_SOURCE);
            return Ok(());
        }
        if has_output {
            let text = get("output").text()?;
            // With ratings the same output occurs once for every annotator.
            let kept = match criteria.is_empty() {
                _ if repeat.is_some() && builder.has_output(&item, &system) => {
                    builder.drop(FURTHER_OUTPUT);
                    true
                }
                true => builder.output_once(&item, &system, text.as_deref(), record.node())?,
                false => builder.output(&item, &system, text.as_deref(), record.node())?,
            };
            if !kept {
                return Ok(());
            }
        } else if !get("output").is_null() {
            let output = called(options, "output");
            return Err(record
                .error(format!("column `{output}` is not in the first row"))
                .with_hint("give every row its output, or null for none"));
        }
        for criterion in &criteria {
            let Some(score) = record.get(criterion).rating()? else {
                builder.drop("an empty rating");
                continue;
            };
            builder.judgment(&JudgmentRow {
                item: &item,
                system: &system,
                criterion,
                score,
                annotator: get("annotator").filled()?.as_deref(),
                part: get("part").filled()?.as_deref(),
                repeat: repeat.as_deref(),
                post_edit: None,
                seconds: get("seconds").amount()?,
            })?;
        }
        Ok(())
    })
}

fn judgment(record: &ImportRecord, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let options = builder.options;
    let get = |column| record.get(called(options, column));
    let Some(score) = get("score").rating()? else {
        builder.drop("an empty rating");
        return Ok(());
    };
    builder.judgment(&JudgmentRow {
        item: &get("item").name()?,
        system: &get("system").name()?,
        criterion: &get("criterion").name()?,
        score,
        annotator: get("annotator").filled()?.as_deref(),
        part: get("part").filled()?.as_deref(),
        repeat: get("repeat").filled()?.as_deref(),
        post_edit: get("post_edit").text()?.as_deref(),
        seconds: get("seconds").amount()?,
    })
}

fn comparisons(file: &ImportFile, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let options = builder.options;
    let column = outcome(file, options);
    let systems = ["system_a", "system_b"].map(|system| [called(options, system)]);
    let outcomes = OutcomeColumn::decided(&[file], column, [&systems[0], &systems[1]], builder)?;
    builder.taken(format!(
        "{}: item, system_a, system_b; outcome: {column}",
        file.path.display()
    ));
    file.records(&[], &mut |record| {
        let get = |column| record.get(called(options, column));
        let (a, b) = (get("system_a").name()?, get("system_b").name()?);
        let Some((outcome, word)) = outcomes.read(&record, [&a, &b], builder)? else {
            return Ok(());
        };
        let own = record.get(LABEL).filled()?;
        let label = own.as_deref().or(outcomes.is_worded.then_some(&word));
        let (item, annotator) = (get("item").name()?, get("annotator").filled()?);
        let compared = ImportedComparison {
            item: &item,
            system_a: &a,
            system_b: &b,
            outcome,
            label,
            annotator: annotator.as_deref(),
            cost: Cost {
                seconds: get("seconds").amount()?,
                price: get("price").amount()?,
            },
        };
        let known = [
            column,
            called(options, "item"),
            called(options, "system_a"),
            called(options, "system_b"),
        ];
        builder.comparison(&compared, &record.rest(&known))
    })
}
