//! Resamples of judged outputs by counting: how often each output is drawn, in orders that are found once.
//!
//! The numbers are those of [`Human::values_of`](super::Human::values_of) on the resampled outputs, to the bit. Ranks,
//! ties and discordant pairs are whole numbers, whatever the way to count them. What rounds is summed in the order of
//! the resample, each copy by itself ([`add_times`]).

use super::soft_pairwise::DifferencePowerSums;
use super::{Coefficient, Grouping, Layout, Pairing, Statistic};
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::iter::repeat_n;
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
    /// The systems of each item, as a number.
    sets: Vec<u32>,
    /// An item with each list of systems.
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
    /// Pairs with one difference, one list of systems and one change, which have one gain.
    gains: Vec<GainRange>,
    /// The first pair of those that both sides call tied; no difference changes them.
    tied_from: usize,
}

struct GainRange {
    /// The end of these pairs.
    end: u32,
    set: u32,
    /// Whether calling these pairs tied agrees with people; otherwise it parts from them.
    gained: bool,
    /// Whether these are the last pairs with their difference.
    is_last: bool,
}

/// What one resample after the other is counted in.
#[derive(Default)]
pub struct ResampleBuffers {
    draw: Draw,
    /// The correlations within each drawn item.
    within: Vec<[Option<f64>; 3]>,
    outputs: CountedPoints,
    systems: CountedPoints,
    cells: CellCounts,
    ties: TieCounts,
    /// The numbers of people, and of a metric, by drawn outputs in the order of the resample.
    columns: [Vec<f64>; 2],
    /// Sums of the same.
    sums: [SystemSums; 2],
}

/// Judged outputs of items and systems that are drawn with repetition.
#[derive(Clone, Copy)]
struct Resample<'a> {
    counted: &'a CountedJudgments<'a>,
    draw: &'a Draw,
    items: &'a [usize],
    systems: &'a [usize],
}

/// How often items and systems are drawn.
#[derive(Default)]
struct Draw {
    /// The number of times that each item is drawn.
    times: Vec<u32>,
    /// The number of times that each system is drawn.
    copies: Vec<u32>,
    /// The place of each system among the drawn ones.
    places: Vec<u32>,
    /// The number of different systems.
    drawn: usize,
    /// The lists of systems of items, with the outputs by drawn systems.
    sets: Vec<DrawnSet>,
    outputs: Vec<DrawnOutput>,
    /// All drawn outputs in the order of the resample, and how often their systems are drawn.
    order: Vec<(u32, u32)>,
}

/// The outputs by drawn systems of an item with a list of systems.
struct DrawnSet {
    begin: usize,
    end: usize,
    /// Whether these are all the drawn systems, in their order.
    is_whole: bool,
    /// The number of pairs of copies by different systems.
    pairs: u64,
}

/// An output of a drawn system.
struct DrawnOutput {
    /// Its place in the item.
    offset: u32,
    /// The number of times that the system is drawn, and its place.
    copies: u32,
    place: u32,
}

