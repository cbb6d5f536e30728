//! The forms of files of word vectors, and their mistakes.

use super::{file, metric, ours, score};
use crate::support::assert_contains;
use tiebreak::Error;
use tiebreak::vectors::{WordVectorCache, WordVectors};

fn vector(vectors: &WordVectors, word: &str) -> Vec<f32> {
    let mut found = Vec::new();
    vectors.append(word, &mut found);
    found
}

/// word2vec's binary form of words and their numbers.
fn binary(header: &str, rows: &[(&str, [f32; 2])]) -> Vec<u8> {
    let mut bytes = format!("{header}\n").into_bytes();
    for (word, row) in rows {
        bytes.extend(format!("{word} ").bytes());
        bytes.extend(row.iter().flat_map(|x| x.to_le_bytes()));
    }
    bytes
}

#[test]
fn all_forms_of_a_table_give_the_same_vectors() {
    let rows = [("sun", [1.0, -2.0]), ("Rain", [0.5, 4.0])];
    let forms = [
        b"sun 1 -2\nRain 0.5 4\n".to_vec(),
        b"sun 1.0 -2e0 \r\nRain 5e-1 4.0 \r\n\n".to_vec(),
        b"2 2\nsun 1 -2\nRain 0.5 4".to_vec(),
        b"2 2\nsun\t1\t-2\nRain\t0.5\t4\n".to_vec(),
        binary("2 2", &rows),
        binary("2 2", &[rows[0], ("\nRain", rows[1].1)]),
    ];
    for form in forms {
        let file = file(&form);
        let vectors = WordVectors::open(file.path()).unwrap();
        let text = String::from_utf8_lossy(&form).into_owned();
        assert_eq!(vectors.width(), 2, "{text}");
        assert_eq!(vector(&vectors, "sun"), [1.0, -2.0], "{text}");
        assert_eq!(vector(&vectors, "Rain"), [0.5, 4.0], "{text}");
        // Case counts; who is not there has the mean.
        assert_eq!(vector(&vectors, "rain"), [0.75, 1.0], "{text}");
    }
}

#[test]
fn a_word_may_hold_spaces_and_be_given_twice() {
    let file = file(b"a 1 2\n. . . 3 4\na 100 100\n5 5 6\n\xff\xfe 3 4\n");
    let vectors = WordVectors::open(file.path()).unwrap();
    assert_eq!(vector(&vectors, ". . ."), [3.0, 4.0]);
    assert_eq!(vector(&vectors, "a"), [1.0, 2.0]);
    assert_eq!(vector(&vectors, "5"), [5.0, 6.0]);
    // As gensim has it: the second `a` does not count; what is no UTF-8 does.
    assert_eq!(vector(&vectors, "?"), [3.0, 4.0]);
}

#[test]
fn a_fasttext_model_makes_vectors_of_unknown_words() {
    let vectors = WordVectors::open(&ours("fasttext.bin")).unwrap();
    let similar = vector(&vectors, "herons");
    assert_ne!(similar, vector(&vectors, "heron"));
    assert_ne!(similar, vector(&vectors, "piers"));
    // Without n-grams, every unknown word has the mean.
    let vectors = WordVectors::open(&ours("fasttext-words.bin")).unwrap();
    assert_eq!(vector(&vectors, "herons"), vector(&vectors, "piers"));
    assert_ne!(vector(&vectors, "heron"), vector(&vectors, "pier"));
}

/// The error of a file, which must be one the user can correct, and say what it says it says.
fn error(bytes: &[u8], part: &str) -> String {
    let file = file(bytes);
    let error = WordVectors::open(file.path()).err();
    let error = error.unwrap_or_else(|| panic!("no error, expected {part}"));
    assert_eq!(error.exit_code(), 2, "{error}");
    assert!(error.to_string().contains(part), "{error}, expected {part}");
    error
        .hint()
        .unwrap_or_else(|| panic!("{error} has no hint"))
}

#[test]
fn a_bad_table_is_named_with_its_line() {
    error(b"a 1 2\nb 3\n", ":2: 1 numbers, expected 2");
    error(b"a 1 2\nb 3 4\nc 3 x4\nd 1 2\n", ":3: `x4` is not a number");
    error(b"a 1 2\nb 3 nan\nc 1 2\n", ":2: `nan`");
    error(b"a 1 2\n\nb 3 4\n", ":2: 0 numbers");
    assert!(error(b"a 1 2\nb 3", ":2: 1 numbers").contains("truncated"));
    error(
        b"3 2\na 1 2\nb 3 4\n",
        "3 words of 2 numbers each, but there are 2",
    );
    error(b"1 2\na 1 2\nb 3 4\n", "but there are 2");
    let rows = [("sun", [1.0, f32::NAN])];
    let file = file(&binary("1 2", &rows));
    let error = WordVectors::open(file.path()).unwrap_err().to_string();
    assert_contains(&error, &["not finite"]);
}

#[test]
fn a_promise_that_the_file_cannot_keep_is_refused_before_it_is_believed() {
    let huge = "would take at least";
    error(b"900000000000 300\nthe 1 2\n", huge);
    error(
        b"18446744073709551615 300\nthe 1 2\n",
        "more bytes than can be counted",
    );
    error(&binary("70000000000 2", &[("sun", [1.0, 2.0])]), huge);
    let mut cut = binary("2 2", &[("sun", [1.0, 2.0]), ("rain", [1.0, 2.0])]);
    cut.truncate(cut.len() - 6);
    let file = file(&cut);
    let error = WordVectors::open(file.path()).unwrap_err().to_string();
    assert_contains(&error, &["ends"]);
}

