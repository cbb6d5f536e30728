//! Tasks of annotators: protocol, question, instructions, criteria, and checks.
//!
//! A task is a file, `task.toml` in the campaign's folder; one that comes with tiebreak goes by its protocol's name. The
//! protocols are those of Mohankumar and Khapra (pairs) and of Chaganty et al. (ratings, post-edits, answers about a
//! passage).

mod checks;
mod content;
mod criterion;

#[cfg(feature = "serve")]
pub(crate) use checks::CheckTask;
pub(crate) use checks::Checks;
#[cfg(feature = "serve")]
pub(super) use content::Content;
pub(crate) use criterion::Criterion;

use super::folder::is_begun;
use super::page::PageWords;
use super::page::words::{self, OwnWords, PROMPT, SOURCE};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;
use tiebreak_base::error::{Error, Message, Result, is_there};
use tiebreak_base::keys::file::PipelineFile;
use tiebreak_base::keys::name_of;
use tiebreak_base::layout::path_argument;
use tiebreak_base::limits::{Part, file_text};
use tiebreak_data::records::Dataset;
use tiebreak_data::tables::file::write_atomically;
use tiebreak_stages::rendering::Rendering;

/// Why a task is refused.
const ANOTHER_TASK: &str = "the campaign has another task already";

/// The task of a campaign, in its folder.
pub(crate) const FILE: &str = "task.toml";

/// The other columns of sheets.
const COLUMNS: [&str; 12] = [
    "question",
    "source",
    "reference",
    "text",
    "answer",
    "annotator",
    "seconds",
    "comment",
    "reason",
    "post_edit",
    "evidence",
    "edited",
];

/// The instructions for criteria of which only names are known.
const ANY_CRITERIA: &str = "\
You see what was asked for, and one text that answers it. Give it a score for each question below it. The questions are \
independent: judge each by itself, and each text by itself, not by the ones before it.

Use the whole scale, where there is one. Skip what you cannot judge: a skip is better than a guess.
";

/// The protocol of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Protocol {
    /// Which of two texts is better.
    Pairwise,
    /// Scores of one text, by criterion.
    Rating,
    /// One text, to be edited until it is right.
    PostEdit,
    /// An answer, to be held against a passage.
    QuestionAnswering,
}

impl Protocol {
    /// All protocols.
    pub(crate) const ALL: [Self; 4] = [
        Self::Pairwise,
        Self::Rating,
        Self::PostEdit,
        Self::QuestionAnswering,
    ];

    /// The name of the protocol.
    pub(crate) fn name(self) -> String {
        name_of(&self)
    }

    /// The template of the protocol's task, as a file.
    pub(crate) fn template(self) -> &'static str {
        match self {
            Self::Pairwise => include_str!("templates/pairwise.toml"),
            Self::Rating => include_str!("templates/rating.toml"),
            Self::PostEdit => include_str!("templates/post-edit.toml"),
            Self::QuestionAnswering => include_str!("templates/question-answering.toml"),
        }
    }

    /// The number of texts that are shown.
    fn texts(self) -> usize {
        match self {
            Self::Pairwise => 2,
            Self::Rating | Self::PostEdit | Self::QuestionAnswering => 1,
        }
    }
}

/// The task of annotators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Task {
    /// The protocol of the task.
    pub protocol: Protocol,
    /// The question above the texts.
    pub prompt: String,
    /// The instructions that people read before they begin.
    pub instructions: Option<String>,
    /// The way in which texts are shown; guessed from the data set where it is not given.
    pub render: Option<Rendering>,
    /// The tag of the page's language; English where it is not given.
    pub language: Option<String>,
    /// Whether references are shown with texts; they are unless this is false.
    pub show_references: Option<bool>,
    /// Texts of the page in place of those of its language.
    #[serde(default, skip_serializing_if = "OwnWords::is_empty")]
    pub words: OwnWords,
    /// Whether the data set seems to be of language models, whose sources are prompts.
    #[serde(skip)]
    pub about_prompts: bool,
    /// The criteria of ratings.
    #[serde(default)]
    pub criteria: Vec<Criterion>,
    #[serde(default)]
    pub checks: Checks,
}

