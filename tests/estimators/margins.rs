//! Strengths in margins: a slow oracle, simulated truths, and predictions of every worth.

use std::collections::BTreeSet;
use tiebreak::duel::{Arm, AuditWeighting, Outcome, Pair};
use tiebreak::estimators::bradley_terry::StrengthComparison;
use tiebreak::estimators::contrasts::{Contrast, Contrasts};
use tiebreak::estimators::margins::{MarginPrediction, Margins, PredictionPoweredMargins, Reading};
use tiebreak::evaluation::standing::SystemStandings;
use tiebreak::rng::{Rng, Seed};

/// Systems of these strengths, in margins, judged on items that each favour some of them.
struct World {
    strengths: Vec<f64>,
    /// How far an item's own margins scatter.
    items: f64,
    ties: f64,
}

/// What the model's predictions are worth.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Model {
    /// It sees what an item does to a pair.
    Good,
    /// Noise, and a bias for the later systems.
    Useless,
    /// It says the opposite of what it sees.
    Adverse,
}

impl World {
    /// Each system by `gap` better than the next.
    fn spread(k: usize, gap: f64) -> Self {
        let strength = |i: usize| gap * ((k - 1) as f64 / 2.0 - i as f64);
        Self {
            strengths: (0..k).map(strength).collect(),
            items: 0.0,
            ties: 0.2,
        }
    }

    fn k(&self) -> usize {
        self.strengths.len()
    }

    fn pair(&self, rng: &mut Rng) -> Pair {
        let i = rng.below(self.k());
        let j = (i + 1 + rng.below(self.k() - 1)) % self.k();
        Pair::new(Arm::from(i), Arm::from(j))
    }

    /// What an item adds to the strength of each system.
    fn item(&self, item: u32, run: u64) -> Vec<f64> {
        let mut rng = Seed(run).stream("item", u64::from(item));
        let two = |rng: &mut Rng| match rng.bernoulli(0.5) {
            true => self.items,
            false => -self.items,
        };
        self.strengths.iter().map(|_| two(&mut rng)).collect()
    }

    /// P(first preferred) − P(second preferred) on an item.
    fn score(&self, pair: Pair, whim: &[f64]) -> f64 {
        let (i, j) = pair.indices();
        2.0 * (self.strengths[i] - self.strengths[j] + whim[i] - whim[j])
    }

    fn answer(&self, score: f64, rng: &mut Rng) -> Outcome {
        assert!(score.abs() <= 1.0 - self.ties, "{score}");
        let wins = f64::midpoint(1.0 - self.ties, score);
        match rng.uniform() {
            u if u < self.ties => Outcome::Tie,
            u if u < self.ties + wins => Outcome::Win,
            _ => Outcome::Loss,
        }
    }

    /// So many answers on items drawn from so many, at random pairs.
    fn answers(&self, number: u32, items: usize, run: u64) -> Vec<StrengthComparison> {
        let mut rng = Seed(run).stream("answers", 0);
        let answer = |_| {
            let (item, pair) = (rng.below(items) as u32, self.pair(&mut rng));
            let score = self.score(pair, &self.item(item, run));
            let outcome = self.answer(score, &mut rng);
            StrengthComparison {
                item,
                pair,
                outcome,
            }
        };
        (0..number).map(answer).collect()
    }

    /// Predictions for every pair on every item.
    fn predictions(&self, model: Model, items: u32, run: u64) -> Vec<MarginPrediction> {
        let mut all = Vec::new();
        for item in 0..items {
            let whim = self.item(item, run);
            let mut rng = Seed(run).stream("predictions", u64::from(item));
            for i in 0..self.k() {
                for j in i + 1..self.k() {
                    let pair = Pair::new(Arm::from(i), Arm::from(j));
                    let seen = self.score(pair, &whim);
                    let score = match model {
                        Model::Good => seen + 0.1 * rng.normal(),
                        Model::Useless => 0.4 * rng.normal() - 0.3 * (j - i) as f64,
                        Model::Adverse => -seen,
                    };
                    all.push(MarginPrediction { item, pair, score });
                }
            }
        }
        all
    }
}

/// What 95 % intervals, taken one by one, and 90 % ranks of all systems did in some runs.
#[derive(Debug, Default)]
struct Found {
    contrasts: u32,
    inside: u32,
    runs: u32,
    wrong_ranks: u32,
    strengths_outside: u32,
    width: f64,
}

