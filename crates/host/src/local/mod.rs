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
use self::processors::{DividedProcessors, Processors};
use self::sample::{HostReader, host_facts};
use self::sandbox::{Sandbox, sandbox_directory};
use self::user_command::LocalCommand;
use self::watch::LocalWatch;
use self::weighin::LocalWeighin;
use crate::question::{
    Answer, AnyQuestion, CheckBuiltVolume, CommandOrder, Ended, Finished, HeldVolume, Host,
    InstanceOrder, KeptInstance, PrivateServer, ProgramOrder, SandboxOptions, Scope, Space,
    UserCommand, Watch, Weighin, reply,
};
use model::{Failure, FailureKind, Stop, UnixMillis};
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

    fn carry(
        &self,
        question: AnyQuestion,
        stop: Option<&Stop>,
    ) -> Result<Box<dyn Answer>, Failure> {
        let never = Stop::default();
        let stop = stop.unwrap_or(&never);
        match &question {
            AnyQuestion::Facts(q) => reply(q, host_facts(Some(&sandbox_directory()))),
            AnyQuestion::ProcessorCount(q) => reply(q, engine::cpus_allowed()),
            AnyQuestion::IsRoot(q) => reply(q, os::is_root()),
            AnyQuestion::OpenFiles(q) => reply(q, os::open_files()),
            AnyQuestion::Boot(q) => reply(q, sample::boot()),
            AnyQuestion::CheckConnection(q) => reply(q, check_connection(q.0)?),
            AnyQuestion::Disks(q) => reply(q, HostReader::new().read().disks),
            AnyQuestion::CheckCaches(q) => reply(q, os::check_os_caches()?),
            AnyQuestion::DropCaches(q) => reply(q, os::drop_os_caches(stop)?),
            AnyQuestion::FreeSpace(q) => reply(q, space(q.0.as_deref())),
            AnyQuestion::FindProgram(q) => reply(q, find_program(&q.0)),
            AnyQuestion::FindServer(q) => reply(q, running_server::find(&q.0, &q.1)),
            AnyQuestion::CheckProcessors(q) => reply(q, processors::check(q.0)?),
            AnyQuestion::CheckBuiltVolume(q) => {
                let CheckBuiltVolume(volume, directory, bytes) = q;
                let directory = directory.clone().unwrap_or_else(sandbox_directory);
                reply(q, volume::check(volume, &directory, *bytes)?)
            }
            AnyQuestion::ClearVolume(q) => reply(q, storage::clear(&q.0, stop)?),
        }
    }

    fn time(&self) -> UnixMillis {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        UnixMillis(since_epoch.unwrap_or_default().as_millis().try_into().unwrap_or(u64::MAX))
    }

    fn watch(&self, scope: &Scope) -> Result<Box<dyn Watch>, Failure> {
        Ok(Box::new(LocalWatch::begin(scope)))
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

    fn hold_processors(&self, count: f64) -> Result<Arc<dyn engine::storage::Processors>, Failure> {
        Ok(Arc::new(Processors::hold(count)?))
    }

    fn divide_processors(&self, count: usize) -> Result<DividedProcessors, Failure> {
        DividedProcessors::hold(count)
    }

    fn start_server(&self, options: SandboxOptions) -> Result<Box<dyn PrivateServer>, Failure> {
        Ok(Box::new(Sandbox::start(options)?))
    }

    fn check_networks(&self) -> Result<(), Failure> {
        sandbox::check_networks()
    }

    fn hold_volume(&self, path: &Path, block: u32) -> Result<Box<dyn HeldVolume>, Failure> {
        storage::hold(path, block)
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

fn check_connection(address: SocketAddr) -> Result<(), Failure> {
    let connected = TcpStream::connect_timeout(&address, CONNECT_TIMEOUT);
    connected.map(drop).map_err(|error| {
        Failure::new(
            FailureKind::Unreachable,
            format!("{address} cannot be connected to: {error}"),
            "see whether the server listens on that address, and whether a firewall lets it pass",
        )
    })
}

fn space(directory: Option<&Path>) -> Option<Space> {
    let directory = directory.map_or_else(sandbox_directory, Path::to_owned);
    let there = directory.ancestors().find(|path| path.exists())?;
    Some(Space { device: there.metadata().ok()?.dev(), free: os::free_space(there).ok()?, own: 0 })
}

fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|file| file.is_file());
    }
    let places = search_path(&[]);
    places.into_iter().map(|place| place.join(name)).find(|file| file.is_file())
}
