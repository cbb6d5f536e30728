//! Resamples of judged outputs by counting: how often each output is drawn, in orders that are found once.
//!
//! The numbers are those of [`Human::values_of`](super::Human::values_of) on the resampled outputs, to the bit. Ranks,
//! ties and discordant pairs are whole numbers, whatever the way to count them. What rounds is summed in the order of
//! the resample, each copy by itself ([`add_times`]).

use super::soft_pairwise::DifferencePowerSums;
use super::{Coefficient, Grouping, Layout, Pairing, Statistic, between_systems};
use std::cell::LazyCell;
use std::collections::BTreeMap;
use tiebreak_base::stats::correlation::{OrderedPairs, ascending, mean_rank, unordered_pairs};
use tiebreak_base::stats::moments::{JointMoments, Moments};
use tiebreak_base::stats::numeric::add_times;
use tiebreak_base::stats::tie_calibration::{TieCalibratedAccuracy, TieSearch};

/// The most pairs of outputs whose order is kept.
const MOST_PAIRS: usize = 1 << 23;

/// Judged outputs with the orders of their scores.
pub(super) struct CountedJudgments<'a> {
    layout: &'a Layout,
    human: &'a [f64],
    wanted: &'a [Statistic],
    metrics: Vec<CountedMetric<'a>>,
    /// The place of each output among the different values of its item.
    within: Vec<u8>,
    /// The items with two outputs or more.
    paired: Vec<usize>,
    /// The set of systems of each item, as a number.
    sets: Vec<u32>,
    /// An item with each set of systems.
    items_of_sets: Vec<usize>,
}

/// A metric's scores and their orders.
struct CountedMetric<'a> {
    scores: &'a [f64],
    within: Vec<u8>,
    cells: Cells,
    ties: TieOrder,
}

/// The different pairs of a person's and a metric's value.
struct Cells {
    /// The cell of each output.
    of_outputs: Vec<u32>,
    /// The values of each output, as those of its cell.
    values_of: Vec<[u32; 2]>,
    /// The places of both values among the different ones of their side. They are in the order of the side with more of
    /// them, then of the other.
    cells: Vec<[u32; 2]>,
    /// The numbers of different values.
    values: [usize; 2],
}

/// Pairs of outputs of one item, in the order of the metric's differences.
#[derive(Default)]
struct TieOrder {
    /// The item, and the systems as a place in a square, of each pair.
    pairs: Vec<(u32, u16)>,
    /// Pairs with one difference, one set of systems and one change, which have one gain.
    gains: Vec<GainRange>,
    /// Each difference with the end of its ranges among `gains`.
    differences: Vec<(f64, usize)>,
    /// The first pair of those that both sides call tied; no difference changes them.
    tied_from: usize,
}

struct GainRange {
    /// The end of these pairs.
    end: usize,
    set: u32,
    /// Whether calling these pairs tied agrees with people; otherwise it parts from them.
    gained: bool,
}

/// Items and systems drawn with repetition.
struct Draw<'a> {
    layout: &'a Layout,
    items: &'a [usize],
    systems: &'a [usize],
    /// The number of times that each item is drawn.
    times: Vec<u32>,
    /// The number of times that each system is drawn.
    copies: Vec<u32>,
    /// The place of each system among the drawn ones.
    places: Vec<u32>,
    /// The number of different systems.
    drawn: usize,
    /// The outputs by drawn systems, item by item as these were drawn.
    outputs: Vec<u32>,
    /// The number of times that each of them is drawn with its item, and its system's place.
    copies_of: Vec<u32>,
    places_of: Vec<u32>,
    /// The end of each drawn item's outputs.
    ends: Vec<usize>,
}

