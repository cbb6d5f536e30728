//! The verdict of a campaign of pairs in lines, the answer first.

use tiebreak_base::claims::{Claim, NoClaimReason, claim_lines};
use tiebreak_base::words::{capitalised, listed, not_decided};

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
        let names: Vec<&str> = open.iter().map(String::as_str).collect();
        let candidates = match open.len() == self.claim.among.len() {
            true => format!("any of the {} systems", open.len()),
            false => format!("any of {}", listed(&names)),
        };
        let first = not_decided(self.leader, &candidates, self.is_over);
        std::iter::once(first)
            .chain(self.left.map(capitalised))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::claims::Basis;

    fn undecided(why: NoClaimReason) -> Claim {
        let among = ["atlas", "birch", "cedar"].map(str::to_string).to_vec();
        Claim::undecided(among, Basis::Campaign, 40).withdrawn(why)
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
