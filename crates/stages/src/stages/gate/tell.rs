//! A gate as people read it: the decision first, then what it rests on.

use super::BLIND;
use super::rows::{GateReport, GateRow, SliceTest};
use crate::report::chapter::{
    Chapter, ChapterSection, MeasureStandings, ReportAnswer, ReportField, Topic, field,
};
use crate::report::document::{DocumentTable, DocumentedResult, ResultDocument};
use crate::report::headline::Headline;
use crate::stages::slices::TOO_FEW_ITEMS;
use std::path::Path;
use tiebreak_base::error::{Flag, Result};
use tiebreak_base::layout::{number, or_dash, p_value, percent, share, signed};
use tiebreak_base::words::{counted, interval_in, listed};
use tiebreak_data::tables::{Manifest, Meta, json};
use tiebreak_decide::evaluation::gate::{GateDecision, GateVerdict, Requirement};

/// The gates of one run, by name.
struct Gates(Vec<(String, GateReport)>);

/// Reads the gates of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    let all = run.read_each(dir, &[super::NAME], |path, _| {
        json::read(&path.join(super::FILE))
    })?;
    Ok(Box::new(Gates(all)))
}

/// A difference as the tables have it.
fn four(difference: f64) -> String {
    signed(difference, 4)
}

/// The new system, the criterion, and why slices have no interval.
type SilentSlices<'a> = (&'a str, &'a str, &'a str);

/// The most slices that a sentence names.
const MOST_NAMED: usize = 5;

/// The title of a section.
const TITLE: &str = "Whether the new system is good enough";

impl Chapter for Gates {
    fn topic(&self) -> Topic {
        Topic::Best
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        Ok(vec![field("gates", &self.0)?])
    }

    fn sections(&self, _: &[MeasureStandings]) -> Vec<ChapterSection> {
        let each = self.0.iter().map(|(name, found)| {
            let heading = ResultDocument::default().heading(3, name);
            heading
                .append(document(found))
                .under(format!("{TITLE}: {name}"))
        });
        vec![ChapterSection::new("gates", TITLE, each.collect())]
    }

    /// A gate is the answer where nothing says which system is best; of several the first that does not pass.
    fn caveat(&self) -> Option<Headline> {
        let failed = self.0.iter().find(|(_, found)| !found.passed);
        let (name, found) = failed.or(self.0.first())?;
        Some(Headline {
            question: ("gate", "Is the new system good enough?"),
            best: match self.0.len() {
                1 => found.verdict(),
                _ => format!("{name}: {}", found.verdict()),
            },
            sure: found.unchanged_sentence(),
            assumptions: Vec::new(),
            next: found.next(),
        })
    }

    fn answers(&self) -> Vec<ReportAnswer> {
        let answer = |(name, found): &(String, GateReport)| ReportAnswer {
            about: name.clone(),
            sentence: found.verdict(),
        };
        self.0.iter().map(answer).collect()
    }
}

/// The meta of the decision in a folder, from the decision itself.
pub(in crate::stages) fn meta(dir: &Path) -> Result<Option<Meta>> {
    let found: Option<GateReport> = json::read_if_there(&dir.join(super::FILE))?;
    Ok(found.map(|one| Meta::new("gate", one.signature, one.seed, String::new())))
}

impl DocumentedResult for GateReport {
    fn document(&self) -> ResultDocument {
        document(self)
    }
}

fn document(report: &GateReport) -> ResultDocument {
    ResultDocument::default()
        .paragraph(report.verdict())
        .append(comparisons(report))
        .list(report.explanations())
        .notes(report.all_notes())
}

