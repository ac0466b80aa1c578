//! A server process, from its start to its end.

use super::home::Home;
use super::launch::Launch;
use super::trouble::log_trouble;
use crate::os;
use model::{Failure, FailureKind};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may take until it answers; recovery after a kill is part of it.
const START_LIMIT: Duration = Duration::from_secs(180);
/// How long a server may take to write its dirty pages and end.
const STOP_LIMIT: Duration = Duration::from_secs(180);
/// How often conditions that can't be waited for are looked at.
const POLL: Duration = Duration::from_millis(5);
/// How many ports are tried.
const PORT_TRIES: u32 = 8;

/// A server that is running, unless it has ended by itself. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    port: u16,
    name: String,
}

impl Server {
    /// Starts a server and waits until it answers on its socket, which it does when it has carried
    /// out the statements of `init`. Uses the port given, if it can.
    ///
    /// # Errors
    /// With the telling lines of its log when it ends instead, or doesn't answer in time.
    pub(super) fn start(
        launch: &Launch,
        home: &Home,
        port: Option<u16>,
        init: Option<&Path>,
    ) -> Result<Self, Failure> {
        let mut wanted = port;
        for _ in 1..PORT_TRIES {
            match Self::start_once(launch, home, wanted.take(), init) {
                Err(NotUp::PortTaken) => {}
                other => return other.map_err(NotUp::into_failure),
            }
        }
        Self::start_once(launch, home, None, init).map_err(NotUp::into_failure)
    }

    fn start_once(
        launch: &Launch,
        home: &Home,
        port: Option<u16>,
        init: Option<&Path>,
    ) -> Result<Self, NotUp> {
        let not_run = |error: io::Error| {
            let program = launch.programs.server.display();
            NotUp::Failed(log_trouble(&format!("{program} could not be run: {error}"), ""))
        };
        let port = port.map_or_else(super::launch::free_port, Ok).map_err(not_run)?;
        let log_start = home.log().metadata().map_or(0, |facts| facts.len());
        let child = launch.spawn(home, port, init).map_err(not_run)?;
        let mut server = Self { child, port, name: launch.name.clone() };
        let happened = match server.wait_until_ready(&home.socket()) {
            Ok(()) => return Ok(server),
            Err(happened) => happened,
        };
        let log = read_from(&home.log(), log_start);
        if log.contains("Address already in use") {
            return Err(NotUp::PortTaken);
        }
        Err(NotUp::Failed(log_trouble(&happened, &log)))
    }

    /// Waits for the greeting; says what happened when there was none.
    fn wait_until_ready(&mut self, socket: &Path) -> Result<(), String> {
        let deadline = Instant::now() + START_LIMIT;
        let mut stream = None;
        while Instant::now() < deadline {
            match self.child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => {
                    let name = &self.name;
                    return Err(format!(
                        "the server of target \"{name}\" did not start ({status})"
                    ));
                }
                Err(error) => return Err(format!("the server can't be waited for: {error}")),
            }
            match greeted(&mut stream, socket) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(_) => {
                    // Nothing listens yet, or the server closed the connection.
                    stream = None;
                    thread::sleep(POLL);
                }
            }
        }
        let seconds = START_LIMIT.as_secs();
        Err(format!("the server of target \"{}\" did not answer within {seconds} s", self.name))
    }

    /// Process id.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Port on loopback.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Whether it still runs.
    pub(super) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends the server so that it writes everything to its files first. One that has ended already
    /// is no error.
    ///
    /// # Errors
    /// `TimedOut` when it didn't end in time, and was killed.
    pub(super) fn shut_down(mut self) -> Result<(), Failure> {
        let name = self.name.clone();
        let trouble = |error: io::Error| {
            let message = format!("the server of target \"{name}\" could not be ended: {error}");
            Failure::new(FailureKind::Other, message, "")
        };
        if self.child.try_wait().map_err(trouble)?.is_some() {
            return Ok(());
        }
        os::terminate(self.pid()).map_err(trouble)?;
        if self.wait(STOP_LIMIT).map_err(trouble)?.is_some() {
            return Ok(());
        }
        Err(Failure::new(
            FailureKind::TimedOut,
            format!(
                "the server of target \"{name}\" did not shut down within {} s, and was killed",
                STOP_LIMIT.as_secs()
            ),
            "a smaller innodb_buffer_pool_size or innodb_max_dirty_pages_pct leaves less to write",
        ))
    }

    fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let deadline = Instant::now() + limit;
        loop {
            let status = self.child.try_wait()?;
            if status.is_some() || Instant::now() >= deadline {
                return Ok(status);
            }
            thread::sleep(POLL);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only when the server is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why a server isn't up.
enum NotUp {
    PortTaken,
    Failed(Failure),
}

impl NotUp {
    fn into_failure(self) -> Failure {
        match self {
            Self::PortTaken => Failure::new(
                FailureKind::SandboxStart,
                format!("no free loopback port was found in {PORT_TRIES} tries"),
                "end programs that hold many ports",
            ),
            Self::Failed(failure) => failure,
        }
    }
}

/// Whether the server has sent its greeting. The kernel accepts connections before the server
/// does, so one connection is kept open and listened to a little at a time.
///
/// # Errors
/// When nothing listens, or what came is no greeting.
fn greeted(stream: &mut Option<UnixStream>, socket: &Path) -> io::Result<bool> {
    let stream = match stream {
        Some(stream) => stream,
        None => {
            let new = UnixStream::connect(socket)?;
            new.set_read_timeout(Some(Duration::from_millis(50)))?;
            stream.insert(new)
        }
    };
    // Three bytes of length, a sequence number, and the version of the protocol.
    let mut start = [0; 5];
    match stream.read_exact(&mut start) {
        Ok(()) if start[4] == 10 => Ok(true),
        Ok(()) => Err(io::ErrorKind::InvalidData.into()),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}

/// What was appended to a log since it had this length; empty when it can't be read.
fn read_from(log: &Path, start: u64) -> String {
    let mut bytes = Vec::new();
    let read = File::open(log).and_then(|mut file| {
        file.seek(SeekFrom::Start(start))?;
        file.read_to_end(&mut bytes)
    });
    if read.is_err() {
        return String::new();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
