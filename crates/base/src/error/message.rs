//! Messages that name keys, commands and flags as the reader writes them: in a terminal, a file or Python.
//!
//! A key is a part of a message, never a word of its prose: what looks like a key in a name or a path stays as it is.

use std::fmt;

/// A reader of messages, by what they write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Audience {
    /// Flags: `--max-cost 5`.
    #[default]
    Terminal,
    /// Keys of a TOML file: `max-cost = 5`.
    File,
    /// Arguments in Python: `max_cost=5`.
    Python,
}

/// A text in the words of each [`Audience`], made by [`message!`](crate::message). Text alone is the same for all.
#[derive(Debug, Clone, PartialEq, Eq)]
// In a box, since most results that may be an error are none.
pub struct Message(Box<[String; 3]>);

impl Message {
    /// A message from what it says to each audience.
    pub fn each(words: impl Fn(Audience) -> String) -> Self {
        let audiences = [Audience::Terminal, Audience::File, Audience::Python];
        Self(Box::new(audiences.map(words)))
    }

    /// A message about what files do not have, and Python has under a name of its own.
    pub fn except_in_python(text: String, python: String) -> Self {
        Self(Box::new([text.clone(), text, python]))
    }

    /// A command that Python has no function for: its users type it in a shell.
    pub fn shell_command(command: String) -> Self {
        let python = format!("in a shell {command}");
        Self::except_in_python(command, python)
    }

    /// The message with each of its texts changed.
    #[must_use]
    pub fn map(self, change: impl Fn(&str) -> String) -> Self {
        Self(Box::new((*self.0).map(|text| change(&text))))
    }

    /// The text for an audience.
    pub fn shown_to(&self, audience: Audience) -> &str {
        &self.0[audience as usize]
    }
}

impl<T: Into<String>> From<T> for Message {
    fn from(text: T) -> Self {
        let text = text.into();
        Self(Box::new([text.clone(), text.clone(), text]))
    }
}

/// A part of a [`Message`]: anything that can be displayed, or one of the parts that each audience writes its own way.
pub trait MessagePart {
    /// Writes the part for an audience.
    ///
    /// # Errors
    /// Those of the formatter.
    fn write(&self, audience: Audience, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<T: fmt::Display + ?Sized> MessagePart for T {
    fn write(&self, _: Audience, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt(f)
    }
}

impl MessagePart for Message {
    fn write(&self, audience: Audience, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown_to(audience))
    }
}

/// A part for one audience. Public for [`message!`](crate::message) alone.
#[doc(hidden)]
pub struct ShownPart<'a, T: ?Sized>(pub &'a T, pub Audience);

impl<T: MessagePart + ?Sized> fmt::Display for ShownPart<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(self.1, f)
    }
}

/// Makes a [`Message`] as [`format!`] makes a text. An argument may be a [`MessagePart`], such as a [`Key`]; it is
/// evaluated for each audience.
///
/// ```
/// use tiebreak_base::error::{Audience, Key};
/// let message = tiebreak_base::message!("leave out {}, or {}", Key("keep-draws"), Key("draws").set(20));
/// assert_eq!(message.shown_to(Audience::Terminal), "leave out --keep-draws, or --draws 20");
/// assert_eq!(message.shown_to(Audience::File), "leave out `keep-draws`, or `draws = 20`");
/// assert_eq!(message.shown_to(Audience::Python), "leave out `keep_draws=`, or `draws=20`");
/// ```
#[macro_export]
macro_rules! message {
    ($words:literal $(, $part:expr)* $(,)?) => {
        $crate::error::Message::each(|_audience| {
            format!($words $(, $crate::error::ShownPart(&$part, _audience))*)
        })
    };
}

/// A key of a stage, which nobody sees but in a [`Message`]: it cannot be displayed by itself.
#[derive(Debug, Clone, Copy)]
pub struct Key<'a>(pub &'a str);

impl<'a> Key<'a> {
    /// The key with a value, or with a word in its place.
    pub fn set(self, value: impl fmt::Display) -> KeyValue<'a> {
        KeyValue(self, value.to_string())
    }

    /// The name, where it stands alone before a colon.
    pub(super) fn name(self, audience: Audience) -> String {
        match audience {
            Audience::Terminal => Flag(self.0).to_string(),
            Audience::File => self.0.to_string(),
            Audience::Python => self.0.replace('-', "_"),
        }
    }
}

impl MessagePart for Key<'_> {
    fn write(&self, audience: Audience, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name(audience);
        match audience {
            Audience::Terminal => f.write_str(&name),
            Audience::File => write!(f, "`{name}`"),
            Audience::Python => write!(f, "`{name}=`"),
        }
    }
}

