//! Private servers in containers, run by the podman or docker of this machine.
//!
//! A container sees its image, no network but a loopback of its own, and the sandbox's directory
//! under the same path as outside. So the server has the same arguments as any other, its socket is
//! where others have theirs, and the guardian finds the process by its arguments.
//!
//! Some programs refuse to run as a user whom no account list names, as initdb does. Podman adds the user to
//! the image's list. Docker does not: its containers get a list of their own, with this user and root.

use super::account::RunAs;
use super::home::Home;
use crate::local::command::search_path;
use crate::local::{child, os};
use model::{Failure, FailureKind};
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What runs containers, in this order.
const ENGINES: [&str; 2] = ["podman", "docker"];
/// How long an engine may take until it knows the process of a container that it is starting.
const PROCESS_LIMIT: Duration = Duration::from_secs(60);
/// How long a program in a container of its own may take to answer a question about itself. Engines make and
/// remove that container, one at a time, and none while an image is being stored: that takes longer than the
/// program.
const QUESTION_LIMIT: Duration = Duration::from_secs(180);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// An image that is on this machine, and what runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Container {
    engine: PathBuf,
    /// As the study has it.
    pub(super) image: String,
    /// By this it is run, whatever its name comes to mean.
    pub(super) id: String,
}

impl Container {
    /// One that nothing is behind but that engine.
    #[cfg(test)]
    pub(super) fn made_up(engine: &Path) -> Self {
        Self { engine: engine.to_owned(), image: String::new(), id: String::new() }
    }

    /// Finds the image. Nothing is fetched from elsewhere.
    ///
    /// # Errors
    /// `MissingProgram` where there is no engine, or none that has the image.
    pub(super) fn find(image: &str) -> Result<Self, Failure> {
        let places = search_path(&["/usr/bin", "/usr/local/bin"]);
        let engines: Vec<PathBuf> = ENGINES
            .iter()
            .filter_map(|name| {
                places.iter().map(|place| place.join(name)).find(|program| program.is_file())
            })
            .collect();
        let mut said = Vec::new();
        for engine in &engines {
            match ask(engine, &["image", "inspect", "--format", "{{.Id}}", image]) {
                Ok(id) => return Ok(Self { engine: engine.clone(), image: image.to_owned(), id }),
                Err(why) => said.push(format!("{}: {why}", engine.display())),
            }
        }
        let (message, remedy) = match engines.first() {
            None => (
                "neither podman nor docker is installed, and the study names a container"
                    .to_owned(),
                "install one of them, such as the Debian package podman".to_owned(),
            ),
            Some(engine) => (
                format!("the image {image} is not on this machine: {}", said.join("; ")),
                format!(
                    "fetch it, as weighin fetches nothing by itself: {} pull {image}",
                    engine.file_name().unwrap_or_default().display()
                ),
            ),
        };
        Err(Failure::new(FailureKind::MissingProgram, message, remedy))
    }

    /// A command that runs a program of the image in a container with a home, which is gone when that
    /// ends. Arguments that are added are the program's.
    pub(super) fn command(&self, program: &Path, run_as: &RunAs, home: &Home) -> Command {
        let option = |name: &str, path: &Path| {
            let mut option = OsString::from(name);
            option.push(path);
            option
        };
        let volume = |path: &Path, within: &Path| {
            let mut volume = option("--volume=", path);
            volume.push(":");
            volume.push(within);
            volume
        };
        let mut options = vec![
            // Or whoever is told something by its standard input would hear nothing.
            "--interactive".into(),
            volume(home.root(), home.root()),
            option("--workdir=", &home.data()),
            option("--env=TMPDIR=", &home.temporary()),
            format!("--label={}", label(home)).into(),
        ];
        if !self.is_podman() {
            options.push(volume(&home.account_list(), Path::new("/etc/passwd:ro")));
        }
        self.run(program, run_as, &options)
    }

