//! Targets on a machine of their own, which weighin reaches over SSH: a real sshd and a real server in
//! a network namespace, with a monotonic clock that is a day ahead.

use crate::support::{Ran, Server, Workplace, not_tested, processes_with, succeed, wait_for};
use host::{PrivateServer, ServerAct};
use model::{Endpoint, FailureKind, TrialEnd};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Instant;
use test_support::write_program;

/// By how much the monotonic clock there is ahead, in seconds.
const AHEAD: &str = "86400";

/// The other machine. Its sshd ends when this is dropped, and its server after that.
struct Far {
    sshd: Child,
    server: Server,
    address: String,
    port: u16,
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
        let mut server = Server::start();
        if let Err(failure) = server.sandbox.act(ServerAct::MoveApart) {
            not_tested(&failure.to_string());
            return None;
        }
        let Endpoint::Tcp { host, port } = server.sandbox.address().endpoint.clone() else {
            panic!("a server with a network listens on it")
        };
        let sshd = bare_sshd(place, "far", &host, server.sandbox.pid(), AHEAD);
        let far = Self { sshd, server, address: host, port };
        Some(far)
    }

    fn study(&self, place: &Workplace, repeats: u32, duration: &str) {
        place.write(
            "study.toml",
            format!(
                "[study]\nname = \"far\"\nrepeats = {repeats}\n[[host]]\nname = \"db2\"\nssh = \"far\"\n\
                 [[target]]\nname = \"one\"\nurl = \"mysql://weighin@{}:{}/sbtest\"\n\
                 password_file = \"{}\"\nhost = \"db2\"\n\
                 [[test]]\nworkload = \"oltp_point_select\"\ntable_size = 1000\nclients = 2\nrate = 400\n\
                 warmup = \"500ms\"\nduration = \"{duration}\"\n",
                self.address,
                self.port,
                self.server.password_file().display()
            ),
        );
    }
}

/// Starts [`bare_sshd`] on a machine that has been reached before: weighin was copied there.
pub fn sshd(place: &Workplace, name: &str, address: &str, namespace_of: u32, ahead: &str) -> Child {
    static DIGEST: OnceLock<String> = OnceLock::new();
    let program = env!("CARGO_BIN_EXE_weighin");
    let digest =
        DIGEST.get_or_init(|| succeed("sha256sum", Path::new("/"), &[program])[..64].into());
    let copies = place.path(&format!("{name}_cache/weighin"));
    fs::create_dir_all(&copies).unwrap();
    fs::set_permissions(&copies, fs::Permissions::from_mode(0o700)).unwrap();
    // By another process: a child that another test forks meanwhile would have it open for writing, and
    // then it can't be run.
    let copy = copies.join(format!("weighin-{digest}")).display().to_string();
    succeed("install", Path::new("/"), &["-m", "700", program, &copy]);
    let facts = succeed("stat", Path::new("/"), &["-c", "%d %i %s %y %z", &copy]);
    fs::write(copies.join(format!(".known-{digest}")), facts).unwrap();
    bare_sshd(place, name, address, namespace_of, ahead)
}

