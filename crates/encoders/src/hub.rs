//! Models by hub id: the only user of hf-hub.
//!
//! Nothing is fetched unless a model is requested by its id. Later requests read the cache, so a
//! cached model works offline.

#[cfg(feature = "hub")]
use super::checkpoint::file_digest;
use super::files::stays_inside;
#[cfg(feature = "hub")]
use hf_hub::api::sync::{Api, ApiBuilder, ApiError, ApiRepo};
#[cfg(feature = "hub")]
use hf_hub::{Repo, RepoType};
#[cfg(feature = "hub")]
use std::path::Path;
use std::path::PathBuf;
use tiebreak_base::error::{Error, Result};

/// The most redirects on the way to a file.
#[cfg(feature = "hub")]
const MOST_REDIRECTS: u32 = 10;

/// The source of models with a hub id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hub {
    /// Address of the hub; by default that of Hugging Face, or `HF_ENDPOINT`.
    pub endpoint: Option<String>,
    /// Folder of fetched files; by default the one shared with Hugging Face's own tools, which
    /// `HF_HOME` moves.
    pub cache: Option<PathBuf>,
}

/// A model on the hub: `owner/name` or `owner/name@revision`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HubId {
    /// `owner/name`.
    pub repository: String,
    /// Branch, tag or commit.
    pub revision: Option<String>,
}

impl HubId {
    /// Reads `owner/name[@revision]`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (repository, revision) = match text.split_once('@') {
            Some((repository, revision)) => (repository, Some(revision)),
            None => (text, None),
        };
        let (owner, name) = repository.split_once('/')?;
        let plain = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphanumeric())
                && part
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        let revised = revision.is_none_or(stays_inside);
        (plain(owner) && plain(name) && revised).then(|| Self {
            repository: repository.to_string(),
            revision: revision.map(str::to_string),
        })
    }
}

