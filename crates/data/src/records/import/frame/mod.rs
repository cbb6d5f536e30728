//! What readers of formats share: finding and looking at files, their records one at a time, conversations, and the
//! data set that they make.

mod account;
mod builder;
mod chat;
mod detect;
mod file;
mod folder;
mod json;
mod options;
mod orders;
mod record;
mod writer;

pub use account::{Dropped, Imported, LeftOut};
pub use builder::EDITED;
pub use detect::{Format, import};
pub use options::{Nulls, Options};

pub(super) use builder::{Builder, Compared, Judged, digest, key_of};
pub(super) use chat::{Turn, alternating, content, part, text, turns};
pub use detect::is_some_format;
pub(super) use file::{File, Kind, numbered};
pub(super) use folder::Files;
pub(super) use json::{Lenient, lenient};
pub(super) use options::{Pick, called, picks};
pub(super) use orders::{JUDGE, Orders, mean};
pub(super) use record::{Node, Record, decimal, plain};
pub(super) use writer::{ItemRow, More, OutputRow, Writer};
