//! Provisioned servers: the `instance` of a target, and what its `up` says.

use crate::keys::key::{Key, Length};
use crate::keys::{InstanceTable, Maybe, PriceTable, TargetTable};
use crate::problem::secret::is_secret_key;
use crate::problem::{Place as PlaceInFile, Problems};
use crate::read::command::{THIS_HOST, check_command};
use crate::read::hosts::destination::is_destination;
use crate::read::price;
use crate::text::url::{UrlError, read_url};
use model::{
    Endpoint, HostInstance, InstancePer, InstanceSpec, Place, ServerAddress, SshHost, Study,
    System, Target, Test, Tls, Transport, text,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;
use toml::Spanned;

/// The longest `time_limit`.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// Labels that `up` may give, and characters that each name and value may have.
const MOST_LABELS: usize = 32;
const LONGEST_LABEL: usize = 200;

/// The instance of a target, where it has one.
pub(crate) fn instance_of_target(
    table: &mut TargetTable,
    problems: &mut Problems,
) -> Option<InstanceSpec> {
    let written = table.instance.take()?;
    let at = written.span();
    let is_storage = table.kind.as_ref().is_some_and(|kind| kind.get_ref() == "storage");
    if table.sandbox.is_some() || is_storage {
        problems
            .add(at.clone(), "an `instance` is a server that is reached over a network")
            .help("remove it: private servers and volumes are on the machine that weighin runs on");
    }
    instance(written.get_ref(), &at, problems)
}

/// The instance of a machine that targets are on, or that makes load: it is there for the whole study.
pub(crate) fn instance_of_host(
    written: &Spanned<InstanceTable>,
    name: &str,
    price: Option<Spanned<PriceTable>>,
    problems: &mut Problems,
) -> Option<HostInstance> {
    let price = price.and_then(|price| price::price(price, problems));
    let spec = instance(written.get_ref(), &written.span(), problems)?;
    if spec.per != InstancePer::Study {
        let at = written.get_ref().per.place().unwrap_or(written.span());
        problems
            .add(at, "the instance of a machine exists for the whole study")
            .help("leave out `per`; only the instance of a target may exist for one repeat");
    }
    Some(HostInstance { name: name.to_owned(), spec, price })
}

/// Notes the price of a machine that is there anyway.
pub(crate) fn refuse_price(price: &Maybe<PriceTable>, problems: &mut Problems) {
    if let Some(price) = price {
        problems
            .add(price.span(), "`price` applies only to a machine with an `instance`")
            .help("give the price to a target, or remove it");
    }
}

fn instance(
    wire: &InstanceTable,
    at: &PlaceInFile,
    problems: &mut Problems,
) -> Option<InstanceSpec> {
    let trusted = wire.trusted.value();
    let mut command = |key: &str, written: &Maybe<Vec<String>>| {
        let Some(command) = written else {
            let help = format!("add {key} = [\"./{key}.sh\"]");
            problems.missing(at.clone(), format!("this instance has no `{key}`"), help);
            return None;
        };
        check_command(key, command, trusted, THIS_HOST, problems);
        Some(command.get_ref().clone())
    };
    let (up, down) = (command("up", &wire.up), command("down", &wire.down));
    let per = wire.per.value("per", problems)?;
    let time_limit = time_limit(&wire.time_limit, problems);
    let environment = wire.environment.as_ref().map(Spanned::get_ref);
    let environment = environment.into_iter().flatten();
    let environment = environment.filter_map(|name| variable(name, problems)).collect();
    let (up, down) = (up?, down?);
    Some(InstanceSpec { up, down, per, time_limit, environment })
}

/// Notes a provisioned machine that is called as a target is, or as another such machine:
/// results tell instances apart by these names.
pub(crate) fn refuse_names(instances: &[HostInstance], study: &Study, problems: &mut Problems) {
    for (place, HostInstance { name, .. }) in instances.iter().enumerate() {
        let is_taken = study.measured().any(|target| target.name == *name)
            || instances.iter().take(place).any(|other| other.name == *name);
        if is_taken {
            problems
                .add(
                    0..0,
                    format!("two instances, or an instance and a target, are named `{name}`"),
                )
                .help("give the machine another name");
        }
    }
}

/// How long each of two commands may take.
pub(crate) fn time_limit<const SECONDS: u64>(
    key: &Key<Length<SECONDS>>,
    problems: &mut Problems,
) -> Duration {
    let limit = key.value("time_limit", problems);
    if let (Some(at), false) = (key.place(), (Duration::from_secs(1)..=LONGEST).contains(&limit)) {
        problems.add(at, "`time_limit` must be from 1s to 24h");
    }
    limit
}

fn variable(written: &Spanned<String>, problems: &mut Problems) -> Option<String> {
    let name = written.get_ref();
    let possible = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !possible {
        problems
            .add(written.span(), "`environment` has names of environment variables")
            .help("put the value into a variable, and the variable's name here")
            .secret(); // what stands there may be a secret itself
    }
    possible.then(|| name.clone())
}

/// What `up` of a target's instance said.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceOutput {
    /// The target as it is now: with an address.
    pub target: Target,
    pub labels: BTreeMap<String, String>,
}

