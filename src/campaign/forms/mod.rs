//! The forms in which questions go out: sheets, pages that need no server, tasks of other annotation tools.
//!
//! Answers are read in `filled`. A question goes by its code in every form. If it is dealt to one annotator, tools get
//! `CODE/NAME` ([`key`]), so that the answer is theirs whatever the tool calls them. Its texts are of two systems
//! called `1` and `2`: annotators may know no more.

mod appraise;
mod label_studio;
mod page;
mod pearmut;
mod potato;

pub(super) use appraise::SIDE;

use super::task::{Protocol, Task};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};
use tiebreak_data::sheets::{ANNOTATOR, QuestionSheet, SheetRow};
use tiebreak_data::tables::file::write_atomically;

/// The names of a question's systems in other tools.
pub(super) const SIDES: [&str; 2] = ["1", "2"];

/// The name in a journal of pages that need no server.
pub(super) const PAGE: &str = "page";

/// The prefix of these names in a tool that takes no name without a letter.
pub(super) const LETTERS: &str = "text_";

/// A form in which questions go out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A table for a spreadsheet.
    Sheet,
    /// A page for a browser, complete in itself.
    Page,
    /// Tasks of another tool.
    Friend(&'static AnnotationTool),
}

/// Another annotation tool.
#[derive(Debug)]
pub struct AnnotationTool {
    /// The name of the tool, here and in `import`.
    pub name: &'static str,
    /// The extension of the file with the tasks.
    extension: &'static str,
    /// Whether the tool can ask what a task asks.
    holds: fn(&Task) -> bool,
    /// Writes the tasks, and the files beside them.
    write: fn(&OutgoingQuestions<'_>) -> Result<Vec<TaskFile>>,
}

impl PartialEq for AnnotationTool {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for AnnotationTool {}

/// The tools whose tasks are written and whose exports are read.
pub(crate) const FRIENDS: &[&AnnotationTool] = &[
    &appraise::FRIEND,
    &label_studio::FRIEND,
    &pearmut::FRIEND,
    &potato::FRIEND,
];

/// A file: its extension and its contents.
type TaskFile = (&'static str, Vec<u8>);

/// Questions that go out together.
pub(super) struct OutgoingQuestions<'a> {
    /// The task that annotators are given.
    pub(super) task: &'a Task,
    /// The questions in the order in which they are asked.
    pub(super) rows: &'a [SheetRow<'a>],
    /// The name of the file, without its extension.
    pub(super) name: &'a str,
}

impl Form {
    /// Returns the form for a path and the flags given.
    ///
    /// # Errors
    /// If there is no tool of that name.
    pub fn choose(out: &Path, page: bool, friend: Option<&str>) -> Result<Self> {
        let is_page = out
            .extension()
            .is_some_and(|extension| extension == page::EXTENSION);
        match friend {
            Some(name) => Ok(Self::Friend(tool_by_name(name)?)),
            None if page || is_page => Ok(Self::Page),
            None => Ok(Self::Sheet),
        }
    }

    /// The name of the form in a journal; `None` for a table.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Sheet => None,
            Self::Page => Some(PAGE),
            Self::Friend(friend) => Some(friend.name),
        }
    }

    /// The extension of files in a folder of this form, and the only one where it is no sheet.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Sheet => "csv",
            Self::Page => page::EXTENSION,
            Self::Friend(friend) => friend.extension,
        }
    }
}

fn tool_by_name(name: &str) -> Result<&'static AnnotationTool> {
    let found = FRIENDS.iter().find(|friend| friend.name == name);
    found.copied().ok_or_else(|| {
        let names = FRIENDS.iter().map(|friend| friend.name);
        Error::unknown_name("annotation tool", name, "there are", names)
    })
}

impl Form {
    /// Checks that the form can hold a task.
    ///
    /// # Errors
    /// [`Error::Usage`] for another tool that cannot.
    pub(super) fn fits(self, task: &Task) -> Result<()> {
        match self {
            Self::Friend(friend) if !(friend.holds)(task) => {
                let (tool, task) = (friend.name, task.protocol.name());
                let what = format!("{tool} has no form for this task ({task})");
                Err(Error::usage(what).with_hint("leave out --as: sheets and pages have all tasks"))
            }
            _ => Ok(()),
        }
    }
}

