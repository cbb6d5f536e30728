//! The split into items learnt from and held out: never does a held-out item share a source or a reference with one
//! learnt from, in whatever data set.
//!
//! Items that share a text (but for case and spacing) belong together, and so do those that are
//! linked through others. Whole groups are held out, in random order, as long as they fit into the
//! share asked for.

use super::data::JudgedItem;
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_base::stats;

/// Whether each item is held out.
///
/// # Errors
/// If all items are linked, so that nothing can be held out.
pub(super) fn held_out(items: &[JudgedItem], share: f64, seed: Seed) -> Result<Vec<bool>> {
    let groups = linked(items);
    let pairs = |group: &[usize]| group.iter().map(|&i| items[i].pairs.len()).sum::<usize>();
    let sizes: Vec<usize> = groups.iter().map(|group| pairs(group)).collect();
    if groups.len() < 2 {
        let what = "nothing can be held out for validation: all items share sources or references";
        return Err(Error::usage(what).with_hint("give more items, or a second data set"));
    }
    let most = share * sizes.iter().sum::<usize>() as f64;
    let mut order: Vec<usize> = (0..groups.len()).collect();
    seed.stream("validation", 0).shuffle(&mut order);
    let mut held: Vec<usize> = Vec::new();
    let mut count = 0;
    for &group in &order {
        if (count + sizes[group]) as f64 <= most {
            count += sizes[group];
            held.push(group);
        }
    }
    if held.is_empty() {
        held.extend(order.into_iter().min_by_key(|&group| sizes[group]));
    }
    let mut out = vec![false; items.len()];
    for &item in held.iter().flat_map(|&group| &groups[group]) {
        out[item] = true;
    }
    Ok(out)
}

/// The items in groups that share no text, each group and all groups in order.
fn linked(items: &[JudgedItem]) -> Vec<Vec<usize>> {
    let mut first_with: BTreeMap<String, usize> = BTreeMap::new();
    let texts = items.iter().map(JudgedItem::texts).enumerate();
    let texts = texts.flat_map(|(place, texts)| texts.map(move |text| (place, text)));
    let links = texts.map(|(place, text)| (place, *first_with.entry(text).or_insert(place)));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, number) in stats::linked::linked(items.len(), links)
        .into_iter()
        .enumerate()
    {
        if number == groups.len() {
            groups.push(Vec::new());
        }
        groups[number].push(place);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_preference::preference::training::{JudgedPair, JudgmentCounts};

    fn item(source: &str, reference: &str, pairs: usize) -> JudgedItem {
        let pair = JudgedPair {
            first: 0,
            second: 1,
            said: JudgmentCounts::default(),
        };
        JudgedItem {
            source: (!source.is_empty()).then(|| source.to_string()),
            references: vec![reference.to_string()],
            outputs: Vec::new(),
            pairs: vec![pair; pairs],
        }
    }

    #[test]
    fn what_shares_a_text_is_on_one_side() {
        let mut items = vec![
            item("Ein Haus.", "A house.", 3),
            item("Une maison.", "A  HOUSE.", 1),
            item("une maison.", "One house.", 1),
            item("", "", 2),
            item("", "", 2),
        ];
        assert_eq!(linked(&items), [vec![0, 1, 2], vec![3], vec![4]]);
        items.extend((0..200).map(|i| item(&format!("s{}", i / 2), &format!("r{i}"), 5)));
        for seed in 0..20 {
            let held = held_out(&items, 0.1, Seed(seed)).unwrap();
            let pairs = |wanted: bool| -> usize {
                let of = held.iter().zip(&items).filter(|(held, _)| **held == wanted);
                of.map(|(_, item)| item.pairs.len()).sum()
            };
            let share = pairs(true) as f64 / (pairs(true) + pairs(false)) as f64;
            assert!(share > 0.08 && share <= 0.1, "{share}");
            assert!(held[0] == held[1] && held[1] == held[2]);
            assert!((5..205).step_by(2).all(|i| held[i] == held[i + 1]));
        }
        let other = held_out(&items, 0.1, Seed(1)).unwrap();
        assert_ne!(held_out(&items, 0.1, Seed(2)).unwrap(), other);
    }

    #[test]
    fn something_is_held_out_or_the_reason_is_told() {
        let two = [item("a", "x", 9), item("b", "y", 7)];
        assert_eq!(held_out(&two, 0.1, Seed(1)).unwrap(), [false, true]);
        let linked = [item("a", "x", 9), item("a", "y", 7)];
        let error = held_out(&linked, 0.1, Seed(1)).unwrap_err();
        assert!(error.to_string().contains("held out"), "{error}");
    }
}
