//! Overlap: questions that several people answer.
//!
//! Some questions, drawn at random beside everything else, also go to people other than the one they are
//! assigned to. Only the answer of that one counts, however late. The others' show how far people agree and are
//! no evidence: who answers first, or whose answers agree, would depend on the answers.

use serde::{Deserialize, Serialize};
use tiebreak_base::duel::DuelId;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;

/// The share of questions that go to more than one person, and the number of people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Overlap {
    /// The share of questions that several people answer, from 0 to 1.
    pub share: f64,
    /// The number of people who answer such a question, at least 2.
    pub people: usize,
}

impl Overlap {
    /// Creates an overlap: a share alone means two people a question, a number alone all questions.
    ///
    /// # Errors
    /// [`Error::Usage`] for a share that is none, or fewer than two people.
    pub fn new(share: Option<f64>, people: Option<usize>) -> Result<Option<Self>> {
        if share.is_none() && people.is_none() {
            return Ok(None);
        }
        let (share, people) = (share.unwrap_or(1.0), people.unwrap_or(2));
        if !(0.0..=1.0).contains(&share) {
            let what = format!("an overlap of {share}, expected a share from 0 to 1");
            return Err(Error::usage(what));
        }
        if people < 2 {
            let what = format!("{people} annotator per question, expected 2 or more");
            return Err(Error::usage(what).with_hint("leave it out for one annotator per question"));
        }
        Ok(Some(Self { share, people }))
    }

    /// The members of `others` who are asked for a second opinion on a question.
    pub fn second_judges(self, seed: Seed, question: DuelId, mut others: Vec<u32>) -> Vec<u32> {
        let mut rng = seed.stream("overlap", question.0);
        if !rng.bernoulli(self.share) {
            return Vec::new();
        }
        rng.shuffle(&mut others);
        others.truncate(self.people - 1);
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_questions_has_several_people_each_as_often() {
        let overlap = Overlap::new(Some(0.2), Some(3)).unwrap().unwrap();
        let mut asked = [0_u32; 4];
        let mut shared = 0;
        for id in 0..2000 {
            let others = overlap.second_judges(Seed(4), DuelId(id), vec![0, 1, 2, 3]);
            shared += u32::from(!others.is_empty());
            assert!(others.is_empty() || others.len() == 2);
            for person in others {
                asked[person as usize] += 1;
            }
        }
        assert!(shared.abs_diff(400) < 60, "{shared}");
        assert!(asked.iter().all(|n| n.abs_diff(200) < 50), "{asked:?}");
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert_eq!(Overlap::new(None, None).unwrap(), None);
        assert!(Overlap::new(Some(1.5), None).is_err());
        assert!(Overlap::new(None, Some(1)).is_err());
        let all = Overlap::new(None, Some(3)).unwrap().unwrap();
        assert_eq!((all.share, all.people), (1.0, 3));
    }
}
