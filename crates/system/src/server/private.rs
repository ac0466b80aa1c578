//! The private servers of a target: one, or a group.

use crate::SamplingScope;
use crate::login::Login;
use host::{GroupMember, Host, Password, PrivateServer, SandboxOptions, ServerAct, size_in_words};
use model::{
    CacheState, Endpoint, Failure, FailureKind, Place, ProxyProgram, SandboxSpec, ServerAddress,
    Software, Stop, Study, Target,
};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

/// Bytes that are no room for a server to write: it makes its files larger by some MiB at a time.
const HARDLY_ANY: u64 = 16 << 20;
/// As much as a server may want at once: InnoDB's system tablespace grows by 64 MiB.
const AT_ONCE: u64 = 64 << 20;

/// Private servers of a target, which are started, stopped and emptied together.
#[derive(Debug)]
pub(super) struct PrivateServers {
    pub(super) primary: Box<dyn PrivateServer>,
    pub(super) replicas: Vec<Box<dyn PrivateServer>>,
    /// What loads on the primary go through, while they may.
    proxy: Option<Box<dyn PrivateServer>>,
    restart: bool,
    /// They were just made: a restart would change nothing.
    is_new: bool,
}

impl PrivateServers {
    /// Starts all of them, to be reached over their sockets or over loopback. They do not replicate
    /// yet; replicas that are `copies` begin with all that the primary holds, its accounts too.
    pub(super) fn start(
        host: &dyn Host,
        target: &Target,
        spec: &SandboxSpec,
        (over_socket, copies): (bool, bool),
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let replication = spec.replication.as_ref();
        let member =
            |number| replication.map(|group| GroupMember { number, semi_sync: group.semi_sync });
        let primary = SandboxOptions {
            system: target.system,
            proxy: None,
            name: target.name.clone(),
            settings: spec.settings.clone(),
            trusted: spec.trusted,
            directory: spec.directory.clone(),
            software: spec.software.clone(),
            program: spec.program.clone(),
            fits_memory: spec.config.is_some(),
            of_versions: spec
                .config
                .as_ref()
                .map_or_else(Vec::new, |config| config.of_versions.clone()),
            data: spec.data.clone(),
            database: spec.database.clone(),
            volume: spec.volume,
            over_socket,
            temporary_volume: spec.temporary_volume,
            member: member(1),
            password: None,
            listen: listen(target, spec),
            stop: stop.clone(),
        };
        let mut options = primary.clone();
        let mut primary = host.start_server(primary)?;
        let copies = copies && replication.is_some();
        if copies {
            primary.act(ServerAct::Stop)?;
            options.data = Some(primary.state().data.clone());
            options.password = primary.state().password.clone().map(Password::new);
        }
        let replica = |number| {
            host.start_server(SandboxOptions {
                name: replica_name(&target.name, number as usize),
                settings: spec.replica_settings(),
                member: member(number + 1),
                ..options.clone()
            })
        };
        let replicas: Vec<Box<dyn PrivateServer>> =
            (1..=target.replicas() as u32).map(replica).collect::<Result<_, Failure>>()?;
        if copies {
            primary.act(ServerAct::StartAgain)?;
        }
        Ok(Self { primary, replicas, proxy: None, restart: spec.restart, is_new: true })
    }

    /// What loads go through to the primary, which is started where it does not run: how to log in
    /// there, as on the server itself, and its process.
    pub(super) fn proxy(
        &mut self,
        program: ProxyProgram,
        host: &dyn Host,
        target: &Target,
        stop: &Stop,
    ) -> Result<(ServerAddress, Option<u32>), Failure> {
        let server = self.primary.state();
        let proxy = match &self.proxy {
            Some(proxy) => proxy,
            None => self.proxy.insert(host.start_server(SandboxOptions {
                system: target.system,
                proxy: Some((program, on_loopback(&server.address)?)),
                name: format!("{}, {}", target.name, program.name()),
                password: server.password.clone().map(Password::new),
                stop: stop.clone(),
                ..SandboxOptions::default()
            })?),
        };
        let endpoint = proxy.state().address.endpoint.clone();
        let address = ServerAddress { endpoint, ..server.address.clone() };
        Ok((address, Some(proxy.state().pid)))
    }

    fn all(&mut self) -> impl DoubleEndedIterator<Item = &mut Box<dyn PrivateServer>> {
        [&mut self.primary].into_iter().chain(&mut self.replicas)
    }

    /// Whether [`Self::bring_to`] ends those that are up.
    pub(super) fn stops_for(&self, cache: CacheState) -> bool {
        cache == CacheState::Cold || self.restart && !self.is_new
    }

    /// Brings all of them to the state of their caches. They do not replicate then.
    ///
    /// Those that restart between trials are up only while their trials run, so that others cannot
    /// disturb them.
    pub(super) fn bring_to(
        &mut self,
        cache: CacheState,
        host: &dyn Host,
        stop: &Stop,
    ) -> Result<(), Failure> {
        if self.stops_for(cache) {
            self.stop()?;
        }
        self.is_new = false;
        if cache == CacheState::Cold {
            self.all().try_for_each(|server| server.act(ServerAct::ForgetCache))?;
            host.drop_caches(stop)?;
        }
        self.all().try_for_each(|server| server.act(ServerAct::StartAgain))
    }

    /// Whether they went with their machine.
    pub(super) fn is_lost(&self) -> bool {
        self.primary.lost().is_some()
    }

    /// Whether [`Self::release`] ends them.
    pub(super) fn stops_after_trials(&self) -> bool {
        self.restart
    }

    /// Stops those that are up only while their trials run.
    pub(super) fn release(&mut self) -> Result<(), Failure> {
        if self.restart { self.stop() } else { Ok(()) }
    }

