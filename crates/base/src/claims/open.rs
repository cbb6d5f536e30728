//! The answer while nothing is proved: who leads, and who may be best.

use super::{Claim, NoClaimReason};
use crate::words::{as_sentence, listed};

impl Claim {
    /// Returns the answer of a claim that is not made, in one or two sentences: who leads, which is a guess, and who may be
    /// best; where that is open for another reason, the reason in short. `is_over` means that nothing more is asked.
    pub fn open_verdict(&self, leader: Option<&str>, is_over: bool) -> String {
        let rest = match &self.why {
            Some(NoClaimReason::NotToldApart(open)) => may_be_best(self, open, leader, is_over),
            Some(NoClaimReason::OwnDuels(_)) => "perhaps no system beats all others".to_string(),
            _ => {
                let verdict = self.verdict();
                let why = verdict.trim_end_matches('.').split(". ").next();
                let leads = leader.map(|leader| format!(" {leader} leads."));
                return format!("{}.{}", why.unwrap_or_default(), leads.unwrap_or_default());
            }
        };
        let decided = match is_over {
            true => "Not decided.",
            false => "Not decided yet.",
        };
        match leader {
            Some(leader) => format!("{decided} {leader} leads; {rest}."),
            None => format!("{decided} {}", as_sentence(&rest)),
        }
    }
}

/// Returns which systems may be best, as a clause.
fn may_be_best(claim: &Claim, open: &[String], leader: Option<&str>, is_over: bool) -> String {
    let may = match is_over {
        true => "may",
        false => "may still",
    };
    match open.len() == claim.among.len() {
        true => format!("any of the {} systems {may} be best", open.len()),
        false => {
            let mut names: Vec<&str> = open.iter().map(String::as_str).collect();
            names.sort_by_key(|name| Some(*name) != leader); // stable: of many only the first are named
            format!("any of {} {may} be best", listed(&names))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Basis;

    fn undecided(why: NoClaimReason) -> Claim {
        let among = names(&["atlas", "birch", "cedar"]);
        Claim {
            why: Some(why),
            ..Claim::undecided(among, Basis::Campaign, 40)
        }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn without_a_proof_it_says_who_leads_and_who_may_be_best() {
        let all = NoClaimReason::NotToldApart(names(&["atlas", "birch", "cedar"]));
        let some = NoClaimReason::NotToldApart(names(&["atlas", "birch"]));
        let lost = NoClaimReason::OwnDuels(names(&["cedar"]));
        let leader = Some("birch");
        for (why, leader, is_over, expected) in [
            (
                all.clone(),
                leader,
                false,
                "Not decided yet. birch leads; any of the 3 systems may still be best.",
            ),
            (
                all,
                None,
                true,
                "Not decided. Any of the 3 systems may be best.",
            ),
            (
                some,
                leader,
                false,
                "Not decided yet. birch leads; any of birch and atlas may still be best.",
            ),
            (
                lost,
                leader,
                false,
                "Not decided yet. birch leads; perhaps no system beats all others.",
            ),
            (
                NoClaimReason::NoWinner,
                leader,
                true,
                "No system beats all others. birch leads.",
            ),
            (
                NoClaimReason::NotDealt,
                leader,
                false,
                "Exploratory, nothing is proved. birch leads.",
            ),
            (NoClaimReason::SameOutputs, None, true, "Not decided."),
            (NoClaimReason::NoAnswers, None, false, "Not decided yet."),
        ] {
            assert_eq!(undecided(why).open_verdict(leader, is_over), expected);
        }
    }
}
