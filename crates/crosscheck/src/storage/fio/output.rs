use crate::printed::Printed;
use host::Usage;
use import::Fio;
use model::{CrossCheckFigures, CrossCheckPart, Direction};
use std::time::Duration;

/// How far its percentiles may be off: it counts latencies in 64 classes for each doubling.
const PERCENTILE_ROUNDING: f64 = 1.0 / 64.0;

/// Reads its JSON with all classes of latencies (`json+`). `only` is the one direction of a load
/// that does not have both. Beside the figures: the 99th percentile of both directions.
pub(crate) fn figures(
    text: &str,
    only: Option<Direction>,
    usage: &Usage,
) -> Result<(CrossCheckFigures, Option<f64>), String> {
    let printed = Printed::read("fio", &Fio, text)?;
    let rate = printed.number("iops")?.value;
    let elapsed = Duration::try_from_secs_f64(printed.number("elapsed")?.value / 1e3)
        .map_err(|error| format!("fio's duration makes no sense: {error}"))?;
    let operations = rate * elapsed.as_secs_f64();
    let of = |prefix: &str, direction| {
        Some(CrossCheckPart {
            direction,
            per_second: printed.maybe(&format!("{prefix}iops"))?.value,
            latency_mean_ms: printed.milliseconds(&format!("{prefix}latency_avg"))?,
            latency_p99_ms: printed.milliseconds(&format!("{prefix}latency_p99")),
        })
    };
    let parts: Vec<CrossCheckPart> = match only {
        Some(direction) => of("", direction).into_iter().collect(),
        None => {
            let names = [("read_", Direction::Read), ("write_", Direction::Write)];
            names.into_iter().filter_map(|(prefix, direction)| of(prefix, direction)).collect()
        }
    };
    let figures = CrossCheckFigures {
        transactions: operations.round() as u64,
        queries: operations.round() as u64,
        errors: 0,
        elapsed,
        transactions_per_second: rate,
        latency_mean_ms: mean(&parts).ok_or("fio printed no latencies")?,
        latency_p95_ms: printed.milliseconds("latency_p95"),
        cpu_seconds: usage.cpu().as_secs_f64(),
        peak_rss_bytes: usage.peak_rss_bytes,
        rate_rounding: 1.0 / operations.max(1.0),
        percentile_rounding: PERCENTILE_ROUNDING,
        parts,
    };
    Ok((figures, printed.milliseconds("latency_p99")))
}

/// The mean latency of all parts together.
fn mean(parts: &[CrossCheckPart]) -> Option<f64> {
    let all: f64 = parts.iter().map(|part| part.per_second).sum();
    let weighted = parts.iter().map(|part| part.per_second * part.latency_mean_ms);
    (all > 0.0).then(|| weighted.sum::<f64>() / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USAGE: Usage =
        Usage { user: Duration::from_secs(1), system: Duration::ZERO, peak_rss_bytes: None };

    fn document(jobs: &str) -> String {
        format!(
            "{{\n\"fio version\": \"fio-3.33\",\n\"jobs\": [{{\"jobname\": \"vm0-0\", \
             \"groupid\": 0, \"error\": 0, {jobs}}}]\n}}\n"
        )
    }

    fn direction(name: &str, iops: u32, mean_ns: u32) -> String {
        format!(
            "\"{name}\": {{\"io_bytes\": 4096, \"iops\": {iops}.0, \"runtime\": 2000, \
             \"lat_ns\": {{\"mean\": {mean_ns}.0, \"max\": 9000000, \"percentile\": \
             {{\"95.000000\": 2000000, \"99.000000\": 3000000}}, \
             \"bins\": {{\"{mean_ns}\": {iops}}}}}}}"
        )
    }

    #[test]
    fn reads_and_writes_are_kept_apart() {
        let jobs = format!(
            "{}, {}",
            direction("read", 700, 1_000_000),
            direction("write", 300, 2_000_000)
        );
        let (figures, p99) = figures(&document(&jobs), None, &USAGE).unwrap();
        assert!(p99.is_some_and(|p99| p99 > 1.9), "{p99:?}");
        assert_eq!((figures.transactions_per_second, figures.transactions), (1000.0, 2000));
        assert!((figures.latency_mean_ms - 1.3).abs() < 1e-9, "{figures:?}");
        let [read, write] = &figures.parts[..] else { panic!("{figures:?}") };
        assert_eq!((read.direction, read.per_second), (Direction::Read, 700.0));
        assert_eq!((write.latency_mean_ms, write.latency_p99_ms), (2.0, Some(3.0)));
        // The percentile of both comes from their merged classes.
        assert!((figures.latency_p95_ms.unwrap() - 2.0).abs() < 0.01, "{figures:?}");
    }

    #[test]
    fn one_direction_is_that_of_the_load() {
        let jobs = direction("write", 500, 1_000_000);
        let (figures, p99) = figures(&document(&jobs), Some(Direction::Write), &USAGE).unwrap();
        assert_eq!(p99, Some(3.0));
        assert_eq!(figures.parts.len(), 1);
        assert_eq!(figures.parts[0].direction, Direction::Write);
        assert_eq!(figures.latency_p95_ms, Some(2.0));
    }

    #[test]
    fn a_run_that_did_nothing_is_an_error() {
        for text in ["", "fio: no such file", &document("\"read\": {\"io_bytes\": 0}")] {
            assert!(figures(text, Some(Direction::Read), &USAGE).is_err(), "{text}");
        }
    }
}
