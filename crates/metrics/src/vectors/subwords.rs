//! fastText's vectors: a word is the mean of its own row and of the rows of its character n-grams.
//!
//! Source: Bojanowski et al., "Enriching word vectors with subword information", TACL 2017; as in
//! fastText 0.9.2. A word is put between `<` and `>`; its n-grams, of whole UTF-8 characters, are
//! hashed (FNV-1a over sign-extended bytes) into a fixed number of rows.

use super::model::FastTextModel;

/// The word that stands for the end of a line; it has no n-grams.
const END: &str = "</s>";

/// Writes the vector of a word into `vector`, known or not. Returns false if the word has no row at
/// all: then it is zeros.
pub(super) fn word(model: &FastTextModel, word: &str, vector: &mut [f32]) -> bool {
    vector.fill(0.0);
    let mut rows = 0;
    let mut add = |row: usize| {
        super::add(vector, model.row(row));
        rows += 1;
    };
    if let Some(&row) = model.words.get(word) {
        add(row as usize);
    }
    if word != END {
        each_ngram(word.as_bytes(), model.characters, |hash| {
            if model.buckets > 0 {
                add(model.word_rows + hash as usize % model.buckets);
            }
        });
    }
    if rows > 0 {
        super::scale(vector, 1.0 / rows as f32);
    }
    rows > 0
}

/// The vector of a text: the mean of its words' vectors, each divided by its length; zeros for a
/// text of no such words.
pub(super) fn sentence(model: &FastTextModel, text: &str) -> Vec<f32> {
    let mut mean = vec![0.0; model.width];
    let mut vector = vec![0.0; model.width];
    let mut words = 0;
    let is_space = |c| matches!(c, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r');
    for part in text.split(is_space).filter(|part| !part.is_empty()) {
        word(model, part, &mut vector);
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            super::scale(&mut vector, 1.0 / length);
            super::add(&mut mean, &vector);
            words += 1;
        }
    }
    if words > 0 {
        super::scale(&mut mean, 1.0 / words as f32);
    }
    mean
}

/// Calls `each` with the hash of every n-gram of `<word>`, in fastText's order. The brackets alone
/// are no n-gram.
fn each_ngram(word: &[u8], (shortest, longest): (usize, usize), mut each: impl FnMut(u32)) {
    let end = word.len() + 2;
    let byte = |at: usize| match at {
        0 => b'<',
        at if at == end - 1 => b'>',
        at => word[at - 1],
    };
    let continues = |at: usize| at < end && byte(at) & 0xc0 == 0x80;
    for start in (0..end).filter(|&start| !continues(start)) {
        let mut hash = 0x811c_9dc5_u32;
        let (mut at, mut length) = (start, 0);
        while at < end && length < longest {
            length += 1;
            loop {
                hash = (hash ^ byte(at) as i8 as u32).wrapping_mul(0x0100_0193);
                at += 1;
                if !continues(at) {
                    break;
                }
            }
            let bracket = length == 1 && (start == 0 || at == end);
            if length >= shortest && !bracket {
                each(hash);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash of a whole string, the plain way.
    fn hash(text: &str) -> u32 {
        text.bytes().fold(2_166_136_261, |hash: u32, byte| {
            (hash ^ byte as i8 as u32).wrapping_mul(16_777_619)
        })
    }

    fn ngrams(word: &str, lengths: (usize, usize)) -> Vec<u32> {
        let mut found = Vec::new();
        each_ngram(word.as_bytes(), lengths, |hash| found.push(hash));
        found
    }

    #[test]
    fn ngrams_are_of_whole_characters_and_never_a_bracket() {
        let expected = ["<n", "<nö", "n", "nö", "nö>", "ö", "ö>"];
        let found = ngrams("nö", (1, 3));
        assert_eq!(found, expected.map(hash));
        assert_eq!(ngrams("ab", (4, 6)), ["<ab>"].map(hash));
        assert!(ngrams("ab", (0, 0)).is_empty());
    }
}
