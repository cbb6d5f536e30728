//! The answer before everything else: which system is best, how sure that is, what to do next.

use super::chapter::Chapter;
use tiebreak_base::claims::{Claim, ClaimKind, ClaimPopulation, begin_another};
use tiebreak_base::error::Flag;
use tiebreak_base::layout::two_digits;
use tiebreak_base::scope::PeopleScope;
use tiebreak_base::stats::bisection::bisected;
use tiebreak_base::words::{as_sentence, counted, listed, still_needed};
use tiebreak_decide::estimators::EstimateDifference;
use tiebreak_decide::feedback::dealing::People;
use tiebreak_decide::ranking::result::{CampaignFacts, CampaignState, Ranking, Strength};
use tiebreak_decide::ranking::words::{
    self, SERVED, ask_command, raise_command, renew_evidence, unprovable,
};

/// A question that a report answers first: its word in text, and how a page asks it.
pub(crate) type FirstQuestion = (&'static str, &'static str);

/// The question of most reports.
pub(crate) const BEST: FirstQuestion = ("best", "Which is best?");

/// The answer, a sentence or two for each question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Headline {
    /// The first question.
    pub question: FirstQuestion,
    /// The best system, or what else was asked first.
    pub best: String,
    /// The strength of the evidence for that.
    pub sure: String,
    /// What that assumes, a short sentence each.
    pub assumptions: Vec<String>,
    /// The next step.
    pub next: String,
}

/// The headline of the first chapter that knows one, inferences from people's comparisons before estimates; replays
/// say nothing about systems.
pub(super) fn headline(chapters: &[Box<dyn Chapter>]) -> Headline {
    let known = chapters.iter().find_map(|chapter| chapter.headline());
    let instead = || chapters.iter().find_map(|chapter| chapter.caveat());
    known.or_else(instead).unwrap_or_else(|| {
        Headline::without_answer("`tiebreak ask` writes questions for people.".to_string())
    })
}

impl Headline {
    /// The headline of a run that used no answers of people, with the next step.
    pub(crate) fn without_answer(next: String) -> Self {
        Self {
            question: BEST,
            best: "This run does not show which system people prefer.".to_string(),
            sure: "Metrics and predictions alone do not show how far to trust them here."
                .to_string(),
            assumptions: Vec::new(),
            next,
        }
    }
}

/// The headline of a ranking in the folder `run`. Several rankings of one page share their caveats, and the first was asked
/// for first.
pub(crate) fn of_ranking(ranking: &Ranking, run: &str) -> Headline {
    if let Some(found) = of_new_annotators(ranking, run) {
        return found;
    }
    let claim = &ranking.claim;
    let names: Vec<&str> = claim.systems.iter().map(String::as_str).collect();
    let basis = words::basis(claim);
    let conduct = ranking.campaign.as_ref();
    let others = ranking.new_annotators.as_ref().map(|others| &others.claim);
    let contrary = others.filter(|others| others.systems != claim.systems);
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
        ClaimKind::Ranking => format!("{}, {basis}.", claim.order()),
        ClaimKind::Undecided => undecided(ranking),
    };
    let next = match conduct {
        _ if claim.judge.is_some() => check_with_people(),
        _ if claim.is_made() => match contrary {
            Some(others) if !others.is_made() => {
                "These annotators need not judge more. What others prefer is not decided; it takes more annotators."
            }
            Some(_) => "No more judgments are needed. New annotators prefer another system: decide which opinion counts.",
            None => "No more judgments are needed for this.",
        }
        .to_string(),
        Some(conduct) => next_of_campaign(conduct, claim, run),
        None if others.is_some() => format!(
            "{} What new annotators prefer takes more annotators.",
            needed(ranking)
        ),
        None => needed(ranking),
    };
    Headline {
        question: BEST,
        best,
        // What is not decided stands under what to do next.
        sure: match contrary
            .filter(|others| others.is_made())
            .and_then(|_| words::new_annotators(ranking))
        {
            Some(others) => format!("{} {others}", claim.verdict()),
            None => claim.verdict(),
        },
        assumptions: claim
            .assumptions()
            .into_iter()
            .map(|one| as_sentence(&one))
            .collect(),
        next,
    }
}

