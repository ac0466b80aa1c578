//! Data of the user's own: what trials change of it, and how that is undone.

use super::{Server, ServerKind, Work, Workloads};
use crate::Preparing;
use crate::own_data::{self, check_invariants, mark_used};
use host::ServerAct;
use model::{CacheState, DataState, Failure, Restore, StatementAnswer, TableRows};
use std::sync::Arc;

/// What is known of the data that a target holds.
#[derive(Debug)]
pub(super) struct OwnDataRecord<K: ServerKind> {
    /// A load that is undone has run since it was as it was made.
    pub(super) is_changed: bool,
    /// The repeat for which it was last as it was made.
    fresh_in: u32,
    /// The load whose data a private server has a copy of.
    kept_for: Option<Work<K>>,
    /// How many rows each table had when it was made.
    rows: Vec<(String, u64)>,
}

impl<K: ServerKind> Default for OwnDataRecord<K> {
    fn default() -> Self {
        Self { is_changed: false, fresh_in: 0, kept_for: None, rows: Vec::new() }
    }
}

impl<K: ServerKind> Server<K> {
    /// When what a load changes of its data is undone: what weighin did not make, it has a copy of on its
    /// own servers alone.
    pub(super) fn restores(&self, work: &Work<K>) -> Restore {
        match K::Workloads::own(work) {
            Some(own) if !own.change_data => Restore::None,
            Some(own) if self.private.is_none() && own.data.is_kept_as_it_is() => Restore::None,
            Some(own) => own.data.restore,
            None => Restore::None,
        }
    }

    /// Data has been made, or found as it was made.
    pub(super) fn has_made(&mut self, work: &Work<K>, repeat: u32) -> Result<(), Failure> {
        self.own_data.is_changed = false;
        self.own_data.fresh_in = repeat;
        self.own_data.rows = match self.restores(work) {
            Restore::None => self.count_rows(work)?,
            Restore::Trial | Restore::Block => Vec::new(),
        };
        self.keep(work)
    }

    /// How many rows each table of the user's own data has, where loads change it.
    fn count_rows(&mut self, work: &Work<K>) -> Result<Vec<(String, u64)>, Failure> {
        match K::Workloads::own(work).is_some_and(|own| own.change_data) {
            true => own_data::count_rows(&*K::Workloads::database(self.login()?)?),
            false => Ok(Vec::new()),
        }
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
                Ok(())
            }
            _ => {
                self.bring_to(CacheState::Warm)?;
                self.make(work, preparing).map(drop)
            }
        }
    }

    /// A load is about to run on data that is undone: whoever finds it then knows that.
    pub(super) fn begins_use(&mut self, work: &Work<K>, repeat: u32) -> Result<(), Failure> {
        if !self.own_data.is_changed {
            self.own_data.fresh_in = repeat;
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
        let before = std::mem::take(&mut self.own_data.rows);
        let counted = match before.is_empty() {
            true => Ok(Vec::new()),
            false => self.count_rows(work),
        };
        let rows = counted.map(|after| {
            let of = |table: &str| {
                after.iter().find(|(name, _)| name == table).map_or(0, |(_, rows)| *rows)
            };
            let rows = before.iter().map(|(table, before)| TableRows {
                table: table.clone(),
                before: *before,
                after: of(table),
            });
            rows.collect::<Vec<_>>()
        });
        self.own_data.rows = before;
        let state = DataState { checked, broken, rows: rows? };
        Ok((state != DataState::default()).then_some(state))
    }
}