impl<'a> CountedJudgments<'a> {
    /// Finds the orders; `None` where pairs are too many to hold, or a number is not finite.
    pub(super) fn new(
        layout: &'a Layout,
        human: &'a [f64],
        metrics: &'a [Vec<f64>],
        wanted: &'a [Statistic],
    ) -> Option<Self> {
        let items = 0..layout.items();
        let of_item = |item| layout.of_item(item).len();
        let pairs: usize = items
            .clone()
            .map(|item| of_item(item).pow(2).saturating_sub(of_item(item)) / 2)
            .sum();
        let systems = |item| -> Vec<usize> {
            layout
                .of_item(item)
                .map(|output| layout.system(output))
                .collect()
        };
        let mut finite = metrics.iter().flatten().chain(human);
        let once = |item: usize| {
            let mut systems = systems(item);
            systems.sort_unstable();
            systems.is_sorted_by(|a, b| a < b)
        };
        if pairs > MOST_PAIRS
            || Pairing::sampled(layout.systems()).is_some()
            || !finite.all(|number| number.is_finite())
            || layout.firsts() != (0..layout.systems()).collect::<Vec<_>>()
            || !items.clone().all(once)
        {
            return None;
        }
        let mut known = BTreeMap::new();
        let mut items_of_sets = Vec::new();
        let sets = items.clone().map(|item| {
            let mut systems = systems(item);
            systems.sort_unstable();
            *known.entry(systems).or_insert_with(|| {
                items_of_sets.push(item);
                items_of_sets.len() as u32 - 1
            })
        });
        let sets: Vec<u32> = sets.collect();
        let metric = |scores: &'a Vec<f64>| CountedMetric {
            scores,
            within: places_within(layout, scores),
            cells: Cells::new([human, scores]),
            ties: TieOrder::new(layout, &sets, [human, scores]),
        };
        Some(Self {
            metrics: metrics.iter().map(metric).collect(),
            within: places_within(layout, human),
            paired: items.filter(|&item| of_item(item) > 1).collect(),
            layout,
            human,
            wanted,
            sets,
            items_of_sets,
        })
    }

    /// The values in a resample, by metric and statistic.
    pub(super) fn values(&self, items: &[usize], systems: &[usize]) -> Vec<Option<f64>> {
        let draw = Draw::new(self.layout, items, systems);
        let human = LazyCell::new(|| draw.column(self.human));
        let people = LazyCell::new(|| SystemSums::new(&draw, &human));
        let of_metric = |metric: &CountedMetric<'_>| {
            let within = LazyCell::new(|| self.within_items(&draw, metric));
            let scores = LazyCell::new(|| draw.column(metric.scores));
            let pairs = LazyCell::new(|| self.calibrated(&draw, &metric.ties));
            let global = LazyCell::new(|| metric.cells.coefficients(&draw, &human, &scores));
            let sums = LazyCell::new(|| SystemSums::new(&draw, &scores));
            let copied = LazyCell::new(|| self.layout.copied(systems));
            let sides = LazyCell::new(|| [people.means(&draw), sums.means(&draw)]);
            let value = |one: &Statistic| match (one.grouping, one.coefficient) {
                (Grouping::Item, Coefficient::Accuracy) => pairs.map(|found| found.accuracy),
                (Grouping::Item, Coefficient::CalibratedAccuracy) => {
                    pairs.map(|found| found.calibrated)
                }
                (Grouping::Item, coefficient) => {
                    let within = &within[coefficient_place(coefficient)?];
                    let values = items.iter().filter_map(|&item| within[item]);
                    values.collect::<Moments>().mean()
                }
                (Grouping::Global, coefficient) => global[coefficient_place(coefficient)?],
                (Grouping::System, Coefficient::SoftPairwiseAccuracy) => {
                    people.soft_accuracy(&sums, &draw)
                }
                (Grouping::System, coefficient) => {
                    between_systems(coefficient, &copied, &sides).value
                }
            };
            self.wanted.iter().map(value).collect::<Vec<_>>()
        };
        self.metrics.iter().flat_map(of_metric).collect()
    }

    /// The correlations within each drawn item, by [`place`].
    fn within_items(&self, draw: &Draw<'_>, metric: &CountedMetric<'_>) -> [Vec<Option<f64>>; 3] {
        let mut found = [(); 3].map(|()| vec![None; self.layout.items()]);
        let mut outputs = DrawnOutputs::default();
        for &item in self.paired.iter().filter(|&&item| draw.times[item] > 0) {
            let of_item = self.layout.of_item(item);
            outputs.clear(of_item.len());
            for output in of_item {
                let copies = draw.copies(output);
                if copies > 0 {
                    let sides = [self.human[output], metric.scores[output]];
                    let places = [self.within[output], metric.within[output]];
                    outputs.push(sides, places, copies);
                }
            }
            // Copies of one output do not vary.
            if outputs.copies.len() > 1 {
                for (found, value) in found.iter_mut().zip(outputs.coefficients()) {
                    found[item] = value;
                }
            }
        }
        found
    }

    /// The accuracies over pairs, with equal weight for each item that has one.
    fn calibrated(&self, draw: &Draw<'_>, ties: &TieOrder) -> Option<TieCalibratedAccuracy> {
        let k = self.layout.systems();
        let mut copies = vec![0; k * k];
        for (at, copies) in copies.iter_mut().enumerate() {
            *copies = draw.copies[at / k] * draw.copies[at % k];
        }
        let times = |&(item, systems): &(u32, u16)| {
            u64::from(draw.times[item as usize] * copies[usize::from(systems)])
        };
        // How often each gain occurs.
        let counts: Vec<u64> = ties
            .ranges()
            .map(|pairs| pairs.iter().map(times).sum())
            .collect();
        let tied = &ties.pairs[ties.tied_from..];
        let lost = || {
            let ranges = ties.ranges().zip(&ties.gains).zip(&counts);
            ranges.filter(|((_, range), _)| !range.gained)
        };
        let of_set: Vec<u64> = self
            .items_of_sets
            .iter()
            .map(|&item| draw.pairs(item))
            .collect();
        let weights: Vec<f64> = of_set.iter().map(|&pairs| 1.0 / pairs as f64).collect();
        let sets = || draw.items.iter().map(|&item| self.sets[item] as usize);
        let some = sets().find(|&set| of_set[set] > 0)?;
        let (mut all, mut agreed) = (0.0, 0.0);
        if sets().all(|set| of_set[set] == 0 || of_set[set] == of_set[some]) {
            let agreeing: u64 = lost().map(|(_, count)| count).sum();
            let agreeing = agreeing + tied.iter().map(times).sum::<u64>();
            all = add_times(all, weights[some], sets().map(|set| of_set[set]).sum());
            agreed = add_times(agreed, weights[some], agreeing);
        } else {
            let mut agreeing = vec![0; self.layout.items()];
            let lost = lost().map(|((pairs, _), _)| pairs);
            for &(item, systems) in lost.chain([tied]).flatten() {
                agreeing[item as usize] += u64::from(copies[usize::from(systems)]);
            }
            for (set, &item) in sets().zip(draw.items) {
                all = add_times(all, weights[set], of_set[set]);
                agreed = add_times(agreed, weights[set], agreeing[item]);
            }
        }
        let mut search = TieSearch::new(agreed, all);
        let (mut begin, mut gains) = (0, Vec::new());
        for &(difference, end) in &ties.differences {
            let ranges = ties.gains[begin..end].iter().zip(&counts[begin..end]);
            gains.clear();
            gains.extend(ranges.filter(|one| *one.1 > 0).map(|(range, &count)| {
                let weight = weights[range.set as usize];
                (if range.gained { weight } else { -weight }, count)
            }));
            gains.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            let gain = gains
                .iter()
                .fold(0.0, |sum, &(gain, count)| add_times(sum, gain, count));
            search.push(difference, gain);
            begin = end;
        }
        search.found()
    }
}

