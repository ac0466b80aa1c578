//! Loads on storage: many virtual machines' reads and writes on few threads.
//!
//! Layers as for servers: a pool of virtual machines decides what is asked for and keeps the
//! record, and sees neither a clock nor a file; a transport carries out reads and writes, with
//! io_uring or, where that is not permitted, in threads that block; a worker moves requests and
//! completions between the two and reads the clock.
//!
//! An operation is a read or a write, with the sync that follows it where one does. A latency ends
//! when the completion is noticed: no kernel stamps completions. How long a worker can be away
//! from them at most is in the result (`ClientCost::max_loop_lag`).

mod account;
mod arena;
mod error;
mod files;
mod fill;
mod own;
mod pool;
mod prepare;
mod processors;
mod ring;
mod threads;
mod transport;
mod worker;

pub use error::StorageError;
pub use files::FileSpec;
pub use fill::{Filling, fill};
pub use own::{DIRECTORY, Made, made_files};
pub use prepare::{files_within, make_files, remove_files};
pub use processors::Processors;

pub(crate) use self::account::FleetPart;
use self::arena::{Arena, Need};
use self::pool::{Assignment, Pool};
use self::processors::{Meter, join};
use self::ring::Ring;
use self::threads::Threads;
use self::transport::{Kind, Transport};
use self::worker::{Worker, WorkerSpec};
use crate::account::{Account, Named};
use crate::arrivals::Arrivals;
use crate::coordinator::{Control, Coordinator, Message, Report, Wake, spawn};
use crate::load::{FleetSize, RunLoad, Timing};
use crate::part::{Part, PartRun};
use crate::pool::{Quota, Rules};
use crate::usage::available_storage_workers;
use crate::{Clock, ErrorPolicy, LoadError, OpenLoop, Schedule};
use model::{ErrorCount, IoMethod, Storage};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Reads and writes that all virtual machines together may keep in flight.
const MAX_OUTSTANDING: u64 = 1 << 20;

/// Whether loads can go through io_uring here.
pub fn has_ring() -> bool {
    ring::is_permitted()
}

/// A number that marks what a load writes: another each time, and never 0, which is for filling.
pub fn mark() -> u64 {
    u64::try_from(Clock.wall().as_nanos()).unwrap_or(u64::MAX).max(1)
}

/// How storage is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// Many at once, through io_uring.
    Ring,
    /// Each in a thread that blocks; 256 threads at most.
    Threads,
}

/// One load on storage.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StorageLoad {
    /// What is asked for.
    pub storage: Storage,
    /// The data of each virtual machine, as many as the workload has.
    pub files: Vec<FileSpec>,
    /// Reads and writes that each virtual machine keeps under way; at least 1.
    pub queue_depth: u32,
    /// Warm-up, measuring and end.
    pub schedule: Schedule,
    /// Arrivals at a rate, over all virtual machines, each of which gets the same share; a closed
    /// loop when absent.
    pub open: Option<OpenLoop>,
    /// Which errors are survived, and how. There is nothing to connect anew:
    /// [`crate::Action::Reconnect`] counts and goes on, as [`crate::Action::Ignore`] does.
    pub policy: ErrorPolicy,
    /// How long to wait for what is under way after the last operation began.
    pub drain_limit: Duration,
    /// Seeds everything that is random.
    pub seed: u64,
    /// Threads of each process that drive the virtual machines, at least 1; when absent as many as suit
    /// these and the processors of its machine.
    pub workers: Option<u32>,
    /// How to read and write; the best that is permitted when absent.
    pub method: Option<Method>,
    /// Marks the blocks that this load writes: of no other load, and not 0. [`mark`] gives one.
    pub mark: u64,
    /// With verification: whether every block was checksummed when the files were made, and since then
    /// written by loads with verification only. Else a block is judged from this load's first
    /// write to it on.
    pub checksummed: bool,
    /// What holds the threads that stand for the virtual machines to the processors that these
    /// share. As many workers as that are needed to use them. Another process does not get it, and
    /// holds those of its part itself.
    #[serde(skip)]
    pub processors: Option<Arc<dyn Processors>>,
}

/// A virtual machine as a worker knows it.
#[derive(Clone, Debug)]
struct VmSpec {
    number: u32,
    volume: u32,
    path: PathBuf,
    /// Where its data begins in the file.
    offset: u64,
}

/// Everything that a worker needs to begin.
struct Share<'a> {
    load: &'a StorageLoad,
    files: Vec<FileSpec>,
    rules: Rules,
    control: &'a Control,
    /// Reads and writes under way of each virtual machine.
    queue_depth: u32,
}

