//! Templates that join context and outputs into one input of an encoder.
//!
//! A template is literal text with placeholders, such as
//! `[CLS] {context} [SEP] {a} [SEP] {b} [SEP]`, or `<s> {context} </s></s> {output} </s>`. Special tokens count as such only in the literal
//! text: an output that contains `[SEP]` cannot change the structure of the input. Token types
//! are one per placeholder, and literal text has the type of the placeholder before it (leading
//! text that of the first). What does not fit is cut off the end of the longest part first.

use super::Contest;
use tiebreak_base::error::{Error, Result};
use tiebreak_encoders::{SubwordTokenizer, Tokens, descriptor::Head, tokenizer::shorten};

/// The template of a model that describes none: its parts framed as `tokenizer.json` frames pairs.
pub(crate) fn default(head: Head, tokenizer: &SubwordTokenizer) -> String {
    let usual = || ["[CLS]", "[SEP]", "[SEP]"].map(str::to_string);
    let [before, between, after] = tokenizer.frame().unwrap_or_else(usual);
    let parts = match head {
        Head::Pairwise => &["{context}", "{a}", "{b}"][..],
        Head::Pointwise => &["{context}", "{output}"],
        Head::Matching => &["{text}"],
    };
    let joined = parts.join(&format!(" {between} "));
    format!("{before} {joined} {after}").trim().to_string()
}

/// A variable, as it may stand between braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TemplateVariable {
    /// The first reference, else the source, else nothing.
    Context,
    /// The first reference or nothing.
    Reference,
    /// The source or nothing.
    Source,
    /// The first output.
    A,
    /// The second output.
    B,
    /// The only output.
    Output,
    /// Context or output, each by itself.
    Text,
}

impl TemplateVariable {
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "context" => Some(Self::Context),
            "reference" => Some(Self::Reference),
            "source" => Some(Self::Source),
            "a" => Some(Self::A),
            "b" => Some(Self::B),
            "output" => Some(Self::Output),
            "text" => Some(Self::Text),
            _ => None,
        }
    }

    fn text<'a>(self, contest: &Contest<'a>) -> &'a str {
        let reference = contest.references.first().map(String::as_str);
        match self {
            Self::Context => contest.context(),
            Self::Reference => reference.unwrap_or(""),
            Self::Source => contest.source.unwrap_or(""),
            Self::A | Self::Output | Self::Text => contest.a,
            Self::B => contest.b,
        }
    }
}

/// A placeholder with its token type and the ids of the literal text after it.
#[derive(Debug, Clone, PartialEq)]
struct TemplatePlaceholder {
    slot: TemplateVariable,
    kind: u32,
    after: Vec<u32>,
}

/// A template that joins context and outputs into one input of an encoder.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InputTemplate {
    text: String,
    before: Vec<u32>,
    parts: Vec<TemplatePlaceholder>,
    max_length: usize,
}

impl InputTemplate {
    /// Reads a template for a head. `types` is one token type per placeholder, by default 0 for the
    /// first and 1 for the others; `kinds` is how many types the model has, `max_length` how many
    /// tokens it takes.
    ///
    /// # Errors
    /// A description of the fault: an unknown placeholder, an output that is missing or of the other head, types that
    /// do not fit, or literal text that leaves no room.
    pub(super) fn new(
        head: Head,
        text: &str,
        types: Option<&[u32]>,
        kinds: usize,
        max_length: usize,
        tokenizer: &SubwordTokenizer,
    ) -> Result<Self> {
        let (before, slots) = parse(text)?;
        check_outputs(head, text, &slots)?;
        let usual: Vec<u32> = (0..slots.len())
            .map(|i| u32::from(i > 0 && kinds > 1))
            .collect();
        let types = types.unwrap_or(&usual);
        if types.len() != slots.len() {
            let what = format!(
                "has {} placeholders, token_types {}",
                slots.len(),
                types.len()
            );
            return Err(bad(text, &what));
        }
        if let Some(kind) = types.iter().find(|&&kind| kind as usize >= kinds) {
            let what = format!("has token type {kind}, the model only {kinds} of them");
            return Err(bad(text, &what));
        }
        let literal = |part: &str| {
            // `[SEP]` must be one token, not a bracket and letters.
            let special = |word: &&str| word.starts_with('[') && word.ends_with(']');
            let words = part.split_whitespace();
            let mut words = words
                .flat_map(|word| word.split_inclusive(']'))
                .filter(special);
            match words.find(|word| tokenizer.id(word).is_none()) {
                Some(word) => Err(bad(text, &format!("has {word}, which the tokenizer lacks"))),
                None => tokenizer.ids(part.trim(), true),
            }
        };
        let parts = slots
            .into_iter()
            .zip(types)
            .map(|((slot, after), &kind)| {
                let after = literal(after)?;
                Ok(TemplatePlaceholder { slot, kind, after })
            })
            .collect::<Result<Vec<_>>>()?;
        let template = Self {
            text: text.to_string(),
            before: literal(before)?,
            parts,
            max_length,
        };
        let framed = |ids: &[u32]| ids.len() == 1;
        let ends = template.parts.iter().all(|part| framed(&part.after));
        if head == Head::Matching && !(framed(&template.before) && ends) {
            let what =
                "must have one special token before {text} and one after, which count for nothing";
            return Err(bad(text, what));
        }
        if template.literals() + template.parts.len() > max_length {
            let what = format!("leaves no room within {max_length} tokens");
            return Err(bad(text, &what));
        }
        Ok(template)
    }

