//! Values computed by the reference implementations.
//!
//! The files beside the checkout (`TIEBREAK_GOLDEN`) are read in whatever number, size and with
//! whatever ids they come; small ones of our own lie in `tests/golden/`.

mod agreement;
#[cfg(feature = "neural")]
mod bertscore;
#[cfg(feature = "neural")]
mod bleurt;
mod captions;
mod cases;
#[cfg(feature = "neural")]
mod checkpoints;
mod close;
mod correlation;
mod edit;
mod folders;
mod gleu;
mod lexical;
mod meteor;
#[cfg(feature = "neural")]
mod models;
#[cfg(feature = "neural")]
mod moverscore;
mod nltk;
mod rouge155;
#[cfg(feature = "neural")]
mod sentence_embedding;
mod sentence_vectors;
mod significance;
mod text;
mod word_vectors;

use crate::support;

/// The golden files that some test here checks; one line per file.
const CHECKED: &[&str] = &[
    "bert_score",
    "cider",
    "embedding_matching",
    "edit",
    "gec_gleu",
    "nltk",
    "nlgeval",
    "moverscore",
    "meteor15",
    "meteor15_tokens",
    "porter",
    "rouge155",
    "rouge_score",
    "sacrebleu_bleu",
    "sacrebleu_chrf",
    "sacrebleu_ter",
    "sentence_embedding",
    "tokenizers",
    "vizseq_chrf",
];

#[test]
fn files_of_metrics_not_yet_written_are_named() {
    let Ok(folder) = std::fs::read_dir(support::golden_dir()) else {
        support::say("SKIPPED", "golden");
        return;
    };
    let mut names: Vec<String> = folder
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".jsonl.gz").map(str::to_string))
        .collect();
    names.sort();
    assert!(
        !names.is_empty(),
        "no golden file in {:?}",
        support::golden_dir()
    );
    for name in names
        .iter()
        .filter(|name| !CHECKED.contains(&name.as_str()))
    {
        support::say("PENDING", name);
    }
}
