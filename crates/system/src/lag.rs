//! How far replicas are behind while something is measured: heartbeats that weighin writes, and the
//! positions of all members.

use super::group::{Distance, Group, Member, Replica};
use host::CounterSource;
use model::{Failure, ServerCounters, signal};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two heartbeats: how finely lag is known.
pub const HEARTBEAT: Duration = Duration::from_millis(100);

/// When heartbeats were written.
#[derive(Debug)]
struct Beats {
    /// The number of the first.
    first: u64,
    written: Mutex<Vec<Instant>>,
}

impl Beats {
    /// How far a replica is behind that has applied heartbeats up to that number: since when one was
    /// there that it has not.
    fn lag(&self, applied: u64, now: Instant) -> Duration {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let next = applied.saturating_add(1).saturating_sub(self.first);
        let next = usize::try_from(next).ok().and_then(|next| written.get(next));
        next.map_or(Duration::ZERO, |at| now.saturating_duration_since(*at))
    }
}

/// Begins to write heartbeats; what adds the lag of a group's replicas to the counters of its primary.
/// Heartbeats end when it is dropped.
///
/// # Errors
/// When the members do not answer.
pub fn with_lag(group: Group, mut counters: CounterSource) -> Result<CounterSource, Failure> {
    let Group { mut primary, mut replicas } = group;
    let first = primary.last_beat()?.saturating_add(1);
    let beats = Arc::new(Beats { first, written: Mutex::default() });
    let heart = Heart::start(primary, Arc::clone(&beats));
    Ok(Box::new(move || {
        let mut all = counters()?;
        heart.note(&mut replicas, &beats, &mut all);
        Some(all)
    }))
}

/// A thread that writes heartbeats until this is dropped, and keeps the connection to the primary.
struct Heart {
    _end: Sender<()>,
    primary: Arc<Mutex<Box<dyn Member>>>,
}

impl Heart {
    fn start(primary: Box<dyn Member>, beats: Arc<Beats>) -> Self {
        let primary = Arc::new(Mutex::new(primary));
        let (end, ended) = channel();
        let member = Arc::clone(&primary);
        thread::spawn(move || {
            let mut number = beats.first;
            let mut due = Instant::now();
            loop {
                let at = Instant::now();
                let mut primary = member.lock().unwrap_or_else(PoisonError::into_inner);
                // Without its primary a group has no lag; the load says what happened to it.
                if primary.beat(number).is_ok() {
                    beats.written.lock().unwrap_or_else(PoisonError::into_inner).push(at);
                    number += 1;
                }
                drop(primary);
                due = (due + HEARTBEAT).max(Instant::now());
                let wait = due.saturating_duration_since(Instant::now());
                if ended.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        });
        Self { _end: end, primary }
    }

    /// Adds what is known of the replica that is furthest behind.
    fn note(&self, replicas: &mut [Replica], beats: &Beats, counters: &mut ServerCounters) {
        let mut lag = None;
        let mut behind = None;
        for replica in replicas {
            let Ok(applied) = replica.member.last_beat() else { return };
            lag = lag.max(Some(beats.lag(applied, Instant::now())));
            // The replica first: what is written meanwhile would be more than it can have.
            let Ok(position) = replica.member.applied() else { continue };
            let mut primary = self.primary.lock().unwrap_or_else(PoisonError::into_inner);
            let written = primary.written().ok();
            behind = behind.max(written.and_then(|to| primary.distance(&position, &to)));
        }
        let number = |n: u128| i64::try_from(n).unwrap_or(i64::MAX);
        counters.edit(|counters| {
            let lag = lag.map(|lag| (signal::REPLICA_LAG, number(lag.as_millis())));
            let behind = behind.map(|distance| {
                let name = match distance {
                    Distance::Transactions(_) => signal::REPLICA_BACKLOG,
                    Distance::Bytes(_) => signal::REPLICA_BACKLOG_BYTES,
                };
                (name, number(distance.amount().into()))
            });
            let found = lag.into_iter().chain(behind);
            counters.extend(found.map(|(name, value)| (name.to_owned(), value)));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lag_is_the_age_of_the_oldest_heartbeat_that_was_not_applied() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let beats = Beats { first: 7, written: Mutex::new(vec![at(0), at(100), at(200)]) };
        let lag = |applied| beats.lag(applied, at(1000)).as_millis();
        assert_eq!(lag(6), 1000);
        assert_eq!(lag(7), 900);
        assert_eq!(lag(8), 800);
        assert_eq!(lag(9), 0, "all that was written");
        assert_eq!(lag(2), 1000, "of an earlier trial");
        assert_eq!(lag(u64::MAX), 0);
    }
}
