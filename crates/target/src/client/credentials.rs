use super::option_file::{ClientOptions, read_all};
use super::private_file::{Owners, Unreadable, read_password};
use super::system_user::system_user;
use model::{Broker, Endpoint, Failure, FailureKind, PasswordSource, ServerAddress, ServerKey};
use std::ffi::OsString;
use std::fmt::Display;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// A password. Shows itself to nobody but [`Secret::bytes`].
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Keeps a password; empty for none.
    pub fn new(password: impl Into<Vec<u8>>) -> Self {
        Self(password.into())
    }

    /// The password itself.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// Who logs in.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// Account name.
    pub user: String,
    password: Secret,
    /// Where the password was found, in words for a message.
    origin: String,
    /// Where the user was taken from, where the address names none; in words that follow its name.
    assumed: Option<&'static str>,
}

impl Credentials {
    /// An account whose password weighin itself has set.
    pub fn new(user: impl Into<String>, password: Secret) -> Self {
        let origin = match password.bytes() {
            [] => "no password",
            _ => "a password of weighin's own",
        };
        Self { user: user.into(), password, origin: origin.to_owned(), assumed: None }
    }

    /// An account whose password another process of weighin has found, in the place that `origin`
    /// names as [`Self::origin`] did there.
    pub fn found_elsewhere(
        user: impl Into<String>,
        password: Secret,
        origin: impl Into<String>,
    ) -> Self {
        Self { user: user.into(), password, origin: origin.into(), assumed: None }
    }

    /// The password.
    pub fn password(&self) -> &Secret {
        &self.password
    }

    /// Where the password was found, such as `the password in the environment variable
    /// DB_PASSWORD`.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// That the address names no user, as whom weighin logs in therefore, and how to name one; `None`
    /// where it names one.
    pub fn assumed_user(&self, endpoint: &Endpoint, database: &str) -> Option<(String, String)> {
        let whom = self.assumed?;
        let place = match endpoint {
            Endpoint::Tcp { .. } => format!("{endpoint}/{database}"),
            Endpoint::Socket(path) => format!("/{database}?socket={}", path.display()),
            Endpoint::NotUp => format!("HOST/{database}"),
        };
        let message =
            format!("no user is named in the URL, so weighin logs in as '{}', {whom}", self.user);
        Some((message, format!("write mysql://USER@{place}")))
    }
}

/// What a login may depend on besides the address.
pub struct LoginEnvironment<'a> {
    /// Looks up an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// Option files, in the order in which they are read: later ones win. Missing ones are
    /// skipped.
    pub option_files: Vec<PathBuf>,
}

impl LoginEnvironment<'_> {
    /// This process's environment, and the option files that MariaDB's and MySQL's own clients
    /// read: of the system, then of the user.
    pub fn of_this_process() -> Self {
        let mut option_files = vec![PathBuf::from("/etc/my.cnf"), "/etc/mysql/my.cnf".into()];
        option_files.extend(std::env::home_dir().map(|home| home.join(".my.cnf")));
        Self { variable: &|name: &str| std::env::var_os(name), option_files }
    }
}

/// Finds out who logs in at an address, and with which password.
///
/// The user is the address's, else the option files', else the operating system's. The password
/// comes from where the address says.
///
/// # Errors
/// `AccessDenied` when the environment variable is not set, or a file cannot be read.
pub fn resolve(
    address: &ServerAddress,
    environment: &LoginEnvironment<'_>,
) -> Result<Credentials, Failure> {
    let needs_files =
        address.user.is_none() || matches!(address.password, PasswordSource::OptionFile);
    let options =
        if needs_files { read_option_files(environment)? } else { ClientOptions::default() };
    let (password, origin) = match &address.password {
        PasswordSource::OptionFile => match options.password {
            Some((password, path)) => {
                (password, format!("the password in the option file {}", path.display()))
            }
            None => (Vec::new(), nothing_configured(&options.ignored)),
        },
        PasswordSource::Environment(name) => (
            from_environment("password", name, &address.endpoint, environment)?,
            format!("the password in the environment variable {name}"),
        ),
        PasswordSource::File(path) => (
            first_line("password", path, environment)?,
            format!("the password in the file {}", path.display()),
        ),
    };
    let (user, assumed) = if let Some(user) = address.user.clone() {
        (user, None)
    } else if let Some(user) = options.user {
        (user, Some("whom an option file names"))
    } else {
        let user = system_user(environment).ok_or_else(|| no_user(address))?;
        (user, Some("who runs weighin"))
    };
    Ok(Credentials { user, password: Secret(password), origin, assumed })
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
    // A file that cannot be read says nothing; where more depends on it, `resolve` refuses.
    match read_all(&environment.option_files).unwrap_or_default() {
        ClientOptions { key: Some(path), .. } => ServerKey::Pinned(path),
        ClientOptions { requests_key: true, .. } => ServerKey::Request,
        _ => ServerKey::Refuse,
    }
}

