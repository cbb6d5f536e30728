//! What is known of each output, a number a column, in memory: lengths, people's judgments, scores, verdicts. Texts stay
//! on disk.

use super::notes::{ItemNotes, Notes, subject};
use super::words::WordFile;
use crate::engine::context::Context;
use crate::inputs::source::table::metadata;
use crate::inputs::source::{PredictionTable, Scores, Source};
use indexmap::{IndexMap, IndexSet};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tiebreak_base::duel::{Arm, Prediction};
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_data::records::index::{Extra, Group, ItemAlignedRows};
use tiebreak_data::records::{Kind, LABEL};
use tiebreak_data::tables::meta::signature_of;
use tiebreak_metrics::metrics::{Direction, direction};

/// The name of people's comparisons among the measures.
const PREFERENCE: &str = "preference";

/// The number of what has no name.
pub(super) const NONE: u32 = u32::MAX;

/// The most different labels that can be chosen; of more there is no choice.
const MOST_LABELS: usize = 100;

/// Items that are read at a time.
const CHUNK: u64 = 4096;

/// Who measures outputs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum MeasureKind {
    #[default]
    People,
    Metric,
    Judge,
}

/// One number an output. Values are missing (NaN) where nothing was measured.
#[derive(Default)]
pub(super) struct OutputMeasure {
    pub name: String,
    pub kind: MeasureKind,
    /// What made it, where that is known.
    pub signature: Option<String>,
    is_lower_better: bool,
    /// Scores; of people the mean of the judgments under a criterion, or the share of comparisons that were won, ties
    /// counting half; of a judge the mean of its preferences for the output.
    pub values: Vec<f64>,
    /// The share of all measured outputs that are worse, equal ones counting half, from 0 to 1.
    pub ranks: Vec<f32>,
    /// Of people the standard deviation (divided by the number) of judgments of the same output, or of outcomes of the
    /// same two outputs; missing below two, and none after the last.
    pub spreads: Vec<f32>,
}

/// Who answered about which systems, with which label.
pub(super) struct AnswerKey {
    pub systems: [u16; 2],
    pub annotator: u32,
    pub label: u32,
}

/// A column of labels of items, such as a language.
#[derive(Default)]
pub(super) struct ItemLabels {
    pub values: IndexSet<String>,
    /// The number of each item's label, or [`NONE`]; none after the last that has one.
    pub of_items: Vec<u32>,
}

/// All outputs, item by item in the order of the index, and within an item by system. A system that was judged without
/// an output counts as one.
pub(super) struct OutputColumns {
    /// The first output and the first answer of each item, and after the last.
    starts: Vec<[u32; 2]>,
    pub systems: Vec<u16>,
    /// Characters of each output.
    pub lengths: Vec<u32>,
    pub measures: Vec<OutputMeasure>,
    answers: Vec<AnswerKey>,
    pub annotators: IndexSet<String>,
    pub labels: IndexSet<String>,
    /// The columns with 2 to [`MOST_LABELS`] labels, by table and name.
    pub slices: IndexMap<(Kind, String), ItemLabels>,
    pub words: WordFile,
}

/// A number that an output was given: its place and measure; another output, a part and a repeat, to know what is about
/// the same; and the number.
type GivenNumber<'a> = ((usize, usize), (u16, Option<&'a str>, Option<&'a str>), f64);

