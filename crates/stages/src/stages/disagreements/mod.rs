//! Where metrics and models disagree most with people: examples with their texts, so that a report
//! can show what the numbers hide.
//!
//! A disagreement is about two outputs for an item, one preferred by a metric and the other by people.
//! Its strength is the product of both differences: large where both are decided. People's preferences
//! are their comparisons or, where there are none, their mean judgments under each criterion.

mod rows;
pub(super) mod tell;

pub(crate) use rows::{Disagreement, DisagreementSide};

use crate::engine::context::Context;
use crate::inputs::judging::{averaged_groups, is_less_better};
use crate::inputs::source::{OutputScore, PredictionTable, Scores, Source};
use crate::rendering::Rendering;
use crate::stages::shown;
use std::collections::BTreeMap;
use std::path::Path;
use tiebreak_base::duel::{Arm, Prediction};
use tiebreak_base::error::Result;
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::Group;
use tiebreak_data::tables::json;
use tiebreak_metrics::metrics::Direction;

/// The number of examples kept for every judge and criterion; an item gives one at most.
const KEPT: usize = 3;

/// The name of the file in the folder of a run.
const FILE: &str = "disagreements.json";

/// A metric or a model that is compared with people.
pub(crate) enum AutomaticJudge {
    /// The scores of a metric.
    Metric(Scores),
    /// Predictions under their name.
    Model(String, PredictionTable),
}

/// Finds disagreements and stores them in the folder of a run, with the texts and answers that a report shows.
///
/// # Errors
/// As [`find_disagreements`]; if they cannot be written.
pub(crate) fn run(
    context: &Context<'_>,
    source: &Source,
    judges: &[AutomaticJudge],
    out: &Path,
) -> Result<()> {
    json::write(
        &out.join(FILE),
        &find_disagreements(context, source, judges)?,
    )?;
    shown::run(context, source, Rendering::guess(&source.dataset), out)
}

/// The strongest disagreements of each judge, strongest first; equal ones in the order of items.
///
/// # Errors
/// Scores that do not cover the outputs; [`tiebreak_base::error::Error::Interrupted`].
fn find_disagreements(
    context: &Context<'_>,
    source: &Source,
    judges: &[AutomaticJudge],
) -> Result<Vec<Disagreement>> {
    let compared = source.index.rows(Kind::Comparisons) > 0;
    let sign = |criterion: &String| if is_less_better(criterion) { -1.0 } else { 1.0 };
    let signs: Vec<f64> = match compared {
        true => vec![1.0],
        false => source.index.criteria().iter().map(sign).collect(),
    };
    let mut strongest = vec![vec![Vec::new(); signs.len()]; judges.len()];
    if signs.is_empty() || judges.is_empty() {
        return Ok(Vec::new());
    }
    source.each_chunk(context, |groups| {
        let groups = averaged_groups(groups);
        for (judge, kept) in judges.iter().zip(&mut strongest) {
            for (group, of_item) in groups.iter().zip(judge.opinions(source, &groups)?) {
                let people = match compared {
                    true => vec![comparisons(group)],
                    false => judgments(group, &signs),
                };
                for (people, kept) in people.iter().zip(kept.iter_mut()) {
                    keep(kept, of_item.strongest(people), group);
                }
            }
        }
        Ok(())
    })?;
    let mut found = Vec::new();
    for (judge, by_criterion) in judges.iter().zip(strongest) {
        for (criterion, kept) in by_criterion.into_iter().enumerate() {
            let criterion = (!compared).then(|| source.index.criteria()[criterion].clone());
            let told = kept
                .into_iter()
                .filter_map(|one: (ScoredDisagreement, Group)| {
                    disagreement_with_texts(source, judge.name(), criterion.clone(), &one.0, &one.1)
                });
            found.extend(told);
        }
    }
    Ok(found)
}

/// The human scores of two outputs, and the number of judgments behind them.
#[derive(Debug, Clone, Copy)]
struct HumanPairScores {
    of_a: f64,
    of_b: f64,
    /// 1 where the larger score is better, −1 where the smaller is.
    sign: f64,
    judgments: u64,
}

type HumanPreferences = BTreeMap<(Arm, Arm), HumanPairScores>;

fn comparisons(group: &Group) -> HumanPreferences {
    let mut sums: BTreeMap<(Arm, Arm), (f64, u64)> = BTreeMap::new();
    for one in &group.comparisons {
        let (pair, outcome) = match one.a < one.b {
            true => ((one.a, one.b), one.outcome),
            false => ((one.b, one.a), one.outcome.flipped()),
        };
        let sum = sums.entry(pair).or_default();
        sum.0 += outcome.value();
        sum.1 += 1;
    }
    let human = |(pair, (won, judgments)): ((Arm, Arm), (f64, u64))| {
        let of_a = won / judgments as f64;
        let human = HumanPairScores {
            of_a,
            of_b: 1.0 - of_a,
            sign: 1.0,
            judgments,
        };
        (pair, human)
    };
    sums.into_iter().map(human).collect()
}

