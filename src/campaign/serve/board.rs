//! The admin's view of a campaign: its status, its annotators, and downloads.

use super::admin_step::ServedState;
use super::desk::HttpReply;
use super::links::{AnnotatorLink, Links};
use crate::campaign::clock::now;
use crate::campaign::kinds::Notices;
use crate::campaign::session::CampaignSession;
use crate::campaign::standing_out::{self, CampaignFindings};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::decimals;
use tiebreak_base::stats::quantiles::median;
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::inputs::source::campaign::{CampaignAnswers, JOURNAL};
use tiebreak_stages::journal::{Response, SOMEBODY};
use tiebreak_stages::stages;

/// The least pause after an analysis of annotators, as a multiple of the time it took.
const REST: u32 = 20;

/// The shortest time between two analyses of annotators.
const LEAST: Duration = Duration::from_secs(5);

/// The results computed last.
#[derive(Default)]
pub(super) struct StatusCache {
    /// The status, and the length of the journal at that time.
    status: Option<(u64, Value)>,
    found: Option<CampaignFindings>,
    /// The time of the next analysis of annotators.
    due: Option<Instant>,
    /// The reason why the results of the status are not stored, in a sentence.
    unstored: Option<String>,
}

impl StatusCache {
    /// Returns the status of the campaign.
    pub(super) fn status(
        &mut self,
        context: &Context<'_>,
        session: &mut CampaignSession<'_>,
        folder: &Path,
        links: &Links,
        heard: &BTreeMap<usize, u64>,
        url: &dyn Fn(&str) -> String,
    ) -> Result<Value> {
        let mut status = self.campaign(session)?;
        if self.due.is_none_or(|due| now() >= due) {
            let begun = now();
            self.found = standing_out::find_outliers(context, folder);
            let took = now().duration_since(begun);
            self.due = Some(now() + LEAST.max(took * REST));
        }
        let people = links.all().iter().enumerate();
        let people: Vec<Value> = people
            .map(|(place, link)| {
                let heard = heard.get(&place).copied();
                let mut person = self.person(session, link, heard, &url(&link.token));
                person["code"] = json!(links.code(link));
                person
            })
            .collect();
        status["annotators"] = people.into();
        let admitted = links.admitted(session);
        status["visitors"] = json!(links.for_all().map(|open| {
            json!({ "admitted": admitted, "places": open.places, "questions": open.questions })
        }));
        status["held"] = json!(session.journal().held_questions().count());
        status["agreement"] = self.agreement();
        status["cost"] = cost(session, status["left"]["questions"].as_u64());
        status["next"] = json!(ServedState::new(&status, session, links).step());
        let name = folder.file_name().map(|name| name.to_string_lossy());
        status["name"] = json!(name);
        Ok(status)
    }

    /// Returns the status that a campaign has without a server: what was computed last, while it holds.
    fn campaign(&mut self, session: &mut CampaignSession<'_>) -> Result<Value> {
        let lines = session.journal().lines();
        let is_stored = self.unstored.is_none();
        match &self.status {
            Some((at, status)) if *at == lines && is_stored => Ok(status.clone()),
            _ => {
                let (status, stored) = session.standing(Notices {
                    served: true,
                    ..Notices::default()
                })?;
                let mut status = serde_json::to_value(&status).map_err(Error::failed)?;
                let (remarks, all) = remarks(session);
                status["remarks"] = remarks.into();
                status["remarks_all"] = all.into();
                self.status = Some((lines, status.clone()));
                self.unstored = stored.err().map(|error| {
                    format!("Results cannot be stored for the report: {error}. Answers are still stored.")
                });
                Ok(status)
            }
        }
    }

    /// The reason why the results of the last status are not stored.
    pub(super) fn unstored(&self) -> Option<&str> {
        self.unstored.as_deref()
    }

    /// Has the next status stored again.
    pub(super) fn store_again(&mut self) {
        self.unstored = None;
        self.status = None;
    }

    fn person(
        &self,
        session: &CampaignSession<'_>,
        link: &AnnotatorLink,
        heard: Option<u64>,
        url: &str,
    ) -> Value {
        let given = session.given_by(&link.annotator);
        let answered = given.iter().filter(|given| given.is_answer()).count();
        let seconds: Vec<f64> = given.iter().filter_map(|given| given.seconds).collect();
        let spent: f64 = seconds.iter().sum();
        let last = given.iter().filter_map(|given| given.at).max();
        let found = self.found.as_ref();
        let flags = found.map_or_else(Vec::new, |found| found.flags(&link.annotator));
        json!({
            "name": link.annotator,
            "url": url,
            "answered": answered,
            "skipped": given.len() - answered,
            "open": session.open_of(&link.annotator),
            "last_seen": last.max(heard),
            "answers_per_hour": (spent > 0.0).then(|| 3600.0 * seconds.len() as f64 / spent),
            "seconds_median": median(seconds),
            "agreement": found.and_then(|found| found.agreement_of(&link.annotator)),
            "flags": flags,
            "closed": link.closed,
            "listed": session.find_person(Some(&link.annotator)).is_ok(),
        })
    }

