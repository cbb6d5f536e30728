//! `ask` at a terminal: one person there, asked one question after the other, every answer journalled.

use super::answers::parse;
use super::clock::{now, seconds};
use super::folder::Call;
use super::session::{Session, Turn, Why, with_session};
use super::status::{Status, Told};
use super::task::Task;
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::feedback::journal::{Given, Put};
use crate::feedback::texts::{Shown, Texts, swapped};
use crate::layout::visible;
use std::io::{BufRead, Write, stderr, stdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often it is looked whether the user asked to stop.
const TICK: Duration = Duration::from_millis(50);

/// What somebody at a terminal brings along.
pub struct Seat<'a> {
    /// Who is there.
    pub annotator: Option<&'a str>,
    /// What people are asked to do, where that is said.
    pub task: Option<&'a str>,
    /// Fits a text into the terminal.
    pub fit: &'a dyn Fn(&str) -> String,
}

const HELP: &str = "\
Type one key and Enter:
  1  the first text is better
  2  the second text is better
  t  they are equally good, or you cannot tell
  b  both are bad
  s  skip this one; a reason may follow: s I do not know the language
  u  take your last answer back
  q  stop; run the same command again to continue
";

const KEYS: &str = "1, 2, t (tie), b (both bad), s (skip), u (undo), h (help), q (stop): ";

/// Asks the person at the terminal until they stop or the run ends, beginning the run where there is
/// none. Questions go to standard error, so that standard output holds the result alone.
///
/// # Errors
/// Settings or data other than the run was begun with; a data set without outputs; those of the journal;
/// [`Error::Interrupted`] at once where the user asks for it.
pub fn ask_here(context: &Context<'_>, call: &Call<'_>, seat: &Seat<'_>) -> Result<Status> {
    with_session(context, call, |session| {
        let person = session.place(seat.annotator)?;
        let before = session.progress(person).0;
        let mut terminal = Terminal {
            session,
            seat,
            person,
            prompt: Task::of_pairs(call.run, seat.task)?.prompt,
            lines: typed(),
        };
        if let Err(error) = terminal.ask(context) {
            if matches!(error, Error::Interrupted) {
                say(&again(call, seat))?;
            }
            return Err(error);
        }
        session.settle(|one| one == person)?;
        let told = Told {
            new: session.progress(person).0.saturating_sub(before) as u64,
            ..Told::default()
        };
        session.status(Some(told))
    })
}

/// What to type to go on: all that was answered is on disk.
fn again(call: &Call<'_>, seat: &Seat<'_>) -> String {
    let who = seat.annotator.map(|name| format!(" --annotator {name}"));
    let run = call.run.display();
    format!(
        "\nEvery answer is kept; go on with: tiebreak ask {run}{}\n",
        who.unwrap_or_default()
    )
}

/// Lines as they are typed, so that nobody waits for one who was asked to stop; ends with the input.
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

struct Terminal<'s, 'a, 't> {
    session: &'s mut Session<'a>,
    seat: &'t Seat<'t>,
    person: u32,
    prompt: String,
    lines: Receiver<Vec<u8>>,
}

/// What somebody typed.
enum Key {
    Answer(String),
    Undo,
    Help,
    Quit,
}

impl Terminal<'_, '_, '_> {
    fn ask(&mut self, context: &Context<'_>) -> Result<()> {
        loop {
            let put = match self.session.turn(self.person)? {
                Turn::Task(put) => put,
                Turn::Wait => return say("\nThere may be more once others have answered.\n"),
                Turn::Done(Why::Over) => return Ok(()),
                Turn::Done(Why::Exhausted) => return say("\nYou have answered all there is.\n"),
            };
            self.show(put)?;
            let begun = now();
            loop {
                match self.key(context)? {
                    Key::Quit => return Ok(()),
                    Key::Help => say(HELP)?,
                    Key::Undo if self.session.undo(self.person)? => break,
                    Key::Undo => say("There is nothing to take back.\n")?,
                    Key::Answer(text) => {
                        let took = now().duration_since(begun).as_secs_f64();
                        if self.take(put, &text, took)? {
                            break;
                        }
                        say("That is none of the keys.\n")?;
                    }
                }
            }
        }
    }

    /// Shows both texts with what they are judged against.
    fn show(&self, put: Put) -> Result<()> {
        let question = self.session.question(put);
        let question = question.ok_or_else(|| Error::failed("a question that was not posed"))?;
        let run = self.session.run();
        let Shown {
            source,
            references,
            first,
            second,
        } = run
            .texts()
            .texts(question.sample.item, question.duel.pair)?;
        let [one, two] = match swapped(run.seed(), put) {
            true => [second, first],
            false => [first, second],
        };
        let (answered, _) = self.session.progress(self.person);
        let mut text = format!("\n-- {answered} answered --\n");
        let source = source.map(|source| ("Source:    ", source));
        let references = references.iter().map(|text| ("Reference: ", text.as_str()));
        for (name, shown) in source.into_iter().chain(references) {
            text += &format!("{name}{}\n", harmless(shown));
        }
        text += &format!("\n[1] {}\n\n[2] {}\n\n", harmless(one), harmless(two));
        say(&(self.seat.fit)(&text))
    }

    fn key(&mut self, context: &Context<'_>) -> Result<Key> {
        say(&format!("{} {KEYS}", self.prompt))?;
        let line = loop {
            match self.lines.recv_timeout(TICK) {
                Ok(line) => break line,
                Err(RecvTimeoutError::Timeout) => context.check()?,
                Err(RecvTimeoutError::Disconnected) => {
                    say("\n")?;
                    return Ok(Key::Quit);
                }
            }
        };
        let line = String::from_utf8_lossy(&line).trim().to_string();
        Ok(match line.to_lowercase().as_str() {
            "q" | "quit" => Key::Quit,
            "h" | "help" | "?" => Key::Help,
            "u" | "undo" => Key::Undo,
            _ => Key::Answer(line),
        })
    }

    /// Takes an answer; false where it is none.
    fn take(&mut self, put: Put, typed: &str, took: f64) -> Result<bool> {
        let (key, rest) = typed.split_once(' ').unwrap_or((typed, ""));
        let skips = matches!(key.to_lowercase().as_str(), "s" | "skip");
        // On a sheet `b` is the second text, as in `a` and `b`; here it is the key of the page.
        let answer = match (skips, typed.to_lowercase().as_str()) {
            (true, _) => "skip",
            (_, "b" | "both bad") => "both bad",
            (_, "1") => "1",
            (_, "2") => "2",
            (_, "t" | "0" | "tie") => "tie",
            _ => return Ok(false),
        };
        let Some(written) = parse(answer) else {
            return Ok(false);
        };
        let reason = rest.trim();
        let beside = Given {
            annotator: self.seat.annotator.map(str::to_string),
            seconds: Some((took * 10.0).round() / 10.0),
            reason: (skips && !reason.is_empty()).then(|| reason.to_string()),
            at: Some(seconds()),
            ..Given::default()
        };
        self.session.answer(put, written, beside)?;
        Ok(true)
    }
}

fn say(text: &str) -> Result<()> {
    let mut output = stderr().lock();
    let said = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    said.map_err(|source| Error::failed(format!("the terminal: {source}")))
}

/// Without control characters, which could move the cursor or hide a text.
fn harmless(text: &str) -> String {
    let text = visible(text);
    if text.trim().is_empty() {
        return "(empty)".to_string();
    }
    text
}
