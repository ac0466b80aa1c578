//! Rates that last only until credits are used up, on a real device whose limit sets in while a trial runs.

use crate::support::{LoopDevice, Workplace, file_of, not_tested, shared_directory};
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const LIMIT: &str = "/sys/fs/cgroup/blkio/blkio.throttle.write_iops_device";
/// Writes per second with credits, and without.
const BURST: u64 = 400;
const SUSTAINED: u64 = 100;
/// So many writes a burst has credits for: those of more than ten seconds.
const CREDITS: u64 = 4_600;
/// More than is read and written before a load begins: the data, once.
const DATA: u64 = 600;
/// How often the devices are measured at the most. A trial on a machine that stands still for seconds shows no
/// end of a burst; who never sees it in both trials does not look for it.
const ATTEMPTS: usize = 6;
/// Writes per second of a device without credits: more than what lasts of the other, and less than that does on
/// average.
const STEADY: u64 = 170;

/// `major:minor` of a device.
fn number(device: &LoopDevice) -> String {
    let name = device.0.file_name().unwrap().to_str().unwrap();
    std::fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap().trim().to_owned()
}

/// Limits its writes per second; `false` where this machine has no such controller.
fn limit(device: &LoopDevice, writes: u64) -> bool {
    std::fs::write(LIMIT, format!("{} {writes}", number(device))).is_ok()
}

/// As a provider does: the first device has credits for a burst, and has them again when it has rested, which it
/// does while the other one works. Returns for how long the credits lasted each time, of more than [`DATA`].
fn spend_credits(bursting: &LoopDevice, other: &LoopDevice, over: &AtomicBool) -> Vec<Duration> {
    let (mut since, mut of_other, mut has_credits) = (bursting.ios(), other.ios(), true);
    let (mut began, mut lasted) = (Instant::now(), Vec::new());
    while !over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(20));
        let (own, others) = (bursting.ios(), other.ios());
        if others != std::mem::replace(&mut of_other, others) {
            since = own;
            if !has_credits {
                has_credits = limit(bursting, BURST);
            }
        } else if own <= since + DATA {
            began = Instant::now();
        } else if has_credits && own - since >= CREDITS {
            has_credits = !limit(bursting, SUSTAINED);
            lasted.push(began.elapsed());
        }
    }
    lasted
}

/// Devices that are limited no more when this is dropped: the next test may have one of their names.
struct Limited<'a>([&'a LoopDevice; 2]);

impl Drop for Limited<'_> {
    fn drop(&mut self) {
        for device in self.0 {
            let _ = limit(device, 0);
        }
    }
}

/// Repeats in which the two take turns, so that credits come back in between. So much waits at the devices that
/// they have something to do while weighin stands still.
fn study(volumes: [&Path; 2]) -> String {
    let target = |(name, volume): (&str, &Path)| {
        format!(
            "[[target]]\nname = \"{name}\"\nkind = \"storage\"\nvolumes = [{volume:?}]\n\
             price = {{ monthly = 100, currency = \"EUR\" }}\n"
        )
    };
    let targets: String = ["bursting", "steady"].into_iter().zip(volumes).map(target).collect();
    format!(
        "[study]\nname = \"burst\"\nrepeats = 2\nseed = 5\n{targets}[[test]]\nworkload = \"storage\"\n\
         block = \"4KiB\"\nreads = 0\nqueue_depth = 64\ndata = \"1MiB\"\nwarmup = \"0s\"\n\
         duration = \"26s\"\n"
    )
}

fn burst_ends(report: &Value) -> Vec<&Value> {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().filter(|one| one["evidence"]["kind"] == "burst_ends").collect()
}

/// The report of the study, and how long the credits lasted each time.
fn measure(
    place: &Workplace,
    bursting: &LoopDevice,
    steady: &LoopDevice,
) -> (Value, Vec<Duration>) {
    let mut attempts = Vec::new();
    for _ in 0..ATTEMPTS {
        place.files(".weighin").iter().for_each(|file| std::fs::remove_file(file).unwrap());
        limit(bursting, BURST);
        let over = AtomicBool::new(false);
        let lasted = std::thread::scope(|scope| {
            let spending = scope.spawn(|| spend_credits(bursting, steady, &over));
            let ran = place.weighin(&["run", "burst.toml"]);
            over.store(true, Ordering::Relaxed);
            ran.done();
            spending.join().unwrap()
        });
        let report = place.weighin(&["report", "burst.toml", "--format", "json"]).json();
        if matches!(*burst_ends(&report), [one] if one["evidence"]["trials"] == 2) {
            return (report, lasted);
        }
        attempts.push(format!("{lasted:?}, {:?}", burst_ends(&report)));
    }
    panic!("not one end of a burst in both trials: {attempts:#?}");
}

