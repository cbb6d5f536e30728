//! `tiebreak import`: text files or a wide table into a data set.

use super::values::pair;
use super::verbs::to_json;
use crate::error::{Error, Result};
use crate::records::import::{Aligned, Wide, aligned, wide};
use clap::Args;
use std::path::PathBuf;

/// `tiebreak import`
#[derive(Debug, Args)]
pub struct Import {
    /// The inputs, one a line
    #[arg(long, value_name = "FILE")]
    pub source: Option<PathBuf>,
    /// References, one a line; repeat for several
    #[arg(long, value_name = "FILE")]
    pub reference: Vec<PathBuf>,
    /// A system's outputs, one a line (NAME=FILE); with --wide the column of a system (NAME)
    #[arg(long, value_name = "NAME=FILE")]
    pub system: Vec<String>,
    /// Instead: a table with one row per item and one column per system
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "reference"])]
    pub wide: Option<PathBuf>,
    /// A column of the wide table under another name
    #[arg(long, value_name = "item=id", value_parser = pair, requires = "wide")]
    pub column: Vec<(String, String)>,
    /// The folder of the new data set
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Imports and returns what goes to standard output.
pub(super) fn import(args: Import, json: bool) -> Result<String> {
    let imported = match args.wide {
        Some(file) => {
            let column = |name: &String| match name.split_once('=') {
                Some((name, column)) => (name.to_string(), column.to_string()),
                None => (name.clone(), name.clone()),
            };
            let systems = args.system.iter().map(column).collect();
            wide(
                &Wide {
                    file,
                    systems,
                    columns: args.column,
                },
                &args.out,
            )?
        }
        None => {
            let file = |text: &String| match text.split_once('=') {
                Some((name, file)) => Ok((name.to_string(), PathBuf::from(file))),
                None => Err(Error::usage(format!("--system {text}: expected NAME=FILE"))
                    .with_hint("name each system, such as --system baseline=baseline.txt")),
            };
            let systems = args.system.iter().map(file).collect::<Result<_>>()?;
            aligned(
                &Aligned {
                    source: args.source,
                    references: args.reference,
                    systems,
                },
                &args.out,
            )?
        }
    };
    if json {
        return to_json(&imported);
    }
    let next = format!("next: tiebreak check {}\n", args.out.display());
    Ok(imported.to_string() + &next)
}
