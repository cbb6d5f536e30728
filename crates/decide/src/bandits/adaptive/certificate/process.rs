//! E-processes whose questions count in the order asked, whenever their answers arrive.
//!
//! Each block of questions is one factor of E, the mean over its bets against what E doubts:
//!
//! ```text
//! 1 + (1/n) Σ l (S + slack)      n bets of size l; S the answer's score as the system bet on sees it
//! ```
//!
//! Open and lost answers count at the least they could be. An arithmetic mean assumes nothing about how
//! the answers of one block depend on each other. It scatters less than one answer does, so
//! bets placed together are larger: the expected score over the expected square of the mean, where
//! people's tastes keep that from falling to 1/n. How many they are is known before the first answer.

use super::blocks::EvidenceBlocks;
use crate::bandits::adaptive::controls::AnswerScoring;
use std::collections::{BTreeMap, VecDeque};
use tiebreak_base::duel::DuelId;

/// The variance of people's mean scores: preferences scatter by a tenth.
const TASTE: f64 = 0.04;

/// More than one addition to ln E can be rounded by.
const ROUNDED: f64 = 1e-9;

/// One process E, in logarithms, counted twice: with all draws, and without those that repeat an earlier one.
#[derive(Debug, Clone, Default)]
struct Process {
    all: LogEvidence,
    new: LogEvidence,
    /// The bets from the oldest block with an open question on, in the order asked.
    queue: VecDeque<QueuedFactor>,
    /// The number of bets in `queue` up to the last that may raise E: it is not open, or gains at its worst, too.
    counted: usize,
    /// The number of bets up to which the sums of blocks hold. While one old question is open, answers to late ones
    /// change late sums only.
    summed: usize,
    /// The place from which on `ahead` holds, but for what was `raised` since.
    ahead_from: usize,
    /// At least the most by which changes since raised what `ahead` tells.
    raised: f64,
}

/// ln E.
#[derive(Debug, Clone, Copy, Default)]
struct LogEvidence {
    /// The value after the blocks that came before those in `queue`.
    settled: f64,
    /// The highest value that is certain, whatever the open questions bring.
    highest: f64,
}

#[derive(Debug, Clone, Copy)]
struct QueuedFactor {
    id: DuelId,
    block: u64,
    bet: EvidenceFactor,
    /// The term that it would add to 1 alone; while open, the least it can.
    gain: f64,
    open: bool,
    /// Whether the answer was known from an earlier draw.
    repeats: bool,
    /// Of the first bet of a block: the factor, until a bet of the block changes.
    factor: Option<BlockFactor>,
    /// Of the first bet of a block: the value after it, with all draws and with new ones.
    sums: [f64; 2],
    /// Of the first bet of a block: at least the most by which later blocks raise that value.
    ahead: f64,
}

/// The factor of a block that is complete.
#[derive(Debug, Clone, Copy)]
struct BlockFactor {
    /// The number of bets.
    bets: usize,
    open: bool,
    /// The logarithm, with all draws and with new ones.
    all: f64,
    new: f64,
}

impl Process {
    /// Changes the bet on a question, if it is in the queue.
    fn change(&mut self, id: DuelId, change: impl FnOnce(&mut QueuedFactor)) {
        if let Some(place) = self.queue_place(id) {
            let first = self.first_of_block(place);
            let before = self.factor_alone(place);
            let entry = &mut self.queue[place];
            change(entry);
            if !entry.open || entry.gain > 0.0 {
                self.counted = self.counted.max(place + 1);
            }
            self.queue[first].factor = None;
            if first < self.counted {
                self.summed = self.summed.min(first);
                self.raised += before.map_or(f64::INFINITY, |[all, new]| {
                    let after = self.factor(place);
                    (after.all - all).max(after.new - new).max(0.0) + ROUNDED
                });
            }
        }
    }

    /// The place of a question in the queue. Most are the newest, just asked, or the oldest, answered in order.
    fn queue_place(&self, id: DuelId) -> Option<usize> {
        match (self.queue.front(), self.queue.back()) {
            (_, Some(newest)) if newest.id == id => Some(self.queue.len() - 1),
            (Some(oldest), _) if oldest.id == id => Some(0),
            _ => self.queue.binary_search_by_key(&id, |entry| entry.id).ok(),
        }
    }

