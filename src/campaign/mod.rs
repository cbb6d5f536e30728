//! Campaigns: questions to annotators in browsers, at the terminal or by file; one journal, one loop. Their protocol
//! (`kinds`) is either pairs that a bandit chooses, or ratings of sampled outputs.

mod answers;
mod claim;
mod clock;
mod context;
mod exported;
mod filled;
mod folder;
mod forms;
mod kinds;
mod next;
mod notice;
pub mod page;
mod pairs;
#[cfg(feature = "cli")]
pub(crate) mod people;
pub mod questions;
pub(crate) mod race;
mod rated;
mod responses;
#[cfg(feature = "serve")]
pub mod serve;
pub mod session;
mod settings;
mod sheet;
mod sheets;
mod standing;
mod standing_out;
#[cfg(feature = "serve")]
mod state;
pub mod status;
mod stoppable;
mod stored;
mod tally;
pub mod task;
mod terminal;
mod text;
mod texts;
mod verdict;

pub use answers::PairAnswer;
pub use folder::{AnnotatorRoster, KeyChanges, OpenCampaign, ScopeRequest};
pub(crate) use folder::{is_campaign, is_in_use};
pub use forms::Form;
pub use kinds::{CampaignStatus, Notices};
pub(crate) use pairs::ranking;
pub use rated::RatingStatus;
pub(crate) use rated::estimate_as_begun;
pub use sheets::{SheetRequest, SheetsReturned};
pub(crate) use stored::{refresh_status, refresh_tables};
pub(crate) use terminal::TerminalRequest;
pub use tiebreak_decide::feedback::overlap::Overlap;
pub use tiebreak_stages::stages::sample::Sampling;