/// Finds out with which password, and as which ACL user, to log in to a Redis server. Without a
/// source of its own the password is that of `REDISCLI_AUTH`, as with the server's own client, and
/// none where that is not set. The user is empty where the address names none.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_redis(
    address: &ServerAddress,
    environment: &LoginEnvironment<'_>,
) -> Result<Credentials, Failure> {
    const USUAL: &str = "REDISCLI_AUTH";
    let usual = (environment.variable)(USUAL).map(OsString::into_vec);
    let (password, origin) = match (&address.password, usual) {
        (PasswordSource::OptionFile, None) => {
            (Vec::new(), "no password: none is configured".to_owned())
        }
        (PasswordSource::OptionFile, Some(password)) => {
            (password, format!("the password in the environment variable {USUAL}"))
        }
        (PasswordSource::Environment(name), _) => (
            from_environment("password", name, &address.endpoint, environment)?,
            format!("the password in the environment variable {name}"),
        ),
        (PasswordSource::File(path), _) => (
            first_line("password", path, environment)?,
            format!("the password in the file {}", path.display()),
        ),
    };
    let user = address.user.clone().unwrap_or_default();
    Ok(Credentials { user, password: Secret(password), origin, assumed: None })
}

fn read_option_files(environment: &LoginEnvironment<'_>) -> Result<ClientOptions, Failure> {
    read_all(&environment.option_files).map_err(|(path, why)| {
        refusal(
            &format!("the option file {}", path.display()),
            &why,
            "let this user read it, or name the user and the password's source with the target",
        )
    })
}

/// What is said of a login without a password.
fn nothing_configured(ignored: &[PathBuf]) -> String {
    let mut text = "no password: none is configured".to_owned();
    for path in ignored {
        text += &format!(
            " (the option file {} is ignored because every account may write it: chmod o-w)",
            path.display()
        );
    }
    text
}

/// Why a file that may hold a password was not read.
pub(super) fn refusal(file: &str, why: &Unreadable, remedy: &str) -> Failure {
    let remedy = match why {
        Unreadable::Failed(_) | Unreadable::NotAFile(_) => {
            let message = format!("cannot read {file}: {why}");
            return Failure::new(FailureKind::AccessDenied, message, remedy);
        }
        Unreadable::Exposed(_) => {
            "let only its owner read it (chmod 600), and change the password if others may have \
             read it"
        }
        Unreadable::Foreign(_) => {
            "make it a file of the user that runs weighin (chown), that only this user may read \
             (chmod 600)"
        }
    };
    let message = format!("{file} is not used: {why}");
    Failure::new(FailureKind::AccessDenied, message, remedy)
}

/// The token for a broker, from where that says.
///
/// # Errors
/// `AccessDenied` when the environment variable is not set, the file cannot be read or others may read
/// it, or there is nothing in either.
pub fn resolve_token(
    broker: &Broker,
    environment: &LoginEnvironment<'_>,
) -> Result<Secret, Failure> {
    let (token, origin) = match &broker.token {
        PasswordSource::Environment(name) => (
            from_environment("token", name, &broker.address, environment)?,
            format!("the environment variable {name}"),
        ),
        PasswordSource::File(path) => {
            (first_line("token", path, environment)?, format!("the file {}", path.display()))
        }
        PasswordSource::OptionFile => (Vec::new(), "the command line".to_owned()),
    };
    if token.is_empty() || !token.iter().all(u8::is_ascii_graphic) {
        return Err(Failure::new(
            FailureKind::AccessDenied,
            format!("{origin} gives no token for the broker {}", broker.address),
            "put the token there that nats-server has under authorization: printable characters \
             without spaces",
        ));
    }
    Ok(Secret(token))
}

