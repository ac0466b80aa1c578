//! Private servers that are asked to end and do not, and those that take their time to.

use crate::support::Server;
use crate::support::start_sandbox;
use host::local::os::{self, ProcessIdentity};
use host::local::sandbox::{Sandbox, SandboxOptions};
use model::{FailureKind, System};
use redis::client::RedisConnection;
use redis::protocol::Value;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use system::client::Secret;

/// How long nothing may come about.
const STANDSTILL: Duration = Duration::from_secs(12);

/// Asks a server to end that hangs: it is killed, which is said, and not waited for at length.
fn is_killed_soon(sandbox: &mut Sandbox) {
    let server = ProcessIdentity::for_pid(sandbox.pid()).unwrap();
    let began = Instant::now();
    let failure = sandbox.stop().unwrap_err();
    let waited = began.elapsed();
    assert_eq!(failure.kind, FailureKind::TimedOut);
    assert!(failure.message.contains("wrote nothing and ended nothing for 12 s"), "{failure}");
    assert!(failure.remedy.contains("hangs"), "{failure}");
    // Within it a server of MariaDB may still have ended some of its threads, each after a while on a busy
    // machine. One that goes on has three minutes.
    assert!(waited < 10 * STANDSTILL, "{waited:?}");
    assert!(!server.exists());
}

#[test]
fn a_server_that_somebody_has_stopped_is_killed_soon() {
    let mut server = Server::start(&[]);
    os::freeze(server.sandbox.pid()).unwrap();
    is_killed_soon(&mut server.sandbox);
}

/// `LOAD DATA` from a pipe that nobody writes to cannot be interrupted: MariaDB waits for it for good, and
/// all its other threads tick on.
#[test]
fn a_server_that_waits_for_a_statement_without_end_is_killed_soon() {
    let mut server = Server::start(&[]);
    let mut connection = server.connect();
    connection.execute("CREATE TABLE t (a INT)").unwrap();
    let pipe = server.sandbox.data_directory().join("pipe");
    assert!(Command::new("mkfifo").args(["-m", "666"]).arg(&pipe).status().unwrap().success());
    // Open for writing, so that the server's opening is not what waits.
    let _held = std::fs::File::options().read(true).write(true).open(&pipe).unwrap();
    let load = format!("LOAD DATA INFILE '{}' INTO TABLE t", pipe.display());
    let loading = thread::spawn(move || connection.execute(&load).is_err());
    let mut look = server.connect();
    let running =
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'LOAD DATA%'";
    let deadline = Instant::now() + Duration::from_secs(60);
    while look.query(running).unwrap().rows != [[Some(b"1".to_vec())]] {
        assert!(Instant::now() < deadline, "the statement does not run");
        thread::sleep(Duration::from_millis(50));
    }
    drop(look);
    is_killed_soon(&mut server.sandbox);
    assert!(loading.join().unwrap());
}

/// Bytes that a process has written to storage; `None` where it has ended.
fn written(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("write_bytes: ")?.parse().ok())
}

/// A server that gets the processor for a moment every few seconds, and needs many of them to write its
/// pages.
#[test]
fn a_server_that_writes_its_pages_slowly_has_its_time() {
    let settings = [("innodb_buffer_pool_size", "512M"), ("innodb_max_dirty_pages_pct", "99")];
    let mut server = Server::start(&settings);
    let mut connection = server.connect();
    connection.execute("CREATE TABLE t (a INT PRIMARY KEY, b LONGTEXT)").unwrap();
    connection.execute("INSERT INTO t SELECT seq, REPEAT('x', 8000) FROM seq_1_to_20000").unwrap();
    drop(connection);

    let pid = server.sandbox.pid();
    let process = ProcessIdentity::for_pid(pid).unwrap();
    let is_over = AtomicBool::new(false);
    let began = Instant::now();
    let (took, ended) = thread::scope(|scope| {
        scope.spawn(|| {
            // Four of them fit into the limit. It gets all of the processor only after that: what it
            // gets done in a moment depends on the machine, and how long it is held does not.
            while !is_over.load(Ordering::Relaxed) && process.exists() {
                let _ = os::freeze(pid);
                thread::sleep(Duration::from_millis(2_900));
                let before = written(pid);
                let _ = os::thaw(pid);
                if began.elapsed() > STANDSTILL + Duration::from_secs(3) {
                    return;
                }
                // On a busy machine it may get none of a moment.
                for _ in 0..100 {
                    thread::sleep(Duration::from_millis(3));
                    if written(pid) != before {
                        break;
                    }
                }
            }
        });
        let ended = server.sandbox.stop();
        is_over.store(true, Ordering::Relaxed);
        (began.elapsed(), ended)
    });
    ended.unwrap();
    assert!(took > STANDSTILL, "{took:?}: it did not need longer than a server that hangs");
}

/// Redis writes what it holds when it is asked to end, here at a key each millisecond.
#[test]
fn a_server_of_redis_that_saves_slowly_has_its_time() {
    let mut sandbox = start_sandbox(SandboxOptions {
        system: System::Redis,
        name: "cache".to_owned(),
        settings: [("save", "3600 1")].map(|(n, v)| (n.to_owned(), v.to_owned())).into(),
        ..SandboxOptions::default()
    })
    .unwrap();
    let password = Secret::new(sandbox.password().reveal());
    let mut connection = RedisConnection::open(sandbox.address(), &password).unwrap();
    let fill: &[u8] =
        b"for i = 1, 15000 do redis.call('SET', i, string.rep(i, 200)) end return 'OK'";
    let delay: [&[u8]; 4] = [b"CONFIG", b"SET", b"rdb-key-save-delay", b"1000"];
    assert_eq!(connection.command(&[b"EVAL", fill, b"0"]).unwrap(), Value::Bytes(b"OK".to_vec()));
    assert_eq!(connection.command(&delay).unwrap(), Value::Status("OK".into()));
    let began = Instant::now();
    sandbox.stop().unwrap();
    let took = began.elapsed();
    assert!(took > STANDSTILL, "{took:?}");
    sandbox.start_again().unwrap();
    let mut connection = RedisConnection::open(sandbox.address(), &password).unwrap();
    let kept = connection.command(&[b"DBSIZE"]).unwrap();
    assert_eq!(kept, Value::Integer(15_000));
}