#[test]
fn the_rate_that_lasts_is_told_and_decides() {
    let (place, directory) = (Workplace::new(), shared_directory());
    let images = ["a", "b"].map(|name| file_of(directory.path(), name, 16));
    let Some(bursting) = LoopDevice::over(&images[0]) else { return };
    let Some(steady) = LoopDevice::over(&images[1]) else { return };
    let _limited = Limited([&bursting, &steady]);
    if !limit(&bursting, BURST) || !limit(&steady, STEADY) {
        return not_tested("this machine cannot limit devices by control groups of version 1");
    }
    place.write("burst.toml", study([&bursting.0, &steady.0]));
    let (report, lasted) = measure(&place, &bursting, &steady);
    let mut trials = place.store().dataset().unwrap().trials;
    trials.sort_by_key(|trial| trial.position);
    let order: Vec<&str> = trials.iter().map(|trial| trial.key.target.as_str()).collect();
    assert!(order.windows(2).all(|two| two[0] != two[1]), "they take turns: {order:?}");

    let ends = burst_ends(&report);
    let [found] = ends.as_slice() else { panic!("one: {ends:?}") };
    assert_eq!(found["subject"]["target"], "bursting");
    let found = &found["evidence"];
    let sustained = found["sustained"].as_f64().unwrap();
    assert!((0.7..1.1).contains(&(sustained / SUSTAINED as f64)), "{found}");
    let burst = found["burst"].as_f64().unwrap();
    assert!(burst > 1.5 * sustained && burst < 1.2 * BURST as f64, "{found}");
    // Credits last for eleven and a half seconds, on a busy machine for longer.
    let most = lasted.iter().max().unwrap().as_secs() + 6;
    let at = found["after"]["secs"].as_u64();
    assert!(at.is_some_and(|at| (10..most).contains(&at)), "{found}, {lasted:?}");

    // On average the bursting one does more, and what lasts of it is less: that is its throughput.
    let mean = |target: &str| {
        let own = trials.iter().filter(|trial| trial.key.target == target);
        own.map(|trial| trial.load().unwrap().measure.transactions_per_second()).sum::<f64>()
    };
    assert!(mean("bursting") > mean("steady"), "{order:?}");
    let throughput = |target: &str| {
        let cells = report["tests"][0]["cells"].as_array().unwrap();
        let cell = cells.iter().find(|cell| cell["target"] == target).unwrap();
        cell["estimates"]["throughput"]["point"].as_f64().unwrap()
    };
    assert!(throughput("bursting") < throughput("steady"), "{}", report["tests"]);
    let asked = place.weighin(&["advise", "burst.toml", "--rate", "140", "--json"]).json();
    // Whether two repeats are enough for a yes of the other depends on how busy the machine is.
    let sufficient = asked["tests"][0]["sufficient"].as_array().unwrap();
    assert!(!sufficient.contains(&"bursting".into()), "{asked}");
    let mut targets = asked["tests"][0]["targets"].as_array().unwrap().iter();
    let asked_of = targets.find(|one| one["target"] == "bursting").unwrap();
    assert!(asked_of["parts"][0]["grounds"][0]["burst"].is_object(), "{asked}");
    let page =
        place.weighin(&["report", "burst.toml", "--format", "markdown", "--out", "-"]).done();
    assert!(!page.contains("hoose bursting"), "{page}");
    // The bill, too, is for what lasts: a million on it cost more.
    let costs = report["tests"][0]["money"]["costs"].as_array().unwrap();
    let million = |target: &str| {
        let cost = costs.iter().find(|cost| cost["target"] == target).unwrap();
        cost["bill"]["per_million"]["point"].as_f64().unwrap()
    };
    assert!(million("bursting") > 1.2 * million("steady"), "{costs:?}");
}
