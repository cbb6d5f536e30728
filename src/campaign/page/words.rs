//! The words of the judging page, in the languages that come with tiebreak and in a task's own words.
//!
//! `words/en.toml` lists every text once; the tables of other languages have the same keys. Numbers and the like are
//! filled in where a text has `{name}`. What stands in brackets is left out on narrow screens.

use serde::de::{DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;
use tiebreak_base::error::nearest;

/// The language of the page where the task names none.
const ENGLISH: &str = "en";

/// The languages that come with tiebreak: tag, name, texts.
const LANGUAGES: [(&str, &str, &str); 7] = [
    ("ar", "Arabic", include_str!("words/ar.toml")),
    ("de", "German", include_str!("words/de.toml")),
    (ENGLISH, "English", include_str!("words/en.toml")),
    ("es", "Spanish", include_str!("words/es.toml")),
    ("fr", "French", include_str!("words/fr.toml")),
    ("ja", "Japanese", include_str!("words/ja.toml")),
    ("zh", "Chinese", include_str!("words/zh.toml")),
];

/// Languages that are written from right to left.
const FROM_THE_RIGHT: [&str; 10] = ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"];

/// The keys of what stands above a source: where models answered, it is what they were asked.
pub(in crate::campaign) const SOURCE: &str = "source";
pub(in crate::campaign) const PROMPT: &str = "prompt";

/// The texts of a language, by key.
type TextsByKey = BTreeMap<String, String>;

static IN_ENGLISH: LazyLock<TextsByKey> = LazyLock::new(|| table(ENGLISH).unwrap_or_default());

/// The texts of a language that comes with tiebreak.
fn table(tag: &str) -> Option<TextsByKey> {
    let (.., texts) = LANGUAGES.iter().find(|(known, ..)| *known == tag)?;
    toml::from_str(texts).ok()
}

/// Checks the language of a task, which has words of its `own`.
///
/// # Errors
/// A language of which there are no words at all; a tag that is none.
pub(in crate::campaign) fn check(tag: &str, own: &OwnWords) -> Result<(), String> {
    let is_tag = tag.split('-').all(|part| {
        (1..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric())
    });
    if LANGUAGES.iter().any(|(known, ..)| *known == tag) || (is_tag && !own.is_empty()) {
        return Ok(());
    }
    let known: Vec<String> = LANGUAGES
        .iter()
        .map(|(tag, name, _)| format!("`{tag}` ({name})"))
        .collect();
    let known = known.join(", ");
    Err(format!(
        "the language is `{tag}`, expected one that comes with tiebreak: {known}. For another one, write its tag and \
         its texts: language = \"pt\", and in a table [words] for example send = \"Enviar\""
    ))
}

/// The words of a task's own, by key.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct OwnWords(TextsByKey);

impl OwnWords {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is a text for a key.
    pub(in crate::campaign) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }
}

impl<'de> Deserialize<'de> for OwnWords {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OwnWordsVisitor)
    }
}

struct OwnWordsVisitor;

impl<'de> Visitor<'de> for OwnWordsVisitor {
    type Value = OwnWords;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a table of texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OwnWords, A::Error> {
        let mut own = TextsByKey::new();
        while let Some(WordKey(key)) = map.next_key()? {
            let text = map.next_value_seed(TextOf(&key))?;
            own.insert(key, text);
        }
        Ok(OwnWords(own))
    }
}

/// The key of a text.
struct WordKey(String);

impl<'de> Deserialize<'de> for WordKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = String::deserialize(deserializer)?;
        if IN_ENGLISH.contains_key(&key) {
            return Ok(Self(key));
        }
        let keys: Vec<&str> = IN_ENGLISH.keys().map(String::as_str).collect();
        let hint = match nearest(&key, keys.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys are {}", keys.join(", ")),
        };
        Err(D::Error::custom(format!(
            "the page has no text `{key}`: {hint}"
        )))
    }
}

/// A text in place of the English one of its key.
struct TextOf<'k>(&'k str);

impl<'de> DeserializeSeed<'de> for TextOf<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let text = String::deserialize(deserializer)?;
        check_text(self.0, &text).map_err(D::Error::custom)?;
        Ok(text)
    }
}

/// Checks a text: it is not empty, and is filled in where the English one is.
fn check_text(key: &str, text: &str) -> Result<(), String> {
    let english = IN_ENGLISH.get(key).map_or("", String::as_str);
    if text.trim().is_empty() {
        return Err(format!(
            "`{key}` is empty, expected words for \"{english}\""
        ));
    }
    if placeholders(text) != placeholders(english) {
        return Err(format!(
            "`{key}` is \"{text}\", expected the same names in braces as in \"{english}\""
        ));
    }
    let brackets: String = text.chars().filter(|c| "[]".contains(*c)).collect();
    match brackets.replace("[]", "").is_empty() {
        true => Ok(()),
        false => Err(format!("`{key}` is \"{text}\", expected a ] for each [")),
    }
}

/// The names in braces.
fn placeholders(text: &str) -> BTreeSet<&str> {
    let names = text.split('{').skip(1);
    names
        .map(|rest| rest.split('}').next().unwrap_or(rest))
        .collect()
}

/// The words of a judging page, in its language.
#[derive(Debug, Clone)]
pub struct PageWords {
    language: String,
    texts: TextsByKey,
    /// The keys whose texts are English in a page of another language.
    english: Vec<String>,
}

impl Default for PageWords {
    /// English.
    fn default() -> Self {
        Self::new(None, &OwnWords::default())
    }
}

