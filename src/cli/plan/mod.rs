//! `tiebreak plan`: how many items, annotators and judgments a study takes.

mod text;

use super::args::{DataArgs, ReadingArgs};
use super::verbs::{Command, open, to_json};
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::{Error, Key, Message, Result};
use tiebreak_base::keys::{self, Confidence, PositiveNumber, flag};
use tiebreak_base::message;
use tiebreak_base::scope::{ItemScope, PeopleScope, ResultScope};
use tiebreak_decide::estimators::{
    Design, DesignTerms, NoDesign, Pilot, Prospect, Range, StudyTarget,
};
use tiebreak_stages::engine::Context;
use tiebreak_stages::inputs::source::{ClusterKeys, Scores};
use tiebreak_stages::stages::prospect::{self, PilotJudgments, PilotQuestion};

/// `tiebreak plan`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak plan --width 0.2 --range 1,5                               # the scale alone: worst case\n  \
tiebreak plan data/tiny --criterion adequacy --width 5              # a pilot\n  \
tiebreak plan data/tiny --criterion adequacy --difference 3 --power 0.8",
    after_help = "How much judgments vary comes from a pilot (DATA), from your own numbers (--signal, --noise), or from the \
scale alone (--range)."
)]
pub(crate) struct PlanArgs {
    /// A pilot: a data set with judgments
    #[arg(value_name = "DATA", conflicts_with = "signal")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// The criterion of the pilot [default: the only one there is]
    #[arg(long, value_name = "NAME", requires = "data")]
    pub criterion: Option<String>,
    /// Scores of all outputs of the pilot
    #[arg(long, value_name = "FILE", requires = "metric", requires = "data")]
    pub scores: Option<PathBuf>,
    /// The metric of the scores
    #[arg(long, value_name = "NAME", requires = "scores")]
    pub metric: Option<String>,
    /// The scale of the judgments [default: of a pilot that of its dataset.toml]
    #[arg(long, value_name = "LO,HI", value_parser = flag::<keys::ScaleRange>, allow_hyphen_values = true, conflicts_with = "signal")]
    pub range: Option<keys::ScaleRange>,
    /// Variance of outputs' true means; with --difference of items' true differences
    #[arg(long, value_name = "V", requires = "noise")]
    pub signal: Option<f64>,
    /// Variance of the judgments of one output
    #[arg(long, value_name = "V", requires = "signal")]
    pub noise: Option<f64>,
    /// Variance between annotators of their means, or of their mean differences
    #[arg(long, value_name = "V", requires = "signal")]
    pub tastes: Option<f64>,
    /// Correlation of a metric with outputs' true means
    #[arg(long, value_name = "R", requires = "signal", default_value_t = 0.0)]
    pub rho: f64,
    /// The wanted width of the interval of a system's mean
    #[arg(long, value_name = "W", value_parser = flag::<PositiveNumber>)]
    pub width: Option<PositiveNumber>,
    /// The difference of two systems' means to detect
    #[arg(long, value_name = "D", value_parser = flag::<PositiveNumber>, conflicts_with = "width")]
    pub difference: Option<PositiveNumber>,
    /// Probability of detecting the difference
    #[arg(long, value_name = "P", value_parser = flag::<Confidence>, default_value = "0.8", requires = "difference")]
    pub power: Confidence,
    /// Confidence of the interval, or of the test
    #[arg(long, value_name = "C", value_parser = flag::<Confidence>, default_value_t)]
    pub confidence: Confidence,
    /// Number of annotators [default: those of the pilot]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub annotators: Option<u64>,
    /// Judgments of each output; repeat to compare
    #[arg(long, value_name = "K", num_args = 1.., default_values_t = [1, 2, 3, 5], value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: Vec<u32>,
    /// Which items count as one.
    #[command(flatten)]
    pub clusters: ClusterKeys,
    /// Which people and items the result is about.
    #[command(flatten)]
    pub scope: ResultScope,
}

/// The basis of a plan.
struct PlanBasis {
    prospect: Prospect,
    /// The annotators at hand; 0 where their number is not known.
    annotators: u64,
    /// The items at hand; `None` without a pilot.
    items: Option<u64>,
    /// The pairs of systems; 1 without a pilot.
    pairs: u64,
    /// What the items share that count as one, `source` or a column; `None` where each item counts.
    shared: Option<String>,
    /// Sentences on such items.
    hints: Vec<String>,
}

/// A number of repeats with its design, or the reason why there is none.
type RepeatsDesign = (u32, std::result::Result<Design, NoDesign>);

/// The designs for one scope of annotators.
struct Designs {
    all: Vec<RepeatsDesign>,
    best: Option<Design>,
    detectable: Option<f64>,
    /// Whether they take more annotators than there are.
    takes_more: bool,
}

