//! What is known of each output, a number a column, in memory: lengths, people's judgments, scores, verdicts. Texts stay
//! on disk.

use super::notes::{ItemNotes, NoteSubject, Notes};
use super::words::WordFile;
use crate::engine::context::Context;
use crate::inputs::source::{PredictionTable, Scores, Source, at, metadata, of_these_texts};
use indexmap::IndexSet;
use rayon::prelude::*;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tiebreak_base::duel::{Arm, Prediction};
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_data::records::index::{Extra, Group, ItemAlignedRows};
use tiebreak_data::records::{Kind, LABEL};
use tiebreak_data::tables::meta::signature_of;
use tiebreak_data::tables::whole;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MeasureKind {
    People,
    Metric,
    Judge,
}

/// One number an output. Values are missing (NaN) where nothing was measured.
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
    /// The standard deviation (divided by the number) of judgments of the same output, or of outcomes of the same two
    /// outputs; missing below two.
    pub spreads: Vec<f32>,
}

/// Who answered about which systems, with which label.
pub(super) struct AnswerKey {
    pub systems: [u16; 2],
    pub annotator: u32,
    pub label: u32,
}

/// A column of labels of items, such as a language.
pub(super) struct ItemLabels {
    kind: Kind,
    pub column: String,
    pub values: IndexSet<String>,
    /// The number of each item's label, or [`NONE`].
    pub of_items: Vec<u32>,
}

/// All outputs, item by item in the order of the index, and within an item by system. A system that was judged without
/// an output counts as one.
pub(super) struct OutputColumns {
    /// The first output of each item, and after the last.
    starts: Vec<u32>,
    pub systems: Vec<u16>,
    /// Characters of each output.
    pub lengths: Vec<u32>,
    pub measures: Vec<OutputMeasure>,
    /// The first answer on each item, and after the last.
    answer_starts: Vec<u32>,
    answers: Vec<AnswerKey>,
    pub annotators: IndexSet<String>,
    pub labels: IndexSet<String>,
    /// The columns with 2 to [`MOST_LABELS`] labels.
    pub slices: Vec<ItemLabels>,
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
    name.map_or(NONE, |name| names.insert_full(name.to_string()).0 as u32)
}

impl OutputMeasure {
    fn new(name: &str, kind: MeasureKind) -> Self {
        Self {
            name: name.to_string(),
            kind,
            signature: None,
            is_lower_better: false,
            values: Vec::new(),
            ranks: Vec::new(),
            spreads: Vec::new(),
        }
    }

    /// Ranks the values once all are there.
    fn rank(&mut self) {
        let measured = (0..).zip(&self.values).filter(|(_, value)| !value.is_nan());
        let mut order: Vec<(f64, usize)> = measured.map(|(at, &value)| (value, at)).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.ranks = vec![f32::NAN; self.values.len()];
        let mut below = 0;
        for equal in order.chunk_by(|a, b| a.0 == b.0) {
            let share = (below as f64 + equal.len() as f64 / 2.0) / order.len() as f64;
            let rank = match self.is_lower_better {
                true => 1.0 - share,
                false => share,
            };
            for one in equal {
                self.ranks[one.1] = rank as f32;
            }
            below += equal.len();
        }
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
        let people = people.map(|name| OutputMeasure::new(name, MeasureKind::People));
        let mut columns = Self {
            starts: vec![0],
            systems: Vec::new(),
            lengths: Vec::new(),
            measures: people.collect(),
            answer_starts: vec![0],
            answers: Vec::new(),
            annotators: IndexSet::new(),
            labels: IndexSet::new(),
            slices: Vec::new(),
            words: WordFile::new()?,
        };
        let tables = scores.iter();
        let tables = tables.map(|path| columns.scores_in(context, source, path));
        let tables = tables.collect::<Result<Vec<_>>>()?;
        if let Some(table) = predictions {
            columns.measures.push(OutputMeasure {
                signature: table.is_signed.then(|| table.signature.clone()),
                ..OutputMeasure::new(&table.judge()?, MeasureKind::Judge)
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
                    columns.add_scores(source, path, &rows[at])?;
                }
            }
            context.progress.advance(CHUNK);
        }
        context.progress.end();
        columns.words.flush()?;
        columns.keep_slices();
        let is_there = |one: &OutputMeasure| one.values.iter().any(|value| !value.is_nan());
        columns.measures.retain(is_there);
        let measures = columns.measures.par_iter_mut();
        measures.for_each(OutputMeasure::rank);
        Ok(columns)
    }

