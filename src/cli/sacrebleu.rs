//! sacrebleu's command line in `tiebreak score`: its names of options, and scores in its forms.
//!
//! Source: sacrebleu 2.6.0. Signatures are tiebreak's own: `version` is that of the metric here.

use super::score::ScoreArgs;
use super::verbs::to_json;
use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::ParameterizedName;
use tiebreak_data::records::Dataset;
use tiebreak_data::records::import::TextEncoding;
use tiebreak_stages::stages::score::SystemScore;

/// Options of `score` that sacrebleu has too.
#[derive(Debug, Args)]
pub(crate) struct SacrebleuArgs {
    /// Systems' outputs, one a line; every other file is then a file of references
    #[arg(long, short, value_name = "HYP", num_args = 1..)]
    pub input: Vec<PathBuf>,
    /// One more reference for each line
    #[arg(long, value_name = "FILE")]
    pub reference: Vec<PathBuf>,
    /// What the outputs were made from, one a line
    #[arg(long, value_name = "FILE")]
    pub source: Option<PathBuf>,
    /// Score each line of one system instead, with one metric
    #[arg(long, conflicts_with_all = ["paired", "out", "corpus"])]
    pub sentence_level: bool,
    /// How corpus scores are written: as sacrebleu writes them
    #[arg(long, short, value_name = "FORM", conflicts_with_all = ["json", "out", "paired_bs", "paired_ar"])]
    pub format: Option<ScoreFormat>,
    /// Print scores only
    #[arg(long, short = 'b', conflicts_with_all = ["json", "out", "format", "paired_bs", "paired_ar"])]
    pub score_only: bool,
    /// Decimals of scores, with --format, --score-only, --confidence or --sentence-level [default: 1]
    #[arg(long, short, value_name = "N", conflicts_with_all = ["json", "out", "paired_bs", "paired_ar"], value_parser = clap::value_parser!(u8).range(0..=17))]
    pub width: Option<u8>,
    /// The encoding of text files
    #[arg(long, short, value_name = "NAME", default_value = UTF_8, hide = true, value_parser = encoding)]
    pub encoding: TextEncoding,
    /// The references on a line of the one file of references, with tabs between.
    #[arg(long, value_name = "N", default_value_t = 1, hide = true, value_parser = clap::value_parser!(u8).range(1..))]
    pub num_refs: u8,
    /// Whether the keys of signatures are abbreviated.
    #[arg(long, hide = true)]
    pub short: bool,
    /// A parameter of a metric, as `spelled` writes sacrebleu's options.
    #[arg(long, value_name = "METRIC:KEY=VALUE", hide = true, value_parser = parameter)]
    pub parameter: Vec<ParameterizedName>,
}

/// The forms of scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScoreFormat {
    Json,
    Text,
    Latex,
}

const UTF_8: &str = "utf-8";

fn encoding(name: &str) -> std::result::Result<TextEncoding, String> {
    TextEncoding::of_name(name).ok_or_else(|| {
        format!("is `{name}`, expected {UTF_8} or latin-1: `iconv -f {name} -t {UTF_8} FILE` converts a file")
    })
}

fn parameter(text: &str) -> std::result::Result<ParameterizedName, String> {
    ParameterizedName::parse(text).map_err(|error| error.to_string())
}

