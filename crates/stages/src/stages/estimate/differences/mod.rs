//! Comparing the systems of one criterion once all are estimated.

mod rows;
mod tell;

pub(crate) use rows::NewAnnotatorsDifference;
pub(crate) use rows::{SystemComparisons, SystemDifference, SystemStoppingPoint, TiedSystems};
pub(super) use tell::{stopping_points, stopping_table, system_differences};

use super::kinds::sign;
use super::{CriterionAssignments, Estimates, EstimationData, Round, Subject};
use crate::engine::context::Context;
use crate::inputs::judging::JudgmentSelection;
use crate::inputs::source::{Scores, Source};
use crate::stages::slices::differences::SlicedPairs;
use crate::stages::slices::{CriterionJudgments, PairTerms, Slices, unlike_items};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Flag, Result};
use tiebreak_decide::estimators::{
    AnalysisTerms, AnnotatorWeights, Contender, EstimateDifference, Estimator, ItemWins, Range,
    Survey,
};
use tiebreak_decide::evaluation::slices::SlicedDifferences;

/// The reason for no interval where too little is known of one of a pair's systems.
const TOO_FEW: &str = "too few judged items";

/// The reason for no interval where chance is not known to have chosen the items.
const NO_SHARED: &str = "no item was judged for both, so the items may make the difference";

/// The reason for no interval where no item tells the systems apart more than another.
fn nothing_varies() -> String {
    let known = "the differences do not vary, and the range of the judgments is not known";
    format!("{known} ({})", Flag("range"))
}

/// The reason for no interval where it may be the annotators who differ.
const UNWEIGHED: &str = "annotators judged the systems in different shares, and this estimator does not weigh them (`mean` does)";

/// Compares all pairs of systems under each criterion in slices of the items.
///
/// # Errors
/// A criterion whose scale is not known.
pub(super) fn sliced(
    context: &Context<'_>,
    source: &Source,
    asked: &Round<'_>,
    slices: &Slices,
    (data, ranges, judging): (&EstimationData, &BTreeMap<usize, Range>, &JudgmentSelection),
) -> Result<SlicedDifferences> {
    let terms = PairTerms {
        level: 1.0 - asked.confidence,
        items: asked.keys.scope.items,
        is_of_new_annotators: false,
        seed: context.seed,
        pairs: 0,
        is_of_one: judging.is_of_one(source),
    };
    let mut criteria: BTreeMap<usize, Vec<Arm>> = BTreeMap::new();
    for &(criterion, system) in data.judgments.keys() {
        criteria
            .entry(criterion)
            .or_default()
            .push(Arm::from(system));
    }
    let mut pairs = SlicedPairs::new(source, slices);
    for (place, (criterion, systems)) in criteria.into_iter().enumerate() {
        let terms = PairTerms {
            pairs: systems.len() * (systems.len() - 1) / 2 * Slices::parts(Some(slices)),
            ..terms
        };
        let name = (place, judging.criterion(source, criterion));
        let range = ranges.get(&criterion).copied();
        let judged = CriterionJudgments::new(data, (criterion, name), range, terms, Some(slices))?;
        pairs.add(&systems, |base, new, slice| {
            judged.compare(base, new, slice)
        })?;
    }
    Ok(pairs.finish(asked.confidence))
}

/// A builder of differences: systems as they are estimated, by criterion.
pub(super) struct DifferencesBuilder<'a> {
    source: &'a Source,
    asked: &'a Round<'a>,
    /// The names of the annotators.
    annotators: &'a [String],
    contenders: BTreeMap<String, CriterionContenders<'a>>,
}

/// The systems of one criterion.
struct CriterionContenders<'a> {
    /// Whether the systems were judged in different shares, and the estimator does not weigh annotators.
    unweighed: bool,
    dealt: &'a CriterionAssignments,
    contenders: Vec<Contender>,
    /// Each with the judgments of some items alone, and other weights.
    of_items: Vec<Box<OfItems<'a>>>,
}

/// A function that makes a contender anew, with the judgments of some items alone, and with the weights of a pair.
type OfItems<'a> = dyn Fn(&BTreeSet<u32>, Option<&AnnotatorWeights>) -> Option<Contender> + 'a;

impl<'a> DifferencesBuilder<'a> {
    pub(super) fn new(source: &'a Source, asked: &'a Round<'a>, annotators: &'a [String]) -> Self {
        Self {
            source,
            asked,
            annotators,
            contenders: BTreeMap::new(),
        }
    }

    /// Adds one more system under a criterion, its estimator having taken all judgments; `make` makes another one.
    pub(super) fn add(
        &mut self,
        subject: &Subject<'a>,
        estimator: &dyn Estimator,
        terms: AnalysisTerms<'a>,
        make: impl Fn(&Survey) -> Result<Box<dyn Estimator>> + 'a,
    ) -> Result<()> {
        let systems = &subject.dealt.systems;
        let place = systems.binary_search(&subject.system).unwrap_or_default();
        let contender = Contender::new(place, estimator, subject.judged, &terms);
        let contender = contender.ok_or_else(|| {
            Error::usage(format!("{} cannot compare systems", self.asked.estimator)).with_hint(
                "differences need an estimator with a standard error by item, such as mean or regression",
            )
        })?;
        let unweighed = subject.dealt.dealing.requires_weights() && !estimator.is_weighable();
        let contender = Contender {
            error: contender.error.filter(|_| !unweighed),
            ..contender
        };
        let field = self.contenders.entry(subject.criterion.to_string());
        let field = field.or_insert_with(|| CriterionContenders {
            unweighed,
            dealt: subject.dealt,
            contenders: Vec::new(),
            of_items: Vec::new(),
        });
        field.contenders.push(contender);
        let (survey, judged) = (subject.survey.clone(), subject.judged);
        let is_restricted = !unweighed && !self.source.draws_by_chance();
        field.of_items.push(Box::new(move |items, weights| {
            let is_whole = || judged.rows().all(|one| items.contains(&one.item));
            let mut estimator = make(&survey).ok()?;
            let is_wanted = match weights {
                None => is_restricted,
                Some(_) => estimator.is_weighable() && (is_restricted || is_whole()),
            };
            let terms = AnalysisTerms {
                weights: weights.or(terms.weights),
                ..terms
            };
            let judged = is_wanted.then_some(judged)?;
            Contender::of_items(place, estimator.as_mut(), judged, items, &terms)
        }));
        Ok(())
    }

