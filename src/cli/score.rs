//! `tiebreak score`: means, corpus scores and paired tests, as tables for people.

use super::args::DataArgs;
use super::out::table;
use super::values::shard;
use super::verbs::{Command, open, to_json};
use clap::Args;
use std::path::Path;
use std::path::PathBuf;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::{Keys, MOST_RESAMPLES};
use tiebreak_base::layout::{self, path_argument};
use tiebreak_base::words::counted;
use tiebreak_data::records::Dataset;
use tiebreak_data::records::import::AlignedFilePaths;
use tiebreak_stages::engine::Context;
use tiebreak_stages::engine::parts::Shard;
use tiebreak_stages::inputs::source::Source;
use tiebreak_stages::stages::score::significance::{
    FEWEST_EXCHANGED, FEWEST_ITEMS, LEVEL, PairedTest, SystemSignificance, Test,
};
use tiebreak_stages::stages::score::{self, Scorer, SystemScore};

/// `tiebreak score`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak score data/tiny --metric chrf bleu\n  \
tiebreak score data/tiny --metric chrf --out scores.csv             # a score for each output\n  \
tiebreak score ref.txt a.txt b.txt --metric chrf --paired-bs        # is the difference real?",
    after_help = "`tiebreak list metrics` lists the metrics with their parameters."
)]
pub(crate) struct ScoreArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// Systems' outputs, one a line, where DATA is a text file of references; - is standard input
    #[arg(value_name = "HYP")]
    pub hypotheses: Vec<PathBuf>,
    #[command(flatten)]
    pub keys: score::ScoreStage,
    /// Add corpus-level scores
    #[arg(long)]
    pub corpus: bool,
    /// Test the systems' corpus scores against the baseline's by paired bootstrap
    #[arg(long, group = "paired")]
    pub paired_bs: bool,
    /// Test them by paired approximate randomisation instead
    #[arg(long, group = "paired")]
    pub paired_ar: bool,
    /// The system that a paired test compares the others with [default: the first]
    #[arg(long, value_name = "SYSTEM", requires = "paired")]
    pub baseline: Option<String>,
    /// Bootstrap resamples, also for the mean and its 95 % interval [default: 1000; with --paired-ar none]
    #[arg(long, value_name = "N", requires = "paired", value_parser = clap::value_parser!(u64).range(1..=MOST_RESAMPLES))]
    pub resamples: Option<u64>,
    /// Trials of --paired-ar
    #[arg(long, value_name = "N", requires = "paired_ar", conflicts_with = "paired_bs", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=MOST_RESAMPLES))]
    pub trials: u64,
    /// Score every N-th part only, beginning with the I-th
    #[arg(long, value_name = "I/N", value_parser = shard, requires = "out", conflicts_with_all = ["paired", "corpus"])]
    pub shard: Option<Shard>,
    /// A file (.jsonl, .csv, .tsv, .parquet, .arrow) or folder for scores or test results; - prints CSV; without it
    /// means are printed
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

impl ScoreArgs {
    /// The paired test that the flags ask for.
    pub(super) fn test(&self) -> Option<Test> {
        if self.paired_bs {
            let resamples = self.resamples.unwrap_or(1000);
            return Some(Test::Bootstrap { resamples });
        }
        self.paired_ar.then_some(Test::Randomisation {
            trials: self.trials,
            resamples: self.resamples,
        })
    }
}

/// Scores and returns what goes to standard output.
pub(super) fn score(command: &Command<'_>, args: &ScoreArgs) -> Result<String> {
    let Command { context, json, .. } = *command;
    args.keys.check()?;
    if args.test().is_some() && args.keys.draws.is_some() {
        let what = "a paired test is of corpus scores, which have no draws";
        return Err(Error::key("draws", what));
    }
    let mut scorers = args.keys.scorers(context)?;
    let source = match &args.hypotheses[..] {
        [] => open(context, &args.data)?,
        files => {
            let source = of_lines(context, &args.data.data, files)?;
            say_roles(context, &args.data.data, files);
            source
        }
    };
    score::require_outputs(&source)?;
    // A mistake in the baseline's name is reported before all texts are scored.
    let baseline = args.baseline.as_deref();
    let test = args.test();
    let test = test.map(|test| PairedTest::new(context, &source, test, baseline));
    let test = test.transpose()?;
    for scorer in &mut scorers {
        scorer.prepare(context, &source)?;
    }
    if let Some(test) = test {
        return paired(context, &test, &scorers, args.out.as_deref(), json);
    }
    if let Some(out) = &args.out {
        let written = table(out, |to| {
            score::run(
                context,
                &source,
                &scorers,
                args.shard.unwrap_or_default(),
                to,
            )
        })?;
        if !args.corpus {
            return Ok(written);
        }
    }
    of_systems(context, args, &source, &scorers, json)
}

/// Returns means of systems, or corpus scores, which are the default for text files, as with sacrebleu.
fn of_systems(
    context: &Context<'_>,
    args: &ScoreArgs,
    source: &Source,
    scorers: &[Scorer],
    json: bool,
) -> Result<String> {
    let of_lines = !args.hypotheses.is_empty();
    let means = || score::means(context, source, scorers);
    let corpus = match args.corpus || of_lines {
        true => Some(score::corpus(context, source, scorers)?),
        false => None,
    };
    if json {
        return to_json(&corpus.map_or_else(means, Ok)?);
    }
    let mut columns: Vec<(String, Vec<SystemScore>)> = Vec::new();
    let mut add = |title: &str, rows: Vec<SystemScore>| {
        for scorer in scorers {
            let of_it = rows.iter().filter(|row| row.metric == scorer.label);
            columns.push((format!("{title}{}", scorer.label), of_it.cloned().collect()));
        }
    };
    if args.out.is_none() && !of_lines {
        add("mean ", means()?);
    }
    if let Some(corpus) = corpus {
        add("corpus ", corpus);
    }
    Ok(score_table(source, &columns))
}

