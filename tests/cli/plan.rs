//! `plan`: from the scale, from numbers, from a pilot; and mistakes.

use super::{score_with_chrf, text, tiebreak};

#[test]
fn the_scale_alone_gives_the_worst_case() {
    let told = tiebreak(&["plan", "--width", "0.1", "--range", "0,1"]).ok();
    // (2 · 1.96 · 0.5/0.1)² = 384.1
    assert!(told.contains("385"), "{told}");
    let plan = [
        "plan",
        "--width",
        "0.1",
        "--range",
        "0,1",
        "--per-output",
        "2",
        "--json",
    ];
    let plan = tiebreak(&plan).json();
    assert_eq!(plan["campaigns"][0]["judgments"], 770);
}

#[test]
fn a_pilot_plans_as_its_numbers_do() {
    let folder = tempfile::tempdir().unwrap();
    let scores = folder.path().join("chrf.csv");
    score_with_chrf(&scores);
    let pilot = [
        "plan",
        "data/tiny",
        "--criterion",
        "adequacy",
        "--width",
        "5",
        "--json",
    ];
    let alone = tiebreak(&pilot).json();
    let with = ["--scores", text(&scores), "--metric", "chrf"];
    let helped = tiebreak(&[&pilot[..], &with].concat()).json();
    let number = |name: &str| helped["prospect"][name].to_string();
    assert_eq!(alone["prospect"]["rho"], 0.0);
    let judgments = |plan: &serde_json::Value, place: usize| {
        plan["campaigns"][place]["judgments"].as_u64().unwrap()
    };
    assert!(judgments(&helped, 0) < judgments(&alone, 0));
    assert!(
        judgments(&helped, 0) < judgments(&helped, 3),
        "one each takes fewest"
    );
    let (signal, noise, rho) = (number("signal"), number("noise"), number("rho"));
    let given = [
        "plan", "--width", "5", "--signal", &signal, "--noise", &noise, "--rho", &rho,
    ];
    let given = tiebreak(&[&given[..], &["--json"]].concat()).json();
    assert_eq!(given["campaigns"], helped["campaigns"]);
}

#[test]
fn mistakes_are_told() {
    for (arguments, says) in [
        (&["--width", "1"][..], "nothing to plan from"),
        (
            &["--width", "0", "--range", "0,1"],
            "expected a number above 0",
        ),
        (&["--width", "1", "--range", "1,0"], "LO below HI"),
        (&["--width", "1", "--signal", "1"], "--noise"),
        (
            &["--width", "1", "--signal", "-1", "--noise", "1"],
            "not below 0",
        ),
        (
            &[
                "--width", "1", "--signal", "1", "--noise", "1", "--rho", "2",
            ],
            "from -1 to 1",
        ),
        (&["--width", "1", "data/tiny"], "--criterion"),
        (
            &["--width", "1", "data/tiny", "--criterion", "adequcy"],
            "did you mean `adequacy`?",
        ),
        (&["--width", "1e-12", "--range", "0,1"], "larger --width"),
    ] {
        let finished = tiebreak(&[&["plan"], arguments].concat());
        assert_eq!(finished.code, Some(2), "{arguments:?}: {}", finished.stderr);
        assert!(
            finished.stderr.contains(says),
            "{arguments:?}: {}",
            finished.stderr
        );
    }
}
