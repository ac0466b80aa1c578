//! The beats of all channels, and who listens for their answers: a lead may have hundreds of agents, and
//! waking a thread costs more than a beat.

use std::io;
use std::sync::{Arc, Condvar, LazyLock, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// How often the agent is asked for the time, so that both sides know that the other is there.
const BEAT_INTERVAL: Duration = Duration::from_millis(500);
/// How long a beat may be without an answer. With an interval of beats it makes less than 3 s.
const SILENCE_TIMEOUT: Duration = Duration::from_millis(2_300);
/// How often it is looked whether one is silent by now, at most.
const LEAST_INTERVAL: Duration = Duration::from_millis(50);

/// What is kept alive: a channel.
pub(super) trait KeptAlive: Send + Sync {
    /// Whether it is not lost.
    fn is_alive(&self) -> bool;

    /// Sends a beat; its number.
    fn beat(&self) -> io::Result<u64>;

    /// How long a beat has been waiting for its answer: other messages do not show that the agent
    /// listens, and a beat that this machine was too busy to send is no silence of the agent's.
    fn silence(&self) -> Duration;

    /// Notes that the agent was silent for so long, and cuts the link.
    fn lose_silent(&self, silent: Duration);
}

/// Beats for channels whose orders wait in memory.
static BEATS: LazyLock<Rounds> = LazyLock::new(|| Rounds::new(beat));
/// Writes nothing: a pipe that is full does not keep it from noticing.
static WATCHER: LazyLock<Rounds> = LazyLock::new(|| Rounds::new(look));

/// Has a channel beat, and lost where its agent is silent, as long as it is there. `waits_in_memory`: no
/// order of it waits for the agent.
pub(super) fn watch(channel: Arc<dyn KeptAlive>, waits_in_memory: bool) {
    if waits_in_memory {
        BEATS.add(&channel);
    } else {
        // A pipe that is full holds up nobody else.
        let beats = Arc::downgrade(&channel);
        thread::spawn(move || {
            while let Some(next) =
                beats.upgrade().and_then(|channel| beat(&*channel, Duration::ZERO))
            {
                thread::sleep(next);
            }
        });
    }
    WATCHER.add(&channel);
}

/// How long it is until the next one; `None` when there is none.
fn beat(channel: &dyn KeptAlive, _: Duration) -> Option<Duration> {
    // What takes no orders has ended, as is heard.
    (channel.is_alive() && channel.beat().is_ok()).then_some(BEAT_INTERVAL)
}

/// What this look is late by was no silence of the agent's: this machine was held up, and the answer may
/// have come meanwhile.
fn look(channel: &dyn KeptAlive, late: Duration) -> Option<Duration> {
    if !channel.is_alive() {
        return None;
    }
    let silent = channel.silence();
    if silent > SILENCE_TIMEOUT + late {
        channel.lose_silent(silent);
        return None;
    }
    // Not before a beat can have waited too long.
    Some(SILENCE_TIMEOUT.saturating_sub(silent).clamp(LEAST_INTERVAL, BEAT_INTERVAL))
}

/// Visits all channels again and again, on a thread of its own.
struct Rounds {
    channels: Arc<(Mutex<Channels>, Condvar)>,
}

type Channels = Vec<Weak<dyn KeptAlive>>;

impl Rounds {
    /// Each visit is told by how much it is late, and says how long it is until the next; `None` where
    /// there is none.
    fn new(visit: fn(&dyn KeptAlive, Duration) -> Option<Duration>) -> Self {
        let channels = Arc::new((Mutex::new(Channels::new()), Condvar::new()));
        let visited = Arc::clone(&channels);
        thread::spawn(move || {
            let mut due_at = Instant::now();
            loop {
                let late = due_at.elapsed();
                let all = visited.0.lock().unwrap_or_else(PoisonError::into_inner);
                let is_first = all.is_empty();
                let waited = visited.1.wait_while(all, |all| all.is_empty());
                let late = if is_first { Duration::ZERO } else { late };
                // Nobody else is kept from adding one meanwhile.
                let all = std::mem::take(&mut *waited.unwrap_or_else(PoisonError::into_inner));
                let (began, mut next) = (Instant::now(), BEAT_INTERVAL);
                let mut kept = all;
                kept.retain(|channel| {
                    let due = channel.upgrade().and_then(|channel| visit(&*channel, late));
                    next = next.min(due.unwrap_or(next));
                    due.is_some()
                });
                let mut all = visited.0.lock().unwrap_or_else(PoisonError::into_inner);
                all.append(&mut kept);
                drop(all);
                due_at = began + next;
                thread::sleep(next.saturating_sub(began.elapsed()));
            }
        });
        Self { channels }
    }

    fn add(&self, channel: &Arc<dyn KeptAlive>) {
        let mut all = self.channels.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::downgrade(channel));
        drop(all);
        self.channels.1.notify_all();
    }
}
