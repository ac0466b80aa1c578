//! Private servers: real ones, from their start to their end.

use crate::support::start_sandbox;
use host::local::os;
use host::local::sandbox::{Sandbox, SandboxOptions};
use host::{PrivateServer, ServerAct};
use model::{Endpoint, FailureKind, PasswordSource};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn options(directory: &Path, settings: &[(&str, &str)]) -> SandboxOptions {
    SandboxOptions {
        name: "tested".to_owned(),
        settings: settings.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect(),
        directory: Some(directory.to_owned()),
        program: None,
        ..SandboxOptions::default()
    }
}

/// A directory that the server's own account can reach.
fn parent() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(parent.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    parent
}

fn client(arguments: &[String], password: &str, query: &str) -> Output {
    Command::new("mariadb")
        .args(["--no-defaults", "--batch", "--skip-column-names"])
        .args(arguments)
        .args(["--execute", query])
        .env("MYSQL_PWD", password)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn tcp(sandbox: &Sandbox, user: &str) -> Vec<String> {
    vec![
        "--protocol=tcp".to_owned(),
        "--host=127.0.0.1".to_owned(),
        format!("--port={}", sandbox.port()),
        format!("--user={user}"),
    ]
}

/// What a query returns, asked as the login that the sandbox names.
fn query(sandbox: &Sandbox, query: &str) -> String {
    let mut arguments = tcp(sandbox, sandbox.address().user.as_deref().unwrap());
    arguments.push(sandbox.address().database.clone());
    let output = client(&arguments, sandbox.password().reveal(), query);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_server_answers_has_its_settings_and_is_gone_when_dropped() {
    let parent = parent();
    let settings = [("innodb_flush_log_at_trx_commit", "2"), ("loose-max-connection", "77")];
    let sandbox = start_sandbox(options(parent.path(), &settings)).unwrap();
    assert_eq!(query(&sandbox, "SELECT @@innodb_flush_log_at_trx_commit"), "2");
    assert_eq!(query(&sandbox, "SELECT @@max_connections"), "77");
    assert_eq!(query(&sandbox, "SELECT @@bind_address"), "127.0.0.1");
    assert_eq!(query(&sandbox, "SELECT DATABASE()"), "sbtest");
    let data = format!("{}/", sandbox.data_directory().display());
    assert_eq!(query(&sandbox, "SELECT @@datadir"), data);

    let socket = [
        format!("--socket={}", sandbox.socket().display()),
        "--protocol=socket".to_owned(),
        "--user=weighin".to_owned(),
    ];
    let output = client(&socket, sandbox.password().reveal(), "SELECT 7");
    assert_eq!(output.stdout, b"7\n");

    let endpoint = Endpoint::Tcp { host: "127.0.0.1".to_owned(), port: sandbox.port() };
    assert_eq!(sandbox.address().endpoint, endpoint);
    let PasswordSource::File(file) = &sandbox.address().password else { panic!() };
    assert_eq!(std::fs::read_to_string(file).unwrap(), sandbox.password().reveal());

    let server = os::ProcessIdentity::for_pid(sandbox.pid()).unwrap();
    drop(sandbox);
    assert!(!server.exists());
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
}

#[test]
fn nobody_gets_in_without_the_password_and_it_is_not_shown() {
    let parent = parent();
    let sandbox = start_sandbox(options(parent.path(), &[])).unwrap();
    for user in ["root", "weighin", "mysql", "anybody"] {
        let output = client(&tcp(&sandbox, user), "", "SELECT 1");
        assert!(!output.status.success(), "{user} got in");
    }
    let password = sandbox.password().reveal();
    let arguments = std::fs::read(format!("/proc/{}/cmdline", sandbox.pid())).unwrap();
    assert!(!String::from_utf8_lossy(&arguments).contains(password));
    assert!(!format!("{sandbox:?}").contains(password));
}

#[test]
fn data_outlives_a_restart_and_a_stop() {
    let parent = parent();
    let mut sandbox = start_sandbox(options(parent.path(), &[])).unwrap();
    query(&sandbox, "CREATE TABLE kept (id INT PRIMARY KEY); INSERT INTO kept VALUES (42)");
    let first = sandbox.pid();
    sandbox.restart().unwrap();
    assert_ne!(sandbox.pid(), first);
    assert_eq!(query(&sandbox, "SELECT id FROM kept"), "42");

    let second = os::ProcessIdentity::for_pid(sandbox.pid()).unwrap();
    sandbox.stop().unwrap();
    sandbox.stop().unwrap();
    assert!(!second.exists());
    assert!(std::os::unix::net::UnixStream::connect(sandbox.socket()).is_err());
    sandbox.start_again().unwrap();
    let running = sandbox.pid();
    sandbox.start_again().unwrap();
    assert_eq!(sandbox.pid(), running);
    assert_eq!(query(&sandbox, "SELECT id FROM kept"), "42");
}

#[test]
fn a_server_that_crashed_starts_again_even_on_another_port() {
    let parent = parent();
    let mut sandbox = start_sandbox(options(parent.path(), &[])).unwrap();
    query(&sandbox, "CREATE TABLE kept (id INT PRIMARY KEY); INSERT INTO kept VALUES (42)");
    let (pid, port) = (sandbox.pid(), sandbox.port());
    os::kill(pid).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let taken = loop {
        match std::net::TcpListener::bind(("127.0.0.1", port)) {
            Ok(listener) => break listener,
            Err(error) => assert!(Instant::now() < deadline, "the port does not get free: {error}"),
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    // A server that is still on its way out counts as running.
    let deadline = Instant::now() + Duration::from_secs(60);
    while sandbox.pid() == pid {
        assert!(Instant::now() < deadline, "the server did not end");
        sandbox.start_again().unwrap();
    }
    assert_ne!(sandbox.port(), port);
    let endpoint = Endpoint::Tcp { host: "127.0.0.1".to_owned(), port: sandbox.port() };
    assert_eq!(sandbox.address().endpoint, endpoint);
    assert_eq!(query(&sandbox, "SELECT id FROM kept"), "42");
    drop(taken);
}

#[test]
fn a_setting_that_the_server_does_not_know_is_named() {
    let parent = parent();
    let settings = [("innodb_flsh_log_at_trx_commit", "1")];
    let failure = start_sandbox(options(parent.path(), &settings)).unwrap_err();
    assert_eq!(failure.kind, FailureKind::SandboxStart);
    assert!(failure.message.contains("innodb_flsh_log_at_trx_commit"), "{failure}");
    assert!(failure.message.contains("tested"), "{failure}");
    assert!(failure.remedy.contains("setting"), "{failure:?}");
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
}

/// The installed server takes each of these for a setting that opens it, has it load code, or leads
/// out of its directory.
#[test]
fn settings_are_judged_by_what_the_server_takes_them_for() {
    let parent = parent();
    for (name, value, reason) in [
        ("skip_grant_table", "ON", "takes for skip_grant_tables, cannot be set"),
        ("loose-skip-gr", "", "takes for skip_grant_tables, cannot be set"),
        ("bind_addr", "*", "takes for bind_address, cannot be set"),
        ("init_con", "DROP DATABASE x", "takes for init_connect, needs trust"),
        ("plugin_load_a", "ha_evil", "needs trust: it makes the server load code"),
        ("wsrep_prov", "evil.so", "needs trust: it makes the server load code"),
        ("general_log_f", "/var/tmp/evil", "needs trust: its value is a path"),
    ] {
        let failure = start_sandbox(options(parent.path(), &[(name, value)])).unwrap_err();
        assert_eq!(failure.kind, FailureKind::SandboxStart);
        assert!(failure.message.contains(reason), "{name}: {failure}");
    }
    let dotted = options(parent.path(), &[("x.skip_grant_tables", "ON")]);
    assert!(
        start_sandbox(dotted).unwrap_err().message.contains("is not the name of a server setting")
    );
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
}

#[test]
fn a_value_that_initialising_refuses_is_a_failure() {
    let parent = parent();
    let settings = [("innodb_data_file_path", "nonsense")];
    let failure = start_sandbox(options(parent.path(), &settings)).unwrap_err();
    assert_eq!(failure.kind, FailureKind::SandboxStart);
    assert!(failure.message.contains("data directory"), "{failure}");
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
}

#[test]
fn a_missing_directory_is_a_failure_that_names_it() {
    let parent = parent();
    let missing = parent.path().join("missing");
    let failure = start_sandbox(options(&missing, &[])).unwrap_err();
    assert!(failure.message.contains(missing.to_str().unwrap()), "{failure}");
    assert!(!failure.remedy.is_empty());
}

#[test]
fn servers_started_at_once_are_apart() {
    let parent = parent();
    let start = |page_size: &str| {
        start_sandbox(options(parent.path(), &[("innodb_page_size", page_size)])).unwrap()
    };
    // A page size of its own for each: both are decided when the data is initialised.
    let (small, large) = std::thread::scope(|scope| {
        let small = scope.spawn(|| start("8k"));
        let large = scope.spawn(|| start("32k"));
        (small.join().unwrap(), large.join().unwrap())
    });
    assert_ne!(small.port(), large.port());
    assert_eq!(query(&small, "SELECT @@innodb_page_size"), "8192");
    assert_eq!(query(&large, "SELECT @@innodb_page_size"), "32768");
    drop(small);
    assert_eq!(query(&large, "SELECT 1"), "1");
}

#[test]
fn a_server_forgets_its_cache_when_told_to() {
    let parent = parent();
    let named = ("innodb-buffer-pool-filename", "pages");
    for (settings, name) in [(&[][..], "ib_buffer_pool"), (&[named], named.1)] {
        let mut sandbox = start_sandbox(options(parent.path(), settings)).unwrap();
        sandbox.stop().unwrap();
        let memory = sandbox.data_directory().join(name);
        assert!(memory.exists(), "the server has changed where it remembers its cache");
        sandbox.act(ServerAct::ForgetCache).unwrap();
        assert!(!memory.exists());
        sandbox.start_again().unwrap();
    }
}
