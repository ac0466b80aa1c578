//! How an agent comes to run on another machine: the user's own `ssh`, and a copy of weighin there.

use super::channel::read_line;
use super::held;
use super::link::{Link, Route, SshProcess};
use super::stderr::Stderr;
use super::wire::{HELLO, check};
use crate::local::child;
use crate::local::command::command;
use crate::question::Ended;
use crate::question::Lines;
use crate::waiting::Waiting;
use model::{Failure, FailureKind, SshHost, Stop};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The word after weighin's name by which a process becomes an agent. The program that reaches
/// machines over SSH must answer to it with [`super::serve`].
pub const AGENT_COMMAND: &str = "agent";
/// This very program, also where its file was replaced meanwhile.
const THIS_PROGRAM: &str = "/proc/self/exe";
/// How long a connection may take, with the copy of weighin where that is not there yet.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
const COPY_TIMEOUT: Duration = Duration::from_secs(600);
/// Bytes that a login shell may print before the agent says hello.
const LONGEST_GREETING: usize = 64 << 10;
/// How long after the hello of an agent the copy may seem not to be written.
const RETURN_TIMEOUT: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// What the machine says before the agent does.
const NEEDED: &str = "weighin-needed ";
const DAMAGED: &str = "weighin-damaged";
const REFUSED: &str = "weighin-refused";
const LACKING: &str = "weighin-lacks-sha256sum";

/// Where copies are, for `/bin/sh`: a directory that is the login's own. Whatever becomes of its path
/// from then on, the script stays in the directory that it has looked at.
const PLACE: &str = r#"d="${XDG_CACHE_HOME:-$HOME/.cache}/weighin"; own() { if [ -L "$d" ]; then return 1; fi; cd "$d" && test -O . && case "$(pwd -P)" in */weighin) : ;; *) return 1 ;; esac; }"#;
/// Starts the copy with that digest, and asks for one of that size where there is none. One line
/// without apostrophes and exclamation marks, which every login shell hands on as it is. What the
/// login shell has printed may not have ended its line. A file of another account, which that one may
/// have open, is no copy whatever its digest. One whose digest was taken is known by its number and its
/// times, which whatever changes it changes: to read it whole takes as long as all else.
const START: &str = r#"echo; umask 077; command -v sha256sum > /dev/null || { echo weighin-lacks-sha256sum; exit 1; }; mkdir -p "$d" || exit 1; own || { echo weighin-refused; exit 1; }; chmod 700 . || exit 1; f=./weighin-DIGEST; k=./.known-DIGEST; is_copy() { if [ -L $f ]; then return 1; fi; [ -f $f ] && test -O $f || return 1; n="$(stat -c "%d %i %s %y %z" $f 2> /dev/null)"; if [ -n "$n" ] && is_known; then return 0; fi; [ "$(sha256sum < $f | cut -c1-64)" = DIGEST ] || return 1; if [ -n "$n" ]; then rm -f $k; echo "$n" > $k; fi; }; is_known() { if [ -L $k ]; then return 1; fi; [ -f $k ] && test -O $k && [ "$(cat $k)" = "$n" ]; }; if is_copy; then :; else echo "weighin-needed $(uname -sm)"; t=./.new-$$; rm -f $t; head -c SIZE > $t && chmod 700 $t && mv -f $t $f || { rm -f $t; exit 1; }; is_copy || { rm -f $f; echo weighin-damaged; exit 1; }; fi; exec $f COMMAND --stdio"#;
/// Removes all copies.
const CLEAN: &str = r#"if [ -e "$d" ] || [ -L "$d" ]; then own || { echo "it is a link or another account has it" >&2; exit 1; }; rm -f ./weighin-* ./.new-* ./.known-* && cd / && rmdir "$d" && echo removed; fi"#;

/// This program, to be copied.
#[derive(Clone, Debug)]
pub(super) struct Program {
    digest: String,
    size: u64,
}

impl Program {
    pub(super) fn own() -> io::Result<Self> {
        Self::read(File::open(THIS_PROGRAM)?)
    }

    #[cfg(test)]
    pub(super) fn from_text(text: &[u8]) -> Self {
        Self::read(text).unwrap_or_else(|_| unreachable!("it is in memory"))
    }