/// Why what `up` printed is of no use. Never holds what it printed but for names of keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutputError {
    #[error(
        "it printed no JSON object on standard output (line {line}, column {column}: {reason})"
    )]
    NotJson { line: usize, column: usize, reason: &'static str },
    #[error("`{key}` must be {what}")]
    Kind { key: String, what: &'static str },
    #[error("`url`: {0}")]
    Url(UrlError),
    #[error("`url` is that of another kind of server than the study says")]
    System,
    #[error("it says no `url`, and the study has none")]
    NoUrl,
    #[error("it says no `ssh`")]
    NoSsh,
    #[error("`ssh` must be a destination of the program ssh, such as user@host")]
    Ssh,
    #[error("the output `{0}` is sensitive, and results keep it")]
    Sensitive(String),
    #[error("the label `{0}` would be shown in reports: it must not contain a secret")]
    Secret(String),
    #[error("`labels` has more than {MOST_LABELS}, or one of more than {LONGEST_LABEL} characters")]
    Labels,
    #[error("load hosts do not reach it: it is {0}")]
    OnlyHere(&'static str),
    #[error("its machine is the load host {0}")]
    LoadHost(String),
}

impl OutputError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NotJson { .. } => {
                "have `up` print all else to standard error: command >&2".into()
            }
            Self::Url(UrlError::Password(_)) => {
                "leave the password out of the URL: have `up` write it \
                                              to the file that `password_file` of the target names"
                    .into()
            }
            Self::NoUrl => format!(
                "have `up` print {{\"url\": \"{}\"}}, or give the target a `url`",
                System::default().url_example()
            ),
            Self::System => "set `kind` of the target".into(),
            Self::NoSsh => "have `up` print {\"ssh\": \"user@host\"}".into(),
            _ => "correct what `up` prints".into(),
        }
    }
}

/// Reads what `up` of a target's instance printed: a JSON object with any of `url`, `ssh` and
/// `labels`. A value may stand by itself or, as OpenTofu prints its outputs, in an object with the key
/// `value`. Other keys are passed over, and kept nowhere.
///
/// # Errors
/// When it is something else, or the target could not be measured there.
pub fn instance_output(
    study: &Study,
    target: &Target,
    output: &str,
) -> Result<InstanceOutput, OutputError> {
    let keys = object(output)?;
    let text = |key: &str| text_of(&keys, key);
    let mut told = target.clone();
    let Place::Server(spec) = &mut told.place else { return Err(OutputError::NoUrl) };
    if let Some(url) = text("url")? {
        let (system, address) =
            read_url(url, spec.address.tls != Tls::Off).map_err(OutputError::Url)?;
        if system != target.system {
            return Err(OutputError::System);
        }
        let ServerAddress { endpoint, user, database, tls, auth, .. } = address;
        let tls = if tls == Tls::Off { spec.address.tls.clone() } else { tls };
        spec.address =
            ServerAddress { endpoint, user, database, tls, auth, ..spec.address.clone() };
    }
    if spec.address.endpoint == Endpoint::NotUp {
        return Err(OutputError::NoUrl);
    }
    if let Some(ssh) = text("ssh")? {
        if !is_destination(ssh) {
            return Err(OutputError::Ssh);
        }
        // Results call the machine as the study does, whichever it is this time.
        let name = spec.host.as_ref().map_or(ssh, |host| host.name.as_str());
        spec.host = Some(SshHost { name: name.to_owned(), destination: ssh.to_owned() });
    }
    let host = spec.host.clone();
    let loads = study.tests.iter().filter_map(Test::load);
    for load_host in loads.flat_map(|load| load.load_hosts(target)) {
        if let Some(reason) = only_here(&told) {
            return Err(OutputError::OnlyHere(reason));
        }
        if host
            .as_ref()
            .is_some_and(|host| load_host.transport == Transport::Ssh(host.destination.clone()))
        {
            return Err(OutputError::LoadHost(load_host.name.clone()));
        }
    }
    let labels = labels(value(&keys, "labels")?)?;
    Ok(InstanceOutput { target: told, labels })
}