impl GateReport {
    /// The decision in a sentence.
    pub fn verdict(&self) -> String {
        let outcome = match (self.decision, self.passed) {
            (GateDecision::Met, _) => "Passed",
            (GateDecision::NotMet, _) => "Failed",
            (GateDecision::Undecided, true) => "Passed, undecided",
            (GateDecision::Undecided, false) => "Undecided",
        };
        let refuted = self.required().filter(|row| row.refuted);
        let refuted: Vec<String> = refuted.map(GateRow::subject).collect();
        let verb = if refuted.len() == 1 { "is" } else { "are" };
        let names: Vec<&str> = refuted.iter().map(String::as_str).collect();
        let refuted = format!("{} {verb}", listed(&names));
        let margin = self.margin.unwrap_or_default();
        let why = match (self.require, self.decision) {
            (Requirement::NoRegression, GateDecision::Met) => {
                "nothing proves that the new system is worse".to_string()
            }
            (Requirement::NoRegression | Requirement::Better, GateDecision::NotMet) => {
                format!("{refuted} worse")
            }
            (Requirement::Better, GateDecision::Met) => "the new system is better".to_string(),
            (Requirement::Better, GateDecision::Undecided) => {
                "nothing proves that the new system is better".to_string()
            }
            (Requirement::NotWorse, GateDecision::Met) => {
                format!("the new system is not worse by {margin} or more")
            }
            (Requirement::NotWorse, GateDecision::NotMet) => {
                format!("{refuted} worse by more than {margin}")
            }
            (Requirement::NotWorse, GateDecision::Undecided) => {
                format!("it is open whether the new system is worse by {margin}")
            }
            (Requirement::Equivalent, GateDecision::Met) => {
                format!("the systems differ by less than {margin}")
            }
            (Requirement::Equivalent, GateDecision::NotMet) => {
                format!("{refuted} off by more than {margin}")
            }
            (Requirement::Equivalent, GateDecision::Undecided) => {
                format!("it is open whether the systems differ by {margin}")
            }
            (Requirement::NoRegression, GateDecision::Undecided) => {
                let mut reasons = self.required().filter_map(GateRow::open_reason);
                let other = reasons.next();
                other
                    .unwrap_or("the items are too few to show a regression")
                    .to_string()
            }
        };
        let all = if self.has_slices() {
            " over all items"
        } else {
            ""
        };
        format!("{outcome}: {why}{all}{}.", self.few_shared())
    }

    /// The next step, in a sentence or two.
    fn next(&self) -> String {
        let needed = self.required().filter_map(|row| row.needed).max();
        match (self.decision, needed) {
            (GateDecision::Met, _) => "Nothing more is needed for this decision.".to_string(),
            (GateDecision::NotMet, _) => format!(
                "Find where it is worse: `tiebreak gate` with {} COLUMN shows slices of the items.",
                Flag("by")
            ),
            (GateDecision::Undecided, Some(needed)) => format!(
                "More items decide it: {needed} if the true difference is the observed one."
            ),
            (GateDecision::Undecided, None) => {
                "More items of both systems can decide it.".to_string()
            }
        }
    }

    /// Whether there are rows of slices, about which the decision says nothing.
    fn has_slices(&self) -> bool {
        self.results.iter().any(|row| row.slice.is_some())
    }

    /// The items, where most that a system has are left out.
    fn few_shared(&self) -> String {
        let few = self
            .required()
            .filter(|row| row.only_base + row.only_new > row.n && row.open_reason().is_none());
        let fewest = few.min_by_key(|row| row.n);
        fewest.map_or_else(String::new, |row| format!(", on {}", row.items_text()))
    }

    /// What the numbers mean: what would decide it, what these items can show, and how often nothing has changed.
    pub fn explanations(&self) -> Vec<String> {
        let powers = self.required().filter_map(|row| row.power(self));
        let mut told: Vec<String> = powers.collect();
        told.push(self.unchanged_sentence());
        if self.over > 1 {
            told.push(format!(
                "{} gates share the confidence of {}. No candidate may be chosen on these items.",
                self.over,
                share(self.confidence)
            ));
        }
        told.extend(self.slice_tests());
        told
    }

    /// Whether slices differ, a sentence for each comparison.
    pub fn slice_tests(&self) -> Vec<String> {
        let sentence = |test: &SliceTest| {
            let words = match test.p {
                Some(p) if p <= self.slice_level() => format!("differ ({})", p_value(p)),
                Some(p) => format!("are not proved to differ ({})", p_value(p)),
                None => "are too few to compare".to_string(),
            };
            format!(
                "{} on {}: the slices by {} {words}.",
                test.new, test.criterion, test.by
            )
        };
        self.slices.iter().map(sentence).collect()
    }

