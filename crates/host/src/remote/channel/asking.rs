//! Questions to an agent, and the wait for their answers.

use super::{Channel, POLL_INTERVAL, held};
use crate::question::{Answer, AnyQuestion};
use crate::remote::wire::{Order, ToAgent};
use crate::waiting::Waiting;
use model::{Failure, FailureKind, Stop};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

impl Channel {
    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// What the agent says; `HostLost`; [`Failure::stopped`].
    pub(in crate::remote) fn ask<T: DeserializeOwned>(
        &self,
        order: Order,
        limit: Duration,
        stop: &Stop,
    ) -> Result<T, Failure> {
        self.ask_numbered(order, limit, stop).map(|(_, answer)| answer)
    }

    /// Has a question answered.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(in crate::remote) fn carry(
        &self,
        question: AnyQuestion,
        stop: &Stop,
    ) -> Result<Box<dyn Answer>, Failure> {
        let (number, limit, read) = (self.number(), question.limit(), question.reader());
        self.send(number, Order::Question(question), true)?;
        self.answer_telling(number, limit, stop, &mut |_, _| {}, read)
    }

    /// The same with the number of the order, under which the agent holds what it began.
    pub(in crate::remote) fn ask_numbered<T: DeserializeOwned>(
        &self,
        order: Order,
        limit: Duration,
        stop: &Stop,
    ) -> Result<(u64, T), Failure> {
        let number = self.number();
        self.send(number, order, true)?;
        Ok((number, self.answer(number, limit, stop)?))
    }

    /// As [`Self::ask`], with `told` how far the agent is, and of how much.
    pub(in crate::remote) fn ask_at_length<T: DeserializeOwned>(
        &self,
        order: Order,
        limit: Duration,
        stop: &Stop,
        told: &mut dyn FnMut(u64, u64),
    ) -> Result<T, Failure> {
        let number = self.number();
        held(&self.shared.state).progress.insert(number, None);
        let answer = self
            .send(number, order, true)
            .and_then(|()| self.answer_telling(number, limit, stop, told, read_json));
        held(&self.shared.state).progress.remove(&number);
        answer
    }

    /// Waits for an answer.
    pub(super) fn answer<T: DeserializeOwned>(
        &self,
        number: u64,
        limit: Duration,
        stop: &Stop,
    ) -> Result<T, Failure> {
        self.answer_telling(number, limit, stop, &mut |_, _| {}, read_json)
    }

    fn answer_telling<T>(
        &self,
        number: u64,
        limit: Duration,
        stop: &Stop,
        told: &mut dyn FnMut(u64, u64),
        read: fn(Value) -> Option<T>,
    ) -> Result<T, Failure> {
        let deadline = Instant::now() + limit;
        let _waiting = Waiting::for_the(format!("{} to answer", self.shared.name));
        let mut state = held(&self.shared.state);
        let answer = loop {
            if let Some(Some(_)) = state.asked.get(&number) {
                break state.asked.remove(&number).flatten();
            }
            if let Some(why) = &state.lost {
                return Err(self.shared.loss(why));
            }
            if stop.is_requested() {
                state.asked.remove(&number);
                drop(state);
                // One that has ended cancels by itself.
                let _ = self.tell(&ToAgent::Cancel(number));
                return Err(Failure::stopped());
            }
            if let Some((done, of)) = state.progress.get_mut(&number).and_then(Option::take) {
                drop(state);
                told(done, of);
                state = held(&self.shared.state);
                continue;
            }
            if Instant::now() > deadline {
                drop(state);
                let why = format!("did not answer a question within {} s", limit.as_secs());
                self.shared.lose(&why);
                return Err(self.shared.loss(&why));
            }
            let waited = self.shared.changed.wait_timeout(state, POLL_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        drop(state);
        let answer = answer.unwrap_or_else(|| Err(Failure::stopped()));
        match answer.map(read) {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => {
                self.shared.lose("sent an answer that is none");
                Err(self.shared.loss("sent an answer that is none"))
            }
            // It is not the agent that stops weighin; and its words are cut and made visible.
            Err(failure) => {
                let kind = if failure.is_stop() { FailureKind::Other } else { failure.kind };
                Err(Failure::new(
                    kind,
                    format!("{}: {}", self.shared.name, failure.message),
                    failure.remedy,
                ))
            }
        }
    }
}

fn read_json<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}
