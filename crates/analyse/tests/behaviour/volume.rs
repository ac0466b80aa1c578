//! The disks under a server: the measured phase, several devices, figures over the repeats.

use crate::support::{MEASURE, dataset, trial};
use analyse::{Analysis, CellVolume, TrialVolume, analyse};
use model::{Dataset, DiskRates, Sample};
use stats::Estimate;
use std::time::Duration;

fn disk(device: &str, writes: f64, await_ms: f64) -> DiskRates {
    DiskRates {
        device: device.to_owned(),
        writes,
        writes_merged: 3.0 * writes,
        written_bytes: 4096.0 * writes,
        write_await_ms: (writes > 0.0).then_some(await_ms),
        queue: writes * await_ms / 1000.0,
        utilisation: (writes / 1000.0).min(1.0),
        ..DiskRates::default()
    }
}

fn sample(from: f64, until: f64, disks: Vec<DiskRates>) -> Sample {
    let length = Duration::from_secs_f64(until - from);
    Sample { at_seconds: until, length, disks, ..Sample::default() }
}

/// Three repeats at 1,000 transactions per second with a warm-up of 2 s and 10 s measured, on a
/// volume of two disks beside a third one and the array itself.
fn striped(samples: impl Fn(f64) -> Vec<Sample>) -> Dataset {
    let mut data = dataset(&["a"], &[8], 3, |_, _, _| 1000.0);
    for repeat in 1..=3 {
        let sampling = &mut trial(&mut data, "a", 8, repeat).sampling;
        sampling.volume = vec!["sda".to_owned(), "sdb".to_owned()];
        sampling.samples = samples(f64::from(repeat));
    }
    data
}

/// 300 writes a second on the two, 100 of 1 ms and 200 of 4 ms, and what is no part of them.
fn steady(repeat: f64) -> Vec<Sample> {
    let disks = |scale: f64| {
        vec![
            disk("md0", 300.0, 3.0),
            disk("sda", 100.0 * scale, 1.0),
            disk("sdb", 200.0 * scale, 4.0),
            disk("sdc", 7000.0, 9.0),
        ]
    };
    let scale = 1.0 + 0.01 * (repeat - 2.0);
    // Warm-up, 2.5 s each, and a last one half of which came after the phase.
    let mut samples = vec![sample(0.0, 2.0, disks(50.0))];
    for step in 0..3 {
        let from = 2.0 + 2.5 * f64::from(step);
        samples.push(sample(from, from + 2.5, disks(scale)));
    }
    samples.push(sample(9.5, 14.5, disks(scale)));
    samples
}

fn volume<'a>(analysis: &'a Analysis) -> &'a CellVolume {
    analysis.tests[0].cells[0].volume.as_ref().expect("the disks are known")
}

fn point(estimate: Option<Estimate>) -> f64 {
    estimate.expect("an estimate").point
}

#[test]
fn a_volume_is_the_sum_of_its_disks_in_the_measured_phase() {
    let data = striped(steady);
    let analysis = analyse(&data);
    let found = volume(&analysis);
    let together = &found.together;
    assert_eq!(together.device, "sda, sdb");
    assert!((point(together.writes) - 300.0).abs() < 1e-9, "{:?}", together.writes);
    assert!((point(together.writes_merged) - 900.0).abs() < 1e-9);
    assert!((point(together.write_await_ms) - 3.0).abs() < 1e-9, "weighted by writes");
    assert!((point(together.write_size_bytes) - 4096.0).abs() < 1e-9);
    assert!((point(together.writes_merged_share) - 0.75).abs() < 1e-9);
    assert!((point(together.queue) - 0.9).abs() < 1e-9);
    assert!((point(together.utilisation) - 0.15).abs() < 1e-9, "the mean");
    assert!((point(found.busiest) - 0.2).abs() < 1e-9);
    assert_eq!(together.read_await_ms, None, "nothing was read");
    assert_eq!(point(together.reads), 0.0);
}

#[test]
fn requests_for_an_io_are_counted_before_and_after_the_queue() {
    let data = striped(steady);
    let analysis = analyse(&data);
    let found = volume(&analysis);
    let operations = found.operations_per_io.expect("an estimate");
    assert!((operations.point - 1000.0 / 300.0).abs() < 1e-9);
    let interval = operations.interval.expect("three repeats");
    assert!(interval.low < operations.point && operations.point < interval.high);
    assert!((point(found.together.merge_factor) - 4.0).abs() < 1e-9, "one and three merged");
}

