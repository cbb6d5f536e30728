//! Claims in English: the only place where a confidence about systems is written.

use super::{Basis, Claim, ClaimKind, ClaimPopulation, Items, NoClaimReason, Premise};
use crate::error::Flag;
use crate::layout::share;
use crate::words::{as_sentence, counted, listed};
use std::fmt;

/// Writes the claim in short sentences: the verdict, what it is based on, and what it assumes.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.verdict())?;
        let assumes: Vec<String> = self
            .assumptions()
            .iter()
            .map(|one| as_sentence(one))
            .collect();
        match assumes.is_empty() {
            true => Ok(()),
            false => write!(f, " Assumptions: {}", assumes.join(" ")),
        }
    }
}

impl Claim {
    /// Returns a claim as lines: the verdict, then what it assumes as a list.
    pub fn lines(&self) -> Vec<String> {
        let assumes = self.assumptions();
        let heading = (!assumes.is_empty()).then(|| "Assumptions:".to_string());
        let assumes = assumes.into_iter().map(|one| format!("- {one}"));
        let lines = std::iter::once(self.verdict()).chain(heading);
        lines.chain(assumes).collect()
    }

    /// Returns the verdict, from how many comparisons it is and for whom it holds, or why nothing is proved.
    pub fn verdict(&self) -> String {
        let Some(confidence) = self.confidence.filter(|_| self.is_made()) else {
            return format!("{}.", undecided(self));
        };
        let names: Vec<&str> = self.systems.iter().map(String::as_str).collect();
        let all = format!("of the {} systems", self.among.len());
        let what = match self.kind {
            ClaimKind::Best if names.len() > 1 => {
                format!(
                    "{}, whose outputs are identical, are the best {all}",
                    listed(&names)
                )
            }
            ClaimKind::Best => format!("{} is the best {all}", listed(&names)),
            ClaimKind::NearlyBest => format!("{} is the best {all}, or nearly", listed(&names)),
            ClaimKind::Top => format!("the top {} {all} are {}", names.len(), names.join(", ")),
            ClaimKind::Ranking => format!("the order {all} is {}", self.order()),
            ClaimKind::Undecided => unreachable!("answered above"),
        };
        let verdict = format!(
            "{what} ({} confidence).{} {}",
            share(confidence),
            margin(self),
            based_on(self)
        );
        crate::words::sentence_case(&verdict)
    }

