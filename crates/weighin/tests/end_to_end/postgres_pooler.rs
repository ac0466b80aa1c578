//! Loads through PgBouncer, which shares few sessions of a server among many clients.

use crate::postgres::Server;
use crate::support::{Ran, Workplace, not_tested, shared_directory, wait_for};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use test_support::free_port;

const NOBODY: u32 = 65534;

/// One that logs in to the server as its administrator, whoever comes; ended when dropped.
struct Pooler {
    port: u16,
    process: Child,
    _directory: tempfile::TempDir,
}

impl Pooler {
    /// `None` where it is not installed.
    fn start(server: &Server, mode: &str, more: &str) -> Option<Self> {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"];
        let program = program.into_iter().find(|path| std::path::Path::new(path).exists())?;
        let (directory, port) = (shared_directory(), free_port());
        let file = directory.path().join("pgbouncer.ini");
        let settings = format!(
            "[databases]\nsbtest = host=127.0.0.1 port={} dbname=sbtest user=weighin password={}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\n\
             unix_socket_dir =\npool_mode = {mode}\ndefault_pool_size = 3\n{more}\n",
            server.sandbox.port(),
            server.sandbox.password().reveal()
        );
        std::fs::write(&file, settings).unwrap();
        let mut command = Command::new(program);
        command.arg("-q").arg(file).stdout(Stdio::null()).stderr(Stdio::null());
        if host::local::os::is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        let process = command.spawn().unwrap();
        let pooler = Self { port, process, _directory: directory };
        wait_for("the pooler", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(pooler)
    }

    fn url(&self) -> String {
        format!("postgresql://weighin@127.0.0.1:{}/sbtest", self.port)
    }

    fn checked(&self, place: &Workplace, test: &str) -> (Option<i32>, String) {
        place.write(
            "study.toml",
            format!(
                "[study]\nname = \"pooled\"\nrepeats = 1\n[[target]]\nname = \"pg\"\nurl = \"{}\"\n\
                 [[test]]\nclients = 6\nwarmup = \"0s\"\n{test}\n",
                self.url()
            ),
        );
        let ran = place.weighin(&["check", "study.toml"]);
        let said = ran.out + &ran.err;
        (ran.code, said.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn prepared(place: &Workplace, server: &Server) {
    let mut prepare = place.command(&[
        "prepare",
        &server.url("weighin"),
        "--password-env=SECRET",
        "--table-size=1000",
    ]);
    prepare.env("SECRET", server.sandbox.password().reveal());
    Ran::of(prepare).done();
}

const SELECTS: &str = "SELECT c FROM sbtest1 WHERE id = 7;\n";

#[test]
fn what_a_pooler_in_transaction_mode_does_not_pass_on_is_found_before_a_run() {
    let (place, server) = (Workplace::new(), Server::start(&[]));
    let Some(pooler) = Pooler::start(&server, "transaction", "") else {
        return not_tested("PgBouncer is not installed");
    };
    prepared(&place, &server);
    place.write("one.sql", SELECTS);
    let load = "workload = \"oltp_point_select\"\ntable_size = 1000\nduration = \"1s\"";
    let (code, said) = pooler.checked(&place, load);
    assert_eq!(code, Some(3), "{said}");
    for words in ["by transactions and keeps no prepared statements", "set prepared = false"] {
        assert!(said.contains(words), "{said}");
    }
    let (_, said) = pooler.checked(&place, &format!("{load}\nprepared = false"));
    assert!(said.contains("it is measured too"), "{said}");
    assert!(!said.contains("keeps no prepared"), "{said}");
    let own = "workload = \"transactions\"\nprepared = false\nduration = \"1s\"\n\
               transaction = [{ script = \"one.sql\" }]";
    let (code, said) = pooler.checked(&place, own);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("ignore_startup_parameters"), "{said}");
    drop(pooler);
    // Where clients have sessions of their own there is nothing to refuse.
    let pooler = Pooler::start(
        &server,
        "session",
        "ignore_startup_parameters = default_transaction_read_only",
    );
    let (_, said) = pooler.unwrap().checked(&place, load);
    assert!(said.contains("is a pooler: it is measured too"), "{said}");
    assert!(!said.contains("keeps no prepared"), "{said}");
}

#[test]
fn the_server_counts_what_was_sent_through_a_pooler() {
    let (place, server) = (Workplace::new(), Server::start(&[("autovacuum", "off")]));
    let more = "ignore_startup_parameters = default_transaction_read_only";
    let Some(pooler) = Pooler::start(&server, "transaction", more) else {
        return not_tested("PgBouncer is not installed");
    };
    prepared(&place, &server);
    place.write("one.sql", SELECTS);
    let url = pooler.url();
    for work in [
        &["--workload=oltp_point_select", "--table-size=1000"][..],
        &["--workload=oltp_read_only", "--table-size=1000"],
        &["--workload=oltp_insert", "--table-size=1000"],
        // Counted by transactions.
        &["--script=one.sql"],
    ] {
        let common = ["--clients=6", "--transactions=300", "--warmup=0s", "--prepared=false"];
        let said = place.weighin(&[&["load", &url], work, &common].concat()).out;
        let agrees = said.lines().find(|line| line.contains("server agrees")).unwrap_or_default();
        assert!(agrees.contains("yes: its counters grew by exactly"), "{work:?}: {said}");
    }
}
