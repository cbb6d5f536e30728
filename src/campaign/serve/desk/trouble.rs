//! A disk that is full or failing. While the journal cannot be added to, no answer is taken and no question drawn; all
//! that is on disk is still shown, and the disk is tried before every request.

use super::{CampaignRequest, CampaignServer, HttpReply};
use serde_json::json;
use std::io::ErrorKind;
use tiebreak_base::error::{Error, Result};
use tiebreak_stages::engine::context::Context;

/// The reason why the journal cannot be added to.
pub(super) struct JournalTrouble {
    pub(super) words: String,
    /// Whether the campaign in memory is still ahead of the one on disk.
    pub(super) is_ahead: bool,
}

impl CampaignServer<'_, '_> {
    /// Replies to requests once what they changed is on disk. If that fails, what is not yet on disk is dropped, and
    /// each gets the reply that nothing need be written for.
    pub(super) fn reply_all<'r>(
        &mut self,
        context: &Context<'_>,
        requests: impl Iterator<Item = &'r CampaignRequest> + Clone,
    ) -> Result<Vec<HttpReply>> {
        self.recover()?;
        if self.trouble.is_none() {
            match self.reply_written(context, requests.clone()) {
                Err(error @ Error::Write { .. }) => self.begin_trouble(&error)?,
                replied => {
                    self.announce_trouble(context);
                    return replied;
                }
            }
        }
        let replies = requests
            .map(|what| self.reply_unwritten(context, what))
            .collect();
        self.announce_trouble(context);
        replies
    }

    fn reply_written<'r>(
        &mut self,
        context: &Context<'_>,
        requests: impl Iterator<Item = &'r CampaignRequest>,
    ) -> Result<Vec<HttpReply>> {
        let replies: Vec<HttpReply> = requests
            .map(|what| self.reply(context, what))
            .collect::<Result<_>>()?;
        self.settle_old()?;
        self.session.sync()?;
        Ok(replies)
    }

    /// Replies where nothing can be written.
    fn reply_unwritten(
        &mut self,
        context: &Context<'_>,
        what: &CampaignRequest,
    ) -> Result<HttpReply> {
        if self.trouble.as_ref().is_some_and(|one| one.is_ahead) {
            return Ok(HttpReply::unstored());
        }
        match what {
            CampaignRequest::Answer(..) | CampaignRequest::Undo(..) => Ok(HttpReply::unstored()),
            CampaignRequest::Admit(_) => Ok(self.come_later()),
            CampaignRequest::Task(place) => match self.person(*place) {
                Some(person) if self.session.undrawn_action(person).is_none() => {
                    Ok(HttpReply::unstored())
                }
                _ => self.task(*place),
            },
            looks => Ok(self.look_or_explain(context, looks)),
        }
    }

    pub(super) fn begin_trouble(&mut self, error: &Error) -> Result<()> {
        self.trouble = Some(JournalTrouble {
            words: refusal(error),
            is_ahead: true,
        });
        self.roll_back()
    }

    /// Goes back to what is on disk.
    fn roll_back(&mut self) -> Result<()> {
        let Some(trouble) = self.trouble.as_mut().filter(|one| one.is_ahead) else {
            return Ok(());
        };
        match self.session.roll_back() {
            Ok(()) => {
                trouble.is_ahead = false;
                // Nobody has seen the questions that are gone.
                self.names.forget();
                // Nobody can take an answer back meanwhile: the time for it begins anew.
                self.held.clear();
                Ok(())
            }
            Err(Error::Interrupted) => Err(Error::Interrupted),
            Err(error) => {
                trouble.words = refusal(&error);
                Ok(())
            }
        }
    }

    /// Ends the trouble if the journal can be added to again.
    pub(super) fn recover(&mut self) -> Result<()> {
        self.roll_back()?;
        let Some(trouble) = self.trouble.as_mut().filter(|one| !one.is_ahead) else {
            return Ok(());
        };
        match self.session.check_space() {
            Ok(()) => {
                self.trouble = None;
                self.board.store_again();
            }
            Err(error) => trouble.words = refusal(&error),
        }
        Ok(())
    }

    /// The trouble at present, in a sentence for the admin.
    pub(super) fn trouble(&self) -> Option<&str> {
        let trouble = self.trouble.as_ref().map(|one| one.words.as_str());
        trouble.or(self.board.unstored())
    }

    /// Says at the terminal that there is trouble, once, and that it is over.
    fn announce_trouble(&mut self, context: &Context<'_>) {
        match (self.trouble(), self.is_announced) {
            (Some(words), false) => context.progress.done(words),
            (None, true) => context
                .progress
                .done("The disk works again: answers are stored."),
            (Some(_), true) | (None, false) => return,
        }
        self.is_announced = !self.is_announced;
    }
}

impl HttpReply {
    /// The reply to a request that cannot be granted as long as nothing can be written: the page tries again.
    fn unstored() -> Self {
        let what = "answers cannot be stored at the moment";
        Self::json(503, &json!({ "error": what }))
    }
}

/// The sentence that the admin reads where answers are refused.
fn refusal(error: &Error) -> String {
    let cause = match error {
        Error::Write { source, .. } => match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "The disk is full. Answers are refused until there is space.".to_string()
            }
            _ => format!("Answers cannot be stored and are refused: {source}."),
        },
        other => format!("Answers cannot be stored and are refused: {other}."),
    };
    format!("{cause} No accepted answer is lost.")
}
