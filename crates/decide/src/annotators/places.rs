//! The answers of each annotator among those to many questions.

use super::QuestionAnswer;

/// The places of all known annotators' answers, by annotator and question.
pub(super) struct AnnotatorPlaces(Vec<AnswerPlace>);

/// The place of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AnswerPlace {
    pub annotator: u32,
    pub question: u32,
    /// The number of answers before it to the same question.
    pub place: u32,
}

impl AnnotatorPlaces {
    /// Sorts the answers to these questions.
    pub(super) fn new<Q: AsRef<[QuestionAnswer]>>(questions: &[Q]) -> Self {
        let mut places = Vec::new();
        for (question, answers) in (0..).zip(questions) {
            for (place, one) in (0..).zip(answers.as_ref()) {
                places.extend(one.annotator.map(|annotator| AnswerPlace {
                    annotator: annotator as u32,
                    question,
                    place,
                }));
            }
        }
        places.sort_unstable();
        Self(places)
    }

    /// The places of the annotator that comes after `begin` places; `None` after the last.
    pub(super) fn own_from(&self, begin: usize) -> Option<&[AnswerPlace]> {
        let rest = &self.0[begin..];
        let annotator = rest.first()?.annotator;
        let own = rest.partition_point(|one| one.annotator == annotator);
        Some(&rest[..own])
    }
}
