//! How the outputs of a data set are shown where nothing says it.

use super::Rendering;
use tiebreak_data::records::Dataset;

/// The import formats whose outputs are answers of chat models.
const CHATS: [&str; 12] = [
    "alpaca-eval",
    "arena",
    "arena-hard",
    "arena-kaggle",
    "fastchat-log",
    "helm",
    "inspect",
    "lm-eval",
    "mt-bench",
    "preference",
    "promptfoo",
    "response-ab",
];

/// Words in the `task` of `dataset.toml` whose outputs are Markdown.
const CHAT_TASKS: [&str; 5] = ["assistant", "chat", "instruction", "language model", "math"];

/// Words in the `task` of `dataset.toml` whose outputs are programs.
const CODE_TASKS: [&str; 2] = ["code", "program"];

impl Rendering {
    /// Guesses how the outputs of a data set are shown: by the task in its `dataset.toml`, or the format it was imported
    /// from; plain where neither says that language models wrote them.
    pub fn guess(dataset: &Dataset) -> Self {
        let descriptor = dataset.descriptor();
        let task = descriptor
            .task
            .as_deref()
            .unwrap_or_default()
            .to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| task.contains(word));
        let format = match dataset.imported() {
            Some(imported) => imported.format.as_str(),
            None => {
                let made = descriptor.made.as_deref().unwrap_or_default();
                made.split_once(',').map_or("", |(format, _)| format)
            }
        };
        match () {
            () if names(&CODE_TASKS) => Self::Code,
            () if names(&CHAT_TASKS) || CHATS.contains(&format) => Self::Markdown,
            () => Self::Plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_set_of_chats_is_markdown() {
        let folder = tempfile::tempdir().unwrap();
        let guess = |descriptor: &str| {
            std::fs::write(
                folder.path().join("outputs.jsonl"),
                "{\"item\": 1, \"system\": \"a\", \"output\": \"b\"}\n",
            )
            .unwrap();
            std::fs::write(folder.path().join("dataset.toml"), descriptor).unwrap();
            Rendering::guess(&Dataset::open(folder.path(), &[]).unwrap())
        };
        assert_eq!(guess("name = \"x\""), Rendering::Plain);
        assert_eq!(guess("task = \"machine translation\""), Rendering::Plain);
        assert_eq!(
            guess("task = \"Chat with assistants\""),
            Rendering::Markdown
        );
        assert_eq!(guess("task = \"code generation\""), Rendering::Code);
        assert_eq!(
            guess("made = \"arena, by tiebreak import\""),
            Rendering::Markdown
        );
        assert_eq!(
            guess("made = \"mt-metrics-eval, by tiebreak import\""),
            Rendering::Plain
        );
        for format in CHATS {
            let mut formats = tiebreak_data::records::import::FORMATS.iter();
            assert!(formats.any(|one| one.name == format), "{format}");
        }
    }
}
