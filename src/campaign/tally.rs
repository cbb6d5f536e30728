//! Counts of a campaign's questions, all made in one pass: each pass over a hundred thousand of them waits for memory.

use super::status::{Questions, QuestionsOfAnnotator};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::duel::DuelId;
use tiebreak_decide::feedback::dealing::AnnotatorAssignment;
use tiebreak_stages::journal::{Journal, PosedQuestion};

/// Numbers of questions by annotator; `None` for one without a name.
type CountsByName<'a> = BTreeMap<Option<&'a str>, u64>;

/// Counts of a campaign's questions.
#[derive(Debug, Default)]
pub(super) struct Tally<'a> {
    /// The questions by their state; those of annotators who are not listed any more are lost.
    pub(super) questions: Questions,
    /// The answers that are evidence.
    pub(super) evidence: u64,
    /// The answers to questions that were posed before the present list of annotators.
    pub(super) earlier: u64,
    /// The answers under each name.
    pub(super) answered: CountsByName<'a>,
    skipped: CountsByName<'a>,
    skipped_of_list: CountsByName<'a>,
    left: CountsByName<'a>,
}

impl<'a> Tally<'a> {
    /// Counts the questions of a journal that were dealt like this.
    pub(super) fn new(journal: &'a Journal, dealing: &'a AnnotatorAssignment) -> Self {
        let is_evidence = is_evidence(journal);
        let mut tally = Self::default();
        for (place, posed) in journal.posed().enumerate() {
            let is_of_list = place >= journal.asked_earlier();
            let is_listed = dealing.is_listed(posed.question.sample.person);
            tally.questions.asked += 1;
            if !is_listed {
                let name = dealing.name(posed.question.sample.person);
                *tally.left.entry(name).or_default() += 1;
            }
            match (&posed.given, is_listed) {
                (None, true) => tally.questions.open += 1,
                (None, false) => tally.questions.lost += 1,
                (Some(given), _) if given.is_answer() => {
                    let is_evidence = is_of_list && is_evidence(posed);
                    tally.count_answer(posed, [is_of_list, is_evidence]);
                }
                (Some(_), _) => tally.count_skip(posed, dealing, is_of_list),
            }
            tally.count_seconds(posed, dealing);
        }
        tally
    }

    fn count_answer(&mut self, posed: &'a PosedQuestion, [is_of_list, is_evidence]: [bool; 2]) {
        self.questions.answered += 1;
        self.earlier += u64::from(!is_of_list);
        self.evidence += u64::from(is_evidence);
        *self.answered.entry(name_given(posed)).or_default() += 1;
    }

    /// Counts a skip; whoever read a sheet that was not theirs is the one who skipped.
    fn count_skip(
        &mut self,
        posed: &'a PosedQuestion,
        dealing: &'a AnnotatorAssignment,
        is_of_list: bool,
    ) {
        let dealt_to = || dealing.name(posed.question.sample.person);
        let name = name_given(posed).or_else(dealt_to);
        self.questions.skipped += 1;
        *self.skipped.entry(name).or_default() += 1;
        if is_of_list {
            *self.skipped_of_list.entry(name).or_default() += 1;
        }
    }

    fn count_seconds(&mut self, posed: &PosedQuestion, dealing: &AnnotatorAssignment) {
        for second in &posed.seconds {
            match &second.given {
                Some(given) if given.is_answer() => self.questions.second += 1,
                Some(_) => self.questions.second_skipped += 1,
                None if dealing.is_listed(second.person) => self.questions.second_open += 1,
                None => {}
            }
        }
    }

    /// The questions that each annotator skipped, most first.
    pub(super) fn skipped(&self) -> Vec<QuestionsOfAnnotator> {
        by_annotator(&self.skipped)
    }

    /// Those among them that were posed to the present list of annotators.
    pub(super) fn skipped_of_list(&self) -> Vec<QuestionsOfAnnotator> {
        by_annotator(&self.skipped_of_list)
    }