impl TieOrder {
    fn new(layout: &Layout, sets: &[u32], [human, scores]: [&[f64]; 2]) -> Self {
        let (mut changing, mut tied) = (Vec::new(), Vec::new());
        for (item, &set) in sets.iter().enumerate() {
            for (a, b) in layout.pairs(item) {
                let ordered = ascending(human[a], human[b]);
                let difference = scores[a] - scores[b];
                let systems = layout.system(a) * layout.systems() + layout.system(b);
                let pair = (item as u32, systems as u16);
                let gained = ordered.is_eq();
                match ordered == ascending(difference, 0.0) {
                    true if gained => tied.push(pair),
                    false if !gained => {}
                    _ => changing.push((difference.abs(), gained, set, pair)),
                }
            }
        }
        changing.sort_unstable_by(|a, b| {
            a.0.total_cmp(&b.0)
                .then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3)))
        });
        let mut order = Self::default();
        for of_difference in changing.chunk_by(|a, b| a.0 == b.0) {
            for range in of_difference.chunk_by(|a, b| (a.1, a.2) == (b.1, b.2)) {
                order.pairs.extend(range.iter().map(|one| one.3));
                order.gains.push(GainRange {
                    end: order.pairs.len(),
                    set: range[0].2,
                    gained: range[0].1,
                });
            }
            order
                .differences
                .push((of_difference[0].0, order.gains.len()));
        }
        order.tied_from = order.pairs.len();
        order.pairs.extend(tied);
        order
    }

    /// The pairs of each range of gains.
    fn ranges(&self) -> impl Iterator<Item = &[(u32, u16)]> {
        let mut begin = 0;
        self.gains.iter().map(move |range| {
            let pairs = &self.pairs[begin..range.end];
            begin = range.end;
            pairs
        })
    }
}