/// Returns the plan, as text or JSON.
pub(super) fn plan(command: &Command<'_>, args: &PlanArgs) -> Result<String> {
    let Command { context, json, .. } = *command;
    if args.width.or(args.difference).is_none() {
        let what = "a plan is for an interval of some width, or for detecting some difference";
        return Err(Error::usage(what).with_hint(message!(
            "say which: {} or {}",
            Key("width").set(0.2),
            Key("difference").set(0.2)
        )));
    }
    args.clusters.check(args.scope.items)?;
    let grounds = grounds(context, args)?;
    check_difference(args, &grounds.prospect)?;
    let these = designs(args, &grounds, PeopleScope::These);
    if these.best.is_none() {
        return Err(impossible(args, &these));
    }
    let people = args.scope.people;
    let speaks_of_new = people.includes_new(grounds.annotators as usize);
    let new = speaks_of_new.then(|| designs(args, &grounds, PeopleScope::NewAnnotators));
    if json {
        let mut document = these.json();
        document["new_annotators"] = new
            .as_ref()
            .filter(|new| new.best.is_some())
            .map_or(serde_json::Value::Null, Designs::json);
        document["width"] = serde_json::json!(args.width.map(PositiveNumber::value));
        document["difference"] = serde_json::json!(args.difference.map(PositiveNumber::value));
        document["power"] = serde_json::json!(args.difference.map(|_| args.power.value()));
        document["confidence"] = serde_json::json!(args.confidence.value());
        document["prospect"] = serde_json::json!(grounds.prospect);
        document["clusters"] = serde_json::json!(grounds.shared);
        return to_json(&document);
    }
    Ok(text::render(args, &grounds, &these, new.as_ref()))
}

/// Refuses a difference that no systems can have on the scale.
fn check_difference(args: &PlanArgs, prospect: &Prospect) -> Result<()> {
    let wanted = args.difference.map(PositiveNumber::value);
    match wanted.zip(prospect.most) {
        Some((wanted, most)) if wanted > most => Err(Error::key(
            "difference",
            format!("on this scale two systems differ by {most} at most"),
        )),
        _ => Ok(()),
    }
}

fn wish(args: &PlanArgs) -> StudyTarget {
    match (args.width, args.difference) {
        (_, Some(least)) => StudyTarget::Difference {
            least: least.value(),
            power: args.power.value(),
        },
        (width, None) => StudyTarget::Width(width.map_or(f64::NAN, PositiveNumber::value)),
    }
}

fn grounds(context: &Context<'_>, args: &PlanArgs) -> Result<PlanBasis> {
    let given = args.annotators.unwrap_or_default();
    let alone = |prospect| PlanBasis {
        prospect,
        annotators: given,
        items: None,
        pairs: 1,
        shared: None,
        hints: Vec::new(),
    };
    if let Some(data) = &args.data {
        return of_pilot(context, args, data);
    }
    if args.clusters.cluster.is_some() {
        let what = "clusters of items are those of a pilot, and there is none";
        return Err(Error::key("cluster", what).with_hint("give DATA"));
    }
    if args.scope.items == ItemScope::These {
        return Err(Error::key(
            "items",
            "these items are those of a pilot, and there is none",
        )
        .with_hint("give DATA"));
    }
    let differences = args.difference.is_some();
    match (
        args.signal,
        args.noise,
        args.range.map(keys::ScaleRange::value),
    ) {
        (Some(signal), Some(noise), _) => {
            // Either output of a pair is judged.
            let noise = if differences { 2.0 * noise } else { noise };
            Ok(alone(Prospect::new(signal, noise, args.tastes, args.rho)?))
        }
        (_, _, Some([low, high])) => {
            let range = Range::new(low, high)?;
            Ok(alone(match differences {
                true => Prospect::worst_difference(&range),
                false => Prospect::worst(&range),
            }))
        }
        _ => Err(
            Error::usage("nothing to plan from").with_hint(Message::except_in_python(
                "give a pilot (DATA), --signal V --noise V, or --range LO,HI"
                    .to_string(),
                "plan from a pilot (`tb.load(DATA).plan(\"NAME\")`), or give `signal=` and `noise=`, or `range=`"
                    .to_string(),
            )),
        ),
    }
}

