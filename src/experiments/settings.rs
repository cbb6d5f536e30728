//! The settings of one cell, and the cells of an experiment.

use super::spec::{Axis, Experiment, Key, Measure, Scale, Uncertainty};
use super::tables::spoken;
use crate::error::{Error, Result};
use crate::inputs::judging::Parts;
use crate::keys::named::Named;
use crate::keys::setting::{Audit, Eliminate, Select, Setting};
use crate::model_based::ucb_elimination;
use crate::preference::Draws;
use crate::stages::asking::Asking;
use crate::stages::simulate::{self, Feedback};
use crate::stages::simulate::{Bandit, Choices, Count};
use serde::{Deserialize, Serialize};

/// The confidence of every interval.
pub(super) const CONFIDENCE: f64 = 0.95;

/// What estimates where no estimator is named.
pub(super) const DEFAULT_ESTIMATOR: &str = "control-variates";

/// Everything that decides a cell's numbers, but for the seed and the data; and its label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    pub label: String,
    pub measure: Measure,
    pub data: String,
    pub bandit: Named,
    pub systems: Option<usize>,
    pub metric: Option<Named>,
    /// Left out where there is none, so that cells without one keep their names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub link: Option<String>,
    pub validation: Option<String>,
    /// How the model is asked; its draws are the metric's where there is none.
    #[serde(flatten)]
    pub asking: Asking,
    pub mix: Option<Setting>,
    pub select: Option<Select>,
    pub eliminate: Option<Eliminate>,
    pub delay: usize,
    pub runs: u64,
    pub budget: Option<Count>,
    pub steps: Option<Count>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Parts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimator: Option<Named>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Named>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<Uncertainty>,
    /// Whose numbers these are, where a cell is shown system by system; decides nothing.
    #[serde(skip)]
    pub system: Option<String>,
}

/// The cells of an experiment: every combination of the values it lists, the first key varying
/// most slowly.
///
/// # Errors
/// [`Error::Usage`] for settings that do not belong to the measure or to each other.
pub(super) fn cells(experiment: Experiment) -> Result<Vec<Settings>> {
    check(&experiment)?;
    let blank = Settings {
        label: String::new(),
        measure: experiment.measure.unwrap_or_default(),
        data: String::new(),
        bandit: Bandit::default().0,
        systems: None,
        metric: None,
        model: None,
        link: None,
        asking: experiment.asking(),
        validation: experiment.validation,
        mix: None,
        select: None,
        eliminate: None,
        delay: 0,
        runs: experiment.runs.unwrap_or(1),
        budget: None,
        steps: experiment.steps,
        criterion: None,
        scale: experiment.scale,
        parts: experiment.parts,
        estimator: None,
        beside: experiment.beside.unwrap_or_default(),
        uncertainty: None,
        system: None,
    };
    let cells = vec![blank];
    let cells = spread(cells, experiment.data, |cell, data| cell.data = data);
    let cells = spread(cells, experiment.bandit, |cell, bandit| {
        cell.bandit = bandit;
    });
    let cells = spread(cells, experiment.systems, |cell, k| cell.systems = Some(k));
    let cells = spread(cells, experiment.metric, |cell, metric| {
        cell.metric = Some(metric);
    });
    let cells = spread(cells, experiment.model, |cell, model| {
        cell.model = Some(model);
    });
    let cells = spread(cells, experiment.link, |cell, link| cell.link = Some(link));
    let cells = spread(cells, experiment.mix, |cell, mix| cell.mix = Some(mix));
    let cells = spread(cells, experiment.select, |cell, select| {
        cell.select = Some(select);
    });
    let cells = spread(cells, experiment.eliminate, |cell, how| {
        cell.eliminate = Some(how);
    });
    let cells = spread(cells, experiment.criterion, |cell, criterion| {
        cell.criterion = Some(criterion);
    });
    let cells = spread(cells, experiment.estimator, |cell, estimator| {
        cell.estimator = Some(estimator);
    });
    let cells = spread(cells, experiment.uncertainty, |cell, by| {
        cell.uncertainty = Some(by);
    });
    let cells = spread(cells, experiment.budget, |cell, n| cell.budget = Some(n));
    let mut cells = spread(cells, experiment.delay, |cell, delay| cell.delay = delay);
    for cell in &mut cells {
        let label = experiment.label.clone();
        cell.label = label.unwrap_or_else(|| cell.plain_label());
    }
    Ok(cells)
}

