//! The account of requests and their cost, with a limit.
//!
//! Before a request is sent the most that it may cost is set aside (a token is at least a byte of the prompt),
//! so a limit holds however many requests are on their way. An answer that does not say what it took is counted as
//! what was set aside for it. What was paid for before, in the same folder of answers, counts too: the same command,
//! run again, has the same limit. Commands with a limit that fill one folder take turns, so that each knows what the
//! others have paid when it asks.

use super::NAP;
use super::stop::StopSignal;
use crate::judges::Price;
use crate::verdicts::Usage;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use tiebreak_base::disk::FileWriteLock;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::words::counted;

/// The numbers of requests and of tokens.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Account {
    /// Requests that were sent, tries that failed among them.
    pub requests: u64,
    /// Requests that were tries after the first.
    pub retries: u64,
    /// Tokens of answers that arrived and say how many they took.
    pub usage: Usage,
    /// Answers that do not say it.
    pub uncounted: u64,
    /// Tokens that were set aside for those.
    pub assumed: Usage,
    /// Tokens of answers that were there before.
    pub before: Usage,
}

/// An account with its limit.
pub(crate) struct Limit {
    most: Option<f64>,
    price: Option<Price>,
    state: Mutex<AccountState>,
    settled: Condvar,
}

struct AccountState {
    account: Account,
    reserved: f64,
    pending: u64,
    /// The lock of the command whose turn it is, the requests of this turn, and those that have not ended.
    turn: Option<FileWriteLock>,
    in_turn: u32,
    holders: u32,
}

/// The most requests of a command before others have their turn.
const TURN: u32 = 256;

/// The right to send a request in the turn of its command.
pub(in crate::judges) struct SpendingTurn<'a>(&'a Limit);

/// The amount set aside for a request on its way.
pub(crate) struct CostReservation<'a> {
    limit: &'a Limit,
    /// The tokens it is for.
    pub usage: Usage,
    cost: f64,
}

impl Limit {
    /// An account that goes on from `account`, up to a limit in dollars.
    ///
    /// # Errors
    /// A limit that is none, or without prices.
    pub(crate) fn new(most: Option<f64>, price: Option<Price>, account: Account) -> Result<Self> {
        check_limit(most, price)?;
        Ok(Self {
            most,
            price,
            state: Mutex::new(AccountState {
                account,
                reserved: 0.0,
                pending: 0,
                turn: None,
                in_turn: 0,
                holders: 0,
            }),
            settled: Condvar::new(),
        })
    }

    /// Adds the tokens of answers that other commands have got into the same folder.
    pub(in crate::judges) fn add_before(&self, usage: Usage) {
        self.state().account.before += usage;
    }

    /// Waits until no other command with a limit has a request on its way for the answers in a folder.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub(in crate::judges) fn turn(
        &self,
        folder: &Path,
        stop: &StopSignal,
    ) -> Result<SpendingTurn<'_>> {
        loop {
            let mut state = self.state();
            let mut is_free = self.most.is_none();
            if state.turn.is_none() && !is_free {
                match FileWriteLock::try_take(&folder.join("limit")) {
                    Ok(None) => {}
                    Ok(taken) => (state.turn, state.in_turn) = (taken, 0),
                    // Without locks there are no turns.
                    Err(_) => is_free = true,
                }
            }
            if is_free || state.turn.is_some() && state.in_turn < TURN {
                state.in_turn += 1;
                state.holders += 1;
                return Ok(SpendingTurn(self));
            }
            drop(state);
            stop.check()?;
            thread::sleep(NAP);
        }
    }

    /// Sets aside the most that a request may cost; waits where others on their way may leave enough.
    ///
    /// # Errors
    /// [`Error::Usage`] where the limit is reached; [`Error::Interrupted`].
    pub(super) fn reserve(
        &self,
        bytes: usize,
        most_tokens: Option<u64>,
        stop: &StopSignal,
    ) -> Result<CostReservation<'_>> {
        let usage = most_usage(bytes, most_tokens);
        let (Some(most), Some(price)) = (self.most, self.price) else {
            self.state().pending += 1;
            return Ok(CostReservation {
                limit: self,
                usage,
                cost: 0.0,
            });
        };
        let cost = price.cost(usage);
        let mut state = self.state();
        while state.spent(price) + state.reserved + cost > most {
            stop.check()?;
            if state.pending == 0 {
                return Err(reached(most, state.spent(price), cost));
            }
            let waited = self.settled.wait_timeout(state, NAP);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.reserved += cost;
        state.pending += 1;
        Ok(CostReservation {
            limit: self,
            usage,
            cost,
        })
    }

    /// Counts a request that is sent.
    pub(super) fn asked(&self, again: bool) {
        let account = &mut self.state().account;
        account.requests += 1;
        account.retries += u64::from(again);
    }

    /// Counts the tokens of an answer, or where it does not say them those that were set aside for it.
    pub(super) fn answered(&self, told: Option<Usage>, reserved: &CostReservation<'_>) {
        let account = &mut self.state().account;
        match told {
            Some(usage) => account.usage += usage,
            None => {
                account.uncounted += 1;
                account.assumed += reserved.usage;
            }
        }
    }

    /// A summary in a few words; `None` before the first request.
    pub(crate) fn usage_summary(&self) -> Option<String> {
        let account = self.state().account;
        let Usage { prompt, completion } = account.usage;
        if account.requests == 0 {
            return None;
        }
        let mut told = counted(account.requests, "request");
        if account.retries > 0 {
            told += &format!(" ({} of them again)", account.retries);
        }
        told += &format!(", {prompt} tokens read, {completion} written");
        if let Some(price) = self.price {
            told += &format!(
                ", ${:.4}",
                price.cost(account.usage) + price.cost(account.assumed)
            );
            if account.uncounted > 0 {
                told += &format!(
                    " ({} answers without a valid count of tokens, each counted at its maximum cost)",
                    account.uncounted
                );
            }
        }
        Some(told)
    }

    fn state(&self) -> MutexGuard<'_, AccountState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AccountState {
    fn spent(&self, price: Price) -> f64 {
        let Account {
            usage,
            assumed,
            before,
            ..
        } = self.account;
        [usage, assumed, before]
            .map(|one| price.cost(one))
            .iter()
            .sum()
    }
}

