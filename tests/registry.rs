//! The lists are complete and well formed: every file is listed, every entry documented and cited,
//! and every entry can be built with its default parameters.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tiebreak::bandits::{Arena, BANDITS};
use tiebreak::env::Env;
use tiebreak::estimators::{ESTIMATORS, Population, Range, Survey};
use tiebreak::metrics::{Blueprint, METRICS};
use tiebreak::preference::links::LINKS;
use tiebreak::registry::{Entry, Params};

fn check<B>(kind: &str, list: &[Entry<B>]) {
    assert!(!list.is_empty(), "no {kind} is listed");
    let mut names = BTreeSet::new();
    for entry in list {
        let name = entry.name;
        assert!(names.insert(name), "{kind} `{name}` is listed twice");
        assert!(
            name.chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-+".contains(c)),
            "{kind} `{name}` is not in kebab-case"
        );
        assert!(
            entry.summary.len() > 20 && !entry.summary.contains('\n'),
            "{kind} `{name}` has no summary"
        );
        assert!(entry.cite.len() > 10, "{kind} `{name}` has no citation");
        let parameters = (entry.parameters)();
        let parameters = parameters
            .as_object()
            .unwrap_or_else(|| panic!("{name}: parameters are an object"));
        for key in parameters.keys() {
            assert!(
                !key.contains('_'),
                "{kind} `{name}`: parameter `{key}` is not in kebab-case"
            );
        }
    }
}

/// Metrics that need a file or folder that only the user can give, and the parameter that takes it.
const NEEDS: [(&str, &str); 4] = [
    ("meteor", "resources"),
    ("embedding-average", "vectors"),
    ("vector-extrema", "vectors"),
    ("greedy-matching", "vectors"),
];

/// Without its resource a metric says which parameter it needs, and where to get what it takes.
fn refuses_without(name: &str, parameter: &str, entry: &Entry<Blueprint>) {
    let listed = (entry.parameters)();
    assert!(
        listed.get(parameter).is_some(),
        "{name}: {parameter} is not listed"
    );
    let error = (entry.build.build)(&Params::default(), &Env::default()).err();
    let error = error.unwrap_or_else(|| panic!("{name} needs no {parameter}"));
    let needs = format!("{name} needs {parameter}=");
    assert!(error.to_string().contains(&needs), "{name}: {error}");
    assert!(error.hint().is_some(), "{name}: {error} has no hint");
    assert_eq!(error.exit_code(), 2, "{name}: {error}");
}

#[test]
fn every_list_is_well_formed() {
    check("metric", METRICS);
    check("link", LINKS);
    check("bandit", BANDITS);
    check("estimator", ESTIMATORS);
}

#[test]
fn every_entry_can_be_built_with_its_defaults_and_refuses_unknown_keys() {
    let (_, unknown) = Params::parse("x:no-such-parameter=1").unwrap();
    for entry in METRICS {
        let parameters = (entry.parameters)();
        match (entry.build.build)(&Params::default(), &Env::default()) {
            Ok(_) => {}
            // A metric on a model has no default model: it says how to name one.
            Err(error) if parameters["model"] == "" => {
                let hint = error.hint().unwrap_or_default();
                let advised = hint.contains("model=") || hint.contains("`neural`");
                assert!(advised, "{}: {error}", entry.name);
            }
            Err(error) => match NEEDS.iter().find(|(name, _)| *name == entry.name) {
                Some((name, parameter)) => refuses_without(name, parameter, entry),
                None => panic!("{}: {error}", entry.name),
            },
        }
        assert!(
            (entry.build.build)(&unknown, &Env::default()).is_err(),
            "{}",
            entry.name
        );
    }
    let arena = Arena::new(4, 1000).unwrap();
    for entry in BANDITS {
        assert!(
            (entry.build)(&Params::default(), &arena).is_ok(),
            "{}",
            entry.name
        );
        assert!((entry.build)(&unknown, &arena).is_err(), "{}", entry.name);
    }
    let survey = Survey {
        range: Some(Range::new(0.0, 1.0).unwrap()),
        ..Survey::new(Population::from_scores([0.0, 0.5, 1.0]))
    };
    for entry in ESTIMATORS {
        let build = entry.build.build;
        assert!(build(&Params::default(), &survey).is_ok(), "{}", entry.name);
        assert!(build(&unknown, &survey).is_err(), "{}", entry.name);
    }
}

/// A file whose entry its folder does not list would be dead code with a name.
#[test]
fn every_entry_of_a_folder_is_listed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    for (folder, listed) in [
        ("metrics/src/metrics", METRICS.len()),
        ("decide/src/bandits", BANDITS.len()),
        ("decide/src/estimators", ESTIMATORS.len()),
        ("preference/src/preference/links", LINKS.len()),
    ] {
        let listing = fs::read_to_string(source.join(folder).join("mod.rs")).unwrap();
        let entries = entries(&source.join(folder));
        for entry in &entries {
            assert!(
                listing.contains(entry.as_str()),
                "{entry} of {folder} is not listed"
            );
        }
        assert_eq!(entries.len(), listed, "entries of {folder}");
    }
}

/// `MODULE::NAME` of every entry that the modules of a folder, files or folders themselves, declare.
fn entries(folder: &Path) -> Vec<String> {
    let inside = |folder: &Path| -> Vec<PathBuf> {
        let files = fs::read_dir(folder).unwrap();
        files.map(|file| file.unwrap().path()).collect()
    };
    let mut found = Vec::new();
    for module in inside(folder) {
        let files = match module.is_dir() {
            true => inside(&module),
            false => vec![module.clone()],
        };
        let name = module.file_stem().unwrap().to_string_lossy();
        for file in files.iter().filter(|file| file.is_file()) {
            let text = fs::read_to_string(file).unwrap();
            let shared = text.lines().filter(|line| line.starts_with("pub"));
            let declared =
                shared.filter_map(|line| line.split_once(": Entry<")?.0.split_once("const "));
            found.extend(declared.map(|(_, entry)| format!("{name}::{entry}")));
        }
    }
    found
}

#[test]
fn every_metric_has_a_golden_in_the_repository() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/metrics");
    for entry in METRICS {
        // Variants of one metric share a file: chrf and chrf++, rouge-1 and rouge-l.
        let family = entry.name.split(['-', '+']).next().unwrap();
        let path = folder.join(format!("{family}.jsonl"));
        let text =
            fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} is missing", path.display()));
        assert!(text.lines().count() > 1, "{} has no cases", path.display());
        assert!(
            text.lines().next().unwrap().contains("version"),
            "{}: provenance first",
            path.display()
        );
    }
}
