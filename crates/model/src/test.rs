use crate::system::Feature;
use crate::{
    Act, Better, Bound, CatchUp, Failover, FailoverCause, Failure, FailureKind, Intervention,
    KeyValue, Level, LevelPlacement, Load, Metric, Oltp, Statement, Storage, System, Task,
    UnitName, Workload,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One test: a task that is carried out on every target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Test {
    /// Unique within the study.
    pub name: String,
    /// What is done.
    pub task: Task,
    /// The state of the caches when a trial starts.
    pub cache: CacheState,
    /// Whether another tool repeats every trial, to see whether the two agree (check 7).
    pub cross_check: bool,
}

impl Test {
    /// Steps that searches take as a rule, the closed loop before the first included.
    const STEPS_OF_A_SEARCH: u32 = 10;

    /// A test with warm caches and without a cross-check.
    pub fn new(name: impl Into<String>, task: Task) -> Self {
        Self { name: name.into(), task, cache: CacheState::Warm, cross_check: false }
    }

    /// The load that the test runs, searches and what statements run beside included; absent where
    /// there is no load, and of imported results.
    pub fn load(&self) -> Option<&Load> {
        match &self.task {
            Task::Load(load) => Some(load),
            Task::Search(search) => Some(&search.load),
            Task::Statement(statement) => statement.beside.as_ref().map(|beside| &beside.load),
            Task::Failover(_) | Task::CatchUp(_) | Task::Imported(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn load_mut(&mut self) -> Option<&mut Load> {
        match &mut self.task {
            Task::Load(load) => Some(load),
            Task::Search(search) => Some(&mut search.load),
            Task::Statement(statement) => statement.beside.as_mut().map(|beside| &mut beside.load),
            Task::Failover(_) | Task::CatchUp(_) | Task::Imported(_) => None,
        }
    }

    /// The load that the test runs.
    ///
    /// # Errors
    /// `NotPermitted` for what was measured elsewhere: it can be reported and not run.
    pub fn runnable_load(&self) -> Result<&Load, Failure> {
        self.load().ok_or_else(|| {
            Failure::new(
                FailureKind::NotPermitted,
                format!("the results of {} were imported, so there is nothing to run", self.what()),
                "write a study file with a test and targets of its own",
            )
        })
    }

    /// The levels that it is run at, in ascending order, each a cell of every target. A test that
    /// knows no levels has [`Level::NONE`].
    pub fn levels(&self) -> &[Level] {
        match &self.task {
            Task::Load(load) => &load.levels,
            Task::Search(search) => &search.load.levels,
            Task::Statement(statement) => {
                statement.beside.as_ref().map_or(&[Level::NONE], |beside| &beside.load.levels)
            }
            Task::Failover(_) | Task::CatchUp(_) => &[Level::NONE],
            Task::Imported(imported) => &imported.levels,
        }
    }

    /// The same without its levels, each of which has trials of its own; the one of a search is part
    /// of what it does.
    pub fn without_levels(&self) -> Self {
        let mut test = self.clone();
        let is_search = self.bound().is_some();
        if let Task::Imported(imported) = &mut test.task {
            imported.levels.clear();
            // Of when trials ran, and not of what was done.
            imported.in_turns = false;
        } else if let Some(load) = test.load_mut().filter(|_| !is_search) {
            load.levels.clear();
        }
        test
    }

    /// How it places its levels, where it does so itself.
    pub fn placement(&self) -> Option<LevelPlacement> {
        match &self.task {
            Task::Load(load) => load.placement,
            Task::Search(_)
            | Task::Statement(_)
            | Task::Failover(_)
            | Task::CatchUp(_)
            | Task::Imported(_) => None,
        }
    }

    /// What needs the most connections to a target at a time, and how many: the clients of a load at
    /// its highest level, or of what writes a backlog.
    pub fn most_clients(&self) -> Option<(&Workload, u32)> {
        if let Task::CatchUp(task) = &self.task {
            return Some((&task.workload, task.level.clients));
        }
        let load = self.load()?;
        Some((&load.workload, load.levels.iter().max()?.clients))
    }

    /// Whether it needs targets with replicas.
    pub fn needs_replicas(&self) -> bool {
        match &self.task {
            Task::CatchUp(_) => true,
            Task::Search(search) => search.lag_limit.is_some(),
            Task::Load(_) | Task::Statement(_) | Task::Failover(_) | Task::Imported(_) => false,
        }
    }

    /// What clients do, where the test runs a load.
    pub fn workload(&self) -> Option<&Workload> {
        self.load().map(|load| &load.workload)
    }

    /// The same, where it is of the OLTP family.
    pub fn oltp(&self) -> Option<&Oltp> {
        self.workload().and_then(|workload| workload.oltp().ok())
    }

    /// The load whose data the test needs.
    pub fn data(&self) -> Option<&Workload> {
        match &self.task {
            Task::Statement(statement) => statement.data.as_ref(),
            Task::Failover(_) => None,
            Task::CatchUp(task) => Some(&task.workload),
            Task::Load(_) | Task::Search(_) | Task::Imported(_) => self.workload(),
        }
    }

    /// The same, where it reads and writes single keys.
    pub fn key_value(&self) -> Option<&KeyValue> {
        self.workload().and_then(Workload::key_value)
    }

    /// The same, where it is on storage.
    pub fn storage(&self) -> Option<&Storage> {
        self.workload().and_then(Workload::storage)
    }

    /// What one of its operations is called: what throughput counts, and latency is the time of. What
    /// was measured elsewhere may count something else, which the names of its figures say.
    pub fn operation(&self) -> UnitName {
        self.workload().map_or(UnitName::TRANSACTION, Workload::operation)
    }

    /// What the highest load must meet, where that is searched for.
    pub fn bound(&self) -> Option<Bound> {
        match &self.task {
            Task::Search(search) => Some(search.bound()),
            Task::Load(_)
            | Task::Statement(_)
            | Task::Failover(_)
            | Task::CatchUp(_)
            | Task::Imported(_) => None,
        }
    }

    /// What is done to targets while they are measured.
    pub fn interventions(&self) -> &[Intervention] {
        self.load().map_or(&[], |load| &load.interventions)
    }

    /// The user's programs that the test runs on this host, each with its arguments and with what it
    /// is for, such as `the intervention switch`.
    pub fn commands(&self) -> Vec<(String, &[String])> {
        let acts = self.interventions().iter().filter_map(|one| match &one.act {
            Act::Command(words) => Some((format!("the intervention {}", one.name), &words[..])),
            Act::BackgroundWork(_) | Act::Statement(_) => None,
        });
        let failover = match &self.task {
            Task::Failover(failover) => Some(failover),
            _ => None,
        };
        let cause = failover.and_then(|failover| match &failover.cause {
            FailoverCause::Command(words) => Some(("the failover".to_owned(), &words[..])),
            FailoverCause::Switchover
            | FailoverCause::Kill
            | FailoverCause::Hang
            | FailoverCause::Network => None,
        });
        let restore = failover.and_then(|failover| failover.restore.as_deref());
        let restore = restore.map(|words| ("the end of the failover".to_owned(), words));
        acts.chain(cause).chain(restore).collect()
    }

    /// Whether a load is what is measured, or the highest one: its rates and latencies over the whole
    /// measured phase are figures then. Of a load that runs beside something else they are not.
    pub fn is_of_load(&self) -> bool {
        matches!(self.task, Task::Load(_) | Task::Search(_))
    }

    /// Whether operations are offered at rates. A test has either rates or closed loops.
    pub fn is_open(&self) -> bool {
        self.levels().iter().any(Level::is_open)
    }

    /// Whether its rate changes within each trial. The rate of its level is a mean then, which may
    /// never have been offered.
    pub fn has_profile(&self) -> bool {
        self.load().is_some_and(|load| load.profile.is_some())
    }

    /// Whether somebody else measured it.
    pub fn is_imported(&self) -> bool {
        matches!(self.task, Task::Imported(_))
    }

    /// Whether it can be run on targets of that kind. What was measured elsewhere ran on whatever it
    /// did.
    pub fn suits(&self, system: System) -> bool {
        self.feature().is_none_or(|feature| system.has(feature))
    }

    /// What a target must be able to do for it.
    pub fn feature(&self) -> Option<Feature> {
        match (&self.task, self.workload()) {
            (_, Some(workload)) => Some(workload.feature()),
            (Task::Statement(_), None) => Some(Feature::Statements),
            (Task::Failover(_) | Task::CatchUp(_), None) => Some(Feature::Groups),
            (Task::Load(_) | Task::Search(_) | Task::Imported(_), None) => None,
        }
    }

    /// What is run, by the name that study files and reports use.
    pub fn what(&self) -> &str {
        match &self.task {
            Task::Load(load) => load.workload.name(),
            Task::Search(search) => search.load.workload.name(),
            Task::Statement(statement) => statement.task(),
            Task::Failover(_) => Failover::NAME,
            Task::CatchUp(_) => CatchUp::NAME,
            Task::Imported(imported) => &imported.name,
        }
    }

    /// The deciding metrics of tasks that are no steady load: all of them times, in seconds.
    pub const DECIDING_TIMES: [Metric; 3] =
        [Metric::Elapsed, Metric::CatchUpTime, Metric::Downtime];

    /// The metric that decides which target is better; absent of imported results, which hold what
    /// they hold.
    pub fn deciding_metric(&self) -> Option<Metric> {
        match &self.task {
            Task::Load(_) | Task::Search(_) => Some(Metric::Throughput),
            Task::Statement(_) => Some(Metric::Elapsed),
            Task::Failover(_) => Some(Metric::Downtime),
            // The backlog is the same everywhere, and this is what users wait for.
            Task::CatchUp(_) => Some(Metric::CatchUpTime),
            Task::Imported(_) => None,
        }
    }

    /// Whether it can say which target is best by that metric: a load by its rate, its latencies and what an
    /// operation takes, a search by the load that it finds, another task by what it measures. Of imported
    /// results nothing is known.
    pub fn answers_by(&self, metric: Metric) -> bool {
        let is_other = || match &self.task {
            Task::Load(load) => match metric {
                Metric::Elapsed => load.operations.is_some(),
                Metric::Unserved => load.profile.is_some(),
                _ => metric.is_latency() || metric.resource().is_some(),
            },
            Task::Search(_) => false,
            Task::Statement(Statement { beside, .. }) => match metric {
                Metric::TemporarySpace | Metric::DataGrowth => true,
                Metric::ElapsedAlone | Metric::Slowdown => {
                    beside.as_ref().is_some_and(|beside| beside.alone)
                }
                _ => metric.is_of_part() && beside.is_some(),
            },
            Task::Failover(_) => matches!(
                metric,
                Metric::FirstAccepted
                    | Metric::RateBack
                    | Metric::LostWrites
                    | Metric::FailedWrites
            ),
            Task::CatchUp(_) => matches!(metric, Metric::LagApplied | Metric::ApplyRate),
            Task::Imported(_) => true,
        };
        metric.better() != Better::Neither && (self.deciding_metric() == Some(metric) || is_other())
    }

    /// Operations per second that a load of so many is assumed to do.
    const ASSUMED_RATE: u64 = 1_000;

    /// How long the work of one trial takes: exactly for a load that has a duration, at most for a failover,
    /// at least for one that is run until it is steady, and about for a load of so many operations, for a search, which ends when it knows, and for statements.
    pub fn work_time(&self) -> Duration {
        let settling = |load: &Load| load.settling().map_or(Duration::ZERO, |(least, _)| least);
        let steady = |load: &Load| settling(load) + load.warmup + load.duration;
        match &self.task {
            Task::Load(load) => match load.operations {
                // Its duration is what it may take.
                Some(count) => {
                    let assumed = Duration::from_secs(count / Self::ASSUMED_RATE + 1);
                    load.warmup + assumed.min(load.duration)
                }
                None => steady(load),
            },
            Task::Search(search) => steady(&search.load) * Self::STEPS_OF_A_SEARCH,
            Task::Statement(statement) => statement.work_time(),
            Task::Failover(failover) => failover.duration,
            Task::CatchUp(task) => task.work_time(),
            Task::Imported(_) => Duration::ZERO,
        }
    }
}

/// The state of the caches when a trial starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheState {
    /// As the previous trial and the warm-up left them.
    Warm,
    /// Server stopped, file systems synced, the operating system's caches dropped, server started.
    Cold,
}
