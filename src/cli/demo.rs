//! `tiebreak demo`: the quickstart, which is a part of the program, in a folder of its own.

use super::verbs::Command;
use super::{browser, run};
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};
use tiebreak_base::disk;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::path_argument;

/// `tiebreak demo`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak demo                # in the folder tiebreak-demo\n  \
tiebreak demo first-look     # in another folder",
    after_help = "The demo writes a data set of real answers and judgments (MT-Bench) and a pipeline, and runs \
the pipeline. It takes about a minute and needs no network. At the end it prints the commands that do the same \
with your own files."
)]
pub(crate) struct DemoArgs {
    /// The folder, which must be new or empty
    #[arg(value_name = "DIR", default_value = "tiebreak-demo")]
    pub dir: PathBuf,
}

/// The pipeline of the demo.
const PIPELINE: &str = "pipelines/quickstart.toml";

/// The files of the demo, by their paths in the folder and in the repository.
static FILES: &[(&str, &[u8])] = {
    macro_rules! files {
        ($($path:literal)*) => {
            &[$(($path, include_bytes!(concat!("../../", $path)))),*]
        };
    }
    files!(
        "pipelines/quickstart.toml"
        "data/mt-bench/README.md"
        "data/mt-bench/dataset.toml"
        "data/mt-bench/items.jsonl.gz"
        "data/mt-bench/outputs.jsonl.gz"
        "data/mt-bench/comparisons.jsonl.gz"
        "data/mt-bench/hints/gpt-4.jsonl.gz"
        "data/mt-bench/hints/coins.jsonl.gz"
        "data/mt-bench/hints/reversed.jsonl.gz"
    )
};

/// Writes the files, runs the pipeline, and returns what goes to standard output.
pub(super) fn demo(command: &Command<'_>, args: &DemoArgs) -> Result<String> {
    let dir = &args.dir;
    write_files(dir)?;
    let progress = command.context.progress;
    progress.done(&format!(
        "{} now holds data and a pipeline, which runs for about a minute …",
        dir.display()
    ));
    let out = dir.join("out/quickstart");
    let text = run::run_file(command, &dir.join(PIPELINE), &out, None)?;
    Ok(match command.json {
        true => text,
        false => format!("{text}\n{}", next_steps(&out)),
    })
}

/// Writes the files into a folder that is new or empty.
fn write_files(dir: &Path) -> Result<()> {
    let is_taken = match fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => dir.exists(),
    };
    if is_taken {
        let again = format!(
            "name a folder that is new or empty; if this is an earlier demo, run it again: tiebreak run {} --out {}",
            path_argument(&dir.join(PIPELINE)),
            path_argument(&dir.join("out/quickstart"))
        );
        return Err(Error::input(dir, "this is not an empty folder").with_hint(again));
    }
    for (path, bytes) in FILES {
        disk::write(&dir.join(path), bytes)?;
    }
    Ok(())
}

/// The commands that look closer, and those for files of one's own.
fn next_steps(out: &Path) -> String {
    let page = path_argument(&out.join(browser::PAGE));
    format!(
        "Open {page} in a browser to see it all.\n\
         \n\
         The same with your own files, a line of text for each output:\n  \
         tiebreak import --source questions.txt --system a=a.txt --system b=b.txt --out mine\n  \
         tiebreak check mine\n  \
         tiebreak ask run mine --n 20 --out questions.csv    # answer in the column `answer`\n  \
         tiebreak tell run questions.csv                     # repeat both, next with questions-2.csv, until it is proved\n  \
         tiebreak rank run\n"
    )
}
