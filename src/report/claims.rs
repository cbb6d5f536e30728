//! Claims in English: the only place where a confidence about systems is written.

use super::words::listed;
use crate::claims::{About, Basis, Claim, Items, Kind, Premise, Why};
use crate::layout::{number, share};
use crate::scope::{ENOUGH_ANNOTATORS, PeopleScope};
use crate::tables::ranking::{Evidence, Ranking, Scale};
use std::fmt;

/// As [`claim_sentence`] has it.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&claim_sentence(self))
    }
}

/// What is claimed, from what, and what it assumes: short sentences after each other.
pub fn claim_sentence(claim: &Claim) -> String {
    let assumptions = assumptions(claim);
    let assumes = match assumptions.is_empty() {
        true => String::new(),
        false => format!(" Assumes: {}.", assumptions.join("; ")),
    };
    format!("{}{assumes}", answer(claim))
}

/// The same in lines, each assumption on one of its own.
pub(crate) fn claim_lines(claim: &Claim) -> Vec<String> {
    let assumptions = assumptions(claim).into_iter();
    let assumptions = assumptions.map(|one| format!("Assumes: {one}."));
    std::iter::once(answer(claim)).chain(assumptions).collect()
}

/// The answer, and from how many comparisons by whom.
fn answer(claim: &Claim) -> String {
    let Some(confidence) = claim.confidence.filter(|_| claim.is_made()) else {
        return format!("{}.", undecided(claim));
    };
    let names: Vec<&str> = claim.systems.iter().map(String::as_str).collect();
    let all = format!("of the {} systems", claim.among.len());
    let what = match claim.kind {
        Kind::Best if names.len() > 1 => {
            format!(
                "{} are the best {all}, with the same outputs",
                listed(&names)
            )
        }
        Kind::Best => format!("{} is the best {all}", listed(&names)),
        Kind::NearlyBest => format!(
            "{} is the best {all}, or nearly{}",
            listed(&names),
            margin(claim)
        ),
        Kind::Top => format!("the top {} {all} are {}", names.len(), names.join(", ")),
        Kind::Ranking => format!("the order {all} is {}", names.join(" > ")),
        Kind::Undecided => unreachable!("answered above"),
    };
    let answer = format!(
        "{what} ({} confidence). {}.",
        share(confidence),
        based_on(claim)
    );
    super::words::sentence_case(&answer)
}

/// Of a nearly best system, how little better another one may be.
fn margin(claim: &Claim) -> String {
    let Some(margin) = claim.margin else {
        return String::new();
    };
    let there = match margin.differing == margin.overall {
        true => String::new(),
        false => format!(", {} where their outputs differ", share(margin.differing)),
    };
    format!(
        ": no other is preferred to it more than {} of the time{there}, a tie counting one half",
        share(margin.overall)
    )
}

/// What a claim assumes, a short clause each.
fn assumptions(claim: &Claim) -> Vec<&'static str> {
    let of = |one: &Premise| assumption(*one, claim.kind);
    match claim.is_made() {
        true => claim.assumes.iter().flat_map(of).copied().collect(),
        false => Vec::new(),
    }
}

fn assumption(premise: Premise, kind: Kind) -> &'static [&'static str] {
    match (premise, kind) {
        (Premise::Condorcet, Kind::Top) => &["so many systems beat all the others"],
        (Premise::Condorcet, Kind::Ranking) => {
            &["the systems have an order in which each beats all below it"]
        }
        (Premise::Condorcet, _) => &["some system beats every other one"],
        (Premise::NotAdaptive, _) => &[
            "what was compared did not depend on answers or predictions",
            "the number of comparisons was fixed beforehand (to look again and again, run a campaign: `tiebreak ask`)",
        ],
        (Premise::LargeSample, _) => &["there are enough answers for normal approximations"],
        (Premise::Transitive, _) => &["strengths tell who would win where systems never met"],
        (Premise::NoDrift, _) => &["no annotator's taste changed meanwhile"],
        (Premise::DealtAtRandom, _) => &["every question was dealt at random"],
        (Premise::AnnotatorsDrawnAtRandom, _) => {
            &["the annotators were drawn at random from people like them"]
        }
    }
}

/// From how many comparisons by whom on which items.
fn based_on(claim: &Claim) -> String {
    let by = match (claim.about, claim.annotators) {
        (About::Panel, n) => format!("people like the {n} who answered"),
        (About::TheseAnnotators, n) => format!("these {n} annotators"),
        (About::OneAnnotator, _) => {
            "one annotator (answers without names count as one person's)".to_string()
        }
    };
    let items = match claim.items {
        Items::AtHand => "on the items at hand",
        Items::AtLarge => "on items like these",
    };
    let whose = match claim.about {
        About::Panel => "for",
        _ => "by",
    };
    format!("Based on {} comparisons, {whose} {by}, {items}", claim.n)
}

