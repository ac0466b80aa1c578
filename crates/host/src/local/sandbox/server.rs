//! A server process, from its start to its end.

use super::container::{Container, label};
use super::ending::{Ending, STANDSTILL_LIMIT};
use super::home::Home;
use super::kind::{LogWords, program_prefixes};
use super::recipe::Recipe;
use super::trouble::log_trouble;
use crate::local::os;
use crate::supervise::{Network, kill_servers};
use crate::waiting::Waiting;
use model::{Failure, FailureKind, Stop};
use std::io::{self, Read, Seek, SeekFrom};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may take until it answers; recovery after a kill is part of it.
const START_LIMIT: Duration = Duration::from_secs(180);
/// How long a server may take to write its dirty pages and end.
const STOP_LIMIT: Duration = Duration::from_secs(180);
/// How long a server of several processes may take to end them when that is not to take any time: it kills
/// those that have not ended after 5 s.
const QUIT_LIMIT: Duration = Duration::from_secs(8);
/// How long a server that has closed its connections may take to end.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);
/// How often conditions that can't be waited for are looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How long one question to a server that comes up waits for its answer.
const READ_TIMEOUT: Duration = Duration::from_millis(50);
/// How much of a log is looked at, in bytes: the server, or another process of its account, may write
/// without end.
const LOG_READ: u64 = 1 << 20;
/// How many ports are tried.
const PORT_TRIES: u32 = 8;

/// Where a server listens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// A network of its own, with its own address.
    pub(super) network: Option<&'a Network>,
    /// Otherwise an address of this machine.
    pub(super) listen: IpAddr,
}

impl Place<'_> {
    pub(super) fn address(self) -> IpAddr {
        self.network.map_or(self.listen, |network| network.address().into())
    }
}

/// A server that is running, unless it has ended by itself. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Server {
    /// The server, or the engine's program that runs it in a container.
    child: Child,
    pid: u32,
    container: Option<Contained>,
    port: u16,
    name: String,
    slow_end_remedy: &'static str,
    log_words: &'static LogWords,
    /// Where what it says after it came up begins in the log.
    up_from: u64,
    /// The sandbox of a server that is several processes.
    processes_in: Option<PathBuf>,
    /// The data directory, in which they work.
    data: PathBuf,
}

/// What a server is in.
#[derive(Debug)]
struct Contained {
    container: Container,
    label: String,
    /// Once it is known.
    id: Option<String>,
}

impl Server {
    /// Starts a server and waits until it is ready to serve: there. Uses
    /// the port given, if it can.
    ///
    /// # Errors
    /// With the telling lines of its log when it ends instead, or doesn't answer in time;
    /// [`Failure::stopped`].
    pub(super) fn start(
        recipe: &dyn Recipe,
        home: &Home,
        place: Place<'_>,
        port: Option<u16>,
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let mut wanted = port;
        for _ in 1..PORT_TRIES {
            match Self::start_once(recipe, home, place, wanted.take(), stop) {
                Err(NotUp::PortTaken) => {}
                other => return other.map_err(NotUp::into_failure),
            }
        }
        Self::start_once(recipe, home, place, None, stop).map_err(NotUp::into_failure)
    }

    fn start_once(
        recipe: &dyn Recipe,
        home: &Home,
        place: Place<'_>,
        port: Option<u16>,
        stop: &Stop,
    ) -> Result<Self, NotUp> {
        let words = &recipe.program().distribution.kind().log_words;
        let not_run = |error: io::Error| {
            let program = recipe.program().path.display();
            NotUp::Failed(log_trouble(&format!("{program} could not be run: {error}"), "", words))
        };
        let port = port.map_or_else(|| free_port(place.listen), Ok).map_err(not_run)?;
        let log_start = length(home);
        let child = spawn(recipe, home, place, port).map_err(not_run)?;
        let mut server = Self {
            pid: child.id(),
            container: recipe.program().distribution.container().map(|container| Contained {
                container: container.clone(),
                label: label(home),
                id: None,
            }),
            child,
            port,
            name: recipe.program().target.clone(),
            slow_end_remedy: recipe.slow_end_remedy(),
            log_words: words,
            up_from: log_start,
            processes_in: recipe.has_processes().then(|| home.root().to_owned()),
            data: home.data().canonicalize().unwrap_or_else(|_| home.data()),
        };
        let come_up =
            server.find_process(home).and_then(|()| server.wait_until_ready(recipe, home, stop));
        let happened = match come_up {
            Ok(()) => {
                server.up_from = length(home);
                return Ok(server);
            }
            Err(_) if stop.is_requested() => return Err(NotUp::Failed(Failure::stopped())),
            Err(happened) => happened,
        };
        let log = read_from(home, log_start);
        if log.contains("Address already in use") {
            return Err(NotUp::PortTaken);
        }
        Err(NotUp::Failed(log_trouble(&happened, &log, words)))
    }

