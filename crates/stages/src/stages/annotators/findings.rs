//! Findings of the checks over all kinds of answer, and the checks that are inconclusive.

use super::gather::{CollectedAnswers, Set};
use super::rows::{AnswerKind, Finding, FindingCost, InconclusiveCheck};
use super::tell::first_names;
use super::{ALL_CHECKS, CHECKS, ONE_ANSWER, OUTLIERS};
use tiebreak_base::stats::holm;
use tiebreak_decide::annotators::QuestionAnswer;
use tiebreak_decide::annotators::checks::{
    self, AnnotatorCheckResult, Check, CheckedAnswer, FEWEST,
};
use tiebreak_decide::annotators::outliers::reach;
use tiebreak_decide::annotators::standing::AnnotatorProfile;

/// The most spreads from the median that an outlier may have to be; where it takes more, nothing is tested.
const REACH: f64 = 25.0;

/// The probability among honest annotators below which one answer throughout is mentioned, though it may be chance.
const RARE: f64 = 0.1;

/// How many spreads from the median annotator one stands out; `None` where annotators are too few for any test.
pub(super) fn outlier_reach(standings: &[AnnotatorProfile], level: f64) -> Option<f64> {
    reach(tested(standings), level).filter(|found| *found <= REACH)
}

/// The number of annotators who can be tested.
fn tested(standings: &[AnnotatorProfile]) -> usize {
    let tested = standings.iter().filter(|one| one.is_tested());
    tested.count()
}

/// Questions, and the unit of each.
type UnitQuestions<'a> = (&'a [Vec<QuestionAnswer>], &'a [usize]);

/// The results of all checks of one kind of answer.
#[derive(Default)]
pub(super) struct AnswerCheckResults {
    tested: Vec<AnnotatorCheckResult>,
    not_known: Vec<InconclusiveCheck>,
}

impl AnswerCheckResults {
    /// Makes every test that the answers allow.
    pub(super) fn new(
        set: &Set,
        rows: &[&[CheckedAnswer]],
        names: &[String],
        questions: UnitQuestions<'_>,
        standings: &[AnnotatorProfile],
        level: f64,
    ) -> Self {
        let mut checked = Self::default();
        checked.few(&set.asked, rows, names);
        checked.copies(&set.asked, questions);
        checked.runs(&set.asked, rows);
        checked.sides(&set.asked, rows);
        checked.speed(&set.asked, rows);
        checked.standing(set, questions, standings, level);
        checked
    }

    fn cannot(&mut self, asked: &AnswerKind, check: &str, why: impl Into<String>) {
        self.not_known.push(InconclusiveCheck {
            asked: asked.clone(),
            check: check.to_string(),
            why: why.into(),
        });
    }

    /// Says whose answers are too few for any test.
    fn few(&mut self, asked: &AnswerKind, rows: &[&[CheckedAnswer]], names: &[String]) {
        let few = rows.iter().zip(names);
        let few = few.filter(|(rows, _)| !rows.is_empty() && CheckedAnswer::units(rows) < FEWEST);
        let few: Vec<String> = few.map(|(_, name)| name.clone()).collect();
        if !few.is_empty() {
            let why = format!(
                "{} answered about fewer than {FEWEST} items",
                first_names(&few)
            );
            self.cannot(asked, ALL_CHECKS, why);
        }
    }

    fn copies(&mut self, asked: &AnswerKind, (questions, units): UnitQuestions<'_>) {
        let tested = checks::copies::copies(questions, units);
        let name = Check::Copies.name();
        if tested.is_empty() {
            let why = format!("no two annotators answered questions of the same {FEWEST} items");
            self.cannot(asked, name, why);
        } else if tested.len() > 2 && tested.iter().all(|one| one.found == one.of) {
            self.cannot(asked, name, "all annotators gave the same answers");
        }
        self.tested.extend(tested);
    }

    /// Tests for runs of one answer, unless most annotators have long ones: then the rows are sorted.
    fn runs(&mut self, asked: &AnswerKind, rows: &[&[CheckedAnswer]]) {
        let tested = checks::runs::runs(rows);
        let has_many = |rows: &&&[CheckedAnswer]| CheckedAnswer::have_many_values(rows);
        if rows.iter().any(|rows| has_many(&rows)) {
            let why = format!(
                "some gave more than {} different answers",
                CheckedAnswer::MOST_VALUES
            );
            self.cannot(asked, Check::Runs.name(), why);
        }
        let enough = rows
            .iter()
            .filter(|rows| CheckedAnswer::units(rows) >= FEWEST);
        let enough = enough.filter(|rows| !has_many(rows));
        let sorted = enough.count() - tested.len();
        let long = tested.iter().filter(|one| one.p < CHECKS).count();
        if 2 * (sorted + long) > sorted + tested.len() {
            let why = "the rows look sorted, not in the order of answering";
            self.cannot(asked, Check::Runs.name(), why);
            return;
        }
        self.tested.extend(tested);
    }

    fn sides(&mut self, asked: &AnswerKind, rows: &[&[CheckedAnswer]]) {
        if asked.criterion.is_some() {
            return;
        }
        if !checks::sides::can_be_told(rows) {
            let why =
                "every pair of systems is always named in the same order, so a side is a system";
            self.cannot(asked, Check::Side.name(), why);
        }
        self.tested.extend(checks::sides::sides(rows));
    }

