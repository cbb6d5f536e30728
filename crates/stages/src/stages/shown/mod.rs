//! What a report shows of the data itself, so that a reader sees more than numbers: who judged, and what
//! systems wrote. It would need texts and answers again, so it is stored beside the tables of a run.

mod gather;
mod rows;
pub(super) mod tell;

use crate::engine::context::Context;
use crate::inputs::source::Source;
use crate::rendering::Rendering;
use gather::DataOverviewBuilder;
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_data::tables::json;

/// The names of the files in the folder of a run.
const PEOPLE: &str = "people.json";
const EXAMPLES: &str = "examples.json";

/// Reads all answers of people once and stores who gave them, and examples of what they are about, with their rendering.
///
/// # Errors
/// If the index cannot be read, or the folder not be written; [`tiebreak_base::error::Error::Interrupted`].
pub fn run(context: &Context<'_>, source: &Source, rendering: Rendering, out: &Path) -> Result<()> {
    let mut found = DataOverviewBuilder::new(source.systems().len());
    found.sit(source.skips.iter().copied());
    for (place, group) in source.index.all().enumerate() {
        if place % 1024 == 0 {
            context.check()?;
        }
        found.add(group?, source, context.seed);
    }
    json::write(&out.join(PEOPLE), &found.people())?;
    json::write(&out.join(EXAMPLES), &found.examples(source, rendering))
}
