//! What tasks are called on their way: nothing in a name tells a question from a check, an early one from a late
//! one, or what anybody else is asked.
//!
//! A name is a digest of the task under the admin's token, which no annotator has.

use sha2::{Digest, Sha256};

/// Hexadecimal digits of a name.
const DIGITS: usize = 16;

/// What somebody is given to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// The question of that number among all that she was asked.
    Question(usize),
    /// The check after so many tasks.
    Check(u64),
}

/// Gives names to the tasks of a campaign.
pub(super) struct Names {
    secret: String,
}

impl Names {
    pub(super) fn new(secret: &str) -> Self {
        let secret = secret.to_string();
        Self { secret }
    }

    /// The name of somebody's task.
    pub(super) fn name(&self, person: u32, task: Task) -> String {
        let (kind, number) = match task {
            Task::Question(number) => ("question", number as u64),
            Task::Check(number) => ("check", number),
        };
        let task = format!("{} {person} {kind} {number}", self.secret);
        let mut name = format!("{:x}", Sha256::digest(task));
        name.truncate(DIGITS);
        name
    }

    /// Which task a name stands for, of so many questions and of the checks before so many tasks: the last
    /// ones first, which are the ones that are answered.
    pub(super) fn find(
        &self,
        person: u32,
        name: &str,
        questions: usize,
        tasks: u64,
    ) -> Option<Task> {
        let questions = (1..=questions).rev().map(Task::Question);
        let mut all = questions.chain((0..=tasks).rev().map(Task::Check));
        all.find(|&task| self.name(person, task) == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_by_whom_it_was_given_to_alone() {
        let names = Names::new("secret");
        for task in [Task::Question(3), Task::Check(3), Task::Check(0)] {
            let name = names.name(1, task);
            assert_eq!(name.len(), DIGITS);
            assert_eq!(names.find(1, &name, 4, 4), Some(task));
            assert_eq!(names.find(2, &name, 4, 4), None);
            assert_eq!(Names::new("other").find(1, &name, 4, 4), None);
        }
        assert_eq!(names.find(1, &names.name(1, Task::Question(5)), 4, 4), None);
    }
}