impl Hub {
    /// Fetches the files that `wanted` accepts, or finds them in the cache, and returns
    /// the folder they lie in.
    ///
    /// # Errors
    /// [`Error::Model`] if the hub cannot be reached, does not know the model, or this build
    /// lacks the feature `hub`.
    #[cfg(feature = "hub")]
    pub fn fetch(&self, id: &HubId, wanted: impl Fn(&str) -> bool) -> Result<PathBuf> {
        let mut builder = ApiBuilder::from_env().with_progress(false);
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_endpoint(endpoint.trim_end_matches('/').to_string());
        }
        if let Some(cache) = &self.cache {
            builder = builder.with_cache_dir(cache.clone());
        }
        let failed = |source: ApiError| self.failed(id, &source.to_string());
        let api = builder.build().map_err(failed)?;
        let revision = id.revision.clone().unwrap_or_else(|| "main".to_string());
        self.require_plain(id, &revision)?;
        let repo = Repo::with_revision(id.repository.clone(), RepoType::Model, revision);
        if let Some(folder) = self.cached(&repo) {
            return Ok(folder);
        }
        let (client, repo) = (api.clone(), api.repo(repo));
        let listing = repo.info().map_err(failed)?;
        // config.json comes last: an interrupted fetch leaves no cache that looks complete.
        let mut names: Vec<String> = listing.siblings.into_iter().map(|f| f.rfilename).collect();
        names.sort_by_key(|name| name == "config.json");
        let mut folder = None;
        for name in names.iter().filter(|name| wanted(name)) {
            let path = self.file(id, &client, &repo, name)?;
            folder = path.parent().map(Path::to_path_buf);
        }
        folder.ok_or_else(|| self.failed(id, "the repository holds no model files"))
    }

    /// Fetches a file, or finds it in the cache.
    #[cfg(feature = "hub")]
    fn file(&self, id: &HubId, client: &Api, repo: &ApiRepo, name: &str) -> Result<PathBuf> {
        let failed = |source: ApiError| self.failed(id, &source.to_string());
        // Names, commits and tags become paths of the cache, and a mirror may send anything.
        self.require_plain(id, name)?;
        let url = repo.url(name);
        self.require_few_redirects(id, &url)?;
        let about = client.metadata(&url).map_err(failed)?;
        self.require_plain(id, about.commit_hash())?;
        self.require_plain(id, about.etag())?;
        let path = repo.get(name).map_err(failed)?;
        Self::require_digest(&path, about.etag())?;
        Ok(path)
    }

    /// Refuses an address that is redirected for ever: the client would follow it as long.
    #[cfg(feature = "hub")]
    fn require_few_redirects(&self, id: &HubId, url: &str) -> Result<()> {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(MOST_REDIRECTS)
            .build()
            .new_agent();
        match agent.get(url).header("range", "bytes=0-0").call() {
            Err(ureq::Error::TooManyRedirects) => {
                let what = format!("it redirects more than {MOST_REDIRECTS} times");
                Err(self.failed(id, &what))
            }
            // Whatever else is wrong the client finds too.
            _ => Ok(()),
        }
    }

    /// Checks a file against its tag, which is its SHA-256 where it is a large one (LFS), and removes one that is
    /// another.
    #[cfg(feature = "hub")]
    fn require_digest(path: &Path, tag: &str) -> Result<()> {
        let is_digest = tag.len() == 64 && tag.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_digest {
            return Ok(());
        }
        let found = file_digest(path).map_err(Error::reading(path))?;
        if found.eq_ignore_ascii_case(tag) {
            return Ok(());
        }
        let blob = std::fs::canonicalize(path).map_err(Error::reading(path))?;
        for copy in [&blob, path] {
            // Of two names of one file the second is gone by then.
            let _ = std::fs::remove_file(copy);
        }
        let what = format!("sha256:{found}, expected sha256:{tag}");
        Err(Error::input(path, what).with_hint("it was damaged on the way: run the command again"))
    }

    #[cfg(feature = "hub")]
    fn require_plain(&self, id: &HubId, word: &str) -> Result<()> {
        let what = format!("it names {word:?}, which is not a plain name");
        match stays_inside(word) {
            true => Ok(()),
            false => Err(self.failed(id, &what)),
        }
    }

    #[cfg(feature = "hub")]
    fn cached(&self, repo: &hf_hub::Repo) -> Option<PathBuf> {
        let cache = match &self.cache {
            Some(folder) => hf_hub::Cache::new(folder.clone()),
            None => hf_hub::Cache::from_env(),
        };
        let cache = cache.repo(repo.clone());
        let config = cache.get("config.json")?;
        cache.get("tokenizer.json")?;
        ["model.safetensors", "model.safetensors.index.json"]
            .iter()
            .find_map(|weights| cache.get(weights))?;
        config.parent().map(std::path::Path::to_path_buf)
    }

    #[cfg(feature = "hub")]
    fn failed(&self, id: &HubId, what: &str) -> Error {
        let endpoint = self.endpoint.as_deref().unwrap_or("the hub");
        Error::model(
            &id.repository,
            format!("no such folder, and {endpoint} did not give it: {what}"),
        )
        .with_hint(
            "without a network, give the folder of a model (config.json, model.safetensors, \
             tokenizer.json) in place of its hub id",
        )
    }

    /// Fails: nothing can be fetched without the feature `hub`.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "hub"))]
    pub fn fetch(&self, id: &HubId, _wanted: impl Fn(&str) -> bool) -> Result<PathBuf> {
        Err(Error::model(
            &id.repository,
            "no such folder, and this build cannot fetch from the hub",
        )
        .with_hint("build with the feature `hub`, or give the folder of a model"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_told_from_paths() {
        let id = HubId::parse("google/electra-small@v1.0").unwrap();
        assert_eq!(id.repository, "google/electra-small");
        assert_eq!(id.revision.as_deref(), Some("v1.0"));
        for path in [
            "electra", "./a/b", "/a/b", "a/b/c", "../b", "a/", "a/b@", "~/b", "a/b@../c", "a/b@/c",
        ] {
            assert_eq!(HubId::parse(path), None, "{path}");
        }
    }
}
