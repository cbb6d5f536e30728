//! Asks a person at the terminal which of two outputs is better.
//!
//! The comparison is blind: no system is named, and the sides are drawn. A wrong key asks again; the
//! end of the input, or `q`, stops, and the run can be continued from its journal.

use super::texts::{Shown, Texts, swapped};
use super::{Answer, FeedbackSource, Question, Reply, Sample};
use crate::duel::{Outcome, Pair};
use crate::error::{Error, Result};
use crate::layout::visible;
use crate::rng::{Rng, Seed};
use std::io::{BufRead, Write};

/// A person who reads from `W` and types into `R`.
#[derive(Debug)]
pub struct Console<T, R, W> {
    texts: T,
    input: R,
    output: W,
    seed: Seed,
}

enum Key {
    First,
    Second,
    Tie,
    Help,
    Quit,
}

const HELP: &str = "\
Type one key and Enter:
  1  the first text is better
  2  the second text is better
  t  they are equally good, or you cannot tell
  q  stop; run the same command again to continue
";

impl<T: Texts, R: BufRead, W: Write> Console<T, R, W> {
    /// Shows `texts` on `output` and reads keys from `input`; `seed` decides the sides.
    pub fn new(texts: T, input: R, output: W, seed: Seed) -> Self {
        Self {
            texts,
            input,
            output,
            seed,
        }
    }

    /// The key typed; `Quit` at the end of the input.
    fn key(&mut self) -> std::io::Result<Key> {
        loop {
            write!(
                self.output,
                "Which is better? 1, 2, t (tie), h (help), q (stop): "
            )?;
            self.output.flush()?;
            let mut line = Vec::new(); // bytes: a stray key need not be valid UTF-8
            if self.input.read_until(b'\n', &mut line)? == 0 {
                writeln!(self.output)?;
                return Ok(Key::Quit);
            }
            match line.trim_ascii().to_ascii_lowercase().as_slice() {
                b"1" => return Ok(Key::First),
                b"2" => return Ok(Key::Second),
                b"t" | b"tie" => return Ok(Key::Tie),
                b"q" | b"quit" => return Ok(Key::Quit),
                b"h" | b"help" | b"?" => return Ok(Key::Help),
                _ => writeln!(self.output, "That is none of the keys.")?,
            }
        }
    }

    /// How the text shown first fared; `None` if the person stopped.
    fn judge(&mut self) -> std::io::Result<Option<Outcome>> {
        loop {
            match self.key()? {
                Key::First => return Ok(Some(Outcome::Win)),
                Key::Second => return Ok(Some(Outcome::Loss)),
                Key::Tie => return Ok(Some(Outcome::Tie)),
                Key::Quit => return Ok(None),
                Key::Help => self.output.write_all(HELP.as_bytes())?,
            }
        }
    }
}

/// Shows both outputs with what they are judged against.
fn show(output: &mut impl Write, shown: Shown<'_>, swapped: bool) -> std::io::Result<()> {
    writeln!(output)?;
    if let Some(source) = shown.source {
        writeln!(output, "Source:    {}", harmless(source))?;
    }
    for reference in shown.references {
        writeln!(output, "Reference: {}", harmless(reference))?;
    }
    let (one, two) = if swapped {
        (shown.second, shown.first)
    } else {
        (shown.first, shown.second)
    };
    writeln!(output, "\n[1] {}\n\n[2] {}\n", harmless(one), harmless(two))
}

/// Without control characters, which could move the cursor or hide a text.
fn harmless(text: &str) -> String {
    let text = visible(text);
    if text.trim().is_empty() {
        return "(empty)".to_string();
    }
    text
}

impl<T: Texts, R: BufRead, W: Write> FeedbackSource for Console<T, R, W> {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.texts.draw(pair, rng)
    }

    fn ask(&mut self, question: Question) -> Result<Reply> {
        let shown = self.texts.texts(question.sample.item, question.duel.pair)?;
        let swapped = swapped(self.seed, question.duel.id);
        let failed = |source| Error::failed(format!("the terminal: {source}"));
        show(&mut self.output, shown, swapped).map_err(failed)?;
        let Some(outcome) = self.judge().map_err(failed)? else {
            return Ok(Reply::Ended);
        };
        let outcome = if swapped { outcome.flipped() } else { outcome };
        Ok(Reply::Answer(Answer::human(question, outcome)))
    }
}
