//! What can be said of the means of a campaign of ratings.

use tiebreak_base::layout::number;

/// From what the means of a campaign of ratings are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Means {
    /// Ratings, second opinions among them.
    pub ratings: u64,
    /// Ratings of all systems together: one of a text that several systems wrote counts for each of them.
    pub counted: u64,
    /// Outputs that are rated.
    pub outputs: u64,
    /// Outputs that were to be.
    pub of: u64,
    /// Whether some are still to be.
    pub open: bool,
    /// Whether each is dealt to one of several people.
    pub several: bool,
    /// Whether some were skipped.
    pub skipped: bool,
    /// Whether every output was as probable as any other.
    pub even: bool,
    /// Whether intervals hold whenever one looks.
    pub anytime: bool,
    /// The width that is wanted, that of the widest interval, and whether that is narrow enough.
    pub reached: Option<(f64, Option<f64>, bool)>,
}

/// What can be said of the means of a campaign of ratings, with what it takes for granted.
pub(crate) fn rated_sentence(means: &Means) -> String {
    let Means {
        ratings,
        counted,
        outputs,
        of,
        open,
        several,
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
    // Who was dealt an output was drawn; whose rating is there by now was not.
    let pace = match open && several {
        true => ", and whoever answers faster weighs more until the plan is done",
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
    fn means_come_with_what_they_take_for_granted() {
        let means = Means {
            ratings: 50,
            counted: 50,
            outputs: 40,
            of: 60,
            open: true,
            several: false,
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
            several: true,
            ..means
        };
        assert!(rated_sentence(&shared).contains("whoever answers faster weighs more"));
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
