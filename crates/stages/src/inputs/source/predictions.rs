//! The predictions of a model, laid beside the items they belong to.

use super::Source;
use super::digest;
use super::table::{metadata, of_these_texts, two_systems};
use crate::engine::context::Context;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use tiebreak_base::duel::{Arm, Prediction, Uncertainty};
use tiebreak_base::error::{Error, Key, Message, Result, StageCommand};
use tiebreak_base::message;
use tiebreak_base::rng::Seed;
use tiebreak_data::records::ComparisonRecord;
use tiebreak_data::records::index::{Extra, ItemAlignedRows};
use tiebreak_data::records::reader::Row;
use tiebreak_data::tables::whole;
use tiebreak_decide::model_based::thresholds::Thresholds;

/// The thresholds of each fold of items, where an item's were fitted without it.
pub(crate) const TAU1_BY_FOLD: &str = "tau1 by fold";

/// The second thresholds by fold, as [`TAU1_BY_FOLD`].
pub(crate) const TAU2_BY_FOLD: &str = "tau2 by fold";

/// The number of further verdicts in one order that random orders nearly never give.
const LEAST_BEYOND_CHANCE: u64 = 10;

/// The least share of a pair's verdicts by which one order outweighs the other, and matters.
const LEAST_OUTWEIGHED: f64 = 0.1;

/// Which of a pair of systems a judge was shown first, in verdicts from one order alone.
#[derive(Default)]
struct PlaceCounts {
    verdicts: u64,
    first: [u64; 2],
}

impl PlaceCounts {
    fn count(&mut self, is_first: [bool; 2]) {
        self.verdicts += 1;
        if is_first != [true, true] {
            self.first[usize::from(is_first[1])] += 1;
        }
    }

    /// Whether one system was always first.
    fn is_one_order(&self) -> bool {
        self.most() == self.verdicts
    }

    /// How often the system that was first more often was.
    fn most(&self) -> u64 {
        self.first[0].max(self.first[1])
    }

    /// Whether one of them was first more often than the other, by more than three standard errors of a coin.
    fn is_unbalanced(&self) -> bool {
        let [one, other] = self.first.map(|n| n as f64);
        let outweighed = (one - other).abs();
        outweighed > 3.0 * (one + other).sqrt()
            && outweighed > LEAST_OUTWEIGHED * self.verdicts as f64
    }
}

/// The pairs of systems of which a judge was shown the same one first too often.
pub(crate) struct UnbalancedPlaces(BTreeMap<[Arm; 2], PlaceCounts>);

impl UnbalancedPlaces {
    /// Whether they hold a pair of systems.
    pub(crate) fn has(&self, mut pair: [Arm; 2]) -> bool {
        pair.sort_unstable();
        self.0.contains_key(&pair)
    }

    /// A clause on them.
    pub(crate) fn clause(&self) -> String {
        let verdicts: u64 = self.0.values().map(|one| one.verdicts).sum();
        let first: u64 = self.0.values().map(PlaceCounts::most).sum();
        let of_all = match first == verdicts {
            true => format!("all {verdicts}"),
            false => format!("{first} of {verdicts}"),
        };
        format!(
            "position bias is not balanced: in {of_all} verdicts the same system of a pair was shown first, and not second"
        )
    }
}

/// Hint for a table without some of the pairs needed.
fn predict_all_pairs() -> Message {
    message!(
        "predict all pairs: {} without {}",
        StageCommand("predict", &[]),
        Key("pairs")
    )
}

/// The predictions of a model, beside the items.
pub struct PredictionTable {
    /// The path of the table.
    pub path: PathBuf,
    beside: ItemAlignedRows,
    /// The signature of the model, where the table has one.
    pub signature: String,
    /// The thresholds τ1, τ2 that turn a preference into an outcome.
    pub thresholds: (f64, f64),
    /// The thresholds of each fold of items, where an item's were fitted without it; else none.
    folds: Vec<(f64, f64)>,
    /// Whether the signature is the table's own.
    pub is_signed: bool,
    /// The judges that its rows name.
    pub judges: BTreeSet<String>,
    /// Whether they come with uncertainty.
    pub has_uncertainty: bool,
    /// How they are made wrong, if they are.
    altered: Option<AlteredNames>,
}

