//! Which of two outputs would people prefer? A preference model, and a metric with a link.
//!
//! `cargo run --release --example predict`
#![expect(clippy::print_stdout, reason = "an example talks")]

use tiebreak::preference::direct::Direct;
use tiebreak::preference::{self, DEFAULT_MODEL, Options, PairwiseModel, uncertainty};
use tiebreak::{Contest, Env, Outcome, Result};

pub(crate) fn main() -> Result<()> {
    let references = ["The train to Leipzig is twenty minutes late today.".to_string()];
    let against = |a, b| Contest::new(a, b).with_references(&references);
    let contests = [
        against(
            "Today the Leipzig train is twenty minutes late.",
            "Train late Leipzig today is.",
        ),
        against(
            "The train to Leipzig is late today.",
            "The train to Leipzig was late today.",
        ),
    ];

    // The model that comes with tiebreak reads both outputs; its dropout draws say how unsure it is.
    let model = preference::load(DEFAULT_MODEL, &Options::default(), &Env::default())?;
    let source = "Der Zug nach Leipzig hat heute zwanzig Minuten Verspätung.";
    let with_source = contests.map(|one| one.with_source(source));
    for (contest, found) in contests.iter().zip(model.predict(&with_source)?) {
        let bald = uncertainty(&found.draws).map_or(0.0, |one| one.bald);
        println!("{:.2} (BALD {bald:.3}) for {:?}", found.p, contest.a);
    }

    // Any metric becomes such a model with a link, fitted to what people preferred before.
    let judged = [
        (
            against("The train to Leipzig is late.", "A bus is late."),
            Outcome::Win,
        ),
        (
            against("Leipzig.", "The Leipzig train is twenty minutes late."),
            Outcome::Loss,
        ),
        (
            against(
                "Today the train is late.",
                "The train to Leipzig is twenty.",
            ),
            Outcome::Win,
        ),
    ];
    let model = Direct::fit("chrf", "btl-logistic", &judged, &Env::default())?;
    for (contest, found) in contests.iter().zip(model.predict(&contests)?) {
        println!("{:.2} by chrF for {:?}", found.p, contest.a);
    }
    Ok(())
}
