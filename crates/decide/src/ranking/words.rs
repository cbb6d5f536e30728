//! Phrases about rankings and campaigns.

use super::result::{Evidence, Ranking, StrengthScale};
use crate::model_based::PredictionAgreement;
use tiebreak_base::claims::{Basis, Claim, ClaimPopulation, claim_lines, claim_sentence};
use tiebreak_base::layout::{number, percent, share};
use tiebreak_base::scope::PeopleScope;
use tiebreak_base::words::listed;

/// Systems that predictions dropped.
pub fn dropped(systems: &[String]) -> String {
    format!("{} (dropped by predictions)", systems.join(", "))
}

/// The agreement of predictions with people's judgments, in a sentence.
pub fn predictions(predicted: &PredictionAgreement, experiment: bool) -> String {
    let Some(accuracy) = predicted.accuracy else {
        return "no judgment has shown yet whether they are better than chance".to_string();
    };
    let shown = match (predicted.after, experiment) {
        (None, _) => "not shown to be better than chance".to_string(),
        (Some(after), false) => format!("better than chance after {} of them", number(after)),
        (Some(after), true) => format!(
            "better than chance in {} of runs, half of them within {} judgments",
            percent(predicted.better_than_chance),
            number(after)
        ),
    };
    let among = match predicted.survivors {
        true => " of the systems they kept",
        false => "",
    };
    format!(
        "right in {} of people's judgments{among}; {shown}",
        percent(accuracy)
    )
}

/// The evidence behind strengths and ranks and the meaning of their intervals, in a line or two.
pub fn ranked_from(evidence: &Evidence) -> String {
    let unit = match evidence.scale {
        StrengthScale::LogOdds => "log-odds",
        StrengthScale::Margin => "margins of preference (0.1: preferred 60 % of the time)",
    };
    format!(
        "Strengths in {unit} against the average system, a tie being half a win and half a loss, {}.{}",
        holding(evidence),
        apart(evidence)
    )
}

/// The evidence behind strengths that are reported as how often a system is preferred, likewise.
pub fn preferred_from(evidence: &Evidence) -> String {
    let ranks = match evidence.adaptive {
        true => "",
        false => " A rank of 1–3 may be any of these.",
    };
    let whose = match &evidence.judge {
        Some(judge) => format!("{judge} prefers"),
        None => "people prefer".to_string(),
    };
    format!(
        "Preferred: how often {whose} the system to the average one, a tie counting one half, {}.{ranks}{}",
        holding(evidence),
        apart(evidence)
    )
}

/// The note on why the column of comparisons, or of verdicts, adds up to twice as many as there are.
pub fn counted(evidence: &Evidence) -> &'static str {
    match evidence.judge {
        Some(_) => "A verdict counts for both of its systems.",
        None => "A comparison counts for both of its systems.",
    }
}

/// The number of answers, and what intervals and ranks hold for.
fn holding(evidence: &Evidence) -> String {
    let identical = match evidence.identical {
        0 => String::new(),
        free => format!(" and {free} identical outputs"),
    };
    let predictions = match evidence.predictions {
        0 => String::new(),
        many => format!(" beside {many} predictions"),
    };
    if let Some(judge) = &evidence.judge {
        return format!(
            "from {} verdicts by {judge}, not by people. All intervals and all ranks together hold with {} confidence \
             over items like these, for this judge, if one strength each says who beats whom",
            evidence.answers,
            share(evidence.confidence)
        );
    }
    let from = format!(
        "from {} comparisons{identical}{predictions}",
        evidence.answers
    );
    if evidence.adaptive {
        return format!("{from}, if one strength each says who beats whom");
    }
    format!(
        "{from}. All intervals and all ranks together hold with {} confidence over items like these, for these \
         annotators, each as often as they answered, if one strength each says who beats whom",
        share(evidence.confidence)
    )
}

/// The caveats of a campaign's strengths, and of systems that were never compared with some others.
fn apart(evidence: &Evidence) -> String {
    let own = match evidence.adaptive {
        true => {
            " What was asked depended on answers, so strengths have no intervals. The verdict alone says who ranks \
             where."
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

/// The weighting of annotators where pairs of systems did not go alike to all of them.
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

/// The lines of a ranking, the answer first: about these annotators, then about new ones, unless these were asked for.
pub fn ranking_lines(ranking: &Ranking) -> Vec<String> {
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

/// The line about people like those who answered, or that they are too few to say anything; none for a campaign,
/// which says whom it is about, nor where no annotator is known.
fn new_annotators(ranking: &Ranking) -> Option<String> {
    let claim = &ranking.claim;
    if claim.basis != Basis::Inference || claim.n == 0 {
        return None;
    }
    match &ranking.new_annotators {
        Some(panel) => Some(format!("New annotators: {}", claim_sentence(&panel.claim))),
        None => PeopleScope::too_few(claim.annotators as usize),
    }
}

/// The people whose answers a claim rests on, in a sentence.
pub fn answered(claim: &Claim) -> String {
    if let Some(judge) = &claim.judge {
        return format!("{judge} gave {} verdicts; no people were asked.", claim.n);
    }
    match (claim.basis, claim.about, claim.annotators) {
        (.., 0) => "Nobody has answered yet.".to_string(),
        (Basis::Campaign, ClaimPopulation::OneAnnotator, _) => {
            "One annotator answered.".to_string()
        }
        (Basis::Campaign, ClaimPopulation::TheseAnnotators, n) => {
            format!("{n} listed annotators answered.")
        }
        (Basis::Campaign, ClaimPopulation::Panel | ClaimPopulation::Judge, n) => {
            format!("{n} people answered, newly drawn.")
        }
        (Basis::Inference, _, 1) => "One annotator answered, or answers without names.".to_string(),
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