/// Why nothing is claimed.
fn undecided(claim: &Claim) -> String {
    let names = |names: &[String]| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        listed(&names)
    };
    let n = claim.n;
    match &claim.why {
        Some(Why::NoAnswers) => "Undecided: nobody has answered yet".to_string(),
        Some(Why::NotToldApart(systems)) if systems.len() == claim.among.len() => {
            format!(
                "Undecided: {n} comparisons do not tell which of the {} systems people prefer",
                systems.len()
            )
        }
        Some(Why::NotToldApart(systems)) => {
            format!(
                "Undecided: {n} comparisons do not tell {} apart",
                names(systems)
            )
        }
        Some(Why::SameOutputs) => "Undecided: the outputs never differ".to_string(),
        Some(Why::NoWinner) => "Undecided: no system beats all others".to_string(),
        Some(Why::OwnDuels(systems)) => format!(
            "Undecided: the strongest system is not shown to beat {} in its own comparisons, so it may \
             be that no system beats all others",
            names(systems)
        ),
        Some(Why::Unaudited) => {
            "EXPLORATORY, no claim: a model answered in people's place and nobody \
             audited it"
                .to_string()
        }
        Some(Why::NotDealt) => {
            "EXPLORATORY, no claim: several people answered, but who answers what was \
             not dealt beforehand (name them when the campaign begins: --annotators)"
                .to_string()
        }
        Some(Why::TakenBack(answers)) => format!(
            "Undecided: {answers} answers that had counted were taken back; told again as they were, under the right \
             name, they count again"
        ),
        Some(Why::Corrected) => {
            "No claim: answers that had counted turned out to be others, or somebody else's, and what was asked since \
             rests on them; another campaign can prove something"
                .to_string()
        }
        Some(Why::NoCertificate) => {
            "EXPLORATORY, no claim: this bandit has no certificate".to_string()
        }
        Some(Why::ComparedByPrediction) => {
            "No ranks: what people compared hangs together with what was predicted, so their answers are about other \
             outputs than the predictions; rank without --predictions says what holds of what they compared"
                .to_string()
        }
        Some(Why::StyleHeld) => {
            "No claim: strengths are of outputs of equal style, which nobody judged".to_string()
        }
        None => "Undecided".to_string(),
    }
}

/// From what the means of a campaign of ratings are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Means {
    /// Ratings, second opinions among them.
    pub ratings: u64,
    /// Outputs that are rated.
    pub outputs: u64,
    /// Outputs that were to be.
    pub of: u64,
    /// Whether some are still to be.
    pub open: bool,
    /// Whether each is dealt to one of several people.
    pub several: bool,
    /// Whether some were skipped.
    pub skipped: bool,
    /// Whether every output was as probable as any other.
    pub even: bool,
    /// Whether intervals hold whenever one looks.
    pub anytime: bool,
    /// The width that is wanted, that of the widest interval, and whether that is narrow enough.
    pub reached: Option<(f64, Option<f64>, bool)>,
}

/// What can be said of the means of a campaign of ratings, with what it takes for granted.
pub fn rated_sentence(means: &Means) -> String {
    let Means {
        ratings,
        outputs,
        of,
        open,
        several,
        skipped,
        even,
        anytime,
        reached,
    } = *means;
    if ratings == 0 {
        return "Nothing is known yet: nobody has rated anything.".to_string();
    }
    let drawn = match even {
        true => "drawn evenly",
        false => "drawn with probabilities that the means undo",
    };
    let when = match anytime {
        true => "hold whenever one looks",
        false => "hold for a number of ratings that was fixed beforehand, such as the whole plan",
    };
    let like = "taken to be like what was rated";
    let unrated = match (open, skipped) {
        (false, false) => String::new(),
        (true, false) => format!("; what is still open is {like}"),
        (false, true) => format!("; what was skipped is {like}"),
        (true, true) => format!("; what is open or was skipped is {like}"),
    };
    // Who was dealt an output was drawn; whose rating is there by now was not.
    let pace = match open && several {
        true => ", and whoever answers faster weighs more until the plan is done",
        false => "",
    };
    let enough = match reached {
        None => String::new(),
        Some((width, Some(widest), true)) => format!(
            "Enough: no interval is wider than {} (wanted: {}). ",
            number(widest),
            number(width)
        ),
        Some((width, Some(widest), false)) => format!(
            "Not yet enough: the widest interval is {} wide (wanted: {}). ",
            number(widest),
            number(width)
        ),
        Some((width, None, _)) => format!(
            "Not yet enough: some intervals are not known (wanted: {} wide). ",
            number(width)
        ),
    };
    format!(
        "{enough}Means rest on {ratings} ratings of {outputs} of {of} outputs, {drawn}; intervals {when}{unrated}{pace}."
    )
}