/// What `up` of a machine's instance printed: a JSON object with `ssh`, and perhaps `labels`.
///
/// # Errors
/// When it is something else.
pub fn host_output(output: &str) -> Result<(String, BTreeMap<String, String>), OutputError> {
    let keys = object(output)?;
    let ssh = text_of(&keys, "ssh")?.ok_or(OutputError::NoSsh)?;
    if !is_destination(ssh) {
        return Err(OutputError::Ssh);
    }
    Ok((ssh.to_owned(), labels(value(&keys, "labels")?)?))
}

fn object(output: &str) -> Result<Map<String, Value>, OutputError> {
    let output = match output.trim() {
        "" => "{}",
        some => some,
    };
    serde_json::from_str(output).map_err(|error| {
        let reason = match error.classify() {
            serde_json::error::Category::Eof => "it ends early",
            serde_json::error::Category::Data => "it is something else",
            _ => "it is no JSON",
        };
        OutputError::NotJson { line: error.line(), column: error.column(), reason }
    })
}

fn text_of<'a>(keys: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, OutputError> {
    match value(keys, key)? {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(OutputError::Kind { key: key.to_owned(), what: "a text" }),
    }
}

/// The value of a key, which stands by itself or, as an output of OpenTofu, in an object.
///
/// # Errors
/// When it is said to be sensitive: results would keep it.
fn value<'a>(keys: &'a Map<String, Value>, key: &str) -> Result<Option<&'a Value>, OutputError> {
    let Some(written) = keys.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
    let output = written.as_object().filter(|object| object.contains_key("sensitive"));
    match output {
        None => Ok(Some(written)),
        Some(output) if output.get("sensitive") == Some(&Value::Bool(false)) => {
            Ok(output.get("value").filter(|value| !value.is_null()))
        }
        Some(_) => Err(OutputError::Sensitive(key.to_owned())),
    }
}

fn labels(written: Option<&Value>) -> Result<BTreeMap<String, String>, OutputError> {
    let what = "an object of texts, numbers or truth values";
    let wrong = || OutputError::Kind { key: "labels".to_owned(), what };
    let written = match written {
        None => return Ok(BTreeMap::new()),
        Some(written) => written.as_object().ok_or_else(wrong)?,
    };
    let is_long = |text: &str| text.chars().count() > LONGEST_LABEL;
    if written.len() > MOST_LABELS || written.keys().any(|key| is_long(key)) {
        return Err(OutputError::Labels);
    }
    let one = |(key, value): (&String, &Value)| {
        if is_secret_key(key) {
            return Err(OutputError::Secret(text::excerpt(key, LONGEST_LABEL).to_string()));
        }
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            _ => return Err(wrong()),
        };
        if is_long(&value) || crate::text::url::may_hold_password(&value) {
            return Err(OutputError::Labels);
        }
        Ok((key.clone(), value))
    };
    written.iter().map(one).collect()
}

/// Why a target is reached from the machine alone that weighin runs on; `None` where it may be reached
/// from elsewhere.
pub(crate) fn only_here(target: &Target) -> Option<&'static str> {
    match &target.place {
        Place::Sandbox(spec) if spec.host.is_some() => None,
        Place::Sandbox(_) => Some("a private server, which others do not reach"),
        // Whose load the machines make that have them.
        Place::Storage(_) => None,
        Place::Imported => None,
        Place::Server(spec) => match &spec.address.endpoint {
            Endpoint::NotUp => None,
            Endpoint::Socket(_) => Some("a socket of the machine that weighin runs on"),
            Endpoint::Tcp { host, .. } => {
                let is_loopback = host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
                (is_loopback || host == "localhost")
                    .then_some("an address of the machine that weighin runs on")
            }
        },
    }
}
