//! Tokenisers and stemmer against sacrebleu, rouge-score and nltk.

use super::cases::{Record, golden, next, own, own_lines};
use super::close::Differences;
use super::lexical::{ENV, check_bleu};
use crate::support;
use std::fs;
use std::path::Path;
use tiebreak::text::stem::{Mode, stem};
use tiebreak::text::tokenize::{LineTokenizer, SacrebleuTokenizer, Tercom, rouge_tokens};

const TOKENIZERS: [(&str, SacrebleuTokenizer); 7] = [
    ("sacrebleu_13a", SacrebleuTokenizer::V13a),
    ("sacrebleu_none", SacrebleuTokenizer::None),
    ("sacrebleu_intl", SacrebleuTokenizer::Intl),
    ("sacrebleu_char", SacrebleuTokenizer::Char),
    ("sacrebleu_zh", SacrebleuTokenizer::Zh),
    ("sacrebleu_ja_mecab", SacrebleuTokenizer::JaMecab),
    ("sacrebleu_ko_mecab", SacrebleuTokenizer::KoMecab),
];

/// Python's white space, written out here so that the expected side does not lean on ours.
const SPACES: [char; 29] = [
    '\t', '\n', '\u{b}', '\u{c}', '\r', '\u{1c}', '\u{1d}', '\u{1e}', '\u{1f}', ' ', '\u{85}',
    '\u{a0}', '\u{1680}', '\u{2000}', '\u{2001}', '\u{2002}', '\u{2003}', '\u{2004}', '\u{2005}',
    '\u{2006}', '\u{2007}', '\u{2008}', '\u{2009}', '\u{200a}', '\u{2028}', '\u{2029}', '\u{202f}',
    '\u{205f}', '\u{3000}',
];

fn found(key: &str, line: &str) -> Option<Vec<String>> {
    let mut tokens = Vec::new();
    if let Some((_, tokenizer)) = TOKENIZERS.iter().find(|(name, _)| *name == key) {
        let tokenizer = ENV.tokenizer(*tokenizer).ok()?;
        tokenizer.tokens(line, |token| tokens.push(token.to_string()));
    } else if let Some(settings) = key.strip_prefix("sacrebleu_ter_") {
        tercom(settings)?.tokens(line, |token| tokens.push(token.to_string()));
    } else if key == "rouge_score" {
        rouge_tokens(line, |token| tokens.push(token.to_string()));
    } else if key == "rouge_score_stem" {
        // rouge-score stems words longer than three characters.
        rouge_tokens(line, |token| {
            let long = token.len() > 3;
            tokens.push(if long {
                stem(token, Mode::Nltk)
            } else {
                token.to_string()
            });
        });
    } else {
        return None;
    }
    Some(tokens)
}

/// From settings such as `norm1_nopunct0_asian0_cs1`.
fn tercom(settings: &str) -> Option<Tercom> {
    let flag = |name: &str| {
        let value = settings.split('_').find_map(|part| part.strip_prefix(name));
        value.map(|value| value == "1")
    };
    Some(Tercom {
        normalized: flag("norm")?,
        no_punct: flag("nopunct")?,
        asian_support: flag("asian")?,
        case_sensitive: flag("cs")?,
    })
}

fn check_tokenizers(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    let mut pending: Vec<&str> = Vec::new();
    for record in records {
        let line = &record.hypotheses[0];
        for (key, value) in record.line["expected"].as_object().unwrap() {
            let Some(tokens) = found(key, line) else {
                if !pending.contains(&key.as_str()) {
                    pending.push(key);
                }
                continue;
            };
            // A tokeniser's output is split on white space by whoever uses it; rouge-score's is
            // a list already.
            let expected: Vec<&str> = if let Some(list) = value.as_array() {
                list.iter().map(|token| token.as_str().unwrap()).collect()
            } else {
                let words = value.as_str().unwrap().split(SPACES);
                words.filter(|word| !word.is_empty()).collect()
            };
            differences.check(tokens == expected, || {
                format!(
                    "{} {key} of {line:?}: expected {expected:?}, got {tokens:?}",
                    record.id
                )
            });
        }
    }
    for key in pending {
        support::say("PENDING", &format!("{name} {key}"));
    }
    differences.finish(name);
}

