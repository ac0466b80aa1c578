//! What an agent holds for its lead, by the number of the order that began it.

use super::held;
use super::wire::Answered;
use model::{Failure, FailureKind};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Things of a kind. They end when this is dropped, or with the process.
pub(super) struct Held<T> {
    /// What may be asked for something while it does something else: the later one waits. `None` when the
    /// lead is gone: none begins any more.
    all: Mutex<Option<HashMap<u64, Arc<Mutex<T>>>>>,
    most: usize,
    name: &'static str,
}

impl<T> Held<T> {
    /// No more than `most`; one of them is called that.
    pub(super) fn new(name: &'static str, most: usize) -> Self {
        Self { all: Mutex::new(Some(HashMap::new())), most, name }
    }

    /// Holds one for the lead, unless that is gone or has too many.
    pub(super) fn hold(&self, number: u64, one: T) -> Result<(), Failure> {
        match held(&self.all).as_mut() {
            Some(all) if all.len() < self.most => {
                all.insert(number, Arc::new(Mutex::new(one)));
                Ok(())
            }
            Some(_) => Err(unknown(&format!("it has {} of them", self.most))),
            None => Err(unknown("the lead is gone")),
        }
    }

    /// Has something done with one.
    pub(super) fn with<R>(
        &self,
        number: u64,
        act: impl FnOnce(&mut T) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let one = held(&self.all).as_ref().and_then(|all| all.get(&number).cloned());
        let one = one.ok_or_else(|| unknown(&format!("there is no {}", self.name)))?;
        let mut one = held(&one);
        act(&mut one)
    }

    /// Does something with each.
    pub(super) fn for_each(&self, mut act: impl FnMut(&mut T)) {
        let all: Vec<_> = held(&self.all).iter().flat_map(HashMap::values).cloned().collect();
        all.iter().for_each(|one| act(&mut held(one)));
    }

    /// Takes one; when it is dropped it ends, as soon as nobody is at work with it.
    pub(super) fn take(&self, number: u64) -> Option<Arc<Mutex<T>>> {
        held(&self.all).as_mut().and_then(|all| all.remove(&number))
    }

    /// The lead is gone: all of them end, and none begins any more.
    pub(super) fn end(&self) {
        drop(held(&self.all).take());
    }
}

pub(super) fn value(answer: impl Serialize) -> Answered {
    serde_json::to_value(answer).map_err(|error| unknown(&error.to_string()))
}

pub(super) fn unknown(what: &str) -> Failure {
    Failure::new(FailureKind::Other, format!("the agent cannot answer: {what}"), "")
}