impl<'a> Draw<'a> {
    fn new(layout: &'a Layout, items: &'a [usize], systems: &'a [usize]) -> Self {
        let mut times = vec![0; layout.items()];
        for &item in items {
            times[item] += 1;
        }
        let mut copies = vec![0; layout.systems()];
        for &system in systems {
            copies[system] += 1;
        }
        let mut drawn = 0;
        let place = |&copies: &u32| {
            drawn += u32::from(copies > 0);
            drawn.saturating_sub(1)
        };
        let places: Vec<u32> = copies.iter().map(place).collect();
        let mut draw = Self {
            layout,
            items,
            systems,
            times,
            outputs: Vec::with_capacity(layout.outputs()),
            copies_of: Vec::with_capacity(layout.outputs()),
            places_of: Vec::with_capacity(layout.outputs()),
            ends: Vec::with_capacity(items.len()),
            drawn: drawn as usize,
            copies,
            places,
        };
        for &item in items {
            for output in layout.of_item(item) {
                let system = layout.system(output);
                let copies = draw.copies[system];
                if copies > 0 {
                    draw.outputs.push(output as u32);
                    draw.copies_of.push(copies);
                    draw.places_of.push(draw.places[system]);
                }
            }
            draw.ends.push(draw.outputs.len());
        }
        draw
    }

    /// The numbers of the drawn outputs.
    fn column(&self, numbers: &[f64]) -> Vec<f64> {
        self.outputs
            .iter()
            .map(|&output| numbers[output as usize])
            .collect()
    }

    /// The number of times that an output is drawn with its item.
    fn copies(&self, output: usize) -> u32 {
        self.copies[self.layout.system(output)]
    }

    /// The number of pairs of an item's drawn outputs by different systems.
    fn pairs(&self, item: usize) -> u64 {
        let pairs = self.layout.pairs(item);
        pairs
            .map(|(a, b)| u64::from(self.copies(a) * self.copies(b)))
            .sum()
    }
}

/// The drawn outputs of an item.
#[derive(Default)]
struct DrawnOutputs {
    /// Both sides, with the places of their values.
    sides: Vec<[f64; 2]>,
    places: [Vec<i32>; 2],
    copies: Vec<i32>,
    /// The number of outputs with each value, and their rank.
    counts: [Vec<u64>; 2],
    ranks: [Vec<f64>; 2],
}

