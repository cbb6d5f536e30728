//! Encoders of other families than BERT and ELECTRA, as preference models and in metrics.

use super::{contest, drawn, env, family};
use crate::support::{assert_contains, table_rows};
use std::path::Path;
use tempfile::TempDir;
use tiebreak::encoders::training::{Output, Trainable};
use tiebreak::encoders::{Checkpoint, Classifier, Config, Device, Embedder, Tokens, Weights};
use tiebreak::preference::{Contest, PairwiseModel, load};
use tiebreak::rng::Seed;

fn open(folder: &Path, draws: usize) -> tiebreak::Result<Box<dyn PairwiseModel>> {
    load(folder.to_str().unwrap(), &drawn(draws), &env())
}

/// A copy whose `config.json` has one piece of text replaced.
fn changed(name: &str, from: &str, to: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["config.json", "model.safetensors", "tokenizer.json"] {
        std::fs::copy(family(name).join(file), folder.path().join(file)).unwrap();
    }
    let path = folder.path().join("config.json");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from} in {text}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
    folder
}

fn described(name: &str, text: &str) -> TempDir {
    let folder = changed(name, "{", "{");
    std::fs::write(folder.path().join("tiebreak.toml"), text).unwrap();
    folder
}

const TEXTS: [[&str; 3]; 5] = [
    ["The ferry leaves at seven.", "A ferry leaves.", "It rains."],
    ["", "rain", ""],
    ["naïve cafés", "[SEP] </s> <pad> [PAD]", "über alles"],
    ["the same", "words in both", "words in both"],
    [
        "waiting for fish in the shallow water, waiting for rain",
        "fish",
        "a heron stood waiting for the ferry",
    ],
];

fn contests() -> Vec<Contest<'static>> {
    TEXTS
        .iter()
        .map(|[context, a, b]| contest(context, a, b))
        .collect()
}

#[test]
fn batch_order_and_threads_change_nothing() {
    for name in "roberta mpnet deberta-v3 deberta-apart modernbert".split(' ') {
        let model = open(&family(name), 0).unwrap();
        let contests = contests();
        let whole = model.predict(&contests).unwrap();
        let mut back: Vec<Contest<'_>> = contests.iter().rev().copied().collect();
        let mut reversed = model.predict(&back).unwrap();
        reversed.reverse();
        assert_eq!(whole, reversed, "{name}");
        back.truncate(1);
        assert_eq!(whole[4..], model.predict(&back).unwrap(), "{name}");
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let within = pool.unwrap().install(|| model.predict(&contests).unwrap());
            assert_eq!(whole, within, "{name}");
        }
    }
}

#[test]
fn a_model_that_describes_no_template_has_that_of_its_tokenizer() {
    for (name, template) in [
        ("roberta", "<s> {context} </s></s> {a} </s></s> {b} </s>"),
        ("mpnet", "<s> {context} </s></s> {a} </s></s> {b} </s>"),
        ("deberta-v3", "[CLS] {context} [SEP] {a} [SEP] {b} [SEP]"),
    ] {
        let signature = open(&family(name), 0).unwrap().signature().to_string();
        assert_contains(&signature, &[template]);
        // Neither model is told which text is which.
        assert_contains(&signature, &["types:0,0,0"]);
    }
    let folder = described("deberta-v2", "head = \"pointwise\"\n");
    let signature = open(folder.path(), 0).unwrap().signature().to_string();
    assert_contains(
        &signature,
        &["[CLS] {context} [SEP] {output} [SEP]", "types:0,1"],
    );
}

