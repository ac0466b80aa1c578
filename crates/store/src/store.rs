use crate::digest::{self, EXTENSION, RUN};
use crate::error::Access;
use crate::guard::{Opened, TimeLimit, thread_time};
use crate::lock::WriterLock;
use crate::log::LogState;
use crate::schema::{self, Age, SCRIPTS};
use crate::value::unfit_value;
use crate::{StoreError, beside, extension, facts, file, plan, run, trial};
use model::{
    Block, ByLength, Extension, HostFacts, Instance, Note, Plan, ReadLimit, RunInfo, Study,
    TargetFacts, Trial, TrialKey, TrialRecord, UnixMillis,
};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What reading a store may take where nothing else is said.
const USUAL: ReadLimit = ReadLimit {
    bytes: ReadLimit::BYTES,
    time: ReadLimit::TIME,
    clock: thread_time,
    by_length: ByLength { bytes: ByLength::BYTES, time: ByLength::TIME },
};

/// What reading the results file at a path may take by its length, and what is made of it as well. A file
/// that is not there has none.
pub fn limit_for(path: &Path, limit: ReadLimit) -> ReadLimit {
    let length = beside::resolved(path).map_or(0, |path| beside::length(&path));
    limit.for_length(length)
}

mod dataset;
#[cfg(test)]
mod tests;

/// The file that holds one run of a study.
///
/// Either open for reading ([`Store::open`]), which works while another process writes and never
/// changes the file, or for writing ([`Store::create`], [`Store::resume`]), which only one
/// process at a time can.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    // Declared, and so dropped, before the lock that protects it.
    connection: Connection,
    /// Of statements that read.
    limit: TimeLimit,
    lock: Option<WriterLock>,
    study: Study,
    plan: Plan,
    run: RunInfo,
    /// Positions of the trials that have a record, ascending.
    recorded: BTreeSet<u32>,
    /// What could not be read of the log when this was opened.
    log_trouble: Option<Note>,
    /// What reading all of it may take.
    pub(crate) reading: ReadLimit,
}

impl Store {
    /// Begins a run in a new file, dated now, and holds it for writing. The study is the one
    /// that will be run: already multiplied by `scale`.
    ///
    /// The file appears complete or not at all.
    ///
    /// # Errors
    /// When the file exists or cannot be made.
    pub fn create(
        path: &Path,
        study: &Study,
        plan: &Plan,
        host: &HostFacts,
        version: &str,
        scale: f64,
    ) -> Result<Self, StoreError> {
        let lock = WriterLock::take(path)?;
        // With the lock held nobody else makes it. A link that leads nowhere is there as well.
        if path.symlink_metadata().is_ok() {
            return Err(StoreError::Exists(path.to_path_buf()));
        }
        let run = RunInfo {
            id: 1,
            started_at: now(),
            weighin_version: version.to_string(),
            host: host.clone(),
            scale,
            extensions: Vec::new(),
        };
        file::create(path, study, plan, &run)?;
        Self::writer(path, lock, ReadLimit::NONE).inspect_err(|_| beside::remove(path))
    }