impl DrawnOutputs {
    fn clear(&mut self, values: usize) {
        self.sides.clear();
        self.copies.clear();
        for side in 0..2 {
            self.places[side].clear();
            self.counts[side].clear();
            self.counts[side].resize(values, 0);
        }
    }

    fn push(&mut self, sides: [f64; 2], places: [u8; 2], copies: u32) {
        self.sides.push(sides);
        self.copies.push(copies as i32);
        for (side, place) in places.into_iter().enumerate() {
            self.places[side].push(i32::from(place));
            self.counts[side][usize::from(place)] += u64::from(copies);
        }
    }

    /// The correlations, by [`place`].
    fn coefficients(&mut self) -> [Option<f64>; 3] {
        let n = self.copies.iter().sum::<i32>() as u64;
        let mut pairs = OrderedPairs {
            all: unordered_pairs(n),
            ..OrderedPairs::default()
        };
        for side in 0..2 {
            let (ranks, tied) = ranks(&self.counts[side]);
            (self.ranks[side], pairs.tied[side]) = (ranks, tied);
        }
        let (mut raw, mut ranked) = (JointMoments::default(), JointMoments::default());
        let [x, y] = &self.places;
        let (mut both, mut discordant) = (0, 0);
        for (at, &copies) in self.copies.iter().enumerate() {
            let (mut equal, mut turned) = (0, 0);
            for before in 0..at {
                let [lower, higher] = [x[before] < x[at], x[before] > x[at]];
                let [below, above] = [y[before] < y[at], y[before] > y[at]];
                let same = !(lower || higher || below || above);
                equal += self.copies[before] * i32::from(same);
                turned += self.copies[before] * i32::from((lower && above) || (higher && below));
            }
            both += copies * equal + copies * (copies - 1) / 2;
            discordant += copies * turned;
            for _ in 0..copies {
                raw.push(self.sides[at][0], self.sides[at][1]);
                ranked.push(self.ranks[0][x[at] as usize], self.ranks[1][y[at] as usize]);
            }
        }
        (pairs.tied_in_both, pairs.discordant) = (both as u64, discordant as u64);
        [raw.correlation(), ranked.correlation(), pairs.tau_b()]
    }
}

/// The rank of each value by how often the values occur, and the number of tied pairs.
fn ranks(counts: &[u64]) -> (Vec<f64>, u64) {
    let (mut below, mut tied) = (0, 0);
    let rank = |&count: &u64| {
        below += count;
        tied += unordered_pairs(count);
        mean_rank(below - count, count)
    };
    (counts.iter().map(rank).collect(), tied)
}

/// The place of each output among the different values of its item.
fn places_within(layout: &Layout, numbers: &[f64]) -> Vec<u8> {
    let of_item = |item| places(&numbers[layout.of_item(item)]);
    let all = (0..layout.items()).flat_map(of_item);
    all.map(|place| place as u8).collect()
}

/// The place of a correlation in the lists here.
fn coefficient_place(coefficient: Coefficient) -> Option<usize> {
    use Coefficient::{Kendall, Pearson, Spearman};
    [Pearson, Spearman, Kendall]
        .iter()
        .position(|&one| one == coefficient)
}

impl Cells {
    fn new(sides: [&[f64]; 2]) -> Self {
        let places = sides.map(places);
        let values = places
            .each_ref()
            .map(|places| places.iter().max().map_or(0, |&last| last as usize + 1));
        let wide = usize::from(values[1] > values[0]);
        let mut order: Vec<u32> = (0..sides[0].len() as u32).collect();
        let cell = |output: u32| [0, 1].map(|side| places[side][output as usize]);
        let key = |output: u32| (cell(output)[wide], cell(output)[1 - wide]);
        order.sort_unstable_by_key(|&output| key(output));
        let mut found = Self {
            of_outputs: vec![0; order.len()],
            values_of: (0..order.len() as u32).map(cell).collect(),
            cells: Vec::new(),
            values,
        };
        for same in order.chunk_by(|&a, &b| key(a) == key(b)) {
            for &output in same {
                found.of_outputs[output as usize] = found.cells.len() as u32;
            }
            found.cells.push(cell(same[0]));
        }
        found
    }

