//! `serve`: a campaign in people's browsers.
//!
//! One thread owns the campaign, another one serves: requests go to the first one over a channel. A reply is sent only
//! once all it rests on is on disk.

mod admin_step;
mod board;
mod checks;
mod desk;
pub(super) mod links;
mod names;
mod pace;
mod web;

use super::folder::{AnnotatorRoster, OpenCampaign};
use super::kinds::{CampaignStatus, Notices};
use super::session::{CampaignSession, open_session, with_session};
use super::state::Wording;
use crate::web::{WebServer, bound, reached_at};
use desk::CampaignServer;
use links::{AnnotatorLink, Links, SharedLinks};
use serde::Serialize;
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::sync_channel;
use tiebreak_base::error::{Error, Result};
use tiebreak_decide::feedback::dealing::is_same_person;
use tiebreak_stages::engine::context::Context;

/// The number of requests that may queue; more wait on their connections.
const QUEUE: usize = 1024;

/// The options of a served campaign.
pub(crate) struct ServeRequest<'a> {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The URL that links begin with, where others reach the server through a proxy.
    pub public_url: Option<&'a str>,
    /// The task of a new campaign, if given: a file, or the name of a task that comes with tiebreak.
    pub task: Option<&'a str>,
    /// The code that annotators are given at the end, to show elsewhere that they answered.
    pub code: Option<&'a str>,
    /// The link that is open to all, where one is asked for.
    pub open: Option<OpenTo>,
    /// Is called once the links work.
    pub announce: &'a dyn Fn(&Announcement<'_>) -> Result<()>,
}

/// What is told once a campaign is served.
pub(crate) struct Announcement<'a> {
    pub links: &'a [Address],
    /// The next step of a campaign that is at rest.
    pub rest: Option<&'a str>,
    /// What to know of a link that is open to all.
    pub notice: Option<&'a str>,
}

/// The visitors for whom a link is open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenTo {
    /// The most visitors who are admitted.
    pub places: usize,
    /// The number of questions of each, where it is given.
    pub questions: Option<usize>,
}

/// A link: an annotator's, the admin's, or the one that is open to all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Address {
    /// The link of an annotator.
    Annotator {
        /// The annotator's name.
        annotator: String,
        url: String,
    },
    /// The link that is open to all.
    Open {
        /// The most visitors who are admitted.
        open: usize,
        url: String,
    },
    /// The link of the admin.
    Admin {
        /// Always true.
        admin: bool,
        url: String,
    },
}

impl ServeRequest<'_> {
    /// Serves a campaign until the user asks to stop, beginning it where there is none; returns the status afterwards.
    ///
    /// # Errors
    /// Settings, data or a task other than the campaign was begun with; those of the journal; an address that cannot
    /// be listened on.
    pub(crate) fn perform(
        &self,
        context: &Context<'_>,
        call: &OpenCampaign<'_>,
    ) -> Result<CampaignStatus> {
        let known = Links::known(call.run)?;
        // Comes first: a campaign that cannot be served is not begun.
        let socket = ServerSocket::open(self.listen, known.as_ref().and_then(|links| links.port))?;
        let work = |session: &mut CampaignSession<'_>| {
            serve(context, session, call.people.as_ref(), self, socket)
        };
        match self.open.is_some() || known.is_some_and(|links| links.for_all().is_some()) {
            true => open_session(context, call, self.task, work),
            false => with_session(context, call, self.task, work),
        }
    }
}

