/// Whether a line is one of intermediate results (`--report-interval`): `[ 1s ] thds: 4 tps: 99.90 …`
/// (1.0), `[   1s] threads: 4, tps: …` (0.4 and 0.5).
pub(super) fn is_interval(line: &str) -> bool {
    let parts = line.trim_start().strip_prefix('[').and_then(|line| line.split_once(']'));
    let Some((at, rest)) = parts else { return false };
    let seconds = at.trim().strip_suffix('s').and_then(|at| at.trim().parse::<f64>().ok());
    let threads = after(rest, "thds:").or_else(|| after(rest, "threads:"));
    seconds.is_some() && [threads, after(rest, "tps:")].into_iter().all(begins_with_number)
}

/// What follows a label that does not end a longer word, as `reads:` does in `threads:`.
fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    text.match_indices(label)
        .find(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric()))
        .map(|(at, _)| &text[at + label.len()..])
}

/// Whether there is a number, whatever unit follows.
fn begins_with_number(text: Option<&str>) -> bool {
    let Some(text) = text.map(str::trim_start) else { return false };
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text[..end].parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_versions_line_is_known() {
        for line in [
            "[ 2s ] thds: 16 tps: 1463.03 qps: 29278.53 (r/w/o: 20498.37/5852.11/2928.05) \
             lat (ms,95%): 4.65 err/s: 1.50 reconn/s: 0.25",
            "[ 2s ] thds: 16 tps: 1463.03 qps: 29278.53 (r/w/o: 20498.37/5852.11/2928.05) \
             lat (ms,95%): 4.65 err/s 1.50 reconn/s: 0.25",
            "[   2s] threads: 16, tps: 1463.03, reads: 20498.37, writes: 5852.11, \
             response time: 4.65ms (95%), errors: 1.50, reconnects:  0.25",
            "[   2s] threads: 16, tps: 1463.03, reads/s: 20498.37, writes/s: 5852.11 \
             response time: 4.65ms (95%)",
        ] {
            assert!(is_interval(line), "{line}");
        }
    }

    #[test]
    fn other_lines_are_none() {
        for line in ["", "[ 2s ] queue length: 3, concurrency: 4", "[x] tps: 1", "tps: 3.0", "["] {
            assert!(!is_interval(line), "{line}");
        }
    }
}
