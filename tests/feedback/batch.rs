//! Many questions at once, answered late, in any order, or never.

use crate::bandits::all_variants;
use crate::support::forget_length;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tiebreak::bandits::BuildDueling;
use tiebreak::duel::{Arm, DuelId, Outcome, Outlook, Pair};
use tiebreak::error::Result;
use tiebreak::evaluation::active::{Limits, RunTrace, Setup, Stop};
use tiebreak::evaluation::known::PriorKnowledge;
use tiebreak::feedback::dealing::People;
use tiebreak::feedback::texts::{ComparisonTexts, IdenticalTexts, Texts};
use tiebreak::feedback::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak::journal::batch::{AskPolicy, BatchFeedback};
use tiebreak::journal::{Assignment, Journal, JournalledFeedback, Response};
use tiebreak::registry::{Entry, Params};
use tiebreak::rng::{Rng, Seed};
use tiebreak::signature::Signature;

/// Forty items; the outputs of arms 1 and 2 are the same on one in five.
struct Library {
    items: Vec<u32>,
}

impl Library {
    fn new() -> Self {
        let items = (0..40).collect();
        Self { items }
    }
}

impl Texts for Library {
    fn items(&self, _: Pair) -> &[u32] {
        &self.items
    }

    fn texts(&self, item: u32, pair: Pair) -> Result<ComparisonTexts<'_>> {
        let same = item.is_multiple_of(5) && [1, 2].contains(&pair.first.0);
        let text = |arm: Arm| ["zero", "one", "two", "three"][arm.index()];
        let second = match same && [1, 2].contains(&pair.second.0) {
            true => pair.first,
            false => pair.second,
        };
        Ok(ComparisonTexts {
            source: None,
            references: &[],
            first: text(pair.first),
            second: text(second),
        })
    }

    fn names(&self, pair: Pair) -> String {
        format!("{pair:?}")
    }
}

/// The lower arm wins four times in five.
fn truth(question: PairQuestion) -> Outcome {
    let Pair { first, second } = question.duel.pair;
    let upset = (question.sample.item + u32::from(first.0 + second.0)).is_multiple_of(5);
    match (first < second) != upset {
        true => Outcome::Win,
        false => Outcome::Loss,
    }
}

/// A person who answers at once.
struct Person<'a>(&'a Library);

impl FeedbackSource for Person<'_> {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.0.draw(pair, rng)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        Ok(Reply::Answer(DuelAnswer::human(question, truth(question))))
    }
}

struct Live<'a> {
    setup: Setup,
    library: Library,
    journal: &'a Path,
}

impl<'a> Live<'a> {
    fn new(
        entry: &'static Entry<BuildDueling>,
        params: &Params,
        budget: u64,
        journal: &'a Path,
    ) -> Self {
        let arms = Arm::all(4).collect();
        let setup = Setup::new(
            entry,
            params.clone(),
            arms,
            Limits::new(budget, None),
            Seed(5),
        );
        let known = PriorKnowledge {
            confidence: Some(0.95),
            ..PriorKnowledge::default()
        };
        Self {
            setup: setup.unwrap().with(known).unwrap(),
            library: Library::new(),
            journal,
        }
    }

    fn open(&self) -> Journal {
        Journal::open(self.journal, &Signature::new("live")).unwrap()
    }

    /// Replays the journal and poses so many new questions.
    fn ask(&self, new: usize) -> (RunTrace, Outlook, Vec<PairQuestion>) {
        let mut batch = BatchFeedback::new(
            &self.library,
            self.open(),
            AskPolicy::singly(People::One),
            new,
        );
        let mut people = IdenticalTexts::new(&self.library, &mut batch);
        let (trace, outlook) = self.setup.follow(0, &mut people, &mut |_| {}).unwrap();
        let (mut journal, _, drawn) = batch.finish().unwrap();
        journal.pose(&drawn, None).unwrap();
        let drawn = drawn.into_iter().map(|dealt| dealt.question).collect();
        (trace, outlook, drawn)
    }

