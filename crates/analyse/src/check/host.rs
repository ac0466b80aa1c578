//! What the host was doing while a trial measured.

use super::Doubt;
use crate::{Evidence, Validity};
use model::{CpuShares, LoadResult, Sample};

/// Stolen share of processor time worth a notice.
const NOTICE_STEAL: f64 = 0.01;
/// Stolen share of processor time above which differences of the usual size may be the
/// hypervisor's.
const SUSPECT_STEAL: f64 = 0.05;
/// Share of processor time in use above which there was none left to speak of.
const SATURATED: f64 = 0.95;

/// Steal, and a host saturated by client and server together. The latter is a notice: in a closed
/// loop with both on one host it is how every sweep ends, and it is what limits throughput there;
/// a separate load host would measure something else.
pub(super) fn doubts(samples: &[Sample], load: &LoadResult) -> Vec<Doubt> {
    let begin = load.warmup.elapsed.as_secs_f64();
    let window = (begin, begin + load.measure.elapsed.as_secs_f64());
    let mut doubts = Vec::new();
    if let Some(share) = mean(samples, window, |cpu| cpu.steal).filter(|&s| s > NOTICE_STEAL) {
        let validity = if share > SUSPECT_STEAL { Validity::Suspect } else { Validity::Valid };
        doubts.push(Doubt { validity, evidence: Evidence::Steal { share } });
    }
    let shared = samples.iter().any(|sample| sample.server.is_some());
    if let Some(busy) = mean(samples, window, CpuShares::busy).filter(|&b| shared && b > SATURATED)
    {
        let evidence = Evidence::HostSaturated { busy };
        doubts.push(Doubt { validity: Validity::Valid, evidence });
    }
    doubts
}

/// The mean of a share over a window of time in seconds, every sample weighted with the part of
/// it that lies in the window; `None` when there is none.
fn mean(
    samples: &[Sample],
    (begin, end): (f64, f64),
    share: impl Fn(&CpuShares) -> f64,
) -> Option<f64> {
    let (mut sum, mut weight) = (0.0, 0.0);
    for sample in samples {
        let from = sample.at_seconds - sample.length.as_secs_f64();
        let overlap = sample.at_seconds.min(end) - from.max(begin);
        if overlap > 0.0 {
            sum += share(&sample.cpu) * overlap;
            weight += overlap;
        }
    }
    let mean = sum / weight;
    mean.is_finite().then_some(mean)
}
