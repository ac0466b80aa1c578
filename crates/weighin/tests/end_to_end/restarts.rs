//! Servers that weighin did not start, and restarts for tests with cold caches: on a machine that it
//! reaches over SSH, in a network namespace, and on this one. The commands are those of the test.

use crate::ssh::{command, copies_with, signal, sshd};
use crate::support::{Ran, Server, Started, Workplace, assert_read_cold, not_tested, wait_for};
use host::{PrivateServer, ServerAct};
use model::{Endpoint, FailureKind, TrialEnd};
use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Command};
use test_support::write_program;

/// A server that two scripts stop and start, and that reads nothing by itself when it starts.
pub struct Restarted {
    server: Server,
    address: String,
    port: u16,
    /// The accounts that it runs as, as `setpriv` takes them.
    owner: String,
}

impl Restarted {
    /// Of a server that runs, whose process the scripts then replace.
    pub fn in_place(place: &Workplace, server: Server) -> Self {
        let (address, port) = match server.sandbox.address().endpoint.clone() {
            Endpoint::Tcp { host, port } => (host, port),
            other => panic!("a server with a network listens on it: {other}"),
        };
        let process = format!("/proc/{}", server.sandbox.pid());
        // What makes the login on the first start is gone.
        let words = fs::read(format!("{process}/cmdline")).unwrap();
        let words = words.split_inclusive(|byte| *byte == 0);
        let words: Vec<&[u8]> = words.filter(|word| !word.starts_with(b"--init-file")).collect();
        fs::write(place.path("words"), words.concat()).unwrap();
        let owner = fs::metadata(&process).unwrap();
        let owner = format!("--reuid {} --regid {}", owner.uid(), owner.gid());
        let data = server.sandbox.data_directory().display().to_string();
        // The process that the sandbox started is waited for by nobody, so that it remains a zombie.
        place.write(
            "stop.sh",
            format!(
                "#!/bin/sh\necho \"stop $WEIGHIN_TARGET $WEIGHIN_PORT\" >> {log}\n\
                 is_there() {{ grep -lszxF -e\"--datadir={data}\" /proc/[0-9]*/cmdline; }}\n\
                 for file in $(is_there); do pid=${{file#/proc/}}; kill \"${{pid%/cmdline}}\"; done\n\
                 tries=0\n\
                 while [ -n \"$(is_there)\" ] && [ $tries -lt 600 ]; do tries=$((tries+1)); sleep 0.1; done\n\
                 if [ -e {hang} ]; then touch {hung}; sleep 600; fi\n",
                log = place.path("log").display(),
                hang = place.path("hang").display(),
                hung = place.path("hung").display(),
            ),
        );
        place.write(
            "start.sh",
            format!(
                "#!/bin/sh\necho start >> {log}\ncd {data}\n\
                 xargs -0 setsid -f setpriv {owner} --clear-groups < {words} \
                 > {said} 2>&1\n",
                said = place.path("said").display(),
                log = place.path("log").display(),
                words = place.path("words").display(),
            ),
        );
        Self { server, address, port, owner }
    }

    /// A command that runs the one behind it as its account.
    pub fn as_owner(&self) -> String {
        format!("setpriv {} --clear-groups", self.owner)
    }

    pub fn study(&self, place: &Workplace, machine: &str) -> String {
        let script = |name: &str| place.path(name).display().to_string();
        format!(
            "[study]\nname = \"cold\"\nrepeats = 2\n\
             [[target]]\nname = \"one\"\nurl = \"mysql://weighin@{}:{}/sbtest\"\n\
             password_file = \"{}\"\n{machine}\n\
             [target.restart]\nstop = [\"sh\", \"{}\"]\nstart = [\"sh\", \"{}\"]\ntrusted = true\n\
             [[test]]\nworkload = \"oltp_point_select\"\ntable_size = 50000\nclients = 2\n\
             warmup = \"0s\"\nduration = \"2s\"\ncache = \"cold\"\n",
            self.address,
            self.port,
            self.server.password_file().display(),
            script("stop.sh"),
            script("start.sh"),
        )
    }