/// Files must be there and long enough; with writes a load overwrites their data. Virtual machine k
/// belongs to part k modulo their number.
impl RunLoad for StorageLoad {
    /// Nothing logs in, and nobody else can end it early.
    fn timing(&self) -> Timing<'_> {
        Timing {
            schedule: self.schedule,
            open_loop: self.open.as_ref(),
            ready_limit: Duration::MAX,
            drain_limit: self.drain_limit,
            fails_unanswered: true,
            goodbye_limit: Duration::ZERO,
            enough: None,
        }
    }

    fn fleet(&self) -> Option<FleetSize> {
        let last = self.files.iter().map(|file| file.volume).max()?;
        Some(FleetSize { vms: self.files.len(), volumes: last.saturating_add(1) })
    }

    fn run_part(&self, run: &mut PartRun<'_>) -> Result<Account, LoadError> {
        check(self)?;
        let mut by = |method| run_part(self, method, run);
        match self.method {
            Some(method) => by(method),
            None if !ring::is_permitted() => by(Method::Threads),
            // A ring may be permitted and files for it not. It has not begun then.
            None => match by(Method::Ring) {
                Err(LoadError::NoRing(_)) => by(Method::Threads),
                other => other,
            },
        }
    }

    fn lost(&self, since: Duration, errors: &[ErrorCount]) -> LoadError {
        StorageError::gone(since, errors).into()
    }
}

/// Does a part of a load by that method.
fn run_part(
    load: &StorageLoad,
    method: Method,
    run: &mut PartRun<'_>,
) -> Result<Account, LoadError> {
    let part = run.part;
    let control = Control::default();
    let vms = part.share(load.files.len() as u64) as u32;
    let wanted = load.workers.unwrap_or_else(|| suitable_workers(load, part, vms));
    let workers = part.workers(wanted, load.files.len() as u32);
    let queue_depth = match method {
        Method::Ring => load.queue_depth,
        Method::Threads => load.queue_depth.min((threads::MOST as u32 / vms.max(1)).max(1)),
    };
    let mut meter = load.processors.as_deref().map(|held| Meter::new(held, load.schedule));
    let (account, done) = std::thread::scope(|scope| {
        let (sender, messages) = mpsc::channel();
        for (index, share) in (0..).zip(divide(load, part, workers, queue_depth, &control)) {
            spawn(scope, index, sender.clone(), move |sender| match method {
                Method::Ring => share.work_in_ring(sender),
                Method::Threads => share.work_in_threads(sender),
            })
            .map_err(|error| {
                control.abort();
                LoadError::System(error)
            })?;
        }
        drop(sender);
        let coordinator = Coordinator {
            clients: vms * queue_depth,
            schedule: load.schedule,
            named: Named::new(
                &Kind::KINDS,
                Kind::NAMES.iter().map(|&name| name.to_owned()).collect(),
                Vec::new(),
            ),
            workers,
            workers_tried: None,
            ready_limit: load.timing().ready_limit,
            control: &control,
            messages,
            stop: run.stop,
            look: &mut |start, now| {
                if let Some(meter) = &mut meter {
                    meter.look(start, now);
                }
            },
        };
        let result = coordinator.run(run.start, run.progress);
        control.abort();
        result
    })?;
    let processors = meter.map_or(Ok(None), Meter::found)?;
    let fleet = done.into_iter().reduce(|mut all, part| {
        all.add(part);
        all
    });
    let fleet = fleet.map(|fleet| FleetPart { processors, ..fleet });
    Ok(Account { fleet, ..account })
}

/// Threads that drive so many virtual machines of a part where nobody has said how many: enough for all
/// processors that these have, and no more than its share of those of the machine.
fn suitable_workers(load: &StorageLoad, part: Part, vms: u32) -> u32 {
    let beside = part.beside.max(1);
    let queue_depth = vms.saturating_mul(load.queue_depth).saturating_mul(beside);
    let all = available_storage_workers(queue_depth);
    let shared = load.storage.oversubscription;
    let needed = shared.map_or(1, |shared| shared.whole_processors(vms.saturating_mul(beside)));
    (all.max(needed) / beside).max(1)
}

/// Refuses what makes no sense, so that nothing below has to.
fn check(load: &StorageLoad) -> Result<(), StorageError> {
    let storage = &load.storage;
    let nonsense = |what: &str| Err(StorageError::Nonsense(what.to_owned()));
    if load.files.is_empty() || load.files.len() != storage.vms as usize {
        return nonsense("a load on storage needs one file for each virtual machine");
    }
    if storage.blocks.iter().any(|share| share.bytes == 0 || share.bytes % 512 != 0) {
        return nonsense("the size of a block must be a multiple of 512 bytes");
    }
    if storage.blocks.is_empty() || storage.bytes_per_vm < u64::from(storage.largest_block()) {
        return nonsense("the data of a virtual machine must have room for its largest block");
    }
    if load.queue_depth == 0 {
        return nonsense("the queue depth of a virtual machine must be at least 1");
    }
    if load.files.len() as u64 * u64::from(load.queue_depth) > MAX_OUTSTANDING {
        return nonsense("the queue depths of all virtual machines add up to more than a million");
    }
    if load.files.iter().any(|file| file.volume as usize >= load.files.len()) {
        return nonsense("volumes must be numbered from 0, and each have a virtual machine");
    }
    if load.files.iter().any(|file| file.length < storage.bytes_per_vm) {
        return nonsense("a file is shorter than the data of its virtual machine");
    }
    Ok(())
}