/// What the search for the best difference counts.
#[derive(Default)]
struct TieCounts {
    /// The number of pairs of copies of each two systems.
    of_systems: Vec<u32>,
    /// How often each gain occurs.
    counts: Vec<u64>,
    /// The number of pairs of each item that both sides order alike.
    agreeing: Vec<u64>,
    gains: Vec<(f64, u64)>,
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
        let sets = items.map(|item| {
            *known.entry(systems(item)).or_insert_with(|| {
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
            layout,
            human,
            wanted,
            sets,
            items_of_sets,
        })
    }

    /// The values in a resample, by metric and statistic.
    pub(super) fn values(
        &self,
        buffers: &mut ResampleBuffers,
        items: &[usize],
        systems: &[usize],
    ) -> Vec<Option<f64>> {
        buffers.draw.fill(self, items, systems);
        let resample = Resample {
            counted: self,
            draw: &buffers.draw,
            items,
            systems,
        };
        let ([human, scores], [people, sums]) = (&mut buffers.columns, &mut buffers.sums);
        resample.gather(self.human, human);
        let people = LazyCell::new(|| people.filled(resample, human));
        let mut values = Vec::with_capacity(self.metrics.len() * self.wanted.len());
        for metric in &self.metrics {
            resample.gather(metric.scores, scores);
            let (sides, sums) = ([human.as_slice(), scores], &mut *sums);
            let within = LazyCell::new(|| {
                resample.within_items(metric, &mut buffers.outputs, &mut buffers.within)
            });
            let pairs = LazyCell::new(|| resample.calibrated(&metric.ties, &mut buffers.ties));
            let global = LazyCell::new(|| {
                metric
                    .cells
                    .coefficients(resample, sides, &mut buffers.cells)
            });
            let sums = LazyCell::new(|| sums.filled(resample, sides[1]));
            let between =
                LazyCell::new(|| resample.between([*people, *sums], &mut buffers.systems));
            let value = |one: &Statistic| match (one.grouping, one.coefficient) {
                (Grouping::Item, Coefficient::Accuracy) => pairs.map(|found| found.accuracy),
                (Grouping::Item, Coefficient::CalibratedAccuracy) => {
                    pairs.map(|found| found.calibrated)
                }
                (Grouping::Item, coefficient) => within[coefficient_place(coefficient)?],
                (Grouping::Global, coefficient) => global[coefficient_place(coefficient)?],
                (Grouping::System, Coefficient::SoftPairwiseAccuracy) => {
                    people.soft_accuracy(*sums, resample)
                }
                (Grouping::System, Coefficient::Accuracy) => between.1,
                (Grouping::System, coefficient) => between.0[coefficient_place(coefficient)?],
            };
            values.extend(self.wanted.iter().map(value));
        }
        values
    }
}

impl Resample<'_> {
    /// The first output of an item, its list of systems, and its drawn outputs.
    #[inline]
    fn of_item(&self, item: usize) -> (usize, &DrawnSet, &[DrawnOutput]) {
        let set = &self.draw.sets[self.counted.sets[item] as usize];
        let first = self.counted.layout.of_item(item).start;
        (first, set, &self.draw.outputs[set.begin..set.end])
    }

    /// The different items that are drawn, and how often each is.
    fn different_items(&self) -> impl Iterator<Item = (usize, u32)> {
        let times = self.draw.times.iter().copied().enumerate();
        times.filter(|&(_, times)| times > 0)
    }

    /// Collects what outputs have, by drawn outputs in the order of the resample. Nothing else is done on the way, as it
    /// waits for memory.
    fn gather<T: Copy>(&self, all: &[T], drawn: &mut Vec<T>) {
        drawn.clear();
        drawn.extend(
            self.draw
                .order
                .iter()
                .map(|&(output, _)| all[output as usize]),
        );
    }

    /// The means over items of the correlations within each of them, by [`coefficient_place`].
    fn within_items(
        &self,
        metric: &CountedMetric<'_>,
        points: &mut CountedPoints,
        found: &mut Vec<[Option<f64>; 3]>,
    ) -> [Option<f64>; 3] {
        found.resize(self.draw.times.len(), [None; 3]);
        for (item, _) in self.different_items() {
            let (first, _, outputs) = self.of_item(item);
            // Copies of one output do not vary.
            if outputs.len() < 2 {
                found[item] = [None; 3];
                continue;
            }
            points.clear(self.counted.layout.of_item(item).len());
            for one in outputs {
                let output = first + one.offset as usize;
                let places = [self.counted.within[output], metric.within[output]];
                points.push(places.map(u32::from), one.copies);
            }
            let copies = outputs.iter().enumerate();
            let order = copies.flat_map(|(at, one)| repeat_n(at, one.copies as usize));
            let sides = |at: usize| {
                let output = first + outputs[at].offset as usize;
                [self.counted.human[output], metric.scores[output]]
            };
            found[item] = points.coefficients(order, sides).0;
        }
        let mut means = [Moments::default(); 3];
        for &item in self.items {
            for (mean, value) in means.iter_mut().zip(found[item]) {
                if let Some(value) = value {
                    mean.push(value);
                }
            }
        }
        means.each_ref().map(Moments::mean)
    }

