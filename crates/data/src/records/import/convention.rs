//! The meaning of numeric outcomes in a file: the score of the system named first, or the number of the winner.
//!
//! A file that numbers systems, 1 and 2 with 1.5 for a tie, is known by its 2. Where 0 may be a tie or a loss, nothing
//! is guessed.

use super::frame::{DatasetBuilder, ImportFile, decimal};
use crate::records::outcomes::Outcomes;
use std::collections::BTreeSet;
use tiebreak_base::error::{Error, Flag, Result};

/// Collects the outcome words of a file, as many as are needed to decide the meaning.
pub(super) fn words(file: &ImportFile, column: &str) -> Result<BTreeSet<String>> {
    const ENOUGH: usize = 100;
    let mut words = BTreeSet::new();
    file.records(&[], &mut |record| {
        let word = record.get(column).filled()?;
        words.extend(word.filter(|_| words.len() < ENOUGH));
        Ok(())
    })?;
    Ok(words)
}

/// Returns the words of the user, or those of a file whose numbers are of the systems.
pub(super) fn convention(
    file: &ImportFile,
    words: &BTreeSet<String>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<Outcomes> {
    let given = &builder.options.outcomes;
    let numbers: Vec<f64> = words
        .iter()
        .filter(|word| given.read(word).is_none() || given.is_empty())
        .filter_map(|word| decimal(word))
        .collect();
    let has = |number: f64| numbers.contains(&number);
    if !given.is_empty() || !(has(2.0) || has(1.5) || has(-1.0)) {
        return Ok(given.clone());
    }
    if has(0.0) || has(0.5) || has(-1.0) {
        let shown = words.iter().cloned().collect::<Vec<_>>().join(", ");
        let what = format!("outcomes are {shown}: is 0 a tie or a loss?");
        return Err(Error::input(&file.path, what).with_hint(format!(
            "say what each means: {flag} 1=1,2=0,0=0.5 or {flag} 1=1,0=0.5,-1=0 (1: system_a is better)",
            flag = Flag("outcome")
        )));
    }
    builder.note("outcomes count the systems: 1 is system_a, 2 is system_b, 1.5 a tie");
    let spelled = words.iter().filter_map(|word| {
        let outcome = 2.0 - decimal(word)?;
        Some((word.clone(), outcome))
    });
    Outcomes::new(spelled)
}
