//! `tiebreak judge`: preferences of a language model, behind an endpoint, by batch files, or in this process.

use super::args::DataArgs;
use super::out::table;
use super::values::shard;
use super::verbs::{Command, at};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::{argument, decimals};
use tiebreak_preference::judges::{
    Answers, BatchResults, Delivery, JudgeDescriptor, JudgeOptions, Outbox,
};
use tiebreak_preference::preference::{self, Options};
use tiebreak_stages::engine::Context;
use tiebreak_stages::engine::parts::Shard;
use tiebreak_stages::stages::StageContext;
use tiebreak_stages::stages::predict::{self, Predict, PredictOptions, Predictor};

/// `tiebreak judge`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak judge mine --endpoint http://127.0.0.1:8000/v1 --model qwen3-8b --out p.parquet\n  \
tiebreak judge mine --model judge.toml --max-cost 5 --price 0.15,0.60 --out p.parquet\n  \
tiebreak judge mine --model judge.toml --write-batch requests.jsonl\n  \
tiebreak judge mine --model judge.toml --read-batch results.jsonl --out p.parquet",
    after_help = "The result is a table of predictions, as `predict` writes it. Answers are kept in the folder --answers, \
so an interrupted command goes on and pays for nothing twice. A judge that is asked more than once has BALD \
and STD: by --order both, --samples, or several templates (docs/judges.md)."
)]
pub(crate) struct JudgeArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// The judge: a descriptor (judge.toml) or its name, with --endpoint the name there, else the folder or hub id
    /// of a model
    #[arg(long, value_name = "FILE|NAME|DIR|HUB-ID")]
    pub model: String,
    /// Order of a pair's outputs: as given, both and averaged, or random for each pair [default: random]
    #[arg(long, value_name = "given|both|random", value_parser = tiebreak_base::keys::flag::<preference::Order>)]
    pub order: Option<preference::Order>,
    /// Ask so often: a number, or adaptive: as often as a pair needs [default: 1]
    #[arg(long, value_name = "N|adaptive:…", value_parser = tiebreak_base::keys::flag::<preference::Draws>)]
    pub samples: Option<preference::Draws>,
    /// Use a calibration of `tiebreak fit calibration` instead of the judge's own; none uses none
    #[arg(long, value_name = "FILE|none")]
    pub calibration: Option<PathBuf>,
    #[command(flatten)]
    pub judging: JudgeOptions,
    /// The same as --answers
    #[arg(long, value_name = "DIR", conflicts_with = "answers")]
    pub cache: Option<PathBuf>,
    /// Judge only these pairs: a table with item, system_a, system_b
    #[arg(long, value_name = "FILE")]
    pub pairs: Option<PathBuf>,
    /// Store the preference of each call, too
    #[arg(long)]
    pub keep_draws: bool,
    /// Send nothing: write the requests without an answer yet as a batch file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["read_batch", "out"])]
    pub write_batch: Option<PathBuf>,
    /// Send nothing: read the answers from the results of such a batch
    #[arg(long, value_name = "FILE")]
    pub read_batch: Option<PathBuf>,
    /// Compute every N-th part only, beginning with the I-th
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,
    /// A file (.jsonl, .csv, .tsv, .parquet, .arrow) or a folder of parts; - prints it as CSV
    #[arg(long, value_name = "PATH", required_unless_present = "write_batch")]
    pub out: Option<PathBuf>,
}

impl JudgeArgs {
    /// Returns the keys as the stage `predict` takes them.
    fn keys(&self) -> Predict {
        let mut judging = self.judging.clone();
        judging.answers = self.cache.clone().or(judging.answers);
        Predict {
            model: Some(self.model.clone()),
            asking: Options {
                order: self.order,
                samples: self.samples,
                calibration: self.calibration.clone(),
                judging,
                ..Options::default()
            },
            pairs: self.pairs.clone(),
            keep_draws: self.keep_draws,
            ..Predict::default()
        }
    }
}

/// Asks the judge; the table is the result.
pub(super) fn judge(command: &Command<'_>, args: &JudgeArgs) -> Result<String> {
    let Command { context, .. } = *command;
    let keys = args.keys();
    let mut options = keys.asking.clone();
    let outbox = Arc::new(Outbox::default());
    let answers_of_batch = args.read_batch.as_deref();
    if args.write_batch.is_some() {
        options.judging.delivery = Delivery::Collected(Arc::clone(&outbox));
    } else if let Some(file) = answers_of_batch {
        options.judging.delivery = answered(&args.model, &options.judging, file, context)?;
    }
    // A model that cannot be loaded is reported before the data set is read.
    let model = preference::load(&args.model, &options, &context.env);
    let model = model.map_err(|error| Error::of_key("model")(behind_endpoint(error, args)))?;
    let model = Predictor::Model(model.into());
    at(context, &args.data, &keys, |site| {
        command.note_answers(site.source);
        let options = PredictOptions {
            shard: args.shard.unwrap_or_default(),
            ..keys.options(site)?
        };
        match (&args.write_batch, &args.out) {
            (Some(file), _) => collect(site, &model, &options, &outbox, file),
            (None, Some(out)) => table(out, |destination| {
                predict::run(context, site.source, &model, &options, destination)
            }),
            (None, None) => Err(Error::usage("--out is missing")),
        }
    })
}

/// Adds to an unknown name how a judge behind an endpoint is named: that is what most names of models are.
fn behind_endpoint(error: Error, args: &JudgeArgs) -> Error {
    let Error::UnknownName { kind: "model", .. } = error else {
        return error;
    };
    let known = error.hint().unwrap_or_default();
    let model = &args.model;
    error.with_hint(format!(
        "for a model behind an endpoint write judge.toml and add --model judge.toml. The file has endpoint = \
         \"https://api.openai.com/v1\", model = {model:?} and key-env = \"OPENAI_API_KEY\". Without a key: --endpoint \
         http://127.0.0.1:8000/v1 --model {}. For models that run here: {known}",
        argument(model)
    ))
}

/// Writes the requests of all pairs into a batch file.
fn collect(
    site: &StageContext<'_>,
    model: &Predictor,
    options: &PredictOptions,
    outbox: &Outbox,
    file: &Path,
) -> Result<String> {
    predict::consult(site.context, site.source, model, options)?;
    let (requests, cost) = outbox.write(file)?;
    let cost = cost.map_or(String::new(), |cost| {
        format!(", for ${} at most", decimals(cost, 4))
    });
    Ok(format!(
        "{requests} requests are in {}{cost}; `tiebreak judge … --read-batch RESULTS` reads what comes back\n",
        file.display()
    ))
}

/// Adds a file of results to the stored answers; counts them.
fn answered(
    model: &str,
    asked: &JudgeOptions,
    file: &Path,
    context: &Context<'_>,
) -> Result<Delivery> {
    let Some(descriptor) = JudgeDescriptor::resolve_judge(model, asked, &context.env.models)?
    else {
        let what = format!("`{model}` is no judge behind an endpoint");
        return Err(Error::key("model", what).with_hint("name a descriptor, or an --endpoint too"));
    };
    let folder = descriptor.answers(asked);
    let answers = Answers::open(&folder, descriptor.model.as_deref().unwrap_or_default())?;
    for warning in answers.take_warnings() {
        context.progress.warn(&warning);
    }
    let results = BatchResults::read(file, &answers)?;
    Ok(Delivery::Answered(Arc::new(results)))
}