/// What stands here for an option of sacrebleu.
enum Spelling {
    /// A flag of the same meaning.
    Flag(&'static str),
    /// A parameter of a metric that takes a value, with one.
    Value(&'static str, &'static str),
    /// One that is switched on.
    Switch(&'static str),
    /// The languages of source and outputs, which decide the tokeniser.
    Languages,
    /// Nothing: colours are of terminals only.
    Nothing,
}

/// sacrebleu's options that have another name here, or more than one letter behind one dash.
const SPELLINGS: &[(&[&str], Spelling)] = &[
    (&["-sl"], Spelling::Flag("--sentence-level")),
    (&["-ci"], Spelling::Flag("--confidence")),
    (&["-cin", "--confidence-n"], Spelling::Flag("--resamples")),
    (&["-pbs"], Spelling::Flag("--paired-bs")),
    (&["-pbsn", "--paired-bs-n"], Spelling::Flag("--resamples")),
    (&["-par"], Spelling::Flag("--paired-ar")),
    (&["-parn", "--paired-ar-n"], Spelling::Flag("--trials")),
    (&["-j", "--paired-jobs"], Spelling::Flag("--threads")),
    (&["-nc", "--no-color"], Spelling::Nothing),
    (&["-nr"], Spelling::Flag("--num-refs")),
    (&["-sh"], Spelling::Flag("--short")),
    (&["-l", "--language-pair"], Spelling::Languages),
    (
        &["-tok", "--tokenize"],
        Spelling::Value("bleu:tokenize", "13a"),
    ),
    (&["-lc", "--lowercase"], Spelling::Switch("bleu:lowercase")),
    (
        &["-s", "--smooth-method"],
        Spelling::Value("bleu:smooth-method", "exp"),
    ),
    (
        &["-sv", "--smooth-value"],
        Spelling::Value("bleu:smooth-value", "0.1"),
    ),
    (
        &["-cc", "--chrf-char-order"],
        Spelling::Value("chrf:char-order", "6"),
    ),
    (
        &["-cw", "--chrf-word-order"],
        Spelling::Value("chrf:word-order", "2"),
    ),
    (&["--chrf-beta"], Spelling::Value("chrf:beta", "2")),
    (&["--chrf-whitespace"], Spelling::Switch("chrf:whitespace")),
    (&["--chrf-lowercase"], Spelling::Switch("chrf:lowercase")),
    (
        &["--chrf-eps-smoothing"],
        Spelling::Switch("chrf:eps-smoothing"),
    ),
    (
        &["--ter-case-sensitive"],
        Spelling::Switch("ter:case-sensitive"),
    ),
    (
        &["--ter-asian-support"],
        Spelling::Switch("ter:asian-support"),
    ),
    (&["--ter-no-punct"], Spelling::Switch("ter:no-punct")),
    (&["--ter-normalized"], Spelling::Switch("ter:normalized")),
];

/// Arguments of `score`, beginning with the program's name, with sacrebleu's names of options replaced.
///
/// # Errors
/// An option without its value.
pub(super) fn spelled(arguments: &[OsString]) -> Result<Vec<OsString>, clap::Error> {
    if arguments.get(1).is_none_or(|verb| verb != "score") {
        return Ok(arguments.to_vec());
    }
    let mut rest = arguments.iter().peekable();
    let mut said = Vec::new();
    let mut languages = None;
    let parameter = |key: &str, value: &str| OsString::from(format!("--parameter={key}={value}"));
    while let Some(word) = rest.next() {
        let text = word.to_str().unwrap_or_default();
        let (name, joined) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (text, None),
        };
        let spelling = SPELLINGS.iter().find(|(names, _)| names.contains(&name));
        match spelling.map(|(_, spelling)| spelling) {
            None => said.push(word.clone()),
            Some(Spelling::Nothing) => {}
            Some(Spelling::Flag(flag)) => {
                said.push(flag.into());
                said.extend(joined.map(OsString::from));
            }
            Some(Spelling::Switch(key)) => said.push(parameter(key, "true")),
            Some(Spelling::Languages) => {
                languages = Some(value(name, joined, &mut rest, "en-de")?);
            }
            Some(Spelling::Value(key, example)) => {
                said.push(parameter(key, &value(name, joined, &mut rest, example)?));
            }
        }
    }
    // sacrebleu's default.
    let has = |flags: &[&str]| {
        let flag = |word: &OsString| {
            word.to_str()
                .and_then(|word| word.split('=').next().map(|name| flags.contains(&name)))
        };
        said.iter().any(|word| flag(word) == Some(true))
    };
    let is_lines = |word: &OsString| Dataset::is_lines(Path::new(word));
    let of_lines = has(&["-i", "--input"]) || said.iter().skip(2).any(is_lines);
    let names_metrics = has(&["-m", "--metric", "--metrics"]);
    if of_lines && !names_metrics && !has(&["-h", "--help"]) {
        said.push("--metric=bleu".into());
    }
    let has_bleu = !names_metrics || said.iter().any(|word| word == "bleu");
    let is_tokenizer = |word: &OsString| word.to_string_lossy().contains("bleu:tokenize=");
    if has_bleu && !said.iter().any(is_tokenizer) {
        // sacrebleu's choice for these languages.
        let target = languages.as_deref().and_then(|pair| pair.split_once('-'));
        let tokenizer = target.and_then(|(_, target)| match target {
            "zh" => Some("zh"),
            "ja" => Some("ja-mecab"),
            "ko" => Some("ko-mecab"),
            _ => None,
        });
        said.extend(tokenizer.map(|name| parameter("bleu:tokenize", name)));
    }
    Ok(said)
}

/// The value of an option: what is joined to it, or the next word.
fn value<'a>(
    option: &str,
    joined: Option<String>,
    rest: &mut Peekable<impl Iterator<Item = &'a OsString>>,
    example: &str,
) -> Result<String, clap::Error> {
    let is_option = |word: &str| word.starts_with('-') && word.parse::<f64>().is_err();
    let next = || {
        let word = rest.next_if(|word| word.to_str().is_some_and(|word| !is_option(word)))?;
        word.to_str().map(ToString::to_string)
    };
    joined.or_else(next).ok_or_else(|| {
        let what = format!("`{option}` takes a value, for example `{option} {example}`");
        clap::Error::raw(ErrorKind::InvalidValue, what)
    })
}

