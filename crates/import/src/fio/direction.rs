//! Reads, writes or trims of jobs that ran together.

use super::moments::Moments;
use crate::figures::{Bounded, Figures, percentile};
use crate::json::Json;
use model::{FigureNumber, FigureValue, Latencies};

/// The percentiles that are taken, of the seventeen that fio prints unless told otherwise.
pub(super) const PERCENTILES: [f64; 6] = [50.0, 90.0, 95.0, 99.0, 99.9, 99.99];

/// What latencies are of.
const COMPLETION: &str = "of completion";
const TOTAL: &str = "from submission to completion";

/// One direction of the jobs of a group, where it did anything.
pub(super) struct Direction<'a> {
    name: &'static str,
    /// One for each job.
    parts: Vec<Json<'a>>,
    /// What fio tells of them together itself.
    together: Option<Json<'a>>,
}

/// Where fio's bins end: what took longer counts as this. In nanoseconds, and in the microseconds of
/// version 2.
const CEILINGS: [(f64, &str); 2] = [(17_112_760_320.0, "ns"), (16_711_680.0, "us")];

/// Says of percentiles at the end of fio's bins that only a bound is known.
pub(super) fn bounds(figures: &mut Figures) {
    // Those of bins are known to the grain of a histogram.
    const GRAIN: f64 = 2e-3;
    for figure in &mut figures.0 {
        let FigureValue::Number(number) = figure.value else { continue };
        let is = |(ceiling, unit): &(f64, &str)| match figure.unit == *unit {
            true => number.value >= *ceiling,
            false => {
                figure.unit == "ms"
                    && *unit == "ns"
                    && number.value * 1e6 >= ceiling * (1.0 - GRAIN)
            }
        };
        if figure.metric.contains("latency_p") && CEILINGS.iter().any(is) {
            figure.at_least(number.value, "where fio's bins end");
        }
    }
}

