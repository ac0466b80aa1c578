use crate::{DiskRates, HostAccount, HostFacts, ProcessorUse, ServerCounters, VolumeRates};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Duration;

/// All that was sampled while a trial ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// One every [`crate::Study::sample_every`], in order of time. Empty when nothing could be
    /// sampled.
    pub samples: Vec<Sample>,
    /// The server's counters just before the first connection of the load.
    pub before: Option<CounterReading>,
    /// The server's counters just after the last reply of the load.
    pub after: Option<CounterReading>,
    /// What the kernel counted between those two moments.
    pub account: HostAccount,
    /// Kernel names of the disks that the server's data directory stands on, as in
    /// [`DiskRates::device`]: of an array its members. Empty where that is not known, and of a
    /// server that is not weighin's own.
    pub volume: Vec<String>,
    /// The same of the machine that the target is on, where that is known to be another than the one
    /// which makes the load. The disks of `volume`, and the server's part of `account`, are of it.
    pub target_host: Option<Box<HostSampling>>,
    /// The same of the machines that made the load, where that was not the one that weighin runs on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_hosts: Vec<HostSampling>,
    /// How long the target took to answer, just before the load, what takes it no work: the quickest of
    /// several answers over a connection like those of the load, in milliseconds. Absent where the load
    /// comes from other machines, and of a target without a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip_ms: Option<f64>,
    /// How large the data of the load was before it and after it, where the server tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataSize>,
}

/// What the tables of a database take, with their indexes: as large as their files, all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataSize {
    /// The rows that weighin made before the load; absent where somebody else did.
    pub rows: Option<u64>,
    pub bytes_before: u64,
    pub bytes_after: u64,
}

impl Sampling {
    /// The samples of the machine that the target is on, where it is known to be another; of volumes on
    /// several machines those of all together; else those of the one that makes the load.
    pub fn target_samples(&self) -> Cow<'_, [Sample]> {
        match (&self.target_host, self.volume_hosts().as_slice()) {
            (Some(host), _) => Cow::Borrowed(&host.samples),
            (None, []) => Cow::Borrowed(&self.samples),
            (None, [host]) => Cow::Borrowed(&host.samples),
            (None, hosts) => Cow::Owned(together(hosts)),
        }
    }

    /// The disks under the target's data, as [`Self::target_samples`] names them: of volumes on several
    /// machines with the machine before them.
    pub fn target_disks(&self) -> Vec<String> {
        match self.volume_hosts().as_slice() {
            [] => self.volume.clone(),
            [host] => host.volume.clone(),
            hosts => {
                let of = |host: &HostSampling| {
                    let disks = host.volume.iter().map(|disk| on(&host.host, disk));
                    disks.collect::<Vec<_>>()
                };
                hosts.iter().flat_map(|host| of(host)).collect()
            }
        }
    }

    /// The machines that made the load on volumes of their own.
    pub fn volume_hosts(&self) -> Vec<&HostSampling> {
        self.load_hosts.iter().filter(|host| !host.volume.is_empty()).collect()
    }
}

/// What was sampled on another machine than the one that weighin runs on: that of a target, or one that
/// makes the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostSampling {
    /// What the study calls that machine.
    pub host: String,
    /// What it is; of a machine that makes the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<HostFacts>,
    /// As [`Sampling::samples`], on the same time line. `client` is weighin's agent there, with the
    /// load generators that it started; they have no counters of the server.
    pub samples: Vec<Sample>,
    /// The disks there, as in [`Sampling::volume`], under volumes on which it makes the load itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volume: Vec<String>,
    /// As [`HostAccount::thermal_events`].
    pub thermal_events: Option<u64>,
    /// As [`HostAccount::processor_use`].
    #[serde(default)]
    pub processor_use: ProcessorUse,
    /// Its clock just before the load.
    pub clock_before: ClockReading,
    /// Its clock just after the load.
    pub clock_after: ClockReading,
}

/// What a disk of one of several machines is called.
fn on(host: &str, disk: &str) -> String {
    format!("{host}:{disk}")
}

