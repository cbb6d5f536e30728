//! Shared parts of the format readers: finding and previewing files, their records one at a time, conversations, and
//! the data set that they build.

mod account;
mod builder;
mod by_columns;
mod chat;
mod detect;
mod file;
mod folder;
mod json;
mod options;
mod orders;
mod record;
mod rows;
mod writer;

pub use account::{ExcludedFiles, ImportSummary, MissingAnswers};
pub use builder::{EDITED, is_edited};
pub use detect::ImportFormat;
pub use options::{ImportOptions, Nulls, Repeats};

pub(super) use crate::records::reader::decimal;
pub(super) use builder::{
    BattleTexts, DatasetBuilder, FURTHER_OUTPUT, ITSELF, ImportedComparison, JudgmentRow, digest,
    key_of,
};
pub(super) use chat::{ChatTurn, alternating, answered, content, part, text, turns};
pub(in crate::records) use detect::{place_of_judgment, refuse_unlike_outputs};
pub(super) use file::{ImportFile, RecordLayout, numbered};
pub(super) use folder::ImportFiles;
pub(super) use json::{LenientValue, lenient};
pub(super) use options::{CRITERION, Pick, called, picked, picks};
pub(super) use orders::{JUDGE, Orders, mean, position};
pub(super) use record::{
    AMBIGUOUS_COMMA, ImportRecord, RecordValue, is_simple, likeliest, plain, shortened,
};
pub(super) use rows::{
    ExportedRow, FAILED_CALL, FURTHER_ANSWER, GivenScore, ScoredOutput, ScoredRow, by_file, said,
    said_or_spelled, scored_rows,
};
pub(super) use writer::{DatasetWriter, ExtraFields, ItemRow, OutputRow, PredictionRow};
