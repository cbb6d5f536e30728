//! Phrases about rankings and campaigns.

use super::NEGLIGIBLE;
use super::result::{CampaignFacts, CampaignState, Evidence, LargerLimit, Ranking, StrengthScale};
use crate::feedback::dealing::People;
use crate::model_based::PredictionAgreement;
use tiebreak_base::claims::{Basis, Claim, ClaimPopulation, NoClaimReason};
use tiebreak_base::error::Flag;
use tiebreak_base::layout::{argument, number, percent, share, thousands};
use tiebreak_base::scope::PeopleScope;
use tiebreak_base::words::{counted, listed};

/// Systems that predictions dropped.
pub fn dropped(systems: &[String]) -> String {
    format!("{} (dropped by predictions)", systems.join(", "))
}

/// The next step of a campaign that is being served: commands that ask are refused then.
pub const SERVED: &str = "Annotators answer at their links. The admin page says how it goes on.";

/// The command that asks the next questions of a campaign in the folder `run`: on a new sheet, or at the terminal where all
/// so far were asked without sheets. A panel has sheets alone. `next_sheet` are the flags for a new sheet.
pub fn ask_command(run: &str, people: People, asked: u64, sheets: u64, next_sheet: &str) -> String {
    let is_on_sheets = asked == 0 || sheets > 0;
    match people {
        People::One if !is_on_sheets => format!("tiebreak ask {run}"),
        People::Listed if !is_on_sheets => {
            format!("tiebreak ask {run} {} NAME", Flag("annotator"))
        }
        _ => format!("tiebreak ask {run} {next_sheet}"),
    }
}

/// The command that goes on with a campaign in the folder `run` under a larger limit, with the flags for a new sheet.
pub fn raise_command(run: &str, larger: &LargerLimit, next_sheet: &str) -> String {
    let LargerLimit { key, value } = larger;
    format!("tiebreak ask {run} {} {value} {next_sheet}", Flag(key))
}

/// The next step of a campaign in the folder `run` whose evidence a correction cost, as a clause: these annotators, named
/// again, begin it anew.
pub fn renew_evidence(run: &str, annotators: &[String], next_sheet: &str) -> String {
    format!(
        "name the annotators again to begin the evidence anew: tiebreak ask {run} {} {} {next_sheet}",
        Flag("annotators"),
        argument(&annotators.join(","))
    )
}

/// The next step of a campaign in the folder `run` whose further answers prove nothing, as a clause; `None` where they may.
pub fn unprovable(claim: &Claim, conduct: &CampaignFacts, run: &str) -> Option<String> {
    Some(match claim.why {
        Some(NoClaimReason::NotDealt) if conduct.unnamed > 0 && conduct.sheets > 0 => format!(
            "name the others: tiebreak tell {run} SHEET {} NAME ({} a name and {} none, so they count as two people's)",
            Flag("annotator"),
            match conduct.answered - conduct.unnamed {
                1 => "1 answer has".to_string(),
                n => format!("{} answers have", thousands(n)),
            },
            thousands(conduct.unnamed)
        ),
        _ if !matches!(
            conduct.state,
            CampaignState::UsedUp | CampaignState::Exhausted
        ) =>
        {
            return None;
        }
        Some(NoClaimReason::NotDealt) => format!(
            "begin another campaign that names its annotators: {}",
            Flag("annotators")
        ),
        Some(NoClaimReason::Unaudited) => format!(
            "begin another campaign without {} 0: no number of answers proves anything while people check none of the \
             model's",
            Flag("audit")
        ),
        _ => return None,
    })
}

/// The agreement of predictions with people's judgments, in a sentence.
pub fn predictions(predicted: &PredictionAgreement, experiment: bool) -> String {
    let Some(accuracy) = predicted.accuracy else {
        return "not known yet whether they are better than chance".to_string();
    };
    let shown = match (predicted.after, experiment) {
        (None, _) => "not shown to be better than chance".to_string(),
        (Some(after), false) => {
            format!(
                "shown to be better than chance after {} of these",
                number(after)
            )
        }
        (Some(after), true) => format!(
            "shown to be better than chance in {} of runs (median: after {} judgments)",
            percent(predicted.better_than_chance),
            number(after)
        ),
    };
    let among = match predicted.survivors {
        true => " (of systems that predictions did not drop)",
        false => "",
    };
    format!(
        "right in {} of people's judgments{among}; {shown}",
        percent(accuracy)
    )
}

