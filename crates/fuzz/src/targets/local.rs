//! Text of this machine and of the programs on it: what the kernel shows, what other tools print,
//! option files, marks that weighin left, and what load generators and their lead say.

use super::{KIB, MIB, text};
use crate::Target;
use crate::seeds::{import, local as seeds};

/// `/proc` and `/sys`: two texts, cut by a zero byte.
pub(super) const KERNEL: Target = Target {
    name: "kernel_text",
    run: |data| {
        let mut parts = data.splitn(2, |&byte| byte == 0).map(text);
        let (earlier, later) = (parts.next().unwrap_or_default(), parts.next());
        host::fuzzing::read_kernel_text(&earlier, &later.unwrap_or_default());
    },
    seeds: seeds::kernel,
    mutations: 2000,
    longest: 4 * KIB,
    memory: 2 * MIB,
    dictionary: dictionary!(kernel_text),
};

/// Output of tools of cross-check tools.
pub(super) const TOOLS: Target = Target {
    name: "tool_output",
    run: |data| crosscheck::fuzzing::read_output(&text(data)),
    seeds: || {
        let csv = "\"test\",\"rps\",\"avg_latency_ms\",\"min_latency_ms\",\"p50_latency_ms\",\
                   \"p95_latency_ms\",\"p99_latency_ms\",\"max_latency_ms\"\n\"SET key\",\
                   \"50000.00\",\"0.812\",\"0.088\",\"0.799\",\"1.103\",\"1.479\",\"3.207\"\n";
        [import::memtier(), import::fio(), import::sysbench(), vec![csv.as_bytes().to_vec()]]
            .concat()
    },
    mutations: 150,
    longest: 16 * KIB,
    memory: 32 * MIB,
    dictionary: dictionary!(tool_output),
};

/// Option files, marks, accounts, logs, control groups.
pub(super) const FILES: Target = Target {
    name: "local_files",
    run: |data| {
        system::fuzzing::read(data);
        mysql::fuzzing::read(data);
        postgres::fuzzing::read(data);
        host::fuzzing::read(&text(data));
        mysql::private::fuzzing::read_version(&text(data));
    },
    seeds: seeds::files,
    mutations: 2000,
    longest: 2 * KIB,
    memory: 2 * MIB,
    dictionary: dictionary!(local_files),
};

/// Lines between a lead and its load generators, and reports of Redis on itself.
pub(super) const CONTROL: Target = Target {
    name: "control_lines",
    run: |data| {
        weighin::systems::register();
        campaign::fuzzing::read(&text(data));
        redis::fuzzing::read(&text(data));
    },
    seeds: seeds::control,
    mutations: 1000,
    longest: 4 * KIB,
    memory: 8 * MIB,
    dictionary: dictionary!(control_lines),
};
