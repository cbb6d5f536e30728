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
//! Rule 4 sets a dash apart exactly when a digit stands directly before it. `tests/oracles` holds
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

/// Calls `emit` with every token of `line`. `padded` says whether a space is assumed round the
/// line, so that its first and last characters have neighbours.
pub(super) fn scan<'a>(
    line: &'a str,
    padded: bool,
    class: impl Fn(char) -> Class,
    mut emit: impl FnMut(&'a str),
) {
    let outside = padded.then_some(Class::Space);
    let mut open = None;
    let mut before = outside;
    let mut before_taken = false;
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        let here = class(c);
        let mut taken = false;
        let alone = match here {
            Class::Point => {
                taken = match before {
                    None | Some(Class::Digit) => false,
                    Some(Class::Point) => !before_taken,
                    Some(_) => true,
                };
                let after = chars
                    .as_str()
                    .chars()
                    .next()
                    .map_or(outside, |c| Some(class(c)));
                taken || !matches!(after, None | Some(Class::Digit))
            }
            Class::Dash => before == Some(Class::Digit),
            Class::Isolated => true,
            Class::Space | Class::Digit | Class::Other => false,
        };
        if alone || here == Class::Space {
            if let Some(start) = open.take() {
                emit(&line[start..at]);
            }
            if alone {
                emit(&line[at..at + c.len_utf8()]);
            }
        } else {
            open.get_or_insert(at);
        }
        before = Some(here);
        before_taken = taken;
    }
    if let Some(start) = open {
        emit(&line[start..]);
    }
}
