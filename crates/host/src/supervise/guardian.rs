//! What ends whatever was started when weighin itself can't any more.

use crate::local::os;
use crate::question::InstanceOrder;
use files::Directory;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write, pipe};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How every script begins, for `/bin/sh`.
const BEGIN: &str = include_str!("begin.sh");
/// What ends a sandbox.
const SANDBOX: &str = include_str!("sandbox.sh");
/// What it is called in lists of processes.
pub(crate) const NAME: &str = "weighin-guardian";
/// Starts the second where no parent is left that it would be a child of, with the same files.
const APART: &str = r#"exec 4<&0; { exec <&4 4<&-; exec /bin/sh -c "$0" "$@"; } &"#;
/// How often whoever waits looks at first, and later on.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long it is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// What is guarded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Charge<'a> {
    /// The directory of a sandbox, with all that runs on it: also what works in its data directory, if the
    /// name of its program begins with one of these.
    Sandbox { directory: &'a Path, prefixes: &'a [&'static str] },
    /// A group of processes, whose number is told.
    Command,
    /// Control groups.
    Groups(&'a [PathBuf]),
    /// The link to a network namespace, by its name here. Its number is told.
    Link(&'a str),
    /// What commands of the user brought up. What runs of them is told.
    Instance(&'a InstanceOrder),
}

impl Charge<'_> {
    fn script(self) -> &'static str {
        match self {
            Self::Sandbox { .. } => SANDBOX,
            Self::Command => include_str!("command.sh"),
            Self::Groups(_) => include_str!("groups.sh"),
            Self::Link(_) => include_str!("link.sh"),
            Self::Instance(_) => include_str!("instance.sh"),
        }
    }

    fn arguments(self) -> Vec<OsString> {
        match self {
            Self::Sandbox { directory, prefixes } => {
                std::iter::once(directory.into()).chain(prefixes.iter().map(Into::into)).collect()
            }
            Self::Command => Vec::new(),
            Self::Link(name) => vec![name.into()],
            Self::Instance(order) => {
                let limit = OsString::from(order.limit.as_secs_f64().to_string());
                std::iter::once(limit).chain(order.down.iter().map(Into::into)).collect()
            }
            Self::Groups(groups) => groups.iter().map(Into::into).collect(),
        }
    }
}

/// Two small processes beside weighin that clean up behind it, however it ends.
///
/// Each waits for the end of a pipe that only weighin can write to. The kernel closes that end when
/// weighin is gone, also after SIGKILL, which no handler sees and no exit code path survives. A
/// child that weighin has forked and that hasn't yet become a server holds a copy of that end,
/// which its exec closes; so when a guardian acts, every server can be seen by its arguments.
/// The server is known by its data directory, whose name is random, and never by a process id
/// alone, which may have passed to another process.
///
/// There are two, so that whoever kills weighin and any of its processes leaves one of them: the second
/// acts where the first was killed. Each has a session of its own, which no signal to a terminal's
/// or a session's processes reaches, and the second has no parent among weighin's processes.
///
/// The parent-death signal of the kernel would not do: it is cleared when the server changes its
/// user, and it fires when the thread that forked ends rather than the process.
#[derive(Debug)]
pub(crate) struct Guardian {
    first: Child,
    /// To the first and the second. Empty only while it is dropped.
    orders: Vec<PipeWriter>,
    /// Ends with both.
    both: PipeReader,
    is_left: bool,
}

impl Guardian {
    /// Watches over something that is about to be made: what is told later says that it is there.
    ///
    /// # Errors
    /// When `/bin/sh` can't be run.
    pub(crate) fn watch(charge: Charge<'_>) -> io::Result<Self> {
        let (both, held) = pipe()?;
        fcntl_setfl(&both, fcntl_getfl(&both)? | OFlags::NONBLOCK)?;
        let (sees_end, lives) = pipe()?;
        let (first_told, tell_first) = pipe()?;
        let (second_told, tell_second) = pipe()?;
        let script = format!("{BEGIN}{}", charge.script());
        let start = |shell: &[&str], role: &str, told: PipeReader, output: Stdio, held| {
            let mut command = crate::local::command::command("/bin/sh");
            command
                .arg("-c")
                .args(shell)
                .args([NAME, role])
                .args(charge.arguments())
                .stdin(told)
                .stdout(output)
                .stderr(Stdio::from(held));
            // The user's commands find what they find otherwise.
            if !matches!(charge, Charge::Instance(_)) {
                command.env("LC_ALL", "C").current_dir("/");
            }
            os::own_session(&mut command);
            command.spawn()
        };
        let also_held = held.try_clone()?;
        start(&[APART, &script], "second", second_told, sees_end.into(), also_held)?.wait()?;
        let first = start(&[&script], "first", first_told, lives.into(), held)?;
        let mut guardian =
            Self { first, orders: vec![tell_first, tell_second], both, is_left: false };
        if let Charge::Instance(order) = charge {
            order.variables.iter().filter_map(export).try_for_each(|line| guardian.tell(&line))?;
        }
        Ok(guardian)
    }

    /// Tells what there is to be guarded.
    ///
    /// # Errors
    /// When nobody is left to be told.
    pub(crate) fn tell(&mut self, what: &str) -> io::Result<()> {
        let told = self.orders.iter_mut().map(|orders| writeln!(orders, "{what}"));
        let told: Vec<io::Result<()>> = told.collect();
        // One of them is enough.
        told.into_iter().reduce(io::Result::or).unwrap_or(Ok(()))
    }

    /// Says which directory a sandbox is: others may make one of that name where it is not yet, or not
    /// any more.
    ///
    /// # Errors
    /// When nobody is left to be told.
    pub(crate) fn say_made(&mut self, directory: &Directory) -> io::Result<()> {
        let (device, number) = directory.facts()?.identity;
        self.tell(&format!("{device}:{number}"))
    }

    /// Lets the guardian do its work.
    pub(crate) fn release(&mut self) {
        self.orders.clear();
    }

    /// The same, and waits for nothing.
    pub(crate) fn leave(mut self) {
        self.is_left = true;
    }

    /// Says that there is nothing to be guarded any more.
    pub(crate) fn dismiss(&mut self) {
        // Whoever is gone does nothing either.
        let _ = self.tell("");
        self.release();
        self.is_done(LONGEST_WAIT);
    }

    /// Whether that is done within so long.
    pub(crate) fn is_done(&mut self, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        let mut pause = FIRST_LOOK;
        loop {
            match self.both.read(&mut [0]) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                _ => return true,
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            thread::sleep(pause.min(left));
            pause = (pause * 2).min(LOOK_EVERY);
        }
    }
}

/// Kills the processes of a sandbox as its guardian would, and leaves the rest to that. They are known by
/// their arguments, or by what the names of their programs begin with.
pub(crate) fn kill_servers(sandbox: &Path, prefixes: &[&str]) {
    let mut command = crate::local::command::command("/bin/sh");
    command.args(["-c", &format!("role=servers\n{SANDBOX}"), NAME]).arg(sandbox).args(prefixes);
    command.env("LC_ALL", "C").current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Where there is no shell, no guardian could be started either.
    let _ = command.status();
}

/// What has a shell set a variable; `None` for a name that it cannot have.
fn export((name, value): &(String, String)) -> Option<String> {
    let is_name = !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let value = value.replace('\'', r"'\''").replace('\n', r#"'"$newline"'"#);
    is_name.then(|| format!("export {name}='{value}'"))
}

impl Drop for Guardian {
    /// Lets the guardian do its work, and waits for it, unless nobody does.
    fn drop(&mut self) {
        self.release();
        if !self.is_left && self.is_done(LONGEST_WAIT) {
            // It fails only when somebody else has waited already.
            let _ = self.first.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use test_support::write_program;

    /// A process that a guardian takes for the server of a directory.
    fn server_of(directory: &Path) -> Child {
        Command::new("sh")
            .args(["-c", "read -r _", "sh"])
            .arg(format!("--datadir={}/data", directory.display()))
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap()
    }

    fn of_sandbox(directory: &Path) -> Charge<'_> {
        Charge::Sandbox { directory, prefixes: &[] }
    }

    fn made(path: &Path) -> Directory {
        std::fs::create_dir_all(path.join("data")).unwrap();
        Directory::open(path).unwrap()
    }

    #[test]
    fn processes_and_directory_go_and_others_stay() {
        let parent = tempfile::tempdir().unwrap();
        let ours = parent.path().join("ours");
        let other = parent.path().join("ours2");
        let mut guardian = Guardian::watch(of_sandbox(&ours)).unwrap();
        guardian.say_made(&made(&ours)).unwrap();
        made(&other);
        let (mut doomed, mut spared) = (server_of(&ours), server_of(&other));
        drop(guardian);
        assert!(!ours.exists() && other.exists());
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(doomed.wait().unwrap().signal(), Some(libc::SIGKILL));
        assert_eq!(spared.try_wait().unwrap(), None);
        os::kill(spared.id()).unwrap();
        spared.wait().unwrap();
    }

    #[test]
    fn an_engine_that_still_makes_a_container_is_waited_for() {
        let parent = tempfile::tempdir().unwrap();
        let ours = parent.path().join("ours");
        let mut guardian = Guardian::watch(of_sandbox(&ours)).unwrap();
        guardian.say_made(&made(&ours)).unwrap();
        // The engine makes a container whatever becomes of its client, which waits for the container's end.
        let script = format!(
            "#!/bin/sh\ncd {}\ncase $1 in\n\
             run) (while ! [ -e asked ]; do sleep 0.01; done; >box) & wait\n\
             while [ -e box ]; do sleep 0.01; done;;\n\
             ps) if [ -e box ]; then echo box; fi; >asked;;\nrm) rm box;;\nesac\n",
            parent.path().display()
        );
        let engine = parent.path().join("engine");
        write_program(&engine, &script);
        let note = format!("{}\nweighin=ours\n", engine.display());
        std::fs::write(ours.join("container"), note).unwrap();
        let mut client = Command::new(&engine)
            .args(["run", "--label=weighin=ours"])
            .arg(format!("--datadir={}/data", ours.display()))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        drop(guardian);
        assert!(!ours.exists());
        assert!(client.wait().unwrap().success());
        assert!(!parent.path().join("box").exists());
    }

    #[test]
    fn an_engine_of_containers_is_asked_before_their_servers_are_killed() {
        let parent = tempfile::tempdir().unwrap();
        let ours = parent.path().join("ours");
        let mut guardian = Guardian::watch(of_sandbox(&ours)).unwrap();
        guardian.say_made(&made(&ours)).unwrap();
        let mut server = server_of(&ours);
        // A process that was killed has no arguments any more.
        let script = format!(
            "#!/bin/sh\ncd {}\ncase $1 in\nps) [ -e removed ] || echo box;;\nkill) \
             grep -qz datadir /proc/{}/cmdline && echo runs >>seen;;\nrm) >removed;;\nesac\n",
            parent.path().display(),
            server.id()
        );
        let engine = parent.path().join("engine");
        write_program(&engine, &script);
        let note = format!("{}\nweighin=ours\n", engine.display());
        std::fs::write(ours.join("container"), note).unwrap();
        drop(guardian);
        assert!(!ours.exists());
        server.wait().unwrap();
        assert_eq!(std::fs::read_to_string(parent.path().join("seen")).unwrap(), "runs\n");
    }

    /// The second of a sandbox's guardians, which has no parent here.
    fn second_of(directory: &Path) -> u32 {
        let directory = directory.to_str().unwrap();
        let all = os::processes_with_argument(directory).into_iter();
        let mut seconds = all.filter(|pid| {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            words.split(|&byte| byte == 0).any(|word| word == b"second")
        });
        seconds.next().unwrap()
    }

    #[test]
    fn whichever_of_the_two_is_killed_the_other_cleans_up() {
        let parent = tempfile::tempdir().unwrap();
        for kills_first in [true, false] {
            let ours = parent.path().join(format!("ours-{kills_first}"));
            let mut guardian = Guardian::watch(of_sandbox(&ours)).unwrap();
            guardian.say_made(&made(&ours)).unwrap();
            let mut doomed = server_of(&ours);
            let victim = if kills_first { guardian.first.id() } else { second_of(&ours) };
            os::kill(victim).unwrap();
            // It does so when weighin has ended, and not before.
            assert!(!guardian.is_done(Duration::from_millis(100)) && ours.exists());
            drop(guardian);
            assert!(!ours.exists());
            doomed.wait().unwrap();
        }
    }

    fn instance(down: &str) -> InstanceOrder {
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        InstanceOrder {
            up: vec!["true".to_owned()],
            down: ["sh", "-c", down].map(str::to_owned).to_vec(),
            variables: vec![variable("WORD", "it's\n $HOME"), variable("A-B", "none")],
            environment: Vec::new(),
            limit: Duration::from_secs_f64(60.5),
            names: ("up".to_owned(), "down".to_owned()),
            answers: true,
        }
    }

    #[test]
    fn down_is_run_where_something_may_be_up_and_only_there() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("marks");
        let order = instance(&format!("printf %s \"$WORD\" >>{}", file.display()));
        let marks = || std::fs::read_to_string(&file).unwrap_or_default();
        for told in [&[][..], &["rests", ""]] {
            let mut guardian = Guardian::watch(Charge::Instance(&order)).unwrap();
            told.iter().for_each(|state| guardian.tell(state).unwrap());
        }
        assert_eq!(marks(), "");
        let mut guardian = Guardian::watch(Charge::Instance(&order)).unwrap();
        // Its variables are in nobody's environment meanwhile.
        let environment = std::fs::read(format!("/proc/{}/environ", guardian.first.id())).unwrap();
        assert!(!String::from_utf8_lossy(&environment).contains("WORD"));
        guardian.tell("rests").unwrap();
        drop(guardian);
        assert_eq!(marks(), "it's\n $HOME");
    }

    #[test]
    fn an_up_that_still_runs_is_ended_before_down() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("marks");
        let script =
            format!("trap 'echo ended >>{}; exit' TERM; echo; sleep 600 & wait", file.display());
        let mut up = Command::new("sh")
            .args(["-c", &script])
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        // It has come to its trap.
        let mut said = [0];
        up.stdout.take().unwrap().read_exact(&mut said).unwrap();
        let group = up.id();
        let ending = thread::spawn(move || up.wait());
        let order = instance(&format!("echo down >>{}", file.display()));
        let mut guardian = Guardian::watch(Charge::Instance(&order)).unwrap();
        guardian.tell(&format!("up {group}")).unwrap();
        drop(guardian);
        ending.join().unwrap().unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "ended\ndown\n");
    }

    #[test]
    fn groups_go_when_they_are_empty() {
        let parent = tempfile::tempdir().unwrap();
        let groups = ["a", "b"].map(|name| parent.path().join(name));
        let guardian = Guardian::watch(Charge::Groups(&groups)).unwrap();
        std::fs::create_dir_all(groups[0].join("member")).unwrap();
        let freed = groups[0].join("member");
        let member = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            std::fs::remove_dir(freed).unwrap();
        });
        drop(guardian);
        member.join().unwrap();
        assert!(groups.iter().all(|group| !group.exists()));
    }

    #[test]
    fn a_directory_that_was_never_made_is_no_trouble() {
        let parent = tempfile::tempdir().unwrap();
        drop(Guardian::watch(of_sandbox(&parent.path().join("never"))).unwrap());
        // Or was made, and nobody could say so any more.
        let empty = parent.path().join("empty");
        let guardian = Guardian::watch(of_sandbox(&empty)).unwrap();
        std::fs::create_dir(&empty).unwrap();
        drop(guardian);
        assert!(!empty.exists());
    }

    /// What another account puts in the place of a sandbox that is gone, or not made yet: it names a
    /// program to be run, and files to be written to.
    fn plant(path: &Path, account: u32) -> PathBuf {
        let parent = path.parent().unwrap();
        let program = parent.join("program");
        std::fs::write(&program, format!("#!/bin/sh\necho run >{}/was-run\n", parent.display()))
            .unwrap();
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        std::fs::create_dir_all(path).unwrap();
        std::fs::write(path.join("container"), format!("{}\nlabel\n", program.display())).unwrap();
        std::os::unix::fs::chown(path, Some(account), Some(account)).unwrap();
        parent.join("was-run")
    }

    #[test]
    fn what_others_put_in_its_place_is_not_believed() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let parent = tempfile::tempdir().unwrap();
        let ours = parent.path().join("ours");
        let stranger = 65_533;

        // Before it is made.
        let guardian = Guardian::watch(of_sandbox(&ours)).unwrap();
        let was_run = plant(&ours, stranger);
        drop(guardian);
        assert!(!was_run.exists() && ours.join("container").exists());
        std::fs::remove_dir_all(&ours).unwrap();

        // After it is gone; and a number may be used again.
        let mut guardian = Guardian::watch(of_sandbox(&ours)).unwrap();
        let directory = made(&ours);
        guardian.say_made(&directory).unwrap();
        let was_run = plant(&ours, stranger);
        drop(guardian);
        assert!(!was_run.exists() && ours.join("container").exists());
        std::fs::remove_dir_all(&ours).unwrap();

        // A link to what is this account's.
        let mut guardian = Guardian::watch(of_sandbox(&ours)).unwrap();
        guardian.say_made(&made(&ours)).unwrap();
        std::fs::remove_dir_all(&ours).unwrap();
        let elsewhere = parent.path().join("elsewhere");
        let was_run = plant(&elsewhere, 0);
        std::os::unix::fs::symlink(&elsewhere, &ours).unwrap();
        drop(guardian);
        assert!(!was_run.exists() && elsewhere.join("container").exists());
    }
}