/// Serves; returns the status of the campaign afterwards.
fn serve(
    context: &Context<'_>,
    session: &mut CampaignSession<'_>,
    named: Option<&AnnotatorRoster>,
    serving: &ServeRequest<'_>,
    socket: ServerSocket,
) -> Result<CampaignStatus> {
    let campaign_context = session.campaign().context();
    let opened = Links::open_to_all(
        campaign_context.folder,
        serving.open.map(|open| open.places),
        serving.open.and_then(|open| open.questions),
    )?;
    let listed = match opened {
        // Visitors know their own links, and nobody else needs them.
        Some(_) => Vec::new(),
        None => session.people().into_iter().map(|(_, name)| name).collect(),
    };
    let names = match (named, listed.is_empty()) {
        (_, false) => listed,
        (Some(AnnotatorRoster::List(one)), true) => one.clone(),
        _ => Vec::new(),
    };
    let wording = Wording {
        task: campaign_context.task.clone(),
        words: campaign_context.task.page_words(),
        code: serving.code.map(str::to_string),
    };
    if let Some(telltale) = checks::telltale(&wording.task, campaign_context.texts.shown_beside()) {
        context.progress.warn(&telltale);
    }
    if let Some(untranslated) = wording.words.untranslated() {
        context.progress.warn(&untranslated);
    }
    let is_open = opened.is_some();
    let mut links = match opened {
        Some(links) => links,
        None => Links::open(campaign_context.folder, &names)?,
    };
    // A campaign of one person keeps the name that it has.
    let names = match names.is_empty() && !is_open {
        true => links
            .all()
            .iter()
            .map(|link| link.annotator.clone())
            .collect(),
        false => names,
    };
    if let Some(port) = socket.taken {
        context.progress.warn(&format!(
            "port {port} of the earlier links is in use: the links have a new port, so send them again"
        ));
    }
    let at = socket.listener.local_addr().map_err(Error::failed)?;
    if links.port != Some(at.port()) {
        links.port = Some(at.port());
        links.write(campaign_context.folder)?;
    }
    let (send, requests) = sync_channel(QUEUE);
    let base = serving.public_url.map(str::to_string);
    let named = |port| format!("name that: --public-url http://HOST:{port}");
    let base = base.unwrap_or_else(|| reached_at(context, at, named));
    let (addresses, links) = (addresses(&base, &links, &names), SharedLinks::new(links));
    let encrypted = base.starts_with("https:");
    let words = wording.words.clone();
    let app = web::routes(links.clone(), words, encrypted, send);
    // Other commands show what is stored. That it could not be is said where the status is shown.
    let (status, _) = session.standing(Notices {
        served: true,
        ..Notices::default()
    })?;
    let server = WebServer::open(socket.listener, app)?;
    (serving.announce)(&Announcement {
        links: &addresses,
        rest: status.rest(),
        notice: status.notice().filter(|_| is_open),
    })?;
    let mut desk = CampaignServer::new(session, &links, base, &wording, campaign_context.folder);
    let served = desk.work(context, &requests);
    // No more replies are sent; clients try again when the server is back.
    drop(requests);
    server.close();
    served?;
    desk.close(context)
}

/// The socket of a server.
struct ServerSocket {
    listener: TcpListener,
    /// The port of earlier links, where it is in use.
    taken: Option<u16>,
}

impl ServerSocket {
    /// Listens; on any port, if allowed, it tries the one before, which is in existing links.
    fn open(at: SocketAddr, before: Option<u16>) -> Result<Self> {
        let before = before.filter(|_| at.port() == 0);
        let again = before.map(|port| bound(SocketAddr::new(at.ip(), port)));
        if let Some(Ok(listener)) = again {
            let taken = None;
            return Ok(Self { listener, taken });
        }
        let listener = bound(at)?;
        let taken = before;
        Ok(Self { listener, taken })
    }
}

fn addresses(base: &str, links: &Links, names: &[String]) -> Vec<Address> {
    let asked = links.all().iter();
    let is_asked = |link: &&AnnotatorLink| {
        let mut names = names.iter();
        names.any(|name| is_same_person(name, &link.annotator))
    };
    let asked = asked.filter(is_asked);
    let annotators = asked.map(|link| Address::Annotator {
        annotator: link.annotator.clone(),
        url: annotator_url(base, &link.token),
    });
    let admin = Address::Admin {
        admin: true,
        url: format!("{base}/admin/{}", links.admin()),
    };
    let open = links.for_all().map(|open| Address::Open {
        open: open.places,
        url: open_url(base, &open.token),
    });
    annotators.chain(open).chain([admin]).collect()
}

fn open_url(base: &str, token: &str) -> String {
    format!("{base}/open/{token}")
}

fn annotator_url(base: &str, token: &str) -> String {
    format!("{base}/j/{token}")
}
