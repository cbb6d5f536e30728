//! How a campaign stands by its journal, stored anew for `report`: a server that was killed left older tables.

use super::course::{Asks, Play, Word, replay};
use super::door::Door;
use super::folder::Call;
use tiebreak_base::error::Result;
use tiebreak_stages::engine::context::Context;

/// The door through which nobody comes: what is there is counted.
pub struct Stored;

impl Door for Stored {
    fn open<K: Asks>(&self, context: &Context<'_>, call: &Call<'_, K>) -> Result<K::Status> {
        K::with_run(context, call, None, |course, journal| {
            replay(course, journal, |play, stop, _| {
                play.status(stop, Word::default())
            })
        })
    }
}
