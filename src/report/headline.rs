//! The answer before everything else: which system is best, how sure that is, what to do next.

use super::summary::{Estimated, Summary};
use super::words::{self, interval, kinds, sentence};
use crate::layout::number;
use crate::tables::ranking::Ranking;

/// The answer, a sentence or two for each question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Headline {
    /// Which system is best?
    pub best: String,
    /// How sure is that?
    pub sure: String,
    /// What next?
    pub next: String,
}

/// From the first ranking, else from the first estimates.
pub(super) fn headline(summary: &Summary) -> Headline {
    let rows = summary.estimates.iter().flat_map(|(_, rows)| rows.clone());
    let rows: Vec<Estimated> = rows.collect();
    match (summary.rankings.as_slice(), kinds(&rows).first()) {
        (all @ [first, ..], _) => {
            let certified = all.iter().find(|(_, one)| is_certified(one));
            of_rankings(&certified.unwrap_or(first).1, all)
        }
        ([], Some(kind)) => of_estimates(kind),
        ([], None) => Headline {
            best: "No judgment of people was used, so nobody knows yet which system they prefer."
                .to_string(),
            sure: "Metrics and predictions alone do not say how far they can be trusted here."
                .to_string(),
            next:
                "`tiebreak ask RUN DATA --out questions.csv` writes questions for people to answer."
                    .to_string(),
        },
    }
}

/// Whether one run ended with a certificate, which says more than many runs over the same records.
fn is_certified(ranking: &Ranking) -> bool {
    ranking.runs == 1 && ranking.stopped.share > 0.0
}

fn of_rankings(first: &Ranking, all: &[(String, Ranking)]) -> Headline {
    let winner = &first.winner;
    let together = first.ranking.iter().filter(|one| one.group == 1);
    let together: Vec<_> = together.collect();
    let leader = together.iter().find(|one| one.system == *winner);
    let rivals: Vec<_> = together
        .iter()
        .filter(|one| one.system != *winner)
        .collect();
    let names: Vec<&str> = rivals.iter().map(|one| one.system.as_str()).collect();
    let certified = is_certified(first);
    let best = match (leader, names.is_empty()) {
        _ if certified => format!("{winner} is the best system."),
        (Some(_), true) => format!("{winner} is the best system: all others are weaker."),
        (Some(_), false) => format!(
            "{winner} leads, but {} cannot be told apart from it.",
            listed(&names)
        ),
        (None, _) => sentence(first),
    };
    let next = match (leader, rivals.first()) {
        _ if certified => ENOUGH.to_string(),
        (Some(_), None) => ENOUGH.to_string(),
        (Some(one), Some(other)) => {
            let ends = |lower: Option<f64>, upper: Option<f64>| lower.zip(upper);
            let needed = Needed {
                gap: one.strength - other.strength,
                widths: [ends(one.lower, one.upper), ends(other.lower, other.upper)],
                n: [one.comparisons, other.comparisons],
            };
            let asking = "`tiebreak ask` writes the next questions.";
            format!(
                "{} {asking}",
                needed.told(winner, &other.system, "comparisons")
            )
        }
        (None, _) => "More comparisons: `tiebreak ask` writes the next questions.".to_string(),
    };
    Headline {
        best,
        sure: format!("{}{}.", accord(all), first.verdict),
        next,
    }
}

const ENOUGH: &str = "No more judgments are needed to name the best.";

/// Whether several rankings name the same system.
fn accord(all: &[(String, Ranking)]) -> String {
    let winner = &all[0].1.winner;
    let others = all.iter().filter(|(_, one)| one.winner != *winner);
    let others: Vec<String> = others
        .map(|(name, one)| format!("{name} names {}", one.winner))
        .collect();
    match (all.len(), others.is_empty()) {
        (1, _) => String::new(),
        (2, true) => format!("Both rankings name {winner}. "),
        (n, true) => format!("All {n} rankings name {winner}. "),
        (_, false) => format!("The rankings disagree: {}. ", others.join(", ")),
    }
}

