use crate::{CpuShares, LoadResult, Sample, Sampling, ServerCounters, Slice};

/// Share of a sample's time that is no more than the moment by which samples and phases miss each
/// other. Without it one write of the neighbouring second would be a ten-thousandth of a write.
const NEGLIGIBLE: f64 = 0.01;

/// The measured phase of a load, in seconds from its start: what was sampled in it is read through this.
/// That of a load that took turns with others is several slices.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// From when until when.
    first: (f64, f64),
    /// The same of the other slices, in order of time.
    others: Vec<(f64, f64)>,
}

/// Counters and when they were read.
type Reading<'a> = (f64, &'a ServerCounters);

impl Window {
    pub fn for_load(load: &LoadResult) -> Self {
        let seconds = |slice: &Slice| (slice.from.as_secs_f64(), slice.until.as_secs_f64());
        if let Some((first, others)) = load.slices.split_first() {
            return Self { first: seconds(first), others: others.iter().map(seconds).collect() };
        }
        let begin = load.warmup.elapsed.as_secs_f64();
        let first = (begin, begin + load.measure.elapsed.as_secs_f64());
        Self { first, others: Vec::new() }
    }

    fn slices(&self) -> impl Iterator<Item = (f64, f64)> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    /// The part of a sample's time that lies in the window, in seconds; `None` where none does, or
    /// so little that samples and phases that should begin together may be as far apart.
    pub fn overlap(&self, sample: &Sample) -> Option<f64> {
        let length = sample.length.as_secs_f64();
        let (from, until) = (sample.at_seconds - length, sample.at_seconds);
        let of_slice = |(begin, end): (f64, f64)| (until.min(end) - from.max(begin)).max(0.0);
        let overlap: f64 = self.slices().map(of_slice).sum();
        (overlap > NEGLIGIBLE * length).then_some(overlap)
    }

    /// The mean of a figure over the window, every sample weighted with the part of it that lies
    /// in the window; `None` when there is none.
    pub fn mean(&self, samples: &[Sample], figure: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
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

    /// What a figure per second comes to over the window. A sample that lies in it counts as a whole, as
    /// the counters were read, so that what it comes to is their growth between the readings nearest to
    /// the edges of the window; of one that reaches over an edge the part within counts. What was not sampled is
    /// taken to be as what was. `None` when there is no sample.
    pub fn amount(
        &self,
        samples: &[Sample],
        figure: impl Fn(&Sample) -> Option<f64>,
    ) -> Option<f64> {
        let (mut sum, mut counted) = (0.0, 0.0);
        for sample in samples {
            let Some(overlap) = self.overlap(sample) else { continue };
            let length = sample.length.as_secs_f64();
            let is_within = overlap >= (1.0 - NEGLIGIBLE) * length;
            if let Some(value) = figure(sample) {
                let part = if is_within { length } else { overlap };
                sum += value * part;
                counted += part;
            }
        }
        let is_all = counted >= (1.0 - NEGLIGIBLE) * self.seconds();
        let amount = if is_all { sum } else { sum / counted * self.seconds() };
        amount.is_finite().then_some(amount)
    }

    /// Its length in seconds.
    pub fn seconds(&self) -> f64 {
        self.slices().map(|(begin, end)| end - begin).sum()
    }

    /// The share of it that was sampled with such a figure, 0 to 1.
    pub fn sampled(&self, samples: &[Sample], has: impl Fn(&Sample) -> bool) -> f64 {
        let sampled = samples.iter().filter(|sample| has(sample));
        let sum: f64 = sampled.filter_map(|sample| self.overlap(sample)).sum();
        if self.seconds() > 0.0 { sum / self.seconds() } else { 0.0 }
    }

    /// The growth of a counter per second over the readings nearest to both ends of each slice, if these
    /// span at least half of the window; `None` where the server lacks it, or it was reset in between.
    pub fn growth(&self, sampling: &Sampling, name: &str) -> Option<f64> {
        let (mut grown, mut seconds) = (0.0, 0.0);
        for [first, last] in self.readings(sampling)? {
            let more = last.1.get(name)?.checked_sub(*first.1.get(name)?)?;
            grown += u64::try_from(more).ok()? as f64;
            seconds += last.0 - first.0;
        }
        Some(grown / seconds)
    }

    /// The mean of a share of the processors' time.
    pub fn mean_share(&self, samples: &[Sample], share: impl Fn(&CpuShares) -> f64) -> Option<f64> {
        self.mean(samples, |sample| Some(share(&sample.cpu)))
    }

    /// The server's counters as they were nearest to both ends of the window, if these are two
    /// readings that span at least half of it.
    pub fn counters<'a>(
        &self,
        sampling: &'a Sampling,
    ) -> Option<(&'a ServerCounters, &'a ServerCounters)> {
        let slices = self.readings(sampling)?;
        Some((slices.first()?[0].1, slices.last()?[1].1))
    }

