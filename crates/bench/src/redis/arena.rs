use crate::private_server::PrivateServer;
use crate::runner::{Runner, told};
use anyhow::{Context, bail};
use crosscheck::key_value::{Guest, Memtier, RedisBenchmark, Server};
use crosscheck::{Address, Measured};
use host::Finished;
use model::{KeyValue, System};
use redis::client::RedisConnection;
use std::time::{Duration, Instant};

/// A log that is synced every second; how long it may get decides this program.
const SETTINGS: [(&str, &str); 4] = [
    ("appendonly", "ON"),
    ("appendfsync", "everysec"),
    ("auto-aof-rewrite-percentage", "0"),
    ("save", ""),
];
/// What the names of keys begin with that the other tools may touch.
const KEYS: &str = "weighin:";
/// How long the server may take to write its log anew.
const REWRITE_TIMEOUT: Duration = Duration::from_secs(120);
/// How often it is asked whether it has.
const POLL: Duration = Duration::from_millis(20);

/// A private server that three tools load.
#[derive(Debug)]
pub(super) struct Arena<'r> {
    server: PrivateServer,
    runner: &'r Runner,
    duration: Duration,
}

impl<'r> Arena<'r> {
    /// Starts a server; it is gone when this is dropped. All loads take so many seconds.
    pub(super) fn open(runner: &'r Runner, seconds: u32) -> anyhow::Result<Self> {
        let server = PrivateServer::start(System::Redis, &SETTINGS)?;
        Ok(Self { server, runner, duration: Duration::from_secs(seconds.into()) })
    }

    /// The server's version, and what it does about durability.
    pub(super) fn describe(&self) -> anyhow::Result<String> {
        let report = self.connect()?.command(&[b"INFO", b"server"])?.text();
        let report = report.context("the server does not say its version")?;
        let version = report.lines().find_map(|line| line.strip_prefix("redis_version:"));
        Ok(format!(
            "- server Redis {}, over TCP, with a log that is synced every second and written anew \
             before each run\n",
            version.unwrap_or("of an unknown version").trim()
        ))
    }

    /// Writes all keys of a workload with weighin.
    pub(super) fn prepare(&self, workload: &KeyValue) -> anyhow::Result<()> {
        self.weighin("prepare", &key_arguments(workload)).map(|_| ())
    }

    /// One thread of weighin.
    pub(super) fn load(&self, workload: &KeyValue, clients: u32) -> anyhow::Result<Finished> {
        self.tidy()?;
        let (sets, gets) = workload.sets_to_gets;
        let mut arguments = key_arguments(workload);
        arguments.extend([
            "--workload=key_value".to_owned(),
            format!("--ratio={sets}:{gets}"),
            format!("--pipeline={}", workload.pipeline),
            format!("--clients={clients}"),
            "--workers=1".to_owned(),
            format!("--duration={}s", self.duration.as_secs()),
            "--json".to_owned(),
        ]);
        self.weighin("load", &arguments)
    }

    /// Two threads of memtier_benchmark.
    pub(super) fn memtier(
        &self,
        memtier: &Memtier,
        workload: &KeyValue,
        clients: u32,
    ) -> anyhow::Result<Measured> {
        self.run_tool(|server, stop| memtier.load(server, workload, clients, self.duration, stop))
    }

    /// Two threads of redis-benchmark.
    pub(super) fn redis_benchmark(
        &self,
        tool: &RedisBenchmark,
        workload: &KeyValue,
        clients: u32,
    ) -> anyhow::Result<Measured> {
        self.run_tool(|server, stop| {
            tool.load(server, workload, clients, self.duration, None, stop)
        })
    }

    fn run_tool(
        &self,
        load: impl FnOnce(&Server, &dyn Fn() -> bool) -> Result<Option<Measured>, model::Failure>,
    ) -> anyhow::Result<Measured> {
        self.tidy()?;
        let mut connection = self.connect()?;
        let guest = redis::Guest::admit(&mut connection, KEYS).map_err(told)?;
        let server = Server {
            address: Address::Tcp(([127, 0, 0, 1], self.server.sandbox.port()).into()),
            database: 0,
            guest: Some(Guest {
                user: guest.user().to_owned(),
                password: String::from_utf8_lossy(guest.password().bytes()).into_owned(),
            }),
            tls: model::Tls::Off,
            host: "localhost".to_owned(),
        };
        self.runner.of_tool(load(&server, &|| self.runner.is_stopped()))
    }

    /// Has the server write its log anew, so that all runs begin with a short one and none
    /// meets a server that is busy with that.
    fn tidy(&self) -> anyhow::Result<()> {
        let mut connection = self.connect()?;
        connection.command(&[b"BGREWRITEAOF"])?;
        let deadline = Instant::now() + REWRITE_TIMEOUT;
        while Instant::now() < deadline && !self.runner.is_stopped() {
            let report = connection.command(&[b"INFO", b"persistence"])?.text();
            let report = report.unwrap_or_default();
            let idle = |name: &str| report.contains(&format!("{name}:0"));
            if idle("aof_rewrite_in_progress") && idle("aof_rewrite_scheduled") {
                return Ok(());
            }
            std::thread::sleep(POLL);
        }
        bail!("the server did not write its log anew within {} s", REWRITE_TIMEOUT.as_secs())
    }

    fn weighin(&self, command: &str, arguments: &[String]) -> anyhow::Result<Finished> {
        let url = format!("redis://127.0.0.1:{}", self.server.sandbox.port());
        self.server.weighin(self.runner, command, url, arguments)
    }

    fn connect(&self) -> anyhow::Result<RedisConnection> {
        RedisConnection::open(self.server.address(), &self.server.password()).map_err(told)
    }
}

/// The arguments of weighin that say which keys.
fn key_arguments(workload: &KeyValue) -> Vec<String> {
    vec![
        format!("--keys={}", workload.keys),
        format!("--value-size={}", workload.value_size.longest()),
    ]
}
