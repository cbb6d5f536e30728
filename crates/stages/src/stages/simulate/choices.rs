//! Choices of how a bandit compares systems: what replays and campaigns have in common.

use crate::engine::names::stem;
use crate::stages::predict::OnDemandOptions;
use crate::stages::setting::{Audit, Eliminate, Select, Setting};
use crate::stages::site::model_beside;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use tiebreak_base::claims::SkipPremise;
use tiebreak_base::cost::Cost;
use tiebreak_base::error::{Error, Key, Message, Result};
use tiebreak_base::keys::{
    self, Confidence, Keys, ParameterizedName, PositiveNumber, Share, one_or_more,
};
use tiebreak_base::message;
use tiebreak_base::registry::find_entry;
use tiebreak_decide::bandits::{Arena, BANDITS, Uses};
use tiebreak_preference::preference::{DRAWS, Options};

/// The number of systems of a data set not known yet: enough for any parameter that counts them.
const MANY: usize = 256;

/// A number of answers or steps.
pub type Count = keys::MinimumInteger<1, 1>;

/// How systems are compared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Choices {
    /// The bandit, which chooses the next question: NAME, or with parameters NAME:key=value,key=value
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", value_parser = tiebreak_base::keys::flag::<BanditChoice>, default_value_t))]
    pub bandit: BanditChoice,
    /// Stop after so many questions [default: 10,000; simulate: at least four times the comparisons; ratings: all
    /// outputs]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = tiebreak_base::keys::flag::<Count>))]
    pub budget: Option<Count>,
    /// Stop after so many hours of answering, where seconds are recorded [default: no limit]
    #[cfg_attr(feature = "cli", arg(long, value_name = "H", value_parser = tiebreak_base::keys::flag::<PositiveNumber>))]
    pub hours: Option<PositiveNumber>,
    /// Stop when answers cost so much, by the prices of the comparisons [default: no limit]
    #[cfg_attr(feature = "cli", arg(long, value_name = "M", value_parser = tiebreak_base::keys::flag::<PositiveNumber>))]
    pub money: Option<PositiveNumber>,
    /// Stop after so many steps, free ones included [default: ten times the budget]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = tiebreak_base::keys::flag::<Count>))]
    pub steps: Option<Count>,
    /// Predictions of preferences, as a hint; several files are weighed by how well each does
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    #[serde(with = "one_or_more")]
    pub predictions: Vec<String>,
    /// Instead: a preference model, which predicts the pairs that are needed (adaptive: all of them first), each once
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME|DIR|HUB-ID"))]
    pub model: Option<String>,
    /// How it is asked.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub asking: Options,
    /// Predict so many items of each pair, drawn by the seed, where all predictions are needed at once [default: all;
    /// a judge: 40]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = tiebreak_base::keys::flag::<Count>))]
    pub sample: Option<Count>,
    /// Keep the model's predictions in this folder, for later commands [default: predictions, in the folder of the
    /// run]
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR"))]
    pub cache: Option<PathBuf>,
    /// Let the model answer this share of questions at random; auto: as much as its accuracy on people's answers
    /// deserves
    #[cfg_attr(feature = "cli", arg(long, value_name = "P|auto", value_parser = tiebreak_base::keys::flag::<Setting<Share>>))]
    pub(crate) mix: Option<Setting<Share>>,
    /// Ask people only where the model is unsure: bald:T, std:T or margin:T (1 − |2p − 1| is at least T). T may be
    /// auto; auto alone is bald:auto
    #[cfg_attr(feature = "cli", arg(long, value_name = "RULE:T|auto", value_parser = tiebreak_base::keys::flag::<Select>))]
    pub(crate) select: Option<Select>,
    /// Share of the model's answers that people check (0: no proof); neyman:P checks doubtful ones more [default: 0.1
    /// with mix, 0.5 with select]
    #[cfg_attr(feature = "cli", arg(long, value_name = "P|neyman:P", value_parser = tiebreak_base::keys::flag::<Audit>))]
    pub(crate) audit: Option<Audit>,
    /// Drop weak systems first, by predictions: alpha=A,copeland=C,formula=paper|released; auto: once people's
    /// judgments agree with them
    #[cfg_attr(feature = "cli", arg(long, value_name = "HOW|auto", num_args = 0..=1,
          default_missing_value = "", value_parser = tiebreak_base::keys::flag::<Eliminate>))]
    pub(crate) eliminate: Option<Eliminate>,
    /// Confidence of intervals and of what is proved
    #[cfg_attr(feature = "cli", arg(long, value_name = "C", value_parser = tiebreak_base::keys::flag::<Confidence>, default_value_t))]
    pub confidence: Confidence,
    /// What to assume of skipped questions: worst-case, odds:G (preferences have odds of at most G), no-preference
    #[cfg_attr(feature = "cli", arg(long, value_name = "PREMISE", value_parser = tiebreak_base::keys::flag::<SkipPremise>, default_value_t))]
    pub skips: SkipPremise,
    /// Draw no comparison twice; the proof is then about these answers alone (adaptive)
    #[cfg_attr(feature = "cli", arg(long))]
    pub without_replacement: bool,
}