    /// The correlations of all outputs, by [`place`]. The two sides are those of the drawn ones.
    fn coefficients(&self, draw: &Draw<'_>, human: &[f64], scores: &[f64]) -> [Option<f64>; 3] {
        let mut counts = vec![0; self.cells.len()];
        for (item, &times) in draw.times.iter().enumerate() {
            for output in draw.layout.of_item(item) {
                counts[self.of_outputs[output] as usize] += times * draw.copies(output);
            }
        }
        let (ranks, pairs) = self.counted(&counts);
        let column = |side: usize| -> Vec<f64> {
            let values = draw
                .outputs
                .iter()
                .map(|&output| self.values_of[output as usize][side]);
            values.map(|value| ranks[side][value as usize]).collect()
        };
        let ranks = [column(0), column(1)];
        let (mut raw, mut ranked) = (JointMoments::default(), JointMoments::default());
        let sides = human.iter().zip(scores).zip(ranks[0].iter().zip(&ranks[1]));
        for (&copies, ((&x, &y), (&rank, &other))) in draw.copies_of.iter().zip(sides) {
            for _ in 0..copies {
                raw.push(x, y);
                ranked.push(rank, other);
            }
        }
        [raw.correlation(), ranked.correlation(), pairs.tau_b()]
    }

    /// The ranks of each side's values, and how many pairs are ordered how.
    fn counted(&self, counts: &[u32]) -> ([Vec<f64>; 2], OrderedPairs) {
        let mut of_values = self.values.map(|values| vec![0; values]);
        let mut pairs = OrderedPairs::default();
        let wide = usize::from(self.values[1] > self.values[0]);
        let mut before = CumulativeCounts::new(self.values[1 - wide]);
        let (mut seen, mut begin) = (0, 0);
        while let Some(first) = self.cells.get(begin) {
            let rest = self.cells[begin..].iter();
            let end = begin + rest.take_while(|cell| cell[wide] == first[wide]).count();
            let same = || {
                let both = self.cells[begin..end].iter().zip(&counts[begin..end]);
                both.filter(|both| *both.1 > 0)
                    .map(|(cell, &count)| (cell[1 - wide] as usize, u64::from(count)))
            };
            let mut of_value = 0;
            for (value, count) in same() {
                pairs.discordant += count * (seen - before.up_to(value));
                pairs.tied_in_both += unordered_pairs(count);
                of_values[1 - wide][value] += count;
                of_value += count;
            }
            for (value, count) in same() {
                before.add(value, count);
            }
            of_values[wide][first[wide] as usize] = of_value;
            (seen, begin) = (seen + of_value, end);
        }
        pairs.all = unordered_pairs(seen);
        let mut tied = pairs.tied.iter_mut();
        let ranks = of_values.map(|counts| {
            let (ranks, of_side) = ranks(&counts);
            tied.next().into_iter().for_each(|tied| *tied = of_side);
            ranks
        });
        (ranks, pairs)
    }
}

/// The place of each number among the different ones, in ascending order.
fn places(numbers: &[f64]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_unstable_by(|&a, &b| ascending(numbers[a], numbers[b]));
    let mut places = vec![0; numbers.len()];
    for (place, same) in order
        .chunk_by(|&a, &b| numbers[a] == numbers[b])
        .enumerate()
    {
        for &at in same {
            places[at] = place as u32;
        }
    }
    places
}

/// Counts of values with their running totals (Fenwick, "A new data structure for cumulative frequency tables", 1994).
struct CumulativeCounts(Vec<u64>);

impl CumulativeCounts {
    fn new(values: usize) -> Self {
        Self(vec![0; values + 1])
    }