fn check(experiment: &Experiment) -> Result<()> {
    let measure = experiment.measure.unwrap_or_default();
    let of_bandits = experiment.bandit.is_some()
        || experiment.systems.is_some()
        || experiment.mix.is_some()
        || experiment.select.is_some()
        || experiment.eliminate.is_some()
        || experiment.delay.is_some();
    let of_ratings = experiment.criterion.is_some()
        || experiment.scale.is_some()
        || experiment.parts.is_some()
        || experiment.estimator.is_some()
        || experiment.beside.is_some()
        || experiment.uncertainty.is_some();
    let wrong = match (measure, &experiment.metric, &experiment.link) {
        _ if experiment.data.is_none() => "an experiment needs `data`",
        (measure, _, _) if measure != Measure::AnnotationComplexity && of_bandits => {
            "bandit, systems, mix, select, eliminate and delay belong to annotation-complexity only"
        }
        (measure, _, _) if !measure.rates() && of_ratings => {
            "criterion, scale, parts, estimator, beside and uncertainty belong to variance, correlation, data-efficiency, savings and improvements only"
        }
        _ if experiment.model.is_none() && experiment.asks_a_model() => {
            "dropout, precision and adaptive draws belong to a model"
        }
        (measure, metric, link) if experiment.model.is_some() => {
            return check_model(measure, metric.is_some() || link.is_some());
        }
        (Measure::Assessment, None, _) => {
            "an assessment needs a model, or a metric together with a link"
        }
        (measure, metric, link) if measure.rates() => {
            return check_rated(measure, experiment, metric.is_some(), link.is_some());
        }
        (Measure::Judgments, Some(_), _) | (Measure::Judgments, _, Some(_)) => {
            "judgments need no metric and no link"
        }
        (_, Some(_), None) | (_, None, Some(_)) | (Measure::SentenceAccuracy, None, _) => {
            "expected a metric together with a link"
        }
        _ => return Ok(()),
    };
    Err(Error::usage(wrong))
}

/// Checks an experiment with a preference model.
fn check_model(measure: Measure, metric: bool) -> Result<()> {
    let wrong = if metric {
        "a model stands in place of a metric with a link"
    } else if measure.rates() || measure == Measure::Judgments {
        "a model belongs to annotation-complexity, sentence-accuracy and assessment only"
    } else {
        return Ok(());
    };
    Err(Error::usage(wrong))
}

/// Checks an experiment on judgments of single outputs.
fn check_rated(measure: Measure, experiment: &Experiment, metric: bool, link: bool) -> Result<()> {
    let campaigns = measure.simulates();
    let fewest = experiment
        .budget
        .as_ref()
        .and_then(|Axis(all)| all.iter().map(|n| n.value()).min());
    let with_savings = experiment.beside.is_some() || experiment.uncertainty.is_some();
    let wrong = match (experiment.runs, fewest) {
        _ if experiment.criterion.is_none() => {
            "this measure needs the `criterion` of the judgments"
        }
        _ if link || experiment.validation.is_some() => {
            "link and validation belong to comparisons, not to judgments of single outputs"
        }
        // The estimators whose savings are measured say themselves what they need.
        _ if measure != Measure::Savings && metric == (measure == Measure::Variance) => {
            "variance takes no `metric`, and the other measures of single outputs need one"
        }
        _ if experiment.estimator.is_some() && !campaigns => {
            "an estimator belongs to data-efficiency and savings only"
        }
        _ if with_savings && measure != Measure::Savings => {
            "beside and uncertainty belong to savings only"
        }
        (None | Some(..2), _) | (_, None | Some(..10)) if campaigns => {
            "this measure needs `runs`, at least 2, and a `budget` of at least 10 judgments"
        }
        _ => return Ok(()),
    };
    Err(Error::usage(wrong))
}

