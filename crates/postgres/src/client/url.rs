//! URLs as libpq completes them: what one leaves open comes from a service, then from the environment.

use super::service::{self, Service};
use model::Endpoint;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::net::Ipv6Addr;
use std::path::Path;
use system::client::Variable;

/// The directory of the socket that libpq takes where no host is named.
const SOCKET_DIRECTORY: &str = "/var/run/postgresql";
const PORT: u16 = 5432;
const AS_IT_IS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What libpq would be strict about, and weighin is not.
const NOT_HAD: [(&str, &str); 3] =
    [("PGREQUIREPEER", ""), ("PGCHANNELBINDING", "prefer"), ("PGTARGETSESSIONATTRS", "any")];

/// What may stand in a URL, by libpq's names, and the variable of each.
const KEYS: [(&str, &str); 7] = [
    ("host", "PGHOST"),
    ("port", "PGPORT"),
    ("user", "PGUSER"),
    ("dbname", "PGDATABASE"),
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("require_auth", "PGREQUIREAUTH"),
];

/// The parts of a URL, decoded, and what it says besides.
#[derive(Debug, Default)]
struct Written<'a> {
    scheme: &'a str,
    values: Vec<(&'static str, String)>,
    service: Option<String>,
    /// As it stands.
    others: Vec<&'a str>,
}

impl<'a> Written<'a> {
    /// `None` of what no URL of libpq's is: what is wrong with it is told by whoever reads it.
    fn read(url: &'a str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let (location, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = location.split_once('/').unwrap_or((location, ""));
        let (user, host_port) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (host, port) = match host_port.strip_prefix('[') {
            Some(bracketed) => {
                let (address, port) = bracketed.split_once(']')?;
                address.parse::<Ipv6Addr>().ok()?;
                (address, port)
            }
            None => host_port.split_at(host_port.find(':').unwrap_or(host_port.len())),
        };
        let port = match port.strip_prefix(':') {
            None | Some("") if !port.is_empty() => return None,
            port => port.unwrap_or_default(),
        };
        if database.contains(['/', '#']) {
            return None;
        }
        let mut written = Self { scheme, ..Self::default() };
        for (key, value) in [("user", user), ("host", host), ("port", port), ("dbname", database)] {
            written.put(key, decoded(value)?);
        }
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let Some((name, value)) = parameter.split_once('=') else {
                written.others.push(parameter);
                continue;
            };
            match KEYS.iter().find(|(key, _)| *key == name) {
                _ if name == "service" => written.service = Some(decoded(value)?),
                Some((key, _)) if written.get(key).is_none() => written.put(key, decoded(value)?),
                _ => written.others.push(parameter),
            }
        }
        Some(written)
    }

    fn put(&mut self, key: &'static str, value: String) {
        if !value.is_empty() {
            self.values.push((key, value));
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.values.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }

    fn has_socket(&self) -> bool {
        self.others.iter().any(|other| other.starts_with("socket="))
    }

    fn url(&self) -> String {
        let encoded = |value: &str| utf8_percent_encode(value, AS_IT_IS).to_string();
        let part = |key: &str| self.get(key).unwrap_or_default();
        let mut url = format!("{}://", self.scheme);
        if let Some(user) = self.get("user") {
            url += &format!("{}@", encoded(user));
        }
        let host = part("host");
        let mut query = Vec::new();
        match host {
            directory if directory.starts_with('/') => {
                query.push(format!("host={}", encoded(host)))
            }
            address if address.contains(':') => url += &format!("[{address}]"),
            name => url += &encoded(name),
        }
        if let Some(port) = self.get("port") {
            url += &format!(":{port}");
        }
        url += &format!("/{}", encoded(part("dbname")));
        for key in ["sslmode", "sslrootcert", "require_auth"] {
            query.extend(self.get(key).map(|value| format!("{key}={}", encoded(value))));
        }
        query.extend(self.service.as_deref().map(|name| format!("service={}", encoded(name))));
        query.extend(self.others.iter().map(|other| (*other).to_owned()));
        if !query.is_empty() {
            url += &format!("?{}", query.join("&"));
        }
        url
    }
}

