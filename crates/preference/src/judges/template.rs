//! Templates of prompts for judges, in Jinja's language, and those that come with tiebreak.
//!
//! A template sees `source`, `reference` (the first), `references`, and `first` and `second`; one that rates a
//! single output sees `output`. `verdict` says how to write the verdict, where a rule reads more than a label alone.
//! Texts are put in once: what stands in them is never filled again.

use super::Prompt;
use super::verdict_request::verdict_request;
use crate::verdicts::{Rule, VerdictLabels};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::message;

/// The templates that come with tiebreak.
const SHIPPED: [(&str, &str); 5] = [
    ("pairwise", include_str!("templates/pairwise.toml")),
    (
        "pairwise-brief",
        include_str!("templates/pairwise-brief.toml"),
    ),
    (
        "pairwise-reference",
        include_str!("templates/pairwise-reference.toml"),
    ),
    ("rating", include_str!("templates/rating.toml")),
    ("translation", include_str!("templates/translation.toml")),
];

/// The outputs that a template shows at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JudgeTemplateKind {
    /// Two outputs.
    #[default]
    Pairwise,
    /// One output.
    Pointwise,
}

/// A template as files write it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgeTemplateSource {
    /// The kind: two outputs at a time, or one.
    #[serde(default)]
    pub kind: JudgeTemplateKind,
    /// The system's message; may be missing.
    #[serde(default)]
    pub system: Option<String>,
    /// The user's message.
    pub user: String,
}

/// A template that has been checked.
pub(crate) struct JudgeTemplate {
    /// The name of the template.
    pub name: String,
    /// The kind: two outputs at a time, or one.
    pub kind: JudgeTemplateKind,
    /// The digest of its text, for signatures.
    pub digest: String,
    environment: Environment<'static>,
    has_system: bool,
    /// The words that ask for a verdict as the rule reads it; `None` where a label alone is asked for.
    verdict: Option<String>,
}

/// A message of a prompt: `role` and `content`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub(crate) struct PromptMessage {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// The text of the message.
    pub content: String,
}

impl JudgeTemplateSource {
    /// The template called `name` that comes with tiebreak.
    ///
    /// # Errors
    /// An unknown name.
    pub(crate) fn shipped(name: &str) -> Result<Self> {
        let names = SHIPPED.map(|(name, _)| name);
        let Some((_, text)) = SHIPPED.iter().find(|(one, _)| *one == name) else {
            return Err(Error::UnknownName {
                kind: "template",
                name: name.to_string(),
                hint: Some(message!(
                    "{} come with tiebreak; others are in the descriptor, as [templates.{name}] with `user`",
                    names.join(", ")
                )),
            });
        };
        toml::from_str(text).map_err(Error::failed)
    }
}

impl JudgeTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// [`Error::Usage`] if it is none, or names what no template sees.
    pub(crate) fn new(name: &str, written: JudgeTemplateSource) -> Result<Self> {
        let system = written.system.unwrap_or_default();
        let digest =
            tiebreak_encoders::checkpoint::digest(format!("{system}\0{}", written.user).as_bytes());
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        environment.set_syntax(blocks_alone());
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        let wrong = |source: minijinja::Error| {
            Error::usage(format!("the template `{name}` is wrong: {source:#}"))
        };
        let has_system = !system.trim().is_empty();
        environment
            .add_template_owned("system", system)
            .map_err(wrong)?;
        environment
            .add_template_owned("user", written.user)
            .map_err(wrong)?;
        let template = Self {
            name: name.to_string(),
            kind: written.kind,
            digest: digest[..16].to_string(),
            environment,
            has_system,
            verdict: None,
        };
        template.check()?;
        Ok(template)
    }

    /// Returns the template with the words that ask for a verdict as `rule` reads it.
    ///
    /// # Errors
    /// A pattern that the template does not ask for, so that no answer could be read.
    pub(crate) fn asking_for(mut self, rule: &Rule, labels: &VerdictLabels) -> Result<Self> {
        self.verdict = verdict_request(rule, labels, self.kind);
        if let Rule::Pattern(before, _) = rule
            && !self.check()?.contains(before.as_str())
        {
            let what = format!(
                "the template `{}` does not ask for a verdict as `{rule}` reads it",
                self.name
            );
            return Err(Error::usage(what).with_hint(
                "put {{ verdict }} where the template says how to answer, or read a label alone: verdict = \"label\"",
            ));
        }
        Ok(self)
    }

    /// Checks that it shows what it is to show, and nothing else; returns the text of an example.
    fn check(&self) -> Result<String> {
        let references = ["\u{1}r\u{1}".to_string()];
        let prompt = Prompt {
            template: 0,
            first: "\u{1}a\u{1}",
            second: "\u{1}b\u{1}",
            source: Some("\u{1}s\u{1}"),
            references: &references,
            sample: 0,
        };
        let all: String = self
            .messages(&prompt)?
            .into_iter()
            .map(|one| one.content)
            .collect();
        let shown = match self.kind {
            JudgeTemplateKind::Pairwise => {
                vec![("first", "\u{1}a\u{1}"), ("second", "\u{1}b\u{1}")]
            }
            JudgeTemplateKind::Pointwise => vec![("output", "\u{1}a\u{1}")],
        };
        for (name, mark) in shown {
            if !all.contains(mark) {
                let what = format!(
                    "the template `{}` does not show {{{{ {name} }}}}",
                    self.name
                );
                return Err(Error::usage(what));
            }
        }
        Ok(all)
    }

    /// The messages of a prompt.
    ///
    /// # Errors
    /// A text that the template needs and the item lacks.
    pub(crate) fn messages(&self, prompt: &Prompt<'_>) -> Result<Vec<PromptMessage>> {
        let absent = || Value::UNDEFINED;
        let references = prompt.references;
        let shared = context! {
            source => prompt.source.map_or_else(absent, Value::from),
            reference => references.first().map_or_else(absent, |one| Value::from(one.as_str())),
            references => Value::from(references.to_vec()),
            verdict => self.verdict.as_deref().map_or_else(absent, Value::from),
        };
        let texts = match self.kind {
            JudgeTemplateKind::Pairwise => {
                context! { first => prompt.first, second => prompt.second, ..shared }
            }
            JudgeTemplateKind::Pointwise => context! { output => prompt.first, ..shared },
        };
        let says = |role: &str| -> Result<PromptMessage> {
            let template = self.environment.get_template(role).map_err(Error::failed)?;
            let content = template.render(&texts).map_err(|source| {
                let what = format!("the template `{}` cannot be filled: {source}", self.name);
                Error::usage(what).with_hint(
                    "it sees source, reference, references, and first and second, or output; put a text that some items lack into {% if source %} … {% endif %}",
                )
            })?;
            let (role, content) = (role.to_string(), content.trim().to_string());
            Ok(PromptMessage { role, content })
        };
        let roles = ["system", "user"].into_iter();
        roles
            .filter(|role| *role == "user" || self.has_system)
            .map(says)
            .collect()
    }
}

