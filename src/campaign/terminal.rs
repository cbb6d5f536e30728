//! `ask` at a terminal: one person there, asked one question after the other, every answer journalled.

use super::clock::{now, seconds};
use super::folder::OpenCampaign;
use super::kinds::{CampaignStatus, Notices};
use super::page::PageWords;
use super::responses::{AS_IT_IS, SubmittedAnswer};
use super::session::{CampaignSession, NextAction, with_session};
use super::sheet;
use super::status::ReceivedCounts;
use super::task::{Protocol, Task};
use std::collections::BTreeMap;
use std::io::{BufRead, Write, stderr, stdin};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::{argument, path_argument, visible};
use tiebreak_data::records::outcomes::check_annotators;
use tiebreak_data::sheets::Codes;
use tiebreak_decide::feedback::texts::Texts;
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::journal::{Assignment, Response};

/// The interval at which a stop by the user is checked.
const TICK: Duration = Duration::from_millis(50);

/// The options of a terminal session.
pub(crate) struct TerminalRequest<'a> {
    /// The name of the annotator.
    pub annotator: Option<&'a str>,
    /// The task of a new campaign, if given.
    pub task: Option<&'a str>,
    /// Fits a text into the terminal.
    pub fit: &'a dyn Fn(&str) -> String,
}

/// The keys that work beside an answer.
const ALWAYS: &str = "\
  s  skip this question; you may add a reason: s I do not know the language
  u  take back your last answer
  q  stop; the same command goes on later
";

const KEYS: &str = "s (skip), u (undo), h (help), q (stop): ";

impl TerminalRequest<'_> {
    /// Asks the person at the terminal until they stop or the run ends, beginning the run where there is none; returns
    /// the status afterwards. Questions go to standard error, so that standard output holds the result alone.
    ///
    /// # Errors
    /// Settings, data or a task other than the campaign was begun with; those of the journal; a data set without
    /// outputs, and [`Error::Interrupted`] at once where the user asks for it.
    pub(crate) fn perform(
        &self,
        context: &Context<'_>,
        call: &OpenCampaign<'_>,
    ) -> Result<CampaignStatus> {
        check_annotators(self.annotator, Error::usage)?;
        with_session(context, call, self.task, |session| {
            sit(context, call.run, session, self)
        })
    }
}

fn sit(
    context: &Context<'_>,
    run: &Path,
    session: &mut CampaignSession<'_>,
    seat: &TerminalRequest<'_>,
) -> Result<CampaignStatus> {
    session.campaign().context().warn_unchecked();
    let person = session.find_person(seat.annotator)?;
    let [answered, skipped] = session.answered_and_skipped(person);
    let mut terminal = TerminalSession {
        task: &session.campaign().context().task,
        lines: typed(),
        name: session
            .name_of(person)
            .or(seat.annotator.map(str::to_string)),
        session,
        seat,
        person,
    };
    if let Err(error) = terminal.ask(context) {
        if matches!(error, Error::Interrupted) {
            say(&again(run, seat))?;
        }
        return Err(error);
    }
    session.settle(|one| one == person)?;
    let now = session.answered_and_skipped(person);
    let told = ReceivedCounts {
        new: now[0].saturating_sub(answered),
        skipped: now[1].saturating_sub(skipped),
        ..ReceivedCounts::default()
    };
    session.status(Notices {
        told: Some(told),
        ..Notices::default()
    })
}

/// The command that goes on: all answers are on disk.
fn again(run: &Path, seat: &TerminalRequest<'_>) -> String {
    let who = seat.annotator;
    let who = who.map(|name| format!(" --annotator {}", argument(name)));
    let run = path_argument(run);
    format!(
        "\nAll answers are stored. To go on: tiebreak ask {run}{}\n",
        who.unwrap_or_default()
    )
}

/// Reads typed lines in a thread, so that a stop need not wait for one; ends with the input.
fn typed() -> Receiver<Vec<u8>> {
    let (send, lines) = channel();
    thread::spawn(move || {
        let mut input = stdin().lock();
        loop {
            let mut line = Vec::new(); // bytes: a stray key need not be valid UTF-8
            match input.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) if send.send(line).is_err() => return,
                Ok(_) => {}
            }
        }
    });
    lines
}

struct TerminalSession<'s, 'a> {
    task: &'a Task,
    session: &'s mut CampaignSession<'a>,
    seat: &'s TerminalRequest<'s>,
    person: u32,
    /// The name of the annotator, if known.
    name: Option<String>,
    lines: Receiver<Vec<u8>>,
}