fn decoded(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

fn said(variable: Variable<'_>, name: &str) -> Option<String> {
    let value = variable(name)?.into_string().ok()?;
    Some(value).filter(|value| !value.is_empty())
}

/// A URL with what it leaves open.
///
/// # Errors
/// In words, what cannot be found, or would mean another connection than weighin makes.
pub(crate) fn completed_url(
    url: &str,
    says_tls: bool,
    variable: Variable<'_>,
) -> Result<Option<String>, String> {
    let Some(mut written) = Written::read(url) else { return Ok(None) };
    for (name, usual) in NOT_HAD {
        if said(variable, name).is_some_and(|value| value != usual) {
            return Err(format!("{name} is set, which weighin does not have: unset it"));
        }
    }
    let service = written.service.take().or_else(|| said(variable, "PGSERVICE"));
    let found = match &service {
        Some(name) => service::look_up(name, variable)?,
        None => Service::default(),
    };
    let names_host = written.get("host").is_some() || written.has_socket();
    for (key, name) in KEYS {
        let is_said = match key {
            "host" | "port" => written.has_socket(),
            "sslmode" | "sslrootcert" => says_tls,
            _ => false,
        };
        if written.get(key).is_none() && !is_said {
            let value = found.get(key).map(str::to_owned).or_else(|| said(variable, name));
            written.put(key, value.unwrap_or_default());
        }
    }
    let address = found.get("hostaddr").map(str::to_owned).or_else(|| said(variable, "PGHOSTADDR"));
    locate(&mut written, address)?;
    if written.get("dbname").is_none() {
        let user = written.get("user").map(str::to_owned);
        written.put("dbname", user.unwrap_or_default());
    }
    certificates(&mut written, url);
    if let (Some(name), Some(_)) = (service, found.get("password")) {
        if names_host && !is_of(&written, &found, variable) {
            return Err(format!(
                "the password of the service {name} is for its own host, and the URL names another: leave \
                 the host out"
            ));
        }
        written.service = Some(name);
    }
    Ok(Some(written.url()))
}

/// Where the server is, where that is still open.
fn locate(written: &mut Written<'_>, address: Option<String>) -> Result<(), String> {
    let host = written.get("host").map(str::to_owned);
    if written.has_socket() {
        return Ok(());
    }
    match (host, address) {
        (Some(hosts), _) if hosts.contains(',') && !hosts.starts_with('/') => {
            Err(format!("{hosts} are several hosts, and weighin measures one: name it"))
        }
        (Some(host), Some(address)) if host != address => Err(format!(
            "the host is {host} and its address (hostaddr) {address}: weighin takes either"
        )),
        (Some(_), _) => Ok(()),
        (None, address) => {
            written.put("host", address.unwrap_or_else(|| SOCKET_DIRECTORY.to_owned()));
            Ok(())
        }
    }
}

/// libpq checks a server's certificate wherever it knows an authority, unless nothing is encrypted.
fn certificates(written: &mut Written<'_>, url: &str) {
    let mode = written.get("sslmode").map(str::to_owned);
    let encrypts = mode.as_deref().is_some_and(|mode| mode != "disable");
    let roots = written.get("sslrootcert").map(str::to_owned);
    // What the environment says of it has no meaning then; what the URL itself says is told.
    if !encrypts && roots.as_deref() != Some("system") && !url.contains("sslrootcert=") {
        written.values.retain(|(key, _)| *key != "sslrootcert");
    }
    if encrypts && roots.is_none() {
        let usual = std::env::home_dir().map(|home| home.join(".postgresql/root.crt"));
        let usual = usual.filter(|file| file.exists()).map(|file| file.display().to_string());
        written.put("sslrootcert", usual.unwrap_or_default());
    }
}

/// The password of a service; `None` where the address is not where that service is.
///
/// # Errors
/// In words, why it cannot be had.
pub(super) fn service_of(
    name: &str,
    endpoint: &Endpoint,
    variable: Variable<'_>,
) -> Result<Option<Service>, String> {
    let service = service::look_up(name, variable)?;
    Ok((endpoint_of(&service, variable)? == *endpoint).then_some(service))
}

/// Whether what was written is where a service is.
fn is_of(written: &Written<'_>, service: &Service, variable: Variable<'_>) -> bool {
    let port = written.get("port").and_then(|port| port.parse().ok()).unwrap_or(PORT);
    let host = written.get("host").unwrap_or_default();
    !written.has_socket()
        && endpoint_of(service, variable).is_ok_and(|there| there == endpoint(host, port))
}

/// Where a service is, by itself and the environment.
fn endpoint_of(service: &Service, variable: Variable<'_>) -> Result<Endpoint, String> {
    let mut open = Written::default();
    for (key, name) in [("host", "PGHOST"), ("port", "PGPORT")] {
        let value = service.get(key).map(str::to_owned).or_else(|| said(variable, name));
        open.put(key, value.unwrap_or_default());
    }
    let address =
        service.get("hostaddr").map(str::to_owned).or_else(|| said(variable, "PGHOSTADDR"));
    locate(&mut open, address)?;
    let port = open.get("port").and_then(|port| port.parse().ok()).unwrap_or(PORT);
    Ok(endpoint(open.get("host").unwrap_or_default(), port))
}

fn endpoint(host: &str, port: u16) -> Endpoint {
    match host.starts_with('/') {
        true => Endpoint::Socket(Path::new(host).join(format!(".s.PGSQL.{port}"))),
        false => Endpoint::Tcp { host: host.to_owned(), port },
    }
}
