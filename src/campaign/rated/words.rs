//! The result of a campaign of ratings in words.

use std::cmp::Ordering;
use tiebreak_base::layout::number;
use tiebreak_base::words::counted;

/// The basis of the means of a campaign of ratings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Means {
    /// The ratings, second opinions among them.
    pub ratings: u64,
    /// The ratings of all systems together: one of a text that several systems wrote counts for each.
    pub counted: u64,
    /// The number of rated outputs.
    pub outputs: u64,
    /// The number of planned outputs.
    pub of: u64,
    /// Whether some outputs are still to be rated.
    pub open: bool,
    /// Whether each output is dealt to one of several annotators, who weigh as often as they answer.
    pub unweighed: bool,
    /// Whether some outputs were skipped.
    pub skipped: bool,
    /// Whether every output was as probable as any other.
    pub even: bool,
    /// Whether intervals are valid at all times.
    pub anytime: bool,
    /// The width that is wanted, that of the widest interval, and whether that is narrow enough.
    pub reached: Option<(f64, Option<f64>, bool)>,
}

/// Returns the result of a campaign of ratings in lines: how far it is, then what the means rest on and assume.
pub(crate) fn rated_lines(means: &Means) -> Vec<String> {
    if means.ratings == 0 {
        return vec!["Nothing is known yet: there are no ratings.".to_string()];
    }
    let rated = match means.outputs == means.of {
        true => format!("All {} outputs are rated", means.of),
        false => format!("{} of {} outputs are rated", means.outputs, means.of),
    };
    let ratings = counted(means.ratings, "rating");
    let first = format!("{}{rated}, with {ratings}.", means.enough());
    std::iter::once(first).chain(means.basis()).collect()
}

impl Means {
    /// Returns whether intervals are as narrow as wanted, in a sentence; nothing where no width is wanted.
    fn enough(&self) -> String {
        match self.reached {
            None => String::new(),
            Some((width, Some(widest), true)) => format!(
                "Enough: no interval is wider than {} (wanted: {}). ",
                number(widest),
                number(width)
            ),
            Some((width, Some(widest), false)) => format!(
                "Not yet enough: the widest interval is {} wide (wanted: {}). ",
                number(widest),
                number(width)
            ),
            Some((width, None, _)) => format!(
                "Not yet enough: some intervals are not known (wanted: {} wide). ",
                number(width)
            ),
        }
    }

    /// Returns what the means rest on and assume, a sentence a line.
    fn basis(&self) -> Vec<String> {
        let why = match self.counted.cmp(&self.ratings) {
            Ordering::Equal => None,
            Ordering::Greater => Some("a text that several systems wrote counts for each of them"),
            Ordering::Less => {
                Some("an annotator who rated fewer than two outputs of a system is not in its mean")
            }
        };
        let counted = why.map(|why| format!("{} ratings are in the table: {why}.", self.counted));
        let drawn = match self.even {
            true => "The outputs were drawn evenly.",
            false => "The outputs were drawn unevenly, which the means correct.",
        };
        let valid = match self.anytime {
            true => "The intervals are valid at all times.",
            false => {
                "The intervals are valid for a number of ratings that was fixed beforehand, such as the whole plan."
            }
        };
        let rest = match (self.open, self.skipped) {
            (false, false) => None,
            (true, false) => Some("Assumes: outputs that are still open are like the rated ones."),
            (false, true) => Some("Assumes: skipped outputs are like the rated ones."),
            (true, true) => Some("Assumes: open and skipped outputs are like the rated ones."),
        };
        // The dealing of outputs was random; which annotators have answered by now was not.
        let pace = (self.open && self.unweighed)
            .then_some("Until the plan is done, annotators who answer faster weigh more.");
        let fixed = [Some(drawn), Some(valid), rest, pace];
        let fixed = fixed.into_iter().flatten().map(str::to_string);
        counted.into_iter().chain(fixed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined_lines(means: &Means) -> String {
        rated_lines(means).join("\n")
    }

    const MEANS: Means = Means {
        ratings: 50,
        counted: 50,
        outputs: 40,
        of: 60,
        open: true,
        unweighed: false,
        skipped: false,
        even: true,
        anytime: false,
        reached: None,
    };

    #[test]
    fn means_come_with_their_assumptions() {
        assert_eq!(
            joined_lines(&MEANS),
            "40 of 60 outputs are rated, with 50 ratings.\n\
             The outputs were drawn evenly.\n\
             The intervals are valid for a number of ratings that was fixed beforehand, such as the whole plan.\n\
             Assumes: outputs that are still open are like the rated ones."
        );
        let twice = Means {
            counted: 62,
            unweighed: true,
            even: false,
            skipped: true,
            ..MEANS
        };
        assert_eq!(
            joined_lines(&twice),
            "40 of 60 outputs are rated, with 50 ratings.\n\
             62 ratings are in the table: a text that several systems wrote counts for each of them.\n\
             The outputs were drawn unevenly, which the means correct.\n\
             The intervals are valid for a number of ratings that was fixed beforehand, such as the whole plan.\n\
             Assumes: open and skipped outputs are like the rated ones.\n\
             Until the plan is done, annotators who answer faster weigh more."
        );
        let done = Means {
            open: false,
            outputs: 60,
            unweighed: true,
            ..MEANS
        };
        assert!(joined_lines(&done).starts_with("All 60 outputs are rated"));
        assert!(!joined_lines(&done).contains("faster"));
        let nothing = Means {
            ratings: 0,
            ..MEANS
        };
        assert_eq!(
            joined_lines(&nothing),
            "Nothing is known yet: there are no ratings."
        );
    }

    #[test]
    fn a_wanted_width_is_the_answer() {
        for (widest, reached, answer) in [
            (
                Some(0.4),
                true,
                "Enough: no interval is wider than 0.4000 (wanted: 0.5000).",
            ),
            (
                Some(0.9),
                false,
                "Not yet enough: the widest interval is 0.9000 wide (wanted: 0.5000).",
            ),
            (
                None,
                false,
                "Not yet enough: some intervals are not known (wanted: 0.5000 wide).",
            ),
        ] {
            let lines = rated_lines(&Means {
                anytime: true,
                reached: Some((0.5, widest, reached)),
                ..MEANS
            });
            assert!(lines[0].starts_with(answer), "{lines:?}");
            assert!(lines.contains(&"The intervals are valid at all times.".to_string()));
        }
    }
}