/// Starts a sshd in the network namespace of a process, with a monotonic clock that is so many seconds
/// ahead, and with a boot of its own, or that of the file `NAME_boot_id` where that is there. Each line of
/// the file `NAME_mounts`, where that is there, names a directory and what it is seen as there. `ssh NAME`
/// leads there in commands of [`command`]; copies of weighin are in `NAME_cache`. A shell that is not the
/// first one leaves out what its user has it do at every login, which takes its time for some.
fn bare_sshd(
    place: &Workplace,
    name: &str,
    address: &str,
    namespace_of: u32,
    ahead: &str,
) -> Child {
    let file = |name: &str| place.path(name).display().to_string();
    let host_key = format!("{name}_key");
    for key in [host_key.as_str(), "user_key"] {
        if !place.path(key).exists() {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f", &file(key)])
                .status();
            assert!(made.unwrap().success());
        }
    }
    fs::copy(place.path("user_key.pub"), place.path("authorized_keys")).unwrap();
    let _ = fs::create_dir("/run/sshd");
    let config = format!("{name}_sshd_config");
    place.write(
        &config,
        format!(
            "Port 2222\nListenAddress {address}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\n\
             StrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n\
             SetEnv XDG_CACHE_HOME={} SHLVL=1\n",
            file(&host_key),
            file("authorized_keys"),
            file(&format!("{name}_cache")),
        ),
    );
    let public = fs::read_to_string(place.path(&format!("{host_key}.pub"))).unwrap();
    let add = |name: &str, text: String| {
        let before = fs::read_to_string(place.path(name)).unwrap_or_default();
        place.write(name, before + &text);
    };
    add("known_hosts", format!("[{address}]:2222 {public}"));
    add(
        "ssh_config",
        format!(
            "Host {name}\n  HostName {address}\n  Port 2222\n  User root\n  IdentityFile {}\n  \
             IdentitiesOnly yes\n  UserKnownHostsFile {}\n",
            file("user_key"),
            file("known_hosts"),
        ),
    );
    shim(place, &format!("exec /usr/bin/ssh -F {} \"$@\"", file("ssh_config")));
    let boot = format!("{name}_boot_id");
    if !place.path(&boot).exists() {
        place.write(&boot, format!("boot-{namespace_of}-{name}\n"));
    }
    let mounts = format!("{name}_mounts");
    if !place.path(&mounts).exists() {
        place.write(&mounts, "");
    }
    let script = "set -e; mount --bind \"$1\" /proc/sys/kernel/random/boot_id; \
                  while read from to; do mount --bind \"$from\" \"$to\"; done < \"$2\"; \
                  shift 2; exec \"$@\"";
    let sshd = Command::new("nsenter")
        .args(["--target", &namespace_of.to_string(), "--net"])
        .args(["unshare", "--mount", "--propagation=private"])
        .args(["--time", "--monotonic", ahead, "--fork", "--kill-child"])
        .args(["sh", "-c", script, "sh", &file(&boot), &file(&mounts)])
        .args(["/usr/sbin/sshd", "-D", "-e", "-f", &file(&config)])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("sshd", || std::net::TcpStream::connect((address, 2222)).is_ok());
    sshd
}

/// Has a machine reached through that port of this host from now on.
pub fn reach_through(place: &Workplace, name: &str, port: u16) {
    let config = fs::read_to_string(place.path("ssh_config")).unwrap();
    let (before, of_host) = config.split_once(&format!("Host {name}\n  HostName ")).unwrap();
    let (address, rest) = of_host.split_once("\n  Port 2222\n").unwrap();
    place.write(
        "ssh_config",
        format!(
            "{before}Host {name}\n  HostName 127.0.0.1\n  Port {port}\n  \
             HostKeyAlias [{address}]:2222\n{rest}"
        ),
    );
}

/// A program `ssh` that is found before the real one.
fn shim(place: &Workplace, script: &str) {
    let directory = place.path("bin");
    let _ = fs::create_dir(&directory);
    write_program(&directory.join("ssh"), &format!("#!/bin/sh\n{script}\n"));
}

pub fn command(place: &Workplace, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", place.path("bin").display()));
    command
}

/// Processes of agents there.
fn agents(place: &Workplace) -> Vec<u32> {
    copies_with(place, "far", " agent --stdio")
}

/// Processes of the copy of weighin on a machine whose command line holds a text.
pub fn copies_with(place: &Workplace, machine: &str, text: &str) -> Vec<u32> {
    let copies = place.path(&format!("{machine}_cache/weighin"));
    let is_copy = |pid: &u32| {
        fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe.starts_with(&copies))
    };
    processes_with(text).into_iter().map(|(pid, _)| pid).filter(is_copy).collect()
}

pub fn signal(pid: u32, name: &str) {
    let kill = Command::new("kill").args([format!("-{name}"), pid.to_string()]).status();
    assert!(kill.unwrap().success(), "{name} {pid}");
}

fn parent(pid: u32) -> u32 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap();
    parent.trim().parse().unwrap()
}

