//! A judge behind an endpoint, or whose answers come in batch files.

use super::answers::{AnswerLookup, Answers, Key, RequestClaim};
use super::descriptor::JudgeDescriptor;
use super::http::{Account, Endpoint, StopSignal, check_limit};
use super::price::Price;
use super::request::{JudgeRequest, JudgeRequestBuilder};
use super::template::{JudgeTemplate, JudgeTemplateKind};
use super::{Delivery, Engine, Prompt, VerdictResult};
use crate::verdicts::{
    Choice, Completion, JudgeVerdict, ParsedVerdict, Rule, Spelling, UnreadableAnswer,
    VerdictLabels,
};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_base::signature::Signature;
use tiebreak_base::words::counted;
use tiebreak_encoders::checkpoint::digest;

/// The time between two checks whether to go on, while waiting for answers.
const LOOK: Duration = Duration::from_millis(100);

/// The number of those, without an answer, after which an interrupted judge waits no longer for what is paid for.
const GRACE: u32 = 4;

/// The number of prompts taken at a time for each request that may be on its way, so that the last keep few waiting.
const AHEAD: usize = 64;

/// A judge whose answers are kept.
pub(crate) struct RemoteJudge {
    templates: Vec<JudgeTemplate>,
    form: JudgeRequestBuilder,
    reader: VerdictReader,
    answers: Answers,
    delivery: RequestTransport,
    signature: Signature,
    price: Option<Price>,
    /// The requests whose answers were known: prompts of equal texts are one.
    known: Mutex<BTreeSet<Key>>,
    /// Whether the replies kept that are no answers were reported.
    reported: AtomicBool,
}

/// A reader of answers.
struct VerdictReader {
    rule: Rule,
    labels: VerdictLabels,
    spelling: Spelling,
    scale: (u8, u8),
}

enum RequestTransport {
    Endpoint(Box<Endpoint>),
    /// No endpoint: requests are at most collected.
    Nobody(Delivery),
}

impl RemoteJudge {
    /// Makes the judge of a descriptor; sampled several times where `sampled`.
    ///
    /// # Errors
    /// What is wrong with the descriptor, the endpoint's address, the key, or the folder of answers.
    pub(crate) fn new(
        descriptor: &JudgeDescriptor,
        answers: &Path,
        delivery: &Delivery,
        sampled: bool,
        seed: Seed,
    ) -> Result<Self> {
        let seeds = sampled.then(|| seed.stream("judge", 0).next_u64());
        let form = JudgeRequestBuilder::new(descriptor, seeds)?;
        let templates = descriptor.templates()?;
        let signature = signature(descriptor, &templates, seeds)?;
        let model = descriptor.model.as_deref().unwrap_or_default();
        let answers = Answers::open(answers, model)?;
        let delivery = match delivery {
            Delivery::Sent => {
                let account = Account {
                    before: answers.usage(),
                    ..Account::default()
                };
                RequestTransport::Endpoint(Box::new(Endpoint::new(descriptor, account, seed)?))
            }
            other => {
                check_limit(descriptor.max_cost, descriptor.price)?;
                if let Delivery::Collected(outbox) = other {
                    outbox.limit(descriptor.price, descriptor.max_cost, answers.usage());
                }
                RequestTransport::Nobody(other.clone())
            }
        };
        Ok(Self {
            templates,
            form,
            reader: VerdictReader {
                rule: descriptor.rule(),
                labels: descriptor.labels.clone(),
                spelling: descriptor.spelling,
                scale: (descriptor.scale.0, descriptor.scale.1),
            },
            answers,
            delivery,
            signature,
            price: descriptor.price,
            known: Mutex::default(),
            reported: AtomicBool::new(false),
        })
    }

    /// The kind of the templates, and their number.
    pub(crate) fn templates(&self) -> (JudgeTemplateKind, usize) {
        (self.templates[0].kind, self.templates.len())
    }

    /// The answer to one prompt, from what is known or by asking.
    fn answer_prompt(&self, prompt: &Prompt<'_>, stop: &StopSignal) -> Result<VerdictResult> {
        let template = &self.templates[prompt.template];
        let messages = template.messages(prompt)?;
        let request = self.form.request(template, &messages, prompt.sample)?;
        if let RequestTransport::Nobody(Delivery::Answered(results)) = &self.delivery {
            results.meet(request.key);
        }
        let answer = match self.answers.lookup_or_claim(request.key)? {
            AnswerLookup::Answer(answer) => {
                self.known().insert(request.key);
                Ok(answer)
            }
            AnswerLookup::Nothing(mut claim) => self.carry(&request, &mut claim, stop)?,
        };
        Ok(answer.and_then(|answer| self.reader.read(&answer, template.kind)))
    }