#[test]
fn what_is_no_file_of_vectors_is_told_from_one() {
    for (bytes, part) in [
        (b"".as_slice(), "empty"),
        (b"{\"item\": 1}\n", "not a file of word vectors"),
        (b"the quick brown fox\n", "not a file of word vectors"),
        (b"PK\x03\x04rest", "compressed"),
        (b"\x1f\x8b\x08rest", "compressed"),
    ] {
        error(bytes, part);
    }
    let missing = WordVectors::open(&ours("nowhere.txt")).unwrap_err();
    assert!(missing.to_string().contains("no such file"), "{missing}");
    let folder = WordVectors::open(&ours("")).unwrap_err();
    assert!(folder.to_string().contains("folder"), "{folder}");
}

/// Every way of cutting a model off or changing a byte of its head gives an error or a model, and
/// never a panic or a great allocation.
#[test]
fn a_damaged_model_is_refused() {
    let whole = std::fs::read(ours("fasttext.bin")).unwrap();
    let output_rows = {
        // Words are followed by rows of the output layer, which are not read.
        let cut = file(&whole[..whole.len() - 1]);
        WordVectors::open(cut.path()).is_ok()
    };
    assert!(output_rows);
    for end in (1..whole.len() / 2).step_by(37) {
        let cut = file(&whole[..end]);
        let error = WordVectors::open(cut.path()).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{end}: {error}");
    }
    for at in 0..92 {
        for byte in [0, 0x7f, 0xff] {
            let mut changed = whole.clone();
            changed[at] = byte;
            let changed = file(&changed);
            if let Err(error) = WordVectors::open(changed.path()) {
                assert_eq!(error.exit_code(), 2, "{at}: {error}");
            }
        }
    }
}

#[test]
fn models_of_another_kind_are_named() {
    let whole = std::fs::read(ours("fasttext.bin")).unwrap();
    // The kind stands behind magic, version and seven settings.
    let kind = 4 * 9;
    for (value, part) in [(3, "classifier"), (4, "sent2vec"), (9, "unknown kind 9")] {
        let mut changed = whole.clone();
        changed[kind] = value;
        let hint = error(&changed, part);
        assert!(!hint.is_empty());
    }
    let mut changed = whole;
    changed[4] = 13;
    let file = file(&changed);
    let found = WordVectors::open(file.path()).unwrap_err().to_string();
    assert_contains(&found, &["version 13, expected 11 or 12"]);
}

#[test]
fn two_metrics_on_one_file_share_it() {
    let shelf = WordVectorCache::default();
    let path = ours("words.glove.txt");
    let one = shelf.words(&path).unwrap();
    let other = shelf.clone().words(&path).unwrap();
    assert!(std::sync::Arc::ptr_eq(&one, &other));
    drop((one, other));
    assert_eq!(shelf.words(&path).unwrap().width(), 6);
    let missing = shelf.words(&ours("nowhere")).unwrap_err();
    assert!(matches!(missing, Error::Input { .. }), "{missing}");
}

#[test]
fn a_text_without_words_scores_nothing_and_a_copy_scores_one() {
    for name in ["embedding-average", "vector-extrema", "greedy-matching"] {
        for file in ["words.glove.txt", "fasttext.bin"] {
            let metric = metric(&format!("{name}:vectors={}", ours(file).display())).unwrap();
            for (text, references) in [
                ("", ["rain"]),
                (" \u{3000}", ["rain"]),
                ("rain", [""]),
                ("", [""]),
            ] {
                assert_eq!(score(&*metric, text, &references), 0.0, "{name}: {text:?}");
            }
            let copy = score(&*metric, "A heron waits.", &["A heron waits."]);
            assert!((copy - 1.0).abs() < 1e-6, "{name}: {copy}");
            // An empty reference beside a good one does no harm.
            let beside = score(&*metric, "A heron waits.", &["", "A heron waits."]);
            assert_eq!(beside, copy, "{name}");
        }
    }
}

#[test]
fn parameters_do_what_they_say() {
    let vectors = ours("words.glove.txt");
    let with = |more: &str| {
        metric(&format!(
            "embedding-average:vectors={}{more}",
            vectors.display()
        ))
        .unwrap()
    };
    let references = ["at seven", "a heron"];
    let scores = references.map(|reference| score(&*with(""), "AT SEVEN", &[reference]));
    assert!(scores[0] < 0.99 && scores[1] < 0.99, "{scores:?}");
    let lower = score(&*with(",lowercase=true"), "AT SEVEN", &references);
    assert!((lower - 1.0).abs() < 1e-6, "{lower}");
    let mean = score(&*with(",multi-reference=mean"), "AT SEVEN", &references);
    assert!((mean - f64::midpoint(scores[0], scores[1])).abs() < 1e-12);
    let first = score(&*with(",multi-reference=first"), "AT SEVEN", &references);
    assert_eq!(first, scores[0]);
    assert_ne!(with("").signature(), with(",lowercase=true").signature());
}
