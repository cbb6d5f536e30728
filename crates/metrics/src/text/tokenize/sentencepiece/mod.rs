//! Cuts a line into pieces by a model of SentencePiece, as `encode(line, out_type=str)` of its 0.2.3 does.
//!
//! Source: T. Kudo and J. Richardson, "SentencePiece: a simple and language independent subword tokenizer", EMNLP 2018. A
//! line is normalised first (`normal.rs`). Then a unigram model takes the pieces with the largest sum of scores; a BPE
//! model joins two neighbours again and again, those first whose union scores best; models of words and of characters
//! cut at spaces and everywhere. Neighbouring unknown pieces become one, or their bytes with `byte_fallback`.
//!
//! Deviation: a piece that is both a control symbol and a normal piece is refused.

mod merge;
mod normal;
mod protobuf;
mod tree;

use crate::text::vocabulary::Vocabulary;
use crate::text::whitespace;
use normal::Normalizer;
use protobuf::{Field, Fields};
use tree::PieceTree;

/// What a space becomes.
const SPACE: &str = "\u{2581}";

/// The least that an unknown character scores below the worst piece.
const UNKNOWN_PENALTY: f32 = 10.0;

/// What a piece is for, by the number that files have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PieceKind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

impl PieceKind {
    fn of_number(number: u64) -> Option<Self> {
        Some(match number {
            1 => Self::Normal,
            2 => Self::Unknown,
            3 => Self::Control,
            4 => Self::UserDefined,
            5 => Self::Unused,
            6 => Self::Byte,
            _ => return None,
        })
    }

    /// Whether text can be cut into such pieces.
    fn is_of_text(self) -> bool {
        matches!(self, Self::Normal | Self::UserDefined | Self::Unused)
    }
}

/// How a model cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Unigram,
    Merges,
    Words,
    Characters,
}

/// A part of the normalised line.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
    is_unknown: bool,
}

/// A model of SentencePiece.
#[derive(Debug)]
pub(crate) struct SentencePiece {
    algorithm: Algorithm,
    normalizer: Normalizer,
    byte_fallback: bool,
    pieces: Vocabulary,
    /// By number of the piece.
    kinds: Vec<PieceKind>,
    scores: Vec<f32>,
    /// Of unigram models: the pieces that text can be cut into.
    of_text: PieceTree,
    /// The pieces that are taken wherever they stand.
    user_defined: PieceTree,
    lowest: f32,
}

