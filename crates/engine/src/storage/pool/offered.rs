use crate::Nanos;
use crate::arrivals::Arrivals;
use workload::Stream;

/// Arrivals of an open loop, and which virtual machine each is for.
///
/// Each has a share of its own, which nobody takes over: a slow volume is seen in what waits for
/// it, and not hidden by the others doing its work.
pub(super) struct Offered {
    arrivals: Arrivals,
    /// Chooses where arrivals are at random; else they go in turn.
    choice: Option<Stream>,
    next: u32,
    vms: u32,
    /// What waits, over all virtual machines.
    pub(super) waiting: usize,
    max_waiting: usize,
}

impl Offered {
    pub(super) fn new(arrivals: Arrivals, max_waiting: usize, vms: usize, seed: u64) -> Self {
        let choice = arrivals.are_random().then(|| Stream::new(seed, "arrivals by vm", 0));
        Self { arrivals, choice, next: 0, vms: vms.max(1) as u32, waiting: 0, max_waiting }
    }

    /// The next arrival of a load that began at `start`.
    pub(super) fn next(&self, start: Nanos) -> Nanos {
        self.arrivals.next(start)
    }

    /// Whether another may be taken in at this moment.
    pub(super) fn may_take(&mut self, now: Nanos) -> bool {
        self.arrivals.may_take(now)
    }

    /// Takes the next arrival, which waits from now on: whose it is.
    pub(super) fn take(&mut self) -> u32 {
        self.arrivals.advance();
        self.waiting += 1;
        match &mut self.choice {
            // A share of a Poisson process that is chosen at random is one.
            Some(stream) => stream.below(self.vms.into()) as u32,
            None => {
                let vm = self.next;
                self.next = (vm + 1) % self.vms;
                vm
            }
        }
    }

    /// Whether more wait than may.
    pub(super) fn is_full(&self) -> bool {
        self.waiting > self.max_waiting
    }
}
