//! Answers that are corrected after they counted, through the journal: whoever corrects what, and whatever they know by
//! then, claims are true as often as they say. Where the annotators are named again, a claim still comes.

use super::{Claims, DELTA, Preferences, outcome};
use std::cell::RefCell;
use tiebreak::bandits::BANDITS;
use tiebreak::duel::{Arm, Outcome, Pair, Verdict};
use tiebreak::error::Result;
use tiebreak::evaluation::active::{Limits, Setup};
use tiebreak::evaluation::eligible::EligibleItems;
use tiebreak::evaluation::game::BanditRun;
use tiebreak::evaluation::known::PriorKnowledge;
use tiebreak::feedback::PairQuestion;
use tiebreak::feedback::dealing::{FIRST_LIST, People};
use tiebreak::feedback::recollected::DeduplicatedFeedback;
use tiebreak::feedback::texts::{ComparisonTexts, Texts};
use tiebreak::journal::batch::{AskPolicy, BatchFeedback};
use tiebreak::journal::{Assignment, Journal, PosedQuestion, Response};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::{Rng, Seed};
use tiebreak::signature::Signature;

/// The questions between two looks at the status.
const BATCH: usize = 10;

const PEOPLE: usize = 4;

/// Who corrects what, after each look.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Correction {
    /// Everybody the slips of the last batch, which this share of answers is.
    Slips(f64),
    /// One annotator all that they answered against the first system; while it leads, not where a bet would be lost.
    Partisan { spares_bets: bool },
}

#[derive(Debug, Clone, Copy)]
struct Crowd {
    bandit: &'static str,
    k: usize,
    /// The probability that the first system is preferred to another.
    p: f64,
    items: u32,
    correction: Correction,
}

const EQUAL: Crowd = Crowd {
    bandit: "adaptive",
    k: 2,
    p: 0.5,
    items: 60,
    correction: Correction::Partisan { spares_bets: true },
};

fn crowds() -> [Crowd; 6] {
    let slips = Correction::Slips(0.1);
    [
        EQUAL,
        Crowd {
            correction: slips,
            ..EQUAL
        },
        Crowd { items: 8, ..EQUAL },
        Crowd {
            items: 8,
            correction: slips,
            ..EQUAL
        },
        Crowd { k: 4, ..EQUAL },
        Crowd {
            bandit: "adaptive:epsilon=0.001",
            k: 3,
            ..EQUAL
        },
    ]
}

/// As many items as there are; every text is another.
struct Library(Vec<u32>);

impl Texts for Library {
    fn items(&self, _: Pair) -> &[u32] {
        &self.0
    }

    fn texts(&self, _: u32, pair: Pair) -> Result<ComparisonTexts<'_>> {
        let text = |arm: Arm| ["zero", "one", "two", "three"][arm.index()];
        Ok(ComparisonTexts {
            source: None,
            references: &[],
            first: text(pair.first),
            second: text(pair.second),
        })
    }

    fn names(&self, pair: Pair) -> String {
        format!("{pair:?}")
    }
}

/// A campaign in progress.
struct Campaign<'a> {
    crowd: Crowd,
    tastes: Vec<Preferences>,
    people: &'a RefCell<BatchFeedback<&'a Library>>,
    run: BanditRun<'a>,
    /// The slips of the last batch, with what was meant.
    slips: Vec<(Assignment, Outcome)>,
    rng: Rng,
}

/// The end of a campaign.
#[derive(Debug, Default)]
struct CampaignEnd {
    claim: Option<Verdict>,
    /// Whether evidence that takes corrected answers for the first ones would have proved something.
    is_naively_proved: bool,
}

