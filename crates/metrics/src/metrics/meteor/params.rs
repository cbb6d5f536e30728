//! METEOR's parameters, their defaults by task, and what they must satisfy.

use super::statistics::{MeteorWeights, SLOTS};
use super::words::Module;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tiebreak_base::error::{Error, Result};

/// The parameters of `meteor`, named as the jar's flags.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeteorParams {
    /// `-l`: the language.
    pub language: Language,
    /// `-t`: what the weights were tuned for; only for English.
    pub task: MeteorTask,
    /// `-norm`: whether texts are tokenised and lower-cased; by default for English only.
    pub norm: Option<bool>,
    /// `-lower`: whether texts are lower-cased only.
    pub lower: bool,
    /// `-noPunct`: whether `norm` drops punctuation.
    pub no_punct: bool,
    /// `-m`: modules with a space or + between them: exact, and then stem, synonym and paraphrase or
    /// not (by default all that have their tables for English, exact alone for others).
    pub modules: Option<String>,
    /// `-w`: the weight of each module, with a space or + between them.
    pub weights: Option<String>,
    /// First number of `-p`: what recall weighs against precision, 0 to 1.
    pub alpha: Option<f64>,
    /// Second number of `-p`: how fragmentation is bent, 0 or more.
    pub beta: Option<f64>,
    /// Third number of `-p`: the largest penalty for fragmentation, 0 to 1.
    pub gamma: Option<f64>,
    /// Fourth number of `-p`: what content words weigh against function words, 0 to 1.
    pub delta: Option<f64>,
    /// `-x`: how many paths the aligner follows; 40 by default.
    pub beam_size: Option<usize>,
    /// The folder of METEOR's tables; needed for English.
    pub resources: Option<PathBuf>,
    /// `-a`: the table of paraphrases; needed for the module paraphrase.
    pub paraphrases: Option<PathBuf>,
}

/// METEOR's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Any other language: weights known to be safe, no tables.
    Other,
}

/// What METEOR's English weights were tuned for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MeteorTask {
    /// Human rankings of systems (WMT09 and WMT10).
    #[default]
    Rank,
    /// Human adequacy scores.
    Adq,
    /// Post-editing effort.
    Hter,
}

impl MeteorParams {
    pub(super) fn normalizes(&self) -> bool {
        self.norm.unwrap_or(self.language == Language::En)
    }

    pub(super) fn beam(&self) -> usize {
        self.beam_size.unwrap_or(40)
    }

    /// # Errors
    /// [`Error::Usage`] for parameters that do not fit together.
    pub(super) fn check(&self) -> Result<()> {
        let what = if self.normalizes() && self.language != Language::En {
            "norm knows English only; lower=true does for other languages"
        } else if self.no_punct && !self.normalizes() {
            "no-punct is done by norm, which is off"
        } else if self.language != Language::En && self.task != MeteorTask::Rank {
            "task chooses among weights for English"
        } else if self.beam() == 0 {
            "beam-size is 0, expected 1 or more"
        } else {
            return Ok(());
        };
        Err(Error::usage(format!("meteor: {what}")))
    }

    /// # Errors
    /// [`Error::Usage`] for a module that there is not or that is given twice, or if exact is not the first.
    pub(super) fn modules(&self) -> Result<Vec<Module>> {
        let Some(given) = &self.modules else {
            return Ok(match self.language {
                Language::En if self.paraphrases.is_some() => Module::ALL.to_vec(),
                Language::En => vec![Module::Exact, Module::Stem, Module::Synonym],
                Language::Other => vec![Module::Exact],
            });
        };
        let mut modules = Vec::new();
        for name in listed(given) {
            let module = Module::ALL.into_iter().find(|module| module.name() == name);
            match module {
                Some(module) if !modules.contains(&module) => modules.push(module),
                _ => {
                    let what = format!(
                        "meteor: modules has `{name}`, expected each of exact, stem, synonym and paraphrase at most once"
                    );
                    return Err(Error::usage(what));
                }
            }
        }
        if modules.first() != Some(&Module::Exact) {
            // The original tries only the first module on equal texts, and would give them 0.
            let what =
                format!("meteor: modules is `{given}`, expected a list that begins with exact");
            return Err(Error::usage(what));
        }
        Ok(modules)
    }

    /// The task's weights, but for those that are given. As in the original, the default weights
    /// of modules go by their place in the list, not by their name.
    ///
    /// # Errors
    /// [`Error::Usage`] for weights that make no sense.
    pub(super) fn weights(&self, modules: usize) -> Result<MeteorWeights> {
        let ([alpha, beta, gamma, delta], by_place) = self.tuned();
        let weights = MeteorWeights {
            alpha: within("alpha", self.alpha.unwrap_or(alpha), 1.0)?,
            beta: within("beta", self.beta.unwrap_or(beta), f64::MAX)?,
            gamma: within("gamma", self.gamma.unwrap_or(gamma), 1.0)?,
            delta: within("delta", self.delta.unwrap_or(delta), 1.0)?,
            modules: match &self.weights {
                Some(given) => numbers(given)?,
                None => by_place[..modules].to_vec(),
            },
        };
        if weights.modules.len() != modules {
            let found = weights.modules.len();
            let what = format!("meteor: {found} weights for {modules} modules");
            return Err(Error::usage(what));
        }
        Ok(weights)
    }

    fn tuned(&self) -> ([f64; 4], [f64; SLOTS]) {
        match (self.language, self.task) {
            (Language::Other, _) => ([0.75, 1.4, 0.7, 0.5], [1.0; SLOTS]),
            (_, MeteorTask::Rank) => ([0.85, 0.2, 0.6, 0.75], [1.0, 0.6, 0.8, 0.6]),
            (_, MeteorTask::Adq) => ([0.75, 1.4, 0.45, 0.7], [1.0, 1.0, 0.6, 0.8]),
            (_, MeteorTask::Hter) => ([0.4, 1.5, 0.35, 0.55], [1.0, 0.2, 0.6, 0.8]),
        }
    }
}

fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', '+']).filter(|part| !part.is_empty())
}

fn numbers(text: &str) -> Result<Vec<f64>> {
    let number = |part: &str| match part.parse() {
        Ok(number) => within("weights", number, 1.0),
        Err(_) => Err(Error::usage(format!(
            "meteor: weights has `{part}`, expected numbers"
        ))),
    };
    listed(text).map(number).collect()
}

fn within(name: &str, number: f64, largest: f64) -> Result<f64> {
    if (0.0..=largest).contains(&number) {
        return Ok(number);
    }
    let up_to = if largest == 1.0 {
        "0 to 1"
    } else {
        "0 or more"
    };
    Err(Error::usage(format!(
        "meteor: {name} is {number}, expected {up_to}"
    )))
}
