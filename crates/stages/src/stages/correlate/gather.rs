//! Judged and compared outputs with their scores, item by item.

use crate::engine::context::Context;
use crate::inputs::source::{Score, Scores, Source};
use std::collections::BTreeMap;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::index::Group;
use tiebreak_decide::evaluation::correlation::{Answer, Compared, Judged, Layout};
use tiebreak_metrics::metrics::Direction;

/// Items read at a time.
const CHUNK: u64 = 1024;

/// What people said, and each metric's scores of the outputs they said it of.
pub(super) struct Scored<H> {
    pub human: H,
    /// By metric; the larger, the better.
    pub scores: Vec<Vec<f64>>,
}

/// Everything people said.
pub(super) struct Gathered {
    /// By criterion.
    pub judged: Vec<(usize, Scored<Judged>)>,
    pub compared: Option<Scored<Compared>>,
}

/// Reads the data set once. With a criterion, only its judgments count.
pub(super) fn gather(
    context: &Context<'_>,
    source: &Source,
    metrics: &[Scores],
    criterion: Option<usize>,
) -> Result<Gathered> {
    let new = || Building::new(source.systems().len(), metrics);
    let mut judged: BTreeMap<usize, (Building, Vec<f64>)> = BTreeMap::new();
    let mut compared = (new(), Vec::new());
    let items = source.index.items();
    for start in (0..items).step_by(CHUNK as usize) {
        context.check()?;
        let groups = source.groups(start..(start + CHUNK).min(items))?;
        let scores = metrics
            .iter()
            .map(|metric| metric.of_outputs(source, &groups));
        let scores = scores.collect::<Result<Vec<_>>>()?;
        for (g, group) in groups.iter().enumerate() {
            let scores: Vec<&[Score]> = scores.iter().map(|of| of[g].as_slice()).collect();
            for (of, means) in means(source, group, criterion)? {
                let (building, human) = judged.entry(of).or_insert_with(|| (new(), Vec::new()));
                building.push(group, &scores, &means.iter().map(|mean| mean.0));
                human.extend(means.iter().map(|mean| mean.1));
            }
            if criterion.is_none() {
                answers(source, group, &scores, &mut compared)?;
            }
        }
    }
    let judged = judged.into_iter().map(|(criterion, (building, human))| {
        let human = Judged::new(building.layout, human);
        let scores = building.scores;
        (criterion, Scored { human, scores })
    });
    let (building, answers) = compared;
    let compared = (!answers.is_empty()).then(|| Scored {
        human: Compared::new(building.layout, &answers),
        scores: building.scores,
    });
    Ok(Gathered {
        judged: judged.collect(),
        compared,
    })
}

/// For each criterion the places of the judged outputs among the group's, with the means of their
/// judgments.
fn means(
    source: &Source,
    group: &Group,
    criterion: Option<usize>,
) -> Result<BTreeMap<usize, Vec<(usize, f64)>>> {
    let mut judgments: BTreeMap<usize, BTreeMap<usize, Vec<f64>>> = BTreeMap::new();
    let wanted = group.judgments.iter();
    for judgment in wanted.filter(|one| criterion.is_none_or(|wanted| wanted == one.criterion)) {
        let place = place(source, group, judgment.system, "judgment")?;
        let of_criterion = judgments.entry(judgment.criterion).or_default();
        of_criterion.entry(place).or_default().push(judgment.score);
    }
    let mean = |(place, mut scores): (usize, Vec<f64>)| {
        // Sums depend on their order, and records may come in any.
        scores.sort_unstable_by(f64::total_cmp);
        (place, scores.iter().sum::<f64>() / scores.len() as f64)
    };
    let means = |(criterion, outputs): (usize, BTreeMap<usize, Vec<f64>>)| {
        (criterion, outputs.into_iter().map(mean).collect())
    };
    Ok(judgments.into_iter().map(means).collect())
}

fn answers(
    source: &Source,
    group: &Group,
    scores: &[&[Score]],
    (building, answers): &mut (Building, Vec<Answer>),
) -> Result<()> {
    // The group's outputs that were compared, and their places in the layout.
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for system in group.comparisons.iter().flat_map(|one| [one.a, one.b]) {
        places.insert(place(source, group, system, "comparison")?, 0);
    }
    if places.is_empty() {
        return Ok(());
    }
    let first = building.layout.outputs();
    building.push(group, scores, &places.keys().copied());
    for (at, place) in places.values_mut().enumerate() {
        *place = first + at;
    }
    for one in &group.comparisons {
        let at = |system| Ok(places[&place(source, group, system, "comparison")?]);
        answers.push(Answer {
            first: at(one.a)?,
            second: at(one.b)?,
            outcome: one.outcome,
        });
    }
    Ok(())
}

/// Where among the group's outputs a system's stands.
fn place(source: &Source, group: &Group, system: Arm, what: &str) -> Result<usize> {
    let place = group
        .outputs
        .iter()
        .position(|output| output.system == system);
    place.ok_or_else(|| {
        Error::input(
            source.dataset.path(),
            format!(
                "a {what} of system `{}` on item `{}`, which has no output and so no score",
                source.system(system),
                group.item
            ),
        )
    })
}

/// A layout in the making, with the scores of its outputs.
struct Building {
    layout: Layout,
    directions: Vec<Direction>,
    scores: Vec<Vec<f64>>,
}

impl Building {
    fn new(systems: usize, metrics: &[Scores]) -> Self {
        Self {
            layout: Layout::new(systems),
            directions: metrics.iter().map(Scores::direction).collect(),
            scores: vec![Vec::new(); metrics.len()],
        }
    }

    /// One more item: those of the group's outputs that stand at `places`.
    fn push(
        &mut self,
        group: &Group,
        scores: &[&[Score]],
        places: &(impl Iterator<Item = usize> + Clone),
    ) {
        let systems = places.clone().map(|at| group.outputs[at].system.index());
        self.layout.push(systems);
        let metrics = self.scores.iter_mut().zip(&self.directions).zip(scores);
        for ((column, direction), scores) in metrics {
            let score = |at: usize| match direction {
                Direction::Higher => scores[at].score,
                Direction::Lower => -scores[at].score,
            };
            column.extend(places.clone().map(score));
        }
    }
}
