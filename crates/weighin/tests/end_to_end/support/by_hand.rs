use super::{Server, Started, Workplace, wait_for};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Rows of the table that loads by hand run on.
const ROWS: &str = "1000";

/// A server with one table of 1,000 rows.
pub fn prepared(place: &Workplace) -> Server {
    let server = Server::start();
    server.weighin(place, "prepare", &["--table-size", ROWS]).done();
    server
}

/// Starts a load of point selects with a result in JSON, and waits until it is well under way.
pub fn point_selects(place: &Workplace, server: &Server, arguments: &[&str]) -> Started {
    let (url, password) = (server.url(), server.password_file());
    let mut all = vec!["load", &url, "--password-file", password.to_str().unwrap(), "--json"];
    all.extend(["--workload=oltp_point_select", "--table-size", ROWS]);
    all.extend(arguments);
    let before = server.counters()["Com_select"];
    let load = place.start(&all);
    wait_for("statements", || server.counters()["Com_select"] > before + 100);
    load
}

/// A process that stands still until this is dropped.
pub struct Frozen {
    pid: u32,
    since: Instant,
}

impl Frozen {
    /// Weighin under a load that is under way: what a test does there is done before the load goes on,
    /// however slow this machine is.
    pub fn under_load(run: &Started) -> Self {
        loop {
            run.wait_for_load();
            let frozen = Self::new(run.pid());
            if !run.workers().is_empty() {
                return frozen;
            }
        }
    }

    pub fn new(pid: u32) -> Self {
        let mut frozen = Self { pid, since: Instant::now() };
        assert!(frozen.send("STOP"));
        // The signal's own process may have waited for a processor: it stands still from here on.
        frozen.since = Instant::now();
        frozen
    }

    /// Lets it stand still for so long, and go on; gives how long it was, at the least.
    pub fn thaw_after(self, time: Duration) -> f64 {
        std::thread::sleep(time);
        let seconds = self.since.elapsed().as_secs_f64();
        assert!(self.send("CONT"));
        seconds
    }

    /// Whether there is such a process, which has the signal then.
    fn send(&self, signal: &str) -> bool {
        let mut kill = Command::new("kill");
        kill.args(["-s", signal, &self.pid.to_string()]).stderr(Stdio::null());
        let status = kill.status();
        status.is_ok_and(|status| status.success())
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        self.send("CONT");
    }
}

pub fn number(json: &Value, field: &str) -> f64 {
    json.pointer(field).and_then(Value::as_f64).unwrap_or_else(|| panic!("{field} in {json:#}"))
}

pub fn whole(json: &Value, field: &str) -> u64 {
    json.pointer(field).and_then(Value::as_u64).unwrap_or_else(|| panic!("{field} in {json:#}"))
}

/// Asserts that every operation is accounted for once, and every second of the load is there.
#[track_caller]
pub fn adds_up(json: &Value) {
    let ends = ["ok", "failed", "timed_out", "dropped"];
    let operations = ends.map(|end| whole(json, &format!("/operations/{end}")));
    assert_eq!(whole(json, "/operations/scheduled"), operations.iter().sum::<u64>());
    let intervals = json["intervals"].as_array().unwrap();
    let mut end = 0.0;
    for interval in intervals {
        assert!((number(interval, "/start_seconds") - end).abs() < 1e-6, "a gap in {json:#}");
        end += number(interval, "/length_seconds");
    }
    let measured = number(json, "/elapsed_seconds") + number(json, "/warmup/elapsed_seconds");
    assert!((end - measured).abs() < 1e-6, "{end} s in intervals of {measured} s");
}
