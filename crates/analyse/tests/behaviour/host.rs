//! What the host's samples say of a trial.

use crate::checks::passed;
use crate::support::{dataset, found, trial};
use analyse::{
    Check, Evidence, Overheated, Severity, Steal, Throttled, ThrottledProcess, Validity, analyse,
};
use model::{
    CpuShares, Dataset, HostFacts, HostSampling, NamedUse, ProcessUsage, ProcessorUse, Sample,
    ServerFacts, TargetFacts, Throttling,
};
use std::time::Duration;

/// One target with two repeats and samples every second of warm-up (2 s) and measurement (10 s),
/// the same in both.
fn sampled(cpu: impl Fn(u32) -> CpuShares, server: Option<ProcessUsage>) -> Dataset {
    let mut data = dataset(&["only"], &[4], 2, |_, _, _| 1000.0);
    for repeat in [1, 2] {
        trial(&mut data, "only", 4, repeat).sampling.samples = (1..=13)
            .map(|second| Sample {
                at_seconds: f64::from(second),
                length: Duration::from_secs(1),
                cpu: cpu(second),
                server,
                ..Sample::default()
            })
            .collect();
    }
    data
}

#[test]
fn stolen_time_is_a_notice_from_1_percent_and_a_doubt_from_5() {
    for (steal, severity) in
        [(0.005, None), (0.03, Some(Severity::Notice)), (0.08, Some(Severity::Warning))]
    {
        let data = sampled(|_| CpuShares { steal, ..CpuShares::default() }, None);
        let analysis = analyse(&data);
        let found = found(&analysis, |e| matches!(e, Evidence::Steal(_)));
        assert_eq!(found.first().map(|finding| finding.severity), severity, "{steal}");
        let suspect = analysis.tests[0].cells[0].trials[0].validity == Validity::Suspect;
        assert_eq!(suspect, severity == Some(Severity::Warning));
    }
}

#[test]
fn other_processes_are_a_notice_from_5_percent_and_a_doubt_from_10() {
    // Server and client use 1.5 of 2 processors.
    let server = Some(ProcessUsage { cpus: 1.5, rss_bytes: 1, ..ProcessUsage::default() });
    for (busy, severity) in
        [(0.79, None), (0.81, Some(Severity::Notice)), (0.86, Some(Severity::Warning))]
    {
        let mut data = sampled(|_| CpuShares { user: busy, ..CpuShares::default() }, server);
        data.run.host.cpus = 2;
        let analysis = analyse(&data);
        let found = found(&analysis, |e| matches!(e, Evidence::OtherProcesses(_)));
        assert_eq!(found.first().map(|finding| finding.severity), severity, "{busy}");
        let suspect = analysis.tests[0].cells[0].trials[0].validity == Validity::Suspect;
        assert_eq!(suspect, severity == Some(Severity::Warning));
        assert_eq!(passed(&data, Check::OwnMachine), severity.is_none().then_some(2));
    }
}

fn named(name: &str, cpus: f64, is_ours: bool) -> NamedUse {
    NamedUse { name: name.to_owned(), cpus, is_ours }
}

/// The names and shares of the others that were found, of all findings.
fn named_others(data: &Dataset) -> Vec<(String, f64)> {
    let analysis = analyse(data);
    let others = found(&analysis, |e| matches!(e, Evidence::OtherProcesses(_)));
    let most = others.iter().filter_map(|finding| match &finding.evidence {
        Evidence::OtherProcesses(others) => Some(&others.most),
        _ => None,
    });
    most.flatten().map(|process| (process.name.clone(), process.share)).collect()
}

#[test]
fn the_three_others_that_took_most_are_named_as_they_may_be_shown() {
    let server = Some(ProcessUsage { cpus: 0.5, rss_bytes: 1, ..ProcessUsage::default() });
    let mut data = sampled(|_| CpuShares { user: 0.9, ..CpuShares::default() }, server);
    data.run.host.cpus = 2;
    trial(&mut data, "only", 4, 1).sampling.account.processor_use.processes = vec![
        named("kworker", 0.02, false),
        named("mariadbd", 0.5, true),
        named("cc1", 0.2, false),
        named("ru\u{1b}[31mstc", 1.0, false),
        named("idler", 0.001, false),
        named("sshd", 0.015, false),
    ];
    let expected = [("ru\\x1b[31mstc", 0.5), ("cc1", 0.1), ("kworker", 0.01)];
    let expected = expected.map(|(name, share)| (name.to_owned(), share));
    assert_eq!(named_others(&data), expected);
}

