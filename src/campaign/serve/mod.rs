//! `serve`: a campaign in people's browsers.
//!
//! One thread owns the campaign, another one serves: requests go to the first one over a channel, and what comes back is
//! only sent once all it rests on is on disk. Whatever is asynchronous is in `web`.

mod board;
mod checks;
mod desk;
mod links;
mod names;
mod pace;
mod web;

use super::course::{CampaignKeys, CampaignProtocol};
use super::door::CampaignAction;
use super::folder::{AnnotatorRoster, OpenCampaign};
use super::session::{CampaignSession, with_session};
use super::state::Wording;
use desk::CampaignServer;
use links::{AnnotatorLink, Links};
use serde::Serialize;
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::sync_channel;
use tiebreak_base::error::{Error, Result};
use tiebreak_decide::feedback::dealing::is_same_person;
use tiebreak_stages::engine::context::Context;

/// Requests that may wait for their turn; more wait at the door.
const QUEUE: usize = 1024;

/// How a campaign is served.
pub(crate) struct ServeRequest<'a> {
    /// Where it listens.
    pub listen: SocketAddr,
    /// What people are asked to do, where that is said: a file, or the name of a task that comes with tiebreak.
    pub task: Option<&'a str>,
    /// What they are given at the end, to show elsewhere that they answered.
    pub code: Option<&'a str>,
    /// Is told the links, once they work.
    pub announce: &'a dyn Fn(&[Address]) -> Result<()>,
}

/// A link: somebody's, or that of whoever runs the campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Address {
    /// Where somebody answers.
    Annotator {
        /// Who.
        annotator: String,
        /// Where.
        url: String,
    },
    /// Where the campaign is looked after.
    Admin {
        /// Always true.
        admin: bool,
        /// Where.
        url: String,
    },
}

/// Serves a campaign until the user asks to stop, beginning it where there is none.
///
/// # Errors
/// Beside those of every door an address that cannot be listened on.
impl CampaignAction for ServeRequest<'_> {
    fn open<K: CampaignKeys>(
        &self,
        context: &Context<'_>,
        call: &OpenCampaign<'_, K>,
    ) -> Result<K::Status> {
        with_session(context, call, self.task, |session| {
            serve(context, session, call.people.as_ref(), self)
        })
    }
}

/// Serves; how the campaign stands then.
fn serve<C: CampaignProtocol>(
    context: &Context<'_>,
    session: &mut CampaignSession<'_, C>,
    named: Option<&AnnotatorRoster>,
    serving: &ServeRequest<'_>,
) -> Result<C::Status> {
    let ground = session.course().ground();
    let listed: Vec<String> = session.people().into_iter().map(|(_, name)| name).collect();
    let names = match (named, listed.is_empty()) {
        (_, false) => listed,
        (Some(AnnotatorRoster::List(one)), true) => one.clone(),
        _ => Vec::new(),
    };
    let wording = Wording {
        task: ground.task.clone(),
        code: serving.code.map(str::to_string),
    };
    if let Some(telltale) = checks::telltale(&wording.task, ground.texts.shown_beside()) {
        context.progress.warn(&telltale);
    }
    let mut links = Links::open(ground.folder, &names)?;
    // One person's campaign goes on under the name that it has.
    let names = match names.is_empty() {
        true => links
            .all()
            .iter()
            .map(|link| link.annotator.clone())
            .collect(),
        false => names,
    };
    let listener = listen(context, serving.listen, links.port)?;
    let at = listener.local_addr().map_err(Error::failed)?;
    if links.port != Some(at.port()) {
        links.port = Some(at.port());
        links.write(ground.folder)?;
    }
    let (send, requests) = sync_channel(QUEUE);
    let web = web::Web::open(listener, links.clone(), send)?;
    (serving.announce)(&addresses(at, &links, &names))?;
    let mut desk = CampaignServer::new(session, links, at, &wording, ground.folder);
    let served = desk.work(context, &requests);
    // Nobody is told anything any more; whoever waits tries again when it is back.
    drop(requests);
    web.close();
    served?;
    desk.close(context)
}

/// Where it is to listen; on any port, if it may, the one before, which is in the links that people have.
fn listen(context: &Context<'_>, at: SocketAddr, before: Option<u16>) -> Result<TcpListener> {
    if let Some(port) = before.filter(|_| at.port() == 0) {
        match TcpListener::bind(SocketAddr::new(at.ip(), port)) {
            Ok(listener) => return Ok(listener),
            Err(_) => context.progress.warn(&format!(
                "port {port}, which is in the links of before, is taken: links have another now"
            )),
        }
    }
    TcpListener::bind(at).map_err(|source| Error::usage(format!("cannot listen on {at}: {source}")))
}

fn addresses(at: SocketAddr, links: &Links, names: &[String]) -> Vec<Address> {
    let asked = links.all().iter();
    let is_asked = |link: &&AnnotatorLink| {
        let mut names = names.iter();
        names.any(|name| is_same_person(name, &link.annotator))
    };
    let asked = asked.filter(is_asked);
    let annotators = asked.map(|link| Address::Annotator {
        annotator: link.annotator.clone(),
        url: annotator_url(at, &link.token),
    });
    let admin = Address::Admin {
        admin: true,
        url: format!("http://{at}/admin/{}", links.admin()),
    };
    annotators.chain([admin]).collect()
}

fn annotator_url(at: SocketAddr, token: &str) -> String {
    format!("http://{at}/j/{token}")
}