impl SentencePiece {
    /// Reads a `.model` file.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut model = Self {
            algorithm: Algorithm::Unigram,
            normalizer: Normalizer::default(),
            byte_fallback: false,
            pieces: Vocabulary::default(),
            kinds: Vec::new(),
            scores: Vec::new(),
            of_text: PieceTree::default(),
            user_defined: PieceTree::default(),
            lowest: f32::MAX,
        };
        for field in Fields(bytes) {
            match field? {
                (1, Field::Bytes(piece)) => model.add_piece(piece)?,
                (2, Field::Bytes(spec)) => model.read_training(spec)?,
                (3, Field::Bytes(spec)) => model.normalizer.read(spec)?,
                _ => {}
            }
        }
        if !model.kinds.contains(&PieceKind::Unknown) {
            return Err("it has no piece for what is unknown".to_string());
        }
        // Its pieces are known only here: the specification may stand before or after them.
        if model.algorithm == Algorithm::Unigram {
            for (id, kind) in model.kinds.iter().enumerate() {
                if kind.is_of_text() {
                    model.of_text.insert(model.pieces.token(id), id as u32)?;
                }
            }
        }
        Ok(model)
    }

    fn add_piece(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (mut text, mut score, mut kind) = ("", 0.0, PieceKind::Normal);
        for field in Fields(bytes) {
            match field? {
                (1, Field::Bytes(bytes)) => {
                    text = str::from_utf8(bytes).map_err(|_| "a piece is not UTF-8")?;
                }
                (2, Field::Float(value)) => score = value,
                (3, Field::Number(number)) => {
                    kind = PieceKind::of_number(number)
                        .ok_or_else(|| format!("piece `{text}` is of the unknown type {number}"))?;
                }
                _ => {}
            }
        }
        if text.is_empty() || text.contains('\0') {
            return Err("a piece is empty or has a zero byte".to_string());
        }
        if !score.is_finite() {
            return Err(format!(
                "piece `{text}` has the score {score}, expected a number"
            ));
        }
        let id = self.kinds.len() as u32;
        if self.pieces.id(text) != id {
            return Err(format!("piece `{text}` is there twice"));
        }
        if kind == PieceKind::Normal {
            self.lowest = self.lowest.min(score);
        }
        if kind == PieceKind::UserDefined {
            self.user_defined.insert(text, id)?;
        }
        self.kinds.push(kind);
        // The best merge of BPE scores -0, which is 0.
        self.scores.push(score + 0.0);
        Ok(())
    }

    fn read_training(&mut self, bytes: &[u8]) -> Result<(), String> {
        for field in Fields(bytes) {
            match field? {
                (3, Field::Number(number)) => {
                    self.algorithm = match number {
                        1 => Algorithm::Unigram,
                        2 => Algorithm::Merges,
                        3 => Algorithm::Words,
                        4 => Algorithm::Characters,
                        _ => return Err(format!("it is of the unknown type {number}")),
                    }
                }
                (24, Field::Number(flag)) => self.normalizer.space_is_suffix = flag != 0,
                (35, Field::Number(flag)) => self.byte_fallback = flag != 0,
                _ => {}
            }
        }
        Ok(())
    }

    /// Calls `emit` with each token of `line`: the pieces, cut where they hold white space.
    pub(crate) fn tokens(&self, line: &str, mut emit: impl FnMut(&str)) {
        self.encode(line, |piece| whitespace::words(piece).for_each(&mut emit));
    }

    /// Calls `emit` with each piece of `line`.
    fn encode(&self, line: &str, mut emit: impl FnMut(&str)) {
        let text = self.normalizer.normalized(line, &self.user_defined);
        let parts = match self.algorithm {
            Algorithm::Unigram => self.best_parts(&text),
            Algorithm::Merges => self.merged(&text),
            Algorithm::Words => self.words(&text),
            Algorithm::Characters => self.characters(&text).map(|(part, _)| part).collect(),
        };
        let joined = |one: &Part, next: &Part| one.is_unknown && next.is_unknown;
        for run in parts.chunk_by(joined) {
            let (first, last) = (run[0], run[run.len() - 1]);
            let part = &text[first.start..last.end];
            match first.is_unknown && self.byte_fallback {
                true => part
                    .bytes()
                    .for_each(|byte| emit(&format!("<0x{byte:02X}>"))),
                false => emit(part),
            }
        }
    }

    /// A part of a normalised line, as the piece that it is.
    fn part(&self, text: &str, start: usize, end: usize) -> Part {
        let id = self.pieces.find_token(&text[start..end]);
        let is_known = |id: u32| {
            let kind = self.kinds[id as usize];
            kind.is_of_text() && kind != PieceKind::Unused
        };
        Part {
            start,
            end,
            is_unknown: !id.is_some_and(is_known),
        }
    }

    /// The characters and the pieces that are taken wherever they stand; the latter are marked.
    fn characters<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (Part, bool)> + 'a {
        let mut start = 0;
        std::iter::from_fn(move || {
            let first = text[start..].chars().next()?;
            let symbol = self.user_defined.longest(&text.as_bytes()[start..]);
            // A piece ends where a character does.
            let end = start + symbol.unwrap_or(first.len_utf8());
            let part = self.part(text, start, end);
            start = end;
            Some((part, symbol.is_some()))
        })
    }

    /// The words, each with the space before it.
    fn words(&self, text: &str) -> Vec<Part> {
        let starts = text.match_indices(SPACE).map(|(at, _)| at);
        let mut starts: Vec<usize> = starts.filter(|at| *at > 0).collect();
        if !text.is_empty() {
            starts.insert(0, 0);
        }
        let ends = starts.iter().skip(1).copied().chain([text.len()]);
        let words = starts.iter().zip(ends);
        words
            .map(|(start, end)| self.part(text, *start, end))
            .collect()
    }

    /// The pieces with the largest sum of scores; of equal sums the one that was found first.
    fn best_parts(&self, text: &str) -> Vec<Part> {
        /// The best way to the end of a piece, by that end.
        #[derive(Clone, Copy)]
        struct Way {
            score: f32,
            start: Option<usize>,
            is_unknown: bool,
        }
        impl Way {
            fn improve(&mut self, score: f32, start: usize, is_unknown: bool) {
                if self.start.is_none() || score > self.score {
                    *self = Self {
                        score,
                        start: Some(start),
                        is_unknown,
                    };
                }
            }
        }
        let none = Way {
            score: 0.0,
            start: None,
            is_unknown: false,
        };
        let mut ways = vec![none; text.len() + 1];
        for (start, first) in text.char_indices() {
            let before = ways[start].score;
            let mut is_known = false;
            self.of_text
                .prefixes(&text.as_bytes()[start..], |length, id| {
                    let id = id as usize;
                    let score = match self.kinds[id] {
                        PieceKind::Unused => return,
                        // More than nearly all other pieces, above all where it is long.
                        PieceKind::UserDefined => 0.1 * (length - 1) as f32,
                        _ => self.scores[id],
                    };
                    is_known |= length == first.len_utf8();
                    ways[start + length].improve(before + score, start, false);
                });
            if !is_known {
                let score = before + (self.lowest - UNKNOWN_PENALTY);
                ways[start + first.len_utf8()].improve(score, start, true);
            }
        }
        let mut parts = Vec::new();
        let mut end = text.len();
        while let Way {
            start: Some(start),
            is_unknown,
            ..
        } = ways[end]
        {
            parts.push(Part {
                start,
                end,
                is_unknown,
            });
            end = start;
        }
        parts.reverse();
        parts
    }
}
