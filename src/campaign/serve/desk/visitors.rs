//! Visitors: people who come by the link that is open to all. Each becomes an annotator with a block of questions, a
//! link of their own and a completion code. Looking at the link draws nothing, since programs look at links too.

use super::{CampaignServer, HttpReply};
use crate::campaign::page::{self, Welcome};
use crate::campaign::session::NoTaskReason;
use crate::web::HTML;
use tiebreak_base::error::Result;

impl CampaignServer<'_, '_> {
    /// Replies to whoever looks at the open link. A browser that was admitted is led to its own link.
    pub(super) fn visit(&self, known: Option<&str>) -> HttpReply {
        if let Some(back) = self.back(known) {
            return back;
        }
        let admitted = self.links.admitted(self.session);
        let open = self.links.for_all();
        let is_full = open.is_none_or(|open| admitted >= open.places);
        match (is_full, self.session.stopped(), self.links.paused) {
            (true, ..) => self.welcome(410, Welcome::Full),
            (_, Some(why), _) => self.welcome(410, Welcome::Over(why)),
            (.., true) => self.come_later(),
            _ => self.welcome(200, Welcome::Begin(self.block_length())),
        }
    }

    /// Admits a visitor. Their questions are on disk before their link, and both before it is used: after a crash in
    /// between the next visitor gets the questions.
    pub(super) fn admit(&mut self, known: Option<&str>) -> Result<HttpReply> {
        let looked = self.visit(known);
        if looked.status != 200 {
            return Ok(looked);
        }
        let mut visitors = self.session.people().into_iter().map(|(_, name)| name);
        let waiting = visitors.find(|name| self.links.place_of(name).is_none());
        let visitor = match waiting {
            Some(name) => Some(name),
            None => self.session.admit(self.block_length())?,
        };
        let Some(visitor) = visitor else {
            let why = self.session.stopped().unwrap_or(NoTaskReason::Exhausted);
            return Ok(self.welcome(410, Welcome::Over(why)));
        };
        self.session.sync()?;
        let mut links = self.links.clone();
        let token = links.add(visitor)?;
        self.change_links(|kept| *kept = links)?;
        Ok(HttpReply::leading_to(token))
    }

    /// Asks a visitor to come later: nobody is admitted now.
    pub(super) fn come_later(&self) -> HttpReply {
        self.welcome(503, Welcome::Paused)
    }

    fn block_length(&self) -> usize {
        self.links.for_all().map_or(0, |open| open.questions)
    }

    /// Leads a browser that was admitted back to its own link.
    fn back(&self, known: Option<&str>) -> Option<HttpReply> {
        let token = known.filter(|token| self.links.annotator(token).is_some())?;
        Some(HttpReply::leading_to(token.to_string()))
    }

    fn welcome(&self, status: u16, what: Welcome) -> HttpReply {
        HttpReply {
            status,
            kind: HTML,
            body: page::welcome(what, &self.wording.words).into_bytes(),
            ..HttpReply::default()
        }
    }
}

impl HttpReply {
    fn leading_to(token: String) -> Self {
        Self {
            status: 303,
            kind: HTML,
            leads_to: Some(token),
            ..Self::default()
        }
    }
}