/// What several machines did at the same times: processors on average over all of them, disks side by
/// side. Samples of each are joined to those of the first that are nearest in time.
fn together(hosts: &[&HostSampling]) -> Vec<Sample> {
    let Some((first, others)) = hosts.split_first() else { return Vec::new() };
    let joined = first.samples.iter().map(|sample| {
        let half = sample.length.as_secs_f64() / 2.0;
        let mut parts = vec![(*first, sample)];
        for other in others {
            let apart = |one: &Sample| (one.at_seconds - sample.at_seconds).abs();
            let nearest = other.samples.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)));
            parts.extend(nearest.filter(|one| apart(one) <= half).map(|one| (*other, one)));
        }
        let all: f64 = parts.iter().map(|(host, _)| cpus(host)).sum();
        let mean = |share: fn(&CpuShares) -> f64| {
            parts.iter().map(|(host, one)| share(&one.cpu) * cpus(host) / all).sum()
        };
        Sample {
            at_seconds: sample.at_seconds,
            length: sample.length,
            cpu: CpuShares {
                user: mean(|cpu| cpu.user),
                system: mean(|cpu| cpu.system),
                iowait: mean(|cpu| cpu.iowait),
                steal: mean(|cpu| cpu.steal),
                idle: mean(|cpu| cpu.idle),
            },
            disks: parts
                .iter()
                .flat_map(|(host, one)| {
                    one.disks.iter().map(|disk| DiskRates {
                        device: on(&host.host, &disk.device),
                        ..disk.clone()
                    })
                })
                .collect(),
            context_switches: parts.iter().map(|(_, one)| one.context_switches).sum(),
            client: ProcessUsage {
                cpus: parts.iter().map(|(_, one)| one.client.cpus).sum(),
                system_cpus: parts.iter().map(|(_, one)| one.client.system_cpus).sum(),
                rss_bytes: parts.iter().map(|(_, one)| one.client.rss_bytes).sum(),
            },
            ..Sample::default()
        }
    });
    joined.collect()
}

/// Processors of a machine; 1 where it is not known how many, so that all count alike.
fn cpus(host: &HostSampling) -> f64 {
    host.facts.as_ref().map_or(1.0, |facts| f64::from(facts.cpus.max(1)))
}

/// A clock of another machine, read over a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClockReading {
    /// By how many seconds its time of day is ahead of that of the machine which makes the load;
    /// negative where it is behind.
    pub ahead_seconds: f64,
    /// By how much that may be wrong at most, in seconds: half of the shortest round trip.
    pub uncertainty_seconds: f64,
}

/// One reading of host and server: rates and shares since the previous reading.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// When it was taken, counted from the start of the load (negative: before it), in seconds.
    pub at_seconds: f64,
    /// How much time its rates cover.
    pub length: Duration,
    /// The processors of the host.
    pub cpu: CpuShares,
    /// How often they turned to another thread, per second; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_switches: Option<f64>,
    /// Its disks that did anything since boot.
    pub disks: Vec<DiskRates>,
    /// The server process, where it runs on this host.
    pub server: Option<ProcessUsage>,
    /// The processes of its replicas together, where they run on this host.
    pub replicas: Option<ProcessUsage>,
    /// The pooler or proxy on the way of the load, where that runs on this host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<ProcessUsage>,
    /// Processors that a delay on the way of the load used, where that is added on this host: threads of weighin
    /// that are no part of `client`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_cpus: Option<f64>,
    /// Weighin itself.
    pub client: ProcessUsage,
    /// The server's counters, where it answered.
    pub counters: Option<ServerCounters>,
}

impl Sample {
    /// Processors that weighin used together with what it measures: the server, its replicas, what is on the way of
    /// the load, and what makes it.
    pub fn own_cpus(&self) -> f64 {
        let processes = [self.server, self.replicas, self.proxy, Some(self.client)];
        let used = processes.iter().flatten().map(|process| process.cpus);
        used.chain(self.delay_cpus).sum()
    }
}

