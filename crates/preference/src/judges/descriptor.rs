//! The description of a judge: `models/NAME.toml`, or any file of such keys. `docs/judges.md` lists the keys.
//!
//! Every key is optional but `model`; an unknown one is an error.

use super::asked::Concurrency;
use super::dialect::Dialect;
use super::template::{JudgeTemplate, JudgeTemplateSource};
use super::{JudgeOptions, Price};
use crate::verdicts::{Rule, Spelling, VerdictLabels};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Location, Result, is_there, text_of};
use tiebreak_encoders::places;

/// The place where a model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EngineKind {
    /// Behind an endpoint.
    #[default]
    Http,
    /// In this process.
    InProcess,
}

/// The description of a judge.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct JudgeDescriptor {
    /// The name of the judge in signatures.
    pub name: Option<String>,
    /// The place where the model answers.
    pub(crate) engine: EngineKind,
    /// The address up to `/chat/completions`.
    pub endpoint: Option<String>,
    /// The dialect that the endpoint speaks.
    pub(crate) dialect: Dialect,
    /// The model, as the endpoint calls it; a folder or hub id in this process.
    pub model: Option<String>,
    /// The variable that holds the key.
    pub key_env: Option<String>,
    /// The header that takes the key alone; by default it is `Authorization: Bearer KEY`.
    pub key_header: Option<String>,
    /// The templates that are asked.
    pub(crate) template: Templates,
    /// Templates of its own.
    pub(crate) templates: BTreeMap<String, JudgeTemplateSource>,
    /// The rule that reads answers.
    pub verdict: Option<Rule>,
    /// The labels of either output and of a tie.
    pub labels: VerdictLabels,
    /// The tokens that count as a label.
    pub spelling: Spelling,
    /// The ratings of a pointwise template, from the lowest to the highest.
    pub(crate) scale: JudgeRatingScale,
    /// The output that is shown first.
    pub order: Option<String>,
    /// The number of samples of each prompt.
    pub samples: Option<toml::Value>,
    /// The temperature of sampling; 0 where one sample is taken.
    pub temperature: Option<f64>,
    /// Most tokens of an answer; 0 leaves it to the endpoint.
    pub max_tokens: Option<u32>,
    /// The number of likely tokens that are asked for.
    pub top_logprobs: Option<u32>,
    /// Further fields of a request.
    pub body: toml::Table,
    /// Seconds that an answer may take.
    pub timeout: Option<f64>,
    /// The file that calibrates its preferences, beside the descriptor.
    pub calibration: Option<PathBuf>,
    /// The price of tokens.
    pub(crate) price: Option<Price>,
    /// The number of requests at a time.
    pub concurrency: Option<Concurrency>,
    /// The limit of the cost of all answers, in dollars.
    pub max_cost: Option<f64>,
    /// The folder in which answers are kept.
    pub answers: Option<PathBuf>,
    /// The date for a template that wants one, in this process.
    pub date: Option<String>,
    /// The folder with the tokenizer and chat template of a GGUF file; its own where none is named.
    pub tokenizer: Option<PathBuf>,
    /// The beginning of the answer, written for the model, in this process.
    pub prefill: Option<String>,
    /// The values that the chat template gets beside the messages, in this process.
    pub chat: toml::Table,
    /// The licence of the weights.
    pub licence: Option<String>,
}

/// One template or several.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "expected the name of a template, or a list of names"
)]
pub(crate) enum Templates {
    /// One template.
    One(String),
    /// Several templates.
    All(Vec<String>),
}

impl Default for Templates {
    fn default() -> Self {
        Self::One("pairwise".to_string())
    }
}

/// The lowest rating and the highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) struct JudgeRatingScale(pub u8, pub u8);

impl Default for JudgeRatingScale {
    fn default() -> Self {
        Self(1, 5)
    }
}

impl JudgeDescriptor {
    /// The judge of a name and the options beside it; `None` where that is no judge.
    ///
    /// # Errors
    /// What [`JudgeDescriptor::read`] finds wrong.
    pub fn resolve_judge(name: &str, asked: &JudgeOptions, models: &Path) -> Result<Option<Self>> {
        if let (None, None) = (&asked.endpoint, &asked.prompt) {
            return match Self::file(name, models)? {
                Some(file) => Self::read(&file).map(Some),
                None => Ok(None),
            };
        }
        let prompt = asked.prompt.as_deref().map(Self::read).transpose()?;
        let mut descriptor = prompt.unwrap_or_default();
        descriptor.engine = EngineKind::InProcess;
        if let Some(endpoint) = &asked.endpoint {
            descriptor.engine = EngineKind::Http;
            descriptor.endpoint = Some(endpoint.clone());
        }
        descriptor.model = Some(name.to_string());
        descriptor.name = Some(last(name).to_string());
        Ok(Some(descriptor))
    }

