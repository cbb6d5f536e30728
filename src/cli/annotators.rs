//! `tiebreak annotators`: people beside each other, as tables for people.

use super::args::DataArgs;
use super::verbs::{open, to_json};
use crate::error::Result;
use crate::pipeline::Context;
use crate::pipeline::annotators::{self, LabelModel};
use crate::report;
use crate::tables::Destination;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `tiebreak annotators`
#[derive(Debug, Args)]
#[command(
    after_help = "Example: tiebreak annotators data/tiny --labels dawid-skene --out labelled\n\n\
Agreement: Krippendorff's alpha (of categories, ranks, numbers), Fleiss' kappa, Cohen's kappa of pairs.\n\
Of judgments, bias and noise are the mean and standard deviation of an annotator's difference from the\n\
mean of the others; of comparisons, bias is the mean outcome of system_a less one half. Annotators stand\n\
out who are further from the median annotator than chance and the others' spread allow."
)]
pub struct Annotators {
    #[command(flatten)]
    pub data: DataArgs,
    /// Only this criterion of the judgments [default: each of them, and the comparisons]
    #[arg(long, value_name = "NAME")]
    pub criterion: Option<String>,
    /// Make one label of everybody's answers to a question, by a model of who errs how; the folder of
    /// --out gets them as comparisons and judgments that other commands read
    #[arg(long, value_enum, requires = "out")]
    pub labels: Option<LabelsArg>,
    /// A file for the table of annotators, or a folder
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// Models of annotators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LabelsArg {
    /// Dawid and Skene: each annotator errs in ways of their own.
    DawidSkene,
}

/// Compares annotators and returns what goes to standard output.
pub(super) fn annotators(context: &Context<'_>, args: &Annotators, json: bool) -> Result<String> {
    let destination = args.out.as_deref().map(Destination::of).transpose()?;
    let source = open(context, &args.data)?;
    let model = args
        .labels
        .map(|LabelsArg::DawidSkene| LabelModel::DawidSkene);
    let found = annotators::run(context, &source, args.criterion.as_deref(), model)?;
    if let Some(destination) = &destination {
        found.write(destination)?;
    }
    if json {
        return to_json(&found.annotators);
    }
    let text = report::render_annotators(&found.annotators);
    Ok(format!("{text}\n{}\n", found.signature()))
}