/// A bandit with its parameters; `adaptive` where none is named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BanditChoice(pub ParameterizedName);

impl Default for BanditChoice {
    fn default() -> Self {
        Self(ParameterizedName::new("adaptive"))
    }
}

impl fmt::Display for BanditChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Choices {
    /// The model that is asked for predictions on demand, if there is one.
    pub(crate) fn asked(&self) -> Option<OnDemandOptions> {
        let draws = if self.needs_uncertainty() { DRAWS } else { 0 };
        self.model.as_ref().map(|model| OnDemandOptions {
            model: model.clone(),
            how: Options {
                draws: self.asking.draws.or(Some(draws.into())),
                ..self.asking.clone()
            },
            sample: self.sample.map(Count::value),
            cache: self.cache.clone(),
        })
    }

    /// The limits on the cost of people's answers.
    pub fn cost(&self) -> Cost {
        Cost {
            seconds: self.hours.map(|hours| 3600.0 * hours.value()),
            price: self.money.map(PositiveNumber::value),
        }
    }

    /// Whether the choices use BALD or STD of predictions.
    pub fn needs_uncertainty(&self) -> bool {
        self.select.is_some_and(|how| how.by.needs_draws())
            || self.eliminate.is_some_and(|how| how.options().alpha > 0.0)
    }