    /// Compares all pairs of each criterion.
    pub(super) fn finish(self, estimates: &mut Estimates) {
        let estimator = self.asked.estimator.to_string();
        let metrics: Vec<&str> = self.asked.scores.iter().map(Scores::metric).collect();
        let metric = (!metrics.is_empty()).then(|| metrics.join("+"));
        for (criterion, field) in &self.contenders {
            let found = EstimateDifference::all(
                &field.contenders,
                &|at, items, weights| field.of_items[at](items, weights),
                &field.dealt.dealing,
                self.asked.confidence,
            );
            let found: Vec<EstimateDifference> = found
                .into_iter()
                .map(|one| match self.has_other_items(field, &one) {
                    true => one.untested(),
                    false => one,
                })
                .collect();
            let is_less_better = sign(criterion) < 0.0;
            let mut groups = EstimateDifference::groups(&field.contenders, &found);
            if is_less_better {
                groups.reverse();
                for group in &mut groups {
                    group.reverse();
                }
            }
            for group in groups {
                let systems = group.into_iter();
                estimates.comparisons.groups.push(TiedSystems {
                    criterion: criterion.clone(),
                    metric: metric.clone(),
                    estimator: estimator.clone(),
                    systems: systems.map(|at| self.name(field, at)).collect(),
                });
            }
            let compared = found.into_iter().map(|mut one| {
                if is_less_better {
                    one.wins = one.wins.map(ItemWins::flipped);
                }
                SystemDifference {
                    criterion: criterion.clone(),
                    metric: metric.clone(),
                    estimator: estimator.clone(),
                    ..self.compared(field, &one)
                }
            });
            estimates.comparisons.differences.extend(compared);
        }
    }

    /// The name of a contender.
    fn name(&self, field: &CriterionContenders<'_>, at: usize) -> String {
        self.system(field, field.contenders[at].place)
    }

    fn system(&self, field: &CriterionContenders<'_>, place: usize) -> String {
        self.source.systems()[field.dealt.systems[place]].clone()
    }

    /// The row of a pair, without the fields that all pairs of its criterion share.
    fn compared(
        &self,
        field: &CriterionContenders<'_>,
        one: &EstimateDifference,
    ) -> SystemDifference {
        let people = self.asked.keys.scope.people;
        let new = one.new_annotators;
        SystemDifference {
            system_a: self.name(field, one.a),
            system_b: self.name(field, one.b),
            criterion: String::new(),
            metric: None,
            estimator: String::new(),
            difference: one.difference,
            lower: one.interval.map(|ends| ends.0),
            upper: one.interval.map(|ends| ends.1),
            standard_error: one.standard_error,
            corrected_lower: one.corrected.map(|ends| ends.0),
            corrected_upper: one.corrected.map(|ends| ends.1),
            needed_times: one.needed_times,
            significant: one.significant,
            items: one.items,
            left_out: one.left_out,
            win_rate: one.wins.map(|wins| wins.rate),
            win_lower: one.wins.map(|wins| wins.lower),
            win_upper: one.wins.map(|wins| wins.upper),
            win_items: one.wins.map_or(0, |wins| wins.items),
            why: self.why(field, one),
            new_annotators: new.filter(|new| people.includes_new(new.annotators as usize)),
        }
    }

    /// Whether two systems share no item, and nothing says that chance chose those of either.
    fn has_other_items(&self, field: &CriterionContenders<'_>, one: &EstimateDifference) -> bool {
        let designed = |at: usize| field.contenders[at].unseen.is_some();
        let by_chance = self.source.draws_by_chance() || designed(one.a) || designed(one.b);
        one.items == 0 && !by_chance
    }

    /// The reason why a pair has no interval; `None` where it has one.
    fn why(&self, field: &CriterionContenders<'_>, one: &EstimateDifference) -> Option<String> {
        if one.interval.is_some() {
            return None;
        }
        if let Some(unshared) = one.unshared {
            let who = unshared
                .annotator
                .map(|at| self.annotators[at as usize].as_str());
            let who = who.unwrap_or("an annotator without a name");
            let system = self.system(field, unshared.system);
            return Some(match unshared.never {
                true => format!(
                    "{who} never judged {system}, so a difference may come from the annotators"
                ),
                false => {
                    format!(
                        "{who} judged one item of {system}, so a difference may come from the annotators"
                    )
                }
            });
        }
        if let Some(unlike) = one.unlike {
            return Some(unlike_items(&self.system(field, unlike.system), &unlike));
        }
        if self.has_other_items(field, one) {
            return Some(NO_SHARED.to_string());
        }
        if field.unweighed {
            return Some(UNWEIGHED.to_string());
        }
        let mut pair = [one.a, one.b].into_iter();
        let unknown = pair.find(|&at| field.contenders[at].error.is_none());
        Some(match unknown {
            Some(at) => format!("{}: {TOO_FEW}", self.name(field, at)),
            None => nothing_varies(),
        })
    }
}
