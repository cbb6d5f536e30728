//! A run that stops when it is asked to: of thousands of systems each question takes a while to draw.

use crate::engine::context::Context;
use crate::error::Result;
use crate::feedback::{Decorator, FeedbackSource};

/// People who want no further question once the user asked to stop.
pub(super) struct Stoppable<'a, F> {
    pub people: F,
    pub context: &'a Context<'a>,
}

impl<F: FeedbackSource> Decorator for Stoppable<'_, F> {
    type Inner = F;

    fn inner(&mut self) -> &mut F {
        &mut self.people
    }

    fn wants(&mut self) -> Result<bool> {
        self.context.check()?;
        self.people.wants()
    }
}
