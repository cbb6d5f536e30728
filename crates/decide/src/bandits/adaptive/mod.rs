//! Hierarchical top-two sampling: learns all margins together, starting from a model's predictions
//! where there are any, and stops when the evidence is strong enough whatever the model is worth.
//!
//! Source: our own; top-two sampling after Russo, "Simple Bayesian algorithms for best arm
//! identification", COLT 2016, for a hierarchical Gaussian model of the margins (`prior`,
//! `posterior`, `evidence`) and an anytime-valid elimination certificate (`certificate`).
//! Each step draws all margins from the posterior twice and asks the two draws' Copeland winners
//! against each other (of more than 64 systems those among the strongest of the draw, and of more than 50 it learns
//! from several answers at a time). Once the leader is in doubt by no more than δ, four questions in five instead
//! collect the evidence that the certificate lacks. Predictions and model only choose questions and
//! bets: the certificate's error probability δ holds whatever they are worth.
//!
//! Parameters: `target` (`best`) is what to find out: the `best` system, the `top-k`, with `k`, or a
//! `ranking` of all. `assume` (`condorcet`) is what the certificate of the best assumes,
//! but for what its own duels say; `none` proves that a winner exists and costs about twice as many
//! answers. The top k and a ranking are proved without assumption. `epsilon` (0) also lets a run end with
//! a system than which none is better by more than ε; 0.02 is a good value where the best may be
//! practically tied, but the two claims share δ, so a clear winner takes a little longer. `draws`
//! (`two`) is how many draws choose a pair; with `one`, its winner meets the system most likely to beat
//! it, which is faster to compute and takes a tenth more answers. `controls` (true) takes off the answers
//! what predictions of their items say, and has predictions count about systems by what they tell of items ([`trust`]);
//! `memory` (true) takes off what was answered about other pairs of them ([`controls`]). δ is 1 − confidence;
//! an arena without a confidence has no certificate, and then the run goes on. Outputs that are the
//! same are never compared, and systems whose outputs never differ count as one.
//!
//! Answers of models enter the posterior, never the certificate, unless people audit them
//! ([`AuditWeighting`]). The claim is about the items at hand, drawn with replacement, and the people asked; where an
//! arena has a stock ([`Arena::with_stock`]), about the judgments in it. With `assume=none` the certifying questions
//! are asked of the leader itself, because only its own victories count there.

use super::open_duels::OpenDuels;
use super::square::Square;
use super::{Arena, BuildDueling, DuelingBandit, Uses};
use certificate::{CertificatePlan, CertifiedClaim, Expectation, QuestionResolution};
use controls::{AnswerScoring, OnlineControlVariates};
use duplicates::Duplicates;
use evidence::MarginEvidence;
use goal::CertificateGoal;
use parameters::{AdaptiveParameters, AdaptiveSettings};
use posterior::{MarginPosterior, PredictedMargins};
use std::collections::{BTreeMap, BTreeSet};
use stock::JudgmentPool;
use target::Target;
use tiebreak_base::duel::{
    Arm, AuditWeighting, Chances, Duel, DuelId, Origin, Outcome, Outlook, Pair, Verdict,
};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;
use trust::PredictionCorrelation;

mod certificate;
mod choosing;
mod controls;
mod draw;
mod duplicates;
mod evidence;
mod goal;
mod parameters;
mod posterior;
mod prior;
mod stock;
mod target;
mod trust;
mod verdict;

/// The registry entry of `adaptive`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "adaptive",
    summary: "top-two sampling on a model of all margins; stops with a proof",
    cite: "tiebreak; top-two sampling after Russo, COLT 2016",
    parameters: parameters::<AdaptiveParameters>,
    build,
};

/// Draws that say which systems may be best: a share of one half has a standard error of .005.
const DRAWS: u32 = 10_000;

/// The number of answers up to which each is learned from at once; later one percent more are awaited.
const LEARN_AT_ONCE: u64 = 100;

/// The number of systems for each answer that is awaited: of many systems one answer says little of all.
const SYSTEMS_AN_ANSWER: usize = 50;

