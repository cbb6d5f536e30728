//! A judge in this process: a decoder whose next token is one of the labels.

use super::descriptor::JudgeDescriptor;
use super::template::{JudgeTemplate, JudgeTemplateKind, PromptMessage};
use super::{Engine, Prompt, VerdictResult};
use crate::decoders::{Decoder, Label, LabelProbabilities};
use crate::verdicts::{JudgeVerdict, ParsedVerdict, Spelling, VerdictLabels};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::signature::Signature;

/// The share of the labels below which a model does not follow its prompt.
const LITTLE: f64 = 0.5;

/// A decoder that judges.
pub(crate) struct InProcessJudge {
    decoder: Decoder,
    templates: Vec<JudgeTemplate>,
    labels: Vec<Label>,
    prefill: String,
    signature: Signature,
    /// The share of the labels in the next token's probability, prompt by prompt.
    masses: Mutex<Vec<f64>>,
}

impl InProcessJudge {
    /// Makes the judge of a descriptor on a decoder.
    ///
    /// # Errors
    /// A template that is none; a label that is no token; a rule that reads texts.
    pub(crate) fn new(descriptor: &JudgeDescriptor, decoder: Decoder) -> Result<Self> {
        let templates = descriptor.templates()?;
        if !descriptor.rule().wants_probabilities() {
            let what = format!(
                "verdict is `{}`, but in this process nothing is written",
                descriptor.rule()
            );
            return Err(Error::model(decoder.name(), what)
                .with_hint("leave it out: the labels' probabilities are read"));
        }
        let names = names(descriptor, templates[0].kind);
        let label = |name: &String| decoder.label(name, descriptor.spelling);
        let labels = names.iter().map(label).collect::<Result<_>>()?;
        let prefill = descriptor.prefill.clone().unwrap_or_default();
        let shown: Vec<String> = templates
            .iter()
            .map(|one| format!("{}@{}", one.name, one.digest))
            .collect();
        let mut signature = decoder
            .signature()
            .with("template", shown.join("+"))
            .with("labels", names.join(","));
        if descriptor.spelling != Spelling::Any {
            signature = signature.with("spelling", descriptor.spelling.name());
        }
        if !prefill.is_empty() {
            signature = signature.with("prefill", &prefill);
        }
        for (key, value) in &descriptor.chat {
            signature = signature.with(key, value);
        }
        if let Some(date) = &descriptor.date {
            signature = signature.with("date", date);
        }
        if decoder.chat.is_none() {
            signature = signature.with("chat", "none");
        }
        Ok(Self {
            decoder,
            templates,
            labels,
            prefill,
            signature: signature.with("version", 1),
            masses: Mutex::default(),
        })
    }

    /// The kind of the templates, and their number.
    pub(crate) fn templates(&self) -> (JudgeTemplateKind, usize) {
        (self.templates[0].kind, self.templates.len())
    }

    /// Answers with the probabilities of the labels to follow a prompt.
    fn answer_prompt(&self, prompt: &Prompt<'_>) -> Result<VerdictResult> {
        let template = &self.templates[prompt.template];
        let text = self.text(&template.messages(prompt)?)?;
        let ids = self.decoder.ids(&text)?;
        let shares = LabelProbabilities::new(&self.labels, &self.decoder.logits(&ids)?);
        let mut masses = self.masses.lock().unwrap_or_else(PoisonError::into_inner);
        masses.push(shares.mass);
        drop(masses);
        let shares = shares.shares;
        let verdict = match template.kind {
            JudgeTemplateKind::Pairwise => {
                let tie = shares.get(2).copied().unwrap_or(0.0);
                JudgeVerdict::First(shares[0] + tie / 2.0)
            }
            JudgeTemplateKind::Pointwise => JudgeVerdict::Ratings(shares),
        };
        Ok(Ok(ParsedVerdict {
            verdict,
            by_probabilities: true,
            text: String::new(),
        }))
    }

    /// The text of a prompt as the model reads it.
    fn text(&self, messages: &[PromptMessage]) -> Result<String> {
        let (system, user) = match messages {
            [system, user] => (Some(system.content.as_str()), &user.content),
            [user] => (None, &user.content),
            _ => return Err(Error::failed("a template says one thing or two")),
        };
        let prompt = match &self.decoder.chat {
            Some(chat) => chat.asked(system, user)?,
            None => match system {
                Some(system) => format!("{system}\n\n{user}\n"),
                None => format!("{user}\n"),
            },
        };
        Ok(prompt + &self.prefill)
    }
}

/// The labels by what they mean: first, second, tie; or each rating.
fn names(descriptor: &JudgeDescriptor, kind: JudgeTemplateKind) -> Vec<String> {
    match kind {
        JudgeTemplateKind::Pairwise => {
            let VerdictLabels { a, b, tie } = descriptor.labels.clone();
            [Some(a), Some(b), tie].into_iter().flatten().collect()
        }
        JudgeTemplateKind::Pointwise => {
            let ratings = descriptor.scale.0..=descriptor.scale.1;
            ratings.map(|rating| rating.to_string()).collect()
        }
    }
}

impl Engine for InProcessJudge {
    fn signature(&self) -> Signature {
        self.signature.clone()
    }

    fn ask(
        &self,
        prompts: &[Prompt<'_>],
        go_on: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<VerdictResult>> {
        let mut all = Vec::with_capacity(prompts.len());
        for few in prompts.chunks(rayon::current_num_threads().max(1)) {
            go_on()?;
            // Collected before it is searched for an error, so that the first error is returned.
            let told: Vec<Result<VerdictResult>> = few
                .par_iter()
                .map(|prompt| self.answer_prompt(prompt))
                .collect();
            for one in told {
                all.push(one?);
            }
        }
        Ok(all)
    }

    fn account(&self) -> Option<String> {
        let mut masses = self
            .masses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        masses.sort_by(f64::total_cmp);
        let median = *masses.get(masses.len() / 2)?;
        (median < LITTLE).then(|| {
            format!(
                "the labels have only {median:.3} of the next token's probability, by the median: the model may \
                 not do as the prompt says"
            )
        })
    }
}
