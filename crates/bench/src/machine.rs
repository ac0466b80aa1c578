use crate::arguments::Arguments;
use crate::runner::Runner;
use model::HostFacts;
use report::numbers::{bytes, figure};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Instant;

/// Round trips by which a wake-up is measured.
const ROUNDS: usize = 10_000;

/// The head of the document: what was run, and on what.
pub(crate) fn describe(runner: &Runner, arguments: &Arguments) -> anyhow::Result<String> {
    let HostFacts { kernel, os, cpu_model, cpus, memory_bytes, virtualisation, .. } =
        host::local::sample::host_facts(None);
    let load = std::fs::read_to_string("/proc/loadavg")?;
    let load: Vec<&str> = load.split_whitespace().take(3).collect();
    let virtualisation =
        virtualisation.map_or(String::new(), |technology| format!(", virtual ({technology})"));
    Ok(format!(
        "# Benchmarks\n\n\
         Weighin against the tools that do the same, on one private server or file and the same \
         data, by `make bench`: {pairs} runs of {seconds} s of each tool in every cell, in \
         alternation. Processor time and memory are those of the tool's whole process. Ratios are \
         medians over the pairs, with 95 % intervals: order statistics from six pairs on, \
         Student's t on logarithms below.\n\n\
         - machine: {cpus} × {cpu_model}, {memory}{virtualisation}\n\
         - system: {os}, {kernel}\n\
         - load average at the start: {load}\n\
         - a wake-up: {wake_up} µs (half of a byte's way to another thread and back, median of {ROUNDS})\n\
         - {version}\n",
        pairs = arguments.pairs,
        seconds = arguments.seconds,
        memory = bytes(memory_bytes),
        load = load.join(", "),
        wake_up = figure(wake_up()?),
        version = runner.version()?,
    ))
}

/// What it costs to pass a byte to a thread that sleeps and wake it up, in microseconds. Most of what
/// a reply costs a load generator is one wake-up, and it differs by a factor of four from machine to
/// machine: figures of two machines can be compared with this beside them.
fn wake_up() -> anyhow::Result<f64> {
    let (mut here, mut there) = UnixStream::pair()?;
    let echo = thread::spawn(move || {
        let mut byte = [0];
        while there.read_exact(&mut byte).is_ok() && there.write_all(&byte).is_ok() {}
    });
    let mut times = Vec::with_capacity(ROUNDS);
    let mut byte = [0];
    for _ in 0..ROUNDS {
        let started = Instant::now();
        here.write_all(&byte)?;
        here.read_exact(&mut byte)?;
        times.push(started.elapsed().as_secs_f64() * 1e6 / 2.0);
    }
    drop(here);
    // It ends with the connection.
    let _ = echo.join();
    times.sort_by(f64::total_cmp);
    Ok(times[ROUNDS / 2])
}
