//! Words for the outcomes of comparisons.

use super::reader::decimal;
use foldhash::fast::RandomState;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::LazyLock;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Flag, Message, Result};
use tiebreak_base::layout::argument;
use tiebreak_base::message;

/// The words of a data set for outcomes, which take precedence over the common ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcomes {
    /// Words, and what they mean.
    own: Vec<(String, WordMeaning)>,
}

/// What a word for outcomes means.
#[derive(Debug, Clone, Copy, PartialEq)]
enum WordMeaning {
    Outcome(Outcome),
    /// Its rows are left out.
    LeftOut,
    /// The system of that name is better, whatever else the word means.
    Name,
}

/// What stands in place of a number for words whose rows are left out, and for those that are names.
const LEFT_OUT: &str = "none";
const NAME: &str = "name";

impl WordMeaning {
    fn parse(text: &str) -> Option<Self> {
        match text {
            LEFT_OUT => Some(Self::LeftOut),
            NAME => Some(Self::Name),
            number => Outcome::from_value(number.parse().ok()?).map(Self::Outcome),
        }
    }
}

impl fmt::Display for WordMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outcome(outcome) => write!(f, "{}", outcome.value()),
            Self::LeftOut => f.write_str(LEFT_OUT),
            Self::Name => f.write_str(NAME),
        }
    }
}

/// Why an outcome is not read.
#[derive(Debug, PartialEq)]
pub(super) struct UnreadOutcome {
    /// What was found, and what was expected.
    pub what: String,
    /// Names of systems that as words mean outcomes: none where the word is unknown.
    ambiguous: Vec<(String, Outcome)>,
}

/// Words for the system named first, for the other, and for neither, as [`plain`] leaves them. Numbers are those
/// in the tables of a data set.
const WORDS: [(&str, Outcome); 3] = [
    (
        "a,modela,model1,systema,system1,responsea,response1,outputa,output1,answera,\
         assistanta,optiona,left,first,win,>,>>,a>b,a>>b,b<a,b<<a",
        Outcome::Win,
    ),
    (
        "b,modelb,model2,systemb,system2,responseb,response2,outputb,output2,answerb,\
         assistantb,optionb,right,second,loss,lose,<,<<,b>a,b>>a,a<b,a<<b",
        Outcome::Loss,
    ),
    (
        "tie,tied,draw,equal,same,=,==,a=b,b=a,neither,bothbad,tiebothbad,equallybad,\
         bothgood,tiebothgood,equallygood,tieinconsistent,neutral,nopreference",
        Outcome::Tie,
    ),
];

/// The outcome of each of these words: a million votes look theirs up.
static COMMON: LazyLock<HashMap<&str, Outcome, RandomState>> = LazyLock::new(|| {
    let words = WORDS.iter();
    let words = words.flat_map(|(words, outcome)| words.split(',').map(|word| (word, *outcome)));
    words.collect()
});

impl Outcomes {
    /// Parses the pairs of `[outcomes]` or `--outcome`: a word and what it means. That is 1, 0.5, 0, `none` where its rows
    /// are left out, or `name` where it is the name of a system.
    ///
    /// # Errors
    /// If a meaning is none of these, or a word stands twice.
    pub fn new<M: ToString>(pairs: impl IntoIterator<Item = (String, M)>) -> Result<Self> {
        let own = pairs.into_iter().map(|(word, meaning)| {
            let meaning = meaning.to_string();
            let known = WordMeaning::parse(&meaning).ok_or_else(|| {
                let what = format!("outcome `{word}` is {meaning}, expected {MEANINGS}");
                Error::usage(what).with_hint(format!(
                    "1 is a win of the system named first, 0 of the other, 0.5 a tie. {LEFT_OUT} leaves its rows out, {NAME} \
                     says that it names the better system"
                ))
            })?;
            Ok((word, known))
        });
        Self::from_pairs(own.collect::<Result<_>>()?)
    }

