//! A real server for tests, and ways to log in to it.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use model::{Endpoint, Failure, PasswordSource, ServerAddress, ServerKey, Stop, Tls};
use postgres::client::Connection;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use system::Login;
use system::client::{Credentials, Limits, Secret};

/// An account that owns nothing: the server refuses to run as root.
const NOBODY: u32 = 65534;
pub const ADMINISTRATOR: &str = "postgres";
pub const DATABASE: &str = "postgres";

/// The directory of the installed programs, of the newest version.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is installed");
    let mut versions: Vec<PathBuf> = versions.map(|entry| entry.unwrap().path()).collect();
    versions.sort();
    versions.pop().unwrap().join("bin")
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// A program of the server's, run as an account that it accepts, which ends with this process.
fn program(name: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "QUIT"]);
    if is_root() {
        let id = NOBODY.to_string();
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
    }
    command.arg(programs().join(name)).current_dir("/").env("LC_ALL", "C");
    command
}

/// A server with its directory; both go when it is dropped.
pub struct Server {
    child: Child,
    pub port: u16,
    directory: tempfile::TempDir,
}

impl Server {
    /// Starts a server with these settings, which lets everybody in over its socket and asks for what
    /// `hba` says over TCP.
    pub fn start(settings: &[(&str, &str)], hba: &str) -> Self {
        let directory = tempfile::Builder::new().prefix("pgwire-").tempdir_in("/tmp").unwrap();
        fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let data = directory.path().join("data");
        fs::create_dir(&data).unwrap();
        if is_root() {
            chown(&data, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        fs::set_permissions(&data, PermissionsExt::from_mode(0o700)).unwrap();
        let made = program("initdb")
            .args(["--no-sync", "--auth=trust", "--encoding=UTF8", "--username", ADMINISTRATOR])
            .arg("-D")
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        fs::write(data.join("pg_hba.conf"), format!("local all all trust\n{hba}\n")).unwrap();
        let port = test_support::free_port();
        let mut command = program("postgres");
        command.arg("-D").arg(&data).args(["-p", &port.to_string()]);
        command.arg("-k").arg(&data).args(["-h", "127.0.0.1", "-c", "fsync=off"]);
        if hba.contains("hostssl") {
            certificate(&data);
            command.args(["-c", "ssl=on"]);
        }
        for (name, value) in settings {
            command.args(["-c", &format!("{name}={value}")]);
        }
        let log = fs::File::create(directory.path().join("log")).unwrap();
        let child = command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let server = Self { child: child.spawn().unwrap(), port, directory };
        let deadline = Instant::now() + Duration::from_secs(60);
        while let Err(failure) = server.try_connect(&server.socket()) {
            assert!(Instant::now() < deadline, "{failure:?}: {}", server.log());
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).unwrap()
    }

    /// The directory of its data.
    pub fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// Writes a file that programs of the server can read.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.directory.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// pgbench with these options.
    pub fn pgbench(&self, options: &[&str]) -> Output {
        let mut command = program("pgbench");
        command.args(["--no-vacuum", "-U", ADMINISTRATOR, "-p", &self.port.to_string(), "-h"]);
        command.arg(self.directory.path().join("data")).args(options).arg(DATABASE);
        command.output().unwrap()
    }

    pub fn socket(&self) -> Endpoint {
        Endpoint::Socket(self.directory.path().join(format!("data/.s.PGSQL.{}", self.port)))
    }

    pub fn tcp(&self) -> Endpoint {
        Endpoint::Tcp { host: "127.0.0.1".to_owned(), port: self.port }
    }

    /// The certificate that it shows, where it has one.
    pub fn certificate(&self) -> PathBuf {
        self.directory.path().join("data/server.crt")
    }

    pub fn try_connect(&self, endpoint: &Endpoint) -> Result<Connection, Failure> {
        open(&address(endpoint.clone()), ADMINISTRATOR, "")
    }

    /// A connection of the administrator.
    pub fn connect(&self) -> Connection {
        self.try_connect(&self.socket()).unwrap()
    }

    /// The administrator over the socket.
    pub fn login(&self) -> Login {
        let credentials = Credentials::new(ADMINISTRATOR, Secret::default());
        let address = address(self.socket());
        Login::with_credentials(model::System::Postgres, address, credentials).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let id = self.child.id().to_string();
        // An immediate shutdown; the server has no child left when it has ended.
        let _ = Command::new("kill").args(["-QUIT", &id]).status();
        let _ = self.child.wait();
    }
}

fn certificate(data: &Path) {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=x"])
        .args(["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "server.key"])
        .args(["-out", "server.crt"])
        .current_dir(data)
        .output()
        .unwrap();
    assert!(made.status.success());
    for name in ["server.key", "server.crt"] {
        let path = data.join(name);
        fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        if is_root() {
            chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
}

pub fn address(endpoint: Endpoint) -> ServerAddress {
    ServerAddress {
        endpoint,
        user: None,
        database: DATABASE.to_owned(),
        password: PasswordSource::OptionFile,
        tls: Tls::Off,
        compression: false,
        server_key: ServerKey::default(),
        auth: model::AuthMethods::default(),
    }
}

pub fn open(address: &ServerAddress, user: &str, password: &str) -> Result<Connection, Failure> {
    let credentials = Credentials::new(user, Secret::new(password));
    Connection::open_within(address, &credentials, Limits::default(), &Stop::default())
}
