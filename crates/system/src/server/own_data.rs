//! Data of the user's own: what trials change of it, and how that is undone.

use super::commands::{Once, check_program};
use super::{Server, ServerKind, Work, Workloads};
use crate::own_data::{self, check_invariants, mark_used};
use crate::{Hosts, Prepared, Preparing, TargetHandle};
use host::{Host, ServerAct};
use model::{
    CacheState, DataState, Failure, FailureKind, Restore, StatementAnswer, Study, TableChange,
    TableSize, Target, Transactions,
};
use std::sync::Arc;
use std::time::Instant;

/// Whether the machine of a server has the program that undoes what trials change, where one is to.
pub(super) fn check_undo(study: &Study, target: &Target, hosts: &Hosts) -> Result<(), Failure> {
    let mut own = study.tests.iter().filter_map(|test| test.data()?.transactions());
    match target.undo() {
        Some(undo) if own.any(Transactions::undo_what_is_there) => {
            let host = undo_host(target, hosts.for_target(target).as_ref(), &hosts.load)?;
            host.reach()?;
            check_program("`undo`", &undo.command, host.as_ref())
        }
        _ => Ok(()),
    }
}

/// The machine that the command runs on which undoes what trials change.
fn undo_host(
    target: &Target,
    own: Option<&Arc<dyn Host>>,
    load_host: &Arc<dyn Host>,
) -> Result<Arc<dyn Host>, Failure> {
    match (target.ssh_host(), own) {
        (Some(_), Some(own)) => Ok(Arc::clone(own)),
        (Some(host), None) => Err(Failure::new(
            FailureKind::HostLost,
            format!("{}, on which `undo` is to run, is not reached", host.name),
            "see whether ssh reaches it",
        )),
        (None, _) => Ok(Arc::clone(load_host)),
    }
}

/// What is known of the data that a target holds.
#[derive(Debug)]
pub(super) struct OwnDataRecord<K: ServerKind> {
    /// A load that is undone has run since it was as it was made.
    pub(super) is_changed: bool,
    /// The repeat for which it was last as it was made.
    fresh_in: u32,
    /// The load whose data a private server has a copy of.
    kept_for: Option<Work<K>>,
    /// How large each table that loads change was when it was last looked at, where that is not undone
    /// before every trial.
    tables: Vec<(String, TableSize)>,
}

impl<K: ServerKind> Default for OwnDataRecord<K> {
    fn default() -> Self {
        Self { is_changed: false, fresh_in: 0, kept_for: None, tables: Vec::new() }
    }
}

impl<K: ServerKind> Server<K> {
    /// When what a load changes of its data is undone.
    pub(super) fn restores(&self, work: &Work<K>) -> Restore {
        match K::Workloads::own(work) {
            Some(own) if own.change_data => {
                own.data.restored_where(self.target.as_ref().is_some_and(Target::can_undo))
            }
            _ => Restore::None,
        }
    }

    /// Data has been made, or found as it was made.
    pub(super) fn has_made(&mut self, work: &Work<K>, repeat: u32) -> Result<(), Failure> {
        self.own_data.is_changed = false;
        self.own_data.fresh_in = repeat;
        self.look_at_tables(work)?;
        self.keep(work)
    }

    /// How large the tables are that loads change, where the changes of a trial are there in the next one.
    fn look_at_tables(&mut self, work: &Work<K>) -> Result<(), Failure> {
        let own = K::Workloads::own(work).filter(|own| own.change_data);
        self.own_data.tables = match own.filter(|_| self.restores(work) != Restore::Trial) {
            Some(own) => own_data::table_sizes(&*K::Workloads::database(self.login()?)?, own)?,
            None => Vec::new(),
        };
        Ok(())
    }

    /// What the server answers to the reading statements of the user's own.
    pub(super) fn answers_to(
        &mut self,
        work: &Work<K>,
        seed: u64,
    ) -> Result<Vec<StatementAnswer>, Failure> {
        if K::Workloads::own(work).is_none() {
            return Ok(Vec::new());
        }
        let login = self.login()?;
        let program = Arc::new(K::Workloads::program(login, work)?);
        own_data::answers(&*K::Workloads::database(login)?, &program, seed, login.stop())
    }

