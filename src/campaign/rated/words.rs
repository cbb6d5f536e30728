//! The result of a campaign of ratings in words.

use tiebreak_base::layout::number;

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

/// Returns the result of a campaign of ratings in words, with its assumptions.
pub(crate) fn rated_sentence(means: &Means) -> String {
    let Means {
        ratings,
        counted,
        outputs,
        of,
        open,
        unweighed,
        skipped,
        even,
        anytime,
        reached,
    } = *means;
    if ratings == 0 {
        return "Nothing is known yet: nobody has rated anything.".to_string();
    }
    let drawn = match even {
        true => "drawn evenly",
        false => "drawn with probabilities that the means undo",
    };
    let when = match anytime {
        true => "hold whenever one looks",
        false => "hold for a number of ratings that was fixed beforehand, such as the whole plan",
    };
    let like = "taken to be like what was rated";
    let unrated = match (open, skipped) {
        (false, false) => String::new(),
        (true, false) => format!("; what is still open is {like}"),
        (false, true) => format!("; what was skipped is {like}"),
        (true, true) => format!("; what is open or was skipped is {like}"),
    };
    // The dealing of outputs was random; which annotators have answered by now was not.
    let pace = match open && unweighed {
        true => "; annotators who answer faster weigh more until the plan is done",
        false => "",
    };
    let alike = match counted > ratings {
        true => format!(
            " ({counted} in the table, since a text that several systems wrote counts for each of them)"
        ),
        false => String::new(),
    };
    let enough = match reached {
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
    };
    format!(
        "{enough}Means rest on {ratings} ratings of {outputs} of {of} outputs{alike}, {drawn}; intervals {when}{unrated}{pace}."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_come_with_their_assumptions() {
        let means = Means {
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
        let told = rated_sentence(&means);
        assert!(told.contains("50 ratings of 40 of 60 outputs") && told.contains("still open"));
        let twice = rated_sentence(&Means {
            counted: 62,
            ..means
        });
        assert!(
            twice.contains("60 outputs (62 in the table, since"),
            "{twice}"
        );
        assert!(
            told.contains("fixed beforehand") && !told.contains("nough"),
            "{told}"
        );
        let shared = Means {
            unweighed: true,
            ..means
        };
        assert!(rated_sentence(&shared).contains("annotators who answer faster weigh more"));
        let done = Means {
            open: false,
            ..shared
        };
        assert!(!rated_sentence(&done).contains("faster") && !told.contains("faster"));
        let nothing = rated_sentence(&Means {
            ratings: 0,
            ..means
        });
        assert!(nothing.starts_with("Nothing is known"), "{nothing}");
        for (widest, reached, says) in [
            (Some(0.4), true, "Enough: no interval is wider than 0.4"),
            (
                Some(0.9),
                false,
                "Not yet enough: the widest interval is 0.9",
            ),
            (None, false, "Not yet enough: some intervals are not known"),
        ] {
            let told = rated_sentence(&Means {
                anytime: true,
                reached: Some((0.5, widest, reached)),
                ..means
            });
            assert!(
                told.starts_with(says) && told.contains("whenever one looks"),
                "{told}"
            );
        }
    }
}