fn mean(numbers: &[GivenNumber<'_>]) -> f64 {
    numbers.iter().map(|one| one.2).sum::<f64>() / numbers.len() as f64
}

/// The number of a name, new or not.
fn numbered(names: &mut IndexSet<String>, name: Option<&str>) -> u32 {
    name.map_or(NONE, |name| {
        let known = names.get_index_of(name);
        known.unwrap_or_else(|| names.insert_full(name.to_string()).0) as u32
    })
}

impl OutputMeasure {
    /// Ranks the values once all are there.
    fn rank(&mut self) {
        let sign = if self.is_lower_better { -1.0 } else { 1.0 };
        let value = |at: &u32| sign * self.values[*at as usize];
        let mut order: Vec<u32> = (0..self.values.len() as u32).collect();
        order.retain(|at| !value(at).is_nan());
        order.sort_unstable_by(|a, b| value(a).total_cmp(&value(b)));
        let mut ranks = vec![f32::NAN; self.values.len()];
        let mut below = 0.0;
        for equal in order.chunk_by(|a, b| value(a) == value(b)) {
            let rank = (below + equal.len() as f64 / 2.0) / order.len() as f64;
            for &at in equal {
                ranks[at as usize] = rank as f32;
            }
            below += equal.len() as f64;
        }
        self.ranks = ranks;
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
        let compared = (index.rows(Kind::Comparisons) > 0).then_some(PREFERENCE);
        let people = index.criteria().iter().map(String::as_str).chain(compared);
        let people = people.map(|name| OutputMeasure {
            name: name.into(),
            ..Default::default()
        });
        let mut columns = Self {
            starts: vec![[0; 2]],
            systems: Vec::new(),
            lengths: Vec::new(),
            measures: people.collect(),
            answers: Vec::new(),
            annotators: IndexSet::new(),
            labels: IndexSet::new(),
            slices: IndexMap::new(),
            words: WordFile::new()?,
        };
        let tables = scores.iter();
        let tables = tables.map(|path| columns.scores_in(context, source, path));
        let tables = tables.collect::<Result<Vec<_>>>()?;
        if let Some(table) = predictions {
            columns.measures.push(OutputMeasure {
                name: table.judge()?,
                kind: MeasureKind::Judge,
                signature: table.is_signed.then(|| table.signature.clone()),
                ..Default::default()
            });
        }
        context.progress.begin("reading items", index.items());
        for start in (0..index.items()).step_by(CHUNK as usize) {
            context.check()?;
            let range = start..(start + CHUNK).min(index.items());
            let verdicts = predictions.map(|table| table.of_items(range.clone()));
            let verdicts = verdicts.transpose()?.unwrap_or_default();
            let scored = tables.iter().map(|table| table.groups(range.clone()));
            let scored = scored.collect::<Result<Vec<_>>>()?;
            let notes = notes.of_items(range.clone())?;
            for (at, (group, notes)) in index.groups(range).zip(notes).enumerate() {
                let group = group?;
                columns.add(&group, &notes, verdicts.get(at).map_or(&[], Vec::as_slice))?;
                for (path, rows) in scores.iter().zip(&scored) {
                    columns.add_scores(source, path, &group, &rows[at])?;
                }
            }
            context.progress.advance(CHUNK);
        }
        context.progress.end();
        columns.words.flush()?;
        // Those of items, else those of outputs.
        let divides = |one: &ItemLabels| (2..=MOST_LABELS).contains(&one.values.len());
        columns.slices.retain(|_, one| divides(one));
        let kind = columns.slices.keys().map(|one| one.0).min();
        columns.slices.retain(|one, _| Some(one.0) == kind);
        let is_there = |one: &OutputMeasure| one.values.iter().any(|value| !value.is_nan());
        columns.measures.retain(is_there);
        columns
            .measures
            .par_iter_mut()
            .for_each(OutputMeasure::rank);
        Ok(columns)
    }

    /// The scores of every metric in a table, beside the items: the number of a measure, and the score.
    fn scores_in(
        &mut self,
        context: &Context<'_>,
        source: &Source,
        path: &Path,
    ) -> Result<ItemAlignedRows> {
        let (first, mut names) = (self.measures.len(), IndexSet::new());
        let rows = Scores::rows(context, source, path)?;
        Scores::aligned(source, path, rows, |metric, rows| {
            let (number, is_new) = names.insert_full(metric.to_string());
            if is_new {
                let one = self.metric(path, metric, metadata(path, rows)?);
                self.measures.push(one);
            }
            Ok(Some(first + number))
        })
    }

    /// A metric of a table of scores, by the metadata of the part that holds it.
    fn metric(
        &self,
        path: &Path,
        name: &str,
        mut metadata: BTreeMap<String, String>,
    ) -> OutputMeasure {
        let is_taken = self.measures.iter().any(|one| one.name == name);
        let from = is_taken.then(|| format!(" ({})", path.display()));
        let own = metadata.remove(&signature_of(name));
        OutputMeasure {
            name: format!("{name}{}", from.unwrap_or_default()),
            kind: MeasureKind::Metric,
            signature: own.or_else(|| metadata.remove("signature")),
            is_lower_better: direction(name) == Direction::Lower,
            ..Default::default()
        }
    }

    /// Adds the outputs, answers and texts of the next item.
    fn add(
        &mut self,
        group: &Group,
        notes: &ItemNotes,
        verdicts: &[(Arm, Arm, Prediction)],
    ) -> Result<()> {
        let written = group.outputs.iter().map(|one| one.system.0);
        let compared = group.comparisons.iter().flat_map(|one| [one.a.0, one.b.0]);
        let judged = group.judgments.iter().map(|one| one.system.0);
        let mut systems: Vec<u16> = written.chain(compared).chain(judged).collect();
        systems.sort_unstable();
        systems.dedup();
        for &system in &systems {
            let text = group.output(Arm(system)).unwrap_or_default();
            self.lengths.push(text.chars().count() as u32);
        }
        self.systems.extend(&systems);
        self.add_answers(group, notes);
        let end = [self.systems.len() as u32, self.answers.len() as u32];
        self.starts.push(end);
        self.add_numbers(group, verdicts);
        self.add_labels(group.position as usize, &systems, notes);
        self.add_words(group, &systems, notes)
    }

    /// Adds what people and a judge say of each output.
    fn add_numbers(&mut self, group: &Group, verdicts: &[(Arm, Arm, Prediction)]) {
        let mut people = self.measures.iter();
        let people = people.rposition(|one| one.kind == MeasureKind::People);
        let (preference, judge) = (people.unwrap_or(0), self.measures.len().max(1) - 1);
        let mut numbers: Vec<GivenNumber<'_>> = Vec::new();
        let mut give = |measure, system: Arm, about, value| {
            let output = self.output(group.position, system.0);
            numbers.extend(output.map(|output| ((output, measure), about, value)));
        };
        for one in &group.judgments {
            let about = (0, one.part.as_deref(), one.repeat.as_deref());
            give(one.criterion, one.system, about, one.score);
        }
        let compared = group.comparisons.iter();
        let compared = compared.map(|one| (preference, one.a, one.b, one.outcome.value()));
        let verdicts = verdicts.iter();
        let verdicts = verdicts.map(|&(a, b, verdict)| (judge, a, b, verdict.p));
        for (measure, a, b, value) in compared.chain(verdicts) {
            give(measure, a, (b.0, None, None), value);
            give(measure, b, (a.0, None, None), 1.0 - value);
        }
        for measure in &mut self.measures {
            measure.values.resize(self.systems.len(), f64::NAN);
        }
        numbers.sort_by_key(|one| (one.0, one.1));
        for own in numbers.chunk_by(|one, other| one.0 == other.0) {
            let (output, measure) = own[0].0;
            let measure = &mut self.measures[measure];
            measure.values[output] = mean(own);
            let (mut several, mut squares) = (0, 0.0);
            let same = own.chunk_by(|one, other| one.1 == other.1);
            for same in same.filter(|same| same.len() > 1) {
                let mean = mean(same);
                several += same.len();
                squares += same.iter().map(|one| (one.2 - mean).powi(2)).sum::<f64>();
            }
            if several > 0 {
                measure.spreads.resize(output, f32::NAN);
                measure
                    .spreads
                    .push((squares / several as f64).sqrt() as f32);
            }
        }
    }

    /// Adds who answered; a comparison without a label of its own has that of its outcome.
    fn add_answers(&mut self, group: &Group, notes: &ItemNotes) {
        let judgments = group.judgments.iter().map(|one| {
            let about = subject(Kind::Judgments, one.place);
            ([one.system; 2], &one.annotator, about, None)
        });
        let comparisons = group.comparisons.iter().map(|one| {
            let is_tie = one.outcome.value() == 0.5;
            let outcome = if is_tie { "tie" } else { "one is better" };
            let about = subject(Kind::Comparisons, one.place);
            ([one.a, one.b], &one.annotator, about, Some(outcome))
        });
        for (systems, annotator, about, outcome) in judgments.chain(comparisons) {
            let mut note = notes.get(&about).into_iter().flatten();
            let own = note.find(|(name, _)| name == LABEL);
            let own = own.filter(|_| self.labels.len() <= MOST_LABELS);
            let label = own.map(|one| one.1.as_str()).or(outcome);
            self.answers.push(AnswerKey {
                systems: systems.map(|system| system.0),
                annotator: numbered(&mut self.annotators, annotator.as_deref()),
                label: numbered(&mut self.labels, label),
            });
        }
    }

    /// Adds the labels of an item: in each column the first of its own row, and of its outputs.
    fn add_labels(&mut self, item: usize, systems: &[u16], notes: &ItemNotes) {
        let outputs = systems.iter().map(|&one| (Kind::Outputs, u64::from(one)));
        for (kind, place) in [(Kind::Items, 0)].into_iter().chain(outputs) {
            for (column, label) in notes.get(&subject(kind, place)).into_iter().flatten() {
                let slice = self.slices.entry((kind, column.clone())).or_default();
                if slice.values.len() <= MOST_LABELS && slice.of_items.len() <= item {
                    slice.of_items.resize(item, NONE);
                    let label = numbered(&mut slice.values, Some(label));
                    slice.of_items.push(label);
                }
            }
        }
    }

    /// Adds the texts that are searched.
    fn add_words(&mut self, group: &Group, systems: &[u16], notes: &ItemNotes) -> Result<()> {
        let note = |kind, place| {
            let note = notes.get(&subject(kind, place)).into_iter().flatten();
            note.map(|(_, text)| text.as_str())
        };
        let answers = group.comparisons.iter();
        let answers = answers.flat_map(|one| note(Kind::Comparisons, one.place));
        let given = [&group.item].into_iter().chain(&group.source);
        let given = given.chain(&group.references).map(String::as_str);
        let given = given.chain(note(Kind::Items, 0));
        self.words.add(given.chain(answers))?;
        for &system in systems {
            let judgments = group.judgments.iter().filter(|one| one.system.0 == system);
            let judgments = judgments.flat_map(|one| note(Kind::Judgments, one.place));
            let own = group.output(Arm(system)).into_iter();
            let own = own.chain(note(Kind::Outputs, u64::from(system)));
            self.words.add(own.chain(judgments))?;
        }
        Ok(())
    }

    /// Adds the scores of an item in one table.
    fn add_scores(
        &mut self,
        source: &Source,
        path: &Path,
        group: &Group,
        rows: &[Extra],
    ) -> Result<()> {
        for row in rows {
            let Some(output) = self.output(group.position, row.systems[0].0) else {
                continue;
            };
            let measure = &mut self.measures[row.numbers[0] as usize];
            if !measure.values[output].is_nan() {
                let system = source.system(row.systems[0]);
                let what = format!("a second {} score of an output of `{system}`", measure.name);
                return Err(Error::record(Location::line(path, row.line), what));
            }
            measure.values[output] = row.numbers[1];
        }
        Ok(())
    }

    /// The number of items.
    pub(super) fn items(&self) -> usize {
        self.starts.len() - 1
    }

    /// The outputs of an item.
    pub(super) fn range(&self, item: u64) -> Range<usize> {
        let item = item as usize;
        self.starts[item][0] as usize..self.starts[item + 1][0] as usize
    }

    /// The answers on an item.
    pub(super) fn answers(&self, item: usize) -> &[AnswerKey] {
        &self.answers[self.starts[item][1] as usize..self.starts[item + 1][1] as usize]
    }

    /// The output of a system for an item.
    pub(super) fn output(&self, item: u64, system: u16) -> Option<usize> {
        let range = self.range(item);
        let at = self.systems[range.clone()].binary_search(&system).ok()?;
        Some(range.start + at)
    }
}
