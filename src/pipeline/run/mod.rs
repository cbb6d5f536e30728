//! `run`: a whole pipeline, checked before anything runs, in the order data flows.

mod stages;

use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::inputs::source::Source;
use crate::pipeline::file::PipelineFile;
use crate::pipeline::plan;
use crate::records::Kind;
use crate::report::{self, Manifest, Stage};
use crate::rng::Seed;
use crate::tables::file::write_atomically;
use stages::Running;
use std::path::Path;

/// Runs a pipeline; its tables and report go to `out`. `seed` goes before that of the file.
/// Returns the report as text and as JSON.
///
/// # Errors
/// The first mistake in the file, before anything runs; then those of the stages.
pub fn run(
    context: &Context<'_>,
    file: &PipelineFile,
    seed: Option<u64>,
    out: &Path,
) -> Result<(String, String)> {
    let seed = seed.or(file.pipeline.seed).unwrap_or(context.seed.0);
    let context = &context.seeded(Seed(seed));
    plan::check(context, file)?;
    let columns: Vec<(String, String)> = file
        .pipeline
        .columns
        .iter()
        .map(|(name, column)| (name.clone(), column.clone()))
        .collect();
    let data = file.pipeline.data.get_ref();
    if !data.exists() {
        let missing = Error::input(data, "no such file or folder");
        return Err(file.at(&file.pipeline.data)(missing));
    }
    let source = Source::open(context, data, &columns)?;
    plan::check_data(file, &source)?;
    let mut running = Running {
        context,
        file,
        source: &source,
        out,
        stages: Vec::new(),
    };
    running.all()?;
    let stages = running.stages;
    let manifest = Manifest {
        command: command(file, context.seed),
        ..manifest(context, &source, file.name(), stages)
    };
    let text = toml::to_string_pretty(&manifest).map_err(Error::failed)?;
    write_atomically(&out.join("run.toml"), text.as_bytes())?;
    report::write(out)
}

/// How to run it again: the pipeline as it was named, but nothing of where this machine keeps it.
pub(crate) fn command<T>(file: &PipelineFile<T>, seed: Seed) -> String {
    let path = file.path();
    let named = match path.is_relative() {
        true => path,
        false => Path::new(path.file_name().unwrap_or_default()),
    };
    let named = named.to_string_lossy().replace('\\', "/");
    let plain = |c: char| c.is_alphanumeric() || "-_./+".contains(c);
    let named = match named.chars().all(plain) {
        true => named,
        false => format!("'{}'", named.replace('\'', "'\\''")),
    };
    format!("tiebreak run {named} --seed {}", seed.0)
}

/// What was run, on what.
pub(crate) fn manifest(
    context: &Context<'_>,
    source: &Source,
    name: String,
    stages: Vec<Stage>,
) -> Manifest {
    Manifest {
        tiebreak: env!("CARGO_PKG_VERSION").to_string(),
        name,
        seed: context.seed.0,
        data: source.dataset.name(),
        digest: source.digest.clone(),
        contents: contents(source),
        command: String::new(),
        stages,
    }
}

/// What a data set holds, in a phrase.
fn contents(source: &Source) -> String {
    let index = &source.index;
    let mut text = format!(
        "{} systems, {} items, {} outputs",
        index.systems().len(),
        index.items(),
        index.rows(Kind::Outputs)
    );
    for kind in [Kind::Comparisons, Kind::Judgments] {
        if index.has(kind) {
            text += &format!(", {} {}", index.rows(kind), kind.name());
        }
    }
    text
}

/// A stage's name as a file name.
pub(crate) fn file_name(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_alphanumeric() || "-_.+".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect()
}
