//! Results of promptfoo: `-o results.json` (nested or not) and `-o results.jsonl`.
//!
//! Rows come in order of completion, and a repeat has a number of its own, so a test is identified by its variables:
//! an item is the first test with the same ones, and the others of a system are its repeats. Where files of several evals
//! have other tests of one number, that of the later file has the file's name before it. `promptIdx` numbers
//! providers times prompts, not prompts. Old rows have no number: their tests are counted as they come.

use super::frame::{
    DatasetBuilder, FAILED_CALL, FURTHER_OUTPUT, ImportFile, ImportFiles, ImportFormat,
    ImportRecord, RecordLayout, RecordValue, Repeats, by_file, digest, plain,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::{Error, Result};

/// The format of promptfoo's results.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "promptfoo",
    summary: "promptfoo results",
    picks: &[],
    matching_files,
    read,
};

fn is_sheet(file: &ImportFile) -> bool {
    let names = &file.look().names;
    ["Status", "Score", "Named Scores"]
        .iter()
        .all(|wanted| names.iter().any(|name| name == wanted))
}

fn matching_files(files: &ImportFiles) -> Vec<&ImportFile> {
    let results = files.that(|file| {
        let nested = || {
            file.look()
                .first
                .get("results")
                .is_some_and(|results| results.get("version").is_some())
        };
        let row = file.has(&["promptIdx", "provider", "vars"]);
        row || (file.has(&["evalId", "results"]))
            || (file.has(&["results"]) && nested())
            || flat(file)
    });
    match results.is_empty() {
        true => files.that(is_sheet),
        false => results,
    }
}

/// Whether the rows lie in `results` at the top.
fn flat(file: &ImportFile) -> bool {
    let results = file.look().first.get("results");
    let row = results.and_then(|results| results.get(0));
    row.is_some_and(|row| row.get("promptIdx").is_some() || row.get("provider").is_some())
}

/// Returns the path of the rows in a file.
fn inside(file: &ImportFile) -> &'static [&'static str] {
    match file.look().kind {
        Some(RecordLayout::Object) if flat(file) => &["results"],
        Some(RecordLayout::Object) => &["results", "results"],
        _ => &[],
    }
}

/// The index of all rows that is needed before one can be read.
#[derive(Default)]
struct PromptfooTestIndex {
    prompts: BTreeSet<String>,
    /// The first test with the same variables: the place of its file, and its number there.
    tests: BTreeMap<u64, (usize, u64)>,
    /// The variables of the tests, in the order in which they are met.
    order: Vec<u64>,
    /// The tests of each system with the same variables whose calls did not fail.
    repeats: BTreeMap<TestOfSystem, BTreeSet<u64>>,
}

/// The variables of a test, the provider, and the prompt's label.
type TestOfSystem = (u64, String, String);

fn read(
    found: &[&ImportFile],
    files: &ImportFiles,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    if let Some(sheet) = found.iter().find(|file| is_sheet(file)) {
        return Err(Error::input(
            &sheet.path,
            "a table of promptfoo for people, whose columns repeat",
        )
        .with_hint("have promptfoo write its results: promptfoo eval -o results.json"));
    }
    for sheet in files.that(is_sheet) {
        sheet.leave_out("a table for people, the results as well");
    }
    let mut known = PromptfooTestIndex::default();
    let mut numbers = PromptfooTestNumbers::default();
    for (at, file) in found.iter().enumerate() {
        file.records(inside(file), &mut |row| known.meet(&row, at, &mut numbers))?;
    }
    let items = known.items(found, builder);
    builder.taken(match known.prompts.len() {
        0 | 1 => "system: the provider; item: the test; source: the prompt; criteria: score and named scores",
        _ => "system: the provider and the prompt's label; item: the test; source: its variable; criteria: score and named scores",
    });
    let mut numbers = PromptfooTestNumbers::default();
    for file in found {
        file.records(inside(file), &mut |row| {
            known.row(&row, &items, &mut numbers, builder)
        })?;
    }
    Ok(())
}

/// Hashes the variables in a fixed order, whatever order they were written in.
fn variables(row: &ImportRecord) -> u64 {
    let sorted: BTreeMap<&str, String> = row
        .get("vars")
        .fields()
        .map(|(name, value)| (name, value.value().to_string()))
        .collect();
    digest(&sorted)
}

fn provider(row: &ImportRecord) -> Result<String> {
    let provider = row.get("provider");
    match provider.value() {
        Value::Object(_) => match provider.get("label").filled()? {
            Some(label) => Ok(label),
            None => provider.get("id").name(),
        },
        _ => provider.name(),
    }
}

fn prompt_label(row: &ImportRecord) -> Result<String> {
    let prompt = row.get("prompt");
    Ok(prompt
        .first(&["label", "raw"])
        .filled()?
        .unwrap_or_default())
}

fn test_of_system(row: &ImportRecord) -> Result<TestOfSystem> {
    Ok((variables(row), provider(row)?, prompt_label(row)?))
}

/// The numbers of the tests, in one pass over the rows.
#[derive(Default)]
struct PromptfooTestNumbers {
    /// The tests without a number, by their variables.
    tests: BTreeMap<u64, u64>,
    /// The rows without a number of each system.
    rows: BTreeMap<TestOfSystem, u64>,
    /// The first result of each test by its number, as a digest.
    results: BTreeMap<(TestOfSystem, u64), u64>,
}

