//! Dueling bandits, which choose the next pair, as pure state machines.
//!
//! A bandit is one file with an `ENTRY`, plus its two lines below. Notation, here and in the files:
//! K systems are the arms `0..K`; `w_ij` counts the wins of i over j (a tie is half a win for
//! both), `n_ij` = `w_ij` + `w_ji`, `m_ij` = `w_ij` / `n_ij` (½ before the first duel).

use serde::{Deserialize, Serialize};
use tiebreak_base::claims::SkipPremise;
use tiebreak_base::duel::{
    Arm, AuditWeighting, Duel, DuelId, Origin, Outcome, Outlook, Pair, Verdict,
};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, Params, positive, probability};
use tiebreak_base::rng::Rng;

mod adaptive;
mod beat_the_mean;
mod borda_ucb;
mod bounds;
mod bracket;
mod ccb;
mod choice;
mod dts;
mod dts_plus_plus;
mod interleaved_filtering;
mod knockout;
mod open_duels;
mod plackett_luce;
mod pocowista;
mod posterior;
mod quicksort;
mod rcs;
mod rmed;
mod rmed2;
mod rmed2fh;
mod rucb;
mod savage;
mod sequential_elimination;
mod single_elimination;
mod square;
mod tally;
mod uniform;
mod versus;

pub use square::Square;

/// The systems of a run and what is known before the first answer.
#[derive(Debug, Clone)]
pub struct Arena {
    k: usize,
    horizon: u64,
    confidence: Option<f64>,
    skips: SkipPremise,
    differing: Option<Square>,
    margins: Vec<Square>,
    controls: usize,
    predicting_controls: usize,
    stock: Option<Square>,
}

impl Arena {
    /// An arena of `k` systems, for a run planned to take `horizon` steps.
    ///
    /// # Errors
    /// [`Error::Usage`] if there are fewer than 2 systems, or more than 65 535.
    pub fn new(k: usize, horizon: u64) -> Result<Self> {
        Arm::comparable(k)?;
        Ok(Self {
            k,
            horizon,
            confidence: None,
            skips: SkipPremise::WorstCase,
            differing: None,
            margins: Vec::new(),
            controls: 0,
            predicting_controls: 0,
            stock: None,
        })
    }

    /// Asks for a certificate: the run may end when it is right with this probability.
    ///
    /// # Errors
    /// [`Error::Usage`] unless it lies between 0 and 1.
    pub fn with_confidence(mut self, confidence: f64) -> Result<Self> {
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(Error::usage(format!(
                "a confidence of {confidence}, expected a number between 0 and 1"
            )));
        }
        self.confidence = Some(confidence);
        Ok(self)
    }

    /// Sets the premise about skipped questions under which a certificate must be right.
    #[must_use]
    pub fn with_skips(mut self, skips: SkipPremise) -> Self {
        self.skips = skips;
        self
    }

    /// Sets the share of items on which the outputs of two systems differ; symmetric, in [0, 1].
    ///
    /// # Errors
    /// [`Error::Usage`] for a table of another size or with other numbers.
    pub fn with_differing(mut self, differing: Square) -> Result<Self> {
        let share = |f: f64, back: f64| f == back && (0.0..=1.0).contains(&f);
        check_table("shares of differing outputs", self.k, &differing, share)?;
        self.differing = Some(differing);
        Ok(self)
    }

    /// Sets the margins `p_ij` − ½ by which each of some models expects i to beat j; antisymmetric, in [−½, ½].
    ///
    /// # Errors
    /// [`Error::Usage`] for a table of another size or with other numbers.
    pub fn with_margins(mut self, margins: Vec<Square>) -> Result<Self> {
        let margin = |m: f64, back: f64| m == -back && (-0.5..=0.5).contains(&m);
        for table in &margins {
            check_table("predicted margins", self.k, table, margin)?;
        }
        self.margins = margins;
        Ok(self)
    }

    /// Sets the number of control variates of each duel ([`DuelingBandit::control`]); the first `predicting` are
    /// those of the models whose margins are given, in their order.
    #[must_use]
    pub fn with_controls(mut self, controls: usize, predicting: usize) -> Self {
        self.controls = controls;
        self.predicting_controls = predicting;
        self
    }

    /// Sets the number of judgments of each pair, of which every duel draws another one; symmetric, whole.
    ///
    /// # Errors
    /// [`Error::Usage`] for a table of another size or with other numbers.
    pub fn with_stock(mut self, stock: Square) -> Result<Self> {
        let size = |n: f64, back: f64| n == back && n >= 0.0 && n.fract() == 0.0;
        check_table("the numbers of judgments", self.k, &stock, size)?;
        self.stock = Some(stock);
        Ok(self)
    }

    /// The probability with which a certificate must be right; `None` where none is wanted, or
    /// none can be given because people do not see a random sample of the items.
    pub fn confidence(&self) -> Option<f64> {
        self.confidence
    }

    /// The premise about skipped questions.
    pub fn skips(&self) -> SkipPremise {
        self.skips
    }

    /// The share of items on which two systems' outputs differ, where known.
    pub fn differing(&self) -> Option<&Square> {
        self.differing.as_ref()
    }

    /// The margins that each of some models predicts; empty where there are none.
    pub fn margins(&self) -> &[Square] {
        &self.margins
    }

    /// The number of control variates of each duel.
    pub fn controls(&self) -> usize {
        self.controls
    }

    /// The number of these, the first, that are of models whose margins are given.
    pub fn predicting_controls(&self) -> usize {
        self.predicting_controls
    }

    /// The number of judgments of each pair, where they are drawn without replacement.
    pub fn stock(&self) -> Option<&Square> {
        self.stock.as_ref()
    }

    /// The number of systems, at least 2.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The number of steps the run is planned for, for algorithms whose confidence radius uses it.
    pub fn horizon(&self) -> u64 {
        self.horizon
    }
}

