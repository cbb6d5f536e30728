//! Whom and what a result is about, one rule for everything that people were asked.
//!
//! The first line of a result, and the `lower`, `upper` and `claim` of its JSON, are always about *these annotators*: who
//! judged is fixed, items are drawn. What is said of *new annotators*, people like these, stands beside it and never
//! takes its place: shown from `ENOUGH_ANNOTATORS` on, or where it is asked for.

#[cfg(any(test, feature = "cli"))]
use crate::keys::flag;
use serde::{Deserialize, Serialize};

/// From so many annotators on, new ones like them are spoken of without being asked for.
pub(crate) const ENOUGH_ANNOTATORS: usize = 8;

/// Whose opinion a result is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeopleScope {
    /// Those who judged; of others beside it where there are enough of them.
    #[default]
    These,
    /// Others like them.
    NewAnnotators,
    /// Both, however few they are.
    Both,
}

/// Which items a result is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemScope {
    /// Those that systems may meet, of which these are a sample.
    #[default]
    LikeThese,
    /// Those of the data set.
    These,
}

/// Whom and what a result is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ResultScope {
    /// Whose opinion: `these` annotators (of others from eight on), `new-annotators` like them, or `both`
    #[cfg_attr(feature = "cli", arg(long, value_name = "WHOSE", value_parser = flag::<PeopleScope>, default_value_t))]
    pub people: PeopleScope,
    /// Which items: `like-these`, of which those at hand are a sample, or `these` alone
    #[cfg_attr(feature = "cli", arg(long, value_name = "WHICH", value_parser = flag::<ItemScope>, default_value_t))]
    pub items: ItemScope,
}

impl PeopleScope {
    /// Whether new annotators are spoken of, where so many people judged.
    pub fn includes_new(self, annotators: usize) -> bool {
        self != Self::These || annotators >= ENOUGH_ANNOTATORS
    }

    /// The one sentence that stands in the place of what would be said of new annotators where so many are too few;
    /// `None` where they are enough, or nobody is known to have judged.
    pub fn too_few(annotators: usize) -> Option<String> {
        match annotators {
            0 | ENOUGH_ANNOTATORS.. => None,
            1 => Some("One annotator is too few to speak of others.".to_string()),
            n => Some(format!("{n} annotators are too few to speak of others.")),
        }
    }

    /// The scope of that name; the usual one for any other.
    pub fn from_name(name: &str) -> Self {
        let all = [Self::NewAnnotators, Self::Both];
        all.into_iter()
            .find(|one| one.name() == name)
            .unwrap_or_default()
    }

    /// As keys, flags and tables write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::These => "these",
            Self::NewAnnotators => "new-annotators",
            Self::Both => "both",
        }
    }
}

impl ItemScope {
    /// As keys, flags and tables write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::LikeThese => "like-these",
            Self::These => "these",
        }
    }
}

impl ResultScope {
    /// What is asked for beyond the usual, as signatures write it.
    pub fn signature(&self) -> String {
        let mut text = String::new();
        if self.people != PeopleScope::default() {
            text += &format!("|people:{}", self.people.name());
        }
        if self.items != ItemScope::default() {
            text += &format!("|items:{}", self.items.name());
        }
        text
    }
}

impl std::fmt::Display for PeopleScope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::fmt::Display for ItemScope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
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
            Some("3 annotators are too few to speak of others.")
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
            assert_eq!(flag::<PeopleScope>(people.name()), Ok(people));
        }
        for items in [ItemScope::LikeThese, ItemScope::These] {
            assert_eq!(flag::<ItemScope>(items.name()), Ok(items));
        }
        let asked = ResultScope {
            people: PeopleScope::Both,
            items: ItemScope::These,
        };
        assert_eq!(asked.signature(), "|people:both|items:these");
        assert_eq!(ResultScope::default().signature(), "");
    }
}
