//! `tiebreak list`: metrics, models and the like, with parameters and sources.

use super::verbs::{Command, shown};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::registry::Entry;
use tiebreak_data::records::import::{FORMATS, ImportFormat};
use tiebreak_decide::bandits::BANDITS;
use tiebreak_decide::estimators::ESTIMATORS;
use tiebreak_encoders::{descriptor::ModelDescriptor, places};
use tiebreak_metrics::metrics::{Blueprint, METRICS};
use tiebreak_preference::preference::links::LINKS;

/// `tiebreak list`
#[derive(Debug, Args)]
#[command(before_help = "Examples:\n  \
tiebreak list metrics\n  \
tiebreak list bandits --json\n  \
tiebreak list models")]
pub(crate) struct ListArgs {
    /// The list
    #[arg(value_enum)]
    pub kind: ListKind,
}

/// What can be listed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ListKind {
    /// Metrics.
    Metrics,
    /// Links.
    Links,
    /// Models.
    Models,
    /// Bandits.
    Bandits,
    /// Estimators.
    Estimators,
    /// Formats of other tools, which import detects.
    Formats,
}

/// The entries of a list, as JSON or as text.
pub(super) fn list(command: &Command<'_>, args: &ListArgs) -> Result<String> {
    let entries = match args.kind {
        ListKind::Metrics => METRICS.iter().map(metric).collect(),
        ListKind::Links => LINKS.iter().map(entry).collect(),
        ListKind::Bandits => BANDITS.iter().map(entry).collect(),
        ListKind::Estimators => ESTIMATORS.iter().map(entry).collect(),
        ListKind::Formats => FORMATS.iter().map(|format| of_tool(format)).collect(),
        ListKind::Models => described(command.models)?,
    };
    shown(command.json, &entries, |all| {
        all.iter().map(describe).collect()
    })
}

/// Returns the models that can be named.
fn described(models: &Path) -> Result<Vec<Value>> {
    let model = |(name, descriptor): (String, ModelDescriptor)| {
        let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_string());
        let architecture = known(&descriptor.architecture);
        let draws = draws(&architecture);
        json!({
            "name": name,
            "summary": format!("{architecture}, trained on {}{draws}", known(&descriptor.trained_on)),
            "cite": format!("licence: {}", known(&descriptor.licence)),
            "parameters": {
                "head": descriptor.head.name(),
                "template": descriptor.template,
                "labels": descriptor.labels,
                "max-length": descriptor.max_length,
            },
        })
    };
    Ok(places::all(models)?.into_iter().map(model).collect())
}

/// Whether models of a family cannot be sampled; of an unknown family only loading the model tells.
#[cfg(feature = "neural")]
fn draws(architecture: &str) -> &'static str {
    use tiebreak_encoders::config::EncoderFamily;
    let family = EncoderFamily::ALL
        .into_iter()
        .find(|one| one.name() == architecture);
    match family.is_none_or(EncoderFamily::has_dropout) {
        true => "",
        false => "; run without dropout: no draws, so neither BALD nor STD",
    }
}

#[cfg(not(feature = "neural"))]
fn draws(_: &str) -> &'static str {
    ""
}

fn entry<B>(entry: &Entry<B>) -> Value {
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "cite": entry.cite,
        "parameters": (entry.parameters)(),
    })
}

/// Describes a format of another tool; its parameters are the keys of --pick.
fn of_tool(format: &ImportFormat) -> Value {
    let picks = format
        .picks
        .iter()
        .map(|pick| ((*pick).to_string(), Value::Null));
    json!({
        "name": format.name,
        "summary": format.summary,
        "cite": "",
        "parameters": picks.collect::<serde_json::Map<_, _>>(),
    })
}

/// Describes a metric, with the direction of its scores.
fn metric(metric: &Entry<Blueprint>) -> Value {
    let mut value = entry(metric);
    value["better"] = metric.build.better.name().into();
    value
}

/// Renders name and summary, then the parameters with their defaults, then the source.
fn describe(entry: &Value) -> String {
    let text = |key: &str| entry[key].as_str().unwrap_or_default();
    let mut lines = format!("{:24}{}\n", text("name"), text("summary"));
    let parameters: Vec<String> = entry["parameters"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| match value {
            Value::Null => key.clone(),
            Value::String(text) => format!("{key}={text}"),
            other => format!("{key}={other}"),
        })
        .collect();
    if !parameters.is_empty() {
        lines += &format!("{:24}parameters: {}\n", "", parameters.join(", "));
    }
    if !text("cite").is_empty() {
        lines += &format!("{:24}{}\n", "", text("cite"));
    }
    lines
}
