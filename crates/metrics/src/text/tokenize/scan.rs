//! One pass that does what the substitutions of mteval-style tokenisers do one after another.
//!
//! Those tokenisers put spaces round some characters by four regular expressions applied in turn,
//! each left to right without overlap, and then split on white space (13a; the international one
//! has the same first two with wider classes):
//!
//! ```text
//! 1   ([isolated])         ->  ' \1 '
//! 2   ([^digit])([point])  ->  '\1 \2 '
//! 3   ([point])([^digit])  ->  ' \1 \2'
//! 4   ([digit])(-)         ->  '\1 \2 '
//! ```
//!
//! What becomes of a point (full stop, comma) depends on its neighbours only:
//!
//! * It is *taken* by rule 2 if something precedes it that is not a digit and was not itself a
//!   point taken by rule 2 (matches do not overlap). Then it stands alone.
//! * Otherwise, if another point follows, that one is taken, which leaves a space behind this
//!   one; rule 3 then puts a space before it: it stands alone.
//! * Otherwise rule 3 sets it apart unless a digit or the end of the line follows. In these two
//!   cases it stays attached on both sides, as in `3.14`.
//!
//! Rule 4 sets a dash apart exactly when a digit stands directly before it. `tests/lexical` holds
//! the substitutions written out, and random text on which both agree.

use super::runs::{WIDTH, bits};

/// The class of a character, as a tokeniser sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CharClass {
    /// Ends a token and belongs to none.
    Space,
    /// Always a token of its own.
    Isolated,
    /// A token of its own unless it belongs to a number.
    Point,
    /// A character that keeps a point from being set apart.
    Digit,
    /// A token of its own after a digit.
    Dash,
    /// Part of a longer token.
    Other,
}

/// The classes of all characters: those of ASCII looked up, the others computed.
pub(super) struct Classes {
    ascii: [CharClass; 128],
    class: fn(char) -> CharClass,
    /// Whether the letters of ASCII are parts of longer tokens.
    letters: bool,
}

impl Classes {
    pub(super) fn new(class: fn(char) -> CharClass) -> Self {
        let mut letters = ('a'..='z').chain('A'..='Z');
        Self {
            ascii: std::array::from_fn(|code| class(char::from(code as u8))),
            letters: letters.all(|letter| class(letter) == CharClass::Other),
            class,
        }
    }

    /// The class of the character at byte `at` of the line and its length in bytes, if there is
    /// one.
    fn at(&self, line: &str, at: usize) -> Option<(CharClass, usize)> {
        let byte = *line.as_bytes().get(at)?;
        if let Some(&class) = self.ascii.get(usize::from(byte)) {
            return Some((class, 1));
        }
        let c = line[at..].chars().next()?;
        Some(((self.class)(c), c.len_utf8()))
    }
}

/// The search for the end of the letters of a line, by whole windows of bytes: most bytes are letters, and a loop over
/// those of a word ends where no processor expects it to.
struct Letters<'a> {
    bytes: &'a [u8],
    classes: &'a Classes,
    /// The beginning of the window.
    window: usize,
    /// A bit for each of its bytes that is no letter.
    others: u64,
}

impl<'a> Letters<'a> {
    fn new(line: &'a str, classes: &'a Classes) -> Self {
        let mut letters = Self {
            bytes: line.as_bytes(),
            classes,
            window: 0,
            others: 0,
        };
        letters.look(0);
        letters
    }

    /// The end of the letters that begin at a byte, possibly that byte. Calls must be in ascending order.
    fn end(&mut self, mut at: usize) -> usize {
        loop {
            if at >= self.window + WIDTH {
                self.look(at);
            }
            let others = self.others >> (at - self.window);
            if others != 0 {
                return at + others.trailing_zeros() as usize;
            }
            at = self.window + WIDTH;
        }
    }

    fn look(&mut self, window: usize) {
        self.window = window;
        let rest = &self.bytes[window..];
        let letters = |chunk: &[u8; WIDTH]| bits(&chunk.map(|b| u8::from(b.is_ascii_alphabetic())));
        self.others = !match rest.first_chunk() {
            _ if !self.classes.letters => 0,
            Some(chunk) => letters(chunk),
            None => {
                // What is behind the line is no letter.
                let mut last = [0; WIDTH];
                last[..rest.len()].copy_from_slice(rest);
                letters(&last)
            }
        };
    }
}

/// Calls `emit` with every token of `line`. `padded` says whether a space is assumed round the
/// line, so that its first and last characters have neighbours.
pub(super) fn scan<'a>(
    line: &'a str,
    padded: bool,
    classes: &Classes,
    mut emit: impl FnMut(&'a str),
) {
    let outside = padded.then_some(CharClass::Space);
    let mut before = outside;
    let mut before_taken = false;
    // The token being read is line[start..at]; it is empty where none is.
    let (mut start, mut at) = (0, 0);
    let mut letters = Letters::new(line, classes);
    loop {
        let next = letters.end(at);
        if next > at {
            at = next;
            before = Some(CharClass::Other);
        }
        let Some((here, length)) = classes.at(line, at) else {
            break;
        };
        let end = at + length;
        let mut taken = false;
        let alone = match here {
            CharClass::Other | CharClass::Digit | CharClass::Space => false,
            CharClass::Isolated => true,
            CharClass::Dash => before == Some(CharClass::Digit),
            CharClass::Point => {
                taken = match before {
                    None | Some(CharClass::Digit) => false,
                    Some(CharClass::Point) => !before_taken,
                    Some(_) => true,
                };
                let after = classes
                    .at(line, end)
                    .map_or(outside, |(class, _)| Some(class));
                taken || !matches!(after, None | Some(CharClass::Digit))
            }
        };
        if alone || here == CharClass::Space {
            if start < at {
                emit(&line[start..at]);
            }
            if alone {
                emit(&line[at..end]);
            }
            start = end;
        }
        before = Some(here);
        before_taken = taken;
        at = end;
    }
    if start < at {
        emit(&line[start..]);
    }
}
