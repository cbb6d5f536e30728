//! A session replayed is the session: whatever was answered, taken back, asked twice or cut off.

use crate::support::forget_length;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tiebreak::campaign::session::{
    AnswerReceipt, CampaignSession, NextAction, NoTaskReason, with_session,
};
use tiebreak::campaign::status::{Questions, Status};
use tiebreak::campaign::{
    AnnotatorRoster, CampaignStatus, KeyChanges, Notices, OpenCampaign, Overlap, PairAnswer,
    ScopeRequest,
};
use tiebreak::duel::Outcome;
use tiebreak::engine::{Context, SilentProgress};
use tiebreak::env::Env;
use tiebreak::error::Result;
use tiebreak::journal::{Assignment, Response};
use tiebreak::rng::{Rng, Seed};
use tiebreak::stages::simulate::Choices;

const SYSTEMS: usize = 3;

/// A data set of so many items in a folder.
fn data(folder: &Path, items: usize) {
    let mut outputs = String::from("item,system,output\n");
    for item in 0..items {
        for system in 0..SYSTEMS {
            outputs += &format!("i{item},s{system},text {item} {system}\n");
        }
    }
    fs::write(folder.join("outputs.csv"), outputs).unwrap();
}

fn open<T>(
    folder: &Path,
    people: &[&str],
    work: impl FnOnce(&mut CampaignSession<'_>) -> Result<T>,
) -> Result<T> {
    open_as(folder, people, &|_| Ok(()), work)
}

/// As [`open`], with other settings.
fn open_as<T>(
    folder: &Path,
    people: &[&str],
    change: &dyn Fn(&mut Choices) -> Result<()>,
    work: impl FnOnce(&mut CampaignSession<'_>) -> Result<T>,
) -> Result<T> {
    let names = people.iter().map(ToString::to_string).collect();
    let call = OpenCampaign {
        run: &folder.join("run"),
        data: Some(&folder.join("outputs.csv")),
        columns: &[],
        seed: Some(Seed(8)),
        people: Some(AnnotatorRoster::List(names)),
        anew: true,
        overlap: (people.len() > 1).then_some(Overlap {
            share: 0.5,
            people: 2,
        }),
        scope: ScopeRequest::default(),
        change: KeyChanges::Pairs(change),
    };
    let stop = AtomicBool::new(false);
    let context = Context {
        seed: Seed(8),
        env: Env::default(),
        progress: &SilentProgress,
        stop: &stop,
    };
    with_session(&context, &call, None, work)
}

const WIN: PairAnswer = PairAnswer {
    outcome: Some(Outcome::Win),
    both_bad: false,
};

fn drawn(rng: &mut Rng) -> PairAnswer {
    let outcome = match rng.below(5) {
        0 => None,
        1 => Some(Outcome::Tie),
        2 => Some(Outcome::Loss),
        _ => Some(Outcome::Win),
    };
    let both_bad = outcome == Some(Outcome::Tie) && rng.bernoulli(0.5);
    PairAnswer { outcome, both_bad }
}

/// What somebody says of a pair as it was shown to her.
fn answer(
    session: &mut CampaignSession<'_>,
    put: Assignment,
    written: PairAnswer,
) -> Result<AnswerReceipt> {
    let given = written.to_response(session.seed(), put);
    session.give(put, given)
}

/// People who come in any order, and take every fourth answer back; what each put was answered in the end.
fn evening(
    session: &mut CampaignSession<'_>,
    people: usize,
    turns: usize,
    rng: &mut Rng,
) -> Vec<(Assignment, PairAnswer)> {
    let mut said: Vec<(Assignment, PairAnswer)> = Vec::new();
    for _ in 0..turns {
        let person = rng.below(people) as u32;
        let NextAction::Task(put) = session.turn(person).unwrap() else {
            continue;
        };
        let written = drawn(rng);
        assert_eq!(answer(session, put, written).unwrap(), AnswerReceipt::New);
        assert_eq!(answer(session, put, written).unwrap(), AnswerReceipt::Known);
        if rng.bernoulli(0.25) {
            assert!(session.undo(person).unwrap());
            assert!(!session.undo(person).unwrap(), "one answer back, no more");
        } else {
            said.push((put, written));
        }
        let journal = session.journal();
        let mut open = journal.assigned(person).to_vec();
        open.retain(|&put| journal.response(put).is_none());
        assert_eq!(journal.open_of(person).copied().collect::<Vec<_>>(), open);
    }
    said
}

/// All that is said of a campaign, but for what to do next.
fn standing(session: &mut CampaignSession<'_>) -> Status {
    match session.status(Notices::default()).unwrap() {
        CampaignStatus::Pairs(status) => *status,
        CampaignStatus::Ratings(_) => unreachable!("a campaign of pairs"),
    }
}

#[test]
fn a_session_that_is_opened_again_stands_where_it_stood() {
    // Of few items much is drawn in vain, and the run is replayed on its way.
    for items in [4, 60] {
        let folder = tempfile::tempdir().unwrap();
        data(folder.path(), items);
        let people = ["ana", "ben", "cy"];
        let mut rng = Seed(3).stream("test", items as u64);
        for _ in 0..3 {
            let before = open(folder.path(), &people, |session| {
                let said = evening(session, people.len(), 40, &mut rng);
                for (put, written) in said {
                    let given = session.journal().response(put).cloned().unwrap();
                    assert_eq!(PairAnswer::unturned(&given, session.seed(), put), written);
                }
                Ok(standing(session))
            });
            let after = open(folder.path(), &people, |session| Ok(standing(session)));
            assert_eq!(before.unwrap(), after.unwrap(), "{items} items");
        }
    }
}

/// Several systems may have written a text: whoever compared it with another is not shown the two again, whoever else wrote them.
#[test]
fn nobody_sees_the_same_texts_twice_whoever_wrote_them() {
    let folder = tempfile::tempdir().unwrap();
    // On even items there are two different texts, on odd ones as many as systems.
    let wrote = |item: u32, system: usize| {
        if item.is_multiple_of(2) {
            system % 2
        } else {
            system
        }
    };
    let mut outputs = String::from("item,system,output\n");
    for item in 0..4 {
        for system in 0..SYSTEMS {
            outputs += &format!("i{item},s{system},text {item} {}\n", wrote(item, system));
        }
    }
    fs::write(folder.path().join("outputs.csv"), outputs).unwrap();
    let people = ["ana", "ben", "cy"];
    let mut rng = Seed(15).stream("test", 0);
    open(folder.path(), &people, |session| {
        let mut seen = std::collections::BTreeSet::new();
        let mut idle = 0;
        while idle < 200 {
            let person = rng.below(people.len()) as u32;
            if let NextAction::Task(put) = session.turn(person)? {
                let question = session.question(put).unwrap();
                let (item, pair) = (question.sample.item, question.duel.pair);
                let texts = [pair.first, pair.second].map(|arm| wrote(item, arm.index()));
                let texts = std::collections::BTreeSet::from(texts);
                assert_eq!(texts.len(), 2, "nobody is asked about one text");
                assert!(seen.insert((person, item, texts)), "{put:?}");
                answer(session, put, drawn(&mut rng))?;
                idle = 0;
            } else {
                session.settle(|_| true)?;
                idle += 1;
            }
        }
        let each = 2 + 2 * SYSTEMS * (SYSTEMS - 1) / 2;
        assert!(seen.len() >= 2 * each, "{} of {}", seen.len(), 3 * each);
        for person in 0..3 {
            assert!(
                matches!(session.turn(person)?, NextAction::Done(_)),
                "{person}"
            );
        }
        Ok(())
    })
    .unwrap();
    // What the journal says it stood at is what a replay makes of it.
    open(folder.path(), &people, |session| Ok(standing(session))).unwrap();
}

#[test]
fn nobody_is_asked_twice_and_who_has_answered_everything_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 4);
    let people = ["ana", "ben", "cy"];
    let mut rng = Seed(5).stream("test", 0);
    open(folder.path(), &people, |session| {
        let mut seen = std::collections::BTreeSet::new();
        let mut idle = 0;
        while idle < 200 {
            let person = rng.below(people.len()) as u32;
            match session.turn(person)? {
                NextAction::Task(put) => {
                    let question = session.question(put).unwrap();
                    let pair = question.duel.pair;
                    let pair = (pair.first.min(pair.second), pair.first.max(pair.second));
                    assert!(seen.insert((person, question.sample.item, pair)), "{put:?}");
                    answer(session, put, drawn(&mut rng))?;
                    idle = 0;
                }
                NextAction::Wait => {
                    session.settle(|_| true)?;
                    idle += 1;
                }
                NextAction::Done(_) => idle += 1,
            }
        }
        let pairs = SYSTEMS * (SYSTEMS - 1) / 2;
        assert!(
            seen.len() >= 2 * 4 * pairs,
            "{} of {}",
            seen.len(),
            3 * 4 * pairs
        );
        for person in 0..3 {
            assert!(
                matches!(session.turn(person)?, NextAction::Done(_)),
                "{person}"
            );
        }
        Ok(())
    })
    .unwrap();
}