/// What to do instead of an option of sacrebleu that is not here.
pub(super) fn missing(option: &str) -> Option<&'static str> {
    Some(match option {
        "-t" | "--test-set" | "--download" | "--echo" | "--list" | "-ol" | "--origlang"
        | "--subset" | "--citation" | "--cite" | "-d" | "--detail" => {
            "tiebreak fetches no test sets: `sacrebleu -t wmt20 -l en-de --echo ref > ref.txt` writes one to a file (and \
             `--echo src` its source), for `tiebreak score ref.txt -i FILE`"
        }
        _ => return None,
    })
}

impl SacrebleuArgs {
    /// Adds the parameters to the metrics that they are for.
    pub(super) fn add_parameters(&self, args: &ScoreArgs) -> Result<Vec<ParameterizedName>> {
        let mut metrics: Vec<ParameterizedName> = args.keys.metrics().cloned().collect();
        for given in &self.parameter {
            let takes =
                |metric: &&mut ParameterizedName| metric.name.trim_end_matches('+') == given.name;
            let mut own = metrics.iter_mut().filter(takes).peekable();
            if own.peek().is_none() {
                let what = format!(
                    "{} is for {}, which is no metric asked for",
                    given.params, given.name
                );
                return Err(Error::key("metric", what));
            }
            for metric in own {
                for (key, value) in &given.params.0 {
                    let before = metric.params.0.insert(key.clone(), value.clone());
                    if before.is_some_and(|before| before != *value) {
                        let what = format!("{}: {key} is given twice", metric.name);
                        return Err(Error::key("metric", what));
                    }
                }
            }
        }
        // As sacrebleu scores sentences.
        let of_bleu = metrics.iter_mut().filter(|metric| metric.name == "bleu");
        for bleu in of_bleu.filter(|_| self.sentence_level) {
            let order = bleu.params.0.entry("effective-order");
            order.or_insert(toml::Value::Boolean(true));
        }
        Ok(metrics)
    }

    /// Whether scores are written in one of sacrebleu's forms.
    pub(super) fn is_wanted(&self) -> bool {
        self.format.is_some() || self.score_only || self.sentence_level || self.width.is_some()
    }

    /// Writes scores: those of one metric after the other, each of these metrics.
    pub(super) fn write(
        &self,
        metrics: &[ParameterizedName],
        rows: &[SystemScore],
    ) -> Result<String> {
        let width = usize::from(self.width.unwrap_or(1));
        let score = |row: &SystemScore| {
            let spread = row.confidence_mean.zip(row.confidence_var);
            let spread =
                spread.map(|(mean, half)| format!(" (μ = {mean:.width$} ± {half:.width$})"));
            format!("{:.width$}{}", row.score, spread.unwrap_or_default())
        };
        let name = |row: &SystemScore| {
            let metric = metrics.iter().find(|metric| metric.label() == row.metric);
            metric.map_or_else(|| row.metric.clone(), name)
        };
        let lines = |line: &dyn Fn(&SystemScore) -> String| {
            let lines = rows.iter().map(|row| line(row) + "\n");
            lines.collect::<String>()
        };
        if self.score_only {
            return Ok(lines(&score));
        }
        let line = |row: &SystemScore| {
            let details = row
                .verbose_score
                .as_ref()
                .map(|details| format!(" {details}"));
            let signature = match self.short {
                true => abbreviated(row),
                false => parameters(row).to_string(),
            };
            let details = details.unwrap_or_default();
            format!("{}|{signature} = {}{details}", name(row), score(row))
        };
        let several = in_order(rows).len() > 1;
        match self.format.unwrap_or(ScoreFormat::Text) {
            ScoreFormat::Text if several => {
                Ok(lines(&|row| format!("{}: {}", row.system, line(row))))
            }
            ScoreFormat::Text => Ok(lines(&line)),
            ScoreFormat::Latex => Ok(latex(rows, &name, &score)),
            ScoreFormat::Json if several => {
                let of_system = |system: &str| {
                    let own = rows.iter().filter(|row| row.system == system);
                    let own = own.map(|row| (name(row), json!(score(row))));
                    let system = std::iter::once(("system".to_string(), json!(system)));
                    system.chain(own).collect::<Map<String, Value>>()
                };
                to_json(
                    &in_order(rows)
                        .into_iter()
                        .map(of_system)
                        .collect::<Vec<_>>(),
                )
            }
            ScoreFormat::Json => {
                let all: Vec<Value> = rows
                    .iter()
                    .map(|row| object(row, &name(row), width))
                    .collect();
                match &all[..] {
                    [one] => to_json(one),
                    all => to_json(&all),
                }
            }
        }
    }
}

