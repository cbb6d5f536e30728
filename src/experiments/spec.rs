//! What a grid asks for: experiments whose settings may be lists, and the tables and plots made of
//! their cells.

use crate::encoders::{Precision, Scope};
use crate::inputs::judging::Parts;
use crate::keys::named::Named;
use crate::keys::setting::Select;
use crate::keys::setting::{Eliminate, Setting};
use crate::preference::Draws;
use crate::stages::asking::Asking;
use crate::stages::simulate::Count;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use toml::Spanned;

/// A file of experiments.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Grid {
    /// The seed of everything random.
    pub seed: Option<u64>,
    /// The folder that holds the data sets, relative to where the command runs.
    pub data_root: Spanned<PathBuf>,
    /// What holds for every experiment that does not say otherwise.
    #[serde(default)]
    pub defaults: Experiment,
    /// The experiments. Every combination of the values they list is a cell.
    pub experiment: Vec<Spanned<Experiment>>,
    /// Tables of the cells.
    #[serde(default)]
    pub table: Vec<Spanned<Table>>,
    /// Plots of the cells.
    #[serde(default)]
    pub plot: Vec<Spanned<Plot>>,
}

/// One value or a list of them; a list is an axis of the grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis<T>(pub Vec<T>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Axis<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = match toml::Value::deserialize(deserializer)? {
            toml::Value::Array(values) if values.is_empty() => {
                return Err(D::Error::custom(
                    "an empty list, expected at least one value",
                ));
            }
            toml::Value::Array(values) => values,
            one => vec![one],
        };
        let values = values.into_iter().map(toml::Value::try_into);
        let values = values.collect::<Result<_, toml::de::Error>>();
        values.map(Self).map_err(D::Error::custom)
    }
}

/// Whether something with this label is shown where `only` some are.
pub fn shows(only: Option<&Axis<String>>, label: &str) -> bool {
    only.is_none_or(|Axis(labels)| labels.iter().any(|one| one == label))
}

/// What is measured in every cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Human annotations until a bandit names the best system reliably.
    #[default]
    AnnotationComplexity,
    /// How many human judgments a metric predicts.
    SentenceAccuracy,
    /// How good the predictions of a metric or model are, and what their uncertainty is worth.
    Assessment,
    /// How many judgments a data set holds, and of which kind.
    Judgments,
    /// How much outputs and annotators contribute to the variance of judgments.
    Variance,
    /// How a metric's scores go with people's judgments.
    Correlation,
    /// How many judgments an estimator saves, by resampled campaigns.
    DataEfficiency,
    /// How far estimates are from the truth at a number of judgments, and how often intervals hold it.
    Savings,
    /// Which improvements a metric does not see.
    Improvements,
}

impl Measure {
    /// Whether it is of judgments of single outputs, under one criterion.
    pub fn rates(self) -> bool {
        matches!(
            self,
            Self::Variance
                | Self::Correlation
                | Self::DataEfficiency
                | Self::Savings
                | Self::Improvements
        )
    }

    /// Whether it simulates campaigns of judging single outputs.
    pub fn simulates(self) -> bool {
        matches!(self, Self::DataEfficiency | Self::Savings)
    }
}

/// What is done to judgments before anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Natural logarithms, as for magnitudes that people choose freely.
    Log,
}

/// By what outputs are chosen to be judged, where not at random: by how far judgments are from what the
/// metric predicts,
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Uncertainty {
    /// on the same item with other systems.
    Others,
    /// on the output itself: more than can be known beforehand.
    Perfect,
}