    fn from_pairs(own: Vec<(String, WordMeaning)>) -> Result<Self> {
        let mut met = BTreeMap::new();
        for (word, meaning) in &own {
            if let Some(earlier) = met.insert(word, meaning) {
                let what = format!("outcome `{word}` appears twice, as {earlier} and as {meaning}");
                return Err(Error::usage(what).with_hint("leave one of them out"));
            }
        }
        Ok(Self { own })
    }

    /// Returns these words, and those of `others` for the rest.
    #[must_use]
    pub fn before(&self, others: &Self) -> Self {
        let own = others.own.iter().chain(&self.own);
        Self {
            own: own.cloned().collect(),
        }
    }

    /// Merges several sets of words of equal rank.
    ///
    /// # Errors
    /// If a word stands twice.
    pub fn together(several: &[Self]) -> Result<Self> {
        let all = several.iter().flat_map(|one| one.own.iter().cloned());
        Self::from_pairs(all.collect())
    }

    /// Whether the data set has no words of its own.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Returns its own words with what they mean, as [`Outcomes::new`] takes it.
    pub fn iter(&self) -> impl Iterator<Item = (&str, String)> {
        self.own
            .iter()
            .map(|(word, meaning)| (word.as_str(), meaning.to_string()))
    }

    /// Whether the rows of a word are to be left out.
    pub fn leaves_out(&self, word: &str) -> bool {
        self.own_word(word) == Some(WordMeaning::LeftOut)
    }

    /// Whether a word is one of its own.
    pub(super) fn has_own(&self, word: &str) -> bool {
        self.own_word(word).is_some()
    }

    /// Returns what a word of its own means; the last that was said holds. A number is the same word however it is
    /// written: pandas writes 0.0 for 0 where a value is missing.
    fn own_word(&self, word: &str) -> Option<WordMeaning> {
        if self.is_empty() {
            return None;
        }
        let last = |is_it: &dyn Fn(&str) -> bool| {
            let mut own = self.own.iter().rev();
            own.find(|(known, _)| is_it(known))
                .map(|(_, meaning)| *meaning)
        };
        let number = decimal(word);
        let is_number = |known: &str| number.is_some() && decimal(known) == number;
        last(&|known| known == word).or_else(|| last(&is_number))
    }

    /// Returns the outcome of a word, if it is known whatever the systems are called.
    pub fn read(&self, word: &str) -> Option<Outcome> {
        match self.own_word(word) {
            Some(WordMeaning::Outcome(outcome)) => return Some(outcome),
            Some(WordMeaning::LeftOut | WordMeaning::Name) => return None,
            None => {}
        }
        if let Some(number) = decimal(word) {
            return Outcome::from_value(number);
        }
        COMMON.get(plain(word).as_str()).copied()
    }

    /// Returns the outcome of a word that is no name. Besides the words that are known, 1 may count the system named first,
    /// 2 the other, and 1.5 a tie.
    pub(super) fn side(&self, word: &str) -> Option<Outcome> {
        let counted = || Outcome::from_value(2.0 - decimal(word)?);
        self.read(word)
            .or_else(|| counted().filter(|_| !self.has_own(word)))
    }

    /// Returns the outcome of a word for two systems, whose names may be the word.
    ///
    /// # Errors
    /// If it is unknown, or stands for one system as a word and the other as a name.
    pub(super) fn between(
        &self,
        word: &str,
        system_a: &str,
        system_b: &str,
    ) -> Result<Outcome, UnreadOutcome> {
        let named = match (self.own_word(word), word) {
            (Some(WordMeaning::Outcome(_) | WordMeaning::LeftOut), _) => None,
            (_, word) if word == system_a => Some(Outcome::Win),
            (_, word) if word == system_b => Some(Outcome::Loss),
            _ => None,
        };
        match (self.read(word), named) {
            (_, Some(named)) if self.side(word).is_some_and(|side| side != named) => {
                let mut names = [system_a, system_b];
                names.sort_unstable();
                let meaning = |name: &str| Some((name.to_string(), self.side(name)?));
                Err(UnreadOutcome {
                    what: format!(
                        "outcome is {word}, which is ambiguous: it names one system and as a word means the other"
                    ),
                    ambiguous: names.into_iter().filter_map(meaning).collect(),
                })
            }
            (known, named) => named.or(known).ok_or_else(|| UnreadOutcome {
                what: match word.trim() {
                    "" => format!("outcome is empty, {EXPECTED}"),
                    _ => format!("outcome is {word}, {EXPECTED}"),
                },
                ambiguous: Vec::new(),
            }),
        }
    }
}