/// A machine that is lost at any moment loses nothing that was acknowledged.
#[test]
fn a_journal_cut_anywhere_goes_on() {
    assert_goes_on_cut_every(53);
}

#[test]
#[ignore = "some ten thousand campaigns are opened"]
fn a_journal_cut_at_every_byte_goes_on() {
    assert_goes_on_cut_every(1);
}

fn assert_goes_on_cut_every(step: usize) {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 20);
    let people = ["ana", "ben"];
    let mut rng = Seed(6).stream("test", 0);
    open(folder.path(), &people, |session| {
        evening(session, people.len(), 30, &mut rng);
        session.settle(|_| true)
    })
    .unwrap();
    let journal = folder.path().join("run/journal.jsonl");
    let whole = fs::read(&journal).unwrap();
    let text = String::from_utf8(whole.clone()).unwrap();
    for kind in [
        "\"undone\"",
        "\"final\"",
        "\"second\"",
        "\"held\"",
        "\"passed\"",
        "both bad",
    ] {
        assert!(text.contains(kind), "{kind}");
    }
    for end in (0..whole.len()).step_by(step) {
        fs::write(&journal, &whole[..end]).unwrap();
        forget_length(&journal);
        open(folder.path(), &people, |session| {
            let NextAction::Task(put) = session.turn(0)? else {
                panic!("nothing to do at {end}");
            };
            assert_eq!(answer(session, put, WIN)?, AnswerReceipt::New);
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn what_is_taken_back_was_never_evidence() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 40);
    open(folder.path(), &["ana"], |session| {
        for _ in 0..10 {
            let NextAction::Task(put) = session.turn(0)? else {
                panic!("nothing to do");
            };
            answer(session, put, WIN)?;
        }
        let (lines, arrived) = (session.journal().lines(), session.journal().arrived());
        assert_eq!(arrived, 9, "the last one may be taken back");
        session.undo(0)?;
        let journal = session.journal();
        assert_eq!((journal.lines(), journal.arrived()), (lines + 1, 9));
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_decided_campaign_takes_a_last_answer_back_and_asks_for_it_again() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 200);
    let unsure = |choices: &mut Choices| {
        choices.confidence = 0.5.try_into().unwrap();
        Ok(())
    };
    let by_name = |session: &CampaignSession<'_>, put| {
        let pair = session.question(put).unwrap().duel.pair;
        let wins = pair.first < pair.second;
        let outcome = if wins { Outcome::Win } else { Outcome::Loss };
        Response {
            outcome: Some(outcome),
            ..Response::default()
        }
    };
    let last = open_as(folder.path(), &["ana"], &unsure, |session| {
        let mut last = None;
        while let NextAction::Task(put) = session.turn(0)? {
            let given = by_name(session, put);
            session.give(put, given)?;
            last = Some(put);
        }
        let last = last.unwrap();
        assert_eq!(session.turn(0)?, NextAction::Done(NoTaskReason::Over));
        assert!(session.undo(0)?);
        assert_eq!(session.turn(0)?, NextAction::Task(last));
        Ok(last)
    })
    .unwrap();
    // Whoever took it back may close the page first.
    open_as(folder.path(), &["ana"], &unsure, |session| {
        assert_eq!(session.turn(0)?, NextAction::Task(last));
        let given = by_name(session, last);
        assert_eq!(session.give(last, given)?, AnswerReceipt::New);
        assert_eq!(session.turn(0)?, NextAction::Done(NoTaskReason::Over));
        Ok(())
    })
    .unwrap();
}

/// What is skipped somebody else is asked, until everybody skipped it or somebody answered.
#[test]
fn a_skipped_question_goes_to_somebody_else_and_never_back() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 30);
    let people = ["ana", "ben", "cy"];
    let skip = PairAnswer {
        outcome: None,
        both_bad: false,
    };
    open(folder.path(), &people, |session| {
        // A question that nobody else is asked.
        let skipped = loop {
            let NextAction::Task(put) = session.turn(0)? else {
                panic!("nothing to do");
            };
            let alone = session
                .journal()
                .question(put.id)
                .unwrap()
                .seconds
                .is_empty();
            if alone {
                break put;
            }
            answer(session, put, WIN)?;
        };
        answer(session, skipped, skip)?;
        // Once it cannot be taken back any more.
        session.settle(|_| true)?;
        for others in 1..=2 {
            for person in 0..3 {
                session.turn(person)?;
            }
            let seconds = session
                .journal()
                .question(skipped.id)
                .unwrap()
                .seconds
                .clone();
            assert_eq!(seconds.len(), others);
            let person = seconds[others - 1].person;
            assert!(seconds.iter().filter(|one| one.person == person).count() == 1);
            let put = Assignment {
                id: skipped.id,
                second: Some(person),
            };
            while session.open(person) != Some(put) {
                let before = session.open(person).expect("it is hers");
                answer(session, before, WIN)?;
            }
            assert_ne!(person, session.journal().person(skipped));
            answer(session, put, skip)?;
            session.settle(|_| true)?;
        }
        for person in 0..3 {
            session.turn(person)?;
        }
        let journal = session.journal();
        assert_eq!(
            journal.question(skipped.id).unwrap().seconds.len(),
            2,
            "nobody is left"
        );
        Ok(())
    })
    .unwrap();
    // And so it is when it is opened again.
    let after = open(folder.path(), &people, |session| Ok(standing(session))).unwrap();
    let Questions {
        skipped,
        second_skipped,
        ..
    } = after.questions;
    assert_eq!((skipped, second_skipped), (1, 2), "of three annotators");
}