impl Campaign<'_> {
    /// Asks a batch and has it answered; false where nothing is asked any more.
    fn answer_batch(&mut self) -> bool {
        self.people.borrow_mut().demand_block(BATCH);
        self.run.go_on().unwrap();
        let dealt = self.people.borrow_mut().pose().unwrap();
        self.people.borrow_mut().demand(None);
        let given: Vec<_> = dealt
            .iter()
            .map(|dealt| {
                let put = Assignment::dealt(dealt.question.duel.id);
                (put, self.respond(put, dealt.question))
            })
            .collect();
        self.tell(&given);
        !given.is_empty()
    }

    fn respond(&mut self, put: Assignment, question: PairQuestion) -> Response {
        let (Pair { first, second }, sample) = (question.duel.pair, question.sample);
        // Every other item suits the system of the lower number.
        let suits_first = sample.item.is_multiple_of(2) == (first < second);
        let of_item = if suits_first { 0.1 } else { -0.1 };
        let p = self.tastes[sample.person as usize].get(first, second) + of_item;
        let meant = outcome(p, self.rng.uniform());
        let mut said = meant;
        if let Correction::Slips(share) = self.crowd.correction
            && self.rng.bernoulli(share)
        {
            said = meant.flipped();
            self.slips.push((put, meant));
        }
        response(sample.person, said)
    }

    fn tell(&mut self, given: &[(Assignment, Response)]) {
        if !given.is_empty() {
            let mut people = self.people.borrow_mut();
            people.journal_mut().answer(given, false).unwrap();
        }
        self.run.go_on().unwrap();
    }

    /// The answers that are to be given otherwise now.
    fn corrections(&mut self) -> Vec<(Assignment, Response)> {
        match self.crowd.correction {
            Correction::Slips(_) => {
                let slips = std::mem::take(&mut self.slips);
                let people = self.people.borrow();
                let person = |put| people.journal().person(put);
                let meant = slips.into_iter();
                meant
                    .map(|(put, meant)| (put, response(person(put), meant)))
                    .collect()
            }
            Correction::Partisan { spares_bets } => self.partisan_corrections(spares_bets),
        }
    }

    fn partisan_corrections(&mut self, spares_bets: bool) -> Vec<(Assignment, Response)> {
        let spares_bets = spares_bets && self.run.standing().1.leader == Some(Arm(0));
        let people = self.people.borrow();
        let correction = |posed: &PosedQuestion| {
            let PairQuestion { duel, sample } = posed.question;
            let wanted = match duel.pair {
                Pair { first: Arm(0), .. } => Outcome::Win,
                Pair { second: Arm(0), .. } => Outcome::Loss,
                _ => return None,
            };
            let is_other = posed.given.as_ref()?.outcome? != wanted;
            let is_meant = sample.person == 0 && !(spares_bets && duel.bet != 0.0);
            let put = Assignment::dealt(duel.id);
            (is_other && is_meant).then(|| (put, response(0, wanted)))
        };
        people.journal().posed().filter_map(correction).collect()
    }

    fn correct(&mut self) {
        let corrected = self.corrections();
        let puts: Vec<Assignment> = corrected.iter().map(|one| one.0).collect();
        self.people
            .borrow_mut()
            .journal_mut()
            .disown(&puts)
            .unwrap();
        self.tell(&corrected);
    }

    /// The claim, where one is announced.
    fn claim(&mut self) -> Option<Verdict> {
        let is_sound = !self.run.is_corrected();
        assert!(self.people.borrow().journal().disowned().next().is_none());
        (is_sound && self.run.is_decided()).then(|| self.run.trace().verdict)
    }

    /// Whether ln E from the answers as they are now reaches ln 1/δ for one of two systems.
    fn is_naively_proved(&self) -> bool {
        let people = self.people.borrow();
        let mut evidence = [1.0; 2];
        for posed in people.journal().posed() {
            let (duel, given) = (posed.question.duel, posed.given.as_ref().unwrap());
            let favoured = if duel.bet > 0.0 {
                duel.pair.first
            } else {
                duel.pair.second
            };
            evidence[favoured.index() % 2] *= 1.0 + duel.bet * given.outcome.unwrap().score();
        }
        evidence.into_iter().any(|one| one >= 1.0 / DELTA)
    }
}

fn response(person: u32, outcome: Outcome) -> Response {
    Response {
        outcome: Some(outcome),
        annotator: Some(format!("p{person}")),
        ..Response::default()
    }
}

fn names() -> Vec<String> {
    (0..PEOPLE).map(|place| format!("p{place}")).collect()
}

fn setup(crowd: &Crowd, steps: u64) -> Setup {
    let (name, params) = Params::parse(crowd.bandit).unwrap();
    let entry = find_entry("bandit", BANDITS, &name).unwrap();
    let items = crowd.items;
    let known = PriorKnowledge {
        confidence: Some(1.0 - FIRST_LIST * DELTA),
        eligible: Some(EligibleItems::new(move |_| (0..items).collect())),
        ..PriorKnowledge::default()
    };
    let arms = Arm::all(crowd.k).collect();
    let setup = Setup::new(entry, params, arms, Limits::new(steps, None), Seed(23));
    setup.unwrap().with(known).unwrap()
}

