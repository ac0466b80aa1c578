//! A long load of many clients and many processes: what it keeps in memory grows with the record of
//! its seconds and with nothing else.
//!
//! `make endurance` runs an hour of it, or as many seconds as `WEIGHIN_SOAK_SECONDS` says.

use crate::generators::generators_of;
use crate::support::{Workplace, prepared, wait_for};
use std::time::{Duration, Instant};

/// Most that a second of a load may add to the memory of the process that leads it: a histogram, a
/// sample of processors and disks, and the server's counters. In bytes.
const RECORD_OF_A_SECOND: u64 = 4 << 10;
/// What may come and go: histograms that are being merged, and what the allocator keeps of them.
const WORKING_MEMORY: u64 = 2 << 20;
/// Transactions a second: so many that all clients work, and the machine has time for other things.
const RATE: u32 = 1_500;

/// Memory of a process that is not of a file, in bytes.
fn anonymous_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kibibytes.map_or(0, |number| number.parse::<u64>().unwrap() << 10)
}

#[allow(clippy::print_stdout, reason = "the figures are wanted")]
#[test]
#[ignore = "takes an hour: make endurance"]
fn memory_grows_with_the_record_alone() {
    let seconds = std::env::var("WEIGHIN_SOAK_SECONDS")
        .map_or(3_600, |seconds| seconds.parse().expect("WEIGHIN_SOAK_SECONDS is a number"));
    let place = Workplace::new();
    let server = prepared(&place);
    let (rate, duration) = (format!("--rate={RATE}"), format!("--duration={seconds}s"));
    let url = server.url();
    let password = server.password_file();
    let mut load = place.start(&[
        "load",
        &url,
        "--password-file",
        password.to_str().unwrap(),
        "--workload=oltp_point_select",
        "--table-size=1000",
        "--clients=1000",
        "--load-generators=10",
        "--warmup=10s",
        &rate,
        &duration,
    ]);
    let pid = load.pid();
    wait_for("ten generators", || generators_of(pid).len() == 10);
    let generators = generators_of(pid);
    // By then every connection is there and every buffer has its size.
    std::thread::sleep(Duration::from_secs(20));
    let began = Instant::now();
    let memory = || (anonymous_memory(pid), generators.iter().map(|&g| anonymous_memory(g)).sum());
    let first: (u64, u64) = memory();
    let mut last = first;
    while load.is_running() {
        let now = memory();
        // At its end a process has no memory any more.
        if now.0 > 0 && generators.iter().all(|&g| anonymous_memory(g) > 0) {
            last = now;
            let passed = began.elapsed().as_secs();
            let (lead, others) = (now.0.saturating_sub(first.0), now.1.saturating_sub(first.1));
            assert!(
                lead < WORKING_MEMORY + RECORD_OF_A_SECOND * passed,
                "the lead grew by {lead} B"
            );
            assert!(others < 10 * WORKING_MEMORY, "the generators grew by {others} B");
        }
        std::thread::sleep(Duration::from_secs(5));
    }
    let passed = began.elapsed().as_secs_f64();
    let rate = |from: u64, to: u64| (to.saturating_sub(from)) as f64 / passed;
    println!(
        "in {passed:.0} s the lead grew by {:.0} B/s, ten generators together by {:.0} B/s",
        rate(first.0, last.0),
        rate(first.1, last.1)
    );
    let said = load.end().done();
    assert!(said.contains("server agrees  yes"), "{said}");
    println!("{said}");
}
