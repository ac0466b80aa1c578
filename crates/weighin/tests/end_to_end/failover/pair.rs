//! A primary with a replica that weighin did not start, and a proxy that leads to whichever of them
//! is the primary.

use crate::support::{Namespace, Server, Workplace, wait_for};
use std::collections::BTreeSet;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command};

/// The password of the account that probes.
const PASSWORD: &str = "probe-of-a-test";

pub struct Pair {
    pub primary: Server,
    pub replica: Server,
}

impl Pair {
    /// Two servers of which the second, which is read-only, follows the first. The account `probe`
    /// may make tables in two databases and not drop them, so that a test finds what was written.
    pub fn start(semi_sync: bool) -> Self {
        let semi_sync = if semi_sync { "ON" } else { "OFF" };
        let settings = |id| {
            [
                ("log_bin", "binlog"),
                ("log_slave_updates", "ON"),
                ("server_id", id),
                ("innodb_flush_log_at_trx_commit", "1"),
                // A replica that waited for replicas of its own would hold up what it applies.
                ("rpl_semi_sync_master_enabled", if id == "1" { semi_sync } else { "OFF" }),
                ("rpl_semi_sync_slave_enabled", semi_sync),
                ("rpl_semi_sync_master_timeout", "60000"),
            ]
        };
        let primary = Server::start_with(&settings("1"));
        let replica = Server::start_with(&settings("2"));
        // Each has made its own accounts and databases.
        primary.execute("RESET MASTER");
        replica.execute("RESET MASTER");
        replica.execute("SET GLOBAL read_only = 1");
        replica.execute(&format!(
            "CHANGE MASTER TO master_host = '127.0.0.1', master_port = {}, master_user = 'weighin', \
             master_password = '{}', master_use_gtid = slave_pos, master_connect_retry = 1",
            primary.sandbox.port(),
            primary.password()
        ));
        replica.execute("START SLAVE");
        if semi_sync == "ON" {
            let clients = "SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'";
            wait_for("the replica", || primary.query(clients)[0].ends_with("\t1"));
        }
        for sql in [
            "CREATE DATABASE other",
            "CREATE TABLE other.independent (id BIGINT PRIMARY KEY)",
            &format!("CREATE USER probe@'%' IDENTIFIED BY '{PASSWORD}'"),
            "GRANT SELECT, INSERT, DELETE, CREATE ON sbtest.* TO probe@'%'",
            "GRANT SELECT, INSERT ON other.* TO probe@'%'",
            "GRANT SLAVE MONITOR, BINLOG MONITOR ON *.* TO probe@'%'",
        ] {
            primary.execute(sql);
        }
        let written = primary.query("SELECT @@gtid_current_pos").remove(0);
        let applied = format!("SELECT MASTER_GTID_WAIT('{written}', 1)");
        wait_for("the accounts on the replica", || replica.query(&applied) == ["0"]);
        Self { primary, replica }
    }

    pub fn probe_password(&self, place: &Workplace) -> PathBuf {
        place.write("probe.password", PASSWORD);
        place.path("probe.password")
    }

    /// The ids in a table as the replica has it.
    pub fn ids_on_replica(&self, table: &str) -> BTreeSet<u64> {
        let rows = self.replica.query(&format!("SELECT id FROM {table}"));
        rows.iter().map(|row| row.parse().unwrap()).collect()
    }

    /// A function of the shell of that name that runs SQL on a server as its administrator.
    fn client(place: &Workplace, name: &str, server: &Server, option: &str) -> String {
        let file = format!("{name}.cnf");
        let options = format!(
            "[client]\nsocket={}\nuser=weighin\npassword={}\n",
            server.sandbox.socket().display(),
            server.password()
        );
        place.write(&file, options);
        let file = place.path(&file);
        format!("{name}() {{ mariadb --defaults-file={} {option} -e \"$1\"; }}\n", file.display())
    }

    /// What promotes the replica once it has applied all that it received.
    pub fn promotion_script(&self, place: &Workplace) -> String {
        let replica = Self::client(place, "replica", &self.replica, "");
        format!(
            "set -e\n{replica}\
             sleep 0.3\n\
             replica 'STOP SLAVE IO_THREAD'\n\
             received=$(replica 'SHOW SLAVE STATUS\\G' | sed -n 's/.*Gtid_IO_Pos: //p')\n\
             replica \"SELECT MASTER_GTID_WAIT('$received', 60)\" >&2\n\
             replica 'STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = 0'\n"
        )
    }

    /// What kills the primary and promotes the replica; which, unless it `replicates_to_the_end`, has not
    /// received the last hundred writes of either probe.
    pub fn switch_script(&self, place: &Workplace, replicates_to_the_end: bool) -> String {
        let promotion = self.promotion_script(place);
        let pid = self.primary.sandbox.pid();
        let (head, promote) = promotion.split_once("sleep 0.3\n").unwrap();
        let before = match replicates_to_the_end {
            true => String::new(),
            false => {
                let primary = Self::client(place, "primary", &self.primary, "-N");
                format!(
                    "{primary}count() {{ primary \"SELECT COUNT(*) FROM $1\"; }}\n\
                     replica 'STOP SLAVE IO_THREAD'\n\
                     for table in sbtest.weighin_failover other.independent; do\n\
                     enough=$(($(count $table) + 100))\n\
                     for look in $(seq 600); do\n\
                     [ $(count $table) -ge $enough ] && break\nsleep 0.05\ndone\ndone\n"
                )
            }
        };
        format!("{head}{before}kill -9 {pid}\nsleep 0.3\n{promote}")
    }
}

