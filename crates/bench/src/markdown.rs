use crate::arguments::{Transport, Workload};
use crate::contest::Pair;
use crate::preparation::{Contest, Preparation};
use crate::reading::Reading;
use report::numbers::{bytes, count, figure};
use stats::{Sample, paired_ratio};

const CONFIDENCE: f64 = 0.95;
const NOT_KNOWN: &str = "–";

/// The heading of a table of cells, and the table's first lines.
pub(crate) fn heading(workload: Workload, transport: Transport) -> String {
    format!(
        "\n## {}, {}\n\n\
         Figures are medians, weighin's before sysbench's.\n\n\
         | clients | transactions/s | weighin ÷ sysbench | client CPU µs/query \
         | sysbench ÷ weighin | peak memory | sysbench ÷ weighin | mean ms | p95 ms \
         | start and end s | pairs |\n\
         |--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        workload.mix().name(),
        transport.name(),
    )
}

/// A line of that table.
pub(crate) fn row(clients: u32, pairs: &[Pair<Reading>]) -> String {
    let throughput = |reading: &Reading| Some(reading.transactions_per_second);
    let cpu = |reading: &Reading| Some(reading.cpu_us_per_query);
    let memory = |reading: &Reading| reading.peak_rss_bytes.map(|bytes| bytes as f64);
    let cells = [
        count(clients.into()),
        both(pairs, throughput, figure),
        ratio(pairs, throughput, Over::Sysbench),
        both(pairs, cpu, figure),
        ratio(pairs, cpu, Over::Weighin),
        both(pairs, memory, |value| bytes(value as u64)),
        ratio(pairs, memory, Over::Weighin),
        both(pairs, |reading| Some(reading.mean_ms), figure),
        both(pairs, |reading| Some(reading.p95_ms), figure),
        both(pairs, |reading| Some(reading.beside_seconds), figure),
        pairs.len().to_string(),
    ];
    format!("| {} |\n", cells.join(" | "))
}

/// The tables of preparations.
pub(crate) fn preparation(contests: &[Contest]) -> String {
    let seconds = |preparation: &Preparation| Some(preparation.seconds);
    let cpu = |preparation: &Preparation| Some(preparation.cpu_seconds);
    let mut text = "\n## Preparing tables\n\n\
        Figures are medians, weighin's before sysbench's.\n\n\
        | rows | threads of sysbench | seconds | sysbench ÷ weighin | client CPU s \
        | sysbench ÷ weighin | pairs |\n|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for Contest { threads, rows, pairs } in contests {
        let cells = [
            count(*rows),
            threads.to_string(),
            both(pairs, seconds, figure),
            ratio(pairs, seconds, Over::Weighin),
            both(pairs, cpu, figure),
            ratio(pairs, cpu, Over::Weighin),
            pairs.len().to_string(),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

/// What stands in the denominator.
#[derive(Clone, Copy)]
enum Over {
    Weighin,
    Sysbench,
}

/// The medians of a figure, weighin's and sysbench's.
fn both<T>(
    pairs: &[Pair<T>],
    figure: impl Fn(&T) -> Option<f64>,
    show: impl Fn(f64) -> String,
) -> String {
    let median = |values: Vec<f64>| {
        Sample::new(values).map_or(NOT_KNOWN.to_owned(), |sample| show(sample.median()))
    };
    let weighin = median(pairs.iter().filter_map(|pair| figure(&pair.weighin)).collect());
    let sysbench = median(pairs.iter().filter_map(|pair| figure(&pair.sysbench)).collect());
    format!("{weighin} / {sysbench}")
}

/// The ratio of a figure with its interval, over the pairs in which both are known.
fn ratio<T>(pairs: &[Pair<T>], of: impl Fn(&T) -> Option<f64>, over: Over) -> String {
    let pairs: Vec<(f64, f64)> = pairs
        .iter()
        .filter_map(|pair| of(&pair.weighin).zip(of(&pair.sysbench)))
        .map(|(weighin, sysbench)| match over {
            Over::Weighin => (weighin, sysbench),
            Over::Sysbench => (sysbench, weighin),
        })
        .collect();
    let Ok(ratio) = paired_ratio(&pairs, 0.0, CONFIDENCE) else { return NOT_KNOWN.to_owned() };
    match ratio.interval {
        Some(interval) => {
            format!("{} ({}–{})", figure(ratio.point), figure(interval.low), figure(interval.high))
        }
        None => figure(ratio.point),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(tps: f64, cpu: f64, memory: Option<u64>) -> Reading {
        Reading {
            transactions_per_second: tps,
            cpu_us_per_query: cpu,
            peak_rss_bytes: memory,
            mean_ms: 1.5,
            p95_ms: 2.5,
            beside_seconds: 0.25,
        }
    }

    #[test]
    fn a_row_has_a_cell_for_each_heading() {
        let pair = Pair {
            weighin: reading(1200.0, 10.0, None),
            sysbench: reading(1000.0, 30.0, Some(8 << 20)),
        };
        let row = row(1000, &[pair, pair]);
        let head = heading(Workload::ReadOnly, Transport::Socket);
        assert!(head.contains("## oltp_read_only, Unix socket\n"), "{head}");
        let columns = head.lines().find(|line| line.starts_with("| clients")).unwrap();
        assert_eq!(row.matches('|').count(), columns.matches('|').count());
        assert!(row.contains("| 1.20 (1.20–1.20) |"), "{row}");
        assert!(row.contains("| 3.00 (3.00–3.00) |"), "{row}");
        // Memory that is not known of one has no ratio.
        assert!(row.contains("| – / 8.00\u{a0}MiB | – |"), "{row}");
    }

    #[test]
    fn one_pair_has_no_interval() {
        let preparation = |seconds| Preparation { seconds, cpu_seconds: 1.0 };
        let pairs = vec![Pair { weighin: preparation(2.0), sysbench: preparation(5.0) }];
        let text = super::preparation(&[Contest { threads: 4, rows: 1_000_000, pairs }]);
        assert!(text.contains("| 2.00 / 5.00 | 2.50 |"), "{text}");
    }
}
