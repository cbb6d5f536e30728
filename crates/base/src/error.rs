//! Errors, worded so that the reader knows what to do next.
//!
//! An error has a place, what was found, what was expected and, where one is known, a hint.
//! The variant alone decides the exit code: 2 for what the user can correct in flags, pipelines,
//! records or inputs, 130 for an interruption, 1 for everything that failed while running.

mod message;
mod missing;
mod text;

pub use message::KeyValue;
pub use message::MessagePart;
pub use message::{Audience, Flag, Key, Message, ShownPart, StageCommand};
pub use missing::is_there;
pub use text::text_of;

use crate::limits::{advice, excess_of};
use crate::message;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of everything in tiebreak that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A place in a file. `line` counts from 1 and is `None` where the format has no lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file, as the user named it.
    pub path: PathBuf,
    /// The line, or for a binary format the row, counted from 1.
    pub line: Option<u64>,
    /// What `line` counts: lines in text forms, rows in Parquet and Arrow.
    pub unit: LocationUnit,
}

/// What a [`Location`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationUnit {
    /// Lines of a text file.
    Line,
    /// Rows of a table whose format has no lines.
    Row,
}

impl Location {
    /// A whole file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            line: None,
            unit: LocationUnit::Line,
        }
    }

    /// A line of a text file, counted from 1.
    pub fn line(path: impl Into<PathBuf>, line: u64) -> Self {
        Self {
            path: path.into(),
            line: Some(line),
            unit: LocationUnit::Line,
        }
    }

    /// The line of `text`, the contents of a file, on which the byte at `offset` stands.
    pub fn offset(path: impl Into<PathBuf>, text: &str, offset: usize) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let breaks = before.iter().filter(|&&byte| byte == b'\n').count();
        Self::line(path, 1 + breaks as u64)
    }

    /// A row of a binary table, counted from 1.
    pub fn row(path: impl Into<PathBuf>, row: u64) -> Self {
        Self {
            path: path.into(),
            line: Some(row),
            unit: LocationUnit::Row,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.unit) {
            (None, _) => write!(f, "{}", self.path.display()),
            (Some(line), LocationUnit::Line) => write!(f, "{}:{line}", self.path.display()),
            (Some(row), LocationUnit::Row) => write!(f, "{}: row {row}", self.path.display()),
        }
    }
}