    /// The questions dealt to annotators who are not listed any more, answered or not, most first.
    pub(super) fn left(&self) -> Vec<QuestionsOfAnnotator> {
        by_annotator(&self.left)
    }
}

/// The number of answers that are evidence.
pub(super) fn evidence(journal: &Journal) -> u64 {
    let is_evidence = is_evidence(journal);
    let of_list = journal.posed_to_list().filter(|posed| posed.is_settled());
    of_list.filter(|posed| is_evidence(posed)).count() as u64
}

/// Whether an answer to a question that was posed to the present list of annotators is evidence: one of them, to whom it
/// was dealt, gave it, and cannot take it back any more.
fn is_evidence(journal: &Journal) -> impl Fn(&PosedQuestion) -> bool {
    let held: BTreeSet<DuelId> = journal
        .held_questions()
        .filter(|put| put.second.is_none())
        .map(|put| put.id)
        .collect();
    let everybody = journal.everybody();
    move |posed| {
        let asked = everybody.get(posed.question.sample.person as usize);
        let by = name_given(posed);
        let is_own = journal.list().is_empty() || by.is_none() || by == asked.map(String::as_str);
        is_own && !held.contains(&posed.question.duel.id)
    }
}

/// The name under which a question came back.
fn name_given(posed: &PosedQuestion) -> Option<&str> {
    posed.given.as_ref()?.annotator.as_deref()
}

