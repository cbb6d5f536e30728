//! What is wrong with a model is said by name, with what was expected and what to do.

use super::{contest, copy_of_tiny, drawn, env};
use crate::support::{assert_contains, table_rows};
use std::path::Path;
use tiebreak::Error;
use tiebreak::encoders::Precision;
use tiebreak::env::{Device, Env};
use tiebreak::preference::{Options, load};

fn refusal(folder: &Path) -> Error {
    match load(folder.to_str().unwrap(), &drawn(1), &env()) {
        Ok(_) => panic!("{} was loaded", folder.display()),
        Err(error) => {
            assert_eq!(error.exit_code(), 2);
            assert!(error.hint().is_some_and(|hint| !hint.is_empty()), "{error}");
            error
        }
    }
}

fn replace(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from} in {file}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn assert_says(error: &Error, parts: &[&str]) {
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "`{part}` in `{text}`");
    }
}

#[test]
fn a_folder_needs_no_descriptor() {
    let folder = copy_of_tiny();
    let name = folder.path().to_str().unwrap();
    let contests = [contest("the cat", "a dog", "no")];
    let plain = load(name, &drawn(2), &env()).unwrap();
    let described = load("tiny-electra", &drawn(2), &env()).unwrap();
    assert_eq!(
        plain.predict(&contests).unwrap(),
        described.predict(&contests).unwrap()
    );
    assert!(
        !plain.signature().to_string().contains(name),
        "no path in a signature"
    );
}

#[test]
fn files_that_are_missing_are_named() {
    for file in ["config.json", "model.safetensors", "tokenizer.json"] {
        let folder = copy_of_tiny();
        std::fs::remove_file(folder.path().join(file)).unwrap();
        assert_says(&refusal(folder.path()), &[file, "no such file"]);
    }
    let folder = copy_of_tiny();
    std::fs::rename(
        folder.path().join("model.safetensors"),
        folder.path().join("pytorch_model.bin"),
    )
    .unwrap();
    let hint = refusal(folder.path()).hint().unwrap();
    assert_contains(&hint, &["safetensors"]);
}

#[test]
fn files_that_are_damaged_are_named() {
    for file in ["config.json", "model.safetensors", "tokenizer.json"] {
        for keep in [0, 1, 100] {
            let folder = copy_of_tiny();
            let path = folder.path().join(file);
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, &bytes[..bytes.len() * keep / 101]).unwrap();
            let Err(error) = load(folder.path().to_str().unwrap(), &drawn(1), &env()) else {
                panic!("a truncated {file} was loaded");
            };
            assert_says(&error, &[file]);
            assert_eq!(error.exit_code(), 2);
        }
    }
}

#[test]
fn a_tensor_of_another_shape_is_named() {
    let folder = copy_of_tiny();
    replace(
        folder.path(),
        "config.json",
        "\"intermediate_size\": 64",
        "\"intermediate_size\": 48",
    );
    assert_says(
        &refusal(folder.path()),
        &[
            "electra.encoder.layer.0.intermediate.dense.weight",
            "[64, 32]",
            "[48, 32]",
        ],
    );
    let folder = copy_of_tiny();
    replace(
        folder.path(),
        "config.json",
        "\"num_hidden_layers\": 2",
        "\"num_hidden_layers\": 3",
    );
    assert_says(
        &refusal(folder.path()),
        &["electra.encoder.layer.2.", "missing"],
    );
}

#[test]
fn what_cannot_be_run_is_refused() {
    for [from, to, says] in table_rows(
        r#""model_type": "electra"    | "model_type": "gpt2"       | gpt2
           "hidden_act": "gelu"       | "hidden_act": "sparkle"    | sparkle
           "num_attention_heads": 4   | "num_attention_heads": 5   | multiple
           "num_attention_heads": 4   | "num_attention_heads": 0   | num_attention_heads
           "hidden_dropout_prob": 0.1 | "hidden_dropout_prob": 1.0 | hidden_dropout_prob
           "vocab_size"               | "vocab"                    | vocab_size"#,
    ) {
        let folder = copy_of_tiny();
        replace(folder.path(), "config.json", from, to);
        let error = load(folder.path().to_str().unwrap(), &drawn(1), &env())
            .err()
            .unwrap();
        assert_says(&error, &[says]);
    }
}