impl Pair {
    /// Functions of the shell that run SQL on either as administrator, and one for each that has it follow
    /// the other.
    fn administration(&self, place: &Workplace) -> String {
        let of = |name: &str, server: &Server, other: &Server| {
            format!(
                "{}{name}_follows() {{ {name} \"CHANGE MASTER TO master_host = '127.0.0.1', \
                 master_port = {}, master_user = 'weighin', master_password = '{}', \
                 master_use_gtid = current_pos, master_connect_retry = 1; START SLAVE\"; }}\n",
                Self::client(place, name, server, "-N"),
                other.sandbox.port(),
                other.password(),
            )
        };
        let primary = of("primary", &self.primary, &self.replica);
        format!("set -e\n{primary}{}", of("replica", &self.replica, &self.primary))
    }

    /// What hands over to the replica, and what makes the first one the primary again.
    pub fn handover_and_back(&self, place: &Workplace) -> (String, String) {
        let administration = self.administration(place);
        let hand_over = |from: &str, to: &str| {
            format!(
                "{from} 'SET GLOBAL read_only = 1'\n\
                 written=$({from} 'SELECT @@gtid_current_pos')\n\
                 {to} \"SELECT MASTER_GTID_WAIT('$written', 60)\" >&2\n\
                 {to} 'STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = 0'\n"
            )
        };
        let there = hand_over("primary", "replica");
        let back = hand_over("replica", "primary");
        (
            format!("{administration}{there}"),
            format!("{administration}primary_follows\n{back}replica_follows\n"),
        )
    }
}

/// A network namespace in which the primary of a pair listens, for clients and for its replica. It is
/// gone with its processes.
pub struct Island {
    pub address: String,
    /// What cuts its only network, so that nothing that is sent there is answered.
    pub cut: String,
    processes: Vec<Child>,
    _namespace: Namespace,
}

impl Island {
    /// `None` where this user may not make one.
    pub fn around(place: &Workplace, pair: &Pair) -> Option<Self> {
        if !Namespace::allowed() {
            return None;
        }
        let namespace = Namespace::make();
        let pid = namespace.id();
        let (_, address) = namespace.link();
        let mut island = Self {
            address,
            cut: format!("nsenter --target {pid} --net ip link set lead down\n"),
            processes: Vec::new(),
            _namespace: namespace,
        };
        let socket = pair.primary.sandbox.socket().display().to_string();
        let listener = format!(
            "defaults\n  mode tcp\n  timeout connect 5s\n  timeout client 600s\n  timeout server 600s\n\
             listen db\n  bind {}:3306\n  server primary unix@{socket}\n",
            island.address
        );
        place.write("island.cfg", listener);
        let mut command = Command::new("nsenter");
        command.args(["--target", &pid.to_string(), "--net", "haproxy", "-db", "-q", "-f"]);
        island.processes.push(command.arg(place.path("island.cfg")).spawn().unwrap());
        wait_for("the island", || TcpStream::connect((island.address.as_str(), 3306)).is_ok());
        pair.replica.execute("STOP SLAVE");
        pair.replica.execute(&format!(
            "CHANGE MASTER TO master_host = '{}', master_port = 3306",
            island.address
        ));
        pair.replica.execute("START SLAVE");
        let clients = "SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'";
        wait_for("the replica", || pair.primary.query(clients)[0].ends_with("\t1"));
        Some(island)
    }
}

impl Drop for Island {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// HAProxy; ended when dropped.
pub struct Proxy {
    pub port: u16,
    process: Child,
}

impl Proxy {
    /// One that leads to the primary of a pair, and to the replica where the primary is gone.
    pub fn start(place: &Workplace, pair: &Pair) -> Self {
        Self::between(place, [pair.primary.sandbox.port(), pair.replica.sandbox.port()])
    }

    /// One that leads to the first of two servers, and to the second where that is gone.
    pub fn between(place: &Workplace, servers: [u16; 2]) -> Self {
        let port = test_support::free_port();
        place.write(
            "haproxy.cfg",
            format!(
                "defaults\n  mode tcp\n  timeout connect 500ms\n  timeout client 600s\n  \
                 timeout server 600s\n  timeout check 500ms\n  retries 0\n\
                 listen db\n  bind 127.0.0.1:{port}\n  option tcp-check\n  \
                 server a 127.0.0.1:{} check inter 50ms fall 1 on-marked-down shutdown-sessions\n  \
                 server b 127.0.0.1:{} check inter 50ms backup\n",
                servers[0], servers[1]
            ),
        );
        let mut command = Command::new("haproxy");
        let process = command.args(["-db", "-q", "-f"]).arg(place.path("haproxy.cfg")).spawn();
        let process = process.expect("haproxy is installed: make test installs it");
        wait_for("the proxy", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Self { port, process }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