/// Says which file is the reference where several could be.
fn say_roles(context: &Context<'_>, reference: &Path, files: &[PathBuf]) {
    if files.len() < 2 {
        return;
    }
    let systems: Vec<String> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let reference_shown = reference.display();
    context.progress.done(&format!(
        "reference: {reference_shown}; systems: {}. Several references: tiebreak import --reference {} --reference \
         OTHER --system a=FILE --out DIR",
        systems.join(", "),
        path_argument(reference)
    ));
}

/// Opens text files as a data set: an item a line, a system a file.
fn of_lines(context: &Context<'_>, reference: &Path, files: &[PathBuf]) -> Result<Source> {
    let system = |file: &PathBuf| (file.display().to_string(), file.clone());
    let aligned = AlignedFilePaths {
        source: None,
        references: vec![reference.to_path_buf()],
        systems: files.iter().map(system).collect(),
    };
    Source::index(context, Dataset::of_lines(&aligned)?)
}

/// Renders one row per system, one column per metric, and the signatures below.
fn score_table(source: &Source, columns: &[(String, Vec<SystemScore>)]) -> String {
    let systems = source.systems();
    let cells = |(_, rows): &(String, Vec<SystemScore>)| {
        let score = |system: &String| rows.iter().find(|row| row.system == *system);
        let scores = systems.iter().map(|system| Some(score(system)?.score));
        layout::column(&scores.collect::<Vec<_>>())
    };
    let cells: Vec<Vec<String>> = columns.iter().map(cells).collect();
    let row = |(place, system): (usize, &String)| {
        let scores = cells.iter().map(|column| column[place].clone());
        std::iter::once(system.clone()).chain(scores).collect()
    };
    let rows: Vec<Vec<String>> = systems.iter().enumerate().map(row).collect();
    let header: Vec<&str> = std::iter::once("system")
        .chain(columns.iter().map(|(title, _)| title.as_str()))
        .collect();
    let first = columns.iter().filter_map(|(_, rows)| rows.first());
    let signatures = signatures(first.map(|row| &*row.signature));
    format!("{}\n{signatures}", layout::table(&header, &rows))
}

fn paired(
    context: &Context<'_>,
    paired: &PairedTest<'_>,
    scorers: &[Scorer],
    out: Option<&Path>,
    json: bool,
) -> Result<String> {
    if let Some(out) = out {
        return table(out, |to| paired.write(context, scorers, to));
    }
    let rows = paired.compare(context, scorers)?;
    if json {
        return to_json(&rows);
    }
    let how = match paired.test() {
        Test::Bootstrap { resamples } => format!("paired bootstrap, {resamples} resamples"),
        Test::Randomisation { trials, .. } => {
            format!("paired approximate randomisation, {trials} trials")
        }
    };
    let (items, baseline) = (paired.items(), paired.baseline());
    let by_metric = rows.chunk_by(|one, next| one.metric == next.metric);
    let signatures = signatures(by_metric.map(|rows| &*rows[0].signature));
    let table = paired_table(&rows);
    let tests = rows.iter().filter(|row| row.significant.is_some()).count();
    let verdict = match paired.is_undecided() {
        false => format!(
            "* differs: corrected p < {LEVEL}, of both sides, by Holm among the {tests} tests of this table"
        ),
        true => format!(
            "undecided: --paired-bs takes {FEWEST_ITEMS} items, --paired-ar {FEWEST_EXCHANGED}"
        ),
    };
    Ok(format!(
        "{table}\n{how}, {}, against {baseline}; ± is for items like these, each system by itself\n\
         {verdict}; p as in sacrebleu, not corrected\n{signatures}",
        counted(items, "item")
    ))
}

/// Renders one row per metric and system.
fn paired_table(rows: &[SystemSignificance]) -> String {
    let by_metric = rows.chunk_by(|one, next| one.metric == next.metric);
    let rows: Vec<Vec<String>> = by_metric.flat_map(paired_rows).collect();
    let header = [
        "system",
        "metric",
        "corpus",
        "mean ± 95 %",
        "p (sacrebleu)",
        "corrected",
    ];
    layout::table(&header, &rows)
}

/// The rows of one metric, whose columns have the same decimals.
fn paired_rows(rows: &[SystemSignificance]) -> Vec<Vec<String>> {
    let column = |value: fn(&SystemSignificance) -> Option<f64>| {
        layout::column(&rows.iter().map(value).collect::<Vec<_>>())
    };
    let (scores, means) = (column(|row| Some(row.score)), column(|row| row.mean));
    let spreads = column(|row| row.ci);
    let (p, corrected) = (column(|row| row.p_value), column(|row| row.p_corrected));
    let cells = |(at, row): (usize, &SystemSignificance)| {
        let spread = row.mean.and(row.ci);
        let spread = spread.map(|_| format!("{} ± {}", means[at], spreads[at]));
        let star = if row.significant == Some(true) {
            " *"
        } else {
            "  "
        };
        vec![
            row.system.clone(),
            row.metric.clone(),
            scores[at].clone(),
            spread.unwrap_or_else(|| "–".to_string()),
            p[at].clone(),
            format!("{}{star}", corrected[at]),
        ]
    };
    rows.iter().enumerate().map(cells).collect()
}

fn signatures<'a>(signatures: impl Iterator<Item = &'a str>) -> String {
    signatures.flat_map(|signature| [signature, "\n"]).collect()
}