/// The headline where the opinion of new annotators was asked for: more answers by the same ones cannot decide that.
fn of_new_annotators(ranking: &Ranking, run: &str) -> Option<Headline> {
    if ranking.people != PeopleScope::NewAnnotators {
        return None;
    }
    let next = "What new annotators prefer is not decided; it takes more annotators.".to_string();
    let Some(panel) = &ranking.new_annotators else {
        return Some(Headline {
            question: BEST,
            best: "Not decided yet.".to_string(),
            sure: PeopleScope::too_few(ranking.claim.annotators as usize)?,
            assumptions: Vec::new(),
            next,
        });
    };
    let asked = of_ranking(&ranking.as_asked(), run);
    Some(match panel.claim.is_made() {
        true => asked,
        false => Headline { next, ..asked },
    })
}

/// Strengths that differ by less are the same but for rounding.
const LEVEL: f64 = 1e-6;

/// The answer without a proof. Of files the strongest system leads, unless the next one is level.
fn undecided(ranking: &Ranking) -> String {
    if let Some(conduct) = &ranking.campaign {
        let leader = conduct.leader.as_deref();
        return ranking
            .claim
            .open_verdict(leader, conduct.state.is_at_rest());
    }
    let strengths = ranking.strengths.iter();
    let known = strengths.map_while(|one| Some((one.system.as_str(), one.strength?)));
    let strongest: Vec<(&str, f64)> = known.take(2).collect();
    let leader = match strongest[..] {
        [(_, one), (_, other)] if one - other < LEVEL => None,
        [(leader, _), ..] => Some(leader),
        [] => None,
    };
    ranking.claim.open_verdict(leader, false)
}

/// The step that checks a judge's ranking.
fn check_with_people() -> String {
    "Check it with people: `tiebreak ask` writes questions for them; with their answers `tiebreak assess` says how far the \
     judge agrees."
        .to_string()
}

/// The next step of a campaign in the folder `run` that makes no claim.
fn next_of_campaign(conduct: &CampaignFacts, claim: &Claim, run: &str) -> String {
    let left = conduct.left.map(still_needed).as_deref().map(as_sentence);
    let left = left.map_or_else(String::new, |left| format!("{left} "));
    let (again, sheet) = (Flag("again"), conduct.next_sheet.as_str());
    if conduct.served {
        return format!("{left}{SERVED}");
    }
    if let Some(next) = unprovable(claim, conduct, run) {
        return as_sentence(&next);
    }
    match conduct.state {
        CampaignState::Lost if !conduct.renews.is_empty() => {
            as_sentence(&renew_evidence(run, &conduct.renews, sheet))
        }
        CampaignState::Lost => as_sentence(&begin_another(run)),
        CampaignState::TakenBack => format!(
            "Answers that were taken back are to be given again. `tiebreak ask {run} {again} {sheet}` writes open questions."
        ),
        CampaignState::Over => {
            "The campaign asks nothing more: there is no other question.".to_string()
        }
        CampaignState::Exhausted if conduct.skipped > 0 && claim.about != ClaimPopulation::Panel => {
            let skipped = counted(conduct.skipped, "skipped question");
            format!(
                "No other question could help, but {skipped} can still be answered. `tiebreak ask {run} {again} {sheet}` \
                 writes them again."
            )
        }
        CampaignState::Exhausted => {
            "The campaign asks nothing more: all questions that could decide are answered. More items or more annotators would \
             help."
                .to_string()
        }
        CampaignState::Waiting => {
            let open = counted(conduct.open, "open answer");
            format!("Wait for {open}: nothing new can be asked until then.")
        }
        CampaignState::UsedUp => {
            let limit = match conduct.stopped.as_deref() {
                Some("steps") => "limit of steps",
                _ => "budget",
            };
            let larger = conduct.larger.as_ref();
            let raise = larger.map(|larger| raise_command(run, larger, sheet));
            format!(
                "The {limit} is used up. {left}With a larger one the campaign goes on{}.",
                raise.map_or_else(String::new, |raise| format!(": `{raise}`"))
            )
        }
        CampaignState::Asking => {
            let people = match claim.about {
                ClaimPopulation::Panel => People::Panel,
                ClaimPopulation::TheseAnnotators => People::Listed,
                _ => People::One,
            };
            let ask = ask_command(run, people, conduct.asked, conduct.sheets, sheet);
            match conduct.open {
                0 => format!("{left}`{ask}` asks the next questions."),
                open => format!(
                    "{left}Wait for {}, or ask for more: `{ask}`.",
                    counted(open, "open answer")
                ),
            }
        }
    }
}