impl UnreadOutcome {
    /// Whether the word names one system and as a word means the other.
    pub(super) fn is_ambiguous(&self) -> bool {
        !self.ambiguous.is_empty()
    }

    /// Returns a hint as [`advice`] does; for a name that is a word as well, both readings.
    pub(super) fn advice(&self, word: Option<&str>, is_of_dataset: bool) -> Message {
        if !self.is_ambiguous() {
            return advice(word, is_of_dataset);
        }
        let pairs = |meaning: &dyn Fn(Outcome) -> WordMeaning| {
            let pairs = self.ambiguous.iter();
            let pairs = pairs.map(|(word, outcome)| (word.clone(), meaning(*outcome).to_string()));
            outcome_words(&pairs.collect::<Vec<_>>())
        };
        let (names, sides) = (pairs(&|_| WordMeaning::Name), pairs(&WordMeaning::Outcome));
        let in_file = match is_of_dataset {
            true => format!("; or say so under [outcomes] in dataset.toml, as in A = {NAME:?}"),
            false => String::new(),
        };
        message!(
            "for names of systems: {}; for sides: {}{in_file}",
            names,
            sides
        )
    }
}

/// The expected values of an outcome, in words.
const EXPECTED: &str = "expected 0, 0.5 or 1";

/// What a word for outcomes can mean.
pub(super) const MEANINGS: &str = "1, 0.5, 0, none or name";

/// Values that stand for a missing one, as R, pandas and Excel write it, in lower case.
const NOTHING: [&str; 7] = ["", "null", "nan", "na", "n/a", "<na>", "#n/a"];

/// Whether a text stands for a missing value.
pub(super) fn is_missing(text: &str) -> bool {
    NOTHING.contains(&text.trim().to_lowercase().as_str())
}

/// Words that programs write for a missing name. The spelling counts: `Na` and `Null` are names of people.
const NAMELESS: [&str; 10] = [
    "", "NA", "N/A", "<NA>", "#N/A", "NaN", "nan", "null", "NULL", "None",
];

/// Whether a text stands for a missing name.
pub(super) fn is_nameless(text: &str) -> bool {
    NAMELESS.contains(&text.trim())
}

/// Checks the names of annotators, wherever they are given.
///
/// # Errors
/// What `bad` makes of a name that stands for a missing one: the answers would lose it on export.
pub fn check_annotators<'n>(
    names: impl IntoIterator<Item = &'n str>,
    bad: impl Fn(String) -> Error,
) -> Result<()> {
    match names.into_iter().find(|name| is_nameless(name)) {
        None => Ok(()),
        Some(name) => {
            let what = format!("annotator `{name}` would be read as a missing name");
            Err(bad(what).with_hint("spell the name otherwise, or leave it out"))
        }
    }
}

/// Words that say of neither system that it is better, nor that they are alike, as [`plain`] leaves them.
const NO_VERDICT: [&str; 9] = [
    "error",
    "invalid",
    "none",
    "skip",
    "skipped",
    "noverdict",
    "nojudgment",
    "cannotjudge",
    "cantjudge",
];

/// Whether a word says that there is no verdict: without it no system has fewer wins.
pub(super) fn is_no_verdict(word: &str) -> bool {
    NO_VERDICT.contains(&plain(word).as_str())
}

