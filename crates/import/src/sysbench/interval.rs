/// One line of intermediate results (`--report-interval`).
#[derive(Clone, Debug, PartialEq)]
pub struct IntervalLine {
    /// Seconds since the load began.
    pub at_seconds: f64,
    /// Threads that ran.
    pub threads: u32,
    /// Transactions per second.
    pub transactions_per_second: f64,
    /// Statements per second that read; absent where the version does not say.
    pub reads_per_second: Option<f64>,
    /// Statements per second that wrote.
    pub writes_per_second: Option<f64>,
    /// The percentile of latency that was asked for, in milliseconds.
    pub latency_ms: Option<f64>,
    /// Errors that it went on after, per second; absent in version 0.4.
    pub errors_per_second: Option<f64>,
    /// Connections made anew per second; absent in version 0.4.
    pub reconnects_per_second: Option<f64>,
}

/// Reads `[ 1s ] thds: 4 tps: 99.90 …` (1.0), `[   1s] threads: 4, tps: …` (0.4 and 0.5); `None`
/// for any other line.
pub(super) fn interval(line: &str) -> Option<IntervalLine> {
    let (at, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let at_seconds = at.trim().strip_suffix('s')?.trim().parse().ok()?;
    let (reads, writes) = match after(rest, "(r/w/o:") {
        Some(three) => {
            let mut rates = three.split([')', '/']).map(|rate| rate.trim().parse().ok());
            (rates.next().flatten(), rates.next().flatten())
        }
        None => (number(rest, &["reads/s:", "reads:"]), number(rest, &["writes/s:", "writes:"])),
    };
    Some(IntervalLine {
        at_seconds,
        threads: after(rest, "thds:")
            .or_else(|| after(rest, "threads:"))
            .and_then(leading_number)? as u32,
        transactions_per_second: number(rest, &["tps:"])?,
        reads_per_second: reads,
        writes_per_second: writes,
        latency_ms: after(rest, "lat (ms,")
            .and_then(|latency| after(latency, ":"))
            .or_else(|| after(rest, "response time:"))
            .and_then(leading_number),
        // Some versions print no colon here.
        errors_per_second: number(rest, &["err/s:", "err/s", "errors:"]),
        reconnects_per_second: number(rest, &["reconn/s:", "reconnects:"]),
    })
}

/// What follows a label that does not end a longer word, as `reads:` does in `threads:`.
fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    text.match_indices(label)
        .find(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric()))
        .map(|(at, _)| &text[at + label.len()..])
}

/// The number after the first of these labels that is there.
fn number(text: &str, labels: &[&str]) -> Option<f64> {
    labels.iter().find_map(|label| after(text, label)).and_then(leading_number)
}

/// The number that a text begins with, whatever unit follows.
fn leading_number(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_versions_line_is_read() {
        let full = IntervalLine {
            at_seconds: 2.0,
            threads: 16,
            transactions_per_second: 1463.03,
            reads_per_second: Some(20498.37),
            writes_per_second: Some(5852.11),
            latency_ms: Some(4.65),
            errors_per_second: Some(1.5),
            reconnects_per_second: Some(0.25),
        };
        for line in [
            "[ 2s ] thds: 16 tps: 1463.03 qps: 29278.53 (r/w/o: 20498.37/5852.11/2928.05) \
             lat (ms,95%): 4.65 err/s: 1.50 reconn/s: 0.25",
            "[ 2s ] thds: 16 tps: 1463.03 qps: 29278.53 (r/w/o: 20498.37/5852.11/2928.05) \
             lat (ms,95%): 4.65 err/s 1.50 reconn/s: 0.25",
            "[   2s] threads: 16, tps: 1463.03, reads: 20498.37, writes: 5852.11, \
             response time: 4.65ms (95%), errors: 1.50, reconnects:  0.25",
        ] {
            assert_eq!(interval(line), Some(full.clone()), "{line}");
        }
        let line = "[   2s] threads: 16, tps: 1463.03, reads/s: 20498.37, writes/s: 5852.11 \
                    response time: 4.65ms (95%)";
        let older = IntervalLine { errors_per_second: None, reconnects_per_second: None, ..full };
        assert_eq!(interval(line), Some(older));
    }

    #[test]
    fn other_lines_are_none() {
        for line in ["", "[ 2s ] queue length: 3, concurrency: 4", "[x] tps: 1", "tps: 3.0", "["] {
            assert_eq!(interval(line), None, "{line}");
        }
    }
}
