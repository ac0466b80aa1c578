//! Failovers of private servers: weighin takes the primary away and does what an orchestrator would.

use super::{Server, ServerKind, Workloads};
use crate::ProbedServer;
use crate::check_probe;
use crate::group::{Member, Position};
use engine::Stop;
use host::ServerAct;
use model::{FailoverCause, Failure, FailureKind, Study, Task};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How often it is looked whether the primary is there, once it is taken away.
const HEALTH_INTERVAL: Duration = Duration::from_millis(100);
/// How long a connection and a login may take then.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(1);
/// Looks in a row that must fail before a replica is promoted.
const FAILED_LOOKS: u32 = 3;
/// How long one wait for a replica lasts.
const WAIT: Duration = Duration::from_millis(500);
/// How long a replica may take to apply what it has received.
const APPLY_LIMIT: Duration = Duration::from_secs(600);

impl<K: ServerKind> Server<K> {
    /// The primary and its replicas. Accounts of a private server write also where it is read-only;
    /// it gets another for the probe.
    pub(super) fn probed(&self, stop: &Stop) -> Result<Vec<Arc<dyn ProbedServer>>, Failure> {
        let members = std::iter::once(self.login()?).chain(&self.replica_logins);
        let probed = members.map(|login| {
            let login = match self.private {
                Some(_) => K::probe_login(login)?,
                None => login.clone(),
            };
            K::Workloads::probed(login.stopped_by(stop))
        });
        probed.collect()
    }

    /// Looks for what would make the failovers of a study fail from the start.
    pub(super) fn check_failovers(&self, study: &Study) -> Result<(), Failure> {
        let causes = study.tests.iter().filter_map(|test| match &test.task {
            Task::Failover(failover) => Some(&failover.cause),
            _ => None,
        });
        let causes: Vec<&FailoverCause> = causes.collect();
        if causes.is_empty() {
            return Ok(());
        }
        if let (Some(host), true) = (&self.host, causes.contains(&&FailoverCause::Network)) {
            host.check_networks()?;
        }
        check_probe(&self.probed(&self.stop)?, &self.stop)
    }

    /// Brings the primary to where it can be taken away in that way.
    pub(super) fn prepare_loss(&mut self, cause: &FailoverCause) -> Result<(), Failure> {
        let (FailoverCause::Network, Some(private)) = (cause, &mut self.private) else {
            return Ok(());
        };
        self.control = None;
        private.primary.act(ServerAct::MoveApart)?;
        self.has_started()
    }

    /// Takes the primary away, and brings a replica, or the same server, in its place.
    pub(super) fn lose_primary(
        &mut self,
        cause: &FailoverCause,
        step: &mut dyn FnMut(&str),
    ) -> Result<(), Failure> {
        let Some(private) = &mut self.private else {
            return Err(Failure::new(
                FailureKind::NotPermitted,
                format!("a {} is for private servers, and these are not weighin's", cause.name()),
                "let a program of your own do it: command = [\"./switch.sh\"] in the test",
            ));
        };
        // While the primary is there: connecting is no part of its loss.
        let mut replicas: Vec<Box<dyn Member>> =
            self.replica_logins.iter().map(K::member).collect::<Result<_, _>>()?;
        match cause {
            FailoverCause::Kill if replicas.is_empty() => {
                private.primary.act(ServerAct::Kill)?;
                step("server killed");
                private.primary.act(ServerAct::StartAgain)?;
                step("server started again");
                Ok(())
            }
            _ if replicas.is_empty() => Err(Failure::new(
                FailureKind::NotPermitted,
                "a server without replicas has nobody to hand over to",
                "add replicas to the sandbox",
            )),
            FailoverCause::Kill | FailoverCause::Hang | FailoverCause::Network => {
                match cause {
                    FailoverCause::Hang => private.primary.act(ServerAct::Freeze)?,
                    FailoverCause::Network => private.primary.act(ServerAct::CutOff)?,
                    _ => private.primary.act(ServerAct::Kill)?,
                }
                step(match cause {
                    FailoverCause::Hang => "primary hangs",
                    FailoverCause::Network => "primary cut off",
                    _ => "primary killed",
                });
                self.notice_loss()?;
                step("loss noticed");
                for replica in &mut replicas {
                    let received = replica.stop_receiver()?;
                    wait_until_applied(replica.as_mut(), &received, &self.stop)?;
                }
                step(match replicas.len() {
                    1 => "replica has applied what it received",
                    _ => "replicas have applied what they received",
                });
                self.promote_one(&mut replicas, step)
            }
            FailoverCause::Switchover => {
                let mut primary = K::member(self.login()?)?;
                primary.take_no_writes()?;
                step("primary is read-only");
                let written = primary.written()?;
                for replica in &mut replicas {
                    wait_until_applied(replica.as_mut(), &written, &self.stop)?;
                }
                step(match replicas.len() {
                    1 => "replica has applied everything",
                    _ => "replicas have applied everything",
                });
                for replica in &mut replicas {
                    replica.stop_receiver()?;
                }
                self.promote_one(&mut replicas, step)
            }
            FailoverCause::Command(_) => Err(Failure::new(
                FailureKind::Other,
                "a command takes the primary away by itself",
                "this is an error in weighin; please report it",
            )),
        }
    }

