use crate::arguments::Transport;
use anyhow::{Context, bail, ensure};
use model::{Oltp, OltpMix, PasswordSource};
use peer::child::{self, Ended, Finished};
use peer::sysbench::{Address, Server, Sysbench, Task};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use target::sandbox::{Sandbox, SandboxOptions};

/// Both tools use as many tables.
const TABLES: u32 = 4;
/// Beyond what any run takes.
const LONGEST: Duration = Duration::from_secs(6 * 3600);
/// What differs from the server's defaults: all data in memory, and room for the prepared
/// statements of a thousand clients.
const SETTINGS: [(&str, &str); 3] = [
    ("innodb_buffer_pool_size", "1G"),
    ("max_connections", "1100"),
    ("max_prepared_stmt_count", "200000"),
];

/// A private server, and the two tools.
#[derive(Debug)]
pub(crate) struct Arena {
    sandbox: Sandbox,
    pub(crate) sysbench: Sysbench,
    weighin: PathBuf,
    password_file: PathBuf,
    stop: Arc<AtomicBool>,
}

impl Arena {
    /// Starts a server; it is gone when this is dropped. From now on an interrupt stops what runs
    /// and ends the program in good order.
    pub(crate) fn open(weighin: &Path) -> anyhow::Result<Self> {
        ensure!(
            weighin.is_file(),
            "there is no {}: build it with `cargo build --release --package weighin`, or name \
             another with --weighin",
            weighin.display()
        );
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        ctrlc::set_handler(move || asked.store(true, Ordering::Release))?;
        let sysbench = Sysbench::find().map_err(told)?;
        let settings = SETTINGS.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let sandbox = Sandbox::start(SandboxOptions {
            name: "bench".to_owned(),
            settings: settings.into(),
            ..SandboxOptions::default()
        })
        .map_err(told)?;
        let PasswordSource::File(password_file) = sandbox.address().password.clone() else {
            bail!("the private server's password is in no file");
        };
        Ok(Self { sandbox, sysbench, weighin: weighin.to_owned(), password_file, stop })
    }

    /// The settings that differ from the server's defaults, as text.
    pub(crate) fn settings() -> String {
        SETTINGS.map(|(name, value)| format!("{name} = {value}")).join(", ")
    }

    /// The four tables, for a workload that does not matter.
    pub(crate) fn tables(&self, table_size: u32) -> Oltp {
        Oltp { tables: TABLES, table_size, ..Oltp::preset(OltpMix::ReadWrite) }
    }

    /// What `weighin --version` says.
    pub(crate) fn weighin_version(&self) -> anyhow::Result<String> {
        let mut command = Command::new(&self.weighin);
        Ok(self.go(command.arg("--version"))?.stdout.trim().to_owned())
    }

    /// What the server's program says.
    pub(crate) fn server_version(&self) -> anyhow::Result<String> {
        let secret = target::client::Secret::new(self.sandbox.password().reveal());
        let user = self.sandbox.address().user.clone().unwrap_or_default();
        let credentials = target::client::Credentials::new(user, secret);
        let connection = target::client::Connection::open(self.sandbox.address(), &credentials);
        Ok(connection.map_err(told)?.server_version().to_owned())
    }

    /// Runs `weighin COMMAND URL ARGUMENT…`.
    pub(crate) fn weighin(
        &self,
        command: &str,
        transport: Transport,
        arguments: &[String],
    ) -> anyhow::Result<Finished> {
        let address = self.sandbox.address();
        let (user, database) = (address.user.as_deref().unwrap_or_default(), &address.database);
        let url = match transport {
            Transport::Tcp => format!("mysql://{user}@{}/{database}", address.endpoint),
            Transport::Socket => {
                format!("mysql://{user}@/{database}?socket={}", self.sandbox.socket().display())
            }
        };
        let mut program = Command::new(&self.weighin);
        program.arg(command).arg(url).arg("--password-file").arg(&self.password_file);
        self.go(program.args(arguments))
    }

    /// Makes tables with weighin.
    pub(crate) fn prepare(&self, tables: &Oltp, threads: u32) -> anyhow::Result<Finished> {
        let mut arguments = table_arguments(tables);
        arguments.push(format!("--threads={threads}"));
        self.weighin("prepare", Transport::Tcp, &arguments)
    }

    /// Has sysbench do something.
    pub(crate) fn sysbench(
        &self,
        workload: &Oltp,
        transport: Transport,
        task: &Task,
    ) -> anyhow::Result<Finished> {
        let address = match transport {
            Transport::Tcp => Address::Tcp(([127, 0, 0, 1], self.sandbox.port()).into()),
            Transport::Socket => Address::Socket(self.sandbox.socket().to_owned()),
        };
        let server = Server {
            address,
            user: self.sandbox.address().user.clone().unwrap_or_default(),
            password: self.sandbox.password().reveal().as_bytes().to_vec(),
            database: self.sandbox.address().database.clone(),
        };
        let finished = self.sysbench.run(&server, workload, task, None, &|| self.stopped());
        match finished {
            Ok(Some(finished)) => Ok(finished),
            _ if self.stopped() => bail!("stopped"),
            Ok(None) => bail!("stopped"),
            Err(failure) => Err(told(failure)),
        }
    }

    fn go(&self, command: &mut Command) -> anyhow::Result<Finished> {
        let program = command.get_program().to_string_lossy().into_owned();
        let ended = child::run(command, b"", LONGEST, &|| self.stopped())
            .with_context(|| format!("cannot run {program}"))?;
        match ended {
            // An interrupt reaches the program as well as this one.
            _ if self.stopped() => bail!("stopped"),
            Ended::Finished(finished) if finished.status.success() => Ok(finished),
            Ended::Finished(finished) => bail!("{program} failed: {}", finished.stderr.trim()),
            Ended::Stopped | Ended::TimedOut => bail!("{program} did not end"),
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }
}

/// The arguments of weighin that say which tables.
pub(crate) fn table_arguments(tables: &Oltp) -> Vec<String> {
    vec![format!("--tables={}", tables.tables), format!("--table-size={}", tables.table_size)]
}

fn told(failure: model::Failure) -> anyhow::Error {
    match failure.remedy.as_str() {
        "" => anyhow::Error::msg(failure.message),
        remedy => anyhow::Error::msg(format!("{} ({remedy})", failure.message)),
    }
}
