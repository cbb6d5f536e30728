//! The texts that `texts.py` writes.

use tiebreak::metrics::Segment;

/// One item with the outputs of all systems.
pub(crate) struct Item {
    references: Vec<String>,
    outputs: Vec<String>,
}

/// The items of a tab-separated file.
pub(crate) fn items(text: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut current = None;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        if current != Some(fields[0]) {
            current = Some(fields[0]);
            items.push(Item {
                references: vec![fields[3].to_string()],
                outputs: Vec::new(),
            });
        }
        let item = items.last_mut().expect("an item");
        item.outputs.push(fields[2].to_string());
    }
    items
}

/// All outputs, item by item.
pub(crate) fn segments(items: &[Item]) -> Vec<Segment<'_>> {
    let mut segments = Vec::new();
    for item in items {
        segments.extend(item.outputs.iter().map(|hypothesis| Segment {
            hypothesis,
            references: &item.references,
            context: None,
        }));
    }
    segments
}
