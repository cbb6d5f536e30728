//! `tiebreak score`: means, corpus scores and paired tests, as tables for people.

use super::args::DataArgs;
use super::out::table;
use super::sacrebleu::SacrebleuArgs;
use super::values::shard;
use super::verbs::{Command, open, to_json};
use clap::Args;
use std::io::IsTerminal;
use std::path::Path;
use std::path::PathBuf;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::named::ParameterizedNameList;
use tiebreak_base::keys::{Keys, MOST_RESAMPLES};
use tiebreak_base::layout::{self, path_argument};
use tiebreak_base::message;
use tiebreak_base::words::counted;
use tiebreak_data::records::Dataset;
use tiebreak_data::records::import::AlignedFilePaths;
use tiebreak_stages::engine::Context;
use tiebreak_stages::engine::parts::Shard;
use tiebreak_stages::inputs::source::{ClusterKeys, Source};
use tiebreak_stages::stages::score::significance::{PairedTest, SystemSignificance, Test};
use tiebreak_stages::stages::score::{self, Scorer, SystemScore};

/// `tiebreak score`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak score data/tiny --metric chrf bleu\n  \
tiebreak score data/tiny --metric chrf --out scores.csv             # a score for each output\n  \
tiebreak score ref.txt a.txt b.txt --metric chrf --paired-bs        # is the difference real?\n  \
tiebreak score ref.txt -i a.txt -m bleu -b -w 4                     # as with sacrebleu",
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
    #[command(flatten)]
    pub like: SacrebleuArgs,
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
    /// Add the spread of each corpus score by itself, by bootstrap
    #[arg(long, group = "paired", conflicts_with = "out")]
    pub confidence: bool,
    /// Which items count as one.
    #[command(flatten)]
    pub clusters: ClusterKeys,
    /// Bootstrap resamples of --paired-bs and --confidence; with --paired-ar those of the mean and its interval [default:
    /// 1000; with --paired-ar none]
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
    /// The text files, if the data set is made of such: an item a line, a system a file.
    fn of_lines(&self) -> Option<AlignedFilePaths> {
        let own = std::iter::once(&self.data.data);
        let (references, systems) = match &self.like.input[..] {
            [] => (own.collect(), &self.hypotheses[..]),
            input => (own.chain(&self.hypotheses).collect::<Vec<_>>(), input),
        };
        let standard_input = [PathBuf::from("-")];
        let systems = match systems {
            [] if self.is_piped() => &standard_input,
            systems => systems,
        };
        let references = references.into_iter().chain(&self.like.reference);
        (!systems.is_empty()).then(|| AlignedFilePaths {
            source: self.like.source.clone(),
            references: references.cloned().collect(),
            systems: system_names(systems)
                .into_iter()
                .zip(systems.iter().cloned())
                .collect(),
            references_per_line: usize::from(self.like.num_refs),
            encoding: self.like.encoding,
        })
    }

    /// Whether outputs come through a pipe, for a file of references that is no table, as with sacrebleu.
    fn is_piped(&self) -> bool {
        Dataset::is_lines(&self.data.data) && !std::io::stdin().is_terminal()
    }

    /// The number of bootstrap resamples.
    fn resamples(&self) -> u64 {
        self.resamples.unwrap_or(1000)
    }

    /// The paired test that the flags ask for.
    pub(super) fn test(&self) -> Option<Test> {
        if self.paired_bs {
            let resamples = self.resamples();
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
    let metrics = args.like.add_parameters(args)?;
    let keys = score::ScoreStage {
        metric: vec![ParameterizedNameList(metrics)],
        draws: args.keys.draws,
    };
    keys.check()?;
    if args.test().is_some() && args.keys.draws.is_some() {
        let what = "a paired test is of corpus scores, which have no draws";
        return Err(Error::key("draws", what));
    }
    if args.test().is_none() && !args.confidence && args.clusters.cluster.is_some() {
        let what = "which items count as one matters to tests and spreads alone";
        return Err(Error::key("cluster", what).with_hint(message!(
            "add {} or {}",
            Key("paired-bs"),
            Key("confidence")
        )));
    }
    let mut scorers = keys.scorers(context)?;
    let only_of_lines = args.like.source.is_some() || !args.like.reference.is_empty();
    if only_of_lines && args.of_lines().is_none() {
        let what = message!(
            "{} and {} are for text files",
            Key("reference"),
            Key("source")
        );
        return Err(Error::usage(what).with_hint("name the systems' files: -i FILE"));
    }
    let source = match args.of_lines() {
        None => open(context, &args.data)?,
        Some(files) => {
            let source = Source::index(context, Dataset::of_lines(&files)?)?;
            if args.like.input.is_empty() && args.like.reference.is_empty() {
                say_roles(context, &args.data.data, &args.hypotheses);
            }
            source
        }
    };
    command.note_answers(&source);
    source.require_outputs()?;
    // A mistake in the baseline's name is reported before all texts are scored.
    let baseline = args.baseline.as_deref();
    let test = args.test();
    let test = test.map(|test| PairedTest::new(context, &source, test, baseline, &args.clusters));
    let test = test.transpose()?;
    for scorer in &mut scorers {
        scorer.prepare(context, &source)?;
    }
    if args.like.sentence_level {
        let [scorer] = &scorers[..] else {
            let what = "sentences are scored with one metric at a time";
            return Err(Error::key("metric", what));
        };
        if let [_, other, ..] = source.systems() {
            let what = format!("sentences of one system at a time, found `{other}` too");
            return Err(Error::usage(what));
        }
        let rows = SystemScore::sentences(context, &source, scorer)?;
        return match json {
            true => to_json(&rows),
            false => args.like.write(keys.metric[0].0.as_slice(), &rows),
        };
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
    of_systems(context, args, &keys, &source, &scorers, json)
}

/// Returns means of systems, or corpus scores, which are the default for text files, as with sacrebleu.
fn of_systems(
    context: &Context<'_>,
    args: &ScoreArgs,
    keys: &score::ScoreStage,
    source: &Source,
    scorers: &[Scorer],
    json: bool,
) -> Result<String> {
    let of_lines = args.of_lines().is_some();
    let in_its_form = args.like.is_wanted() || args.confidence;
    let means = || SystemScore::means(context, source, scorers);
    let mut corpus = match args.corpus || of_lines || in_its_form {
        true => Some(SystemScore::corpus(context, source, scorers)?),
        false => None,
    };
    if let Some(rows) = corpus.as_mut().filter(|_| args.confidence) {
        let keys = &args.clusters;
        let hints =
            SystemScore::add_confidence(context, source, scorers, args.resamples(), keys, rows)?;
        for hint in &hints {
            context.progress.done(hint);
        }
    }
    if json {
        let rows = corpus.map_or_else(means, Ok)?;
        SystemScore::warn_of_different_items(context, source, &rows)?;
        return to_json(&rows);
    }
    if let Some(rows) = corpus.as_ref().filter(|_| in_its_form) {
        return args.like.write(keys.metric[0].0.as_slice(), rows);
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
    let rows: Vec<SystemScore> = columns.iter().flat_map(|(_, rows)| rows.clone()).collect();
    SystemScore::warn_of_different_items(context, source, &rows)?;
    Ok(score_table(source, &columns))
}

/// The names of systems: of their files without the ending, or as given where two were called the same.
fn system_names(files: &[PathBuf]) -> Vec<String> {
    let stem = |file: &PathBuf| Some(file.file_stem()?.to_str()?.to_string());
    let stems: Vec<Option<String>> = files.iter().map(stem).collect();
    let alone = |stem: &&String| stems.iter().flatten().filter(|one| one == stem).count() == 1;
    let names = files.iter().zip(&stems).map(|(file, stem)| {
        let stem = stem.as_ref().filter(alone).cloned();
        stem.unwrap_or_else(|| file.display().to_string())
    });
    names.collect()
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
        "reference: {reference_shown}; systems: {}. Several references: tiebreak score {} --reference OTHER -i \
         FILE…",
        systems.join(", "),
        path_argument(reference)
    ));
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
    let signatures = lines(first.map(|row| &*row.signature));
    format!("{}\n{signatures}", layout::table(&header, &rows))
}

fn paired(
    context: &Context<'_>,
    paired: &PairedTest<'_>,
    scorers: &[Scorer],
    out: Option<&Path>,
    json: bool,
) -> Result<String> {
    let hints = paired.hints().iter();
    if out.is_some() || json {
        hints.clone().for_each(|hint| context.progress.done(hint));
    }
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
    let signatures = lines(by_metric.map(|rows| &*rows[0].signature));
    let table = paired_table(&rows);
    let tests = rows.iter().filter(|row| row.significant.is_some()).count();
    let verdict = match paired.is_undecided() {
        false => format!(
            "* differs: corrected p < {}, of both sides, by Holm among the {tests} tests of this table",
            SystemSignificance::LEVEL
        ),
        true => format!(
            "undecided: a test takes {} items",
            SystemSignificance::FEWEST_EXCHANGED
        ),
    };
    let p = match paired.is_clustered() {
        false => "p as in sacrebleu",
        true => "p as in sacrebleu, but for items that count as one",
    };
    let hints = lines(hints.map(String::as_str));
    let exact = match paired.is_exact() && !paired.is_undecided() {
        true => ", exact by all exchanges of outputs",
        false => "",
    };
    Ok(format!(
        "{table}\n{how}, {}, against {baseline}; ± is for items like these, each system by itself\n\
         {verdict}{exact}; {p}, not corrected\n{hints}{signatures}",
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

fn lines<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.flat_map(|line| [line, "\n"]).collect()
}
