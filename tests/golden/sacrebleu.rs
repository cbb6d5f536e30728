//! What sacrebleu's users type, with `tiebreak score` in front, against what sacrebleu prints.

use super::cases::own_lines;
use crate::cli::{command, text as text_of, tiebreak, typed};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Runs `score` with arguments among which names of files are those of files in the folder.
fn score(folder: &Path, arguments: &str) -> crate::cli::Finished {
    let word = |word: &str| match folder.join(word) {
        path if path.is_file() => text_of(&path).to_string(),
        _ => word.to_string(),
    };
    let words = std::iter::once("score".to_string()).chain(arguments.split(' ').map(word));
    let words: Vec<String> = words.collect();
    tiebreak(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn write_files(folder: &Path, files: &Value) {
    for (name, lines) in files.as_object().unwrap() {
        let lines = lines.as_array().unwrap().iter();
        let line = |line: &Value| line.as_str().unwrap().to_string() + "\n";
        let lines: String = lines.map(line).collect();
        fs::write(folder.join(name), lines).unwrap();
    }
}

/// A line without its signature, and the metrics' alignment.
fn unsigned(line: &str) -> String {
    let line = line.trim_start();
    match line.split_once('|') {
        Some((name, rest)) => format!("{name} = {}", rest.split_once(" = ").unwrap().1),
        None => line.to_string(),
    }
}

/// What both programs say of a score; the signatures differ.
fn object(object: &Value) -> Vec<&Value> {
    let keys = [
        "name",
        "score",
        "verbose_score",
        "nrefs",
        "case",
        "eff",
        "tok",
    ];
    keys.iter().map(|key| &object[*key]).collect()
}

#[test]
fn what_is_typed_for_sacrebleu_prints_the_same() {
    let lines = own_lines("sacrebleu");
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), &lines[0]["files"]);
    for case in &lines[1..lines.len() - 1] {
        let arguments = case["arguments"].as_str().unwrap();
        let (found, expected) = (
            score(folder.path(), arguments).ok(),
            case["printed"].as_str().unwrap(),
        );
        if arguments.contains("-f json") {
            let [found, expected] = [&found, expected].map(|text| {
                let value: Value = serde_json::from_str(text).unwrap();
                value.as_array().cloned().unwrap_or_else(|| vec![value])
            });
            let [found, expected] = [&found, &expected].map(|all| all.iter().map(object));
            assert!(found.eq(expected), "{arguments}");
        } else {
            let [found, expected] = [&found, expected].map(|text| text.lines().map(unsigned));
            assert_eq!(
                found.collect::<Vec<_>>(),
                expected.collect::<Vec<_>>(),
                "{arguments}"
            );
        }
    }
}

#[test]
fn systems_are_called_by_their_files_and_written_in_each_form() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), &own_lines("sacrebleu")[0]["files"]);
    let both = "ref.txt ref2.txt -i one.txt two.words.txt -m bleu chrf -w 2";
    let run = |more: &str| score(folder.path(), &format!("{both} {more}"));
    let json = run("-f json").json();
    let systems: Vec<&Value> = json.as_array().unwrap().iter().collect();
    assert_eq!(systems.len(), 2);
    assert_eq!(systems[0]["system"], "one");
    assert_eq!(systems[0]["BLEU"], "53.32");
    assert_eq!(
        (&systems[1]["system"], &systems[1]["BLEU"]),
        (&"two.words".into(), &"26.83".into())
    );
    let latex = run("-f latex").ok();
    assert!(latex.contains("one & 53.32 & 69.17 \\\\\n"), "{latex}");
    // A reference by its flag is one more.
    let by_flag = score(
        folder.path(),
        "ref.txt --reference ref2.txt --source two.words.txt -i one.txt -m bleu -b -w 2",
    );
    assert_eq!(by_flag.ok(), "53.32\n");
}

#[test]
fn outputs_come_through_a_pipe_and_in_latin_1() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let [text, output] = [
        "Größe zählt, sagte der Käfer.",
        "Größe zählt, sagt der Käfer.",
    ];
    let latin = |text: &str| -> Vec<u8> { text.chars().map(|c| c as u8).collect() };
    fs::write(path("ref.de"), text).unwrap();
    fs::write(path("latin.de"), latin(text)).unwrap();
    fs::write(path("latin.txt"), latin(output)).unwrap();
    let reference = path("ref.de");
    let piped = ["score", text_of(&reference), "-b", "-w", "4"];
    let piped = typed(&piped, &format!("{output}\n")).ok();
    let read = score(folder.path(), "latin.de -i latin.txt -e latin-1 -b -w 4").ok();
    assert_eq!(piped, read);
    assert!(piped.starts_with("41.1134"), "{piped}");
}