/// Everything that can go wrong. Displayed, it names keys as files do.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A record that is not what its table promises.
    Record {
        /// Where it stands.
        at: Location,
        /// What was found and what was expected.
        what: Message,
        /// What to do about it.
        hint: Option<Message>,
    },
    /// A pipeline file that cannot be run.
    Pipeline {
        /// Where it stands.
        at: Location,
        /// What was found and what was expected.
        what: Message,
        /// What to do about it.
        hint: Option<Message>,
    },
    /// Flags or parameters that do not fit together.
    Usage {
        /// What was found and what was expected.
        what: Message,
        /// What to do about it.
        hint: Option<Message>,
    },
    /// A key with an invalid value; the caller adds the place: a line of a file, or a flag.
    Key {
        /// The key.
        key: String,
        /// What was found and what was expected.
        what: Message,
        /// What to do about it.
        hint: Option<Message>,
    },
    /// An unknown name.
    UnknownName {
        /// The kind of thing that was named: metric, link, bandit, system …
        kind: &'static str,
        /// The name as given.
        name: String,
        /// What to do about it: the nearest name, or where the names are listed.
        hint: Option<Message>,
    },
    /// A stage whose input does not exist.
    MissingInput {
        /// The stage.
        stage: String,
        /// The missing table.
        table: String,
        /// What to do about it.
        hint: Option<Message>,
    },
    /// A folder begun under other settings; continuing would mix two runs.
    Changed {
        /// The folder.
        path: PathBuf,
        /// The setting or input that differs.
        key: String,
        /// Its value when the folder was begun.
        was: String,
        /// Its value now.
        now: String,
    },
    /// An input that is missing, empty, truncated or unreadable.
    Input {
        /// The file.
        path: PathBuf,
        /// The problem with the file.
        what: Message,
        /// What to do about it.
        hint: Option<Message>,
    },
    /// A model that cannot be loaded or run.
    Model {
        /// The model, as the user named it.
        name: String,
        /// The problem.
        what: Message,
        /// What to do about it.
        hint: Option<Message>,
    },
    /// Writing failed.
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A failure that is neither the user's input nor the disk.
    Failed {
        /// The problem.
        what: Message,
    },
    /// The user interrupted.
    Interrupted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown_to(Audience::File))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Write { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl Error {
    /// A bad record at a place.
    pub fn record(at: Location, what: impl Into<Message>) -> Self {
        Self::Record {
            at,
            what: what.into(),
            hint: None,
        }
    }

    /// A bad pipeline file at a place.
    pub fn pipeline(at: Location, what: impl Into<Message>) -> Self {
        Self::Pipeline {
            at,
            what: what.into(),
            hint: None,
        }
    }

    /// Wrong flags or parameters.
    pub fn usage(what: impl Into<Message>) -> Self {
        Self::Usage {
            what: what.into(),
            hint: None,
        }
    }

    /// A key with an invalid value.
    pub fn key(key: &str, what: impl Into<Message>) -> Self {
        Self::Key {
            key: key.to_string(),
            what: what.into(),
            hint: None,
        }
    }

    /// For `map_err`: blames the value of this key, unless the error has a place already.
    pub fn of_key(key: &str) -> impl Fn(Self) -> Self + '_ {
        move |error| match error {
            Self::Usage { .. }
            | Self::UnknownName { .. }
            | Self::Input { .. }
            | Self::Model { .. } => Self::key(key, error.message()).with_hint_of(&error),
            placed => placed,
        }
    }

    /// An input file that cannot be used.
    pub fn input(path: impl Into<PathBuf>, what: impl Into<Message>) -> Self {
        Self::Input {
            path: path.into(),
            what: what.into(),
            hint: None,
        }
    }

    /// A model that cannot be loaded or run.
    #[allow(clippy::needless_pass_by_value)] // given away, as by the other constructors
    pub fn model(name: impl Into<String>, what: impl MessagePart) -> Self {
        Self::Model {
            name: name.into(),
            what: message!("{}", what),
            hint: None,
        }
    }

    /// An unknown name, with the one that may be meant and, after `told`, all there are.
    pub fn unknown_name<'a>(
        kind: &'static str,
        name: &str,
        told: &str,
        names: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        Self::UnknownName {
            kind,
            name: name.to_string(),
            hint: Some(meant(name, told, names).into()),
        }
    }

    /// A failure while running.
    pub fn failed(what: impl fmt::Display) -> Self {
        Self::Failed {
            what: what.to_string().into(),
        }
    }

    /// A missing path, with what may be meant by it.
    pub fn missing(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let hint = missing::hint(&path);
        Self::Input {
            path,
            what: "no such file or folder".into(),
            hint: hint.map(Message::from),
        }
    }

    /// A path that is taken by something else, which is not overwritten.
    pub fn occupied(path: impl Into<PathBuf>, what: &str) -> Self {
        Self::input(path, format!("already there, {what}"))
            .with_hint(message!("choose another name, or {}", renaming()))
    }

    /// Adds advice where the error may be about a path of Windows in `text`, which is not TOML at the byte
    /// `offset`.
    #[must_use]
    pub fn in_toml(self, text: &str, offset: usize) -> Self {
        match missing::escape(text, offset) {
            Some(hint) => self.with_hint(hint),
            None => self,
        }
    }

    /// For `map_err` on reading: says plainly when the file is not there, or is too large.
    pub fn reading(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| {
            if let Some(excess) = excess_of(&source) {
                return Self::input(path, format!("holds {excess}")).with_hint(advice());
            }
            let what = match source.kind() {
                io::ErrorKind::NotFound => return Self::missing(path),
                io::ErrorKind::IsADirectory => "is a folder, expected a file".to_string(),
                io::ErrorKind::NotADirectory => "is a file, expected a folder".to_string(),
                io::ErrorKind::PermissionDenied => "permission denied".to_string(),
                io::ErrorKind::UnexpectedEof => "the file ends too early (truncated?)".to_string(),
                _ => format!("cannot read: {source}"),
            };
            Self::input(path, what)
        }
    }

    /// For `map_err` on writing.
    pub fn writing(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| Self::Write {
            path: path.to_path_buf(),
            source,
        }
    }

    /// Returns the error with a hint, in the place of an existing one. Variants without room for a hint are
    /// returned unchanged.
    #[must_use]
    pub fn with_hint(mut self, advice: impl Into<Message>) -> Self {
        match &mut self {
            Self::Record { hint, .. }
            | Self::Pipeline { hint, .. }
            | Self::Usage { hint, .. }
            | Self::Key { hint, .. }
            | Self::UnknownName { hint, .. }
            | Self::MissingInput { hint, .. }
            | Self::Input { hint, .. }
            | Self::Model { hint, .. } => *hint = Some(advice.into()),
            Self::Changed { .. } | Self::Write { .. } | Self::Failed { .. } | Self::Interrupted => {
            }
        }
        self
    }

    /// Returns the error with the hint of another, if that has one.
    #[must_use]
    pub fn with_hint_of(self, other: &Self) -> Self {
        match other.advice() {
            Some(advice) => self.with_hint(advice),
            None => self,
        }
    }

    /// The text for an audience, without the hint.
    pub fn shown_to(&self, audience: Audience) -> String {
        let what = |what: &Message| what.shown_to(audience).to_string();
        match self {
            Self::Record {
                at, what: found, ..
            }
            | Self::Pipeline {
                at, what: found, ..
            } => {
                format!("{at}: {}", what(found))
            }
            Self::Usage { what: found, .. } | Self::Failed { what: found } => what(found),
            Self::Key {
                key, what: found, ..
            } => {
                format!("{}: {}", Key(key).name(audience), what(found))
            }
            Self::UnknownName { kind, name, .. } => format!("unknown {kind} `{name}`"),
            Self::MissingInput { stage, table, .. } => {
                format!("{stage} needs {table}, which is not there")
            }
            Self::Changed {
                path,
                key,
                was,
                now,
            } => {
                let path = path.display();
                format!("{path}: begun with {key} = {was}, now {key} = {now}")
            }
            Self::Input {
                path, what: found, ..
            } => format!("{}: {}", path.display(), what(found)),
            Self::Model {
                name, what: found, ..
            } => format!("model {name}: {}", what(found)),
            Self::Write { path, source } if source.kind() == io::ErrorKind::NotADirectory => {
                let path = path.display();
                format!("{path}: cannot write: a part of the path is a file, expected a folder")
            }
            Self::Write { path, source } => format!("{}: cannot write: {source}", path.display()),
            Self::Interrupted => "interrupted".to_string(),
        }
    }

    /// The message without the hint, as a part of another.
    pub fn message(&self) -> Message {
        Message::each(|audience| self.shown_to(audience))
    }

    /// The hint, shown on a line of its own, which names keys as files do.
    pub fn hint(&self) -> Option<String> {
        let advice = self.advice()?;
        Some(advice.shown_to(Audience::File).to_string())
    }

    /// The hint for every audience.
    pub fn advice(&self) -> Option<Message> {
        match self {
            Self::Record { hint, .. }
            | Self::Pipeline { hint, .. }
            | Self::Usage { hint, .. }
            | Self::Key { hint, .. }
            | Self::UnknownName { hint, .. }
            | Self::MissingInput { hint, .. }
            | Self::Input { hint, .. }
            | Self::Model { hint, .. } => hint.clone(),
            Self::Changed { key, was, .. } => {
                let back = match key.as_str() {
                    "data" => "the data have changed since: bring them back".to_string(),
                    _ => set_again(key, was),
                };
                Some(message!("{back}, choose another name, or {}", renaming()))
            }
            Self::Write { source, .. } if is_full(source) => Some(
                "free space on the disk and repeat the command: nothing stored before is lost"
                    .into(),
            ),
            Self::Write { .. } | Self::Failed { .. } | Self::Interrupted => None,
        }
    }

    /// The message with its hint, in one line.
    pub fn with_its_hint(&self) -> String {
        match self.hint() {
            Some(hint) => format!("{self} ({hint})"),
            None => self.to_string(),
        }
    }

    /// The process exit code: 2 for what the user can correct, 130 for an interruption, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Record { .. }
            | Self::Pipeline { .. }
            | Self::Usage { .. }
            | Self::Key { .. }
            | Self::UnknownName { .. }
            | Self::MissingInput { .. }
            | Self::Changed { .. }
            | Self::Input { .. }
            | Self::Model { .. } => 2,
            Self::Interrupted => 130,
            Self::Write { .. } | Self::Failed { .. } => 1,
        }
    }
}

