//! What `--out` names: nothing of anybody's is replaced by a report.

use crate::support::{Workplace, with_mounts};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::{Command, Stdio};

/// A workplace with a results file, `run.weighin`, made without a server.
fn with_results() -> Workplace {
    let place = Workplace::new();
    place.write("table.csv", "target,test,metric,value\na,oltp,tps,100\nb,oltp,tps,120\n");
    place.weighin(&["import", "csv", "table.csv", "--out", "run.weighin"]).done();
    place
}

#[test]
fn devices_and_fifos_are_written_and_stay_what_they_are() {
    let place = with_results();
    let report = ["report", "run.weighin", "--format", "csv", "--out"];
    let full = place.path("full");
    let made = Command::new("mknod").arg(&full).args(["c", "1", "7"]).status();
    if made.is_ok_and(|status| status.success()) {
        let ran = place.weighin(&[&report[..], &["full"]].concat());
        // Where a device of one's own may not be used, it cannot be opened.
        ran.refused(3, &["full"]);
        assert!(full.symlink_metadata().unwrap().file_type().is_char_device());
    }
    place.weighin(&[&report[..], &["/dev/null"]].concat()).done();
    let fifo = place.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let reader = Command::new("cat").arg(&fifo).stdout(Stdio::piped()).spawn().unwrap();
    place.weighin(&[&report[..], &["fifo"]].concat()).done();
    let read = reader.wait_with_output().unwrap().stdout;
    assert!(String::from_utf8_lossy(&read).starts_with("format_version,study,run,test,target,"));
    assert!(fifo.symlink_metadata().unwrap().file_type().is_fifo());
    let out = place.weighin(&[&report[..], &["/dev/stdout"]].concat()).done();
    assert!(out.starts_with("format_version,study,run,test,target,"), "{out}");
}

#[test]
fn results_studies_and_foreign_files_are_not_replaced() {
    let place = with_results();
    let before = std::fs::read(place.path("run.weighin")).unwrap();
    place.write("study.toml", "[study]\nname = \"mine\"\n");
    place.write("page.html", "<!DOCTYPE html><title>mine</title>");
    symlink(place.path("page.html"), place.path("link.html")).unwrap();
    for name in ["run.weighin", "study.toml", "page.html", "link.html", "table.csv"] {
        let held = std::fs::read(place.path(name)).unwrap();
        place
            .weighin(&["report", "run.weighin", "--out", name])
            .refused(2, &[name, "does not overwrite"]);
        assert_eq!(std::fs::read(place.path(name)).unwrap(), held, "{name}");
    }
    place
        .weighin(&["report", "run.weighin", "--out", "run.weighin", "--overwrite"])
        .refused(2, &["holds results"]);
    assert_eq!(std::fs::read(place.path("run.weighin")).unwrap(), before);
    place.write("ibdata1", [1, 2, 0, 3]);
    place
        .weighin(&["report", "run.weighin", "--out", "ibdata1", "--overwrite"])
        .refused(2, &["ibdata1 is a binary file"]);
    assert_eq!(std::fs::read(place.path("ibdata1")).unwrap(), [1, 2, 0, 3]);
    // A report of any format gives way to another; the rest where the user says so.
    for format in ["html", "markdown", "json", "csv", "html"] {
        place.weighin(&["report", "run.weighin", "--format", format, "--out", "new"]).done();
    }
    let said =
        place.weighin(&["report", "run.weighin", "--out", "link.html", "--overwrite"]).done();
    assert!(said.contains("link.html (where it leads:") && said.contains("page.html"), "{said}");
    assert!(std::fs::read_to_string(place.path("page.html")).unwrap().contains("weighin"));
}

#[test]
fn a_report_on_a_full_disk_leaves_nothing() {
    let place = with_results();
    std::fs::create_dir(place.path("disk")).unwrap();
    let mount = format!("mount -t tmpfs -o size=16k small {}", place.path("disk").display());
    let arguments = ["report", "run.weighin", "--out", "disk/report.html"];
    let Some(ran) = with_mounts(&place, &mount, &arguments, "ls -A disk > left") else { return };
    ran.refused(3, &["disk/report.html", "No space left", "make room there"]);
    assert_eq!(std::fs::read_to_string(place.path("left")).unwrap(), "");
}

#[test]
fn an_import_that_does_not_fit_leaves_nothing() {
    let place = with_results();
    std::fs::create_dir(place.path("disk")).unwrap();
    for size in ["8k", "300k"] {
        let lines: String = (0..2000).map(|n| format!("t{n},oltp,tps,{n}\n")).collect();
        place.write("many.csv", format!("target,test,metric,value\n{lines}"));
        let mount = format!("mount -t tmpfs -o size={size} small {}", place.path("disk").display());
        let arguments = ["import", "csv", "many.csv", "--out", "disk/many.weighin"];
        let Some(ran) = with_mounts(&place, &mount, &arguments, "ls -A disk > left") else {
            return;
        };
        ran.refused(3, &["no space left", "disk/many.weighin"]);
        assert!(!ran.err.contains("--resume"), "{}", ran.err);
        assert_eq!(std::fs::read_to_string(place.path("left")).unwrap(), "", "{size}");
    }
}

/// The most memory, in bytes, that making the JSON report of a run with so many tests of 100 trials
/// takes, and how long the report is.
fn memory_of_report(tests: usize) -> (u64, u64) {
    let place = Workplace::new();
    let mut table = "test,target,clients,repeat,TPS,avg (ms)\n".to_owned();
    for test in 0..tests {
        for (target, clients, repeat) in
            (0..4).flat_map(|t| (0..5).flat_map(move |c| (1..=5).map(move |r| (t, 1 << c, r))))
        {
            let rate = 100 * clients + 7 * target + 3 * repeat + test % 5;
            let mean = 1_000.0 * clients as f64 / rate as f64;
            table += &format!("t{test},s{target},{clients},{repeat},{rate},{mean:.4}\n");
        }
    }
    place.write("table.csv", table);
    place.weighin(&["import", "csv", "table.csv", "--out", "run.weighin"]).done();
    let mut report = place.command(&["report", "run.weighin", "--format", "json"]);
    let mut report = report.stdout(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", report.id());
    let mut out = report.stdout.take().unwrap();
    let (mut most, mut length) = (0, 0);
    let mut part = vec![0; 64 << 10];
    loop {
        let read = out.read(&mut part).unwrap();
        if read == 0 {
            break;
        }
        length += read as u64;
        // What a pipe holds is still to come, so that the program is there.
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let high = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = high.and_then(|high| high.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(kib.unwrap_or(0) << 10);
    }
    assert!(report.wait().unwrap().success());
    (most, length)
}

#[test]
fn a_report_is_never_in_memory_as_a_whole() {
    let (few, _) = memory_of_report(2);
    let (many, length) = memory_of_report(60);
    let of_a_trial = many.saturating_sub(few) / 5_800;
    // The trials themselves, and what was concluded of them; as text they are of that size again.
    assert!(of_a_trial < 5_500, "{of_a_trial} bytes a trial, and {length} of report");
    assert!(length > 10 << 20, "{length}");
}
