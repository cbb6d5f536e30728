//! A language model as a preference model: orders, templates and samples are its draws.
//!
//! A call shows two outputs in some order and gives the preference q for what is shown first. The draws of a contest
//! are its calls, each from the side of `a`: q where `a` was first, else 1 − q. p is their mean, BALD and STD are as of
//! any draws: a single call has no spread. A call without a verdict is no draw, and a contest without any is left out,
//! with the reason counted.
//!
//! The order is decided by the two texts, whichever is named first, so asking the other way round gives exactly one
//! minus p. Two texts that are the same tie without being asked about.
//!
//! Position bias is the mean of 2q − 1. Over both orders, as q₁ + q₂ − 1, all else cancels; with an order drawn at
//! random, it does so in the mean over pairs.
//!
//! A template that rates one output at a time gives each a distribution of ratings; the preference is that of two
//! independent ratings, ties counting half.

use super::calibrator::Calibrator;
use super::distinct::Sides;
use super::orders::shows_first;
use super::reward::RewardModel;
use super::{Contest, Draws, Options, Order, PairwiseModel, Preference};
use crate::decoders::{self, Decoder};
use crate::judges::{
    Delivery, Engine, EngineKind, InProcessJudge, JudgeDescriptor, JudgeTemplateKind, Prompt,
    RemoteJudge, VerdictResult, address,
};
use crate::verdicts::{JudgeVerdict, UnreadableAnswer};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::PositiveNumber;
use tiebreak_base::rng::Seed;
use tiebreak_base::signature::Signature;
use tiebreak_decide::model_based::thresholds::Thresholds;
use tiebreak_encoders::Checkpoint;
use tiebreak_metrics::env::Env;

/// A judge with the way it is asked.
pub(crate) struct JudgeModel {
    engine: Box<dyn Engine>,
    name: String,
    kind: JudgeTemplateKind,
    templates: usize,
    order: Order,
    samples: Draws,
    seed: Seed,
    calibrator: Option<Calibrator>,
    missing: Mutex<BTreeMap<UnreadableAnswer, u64>>,
    /// The answers without a verdict of pairs that have one all the same, by reason.
    lost: Mutex<BTreeMap<UnreadableAnswer, u64>>,
    /// The pairs shown in both orders of which one alone has verdicts.
    halved: AtomicU64,
}

/// Loads the judge of a name, if it is one.
///
/// # Errors
/// What is wrong with its descriptor, its endpoint, or its calibration.
pub(crate) fn load(
    name: &str,
    options: &Options,
    env: &Env,
) -> Result<Option<Box<dyn PairwiseModel>>> {
    let asked = &options.judging;
    let Some(mut descriptor) =
        JudgeDescriptor::resolve_judge(name, asked, &env.models)?.or_else(|| bare(name, env))
    else {
        return Ok(None);
    };
    descriptor.concurrency = asked.concurrency.or(descriptor.concurrency);
    descriptor.max_cost = asked
        .max_cost
        .map(PositiveNumber::value)
        .or(descriptor.max_cost);
    descriptor.price = asked.price.or(descriptor.price);
    let order = order(&descriptor, options)?;
    let samples = samples(&descriptor, options)?;
    let own = descriptor.calibration.as_deref().map(Calibrator::read);
    let calibrator = options.calibration()?.resolve(own.transpose()?);
    let (engine, (kind, templates)): (Box<dyn Engine>, _) = match descriptor.engine {
        EngineKind::Http => {
            let (answers, sampled) = (descriptor.answers(asked), samples.most() > 1);
            let judge =
                RemoteJudge::new(&descriptor, &answers, &asked.delivery, sampled, env.seed)?;
            let templates = judge.templates();
            (Box::new(judge), templates)
        }
        EngineKind::InProcess => {
            let decoder = decoder(&descriptor, env)?;
            if decoder.kind() == decoders::DecoderTask::Reward {
                return Ok(Some(Box::new(RewardModel::new(decoder, calibrator)?)));
            }
            if samples.most() > 1 {
                let what = "several samples, but in this process all would be the same";
                return Err(Error::key("samples", what));
            }
            let judge = InProcessJudge::new(&descriptor, decoder)?;
            let templates = judge.templates();
            (Box::new(judge), templates)
        }
    };
    let judge = JudgeModel {
        name: descriptor.name().to_string(),
        engine,
        kind,
        templates,
        order,
        samples,
        seed: env.seed,
        calibrator: None,
        missing: Mutex::default(),
        lost: Mutex::default(),
        halved: AtomicU64::new(0),
    };
    judge
        .calibrated(calibrator)
        .map(|judge| Some(Box::new(judge) as Box<dyn PairwiseModel>))
}