    /// Returns `a > b = c`: systems with the same outputs are equal.
    pub fn order(&self) -> String {
        let mut text = String::new();
        for (place, name) in self.systems.iter().enumerate() {
            let before = place.checked_sub(1).map(|before| &self.systems[before]);
            let both = |before| {
                let mut tied = self.tied.iter();
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

    /// Returns what a claim assumes, a short clause each.
    pub fn assumptions(&self) -> Vec<String> {
        let of = |one: &Premise| match (self.about, one) {
            (ClaimPopulation::Judge, Premise::NotAdaptive) => {
                &["what was compared did not depend on verdicts"][..]
            }
            (ClaimPopulation::Judge, Premise::LargeSample) => {
                &["there are enough verdicts for normal approximations"]
            }
            (ClaimPopulation::Judge, Premise::PositionFree) => &[
                "the judge favours neither the first output nor the second, though the same systems were often first",
            ],
            (ClaimPopulation::Scores, Premise::NoDrift) => &["no system changed during the race"],
            (ClaimPopulation::Scores, Premise::OrderFree) => {
                &["no score depends on the order in which scores are made"]
            }
            _ => assumption(*one, self.kind),
        };
        let skips = |one: &Premise| match one {
            Premise::Skips => self.skips.assumption(),
            _ => None,
        };
        let all = |one: &Premise| {
            let fixed = of(one).iter().map(ToString::to_string);
            fixed.chain(skips(one)).collect::<Vec<_>>()
        };
        match self.is_made() {
            true => self.assumes.iter().flat_map(all).collect(),
            false => Vec::new(),
        }
    }
}
/// Returns how much better another system may be than a nearly best one.
fn margin(claim: &Claim) -> String {
    let Some(margin) = claim.margin else {
        return String::new();
    };
    if claim.about == ClaimPopulation::Scores {
        let most = margin.overall;
        return format!(" No other system's mean score is higher by more than {most}.");
    }
    let differing = match margin.differing == margin.overall {
        true => String::new(),
        false => format!(" ({} where their outputs differ)", share(margin.differing)),
    };
    format!(
        " No other system is preferred to it more than {} of the time{differing}; a tie counts half.",
        share(margin.overall)
    )
}

fn assumption(premise: Premise, kind: ClaimKind) -> &'static [&'static str] {
    match (premise, kind) {
        (Premise::Condorcet, ClaimKind::Top) => &["that many systems beat all the others"],
        (Premise::Condorcet, ClaimKind::Ranking) => {
            &["the systems have an order in which each beats all below it"]
        }
        (Premise::Condorcet, _) => &["one system beats every other one"],
        (Premise::NotAdaptive, _) => &[
            "what was compared did not depend on answers or predictions",
            "the number of comparisons was fixed beforehand (to look again and again, run a campaign: `tiebreak ask`)",
        ],
        (Premise::LargeSample, _) => &["there are enough answers for normal approximations"],
        (Premise::Transitive, _) => {
            &["strengths predict the winner of pairs that were never compared"]
        }
        (Premise::NoDrift, _) => &["no annotator's taste changed during the campaign"],
        (Premise::DealtAtRandom, _) => {
            &["the item and the annotator of each question were drawn at random"]
        }
        (Premise::AnnotatorsDrawnAtRandom, _) => {
            &["the annotators are a random sample of people like them"]
        }
        (Premise::OrderFree, _) => &["no answer depends on the order of the questions"],
        (Premise::ItemsDrawnAtRandom, _) => &["the items are a random sample of items like them"],
        (Premise::CorrectedForCause, _) => {
            &["scores were taken back because they were wrong, not because of what they led to"]
        }
        (Premise::PositionFree, _) => {
            &["no annotator prefers an output for the place at which it is named"]
        }
        (Premise::Skips, _) => &[],
    }
}

/// Returns from how many comparisons, by whom and on which items a claim is made.
fn based_on(claim: &Claim) -> String {
    let n = claim.annotators;
    let (by, people) = match claim.about {
        ClaimPopulation::Scores => {
            let of = match claim.is_of_answers() {
                true => "the scores that a full run on these items would give",
                false if claim.items == Items::AtLarge => "mean scores on items like these",
                false => "mean scores on these items",
            };
            return format!("Based on {}. It holds for {of}.", evidence(claim));
        }
        ClaimPopulation::Judge => (String::new(), "this judge"),
        ClaimPopulation::Panel => (
            format!(" by {}", counted(n, "annotator")),
            "people like these annotators",
        ),
        ClaimPopulation::TheseAnnotators => (
            format!(" by {}", counted(n, "annotator")),
            "these annotators",
        ),
        ClaimPopulation::OneAnnotator => (
            " by one annotator (answers without a name count as one person's)".to_string(),
            "this annotator",
        ),
    };
    let by = match claim.model_answers {
        0 => by,
        n => format!(
            "{by} and {} of a model, checked in part",
            counted(n, "answer")
        ),
    };
    if claim.is_of_answers() {
        let each = match claim.about {
            ClaimPopulation::TheseAnnotators => ", one annotator an item",
            _ => "",
        };
        return format!(
            "Based on {}{by}. It holds for the answers that {people} would give on all these items{each}.",
            evidence(claim)
        );
    }
    let items = match claim.items {
        Items::AtHand => "these items",
        Items::AtLarge => "items like these",
    };
    format!(
        "Based on {}{by}. It holds for {people} and {items}.",
        evidence(claim)
    )
}

/// Returns the number of comparisons, or of verdicts and whose they are.
fn evidence(claim: &Claim) -> String {
    match &claim.judge {
        Some(judge) => format!("{} by {judge}, not by people", counted(claim.n, "verdict")),
        None if claim.about == ClaimPopulation::Scores => counted(claim.n, "score"),
        None => counted(claim.n, "comparison"),
    }
}

/// Returns why nothing is proved.
fn undecided(claim: &Claim) -> String {
    let names = |names: &[String]| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        listed(&names)
    };
    let n = match claim.about {
        ClaimPopulation::Judge => format!("{},", evidence(claim)),
        _ => evidence(claim),
    };
    let decided = match claim.basis {
        // A claim does not know whether its campaign goes on.
        Basis::Campaign => "Not decided.",
        Basis::Inference => "Not decided yet.",
    };
    match &claim.why {
        Some(NoClaimReason::NoAnswers) if claim.about == ClaimPopulation::Scores => {
            "Not decided yet. There are no scores".to_string()
        }
        Some(NoClaimReason::NoAnswers) => "Not decided yet. There are no answers".to_string(),
        Some(NoClaimReason::NotToldApart(systems)) if systems.len() == claim.among.len() => {
            format!(
                "{decided} {n} cannot separate the {} systems",
                systems.len()
            )
        }
        Some(NoClaimReason::NotToldApart(systems)) => {
            format!("{decided} {n} cannot separate {}", names(systems))
        }
        Some(NoClaimReason::SameOutputs) => {
            "Not decided. The outputs of the systems are identical".to_string()
        }
        Some(NoClaimReason::NoWinner) => "No system beats all others".to_string(),
        Some(NoClaimReason::OwnDuels(systems)) => format!(
            "Not decided yet. The strongest system may lose its own comparisons with {}. Perhaps no system beats all \
             others",
            names(systems)
        ),
        Some(NoClaimReason::Unaudited) => "Exploratory, nothing is proved. A model chose or gave answers, and people did not audit it"
            .to_string(),
        Some(NoClaimReason::NotDealt) => format!(
            "Exploratory, nothing is proved. Annotators were not assigned to questions at random. To prove something, \
             name them when a campaign begins: {}",
            Flag("annotators")
        ),
        Some(NoClaimReason::TakenBack(answers)) => format!(
            "Not decided yet. {} taken back after counting. Give the same answers again, under the right \
             name, and they count again",
            match answers {
                1 => "1 answer was".to_string(),
                n => format!("{n} answers were"),
            }
        ),
        Some(NoClaimReason::Corrected) => "Nothing can be proved by the evidence so far. Answers that had counted were corrected, and later questions depend on them"
            .to_string(),
        Some(NoClaimReason::NoCertificate) => {
            "Exploratory, nothing is proved. This bandit gives no proof".to_string()
        }
        Some(NoClaimReason::ComparedByPrediction) => {
            "No ranks. The pairs that people compared were chosen with the predictions in view, so ranks without predictions \
             would mislead, too. Collect comparisons that do not depend on them: `tiebreak ask RUN DATA` draws items at \
             random"
                .to_string()
        }
        Some(NoClaimReason::Eliminated(system)) => format!(
            "Nothing is proved by people. The predictions dropped all systems but {system}, so nothing {} asked. To ask, \
             begin another campaign without {}",
            if claim.n > 0 { "more is" } else { "is" },
            Flag("eliminate")
        ),
        Some(NoClaimReason::StyleHeld) => {
            "No verdict. Strengths and ranks are for outputs of equal style, which people did not compare".to_string()
        }
        None => "Not decided".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::{Arm, Verdict};

    fn claim() -> Claim {
        Claim {
            kind: ClaimKind::Best,
            systems: vec!["atlas".to_string()],
            confidence: Some(0.95),
            assumes: vec![Premise::Condorcet, Premise::DealtAtRandom],
            ..Claim::undecided(
                ["atlas", "birch"].map(str::to_string).into(),
                Basis::Campaign,
                40,
            )
        }
    }

    #[test]
    fn a_claim_comes_with_its_premises() {
        assert_eq!(
            claim().to_string(),
            "atlas is the best of the 2 systems (95 % confidence). Based on 40 comparisons by one annotator (answers \
             without a name count as one person's). It holds for this annotator and these items. Assumptions: One \
             system beats every other one. The item and the annotator of each question were drawn at random."
        );
        assert!(claim().to_string().starts_with(&claim().verdict()));
        let lines = claim().lines();
        assert_eq!(lines[..2], [claim().verdict(), "Assumptions:".to_string()]);
        assert_eq!(
            lines[2..],
            [
                "- one system beats every other one",
                "- the item and the annotator of each question were drawn at random"
            ]
        );
    }

    #[test]
    fn a_claim_says_what_a_model_answered() {
        let claim = Claim {
            about: ClaimPopulation::TheseAnnotators,
            annotators: 3,
            model_answers: 310,
            ..claim()
        };
        let basis = "Based on 40 comparisons by 3 annotators and 310 answers of a model, checked in part. It holds";
        assert!(claim.verdict().contains(basis), "{claim}");
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
            claim.to_string(),
            "atlas is the best of the 2 systems (95 % confidence). Based on 40 verdicts by gpt-4, not by people. It holds \
              for this judge and these items. Assumptions: What was compared did not depend on verdicts. There are \
              enough verdicts for normal approximations."
        );
        let both = vec!["atlas".to_string(), "birch".to_string()];
        let open = claim.withdrawn(NoClaimReason::NotToldApart(both));
        assert_eq!(
            open.to_string(),
            "Not decided. 40 verdicts by gpt-4, not by people, cannot separate the 2 systems."
        );
    }

    #[test]
    fn a_claim_about_the_answers_says_nothing_of_tastes() {
        let all = vec![Arm(1), Arm(0)];
        let claim = Claim {
            about: ClaimPopulation::TheseAnnotators,
            annotators: 3,
            assumes: vec![Premise::OrderFree],
            ..claim()
        };
        let made = claim.certified(
            &Verdict::Ranking {
                arms: all,
                condorcet: false,
            },
            0.95,
            NoClaimReason::NoAnswers,
            |arm| format!("s{}", arm.0),
            |arm| vec![arm],
        );
        assert_eq!(
            made.to_string(),
            "The order of the 2 systems is s1 > s0 (95 % confidence). Based on 40 comparisons by 3 annotators. It holds \
             for the answers that these annotators would give on all these items, one annotator an item. Assumptions: \
             The item and the annotator of each question were drawn at random. No answer depends on the order of the \
             questions."
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
        assert_eq!(ranking.order(), "atlas > birch = cedar > dune");
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
            NoClaimReason::ComparedByPrediction,
            NoClaimReason::Eliminated("atlas".to_string()),
            NoClaimReason::OwnDuels(vec!["birch".to_string()]),
            NoClaimReason::NotToldApart(vec!["atlas".to_string(), "birch".to_string()]),
        ] {
            let told = claim().withdrawn(why).to_string();
            assert!(
                !told.contains("confidence")
                    && !told.contains("best of")
                    && !told.contains("Assumptions"),
                "{told}"
            );
        }
    }
}
