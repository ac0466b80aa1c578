//! Command lines, up to where servers or files would be needed.

use super::{KIB, MIB, text};
use crate::Target;
use crate::input::Input;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// Command lines of sysbench 0.4, 0.5 and 1.0.
pub(super) const SYSBENCH: Target = Target {
    name: "sysbench_words",
    run: |data| understand("sysbench", data),
    seeds: || {
        [
            "oltp_read_write\n--mysql-db=sbtest\n--tables=4\n--table_size=1000\n--threads=8\nrun",
            "--test=oltp\n--oltp-test-mode=complex\n--num-threads=4\n--max-requests=0\n--max-time=10\nrun",
            "--test=/usr/share/sysbench/tests/db/oltp.lua\n--oltp-tables-count=20\n--rand-init=on\nrun",
            "--test=oltp\n--oltp-test-mode=nontrx\n--oltp-nontrx-mode=update_key\nprepare",
            "oltp_point_select\n--rate=100\n--histogram\n--percentile=99\n--report-interval=1\n--report-checkpoints=1,2\nrun",
            "bulk_insert\n--threads=2\n--time=1\nrun",
            "select_random_ranges\n--number-of-ranges=3\n--delta=2\n--db-ps-mode=disable\nrun",
            "oltp_insert\n--mysql-host=a,b\n--mysql-port=1\n--mysql-socket=/s\n--mysql-ssl=on\nprewarm",
            "--weighin-compat=0.5\n--test=oltp\n--tx-rate=5\n--rand-type=pareto\n--rand-pareto-h=0.2\ncleanup",
            "oltp_read_only\n--warmup-time=5\n--forced-shutdown=10%\n--mysql-ignore-errors=1213,all\n--rand-seed=3\nrun",
        ].iter().map(|text| [&[0], text.as_bytes()].concat()).collect()
    },
    mutations: 300,
    longest: KIB,
    memory: 4 * MIB,
    dictionary: dictionary!(sysbench_words),
};

/// Command lines of weighin itself.
pub(super) const ARGUMENTS: Target = Target {
    name: "arguments",
    run: |data| understand("", data),
    seeds: || {
        [
            "load\nmysql://root@db/test\n--workload\noltp_read_write\n--clients\n8\n--duration\n1m30s\n--rate\n100",
            "load\nredis://db/1\n--workload\nkey_value\n--ratio\n1:10\n--value-size\n[10, 100]\n--pipeline\n4\n--expiry\n60s",
            "load\n/mnt/a\n--pattern\nt1 o32 b16k\n--vms\n4\n--reads\n70\n--data\n2GiB\n--slo\np99 < 10ms",
            "load\n/mnt/a\n--pattern\nredo log\n--vms\n4\n--cpu-oversubscription\n2\n--vcpus\n2",
            "load\nmysql://db/test\n--workload\noltp_point_select\n--slo\np95 < 20ms\n--search\nclients\n--percentiles\n90,99.99",
            "prepare\nmysql://db\n--tables\n4\n--table-size\n1000\n--threads\n2",
            "run\nstudy.toml\n--scale\n0.1\n--erase\n/dev/x",
            "advise\nstudy.toml\n--page\n100ms\n--queries\n5\n--clients\n16",
            "import\nauto\na.txt\n--target\nx",
            "report\nx.weighin\n--format\njson\n--out\n-",
            "cleanup\nredis://db/1\n--also\na,b",
        ].iter().map(|text| [&[1], text.as_bytes()].concat()).collect()
    },
    mutations: 60,
    longest: KIB,
    memory: 32 * MIB,
    dictionary: dictionary!(arguments),
};

/// Words are the lines of the input after its first byte, which decides whether they may be other
/// than UTF-8.
fn understand(command: &str, data: &[u8]) {
    let mut input = Input::new(data);
    let raw = input.byte() & 0x80 != 0;
    let word = |word: &[u8]| match raw {
        true => std::ffi::OsStr::from_bytes(word).to_owned(),
        false => OsString::from(text(word)),
    };
    let mut words: Vec<OsString> = vec!["weighin".into()];
    words.extend((!command.is_empty()).then(|| command.into()));
    // No argument of a process holds a zero byte.
    let given = input.rest().split(|&byte| byte == b'\n').filter(|word| !word.contains(&0));
    words.extend(given.map(word));
    if let Err(message) = weighin::understand(words) {
        assert!(!message.is_empty(), "an error without a message");
    }
}