/// The syntax in which a block on a line of its own leaves no line, as Jinja's users are used to.
fn blocks_alone() -> SyntaxConfig {
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true);
    syntax
        .build()
        .expect("only white space is other than usual")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt<'a>(references: &'a [String], first: &'a str) -> Prompt<'a> {
        Prompt {
            template: 0,
            first,
            second: "a second",
            source: None,
            references,
            sample: 0,
        }
    }

    #[test]
    fn those_that_come_with_tiebreak_are_templates() {
        for (name, _) in SHIPPED {
            let template =
                JudgeTemplate::new(name, JudgeTemplateSource::shipped(name).unwrap()).unwrap();
            let references = ["a reference".to_string()];
            let shown = Prompt {
                source: Some("a source"),
                ..prompt(&references, "a first")
            };
            let told = template.messages(&shown).unwrap();
            assert!(told.last().unwrap().content.contains("a first"), "{name}");
        }
        assert!(JudgeTemplateSource::shipped("pairwize").is_err());
    }

    #[test]
    fn what_stands_in_texts_is_not_filled_again_and_not_escaped() {
        let template = JudgeTemplate::new(
            "pairwise",
            JudgeTemplateSource::shipped("pairwise").unwrap(),
        )
        .unwrap();
        let told = template
            .messages(&prompt(&[], "{{ second }} {first} <b>&"))
            .unwrap();
        assert!(
            told.last()
                .unwrap()
                .content
                .contains("{{ second }} {first} <b>&")
        );
    }

    #[test]
    fn templates_ask_for_what_the_rule_reads() {
        let asked = |name: &str, rule: &str| {
            let written = JudgeTemplateSource::shipped(name).unwrap();
            let template = JudgeTemplate::new(name, written).unwrap();
            let labels = VerdictLabels::default();
            let template = template
                .asking_for(&rule.parse().unwrap(), &labels)
                .unwrap();
            let references = ["a reference".to_string()];
            let shown = Prompt {
                source: Some("a source"),
                ..prompt(&references, "a first")
            };
            template.messages(&shown).unwrap().pop().unwrap().content
        };
        for (name, _) in SHIPPED {
            let (pattern, json) = match name {
                "rating" => ("[[3]]", r#"{"rating": 3}"#),
                _ => ("[[A]], [[B]], or [[C]]", r#"{"choice": "tie"}"#),
            };
            assert!(asked(name, "[[A]]").contains(pattern), "{name}");
            assert!(asked(name, "json").contains(json), "{name}");
            for label in ["label", "probabilities"] {
                let asked = asked(name, label);
                assert!(!asked.contains("[[") && !asked.contains("JSON"), "{asked}");
            }
        }
        let mine = JudgeTemplateSource {
            kind: JudgeTemplateKind::Pairwise,
            system: None,
            user: "{{ first }} {{ second }} Which is better?".to_string(),
        };
        let mine = JudgeTemplate::new("mine", mine).unwrap();
        let refused = mine.asking_for(&"[[A]]".parse().unwrap(), &VerdictLabels::default());
        let error = refused.err().unwrap().to_string();
        assert_eq!(
            error,
            "the template `mine` does not ask for a verdict as `[[{label}]]` reads it"
        );
    }

    #[test]
    fn a_template_that_shows_too_little_or_too_much_is_refused() {
        let refused = |user: &str| {
            let written = JudgeTemplateSource {
                kind: JudgeTemplateKind::Pairwise,
                system: None,
                user: user.to_string(),
            };
            JudgeTemplate::new("mine", written)
                .err()
                .unwrap()
                .to_string()
        };
        assert!(refused("{{ first }}").contains("second"));
        assert!(refused("{{ first }} {{ second }} {{ third }}").contains("cannot be filled"));
        assert!(refused("{{ first }} {% if").contains("mine"));
        let template = "pairwise-reference";
        let template =
            JudgeTemplate::new(template, JudgeTemplateSource::shipped(template).unwrap()).unwrap();
        assert!(
            template.messages(&prompt(&[], "x")).is_err(),
            "it needs a reference"
        );
    }
}
