//! Tables with tiebreak's own columns in other forms or under other names: an array of JSON, a file of another name, a
//! folder of `save_to_disk`; outcomes in words; ratings with a column for every criterion; a file of outputs for each
//! system, which is named by its file.

use super::convention::OutcomeColumn;
use super::frame::{
    DatasetBuilder, ExtraFields, FURTHER_OUTPUT, ImportFile, ImportFiles, ImportFormat,
    ImportOptions, ImportRecord, ImportedComparison, JudgmentRow, PredictionRow, by_file, called,
    is_simple,
};
use super::ratings::criteria;
use super::roles::reference_number;
use super::wide_command;
use crate::records::dataset::{is_twice, unknown_column};
use crate::records::reader::{is_row_index, renamed, spelled_list};
use crate::records::{Kind, LABEL, RANKING};
use std::collections::BTreeMap;
use std::path::Path;
use tiebreak_base::cost::Cost;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::in_line;
use tiebreak_base::message;
use tiebreak_base::words::counted;

/// The format of tables with tiebreak's own columns.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "tables",
    summary: "tables of outputs, comparisons, judgments or ratings",
    picks: &[],
    matching_files: |files| {
        let alone = !files.options.lone_is_one_system
            && files
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

/// The reason to leave out a row's rating.
const EMPTY_RATING: &str = "an empty rating";

/// Another name of the column of repeats.
const EPOCH: &str = "epoch";

/// The numbers beside a prediction, which are kept as such.
const UNCERTAINTY: [&str; 3] = ["mean", "bald", "std"];

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

/// Whether a file has outputs of one system that nothing in it names.
pub(super) fn lacks_system(file: &ImportFile, options: &ImportOptions) -> bool {
    holds(file, options) == Some(ImportTableKind::OneSystem)
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
        // Scores of a metric are no human judgments, unless the user calls them so.
        () if has(&["metric", "score"]) && called(options, "criterion") == "criterion" => None,
        () if pair && file.has(&[outcome(file, options)]) => Some(ImportTableKind::Comparisons),
        () if pair && has(&["p"]) => Some(ImportTableKind::Predictions),
        () if has(&["item", "system", "criterion", "score"]) => Some(ImportTableKind::Judgments),
        () if has(&["item", "system"]) => Some(ImportTableKind::Outputs),
        () if has(&["item", "output"]) => Some(ImportTableKind::OneSystem),
        () if has(&["item", "score"]) && options.lone_is_one_system => {
            Some(ImportTableKind::OneSystem)
        }
        () if has(&["item", "source"]) || has(&["item", "references"]) => {
            Some(ImportTableKind::Items)
        }
        () if has(&["item"]) && (options.inputs_suffice || has_numbered_references(file)) => {
            Some(ImportTableKind::Items)
        }
        () => None,
    }
}