#[test]
fn what_weighin_and_the_server_use_under_another_name_of_the_machine_is_not_the_others() {
    // Two load hosts that are one machine of four processors, of which each makes one busy.
    let on_one = |boots: [&str; 2]| {
        let mut data = sampled(|_| CpuShares::default(), None);
        for repeat in [1, 2] {
            let sampling = &mut trial(&mut data, "only", 4, repeat).sampling;
            let host = |(name, boot): (&str, &str)| HostSampling {
                host: name.to_owned(),
                facts: Some(HostFacts { cpus: 4, ..HostFacts::default() }),
                samples: sampling
                    .samples
                    .iter()
                    .map(|sample| Sample {
                        cpu: CpuShares { user: 0.65, ..CpuShares::default() },
                        client: ProcessUsage { cpus: 1.0, rss_bytes: 1, ..ProcessUsage::default() },
                        ..sample.clone()
                    })
                    .collect(),
                processor_use: ProcessorUse {
                    boot: Some(boot.to_owned()),
                    cpus: 4,
                    apart: None,
                    processes: vec![
                        named("weighin", 1.0, true),
                        named("weighin", 1.0, false),
                        named("rustc", 0.6, false),
                    ],
                },
                ..HostSampling::default()
            };
            sampling.load_hosts = ["a", "b"].into_iter().zip(boots).map(host).collect();
        }
        data
    };
    let shares = |data: &Dataset| {
        let analysis = analyse(data);
        let others = found(&analysis, |e| matches!(e, Evidence::OtherProcesses(_)));
        let share = |finding: &&analyse::Finding| match &finding.evidence {
            Evidence::OtherProcesses(others) => others.share,
            _ => unreachable!("filtered above"),
        };
        others.iter().map(share).collect::<Vec<f64>>()
    };
    let names = |data: &Dataset| {
        let names = named_others(data).into_iter().map(|(name, _)| name);
        names.collect::<std::collections::BTreeSet<String>>()
    };
    let one = on_one(["boot", "boot"]);
    assert!(shares(&one).iter().all(|share| (share - 0.15).abs() < 1e-9), "{:?}", shares(&one));
    assert_eq!(names(&one).into_iter().collect::<Vec<_>>(), ["rustc"]);
    // Of two machines the other weighin is somebody else's.
    let two = on_one(["boot", "other"]);
    assert!(shares(&two).iter().all(|share| (share - 0.4).abs() < 1e-9), "{:?}", shares(&two));
    assert!(names(&two).contains("weighin"));
}

#[test]
fn a_process_that_is_throttled_is_suspect_beyond_a_burst() {
    for (throttled, severity) in
        [(0, None), (5, Some(Severity::Notice)), (6, Some(Severity::Warning))]
    {
        for server in [true, false] {
            let mut data = sampled(|_| CpuShares::default(), Some(ProcessUsage::default()));
            data.run.host.cpus = 2;
            let account = &mut trial(&mut data, "only", 4, 1).sampling.account;
            let limit = Some(Throttling { periods: 100, throttled });
            if server {
                account.server_throttling = limit;
            } else {
                account.client_throttling = limit;
            }
            let analysis = analyse(&data);
            let held = if server { ThrottledProcess::Server } else { ThrottledProcess::Client };
            let share = f64::from(throttled as u32) / 100.0;
            let found =
                found(&analysis, |e| *e == Evidence::Throttled(Throttled { process: held, share }));
            assert_eq!(found.first().map(|finding| finding.severity), severity, "{throttled}");
            assert_eq!(passed(&data, Check::OwnMachine), severity.is_none().then_some(2));
        }
    }
}

#[test]
fn heat_is_a_doubt() {
    let mut data = sampled(|_| CpuShares::default(), None);
    trial(&mut data, "only", 4, 1).sampling.account.thermal_events = Some(3);
    let analysis = analyse(&data);
    assert_eq!(
        found(&analysis, |e| *e == Evidence::Overheated(Overheated { host: None, events: 3 }))
            .len(),
        1
    );
    assert_eq!(analysis.tests[0].cells[0].trials[0].validity, Validity::Suspect);
}

