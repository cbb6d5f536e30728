//! No golden file lies about unread: a test reads it, or a reason is given why none does.

use crate::support;
use std::path::{Path, PathBuf};

/// What lies in `tests/golden`, a folder as a whole, and the file of tests that reads it.
const OWN: &[(&str, &str)] = &[
    ("agreement.jsonl", "golden/agreement.rs"),
    ("comet", "golden/comet.rs"),
    ("correlation.jsonl", "golden/correlation.rs"),
    ("estimators/betting.jsonl", "estimators/golden.rs"),
    (
        "estimators/empirical_bernstein.jsonl",
        "estimators/golden.rs",
    ),
    ("estimators/ppi.jsonl", "estimators/golden.rs"),
    ("families", "golden/models.rs"),
    ("metrics/bertscore.jsonl", "golden/bertscore.rs"),
    ("metrics/bleu.jsonl", "golden/lexical.rs"),
    ("metrics/bleurt.jsonl", "golden/bleurt.rs"),
    ("metrics/chrf.jsonl", "golden/lexical.rs"),
    ("metrics/cider.jsonl", "golden/captions.rs"),
    ("metrics/comet.jsonl", "golden/comet.rs"),
    ("metrics/embedding.jsonl", "golden/word_vectors.rs"),
    ("metrics/gec.jsonl", "golden/gleu.rs"),
    ("metrics/gleu.jsonl", "golden/nltk.rs"),
    ("metrics/greedy.jsonl", "golden/word_vectors.rs"),
    ("metrics/laser.jsonl", "golden/sentence_vectors.rs"),
    ("metrics/length.jsonl", "golden/lexical.rs"),
    ("metrics/meteor.jsonl", "golden/meteor.rs"),
    ("metrics/meteor_paraphrase.jsonl", "golden/meteor.rs"),
    ("metrics/moverscore.jsonl", "golden/moverscore.rs"),
    ("metrics/nltk.jsonl", "golden/nltk.rs"),
    ("metrics/paraphrases", "golden/meteor.rs"),
    ("metrics/rouge.jsonl", "golden/lexical.rs"),
    ("metrics/rouge155.jsonl", "golden/rouge155.rs"),
    ("metrics/ter.jsonl", "golden/lexical.rs"),
    ("metrics/vecsim.jsonl", "golden/sentence_vectors.rs"),
    ("metrics/vector.jsonl", "golden/word_vectors.rs"),
    ("metrics/vizseq_chrf.jsonl", "golden/lexical.rs"),
    ("metrics/wer.jsonl", "golden/edit.rs"),
    ("sacrebleu.jsonl", "golden/sacrebleu.rs"),
    ("significance.jsonl", "golden/significance.rs"),
    ("text/meteor.jsonl", "golden/meteor.rs"),
    ("text/meteor", "golden/meteor.rs"),
    ("text/porter.jsonl", "golden/text.rs"),
    ("text/sentencepiece.jsonl", "golden/text.rs"),
    ("text/sentencepiece", "golden/text.rs"),
    ("text/tokenizers.jsonl", "golden/text.rs"),
    ("vectors/fasttext-words.bin", "vectors/files.rs"),
    ("vectors/fasttext.bin", "vectors/files.rs"),
    ("vectors/laser", "golden/sentence_vectors.rs"),
    ("vectors/words.glove.txt", "golden/word_vectors.rs"),
    ("vectors/words.word2vec.bin", "golden/word_vectors.rs"),
    ("vectors/words.word2vec.txt", "golden/word_vectors.rs"),
];