/// The human scores of every two judged outputs, by criterion, of which these are the signs.
fn judgments(group: &Group, signs: &[f64]) -> Vec<HumanPreferences> {
    let mut sums: Vec<BTreeMap<Arm, (f64, u64)>> = vec![BTreeMap::new(); signs.len()];
    for one in &group.judgments {
        let sum = sums[one.criterion].entry(one.system).or_default();
        sum.0 += one.score;
        sum.1 += 1;
    }
    let pairs = |(sums, &sign): (&BTreeMap<Arm, (f64, u64)>, &f64)| {
        let mut people = HumanPreferences::new();
        for (&a, &(sum_a, n_a)) in sums {
            for (&b, &(sum_b, n_b)) in sums.range(a..).skip(1) {
                let (of_a, of_b) = (sum_a / n_a as f64, sum_b / n_b as f64);
                people.insert(
                    (a, b),
                    HumanPairScores {
                        of_a,
                        of_b,
                        sign,
                        judgments: n_a + n_b,
                    },
                );
            }
        }
        people
    };
    sums.iter().zip(signs).map(pairs).collect()
}

/// A judge's opinions of the outputs of one item.
enum ItemOpinions {
    /// Scores by system, and whether a larger one is better.
    Scores(BTreeMap<Arm, f64>, bool),
    /// Preferences for the first of two systems.
    Preferences(BTreeMap<(Arm, Arm), f64>),
}

impl AutomaticJudge {
    fn name(&self) -> &str {
        match self {
            Self::Metric(scores) => scores.metric(),
            Self::Model(name, _) => name,
        }
    }

    /// The judge's opinions of each of the items.
    fn opinions(&self, source: &Source, groups: &[Group]) -> Result<Vec<ItemOpinions>> {
        match self {
            Self::Metric(scores) => {
                let higher = scores.direction() == Direction::Higher;
                let of_item = |(group, of_item): (&Group, Vec<OutputScore>)| {
                    let systems = group.outputs.iter().map(|output| output.system);
                    let scored = systems.zip(of_item.iter().map(|score| score.score));
                    ItemOpinions::Scores(scored.collect(), higher)
                };
                let of_items = scores.of_outputs(source, groups)?;
                Ok(groups.iter().zip(of_items).map(of_item).collect())
            }
            Self::Model(_, predictions) => {
                let both = |(a, b, prediction): (Arm, Arm, Prediction)| {
                    [((a, b), prediction.p), ((b, a), 1.0 - prediction.p)]
                };
                let of_item = |group: &Group| {
                    let of_item = predictions.of_item(group.position)?.into_iter();
                    Ok(ItemOpinions::Preferences(of_item.flat_map(both).collect()))
                };
                groups.iter().map(of_item).collect()
            }
        }
    }
}

impl ItemOpinions {
    /// The scores of two outputs, and by how much the first is preferred.
    fn pair(&self, a: Arm, b: Arm) -> Option<(f64, f64, f64)> {
        match self {
            Self::Scores(scores, higher) => {
                let (of_a, of_b) = (*scores.get(&a)?, *scores.get(&b)?);
                let margin = if *higher { of_a - of_b } else { of_b - of_a };
                Some((of_a, of_b, margin))
            }
            Self::Preferences(preferences) => {
                let of_a = *preferences.get(&(a, b))?;
                Some((of_a, 1.0 - of_a, 2.0 * of_a - 1.0))
            }
        }
    }

    /// The strongest disagreement with people on the item.
    fn strongest(&self, people: &HumanPreferences) -> Option<ScoredDisagreement> {
        let clash = |(&(a, b), human): (&(Arm, Arm), &HumanPairScores)| {
            let (of_a, of_b, margin) = self.pair(a, b)?;
            let strength = -margin * human.sign * (human.of_a - human.of_b);
            let (of_a, of_b) = ((a, of_a, human.of_a), (b, of_b, human.of_b));
            let (its, peoples) = if margin > 0.0 {
                (of_a, of_b)
            } else {
                (of_b, of_a)
            };
            (strength > 0.0).then_some(ScoredDisagreement {
                strength,
                its,
                peoples,
                judgments: human.judgments,
            })
        };
        let stronger = |best: ScoredDisagreement, one: ScoredDisagreement| {
            if one.strength > best.strength {
                one
            } else {
                best
            }
        };
        people.iter().filter_map(clash).reduce(stronger)
    }
}

