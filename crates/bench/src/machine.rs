use crate::arguments::Arguments;
use crate::runner::Runner;
use model::HostFacts;
use report::numbers::bytes;

/// The head of the document: what was run, and on what.
pub(crate) fn describe(runner: &Runner, arguments: &Arguments) -> anyhow::Result<String> {
    let HostFacts { kernel, os, cpu_model, cpus, memory_bytes, virtualisation, .. } =
        sample::host_facts(None);
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
         - {version}\n",
        pairs = arguments.pairs,
        seconds = arguments.seconds,
        memory = bytes(memory_bytes),
        load = load.join(", "),
        version = runner.version()?,
    ))
}