    /// The scores of every metric in a table, beside the items: the number of a measure, and the score.
    fn scores_in(
        &mut self,
        context: &Context<'_>,
        source: &Source,
        path: &Path,
    ) -> Result<ItemAlignedRows> {
        let mut rows = whole::open(path)?;
        of_these_texts(context, source, path, &metadata(path, &rows)?)?;
        rows.require(&Scores::COLUMNS)?;
        let (first, mut names) = (self.measures.len(), IndexSet::new());
        let extras = std::iter::from_fn(|| {
            let row = rows.next()?;
            Some(row.and_then(|row| {
                let (metric, is_new) = names.insert_full(row.text("metric")?);
                if is_new {
                    let name = &names[metric];
                    let mut metadata = metadata(path, &rows)?;
                    let own = metadata.remove(&signature_of(name));
                    let is_taken = self.measures.iter().any(|one| one.name == *name);
                    let from = is_taken.then(|| format!(" ({})", path.display()));
                    let shown = format!("{name}{}", from.unwrap_or_default());
                    self.measures.push(OutputMeasure {
                        signature: own.or_else(|| metadata.remove("signature")),
                        is_lower_better: direction(name) == Direction::Lower,
                        ..OutputMeasure::new(&shown, MeasureKind::Metric)
                    });
                }
                let arm = source.index.system(&row.text("system")?);
                let arm = arm.map_err(|error| at(&row, &error))?;
                let extra = Extra {
                    line: row.number_in_file(),
                    systems: [arm, arm],
                    numbers: vec![(first + metric) as f64, row.number("score")?],
                    text: String::new(),
                };
                Ok((row.text("item")?, extra))
            }))
        });
        ItemAlignedRows::build(&source.index, path, extras)
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
        self.systems.extend(&systems);
        self.starts.push(self.systems.len() as u32);
        let length = |system: &u16| {
            group
                .output(Arm(*system))
                .map_or(0, |text| text.chars().count())
        };
        self.lengths
            .extend(systems.iter().map(|system| length(system) as u32));
        for measure in &mut self.measures {
            measure.values.resize(self.systems.len(), f64::NAN);
            measure.spreads.resize(self.systems.len(), f32::NAN);
        }
        let mut numbers: Vec<GivenNumber<'_>> = Vec::new();
        let mut give = |measure: usize, system: Arm, (other, part, repeat): (Arm, _, _), value| {
            let output = self.output(group.position, system.0);
            let about = (other.0, part, repeat);
            numbers.extend(output.map(|output| ((output, measure), about, value)));
        };
        let people = self
            .measures
            .iter()
            .filter(|one| one.kind == MeasureKind::People);
        let (preference, judge) = (people.count().max(1) - 1, self.measures.len().max(1) - 1);
        for one in &group.judgments {
            let about = (one.system, one.part.as_deref(), one.repeat.as_deref());
            give(one.criterion, one.system, about, one.score);
        }
        for one in &group.comparisons {
            give(preference, one.a, (one.b, None, None), one.outcome.value());
            give(
                preference,
                one.b,
                (one.a, None, None),
                1.0 - one.outcome.value(),
            );
        }
        for &(a, b, Prediction { p, .. }) in verdicts {
            give(judge, a, (b, None, None), p);
            give(judge, b, (a, None, None), 1.0 - p);
        }
        numbers.sort_by_key(|one| (one.0, one.1));
        for own in numbers.chunk_by(|one, other| one.0 == other.0) {
            let (output, measure) = own[0].0;
            let (mut several, mut squares) = (0, 0.0);
            let same = own.chunk_by(|one, other| one.1 == other.1);
            for same in same.filter(|same| same.len() > 1) {
                let mean = mean(same);
                several += same.len();
                squares += same.iter().map(|one| (one.2 - mean).powi(2)).sum::<f64>();
            }
            self.measures[measure].values[output] = mean(own);
            // Without several about the same it stays missing: 0/0.
            self.measures[measure].spreads[output] = (squares / several as f64).sqrt() as f32;
        }
        self.add_answers(group, notes);
        self.add_labels(group.position as usize, notes);
        self.add_words(group, &systems, notes)
    }