    /// Finds the server's own process where it is in a container.
    fn find_process(&mut self, home: &Home) -> Result<(), String> {
        let Some(Contained { container, id: known, .. }) = &mut self.container else {
            return Ok(());
        };
        let child = &mut self.child;
        let process = container.process(home, &mut || matches!(child.try_wait(), Ok(None)));
        let (id, pid) = process.map_err(|why| {
            format!("the container of target \"{}\" did not start: {why}", self.name)
        })?;
        (*known, self.pid) = (Some(id), pid);
        Ok(())
    }

    /// Waits until it serves; says what happened when it does not.
    fn wait_until_ready(
        &mut self,
        recipe: &dyn Recipe,
        home: &Home,
        stop: &Stop,
    ) -> Result<(), String> {
        let deadline = Instant::now() + START_LIMIT;
        let _waiting = self.waiting("to start");
        let mut stream = None;
        while Instant::now() < deadline && !stop.is_requested() {
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
            match is_ready(recipe, home, &mut stream) {
                Ok(true) => return Ok(()),
                Ok(false) => thread::sleep(POLL_INTERVAL),
                Err(_) => {
                    // Nothing listens yet, or the server closed the connection.
                    stream = None;
                    thread::sleep(POLL_INTERVAL);
                }
            }
        }
        let seconds = START_LIMIT.as_secs();
        Err(format!("the server of target \"{}\" did not answer within {seconds} s", self.name))
    }

    /// Process id.
    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Signals its processes in that way, the first one first: it starts no others then.
    pub(super) fn signal(&self, signal: fn(u32) -> io::Result<()>) -> Result<(), Failure> {
        signal(self.pid()).map_err(|error| {
            let name = &self.name;
            let message = format!("the server of target \"{name}\" cannot be signalled: {error}");
            Failure::new(FailureKind::NotPermitted, message, "")
        })?;
        if self.processes_in.is_some() {
            let others = os::processes_working_in(&self.data).into_iter();
            // One that has ended meanwhile need not be told.
            others.filter(|&pid| pid != self.pid()).for_each(|pid| drop(signal(pid)));
        }
        Ok(())
    }

    /// Kills it, as a crash would, and waits for its end.
    pub(super) fn kill(self) {
        if self.processes_in.is_some() && self.container.is_none() {
            // Else the first one, which is asked first when this is dropped, ends the others in order.
            let _ = self.signal(os::kill);
            self.kill_others();
        }
    }

