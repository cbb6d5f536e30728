//! The meaning of a column of outcomes, decided over all its rows before one is read: words, the score of the system
//! named first, or the number of the winner.
//!
//! A file that numbers systems, 1 and 2 with 1.5 for a tie, is known by its 2. Where a number may mean several things,
//! nothing is guessed. A word that is not understood is refused: left out, it could take all wins of one side with it.

use super::frame::{DatasetBuilder, ImportFile, ImportRecord, called, decimal};
use crate::records::outcomes::{Outcomes, is_missing, is_no_verdict, outcome_words};
use std::collections::BTreeMap;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Location, Message, Result};
use tiebreak_base::message;

/// A column of outcomes and what its words mean.
pub(super) struct OutcomeColumn<'a> {
    column: &'a str,
    outcomes: Outcomes,
    /// Whether it has words, or numbers other than scores.
    pub is_worded: bool,
}

/// A word that is met.
struct MetWord {
    /// The place of the first.
    at: Location,
    /// Whether it is the name of a system wherever it stands.
    is_name: bool,
    /// Whether it names one system somewhere and as a word means the other.
    is_ambiguous: bool,
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
                let name = |names| Ok(record.first(names).filled()?.unwrap_or_default());
                let [a, b]: [String; 2] = [name(systems[0])?, name(systems[1])?];
                let (is_name, read) = (
                    [&a, &b].contains(&&word),
                    builder.options.outcomes.between(&word, &a, &b),
                );
                let is_ambiguous = read.is_err_and(|unread| unread.is_ambiguous());
                if let Some(met) = words.get_mut(&word) {
                    met.is_name &= is_name;
                    met.is_ambiguous |= is_ambiguous;
                } else if words.len() < ENOUGH {
                    let at = record.at.clone();
                    let met = MetWord {
                        at,
                        is_name,
                        is_ambiguous,
                    };
                    words.insert(word, met);
                }
                Ok(())
            })?;
        }
        let outcomes = names_or_sides(
            &meanings(files[0], column, &words, builder)?,
            &words,
            builder,
        )?;
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
            Err(unread) => {
                let advice = unread.advice(Some(&word), false);
                Err(record.error(unread.what).with_hint(advice))
            }
        }
    }
}

/// Returns the words of the user, or those of a column whose numbers are of the systems.
fn meanings(
    file: &ImportFile,
    column: &str,
    words: &BTreeMap<String, MetWord>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<Outcomes> {
    let given = &builder.options.outcomes;
    let number = |word: &str, met: &MetWord| decimal(word).filter(|_| !met.is_name);
    let shows_sides = words.iter().any(|(word, met)| number(word, met).is_some());
    let may_be_side = shows_sides && !shows_names(given, words);
    let unnamed = words
        .iter()
        .filter(|(_, met)| !met.is_name || met.is_ambiguous && may_be_side);
    let numbers: Vec<(&str, f64, &Location)> = unnamed
        .filter_map(|(word, met)| Some((word.as_str(), decimal(word)?, &met.at)))
        .collect();
    let has = |wanted: f64| {
        let mut met = numbers.iter().filter(|(_, number, _)| *number == wanted);
        met.next().map(|(word, ..)| !given.has_own(word))
    };
    let are_scores = [2.0, 1.5, -1.0]
        .into_iter()
        .all(|number| has(number).is_none());
    let is_unexplained = |number| has(number) == Some(true);
    let is_doubtful = [0.0, 0.5, -1.0].into_iter().any(is_unexplained);
    // Only of `outcome` is it documented; elsewhere 0 is as often the number of the first.
    let may_be_numbers = is_unexplained(0.0) && called(builder.options, "outcome") != column;
    if are_scores && !may_be_numbers || !given.is_empty() && !is_doubtful {
        return Ok(given.clone());
    }
    let shown = words.keys().cloned().collect::<Vec<_>>().join(", ");
    if is_doubtful {
        let what = match has(0.0) {
            Some(_) if are_scores => {
                format!(
                    "`{column}` is {shown}: did the first or the second system win where it is 0?"
                )
            }
            Some(_) => format!("outcomes are {shown}: is 0 a tie or a loss?"),
            None => format!("outcomes are {shown}: what does each mean?"),
        };
        return Err(Error::input(&file.path, what).with_hint(each_meaning(&numbers)));
    }
    let beyond = |&&(_, number, _): &&(&str, f64, &Location)| ![1.0, 1.5, 2.0].contains(&number);
    if let Some((word, _, at)) = numbers.iter().find(beyond) {
        let what = format!("outcome is {word}, expected 1, 2 or 1.5, as outcomes are {shown}");
        return Err(Error::record((*at).clone(), what).with_hint(each_meaning(&numbers)));
    }
    let spelled = numbers
        .iter()
        .map(|(word, number, _)| ((*word).to_string(), 2.0 - number));
    let outcomes = Outcomes::new(spelled)?;
    builder.note("outcomes count the systems: 1 is system_a, 2 is system_b, 1.5 a tie");
    Ok(outcomes)
}

/// Whether a word can only be the name of a system: no other meaning of it is known.
fn shows_names(outcomes: &Outcomes, words: &BTreeMap<String, MetWord>) -> bool {
    let mut named = words.iter().filter(|(_, met)| met.is_name);
    named.any(|(word, _)| outcomes.side(word).is_none())
}

/// A usual meaning of outcomes that are numbers: their values, and what tells it from another.
type UsualMeaning = (&'static [(f64, &'static str)], &'static str);

