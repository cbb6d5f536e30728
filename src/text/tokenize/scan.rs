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

/// What a tokeniser takes a character for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Ends a token and belongs to none.
    Space,
    /// Always a token of its own.
    Isolated,
    /// A token of its own unless it belongs to a number.
    Point,
    /// What keeps a point from being set apart.
    Digit,
    /// A token of its own after a digit.
    Dash,
    /// Part of a longer token.
    Other,
}

/// The classes of all characters: those of ASCII looked up, the others computed.
pub(super) struct Classes {
    ascii: [Class; 128],
    class: fn(char) -> Class,
}

impl Classes {
    pub(super) fn new(class: fn(char) -> Class) -> Self {
        let ascii = std::array::from_fn(|code| class(char::from(code as u8)));
        Self { ascii, class }
    }

    /// How many ordinary ASCII characters the bytes begin with: a loop of its own, since most are.
    fn letters(&self, bytes: &[u8]) -> usize {
        let other = |byte: &u8| self.ascii.get(usize::from(*byte)) == Some(&Class::Other);
        bytes
            .iter()
            .position(|byte| !other(byte))
            .unwrap_or(bytes.len())
    }

    /// The class of the character at byte `at` of the line and its length in bytes, if there is
    /// one.
    fn at(&self, line: &str, at: usize) -> Option<(Class, usize)> {
        let byte = *line.as_bytes().get(at)?;
        if let Some(&class) = self.ascii.get(usize::from(byte)) {
            return Some((class, 1));
        }
        let c = line[at..].chars().next()?;
        Some(((self.class)(c), c.len_utf8()))
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
    let outside = padded.then_some(Class::Space);
    let mut before = outside;
    let mut before_taken = false;
    // The token being read is line[start..at]; it is empty where none is.
    let (mut start, mut at) = (0, 0);
    loop {
        let run = classes.letters(&line.as_bytes()[at..]);
        if run > 0 {
            at += run;
            before = Some(Class::Other);
        }
        let Some((here, length)) = classes.at(line, at) else {
            break;
        };
        let end = at + length;
        let mut taken = false;
        let alone = match here {
            Class::Other | Class::Digit | Class::Space => false,
            Class::Isolated => true,
            Class::Dash => before == Some(Class::Digit),
            Class::Point => {
                taken = match before {
                    None | Some(Class::Digit) => false,
                    Some(Class::Point) => !before_taken,
                    Some(_) => true,
                };
                let after = classes
                    .at(line, end)
                    .map_or(outside, |(class, _)| Some(class));
                taken || !matches!(after, None | Some(Class::Digit))
            }
        };
        if alone || here == Class::Space {
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
