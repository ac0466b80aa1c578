//! What is looked at on servers of every kind before a study runs.

use super::running::Machine;
use super::{CrossCheckTool, Server, ServerKind, Setting, work};
use crate::{Examination, Examined};
use model::{Failure, Place, Task};
use std::sync::Arc;

impl<K: ServerKind> Server<K> {
    /// Looks at limits, and has the kind of server look at the rest.
    pub(super) fn look(&mut self, examination: &mut Examination<'_>) -> Result<Examined, Failure> {
        self.connected()?;
        let own = self.ssh_host().cloned();
        let host = match self.running.shares_files() {
            Some(Machine::LoadHost) => Some(Arc::clone(&self.load_host)),
            Some(Machine::Own) => own.clone(),
            // Paths of a server that was not found there mean nothing.
            None => self.host.clone().filter(|_| own.is_none()),
        };
        if self.running.is_hidden() {
            let machine = own.as_ref().map_or("this machine", |host| host.name());
            let answers = match own {
                None => "something on this machine answers",
                Some(_) => "the server is not found",
            };
            examination.found.note(
                format!(
                    "{answers}{}, and weighin cannot tell which process the server is: no trial says \
                     how much processor time the server or other processes took, nor what its disks \
                     did",
                    if own.is_some() { format!(" on {machine}") } else { String::new() },
                ),
                match own {
                    None => {
                        "run weighin as root or as the server's account, and name the server itself, \
                         not a proxy before it"
                    }
                    Some(_) => {
                        "have ssh log in there as root or as the server's account, and name the server \
                         itself, not a proxy before it"
                    }
                },
            );
        }
        let replicas = self.replica_logins.clone();
        let control = match self.target.as_ref().map(|target| &target.place) {
            Some(Place::Server(spec)) => Some(&spec.control),
            _ => None,
        };
        let setting = Setting {
            host: host.as_deref(),
            is_private: self.private.is_some(),
            is_private_here: self.private.is_some()
                && self.target.as_ref().is_none_or(|target| target.ssh_host().is_none()),
            replicas: &replicas,
            controls_appliers: control
                .is_none_or(|own| own.stop_applier.is_none() || own.start_applier.is_none()),
            needs_appliers: examination
                .study
                .tests
                .iter()
                .any(|test| matches!(test.task, Task::CatchUp(_))),
        };
        examination.found.keep(self.check_failovers(examination.study))?;
        self.check_cold_start(examination.study, examination.found)?;
        let to_check = !self.tools.is_empty();
        let (login, control) = self.connected()?;
        if let Some((message, remedy)) = login.assumed_user() {
            examination.found.note(message, remedy);
        }
        if to_check {
            examination.found.keep(K::Tool::check_login(login, control))?;
        }
        for test in &examination.study.tests {
            let Some((workload, clients)) = test.most_clients() else { continue };
            let Some(work) = examination.found.keep(work::<K>(workload))? else { continue };
            // What runs beside the load has a connection as well.
            let acts = test.interventions().len() + usize::from(!test.is_of_load());
            let limits = K::check_limits(control, work, clients, acts);
            examination.found.keep(limits)?;
        }
        let seen = K::examine(login, control, &setting, examination);
        if let Some((login, _)) = self.through_proxy()? {
            K::examine_proxy(&login, examination)?;
        }
        // Making the data of other targets may take longer than a server lets connections idle.
        self.control = None;
        seen
    }
}
