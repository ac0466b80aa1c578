//! No text makes a reader panic.

use import::{FORMATS, Source, recognise};
use model::ReadBudget;
use proptest::prelude::*;

const SAMPLES: [&str; 29] = [
    include_str!("../../fixtures/fio/3.33-mixed-group.txt"),
    include_str!("../../fixtures/fio/terse-5.txt"),
    include_str!("../../fixtures/memtier/1.4.txt"),
    include_str!("../../fixtures/redis-benchmark/7.0.csv"),
    include_str!("../../fixtures/redis-benchmark/7.0.txt"),
    include_str!("../../fixtures/diskspd/2.2.xml"),
    include_str!("../../fixtures/diskspd/2.2.txt"),
    include_str!("../../fixtures/pgbench/15-german.txt"),
    include_str!("../../fixtures/hammerdb/5-job.json"),
    include_str!("../../fixtures/iostat/12-dated.json"),
    include_str!("../../fixtures/sysbench/0.4.12.txt"),
    include_str!("../../fixtures/sysbench/1.0.20-histogram.txt"),
    include_str!("../../fixtures/fio/randread.json"),
    include_str!("../../fixtures/fio/failed.json"),
    include_str!("../../fixtures/memtier/two-commands.json"),
    include_str!("../../fixtures/hlog/nanoseconds.hlog"),
    include_str!("../../fixtures/hlog/microseconds-tags.hlog"),
    include_str!("../../fixtures/pgbench/15.txt"),
    include_str!("../../fixtures/pgbench/at-a-rate.txt"),
    include_str!("../../fixtures/benchbase/tpcc.summary.json"),
    include_str!("../../fixtures/hammerdb/tprocc.log"),
    include_str!("../../fixtures/clickhouse/postgresbench.json"),
    include_str!("../../fixtures/clickhouse/clickbench.json"),
    include_str!("../../fixtures/mysqlslap/two-levels.txt"),
    include_str!("../../fixtures/iostat/12-dated.log"),
    include_str!("../../fixtures/iostat/9-undated.log"),
    include_str!("../../fixtures/show/status-before.tab"),
    include_str!("../../fixtures/show/mysqladmin.txt"),
    include_str!("../../fixtures/show/vertical.txt"),
];

fn read_by_all(text: &str) {
    for format in FORMATS {
        let parsed = format.parse(Source { file: "a/b.txt", text, budget: &ReadBudget::default() });
        let lines = text.lines().count() as u32;
        for problem in parsed.problems {
            assert!(problem.line <= lines + 1, "{problem}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read_by_all(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn samples_cut_off(sample in 0..SAMPLES.len(), at in any::<prop::sample::Index>()) {
        let bytes = SAMPLES[sample].as_bytes();
        read_by_all(&String::from_utf8_lossy(&bytes[..at.index(bytes.len())]));
    }

    #[test]
    fn samples_with_bytes_changed(
        sample in 0..SAMPLES.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut bytes = SAMPLES[sample].as_bytes().to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        read_by_all(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn samples_with_lines_left_out(
        sample in 0..SAMPLES.len(),
        keep in proptest::collection::vec(any::<bool>(), 200),
    ) {
        let lines = SAMPLES[sample].lines().zip(keep.iter().cycle());
        let text: Vec<&str> = lines.filter(|(_, keep)| **keep).map(|(line, _)| line).collect();
        read_by_all(&text.join("\n"));
    }
}

#[test]
fn every_sample_is_recognised_by_one_format_alone() {
    for sample in SAMPLES {
        let sample = &*import::decode::text(sample.as_bytes());
        let takers: Vec<&str> = FORMATS
            .iter()
            .filter(|format| format.recognises(sample))
            .map(|format| format.name())
            .collect();
        assert_eq!(takers.len(), 1, "{takers:?}: {}", &sample[..80]);
    }
    assert!(recognise("a diary\nof a database\n").is_none());
}