/// From what strengths and ranks are made and what their intervals mean, in a line or two.
pub(crate) fn ranked_from(evidence: &Evidence) -> String {
    let unit = match evidence.scale {
        Scale::LogOdds => "log-odds",
        Scale::Margin => "margins of preference (0.1: preferred 60 % of the time)",
    };
    format!(
        "Strengths in {unit} against the average system, a tie being half a win and half a loss, {}.{}",
        holding(evidence),
        apart(evidence)
    )
}

/// The same of strengths that are told as how often a system is preferred.
pub(crate) fn preferred_from(evidence: &Evidence) -> String {
    format!(
        "Preferred: how often people prefer the system to the average one, a tie counting one half, {}. A rank \
         of 1–3 may be any of these.{}",
        holding(evidence),
        apart(evidence)
    )
}

/// From how many answers, and for what intervals and ranks hold.
fn holding(evidence: &Evidence) -> String {
    let identical = match evidence.identical {
        0 => String::new(),
        free => format!(" and {free} identical outputs"),
    };
    let predictions = match evidence.predictions {
        0 => String::new(),
        many => format!(" beside {many} predictions"),
    };
    // What is collected adaptively has no one level for intervals and ranks.
    let and = if evidence.adaptive {
        " together, and"
    } else {
        " and"
    };
    let stopping = match evidence.adaptive {
        true => ", whatever was asked and whenever one looks, in large samples",
        false => "",
    };
    format!(
        "from {} comparisons{identical}{predictions}. All intervals{and} all ranks together hold with {} confidence over \
         items like these, for these annotators, each as often as they answered{stopping}, if one strength each says who beats whom",
        evidence.answers,
        share(evidence.confidence)
    )
}

/// That a campaign's claim is not read off its intervals, and that some systems were never compared with some
/// others, where that is so.
fn apart(evidence: &Evidence) -> String {
    let own = match evidence.adaptive {
        true => {
            " A claim has a test of its own, which needs fewer comparisons: it may decide what these intervals \
             leave open."
        }
        false => "",
    };
    let unlinked = match evidence.unlinked {
        0 | 1 => String::new(),
        many => format!(
            " {many} groups of systems were never compared with each other; strengths are against the \
             average of the own group."
        ),
    };
    format!("{own}{unlinked}{}", dealt(evidence))
}

/// How annotators weigh where pairs of systems did not go alike to all of them.
fn dealt(evidence: &Evidence) -> String {
    let reweighted = match evidence.reweighted {
        true => {
            " Annotators compared different pairs; comparisons count so that each annotator weighs the same in every \
             pair."
        }
        false => "",
    };
    let names: Vec<&str> = evidence.unjudged.iter().map(String::as_str).collect();
    match names.is_empty() {
        true => reweighted.to_string(),
        false => format!(
            "{reweighted} Nothing is claimed about {}, which some annotators never judged.",
            listed(&names)
        ),
    }
}

/// What the ranks of systems by estimates mean, with `confidence` where it is known.
pub(crate) fn ranked_by_tests(tested: bool, confidence: Option<f64>) -> String {
    let with = confidence.map_or_else(String::new, |one| {
        format!(" with {} confidence", share(one))
    });
    match tested {
        true => format!(
            "Ranks are those that the tests of all differences leave open; they hold together{with} (Holm's \
             correction)."
        ),
        false => {
            "No ranks are given: intervals of single systems do not test which of them differ."
                .to_string()
        }
    }
}

/// What a ranking says in lines, the answer first: about these annotators, then about new ones, unless these were asked for.
pub(crate) fn ranking_lines(ranking: &Ranking) -> Vec<String> {
    let these = claim_lines(&ranking.claim);
    let others = new_annotators(ranking);
    match ranking.people == PeopleScope::NewAnnotators && ranking.new_annotators.is_some() {
        true => {
            let these = format!("These annotators: {}", claim_sentence(&ranking.claim));
            others.into_iter().chain([these]).collect()
        }
        false => these.into_iter().chain(others).collect(),
    }
}