/// The file that questions go to; it does not exist yet.
pub(super) enum QuestionFile {
    /// A table.
    Sheet(QuestionSheet),
    /// Any other form.
    Other(Form, PathBuf),
}

impl QuestionFile {
    /// # Errors
    /// [`Error::Usage`] for a name that does not fit the form, or a file that exists: it may hold answers.
    pub(super) fn new(path: &Path, form: Form) -> Result<Self> {
        if form == Form::Sheet {
            return QuestionSheet::new(path).map(Self::Sheet);
        }
        let wanted = form.extension();
        if path.extension().is_none_or(|extension| extension != wanted) {
            let what = format!("{}: expected a name that ends in .{wanted}", path.display());
            return Err(Error::usage(what).with_hint(format!("--out questions.{wanted}")));
        }
        if path.exists() {
            return Err(Error::occupied(path, "and may hold answers"));
        }
        Ok(Self::Other(form, path.to_path_buf()))
    }

    /// Writes questions in the order given.
    pub(super) fn write(&self, task: &Task, rows: &[SheetRow<'_>]) -> Result<()> {
        let (form, path) = match self {
            Self::Sheet(sheet) => {
                let columns = task.columns().into_iter();
                let columns: Vec<&str> = columns.chain([ANNOTATOR, "seconds"]).collect();
                return sheet.write(rows, &columns);
            }
            Self::Other(form, path) => (form, path),
        };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let batch = OutgoingQuestions {
            task,
            rows,
            name: &stem,
        };
        let files = match form {
            Form::Friend(friend) => (friend.write)(&batch)?,
            _ => vec![(page::EXTENSION, page::write(&batch))],
        };
        // The files beside the tasks come first: once the tasks exist nothing is written again.
        for (extension, bytes) in files.iter().rev() {
            write_atomically(&path.with_extension(extension), bytes)?;
        }
        Ok(())
    }
}

/// Returns the name of a question in other tools.
fn key(row: &SheetRow<'_>) -> String {
    match row.annotator {
        Some(name) => format!("{}/{name}", row.code),
        None => row.code.to_string(),
    }
}

/// Whether a task is about pairs.
fn is_of_pairs(task: &Task) -> bool {
    task.protocol == Protocol::Pairwise
}

/// The two texts of a question about a pair; of another one the first is its text.
fn texts<'a>(row: &SheetRow<'a>) -> [&'a str; 2] {
    let text = |place: usize| row.texts.get(place).map_or("", |(_, text)| *text);
    [text(0), text(1)]
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(Error::failed)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_by_name_and_extension() {
        let of = |out: &str, page, friend| Form::choose(Path::new(out), page, friend);
        assert_eq!(of("q.csv", false, None).unwrap(), Form::Sheet);
        assert_eq!(of("q.html", false, None).unwrap(), Form::Page);
        assert_eq!(of("pages", true, None).unwrap().extension(), "html");
        let potato = of("q.jsonl", false, Some("potato")).unwrap();
        assert_eq!(potato.extension(), "jsonl");
        let error = of("q.json", false, Some("label_studio")).unwrap_err();
        assert!(error.hint().unwrap().contains("`label-studio`"));
        let known: Vec<&str> = tiebreak_data::records::import::FORMATS
            .iter()
            .map(|format| format.name)
            .collect();
        for friend in FRIENDS {
            assert!(known.contains(&friend.name), "{} is imported", friend.name);
        }
    }

    #[test]
    fn a_form_that_does_not_fit_its_name_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.csv");
        let error = QuestionFile::new(&path, Form::Page).err().unwrap();
        assert!(error.to_string().contains(".html") && error.exit_code() == 2);
        let path = folder.path().join("q.html");
        assert!(QuestionFile::new(&path, Form::Page).is_ok());
        std::fs::write(&path, "").unwrap();
        assert!(QuestionFile::new(&path, Form::Page).is_err());
    }
}
