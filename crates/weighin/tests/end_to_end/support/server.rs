use super::{Ran, Workplace, shared_directory};
use host::GroupMember;
use host::local::sandbox::{Sandbox, SandboxOptions};
use model::{Endpoint, PasswordSource, ServerAddress, ServerKey, Software, Tls};
use mysql::client::Connection;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use system::client::{Credentials, Secret};

/// The server's counters that weighin's statements must make grow, and no others.
pub const COUNTERS: [&str; 7] = [
    "Com_begin", "Com_commit", "Com_delete", "Com_insert", "Com_rollback", "Com_select",
    "Com_update",
];

/// A server of its own for a test, which weighin knows only by its URL; gone when dropped.
pub struct Server {
    pub sandbox: Sandbox,
    // Dropped after the server.
    _directory: Arc<tempfile::TempDir>,
}

impl Server {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    pub fn start_with(settings: &[(&str, &str)]) -> Self {
        Self::start_as(settings, None)
    }

    /// As one that can be in a group.
    pub fn start_as(settings: &[(&str, &str)], member: Option<GroupMember>) -> Self {
        let options = SandboxOptions { member, ..SandboxOptions::default() };
        Self::start_of(settings, options, Arc::new(shared_directory()))
    }

    /// That of an unpacked distribution.
    pub fn start_from(base: PathBuf) -> Self {
        let software = Software::Base(base);
        let options = SandboxOptions { software, ..SandboxOptions::default() };
        Self::start_of(&[], options, Arc::new(shared_directory()))
    }

    /// Two of an unpacked distribution that can be in a group.
    pub fn two_from(base: PathBuf, settings: &[(&str, &str)]) -> [Self; 2] {
        let directory = Arc::new(shared_directory());
        [1, 2].map(|number| {
            let options = SandboxOptions {
                software: Software::Base(base.clone()),
                member: Some(GroupMember { number, semi_sync: false }),
                ..SandboxOptions::default()
            };
            Self::start_of(settings, options, Arc::clone(&directory))
        })
    }

    fn start_of(
        settings: &[(&str, &str)],
        options: SandboxOptions,
        directory: Arc<tempfile::TempDir>,
    ) -> Self {
        let mut all: BTreeMap<String, String> =
            settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        // Commits that wait for no disk: what is tested here does not hang on durability.
        all.entry("innodb_flush_log_at_trx_commit".to_owned()).or_insert_with(|| "0".to_owned());
        let options = SandboxOptions {
            name: "test".to_owned(),
            settings: all,
            // The servers of tests have certificates and plugins.
            trusted: true,
            directory: Some(directory.path().to_owned()),
            ..options
        };
        weighin::systems::register();
        Self { sandbox: Sandbox::start(options).unwrap(), _directory: directory }
    }

    /// URL over TCP, of the server's administrator and a database.
    pub fn url_of(&self, user: &str, database: &str) -> String {
        format!("mysql://{user}@127.0.0.1:{}/{database}", self.sandbox.port())
    }

    pub fn url(&self) -> String {
        self.url_of("weighin", "sbtest")
    }

    /// URL over the Unix socket.
    pub fn socket_url(&self) -> String {
        format!("mysql://weighin@/sbtest?socket={}", self.sandbox.socket().display())
    }

    /// The file with the administrator's password.
    pub fn password_file(&self) -> PathBuf {
        match &self.sandbox.address().password {
            PasswordSource::File(path) => path.clone(),
            other => panic!("sandboxes keep their password in a file, not {other:?}"),
        }
    }

    pub fn password(&self) -> &str {
        self.sandbox.password().reveal()
    }

    /// Runs `weighin COMMAND URL ARGUMENTS…` as the administrator.
    pub fn weighin(&self, place: &Workplace, command: &str, arguments: &[&str]) -> Ran {
        self.weighin_at(place, command, &self.url(), arguments)
    }

    /// The same at another URL of this server.
    pub fn weighin_at(
        &self,
        place: &Workplace,
        command: &str,
        url: &str,
        arguments: &[&str],
    ) -> Ran {
        let password = self.password_file();
        let mut all = vec![command, url, "--password-file", password.to_str().unwrap()];
        all.extend(arguments);
        place.weighin(&all)
    }

    /// Another administrator's connection to the test database.
    pub fn connect(&self) -> Connection {
        let address = ServerAddress {
            endpoint: Endpoint::Socket(self.sandbox.socket().to_owned()),
            user: None,
            database: "sbtest".to_owned(),
            password: PasswordSource::OptionFile,
            tls: Tls::Off,
            compression: false,
            server_key: ServerKey::default(),
            auth: model::AuthMethods::default(),
        };
        let password = Secret::new(self.password());
        Connection::open(&address, &Credentials::new("weighin", password)).unwrap()
    }

    pub fn execute(&self, sql: &str) {
        self.connect().execute(sql).unwrap();
    }

    /// All rows of a query as text, fields separated by tabs.
    pub fn query(&self, sql: &str) -> Vec<String> {
        let rows = self.connect().query(sql).unwrap().rows;
        let text = |field: Option<Vec<u8>>| match field {
            Some(bytes) => String::from_utf8(bytes).unwrap(),
            None => "NULL".to_owned(),
        };
        rows.into_iter()
            .map(|row| row.into_iter().map(text).collect::<Vec<_>>().join("\t"))
            .collect()
    }

    pub fn counters(&self) -> BTreeMap<String, u64> {
        let names = COUNTERS.join("','");
        self.query(&format!("SHOW GLOBAL STATUS WHERE Variable_name IN ('{names}')"))
            .iter()
            .map(|row| row.split_once('\t').unwrap())
            .map(|(name, value)| (name.to_owned(), value.parse().unwrap()))
            .collect()
    }
}
