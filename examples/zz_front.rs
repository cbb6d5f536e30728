//! Scratch.
#![allow(clippy::print_stdout, missing_docs)]
type R = Result<(), Box<dyn std::error::Error>>;

fn base() -> R {
    use tiebreak_base::{layout, rng::Seed, stats::bootstrap};
    let ratings = [62.0, 80.0, 55.0, 91.0, 70.0, 68.0, 77.0, 59.0];
    let mean = |of: &[usize]| of.iter().map(|&i| ratings[i]).sum::<f64>() / of.len() as f64;
    let mut means = bootstrap::replicates(ratings.len(), 1000, Seed(42), |sample| Some(mean(sample)));
    let (lower, upper) = bootstrap::percentile_interval(&mut means, 0.95).ok_or("no ratings")?;
    let row = [mean(&[0, 1, 2, 3, 4, 5, 6, 7]), lower, upper].map(|x| layout::decimals(x, 1));
    let table = layout::table(&["mean", "from", "to"], &[row.to_vec()]);
    println!("{table:?}");
    Ok(())
}

fn data() -> R {
    use std::fs;
    use tiebreak_data::records::{Dataset, Index, check};
    let folder = tempfile::tempdir()?;
    let outputs = r#"{"item": "1", "system": "atlas", "output": "The train is late."}
{"item": "1", "system": "birch", "output": "Train late."}"#;
    let comparisons = "item,system_a,system_b,outcome\n1,atlas,birch,1\n1,birch,atlas,0.5\n";
    fs::write(folder.path().join("outputs.jsonl"), outputs)?;
    fs::write(folder.path().join("comparisons.csv"), comparisons)?;
    let dataset = Dataset::open(folder.path(), &[])?;
    let index = Index::build(&dataset)?;
    for group in index.all() {
        let group = group?;
        println!("item {}: {} outputs, {} comparisons", group.item, group.outputs.len(), group.comparisons.len());
    }
    let pair = &check(&index, &dataset)?.pairs[0];
    println!("{pair:?}");
    assert_eq!((pair.system_a.as_str(), pair.preference), ("atlas", Some(0.75)));
    Ok(())
}

fn decide() -> R {
    use tiebreak_base::duel::Outcome::{Loss, Win};
    use tiebreak_decide::ranking::{Comparison, rank};
    let wins = [("atlas", "birch", 45), ("atlas", "cedar", 47), ("birch", "cedar", 31)]; // of 60
    let comparisons = wins.into_iter().flat_map(|(first, second, wins)| {
        (0..60).map(move |n| Comparison::new(first, second, if n < wins { Win } else { Loss }))
    });
    let ranking = rank(comparisons, 0.95)?;
    println!("{}", ranking.claim);
    println!("{:?} {:?}", ranking.groups, ranking.ranks);
    assert_eq!(ranking.claim.systems, ["atlas"]);
    assert_eq!(ranking.groups, [vec!["atlas"], vec!["birch", "cedar"]]);
    Ok(())
}

fn encoders() -> R {
    use std::path::Path;
    use tiebreak_encoders::{Checkpoint, Device, Embedder, dot};
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/models/tiny-electra");
    let embedder = Embedder::load(&Checkpoint::in_folder(Path::new(folder))?, Device::Cpu)?;
    let texts = ["The train is late.", "Train late.", "The train is late."];
    let vectors = embedder.sentences(&texts, embedder.max_length())?;
    let cosine = dot(&vectors[0], &vectors[2]);
    println!("{cosine} {} {}", dot(&vectors[0], &vectors[1]), vectors[0].len());
    Ok(())
}

fn metrics() -> R {
    use tiebreak_metrics::metrics::{Direction, score};
    let outputs = ["The train is late.", "He sang a song."];
    let references = [vec!["The train is very late."], vec!["He is singing.", "He sang a song."]];
    let ter = score("ter", &outputs, &references)?;
    println!("{} {} {:?} {}", ter.signature, ter.corpus_signature, ter.segments, ter.corpus);
    assert_eq!(ter.better, Direction::Lower);
    Ok(())
}

fn preference() -> R {
    use tiebreak_base::duel::Outcome;
    use tiebreak_metrics::env::Env;
    use tiebreak_preference::preference::{Contest, PairwiseModel, direct::Direct};
    let references = ["The train is late today.".to_string()];
    let contest = |a, b| Contest::new(a, b).with_references(&references);
    let judged = [
        (contest("The train is late.", "A bus is late."), Outcome::Win),
        (contest("Late.", "Today the train is late."), Outcome::Loss),
        (contest("A train today.", "The train today."), Outcome::Win),
        (contest("It is late today.", "Train is late."), Outcome::Tie),
    ];
    for link in ["btl", "btl-logistic", "linear"] {
    let model = Direct::fit("chrf", link, &judged, &Env::default())?;
    let (good, bad) = ("The train is late, today.", "Train today late is.");
    let found = model.predict(&[contest(good, bad), contest(bad, good)])?;
    println!("{} {} {:e} {}", found[0].p, found[1].p, found[0].p + found[1].p - 1.0, model.signature());
    }
    Ok(())
}

fn stages() -> R {
    use std::{fs, sync::atomic::AtomicBool};
    use tiebreak_base::rng::Seed;
    use tiebreak_metrics::env::Env;
    use tiebreak_stages::{engine::{Context, SilentProgress}, pipeline::{self, Pipeline}};
    let folder = tempfile::tempdir()?;
    let (file, data) = (folder.path().join("first.toml"), concat!(env!("CARGO_MANIFEST_DIR"), "/data/tiny"));
    fs::write(&file, format!("data = {data:?}\n[[score]]\nmetric = \"chrf\"\n[[rank]]\n"))?;
    let stop = AtomicBool::new(false); // set to interrupt the work
    let context = Context { seed: Seed(42), env: Env::default(), progress: &SilentProgress, stop: &stop };
    let out = folder.path().join("out");
    let report = pipeline::run(&context, &Pipeline::read(&file)?, None, &out)?;
    println!("{}\n{:?} {:?}", report.text, fs::read_dir(&out)?.map(|x| x.unwrap().file_name()).collect::<Vec<_>>(), fs::read_dir(out.join("rank"))?.map(|x| x.unwrap().file_name()).collect::<Vec<_>>());
    println!("{}", fs::read_to_string(out.join("rank/ranking.json")).unwrap_or_default());
    Ok(())
}

fn main() -> R {
    for (name, one) in [("base", base as fn() -> R), ("data", data), ("decide", decide), ("encoders", encoders), ("metrics", metrics), ("preference", preference), ("stages", stages)] {
        println!("== {name}");
        if let Err(error) = one() { println!("FAILED {error}"); }
    }
    Ok(())
}
