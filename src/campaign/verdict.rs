//! The verdict of a campaign of pairs in words, the answer first.

use tiebreak_base::claims::{Claim, NoClaimReason};
use tiebreak_base::words::as_sentence;

/// A verdict in words.
pub(super) struct WrittenVerdict {
    /// The verdict in sentences.
    pub text: String,
    /// The verdict in lines: the answer, then what it assumes; without a proof how many more answers it may take.
    pub lines: Vec<String>,
}

impl WrittenVerdict {
    /// Writes the verdict of a claim. `leader` is a guess; `left` is how many more answers it may take, as a phrase;
    /// `is_over` means that nothing more is asked.
    pub(super) fn new(
        claim: &Claim,
        leader: Option<&str>,
        left: Option<&str>,
        is_over: bool,
    ) -> Self {
        if !matches!(claim.why, Some(NoClaimReason::NotToldApart(_))) {
            return Self {
                text: claim.to_string(),
                lines: claim.lines(),
            };
        }
        let answer = claim.open_verdict(leader, is_over);
        let lines: Vec<String> = std::iter::once(answer)
            .chain(left.map(as_sentence))
            .collect();
        Self {
            text: lines.join(" "),
            lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::claims::{Basis, ClaimKind, ClaimPopulation, Items, Premise, SkipPremise};

    #[test]
    fn a_verdict_is_sentences_or_lines() {
        let systems = ["atlas", "birch"].map(str::to_string).to_vec();
        let claim = Claim {
            kind: ClaimKind::Best,
            systems: systems[..1].to_vec(),
            tied: Vec::new(),
            among: systems.clone(),
            confidence: Some(0.95),
            assumes: vec![Premise::DealtAtRandom],
            skips: SkipPremise::WorstCase,
            about: ClaimPopulation::OneAnnotator,
            judge: None,
            annotators: 1,
            items: Items::AtHand,
            basis: Basis::Campaign,
            n: 40,
            model_answers: 0,
            margin: None,
            why: None,
        };
        let made = WrittenVerdict::new(&claim, Some("atlas"), None, true);
        let assumed = "he item and the annotator of each question were drawn at random";
        assert!(made.text.ends_with(&format!(" Assumptions: T{assumed}.")));
        assert_eq!(
            made.lines[1..],
            ["Assumptions:".to_string(), format!("- t{assumed}")]
        );
        let open = claim.withdrawn(NoClaimReason::NotToldApart(systems));
        let open = WrittenVerdict::new(&open, Some("birch"), Some("about 90 more"), false);
        let answer = "Not decided yet. birch leads; any of the 2 systems may still be best.";
        assert_eq!(open.lines, [answer, "About 90 more."]);
        assert_eq!(open.text, format!("{answer} About 90 more."));
    }
}