/// Every cell with every value of an axis.
fn spread<T: Clone>(
    cells: Vec<Settings>,
    axis: Option<Axis<T>>,
    set: impl Fn(&mut Settings, T),
) -> Vec<Settings> {
    let Some(Axis(values)) = axis else {
        return cells;
    };
    let with = |cell: &Settings, value: &T| {
        let mut cell = cell.clone();
        set(&mut cell, value.clone());
        cell
    };
    let spread = cells
        .iter()
        .flat_map(|cell| values.iter().map(move |value| with(cell, value)));
    spread.collect()
}

impl Settings {
    /// The draws of metrics, where there are any.
    pub(super) fn draws(&self) -> Option<usize> {
        self.asking.draws.and_then(Draws::number)
    }

    pub(super) fn plain_label(&self) -> String {
        match (self.measure, &self.metric) {
            (Measure::AnnotationComplexity, _) => self.bandit.to_string(),
            (Measure::Savings, _) => self.estimated_by(),
            (_, Some(metric)) => metric.label(),
            _ => self.model.as_ref().unwrap_or(&self.data).clone(),
        }
    }

    /// The estimator and how outputs are chosen for it.
    fn estimated_by(&self) -> String {
        let estimator = self.estimator.as_ref();
        let estimator = estimator.map_or_else(|| DEFAULT_ESTIMATOR.to_string(), Named::label);
        match self.text(Key::Uncertainty) {
            Some(by) => format!("{estimator}, {by}"),
            None => estimator,
        }
    }

    /// A setting in words; `None` where the cell has none.
    pub(super) fn text(&self, key: Key) -> Option<String> {
        let number = |number: f64| number.to_string();
        match key {
            Key::Label => Some(self.label.clone()),
            Key::Data => Some(self.data.clone()),
            Key::Bandit => Some(self.bandit.to_string()),
            Key::Metric => self.metric.as_ref().map(Named::label),
            Key::Model => self.model.clone(),
            Key::Link => self.link.clone(),
            Key::Criterion => self.criterion.clone(),
            Key::Estimator => self.estimator.as_ref().map(Named::label),
            Key::System => self.system.clone(),
            Key::Uncertainty => self.uncertainty.map(spoken),
            Key::Select => self
                .select
                .map(|Select { by, above }| format!("{by}:{above}")),
            _ => self.number(key).map(number),
        }
    }

    /// A setting as a number; `None` for names and where the cell has none.
    pub(super) fn number(&self, key: Key) -> Option<f64> {
        match key {
            Key::Systems => self.systems.map(|k| k as f64),
            Key::Mix => self.mix.and_then(Setting::value),
            Key::Select => self.select.and_then(|select| select.above.value()),
            Key::Alpha => self.elimination().map(|how| how.alpha),
            Key::Copeland => self.elimination().map(|how| how.copeland),
            Key::Delay => Some(self.delay as f64),
            Key::Budget => self.budget.map(|n| n.value() as f64),
            Key::Label
            | Key::Data
            | Key::Bandit
            | Key::Metric
            | Key::Model
            | Key::Link
            | Key::Criterion
            | Key::Estimator
            | Key::Uncertainty
            | Key::System => None,
        }
    }

    /// How systems are dropped before the first question, where that is said in numbers.
    pub(super) fn elimination(&self) -> Option<ucb_elimination::Options> {
        match self.eliminate? {
            Eliminate::As(options) => Some(options),
            Eliminate::Auto => None,
        }
    }

