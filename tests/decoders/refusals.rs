//! What candle-transformers would compute wrongly is refused by the name of what is missing.

use super::{golden, load, rows};
use crate::support::table_rows;
use serde_json::{Value, json};
use std::fs;
use tiebreak::decoders::{Decoder, DecoderSettings};
use tiebreak::encoders::{Checkpoint, Device};

fn refused(config: &Value) -> String {
    let error = DecoderSettings::new("some-model", config).expect_err(&config.to_string());
    assert_eq!(error.exit_code(), 2);
    assert!(error.hint().unwrap().contains("`endpoint = "), "{error}");
    error.to_string()
}

/// A configuration of a family, changed.
fn with(family: &str, changes: &Value) -> Value {
    let mut config = json!({
        "architectures": ["XForCausalLM"], "model_type": family, "hidden_size": 32, "vocab_size": 100,
        "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 1, "intermediate_size": 64,
        "max_position_embeddings": 2048, "rms_norm_eps": 1e-6,
        "hidden_act": if family.starts_with("gemma") { "gelu_pytorch_tanh" } else { "silu" },
    });
    for (key, value) in changes.as_object().unwrap() {
        config[key] = value.clone();
    }
    config
}

/// A family, what its configuration says, and what is named.
const LACKING: &str = r#"
granite     | {} | granite
mixtral     | {} | mixtral
llama       | {"head_dim": 12} | head_dim
llama       | {"attention_bias": true} | attention_bias
llama       | {"mlp_bias": true} | mlp_bias
llama       | {"rope_scaling": {"type": "linear", "factor": 2.0}} | linear
llama       | {"hidden_act": "relu"} | relu
qwen2       | {"rope_scaling": {"rope_type": "yarn", "factor": 4.0}} | yarn
qwen2       | {"use_sliding_window": true, "sliding_window": 64, "max_window_layers": 2} | window
qwen3       | {"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e6}} | yarn
qwen3       | {"layer_types": ["full_attention", "sliding_attention"], "use_sliding_window": true, "sliding_window": 64} | window
phi3        | {"rope_scaling": {"type": "longrope", "short_factor": [1.0], "long_factor": [1.0]}} | longrope
gemma2      | {"query_pre_attn_scalar": 144} | query_pre_attn_scalar
gemma3_text | {"num_key_value_heads": 2} | num_key_value_heads
gemma3_text | {"rope_scaling": {"rope_type": "linear", "factor": 8.0}} | linear
llama       | {"architectures": ["LlamaForTokenClassification"]} | LlamaForTokenClassification
llama       | {"architectures": ["LlamaForSequenceClassification"], "id2label": {"0": "a", "1": "b"}} | num_labels
gemma2      | {"architectures": ["Gemma2ForSequenceClassification"], "num_labels": 1} | reward
qwen2       | {"quantization_config": {"bits": 4}} | quantization_config
"#;

#[test]
fn what_a_module_lacks_is_named() {
    for [family, change, says] in table_rows(LACKING) {
        let said = refused(&with(family, &serde_json::from_str(change).unwrap()));
        assert!(said.contains(says), "{family} {change}: {said}");
    }
}

#[test]
fn both_layouts_of_transformers_are_read() {
    let older = with(
        "llama",
        &json!({"rope_theta": 5e5, "rope_scaling": {"type": "llama3", "factor": 8.0,
        "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}}),
    );
    let newer = with(
        "llama",
        &json!({"rope_parameters": {"rope_theta": 5e5, "rope_type": "llama3", "factor": 8.0,
        "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64},
        "dtype": "bfloat16", "eos_token_id": [1, 2]}),
    );
    for config in [older, newer] {
        DecoderSettings::new("some-model", &config).unwrap();
    }
    let unused =
        json!({"use_sliding_window": false, "sliding_window": null, "max_window_layers": 28});
    DecoderSettings::new("some-model", &with("qwen2", &unused)).unwrap();
}

#[test]
fn golden_models_that_are_computed_wrongly_are_refused() {
    for (name, says) in [
        ("granite", "granite"),
        ("gemma2-rm", "query_pre_attn_scalar"),
    ] {
        let Some(folder) = golden(&format!("models/{name}")) else {
            return;
        };
        let error = load(&folder).err().expect(name);
        assert!(error.to_string().contains(says), "{error}");
    }
    let file = golden("gguf/llama.f16.gguf").unwrap();
    let root = file.parent().unwrap().parent().unwrap();
    let beside = Checkpoint::in_folder(&root.join("models/llama")).unwrap();
    let error = Decoder::load_gguf(&file, &beside, Device::Cpu)
        .err()
        .unwrap();
    assert!(error.to_string().contains("rope_freqs"), "{error}");
}

/// Angles of transformers 5 in the golden checkpoint's config give the same logits.
#[test]
fn a_config_of_transformers_5_is_the_same_model() {
    let Some(folder) = golden("models/llama") else {
        return;
    };
    let copy = tempfile::tempdir().unwrap();
    for file in [
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    ] {
        fs::copy(folder.join(file), copy.path().join(file)).unwrap();
    }
    let text = fs::read_to_string(folder.join("config.json")).unwrap();
    let mut config: Value = serde_json::from_str(&text).unwrap();
    let map = config.as_object_mut().unwrap();
    let mut parameters = map.remove("rope_scaling").unwrap();
    parameters["rope_theta"] = map.remove("rope_theta").unwrap();
    map.insert("rope_parameters".to_string(), parameters);
    fs::write(copy.path().join("config.json"), config.to_string()).unwrap();
    let (old, new) = (load(&folder).unwrap(), load(copy.path()).unwrap());
    let row = rows(&golden("judge/llama.jsonl").unwrap())[1].clone();
    let ids = super::ids(&row);
    assert_eq!(old.logits(&ids).unwrap(), new.logits(&ids).unwrap());
}

/// A prompt beyond what is attended to at once is refused where windows are not computed.
#[test]
fn prompts_beyond_a_window_are_refused() {
    let Some(folder) = golden("models/gemma2") else {
        return;
    };
    let decoder = load(&folder).unwrap();
    let error = decoder.logits(&[5; 129]).err().unwrap();
    assert!(error.to_string().contains("129 tokens"), "{error}");
    assert!(decoder.logits(&[5; 128]).is_ok());
}