/// The advice to rename what is there, which Python has no flag for.
fn renaming() -> Message {
    let rename = "rename the existing one";
    Message::except_in_python(
        format!("{rename} with {}", Flag("force")),
        rename.to_string(),
    )
}

/// Whether there is no room for what was to be written.
fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// Returns what to do where something was begun with another value of `key`. Nobody can set digests, or what follows
/// from other settings.
pub fn set_again(key: &str, was: &str) -> String {
    match key {
        "digest" | "format" | "pairs" | "parts" | "signature" | "table" | "tau1" | "tau2"
        | "texts" | "version" => INNER.to_string(),
        inner if inner.contains(' ') => INNER.to_string(),
        _ => format!("set {key} = {was} again"),
    }
}

/// What to do where a value differs that nobody sets.
const INNER: &str = "use the settings, files and version that it was begun with";

/// Normalises a name: without case, blanks, hyphens and underscores.
pub fn plain(name: &str) -> String {
    name.to_lowercase().replace(['-', '_', ' '], "")
}

/// The entry of `names` nearest to `name`, if it is near enough to be meant. Case, hyphens and
/// underscores do not count as differences.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = plain(name);
    let close = |candidate: &'a str| {
        let distance = strsim::damerau_levenshtein(&wanted, &plain(candidate));
        // What shares no letter is not near, however short.
        let is_near = distance <= 1 + candidate.chars().count() / 4
            && distance < wanted.chars().count().max(1);
        is_near.then_some((distance, candidate))
    };
    names
        .into_iter()
        .filter_map(close)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Returns a hint: the entry of `names` nearest to `name`, if any is near, and, after `told`, all of them.