impl Task {
    /// The task of the campaign in a folder: pairs, unless it says otherwise.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        match is_there(&path) {
            true => Self::read(&path),
            false => Self::built_in(Protocol::Pairwise),
        }
    }

    /// Opens the task in a folder, or a given one that a new campaign is to have. Nothing is written.
    pub(crate) fn wanted(folder: &Path, given: Option<&str>) -> Result<Self> {
        match given {
            Some(given) if is_there(&folder.join(FILE)) => {
                Self::begin(folder, given)?;
                Self::open(folder)
            }
            Some(given) => {
                let text = Self::text(given)?;
                let task: Self = toml::from_str(&text).map_err(Error::failed)?;
                // Begun without a task of its own, a campaign compares pairs.
                if task.protocol != Protocol::Pairwise && is_begun(folder) {
                    let what = format!("{ANOTHER_TASK}: {}", Protocol::Pairwise.name());
                    return Err(Error::input(folder, what)
                        .with_hint("begin another campaign in a new folder"));
                }
                Ok(task)
            }
            None => Self::open(folder),
        }
    }

    /// Returns the task of the campaign in `run` if it is about pairs or, without `pairs`, about single outputs.
    ///
    /// # Errors
    /// [`Error::Usage`] with the command for the other kind.
    pub(super) fn asking(self, pairs: bool, run: &Path) -> Result<Self> {
        if (self.protocol == Protocol::Pairwise) == pairs {
            return Ok(self);
        }
        let name = self.protocol.name();
        let (what, hint) = match pairs {
            true => (
                "only campaigns that compare pairs have a ranking",
                Message::except_in_python(
                    format!(
                        "for means and differences: tiebreak estimate {} --differences",
                        path_argument(run)
                    ),
                    format!(
                        "for means and differences: `tb.load(\"{}\").estimate()`",
                        run.display()
                    ),
                ),
            ),
            false => (
                "this campaign rates single outputs",
                "give a task of another protocol".into(),
            ),
        };
        Err(Error::usage(format!("the task is {name}, but {what}")).with_hint(hint))
    }

    /// Returns a task as the text of a file: that of a path, or a built-in one by name, with custom criteria if typed.
    fn text(given: &str) -> Result<String> {
        if let Some(criteria) = criterion::typed(given) {
            let task = Self {
                criteria: criteria?,
                instructions: Some(ANY_CRITERIA.to_string()),
                checks: Checks::default(),
                ..Self::built_in(Protocol::Rating)?
            };
            task.check().map_err(Error::usage)?;
            return toml::to_string(&task).map_err(Error::failed);
        }
        let mut named = Protocol::ALL.iter();
        if let Some(protocol) = named.find(|protocol| protocol.name() == given) {
            return Ok(protocol.template().to_string());
        }
        let path = Path::new(given);
        Self::read(path).map_err(|error| match is_there(path) {
            true => error,
            false => unknown(given),
        })?;
        file_text(path, Part::Row).map_err(Error::reading(path))
    }

    /// Puts a task into a campaign's folder: that of a file, or one that comes with tiebreak by its name.
    ///
    /// # Errors
    /// If there is no such task, or the campaign has another one.
    pub(crate) fn begin(folder: &Path, given: &str) -> Result<()> {
        let text = Self::text(given)?;
        let path = folder.join(FILE);
        match file_text(&path, Part::Row) {
            Ok(there) if there == text => Ok(()),
            Ok(_) => {
                Err(Error::input(&path, ANOTHER_TASK).with_hint(
                    "edit this file before the first question is asked, or begin another campaign in a new folder",
                ))
            }
            Err(_) => write_atomically(&path, text.as_bytes()),
        }
    }

    /// Returns the digest of what annotators are asked: protocol, prompt, instructions and criteria. The built-in task about
    /// pairs has none.
    pub(super) fn digest(&self) -> Result<Option<String>> {
        let asked = |task: &Self| {
            let parts = (
                task.protocol,
                &task.prompt,
                &task.instructions,
                &task.criteria,
            );
            serde_json::to_vec(&parts).map_err(Error::failed)
        };
        let own = asked(self)?;
        let is_usual = own == asked(&Self::built_in(Protocol::Pairwise)?)?;
        Ok((!is_usual).then(|| format!("{:x}", Sha256::digest(&own))))
    }

    /// Returns how texts of a data set are shown.
    pub(super) fn rendering(&self, dataset: &Dataset) -> Rendering {
        self.render.unwrap_or_else(|| Rendering::guess(dataset))
    }

    /// Returns the task with the way in which texts of a data set are shown.
    pub(super) fn with_rendering(mut self, dataset: &Dataset) -> Self {
        self.render = Some(self.rendering(dataset));
        self.about_prompts = !Rendering::guess(dataset).is_plain();
        self
    }

    /// The words of the judging page.
    pub(super) fn page_words(&self) -> PageWords {
        let words = PageWords::new(self.language.as_deref(), &self.words);
        match self.about_prompts && !self.words.has(SOURCE) {
            true => words.with_same(SOURCE, PROMPT),
            false => words,
        }
    }

    /// Whether references are shown with texts.
    pub(super) fn shows_references(&self) -> bool {
        self.show_references != Some(false)
    }

    fn read(path: &Path) -> Result<Self> {
        let task: Self = PipelineFile::read(path)?.pipeline;
        task.check().map_err(|what| Error::input(path, what))?;
        Ok(task)
    }

    /// The built-in task of a protocol.
    fn built_in(protocol: Protocol) -> Result<Self> {
        toml::from_str(protocol.template()).map_err(Error::failed)
    }

    /// Checks the task; an error says what is wrong.
    fn check(&self) -> std::result::Result<(), String> {
        if self.protocol == Protocol::Rating && self.criteria.is_empty() {
            return Err("the task is a rating and has no criteria".to_string());
        }
        if let Some(language) = &self.language {
            words::check(language, &self.words)?;
        }
        if !self.shows_references() {
            self.check_hidden_references()?;
        }
        for (place, criterion) in self.criteria.iter().enumerate() {
            criterion.check()?;
            let name = criterion.name.as_str();
            if COLUMNS.contains(&name) || name.trim() != name || name.is_empty() {
                return Err(format!(
                    "criterion `{name}` cannot be the name of a column on a sheet"
                ));
            }
            let mut before = self.criteria[..place].iter();
            if before.any(|other| other.name == criterion.name) {
                return Err(format!("criterion `{}` is listed twice", criterion.name));
            }
        }
        self.checks.check(self.protocol.texts())
    }

    /// Checks that references may be hidden.
    fn check_hidden_references(&self) -> std::result::Result<(), String> {
        const HIDDEN: &str = "show-references is false";
        if self.protocol == Protocol::QuestionAnswering {
            return Err(format!(
                "{HIDDEN}, but the references are the passage that answers are judged by: leave it out"
            ));
        }
        let checks = &self.checks;
        let mut checks = checks.training.iter().chain(&checks.mixed);
        match checks.any(|check| !check.references.is_empty()) {
            true => Err(format!(
                "{HIDDEN}, but a check has references: leave them out of the check"
            )),
            false => Ok(()),
        }
    }

    /// The part of an annotator's state that is always the same: all but the texts and the progress.
    pub(crate) fn state(&self) -> Value {
        let answers: &[&str] = match self.protocol {
            Protocol::Pairwise => &["1", "2", "tie", "both bad", "skip"],
            _ => &["skip"],
        };
        json!({
            "state": "task",
            "protocol": self.protocol.name(),
            "instructions": self.instructions,
            "prompt": self.prompt,
            "passage": null,
            "direction": "auto",
            "criteria": self.criteria,
            "answers": answers,
            "feedback": null,
        })
    }
}