/// A [`Key`] with its value.
#[derive(Debug, Clone)]
pub struct KeyValue<'a>(Key<'a>, String);

impl KeyValue<'_> {
    /// The key with its value as it is typed: what is no number is a text, and stands in quotes but in a terminal.
    fn typed(&self, audience: Audience) -> String {
        let (name, value) = (self.0.name(audience), &self.1);
        let value = match audience {
            // A value that begins with a hyphen would be another flag.
            Audience::Terminal if value.starts_with("--") => return format!("{name}={value}"),
            Audience::Terminal => return format!("{name} {value}"),
            _ if value.parse::<f64>().is_ok() => value.clone(),
            _ => format!("{value:?}"),
        };
        match audience {
            Audience::Python => format!("{name}={value}"),
            _ => format!("{name} = {value}"),
        }
    }
}

impl MessagePart for KeyValue<'_> {
    fn write(&self, audience: Audience, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match audience {
            Audience::Terminal => f.write_str(&self.typed(audience)),
            Audience::File | Audience::Python => write!(f, "`{}`", self.typed(audience)),
        }
    }
}

/// A stage by its name, with keys: a command, a table `[[NAME]]` of a pipeline, or a method in Python. A name of two
/// words (`fit link`) is a command in files too; Python has the second word as an argument.
#[derive(Debug, Clone, Copy)]
pub struct StageCommand<'a>(pub &'a str, pub &'a [KeyValue<'a>]);

impl MessagePart for StageCommand<'_> {
    fn write(&self, audience: Audience, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name, keys) = self;
        let (method, what) = name.split_once(' ').unzip();
        let audience = match (audience, what) {
            (Audience::File, Some(_)) => Audience::Terminal,
            _ => audience,
        };
        let keys = keys.iter().map(|key| key.typed(audience));
        match audience {
            Audience::Terminal => {
                let words: Vec<String> = [(*name).to_string()].into_iter().chain(keys).collect();
                write!(f, "`tiebreak {}`", words.join(" "))
            }
            Audience::File if self.1.is_empty() => write!(f, "[[{name}]]"),
            Audience::File => {
                let keys: Vec<String> = keys.collect();
                write!(f, "[[{name}]] with `{}`", keys.join("`, `"))
            }
            Audience::Python => {
                let what = what.map(|what| format!("{what:?}"));
                let arguments: Vec<String> = what.into_iter().chain(keys).collect();
                write!(f, "`{}({})`", method.unwrap_or(name), arguments.join(", "))
            }
        }
    }
}

/// A flag that looks the same to everybody: an option of the program itself, of `import` or of campaigns, or a key in a
/// report, which has one text for all its readers.
#[derive(Debug, Clone, Copy)]
pub struct Flag<'a>(pub &'a str);

impl fmt::Display for Flag<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(message: &Message) -> [&str; 3] {
        [Audience::Terminal, Audience::File, Audience::Python].map(|to| message.shown_to(to))
    }

    #[test]
    fn a_stage_is_typed_as_its_reader_types() {
        let keys = [Key("keep-draws").set(2), Key("dropout").set("last-layer")];
        let (alone, with) = (StageCommand("rank", &[]), StageCommand("predict", &keys));
        assert_eq!(
            shown(&message!("{}, {}", alone, with)),
            [
                "`tiebreak rank`, `tiebreak predict --keep-draws 2 --dropout last-layer`",
                "[[rank]], [[predict]] with `keep-draws = 2`, `dropout = \"last-layer\"`",
                "`rank()`, `predict(keep_draws=2, dropout=\"last-layer\")`",
            ]
        );
        let fit = StageCommand("fit link", &keys[..1]);
        assert_eq!(
            shown(&message!("{}", fit)),
            [
                "`tiebreak fit link --keep-draws 2`",
                "`tiebreak fit link --keep-draws 2`",
                "`fit(\"link\", keep_draws=2)`",
            ]
        );
    }

    #[test]
    fn what_only_looks_like_a_key_stays_as_it_is() {
        let (system, column) = ("--mix", "`model`");
        let inner = message!("{system} and {}", column);
        let message = message!("{}, {}, {}", inner, Key("mix"), Flag("x"));
        assert_eq!(
            shown(&message),
            [
                "--mix and `model`, --mix, --x",
                "--mix and `model`, `mix`, --x",
                "--mix and `model`, `mix=`, --x",
            ]
        );
    }
}