fn copies(place: &Workplace) -> Vec<PathBuf> {
    let entries = fs::read_dir(place.path("far_cache/weighin")).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| !path.to_string_lossy().contains("/.known-")).collect()
}

/// The files of that machine are those of this one, and its network is its own.
#[test]
fn a_command_that_undoes_what_trials_change_runs_on_the_server_s_machine() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    place.write(
        "undo.sh",
        format!(
            "readlink /proc/self/ns/net >> {}\nMYSQL_PWD=$(cat {}) exec mariadb --no-defaults \
             -h \"$WEIGHIN_HOST\" -P \"$WEIGHIN_PORT\" -u weighin sbtest -e 'DELETE FROM orders'\n",
            place.path("ran").display(),
            far.server.password_file().display()
        ),
    );
    far.study(&place, 2, "1s");
    let study = fs::read_to_string(place.path("study.toml")).unwrap();
    let (head, _) = study.split_once("[[test]]").unwrap();
    place.write(
        "study.toml",
        format!(
            "{head}undo = {{ command = [\"sh\", \"{}\"], trusted = true }}\n\
             [[test]]\nworkload = \"transactions\"\nclients = 2\ntransactions = 20\nwarmup = \"0s\"\n\
             writes = true\n\
             invariant = [{{ name = \"its own\", sql = \"SELECT COUNT(*) FROM orders\", gives = 20 }}]\n\
             [[test.transaction]]\nname = \"order\"\nsql = \"INSERT INTO orders VALUES (1)\"\n",
            place.path("undo.sh").display()
        ),
    );
    far.server.connect().execute("CREATE TABLE orders (id INT)").unwrap();
    let checked = Ran::of(command(&place, &["check", "study.toml", "--allow-writes"])).done();
    let checked = checked.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(checked.contains("undone by a command on db2, which the study says"), "{checked}");
    Ran::of(command(&place, &["run", "study.toml", "--allow-writes"])).done();
    let dataset = place.store().dataset().unwrap();
    let broken = |trial: &model::TrialRecord| trial.outcome().unwrap().data.clone().unwrap().broken;
    assert_eq!(dataset.trials.iter().map(broken).collect::<Vec<_>>(), [vec![], vec![]]);
    let there = fs::read_link(format!("/proc/{}/ns/net", far.server.sandbox.pid())).unwrap();
    let ran = fs::read_to_string(place.path("ran")).unwrap();
    assert_eq!(ran.lines().collect::<Vec<_>>(), [there.to_str().unwrap(); 2]);
}

#[test]
fn a_target_over_ssh_is_sampled_where_it_is() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    far.study(&place, 1, "3s");
    let said = Ran::of(command(&place, &["hosts", "study.toml"])).done();
    assert!(said.starts_with("db2: ") && said.contains("processor"), "{said}");
    let copied = copies(&place);
    assert_eq!(copied.len(), 1, "{copied:?}");
    let mode = fs::metadata(place.path("far_cache/weighin")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // What is there is not what was copied: it is replaced.
    fs::write(&copied[0], "#!/bin/sh\necho stale\n").unwrap();

    Ran::of(command(&place, &["run", "study.toml"])).done();
    let dataset = place.store().dataset().unwrap();
    let facts = dataset.targets[0].server.host.as_ref().unwrap();
    assert_eq!((&facts.kernel, facts.cpus), (&dataset.run.host.kernel, dataset.run.host.cpus));
    let sampling = &dataset.trials[0].sampling;
    let own = sampling.target_host.as_ref().unwrap();
    assert_eq!(own.host, "db2");
    for clock in [own.clock_before, own.clock_after] {
        // Its time of day is ours, and its monotonic clock is a day ahead. How long a question to it takes is
        // the machine's affair.
        assert!(clock.uncertainty_seconds > 0.0 && clock.uncertainty_seconds < 60.0, "{clock:?}");
        assert!(clock.ahead_seconds.abs() <= clock.uncertainty_seconds * 4.0, "{clock:?}");
    }
    // Both are this very machine, read at the same moments, or nearly so where it is busy.
    let window = model::Window::for_load(dataset.trials[0].load().unwrap());
    let busy = |samples| window.mean_share(samples, |cpu| cpu.busy()).unwrap();
    let (here, there) = (busy(&sampling.samples), busy(&own.samples));
    assert!((here - there).abs() < 0.3, "{here} here and {there} there");
    let server = |samples: &[model::Sample]| samples.iter().filter_map(|s| s.server).count();
    assert_eq!(server(&sampling.samples), 0);
    assert_eq!(server(&own.samples), own.samples.len());
    assert!(own.samples.iter().any(|s| s.server.unwrap().cpus > 0.0), "{:?}", own.samples);
    assert!(sampling.account.server_throttling.is_some() && !sampling.volume.is_empty());
    let report = fs::read_to_string(&place.files(".html")[0]).unwrap();
    for words in ["Hosts of targets", "on the host db2", "ahead", "±"] {
        assert!(report.contains(words), "no «{words}» in the report");
    }
    let json = place.files(".weighin")[0].display().to_string();
    let json = Ran::of(command(&place, &["report", &json, "--format", "json"])).json();
    assert_eq!(json["target_hosts"][0]["host"], "db2");

    wait_for("the agent's end", || agents(&place).is_empty());
    let said = Ran::of(command(&place, &["hosts", "--clean", "study.toml"])).done();
    assert_eq!(said, "db2: weighin is removed\n");
    assert!(!place.path("far_cache/weighin").exists());
}