    /// What was left out, why there is no interval, and other things to know.
    pub fn all_notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        if let (Some(_), false) = (self.margin, self.require.needs_margin()) {
            notes.push(format!(
                "The margin plays no part in `{}`: only `{}` and `{}` have one.",
                self.require,
                Requirement::NotWorse,
                Requirement::Equivalent
            ));
        }
        let mut several = self.required().filter(|_| self.required().count() > 1);
        if several.any(GateRow::is_proved_within) {
            notes.push(
                "An interval may include 0 and its difference be proved: intervals have Bonferroni's correction, verdicts \
                 Holm's, which proves more."
                    .to_string(),
            );
        }
        let judge = self.judge.iter();
        notes.extend(judge.map(|judge| {
            format!(
                "The verdicts are by {judge}: what they prove is about this judge, not about people."
            )
        }));
        let failed = self.failures.iter().filter(|one| one.count > 0);
        notes.extend(failed.map(|one| {
            format!(
                "{}: a call failed for {}, which says nothing of the system.",
                one.system,
                counted(one.count, "missing answer")
            )
        }));
        let unscored = self.failures.iter().filter(|one| one.unscored > 0);
        notes.extend(unscored.map(|one| {
            let are = if one.unscored == 1 { "is" } else { "are" };
            format!(
                "{}: {} {are} missing or no number. Means are over the others; where the system is to blame, score it 0.",
                one.system,
                counted(one.unscored, "score")
            )
        }));
        for row in &self.results {
            if let (None, true) = (&row.slice, row.only_base + row.only_new > 0) {
                notes.push(format!(
                    "{}: left out: {} of {} alone and {} of {} alone.",
                    row.criterion,
                    counted(row.only_base, "item"),
                    row.base,
                    row.only_new,
                    row.new
                ));
            }
            if let Some(repeats) = &row.repeats {
                notes.push(format!(
                    "{}: repeats of an item were averaged; variance within items {}, between items {}.",
                    row.subject(),
                    number(repeats.within),
                    number(repeats.between)
                ));
            }
            if let Some(new) = &row.new_annotators {
                notes.push(format!(
                    "{}, for new annotators: {} {}.",
                    row.subject(),
                    four(new.difference),
                    interval_in(Some(new.lower), Some(new.upper), four)
                ));
            }
            let why = row.why.iter().filter(|_| row.slice.is_none());
            notes.extend(why.map(|why| format!("{}: {why}.", row.subject())));
        }
        notes.extend(self.silent_slices());
        notes
    }

    /// Why slices have no interval, a sentence for each comparison and reason.
    fn silent_slices(&self) -> Vec<String> {
        let mut slices: Vec<(SilentSlices<'_>, Vec<&str>)> = Vec::new();
        for row in &self.results {
            let (Some(slice), Some(why)) = (&row.slice, &row.why) else {
                continue;
            };
            let of = (row.new.as_str(), row.criterion.as_str(), why.as_str());
            match slices.iter_mut().find(|(known, _)| *known == of) {
                Some((_, names)) => names.push(slice),
                None => slices.push((of, vec![slice])),
            }
        }
        let sentence = |((new, criterion, why), names): (SilentSlices<'_>, Vec<&str>)| {
            let which = match names.len() {
                ..=MOST_NAMED => names.join(", "),
                many => counted(many as u64, "slice"),
            };
            format!("{new} on {criterion} ({which}): {why}.")
        };
        slices.into_iter().map(sentence).collect()
    }

    /// The level of each test of slices, which all of them share over all gates.
    fn slice_level(&self) -> f64 {
        (1.0 - self.confidence) / (self.over * self.slices.len().max(1) as u64) as f64
    }

    fn unchanged_sentence(&self) -> String {
        let fails = share(self.unchanged.fails);
        match self.unchanged.undecided {
            None => format!("A system that has not changed fails in at most {fails} of gates."),
            Some(undecided) => {
                let rate = match self.require {
                    _ if percent(undecided) == percent(1.0) => "nearly all others".to_string(),
                    // As rarely as its errors allow, more often where the items are too few to prove anything.
                    Requirement::Better => format!("at least {}", share(undecided)),
                    _ => format!("about {}", percent(undecided)),
                };
                format!(
                    "A system that has not changed fails in at most {fails} of gates, and is undecided in {rate}."
                )
            }
        }
    }
}