    /// The first key that lets a model answer or eliminate.
    pub(super) fn answers(&self) -> Option<&'static str> {
        let all = [
            ("mix", self.mix.is_some()),
            ("select", self.select.is_some()),
            ("eliminate", self.eliminate.is_some()),
        ];
        all.into_iter()
            .find_map(|(key, given)| given.then_some(key))
    }

    /// The information that the bandit uses.
    ///
    /// # Errors
    /// An unknown bandit, or parameters it does not take.
    pub fn uses(&self) -> Result<Uses> {
        let BanditChoice(ParameterizedName { name, params }) = &self.bandit;
        let entry = find_entry("bandit", BANDITS, name)?;
        Ok((entry.build)(params, &Arena::new(MANY, 1)?)?.uses())
    }

    /// Returns the choices with their paths, which are relative to `folder`, resolved. A model may also
    /// go by a name that is no path.
    #[must_use]
    pub fn resolve_paths(&self, folder: &Path) -> Self {
        let model = self.model.as_ref().map(|name| model_beside(folder, name));
        Self {
            model,
            asking: self.asking.clone().rebase_paths(folder),
            cache: self.cache.as_ref().map(|path| folder.join(path)),
            ..self.clone()
        }
    }

    /// The label in the report, by what tells the choices from others.
    pub fn label(&self) -> String {
        let mut name = self.bandit.0.slug();
        for predictions in self.predictions.iter().chain(&self.model) {
            name += &format!("+{}", stem(Path::new(predictions)));
        }
        if let Some(mix) = self.mix {
            name += &format!("+mix-{mix}");
        }
        if let Some(select) = &self.select {
            name += &format!("+{}-{}", select.by, select.above);
        }
        if self.eliminate.is_some() {
            name += "+eliminate";
        }
        if self.without_replacement {
            name += "+without-replacement";
        }
        name
    }

    fn check_answers(&self, uses: Uses) -> Result<()> {
        let number = self.predictions.len() + usize::from(self.model.is_some());
        match (number, self.answers()) {
            (0, Some(key)) => {
                let what = message!(
                    "a model can answer or eliminate only with {} or {}",
                    Key("predictions"),
                    Key("model")
                );
                Err(Error::key(key, what))
            }
            (2.., Some(_)) => {
                let what = format!("{number} predictions to answer or eliminate by, expected 1");
                Err(Error::key("predictions", what).with_hint(message!(
                    "the mean of several is only where a bandit starts from: leave out {}, {} and {}",
                    Key("mix"),
                    Key("select"),
                    Key("eliminate")
                )))
            }
            (1.., None) if !uses.margins => {
                let key = if self.model.is_some() {
                    "model"
                } else {
                    "predictions"
                };
                let what = "the predictions have no use yet";
                Err(Error::key(key, what).with_hint(message!(
                    "let it answer ({} or {}), drop systems first ({}), or use a bandit that starts from predictions \
                     (adaptive)",
                    Key("mix"),
                    Key("select"),
                    Key("eliminate")
                )))
            }
            _ => Ok(()),
        }
    }

    /// Checks drawing without replacement: the bandit must know what is left, and all that is drawn have an answer of
    /// people.
    fn check_replacement(&self, uses: Uses) -> Result<()> {
        let refuse = |what: Message| Err(Error::key("without-replacement", what));
        if !self.without_replacement {
            return Ok(());
        }
        if !uses.stock {
            let what =
                "this bandit does not know when a pair has no comparisons left; `adaptive` does";
            return refuse(what.into());
        }
        if let Some(key) = self.answers() {
            return refuse(message!(
                "it cannot be combined with {}: a model's answers are not among the comparisons",
                Key(key)
            ));
        }
        if self.skips != SkipPremise::WorstCase {
            return refuse(message!(
                "it cannot be combined with {}: a skipped question has no answer, so it counts as the worst one",
                Key("skips")
            ));
        }
        Ok(())
    }

    /// Whether the choices need all predictions at once.
    fn surveys(&self, uses: Uses) -> bool {
        let select = self.select.map(|how| how.above);
        uses.margins || self.eliminate.is_some() || select == Some(Setting::Auto)
    }

    fn check_model(&self, uses: Uses) -> Result<()> {
        if self.model.is_some() {
            if !self.predictions.is_empty() {
                let what = message!(
                    "{} and a {} to ask for them, expected one of the two",
                    Key("predictions"),
                    Key("model")
                );
                return Err(Error::key("model", what));
            }
            if self.sample.is_some() && !self.surveys(uses) {
                let what = "nothing needs all predictions at once, so there is nothing to sample";
                return Err(Error::key("sample", what).with_hint("leave it out"));
            }
            return Ok(());
        }
        let sample = self.sample.map(|_| "sample".to_string());
        let cache = self.cache.as_ref().map(|_| "cache".to_string());
        match self.asking.first_but(&[]).or(sample).or(cache) {
            None => Ok(()),
            Some(key) => {
                let what = "this is for a model that predicts on demand, and none is named";
                Err(Error::key(&key, what).with_hint(message!("name one: {}", Key("model"))))
            }
        }
    }
}

impl Keys for Choices {
    fn check(&self) -> Result<()> {
        let uses = self.uses().map_err(Error::of_key("bandit"))?;
        if let Some(Eliminate::As(options)) = self.eliminate {
            options.check().map_err(Error::of_key("eliminate"))?;
        }
        if let (Some(steps), Some(budget)) = (self.steps, self.budget)
            && steps < budget
        {
            let what = format!("{steps} steps, fewer than the budget of {budget} judgments");
            return Err(Error::key("steps", what));
        }
        if self.mix.is_some() && self.select.is_some() {
            let what = message!(
                "{} and {} are two ways of letting the model answer",
                Key("mix"),
                Key("select")
            );
            return Err(Error::key("select", what).with_hint("leave one of them out"));
        }
        if self.audit.is_some() && self.mix.is_none() && self.select.is_none() {
            let what = "people can check a model's answers only where it answers";
            return Err(Error::key("audit", what).with_hint(message!(
                "let it answer ({} or {}), or leave {} out",
                Key("mix"),
                Key("select"),
                Key("audit")
            )));
        }
        self.check_model(uses)?;
        self.check_answers(uses)?;
        self.check_replacement(uses)
    }
}