/// The most answers that are awaited for the number of systems.
const MOST_AWAITED: usize = 5;

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let settings = AdaptiveSettings::read(params)?;
    let differing = match arena.differing() {
        Some(differing) => differing.clone(),
        None => Square::from_fn(arena.k(), |_, _| 1.0),
    };
    let duplicates = Duplicates::from_differing(&differing);
    let k = duplicates.distinct().len();
    settings.check(k)?;
    let differing = differing.restricted_to(duplicates.distinct());
    let predicted = with_mean(
        arena
            .margins()
            .iter()
            .map(|one| one.restricted_to(duplicates.distinct())),
    );
    let goal = arena.confidence().map(|confidence| {
        let plan = CertificatePlan {
            target: settings.target,
            assume: settings.assume,
            epsilon: settings.epsilon,
            k,
        };
        CertificateGoal::new(plan, 1.0 - confidence, arena.skips())
    });
    let controls = OnlineControlVariates::new(arena.controls(), arena.predicting_controls());
    let stock = arena.stock();
    let stock = stock.map(|sizes| sizes.restricted_to(duplicates.distinct()));
    let evidence = MarginEvidence::new(differing, JudgmentPool::new(stock));
    Ok(Box::new(AdaptiveBandit::new(
        settings, duplicates, evidence, predicted, controls, goal,
    )))
}

/// The margins that models predict and, of several, their mean.
fn with_mean(tables: impl Iterator<Item = Square>) -> PredictedMargins {
    let mut tables: Vec<Square> = tables.collect();
    if let [first, _, ..] = &tables[..] {
        let sum = |i, j| tables.iter().map(|table| table.get(i, j)).sum::<f64>();
        tables.push(Square::from_fn(first.k(), |i, j| {
            sum(i, j) / tables.len() as f64
        }));
    }
    tables.into()
}

/// The posterior, with each table of predictions counting by what its model tells of items.
fn fit(
    evidence: &MarginEvidence,
    predicted: &PredictedMargins,
    controls: &OnlineControlVariates,
) -> MarginPosterior {
    let of_models: Vec<f64> = controls
        .in_common()
        .map(PredictionCorrelation::ln_ratio)
        .collect();
    // The mean of several is no better than the worst of them.
    let least = of_models.iter().copied().reduce(f64::min).unwrap_or(0.0);
    let credit = |table| of_models.get(table).copied().unwrap_or(least);
    let credits: Vec<f64> = (0..predicted.len()).map(credit).collect();
    MarginPosterior::fit(evidence, predicted, &prior::scales(&credits))
}

/// The state of a run. Systems are numbered among the distinct ones.
struct AdaptiveBandit {
    settings: AdaptiveSettings,
    duplicates: Duplicates,
    evidence: MarginEvidence,
    /// R, the largest |S| of the answer to what is asked next.
    reach: f64,
    predicted: PredictedMargins,
    controls: OnlineControlVariates,
    posterior: MarginPosterior,
    /// Answers that the posterior knows of.
    learned: u64,
    /// The systems as the posterior ranks them; where only the best matters, the leader and then the others by number.
    order: Vec<usize>,
    /// At least the probability, by the model, that what `order` says would be wrong.
    doubt: f64,
    /// Whether the model hardly doubts that none beats all the others.
    nobody: bool,
    /// The systems that the model hardly doubts to be ε-best; none where that is not asked for.
    nearly_best: Vec<usize>,
    open: OpenDuels,
    /// The pair of the latest open duel, with what is expected of it, until the bet on it is placed.
    latest: Option<(Pair, Expectation)>,
    /// The open duels that may never be answered.
    skipped: BTreeSet<DuelId>,
    /// The weightings of open duels that a model may settle and people audit.
    weighings: BTreeMap<DuelId, AuditWeighting>,
    goal: Option<CertificateGoal>,
}

