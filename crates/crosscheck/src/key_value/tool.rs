use super::{Memtier, RedisBenchmark, Server};
use crate::Measured;
use host::Host;
use model::{Failure, FailureKind, KeyValue, Tls};
use std::sync::Arc;
use std::time::Duration;

/// A tool for a workload of single keys.
#[derive(Clone, Debug)]
pub enum KeyValueTool {
    /// memtier_benchmark.
    Memtier(Memtier),
    /// redis-benchmark.
    RedisBenchmark(RedisBenchmark),
}

/// The first tool installed on a host that can run a workload: memtier_benchmark, or else redis-benchmark.
///
/// # Errors
/// `MissingProgram` when neither is installed, `NotPermitted` when none that is can do it; `what`
/// is what the workload is called.
pub fn choose(
    host: &Arc<dyn Host>,
    workload: &KeyValue,
    tls: &Tls,
    what: &str,
) -> Result<KeyValueTool, Failure> {
    decide(Memtier::find(host), RedisBenchmark::find(host), workload, tls, what)
}

fn decide(
    memtier: Result<Memtier, Failure>,
    redis_benchmark: Result<RedisBenchmark, Failure>,
    workload: &KeyValue,
    tls: &Tls,
    what: &str,
) -> Result<KeyValueTool, Failure> {
    let mut reasons = Vec::new();
    let lacks = Memtier::unsupported(workload, tls);
    match (&memtier, lacks) {
        (Ok(memtier), None) => return Ok(KeyValueTool::Memtier(memtier.clone())),
        (Ok(memtier), Some(reason)) => reasons.push(format!("{} {reason}", memtier.name())),
        (Err(_), _) => {}
    }
    match (redis_benchmark, RedisBenchmark::unsupported(workload)) {
        (Ok(tool), None) => return Ok(KeyValueTool::RedisBenchmark(tool)),
        (Ok(tool), Some(reason)) => reasons.push(format!("{} {reason}", tool.name())),
        (Err(failure), _) if reasons.is_empty() => return Err(failure),
        (Err(_), _) => {}
    }
    let remedy = match memtier {
        Err(_) if lacks.is_none() => {
            "install memtier_benchmark, which can, or set cross_check = false in the test"
        }
        _ => "set cross_check = false in the test",
    };
    Err(Failure::new(
        FailureKind::NotPermitted,
        format!("no tool can cross-check {what}: {}", reasons.join(", and ")),
        remedy,
    ))
}

impl KeyValueTool {
    /// Name and version.
    pub fn name(&self) -> String {
        match self {
            Self::Memtier(memtier) => memtier.name(),
            Self::RedisBenchmark(tool) => tool.name(),
        }
    }

    /// Runs the workload for about so long after a warm-up; `None` when `stop` said so. The keys
    /// must be there.
    ///
    /// # Errors
    /// What the tool complains of; `TimedOut` when it does not end.
    pub fn load(
        &self,
        server: &Server,
        workload: &KeyValue,
        clients: u32,
        warmup: Duration,
        duration: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Measured>, Failure> {
        match self {
            Self::Memtier(memtier) => {
                // It knows no warm-up: a load whose figures nobody looks at.
                let load = |duration| memtier.load(server, workload, clients, duration, stop);
                if !warmup.is_zero() && load(warmup)?.is_none() {
                    return Ok(None);
                }
                load(duration)
            }
            Self::RedisBenchmark(tool) => {
                let load = |duration, before: Option<&_>| {
                    tool.load(server, workload, clients, duration, before, stop)
                };
                if warmup.is_zero() {
                    return load(duration, None);
                }
                match load(warmup, None)? {
                    None => Ok(None),
                    Some(warm) => load(duration, Some(&warm.figures)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{KeyDistribution, KeyOrder};

    fn mixed() -> KeyValue {
        KeyValue::default()
    }

    fn writing() -> KeyValue {
        KeyValue { sets_to_gets: (1, 0), ..KeyValue::default() }
    }

    fn not_there<T>() -> Result<T, Failure> {
        Err(Failure::new(FailureKind::MissingProgram, "not there", "install it"))
    }

    fn asked(
        memtier: Result<Memtier, Failure>,
        redis: Result<RedisBenchmark, Failure>,
        workload: &KeyValue,
    ) -> Result<String, Failure> {
        decide(memtier, redis, workload, &Tls::Off, "the test kv").map(|tool| tool.name())
    }

    #[test]
    fn memtier_comes_first_and_redis_benchmark_in_its_place() {
        let (memtier, redis) = (Memtier::fake, RedisBenchmark::fake);
        let name = asked(Ok(memtier()), Ok(redis()), &writing()).unwrap();
        assert!(name.starts_with("memtier_benchmark"), "{name}");
        let name = asked(not_there(), Ok(redis()), &writing()).unwrap();
        assert!(name.starts_with("redis-benchmark"), "{name}");
        let name = asked(Ok(memtier()), not_there(), &mixed()).unwrap();
        assert!(name.starts_with("memtier_benchmark"), "{name}");
    }

    #[test]
    fn what_none_can_do_is_said_with_the_reasons_and_a_remedy() {
        let failure = asked(not_there(), Ok(RedisBenchmark::fake()), &mixed()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotPermitted);
        assert!(failure.message.contains("the test kv: redis-benchmark"), "{failure:?}");
        assert!(failure.remedy.contains("install memtier_benchmark"), "{failure:?}");

        let order = KeyOrder::Drawn(KeyDistribution::Pareto);
        let pareto = KeyValue { order, ..mixed() };
        let (memtier, redis) = (Memtier::fake(), RedisBenchmark::fake());
        let failure = asked(Ok(memtier), Ok(redis), &pareto).unwrap_err();
        assert!(failure.message.contains(", and redis-benchmark"), "{failure:?}");
        assert!(failure.remedy.starts_with("set cross_check"), "{failure:?}");

        let failure = asked(not_there(), not_there(), &mixed()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::MissingProgram);
    }
}
