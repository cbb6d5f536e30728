//! Import of other files into a data set folder: files of other tools, whose format is detected; line-aligned text
//! files; one wide table with a column for every system.
//!
//! All are streamed. The folder is made under another name and renamed when it is whole; a folder that is already
//! there is left alone unless it would become the same. A format is one file here and its line in [`FORMATS`]; what
//! shared parts are in `frame`.

mod aligned;
mod alpaca_eval;
mod appraise;
mod arena;
mod arena_hard;
mod arena_kaggle;
mod braintrust;
mod convention;
mod deepeval;
mod evalica;
mod every_eval_ever;
mod fastchat_log;
mod frame;
mod helm;
mod inspect;
mod judge_batch;
mod judgearena;
mod label_studio;
mod langfuse;
mod langsmith;
mod lighteval;
mod lm_eval;
mod mlflow;
mod mt_bench;
mod mt_metrics_eval;
mod openai_evals;
mod opik;
mod pearmut;
mod phoenix;
mod potato;
mod preference;
mod promptfoo;
mod ratings;
mod response_ab;
mod roles;
mod subset2evaluate;
mod tables;
mod wide;

pub use aligned::{AlignedFilePaths, TextEncoding};
pub use frame::{
    EDITED, ExcludedFiles, ImportFormat, ImportOptions, ImportSummary, MissingAnswers, Nulls,
    Repeats, is_edited,
};
pub use wide::WideTableOptions;
pub(crate) use wide::wide_command;

pub(super) use frame::{place_of_judgment, refuse_unlike_outputs};
pub(crate) use ratings::columns_of_outputs;

/// The name of the format of tiebreak's own tables.
pub(super) const TABLES: &str = tables::FORMAT.name;

/// Every format that is detected.
pub const FORMATS: &[&ImportFormat] = &[
    &alpaca_eval::FORMAT,
    &appraise::FORMAT,
    &arena::FORMAT,
    &arena_hard::FORMAT,
    &arena_kaggle::FORMAT,
    &braintrust::FORMAT,
    &deepeval::FORMAT,
    &evalica::FORMAT,
    &every_eval_ever::FORMAT,
    &fastchat_log::FORMAT,
    &helm::FORMAT,
    &inspect::FORMAT,
    &judge_batch::FORMAT,
    &judgearena::FORMAT,
    &label_studio::FORMAT,
    &langfuse::FORMAT,
    &langsmith::FORMAT,
    &lighteval::FORMAT,
    &lm_eval::FORMAT,
    &mlflow::FORMAT,
    &mt_bench::FORMAT,
    &mt_metrics_eval::FORMAT,
    &openai_evals::FORMAT,
    &opik::FORMAT,
    &pearmut::FORMAT,
    &phoenix::FORMAT,
    &potato::FORMAT,
    &preference::FORMAT,
    &promptfoo::FORMAT,
    &response_ab::FORMAT,
    &subset2evaluate::FORMAT,
    &tables::FORMAT,
];
