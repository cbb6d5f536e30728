//! Decoders against transformers: chat templates to the letter, token ids, logits, labels, rewards; and what is
//! refused.

mod refusals;

use crate::support::{golden_file, skip_golden};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tiebreak::decoders::{Chat, ChatMessage, Decoder, Label, LabelProbabilities, message};
use tiebreak::encoders::{Checkpoint, Device};
use tiebreak::verdicts::Spelling;

fn rows(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn golden(name: &str) -> Option<PathBuf> {
    let found = golden_file(&format!("judges/{name}"));
    if found.is_none() {
        skip_golden("judges");
    }
    found
}

fn load(folder: &Path) -> tiebreak::Result<Decoder> {
    Decoder::load(&Checkpoint::in_folder(folder).unwrap(), Device::Cpu)
}

fn ids(row: &Value) -> Vec<u32> {
    let ids = row["ids"].as_array().unwrap();
    ids.iter().map(|id| id.as_u64().unwrap() as u32).collect()
}

#[test]
fn chat_templates_are_filled_to_the_letter() {
    let Some(file) = golden("templates.jsonl") else {
        return;
    };
    let rows = rows(&file);
    let header = &rows[0];
    let (options, templates) = (&header["options"], &header["templates"]);
    for row in &rows[1..] {
        let template = templates[row["template"].as_str().unwrap()]
            .as_str()
            .unwrap();
        let tokens = ["bos_token", "eos_token"].map(|key| (key.to_string(), options[key].clone()));
        let chat = Chat::new(template, tokens.into_iter().collect()).unwrap();
        let chat = chat.with(row["kwargs"].as_object().unwrap());
        let chat = chat.dated(options["now"].as_str().unwrap()).unwrap();
        let messages: Vec<ChatMessage> = row["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one.as_object().unwrap().clone())
            .collect();
        let found = chat.prompt(&messages, row["add_generation_prompt"].as_bool().unwrap());
        match row["text"].as_str() {
            Some(text) => assert_eq!(found.unwrap(), text, "{}", row["template"]),
            None => {
                let error = found.expect_err(template).to_string();
                assert!(error.contains(row["error"].as_str().unwrap()), "{error}");
            }
        }
    }
}

/// The judges that are computed.
const JUDGES: [&str; 9] = [
    "llama", "mistral", "qwen2", "qwen3", "gemma2", "gemma3", "phi3", "olmo2", "smollm3",
];

/// Beyond it that family is refused.
const GEMMA2_WINDOW: usize = 128;

#[test]
fn judges_are_those_of_transformers() {
    for name in JUDGES {
        let Some(file) = golden(&format!("judge/{name}.jsonl")) else {
            return;
        };
        let rows = rows(&file);
        let header = &rows[0];
        let model = file.parent().unwrap().with_file_name("models").join(name);
        let mut decoder = load(&model).unwrap();
        let told = header["options"]["chat_template_kwargs"]
            .as_object()
            .unwrap();
        decoder.chat = decoder.chat.take().map(|chat| chat.with(told));
        let label = |spelling| -> Vec<Label> {
            let of = |one: &&str| decoder.label(one, spelling).unwrap();
            ["A", "B", "C"].iter().map(of).collect()
        };
        for row in rows.iter().filter(|row| row["type"] == "call") {
            let place = format!("{name} {} {}", row["item"], row["order"]);
            assert_eq!(
                decoder.ids(row["prompt"].as_str().unwrap()).unwrap(),
                ids(row),
                "{place}"
            );
            if name == "gemma2" && ids(row).len() > GEMMA2_WINDOW {
                assert!(decoder.logits(&ids(row)).is_err(), "{place}");
                continue;
            }
            let logits = decoder.logits(&ids(row)).unwrap();
            if let Some(expected) = row["logits"].as_array() {
                for (found, expected) in logits.iter().zip(expected) {
                    let expected = expected.as_f64().unwrap();
                    assert!(
                        (f64::from(*found) - expected).abs() < 5e-4,
                        "{place}: {found}, {expected}"
                    );
                }
            }
            for (spelling, policy) in [
                (Spelling::Any, "sum"),
                (Spelling::Exact, "bare"),
                (Spelling::Spaced, "spaced"),
            ] {
                let reading = LabelProbabilities::new(&label(spelling), &logits);
                let policy = &row["policies"][policy];
                let q = reading.shares[0] + reading.shares[2] / 2.0;
                assert!(
                    (q - policy["q"].as_f64().unwrap()).abs() < 1e-4,
                    "{place}: {q} {policy}"
                );
                let mass = policy["mass"].as_f64().unwrap();
                assert!(
                    (reading.mass - mass).abs() < 1e-4,
                    "{place}: {} {mass}",
                    reading.mass
                );
            }
        }
    }
}

/// Prompts as they are made from the messages of an item.
#[test]
fn prompts_are_those_of_transformers() {
    let Some(items) = golden("items.json") else {
        return;
    };
    let items: Value = serde_json::from_str(&fs::read_to_string(&items).unwrap()).unwrap();
    for name in JUDGES {
        let file = golden(&format!("judge/{name}.jsonl")).unwrap();
        let rows = rows(&file);
        let header = &rows[0];
        let model = file.parent().unwrap().with_file_name("models").join(name);
        let chat = Chat::read(&Checkpoint::in_folder(&model).unwrap())
            .unwrap()
            .unwrap();
        let chat = chat.with(
            header["options"]["chat_template_kwargs"]
                .as_object()
                .unwrap(),
        );
        for row in rows.iter().filter(|row| row["type"] == "call") {
            let item = items["items"]
                .as_array()
                .unwrap()
                .iter()
                .find(|one| one["id"] == row["item"]);
            let Some(item) = item else {
                continue;
            };
            let text = |key: &str| item[key].as_str().unwrap();
            let (first, second) = match row["order"].as_u64() {
                Some(1) => (text("a"), text("b")),
                _ => (text("b"), text("a")),
            };
            let template = header["template"].as_str().unwrap();
            let [head, rest] = split(template, "{source}");
            let [middle, rest] = split(rest, "{first}");
            let [between, end] = split(rest, "{second}");
            let user = [head, text("source"), middle, first, between, second, end].concat();
            let prompt = chat.asked(header["system"].as_str(), &user).unwrap();
            let prefill = header["prefill"].as_str().unwrap_or_default();
            assert_eq!(prompt + prefill, row["prompt"].as_str().unwrap(), "{name}");
        }
    }
}

fn split<'a>(text: &'a str, at: &str) -> [&'a str; 2] {
    let (head, rest) = text.split_once(at).unwrap();
    [head, rest]
}

#[test]
fn reward_models_are_those_of_transformers() {
    for name in ["llama-rm", "mistral-rm", "phi3-rm", "qwen2-rm", "qwen3-rm"] {
        let Some(file) = golden(&format!("reward/{name}.jsonl")) else {
            return;
        };
        let model = file.parent().unwrap().with_file_name("models").join(name);
        let decoder = load(&model).unwrap();
        for row in rows(&file).iter().filter(|row| row["type"] == "score") {
            assert_eq!(
                decoder.ids(row["prompt"].as_str().unwrap()).unwrap(),
                ids(row),
                "{name}"
            );
            let score = f64::from(decoder.score(&ids(row)).unwrap());
            let expected = row["score"].as_f64().unwrap();
            assert!(
                (score - expected).abs() < 5e-4,
                "{name} {}: {score} {expected}",
                row["item"]
            );
        }
    }
}

#[test]
fn quantised_files_are_near_their_dequantised_weights() {
    for (name, tokenizer, ids_from) in [
        ("qwen2.q8_0", "qwen2", "qwen2"),
        ("qwen3.f16", "qwen3", "qwen3"),
        ("llama-plain.q8_0", "llama", "llama"),
    ] {
        let Some(file) = golden(&format!("gguf/{name}.gguf")) else {
            return;
        };
        let root = file.parent().unwrap().parent().unwrap();
        let beside = Checkpoint::in_folder(&root.join("models").join(tokenizer)).unwrap();
        let decoder = Decoder::load_gguf(&file, &beside, Device::Cpu).unwrap();
        let prompts = rows(&root.join("judge").join(format!("{ids_from}.jsonl")));
        let expected = rows(&file.with_extension("jsonl"));
        let most = expected[0]["tolerance"]["max_abs_logit"].as_f64().unwrap();
        for row in expected.iter().filter(|row| row["type"] == "call") {
            let same = |one: &&Value| one["item"] == row["item"] && one["order"] == row["order"];
            let prompt = prompts
                .iter()
                .filter(|one| one["type"] == "call")
                .find(same)
                .unwrap();
            let logits = decoder.logits(&ids(prompt)).unwrap();
            for (label, spellings) in row["label_logits"].as_object().unwrap() {
                for (spelling, one) in spellings.as_object().unwrap() {
                    let id = expected_id(&expected[0], label, spelling);
                    let found = f64::from(logits[id]);
                    let one = one.as_f64().unwrap();
                    assert!(
                        (found - one).abs() < most,
                        "{name} {label} {spelling}: {found} {one}"
                    );
                }
            }
        }
    }
}

fn expected_id(header: &Value, label: &str, spelling: &str) -> usize {
    header["label_ids"][label][spelling].as_u64().unwrap() as usize
}

#[test]
fn a_system_that_a_template_refuses_speaks_through_the_user() {
    let template = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}\
                    {% endif %}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}";
    let chat = Chat::new(template, serde_json::Map::new()).unwrap();
    assert_eq!(
        chat.asked(Some("be fair"), "A or B?").unwrap(),
        "<user>be fair\n\nA or B?"
    );
    assert!(chat.prompt(&[], true).is_err());
    assert!(chat.prompt(&[message("system", "s")], true).is_err());
}