    /// The factor of a bet that is a block alone, as far as it counts, with all draws and with new ones.
    fn factor_alone(&mut self, place: usize) -> Option<[f64; 2]> {
        let block = self.queue[place].block;
        let is_of_block = |place: usize| self.queue.get(place).is_some_and(|it| it.block == block);
        if is_of_block(place + 1) || place.checked_sub(1).is_some_and(is_of_block) {
            return None;
        }
        let counts = place < self.counted;
        let factor = counts.then(|| self.factor(place));
        Some(factor.map_or([0.0; 2], |factor| [factor.all, factor.new]))
    }

    /// The place of the first bet of a block, by that of any.
    fn first_of_block(&self, place: usize) -> usize {
        let block = self.queue[place].block;
        match place.checked_sub(1).map(|before| self.queue[before].block) {
            Some(before) if before == block => {
                self.queue.partition_point(|entry| entry.block < block)
            }
            _ => place,
        }
    }

    /// The factor of the block that begins at a place.
    fn factor(&mut self, from: usize) -> BlockFactor {
        if let Some(known) = self.queue[from].factor {
            return known;
        }
        let block = self.queue[from].block;
        let entries = self.queue.range(from..);
        let entries = entries.take_while(|entry| entry.block == block);
        let bets = entries.clone().count();
        let gain = |entry: &QueuedFactor| entry.gain * entry.bet.together(bets);
        let gains: f64 = entries.clone().map(gain).sum();
        let repeated = entries.clone().filter(|entry| entry.repeats);
        let repeated: f64 = repeated.map(gain).sum();
        let factor = BlockFactor {
            bets,
            open: entries.clone().any(|entry| entry.open),
            all: (gains / bets as f64).ln_1p(),
            new: ((gains - repeated) / bets as f64).ln_1p(),
        };
        self.queue[from].factor = Some(factor);
        factor
    }

    /// Whether the value at a place, with all draws and with new ones, and all later ones are at most the highest.
    fn stays_below(&mut self, place: usize, [all, new]: [f64; 2]) -> bool {
        let is_below = |process: &Self| {
            let ahead = process.queue[place].ahead + process.raised;
            all + ahead <= process.all.highest && new + ahead <= process.new.highest
        };
        self.look_ahead(place);
        if is_below(self) || self.raised == 0.0 {
            return is_below(self);
        }
        // Bets that are not counted raise nothing.
        self.ahead_from = self.first_of_block(self.counted - 1);
        self.queue[self.ahead_from].ahead = 0.0;
        self.raised = 0.0;
        self.look_ahead(place);
        is_below(self)
    }

    /// Brings `ahead` up to date from a place on.
    fn look_ahead(&mut self, from: usize) {
        let mut place = self.ahead_from;
        while place > from {
            let BlockFactor { all, new, .. } = self.factor(place);
            let (raise, later) = (all.max(new), self.queue[place].ahead);
            place = self.first_of_block(place - 1);
            self.queue[place].ahead = match raise == 0.0 {
                true => later,
                false => (raise + later + ROUNDED).max(0.0),
            };
        }
        self.ahead_from = place;
    }

    /// Multiplies by the factors of the blocks that are complete.
    fn count(&mut self, blocks: &EvidenceBlocks) {
        let (mut from, mut closed) = (self.summed, 0);
        let [mut all, mut new] = match from.checked_sub(1) {
            Some(before) => self.queue[self.first_of_block(before)].sums,
            None => [self.all.settled, self.new.settled],
        };
        while from < self.counted {
            if blocks.grows(self.queue[from].block) {
                break;
            }
            let factor = self.factor(from);
            all += factor.all;
            new += factor.new;
            self.queue[from].sums = [all, new];
            self.all.highest = self.all.highest.max(all);
            self.new.highest = self.new.highest.max(new);
            let place = from;
            from += factor.bets;
            if closed == place && !factor.open {
                (self.all.settled, self.new.settled) = (all, new);
                closed = from;
            } else if self.stays_below(place, [all, new]) {
                break;
            }
        }
        self.queue.drain(..closed);
        self.counted = self.counted.saturating_sub(closed);
        self.summed = from - closed;
        self.ahead_from = self.ahead_from.saturating_sub(closed);
    }
}