impl Found {
    fn take(&mut self, world: &World, fitted: &Margins) {
        let truth = &world.strengths;
        for i in 0..world.k() {
            for j in 0..i {
                let one = fitted.difference(i, j).unwrap();
                self.contrasts += 1;
                self.inside += u32::from(holds(one, truth[i] - truth[j]));
                self.width += one.error;
            }
        }
        let found = SystemStandings::new(fitted, 0.9).systems;
        let better = |system: usize| truth.iter().filter(|&&s| s > truth[system]).count();
        let worse = |system: usize| truth.iter().filter(|&&s| s < truth[system]).count();
        // Of equal systems neither is ahead, so that each may have any of their ranks.
        let wrong = found.iter().any(|one| {
            let (low, high) = one.ranks;
            low > better(one.system) + 1 || high < world.k() - worse(one.system)
        });
        let outside = found.iter().any(|one| {
            let (lower, upper) = one.interval.unwrap();
            !(lower..=upper).contains(&truth[one.system])
        });
        self.runs += 1;
        self.wrong_ranks += u32::from(wrong);
        self.strengths_outside += u32::from(outside);
    }

    fn coverage(&self) -> f64 {
        f64::from(self.inside) / f64::from(self.contrasts)
    }

    /// Intervals cover 95 % but for `slack`, and anything together is wrong in 10 % of runs with
    /// three standard errors.
    fn assert(&self, slack: f64, what: &str) {
        let n = f64::from(self.runs);
        let most = (0.1 * n + 3.0 * (0.09 * n).sqrt()) as u32;
        assert!(self.coverage() > 0.95 - slack, "{what}: {self:?}");
        assert!(self.wrong_ranks <= most, "{what}: {self:?}");
        assert!(self.strengths_outside <= most, "{what}: {self:?}");
    }
}

/// Whether a 95 % interval holds a value.
fn holds(one: Contrast, truth: f64) -> bool {
    let t = tiebreak::stats::quantiles::two_sided_t(0.95, one.df).unwrap();
    (one.value - truth).abs() <= t * one.error
}

/// The strengths of the model's documentation, with the last system's left out: the normal equations
/// by Gaussian elimination, and the robust covariance of all differences from the last one.
fn by_definition(k: usize, rows: &[(u32, Pair, f64)]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let x = |pair: Pair| -> Vec<f64> {
        let entry = |i: usize| {
            f64::from(u8::from(pair.first.index() == i))
                - f64::from(u8::from(pair.second.index() == i))
        };
        (0..k - 1).map(entry).collect()
    };
    let mut h = vec![vec![0.0; k - 1]; k - 1];
    let mut b = vec![vec![0.0]; k - 1];
    for &(_, pair, score) in rows {
        let x = x(pair);
        for i in 0..k - 1 {
            b[i][0] += x[i] * score;
            for j in 0..k - 1 {
                h[i][j] += x[i] * x[j];
            }
        }
    }
    let s: Vec<f64> = solve(h.clone(), b).into_iter().map(|row| row[0]).collect();
    let mut items: Vec<u32> = rows.iter().map(|row| row.0).collect();
    items.sort_unstable();
    items.dedup();
    let mut meat = vec![vec![0.0; k - 1]; k - 1];
    for &item in &items {
        let mut g = vec![0.0; k - 1];
        for &(_, pair, score) in rows.iter().filter(|row| row.0 == item) {
            let x = x(pair);
            let fitted: f64 = x.iter().zip(&s).map(|(x, s)| x * s).sum();
            for (sum, x) in g.iter_mut().zip(&x) {
                *sum += x * (score - fitted);
            }
        }
        for i in 0..k - 1 {
            for j in 0..k - 1 {
                meat[i][j] += g[i] * g[j] * items.len() as f64 / (items.len() - 1) as f64;
            }
        }
    }
    let half = solve(h.clone(), meat);
    let turned: Vec<Vec<f64>> = (0..k - 1)
        .map(|i| half.iter().map(|row| row[i]).collect())
        .collect();
    (s, solve(h, turned))
}

/// The solution X of A X = B, by Gaussian elimination.
fn solve(a: Vec<Vec<f64>>, b: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    let mut rows: Vec<Vec<f64>> = a.into_iter().zip(b).map(|(a, b)| [a, b].concat()).collect();
    for pivot in 0..n {
        let scale = rows[pivot][pivot];
        let of_pivot: Vec<f64> = rows[pivot].iter().map(|entry| entry / scale).collect();
        for row in &mut rows {
            let factor = row[pivot];
            for (entry, from) in row.iter_mut().zip(&of_pivot) {
                *entry -= factor * from;
            }
        }
        rows[pivot] = of_pivot;
    }
    rows.into_iter().map(|row| row[n..].to_vec()).collect()
}