/// Returns the hint for an unknown outcome: a word, or `None` for a value that is no word. Only the user can say what a
/// word means, and a missing value has no meaning. A data set may say it in its `dataset.toml`.
pub(super) fn advice(word: Option<&str>, is_of_dataset: bool) -> Message {
    let Some(word) = word.filter(|word| !is_missing(word)) else {
        return "an outcome is 1 where system_a is better, 0 where system_b is, 0.5 for a tie; leave out comparisons \
                that have none"
            .into();
    };
    let meanings = "1 (system_a is better), 0.5 (a tie), 0 or none (left out)";
    let flag = Flag("outcome");
    // A shell or the flag itself would otherwise interpret these.
    let on_line = (!word.contains(['\'', ','])).then(|| format!("{flag} '{word}=NUMBER'"));
    let in_file = is_of_dataset.then(|| format!("[outcomes] in dataset.toml, {word:?} = NUMBER"));
    let ways: Vec<String> = in_file.into_iter().chain(on_line).collect();
    let as_number = |ways: &str| format!("say what it means, {meanings}, as NUMBER: {ways}");
    let own = match ways.is_empty() {
        true => format!("write what it means in its place: {meanings}"),
        false => as_number(&ways.join(", or ")),
    };
    let in_python = in_python(&[(word, "NUMBER")]);
    let (sides, own_in_python) = (
        "where 1 is system_a and 2 is system_b",
        as_number(&in_python),
    );
    match word {
        "1" | "2" => Message::except_in_python(
            format!("{sides}: {flag} '1=1,2=0'; else {own}"),
            format!("{sides}: `outcomes={{1: 1, 2: 0}}`; else {own_in_python}"),
        ),
        _ => Message::except_in_python(own, own_in_python),
    }
}

/// Returns words for outcomes with their meanings as they are typed in a terminal and in Python.
pub(super) fn outcome_words(pairs: &[(String, String)]) -> Message {
    let words = pairs
        .iter()
        .map(|(word, meaning)| format!("{word}={meaning}"));
    let words = argument(&words.collect::<Vec<_>>().join(","));
    let borrowed = pairs.iter().map(|(word, meaning)| (&**word, &**meaning));
    Message::except_in_python(
        format!("{} {words}", Flag("outcome")),
        in_python(&borrowed.collect::<Vec<_>>()),
    )
}

fn in_python(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(word, meaning)| match *meaning {
        LEFT_OUT | NAME => format!("{word:?}: {meaning:?}"),
        number => format!("{word:?}: {number}"),
    });
    format!("`outcomes={{{}}}`", pairs.collect::<Vec<_>>().join(", "))
}

/// Whether a word says that both outputs were bad, which counts as a tie.
pub fn is_both_bad(word: &str) -> bool {
    ["bothbad", "tiebothbad", "equallybad"].contains(&plain(word).as_str())
}

/// Whether a word says that a judge preferred each output once, in one of two orders, which counts as a tie.
pub fn is_inconsistent(word: &str) -> bool {
    plain(word) == "tieinconsistent"
}

