//! Servers that run already, and that the study says how to restart: so their tests can start cold.
//!
//! A keeper on the server's machine runs the commands, and runs `start` however weighin or the agent
//! there ends, so that no server stays down.

use super::commands::{LastLines, ask, check_program};
use super::running::Whereabouts;
use super::{Server, ServerKind};
use crate::Diagnostics;
use crate::Hosts;
use crate::TargetHandle;
use crate::cold::check_caches;
use host::{Host, InstanceOrder, KeptInstance};
use model::{
    CacheState, Endpoint, Failure, FailureKind, Place, RestartSpec, RestartWay, Study, Target, Test,
};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may answer after `stop` has ended.
const GONE_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Whether the server of a target can be restarted with empty caches, as a cold test asks.
pub(super) fn check(cold: &Test, target: &Target, hosts: &Hosts) -> Result<(), Failure> {
    let Some(spec) = target.restart() else {
        return Err(Failure::new(
            FailureKind::NotPermitted,
            format!("the test {} starts cold, and weighin may not restart this server", cold.name),
            "say what restarts it, such as restart = { unit = \"mariadb\" } in the target, set \
             cache = \"warm\", or make the target a sandbox",
        ));
    };
    let host = machine(target, hosts.for_target(target).as_ref(), &hosts.load)?;
    check_caches(cold, host.as_ref())?;
    for words in [spec.way.stop(), spec.way.start()] {
        check_program("a restart", &words, host.as_ref())?;
    }
    let RestartWay::Unit(unit) = &spec.way else { return Ok(()) };
    match ask(host.as_ref(), &["systemctl", "is-active", "--", unit])? {
        Some(_) => Ok(()),
        None => Err(Failure::new(
            FailureKind::NotPermitted,
            format!("systemd says that no unit {unit} is active on {}", host.name()),
            "name the unit that the server is: systemctl status PID says which, for its process",
        )),
    }
}

/// Whether a process is in a unit of systemd: the control group that systemd has for the unit is its own,
/// or above it. `groups` are its own, `shown` is what `systemctl show` says of the unit.
fn is_of_unit(groups: &[String], shown: &[String]) -> bool {
    let Some(unit) = shown.iter().find_map(|line| line.strip_prefix("ControlGroup=")) else {
        return false;
    };
    let is_within = |group: &String| {
        group.strip_prefix(unit).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    // The root group, and slices, hold the processes of many units.
    unit.len() > 1 && !unit.ends_with(".slice") && groups.iter().any(is_within)
}

/// The machine on which a server is restarted.
fn machine<'a>(
    target: &Target,
    own: Option<&'a Arc<dyn Host>>,
    load_host: &'a Arc<dyn Host>,
) -> Result<Arc<dyn Host>, Failure> {
    let is_here = match &target.place {
        Place::Server(spec) => match &spec.address.endpoint {
            Endpoint::Tcp { host, .. } => load_host.is_at(host),
            Endpoint::Socket(_) => true,
            Endpoint::NotUp => false,
        },
        _ => false,
    };
    let found = own.or_else(|| is_here.then_some(load_host));
    found.map(Arc::clone).ok_or_else(|| {
        Failure::new(
            FailureKind::NotPermitted,
            format!("weighin does not know on which machine it could restart {}", target.name),
            "add ssh = \"root@HOST\" to the target, as your own ssh reaches the server's machine",
        )
    })
}

