//! Reads who judged, and keeps for each system the items that most answers about it are on, where its output differs from
//! another. A draw breaks ties, the same for all systems, so that examples are not hand-picked.

use super::rows::{AnnotatorTotals, ComparisonPayment, ExampleOutput, ItemExample};
use crate::inputs::source::Source;
use crate::rendering::Rendering;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::rng::Seed;
use tiebreak_data::records::index::{Group, GroupJudgment};

/// Items kept for each system, twice as many as are shown: some may share their source.
const KEPT: usize = 6;

/// The order of examples: more answers first, then the draw.
type ExampleOrder = (Reverse<u64>, u64);

/// The overview of what has been read so far.
pub(super) struct DataOverviewBuilder {
    people: AnnotatorTotals,
    paid: ComparisonPayment,
    named: BTreeMap<String, u64>,
    /// The first few items, by system.
    kept: Vec<Vec<(ExampleOrder, u64)>>,
    /// The groups of these items, by position.
    groups: BTreeMap<u64, (u64, Group)>,
}

impl DataOverviewBuilder {
    /// Creates an empty overview of that many systems.
    pub(super) fn new(systems: usize) -> Self {
        Self {
            people: AnnotatorTotals::default(),
            paid: ComparisonPayment::default(),
            named: BTreeMap::new(),
            kept: vec![Vec::new(); systems],
            groups: BTreeMap::new(),
        }
    }

    /// Adds the answers on an item.
    pub(super) fn add(&mut self, group: Group, source: &Source, seed: Seed) {
        let judged = source.given_judgments(&group);
        self.who(&group, &judged);
        self.time(&group, &judged);
        self.pay(&group);
        let drawn = seed.stream("examples", group.position).next_u64();
        let mut better = false;
        for (system, kept) in self.kept.iter_mut().enumerate() {
            let answers = answers(&group, system);
            let order = (Reverse(answers), drawn);
            let at = kept.partition_point(|(other, _)| *other < order);
            if answers > 0 && at < KEPT && is_telling(&group, system) {
                kept.insert(at, (order, group.position));
                kept.truncate(KEPT);
                better = true;
            }
        }
        if better {
            self.groups.insert(group.position, (drawn, group));
            let kept: BTreeSet<u64> = self.kept.iter().flatten().map(|one| one.1).collect();
            self.groups.retain(|position, _| kept.contains(position));
        }
    }

    fn who(&mut self, group: &Group, judged: &[&GroupJudgment]) {
        let compared = group.comparisons.iter().map(|one| &one.annotator);
        self.people.judgments += judged.len() as u64;
        for annotator in compared.chain(judged.iter().map(|one| &one.annotator)) {
            self.people.answers += 1;
            match annotator {
                Some(name) => *self.named.entry(name.clone()).or_default() += 1,
                None => self.people.unnamed += 1,
            }
        }
    }

    /// Adds the times. Ratings of an output under several criteria carry the time of all of them together.
    fn time(&mut self, group: &Group, judged: &[&GroupJudgment]) {
        let mut sittings = BTreeMap::new();
        let mut nameless: BTreeMap<_, u64> = BTreeMap::new();
        for one in judged {
            let of = (one.system, &one.annotator, &one.part, one.seconds.is_none());
            // Without a name, answers under one criterion are by several people, who answer under each in turn.
            let whose = one.annotator.is_none().then(|| {
                let met = nameless.entry((of, one.criterion)).or_default();
                *met += 1;
                *met
            });
            sittings.insert((of, whose), (one.place, one.seconds));
        }
        // A sum in the order of names would be another under other names.
        let mut sittings: Vec<(u64, Option<f64>)> = sittings.into_values().collect();
        sittings.sort_by_key(|(place, _)| *place);
        let sittings = sittings.into_iter().map(|(_, seconds)| seconds);
        let compared = group.comparisons.iter().map(|one| one.cost.seconds);
        self.sit(compared.chain(sittings));
    }

    /// Adds the times of sittings over a question; a skip takes people's time, too.
    pub(super) fn sit(&mut self, sittings: impl Iterator<Item = Option<f64>>) {
        for seconds in sittings {
            self.people.sittings += 1;
            if let Some(seconds) = seconds {
                self.people.timed += 1;
                self.people.seconds += seconds;
            }
        }
    }

    fn pay(&mut self, group: &Group) {
        for one in &group.comparisons {
            self.paid.comparisons += 1;
            if let Some(price) = one.cost.price {
                self.paid.priced += 1;
                self.paid.price += price;
            }
        }
    }

    /// The totals of all annotators.
    pub(super) fn people(&self) -> AnnotatorTotals {
        AnnotatorTotals {
            annotators: self.named.len() as u64,
            most: self.named.values().copied().max().unwrap_or(0),
            paid: Some(self.paid).filter(|paid| paid.priced > 0),
            ..self.people.clone()
        }
    }

    /// The items that were kept, in the order of the draw.
    pub(super) fn examples(self, source: &Source, rendering: Rendering) -> Vec<ItemExample> {
        let mut groups: Vec<(u64, Group)> = self.groups.into_values().collect();
        groups.sort_by_key(|(drawn, group)| (*drawn, group.position));
        let told = |(_, group): (u64, Group)| example(source, &group, rendering);
        groups.into_iter().map(told).collect()
    }
}