    /// Runs the command of the user that undoes what loads change of data which is there already, where the
    /// target has one; it takes the place of the study's scripts.
    pub(super) fn undo_by_command(
        &mut self,
        work: &Work<K>,
        preparing: &Preparing<'_>,
    ) -> Result<Option<Prepared>, Failure> {
        let own = K::Workloads::own(work).filter(|own| own.undo_what_is_there());
        let (Some(own), Some(target)) = (own, &self.target) else { return Ok(None) };
        let Some(undo) = target.undo() else { return Ok(None) };
        if !(own.writes && preparing.may_write) {
            return Err(own_data::may_not_undo());
        }
        let began = Instant::now();
        let what = format!("the data of {} was not restored", target.name);
        let host = undo_host(target, self.host.as_ref(), &self.load_host)?;
        let (words, limit) = (undo.command.clone(), undo.time_limit);
        let command = Once { name: "undo", words, variables: self.variables(), limit };
        // It may replace all that the server has, or restart it.
        self.control = None;
        command.run(host.as_ref(), &what, &self.stop)?;
        self.wait_until_up(limit)?;
        Ok(Some(Prepared { elapsed: began.elapsed(), ..Prepared::nothing() }))
    }

    /// Keeps a copy of what was made, where that is how it is undone.
    fn keep(&mut self, work: &Work<K>) -> Result<(), Failure> {
        if self.restores(work) == Restore::None || !self.replica_logins.is_empty() {
            return Ok(());
        }
        self.control = None;
        let Some(private) = &mut self.private else { return Ok(()) };
        self.own_data.kept_for = None;
        private.copy(ServerAct::KeepData)?;
        self.own_data.kept_for = Some(work.clone());
        self.has_started()?;
        self.connected().map(drop)
    }

    /// Whether what was changed is to be undone before a trial of that repeat.
    pub(super) fn must_restore(&self, work: &Work<K>, repeat: u32) -> bool {
        self.own_data.is_changed
            && match self.restores(work) {
                Restore::Trial => true,
                Restore::Block => self.own_data.fresh_in != repeat,
                Restore::None => false,
            }
    }

    /// Makes the data what it was when it was made.
    pub(super) fn restore(
        &mut self,
        work: &Work<K>,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), Failure> {
        let is_kept =
            self.own_data.kept_for.as_ref().is_some_and(|kept| K::Workloads::same_data(kept, work));
        self.control = None;
        match &mut self.private {
            Some(private) if is_kept => {
                private.copy(ServerAct::RestoreData)?;
                self.has_started()?;
                self.connected()?;
                self.own_data.is_changed = false;
                self.own_data.fresh_in = preparing.repeat;
                self.look_at_tables(work)
            }
            _ => {
                self.bring_to(CacheState::Warm)?;
                self.make(work, preparing).map(drop)
            }
        }
    }

    /// A load is about to run on its data: where that is undone, whoever finds it then knows it. Tables are
    /// looked at again, as others may have written to them, but for a cache that this would fill.
    pub(super) fn begins_use(
        &mut self,
        work: &Work<K>,
        cache: CacheState,
        repeat: u32,
    ) -> Result<(), Failure> {
        if !self.own_data.is_changed {
            self.own_data.fresh_in = repeat;
        }
        if cache == CacheState::Warm {
            self.look_at_tables(work)?;
        }
        match self.restores(work) {
            Restore::None => Ok(()),
            Restore::Trial | Restore::Block => mark_used(&*K::Workloads::database(self.login()?)?),
        }
    }

    pub(super) fn state_of(&mut self, work: &Work<K>) -> Result<Option<DataState>, Failure> {
        let own = K::Workloads::own(work).map(|own| own.data.invariants.as_slice());
        let invariants = own.unwrap_or_default();
        let broken = match invariants {
            [] => Vec::new(),
            invariants => check_invariants(&*K::Workloads::database(self.login()?)?, invariants)?,
        };
        let checked = invariants.len() as u32;
        let before = self.own_data.tables.clone();
        self.look_at_tables(work)?;
        // A table that is there no more has no rows.
        let after = |table: &str| {
            let found = self.own_data.tables.iter().find(|(name, _)| name == table);
            found.map_or(TableSize { is_counted: true, ..TableSize::default() }, |(_, size)| *size)
        };
        let change = |(table, before): (String, TableSize)| {
            let after = after(&table);
            TableChange { table, before, after }
        };
        let tables = before.into_iter().map(change).collect();
        let state = DataState { checked, broken, tables };
        Ok((state != DataState::default()).then_some(state))
    }
}