#[test]
fn who_is_not_the_server_is_not_known_where_the_server_is_elsewhere() {
    let mut data = sampled(|_| CpuShares { user: 0.9, ..CpuShares::default() }, None);
    data.run.host.cpus = 2;
    assert!(found(&analyse(&data), |e| matches!(e, Evidence::OtherProcesses(_))).is_empty());
    assert_eq!(passed(&data, Check::OwnMachine), None);
}

#[test]
fn only_the_measured_phase_counts() {
    let cpu = |second| CpuShares {
        steal: if (3..=12).contains(&second) { 0.0 } else { 0.9 },
        ..CpuShares::default()
    };
    let data = sampled(cpu, None);
    assert!(found(&analyse(&data), |e| matches!(e, Evidence::Steal(_))).is_empty());
}

#[test]
fn a_sample_across_the_edge_counts_for_its_part() {
    let mut data = sampled(|_| CpuShares::default(), None);
    // Two seconds of which one lies in the ten of the measured phase.
    let samples = &mut trial(&mut data, "only", 4, 1).sampling.samples;
    samples.retain(|sample| sample.at_seconds > 3.5);
    samples.push(Sample {
        at_seconds: 3.0,
        length: Duration::from_secs(2),
        cpu: CpuShares { steal: 0.4, ..CpuShares::default() },
        ..Sample::default()
    });
    let analysis = analyse(&data);
    let Evidence::Steal(Steal { share, .. }) =
        found(&analysis, |e| matches!(e, Evidence::Steal(_)))[0].evidence
    else {
        unreachable!("filtered above")
    };
    assert!((share - 0.04).abs() < 1e-12, "{share}");
}

#[test]
fn a_saturated_host_is_a_notice_once_for_a_cell_where_client_and_server_share_it() {
    let cpu = |_| CpuShares { user: 0.6, system: 0.38, idle: 0.02, ..CpuShares::default() };
    let server = Some(ProcessUsage { cpus: 1.5, rss_bytes: 1, ..ProcessUsage::default() });
    let data = sampled(cpu, server);
    let analysis = analyse(&data);
    let saturated = found(&analysis, |e| matches!(e, Evidence::HostSaturated(_)));
    let [finding] = saturated[..] else { panic!("once: {saturated:?}") };
    assert_eq!((finding.severity, finding.subject.repeat), (Severity::Notice, None));
    assert_eq!(analysis.tests[0].cells[0].trials[0].validity, Validity::Valid);

    let elsewhere = sampled(cpu, None);
    assert!(found(&analyse(&elsewhere), |e| matches!(e, Evidence::HostSaturated(_))).is_empty());
}

#[test]
fn the_targets_own_host_is_judged_too() {
    // The server uses 1 of 2 processors there, and nobody else on the machine that makes the load.
    let (user, server) =
        (0.5, Some(ProcessUsage { cpus: 1.0, rss_bytes: 1, ..ProcessUsage::default() }));
    for (steal, user, other) in [(0.0, user, false), (0.08, user, false), (0.0, 0.8, true)] {
        let mut data = sampled(|_| CpuShares::default(), None);
        data.run.host.cpus = 2;
        let there = sampled(|_| CpuShares { user, steal, ..CpuShares::default() }, server);
        for (record, of) in data.trials.iter_mut().zip(&there.trials) {
            let samples = of.sampling.samples.clone();
            let own = HostSampling { host: "db2".to_owned(), samples, ..HostSampling::default() };
            record.sampling.target_host = Some(Box::new(own));
        }
        let host = Some(HostFacts { cpus: 2, ..HostFacts::default() });
        let facts = ServerFacts { host, ..ServerFacts::default() };
        data.targets = vec![TargetFacts { target: "only".to_owned(), server: facts }];
        let analysis = analyse(&data);
        let db2 = Some("db2".to_owned());
        let stolen =
            found(&analysis, |e| matches!(e, Evidence::Steal(stolen) if stolen.host == db2));
        assert_eq!(stolen.is_empty(), steal == 0.0, "{stolen:?}");
        let others = found(
            &analysis,
            |e| matches!(e, Evidence::OtherProcesses(others) if others.host == db2),
        );
        assert_eq!(others.is_empty(), !other, "{others:?}");
        let passes = (steal == 0.0 && !other).then_some(2);
        assert_eq!(passed(&data, Check::OwnMachine), passes);
    }
}