fn read(answers: &[StrengthComparison]) -> Vec<Reading> {
    answers.iter().map(|&one| Reading::from(one)).collect()
}

#[test]
fn strengths_and_robust_errors_are_those_of_the_definition() {
    let mut world = World::spread(4, 0.1);
    world.items = 0.05;
    for run in 0..5 {
        // Few items with many answers each: the robust errors are the larger ones.
        let answers = world.answers(400, 9, run);
        let fitted = Margins::fit(4, &read(&answers));
        let score =
            |one: &StrengthComparison| (one.item, one.pair, 2.0 * one.outcome.value() - 1.0);
        let rows: Vec<_> = answers.iter().map(score).collect();
        let (s, covariance) = by_definition(4, &rows);
        for i in 0..3 {
            let one = fitted.difference(i, 3).unwrap();
            assert!((one.value - s[i] / 2.0).abs() < 1e-9);
            let robust = covariance[i][i].sqrt() / 2.0;
            assert!(one.error >= robust - 1e-9, "{} {robust}", one.error);
            assert!(one.error < 1.2 * robust.max(0.04));
        }
        assert_eq!(fitted.groups(), 1);
        assert_eq!((0..4).map(|i| fitted.readings(i)).sum::<u64>(), 800);
    }
}

/// Without any weight on predictions nothing changes, and what they add to the errors follows from
/// leaving out one item after the other.
#[test]
fn powered_errors_are_those_of_the_jackknife() {
    let mut world = World::spread(3, 0.05);
    world.items = 0.15;
    let items = 60;
    let answers = world.answers(150, items as usize, 3);
    let predictions = world.predictions(Model::Good, items, 3);
    let all = PredictionPoweredMargins::estimate(3, &answers, None, &predictions, Seed(1));
    assert!(all.slope > 0.5, "{}", all.slope);
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let difference = |left_out: u32| {
            let answers: Vec<_> = answers.iter().filter(|one| one.item != left_out).collect();
            let answers: Vec<_> = answers.into_iter().copied().collect();
            let mut rest = predictions.clone();
            rest.retain(|one| one.item != left_out);
            let fitted =
                PredictionPoweredMargins::estimate(3, &answers, None, &rest, Seed(1)).margins;
            fitted.difference(i, j).unwrap().value
        };
        let without: Vec<f64> = (0..items).map(difference).collect();
        let n = f64::from(items);
        let mean = without.iter().sum::<f64>() / n;
        let squares: f64 = without.iter().map(|value| (value - mean).powi(2)).sum();
        let jackknife = ((n - 1.0) / n * squares).sqrt();
        let found = all.margins.difference(i, j).unwrap().error;
        assert!(
            (found / jackknife - 1.0).abs() < 0.12,
            "{found} {jackknife}"
        );
    }
    let nothing = PredictionPoweredMargins::estimate(3, &answers, None, &[], Seed(1));
    let plain = Margins::fit(3, &read(&answers));
    assert_eq!(nothing.slope, 0.0);
    assert_eq!(nothing.margins.difference(0, 1), plain.difference(0, 1));
}

#[test]
fn contrasts_and_ranks_of_answers_hold() {
    for (gap, items, answers, pool) in [
        (0.0, 0.0, 30, 1000),
        (0.0, 0.0, 100, 1000),
        (0.05, 0.0, 300, 1000),
        (0.05, 0.1, 600, 60), // items that favour systems, each judged ten times
        (0.1, 0.0, 1000, 1000),
    ] {
        let mut world = World::spread(4, gap);
        world.items = items;
        let mut found = Found::default();
        for run in 0..200 {
            let fitted = Margins::fit(4, &read(&world.answers(answers, pool, run)));
            found.take(&world, &fitted);
        }
        // Contrasts of a run hang together: as if there were 600.
        found.assert(0.027, &format!("{gap} {items} {answers}"));
    }
}

/// The mean error of differences with predictions, as a share of that without.
fn powered_against_plain(model: Model, answers: u32) -> f64 {
    let mut world = World::spread(4, 0.04);
    (world.items, world.ties) = (0.15, 0.1);
    let items = 400;
    let (mut with, mut without) = (Found::default(), Found::default());
    for run in 0..150 {
        let answers = world.answers(answers, items as usize, run);
        let predictions = world.predictions(model, items, run);
        let powered =
            PredictionPoweredMargins::estimate(4, &answers, None, &predictions, Seed(run));
        with.take(&world, &powered.margins);
        let plain = Margins::fit(4, &read(&answers));
        without.take(&world, &plain);
    }
    with.assert(0.03, &format!("{model:?} {answers}"));
    with.width / without.width
}

