//! Failovers of a cluster that Patroni manages, by its own command.

use super::postgres::{as_nobody, programs};
use super::{number, value};
use crate::support::{Workplace, not_tested, shared_directory, wait_for};
use model::{Metric, TrialRecord};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use store::Store;
use test_support::free_port;

/// The ports of one member.
#[derive(Clone, Copy)]
struct Ports {
    rest: u16,
    raft: u16,
    server: u16,
}

/// Two servers and what votes with them, all on this machine; gone when dropped.
struct Cluster {
    home: PathBuf,
    processes: Vec<Child>,
    proxy: (u16, Child),
    // Dropped after the processes.
    _directory: tempfile::TempDir,
}

impl Cluster {
    fn start(place: &Workplace) -> Self {
        let directory = shared_directory();
        let home = directory.path().join("cluster");
        std::fs::create_dir(&home).unwrap();
        as_nobody(&home);
        let ports = || Ports { rest: free_port(), raft: free_port(), server: free_port() };
        let (members, witness) = ([ports(), ports()], free_port());
        let rafts = [members[0].raft, members[1].raft, witness];
        let mut processes = Vec::new();
        for at in 0..3 {
            let partners = rafts.iter().filter(|raft| **raft != rafts[at]);
            let partners: Vec<String> =
                partners.map(|raft| format!("\"127.0.0.1:{raft}\"")).collect();
            let raft = format!(
                "raft:\n  data_dir: {}/raft{at}\n  self_addr: 127.0.0.1:{}\n  partner_addrs: [{}]\n",
                home.display(),
                rafts[at],
                partners.join(", ")
            );
            let file = home.join(format!("n{at}.yml"));
            let (program, text) = match members.get(at) {
                Some(ports) => ("patroni", raft + &member(&home, at, *ports)),
                None => ("patroni_raft_controller", raft),
            };
            std::fs::write(&file, text).unwrap();
            let mut command = super::postgres::unprivileged(Path::new(program), &home);
            let process = command.arg(&file).stderr(Stdio::null()).spawn();
            processes.push(process.expect("Patroni is installed: make endurance installs it"));
        }
        let proxy = proxy(place, members);
        let cluster = Self { home, processes, proxy, _directory: directory };
        wait_for("a leader and a replica", || cluster.is_whole());
        wait_for("the way to the leader", || cluster.ask("SELECT 1").is_some());
        cluster
    }

