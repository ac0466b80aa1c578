//! Who logs in to MariaDB and MySQL, with which password and by which key of the server.

use super::option_file::{ClientOptions, read_all};
use model::{Endpoint, Failure, PasswordSource, ServerAddress, ServerKey};
use std::path::PathBuf;
use system::client::{LoginEnvironment, UsualLogin, UsualPassword, refusal};

/// Port of MariaDB and MySQL where an option file names none.
const PORT: u16 = 3306;

/// The option files that MariaDB's and MySQL's own clients read: of the system, then of the user.
fn option_files(environment: &LoginEnvironment<'_>) -> Vec<PathBuf> {
    environment.option_files.clone().unwrap_or_else(|| {
        let mut files = vec![PathBuf::from("/etc/my.cnf"), "/etc/mysql/my.cnf".into()];
        files.extend(std::env::home_dir().map(|home| home.join(".my.cnf")));
        files
    })
}

/// What the option files say of a login, which are read where the address leaves something open.
///
/// # Errors
/// `AccessDenied` when one cannot be read.
pub fn usual_login(
    address: &ServerAddress,
    environment: &LoginEnvironment<'_>,
) -> Result<UsualLogin, Failure> {
    if address.user.is_some() && address.password != PasswordSource::OptionFile {
        return Ok(UsualLogin::default());
    }
    let options = read_option_files(environment)?;
    let names_server = names(&options, &address.endpoint);
    let ClientOptions { user, password, ignored, .. } = options;
    let password =
        password.map(|(content, path)| UsualPassword::OptionFile { content, path, names_server });
    Ok(UsualLogin { user, password, ignored })
}

/// Finds out which RSA key may encrypt the password without TLS, where the address leaves that to
/// the option files. A pinned key comes before one that is asked for, as with MySQL's own client.
pub fn resolve_server_key(
    address: &ServerAddress,
    environment: &LoginEnvironment<'_>,
) -> ServerKey {
    if address.server_key != ServerKey::OptionFile {
        return address.server_key.clone();
    }
    // A file that cannot be read says nothing; where more depends on it, the login is refused.
    match read_all(&option_files(environment)).unwrap_or_default() {
        ClientOptions { key: Some(path), .. } => ServerKey::Pinned(path),
        ClientOptions { requests_key: true, .. } => ServerKey::Request,
        _ => ServerKey::Refuse,
    }
}

fn read_option_files(environment: &LoginEnvironment<'_>) -> Result<ClientOptions, Failure> {
    read_all(&option_files(environment)).map_err(|(path, why)| {
        refusal(
            &format!("the option file {}", path.display()),
            &why,
            "let this user read it, or name the user and the password's source with the target",
        )
    })
}

/// Whether option files say of a server that their password is for it. They may name it by host and
/// port, or by its socket.
fn names(options: &ClientOptions, endpoint: &Endpoint) -> bool {
    match endpoint {
        Endpoint::Tcp { host, port } => options.host.as_ref().is_some_and(|named| {
            named.eq_ignore_ascii_case(host) && options.port.unwrap_or(Some(PORT)) == Some(*port)
        }),
        Endpoint::Socket(path) => {
            let is_here = options.host.as_ref().is_none_or(|host| host == "localhost");
            is_here && options.socket.as_ref() == Some(path)
        }
        Endpoint::NotUp => false,
    }
}
