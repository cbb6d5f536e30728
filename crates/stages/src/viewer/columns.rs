//! What is known of each output, a number a column, in memory: lengths, people's judgments, scores, verdicts; and who
//! answered what. Texts stay on disk.

use super::texts::{ItemNotes, Note, Notes, WordFile, note};
use crate::engine::context::Context;
use crate::inputs::judging::is_less_better;
use crate::inputs::source::table::metadata;
use crate::inputs::source::{CHUNK, PredictionTable, Scores, Source};
use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tiebreak_base::duel::{Arm, Prediction};
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_base::stats::correlation::mean_ranks;
use tiebreak_base::stats::moments::Moments;
use tiebreak_data::records::index::Group;
use tiebreak_data::records::{Kind, LABEL};
use tiebreak_data::tables::meta::signature_of;

/// The number of what has no name.
pub(super) const NONE: u32 = u32::MAX;

/// The most different labels of items that can be chosen; of more there is no choice.
const MOST_LABELS: usize = 100;

/// The beginning of the key of links for a column of items.
pub(super) const SLICE: &str = "slice:";

/// One number an output. Values are missing (NaN) where nothing was measured.
#[derive(Default)]
pub(super) struct OutputMeasure {
    pub name: String,
    /// What made it, where that is known.
    pub signature: Option<String>,
    /// Scores; of people the mean of the judgments under a criterion, or the share of comparisons that were won, ties
    /// counting half; of a judge the mean of its preferences for the output.
    pub values: Vec<f64>,
    /// The share of all measured outputs that are worse, equal ones counting half, from 0 to 1.
    pub ranks: Vec<f32>,
    /// Of people the standard deviation (divided by one less than the number) of judgments of the same output, or of
    /// outcomes of the same two outputs; missing below two, and none after the last.
    pub spreads: Vec<f32>,
}

/// Labels of all items, such as a language, or of all answers.
#[derive(Default)]
pub(super) struct LabelColumn {
    pub names: IndexSet<String>,
    /// The number of each label, or [`NONE`]; none after the last.
    pub of: Vec<u32>,
}

/// All outputs, item by item in the order of the index, and within an item by system. A system that was judged without
/// an output counts as one.
pub(super) struct OutputColumns {
    /// The first output of each item, and after the last.
    starts: Vec<u32>,
    pub systems: Vec<u16>,
    /// Characters of each output.
    pub lengths: Vec<u32>,
    /// The first answer about each output, and after the last. A comparison is an answer about two.
    answers: Vec<u32>,
    /// Annotators and labels of answers, then labels of items, by the key of links.
    pub labels: IndexMap<String, LabelColumn>,
    /// Those of people, then those of a judge and of metrics.
    pub measures: Vec<OutputMeasure>,
    /// The number of people's measures.
    pub people: usize,
    pub words: WordFile,
}

/// A number that an output was given: its measure; another output, a part and a repeat, to know what is about the same;
/// and the number.
type GivenNumber<'a> = (usize, (u16, Option<&'a str>, Option<&'a str>), f64);

/// A judge's preference for the first of two systems.
type PairVerdict = (Arm, Arm, Prediction);

fn texts(note: &[Note]) -> impl Iterator<Item = &str> {
    note.iter().map(|one| one.1.as_str())
}

impl OutputMeasure {
    /// Ranks the values once all are there.
    fn rank(&mut self) {
        let sign = if is_less_better(&self.name) {
            -1.0
        } else {
            1.0
        };
        let values = self.values.iter().map(|value| sign * value).enumerate();
        let there = values.filter(|one| !one.1.is_nan());
        let (places, there): (Vec<usize>, Vec<f64>) = there.unzip();
        self.ranks = vec![f32::NAN; self.values.len()];
        for (place, rank) in places.into_iter().zip(mean_ranks(&there)) {
            self.ranks[place] = ((rank - 0.5) / there.len() as f64) as f32;
        }
    }
}

impl LabelColumn {
    fn push(&mut self, name: Option<&str>) {
        let number = name.map(|name| {
            let known = self.names.get_index_of(name);
            known.unwrap_or_else(|| self.names.insert_full(name.to_string()).0) as u32
        });
        self.of.push(number.unwrap_or(NONE));
    }
}