/// What a ranking says about people like those who answered, or that there are too few to say anything; nothing of a
/// campaign, which says whom it is about, nor where nobody is known to have answered.
fn new_annotators(ranking: &Ranking) -> Option<String> {
    let claim = &ranking.claim;
    if claim.basis != Basis::Inference || claim.n == 0 {
        return None;
    }
    match &ranking.new_annotators {
        Some(panel) => Some(format!("New annotators: {}", claim_sentence(&panel.claim))),
        None if claim.annotators < ENOUGH_ANNOTATORS as u64 => {
            Some(PeopleScope::too_few(claim.annotators as usize))
        }
        None => None,
    }
}

/// Whose answers a claim rests on, in a sentence.
pub(crate) fn answered(claim: &Claim) -> String {
    match (claim.basis, claim.about, claim.annotators) {
        (.., 0) => "Nobody has answered yet.".to_string(),
        (Basis::Campaign, About::OneAnnotator, _) => "One annotator answered.".to_string(),
        (Basis::Campaign, About::TheseAnnotators, n) => format!("{n} listed annotators answered."),
        (Basis::Campaign, About::Panel, n) => format!("{n} people answered, newly drawn."),
        (Basis::Inference, _, 1) => "One annotator answered, or answers without names.".to_string(),
        (Basis::Inference, _, n) => format!("{n} annotators answered."),
    }
}

/// What a claim rests on, for a headline: inference or campaign.
pub(super) fn basis(claim: &Claim) -> &'static str {
    match claim.basis {
        Basis::Inference => "by the comparisons collected",
        Basis::Campaign => "by the campaign's own evidence",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Claim {
        Claim {
            kind: Kind::Best,
            systems: vec!["atlas".to_string()],
            among: vec!["atlas".to_string(), "birch".to_string()],
            confidence: Some(0.95),
            assumes: vec![Premise::Condorcet, Premise::DealtAtRandom],
            about: About::OneAnnotator,
            annotators: 1,
            items: Items::AtHand,
            basis: Basis::Campaign,
            n: 40,
            margin: None,
            why: None,
        }
    }

    #[test]
    fn a_claim_comes_with_its_premises() {
        let told = claim_sentence(&claim());
        assert_eq!(
            told,
            "atlas is the best of the 2 systems (95 % confidence). Based on 40 comparisons, by one annotator (answers \
             without names count as one person's), on the items at hand. Assumes: some system beats every other one; \
             every question was dealt at random."
        );
        let lines = claim_lines(&claim());
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[2], "Assumes: every question was dealt at random.");
    }

    #[test]
    fn without_a_claim_there_is_no_confidence() {
        for why in [
            Why::NoAnswers,
            Why::NoWinner,
            Why::Unaudited,
            Why::NotDealt,
            Why::TakenBack(3),
            Why::Corrected,
            Why::StyleHeld,
            Why::OwnDuels(vec!["birch".to_string()]),
            Why::NotToldApart(vec!["atlas".to_string(), "birch".to_string()]),
        ] {
            let told = claim_sentence(&claim().withdrawn(why));
            assert!(
                !told.contains("confidence")
                    && !told.contains("best of")
                    && !told.contains("Assumes"),
                "{told}"
            );
        }
    }

    #[test]
    fn means_come_with_what_they_take_for_granted() {
        let means = Means {
            ratings: 50,
            outputs: 40,
            of: 60,
            open: true,
            several: false,
            skipped: false,
            even: true,
            anytime: false,
            reached: None,
        };
        let told = rated_sentence(&means);
        assert!(told.contains("50 ratings of 40 of 60 outputs") && told.contains("still open"));
        assert!(
            told.contains("fixed beforehand") && !told.contains("nough"),
            "{told}"
        );
        let shared = Means {
            several: true,
            ..means
        };
        assert!(rated_sentence(&shared).contains("whoever answers faster weighs more"));
        let done = Means {
            open: false,
            ..shared
        };
        assert!(!rated_sentence(&done).contains("faster") && !told.contains("faster"));
        let nothing = rated_sentence(&Means {
            ratings: 0,
            ..means
        });
        assert!(nothing.starts_with("Nothing is known"), "{nothing}");
        for (widest, reached, says) in [
            (Some(0.4), true, "Enough: no interval is wider than 0.4"),
            (
                Some(0.9),
                false,
                "Not yet enough: the widest interval is 0.9",
            ),
            (None, false, "Not yet enough: some intervals are not known"),
        ] {
            let told = rated_sentence(&Means {
                anytime: true,
                reached: Some((0.5, widest, reached)),
                ..means
            });
            assert!(
                told.starts_with(says) && told.contains("whenever one looks"),
                "{told}"
            );
        }
    }
}