#[test]
fn a_descriptor_that_does_not_fit_is_refused() {
    for (text, says) in [
        ("templates = \"\"", "templates"),
        ("template = \"{a} [SEP]\"", "{b}"),
        ("template = \"{a} {b} {c}\"", "{c}"),
        ("template = \"[CLS] {a} [SEPP] {b}\"", "[SEPP]"),
        ("token_types = [0, 1]", "token_types"),
        ("token_types = [0, 1, 2]", "token type 2"),
        ("labels = [\"a\", \"b\"]", "2 labels"),
        ("labels = [\"a\", \"b\", \"c\"]", "labels"),
        ("max_length = 129", "129"),
        ("max_length = 6", "no room"),
        ("architecture = \"bert\"", "bert"),
        ("files = { \"config.json\" = \"sha256:00\" }", "sha256:00"),
    ] {
        let folder = copy_of_tiny();
        std::fs::write(folder.path().join("tiebreak.toml"), text).unwrap();
        let error = load(folder.path().to_str().unwrap(), &drawn(1), &env())
            .err()
            .unwrap();
        assert_says(&error, &[says]);
        assert_eq!(error.exit_code(), 2, "{error}");
    }
}

#[test]
fn the_descriptor_decides_what_the_logits_mean() {
    let contests = [contest("the cat", "a dog", "no")];
    let with = |text: &str| {
        let folder = copy_of_tiny();
        std::fs::write(folder.path().join("tiebreak.toml"), text).unwrap();
        let model = load(folder.path().to_str().unwrap(), &drawn(1), &env()).unwrap();
        model.predict(&contests).unwrap().remove(0)
    };
    let forth = with("labels = [\"b\", \"tie\", \"a\"]");
    let back = with("labels = [\"a\", \"tie\", \"b\"]");
    assert!((forth.p + back.p - 1.0).abs() < 1e-12);
    assert_ne!(forth.p, with("template = \"[CLS] {a} [SEP] {b} [SEP]\"").p);
    let certain = with("dropout = 0.0");
    assert_eq!(certain.draws, [certain.p]);
    assert_ne!(forth.draws[0], with("dropout = 0.5").draws[0]);
}

#[test]
fn a_slip_in_a_name_gets_the_nearest_model() {
    let error = load("tiny-elektra", &drawn(1), &env()).err().unwrap();
    assert_says(&error, &["unknown model `tiny-elektra`"]);
    assert!(
        error
            .hint()
            .unwrap()
            .contains("did you mean `tiny-electra`")
    );
    let nowhere = Env {
        models: "/nowhere".into(),
        ..Env::default()
    };
    assert!(
        load("x", &drawn(1), &nowhere)
            .err()
            .unwrap()
            .hint()
            .is_some()
    );
}

#[test]
fn a_descriptor_may_point_to_a_folder() {
    let models = tempfile::tempdir().unwrap();
    let folder = copy_of_tiny();
    std::fs::rename(folder.path(), models.path().join("elsewhere")).unwrap();
    let text = "source = { path = \"elsewhere\" }\nlabels = [\"a\", \"tie\", \"b\"]\n";
    std::fs::write(models.path().join("mine.toml"), text).unwrap();
    let env = Env {
        models: models.path().to_path_buf(),
        ..Env::default()
    };
    let model = load("mine", &drawn(0), &env).unwrap();
    assert!(model.signature().to_string().starts_with("mine|"));
    assert!(model.signature().to_string().contains("labels:a,tie,b"));
    std::fs::remove_dir_all(models.path().join("elsewhere")).unwrap();
    assert_says(
        &load("mine", &drawn(0), &env).err().unwrap(),
        &["elsewhere"],
    );
}

#[test]
fn a_descriptor_points_to_nothing_outside_of_its_folder() {
    let outer = tempfile::tempdir().unwrap();
    let folder = copy_of_tiny();
    std::fs::rename(folder.path(), outer.path().join("secret")).unwrap();
    let models = outer.path().join("models");
    std::fs::create_dir(&models).unwrap();
    let env = Env {
        models: models.clone(),
        ..Env::default()
    };
    let whole = outer.path().join("secret");
    for text in [
        "source = { path = \"../secret\" }".to_string(),
        format!("source = {{ path = {whole:?} }}"),
        "name = \"../secret\"".to_string(),
        "source = { hub = \"o/n\", revision = \"../../x\" }".to_string(),
    ] {
        std::fs::write(models.join("mine.toml"), &text).unwrap();
        let error = load("mine", &drawn(0), &env).err().unwrap();
        assert_eq!(error.exit_code(), 2, "{text}: {error}");
    }
    let folder = copy_of_tiny();
    let text = "calibration = \"../calibration.toml\"\n";
    std::fs::write(folder.path().join("tiebreak.toml"), text).unwrap();
    let error = load(folder.path().to_str().unwrap(), &drawn(0), &env);
    let error = error.err().unwrap();
    assert!(error.exit_code() == 2 && error.to_string().contains("lie in its folder"));
}

