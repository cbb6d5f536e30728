//! The real data sets: each opens, indexes and is as its list says.

use crate::support::{data_dir, say};
use std::path::PathBuf;
use tiebreak::records::{Dataset, DatasetSummary, Index, Kind};

/// The data set folders, in order.
fn sets() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(data_dir()) else {
        return Vec::new();
    };
    let mut sets: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    sets.retain(|path| path.is_dir());
    sets.sort();
    sets
}

fn summary(set: &PathBuf, budget: usize) -> DatasetSummary {
    let set = Dataset::open(set, &[]).unwrap();
    let index = Index::build_within(&set, budget).unwrap();
    for (kind, table) in Kind::ALL.map(|kind| (kind, set.table(kind))) {
        assert_eq!(index.rows(kind) > 0, table.is_some(), "{table:?}");
    }
    DatasetSummary::new(&index, &set).unwrap()
}

#[test]
fn all_sets_are_read_and_fit() {
    let sets = sets();
    if sets.is_empty() {
        return say("SKIPPED", "records::data::all_sets_are_read_and_fit");
    }
    for set in &sets {
        let found = summary(set, 64 << 20);
        assert!(
            found.items > 0 && found.systems.len() > 1,
            "{}",
            set.display()
        );
        assert!(found.comparisons + found.judgments > 0, "{}", set.display());
        assert_eq!(found.comparisons_without_output, 0, "{}", set.display());
        assert_eq!(found.judgments_without_output, 0, "{}", set.display());
    }
}

#[test]
fn spilling_changes_nothing() {
    let Some(set) = sets()
        .into_iter()
        .find(|set| set.ends_with("wmt16-tur-eng"))
    else {
        return say("SKIPPED", "records::data::spilling_changes_nothing");
    };
    assert_eq!(summary(&set, 64 << 20), summary(&set, 50_000));
}

/// The list beside the data sets says, for each, the number of systems, items and comparisons and
/// whether there is a Condorcet winner.
#[test]
fn the_sets_are_as_their_list_says() {
    let list = std::fs::read_to_string(data_dir().join("README.md")).unwrap_or_default();
    let rows = list.lines().filter(|line| line.starts_with("| ["));
    let mut checked = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = cells[1].trim_start_matches('[').split(']').next().unwrap();
        let set = data_dir().join(name);
        if !set.is_dir() {
            continue;
        }
        let found = summary(&set, 64 << 20);
        if let Ok(systems) = cells[3].parse::<usize>() {
            assert_eq!(found.systems.len(), systems, "{name}");
        }
        assert_eq!(found.items.to_string(), cells[4], "{name}");
        let counted = |unit: &str| -> u64 {
            let part = cells[5]
                .split(", ")
                .find_map(|part| part.strip_suffix(unit));
            part.map_or(0, |number| number.replace(',', "").parse().unwrap())
        };
        assert_eq!(found.comparisons, counted(" pairs"), "{name}");
        assert_eq!(found.judgments, counted(" ratings"), "{name}");
        let condorcet = found.winner.as_ref().is_some_and(|w| w.condorcet);
        match cells[9] {
            "yes" => assert!(condorcet, "{name}"),
            "no" => assert!(!condorcet, "{name}"),
            _ => {}
        }
        checked += 1;
    }
    if checked == 0 {
        say("SKIPPED", "records::data::the_sets_are_as_their_list_says");
    }
}
