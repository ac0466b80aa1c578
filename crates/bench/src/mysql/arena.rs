use crate::arguments::Transport;
use crate::private_server;
use crate::runner::{Runner, told};
use crosscheck::sysbench::{Driver, Server, Sysbench, Task};
use crosscheck::{Address, Measured};
use host::Finished;
use host::local::sandbox::Sandbox;
use model::{Oltp, OltpMix, System};
use std::path::PathBuf;
use std::time::Duration;

/// Both tools use as many tables.
const TABLES: u32 = 4;
/// What differs from the server's defaults: all data in memory, and room for the prepared
/// statements of a thousand clients.
const SETTINGS: [(&str, &str); 3] = [
    ("innodb_buffer_pool_size", "1G"),
    ("max_connections", "1100"),
    ("max_prepared_stmt_count", "200000"),
];

/// A private server, and the two tools.
#[derive(Debug)]
pub(super) struct Arena<'r> {
    sandbox: Sandbox,
    sysbench: Sysbench,
    runner: &'r Runner,
    password_file: PathBuf,
}

impl<'r> Arena<'r> {
    /// Starts a server; it is gone when this is dropped.
    pub(super) fn open(runner: &'r Runner) -> anyhow::Result<Self> {
        let sysbench = Sysbench::find(&host::this_machine()).map_err(told)?;
        let (sandbox, password_file) = private_server::start(System::Mysql, &SETTINGS)?;
        Ok(Self { sandbox, sysbench, runner, password_file })
    }

    /// Server and tool with their versions, and the settings that differ from the server's
    /// defaults.
    pub(super) fn describe(&self) -> anyhow::Result<String> {
        let secret = system::client::Secret::new(self.sandbox.password().reveal());
        let user = self.sandbox.address().user.clone().unwrap_or_default();
        let credentials = system::client::Credentials::new(user, secret);
        let connection = mysql::client::Connection::open(self.sandbox.address(), &credentials);
        let version = connection.map_err(told)?.server_version().to_owned();
        Ok(format!(
            "- {}, server {version}\n- settings beside the server's defaults: {}\n",
            self.sysbench.name(),
            SETTINGS.map(|(name, value)| format!("{name} = {value}")).join(", "),
        ))
    }

    /// The four tables, for a workload that does not matter.
    pub(super) fn tables(&self, table_size: u32) -> Oltp {
        Oltp { tables: TABLES, table_size, ..Oltp::preset(OltpMix::ReadWrite) }
    }

    /// Runs `weighin COMMAND URL ARGUMENT…`.
    pub(super) fn weighin(
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
        let mut program = self.runner.weighin();
        program.arg(command).arg(url).arg("--password-file").arg(&self.password_file);
        self.runner.run(program.args(arguments))
    }

    /// Makes tables with weighin.
    pub(super) fn prepare(&self, tables: &Oltp, threads: u32) -> anyhow::Result<Finished> {
        let mut arguments = table_arguments(tables);
        arguments.push(format!("--threads={threads}"));
        self.weighin("prepare", Transport::Tcp, &arguments)
    }

    /// A file beside that of the password, which goes with the server.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.password_file.with_file_name(name)
    }

    /// Has sysbench do something.
    pub(super) fn sysbench(&self, workload: &Oltp, task: &Task) -> anyhow::Result<Finished> {
        let server = self.server(Transport::Tcp);
        let stop = || self.runner.is_stopped();
        self.runner.of_tool(self.sysbench.run(&server, workload, task, None, &stop))
    }

    /// Has sysbench run a load.
    pub(super) fn sysbench_load(
        &self,
        workload: &Oltp,
        transport: Transport,
        clients: u32,
        duration: Duration,
    ) -> anyhow::Result<Measured> {
        let server = self.server(transport);
        let stop = || self.runner.is_stopped();
        let level = (clients, None);
        let load = self.sysbench.load(&server, workload, level, duration, None, &stop);
        self.runner.of_tool(load)
    }

    fn server(&self, transport: Transport) -> Server {
        let address = match transport {
            Transport::Tcp => Address::Tcp(([127, 0, 0, 1], self.sandbox.port()).into()),
            Transport::Socket => Address::Unix(self.sandbox.socket().to_owned()),
        };
        Server {
            address,
            user: self.sandbox.address().user.clone().unwrap_or_default(),
            password: self.sandbox.password().reveal().as_bytes().to_vec(),
            database: self.sandbox.address().database.clone(),
            driver: Driver::Mysql { compression: false },
        }
    }
}

/// The arguments of weighin that say which tables.
pub(super) fn table_arguments(tables: &Oltp) -> Vec<String> {
    vec![format!("--tables={}", tables.tables), format!("--table-size={}", tables.table_size)]
}
