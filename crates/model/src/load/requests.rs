use super::{ErrorClass, Moved};
use crate::Latencies;
use crate::recent::{Recent, Text};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::sync::Arc;

/// Most kinds of requests that one load tells apart.
pub const MAX_REQUEST_KINDS: usize = 8;

/// A kind of request of a load. The system that the load runs on names its kinds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestKind {
    /// In lower case: `select`, `set`, `sync`.
    pub name: Cow<'static, str>,
    pub effect: Effect,
    /// The target's own counter that grows by one with each acknowledged request; absent where
    /// none does.
    pub counter: Option<Cow<'static, str>>,
    /// By how much more that counter grows with each session that gets ready for requests.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub each_session: u8,
    /// By how much more with each implicit transaction.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub each_implicit: u8,
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// What a request does to the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    Read,
    Write,
    /// Begins or ends a transaction, or makes writes durable.
    Control,
}

impl RequestKind {
    /// A kind that the target counts under that name.
    pub const fn counted(name: &'static str, effect: Effect, counter: &'static str) -> Self {
        let counter = Some(Cow::Borrowed(counter));
        Self { name: Cow::Borrowed(name), effect, counter, each_session: 0, each_implicit: 0 }
    }

    /// The same kind, whose counter also grows by that much with each session that gets ready.
    pub const fn and_each_session(mut self, by: u8) -> Self {
        self.each_session = by;
        self
    }

    /// The same kind, whose counter also grows by that much with each implicit transaction.
    pub const fn and_each_implicit(mut self, by: u8) -> Self {
        self.each_implicit = by;
        self
    }

    /// A kind that no counter of the target corresponds to.
    pub const fn uncounted(name: &'static str, effect: Effect) -> Self {
        Self { name: Cow::Borrowed(name), effect, counter: None, each_session: 0, each_implicit: 0 }
    }
}

/// What clients count while they work: an index into an array for each request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestTally {
    /// Acknowledged requests, by the place of their kind among those of the system.
    pub kinds: [u64; MAX_REQUEST_KINDS],
    /// Sessions that got ready for requests: one of each client, and one more with each new connection.
    pub sessions: u64,
    /// Implicit transactions: of a statement outside of BEGIN and COMMIT, or of such statements of a
    /// pipeline together.
    pub implicit: u64,
    /// Of the reads of keys, how many found theirs.
    pub found: u64,
    /// Bytes in the reads and writes of storage.
    pub moved: Moved,
    pub answers: AnswerCounts,
}

impl RequestTally {
    /// All requests together.
    pub fn total(&self) -> u64 {
        self.kinds.iter().sum()
    }
}

impl std::ops::Sub for RequestTally {
    type Output = Self;

    /// What was added since `earlier`, which holds no more of anything.
    fn sub(self, earlier: Self) -> Self {
        Self {
            kinds: std::array::from_fn(|kind| self.kinds[kind] - earlier.kinds[kind]),
            sessions: self.sessions - earlier.sessions,
            implicit: self.implicit - earlier.implicit,
            found: self.found - earlier.found,
            moved: self.moved - earlier.moved,
            answers: AnswerCounts {
                checked: self.answers.checked - earlier.answers.checked,
                short: self.answers.short - earlier.answers.short,
            },
        }
    }
}

impl std::ops::AddAssign for RequestTally {
    fn add_assign(&mut self, other: Self) {
        for (mine, theirs) in self.kinds.iter_mut().zip(other.kinds) {
            *mine += theirs;
        }
        self.sessions += other.sessions;
        self.implicit += other.implicit;
        self.found += other.found;
        self.moved += other.moved;
        self.answers += other.answers;
    }
}

/// Requests that the target acknowledged over all phases of a load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestCounts {
    /// Every kind that the system has, in its order.
    pub kinds: Vec<RequestCount>,
    /// Sessions that got ready for requests.
    #[serde(default)]
    pub sessions: u64,
    /// Implicit transactions: see [`RequestTally::implicit`].
    #[serde(default)]
    pub implicit: u64,
    /// Of the reads of keys, how many found theirs.
    pub found: u64,
    /// Bytes in the reads and writes of storage.
    pub moved: Moved,
    pub answers: AnswerCounts,
}

