//! Restarts of a unit by a real systemd, which is process 1 of namespaces of its own.

use crate::restarts::{COLD, Restarted};
use crate::support::{Ran, Server, Workplace, assert_read_cold, not_tested, wait_for};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const SYSTEMD: &str = "/lib/systemd/systemd";

/// A systemd with two units, `db.service` and `other.service`; it and all below it end when this is
/// dropped.
struct Systemd {
    outer: Child,
    pid: u32,
}

impl Drop for Systemd {
    fn drop(&mut self) {
        let _ = self.outer.kill();
        let _ = self.outer.wait();
    }
}

impl Systemd {
    /// With that command as the server; `None` where there is none, or this user may not start it.
    fn start(place: &Workplace, server: &str) -> Option<Self> {
        let script = format!(
            "mount --make-rprivate /\n\
             mount -t tmpfs -o mode=755 tmpfs /run\n\
             mount -t tmpfs -o mode=755 tmpfs /etc/systemd/system\n\
             mkdir -p /run/systemd/system /run/lock\n\
             cd /etc/systemd/system\n\
             printf '[Unit]\\nDefaultDependencies=no\\nWants=db.service other.service\\n' > test.target\n\
             printf '[Unit]\\nDefaultDependencies=no\\n[Service]\\nExecStart=sleep 3600\\n' > other.service\n\
             cp {} db.service\n\
             mount -t cgroup2 cgroup2 /sys/fs/cgroup\n\
             exec env -i PATH=\"$PATH\" container=test {SYSTEMD} --system --unit=test.target \
             --log-target=console --log-level=warning --show-status=no\n",
            place.path("db.service").display(),
        );
        let unit = format!(
            "[Unit]\nDefaultDependencies=no\n[Service]\nType=exec\nExecStart={server}\n\
             ExecStartPost=sh -c 'echo start >> {}'\nTimeoutStopSec=120\n",
            place.path("starts").display(),
        );
        place.write("db.service", unit);
        if !Path::new(SYSTEMD).exists() {
            not_tested("there is no systemd");
            return None;
        }
        // It takes the whole hierarchy of control groups for its own.
        if Path::new("/run/systemd/system").exists() {
            not_tested("another systemd has this host's control groups");
            return None;
        }
        let mut command = Command::new("unshare");
        command.args(["--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--cgroup"]);
        command.args(["--uts", "--ipc", "sh", "-ec", &script]).stdin(Stdio::null());
        let log = fs::File::create(place.path("systemd.log")).unwrap();
        command.stdout(log.try_clone().unwrap()).stderr(log);
        let mut outer = command.spawn().unwrap();
        let children = format!("/proc/{0}/task/{0}/children", outer.id());
        let mut pid = None;
        wait_for("systemd, or its end", || {
            let children = fs::read_to_string(&children).unwrap_or_default();
            pid = children.split_whitespace().next().and_then(|pid| pid.parse().ok());
            let is_up = pid.is_some_and(|pid: u32| {
                let active = ["systemctl", "is-active", "--quiet", "db.service", "other.service"];
                let ran = within(pid, place).args(active).stderr(Stdio::null()).status();
                ran.unwrap().success()
            });
            is_up || outer.try_wait().unwrap().is_some()
        });
        if outer.try_wait().unwrap().is_some() {
            not_tested(&fs::read_to_string(place.path("systemd.log")).unwrap());
            return None;
        }
        Some(Self { outer, pid: pid.unwrap() })
    }

    /// Runs weighin below it.
    fn weighin(&self, place: &Workplace, arguments: &[&str]) -> Ran {
        let mut command = within(self.pid, place);
        command.arg(env!("CARGO_BIN_EXE_weighin")).args(arguments);
        command.args(place.consent(arguments));
        Ran::of(command)
    }
}

/// A command in the namespaces of a process.
fn within(pid: u32, place: &Workplace) -> Command {
    let mut command = place.surround(Command::new("nsenter"));
    command.args(["--target", &pid.to_string(), "--pid", "--mount", "--cgroup", "--ipc", "--uts"]);
    command.arg(format!("--wd={}", place.path("").display())).arg("--");
    command
}

#[test]
fn a_unit_is_restarted_by_systemd_where_it_is_the_servers_own() {
    let place = Workplace::new();
    let restarted = Restarted::in_place(&place, Server::start_with(&COLD));
    let stopped = Command::new("sh").arg(place.path("stop.sh")).status().unwrap();
    assert!(stopped.success() && !restarted.is_up());
    let server = format!("xargs -0 -a {} {}", place.path("words").display(), restarted.as_owner());
    let Some(systemd) = Systemd::start(&place, &server) else { return };
    wait_for("the server", || restarted.is_up());

    let study = restarted.study(&place, "");
    let (before, _) = study.split_once("[target.restart]").unwrap();
    let (_, test) = study.split_once("[[test]]").unwrap();
    let of = |unit: &str| format!("{before}restart = {{ unit = \"{unit}\" }}\n[[test]]{test}");
    for (unit, words) in [
        ("other.service", "would stop the unit other.service"),
        ("none.service", "no unit none.service is active"),
    ] {
        place.write("study.toml", of(unit));
        let refused = systemd.weighin(&place, &["check", "study.toml"]);
        if refused.out.contains("only root") {
            not_tested("caches are emptied by root");
            return;
        }
        assert_eq!(refused.code, Some(3), "{refused:?}");
        assert!(refused.out.contains(words), "no «{words}» in {refused:?}");
    }
    place.write("study.toml", of("db.service"));
    let checked = systemd.weighin(&place, &["check", "study.toml"]).done();
    assert!(checked.contains("one: cold tests stop the unit db.service"), "{checked}");
    systemd.weighin(&place, &["run", "study.toml"]).done();
    let starts = || fs::read_to_string(place.path("starts")).unwrap().lines().count();
    // One is the first.
    assert_eq!(starts(), 3);
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 2);
    dataset.trials.iter().for_each(assert_read_cold);
    assert!(restarted.is_up());
}
