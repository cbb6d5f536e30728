//! How a campaign stands by its journal, stored anew for `report`: a server that was killed left older tables.

use super::course::{Asks, Course, Play, Word};
use super::door::Door;
use super::folder::Call;
use crate::engine::context::Context;
use crate::error::Result;
use crate::evaluation::active::Stop;
use crate::feedback::batch::Batch;
use std::cell::RefCell;

/// The door through which nobody comes: what is there is counted.
pub struct Stored;

impl Door for Stored {
    fn open<K: Asks>(&self, context: &Context<'_>, call: &Call<'_, K>) -> Result<K::Status> {
        K::with_run(context, call, None, |course, journal| {
            let ground = course.ground();
            let people = RefCell::new(Batch::new(&ground.texts, journal, ground.way, 0));
            let mut play = course.play(&people)?;
            let stop = play.go_on()?.unwrap_or(Stop::Ended);
            people.borrow().journal().replayed()?;
            play.status(stop, Word::default())
        })
    }
}
