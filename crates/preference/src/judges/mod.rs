//! Language models as judges: a prompt shows two outputs, or one, and the answer is read.
//!
//! A [`JudgeDescriptor`] says which model is asked, how it is prompted and how its answers are read. An engine
//! answers prompts: behind an endpoint (`http`), from a file of answers ([`Delivery`]), or in this process.
//! Whatever a service has answered is kept in [`Answers`], so that nothing is paid for twice.
//!
//! How often a model is asked about a pair, in which orders, and what preference follows from it is decided in
//! `preference`.

#[cfg(feature = "judges")]
mod answers;
mod asked;
#[cfg(feature = "judges")]
mod batch;
#[cfg(feature = "judges")]
mod descriptor;
#[cfg(feature = "judges")]
mod dialect;
#[cfg(feature = "judges")]
mod http;
#[cfg(feature = "judges")]
mod in_process;
mod price;
#[cfg(feature = "judges")]
mod remote;
#[cfg(feature = "judges")]
mod reply;
#[cfg(feature = "judges")]
mod request;
#[cfg(feature = "judges")]
mod template;
#[cfg(feature = "judges")]
mod verdict_request;

#[cfg(feature = "judges")]
pub use self::{
    answers::Answers,
    batch::{BatchResults, Outbox},
    descriptor::JudgeDescriptor,
};
#[cfg(feature = "judges")]
pub(crate) use self::{
    descriptor::EngineKind, in_process::InProcessJudge, remote::RemoteJudge,
    template::JudgeTemplateKind,
};
pub use asked::{Delivery, JudgeOptions};
#[cfg(feature = "judges")]
pub(crate) use http::address;
pub(crate) use price::Price;

#[cfg(feature = "judges")]
use crate::verdicts::{ParsedVerdict, UnreadableAnswer};
#[cfg(feature = "judges")]
use tiebreak_base::{error::Result, signature::Signature};

/// The folder in which answers are kept where none is named.
#[cfg(feature = "judges")]
pub(crate) const ANSWERS: &str = "judged";

/// A prompt for a model.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Prompt<'a> {
    /// The place of its template in the descriptor.
    pub template: usize,
    /// The output shown first; the only one of a pointwise template.
    pub first: &'a str,
    /// The output shown second.
    pub second: &'a str,
    /// The input that both were written for.
    pub source: Option<&'a str>,
    /// The human references.
    pub references: &'a [String],
    /// The number of the sample, from 0.
    pub sample: u32,
}

/// The verdict of a prompt, or why there is none.
#[cfg(feature = "judges")]
pub(crate) type VerdictResult = Result<ParsedVerdict, UnreadableAnswer>;

/// An engine that answers prompts.
#[cfg(feature = "judges")]
pub(crate) trait Engine: Send + Sync {
    /// The signature of the answers.
    fn signature(&self) -> Signature;

    /// The answers, in order. `go_on` is asked now and then.
    ///
    /// # Errors
    /// What makes it useless to go on: an endpoint that is not there, a limit that is reached; those of `go_on`.
    fn ask(
        &self,
        prompts: &[Prompt<'_>],
        go_on: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<VerdictResult>>;

    /// The number of prompts that are worth being asked at once.
    fn at_once(&self) -> usize {
        8
    }

    /// The account of requests and their cost, in a few words.
    fn account(&self) -> Option<String> {
        None
    }

    /// Takes what the user should know that has come up since.
    fn take_warnings(&self) -> Vec<String> {
        Vec::new()
    }
}
