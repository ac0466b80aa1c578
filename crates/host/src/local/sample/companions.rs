//! Processes that count together: weighin's own beside the one that samples, and those of replicas.

use super::process::{ProcessReader, ProcessReading};
use std::time::{Duration, Instant};

/// Reads them together.
#[derive(Debug)]
pub(crate) struct Companions(Vec<(ProcessReader, Option<ProcessReading>)>);

impl Companions {
    /// Of the processes that have these ids now.
    pub(crate) fn new(pids: &[u32]) -> Self {
        Self(pids.iter().map(|&pid| (ProcessReader::new(pid), None)).collect())
    }

    /// What they have used so far.
    pub(crate) fn read(&mut self) -> ProcessReading {
        self.added_to(ProcessReading {
            taken_at: Instant::now(),
            cpu: Duration::ZERO,
            system: Duration::ZERO,
            rss_bytes: 0,
            peak_rss_bytes: 0,
        })
    }

    /// Adds what they have used so far to what this process has. One that has ended counts with its
    /// last reading: what it used is still used.
    pub(crate) fn added_to(&mut self, own: ProcessReading) -> ProcessReading {
        self.0.iter_mut().fold(own, |sum, (reader, last)| {
            let now = reader.read();
            let rss_bytes = now.map_or(0, |reading| reading.rss_bytes);
            *last = now.or(*last);
            let (cpu, system, peak) = last
                .map_or_else(Default::default, |last| (last.cpu, last.system, last.peak_rss_bytes));
            ProcessReading {
                cpu: sum.cpu + cpu,
                system: sum.system + system,
                rss_bytes: sum.rss_bytes + rss_bytes,
                peak_rss_bytes: sum.peak_rss_bytes + peak,
                ..sum
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::sample::own_usage;
    use std::process::{Command, Stdio};

    #[test]
    fn what_a_companion_used_counts_also_when_it_has_ended() {
        let spin = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; read -r _";
        let mut child =
            Command::new("sh").args(["-c", spin]).stdin(Stdio::piped()).spawn().unwrap();
        let mut companions = Companions::new(&[child.id()]);
        let alone = ProcessReading { cpu: Duration::ZERO, ..own_usage() };
        let mut with = companions.added_to(alone);
        let deadline = Instant::now() + Duration::from_secs(120);
        while with.cpu <= Duration::from_millis(20) {
            assert!(Instant::now() < deadline, "{with:?}");
            with = companions.added_to(alone);
        }
        assert!(with.rss_bytes > alone.rss_bytes);
        drop(child.stdin.take());
        child.wait().unwrap();
        let after = companions.added_to(alone);
        assert!(after.cpu >= with.cpu);
        assert_eq!(after.rss_bytes, alone.rss_bytes, "it has no memory any more");
    }
}