fn of_pilot(context: &Context<'_>, args: &PlanArgs, data: &std::path::Path) -> Result<PlanBasis> {
    let data = DataArgs {
        data: data.to_path_buf(),
        reading: args.reading.clone(),
    };
    let source = open(context, &data)?;
    let scored = args.scores.as_deref();
    let scored = scored.map(|path| source.with_scored_outputs(context, path));
    let source = scored.transpose()?.flatten().unwrap_or(source);
    let scores = args.scores.as_ref().zip(args.metric.as_ref());
    let scores = scores
        .map(|(path, metric)| Scores::open(context, &source, path, metric))
        .transpose()?;
    let criterion = match (&args.criterion, source.index.criteria()) {
        (Some(named), _) => named,
        (None, [only]) => only,
        (None, []) => return Err(source.lacks("plan", "judgments")),
        (None, several) => {
            let what = "the judgments are under several criteria";
            let hint = message!("name one, {}: {}", Key("criterion"), several.join(", "));
            return Err(Error::key("criterion", what).with_hint(hint));
        }
    };
    let criterion = criterion.as_str();
    let differences = args.difference.is_some();
    let range = args.range.map(keys::ScaleRange::value);
    let range = range.map(|[low, high]| Range::new(low, high));
    let question = PilotQuestion {
        criterion: criterion.to_string(),
        scores,
        range: range.transpose()?,
        differences,
        confidence: args.confidence.value(),
        clusters: args.clusters.clone(),
        items: args.scope.items,
    };
    let PilotJudgments {
        pilot,
        items,
        shared,
        hints,
    } = question.pilot(context, &source)?;
    let found = match differences {
        true => Pilot::of_differences(&pilot),
        false => Pilot::of_means(&pilot),
    };
    let prospect = found.ok_or_else(|| prospect::says_nothing(&source, criterion, differences))?;
    Ok(PlanBasis {
        prospect: Prospect {
            items: (args.scope.items == ItemScope::These).then_some(items),
            ..prospect
        },
        annotators: args.annotators.unwrap_or(pilot.annotators()),
        items: Some(items),
        pairs: pilot.pairs().max(1),
        shared,
        hints,
    })
}

fn terms(args: &PlanArgs, people: PeopleScope) -> DesignTerms {
    DesignTerms {
        wish: wish(args),
        confidence: args.confidence.value(),
        people,
    }
}

/// Returns designs, with as many annotators as needed where those at hand are too few.
fn designs(args: &PlanArgs, grounds: &PlanBasis, people: PeopleScope) -> Designs {
    let terms = terms(args, people);
    let prospect = &grounds.prospect;
    let mut all = by_repeats(args, prospect, grounds.annotators, &terms);
    let of_too_few = Err(NoDesign::TooFewAnnotators);
    let takes_more = all.iter().all(|(_, design)| design.is_err())
        && all.iter().any(|(_, design)| *design == of_too_few);
    if let (true, Some(enough)) = (takes_more, prospect.enough_annotators(&terms)) {
        all = by_repeats(args, prospect, enough, &terms);
    }
    let best = fewest(&all, grounds.items);
    Designs {
        detectable: best.and_then(|best| prospect.detectable(&best, &terms)),
        best,
        all,
        takes_more,
    }
}

fn by_repeats(
    args: &PlanArgs,
    prospect: &Prospect,
    annotators: u64,
    terms: &DesignTerms,
) -> Vec<RepeatsDesign> {
    let design = |&k: &u32| (k, prospect.design(k, annotators, terms));
    args.repeats.iter().map(design).collect()
}

/// The design with the fewest judgments, among those within the items at hand if there are any.
fn fewest(all: &[RepeatsDesign], at_hand: Option<u64>) -> Option<Design> {
    let designs = all.iter().filter_map(|(_, design)| design.ok());
    let within = designs
        .clone()
        .filter(|design| at_hand.is_none_or(|items| design.items <= items));
    let judgments = |design: &Design| design.judgments;
    within
        .min_by_key(judgments)
        .or(designs.min_by_key(judgments))
}

/// The error where no design exists for these annotators.
fn impossible(args: &PlanArgs, found: &Designs) -> Error {
    let wanted = if args.difference.is_some() {
        "difference"
    } else {
        "width"
    };
    let has = |why| found.all.iter().any(|(_, design)| *design == Err(why));
    if has(NoDesign::TooFewItems) {
        return Error::key("items", "with these items alone it cannot be reached").with_hint(
            format!(
                "give more --repeats, ask for a larger --{wanted}, or plan for --items like-these"
            ),
        );
    }
    if has(NoDesign::NoiseUnknown) {
        return Error::key(
            "repeats",
            "no output of the pilot was judged more than once, so nothing is known of repeats",
        )
        .with_hint("give --repeats 1, or have some outputs judged more than once");
    }
    Error::usage("more judgments than can be counted")
        .with_hint(format!("ask for a larger --{wanted}"))
}

impl Designs {
    fn json(&self) -> serde_json::Value {
        let designs: Vec<Design> = self
            .all
            .iter()
            .filter_map(|(_, design)| design.ok())
            .collect();
        serde_json::json!({
            "items": self.best.map(|best| best.items),
            "annotators": self.best.map(|best| best.annotators),
            "repeats": self.best.map(|best| best.repeats),
            "detectable": self.detectable,
            "judgments": self.best.map(|best| best.judgments),
            "designs": designs,
        })
    }
}
