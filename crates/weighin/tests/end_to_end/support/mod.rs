//! Weighin in surroundings of its own, and real servers to point it at.

mod by_hand;
mod certificates;
mod confined;
mod control_group;
mod disks;
mod fake;
mod fetched;
mod namespace;
mod proxy;
mod server;
mod serving;
mod started;
mod studies;
mod workplace;

pub use by_hand::{Frozen, adds_up, number, point_selects, prepared, whole};
pub use certificates::{certificates, certificates_for};
pub use confined::{without_io_uring, without_registering};
pub use control_group::{ControlGroup, groups_of, held_back};
pub use disks::{Disk, LoopDevice, file_of};
pub use fake::{fake_server, handshake, mysql_error, packet, silent_after_login};
pub use fetched::{MARIADB, MYSQL, POSTGRESQL, VALKEY, fetched};
pub use namespace::Namespace;
pub use proxy::{Proxy, far_proxy, proxy};
pub use server::{COUNTERS, Server};
pub use serving::{Answer, Serving};
pub use started::Started;
pub use studies::{assert_read_cold, light_study, restarting_study, sandbox_study, server_study};
pub use test_support::shared_directory;
pub use workplace::{Ran, Workplace};

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a test waits for anything before it fails: a study of four servers of MySQL takes minutes
/// beside 23 other tests.
pub const TIMEOUT: Duration = Duration::from_secs(600);

/// How long weighin may take to end when it is told to, on a machine where each of its threads may stand still
/// for ten seconds. What it waits for otherwise takes longer, or gives another exit code.
pub const STOP_LIMIT: Duration = Duration::from_secs(30);

/// Waits until a condition holds.
#[track_caller]
pub fn wait_for(what: &str, condition: impl FnMut() -> bool) {
    assert!(comes_to_hold(condition), "waited in vain for {what}");
}

/// Whether a figure is within a share of another.
pub fn comes_near(figure: f64, other: f64, share: f64) -> bool {
    (figure - other).abs() <= share * other
}

/// Waits for a condition; whether it came to hold in time.
fn comes_to_hold(mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + TIMEOUT;
    while !condition() {
        if Instant::now() >= deadline {
            return false;
        }
        // Many conditions look through all processes of the machine.
        std::thread::sleep(Duration::from_millis(25));
    }
    true
}

/// The command lines of all processes of this machine that mention a text.
pub fn command_lines_with(text: &str) -> Vec<String> {
    processes_with(text).into_iter().map(|(_, line)| line).collect()
}

/// The numbers and command lines of all processes of this machine whose line mentions a text.
pub fn processes_with(text: &str) -> Vec<(u32, String)> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| {
            let pid = process.file_name().to_str()?.parse().ok()?;
            let line = std::fs::read(process.path().join("cmdline")).ok()?;
            Some((pid, String::from_utf8_lossy(&line).replace('\0', " ")))
        })
        .filter(|(_, line)| line.contains(text))
        .collect()
}

/// Says that a test could not be made here, because this machine or this user lacks something.
#[allow(clippy::print_stderr, reason = "a test that passes without a word seems to have been made")]
pub fn not_tested(why: &str) {
    eprintln!("not tested: {why}");
}

/// Runs weighin where shell commands `before` it have changed the file systems for it alone, and
/// commands `after` it may look at what it left there; `None` where this user may not do that.
pub fn with_mounts(
    workplace: &Workplace,
    before: &str,
    arguments: &[&str],
    after: &str,
) -> Option<Ran> {
    let namespace = ["--mount", "--propagation=private"];
    let allowed =
        Command::new("unshare").args(namespace).arg("true").stderr(Stdio::null()).status();
    if !allowed.is_ok_and(|status| status.success()) {
        not_tested("this user may not mount anything");
        return None;
    }
    let script = format!("{before}\ncode=0; \"$0\" \"$@\" || code=$?\n{after}\nexit $code");
    let mut command = workplace.surround(Command::new("unshare"));
    command.args(namespace).args(["sh", "-ec", &script]);
    command.arg(env!("CARGO_BIN_EXE_weighin")).args(arguments);
    command.args(workplace.consent(arguments));
    Some(Ran::of(command))
}

/// Runs another program to its successful end; gives its standard output.
pub fn succeed(program: &str, directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{program} is needed for this test: {error}"));
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}\n{out}\n{err}");
    out
}