impl AdaptiveBandit {
    fn new(
        settings: AdaptiveSettings,
        duplicates: Duplicates,
        evidence: MarginEvidence,
        predicted: PredictedMargins,
        controls: OnlineControlVariates,
        goal: Option<CertificateGoal>,
    ) -> Self {
        let mut new = Self {
            settings,
            posterior: fit(&evidence, &predicted, &controls),
            learned: 0,
            order: Vec::new(),
            doubt: 1.0,
            nobody: false,
            nearly_best: Vec::new(),
            duplicates,
            evidence,
            reach: 1.0,
            predicted,
            controls,
            open: OpenDuels::default(),
            latest: None,
            skipped: BTreeSet::new(),
            weighings: BTreeMap::new(),
            goal,
        };
        new.conclude();
        new
    }

    fn k(&self) -> usize {
        self.evidence.k()
    }

    fn learn(&mut self) {
        let answers = self.evidence.judged();
        let new = answers - self.learned;
        let awaited = self.k().div_ceil(SYSTEMS_AN_ANSWER).min(MOST_AWAITED) as u64;
        if new < awaited || answers > LEARN_AT_ONCE && new * 100 < answers {
            return;
        }
        self.posterior = self.fit();
        self.learned = answers;
        self.conclude();
    }

    fn fit(&self) -> MarginPosterior {
        fit(&self.evidence, &self.predicted, &self.controls)
    }

    /// Updates the order and the doubts by the posterior.
    fn conclude(&mut self) {
        self.order = match self.settings.target {
            Target::Best => self.led_by(self.posterior.leader()),
            Target::Top(_) | Target::Ranking => self.posterior.order(),
        };
        // Of pairs that are not explored the doubt would stay.
        let explored = self.settings.target.explored(&self.order);
        let wrong = |(better, worse)| self.posterior.doubt(better, worse, 0.0);
        self.doubt = explored.into_iter().map(wrong).sum();
        self.nobody = self.certificate_pools() && (0..self.k()).all(|i| self.is_beaten(i));
        if let Some(goal) = self.goal.as_ref().filter(|_| self.settings.epsilon > 0.0) {
            let hardly = |&i: &usize| self.doubt_nearly(i) <= goal.delta;
            self.nearly_best = (0..self.k()).filter(hardly).collect();
        }
    }

    /// The systems, a leader first.
    fn led_by(&self, leader: usize) -> Vec<usize> {
        let others = (0..self.k()).filter(|&j| j != leader);
        std::iter::once(leader).chain(others).collect()
    }

    fn certificate_pools(&self) -> bool {
        self.goal
            .as_ref()
            .is_some_and(|goal| goal.certificate.pools())
    }

    /// Whether the model hardly doubts that a certain one beats i.
    fn is_beaten(&self, i: usize) -> bool {
        let delta = self.goal.as_ref().map_or(0.0, |goal| goal.delta);
        (0..self.k()).any(|j| j != i && self.posterior.doubt(j, i, 0.0) <= delta)
    }

    /// At least the probability, by the model, that some system is better than i by more than ε.
    fn doubt_nearly(&self, i: usize) -> f64 {
        let doubt = |j| {
            let slack = self.settings.epsilon * self.evidence.differing(i, j);
            self.posterior.doubt(i, j, slack)
        };
        (0..self.k()).filter(|&j| j != i).map(doubt).sum()
    }

    fn claim(&self) -> Option<&CertifiedClaim> {
        self.goal.as_ref()?.certificate.claim()
    }

    fn leading(&self) -> usize {
        match self.claim() {
            Some(&CertifiedClaim::Best(place) | &CertifiedClaim::NearlyBest(place)) => place,
            Some(CertifiedClaim::Top(order) | CertifiedClaim::Ranking(order)) => order[0],
            Some(CertifiedClaim::Nobody) | None => self.order[0],
        }
    }

    /// The model's expectation of a question on i and j.
    fn expected(&self, i: usize, j: usize) -> Expectation {
        let margin = self.posterior.mean(i, j);
        self.evidence.expected(i, j, margin, self.reach)
    }

