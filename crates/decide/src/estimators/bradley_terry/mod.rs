//! The strength of each system from paired comparisons: the model of Bradley and Terry ("Rank analysis of
//! incomplete block designs", Biometrika 1952), a tie being half a win and half a loss.
//!
//! ```text
//! P(i wins) + ½ P(tie)  =  σ(θ_i − θ_j)
//! ```
//!
//! θ are log-odds. What the data say about θ is each system's score, a tie counting one half, as everywhere in
//! this crate. How often people tie is no parameter: with one for all pairs, as Davidson has it (JASA 1970), a
//! thousand ties of two systems moved two others, never compared with them, from .41 to 1.71 apart.
//!
//! *Penalty.* Every system also won and lost half a judgment against an imaginary average one. So a system that
//! won or lost everything has a finite estimate, the maximum is unique, and the effect on ten judgments is small.
//!
//! *Errors.* A contrast c′θ has the variance c′ H⁻¹ B H⁻¹ c, robust to dependence among judgments of one item,
//! to answers that do not follow the model, and to ties, which make outcomes vary less (Liang and
//! Zeger, Biometrika 1986; H is the information, B = Σ g g′ over the score vectors g of
//! items, made larger for few and uneven items as `shares` has it); or c′ H⁻¹ M H⁻¹ c where that is larger, because
//! the residuals of a system that won everything are 0. M is what B is expected to be where outcomes depend on
//! their pair alone: H, less what the share of ties takes off the variance of each pair.
//!
//! Annotators are fixed, and comparisons may have weights. Where annotators are given, strengths are for annotators
//! like them: the variance is that over annotators, V_A, and what items add to it, max(0, V_items − V_both), with
//! V_both over the comparisons of one annotator on one item. Tastes are taken to be normal, and the degrees of freedom
//! are those of annotators. With equal weights of annotators that covers .94 to .96 with 8, 12 and 20 of them, also
//! where one gives half of the answers; with comparisons weighed alike it does not (Cameron, Gelbach and Miller,
//! "Robust inference with multiway clustering", JBES 2011: .80 to .85).
//!
//! *Style.* Where outputs differ in style (length, headings), each difference x enters as β x beside θ_i − θ_j, with the
//! same penalty; θ are then strengths of equal styles (arena's style control; Li et al., 2024).
//!
//! *Few wins.* Where two systems were compared with each other alone and one of them won rarely, the exact interval takes
//! the error's place (see `few`).
//!
//! Systems that no chain of comparisons links cannot be compared: strengths are relative to the mean
//! of their own group, and a difference across groups does not exist.

mod few;
mod likelihood;

pub use few::FewWins;

use super::contrasts::{Contrast, Contrasts, JointErrors};
use super::shares::corrections;
use likelihood::{PairOutcomeCounts, ParameterRows, add_score, design};
use rayon::slice::ParallelSliceMut;
use std::collections::BTreeMap;
use tiebreak_base::duel::{Outcome, Pair};
use tiebreak_base::stats::cholesky::Cholesky;
use tiebreak_base::stats::linked::linked;

/// One comparison of two systems on one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrengthComparison {
    /// The item; comparisons on the same one are dependent.
    pub item: u32,
    /// Two different systems.
    pub pair: Pair,
    /// The outcome for the first of them.
    pub outcome: Outcome,
}

/// Further data on comparisons, each in their order.
#[derive(Debug, Clone, Copy, Default)]
pub struct ComparisonDetails<'a> {
    /// The weight of each; all alike without weights.
    pub weights: Option<&'a [f64]>,
    /// The annotator of each, by number, where strengths are to be for annotators like them.
    pub annotators: Option<&'a [u32]>,
    /// The style differences of each pair of outputs, one per feature; empty where style does not count.
    pub styles: &'a [Vec<f64>],
}

impl ComparisonDetails<'_> {
    /// The weight of the comparison at a place.
    pub(crate) fn weight(&self, place: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[place])
    }

    fn assert_of(&self, number: usize) {
        let known = |n: Option<usize>| n.is_none_or(|n| n == number);
        assert!(known(self.weights.map(<[f64]>::len)), "a weight each");
        assert!(
            known(self.annotators.map(<[u32]>::len)),
            "an annotator each"
        );
        assert!(
            self.styles.is_empty() || self.styles.len() == number,
            "a style each"
        );
    }
}

