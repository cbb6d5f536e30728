//! Answers by question: an output under a criterion, or two systems on an item.

use super::asked;
use super::given::AnnotatorRows;
use super::rows::AnswerKind;
use crate::engine::context::Context;
use crate::inputs::judging::averaged_trials;
use crate::inputs::source::Source;
use foldhash::fast::RandomState;
use std::collections::{BTreeMap, HashMap};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::Result;
use tiebreak_data::records::index::{Group, GroupJudgment};
use tiebreak_decide::annotators::QuestionAnswer;
use tiebreak_decide::annotators::units::UnitSums;

/// All answers of a data set's annotators.
pub(super) struct CollectedAnswers {
    /// The annotators, in the order of the data set's; answers number them.
    pub names: Vec<String>,
    /// The answers to comparisons, then those under each criterion.
    pub sets: Vec<Set>,
}

/// One kind of answer.
pub(super) struct Set {
    pub asked: AnswerKind,
    /// The questions by item, then systems and part.
    pub questions: Vec<AnsweredQuestion>,
    /// The answers to each question by annotator, unknown ones first. A comparison's value is how the first system fared.
    pub answers: Vec<Vec<QuestionAnswer>>,
    /// The number of answers that repeat an annotator's own.
    pub repeated: u64,
    /// The outcomes of `system_a` less ½, as asked, by annotator; only of comparisons.
    pub sides: Option<Vec<UnitSums>>,
    /// The answers in the order in which they were given.
    pub given: AnnotatorRows,
}

/// A question that was answered.
pub(super) struct AnsweredQuestion {
    pub item: String,
    /// The item's place, the question's unit.
    pub unit: usize,
    /// The systems compared, the smaller number first; or the one judged, twice.
    pub systems: [Arm; 2],
    pub part: Option<String>,
    /// Other systems that wrote the judged text, for which the answers hold too.
    pub copies: Vec<Arm>,
}

/// Annotators, numbered as they come.
#[derive(Default)]
struct AnnotatorNumbers {
    names: Vec<String>,
    numbers: HashMap<String, usize, RandomState>,
}

impl AnnotatorNumbers {
    fn number(&mut self, name: Option<&String>) -> Option<usize> {
        let name = name?;
        if let Some(&known) = self.numbers.get(name) {
            return Some(known);
        }
        self.names.push(name.clone());
        self.numbers.insert(name.clone(), self.names.len() - 1);
        Some(self.names.len() - 1)
    }

    /// The names in the data set's order, and the number there of each annotator.
    fn in_order(self, source: &Source) -> (Vec<String>, Vec<usize>) {
        let ordered = source.in_order(self.names.iter().cloned().collect());
        let mut places = vec![0; ordered.len()];
        for (place, name) in ordered.iter().enumerate() {
            places[self.numbers[name]] = place;
        }
        (ordered, places)
    }
}

/// The key of a question within its item: systems and part.
type ItemQuestionKey = ([Arm; 2], Option<String>);

/// Reads the data set. Scores of the repeats of an output are one answer, their mean.
pub(super) fn gather(
    context: &Context<'_>,
    source: &Source,
    criterion: Option<usize>,
) -> Result<CollectedAnswers> {
    let mut numbers = AnnotatorNumbers::default();
    let alone = source.index.criteria().len() == 1;
    let mut compared = Set::new(asked("comparisons", None));
    let mut judged: BTreeMap<usize, Set> = BTreeMap::new();
    let mut take = |group: &Group| {
        if criterion.is_none() {
            compared.compare(group, &mut numbers);
        }
        let mut questions: BTreeMap<usize, BTreeMap<ItemQuestionKey, Vec<QuestionAnswer>>> =
            BTreeMap::new();
        for judgment in wanted(source, group, criterion) {
            let of = judgment.criterion;
            let key = ([judgment.system; 2], judgment.part.clone());
            let answers = questions.entry(of).or_default().entry(key).or_default();
            let annotator = numbers.number(judgment.annotator.as_ref());
            let value = judgment.score;
            answers.push(QuestionAnswer { annotator, value });
            let set = judged.entry(of);
            let set = set.or_insert_with(|| {
                Set::new(asked("judgments", Some(&source.index.criteria()[of])))
            });
            if let Some(annotator) = annotator {
                set.given.judged(annotator, group, judgment, alone);
            }
        }
        let copies = source.copies(group);
        for (of, questions) in questions {
            if let Some(set) = judged.get_mut(&of) {
                set.extend(group, questions, &copies);
            }
        }
    };
    source.each_chunk(context, |groups| {
        averaged_trials(groups).iter().for_each(&mut take);
        Ok(())
    })?;
    let (names, places) = numbers.in_order(source);
    let compared = Some(compared).filter(|set| !set.questions.is_empty());
    let mut sets: Vec<Set> = compared.into_iter().chain(judged.into_values()).collect();
    for set in &mut sets {
        set.renumber(&places);
    }
    Ok(CollectedAnswers { names, sets })
}

