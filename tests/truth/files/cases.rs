//! Small data sets of every kind.

use crate::support::variants;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;
use tiebreak::rng::{Rng, Seed};

pub(super) const SYSTEMS: [&str; 9] = [
    "alder", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet",
];

/// How answers come to annotators.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Deal {
    Drawn,
    /// Everything to everybody.
    Crossed,
    /// Half of all to the first.
    Half,
    /// To each a system of their own.
    Apart,
}

/// Answers of one kind to all systems on all items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answers {
    /// None give no names.
    people: usize,
    deal: Deal,
    /// By how much each system is better than the next.
    gap: f64,
}

/// Of which values judgments are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Values {
    Stars,
    YesOrNo,
    Hundred,
}

/// A small data set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    pub name: &'static str,
    pub systems: usize,
    items: usize,
    pub comparisons: Option<Answers>,
    /// The share of ties.
    ties: f64,
    pub judgments: Option<Answers>,
    values: Values,
    criteria: &'static [&'static str],
    /// Whether the range of judgments is declared.
    declared: bool,
    /// Whether the last system is never compared.
    unlinked: bool,
    /// More flags of `rank`.
    pub rank: &'static [&'static str],
}

const CASE: Case = Case {
    name: "",
    systems: 3,
    items: 30,
    comparisons: None,
    ties: 0.2,
    judgments: None,
    values: Values::Stars,
    criteria: &["quality"],
    declared: false,
    unlinked: false,
    rank: &[],
};

#[allow(clippy::unnecessary_wraps)] // as a case has it
/// Answers of a kind, by so many people about systems that are so far apart.
const fn answers(people: usize, deal: Deal, gap: f64) -> Option<Answers> {
    Some(Answers { people, deal, gap })
}

const fn drawn(people: usize, gap: f64) -> Option<Answers> {
    answers(people, Deal::Drawn, gap)
}

pub(super) const CASES: &[Case] = &variants![CASE => Case
    { name: "two", systems: 2, comparisons: drawn(3, 1.2) }
    { name: "three", comparisons: drawn(3, 1.0) }
    { name: "undecided", comparisons: drawn(3, 0.2) }
    { name: "equal", systems: 5, comparisons: drawn(3, 0.0) }
    { name: "many people", systems: 5, comparisons: drawn(12, 0.6) }
    { name: "nine", systems: 9, comparisons: drawn(1, 0.4) }
    { name: "no names", systems: 9, items: 10, comparisons: drawn(0, 0.3) }
    { name: "half by one", comparisons: answers(8, Deal::Half, 0.5) }
    { name: "ties", ties: 1.0, comparisons: drawn(3, 0.0) }
    { name: "unlinked", systems: 4, unlinked: true, comparisons: drawn(3, 0.8) }
    { name: "style", rank: &["--style"], comparisons: drawn(3, 0.6) }
    { name: "stars", judgments: drawn(3, 0.6) }
    { name: "yes or no", items: 60, values: Values::YesOrNo, judgments: drawn(3, 0.6) }
    { name: "a hundred", values: Values::Hundred, judgments: drawn(9, 0.6) }
    { name: "one annotator, declared", values: Values::Hundred, declared: true, judgments: drawn(1, 0.6) }
    { name: "crossed", judgments: answers(4, Deal::Crossed, 0.3) }
    { name: "apart", judgments: answers(3, Deal::Apart, 0.6) }
    { name: "criteria", criteria: &["adequacy", "fluency"], judgments: drawn(3, 0.6) }
    { name: "post-edits", systems: 2, criteria: &["hter"], judgments: drawn(3, 0.6) }
    { name: "both", systems: 6, comparisons: drawn(9, 0.7), judgments: drawn(9, 0.6) }
];

impl Answers {
    fn annotators(&self, system: usize, rng: &mut Rng) -> Vec<Option<usize>> {
        match (self.people, self.deal) {
            (0, _) => vec![None],
            (people, Deal::Crossed) => (0..people).map(Some).collect(),
            (people, Deal::Apart) => vec![Some(system % people)],
            (_, Deal::Half) if rng.bernoulli(0.5) => vec![Some(0)],
            (people, _) => vec![Some(rng.below(people))],
        }
    }
}

