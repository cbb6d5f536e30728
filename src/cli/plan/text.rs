//! A plan in words.

use super::{Designs, PlanArgs, PlanBasis, RepeatsDesign, by_repeats, fewest, terms};
use tiebreak_base::keys::PositiveNumber;
use tiebreak_base::layout::{number, table};
use tiebreak_base::scope::PeopleScope;
use tiebreak_base::words::counted;
use tiebreak_decide::estimators::{Design, DesignTerms, NoDesign};

/// What items share without a column.
const SOURCE: &str = "source";

/// Renders all that `plan` prints.
pub(super) fn render(
    args: &PlanArgs,
    grounds: &PlanBasis,
    these: &Designs,
    new: Option<&Designs>,
) -> String {
    let mut blocks = vec![format!("{}.", wanted(args))];
    let own = these.best.map(|best| {
        let words = in_words(&best, grounds.annotators, grounds);
        format!("These annotators: {words}.")
    });
    let others = match new {
        Some(new) => Some(of_new(grounds, new)),
        None => PeopleScope::too_few(grounds.annotators as usize),
    };
    let lines = match args.scope.people {
        PeopleScope::NewAnnotators => [others, own],
        _ => [own, others],
    };
    blocks.extend(lines.into_iter().flatten());
    blocks.extend(together(args, grounds));
    let rows: Vec<Vec<String>> = these.all.iter().map(row).collect();
    blocks.push(format!(
        "\n{}",
        table(
            &[
                &format!("judgments of each {}", grounds.judged()),
                &grounds.units(),
                "judgments of each system"
            ],
            &rows
        )
    ));
    blocks.extend(beyond_annotators(grounds, these));
    blocks.extend(grounds.hints.iter().cloned());
    blocks.push(basis(args, grounds));
    blocks.join("\n")
}

/// What repeated judgments take beyond the annotators at hand, where these are known.
fn beyond_annotators(grounds: &PlanBasis, these: &Designs) -> Option<String> {
    // Of items that count as one, one annotator can judge several.
    let known = Some(grounds.annotators).filter(|_| grounds.shared.is_none())?;
    let most = these
        .all
        .iter()
        .map(|(repeats, _)| u64::from(*repeats))
        .max()?;
    (1..most).contains(&known).then(|| {
        let known = counted(known, "judgment");
        format!("With more than {known} of an output, further annotators are needed.\n")
    })
}

fn wanted(args: &PlanArgs) -> String {
    let confidence = number(100.0 * args.confidence.value());
    match (args.width, args.difference) {
        (_, Some(least)) => format!(
            "To find a difference of {} between two systems with probability {} ({confidence} % confidence)",
            least.value(),
            args.power.value()
        ),
        (width, None) => format!(
            "For a {confidence} % interval of one system's mean no wider than {} (in four studies of five)",
            width.map_or(f64::NAN, PositiveNumber::value)
        ),
    }
}

impl PlanBasis {
    /// What judgments are counted of: `output`, or what items share that count as one.
    fn judged(&self) -> String {
        match self.shared.as_deref() {
            None => "output".to_string(),
            Some(SOURCE) => SOURCE.to_string(),
            Some(column) => format!("value of `{column}`"),
        }
    }

    /// What items are called: `items`, or what those share that count as one.
    fn units(&self) -> String {
        match self.shared.as_deref() {
            None => "items".to_string(),
            Some(SOURCE) => "sources".to_string(),
            Some(column) => format!("values of `{column}`"),
        }
    }

    /// A number of items, or of those that count as one.
    fn counted(&self, n: u64) -> String {
        match self.shared.as_deref() {
            None => counted(n, "item"),
            Some(SOURCE) => counted(n, SOURCE),
            Some(column) => format!("{} of `{column}`", counted(n, "value")),
        }
    }
}