/// The comparisons that it would take to tell the two strongest systems apart.
fn needed(ranking: &Ranking) -> String {
    let asking = "`tiebreak ask` writes the next questions.";
    if ranking.evidence.unlinked > 1 {
        return format!(
            "No comparison links {} groups of systems. Let people compare systems of different groups, on items that \
             both have. {asking}",
            ranking.evidence.unlinked
        );
    }
    let known = |one: &&Strength| one.strength.is_some() && one.lower.is_some();
    let strongest: Vec<&Strength> = ranking.strengths.iter().filter(known).take(2).collect();
    // Identical outputs make comparisons that nobody was asked for, and tell no systems apart.
    let answers = ranking.evidence.answers;
    let [one, other] = strongest[..] else {
        return format!("More comparisons: {asking}");
    };
    if answers < FEW {
        return format!("{} {asking}", few("comparisons"));
    }
    // Strengths relative to the average of all k are negatively correlated: differences vary more than intervals say.
    let k = ranking.systems.len() as f64;
    let half_width = |one: &Strength| {
        let half = (one.upper? - one.lower?) / 2.0;
        Some(HalfWidth::by_root(half * (k / (k - 1.0)).sqrt()))
    };
    let needed = SampleSizeEstimate::by_intervals(
        one.strength.unwrap_or(0.0) - other.strength.unwrap_or(0.0),
        [one, other].map(half_width),
        one.comparisons.max(other.comparisons),
    );
    format!(
        "{} {asking}",
        needed.effort_sentence(&one.system, &other.system, "comparisons")
    )
}

/// The least judgments of a system from which an estimate is made of how many more it takes.
const FEW: u64 = 30;

/// The distance beyond an interval's end that a gap needs to be found with 80 % power, in half-widths of a 95 % interval.
const FOR_POWER: f64 = 0.8416 / 1.96;

/// The half-width of an interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HalfWidth {
    /// The part that shrinks as 1/√n.
    pub root: f64,
    /// What is added to it, which shrinks as 1/n.
    pub added: f64,
    /// What it is at least, for outputs that went unseen; this shrinks as 1/n.
    pub unseen: f64,
}

impl HalfWidth {
    /// A half-width that shrinks as 1/√n.
    pub(crate) fn by_root(root: f64) -> Self {
        Self {
            root,
            added: 0.0,
            unseen: 0.0,
        }
    }

    /// The half-width with so many times as many judgments.
    pub(crate) fn with(self, times: f64) -> f64 {
        (self.root / times.sqrt() + self.added / times).max(self.unseen / times)
    }
}

/// An estimate of the judgments that tell two systems apart.
pub(crate) struct SampleSizeEstimate {
    /// How many times as many judgments it takes; `None` for too many.
    pub times: Option<f64>,
    /// The number of judgments of each now, at most.
    pub n: u64,
}

