//! Who logs in, and with which password, where an address leaves that open: as libpq finds it.

use super::password_file::{self, Wanted};
use super::url::service_of;
use model::{Endpoint, Failure, FailureKind, PasswordSource, ServerAddress};
use std::path::PathBuf;
use system::client::{LoginEnvironment, UsualLogin, UsualPassword, refusal};

/// The variable with a password.
const PASSWORD: &str = "PGPASSWORD";
/// The directory of the socket that libpq takes where none is named; `.pgpass` calls that `localhost`.
const SOCKET_DIRECTORIES: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// What libpq would log in with.
///
/// # Errors
/// `AccessDenied` when the password file cannot be read.
pub fn usual_login(
    address: &ServerAddress,
    environment: &LoginEnvironment<'_>,
) -> Result<UsualLogin, Failure> {
    let variable = |name: &str| (environment.variable)(name).filter(|value| !value.is_empty());
    let user = variable("PGUSER").and_then(|user| user.into_string().ok());
    if !address.password.is_usual() {
        return Ok(UsualLogin { user, ..UsualLogin::default() });
    }
    if let PasswordSource::Service(name) = &address.password
        && let Some(password) = password_of_service(name, address, environment)?
    {
        return Ok(UsualLogin { user, password: Some(password), ignored: Vec::new() });
    }
    if variable(PASSWORD).is_some() {
        let password = Some(UsualPassword::Variable(PASSWORD.to_owned()));
        return Ok(UsualLogin { user, password, ignored: Vec::new() });
    }
    let files = environment.option_files.clone().unwrap_or_else(|| {
        let named = variable("PGPASSFILE").map(PathBuf::from);
        let usual = || std::env::home_dir().map(|home| home.join(".pgpass"));
        named.or_else(usual).into_iter().collect()
    });
    let mut login = UsualLogin { user, ..UsualLogin::default() };
    let named = address.user.clone().or_else(|| login.user.clone());
    let system_user = || variable("USER").and_then(|user| user.into_string().ok());
    let user = named.or_else(system_user).unwrap_or_default();
    let (host, port) = place(&address.endpoint);
    let wanted = Wanted { host: &host, port: &port, database: &address.database, user: &user };
    for path in files {
        let found = password_file::read(&path, &wanted).map_err(|why| {
            refusal(
                &format!("the password file {}", path.display()),
                &why,
                "let this user read it, or name the password's source with the target",
            )
        })?;
        match found {
            password_file::Found::Nothing => {}
            password_file::Found::Exposed => login.ignored.push(path),
            password_file::Found::Password { content, names_server } => {
                login.password = Some(UsualPassword::OptionFile { content, path, names_server });
            }
        }
    }
    Ok(login)
}

/// What a service has for its own host. Where others may read its file there is none, as with a password
/// file; nor has a replica one that is elsewhere.
fn password_of_service(
    name: &str,
    address: &ServerAddress,
    environment: &LoginEnvironment<'_>,
) -> Result<Option<UsualPassword>, Failure> {
    let refused = |why: String| Failure::new(FailureKind::AccessDenied, why, "correct the service");
    let found = service_of(name, &address.endpoint, environment.variable).map_err(refused)?;
    let Some(service) = found else { return Ok(None) };
    let content = service.password(name).map_err(|why| {
        let file = format!("the file of services {}", service.file.display());
        refusal(&file, &why, "let this user read it")
    })?;
    let path = service.file;
    Ok(content.map(|content| UsualPassword::OptionFile { content, path, names_server: true }))
}

/// Host and port by which a password file knows a server.
fn place(endpoint: &Endpoint) -> (String, String) {
    match endpoint {
        Endpoint::Tcp { host, port } => (host.clone(), port.to_string()),
        Endpoint::Socket(path) => {
            let directory = path.parent().map(|path| path.display().to_string());
            let directory = directory.unwrap_or_default();
            let usual = SOCKET_DIRECTORIES.contains(&directory.as_str());
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let port = name.strip_prefix(".s.PGSQL.").unwrap_or_default().to_owned();
            (if usual { "localhost".to_owned() } else { directory }, port)
        }
        Endpoint::NotUp => (String::new(), String::new()),
    }
}