pub(super) fn from_environment(
    what: &str,
    name: &str,
    endpoint: &dyn Display,
    environment: &LoginEnvironment<'_>,
) -> Result<Vec<u8>, Failure> {
    // A name that cannot be a variable's makes the lookup panic on some systems.
    let value = match name {
        "" => None,
        name if name.contains(['=', '\0']) => None,
        name => (environment.variable)(name),
    };
    value.map(OsString::into_vec).ok_or_else(|| {
        Failure::new(
            FailureKind::AccessDenied,
            format!(
                "the environment variable {name}, which is to hold the {what} for {endpoint}, is not set"
            ),
            format!("set and export {name} in the shell that runs weighin"),
        )
    })
}

pub(super) fn first_line(
    what: &str,
    path: &Path,
    environment: &LoginEnvironment<'_>,
) -> Result<Vec<u8>, Failure> {
    let sudo_uid = (environment.variable)("SUDO_UID").and_then(|uid| uid.into_string().ok());
    let content = Owners::of_this_process(sudo_uid.as_deref())
        .map_err(Unreadable::from)
        .and_then(|owners| read_password(path, owners));
    let content = content.map_err(|why| {
        refusal(
            &format!("the {what} file {}", path.display()),
            &why,
            &format!("create it with the {what} on its first line, readable by this user only"),
        )
    })?;
    let line = content.split(|&byte| byte == b'\n').next().unwrap_or_default();
    Ok(line.strip_suffix(b"\r").unwrap_or(line).to_vec())
}

