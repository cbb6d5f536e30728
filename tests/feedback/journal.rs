//! A journal replayed gives the run that was killed.

use super::{Helped, Scripted};
use crate::support::{assert_contains, forget_length};
use std::fs;
use std::path::Path;
use tiebreak::bandits::BANDITS;
use tiebreak::duel::Arm;
use tiebreak::error::{Error, Result};
use tiebreak::evaluation::active::{Limits, RunTrace, Setup, Stop};
use tiebreak::feedback::delayed::DelayedFeedback;
use tiebreak::journal::{Journal, JournalledFeedback};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::Seed;
use tiebreak::signature::Signature;

fn signature() -> Signature {
    Signature::new("rank")
        .with("bandit", "rmed")
        .with("seed", 42)
}

/// The trace of a run with its journal, and how often somebody was asked.
fn play(path: &Path, patience: u64, delay: usize) -> (Result<RunTrace>, u64) {
    let rmed = find_entry("bandit", BANDITS, "rmed").unwrap();
    let limits = Limits::new(18, None);
    let arms = Arm::all(4).collect();
    let setup = Setup::new(rmed, Params::default(), arms, limits, Seed(42)).unwrap();
    let mut person = Scripted::new();
    person.patience = patience;
    let journal = Journal::open(path, &signature()).unwrap();
    let logged = journal.posed().filter(|posed| posed.is_settled()).count() as u64;
    let mut feedback =
        DelayedFeedback::new(Helped(JournalledFeedback::new(&mut person, journal)), delay);
    let trace = setup.play(0, &mut feedback);
    drop(feedback);
    let fresh = person.asked;
    (trace, fresh + logged)
}

#[test]
fn a_run_killed_in_the_middle_of_a_line_or_between_two_continues_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    for delay in [0, 3] {
        for path in [&whole, &whole.with_extension("length.json")] {
            let _ = fs::remove_file(path);
        }
        let (live, asked) = play(&whole, u64::MAX, delay);
        let live = live.unwrap();
        assert_eq!(live.annotations, 18);
        assert!(live.leaders.len() > 2, "a run without changes shows little");
        let bytes = fs::read(&whole).unwrap();
        for end in (0..bytes.len()).step_by(61).chain([bytes.len()]) {
            fs::write(&cut, &bytes[..end]).unwrap();
            // The length is written last, so a machine that is lost never has more of it.
            forget_length(&cut);
            let (continued, asked_in_all) = play(&cut, u64::MAX, delay);
            assert_eq!(continued.unwrap(), live, "cut at {end}");
            assert_eq!(fs::read(&cut).unwrap(), bytes, "cut at {end}");
            assert_eq!(asked_in_all, asked, "nobody is asked twice; cut at {end}");
        }
    }
}

#[test]
fn a_person_who_stops_is_asked_the_same_question_again() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let (live, _) = play(&whole, u64::MAX, 0);
    let (stopped, _) = play(&parts, 5, 0);
    let stopped = stopped.unwrap();
    assert_eq!(stopped.stop, Stop::Ended);
    let text = fs::read_to_string(&parts).unwrap();
    assert!(text.lines().last().unwrap().contains("question"));
    let (again, _) = play(&parts, 0, 0);
    assert_eq!(
        again.unwrap(),
        stopped,
        "an open question is not asked twice"
    );
    assert_eq!(fs::read_to_string(&parts).unwrap(), text);
    let (finished, _) = play(&parts, u64::MAX, 0);
    assert_eq!(finished.unwrap(), live.unwrap());
    assert_eq!(fs::read(&parts).unwrap(), fs::read(&whole).unwrap());
}

#[test]
fn damage_is_reported_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    play(&path, u64::MAX, 0).0.unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let open = |lines: &[&str]| {
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        Journal::open(&path, &signature()).err()
    };
    assert!(open(&lines).is_none());
    let damaged = |place: usize, line: &'static str| {
        let mut lines = lines.clone();
        lines[place] = line;
        lines
    };
    let other = r#"{"answers":[{"id":99,"outcome":1.0}]}"#;
    let logged = "not the line that was logged here";
    for (damaged, place, what) in [
        (damaged(6, "{\"question\":{\"id\""), ":7:", logged),
        (damaged(2, other), ":3:", logged),
        ([&lines[..3], &lines[1..]].concat(), ":4:", logged),
        ([&lines[..3], &lines[2..]].concat(), ":4:", logged),
        (lines[1..].to_vec(), ":1:", logged),
        (lines[..4].to_vec(), ":", "ends after line 4"),
    ] {
        let error = open(&damaged).unwrap();
        let text = error.to_string();
        assert_contains(&text, &[&format!("journal{place}"), what]);
        assert_eq!(error.exit_code(), 2);
    }
    // Without the record nobody knows whether lines are missing.
    fs::remove_file(path.with_extension("length.json")).unwrap();
    let error = open(&lines[..4]).unwrap();
    let text = error.with_its_hint();
    assert_contains(
        &text,
        &[
            "length.json: the file is missing",
            "{\"lines\":0,\"last\":\"\"}",
        ],
    );
    assert_eq!(error.exit_code(), 2);
    // Who has lost lines for good may go on with what is left.
    forget_length(&path);
    assert!(open(&lines[..4]).is_none());
    // A process may be killed before it has recorded the header.
    fs::remove_file(path.with_extension("length.json")).unwrap();
    assert!(open(&lines[..1]).is_none());
}

/// Of a journal cut anywhere either all is there that was ever logged, or it is refused.
#[test]
fn nothing_goes_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    play(&path, u64::MAX, 0).0.unwrap();
    let (bytes, length) = (
        fs::read(&path).unwrap(),
        fs::read(path.with_extension("length.json")).unwrap(),
    );
    for end in (0..bytes.len()).step_by(7) {
        fs::write(&path, &bytes[..end]).unwrap();
        fs::write(path.with_extension("length.json"), &length).unwrap();
        let error = Journal::open(&path, &signature()).unwrap_err();
        assert!(error.to_string().contains("ends after line"), "{error}");
    }
    for bit in (0..8 * bytes.len()).step_by(101) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &flipped).unwrap();
        assert!(Journal::open(&path, &signature()).is_err(), "bit {bit}");
    }
    // A torn line after all that was logged is dropped, and said.
    fs::write(&path, [&bytes[..], b"{\"answers\":[{\"id\""].concat()).unwrap();
    assert_eq!(Journal::open(&path, &signature()).unwrap().torn(), 17);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_journal_of_another_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    play(&path, 3, 0).0.unwrap();
    let other = Signature::new("rank")
        .with("bandit", "rmed")
        .with("seed", 43);
    let Err(Error::Changed { key, was, now, .. }) = Journal::open(&path, &other) else {
        panic!("a changed seed must be refused");
    };
    assert_eq!(
        (key.as_str(), was.as_str(), now.as_str()),
        ("seed", "42", "43")
    );

    // A line changed by hand.
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\"item\":", "\"item\":1", 1)).unwrap();
    let error = Journal::open(&path, &signature()).unwrap_err().to_string();
    assert_contains(&error, &["journal:2:", "not the line that was logged"]);
}

#[test]
fn two_processes_do_not_write_the_same_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let first = Journal::open(&path, &signature()).unwrap();
    let error = Journal::open(&path, &signature()).unwrap_err();
    assert!(error.to_string().contains("another tiebreak"), "{error}");
    drop(first);
    assert!(Journal::open(&path, &signature()).is_ok());
}