/// Iterates over the judgments under one criterion, or all, as they were given.
fn wanted<'g>(
    source: &Source,
    group: &'g Group,
    criterion: Option<usize>,
) -> impl Iterator<Item = &'g GroupJudgment> {
    let judgments = source.given_judgments(group).into_iter();
    judgments.filter(move |one| criterion.is_none_or(|wanted| wanted == one.criterion))
}

impl Set {
    /// Creates an empty set.
    fn new(asked: AnswerKind) -> Self {
        let is_comparison = asked.criterion.is_none();
        Self {
            asked,
            questions: Vec::new(),
            answers: Vec::new(),
            repeated: 0,
            sides: is_comparison.then(Vec::new),
            given: AnnotatorRows::default(),
        }
    }

    /// Gives each annotator the number at its place, so that nothing depends on the order of rows.
    fn renumber(&mut self, places: &[usize]) {
        for answers in &mut self.answers {
            for answer in answers.iter_mut() {
                answer.annotator = answer.annotator.map(|annotator| places[annotator]);
            }
            answers.sort_by_key(|answer| answer.annotator);
        }
        if let Some(sides) = &mut self.sides {
            let mut ordered = vec![UnitSums::default(); places.len()];
            for (&place, side) in places.iter().zip(sides.drain(..)) {
                ordered[place] = side;
            }
            *sides = ordered;
        }
        self.given.renumber(places);
    }

    /// Whether answers are numbers rather than categories.
    pub(super) fn on_scale(&self) -> bool {
        self.sides.is_none()
    }

    fn compare(&mut self, group: &Group, numbers: &mut AnnotatorNumbers) {
        let mut questions: BTreeMap<ItemQuestionKey, Vec<QuestionAnswer>> = BTreeMap::new();
        for one in &group.comparisons {
            let annotator = numbers.number(one.annotator.as_ref());
            if let (Some(sides), Some(annotator)) = (&mut self.sides, annotator) {
                sides.resize(numbers.names.len(), UnitSums::default());
                sides[annotator].push(group.position as usize, one.outcome.value() - 0.5);
                self.given.compared(annotator, group, one);
            }
            let (systems, outcome) = match one.a < one.b {
                true => ([one.a, one.b], one.outcome),
                false => ([one.b, one.a], one.outcome.flipped()),
            };
            let value = outcome.value();
            let answers = questions.entry((systems, None)).or_default();
            answers.push(QuestionAnswer { annotator, value });
        }
        let before = self.answers.len();
        self.extend(group, questions, &BTreeMap::new());
        // Contradictory answers of one annotator average to a tie; any other mean goes to its side.
        for answer in self.answers[before..].iter_mut().flatten() {
            answer.value =
                0.5 + 0.5 * f64::from(i8::from(answer.value > 0.5) - i8::from(answer.value < 0.5));
        }
    }

    /// Adds the questions of one item.
    fn extend(
        &mut self,
        group: &Group,
        questions: BTreeMap<ItemQuestionKey, Vec<QuestionAnswer>>,
        copies: &BTreeMap<Arm, Arm>,
    ) {
        for ((systems, part), answers) in questions {
            let others = copies.iter().filter(|(_, first)| **first == systems[0]);
            let given = answers.len();
            let answers = once_each(answers);
            self.repeated += (given - answers.len()) as u64;
            self.questions.push(AnsweredQuestion {
                item: group.item.clone(),
                unit: group.position as usize,
                systems,
                part,
                copies: others.map(|(system, _)| *system).collect(),
            });
            self.answers.push(answers);
        }
    }
}

/// Leaves one answer of each known annotator, the mean of theirs, sorted by annotator.
fn once_each(mut answers: Vec<QuestionAnswer>) -> Vec<QuestionAnswer> {
    answers.sort_by(|a, b| {
        a.annotator
            .cmp(&b.annotator)
            .then(a.value.total_cmp(&b.value))
    });
    let same = |a: &QuestionAnswer, b: &QuestionAnswer| {
        a.annotator.is_some() && a.annotator == b.annotator
    };
    let mean = |answers: &[QuestionAnswer]| QuestionAnswer {
        annotator: answers[0].annotator,
        value: answers.iter().map(|one| one.value).sum::<f64>() / answers.len() as f64,
    };
    if answers.windows(2).any(|two| same(&two[0], &two[1])) {
        answers = answers.chunk_by(same).map(mean).collect();
    }
    // Of millions of questions most have one answer.
    answers.shrink_to_fit();
    answers
}