    /// Has their data copied while they are down.
    ///
    /// A group's members differ in more than their data: it has none of that.
    pub(super) fn copy(&mut self, act: ServerAct) -> Result<(), Failure> {
        self.stop()?;
        self.is_new = false;
        self.primary.act(act)?;
        self.all().try_for_each(|server| server.act(ServerAct::StartAgain))
    }

    /// The replicas first: they lose no connection then.
    fn stop(&mut self) -> Result<(), Failure> {
        if self.is_lost() {
            return Ok(());
        }
        // It holds connections, and begins anew with the server.
        self.proxy = None;
        self.all().rev().try_for_each(|server| server.act(ServerAct::Stop))
    }

    pub(super) fn replica_addresses(&self) -> Vec<ServerAddress> {
        self.replicas.iter().map(|replica| replica.state().address.clone()).collect()
    }

    pub(super) fn sampling_scope(&self) -> SamplingScope {
        SamplingScope {
            server_pid: Some(self.primary.state().pid),
            replica_pids: self.replicas.iter().map(|replica| replica.state().pid).collect(),
            proxy_pid: None,
            disks: self.primary.state().disks.clone(),
            data_directory: Some(self.primary.state().data.clone()),
        }
    }

    /// Why the first that has ended by itself did so.
    pub(super) fn last_words(&mut self) -> Option<Failure> {
        let of_servers = self.all().find_map(|server| server.last_words());
        of_servers.or_else(|| self.proxy.as_mut()?.last_words())
    }

    /// That there is no room left for the data of the first of them: a server that waits for some
    /// answers nobody, and does not say so either. One that `said_so` may have asked for more at once.
    pub(super) fn full_disk(&mut self, host: &dyn Host, said_so: bool) -> Option<Failure> {
        let too_little = if said_so { AT_ONCE } else { HARDLY_ANY };
        let full = |directory: &Path| {
            let free = host.space(Some(directory))?.free;
            (free < too_little).then(|| {
                let shown = directory.display();
                Failure::new(
                    FailureKind::DiskFull,
                    format!("the disk of its data is full: {} free in {shown}", size_in_words(free)),
                    "free space there, name a larger disk with `directory` in the sandbox or \
                     WEIGHIN_SANDBOX_DIR, or make the load write less; --retry-failed measures anew \
                     what failed",
                )
            })
        };
        self.all().find_map(|server| full(&server.state().data))
    }
}

/// Where a server listens that others on its machine reach over TCP.
fn on_loopback(address: &ServerAddress) -> Result<SocketAddr, Failure> {
    let found = match &address.endpoint {
        Endpoint::Tcp { host, port } => {
            host.parse().ok().map(|host: IpAddr| SocketAddr::new(host, *port))
        }
        Endpoint::Socket(_) | Endpoint::NotUp => None,
    };
    found.ok_or_else(|| {
        Failure::new(
            FailureKind::NotPermitted,
            "a proxy reaches a private server over TCP alone, and this one is on its socket",
            "leave out `proxy`, or run the servers of unpacked distributions: sandbox = { base = ... }",
        )
    })
}

/// Where it listens by wish of the study. One that does has a certificate: so has one on this machine
/// whose loads are to be encrypted.
fn listen(target: &Target, spec: &SandboxSpec) -> Option<IpAddr> {
    let encrypts = target.path.as_ref().and_then(|path| path.tls).unwrap_or(false);
    let by_address = spec.listen.as_ref().and_then(|address| address.parse().ok());
    by_address.or((encrypts && spec.host.is_none()).then_some(Ipv4Addr::LOCALHOST.into()))
}

/// Says of a private server on another machine why it is not reached.
pub(super) fn explain(target: Option<&Target>, failure: Failure) -> Failure {
    let host = target.filter(|target| matches!(target.place, Place::Sandbox(_)));
    let Some(host) = host.and_then(Target::ssh_host) else { return failure };
    let name = &host.name;
    let (why, remedy) = match failure.kind {
        FailureKind::Tls => (
            format!("the private server on {name} has no TLS as weighin takes it"),
            "its password crosses a network over TLS 1.2 (ECDHE) or 1.3 alone: use a newer server, such \
             as MySQL 8.0.16, MariaDB 10.4 or Redis 6 that was built with TLS",
        ),
        FailureKind::Unreachable => (
            format!("the private server on {name} runs, and is not reached from here"),
            "let a firewall pass ports 20000 to 31999, or name the address by which load and lead \
             reach that machine: sandbox = { listen = \"10.0.1.12\" }",
        ),
        _ => return failure,
    };
    Failure::new(failure.kind, format!("{why}: {}", failure.message), remedy)
}

/// What messages call a replica; the first is number 1.
pub(super) fn replica_name(target: &str, number: usize) -> String {
    format!("{target}, replica {number}")
}

/// Whether a private server of the study is in a container, which has a network of its own. The others
/// are then reached in the same way, so that they are compared alike.
pub(super) fn has_container(study: &Study) -> bool {
    study.targets.iter().any(|target| {
        matches!(&target.place, Place::Sandbox(spec)
            if matches!(spec.software, Software::Container(_)))
    })
}

/// Where commands of the user find a server.
pub(super) fn endpoint_variables(login: &Login) -> Vec<(&'static str, String)> {
    match &login.address().endpoint {
        Endpoint::Tcp { host, port } => {
            vec![("WEIGHIN_HOST", host.clone()), ("WEIGHIN_PORT", port.to_string())]
        }
        Endpoint::Socket(path) => vec![("WEIGHIN_SOCKET", path.display().to_string())],
        Endpoint::NotUp => Vec::new(),
    }
}