/// Names of other processes that a trial keeps at most.
const MOST_KEPT: usize = 8;

/// A process of that name that uses what it gets of the processors, until this is dropped.
struct Spinning(Child);

impl Spinning {
    fn start(place: &Workplace, name: &str) -> Self {
        // A shell is called what its file is called.
        let program = place.path(name);
        fs::copy("/bin/sh", &program).unwrap();
        Self(Command::new(&program).args(["-c", "while :; do :; done"]).spawn().unwrap())
    }
}

impl Drop for Spinning {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn who_takes_the_processors_of_a_machine_over_ssh_is_named() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    far.study(&place, 1, "3s");
    let names = ["burns-one", "burns-two", "burns-three"];
    let _spinning = names.map(|name| Spinning::start(&place, name));
    Ran::of(command(&place, &["run", "study.toml"])).done();
    let dataset = place.store().dataset().unwrap();
    let own = dataset.trials[0].sampling.target_host.as_ref().unwrap();
    let others = own.processor_use.processes.iter().filter(|process| !process.is_ours);
    let (spinning, rest): (Vec<_>, Vec<_>) =
        others.partition(|process| names.contains(&process.name.as_str()));
    assert!(spinning.iter().all(|process| process.cpus > 0.0), "{spinning:?}");
    // A machine that does much else meanwhile has others that used more, and no room for all.
    let are_all = spinning.len() == names.len() || spinning.len() + rest.len() == MOST_KEPT;
    assert!(are_all, "{:?}", own.processor_use);
    let analysis = analyse::analyse(&dataset);
    let named = analysis.findings.iter().any(|finding| match &finding.evidence {
        analyse::Evidence::OtherProcesses(others) => {
            others.host.as_deref() == Some("db2") && !others.most.is_empty()
        }
        _ => false,
    });
    assert!(named, "{:?}", analysis.findings);
}

/// Makes the login at `far` that of an account without any rights, with its own home.
fn as_an_ordinary_account(place: &Workplace) {
    const ACCOUNT: u32 = 65_533;
    let home = place.path("far_cache");
    fs::create_dir(&home).unwrap();
    std::os::unix::fs::chown(&home, Some(ACCOUNT), Some(ACCOUNT)).unwrap();
    // It gets there, and to the keys.
    fs::set_permissions(place.path("."), fs::Permissions::from_mode(0o755)).unwrap();
    let accounts = fs::read_to_string("/etc/passwd").unwrap();
    let own = format!("ordinary:x:{ACCOUNT}:{ACCOUNT}::{}:/bin/sh\n", home.display());
    place.write("passwd", accounts + &own);
    place.write("far_mounts", format!("{} /etc/passwd\n", place.path("passwd").display()));
}

