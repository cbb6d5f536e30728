//! `tiebreak annotators`: people beside each other, as tables for people.

use super::args::{Annotators, LabelsArg};
use super::verbs::{open, to_json};
use crate::error::Result;
use crate::pipeline::Context;
use crate::pipeline::annotators::{self, LabelModel};
use crate::report;
use crate::tables::Destination;

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