    fn tell(&self, questions: &[PairQuestion]) {
        let given = |&question: &PairQuestion| {
            let outcome = Some(truth(question));
            (
                Assignment::dealt(question.duel.id),
                Response {
                    outcome,
                    ..Response::default()
                },
            )
        };
        self.open()
            .answer(&questions.iter().map(given).collect::<Vec<_>>(), false)
            .unwrap();
    }
}

#[test]
fn every_bandit_works_in_batches_and_a_replay_is_the_run() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (entry, params)) in all_variants().into_iter().enumerate() {
        let path = folder.path().join(number.to_string());
        let live = Live::new(entry, &params, 400, &path);
        let mut rng = Seed(9).stream("test", number as u64);
        let mut open: BTreeMap<DuelId, PairQuestion> = BTreeMap::new();
        let mut asked = 0;
        loop {
            let (trace, _, drawn) = live.ask(40);
            asked += drawn.len() as u64;
            for question in drawn {
                let twice = open.insert(question.duel.id, question);
                assert_eq!(twice, None, "{} {params}: redrawn", entry.name);
            }
            if trace.stop != Stop::Ended {
                assert_eq!(trace.annotations, asked, "{} {params}", entry.name);
                break;
            }
            // Some now, in any order, the others another time.
            let mut now: Vec<PairQuestion> = open.values().copied().collect();
            rng.shuffle(&mut now);
            now.truncate(25);
            for question in &now {
                open.remove(&question.duel.id);
            }
            live.tell(&now);
            let (again, outlook, none) = live.ask(0);
            assert_eq!((&again, &outlook), (&live.ask(0).0, &live.ask(0).1));
            assert_eq!((again.annotations, none.len()), (asked, 0));
        }
        assert!(asked > 40, "{} {params}: {asked}", entry.name);
    }
}

#[test]
fn one_at_a_time_by_file_is_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (entry, params)) in all_variants().into_iter().enumerate() {
        let by_file = folder.path().join(format!("{number}-file"));
        let live = Live::new(entry, &params, 60, &by_file);
        let by_file = loop {
            let (trace, outlook, drawn) = live.ask(1);
            if drawn.is_empty() {
                break (trace, outlook);
            }
            live.tell(&drawn);
        };
        let at_terminal = folder.path().join(format!("{number}-terminal"));
        let live = Live::new(entry, &params, 60, &at_terminal);
        let mut person = JournalledFeedback::new(Person(&live.library), live.open());
        let mut people = IdenticalTexts::new(&live.library, &mut person);
        let trace = live.setup.follow(0, &mut people, &mut |_| {}).unwrap();
        assert_eq!(by_file, trace, "{} {params}", entry.name);
        let bytes = |name: &str| fs::read(folder.path().join(format!("{number}-{name}"))).unwrap();
        assert_eq!(bytes("file"), bytes("terminal"), "{} {params}", entry.name);
    }
}

#[test]
fn what_is_open_by_file_is_asked_first_at_the_terminal_and_never_redrawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (entry, params) = all_variants().into_iter().next_back().unwrap();
    let live = Live::new(entry, &params, 30, &path);
    let (_, _, drawn) = live.ask(10);
    live.tell(&drawn[4..7]);
    let mut person = JournalledFeedback::new(Person(&live.library), live.open());
    let mut people = IdenticalTexts::new(&live.library, &mut person);
    live.setup.follow(0, &mut people, &mut |_| {}).unwrap();
    drop(person);
    let journal = live.open();
    let posed: Vec<_> = journal.posed().collect();
    assert!(posed.iter().all(|posed| posed.is_settled()));
    let first: Vec<PairQuestion> = posed.iter().take(10).map(|posed| posed.question).collect();
    assert_eq!(first, drawn);
    // The journal's order says when each came in: the seven open ones before any new question.
    let text = fs::read_to_string(&path).unwrap();
    let kinds: String = text.lines().map(|line| &line[2..3]).collect();
    assert!(kinds.starts_with("jqaaaaaaaaqaqa"), "{kinds}");
}