/// A bet on one of a pair, for one process.
#[derive(Debug, Clone, Copy)]
pub(super) struct EvidenceFactor {
    pub process: usize,
    /// Whether it is on the first of the pair.
    pub on_first: bool,
    /// l of a question alone, at least 0.
    pub size: f64,
    /// The largest l.
    pub most: f64,
    pub slack: f64,
    /// The expected square of S + slack, above 0; its mean is taken to be `size` times that.
    pub square: f64,
}

impl EvidenceFactor {
    /// The term that an answer adds to 1; `score` is that of the first of the pair.
    fn gain(self, score: f64) -> f64 {
        let seen = if self.on_first { score } else { -score };
        self.size * (seen + self.slack)
    }

    /// The factor by which it is larger as one of `bets` of a block.
    fn together(self, bets: usize) -> f64 {
        if bets == 1 || self.size == 0.0 {
            return 1.0;
        }
        let (alone, mean) = (1.0 / bets as f64, self.size * self.square);
        let square = alone + (1.0 - alone) * (TASTE + mean * mean) / self.square;
        (1.0 / square).min(self.most / self.size)
    }

    /// The least that an answer can add.
    fn least(self, scoring: AnswerScoring) -> f64 {
        match self.on_first {
            true => self.gain(scoring.worst()),
            false => self.gain(-scoring.flipped().worst()),
        }
    }
}

/// The resolution of a question. Scores are those of the first of its pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) enum QuestionResolution {
    /// By the person asked.
    Answered(f64),
    /// By a model that audits make up for.
    Predicted(f64),
    /// By the same person's answer to an earlier draw of the same question.
    Repeated(f64),
    /// Never, with a mean score between these two: it counts at the worse.
    Skipped([f64; 2]),
    /// By a model, for good, or never since another question takes its place: it changes nothing.
    Passed,
    /// Never: it counts at its worst.
    Lost,
}

/// Several processes and the bets on open questions.
#[derive(Debug, Clone)]
pub(super) struct Processes {
    /// The processes that are or were bet on; any other is at 1. Of thousands of systems there is one for every pair.
    processes: BTreeMap<usize, Process>,
    /// The bets on each open question, one for each process it bears on.
    bets: BTreeMap<DuelId, Vec<EvidenceFactor>>,
}

impl Processes {
    /// Creates processes, each at 1.
    pub(super) fn new() -> Self {
        Self {
            processes: BTreeMap::new(),
            bets: BTreeMap::new(),
        }
    }

    /// Places a bet on a question of a block, fixed before its answer. All gains are above −1.
    pub(super) fn bet(&mut self, id: DuelId, block: u64, bet: EvidenceFactor) {
        let process = self.processes.entry(bet.process).or_default();
        process.queue.push_back(QueuedFactor {
            id,
            block,
            bet,
            gain: 0.0,
            open: true,
            repeats: false,
            factor: None,
            sums: [0.0; 2],
            ahead: 0.0,
        });
        process.change(id, |entry| entry.gain = bet.least(AnswerScoring::PLAIN));
        self.bets.entry(id).or_default().push(bet);
    }

    /// Sets the scoring of the answer to a question just asked.
    pub(super) fn weigh(&mut self, id: DuelId, scoring: AnswerScoring) {
        for bet in self.bets.get(&id).into_iter().flatten() {
            if let Some(process) = self.processes.get_mut(&bet.process) {
                process.change(id, |entry| entry.gain = bet.least(scoring));
            }
        }
    }

    /// Settles a question. Returns whether any process changed.
    pub(super) fn settle(
        &mut self,
        id: DuelId,
        settled: QuestionResolution,
        blocks: &EvidenceBlocks,
    ) -> bool {
        let Some(bets) = self.bets.remove(&id) else {
            return false;
        };
        for bet in bets {
            let process = self.processes.entry(bet.process).or_default();
            process.change(id, |entry| {
                entry.open = false;
                match settled {
                    QuestionResolution::Answered(score) | QuestionResolution::Predicted(score) => {
                        entry.gain = bet.gain(score);
                    }
                    QuestionResolution::Repeated(score) => {
                        entry.gain = bet.gain(score);
                        entry.repeats = true;
                    }
                    QuestionResolution::Skipped([low, high]) => {
                        entry.gain = bet.gain(low).min(bet.gain(high));
                    }
                    QuestionResolution::Passed => entry.gain = 0.0,
                    QuestionResolution::Lost => {}
                }
            });
            process.count(blocks);
        }
        true
    }