    fn add(&mut self, value: usize, count: u64) {
        let mut at = value + 1;
        while at < self.0.len() {
            self.0[at] += count;
            at += at & at.wrapping_neg();
        }
    }

    /// The number of values of at most this one.
    fn up_to(&self, value: usize) -> u64 {
        let (mut at, mut sum) = (value + 1, 0);
        while at > 0 {
            sum += self.0[at];
            at &= at - 1;
        }
        sum
    }
}

/// Sums of one side over the drawn items, by place of the system. All copies of a system have the same.
struct SystemSums {
    /// The sum and number of scores.
    scores: Vec<(f64, u32)>,
    /// The differences of each two systems, the one with the lower place first, row by row.
    differences: Vec<DifferencePowerSums>,
}

impl SystemSums {
    fn new(draw: &Draw<'_>, scores: &[f64]) -> Self {
        let k = draw.drawn;
        let mut sums = Self {
            scores: vec![(0.0, 0); k],
            differences: vec![DifferencePowerSums::default(); k * k.saturating_sub(1) / 2],
        };
        let whole: Vec<u32> = (0..k as u32).collect();
        let mut begin = 0;
        for &end in &draw.ends {
            let (places, scores) = (&draw.places_of[begin..end], &scores[begin..end]);
            for (&place, score) in places.iter().zip(scores) {
                let (sum, n) = &mut sums.scores[place as usize];
                *sum += score;
                *n += 1;
            }
            if places == whole {
                let mut rest = sums.differences.as_mut_slice();
                for (at, one) in scores.iter().enumerate() {
                    let (row, later) = rest.split_at_mut(k - at - 1);
                    for (sums, other) in row.iter_mut().zip(&scores[at + 1..]) {
                        sums.push(one - other);
                    }
                    rest = later;
                }
            } else {
                for (at, (&a, one)) in places.iter().zip(scores).enumerate() {
                    for (&b, other) in places[at + 1..].iter().zip(&scores[at + 1..]) {
                        let difference = if a < b { one - other } else { other - one };
                        sums.differences[slot(k, a, b)].push(difference);
                    }
                }
            }
            begin = end;
        }
        sums
    }

    /// The mean score of each drawn copy of a system.
    fn means(&self, draw: &Draw<'_>) -> Vec<Option<f64>> {
        let mean = |&system: &usize| {
            let (sum, n) = self.scores[draw.places[system] as usize];
            (n > 0).then(|| sum / f64::from(n))
        };
        draw.systems.iter().map(mean).collect()
    }

    /// The soft pairwise accuracy of the other side, over the pairs of copies in their order.
    fn soft_accuracy(&self, other: &Self, draw: &Draw<'_>) -> Option<f64> {
        // One pair of systems stands for all pairs of their copies, by which of them is first.
        let mut known = vec![None; draw.drawn * draw.drawn];
        let (mut total, mut pairs) = (0.0, 0_u32);
        for (at, &first) in draw.systems.iter().enumerate() {
            for &second in &draw.systems[at + 1..] {
                let [a, b] = [first, second].map(|system| draw.places[system]);
                if a == b {
                    continue;
                }
                let sides = [self, other].map(|side| side.differences[slot(draw.drawn, a, b)]);
                if sides[0].n > 0 {
                    let gap = &mut known[a as usize * draw.drawn + b as usize];
                    let gap = gap.get_or_insert_with(|| {
                        let [one, other] =
                            sides.map(|sums| if b < a { sums.turned() } else { sums });
                        (one.p() - other.p()).abs()
                    });
                    total += *gap;
                    pairs += 1;
                }
            }
        }
        (pairs > 0).then(|| 1.0 - total / f64::from(pairs))
    }
}

/// The slot of the differences of two of `k` systems at different places.
fn slot(k: usize, a: u32, b: u32) -> usize {
    let (low, high) = (a.min(b) as usize, a.max(b) as usize);
    low * (2 * k - low - 1) / 2 + high - low - 1
}
