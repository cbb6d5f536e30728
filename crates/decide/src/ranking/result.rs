//! The outcome of `rank`: what `rank --json` prints and `ranking.json` holds; also of a campaign.

use crate::estimators::Survey;
use crate::evaluation::slices::SlicedDifferences;
use crate::model_based::PredictionAgreement;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use tiebreak_base::claims::Claim;
use tiebreak_base::error::Result;
use tiebreak_base::scope::PeopleScope;
use tiebreak_base::words::counted;

/// The ranking of all systems by collected comparisons, or by those of a campaign so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// All systems, by name.
    pub systems: Vec<String>,
    /// Their strengths, strongest first; in a campaign those first that it claims to be best, then its leader.
    pub strengths: Vec<Strength>,
    /// The ranks that each may have, in the same order; in a campaign those that its claim implies, if it has one.
    pub ranks: Vec<Ranks>,
    /// Groups of systems that were tested against each other and of which no two are told apart, as large as they can be; a
    /// system may be in several, and any two of which that holds are in one. A campaign has none.
    pub groups: Vec<Vec<String>>,
    /// The claim about those who answered.
    pub claim: Claim,
    /// The people whose opinion was asked for.
    #[serde(default)]
    pub people: PeopleScope,
    /// The ranking for people like those who answered; null where it cannot be given, or was not asked for.
    #[serde(default)]
    pub new_annotators: Option<PanelRanking>,
    /// The evidence that this is made from, and what its intervals hold for.
    pub evidence: Evidence,
    /// The effect of each feature of style, where style is held equal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub style: Vec<StyleEffect>,
    /// The win rates against a baseline, where one is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<BaselineWinRates>,
    /// The position bias of the judge, where the ranking is a judge's and both orders, or their sides, are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<PositionBias>,
    /// The differences of all pairs in slices of the items, where they are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<SlicedDifferences>,
    /// Sentences on what may mislead: items with more comparisons weigh more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The conduct of a campaign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign: Option<CampaignFacts>,
    /// The seed.
    pub seed: u64,
    /// The signature of what made this.
    pub signature: String,
}

impl Ranking {
    /// The ranking for the people whose opinion was asked for: where they are new, that for these takes the place.
    pub fn as_asked(&self) -> Cow<'_, Self> {
        let asked =
            (self.people == PeopleScope::NewAnnotators).then_some(self.new_annotators.as_ref());
        let Some(panel) = asked.flatten().cloned() else {
            return Cow::Borrowed(self);
        };
        Cow::Owned(Self {
            strengths: panel.strengths,
            ranks: panel.ranks,
            groups: panel.groups,
            claim: panel.claim,
            people: PeopleScope::These,
            new_annotators: None,
            ..self.clone()
        })
    }
}

/// The ranking of all systems for people like those who answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PanelRanking {
    /// Strengths of all systems, strongest first.
    pub strengths: Vec<Strength>,
    /// The ranks that each may have, in the same order.
    pub ranks: Vec<Ranks>,
    /// Groups of systems that were tested against each other and of which no two are told apart.
    pub groups: Vec<Vec<String>>,
    /// The claim about such people.
    pub claim: Claim,
}

/// The effect of a feature of style on preferences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StyleEffect {
    /// The feature.
    pub feature: String,
    /// The log-odds that a standard deviation of difference adds; null where two systems always differ alike in it, so
    /// that it cannot be told from their strengths.
    pub effect: Option<f64>,
    /// Lower end of its interval, which holds by itself; null with comparisons on fewer than two items.
    pub lower: Option<f64>,
    /// Upper end of its interval.
    pub upper: Option<f64>,
}

/// The position bias of a judge: the mean of twice the preference for what is shown first, less 1, in [-1, 1].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionBias {
    /// The mean.
    pub value: f64,
    /// Lower end of its interval over items, which holds by itself; null with verdicts on fewer than two items.
    pub lower: Option<f64>,
    /// Upper end of its interval.
    pub upper: Option<f64>,
    /// The number of verdicts whose sides are known.
    pub verdicts: u64,
}

impl PositionBias {
    /// The position bias of verdicts, each with its item; `None` without any.
    ///
    /// # Errors
    /// Of [`Survey::mean_interval`].
    pub fn new(biases: &[(usize, f64)], confidence: f64) -> Result<Option<Self>> {
        if biases.is_empty() {
            return Ok(None);
        }
        let ends = Survey::mean_interval(biases, [-1.0, 1.0], confidence)?;
        Ok(Some(Self {
            value: biases.iter().map(|(_, bias)| bias).sum::<f64>() / biases.len() as f64,
            lower: ends.map(|[lower, _]| lower),
            upper: ends.map(|[_, upper]| upper),
            verdicts: biases.len() as u64,
        }))
    }
}

/// The win rates of systems against a baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BaselineWinRates {
    /// The baseline.
    pub baseline: String,
    /// All other systems, in the order of their strengths.
    pub rates: Vec<WinRate>,
}

/// The win rate of a system against the baseline, a tie counting one half.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WinRate {
    /// The system.
    pub system: String,
    /// The rate by people's comparisons or a judge's verdicts, in [0, 1]; null where the two were never compared.
    pub win_rate: Option<f64>,
    /// The standard error of that over items; null with comparisons on fewer than two.
    pub error: Option<f64>,
    /// Lower end of its interval over items, which holds by itself; null with comparisons on fewer than two.
    #[serde(default)]
    pub rate_lower: Option<f64>,
    /// Upper end of that interval.
    #[serde(default)]
    pub rate_upper: Option<f64>,
    /// The number of comparisons of the two.
    pub comparisons: u64,
    /// The rate if both wrote in one style, by all comparisons; null where no chain of these links them, or style is not
    /// held equal.
    pub equal_style: Option<f64>,
    /// Lower end of that one's interval, which holds by itself.
    pub lower: Option<f64>,
    /// Upper end of its interval.
    pub upper: Option<f64>,
    /// Mean length of the system's outputs, in words.
    pub words: f64,
}