/// A typed input.
enum TerminalInput {
    Answer(String),
    Undo,
    Help,
    Quit,
}

impl TerminalSession<'_, '_> {
    fn ask(&mut self, context: &Context<'_>) -> Result<()> {
        loop {
            let nothing = match self.session.turn(self.person)? {
                NextAction::Task(put) => {
                    if self.answer(context, put)? {
                        return Ok(());
                    }
                    continue;
                }
                NextAction::Wait => "others-first",
                NextAction::Done(why) => why.key(),
            };
            say_last(nothing)?;
            if !self.takes_back_last(context)? {
                return Ok(());
            }
        }
    }

    /// Asks a question until it is answered or the answer before it is taken back; whether the person stops instead.
    fn answer(&mut self, context: &Context<'_>, put: Assignment) -> Result<bool> {
        self.show(put)?;
        let begun = now();
        loop {
            match self.key(context)? {
                TerminalInput::Quit => return Ok(true),
                TerminalInput::Help => say(&help(self.task))?,
                TerminalInput::Undo if self.session.undo(self.person)? => return Ok(false),
                TerminalInput::Undo => say("There is nothing to take back.\n")?,
                TerminalInput::Answer(text) => {
                    let took = now().duration_since(begun).as_secs_f64();
                    match self.take(put, &text, took)? {
                        None => return Ok(false),
                        Some(what) => say(&format!("{what}\n"))?,
                    }
                }
            }
        }
    }

    /// Whether the person takes their last answer back, where nothing is left to ask and they still can.
    fn takes_back_last(&mut self, context: &Context<'_>) -> Result<bool> {
        if self.session.journal().held(self.person).is_none() {
            return Ok(false);
        }
        loop {
            say("Type u (take back your last answer) or q (stop): ")?;
            let line = self.line(context)?.map(|line| line.to_lowercase());
            match line.as_deref() {
                Some("u" | "undo") => return self.session.undo(self.person),
                None | Some("" | "q" | "quit") => return Ok(false),
                Some(_) => {}
            }
        }
    }

    /// Shows a question, with what it is judged by.
    fn show(&self, put: Assignment) -> Result<()> {
        let question = self.session.question(put);
        let question = question.ok_or_else(|| Error::failed("a question that was not posed"))?;
        let codes = Codes::default();
        let row = sheet::row(self.session.campaign().context(), put, &question, &codes)?;
        let [answered, skipped] = self.session.answered_and_skipped(self.person);
        let skipped = match skipped {
            0 => String::new(),
            some => format!(", {some} skipped"),
        };
        let mut text = format!("\n-- {answered} answered{skipped} --\n");
        let source = row.source.map(|source| ("Source:    ", source));
        let references = row.references.iter();
        let references = references.map(|text| ("Reference: ", text.as_str()));
        for (name, shown) in source.into_iter().chain(references) {
            text += &format!("{name}{}\n", harmless(shown));
        }
        let several = row.texts.len() > 1;
        for (place, (_, shown)) in row.texts.iter().enumerate() {
            let mark = several.then(|| format!("[{}] ", place + 1));
            text += &format!("\n{}{}\n", mark.unwrap_or_default(), harmless(shown));
        }
        say(&(self.seat.fit)(&(text + "\n")))
    }

    fn key(&mut self, context: &Context<'_>) -> Result<TerminalInput> {
        say(&format!(
            "{} Type {}, {KEYS}",
            self.task.prompt,
            expected(self.task)
        ))?;
        let Some(line) = self.line(context)? else {
            return Ok(TerminalInput::Quit);
        };
        Ok(match line.to_lowercase().as_str() {
            "q" | "quit" => TerminalInput::Quit,
            "h" | "help" | "?" => TerminalInput::Help,
            "u" | "undo" => TerminalInput::Undo,
            _ => TerminalInput::Answer(line),
        })
    }

    /// Waits for a typed line; `None` at the end of the input.
    fn line(&self, context: &Context<'_>) -> Result<Option<String>> {
        loop {
            match self.lines.recv_timeout(TICK) {
                Ok(line) => return Ok(Some(String::from_utf8_lossy(&line).trim().to_string())),
                Err(RecvTimeoutError::Timeout) => context.check()?,
                Err(RecvTimeoutError::Disconnected) => {
                    say("\n")?;
                    return Ok(None);
                }
            }
        }
    }