    /// Notes that what a process doubts is certain.
    pub(super) fn prove(&mut self, process: usize) {
        let process = self.processes.entry(process).or_default();
        process.all.highest = f64::INFINITY;
        process.new.highest = f64::INFINITY;
    }

    /// Counts blocks that are complete, whatever came of their questions.
    pub(super) fn count(&mut self, blocks: &EvidenceBlocks) {
        for process in self.processes.values_mut() {
            process.count(blocks);
        }
    }

    /// The highest ln E of a process that is certain, counted either way.
    pub(super) fn highest(&self, process: usize) -> f64 {
        let process = self.processes.get(&process);
        process.map_or(0.0, |Process { all, new, .. }| all.highest.min(new.highest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::AuditWeighting;
    use tiebreak_base::rng::{Rng, Seed};

    const WIN: QuestionResolution = QuestionResolution::Answered(1.0);
    const LOSS: QuestionResolution = QuestionResolution::Answered(-1.0);

    fn on_first(process: usize, size: f64) -> EvidenceFactor {
        EvidenceFactor {
            process,
            on_first: true,
            size,
            most: 0.9,
            slack: 0.0,
            square: 0.8,
        }
    }

    /// Processes whose questions are each a block of their own.
    struct SingletonBlocks {
        processes: Processes,
        blocks: EvidenceBlocks,
    }

    impl SingletonBlocks {
        fn new() -> Self {
            Self {
                processes: Processes::new(),
                blocks: EvidenceBlocks::default(),
            }
        }

        fn bet(&mut self, id: u64, bet: EvidenceFactor) {
            let block = self.blocks.block(DuelId(id)).unwrap();
            self.processes.bet(DuelId(id), block, bet);
        }

        fn settle(&mut self, id: u64, settled: QuestionResolution) -> bool {
            self.processes.settle(DuelId(id), settled, &self.blocks)
        }
    }

    #[test]
    fn evidence_multiplies_and_ties_and_models_change_nothing() {
        let mut singly = SingletonBlocks::new();
        let told = [
            (0.5, WIN),
            (0.5, QuestionResolution::Answered(0.0)),
            (0.5, QuestionResolution::Passed),
            (0.4, LOSS),
        ];
        for (id, (size, settled)) in (0..).zip(told) {
            singly.bet(id, on_first(1, size));
            assert!(singly.settle(id, settled));
            assert!(!singly.settle(id, settled));
        }
        let processes = singly.processes;
        assert!((processes.processes[&1].all.settled - (1.5_f64 * 0.6).ln()).abs() < 1e-15);
        assert!((processes.highest(1) - 1.5_f64.ln()).abs() < 1e-15);
        assert_eq!(processes.highest(0), 0.0);
    }

    #[test]
    fn an_open_question_counts_as_lost_until_it_is_answered() {
        let mut singly = SingletonBlocks::new();
        for id in 0..3 {
            singly.bet(id, on_first(0, 0.9));
        }
        singly.settle(1, WIN);
        singly.settle(2, WIN);
        // 0.1 · 1.9² = 0.361 although both arrivals were won.
        assert_eq!(singly.processes.highest(0), 0.0);
        let before = singly.processes.clone();
        for settled in [LOSS, QuestionResolution::Lost] {
            singly.settle(0, settled);
            assert_eq!(singly.processes.highest(0), 0.0);
            assert!(singly.processes.processes[&0].queue.is_empty());
            singly.processes = before.clone();
        }
        singly.settle(0, QuestionResolution::Answered(0.0));
        assert!((singly.processes.highest(0) - 2.0 * 1.9_f64.ln()).abs() < 1e-15);
        // What comes afterwards cannot take it back.
        singly.bet(3, on_first(0, 0.9));
        singly.settle(3, LOSS);
        assert!((singly.processes.highest(0) - 2.0 * 1.9_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn a_repeated_draw_counts_and_makes_no_evidence_alone() {
        let mut singly = SingletonBlocks::new();
        for id in 0..4 {
            singly.bet(id, on_first(0, 0.5));
        }
        singly.settle(0, WIN);
        let (once, twice) = (1.5_f64.ln(), 2.0 * 1.5_f64.ln());
        singly.settle(1, QuestionResolution::Repeated(1.0));
        let Process { all, new, .. } = &singly.processes.processes[&0];
        assert!((all.highest - twice).abs() < 1e-15 && (new.highest - once).abs() < 1e-15);
        assert!((singly.processes.highest(0) - once).abs() < 1e-15);
        // What was lost before is lost again, and what is new must make up for it.
        singly.settle(2, QuestionResolution::Repeated(-1.0));
        singly.settle(3, WIN);
        let Process { all, new, .. } = &singly.processes.processes[&0];
        assert!((all.settled - (twice + 0.75_f64.ln())).abs() < 1e-15);
        assert!((new.settled - twice).abs() < 1e-15);
    }

    #[test]
    fn one_answer_may_move_several_processes() {
        let mut singly = SingletonBlocks::new();
        let slack = 0.25;
        let up = EvidenceFactor {
            slack,
            ..on_first(0, 0.2)
        };
        let down = EvidenceFactor {
            process: 1,
            on_first: false,
            ..up
        };
        singly.bet(7, up);
        singly.bet(8, down);
        singly.settle(7, WIN);
        singly.settle(8, LOSS);
        assert_eq!(singly.processes.highest(0), 0.25_f64.ln_1p());
        assert_eq!(singly.processes.highest(1), 0.25_f64.ln_1p());
        // The very question on both sides: a tie moves both.
        singly.bet(9, up);
        let block = singly.blocks.block(DuelId(10)).unwrap();
        singly.processes.bet(DuelId(9), block, down);
        singly.settle(9, QuestionResolution::Answered(0.0));
        let both = 0.25_f64.ln_1p() + 0.05_f64.ln_1p();
        assert!((singly.processes.highest(0) - both).abs() < 1e-15);
        assert!((singly.processes.highest(1) - both).abs() < 1e-15);
    }

    #[test]
    fn a_block_is_one_factor_the_mean_of_its_bets() {
        let mut blocks = EvidenceBlocks::default();
        let mut processes = Processes::new();
        blocks.begin();
        for id in 0..4 {
            let block = blocks.block(DuelId(id)).unwrap();
            // The last bears on another process.
            processes.bet(DuelId(id), block, on_first(usize::from(id == 3), 0.9));
        }
        blocks.heard(DuelId(0));
        for (id, settled) in [(0, WIN), (1, WIN), (2, LOSS), (3, WIN)] {
            processes.settle(DuelId(id), settled, &blocks);
            // While two are open: (1.9 + 0.1 + 0.1)/3.
            let certain = [0.7, 1.3, 1.3, 1.3][id as usize];
            let expected = f64::ln(certain).max(0.0);
            assert!((processes.highest(0) - expected).abs() < 1e-15, "{id}");
        }
        assert!((processes.highest(1) - 1.9_f64.ln()).abs() < 1e-15);
        // The next block multiplies, and counts only when it cannot grow any more.
        blocks.begin();
        let block = blocks.block(DuelId(4)).unwrap();
        processes.bet(DuelId(4), block, on_first(0, 0.5));
        processes.settle(DuelId(4), QuestionResolution::Predicted(1.0), &blocks);
        assert!((processes.highest(0) - 1.3_f64.ln()).abs() < 1e-15);
        blocks.begin();
        processes.count(&blocks);
        assert!((processes.highest(0) - (1.3_f64 * 1.5).ln()).abs() < 1e-15);
    }

    /// Multiplies by all factors of a process anew; `asked` are all its bets.
    fn raise_slowly(highest: &mut [f64; 2], asked: &[QueuedFactor], blocks: &EvidenceBlocks) {
        let mut sums = [0.0; 2];
        for block in asked.chunk_by(|a, b| a.block == b.block) {
            if blocks.grows(block[0].block) {
                break;
            }
            let mut alone = Process {
                queue: block.iter().copied().collect(),
                ..Process::default()
            };
            let BlockFactor { all, new, .. } = alone.factor(0);
            for ((sum, highest), factor) in sums.iter_mut().zip(&mut *highest).zip([all, new]) {
                *sum += factor;
                *highest = highest.max(*sum);
            }
        }
    }

    /// A history of so many questions, of which a share is answered soon, others late, in some order, or never.
    fn assert_as_slowly(rng: &mut Rng, questions: u64) {
        let (soon, oldest, in_blocks) = (rng.uniform(), rng.uniform(), rng.bernoulli(0.3));
        let mut blocks = EvidenceBlocks::default();
        let mut processes = Processes::new();
        let (mut asked, mut open): (Vec<QueuedFactor>, Vec<u64>) = (Vec::new(), Vec::new());
        let mut highest = [0.0; 2];
        for id in 0..questions {
            if in_blocks && rng.bernoulli(0.2) {
                blocks.begin();
                processes.count(&blocks);
                raise_slowly(&mut highest, &asked, &blocks);
            }
            if let Some(block) = blocks.block(DuelId(id)) {
                let bet = on_first(0, [0.0, 0.02, 0.1, 0.5][rng.below(4)]);
                let scoring = AnswerScoring {
                    control: [0.0, 0.3, -1.1][rng.below(3)],
                    ..AnswerScoring::PLAIN
                };
                processes.bet(DuelId(id), block, bet);
                processes.weigh(DuelId(id), scoring);
                asked.push(QueuedFactor {
                    id: DuelId(id),
                    block,
                    bet,
                    gain: bet.least(scoring),
                    open: true,
                    repeats: false,
                    factor: None,
                    sums: [0.0; 2],
                    ahead: 0.0,
                });
                open.push(id);
            }
            while rng.bernoulli(soon) && !open.is_empty() {
                let place = match rng.bernoulli(oldest) {
                    true => usize::from(open.len() > 1),
                    false => rng.below(open.len()),
                };
                let id = open.remove(place);
                let score = [1.0, 1.0, 0.0, -1.0][rng.below(4)];
                let (settled, repeats) = match rng.bernoulli(0.2) {
                    true => (QuestionResolution::Repeated(score), true),
                    false => (QuestionResolution::Answered(score), false),
                };
                if !repeats {
                    blocks.heard(DuelId(id));
                }
                let entry = asked.iter_mut().find(|entry| entry.id.0 == id).unwrap();
                let gain = entry.bet.gain(score);
                *entry = QueuedFactor {
                    gain,
                    repeats,
                    open: false,
                    ..*entry
                };
                processes.settle(DuelId(id), settled, &blocks);
                raise_slowly(&mut highest, &asked, &blocks);
                let Process { all, new, .. } = &processes.processes[&0];
                let found = [all.highest, new.highest].map(f64::to_bits);
                assert_eq!(found, highest.map(f64::to_bits), "after {id}");
            }
        }
    }

    #[test]
    fn sums_that_are_kept_or_passed_over_change_no_bit() {
        for run in 0..300 {
            assert_as_slowly(&mut Seed(6).stream("test", run), 120);
        }
    }

    #[test]
    fn bets_placed_together_are_larger_but_for_tastes() {
        let bet = on_first(0, 0.1);
        assert_eq!(bet.together(1), 1.0);
        // The mean of 4 has the square (0.8 − 0.08²)/4 + 0.08² + 0.04 · 3/4 = 0.2348.
        assert!((bet.together(4) - 0.8 / 0.2348).abs() < 1e-12);
        assert_eq!(bet.together(1000), 9.0);
        assert_eq!(on_first(0, 0.0).together(4), 1.0);
    }

    #[test]
    fn a_lost_audit_counts_at_its_own_worst() {
        let scoring = AnswerScoring {
            weighing: AuditWeighting {
                q: 0.5,
                probability: 0.5,
            },
            control: 0.0,
        };
        // On the first, −2.5 at worst; on the second, −(0.5 + 0.5/0.5) = −1.5.
        for (on_first, worst) in [(true, -2.5), (false, -1.5)] {
            let mut singly = SingletonBlocks::new();
            let bet = EvidenceFactor {
                on_first,
                ..super::tests::on_first(0, 0.3)
            };
            singly.bet(0, bet);
            singly.processes.weigh(DuelId(0), scoring);
            singly.settle(0, QuestionResolution::Lost);
            let settled = singly.processes.processes[&0].all.settled;
            assert!((settled - f64::ln_1p(0.3 * worst)).abs() < 1e-15);
        }
    }
}