impl OutputColumns {
    /// Reads a data set, with tables of scores and of predictions beside it.
    pub(super) fn read(
        context: &Context<'_>,
        source: &Source,
        scores: &[PathBuf],
        predictions: Option<&PredictionTable>,
        notes: &Notes,
    ) -> Result<Self> {
        let index = &source.index;
        let compared = (index.rows(Kind::Comparisons) > 0).then_some("preference");
        let people = index.criteria().iter().map(String::as_str).chain(compared);
        let labels = ["annotator", LABEL].map(|key| (key.to_string(), LabelColumn::default()));
        let mut columns = Self {
            starts: vec![0],
            systems: Vec::new(),
            lengths: Vec::new(),
            answers: vec![0],
            labels: labels.into(),
            people: 0,
            measures: Vec::new(),
            words: WordFile::new()?,
        };
        people.for_each(|name| columns.add_measure(name, "comparisons", None));
        columns.people = columns.measures.len();
        if let Some(table) = predictions {
            let signature = table.is_signed.then(|| table.signature.clone());
            columns.add_measure(&table.judge()?, "predictions", signature);
        }
        context.progress.begin("reading items", index.items());
        source.each_chunk(context, |groups| {
            let first = groups.first().map_or(0, |group| group.position);
            let range = first..first + groups.len() as u64;
            let verdicts = predictions.map(|table| table.of_items(range.clone()));
            let verdicts = verdicts.unwrap_or_else(|| Ok(vec![Vec::new(); groups.len()]))?;
            let notes = notes.of_items(range)?;
            for ((group, notes), verdicts) in groups.iter().zip(&notes).zip(&verdicts) {
                columns.add(group, notes, verdicts)?;
            }
            context.progress.advance(groups.len() as u64);
            Ok(())
        })?;
        context.progress.end();
        columns.words.flush()?;
        let divides = |one: &LabelColumn| (2..=MOST_LABELS).contains(&one.names.len());
        let labels = &mut columns.labels;
        labels.retain(|key, one| !key.starts_with(SLICE) || divides(one));
        for path in scores {
            columns.add_scores(context, source, path)?;
        }
        // One after the other, since each takes memory.
        let measures = columns.measures.iter_mut();
        measures.for_each(OutputMeasure::rank);
        Ok(columns)
    }

    /// Adds the next item: its texts and labels, its outputs, and what was said of them.
    fn add(&mut self, group: &Group, notes: &ItemNotes, verdicts: &[PairVerdict]) -> Result<()> {
        let written = group.outputs.iter().map(|one| one.system);
        let judged = group.judgments.iter().map(|one| one.system);
        let compared = group.comparisons.iter().flat_map(|one| [one.a, one.b]);
        let predicted = verdicts.iter().flat_map(|one| [one.0, one.1]);
        let systems = written.chain(judged).chain(compared).chain(predicted);
        let systems: BTreeSet<Arm> = systems.collect();
        let mut words = vec![group.item.as_str()];
        let given = group.source.iter().chain(&group.references);
        words.extend(given.map(String::as_str));
        words.extend(texts(note(notes, Kind::Items, 0)));
        self.words.add(&words)?;
        // Labels of its own row, else of the first output that has any.
        let outputs = systems.iter().map(|one| (Kind::Outputs, one.0.into()));
        let rows = [(Kind::Items, 0)].into_iter().chain(outputs);
        let mut rows = rows.map(|(kind, place)| note(notes, kind, place));
        for (column, label) in rows.find(|note| !note.is_empty()).unwrap_or_default() {
            let labels = self.labels.entry(format!("{SLICE}{column}")).or_default();
            if labels.names.len() <= MOST_LABELS {
                labels.of.resize(group.position as usize, NONE);
                labels.push(Some(label));
            }
        }
        for system in systems {
            let text = group.output(system).unwrap_or_default();
            words = vec![text];
            words.extend(texts(note(notes, Kind::Outputs, system.0.into())));
            let mut numbers: Vec<GivenNumber<'_>> = Vec::new();
            for one in group.judgments.iter().filter(|one| one.system == system) {
                let about = (0, one.part.as_deref(), one.repeat.as_deref());
                numbers.push((one.criterion, about, one.score));
                let note = note(notes, Kind::Judgments, one.place);
                words.extend(texts(note));
                self.add_answer(one.annotator.as_deref(), note, None);
            }
            let fared = |a: Arm, b: Arm, p: f64| match (system == a, system == b) {
                (true, _) => Some(((b.0, None, None), p)),
                (_, true) => Some(((a.0, None, None), 1.0 - p)),
                _ => None,
            };
            for one in &group.comparisons {
                if let Some((about, p)) = fared(one.a, one.b, one.outcome.value()) {
                    numbers.push((self.people - 1, about, p));
                    let note = note(notes, Kind::Comparisons, one.place);
                    words.extend(texts(note));
                    let won = ["worse", "tie", "better"][(2.0 * p) as usize];
                    self.add_answer(one.annotator.as_deref(), note, Some(won));
                }
            }
            let judged = verdicts
                .iter()
                .filter_map(|one| fared(one.0, one.1, one.2.p));
            numbers.extend(judged.map(|(about, p)| (self.people, about, p)));
            self.add_numbers(numbers);
            self.words.add(&words)?;
            self.lengths.push(text.chars().count() as u32);
            self.systems.push(system.0);
            self.answers.push(self.labels[0].of.len() as u32);
        }
        self.starts.push(self.systems.len() as u32);
        Ok(())
    }