    /// The accuracies over pairs, with equal weight for each item that has one.
    fn calibrated(
        &self,
        ties: &TieOrder,
        buffers: &mut TieCounts,
    ) -> Option<TieCalibratedAccuracy> {
        let draw = self.draw;
        let TieCounts {
            of_systems,
            counts,
            agreeing,
            gains,
        } = buffers;
        of_systems.clear();
        for &one in &draw.copies {
            of_systems.extend(draw.copies.iter().map(|&other| one * other));
        }
        let times = |&(item, systems): &(u32, u16)| {
            u64::from(draw.times[item as usize] * of_systems[usize::from(systems)])
        };
        // How often each gain occurs.
        counts.clear();
        counts.extend(
            ties.ranges()
                .map(|pairs| pairs.iter().map(times).sum::<u64>()),
        );
        let tied = &ties.pairs[ties.tied_from..];
        let lost = || {
            let ranges = ties.ranges().zip(&ties.gains).zip(&*counts);
            ranges.filter(|((_, range), _)| !range.gained)
        };
        let of_sets = || self.items.iter().map(|&item| self.of_item(item).1);
        let some = of_sets().find(|set| set.pairs > 0)?;
        let (mut all, mut agreed) = (0.0, 0.0);
        if of_sets().all(|set| set.pairs == 0 || set.pairs == some.pairs) {
            let alike: u64 = lost().map(|(_, count)| count).sum();
            let alike = alike + tied.iter().map(times).sum::<u64>();
            all = add_times(all, some.weight(), of_sets().map(|set| set.pairs).sum());
            agreed = add_times(agreed, some.weight(), alike);
        } else {
            agreeing.clear();
            agreeing.resize(draw.times.len(), 0);
            let lost = lost().map(|((pairs, _), _)| pairs);
            for &(item, systems) in lost.chain([tied]).flatten() {
                agreeing[item as usize] += u64::from(of_systems[usize::from(systems)]);
            }
            for (set, &item) in of_sets().zip(self.items) {
                all = add_times(all, set.weight(), set.pairs);
                agreed = add_times(agreed, set.weight(), agreeing[item]);
            }
        }
        let mut search = TieSearch::new(agreed, all);
        gains.clear();
        for (range, &count) in ties.gains.iter().zip(&*counts) {
            if count > 0 {
                let weight = draw.sets[range.set as usize].weight();
                gains.push((if range.gained { weight } else { -weight }, count));
            }
            if range.is_last && !gains.is_empty() {
                gains.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
                let gain = gains.drain(..);
                let gain = gain.fold(0.0, |sum, (gain, count)| add_times(sum, gain, count));
                // Which difference is best is not asked for.
                search.push(0.0, gain);
            }
        }
        search.found()
    }

    /// The correlations of the means of the systems' copies, by [`coefficient_place`], and the accuracy.
    fn between(
        &self,
        sides: [&SystemSums; 2],
        points: &mut CountedPoints,
    ) -> ([Option<f64>; 3], Option<f64>) {
        let [people, metric] = sides;
        points.clear(self.draw.drawn);
        let copies = self.draw.copies.iter().filter(|&&copies| copies > 0);
        for (place, &copies) in copies.enumerate() {
            let is_known = people.scores[place].1 > 0;
            let smaller = |side: &SystemSums| {
                let smaller = side.means.iter().filter(|&&mean| mean < side.means[place]);
                smaller.count() as u32
            };
            points.push(sides.map(smaller), if is_known { copies } else { 0 });
        }
        let order = self
            .systems
            .iter()
            .map(|&one| self.draw.places[one] as usize);
        let known = order.filter(|&place| people.scores[place].1 > 0);
        let means = |place: usize| [people.means[place], metric.means[place]];
        let (found, pairs) = points.coefficients(known, means);
        // Two copies of one system are no pair.
        let same = points
            .copies
            .iter()
            .map(|&copies| unordered_pairs(copies as u64))
            .sum::<u64>();
        let untied = pairs.all + pairs.tied_in_both - pairs.tied[0] - pairs.tied[1];
        let agreed = untied - pairs.discordant + pairs.tied_in_both - same;
        let accuracy = (pairs.all > same).then(|| agreed as f64 / (pairs.all - same) as f64);
        let mut all = people.means.iter().chain(&metric.means);
        let is_finite = all.all(|mean| mean.is_finite());
        (found.map(|value| value.filter(|_| is_finite)), accuracy)
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
                    end: order.pairs.len() as u32,
                    set: range[0].2,
                    gained: range[0].1,
                    is_last: false,
                });
            }
            if let Some(last) = order.gains.last_mut() {
                last.is_last = true;
            }
        }
        order.tied_from = order.pairs.len();
        order.pairs.extend(tied);
        order
    }

    /// The pairs of each range of gains.
    fn ranges(&self) -> impl Iterator<Item = &[(u32, u16)]> {
        let mut begin = 0;
        self.gains.iter().map(move |range| {
            let end = range.end as usize;
            let pairs = &self.pairs[begin..end];
            begin = end;
            pairs
        })
    }
}

