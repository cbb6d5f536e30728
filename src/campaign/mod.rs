//! Campaigns: questions to annotators in browsers, at the terminal or by file; one journal, one loop. Their protocol
//! (`course`) is either pairs that a bandit chooses, or ratings of sampled outputs.

mod answers;
mod claim;
mod clock;
mod course;
mod door;
mod exported;
mod filled;
mod folder;
mod forms;
mod ground;
mod next;
mod notice;
pub mod page;
mod pairs;
mod rated;
mod said;
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
pub mod task;
mod terminal;
mod text;
mod texts;

pub use answers::PairAnswer;
pub(crate) use course::CampaignKeys;
pub use course::Notices;
pub use door::CampaignAction;
pub(crate) use folder::is_campaign;
pub use folder::{AnnotatorRoster, OpenCampaign, ScopeRequest};
pub use forms::Form;
pub use pairs::PairCampaign;
pub(crate) use pairs::ranking;
pub use rated::RatingCampaign;
pub(crate) use rated::{estimate_as_begun, render as render_ratings};
pub use sheets::{SheetRequest, SheetsReturned};
pub(crate) use stored::StatusRefresh;
pub(crate) use terminal::TerminalRequest;
pub(crate) use text::render;
pub use tiebreak_decide::feedback::overlap::Overlap;
pub use tiebreak_stages::stages::sample::Sampling;