/// The strengths of all systems with their errors.
#[derive(Debug, Clone)]
pub struct Strengths {
    k: usize,
    /// The parameters: θ, followed by β.
    theta: Vec<f64>,
    /// The number of the group that each system is linked to.
    group: Vec<usize>,
    /// The number of comparisons of each system.
    comparisons: Vec<u64>,
    items: u64,
    /// Degrees of freedom by row, those of items or of annotators, whichever are fewer.
    degrees: Vec<u64>,
    rows: ParameterRows,
    /// The covariance of θ over items, by row.
    by_item: Vec<f64>,
    /// The covariance of θ where outcomes depend on their pair alone.
    expected: Vec<f64>,
    /// The covariances over annotators, and over annotator and item together, where strengths are for people like them.
    people: Option<[Vec<f64>; 2]>,
    /// The lower and the higher system of groups of two, where one of them won too rarely for an error.
    few: BTreeMap<[usize; 2], FewWins>,
}

impl Strengths {
    /// Fits the strengths of `k` systems. Pairs are of systems below `k`; a system compared with
    /// itself is left out.
    pub fn fit(k: usize, comparisons: &[StrengthComparison]) -> Self {
        Self::fit_detailed(k, comparisons, ComparisonDetails::default())
    }

    /// Fits the strengths with further data on comparisons.
    ///
    /// # Panics
    /// If a list has not as many entries as there are comparisons, or styles have not all the same features.
    pub fn fit_detailed(
        k: usize,
        comparisons: &[StrengthComparison],
        details: ComparisonDetails<'_>,
    ) -> Self {
        details.assert_of(comparisons.len());
        let styles = details.styles;
        let used = || comparisons.iter().filter(|one| !one.pair.is_self());
        let features = styles.first().map_or(0, Vec::len);
        let mut counts = PairOutcomeCounts::new(k, features);
        let mut taken = vec![0; k];
        for (place, one) in comparisons.iter().enumerate() {
            if one.pair.is_self() {
                continue;
            }
            let style = styles.get(place).map_or(&[][..], Vec::as_slice);
            counts.push(one.pair, style, one.outcome, details.weight(place));
            taken[one.pair.first.index()] += 1;
            taken[one.pair.second.index()] += 1;
        }
        let rows = counts.rows();
        let n = rows.number();
        let theta = likelihood::maximise(&counts, &rows);
        let factor = Cholesky::new(counts.information(&theta, &rows), n)
            .expect("the penalty makes the information positive definite");
        let bread = factor.inverse();
        let covariance = |meat: &[f64]| sandwich(&bread, meat, n);
        let answers = DetailedComparisons {
            k,
            comparisons,
            details,
            rows: &rows,
        };
        let by_item = || {
            let rows = answers.sorted(|place| comparisons[place].item);
            answers.meat(&rows, |one| (0, one.item), &theta)
        };
        let of_people = || {
            let annotators = details.annotators?;
            let mut rows = answers.sorted(|place| annotators[place]);
            let by_person = answers.meat(&rows, |one| (one.cluster, 0), &theta);
            // Where comparisons come in the order of items, those of a person do.
            rows.sort_by_key(|one| (one.cluster, one.item));
            let by_both = answers.meat(&rows, |one| (one.cluster, one.item), &theta);
            Some((by_person, by_both))
        };
        let (by_item, people) = rayon::join(by_item, of_people);
        let mut degrees = by_item.degrees;
        let people = people.map(|(by_person, by_both)| {
            for (degrees, of_people) in degrees.iter_mut().zip(by_person.degrees) {
                *degrees = of_people.min(*degrees);
            }
            [by_person.sums, by_both.sums].map(|meat| covariance(&meat))
        });
        let group = linked(k, used().map(|one| one.pair.indices()));
        let is_plain = details.weights.is_none() && details.annotators.is_none() && features == 0;
        let twos = if is_plain {
            groups_of_two(&group)
        } else {
            Vec::new()
        };
        let few = twos.into_iter().filter_map(|two| {
            let own = used().filter(|one| two.contains(&one.pair.first.index()));
            Some((two, FewWins::count(two[0], own)?))
        });
        Self {
            k,
            few: few.collect(),
            group,
            comparisons: taken,
            items: by_item.clusters,
            degrees,
            by_item: covariance(&by_item.sums),
            expected: covariance(&counts.expected(&theta, &rows)),
            people,
            rows,
            theta,
        }
    }

    /// The number of comparisons of a system.
    pub fn comparisons(&self, system: usize) -> u64 {
        self.comparisons[system]
    }

