use crate::problem::{Notation, Problems};
use model::system::{
    DatabaseFacts, QueryFacts, SchemeAlias, UNSUPPORTED_SCHEMES, UrlFacts, UrlTls, UsualPassword,
    listed,
};
use model::{AuthMethods, Endpoint, PasswordSource, ServerAddress, ServerKey, System, Tls};
use percent_encoding::percent_decode_str;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The database of a system that numbers them, unless a client selects another.
const FIRST_DATABASE: &str = "0";

/// Why a URL is refused. Never holds text from the URL that could be a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("a server URL begins with {}", schemes())]
    Scheme,
    /// Of servers that are measured, by a scheme of others.
    #[error("{}", other_scheme(.0, .1))]
    Alias(&'static UrlFacts, &'static SchemeAlias),
    /// Of a server that weighin does not measure.
    #[error("weighin does not support {0} in this version: it measures {products}", products = products())]
    Unsupported(&'static str),
    /// The URL holds a password, where others could read it.
    #[error("the URL holds a password")]
    Password(&'static UrlFacts),
    /// Neither a host nor a socket.
    #[error("the URL names no host: write it before the first /, or add ?socket=/path")]
    Host,
    /// Not a number from 1 to 65535.
    #[error("the port in the URL must be a number from 1 to 65535")]
    Port,
    /// No database, or more than one path segment.
    #[error("the URL must name one database after the host, as in {}://user@host/sbtest", .0.scheme())]
    Database(&'static UrlFacts),
    /// Not a number.
    #[error("the database of such a server is a number, as in {}://host:{}/0", .0.scheme(), .0.default_port)]
    DatabaseNumber(&'static UrlFacts),
    /// Something after `?` that is not `socket`.
    #[error("the only parameter that a server URL takes is ?socket=/absolute/path")]
    Parameter,
    /// Something after `?` that such a server's URL does not have.
    #[error("the parameters after ? are {}, each at most once, separated by &", parameters(.0))]
    Query(&'static QueryFacts),
    /// A word that says nothing of encryption, or not with what else stands there.
    #[error("{} is {}", .0.tls, listed(.0.tls_words.iter().map(|(word, _)| *word), "or"))]
    TlsWord(&'static QueryFacts, Option<&'static str>),
    /// No list of methods.
    #[error("{0}")]
    AuthMethods(String),
    /// What it leaves open is not found.
    #[error("what this URL leaves open cannot be taken from where clients find it: {0}")]
    Usual(String),
    /// A `%` that does not begin the code of a character.
    #[error("the URL has a percent code that is not UTF-8 text: write a literal % as %25")]
    Encoding,
}

fn schemes() -> String {
    let schemes = System::urls().flat_map(|(url, _)| url.schemes);
    let schemes: Vec<_> = schemes.map(|scheme| format!("{scheme}://")).collect();
    listed(schemes.iter().map(String::as_str), "or")
}

fn parameters(query: &QueryFacts) -> String {
    listed(["socket", query.host, query.tls, query.certificates, query.service, query.auth], "and")
}

fn products() -> String {
    listed(System::KNOWN.iter().flat_map(|system| system.facts().products).copied(), "and")
}

fn other_scheme(url: &UrlFacts, alias: &SchemeAlias) -> String {
    let scheme = url.scheme();
    match alias.servers {
        None => format!("encryption is not asked for with {}://", alias.scheme),
        Some(servers) if alias.encrypted => format!(
            "weighin speaks to {servers} by {scheme}://, and encryption is not asked for in the URL"
        ),
        Some(servers) => format!("weighin speaks to {servers} by {scheme}://"),
    }
}

impl UrlError {
    /// Notes it as a problem of what stands there, with the way to fix it.
    pub(crate) fn note(&self, at: Range<usize>, problems: &mut Problems) {
        let help = self.help(problems.notation);
        let problem = problems.add(at, self.to_string());
        if let Some(help) = help {
            problem.help(help);
        }
    }

    /// How to correct it, where the error itself does not say so.
    pub(crate) fn help(&self, notation: Notation) -> Option<String> {
        match self {
            Self::Scheme => {
                let examples = System::urls().map(|(url, _)| url.example);
                Some(format!("write it like {}", listed(examples, "or")))
            }
            Self::Alias(url, alias) if alias.encrypted => Some(format!(
                "write {}://host, and {}",
                url.scheme(),
                notation.setting("tls", "\"verified\"")
            )),
            Self::TlsWord(_, help) => help.map(str::to_owned),
            Self::Alias(url, _) => Some(format!("write it like {}", url.example)),
            Self::Password(url) => Some(format!(
                "leave it out and use {}, {} or {}",
                notation.key("password_env"),
                notation.key("password_file"),
                match url.usual_password {
                    UsualPassword::Variable(name) => format!("the variable {name}"),
                    UsualPassword::OptionFile(path) => path.to_owned(),
                }
            )),
            _ => None,
        }
    }
}

/// Completes a URL by what the clients of such a server find elsewhere: in the environment, and in files
/// of the user. `None` where there is nothing to add; whether encryption is said elsewhere too is given.
pub type Completion = fn(&str, bool) -> Result<Option<String>, String>;

static COMPLETION: OnceLock<Completion> = OnceLock::new();

/// Says how URLs are completed. A program calls it once, before anything else; without it URLs stand for
/// themselves.
pub fn complete_urls_by(completion: Completion) {
    let _ = COMPLETION.set(completion);
}

/// Reads the URL of a study or a command line; `says_tls` where encryption is said beside it.
///
/// # Errors
/// As [`parse_url`], and where what it leaves open is not found.
pub(crate) fn read_url(text: &str, says_tls: bool) -> Result<(System, ServerAddress), UrlError> {
    let completed = match COMPLETION.get() {
        Some(complete) if !may_hold_password(text) => complete(text, says_tls),
        _ => Ok(None),
    };
    parse_url(completed.map_err(UrlError::Usual)?.as_deref().unwrap_or(text))
}

/// The system that a scheme names, with how its servers are addressed.
fn of_scheme(scheme: &str) -> Result<(&'static UrlFacts, System), UrlError> {
    if let Some(found) = System::urls().find(|(url, _)| url.schemes.contains(&scheme)) {
        return Ok(found);
    }
    for (url, _) in System::urls() {
        if let Some(alias) = url.aliases.iter().find(|alias| alias.scheme == scheme) {
            return Err(UrlError::Alias(url, alias));
        }
    }
    let unsupported = UNSUPPORTED_SCHEMES.iter().find(|(other, _)| *other == scheme);
    Err(unsupported.map_or(UrlError::Scheme, |(_, server)| UrlError::Unsupported(server)))
}

/// Reads the address of a server and which system it is: `scheme://user@host:port/database`.
///
/// User, host, port, the number of a database and a parameter `?socket=/path` are optional, a host in
/// IPv6 form is put in brackets, and special characters are percent-encoded. Some servers have further
/// parameters. The password is taken from the usual place, and TLS is off where the URL does not say
/// otherwise: callers set them as they see fit.
///
/// # Errors
/// When the text is no such URL or holds a password.
pub fn parse_url(text: &str) -> Result<(System, ServerAddress), UrlError> {
    let (scheme, rest) = text.split_once("://").ok_or(UrlError::Scheme)?;
    let (url, system) = of_scheme(scheme)?;
    if holds_password(rest) {
        return Err(UrlError::Password(url));
    }
    let (location, query) = match rest.split_once('?') {
        Some((location, query)) => (location, Some(query)),
        None => (rest, None),
    };
    let (authority, database) = match url.database {
        DatabaseFacts::Number => {
            numbered_database(location).ok_or(UrlError::DatabaseNumber(url))?
        }
        DatabaseFacts::Name => named_database(location).ok_or(UrlError::Database(url))?,
    };
    let (user, host_port) = match authority.rsplit_once('@') {
        Some((user, host_port)) => (Some(decode(user)?), host_port),
        None => (None, authority),
    };
    let said = match (query, url.query) {
        (Some(query), Some(facts)) => UrlOptions::read(query, facts)?,
        (Some(query), None) => UrlOptions { socket: Some(socket(query)?), ..UrlOptions::default() },
        (None, _) => UrlOptions::default(),
    };
    let endpoint = said.endpoint(host_port, url)?;
    let address = ServerAddress {
        endpoint,
        user: user.filter(|user| !user.is_empty()),
        database: decode(database)?,
        password: said.service.map_or(PasswordSource::OptionFile, PasswordSource::Service),
        tls: said.tls,
        compression: false,
        server_key: ServerKey::default(),
        auth: said.auth.unwrap_or_default(),
    };
    Ok((system, address))
}

/// User and host, and the name of a database.
fn named_database(location: &str) -> Option<(&str, &str)> {
    let (authority, database) = location.split_once('/')?;
    (!database.is_empty() && !database.contains(['/', '#'])).then_some((authority, database))
}

/// User and host, and the number of a database, the first where none stands there.
fn numbered_database(location: &str) -> Option<(&str, &str)> {
    let (authority, number) = location.split_once('/').unwrap_or((location, ""));
    let database = if number.is_empty() { FIRST_DATABASE } else { number };
    // The server counts them with an int.
    let is_number = database.bytes().all(|b| b.is_ascii_digit()) && database.parse::<i32>().is_ok();
    is_number.then_some((authority, database))
}

pub(crate) fn host_and_port(text: &str, default_port: u16) -> Result<Endpoint, UrlError> {
    let (host, port) = if let Some(rest) = text.strip_prefix('[') {
        let (host, rest) = rest.split_once(']').ok_or(UrlError::Host)?;
        host.parse::<std::net::Ipv6Addr>().map_err(|_| UrlError::Host)?;
        match rest.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            None if rest.is_empty() => (host, None),
            None => return Err(UrlError::Port),
        }
    } else {
        match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        }
    };
    let host = decode(host)?;
    if host.is_empty() || host.contains(char::is_whitespace) {
        return Err(UrlError::Host);
    }
    let port = match port {
        None => default_port,
        Some(port) => match port.parse() {
            Ok(port) if port > 0 => port,
            _ => return Err(UrlError::Port),
        },
    };
    Ok(Endpoint::Tcp { host, port })
}

/// What stands after `?`.
struct UrlOptions {
    socket: Option<PathBuf>,
    host: Option<String>,
    service: Option<String>,
    auth: Option<AuthMethods>,
    tls: Tls,
}

impl Default for UrlOptions {
    fn default() -> Self {
        Self { socket: None, host: None, service: None, auth: None, tls: Tls::Off }
    }
}

impl UrlOptions {
    fn read(query: &str, facts: &'static QueryFacts) -> Result<Self, UrlError> {
        let mut said = Self::default();
        let (mut tls, mut certificates) = (None, None);
        for parameter in query.split('&') {
            let (name, value) = parameter.split_once('=').ok_or(UrlError::Query(facts))?;
            let value = decode(value)?;
            let twice = if name == "socket" {
                let path = Some(PathBuf::from(&value)).filter(|path| path.is_absolute());
                said.socket.replace(path.ok_or(UrlError::Query(facts))?).is_some()
            } else if name == facts.host {
                said.host.replace(value).is_some()
            } else if name == facts.tls {
                let found = facts.tls_words.iter().find(|(word, _)| *word == value);
                let (_, meant) = found.ok_or(UrlError::TlsWord(facts, None))?;
                tls.replace(*meant).is_some()
            } else if name == facts.certificates {
                let path = Some(value).filter(|path| !path.contains(char::is_control));
                certificates.replace(path.ok_or(UrlError::Query(facts))?).is_some()
            } else if name == facts.service {
                said.service.replace(value).is_some()
            } else if name == facts.auth {
                let methods = AuthMethods::parse(&value).map_err(UrlError::AuthMethods)?;
                said.auth.replace(methods).is_some()
            } else {
                true
            };
            if twice {
                return Err(UrlError::Query(facts));
            }
        }
        let of_system = certificates.as_deref() == Some(facts.usual_certificates);
        let certificates = certificates.map(PathBuf::from);
        let why = |help| Err(UrlError::TlsWord(facts, Some(help)));
        said.tls = match (tls, certificates) {
            (None | Some(UrlTls::Verified), Some(_)) if of_system => Tls::Verified(None),
            (Some(_), Some(_)) if of_system => return why(SYSTEM_CERTIFICATES),
            (Some(UrlTls::Verified), certificates) => Tls::Verified(certificates),
            (Some(UrlTls::Chain) | Some(UrlTls::Unverified), Some(file)) => Tls::Chain(file),
            (Some(UrlTls::Chain), None) => return why(NO_CERTIFICATES),
            (Some(UrlTls::Unverified), None) => Tls::Unverified,
            (Some(UrlTls::Allowed), certificates) => Tls::Allowed(certificates),
            (Some(UrlTls::Preferred), certificates) => Tls::Preferred(certificates),
            // It would be said and not used.
            (Some(UrlTls::Off) | None, Some(_)) => return why(UNUSED_CERTIFICATES),
            (Some(UrlTls::Off) | None, None) => Tls::Off,
        };
        Ok(said)
    }

    fn endpoint(&self, host_port: &str, url: &UrlFacts) -> Result<Endpoint, UrlError> {
        if let Some(socket) = &self.socket {
            // A host beside a socket has no meaning; its form is checked all the same.
            if !host_port.is_empty() {
                host_and_port(host_port, url.default_port)?;
            }
            return Ok(Endpoint::Socket(socket.clone()));
        }
        let (Some(host), Some(facts)) = (&self.host, url.query) else {
            return host_and_port(host_port, url.default_port);
        };
        // The port may stand in its usual place.
        let named = if host_port.starts_with(':') || host_port.is_empty() {
            host_and_port(&format!("localhost{host_port}"), url.default_port)?
        } else {
            return Err(UrlError::Query(facts));
        };
        let Endpoint::Tcp { port, .. } = named else { return Err(UrlError::Port) };
        match host.starts_with('/') {
            true => {
                let name = format!("{}{port}", facts.socket_name);
                Ok(Endpoint::Socket(PathBuf::from(host).join(name)))
            }
            false if host.is_empty() || host.contains(char::is_whitespace) => Err(UrlError::Host),
            false => Ok(Endpoint::Tcp { host: host.clone(), port }),
        }
    }
}

const UNUSED_CERTIFICATES: &str =
    "certificates are used only to verify the server's: write verify-full";
const SYSTEM_CERTIFICATES: &str =
    "anybody can have a certificate of the system's authorities: write verify-full, or name a file";
const NO_CERTIFICATES: &str = "name the file of the authority, sslrootcert=FILE, or write verify-full, which takes the system's";

fn socket(query: &str) -> Result<PathBuf, UrlError> {
    let path = query.strip_prefix("socket=").ok_or(UrlError::Parameter)?;
    if path.contains(['&', '#']) {
        return Err(UrlError::Parameter);
    }
    let path = PathBuf::from(decode(path)?);
    if path.is_absolute() { Ok(path) } else { Err(UrlError::Parameter) }
}

fn decode(text: &str) -> Result<String, UrlError> {
    percent_decode_str(text)
        .decode_utf8()
        .map(|decoded| decoded.into_owned())
        .map_err(|_| UrlError::Encoding)
}

/// Whether what follows `://` has the form `user:password@…`. Looks for the last `@` of all, since
/// a password that nobody encoded may hold `/` and `?`.
fn holds_password(after_scheme: &str) -> bool {
    after_scheme.rsplit_once('@').is_some_and(|(before, _)| before.contains(':'))
}

/// Whether a text has something in it that looks like a URL with a password, and so must not be
/// shown.
pub(crate) fn may_hold_password(text: &str) -> bool {
    text.match_indices("://").any(|(at, scheme)| holds_password(&text[at + scheme.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MYSQL: &UrlFacts = facts(System::Mysql);
    const REDIS: &UrlFacts = facts(System::Redis);

    const fn facts(system: System) -> &'static UrlFacts {
        system.facts().url.as_ref().unwrap()
    }

    fn parse_url(text: &str) -> Result<ServerAddress, UrlError> {
        super::parse_url(text).map(|(_, address)| address)
    }

    fn tcp(host: &str, port: u16) -> Endpoint {
        Endpoint::Tcp { host: host.into(), port }
    }

    #[test]
    fn all_parts_are_found() {
        let address = parse_url("mysql://bench@db2.internal:3307/sbtest").unwrap();
        assert_eq!(address.endpoint, tcp("db2.internal", 3307));
        assert_eq!(address.user.as_deref(), Some("bench"));
        assert_eq!(address.database, "sbtest");
        assert_eq!(address.password, PasswordSource::OptionFile);
        assert_eq!(address.tls, Tls::Off);
    }

    #[test]
    fn the_scheme_says_which_kind_of_server_it_is() {
        for (url, system, host, port, database) in [
            ("mariadb://h/db", System::Mysql, "h", 3306, "db"),
            ("postgresql://h/db", System::Postgres, "h", 5432, "db"),
            ("postgres://u@h:6432/db", System::Postgres, "h", 6432, "db"),
            ("redis://h", System::Redis, "h", 6379, "0"),
            ("redis://h/", System::Redis, "h", 6379, "0"),
            ("redis://u@h:6380/3", System::Redis, "h", 6380, "3"),
            ("redis://[::1]", System::Redis, "::1", 6379, "0"),
        ] {
            let (found, address) = super::parse_url(url).unwrap();
            assert_eq!((found, address.endpoint), (system, tcp(host, port)), "{url}");
            assert_eq!(address.database, database, "{url}");
        }
        let address = parse_url("redis://?socket=/run/redis.sock").unwrap();
        assert_eq!(address.endpoint, Endpoint::Socket("/run/redis.sock".into()));
        for url in ["redis://h/db", "redis://h/1/2", "redis://h/-1", "redis://h/99999999999"] {
            assert_eq!(parse_url(url), Err(UrlError::DatabaseNumber(REDIS)), "{url}");
        }
        for (url, message, help) in [
            ("rediss://h", "encryption is not asked for with rediss://", "\"verified\""),
            ("valkey://h/0", "weighin speaks to Valkey and KeyDB by redis://", "redis://user@host"),
            ("keydb://h", "weighin speaks to Valkey and KeyDB by redis://", "redis://user@host"),
            (
                "valkeys://h",
                "weighin speaks to Valkey by redis://, and encryption is not asked for in the URL",
                "\"verified\"",
            ),
        ] {
            let error = parse_url(url).unwrap_err();
            assert_eq!(error.to_string(), message, "{url}");
            assert!(error.help(Notation::File).unwrap().contains(help), "{url}");
        }
        assert_eq!(parse_url("redis://:secret@h"), Err(UrlError::Password(REDIS)));
    }

    #[test]
    fn user_and_port_may_be_absent() {
        let address = parse_url("mariadb://localhost/db").unwrap();
        assert_eq!((address.endpoint, address.user), (tcp("localhost", 3306), None));
    }

    #[test]
    fn ipv6_hosts_stand_in_brackets() {
        assert_eq!(parse_url("mysql://u@[::1]:3310/d").unwrap().endpoint, tcp("::1", 3310));
        assert_eq!(parse_url("mysql://u@[fe80::2]/d").unwrap().endpoint, tcp("fe80::2", 3306));
        assert_eq!(parse_url("mysql://u@[::1/d"), Err(UrlError::Host));
        assert_eq!(parse_url("mysql://u@[zz]/d"), Err(UrlError::Host));
    }

    #[test]
    fn a_socket_replaces_the_host() {
        let address = parse_url("mysql://root@/sbtest?socket=/run/my%20sql.sock").unwrap();
        assert_eq!(address.endpoint, Endpoint::Socket("/run/my sql.sock".into()));
        assert_eq!(parse_url("mysql://root@/db?socket=relative"), Err(UrlError::Parameter));
        assert_eq!(parse_url("mysql://root@/db?charset=utf8"), Err(UrlError::Parameter));
    }

    #[test]
    fn urls_of_postgresql_have_the_words_of_libpq() {
        let of = |query: &str| parse_url(&format!("postgresql://u@db:6432/shop?{query}"));
        assert_eq!(of("sslmode=disable").unwrap().tls, Tls::Off);
        assert_eq!(of("sslmode=require").unwrap().tls, Tls::Unverified);
        assert_eq!(of("sslmode=verify-full").unwrap().tls, Tls::Verified(None));
        let verified = of("sslrootcert=%2Fetc%2Fca.pem&sslmode=verify-full").unwrap();
        assert_eq!(verified.tls, Tls::Verified(Some("/etc/ca.pem".into())));
        assert_eq!(verified.endpoint, tcp("db", 6432));
        for (query, tls) in [
            ("sslmode=allow", Tls::Allowed(None)),
            ("sslmode=prefer", Tls::Preferred(None)),
            ("sslmode=prefer&sslrootcert=x", Tls::Preferred(Some("x".into()))),
            ("sslmode=require&sslrootcert=x", Tls::Chain("x".into())),
            ("sslmode=verify-ca&sslrootcert=x", Tls::Chain("x".into())),
            ("sslrootcert=system", Tls::Verified(None)),
            ("sslrootcert=system&sslmode=verify-full", Tls::Verified(None)),
        ] {
            assert_eq!(of(query).unwrap().tls, tls, "{query}");
        }
        for (query, help) in [
            ("sslmode=on", ""),
            ("sslmode=verify-ca", "sslrootcert=FILE"),
            ("sslmode=require&sslrootcert=system", "verify-full"),
            ("sslmode=disable&sslrootcert=x", "verify-full"),
            ("sslrootcert=x", "verify-full"),
        ] {
            let error = of(query).unwrap_err();
            assert!(error.to_string().starts_with("sslmode is disable, allow"), "{error}");
            assert!(error.help(Notation::File).unwrap_or_default().contains(help), "{query}");
        }
        for query in ["connect_timeout=3", "sslmode=require&sslmode=require", "sslmode"] {
            assert!(of(query).is_err(), "{query}");
        }
        let methods = AuthMethods::parse("!password").unwrap();
        assert_eq!(of("require_auth=%21password").unwrap().auth, methods);
        assert!(matches!(of("require_auth=scram"), Err(UrlError::AuthMethods(_))));
        let service = of("service=bench").unwrap();
        assert_eq!(service.password, PasswordSource::Service("bench".into()));
        let socket = |url: &str| parse_url(url).unwrap().endpoint;
        let at = |path: &str| Endpoint::Socket(path.into());
        let own = "postgresql://u@/shop?host=/run/pg";
        assert_eq!(socket(own), at("/run/pg/.s.PGSQL.5432"));
        let port = "postgresql://u@:6432/shop?host=%2Frun%2Fpg";
        assert_eq!(socket(port), at("/run/pg/.s.PGSQL.6432"));
        assert_eq!(socket("postgresql://u@/shop?host=db2"), tcp("db2", 5432));
        assert_eq!(socket("postgresql://u@/shop?socket=/x/s"), at("/x/s"));
        assert!(parse_url("postgresql://u@db/shop?host=db2").is_err());
        assert_eq!(parse_url("mysql://u@db/shop?sslmode=require"), Err(UrlError::Parameter));
    }

    #[test]
    fn percent_codes_are_decoded() {
        let address = parse_url("mysql://a%40b@h/d%2Fb").unwrap();
        assert_eq!((address.user.as_deref(), address.database.as_str()), (Some("a@b"), "d/b"));
        assert_eq!(parse_url("mysql://u@h/%ff"), Err(UrlError::Encoding));
    }

    #[test]
    fn a_password_is_refused_whatever_it_holds_and_never_shown() {
        for secret in ["hunter2", "p@ss", "p/ss", "p?ss", "p:ss", "p#ss", "[", ""] {
            let error = parse_url(&format!("mysql://u:{secret}@h/db")).unwrap_err();
            assert_eq!(error, UrlError::Password(MYSQL), "{secret}");
            assert!(error.help(Notation::File).unwrap().contains("password_env"));
        }
        assert!(may_hold_password("url = \"mysql://u:hunter2@h/db\""));
        assert!(!may_hold_password("url = \"mysql://u@h:3306/db\""));
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        for (url, error) in [
            ("", UrlError::Scheme),
            ("http://h/db", UrlError::Scheme),
            ("sqlserver://h/db", UrlError::Unsupported("SQL Server")),
            ("oracle://u:s3cret@h/db", UrlError::Unsupported("Oracle Database")),
            ("mongodb+srv://h", UrlError::Unsupported("MongoDB")),
            ("mysql://", UrlError::Database(MYSQL)),
            ("mysql://h", UrlError::Database(MYSQL)),
            ("mysql://h/", UrlError::Database(MYSQL)),
            ("mysql://h/a/b", UrlError::Database(MYSQL)),
            ("mysql:///db", UrlError::Host),
            ("mysql://u@/db", UrlError::Host),
            ("mysql://h:0/db", UrlError::Port),
            ("mysql://h:65536/db", UrlError::Port),
            ("mysql://h:/db", UrlError::Port),
            ("mysql://[::1]3306/db", UrlError::Port),
        ] {
            assert_eq!(parse_url(url), Err(error), "{url}");
        }
    }
}