/// Whether an item shows what a system writes: its output differs from that of another system with answers there, or
/// stands alone.
fn is_telling(group: &Group, system: usize) -> bool {
    let judged = |other: usize| answers(group, other) > 0;
    let outputs = group
        .outputs
        .iter()
        .map(|one| (one.system.index(), one.text.trim()));
    let (own, others): (Vec<_>, Vec<_>) = outputs
        .filter(|&(other, _)| judged(other))
        .partition(|&(other, _)| other == system);
    own.first()
        .is_some_and(|(_, text)| others.is_empty() || others.iter().any(|(_, other)| other != text))
}

/// The number of answers on an item that are about a system.
fn answers(group: &Group, system: usize) -> u64 {
    let compared = group.comparisons.iter();
    let compared = compared.filter(|one| [one.a, one.b].iter().any(|arm| arm.index() == system));
    let judged = group.judgments.iter();
    let judged = judged.filter(|one| one.system.index() == system);
    (compared.count() + judged.count()) as u64
}

fn example(source: &Source, group: &Group, render: Rendering) -> ItemExample {
    let shown = group.outputs.iter().map(|output| {
        let (comparisons, won) = fared(group, output.system.index());
        ExampleOutput {
            system: source.system(output.system).to_string(),
            output: output.text.clone(),
            comparisons,
            won,
            ratings: ratings(source, group, output.system.index()),
        }
    });
    ItemExample {
        item: group.item.clone(),
        source: group.source.clone(),
        reference: group.references.first().cloned(),
        render,
        outputs: shown.filter(|one| one.answers() > 0).collect(),
    }
}

/// The number of an output's comparisons, and of those it won, ties counting half.
fn fared(group: &Group, system: usize) -> (u64, f64) {
    let of = group
        .comparisons
        .iter()
        .filter_map(|one| match one.outcome.value() {
            won if one.a.index() == system => Some(won),
            won if one.b.index() == system => Some(1.0 - won),
            _ => None,
        });
    of.fold((0, 0.0), |(n, sum), won| (n + 1, sum + won))
}

/// The mean judgment of an output, and the number of judgments, by criterion.
fn ratings(source: &Source, group: &Group, system: usize) -> Vec<(String, f64, u64)> {
    let mut sums: BTreeMap<usize, (f64, u64)> = BTreeMap::new();
    for one in group
        .judgments
        .iter()
        .filter(|one| one.system.index() == system)
    {
        let sum = sums.entry(one.criterion).or_default();
        *sum = (sum.0 + one.score, sum.1 + 1);
    }
    let mean = |(criterion, (sum, n)): (usize, (f64, u64))| {
        (
            source.index.criteria()[criterion].clone(),
            sum / n as f64,
            n,
        )
    };
    sums.into_iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Arm;
    use tiebreak_data::records::index::GroupOutput;

    #[test]
    fn an_item_on_which_all_outputs_are_the_same_is_no_example() {
        let judgment = |system| GroupJudgment {
            place: 0,
            system: Arm(system),
            criterion: 0,
            score: 1.0,
            annotator: None,
            part: None,
            post_edit: None,
            seconds: None,
            repeat: None,
        };
        let group = |texts: &[&str]| Group {
            outputs: (0..)
                .zip(texts)
                .map(|(system, text)| GroupOutput {
                    system: Arm(system),
                    text: (*text).to_string(),
                })
                .collect(),
            judgments: (0..texts.len() as u16).map(judgment).collect(),
            ..Group::default()
        };
        let telling = |texts: &[&str]| is_telling(&group(texts), 0);
        assert!(telling(&["a", "b"]) && telling(&["a", "a ", "b"]) && telling(&["a"]));
        assert!(!telling(&["a", " a"]) && !telling(&[]));
    }

    #[test]
    fn ratings_under_several_criteria_take_their_time_once() {
        let judgment = |(place, (criterion, seconds)): (u64, (usize, f64))| GroupJudgment {
            place,
            system: Arm(0),
            criterion,
            score: 1.0,
            annotator: None,
            part: None,
            post_edit: None,
            repeat: None,
            seconds: Some(seconds),
        };
        // Two people without names, under two criteria each.
        let rated = [(0, 60.0), (1, 60.0), (0, 20.0), (1, 20.0)];
        let group = Group {
            judgments: (0..).zip(rated).map(judgment).collect(),
            ..Group::default()
        };
        let mut totals = DataOverviewBuilder::new(1);
        totals.time(&group, &group.judgments.iter().collect::<Vec<_>>());
        assert_eq!((totals.people.sittings, totals.people.seconds), (2, 80.0));
    }

    #[test]
    fn times_add_up_to_the_same_whatever_people_are_called() {
        // Their sum depends on the order.
        let seconds = [0.1, 0.2, 0.3];
        let total = |names: [&str; 3]| {
            let judgments = (0..).zip(names.iter().zip(seconds));
            let judgments = judgments.map(|(place, (name, seconds))| GroupJudgment {
                place,
                system: Arm(0),
                criterion: 0,
                score: 1.0,
                annotator: Some((*name).to_string()),
                part: None,
                post_edit: None,
                repeat: None,
                seconds: Some(seconds),
            });
            let group = Group {
                judgments: judgments.collect(),
                ..Group::default()
            };
            let mut totals = DataOverviewBuilder::new(1);
            totals.time(&group, &group.judgments.iter().collect::<Vec<_>>());
            totals.people.seconds.to_bits()
        };
        assert_eq!(total(["ana", "ben", "cy"]), total(["cy", "ben", "ana"]));
    }
}
