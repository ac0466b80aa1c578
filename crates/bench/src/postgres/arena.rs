use super::bare::{self, Bare};
use crate::arguments::Transport;
use crate::private_server::{PrivateServer, named};
use crate::runner::{Runner, told};
use anyhow::Context;
use crosscheck::libpq::Encryption;
use crosscheck::pgbench::{Pgbench, PgbenchServer};
use crosscheck::{Address, Measured, SqlLoad};
use host::Finished;
use model::{Script, ScriptTransaction, SetValue, System, Transactions};
use std::collections::BTreeMap;
use std::time::Duration;
use system::client::Limits;
use workload::script::builtin;

/// Of pgbench's tables: a million accounts.
const SCALE: i64 = 10;
/// What differs from the server's defaults: all data in memory.
const SETTINGS: [(&str, &str); 1] = [("shared_buffers", "512MB")];
/// How many clients pgbench connects each second, at first.
const CONNECTED_PER_SECOND: u32 = 60;
/// Longest time that all of them may take, in seconds.
const MOST_SECONDS: u64 = 160;
const SCRIPT: &str = "select-only";

/// A private server, and the two tools.
#[derive(Debug)]
pub(super) struct Arena<'r> {
    server: PrivateServer,
    pgbench: Pgbench,
    runner: &'r Runner,
}

impl<'r> Arena<'r> {
    /// Starts a server; it is gone when this is dropped.
    pub(super) fn open(runner: &'r Runner) -> anyhow::Result<Self> {
        let pgbench = Pgbench::find(&host::this_machine()).map_err(told)?;
        let server = PrivateServer::start(System::Postgres, &SETTINGS)?;
        Ok(Self { server, pgbench, runner })
    }

    /// Server and tool with their versions, and the settings that differ from the server's defaults.
    pub(super) fn describe(&self) -> anyhow::Result<String> {
        let opened = postgres::client::Connection::open_within(
            self.server.address(),
            &self.server.credentials(),
            Limits::default(),
            &model::Stop::default(),
        );
        Ok(format!(
            "- {}, server {}\n- settings beside the server's defaults: {}, max_connections = 1100\n",
            self.pgbench.name(),
            opened.map_err(told)?.server_version(),
            named(&SETTINGS),
        ))
    }

    /// Makes pgbench's tables with weighin.
    pub(super) fn prepare(&self) -> anyhow::Result<()> {
        let tables = [format!("--built-in={SCRIPT}"), format!("--set=scale={SCALE}")];
        self.weighin("prepare", Transport::Tcp, &tables).map(drop)
    }

    pub(super) fn load(
        &self,
        transport: Transport,
        clients: u32,
        duration: Duration,
    ) -> anyhow::Result<Finished> {
        let load = [
            format!("--script=builtin:{SCRIPT}"),
            format!("--set=scale={SCALE}"),
            format!("--clients={clients}"),
            format!("--duration={}s", duration.as_secs()),
            "--json".to_owned(),
        ];
        self.weighin("load", transport, &load)
    }

    fn weighin(
        &self,
        command: &str,
        transport: Transport,
        arguments: &[String],
    ) -> anyhow::Result<Finished> {
        let url = self.server.url("postgresql", transport);
        self.server.weighin(self.runner, command, url, arguments)
    }

    /// Has pgbench run the same load.
    pub(super) fn pgbench(
        &self,
        transport: Transport,
        clients: u32,
        duration: Duration,
    ) -> anyhow::Result<Measured> {
        let address = match transport {
            Transport::Tcp => Address::Tcp(([127, 0, 0, 1], self.server.sandbox.port()).into()),
            // libpq knows a socket by its port, and the link that weighin has does not say it.
            Transport::Socket => {
                let name = format!(".s.PGSQL.{}", self.server.sandbox.port());
                Address::Unix(self.server.sandbox.socket().with_file_name(name))
            }
        };
        let server = PgbenchServer {
            address,
            user: self.server.user(),
            password: self.server.password().bytes().to_vec(),
            database: self.server.address().database.clone(),
            encryption: Encryption::Off,
        };
        let (script, stop) = (select_only()?, || self.runner.is_stopped());
        // Its time begins with connecting, and weighin's when all are connected. Where connecting took all of
        // it there is nothing to report.
        let mut connecting = u64::from(clients / CONNECTED_PER_SECOND);
        loop {
            let duration = duration + Duration::from_secs(connecting);
            let load = SqlLoad { clients, rate: None, duration, seed: Some(1) };
            let measured = self.pgbench.load(&server, &script, load, &stop);
            if measured.is_ok() || connecting == 0 || connecting >= MOST_SECONDS || stop() {
                return self.runner.of_tool(measured);
            }
            connecting *= 2;
        }
    }

    /// Only sends and receives.
    pub(super) fn bare(&self, clients: u32, duration: Duration) -> anyhow::Result<Bare> {
        let (port, database) = (self.server.sandbox.port(), self.server.address().database.clone());
        let password = self.server.password().bytes().to_vec();
        bare::run(
            bare::Server { port, user: self.server.user(), password, database },
            clients,
            duration,
        )
    }
}

fn select_only() -> anyhow::Result<Transactions> {
    let own = builtin(SCRIPT).context("weighin has the script select-only")?;
    let transaction = ScriptTransaction {
        name: SCRIPT.to_owned(),
        script: Script { origin: SCRIPT.to_owned(), text: own.text, columns: Vec::new() },
        weight: 1,
        think_time: None,
        slo: None,
        retry: false,
    };
    Ok(Transactions {
        transactions: vec![transaction],
        set: BTreeMap::from([("scale".to_owned(), SetValue::Integer(SCALE))]),
        prepared: true,
        writes: false,
        change_data: false,
        data: model::OwnData::default(),
    })
}