    /// Adds who answered, with which label; without one of its own an answer has that of its outcome.
    fn add_answer(&mut self, annotator: Option<&str>, note: &[Note], outcome: Option<&str>) {
        let own = note.iter().find(|(column, _)| column == LABEL);
        let label = own.map(|one| one.1.as_str()).or(outcome);
        for (labels, name) in self.labels.values_mut().zip([annotator, label]) {
            labels.push(name);
        }
    }

    /// Adds the means and spreads of the numbers that the next output was given.
    fn add_numbers(&mut self, mut numbers: Vec<GivenNumber<'_>>) {
        for measure in &mut self.measures {
            measure.values.push(f64::NAN);
        }
        numbers.sort_by_key(|one| (one.0, one.1));
        let moments = |given: &[GivenNumber<'_>]| given.iter().map(|one| one.2).collect();
        for own in numbers.chunk_by(|one, other| one.0 == other.0) {
            let measure = &mut self.measures[own[0].0];
            let output = measure.values.len() - 1;
            let all: Moments = moments(own);
            measure.values[output] = all.mean().unwrap_or(f64::NAN);
            let same = own.chunk_by(|one, other| one.1 == other.1).map(moments);
            let same = same.filter(|same| same.count() > 1);
            let (count, sum) = same.fold((0.0, 0.0), |(count, sum), same| {
                let n = same.count() as f64 - 1.0;
                (
                    count + n,
                    same.sample_variance().map_or(sum, |one| sum + n * one),
                )
            });
            if count > 0.0 {
                measure.spreads.resize(output, f32::NAN);
                measure.spreads.push((sum / count).sqrt() as f32);
            }
        }
    }

    /// Adds a measure without values; where the name is taken, its source stands behind it.
    fn add_measure(&mut self, name: &str, source: &str, signature: Option<String>) {
        let is_taken = self.measures.iter().any(|one| one.name == name);
        let source = is_taken.then(|| format!(",{source}"));
        self.measures.push(OutputMeasure {
            name: name.to_string() + &source.unwrap_or_default(),
            signature,
            values: vec![f64::NAN; self.systems.len()],
            ..OutputMeasure::default()
        });
    }

    /// Adds the scores of every metric in a table.
    fn add_scores(&mut self, context: &Context<'_>, source: &Source, path: &Path) -> Result<()> {
        let (first, mut names) = (self.measures.len(), IndexSet::new());
        let rows = Scores::rows(context, source, path)?;
        let rows = Scores::aligned(source, path, rows, |metric, rows| {
            let (number, is_new) = names.insert_full(metric.to_string());
            if is_new {
                // Metadata of the part that holds the metric.
                let mut fields = metadata(path, rows)?;
                let own = fields.remove(&signature_of(metric));
                let signature = own.or_else(|| fields.remove("signature"));
                self.add_measure(metric, &path.display().to_string(), signature);
            }
            Ok(Some(first + number))
        })?;
        for start in (0..source.index.items()).step_by(CHUNK as usize) {
            context.check()?;
            for (item, rows) in (start as u32..).zip(rows.groups(start..start + CHUNK)?) {
                for row in rows {
                    let Some(output) = self.output(item, row.systems[0].0) else {
                        continue;
                    };
                    let measure = &mut self.measures[row.numbers[0] as usize];
                    if !measure.values[output].is_nan() {
                        let (name, system) = (&measure.name, source.system(row.systems[0]));
                        let what = format!("a second {name} score of an output of `{system}`");
                        return Err(Error::record(Location::line(path, row.line), what));
                    }
                    measure.values[output] = row.numbers[1];
                }
            }
        }
        Ok(())
    }

    /// The outputs of an item.
    pub(super) fn outputs_of(&self, item: u32) -> Range<usize> {
        self.starts[item as usize] as usize..self.starts[item as usize + 1] as usize
    }

    /// Whether an item or an answer has these labels.
    pub(super) fn has(&self, labels: &[(usize, u32)], at: usize) -> bool {
        let mut labels = labels.iter();
        labels.all(|&(column, label)| self.labels[column].of.get(at) == Some(&label))
    }

    /// The answers about an output.
    pub(super) fn answers_about(&self, output: usize) -> Range<usize> {
        self.answers[output] as usize..self.answers[output + 1] as usize
    }

    /// The output of a system for an item.
    pub(super) fn output(&self, item: u32, system: u16) -> Option<usize> {
        let range = self.outputs_of(item);
        let at = self.systems[range.clone()].binary_search(&system).ok()?;
        Some(range.start + at)
    }
}