fn check_table(
    what: &str,
    k: usize,
    table: &Square,
    right: impl Fn(f64, f64) -> bool,
) -> Result<()> {
    if table.k() != k {
        let found = table.k();
        return Err(Error::usage(format!(
            "{what} of {found} systems, expected {k}"
        )));
    }
    match table.first_pair_not(right) {
        None => Ok(()),
        Some((i, j)) => Err(Error::usage(format!(
            "{what}: {} and {} for systems {i} and {j} contradict each other",
            table.get(i, j),
            table.get(j, i)
        ))),
    }
}

/// The target of a bandit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The best system.
    Best,
    /// The best systems, as many as given; fewer than there are.
    Top(usize),
    /// The ranking of all.
    Ranking,
}

/// The parts of an arena that a bandit makes use of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Uses {
    /// The shares of differing outputs. Such a bandit is asked about items with different outputs
    /// only, and takes the others for ties.
    pub differing: bool,
    /// The predicted margins.
    pub margins: bool,
    /// The predictions of items by models.
    pub controls: bool,
    /// The answers about other pairs of an item.
    pub memory: bool,
    /// The confidence, for a certificate.
    pub confidence: bool,
    /// The number of judgments left of a pair, where none is drawn twice.
    pub stock: bool,
}

/// The description of an algorithm that is followed where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Variant {
    /// The publication that introduced the algorithm.
    #[default]
    Original,
    /// The code released with Mohankumar and Khapra (2022), behind that paper's tables.
    Released,
}

/// A dueling bandit: proposes pairs and records outcomes. It never does I/O, reads a clock or holds
/// a generator of its own.
///
/// `ask` may be called again before earlier duels are answered; answers may arrive late and out of
/// order, each exactly once, by the duel's id; an id that is not open is ignored. Arms are `0..k`.
/// Ties between arms may be broken by index, because the loop permutes arms by seed, so no system
/// profits from its name. A pair of one arm with itself is a free tie.
pub trait DuelingBandit: Send {
    /// Sets the largest [`AuditWeighting::reach`] that the questions asked next may have, where people audit answers
    /// of a model; at least 1, and 1 until set.
    fn reach(&mut self, _reach: f64) {}

    /// The next pair to compare, or `None` when exploration is over.
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel>;

    /// Records the outcome for the first of the duel's pair; after [`DuelingBandit::weigh`] the outcome of a model
    /// is taken from there.
    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, origin: Origin);

    /// Learns a second opinion on a pair, by anybody but the person whose answer counts: it may help to choose
    /// and is no evidence.
    fn inform(&mut self, _pair: Pair, _outcome: Outcome) {}

    /// Notes that the person asked gave no answer to this duel. One may still come.
    fn skip(&mut self, _duel: DuelId) {}

    /// Begins a block of a certificate's evidence: all questions until the next call are to one person, newly
    /// drawn. Nothing that is asked after their first answer is known counts as evidence. Until the first call
    /// every question is a block of its own.
    fn begin_block(&mut self) {}

    /// Places the bet on a duel just asked, where an arena has control variates, and returns it: λ of [`Duel::bet`].
    /// Each variate is at most `largest`, whatever item is drawn. To be called once, before all else about the duel.
    fn bet(&mut self, _duel: DuelId, _largest: &[f64]) -> f64 {
        0.0
    }

    /// Sets the control variates of a duel whose item was drawn after its bet was placed: what models predict of the
    /// first there and what is remembered of the item, each less the mean over all that may be drawn for the pair.
    /// To be called once, before all but the bet.
    fn control(&mut self, _duel: DuelId, _centred: &[f64]) {}

    /// Sets the scoring of the answer to a duel, before the answer.
    fn weigh(&mut self, _duel: DuelId, _weighing: AuditWeighting) {}

    /// Begins a certificate anew, with `share` of the run's error probability, in (0, 1]: nothing
    /// asked so far is evidence any more. What was learned stays.
    fn renew_evidence(&mut self, _share: f64) {}

    /// Whether a claim may rest on the answer to a duel with this λ ([`Duel::bet`]).
    fn stakes(&self, _bet: f64) -> bool {
        true
    }

    /// The system that looks best now. Asking changes nothing.
    fn leader(&self) -> Arm;

    /// The verdict that can be given now.
    fn verdict(&self) -> Verdict {
        Verdict::Open
    }

    /// The target of the bandit.
    fn target(&self) -> Target {
        Target::Best
    }

    /// The outlook of the run. Asking changes nothing; what is drawn for it comes from `rng`.
    fn outlook(&self, _rng: &mut Rng) -> Outlook {
        Outlook::default()
    }

    /// The parts of the arena that it makes use of.
    fn uses(&self) -> Uses {
        Uses::default()
    }
}

/// Builds a bandit from its parameters.
pub type BuildDueling = fn(&Params, &Arena) -> Result<Box<dyn DuelingBandit>>;

/// All bandits.
pub const BANDITS: &[Entry<BuildDueling>] = &[
    uniform::ENTRY,
    rucb::ENTRY,
    rcs::ENTRY,
    rmed::ENTRY,
    rmed2::ENTRY,
    rmed2fh::ENTRY,
    dts::ENTRY,
    dts_plus_plus::ENTRY,
    savage::ENTRY,
    ccb::ENTRY,
    knockout::ENTRY,
    single_elimination::ENTRY,
    sequential_elimination::ENTRY,
    beat_the_mean::ENTRY,
    interleaved_filtering::ENTRY,
    plackett_luce::ENTRY,
    pocowista::ENTRY,
    borda_ucb::ENTRY,
    adaptive::ENTRY,
];
