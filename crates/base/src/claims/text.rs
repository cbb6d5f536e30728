//! Claims in English: the only place where a confidence about systems is written.

use super::{Claim, ClaimKind, ClaimPopulation, Items, NoClaimReason, Premise};
use crate::error::Flag;
use crate::layout::share;
use crate::words::listed;
use std::fmt;

/// Writes the claim as [`claim_sentence`] does.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&claim_sentence(self))
    }
}

/// Returns a claim in short sentences: what is claimed, from what, and what it assumes.
pub fn claim_sentence(claim: &Claim) -> String {
    let assumptions = assumptions(claim);
    let assumes = match assumptions.is_empty() {
        true => String::new(),
        false => format!(" Assumes: {}.", assumptions.join("; ")),
    };
    format!("{}{assumes}", answer(claim))
}

/// Returns the sentences of a claim as lines, each assumption on one of its own.
pub fn claim_lines(claim: &Claim) -> Vec<String> {
    let assumptions = assumptions(claim).into_iter();
    let assumptions = assumptions.map(|one| format!("Assumes: {one}."));
    std::iter::once(answer(claim)).chain(assumptions).collect()
}

/// Returns the answer, and from how many comparisons by whom.
fn answer(claim: &Claim) -> String {
    let Some(confidence) = claim.confidence.filter(|_| claim.is_made()) else {
        return format!("{}.", undecided(claim));
    };
    let names: Vec<&str> = claim.systems.iter().map(String::as_str).collect();
    let all = format!("of the {} systems", claim.among.len());
    let what = match claim.kind {
        ClaimKind::Best if names.len() > 1 => {
            format!(
                "{} are the best {all}, with the same outputs",
                listed(&names)
            )
        }
        ClaimKind::Best => format!("{} is the best {all}", listed(&names)),
        ClaimKind::NearlyBest => format!(
            "{} is the best {all}, or nearly{}",
            listed(&names),
            margin(claim)
        ),
        ClaimKind::Top => format!("the top {} {all} are {}", names.len(), names.join(", ")),
        ClaimKind::Ranking => format!("the order {all} is {}", order(claim)),
        ClaimKind::Undecided => unreachable!("answered above"),
    };
    let answer = format!(
        "{what} ({} confidence). {}.",
        share(confidence),
        based_on(claim)
    );
    crate::words::sentence_case(&answer)
}

/// Returns `a > b = c`: systems with the same outputs are equal.
pub fn order(claim: &Claim) -> String {
    let mut text = String::new();
    for (place, name) in claim.systems.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| &claim.systems[before]);
        let both = |before| {
            let mut tied = claim.tied.iter();
            tied.any(|group| group.contains(before) && group.contains(name))
        };
        text += match before {
            None => "",
            Some(before) if both(before) => " = ",
            Some(_) => " > ",
        };
        text += name;
    }
    text
}

/// Returns how much better another system may be than a nearly best one.
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

/// Returns what a claim assumes, a short clause each.
fn assumptions(claim: &Claim) -> Vec<&'static str> {
    let of = |one: &Premise| match (claim.about, one) {
        (ClaimPopulation::Judge, Premise::NotAdaptive) => {
            &["what was compared did not depend on verdicts"][..]
        }
        (ClaimPopulation::Judge, Premise::LargeSample) => {
            &["there are enough verdicts for normal approximations"]
        }
        _ => assumption(*one, claim.kind),
    };
    match claim.is_made() {
        true => claim.assumes.iter().flat_map(of).copied().collect(),
        false => Vec::new(),
    }
}