#[test]
fn weights_of_another_type_than_stated_are_refused() {
    let folder = copy_of_tiny();
    replace(
        folder.path(),
        "config.json",
        "{",
        "{ \"torch_dtype\": \"float16\",",
    );
    assert_says(&refusal(folder.path()), &["is stored as f32, expected f16"]);
    let folder = copy_of_tiny();
    let weights = folder.path().join("model.safetensors");
    let bytes = std::fs::read(&weights).unwrap();
    let at = bytes
        .windows(5)
        .position(|word| word == b"\"F32\"")
        .unwrap();
    let mut flipped = bytes;
    flipped[at + 1] = b'I';
    std::fs::write(&weights, flipped).unwrap();
    // Whichever tensor it is, it is found when it is asked for.
    let error = refusal(folder.path()).to_string();
    assert!(error.contains("i32") || error.contains("I32"), "{error}");
}

#[test]
fn weights_may_lie_in_several_files() {
    let folder = copy_of_tiny();
    let weights = folder.path().join("model.safetensors");
    let tensors = candle_core::safetensors::load(&weights, &candle_core::Device::Cpu).unwrap();
    let mut names: Vec<&String> = tensors.keys().collect();
    names.sort();
    let mut map = serde_json::Map::new();
    for (i, half) in names.chunks(names.len().div_ceil(2)).enumerate() {
        let file = format!("model-{i}.safetensors");
        let part = half
            .iter()
            .map(|name| ((*name).clone(), tensors[*name].clone()))
            .collect();
        candle_core::safetensors::save(&part, folder.path().join(&file)).unwrap();
        map.extend(
            half.iter()
                .map(|name| ((*name).clone(), file.clone().into())),
        );
    }
    let index = serde_json::json!({ "weight_map": map });
    let contests = [contest("the cat", "a dog", "no")];
    let name = folder.path().to_str().unwrap();
    let whole = load(name, &drawn(1), &env())
        .unwrap()
        .predict(&contests)
        .unwrap();
    std::fs::remove_file(weights).unwrap();
    std::fs::write(
        folder.path().join("model.safetensors.index.json"),
        index.to_string(),
    )
    .unwrap();
    let parts = load(name, &drawn(1), &env())
        .unwrap()
        .predict(&contests)
        .unwrap();
    assert_eq!(whole, parts);
}

#[test]
fn weights_that_are_not_numbers_are_noticed() {
    let folder = copy_of_tiny();
    let weights = folder.path().join("model.safetensors");
    let mut bytes = std::fs::read(&weights).unwrap();
    let end = bytes.len();
    // The last tensor is the projection to the logits.
    bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    std::fs::write(&weights, bytes).unwrap();
    let model = load(folder.path().to_str().unwrap(), &drawn(0), &env()).unwrap();
    let error = model.predict(&[contest("", "a", "b")]).unwrap_err();
    assert_says(&error, &["logit", "NaN"]);
}

/// Older checkpoints call scale and shift of a normalisation gamma and beta.
#[test]
fn older_names_of_tensors_are_understood() {
    let folder = copy_of_tiny();
    let weights = folder.path().join("model.safetensors");
    let name = folder.path().to_str().unwrap();
    let contests = [contest("the cat", "a dog", "no")];
    let new = load(name, &drawn(1), &env())
        .unwrap()
        .predict(&contests)
        .unwrap();
    let older = candle_core::safetensors::load(&weights, &candle_core::Device::Cpu)
        .unwrap()
        .into_iter()
        .map(|(name, tensor)| {
            let name = name
                .replace("LayerNorm.weight", "LayerNorm.gamma")
                .replace("LayerNorm.bias", "LayerNorm.beta");
            (name, tensor)
        })
        .collect();
    candle_core::safetensors::save(&older, &weights).unwrap();
    let old = load(name, &drawn(1), &env())
        .unwrap()
        .predict(&contests)
        .unwrap();
    assert_eq!(new, old);
}

#[cfg(not(feature = "cuda"))]
#[test]
fn a_device_that_is_not_there_is_refused() {
    let env = Env {
        device: Device::Cuda(0),
        ..env()
    };
    let error = load("tiny-electra", &drawn(1), &env).err().unwrap();
    assert_says(&error, &["tiny-electra", "GPU number 0"]);
    assert!(error.hint().unwrap().contains("--device cpu"));
}

#[test]
fn bf16_and_int8_are_refused_on_a_gpu() {
    let env = Env {
        device: Device::Cuda(0),
        ..env()
    };
    for precision in [Precision::Bf16, Precision::Int8] {
        let options = Options {
            precision: Some(precision),
            ..Options::default()
        };
        let error = load("tiny-electra", &options, &env).err().unwrap();
        assert_says(&error, &["tiny-electra", &precision.name(), "processor"]);
        assert!(error.hint().unwrap().contains("`precision`"));
        assert_eq!(error.exit_code(), 2);
    }
}

#[cfg(not(feature = "hub"))]
#[test]
fn a_build_without_the_hub_says_so() {
    let error = load("someone/tiny", drawn(1), &env()).err().unwrap();
    assert_says(&error, &["cannot fetch from the hub"]);
    assert!(error.hint().unwrap().contains("`hub`"));
}