fn by_annotator(counts: &CountsByName<'_>) -> Vec<QuestionsOfAnnotator> {
    let all = counts
        .iter()
        .map(|(annotator, &questions)| QuestionsOfAnnotator {
            annotator: annotator.map(str::to_string),
            questions,
        });
    let mut all: Vec<QuestionsOfAnnotator> = all.collect();
    all.sort_by_key(|one| Reverse(one.questions));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::{Arm, Duel, Outcome, Pair};
    use tiebreak_base::rng::{Rng, Seed};
    use tiebreak_base::signature::Signature;
    use tiebreak_decide::feedback::dealing::People;
    use tiebreak_decide::feedback::{PairQuestion, Sample};
    use tiebreak_stages::journal::{Assignment, DealtQuestion, Response};

    const NAMES: [&str; 3] = ["ana", "ben", "cy"];

    /// A pass for each count.
    struct SlowTally<'a>(&'a Journal, &'a AnnotatorAssignment);

    impl SlowTally<'_> {
        fn count(&self, what: impl Fn(&PosedQuestion) -> bool) -> u64 {
            self.0.posed().filter(|posed| what(posed)).count() as u64
        }

        fn seconds(&self, what: impl Fn(Option<bool>, u32) -> bool) -> u64 {
            let seconds = self.0.posed().flat_map(|posed| &posed.seconds);
            let answered = |given: &Response| given.is_answer();
            let counted = seconds.filter(|one| what(one.given.as_ref().map(answered), one.person));
            counted.count() as u64
        }

        fn questions(&self) -> Questions {
            let is_listed = |posed: &PosedQuestion| self.1.is_listed(posed.question.sample.person);
            Questions {
                asked: self.count(|_| true),
                answered: self.count(PosedQuestion::is_settled),
                skipped: self.count(|posed| !posed.is_open() && !posed.is_settled()),
                open: self.count(|posed| posed.is_open() && is_listed(posed)),
                lost: self.count(|posed| posed.is_open() && !is_listed(posed)),
                second: self.seconds(|given, _| given == Some(true)),
                second_skipped: self.seconds(|given, _| given == Some(false)),
                second_open: self
                    .seconds(|given, person| given.is_none() && self.1.is_listed(person)),
            }
        }

        fn evidence(&self) -> u64 {
            let of_list = self.0.posed_to_list().filter(|posed| posed.is_settled());
            let is_held = |id| {
                self.0
                    .held_questions()
                    .any(|put| put == Assignment::dealt(id))
            };
            let is_own = |posed: &&PosedQuestion| {
                let person = posed.question.sample.person as usize;
                let by = name_given(posed);
                by.is_none_or(|by| {
                    self.0.list().is_empty()
                        || self.0.everybody().get(person).is_some_and(|one| one == by)
                })
            };
            let own = of_list.filter(is_own);
            own.filter(|posed| !is_held(posed.question.duel.id)).count() as u64
        }

        fn agrees(&self) {
            let Self(journal, dealing) = self;
            let tally = Tally::new(journal, dealing);
            assert_eq!(tally.questions, self.questions());
            assert_eq!([tally.evidence, evidence(journal)], [self.evidence(); 2]);
            let of_list = journal.posed_to_list().filter(|posed| posed.is_settled());
            assert_eq!(
                tally.earlier,
                tally.questions.answered - of_list.count() as u64
            );
            for (name, number) in &tally.answered {
                let is_theirs = |posed: &PosedQuestion| name_given(posed) == *name;
                assert_eq!(
                    *number,
                    self.count(|one| one.is_settled() && is_theirs(one))
                );
            }
            let sum = |all: Vec<QuestionsOfAnnotator>| all.iter().map(|one| one.questions).sum();
            let skipped = |posed: &&PosedQuestion| !posed.is_open() && !posed.is_settled();
            let of_list = journal.posed_to_list().filter(skipped).count();
            let is_left = |one: &PosedQuestion| !dealing.is_listed(one.question.sample.person);
            let sums: [u64; 3] = [tally.skipped(), tally.skipped_of_list(), tally.left()].map(sum);
            let expected = [tally.questions.skipped, of_list as u64, self.count(is_left)];
            assert_eq!(sums, expected);
            let open = journal.posed().flat_map(PosedQuestion::puts);
            let open = open.filter(|(_, given)| given.is_none()).count();
            assert_eq!(journal.open_count(), open);
        }
    }

    fn question(id: u64, rng: &mut Rng) -> DealtQuestion {
        let duel = Duel {
            id: DuelId(id),
            pair: Pair::new(Arm(0), Arm(1)),
            bet: 0.0,
        };
        let person = rng.below(NAMES.len()) as u32;
        let sample = Sample {
            person,
            ..Sample::item(0)
        };
        let others = (0..NAMES.len() as u32).filter(|&other| other != person);
        DealtQuestion {
            question: PairQuestion { duel, sample },
            others: others.filter(|_| rng.bernoulli(0.3)).collect(),
        }
    }

    fn response(rng: &mut Rng) -> Response {
        Response {
            outcome: rng.bernoulli(0.7).then_some(Outcome::Win),
            annotator: rng.bernoulli(0.5).then(|| rng.choose(&NAMES).to_string()),
            ..Response::default()
        }
    }

    #[test]
    fn one_pass_counts_what_a_pass_for_each_count_does() {
        let folder = tempfile::tempdir().unwrap();
        for people in [People::One, People::Listed] {
            let mut rng = Seed(3).stream("tally", people as u64);
            let path = folder.path().join(format!("{people:?}.jsonl"));
            let mut journal = Journal::open(&path, &Signature::new("run")).unwrap();
            let mut dealing = AnnotatorAssignment::new(people);
            for step in 0..200 {
                if people == People::Listed && step % 50 == 0 {
                    let list = &NAMES[..[3, 1, 2][rng.below(3)]];
                    let list: Vec<String> = list.iter().map(ToString::to_string).collect();
                    journal.relist(&list).unwrap();
                    dealing.relist(&list);
                }
                journal.pose(&[question(2 * step, &mut rng)], None).unwrap();
                let open: Vec<Assignment> = (0..3)
                    .flat_map(|person| journal.open_of(person).copied())
                    .collect();
                let given = (*rng.choose(&open), response(&mut rng));
                journal.answer(&[given], rng.bernoulli(0.5)).unwrap();
                if rng.bernoulli(0.2) {
                    journal.undo(rng.below(3) as u32).unwrap();
                }
                SlowTally(&journal, &dealing).agrees();
            }
        }
    }
}