impl SampleSizeEstimate {
    /// Two systems by their own intervals, taken as independent: a gap that is found with 80 % power.
    pub(crate) fn by_intervals(gap: f64, intervals: [Option<HalfWidth>; 2], n: u64) -> Self {
        let [one, other] = intervals;
        let times = one.zip(other).and_then(|(one, other)| {
            let found = |times: f64| {
                let beyond = FOR_POWER * one.root.hypot(other.root) / times.sqrt();
                one.with(times).hypot(other.with(times)) + beyond <= gap
            };
            bisected(1.0, EstimateDifference::MOST_TIMES, found)
        });
        Self { times, n }
    }

    /// Two systems by intervals that hold at any time, which are told apart once they do not overlap: mostly, where those
    /// ends scatter as means do.
    pub(crate) fn by_anytime_intervals(
        gap: f64,
        intervals: [Option<HalfWidth>; 2],
        n: u64,
    ) -> Self {
        let [one, other] = intervals;
        let times = one.zip(other).and_then(|(one, other)| {
            bisected(1.0, EstimateDifference::MOST_TIMES, |times| {
                let beyond = FOR_POWER * one.root.hypot(other.root) / times.sqrt();
                one.with(times) + other.with(times) + beyond <= gap
            })
        });
        Self { times, n }
    }

    /// The number of further judgments that takes, in a sentence.
    pub(crate) fn effort_sentence(&self, one: &str, other: &str, what: &str) -> String {
        match self.times {
            Some(times) => {
                let more = rounded(self.n as f64 * times.max(1.2));
                format!(
                    "About {more} {what} of each would separate {one} from {other}, instead of {} now, if the gap stays.",
                    self.n
                )
            }
            _ if self.n < FEW => few(what),
            _ => format!(
                "{one} and {other} are so close that separating them takes many times as many {what}."
            ),
        }
    }
}

fn few(what: &str) -> String {
    format!("There are too few {what} to estimate how many it will take.")
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

    /// Nine of ten annotators prefer a; the tenth prefers b and gave most of the answers.
    #[test]
    fn what_new_annotators_prefer_otherwise_is_at_the_front() {
        let names: Vec<String> = (0..10).map(|by| format!("p{by}")).collect();
        let items: Vec<String> = (0..400).map(|item| format!("i{item}")).collect();
        let ranked = |share: usize, of_tenth: Outcome| {
            let rows = items.iter().enumerate().map(|(at, item)| {
                let is_tenth = at % 10 < share;
                let by = if is_tenth { 9 } else { at / 10 % 9 };
                let usual = if is_tenth { of_tenth } else { Outcome::Win };
                let outcome = if at % 7 == 3 { usual.flipped() } else { usual };
                Comparison::new("a", "b", outcome).on(item).by(&names[by])
            });
            of_ranking(&rank(rows.collect::<Vec<_>>(), 0.95).unwrap(), "run")
        };
        let opposed = ranked(7, Outcome::Loss);
        assert!(opposed.best.starts_with("b is the best"), "{opposed:?}");
        let line = "New annotators: a is the best of the 2 systems";
        assert!(opposed.sure.contains(line), "{opposed:?}");
        assert!(
            opposed.next.contains("decide which opinion counts"),
            "{opposed:?}"
        );
        let agreed = ranked(1, Outcome::Win);
        assert!(agreed.best.starts_with("a is the best"), "{agreed:?}");
        assert!(!agreed.sure.contains("New annotators"), "{agreed:?}");
    }

    /// A ranking from comparisons of three systems, `each` of every pair.
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

    /// The estimate of a ranking, made when little is known, is mostly enough.
    #[test]
    fn as_many_comparisons_as_are_said_to_be_needed_decide() {
        let (mut followed, mut decided) = (0, 0);
        for seed in 0..40 {
            let few = compared(60, seed);
            let said = needed(&few);
            let Some(n) = said.split("About ").nth(1) else {
                continue;
            };
            let n: usize = n.split(' ').next().unwrap().parse().unwrap();
            // Only where the gap stays as estimated: a gap larger than the true one was luck.
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