#[test]
fn each_disk_has_its_own_figures() {
    let data = striped(steady);
    let analysis = analyse(&data);
    let names: Vec<&str> =
        volume(&analysis).devices.iter().map(|device| device.device.as_str()).collect();
    assert_eq!(names, ["sda", "sdb"]);
    let [sda, sdb] = &volume(&analysis).devices[..] else { panic!("two disks") };
    assert!((point(sda.writes) - 100.0).abs() < 1e-9 && (point(sdb.writes) - 200.0).abs() < 1e-9);
    let interval = sda.writes.and_then(|writes| writes.interval).expect("three repeats");
    assert!(interval.low < 100.0 && interval.high > 100.0);
}

#[test]
fn figures_do_not_depend_on_how_often_was_sampled() {
    let often = |_| {
        (0..140)
            .map(|i| {
                let from = f64::from(i) / 10.0;
                let writes = if i % 2 == 0 { 100.0 } else { 300.0 };
                let disks = vec![disk("sda", writes, 1.0), disk("sdb", 0.0, 1.0)];
                sample(from, from + 0.1, disks)
            })
            .collect()
    };
    let once = |_| vec![sample(2.0, 12.0, vec![disk("sda", 200.0, 1.0), disk("sdb", 0.0, 1.0)])];
    let (often, once) = (striped(often), striped(once));
    for data in [&often, &once] {
        let analysis = analyse(data);
        assert!((point(volume(&analysis).together.writes) - 200.0).abs() < 1e-6);
        assert_eq!(point(volume(&analysis).together.write_await_ms), 1.0);
    }
}

#[test]
fn what_was_not_sampled_is_not_known() {
    let none: [fn(f64) -> Vec<Sample>; 3] = [
        // Nothing at all, one disk of two, and too little of the phase.
        |_| Vec::new(),
        |_| vec![sample(2.0, 12.0, vec![disk("sda", 1.0, 1.0)])],
        |_| vec![sample(2.0, 4.5, vec![disk("sda", 1.0, 1.0), disk("sdb", 1.0, 1.0)])],
    ];
    for samples in none {
        assert_eq!(analyse(&striped(samples)).tests[0].cells[0].volume, None);
    }
    let mut elsewhere = striped(steady);
    elsewhere.trials.iter_mut().for_each(|record| record.sampling.volume.clear());
    assert_eq!(analyse(&elsewhere).tests[0].cells[0].volume, None);
}

#[test]
fn disks_without_io_have_no_requests_for_each() {
    let data =
        striped(|_| vec![sample(0.0, 14.0, vec![disk("sda", 0.0, 1.0), disk("sdb", 0.0, 1.0)])]);
    let analysis = analyse(&data);
    let found = volume(&analysis);
    assert_eq!((found.operations_per_io, found.together.merge_factor), (None, None));
    assert_eq!(point(found.together.writes), 0.0);
    let trial = TrialVolume::from_record(&data.trials[0]).expect("the disks are known");
    assert_eq!(trial.seconds, MEASURE.as_secs_f64());
}

#[test]
fn a_time_that_some_repeats_lack_is_not_shown_and_bounds_are_kept() {
    let data = striped(|repeat| {
        let mut first = disk("sda", 100.0 + 60.0 * repeat, 1.0);
        first.writes_merged = repeat - 1.0;
        first.utilisation = [0.5, 0.99, 1.0][repeat as usize - 1];
        first.reads = repeat - 1.0;
        first.read_await_ms = (repeat > 1.0).then_some(7.0 * repeat);
        vec![sample(0.0, 14.0, vec![first, disk("sdb", 0.0, 1.0)])]
    });
    let analysis = analyse(&data);
    let found = volume(&analysis);
    assert_eq!(found.together.read_await_ms, None);
    assert_eq!(point(found.together.reads), 1.0);
    let interval = found.together.merge_factor.and_then(|requests| requests.interval);
    assert!(interval.expect("three repeats").low >= 1.0, "{interval:?}");
    let interval = found.devices[0].utilisation.and_then(|share| share.interval);
    assert_eq!(interval.expect("three repeats").high, 1.0);
}
