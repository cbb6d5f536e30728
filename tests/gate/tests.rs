//! Tests that print stars: corpus scores of systems beside a baseline, and metrics held against people.

use super::{Path, Said, World, quietly};
use std::fmt::Write;
use std::fs;
use tiebreak::evaluation::gate::GateVerdict;
use tiebreak::inputs::source::{ClusterKeys, Scores, Source};
use tiebreak::keys::named::ParameterizedName;
use tiebreak::rng::{Rng, Seed};
use tiebreak::stages::correlate::{self, Correlate, CorrelationLevel, CorrelationTarget, Resample};
use tiebreak::stages::gate::Gate;
use tiebreak::stages::score::Scorer;
use tiebreak::stages::score::significance::{PairedTest, Test};
use tiebreak::stages::{PipelineArtifacts, StageContext};

pub(super) const CORRELATIONS: Path = Path {
    name: "which metric goes better with people",
    worlds: worlds![
        "two equally good metrics", [120, 1000], 0.0, |seed, run| better(1.0, 1, seed, run);
        "two equally good metrics, on documents of five sentences", [300, 1000], 0.0,
            |seed, run| better(1.0, 5, seed, run);
        "one with far less noise", [20, 200], 0.8, |seed, run| better(5.0, 1, seed, run);
    ],
};

pub(super) const PAIRED: Path = Path {
    name: "systems beside a baseline",
    worlds: worlds![
        "five equal systems, two metrics", [120, 1000], 0.0, |seed, run| starred(0.0, seed, run);
        "one that is better", [20, 200], 0.8, |seed, run| starred(0.25, seed, run);
    ],
};

pub(super) const CORPUS: Path = Path {
    name: "a gate by a metric of the whole corpus",
    worlds: worlds![
        "two equal systems, 20 items of any length", [300, 2000], 0.0, |seed, run| gated(0.0, seed, run);
        "one that is better", [20, 200], 0.8, |seed, run| gated(0.3, seed, run);
    ],
};

/// Outputs of 3 to 40 words, of which a share is those of the reference, by the item and somewhat by chance.
fn gated(better: f64, seed: Seed, run: u64) -> Said {
    let mut rng = seed.stream("gate", run);
    let folder = tempfile::tempdir().unwrap();
    let mut outputs = String::from("item,system,output,references\n");
    for item in 0..20 {
        let length = [3, 5, 8, 12, 20, 40][rng.below(6)];
        let word = |rng: &mut Rng| format!("w{}", rng.below(300));
        let reference: Vec<String> = (0..length).map(|_| word(&mut rng)).collect();
        let ease = rng.uniform();
        for (system, gain) in [0.0, better].into_iter().enumerate() {
            let chance = (ease + gain + 0.2 * rng.normal()).clamp(0.0, 1.0);
            let words = reference.iter().map(|right| match rng.bernoulli(chance) {
                true => right.clone(),
                false => word(&mut rng),
            });
            let words: Vec<String> = words.collect();
            let reference = reference.join(" ");
            let _ = writeln!(outputs, "i{item},s{system},{},{reference}", words.join(" "));
        }
    }
    fs::write(folder.path().join("outputs.csv"), outputs).unwrap();
    let mut keys = Gate::default();
    keys.base = Some("s0".to_string());
    keys.metric = vec![ParameterizedName::new("bleu")];
    quietly(run, |context| {
        let source = Source::open(context, folder.path(), &[]).unwrap();
        let site = StageContext {
            context,
            source: &source,
            out: std::path::Path::new(""),
            made: &PipelineArtifacts::default(),
        };
        let found = keys.decide(&site).unwrap();
        match &found.results[0].verdicts[..] {
            [] => Said::Nothing,
            verdicts => Said::of(better > 0.0 && verdicts == [GateVerdict::Better]),
        }
    })
}