/// The same of the golden folder beside the checkout.
const SHARED: &[(&str, &str)] = &[
    ("bert_score.jsonl.gz", "golden/bertscore.rs"),
    ("cider.jsonl.gz", "golden/captions.rs"),
    ("corpus/gmeg_test.jsonl.gz", "golden/cases.rs"),
    ("edit.jsonl.gz", "golden/edit.rs"),
    ("embedding_matching.jsonl.gz", "golden/word_vectors.rs"),
    ("formats", "golden/formats.rs"),
    ("gec_gleu.jsonl.gz", "golden/gleu.rs"),
    ("judges/comet", "golden/comet.rs"),
    ("judges/gguf", "decoders/mod.rs"),
    ("judges/items.json", "decoders/mod.rs"),
    ("judges/judge", "decoders/mod.rs"),
    ("judges/models", "decoders/refusals.rs"),
    ("judges/reward", "decoders/mod.rs"),
    ("judges/templates.jsonl", "decoders/mod.rs"),
    ("meteor15.jsonl.gz", "golden/meteor.rs"),
    ("meteor15_tokens.jsonl.gz", "golden/meteor.rs"),
    ("models", "golden/folders.rs"),
    ("moverscore.jsonl.gz", "golden/moverscore.rs"),
    ("nlgeval.jsonl.gz", "golden/captions.rs"),
    ("nltk.jsonl.gz", "golden/nltk.rs"),
    ("porter.jsonl.gz", "golden/text.rs"),
    ("resources/meteor15", "golden/meteor.rs"),
    ("resources/rouge155", "golden/rouge155.rs"),
    ("rouge155.jsonl.gz", "golden/rouge155.rs"),
    ("rouge_score.jsonl.gz", "golden/lexical.rs"),
    ("sacrebleu_bleu.jsonl.gz", "golden/lexical.rs"),
    ("sacrebleu_chrf.jsonl.gz", "golden/lexical.rs"),
    ("sacrebleu_ter.jsonl.gz", "golden/lexical.rs"),
    (
        "sentence_embedding.jsonl.gz",
        "golden/sentence_embedding.rs",
    ),
    ("tokenizers.jsonl.gz", "golden/text.rs"),
    ("vizseq_chrf.jsonl.gz", "golden/lexical.rs"),
];

/// What no test reads yet, and why.
const UNREAD: &[(&str, &str)] = &[];

/// All files below a folder, by their path from `root`.
fn files(root: &Path, below: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root.join(below)).unwrap() {
        let path = below.join(entry.unwrap().file_name());
        match root.join(&path).is_dir() {
            true => found.extend(files(root, &path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// What stands in no list, and what is listed without being there.
fn amiss(root: &Path, listed: &[(&str, &str)], ours: impl Fn(&Path) -> bool) -> Vec<String> {
    let files = files(root, Path::new(""));
    let unlisted = files.iter().filter(|file| {
        let known = |(path, _): &(&str, &str)| file.starts_with(path);
        ours(file) && !listed.iter().any(known)
    });
    let unlisted = unlisted.map(|file| format!("no test reads {}", root.join(file).display()));
    let gone = listed.iter().filter(|(path, _)| !root.join(path).exists());
    let gone = gone.map(|(path, _)| format!("{path} is not in {}", root.display()));
    unlisted.chain(gone).collect()
}

#[test]
fn every_golden_file_of_the_repository_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    // Beside the values lie the tests, and the programs that made the values.
    let value = |file: &Path| {
        let extension = file.extension().unwrap_or_default();
        extension != "rs" && extension != "py"
    };
    assert_eq!(amiss(&root, OWN, value), [""; 0]);
}

#[test]
fn every_golden_file_beside_the_repository_is_read_or_has_a_reason() {
    let root = support::golden_dir();
    if !root.is_dir() {
        return support::skip_golden("golden");
    }
    let listed = [SHARED, UNREAD].concat();
    let unlisted = amiss(&root, &listed, |_| true).into_iter();
    // Another folder of values may have fewer of them.
    let unlisted: Vec<String> = unlisted.filter(|one| one.starts_with("no test")).collect();
    assert_eq!(unlisted, [""; 0]);
    for (path, reason) in UNREAD {
        support::say("PENDING", &format!("golden {path}: {reason}"));
    }
}

/// Whoever is said to read a file does name it.
#[test]
fn readers_name_what_they_read() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for (path, reader) in OWN.iter().chain(SHARED) {
        let name = Path::new(path).file_name().unwrap().to_str().unwrap();
        let stem = name.split('.').next().unwrap();
        let source = std::fs::read_to_string(tests.join(reader)).unwrap();
        let named = [format!("{stem}\""), format!("{stem}.")];
        assert!(
            named.iter().any(|named| source.contains(named))
                || source.contains(&format!("{stem}/")),
            "{reader} does not read {path}"
        );
    }
}
