//! Campaigns of ratings, whose truth is known: intervals cover it as often as they say, however outputs were drawn, whoever is
//! slow or skips, and also where somebody stops as soon as they are narrow enough.

use crate::support::{say, variants};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tiebreak::campaign::session::{CampaignSession, NextAction, with_session};
use tiebreak::campaign::{
    AnnotatorRoster, CampaignStatus, KeyChanges, Notices, OpenCampaign, Overlap, RatingStatus,
    Sampling, ScopeRequest,
};
use tiebreak::engine::{Context, SilentProgress};
use tiebreak::env::Env;
use tiebreak::journal::{Assignment, OutputRating, Response};
use tiebreak::keys;
use tiebreak::rng::{Rng, Seed};

const ITEMS: usize = 120;
const SYSTEMS: usize = 2;

/// How a campaign goes.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// Outputs of which models are unsure are drawn more often, and these are the bad ones.
    uneven: bool,
    /// The share of outputs that two people rate.
    overlap: f64,
    /// One person comes four times as often as the other, and likes texts less.
    slow: bool,
    /// Who stops when intervals are this wide.
    width: Option<f64>,
    /// Ratings given, unless something ends it before.
    ratings: usize,
}

const PLAIN: Way = Way {
    uneven: false,
    overlap: 0.0,
    slow: false,
    width: None,
    ratings: 60,
};

/// What somebody says of an output: as bad as its item, as the person is strict, and by chance.
fn score(person: u32, item: usize, system: usize) -> f64 {
    let mut rng = Seed(17).stream(
        "score",
        (item * SYSTEMS + system) as u64 * 2 + u64::from(person),
    );
    let bad = if item.is_multiple_of(3) { 2.0 } else { 0.0 };
    let strict = 0.7 * f64::from(person);
    (4.4 - bad - strict - 0.5 * system as f64 + 0.8 * rng.normal())
        .round()
        .clamp(1.0, 5.0)
}

/// The mean of a system over all outputs and both people.
fn truth(system: usize) -> f64 {
    let all = (0..ITEMS).flat_map(|item| (0..2).map(move |person| score(person, item, system)));
    all.sum::<f64>() / (2 * ITEMS) as f64
}

fn data(folder: &Path) {
    let (mut outputs, mut unsure) = (
        String::from("item,system,output\n"),
        String::from("item,uncertainty\n"),
    );
    for item in 0..ITEMS {
        // By their names items come in the order of their numbers.
        let _ = writeln!(
            unsure,
            "i{item:03},{}",
            if item.is_multiple_of(3) { 4 } else { 1 }
        );
        for system in 0..SYSTEMS {
            let _ = writeln!(outputs, "i{item:03},s{system},text {item} {system}");
        }
    }
    fs::write(folder.join("outputs.csv"), outputs).unwrap();
    fs::write(folder.join("unsure.csv"), unsure).unwrap();
}

/// How many of a campaign's intervals there are, and how many miss.
fn campaign(folder: &Path, way: &Way, run: u64) -> (u64, u64) {
    let out = tempfile::tempdir().unwrap();
    let change = |keys: &mut Sampling| {
        keys.budget = Some(keys::flag("120").unwrap());
        keys.uncertainties = way.uneven.then(|| folder.join("unsure.csv"));
        keys.target_width = way
            .width
            .map(|width| keys::flag(&width.to_string()).unwrap());
        Ok(())
    };
    let call = OpenCampaign {
        run: &out.path().join("run"),
        data: Some(&folder.join("outputs.csv")),
        columns: &[],
        seed: Some(Seed(run)),
        people: Some(AnnotatorRoster::List(vec![
            "ana".to_string(),
            "ben".to_string(),
        ])),
        anew: false,
        overlap: (way.overlap > 0.0).then_some(Overlap {
            share: way.overlap,
            people: 2,
        }),
        scope: ScopeRequest::default(),
        change: KeyChanges::Ratings(&change),
    };
    let stop = AtomicBool::new(false);
    let context = Context {
        seed: Seed(run),
        env: Env::default(),
        progress: &SilentProgress,
        stop: &stop,
    };
    let task = folder.join("task.toml");
    let told = with_session(&context, &call, task.to_str(), |session| {
        session.gather();
        let mut rng = Seed(41).stream("evening", run);
        for given in 1..=way.ratings {
            if !rate(session, way, &mut rng) {
                break;
            }
            if way.width.is_some() && given % 15 == 0 {
                session.settle(|_| true)?;
                if status(session)?.target.unwrap().reached {
                    break;
                }
            }
        }
        session.settle(|_| true)?;
        status(session)
    });
    let estimates = told.unwrap().estimates;
    let missed = estimates.iter().filter(|row| {
        let truth = truth(row.system[1..].parse().unwrap());
        !(row.lower.unwrap()..=row.upper.unwrap()).contains(&truth)
    });
    (estimates.len() as u64, missed.count() as u64)
}

