//! The keys of an experiment: its own, and those of the stage that it runs.

use super::measure::{CellMeasure, MeasureSubject};
use super::shown::{CellKey, SYSTEM};
use crate::inputs::judging::{JudgmentSelection, PartsRule};
use crate::inputs::source::{Alteration, Source};
use crate::stages::estimate::EstimateStage;
use crate::stages::setting::Audit;
use crate::stages::simulate::{Count, Simulate};
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::axes::words;
use tiebreak_base::keys::{Keys, ParameterizedName, one_or_more};
use tiebreak_base::message;
use tiebreak_base::registry::find_entry;
use tiebreak_decide::estimators::{ESTIMATORS, Metrics};
use tiebreak_preference::preference::links::LINKS;
use tiebreak_preference::preference::{Draws, Options};
use toml::Value;

/// A cell of a file of experiments: everything that decides its numbers, but for the seed and the data; and
/// its label. In the file a list of values is an axis, and an experiment every combination of its axes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct ExperimentSettings {
    /// The name in tables and plots; by default the bandit, the estimator, the metric or the model.
    pub label: Option<String>,
    pub measure: CellMeasure,
    /// The data set, by its folder below the data root.
    pub data: String,
    /// The data set on which links, and the thresholds of models, are fitted; by default links on the
    /// data set itself, thresholds of models on half of its items for the other half.
    pub validation: Option<String>,
    /// The metric whose preferences help, or are evaluated themselves.
    pub metric: Option<ParameterizedName>,
    /// The link that turns its scores into preferences. Its draws are `draws`.
    pub link: Option<String>,
    /// How its preferences, or those of `predictions`, are made wrong on purpose; by default they are not.
    pub altered: Option<Alteration>,
    /// The criterion of the judgments, where single outputs are judged.
    pub criterion: Option<String>,
    /// The transform of judgments; by default none.
    pub scale: Option<JudgmentTransform>,
    /// The rule that combines judgments of an item's parts; by default each stands for itself.
    pub parts: Option<PartsRule>,
    /// The estimator whose data efficiency or savings are measured; by default control variates.
    pub estimator: Option<ParameterizedName>,
    /// Further metrics, for estimators that use several.
    #[serde(with = "one_or_more")]
    pub beside: Vec<ParameterizedName>,
    /// The uncertainty by which outputs are chosen to be judged; by default at random.
    pub uncertainty: Option<SamplingUncertainty>,
    /// The keys of `simulate` for the runs. A model answers as in the papers, unaudited, unless `audit` is
    /// given; `cache` is a folder for the predictions of all cells.
    #[serde(flatten)]
    pub simulate: Simulate,
    /// The system of these numbers, where a cell is shown system by system; decides nothing.
    #[serde(skip)]
    pub system: Option<String>,
}

/// A transform of judgments before anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum JudgmentTransform {
    /// Natural logarithms, as for magnitudes that people choose freely.
    Log,
}

/// The uncertainty by which outputs are chosen to be judged, if not at random: the distance of judgments from what the
/// metric predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SamplingUncertainty {
    /// The distance on the same item with other systems.
    Others,
    /// The distance on the output itself: more than can be known beforehand.
    Perfect,
}

impl ExperimentSettings {
    /// The keys of `simulate`, with the metric's predictions among its predictions.
    pub(super) fn stage(&self) -> Simulate {
        let mut stage = self.simulate.clone();
        let choices = &mut stage.choices;
        if let Some(metric) = &self.metric {
            choices.predictions.push(metric.label());
            choices.asking = Options::default(); // the draws are the metric's
        }
        if choices.mix.is_some() || choices.select.is_some() {
            choices.audit.get_or_insert(Audit::NONE);
        }
        stage
    }

    /// Whether it names something that a data set may lack.
    pub(super) fn names_what_data_has(&self) -> bool {
        self.criterion.is_some() || self.simulate.systems.is_some()
    }

    /// Checks that the data set has what is named.
    pub(super) fn fits(&self, source: &Source) -> Result<()> {
        let criterion = self.criterion.as_deref();
        let judging = criterion.map(|name| JudgmentSelection::new(source, Some(name), None));
        let judging = judging.transpose().map(drop);
        judging.map_err(Error::of_key("criterion"))?;
        let systems = source.systems().len();
        self.simulate.check_systems(systems)
    }

