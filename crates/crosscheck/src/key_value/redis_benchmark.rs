//! redis-benchmark.

mod arguments;
pub(crate) mod output;

use super::{Server, trouble};
use crate::Measured;
use crate::program::{Program, ToolSpec};
use arguments::{Kind, arguments};
use host::{Host, ProgramOrder};
use model::{CrossCheckFigures, Failure, KeyValue};
use std::sync::Arc;
use std::time::Duration;
use workload::key_value::noise;

const REDIS_BENCHMARK: ToolSpec = ToolSpec {
    programs: &["redis-benchmark", "valkey-benchmark"],
    wanted: "redis-benchmark 6 or later",
    version,
    remedy: "install it (Debian and Ubuntu: the package redis-tools), or leave out `cross_check`",
};
/// How long it may take beyond the time that a load should take.
const EXTRA_TIME: Duration = Duration::from_secs(120);
/// Commands of the first trial run, by which it is found out how many make up a load.
const FIRST_REQUESTS: u64 = 2_000;
/// How long a trial run must take to tell that.
const LONG_ENOUGH: Duration = Duration::from_secs(1);
/// By how much a trial run grows at most.
const GROWTH: f64 = 20.0;
/// Most commands of a run: its counter has 32 bits and a sign.
const MAX_REQUESTS: u64 = i32::MAX as u64;
/// Seed of the value that it writes over and over.
const VALUE_SEED: u64 = 1;

/// The installed redis-benchmark.
#[derive(Clone, Debug)]
pub struct RedisBenchmark(Program);

impl RedisBenchmark {
    /// Finds it on the `PATH` of a host, or Valkey's.
    ///
    /// # Errors
    /// `MissingProgram` when it is not there, or is another program.
    pub fn find(host: &Arc<dyn Host>) -> Result<Self, Failure> {
        Program::find(host, &REDIS_BENCHMARK).map(Self)
    }

    /// Name and version, such as `redis-benchmark 7.0.15`.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Why it cannot run a workload, as the predicate of a sentence about it; `None` when it can.
    pub fn unsupported(workload: &KeyValue) -> Option<&'static str> {
        Kind::for_workload(workload).err()
    }

    /// Runs a workload on keys that are there; `None` when `stop` said so. It knows numbers of
    /// commands and no duration: how many take about so long is told by a load `before` this one,
    /// or else by trial runs.
    ///
    /// # Errors
    /// What it complains of; `NotPermitted` for a workload that it cannot run; `TimedOut` when it
    /// does not end.
    pub fn load(
        &self,
        server: &Server,
        workload: &KeyValue,
        clients: u32,
        duration: Duration,
        before: Option<&CrossCheckFigures>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Measured>, Failure> {
        let run = |requests| self.requests(server, workload, clients, requests, duration, stop);
        let mut rate = before.map(commands_per_second);
        // A rate from a short run is a rough one: its end is looked for four times a second.
        let mut requests = FIRST_REQUESTS.max(u64::from(clients) * u64::from(workload.pipeline));
        while rate.is_none() {
            let Some(trial) = run(requests)? else { return Ok(None) };
            let took = trial.figures.elapsed.as_secs_f64().max(1e-3);
            if took >= LONG_ENOUGH.min(duration).as_secs_f64() || requests >= MAX_REQUESTS {
                rate = Some(commands_per_second(&trial.figures));
            }
            let growth = (1.2 * LONG_ENOUGH.as_secs_f64() / took).clamp(1.2, GROWTH);
            requests = ((requests as f64 * growth) as u64).min(MAX_REQUESTS);
        }
        let wanted = rate.unwrap_or(1.0) * duration.as_secs_f64();
        run((wanted as u64).clamp(u64::from(clients), MAX_REQUESTS))
    }

    /// Runs so many commands, which should take about so long.
    fn requests(
        &self,
        server: &Server,
        workload: &KeyValue,
        clients: u32,
        requests: u64,
        duration: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Measured>, Failure> {
        let kind = Kind::for_workload(workload).map_err(|reason| {
            Failure::new(
                model::FailureKind::NotPermitted,
                format!("{} {reason}", self.name()),
                "choose a workload that it can run",
            )
        })?;
        let arguments = arguments(server, workload, kind, clients, requests);
        let value = match kind {
            Kind::Get => Box::default(),
            Kind::Set { length } => {
                let noise = noise(workload, VALUE_SEED);
                noise.into_iter().take(length as usize).collect::<Box<[u8]>>()
            }
        };
        // The rate may be lower than it was in a trial run.
        let limit = 4 * duration + EXTRA_TIME;
        let slow = "see with SLOWLOG GET what keeps the server";
        let order = ProgramOrder { input: &value, ..self.0.order(&arguments, limit) };
        let Some(finished) = self.0.run(&order, slow, stop)? else {
            return Ok(None);
        };
        if !finished.status.success() {
            // It may warn of settings that it may not read.
            let said = finished.stderr.lines().filter(|line| !line.starts_with("WARNING"));
            return Err(trouble::complaint(&self.0, &finished, said));
        }
        let figures = output::figures(&finished.stdout, requests, workload, &finished.usage)
            .ok_or_else(|| self.0.not_understood("what redis-benchmark printed is not understood"));
        Ok(Some(Measured::from_finished(figures?, &finished)))
    }

    #[cfg(test)]
    pub(super) fn fake() -> Self {
        Self(Program::fake("redis-benchmark", "7.0.15"))
    }
}

fn commands_per_second(figures: &CrossCheckFigures) -> f64 {
    figures.queries as f64 / figures.elapsed.as_secs_f64().max(1e-3)
}

/// `7.0.15` of `redis-benchmark 7.0.15`.
fn version(says: &str) -> Option<&str> {
    let (name, version) = says.split_once(' ')?;
    let version = version.split_whitespace().next()?;
    name.ends_with("-benchmark").then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_redis_and_valkey_are_known() {
        assert_eq!(version("redis-benchmark 7.0.15 (git:d81b8ff7)"), Some("7.0.15"));
        assert_eq!(version("valkey-benchmark 8.1.0"), Some("8.1.0"));
        assert_eq!(version("usage: something"), None);
    }
}