    fn carry(
        &self,
        request: &JudgeRequest,
        claim: &mut RequestClaim<'_>,
        stop: &StopSignal,
    ) -> Result<Result<Completion, UnreadableAnswer>> {
        match &self.delivery {
            RequestTransport::Endpoint(endpoint) => {
                // Lasts until the reply is kept, so that others count it.
                let _turn = endpoint.account().turn(self.answers.folder(), stop)?;
                let (answer, by_others) = claim.among_commands(stop)?;
                endpoint.account().add_before(by_others);
                if let Some(answer) = answer {
                    self.known().insert(request.key);
                    return Ok(Ok(answer));
                }
                let paid = match endpoint.send(request, self.form.most_tokens(), stop)? {
                    Ok(paid) => paid,
                    Err(why) => return Ok(Err(why)),
                };
                // Kept before it is used.
                self.answers
                    .keep(request.key, &paid.reply, Some(paid.reserved))?;
                Ok(paid.reply.completion)
            }
            RequestTransport::Nobody(Delivery::Collected(outbox)) => {
                outbox.add(request, self.form.most_tokens());
                Ok(Err(UnreadableAnswer::NotAsked))
            }
            RequestTransport::Nobody(Delivery::Answered(results)) => {
                let why = results.failed.get(&request.key).cloned();
                Ok(Err(why.unwrap_or(UnreadableAnswer::NotAsked)))
            }
            RequestTransport::Nobody(Delivery::Sent) => Ok(Err(UnreadableAnswer::NotAsked)),
        }
    }

    fn known(&self) -> MutexGuard<'_, BTreeSet<Key>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn concurrency(&self) -> usize {
        match &self.delivery {
            RequestTransport::Endpoint(endpoint) => endpoint.concurrency(),
            RequestTransport::Nobody(_) => 1,
        }
    }
}

impl VerdictReader {
    /// The verdict of a response: the mean over those of its choices that can be read.
    fn read(&self, completion: &Completion, kind: JudgeTemplateKind) -> VerdictResult {
        let one = |choice: &Choice| match kind {
            JudgeTemplateKind::Pairwise => self.rule.pair(choice, &self.labels, self.spelling),
            JudgeTemplateKind::Pointwise => self.rule.rating(choice, self.scale, self.spelling),
        };
        let with_text = |choice: &Choice| {
            one(choice).map(|verdict| ParsedVerdict {
                text: choice.text.clone(),
                ..verdict
            })
        };
        let told: Vec<VerdictResult> = completion.choices.iter().map(with_text).collect();
        let readable: Vec<&ParsedVerdict> = told.iter().flatten().collect();
        match readable.as_slice() {
            [] => told
                .into_iter()
                .next()
                .unwrap_or(Err(UnreadableAnswer::NoVerdict)),
            [single] => Ok((*single).clone()),
            several => Ok(mean(several)),
        }
    }
}

