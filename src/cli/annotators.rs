//! `tiebreak annotators`: compares annotators, as tables for people.

use super::args::DataArgs;
use super::verbs::{Command, at, destination, shown};
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_stages::stages::annotators;

/// `tiebreak annotators`
#[derive(Debug, Args)]
#[command(
    after_help = "Example: tiebreak annotators data/tiny --labels dawid-skene --out labelled\n\n\
Agreement: Krippendorff's alpha (of categories, ranks, numbers), Fleiss' kappa, Cohen's kappa of pairs. \
Of judgments, bias and noise are the mean and standard deviation of an annotator's difference from the \
mean of the others; of comparisons, bias is the mean outcome of system_a less one half. Annotators stand \
out who are further from the median annotator than chance and the others' spread allow.\n\n\
Found as well: two whose answers are the same (of 20 questions or more, unless everybody agrees on them), one \
answer in a row, a preference for the side named first, answers in a sixth of the others' time or at 100 characters \
a second, and who is twice as far from the others as they from each other, where too few are there to say more. \
Of honest people anybody is named in at most 5 % of data sets.\n\n\
Labels: dawid-skene learns for each annotator how often which answer is given where which is right; mace only how \
often the annotator knows the answer and what is said otherwise, which fewer answers are enough for."
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
        let text = annotators::render(all);
        format!("{text}\n{}\n", found.signature())
    })
}