impl<'a> Direction<'a> {
    pub(super) fn from_jobs(
        name: &'static str,
        jobs: &[Json<'a>],
        together: Option<Json<'a>>,
    ) -> Option<Self> {
        let parts: Vec<Json<'a>> = jobs
            .iter()
            .filter_map(|job| job.at(&[name]))
            .filter(|part| number(*part, &["io_bytes"]).is_some_and(|bytes| bytes.value > 0.0))
            .collect();
        let together = together.and_then(|all| all.at(&[name]));
        (!parts.is_empty()).then_some(Self { name, parts, together })
    }

    /// The sum over the jobs of what adds up.
    pub(super) fn sum(&self, name: &str) -> Option<FigureNumber> {
        let mut sum = FigureNumber { value: 0.0, resolution: 0.0 };
        for part in &self.parts {
            let number = number(*part, &[name])?;
            sum.value += number.value;
            sum.resolution += number.resolution;
        }
        Some(sum)
    }

    /// How long the longest of the jobs ran in this direction, in milliseconds.
    pub(super) fn runtime_ms(&self) -> Option<FigureNumber> {
        let times = self.parts.iter().filter_map(|part| number(*part, &["runtime"]));
        times.max_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// Writes its figures: those of its own under its name, and where it is the only one
    /// its latencies under the plain names.
    pub(super) fn figures(&self, alone: bool, figures: &mut Figures) {
        let prefix = format!("{}_", self.name);
        let prefix = if alone { "" } else { &prefix };
        if !alone && let Some(iops) = self.sum("iops") {
            figures.noted(&format!("{prefix}iops"), iops, "1/s", self.note(), 0);
        }
        match (self.sum("bw_bytes"), self.sum("bw")) {
            (Some(bytes), _) => {
                figures.noted(&format!("{prefix}bandwidth"), bytes, "B/s", self.note(), 0);
            }
            // Before version 3 there is nothing finer.
            (None, Some(kib)) => {
                figures.noted(&format!("{prefix}bandwidth"), kib, "KiB/s", self.note(), 0);
            }
            (None, None) => {}
        }
        if let Some(ios) = self.sum("total_ios") {
            figures.noted(&format!("{prefix}total_ios"), ios, "", self.note(), 0);
        }
        moments(self.parts.iter().copied(), prefix, figures);
        match (&self.parts[..], self.together) {
            ([part], _) => percentiles(*part, prefix, figures),
            (_, Some(all)) => percentiles(all, prefix, figures),
            // Percentiles of several jobs come from their merged bins or not at all.
            _ => {
                if let Some(latencies) = self.latencies().filter(|_| alone) {
                    figures.percentiles(&latencies);
                }
            }
        }
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = Json<'a>> {
        self.parts.iter().copied()
    }

    fn note(&self) -> &'static str {
        if self.parts.len() > 1 { "summed over the jobs" } else { "" }
    }

    /// All latencies, where `json+` has printed the bins of every job.
    pub(super) fn latencies(&self) -> Option<Latencies> {
        let mut latencies = Latencies::new();
        for part in &self.parts {
            let spread = spread(*part)?.latencies;
            for (bin, count) in spread.at(&["bins"])?.members() {
                latencies.record_many(bin.parse().ok()?, count.whole()?);
            }
        }
        (!latencies.is_empty()).then_some(latencies)
    }
}

/// Mean, deviation and extremes of the latencies of some jobs.
pub(super) fn moments<'a>(
    parts: impl Iterator<Item = Json<'a>> + Clone,
    prefix: &str,
    figures: &mut Figures,
) {
    let several = parts.clone().nth(1).is_some();
    let note = |what| if several { "merged over the jobs" } else { what };
    let of = |name| {
        Moments::together(parts.clone().map(|part| Moments::from_part(part, name)).collect())
    };
    if let Some((all, unit)) = of("lat") {
        let values = [("avg", Some(all.mean)), ("stddev", all.deviation), ("max", all.max)];
        for (name, value) in values {
            if let Some(value) = value {
                figures.noted(&format!("{prefix}latency_{name}"), value, unit, note(TOTAL), 0);
            }
        }
    }
    // Of completion, as percentiles are, which may be below the shortest time from submission on.
    if let Some((Moments { min: Some(min), .. }, unit)) = of("clat") {
        figures.noted(&format!("{prefix}latency_min"), min, unit, note(COMPLETION), 0);
    }
}

/// The percentiles that one job has printed.
pub(super) fn percentiles(part: Json<'_>, prefix: &str, figures: &mut Figures) {
    let Some(Spread { latencies, unit, note }) = spread(part) else { return };
    let printed = latencies.at(&["percentile"]).map(Json::members).unwrap_or_default();
    for rank in PERCENTILES {
        if let Some(value) = printed.get(&format!("{rank:.6}")).and_then(|value| value.number()) {
            let metric = format!("{prefix}{}", percentile(rank));
            figures.noted(&metric, value, unit, note, 0);
        }
    }
}

/// Latencies whose percentiles fio has printed.
struct Spread<'a> {
    latencies: Json<'a>,
    unit: &'static str,
    note: &'static str,
}

/// Those of completion, which fio prints unless told otherwise, or else those from submission on.
fn spread(part: Json<'_>) -> Option<Spread<'_>> {
    // Version 2 has microseconds under names without a unit.
    let names = [
        ("clat_ns", "ns", COMPLETION),
        ("clat", "us", COMPLETION),
        ("lat_ns", "ns", TOTAL),
        ("lat", "us", TOTAL),
    ];
    names.into_iter().find_map(|(name, unit, note)| {
        let latencies = part.at(&[name])?;
        latencies.at(&["percentile"])?;
        // Where no latencies were taken it prints zeros.
        if latencies.at(&["N"]).and_then(Json::whole) == Some(0) {
            return None;
        }
        Some(Spread { latencies, unit, note })
    })
}

fn number(json: Json<'_>, path: &[&str]) -> Option<FigureNumber> {
    json.at(path)?.number()
}