impl Case {
    /// The data set in a folder.
    pub(super) fn written(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut rng = Seed(39).stream(self.name, 0);
        let rows = |rows: Vec<Value>| {
            let lines = rows
                .iter()
                .flat_map(|row| [row.to_string(), "\n".to_string()]);
            lines.collect::<String>()
        };
        let write = |name: &str, text: String| {
            if !text.is_empty() {
                fs::write(folder.path().join(name), text).unwrap();
            }
        };
        write("outputs.jsonl", rows(self.outputs()));
        write("comparisons.jsonl", rows(self.comparisons(&mut rng)));
        write("judgments.jsonl", rows(self.judgments(&mut rng)));
        if self.declared {
            let range = "[criteria.quality]\nrange = [0, 100]\n";
            write("dataset.toml", range.to_string());
        }
        folder
    }

    fn outputs(&self) -> Vec<Value> {
        let output = |item: usize, system: usize| {
            let words = 3 + (system * 7 + item * (system + 3)) % 6;
            let bold = "**so** ".repeat((item + system) % 3);
            let output = format!("{bold}{}{}{item}", "word ".repeat(words), SYSTEMS[system]);
            json!({"item": format!("i{item}"), "system": SYSTEMS[system], "output": output})
        };
        let items =
            (0..self.items).flat_map(|item| (0..self.systems).map(move |system| (item, system)));
        items.map(|(item, system)| output(item, system)).collect()
    }

    fn comparisons(&self, rng: &mut Rng) -> Vec<Value> {
        let mut rows = Vec::new();
        let Some(answers) = &self.comparisons else {
            return rows;
        };
        let linked = self.systems - usize::from(self.unlinked);
        for item in 0..self.items {
            for (a, b) in (0..linked).flat_map(|a| (a + 1..linked).map(move |b| (a, b))) {
                for who in answers.annotators(a, rng) {
                    let better = 1.0 / (1.0 + (-answers.gap * (b - a) as f64).exp());
                    let outcome = match rng.bernoulli(self.ties) {
                        true => 0.5,
                        false => f64::from(u8::from(rng.bernoulli(better))),
                    };
                    let (first, second, outcome) = match rng.bernoulli(0.5) {
                        true => (b, a, 1.0 - outcome),
                        false => (a, b, outcome),
                    };
                    rows.push(json!({
                        "item": format!("i{item}"), "system_a": SYSTEMS[first], "system_b": SYSTEMS[second],
                        "outcome": outcome, "annotator": who.map(|who| format!("p{who}")),
                    }));
                }
            }
        }
        rows
    }

    fn judgments(&self, rng: &mut Rng) -> Vec<Value> {
        let mut rows = Vec::new();
        let Some(answers) = &self.judgments else {
            return rows;
        };
        for criterion in self.criteria {
            for item in 0..self.items {
                let difficulty = 0.5 * rng.normal();
                for system in 0..self.systems {
                    for who in answers.annotators(system, rng) {
                        let severity = who.map_or(0.0, |who| 0.3 * ((who % 3) as f64 - 1.0));
                        let rank = (self.systems - 1 - system) as f64;
                        let quality = 2.8 + answers.gap * rank + difficulty;
                        let y = quality + severity + 0.7 * rng.normal();
                        rows.push(self.judgment(criterion, [item, system], who, y));
                    }
                }
            }
        }
        rows
    }

    fn judgment(
        &self,
        criterion: &str,
        [item, system]: [usize; 2],
        who: Option<usize>,
        y: f64,
    ) -> Value {
        let score = match self.values {
            Values::Stars => y.round().clamp(1.0, 5.0),
            Values::YesOrNo => f64::from(u8::from(y > 3.3)),
            Values::Hundred => (20.0 * y).round().clamp(0.0, 100.0),
        };
        let mut row = json!({
            "item": format!("i{item}"), "system": SYSTEMS[system], "criterion": criterion, "score": score,
            "annotator": who.map(|who| format!("p{who}")),
        });
        if criterion == "hter" {
            row["criterion"] = "overall".into();
            let edits = (5.0 - score) as usize;
            row["post_edit"] =
                format!("{}word {}{item}", "new ".repeat(edits), SYSTEMS[system]).into();
        }
        row
    }

    /// Which flags of `estimate` and `correlate` name what is judged.
    pub(super) fn criterion(&self) -> &'static [&'static str] {
        match self.criteria {
            ["hter"] => &["--criterion", "hter"],
            _ => &[],
        }
    }
}
