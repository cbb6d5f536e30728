//! Assignment of questions to annotators: drawn at random before anything is shown, or the answers are no evidence.
//!
//! * *one*: a single person answers everything.
//! * *listed*: people are named before the first question. Each question, once its pair, its bet and its
//!   item are drawn, is assigned to one of them, uniformly and independently of all answers. The mean
//!   answer is then that of the mean of the people listed, whoever answers fast, late or never. That does not
//!   hold where each person has a sheet of their own taste and all sheets are multiplied.
//! * *panel*: each block of questions is for a person newly drawn from the population; all answers ever
//!   taken from one person are one block.
//!
//! Answers by anybody else, and those of a person whose block is spent, inform but are no evidence. When the
//! list changes, earlier answers are about the old list, and evidence begins anew.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiebreak_base::duel::{DuelId, Origin};
use tiebreak_base::rng::Rng;
use unicode_normalization::UnicodeNormalization;

/// The annotators who are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum People {
    /// One person.
    #[default]
    One,
    /// The listed annotators.
    Listed,
    /// Annotators newly drawn from the population.
    Panel,
}

/// Whether two names are one person's, whatever their case, the blanks around them and how accents are encoded.
pub fn is_same_person(one: &str, other: &str) -> bool {
    person_key(one) == person_key(other)
}

/// Returns what the names of one person have in common.
pub fn person_key(name: &str) -> String {
    folded(name.trim())
}

/// Returns a text in lower case, its accents composed (Unicode's NFC): names of files on macOS have them apart.
pub fn folded(text: &str) -> String {
    text.nfc().collect::<String>().to_lowercase()
}

/// The share of δ that the first list of annotators has. Each later one has half of what is left, so that
/// all of them together have δ.
pub const FIRST_LIST: f64 = 0.8;

/// The assignment of questions to annotators.
#[derive(Debug, Clone, Default)]
pub struct AnnotatorAssignment {
    people: People,
    /// The names of all who were ever listed; questions refer to them by their place.
    names: Vec<String>,
    /// The places of those listed now.
    listed: Vec<u32>,
    /// The number of lists so far.
    lists: i32,
    /// The block in progress, from 1 on.
    block: u32,
    /// The annotator who took each block.
    takers: BTreeMap<u32, Option<String>>,
    /// The answers that counted as evidence, with the person each counted for and its present name.
    counted: BTreeMap<DuelId, CountedAnswer>,
}

/// An answer that counted as evidence.
#[derive(Debug, Clone)]
struct CountedAnswer {
    /// The person its question was assigned to.
    person: u32,
    annotator: Option<String>,
}

impl AnnotatorAssignment {
    /// Creates an assignment with nobody listed yet.
    pub fn new(people: People) -> Self {
        Self {
            people,
            ..Self::default()
        }
    }

    /// The annotators who are asked.
    pub fn people(&self) -> People {
        self.people
    }

    /// The people listed now, in the order of the list.
    pub fn list(&self) -> Vec<&str> {
        let name = |&place: &u32| self.names[place as usize].as_str();
        self.listed.iter().map(name).collect()
    }

    /// The places of the people listed now.
    pub fn listed(&self) -> &[u32] {
        &self.listed
    }

    /// Replaces the list. Returns the share of the first list's δ with which
    /// evidence begins anew; `None` for the first list.
    pub fn relist(&mut self, list: &[String]) -> Option<f64> {
        self.listed = list.iter().map(|name| self.register_name(name)).collect();
        self.lists += 1;
        let left = (1.0 - FIRST_LIST) / FIRST_LIST;
        (self.lists > 1).then(|| left * 0.5_f64.powi(self.lists - 1))
    }

    fn register_name(&mut self, name: &str) -> u32 {
        let known = self.names.iter().position(|known| known == name);
        let place = known.unwrap_or_else(|| {
            self.names.push(name.to_string());
            self.names.len() - 1
        });
        u32::try_from(place).expect("fewer people than there are")
    }

    /// Begins the block of another person.
    pub fn begin_block(&mut self, block: u32) {
        self.block = block;
    }

    /// The block in progress; 0 before the first.
    pub fn block(&self) -> u32 {
        self.block
    }

    /// Draws the person for the next question: a place in the list, a block, or 0 where there is one person.
    pub fn deal(&self, rng: &mut Rng) -> u32 {
        match self.people {
            People::One => 0,
            People::Listed => *rng.choose(&self.listed),
            People::Panel => self.block,
        }
    }

    /// The name of the person a question was assigned to, where it is known beforehand.
    pub fn name(&self, person: u32) -> Option<&str> {
        match self.people {
            People::Listed => self.names.get(person as usize).map(String::as_str),
            People::One | People::Panel => None,
        }
    }

    /// Whether a person is still asked.
    pub fn is_listed(&self, person: u32) -> bool {
        self.people != People::Listed || self.listed.contains(&person)
    }

    /// The origin as which the answer to question `id` counts, which was assigned to `person`; answers without a
    /// name are that person's.
    pub fn origin(&mut self, id: DuelId, person: u32, annotator: Option<&str>) -> Origin {
        if !self.is_theirs(person, annotator) {
            return Origin::Other;
        }
        let annotator = annotator.map(str::to_string);
        if self.people == People::Panel {
            self.takers
                .entry(person)
                .or_insert_with(|| annotator.clone());
        }
        self.counted.insert(id, CountedAnswer { person, annotator });
        Origin::Human
    }

