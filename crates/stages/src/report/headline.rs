//! The answer before everything else: which system is best, how sure that is, what to do next.

use super::chapter::Chapter;
use tiebreak_base::claims::ClaimKind;
use tiebreak_base::claims::{claim_sentence, order};
use tiebreak_base::layout::two_digits;
use tiebreak_base::words::{capitalised, listed, still_needed};
use tiebreak_decide::ranking::result::{CampaignFacts, Ranking, Strength};
use tiebreak_decide::ranking::words;

/// The answer, a sentence or two for each question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Headline {
    /// Which system is best?
    pub best: String,
    /// How sure is that?
    pub sure: String,
    /// What next?
    pub next: String,
}

/// From the first chapter that knows, as inferences from people's comparisons do before estimates; replays
/// say nothing about systems.
pub(super) fn headline(chapters: &[Box<dyn Chapter>]) -> Headline {
    let known = chapters.iter().find_map(|chapter| chapter.headline());
    let instead = || chapters.iter().find_map(|chapter| chapter.caveat());
    known.or_else(instead).unwrap_or_else(|| Headline {
        best: "Nothing in this run says which system people prefer.".to_string(),
        sure: "Metrics and predictions alone do not say how far they can be trusted here."
            .to_string(),
        next: "`tiebreak check DATA` says whether there are judgments to rank or estimate by; `tiebreak ask \
               RUN DATA --out questions.csv` writes questions for people to answer."
            .to_string(),
    })
}

/// Several rankings of one page share what may go wrong, and the first is the one that was asked first.
pub(crate) fn of_ranking(ranking: &Ranking) -> Headline {
    let claim = &ranking.claim;
    let names: Vec<&str> = claim.systems.iter().map(String::as_str).collect();
    let basis = words::basis(claim);
    let conduct = ranking.campaign.as_ref();
    let leader = conduct.and_then(|conduct| conduct.leader.as_deref());
    let best = match claim.kind {
        ClaimKind::Best | ClaimKind::NearlyBest if claim.systems.len() > 1 => {
            format!("{} are the best systems, {basis}.", listed(&names))
        }
        ClaimKind::Best => format!("{} is the best system, {basis}.", listed(&names)),
        ClaimKind::NearlyBest => format!(
            "{} is the best system or nearly so, {basis}.",
            listed(&names)
        ),
        ClaimKind::Top => format!("{} are the best {}, {basis}.", listed(&names), names.len()),
        ClaimKind::Ranking => format!("{}, {basis}.", order(claim)),
        ClaimKind::Undecided => match leader {
            Some(leader) => format!("Not decided. {leader} leads, {basis}."),
            None => format!("Nobody can say yet which system is best, {basis}."),
        },
    };
    let next = match conduct {
        _ if claim.is_made() => "No more judgments are needed for this.".to_string(),
        Some(conduct) => next_of_campaign(conduct),
        None => needed(ranking),
    };
    Headline {
        best,
        sure: claim_sentence(claim),
        next,
    }
}

/// What a campaign without a claim goes on with.
fn next_of_campaign(conduct: &CampaignFacts) -> String {
    let over = match conduct.stopped.as_deref() {
        Some("budget") => "the budget is spent",
        Some("steps") => "the limit of steps is reached",
        Some(_) => "there is no other question",
        None if conduct.exhausted => "everybody has answered all there is",
        None => {
            let left = conduct.left.map(still_needed).as_deref().map(capitalised);
            let asking = "`tiebreak ask` writes the next questions.";
            return left.map_or_else(|| asking.to_string(), |left| format!("{left} {asking}"));
        }
    };
    format!("Nothing more is asked: {over}.")
}

/// What it would take to tell the two strongest systems apart.
fn needed(ranking: &Ranking) -> String {
    let asking = "`tiebreak ask` writes the next questions.";
    let known = |one: &&Strength| one.strength.is_some() && one.lower.is_some();
    let strongest: Vec<&Strength> = ranking.strengths.iter().filter(known).take(2).collect();
    // Outputs that are the same make comparisons that nobody was asked for, and tell nobody apart.
    let answers = ranking.evidence.answers;
    let [one, other] = strongest[..] else {
        return format!("More comparisons: {asking}");
    };
    if answers < FEW {
        return format!("{} {asking}", few("comparisons"));
    }
    let needed = SampleSizeEstimate::by_intervals(
        one.strength.unwrap_or(0.0) - other.strength.unwrap_or(0.0),
        [one, other].map(|one| one.lower.zip(one.upper)),
        one.comparisons.max(other.comparisons),
    );
    // Strengths are against the average of all k, and go apart together: their difference varies by more than the two.
    let k = ranking.systems.len() as f64;
    let needed = SampleSizeEstimate {
        reach: needed.reach.map(|reach| reach * (k / (k - 1.0)).sqrt()),
        ..needed
    };
    format!(
        "{} {asking}",
        needed.effort_sentence(&one.system, &other.system, "comparisons")
    )
}