const USUAL: [[UsualMeaning; 2]; 4] = [
    [
        (
            &[(1.0, "1"), (0.0, "0"), (0.5, "0.5")],
            "0: system_b is better",
        ),
        (
            &[(0.0, "1"), (1.0, "0"), (0.5, "0.5")],
            "0: system_a is better",
        ),
    ],
    [
        (
            &[(1.0, "1"), (0.0, "0.5"), (-1.0, "0")],
            "1: system_a is better",
        ),
        (
            &[(1.0, "0"), (0.0, "0.5"), (-1.0, "1")],
            "1: system_b is better",
        ),
    ],
    [
        (&[(1.0, "1"), (2.0, "0"), (0.0, "0.5")], "0 is a tie"),
        (&[(2.0, "1"), (1.0, "0.5"), (0.0, "0")], "1 is a tie"),
    ],
    [
        (&[(1.0, "1"), (2.0, "0"), (3.0, "0.5")], "3 is a tie"),
        (&[(1.0, "1"), (2.0, "0.5"), (3.0, "0")], "2 is a tie"),
    ],
];

/// Returns a usual meaning as it is typed, where it says what every number of a column means.
fn typed(numbers: &[(&str, f64, &Location)], (values, words): UsualMeaning) -> Option<Message> {
    let mut all = Vec::new();
    for (number, meaning) in values {
        let spelled = numbers.iter().filter(|(_, met, _)| met == number);
        all.extend(spelled.map(|(word, ..)| ((*word).to_string(), (*meaning).to_string())));
    }
    (all.len() == numbers.len()).then(|| message!("{} ({words})", outcome_words(&all)))
}

/// The hint with which the meaning of every number of a column can be typed: as one of two usual ones, or each by itself.
fn each_meaning(numbers: &[(&str, f64, &Location)]) -> Message {
    let usual =
        |[one, other]: [UsualMeaning; 2]| Some((typed(numbers, one)?, typed(numbers, other)?));
    if let Some((one, other)) = USUAL.into_iter().find_map(usual) {
        return message!("say what each means: {} or {}", one, other);
    }
    let mut each = numbers.to_vec();
    each.sort_by(|one, other| one.1.total_cmp(&other.1));
    // What begins with a sign looks like a flag.
    if each.first().is_some_and(|one| one.1 < 0.0) {
        each.reverse();
    }
    let each = each.iter();
    let each = each.map(|(word, ..)| ((*word).to_string(), "NUMBER".to_string()));
    let each = outcome_words(&each.collect::<Vec<_>>());
    message!(
        "say what each means, 1 (system_a is better), 0.5 (a tie), 0 or none (left out), as NUMBER: {}",
        each
    )
}

/// Adds what words mean that name one system and as words mean the other, such as A and B, where the column shows it. They
/// are names where another system is named by a word that means nothing else, and sides where one stands beside other
/// systems.
fn names_or_sides(
    outcomes: &Outcomes,
    words: &BTreeMap<String, MetWord>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<Outcomes> {
    let ambiguous: Vec<&String> = words
        .iter()
        .filter(|(word, met)| met.is_ambiguous && !outcomes.has_own(word))
        .map(|(word, _)| word)
        .collect();
    let are_sides = ambiguous.iter().any(|&word| !words[word].is_name);
    let are_names = shows_names(outcomes, words);
    let meant = match (ambiguous.is_empty(), are_names, are_sides) {
        (false, true, false) => ambiguous
            .iter()
            .map(|word| ((*word).clone(), "name".to_string()))
            .collect(),
        (false, false, true) => {
            let value = |word: &str| Some(outcomes.side(word)?.value().to_string());
            let sides = ambiguous.iter();
            sides
                .filter_map(|word| Some(((*word).clone(), value(word)?)))
                .collect()
        }
        _ => Vec::new(),
    };
    if !meant.is_empty() {
        let kind = if are_names {
            "names of systems"
        } else {
            "sides"
        };
        let words: Vec<&str> = meant.iter().map(|(word, _)| word.as_str()).collect();
        builder.note(format!(
            "outcomes {} are {kind}, as others show",
            words.join(", ")
        ));
    }
    Ok(outcomes.before(&Outcomes::new(meant)?))
}
