use super::drivers::DriverName;
use super::options::Options;
use super::password::VARIABLE;
use super::words::Action;
use crate::exit::CliError;
use model::{Endpoint, PasswordSource, ServerAddress, ServerKey, Tls};
use std::path::PathBuf;

/// Most servers of a run.
const MOST: usize = 1024;

/// Where servers' sockets are by default, the most usual first.
const SOCKETS: [&str; 4] = [
    "/run/mysqld/mysqld.sock",
    "/var/run/mysqld/mysqld.sock",
    "/var/lib/mysql/mysql.sock",
    "/tmp/mysql.sock",
];

/// That the driver is one that is there; the original looks for it when its script runs, and says so
/// in these words.
pub(super) fn check_driver(options: &Options, action: Action) -> Result<(), CliError> {
    let doing = match action {
        Action::Prepare => "prepare",
        Action::Prewarm => "prewarm",
        Action::Cleanup => "cleanup",
        Action::Run => "thread_init",
    };
    match options.text("db-driver") {
        // What `--db-driver=` without a value meant in 0.4, too.
        "mysql" | "" | "pgsql" => Ok(()),
        other => {
            let help = match other {
                "drizzle" | "oracle" | "attachsql" => "use --db-driver=mysql or --db-driver=pgsql",
                _ => "",
            };
            let failed =
                format!("`{doing}' function failed: weighin: failed to initialize the DB driver");
            Err(CliError::usage(format!("invalid database driver name: '{other}'"), "")
                .then(CliError::usage(failed, help)))
        }
    }
}

/// A server that the options name.
pub(super) fn address(options: &Options, endpoint: Endpoint) -> ServerAddress {
    let password = match std::env::var_os(VARIABLE) {
        Some(_) => PasswordSource::Environment(VARIABLE.to_owned()),
        None => PasswordSource::OptionFile,
    };
    let driver = DriverName::from_options(options);
    let tls = match driver {
        DriverName::Pgsql => pgsql_tls(options.text("pgsql-sslmode")).unwrap_or(Tls::Off),
        DriverName::Mysql if options.flag("mysql-ssl") => Tls::Unverified,
        DriverName::Mysql => Tls::Off,
    };
    ServerAddress {
        endpoint,
        user: Some(options.text(&driver.option("user")).to_owned()),
        database: options.text(&driver.option("db")).to_owned(),
        password,
        tls,
        compression: options.flag("mysql-compression"),
        server_key: match options.text("weighin-server-public-key") {
            "" if options.flag("weighin-get-server-public-key") => ServerKey::Request,
            "" => ServerKey::OptionFile,
            path => ServerKey::Pinned(path.into()),
        },
        auth: model::AuthMethods::default(),
    }
}

/// Where the servers listen that the options name, in the order in which connections are dealt to
/// them: sockets in turns, or of each host all ports in turns.
pub(super) fn endpoints(options: &Options) -> Result<Vec<Endpoint>, CliError> {
    if DriverName::from_options(options) == DriverName::Pgsql {
        return pgsql_endpoint(options).map(|one| vec![one]);
    }
    let sockets = options.list("mysql-socket");
    if !sockets.is_empty() {
        return Ok(sockets.into_iter().map(|socket| Endpoint::Socket(socket.into())).collect());
    }
    let named = |name: &str, unnamed| match options.list(name) {
        none if none.is_empty() => vec![unnamed],
        some => some,
    };
    let ports = named("mysql-port", "3306");
    let mut endpoints = Vec::new();
    for host in named("mysql-host", "localhost") {
        for port in &ports {
            endpoints.push(endpoint(host, port)?);
        }
    }
    match endpoints.len() {
        1..=MOST => Ok(endpoints),
        many => Err(CliError::usage(
            format!("--mysql-host and --mysql-port name {many} servers"),
            format!("name at most {MOST}"),
        )),
    }
}

/// The words of libpq, whose certificates of authorities are in one place.
fn pgsql_tls(mode: &str) -> Option<Tls> {
    Some(match mode {
        "disable" => Tls::Off,
        "allow" => Tls::Allowed(None),
        "" | "prefer" => Tls::Preferred(None),
        "require" => Tls::Unverified,
        "verify-ca" => Tls::Chain(std::env::home_dir()?.join(".postgresql/root.crt")),
        "verify-full" => Tls::Verified(None),
        _ => return None,
    })
}