/// The strength of a system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strength {
    /// The system.
    pub system: String,
    /// Its strength relative to the mean of the systems it can be compared with; null before it was
    /// compared with any.
    pub strength: Option<f64>,
    /// Lower end of its interval; null with comparisons on fewer than two items, and of a campaign.
    pub lower: Option<f64>,
    /// Upper end of its interval.
    pub upper: Option<f64>,
    /// Comparisons it took part in, ties of identical outputs among them.
    pub comparisons: u64,
}

/// The ranks a system may have; those of all systems hold together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranks {
    /// The system.
    pub system: String,
    /// The best, from 1 on.
    pub rank_low: u64,
    /// The worst.
    pub rank_high: u64,
}

/// The evidence that a ranking is made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Answers of people, or verdicts of the judge.
    pub answers: u64,
    /// The judge, where the evidence is verdicts of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Pairs of systems that the judge never compared.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unmet: u64,
    /// Identical outputs that count as ties.
    pub identical: u64,
    /// Draws of a question that was answered before, where each draw counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: u64,
    /// Predictions of a model used beside them.
    #[serde(default)]
    pub predictions: u64,
    /// The unit of strengths.
    pub scale: StrengthScale,
    /// The confidence with which all intervals, and all ranks, hold together, where there are any.
    pub confidence: f64,
    /// The number of rankings of one pipeline, this one among them, that share the probability of an error; 0 where this
    /// one shares it with no other.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sharing: u64,
    /// Whether what was asked, or how long, depended on answers: then strengths have no intervals.
    pub adaptive: bool,
    /// Groups of systems that no chain of comparisons links.
    pub unlinked: u64,
    /// Whether comparisons count pair by pair so that each annotator weighs the same in all pairs: their share of all
    /// comparisons, or in a campaign as much as any other.
    #[serde(default)]
    pub reweighted: bool,
    /// Systems of which nothing is claimed, since annotators of more than a little weight never judged them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unjudged: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_false(flag: &bool) -> bool {
    !flag
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The unit of strengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrengthScale {
    /// Log-odds of being preferred.
    LogOdds,
    /// The share of comparisons in which it is preferred, less one half, a tie counting one half.
    Margin,
}

/// The conduct of a campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CampaignFacts {
    /// The bandit with its parameters.
    pub bandit: String,
    /// Questions people were asked.
    pub asked: u64,
    /// The number of these that they answered.
    pub answered: u64,
    /// The times when the budget was raised, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raised: Vec<RaisedBudget>,
    /// Answers of a model, and ties of identical outputs.
    pub model_answers: u64,
    /// The reason why it is over; null while it goes on.
    pub stopped: Option<String>,
    /// What it asks from here on.
    #[serde(default)]
    pub state: CampaignState,
    /// The questions still to be answered.
    #[serde(default)]
    pub open: u64,
    /// The sheets that questions went out on.
    #[serde(default)]
    pub sheets: u64,
    /// The flags that write the next sheet, or the next folder of sheets.
    #[serde(default)]
    pub next_sheet: String,
    /// Whether it is being served.
    #[serde(default, skip_serializing_if = "is_false")]
    pub served: bool,
    /// The system that looks best: a guess; null before the first answer.
    #[serde(default)]
    pub leader: Option<String>,
    /// The number of answers a verdict may still take, as evidence came so far; null where that is unknown.
    #[serde(default)]
    pub left: Option<u64>,
    /// The limit with which it goes on, where one is used up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub larger: Option<LargerLimit>,
    /// The answers without a name, where all others have the same one; else 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unnamed: u64,
    /// Skipped questions that take evidence away, and can still be answered.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u64,
    /// The annotators who, named again, begin the evidence anew that a correction cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renews: Vec<String>,
    /// Systems that predictions dropped: not judged.
    pub eliminated: Vec<String>,
    /// The agreement of predictions with people's judgments, where a model was to answer.
    pub predictions: Option<PredictionAgreement>,
}

/// A limit with which a campaign goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LargerLimit {
    /// The key of the limit: budget, hours or steps.
    pub key: String,
    /// The value to give.
    pub value: String,
}

/// A time at which the budget of a campaign was raised.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RaisedBudget {
    /// The number of questions asked before it.
    pub asked: u64,
    /// The number of questions that may be asked from there on.
    pub budget: u64,
    /// The hours of answering from there on; null without such a limit.
    pub hours: Option<f64>,
}

impl RaisedBudget {
    /// The change in words.
    pub fn words(&self) -> String {
        let hours = self.hours.map(|hours| format!(" and {hours} hours"));
        format!(
            "raised to {}{} after {}",
            counted(self.budget, "question"),
            hours.unwrap_or_default(),
            counted(self.asked, "question")
        )
    }
}

/// What a campaign asks from here on. All that tell how it stands go by this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CampaignState {
    /// New questions.
    #[default]
    Asking,
    /// Nothing new before open questions are answered.
    Waiting,
    /// Nothing: a limit, or the plan, is used up without an answer.
    UsedUp,
    /// Nothing: all questions that could decide are answered or were skipped.
    Exhausted,
    /// Nothing: it has its answer.
    Over,
    /// What was taken back after it had counted.
    TakenBack,
    /// Whatever it asks, nothing can be proved: answers that had counted were corrected.
    Lost,
}

impl CampaignState {
    /// Whether nothing is asked, and no open answer changes that.
    pub fn is_at_rest(self) -> bool {
        matches!(self, Self::UsedUp | Self::Exhausted | Self::Over)
    }
}