    /// All metrics, with the keys that name them.
    pub(super) fn metrics(&self) -> impl Iterator<Item = (&'static str, &ParameterizedName)> {
        let beside = self.beside.iter().map(|metric| ("beside", metric));
        let first = self.metric.iter().map(|metric| ("metric", metric));
        first.chain(beside)
    }

    /// The preference model, if one predicts.
    pub(super) fn model(&self) -> Option<&str> {
        self.simulate.choices.model.as_deref()
    }

    /// The options with which the model is asked.
    pub(super) fn asking(&self) -> Options {
        let choices = &self.simulate.choices;
        match choices.asked() {
            Some(asked) if self.measure.of == MeasureSubject::Replays => asked.how,
            _ => choices.asking.clone(),
        }
    }

    /// The draws of metrics, where there are any.
    pub(super) fn draws(&self) -> Option<usize> {
        self.simulate.choices.asking.draws.and_then(Draws::number)
    }

    /// The estimator, where one is measured.
    pub(super) fn estimator(&self) -> ParameterizedName {
        let usual = || ParameterizedName::new("control-variates");
        self.estimator.clone().unwrap_or_else(usual)
    }

    /// Judgments in a campaign.
    pub(super) fn budget(&self) -> u64 {
        self.simulate.choices.budget.map_or(0, Count::value)
    }

    /// The confidence of every interval.
    pub(super) fn confidence(&self) -> f64 {
        self.simulate.choices.confidence.value()
    }

    /// The name in tables and plots.
    pub(super) fn label(&self) -> String {
        self.label.clone().unwrap_or_else(|| self.plain_label())
    }

    /// The same keys with their label, for readers who do not know how cells are named.
    pub(super) fn labelled(&self) -> Self {
        Self {
            label: Some(self.label()),
            ..self.clone()
        }
    }

    pub(super) fn plain_label(&self) -> String {
        (self.measure.label)(self)
    }

    /// The name of what predicts, or of the data set where nothing does.
    pub(super) fn predictor(&self) -> String {
        let model = || self.model().unwrap_or(&self.data).to_string();
        self.metric
            .as_ref()
            .map_or_else(model, ParameterizedName::label)
    }

    /// The name of the estimator, and the uncertainty by which outputs are chosen for it.
    pub(super) fn estimating(&self) -> String {
        let by = self.value("uncertainty");
        let by = by.map_or_else(String::new, |by| format!(", {}", words(&by)));
        self.estimator().label() + &by
    }

    /// The keys that decide its numbers.
    pub(super) fn decisive(&self) -> toml::Table {
        let mut keys = self.resolved();
        keys.retain(|key, _| !["label", "cache"].contains(&key));
        keys
    }

    /// The value of a key, which may be one within `eliminate`.
    fn value(&self, name: &str) -> Option<Value> {
        let keys = self.resolved();
        let inner = || keys.get("eliminate").and_then(|how| how.get(name));
        keys.get(name).or_else(inner).cloned()
    }

    /// The value of a key as text; `None` where the cell has none.
    pub(super) fn text(&self, key: &CellKey) -> Option<String> {
        match key.name() {
            "label" => Some(self.label()),
            "metric" => self.metric.as_ref().map(ParameterizedName::label),
            SYSTEM => self.system.clone(),
            name => self
                .value(name)
                .map(|value| words(&value))
                .filter(|text| !text.is_empty()),
        }
    }

    /// The value of a key as a number, for `select` its threshold; `None` for names and where the cell has
    /// none.
    pub(super) fn number(&self, key: &CellKey) -> Option<f64> {
        let value = self.value(key.name())?;
        number(value.get("above").unwrap_or(&value))
    }

    /// The name of a cell by some of its keys, such as `mixing, chrf`.
    pub(super) fn name(&self, keys: &[CellKey]) -> String {
        let parts: Vec<String> = keys.iter().filter_map(|key| self.text(key)).collect();
        parts.join(", ")
    }
}

fn number(value: &Value) -> Option<f64> {
    let whole = value.as_integer().map(|number| number as f64);
    whole.or(value.as_float())
}