    /// The number of items with comparisons. With fewer than five no error can be estimated.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// The number of groups of systems that are not linked to each other.
    pub fn groups(&self) -> usize {
        self.group.iter().max().map_or(0, |last| last + 1)
    }

    /// The effect of one unit of difference in a style feature on the log-odds.
    pub fn style(&self, feature: usize) -> Contrast {
        self.contrast(&[(self.k + feature, 1.0)], &[self.k + feature])
    }

    /// The contrast of parameters by their weights, with the fewest degrees of freedom of those of `about`. Only these
    /// parameters are visited: going over all would make the differences of all pairs cost what a product of matrices
    /// does, k times over.
    fn contrast(&self, weights: &[(usize, f64)], about: &[usize]) -> Contrast {
        let over = |values: &[f64], weights: &[(usize, f64)]| -> f64 {
            let terms = weights.iter();
            terms.map(|&(at, weight)| values[at] * weight).sum()
        };
        let n = self.rows.number();
        let row = |&(at, weight): &(usize, f64)| Some((self.rows.find_row(at)?, weight));
        let by_row: Vec<(usize, f64)> = weights.iter().filter_map(row).collect();
        let variance = |covariance: &Vec<f64>| -> f64 {
            let rows = by_row.iter();
            rows.map(|&(at, weight)| weight * over(&covariance[at * n..][..n], &by_row))
                .sum()
        };
        let over_items = variance(&self.by_item);
        let robust = match &self.people {
            None => over_items,
            Some([people, both]) => variance(people) + (over_items - variance(both)).max(0.0),
        };
        let rows = about.iter().filter_map(|&at| self.rows.find_row(at));
        let degrees = rows.map(|row| self.degrees[row]);
        Contrast::in_steps(
            over(&self.theta, weights),
            robust.max(variance(&self.expected)).sqrt(),
            degrees.min().unwrap_or(0),
        )
    }
}

impl Contrasts for Strengths {
    fn k(&self) -> usize {
        self.k
    }

    fn strength(&self, system: usize) -> Contrast {
        let linked = |&other: &usize| self.group[other] == self.group[system];
        let members: Vec<usize> = (0..self.k()).filter(linked).collect();
        let half = if members[0] == system { 0.5 } else { -0.5 };
        let two = <[usize; 2]>::try_from(&members[..]).ok();
        let few = two.and_then(|two| Some(self.few.get(&two)?.times(half)));
        let share = 1.0 / members.len() as f64;
        let weight = |&member: &usize| match member == system {
            true => (member, 1.0 - share),
            false => (member, -share),
        };
        let weights: Vec<(usize, f64)> = members.iter().map(weight).collect();
        Contrast {
            few,
            ..self.contrast(&weights, &[system])
        }
    }

    fn difference(&self, i: usize, j: usize) -> Option<Contrast> {
        if self.group[i] != self.group[j] || i == j {
            return None;
        }
        let mut weights = [(i, 1.0), (j, -1.0)];
        weights.sort_unstable_by_key(|&(at, _)| at);
        let few = self.few.get(&weights.map(|(at, _)| at));
        Some(Contrast {
            few: few.map(|few| few.times(weights[0].1)),
            ..self.contrast(&weights, &[i, j])
        })
    }

    fn joint_errors(&self) -> JointErrors {
        let n = self.rows.number();
        let systems: Vec<usize> = (0..self.k)
            .filter(|&at| self.rows.find_row(at).is_some())
            .collect();
        let robust = [
            Some(&self.by_item),
            self.people.as_ref().map(|[people, _]| people),
        ];
        let sum = |at: usize| {
            let robust = robust.iter().flatten().map(|covariance| covariance[at]);
            self.expected[at] + robust.sum::<f64>()
        };
        // Systems occupy the first rows, in their order.
        let places = 0..systems.len();
        let entries = places
            .clone()
            .flat_map(|i| places.clone().map(move |j| i * n + j));
        JointErrors {
            group: systems.iter().map(|&system| self.group[system]).collect(),
            covariance: entries.map(sum).collect(),
        }
    }
}

/// The members of those groups that two systems make, lower first.
fn groups_of_two(group: &[usize]) -> Vec<[usize; 2]> {
    let mut members = vec![Vec::new(); group.iter().max().map_or(0, |last| last + 1)];
    for (system, &of) in group.iter().enumerate() {
        members[of].push(system);
    }
    let twos = members.into_iter().map(<[usize; 2]>::try_from);
    twos.filter_map(Result::ok).collect()
}

