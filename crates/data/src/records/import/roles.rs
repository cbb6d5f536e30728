//! The roles of a wide table's columns: item, source, reference or system.

use crate::records::ColumnMapping;
use crate::records::reader::renamed;
use std::path::Path;
use tiebreak_base::error::{Error, Flag, Message, Result, plain};
use tiebreak_base::layout::path_argument;
use tiebreak_base::message;

/// The role of each column, by the names in the file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Roles {
    pub item: Option<String>,
    pub source: Option<String>,
    /// The references, in the order of their numbers.
    pub references: Vec<String>,
    /// The systems: name and column.
    pub systems: Vec<(String, String)>,
    /// Columns without a role, where the systems were named.
    pub further: Vec<String>,
}

/// Names that are more likely an item, a source or a reference than a system, without case,
/// hyphens, underscores and spaces.
const DOUBTFUL: [&str; 22] = [
    "",
    "id",
    "idx",
    "index",
    "no",
    "number",
    "segment",
    "segmentid",
    "segid",
    "sentence",
    "sentenceid",
    "sentid",
    "doc",
    "docid",
    "src",
    "input",
    "prompt",
    "context",
    "question",
    "target",
    "tgt",
    "gold",
];

/// Names of columns of inputs, written as those of [`DOUBTFUL`].
const INPUTS: [&str; 5] = ["src", "input", "prompt", "context", "question"];

/// Returns what makes a column the source that is not called so, where a table has none and a name says that one may be.
pub(super) fn source_hint<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<Message> {
    let name = names.find(|name| INPUTS.contains(&plain(name).as_str()))?;
    Some(message!(
        "no source: {} makes `{name}` it",
        renamed("source", name)
    ))
}

/// Names of columns of references, which may have numbers.
const REFERENCES: [&str; 3] = ["reference", "references", "ref"];

impl Roles {
    /// Assigns `item`, `source`, `reference` (or `references`, `ref0`, `reference_1`, …) the roles
    /// that they name, after renaming, unless references are named; `systems` (name, column) or, where none are named, every
    /// other column, are systems.
    ///
    /// # Errors
    /// If a named column is missing, references are written in two ways, no system is left, or
    /// a column left over is probably no system.
    pub(super) fn from_columns(
        file: &Path,
        names: &[String],
        (columns, named_references): (&ColumnMapping, &[String]),
        systems: &[(String, String)],
    ) -> Result<Self> {
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        let renamed = columns.iter().map(|(_, in_file)| in_file);
        let wanted = systems
            .iter()
            .map(|(_, column)| column.as_str())
            .chain(renamed)
            .chain(named_references.iter().map(String::as_str));
        for name in wanted {
            if !has(name) {
                let what = format!("no column `{name}`; columns are {}", names.join(", "));
                return Err(Error::input(file, what));
            }
        }
        let is_system = |name: &str| systems.iter().any(|(_, column)| column == name);
        let one = |role: &str| {
            let name = columns.in_file(role);
            (has(name) && !is_system(name)).then(|| name.to_string())
        };
        let mut roles = Self {
            item: one("item"),
            source: one("source"),
            ..Self::default()
        };
        roles.references = match named_references {
            [] => references(file, names.iter().filter(|name| !is_system(name)))?,
            named => named.to_vec(),
        };
        roles.assign_rest(file, names, systems)?;
        Ok(roles)
    }

    fn assign_rest(
        &mut self,
        file: &Path,
        names: &[String],
        systems: &[(String, String)],
    ) -> Result<()> {
        let taken = |name: &String| {
            let context = [&self.item, &self.source];
            context.contains(&&Some(name.clone()))
                || self.references.contains(name)
                || systems.iter().any(|(_, column)| column == name)
        };
        let rest: Vec<String> = names.iter().filter(|name| !taken(name)).cloned().collect();
        let long = ["system", "output"]
            .iter()
            .all(|name| rest.iter().any(|column| column == name));
        if long && systems.is_empty() {
            let what = "this table is long, not wide: it has a row for every output";
            return Err(Error::input(file, what).with_hint(format!(
                "it needs no import: try `tiebreak check {}`",
                path_argument(file)
            )));
        }
        if !systems.is_empty() {
            self.systems = systems.to_vec();
            self.further = rest;
            return Ok(());
        }
        if let Some(name) = rest
            .iter()
            .find(|name| DOUBTFUL.contains(&plain(name).as_str()))
        {
            let what = format!("column `{name}` may be a system or something else");
            return Err(Error::input(file, what).with_hint(message!(
                "name the systems with {} COLUMN, or say what it is: {}, {} or {}",
                Flag("system"),
                renamed("item", name),
                renamed("source", name),
                renamed("references", name)
            )));
        }
        if rest.is_empty() {
            let what = format!("no column is a system; columns are {}", names.join(", "));
            return Err(
                Error::input(file, what).with_hint(format!("name them: {} COLUMN", Flag("system")))
            );
        }
        self.systems = rest.into_iter().map(|name| (name.clone(), name)).collect();
        Ok(())
    }

