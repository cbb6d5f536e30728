//! `tiebreak annotators`: compares annotators, as tables for people.

use super::args::DataArgs;
use super::verbs::{Command, at, destination, shown};
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_stages::report::ShownResult;
use tiebreak_stages::stages::annotators;

/// `tiebreak annotators`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak annotators data/mt-bench\n  \
tiebreak annotators data/tiny --labels dawid-skene --out labelled",
    after_help = "Agreement: Krippendorff's alpha (categories, ranks, numbers), Fleiss' kappa, Cohen's kappa of pairs. The \
bias and noise of ratings are the mean and deviation of an annotator's distance to the others' mean. The bias of \
comparisons is the mean outcome of system_a, minus one half.\n\n\
Signs of careless answering: the same answers as somebody else, one answer in a row, a preference for one side. \
Further signs: answers that are far too fast or far from everybody else's. Among careful annotators, at most 4 % of \
data sets have anybody listed.\n\n\
Labels: dawid-skene learns how often each annotator gives which answer for which truth. The model mace learns only how often \
an annotator knows the answer, so fewer answers are enough."
)]
pub(crate) struct AnnotatorsArgs {
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub keys: annotators::AnnotatorsStage,
    /// A file for the table of annotators, or a folder
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// Compares annotators and returns what goes to standard output.
pub(super) fn annotators(command: &Command<'_>, args: &AnnotatorsArgs) -> Result<String> {
    let Command { context, json, .. } = *command;
    let destination = destination(args.out.as_deref())?;
    let found = at(context, &args.data, &args.keys, |site| {
        args.keys.compare(site)
    })?;
    if let Some(destination) = &destination {
        found.write(destination)?;
    }
    shown(json, &found.annotators, |all| {
        let text = all.render();
        format!("{text}\n{}\n", found.signature())
    })
}
