//! What a fleet takes, and how well its parts make one load: figures for an idle machine, which `make
//! bench-fleet` prints.
#![allow(clippy::print_stdout, reason = "they are what these tests are for")]

use super::machines::Fleet;
use crate::load_hosts::assert_counted;
use crate::support::{Workplace, processes_with, wait_for};
use std::fs;

/// Of all threads of a process so far.
fn processor_seconds(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    // Ticks of a hundredth of a second, in user and in kernel mode.
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

#[test]
#[ignore = "it takes 300 processes and an idle machine: make bench-fleet"]
fn a_hundred_and_fifty_agents_take_little_of_their_lead() {
    const AGENTS: usize = 150;
    let place = Workplace::new();
    let Some(mut fleet) = Fleet::start(&place) else { return };
    fleet.agents_here(&place, AGENTS);
    let hosts = format!("[[load_host]]\nname = \"any\"\nagents = {AGENTS}\n");
    fleet.study(&place, &hosts, AGENTS as u32, 1, "40s");
    let study = fs::read_to_string(place.path("study.toml")).unwrap();
    place.write("study.toml", study.replace("warmup = \"500ms\"", "warmup = \"2s\"\nrate = 300"));
    let run = place.start(&["run", "study.toml"]);
    wait_for("the load", || processes_with(" load-generator-remote").len() >= AGENTS);
    std::thread::sleep(std::time::Duration::from_secs(12));
    let (before, since) = (processor_seconds(run.pid()), std::time::Instant::now());
    std::thread::sleep(std::time::Duration::from_secs(10));
    let cores = (processor_seconds(run.pid()) - before) / since.elapsed().as_secs_f64();
    let still = processes_with(" load-generator-remote").len();
    // To its end, with what all of them did.
    let peak = || {
        let status = fs::read_to_string(format!("/proc/{}/status", run.pid())).ok()?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(peak.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0)
    };
    let mut most_memory = 0.0;
    while let Some(peak) = peak() {
        most_memory = peak;
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    run.end().done();
    let dataset = place.store().dataset().unwrap();
    let load = dataset.trials[0].load().unwrap();
    assert_eq!((still, load.generators.len()), (AGENTS, AGENTS));
    assert_counted(&dataset.trials[0]);
    println!("150 agents: {:.1} % of a core, {most_memory:.0} MiB", cores * 100.0);
    assert!(cores < 0.05 && most_memory < 200.0);
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

#[test]
#[ignore = "a bar of time, for an idle machine: make bench-fleet"]
fn agents_whose_clocks_are_hours_apart_begin_together() {
    let place = Workplace::new();
    let Some(mut fleet) = Fleet::start(&place) else { return };
    for (name, ahead) in [("a", 86_400), ("b", 7_200), ("c", 0), ("d", 1_000_000)] {
        fleet.agent(&place, name, ahead, &[]);
    }
    fleet.study(&place, "[[load_host]]\nname = \"any\"\nagents = 4\n", 8, 15, "1s");
    place.weighin(&["run", "study.toml"]).done();
    let dataset = place.store().dataset().unwrap();
    let spreads = dataset.trials.iter().map(|trial| {
        let spread = analyse::start_spread(trial.load().unwrap(), &trial.sampling).unwrap();
        1e3 * (spread.seconds + spread.uncertainty_seconds)
    });
    let spreads: Vec<f64> = spreads.collect();
    let (most, usual) = (spreads.iter().copied().fold(0.0, f64::max), median(spreads));
    println!("4 agents begin within {usual:.2} ms (median of 15), at most {most:.2} ms");
    assert!(usual < 5.0, "{usual:.2} ms");
}

#[test]
#[ignore = "a bar of throughput, for an idle machine: make bench-fleet"]
fn two_agents_make_as_heavy_a_load_as_one_process() {
    const PAIRS: usize = 7;
    // Heavy: with few clients two processes on one machine, which both wake up for replies, take more of
    // it than one, and a server beside them gets less.
    const CLIENTS: u32 = 128;
    let place = Workplace::new();
    let Some(mut fleet) = Fleet::start(&place) else { return };
    fleet.agent(&place, "a", 3_600, &[]);
    fleet.agent_beside(&place, "a", "b", 3_600, &[]);
    let throughput = |agents: usize| {
        let hosts = format!("[[load_host]]\nname = \"any\"\nagents = {agents}\n");
        fleet.study(&place, &hosts, CLIENTS, 1, "4s");
        place.files(".weighin").iter().for_each(|file| fs::remove_file(file).unwrap());
        place.weighin(&["run", "study.toml"]).done();
        let dataset = place.store().dataset().unwrap();
        let load = dataset.trials[0].load().unwrap();
        assert_eq!(load.generators.len(), agents);
        load.measure.transactions as f64 / load.measure.elapsed.as_secs_f64()
    };
    let mut ratios = Vec::new();
    for pair in 0..PAIRS {
        // In turns, as what a machine can do drifts.
        let (first, second) = if pair % 2 == 0 { (1, 2) } else { (2, 1) };
        let (one, other) = (throughput(first), throughput(second));
        ratios.push(if first == 1 { other / one } else { one / other });
    }
    println!("two agents make {:.3} times the load of one ({ratios:.3?})", median(ratios.clone()));
    assert!((median(ratios) - 1.0).abs() < 0.03);
}
