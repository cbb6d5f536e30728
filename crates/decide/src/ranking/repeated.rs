//! Rows that are there again, as where a file was given twice.

/// The most answers that somebody changed, as a share of the same ones, where a table was given twice.
const SLIPS: f64 = 0.05;

/// The number of rows that are there again, with the same answer to the same question by the same annotator.
#[derive(Debug, Default)]
pub struct RepeatedRows {
    named: u64,
    /// Other answers to the same question.
    changed: u64,
    nameless: u64,
    /// Whether somebody without a name gave an answer once.
    single: bool,
}

impl RepeatedRows {
    /// Adds one annotator's answers to one question, the same ones in a row. All without a name are one annotator.
    pub fn add<T: PartialEq>(&mut self, answers: &[T], is_named: bool) {
        let mut single = false;
        let mut different = 0;
        for same in answers.chunk_by(PartialEq::eq) {
            different += 1;
            single |= same.len() == 1;
        }
        let again = answers.len() as u64 - different;
        if is_named {
            self.named += again;
            self.changed += different.saturating_sub(1);
        } else {
            self.nameless += again;
            self.single |= single;
        }
    }

    /// The rows that are there again. None count where people also changed their minds, as who judges again does, or
    /// where the unnamed have answered something once.
    pub fn number(&self) -> u64 {
        let judges_again = self.changed as f64 > SLIPS * self.named as f64;
        let kept = [(self.named, judges_again), (self.nameless, self.single)].into_iter();
        kept.filter(|(_, is_usual)| !is_usual)
            .map(|one| one.0)
            .sum()
    }
}