/// Renders `112 items, each output judged once, by 5 annotators`, the last only if `known`.
fn in_words(design: &Design, known: u64, grounds: &PlanBasis) -> String {
    let times = match design.repeats {
        1 => "once".to_string(),
        2 => "twice".to_string(),
        k => format!("{k} times"),
    };
    let by = match known {
        0 => String::new(),
        _ => format!(", by {}", counted(design.annotators, "annotator")),
    };
    let beyond = match grounds.items.filter(|&items| items < design.items) {
        Some(items) => format!(" (the pilot has {})", grounds.counted(items)),
        None => String::new(),
    };
    let each = match &grounds.shared {
        None => "each output",
        Some(_) => "each",
    };
    format!(
        "{}, {each} judged {times}{by}{beyond}",
        grounds.counted(design.items)
    )
}

/// Describes the design for new annotators, or why there is none.
fn of_new(grounds: &PlanBasis, new: &Designs) -> String {
    let Some(best) = new.best else {
        let wanted = match grounds.prospect.tastes {
            None => {
                "how much annotators differ is not known (a pilot with several named annotators says it, or --tastes V)"
            }
            Some(_) => "more judgments than can be counted",
        };
        return format!("New annotators: {wanted}.");
    };
    let enough = best.annotators;
    let cannot = match grounds.annotators {
        n if n == 0 || !new.takes_more => String::new(),
        n => format!(
            "cannot be had with {}, with about {enough} it can: ",
            counted(n, "annotator")
        ),
    };
    let words = in_words(&best, enough, grounds);
    format!("New annotators: {cannot}{words}.")
}

/// Describes the cost of testing all pairs of a pilot's systems at once.
fn together(args: &PlanArgs, grounds: &PlanBasis) -> Option<String> {
    args.difference.filter(|_| grounds.pairs > 1)?;
    let error = (1.0 - args.confidence.value()) / grounds.pairs as f64;
    let terms = DesignTerms {
        confidence: 1.0 - error,
        ..terms(args, PeopleScope::These)
    };
    let designs = by_repeats(args, &grounds.prospect, grounds.annotators, &terms);
    let best = fewest(&designs, grounds.items)?;
    Some(format!(
        "All {} tested at once: at most {}.",
        counted(grounds.pairs, "pair"),
        in_words(&best, grounds.annotators, grounds)
    ))
}

fn row((repeats, design): &RepeatsDesign) -> Vec<String> {
    let (items, judgments) = match design {
        Ok(design) => (design.items.to_string(), design.judgments.to_string()),
        Err(NoDesign::NoiseUnknown) => (
            "not known".to_string(),
            "no output was judged more than once".to_string(),
        ),
        Err(_) => ("-".to_string(), "not with these items".to_string()),
    };
    vec![repeats.to_string(), items, judgments]
}

/// Describes the variances of judgments, in a line.
fn basis(args: &PlanArgs, grounds: &PlanBasis) -> String {
    let (prospect, judged) = (&grounds.prospect, grounds.judged());
    let (what, pair) = match (args.difference, &grounds.shared) {
        (None, None) => ("outputs".to_string(), ""),
        (Some(_), None) => (
            "differences of outputs".to_string(),
            "judgments of one pair of outputs",
        ),
        (None, Some(_)) => (format!("means of {}", grounds.units()), ""),
        (Some(_), Some(_)) => (
            format!("differences of {}", grounds.units()),
            "those of their items",
        ),
    };
    let noise = match (prospect.noise, args.difference) {
        (None, _) => " with single judgments (no output was judged more than once)".to_string(),
        (Some(noise), None) => format!(
            " (σ_f²), judgments of one {judged} by {} (σ_a²)",
            number(noise)
        ),
        (Some(noise), Some(_)) => format!(" (σ_f²), {pair} by {} (σ_a²)", number(noise)),
    };
    let tastes = prospect.tastes.map_or_else(String::new, |tastes| {
        format!(", annotators by {} (σ_t²)", number(tastes))
    });
    let rho = match prospect.rho {
        0.0 => String::new(),
        rho => format!(", the metric correlates by {} (ρ)", number(rho)),
    };
    format!(
        "Variances: {what} vary by {}{noise}{tastes}{rho}.\n",
        number(prospect.signal)
    )
}