impl Draw {
    fn fill(&mut self, counted: &CountedJudgments<'_>, items: &[usize], systems: &[usize]) {
        let layout = counted.layout;
        count(&mut self.times, layout.items(), items);
        count(&mut self.copies, layout.systems(), systems);
        self.drawn = 0;
        self.places.clear();
        for &copies in &self.copies {
            self.places.push(self.drawn as u32);
            self.drawn += usize::from(copies > 0);
        }
        self.sets.clear();
        self.outputs.clear();
        for &item in &counted.items_of_sets {
            let (begin, mut all, mut squares) = (self.outputs.len(), 0, 0);
            for (offset, output) in layout.of_item(item).enumerate() {
                let system = layout.system(output);
                let (copies, place) = (self.copies[system], self.places[system]);
                if copies > 0 {
                    let offset = offset as u32;
                    self.outputs.push(DrawnOutput {
                        offset,
                        copies,
                        place,
                    });
                    all += u64::from(copies);
                    squares += u64::from(copies).pow(2);
                }
            }
            let places = self.outputs[begin..].iter().map(|one| one.place);
            self.sets.push(DrawnSet {
                begin,
                end: self.outputs.len(),
                is_whole: places.eq(0..self.drawn as u32),
                pairs: (all * all - squares) / 2,
            });
        }
        self.order.clear();
        for &item in items {
            let set = &self.sets[counted.sets[item] as usize];
            let first = layout.of_item(item).start as u32;
            let outputs = self.outputs[set.begin..set.end].iter();
            self.order
                .extend(outputs.map(|one| (first + one.offset, one.copies)));
        }
    }
}

impl DrawnSet {
    /// The weight of each pair.
    fn weight(&self) -> f64 {
        1.0 / self.pairs as f64
    }
}

/// Counts how often each number below `n` is drawn.
fn count(times: &mut Vec<u32>, n: usize, drawn: &[usize]) {
    times.clear();
    times.resize(n, 0);
    for &one in drawn {
        times[one] += 1;
    }
}

/// Points that are drawn several times.
#[derive(Default)]
struct CountedPoints {
    /// The places of the values of both sides of each point.
    places: [Vec<i32>; 2],
    copies: Vec<i32>,
    /// The number of copies with each value, and their rank.
    counts: [Vec<u64>; 2],
    ranks: [Vec<f64>; 2],
}

impl CountedPoints {
    /// Removes all points; there will be so many different values at most.
    fn clear(&mut self, values: usize) {
        self.copies.clear();
        for side in 0..2 {
            self.places[side].clear();
            self.counts[side].clear();
            self.counts[side].resize(values, 0);
        }
    }

    fn push(&mut self, places: [u32; 2], copies: u32) {
        self.copies.push(copies as i32);
        for (side, place) in places.into_iter().enumerate() {
            self.places[side].push(place as i32);
            self.counts[side][place as usize] += u64::from(copies);
        }
    }