    /// The file that describes the judge called `name`.
    fn file(name: &str, models: &Path) -> Result<Option<PathBuf>> {
        let given = Path::new(name);
        if given.extension().is_some_and(|one| one == "toml") && is_there(given) {
            return Ok(Some(given.to_path_buf()));
        }
        let plain = !name.is_empty() && !name.contains(['/', '\\']) && !name.starts_with('.');
        let folders = places::folders(models).into_iter().filter(|_| plain);
        for file in folders.map(|folder| folder.join(format!("{name}.toml"))) {
            if places::is_judge(&file)? {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// Reads a descriptor; paths in it are relative to its folder.
    ///
    /// # Errors
    /// If it cannot be read; with the line, what it says wrong.
    pub fn read(path: &Path) -> Result<Self> {
        let text = text_of(path)?;
        let read = toml::from_str(&text);
        let mut descriptor: Self = read.map_err(|source: toml::de::Error| {
            let start = source.span().map_or(0, |span| span.start);
            let at = Location::offset(path, &text, start);
            Error::record(at, source.message().trim().replace('\n', ": "))
        })?;
        let folder = path.with_file_name("");
        let beside = |path: &mut PathBuf| *path = folder.join(&*path);
        descriptor.calibration.as_mut().map(beside);
        descriptor.answers.as_mut().map(beside);
        descriptor.tokenizer.as_mut().map(beside);
        if let Some(model) = &mut descriptor.model
            && descriptor.engine == EngineKind::InProcess
            && is_there(&folder.join(&*model))
        {
            *model = folder.join(&*model).to_string_lossy().into_owned();
        }
        if descriptor.name.is_none() {
            let stem = path.file_stem().unwrap_or_default();
            descriptor.name = Some(stem.to_string_lossy().into_owned());
        }
        Ok(descriptor)
    }

    /// The name of the judge.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("judge")
    }

    /// The number of requests at a time.
    pub(super) fn concurrency(&self) -> usize {
        self.concurrency.unwrap_or_default().value() as usize
    }

    /// The model that is asked.
    ///
    /// # Errors
    /// If none is named.
    pub fn model(&self) -> Result<&str> {
        self.model.as_deref().ok_or_else(|| {
            // The error names the key of the descriptor; an error of a flag would say `model` alone.
            let error = Error::usage("the judge's descriptor has no `model = \"…\"`");
            error.with_hint(match self.engine {
                EngineKind::Http => "name the model as the endpoint calls it",
                EngineKind::InProcess => "name a folder, a hub id or a .gguf file",
            })
        })
    }

    /// The templates that are asked, in order.
    ///
    /// # Errors
    /// An unknown one; one that is none; pairwise and pointwise ones together.
    pub(crate) fn templates(&self) -> Result<Vec<JudgeTemplate>> {
        let names = match &self.template {
            Templates::One(name) => std::slice::from_ref(name),
            Templates::All(names) => names,
        };
        let read = |name: &String| {
            let written = match self.templates.get(name) {
                Some(own) => own.clone(),
                None => JudgeTemplateSource::shipped(name)?,
            };
            JudgeTemplate::new(name, written)?.asking_for(&self.rule(), &self.labels)
        };
        let all = names.iter().map(read).collect::<Result<Vec<_>>>()?;
        match all.first() {
            None => Err(Error::usage("`template` is an empty list")),
            Some(first) if all.iter().any(|one| one.kind != first.kind) => {
                let what = "templates of two outputs and of one, expected either";
                Err(Error::usage(what))
            }
            Some(_) => Ok(all),
        }
    }

    /// The folder in which its answers are kept.
    pub fn answers(&self, asked: &JudgeOptions) -> PathBuf {
        let named = asked.answers.clone().or_else(|| self.answers.clone());
        named.unwrap_or_else(|| PathBuf::from(super::ANSWERS))
    }

    /// The rule that reads answers.
    pub fn rule(&self) -> Rule {
        self.verdict.clone().unwrap_or_default()
    }
}

fn last(name: &str) -> &str {
    let name = name.trim_end_matches(['/', '\\']);
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<JudgeDescriptor> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some-judge.toml");
        std::fs::write(&path, text).unwrap();
        JudgeDescriptor::read(&path)
    }

    #[test]
    fn keys_are_optional_and_a_slip_is_refused_with_its_line() {
        let judge = read("engine = \"http\"").unwrap();
        assert_eq!(judge.name(), "some-judge");
        assert_eq!(judge.templates().unwrap()[0].name, "pairwise");
        let error = read("engine = \"http\"\nverdikt = \"label\"")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("some-judge.toml:2") && error.contains("verdikt"),
            "{error}"
        );
        assert!(read("engine = \"http\"\nverdict = \"how\"").is_err());
    }

    #[test]
    fn templates_of_its_own_come_first_and_kinds_do_not_mix() {
        let own = "engine = \"http\"\ntemplate = [\"a\", \"pairwise\"]\n[templates.a]\nuser = \"{{first}}{{second}}\"";
        assert_eq!(read(own).unwrap().templates().unwrap().len(), 2);
        let mixed = "engine = \"http\"\ntemplate = [\"rating\", \"pairwise\"]";
        assert!(read(mixed).unwrap().templates().is_err());
    }
}