/// The shares of the workers of a part, which take turns in taking virtual machines.
fn divide<'a>(
    load: &'a StorageLoad,
    part: Part,
    workers: u32,
    queue_depth: u32,
    control: &'a Control,
) -> Vec<Share<'a>> {
    let quota = Quota::new(load.schedule.events().map(|events| part.share(events)));
    let lanes = workers * part.of;
    let share = |index: u32| {
        let lane = part.place(index);
        let own = load.files.iter().skip(lane as usize).step_by(lanes as usize);
        let files: Vec<FileSpec> = own.cloned().collect();
        let share = files.len() as f64 / load.files.len() as f64;
        let rules = Rules {
            schedule: load.schedule,
            quota: quota.clone(),
            policy: load.policy.clone(),
            reconnect_after: None,
            arrivals: load.open.as_ref().map(|open| arrivals(open, share, lane, lanes)),
        };
        Share { load, files, rules, control, queue_depth }
    };
    (0..workers).map(share).collect()
}

/// The arrivals of a worker that drives that share of the virtual machines, and how many of them
/// may wait.
fn arrivals(open: &OpenLoop, share: f64, lane: u32, lanes: u32) -> (Arrivals, usize) {
    let even = OpenLoop { rate: open.rate * share * f64::from(lanes), ..open.clone() };
    (Arrivals::new(&even, lane, lanes), (open.max_waiting as f64 * share).ceil() as usize)
}

impl Share<'_> {
    fn work_in_ring(
        self,
        sender: &mpsc::Sender<Message<FleetPart>>,
    ) -> Result<Report<FleetPart>, LoadError> {
        // First: the kernel's own threads for a ring are members where the one that asks is.
        join(self.load.processors.as_ref())?;
        let (files, arena) = self.open()?;
        // Where it was not asked for, whatever is wrong with it is no reason to give up.
        let refused = match self.load.method {
            Some(_) => LoadError::ring,
            None => LoadError::NoRing,
        };
        let ring = Ring::new(self.slots(), files, arena, Clock).map_err(refused)?;
        self.work(ring, IoMethod::IoUring, sender)
    }

    fn work_in_threads(
        self,
        sender: &mpsc::Sender<Message<FleetPart>>,
    ) -> Result<Report<FleetPart>, LoadError> {
        // First: threads that it starts are members then.
        join(self.load.processors.as_ref())?;
        let (files, arena) = self.open()?;
        let threads = Threads::new(self.slots(), files, arena, Clock);
        self.work(threads.map_err(LoadError::System)?, IoMethod::Threads, sender)
    }

    fn slots(&self) -> usize {
        self.files.len() * self.queue_depth as usize
    }

    fn open(&self) -> Result<(Vec<File>, Arena), StorageError> {
        let storage = &self.load.storage;
        let files = self.files.iter().map(|spec| files::open(spec, storage));
        let need = Need {
            slots: self.slots(),
            bytes: storage.largest_block() as usize,
            reads: storage.read_percent > 0,
            writes: storage.writes(),
        };
        Ok((files.collect::<Result<_, _>>()?, Arena::new(need, self.load.seed)?))
    }

    fn work<T: Transport>(
        self,
        transport: T,
        io: IoMethod,
        sender: &mpsc::Sender<Message<FleetPart>>,
    ) -> Result<Report<FleetPart>, LoadError> {
        let spec = |file: &FileSpec| VmSpec {
            number: file.vm,
            volume: file.volume,
            path: file.path.clone(),
            offset: file.offset,
        };
        let assignment = Assignment {
            storage: &self.load.storage,
            vms: self.files.iter().map(spec).collect(),
            queue_depth: self.queue_depth,
            seed: self.load.seed,
            load: self.load.mark,
            checksummed: self.load.checksummed,
        };
        let spec = WorkerSpec {
            schedule: self.load.schedule,
            drain_limit: self.load.drain_limit,
            clock: Clock,
            control: self.control,
            io,
        };
        let pool = Pool::new(assignment, self.rules);
        let worker = Worker { spec, pool, transport };
        let _ = sender.send(Message::Ready(Wake::Thread(std::thread::current())));
        worker.work(|interval| {
            let _ = sender.send(Message::Interval(Box::new(interval)));
        })
    }
}
