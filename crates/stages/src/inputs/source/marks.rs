//! Marks of outputs beside their scores: stratum, uncertainty, or the
//! probability with which an output was chosen to be judged.

use super::Source;
use super::digest;
use super::table::at;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_data::records::index::{Extra, Group, ItemAlignedRows};
use tiebreak_data::records::reader::{Row, TableReader};
use tiebreak_data::tables::whole;

/// The column of an output's stratum.
pub(crate) const STRATUM: &str = "stratum";

/// The column of the probability with which an output was chosen.
pub(crate) const PROBABILITY: &str = "probability";

/// A number per output, from a table or a plan.
pub(crate) struct Marks {
    beside: ItemAlignedRows,
    path: PathBuf,
    /// The digest of the table.
    pub digest: String,
}

impl Marks {
    /// Reads the strata of outputs: columns `item`, `stratum` and, unless all systems share them,
    /// `system`. They are numbered in the order of their names.
    ///
    /// # Errors
    /// Rows that do not fit the data set.
    pub(crate) fn strata(source: &Source, path: &Path) -> Result<Self> {
        let mut names = BTreeSet::new();
        for row in open(path, STRATUM)? {
            names.insert(row?.text(STRATUM)?);
        }
        let numbers: BTreeMap<String, u32> = names.into_iter().zip(0..).collect();
        Self::read(source, path, STRATUM, |row| {
            Ok(f64::from(numbers[&row.text(STRATUM)?]))
        })
    }

    /// Reads the probabilities of outputs: columns `item`, `probability` and, unless all systems
    /// share them, `system`.
    ///
    /// # Errors
    /// Rows that do not fit the data set; probabilities that are not above 0 and up to 1.
    pub(crate) fn probabilities(source: &Source, path: &Path) -> Result<Self> {
        Self::read(source, path, PROBABILITY, |row| {
            let probability = row.number(PROBABILITY)?;
            if probability > 0.0 && probability <= 1.0 {
                return Ok(probability);
            }
            let what =
                format!("probability is {probability}, expected a number above 0 and up to 1");
            Err(row.error(what))
        })
    }

    /// The probabilities with which outputs were chosen, as a campaign's plan has them.
    pub(super) fn chosen(source: &Source, rows: Vec<(String, Arm, f64)>) -> Result<Self> {
        let mut hash = Sha256::new();
        for (item, arm, probability) in &rows {
            hash.update(format!("{item:?} {} {probability}\n", arm.0));
        }
        let extras = rows.into_iter().map(|(item, arm, probability)| {
            let extra = Extra {
                line: 0,
                systems: [arm, arm],
                numbers: vec![probability],
                text: String::new(),
            };
            Ok((item, extra))
        });
        let path = source.dataset.path().to_path_buf();
        Ok(Self {
            beside: ItemAlignedRows::build(&source.index, &path, extras)?,
            path,
            digest: format!("{:x}", hash.finalize()),
        })
    }

    /// Reads how uncertain outputs are: columns `item`, `uncertainty` and, unless all systems share
    /// them, `system`.
    ///
    /// # Errors
    /// Rows that do not fit the data set; uncertainties below 0.
    pub(crate) fn uncertainties(source: &Source, path: &Path) -> Result<Self> {
        Self::read(source, path, "uncertainty", |row| {
            let uncertainty = row.number("uncertainty")?;
            if uncertainty >= 0.0 {
                return Ok(uncertainty);
            }
            let what = format!("uncertainty is {uncertainty}, expected a number from 0");
            Err(row.error(what))
        })
    }

    fn read(
        source: &Source,
        path: &Path,
        column: &str,
        value: impl Fn(&Row) -> Result<f64>,
    ) -> Result<Self> {
        let rows = open(path, column)?;
        let by_system = rows.columns().iter().any(|name| name == "system");
        let arms: Vec<Arm> = (0..source.systems().len()).map(Arm::from).collect();
        let mut extras = Vec::new();
        for row in rows {
            let row = row?;
            let (item, number) = (row.text("item")?, value(&row)?);
            let named = by_system.then(|| source.index.system(&row.text("system")?));
            let systems = match named {
                None => arms.clone(),
                Some(arm) => vec![arm.map_err(|error| at(&row, &error))?],
            };
            extras.extend(systems.into_iter().map(|arm| {
                let extra = Extra {
                    line: row.number_in_file(),
                    systems: [arm, arm],
                    numbers: vec![number],
                    text: String::new(),
                };
                Ok((item.clone(), extra))
            }));
        }
        Ok(Self {
            beside: ItemAlignedRows::build(&source.index, path, extras)?,
            path: path.to_path_buf(),
            digest: digest(path)?,
        })
    }

    /// The number of each output of an item that has one.
    ///
    /// # Errors
    /// An output with two.
    pub(crate) fn of_item(&self, group: &Group) -> Result<BTreeMap<Arm, f64>> {
        let mut marks = BTreeMap::new();
        let rows = self.beside.groups(group.position..group.position + 1)?;
        for row in rows.into_iter().flatten() {
            if marks.insert(row.systems[0], row.numbers[0]).is_some() {
                return Err(Error::record(
                    Location::line(&self.path, row.line),
                    format!("a second row for an output of item `{}`", group.item),
                ));
            }
        }
        Ok(marks)
    }

    /// The error for an output that the table does not have.
    pub(crate) fn lacks(&self, what: &str, source: &Source, group: &Group, system: Arm) -> Error {
        let system = source.system(system);
        let what = format!("no {what} of system `{system}` on item `{}`", group.item);
        Error::input(&self.path, what).with_hint("every output needs one, judged or not")
    }
}

fn open(path: &Path, column: &str) -> Result<TableReader> {
    let rows = whole::open(path)?;
    rows.require(&["item", column])?;
    Ok(rows)
}