    /// The correlations, by [`coefficient_place`], and the pairs of copies. The copies of points stand in this order, and
    /// have these values.
    fn coefficients(
        &mut self,
        order: impl Iterator<Item = usize>,
        values: impl Fn(usize) -> [f64; 2],
    ) -> ([Option<f64>; 3], OrderedPairs) {
        let mut pairs = OrderedPairs {
            all: unordered_pairs(self.copies.iter().sum::<i32>() as u64),
            ..OrderedPairs::default()
        };
        for side in 0..2 {
            pairs.tied[side] = rank(&self.counts[side], &mut self.ranks[side]);
        }
        let [x, y] = &self.places;
        let (mut both, mut discordant) = (0, 0);
        for (at, &copies) in self.copies.iter().enumerate() {
            let (mut equal, mut turned) = (0, 0);
            let before = x[..at].iter().zip(&y[..at]).zip(&self.copies);
            for ((&one, &other), &before) in before {
                let [lower, higher] = [one < x[at], one > x[at]];
                let [below, above] = [other < y[at], other > y[at]];
                let same = !(lower || higher || below || above);
                equal += before * i32::from(same);
                turned += before * i32::from((lower && above) || (higher && below));
            }
            both += copies * equal + copies * (copies - 1) / 2;
            discordant += copies * turned;
        }
        (pairs.tied_in_both, pairs.discordant) = (both as u64, discordant as u64);
        let (mut raw, mut ranked) = (JointMoments::default(), JointMoments::default());
        for at in order {
            let [one, other] = values(at);
            raw.push(one, other);
            ranked.push(self.ranks[0][x[at] as usize], self.ranks[1][y[at] as usize]);
        }
        let found = [raw.correlation(), ranked.correlation(), pairs.tau_b()];
        (found, pairs)
    }
}

/// Ranks each value by how often the values occur; returns the number of tied pairs.
fn rank(counts: &[u64], ranks: &mut Vec<f64>) -> u64 {
    let (mut below, mut tied) = (0, 0);
    ranks.clear();
    ranks.extend(counts.iter().map(|&count| {
        below += count;
        tied += unordered_pairs(count);
        mean_rank(below - count, count)
    }));
    tied
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

    /// The correlations of all outputs, by [`coefficient_place`].
    fn coefficients(
        &self,
        resample: Resample<'_>,
        sides: [&[f64]; 2],
        counts: &mut CellCounts,
    ) -> [Option<f64>; 3] {
        counts.cells.clear();
        counts.cells.resize(self.cells.len(), 0);
        for (item, times) in resample.different_items() {
            let (first, _, outputs) = resample.of_item(item);
            for one in outputs {
                let cell = self.of_outputs[first + one.offset as usize];
                counts.cells[cell as usize] += times * one.copies;
            }
        }
        let pairs = self.counted(counts);
        resample.gather(&self.values_of, &mut counts.drawn);
        let [x, y] = &counts.ranks;
        let drawn = sides[0].iter().zip(sides[1]).zip(&counts.drawn);
        let (mut raw, mut ranked) = (JointMoments::default(), JointMoments::default());
        for (&(_, copies), ((&human, &score), values)) in resample.draw.order.iter().zip(drawn) {
            for _ in 0..copies {
                raw.push(human, score);
                ranked.push(x[values[0] as usize], y[values[1] as usize]);
            }
        }
        [raw.correlation(), ranked.correlation(), pairs.tau_b()]
    }

    /// Ranks each side's values by the counts of cells, and counts how pairs are ordered.
    fn counted(&self, counts: &mut CellCounts) -> OrderedPairs {
        let CellCounts {
            cells: counts,
            values,
            ranks,
            before,
            ..
        } = counts;
        for (counts, values) in values.iter_mut().zip(self.values) {
            counts.clear();
            counts.resize(values, 0);
        }
        let mut pairs = OrderedPairs::default();
        let wide = usize::from(self.values[1] > self.values[0]);
        before.clear(self.values[1 - wide]);
        let (mut seen, mut begin) = (0, 0);
        for cells in self.cells.chunk_by(|a, b| a[wide] == b[wide]) {
            let counts = &counts[begin..begin + cells.len()];
            begin += cells.len();
            let same = || {
                let both = cells.iter().zip(counts).filter(|both| *both.1 > 0);
                both.map(|(cell, &count)| (cell[1 - wide] as usize, u64::from(count)))
            };
            let mut of_value = 0;
            for (value, count) in same() {
                pairs.discordant += count * (seen - before.up_to(value));
                pairs.tied_in_both += unordered_pairs(count);
                values[1 - wide][value] += count;
                of_value += count;
            }
            for (value, count) in same() {
                before.add(value, count);
            }
            values[wide][cells[0][wide] as usize] = of_value;
            seen += of_value;
        }
        pairs.all = unordered_pairs(seen);
        for (side, tied) in pairs.tied.iter_mut().enumerate() {
            *tied = rank(&values[side], &mut ranks[side]);
        }
        pairs
    }
}