    fn read(mut file: impl Read) -> io::Result<Self> {
        let (mut hash, mut size, mut piece) = (Sha256::new(), 0, vec![0; 1 << 16]);
        loop {
            let count = file.read(&mut piece)?;
            if count == 0 {
                break;
            }
            hash.update(piece.get(..count).unwrap_or_default());
            size += count as u64;
        }
        let digest = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { digest, size })
    }
}

/// `ssh` with a command for the shell there. Nothing of this machine is forwarded, and nothing is
/// asked for; the rest is as the user has configured it.
fn ssh(host: &SshHost, script: &str) -> Command {
    let mut ssh = command("ssh");
    // Where the user's keys are; without them only files are tried.
    for name in ["SSH_AUTH_SOCK", "KRB5CCNAME"] {
        ssh.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    ssh.args(["-T", "-a", "-x"]);
    for option in [
        "BatchMode=yes",
        "ConnectTimeout=10",
        "ClearAllForwardings=yes",
        "PermitLocalCommand=no",
        "RequestTTY=no",
        "RemoteCommand=none",
        "LogLevel=ERROR",
    ] {
        ssh.args(["-o", option]);
    }
    ssh.arg("--").arg(&host.destination).arg(format!("exec /bin/sh -c '{script}'"));
    // A key that interrupts weighin must not end it behind its back.
    ssh.process_group(0);
    ssh
}

/// Where a provisioned machine is reached, while it is there.
#[derive(Clone, Debug, Default)]
pub struct InstanceDestination(Arc<Mutex<Option<String>>>);

impl InstanceDestination {
    /// It has come: `ssh` connects to that.
    pub fn set(&self, destination: String) {
        *held(&self.0) = Some(destination);
    }

    /// It is gone.
    pub fn clear(&self) {
        *held(&self.0) = None;
    }

    /// What `ssh` connects to, while it is there.
    pub fn get(&self) -> Option<String> {
        held(&self.0).clone()
    }
}

/// The way to a machine by `ssh`.
#[derive(Debug)]
pub(super) struct SshRoute {
    pub host: SshHost,
    /// Of a provisioned one, in place of its destination.
    pub provisioned: Option<InstanceDestination>,
    pub program: OnceLock<Program>,
}

impl Route for SshRoute {
    /// Starts the agent, and copies weighin first where it is not there yet. Fails with `Unreachable`
    /// where ssh does not get there, with `NotPermitted` or `Other` where no agent starts.
    fn connect(&self, stop: &Stop) -> Result<Link, Failure> {
        let program = match self.program.get() {
            Some(program) => program,
            None => {
                let own = Program::own().map_err(|error| {
                    Failure::new(
                        FailureKind::Other,
                        format!("weighin cannot read its own program: {error}"),
                        "see whether /proc is mounted",
                    )
                })?;
                self.program.get_or_init(|| own)
            }
        };
        let host = self.host_now()?;
        greet(&host, &mut ssh(&host, &start_script(program)), stop)
    }

    fn remedy(&self) -> &'static str {
        "see whether the machine runs and `ssh` reaches it; the next trial connects again"
    }
}

impl SshRoute {
    fn host_now(&self) -> Result<SshHost, Failure> {
        let Some(provisioned) = &self.provisioned else { return Ok(self.host.clone()) };
        let name = self.host.name.clone();
        match provisioned.get() {
            Some(destination) => Ok(SshHost { name, destination }),
            None => Err(Failure::new(
                FailureKind::NotUp,
                format!("{name} has not been started by its `up` command"),
                "go on with --resume or --retry-failed when it can be brought up",
            )),
        }
    }
}

/// What the shell there is to do to start the agent.
pub(super) fn start_script(program: &Program) -> String {
    let start = START
        .replace("DIGEST", &program.digest)
        .replace("SIZE", &program.size.to_string())
        .replace("COMMAND", AGENT_COMMAND);
    format!("{PLACE}; {start}")
}