/// With fewer of a system nothing can be said of how many more it takes.
const FEW: u64 = 30;

/// How far an interval of 95 % reaches, in standard errors, with what finds a difference in four cases of five on top.
const WITH_POWER: f64 = 1.0 + 0.8416 / 1.96;

/// Two systems that are to be told apart.
pub(crate) struct SampleSizeEstimate {
    /// By how much the first is better.
    pub gap: f64,
    /// How far the interval of their difference reaches to either side; `None` where it is not known.
    pub reach: Option<f64>,
    /// From how many judgments of each it is made, at most.
    pub n: u64,
}

impl SampleSizeEstimate {
    /// Two systems by their own intervals, as if nothing connected these.
    pub(crate) fn by_intervals(gap: f64, intervals: [Option<(f64, f64)>; 2], n: u64) -> Self {
        let [one, other] = intervals.map(|ends| ends.map(|(lower, upper)| (upper - lower) / 2.0));
        let reach = one.zip(other).map(|(one, other)| one.hypot(other));
        Self { gap, reach, n }
    }

    /// How many times as much it takes until so large a gap is found in four cases of five: widths shrink as 1/√n.
    fn factor(&self) -> Option<f64> {
        let needed = WITH_POWER * self.reach?;
        (self.gap > 0.0).then(|| (needed / self.gap).powi(2))
    }

    /// How many more judgments that takes, in a sentence.
    pub(crate) fn effort_sentence(&self, one: &str, other: &str, what: &str) -> String {
        match self.factor() {
            Some(factor) if factor <= 50.0 => {
                let more = rounded(self.n as f64 * factor.max(1.2));
                format!(
                    "To tell {one} from {other} takes about {more} {what} of each instead of {}, if they stay as far apart.",
                    self.n
                )
            }
            _ if self.n < FEW => few(what),
            _ => format!(
                "{one} and {other} are so close that many times as many {what} would be needed to tell them \
                 apart."
            ),
        }
    }
}

fn few(what: &str) -> String {
    format!("So few {what} do not say how many it will take.")
}

fn rounded(n: f64) -> String {
    format!("{:.0}", two_digits(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Outcome;
    use tiebreak_base::rng::Seed;
    use tiebreak_decide::ranking::{Comparison, rank};

    #[test]
    fn guesses_and_lists_are_short() {
        assert_eq!(["7", "120", "5300"], [7.2, 123.0, 5296.0].map(rounded));
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(listed(&["a"; 8]), "a, a, a, a, a and 3 more");
    }

    /// Comparisons of three systems, so many of each pair.
    fn compared(each: usize, seed: u64) -> Ranking {
        let mut rng = Seed(seed).stream("comparisons", each as u64);
        let mut rows = Vec::new();
        for (first, second, p) in [("a", "b", 0.62), ("a", "c", 0.72), ("b", "c", 0.62)] {
            for _ in 0..each {
                let outcome = if rng.bernoulli(p) {
                    Outcome::Win
                } else {
                    Outcome::Loss
                };
                rows.push(Comparison::new(first, second, outcome));
            }
        }
        rank(rows, 0.95).unwrap()
    }

    /// What a ranking says it takes is enough, mostly, where it is asked when little is known.
    #[test]
    fn as_many_comparisons_as_are_said_to_be_needed_decide() {
        let (mut followed, mut decided) = (0, 0);
        for seed in 0..40 {
            let few = compared(60, seed);
            let said = needed(&few);
            let Some(n) = said.split("takes about ").nth(1) else {
                continue;
            };
            let n: usize = n.split(' ').next().unwrap().parse().unwrap();
            // As far as they stay as far apart as they are: those that are further than it seems were lucky.
            let gap = |at: usize| few.strengths[at].strength.unwrap();
            if few.claim.is_made() || (gap(0) - gap(1)) > 0.49 {
                continue;
            }
            followed += 1;
            decided += u32::from(compared(n / 2, seed).claim.is_made());
        }
        assert!(
            followed >= 10 && 10 * decided >= 7 * followed,
            "{decided} of {followed}"
        );
    }
}