fn unknown(given: &str) -> Error {
    let names: Vec<String> = Protocol::ALL.iter().map(|one| one.name()).collect();
    let what = format!("{given}: there is no task and no file of this name");
    Error::usage(what).with_hint(format!(
        "give a file, one of {}, or your own criteria: rating:adequacy=0..100",
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_with_tiebreak_is_right() {
        for protocol in Protocol::ALL {
            let task = Task::built_in(protocol).unwrap();
            assert_eq!((task.protocol, task.check()), (protocol, Ok(())));
            assert!(task.instructions.is_some_and(|text| text.len() > 200));
            assert!(!task.checks.training.is_empty() && task.checks.rate == 0.0);
        }
    }

    #[test]
    fn a_campaign_keeps_its_task() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            Task::open(folder.path()).unwrap().protocol,
            Protocol::Pairwise
        );
        let error = Task::begin(folder.path(), "ratings").unwrap_err();
        assert!(error.hint().unwrap().contains("post-edit"), "{error}");
        Task::begin(folder.path(), "rating").unwrap();
        Task::begin(folder.path(), "rating").unwrap();
        assert_eq!(
            Task::open(folder.path()).unwrap().protocol,
            Protocol::Rating
        );
        assert!(Task::begin(folder.path(), "pairwise").is_err());
    }

    #[test]
    fn criteria_of_ones_own_make_a_task_that_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let typed = "rating:adequacy=0..100,length";
        let wanted = Task::wanted(folder.path(), Some(typed)).unwrap();
        Task::begin(folder.path(), typed).unwrap();
        Task::begin(folder.path(), typed).unwrap();
        let task = Task::open(folder.path()).unwrap();
        assert_eq!(task, wanted);
        let ranges = task.criteria.iter().map(Criterion::range);
        assert_eq!(ranges.collect::<Vec<_>>(), [Some([0.0, 100.0]), None]);
        assert!(Task::begin(folder.path(), "rating:adequacy").is_err());
        let empty = tempfile::tempdir().unwrap();
        for (wrong, phrase) in [
            ("rating:", "cannot be the name"),
            ("rating:text", "cannot be the name"),
            ("rating:a,a", "listed twice"),
            ("rating:a=1..1", "expected a range"),
        ] {
            let error = Task::wanted(empty.path(), Some(wrong)).unwrap_err();
            assert!(error.to_string().contains(phrase), "{wrong}: {error}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let wrong = |from: &str, to: &str| {
            let text = Protocol::Rating.template();
            assert!(text.contains(from), "{from}");
            std::fs::write(folder.path().join(FILE), text.replacen(from, to, 1)).unwrap();
            Task::open(folder.path()).unwrap_err().to_string()
        };
        assert!(wrong("low = 1", "low = 7").contains("expected a range"));
        assert!(wrong("step = 1", "step = 9").contains("step"));
        assert!(wrong("prompt", "promt").contains("promt"));
        assert!(wrong("rate = 0.0", "rate = 1.5").contains("rate"));
        let unknown = wrong("prompt =", "render = \"html\"\nprompt =");
        assert!(unknown.contains("markdown"), "{unknown}");
    }
}