/// An experiment: as a ranking stage, but that most of its settings may be lists.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// How tables and plots call its cells; by default the bandit or the metric.
    pub label: Option<String>,
    /// What is measured.
    pub measure: Option<Measure>,
    /// Data sets, by their folders below the data root.
    pub data: Option<Axis<String>>,
    /// Bandits.
    pub bandit: Option<Axis<Named>>,
    /// Numbers of systems: the best, and others drawn by the seed.
    pub systems: Option<Axis<usize>>,
    /// Metrics whose preferences help, or are measured themselves.
    pub metric: Option<Axis<Named>>,
    /// Preference models, by name, folder or hub id, in place of a metric with a link.
    pub model: Option<Axis<String>>,
    /// Links that turn a metric's scores into preferences.
    pub link: Option<Axis<String>>,
    /// The data set on which links, and the thresholds of models, are fitted; by default links on the
    /// data set itself, thresholds of models on half of its items for the other half.
    pub validation: Option<String>,
    /// Monte Carlo draws of metrics that have dropout, and of models; those of models may be `adaptive:…`.
    pub draws: Option<Draws>,
    /// Where models have dropout in a draw; by default everywhere.
    pub dropout: Option<Scope>,
    /// In which precision models multiply; by default `f32`.
    pub precision: Option<Precision>,
    /// Shares of the questions that the metric answers, at random, or as advised.
    pub mix: Option<Axis<Setting>>,
    /// Where people are asked: where the uncertainty is at least `above`.
    pub select: Option<Axis<Select>>,
    /// How hopeless systems are dropped first.
    pub eliminate: Option<Axis<Eliminate>>,
    /// By how many questions answers are late.
    pub delay: Option<Axis<usize>>,
    /// The criterion of the judgments, where single outputs are judged.
    pub criterion: Option<Axis<String>>,
    /// What is done to judgments first; by default nothing.
    pub scale: Option<Scale>,
    /// What judgments of an item's parts come to; by default each stands for itself.
    pub parts: Option<Parts>,
    /// Estimators whose data efficiency or savings are measured; by default control variates.
    pub estimator: Option<Axis<Named>>,
    /// Further metrics, for estimators that use several.
    pub beside: Option<Vec<Named>>,
    /// By what outputs are chosen to be judged; by default at random.
    pub uncertainty: Option<Axis<Uncertainty>>,
    /// Independent runs.
    pub runs: Option<u64>,
    /// Human annotations per run.
    pub budget: Option<Axis<Count>>,
    /// Steps per run, free ones included; by default ten times the budget.
    pub steps: Option<Count>,
}

impl Experiment {
    /// How its models are asked.
    pub(super) fn asking(&self) -> Asking {
        Asking {
            draws: self.draws,
            dropout: self.dropout,
            precision: self.precision,
            ..Asking::default()
        }
    }

    /// Whether it asks for what only a model can do.
    pub(super) fn asks_a_model(&self) -> bool {
        let adaptive = self.draws.is_some_and(|draws| draws.number().is_none());
        adaptive || self.dropout.is_some() || self.precision.is_some()
    }

    /// This experiment, with what it does not say taken from `defaults`.
    #[must_use]
    pub fn or(self, defaults: Self) -> Self {
        // One stands in place of the other.
        let (by_model, by_metric) = (self.model.is_some(), self.metric.is_some());
        Self {
            label: self.label.or(defaults.label),
            measure: self.measure.or(defaults.measure),
            data: self.data.or(defaults.data),
            bandit: self.bandit.or(defaults.bandit),
            systems: self.systems.or(defaults.systems),
            metric: self.metric.or(defaults.metric.filter(|_| !by_model)),
            link: self.link.or(defaults.link.filter(|_| !by_model)),
            model: self.model.or(defaults.model.filter(|_| !by_metric)),
            validation: self.validation.or(defaults.validation),
            draws: self.draws.or(defaults.draws),
            dropout: self.dropout.or(defaults.dropout),
            precision: self.precision.or(defaults.precision),
            mix: self.mix.or(defaults.mix),
            select: self.select.or(defaults.select),
            eliminate: self.eliminate.or(defaults.eliminate),
            delay: self.delay.or(defaults.delay),
            criterion: self.criterion.or(defaults.criterion),
            scale: self.scale.or(defaults.scale),
            parts: self.parts.or(defaults.parts),
            estimator: self.estimator.or(defaults.estimator),
            beside: self.beside.or(defaults.beside),
            uncertainty: self.uncertainty.or(defaults.uncertainty),
            runs: self.runs.or(defaults.runs),
            budget: self.budget.or(defaults.budget),
            steps: self.steps.or(defaults.steps),
        }
    }
}

/// A setting of a cell that tables and plots arrange cells by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // as in `Experiment`; alpha and copeland are those of `eliminate`
pub enum Key {
    Label,
    Data,
    Bandit,
    Systems,
    Metric,
    Model,
    Link,
    Mix,
    Select,
    Alpha,
    Copeland,
    Delay,
    Criterion,
    Estimator,
    Uncertainty,
    Budget,
    /// The systems of the data set, each with its own numbers.
    System,
}

