use serde::{Deserialize, Serialize};

/// What `iostat -x` shows of one device, or of several together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DiskRates {
    /// Kernel name, such as `nvme0n1`; several, with commas, where they are taken together.
    pub device: String,
    /// Reads completed per second (`r/s`).
    pub reads: f64,
    /// Writes completed per second (`w/s`). Linux counts a flush that was asked for as a write, one
    /// without bytes.
    pub writes: f64,
    /// Bytes read per second (`rkB/s`).
    pub read_bytes: f64,
    /// Bytes written per second (`wkB/s`).
    pub written_bytes: f64,
    /// Reads merged into another in the queue per second (`rrqm/s`); they are not among `reads`.
    pub reads_merged: f64,
    /// Writes merged into another in the queue per second (`wrqm/s`); they are not among `writes`.
    pub writes_merged: f64,
    /// Average time of a read, in the queue and on the device, in milliseconds (`r_await`); `None`
    /// when there were none.
    pub read_await_ms: Option<f64>,
    /// Average time of a write, in the queue and on the device, in milliseconds (`w_await`);
    /// `None` when there were none.
    pub write_await_ms: Option<f64>,
    /// Flushes of the device's cache that were carried out per second (`f/s`): one may serve several
    /// that were asked for.
    pub flushes: f64,
    /// Average time of a flush in milliseconds (`f_await`); `None` when there were none.
    pub flush_await_ms: Option<f64>,
    /// Discards completed per second (`d/s`).
    pub discards: f64,
    /// Bytes discarded per second (`dkB/s`).
    pub discarded_bytes: f64,
    /// Discards merged into another in the queue per second (`drqm/s`).
    pub discards_merged: f64,
    /// Average time of a discard in milliseconds (`d_await`); `None` when there were none.
    pub discard_await_ms: Option<f64>,
    /// Average number of requests in the queue or on the device (`aqu-sz`).
    pub queue: f64,
    /// Share of time in which the device had work, 0 to 1 (`%util`). One that serves several
    /// requests at once may take more at 1.
    pub utilisation: f64,
}

impl DiskRates {
    /// Reads and writes completed per second: what is called an IO.
    pub fn ios(&self) -> f64 {
        self.reads + self.writes
    }

    /// Average bytes of a read (`rareq-sz`); `None` when there were none.
    pub fn read_size(&self) -> Option<f64> {
        ratio(self.read_bytes, self.reads)
    }

    /// Average bytes of a write (`wareq-sz`); `None` when there were none.
    pub fn write_size(&self) -> Option<f64> {
        ratio(self.written_bytes, self.writes)
    }

    /// Share of the reads asked for that were merged into another (`%rrqm`), 0 to 1; `None` when
    /// there were none.
    pub fn reads_merged_share(&self) -> Option<f64> {
        ratio(self.reads_merged, self.reads + self.reads_merged)
    }

    /// Share of the writes asked for that were merged into another (`%wrqm`), 0 to 1; `None` when
    /// there were none.
    pub fn writes_merged_share(&self) -> Option<f64> {
        ratio(self.writes_merged, self.writes + self.writes_merged)
    }

    /// Requests to the device that one IO was made of on average, (IOs + merged) ÷ IOs, so at
    /// least 1; `None` when there were no IOs.
    pub fn merge_factor(&self) -> Option<f64> {
        ratio(self.ios() + self.reads_merged + self.writes_merged, self.ios())
    }

    /// Figures added up, each with its weight: with weight 1 those of several devices at one time
    /// are those of all together, and weighted with shares of a time those of one device are those
    /// of the whole time. Times of requests are averaged over the requests; utilisation is added
    /// up like a rate.
    pub fn combined<'a>(
        device: impl Into<String>,
        parts: impl IntoIterator<Item = (&'a DiskRates, f64)>,
    ) -> Self {
        let mut sum = Self { device: device.into(), ..Self::default() };
        let mut times = [MeanTime::default(); 4];
        for (part, weight) in parts {
            sum.reads += part.reads * weight;
            sum.writes += part.writes * weight;
            sum.read_bytes += part.read_bytes * weight;
            sum.written_bytes += part.written_bytes * weight;
            sum.reads_merged += part.reads_merged * weight;
            sum.writes_merged += part.writes_merged * weight;
            sum.flushes += part.flushes * weight;
            sum.discards += part.discards * weight;
            sum.discarded_bytes += part.discarded_bytes * weight;
            sum.discards_merged += part.discards_merged * weight;
            sum.queue += part.queue * weight;
            sum.utilisation += part.utilisation * weight;
            let [read, write, flush, discard] = &mut times;
            read.add(part.read_await_ms, part.reads * weight);
            write.add(part.write_await_ms, part.writes * weight);
            flush.add(part.flush_await_ms, part.flushes * weight);
            discard.add(part.discard_await_ms, part.discards * weight);
        }
        let [read, write, flush, discard] = times.map(|time| time.mean());
        sum.read_await_ms = read;
        sum.write_await_ms = write;
        sum.flush_await_ms = flush;
        sum.discard_await_ms = discard;
        sum
    }
}