/// How many requests of one kind there were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestCount {
    /// Shared by all counts of it that were read: each trial has those of its system.
    pub kind: Arc<RequestKind>,
    pub count: u64,
}

/// As documents have it.
#[derive(Serialize, Deserialize)]
struct FlatCount<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    effect: Effect,
    #[serde(borrow)]
    counter: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "is_zero")]
    each_session: u8,
    #[serde(default, skip_serializing_if = "is_zero")]
    each_implicit: u8,
    count: u64,
}

impl FlatCount<'_> {
    fn is_of(&self, kind: &RequestKind) -> bool {
        let Self { name, effect, counter, each_session, each_implicit, count: _ } = self;
        kind.name == name.0
            && kind.effect == *effect
            && kind.counter.as_deref() == counter.as_ref().map(|counter| &*counter.0)
            && (kind.each_session, kind.each_implicit) == (*each_session, *each_implicit)
    }

    fn into_kind(self) -> Arc<RequestKind> {
        thread_local! {
            static KINDS: Recent<RequestKind> = const { Recent::new() };
        }
        KINDS.with(|known| {
            known.find(|kind| self.is_of(kind)).unwrap_or_else(|| {
                let owned = |text: Text<'_>| Cow::Owned(text.0.into_owned());
                let kind = Arc::new(RequestKind {
                    name: owned(self.name),
                    effect: self.effect,
                    counter: self.counter.map(owned),
                    each_session: self.each_session,
                    each_implicit: self.each_implicit,
                });
                let counter = kind.counter.as_deref().unwrap_or_default();
                if kind.name.len() + counter.len() <= LONGEST_SHARED {
                    known.keep(&kind);
                }
                kind
            })
        })
    }
}

/// Bytes of the names of a kind that is shared.
const LONGEST_SHARED: usize = 1 << 10;

impl Serialize for RequestCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let RequestKind { name, effect, counter, each_session, each_implicit } = &*self.kind;
        let text = |text| Text(Cow::Borrowed(text));
        let flat = FlatCount {
            name: text(name),
            effect: *effect,
            counter: counter.as_deref().map(text),
            each_session: *each_session,
            each_implicit: *each_implicit,
            count: self.count,
        };
        flat.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RequestCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let flat = FlatCount::deserialize(deserializer)?;
        Ok(Self { count: flat.count, kind: flat.into_kind() })
    }
}

impl RequestCounts {
    /// Names what was counted in the order of `kinds`.
    pub fn new(kinds: &[RequestKind], tally: &RequestTally) -> Self {
        let kinds = kinds.iter().zip(tally.kinds);
        Self {
            kinds: kinds
                .map(|(kind, count)| RequestCount { kind: Arc::new(kind.clone()), count })
                .collect(),
            sessions: tally.sessions,
            implicit: tally.implicit,
            found: tally.found,
            moved: tally.moved,
            answers: tally.answers,
        }
    }

    /// All requests together.
    pub fn total(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.count).sum()
    }

    /// Requests of the kind of that name; 0 where there is none.
    pub fn count_of(&self, name: &str) -> u64 {
        self.kinds.iter().find(|kind| kind.kind.name == name).map_or(0, |kind| kind.count)
    }

    /// Requests with that effect.
    pub fn with_effect(&self, effect: Effect) -> u64 {
        let kinds = self.kinds.iter().filter(|kind| kind.kind.effect == effect);
        kinds.map(|kind| kind.count).sum()
    }

    /// The target's counters that the load must have moved, with how far: one of them may count
    /// several kinds.
    pub fn expected(&self) -> Vec<(&str, u64)> {
        let mut expected: Vec<(&str, u64)> = Vec::new();
        for RequestCount { kind, count } in &self.kinds {
            let Some(counter) = kind.counter.as_deref() else { continue };
            let ready = self.sessions.saturating_mul(u64::from(kind.each_session));
            let implicit = self.implicit.saturating_mul(u64::from(kind.each_implicit));
            let count = count.saturating_add(ready).saturating_add(implicit);
            match expected.iter_mut().find(|(known, _)| *known == counter) {
                Some((_, by)) => *by += count,
                None => expected.push((counter, count)),
            }
        }
        expected
    }
}

