use super::private_file::{Opened, Owners, Unreadable, read_private};
use super::secrets::{SecretRules, one_line};
use model::{
    Broker, BrokerProof, Endpoint, Failure, FailureKind, PasswordSource, ServerAddress, System,
};
use std::ffi::OsString;
use std::fmt::Display;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
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
    /// Whether the server may be given the password as it is.
    may_reveal: bool,
}

impl Credentials {
    /// An account whose password weighin itself has set.
    pub fn new(user: impl Into<String>, password: Secret) -> Self {
        let origin = match password.bytes() {
            [] => "no password",
            _ => "a password of weighin's own",
        };
        let (user, origin) = (user.into(), origin.to_owned());
        Self { user, password, origin, assumed: None, may_reveal: true }
    }

    /// An account whose password another process of weighin has found, in the place that `origin`
    /// names as [`Self::origin`] did there; `may_reveal` as [`Self::may_reveal`] said.
    pub fn found_elsewhere(
        user: impl Into<String>,
        password: Secret,
        origin: impl Into<String>,
        may_reveal: bool,
    ) -> Self {
        Self { user: user.into(), password, origin: origin.into(), assumed: None, may_reveal }
    }

    /// Whether the server may be given the password as it is, or encrypted with a key that it sends
    /// itself: [`SecretRules::may_reveal`].
    pub fn may_reveal(&self) -> bool {
        self.may_reveal
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
    pub fn assumed_user(
        &self,
        system: System,
        address: &ServerAddress,
    ) -> Option<(String, String)> {
        let whom = self.assumed?;
        let ServerAddress { endpoint, database, .. } = address;
        let scheme = system.facts().url.as_ref().map_or("", |url| url.scheme());
        let place = match endpoint {
            Endpoint::Tcp { .. } => format!("{endpoint}/{database}"),
            Endpoint::Socket(path) => format!("/{database}?socket={}", path.display()),
            Endpoint::NotUp => format!("HOST/{database}"),
        };
        let message =
            format!("no user is named in the URL, so weighin logs in as '{}', {whom}", self.user);
        Some((message, format!("write {scheme}://USER@{place}")))
    }

    /// Says of a login that was refused that nobody chose the user, where that is so.
    pub fn refused(&self, refused: Failure, system: System, address: &ServerAddress) -> Failure {
        let Failure { kind, message, remedy } = refused;
        match self.assumed_user(system, address) {
            Some((assumed, named)) if kind == FailureKind::AccessDenied => {
                Failure::new(kind, format!("{message}; {assumed}"), format!("{named}; or {remedy}"))
            }
            _ => Failure::new(kind, message, remedy),
        }
    }
}

/// Looks up an environment variable.
pub type Variable<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// What a login may depend on besides the address.
pub struct LoginEnvironment<'a> {
    pub variable: Variable<'a>,
    /// Read in place of the option files that a system's own clients read, in this order.
    pub option_files: Option<Vec<PathBuf>>,
    /// What may be sent.
    pub rules: &'a SecretRules,
}

impl<'a> LoginEnvironment<'a> {
    /// This process's environment.
    pub fn of_this_process(rules: &'a SecretRules) -> Self {
        Self { variable: &|name: &str| std::env::var_os(name), option_files: None, rules }
    }
}

/// What a system's own clients would log in with where neither address nor study says.
#[derive(Debug, Default)]
pub struct UsualLogin {
    /// Whom their option files name.
    pub user: Option<String>,
    pub password: Option<UsualPassword>,
    /// Option files that are ignored because every account may write them.
    pub ignored: Vec<PathBuf>,
}

/// Where they would find a password.
#[derive(Debug)]
pub enum UsualPassword {
    /// In an environment variable of that name.
    Variable(String),
    /// In an option file.
    OptionFile {
        content: Vec<u8>,
        path: PathBuf,
        /// Whether the option files name the very server that is to be logged in to.
        names_server: bool,
    },
}

/// Finds out with which password to log in at an address: from where the address says, else that of
/// `usual`. Gives the origin in words as well.
fn find_password(
    address: &ServerAddress,
    usual: &UsualLogin,
    environment: &LoginEnvironment<'_>,
) -> Result<(Vec<u8>, String), Failure> {
    let in_variable = |name: &str| {
        let password = from_environment("password", name, &address.endpoint, environment)?;
        Ok::<_, Failure>((password, format!("the password in the environment variable {name}")))
    };
    match (&address.password, &usual.password) {
        (PasswordSource::Environment(name), _) => in_variable(name),
        (PasswordSource::File(path), _) => Ok((
            from_file("password", path, &address.endpoint, environment)?,
            format!("the password in the file {}", path.display()),
        )),
        (_, None) => Ok((Vec::new(), nothing_configured(&usual.ignored))),
        (_, Some(UsualPassword::Variable(name))) => in_variable(name),
        (_, Some(UsualPassword::OptionFile { content, path, names_server })) => {
            let source = path.display().to_string();
            let origin = format!("the password in the option file {source}");
            if !content.is_empty() && !names_server {
                environment.rules.check_named("password", &source, &address.endpoint)?;
            }
            Ok((one_line(content, &origin)?, origin))
        }
    }
}

impl Credentials {
    /// Finds out who logs in at an address, and with which password.
    ///
    /// The user is the address's, else that of `usual`, else the operating system's. The password
    /// comes from where the address says, else from `usual`.
    ///
    /// # Errors
    /// `AccessDenied` when the environment variable is not set, or a file cannot be read;
    /// `NotPermitted` when the password may not be sent to that server.
    pub fn find(
        address: &ServerAddress,
        usual: UsualLogin,
        environment: &LoginEnvironment<'_>,
    ) -> Result<Self, Failure> {
        let (password, origin) = find_password(address, &usual, environment)?;
        let (user, assumed) = if let Some(user) = address.user.clone() {
            (user, None)
        } else if let Some(user) = usual.user {
            (user, Some("whom an option file names"))
        } else {
            let user = system_user(environment).ok_or_else(|| no_user(address))?;
            (user, Some("who runs weighin"))
        };
        let may_reveal = environment.rules.may_reveal(address);
        Ok(Self { user, password: Secret(password), origin, assumed, may_reveal })
    }

