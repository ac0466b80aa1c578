use super::{figure, outcome, parse};
use model::{TrialEnd, UnixMillis};

/// Written by hand in the shape of version 2.2's results.
const XML: &str = include_str!("../../fixtures/diskspd/2.2.xml");
const TEXT: &str = include_str!("../../fixtures/diskspd/2.2.txt");

#[test]
fn threads_and_files_of_the_xml_add_up() {
    let parsed = parse("san/a.xml", XML);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!(trial.level.clients, 16, "two files, two threads each, four operations outstanding");
    assert_eq!(trial.started_at, Some(UnixMillis(1_709_202_030_000)));
    let (iops, unit) = figure(trial, "iops");
    assert!((iops - 700_000.0 / 30.02).abs() < 1.0 && unit == "1/s", "{iops}");
    assert!((figure(trial, "write_iops").0 - 210_000.0 / 30.02).abs() < 1.0);
    let (bandwidth, unit) = figure(trial, "bandwidth");
    assert!((bandwidth / (700_000.0 * 8192.0 / 30.02) - 1.0).abs() < 1e-3 && unit == "B/s");
    assert_eq!(figure(trial, "latency_avg"), (0.404, "ms"));
    assert_eq!(figure(trial, "latency_p95"), (0.91, "ms"));
    assert_eq!(figure(trial, "write_latency_p99.9"), (4.12, "ms"));
    assert_eq!(figure(trial, "latency_max"), (14.12, "ms"));
    assert_eq!(figure(trial, "elapsed"), (30.02, "s"));
    assert_eq!(figure(trial, "cpu_usage"), (11.52, "%"));
    let second = outcome(trial).figure("file2_total_ios").unwrap();
    assert_eq!(second.printed.as_ref().unwrap().note, "e:\\b.dat");
    assert_eq!(figure(trial, "file1_total_ios").0, 600_000.0);
}

#[test]
fn of_reads_alone_the_latencies_are_those_of_all() {
    let text = "<Results>\n<TimeSpan><TestTimeSeconds>60.00</TestTimeSeconds><ThreadCount>1</ThreadCount>\
                <Latency><AverageReadMilliseconds>0.512</AverageReadMilliseconds><Bucket><Percentile>95\
                </Percentile><ReadMilliseconds>0.9</ReadMilliseconds></Bucket></Latency><Thread><Id>0</Id>\
                <Target><Path>x</Path><BytesCount>4096000</BytesCount><IOCount>60000</IOCount></Target>\
                </Thread></TimeSpan>\n</Results>\n";
    let parsed = parse("san/a.xml", text);
    let trial = &parsed.trials[0];
    assert_eq!(figure(trial, "iops").0, 1000.0);
    assert_eq!((figure(trial, "latency_avg").0, figure(trial, "latency_p95").0), (0.512, 0.9));
    assert_eq!(trial.level.clients, 0, "what is not said is not known");
}

#[test]
fn an_interrupted_run_is_a_failure_and_a_damaged_document_a_problem() {
    let stopped = XML.replace("<TestTimeSeconds>30.02</TestTimeSeconds>", "");
    let parsed = parse("san/a.xml", &stopped);
    assert!(matches!(parsed.trials[0].end, TrialEnd::Failed(_)), "{parsed:?}");
    for text in [XML.replace("</Latency>", ""), XML.replace("</Results>", "")] {
        let parsed = parse("san/a.xml", &text);
        assert!(parsed.trials.is_empty() && parsed.problems.len() == 1, "{parsed:?}");
    }
}

#[test]
fn several_time_spans_are_no_repeats() {
    let span = &XML[XML.rfind("<TimeSpan>").unwrap()..XML.find("</Results>").unwrap()];
    let parsed = parse("san/a.xml", &XML.replace("</Results>", &format!("{span}</Results>")));
    assert_eq!(parsed.trials.len(), 2);
    assert_ne!(parsed.trials[0].test, parsed.trials[1].test);
}

#[test]
fn the_text_says_the_same() {
    let parsed = parse("san/a.txt", TEXT);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!(trial.level.clients, 4);
    assert_eq!(trial.started_at, Some(UnixMillis(1_709_202_030_000)));
    assert!((figure(trial, "iops").0 - 40_200.0 / 20.01).abs() < 0.5);
    assert!((figure(trial, "read_iops").0 - 28_100.0 / 20.01).abs() < 0.5);
    assert_eq!(figure(trial, "latency_avg"), (1.99, "ms"));
    assert_eq!(figure(trial, "latency_p95"), (8.02, "ms"));
    assert_eq!(figure(trial, "write_latency_p99.9"), (90.4, "ms"));
    assert_eq!(figure(trial, "latency_min"), (0.02, "ms"));
    assert_eq!(figure(trial, "cpu_usage").0, 11.0);
    assert!(outcome(trial).figure("file1_iops").is_none(), "there is one file");
    let two = parse("san/a.txt", &format!("{TEXT}\n{TEXT}"));
    assert_eq!(two.trials.len(), 2);
}
