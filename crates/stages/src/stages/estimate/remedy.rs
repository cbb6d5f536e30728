//! Remedies for wide intervals: more items, more judgments of each, or more annotators, by what makes
//! them wide. In four studies of five that follow the numbers, they come true.

use super::rows::IntervalWidthPlan;
use tiebreak_base::layout::number;
use tiebreak_base::scope::PeopleScope;
use tiebreak_base::stats::quantiles::two_sided_t;
use tiebreak_base::words::counted;
use tiebreak_decide::estimators::{
    Analysis, DesignTerms, InferenceScope, NoDesign, Prospect, Range, StudyTarget,
};

/// The most judgments of one output that are proposed.
const MOST_REPEATS: u32 = 10;

/// The most items that are proposed, as a multiple of those judged.
const MOST_TIMES: u64 = 10;

/// A wanted width of one estimate's interval.
pub(super) struct IntervalWidthTarget<'a> {
    pub system: &'a str,
    pub criterion: &'a str,
    pub estimator: String,
    pub width: f64,
    pub range: Option<Range>,
    /// The outputs of the system in the data set.
    pub outputs: u64,
    /// Whether judgments are means of repeats, one an item.
    pub is_repeated: bool,
}

impl IntervalWidthTarget<'_> {
    /// Plans how many judgments, or annotators, the width takes.
    pub(super) fn plan(&self, found: &Analysis) -> IntervalWidthPlan {
        let judgments = found.judgments_for_width(self.width, self.range);
        let prospect = found.prospect(self.range);
        let annotators = prospect.and_then(|prospect| {
            let each = found.n as f64 / found.new_annotators?.annotators as f64;
            prospect.annotators_with(each, &self.terms(found, PeopleScope::NewAnnotators))
        });
        let these = prospect.and_then(|prospect| self.of_these(found, &prospect, judgments?));
        let of_new = prospect.zip(annotators);
        let of_new = of_new.and_then(|(prospect, enough)| self.of_new(found, &prospect, enough));
        let next: Vec<String> = these.into_iter().chain(of_new).collect();
        IntervalWidthPlan {
            system: self.system.to_string(),
            criterion: self.criterion.to_string(),
            estimator: self.estimator.clone(),
            width: self.width,
            judgments,
            annotators,
            next: (!next.is_empty()).then(|| format!("{}: {}", self.system, next.join(". "))),
        }
    }

    fn terms(&self, found: &Analysis, people: PeopleScope) -> DesignTerms {
        DesignTerms {
            wish: StudyTarget::Width(self.width),
            confidence: found.confidence,
            people,
        }
    }

    fn is_reached(&self, ends: Option<(f64, f64)>) -> bool {
        ends.is_some_and(|(lower, upper)| upper - lower <= self.width)
    }

    /// The remedy for these annotators: more items or, where there are no more, more judgments of each.
    fn of_these(&self, found: &Analysis, prospect: &Prospect, needed: u64) -> Option<String> {
        if self.is_reached(found.lower.zip(found.upper)) || needed <= found.n {
            return None;
        }
        let (width, each) = (
            number(self.width),
            found.n as f64 / found.items.max(1) as f64,
        );
        let items = (needed as f64 / each).ceil() as u64;
        // Without a table of outputs it is not known how many there are.
        if self.outputs == 0 || items <= self.outputs {
            let more = needed - found.n;
            let more = match self.is_repeated {
                true => counted(more, "more item") + " with as many repeats",
                false => format!(
                    "{}, of other items with {} each,",
                    counted(more, "more judgment"),
                    number((each * 10.0).round() / 10.0)
                ),
            };
            return Some(format!("{more} would narrow its interval to {width}"));
        }
        let lacking = items - self.outputs;
        let all = format!(
            "judging all {} is not enough for {width}",
            counted(self.outputs, "item")
        );
        if matches!(
            found.over,
            InferenceScope::OutputsAtHand | InferenceScope::TheseItems
        ) {
            // Other items say nothing of these, and what repeats of these would show is not known before they are made.
            let help =
                "Only several judgments of each output can narrow an interval for these items";
            return Some(format!("{all}. {help}"));
        }
        let more = counted(lacking, "more item");
        let all = format!("{all}. Enough would be outputs on {more}");
        let terms = self.terms(found, PeopleScope::These);
        let least = each.floor() as u32 + 1;
        let mut more = (least..=MOST_REPEATS).filter(|_| !self.is_repeated);
        let repeats = more.find(|&k| {
            let design = prospect.design(k, 1, &terms);
            design.is_ok_and(|design| design.items <= self.outputs)
        });
        Some(match (repeats, prospect.noise) {
            // The same person's second judgment of an output is no new one.
            (Some(k), _) if found.annotators.is_some_and(|people| u64::from(k) > people) => {
                format!("{all}, or {k} judgments of each output by {k} annotators")
            }
            (Some(k), _) => format!("{all}, or {k} judgments of each output"),
            (None, Some(_)) => {
                format!("{all}. More judgments of the same outputs cannot help")
            }
            (None, None) => all,
        })
    }

    /// The remedy for new annotators: more annotators, or more items by these.
    fn of_new(&self, found: &Analysis, prospect: &Prospect, enough: u64) -> Option<String> {
        let new = found.new_annotators?;
        let more = enough
            .checked_sub(new.annotators)
            .filter(|&more| more > 0)?;
        if self.is_reached(Some((new.lower, new.upper))) {
            return None;
        }
        let (people, width) = (new.annotators, number(self.width));
        let more = counted(more, "more annotator");
        let terms = self.terms(found, PeopleScope::NewAnnotators);
        Some(match prospect.design(1, people, &terms) {
            Ok(design) if design.items <= MOST_TIMES * found.items => format!(
                "For new annotators: {} judged by these {people}, or {more}, would narrow it to {width}",
                counted(design.items.saturating_sub(found.items), "more item")
            ),
            Err(NoDesign::TooFewAnnotators) => {
                let t = two_sided_t(found.confidence, people - 1)?;
                let floor = 2.0 * t * (new.tastes / people as f64).sqrt();
                format!(
                    "For new annotators: {more} would narrow it to {width}. More judgments by these {people} \
                     cannot: they reach {} at best",
                    number(floor)
                )
            }
            _ => format!("For new annotators: {more} would narrow it to {width}"),
        })
    }
}