    /// The same for a system whose clients name no user as a rule, which is empty then, and whose
    /// protocol shows the password to whoever answers.
    ///
    /// # Errors
    /// As [`Self::find`]; `Tls` when there is a password and the server is not verified.
    pub fn find_for_cleartext(
        address: &ServerAddress,
        usual: &UsualLogin,
        environment: &LoginEnvironment<'_>,
    ) -> Result<Self, Failure> {
        let (password, origin) = find_password(address, usual, environment)?;
        let user = address.user.clone().unwrap_or_default();
        let may_reveal = environment.rules.may_reveal(address);
        if !password.is_empty() && !may_reveal {
            return Err(revealed(&address.endpoint, &origin));
        }
        Ok(Self { user, password: Secret(password), origin, assumed: None, may_reveal })
    }
}

/// That the protocol would show a password on the way, or to whoever answers.
fn revealed(endpoint: &Endpoint, origin: &str) -> Failure {
    Failure::new(
        FailureKind::Tls,
        format!(
            "{origin} would go as it is to {endpoint}, which is not verified: whoever answers there, \
             or is in between, could read it"
        ),
        "set tls = \"verified\", with tls_ca where the certificate is not a public one; where nobody \
         can be in between, add --allow-cleartext to the command",
    )
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
pub fn refusal(file: &str, why: &Unreadable, remedy: &str) -> Failure {
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

/// The token or seed for a broker, from where that says.
///
/// # Errors
/// `AccessDenied` when the environment variable is not set, the file cannot be read or others may read
/// it, or there is nothing in either.
pub fn resolve_token(
    broker: &Broker,
    environment: &LoginEnvironment<'_>,
) -> Result<Secret, Failure> {
    let what = broker.proof.word();
    let (token, origin) = match &broker.token {
        PasswordSource::Environment(name) => (
            from_environment(what, name, &broker.address, environment)?,
            format!("the environment variable {name}"),
        ),
        PasswordSource::File(path) => {
            let token = from_file(what, path, &broker.address, environment)?;
            (token, format!("the file {}", path.display()))
        }
        _ => (Vec::new(), "the command line".to_owned()),
    };
    if token.is_empty() || !token.iter().all(u8::is_ascii_graphic) {
        return Err(Failure::new(
            FailureKind::AccessDenied,
            format!("{origin} gives no {what} for the broker {}", broker.address),
            match broker.proof {
                BrokerProof::Token => {
                    "put the token there that nats-server has under authorization: printable \
                     characters without spaces"
                }
                BrokerProof::Seed => "weighin seed FILE makes one",
            },
        ));
    }
    Ok(Secret(token))
}

pub(super) fn from_environment(
    what: &str,
    name: &str,
    server: &dyn Display,
    environment: &LoginEnvironment<'_>,
) -> Result<Vec<u8>, Failure> {
    environment.rules.check_named(what, name, server)?;
    // A name that cannot be a variable's makes the lookup panic on some systems.
    let value = match name {
        "" => None,
        name if name.contains(['=', '\0']) => None,
        name => (environment.variable)(name),
    };
    let value = value.map(OsString::into_vec).ok_or_else(|| {
        Failure::new(
            FailureKind::AccessDenied,
            format!(
                "the environment variable {name}, which is to hold the {what} for {server}, is not set"
            ),
            format!("set and export {name} in the shell that runs weighin"),
        )
    })?;
    one_line(&value, &format!("the {what} in the environment variable {name}"))
}

pub(super) fn from_file(
    what: &str,
    path: &Path,
    server: &dyn Display,
    environment: &LoginEnvironment<'_>,
) -> Result<Vec<u8>, Failure> {
    let sudo_uid = (environment.variable)("SUDO_UID").and_then(|uid| uid.into_string().ok());
    let opened = environment.rules.open(what, path, server)?;
    let content = opened.map_err(Unreadable::from).and_then(|opened: Opened| {
        read_private(&opened, Owners::of_this_process(sudo_uid.as_deref())?)
    });
    let content = content.map_err(|why| {
        refusal(
            &format!("the {what} file {}", environment.rules.path_of(path).display()),
            &why,
            &format!("create it with the {what} on one line, readable by this user only"),
        )
    })?;
    one_line(&content, &format!("the {what} file {}", path.display()))
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

/// The user's login name: from the environment, or from the list of users, since services and
/// containers often have an empty environment.
fn system_user(environment: &LoginEnvironment<'_>) -> Option<String> {
    let from_environment = ["USER", "LOGNAME"]
        .iter()
        .filter_map(|name| (environment.variable)(name)?.into_string().ok())
        .find(|name| !name.is_empty());
    from_environment.or_else(|| {
        let uid = std::fs::metadata("/proc/self").ok()?.uid();
        user_with_id(&std::fs::read_to_string("/etc/passwd").ok()?, uid)
    })
}

pub(super) fn user_with_id(passwd: &str, uid: u32) -> Option<String> {
    let uid = uid.to_string();
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == uid).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_number() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\nbroken\nbench:x:1000:1000::/home:/bin/sh\n";
        assert_eq!(user_with_id(passwd, 1000).as_deref(), Some("bench"));
        assert_eq!(user_with_id(passwd, 7), None);
    }
}
