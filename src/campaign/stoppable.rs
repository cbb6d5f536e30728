//! A run that can be interrupted: with thousands of systems each question takes a while to draw.

use std::cell::Cell;
use tiebreak_base::duel::Pair;
use tiebreak_base::error::Result;
use tiebreak_base::rng::Rng;
use tiebreak_decide::feedback::{FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak_stages::engine::context::Context;

/// Feedback that wants no further question once the user asked to stop.
pub(super) struct StoppableFeedback<'a, F> {
    pub people: F,
    pub context: &'a Context<'a>,
    /// Whether the last that is wanted is to know how it stands, which no stop ends.
    pub is_ending: &'a Cell<bool>,
}

impl<F: FeedbackSource> FeedbackSource for StoppableFeedback<'_, F> {
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        Some(&mut self.people)
    }

    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.people.draw(pair, rng)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        self.people.ask(question)
    }

    fn wants(&mut self) -> Result<bool> {
        let wanted = self.people.wants()?;
        // Without a question the status can still be computed.
        if wanted && !self.is_ending.get() {
            self.context.check()?;
        }
        Ok(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use tiebreak_base::error::Error;
    use tiebreak_base::rng::Seed;
    use tiebreak_metrics::env::Env;
    use tiebreak_stages::engine::context::SilentProgress;

    /// Feedback that wants questions or not.
    struct Wanting(bool);

    impl FeedbackSource for Wanting {
        fn draw(&mut self, _: Pair, _: &mut Rng) -> Result<Sample> {
            Ok(Sample::item(0))
        }

        fn ask(&mut self, _: PairQuestion) -> Result<Reply> {
            Ok(Reply::Later)
        }

        fn wants(&mut self) -> Result<bool> {
            Ok(self.0)
        }
    }

    #[test]
    fn only_a_question_that_would_be_drawn_is_too_much() {
        for (stopped, wanting) in [(false, false), (false, true), (true, false), (true, true)] {
            let stop = AtomicBool::new(stopped);
            let context = Context {
                seed: Seed::default(),
                env: Env::default(),
                progress: &SilentProgress,
                stop: &stop,
            };
            for is_ending in [false, true] {
                let wants = FeedbackSource::wants(&mut StoppableFeedback {
                    people: Wanting(wanting),
                    context: &context,
                    is_ending: &Cell::new(is_ending),
                });
                match (stopped, wanting, is_ending) {
                    (true, true, false) => assert!(matches!(wants, Err(Error::Interrupted))),
                    _ => assert_eq!(wants.unwrap(), wanting),
                }
            }
        }
    }
}
