//! Secret links: one for each annotator, one for the admin.
//!
//! They lie in the campaign's folder, so that they are the same when the server is started again. A token has 128
//! random bits and is compared in constant time.

use crate::campaign::session::CampaignSession;
use crate::campaign::sheets::QUESTIONS;
use crate::web::is_same_token;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use tiebreak_base::disk;
use tiebreak_base::error::{Error, Key, Result, is_there};
use tiebreak_base::limits::{Part, file_text};
use tiebreak_base::message;
use tiebreak_base::secret::token;
use tiebreak_decide::feedback::dealing::is_same_person;
use tiebreak_stages::journal::{SOMEBODY, is_pseudonym};

/// The file of the links, in the campaign's folder.
const FILE: &str = "links.json";

/// The links of a campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::campaign) struct Links {
    admin: String,
    annotators: Vec<AnnotatorLink>,
    /// The link by which visitors come, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open: Option<OpenLink>,
    /// The address where the server listened last: links hold it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) port: Option<u16>,
    /// Whether the campaign is paused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) paused: bool,
}

/// The link of one annotator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnnotatorLink {
    pub(super) annotator: String,
    pub(super) token: String,
    /// Whether the link is closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) closed: bool,
}

/// The link by which everybody may come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenLink {
    pub(super) token: String,
    /// The most visitors who are admitted.
    pub(super) places: usize,
    /// The number of questions of each.
    pub(super) questions: usize,
}

/// Hexadecimal digits of a completion code.
const CODE: usize = 10;

impl Links {
    /// Opens the links of the campaign in `folder`, with new ones for people who have none, or for one unnamed
    /// person where none are listed and no link is open to all.
    ///
    /// # Errors
    /// If their file cannot be read or written, or the system has no random numbers.
    pub(super) fn open(folder: &Path, people: &[String]) -> Result<Self> {
        let mut links = match Self::known(folder)? {
            Some(links) => links,
            None => Self::new()?,
        };
        let somebody = [SOMEBODY.to_string()];
        let is_nobodys = links.annotators.is_empty() && links.open.is_none();
        let people = match people.is_empty() && is_nobodys {
            true => &somebody,
            false => people,
        };
        for annotator in people {
            if links.place_of(annotator).is_none() {
                links.annotators.push(AnnotatorLink {
                    annotator: annotator.clone(),
                    token: token()?,
                    // Whoever was erased is not to come back by a link.
                    closed: is_pseudonym(annotator),
                });
            }
        }
        links.write(folder)?;
        Ok(links)
    }

    /// Opens the links of the campaign in `folder` with one for all: as many visitors as `places`, each with so many
    /// `questions`; where these are not given, as before.
    ///
    /// # Errors
    /// As [`open`](Self::open); if there is no such link, and none is asked for.
    pub(super) fn open_to_all(
        folder: &Path,
        places: Option<usize>,
        questions: Option<usize>,
    ) -> Result<Option<Self>> {
        let before = Self::known(folder)?;
        let opened = before.as_ref().and_then(|links| links.open.clone());
        let admitted = before.as_ref().map_or(0, |links| links.annotators.len());
        if let (Some(_), Some(places)) = (&opened, places.filter(|&places| places < admitted)) {
            let what = format!("{places} places, and {admitted} visitors have one");
            return Err(Error::key("open", what)
                .with_hint(message!("give {} or more", Key("open").set(admitted))));
        }
        let open = match (opened, places) {
            (None, None) => return Ok(None),
            (Some(open), _) => OpenLink {
                places: places.unwrap_or(open.places),
                questions: questions.unwrap_or(open.questions),
                ..open
            },
            (None, Some(places)) => OpenLink {
                token: token()?,
                places,
                questions: questions.unwrap_or(QUESTIONS),
            },
        };
        let links = Self {
            open: Some(open),
            ..match before {
                Some(links) => links,
                None => Self::new()?,
            }
        };
        links.write(folder)?;
        Ok(Some(links))
    }

    fn new() -> Result<Self> {
        Ok(Self {
            admin: token()?,
            annotators: Vec::new(),
            open: None,
            port: None,
            paused: false,
        })
    }

    /// Reads the links of the campaign in `folder`, where it has some.
    pub(super) fn known(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(FILE);
        if !is_there(&path) {
            return Ok(None);
        }
        let text = file_text(&path, Part::Row).map_err(Error::reading(&path))?;
        serde_json::from_str(&text).map(Some).map_err(|source| {
            Error::input(&path, format!("not the links of a campaign: {source}"))
                .with_hint("delete the file to get new links; the old ones stop working")
        })
    }

    /// The link that is open to all, where there is one.
    pub(super) fn for_all(&self) -> Option<&OpenLink> {
        self.open.as_ref()
    }

    /// The number of people with a link, and of visitors who were erased: they keep their place.
    pub(super) fn admitted(&self, session: &CampaignSession<'_>) -> usize {
        self.annotators.len() + session.erased_visitors()
    }

    /// Whether this is the token of the link that is open to all.
    pub(super) fn is_open(&self, token: &str) -> bool {
        let mut open = self.open.iter();
        open.any(|open| is_same_token(&open.token, token))
    }

