use crate::{LatencyFigure, Slo};
use serde::{Deserialize, Serialize};

/// What the highest load that is searched for must meet; at least one of the three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// A bound on latency.
    pub slo: Option<Slo>,
    /// How busy the processors of this host may be, in percent of all of them: 1 to 99. The load
    /// generator's own share counts.
    pub cpu_percent: Option<u8>,
    /// Whether these are the processors that virtual machines share, in place of those of
    /// the host.
    pub cpu_of_vms: bool,
    /// How far replicas may be behind, in milliseconds; nor may they fall further behind while a
    /// load goes on.
    pub replica_lag_ms: Option<u64>,
}

impl Bound {
    /// A bound on latency alone.
    pub fn latency(slo: Slo) -> Self {
        Self { slo: Some(slo), ..Self::default() }
    }

    /// The figure of latency that the steps of a search give: the bounded one, or the mean.
    pub fn figure(&self) -> LatencyFigure {
        self.slo.map_or(LatencyFigure::Mean, |slo| slo.figure)
    }

    /// Whether processors that are busy for this share of their time, 0 to 1, meet it.
    pub fn allows_busy(&self, share: f64) -> bool {
        self.cpu_percent.is_none_or(|percent| share * 100.0 <= f64::from(percent))
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let whose =
            if self.cpu_of_vms { "the virtual machines’ processors" } else { "processors" };
        let slo = self.slo.map(|slo| slo.to_string());
        let busy = self.cpu_percent.map(|percent| format!("{whose} at most {percent} % busy"));
        let lag = self
            .replica_lag_ms
            .map(|millis| format!("replicas at most {} s behind", millis as f64 / 1e3));
        let all: Vec<String> = slo.into_iter().chain(busy).chain(lag).collect();
        match all.as_slice() {
            [] => f.write_str("no bound"),
            all => f.write_str(&all.join(" and ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_read_as_conditions() {
        let slo = "p99 < 1ms".parse().ok();
        let bound = |slo, cpu_percent| Bound { slo, cpu_percent, ..Bound::default() }.to_string();
        assert_eq!(bound(slo, None), "p99 < 1 ms");
        assert_eq!(bound(None, Some(60)), "processors at most 60 % busy");
        assert_eq!(bound(slo, Some(60)), "p99 < 1 ms and processors at most 60 % busy");
        let of_vms = Bound { cpu_percent: Some(60), cpu_of_vms: true, ..Bound::default() };
        let of_vms = of_vms.to_string();
        let lag = Bound { slo, replica_lag_ms: Some(1500), ..Bound::default() }.to_string();
        assert_eq!(lag, "p99 < 1 ms and replicas at most 1.5 s behind");
        assert_eq!(of_vms, "the virtual machines’ processors at most 60 % busy");
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        let bound = Bound { cpu_percent: Some(60), ..Bound::default() };
        assert!(bound.allows_busy(0.6) && !bound.allows_busy(0.61));
        assert!(Bound::default().allows_busy(1.0));
    }
}