    /// The probability of each distinct system to be best, and that of none, once there is an answer: the shares of
    /// draws from the posterior, those without a winner weighing less.
    ///
    /// One draw more is shared by all outcomes alike, so that none is certain or impossible because no draw says
    /// otherwise.
    fn chances(&self, rng: &mut Rng) -> Option<(Vec<f64>, f64)> {
        if self.evidence.judged() == 0 || self.k() == 1 {
            return None;
        }
        let draws = f64::from(DRAWS);
        let shared = 1.0 / (self.k() + 1) as f64;
        // The fit to the last answer may have been put off.
        let shares = self.fit().shares_best(DRAWS, rng);
        let shares: Vec<f64> = shares
            .iter()
            .map(|share| (draws * share + shared) / (draws + 1.0))
            .collect();
        let one_is_best: f64 = shares.iter().sum();
        let none = prior::NO_WINNER * (1.0 - one_is_best).max(0.0);
        let total = one_is_best + none;
        let shares = shares.iter().map(|share| share / total).collect();
        Some((shares, none / total))
    }

    /// The distinct system that is claimed to be best, or else the most probable one.
    fn most_probable(&self, shares: &[f64]) -> usize {
        if self.claim().is_some() {
            return self.leading();
        }
        let best = |best: usize, place| {
            if shares[place] > shares[best] {
                place
            } else {
                best
            }
        };
        (0..shares.len()).fold(self.leading(), best)
    }

    /// The progress of the evidence that is needed where `leader` leads: that of the pair that lacks most of it.
    fn least_evidence(&self, goal: &CertificateGoal, leader: usize) -> Option<f64> {
        let order = match self.settings.target {
            Target::Best => self.led_by(leader),
            Target::Top(_) | Target::Ranking => self.order.clone(),
        };
        let pairs = self.settings.target.pairs(&order).into_iter();
        let progress = pairs.map(|(better, worse)| goal.certificate.progress(better, worse));
        progress.reduce(f64::min)
    }

    /// Passes on the scoring of the answer to an open question, once it is known.
    fn settle_scoring(&mut self, duel: DuelId, weighing: AuditWeighting) {
        let control = self.controls.control(duel);
        if let Some(goal) = &mut self.goal {
            goal.certificate
                .weigh(duel, AnswerScoring { weighing, control });
        }
    }

    /// The scores of the answers to a duel.
    fn scoring(&self, duel: DuelId, weighing: Option<AuditWeighting>) -> AnswerScoring {
        AnswerScoring {
            weighing: weighing.unwrap_or(AuditWeighting::NONE),
            control: self.controls.control(duel),
        }
    }

    /// Notes what is certain of a pair whose judgments are drawn without replacement.
    fn note_certainties(&mut self, pair: Pair) {
        let (i, j) = pair.indices();
        for (i, j) in [(i, j), (j, i)] {
            if let (Some(goal), Some(least)) = (&mut self.goal, self.evidence.stock().least(i, j)) {
                goal.certificate.certain(i, j, least, &self.order);
            }
        }
    }

    /// The system itself, for one of the distinct ones.
    fn arm(&self, place: usize) -> Arm {
        Arm::from(self.duplicates.distinct()[place])
    }
}