    /// Takes an answer; returns the mistake if it is invalid.
    fn take(&mut self, put: Assignment, typed: &str, took: f64) -> Result<Option<String>> {
        let (key, rest) = typed.split_once(' ').unwrap_or((typed, ""));
        let skips = matches!(key.to_lowercase().as_str(), "s" | "skip");
        let parsed = match skips {
            true => Ok(Response::default()),
            false => self.parse_typed(put, typed)?,
        };
        let given = match parsed {
            Ok(given) => given,
            Err(what) => return Ok(Some(what)),
        };
        let reason = rest.trim();
        let given = Response {
            annotator: self.name.clone(),
            seconds: Some((took * 10.0).round() / 10.0),
            reason: (skips && !reason.is_empty()).then(|| reason.to_string()),
            at: Some(seconds()),
            ..given
        };
        if let Err(error) = given.check() {
            return Ok(Some(error.to_string()));
        }
        self.session.give(put, given)?;
        Ok(None)
    }

    /// Parses a typed answer.
    fn parse_typed(
        &self,
        put: Assignment,
        typed: &str,
    ) -> Result<std::result::Result<Response, String>> {
        let seed = self.session.seed();
        let parse = |sent: SubmittedAnswer<'_>| self.task.parse_submitted(sent, seed, put);
        if self.task.protocol == Protocol::Pairwise {
            // A sheet may use `a` and `b` for the texts; here `b` is the page's key for both bad.
            let answer = match typed.to_lowercase().as_str() {
                "b" | "both bad" => "both bad",
                "1" => "1",
                "2" => "2",
                "t" | "0" | "tie" => "tie",
                _ => {
                    return Ok(Err(
                        "This key has no meaning here; h shows the keys.".to_string()
                    ));
                }
            };
            return Ok(parse(SubmittedAnswer {
                answer: Some(answer),
                ..SubmittedAnswer::default()
            }));
        }
        let mut words = typed.splitn(self.task.criteria.len() + 1, ' ');
        let mut scores = BTreeMap::new();
        for criterion in &self.task.criteria {
            let word = words.next().unwrap_or_default();
            let Ok(score) = word.parse::<f64>() else {
                return Ok(Err(format!("Expected {}.", expected(self.task))));
            };
            scores.insert(criterion.name.clone(), score);
        }
        let rest = words.next().unwrap_or_default().trim();
        let shown = self.session.question(put).map(|question| {
            let texts = &self.session.campaign().context().texts;
            texts.texts(question.sample.item, question.duel.pair)
        });
        let text = match shown.transpose()? {
            Some(shown) if rest == AS_IT_IS => shown.first,
            _ => rest,
        };
        let is_asked = self.task.text_column().is_some();
        if !is_asked && !rest.is_empty() {
            return Ok(Err(format!("Expected {}.", expected(self.task))));
        }
        Ok(parse(SubmittedAnswer {
            scores: Some(&scores),
            text: (is_asked && !text.is_empty()).then_some(text),
            answer: None,
        }))
    }
}

/// Describes the valid answers, in a phrase.
fn expected(task: &Task) -> String {
    let scores = task.criteria.iter();
    let scores = scores.map(|one| format!("{} ({})", one.name, one.scale()));
    let scores: Vec<String> = scores.collect();
    match task.protocol {
        Protocol::Pairwise => "1, 2, t (tie), b (both bad)".to_string(),
        Protocol::Rating => scores.join(" "),
        Protocol::PostEdit => {
            let text = format!("the corrected text ({AS_IT_IS} as it is)");
            scores
                .into_iter()
                .chain([text])
                .collect::<Vec<_>>()
                .join(" ")
        }
        Protocol::QuestionAnswering => format!("{} and the words that show it", scores.join(" ")),
    }
}

fn help(task: &Task) -> String {
    let first = match task.protocol {
        Protocol::Pairwise => "\
Type one key, then Enter:
  1  the first text is better
  2  the second text is better
  t  both are equally good, or you cannot tell
  b  both are bad
"
        .to_string(),
        _ => format!(
            "Type {}, separated by blanks, then Enter. Or:\n",
            expected(task)
        ),
    };
    first + ALWAYS
}

fn say(text: &str) -> Result<()> {
    let mut output = stderr().lock();
    let said = output
        .write_all(visible(text).as_bytes())
        .and_then(|()| output.flush());
    said.map_err(|source| Error::failed(format!("the terminal: {source}")))
}

/// Says why nothing is left to ask, in the words of the page.
fn say_last(key: &str) -> Result<()> {
    say(&format!("\n{}\n", PageWords::default().text(key)))
}

/// Removes control characters, which could move the cursor or hide a text.
fn harmless(text: &str) -> String {
    let text = visible(text);
    if text.trim().is_empty() {
        return "(empty)".to_string();
    }
    text
}
