//! The meaning of a column of outcomes, decided over all its rows before one is read: words, the score of the system
//! named first, or the number of the winner.
//!
//! A file that numbers systems, 1 and 2 with 1.5 for a tie, is known by its 2. Where a number may mean several things,
//! nothing is guessed. A word that is not understood is refused: left out, it could take all wins of one side with it.

use super::frame::{DatasetBuilder, ImportFile, ImportRecord, decimal};
use crate::records::outcomes::{Outcomes, advice, is_missing, is_no_verdict};
use std::collections::BTreeMap;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Flag, Location, Result};

/// A column of outcomes and what its words mean.
pub(super) struct OutcomeColumn<'a> {
    column: &'a str,
    outcomes: Outcomes,
    /// Whether it has words, or numbers other than scores.
    pub is_worded: bool,
}

/// A word that is met: the place of the first, and whether it is the name of a system wherever it stands.
struct MetWord {
    at: Location,
    is_name: bool,
}

impl<'a> OutcomeColumn<'a> {
    /// Decides over all rows of the files what the words of `column` mean. `systems` has the columns of both systems,
    /// each under any of several names.
    ///
    /// # Errors
    /// If the files cannot be read, or numbers of the column may mean several things.
    pub(super) fn decided(
        files: &[&ImportFile],
        column: &'a str,
        systems: [&[&str]; 2],
        builder: &mut DatasetBuilder<'_>,
    ) -> Result<Self> {
        /// As many words as are needed to decide.
        const ENOUGH: usize = 100;
        let mut words: BTreeMap<String, MetWord> = BTreeMap::new();
        for file in files {
            file.records(&[], &mut |record| {
                let Some(word) = record.get(column).filled()? else {
                    return Ok(());
                };
                let mut is_name = false;
                for names in systems {
                    is_name |= record.first(names).filled()?.as_ref() == Some(&word);
                }
                if let Some(met) = words.get_mut(&word) {
                    met.is_name &= is_name;
                } else if words.len() < ENOUGH {
                    let at = record.at.clone();
                    words.insert(word, MetWord { at, is_name });
                }
                Ok(())
            })?;
        }
        let outcomes = meanings(files[0], &words, builder)?;
        Ok(Self {
            is_worded: words.keys().any(|word| decimal(word).is_none())
                || outcomes != builder.options.outcomes,
            column,
            outcomes,
        })
    }

    /// Reads the outcome of a record between two systems, with its word; `None`, counted, where there is none.
    pub(super) fn read(
        &self,
        record: &ImportRecord,
        [a, b]: [&str; 2],
        builder: &mut DatasetBuilder<'_>,
    ) -> Result<Option<(Outcome, String)>> {
        let word = record.get(self.column).filled()?.unwrap_or_default();
        match self.outcomes.between(&word, a, b) {
            Ok(outcome) => Ok(Some((outcome, word))),
            Err(_) if is_missing(&word) => {
                builder.drop(format!("no {}", self.column));
                Ok(None)
            }
            Err(_) if self.outcomes.leaves_out(&word) || is_no_verdict(&word) => {
                builder.drop(format!("{} is {word}", self.column));
                Ok(None)
            }
            Err(what) => Err(record.error(what).with_hint(advice(Some(&word), false))),
        }
    }
}

/// Returns the words of the user, or those of a column whose numbers are of the systems.
fn meanings(
    file: &ImportFile,
    words: &BTreeMap<String, MetWord>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<Outcomes> {
    let given = &builder.options.outcomes;
    let unnamed = words.iter().filter(|(_, met)| !met.is_name);
    let numbers: Vec<(&str, f64, &Location)> = unnamed
        .filter_map(|(word, met)| Some((word.as_str(), decimal(word)?, &met.at)))
        .collect();
    let has = |wanted: f64| numbers.iter().any(|(_, number, _)| *number == wanted);
    if !given.is_empty() || !(has(2.0) || has(1.5) || has(-1.0)) {
        return Ok(given.clone());
    }
    let (flag, shown) = (
        Flag("outcome"),
        words.keys().cloned().collect::<Vec<_>>().join(", "),
    );
    if has(0.0) || has(0.5) || has(-1.0) {
        let what = format!("outcomes are {shown}: is 0 a tie or a loss?");
        return Err(Error::input(&file.path, what).with_hint(format!(
            "say what each means: {flag} 1=1,2=0,0=0.5 or {flag} 1=1,0=0.5,-1=0 (1: system_a is better)"
        )));
    }
    let beyond = |&&(_, number, _): &&(&str, f64, &Location)| ![1.0, 1.5, 2.0].contains(&number);
    if let Some((word, _, at)) = numbers.iter().find(beyond) {
        let what = format!("outcome is {word}, expected 1, 2 or 1.5, as outcomes are {shown}");
        let mut each: Vec<&(&str, f64, &Location)> = numbers.iter().collect();
        each.sort_by(|one, other| one.1.total_cmp(&other.1));
        let each: Vec<String> = each
            .iter()
            .map(|(word, ..)| format!("{word}=NUMBER"))
            .collect();
        let hint = match each.join(",").as_str() {
            "1=NUMBER,2=NUMBER,3=NUMBER" => format!(
                "say what each means: {flag} 1=1,2=0,3=0.5 (3 is a tie) or {flag} 1=1,2=0.5,3=0 (2 is a tie)"
            ),
            each => format!(
                "say what each means, 1 (system_a is better), 0.5 (a tie), 0 or none (left out), as NUMBER: {flag} {each}"
            ),
        };
        return Err(Error::record((*at).clone(), what).with_hint(hint));
    }
    let spelled = numbers
        .iter()
        .map(|(word, number, _)| ((*word).to_string(), 2.0 - number));
    let outcomes = Outcomes::new(spelled)?;
    builder.note("outcomes count the systems: 1 is system_a, 2 is system_b, 1.5 a tie");
    Ok(outcomes)
}