fn has_numbered_references(file: &ImportFile) -> bool {
    let mut columns = file.look().first.keys();
    columns.any(|name| reference_number(name).is_some())
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let options = builder.options;
    let found = &distinct(found, options)?[..];
    check_columns(found, options)?;
    refuse_twice(found, options)?;
    let of = |wanted: ImportTableKind| {
        found
            .iter()
            .copied()
            .filter(move |file| holds(file, options) == Some(wanted))
    };
    for file in of(ImportTableKind::Items) {
        file.records(&[], &mut |record| {
            let more = further(&record, &columns_of(ImportTableKind::Items), options);
            if !item(&record, Some(&more), builder)?.1 {
                builder.drop(ANOTHER_SOURCE);
            }
            Ok(())
        })?;
    }
    for file in of(ImportTableKind::Outputs) {
        // Of several files, one with neither outputs nor ratings may be about systems.
        if !outputs(file, None, builder)? && found.len() == 1 {
            return Err(without_outputs(file));
        }
    }
    let with_criteria = [ImportTableKind::Outputs, ImportTableKind::OneSystem].map(Some);
    for file in found {
        if !with_criteria.contains(&holds(file, options)) {
            note_further(file, &[], builder);
        }
    }
    let alone = found
        .iter()
        .all(|file| holds(file, options) == Some(ImportTableKind::Items));
    if let (true, Some(file)) = (alone && !options.inputs_suffice, found.first()) {
        let what = "holds inputs and nothing that a system wrote";
        return Err(Error::input(&file.path, what).with_hint(message!(
            "a row of outputs has `item`, `system` and `output`; a table with a column for each system is read by {}",
            wide_command(&file.path)
        )));
    }
    let of_one: Vec<&ImportFile> = of(ImportTableKind::OneSystem).collect();
    if let [alone] = of_one[..]
        && !options.lone_is_one_system
    {
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
        let has_output = file.has(&[called(options, "output")]);
        file.records(&[], &mut |record| judgment(&record, has_output, builder))?;
    }
    let read = columns_of(ImportTableKind::Predictions);
    for file in of(ImportTableKind::Predictions) {
        file.records(&[], &mut |record| {
            let mut more = further(&record, &read, options);
            for name in UNCERTAINTY {
                let number = record.get(called(options, name)).number()?;
                more.extend(number.map(|number| (name.to_string(), number.into())));
            }
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
                more: Some(&more),
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

/// Refuses two files of a folder that hold one table in two forms, such as `votes.csv` and `votes.csv.gz`: their rows would
/// count twice.
fn refuse_twice(found: &[&ImportFile], options: &ImportOptions) -> Result<()> {
    let mut first: BTreeMap<(&Path, &str), &ImportFile> = BTreeMap::new();
    for file in found {
        let folder = file.path.parent().unwrap_or(Path::new(""));
        let other = *first.entry((folder, file.stem())).or_insert(file);
        if other.path != file.path && holds(other, options) == holds(file, options) {
            return Err(is_twice(folder, file.stem(), [&other.path, &file.path]));
        }
    }
    Ok(())
}

/// Checks that every mapped column is there.
pub(super) fn check_columns(found: &[&ImportFile], options: &ImportOptions) -> Result<()> {
    let missing = options
        .columns
        .iter()
        .find(|(_, in_file)| !found.iter().any(|file| file.has(&[in_file.as_str()])));
    missing.map_or(Ok(()), |(name, in_file)| {
        let columns = found.iter().flat_map(|file| file.look().first.keys());
        let columns = columns.map(String::as_str);
        Err(unknown_column(&found[0].path, (name, in_file), columns))
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

/// The error for a table of outputs that has neither these nor ratings.
fn without_outputs(file: &ImportFile) -> Error {
    let columns: Vec<&str> = file.look().first.keys().map(String::as_str).collect();
    let what = format!(
        "no column `output`, and no ratings; columns are {}",
        columns.join(", ")
    );
    Error::input(&file.path, what).with_hint(message!("map it with {}", renamed("output", "NAME")))
}

/// Returns the columns that a table of a kind is read by.
fn columns_of(kind: ImportTableKind) -> Vec<&'static str> {
    let (kind, more): (_, &[&str]) = match kind {
        ImportTableKind::Items => (Kind::Items, &["reference"]),
        ImportTableKind::Outputs | ImportTableKind::OneSystem => {
            (Kind::Outputs, &["reference", EPOCH])
        }
        ImportTableKind::Comparisons => (Kind::Comparisons, &[LABEL]),
        ImportTableKind::Judgments => (Kind::Judgments, &[EPOCH]),
        ImportTableKind::Predictions => {
            let others = ["item", "system_a", "system_b", "p", "judge", "position"];
            return [&others[..], &UNCERTAINTY].concat();
        }
    };
    [kind.documented(), more].concat()
}

/// Returns the fields of a row that are not read, which are kept under their names, unless these are names of columns.
fn further(record: &ImportRecord, columns: &[&str], options: &ImportOptions) -> ExtraFields {
    record.further_fields(|name| {
        let mut columns = columns.iter();
        columns.any(|own| *own == name || called(options, own) == name)
            || reference_number(name).is_some()
    })
}

/// Says which further columns a table has, and which of them no table can hold.
fn note_further(file: &ImportFile, criteria: &[String], builder: &mut DatasetBuilder<'_>) {
    let options = builder.options;
    let Some(kind) = holds(file, options) else {
        return;
    };
    let mut columns = columns_of(kind);
    if kind == ImportTableKind::Comparisons {
        columns.push(outcome(file, options));
    }
    if kind == ImportTableKind::Judgments && file.has(&[called(options, "output")]) {
        columns.extend(columns_of(ImportTableKind::Outputs));
    }
    columns.extend(rated_columns(criteria));
    let is_read = |name: &str| {
        columns.iter().any(|own| called(options, own) == name) || reference_number(name).is_some()
    };
    let further = file.look().first.iter();
    let further = further.filter(|(name, _)| !is_read(name) && !is_row_index(name));
    let (kept, unread): (Vec<_>, Vec<_>) = further.partition(|(_, value)| is_simple(value));
    // The first may be the index of a data frame.
    let names = file.look().names.iter().skip(1);
    let nameless = names.filter(|name| name.is_empty()).count();
    if nameless > 0 {
        let (path, count) = (file.path.display(), counted(nameless as u64, "column"));
        builder.note(format!("{path}: {count} without a name, not read"));
    }
    for (what, columns) in [
        ("further columns, which are kept", kept),
        ("lists and objects, which are not read", unread),
    ] {
        let names: Vec<String> = columns.iter().map(|(name, _)| in_line(name)).collect();
        if !names.is_empty() {
            let (path, names) = (file.path.display(), names.join(", "));
            builder.note(format!("{path}: {what}: {names}"));
        }
    }
}

/// Returns the columns that a row of outputs is read by where it has ratings under these criteria.
fn rated_columns(criteria: &[String]) -> Vec<&str> {
    let about_ratings = match criteria.is_empty() {
        true => &[][..],
        false => Kind::Judgments.documented(),
    };
    let criteria = criteria.iter().map(String::as_str);
    about_ratings.iter().copied().chain(criteria).collect()
}

/// Adds the item of a row; false where the name belongs to a different item already.
fn item(
    record: &ImportRecord,
    more: Option<&ExtraFields>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<(String, bool)> {
    let options = builder.options;
    let get = |column| record.get(called(options, column));
    let item = get("item").name()?;
    let source = get("source").text()?;
    let references = references(record, builder)?;
    if source.is_none() && references.is_empty() && !options.inputs_suffice {
        return Ok((item, true));
    }
    let same = builder.item_with(&item, source.as_deref(), &references, more)?;
    Ok((item, same))
}

/// Reads the references of a row: a list, or else one and those of numbered columns.
fn references(record: &ImportRecord, builder: &mut DatasetBuilder<'_>) -> Result<Vec<String>> {
    let list = record.get(called(builder.options, "references"));
    let mut given = vec![(0, list)];
    if list.is_null() {
        given[0].1 = record.get("reference");
        let fields = record.node().fields();
        given.extend(fields.filter_map(|(name, value)| Some((reference_number(name)?, value))));
        given.sort_by_key(|(number, _)| *number);
    }
    let mut texts = Vec::new();
    for (_, given) in given {
        texts.extend(match given.value().as_str().and_then(spelled_list) {
            Some(list) => builder.given_references(list),
            None => builder.references(given)?,
        });
        texts.retain(|text| !text.is_empty() || given.is_list());
    }
    Ok(texts)
}

/// Reads outputs and ratings, of the rows' own systems or all of one; returns whether the file has a column of some.
fn outputs(
    file: &ImportFile,
    own_system: Option<&str>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<bool> {
    let options = builder.options;
    let has_output = file.has(&[called(options, "output")]);
    let mut criteria = criteria(file, has_output, builder)?;
    let has_some = has_output || !criteria.is_empty();
    note_further(file, &criteria, builder);
    criteria.retain(|criterion| builder.meet_criterion(criterion));
    let columns = match (has_output, own_system) {
        (true, None) => "item, system, output".to_string(),
        (true, Some(system)) => format!("item, output; system: {system}"),
        (false, None) => "item, system".to_string(),
        (false, Some(system)) => format!("item; system: {system}"),
    };
    builder.taken(match criteria.is_empty() {
        true => format!("{}: {columns}", file.path.display()),
        false => format!(
            "{}: {columns}; ratings: {}",
            file.path.display(),
            criteria.join(", ")
        ),
    });
    let mut read = columns_of(ImportTableKind::Outputs);
    read.extend(rated_columns(&criteria));
    file.records(&[], &mut |record| {
        let get = |column| record.get(called(options, column));
        let (item, same) = item(&record, None, builder)?;
        let more = further(&record, &read, options);
        let system = match own_system {
            Some(system) => system.to_string(),
            None => get("system").name()?,
        };
        let repeat = repeat(&record, options)?;
        if !same {
            builder.refuse(&item, &system, ANOTHER_SOURCE);
            return Ok(());
        }
        if has_output {
            let text = get("output").text()?;
            let is_further = repeat.is_some() && builder.has_output(&item, &system);
            let kept = match criteria.is_empty() && !is_further {
                true => {
                    let (text, at) = (text.as_deref(), record.node());
                    builder.output_once(&item, &system, text, at, Some(&more))?
                }
                // What else the row says is kept with its ratings.
                false => rated_output(&record, &item, &system, builder)?,
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
            let Some(score) = record.get(criterion).rating(&mut builder.decimals)? else {
                builder.no_score(&system, criterion, EMPTY_RATING);
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
                more: Some(&more),
                at: Some(&record.at),
            })?;
        }
        Ok(())
    })?;
    Ok(has_some)
}

/// Returns the repeat of a row, which is often called its epoch.
fn repeat(record: &ImportRecord, options: &ImportOptions) -> Result<Option<String>> {
    record.first(&[called(options, "repeat"), EPOCH]).filled()
}

/// Reads an output next to its ratings, which occurs once for every annotator; whether these count.
fn rated_output(
    record: &ImportRecord,
    item: &str,
    system: &str,
    builder: &mut DatasetBuilder<'_>,
) -> Result<bool> {
    let options = builder.options;
    let get = |column| record.get(called(options, column));
    if repeat(record, options)?.is_some() && builder.has_output(item, system) {
        builder.drop(FURTHER_OUTPUT);
        return Ok(true);
    }
    let text = get("output").text()?;
    builder.output(item, system, text.as_deref(), record.node())
}

/// Reads a judgment, and the output that it is about where the row has it.
fn judgment(
    record: &ImportRecord,
    has_output: bool,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let options = builder.options;
    let get = |column| record.get(called(options, column));
    let mut read = columns_of(ImportTableKind::Judgments);
    if has_output {
        read.extend(columns_of(ImportTableKind::Outputs));
        let ((item, same), system) = (item(record, None, builder)?, get("system").name()?);
        if !same {
            builder.refuse(&item, &system, ANOTHER_SOURCE);
            return Ok(());
        }
        if !rated_output(record, &item, &system, builder)? {
            return Ok(());
        }
    }
    let (system, criterion) = (get("system").name()?, get("criterion").name()?);
    let Some(score) = get("score").rating(&mut builder.decimals)? else {
        builder.no_score(&system, &criterion, EMPTY_RATING);
        return Ok(());
    };
    builder.judgment(&JudgmentRow {
        item: &get("item").name()?,
        system: &system,
        criterion: &criterion,
        score,
        annotator: get("annotator").filled()?.as_deref(),
        part: get("part").filled()?.as_deref(),
        repeat: repeat(record, options)?.as_deref(),
        post_edit: get("post_edit").text()?.as_deref(),
        seconds: get("seconds").amount()?,
        more: Some(&further(record, &read, options)),
        at: Some(&record.at),
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
    let mut read = columns_of(ImportTableKind::Comparisons);
    // It may be any value, and is written with the further columns.
    read.retain(|name| *name != RANKING);
    read.push(column);
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
        let mut more = further(&record, &read, options);
        let ranking = more.remove(called(options, RANKING));
        more.extend(ranking.map(|ranking| (RANKING.to_string(), ranking)));
        builder.comparison(&compared, &more)
    })
}
