//! The machine that weighin itself runs on.

mod advice;
pub mod child;
pub(crate) mod command;
pub(crate) mod groups;
pub(crate) mod instance;
pub mod os;
pub mod processors;
mod running_server;
pub mod sample;
pub mod sandbox;
pub(crate) mod size;
pub mod storage;
mod user_command;
pub mod volume;
pub(crate) mod watch;
pub(crate) mod weighin;

pub use self::command::command;
pub(crate) use self::command::search_path;

use self::instance::LocalInstance;
use self::processors::Processors;
use self::sample::{HostReader, host_facts};
use self::sandbox::{Sandbox, sandbox_directory};
use self::user_command::LocalCommand;
use self::watch::LocalWatch;
use self::weighin::LocalWeighin;
use crate::question::{
    CommandOrder, DiskCounters, Ended, Ends, Finished, HeldVolume, Host, InstanceOrder,
    KeptInstance, PrivateServer, ProcessClue, ProgramOrder, RunningServer, SandboxOptions, Scope,
    Space, UserCommand, Watch, Weighin,
};
use model::{BuiltVolume, Failure, FailureKind, HostFacts, Stop, UnixMillis};
use std::collections::BTreeMap;
use std::io::{self, Read, Seek};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How long a connection may take that is tried.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The machine that weighin itself runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local;

/// The machine that weighin itself runs on, as it is handed on.
pub fn this_machine() -> Arc<dyn Host> {
    Arc::new(Local)
}

impl Host for Local {
    fn name(&self) -> &str {
        "this machine"
    }

    fn facts(&self) -> HostFacts {
        host_facts(Some(&sandbox_directory()))
    }

    fn time(&self) -> UnixMillis {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        UnixMillis(since_epoch.unwrap_or_default().as_millis().try_into().unwrap_or(u64::MAX))
    }

    fn processors(&self) -> u32 {
        engine::cpus_allowed()
    }

    fn is_root(&self) -> bool {
        os::is_root()
    }

    fn disk_counters(&self) -> BTreeMap<String, DiskCounters> {
        HostReader::new().read().disks
    }

    fn watch(&self, scope: &Scope) -> Result<Box<dyn Watch>, Failure> {
        Ok(Box::new(LocalWatch::begin(scope)))
    }

    fn drop_caches(&self, stop: &Stop) -> Result<(), Failure> {
        os::drop_os_caches(stop)
    }

    fn check_caches(&self) -> Result<(), Failure> {
        os::check_os_caches()
    }

    fn space(&self, directory: Option<&Path>) -> Option<Space> {
        let directory = directory.map_or_else(sandbox_directory, Path::to_owned);
        let there = directory.ancestors().find(|path| path.exists())?;
        Some(Space {
            device: there.metadata().ok()?.dev(),
            free: os::free_space(there).ok()?,
            own: 0,
        })
    }

    fn open_files(&self) -> Option<u64> {
        os::open_files()
    }

    fn boot(&self) -> Option<String> {
        sample::boot()
    }

    fn find_program(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            return Some(PathBuf::from(name)).filter(|file| file.is_file());
        }
        let places = search_path(&[]);
        places.into_iter().map(|place| place.join(name)).find(|file| file.is_file())
    }

    fn run(&self, order: &ProgramOrder<'_>, stop: &dyn Fn() -> bool) -> Result<Ended, Failure> {
        let name = order.path.file_name().unwrap_or_default().display();
        let mut command = command(order.path);
        command.args(order.arguments);
        let no_file = |error: io::Error| {
            Failure::new(
                FailureKind::Other,
                format!("there is no file for the results of {name}: {error}"),
                "see whether TMPDIR, or else /tmp, can be written to",
            )
        };
        // It opens the file by way of this process: it has no name that others could exchange, or
        // that could be left behind.
        let result = order.result_option.map(|option| {
            let file = tempfile::tempfile()?;
            let (process, number) = (std::process::id(), file.as_raw_fd());
            command.arg(format!("{option}/proc/{process}/fd/{number}"));
            Ok(file)
        });
        let result = result.transpose().map_err(no_file)?;
        let group = order.processors.map(Processors::hold).transpose()?;
        if let Some(group) = &group {
            command = group.grouped(&command);
        }
        let ended = child::run(&mut command, order.input, order.limit, stop).map_err(|error| {
            Failure::new(
                FailureKind::Other,
                format!("{name} could not be run: {error}"),
                "check the limits on processes and memory",
            )
        })?;
        match (ended, result) {
            (Ended::Finished(finished), Some(mut file)) => {
                let mut bytes = Vec::new();
                file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(no_file)?;
                let result = String::from_utf8_lossy(&bytes).into_owned();
                Ok(Ended::Finished(Finished { result, ..finished }))
            }
            (ended, _) => Ok(ended),
        }
    }

    fn user_command(
        &self,
        order: CommandOrder,
        stop: &Stop,
    ) -> Result<Box<dyn UserCommand>, Failure> {
        Ok(Box::new(LocalCommand::prepare(order, stop)?))
    }

    fn keep_instance(&self, order: InstanceOrder) -> Result<Box<dyn KeptInstance>, Failure> {
        Ok(Box::new(LocalInstance::start(order)?))
    }

    fn start_weighin(&self, command: &str) -> Result<Box<dyn Weighin>, Failure> {
        Ok(Box::new(LocalWeighin::start(command)?))
    }

    fn is_at(&self, host: &str) -> bool {
        match host.parse::<IpAddr>() {
            Ok(ip) => ip.is_loopback() || leads_back(ip).unwrap_or(false),
            Err(_) => host == "localhost" || host == self.facts().hostname,
        }
    }

    fn check_connection(&self, address: SocketAddr) -> Result<(), Failure> {
        let connected = TcpStream::connect_timeout(&address, CONNECT_TIMEOUT);
        connected.map(drop).map_err(|error| {
            Failure::new(
                FailureKind::Unreachable,
                format!("{address} cannot be connected to: {error}"),
                "see whether the server listens on that address, and whether a firewall lets it pass",
            )
        })
    }

    fn hold_processors(&self, count: f64) -> Result<Arc<dyn engine::storage::Processors>, Failure> {
        Ok(Arc::new(Processors::hold(count)?))
    }

    fn running_server(&self, ends: &Ends, clue: &ProcessClue) -> Option<RunningServer> {
        running_server::find(ends, clue)
    }

    fn start_server(&self, options: SandboxOptions) -> Result<Box<dyn PrivateServer>, Failure> {
        Ok(Box::new(Sandbox::start(options)?))
    }

    fn check_networks(&self) -> Result<(), Failure> {
        sandbox::check_networks()
    }

    fn check_built_volume(
        &self,
        volume: &BuiltVolume,
        directory: Option<&Path>,
        bytes: u64,
    ) -> Result<(), Failure> {
        volume::check(volume, directory.unwrap_or(&sandbox_directory()), bytes)
    }

    fn hold_volume(&self, path: &Path, block: u32) -> Result<Box<dyn HeldVolume>, Failure> {
        storage::hold(path, block)
    }

    fn clear_volume(&self, path: &Path, stop: &Stop) -> Result<bool, Failure> {
        storage::clear(path, stop)
    }
}

/// Whether what is sent to an address comes from that address: it is this machine's own. Nothing is sent.
fn leads_back(ip: IpAddr) -> io::Result<bool> {
    let any: IpAddr =
        if ip.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0))?;
    // The port means nothing.
    socket.connect((ip, 9))?;
    Ok(!ip.is_unspecified() && socket.local_addr()?.ip() == ip)
}
