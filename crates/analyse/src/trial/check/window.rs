//! What was sampled in the measured phase.

use model::{CpuShares, LoadResult, Sample, Sampling, ServerCounters};

/// Share of a sample's time that is no more than the moment by which samples and phases miss each
/// other. Without it one write of the neighbouring second would be a ten-thousandth of a write.
const NEGLIGIBLE: f64 = 0.01;

/// The measured phase of a load, in seconds from its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    begin: f64,
    end: f64,
}

impl Window {
    pub(crate) fn for_load(load: &LoadResult) -> Self {
        let begin = load.warmup.elapsed.as_secs_f64();
        Self { begin, end: begin + load.measure.elapsed.as_secs_f64() }
    }

    /// The part of a sample's time that lies in the window, in seconds; `None` where none does, or
    /// so little that samples and phases that should begin together may be as far apart.
    pub(crate) fn overlap(self, sample: &Sample) -> Option<f64> {
        let from = sample.at_seconds - sample.length.as_secs_f64();
        let overlap = sample.at_seconds.min(self.end) - from.max(self.begin);
        (overlap > NEGLIGIBLE * sample.length.as_secs_f64()).then_some(overlap)
    }

    /// The mean of a figure over the window, every sample weighted with the part of it that lies
    /// in the window; `None` when there is none.
    pub(super) fn mean(
        self,
        samples: &[Sample],
        figure: impl Fn(&Sample) -> Option<f64>,
    ) -> Option<f64> {
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

    /// The mean of a share of the processors' time.
    pub(super) fn mean_share(
        self,
        samples: &[Sample],
        share: impl Fn(&CpuShares) -> f64,
    ) -> Option<f64> {
        self.mean(samples, |sample| Some(share(&sample.cpu)))
    }

    /// The server's counters as they were nearest to both ends of the window, if these are two
    /// readings that span at least half of it.
    pub(super) fn counters(
        self,
        sampling: &Sampling,
    ) -> Option<(&ServerCounters, &ServerCounters)> {
        let edges = [&sampling.before, &sampling.after].into_iter().flatten();
        let edges = edges.map(|reading| (reading.at_seconds, &reading.counters));
        let samples = sampling.samples.iter();
        let samples = samples.filter_map(|s| Some((s.at_seconds, s.counters.as_ref()?)));
        let readings: Vec<(f64, &ServerCounters)> = edges.chain(samples).collect();
        let nearest = |moment: f64| {
            let distance = |reading: &(f64, _)| (reading.0 - moment).abs();
            readings.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)))
        };
        let (first, last) = (nearest(self.begin)?, nearest(self.end)?);
        (last.0 - first.0 > (self.end - self.begin) / 2.0).then_some((first.1, last.1))
    }
}

/// A counter at two moments; `None` where the server lacks it, or it was reset in between.
pub(super) fn pair(
    (first, last): (&ServerCounters, &ServerCounters),
    name: &str,
) -> Option<(u64, u64)> {
    let value = |counters: &ServerCounters| u64::try_from(*counters.get(name)?).ok();
    Some((value(first)?, value(last)?))
}

/// How much a counter grew between two moments.
pub(super) fn growth(counters: (&ServerCounters, &ServerCounters), name: &str) -> Option<u64> {
    let (first, last) = pair(counters, name)?;
    last.checked_sub(first)
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
