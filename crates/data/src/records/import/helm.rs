//! Runs of HELM (`helm-run`, with criteria also `helm-summarize`).
//!
//! An item is a scenario and an instance, with its perturbation; trials, which have other examples in their prompts, are
//! its repeats. Criteria are the statistics that HELM displays; those
//! of `per_instance_stats.json` are used on demand, since bookkeeping is among them.

use super::frame::{
    DatasetBuilder, FURTHER_OUTPUT, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    RecordValue, Repeats, picked,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tiebreak_base::error::{Error, Flag, Message, Result};
use tiebreak_base::message;

/// The format of HELM's folders of runs.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "helm",
    summary: "HELM runs",
    picks: &["from"],
    matching_files: |files| files.that(|file| file.name() == STATE),
    read,
};

/// The file with the outputs of a run.
pub(super) const STATE: &str = "scenario_state.json";

/// Whether a file is one that HELM writes beside the outputs.
pub(super) fn is_part(file: &ImportFile) -> bool {
    [DISPLAYED, PER_INSTANCE, "run_spec.json"].contains(&file.name())
}

const DISPLAYED: &str = "display_predictions.json";
const PER_INSTANCE: &str = "per_instance_stats.json";

fn read(
    found: &[&ImportFile],
    files: &ImportFiles,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let from = match builder.options.picked("from") {
        None | Some(DISPLAYED) => DISPLAYED,
        Some(PER_INSTANCE) => PER_INSTANCE,
        Some(other) => {
            let picked = picked("from", other);
            let what = message!("{}: expected {DISPLAYED} or {PER_INSTANCE}", picked);
            return Err(Error::usage(what));
        }
    };
    builder.taken(format!(
        "system: the model; item: scenario and instance; source: input; references: those tagged correct; criteria: {from}"
    ));
    let mut bookkeeping = BTreeSet::new();
    let mut judged = false;
    for state in found {
        let folder = state.path.parent().unwrap_or(Path::new(""));
        let beside = |name: &str| {
            let mut files = files.all.iter();
            files.find(|file| file.name() == name && file.path.parent() == Some(folder))
        };
        let run = HelmRun::read(state, beside("run_spec.json"))?;
        run.outputs(state, builder)?;
        if let Some(file) = beside(from) {
            judged |= run.judgments(file, from, builder)?;
        }
        if let Some(file) = beside(PER_INSTANCE).filter(|_| !judged && bookkeeping.is_empty()) {
            names(file, &mut bookkeeping)?;
        }
    }
    if !judged && !bookkeeping.is_empty() {
        let names = bookkeeping.into_iter().collect::<Vec<_>>().join(", ");
        builder.note(format!(
            "no criteria in {from}; name some: {} from={PER_INSTANCE} {} NAME,… of {names}",
            Flag("pick"),
            Flag("criteria")
        ));
    }
    Ok(())
}

/// Collects the names of the statistics.
fn names(file: &ImportFile, names: &mut BTreeSet<String>) -> Result<()> {
    file.records(&[], &mut |record| {
        for one in record.get("stats").items() {
            names.extend(one.get("name").get("name").filled()?);
        }
        Ok(())
    })
}

struct HelmRun {
    scenario: String,
    system: String,
    /// Whether each instance was asked several times.
    has_trials: bool,
}

impl HelmRun {
    fn read(state: &ImportFile, spec: Option<&ImportFile>) -> Result<Self> {
        let spec = match spec {
            Some(file) => file.object(&[])?,
            None => state.object(&["request_states"])?,
        };
        let folder = state.folder();
        let name = spec.get("name").filled()?.unwrap_or(folder);
        let adapter = spec.get("adapter_spec");
        Ok(Self {
            scenario: without_model(&name),
            system: adapter.first(&["model", "model_deployment"]).name()?,
            has_trials: adapter.get("num_train_trials").value().as_u64() > Some(1),
        })
    }

    fn outputs(&self, state: &ImportFile, builder: &mut DatasetBuilder<'_>) -> Result<()> {
        state.records(&["request_states"], &mut |request| {
            let instance = request.get("instance");
            let place = InstanceVersion::read(&request, instance.get("id").name()?)?;
            let item = self.item(&place);
            if !request.get("reference_index").is_null() {
                builder.drop("a request about one option");
                return Ok(());
            }
            let result = request.get("result");
            let completions = result.get("completions");
            let failed = result.get("success").value().as_bool() == Some(false);
            if failed || completions.items().len() == 0 {
                builder.failed(&self.system, "a failed request");
                return Ok(());
            }
            let source = instance.get("input").get("text").text()?;
            if !builder.item(&item, source.as_deref(), &correct(instance)?)? {
                builder.refuse(&item, &self.system, "another instance under the same id");
                return Ok(());
            }
            if place.trial != 0 {
                builder.drop(match builder.options.repeats {
                    Repeats::All => FURTHER_OUTPUT,
                    Repeats::First => "a further trial",
                });
                return Ok(());
            }
            builder.drop_many("a further completion", completions.items().len() as u64 - 1);
            let output = completions.nth(0).get("text").text()?;
            builder
                .output_once(&item, &self.system, output.as_deref(), request.node(), None)
                .map(drop)
        })
    }