/// Answers that were checked: those to requests of which it is known how many rows they must give,
/// as long as the tables have all their rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerCounts {
    pub checked: u64,
    /// How many of those had fewer rows.
    pub short: u64,
}

impl std::ops::AddAssign for AnswerCounts {
    fn add_assign(&mut self, other: Self) {
        self.checked += other.checked;
        self.short += other.short;
    }
}

/// What became of the statements, or the transactions, of one name in the measured phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NamedResult {
    /// Such as `point_select`.
    pub name: String,
    /// From sending a statement to its last byte received, of all that were answered without error,
    /// whatever became of their transactions; of transactions as of all together. Those are in it
    /// that waited longer and had no such answer, as in [`LoadResult::waits`](crate::LoadResult).
    pub latencies: Latencies,
    /// How many were answered without error.
    pub ok: u64,
    /// How many were refused, lost with their connection, or never answered.
    pub failed: u64,
    /// Of transactions, how often one was done again after a conflict.
    pub retries: u64,
    /// Of statements, rows in their answers, and rows that they changed.
    pub rows: u64,
    /// Errors of all phases, most frequent first.
    pub errors: Vec<NamedError>,
}

/// How often statements or transactions of one name had an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedError {
    pub class: ErrorClass,
    /// As in [`ErrorCount`](crate::ErrorCount).
    pub code: String,
    pub count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [RequestKind; 4] = [
        RequestKind::counted("select", Effect::Read, "selects"),
        RequestKind::counted("update", Effect::Write, "changes"),
        RequestKind::counted("delete", Effect::Write, "changes"),
        RequestKind::uncounted("begin", Effect::Control),
    ];

    #[test]
    fn tallies_add_up() {
        let mut a = RequestTally { kinds: [14, 0, 0, 1, 0, 0, 0, 0], ..Default::default() };
        a += RequestTally { kinds: [1, 2, 0, 0, 0, 0, 0, 0], ..Default::default() };
        assert_eq!((a.kinds[0], a.kinds[1], a.total()), (15, 2, 18));
        let earlier = RequestTally { kinds: [5, 0, 0, 1, 0, 0, 0, 0], ..Default::default() };
        assert_eq!(((a - earlier).kinds[0], (a - earlier).total()), (10, 12));
    }

    #[test]
    fn counts_tell_which_counters_must_have_moved_and_by_how_much() {
        let tally = RequestTally { kinds: [7, 3, 2, 1, 0, 0, 0, 0], ..Default::default() };
        let counts = RequestCounts::new(&KINDS, &tally);
        assert_eq!(counts.expected(), [("selects", 7), ("changes", 5)]);
        assert_eq!(
            (counts.total(), counts.count_of("update"), counts.count_of("insert")),
            (13, 3, 0)
        );
        assert_eq!(counts.with_effect(Effect::Write), 5);
    }

    #[test]
    fn what_sessions_do_to_get_ready_and_implicit_transactions_are_expected_of_the_counter_too() {
        let commit = RequestKind::counted("commit", Effect::Control, "ended")
            .and_each_session(1)
            .and_each_implicit(1);
        let rollback = RequestKind::counted("rollback", Effect::Control, "ended");
        let tally = RequestTally {
            kinds: [9, 1, 0, 0, 0, 0, 0, 0],
            sessions: 4,
            implicit: 3,
            ..Default::default()
        };
        let counts = RequestCounts::new(&[commit, rollback], &tally);
        assert_eq!(counts.expected(), [("ended", 17)]);
        assert_eq!(counts.total(), 10, "they are no requests of the load");
    }
}
