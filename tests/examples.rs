//! The examples run: each is a module here, so that they are built with the tests.

#[path = "../examples/estimate.rs"]
mod estimate;
#[path = "../examples/live.rs"]
mod live;
#[cfg(feature = "neural")]
#[path = "../examples/predict.rs"]
mod predict;
#[path = "../examples/rank.rs"]
mod rank;
#[path = "../examples/score.rs"]
mod score;

#[test]
fn every_example_runs() {
    estimate::main().unwrap();
    live::main().unwrap();
    #[cfg(feature = "neural")]
    predict::main().unwrap();
    rank::main().unwrap();
    score::main().unwrap();
}