    /// Adds who answered; a comparison without a label of its own has that of its outcome.
    fn add_answers(&mut self, group: &Group, notes: &ItemNotes) {
        let judgments = group.judgments.iter().map(|one| {
            let subject = NoteSubject::Judgment(one.place);
            ([one.system; 2], &one.annotator, subject, None)
        });
        let comparisons = group.comparisons.iter().map(|one| {
            let is_tie = one.outcome.value() == 0.5;
            let outcome = if is_tie { "tie" } else { "one is better" };
            let subject = NoteSubject::Comparison(one.place);
            ([one.a, one.b], &one.annotator, subject, Some(outcome))
        });
        for (systems, annotator, subject, outcome) in judgments.chain(comparisons) {
            let mut note = notes.get(&subject).into_iter().flatten();
            let own = note
                .find(|(name, _)| name == LABEL)
                .map(|one| one.1.as_str());
            let own = own.filter(|_| self.labels.len() <= MOST_LABELS);
            self.answers.push(AnswerKey {
                systems: systems.map(|system| system.0),
                annotator: numbered(&mut self.annotators, annotator.as_deref()),
                label: numbered(&mut self.labels, own.or(outcome)),
            });
        }
        self.answer_starts.push(self.answers.len() as u32);
    }

    /// Adds the labels of an item: in each column the first of its own row, and of its outputs.
    fn add_labels(&mut self, item: usize, notes: &ItemNotes) {
        let labels = notes.iter().flat_map(|(subject, note)| {
            let kind = match subject {
                NoteSubject::Item => Some(Kind::Items),
                NoteSubject::Output(_) => Some(Kind::Outputs),
                _ => None,
            };
            note.iter()
                .filter_map(move |one| Some((kind?, &one.0, &one.1)))
        });
        for (kind, column, label) in labels {
            let mut known = self.slices.iter();
            let at = known.position(|one| one.kind == kind && one.column == *column);
            let at = at.unwrap_or(self.slices.len());
            if at == self.slices.len() {
                self.slices.push(ItemLabels {
                    kind,
                    column: column.clone(),
                    values: IndexSet::new(),
                    of_items: Vec::new(),
                });
            }
            let slice = &mut self.slices[at];
            if slice.values.len() <= MOST_LABELS && slice.of_items.len() <= item {
                slice.of_items.resize(item, NONE);
                slice
                    .of_items
                    .push(numbered(&mut slice.values, Some(label)));
            }
        }
    }

    /// Keeps the columns of labels that divide the items: those of items, else those of outputs.
    fn keep_slices(&mut self) {
        let items = self.items();
        let divides = |one: &ItemLabels| (2..=MOST_LABELS).contains(&one.values.len());
        self.slices.retain(divides);
        let kind = self.slices.iter().map(|one| one.kind).min();
        self.slices.retain(|one| Some(one.kind) == kind);
        for slice in &mut self.slices {
            slice.of_items.resize(items, NONE);
        }
    }

    /// Adds the texts that are searched.
    fn add_words(&mut self, group: &Group, systems: &[u16], notes: &ItemNotes) -> Result<()> {
        let note = |subject| {
            let note = notes.get(&subject).into_iter().flatten();
            note.map(|(_, text)| text.as_str())
        };
        let answers = group.comparisons.iter();
        let answers = answers.flat_map(|one| note(NoteSubject::Comparison(one.place)));
        let given = std::iter::once(&group.item).chain(&group.source);
        let given = given.chain(&group.references).map(String::as_str);
        self.words
            .add(given.chain(note(NoteSubject::Item)).chain(answers))?;
        for system in systems.iter().map(|&system| Arm(system)) {
            let judgments = group.judgments.iter().filter(|one| one.system == system);
            let judgments = judgments.flat_map(|one| note(NoteSubject::Judgment(one.place)));
            let own = group.output(system).into_iter();
            let own = own.chain(note(NoteSubject::Output(system)));
            self.words.add(own.chain(judgments))?;
        }
        Ok(())
    }

    /// Adds the scores of the last item in one table.
    fn add_scores(&mut self, source: &Source, path: &Path, rows: &[Extra]) -> Result<()> {
        let item = self.items() as u64 - 1;
        for row in rows {
            let Some(output) = self.output(item, row.systems[0].0) else {
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
        self.starts[item] as usize..self.starts[item + 1] as usize
    }

    /// The answers on an item.
    pub(super) fn answers(&self, item: usize) -> &[AnswerKey] {
        &self.answers[self.answer_starts[item] as usize..self.answer_starts[item + 1] as usize]
    }

    /// The output of a system for an item.
    pub(super) fn output(&self, item: u64, system: u16) -> Option<usize> {
        let range = self.range(item);
        let at = self.systems[range.clone()].binary_search(&system).ok()?;
        Some(range.start + at)
    }
}