#[test]
fn a_machine_lost_at_any_moment_loses_no_answer_and_applies_none_by_half() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    let (entry, params) = all_variants().into_iter().next_back().unwrap();
    let live = Live::new(entry, &params, 100, &whole);
    for _ in 0..3 {
        let (_, _, drawn) = live.ask(12);
        live.tell(&drawn[..10]);
    }
    let bytes = fs::read(&whole).unwrap();
    let live = Live::new(entry, &params, 100, &cut);
    for end in (0..bytes.len()).step_by(97) {
        fs::write(&cut, &bytes[..end]).unwrap();
        // A machine that is lost loses what was not yet on disk, and the length is written last.
        forget_length(&cut);
        live.ask(0);
        let settled = live
            .open()
            .posed()
            .filter(|posed| posed.is_settled())
            .count();
        assert!(settled.is_multiple_of(10), "cut at {end}: {settled}");
    }
}

/// An item has one annotator whatever the pair, who follows from the seed alone: all answers are fixed before the first.
#[test]
fn without_replacement_a_pair_meets_an_item_once_and_an_item_one_annotator() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::new();
    let way = AskPolicy {
        without_replacement: true,
        ..AskPolicy::singly(People::Listed)
    };
    let path = folder.path().join("journal");
    let mut journal = Journal::open(&path, &Signature::new("live")).unwrap();
    journal
        .relist(&["ana", "ben", "cy"].map(String::from))
        .unwrap();
    let mut batch = BatchFeedback::new(&library, journal, way, 0);
    let pair = |i, j| Pair::new(Arm(i), Arm(j));
    let mut whose: Vec<BTreeMap<u32, u32>> = Vec::new();
    for run in 0..2 {
        let mut rng = Seed(4).stream("test", run);
        for [one, other] in [[pair(0, 1), pair(1, 0)], [pair(0, 2); 2]] {
            let samples = [one, other].repeat(20).into_iter();
            let samples = samples.map(|pair| batch.draw(pair, &mut rng).unwrap());
            let samples: Vec<Sample> = samples.collect();
            let first = samples[0].item;
            assert!(samples.iter().any(|one| one.item < first) && first > 0);
            whose.push(samples.iter().map(|one| (one.item, one.person)).collect());
            let error = batch.draw(one, &mut rng).unwrap_err();
            assert!(error.to_string().contains("are drawn"), "{error}");
        }
        batch.rewind();
    }
    assert!(whose.iter().all(|one| *one == whose[0] && one.len() == 40));
    let of = |person| whose[0].values().filter(|&&one| one == person).count();
    assert!((0..3).all(|person| of(person) > 5), "{whose:?}");
}

#[test]
fn a_skipped_question_stays_unanswered_until_it_is_answered_after_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (entry, params) = all_variants().into_iter().next_back().unwrap();
    let live = Live::new(entry, &params, 100, &path);
    let (before, _, drawn) = live.ask(5);
    let skip = |question: &PairQuestion| (Assignment::dealt(question.duel.id), Response::default());
    live.open()
        .answer(&drawn.iter().map(skip).collect::<Vec<_>>(), false)
        .unwrap();
    assert!(
        live.open()
            .posed()
            .all(|posed| !posed.is_open() && !posed.is_settled())
    );
    let mut batch = BatchFeedback::new(
        &live.library,
        live.open(),
        AskPolicy::singly(People::One),
        0,
    );
    for question in &drawn {
        assert_eq!(batch.skipped().unwrap(), None);
        batch.ask(*question).unwrap();
    }
    for question in &drawn {
        assert_eq!(batch.arrived().unwrap(), None);
        assert_eq!(batch.skipped().unwrap(), Some(question.duel.id));
    }
    assert_eq!(batch.skipped().unwrap(), None);
    drop(batch);
    assert_eq!(live.ask(0).0.leaders, before.leaders);
    // Questions asked after the skips are replayed after them.
    let (_, _, later) = live.ask(3);
    assert_eq!(later.len(), 3);
    live.tell(&drawn);
    live.tell(&later);
    assert!(
        live.open()
            .posed()
            .all(tiebreak::journal::PosedQuestion::is_settled)
    );
    let again = live.open().answer(&[skip(&drawn[0])], false).unwrap_err();
    assert!(again.to_string().contains("not open"), "{again}");
}
