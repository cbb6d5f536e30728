//! What a user may say about files of other tools.

use crate::error::{Error, Result, nearest};
use crate::records::outcomes::Outcomes;

/// How files of other tools are read.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The format, where it is not to be detected.
    pub format: Option<String>,
    /// What is taken where several would fit: judge, baseline, filter, epoch, split, …, and which.
    pub pick: Vec<(String, String)>,
    /// Which columns or metrics are criteria; `None` where nobody said.
    pub criteria: Option<Vec<String>>,
    /// What an output that is null is.
    pub nulls: Nulls,
    /// Columns of other names (documented name, name in the files).
    pub columns: Vec<(String, String)>,
    /// Words for outcomes, before those that everybody uses.
    pub outcomes: Outcomes,
}

/// What an output that is null is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Nulls {
    /// An empty text: kept, counted and said.
    #[default]
    Empty,
    /// A mistake.
    Error,
}

impl Options {
    /// What was picked under a key.
    pub fn picked(&self, key: &str) -> Option<&str> {
        let mut pick = self.pick.iter();
        pick.find(|(name, _)| name == key)
            .map(|(_, value)| value.as_str())
    }

    /// That every pick is one a format knows.
    pub(super) fn check(&self, format: &str, known: &[&str]) -> Result<()> {
        let unknown = self
            .pick
            .iter()
            .find(|(key, _)| !known.contains(&key.as_str()));
        unknown.map_or(Ok(()), |(key, _)| {
            let all = match known {
                [] => format!("nothing can be picked of {format}"),
                known => format!("of {format} can be picked: {}", known.join(", ")),
            };
            Err(Error::UnknownName {
                kind: "pick",
                name: key.clone(),
                hint: Some(match nearest(key, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`? {all}"),
                    None => all,
                }),
            })
        })
    }

    /// Whether a name is among the criteria that are wanted; all are where nobody said.
    pub(in crate::records::import) fn wants(&self, criterion: &str) -> bool {
        let wanted = self.criteria.as_ref();
        wanted.is_none_or(|wanted| wanted.iter().any(|name| name == criterion))
    }
}

/// How a column is called in the files.
pub(in crate::records::import) fn called<'a>(options: &'a Options, column: &'a str) -> &'a str {
    let mut columns = options.columns.iter();
    columns
        .find(|(name, _)| name == column)
        .map_or(column, |(_, in_file)| in_file)
}
