//! Commands that connect, and what each must keep to.

use std::fs::File;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// No output may hold it.
pub const PASSWORD: &str = "s3cret-0f-the-suite";
/// How long a command may take until it hears signals.
const BEGINNING: Duration = Duration::from_secs(60);
/// How long a command may go on by itself before it is asked to stop.
const ALONE: Duration = Duration::from_millis(1200);
/// How long it may take to end then: two seconds, on a machine that does twenty other things.
const STOPPING: Duration = Duration::from_secs(25);
/// Most memory that it may ever have had, in KiB.
const MEMORY: u64 = 200 * 1024;

/// A command line; `PORT` in it stands for the server's port.
pub struct Command {
    pub name: &'static str,
    arguments: Vec<String>,
    /// The study that it is given, if any.
    study: Option<String>,
}

fn command(name: &'static str, arguments: &str) -> Command {
    let arguments = arguments.split(' ').map(str::to_owned).collect();
    Command { name, arguments, study: None }
}

fn with_study(name: &'static str, url: &str, test: &str) -> Command {
    let study = format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"liar\"\nurl = \"{url}\"\n\
         password_env = \"SUITE_PASSWORD\"\n[[test]]\n{test}\nclients = [1]\nwarmup = \"0s\"\n\
         duration = \"1s\"\n"
    );
    let arguments = [name, "study.toml", "--allow-secret", "SUITE_PASSWORD"];
    let arguments = arguments.map(str::to_owned).to_vec();
    Command { name, arguments, study: Some(study) }
}

/// Every command that connects to MySQL.
pub fn mysql() -> Vec<Command> {
    let url = "mysql://bench@127.0.0.1:PORT/sbtest";
    let login = "--password-env SUITE_PASSWORD";
    let test = "workload = \"oltp_point_select\"\ntable_size = 10";
    let sysbench = "sysbench oltp_point_select --mysql-host=127.0.0.1 --mysql-port=PORT \
                    --mysql-user=bench --mysql-db=sbtest --tables=1 --table-size=10 --time=1";
    vec![
        command("load", &format!("load {url} {login} --workload oltp_point_select --duration 1s")),
        command("prepare", &format!("prepare {url} {login} --table-size 10")),
        command("cleanup", &format!("cleanup {url} {login}")),
        with_study("check", url, test),
        with_study("run", url, test),
        command("sysbench prepare", &format!("{sysbench} prepare")),
        command("sysbench run", &format!("{sysbench} run")),
        command("sysbench cleanup", &format!("{sysbench} cleanup")),
    ]
}

/// Every command that connects to PostgreSQL.
pub fn postgres() -> Vec<Command> {
    let url = "postgresql://bench@127.0.0.1:PORT/sbtest";
    let login = "--password-env SUITE_PASSWORD";
    let test = "workload = \"oltp_point_select\"\ntable_size = 10";
    vec![
        command("load", &format!("load {url} {login} --workload oltp_point_select --duration 1s")),
        command("prepare", &format!("prepare {url} {login} --table-size 10")),
        command("cleanup", &format!("cleanup {url} {login}")),
        with_study("check", url, test),
        with_study("run", url, test),
    ]
}

/// Every command that connects to Redis.
pub fn redis() -> Vec<Command> {
    let url = "redis://127.0.0.1:PORT";
    let login = "--password-env SUITE_PASSWORD";
    let test = "workload = \"key_value\"\nkeys = 10";
    vec![
        command("load", &format!("load {url} {login} --workload key_value --duration 1s")),
        command("prepare", &format!("prepare {url} {login} --keys 10")),
        command("cleanup", &format!("cleanup {url} {login}")),
        with_study("check", url, test),
        with_study("run", url, test),
    ]
}

/// Runs a command against the server at a port, whose answers may be `well_formed`; what it did that
/// it must not, in words.
pub fn judge(command: &Command, port: u16, well_formed: bool) -> Result<(), String> {
    let place = tempfile::tempdir().unwrap();
    let port = port.to_string();
    let (out, err) = (place.path().join("out"), place.path().join("err"));
    if let Some(study) = &command.study {
        std::fs::write(place.path().join("study.toml"), study.replace("PORT", &port)).unwrap();
    }
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_weighin"))
        .args(command.arguments.iter().map(|argument| argument.replace("PORT", &port)))
        .current_dir(place.path())
        .env("HOME", place.path())
        .env("WEIGHIN_SANDBOX_DIR", place.path())
        .env("SUITE_PASSWORD", PASSWORD)
        .env("WEIGHIN_SYSBENCH_PASSWORD", PASSWORD)
        .stdin(Stdio::null())
        .stdout(File::create(&out).unwrap())
        .stderr(File::create(&err).unwrap())
        .spawn()
        .unwrap();
    let mut most = 0;
    let mut ended = wait(&mut child, ALONE, &mut most);
    let by_itself = ended.is_some();
    if !by_itself {
        // On a busy machine it may not have begun.
        let deadline = Instant::now() + BEGINNING;
        while ended.is_none() && !hears_sigterm(child.id()) && Instant::now() < deadline {
            ended = wait(&mut child, Duration::from_millis(50), &mut most);
        }
    }
    if ended.is_none() {
        let kill = format!("kill -s TERM {}", child.id());
        let _ = std::process::Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
        ended = wait(&mut child, STOPPING, &mut most);
    }
    let Some(status) = ended else {
        child.kill().unwrap();
        child.wait().unwrap();
        return Err(format!("still ran {STOPPING:?} after a SIGTERM"));
    };
    let said = [std::fs::read(&out).unwrap(), std::fs::read(&err).unwrap()].concat();
    let text = String::from_utf8_lossy(&said);
    let first = text.lines().take(4).collect::<Vec<_>>().join(" / ");
    match status.code() {
        Some(1..=3 | 130) => {}
        Some(0) if well_formed => {}
        other => return Err(format!("ended with {other:?} ({status}): {first}")),
    }
    if by_itself && !well_formed && !text.contains(&port) && !text.contains("liar") {
        return Err(format!("the message does not say where: {first}"));
    }
    if most > MEMORY {
        return Err(format!("took {} MiB: {first}", most / 1024));
    }
    if text.contains(PASSWORD) {
        return Err(format!("told the password: {first}"));
    }
    match said.iter().find(|&&byte| byte < b' ' && !b"\n\t\r".contains(&byte) || byte == 0x7F) {
        Some(byte) => Err(format!("printed the control byte {byte:#x}: {first}")),
        None => Ok(()),
    }
}

/// Whether a process has a handler of its own for SIGTERM.
fn hears_sigterm(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Signal 15 is bit 14.
    caught.is_some_and(|mask| mask >> 14 & 1 == 1)
}

/// Waits for the end of a process for so long, and watches how much memory it has had.
fn wait(child: &mut Child, limit: Duration, most: &mut u64) -> Option<std::process::ExitStatus> {
    let deadline = Instant::now() + limit;
    loop {
        *most = (*most).max(peak(child.id()));
        match child.try_wait().unwrap() {
            None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(10)),
            ended => return ended,
        }
    }
}

/// The most memory that a command has had, in KiB; 0 when it is gone, or has not begun: until it
/// runs its own program, a process that was just started shows the memory of the one that started it.
fn peak(pid: u32) -> u64 {
    let program = std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    if program != std::fs::canonicalize(env!("CARGO_BIN_EXE_weighin")).ok() {
        return 0;
    }
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().strip_suffix(" kB")?.trim().parse().ok()).unwrap_or(0)
}
