//! Filled-in sheets read back: as a whole or, if anything is wrong, not at all.
//!
//! Only the columns `question` and those of the answer are needed; `annotator` and `seconds` are kept, all
//! others ignored. Rows may be missing, in any order, or without an answer yet.

use super::context::CampaignContext;
use super::exported::KnownNames;
use super::responses::{AS_IT_IS, is_another_text};
use super::status::ReceivedCounts;
use super::task::Protocol;
use super::{filled, sheet};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tiebreak_base::duel::{DuelId, Outcome};
use tiebreak_base::error::{Error, Flag, Key, Location, Result, plain};
use tiebreak_base::layout::argument;
use tiebreak_base::message;
use tiebreak_base::rng::Seed;
use tiebreak_base::words::listed;
use tiebreak_data::records::reader::Row;
use tiebreak_data::sheets::{self, Codes};
use tiebreak_decide::feedback::dealing::{People, is_same_person};
use tiebreak_decide::feedback::texts::Texts;
use tiebreak_stages::journal::swapped;
use tiebreak_stages::journal::{Assignment, Journal, Response};

/// The valid entries of the column `answer`, for messages.
pub(super) const EXPECTED: &str = "1, 2, tie, both bad or skip";

/// The hint where a file is not the sheet that was meant.
pub(super) const WRONG_FILE_HINT: &str =
    "give the sheet that `ask` wrote, with its first row unchanged";

/// The entry of a person about a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairAnswer {
    /// The outcome for the first text; `None` for a skipped question.
    pub outcome: Option<Outcome>,
    /// Whether both texts are bad: a tie with that remark.
    pub both_bad: bool,
}

/// The new answers of some sheets, with counts of everything in them.
#[derive(Debug, Default)]
pub(super) struct SheetAnswers {
    pub(super) new: Vec<(Assignment, Response)>,
    /// The answers that were known already.
    pub(super) known: Vec<Assignment>,
    /// The names under which known answers are on record, where the sheets have another, and the rows.
    of_others: Vec<(String, Location)>,
    /// The known answers that now have a name, by annotator.
    pub(super) named: BTreeMap<String, Vec<Assignment>>,
    pub(super) told: ReceivedCounts,
}

impl SheetAnswers {
    /// The questions newly answered by those to whom they were dealt.
    pub(super) fn dealt(&self) -> impl Iterator<Item = DuelId> {
        let new = self.new.iter().map(|(put, _)| put);
        new.filter(|put| put.second.is_none()).map(|put| put.id)
    }
}

/// A reader of sheets for one campaign.
pub(super) struct AnswerSheetReader<'a> {
    /// The annotator who filled them in, where they do not say so themselves.
    pub(super) annotator: Option<&'a str>,
    /// Whether the answers are to be taken back.
    pub(super) takes_back: bool,
    pub(super) journal: &'a Journal,
    /// The names of everybody known; new names are added while reading.
    pub(super) names: RefCell<Vec<String>>,
    pub(super) codes: &'a Codes,
    /// The campaign: what its questions showed and asked.
    pub(super) campaign_context: &'a CampaignContext<'a>,
}

