use crate::{CpuShares, LoadResult, Sample, Sampling, ServerCounters};

/// Share of a sample's time that is no more than the moment by which samples and phases miss each
/// other. Without it one write of the neighbouring second would be a ten-thousandth of a write.
const NEGLIGIBLE: f64 = 0.01;

/// The measured phase of a load, in seconds from its start: what was sampled in it is read through this.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    begin: f64,
    end: f64,
}

/// Counters and when they were read.
type Reading<'a> = (f64, &'a ServerCounters);

impl Window {
    pub fn for_load(load: &LoadResult) -> Self {
        let begin = load.warmup.elapsed.as_secs_f64();
        Self { begin, end: begin + load.measure.elapsed.as_secs_f64() }
    }

    /// The part of a sample's time that lies in the window, in seconds; `None` where none does, or
    /// so little that samples and phases that should begin together may be as far apart.
    pub fn overlap(self, sample: &Sample) -> Option<f64> {
        let from = sample.at_seconds - sample.length.as_secs_f64();
        let overlap = sample.at_seconds.min(self.end) - from.max(self.begin);
        (overlap > NEGLIGIBLE * sample.length.as_secs_f64()).then_some(overlap)
    }

    /// The mean of a figure over the window, every sample weighted with the part of it that lies
    /// in the window; `None` when there is none.
    pub fn mean(self, samples: &[Sample], figure: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
        let (mut sum, mut weight) = (0.0, 0.0);
        for sample in samples {
            let Some(overlap) = self.overlap(sample) else { continue };
            if let Some(value) = figure(sample) {
                sum += value * overlap;
                weight += overlap;
            }
        }
        let mean = sum / weight;
        mean.is_finite().then_some(mean)
    }

    /// Its length in seconds.
    pub fn seconds(self) -> f64 {
        self.end - self.begin
    }

    /// The share of it that was sampled with such a figure, 0 to 1.
    pub fn sampled(self, samples: &[Sample], has: impl Fn(&Sample) -> bool) -> f64 {
        let sampled = samples.iter().filter(|sample| has(sample));
        let sum: f64 = sampled.filter_map(|sample| self.overlap(sample)).sum();
        if self.seconds() > 0.0 { sum / self.seconds() } else { 0.0 }
    }

    /// The growth of a counter per second over the readings nearest to both ends of the window, if these
    /// span at least half of it; `None` where the server lacks it, or it was reset in between.
    pub fn growth(self, sampling: &Sampling, name: &str) -> Option<f64> {
        let [first, last] = self.readings(sampling)?;
        let grown = last.1.get(name)?.checked_sub(*first.1.get(name)?)?;
        u64::try_from(grown).ok().map(|grown| grown as f64 / (last.0 - first.0))
    }

    /// The mean of a share of the processors' time.
    pub fn mean_share(self, samples: &[Sample], share: impl Fn(&CpuShares) -> f64) -> Option<f64> {
        self.mean(samples, |sample| Some(share(&sample.cpu)))
    }

    /// The server's counters as they were nearest to both ends of the window, if these are two
    /// readings that span at least half of it.
    pub fn counters(self, sampling: &Sampling) -> Option<(&ServerCounters, &ServerCounters)> {
        self.readings(sampling).map(|[first, last]| (first.1, last.1))
    }

    /// The same with the moments of both.
    fn readings(self, sampling: &Sampling) -> Option<[Reading<'_>; 2]> {
        let edges = [&sampling.before, &sampling.after].into_iter().flatten();
        let edges = edges.map(|reading| (reading.at_seconds, &reading.counters));
        let samples = sampling.samples.iter();
        let samples = samples.filter_map(|s| Some((s.at_seconds, s.counters.as_ref()?)));
        let readings: Vec<Reading<'_>> = edges.chain(samples).collect();
        let nearest = |moment: f64| {
            let distance = |reading: &Reading<'_>| (reading.0 - moment).abs();
            readings.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)))
        };
        let (first, last) = (nearest(self.begin)?, nearest(self.end)?);
        (last.0 - first.0 > (self.end - self.begin) / 2.0).then_some([first, last])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_sample_that_hardly_reaches_into_the_window_is_not_of_it() {
        let window = Window { begin: 1.0, end: 3.0 };
        let sample =
            |at_seconds| Sample { at_seconds, length: Duration::from_secs(1), ..Sample::default() };
        assert_eq!(window.overlap(&sample(1.0)), None);
        assert_eq!(window.overlap(&sample(1.005)), None);
        assert_eq!(window.overlap(&sample(1.5)), Some(0.5));
        assert_eq!(window.overlap(&sample(3.0)), Some(1.0));
        assert_eq!(window.overlap(&sample(3.995)), None);
    }
}
