//! Blocks of questions.
//!
//! One person's answers share their taste, so where people stand for others unknown, all questions to one of
//! them are one block and one factor of the evidence. Their questions and bets must all be fixed before their
//! first answer is known; later questions to them have no bet. Until a first block is begun every question is a
//! block of its own.

use tiebreak_base::duel::DuelId;

/// The blocks so far, numbered in the order in which they were begun.
#[derive(Debug, Clone, Default)]
pub(super) struct EvidenceBlocks {
    latest: u64,
    now: BlockPhase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum BlockPhase {
    /// Every question is a block.
    #[default]
    Singly,
    /// The latest block takes questions; the first of them, once there is one.
    Growing(Option<DuelId>),
    /// An answer of the latest block is known.
    Heard,
}

impl EvidenceBlocks {
    /// Begins a new block of all that is asked from now on.
    pub(super) fn begin(&mut self) {
        self.latest += 1;
        self.now = BlockPhase::Growing(None);
    }

    /// The blocks of new evidence, to which the person being asked adds nothing more.
    pub(super) fn renewed(&self) -> Self {
        let now = match self.now {
            BlockPhase::Singly => BlockPhase::Singly,
            BlockPhase::Growing(_) | BlockPhase::Heard => BlockPhase::Heard,
        };
        Self { now, ..*self }
    }

    /// The block of the question asked next; `None` where it may have no bet.
    pub(super) fn block(&mut self, id: DuelId) -> Option<u64> {
        match &mut self.now {
            BlockPhase::Singly => self.latest += 1,
            BlockPhase::Growing(first) => {
                first.get_or_insert(id);
            }
            BlockPhase::Heard => return None,
        }
        Some(self.latest)
    }

    /// Notes that a person answered a question.
    pub(super) fn heard(&mut self, id: DuelId) {
        if matches!(self.now, BlockPhase::Growing(Some(first)) if first <= id) {
            self.now = BlockPhase::Heard;
        }
    }

    /// Whether a block may still take questions, so that its factor is not known.
    pub(super) fn grows(&self, block: u64) -> bool {
        block == self.latest && matches!(self.now, BlockPhase::Growing(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_takes_questions_until_one_of_them_is_answered() {
        let mut blocks = EvidenceBlocks::default();
        assert_eq!(
            [0, 1].map(|id| blocks.block(DuelId(id))),
            [Some(1), Some(2)]
        );
        assert!(!blocks.grows(2));
        blocks.begin();
        blocks.heard(DuelId(1));
        assert_eq!(
            [2, 3].map(|id| blocks.block(DuelId(id))),
            [Some(3), Some(3)]
        );
        blocks.heard(DuelId(0));
        assert!(blocks.grows(3) && !blocks.grows(2));
        blocks.heard(DuelId(3));
        assert_eq!((blocks.block(DuelId(4)), blocks.grows(3)), (None, false));
        blocks.begin();
        assert_eq!(blocks.block(DuelId(5)), Some(4));
        let mut renewed = blocks.renewed();
        assert_eq!(renewed.block(DuelId(6)), None);
        renewed.begin();
        assert_eq!(renewed.block(DuelId(6)), Some(5));
    }
}