impl PromptfooTestNumbers {
    /// Returns the number of a row's test; a further row of a system gets a number of its own, as a repeat has.
    fn number(&mut self, row: &ImportRecord, key: &TestOfSystem) -> Result<u64> {
        let given = row.first(&["testIdx", "testCaseIdx"]);
        if !given.is_null() {
            let number = given.value().as_u64();
            return number.ok_or_else(|| given.wrong("a whole number"));
        }
        let next = self.tests.len() as u64;
        let test = *self.tests.entry(key.0).or_insert(next);
        let met = self.rows.entry(key.clone()).or_default();
        *met += 1;
        Ok(test + ((*met - 1) << 32))
    }
}

/// Hashes what a row says of its test.
fn result(row: &ImportRecord) -> u64 {
    let output = row.get("response").get("output");
    let said = [output, row.get("score"), row.get("namedScores")];
    digest(&said.map(|part| part.value().to_string()))
}

/// Whether the call of a row failed.
fn has_failed(row: &ImportRecord) -> bool {
    let response = row.get("response");
    // The codes: 2 is an error of the provider; 1 a failed assertion.
    let failed = row.get("failureReason").value().as_u64() == Some(2);
    failed || response.is_null() || !response.get("error").is_null()
}

impl PromptfooTestIndex {
    /// Names a system: the provider, with the prompt's label where there are several.
    fn system(&self, (_, provider, label): &TestOfSystem) -> String {
        match self.prompts.len() > 1 {
            true => format!("{provider} / {label}"),
            false => provider.clone(),
        }
    }

    fn meet(
        &mut self,
        row: &ImportRecord,
        file: usize,
        numbers: &mut PromptfooTestNumbers,
    ) -> Result<()> {
        let key = test_of_system(row)?;
        let number = numbers.number(row, &key)?;
        let first = self.tests.entry(key.0).or_insert_with(|| {
            self.order.push(key.0);
            (file, number)
        });
        *first = (file, number).min(*first);
        self.prompts.insert(key.2.clone());
        let repeats = self.repeats.entry(key).or_default();
        if !has_failed(row) {
            repeats.insert(number);
        }
        Ok(())
    }

    /// Names the items by their variables, with a note where a number is not enough.
    fn items(
        &self,
        found: &[&ImportFile],
        builder: &mut DatasetBuilder<'_>,
    ) -> BTreeMap<u64, String> {
        let name_of = by_file(found);
        let (mut owners, mut items) = (BTreeMap::new(), BTreeMap::new());
        for variables in &self.order {
            let (file, number) = self.tests[variables];
            let is_other = *owners.entry(number).or_insert(file) != file;
            let name = match is_other {
                true => {
                    let file = name_of(found[file]);
                    builder.note(format!(
                        "items of {file} with the number of another test have its name: {file}/NUMBER"
                    ));
                    format!("{file}/{number}")
                }
                false => number.to_string(),
            };
            items.insert(*variables, name);
        }
        items
    }

    fn row(
        &self,
        row: &ImportRecord,
        items: &BTreeMap<u64, String>,
        numbers: &mut PromptfooTestNumbers,
        builder: &mut DatasetBuilder<'_>,
    ) -> Result<()> {
        let key = test_of_system(row)?;
        let number = numbers.number(row, &key)?;
        if has_failed(row) {
            builder.failed(&self.system(&key), FAILED_CALL);
            return Ok(());
        }
        let result = result(row);
        if let Some(first) = numbers.results.get(&(key.clone(), number)) {
            builder.drop(match *first == result {
                true => "the same result again",
                false => "a further run of a test, whose first result counts",
            });
            return Ok(());
        }
        numbers.results.insert((key.clone(), number), result);
        let repeats = &self.repeats[&key];
        let place = repeats.iter().position(|one| *one == number);
        let is_first = place == Some(0);
        if !is_first && builder.options.repeats == Repeats::First {
            builder.drop("a further repeat of a test");
            return Ok(());
        }
        let (item, system) = (&*items[&key.0], self.system(&key));
        let source = source(row, self.prompts.len() > 1)?;
        if !builder.item(item, source.as_deref(), &[])? {
            builder.refuse(item, &system, "another prompt of the same test");
            return Ok(());
        }
        let output = match row.get("response").get("output") {
            object if object.value().is_object() || object.is_list() => {
                Some(object.value().to_string())
            }
            simple => simple.text()?,
        };
        if !is_first {
            builder.drop(FURTHER_OUTPUT);
        } else if !builder.output(item, &system, output.as_deref(), row.node())? {
            return Ok(());
        }
        let repeat = place.filter(|_| repeats.len() > 1);
        let repeat = repeat.map(|place| (place + 1).to_string());
        let scores = [("score", row.get("score"))]
            .into_iter()
            .chain(row.get("namedScores").fields());
        for (criterion, score) in scores {
            let about = (item, &*system);
            builder.measured(about, repeat.as_deref(), criterion, score.number()?)?;
        }
        Ok(())
    }
}

/// Returns the question: the prompt, but where there are several the variables, which are the same for all.
fn source(row: &ImportRecord, several: bool) -> Result<Option<String>> {
    if !several {
        return row.get("prompt").get("raw").text();
    }
    let variables: Vec<RecordValue<'_>> =
        row.get("vars").fields().map(|(_, value)| value).collect();
    match variables[..] {
        [one] => Ok(plain(one.value()).or_else(|| Some(one.value().to_string()))),
        _ => Ok(Some(row.get("vars").value().to_string())),
    }
}