/// What the correlations of all outputs count.
#[derive(Default)]
struct CellCounts {
    cells: Vec<u32>,
    /// The values of each drawn output.
    drawn: Vec<[u32; 2]>,
    /// The number of outputs with each value of a side, and their rank.
    values: [Vec<u64>; 2],
    ranks: [Vec<f64>; 2],
    before: CumulativeCounts,
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
#[derive(Default)]
struct CumulativeCounts(Vec<u64>);

impl CumulativeCounts {
    fn clear(&mut self, values: usize) {
        self.0.clear();
        self.0.resize(values + 1, 0);
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
#[derive(Default)]
struct SystemSums {
    /// The sum and number of scores.
    scores: Vec<(f64, u32)>,
    /// Their mean; 0 where there are none.
    means: Vec<f64>,
    /// The differences of each two systems, the one with the lower place first, row by row.
    differences: Vec<DifferencePowerSums>,
}

impl SystemSums {
    /// The sums of numbers by drawn outputs.
    fn filled(&mut self, resample: Resample<'_>, mut numbers: &[f64]) -> &Self {
        let k = resample.draw.drawn;
        self.scores.clear();
        self.scores.resize(k, (0.0, 0));
        self.differences.clear();
        let pairs = k * k.saturating_sub(1) / 2;
        self.differences
            .resize(pairs, DifferencePowerSums::default());
        let mut whole = 0;
        for &item in resample.items {
            let (_, set, outputs) = resample.of_item(item);
            let (of_item, rest) = numbers.split_at(outputs.len());
            numbers = rest;
            for (one, score) in outputs.iter().zip(of_item) {
                let (sum, n) = &mut self.scores[one.place as usize];
                *sum += score;
                *n += 1;
            }
            if set.is_whole {
                let mut rest = self.differences.as_mut_slice();
                for (at, one) in of_item.iter().enumerate() {
                    let (row, later) = rest.split_at_mut(k - at - 1);
                    for (sums, other) in row.iter_mut().zip(&of_item[at + 1..]) {
                        sums.add(one - other);
                    }
                    rest = later;
                }
                whole += 1;
                continue;
            }
            for (at, (a, one)) in outputs.iter().zip(of_item).enumerate() {
                for (b, other) in outputs[at + 1..].iter().zip(&of_item[at + 1..]) {
                    let difference = if a.place < b.place {
                        one - other
                    } else {
                        other - one
                    };
                    self.differences[slot(k, a.place, b.place)].push(difference);
                }
            }
        }
        self.differences.iter_mut().for_each(|sums| sums.n += whole);
        let mean = |&(sum, n): &(f64, u32)| if n > 0 { sum / f64::from(n) } else { 0.0 };
        self.means.clear();
        self.means.extend(self.scores.iter().map(mean));
        self
    }

    /// The soft pairwise accuracy of the other side, over the pairs of copies in their order.
    fn soft_accuracy(&self, other: &Self, resample: Resample<'_>) -> Option<f64> {
        let (draw, k) = (resample.draw, resample.draw.drawn);
        // One pair of systems stands for all pairs of their copies, by which of them is first.
        let mut known = vec![None; k * k];
        let (mut total, mut pairs) = (0.0, 0_u32);
        for (at, &first) in resample.systems.iter().enumerate() {
            for &second in &resample.systems[at + 1..] {
                let [a, b] = [first, second].map(|system| draw.places[system]);
                if a == b {
                    continue;
                }
                let sides = [self, other].map(|side| side.differences[slot(k, a, b)]);
                if sides[0].n > 0 {
                    let gap = &mut known[a as usize * k + b as usize];
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