impl Evidence {
    /// The evidence behind strengths and ranks and the meaning of their intervals, in a line or two.
    pub fn ranked_from(&self) -> String {
        let unit = match self.scale {
            StrengthScale::LogOdds => "log-odds",
            StrengthScale::Margin => "margins of preference (0.1: preferred 60 % of the time)",
        };
        format!(
            "Strengths are {unit} against the average system; a tie counts half.{}{}",
            holding(self),
            apart(self)
        )
    }

    /// The evidence behind strengths that are reported as how often a system is preferred, likewise.
    pub fn preferred_from(&self) -> String {
        let ranks = match self.adaptive {
            true => "",
            false => " Rank 1–3 means that 1, 2 and 3 are possible.",
        };
        let whose = match &self.judge {
            Some(judge) => format!("{judge} prefers"),
            None => "people prefer".to_string(),
        };
        format!(
            "\"Preferred\" is how often {whose} the system to the average one; a tie counts half.{}{ranks}{}",
            holding(self),
            apart(self)
        )
    }

    /// What is counted: comparisons, or a judge's verdicts.
    pub fn compared(&self) -> &'static str {
        match self.judge {
            Some(_) => "verdicts",
            None => "comparisons",
        }
    }

    /// The note on why the column of comparisons, or of verdicts, adds up to twice as many as there are.
    pub fn counting_note(&self) -> &'static str {
        match self.judge {
            Some(_) => "A verdict counts for both of its systems.",
            None => "A comparison counts for both of its systems.",
        }
    }

    /// The confidence of all rankings of a pipeline that share it, and the command for one by itself.
    pub fn shared_confidence(&self) -> Option<String> {
        let all = self.sharing;
        let together = 1.0 - all as f64 * (1.0 - self.confidence);
        (all > 1).then(|| {
        format!(
            "The {all} rankings of this pipeline hold together with {} confidence, each with {}. `tiebreak rank` states \
             one alone.",
            share(together),
            share(self.confidence)
        )
    })
    }
}

/// The number of answers, and what intervals and ranks hold for.
fn holding(evidence: &Evidence) -> String {
    let identical = match evidence.identical {
        0 => String::new(),
        free => format!(", {}", counted(free, "pair") + " of identical outputs"),
    };
    let repeated = match evidence.repeated {
        0 => String::new(),
        many => format!(", {} drawn again", thousands(many)),
    };
    let predictions = match evidence.predictions {
        0 => String::new(),
        many => format!(", {}", counted(many, "prediction")),
    };
    let model = "The model gives each system one strength, and a stronger one wins more often.";
    let sharing = evidence
        .shared_confidence()
        .map_or(String::new(), |note| format!(" {note}"));
    if let Some(judge) = &evidence.judge {
        return format!(
            " Evidence: {} by {judge}, not by people. All intervals and all ranks together hold with {} confidence, \
             for this judge and items like these.{sharing} {model}",
            counted(evidence.answers, "verdict"),
            share(evidence.confidence)
        );
    }
    let comparisons = counted(evidence.answers, "comparison");
    let from = format!("{comparisons}{identical}{repeated}{predictions}.");
    // What a campaign's verdict rests on is fewer where the evidence began anew.
    if evidence.adaptive {
        return format!(" Strengths rest on {from} {model}");
    }
    format!(
        " Evidence: {from} All intervals and all ranks together hold with {} confidence, for these annotators and items like \
         these.{sharing} Annotators count as often as they answered. {model}",
        share(evidence.confidence)
    )
}