    fn agreement(&self) -> Value {
        let agreement = self.found.as_ref().and_then(CampaignFindings::agreement);
        json!(agreement)
    }
}

const CSV: &str = "text/csv; charset=utf-8";

/// The number of remarks that are shown.
const REMARKS: usize = 50;

/// Returns the latest comments and reasons for skips, newest first, and the number of all.
fn remarks(session: &CampaignSession<'_>) -> (Vec<Value>, usize) {
    let texts = &session.campaign().context().texts;
    let journal = session.journal();
    let given = journal.posed().flat_map(|posed| {
        let given = posed.puts().filter_map(|(_, given)| given);
        given.map(move |given| (posed.question.sample.item, given))
    });
    let mut remarks: Vec<(Option<u64>, Value)> = given
        .filter_map(|(item, given)| {
            let parts = [given.reason.as_deref(), given.comment.as_deref()];
            let mut parts: Vec<&str> = parts.into_iter().flatten().collect();
            parts.dedup();
            if parts.is_empty() {
                return None;
            }
            let remark = json!({
                "annotator": given.annotator.as_deref().unwrap_or(SOMEBODY),
                "item": texts.item_name(item),
                "answered": given.is_answer(),
                "text": parts.join("; "),
            });
            Some((given.at, remark))
        })
        .collect();
    remarks.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let all = remarks.len();
    remarks.truncate(REMARKS);
    (remarks.into_iter().map(|(_, remark)| remark).collect(), all)
}

/// Returns the cost of answers, and of those `left` if they take as long.
fn cost(session: &CampaignSession<'_>, left: Option<u64>) -> Value {
    let journal = session.journal();
    let given: Vec<&Response> = journal
        .posed()
        .flat_map(|posed| posed.puts().filter_map(|(_, given)| given))
        .collect();
    let seconds: Vec<f64> = given.iter().filter_map(|given| given.seconds).collect();
    let spent: f64 = seconds.iter().sum();
    let mean = spent / seconds.len() as f64;
    let Some(median) = median(seconds) else {
        return Value::Null;
    };
    json!({
        "seconds": spent,
        "seconds_left": left.map(|left| left as f64 * mean),
        "answers": given.len(),
        "words": format!("median of {} s an answer", brief(median)),
    })
}

/// Formats seconds: with tenths only where they are few.
fn brief(seconds: f64) -> String {
    let tenths = (seconds * 10.0).round() / 10.0;
    match tenths < 10.0 {
        true => tenths.to_string(),
        false => decimals(seconds, 0),
    }
}

/// Returns everything that came back, as a table.
pub(super) fn answers(session: &mut CampaignSession<'_>) -> Result<HttpReply> {
    let campaign_context = session.campaign().context();
    let journal = session.journal();
    let answered = CampaignAnswers::in_journal(&journal, campaign_context.seed());
    let (body, _) = answered.csv(campaign_context.source)?;
    Ok(HttpReply {
        status: 200,
        kind: CSV,
        body,
        ..HttpReply::default()
    })
}

/// Returns the completion codes of visitors as a table, with what each of them did.
pub(super) fn codes(session: &CampaignSession<'_>, links: &Links) -> Result<HttpReply> {
    let mut body = String::from("annotator,code,answered,skipped,open\n");
    for link in links.all() {
        let given = session.given_by(&link.annotator);
        let answered = given.iter().filter(|given| given.is_answer()).count();
        let (skipped, open) = (given.len() - answered, session.open_of(&link.annotator));
        let code = links.code(link).unwrap_or_default();
        writeln!(
            body,
            "{},{code},{answered},{skipped},{open}",
            link.annotator
        )
        .map_err(Error::failed)?;
    }
    Ok(HttpReply {
        status: 200,
        kind: CSV,
        body: body.into_bytes(),
        ..HttpReply::default()
    })
}

/// Returns the journal as it lies on disk.
pub(super) fn journal(folder: &Path) -> Result<HttpReply> {
    let path = folder.join(JOURNAL);
    Ok(HttpReply {
        status: 200,
        kind: "application/x-ndjson",
        body: fs::read(&path).map_err(Error::reading(&path))?,
        ..HttpReply::default()
    })
}

/// Makes the report.
pub(super) fn report(
    context: &Context<'_>,
    session: &mut CampaignSession<'_>,
    folder: &Path,
) -> Result<HttpReply> {
    standing_out::store(context, folder, &session.journal())?;
    session.status(Notices::default())?;
    stages::report::write(folder)?;
    let path = folder.join("report.html");
    Ok(HttpReply {
        status: 200,
        kind: "text/html; charset=utf-8",
        body: fs::read(&path).map_err(Error::reading(&path))?,
        ..HttpReply::default()
    })
}
