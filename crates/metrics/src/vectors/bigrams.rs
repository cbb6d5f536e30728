//! sent2vec's vectors of sentences: the mean of the rows of the known words and of the n-grams that
//! they form once unknown words are left out.
//!
//! Source: Pagliardini, Gupta and Jaggi, "Unsupervised learning of sentence embeddings using
//! compositional n-gram features", NAACL 2018; as in `print-sentence-vectors` of its release, for
//! models of sent2vec, where nothing but words and n-grams of words counts.

use super::model::FastTextModel;

/// The vector of a text; zeros if it has no known word. The token `</s>` ends the text, as the end
/// of a line does for the original.
pub(super) fn sentence(model: &FastTextModel, text: &str) -> Vec<f32> {
    let is_space = |c| matches!(c, ' ' | '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\0');
    let words = text.split(is_space).filter(|word| !word.is_empty());
    let known = words.take_while(|&word| word != "</s>");
    let ids: Vec<u32> = known
        .filter_map(|word| model.words.get(word).copied())
        .collect();
    let mut mean = vec![0.0; model.width];
    for &id in &ids {
        super::add(&mut mean, model.row(id as usize));
    }
    let mut count = ids.len();
    for start in 0..ids.len() {
        let mut hash = u64::from(ids[start]);
        let end = ids.len().min(start.saturating_add(model.word_ngrams));
        for &next in ids.get(start + 1..end).unwrap_or_default() {
            hash = hash.wrapping_mul(116_049_371).wrapping_add(u64::from(next));
            if let Some(bucket) = hash.checked_rem(model.buckets as u64) {
                super::add(&mut mean, model.row(model.word_rows + bucket as usize));
                count += 1;
            }
        }
    }
    if count > 0 {
        super::scale(&mut mean, 1.0 / count as f32);
    }
    mean
}
