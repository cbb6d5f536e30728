//! What is known of each output, a number a column, in memory: lengths, people's judgments, scores, verdicts. Texts stay
//! on disk.

use super::lists::{AnswerLists, ItemLabels, LabelTable, NumberedNames, RowLabels};
use super::notes::RowNotes;
use super::words::{WordFile, WordWriter};
use crate::engine::context::Context;
use crate::inputs::source::{PredictionTable, Scores, Source, at, metadata, of_these_texts};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::{Extra, Group, ItemAlignedRows};
use tiebreak_data::tables::meta::signature_of;
use tiebreak_data::tables::whole;
use tiebreak_metrics::metrics::{Direction, direction};

/// The name of people's comparisons among the measures.
const PREFERENCE: &str = "preference";

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
    pub is_lower_better: bool,
    /// Scores; of people the mean of the judgments under a criterion, or the share of comparisons that were won, ties
    /// counting half; of a judge the mean of its preferences for the output.
    pub values: Vec<f64>,
    /// The share of all measured outputs that are worse, equal ones counting half, from 0 to 1.
    pub ranks: Vec<f32>,
    /// Of people: the standard deviation (divided by the number) of judgments of the same output, or of outcomes of the same
    /// two outputs; missing below two.
    pub spreads: Vec<f32>,
}

/// All outputs, item by item in the order of the index, and within an item by system. A system that was judged without
/// an output counts as one.
pub(super) struct OutputColumns {
    /// The first output of each item, and after the last.
    pub starts: Vec<u32>,
    pub systems: Vec<u16>,
    /// Characters of each output.
    pub lengths: Vec<u32>,
    pub measures: Vec<OutputMeasure>,
    pub answers: AnswerLists,
    pub slices: Vec<ItemLabels>,
    pub words: WordFile,
}

/// A number that people gave: its output and measure; another output, a part and a repeat, to know what is about the
/// same; and the number.
type AnswerNumber<'a> = ((usize, usize), (u16, Option<&'a str>, Option<&'a str>), f64);