/// One campaign of so many answers at most, and what is true of its annotators.
fn campaign(crowd: Crowd, setup: &Setup, run: u64) -> (CampaignEnd, Preferences) {
    let mut rng = Seed(37).stream("crowd", run);
    let population = Preferences::from_fn(crowd.k, |i, _| if i == 0 { crowd.p } else { 0.5 });
    let mut tastes: Vec<Preferences> = (0..PEOPLE)
        .map(|_| population.of_a_person(0.1, &mut rng))
        .collect();
    let mean = Preferences::mean(&tastes);
    for taste in &mut tastes {
        for (place, p) in taste.upper.iter_mut().enumerate() {
            *p += population.upper[place] - mean.upper[place];
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let signature = Signature::new("corrections");
    let mut journal = Journal::open(&folder.path().join("journal"), &signature).unwrap();
    journal.gather();
    journal.relist(&names()).unwrap();
    let library = Library((0..crowd.items).collect());
    let policy = AskPolicy::singly(People::Listed);
    let people = RefCell::new(BatchFeedback::new(&library, journal, policy, 0));
    let feedback = Box::new(DeduplicatedFeedback::new(&people));
    let mut campaign = Campaign {
        crowd,
        tastes,
        people: &people,
        run: setup.begin(run, feedback, Box::new(|_| {})).unwrap(),
        slips: Vec::new(),
        rng,
    };
    let mut end = CampaignEnd::default();
    while campaign.answer_batch() {
        end.claim = campaign.claim();
        if end.claim.is_some() {
            break;
        }
        campaign.correct();
        end.is_naively_proved |= campaign.is_naively_proved();
        if campaign.run.is_corrected() {
            let mut people = people.borrow_mut();
            people.journal_mut().relist(&names()).unwrap();
        }
    }
    (end, population)
}

/// The claims of so many campaigns, and in how many corrected answers taken for the first ones would prove something.
fn claims(crowd: Crowd, runs: u64, steps: u64) -> (Claims, u64) {
    let setup = setup(&crowd, steps);
    let mut claims = Claims {
        runs,
        ..Claims::default()
    };
    let mut naive = 0;
    for run in 0..runs {
        let (end, truth) = campaign(crowd, &setup, run);
        naive += u64::from(end.is_naively_proved);
        if let Some(claim) = end.claim {
            claims.made += 1;
            claims.wrong += u64::from(!truth.bear_out(&claim));
        }
    }
    (claims, naive)
}

#[test]
fn claims_are_true_as_often_as_they_say_whoever_corrects_what() {
    for crowd in crowds() {
        let (found, _) = claims(crowd, 30, 200);
        found.assert_valid(&format!("{crowd:?}"));
    }
}

#[test]
#[ignore = "a thousand campaigns of every crowd take half an hour"]
fn claims_are_true_as_often_as_they_say_in_a_thousand_campaigns_whoever_corrects_what() {
    for crowd in crowds() {
        let (found, naive) = claims(crowd, 1000, 400);
        found.assert_valid_in_a_thousand(&format!("{crowd:?}, {naive} by corrected answers"));
    }
}

#[test]
fn a_clear_winner_is_found_although_slips_are_corrected() {
    for (bandit, items) in [
        ("adaptive", 60),
        ("adaptive", 20),
        ("adaptive:epsilon=0.001", 60),
    ] {
        let correction = Correction::Slips(0.02);
        let crowd = Crowd {
            bandit,
            items,
            p: 0.8,
            correction,
            ..EQUAL
        };
        let (found, _) = claims(crowd, 40, 600);
        assert!(found.made >= 36 && found.wrong == 0, "{crowd:?}: {found:?}");
    }
}

/// That the other tests can fail.
#[test]
fn evidence_by_the_corrected_answers_would_make_false_claims() {
    let correction = Correction::Partisan { spares_bets: false };
    let (_, naive) = claims(
        Crowd {
            correction,
            ..EQUAL
        },
        40,
        200,
    );
    assert!(naive > 10, "{naive}");
}
