//! Labels: one answer to each question, made of everybody's by a model of who errs how.

use super::gather::{CollectedAnswers, Set};
use crate::engine::context::Context;
use crate::inputs::source::Source;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_data::tables::schema::{Column, TableBuilder, TableCell, TableColumns};
use tiebreak_decide::annotators::{ClassOrder, FittedLabelModel, LabelModel, QuestionAnswer};

/// The most distinct answers that a model treats as classes.
const MOST_CLASSES: usize = 20;

/// The difference up to which two probabilities are the same but for rounding.
const EVEN: f64 = 1e-6;

/// The columns of comparisons that a label model makes.
const LABELLED_COMPARISONS: TableColumns = &[
    ("item", Column::Text),
    ("system_a", Column::Text),
    ("system_b", Column::Text),
    ("outcome", Column::Number),
    ("annotator", Column::Text),
    ("probability", Column::Number),
];

/// The columns of judgments that a label model makes.
const LABELLED_JUDGMENTS: TableColumns = &[
    ("item", Column::Text),
    ("system", Column::Text),
    ("criterion", Column::Text),
    ("score", Column::Number),
    ("part", Column::Text),
    ("annotator", Column::Text),
    ("probability", Column::Number),
];

/// The labels of one kind of answer.
pub(super) struct ConsensusLabels {
    /// The criterion; `None` for comparisons.
    pub criterion: Option<String>,
    /// The distinct answers, ascending.
    classes: Vec<f64>,
    /// The name in tables of who gave the labels.
    annotator: String,
    model: Box<dyn FittedLabelModel>,
    /// Item, systems and part of each question; the systems with the same text after those it was asked about.
    questions: Vec<(String, Vec<String>, Option<String>)>,
}

impl ConsensusLabels {
    /// Fits the model; `None`, with a warning, where there are too many different answers. Annotators
    /// of unknown name count as one more.
    pub(super) fn fit(
        how: LabelModel,
        context: &Context<'_>,
        source: &Source,
        gathered: &CollectedAnswers,
        set: &Set,
    ) -> Result<Option<Self>> {
        let answers = || set.answers.iter().flatten();
        let mut classes: Vec<f64> = answers().map(|answer| answer.value).collect();
        let order = match set.on_scale() {
            true => ClassOrder::Nominal,
            false => ClassOrder::Turned,
        };
        if order == ClassOrder::Turned {
            classes.extend(answers().map(|answer| 1.0 - answer.value));
        }
        classes.sort_unstable_by(f64::total_cmp);
        classes.dedup();
        if classes.len() > MOST_CLASSES {
            let (name, n) = (set.asked.name(), classes.len());
            let what = format!(
                "no labels of {name}: {n} different answers, at most {MOST_CLASSES} make classes"
            );
            context.progress.warn(&what);
            return Ok(None);
        }
        let unknown = gathered.names.len();
        let class = |value: f64| classes.partition_point(|&other| other < value);
        let numbered: Vec<Vec<(usize, usize)>> = set
            .answers
            .iter()
            .map(|answers| {
                let answers = answers.iter();
                let number =
                    |one: &QuestionAnswer| (one.annotator.unwrap_or(unknown), class(one.value));
                answers.map(number).collect()
            })
            .collect();
        context.check()?;
        let model = how.fit(&numbered, unknown + 1, classes.len(), (order, context.seed));
        let questions = set.questions.iter().map(|one| {
            let systems = one.systems.iter().chain(&one.copies);
            let names = systems.map(|&arm| source.system(arm).to_string());
            (one.item.clone(), names.collect(), one.part.clone())
        });
        Ok(Some(Self {
            criterion: set.asked.criterion.clone(),
            questions: questions.collect(),
            classes,
            annotator: how.name(),
            model,
        }))
    }

    /// The probability that an annotator is right.
    pub(super) fn accuracy(&self, annotator: usize) -> f64 {
        self.model.accuracy(annotator)
    }

    /// Adds rows of `comparisons`: the most probable outcomes; a tie where a win is as probable as a loss.
    pub(super) fn comparisons(&self, rows: &mut TableBuilder) {
        for (at, (item, systems, _)) in self.questions.iter().enumerate() {
            let (class, probability) = self.model.label(at);
            let posterior = &self.model.posteriors()[at];
            let turned = posterior[posterior.len() - 1 - class];
            let outcome = match probability - turned > EVEN {
                true => self.classes[class],
                false => 0.5,
            };
            rows.push(&[
                TableCell::Text(item),
                TableCell::Text(&systems[0]),
                TableCell::Text(&systems[1]),
                TableCell::Number(Some(outcome)),
                TableCell::Text(&self.annotator),
                TableCell::Number(Some(probability)),
            ]);
        }
    }

    /// Adds rows of `judgments`: the means of the classes by their probabilities.
    pub(super) fn judgments(&self, rows: &mut TableBuilder) {
        let criterion = self.criterion.as_deref().unwrap_or("");
        for (at, (item, systems, part)) in self.questions.iter().enumerate() {
            let weighed = self.model.posteriors()[at].iter().zip(&self.classes);
            let mean: f64 = weighed.map(|(p, class)| p * class).sum();
            // The system that was judged stands there twice.
            for system in &systems[1..] {
                rows.push(&[
                    TableCell::Text(item),
                    TableCell::Text(system),
                    TableCell::Text(criterion),
                    TableCell::Number(Some(mean)),
                    TableCell::Text(part.as_deref().unwrap_or("")),
                    TableCell::Text(&self.annotator),
                    TableCell::Number(Some(self.model.label(at).1)),
                ]);
            }
        }
    }

    /// Empty tables for the labels of comparisons and of judgments.
    pub(super) fn tables() -> [TableBuilder; 2] {
        [
            TableBuilder::new(LABELLED_COMPARISONS),
            TableBuilder::new(LABELLED_JUDGMENTS),
        ]
    }
}

/// The error where every scale of answers is too fine for labels.
pub(super) fn too_fine(source: &Source) -> Error {
    let what = format!("every kind of answer has more than {MOST_CLASSES} different ones");
    Error::input(source.dataset.path(), what).with_hint(message!(
        "a label model is for categories and short scales; leave {} out",
        Key("labels")
    ))
}