/// One more rating by whoever comes; false where nobody has anything left.
fn status(session: &mut CampaignSession<'_>) -> tiebreak::Result<RatingStatus> {
    match session.status(Notices::default())? {
        CampaignStatus::Ratings(status) => Ok(*status),
        CampaignStatus::Pairs(_) => unreachable!("a campaign of ratings"),
    }
}

fn rate(session: &mut CampaignSession<'_>, way: &Way, rng: &mut Rng) -> bool {
    for _ in 0..20 {
        let person = match way.slow {
            true => u32::from(rng.bernoulli(0.2)),
            false => u32::from(rng.bernoulli(0.5)),
        };
        if let NextAction::Task(put) = session.turn(person).unwrap() {
            say_so(session, person, put);
            return true;
        }
    }
    false
}

fn say_so(session: &mut CampaignSession<'_>, person: u32, put: Assignment) {
    let question = session.question(put).unwrap();
    let system = question.duel.pair.first.index();
    let score = score(person, question.sample.item as usize, system);
    let given = Response {
        rated: Some(OutputRating {
            scores: [("quality".to_string(), score)].into(),
            text: None,
        }),
        annotator: Some(["ana", "ben"][person as usize].to_string()),
        ..Response::default()
    };
    session.give(put, given).unwrap();
}

/// The share of intervals that cover the truth.
fn covered(what: &str, way: &Way, runs: u64) {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path());
    let task = "protocol = \"rating\"\nprompt = \"How good?\"\n\n[[criteria]]\nname = \"quality\"\nlabel = \"?\"\nlow = 1\nhigh = 5\nstep = 1\n";
    fs::write(folder.path().join("task.toml"), task).unwrap();
    let (mut intervals, mut missed) = (0, 0);
    for run in 0..runs {
        let (n, wrong) = campaign(folder.path(), way, run);
        (intervals, missed) = (intervals + n, missed + wrong);
    }
    say(
        "MEASURED",
        &format!("{what}: {missed} of {intervals} intervals miss"),
    );
    assert!(intervals > runs, "{what}: hardly any interval");
    // Both systems of a campaign may miss together.
    let mean = 0.05 * intervals as f64;
    assert!(
        missed as f64 <= mean + 2.0 * (2.0 * mean).sqrt(),
        "{what}: {missed} of {intervals}"
    );
}

fn ways() -> Vec<(&'static str, Way)> {
    Vec::from(variants![PLAIN => Way
        "even" {}
        "uneven, cut off half-way" { uneven: true }
        "the whole of an uneven plan" { uneven: true, ratings: 200 }
        "one comes seldom, the whole plan" { slow: true, ratings: 400 }
        "overlap" { overlap: 0.3 }
        "stopped as soon as it is narrow" { width: Some(1.6), overlap: 0.2, ratings: 150 }
    ])
}

#[test]
fn intervals_of_ratings_cover_as_often_as_they_say() {
    for (what, way) in ways() {
        covered(what, &way, 30);
    }
}

#[test]
#[ignore = "a thousand campaigns of each kind take minutes"]
fn intervals_of_ratings_cover_as_often_as_they_say_in_a_thousand() {
    for (what, way) in ways() {
        covered(what, &way, 1000);
    }
}