/// `paste ref.txt ref2.txt > refs.tsv`, `--language-pair` and `--short`, as sacrebleu's README has them.
#[test]
fn references_share_a_line_and_languages_choose_a_tokenizer() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), &own_lines("sacrebleu")[0]["files"]);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let (one, two) = (read("ref.txt"), read("ref2.txt"));
    let both = one.lines().zip(two.lines());
    let both: Vec<String> = both.map(|(one, two)| format!("{one}\t{two}")).collect();
    fs::write(folder.path().join("refs.tsv"), both.join("\n")).unwrap();
    let run = |arguments: &str| score(folder.path(), arguments).ok();
    let shared = run("refs.tsv --num-refs 2 -i one.txt -m bleu chrf ter -f text");
    assert_eq!(
        shared,
        run("ref.txt ref2.txt -i one.txt -m bleu chrf ter -f text")
    );
    let short = run("refs.tsv -nr 2 -i one.txt -m bleu ter -f text -sh");
    assert!(
        short.contains("BLEU|#:2|c:mixed|e:no|tok:13a|s:exp|"),
        "{short}"
    );
    assert!(
        short.contains("TER|#:2|c:lc|t:tercom|nr:no|pn:yes|as:no|v:1 = "),
        "{short}"
    );
    let chinese = run("ref.txt -i one.txt -l en-zh -b -w 4");
    assert_eq!(chinese, run("ref.txt -i one.txt -tok zh -b -w 4"));
    assert_ne!(chinese, run("ref.txt -i one.txt -l en-de -b -w 4"));
    // What is typed counts more.
    assert_eq!(
        run("ref.txt -i one.txt -l en-zh -tok 13a -b -w 4"),
        run("ref.txt -i one.txt -b -w 4")
    );
}

/// A small model in place of that of FLORES-200, of which sacrebleu says the same.
#[test]
fn models_are_looked_for_where_the_variable_and_sacrebleu_say() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    write_files(folder.path(), &own_lines("sacrebleu")[0]["files"]);
    let run = |variable: &str, place: &str| {
        let [reference, output] = ["ref.txt", "one.txt"].map(path);
        let tokenize = ["-tok", "flores200", "-w", "4", "-f", "text"];
        let files = ["score", text_of(&reference), "-i", text_of(&output)];
        let mut command = command(&[&files[..], &tokenize].concat());
        for name in ["TIEBREAK_TOKENIZERS", "SACREBLEU"] {
            command.env(name, path("nowhere"));
        }
        let output = command.env(variable, path(place)).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let missing = run("SACREBLEU", "nowhere");
    for part in [
        "flores200.model",
        "is not there",
        "curl -L -o",
        "TIEBREAK_TOKENIZERS",
    ] {
        assert!(missing.contains(part), "{missing}");
    }
    let model = "tests/golden/text/sentencepiece/bpe.model";
    for (variable, place, file) in [
        ("TIEBREAK_TOKENIZERS", "own", "own/flores200.model"),
        ("SACREBLEU", "its", "its/models/flores200sacrebleuspm"),
    ] {
        fs::create_dir_all(path(file).parent().unwrap()).unwrap();
        fs::copy(model, path(file)).unwrap();
        let scored = run(variable, place);
        assert!(scored.contains("|tok:flores200|"), "{scored}");
        assert!(
            scored.contains(" = 68.9120 93.8/82.9/75.4/70.3"),
            "{scored}"
        );
        fs::write(path(file), "no model").unwrap();
        assert!(run(variable, place).contains("is no model of SentencePiece"));
    }
}

/// Two simulations agree up to chance.
#[test]
fn the_spread_of_one_system_is_in_the_signature_and_close_to_sacrebleus() {
    let folder = tempfile::tempdir().unwrap();
    let lines = own_lines("sacrebleu");
    write_files(folder.path(), &lines[0]["files"]);
    let run = |more: &str| score(folder.path(), &format!("ref.txt -i one.txt -m bleu {more}"));
    let rows = run("-ci -cin 4000 --json").json();
    let signature = rows[0]["signature"].as_str().unwrap();
    assert!(signature.contains("|bs:4000|seed:"), "{signature}");
    let expected = &lines.last().unwrap()["spread"];
    for key in ["confidence_mean", "confidence_var"] {
        let (found, expected) = (
            rows[0][key].as_f64().unwrap(),
            expected[key].as_f64().unwrap(),
        );
        assert!((found - expected).abs() < 1.5, "{key} {found}, {expected}");
    }
    let line = run("-ci -w 1").ok();
    assert!(
        line.contains(" = 47.1 (μ = ") && line.contains("(BP = 0.882"),
        "{line}"
    );
}

#[test]
fn what_is_not_here_is_said() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), &own_lines("sacrebleu")[0]["files"]);
    let refused = |arguments: &str, part: &str| score(folder.path(), arguments).refused(&[part]);
    for arguments in [
        "-t wmt17 -l en-de -i one.txt",
        "--download wmt17",
        "--test-set wmt17",
    ] {
        refused(arguments, "tiebreak fetches no test sets");
    }
    refused("ref.txt -i one.txt -nr 2", "expected 2");
    refused(
        "ref.txt ref2.txt -i one.txt -nr 2",
        "one file of references",
    );
    refused("ref.txt -i one.txt -e gb18030", "iconv -f gb18030");
    refused("ref.txt -i one.txt -m chrf -tok zh", "is for bleu");
    refused(
        "ref.txt -i one.txt -m bleu chrf -sl",
        "one metric at a time",
    );
    refused(
        "ref.txt -i one.txt two.words.txt -sl",
        "one system at a time",
    );
}