    /// Describes the roles, a line each.
    pub(super) fn taken(&self) -> Vec<String> {
        let columns = |names: &[&str]| format!("`{}`", names.join("`, `"));
        let mut lines = vec![match &self.item {
            Some(name) => format!("item: column `{name}`"),
            None => "item: numbered from 1".to_string(),
        }];
        lines.extend(
            self.source
                .iter()
                .map(|name| format!("source: column `{name}`")),
        );
        let references: Vec<&str> = self.references.iter().map(String::as_str).collect();
        let systems: Vec<&str> = self.systems.iter().map(|(_, c)| c.as_str()).collect();
        let further: Vec<&str> = self.further.iter().map(String::as_str).collect();
        for (role, names) in [
            ("references", references),
            ("systems", systems),
            ("further columns of items", further),
        ] {
            if !names.is_empty() {
                lines.push(format!("{role}: {}", columns(&names)));
            }
        }
        lines
    }
}

/// Returns the number of a column that is called `reference`, `references` or `ref`, with that number.
pub(super) fn reference_number(name: &str) -> Option<u64> {
    let plain = plain(name);
    let stem = plain.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_reference = REFERENCES.contains(&stem);
    is_reference.then(|| plain[stem.len()..].parse().ok())?
}

/// Returns the columns called `reference`, `references` or `ref`, with a number or without, by number.
fn references<'a>(file: &Path, names: impl Iterator<Item = &'a String>) -> Result<Vec<String>> {
    let mut found: Vec<(String, Option<u64>, &String)> = Vec::new();
    for name in names {
        let plain = plain(name);
        let stem = plain.trim_end_matches(|c: char| c.is_ascii_digit());
        if REFERENCES.contains(&stem) {
            found.push((stem.to_string(), plain[stem.len()..].parse().ok(), name));
        }
    }
    found.sort_by_key(|(_, number, _)| *number);
    for pair in found.windows(2) {
        if pair[0].0 != pair[1].0 || pair[0].1 == pair[1].1 {
            let what = format!("both `{}` and `{}` may be references", pair[0].2, pair[1].2);
            return Err(Error::input(file, what).with_hint(message!(
                "say which: {}, or rename the columns",
                renamed("references", "NAME")
            )));
        }
    }
    Ok(found.into_iter().map(|(_, _, name)| name.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::error::Audience;

    fn roles_from_columns(names: &[&str], systems: &[&str]) -> Result<Roles> {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let pair = |name: &&str| ((*name).to_string(), (*name).to_string());
        let systems: Vec<_> = systems.iter().map(pair).collect();
        Roles::from_columns(
            Path::new("w.csv"),
            &names,
            (&ColumnMapping::default(), &[]),
            &systems,
        )
    }

    #[test]
    fn references_come_in_the_order_of_their_numbers() {
        let roles =
            roles_from_columns(&["ref10", "b", "ref2", "source", "a", "ref1"], &[]).unwrap();
        assert_eq!(roles.references, ["ref1", "ref2", "ref10"]);
        let systems: Vec<&str> = roles.systems.iter().map(|(name, _)| &**name).collect();
        assert_eq!(systems, ["b", "a"]);
        assert_eq!(
            roles.taken(),
            [
                "item: numbered from 1",
                "source: column `source`",
                "references: `ref1`, `ref2`, `ref10`",
                "systems: `b`, `a`"
            ]
        );
    }

    #[test]
    fn a_plain_reference_comes_first() {
        let roles = roles_from_columns(&["reference_2", "reference", "a"], &[]).unwrap();
        assert_eq!(roles.references, ["reference", "reference_2"]);
    }

    #[test]
    fn doubt_is_an_error_unless_the_systems_are_named() {
        let error = roles_from_columns(&["Segment_ID", "a"], &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "w.csv: column `Segment_ID` may be a system or something else"
        );
        let advice = error.advice().unwrap();
        for (audience, named) in [
            (Audience::Terminal, "--column item=Segment_ID"),
            (Audience::Python, r#"`columns={"item": "Segment_ID"}`"#),
        ] {
            assert!(advice.shown_to(audience).contains(named), "{advice:?}");
        }
        assert_eq!(
            roles_from_columns(&["Segment_ID", "a"], &["a"])
                .unwrap()
                .further,
            ["Segment_ID"]
        );
        let error = roles_from_columns(&["references", "ref0", "a"], &[])
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "w.csv: both `references` and `ref0` may be references"
        );
        let error = roles_from_columns(&["item", "source"], &[])
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "w.csv: no column is a system; columns are item, source"
        );
        let error = roles_from_columns(&["item", "a"], &["b"])
            .unwrap_err()
            .to_string();
        assert_eq!(error, "w.csv: no column `b`; columns are item, a");
    }
}
