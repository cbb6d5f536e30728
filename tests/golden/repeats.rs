//! Estimates of judged repeats, held against the numbers that the tool wrote into its own logs.

use crate::cli::{text, tiebreak};
use crate::support::{next_dir, skip_golden};

/// The means of `inspect-epochs`: Inspect reduces three epochs to their mean, and takes the mean over samples.
const MEANS: [(&str, f64); 2] = [("mockllm/one", 0.5), ("mockllm/two", 5.0 / 12.0)];

#[test]
fn means_over_epochs_are_those_of_inspect() {
    let logs = next_dir().join("formats/inspect-epochs/logs");
    if !logs.exists() {
        return skip_golden("golden repeats");
    }
    let estimated = |more: &[&str]| {
        let estimate = ["estimate", text(&logs), "--criterion", "grade", "--json"];
        tiebreak(&[&estimate[..], more].concat()).json()
    };
    let found = estimated(&[]);
    for (place, (system, mean)) in MEANS.iter().enumerate() {
        let row = &found["estimates"][place];
        assert_eq!((&row["system"], &row["n"]), (&(*system).into(), &2.into()));
        assert!(
            (row["estimate"].as_f64().unwrap() - mean).abs() < 1e-12,
            "{row}"
        );
        let repeats = &found["repeats"][place];
        assert_eq!(
            (&repeats["fewest"], &repeats["most"]),
            (&3.into(), &3.into())
        );
        // A partial grade is neither right nor wrong.
        assert_eq!(repeats["pass"], serde_json::json!([]));
    }
    // Each item of `mockllm/one` has the grades 0, 0.5 and 1 once.
    assert_eq!(found["repeats"][0]["within_variance"], 0.25);
    assert_eq!(found["repeats"][0]["between_variance"], 0.0);
    let first = estimated(&["--repeats", "first"]);
    assert_eq!(
        first["estimates"][0]["estimate"], 0.25,
        "of the grades 0 and 0.5"
    );
    assert!(first.get("repeats").is_none(), "{first}");
}
