//! The `.bin` files of fastText and of sent2vec, which grew out of it: settings, dictionary, and
//! the rows of words and of hashed n-grams.

use super::source::VectorFileReader;
use std::collections::HashMap;
use tiebreak_base::error::Result;

/// The bytes that such a file begins with.
pub(super) const MAGIC: [u8; 4] = 793_712_314_i32.to_le_bytes();

/// The way a model was trained, and so how its rows are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FastTextVariant {
    /// fastText, unsupervised: n-grams are of characters.
    FastText,
    /// sent2vec: n-grams are of words.
    Sent2vec,
}

/// A model: rows of words first, of n-grams after them.
#[derive(Debug)]
pub(super) struct FastTextModel {
    pub kind: FastTextVariant,
    pub width: usize,
    /// The row of each word.
    pub words: HashMap<Box<str>, u32>,
    /// The number of rows of words.
    pub word_rows: usize,
    /// The number of rows of n-grams.
    pub buckets: usize,
    /// The shortest and longest n-grams of characters.
    pub characters: (usize, usize),
    /// The longest n-grams of words.
    pub word_ngrams: usize,
    /// The rows, row-major.
    rows: Vec<f32>,
}

impl FastTextModel {
    pub(super) fn row(&self, row: usize) -> &[f32] {
        &self.rows[row * self.width..(row + 1) * self.width]
    }

    /// The rows of words, one after the other.
    pub(super) fn rows_of_words(&self) -> &[f32] {
        &self.rows[..self.word_rows * self.width]
    }

    /// Reads a model up to the rows it is asked for; those of its output layer are left alone.
    ///
    /// # Errors
    /// For a classifier, a quantised model, and one that is not whole.
    pub(super) fn read(mut source: VectorFileReader) -> Result<(Self, String)> {
        let settings = FastTextSettings::read(&mut source)?;
        let (words, word_rows) = dictionary(&mut source)?;
        let [quantised] = source.bytes()?;
        if quantised != 0 {
            let hint = "give the .bin that it was made from";
            return Err(source.wrong("is a quantised model").with_hint(hint));
        }
        let (rows, width) = (source.i64()?, source.i64()?);
        let buckets = usize::try_from(settings.buckets).unwrap_or(0);
        // sent2vec makes one row more than it uses.
        if rows < (word_rows + buckets) as i64 || width != i64::from(settings.width) {
            let what = format!(
                "has {rows} rows of {width} numbers, expected at least {} of {}",
                word_rows + buckets,
                settings.width
            );
            return Err(source
                .wrong(what)
                .with_hint("the file is damaged: fetch it again"));
        }
        let count = (rows as u64).checked_mul(width as u64);
        let bytes = count.and_then(|count| count.checked_mul(4));
        source.require(&format!("{rows} rows of {width} numbers"), bytes)?;
        let mut numbers = Vec::with_capacity((rows * width) as usize);
        source.floats((rows * width) as usize, &mut numbers)?;
        let positive = |setting: i32| usize::try_from(setting).unwrap_or(0);
        let model = Self {
            kind: settings.kind,
            width: width as usize,
            words,
            word_rows,
            buckets,
            characters: (positive(settings.minn), positive(settings.maxn)),
            word_ngrams: positive(settings.word_ngrams),
            rows: numbers,
        };
        Ok((model, source.digest()))
    }
}

/// The settings that matter once a model is trained.
struct FastTextSettings {
    kind: FastTextVariant,
    width: i32,
    word_ngrams: i32,
    buckets: i32,
    minn: i32,
    maxn: i32,
}

impl FastTextSettings {
    fn read(source: &mut VectorFileReader) -> Result<Self> {
        let magic: [u8; 4] = source.bytes()?;
        let version = source.i32()?;
        if magic != MAGIC || !(11..=12).contains(&version) {
            return Err(source.wrong(format!(
                "is a fastText model of version {version}, expected 11 or 12"
            )));
        }
        let [width, _, _, _, _, word_ngrams] = read_six(source)?;
        let [_, kind, buckets, minn, maxn, _] = read_six(source)?;
        let _sampling_threshold: [u8; 8] = source.bytes()?;
        let kind = match kind {
            1 | 2 => FastTextVariant::FastText,
            4 => FastTextVariant::Sent2vec,
            other => {
                let what = match other {
                    3 => "is a fastText classifier".to_string(),
                    _ => format!("is a model of the unknown kind {other}"),
                };
                return Err(source
                    .wrong(what)
                    .with_hint("expected word vectors (fastText's skipgram or cbow) or sent2vec"));
            }
        };
        if width <= 0 || buckets < 0 {
            let what = format!("says it has {width} numbers a row and {buckets} buckets");
            return Err(source
                .wrong(what)
                .with_hint("the file is damaged: fetch it again"));
        }
        Ok(Self {
            kind,
            width,
            word_ngrams,
            buckets,
            minn,
            maxn,
        })
    }
}

fn read_six(source: &mut VectorFileReader) -> Result<[i32; 6]> {
    let mut six = [0; 6];
    for setting in &mut six {
        *setting = source.i32()?;
    }
    Ok(six)
}

/// The row of each word, and how many there are. Labels, which come last, have no row that a text
/// could ask for.
fn dictionary(source: &mut VectorFileReader) -> Result<(HashMap<Box<str>, u32>, usize)> {
    let (entries, words, labels) = (source.i32()?, source.i32()?, source.i32()?);
    let _tokens = source.i64()?;
    let pruned = source.i64()?;
    let consistent = words > 0 && labels >= 0 && words.checked_add(labels) == Some(entries);
    if !consistent || pruned >= 0 {
        let what = match pruned {
            0.. => "is a pruned model".to_string(),
            _ => format!("says it has {entries} entries, {words} words and {labels} labels"),
        };
        let hint = "give an unquantised .bin, and fetch it again if it is damaged";
        return Err(source.wrong(what).with_hint(hint));
    }
    // An entry takes its end, its count and its type at least.
    source.require(&format!("{entries} words"), Some(10 * entries as u64))?;
    let mut rows = HashMap::with_capacity(words as usize);
    let mut word = Vec::new();
    for entry in 0..entries as u32 {
        if !source.until(0, &mut word)? {
            return Err(source.wrong(format!("ends in the word number {entry}")));
        }
        let _count = source.i64()?;
        let [kind] = source.bytes()?;
        // What is no UTF-8 cannot be asked for.
        if let (0, Ok(word)) = (kind, std::str::from_utf8(&word)) {
            rows.entry(word.into()).or_insert(entry);
        }
    }
    Ok((rows, words as usize))
}
