//! VecSim and LASER as their users meet them: models of every kind, and mistakes.

use super::{file, metric, ours, score};
use crate::support::assert_contains;

/// A model of sent2vec's form with given rows: the words `a` and `b` (after the placeholder and the
/// end of a line), and three buckets.
fn sent2vec(word_ngrams: i32, rows: [[f32; 2]; 7]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let settings = [2, 5, 1, 1, 1, word_ngrams, 2, 4, 3, 0, 0, 100];
    for number in [793_712_314, 11].into_iter().chain(settings) {
        bytes.extend(i32::to_le_bytes(number));
    }
    bytes.extend(1e-4_f64.to_le_bytes());
    for number in [4, 4, 0] {
        bytes.extend(i32::to_le_bytes(number));
    }
    for number in [9, -1] {
        bytes.extend(i64::to_le_bytes(number));
    }
    for word in ["<PLACEHOLDER>", "</s>", "a", "b"] {
        bytes.extend(word.bytes().chain([0]));
        bytes.extend(1_i64.to_le_bytes());
        bytes.push(0);
    }
    bytes.push(0);
    for number in [7, 2] {
        bytes.extend(i64::to_le_bytes(number));
    }
    bytes.extend(rows.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    bytes
}

#[test]
fn sent2vec_is_the_mean_of_words_and_of_their_ngrams() {
    let rows = [
        [9.0, 9.0],
        [9.0, 9.0],
        [1.0, 0.0],
        [0.0, 1.0],
        [8.0, 0.0],
        [0.0, 16.0],
        [4.0, 4.0],
    ];
    // The bigram of a (2) and b (3) hashes to 2·116049371 + 3 = 232098745, 1 modulo 3.
    let bigrams = file(&sent2vec(2, rows));
    let vecsim = metric(&format!("vecsim:model={}", bigrams.path().display())).unwrap();
    let angle = |x: f64, y: f64| x / x.hypot(y);
    let close =
        |got: f64, expected: f64| assert!((got - expected).abs() < 1e-7, "{got}, {expected}");
    // a b: (1, 0) + (0, 1) + (0, 16), against a alone. Unknown words are left out first.
    close(score(&*vecsim, "a b", &["a"]), angle(1.0, 17.0));
    close(score(&*vecsim, "a unknown b", &["a"]), angle(1.0, 17.0));
    // The end of a line ends the text.
    close(score(&*vecsim, "a </s> b", &["a"]), 1.0);
    close(score(&*vecsim, "A", &["a"]), 0.0);
    let lower = metric(&format!(
        "vecsim:model={},lowercase=true",
        bigrams.path().display()
    ))
    .unwrap();
    close(score(&*lower, "A", &["a"]), 1.0);
    let unigrams = file(&sent2vec(1, rows));
    let vecsim = metric(&format!("vecsim:model={}", unigrams.path().display())).unwrap();
    close(score(&*vecsim, "a b", &["a"]), angle(1.0, 1.0));
    close(score(&*vecsim, "", &["a"]), 0.0);
}

#[test]
fn a_file_or_its_folder_names_a_static_model() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(ours("fasttext.bin"), folder.path().join("model.bin")).unwrap();
    let by_folder = metric(&format!("vecsim:model={}", folder.path().display())).unwrap();
    let by_file = metric(&format!("vecsim:model={}", ours("fasttext.bin").display())).unwrap();
    assert_eq!(by_folder.signature(), by_file.signature());
    let copy = score(&*by_folder, "the pier", &["a heron", "the pier"]);
    assert!((copy - 1.0).abs() < 1e-6, "{copy}");
}

/// The error of a metric that cannot be built, with its hint.
fn error(spec: &str, part: &str) -> String {
    let error = metric(spec)
        .err()
        .unwrap_or_else(|| panic!("{spec} was built"));
    assert_eq!(error.exit_code(), 2, "{spec}: {error}");
    assert!(error.to_string().contains(part), "{spec}: {error}");
    error
        .hint()
        .unwrap_or_else(|| panic!("{spec}: {error} has no hint"))
}

