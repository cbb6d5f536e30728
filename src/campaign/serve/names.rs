//! Names of tasks in URLs and requests. A name does not reveal a check, the order of questions, or what others are
//! asked.
//!
//! A name is a digest, keyed with the admin's token, of its annotator, its identity in the journal and all that it
//! shows. So it is the same after a restart and stands for exactly what was on the screen: an answer under any other
//! name is refused, and the page asks again.

use crate::campaign::task::Content;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_stages::journal::TaskId;

/// Hexadecimal digits of a name.
const DIGITS: usize = 16;

/// The names of tasks, as far as they were requested.
pub(super) struct TaskNames {
    secret: String,
    known: BTreeMap<(u32, String), TaskId>,
    /// The people all of whose tasks were named since the campaign was opened.
    complete: BTreeSet<u32>,
}

impl TaskNames {
    pub(super) fn new(secret: &str) -> Self {
        Self {
            secret: secret.to_string(),
            known: BTreeMap::new(),
            complete: BTreeSet::new(),
        }
    }

    /// Forgets all names.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.complete.clear();
    }

    /// Names an annotator's task, which is known by that name from now on.
    pub(super) fn name(&mut self, person: u32, id: TaskId, content: &Content) -> String {
        let name = digest(&self.secret, person, id, content);
        self.known.insert((person, name.clone()), id);
        name
    }

    /// The task that an annotator knows by a name; `None` as long as it was not named.
    pub(super) fn task(&self, person: u32, name: &str) -> Option<TaskId> {
        self.known.get(&(person, name.to_string())).copied()
    }

    /// Whether all of a person's tasks from before the campaign was opened have names.
    pub(super) fn is_complete(&self, person: u32) -> bool {
        self.complete.contains(&person)
    }

    /// Notes that they all have.
    pub(super) fn complete(&mut self, person: u32) {
        self.complete.insert(person);
    }
}

fn digest(secret: &str, person: u32, id: TaskId, content: &Content) -> String {
    let mut hash = Sha256::new();
    let Content {
        source,
        passage,
        references,
        texts,
    } = content;
    let shown = [source.as_slice(), passage.as_slice(), references, texts];
    hash.update(format!("{secret} {person} {id:?}"));
    // The lengths keep two texts from reading like one.
    for list in shown {
        hash.update(format!(" {}", list.len()));
        for text in list {
            hash.update(format!(" {} ", text.len()));
            hash.update(text);
        }
    }
    let mut name = format!("{:x}", hash.finalize());
    name.truncate(DIGITS);
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::DuelId;
    use tiebreak_stages::journal::Assignment;

    #[test]
    fn a_name_stands_for_one_task_of_one_person_as_it_was_shown() {
        let content = |texts: &[&str], references: &[&str]| Content {
            source: None,
            passage: None,
            references: references.iter().map(ToString::to_string).collect(),
            texts: texts.iter().map(ToString::to_string).collect(),
        };
        let put = Assignment::dealt(DuelId(3));
        let second = Assignment {
            second: Some(1),
            ..put
        };
        let shown = content(&["a", "b"], &[]);
        let mut names = TaskNames::new("secret");
        let name = names.name(1, TaskId::Question(put), &shown);
        assert_eq!(name.len(), DIGITS);
        assert_eq!(names.task(1, &name), Some(TaskId::Question(put)));
        assert_eq!(names.task(2, &name), None);
        for (person, id, content) in [
            (2, TaskId::Question(put), content(&["a", "b"], &[])),
            (1, TaskId::Question(second), content(&["a", "b"], &[])),
            (1, TaskId::Check(3), content(&["a", "b"], &[])),
            (1, TaskId::Question(put), content(&["b", "a"], &[])),
            (1, TaskId::Question(put), content(&["b"], &["a"])),
            (1, TaskId::Question(put), content(&["a b"], &[])),
        ] {
            assert_ne!(names.name(person, id, &content), name, "{id:?}");
        }
        let other = TaskNames::new("other").name(1, TaskId::Question(put), &shown);
        assert_ne!(other, name);
    }
}