/// The caveats of a campaign's strengths, and of systems that were never compared with some others.
fn apart(evidence: &Evidence) -> String {
    let own = match evidence.adaptive {
        true => {
            " Strengths have no intervals, since questions depended on earlier answers. Only the verdict proves \
             ranks."
        }
        false => "",
    };
    let unlinked = match evidence.unlinked {
        0 | 1 => String::new(),
        many => format!(
            " {many} groups of systems were never compared with each other. Each strength is against the average of \
             its group."
        ),
    };
    format!("{own}{unlinked}{}", dealt(evidence))
}

/// The weighting of annotators where pairs of systems did not go alike to all of them.
fn dealt(evidence: &Evidence) -> String {
    let reweighted = match (evidence.reweighted, evidence.adaptive) {
        (true, true) => {
            " Annotators did not compare each pair equally often; weights give each the same influence in every pair."
        }
        (true, false) => {
            " Pairs went to annotators in different proportions; weights give each in every pair their share of all \
             comparisons."
        }
        (false, _) => "",
    };
    let names: Vec<&str> = evidence.unjudged.iter().map(String::as_str).collect();
    match names.is_empty() {
        true => reweighted.to_string(),
        false => format!(
            "{reweighted} Nothing is proved about {}: annotators with more than {} of all comparisons never judged it.",
            listed(&names),
            share(NEGLIGIBLE)
        ),
    }
}

/// The line about people like those who answered, or that they are too few to say anything; none for a campaign,
/// which says whom it is about, nor where no annotator is known.
pub fn new_annotators(ranking: &Ranking) -> Option<String> {
    let claim = &ranking.claim;
    if claim.basis != Basis::Inference || claim.n == 0 {
        return None;
    }
    match &ranking.new_annotators {
        Some(panel) => Some(format!("New annotators: {}", panel.claim.verdict())),
        None => PeopleScope::too_few(claim.annotators as usize),
    }
}

/// The people whose answers a claim rests on, in a sentence.
pub fn answered(claim: &Claim) -> String {
    if let Some(judge) = &claim.judge {
        return format!("{judge} gave {} verdicts; no people were asked.", claim.n);
    }
    match (claim.basis, claim.about, claim.annotators) {
        (.., 0) => "There are no answers yet.".to_string(),
        (Basis::Campaign, ClaimPopulation::OneAnnotator, _) => {
            "One annotator answered.".to_string()
        }
        (Basis::Campaign, ClaimPopulation::TheseAnnotators, n) => {
            format!("{n} listed annotators answered.")
        }
        (
            Basis::Campaign,
            ClaimPopulation::Panel | ClaimPopulation::Judge | ClaimPopulation::Scores,
            n,
        ) => {
            format!("{n} annotators answered; they are a random sample.")
        }
        (Basis::Inference, _, 1) => {
            "One annotator answered (or answers have no names).".to_string()
        }
        (Basis::Inference, _, n) => format!("{n} annotators answered."),
    }
}

/// The basis of a claim, for a headline: inference or campaign.
pub fn basis(claim: &Claim) -> &'static str {
    match claim.basis {
        _ if claim.judge.is_some() => "by a judge's verdicts, not by people",
        Basis::Inference => "by the comparisons collected",
        Basis::Campaign => "by the campaign's own evidence",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_annotators_shares_but_equal_in_campaigns() {
        let files = Evidence {
            answers: 90,
            judge: None,
            unmet: 0,
            identical: 0,
            repeated: 0,
            predictions: 0,
            scale: StrengthScale::LogOdds,
            confidence: 0.95,
            sharing: 0,
            adaptive: false,
            unlinked: 1,
            reweighted: true,
            unjudged: Vec::new(),
        };
        let campaign = Evidence {
            adaptive: true,
            ..files.clone()
        };
        assert_eq!(
            [&files, &campaign].map(dealt),
            [
                " Pairs went to annotators in different proportions; weights give each in every pair their share of \
                 all comparisons.",
                " Annotators did not compare each pair equally often; weights give each the same influence in every \
                 pair."
            ]
        );
        let by_answers = "Annotators count as often as they answered.";
        let said = [files, campaign].map(|evidence| evidence.ranked_from().contains(by_answers));
        assert_eq!(said, [true, false]);
    }
}