/// A keeper of the server's commands.
fn keep(
    host: &dyn Host,
    spec: &RestartSpec,
    variables: Vec<(&'static str, String)>,
) -> Result<Box<dyn KeptInstance>, Failure> {
    host.keep_instance(InstanceOrder {
        up: spec.way.stop(),
        down: spec.way.start(),
        variables: variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        environment: Vec::new(),
        limit: spec.time_limit,
        names: ("stop".to_owned(), "start".to_owned()),
        answers: false,
    })
}

impl<K: ServerKind> Server<K> {
    /// Stops the server, empties the caches of its machine, and starts it again; returns when it
    /// answers.
    pub(super) fn restart_cold(&mut self) -> Result<(), Failure> {
        let name = self.target.as_ref().map_or("the server", |target| &target.name).to_owned();
        let (Some(target), Some(spec)) =
            (&self.target, self.target.as_ref().and_then(Target::restart).cloned())
        else {
            return Err(Failure::new(
                FailureKind::NotPermitted,
                format!("{name} cannot be measured cold: weighin may not restart it"),
                "set cache = \"warm\", or make the target a sandbox",
            ));
        };
        if !self.unit_is_server {
            // One that came up for this trial was not looked at before.
            self.check_unit()?;
        }
        let host = machine(target, self.host.as_ref(), &self.load_host)?;
        let mut kept = keep(host.as_ref(), &spec, self.variables())?;
        let not_restarted = format!("{name} was not restarted");
        let mut said = LastLines::default();
        let stopped = kept.up(&self.stop, &mut |line| said.add(line));
        let stopped = stopped.map_err(|failure| said.explain(&not_restarted, failure));
        let emptied = stopped.and_then(|_| {
            self.wait_until_gone(&name)?;
            host.drop_caches(&self.stop)
        });
        // Whatever became of that, and whoever wants to stop.
        let mut said = LastLines::default();
        let started = kept.down(&mut |line| said.add(line));
        let started = started.map_err(|failure| said.explain(&not_restarted, failure));
        emptied.and(started)?;
        self.wait_until_up(spec.time_limit)
    }

    /// That the unit which the study would have stopped is the server that it measures.
    fn check_unit(&self) -> Result<(), Failure> {
        let Some(target) = &self.target else { return Ok(()) };
        let Some(RestartSpec { way: RestartWay::Unit(unit), trusted: false, .. }) =
            target.restart()
        else {
            return Ok(());
        };
        let host = machine(target, self.host.as_ref(), &self.load_host)?;
        if let Whereabouts::On(_, server) = &self.running.primary {
            let show = ["systemctl", "show", "--property=ControlGroup", "--", unit];
            let shown = ask(host.as_ref(), &show)?.unwrap_or_default();
            if is_of_unit(&server.control_groups, &shown) {
                return Ok(());
            }
        }
        let name = &target.name;
        Err(Failure::new(
            FailureKind::NotPermitted,
            format!(
                "the study would stop the unit {unit} of {}, and it does not show that this is the \
                 server of {name}",
                host.name()
            ),
            "name the unit that the server is (systemctl status PID says which, for its process); or if \
             you know that it may be stopped, write restart = { unit = \"…\", trusted = true }",
        ))
    }

    fn wait_until_gone(&self, name: &str) -> Result<(), Failure> {
        let deadline = Instant::now() + GONE_TIMEOUT;
        while K::connect(self.login()?).is_ok() {
            self.check_stop()?;
            if Instant::now() > deadline {
                return Err(Failure::new(
                    FailureKind::Other,
                    format!("{name} was not restarted: it answers although `stop` has ended"),
                    "see whether `restart` stops the server that the url leads to, and whether \
                     something starts it again by itself",
                ));
            }
            thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    /// Waits until the server answers again.
    pub(super) fn wait_until_up(&self, limit: Duration) -> Result<(), Failure> {
        let deadline = Instant::now() + limit;
        loop {
            self.check_stop()?;
            match K::connect(self.login()?) {
                Ok(_) => return Ok(()),
                Err(failure) if failure.is_stop() || Instant::now() > deadline => {
                    return Err(failure);
                }
                Err(_) => thread::sleep(POLL_INTERVAL),
            }
        }
    }

    fn check_stop(&self) -> Result<(), Failure> {
        if self.stop.is_requested() { Err(Failure::stopped()) } else { Ok(()) }
    }

    /// Whether the server would fill its cache by itself when a cold test has it restarted.
    pub(super) fn check_cold_start(
        &mut self,
        study: &Study,
        found: &mut Diagnostics,
    ) -> Result<(), Failure> {
        let is_cold = study.tests.iter().any(|test| test.cache == CacheState::Cold);
        if !is_cold || self.target.as_ref().and_then(Target::restart).is_none() {
            return Ok(());
        }
        self.connected()?;
        self.check_unit()?;
        self.unit_is_server = true;
        if let Some(setting) = K::cache_memory(self.connected()?.1)? {
            found.warn(
                format!(
                    "the server reads what was in its cache again when it starts ({setting}), so that \
                     trials of cold tests are not cold"
                ),
                format!("set {setting} = OFF in its configuration, and restart it"),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_of_a_unit_by_its_control_group() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let is = |groups: &str, shown: &str| is_of_unit(&lines(groups), &lines(shown));
        let server = "/system.slice/mariadb.service";
        assert!(is(server, "ControlGroup=/system.slice/mariadb.service"));
        assert!(is(
            "/system.slice/redis.service/payload",
            "ControlGroup=/system.slice/redis.service"
        ));
        let older = "/\n/system.slice/mysql.service\n/";
        assert!(is(older, "ControlGroup=/system.slice/mysql.service"));
        for other in [
            "ControlGroup=/system.slice/sshd.service",
            "ControlGroup=/system.slice/mariadb",
            "ControlGroup=/system.slice",
            "ControlGroup=/",
            "ControlGroup=",
            "",
        ] {
            assert!(!is(server, other), "{other}");
        }
        assert!(!is("/", "ControlGroup=/"));
        assert!(!is("", "ControlGroup=/system.slice/mariadb.service"));
    }
}