#[test]
fn predictions_narrow_what_they_know_and_never_mislead() {
    for answers in [60, 400] {
        let good = powered_against_plain(Model::Good, answers);
        let useless = powered_against_plain(Model::Useless, answers);
        let adverse = powered_against_plain(Model::Adverse, answers);
        assert!(good < 0.95, "{answers}: {good}");
        assert!(useless < 1.03, "{answers}: {useless}");
        // What is always wrong informs as well.
        assert!(adverse < 0.95, "{answers}: {adverse}");
    }
}

/// The mean error of a difference with predictions, in standard errors of that mean. `missing` says which predictions are
/// missing, of what was judged or was not.
fn bias(missing: fn(f64, bool) -> bool) -> f64 {
    let mut world = World::spread(3, 0.04);
    world.items = 0.15;
    let items = 300;
    let errors = (0..150).map(|run| {
        let answers = world.answers(300, items as usize, run);
        let judged: BTreeSet<u32> = answers.iter().map(|one| one.item).collect();
        let mut predictions = world.predictions(Model::Good, items, run);
        predictions.retain(|one| !missing(one.score, judged.contains(&one.item)));
        let fitted =
            PredictionPoweredMargins::estimate(3, &answers, None, &predictions, Seed(run)).margins;
        fitted.difference(0, 2).unwrap().value - 0.08
    });
    let errors: Vec<f64> = errors.collect();
    let n = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / n;
    let squares: f64 = errors.iter().map(|error| (error - mean).powi(2)).sum();
    mean / (squares / (n - 1.0) / n).sqrt()
}

#[test]
fn predictions_may_be_missing_but_not_because_of_what_was_judged() {
    for missing in [
        (|_, _| false) as fn(f64, bool) -> bool,
        |score, _| score > 0.0,
        |score, _| score.abs() > 0.2,
        |_, judged| !judged,
    ] {
        let bias = bias(missing);
        assert!(bias.abs() < 3.5, "{bias}");
    }
    let chosen = bias(|score, judged| judged && score > 0.0);
    assert!(chosen > 4.0, "{chosen}");
}

/// A comparison that counts twice is as good as two for the strengths, and no better than one for their errors.
#[test]
fn weights_are_repetitions_that_prove_nothing() {
    let world = World::spread(4, 0.1);
    let answers = world.answers(60, 400, 0);
    let weights: Vec<f64> = (0..60).map(|place| f64::from(1 + place % 3)).collect();
    let each = answers.iter().zip(&weights);
    let repeated: Vec<StrengthComparison> = each
        .flat_map(|(one, &weight)| vec![*one; weight as usize])
        .collect();
    let weighed =
        PredictionPoweredMargins::estimate(4, &answers, Some(&weights), &[], Seed(1)).margins;
    let repeated = Margins::fit(4, &read(&repeated));
    for (i, j) in [(0, 1), (0, 3), (2, 1)] {
        let [one, other] = [&weighed, &repeated].map(|fitted| fitted.difference(i, j).unwrap());
        assert!((one.value - other.value).abs() < 1e-9);
        assert!(one.error > other.error * 0.999);
    }
}

/// Where people compared what the judge was unsure of, their answers do not correct its predictions, and that is seen;
/// where they compared at random it is seldom suspected.
#[test]
fn what_was_compared_because_of_predictions_is_seen() {
    let world = World::spread(4, 0.1);
    let mut found = [0, 0, 0];
    for run in 0..60 {
        let predictions = world.predictions(Model::Good, 300, run);
        let answers = world.answers(240, 300, run);
        found[0] += u32::from(MarginPrediction::are_selected(&answers, &predictions));
        let score = |one: &StrengthComparison| {
            let known = predictions.iter().find(|known| {
                known.item == one.item && known.pair.lower_first() == one.pair.lower_first()
            });
            known.map_or(0.0, |known| known.score)
        };
        let unsure: Vec<StrengthComparison> = answers
            .iter()
            .copied()
            .filter(|one| score(one).abs() < 0.15)
            .collect();
        found[1] += u32::from(MarginPrediction::are_selected(&unsure, &predictions));
        // Whom the judge praises is tested pair by pair, which takes more comparisons of each.
        let praised: Vec<StrengthComparison> = world
            .answers(1200, 300, run)
            .into_iter()
            .filter(|one| score(one) > world.score(one.pair.lower_first(), &[0.0; 4]))
            .collect();
        found[2] += u32::from(MarginPrediction::are_selected(&praised, &predictions));
    }
    assert!(
        found[0] <= 4 && found[1] >= 55 && found[2] >= 55,
        "{found:?}"
    );
}