/// Starts a process that becomes an agent, and waits until it says hello.
pub(super) fn greet(host: &SshHost, start: &mut Command, stop: &Stop) -> Result<Link, Failure> {
    let unreached = |how: &str| {
        Failure::new(
            FailureKind::Unreachable,
            format!("ssh does not reach {}: {how}", host.name),
            format!("see whether `ssh {}` works without asking for anything", host.destination),
        )
    };
    let child = start.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| unreached(&error.to_string()))?;
    let (orders, answers, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(orders), Some(answers), Some(stderr)) = (orders, answers, stderr) else {
        return Err(unreached("it has no pipes"));
    };
    let stderr = Stderr::read(stderr);
    let (heard, hears) = channel();
    // Ends with the process, which ends when this gives up.
    thread::spawn(move || listen(BufReader::new(answers), &heard));
    let mut orders = Orders::Idle(orders);
    let mut deadline = Instant::now() + CONNECT_TIMEOUT;
    let mut _waiting = Waiting::for_the(format!("ssh to reach {}", host.name));
    let greeted = loop {
        if stop.is_requested() {
            break Err(Failure::stopped());
        }
        if Instant::now() > deadline {
            break Err(unreached("it took too long"));
        }
        match hears.recv_timeout(POLL_INTERVAL) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Greeting::Hello(hello, answers)) => {
                let remedy = "remove the copies of weighin there with weighin hosts --clean STUDY";
                let checked = check(&hello, &host.name, remedy);
                break checked.and_then(|()| Ok((orders.returned(host)?, answers)));
            }
            Ok(Greeting::Line(line)) => {
                if let Some(machine) = line.strip_prefix(NEEDED) {
                    if let Err(failure) = check_kind(host, machine) {
                        break Err(failure);
                    }
                    deadline = Instant::now() + COPY_TIMEOUT;
                    _waiting = Waiting::for_the(format!("weighin to be copied to {}", host.name));
                    orders = match orders {
                        Orders::Idle(orders) => Orders::copying(orders),
                        Orders::Copying(_) => break Err(asks_again(host)),
                    };
                } else if [DAMAGED, REFUSED, LACKING].contains(&line.as_str()) {
                    break Err(not_copied(host, &line));
                }
            }
            Ok(Greeting::End(how)) => break Err(ended(host, how, &stderr)),
            Err(RecvTimeoutError::Disconnected) => {
                break Err(ended(host, String::new(), &stderr));
            }
        }
    };
    match greeted {
        Ok((orders, answers)) => Ok(Link {
            orders: Box::new(orders),
            answers: Lines::Pipe(Box::new(answers)),
            connection: Box::new(SshProcess { child: Mutex::new(child), stderr }),
        }),
        Err(failure) => {
            // It may have ended just now.
            let _ = child.kill();
            let _ = child.wait();
            Err(failure)
        }
    }
}

/// The pipe to ssh.
enum Orders {
    Idle(ChildStdin),
    /// A thread writes this program to it, which takes as long as the machine there wants; it ends
    /// with the pipe.
    Copying(JoinHandle<io::Result<ChildStdin>>),
}

impl Orders {
    fn copying(mut orders: ChildStdin) -> Self {
        Self::Copying(thread::spawn(move || {
            io::copy(&mut File::open(THIS_PROGRAM)?, &mut orders)?;
            orders.flush()?;
            Ok(orders)
        }))
    }

    /// The pipe, once the agent has said hello: it has got all of the copy.
    fn returned(self, host: &SshHost) -> Result<ChildStdin, Failure> {
        let not_written = |error: &str| {
            Failure::new(
                FailureKind::Unreachable,
                format!("weighin could not be copied to {}: {error}", host.name),
                "see whether there is room in ~/.cache of the login there (df ~/.cache)",
            )
        };
        let copying = match self {
            Self::Idle(orders) => return Ok(orders),
            Self::Copying(copying) => copying,
        };
        // It has just got the end, unless it lies.
        let deadline = Instant::now() + RETURN_TIMEOUT;
        while !copying.is_finished() {
            if Instant::now() > deadline {
                return Err(not_written("it did not take all of it"));
            }
            thread::sleep(Duration::from_millis(2));
        }
        match copying.join() {
            Ok(written) => written.map_err(|error| not_written(&error.to_string())),
            Err(_) => Err(not_written("the copy was not made")),
        }
    }
}

