//! Tests of erasing a person from a journal.

use super::*;
use crate::journal::{DealtQuestion, OutputRating, Response, SheetRecord};
use std::path::PathBuf;
use tiebreak_base::duel::{Arm, Duel, DuelId, Outcome, Pair};
use tiebreak_base::signature::Signature;
use tiebreak_decide::feedback::Sample;

const PEOPLE: [&str; 2] = ["ana", "ben"];

/// Nothing is erased beside the journal.
#[allow(clippy::unnecessary_wraps)] // what an erasure calls
fn alone() -> Result<()> {
    Ok(())
}

fn signature() -> Signature {
    Signature::new("rank").with("seed", 42)
}

fn question(id: u64) -> PairQuestion {
    let sample = Sample::item(u32::try_from(id).unwrap());
    PairQuestion {
        duel: Duel {
            id: DuelId(id),
            pair: Pair::new(Arm(0), Arm(1)),
            bet: 0.0,
        },
        sample: Sample {
            person: u32::try_from(id % 2).unwrap(),
            ..sample
        },
    }
}

/// A journal of one question, with its folder and path.
fn with_one_question() -> (tempfile::TempDir, PathBuf, Journal) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let mut journal = Journal::open(&path, &signature()).unwrap();
    let dealt = DealtQuestion::to_one(question(0));
    journal.pose(&[dealt], None).unwrap();
    (folder, path, journal)
}

/// A journal in which ana and ben say the same beside their answers; returns its folder.
fn campaign() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(&folder.path().join("journal.jsonl"), &signature()).unwrap();
    journal.relist(&PEOPLE.map(str::to_string)).unwrap();
    let questions: Vec<DealtQuestion> = (0..6)
        .map(|id| DealtQuestion::to_one(question(id)))
        .collect();
    let sheet = SheetRecord {
        form: None,
        name: "../sheets/Ben.csv".to_string(),
        questions: (0..6).collect(),
    };
    journal.pose(&questions, Some(sheet)).unwrap();
    for id in 0..5 {
        let put = Assignment::dealt(DuelId(id));
        let given = Response {
            outcome: (id != 3).then_some(Outcome::Win),
            annotator: Some(PEOPLE[(id % 2) as usize].to_string()),
            comment: Some("ok, says Benedict".to_string()),
            reason: (id == 3).then(|| "a \"private\" matter".to_string()),
            ..Response::default()
        };
        journal.answer(&[(put, given)], true).unwrap();
        if id == 1 {
            journal.undo(1).unwrap();
        }
    }
    journal.settle(|_| true).unwrap();
    folder
}

fn text(folder: &Path) -> String {
    fs::read_to_string(folder.join("journal.jsonl")).unwrap()
}

#[test]
fn what_is_erased_is_gone_and_all_else_is_as_it_was() {
    let folder = campaign();
    let path = folder.path().join("journal.jsonl");
    let before = format!("{:?}", Journal::open(&path, &signature()).unwrap().past());
    let length = fs::read(path.with_extension("length.json")).unwrap();
    let record = Journal::about(&path, "BEN").unwrap();
    assert_eq!(record.answers.len(), 2);
    assert!(record.listed && !record.answers[0].holds && record.answers[1].holds);
    assert_eq!(record.answers[1].answer["reason"], "a \"private\" matter");
    let erased = Journal::erase(&path, "Ben ", alone).unwrap();
    assert_eq!((erased.names, erased.remarks, erased.sheets), (3, 3, 1));
    assert!(!erased.earlier);
    let left = text(folder.path());
    let pseudonym = erased.pseudonyms.into_iter().next().unwrap();
    assert!(
        left.contains(&format!("\"people\":[\"ana\",\"{pseudonym}\"]")),
        "{left}"
    );
    assert!(
        !left.to_lowercase().contains("ben.csv")
            && !left.contains("\"ben\"")
            && !left.contains("private")
    );
    assert_eq!(left.matches("ok, says Benedict").count(), 3, "ana's stay");
    assert_eq!(
        fs::read(path.with_extension("length.json")).unwrap(),
        length
    );
    let journal = Journal::open(&path, &signature()).unwrap();
    let sheet = left.split("\"sheet\":{\"name\":\"").nth(1).unwrap();
    let sheet = sheet.split('"').next().unwrap();
    // Ana's remarks stay; both are left out, to compare all else.
    let comparable = |state: &str| {
        let state = state.split("keys: NameKeys").next().unwrap();
        let state = state.replace("Some(\"ok, says Benedict\")", "None");
        let state = state.replace("Some(\"a \\\"private\\\" matter\")", "None");
        state
            .replace("\"ben\"", &format!("\"{pseudonym}\""))
            .replace("../sheets/Ben.csv", sheet)
    };
    assert!(before.contains("matter"));
    assert_eq!(
        comparable(&before),
        comparable(&format!("{:?}", journal.past()))
    );
    // Again nothing is found, and the campaign goes on under the pseudonym.
    drop(journal);
    let again = Journal::erase(&path, "ben", alone).unwrap();
    assert!(again.is_empty() && again.earlier);
    assert_eq!(text(folder.path()), left);
    let mut journal = Journal::open(&path, &signature()).unwrap();
    assert_eq!(journal.list(), ["ana".to_string(), pseudonym.clone()]);
    let given = Response {
        outcome: Some(Outcome::Loss),
        annotator: Some(pseudonym.clone()),
        comment: Some("late".to_string()),
        ..Response::default()
    };
    journal
        .answer(&[(Assignment::dealt(DuelId(5)), given)], false)
        .unwrap();
    drop(journal);
    let people = Journal::people(&path).unwrap();
    assert_eq!(
        people,
        BTreeSet::from(["ana".to_string(), pseudonym.clone()])
    );
    assert_eq!(Journal::about(&path, &pseudonym).unwrap().answers.len(), 3);
    assert_eq!(Journal::erase(&path, "ana", alone).unwrap().remarks, 3);
    assert!(!text(folder.path()).contains("ana") && !text(folder.path()).contains("Benedict"));
    Journal::open(&path, &signature()).unwrap();
}