#[test]
fn draws_of_a_family_without_dropout_are_refused() {
    for (name, says) in [("deberta-v3", "deberta-v2"), ("modernbert", "modernbert")] {
        let error = open(&family(name), 20).err().unwrap();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains(says), "{error}");
        assert!(error.to_string().contains("without dropout"), "{error}");
        assert!(error.hint().unwrap().contains("`draws = 0`"));
        assert!(open(&family(name), 0).is_ok());

        let checkpoint = Checkpoint::in_folder(&family(name)).unwrap();
        let config = Config::read(&checkpoint).unwrap();
        let weights = Weights::read(&checkpoint, Device::Cpu).unwrap();
        let classifier = Classifier::new(&checkpoint, &config, &weights).unwrap();
        let tokens = Tokens {
            ids: vec![1, 5, 2],
            types: vec![0; 3],
        };
        assert!(classifier.logits(&tokens, None).is_ok());
        assert!(classifier.logits(&tokens, Some((Seed(1), 0))).is_err());

        let error =
            Trainable::new(&checkpoint, &config, &weights, Output::Logits(1), Seed(1)).err();
        assert!(error.unwrap().to_string().contains("cannot be fine-tuned"));

        let folder = described(name, "dropout = 0.1\n");
        let error = open(folder.path(), 0).err().unwrap();
        assert!(error.to_string().contains("`dropout`"), "{error}");
    }
}

#[test]
fn roberta_has_draws() {
    let model = open(&family("roberta"), 3).unwrap();
    let preferences = model.predict(&contests()).unwrap();
    for preference in &preferences {
        assert_eq!(preference.draws.len(), 3);
        assert!(preference.draws.iter().any(|&p| p != preference.p));
    }
}

/// A padding token takes no position of its own, so the next one has its neighbour's.
#[test]
fn padding_within_a_text_takes_no_position() {
    let checkpoint = Checkpoint::in_folder(&family("xlm-roberta")).unwrap();
    let embedder = Embedder::load(&checkpoint, Device::Cpu).unwrap();
    let entering = |ids: &[u32]| {
        let tokens = Tokens {
            ids: ids.to_vec(),
            // RoBERTa is told nothing of types, whatever a tokenizer says.
            types: vec![1; ids.len()],
        };
        let states = embedder.states(&[tokens], 0..=0).unwrap().remove(0);
        let width = states.width;
        move |row: usize| states.layers[0][row * width..][..width].to_vec()
    };
    let (with, without) = (entering(&[0, 9, 1, 10, 2]), entering(&[0, 9, 10, 2]));
    assert_eq!(with(3), without(2));
    assert_ne!(with(2), without(2));
}