/// Where the processors' time went, as shares of all processors together; they add up to 1. All
/// are 0 where an imported log says nothing of processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuShares {
    /// User, with nice.
    pub user: f64,
    /// Kernel, with interrupts.
    pub system: f64,
    /// Idle with IO outstanding.
    pub iowait: f64,
    /// Taken by the hypervisor.
    pub steal: f64,
    /// Idle.
    pub idle: f64,
}

impl CpuShares {
    /// Whether anything is known of them.
    pub fn is_known(&self) -> bool {
        *self != Self::default()
    }

    /// Share of time in which the processors worked for this host.
    pub fn busy(&self) -> f64 {
        self.user + self.system
    }
}

/// What a process used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessUsage {
    /// Processors used: 1.5 is one and a half.
    pub cpus: f64,
    /// Those used in the kernel.
    #[serde(default)]
    pub system_cpus: f64,
    /// Resident memory in bytes.
    pub rss_bytes: u64,
}

/// Server counters at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CounterReading {
    /// Counted from the start of the load (negative: before it), in seconds.
    pub at_seconds: f64,
    /// The counters.
    pub counters: ServerCounters,
}

impl VolumeRates {
    /// Of the devices of that name in a sample; `None` where there are none, or one of them was
    /// not sampled.
    pub fn sampled(sample: &Sample, devices: &[String]) -> Option<Self> {
        let disk = |name: &String| sample.disks.iter().find(|disk| disk.device == *name);
        let disks: Vec<&DiskRates> = devices.iter().map(disk).collect::<Option<_>>()?;
        Self::from_disks(&disks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, cpus: u32, samples: &[(f64, f64, f64)]) -> HostSampling {
        let sample = |&(at_seconds, user, reads): &(f64, f64, f64)| Sample {
            at_seconds,
            length: Duration::from_secs(1),
            cpu: CpuShares { user, idle: 1.0 - user, ..CpuShares::default() },
            disks: vec![DiskRates { device: "sda".to_owned(), reads, ..DiskRates::default() }],
            client: ProcessUsage { cpus: 1.0, rss_bytes: 10, ..ProcessUsage::default() },
            ..Sample::default()
        };
        HostSampling {
            host: name.to_owned(),
            facts: Some(HostFacts { cpus, ..HostFacts::default() }),
            samples: samples.iter().map(sample).collect(),
            volume: vec!["sda".to_owned()],
            ..HostSampling::default()
        }
    }

    #[test]
    fn machines_of_one_fleet_are_seen_together_and_their_disks_apart() {
        let load_hosts = vec![
            host("a", 2, &[(1.0, 0.5, 10.0), (2.0, 0.5, 20.0)]),
            // It had no sample at 2 s.
            host("b", 6, &[(1.1, 0.1, 30.0)]),
        ];
        let sampling = Sampling { load_hosts, ..Sampling::default() };
        assert_eq!(sampling.target_disks(), ["a:sda", "b:sda"]);
        let samples = sampling.target_samples();
        assert_eq!(samples.len(), 2);
        assert!((samples[0].cpu.user - 0.2).abs() < 1e-12, "{:?}", samples[0].cpu);
        assert_eq!(samples[0].client.cpus, 2.0);
        let reads = |sample: &Sample| {
            let named = sample.disks.iter().map(|disk| (disk.device.clone(), disk.reads));
            named.collect::<Vec<_>>()
        };
        assert_eq!(reads(&samples[0]), [("a:sda".to_owned(), 10.0), ("b:sda".to_owned(), 30.0)]);
        assert_eq!(reads(&samples[1]), [("a:sda".to_owned(), 20.0)]);
    }

    #[test]
    fn one_machine_with_volumes_is_seen_as_it_is() {
        let load_hosts = vec![host("a", 2, &[(1.0, 0.5, 10.0)])];
        let sampling = Sampling { load_hosts, ..Sampling::default() };
        assert_eq!(sampling.target_disks(), ["sda"]);
        assert_eq!(sampling.target_samples()[0].disks[0].device, "sda");
    }
}