/// How predictions are made wrong on purpose, to measure what a wrong hint costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Alteration {
    /// Every preference is turned round.
    Reversed,
    /// The two systems that are predicted to win most are taken for each other.
    Swapped,
    /// Systems get each other's predictions at random, the predicted winner not its own.
    Permuted,
}

/// The system to which each system's predictions go, by number, and whether preferences are turned round.
struct AlteredNames {
    systems: Vec<Arm>,
    are_reversed: bool,
}

impl PredictionTable {
    /// The columns that every table of predictions has, beside `p` or, where a judge's comparisons were recorded, `outcome`.
    pub const COLUMNS: [&'static str; 3] = ["item", "system_a", "system_b"];

    /// The name of the judge whose verdicts these are: as the table's rows have it, or its signature, or else the name of its
    /// file.
    ///
    /// # Errors
    /// Verdicts of several judges.
    pub fn judge(&self) -> Result<String> {
        let names: Vec<&str> = self.judges.iter().map(String::as_str).collect();
        match names[..] {
            [one] => return Ok(one.to_string()),
            [] => {}
            _ => {
                let what = format!("verdicts of several judges: {}", names.join(", "));
                return Err(Error::input(&self.path, what)
                    .with_hint("keep the rows of one of them, or a table for each"));
            }
        }
        if self.is_signed {
            let signed = self.signature.split('|').next();
            return Ok(signed.unwrap_or_default().to_string());
        }
        let file = self.path.file_name().unwrap_or_default().to_string_lossy();
        let plain = file.trim_end_matches(".gz").trim_end_matches(".zst");
        let name = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem);
        Ok(name.to_string())
    }

    /// Reads a table of predictions.
    ///
    /// # Errors
    /// A table that is incomplete, was made from other texts, or has no row; rows that do not fit the data
    /// set, numbers that are no valid prediction, a system with itself, a pair twice on an item.
    pub fn open(context: &Context<'_>, source: &Source, path: &Path) -> Result<Self> {
        let rows = whole::open(path)?;
        rows.require(&Self::COLUMNS)?;
        if !rows.columns().iter().any(|column| column == "outcome") {
            rows.require(&["p"])?;
        }
        let mut metadata = metadata(path, &rows)?;
        of_these_texts(context, source, path, &metadata)?;
        let threshold = |key: &str| {
            metadata
                .get(key)
                .and_then(|text| text.parse().ok())
                .unwrap_or(0.5)
        };
        let thresholds = (threshold("tau1"), threshold("tau2"));
        let by_fold = |key: &str| -> Vec<f64> {
            let numbers = metadata.get(key).map(|text| text.split_whitespace());
            let numbers = numbers.into_iter().flatten();
            numbers.filter_map(|number| number.parse().ok()).collect()
        };
        let folds = by_fold(TAU1_BY_FOLD).into_iter();
        let folds = folds.zip(by_fold(TAU2_BY_FOLD)).collect();
        let signature = metadata.remove("signature");
        let (mut has_uncertainty, mut judges) = (true, BTreeSet::new());
        let extra = |row: &Row| -> Result<(String, Extra)> {
            let p = match (row.cell("p"), row.cell("outcome")) {
                (None, Some(_)) => {
                    let recorded = ComparisonRecord::from_row(row, source.dataset.outcomes())?;
                    recorded.outcome.value()
                }
                _ => row.number("p")?,
            };
            let spreads = (row.optional_number("bald")?, row.optional_number("std")?);
            let uncertainty = match spreads {
                (Some(bald), Some(std)) => {
                    let mean = row.number("mean")?;
                    Some(Uncertainty { mean, bald, std })
                }
                _ => None,
            };
            let mistake = Prediction { p, uncertainty }.mistake();
            mistake.map_or(Ok(()), |what| Err(row.error(what)))?;
            let mut numbers = vec![p];
            if let Some(Uncertainty { mean, bald, std }) = uncertainty {
                numbers.extend([mean, bald, std]);
            }
            // Last, where a judge recorded in which order it was asked.
            numbers.extend(row.optional_number("position")?);
            let systems = two_systems(source, row)?;
            Ok((
                row.text("item")?,
                Extra {
                    line: row.number_in_file(),
                    systems,
                    numbers,
                    text: row.optional_text("answer")?.unwrap_or_default(),
                },
            ))
        };
        let mut number: u64 = 0;
        let rows = rows.map(|row| {
            let row = row?;
            let found = extra(&row)?;
            judges.extend(row.optional_text("judge")?);
            number += 1;
            has_uncertainty &= found.1.numbers.len() > 2;
            Ok(found)
        });
        let beside = ItemAlignedRows::of_pairs(&source.index, path, rows)?;
        if number == 0 {
            return Err(Error::input(path, "holds no predictions").with_hint(predict_all_pairs()));
        }
        Ok(Self {
            path: path.to_path_buf(),
            beside,
            is_signed: signature.is_some(),
            judges,
            signature: signature.unwrap_or_else(|| "predictions".to_string()),
            thresholds,
            folds,
            has_uncertainty,
            altered: None,
        })
    }

