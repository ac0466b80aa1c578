use crate::{Control, Login};
use model::{CacheState, Failure, FailureKind, Place, Stop, Target};
use target::os::drop_os_caches;
use target::sandbox::{Sandbox, SandboxOptions};

/// A target brought up: a private server, or one that runs already.
#[derive(Debug)]
pub struct Deployment {
    name: String,
    login: Login,
    sandbox: Option<Sandbox>,
    restart: bool,
    stop: Stop,
}

impl Deployment {
    /// Starts the target's private server, or finds out how to log in to the one it names. `stop`
    /// ends what connections to it wait for.
    ///
    /// # Errors
    /// When the server cannot be started, its password cannot be found, or `stop` asks to end.
    pub fn bring_up(target: &Target, stop: &Stop) -> Result<Self, Failure> {
        let (sandbox, address, restart) = match &target.place {
            Place::Storage(_) | Place::Elsewhere => return Err(target.out_of_reach()),
            Place::Server(address) => (None, address.clone(), false),
            Place::Sandbox(spec) => {
                let sandbox = Sandbox::start(SandboxOptions {
                    system: target.system,
                    name: target.name.clone(),
                    settings: spec.settings.clone(),
                    trusted: spec.trusted,
                    directory: spec.directory.clone(),
                    program: spec.program.clone(),
                    volume: spec.volume,
                    stop: stop.clone(),
                })?;
                let address = sandbox.address().clone();
                (Some(sandbox), address, spec.restart)
            }
        };
        let login = Login::of(target.system, &address)?.stopped_by(stop);
        let (name, stop) = (target.name.clone(), stop.clone());
        Ok(Self { name, login, sandbox, restart, stop })
    }

    /// How to log in.
    pub fn login(&self) -> &Login {
        &self.login
    }

    /// The server process, where it is weighin's own.
    pub fn server_pid(&self) -> Option<u32> {
        self.sandbox.as_ref().map(Sandbox::pid)
    }

    /// The disks that the server's data directory stands on; empty where the server is not
    /// weighin's own, or that cannot be known.
    pub fn volume(&self) -> Vec<String> {
        let sandbox = self.sandbox.as_ref();
        let volume = sandbox.and_then(|sandbox| sample::volume_of(sandbox.data_directory()));
        volume.map(|volume| volume.members.into_iter().collect()).unwrap_or_default()
    }

    /// Brings the server to the state that a trial starts from, and opens a connection to it.
    ///
    /// A private server that restarts between trials is up only while its trials run, so that
    /// the others cannot disturb it.
    ///
    /// # Errors
    /// When the server does not come up, or its caches cannot be emptied.
    pub fn ready(&mut self, cache: CacheState) -> Result<Control, Failure> {
        match (&mut self.sandbox, cache) {
            (Some(sandbox), CacheState::Cold) => {
                sandbox.stop()?;
                sandbox.forget_cache()?;
                drop_os_caches(&self.stop)?;
                sandbox.start_again()?;
            }
            (Some(sandbox), CacheState::Warm) => {
                if self.restart {
                    sandbox.stop()?;
                }
                sandbox.start_again()?;
            }
            (None, CacheState::Cold) => {
                return Err(Failure::new(
                    FailureKind::NotPermitted,
                    format!("{} cannot be measured cold: weighin may not restart it", self.name),
                    "set cache = \"warm\", or make the target a sandbox",
                ));
            }
            (None, CacheState::Warm) => {}
        }
        // A server that was started again may listen on another port.
        if let Some(sandbox) = &self.sandbox {
            let login = Login::of(self.login.system(), sandbox.address())?;
            self.login = login.stopped_by(&self.stop);
        }
        self.login.control()
    }

    /// A failure with why a private server has ended, if that is behind it.
    pub fn explain(&mut self, failure: Failure) -> Failure {
        let lost = matches!(failure.kind, FailureKind::ServerLost | FailureKind::Unreachable);
        let last_words = self.sandbox.as_mut().filter(|_| lost).and_then(Sandbox::last_words);
        match last_words {
            None => failure,
            Some(words) => Failure::new(
                match words.kind {
                    FailureKind::DiskFull => FailureKind::DiskFull,
                    _ => FailureKind::ServerLost,
                },
                format!("{}; {}", failure.message, words.message),
                words.remedy,
            ),
        }
    }

    /// A trial is over: a private server that restarts between trials goes down.
    ///
    /// # Errors
    /// When the server does not end.
    pub fn rest(&mut self) -> Result<(), Failure> {
        match &mut self.sandbox {
            Some(sandbox) if self.restart => sandbox.stop(),
            _ => Ok(()),
        }
    }
}
