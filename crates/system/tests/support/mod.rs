//! A real server for the tests of connections, and ways to log in to it.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use host::local::sandbox::{Sandbox, SandboxOptions};
use model::{BuiltVolume, Endpoint, Failure, PasswordSource, ServerAddress, ServerKey, Tls};
use mysql::client::Connection;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use system::client::{Credentials, Secret};
pub use test_support::shared_directory;

/// A private server with its directory; both go when it is dropped.
pub struct Server {
    pub sandbox: Sandbox,
    // Dropped after the server.
    _directory: tempfile::TempDir,
}

impl Server {
    pub fn start(settings: &[(&str, &str)]) -> Self {
        let directory = shared_directory();
        let sandbox = start_sandbox(SandboxOptions {
            name: "client".to_owned(),
            settings: settings.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect(),
            // The servers of tests have certificates and plugins.
            trusted: true,
            directory: Some(directory.path().to_owned()),
            program: None,
            ..SandboxOptions::default()
        })
        .unwrap();
        Self { sandbox, _directory: directory }
    }

    pub fn tcp(&self) -> Endpoint {
        Endpoint::Tcp { host: "127.0.0.1".to_owned(), port: self.sandbox.port() }
    }

    pub fn socket(&self) -> Endpoint {
        Endpoint::Socket(self.sandbox.socket().to_owned())
    }

    /// The administrator of the sandbox.
    pub fn administrator(&self) -> Credentials {
        Credentials::new("weighin", Secret::new(self.sandbox.password().reveal()))
    }

    /// A connection of the administrator.
    pub fn connect(&self) -> Connection {
        Connection::open(&address(self.socket()), &self.administrator()).unwrap()
    }

    /// Why an account is not let in.
    pub fn refusal(&self, address: &ServerAddress, user: &str, password: &str) -> Failure {
        Connection::open(address, &Credentials::new(user, Secret::new(password))).unwrap_err()
    }
}

/// Starts a private server of any kind.
pub fn start_sandbox(options: SandboxOptions) -> Result<Sandbox, Failure> {
    system::register([&mysql::SYSTEM, &postgres::SYSTEM, &redis::SYSTEM]);
    Sandbox::start(options)
}

/// The test database at a place, without TLS.
pub fn address(endpoint: Endpoint) -> ServerAddress {
    ServerAddress {
        endpoint,
        user: None,
        database: "sbtest".to_owned(),
        password: PasswordSource::OptionFile,
        tls: Tls::Off,
        compression: false,
        server_key: ServerKey::default(),
        auth: model::AuthMethods::default(),
    }
}

/// The loop devices over files in a directory.
pub fn loops_below(directory: &Path) -> Vec<String> {
    let devices = std::fs::read_dir("/sys/block").unwrap().flatten();
    let found = devices.filter(|device| {
        let file = std::fs::read_to_string(device.path().join("loop/backing_file"));
        file.is_ok_and(|file| Path::new(&file).starts_with(directory))
    });
    found.map(|device| device.file_name().into_string().unwrap()).collect()
}

/// Whether this machine can build a volume; a word about it where not.
#[allow(clippy::print_stderr, reason = "a test that passes without a word seems to have been made")]
pub fn can_build(volume: &BuiltVolume) -> bool {
    let checked = host::local::volume::check(volume, Path::new("/var/tmp"), volume.bytes());
    checked.inspect_err(|failure| eprintln!("not tested: {failure}")).is_ok()
}

/// A test of this program, run as a process of its own with what it needs in a directory; `user` from
/// its first instruction.
pub fn own_process(test: &str, directory: &Path, user: Option<u32>) -> Command {
    let program = directory.join("helper");
    if !program.exists() {
        // Not by a file of our own: a process that another test forks meanwhile would hold it
        // open for writing, and such a file can't be run.
        let ours = std::env::current_exe().unwrap();
        let status = Command::new("install").arg("-m755").arg(ours).arg(&program).status();
        assert!(status.unwrap().success());
    }
    let mut command = Command::new(program);
    command
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    command
}

/// The only value of the only row.
pub fn value(connection: &mut Connection, sql: &str) -> String {
    let rows = connection.query(sql).unwrap().rows;
    assert_eq!(rows.len(), 1, "{sql}");
    String::from_utf8(rows[0][0].clone().unwrap()).unwrap()
}

/// Runs openssl in a directory.
pub fn openssl(directory: &Path, arguments: &str) {
    let output = Command::new("openssl")
        .args(arguments.split_whitespace())
        .current_dir(directory)
        .output()
        .expect("the package openssl is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A server's certificate and key in a directory, and the authority that signed it.
pub struct Certificates {
    directory: tempfile::TempDir,
}

impl Certificates {
    /// Signed by an authority of its own, for `localhost` only, in X.509 version 1 or 3.
    pub fn make(version: u8) -> Self {
        let directory = shared_directory();
        let path = directory.path();
        let key = "-newkey rsa:2048 -nodes";
        openssl(
            path,
            &format!("req -x509 {key} -keyout ca.key -out ca.pem -days 2 -subj /CN=Tests"),
        );
        openssl(
            path,
            &format!("req {key} -keyout server.key -out request.pem -subj /CN=localhost"),
        );
        let sign = "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out server.pem";
        if version == 3 {
            std::fs::write(path.join("extensions"), "subjectAltName=DNS:localhost\n").unwrap();
            openssl(path, &format!("{sign} -extfile extensions"));
        } else {
            openssl(path, sign);
        }
        for key in ["server.key", "ca.key"] {
            let readable = std::fs::Permissions::from_mode(0o644);
            std::fs::set_permissions(path.join(key), readable).unwrap();
        }
        Self { directory }
    }

    /// `openssl req -x509` and a subject as people do it: an authority’s own certificate as `server.pem`,
    /// of `ca.pem` another one.
    pub fn self_signed() -> Self {
        let certificates = Self::make(3);
        openssl(
            certificates.directory.path(),
            "req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=localhost -addext \
             subjectAltName=DNS:localhost -keyout server.key -out server.pem",
        );
        let readable = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(certificates.file("server.key"), readable).unwrap();
        certificates
    }

    /// A file of it: `ca.pem`, `ca.key`, `server.pem` or `server.key`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A server that uses it.
    pub fn start_server(&self) -> Server {
        let (certificate, key) = (self.file("server.pem"), self.file("server.key"));
        Server::start(&[
            ("ssl_cert", certificate.to_str().unwrap()),
            ("ssl_key", key.to_str().unwrap()),
        ])
    }
}