#[test]
fn what_is_no_model_is_refused_with_advice() {
    let table = ours("words.glove.txt").display().to_string();
    let hint = error(&format!("vecsim:model={table}"), "not a model of fastText");
    assert_contains(&hint, &["embedding-average"]);
    assert!(error("vecsim", "needs").contains("model=") || cfg!(not(feature = "neural")));
    assert!(error("laser", "needs").contains("model=") || cfg!(not(feature = "neural")));
}

#[cfg(feature = "neural")]
mod neural {
    use super::*;
    use std::path::Path;
    use tempfile::TempDir;

    #[test]
    fn an_encoder_is_one_kind_of_model() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/tiny-electra");
        let spec = format!("vecsim:model={}", models.display());
        let vecsim = metric(&spec).unwrap();
        let same = score(&*vecsim, "the heron waits", &["the heron waits"]);
        assert!((same - 1.0).abs() < 1e-6, "{same}");
        let other = score(&*vecsim, "the heron waits", &["it rains"]);
        assert!(other < 1.0, "{other}");
        let short = metric(&format!("{spec},max-length=3")).unwrap();
        let cut = score(&*short, "rain and sun", &["rain or so"]);
        assert!((cut - 1.0).abs() < 1e-6, "{cut}");
        assert_ne!(short.signature(), vecsim.signature());
        error(
            &format!("{spec},max-length=1"),
            "max-length is 1, expected at least 2",
        );
    }

    #[test]
    fn the_length_that_comes_with_a_model_counts() {
        let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/tiny-electra");
        let folder = tempfile::tempdir().unwrap();
        for file in ["config.json", "model.safetensors", "tokenizer.json"] {
            std::fs::copy(tiny.join(file), folder.path().join(file)).unwrap();
        }
        let usual = folder.path().join("sentence_bert_config.json");
        std::fs::write(&usual, "{\"max_seq_length\": 7}").unwrap();
        let spec = format!("vecsim:model={}", folder.path().display());
        let signature = metric(&spec).unwrap().signature().to_string();
        assert_contains(&signature, &["|max-length:7|"]);
        std::fs::write(&usual, "{").unwrap();
        assert!(
            metric(&spec)
                .err()
                .unwrap()
                .to_string()
                .contains("not JSON")
        );
    }

    fn copy_of_laser() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(ours("laser")).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
        folder
    }

    #[test]
    fn every_missing_or_foreign_file_of_laser_is_named() {
        for (file, contents, part) in [
            ("encoder.safetensors", None, "encoder.safetensors"),
            ("encoder.safetensors", Some("{"), "safetensors"),
            ("params.json", None, "params.json"),
            ("params.json", Some("{\"params\": {}}"), "num_embeddings"),
            (
                "params.json",
                Some(
                    "{\"params\": {\"num_embeddings\": 900, \"embed_dim\": 6, \"hidden_size\": 5}}",
                ),
                "expected [900, 6]",
            ),
            ("dictionary.json", Some("{\"a\": 0}"), "</s>"),
            ("dictionary.json", Some("{\"a\": 100000}"), "100000"),
            ("small.fcodes", None, ".fcodes"),
            ("small.fvocab", Some("a 1\nb\n"), "small.fvocab:2"),
            ("other.fcodes", Some("a b 1\n"), "several .fcodes"),
        ] {
            let folder = copy_of_laser();
            let path = folder.path().join(file);
            match contents {
                Some(contents) => std::fs::write(path, contents).unwrap(),
                None => std::fs::remove_file(path).unwrap(),
            }
            error(&format!("laser:model={}", folder.path().display()), part);
        }
    }

    #[test]
    fn the_first_reference_counts_unless_told_otherwise() {
        let spec = format!("laser:model={}", ours("laser").display());
        let texts = ["rain", "the ferry leaves"];
        let first = metric(&spec).unwrap();
        let most = metric(&format!("{spec},multi-reference=max")).unwrap();
        let values = texts.map(|text| score(&*first, "the ferry leaves", &[text]));
        assert!(values[0] < values[1], "{values:?}");
        assert_eq!(score(&*first, "the ferry leaves", &texts), values[0]);
        assert_eq!(score(&*most, "the ferry leaves", &texts), values[1]);
    }
}