/// Whether a name is that of a judge, as far as can be known without asking it.
pub(crate) fn names_judge(name: &str, options: &Options, env: &Env) -> Result<bool> {
    let described = JudgeDescriptor::resolve_judge(name, &options.judging, &env.models)?;
    let Some(descriptor) = described.or_else(|| bare(name, env)) else {
        return Ok(false);
    };
    descriptor.templates()?;
    if descriptor.engine == EngineKind::Http && matches!(options.judging.delivery, Delivery::Sent) {
        address(descriptor.endpoint.as_deref(), descriptor.dialect)?;
    }
    order(&descriptor, options)?;
    samples(&descriptor, options)?;
    Ok(true)
}

/// The descriptor of a decoder by its folder, name or hub id, which has none of its own.
fn bare(name: &str, env: &Env) -> Option<JudgeDescriptor> {
    let is_file = Path::new(name).extension().is_some_and(|one| one == "gguf");
    let is_decoder = || {
        let checkpoint = Checkpoint::resolve_model(name, &env.models, &env.hub).ok()?;
        Decoder::is_one(&checkpoint).then_some(())
    };
    if !is_file {
        is_decoder()?;
    }
    Some(JudgeDescriptor {
        engine: EngineKind::InProcess,
        model: Some(name.to_string()),
        name: Some(name.to_string()),
        ..JudgeDescriptor::default()
    })
}

/// Loads the decoder of a judge in this process.
fn decoder(descriptor: &JudgeDescriptor, env: &Env) -> Result<Decoder> {
    let model = descriptor.model()?;
    let path = Path::new(model);
    let mut decoder = if path.extension().is_some_and(|one| one == "gguf") {
        let own = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let own = own.unwrap_or(Path::new("."));
        let beside = descriptor.tokenizer.as_deref().unwrap_or(own);
        Decoder::load_gguf(path, &Checkpoint::in_folder(beside)?, env.device)?
    } else {
        Decoder::load(
            &Checkpoint::resolve_model(model, &env.models, &env.hub)?,
            env.device,
        )?
    };
    let told = serde_json::to_value(&descriptor.chat).map_err(Error::failed)?;
    if let Some(chat) = decoder.chat.take() {
        let chat = chat.with(told.as_object().unwrap_or(&serde_json::Map::new()));
        decoder.chat = Some(match &descriptor.date {
            Some(date) => chat.dated(date)?,
            None => chat,
        });
    }
    Ok(decoder)
}

fn order(descriptor: &JudgeDescriptor, options: &Options) -> Result<Order> {
    let own = match descriptor.order.as_deref() {
        None | Some("random") => Order::Random,
        Some("both") => Order::Both,
        Some("given") => Order::Given,
        Some(other) => {
            let what = format!("order is `{other}`, expected random, both or given");
            return Err(Error::model(descriptor.name(), what));
        }
    };
    Ok(options.order.unwrap_or(own))
}

fn samples(descriptor: &JudgeDescriptor, options: &Options) -> Result<Draws> {
    let own = || -> Result<Draws> {
        match &descriptor.samples {
            None => Ok(Draws::Fixed(1)),
            Some(value) => value.clone().try_into().map_err(|source: toml::de::Error| {
                Error::model(descriptor.name(), format!("samples: {}", source.message()))
            }),
        }
    };
    let samples = options.samples.map_or_else(own, Ok)?;
    match samples.any() {
        true => Ok(samples),
        false => Err(Error::key("samples", "0, expected at least 1")),
    }
}

/// The record of a contest's calls so far.
#[derive(Default, Clone)]
struct ContestRecord {
    draws: Vec<f64>,
    /// 2q − 1 of each call that could be read.
    firsts: Vec<f64>,
    calls: usize,
    why: Vec<UnreadableAnswer>,
    rounds: u32,
    /// Whether some call that could be read showed `a` first, and whether some showed it second.
    shown: [bool; 2],
    /// What the model wrote, each time with whether `a` was shown first or alone.
    answers: Vec<(bool, String)>,
}

impl JudgeModel {
    fn calibrated(mut self, calibrator: Option<Calibrator>) -> Result<Self> {
        if let Some(calibrator) = &calibrator {
            calibrator.check(&self.signature().to_string())?;
        }
        self.calibrator = calibrator;
        Ok(self)
    }

    /// Whether `a` is shown first, in each of the orders a contest is shown in.
    fn orders(&self, contest: &Contest<'_>) -> Vec<bool> {
        match self.order {
            Order::Given => vec![true],
            Order::Random => vec![shows_first(contest, self.seed)],
            Order::Both => vec![true, false],
        }
    }

