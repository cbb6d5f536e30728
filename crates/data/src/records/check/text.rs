//! The summary as aligned text.

use super::counts::pairs_of;
use super::{CriterionSummary, DatasetSummary, alike};
use std::fmt;
use tiebreak_base::layout;

/// Most pairs or annotators listed one by one.
const LISTED: usize = 10;

impl fmt::Display for DatasetSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.totals(f)?;
        self.systems(f)?;
        self.comparisons(f)?;
        self.annotators(f)?;
        self.criteria(f)?;
        writeln!(f, "\ncan be run")?;
        for ability in &self.abilities {
            let possible = if ability.possible { "yes" } else { "no" };
            let note = ability
                .note
                .as_ref()
                .map_or(String::new(), |n| format!(": {n}"));
            writeln!(f, "  {:<9} {possible}{note}", ability.command)?;
        }
        for names in &self.alike {
            writeln!(f, "\n{}", alike::sentence(names))?;
        }
        if let Some(items) = alike::items_sentence(&self.alike_items) {
            writeln!(f, "\n{items}")?;
        }
        if !self.ignored.is_empty() {
            writeln!(f, "\nnot read: {}", self.ignored.join(", "))?;
        }
        Ok(())
    }
}

impl DatasetSummary {
    fn totals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.name)?;
        let line = |f: &mut fmt::Formatter<'_>, name: &str, value: &dyn fmt::Display| {
            writeln!(f, "  {name:<18} {value}")
        };
        line(f, "systems", &self.systems.len())?;
        line(
            f,
            "items",
            &format!("{} ({} with a source)", self.items, self.with_source),
        )?;
        if let Some([min, max]) = self.references {
            let range = if min == max {
                min.to_string()
            } else {
                format!("{min} to {max}")
            };
            line(f, "references an item", &range)?;
        }
        line(f, "outputs", &self.outputs)?;
        if let Some(empty) = self.empty {
            line(f, "  empty", &layout::percent(empty))?;
        }
        if let Some(identical) = self.identical {
            line(f, "  identical pairs", &layout::percent(identical))?;
        }
        line(f, "comparisons", &self.comparisons)?;
        line(f, "judgments", &self.judgments)
    }

    fn systems(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = [
            "system",
            "outputs",
            "missing",
            "empty",
            "comparisons",
            "judgments",
        ];
        let rows = self.systems.iter().map(|s| {
            let counts = [s.outputs, s.missing, s.empty, s.comparisons, s.judgments];
            row(&s.system, counts.map(|count| count.to_string()))
        });
        table(f, &header, &rows.collect::<Vec<_>>())?;
        match self.comparisons {
            0 => Ok(()),
            _ => writeln!(f, "A comparison counts for both of its systems."),
        }
    }

    fn comparisons(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(winner) = &self.winner else {
            return Ok(());
        };
        writeln!(f)?;
        if let Some([loss, tie, win]) = self.labels.percent() {
            let shares = [loss, tie, win].map(|percent| percent / 100.0);
            let shares = layout::percentages(&shares);
            writeln!(
                f,
                "outcomes for the system named first: win {}, tie {}, loss {}",
                shares[2], shares[1], shares[0]
            )?;
        }
        let among = match winner.compared < self.systems.len() {
            true => format!(" of the {} systems that were compared", winner.compared),
            false => String::new(),
        };
        let counts = self.pairs.iter().map(|pair| pair.comparisons);
        let mut counts: Vec<u64> = counts.filter(|&count| count > 0).collect();
        counts.sort_unstable();
        let pairs = pairs_of(winner.compared as u64) as usize;
        let never = pairs - counts.len();
        // In the order of their counts, those without any first.
        let at = |place: usize| place.checked_sub(never).map_or(0, |place| counts[place]);
        if pairs > 0 {
            let (min, median, max) = (at(0), at(pairs / 2), at(pairs - 1));
            writeln!(
                f,
                "comparisons per pair{among}: {min} to {max} (median {median})"
            )?;
        }
        let never = &winner.pairs_without_comparisons;
        if !never.is_empty() {
            let names = never
                .iter()
                .take(LISTED)
                .map(|[a, b]| format!("{a} and {b}"));
            let names: Vec<String> = names.collect();
            let more = if never.len() > LISTED { ", …" } else { "" };
            writeln!(
                f,
                "never compared: {} pairs ({}{more})",
                winner.never_compared,
                names.join(", ")
            )?;
        }
        if self.comparisons_without_output > 0 {
            let count = self.comparisons_without_output;
            writeln!(f, "comparisons without outputs: {count}")?;
        }
        // The name would read like a result, which only a test can give.
        let some = if winner.condorcet { "one" } else { "no" };
        writeln!(
            f,
            "{some} system won more than half of its comparisons with each other one{among}; `tiebreak rank` tests that"
        )
    }

    fn annotators(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.annotators.is_empty() {
            return Ok(());
        }
        let mut busiest: Vec<_> = self.annotators.iter().collect();
        busiest.sort_by_key(|a| std::cmp::Reverse(a.comparisons + a.judgments));
        let rows = busiest.iter().take(LISTED).map(|a| {
            let name = a.annotator.as_deref().unwrap_or("(unknown)");
            row(
                name,
                [a.comparisons, a.judgments].map(|count| count.to_string()),
            )
        });
        table(
            f,
            &["annotator", "comparisons", "judgments"],
            &rows.collect::<Vec<_>>(),
        )?;
        match busiest.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => writeln!(f, "  and {more} more"),
        }
    }

    fn criteria(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.criteria.is_empty() {
            return Ok(());
        }
        if self.judgments_without_output > 0 {
            let count = self.judgments_without_output;
            writeln!(f, "\njudgments without outputs: {count}")?;
        }
        let column = |number: fn(&CriterionSummary) -> f64| {
            let numbers = self.criteria.iter().map(|one| Some(number(one)));
            layout::column(&numbers.collect::<Vec<_>>())
        };
        let columns = [
            column(|one| one.min),
            column(|one| one.mean),
            column(|one| one.max),
        ];
        let rows = self.criteria.iter().enumerate().map(|(at, one)| {
            let [min, mean, max] = columns.each_ref().map(|column| column[at].clone());
            row(&one.criterion, [one.judgments.to_string(), min, mean, max])
        });
        table(
            f,
            &["criterion", "judgments", "min", "mean", "max"],
            &rows.collect::<Vec<_>>(),
        )
    }
}

fn row<const N: usize>(name: &str, cells: [String; N]) -> Vec<String> {
    std::iter::once(name.to_string()).chain(cells).collect()
}

/// Writes a blank line and a table; nothing where there are no rows.
fn table(f: &mut fmt::Formatter<'_>, header: &[&str], rows: &[Vec<String>]) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    write!(f, "\n{}", layout::table(header, rows))
}
