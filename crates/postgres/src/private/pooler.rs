//! PgBouncer before a private server.

use super::facts::{FACTS as SERVER, USER};
use super::launch::{asks_for_password, link_socket};
use host::recipe::{
    Distribution, Home, KindFacts, LogWords, PrivateServerKind, Recipe, RecipeOrder, ServerProgram,
    file_trouble,
};
use model::{Failure, FailureKind, ProxyProgram};
use std::io;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::process::Command;

const PROGRAM: &str = "pgbouncer";
const USUAL_PLACES: [&str; 3] = ["/usr/sbin", "/usr/local/bin", "/usr/bin"];
const CONFIGURATION: &str = "pgbouncer.ini";
const USERS: &str = "users";
/// From this version on it keeps prepared statements where sessions are shared by transactions.
const KEEPS_PREPARED: (u32, u32) = (1, 21);

/// PgBouncer, which shares the sessions of a server by transactions.
///
/// It takes as many clients as come; all other settings are its own defaults, but that it keeps prepared
/// statements where its version can.
pub static POOLER: PrivateServerKind = PrivateServerKind {
    facts: KindFacts {
        proxy: Some(ProxyProgram::PgBouncer),
        program_prefixes: &[PROGRAM],
        log_words: LogWords { disk_full: &[], unknown_setting: &[], error: &["FATAL", "ERROR"] },
        setting_example: "default_pool_size",
        ..SERVER
    },
    recipe: |order, distribution| Ok(Box::new(PgBouncer::new(order, distribution)?)),
};

/// How it is started. It refuses to be root.
#[derive(Debug)]
struct PgBouncer {
    program: ServerProgram,
    keeps_prepared: bool,
    server: SocketAddr,
}

impl PgBouncer {
    fn new(order: RecipeOrder, distribution: Distribution) -> Result<Self, Failure> {
        let RecipeOrder { target, forwards_to, .. } = order;
        let distribution = distribution.never_root()?;
        let path = distribution.find_program(&[PROGRAM], &[], &USUAL_PLACES, not_installed)?;
        let line = distribution.ask(&path, &["--version"])?;
        let keeps_prepared = version(&line).is_some_and(|version| version >= KEEPS_PREPARED);
        let server = forwards_to.ok_or_else(not_installed)?;
        Ok(Self { program: ServerProgram { target, distribution, path }, keeps_prepared, server })
    }

    fn configuration(&self, home: &Home, listen: SocketAddr) -> String {
        let (server, users, run) = (self.server, home.path_of(USERS), home.run());
        let prepared = if self.keeps_prepared { "max_prepared_statements = 200\n" } else { "" };
        format!(
            "[databases]\n* = host={} port={}\n[pgbouncer]\nlisten_addr = {}\nlisten_port = {}\n\
             unix_socket_dir = {}\nunix_socket_mode = 0700\nauth_type = scram-sha-256\n\
             auth_file = {}\npool_mode = transaction\nmax_client_conn = {MOST_CLIENTS}\n\
             ignore_startup_parameters = default_transaction_read_only,extra_float_digits\n{prepared}",
            server.ip(),
            server.port(),
            listen.ip(),
            listen.port(),
            run.display(),
            users.display(),
        )
    }
}

/// More than weighin makes.
const MOST_CLIENTS: u32 = 100_000;

impl Recipe for PgBouncer {
    fn program(&self) -> &ServerProgram {
        &self.program
    }

    fn prepare(&self, home: &Home, password: &str, _replicas: Option<&str>) -> Result<(), Failure> {
        let run_as = self.program.run_as();
        let give = |name: &str, text: &str| {
            home.write(name, text).and_then(|file| run_as.give_file(&file))
        };
        let users = give(USERS, &format!("\"{USER}\" \"{password}\"\n"));
        users.map_err(|error| file_trouble("the login", &home.run(), &error))?;
        home.hand_over(run_as)
    }

    /// Where its configuration cannot be written, it does not start, and says so.
    fn command(&self, home: &Home, listen: SocketAddr) -> Command {
        link_socket(home, listen.port());
        let _ = home.remove(CONFIGURATION);
        let written = home.write(CONFIGURATION, &self.configuration(home, listen));
        let _ = written.and_then(|file| self.program.run_as().give_file(&file));
        let mut command = self.program.command(home);
        command.arg(home.path_of(CONFIGURATION));
        command
    }

    fn is_ready(&self, stream: &mut UnixStream, _home: &Home) -> io::Result<bool> {
        asks_for_password(stream)
    }

    fn slow_end_remedy(&self) -> &'static str {
        ""
    }
}

/// The first two numbers in a line such as `PgBouncer 1.18.0`.
fn version(line: &str) -> Option<(u32, u32)> {
    let word = line.lines().next()?.split_ascii_whitespace().nth(1)?;
    let mut numbers = word.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn not_installed() -> Failure {
    Failure::new(
        FailureKind::MissingProgram,
        "PgBouncer is not installed, in /usr/sbin, on PATH or elsewhere",
        "install it, such as the Debian package pgbouncer, or leave out `proxy`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_it_says() {
        assert_eq!(version("PgBouncer 1.18.0\nlibevent 2.1.12-stable\n"), Some((1, 18)));
        assert!(version("PgBouncer 1.21.0").unwrap() >= KEEPS_PREPARED);
        assert_eq!(version("PgBouncer"), None);
        assert_eq!(version(""), None);
    }
}
