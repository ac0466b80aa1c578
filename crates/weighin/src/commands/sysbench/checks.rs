//! What the checks of trials say of a run. It goes to standard error: standard output is sysbench's.

use super::request::{ARRIVALS, Request};
use crate::checks::{AdHocLoad, Checks};
use crate::exit::CliError;
use crate::messages::tell;
use campaign::Measured;
use model::{
    Level, Load, LoadHosts, LoadResult, OltpMix, Place, Sampling, ServerSpec, Target, Task, Test,
    Workload,
};
use std::time::Duration;
use system::TargetHandle;

/// Says what speaks against the figures that were printed; nothing where nothing does.
pub(super) fn tell_doubts(
    request: &Request,
    target: &mut dyn TargetHandle,
    load: LoadResult,
    sampling: Sampling,
) -> Result<(), CliError> {
    let (test, level) = described(request, load.measure.elapsed);
    let described = Target {
        name: request.endpoints[0].to_string(),
        system: request.driver.system(),
        place: Place::Server(ServerSpec::new(request.server())),
        price: None,
        labels: Default::default(),
        path: None,
        load_hosts: None,
    };
    let seed = request.seed.number();
    let ad_hoc = AdHocLoad { target: &described, test: &test, level, seed };
    let measured = Measured { load, sampling, marks: Vec::new(), space: Default::default() };
    let checks = Checks::run(ad_hoc, &measured, target.facts().ok(), &host::Local)?;
    let doubts: Vec<String> = checks.doubts().collect();
    if !doubts.is_empty() {
        tell(&format!("weighin: {}", checks.verdict()));
        doubts.iter().for_each(|doubt| tell(&format!("weighin: {doubt}")));
    }
    Ok(())
}

/// What was run, in the terms of a study: with a rate an open loop, as the engine ran it.
fn described(request: &Request, elapsed: Duration) -> (Test, Level) {
    let level = Level { rate: request.rate, ..Level::clients(request.threads) };
    let task = Task::Load(Load {
        workload: Workload::Oltp(request.workload.clone()),
        levels: vec![level],
        warmup: request.warmup,
        steady_within: None,
        duration: request.time.unwrap_or(elapsed),
        // A limit of rows is none of operations.
        operations: request.events.filter(|_| request.workload.mix != OltpMix::BulkInsert),
        arrivals: ARRIVALS,
        reconnect_after: request.reconnect_after,
        policy: request.policy.clone(),
        load_generators: 1,
        load_hosts: LoadHosts::default(),
        interventions: Vec::new(),
        placement: None,
        profile: None,
    });
    (Test::new(request.workload.mix.name().to_owned(), task), level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::sysbench::generation::Generation;
    use crate::commands::sysbench::options::Options;
    use crate::commands::sysbench::words::Words;

    fn described(words: &[&str]) -> (Test, Level) {
        let words = Words::parse(&words.iter().map(Into::into).collect::<Vec<_>>()).unwrap();
        let generation = Generation::from_words(&words).unwrap();
        let options = Options::check(&words, generation).unwrap();
        let request = Request::new(&words, &options, generation).unwrap();
        super::described(&request, Duration::from_secs(1))
    }

    #[test]
    fn a_run_with_a_rate_is_an_open_loop_and_one_without_a_closed_one() {
        let (test, level) = described(&["oltp_point_select", "--threads=4", "--rate=50", "run"]);
        assert_eq!(level, Level::rate(4, 50));
        assert!(test.is_open());
        let Task::Load(load) = &test.task else { panic!("{test:?}") };
        assert_eq!(load.levels, [level]);
        assert_eq!(load.arrivals, ARRIVALS);
        let (test, level) = described(&["oltp_point_select", "--threads=4", "run"]);
        assert_eq!(level, Level::clients(4));
        assert!(!test.is_open());
    }
}
