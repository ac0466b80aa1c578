//! Hosts that do not permit io_uring: loads go another way by themselves, say so, and count what
//! the other side counts.

use crate::support::{
    COUNTERS, LoopDevice, Workplace, adds_up, file_of, number, prepared, shared_directory, whole,
    without_io_uring, without_registering,
};

#[test]
fn a_load_on_a_volume_goes_through_threads() {
    let place = Workplace::new();
    let directory = shared_directory();
    let image = file_of(directory.path(), "image", 32);
    // What its counters show is this load's alone.
    let Some(device) = LoopDevice::over(&image) else { return };
    let size = ["--vms=2", "--data=8MiB"];
    let pattern = ["--pattern=t2 o4 b16k", "--reads=50", "--duration=3s", "--verify", "--json"];
    let load = [&["load", device.path()], &size[..], &pattern].concat();
    let Some(ran) = without_io_uring(|| place.weighin(&load)) else { return };
    let json = ran.json();
    assert_eq!(json["client_io"], "threads", "{json:#}");
    adds_up(&json);
    let storage = &json["storage"];
    assert_eq!(whole(storage, "/queue_depth_per_vm"), 8);
    assert!(number(storage, "/verified_units") > 0.0, "{storage:#}");
    for moved in storage["moved"].as_array().unwrap() {
        let (own, device) = (whole(moved, "/weighin_bytes"), whole(moved, "/device_bytes"));
        // A block is tried on each machine's data before the load; and the operating system may
        // look at a device that was written.
        assert!(own > 0 && (own..own + (1 << 20)).contains(&device), "{moved}");
    }

    // The same data, where nothing is refused.
    let json = place.weighin(&load).json();
    let best = if engine::storage::has_ring() { "io_uring" } else { "threads" };
    assert_eq!(json["client_io"], best, "{json:#}");
}

#[test]
fn a_ring_that_gets_no_files_is_given_up_for_threads() {
    let place = Workplace::new();
    let directory = shared_directory();
    let load = ["load", directory.path().to_str().unwrap(), "--data=4MiB", "--duration=500ms"];
    let load = [&load[..], &["--pattern=t1 o4 b4k", "--json"]].concat();
    let Some(ran) = without_registering(|| place.weighin(&load)) else { return };
    let json = ran.json();
    assert_eq!(json["client_io"], "threads", "{json:#}");
    adds_up(&json);
    if engine::storage::has_ring() {
        let named = [&load[..], &["--io=io_uring"]].concat();
        let ran = without_registering(|| place.weighin(&named)).expect("the first could");
        ran.refused(3, &["has no io_uring, or does not permit it", "leave out --io"]);
    }
}

#[test]
fn a_load_on_a_server_goes_by_readiness() {
    let place = Workplace::new();
    let server = prepared(&place);
    let arguments = [
        "--workload=oltp_read_write",
        "--table-size=1000",
        "--clients=16",
        "--transactions=500",
        "--json",
    ];
    let before = server.counters();
    let ran = without_io_uring(|| server.weighin(&place, "load", &arguments));
    let Some(ran) = ran else { return };
    let (json, after) = (ran.json(), server.counters());
    assert_eq!(json["client_io"], "epoll", "{json:#}");
    adds_up(&json);
    for name in COUNTERS {
        let kind = name.strip_prefix("Com_").unwrap();
        let said = whole(&json, &format!("/requests/{kind}/weighin"));
        assert_eq!(after[name] - before[name], said, "{name}");
    }
    assert!(number(&json, "/transactions") > 0.0, "{json:#}");
}

#[test]
fn io_uring_that_is_asked_for_by_name_and_refused_is_said() {
    let place = Workplace::new();
    let server = prepared(&place);
    let directory = shared_directory();
    let volume = directory.path().to_str().unwrap();
    let named = ["--io=io_uring", "--duration=500ms"];
    let on_volume = [&["load", volume, "--data=1MiB"], &named[..]].concat();
    let words = ["has no io_uring, or does not permit it", "leave out --io"];
    let Some(ran) = without_io_uring(|| place.weighin(&on_volume)) else { return };
    ran.refused(3, &words);
    let workload = ["--workload=oltp_point_select", "--table-size=1000"];
    let on_server = [&workload[..], &named].concat();
    let Some(ran) = without_io_uring(|| server.weighin(&place, "load", &on_server)) else { return };
    ran.refused(3, &words);
}