    /// The same predictions, made wrong.
    pub(crate) fn altered(self, source: &Source, how: Alteration) -> Result<Self> {
        let mut systems: Vec<Arm> = Arm::all(source.systems().len()).collect();
        let are_reversed = how == Alteration::Reversed;
        if !are_reversed && let [first, second, ..] = self.ranked(source)?[..] {
            let mut rng = Seed(0).stream("permuted predictions", 0);
            while systems[first.index()] == first {
                match how {
                    Alteration::Permuted => rng.shuffle(&mut systems),
                    _ => systems.swap(first.index(), second.index()),
                }
            }
        }
        Ok(Self {
            altered: Some(AlteredNames {
                systems,
                are_reversed,
            }),
            ..self
        })
    }

    /// The systems by the shares of items on which they are predicted to win, best first. Judges see some pairs on more
    /// items than others, which says nothing about the systems, so every pair counts the same.
    fn ranked(&self, source: &Source) -> Result<Vec<Arm>> {
        let mut of_pairs: BTreeMap<(Arm, Arm), (f64, f64)> = BTreeMap::new();
        for position in 0..source.index.items() {
            for (a, b, Prediction { p, .. }) in self.of_item(position)? {
                for (pair, is_won) in [((a, b), p > 0.5), ((b, a), p < 0.5)] {
                    let (won, number) = of_pairs.entry(pair).or_default();
                    *won += f64::from(u8::from(is_won));
                    *number += 1.0;
                }
            }
        }
        let mut shares = vec![0.0; source.systems().len()];
        for ((system, _), (won, number)) in of_pairs {
            shares[system.index()] += won / number;
        }
        let mut ranked: Vec<Arm> = Arm::all(shares.len()).collect();
        ranked.sort_by(|a, b| shares[b.index()].total_cmp(&shares[a.index()]));
        Ok(ranked)
    }

    /// The error for a table without predictions for any compared pair.
    pub fn none_compared(&self) -> Error {
        let what = "predicts none of the pairs that people compared";
        Error::input(&self.path, what).with_hint(predict_all_pairs())
    }