impl Keys for ExperimentSettings {
    fn check(&self) -> Result<()> {
        if self.data.is_empty() {
            return Err(Error::key(
                "data",
                message!("an experiment needs {}", Key("data")),
            ));
        }
        let given = self.non_default();
        if let Some(key) = given.iter().find(|key| !self.measure.takes(key)) {
            return Err(Error::key(key, CellMeasure::of_others(key)));
        }
        if let Some(link) = &self.link {
            find_entry("link", LINKS, link).map_err(Error::of_key("link"))?;
        }
        self.check_source()?;
        if self.altered.is_some() && self.stage().choices.predictions.is_empty() {
            let wrong = message!(
                "this alters {}, or what a {} predicts, and neither is given",
                Key("predictions"),
                Key("metric")
            );
            return Err(Error::key("altered", wrong));
        }
        if self.measure.rates() {
            return self.check_rated();
        }
        if self.measure.of != MeasureSubject::Replays {
            return Ok(());
        }
        self.stage().check().map_err(|error| match error.hint() {
            None => error.with_hint(message!(
                "a {} with a {} makes predictions, too",
                Key("metric"),
                Key("link")
            )),
            Some(_) => error,
        })
    }
}

impl ExperimentSettings {
    /// Checks the source of predictions: a metric with a link, or a model.
    fn check_source(&self) -> Result<()> {
        let asking = &self.simulate.choices.asking;
        let (draws, of_models) = (asking.draws, asking.first_but(&["draws"]));
        let adaptive = draws.is_some_and(|draws| draws.number().is_none());
        let (key, wrong) = match (&self.metric, &self.link, self.model()) {
            (Some(_), _, Some(_)) => ("model", "a model stands in place of a metric with a link"),
            (Some(_), None, _) if !self.measure.rates() => {
                ("metric", "expected a metric together with a link")
            }
            (None, Some(_), _) => ("link", "expected a metric together with a link"),
            (None, None, None) if self.measure.of == MeasureSubject::Predictions => {
                let wrong = "this needs a model, or a metric together with a link";
                ("measure", wrong)
            }
            (_, _, None) if of_models.is_some() || adaptive => {
                let wrong = "this is for a model, and none is named";
                (of_models.as_deref().unwrap_or("draws"), wrong)
            }
            (Some(_), ..) if self.stage().choices.needs_uncertainty() && draws.is_none() => {
                let wrong = message!(
                    "select by bald or std, and eliminate with alpha above 0, need {} of the metric",
                    Key("draws")
                );
                let error = Error::key("metric", wrong);
                return Err(error.with_hint(
                    "select by closeness to a half (margin:T), or let the metric answer at random: mix = 0.5",
                ));
            }
            _ => return Ok(()),
        };
        Err(Error::key(key, wrong))
    }

    /// Checks the keys for judgments of single outputs.
    fn check_rated(&self) -> Result<()> {
        let (key, wrong) = if self.criterion.is_none() {
            let wrong = message!("this needs the {} of the judgments", Key("criterion"));
            ("measure", wrong)
        } else if self.metric.is_none() && self.measure.needs_metric {
            ("measure", message!("this needs a {}", Key("metric")))
        } else if self.measure.of != MeasureSubject::Campaigns {
            return Ok(());
        } else if self.simulate.runs.value() < 2 {
            ("runs", "this measure needs at least 2".into())
        } else if self.budget() < 10 {
            ("budget", "this measure needs at least 10 judgments".into())
        } else {
            return self.check_estimator();
        };
        Err(Error::key(key, wrong))
    }

    fn check_estimator(&self) -> Result<()> {
        let named = self.estimator();
        let entry = find_entry("estimator", ESTIMATORS, &named.name);
        let entry = entry.map_err(Error::of_key("estimator"))?;
        if entry.build.metrics != Metrics::Several && !self.beside.is_empty() {
            let what = format!("{} does not use several metrics", named.name);
            return Err(Error::key("beside", what).with_hint("leave it out"));
        }
        let estimate = EstimateStage {
            estimator: Some(named),
            metric: self.metric.iter().cloned().collect(),
            ..EstimateStage::default()
        };
        estimate.check()
    }
}