    /// Opens a run for reading; works while another process writes to it, and changes nothing.
    ///
    /// # Errors
    /// When the file is missing, not a store, damaged, or of a later format; when reading it goes
    /// beyond the usual limits of memory and time.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_within(path, USUAL)
    }

    /// The same with a limit of what opening it may take, and what [`Self::dataset`] may.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_within(path: &Path, limit: ReadLimit) -> Result<Self, StoreError> {
        Self::open_at(&beside::resolved(path)?, true, limit)
    }

    /// Opens a run for writing, to complete its plan. A store of an older version is brought to
    /// the current format. A run without any record begins now: whatever time has passed since it was
    /// planned, none went into it.
    ///
    /// # Errors
    /// As [`Self::open`]; and when another process writes to it.
    pub fn resume(path: &Path) -> Result<Self, StoreError> {
        Self::resume_within(path, USUAL)
    }

    /// The same with a limit of what reading that which it holds so far may take. What this process
    /// adds is its own.
    ///
    /// # Errors
    /// As [`Self::resume`].
    pub fn resume_within(path: &Path, limit: ReadLimit) -> Result<Self, StoreError> {
        // Before the lock is taken, which would leave its file in the wrong place.
        let path = &beside::resolved(path)?;
        let lock = WriterLock::take(path)?;
        let mut store = Self::writer(path, lock, limit)?;
        // From now on the log is written over: the report says what was in it.
        if let Some(trouble) = store.log_trouble.clone() {
            store.add_note(&trouble)?;
        }
        if store.is_empty() {
            let started_at = now();
            store.write(|connection| {
                run::restart(connection, started_at)?;
                digest::write(connection, RUN.subject(1))
            })?;
            store.run.started_at = started_at;
        }
        Ok(store)
    }

    pub(crate) fn writer(
        path: &Path,
        lock: WriterLock,
        reading: ReadLimit,
    ) -> Result<Self, StoreError> {
        let reading = limit_for(path, reading);
        let log = LogState::for_store(path, true)?;
        let mut opened = file::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, reading)?;
        let budget = &reading.budget();
        let age = schema::check(&opened, path, SCRIPTS, Access::Write, budget)?;
        let sqlite = |error| StoreError::from_sqlite(path, Access::Write, error);
        let log_trouble = {
            let _limited = opened.limit.begin(budget);
            let trouble = log.trouble(&opened.connection).map_err(sqlite)?;
            digest::check_run(&opened.connection, budget).map_err(sqlite)?;
            if age == Age::Older {
                digest::check_all(&opened.connection, budget).map_err(sqlite)?;
                schema::migrate(&mut opened.connection, SCRIPTS, |_| Ok(())).map_err(sqlite)?;
            }
            trouble
        };
        // What it holds was charged just now.
        let store = Self::load(path, opened, Some(lock), ReadLimit::NONE, log_trouble)?;
        // A run goes on only with what can be read, and read within the limit.
        store.check_within(budget)?;
        let prepare = || {
            // A write-ahead log lets others read meanwhile. FULL makes each commit wait for the
            // disk: an appended trial survives a power loss.
            store.connection.pragma_update(None, "journal_mode", "WAL")?;
            store.connection.pragma_update(None, "synchronous", "FULL")?;
            // A user's own table may refer to rows of weighin's: what it demands is not weighin's matter.
            store.connection.pragma_update(None, "foreign_keys", false)
        };
        prepare().map_err(sqlite)?;
        Ok(store)
    }

    pub(crate) fn load(
        path: &Path,
        opened: Opened,
        lock: Option<WriterLock>,
        reading: ReadLimit,
        log_trouble: Option<Note>,
    ) -> Result<Self, StoreError> {
        let Opened { connection, limit } = opened;
        let limited = limit.begin(&reading.budget());
        let sqlite = |error| StoreError::from_sqlite(path, Access::Read, error);
        let (study, plan, run) = run::select(&connection).map_err(sqlite)?;
        let recorded = trial::positions(&connection).map_err(sqlite)?;
        drop(limited);
        let path = path.to_path_buf();
        Ok(Self { path, connection, limit, lock, study, plan, run, recorded, log_trouble, reading })
    }

    /// Keeps a trial: when this returns, it survives a power loss. After an error the store is as
    /// it was before.
    ///
    /// # Errors
    /// When the plan has no such trial, it has a record already, or the file cannot be written;
    /// `NotKept` where it holds what no trial can have, such as times that a machine elsewhere has made
    /// up: it would make all of the store unreadable.
    pub fn append(&mut self, record: &TrialRecord) -> Result<(), StoreError> {
        self.append_all(std::slice::from_ref(record))
    }

    /// The same of several trials together: all of them are kept, or none.
    ///
    /// # Errors
    /// As for [`Self::append`], of any of them.
    pub fn append_all(&mut self, records: &[TrialRecord]) -> Result<(), StoreError> {
        let mut recorded = self.recorded.clone();
        let planned: Vec<&Trial> = self.plan.all_trials().collect();
        for record in records {
            // Positions count from 1 without a gap.
            let index = (record.position as usize).wrapping_sub(1);
            let planned = planned
                .get(index)
                .is_some_and(|trial| (&trial.key, trial.seed) == (&record.key, record.seed));
            if !planned {
                return Err(StoreError::NotPlanned(record.key.clone()));
            }
            if !recorded.insert(record.position) {
                return Err(StoreError::AlreadyRecorded(record.key.clone()));
            }
        }
        let mut unfit: Option<(TrialKey, String)> = None;
        let written = self.write(|connection| {
            records.iter().try_for_each(|record| {
                trial::insert(connection, record).inspect_err(|error| {
                    unfit = unfit_value(error).map(|detail| (record.key.clone(), detail));
                })
            })
        });
        if let Some((key, detail)) = unfit {
            return Err(StoreError::NotKept { key, detail });
        }
        written?;
        self.recorded = recorded;
        Ok(())
    }

    /// Keeps what a target's server said of itself; replaces what was known of that target.
    ///
    /// # Errors
    /// When the study has no such target, or the file cannot be written.
    pub fn record_target(&mut self, facts: &TargetFacts) -> Result<(), StoreError> {
        if !self.study.measured().any(|target| target.name == facts.target) {
            return Err(StoreError::UnknownTarget(facts.target.clone()));
        }
        self.write(|connection| facts::replace_target(connection, facts))
    }

    /// Keeps what is known of an instance; replaces what was known of the one with its number.
    ///
    /// # Errors
    /// When the study has no such target or machine, or the file cannot be written.
    pub fn record_instance(&mut self, instance: &Instance) -> Result<(), StoreError> {
        let is_known = self.study.measured().any(|target| target.name == instance.target)
            || self.study.host_instance(&instance.target).is_some();
        if !is_known {
            return Err(StoreError::UnknownTarget(instance.target.clone()));
        }
        self.write(|connection| facts::replace_instance(connection, instance))
    }

    /// Keeps a note.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add_note(&mut self, note: &Note) -> Result<(), StoreError> {
        self.write(|connection| facts::insert_note(connection, note))
    }

    /// Adds trials to the plan, and takes the study as it is now where it has changed. Of a trial
    /// that is planned a second time the earlier record stays and no longer counts. All of it is
    /// kept, or nothing.
    ///
    /// # Errors
    /// When a trial that is planned a second time has not failed, or the file cannot be written; as
    /// [`Self::resume`] where the plan does not go with the study.
    pub fn extend(
        &mut self,
        version: &str,
        host: &HostFacts,
        changed: Option<(&Study, Vec<String>)>,
        blocks: &[Block],
    ) -> Result<(), StoreError> {
        let again: BTreeSet<&TrialKey> =
            blocks.iter().flat_map(|block| &block.trials).map(|trial| &trial.key).collect();
        let failed = self.failed()?;
        let counts = self.plan.trials().map(|trial| &trial.key);
        if let Some(key) =
            counts.filter(|key| again.contains(key)).find(|key| !failed.contains(key))
        {
            return Err(StoreError::NotFailed(key.clone()));
        }
        let (study, changes) = changed.unzip();
        let extension = Extension {
            at: now(),
            weighin_version: version.to_owned(),
            host: host.clone(),
            changes: changes.unwrap_or_default(),
            merged_from: None,
        };
        let number = self.run.extensions.len() as u32 + 1;
        // Extensions without trials count as well, which a plan does not show: whoever planned these
        // blocks may have another number in mind, and its trials would belong to another extension.
        let own = |block: &Block| Block { extension: number, ..block.clone() };
        let blocks: Vec<Block> = blocks.iter().map(own).collect();
        let mut read = None;
        self.write(|connection| {
            extension::insert(connection, number, &extension, study, &blocks)?;
            // What could not be read again is not kept.
            read = Some(run::select(connection)?);
            Ok(())
        })?;
        self.read_anew(read);
        Ok(())
    }

    /// Takes over what was read after a change.
    pub(crate) fn read_anew(&mut self, read: Option<(Study, Plan, RunInfo)>) {
        if let Some((study, plan, run)) = read {
            (self.study, self.plan, self.run) = (study, plan, run);
        }
    }

    /// Adds the next blocks to the plan of a study whose repeats go on until all is resolved, or which
    /// places its levels; all of them are of the same extension. All of them are kept, or none.
    ///
    /// # Errors
    /// When the file cannot be written; as [`Self::resume`] where they do not go with the plan.
    pub fn add_blocks(&mut self, blocks: &[Block]) -> Result<(), StoreError> {
        let Some(block) = blocks.last() else { return Ok(()) };
        let mut read = None;
        self.write(|connection| {
            plan::insert(connection, blocks)?;
            let subject = match block.extension {
                0 => RUN.subject(1),
                number => EXTENSION.subject(number),
            };
            digest::write(connection, subject)?;
            // What could not be read again is not kept.
            read = Some(run::select(connection)?);
            Ok(())
        })?;
        if let Some((study, plan, _)) = read {
            // The levels of a test that places them follow from its plan.
            (self.study, self.plan) = (study, plan);
        }
        Ok(())
    }

    /// The trials that count and whose record is a failure, in the order of the plan. That a server
    /// does not offer something is no failure.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn failed(&self) -> Result<Vec<TrialKey>, StoreError> {
        let _limited = self.limit.begin(&self.reading.budget());
        let failed = trial::failed(&self.connection)
            .map_err(|error| StoreError::from_sqlite(&self.path, Access::Read, error))?;
        let counts = self.plan.trials().filter(|trial| failed.contains(&trial.position));
        Ok(counts.map(|trial| trial.key.clone()).collect())
    }

    /// What targets said of themselves when they were last reached.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn targets(&self) -> Result<Vec<TargetFacts>, StoreError> {
        let budget = &self.reading.budget();
        let _limited = self.limit.begin(budget);
        facts::targets(&self.connection, budget)
            .map_err(|error| StoreError::from_sqlite(&self.path, Access::Read, error))
    }

    /// Whether no trial has a record.
    pub fn is_empty(&self) -> bool {
        self.recorded.is_empty()
    }

    /// Trials that have a record, failed ones included (a failure is a result) unless they are to be
    /// measured anew, in the order of the plan. A store that was opened for reading tells what it
    /// had then.
    pub fn completed(&self) -> Vec<TrialKey> {
        self.plan
            .trials()
            .filter(|trial| self.recorded.contains(&trial.position))
            .map(|trial| trial.key.clone())
            .collect()
    }

    /// Removes the store with all that it holds: one in which nothing was recorded.
    pub fn discard(mut self) {
        let (path, lock) = (self.path.clone(), self.lock.take());
        // Closed before its files are removed; the lock is given back last.
        drop(self);
        if lock.is_some() {
            beside::remove(&path);
        }
    }

    /// The study as it is run.
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// The order in which its trials run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// When the run was begun, and with what.
    pub fn run(&self) -> &RunInfo {
        &self.run
    }

    /// What could not be read of the log of changes beside the store when this was opened, in a
    /// sentence: an earlier state of the run is read than was recorded. It is among the notes as well.
    pub fn log_trouble(&self) -> Option<&str> {
        self.log_trouble.as_ref().map(|note| note.text.as_str())
    }

    /// Where the store is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn write(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        if self.lock.is_none() {
            return Err(StoreError::NotWritable {
                path: self.path.clone(),
                detail: "it was opened for reading".into(),
            });
        }
        let write = || {
            let transaction =
                self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            work(&transaction)?;
            transaction.commit()
        };
        write().map_err(|error| StoreError::from_sqlite(&self.path, Access::Write, error))
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.lock.is_some() {
            // Folds the write-ahead log into the file, which then is complete by itself: it can
            // be copied, and read where nothing can be written. Impossible while somebody reads;
            // the log then stays, which is just as correct.
            let _ = self.connection.busy_timeout(Duration::ZERO);
            let _ = self.connection.pragma_update(None, "journal_mode", "DELETE");
        }
    }
}

fn now() -> UnixMillis {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
}