    fn item(&self, place: &InstanceVersion) -> String {
        let perturbed = place.perturbation.iter().map(|name| format!("~{name}"));
        let marks: String = perturbed.collect();
        format!("{}/{}{marks}", self.scenario, place.id)
    }

    /// Reads statistics as judgments; returns whether there were any.
    fn judgments(
        &self,
        file: &ImportFile,
        from: &str,
        builder: &mut DatasetBuilder<'_>,
    ) -> Result<bool> {
        let mut any = false;
        file.records(&[], &mut |record| {
            let place = InstanceVersion::read(&record, record.get("instance_id").name()?)?;
            let item = self.item(&place);
            if builder.is_again("statistics", &(&item, &self.system, place.trial)) {
                return Ok(());
            }
            let stats = record.get("stats");
            let mut found: BTreeMap<String, Option<f64>> = BTreeMap::new();
            for (name, score) in stats.fields() {
                found.insert(name.to_string(), score.number()?);
            }
            for one in stats.items() {
                let name = one.get("name");
                if perturbation(name)? == place.perturbation {
                    let mean = one.get("mean").number()?;
                    let known = found.entry(name.get("name").name()?).or_default();
                    *known = mean.or(*known);
                }
            }
            any |= found.values().any(Option::is_some);
            if from == PER_INSTANCE && builder.options.criteria.is_none() {
                return Err(Error::usage(
                    "per_instance_stats.json holds bookkeeping too: name the criteria",
                )
                .with_hint(Message::except_in_python(
                    format!("such as {} exact_match", Flag("criteria")),
                    "such as `criteria=[\"exact_match\"]`".to_string(),
                )));
            }
            if place.trial != 0 && builder.options.repeats == Repeats::First {
                return Ok(());
            }
            let repeat = (place.trial + 1).to_string();
            let has_repeats = self.has_trials || place.trial != 0;
            let repeat = has_repeats.then_some(repeat.as_str());
            for (criterion, score) in &found {
                builder.measured((&item, &self.system), repeat, criterion, *score)?;
            }
            Ok(())
        })?;
        Ok(any)
    }
}

/// Returns the name of a run without the model.
fn without_model(name: &str) -> String {
    let (scenario, arguments) = name.split_once(':').unwrap_or((name, ""));
    let of_model = |argument: &&str| {
        argument.starts_with("model=") || argument.starts_with("model_deployment=")
    };
    let kept: Vec<&str> = arguments
        .split(',')
        .filter(|one| !one.is_empty() && !of_model(one))
        .collect();
    match kept.is_empty() {
        true => scenario.to_string(),
        false => format!("{scenario}:{}", kept.join(",")),
    }
}

/// The version of an instance that a record is about.
struct InstanceVersion {
    id: String,
    perturbation: Option<String>,
    trial: u64,
}

impl InstanceVersion {
    fn read(record: &ImportRecord, id: String) -> Result<Self> {
        let own = perturbation(record.node())?;
        let perturbation = match own {
            Some(name) => Some(name),
            None => perturbation(record.get("instance"))?,
        };
        Ok(Self {
            id,
            perturbation,
            trial: record
                .get("train_trial_index")
                .value()
                .as_u64()
                .unwrap_or(0),
        })
    }
}

/// Returns the name of a perturbation.
fn perturbation(of: RecordValue<'_>) -> Result<Option<String>> {
    let perturbation = of.get("perturbation");
    match perturbation.value().is_object() {
        true => perturbation.first(&["name", "name_"]).filled(),
        false => perturbation.filled(),
    }
}

/// Returns the references that are tagged as correct.
fn correct(instance: RecordValue<'_>) -> Result<Vec<String>> {
    let mut correct = Vec::new();
    for reference in instance.get("references").items() {
        if reference
            .get("tags")
            .texts()?
            .iter()
            .any(|tag| tag == "correct")
        {
            correct.extend(reference.get("output").get("text").text()?);
        }
    }
    Ok(correct)
}