    /// Until the last of several processes is gone: no server starts while one of them still has the memory
    /// that they share.
    fn kill_others(&self) {
        let deadline = Instant::now() + STOP_LIMIT;
        loop {
            let left = os::processes_working_in(&self.data);
            if left.is_empty() || Instant::now() >= deadline {
                return;
            }
            left.into_iter().for_each(|pid| drop(os::kill(pid)));
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Port at its address.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Whether it still runs.
    pub(super) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Why it has ended by itself, with the telling lines of its log; `None` when it still runs
    /// after a moment, which a server that has closed its connections may take to end.
    pub(super) fn last_words(&mut self, home: &Home) -> Option<Failure> {
        let status = self.wait(EXIT_TIMEOUT, &Stop::default()).ok().flatten()?;
        let happened = format!("the server of target \"{}\" has ended ({status})", self.name);
        let log = read_from(home, self.up_from);
        // One that is killed has no say in it.
        if status.signal() == Some(libc::SIGKILL) || log.trim().is_empty() {
            let remedy = "see with dmesg whether the kernel killed it for want of memory";
            return Some(Failure::new(FailureKind::ServerLost, happened, remedy));
        }
        Some(log_trouble(&happened, &log, self.log_words))
    }

    /// Ends the server so that it writes everything to its files first. One that has ended already
    /// is no error.
    ///
    /// # Errors
    /// `TimedOut` when it didn't end in time or hangs, and [`Failure::stopped`]: it was killed then.
    pub(super) fn shut_down(mut self, home: &Home, stop: &Stop) -> Result<(), Failure> {
        let name = self.name.clone();
        let trouble = |error: io::Error| {
            let message = format!("the server of target \"{name}\" could not be ended: {error}");
            Failure::new(FailureKind::Other, message, "")
        };
        if self.child.try_wait().map_err(trouble)?.is_some() {
            return Ok(());
        }
        self.tell_to_end().map_err(trouble)?;
        let waiting = self.waiting("to write its data and end");
        let (mut ending, mut hangs) = (Ending::for_process(self.pid, home), false);
        let ended = self.wait_while(STOP_LIMIT, stop, || {
            hangs = ending.stands_still();
            !hangs
        });
        if ended.map_err(trouble)?.is_some() {
            return Ok(());
        }
        drop(waiting);
        if stop.is_requested() {
            return Err(Failure::stopped());
        }
        if hangs {
            let seconds = STANDSTILL_LIMIT.as_secs();
            return Err(Failure::new(
                FailureKind::TimedOut,
                format!(
                    "the server of target \"{name}\" was asked to end, wrote nothing and ended nothing for \
                     {seconds} s, and was killed"
                ),
                "it hangs: see in its log what it waited for, and whether somebody stopped it (SIGSTOP)",
            ));
        }
        Err(Failure::new(
            FailureKind::TimedOut,
            format!(
                "the server of target \"{name}\" did not shut down within {} s, and was killed",
                STOP_LIMIT.as_secs()
            ),
            self.slow_end_remedy,
        ))
    }

    fn tell_to_end(&self) -> io::Result<()> {
        match self.processes_in {
            Some(_) => os::interrupt(self.pid),
            None => os::terminate(self.pid),
        }
    }

    /// Ends a server of several processes at once: the first one ends the others. Where it does not, or
    /// cannot, all of them are killed.
    fn end_processes(&mut self, sandbox: &Path) {
        if os::quit(self.pid).is_ok()
            && matches!(self.wait(QUIT_LIMIT, &Stop::default()), Ok(Some(_)))
        {
            return;
        }
        kill_servers(sandbox, program_prefixes());
    }

    /// Tells for what it is waited for, where that takes long.
    fn waiting(&self, what: &str) -> Waiting {
        Waiting::for_the(format!(
            "the server of target \"{}\" (process {}) {what}",
            self.name, self.pid
        ))
    }

    fn wait(&mut self, limit: Duration, stop: &Stop) -> io::Result<Option<ExitStatus>> {
        self.wait_while(limit, stop, || true)
    }

    /// The same as long as that holds.
    fn wait_while(
        &mut self,
        limit: Duration,
        stop: &Stop,
        mut goes_on: impl FnMut() -> bool,
    ) -> io::Result<Option<ExitStatus>> {
        let deadline = Instant::now() + limit;
        loop {
            let status = self.child.try_wait()?;
            let is_over = Instant::now() >= deadline || stop.is_requested();
            if status.is_some() || is_over || !goes_on() {
                return Ok(status);
            }
            thread::sleep(POLL_INTERVAL);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _waiting = self.waiting("to end, which was killed");
        // These fail only when the server is gone already.
        if let Some(Contained { container, label, id }) = &self.container
            && matches!(self.child.try_wait(), Ok(None))
        {
            // Then the engine ends by itself, and removes the container.
            match id {
                Some(id) if container.kill(id).is_err() => drop(os::kill(self.pid)),
                Some(_) => {}
                None => {
                    let child = &mut self.child;
                    container.end(label, &mut || matches!(child.try_wait(), Ok(None)));
                }
            }
            let _ = self.wait(EXIT_TIMEOUT, &Stop::default());
        } else if let Some(sandbox) = self.processes_in.take() {
            self.end_processes(&sandbox);
        }
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
                format!("no free port was found in {PORT_TRIES} tries"),
                "end programs that hold many ports",
            ),
            Self::Failed(failure) => failure,
        }
    }
}

/// Starts the process, which is then on its way up.
fn spawn(recipe: &dyn Recipe, home: &Home, place: Place<'_>, port: u16) -> io::Result<Child> {
    let log = home.open_log()?;
    let network = place.network;
    let mut command = recipe.command(home, SocketAddr::new(place.address(), port));
    let run_as = recipe.program().run_as();
    if let Some(network) = network {
        command = network.around(&command, |nsenter| run_as.apply_by_options(nsenter));
    }
    match home.volume() {
        Some(volume) => command = volume.grouped(command)?,
        None => drop(command.stdin(Stdio::null())),
    }
    // An engine runs as weighin does, and the server in its container as it is told.
    if network.is_none() && recipe.program().distribution.container().is_none() {
        run_as.apply(&mut command);
    }
    command
        // By this the guardian knows servers that rewrite their arguments.
        .current_dir(home.data())
        .stdout(log.try_clone()?)
        .stderr(log)
        // A group of its own: Ctrl-C in a terminal is for weighin, which ends the server then.
        .process_group(0)
        .spawn()
}

/// A port that is free now at an address of this machine. Another process may take it before the server does.
///
/// It lies below the ports that Linux gives to outgoing connections (from 32768 on, unless
/// configured otherwise): there, a thousand clients that reconnect while the server restarts could
/// take its port, or one could even be connected to itself.
///
/// # Errors
/// When no port can be had.
fn free_port(address: IpAddr) -> io::Result<u16> {
    const FIRST: u16 = 20_000;
    const COUNT: u16 = 12_000;
    let random = u16::from_str_radix(&os::random_hex(2)?, 16).unwrap_or_default();
    let free = |port: &u16| TcpListener::bind((address, *port)).is_ok();
    (0..COUNT)
        .map(|step| FIRST + (random % COUNT + step) % COUNT)
        .find(free)
        .ok_or_else(|| io::ErrorKind::AddrInUse.into())
}

/// Asks over a connection that is made where there is none yet.
fn is_ready(recipe: &dyn Recipe, home: &Home, stream: &mut Option<UnixStream>) -> io::Result<bool> {
    let stream = match stream {
        Some(stream) => stream,
        None => {
            let new = UnixStream::connect(home.socket())?;
            new.set_read_timeout(Some(READ_TIMEOUT))?;
            stream.insert(new)
        }
    };
    recipe.is_ready(stream, home)
}

/// How long the log is by now.
fn length(home: &Home) -> u64 {
    home.read_log().and_then(|log| log.metadata()).map_or(0, |facts| facts.len())
}

/// What was appended to the log since it had this length, no more than [`LOG_READ`] of its end;
/// empty when it can't be read.
fn read_from(home: &Home, start: u64) -> String {
    let mut bytes = Vec::new();
    let read = home.read_log().and_then(|mut log| {
        let end = log.metadata()?.len();
        log.seek(SeekFrom::Start(start.max(end.saturating_sub(LOG_READ))))?;
        log.take(LOG_READ).read_to_end(&mut bytes)
    });
    if read.is_err() {
        return String::new();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use test_support::write_program;

    fn server(child: Child) -> Server {
        Server {
            pid: child.id(),
            child,
            container: None,
            port: 0,
            name: "a".to_owned(),
            slow_end_remedy: "",
            log_words: &LogWords { disk_full: &[], unknown_setting: &[], error: &[] },
            up_from: 0,
            processes_in: None,
            data: PathBuf::new(),
        }
    }

    /// What a process that was asked to end, and does not, is told; and how long that took.
    fn ended(command: &mut Command, prepare: impl Fn(u32)) -> (Failure, Duration) {
        let parent = tempfile::tempdir().unwrap();
        let home = Home::make(parent.path(), None, None).unwrap();
        let server = server(command.spawn().unwrap());
        let pid = server.pid;
        prepare(pid);
        let began = Instant::now();
        let failure = server.shut_down(&home, &Stop::default()).unwrap_err();
        assert!(!Path::new(&format!("/proc/{pid}/stat")).exists());
        (failure, began.elapsed())
    }

    fn is_killed_soon((failure, waited): (Failure, Duration)) {
        assert!(failure.message.contains("for 12 s, and was killed"), "{failure:?}");
        assert!(waited < STOP_LIMIT / 2, "{waited:?}");
    }

    #[test]
    fn the_engine_is_asked_before_a_process_in_a_container_is_killed() {
        let directory = tempfile::tempdir().unwrap();
        let asked = directory.path().join("asked");
        let killed = |does: &str| {
            let child = Command::new("sleep").arg("1000").spawn().unwrap();
            let pid = child.id();
            let engine = directory.path().join("docker");
            let script = format!("#!/bin/sh\necho \"$@\" >{}\n{does} {pid}\n", asked.display());
            write_program(&engine, &script);
            let container = Container::made_up(&engine);
            let mut server = server(child);
            let id = Some("c0ffee".to_owned());
            server.container = Some(Contained { container, label: String::new(), id });
            drop(server);
            assert!(!Path::new(&format!("/proc/{pid}/stat")).exists());
            assert_eq!(std::fs::read_to_string(&asked).unwrap(), "kill --signal KILL c0ffee\n");
        };
        killed("kill -KILL");
        // An engine that fails leaves it to weighin.
        killed("false");
    }

    #[test]
    fn a_container_that_is_still_being_made_is_waited_for_and_removed() {
        let directory = tempfile::tempdir().unwrap();
        let engine = directory.path().join("docker");
        // It makes the container after it was asked for the first time; its client waits for the end of that.
        let script = format!(
            "#!/bin/sh\ncd {}\ncase $1 in\n\
             ps) if [ -e asked ]; then echo box; >box; fi; >asked;;\n\
             rm) echo \"$@\" >removed;;\nesac\n",
            directory.path().display()
        );
        write_program(&engine, &script);
        let mut client = Command::new("sh");
        client.args(["-c", "until [ -e removed ]; do sleep 0.01; done; >ended"]);
        let mut server = server(client.current_dir(&directory).spawn().unwrap());
        let (container, label) = (Container::made_up(&engine), "weighin=ours".to_owned());
        server.container = Some(Contained { container, label, id: None });
        drop(server);
        assert!(directory.path().join("ended").exists());
        let removed = std::fs::read_to_string(directory.path().join("removed")).unwrap();
        assert_eq!(removed.lines().next(), Some("rm --force --volumes box"));
    }

    /// A process that stands still has neither time nor a say: nobody waits three minutes for it.
    #[test]
    fn a_server_that_does_nothing_is_killed_soon() {
        is_killed_soon(ended(Command::new("sleep").arg("1000"), |pid| {
            os::freeze(pid).unwrap();
            // Signals that wait together are taken in the order of their numbers.
            let stat = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
            while !stat().contains(") T ") {
                thread::sleep(POLL_INTERVAL);
            }
        }));
    }

    #[test]
    fn a_server_that_ignores_the_end_and_uses_a_processor_is_killed_soon() {
        let script = "trap '' TERM; while :; do :; done";
        is_killed_soon(ended(Command::new("sh").args(["-c", script]), |pid| {
            // SigIgn is a mask of signals; SIGTERM is the fifteenth.
            let status = || std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
            let ignores = |text: String| {
                let mask = text.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
                u64::from_str_radix(mask.trim(), 16).unwrap() & (1 << 14) != 0
            };
            while !ignores(status()) {
                thread::sleep(POLL_INTERVAL);
            }
        }));
    }
}
