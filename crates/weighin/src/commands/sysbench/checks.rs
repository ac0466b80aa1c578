//! What the checks of trials say of a run. It goes to standard error: standard output is sysbench's.

use super::request::Request;
use crate::checks::{Checks, LoadByHand};
use crate::exit::CliError;
use crate::messages::tell;
use campaign::{Measured, TargetHandle};
use model::{
    Arrivals, Level, Load, LoadHosts, LoadResult, OltpMix, Place, Sampling, ServerSpec, System,
    Target, Task, Test, Workload,
};

/// Says what speaks against the figures that were printed; nothing where nothing does.
pub(super) fn tell_doubts(
    request: &Request,
    target: &mut dyn TargetHandle,
    load: LoadResult,
    sampling: Sampling,
) -> Result<(), CliError> {
    let level = Level::clients(request.threads);
    let name = request.workload.mix.name().to_owned();
    let described = Target {
        name: request.endpoints[0].to_string(),
        system: System::MariaDb,
        place: Place::Server(ServerSpec::new(request.server())),
        price: None,
        labels: Default::default(),
        load_hosts: None,
    };
    let task = Task::Load(Load {
        workload: Workload::Oltp(request.workload.clone()),
        levels: vec![level],
        warmup: request.warmup,
        duration: request.time.unwrap_or(load.measure.elapsed),
        // A limit of rows is none of operations.
        operations: request.events.filter(|_| request.workload.mix != OltpMix::BulkInsert),
        arrivals: Arrivals::default(),
        reconnect_after: request.reconnect_after,
        policy: request.policy.clone(),
        load_generators: 1,
        load_hosts: LoadHosts::default(),
        interventions: Vec::new(),
        placement: None,
    });
    let seed = request.seed.number();
    let by_hand = LoadByHand { target: &described, test: &Test::new(name, task), level, seed };
    let measured = Measured { load, sampling, marks: Vec::new(), space: Default::default() };
    let checks = Checks::of(by_hand, &measured, target.facts().ok(), &host::Local)?;
    let doubts: Vec<String> = checks.doubts().collect();
    if !doubts.is_empty() {
        tell(&format!("weighin: {}", checks.verdict()));
        doubts.iter().for_each(|doubt| tell(&format!("weighin: {doubt}")));
    }
    Ok(())
}