#[test]
fn no_bit_of_a_journal_changes_unnoticed_before_or_after() {
    for erased in [false, true] {
        let folder = campaign();
        let path = folder.path().join("journal.jsonl");
        if erased {
            Journal::erase(&path, "ben", alone).unwrap();
        }
        let bytes = fs::read(&path).unwrap();
        for bit in (0..8 * bytes.len()).step_by(3) {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &flipped).unwrap();
            assert!(Journal::people(&path).is_err(), "bit {bit}");
        }
    }
}

#[test]
fn criteria_may_be_called_as_the_parts_of_a_line() {
    let (_folder, path, mut journal) = with_one_question();
    let scores = [("accuracy", 3.0), ("chain", 1.0), ("keys", 2.0)];
    let rated = OutputRating {
        scores: scores.map(|(name, score)| (name.to_string(), score)).into(),
        text: Some(",\"keys\":[\"0\"],\"chain\":\"0\"}".to_string()),
    };
    let put = Assignment::dealt(DuelId(0));
    let given = Response {
        rated: Some(rated.clone()),
        annotator: Some("ben".to_string()),
        ..Response::default()
    };
    journal.answer(&[(put, given)], false).unwrap();
    drop(journal);
    let kept = || {
        let journal = Journal::open(&path, &signature()).unwrap();
        journal.response(put).unwrap().clone()
    };
    assert_eq!(kept().rated, Some(rated.clone()));
    assert_eq!(Journal::erase(&path, "ben", alone).unwrap().names, 1);
    assert_eq!(kept().rated, Some(rated));
    assert_ne!(kept().annotator.as_deref(), Some("ben"));
}

/// A journal that was written while ana and ben both answered what was dealt to ana, and what nobody signed.
fn shared(path: &Path) {
    let mut journal = Journal::open(path, &signature()).unwrap();
    journal.relist(&PEOPLE.map(str::to_string)).unwrap();
    let dealt: Vec<DealtQuestion> = (0..4)
        .map(|id| DealtQuestion::to_one(question(id)))
        .collect();
    journal.pose(&dealt, None).unwrap();
    let mut answer = |id, name: Option<&str>, outcome, comment: &str| {
        let given = Response {
            outcome,
            annotator: name.map(str::to_string),
            comment: Some(comment.to_string()),
            ..Response::default()
        };
        let put = Assignment::dealt(DuelId(id));
        journal.answer(&[(put, given)], false).unwrap();
    };
    answer(0, Some("ben"), None, "ben skips");
    answer(0, Some("ana"), Some(Outcome::Win), "ana answers");
    // Dealt to ben; who answered is said later.
    answer(1, None, Some(Outcome::Tie), "of ana, named");
    answer(3, None, Some(Outcome::Tie), "of ben, dealt");
    let put = Assignment::dealt(DuelId(1));
    journal.name(&[put], "ana").unwrap();
}