    /// Tests for speed, unless most annotators are too fast and their clock is the likelier reason.
    fn speed(&mut self, asked: &AnswerKind, rows: &[&[CheckedAnswer]]) {
        if rows
            .iter()
            .all(|rows| rows.iter().all(|row| row.seconds.is_none()))
        {
            self.cannot(
                asked,
                Check::Speed.name(),
                "no answer says how long it took",
            );
        }
        let tested = checks::speed::speed(rows);
        let fast = tested.iter().filter(|one| 2 * one.found > one.of);
        let fast: Vec<&AnnotatorCheckResult> = fast.collect();
        let batched = fast.iter().filter(|one| {
            let rows = rows[one.annotator];
            CheckedAnswer::are_batched(rows)
        });
        if 2 * fast.len() > tested.len() && 2 * batched.count() > fast.len() {
            let why = "most times are too short for reading and look like those of batches or of a coarse clock";
            self.cannot(asked, Check::Speed.name(), why);
            return;
        }
        self.tested.extend(tested);
    }

    /// Tests who agrees little with the rest, and says where annotators are too few for outliers.
    fn standing(
        &mut self,
        set: &Set,
        (questions, units): UnitQuestions<'_>,
        standings: &[AnnotatorProfile],
        level: f64,
    ) {
        let annotators = standings.len();
        let agreement = || checks::agreement::agreement(questions, units, annotators);
        if outlier_reach(standings, level).is_some() {
            self.tested.extend(agreement());
            return;
        }
        let answering = standings.iter().filter(|one| one.answers > 0).count();
        let why = match tested(standings) {
            0 => "no annotator shares enough questions with others".to_string(),
            1 => "only one annotator shares enough questions with others".to_string(),
            n if n < answering => {
                format!("only {n} of {answering} annotators share enough questions with others")
            }
            n => format!("{n} annotators are too few to know how much annotators differ"),
        };
        self.cannot(&set.asked, OUTLIERS, why);
        let faithful = |one: &AnnotatorCheckResult| one.check == Check::Copies && one.p < CHECKS;
        if self.tested.iter().any(faithful) {
            let why = "copied answers agree more than others can";
            self.cannot(&set.asked, Check::Agreement.name(), why);
            return;
        }
        self.tested.extend(agreement());
    }
}

/// Returns the findings left by one Holm correction of all tests, and the inconclusive checks, by kind of answer.
pub(super) fn findings(
    gathered: &CollectedAnswers,
    checked: Vec<AnswerCheckResults>,
) -> (Vec<Finding>, Vec<InconclusiveCheck>) {
    let all = checked.iter().flat_map(|one| &one.tested);
    let p_values: Vec<f64> = all.map(|one| one.p).collect();
    let mut rejected = holm::rejected(&p_values, CHECKS).into_iter();
    let (mut findings, mut not_known) = (Vec::new(), Vec::new());
    for (set, mut checked) in gathered.sets.iter().zip(checked) {
        let name = |annotator: usize| gathered.names[annotator].clone();
        let answers = AnswerCounts::new(set, gathered.names.len());
        let (found, others): (Vec<_>, Vec<_>) = checked
            .tested
            .iter()
            .zip(rejected.by_ref())
            .partition(|(_, is_found)| *is_found);
        for (one, _) in &found {
            findings.push(Finding {
                check: one.check.name().to_string(),
                annotator: name(one.annotator),
                other: one.other.map(name),
                asked: set.asked.clone(),
                found: one.found,
                of: one.of,
                expected: one.expected,
                p_value: one.p,
                cost: answers.without(one),
            });
        }
        let is_named = |annotator| found.iter().any(|(one, _)| one.annotator == annotator);
        let constant = others
            .iter()
            .filter(|(one, _)| is_one_answer(one) && !is_named(one.annotator));
        let constant: Vec<String> = constant.map(|(one, _)| name(one.annotator)).collect();
        if !constant.is_empty() {
            let why = format!(
                "{} gave one answer throughout, and more answers would tell",
                first_names(&constant)
            );
            checked.cannot(&set.asked, ONE_ANSWER, why);
        }
        not_known.extend(checked.not_known);
    }
    (findings, not_known)
}

/// Whether somebody gave one answer throughout, as honest people rarely do where others vary.
fn is_one_answer(one: &AnnotatorCheckResult) -> bool {
    one.check == Check::Runs && one.found == one.of && one.p < RARE
}

/// The number of answers of one kind, of all and of each annotator.
struct AnswerCounts {
    all: u64,
    each: Vec<u64>,
}

impl AnswerCounts {
    fn new(set: &Set, annotators: usize) -> Self {
        let mut counts = Self {
            all: 0,
            each: vec![0; annotators],
        };
        for answer in set.answers.iter().flatten() {
            counts.all += 1;
            if let Some(annotator) = answer.annotator {
                counts.each[annotator] += 1;
            }
        }
        counts
    }

    /// What leaving out the annotator costs; of two with the same answers the one who gave fewer.
    fn without(&self, found: &AnnotatorCheckResult) -> FindingCost {
        let both = std::iter::once(found.annotator).chain(found.other);
        let answers = both.map(|one| self.each[one]).min().unwrap_or(0);
        let left = (self.all - answers) as f64;
        FindingCost {
            answers,
            share: answers as f64 / self.all as f64,
            wider: (left > 0.0).then(|| (self.all as f64 / left).sqrt()),
        }
    }
}
