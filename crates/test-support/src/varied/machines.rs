//! What was seen of machines.

use super::{Draw, sample};
use model::{
    ClockReading, HeldProcessors, HostSampling, NamedUse, OwnProcessors, ProcessorUse, Sample,
};
use std::time::Duration;

pub(super) fn processor_use(d: &mut Draw) -> ProcessorUse {
    let named = |d: &mut Draw| NamedUse {
        name: d.text(),
        cpus: f64::from(d.small()),
        is_ours: d.small().is_multiple_of(2),
    };
    ProcessorUse {
        boot: d.maybe(Draw::text),
        cpus: d.small(),
        apart: d.maybe(own_processors),
        processes: d.list(3, named),
    }
}

fn own_processors(d: &mut Draw) -> OwnProcessors {
    let set = |d: &mut Draw| HeldProcessors {
        processors: d.list(3, Draw::small),
        held: Duration::from_millis(d.small().into()),
    };
    OwnProcessors { sets: d.list(3, set), exchanges: d.small() }
}

pub(super) fn other_host(d: &mut Draw) -> HostSampling {
    let clock =
        |d: &mut Draw| ClockReading { ahead_seconds: d.real(), uncertainty_seconds: d.real() };
    HostSampling {
        host: d.text(),
        facts: None,
        samples: d.list(4, |d| Sample { counters: None, ..sample(d) }),
        volume: d.list(3, Draw::text),
        thermal_events: d.maybe(Draw::count),
        processor_use: processor_use(d),
        clock_before: clock(d),
        clock_after: clock(d),
    }
}