/// Duels that a model answers, one in ten audited.
fn audited(world: &World, model: Model, duels: u32, run: u64) -> Margins {
    let mut rng = Seed(run).stream("duels", 0);
    let reading = |item: u32| {
        let pair = world.pair(&mut rng);
        let whim = world.item(item, run);
        let seen = world.score(pair, &whim);
        let q = match model {
            Model::Good => seen,
            Model::Useless => 0.8 * rng.uniform() - 0.4,
            Model::Adverse => 0.3 * (f64::from(pair.first.0) - f64::from(pair.second.0)).signum(),
        };
        let probability = 0.1;
        let answer = rng
            .bernoulli(probability)
            .then(|| world.answer(seen, &mut rng));
        Reading {
            item,
            pair,
            answer,
            person: None,
            weighing: AuditWeighting { q, probability },
        }
    };
    let readings: Vec<Reading> = (0..duels).map(reading).collect();
    Margins::fit(world.k(), &readings)
}

#[test]
fn audited_answers_of_any_model_give_contrasts_that_hold() {
    let mut world = World::spread(3, 0.05);
    (world.items, world.ties) = (0.1, 0.1);
    for model in [Model::Good, Model::Useless, Model::Adverse] {
        for duels in [40, 300, 2000] {
            let mut found = Found::default();
            for run in 0..150 {
                found.take(&world, &audited(&world, model, duels, run));
            }
            found.assert(0.035, &format!("{model:?} {duels}"));
        }
    }
}

#[test]
fn a_system_that_won_everything_and_what_nothing_links_have_their_errors() {
    let compared = |item: u32, i: u16, j: u16, outcome| StrengthComparison {
        item,
        pair: Pair::new(Arm(i), Arm(j)),
        outcome,
    };
    let five: Vec<_> = (0..5).map(|n| compared(n, 0, 1, Outcome::Win)).collect();
    let told = |answers: &[StrengthComparison], k: usize| {
        let fitted = Margins::fit(k, &read(answers));
        let found = SystemStandings::new(&fitted, 0.95).systems;
        found.iter().map(|one| one.ranks).collect::<Vec<_>>()
    };
    // Five of five happen by chance in one of sixteen.
    assert_eq!(told(&five, 2), [(1, 2), (1, 2)]);
    let ten: Vec<_> = (0..10).map(|n| compared(n, 0, 1, Outcome::Win)).collect();
    assert_eq!(told(&ten, 2), [(1, 1), (2, 2)]);
    let fitted = Margins::fit(4, &read(&ten));
    assert_eq!((fitted.groups(), fitted.difference(0, 2)), (3, None));
    assert_eq!(fitted.strength(0).value, 0.25);
    let ties: Vec<_> = (0..50).map(|n| compared(n, 0, 1, Outcome::Tie)).collect();
    let tied = Margins::fit(2, &read(&ties)).difference(0, 1).unwrap();
    assert!(tied.value == 0.0 && tied.error > 0.0 && tied.error < 0.02);
    let nothing = Margins::fit(3, &[]);
    assert_eq!((nothing.strength(1).df, nothing.groups()), (0, 3));
    assert_eq!(Margins::fit(0, &[]).groups(), 0);
    let itself = [compared(0, 1, 1, Outcome::Tie)];
    assert_eq!(Margins::fit(3, &read(&itself)).readings(1), 0);
}

/// A few audited answers count for many: the mean of a pair's scores can be beyond any share of preferences.
#[test]
fn few_audited_answers_stay_on_the_scale() {
    let reading = |item, answer| Reading {
        item,
        pair: Pair::new(Arm(1), Arm(0)),
        answer,
        person: None,
        weighing: AuditWeighting {
            q: 0.2,
            probability: 0.1,
        },
    };
    let readings = [
        reading(0, Some(Outcome::Win)),
        reading(1, None),
        reading(2, None),
    ];
    let fitted = Margins::fit(2, &readings);
    let strengths = [0, 1].map(|system| fitted.strength(system).value);
    assert!((strengths[1] - 0.25).abs() < 1e-12 && (strengths[0] + 0.25).abs() < 1e-12);
}