/// As [`REFUSED`]: what the tensors do not fit.
const MISFITS: &str = r#"
roberta         | "max_position_embeddings": 98 | "max_position_embeddings": 97                 | roberta.embeddings.position_embeddings.weight` has shape [98, 16], expected [97, 16]
mpnet           | "num_attention_heads": 2      | "num_attention_heads": 4                      | mpnet.encoder.relative_attention_bias.weight` has shape [32, 2], expected [32, 4]
deberta-v2      | "position_buckets": 8         | "position_buckets": 10                        | deberta.encoder.rel_embeddings.weight` has shape [16, 16], expected [20, 16]
deberta-v2      | "position_buckets": 8         | "position_buckets": 9223372036854775807       | position_buckets
deberta-v2      | "conv_kernel_size": 3         | "conv_kernel_size": 5                         | deberta.encoder.conv.conv.weight
deberta-v2      | "embedding_size": 12          | "embedding_size": 16                          | embeddings.word_embeddings.weight
deberta-v2      | "share_att_key": true         | "share_att_key": false                        | `deberta.encoder.layer.0.attention.self.pos_key_proj.weight` is missing
deberta-v3      | "num_hidden_layers": 2        | "num_hidden_layers": 1000000000000000         | `deberta.encoder.layer.2.attention.self.query_proj.weight` is missing
deberta-apart   | "max_relative_positions": -1  | "max_relative_positions": 9223372036854775807 | deberta.encoder.rel_embeddings.weight
modernbert      | "norm_bias": false            | "norm_bias": true                             | `model.embeddings.norm.bias` is missing
modernbert      | "intermediate_size": 24       | "intermediate_size": 18446744073709551615     | model.layers.0.mlp.Wi.weight
modernbert-mean | "vocab_size": 320             | "vocab_size": 319                             | model.embeddings.tok_embeddings.weight
"#;

#[test]
fn tensors_that_do_not_fit_are_named() {
    for [name, from, to, says] in table_rows(MISFITS) {
        let folder = changed(name, from, to);
        let error = open(folder.path(), 0).err().expect(says);
        assert!(error.to_string().contains(says), "{says} in {error}");
        assert_eq!(error.exit_code(), 2);
    }
}

/// A family, what its `config.json` says, what is said in its place, and what the error names.
const REFUSED: &str = r#"
roberta    | "pad_token_id": 1                    | "pad_token_id": 97                   | pad_token_id
roberta    | "pad_token_id": 1                    | "pad_token_id": -1                   | pad_token_id
mpnet      | "relative_attention_num_buckets": 32 | "relative_attention_num_buckets": 16 | relative_attention_num_buckets is 16, expected 32
deberta-v2 | "position_buckets": 8                | "position_buckets": 1                | position_buckets
deberta-v2 | "conv_kernel_size": 3                | "conv_kernel_size": 4                | conv_kernel_size
deberta-v2 | "conv_groups": 2                     | "conv_groups": 3                     | conv_groups
deberta-v2 | "conv_groups": 2                     | "conv_groups": 0                     | conv_groups
deberta-v2 | "pooler_hidden_act": "tanh"          | "pooler_hidden_act": "swirl"         | pooler_hidden_act
deberta-v2 | "pooler_hidden_size": 16             | "pooler_hidden_size": 8              | pooler_hidden_size
deberta-v3 | "share_att_key": true                | "attention_head_size": 4             | attention_head_size
modernbert | "num_attention_heads": 2             | "num_attention_heads": 16            | even
modernbert | "classifier_pooling": "cls"          | "classifier_pooling": "max"          | classifier_pooling
modernbert | "rope_type": "default"               | "rope_type": "yarn"                  | yarn
modernbert | "rope_theta": 160000.0               | "rope_theta": 0.0                    | rope_theta
modernbert | "full_attention",                    | "chunked_attention",                 | chunked_attention
modernbert | "num_hidden_layers": 5               | "num_hidden_layers": 4               | layer_types
"#;

#[test]
fn what_cannot_be_run_is_refused_by_name() {
    for [name, from, to, says] in table_rows(REFUSED) {
        let folder = changed(name, from, to);
        let error = open(folder.path(), 0).err().expect(says);
        assert!(error.to_string().contains(says), "{says} in {error}");
        assert_eq!(error.exit_code(), 2);
    }
}

#[test]
fn an_unknown_family_is_told_the_known_ones() {
    let folder = changed(
        "roberta",
        "\"model_type\": \"roberta\"",
        "\"model_type\": \"gpt2\"",
    );
    let error = open(folder.path(), 0).err().unwrap();
    assert!(
        error.to_string().contains("`gpt2`, an unknown family"),
        "{error}"
    );
    let hint = error.hint().unwrap();
    assert_contains(
        &hint,
        &[
            "bert",
            "electra",
            "roberta",
            "xlm-roberta",
            "mpnet",
            "deberta-v2",
            "modernbert",
        ],
    );
}

/// Files of before transformers 5 say the same of a ModernBERT in other words.
#[test]
fn older_configurations_mean_the_same() {
    let folder = changed("modernbert", "{", "{");
    let path = folder.path().join("config.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut config: serde_json::Value = serde_json::from_str(&text).unwrap();
    let map = config.as_object_mut().unwrap();
    for newer in ["layer_types", "rope_parameters"] {
        assert!(map.remove(newer).is_some());
    }
    map.insert("global_attn_every_n_layers".into(), 3.into());
    map.insert("global_rope_theta".into(), 160_000.0.into());
    map.insert("local_rope_theta".into(), 10_000.0.into());
    std::fs::write(path, config.to_string()).unwrap();
    let contests = contests();
    let older = open(folder.path(), 0).unwrap().predict(&contests).unwrap();
    let newer = open(&family("modernbert"), 0)
        .unwrap()
        .predict(&contests)
        .unwrap();
    assert_eq!(older, newer);
}