fn mean(answers: &[AnswerNumber<'_>]) -> f64 {
    answers.iter().map(|one| one.2).sum::<f64>() / answers.len() as f64
}

impl OutputMeasure {
    fn new(name: &str, kind: MeasureKind, outputs: usize) -> Self {
        Self {
            name: name.to_string(),
            kind,
            signature: None,
            is_lower_better: false,
            values: vec![f64::NAN; outputs],
            ranks: Vec::new(),
            spreads: Vec::new(),
        }
    }

    /// Ranks the values once all are there.
    fn rank(&mut self) {
        let measured = (0..).zip(&self.values).filter(|(_, value)| !value.is_nan());
        let mut order: Vec<(f64, u32)> = measured.map(|(at, &value)| (value, at)).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let all = order.len() as f64;
        self.ranks = vec![f32::NAN; self.values.len()];
        let mut below = 0.0;
        for equal in order.chunk_by(|a, b| a.0 == b.0) {
            let share = (below + equal.len() as f64 / 2.0) / all;
            below += equal.len() as f64;
            let rank = if self.is_lower_better {
                1.0 - share
            } else {
                share
            };
            for &(_, at) in equal {
                self.ranks[at as usize] = rank as f32;
            }
        }
    }
}

impl OutputColumns {
    /// Reads a data set, with tables of scores and of predictions beside it; returns the notes on its answers, too.
    ///
    /// # Errors
    /// Tables that do not fit the data set; [`Error::Interrupted`]; temporary files that cannot be written.
    pub(super) fn read(
        context: &Context<'_>,
        source: &Source,
        scores: &[PathBuf],
        predictions: Option<&PredictionTable>,
        RowLabels {
            names,
            labels,
            notes,
        }: RowLabels,
    ) -> Result<(Self, [RowNotes; 2])> {
        let mut columns = Self::of_index(context, source, names, &labels, &notes)?;
        for path in scores {
            columns.add_scores(context, source, path)?;
        }
        if let Some(predictions) = predictions {
            columns.add_verdicts(context, predictions)?;
        }
        columns
            .measures
            .retain(|one| one.values.iter().any(|value| !value.is_nan()));
        columns
            .measures
            .par_iter_mut()
            .for_each(OutputMeasure::rank);
        Ok((columns, notes))
    }

    fn of_index(
        context: &Context<'_>,
        source: &Source,
        names: NumberedNames,
        labels: &[Vec<u32>; 2],
        notes: &[RowNotes; 2],
    ) -> Result<Self> {
        let index = &source.index;
        let mut people: Vec<OutputMeasure> = index
            .criteria()
            .iter()
            .map(|name| OutputMeasure::new(name, MeasureKind::People, 0))
            .collect();
        if index.rows(Kind::Comparisons) > 0 {
            people.push(OutputMeasure::new(PREFERENCE, MeasureKind::People, 0));
        }
        let mut columns = Self {
            starts: vec![0],
            systems: Vec::new(),
            lengths: Vec::new(),
            measures: people,
            answers: AnswerLists::new(names),
            slices: Vec::new(),
            words: WordFile::default(),
        };
        let mut table = LabelTable::read(context, source)?;
        let mut words = WordWriter::new()?;
        context.progress.begin("reading items", index.items());
        for group in index.all() {
            let group = group?;
            columns.add(&group, labels, index.criteria().len());
            table.add_item(&group.item);
            let systems = &columns.systems[columns.range(group.position)];
            words.add(&group, systems, notes)?;
            if group.position % CHUNK == CHUNK - 1 {
                context.check()?;
                context.progress.advance(CHUNK);
            }
        }
        context.progress.end();
        columns.words = words.finish()?;
        columns.slices = table.into_columns();
        Ok(columns)
    }

    /// Adds the outputs and answers of the next item.
    fn add(&mut self, group: &Group, labels: &[Vec<u32>; 2], criteria: usize) {
        let first = self.systems.len();
        let written = group.outputs.iter().map(|one| one.system.0);
        let compared = group.comparisons.iter().flat_map(|one| [one.a.0, one.b.0]);
        let judged = group.judgments.iter().map(|one| one.system.0);
        let mut systems: Vec<u16> = written.chain(compared).chain(judged).collect();
        systems.sort_unstable();
        systems.dedup();
        self.systems.extend(&systems);
        self.starts.push(self.systems.len() as u32);
        self.lengths.resize(self.systems.len(), 0);
        let cell = |arm: Arm| first + systems.binary_search(&arm.0).unwrap_or_default();
        for one in &group.outputs {
            self.lengths[cell(one.system)] = one.text.chars().count() as u32;
        }
        for measure in &mut self.measures {
            measure.values.resize(self.systems.len(), f64::NAN);
            measure.spreads.resize(self.systems.len(), f32::NAN);
        }
        let mut answers: Vec<AnswerNumber<'_>> = Vec::new();
        for one in &group.judgments {
            let about = (one.system.0, one.part.as_deref(), one.repeat.as_deref());
            answers.push(((cell(one.system), one.criterion), about, one.score));
            let label = labels[1].get(one.place as usize).copied();
            let annotator = one.annotator.as_deref();
            self.answers.push(one.system, None, annotator, label);
        }
        for one in &group.comparisons {
            let won = one.outcome.value();
            for (of, other, won) in [(one.a, one.b, won), (one.b, one.a, 1.0 - won)] {
                answers.push(((cell(of), criteria), (other.0, None, None), won));
            }
            let label = labels[0].get(one.place as usize).copied();
            let (other, annotator) = (Some((one.b, won)), one.annotator.as_deref());
            self.answers.push(one.a, other, annotator, label);
        }
        self.answers.end_item();
        answers.sort_by_key(|one| (one.0, one.1));
        for own in answers.chunk_by(|one, other| one.0 == other.0) {
            let (at, measure) = own[0].0;
            let (mut several, mut squares) = (0, 0.0);
            let same = own.chunk_by(|one, other| one.1 == other.1);
            for same in same.filter(|same| same.len() > 1) {
                let mean = mean(same);
                several += same.len();
                squares += same.iter().map(|one| (one.2 - mean).powi(2)).sum::<f64>();
            }
            self.measures[measure].values[at] = mean(own);
            // Without several about the same it stays missing: 0/0.
            self.measures[measure].spreads[at] = (squares / several as f64).sqrt() as f32;
        }
    }

    /// Adds the scores of every metric in a table.
    fn add_scores(&mut self, context: &Context<'_>, source: &Source, path: &Path) -> Result<()> {
        let mut rows = whole::open(path)?;
        of_these_texts(context, source, path, &metadata(path, &rows)?)?;
        rows.require(&Scores::COLUMNS)?;
        let mut found: Vec<(String, Option<String>)> = Vec::new();
        let extras = std::iter::from_fn(|| {
            let row = rows.next()?;
            Some(row.and_then(|row| {
                let name = row.text("metric")?;
                let metric = match found.iter().position(|(known, _)| *known == name) {
                    Some(metric) => metric,
                    None => {
                        let mut metadata = metadata(path, &rows)?;
                        let own = metadata.remove(&signature_of(&name));
                        found.push((name, own.or_else(|| metadata.remove("signature"))));
                        found.len() - 1
                    }
                };
                let arm = source.index.system(&row.text("system")?);
                let arm = arm.map_err(|error| at(&row, &error))?;
                let extra = Extra {
                    line: row.number_in_file(),
                    systems: [arm, arm],
                    numbers: vec![metric as f64, row.number("score")?],
                };
                Ok((row.text("item")?, extra))
            }))
        });
        let aligned = ItemAlignedRows::build(&source.index, path, extras)?;
        let first = self.measures.len();
        for (name, signature) in found {
            let taken = self.measures.iter().any(|one| one.name == name);
            let shown = if taken {
                format!("{name} ({})", path.display())
            } else {
                name.clone()
            };
            self.measures.push(OutputMeasure {
                signature,
                is_lower_better: direction(&name) == Direction::Lower,
                ..OutputMeasure::new(&shown, MeasureKind::Metric, self.systems.len())
            });
        }
        for start in (0..source.index.items()).step_by(CHUNK as usize) {
            context.check()?;
            for (position, rows) in (start..).zip(aligned.groups(start..start + CHUNK)?) {
                for row in rows {
                    let Some(output) = self.output(position, row.systems[0].0) else {
                        continue;
                    };
                    let measure = &mut self.measures[first + row.numbers[0] as usize];
                    if !measure.values[output].is_nan() {
                        let system = source.system(row.systems[0]);
                        let what =
                            format!("a second {} score of an output of `{system}`", measure.name);
                        return Err(Error::record(Location::line(path, row.line), what));
                    }
                    measure.values[output] = row.numbers[1];
                }
            }
        }
        Ok(())
    }

    /// Adds the mean preference of a judge for each output.
    fn add_verdicts(&mut self, context: &Context<'_>, predictions: &PredictionTable) -> Result<()> {
        let name = predictions.judge()?;
        let mut sums = vec![(0.0, 0.0); self.systems.len()];
        let items = self.items() as u64;
        for start in (0..items).step_by(CHUNK as usize) {
            context.check()?;
            let of_items = predictions.of_items(start..(start + CHUNK).min(items))?;
            for (position, verdicts) in (start..).zip(of_items) {
                for (a, b, prediction) in verdicts {
                    for (system, p) in [(a, prediction.p), (b, 1.0 - prediction.p)] {
                        if let Some(output) = self.output(position, system.0) {
                            sums[output].0 += p;
                            sums[output].1 += 1.0;
                        }
                    }
                }
            }
        }
        self.measures.push(OutputMeasure {
            signature: predictions.is_signed.then(|| predictions.signature.clone()),
            values: sums.iter().map(|(sum, n)| sum / n).collect(),
            ..OutputMeasure::new(&name, MeasureKind::Judge, 0)
        });
        Ok(())
    }

    /// The number of items.
    pub(super) fn items(&self) -> usize {
        self.starts.len() - 1
    }

    /// The outputs of an item.
    pub(super) fn range(&self, item: u64) -> std::ops::Range<usize> {
        let item = item as usize;
        self.starts[item] as usize..self.starts[item + 1] as usize
    }

    /// The output of a system for an item.
    pub(super) fn output(&self, item: u64, system: u16) -> Option<usize> {
        let range = self.range(item);
        let at = self.systems[range.clone()].binary_search(&system).ok()?;
        Some(range.start + at)
    }

    /// The column and number of a label, written as `COLUMN=LABEL`.
    pub(super) fn slice(&self, text: &str) -> Option<(usize, u32)> {
        let mut all = self.slices.iter().enumerate();
        all.find_map(|(at, one)| {
            let label = text.strip_prefix(&one.column)?.strip_prefix('=')?;
            Some((at, one.values.known(label)?))
        })
    }
}