#[test]
fn an_ordinary_login_sees_less_and_check_says_what_is_missing() {
    let place = Workplace::new();
    as_an_ordinary_account(&place);
    let Some(far) = Far::start(&place) else { return };
    let config = fs::read_to_string(place.path("ssh_config")).unwrap();
    place.write("ssh_config", config.replace("User root", "User ordinary"));
    far.study(&place, 1, "3s");
    let said = Ran::of(command(&place, &["hosts", "study.toml"])).done();
    assert!(said.contains("weighin is not root there"), "{said}");
    let checked = Ran::of(command(&place, &["check", "study.toml"])).done();
    for words in [
        "one: the server is not found on db2",
        "no trial says how much processor time the server or other processes took, nor what its disks did",
        "have ssh log in there as root or as the server's account",
    ] {
        assert!(checked.contains(words), "no «{words}» in {checked}");
    }
    Ran::of(command(&place, &["run", "study.toml"])).done();
    let dataset = place.store().dataset().unwrap();
    let sampling = &dataset.trials[0].sampling;
    let own = sampling.target_host.as_ref().unwrap();
    // Its processors are seen, and its disks; what the server alone does is not.
    assert!(own.samples.iter().any(|sample| sample.cpu.busy() > 0.0), "{:?}", own.samples);
    assert!(own.samples.iter().all(|sample| sample.server.is_none()), "{:?}", own.samples);
    let study = fs::read_to_string(place.path("study.toml")).unwrap();
    let cold = study.replace("[[test]]", "restart = { unit = \"db\" }\n[[test]]\ncache = \"cold\"");
    place.write("study.toml", cold);
    let refused = Ran::of(command(&place, &["check", "study.toml"]));
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.out.contains("only root may empty the caches of db2"), "{refused:?}");
    let said = Ran::of(command(&place, &["hosts", "--clean", "study.toml"])).done();
    assert_eq!(said, "db2: weighin is removed\n");
}

#[test]
fn a_lost_agent_fails_its_trial_and_the_next_one_connects_again() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    // So long that a slow machine, too, gets to stop the agent meanwhile. Of the later ones a machine that does
    // much else may lose one as well.
    far.study(&place, 4, "12s");
    let run = crate::support::Started::new(command(&place, &["run", "study.toml"]));
    run.wait_for_load();
    let [agent] = agents(&place)[..] else { panic!("{:?}", agents(&place)) };
    // It is there, and says nothing any more.
    let first = run.workers();
    signal(agent, "STOP");
    wait_for("the end of the load", || run.workers() != first);
    // The lead has given up, so that it ends when it can.
    signal(agent, "CONT");
    wait_for("the second load", || !run.workers().is_empty());
    wait_for("the first agent's end", || !agents(&place).contains(&agent));
    let ran = run.end();
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let dataset = place.store().dataset().unwrap();
    let [lost, later @ ..] = &dataset.trials[..] else { panic!("{:?}", dataset.trials) };
    let TrialEnd::Failed(failure) = &lost.end else { panic!("{:?}", lost.end) };
    assert_eq!(failure.kind, FailureKind::HostLost, "{failure}");
    assert!(failure.message.contains("the agent on db2 was silent for "), "{failure}");
    // While the load was under way, which takes longer than it takes to notice.
    let (_, silent) = failure.message.split_once("was silent for ").unwrap();
    let silent: f64 = silent.split(' ').next().unwrap().parse().unwrap();
    assert!((2.0..12.0).contains(&silent), "{failure}");
    let is_completed = |trial: &model::TrialRecord| matches!(trial.end, TrialEnd::Completed(_));
    assert!(later.len() == 3 && later.iter().any(is_completed), "{later:?}");
    wait_for("the agents' end", || agents(&place).is_empty());
}