/// Outputs of ten words, each with some chance a word of the reference; the second system has `better`
/// more of it.
fn starred(better: f64, seed: Seed, run: u64) -> Said {
    let mut rng = seed.stream("gate", run);
    let folder = tempfile::tempdir().unwrap();
    let mut outputs = String::from("item,system,output,references\n");
    for item in 0..40 {
        let reference: Vec<String> = (0..10).map(|_| format!("w{}", rng.below(500))).collect();
        for system in 0..5 {
            let chance = if system == 1 { 0.6 + better } else { 0.6 };
            let word = |place: usize| match rng.bernoulli(chance) {
                true => reference[place].clone(),
                false => "x".to_string(),
            };
            let words: Vec<String> = (0..10).map(word).collect();
            let _ = writeln!(
                outputs,
                "i{item},s{system},{},{}",
                words.join(" "),
                reference.join(" ")
            );
        }
    }
    fs::write(folder.path().join("outputs.csv"), outputs).unwrap();
    quietly(run, |context| {
        let source = Source::open(context, folder.path(), &[]).unwrap();
        let scorer = |name| Scorer::new(context, &ParameterizedName::new(name), None).unwrap();
        let test = Test::Bootstrap { resamples: 300 };
        let paired =
            PairedTest::new(context, &source, test, None, &ClusterKeys::default()).unwrap();
        let found = paired
            .compare(context, &[scorer("chrf"), scorer("rouge-1")])
            .unwrap();
        let stars = found.iter().filter(|one| one.significant == Some(true));
        let mut wrong = stars
            .clone()
            .filter(|one| better == 0.0 || one.system != "s1");
        match (stars.clone().count(), wrong.next()) {
            (0, _) => Said::Nothing,
            (_, wrong) => Said::of(wrong.is_none()),
        }
    })
}

/// Two metrics are people's scores with noise, of the second so many times as much. All sentences of a document have the
/// same noise.
fn better(noise: f64, sentences: usize, seed: Seed, run: u64) -> Said {
    let mut rng = seed.stream("gate", run);
    let folder = tempfile::tempdir().unwrap();
    let mut judgments = String::from("item,system,criterion,score\n");
    let mut outputs = String::from("item,system,output\n");
    let mut scores = String::from("item,system,metric,score\n");
    let mut items = String::from("item,document\n");
    let mut errors = [[0.0; 2]; 3];
    for item in 0..60 * sentences {
        let _ = writeln!(items, "i{item},d{}", item / sentences);
        for (system, errors) in errors.iter_mut().enumerate() {
            if item % sentences == 0 {
                *errors = [rng.normal(), noise * rng.normal()];
            }
            let quality = rng.normal();
            let _ = writeln!(judgments, "i{item},s{system},quality,{quality}");
            let _ = writeln!(outputs, "i{item},s{system},text {item} {system}");
            for (metric, error) in ["bleu", "chrf"].iter().zip(errors) {
                let score = quality + *error;
                let _ = writeln!(scores, "i{item},s{system},{metric},{score}");
            }
        }
    }
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("data")).unwrap();
    fs::write(at("data/judgments.csv"), judgments).unwrap();
    fs::write(at("data/outputs.csv"), outputs).unwrap();
    fs::write(at("data/items.csv"), items).unwrap();
    fs::write(at("scores.csv"), scores).unwrap();
    let keys = Correlate {
        criterion: Some("quality".to_string()),
        level: CorrelationLevel::Segment,
        resample: Resample::Items,
        resamples: 200.try_into().unwrap(),
        clusters: ClusterKeys {
            cluster: (sentences > 1).then(|| "document".to_string()),
        },
        ..Correlate::default()
    };
    quietly(run, |context| {
        let source = Source::open(context, &at("data"), &[]).unwrap();
        let open = |metric| Scores::open(context, &source, &at("scores.csv"), metric).unwrap();
        let scores = [open("bleu"), open("chrf")];
        let found = correlate::run(context, &source, &scores, &keys).unwrap();
        // Each coefficient is a question of its own; this one is asked beforehand.
        let asked =
            |held: &CorrelationTarget| (&*held.coefficient, &*held.grouping) == ("pearson", "item");
        let found = found.found.differences.into_iter();
        let mut said = found.filter(|one| asked(&one.held) && one.significant);
        match said.next() {
            None => Said::Nothing,
            Some(one) => Said::of(noise > 1.0 && (one.metric == "bleu") == (one.difference > 0.0)),
        }
    })
}