/// Whoever is slow holds the others up before too much counts as lost.
#[test]
fn nobody_is_asked_anything_new_while_too_much_waits_for_somebody() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 400);
    open(folder.path(), &["ana", "ben"], |session| {
        session.gather();
        let mut answered = 0;
        while let NextAction::Task(put) = session.turn(0)? {
            answer(session, put, WIN)?;
            answered += 1;
        }
        assert_eq!(session.turn(0)?, NextAction::Wait);
        let most = tiebreak::journal::batch::MOST_OPEN;
        let waiting = |session: &CampaignSession<'_>| {
            let journal = session.journal();
            let open = journal.open_of(1);
            open.filter(|put| put.second.is_none()).count()
        };
        let open = waiting(session);
        assert!(open == most, "{open} open after {answered} answers");
        let NextAction::Task(put) = session.turn(1)? else {
            panic!("nothing to do");
        };
        answer(session, put, WIN)?;
        while session.turn(0)? == NextAction::Wait {
            let put = session.open(1).expect("there is more");
            answer(session, put, WIN)?;
        }
        assert!(waiting(session) <= most);
        Ok(())
    })
    .unwrap();
}

/// When an answer came is kept, and nothing follows from it.
#[test]
fn a_clock_that_is_set_back_changes_nothing() {
    let clocks: [fn(u64) -> u64; 2] = [
        |turn| 1_700_000_000 + turn,
        |turn| 1_700_000_000 - 9999 * turn,
    ];
    let stood = clocks.map(|clock| {
        let folder = tempfile::tempdir().unwrap();
        data(folder.path(), 20);
        let people = ["ana", "ben"];
        let told = open(folder.path(), &people, |session| {
            for turn in 0..30 {
                if let NextAction::Task(put) = session.turn((turn % 2) as u32)? {
                    let given = Response {
                        at: Some(clock(turn)),
                        seconds: Some(3.5),
                        ..WIN.to_response(session.seed(), put)
                    };
                    session.give(put, given)?;
                }
            }
            session.settle(|_| true)?;
            Ok(standing(session))
        });
        let again = open(folder.path(), &people, |session| Ok(standing(session))).unwrap();
        let mut told = told.unwrap();
        assert_eq!(told, again);
        // The folder is another one.
        told.next.clear();
        told
    });
    assert_eq!(stood[0], stood[1]);
}

#[cfg(feature = "serve")]
#[test]
fn people_newly_drawn_are_not_asked_one_question_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 4);
    let run = folder.path().join("run");
    let run = run.to_str().unwrap();
    let data = folder.path().join("outputs.csv");
    let data = data.to_str().unwrap();
    let said = crate::cli::tiebreak(&["serve", run, data, "--panel"]);
    said.refused(&[
        "a panel answers on sheets, or at one open link",
        &format!("tiebreak serve {run} {data} --open 50"),
    ]);
    assert!(!folder.path().join("run").exists(), "nothing is begun");
}
