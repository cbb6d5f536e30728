//! Old habits: what `rank` and `sample` once took is told the command that does it now, with the user's own arguments.
//!
//! `rank` replayed recorded comparisons, and the certificate of a replay was taken for a finding. `sample` had sheets of its
//! own for outputs to be rated, which are a campaign.

use crate::error::Error;
use crate::layout::argument;
use std::path::Path;

/// Flags of `rank` that went to `simulate`; those with a value are followed by it or have it after `=`.
const REPLAYS: &[&str] = &[
    "--bandit",
    "--runs",
    "--budget",
    "--steps",
    "--mix",
    "--select",
    "--eliminate",
    "--delay",
    "--model",
    "--draws",
    "--dropout",
    "--precision",
    "--order",
    "--calibration",
    "--sample",
    "--cache",
];

/// The verb and flags of somebody who remembers another `rank`: an error that names the command.
pub(super) fn moved(arguments: impl Iterator<Item = String>) -> Option<Error> {
    let arguments: Vec<String> = arguments.collect();
    let verb = arguments.iter().position(|one| !one.starts_with('-'))?;
    let (what, command) = match arguments[verb].as_str() {
        "rank" => ranking(&arguments, verb)?,
        "sample" => sampling(&arguments, verb),
        _ => return None,
    };
    let command: Vec<String> = command.iter().map(|one| argument(one)).collect();
    Some(Error::usage(what).with_hint(format!("run: tiebreak {}", command.join(" "))))
}

/// What was meant by a `rank` of old; `None` for what `rank` is now.
fn ranking(arguments: &[String], verb: usize) -> Option<(&'static str, Vec<String>)> {
    let given = |name: &str| {
        let valued = format!("{name}=");
        let mut all = arguments.iter();
        all.any(|one| one == name || one.starts_with(&valued))
    };
    Some(if let Some(rest) = without_console(arguments) {
        ("people are asked by `tiebreak ask`", asking(&rest, verb))
    } else if given("--all") {
        let rest = arguments.iter().filter(|one| *one != "--all").cloned();
        let what = "`rank` always uses all comparisons: leave out --all";
        (what, rest.collect())
    } else if REPLAYS.iter().any(|name| given(name)) || given("--feedback") {
        let mut rest = without_value(arguments, "--feedback");
        rest[verb] = "simulate".to_string();
        (
            "replays of recorded comparisons are `tiebreak simulate`",
            rest,
        )
    } else {
        return None;
    })
}

/// `sample draw DATA … --out DIR` as a campaign that asks all of its plan, `sample read DIR SHEET…` as `tell`.
fn sampling(arguments: &[String], verb: usize) -> (&'static str, Vec<String>) {
    let mut rest = arguments.to_vec();
    let what = rest.get(verb + 1).cloned().unwrap_or_default();
    if what == "read" {
        for name in ["--criterion", "--out"] {
            rest = without_value(&rest, name);
        }
        rest.remove(verb + 1);
        rest[verb] = "tell".to_string();
        return (
            "sheets of ratings are read by `tiebreak tell`, and `estimate` takes the campaign's folder",
            rest,
        );
    }
    if what == "draw" {
        rest.remove(verb + 1);
    }
    // A file is a sheet, and no folder of a campaign.
    let sheet = value(&rest, "--out").filter(|out| Path::new(out).extension().is_some());
    if sheet.is_some() {
        rest = without_value(&rest, "--out");
    }
    let mut rest = asking(&rest, verb);
    for one in &mut rest {
        // The earlier judgments by which strata are given their shares.
        *one = one.replacen("--criterion", "--pilot", 1);
    }
    let sheet = sheet.unwrap_or_else(|| format!("{}.csv", rest[verb + 1]));
    let n = value(&rest, "--n").or_else(|| value(&rest, "--budget"));
    let n = n.unwrap_or_else(|| "N".to_string());
    let mut rest = without_value(&rest, "--n");
    let task = ["--task", "rating:quality=1..5", "--n", &n, "--out", &sheet];
    rest.extend(task.map(str::to_string));
    (
        "outputs that people rate are a campaign, by criteria that are named when it begins",
        rest,
    )
}

/// The arguments without `--feedback console`; `None` where that is not among them.
fn without_console(arguments: &[String]) -> Option<Vec<String>> {
    let apart = arguments
        .windows(2)
        .any(|two| two[0] == "--feedback" && two[1] == "console");
    let together = arguments.iter().any(|one| one == "--feedback=console");
    (apart || together).then(|| without_value(arguments, "--feedback"))
}

/// `rank DATA … --out RUN` as `ask RUN DATA …`.
fn asking(arguments: &[String], verb: usize) -> Vec<String> {
    let run = value(arguments, "--out").unwrap_or_else(|| "RUN".to_string());
    let mut rest = without_value(arguments, "--out");
    rest[verb] = "ask".to_string();
    rest.insert(verb + 1, run);
    rest
}

fn value(arguments: &[String], name: &str) -> Option<String> {
    let valued = format!("{name}=");
    let apart = arguments
        .windows(2)
        .find(|two| two[0] == name)
        .map(|two| two[1].clone());
    apart.or_else(|| {
        let together = arguments.iter().find_map(|one| one.strip_prefix(&valued));
        together.map(str::to_string)
    })
}

fn without_value(arguments: &[String], name: &str) -> Vec<String> {
    let valued = format!("{name}=");
    let mut rest = Vec::new();
    let mut all = arguments.iter();
    while let Some(one) = all.next() {
        if one == name {
            all.next();
        } else if !one.starts_with(&valued) {
            rest.push(one.clone());
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(arguments: &str) -> Option<String> {
        moved(arguments.split(' ').map(str::to_string))?.hint()
    }

    #[test]
    fn the_new_command_has_the_users_own_arguments() {
        for (old, new) in [
            (
                "rank mine --bandit rmed --runs 200",
                "simulate mine --bandit rmed --runs 200",
            ),
            (
                "--seed=3 rank mine --mix=0.5",
                "--seed=3 simulate mine --mix=0.5",
            ),
            ("rank mine --all --json", "rank mine --json"),
            ("rank mine --feedback console --out live", "ask live mine"),
            (
                "rank mine --feedback=console --budget 9",
                "ask RUN mine --budget 9",
            ),
            ("rank a&b --runs 2", "simulate 'a&b' --runs 2"),
            (
                "sample draw mine --budget 40 --strata s.csv --criterion=old --out rating",
                "ask rating mine --budget 40 --strata s.csv --pilot=old --task rating:quality=1..5 --n 40 --out rating.csv",
            ),
            (
                "sample mine --n 20 --out s.csv",
                "ask RUN mine --task rating:quality=1..5 --n 20 --out s.csv",
            ),
            (
                "sample read rating one.csv two.csv --criterion quality --annotator ana --out judged",
                "tell rating one.csv two.csv --annotator ana",
            ),
        ] {
            assert_eq!(hint(old), Some(format!("run: tiebreak {new}")), "{old}");
        }
        for fine in [
            "rank mine",
            "rank mine --predictions p.csv --out r",
            "simulate mine --runs 2",
            "ask sample mine",
        ] {
            assert_eq!(hint(fine), None, "{fine}");
        }
    }
}