/// A disagreement: of either side the system, the judge's score and the human score.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ScoredDisagreement {
    strength: f64,
    its: (Arm, f64, f64),
    peoples: (Arm, f64, f64),
    judgments: u64,
}

/// Inserts a disagreement among the strongest, if it is one of them.
fn keep(
    kept: &mut Vec<(ScoredDisagreement, Group)>,
    found: Option<ScoredDisagreement>,
    group: &Group,
) {
    let Some(found) = found else { return };
    let place = kept.partition_point(|(other, _)| other.strength >= found.strength);
    if place < KEPT {
        kept.insert(place, (found, group.clone()));
        kept.truncate(KEPT);
    }
}

/// The disagreement with its texts; `None` where an output that people compared is not there.
fn disagreement_with_texts(
    source: &Source,
    judge: &str,
    criterion: Option<String>,
    clash: &ScoredDisagreement,
    group: &Group,
) -> Option<Disagreement> {
    let side = |(system, score, human): (Arm, f64, f64)| {
        Some(DisagreementSide {
            system: source.system(system).to_string(),
            output: group.output(system)?.to_string(),
            score,
            human,
        })
    };
    Some(Disagreement {
        judge: judge.to_string(),
        criterion,
        item: group.item.clone(),
        source: group.source.clone(),
        reference: group.references.first().cloned(),
        render: Rendering::guess(&source.dataset),
        its_choice: side(clash.its)?,
        peoples_choice: side(clash.peoples)?,
        judgments: clash.judgments,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(pairs: &[(u16, u16, f64)]) -> HumanPreferences {
        let human = |&(a, b, of_a): &(u16, u16, f64)| {
            (
                (Arm(a), Arm(b)),
                HumanPairScores {
                    of_a,
                    of_b: 1.0 - of_a,
                    sign: 1.0,
                    judgments: 1,
                },
            )
        };
        pairs.iter().map(human).collect()
    }

    #[test]
    fn the_strongest_disagreement_is_decided_on_both_sides() {
        let scores = |higher| {
            ItemOpinions::Scores([(Arm(0), 1.0), (Arm(1), 3.0), (Arm(2), 9.0)].into(), higher)
        };
        let said = people(&[(0, 1, 1.0), (0, 2, 0.6), (1, 2, 0.0)]);
        // Strengths 2 · 1 and 8 · 0.2; on the third pair both agree.
        let found = scores(true).strongest(&said).unwrap();
        assert_eq!((found.its.0, found.peoples.0), (Arm(1), Arm(0)));
        // Where lower is better they disagree on the third pair alone.
        let found = scores(false).strongest(&said).unwrap();
        assert_eq!(
            (found.its.0, found.peoples.0, found.strength),
            (Arm(1), Arm(2), 6.0)
        );
        // So they do where people's lower scores are better.
        let mut fewer = said.clone();
        for pair in fewer.values_mut() {
            pair.sign = -1.0;
        }
        let found = scores(true).strongest(&fewer).unwrap();
        assert_eq!((found.its.0, found.peoples.0), (Arm(2), Arm(1)));
        assert_eq!(
            scores(true).strongest(&people(&[(0, 1, 0.5), (1, 2, 0.0)])),
            None
        );
    }

    #[test]
    fn a_model_is_asked_in_either_order() {
        let preferences =
            ItemOpinions::Preferences([((Arm(1), Arm(0)), 0.9), ((Arm(0), Arm(1)), 0.1)].into());
        let found = preferences.strongest(&people(&[(0, 1, 1.0)])).unwrap();
        assert_eq!(
            (found.its, found.peoples),
            ((Arm(1), 0.9, 0.0), (Arm(0), 0.1, 1.0))
        );
    }

    #[test]
    fn few_are_kept_and_the_first_of_equals() {
        let mut kept = Vec::new();
        let clash = |strength| ScoredDisagreement {
            strength,
            its: (Arm(0), 0.0, 0.0),
            peoples: (Arm(1), 0.0, 0.0),
            judgments: 1,
        };
        for (position, strength) in [2.0, 5.0, 2.0, 1.0, 5.0, 3.0].into_iter().enumerate() {
            let group = Group {
                position: position as u64,
                ..Group::default()
            };
            keep(&mut kept, Some(clash(strength)), &group);
        }
        let places: Vec<u64> = kept.iter().map(|(_, group)| group.position).collect();
        assert_eq!(places, [1, 4, 5]);
    }
}