/// The matrix B over clusters of comparisons.
struct Meat {
    sums: Vec<f64>,
    /// The number of clusters C.
    clusters: u64,
    /// Degrees of freedom, by row.
    degrees: Vec<u64>,
}

/// Comparisons with their further data.
struct DetailedComparisons<'a> {
    k: usize,
    comparisons: &'a [StrengthComparison],
    details: ComparisonDetails<'a>,
    rows: &'a ParameterRows,
}

/// A comparison among those of its cluster.
struct ClusteredComparison {
    cluster: u32,
    item: u32,
    place: u32,
    pair: Pair,
    outcome: Outcome,
    weight: f64,
}

impl DetailedComparisons<'_> {
    /// The comparisons in the order of the clusters that `cluster` assigns their places to, and of places in each. What is
    /// visited several times lies side by side: of a million comparisons one after the other is in no cache.
    fn sorted(&self, cluster: impl Fn(usize) -> u32) -> Vec<ClusteredComparison> {
        let all = self.comparisons.iter().enumerate();
        let compared = all.filter(|(_, one)| !one.pair.is_self());
        let key = |(place, _)| (u64::from(cluster(place)) << 32) | place as u64;
        let mut places: Vec<u64> = compared.map(key).collect();
        places.par_sort_unstable();
        let row = |key: u64| {
            let place = key as u32 as usize;
            let StrengthComparison {
                item,
                pair,
                outcome,
            } = self.comparisons[place];
            ClusteredComparison {
                cluster: (key >> 32) as u32,
                item,
                place: place as u32,
                pair,
                outcome,
                weight: self.details.weight(place),
            }
        };
        places.into_iter().map(row).collect()
    }

    /// The matrix B over clusters, which follow each other in `sorted`. It holds one score vector at a time: of a
    /// million comparisons there may be as many clusters.
    fn meat<C: PartialEq>(
        &self,
        sorted: &[ClusteredComparison],
        cluster: impl Fn(&ClusteredComparison) -> C,
        theta: &[f64],
    ) -> Meat {
        let n = self.rows.number();
        let clusters = || sorted.chunk_by(|one, other| cluster(one) == cluster(other));
        let row = |(at, _): (usize, f64)| self.rows.find_row(at);
        let corrections = corrections(n, |each| {
            let (mut weights, mut said) = (vec![0.0; n], Vec::new());
            for cluster in clusters() {
                for one in cluster {
                    for row in self.design(one).filter_map(row) {
                        weights[row] += one.weight;
                        said.push(row);
                    }
                }
                said.sort_unstable();
                said.dedup();
                for row in said.drain(..) {
                    each(row, std::mem::take(&mut weights[row]));
                }
            }
        });
        let (mut sums, mut score) = (vec![0.0; n * n], vec![0.0; n]);
        let (mut number, mut said) = (0, Vec::new());
        for cluster in clusters() {
            number += 1;
            for one in cluster {
                said.extend(self.design(one).filter_map(row));
                let outcome = (one.outcome, one.weight);
                add_score(theta, self.design(one), outcome, self.rows, &mut score);
            }
            said.sort_unstable();
            said.dedup();
            for &row in &said {
                score[row] *= corrections[row].larger;
            }
            // A cluster says nothing about systems that it does not compare.
            for &row in &said {
                for &column in &said {
                    sums[row * n + column] += score[row] * score[column];
                }
            }
            for row in said.drain(..) {
                score[row] = 0.0;
            }
        }
        Meat {
            sums,
            clusters: number,
            degrees: corrections.iter().map(|row| row.degrees).collect(),
        }
    }

    /// The design row of a comparison.
    fn design(&self, one: &ClusteredComparison) -> impl Iterator<Item = (usize, f64)> + Clone {
        let style = self.details.styles.get(one.place as usize);
        design(one.pair, self.k, style.map_or(&[][..], Vec::as_slice))
    }
}

/// The sandwich H⁻¹ B H⁻¹.
fn sandwich(bread: &[f64], meat: &[f64], n: usize) -> Vec<f64> {
    let product = |a: &[f64], b: &[f64]| -> Vec<f64> {
        let entry = |at: usize| (0..n).map(|l| a[at / n * n + l] * b[l * n + at % n]).sum();
        (0..n * n).map(entry).collect()
    };
    product(&product(bread, meat), bread)
}