fn assumption(premise: Premise, kind: ClaimKind) -> &'static [&'static str] {
    match (premise, kind) {
        (Premise::Condorcet, ClaimKind::Top) => &["so many systems beat all the others"],
        (Premise::Condorcet, ClaimKind::Ranking) => {
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

/// Returns from how many comparisons, by whom and on which items a claim is made.
fn based_on(claim: &Claim) -> String {
    let by = match (claim.about, claim.annotators) {
        (ClaimPopulation::Judge, _) => {
            return format!("Based on {}, {}", evidence(claim), items(claim));
        }
        (ClaimPopulation::Panel, n) => format!("people like the {n} who answered"),
        (ClaimPopulation::TheseAnnotators, n) => format!("these {n} annotators"),
        (ClaimPopulation::OneAnnotator, _) => {
            "one annotator (answers without names count as one person's)".to_string()
        }
    };
    let whose = match claim.about {
        ClaimPopulation::Panel => "for",
        _ => "by",
    };
    format!(
        "Based on {}, {whose} {by}, {}",
        evidence(claim),
        items(claim)
    )
}

/// Returns the items that a claim is about.
fn items(claim: &Claim) -> &'static str {
    match claim.items {
        Items::AtHand => "on the items at hand",
        Items::AtLarge => "on items like these",
    }
}

/// Returns the number of comparisons, or of verdicts and whose they are.
fn evidence(claim: &Claim) -> String {
    let n = claim.n;
    match &claim.judge {
        Some(judge) => format!("{n} verdicts by {judge}, not by people"),
        None => format!("{n} comparisons"),
    }
}

/// Returns why nothing is claimed.
fn undecided(claim: &Claim) -> String {
    let names = |names: &[String]| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        listed(&names)
    };
    let (n, whose) = match claim.about {
        ClaimPopulation::Judge => (format!("{},", evidence(claim)), "it prefers"),
        _ => (evidence(claim), "people prefer"),
    };
    match &claim.why {
        Some(NoClaimReason::NoAnswers) => "Undecided: nobody has answered yet".to_string(),
        Some(NoClaimReason::NotToldApart(systems)) if systems.len() == claim.among.len() => {
            format!(
                "Undecided: {n} do not tell which of the {} systems {whose}",
                systems.len()
            )
        }
        Some(NoClaimReason::NotToldApart(systems)) => {
            format!("Undecided: {n} do not tell {} apart", names(systems))
        }
        Some(NoClaimReason::SameOutputs) => "Undecided: the outputs never differ".to_string(),
        Some(NoClaimReason::NoWinner) => "Undecided: no system beats all others".to_string(),
        Some(NoClaimReason::OwnDuels(systems)) => format!(
            "Undecided: the strongest system is not shown to beat {} in its own comparisons, so it may \
             be that no system beats all others",
            names(systems)
        ),
        Some(NoClaimReason::Unaudited) => {
            "EXPLORATORY, no claim: a model answered in people's place and nobody \
             audited it"
                .to_string()
        }
        Some(NoClaimReason::NotDealt) => format!(
            "EXPLORATORY, no claim: several people answered, but who answers what was \
             not dealt beforehand (name them when the campaign begins: {})",
            Flag("annotators")
        ),
        Some(NoClaimReason::TakenBack(answers)) => format!(
            "Undecided: {answers} answers that had counted were taken back; told again as they were, under the right \
             name, they count again"
        ),
        Some(NoClaimReason::Corrected) => {
            "No claim: answers that had counted turned out to be others, or somebody else's, and what was asked since \
             rests on them; another campaign can prove something"
                .to_string()
        }
        Some(NoClaimReason::NoCertificate) => {
            "EXPLORATORY, no claim: this bandit has no certificate".to_string()
        }
        Some(NoClaimReason::ComparedByPrediction) => format!(
            "No ranks: what people compared hangs together with what was predicted, so their answers are about other \
             outputs than the predictions; rank without {} says what holds of what they compared",
            Flag("predictions")
        ),
        Some(NoClaimReason::StyleHeld) => {
            "No claim: strengths are of outputs of equal style, which nobody judged".to_string()
        }
        None => "Undecided".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Basis;

    fn claim() -> Claim {
        Claim {
            kind: ClaimKind::Best,
            systems: vec!["atlas".to_string()],
            tied: Vec::new(),
            among: vec!["atlas".to_string(), "birch".to_string()],
            confidence: Some(0.95),
            assumes: vec![Premise::Condorcet, Premise::DealtAtRandom],
            about: ClaimPopulation::OneAnnotator,
            judge: None,
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
    fn a_judges_claim_is_in_the_judges_name() {
        let claim = Claim {
            about: ClaimPopulation::Judge,
            judge: Some("gpt-4".to_string()),
            annotators: 0,
            assumes: vec![Premise::NotAdaptive, Premise::LargeSample],
            ..claim()
        };
        assert_eq!(
            claim_sentence(&claim),
            "atlas is the best of the 2 systems (95 % confidence). Based on 40 verdicts by gpt-4, not by people, on \
             the items at hand. Assumes: what was compared did not depend on verdicts; there are enough verdicts for \
             normal approximations."
        );
        let both = vec!["atlas".to_string(), "birch".to_string()];
        let open = claim.withdrawn(NoClaimReason::NotToldApart(both));
        assert_eq!(
            claim_sentence(&open),
            "Undecided: 40 verdicts by gpt-4, not by people, do not tell which of the 2 systems it prefers."
        );
    }

    #[test]
    fn systems_with_the_same_outputs_are_equal_in_an_order() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let ranking = Claim {
            kind: ClaimKind::Ranking,
            systems: names(&["atlas", "birch", "cedar", "dune"]),
            tied: vec![names(&["birch", "cedar"])],
            ..claim()
        };
        assert_eq!(order(&ranking), "atlas > birch = cedar > dune");
    }

    #[test]
    fn without_a_claim_there_is_no_confidence() {
        for why in [
            NoClaimReason::NoAnswers,
            NoClaimReason::NoWinner,
            NoClaimReason::Unaudited,
            NoClaimReason::NotDealt,
            NoClaimReason::TakenBack(3),
            NoClaimReason::Corrected,
            NoClaimReason::StyleHeld,
            NoClaimReason::OwnDuels(vec!["birch".to_string()]),
            NoClaimReason::NotToldApart(vec!["atlas".to_string(), "birch".to_string()]),
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
}