/// The most tokens that a request of so many bytes may take.
pub(in crate::judges) fn most_usage(bytes: usize, most_tokens: Option<u64>) -> Usage {
    Usage {
        prompt: bytes as u64,
        completion: most_tokens.unwrap_or(1 << 14),
    }
}

/// Checks a limit in dollars, if there is one.
///
/// # Errors
/// A limit that is none, or without prices.
pub(in crate::judges) fn check_limit(most: Option<f64>, price: Option<Price>) -> Result<()> {
    let Some(most) = most else { return Ok(()) };
    if !(most > 0.0 && most.is_finite()) {
        let what = format!("{most}, expected dollars above 0");
        return Err(Error::key("max-cost", what));
    }
    if price.is_none() {
        let what = "a cost limit, but no prices";
        return Err(Error::key("max-cost", what).with_hint(message!(
            "give the prices of a million tokens read and written: {}",
            Key("price").set("0.15,0.60")
        )));
    }
    Ok(())
}

fn reached(most: f64, spent: f64, next: f64) -> Error {
    let what = format!(
        "the limit of ${most} is reached: ${spent:.4} are spent, and the next request may cost ${next:.4}"
    );
    Error::key("max-cost", what).with_hint(
        "raise it and run the same command again: answers are kept, and you do not pay for them again",
    )
}

impl Drop for SpendingTurn<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.holders -= 1;
        if state.holders == 0 {
            state.turn = None;
        }
    }
}

impl Drop for CostReservation<'_> {
    fn drop(&mut self) {
        let mut state = self.limit.state();
        state.reserved -= self.cost;
        state.pending -= 1;
        if state.pending == 0 {
            state.reserved = 0.0;
        }
        drop(state);
        self.limit.settled.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_for_what_is_on_its_way_too() {
        let price = "1,1".parse().unwrap();
        let limit = Limit::new(Some(1e-3), Some(price), Account::default()).unwrap();
        let stop = StopSignal::default();
        let first = limit.reserve(400, Some(100), &stop).unwrap();
        let second = limit.reserve(400, Some(100), &stop).unwrap();
        limit.asked(false);
        let told = Usage {
            prompt: 100,
            completion: 1,
        };
        limit.answered(Some(told), &first);
        drop(first);
        let third = limit.reserve(300, Some(90), &stop).unwrap();
        drop(second);
        drop(third);
        let error = limit.reserve(900, Some(100), &stop).err().unwrap();
        assert!(error.to_string().contains("limit of $0.001"), "{error}");
        assert!(
            limit
                .usage_summary()
                .unwrap()
                .starts_with("1 request, 100 tokens read, 1 written, $0.0001")
        );
    }

    #[test]
    fn an_answer_that_does_not_say_what_it_took_costs_what_was_set_aside() {
        let price = "1,1".parse().unwrap();
        let limit = Limit::new(Some(1e-3), Some(price), Account::default()).unwrap();
        let stop = StopSignal::default();
        for _ in 0..2 {
            let reserved = limit.reserve(300, Some(100), &stop).unwrap();
            limit.asked(false);
            limit.answered(None, &reserved);
        }
        assert!(limit.reserve(300, Some(100), &stop).is_err());
        let told = limit.usage_summary().unwrap();
        assert!(told.contains("$0.0008 (2 answers without"), "{told}");
    }

    #[test]
    fn commands_with_a_limit_take_turns_and_those_without_do_not_wait() {
        let folder = tempfile::tempdir().unwrap();
        let price = "1,1".parse().ok();
        let limit = |most| Limit::new(most, price, Account::default()).unwrap();
        let [one, other, free] = [Some(1.0), Some(1.0), None].map(limit);
        let stop = StopSignal::default();
        let turn = |limit: &Limit| limit.turn(folder.path(), &stop).map(drop);
        let held = one.turn(folder.path(), &stop).unwrap();
        turn(&one).unwrap();
        turn(&free).unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| turn(&other));
            thread::sleep(3 * NAP);
            assert!(!waiting.is_finished());
            drop(held);
            waiting.join().unwrap().unwrap();
            // A long turn ends, too.
            let first = one.turn(folder.path(), &stop).unwrap();
            (1..TURN).for_each(|_| turn(&one).unwrap());
            let next = scope.spawn(|| turn(&one));
            thread::sleep(3 * NAP);
            assert!(!next.is_finished());
            drop(first);
            next.join().unwrap().unwrap();
        });
    }

    #[test]
    fn a_limit_needs_prices() {
        assert!(Limit::new(Some(1.0), None, Account::default()).is_err());
        let price = "1,1".parse().ok();
        assert!(Limit::new(Some(-1.0), price, Account::default()).is_err());
    }
}
