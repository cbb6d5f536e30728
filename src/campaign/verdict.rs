//! The verdict of a campaign of pairs in lines, the answer first.

use tiebreak_base::claims::{Claim, NoClaimReason, claim_lines};
use tiebreak_base::words::{capitalised, listed};

/// The state of a campaign, as far as its verdict says it.
pub(super) struct VerdictInputs<'a> {
    pub claim: &'a Claim,
    /// The system that leads: a guess.
    pub leader: Option<&'a str>,
    /// The estimated answers until a verdict, as a phrase.
    pub left: Option<&'a str>,
    /// Whether nothing more is asked.
    pub is_over: bool,
}

impl VerdictInputs<'_> {
    /// Returns the verdict in lines: the answer, then what it is based on and assumes; without a proof who leads, who may
    /// still be best, and how many more answers it may take.
    pub(super) fn lines(&self) -> Vec<String> {
        let Some(NoClaimReason::NotToldApart(open)) = &self.claim.why else {
            return claim_lines(self.claim);
        };
        let decided = if self.is_over {
            "Not decided."
        } else {
            "Not decided yet."
        };
        let leads = self.leader.map(|leader| format!(" {leader} leads;"));
        let rest = self.open(open, leads.is_some());
        let first = format!("{decided}{} {rest}.", leads.unwrap_or_default());
        let more = self.left.map(capitalised);
        std::iter::once(first).chain(more).collect()
    }

    /// Returns which systems may still be best, as a clause.
    fn open(&self, open: &[String], goes_on: bool) -> String {
        let names: Vec<&str> = open.iter().map(String::as_str).collect();
        let (any, still) = match (goes_on, self.is_over) {
            (true, false) => ("any", " still"),
            (true, true) => ("any", ""),
            (false, false) => ("Any", " still"),
            (false, true) => ("Any", ""),
        };
        match open.len() == self.claim.among.len() {
            true => format!("{any} of the {} systems may{still} be best", open.len()),
            false => format!("{any} of {} may{still} be best", listed(&names)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::claims::{Basis, ClaimKind, ClaimPopulation, Items};

    fn undecided(why: NoClaimReason) -> Claim {
        Claim {
            kind: ClaimKind::Undecided,
            systems: Vec::new(),
            tied: Vec::new(),
            among: ["atlas", "birch", "cedar"].map(str::to_string).to_vec(),
            confidence: None,
            assumes: Vec::new(),
            about: ClaimPopulation::OneAnnotator,
            judge: None,
            annotators: 1,
            items: Items::AtHand,
            basis: Basis::Campaign,
            n: 40,
            margin: None,
            why: Some(why),
        }
    }

    fn lines(claim: &Claim, leader: Option<&str>, left: Option<&str>, is_over: bool) -> String {
        let verdict = VerdictInputs {
            claim,
            leader,
            left,
            is_over,
        };
        verdict.lines().join("|")
    }

    #[test]
    fn without_a_proof_it_says_who_leads_and_who_may_be_best() {
        let all = undecided(NoClaimReason::NotToldApart(
            ["atlas", "birch", "cedar"].map(str::to_string).to_vec(),
        ));
        assert_eq!(
            lines(&all, Some("birch"), Some("about 90 more"), false),
            "Not decided yet. birch leads; any of the 3 systems may still be best.|About 90 more."
        );
        assert_eq!(
            lines(&all, None, None, true),
            "Not decided. Any of the 3 systems may be best."
        );
        let some = ["atlas", "birch"].map(str::to_string).to_vec();
        let some = undecided(NoClaimReason::NotToldApart(some));
        assert_eq!(
            lines(&some, Some("birch"), None, false),
            "Not decided yet. birch leads; any of atlas and birch may still be best."
        );
        let none = undecided(NoClaimReason::NoAnswers);
        assert_eq!(
            lines(&none, None, None, false),
            claim_lines(&none).join("|")
        );
    }
}