    pub fn is_up(&self) -> bool {
        TcpStream::connect((self.address.as_str(), self.port)).is_ok()
    }
}

/// Its caches are filled by the load alone.
pub const COLD: [(&str, &str); 1] = [("innodb_buffer_pool_load_at_startup", "OFF")];

/// On another machine, whose sshd ends when this is dropped.
struct Far {
    sshd: Child,
    restarted: Restarted,
}

impl Drop for Far {
    fn drop(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
}

impl Far {
    /// `None` where this user may not make one.
    fn start(place: &Workplace) -> Option<Self> {
        let mut server = Server::start_with(&COLD);
        if let Err(failure) = server.sandbox.act(ServerAct::MoveApart) {
            not_tested(&failure.to_string());
            return None;
        }
        let pid = server.sandbox.pid();
        let restarted = Restarted::in_place(place, server);
        let sshd = sshd(place, "far", &restarted.address, pid, "86400");
        Some(Self { sshd, restarted })
    }
}

fn log(place: &Workplace) -> Vec<String> {
    let log = fs::read_to_string(place.path("log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

#[test]
fn a_server_over_ssh_is_measured_cold() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    place.write("study.toml", far.restarted.study(&place, "ssh = \"far\""));
    let checked = Ran::of(command(&place, &["check", "study.toml"])).done();
    assert!(checked.contains("one: cold tests stop it and start it again"), "{checked}");
    assert!(!checked.contains("load_at_startup"), "{checked}");
    assert!(log(&place).is_empty(), "{:?}", log(&place));

    Ran::of(command(&place, &["run", "study.toml"])).done();
    let stop = format!("stop one {}", far.restarted.port);
    assert_eq!(log(&place), [stop.as_str(), "start", stop.as_str(), "start"]);
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 2);
    for trial in &dataset.trials {
        assert!(matches!(trial.end, TrialEnd::Completed(_)), "{:?}", trial.end);
        assert_read_cold(trial);
        assert_eq!(trial.sampling.target_host.as_ref().unwrap().host, "far");
    }
    let store = place.files(".weighin")[0].display().to_string();
    let json = Ran::of(command(&place, &["report", &store, "--format", "json"])).json();
    let findings = json["findings"].to_string();
    assert!(!findings.contains("cache_not_cold"), "{findings}");
    assert!(far.restarted.is_up());
}

#[test]
fn no_server_stays_down_when_weighin_is_killed_or_cannot_go_on() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    place.write("study.toml", far.restarted.study(&place, "ssh = \"far\""));
    for who in ["lead", "agent"] {
        place.write("hang", "");
        let _ = fs::remove_file(place.path("hung"));
        let run = Started::new(command(&place, &["run", "study.toml"]));
        wait_for("a server that is down", || place.path("hung").exists());
        assert!(!far.restarted.is_up());
        fs::remove_file(place.path("hang")).unwrap();
        if who == "agent" {
            let agents = copies_with(&place, "far", " agent --stdio");
            agents.iter().for_each(|agent| signal(*agent, "KILL"));
        }
        run.kill();
        wait_for("the server's return", || far.restarted.is_up());
        wait_for("the keeper's end", || copies_with(&place, "far", "instance-keeper").is_empty());
        assert_eq!(log(&place).last().map(String::as_str), Some("start"));
        for file in place.files(".weighin") {
            fs::remove_file(file).unwrap();
        }
    }

    // What is no restart fails its trials, and leaves the server as it is.
    let failures = || -> Vec<String> {
        let trials = place.store().dataset().unwrap().trials;
        let failure = |end: &TrialEnd| match end {
            TrialEnd::Failed(failure) => {
                assert_eq!(failure.kind, FailureKind::Other, "{failure}");
                failure.message.clone()
            }
            end => panic!("{end:?}"),
        };
        trials.iter().map(|trial| failure(&trial.end)).collect()
    };
    for (script, options, words) in [
        ("echo not me >&2", &[][..], "one was not restarted: it answers although `stop` has ended"),
        (
            "echo not permitted >&2; exit 4",
            &["--resume", "--retry-failed"][..],
            "one was not restarted: `stop` ended with exit code 4: not permitted",
        ),
    ] {
        place.write("stop.sh", format!("#!/bin/sh\n{script}\n"));
        let words_of_command = [&["run"], options, &["study.toml"]].concat();
        let ran = Ran::of(command(&place, &words_of_command));
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let failures = failures();
        assert_eq!(failures.len(), 2, "{failures:?}");
        assert!(failures.iter().all(|failure| failure.contains(words)), "{failures:?}");
        assert!(far.restarted.is_up());
    }
}

/// There is no systemd in most containers: a `systemctl` of the test does what it is asked with the
/// scripts, and says what it was asked.
#[test]
fn a_unit_of_systemd_is_stopped_and_started_for_every_cold_trial() {
    let place = Workplace::new();
    let restarted = Restarted::in_place(&place, Server::start_with(&COLD));
    let file = |name: &str| place.path(name).display().to_string();
    fs::create_dir(place.path("bin")).unwrap();
    write_program(
        &place.path("bin/systemctl"),
        &format!(
            "#!/bin/sh\necho \"$@\" >> {}\n\
             case \"$*\" in\n\
             'is-active -- db.service') ;;\n\
             '--no-ask-password stop -- db.service') exec sh {} ;;\n\
             '--no-ask-password start -- db.service') exec sh {} ;;\n\
             *) echo unknown >&2; exit 4 ;;\nesac\n",
            file("asked"),
            file("stop.sh"),
            file("start.sh"),
        ),
    );
    let study = restarted.study(&place, "");
    let (before, _) = study.split_once("[target.restart]").unwrap();
    let (_, test) = study.split_once("[[test]]").unwrap();
    let of = |unit: &str| format!("{before}restart = {{ unit = \"{unit}\" }}\n[[test]]{test}");
    place.write("study.toml", of("other.service"));
    let refused = Ran::of(command(&place, &["check", "study.toml"]));
    if refused.out.contains("only root") || refused.err.contains("only root") {
        not_tested("caches are emptied by root");
        return;
    }
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.out.contains("no unit other.service is active"), "{refused:?}");
    // This systemd does not say that the process of the server is in the unit.
    place.write("study.toml", of("db.service"));
    let refused = Ran::of(command(&place, &["check", "study.toml"]));
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.out.contains("would stop the unit db.service"), "{refused:?}");
    assert!(refused.out.contains("trusted = true"), "{refused:?}");
    place.write("study.toml", of("db.service").replace(" }", ", trusted = true }"));
    Ran::of(command(&place, &["run", "study.toml"])).done();
    let asked = fs::read_to_string(place.path("asked")).unwrap();
    let asked: Vec<&str> = asked.lines().filter(|line| line.starts_with("--")).collect();
    let [stop, start] =
        ["stop", "start"].map(|verb| format!("--no-ask-password {verb} -- db.service"));
    assert_eq!(asked, [&stop, &start, &stop, &start]);
    let dataset = place.store().dataset().unwrap();
    for trial in &dataset.trials {
        assert_read_cold(trial);
    }
    assert!(restarted.is_up());
}