impl GateRow {
    /// Why nothing can be proved, where it is not the number of items.
    fn open_reason(&self) -> Option<&str> {
        let why = self.why.as_deref().filter(|_| self.is_blind())?;
        (![BLIND, TOO_FEW_ITEMS].contains(&why)).then_some(why)
    }

    /// The new system with the criterion.
    pub fn subject(&self) -> String {
        match &self.slice {
            Some(slice) => format!("{} on {} ({slice})", self.new, self.criterion),
            None => format!("{} on {}", self.new, self.criterion),
        }
    }

    /// What is proved, in words: of verdicts that follow from another, the stronger one.
    pub fn proved(&self) -> &'static str {
        let has = |verdict| self.verdicts.contains(&verdict);
        let is_within = has(GateVerdict::Equivalent);
        match (has(GateVerdict::Better), has(GateVerdict::Worse)) {
            (true, _) if is_within => "better, by less than the margin",
            (true, _) => "better",
            (_, true) if is_within || has(GateVerdict::NotWorse) => {
                "worse, by less than the margin"
            }
            (_, true) => "worse",
            _ if is_within => "equivalent",
            _ if has(GateVerdict::NotWorse) => "not worse",
            _ => "undecided",
        }
    }

    /// Whether a difference is proved although its interval includes 0.
    fn is_proved_within(&self) -> bool {
        let mut verdicts = self.verdicts.iter();
        let differs = verdicts.any(|one| matches!(one, GateVerdict::Better | GateVerdict::Worse));
        let ends = self.lower.zip(self.upper);
        differs && ends.is_some_and(|(lower, upper)| lower <= 0.0 && upper >= 0.0)
    }

    /// The difference with its interval, in words.
    pub fn difference_text(&self) -> String {
        let difference = or_dash(self.difference, four);
        match self.lower {
            Some(_) => format!("{difference} {}", interval_in(self.lower, self.upper, four)),
            None => difference,
        }
    }

    /// What these items show, and how many would decide it where it is open.
    fn power(&self, report: &GateReport) -> Option<String> {
        // A difference of 0, where no text differs, is none to be found.
        let shown = self.detectable.filter(|&difference| difference > 0.0);
        let shown = shown.map(|difference| {
            format!(
                "with {} a true difference of {} is found in 80 % of cases",
                counted(self.n, "item"),
                number(difference)
            )
        });
        let has = |verdict: GateVerdict| self.verdicts.contains(&verdict);
        let is_decided = match report.require.needs_margin() {
            true => self.meets(report.require),
            false => has(GateVerdict::Better) || has(GateVerdict::Worse),
        };
        let is_open = report.decision != GateDecision::NotMet && !is_decided;
        let needed = self.needed.filter(|_| is_open).map(|needed| {
            format!("if the true difference is the observed one, {needed} items decide it")
        });
        let parts: Vec<String> = shown.into_iter().chain(needed).collect();
        (!parts.is_empty()).then(|| format!("{}: {}.", self.subject(), parts.join("; ")))
    }
}

fn comparisons(report: &GateReport) -> DocumentTable {
    let sliced = report.has_slices();
    let mut header = vec!["criterion", "new", "base"];
    header.extend(sliced.then_some("slice"));
    header.extend(["items", "difference", "interval", "confidence", "proved"]);
    let rows = report.results.iter().map(|row| {
        let mut cells = vec![row.criterion.clone(), row.new.clone(), row.base.clone()];
        cells.extend(sliced.then(|| row.slice.clone().unwrap_or_else(|| "all".to_string())));
        cells.extend([
            row.n.to_string(),
            or_dash(row.difference, four),
            interval_in(row.lower, row.upper, four),
            share(row.interval_confidence),
            row.proved().to_string(),
        ]);
        cells
    });
    let texts = if sliced { 4 } else { 3 };
    let caption = "Differences, the new system less the base";
    DocumentTable {
        texts,
        ..DocumentTable::new(caption, &header, rows.collect())
    }
}
