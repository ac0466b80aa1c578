use crate::arena::Arena;
use crate::arguments::Arguments;
use model::HostFacts;
use report::numbers::bytes;

/// The head of the document: what was run, and on what.
pub(crate) fn describe(arguments: &Arguments) -> anyhow::Result<String> {
    let HostFacts { kernel, os, cpu_model, cpus, memory_bytes, virtualisation, .. } =
        sample::host_facts(None);
    let load = std::fs::read_to_string("/proc/loadavg")?;
    let load: Vec<&str> = load.split_whitespace().take(3).collect();
    let virtualisation =
        virtualisation.map_or(String::new(), |technology| format!(", virtual ({technology})"));
    Ok(format!(
        "# Benchmarks\n\n\
         Weighin against sysbench on one private server and the same tables, by `make bench`: \
         {pairs} runs of {seconds} s of each tool in every cell, in alternation. Processor time \
         and memory are those of the tool's whole process. Ratios are medians over the pairs, \
         with 95 % intervals: order statistics from six pairs on, Student's t on logarithms \
         below.\n\n\
         - machine: {cpus} × {cpu_model}, {memory}{virtualisation}\n\
         - system: {os}, {kernel}\n\
         - load average at the start: {load}\n",
        pairs = arguments.pairs,
        seconds = arguments.seconds,
        memory = bytes(memory_bytes),
        load = load.join(", "),
    ))
}

/// The versions of everything that took part.
pub(crate) fn versions(arena: &Arena) -> anyhow::Result<String> {
    Ok(format!(
        "- versions: {}, {}, server {}\n- server settings beside the defaults: {}\n",
        arena.weighin_version()?,
        arena.sysbench.name(),
        arena.server_version()?,
        Arena::settings(),
    ))
}
