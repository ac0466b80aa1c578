//! A short study of one private server, which whole runs of weighin measure again and again.

use crate::arguments::Arguments;
use crate::private_server::PrivateServer;
use crate::runner::Runner;
use anyhow::{Context, bail};
use model::{Endpoint, System};
use serde::Deserialize;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Numbers of clients: one whose every reply is waited for, and as many as keep a server busy.
pub(crate) const LEVELS: [u32; 2] = [1, 32];
/// Repeats of each in a run, so that a run has several trials.
const REPEATS: u32 = 2;
/// A file beside the study belongs to it.
const PASSWORD: &str = "password";

/// A server, and a directory for studies of it and what they come to; both are gone when this is dropped.
#[derive(Debug)]
pub(crate) struct ShortStudy {
    server: PrivateServer,
    directory: TempDir,
}

impl ShortStudy {
    pub(crate) fn start() -> anyhow::Result<Self> {
        let server = PrivateServer::start(System::Mysql, &[])?;
        let directory = tempfile::tempdir()?;
        fs::copy(&server.password_file, directory.path().join(PASSWORD))?;
        Ok(Self { server, directory })
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a study of that name, `NAME.toml`, with more keys of `[study]`, a line each. The first run makes
    /// the tables.
    pub(crate) fn write(
        &self,
        name: &str,
        keys: &str,
        arguments: &Arguments,
    ) -> anyhow::Result<()> {
        let address = self.server.address();
        let Endpoint::Tcp { host, port } = &address.endpoint else {
            bail!("the server has no port")
        };
        let (user, database) = (self.server.user(), &address.database);
        let (seconds, size) = (arguments.seconds, arguments.table_size);
        let password_file = self.directory().join(PASSWORD);
        let text = format!(
            "[study]\nname = \"{name}\"\nrepeats = {REPEATS}\n{keys}\n[[target]]\n\
             name = \"server\"\nurl = \"mysql://{user}@{host}:{port}/{database}\"\n\
             password_file = {password_file:?}\n\n\
             [[test]]\nname = \"reads\"\nworkload = \"oltp_point_select\"\ntables = 4\n\
             table_size = {size}\nclients = {LEVELS:?}\nwarmup = \"500ms\"\n\
             duration = \"{seconds}s\"\n"
        );
        fs::write(self.directory().join(format!("{name}.toml")), text)?;
        Ok(())
    }
}

/// The trials of a run, as weighin's JSON has them.
#[derive(Debug, Deserialize)]
pub(crate) struct Trials {
    trials: Vec<TrialOutput>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct TrialOutput {
    clients: u32,
    pub(crate) throughput: Option<f64>,
    pub(crate) queries: Option<f64>,
    pub(crate) client_cpu_seconds: Option<f64>,
    /// Of each transaction, which is one query here.
    pub(crate) server_cpu_per_op_us: Option<f64>,
}

impl Trials {
    /// Those that a results file has.
    pub(crate) fn read(runner: &Runner, results: &Path) -> anyhow::Result<Self> {
        let mut report = runner.weighin();
        let report = runner.run(report.arg("report").arg(results).args(["--format", "json"]))?;
        serde_json::from_str(&report.stdout).context("weighin's JSON is not understood")
    }

    /// A figure at each level, the median over the repeats.
    pub(crate) fn medians(
        &self,
        figure: impl Fn(&TrialOutput) -> Option<f64>,
    ) -> anyhow::Result<Vec<f64>> {
        let median = |clients: u32| {
            let trials = self.trials.iter().filter(|trial| trial.clients == clients);
            let figures: Vec<f64> =
                trials.map(&figure).collect::<Option<_>>().context("a trial has no figure")?;
            Ok(stats::Sample::new(figures).context("no trial ran")?.median())
        };
        LEVELS.into_iter().map(median).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_has_the_median_of_its_trials() {
        let trial = |clients, throughput: Option<f64>| serde_json::json!({"clients": clients, "throughput": throughput, "queries": 4});
        let read = |trials: Vec<serde_json::Value>| -> Trials {
            serde_json::from_value(serde_json::json!({"trials": trials})).unwrap()
        };
        let all = [(1, 10.0), (32, 400.0), (1, 14.0), (32, 600.0)];
        let trials = read(all.map(|(clients, tps)| trial(clients, Some(tps))).into());
        assert_eq!(trials.medians(|trial| trial.throughput).unwrap(), [12.0, 500.0]);
        assert_eq!(trials.medians(|trial| trial.queries).unwrap(), [4.0, 4.0]);
        assert!(trials.medians(|trial| trial.client_cpu_seconds).is_err());
        let failed = read(vec![trial(1, Some(10.0)), trial(32, None)]);
        assert!(failed.medians(|trial| trial.throughput).is_err());
    }
}