impl PageWords {
    /// The words in a language, with a task's own in their places; English where there are none.
    pub(in crate::campaign) fn new(language: Option<&str>, own: &OwnWords) -> Self {
        let language = language.unwrap_or(ENGLISH);
        let shipped = table(language);
        let lacks = |key: &&String| shipped.is_none() && !own.0.contains_key(*key);
        let english = IN_ENGLISH.keys().filter(lacks).cloned().collect();
        let mut texts = shipped.unwrap_or_else(|| IN_ENGLISH.clone());
        texts.extend(own.0.clone());
        Self {
            language: language.to_string(),
            texts,
            english,
        }
    }

    /// The same words with the text of another key in place of that of `key`.
    pub(in crate::campaign) fn with_same(mut self, key: &str, other: &str) -> Self {
        let text = self.text(other).to_string();
        self.texts.insert(key.to_string(), text);
        self
    }

    /// The text of a key.
    pub(in crate::campaign) fn text(&self, key: &str) -> &str {
        self.texts.get(key).map_or("", String::as_str)
    }

    /// All texts, by key.
    pub(super) fn texts(&self) -> &TextsByKey {
        &self.texts
    }

    /// The tag of the language.
    pub(super) fn language(&self) -> &str {
        &self.language
    }

    /// The direction in which the language is written: `ltr` or `rtl`.
    pub(super) fn direction(&self) -> &'static str {
        let primary = self.language.split('-').next().unwrap_or_default();
        match FROM_THE_RIGHT.contains(&primary) {
            true => "rtl",
            false => "ltr",
        }
    }

    /// Returns which texts have no words in the language of the task, in a sentence.
    pub(in crate::campaign) fn untranslated(&self) -> Option<String> {
        if self.english.is_empty() {
            return None;
        }
        Some(format!(
            "the page is in `{}`, but {} of its {} texts stay English: add to [words] in task.toml: {}",
            self.language,
            self.english.len(),
            self.texts.len(),
            self.english.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_languages_have_all_texts() {
        for (tag, ..) in LANGUAGES {
            let texts = table(tag).unwrap();
            let keys = texts.keys().collect::<Vec<_>>();
            assert_eq!(keys, IN_ENGLISH.keys().collect::<Vec<_>>(), "{tag}");
            for (key, text) in &texts {
                assert_eq!(check_text(key, text), Ok(()), "{tag}");
                let same = tag != ENGLISH && *text == IN_ENGLISH[key];
                let is_a_cognate =
                    ["de", "es", "fr"].contains(&tag) && text.split(' ').count() <= 2;
                assert!(!same || is_a_cognate, "{tag}: {text}");
            }
        }
        assert!(IN_ENGLISH.len() > 80);
    }

    /// A key that no page uses would be translated for nothing; one that is missing would be an empty place.
    #[test]
    fn every_text_is_used_and_every_used_text_is_there() {
        let sources = [
            include_str!("page.html"),
            include_str!("mod.rs"),
            include_str!("page.js"),
            include_str!("view.js"),
            include_str!("form.js"),
            include_str!("texts.js"),
            include_str!("server.js"),
            include_str!("offline.js"),
            include_str!("../session.rs"),
            include_str!("../state.rs"),
            include_str!("../serve/desk.rs"),
            include_str!("../serve/checks.rs"),
        ]
        .concat();
        for key in IN_ENGLISH.keys() {
            let uses = [format!("\"{key}\""), format!("{{{{{key}}}}}")];
            assert!(uses.iter().any(|one| sources.contains(one)), "{key}");
        }
        let mut calls = 0;
        for call in ["word(\"", "wording(\"", ".text(\""] {
            for rest in sources.split(call).skip(1) {
                let key = rest.split('"').next().unwrap();
                assert!(IN_ENGLISH.contains_key(key), "{call}{key}");
                calls += 1;
            }
        }
        assert!(calls > 40, "{calls}");
    }

    #[test]
    fn a_task_has_words_of_its_own() {
        let own = |text: &str| toml::from_str::<OwnWords>(text).map_err(|error| error.to_string());
        let prompt = own("source = \"Prompt\"").unwrap();
        let german = PageWords::new(Some("de"), &prompt);
        assert_eq!(
            (german.text("source"), german.text("send")),
            ("Prompt", "Senden")
        );
        assert_eq!(german.untranslated(), None);
        let hebrew = PageWords::new(Some("he"), &prompt);
        assert_eq!((hebrew.text("send"), hebrew.direction()), ("Send", "rtl"));
        let missing = hebrew.untranslated().unwrap();
        assert!(missing.contains("send") && !missing.contains("source"));
        for (wrong, phrases) in [
            ("\nsorce = \"Prompt\"", ["line 2", "did you mean `source`?"]),
            ("send = \" \"", ["line 1", "\"Send\""]),
            ("\nanswered = \"{n}\"", ["line 2", "\"{answered} done\""]),
            ("save = \"Save[ all\"", ["line 1", "a ] for each ["]),
        ] {
            let error = own(wrong).unwrap_err();
            let says = phrases.iter().all(|phrase| error.contains(phrase));
            assert!(says, "{wrong}: {error}");
        }
    }

    #[test]
    fn a_language_without_words_is_refused() {
        let some = toml::from_str("source = \"Pedido\"").unwrap();
        assert_eq!(check("pt-BR", &some), Ok(()));
        for (tag, own) in [("pt", &OwnWords::default()), ("Deutsch, bitte", &some)] {
            let error = check(tag, own).unwrap_err();
            for (known, name, _) in LANGUAGES {
                assert!(error.contains(&format!("`{known}` ({name})")), "{error}");
            }
        }
    }
}
