use anyhow::{Context, bail, ensure};
use host::local::child;
use host::{Ended, Finished};
use model::Failure;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Beyond what any run takes.
const LONGEST: Duration = Duration::from_secs(6 * 3600);

/// What is given the text of results as it comes about.
pub(crate) type Say<'a> = &'a mut dyn FnMut(&str) -> anyhow::Result<()>;

/// Runs whole programs until somebody interrupts.
#[derive(Debug)]
pub(crate) struct Runner {
    weighin: PathBuf,
    stop: Arc<AtomicBool>,
}

impl Runner {
    /// From now on an interrupt stops what runs and ends the program in good order.
    pub(crate) fn new(weighin: &Path) -> anyhow::Result<Self> {
        ensure!(
            weighin.is_file(),
            "there is no {}: build it with `cargo build --release --package weighin`, or name \
             another with --weighin",
            weighin.display()
        );
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        ctrlc::set_handler(move || asked.store(true, Ordering::Release))?;
        Ok(Self { weighin: weighin.to_owned(), stop })
    }

    /// What `weighin --version` says.
    pub(crate) fn version(&self) -> anyhow::Result<String> {
        let mut command = self.weighin();
        Ok(self.run(command.arg("--version"))?.stdout.trim().to_owned())
    }

    /// The weighin to measure.
    pub(crate) fn program(&self) -> &Path {
        &self.weighin
    }

    /// A command that runs weighin.
    pub(crate) fn weighin(&self) -> Command {
        Command::new(&self.weighin)
    }

    /// Runs a program to its successful end.
    pub(crate) fn run(&self, command: &mut Command) -> anyhow::Result<Finished> {
        let program = command.get_program().to_string_lossy().into_owned();
        let ended = child::run(command, b"", LONGEST, &|| self.is_stopped())
            .with_context(|| format!("cannot run {program}"))?;
        match ended {
            // An interrupt reaches the program as well as this one.
            _ if self.is_stopped() => bail!("stopped"),
            Ended::Finished(finished) if finished.status.success() => Ok(finished),
            Ended::Finished(finished) => bail!("{program} failed: {}", finished.stderr.trim()),
            Ended::Stopped | Ended::TimedOut => bail!("{program} did not end"),
        }
    }

    /// What came of another tool that was given [`Self::is_stopped`].
    pub(crate) fn of_tool<T>(&self, ended: Result<Option<T>, Failure>) -> anyhow::Result<T> {
        match ended {
            Ok(Some(done)) => Ok(done),
            _ if self.is_stopped() => bail!("stopped"),
            Ok(None) => bail!("stopped"),
            Err(failure) => Err(told(failure)),
        }
    }

    /// Whether somebody has interrupted.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }
}

/// A failure as an error of this program.
pub(crate) fn told(failure: Failure) -> anyhow::Error {
    match failure.remedy.as_str() {
        "" => anyhow::Error::msg(failure.message),
        remedy => anyhow::Error::msg(format!("{} ({remedy})", failure.message)),
    }
}