    /// Asks about two outputs at a time until every contest has what it needs.
    fn pairs(
        &self,
        contests: &[Contest<'_>],
        go_on: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<ContestRecord>> {
        let mut all = vec![ContestRecord::default(); contests.len()];
        loop {
            let (mut prompts, mut of) = (Vec::new(), Vec::new());
            for (at, contest) in contests
                .iter()
                .enumerate()
                .filter(|(_, one)| one.a != one.b)
            {
                let ContestRecord { rounds, draws, .. } = &mut all[at];
                let more = self.samples.after_rounds(*rounds, draws);
                for sample in *rounds..*rounds + more {
                    for template in 0..self.templates {
                        for a_first in self.orders(contest) {
                            prompts.push(prompt(contest, template, sample, a_first));
                            of.push((at, a_first));
                        }
                    }
                }
                *rounds += more;
            }
            if prompts.is_empty() {
                return Ok(all);
            }
            let told = self.engine.ask(&prompts, go_on)?;
            for ((at, a_first), told) in of.into_iter().zip(told) {
                all[at].add(told, a_first);
            }
        }
    }

    /// Asks about one output at a time; the first output of a prompt is the only one.
    fn ratings(
        &self,
        contests: &[Contest<'_>],
        go_on: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<ContestRecord>> {
        let sides = Sides::from_contests(contests);
        let rounds = self.samples.most();
        let mut prompts = Vec::new();
        for side in &sides.all {
            for sample in 0..rounds {
                for template in 0..self.templates {
                    prompts.push(prompt(side, template, sample, true));
                }
            }
        }
        let told = self.engine.ask(&prompts, go_on)?;
        let calls = self.templates * rounds as usize;
        let of = |side: usize| &told[side * calls..(side + 1) * calls];
        Ok(sides
            .of
            .iter()
            .map(|&(a, b)| ContestRecord::rated(of(a), of(b)))
            .collect())
    }

    /// The preference that a contest's calls come to.
    fn preference(&self, contest: &Contest<'_>, record: ContestRecord) -> Option<Preference> {
        if contest.a == contest.b {
            return Some(Preference {
                p: 0.5,
                draws: vec![0.5],
                position: None,
                answers: Vec::new(),
            });
        }
        let position = record.position(self.order);
        let ContestRecord {
            mut draws,
            why,
            shown,
            answers,
            ..
        } = record;
        if draws.is_empty() {
            let why = why.into_iter().next();
            count(&self.missing, [why.unwrap_or(UnreadableAnswer::Failed)]);
            return None;
        }
        count(&self.lost, why);
        if self.order == Order::Both && shown[0] != shown[1] {
            self.halved.fetch_add(1, Ordering::Relaxed);
        }
        let mut p = draws.iter().sum::<f64>() / draws.len() as f64;
        if let Some(Calibrator { map, .. }) = &self.calibrator {
            p = map.preference(p);
            for draw in &mut draws {
                *draw = map.preference(*draw);
            }
        }
        Some(Preference {
            p,
            draws,
            position,
            answers,
        })
    }
}

fn count(
    counts: &Mutex<BTreeMap<UnreadableAnswer, u64>>,
    reasons: impl IntoIterator<Item = UnreadableAnswer>,
) {
    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
    for why in reasons {
        *counts.entry(why).or_default() += 1;
    }
}

/// Returns the counts by reason, in words; `None` where there are none.
fn counted(counts: &Mutex<BTreeMap<UnreadableAnswer, u64>>) -> Option<String> {
    let counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
    let words: Vec<String> = counts.iter().map(|(why, n)| format!("{why} {n}")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

impl Preference {
    /// The preference for the other output.
    fn turned(self) -> Self {
        Self {
            p: 1.0 - self.p,
            draws: self.draws.into_iter().map(|draw| 1.0 - draw).collect(),
            position: self.position,
            answers: self
                .answers
                .into_iter()
                .map(|(first, text)| (!first, text))
                .collect(),
        }
    }
}

impl ContestRecord {
    fn add(&mut self, told: VerdictResult, a_first: bool) {
        self.calls += 1;
        let told = told.map(|reading| {
            self.answers.push((a_first, reading.text));
            reading.verdict
        });
        match told {
            Ok(JudgeVerdict::First(q)) => {
                self.draws.push(if a_first { q } else { 1.0 - q });
                self.shown[usize::from(!a_first)] = true;
                self.firsts.push(2.0 * q - 1.0);
            }
            Ok(JudgeVerdict::Ratings(_)) => {
                self.why.push(UnreadableAnswer::NoVerdict);
            }
            Err(why) => self.why.push(why),
        }
    }

    fn rated(a: &[VerdictResult], b: &[VerdictResult]) -> Self {
        let mut record = Self::default();
        for (a, b) in a.iter().zip(b) {
            match (a, b) {
                (Ok(a), Ok(b)) => {
                    record.draws.push(better(&a.verdict, &b.verdict));
                    let texts = [(true, a.text.clone()), (false, b.text.clone())];
                    record.answers.extend(texts);
                }
                (Err(why), _) | (_, Err(why)) => record.why.push(why.clone()),
            }
        }
        record
    }

    /// The position bias, where every order that was to be shown could be read.
    fn position(&self, order: Order) -> Option<f64> {
        let whole = self.firsts.len() == self.calls && self.calls > 0;
        let n = self.firsts.len() as f64;
        (whole && order != Order::Given).then(|| self.firsts.iter().sum::<f64>() / n)
    }
}

/// The probability that the first of two independent ratings is the higher, ties counting half.
fn better(a: &JudgeVerdict, b: &JudgeVerdict) -> f64 {
    let (JudgeVerdict::Ratings(a), JudgeVerdict::Ratings(b)) = (a, b) else {
        return 0.5;
    };
    let above = |high: &[f64], low: &[f64]| -> f64 {
        let mut below = 0.0;
        let mut sum = 0.0;
        for (p, q) in high.iter().zip(low) {
            sum += p * below;
            below += q;
        }
        sum
    };
    f64::midpoint(1.0, above(a, b) - above(b, a))
}

fn prompt<'a>(contest: &Contest<'a>, template: usize, sample: u32, a_first: bool) -> Prompt<'a> {
    let (first, second) = match a_first {
        true => (contest.a, contest.b),
        false => (contest.b, contest.a),
    };
    Prompt {
        template,
        first,
        second,
        source: contest.source,
        references: contest.references,
        sample,
    }
}

impl PairwiseModel for JudgeModel {
    fn signature(&self) -> Signature {
        let mut signature = self.engine.signature();
        if self.kind == JudgeTemplateKind::Pairwise {
            signature = signature.with("order", self.order.name());
        }
        signature = signature
            .with("samples", self.samples)
            .with("seed", self.seed.0);
        match &self.calibrator {
            Some(calibrator) => calibrator.sign(signature),
            None => signature,
        }
    }

    fn reads_outputs_apart(&self) -> bool {
        self.kind == JudgeTemplateKind::Pointwise
    }

    fn thresholds(&self) -> Thresholds {
        let calibrator = self.calibrator.as_ref();
        calibrator.map_or_else(Thresholds::default, |one| one.thresholds)
    }

    fn predict(&self, contests: &[Contest<'_>]) -> Result<Vec<Preference>> {
        let found = self.preferences(contests, &|| Ok(()))?;
        let none = || Error::model(&self.name, "gave no verdict that can be read");
        found.into_iter().map(|one| one.ok_or_else(none)).collect()
    }

    fn preferences(
        &self,
        contests: &[Contest<'_>],
        go_on: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<Option<Preference>>> {
        go_on()?;
        // The side is that of one text, whichever is named first: from the other it is exactly one minus that.
        let turned = |one: &Contest<'_>| self.order != Order::Given && one.a > one.b;
        let sides: Vec<_> = contests
            .iter()
            .map(|one| if turned(one) { one.turned() } else { *one })
            .collect();
        let records = match self.kind {
            JudgeTemplateKind::Pairwise => self.pairs(&sides, go_on)?,
            JudgeTemplateKind::Pointwise => self.ratings(&sides, go_on)?,
        };
        let told = contests.iter().zip(&sides).zip(records);
        Ok(told
            .map(|((contest, side), record)| {
                let told = self.preference(side, record)?;
                Some(if turned(contest) { told.turned() } else { told })
            })
            .collect())
    }

    fn at_once(&self) -> usize {
        self.engine.at_once()
    }

    fn own_draws(&self) -> Option<u32> {
        let orders = if self.order == Order::Both && self.kind == JudgeTemplateKind::Pairwise {
            2
        } else {
            1
        };
        Some(self.samples.most() * self.templates as u32 * orders)
    }

    fn take_warnings(&self) -> Vec<String> {
        self.engine.take_warnings()
    }

    fn account(&self) -> Option<String> {
        let missing = counted(&self.missing);
        let missing =
            missing.map(|why| format!("no preference, since a verdict is missing: {why}"));
        let lost = counted(&self.lost);
        let lost = lost.map(|why| format!("answers left out of preferences: {why}"));
        let halved = self.halved.load(Ordering::Relaxed);
        let halved = (halved > 0).then(|| {
            format!("preferences from only one of two orders, with its position bias: {halved}")
        });
        let engine = self.engine.account().into_iter();
        let told: Vec<String> = engine.chain(missing).chain(lost).chain(halved).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}
