//! The provenance of the numbers: versions, seeds, digests, signatures, and how to make them again.

use super::markup::{Html, HtmlTable, element, facts, with};
use tiebreak_data::tables::{Manifest, ManifestStage};

pub(super) fn section(run: &Manifest) -> Html {
    let known = [
        ("tiebreak", run.tiebreak.clone()),
        ("seed", run.seed.to_string()),
        ("data", run.data.clone()),
        ("digest of the data", run.digest.clone()),
    ];
    let known = known
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect();
    let row = |stage: &ManifestStage| {
        let signature = with("code", &[("class", "signature")], stage.signature.as_str());
        vec![
            stage.kind.as_str().into(),
            Html::from(&stage.name),
            signature,
        ]
    };
    let table = HtmlTable {
        caption: "What made each table".to_string(),
        header: ["stage", "name", "signature"].map(str::to_string).to_vec(),
        texts: 3,
        rows: run.stages.iter().map(row).collect(),
    };
    Html::from([facts(known), again(&run.command, &run.note), table.html()])
}

/// The command that makes the same bytes again, where there is one, and what it needs beside.
pub(super) fn again(command: &str, note: &str) -> Html {
    if command.is_empty() {
        return Html::default();
    }
    let note = match note.is_empty() {
        true => String::new(),
        false => format!(", {note}"),
    };
    let same = format!("To make the same numbers again, from the same data{note}:");
    Html::from([element("p", same), element("pre", element("code", command))])
}