    /// The input for a contest, of at most `max_length` tokens and never empty, and whether a text was cut for that.
    /// A template for the pointwise or the matching head reads the first output.
    pub(super) fn fill(
        &self,
        contest: &Contest<'_>,
        tokenizer: &SubwordTokenizer,
    ) -> Result<(Tokens, bool)> {
        self.join(tokenizer, |slot| slot.text(contest))
    }

    /// The input for a text by itself, in the template of the matching head, likewise.
    pub(super) fn fill_text(
        &self,
        text: &str,
        tokenizer: &SubwordTokenizer,
    ) -> Result<(Tokens, bool)> {
        self.join(tokenizer, |_| text)
    }

    fn join<'a>(
        &self,
        tokenizer: &SubwordTokenizer,
        text: impl Fn(TemplateVariable) -> &'a str,
    ) -> Result<(Tokens, bool)> {
        let texts = self
            .parts
            .iter()
            .map(|part| tokenizer.ids(text(part.slot), false))
            .collect::<Result<Vec<_>>>()?;
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let kept = shorten(&lengths, self.max_length - self.literals());
        let is_cut = kept != lengths;
        let mut tokens = Tokens::default();
        let mut push = |ids: &[u32], kind: u32| {
            tokens.ids.extend(ids);
            tokens.types.resize(tokens.ids.len(), kind);
        };
        push(&self.before, self.parts[0].kind);
        for ((part, text), kept) in self.parts.iter().zip(&texts).zip(kept) {
            push(&text[..kept], part.kind);
            push(&part.after, part.kind);
        }
        Ok((tokens, is_cut))
    }

    /// The template as it was written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The token type of each placeholder.
    pub(super) fn types(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().map(|part| part.kind)
    }

    /// The longest input it makes, in tokens.
    pub(super) fn max_length(&self) -> usize {
        self.max_length
    }

    fn literals(&self) -> usize {
        self.before.len()
            + self
                .parts
                .iter()
                .map(|part| part.after.len())
                .sum::<usize>()
    }
}

/// The literal text before the first placeholder, and each placeholder with what follows it.
fn parse(text: &str) -> Result<(&str, Vec<(TemplateVariable, &str)>)> {
    let mut pieces = text.split('{');
    let before = pieces.next().unwrap_or_default();
    let slots = pieces
        .map(|piece| {
            let (name, after) = piece
                .split_once('}')
                .ok_or_else(|| bad(text, "has a { without its }"))?;
            let slot = TemplateVariable::from_name(name)
                .ok_or_else(|| bad(text, &format!("has the unknown placeholder {{{name}}}")))?;
            Ok((slot, after))
        })
        .collect::<Result<_>>()?;
    Ok((before, slots))
}

/// Refuses a template that lacks an output of its head, or has one of the other head.
fn check_outputs(head: Head, text: &str, slots: &[(TemplateVariable, &str)]) -> Result<()> {
    let has = |wanted: TemplateVariable| slots.iter().any(|(slot, _)| *slot == wanted);
    let context = [
        (TemplateVariable::Context, "context"),
        (TemplateVariable::Reference, "reference"),
        (TemplateVariable::Source, "source"),
    ];
    let pair = [(TemplateVariable::A, "a"), (TemplateVariable::B, "b")];
    let (output, text_alone) = (
        [(TemplateVariable::Output, "output")],
        [(TemplateVariable::Text, "text")],
    );
    let (own, others): (&[_], [&[_]; 3]) = match head {
        Head::Pairwise => (&pair, [&output, &text_alone, &[]]),
        Head::Pointwise => (&output, [&pair, &text_alone, &[]]),
        Head::Matching => (&text_alone, [&pair, &output, &context]),
    };
    if let Some((_, name)) = own.iter().find(|(slot, _)| !has(*slot)) {
        return Err(bad(text, &format!("has no {{{name}}}")));
    }
    match others.concat().iter().find(|(slot, _)| has(*slot)) {
        None => Ok(()),
        Some((_, name)) => {
            let head = head.name();
            let what = format!("has {{{name}}}, which the {head} head does not read");
            Err(bad(text, &what))
        }
    }
}

fn bad(text: &str, what: &str) -> Error {
    Error::usage(format!("template `{text}` {what}")).with_hint(
        "placeholders are {context}, {reference}, {source}, and {a} and {b}, or for the pointwise \
         head {output}, for the matching head {text} alone",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use tiebreak_encoders::Checkpoint;

    /// The pointwise template of a model that describes none is its tokenizer's pair.
    #[test]
    fn the_usual_template_frames_as_the_tokenizer_does() {
        let families = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/families");
        for (name, kinds) in [("roberta", 1), ("deberta-v2", 2), ("modernbert", 1)] {
            let checkpoint = Checkpoint::in_folder(&families.join(name)).unwrap();
            let tokenizer = SubwordTokenizer::read(&checkpoint).unwrap();
            let text = default(Head::Pointwise, &tokenizer);
            let template =
                InputTemplate::new(Head::Pointwise, &text, None, kinds, 20, &tokenizer).unwrap();
            for (source, a) in [
                ("A heron stood there.", "rain"),
                ("", "naïve"),
                ("rain", ""),
            ] {
                let contest = Contest {
                    a,
                    b: "",
                    source: Some(source),
                    references: &[],
                };
                let expected = tokenizer.encode(source, Some(a), 20).unwrap();
                let (tokens, _) = template.fill(&contest, &tokenizer).unwrap();
                assert_eq!(tokens.ids, expected.ids, "{name}: {text}");
                assert!(
                    kinds == 1 || tokens.types == expected.types,
                    "{name}: {tokens:?}"
                );
            }
        }
    }
}