    /// The digest of the table.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn digest(&self) -> Result<String> {
        digest(&self.path)
    }

    /// The thresholds, if the predictions have any but the usual ½ and ½, the same for all items.
    ///
    /// # Errors
    /// If they are not 0 ≤ τ1 ≤ τ2 ≤ 1.
    pub fn own_thresholds(&self) -> Result<Option<Thresholds>> {
        let (tau1, tau2) = self.thresholds;
        let thresholds = Thresholds::new(tau1, tau2)?;
        let are_own = self.folds.is_empty() && thresholds != Thresholds::default();
        Ok(are_own.then_some(thresholds))
    }

    /// The thresholds of each fold of items, where an item's were fitted without it; else none.
    ///
    /// # Errors
    /// As [`PredictionTable::own_thresholds`].
    pub fn folds(&self) -> Result<Vec<Thresholds>> {
        let folds = self.folds.iter();
        folds
            .map(|&(tau1, tau2)| Thresholds::new(tau1, tau2))
            .collect()
    }

    /// The rows of one item.
    fn rows(&self, item: u64) -> Result<Vec<Extra>> {
        let groups = self.beside.groups(item..item + 1)?.pop();
        Ok(groups.unwrap_or_default())
    }

    /// The position bias of each prediction of an item that records it: how far the output shown first was favoured.
    ///
    /// # Errors
    /// As [`PredictionTable::of_item`].
    pub fn positions(&self, item: u64) -> Result<Vec<f64>> {
        let rows = self.rows(item)?;
        Ok(rows
            .iter()
            .filter_map(|row| position(&row.numbers))
            .collect())
    }

    /// The pairs of systems of which a judge was shown the same one first too often, as its answers say; `None` where chance
    /// could have it so. Of a verdict from both orders each system was first once.
    pub(crate) fn unbalanced_places(&self, source: &Source) -> Result<Option<UnbalancedPlaces>> {
        let mut shown: BTreeMap<[Arm; 2], PlaceCounts> = BTreeMap::new();
        for item in 0..source.index.items() {
            for row in self.rows(item)? {
                let mut pair = row.systems;
                pair.sort_unstable();
                let is_first = pair.map(|system| {
                    let begins = format!("{} first: ", source.systems()[system.index()]);
                    row.text.lines().any(|line| line.starts_with(&begins))
                });
                // Of equal outputs no judge is asked.
                if is_first != [false, false] {
                    shown.entry(pair).or_default().count(is_first);
                }
            }
        }
        let verdicts: u64 = shown.values().map(|one| one.verdicts).sum();
        let is_one_order = shown.values().all(PlaceCounts::is_one_order);
        let all = is_one_order && verdicts >= shown.len() as u64 + LEAST_BEYOND_CHANCE;
        shown.retain(|_, one| all || one.is_unbalanced());
        Ok((!shown.is_empty()).then_some(UnbalancedPlaces(shown)))
    }

    /// What a judge said beside each prediction of an item, in their order: position bias and answers.
    pub(crate) fn answers(&self, item: u64) -> Result<Vec<(Option<f64>, String)>> {
        let said = |row: Extra| (position(&row.numbers), row.text);
        Ok(self.rows(item)?.into_iter().map(said).collect())
    }

    /// The predictions of one item.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn of_item(&self, position: u64) -> Result<Vec<(Arm, Arm, Prediction)>> {
        let of_items = self.of_items(position..position + 1)?;
        Ok(of_items.into_iter().flatten().collect())
    }

    /// The predictions of each item of a range.
    pub(crate) fn of_items(&self, range: Range<u64>) -> Result<Vec<Vec<(Arm, Arm, Prediction)>>> {
        let prediction = |row: Extra| {
            let [a, b] = match &self.altered {
                None => row.systems,
                Some(altered) => {
                    let [a, b] = row.systems.map(|system| altered.systems[system.index()]);
                    if altered.are_reversed { [b, a] } else { [a, b] }
                }
            };
            let uncertainty = match row.numbers[..] {
                [_, mean, bald, std, ..] => Some(Uncertainty { mean, bald, std }),
                _ => None,
            };
            (
                a,
                b,
                Prediction {
                    p: row.numbers[0],
                    uncertainty,
                },
            )
        };
        let of_item = |rows: Vec<Extra>| rows.into_iter().map(prediction).collect();
        Ok(self
            .beside
            .groups(range)?
            .into_iter()
            .map(of_item)
            .collect())
    }
}

/// The position bias in the numbers of a row: the last of an even number, or of five.
fn position(numbers: &[f64]) -> Option<f64> {
    match numbers {
        [_, position] | [_, _, _, _, position] => Some(*position),
        _ => None,
    }
}
