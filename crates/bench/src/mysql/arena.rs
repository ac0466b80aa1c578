use crate::arguments::Transport;
use crate::private_server::{PrivateServer, named};
use crate::runner::{Runner, told};
use crosscheck::sysbench::{Driver, Server, Sysbench, Task};
use crosscheck::{Address, Measured, SqlLoad};
use host::Finished;
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
    server: PrivateServer,
    sysbench: Sysbench,
    runner: &'r Runner,
}

impl<'r> Arena<'r> {
    /// Starts a server; it is gone when this is dropped.
    pub(super) fn open(runner: &'r Runner) -> anyhow::Result<Self> {
        let sysbench = Sysbench::find(&host::this_machine()).map_err(told)?;
        let server = PrivateServer::start(System::Mysql, &SETTINGS)?;
        Ok(Self { server, sysbench, runner })
    }

    /// Server and tool with their versions, and the settings that differ from the server's
    /// defaults.
    pub(super) fn describe(&self) -> anyhow::Result<String> {
        let (address, credentials) = (self.server.address(), self.server.credentials());
        let connection = mysql::client::Connection::open(address, &credentials);
        let version = connection.map_err(told)?.server_version().to_owned();
        Ok(format!(
            "- {}, server {version}\n- settings beside the server's defaults: {}\n",
            self.sysbench.name(),
            named(&SETTINGS),
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
        let url = self.server.url("mysql", transport);
        self.server.weighin(self.runner, command, url, arguments)
    }

    /// Makes tables with weighin.
    pub(super) fn prepare(&self, tables: &Oltp, threads: u32) -> anyhow::Result<Finished> {
        let mut arguments = table_arguments(tables);
        arguments.push(format!("--threads={threads}"));
        self.weighin("prepare", Transport::Tcp, &arguments)
    }

    /// A file beside that of the password, which goes with the server.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.server.password_file.with_file_name(name)
    }

    /// Has sysbench do something.
    pub(super) fn sysbench(&self, workload: &Oltp, task: &Task) -> anyhow::Result<Finished> {
        let server = self.tool_server(Transport::Tcp);
        let stop = || self.runner.is_stopped();
        self.runner.of_tool(self.sysbench.run(&server, workload, task, &stop))
    }

    /// Has sysbench run a load.
    pub(super) fn sysbench_load(
        &self,
        workload: &Oltp,
        transport: Transport,
        clients: u32,
        duration: Duration,
    ) -> anyhow::Result<Measured> {
        let server = self.tool_server(transport);
        let stop = || self.runner.is_stopped();
        let load = SqlLoad { clients, rate: None, duration, seed: None };
        self.runner.of_tool(self.sysbench.load(&server, workload, load, &stop))
    }

    fn tool_server(&self, transport: Transport) -> Server {
        let address = match transport {
            Transport::Tcp => Address::Tcp(([127, 0, 0, 1], self.server.sandbox.port()).into()),
            Transport::Socket => Address::Unix(self.server.sandbox.socket().to_owned()),
        };
        Server {
            address,
            user: self.server.user(),
            password: self.server.password().bytes().to_vec(),
            database: self.server.address().database.clone(),
            driver: Driver::Mysql { compression: false },
        }
    }
}

/// The arguments of weighin that say which tables.
pub(super) fn table_arguments(tables: &Oltp) -> Vec<String> {
    vec![format!("--tables={}", tables.tables), format!("--table-size={}", tables.table_size)]
}
