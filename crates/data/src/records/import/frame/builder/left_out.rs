//! Records that are left out since they came before, or are about what was left out.

use super::{DatasetBuilder, ITSELF, JudgmentRow, digest, wide};
use crate::records::import::frame::account;
use crate::records::import::frame::options::Repeats;
use std::hash::Hash;

impl DatasetBuilder<'_> {
    /// Leaves out an output because its item has other texts already, as a phrase says, and what is said about it later.
    pub(crate) fn refuse(&mut self, item: &str, system: &str, another: &str) {
        let item_key = self.meet(item);
        self.refused.insert(wide(&(item_key, system)));
        self.refused_systems.insert(system.to_string());
        self.drop(format!("an output, with any scores, for {another}"));
    }

    /// Names the systems without any record left.
    pub(super) fn note_lost_systems(&mut self) {
        let kept = &self.account.systems;
        let lost = self.refused_systems.iter();
        let lost: Vec<String> = lost.filter(|name| !kept.contains(name)).cloned().collect();
        if !lost.is_empty() {
            self.note(format!(
                "systems without any record left: {}",
                account::names(&lost)
            ));
        }
    }

    /// Whether an output of a system for an item is there.
    pub(crate) fn has_output(&self, item: &str, system: &str) -> bool {
        self.outputs.contains_key(&wide(&(wide(&item), system)))
    }

    /// Whether none of the outputs that an answer is about was left out; an answer about one that was is counted.
    pub(super) fn has_subject(&mut self, item: &str, systems: &[&str]) -> bool {
        let is_refused = |system: &&str| {
            let key = wide(&(wide(&item), *system));
            self.refused.contains(&key) && !self.outputs.contains_key(&key)
        };
        let has_subject = self.refused.is_empty() || !systems.iter().any(is_refused);
        if !has_subject {
            self.drop("an answer about an output that is left out");
        }
        has_subject
    }

    /// Whether two systems are two, and both outputs are there as far as [`has_subject`](Self::has_subject) says; else an
    /// answer about them is counted.
    pub(super) fn has_pair(&mut self, item: &str, systems: [&str; 2]) -> bool {
        if systems[0] == systems[1] {
            self.drop(ITSELF);
            return false;
        }
        self.has_subject(item, &systems)
    }

    /// Whether a judgment is of a repeat after the first of its output, where only the first counts.
    pub(super) fn is_further_repeat(&mut self, judged: &JudgmentRow<'_>) -> bool {
        let Some(repeat) = judged.repeat else {
            return false;
        };
        if self.options.repeats == Repeats::All {
            return false;
        }
        let about = (judged.item, judged.system, judged.criterion);
        let key = wide(&(about, judged.annotator, judged.part));
        let repeat = digest(&repeat);
        *self.first_repeats.entry(key).or_insert(repeat) != repeat
    }

    /// Whether a record of the same identity was met before; then it is counted as left out.
    pub(crate) fn is_again(&mut self, what: &str, identity: &impl Hash) -> bool {
        let is_again = !self.identified.insert(wide(&(what, identity)));
        if is_again {
            self.drop(format!("the same {what} again"));
        }
        is_again
    }
}