fn check_stems(name: &str, records: &[Record]) {
    let modes = [
        ("NLTK_EXTENSIONS", Mode::Nltk),
        ("MARTIN_EXTENSIONS", Mode::Martin),
        ("ORIGINAL_ALGORITHM", Mode::Original),
    ];
    let mut differences = Differences::default();
    for record in records {
        let words = record.line["words"].as_array().unwrap();
        for (key, mode) in modes {
            let expected = record.line["expected"][key].as_array().unwrap();
            assert_eq!(words.len(), expected.len(), "{} {key}", record.id);
            for (word, expected) in words.iter().zip(expected) {
                let (word, expected) = (word.as_str().unwrap(), expected.as_str().unwrap());
                let got = stem(word, mode);
                differences.check(got == expected, || {
                    format!(
                        "{} {key} of {word:?}: expected {expected}, got {got}",
                        record.id
                    )
                });
            }
        }
    }
    differences.finish(name);
}

#[test]
fn tokenizers_are_sacrebleus_and_rouge_scores() {
    check_tokenizers("own tokenizers", &own("text/tokenizers"));
    if let Some(records) = golden("tokenizers") {
        check_tokenizers("tokenizers", &records);
    }
}

/// Small models of every algorithm, and lines in many scripts; each line's pieces are joined by spaces, as sacrebleu does.
#[test]
fn pieces_are_sentencepieces() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/text/sentencepiece");
    let lines = own_lines("text/sentencepiece");
    for name in lines[0]["expected"].as_object().unwrap().keys() {
        let model = LineTokenizer::of_model(&folder.join(format!("{name}.model"))).unwrap();
        for line in &lines {
            let text = line["text"].as_str().unwrap();
            let mut pieces = Vec::new();
            model.tokens(text, |piece| pieces.push(piece.to_string()));
            // Trailing white space is cut off before sacrebleu cuts a line.
            if text.ends_with(SPACES) {
                continue;
            }
            let expected = line["expected"][name].as_str().unwrap().split(SPACES);
            let expected: Vec<&str> = expected.filter(|piece| !piece.is_empty()).collect();
            assert_eq!(pieces, expected, "{name} {text:?}");
        }
    }
}

#[test]
fn pieces_need_scores() {
    let folder = tempfile::tempdir().unwrap();
    let model =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/text/sentencepiece/unigram.model");
    let bytes = fs::read(model).unwrap();
    for (score, word) in [(f32::NAN, "NaN"), (f32::INFINITY, "inf")] {
        let path = folder.path().join("broken.model");
        // One more piece: its text, then its score.
        let mut piece = vec![0x0a, 3, b'x', b'y', b'z', 0x15];
        piece.extend(score.to_le_bytes());
        let field = [vec![0x0a, piece.len() as u8], piece].concat();
        fs::write(&path, [bytes.clone(), field].concat()).unwrap();
        let error = LineTokenizer::of_model(&path).unwrap_err().to_string();
        let said = format!("piece `xyz` has the score {word}, expected a number");
        assert!(
            error.contains(&said) && error.contains("broken.model"),
            "{error}"
        );
    }
}

#[test]
fn words_of_mecab_are_sacrebleus() {
    let Some(records) = next("mecab_tokenizers") else {
        return;
    };
    for (language, tokenizer) in [
        ("ja", SacrebleuTokenizer::JaMecab),
        ("ko", SacrebleuTokenizer::KoMecab),
    ] {
        // Held, so that it is read once.
        let held = ENV.tokenizer(tokenizer);
        if let Err(error) = held {
            let error = error.to_string();
            assert!(error.contains("is not there"), "{error}");
            support::say("SKIPPED", &format!("a dictionary of MeCab for {language}"));
            continue;
        }
        let own = |record: &&Record| record.id.split('-').any(|part| part == language);
        let own: Vec<Record> = records.iter().filter(own).cloned().collect();
        let (tokens, scores): (Vec<Record>, Vec<Record>) =
            own.into_iter().partition(|record| record.cases.is_empty());
        assert!(!tokens.is_empty() && !scores.is_empty());
        check_tokenizers(&format!("{language}-mecab"), &tokens);
        check_bleu(&format!("{language}-mecab"), &scores);
    }
}

#[test]
fn stems_are_nltks() {
    check_stems("own porter", &own("text/porter"));
    if let Some(records) = golden("porter") {
        check_stems("porter", &records);
    }
}