    /// What a program of the image answers to arguments that are a question. The container goes, however
    /// that ends.
    ///
    /// # Errors
    /// When it can't be run, or says nothing for half a minute.
    pub(super) fn answer(
        &self,
        program: &Path,
        run_as: &RunAs,
        arguments: &[&str],
    ) -> io::Result<Output> {
        let name = format!("weighin-question-{}", os::random_hex(6)?);
        let mut command = self.run(program, run_as, &[format!("--name={name}").into()]);
        let answer = child::ask_within(command.args(arguments), QUESTION_LIMIT);
        if answer.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::TimedOut) {
            // The engine's client was killed, and the container may come to be only now.
            let deadline = Instant::now() + PROCESS_LIMIT;
            while self.remove(&name).is_err() && Instant::now() < deadline {
                thread::sleep(POLL_INTERVAL);
            }
        }
        answer
    }

    fn run(&self, program: &Path, run_as: &RunAs, options: &[OsString]) -> Command {
        let mut command = crate::local::command::command(&self.engine);
        command
            .args(["run", "--rm", "--pull=never", "--network=none", "--log-driver=none"])
            .args(["--cap-drop=ALL", "--security-opt=no-new-privileges"])
            // Where SELinux would have the files relabelled, which are no container's for long.
            .arg("--security-opt=label=disable")
            .arg(format!("--user={}", run_as.numbers()))
            .args(
                os::process_limits()
                    .map(|(name, limit)| format!("--ulimit={name}={limit}:{limit}")),
            );
        if self.is_podman() && !os::is_root() {
            command.arg("--userns=keep-id");
        }
        let mut entry = OsString::from("--entrypoint=");
        entry.push(program);
        command.stdin(Stdio::null()).args(options).arg(entry).arg(&self.id);
        command
    }

    /// Writes down in a home what the guardian needs to end its containers, and what these need.
    ///
    /// # Errors
    /// When a file can't be made.
    pub(super) fn furnish(&self, home: &Home, run_as: &RunAs) -> io::Result<()> {
        home.write_container(&format!("{}\n{}\n", self.engine.display(), label(home)))?;
        match self.is_podman() {
            true => Ok(()),
            false => home.write_account_list(&run_as.account_list()),
        }
    }

    /// The id of the container that is being started in a home, and its process on this machine.
    ///
    /// # Errors
    /// With what the engine said.
    pub(super) fn process(
        &self,
        home: &Home,
        is_starting: &mut dyn FnMut() -> bool,
    ) -> Result<(String, u32), String> {
        let deadline = Instant::now() + PROCESS_LIMIT;
        let process = || {
            let filter = format!("label={}", label(home));
            let running = ask(&self.engine, &["ps", "--quiet", "--filter", &filter])?;
            let id = running.lines().next().ok_or("the container has not started")?;
            let said = ask(&self.engine, &["inspect", "--format", "{{.State.Pid}}", id])?;
            let pid = said.parse().ok().filter(|&pid| pid > 0);
            let pid = pid.ok_or("the container has no process")?;
            // Another machine's engine, or one outside of the container that weighin is in, has numbers of
            // its own, which are those of any process here.
            let is_ours = is_at_work_in(pid, &home.data());
            let process = is_ours.then(|| (id.to_owned(), pid));
            process.ok_or(format!("its process {pid} is not one of this machine"))
        };
        loop {
            match process() {
                Err(_) if is_starting() && Instant::now() < deadline => {
                    thread::sleep(POLL_INTERVAL)
                }
                process => return process,
            }
        }
    }

    /// Has the engine kill a container: Docker may miss the end of a process that others kill, and then
    /// can never remove its container.
    ///
    /// # Errors
    /// With what the engine said.
    pub(super) fn kill(&self, id: &str) -> Result<(), String> {
        ask(&self.engine, &["kill", "--signal", "KILL", id]).map(drop)
    }

    /// Ends the containers of a home, and waits until nobody starts one any more: an engine whose client is
    /// killed makes the container all the same, when nobody looks for it any more.
    pub(super) fn end(&self, label: &str, is_starting: &mut dyn FnMut() -> bool) {
        let deadline = Instant::now() + PROCESS_LIMIT;
        let filter = format!("label={label}");
        while is_starting() && Instant::now() < deadline {
            let containers = ask(&self.engine, &["ps", "--all", "--quiet", "--filter", &filter]);
            for id in containers.unwrap_or_default().lines() {
                // Where it has ended meanwhile, its engine removes it.
                let _ = self.remove(id);
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    fn remove(&self, container: &str) -> Result<(), String> {
        ask(&self.engine, &["rm", "--force", "--volumes", container]).map(drop)
    }

    fn is_podman(&self) -> bool {
        self.engine.file_name().is_some_and(|name| name == ENGINES[0])
    }
}

/// Whether a process works in a directory, wherever it sees that.
fn is_at_work_in(pid: u32, directory: &Path) -> bool {
    let here = directory.metadata();
    let there = Path::new(&format!("/proc/{pid}/cwd")).metadata();
    here.is_ok_and(|here| {
        there.is_ok_and(|there| (here.dev(), here.ino()) == (there.dev(), there.ino()))
    })
}

/// By this the containers of a home are known: its directory is named at random.
pub(super) fn label(home: &Home) -> String {
    format!("weighin={}", home.root().file_name().unwrap_or_default().display())
}

/// What an engine prints, without line breaks around it; what it complains of where it fails.
fn ask(engine: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = child::ask(crate::local::command::command(engine).args(arguments))
        .map_err(|error| error.to_string())?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(text(output.stdout)),
        false => Err(text(output.stderr)),
    }
}
