//! Secret links: one for each annotator, one for the admin.
//!
//! They lie in the campaign's folder, so that they are the same when the server is started again. A token has 128
//! random bits and is compared in constant time.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;
use subtle::ConstantTimeEq;
use tiebreak_base::disk;
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_base::limits::{Part, file_text};
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
    /// The annotator.
    pub(super) annotator: String,
    pub(super) token: String,
    /// Whether the link is closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) closed: bool,
}

impl Links {
    /// Opens the links of the campaign in `folder`, with new ones for people who have none, or for one unnamed
    /// person where none are listed.
    ///
    /// # Errors
    /// If their file cannot be read or written, or the system has no random numbers.
    pub(super) fn open(folder: &Path, people: &[String]) -> Result<Self> {
        let mut links = match read(folder)? {
            Some(links) => links,
            None => Self {
                admin: token()?,
                annotators: Vec::new(),
                port: None,
                paused: false,
            },
        };
        let somebody = [SOMEBODY.to_string()];
        let people = match people.is_empty() && links.annotators.is_empty() {
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

    /// Removes the link of an annotator; returns whether there was one.
    ///
    /// # Errors
    /// If the file of the links cannot be read or written.
    pub(in crate::campaign) fn remove(folder: &Path, annotator: &str) -> Result<bool> {
        let Some(mut links) = read(folder)? else {
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
    ///
    /// # Errors
    /// If the file of the links cannot be read.
    pub(in crate::campaign) fn about(folder: &Path, annotator: &str) -> Result<Option<Value>> {
        let Some(links) = read(folder)? else {
            return Ok(None);
        };
        let place = links.place_of(annotator);
        Ok(place.map(|place| json!(links.annotators[place])))
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
            if is_same(&link.token, token) {
                found = Some(place);
            }
        }
        found
    }

    /// Whether this is the admin's token.
    pub(super) fn is_admin(&self, token: &str) -> bool {
        is_same(&self.admin, token)
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

/// Reads the links in a campaign's folder, if there are any.
fn read(folder: &Path) -> Result<Option<Links>> {
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

fn is_same(ours: &str, theirs: &str) -> bool {
    ours.as_bytes().ct_eq(theirs.as_bytes()).into()
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