impl AnswerSheetReader<'_> {
    /// Reads sheets.
    ///
    /// # Errors
    /// The first mistake with its place: a question that was not posed, an answer that is none, two
    /// different answers to one question.
    pub(super) fn read(&self, paths: &[PathBuf]) -> Result<SheetAnswers> {
        let mut answers = SheetAnswers::default();
        let mut places: BTreeMap<Assignment, (Response, Location)> = BTreeMap::new();
        let files: Vec<Vec<PathBuf>> = paths
            .iter()
            .map(|path| {
                filled::files(path, |other| {
                    let what = format!("passed over, since it is no sheet: {}", other.display());
                    self.campaign_context.context.progress.warn(&what);
                })
            })
            .collect::<Result<_>>()?;
        let mut others = Vec::new();
        for path in files.concat() {
            let mut strange = Vec::new();
            let names = self.names.borrow().clone();
            let names = KnownNames {
                told: self.annotator,
                all: &names,
            };
            for row in filled::open(&path, self.campaign_context, names)? {
                let row = row.map_err(sheets::saved_otherwise)?;
                let Some(id) = self.question(&row)? else {
                    continue;
                };
                let put = self.put(&row, id)?;
                let (task, shown) = (&self.campaign_context.task, self.first_text(put)?);
                let seed = self.campaign_context.seed();
                let response = task.parse_row(&row, seed, put, shown)?;
                if !self.shows(&row, put)? {
                    strange.push(row.at());
                }
                let Some(response) = response else {
                    answers.told.blank += 1;
                    continue;
                };
                if task.edited_column().is_some()
                    && shown.is_some_and(|shown| is_another_text(&response, shown))
                {
                    others.push(row.at());
                }
                match places.insert(put, (response.clone(), row.at())) {
                    Some((earlier, place)) => {
                        self.agree(&row, put, &response, &earlier, &EarlierPlace::Row(place))?;
                    }
                    None => self.take(&row, put, response, &mut answers)?,
                }
            }
            as_asked(&strange)?;
        }
        if let Some(first) = others.first().filter(|_| !self.takes_back) {
            self.campaign_context.context.progress.warn(&format!(
                "{} with the text that was to be corrected, the first at {first}. Where nothing needs an edit, the cell \
                 is {AS_IT_IS}",
                match others.len() {
                    1 => "1 corrected text shares no word".to_string(),
                    n => format!("{n} corrected texts share no word"),
                }
            ));
        }
        if let Some((name, at)) = answers.of_others.first() {
            self.campaign_context.context.progress.warn(&format!(
                "{} on record under another name, the first at {at} as {name}'s. If that is wrong, take them back first: \
                 {} {} {}",
                match answers.of_others.len() {
                    1 => "1 answer is".to_string(),
                    n => format!("{n} answers are"),
                },
                Flag("annotator"),
                argument(name),
                Flag("take-back")
            ));
        }
        // In the order asked, so that nothing depends on how a sheet was sorted.
        answers.new.sort_by_key(|&(put, _)| put);
        Ok(answers)
    }

    /// Returns the question of a row; `None` for an empty one.
    fn question(&self, row: &Row) -> Result<Option<DuelId>> {
        // Lines of JSON have no header, and one without a question is a row of another table.
        let columns = row.columns();
        if !columns.is_empty() && !columns.iter().any(|column| column == "question") {
            let what = format!("no column `question`; columns are {}", columns.join(", "));
            return Err(row.error(what).with_hint(WRONG_FILE_HINT));
        }
        let code = row.optional_text("question")?.unwrap_or_default();
        let code = code.trim();
        let mut columns = self.campaign_context.task.columns().into_iter();
        let is_empty = |column: &str| -> Result<bool> {
            let text = row.optional_text(column)?;
            Ok(text.is_none_or(|text| text.trim().is_empty()))
        };
        if code.is_empty()
            && columns.try_fold(true, |all, one| Ok::<_, Error>(all && is_empty(one)?))?
        {
            return Ok(None);
        }
        if code.is_empty() {
            let what = "the row has an answer, but no code in the column `question`";
            return Err(row.error(what).with_hint(
                "copy the code from the sheet that `ask` wrote, or empty the row if it is none of the sheet's",
            ));
        }
        let id = self.codes.question(code).map(DuelId).ok_or_else(|| {
            let what = format!("question `{code}` was not asked in this campaign");
            row.error(what)
                .with_hint("give a sheet to the campaign whose `ask` wrote it")
        })?;
        Ok(Some(id))
    }

    /// Returns the first text of a question.
    fn first_text(&self, put: Assignment) -> Result<Option<&str>> {
        let posed = self.journal.question(put.id).map(|posed| posed.question);
        let texts = &self.campaign_context.texts;
        let shown = posed.map(|one| texts.texts(one.sample.item, one.duel.pair));
        Ok(shown.transpose()?.map(|shown| shown.first))
    }

    /// Whether the texts of a row, where it has any, are those of its question: a sheet sorted in one
    /// column has answers beside the wrong questions.
    fn shows(&self, row: &Row, put: Assignment) -> Result<bool> {
        let Some(posed) = self.journal.question(put.id) else {
            return Ok(true);
        };
        let question = &posed.question;
        let asked = sheet::row(self.campaign_context, put, question, self.codes)?;
        let texts = asked.texts.iter().copied();
        let source = asked.source.map(|source| ("source", source));
        for (column, shown) in texts.chain(source) {
            let read = row.optional_text(column)?;
            if read.is_some_and(|read| !sheets::is_same_text(shown, &read)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the assignment of a row: its annotator's second opinion, or else the question as dealt.
    ///
    /// # Errors
    /// If the row does not tell whose sheet it is from, and neither do the sides of its texts.
    fn put(&self, row: &Row, id: DuelId) -> Result<Assignment> {
        let (who, dealt) = (self.who(row)?, Assignment { id, second: None });
        let people = self.journal.seconds(id);
        if let Some((person, _)) = people.iter().find(|(_, known)| who.as_ref() == Some(known)) {
            let second = Some(*person);
            return Ok(Assignment { id, second });
        }
        let everybody = self.journal.everybody();
        let owner = everybody.get(self.journal.person(dealt) as usize);
        let turned = |second| swapped(self.campaign_context.seed(), Assignment { id, second });
        let is_plain = people
            .iter()
            .all(|(person, _)| turned(Some(*person)) == turned(None));
        let is_own = who.is_some() && who.as_ref() == owner;
        let is_alike = is_plain || self.campaign_context.task.protocol != Protocol::Pairwise;
        let is_anybodys = who.is_none() && owner.is_some() && !people.is_empty();
        if is_own || (is_alike && !is_anybodys) {
            return Ok(dealt);
        }
        let has_texts = !is_alike && row.optional_text("text_1")?.is_some();
        let is_as = |second| self.shows(row, Assignment { id, second });
        let mut seconds = people.iter().map(|(person, _)| is_as(Some(*person)));
        // Texts of nobody's sheet were edited, which is said of all such rows together.
        if has_texts
            && (is_as(None)? || !seconds.try_fold(false, |any, one| one.map(|is| any || is))?)
        {
            return Ok(dealt);
        }
        let names = owner.into_iter().chain(people.iter().map(|(_, name)| name));
        let names: Vec<&str> = names.map(String::as_str).collect();
        let sides = match is_alike {
            true => "",
            false => ", with the texts on different sides",
        };
        let what = format!(
            "the question was put to {}{sides}, and the row does not say whose it is",
            listed(&names)
        );
        Err(row.error(what).with_hint(message!(
            "write the name into the column `annotator`, or give it: {}",
            Key("annotator").set("NAME")
        )))
    }

    /// Returns the annotator of a row, by the name known already.
    fn who(&self, row: &Row) -> Result<Option<String>> {
        // What was read under a wrong name is taken back under that name, whatever the sheet says.
        let own = match self.takes_back && self.annotator.is_some() {
            true => None,
            false => row.annotator()?,
        };
        if let (Some(own), Some(told)) = (&own, self.annotator)
            && !is_same_person(own, told)
        {
            let what = format!("the sheet says annotator `{own}`, but the command says `{told}`");
            return Err(row.error(what).with_hint(message!(
                "leave out {}; if somebody else answered, write their name into the column `annotator`",
                Key("annotator")
            )));
        }
        let named = own.or_else(|| self.annotator.map(ToString::to_string));
        Ok(named.map(|name| {
            let mut names = self.names.borrow_mut();
            let known = names.iter().find(|known| is_same_person(known, &name));
            known.cloned().unwrap_or_else(|| {
                names.push(name.clone());
                name
            })
        }))
    }

    /// Adds an answer to a question that these sheets have not answered yet.
    fn take(
        &self,
        row: &Row,
        put: Assignment,
        response: Response,
        answers: &mut SheetAnswers,
    ) -> Result<()> {
        let named = self.who(row)?;
        let is_named = named.is_some();
        let given = Response {
            annotator: named.or_else(|| self.assigned(put)),
            seconds: row.seconds()?,
            comment: row.remark("comment")?,
            reason: row.remark("reason")?,
            ..response
        };
        let settled = |was: &&Response| was.is_answer() || !given.is_answer();
        if let Some(was) = self.journal.response(put).filter(settled) {
            let of = was.annotator.as_ref();
            // A sheet from before a skipped question was answered may be read, or taken back, again.
            let is_superseded =
                !given.is_answer() && was.is_answer() && self.journal.was_skipped(put);
            if !is_superseded {
                self.agree(row, put, &given, was, &EarlierPlace::Journal)?;
            }
            let is_other = was.annotator != given.annotator;
            let is_strict = match of {
                Some(_) => self.annotator.is_some() || self.takes_back,
                None => is_named && self.takes_back,
            };
            if is_other && is_strict {
                return Err(not_theirs(
                    row,
                    of,
                    given.annotator.as_ref(),
                    self.takes_back,
                ));
            }
            if self.takes_back && is_superseded {
                return Ok(());
            }
            if let (true, Some(of)) = (is_other && is_named, of) {
                answers.of_others.push((of.clone(), row.at()));
            }
            answers.known.push(put);
            answers.told.known += 1;
            if let (None, Some(name)) = (of, given.annotator) {
                answers.named.entry(name).or_default().push(put);
                answers.told.named += 1;
            }
            return Ok(());
        }
        // An answer that was never given cannot be taken back.
        if self.takes_back {
            return Ok(());
        }
        self.signed(row, &given)?;
        match given.is_answer() {
            true => answers.told.new += 1,
            false => answers.told.skipped += 1,
        }
        answers.told.second += u64::from(put.second.is_some() && given.is_answer());
        answers.new.push((put, given));
        Ok(())
    }

    /// Returns the listed annotator to whom a question was assigned: a sheet without names is theirs.
    fn assigned(&self, put: Assignment) -> Option<String> {
        let everybody = self.journal.everybody();
        let person = self.journal.person(put) as usize;
        let is_panel = self.campaign_context.people() == People::Panel;
        everybody.get(person).filter(|_| !is_panel).cloned()
    }

    /// Refuses a panel's answer without a name: two sheets of one person would count as two people.
    fn signed(&self, row: &Row, given: &Response) -> Result<()> {
        if self.campaign_context.people() != People::Panel || given.annotator.is_some() {
            return Ok(());
        }
        Err(row.error("the annotator has no name, and a panel counts annotators").with_hint(message!(
            "give each annotator's sheet by itself, with their name: {}; or fill in its column `annotator`",
            Key("annotator").set("ana")
        )))
    }

    /// Refuses a second answer unless it is the same.
    fn agree(
        &self,
        row: &Row,
        put: Assignment,
        now: &Response,
        was: &Response,
        place: &EarlierPlace,
    ) -> Result<()> {
        if now.says_the_same(was) {
            return Ok(());
        }
        let words = |given| {
            self.campaign_context
                .task
                .words(given, self.campaign_context.seed(), put)
        };
        let (now, earlier) = (words(now), words(was));
        if let EarlierPlace::Row(at) = place {
            let what = format!("answer is {now}, but it is {earlier} in {at}");
            let hint = "a person answers a question once: keep one of the two rows, or the right name in each";
            return Err(row.error(what).with_hint(hint));
        }
        let by = was.annotator.as_ref();
        let by = by.map_or_else(String::new, |name| format!(" by {name}"));
        let what = format!("answer is {now}, but it is {earlier} in an answer on record{by}");
        // A page, a terminal and a program note the time; sheets have none.
        let back = match was.at {
            Some(_) => "give a sheet in which the answer is as it was",
            None => "take the earlier sheet back as it was",
        };
        Err(row.error(what).with_hint(match self.campaign_context.people() {
            People::One => message!(
                "a person answers a question once. To correct an answer, {} ({}), then read the new one. For several answers \
                 to a question, name the annotators when the campaign begins: {} {}",
                back,
                Flag("take-back"),
                Key("annotators").set("ana,ben"),
                Key("per-question").set(2)
            ),
            _ => message!(
                "a person answers a question once: empty the row to keep the answer on record. To correct it, {} ({}), then \
                 read the new one; after the first batch that costs the evidence so far",
                back,
                Flag("take-back")
            ),
        }))
    }
}

/// The place of an answer that another one contradicts.
enum EarlierPlace {
    /// A row of the sheets that are read.
    Row(Location),
    Journal,
}

/// The error for an answer that was given under another name, read or taken back.
fn not_theirs(row: &Row, was: Option<&String>, now: Option<&String>, takes_back: bool) -> Error {
    let name = |name: Option<&String>| {
        name.map_or("without a name".to_string(), |name| format!("as {name}'s"))
    };
    let what = format!("the answer was given {}, not {}", name(was), name(now));
    row.error(what).with_hint(match was {
        Some(was) if takes_back => message!(
            "take it back under the name it was given: {}",
            Key("annotator").set(was)
        ),
        Some(was) => message!(
            "a sheet belongs to one annotator, here {was}; where the name was wrong, take it back first: {} {}",
            Key("annotator").set(was),
            Flag("take-back")
        ),
        None => message!("take it back as it was given, without {}", Key("annotator")),
    })
}

/// The number of lines that a message lists.
const NAMED: usize = 5;

/// Refuses rows that show other texts than their questions did.
fn as_asked(strange: &[Location]) -> Result<()> {
    let Some(first) = strange.first() else {
        return Ok(());
    };
    let line = |at: &Location| at.line.map_or_else(String::new, |line| line.to_string());
    let lines: Vec<String> = strange.iter().map(line).collect();
    let more = match lines.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let what = format!(
        "the texts here are not those of the question (lines {}{more}): only some columns were sorted, or texts were \
         edited",
        lines[..lines.len().min(NAMED)].join(", ")
    );
    Err(Error::record(first.clone(), what).with_hint(
        "sort whole rows, and fill in only the columns for answers; `ask --again` writes the sheet again",
    ))
}

/// Parses an answer; `None` if it is not valid.
pub(super) fn parse(answer: &str) -> Option<PairAnswer> {
    let answer = plain(answer);
    let outcome = match answer.as_str() {
        "1" | "1.0" | "text1" | "a" | "left" | "l" | "first" => Some(Outcome::Win),
        "2" | "2.0" | "text2" | "b" | "right" | "r" | "second" => Some(Outcome::Loss),
        "tie" | "t" | "tied" | "equal" | "same" | "both" | "neither" | "=" | "bothbad" => {
            Some(Outcome::Tie)
        }
        "skip" | "s" | "skipped" => None,
        _ => return None,
    };
    let both_bad = answer == "bothbad";
    Some(PairAnswer { outcome, both_bad })
}

/// The label of a tie in which both texts are bad.
const BOTH_BAD: &str = "both bad";

impl PairAnswer {
    /// Returns the response in the order of the question's systems, without an annotator.
    pub fn to_response(self, seed: Seed, put: Assignment) -> Response {
        let turned = |outcome: Outcome| match swapped(seed, put) {
            true => outcome.flipped(),
            false => outcome,
        };
        Response {
            outcome: self.outcome.map(turned),
            label: self.both_bad.then(|| BOTH_BAD.to_string()),
            ..Response::default()
        }
    }

    /// Returns the entry that gave this response.
    pub fn unturned(given: &Response, seed: Seed, put: Assignment) -> Self {
        let both_bad = given.label.as_deref() == Some(BOTH_BAD);
        let outcome = given.outcome;
        let unturned = Self { outcome, both_bad };
        let outcome = unturned.to_response(seed, put).outcome;
        Self { outcome, both_bad }
    }

    /// The entry as people write it.
    pub fn name(self) -> &'static str {
        match self.outcome {
            Some(Outcome::Win) => "1",
            Some(Outcome::Loss) => "2",
            Some(Outcome::Tie) if self.both_bad => BOTH_BAD,
            Some(Outcome::Tie) => "tie",
            None => "skip",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed_name(answer: &str) -> Option<&'static str> {
        parse(answer).map(PairAnswer::name)
    }

    #[test]
    fn answers_are_read_as_people_write_them() {
        for text in ["1", " 1.0", "A", "Left", "first", "text_1", "Text 1"] {
            assert_eq!(parsed_name(text.trim()), Some("1"), "{text}");
        }
        for text in ["tie", "T", "=", "Equal"] {
            assert_eq!(parsed_name(text), Some("tie"), "{text}");
        }
        assert_eq!(parsed_name("right"), Some("2"));
        assert_eq!(parsed_name("Skip"), Some("skip"));
        assert_eq!(parse("both-bad"), parse("Both bad"));
        let both_bad = parse("Both bad").unwrap();
        assert_eq!(
            (both_bad.outcome, both_bad.name()),
            (Some(Outcome::Tie), BOTH_BAD)
        );
        for put in (0..20).map(|id| Assignment::dealt(DuelId(id))) {
            let first = parse("1").unwrap();
            assert_eq!(
                PairAnswer::unturned(&first.to_response(Seed(3), put), Seed(3), put),
                first
            );
        }
        // 0 and ½ are outcomes in a table of comparisons: too easily meant otherwise.
        for text in ["0", "0.5", "3", "12", "yes", "better", "1,2"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