    /// Renames the annotator of an answer. The origin as which it counted stays.
    pub fn rename(&mut self, id: DuelId, annotator: Option<&str>) {
        let Some(counted) = self.counted.get_mut(&id) else {
            return;
        };
        counted.annotator = annotator.map(str::to_string);
        let block = counted.person;
        let mut names = self.counted.values().filter(|one| one.person == block);
        let first = names.next().and_then(|one| one.annotator.clone());
        self.takers.entry(block).and_modify(|taker| *taker = first);
    }

    /// Whether all that counted would count by the names that answers have now: an answer for the person it was
    /// assigned to, a block for one person, and a person for one block.
    pub fn is_consistent(&self) -> bool {
        let mut blocks: BTreeMap<&str, u32> = BTreeMap::new();
        self.counted.values().all(|one| {
            let Some(name) = one.annotator.as_deref() else {
                return true;
            };
            match self.people {
                People::One => true,
                People::Listed => self.name(one.person) == Some(name),
                People::Panel => {
                    let taker = self.takers.get(&one.person).and_then(Option::as_deref);
                    taker == Some(name) && *blocks.entry(name).or_insert(one.person) == one.person
                }
            }
        })
    }

    /// Whether an answer by an annotator to a question assigned to `person` counts as that person's. A block of a panel is
    /// that of the first annotator without another.
    pub fn is_theirs(&self, person: u32, annotator: Option<&str>) -> bool {
        match self.people {
            People::One => true,
            People::Listed => annotator.is_none_or(|name| self.name(person) == Some(name)),
            People::Panel => match self.takers.get(&person) {
                Some(taker) => taker.as_deref() == annotator,
                None => annotator.is_none_or(|name| {
                    let mut takers = self.takers.values();
                    takers.all(|taker| taker.as_deref() != Some(name))
                }),
            },
        }
    }

    /// The number of people a claim is about: those listed, or those who took a block.
    pub fn count(&self) -> usize {
        match self.people {
            People::One => 1,
            People::Listed => self.listed.len(),
            People::Panel => self.takers.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn everybody_listed_is_dealt_as_much() {
        let mut dealing = AnnotatorAssignment::new(People::Listed);
        assert_eq!(dealing.relist(&names(&["ana", "ben", "cy"])), None);
        let mut rng = Seed(1).stream("test", 0);
        let mut dealt = [0_u32; 3];
        for _ in 0..3000 {
            dealt[dealing.deal(&mut rng) as usize] += 1;
        }
        assert!(
            dealt.iter().all(|count| count.abs_diff(1000) < 100),
            "{dealt:?}"
        );
        let mut origin = |id, name| dealing.origin(DuelId(id), 1, name);
        assert_eq!(origin(0, Some("ben")), Origin::Human);
        assert_eq!(origin(1, None), Origin::Human);
        assert_eq!(origin(2, Some("ana")), Origin::Other);
        // What counted as ben's may not turn out to be ana's; what never counted may be anybody's.
        dealing.rename(DuelId(2), Some("cy"));
        assert!(dealing.is_consistent());
        dealing.rename(DuelId(0), Some("ana"));
        assert!(!dealing.is_consistent());
        dealing.rename(DuelId(0), Some("ben"));
        assert!(dealing.is_consistent());
    }

    #[test]
    fn lists_share_what_may_go_wrong() {
        let mut dealing = AnnotatorAssignment::new(People::Listed);
        dealing.relist(&names(&["ana", "ben"]));
        let later: f64 = (0..50)
            .filter_map(|_| dealing.relist(&names(&["ben", "dan"])))
            .sum();
        assert!((FIRST_LIST * (1.0 + later) - 1.0).abs() < 1e-9);
        assert_eq!(
            (dealing.list(), dealing.name(2)),
            (vec!["ben", "dan"], Some("dan"))
        );
        assert!(dealing.is_listed(2) && !dealing.is_listed(0));
    }

    #[test]
    fn a_person_has_one_block() {
        let mut dealing = AnnotatorAssignment::new(People::Panel);
        for (id, (block, name, counts)) in (0..).zip([
            (1, Some("ana"), true),
            (1, Some("ana"), true),
            (1, Some("ben"), false),
            (2, Some("ana"), false),
            (2, Some("ben"), true),
            (3, None, true),
            (4, None, true),
        ]) {
            let origin = dealing.origin(DuelId(id), block, name);
            assert_eq!(origin == Origin::Human, counts, "{block} {name:?}");
        }
        assert_eq!(dealing.count(), 4);
    }

    #[test]
    fn a_block_under_a_wrong_name_does_not_shut_out_whose_name_it_is() {
        let mut dealing = AnnotatorAssignment::new(People::Panel);
        for id in [0, 1] {
            dealing.origin(DuelId(id), 1, Some("ben"));
        }
        // One block is one person's.
        dealing.rename(DuelId(0), Some("ana"));
        assert!(!dealing.is_consistent());
        dealing.rename(DuelId(1), Some("ana"));
        assert!(dealing.is_consistent());
        assert_eq!(dealing.origin(DuelId(2), 2, Some("ben")), Origin::Human);
        assert_eq!(dealing.origin(DuelId(3), 3, Some("ana")), Origin::Other);
        // And a person is one block.
        for id in [0, 1] {
            dealing.rename(DuelId(id), Some("ben"));
        }
        assert!(!dealing.is_consistent());
    }
}