pub fn meant<'a>(
    name: &str,
    told: &str,
    names: impl IntoIterator<Item = &'a str> + Clone,
) -> String {
    let all = match names.clone().into_iter().collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "none".to_string(),
        all => all,
    };
    match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`? {told} {all}"),
        None => format!("{told} {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_reads_like_a_compilers() {
        assert_eq!(
            Location::line("data/x.jsonl", 7).to_string(),
            "data/x.jsonl:7"
        );
        assert_eq!(
            Location::row("x.parquet", 3).to_string(),
            "x.parquet: row 3"
        );
        assert_eq!(Location::file("x.csv").to_string(), "x.csv");
        assert_eq!(Location::offset("x", "é\n\nb", 4), Location::line("x", 3));
        assert_eq!(Location::offset("x", "a\n", 99), Location::line("x", 2));
    }

    #[test]
    fn nearest_finds_slips_but_not_strangers() {
        let names = ["bleu", "bleu-4", "chrf", "rouge-l"];
        assert_eq!(nearest("bleu4", names), Some("bleu-4"));
        assert_eq!(nearest("chfr", names), Some("chrf"));
        assert_eq!(nearest("comet", names), None);
        assert_eq!(nearest("c", ["a", "b"]), None);
    }

    #[test]
    fn what_the_user_can_correct_exits_with_two() {
        assert_eq!(Error::usage("x").exit_code(), 2);
        assert_eq!(Error::Interrupted.exit_code(), 130);
        assert_eq!(Error::failed("x").exit_code(), 1);
    }
}