/// The systems in the order of their scores.
fn in_order(rows: &[SystemScore]) -> Vec<&str> {
    let mut systems: Vec<&str> = Vec::new();
    for row in rows {
        if !systems.contains(&&*row.system) {
            systems.push(&row.system);
        }
    }
    systems
}

/// What sacrebleu calls a metric.
fn name(metric: &ParameterizedName) -> String {
    let number = |key: &str, default: i64| match metric.params.0.get(key) {
        Some(toml::Value::Float(value)) => format!("{value}"),
        Some(value) => value.to_string(),
        None => default.to_string(),
    };
    match metric.name.as_str() {
        "bleu" => "BLEU".to_string(),
        "ter" => "TER".to_string(),
        "chrf" | "chrf++" => {
            let order = number("word-order", if metric.name == "chrf" { 0 } else { 2 });
            let plus = "+".repeat(order.parse().unwrap_or(0));
            format!("chrF{}{plus}", number("beta", 2))
        }
        _ => metric.label(),
    }
}

/// A signature without the name of the metric.
fn parameters(row: &SystemScore) -> &str {
    row.signature.split_once('|').map_or("", |(_, rest)| rest)
}

/// The same with sacrebleu's short names of keys.
fn abbreviated(row: &SystemScore) -> String {
    let fields = parameters(row).split('|').map(|field| {
        let (key, value) = field.split_once(':').unwrap_or((field, ""));
        let key = match key {
            "nrefs" => "#",
            "case" => "c",
            "eff" => "e",
            "tok" if row.metric.starts_with("ter") => "t",
            "smooth" | "space" => "s",
            "norm" => "nr",
            "punct" => "pn",
            "asian" => "as",
            "seed" => "rs",
            "version" => "v",
            key => key,
        };
        format!("{key}:{value}")
    });
    fields.collect::<Vec<_>>().join("|")
}

/// A score as sacrebleu's JSON has it.
fn object(row: &SystemScore, name: &str, width: usize) -> Value {
    let number = |value: f64| json!(format!("{value:.width$}").parse::<f64>().unwrap_or(value));
    let signature = parameters(row);
    let mut object = Map::new();
    object.insert("name".to_string(), json!(name));
    object.insert("score".to_string(), number(row.score));
    object.insert("signature".to_string(), json!(signature));
    if let Some((mean, half)) = row.confidence_mean.zip(row.confidence_var) {
        let both = format!("μ = {mean:.width$} ± {half:.width$}");
        object.insert("confidence_mean".to_string(), number(mean));
        object.insert("confidence_var".to_string(), number(half));
        object.insert("confidence".to_string(), json!(both));
    }
    if let Some(details) = &row.verbose_score {
        object.insert("verbose_score".to_string(), json!(details));
    }
    let fields = signature
        .split('|')
        .filter_map(|field| field.split_once(':'));
    object.extend(fields.map(|(key, value)| (key.to_string(), json!(value))));
    Value::Object(object)
}

/// A table for LaTeX, of the package booktabs: a row for each system.
fn latex(
    rows: &[SystemScore],
    name: &impl Fn(&SystemScore) -> String,
    score: &impl Fn(&SystemScore) -> String,
) -> String {
    let escaped = |text: &str| {
        let special = |c: char| matches!(c, '_' | '&' | '%' | '#' | '$' | '{' | '}');
        let one = |c: char| match special(c) {
            true => format!("\\{c}"),
            false => c.to_string(),
        };
        text.chars().map(one).collect::<String>()
    };
    let systems = in_order(rows);
    let of = |system: &str| {
        let system = system.to_string();
        rows.iter().filter(move |row| row.system == system)
    };
    let first = systems.first().copied().unwrap_or_default();
    let line = |head: String, cells: Vec<String>| {
        let cells: Vec<String> = std::iter::once(head).chain(cells).collect();
        format!("{} \\\\\n", cells.join(" & "))
    };
    let header = line(
        "System".to_string(),
        of(first).map(|row| escaped(&name(row))).collect(),
    );
    let body = systems.iter().map(|system| {
        let cells = of(system).map(|row| score(row).replace("μ", "$\\mu$").replace('±', "$\\pm$"));
        line(escaped(system), cells.collect())
    });
    let body: String = body.collect();
    let columns = "c".repeat(of(first).count());
    format!(
        "\\begin{{tabular}}{{r{columns}}}\n\\toprule\n{header}\\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n"
    )
}