/// What comes before the first message.
enum Greeting<R> {
    /// Of the login shell, or of what it runs.
    Line(String),
    Hello(String, R),
    /// Why there is nothing more; empty where it just ended.
    End(String),
}

fn listen<R: BufRead>(mut answers: R, heard: &Sender<Greeting<R>>) {
    let mut left = LONGEST_GREETING;
    loop {
        let said = match read_line(&mut answers, left) {
            Ok(Some(line)) => {
                left = left.saturating_sub(line.len() + 1);
                let line = String::from_utf8_lossy(&line).into_owned();
                match line.strip_prefix(HELLO) {
                    Some(hello) => {
                        // Who waits for it may have given up.
                        let _ = heard.send(Greeting::Hello(hello.to_owned(), answers));
                        return;
                    }
                    None => Greeting::Line(line),
                }
            }
            Ok(None) => Greeting::End(String::new()),
            Err(why) => Greeting::End(why),
        };
        let is_over = matches!(said, Greeting::End(_));
        if heard.send(said).is_err() || is_over {
            return;
        }
    }
}

/// Whether this program runs on a machine that has asked for it.
fn check_kind(host: &SshHost, machine: &str) -> Result<(), Failure> {
    // As `uname -sm` says it there.
    let own = format!("Linux {}", std::env::consts::ARCH);
    if machine.trim() == own {
        return Ok(());
    }
    Err(Failure::new(
        FailureKind::NotPermitted,
        format!("{} is a machine of another kind ({machine}) than this one ({own})", host.name),
        "weighin copies itself there: run it from a machine of the same kind, or leave `ssh` out",
    ))
}

fn asks_again(host: &SshHost) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("{} asks for weighin a second time", host.name),
        format!("see what `ssh {} /bin/sh` starts there", host.destination),
    )
}

fn not_copied(host: &SshHost, why: &str) -> Failure {
    let (what, remedy) = match why {
        REFUSED => (
            "its directory for weighin, ~/.cache/weighin, is a link or another account's",
            "remove it, or log in as the account that it belongs to",
        ),
        LACKING => (
            "there is no program sha256sum, which checks the copy",
            "install it there: it is of GNU coreutils, and of busybox",
        ),
        _ => ("what arrived there is not what was sent", "see whether its disk is full or damaged"),
    };
    Failure::new(
        FailureKind::NotPermitted,
        format!("weighin cannot be copied to {}: {what}", host.name),
        remedy,
    )
}

/// The connection ended before there was an agent.
fn ended(host: &SshHost, how: String, stderr: &Stderr) -> Failure {
    let said = stderr.said().or(Some(how).filter(|how| !how.is_empty()));
    let said = said.unwrap_or_else(|| "the connection ended".to_owned());
    Failure::new(
        FailureKind::Unreachable,
        format!("no agent starts on {}: {said}", host.name),
        format!(
            "see whether `ssh {} true` works without asking for anything; weighin does not start where \
             the C library is older than the one here (build it on such a system), or where ~/.cache \
             may hold no programs (noexec; set XDG_CACHE_HOME there)",
            host.destination
        ),
    )
}

/// Removes the copies of weighin from a machine; whether there were any.
///
/// # Errors
/// Where ssh does not get there, or they cannot be removed; [`Failure::stopped`].
pub(super) fn clean(host: &SshHost, stop: &Stop) -> Result<bool, Failure> {
    let failed = |said: &str| {
        let said = said.trim();
        Failure::new(
            FailureKind::Unreachable,
            format!("the copies of weighin on {} could not be removed: {said}", host.name),
            format!("remove ~/.cache/weighin there by hand: ssh {}", host.destination),
        )
    };
    let ended =
        child::run(&mut ssh(host, &format!("{PLACE}; {CLEAN}")), b"", CONNECT_TIMEOUT, &|| {
            stop.is_requested()
        });
    match ended.map_err(|error| failed(&error.to_string()))? {
        Ended::Finished(done) if done.status.success() => Ok(done.stdout.contains("removed")),
        Ended::Finished(done) => Err(failed(&done.stderr)),
        Ended::TimedOut => Err(failed("it took too long")),
        Ended::Stopped => Err(Failure::stopped()),
    }
}