/// A number that a cell found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Human annotations until 95 % of the runs name the best system, and keep naming it.
    AnnotationComplexity,
    /// Human annotations per run.
    MeanAnnotations,
    /// Answers of the model per run.
    ModelAnswers,
    /// The share of the runs that name the best system at their end.
    Accuracy,
    /// The share of the runs that stop by their own certificate.
    Certified,
    /// Systems dropped before the first question.
    Eliminated,
    /// The share of human judgments that a metric or model predicts, over both orders.
    SentenceAccuracy,
    /// The share of decided judgments whose winner is preferred.
    DecidedAccuracy,
    /// Squared error of preferences; a coin has 0.25.
    Brier,
    /// Cross-entropy of preferences in nats; a coin has 0.6931.
    LogLoss,
    /// Expected calibration error.
    CalibrationError,
    /// What rejecting by BALD is worth: 0 as a random order, 1 as an oracle.
    BaldWorth,
    /// The same by STD.
    StdWorth,
    /// The same by 1 − |2p − 1|.
    MarginWorth,
    /// Systems.
    Systems,
    /// Items.
    Items,
    /// Human comparisons.
    Judgments,
    /// The share of comparisons that the system named first lost.
    Losses,
    /// The share of ties.
    Ties,
    /// The share of comparisons that the system named first won.
    Wins,
    /// `σ_f²`, variance of outputs' true means within systems.
    Signal,
    /// `σ_a²`, mean variance of the judgments of one output.
    Noise,
    /// `γ = σ_a²/σ_f²`.
    Gamma,
    /// Pearson's correlation of single judgments and metric, within systems.
    Correlation,
    /// The same, had people judged without noise.
    Rho,
    /// Pearson's correlation of outputs' mean judgments and metric, all systems together.
    InstanceCorrelation,
    /// Pearson's correlation of systems' mean judgments and mean scores.
    SystemCorrelation,
    /// Mean of the outputs' mean judgments.
    HumanMean,
    /// Mean score of the judged outputs.
    MetricMean,
    /// (1 + γ)/(1 − ρ² + γ), judgments of the plain mean for each one with control variates.
    DataEfficiency,
    /// (1 + γ)/(1 − ρ²), the same with annotators who do not differ.
    NoiselessEfficiency,
    /// (1 + γ)/γ, the same with a metric without fault.
    PerfectEfficiency,
    /// Data efficiency as resampled campaigns show it.
    MeasuredEfficiency,
    /// The same with annotators who do not differ.
    MeasuredNoiseless,
    /// The same with a metric that knows the mean of each output's judgments.
    MeasuredPerfect,
    /// The same with a metric that knows the mean of an output's other judgments.
    MeasuredLeaveOneOut,
    /// Mean squared error of the plain mean over that of the estimator.
    VarianceRatio,
    /// The share of 95 % intervals that hold the truth.
    Coverage,
    /// People's gain from improvements that the metric does not see, in standard deviations.
    UnseenHumanGain,
    /// The metric's gain from them.
    UnseenMetricGain,
    /// The share of outputs replaced in them.
    UnseenChanged,
    /// People's gain from outputs that the metric likes, in standard deviations.
    HollowHumanGain,
    /// The metric's gain from them.
    HollowMetricGain,
    /// The share of outputs replaced by them.
    HollowChanged,
}

/// A table with a row for each value of some settings and a column for each value of another.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Table {
    /// The name of its files.
    pub name: String,
    /// What it shows, in a phrase.
    pub title: String,
    /// The labels of the cells it shows; by default all.
    pub only: Option<Axis<String>>,
    /// What tells rows apart.
    #[serde(default = "by_label")]
    pub rows: Axis<Key>,
    /// What tells columns apart; where it is missing, every quantity has a column.
    pub columns: Option<Key>,
    /// What tells tables apart, one for each.
    pub panels: Option<Axis<Key>>,
    /// What the cells show.
    pub value: Axis<Quantity>,
    /// Whether the table is also drawn, as coloured cells.
    #[serde(default)]
    pub drawn: bool,
    /// Published numbers to show beside ours: a CSV file with rows and columns named as here,
    /// relative to the grid's file.
    pub published: Option<PathBuf>,
}

/// Lines with bands, or intervals side by side where the x axis is not of numbers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plot {
    /// The name of its files.
    pub name: String,
    /// What it shows, in a phrase.
    pub title: String,
    /// The labels of the cells it shows; by default all.
    pub only: Option<Axis<String>>,
    /// What is shown where there is no `x`.
    #[serde(default)]
    pub shows: Picture,
    /// The setting along the x axis.
    pub x: Option<Key>,
    /// The quantity along the y axis.
    #[serde(default = "complexity")]
    pub y: Quantity,
    /// What tells series apart.
    #[serde(default = "by_label")]
    pub series: Axis<Key>,
    /// What tells plots apart, one file for each.
    pub panels: Option<Axis<Key>>,
    /// Which axes are logarithmic.
    #[serde(default)]
    pub log: Vec<Direction>,
}

/// A picture that is not of a quantity by a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Picture {
    /// Accuracy by human annotations.
    #[default]
    Accuracy,
    /// Width of 80 % intervals by human judgments.
    Widths,
    /// Metric by human judgment, a dot for every system.
    Systems,
    /// Metric by human judgment, a dot for every output.
    Outputs,
    /// ρ and γ of every cell over lines of equal inverse data efficiency.
    Contour,
}

/// An axis of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Direction {
    X,
    Y,
}

fn by_label() -> Axis<Key> {
    Axis(vec![Key::Label])
}

fn complexity() -> Quantity {
    Quantity::AnnotationComplexity
}
