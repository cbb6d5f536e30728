//! The scope of a result: the annotators and items it is about.
//!
//! The first line of a result, and the `lower`, `upper` and `claim` of its JSON, are always about *these annotators*:
//! they are fixed, and items are drawn. Results for *new annotators*, people like these, stand next to them and never take
//! their place: from `ENOUGH_ANNOTATORS` annotators on, or on request.

#[cfg(any(test, feature = "cli"))]
use crate::keys::flag;
use serde::{Deserialize, Serialize};

/// The number of annotators from which results for new ones are shown without a request.
pub(crate) const ENOUGH_ANNOTATORS: usize = 8;

/// The people that a result is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeopleScope {
    /// The annotators who judged, and new ones too where there are enough.
    #[default]
    These,
    /// New annotators like them.
    NewAnnotators,
    /// Both, however few they are.
    Both,
}

/// The items that a result is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemScope {
    /// Items like those of the data set, which are a sample of them.
    #[default]
    LikeThese,
    /// The items of the data set.
    These,
}

/// The people and items that a result is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ResultScope {
    /// Whose preferences count: `these` annotators (with eight or more, others are shown too), `new-annotators` like them, or
    /// `both`
    #[cfg_attr(feature = "cli", arg(long, value_name = "WHOSE", value_parser = flag::<PeopleScope>, default_value_t))]
    pub people: PeopleScope,
    /// Which items count: `like-these`, with these as a sample, or `these` alone
    #[cfg_attr(feature = "cli", arg(long, value_name = "WHICH", value_parser = flag::<ItemScope>, default_value_t))]
    pub items: ItemScope,
}

impl PeopleScope {
    /// Whether results for new annotators are shown, given the number who judged.
    pub fn includes_new(self, annotators: usize) -> bool {
        self != Self::These || annotators >= ENOUGH_ANNOTATORS
    }

    /// The sentence in the place of results for new annotators where too few judged; `None` where they are enough, or
    /// where it is not known who judged.
    pub fn too_few(annotators: usize) -> Option<String> {
        match annotators {
            0 | ENOUGH_ANNOTATORS.. => None,
            1 => Some(
                "One annotator (or answers without names) is too few to say what others would answer."
                    .to_string(),
            ),
            n => Some(format!(
                "{n} annotators are too few to say what others would answer."
            )),
        }
    }

    /// The scope of that name; the default for any other.
    pub fn from_name(name: &str) -> Self {
        let all = [Self::NewAnnotators, Self::Both];
        all.into_iter()
            .find(|one| one.to_string() == name)
            .unwrap_or_default()
    }
}

impl ResultScope {
    /// What differs from the default scope, for signatures.
    pub fn signature(&self) -> String {
        let mut text = String::new();
        if self.people != PeopleScope::default() {
            text += &format!("|people:{}", self.people);
        }
        if self.items != ItemScope::default() {
            text += &format!("|items:{}", self.items);
        }
        text
    }
}

impl std::fmt::Display for PeopleScope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

impl std::fmt::Display for ItemScope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_annotators_speak_of_others_only_where_asked() {
        assert!(!PeopleScope::These.includes_new(7) && PeopleScope::These.includes_new(8));
        assert!(PeopleScope::Both.includes_new(3) && PeopleScope::NewAnnotators.includes_new(3));
        assert_eq!(
            PeopleScope::too_few(3).as_deref(),
            Some("3 annotators are too few to say what others would answer.")
        );
        assert_eq!([0, 8].map(PeopleScope::too_few), [None, None]);
    }

    #[test]
    fn names_are_what_flags_read() {
        for people in [
            PeopleScope::These,
            PeopleScope::NewAnnotators,
            PeopleScope::Both,
        ] {
            assert_eq!(flag::<PeopleScope>(&people.to_string()), Ok(people));
        }
        for items in [ItemScope::LikeThese, ItemScope::These] {
            assert_eq!(flag::<ItemScope>(&items.to_string()), Ok(items));
        }
        let asked = ResultScope {
            people: PeopleScope::Both,
            items: ItemScope::These,
        };
        assert_eq!(asked.signature(), "|people:both|items:these");
        assert_eq!(ResultScope::default().signature(), "");
    }
}