impl DuelingBandit for AdaptiveBandit {
    fn reach(&mut self, reach: f64) {
        self.reach = reach;
        self.evidence.reach(reach);
    }

    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        if self.k() == 1 || self.claim().is_some() {
            return None;
        }
        let chosen = self.choose(rng);
        let (first, second) = self.with_something_left(chosen, rng)?;
        let expected = self.expected(first, second);
        let pair = Pair::new(Arm::from(first), Arm::from(second));
        self.evidence.ask(pair);
        let mut duel = self.open.open(pair);
        self.latest = Some((pair, expected));
        if self.controls.are_none() {
            duel.bet = self.bet(duel.id, &[]);
        }
        duel.pair = Pair::new(self.arm(first), self.arm(second));
        Some(duel)
    }

    fn bet(&mut self, duel: DuelId, largest: &[f64]) -> f64 {
        let Some((pair, expected)) = self.latest.take() else {
            return 0.0;
        };
        let excess = self.controls.excess(largest);
        self.controls.ask(duel, 2.0 * expected.margin);
        let goal = self.goal.as_mut();
        goal.map_or(0.0, |goal| {
            goal.certificate.bet(duel, pair, expected, excess)
        })
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, origin: Origin) {
        let Some(pair) = self.open.close(duel) else {
            return;
        };
        if !self.skipped.remove(&duel) {
            self.evidence.close(pair);
        }
        let weighing = self.weighings.remove(&duel);
        let scoring = self.scoring(duel, weighing);
        let score = match (weighing, origin) {
            (Some(_), Origin::Model) => scoring.score(None),
            _ => scoring.score(Some(outcome)),
        };
        let tells = weighing.is_some() || matches!(origin, Origin::Human | Origin::Other);
        self.controls
            .close(duel, tells.then_some(score + scoring.control));
        if origin != Origin::Again {
            self.evidence.record(pair, score);
        }
        // Drawn once each, the answers to the same texts by other systems are among those that count.
        if matches!(origin, Origin::Human | Origin::Again) {
            self.evidence.learn(pair, outcome.score());
        }
        if let Some(goal) = &mut self.goal {
            let settled = match origin {
                Origin::Human => QuestionResolution::Answered(score),
                Origin::Other => QuestionResolution::Lost,
                Origin::Model if weighing.is_some() => QuestionResolution::Predicted(score),
                Origin::Again => QuestionResolution::Repeated(score),
                Origin::Model => QuestionResolution::Passed,
            };
            goal.certificate.settle(duel, settled, &self.order);
        }
        self.note_certainties(pair);
        if origin != Origin::Again {
            self.learn();
        }
    }

    /// Learns an opinion, unless a model is audited: then people see no random sample of a pair's items.
    fn inform(&mut self, pair: Pair, outcome: Outcome) {
        let place = |arm: Arm| Arm::from(self.duplicates.representative_index(arm.index()));
        let pair = Pair::new(place(pair.first), place(pair.second));
        if !pair.is_self() && !self.evidence.is_audited() {
            self.evidence.record(pair, outcome.score());
            self.learn();
        }
    }

    fn begin_block(&mut self) {
        if let Some(goal) = &mut self.goal {
            goal.certificate.begin_block(&self.order);
        }
    }

    fn control(&mut self, duel: DuelId, centred: &[f64]) {
        self.controls.draw(duel, centred);
        self.settle_scoring(duel, AuditWeighting::NONE);
    }

    fn weigh(&mut self, duel: DuelId, weighing: AuditWeighting) {
        if self.open.pair(duel).is_none() {
            return;
        }
        self.weighings.insert(duel, weighing);
        self.settle_scoring(duel, weighing);
    }

    fn renew_evidence(&mut self, share: f64) {
        if let Some(goal) = &mut self.goal {
            goal.renew(share);
        }
    }

    /// Answers count without a bet, too, where near ties will do and where no draw is replaced.
    fn stakes(&self, bet: f64) -> bool {
        bet != 0.0 || self.settings.epsilon > 0.0 || self.evidence.stock().is_limited()
    }

    /// Closes a skipped duel for the evidence. For the certificate it counts as its premise about skips says; without
    /// one it counts as lost until it is answered.
    fn skip(&mut self, duel: DuelId) {
        let Some(pair) = self.open.pair(duel) else {
            return;
        };
        if !self.skipped.insert(duel) {
            return;
        }
        self.evidence.close(pair);
        let scoring = self.scoring(duel, self.weighings.get(&duel).copied());
        if let Some(goal) = &mut self.goal
            && let Some(settled) = scoring.skipped(goal.skips)
        {
            goal.certificate.settle(duel, settled, &self.order);
        }
    }

    fn leader(&self) -> Arm {
        self.arm(self.leading())
    }

    fn verdict(&self) -> Verdict {
        self.tell_verdict()
    }

    fn target(&self) -> Target {
        self.settings.target
    }

    fn outlook(&self, rng: &mut Rng) -> Outlook {
        let chances = self.chances(rng);
        let shares = chances.as_ref().map_or(&[][..], |(shares, _)| shares);
        let leader = self.most_probable(shares);
        let rivals = (0..self.k()).filter(|&j| j != leader);
        let systems = rivals.flat_map(|j| self.duplicates.group(j).map(move |i| (Arm::from(i), j)));
        let evidence = |goal: &CertificateGoal| {
            let progress = |(arm, j)| (arm, goal.certificate.progress(leader, j));
            systems.map(progress).collect()
        };
        let goal = self.goal.as_ref();
        let group = |place| self.duplicates.group(place).map(Arm::from).collect();
        Outlook {
            leader: Some(self.arm(leader)),
            evidence: goal.map_or_else(Vec::new, evidence),
            least: goal.and_then(|goal| self.least_evidence(goal, leader)),
            chances: chances.map(|(shares, none)| Chances {
                best: (0..self.k()).map(group).zip(shares).collect(),
                none,
                answers: self.evidence.judged(),
            }),
        }
    }

    fn uses(&self) -> Uses {
        Uses {
            differing: true,
            margins: true,
            controls: self.settings.controls,
            memory: self.settings.memory,
            confidence: true,
            stock: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    #[test]
    fn a_skipped_question_is_waited_for_no_more_and_may_still_be_answered() {
        let settings = AdaptiveSettings::read(&Params::default()).unwrap();
        let differing = Square::from_fn(3, |_, _| 1.0);
        let duplicates = Duplicates::from_differing(&differing);
        let evidence = MarginEvidence::new(differing, JudgmentPool::default());
        let controls = OnlineControlVariates::new(0, 0);
        let mut adaptive =
            AdaptiveBandit::new(settings, duplicates, evidence, [].into(), controls, None);
        let Duel { id, pair, .. } = adaptive.ask(&mut Seed(1).stream("test", 0)).unwrap();
        let waits = |adaptive: &AdaptiveBandit| {
            let (i, j) = pair.indices();
            adaptive.evidence.anticipated(i, j, 0.3) < 0.3
        };
        assert!(waits(&adaptive));
        adaptive.skip(id);
        assert!(!waits(&adaptive));
        adaptive.skip(id);
        assert!(!waits(&adaptive));
        adaptive.record_outcome(id, Outcome::Win, Origin::Human);
        assert_eq!((waits(&adaptive), adaptive.evidence.judged()), (false, 1));
        adaptive.skip(id);
        assert!(!waits(&adaptive) && adaptive.skipped.is_empty());
    }

    /// In how many of 200 runs of 400 questions a bandit claims that the first of two systems is better, or that the
    /// second is. People skip the first's wins and losses, which are `wins` of all answers, with these probabilities.
    fn claims(skips: &str, wins: f64, skipped: [f64; 2]) -> [f64; 2] {
        const RUNS: u64 = 200;
        let mut claims = [0.0; 2];
        for run in 0..RUNS {
            let rng = &mut Seed(9).stream(skips, run);
            let arena = Arena::new(2, 400).unwrap().with_confidence(0.95).unwrap();
            let arena = arena.with_skips(skips.parse().unwrap());
            let mut bandit = build(&Params::default(), &arena).unwrap();
            for _ in 0..400 {
                let Some(Duel { id, pair, .. }) = bandit.ask(rng) else {
                    break;
                };
                let is_won = rng.bernoulli(wins);
                if rng.bernoulli(skipped[usize::from(!is_won)]) {
                    bandit.skip(id);
                    continue;
                }
                let for_first = is_won == (pair.first == Arm(0));
                let outcome = if for_first {
                    Outcome::Win
                } else {
                    Outcome::Loss
                };
                bandit.record_outcome(id, outcome, Origin::Human);
            }
            if let Verdict::Winner { arm, .. } = bandit.verdict() {
                claims[arm.index()] += 1.0 / RUNS as f64;
            }
        }
        claims
    }

    #[test]
    fn a_premise_about_skips_lets_claims_come_and_holds_where_it_is_true() {
        let at_random = ["worst-case", "odds:3", "odds:2", "no-preference"]
            .map(|skips| claims(skips, 0.7, [0.2; 2])[0]);
        let [worst, odds_of_three, odds_of_two, none] = at_random;
        assert!(worst < 0.75, "{worst}");
        assert!(odds_of_three >= 0.93 && odds_of_two >= 0.97 && none >= 0.98);
        // Equal systems. Who skips a fifth of the questions would prefer the second three times in four: the premise
        // of odds of three is true, that of no preference is not.
        let skipped = [0.1, 0.3];
        let wrong = ["worst-case", "odds:3", "no-preference"].map(|skips| {
            let [first, second] = claims(skips, 0.5, skipped);
            first + second
        });
        let [worst, odds_of_three, none] = wrong;
        assert!(worst <= 0.05 && odds_of_three <= 0.09 && none > 0.3);
    }

    #[test]
    fn answers_known_from_the_same_texts_are_among_those_drawn_once() {
        let stock = Square::from_fn(2, |i, j| 3.0 * f64::from(u8::from(i != j)));
        let arena = Arena::new(2, 9).unwrap().with_confidence(0.95).unwrap();
        let mut bandit = build(&Params::default(), &arena.with_stock(stock).unwrap()).unwrap();
        let rng = &mut Seed(2).stream("test", 0);
        for origin in [Origin::Human, Origin::Again] {
            assert_eq!(bandit.verdict(), Verdict::Open);
            let Duel { id, pair, .. } = bandit.ask(rng).unwrap();
            let outcome = Outcome::of_scores(f64::from(pair.second.0), f64::from(pair.first.0));
            bandit.record_outcome(id, outcome, origin);
        }
        let arm = Arm(0);
        let condorcet = true;
        assert_eq!(bandit.verdict(), Verdict::Winner { arm, condorcet });
    }

    #[test]
    fn the_most_probable_leads_and_nothing_is_certain() {
        let settings = AdaptiveSettings::read(&Params::default()).unwrap();
        let differing = Square::from_fn(3, |_, _| 1.0);
        let duplicates = Duplicates::from_differing(&differing);
        let evidence = MarginEvidence::new(differing, JudgmentPool::default());
        let controls = OnlineControlVariates::new(0, 0);
        let mut adaptive =
            AdaptiveBandit::new(settings, duplicates, evidence, [].into(), controls, None);
        let mut rng = Seed(1).stream("test", 0);
        for _ in 0..400 {
            let Duel { id, pair, .. } = adaptive.ask(&mut rng).unwrap();
            adaptive.record_outcome(
                id,
                Outcome::of_scores(f64::from(pair.second.0), f64::from(pair.first.0)),
                Origin::Human,
            );
            let found = adaptive.outlook(&mut rng).about(|arm| arm);
            let chances = found.chances.unwrap();
            assert_eq!(found.leader, Some(chances.best[0].0[0]));
            let shares = || chances.best.iter().map(|one| one.1).chain([chances.none]);
            assert!(shares().all(|share| share > 0.0 && share < 1.0));
            assert!((shares().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert_eq!(adaptive.outlook(&mut rng).leader, Some(Arm(0)));
    }

    #[test]
    fn predictions_count_about_systems_by_what_they_tell_of_items() {
        let predicted = [Square::from_fn(3, |i, j| 0.05 * (j as f64 - i as f64))].into();
        let evidence = MarginEvidence::new(Square::from_fn(3, |_, _| 1.0), JudgmentPool::default());
        // The margin of two systems without questions, when `agree` of 20 judgments agree with c.
        let margin = |agree: u64| {
            let mut controls = OnlineControlVariates::new(1, 1);
            for step in 0..400 {
                let c = if step % 2 == 0 { 0.5 } else { -0.5 };
                let score = if step % 20 < agree { c } else { -c };
                controls.ask(DuelId(step), 0.0);
                controls.draw(DuelId(step), &[c]);
                controls.close(DuelId(step), Some(2.0 * score));
            }
            fit(&evidence, &predicted, &controls).mean(0, 2)
        };
        // Of 0.1 predicted 0.08 are expected, if anything.
        let before = fit(&evidence, &predicted, &OnlineControlVariates::new(1, 1)).mean(0, 2);
        assert!((before / 0.08 - 0.6).abs() < 1e-9);
        let share = |agree| margin(agree) / 0.08;
        assert!(share(13) > 0.85 && share(10) < 0.1 && share(7) < 0.1);
    }
}