    /// Makes that replica the primary that has applied the most, for a write may have been acknowledged
    /// because any of them had it, and has the others follow it.
    fn promote_one(
        &self,
        replicas: &mut [Box<dyn Member>],
        step: &mut dyn FnMut(&str),
    ) -> Result<(), Failure> {
        let chosen = most_advanced(replicas)?;
        replicas[chosen].promote(replicas.len() == 1)?;
        step("replica promoted");
        let Some(private) = self.private.as_ref().filter(|_| replicas.len() > 1) else {
            return Ok(());
        };
        let address = private
            .replicas
            .get(chosen)
            .and_then(|server| server.state().replication_address.clone());
        let Some(address) = address else { return Ok(()) };
        let primary = self.login_to(&address)?;
        for (place, replica) in replicas.iter_mut().enumerate() {
            if place != chosen {
                replica.follow(&primary)?;
            }
        }
        step("the others follow it");
        Ok(())
    }

    /// Waits until the primary has not answered several times in a row: one failure may be an
    /// accident.
    fn notice_loss(&self) -> Result<(), Failure> {
        let primary = K::Workloads::probed(self.login()?.clone())?;
        let mut failed = 0;
        while failed < FAILED_LOOKS {
            if self.stop.is_requested() {
                return Err(Failure::stopped());
            }
            thread::sleep(HEALTH_INTERVAL);
            let answers = primary.connect(HEALTH_TIMEOUT, HEALTH_TIMEOUT, &self.stop).is_ok();
            failed = if answers { 0 } else { failed + 1 };
        }
        Ok(())
    }
}

/// The replica that has applied the most; the first of those that have applied the same.
fn most_advanced(replicas: &mut [Box<dyn Member>]) -> Result<usize, Failure> {
    let applied: Vec<Position> =
        replicas.iter_mut().map(|replica| replica.applied()).collect::<Result<_, _>>()?;
    let mut chosen = 0;
    for place in 1..applied.len() {
        let ahead = replicas[chosen].distance(&applied[chosen], &applied[place]);
        if ahead.is_some_and(|distance| distance.amount() > 0) {
            chosen = place;
        }
    }
    Ok(chosen)
}

fn wait_until_applied(
    replica: &mut dyn Member,
    goal: &Position,
    stop: &Stop,
) -> Result<(), Failure> {
    let deadline = Instant::now() + APPLY_LIMIT;
    while !replica.wait_for(goal, WAIT)? {
        if stop.is_requested() {
            return Err(Failure::stopped());
        }
        if Instant::now() >= deadline {
            return Err(Failure::new(
                FailureKind::Replication,
                format!(
                    "the replica did not apply what it had received within {} s",
                    APPLY_LIMIT.as_secs()
                ),
                "see on the replica what it waits for, such as a lock or a full disk",
            ));
        }
    }
    Ok(())
}
