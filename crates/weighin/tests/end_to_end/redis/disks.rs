//! The disks under a private server, in the store and in the CSV.

use crate::support::Workplace;
use std::collections::BTreeMap;
use std::time::Duration;

const STUDY: &str = r#"
[study]
name = "disks"
repeats = 1
sample_every = "0.25s"

[[target]]
name = "always"
kind = "redis"
sandbox = { settings = { appendonly = true, appendfsync = "always", save = "" } }

[[test]]
workload = "key_value"
keys = 100
ratio = "1:0"
clients = 2
warmup = "300ms"
duration = "3s"
"#;

#[test]
fn what_a_server_s_disks_did_is_kept_and_told() {
    let place = Workplace::new();
    let study = place.write("disks.toml", STUDY);
    place.weighin(&["run", study]).done();
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.study.sample_every, Duration::from_millis(250));
    let sampling = &dataset.trials[0].sampling;
    let known = host::local::sample::volume_of(place.sandboxes()).map(|volume| volume.members);
    assert_eq!(sampling.volume, Vec::from_iter(known.unwrap_or_default()));
    if sampling.volume.is_empty() {
        return; // Sandboxes of this machine are in memory or on a network.
    }
    assert!(sampling.samples.len() > 1, "{:?}", sampling.samples);

    let store = place.files(".weighin").remove(0);
    let csv = place.weighin(&["report", store.to_str().unwrap(), "--format", "csv"]).done();
    let mut lines = csv.lines();
    let names = lines.next().unwrap().split(',');
    let row: BTreeMap<&str, &str> = names.zip(lines.next().unwrap().split(',')).collect();
    assert_eq!(row["disks"], sampling.volume.join(" "));
    let figure = |name: &str| row[name].parse::<f64>().unwrap_or_else(|_| panic!("{row:?}"));
    // Every command was synced before it was acknowledged.
    assert!(
        figure("disk_writes_per_second") > 0.0 && figure("disk_written_bytes_per_second") > 0.0
    );
    assert!(figure("operations_per_io") > 0.0 && figure("merge_factor") >= 1.0);
    assert!((0.0..=1.0).contains(&figure("disk_utilisation_busiest")));
}