    /// What patronictl says of the members, as JSON.
    fn list(&self) -> String {
        // Without a majority it would wait for one.
        let mut command = Command::new("timeout");
        command.args(["20", "patronictl", "-c"]).arg(self.home.join("n0.yml"));
        command.args(["list", "-f", "json"]);
        let output = command.stderr(Stdio::null()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Whether one leads and the other follows.
    fn is_whole(&self) -> bool {
        let list = self.list();
        let works = list.matches("running").count() + list.matches("streaming").count();
        list.matches("\"Leader\"").count() == 1 && works == 2
    }

    /// Which of its members leads.
    fn leader(&self) -> usize {
        let list = self.list();
        let members: Vec<serde_json::Value> = serde_json::from_str(&list).unwrap();
        let leads = members.iter().find(|member| member["Role"] == "Leader").unwrap();
        (0..2).find(|at| leads["Member"] == format!("n{at}")).unwrap()
    }

    /// What the leader says.
    fn ask(&self, sql: &str) -> Option<String> {
        let mut command = Command::new("psql");
        command.args(["-X", "-A", "-t", "-h", "127.0.0.1", "-p", &self.proxy.0.to_string()]);
        command.args(["-U", "probe", "-d", "postgres", "-c", sql]);
        let output = command.stderr(Stdio::null()).output().unwrap();
        let said = || String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then(said)
    }

    /// A command of the shell that hands over from one member to the other.
    fn switchover(&self, from: usize) -> String {
        self.patronictl(from, &format!("switchover --master n{from}"))
    }

    /// One that promotes the other member whether or not anything leads.
    fn failover(&self, from: usize) -> String {
        self.patronictl(from, "failover")
    }

    fn patronictl(&self, from: usize, act: &str) -> String {
        let (home, to) = (self.home.display(), 1 - from);
        format!("patronictl -c {home}/n{from}.yml {act} --candidate n{to} --force weighin >&2\n")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Patroni ends its server when it is asked to end.
        for process in self.processes.iter().chain([&self.proxy.1]) {
            let term = format!("kill {}", process.id());
            let _ = Command::new("sh").args(["-c", &term]).stderr(Stdio::null()).status();
        }
        for process in self.processes.iter_mut().chain([&mut self.proxy.1]) {
            let _ = process.wait();
        }
    }
}

fn member(home: &Path, at: usize, ports: Ports) -> String {
    let (home, bin) = (home.display(), programs());
    let Ports { rest, server, .. } = ports;
    format!(
        "scope: weighin\nname: n{at}\n\
         restapi:\n  listen: 127.0.0.1:{rest}\n  connect_address: 127.0.0.1:{rest}\n\
         bootstrap:\n  dcs:\n    ttl: 20\n    loop_wait: 1\n    retry_timeout: 3\n    \
         postgresql:\n      use_pg_rewind: true\n  initdb:\n    - encoding: UTF8\n    \
         - locale: C\n    - no-sync\n\
         postgresql:\n  listen: 127.0.0.1:{server}\n  connect_address: 127.0.0.1:{server}\n  \
         data_dir: {home}/data{at}\n  bin_dir: {}\n  pgpass: {home}/pgpass{at}\n  pg_hba:\n    \
         - local all all trust\n    - host all all 127.0.0.1/32 trust\n    \
         - host replication all 127.0.0.1/32 trust\n  authentication:\n    \
         superuser: {{ username: probe }}\n    replication: {{ username: replicator }}\n  \
         parameters:\n    unix_socket_directories: {home}\n    fsync: \"off\"\n",
        bin.display()
    )
}

/// HAProxy as Patroni's manual has it: it leads to the member that says that it is the leader.
fn proxy(place: &Workplace, members: [Ports; 2]) -> (u16, Child) {
    let port = free_port();
    let servers: Vec<String> = members
        .iter()
        .map(|Ports { rest, server, .. }| {
            format!(
                "  server s{server} 127.0.0.1:{server} check port {rest} inter 100ms fall 1 rise 1 \
                 on-marked-down shutdown-sessions\n"
            )
        })
        .collect();
    place.write(
        "leader.cfg",
        format!(
            "defaults\n  mode tcp\n  timeout connect 500ms\n  timeout client 60s\n  \
             timeout server 60s\n  timeout check 1s\n  retries 0\n\
             listen db\n  bind 127.0.0.1:{port}\n  option httpchk GET /primary\n{}",
            servers.concat()
        ),
    );
    let mut command = Command::new("haproxy");
    let process = command.args(["-db", "-q", "-f"]).arg(place.path("leader.cfg")).spawn();
    let process = process.expect("haproxy is installed: make test installs it");
    wait_for("the proxy", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    (port, process)
}

fn study(cluster: &Cluster, test: &str) -> String {
    format!(
        "[study]\nname = \"patroni\"\nrepeats = 1\n\
         [[target]]\nname = \"cluster\"\nurl = \"postgresql://probe@127.0.0.1:{}/postgres\"\n\
         [[test]]\ntask = \"failover\"\nat = \"2s\"\nrate = 200\ntrusted = true\n{test}",
        cluster.proxy.0
    )
}

fn trials(place: &Workplace, store: &str) -> Vec<TrialRecord> {
    Store::open(&place.path(store)).unwrap().dataset().unwrap().trials
}

fn is_installed() -> bool {
    let found = Command::new("patronictl").arg("version").stdout(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

#[test]
#[ignore = "it needs Patroni: make endurance"]
fn patroni_hands_over_and_back_and_promotes_in_place_of_a_leader_that_was_killed() {
    if !is_installed() {
        not_tested("Patroni is not installed");
        return;
    }
    let place = Workplace::new();
    let cluster = Cluster::start(&place);
    place.write("there.sh", cluster.switchover(0));
    // Once the first leader follows the new one.
    let list = format!("timeout 20 patronictl -c {}/n0.yml list -f json", cluster.home.display());
    let followed = "'\"State\": \"\\(running\\|streaming\\)\"'";
    place.write(
        "back.sh",
        format!(
            "for second in $(seq 60); do\n  [ \"$({list} | grep -o {followed} | wc -l)\" = 2 ] \
             && break\n  sleep 1\ndone\n{}",
            cluster.switchover(1)
        ),
    );
    let keys = "command = [\"sh\", \"there.sh\"]\nrestore = [\"sh\", \"back.sh\"]\n";
    let handed = study(&cluster, keys).replace("repeats = 1", "repeats = 2");
    place.write("handover.toml", handed);
    place.weighin(&["run", "handover.toml", "--store", "handover.weighin"]).done();
    let handovers = trials(&place, "handover.weighin");
    assert_eq!(handovers.len(), 2);
    for record in &handovers {
        let outcome = record.outcome().unwrap_or_else(|| panic!("{:?}", record.end));
        assert_eq!(value(outcome, Metric::LostWrites), 0.0, "{outcome:?}");
        assert!(value(outcome, Metric::Downtime) > 0.0, "{outcome:?}");
        assert!(number(outcome, "acknowledged writes") > 0.0, "{outcome:?}");
    }

    // By hand, without naming who leads.
    wait_for("the replica", || cluster.is_whole());
    place.write("there.sh", cluster.failover(cluster.leader()));
    place.write("failover.toml", study(&cluster, "command = [\"sh\", \"there.sh\"]\n"));
    place.weighin(&["run", "failover.toml", "--store", "failover.weighin"]).done();
    let record = trials(&place, "failover.weighin").remove(0);
    let outcome = record.outcome().unwrap_or_else(|| panic!("{:?}", record.end));
    assert_eq!(value(outcome, Metric::LostWrites), 0.0, "{outcome:?}");
    assert!(value(outcome, Metric::Downtime) > 0.0, "{outcome:?}");

    // The other takes over by itself when the leader's lock has run out, after 20 seconds.
    wait_for("the replica", || cluster.is_whole());
    let leader = cluster.leader();
    let patroni = cluster.processes[leader].id();
    place.write(
        "kill.sh",
        format!(
            "server=$(head -1 {}/data{leader}/postmaster.pid)\n\
             children=$(cat /proc/$server/task/$server/children)\n\
             kill -9 {patroni} $server $children 2>/dev/null || true\n",
            cluster.home.display()
        ),
    );
    let killed = "duration = \"90s\"\ncommand = [\"sh\", \"kill.sh\"]\n";
    place.write("kill.toml", study(&cluster, killed));
    place.weighin(&["run", "kill.toml", "--store", "kill.weighin"]).done();
    let record = trials(&place, "kill.weighin").remove(0);
    let outcome = record.outcome().unwrap_or_else(|| panic!("{:?}", record.end));
    assert!(value(outcome, Metric::Downtime) > 5.0, "{outcome:?}");
    let due = number(outcome, "writes due");
    let parts = ["acknowledged writes", "refused writes", "unanswered writes", "writes not sent"];
    assert_eq!(parts.iter().map(|part| number(outcome, part)).sum::<f64>(), due);
}