fn of_estimates(kind: &[&Estimated]) -> Headline {
    let best = kind[0];
    let near = words::near(kind);
    let sure = match (near.is_empty(), kind.len()) {
        (_, 1) => "It is the only system with estimates.".to_string(),
        (true, _) => "No other interval overlaps with its own.".to_string(),
        (false, _) => {
            let names: Vec<&str> = near.iter().map(|row| row.system.as_str()).collect();
            format!("The intervals of {} overlap with it.", listed(&names))
        }
    };
    let next = near.first().map_or_else(
        || ENOUGH.to_string(),
        |other| {
            let needed = Needed {
                gap: best.estimate - other.estimate,
                widths: [best, other].map(|row| row.lower.zip(row.upper)),
                n: [best.n, other.n],
            };
            needed.told(&best.system, &other.system, "judgments")
        },
    );
    Headline {
        best: format!(
            "{} has the highest mean {}, {} {}.",
            best.system,
            best.criterion,
            number(best.estimate),
            interval(best.lower, best.upper)
        ),
        sure,
        next,
    }
}

/// Two systems that are to be told apart.
struct Needed {
    gap: f64,
    widths: [Option<(f64, f64)>; 2],
    /// What each interval is made from.
    n: [u64; 2],
}

impl Needed {
    /// How many times as much it takes until the gap is as large as its interval reaches: widths shrink
    /// as 1/√n, and those of independent numbers add up in squares.
    fn factor(&self) -> Option<f64> {
        let [one, other] = self
            .widths
            .map(|ends| ends.map(|(lower, upper)| upper - lower));
        let reach = (one?.powi(2) + other?.powi(2)) / 4.0;
        (self.gap > 0.0).then(|| reach / (self.gap * self.gap))
    }

    fn told(&self, one: &str, other: &str, what: &str) -> String {
        match self.factor() {
            Some(factor) if factor <= 50.0 => {
                // Holm's correction asks for a little more than a single pair does.
                let n = |n: u64| rounded(n as f64 * factor.max(1.2));
                format!(
                    "To tell {one} from {other} takes roughly {} {what} of each instead of {}, if they \
                     stay as far apart.",
                    n(self.n[0].max(self.n[1])),
                    self.n[0].max(self.n[1])
                )
            }
            _ => format!(
                "{one} and {other} are too close for more {what} to tell them apart soon: take either."
            ),
        }
    }
}

/// Two digits are all that such a guess is worth.
fn rounded(n: f64) -> String {
    let power = 10_f64.powf(n.max(1.0).log10().floor() - 1.0).max(1.0);
    format!("{:.0}", (n / power).round() * power)
}

/// `a`, `a and b`, `a, b and c`; of many the first few.
fn listed(names: &[&str]) -> String {
    const MOST: usize = 5;
    match names {
        [] => String::new(),
        [one] => (*one).to_string(),
        many if many.len() > MOST => {
            format!("{} and {} more", many[..MOST].join(", "), many.len() - MOST)
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(system: &str, estimate: f64, half: f64) -> Estimated {
        Estimated {
            system: system.to_string(),
            criterion: "fluency".to_string(),
            metric: None,
            estimator: "mean".to_string(),
            n: 100,
            estimate,
            lower: Some(estimate - half),
            upper: Some(estimate + half),
            data_efficiency: None,
        }
    }

    #[test]
    fn estimates_that_overlap_ask_for_more() {
        // √(1 + 1)/0.5 squared is 8: eight times as many judgments.
        let rows = [row("a", 5.0, 1.0), row("b", 4.5, 1.0), row("c", 1.0, 1.0)];
        let found = of_estimates(&rows.iter().collect::<Vec<_>>());
        assert_eq!(found.best, "a has the highest mean fluency, 5 [4, 6].");
        assert_eq!(found.sure, "The intervals of b overlap with it.");
        assert!(
            found
                .next
                .contains("roughly 800 judgments of each instead of 100"),
            "{}",
            found.next
        );
        let rows = [row("a", 5.0, 1.0), row("b", 5.0, 1.0)];
        assert!(
            of_estimates(&rows.iter().collect::<Vec<_>>())
                .next
                .contains("too close")
        );
        let rows = [row("a", 5.0, 0.1), row("b", 4.0, 0.1)];
        assert_eq!(of_estimates(&rows.iter().collect::<Vec<_>>()).next, ENOUGH);
    }

    #[test]
    fn guesses_and_lists_are_short() {
        assert_eq!(["7", "120", "5300"], [7.2, 123.0, 5296.0].map(rounded));
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(listed(&["a"; 8]), "a, a, a, a, a and 3 more");
    }
}