fn no_user(address: &ServerAddress) -> Failure {
    Failure::new(
        FailureKind::AccessDenied,
        format!(
            "no user is named for {}, and the user of this process is unknown",
            address.endpoint
        ),
        "name the user in the target's URL: mysql://user@host/database",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Tls;

    fn address(user: Option<&str>, password: PasswordSource) -> ServerAddress {
        ServerAddress {
            endpoint: Endpoint::Tcp { host: "db".into(), port: 3306 },
            user: user.map(str::to_owned),
            database: "sbtest".into(),
            password,
            tls: Tls::Off,
            compression: false,
            server_key: ServerKey::OptionFile,
        }
    }

    fn variables(name: &str) -> Option<OsString> {
        match name {
            "DB_PASSWORD" => Some("s3cret".into()),
            "USER" => Some("me".into()),
            _ => None,
        }
    }

    fn environment(option_files: Vec<PathBuf>) -> LoginEnvironment<'static> {
        LoginEnvironment { variable: &variables, option_files }
    }

    #[test]
    fn a_password_comes_from_the_environment() {
        let address = address(Some("bench"), PasswordSource::Environment("DB_PASSWORD".into()));
        let found = resolve(&address, &environment(vec![])).unwrap();
        assert_eq!((found.user.as_str(), found.password().bytes()), ("bench", &b"s3cret"[..]));
        assert!(found.origin().contains("DB_PASSWORD"), "{}", found.origin());
        assert!(!format!("{found:?}").contains("s3cret"));
    }

    #[test]
    fn where_no_user_is_named_it_is_said_who_logs_in_and_how_to_name_one() {
        let directory = tempfile::tempdir().unwrap();
        let options = directory.path().join(".my.cnf");
        std::fs::write(&options, "[client]\nuser = ops\n").unwrap();
        set_mode(&options, 0o600);
        let said = |user: Option<&str>, files: Vec<PathBuf>| {
            let address = address(user, PasswordSource::OptionFile);
            let found = resolve(&address, &environment(files)).unwrap();
            found.assumed_user(&address.endpoint, &address.database)
        };
        assert_eq!(said(Some("me"), vec![options.clone()]), None);
        for (files, who) in [
            (vec![], "weighin logs in as 'me', who runs weighin"),
            (vec![options], "weighin logs in as 'ops', whom an option file names"),
        ] {
            let (message, remedy) = said(None, files).unwrap();
            assert_eq!(message, format!("no user is named in the URL, so {who}"));
            assert_eq!(remedy, "write mysql://USER@db:3306/sbtest");
        }
    }

    #[test]
    fn a_variable_that_is_not_set_is_named_with_the_way_to_set_it() {
        for name in ["ELSEWHERE", "", "A=B"] {
            let address = address(Some("bench"), PasswordSource::Environment(name.into()));
            let failure = resolve(&address, &environment(vec![])).unwrap_err();
            assert_eq!(failure.kind, FailureKind::AccessDenied);
            assert!(failure.message.contains(name) && failure.message.contains("db:3306"));
        }
    }

    #[test]
    fn a_password_file_gives_its_first_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("password");
        for (content, expected) in
            [("p w#d\r\nmore\n", "p w#d"), ("only", "only"), ("", ""), ("\nsecond", "")]
        {
            std::fs::write(&path, content).unwrap();
            set_mode(&path, 0o600);
            let address = address(Some("bench"), PasswordSource::File(path.clone()));
            let found = resolve(&address, &environment(vec![])).unwrap();
            assert_eq!(found.password().bytes(), expected.as_bytes());
        }
        std::fs::remove_file(&path).unwrap();
        let address = address(Some("bench"), PasswordSource::File(path.clone()));
        let failure = resolve(&address, &environment(vec![])).unwrap_err();
        assert!(failure.message.contains(&path.display().to_string()), "{failure}");
    }

    fn set_mode(path: &Path, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_file_that_others_may_read_is_refused_with_the_way_to_fix_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("password");
        std::fs::write(&path, "geheim").unwrap();
        set_mode(&path, 0o644);
        let address = address(Some("bench"), PasswordSource::File(path.clone()));
        for resolve in [resolve, resolve_redis] {
            let failure = resolve(&address, &environment(vec![])).unwrap_err();
            assert!(failure.message.contains("0644"), "{failure}");
            assert!(failure.remedy.contains("chmod 600"), "{failure:?}");
            assert!(!failure.message.contains("geheim"));
        }
    }

    #[test]
    fn an_option_file_that_everybody_may_write_is_ignored_and_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(".my.cnf");
        std::fs::write(&path, "[client]\nuser=evil\npassword=planted\n").unwrap();
        set_mode(&path, 0o666);
        let address = address(None, PasswordSource::OptionFile);
        let found = resolve(&address, &environment(vec![path])).unwrap();
        assert_eq!((found.user.as_str(), found.password().bytes()), ("me", &b""[..]));
        assert!(found.origin().contains("is ignored"), "{}", found.origin());
    }

    #[test]
    fn option_files_give_user_and_password_and_the_last_one_wins() {
        let directory = tempfile::tempdir().unwrap();
        let (system, own) = (directory.path().join("my.cnf"), directory.path().join(".my.cnf"));
        std::fs::write(&system, "[client]\nuser=all\npassword=first\n").unwrap();
        std::fs::write(&own, "[client]\npassword=\"second\"\n").unwrap();
        let missing = directory.path().join("missing");
        let address = address(None, PasswordSource::OptionFile);
        let found = resolve(&address, &environment(vec![system, missing, own])).unwrap();
        assert_eq!((found.user.as_str(), found.password().bytes()), ("all", &b"second"[..]));
        assert!(found.origin().contains(".my.cnf"));
    }

    #[test]
    fn option_files_say_which_key_of_the_server_is_trusted() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("my.cnf");
        let asked = |server_key| ServerAddress {
            server_key,
            ..address(Some("bench"), PasswordSource::Environment("DB_PASSWORD".into()))
        };
        let said = |content: &str, server_key| {
            std::fs::write(&file, content).unwrap();
            resolve_server_key(&asked(server_key), &environment(vec![file.clone()]))
        };
        let (get, path) = ("get-server-public-key=1", "server-public-key-path=/k.pem");
        let pinned = ServerKey::Pinned("/k.pem".into());
        assert_eq!(said("[client]", ServerKey::OptionFile), ServerKey::Refuse);
        assert_eq!(said(&format!("[client]\n{get}"), ServerKey::OptionFile), ServerKey::Request);
        assert_eq!(said(&format!("[client]\n{path}\n{get}"), ServerKey::OptionFile), pinned);
        assert_eq!(said(&format!("[client]\n{get}"), ServerKey::Refuse), ServerKey::Refuse);
        assert_eq!(said(&format!("[mysqldump]\n{get}"), ServerKey::OptionFile), ServerKey::Refuse);
    }

    #[test]
    fn without_any_source_the_systems_user_logs_in_without_password() {
        let address = address(None, PasswordSource::OptionFile);
        let found = resolve(&address, &environment(vec![])).unwrap();
        assert_eq!((found.user.as_str(), found.password().bytes()), ("me", &b""[..]));
    }
}