    /// The readings nearest to both ends of each slice, where those of all together span at least half
    /// of the window.
    fn readings<'a>(&self, sampling: &'a Sampling) -> Option<Vec<[Reading<'a>; 2]>> {
        let edges = [&sampling.before, &sampling.after].into_iter().flatten();
        let edges = edges.map(|reading| (reading.at_seconds, &reading.counters));
        let samples = sampling.samples.iter();
        let samples = samples.filter_map(|s| Some((s.at_seconds, s.counters.as_ref()?)));
        let readings: Vec<Reading<'_>> = edges.chain(samples).collect();
        let nearest = |moment: f64| {
            let distance = |reading: &Reading<'_>| (reading.0 - moment).abs();
            readings.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)))
        };
        let of_slice = |(begin, end): (f64, f64)| Some([nearest(begin)?, nearest(end)?]);
        let slices: Vec<_> = self.slices().map(of_slice).collect::<Option<_>>()?;
        let spanned: f64 = slices.iter().map(|[first, last]| last.0 - first.0).sum();
        (spanned > self.seconds() / 2.0).then_some(slices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_sample_that_hardly_reaches_into_the_window_is_not_of_it() {
        let window = Window { first: (1.0, 3.0), others: Vec::new() };
        let sample =
            |at_seconds| Sample { at_seconds, length: Duration::from_secs(1), ..Sample::default() };
        assert_eq!(window.overlap(&sample(1.0)), None);
        assert_eq!(window.overlap(&sample(1.005)), None);
        assert_eq!(window.overlap(&sample(1.5)), Some(0.5));
        assert_eq!(window.overlap(&sample(3.0)), Some(1.0));
        assert_eq!(window.overlap(&sample(3.995)), None);
    }

    #[test]
    fn an_amount_is_the_growth_of_counters_between_the_readings_nearest_to_the_edges() {
        let window = Window { first: (1.0, 3.0), others: Vec::new() };
        // Ending then, so long, and so many a second.
        let amount = |samples: &[(f64, f64, f64)]| {
            let sample = |&(at_seconds, seconds, rate): &(f64, f64, f64)| Sample {
                at_seconds,
                length: Duration::from_secs_f64(seconds),
                context_switches: Some(rate),
                ..Sample::default()
            };
            let samples: Vec<Sample> = samples.iter().map(sample).collect();
            window.amount(&samples, |sample| sample.context_switches)
        };
        // 7 and 11, read a little late each time; what came before and after does not count.
        let late = [
            (1.002, 1.0, 500.0),
            (2.004, 1.002, 7.0 / 1.002),
            (3.003, 0.999, 11.0 / 0.999),
            (4.0, 1.0, 900.0),
        ];
        assert!((amount(&late).unwrap() - 18.0).abs() < 1e-9, "{:?}", amount(&late));
        // Half of one that ends half a second later.
        assert_eq!(amount(&[(2.5, 1.5, 4.0), (3.5, 1.0, 10.0)]), Some(11.0));
        // One second of two.
        assert_eq!(amount(&[(2.0, 1.0, 7.0)]), Some(14.0));
        assert_eq!(amount(&[(1.0, 1.0, 7.0)]), None);
    }

    #[test]
    fn slices_are_measured_and_what_lies_between_them_is_not() {
        let window = Window { first: (1.0, 3.0), others: vec![(7.0, 9.0)] };
        let sample = |at_seconds: f64, count: i64| Sample {
            at_seconds,
            length: Duration::from_secs(1),
            counters: Some([("commits".to_owned(), count)].into_iter().collect()),
            ..Sample::default()
        };
        assert_eq!(window.seconds(), 4.0);
        let counts = [5, 15, 25, 30, 30, 30, 40, 60, 80, 90];
        let samples: Vec<Sample> =
            (1..).zip(counts).map(|(second, count)| sample(f64::from(second), count)).collect();
        let measured = samples.iter().filter(|sample| window.overlap(sample).is_some());
        assert_eq!(
            measured.map(|sample| sample.at_seconds).collect::<Vec<_>>(),
            [2.0, 3.0, 8.0, 9.0]
        );
        let spanning = Sample { length: Duration::from_secs(8), ..sample(9.0, 0) };
        assert_eq!(window.overlap(&spanning), Some(4.0));
        let sampling = Sampling { samples, ..Sampling::default() };
        // 20 in the first slice, 40 in the second, 4 s.
        assert_eq!(window.growth(&sampling, "commits"), Some(15.0));
        let (first, last) = window.counters(&sampling).unwrap();
        assert_eq!((first["commits"], last["commits"]), (5, 80));
    }
}
