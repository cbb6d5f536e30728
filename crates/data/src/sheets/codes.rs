//! Codes of questions on a sheet.
//!
//! A code reveals neither the systems nor the order in which questions were asked, and is no number and no date to a
//! spreadsheet. It differs between campaigns, data sets, seeds and tasks, so that answers to another run are noticed.

use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use tiebreak_base::signature::Signature;

/// Letters and digits that are not mistaken for each other and spell no words.
const LETTERS: &[u8] = b"bcdfghjkmnpqrstvwxyz23456789";

const LENGTH: usize = 8;

/// The codes of a run's numbered questions.
#[derive(Debug, Default)]
pub struct Codes {
    by_id: BTreeMap<u64, String>,
    by_code: BTreeMap<String, u64>,
}

impl Codes {
    /// Creates the codes of these questions, in the order asked.
    pub fn new(run: &Signature, questions: impl IntoIterator<Item = u64>) -> Self {
        let mut codes = Self::default();
        codes.extend(run, questions);
        codes
    }

    /// Adds codes of the questions asked since.
    pub fn extend(&mut self, run: &Signature, questions: impl IntoIterator<Item = u64>) {
        let run = run.to_string();
        let last = self.by_id.last_key_value().map(|(&id, _)| id);
        for id in questions {
            if last.is_some_and(|last| id <= last) {
                continue;
            }
            let mut free = (0_u64..).map(|trial| code(&run, id, trial));
            let code = free.find(|code| !self.by_code.contains_key(code));
            let code = code.expect("there are more codes than questions");
            self.by_id.insert(id, code.clone());
            self.by_code.insert(code, id);
        }
    }

    /// Returns the code of a question.
    pub fn code(&self, question: u64) -> &str {
        self.by_id.get(&question).map_or("", String::as_str)
    }

    /// Returns the question with a code; `None` where there is none.
    pub fn question(&self, code: &str) -> Option<u64> {
        self.by_code.get(code).copied()
    }
}

fn code(run: &str, question: u64, trial: u64) -> String {
    let mut hash = Sha256::new();
    hash.update(run);
    hash.update(question.to_le_bytes());
    hash.update(trial.to_le_bytes());
    let letter = |byte: &u8| char::from(LETTERS[usize::from(*byte) % LETTERS.len()]);
    let letters: String = hash.finalize().iter().take(LENGTH).map(letter).collect();
    format!("q{letters}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_one_to_one_stable_and_differ_between_runs() {
        let codes = |run: &str| Codes::new(&Signature::new(run), 0..2000);
        let (ours, theirs) = (codes("ours"), codes("theirs"));
        for id in 0..2000 {
            assert_eq!(ours.question(ours.code(id)), Some(id));
            assert_eq!(theirs.question(ours.code(id)), None);
            assert_eq!(ours.code(id).len(), LENGTH + 1);
        }
        assert_eq!(codes("ours").code(7), ours.code(7));
    }
}