fn mean(all: &[&ParsedVerdict]) -> ParsedVerdict {
    let n = all.len() as f64;
    let numbers = |reading: &ParsedVerdict| match &reading.verdict {
        JudgeVerdict::First(p) => vec![*p],
        JudgeVerdict::Ratings(ratings) => ratings.clone(),
    };
    let mut sum = numbers(all[0]);
    for one in &all[1..] {
        for (sum, more) in sum.iter_mut().zip(numbers(one)) {
            *sum += more;
        }
    }
    for one in &mut sum {
        *one /= n;
    }
    ParsedVerdict {
        verdict: match all[0].verdict {
            JudgeVerdict::First(_) => JudgeVerdict::First(sum[0]),
            JudgeVerdict::Ratings(_) => JudgeVerdict::Ratings(sum),
        },
        by_probabilities: all[0].by_probabilities,
        text: all
            .iter()
            .map(|one| &*one.text)
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

impl Engine for RemoteJudge {
    fn signature(&self) -> Signature {
        self.signature.clone()
    }

    fn ask(
        &self,
        prompts: &[Prompt<'_>],
        go_on: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<VerdictResult>> {
        let (stop, next) = (StopSignal::default(), AtomicUsize::new(0));
        let mut told: Vec<Option<Result<VerdictResult>>> = prompts.iter().map(|_| None).collect();
        let (send, receive) = channel();
        thread::scope(|scope| {
            for _ in 0..self.concurrency().min(prompts.len()) {
                let (send, stop, next) = (send.clone(), &stop, &next);
                scope.spawn(move || {
                    while !stop.is_stopped() {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(prompt) = prompts.get(at) else { break };
                        let one = self.answer_prompt(prompt, stop);
                        if one.is_err() {
                            stop.stop();
                        }
                        if send.send((at, one)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(send);
            let (mut interrupted, mut waited) = (Ok(()), 0);
            loop {
                match receive.recv_timeout(LOOK) {
                    Ok((at, one)) => told[at] = Some(one),
                    Err(RecvTimeoutError::Disconnected) => break interrupted,
                    Err(RecvTimeoutError::Timeout) if interrupted.is_ok() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        waited += 1;
                        if waited == GRACE {
                            stop.interrupt();
                        }
                    }
                }
                if interrupted.is_ok() {
                    interrupted = go_on();
                    if interrupted.is_err() {
                        stop.stop();
                    }
                }
            }
        })?;
        whole(told)
    }

    fn at_once(&self) -> usize {
        AHEAD * self.concurrency()
    }

    fn account(&self) -> Option<String> {
        match &self.delivery {
            RequestTransport::Endpoint(endpoint) => {
                endpoint.account().usage_summary().or_else(|| {
                    let known = self.known().len();
                    (known > 0).then(|| {
                        let answers = counted(known as u64, "answer");
                        format!("no requests: {answers} kept from before, of whatever endpoint")
                    })
                })
            }
            RequestTransport::Nobody(Delivery::Answered(results)) => results.summary(self.price),
            RequestTransport::Nobody(_) => None,
        }
    }

    fn take_warnings(&self) -> Vec<String> {
        let mut warnings = self.answers.take_warnings();
        if !self.reported.swap(true, Ordering::Relaxed) && self.answers.unreadable() > 0 {
            warnings.push(format!(
                "{} of the answers kept cannot be read (an invalid log-probability, say): they are skipped, and asked again where needed",
                self.answers.unreadable()
            ));
        }
        if let RequestTransport::Endpoint(endpoint) = &self.delivery {
            warnings.extend(endpoint.take_warning());
        }
        warnings
    }
}

/// Returns all answers, or the first error that is not the echo of another.
fn whole(told: Vec<Option<Result<VerdictResult>>>) -> Result<Vec<VerdictResult>> {
    let n = told.len();
    let mut all = Vec::with_capacity(n);
    let mut error = None;
    for one in told {
        match one {
            Some(Ok(one)) => all.push(one),
            Some(Err(Error::Interrupted)) | None => {}
            Some(Err(found)) => {
                error.get_or_insert(found);
            }
        }
    }
    match error {
        Some(error) => Err(error),
        None if all.len() < n => Err(Error::Interrupted),
        None => Ok(all),
    }
}

fn signature(
    descriptor: &JudgeDescriptor,
    templates: &[JudgeTemplate],
    seeds: Option<u64>,
) -> Result<Signature> {
    let model = descriptor.model.as_deref().unwrap_or_default();
    let shown: Vec<String> = templates
        .iter()
        .map(|one| format!("{}@{}", one.name, one.digest))
        .collect();
    let mut signature = Signature::new(descriptor.name())
        .with("engine", "http")
        .with("model", model)
        .with("template", shown.join("+"));
    if let Some(dialect) = descriptor.dialect.signature() {
        signature = signature.with("dialect", dialect);
    }
    signature = signature.with("verdict", descriptor.rule());
    let VerdictLabels { a, b, tie } = &descriptor.labels;
    let labels: Vec<&str> = [a, b].into_iter().chain(tie).map(String::as_str).collect();
    signature = match templates[0].kind {
        JudgeTemplateKind::Pairwise => signature.with("labels", labels.join(",")),
        JudgeTemplateKind::Pointwise => {
            let (low, high) = (descriptor.scale.0, descriptor.scale.1);
            signature.with("scale", format!("{low}-{high}"))
        }
    };
    if descriptor.spelling != Spelling::Any {
        signature = signature.with("spelling", descriptor.spelling.name());
    }
    if let Some(temperature) = descriptor.temperature {
        signature = signature.with("temperature", temperature);
    }
    if let Some(most) = descriptor.max_tokens {
        signature = signature.with("max-tokens", most);
    }
    if !descriptor.body.is_empty() {
        let body = serde_json::to_string(&descriptor.body).map_err(Error::failed)?;
        signature = signature.with("body", &digest(body.as_bytes())[..16]);
    }
    if let Some(seed) = seeds {
        signature = signature.with("sampled", seed);
    }
    Ok(signature.with("version", 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_choices_that_can_be_read() {
        let reader = VerdictReader {
            rule: Rule::Label,
            labels: VerdictLabels::default(),
            spelling: Spelling::Any,
            scale: (1, 5),
        };
        let choice = |text: &str| serde_json::json!({"message": {"content": text}});
        let answer = serde_json::json!({"choices": [choice("A"), choice("well"), choice("B")]});
        let answer = Completion::read(&answer).unwrap();
        let told = reader.read(&answer, JudgeTemplateKind::Pairwise).unwrap();
        assert_eq!(told.verdict, JudgeVerdict::First(0.5));
    }
}