/// Normalizes a word: without case, blanks, underscores, hyphens and brackets.
fn plain(word: &str) -> String {
    let kept = |c: &char| !matches!(c, ' ' | '_' | '-' | '(' | ')' | '[' | ']');
    if word.is_ascii() {
        let mut plain = word.to_ascii_lowercase();
        plain.retain(|c| kept(&c));
        return plain;
    }
    word.chars()
        .filter(kept)
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::error::Audience;

    #[test]
    fn words_that_everybody_uses_are_known() {
        let words = Outcomes::default();
        for (word, value) in [
            ("A", 1.0),
            ("model_b", 0.0),
            ("tie (bothbad)", 0.5),
            ("both bad", 0.5),
            ("Left", 1.0),
            ("1.0", 1.0),
            ("0,5", 0.5),
            (">>", 1.0),
            ("[[B>A]]", 0.0),
            ("B<<A", 1.0),
            ("A<<B", 0.0),
            ("tie (inconsistent)", 0.5),
            ("No preference", 0.5),
        ] {
            assert_eq!(words.read(word).map(Outcome::value), Some(value), "{word}");
        }
        for word in ["2", "1.5", "", "C", "model_c", "-1", "4,5"] {
            assert_eq!(words.read(word), None, "{word}");
        }
    }

    #[test]
    fn own_words_go_before_others_and_names_before_neither() {
        let words = Outcomes::new([("1".to_string(), 0.0), ("B+".to_string(), 0.0)]).unwrap();
        assert_eq!(words.read("1"), Some(Outcome::Loss));
        assert_eq!(words.read("B+"), Some(Outcome::Loss));
        assert_eq!(words.read("1.0"), Some(Outcome::Loss), "the same number");
        assert_eq!(words.between("cedar", "atlas", "cedar"), Ok(Outcome::Loss));
        let ambiguous = words.between("A", "B", "A").unwrap_err();
        assert_eq!(
            ambiguous
                .advice(Some("A"), false)
                .shown_to(Audience::Terminal),
            "for names of systems: --outcome A=name,B=name; for sides: --outcome A=1,B=0"
        );
        let names = ["A", "B"].map(|name| (name.to_string(), NAME));
        let names = Outcomes::new(names).unwrap();
        assert_eq!(names.between("A", "B", "A"), Ok(Outcome::Loss));
        assert!(names.between("A", "cedar", "B").is_err());
        assert_eq!(words.between("A", "A", "B"), Ok(Outcome::Win));
        assert!(Outcomes::new([("x".to_string(), 2.0)]).is_err());
        let words = Outcomes::default();
        assert_eq!(words.between("2", "1", "2"), Ok(Outcome::Loss));
        assert!(words.between("2", "2", "3").unwrap_err().is_ambiguous());
        assert_eq!(words.between("3", "2", "3"), Ok(Outcome::Loss));
        let name = Outcomes::new([("2".to_string(), NAME)]).unwrap();
        assert_eq!(name.between("2", "2", "3"), Ok(Outcome::Win));
        let without = Outcomes::new([("A".to_string(), LEFT_OUT)]).unwrap();
        assert!(without.leaves_out("A") && !without.leaves_out("B"));
        assert!(without.between("A", "A", "B").is_err());
    }

    #[test]
    fn a_word_stands_once_in_one_place_and_goes_before_that_of_another() {
        let words = |number| Outcomes::new([("x".to_string(), number)]).unwrap();
        let twice = Outcomes::together(&[words(1.0), words(0.0)]).unwrap_err();
        let expected = "outcome `x` appears twice, as 1 and as 0";
        assert_eq!(twice.to_string(), expected);
        assert!(Outcomes::new([("x".to_string(), 1.0), ("x".to_string(), 1.0)]).is_err());
        let before = words(1.0).before(&words(0.0));
        assert_eq!(before.read("x"), Some(Outcome::Win));
    }

    #[test]
    fn no_meaning_is_proposed() {
        for is_of_dataset in [true, false] {
            let advice = |word| {
                advice(word, is_of_dataset)
                    .shown_to(Audience::Terminal)
                    .to_string()
            };
            assert!(advice(Some("yes")).ends_with("--outcome 'yes=NUMBER'"));
            assert!(advice(Some("2")).contains("--outcome '1=1,2=0'"));
            assert!(!advice(Some("a, not b")).contains("--outcome"));
            let in_python = super::advice(Some("a, not b"), is_of_dataset);
            let in_python = in_python.shown_to(Audience::Python);
            assert!(
                in_python.ends_with("`outcomes={\"a, not b\": NUMBER}`"),
                "{in_python}"
            );
            for nothing in [None, Some(""), Some(" "), Some("NaN"), Some("null")] {
                assert!(!advice(nothing).contains("--outcome"), "{nothing:?}");
            }
        }
    }
}
