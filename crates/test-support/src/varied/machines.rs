//! What was seen of machines.

use super::{Draw, sample};
use model::{ClockReading, HostSampling, NamedUse, ProcessorUse, Sample};

pub(super) fn processor_use(d: &mut Draw) -> ProcessorUse {
    let named = |d: &mut Draw| NamedUse {
        name: d.text(),
        cpus: f64::from(d.small()),
        is_ours: d.small().is_multiple_of(2),
    };
    ProcessorUse {
        boot: d.maybe(Draw::text),
        cpus: d.small(),
        apart: d.list(3, Draw::small),
        processes: d.list(3, named),
    }
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
