use super::options::Options;
use super::password::VARIABLE;
use super::unsupported;
use crate::exit::CliError;
use model::{Endpoint, PasswordSource, ServerAddress, ServerKey, Tls};
use std::path::PathBuf;

/// Where servers' sockets are by default, the most usual first.
const SOCKETS: [&str; 4] = [
    "/run/mysqld/mysqld.sock",
    "/var/run/mysqld/mysqld.sock",
    "/var/lib/mysql/mysql.sock",
    "/tmp/mysql.sock",
];

/// The server that the options name.
pub(super) fn address(options: &Options) -> Result<ServerAddress, CliError> {
    match options.text("db-driver") {
        // What `--db-driver=` without a value meant in 0.4, too.
        "mysql" | "" => {}
        other => {
            return Err(unsupported(
                &format!("--db-driver={other}"),
                "weighin speaks to MariaDB and MySQL servers: use --db-driver=mysql",
            ));
        }
    }
    let password = match std::env::var_os(VARIABLE) {
        Some(_) => PasswordSource::Environment(VARIABLE.to_owned()),
        None => PasswordSource::OptionFile,
    };
    Ok(ServerAddress {
        endpoint: endpoint(options)?,
        user: Some(options.text("mysql-user").to_owned()),
        database: options.text("mysql-db").to_owned(),
        password,
        tls: if options.flag("mysql-ssl") { Tls::Unverified } else { Tls::Off },
        server_key: match options.text("weighin-server-public-key") {
            "" if options.flag("weighin-get-server-public-key") => ServerKey::Request,
            "" => ServerKey::OptionFile,
            path => ServerKey::Pinned(path.into()),
        },
    })
}

fn endpoint(options: &Options) -> Result<Endpoint, CliError> {
    if let Some(socket) = single(options, "mysql-socket")? {
        return Ok(Endpoint::Socket(socket.into()));
    }
    let host = single(options, "mysql-host")?.unwrap_or("localhost");
    let port = single(options, "mysql-port")?.unwrap_or("3306");
    // As in the client libraries that sysbench is linked with, this host is no TCP address.
    if host == "localhost" {
        let found = SOCKETS.iter().map(PathBuf::from).find(|path| path.exists());
        return Ok(Endpoint::Socket(found.unwrap_or_else(|| SOCKETS[0].into())));
    }
    let port = port.parse().map_err(|_| {
        CliError::usage(
            format!("--mysql-port={port} is not a port"),
            "give a number from 1 to 65535",
        )
    })?;
    Ok(Endpoint::Tcp { host: host.to_owned(), port })
}

/// The value of a list that may have one entry.
fn single<'a>(options: &'a Options, name: &str) -> Result<Option<&'a str>, CliError> {
    let values = options.list(name);
    if values.len() > 1 {
        return Err(unsupported(
            &format!("--{name} with several values ({})", values.join(",")),
            "name one server; run one weighin for each",
        ));
    }
    Ok(values.first().copied())
}
