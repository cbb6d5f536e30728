//! Items made of the references of others, noised more and less.

use super::data::JudgedItem;
use tiebreak_base::rng::Seed;
use tiebreak_preference::preference::training::noised;

/// Makes `share` items per item learnt from, each of the first reference of one of them; those without
/// are passed over. Held-out items are not used.
pub(super) fn items(items: &[JudgedItem], share: f64, seed: Seed) -> Vec<JudgedItem> {
    let wanted = (share * items.len() as f64).round() as usize;
    let mut with: Vec<&JudgedItem> = items
        .iter()
        .filter(|item| !item.references.is_empty())
        .collect();
    seed.stream("damaged items", 0).shuffle(&mut with);
    let words: Vec<&str> = with
        .iter()
        .flat_map(|item| item.references[0].split_whitespace())
        .collect();
    let of = |(place, item): (usize, &&JudgedItem)| {
        let mut rng = seed.stream("damage", place as u64);
        let (outputs, pairs) = noised(&item.references[0], &words, &mut rng)?;
        Some(JudgedItem {
            source: item.source.clone(),
            references: item.references.clone(),
            outputs,
            pairs,
        })
    };
    let made = with.iter().enumerate().filter_map(of);
    made.take(wanted).collect()
}
