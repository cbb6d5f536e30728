//! Items of documents that their answers depend on: what is said where the column of documents is named.

use super::{Path, Said, World, quietly};
use std::fmt::Write;
use std::fs;
use tiebreak::evaluation::gate::GateVerdict;
use tiebreak::inputs::source::{ClusterKeys, Source};
use tiebreak::keys::flag;
use tiebreak::rng::Seed;
use tiebreak::stages::estimate::EstimateStage;
use tiebreak::stages::gate::Gate;
use tiebreak::stages::rank::Rank;
use tiebreak::stages::{PipelineArtifacts, StageContext};

pub(super) const GATE: Path = Path {
    name: "a gate on the sentences of documents",
    worlds: worlds![
        "two equal systems", [300, 2000], 0.0, |seed, run| said(gated, 0.0, seed, run);
        "one that is better", [20, 200], 0.8, |seed, run| said(gated, 1.7, seed, run);
    ],
};

pub(super) const DIFFERENCES: Path = Path {
    name: "which systems differ on the sentences of documents",
    worlds: worlds![
        "two equal systems", [300, 2000], 0.0, |seed, run| said(estimated, 0.0, seed, run);
        "one that is better", [20, 200], 0.8, |seed, run| said(estimated, 1.2, seed, run);
    ],
};

pub(super) const CLAIM: Path = Path {
    name: "claim of a file on the sentences of documents",
    worlds: worlds![
        "two equal systems", [300, 2000], 0.0, |seed, run| said(ranked, 0.0, seed, run);
        "one that is better", [20, 200], 0.8, |seed, run| said(ranked, 1.2, seed, run);
    ],
};

/// Says whether the second system is said to be better, or worse; `None` of neither.
type Verb = fn(&StageContext<'_>) -> Option<bool>;

/// What a verb says of 30 documents with eight sentences each. How much better the second system is depends most on the
/// document.
fn said(verb: Verb, better: f64, seed: Seed, run: u64) -> Said {
    let mut rng = seed.stream("gate", run);
    let folder = tempfile::tempdir().unwrap();
    let mut items = String::from("item,document\n");
    let mut judgments = String::from("item,system,criterion,score\n");
    let mut comparisons = String::from("item,system_a,system_b,outcome\n");
    for document in 0..30 {
        let gain = better + rng.normal();
        for sentence in 0..8 {
            let item = format!("{document}-{sentence}");
            let scores = [0.0, gain].map(|mean| (mean + rng.normal() / 2.0).clamp(-4.0, 4.0));
            let _ = writeln!(items, "{item},d{document}");
            for (system, score) in scores.iter().enumerate() {
                let _ = writeln!(judgments, "{item},s{system},quality,{score}");
            }
            let outcome = u8::from(scores[0] > scores[1]);
            let _ = writeln!(comparisons, "{item},s0,s1,{outcome}");
        }
    }
    for (name, rows) in [
        ("items.csv", items),
        ("judgments.csv", judgments),
        ("comparisons.csv", comparisons),
    ] {
        fs::write(folder.path().join(name), rows).unwrap();
    }
    let found = quietly(run, |context| {
        let source = Source::open(context, folder.path(), &[]).unwrap();
        verb(&StageContext {
            context,
            source: &source,
            out: std::path::Path::new(""),
            made: &PipelineArtifacts::default(),
        })
    });
    found.map_or(Said::Nothing, |second_is_better| {
        Said::of(better > 0.0 && second_is_better)
    })
}

fn documents() -> ClusterKeys {
    ClusterKeys {
        cluster: Some("document".to_string()),
    }
}

fn gated(site: &StageContext<'_>) -> Option<bool> {
    let mut keys = Gate::default();
    keys.base = Some("s0".to_string());
    keys.criterion = vec!["quality".to_string()];
    keys.clusters = documents();
    keys.range = Some(flag("-4,4").unwrap());
    let found = keys.decide(site).unwrap();
    let verdicts = &found.results[0].verdicts;
    (!verdicts.is_empty()).then(|| verdicts == &[GateVerdict::Better])
}

fn estimated(site: &StageContext<'_>) -> Option<bool> {
    let keys = EstimateStage {
        differences: true,
        clusters: documents(),
        ..EstimateStage::default()
    };
    let found = keys.estimate(site).unwrap();
    let pair = &found.comparisons.differences[0];
    let is_first_ahead = pair.difference > 0.0;
    pair.significant
        .then(|| is_first_ahead == (pair.system_a == "s1"))
}

fn ranked(site: &StageContext<'_>) -> Option<bool> {
    let keys = Rank {
        clusters: documents(),
        ..Rank::default()
    };
    let claim = keys.rank(site, None).unwrap().claim;
    claim.systems.first().map(|best| best == "s1")
}