#[test]
fn no_agent_stays_behind_whoever_is_killed() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    far.study(&place, 4, "60s");
    let run = crate::support::Started::new(command(&place, &["run", "study.toml"]));
    let mut known = Vec::new();
    let mut next = || {
        let mut agent = None;
        wait_for("an agent", || {
            agent = agents(&place).into_iter().find(|agent| !known.contains(agent));
            agent.is_some()
        });
        run.wait_for_load();
        known.extend(agent);
        (agent.unwrap(), run.workers())
    };
    let gone = |agent: u32, workers: &[String], what: &str| {
        wait_for(what, || {
            let is_over = run.workers().iter().all(|worker| !workers.contains(worker));
            is_over && !agents(&place).contains(&agent)
        });
    };
    let (agent, workers) = next();
    signal(agent, "KILL");
    gone(agent, &workers, "the end after the agent was killed");
    let (agent, workers) = next();
    signal(parent(agent), "KILL");
    gone(agent, &workers, "the end after its sshd was killed");
    // As where the link goes down: neither side hears the other, and nothing is closed.
    let (agent, workers) = next();
    let session = parent(agent);
    signal(session, "STOP");
    gone(agent, &workers, "the end after nothing passes");
    signal(session, "KILL");
    let (agent, _) = next();
    run.kill();
    wait_for("the end after weighin was killed", || !agents(&place).contains(&agent));

    let dataset = place.store().dataset().unwrap();
    let kinds: Vec<_> = dataset
        .trials
        .iter()
        .map(|trial| match &trial.end {
            TrialEnd::Failed(failure) => (failure.kind, failure.message.clone()),
            end => panic!("{end:?}"),
        })
        .collect();
    assert_eq!(kinds.len(), 3, "{kinds:?}");
    assert!(kinds.iter().all(|(kind, _)| *kind == FailureKind::HostLost), "{kinds:?}");
    assert!(kinds[2].1.contains("was silent for "), "{kinds:?}");
}

#[test]
fn a_machine_that_lies_is_refused_and_prints_nothing_raw() {
    let place = Workplace::new();
    place.write(
        "study.toml",
        "[study]\nname = \"lies\"\n[[target]]\nname = \"one\"\nurl = \"mysql://u@192.0.2.1/sbtest\"\n\
         ssh = \"u@far.example\"\n[[test]]\nworkload = \"oltp_point_select\"\nclients = 1\n",
    );
    let hello = format!("weighin-agent {}", serde_json::to_string(&host::Hello::own()).unwrap());
    for (script, words) in [
        ("printf '\\033[2Jowned\\n' >&2; exit 255", vec!["far.example", "\\x1b[2Jowned"]),
        ("printf 'welcome\\n'; exit 0", vec!["no agent starts", "the connection ended"]),
        (
            "echo 'weighin-agent {\"version\":\"9.9\",\"protocol\":7}'; exec sleep 600",
            vec!["weighin 9.9 (protocol 7)", env!("CARGO_PKG_VERSION"), "--clean"],
        ),
        ("printf 'weighin-agent \\033]0;x\\007\\n'; exec sleep 600", vec!["is no agent"]),
        ("echo weighin-needed Linux vax; exec sleep 600", vec!["another kind", "vax"]),
        ("echo weighin-refused; exec sleep 600", vec!["another account"]),
        ("echo weighin-damaged; exec sleep 600", vec!["not what was sent"]),
        ("exec head -c 3000000 /dev/zero", vec!["more than"]),
        (
            &format!("echo '{hello}'; printf '\\033[31mno\\n'; exec sleep 600"),
            vec!["is no message"],
        ),
        (&format!("echo '{hello}'; exec head -c 3000000 /dev/zero"), vec!["more than"]),
        (&format!("echo '{hello}'; exec sleep 600"), vec!["was silent for"]),
    ] {
        shim(&place, script);
        let began = Instant::now();
        let ran = Ran::of(command(&place, &["hosts", "study.toml"]));
        let said = format!("{}{}", ran.out, ran.err);
        assert!(!said.contains('\u{1b}') && !said.contains('\0'), "{script}: {said:?}");
        // All of them would be silent, or go on, for much longer.
        assert!(began.elapsed().as_secs() < 120, "{script}: {:?}", began.elapsed());
        for word in words {
            assert!(said.contains(word), "{script}: no «{word}» in: {said}");
        }
    }
}