#[test]
fn a_server_of_this_machine_is_measured_cold_and_what_keeps_that_from_being_so_is_told() {
    let place = Workplace::new();
    let restarted = Restarted::in_place(&place, Server::start_with(&COLD));
    let study = restarted.study(&place, "");
    place.write("study.toml", &study);
    let ran = place.weighin(&["run", "study.toml"]);
    if ran.err.contains("only root") {
        not_tested("caches are emptied by root");
        return;
    }
    ran.done();
    assert!(log(&place).len() >= 2, "{:?}", log(&place));
    let dataset = place.store().dataset().unwrap();
    assert_read_cold(&dataset.trials[0]);

    let check = |study: String, words: &str| {
        place.write("study.toml", study);
        let ran = place.weighin(&["check", "study.toml"]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(format!("{}{}", ran.out, ran.err).contains(words), "no «{words}» in {ran:?}");
    };
    let (before, _) = study.split_once("[target.restart]").unwrap();
    let (_, test) = study.split_once("[[test]]").unwrap();
    let with = |restart: &str| format!("{before}{restart}\n[[test]]{test}");
    check(with(""), "weighin may not restart this server");
    check(
        with("restart = { stop = [\"/no/such\"], start = [\"true\"], trusted = true }"),
        "a restart runs /no/such, and there is no such program",
    );
    // An address of this machine is as good as loopback; any other is another machine's.
    let elsewhere = with("restart = { stop = [\"/no/such\"], start = [\"true\"], trusted = true }")
        .replace(&format!("@{}:", restarted.address), "@198.51.100.7:");
    check(elsewhere, "weighin does not know on which machine it could restart one");
    let script = "ip addr add 198.51.100.7/32 dev lo && ip link set lo up && exec \"$@\"";
    let mut within = Command::new("unshare");
    within.args(["--net", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_weighin"), "check"]);
    let ran = Ran::of({
        within.arg(place.path("study.toml")).args(place.consent(&["check", "study.toml"]));
        within
    });
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("a restart runs /no/such, and there is no such program"), "{said}");
    if host::this_machine().find_program("systemctl").is_some() {
        check(
            with("restart = { unit = \"weighin-no-such-unit\" }"),
            "no unit weighin-no-such-unit is active",
        );
    } else {
        check(with("restart = { unit = \"mariadb\" }"), "a restart runs systemctl");
    }
}

#[test]
fn a_plan_shows_every_command_of_a_study() {
    let place = Workplace::new();
    let study = "[study]\nname = \"commands\"\n\
        [[target]]\nname = \"group\"\nurl = \"mysql://127.0.0.1:1/a\"\n\
        replicas = [\"mysql://127.0.0.1:2/a\"]\n[target.replication]\ntrusted = true\n\
        stop_applier = [\"./hold\", \"it\"]\nstart_applier = \"START SLAVE SQL_THREAD\"\n\
        [[test]]\nname = \"gone\"\ntask = \"failover\"\nrate = 200\ntrusted = true\n\
        command = [\"./kill\", \"primary\"]\nrestore = [\"./bring\", \"back\"]\n";
    place.write("group.toml", study);
    let planned = place.weighin(&["plan", "group.toml"]).done();
    for told in [
        "\ngone: the failover is the command ./kill primary.\n",
        "\ngone: the end of the failover is the command ./bring back.\n",
        "\ngroup: its replicas are controlled by a command on this host, which the study says is \
         trusted: ./hold it.\n",
    ] {
        assert!(planned.contains(told), "{planned}");
    }

    let restarted = |restart: &str| {
        let study = format!(
            "[study]\nname = \"cold\"\n[[target]]\nname = \"one\"\n\
             url = \"mysql://127.0.0.1:1/a\"\nrestart = {restart}\n\
             [[test]]\nworkload = \"oltp_point_select\"\nclients = 1\ncache = \"cold\"\n"
        );
        place.write("cold.toml", study);
        place.weighin(&["plan", "cold.toml"]).done()
    };
    let by_commands = restarted("{ stop = [\"./down\"], start = [\"./up\"], trusted = true }");
    let told = "one: cold tests stop it and start it again by commands on its machine, which the study says \
                are trusted: ./down; ./up.\n";
    assert!(by_commands.contains(told), "{by_commands}");
    let unit = restarted("{ unit = \"mariadb\" }");
    let told = "one: cold tests stop the unit mariadb of its machine and start it again.\n";
    assert!(unit.contains(told), "{unit}");
}
