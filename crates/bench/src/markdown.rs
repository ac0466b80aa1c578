use crate::mysql::{Preparation, PreparationPairs};
use crate::pair::Pair;
use crate::reading::{Reading, SampledRun, ViewRun};
use report::numbers::{bytes, count, figure};
use stats::{Sample, paired_ratio};

const CONFIDENCE: f64 = 0.95;
const NOT_KNOWN: &str = "–";

/// A table of cells, one a line.
#[derive(Debug)]
pub(crate) struct Table {
    /// Its heading.
    pub(crate) title: String,
    /// The tool that weighin is compared with.
    pub(crate) other: &'static str,
    /// What tells the cells apart: the headings of the first columns.
    pub(crate) levels: &'static [&'static str],
    /// What is shown of each.
    pub(crate) figures: Vec<Figure>,
}

/// Something that is shown of both tools.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Figure {
    /// Throughput of what is called so, in the plural.
    Throughput(&'static str),
    /// Processor time for each of what is called so.
    Cpu(&'static str),
    /// The part of it in the process's own code, and not in the kernel.
    OwnCpu,
    /// Millions of bytes a second.
    Bandwidth,
    /// Highest resident set.
    Memory,
    /// Mean latency.
    Mean,
    /// 95th percentile of latency.
    P95,
    /// 99th percentile of latency.
    P99,
    /// How long the process ran beside the load.
    Beside,
}

impl Figure {
    /// What is shown of loads on servers.
    pub(crate) fn of_servers(transactions: &'static str, statement: &'static str) -> Vec<Self> {
        let throughput = Self::Throughput(transactions);
        vec![throughput, Self::Cpu(statement), Self::Memory, Self::Mean, Self::P95, Self::Beside]
    }

    fn heading(self) -> String {
        match self {
            Self::Throughput(counted) => format!("{counted}/s"),
            Self::Cpu(each) => format!("client CPU µs/{each}"),
            Self::OwnCpu => "of which not in the kernel".to_owned(),
            Self::Bandwidth => "MB/s".to_owned(),
            Self::Memory => "peak memory".to_owned(),
            Self::Mean => "mean ms".to_owned(),
            Self::P95 => "p95 ms".to_owned(),
            Self::P99 => "p99 ms".to_owned(),
            Self::Beside => "start and end s".to_owned(),
        }
    }

    fn value_in(self, reading: &Reading) -> Option<f64> {
        match self {
            Self::Throughput(_) => Some(reading.transactions_per_second),
            Self::Cpu(_) => Some(reading.cpu_us_per_query),
            Self::OwnCpu => Some(reading.cpu_us_per_query - reading.system_us_per_query),
            Self::Bandwidth => reading.bytes_per_second.map(|bytes| bytes / 1e6),
            Self::Memory => reading.peak_rss_bytes.map(|bytes| bytes as f64),
            Self::Mean => Some(reading.mean_ms),
            Self::P95 => reading.p95_ms,
            Self::P99 => reading.p99_ms,
            Self::Beside => Some(reading.beside_seconds),
        }
    }

    fn show(self, value: f64) -> String {
        match self {
            Self::Memory => bytes(value as u64),
            _ => figure(value),
        }
    }

    /// What the ratio is over that is above 1 where weighin does better, where it is shown.
    fn over(self) -> Option<Over> {
        match self {
            Self::Throughput(_) => Some(Over::Other),
            Self::Cpu(_) | Self::Memory | Self::P99 => Some(Over::Weighin),
            Self::OwnCpu | Self::Bandwidth | Self::Mean | Self::P95 | Self::Beside => None,
        }
    }
}

impl Table {
    /// The heading and the table's first lines.
    pub(crate) fn heading(&self) -> String {
        let Self { title, other, levels, figures } = self;
        let mut columns: Vec<String> = levels.iter().map(|&level| level.to_owned()).collect();
        for figure in figures {
            columns.push(figure.heading());
            columns.extend(figure.over().map(|over| match over {
                Over::Other => format!("weighin ÷ {other}"),
                Over::Weighin => format!("{other} ÷ weighin"),
            }));
        }
        columns.push("pairs".to_owned());
        format!(
            "\n### {title}\n\nFigures are medians, weighin's before {other}'s.\n\n{}|{}\n",
            line(&columns),
            "--:|".repeat(columns.len())
        )
    }

    /// A line of the table.
    pub(crate) fn row(&self, levels: &[String], pairs: &[Pair<Reading>]) -> String {
        let mut cells = levels.to_vec();
        for &figure in &self.figures {
            let of = |reading: &Reading| figure.value_in(reading);
            cells.push(both(pairs, of, |value| figure.show(value)));
            cells.extend(figure.over().map(|over| ratio(pairs, of, over)));
        }
        cells.push(pairs.len().to_string());
        line(&cells)
    }
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// The tables of preparations.
pub(crate) fn preparations(all: &[PreparationPairs]) -> String {
    let seconds = |preparation: &Preparation| Some(preparation.seconds);
    let cpu = |preparation: &Preparation| Some(preparation.cpu_seconds);
    let mut text = "\n### Preparing tables\n\n\
        Figures are medians, weighin's before sysbench's.\n\n\
        | rows | threads of sysbench | seconds | sysbench ÷ weighin | client CPU s \
        | sysbench ÷ weighin | pairs |\n|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for PreparationPairs { threads, rows, pairs } in all {
        let cells = [
            count(*rows),
            threads.to_string(),
            both(pairs, seconds, figure),
            ratio(pairs, seconds, Over::Weighin),
            both(pairs, cpu, figure),
            ratio(pairs, cpu, Over::Weighin),
            pairs.len().to_string(),
        ];
        text += &line(&cells);
    }
    text
}

/// The table of runs with the view, each first in its pair, and of those without.
pub(crate) fn views(levels: &[u32], pairs: &[Pair<ViewRun>]) -> String {
    let mut text = "\n## The view of a run, against --plain\n\n\
        The same study on one private server and a terminal, with the view and without. The last \
        column compares runs without it that followed one another.\n\n\
        | clients | transactions/s, view / plain | view ÷ plain | pairs | plain ÷ plain |\n\
        |--:|--:|--:|--:|--:|\n"
        .to_owned();
    let plain = second_ones(pairs);
    for (place, clients) in levels.iter().enumerate() {
        let throughput = |seen: &ViewRun| seen.throughput.get(place).copied();
        let cells = [
            count((*clients).into()),
            both(pairs, throughput, figure),
            ratio(pairs, throughput, Over::Other),
            pairs.len().to_string(),
            ratio(&plain, |seen: &&ViewRun| throughput(seen), Over::Other),
        ];
        text += &line(&cells);
    }
    let percents = pairs.iter().filter_map(|pair| Some(pair.weighin.view?.percent()));
    let percents: Vec<f64> = percents.collect();
    let most = percents.iter().copied().fold(0.0, f64::max);
    if let Ok(percents) = Sample::new(percents) {
        text += &format!(
            "\nThe thread that draws took {} % of one processor (median over the runs; the most was \
             {} %).\n",
            figure(percents.median()),
            figure(most)
        );
    }
    text
}

/// What stands above the tables of runs that are sampled more or less often.
pub(crate) fn sampling_heading(rarely: &str) -> String {
    format!(
        "\n## Sampling, against hardly any\n\n\
         The same study on one private server, with samples as often as said and with one every {rarely}, \
         which is none but those at both ends of the measured phase. Ratios are over the rarely sampled \
         runs; the last column compares such runs that followed one another, as what noise alone does.\n"
    )
}

/// The table of runs that are sampled often, each first in its pair, and of those that are hardly sampled.
pub(crate) fn sampling(often: &str, levels: &[u32], pairs: &[Pair<SampledRun>]) -> String {
    let mut text = format!(
        "\n### Every {often}\n\n\
         | clients | transactions/s | ratio | client CPU µs/query | ratio | server CPU µs/query | ratio \
         | pairs | transactions/s, rarely ÷ rarely |\n\
         |--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    let rarely = second_ones(pairs);
    for (place, clients) in levels.iter().enumerate() {
        let throughput = |run: &SampledRun| run.throughput.get(place).copied();
        let client = |run: &SampledRun| run.client_us.get(place).copied();
        let server = |run: &SampledRun| run.server_us.get(place).copied();
        let cells = [
            count((*clients).into()),
            both(pairs, throughput, figure),
            ratio(pairs, throughput, Over::Other),
            both(pairs, client, figure),
            ratio(pairs, client, Over::Other),
            both(pairs, server, figure),
            ratio(pairs, server, Over::Other),
            pairs.len().to_string(),
            ratio(&rarely, |run: &&SampledRun| throughput(run), Over::Other),
        ];
        text += &line(&cells);
    }
    text
}

/// What stood second in pairs, as pairs of runs that followed one another: who goes first alternates, so the second
/// of one pair and the first of the next are of one kind.
fn second_ones<T>(pairs: &[Pair<T>]) -> Vec<Pair<&T>> {
    let two = pairs.chunks_exact(2);
    two.map(|two| Pair { weighin: &two[0].other, other: &two[1].other }).collect()
}

/// What stands in the denominator.
#[derive(Clone, Copy, Debug)]
enum Over {
    Weighin,
    Other,
}

/// The medians of a figure, weighin's and the other tool's.
fn both<T>(
    pairs: &[Pair<T>],
    figure: impl Fn(&T) -> Option<f64>,
    show: impl Fn(f64) -> String,
) -> String {
    let median = |values: Vec<f64>| {
        Sample::new(values).map_or(NOT_KNOWN.to_owned(), |sample| show(sample.median()))
    };
    let weighin = median(pairs.iter().filter_map(|pair| figure(&pair.weighin)).collect());
    let other = median(pairs.iter().filter_map(|pair| figure(&pair.other)).collect());
    format!("{weighin} / {other}")
}

/// The ratio of a figure with its interval, over the pairs in which both are known.
fn ratio<T>(pairs: &[Pair<T>], of: impl Fn(&T) -> Option<f64>, over: Over) -> String {
    let pairs: Vec<(f64, f64)> = pairs
        .iter()
        .filter_map(|pair| of(&pair.weighin).zip(of(&pair.other)))
        .map(|(weighin, other)| match over {
            Over::Weighin => (weighin, other),
            Over::Other => (other, weighin),
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
    use crate::reading::ViewTime;

    fn reading(tps: f64, cpu: f64, memory: Option<u64>) -> Reading {
        Reading {
            transactions_per_second: tps,
            cpu_us_per_query: cpu,
            system_us_per_query: cpu / 2.0,
            peak_rss_bytes: memory,
            bytes_per_second: None,
            mean_ms: 1.5,
            p95_ms: Some(2.5),
            p99_ms: None,
            beside_seconds: 0.25,
        }
    }

    #[test]
    fn a_row_has_a_cell_for_each_heading() {
        let pair = Pair {
            weighin: reading(1200.0, 10.0, None),
            other: reading(1000.0, 30.0, Some(8 << 20)),
        };
        let table = Table {
            title: "oltp_read_only, Unix socket".to_owned(),
            other: "sysbench",
            levels: &["clients", "pipeline"],
            figures: Figure::of_servers("transactions", "query"),
        };
        let levels = ["1,000", "10"].map(str::to_owned);
        let (head, row) = (table.heading(), table.row(&levels, &[pair, pair]));
        assert!(head.contains("## oltp_read_only, Unix socket\n"), "{head}");
        let columns = head.lines().find(|line| line.starts_with("| clients")).unwrap();
        for line in [columns, head.lines().last().unwrap()] {
            assert_eq!(row.matches('|').count(), line.matches('|').count(), "{head}{row}");
        }
        assert!(row.contains("| 1.20 (1.20–1.20) |"), "{row}");
        assert!(row.contains("| 3.00 (3.00–3.00) |"), "{row}");
        // Memory that is not known of one has no ratio.
        assert!(row.contains("| – / 8.00\u{a0}MiB | – |"), "{row}");
        assert!(row.ends_with("| 1.50 / 1.50 | 2.50 / 2.50 | 0.250 / 0.250 | 2 |\n"), "{row}");
    }

    #[test]
    fn a_row_of_views_has_what_the_view_took_and_both_throughputs() {
        let seen = |throughput: [f64; 2], view| ViewRun { throughput: throughput.to_vec(), view };
        let pair = Pair {
            weighin: seen([990.0, 2000.0], Some(ViewTime { cpu_seconds: 0.02, seconds: 4.0 })),
            other: seen([1000.0, 2000.0], None),
        };
        let text = views(&[1, 32], &[pair.clone(), pair]);
        assert!(text.contains("| 1 | 990 / 1,000 | 0.990 (0.990–0.990) | 2 | 1.00 |"), "{text}");
        assert!(text.contains("| 32 | 2,000 / 2,000 | 1.00 (1.00–1.00) | 2 |"), "{text}");
        assert!(text.contains("took 0.500 % of one processor"), "{text}");
    }

    #[test]
    fn a_row_of_sampling_has_all_ratios_over_the_rarely_sampled_runs() {
        let run = |throughput, client, server| SampledRun {
            throughput: vec![throughput],
            client_us: vec![client],
            server_us: vec![server],
        };
        let pair = Pair { weighin: run(990.0, 20.2, 31.0), other: run(1000.0, 20.0, 30.0) };
        let text = sampling("1s", &[32], &[pair.clone(), pair]);
        let row = text.lines().last().unwrap();
        for cell in ["| 990 / 1,000 | 0.990 (", "| 20.2 / 20.0 | 1.01 (", "| 31.0 / 30.0 | 1.03 ("]
        {
            assert!(row.contains(cell), "{text}");
        }
        assert!(row.ends_with("| 2 | 1.00 |"), "{text}");
        let head = text.lines().find(|line| line.starts_with("| clients")).unwrap();
        assert_eq!(head.matches('|').count(), row.matches('|').count(), "{text}");
    }

    #[test]
    fn one_pair_has_no_interval() {
        let preparation = |seconds| Preparation { seconds, cpu_seconds: 1.0 };
        let pairs = vec![Pair { weighin: preparation(2.0), other: preparation(5.0) }];
        let text = preparations(&[PreparationPairs { threads: 4, rows: 1_000_000, pairs }]);
        assert!(text.contains("| 2.00 / 5.00 | 2.50 |"), "{text}");
    }
}
