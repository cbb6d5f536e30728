//! What is called from memory gives the numbers of the commands, and asks what the loop asks.

use crate::cli::tiebreak;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use tiebreak::bandits::BANDITS;
use tiebreak::claims::ClaimKind;
use tiebreak::duel::{Arm, Pair};
use tiebreak::evaluation::active::{Limits, Setup, Stop};
use tiebreak::evaluation::eligible::EligibleItems;
use tiebreak::evaluation::known::PriorKnowledge;
use tiebreak::evaluation::live::Plan;
use tiebreak::feedback::recollected::DeduplicatedFeedback;
use tiebreak::feedback::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak::metrics::Direction;
use tiebreak::preference::PairwiseModel;
use tiebreak::preference::direct::Direct;
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::{Rng, Seed};
use tiebreak::{Contest, Env, Live, Outcome, Result, Survey, score};

/// The rows of a table of `data/tiny`.
fn rows(table: &str) -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/tiny");
    let text = fs::read_to_string(format!("{folder}/{table}.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A system's outputs with the references of their items.
fn texts(system: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let references = rows("items").into_iter().map(|row| {
        let all = row["references"].as_array().unwrap().iter();
        (text(&row["item"]), all.map(text).collect::<Vec<_>>())
    });
    let references: BTreeMap<String, Vec<String>> = references.collect();
    let outputs = rows("outputs")
        .into_iter()
        .filter(|row| row["system"] == system);
    outputs
        .map(|row| {
            (
                text(&row["output"]),
                references[row["item"].as_str().unwrap()].clone(),
            )
        })
        .unzip()
}

#[test]
fn scores_are_those_of_the_command() {
    let (outputs, references) = texts("ember");
    for metric in ["bleu", "chrf:word-order=2", "ter", "cider-d"] {
        let in_memory = score(metric, &outputs, &references).unwrap();
        let mean = in_memory.segments.iter().sum::<f64>() / outputs.len() as f64;
        for (flags, found, signature) in [
            (&["--json"][..], mean, &in_memory.signature),
            (
                &["--corpus", "--json"],
                in_memory.corpus,
                &in_memory.corpus_signature,
            ),
        ] {
            let told = ["score", "data/tiny", "--metric", metric];
            let told = tiebreak(&[&told[..], flags].concat()).json();
            // Corpus scores come after means.
            let mut told = told.as_array().unwrap().iter().rev();
            let told = told.find(|row| row["system"] == "ember").unwrap();
            let expected = told["score"].as_f64().unwrap();
            assert!((found - expected).abs() < 1e-9, "{metric}: {found}");
            assert_eq!(told["signature"], signature.to_string());
        }
    }
}

#[test]
fn texts_that_cannot_be_scored_are_refused() {
    let none: [&[&str]; 1] = [&[]];
    assert_eq!(
        score("wer", &["a"], &[["a"]]).unwrap().better,
        Direction::Lower
    );
    for (error, named) in [
        (score("chrff", &["a"], &[["a"]]), "chrff"),
        (score("chrf", &["a"], &[["a"], ["b"]]), "1 output with 2"),
        (score("chrf", &[] as &[&str], &none[..0]), "0 outputs"),
        (score("chrf", &["a"], &none), "needs references"),
    ] {
        let error = error.unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
}

/// Where lower is better, the output with the lower score is preferred.
#[test]
fn a_metric_with_a_link_prefers_the_better_output() {
    let references = ["a b c d e f".to_string()];
    let against = |a, b| Contest::new(a, b).with_references(&references);
    let judged = [
        (against("a b c d e f", "a"), Outcome::Win),
        (against("b", "a b c d e"), Outcome::Loss),
        (against("a b c", "a x y z"), Outcome::Win),
    ];
    for link in ["linear", "btl-logistic"] {
        for metric in ["chrf", "wer"] {
            let model = Direct::fit(metric, link, &judged, &Env::default()).unwrap();
            let contests = [against("a b c d", "a"), against("a", "a b c d")];
            let found = model.predict(&contests).unwrap();
            assert!(found[0].p > 0.5, "{metric}, {link}");
            assert_eq!(found[0].p, 1.0 - found[1].p);
        }
    }
}

#[test]
fn estimates_are_those_of_the_command() {
    let (outputs, references) = texts("cedar");
    let chrf = score("chrf", &outputs, &references).unwrap().segments;
    let items: Vec<Value> = rows("items");
    let place = |item: &Value| items.iter().position(|row| row["item"] == *item).unwrap();
    let adequacy = rows("judgments")
        .into_iter()
        .filter(|row| row["system"] == "cedar" && row["criterion"] == "adequacy");
    let judged: Vec<(usize, f64)> = adequacy
        .map(|row| (place(&row["item"]), row["score"].as_f64().unwrap()))
        .collect();
    let survey = Survey::scored(chrf).with_range(0.0, 100.0).unwrap();
    let found = survey.estimate("control-variates", &judged, 0.9).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let scores = folder.path().join("scores.parquet");
    let scores = scores.to_str().unwrap();
    tiebreak(&["score", "data/tiny", "--metric", "chrf", "--out", scores]).ok();
    let line = "estimate data/tiny --criterion adequacy --metric chrf --estimator control-variates --range 0,100 \
        --confidence 0.9 --json --scores";
    let words: Vec<&str> = line.split(' ').chain([scores]).collect();
    let told = tiebreak(&words).json();
    let rows = told.as_array().or_else(|| told["estimates"].as_array());
    let mut rows = rows.unwrap().iter();
    let told = rows.find(|row| row["system"] == "cedar").unwrap();
    for (key, found) in [
        ("estimate", found.estimate),
        ("lower", found.lower),
        ("upper", found.upper),
        ("alpha", found.alpha),
    ] {
        assert!(
            (told[key].as_f64().unwrap() - found.unwrap()).abs() < 1e-9,
            "{key}: {told}"
        );
    }
}

#[test]
fn judgments_of_nothing_are_refused() {
    let survey = Survey::scored([0.1, 0.2]).with_range(0.0, 1.0).unwrap();
    for (estimator, judged, named) in [
        ("mean", &[][..], "no judgments"),
        ("mean", &[(2, 1.0)], "output 2"),
        ("mean", &[(1, 2.0)], "outside the range"),
        ("meen", &[(1, 1.0)], "meen"),
    ] {
        let error = survey.estimate(estimator, judged, 0.95).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
    }
    let unscored = Survey::unscored(9).estimate("control-variates", &[(1, 1.0)], 0.95);
    assert!(unscored.is_err());
    let mean = Survey::unscored(9).estimate("mean", &[(1, 1.0), (4, 0.5)], 0.95);
    assert_eq!(mean.unwrap().estimate, Some(0.75));
}

/// A person who prefers systems in the order of the list, with ties and changes of mind by item.
fn opinion(first: usize, second: usize, item: usize) -> Outcome {
    match (item * 7 + first + second) % 10 {
        0 => Outcome::Tie,
        1 | 2 if first < second => Outcome::Loss,
        1 | 2 => Outcome::Win,
        _ if first < second => Outcome::Win,
        _ => Outcome::Loss,
    }
}

struct Opinion {
    items: usize,
    asked: Vec<(usize, usize, usize)>,
}

impl FeedbackSource for Opinion {
    fn draw(&mut self, _pair: Pair, rng: &mut Rng) -> Result<Sample> {
        Ok(Sample::item(rng.below(self.items) as u32))
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        let Pair { first, second } = question.duel.pair;
        let (first, second) = (first.index(), second.index());
        let item = question.sample.item as usize;
        self.asked.push((first, second, item));
        let outcome = opinion(first, second, item);
        Ok(Reply::Answer(DuelAnswer::human(question, outcome)))
    }
}

#[test]
fn a_live_loop_asks_what_the_loop_asks() {
    let (systems, items) = (["a", "b", "c", "d"], 40);
    for (bandit, budget) in [
        ("adaptive", 400),
        ("rucb", 60),
        ("adaptive:epsilon=0.1", 100),
    ] {
        let plan = Plan {
            bandit: bandit.to_string(),
            budget,
            seed: Seed(5),
            ..Plan::default()
        };
        let mut live = Live::planned(&systems, items, &plan).unwrap();
        let mut asked = Vec::new();
        while let Some(question) = live.ask() {
            let (first, second, item) = (question.first, question.second, question.item);
            asked.push((first, second, item));
            live.tell(question, opinion(first, second, item));
            live.tell(question, Outcome::Tie); // nobody answers twice
        }
        let (name, params) = Params::parse(bandit).unwrap();
        let entry = find_entry("bandit", BANDITS, &name).unwrap();
        let known = PriorKnowledge {
            confidence: Some(plan.confidence),
            eligible: Some(EligibleItems::new(move |_| (0..items as u32).collect())),
            ..PriorKnowledge::default()
        };
        let arms = Arm::all(systems.len()).collect();
        let limits = Limits::new(budget, None);
        let setup = Setup::new(entry, params, arms, limits, plan.seed).unwrap();
        let mut person = Opinion {
            items,
            asked: Vec::new(),
        };
        let setup = setup.with(known).unwrap();
        let trace = setup
            .play(0, &mut DeduplicatedFeedback::new(&mut person))
            .unwrap();
        assert_eq!(asked, person.asked, "{bandit}");
        assert_eq!(live.verdict(), trace.verdict);
        assert_eq!(live.answers(), trace.annotations);
        assert_eq!(live.leader(), systems[trace.winner().unwrap().index()]);
        assert_eq!(live.claim().is_made(), trace.stop == Stop::Certificate);
    }
}

#[test]
fn answers_may_come_late_and_out_of_order() {
    let mut live = Live::new(&["a", "b"], 30).unwrap();
    assert_eq!(live.claim().kind, ClaimKind::Undecided);
    let mut open = Vec::new();
    while live.answers() < 30 {
        while open.len() < 5
            && let Some(question) = live.ask()
        {
            open.push(question);
        }
        let Some(question) = open.pop() else { break };
        let wins = question.first == 1;
        live.tell(question, if wins { Outcome::Win } else { Outcome::Loss });
    }
    let claim = live.claim();
    assert_eq!(claim.systems, ["b"], "{claim}");
    assert!(claim.to_string().contains("95 % confidence"), "{claim}");
    for (systems, items) in [(&["a"][..], 3), (&["a", "b"], 0)] {
        assert!(Live::new(systems, items).is_err());
    }
}