/// `None` where there is nothing to divide by.
fn ratio(amount: f64, unit: f64) -> Option<f64> {
    (unit > 0.0).then(|| amount / unit)
}

/// The mean time of requests that come in groups.
#[derive(Clone, Copy, Debug, Default)]
struct MeanTime {
    milliseconds: f64,
    requests: f64,
}

impl MeanTime {
    fn add(&mut self, mean_ms: Option<f64>, requests: f64) {
        if let Some(mean_ms) = mean_ms {
            self.milliseconds += mean_ms * requests;
            self.requests += requests;
        }
    }

    fn mean(self) -> Option<f64> {
        ratio(self.milliseconds, self.requests)
    }
}

/// What the devices of a volume did together.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeRates {
    /// Rates and queues added up, times averaged over all requests. `utilisation` is the mean of
    /// the devices, so that a sum never exceeds all of the time.
    pub together: DiskRates,
    /// Utilisation of the device that had work most of the time, 0 to 1.
    pub busiest: f64,
}

impl VolumeRates {
    /// Of these devices, of which none may be another's part; `None` where there are none.
    pub fn from_disks(disks: &[&DiskRates]) -> Option<Self> {
        let busiest = disks.iter().map(|disk| disk.utilisation).reduce(f64::max)?;
        let names: Vec<&str> = disks.iter().map(|disk| disk.device.as_str()).collect();
        let together = DiskRates::combined(names.join(", "), disks.iter().map(|disk| (*disk, 1.0)));
        let utilisation = together.utilisation / disks.len() as f64;
        Some(Self { together: DiskRates { utilisation, ..together }, busiest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sample;

    fn first() -> DiskRates {
        DiskRates {
            device: "sda".into(),
            reads: 10.0,
            writes: 100.0,
            written_bytes: 409_600.0,
            writes_merged: 300.0,
            read_await_ms: Some(4.0),
            write_await_ms: Some(1.0),
            queue: 0.5,
            utilisation: 0.2,
            ..DiskRates::default()
        }
    }

    fn second() -> DiskRates {
        DiskRates {
            device: "sdb".into(),
            writes: 300.0,
            written_bytes: 409_600.0,
            write_await_ms: Some(5.0),
            queue: 1.5,
            utilisation: 0.6,
            ..DiskRates::default()
        }
    }

    #[test]
    fn rates_of_a_volume_add_up_and_times_are_those_of_all_requests() {
        let VolumeRates { together, busiest } =
            VolumeRates::from_disks(&[&first(), &second()]).unwrap();
        assert_eq!(together.device, "sda, sdb");
        assert_eq!((together.reads, together.writes, together.ios()), (10.0, 400.0, 410.0));
        assert_eq!(together.write_await_ms, Some(4.0), "(100 × 1 + 300 × 5) / 400");
        assert_eq!(together.read_await_ms, Some(4.0), "only one of them read");
        assert_eq!(together.flush_await_ms, None);
        assert_eq!(together.queue, 2.0);
        assert!((together.utilisation - 0.4).abs() < 1e-12, "the mean: {}", together.utilisation);
        assert_eq!(busiest, 0.6);
        assert_eq!(VolumeRates::from_disks(&[]), None);
    }

    #[test]
    fn a_volume_is_known_where_all_its_devices_were_sampled() {
        let sample = Sample { disks: vec![first(), second()], ..Sample::default() };
        let of = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            VolumeRates::sampled(&sample, &names).map(|volume| volume.together.writes)
        };
        assert_eq!(of(&["sdb"]), Some(300.0));
        assert_eq!(of(&["sda", "sdb"]), Some(400.0));
        assert_eq!(of(&["sda", "sdc"]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn figures_of_one_device_are_averaged_over_time() {
        let busy = first();
        let idle = DiskRates { device: "sda".into(), ..DiskRates::default() };
        let mean = DiskRates::combined("sda", [(&busy, 0.25), (&idle, 0.75)]);
        assert_eq!((mean.writes, mean.writes_merged, mean.queue), (25.0, 75.0, 0.125));
        assert_eq!(mean.write_await_ms, Some(1.0), "an idle time has no requests that wait");
        assert_eq!(mean.utilisation, 0.05);
    }

    #[test]
    fn sizes_and_shares_are_those_of_iostat() {
        let disk = first();
        assert_eq!(disk.write_size(), Some(4096.0));
        assert_eq!((disk.read_size(), DiskRates::default().read_size()), (Some(0.0), None));
        assert_eq!(disk.writes_merged_share(), Some(0.75));
        assert_eq!(disk.reads_merged_share(), Some(0.0));
        assert_eq!(disk.merge_factor(), Some(410.0 / 110.0));
        let idle = DiskRates::default();
        assert_eq!((idle.writes_merged_share(), idle.merge_factor()), (None, None));
    }
}