    /// Adds the link of a visitor who was admitted; returns its token. In an old copy of a campaign the name may have a
    /// link already, which ends.
    pub(super) fn add(&mut self, annotator: String) -> Result<String> {
        let token = token()?;
        let link = AnnotatorLink {
            token: token.clone(),
            closed: false,
            annotator,
        };
        match self.place_of(&link.annotator) {
            Some(place) => self.annotators[place] = link,
            None => self.annotators.push(link),
        }
        Ok(token)
    }

    /// The completion code of a visitor, which nobody can compute from their link alone; `None` where annotators are
    /// listed.
    pub(super) fn code(&self, link: &AnnotatorLink) -> Option<String> {
        self.open.as_ref()?;
        let made = Sha256::digest(format!("completed {} {}", self.admin, link.token));
        let mut code = format!("{made:X}");
        code.truncate(CODE);
        Some(code)
    }

    /// Removes the link of an annotator; returns whether there was one.
    pub(in crate::campaign) fn remove(folder: &Path, annotator: &str) -> Result<bool> {
        let Some(mut links) = Self::known(folder)? else {
            return Ok(false);
        };
        let Some(place) = links.place_of(annotator) else {
            return Ok(false);
        };
        links.annotators.remove(place);
        links.write(folder)?;
        Ok(true)
    }

    /// Returns what is stored about the link of an annotator.
    pub(in crate::campaign) fn about(folder: &Path, annotator: &str) -> Result<Option<Value>> {
        let Some(links) = Self::known(folder)? else {
            return Ok(None);
        };
        let place = links.place_of(annotator);
        Ok(place.map(|place| {
            let link = &links.annotators[place];
            let mut about = json!(link);
            if let Some(code) = links.code(link) {
                about["code"] = code.into();
            }
            about
        }))
    }

    /// Writes the links to the campaign's folder, readable by its user only.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(FILE);
        let text = serde_json::to_string_pretty(self).map_err(Error::failed)?;
        disk::write_private(&path, (text + "\n").as_bytes())
    }

    /// Returns the place of a link by its token; closed or not.
    pub(super) fn annotator(&self, token: &str) -> Option<usize> {
        let mut found = None;
        // Compares all of them, so that the time does not depend on which it is.
        for (place, link) in self.annotators.iter().enumerate() {
            if is_same_token(&link.token, token) {
                found = Some(place);
            }
        }
        found
    }

    /// Whether this is the admin's token.
    pub(super) fn is_admin(&self, token: &str) -> bool {
        is_same_token(&self.admin, token)
    }

    /// The token of the admin.
    pub(super) fn admin(&self) -> &str {
        &self.admin
    }

    /// The links of all annotators, also of those not listed any more.
    pub(super) fn all(&self) -> &[AnnotatorLink] {
        &self.annotators
    }

    /// The place of an annotator's link.
    pub(super) fn place_of(&self, annotator: &str) -> Option<usize> {
        let mut all = self.annotators.iter();
        all.position(|link| is_same_person(&link.annotator, annotator))
    }

    /// Closes a link, or opens it again.
    pub(super) fn close(&mut self, place: usize, closed: bool) {
        if let Some(link) = self.annotators.get_mut(place) {
            link.closed = closed;
        }
    }
}

/// Links that two threads know: one changes them, the other asks whose they are.
#[derive(Debug, Clone)]
pub(super) struct SharedLinks(Arc<RwLock<Links>>);

impl SharedLinks {
    pub(super) fn new(links: Links) -> Self {
        Self(Arc::new(RwLock::new(links)))
    }

    /// A copy of the links as they are now.
    pub(super) fn read(&self) -> Links {
        self.look(Links::clone)
    }

    /// Looks at the links as they are now.
    pub(super) fn look<T>(&self, at: impl FnOnce(&Links) -> T) -> T {
        at(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the links.
    pub(super) fn replace(&self, links: &Links) {
        let mut shared = self.0.write().unwrap_or_else(PoisonError::into_inner);
        shared.clone_from(links);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn links_stay_and_people_who_come_later_get_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let names =
            |list: &[&str]| -> Vec<String> { list.iter().map(ToString::to_string).collect() };
        let first = Links::open(folder.path(), &names(&["ana"])).unwrap();
        let mut kept = first.clone();
        (kept.port, kept.paused) = (Some(4321), true);
        kept.write(folder.path()).unwrap();
        let second = Links::open(folder.path(), &names(&["ana", "ben"])).unwrap();
        assert_eq!((second.port, second.paused), (Some(4321), true));
        assert_eq!(first.all()[0], second.all()[0]);
        assert_eq!(first.admin(), second.admin());
        let tokens: Vec<&str> = second
            .all()
            .iter()
            .map(|link| link.token.as_str())
            .collect();
        assert!(tokens.iter().all(|token| token.len() == 32));
        assert_eq!(second.annotator(tokens[1]), Some(1));
        assert_eq!(second.annotator(&tokens[1][1..]), None);
        assert!(second.is_admin(second.admin()) && !second.is_admin(tokens[0]));
        assert_eq!(second.annotator(second.admin()), None);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let kept = fs::metadata(folder.path().join(FILE)).unwrap();
            assert_eq!(kept.permissions().mode() & 0o777, 0o600);
        }
        fs::write(folder.path().join(FILE), "{").unwrap();
        let error = Links::open(folder.path(), &[]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
    }
}
