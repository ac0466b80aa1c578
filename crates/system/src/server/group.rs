//! The members of a target that is a group: how they come to replicate, and when they are made anew.

use super::private::{PrivateServers, endpoint_variables, replica_name};
use super::running::Whereabouts;
use super::{Server, ServerKind};
use crate::group::{Group, Replica};
use crate::login::Login;
use crate::no_replicas;
use engine::Stop;
use model::{CacheState, Failure, FailureKind, Place, ReplicationControl};
use std::sync::Arc;

impl<K: ServerKind> Server<K> {
    /// Brings the server to the state of its caches, with a new connection, and its replicas in step
    /// with it.
    pub(super) fn bring_to(&mut self, cache: CacheState) -> Result<(), Failure> {
        self.control = None;
        if let Some(host) = self.ssh_host() {
            // One that was lost in the last trial is waited for.
            host.reach()?;
        }
        self.prepare_end(|private| private.stops_for(cache));
        match (&mut self.private, &self.host, cache) {
            (Some(private), Some(host), _) => {
                private.bring_to(cache, host.as_ref(), &self.stop)?;
                self.has_started()?;
            }
            (_, _, CacheState::Cold) => self.restart_cold()?,
            (_, _, CacheState::Warm) if !self.replica_logins.is_empty() => {
                let mut group = self.group_of(&self.stop)?;
                group.primary.prepare_heartbeat()?;
                group.bring_in_step(&self.stop)?;
            }
            (_, _, CacheState::Warm) => {}
        }
        self.connected().map(drop)
    }

    /// Servers are up, which may listen elsewhere than before: logs in anew, and has the replicas
    /// replicate.
    pub(super) fn has_started(&mut self) -> Result<(), Failure> {
        if let Some(private) = &self.private {
            let address = &private.primary.state().address;
            let elsewhere = self.target.as_ref().is_some_and(|target| target.ssh_host().is_some());
            let login = match elsewhere {
                true => {
                    // Its password came with its address: nothing of this machine's is sent there.
                    let password = private.primary.state().password.clone().unwrap_or_default();
                    Login::private(K::SYSTEM, address, &password)?.stopped_by(&self.stop)
                }
                false => self.login_to(address)?,
            };
            self.login = Some(login);
            let replicas = private.replica_addresses();
            let replicas = replicas.iter().map(|address| self.login_to(address));
            self.replica_logins = replicas.collect::<Result<_, Failure>>()?;
        }
        if self.replica_logins.is_empty() {
            return Ok(());
        }
        if self.private.is_none() {
            let whereabouts = |login: &Login| -> Result<Whereabouts, Failure> {
                let own = self.ssh_host().map(Arc::as_ref);
                Whereabouts::find::<K>(self.load_host.as_ref(), own, &mut K::connect(login)?)
            };
            self.running.replicas =
                self.replica_logins.iter().map(whereabouts).collect::<Result<_, _>>()?;
        }
        let mut group = self.group_of(&self.stop)?;
        if let Some(address) =
            self.private.as_ref().and_then(|p| p.primary.state().replication_address.clone())
        {
            let primary = self.login_to(&address)?;
            group.replicas.iter_mut().try_for_each(|replica| replica.member.follow(&primary))?;
        }
        group.replicas.iter_mut().try_for_each(Replica::check)?;
        if self.private.is_some() {
            group.primary.prepare_heartbeat()?;
            group.bring_in_step(&self.stop)?;
            group.primary.forget_logs()?;
            return group.replicas.iter_mut().try_for_each(|replica| replica.member.forget_logs());
        }
        group.bring_in_step(&self.stop)
    }

    /// Connections to the primary and to every replica.
    pub(super) fn group_of(&self, stop: &Stop) -> Result<Group, Failure> {
        let name = self.target.as_ref().map_or("", |target| &target.name);
        if self.replica_logins.is_empty() {
            return Err(no_replicas(name));
        }
        let control = match self.target.as_ref().map(|target| &target.place) {
            Some(Place::Server(spec)) => spec.control.clone(),
            _ => ReplicationControl::default(),
        };
        let replica = |(place, login): (usize, &Login)| -> Result<Replica, Failure> {
            Ok(Replica {
                name: replica_name(name, place + 1),
                member: K::member(&login.clone().stopped_by(stop))?,
                control: control.clone(),
                host: Arc::clone(&self.load_host),
                variables: endpoint_variables(login),
                stop: stop.clone(),
            })
        };
        Ok(Group {
            primary: K::member(&self.login()?.clone().stopped_by(stop))?,
            replicas: self
                .replica_logins
                .iter()
                .enumerate()
                .map(replica)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Readies private members that are about to be ended.
    pub(super) fn prepare_end(&self, ends: impl Fn(&PrivateServers) -> bool) {
        if !self.private.as_ref().is_some_and(|private| !private.is_lost() && ends(private)) {
            return;
        }
        // One that cannot be asked is ended all the same.
        let Ok(mut group) = self.group_of(&self.stop) else { return };
        for replica in &mut group.replicas {
            let _ = replica.member.prepare_end();
        }
        let _ = group.primary.prepare_end();
    }

    /// Waits until replicas have what was just written.
    pub(super) fn bring_in_step(&self) -> Result<(), Failure> {
        if self.replica_logins.is_empty() {
            return Ok(());
        }
        self.group_of(&self.stop)?.bring_in_step(&self.stop)
    }

    /// Whether a failure says that private members no longer hold the same.
    pub(super) fn has_diverged(&self, failure: &Failure) -> bool {
        self.is_private_group() && failure.kind == FailureKind::Replication
    }

    pub(super) fn is_private_group(&self) -> bool {
        let group = self.target.as_ref().filter(|target| target.replicas() > 0);
        group.is_some_and(|target| matches!(target.place, Place::Sandbox(_)))
    }

    /// Ends private members that have diverged, or failed over. Others take their places when the next
    /// trial needs them.
    pub(super) fn end_group(&mut self) {
        if self.is_private_group() {
            self.end_private();
            self.diverged = true;
        }
    }

    /// Ends private servers, whose data goes with them.
    pub(super) fn end_private(&mut self) {
        self.control = None;
        self.data_for = None;
        self.login = None;
        self.replica_logins.clear();
        self.private = None;
    }

    /// Makes the members anew after that.
    pub(super) fn make_group_anew(&mut self) -> Result<(), Failure> {
        // All of them end before others take their places.
        self.end_group();
        self.start()?;
        self.diverged = false;
        Ok(())
    }
}