#[test]
fn only_their_own_remarks_are_erased_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    shared(&path);
    let record = Journal::about(&path, "ben").unwrap();
    let said: Vec<&Value> = record
        .answers
        .iter()
        .map(|one| &one.answer["comment"])
        .collect();
    assert_eq!(said, ["ben skips", "of ben, dealt"]);
    assert_eq!(Journal::about(&path, "ana").unwrap().answers.len(), 2);
    assert_eq!(Journal::erase(&path, "ben", alone).unwrap().remarks, 2);
    let left = text(folder.path());
    for (remark, is_left) in [
        ("ben skips", false),
        ("ana answers", true),
        ("of ana, named", true),
        ("of ben, dealt", false),
    ] {
        assert_eq!(left.contains(remark), is_left, "{remark}");
    }
}

#[test]
fn a_pseudonym_says_nothing_without_its_key() {
    let pseudonyms: BTreeSet<String> = (0..3)
        .map(|_| {
            let folder = campaign();
            let path = folder.path().join("journal.jsonl");
            let erased = Journal::erase(&path, "ben", alone).unwrap();
            let keys = text(folder.path()).matches("\"keys\":[").count();
            assert_eq!(keys, 4, "of ana's name and remarks");
            erased.pseudonyms.into_iter().next().unwrap()
        })
        .collect();
    assert_eq!(pseudonyms.len(), 3);
}

#[test]
fn an_interrupted_erasure_leaves_the_journal_as_it_was() {
    let folder = campaign();
    let path = folder.path().join("journal.jsonl");
    let before = text(folder.path());
    let open = Journal::open(&path, &signature()).unwrap();
    let error = Journal::erase(&path, "ben", alone).unwrap_err();
    assert!(error.to_string().contains("another tiebreak is using it"));
    drop(open);
    assert_eq!(text(folder.path()), before);
}

#[test]
fn what_lies_beside_is_erased_while_nobody_can_open_the_journal() {
    let folder = campaign();
    let path = folder.path().join("journal.jsonl");
    let before = text(folder.path());
    let refused = || Err(Error::failed("not erased"));
    assert!(Journal::erase(&path, "ben", refused).is_err());
    assert_eq!(text(folder.path()), before);
    let mut is_locked = false;
    let beside = || {
        is_locked = Journal::open(&path, &signature()).is_err();
        Ok(())
    };
    Journal::erase(&path, "ben", beside).unwrap();
    assert!(is_locked);
    Journal::open(&path, &signature()).unwrap();
}

#[test]
fn every_spelling_has_a_pseudonym_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let mut journal = Journal::open(&path, &signature()).unwrap();
    journal.relist(&["Ben".to_string()]).unwrap();
    journal.relist(&["ben".to_string()]).unwrap();
    drop(journal);
    let erased = Journal::erase(&path, "BEN", alone).unwrap();
    assert_eq!(erased.pseudonyms, Journal::people(&path).unwrap());
    assert_eq!(erased.pseudonyms.len(), 2);
}

#[cfg(unix)]
#[test]
fn a_journal_behind_a_link_is_replaced_where_it_lies() {
    let folder = campaign();
    let [path, own] = ["journal.jsonl", "own.jsonl"].map(|name| folder.path().join(name));
    fs::rename(&path, &own).unwrap();
    std::os::unix::fs::symlink(&own, &path).unwrap();
    Journal::erase(&path, "ben", alone).unwrap();
    assert!(path.is_symlink() && !own.is_symlink());
    assert!(!fs::read_to_string(&own).unwrap().contains("\"ben\""));
    Journal::open(&path, &signature()).unwrap();
}

#[test]
fn the_checks_of_the_only_person_are_shown() {
    let (_folder, path, mut journal) = with_one_question();
    let given = Response {
        outcome: Some(Outcome::Win),
        ..Response::default()
    };
    let put = Assignment::dealt(DuelId(0));
    journal.answer(&[(put, given)], false).unwrap();
    let done = CheckResult {
        person: 0,
        served: 1,
        answer: "1".to_string(),
        right: true,
        training: false,
        seconds: None,
    };
    journal.check(done.clone()).unwrap();
    let shown = Journal::about(&path, SOMEBODY).unwrap();
    assert_eq!(shown.answers.len(), 1);
    assert_eq!(shown.checks, [done]);
    assert!(Journal::about(&path, "ben").unwrap().checks.is_empty());
}

#[test]
fn names_are_found_as_words() {
    for (said, times) in [
        ("Ben.csv", 1),
        ("benedict", 0),
        ("ask ben, Ben!", 2),
        ("über-ben_2", 1),
        ("", 0),
    ] {
        assert_eq!(mentions(said, "ben"), times, "{said}");
    }
    assert_eq!(mentions("all", " "), 0);
    assert_eq!(mentions("Zoe\u{308}, ZO\u{cb}", "zo\u{eb}"), 2);
    assert!(mentions_in_path("sheets/Ana-Maria.csv", "ana maria"));
    assert!(!mentions_in_path("sheets/Ana-Mariana.csv", "ana maria"));
}
