//! From a plan to an estimate: outputs drawn by `sample`, judged, estimated, many times over.

use std::fmt::Write;
use std::fs;
use std::sync::atomic::AtomicBool;
use tiebreak::engine::Context;
use tiebreak::engine::SilentProgress;
use tiebreak::env::Env;
use tiebreak::estimators::{Census, ESTIMATORS, ScoredJudgment, Survey};
use tiebreak::inputs::source::Source;
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::Seed;
use tiebreak::stages::sample::{SampleOptions, SampledOutput, SamplingMethod};
use tiebreak::stats::moments::Moments;

const ITEMS: usize = 60;
const CAMPAIGNS: u64 = 400;

/// Two systems, with a metric that errs by far more on every fifth item.
struct World {
    folder: tempfile::TempDir,
    /// Judgment and score by system and item.
    outputs: Vec<Vec<(f64, f64)>>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut rng = Seed(11).stream("test", 0);
        let spread = |item: usize| if item.is_multiple_of(5) { 4.0 } else { 0.3 };
        let outputs = (0..2).map(|system| {
            let output = |item: usize| {
                let g = rng.normal();
                (f64::from(system) + g + spread(item) * rng.normal(), g)
            };
            (0..ITEMS).map(output).collect()
        });
        let outputs: Vec<Vec<(f64, f64)>> = outputs.collect();
        let mut table = "item,system,output\n".to_string();
        let mut uncertain = "item,uncertainty\n".to_string();
        let mut strata = "item,stratum\n".to_string();
        let mut pilot = "item,system,criterion,score\n".to_string();
        for item in 0..ITEMS {
            for (system, outputs) in ["a", "b"].iter().zip(&outputs) {
                writeln!(table, "{item:02},{system},text").unwrap();
                writeln!(pilot, "{item:02},{system},quality,{}", outputs[item].0).unwrap();
            }
            writeln!(uncertain, "{item:02},{}", spread(item)).unwrap();
            writeln!(
                strata,
                "{item:02},{}",
                if item.is_multiple_of(5) {
                    "hard"
                } else {
                    "easy"
                }
            )
            .unwrap();
        }
        for (name, text) in [
            ("data/outputs.csv", table),
            ("data/judgments.csv", pilot),
            ("uncertain.csv", uncertain),
            ("strata.csv", strata),
        ] {
            fs::create_dir_all(folder.path().join("data")).unwrap();
            fs::write(folder.path().join(name), text).unwrap();
        }
        Self { folder, outputs }
    }

    fn truth(&self, system: usize) -> f64 {
        let judgments = self.outputs[system].iter().map(|(y, _)| *y);
        judgments.collect::<Moments>().mean().unwrap()
    }

    /// The errors of an estimator's estimates of both systems, campaign by campaign, and how often its
    /// intervals hold the truth.
    fn errors(
        &self,
        estimator: &str,
        options: &SampleOptions<'_>,
        stratified: bool,
    ) -> (Moments, f64) {
        let stop = AtomicBool::new(false);
        let context = |seed| Context {
            seed: Seed(seed),
            env: Env::default(),
            progress: &SilentProgress,
            stop: &stop,
        };
        let source = Source::open(&context(0), &self.folder.path().join("data"), &[]).unwrap();
        let (mut errors, mut covered) = (Moments::default(), Moments::default());
        for seed in 0..CAMPAIGNS {
            let drawn = options.draw(&context(seed), &source).unwrap();
            assert_eq!(drawn.len() as u64, options.budget);
            for system in 0..2 {
                let of_system = drawn.iter().filter(|one| one.system == system);
                let estimate = self.estimate(estimator, system, of_system, stratified);
                let truth = self.truth(system);
                let interval = estimate.interval.unwrap();
                errors.push(estimate.value - truth);
                let holds = (interval.lower..=interval.upper).contains(&truth);
                covered.push(f64::from(u8::from(holds)));
            }
        }
        (errors, covered.mean().unwrap())
    }

    fn estimate<'a>(
        &self,
        estimator: &str,
        system: usize,
        drawn: impl Iterator<Item = &'a SampledOutput>,
        stratified: bool,
    ) -> tiebreak::estimators::MeanEstimate {
        let stratum = |item: usize| stratified.then_some(u32::from(item.is_multiple_of(5)));
        let mut census = Census::new(1);
        for (item, (_, g)) in self.outputs[system].iter().enumerate() {
            census.push(&[*g], stratum(item));
        }
        let (name, params) = Params::parse(estimator).unwrap();
        let build = find_entry("estimator", ESTIMATORS, &name)
            .unwrap()
            .build
            .build;
        let mut estimator = build(&params, &Survey::new(census.finish())).unwrap();
        for one in drawn {
            let (y, g) = self.outputs[system][one.item as usize];
            estimator.push(&ScoredJudgment {
                stratum: stratum(one.item as usize).unwrap_or_default(),
                probability: Some(one.probability),
                ..ScoredJudgment::new(one.item as u32, y, &[g])
            });
        }
        estimator.check().unwrap();
        estimator.estimate(0.95).unwrap()
    }
}

/// The mean error in standard deviations of an estimate; its own standard error is 0.035.
fn bias(errors: &Moments) -> f64 {
    errors.mean().unwrap() / errors.sample_variance().unwrap().sqrt()
}

#[test]
fn sampled_campaigns_are_unbiased_and_save_what_uncertainty_is_worth() {
    let world = World::new();
    let [uncertain, strata] =
        ["uncertain.csv", "strata.csv"].map(|name| world.folder.path().join(name));
    let budget = 48;
    let by = |by| SampleOptions { budget, by };
    let by_chance = world.errors("active", &by(SamplingMethod::Chance), false);
    let by_uncertainty = SamplingMethod::Uncertainty {
        table: &uncertain,
        uniform: 0.2,
    };
    let active = world.errors("active", &by(by_uncertainty), false);
    let neyman = SamplingMethod::Strata {
        table: &strata,
        criterion: Some("quality"),
    };
    let neyman = world.errors("stratified:population=finite", &by(neyman), true);
    let proportional = SamplingMethod::Strata {
        table: &strata,
        criterion: None,
    };
    let proportional = world.errors("stratified:population=finite", &by(proportional), true);
    for (name, (errors, covered)) in [
        ("chance", &by_chance),
        ("uncertainty", &active),
        ("neyman", &neyman),
        ("proportional", &proportional),
    ] {
        // A line fitted to a sample of fixed size is not quite independent of what else was drawn.
        let most = if name == "uncertainty" { 0.25 } else { 0.14 };
        assert!(bias(errors).abs() < most, "{name}: {}", bias(errors));
        assert!(*covered > 0.9, "{name}: {covered}");
    }
    let variance = |found: &(Moments, f64)| found.0.sample_variance().unwrap();
    assert!(2.0 * variance(&active) < variance(&by_chance));
    assert!(1.5 * variance(&neyman) < variance(&proportional));
}