/// As libpq takes them: a host that begins with a slash is the directory of a socket, and none stands for
/// the usual one.
fn pgsql_endpoint(options: &Options) -> Result<Endpoint, CliError> {
    let mode = options.text("pgsql-sslmode");
    if pgsql_tls(mode).is_none() {
        return Err(CliError::usage(
            format!("--pgsql-sslmode={mode} is not supported"),
            "give disable, allow, prefer, require, verify-ca or verify-full",
        ));
    }
    let port = port("pgsql-port", options.text("pgsql-port"))?;
    let directory = match options.text("pgsql-host") {
        "" => "/var/run/postgresql",
        directory if directory.starts_with('/') => directory,
        host => return Ok(Endpoint::Tcp { host: host.to_owned(), port }),
    };
    Ok(Endpoint::Socket(PathBuf::from(directory).join(format!(".s.PGSQL.{port}"))))
}

fn port(option: &str, text: &str) -> Result<u16, CliError> {
    let number = text.parse().ok().filter(|port| *port > 0);
    number.ok_or_else(|| {
        CliError::usage(format!("--{option}={text} is not a port"), "give a number from 1 to 65535")
    })
}

fn endpoint(host: &str, port: &str) -> Result<Endpoint, CliError> {
    let port = self::port("mysql-port", port)?;
    // As in the client libraries that sysbench is linked with, this host is no TCP address.
    if host == "localhost" {
        let found = SOCKETS.iter().map(PathBuf::from).find(|path| path.exists());
        return Ok(Endpoint::Socket(found.unwrap_or_else(|| SOCKETS[0].into())));
    }
    Ok(Endpoint::Tcp { host: host.to_owned(), port })
}

#[cfg(test)]
mod tests {
    use super::super::generation::Generation;
    use super::super::words::Words;
    use super::*;

    #[test]
    fn a_server_of_postgresql_is_named_as_libpq_has_it() {
        let pgsql = |words: &[&str]| endpoints_of(&[&["--db-driver=pgsql"], words].concat());
        assert_eq!(pgsql(&[]).unwrap(), ["localhost:5432"]);
        assert_eq!(pgsql(&["--pgsql-host=db", "--pgsql-port=6432"]).unwrap(), ["db:6432"]);
        let socket = ["--pgsql-host=/tmp", "--mysql-host=a"];
        assert_eq!(pgsql(&socket).unwrap(), ["/tmp/.s.PGSQL.5432"]);
        assert!(pgsql(&["--pgsql-port=0"]).is_err());
        let words = ["--db-driver=pgsql", "--pgsql-sslmode=on"].map(Into::into);
        let words = Words::parse(&words).unwrap();
        let options = Options::check(&words, Generation::V11).unwrap();
        assert!(endpoints(&options).is_err());
    }

    fn endpoints_of(words: &[&str]) -> Result<Vec<String>, CliError> {
        let words: Vec<_> = words.iter().map(Into::into).collect();
        let options = Options::check(&Words::parse(&words)?, Generation::V10)?;
        Ok(endpoints(&options)?.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn servers_come_in_the_order_in_which_the_original_deals_connections() {
        let hosts = ["--mysql-host=a,b", "--mysql-port=1,2"];
        assert_eq!(endpoints_of(&hosts).unwrap(), ["a:1", "a:2", "b:1", "b:2"]);
        let with_sockets = ["--mysql-host=a,b", "--mysql-socket=/x,/y"];
        assert_eq!(endpoints_of(&with_sockets).unwrap(), ["/x", "/y"]);
        assert_eq!(endpoints_of(&["--mysql-host=a"]).unwrap(), ["a:3306"]);
        for bad in ["--mysql-port=1,x", "--mysql-port=0", "--mysql-port=99999"] {
            assert!(endpoints_of(&["--mysql-host=a", bad]).is_err(), "{bad}");
        }
        let many = format!("--mysql-host={}", "a,".repeat(MOST + 1));
        assert!(endpoints_of(&[&many]).is_err());
    }
}