    /// What `simulate` is asked for.
    pub(super) fn ranking(&self) -> simulate::Options {
        simulate::Options {
            choices: Choices {
                bandit: Bandit(self.bandit.clone()),
                budget: self.budget,
                steps: self.steps,
                mix: self.mix,
                // The papers' protocol, in which what the model answers is checked by nobody.
                audit: (self.mix.is_some() || self.select.is_some()).then_some(Audit::NONE),
                select: self.select,
                eliminate: self.eliminate,
                ..Choices::default()
            },
            feedback: Feedback::Recorded,
            runs: self.runs,
            delay: self.delay,
            systems: self.systems,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment(text: &str) -> Experiment {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn cells_are_the_combinations_of_what_is_listed() {
        let asked =
            experiment("data = [\"a\", \"b\"]\nbandit = [\"rmed\", \"rcs:alpha=1\"]\nruns = 3\n");
        let cells = cells(asked).unwrap();
        let of = |cell: &Settings| format!("{} {}", cell.data, cell.label);
        let names: Vec<String> = cells.iter().map(of).collect();
        assert_eq!(
            names,
            ["a rmed", "a rcs:alpha=1", "b rmed", "b rcs:alpha=1"]
        );
        assert!(cells.iter().all(|cell| cell.runs == 3));
    }

    #[test]
    fn defaults_fill_what_an_experiment_leaves_open() {
        let asked = experiment("mix = [0.2, 0.8]\nmetric = \"chrf\"\nlink = \"linear\"\n");
        let asked = asked.or(experiment("data = \"a\"\nmix = 0.5\nbudget = 10\n"));
        let cells = cells(asked).unwrap();
        let mix: Vec<Option<f64>> = cells.iter().map(|cell| cell.number(Key::Mix)).collect();
        assert_eq!(mix, [Some(0.2), Some(0.8)]);
        assert_eq!(
            (cells[0].number(Key::Budget), cells[0].text(Key::Data)),
            (Some(10.0), Some("a".into()))
        );
    }

    #[test]
    fn help_may_be_left_to_advice() {
        let asked = experiment("data = \"a\"\nmix = [\"auto\", 0.5]\neliminate = \"auto\"\n");
        let cells = cells(asked).unwrap();
        let of = |cell: &Settings| (cell.mix, cell.number(Key::Mix), cell.number(Key::Alpha));
        let found: Vec<_> = cells.iter().map(of).collect();
        assert_eq!(
            found,
            [
                (Some(Setting::Auto), None, None),
                (Some(Setting::Value(0.5)), Some(0.5), None)
            ]
        );
        assert_eq!(cells[0].ranking().choices.eliminate, Some(Eliminate::Auto));
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        for text in [
            "bandit = \"rmed\"",
            "data = \"a\"\nmetric = \"chrf\"",
            "data = \"a\"\nmeasure = \"sentence-accuracy\"",
            "data = \"a\"\nmeasure = \"judgments\"\nbandit = \"rmed\"",
            "data = \"a\"\nmeasure = \"judgments\"\ncriterion = \"c\"",
            "data = \"a\"\nmetric = \"chrf\"\nlink = \"linear\"\ndropout = \"last-layer\"",
            "data = \"a\"\nmetric = \"chrf\"\nlink = \"linear\"\ndraws = \"adaptive\"",
            "data = \"a\"\nmeasure = \"variance\"",
            "data = \"a\"\nmeasure = \"variance\"\ncriterion = \"c\"\nmetric = \"chrf\"",
            "data = \"a\"\nmeasure = \"correlation\"\ncriterion = \"c\"",
            "data = \"a\"\nmeasure = \"data-efficiency\"\ncriterion = \"c\"\nmetric = \"chrf\"\nbudget = 100",
            "data = \"a\"\nmeasure = \"savings\"\ncriterion = \"c\"\nmetric = \"chrf\"\nruns = 9\nbudget = [100, 9]",
            "data = \"a\"\nmeasure = \"correlation\"\ncriterion = \"c\"\nmetric = \"chrf\"\nuncertainty = \"others\"",
        ] {
            assert!(cells(experiment(text)).is_err(), "{text}");
        }
        assert!(toml::from_str::<Experiment>("data = []").is_err());
    }
}
