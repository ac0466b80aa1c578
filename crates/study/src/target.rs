use crate::price;
use crate::problem::Problems;
use crate::settings::settings;
use crate::url::parse_url;
use crate::validate::{name, one_of};
use crate::wire::{Maybe, SandboxTable, TargetTable};
use model::{PasswordSource, Place, SandboxSpec, ServerAddress, System, Target, Tls};
use std::path::PathBuf;
use toml::Spanned;

/// Names of server software that `kind` takes.
pub(crate) const KINDS: [&str; 2] = ["mariadb", "mysql"];
/// Values that `tls` takes.
pub(crate) const TLS_MODES: [&str; 3] = ["off", "unverified", "verified"];

/// Validates one `[[target]]`. What it returns is a target only if no problem was noted.
pub(crate) fn target(table: Spanned<TargetTable>, problems: &mut Problems) -> Option<Target> {
    let at = table.span();
    let mut table = table.into_inner();
    let name = match &table.name {
        Some(written) => name(written, "target", problems),
        None => {
            problems.missing(at.clone(), "this target has no name", "add a line like name = \"a\"");
            None
        }
    };
    one_of("kind", &table.kind, KINDS, |kind| KINDS.contains(&kind).then_some(()), problems);
    let price = table.price.take().and_then(|price| price::price(price, problems));
    let labels = std::mem::take(&mut table.labels);
    let place = match (table.sandbox.take(), table.url.take()) {
        (Some(sandbox), Some(url)) => {
            problems
                .add(url.span(), "a target has either a url or a sandbox, and this has both")
                .other(sandbox.span(), "the sandbox")
                .help("remove one of them, or make two targets");
            None
        }
        (None, None) => {
            problems.missing(
                at,
                "this target has neither a sandbox nor a url",
                "add sandbox = {} for a private server, or url = \"mysql://user@host/database\"",
            );
            None
        }
        (Some(wire), None) => {
            refuse_login(&table, problems);
            Some(Place::Sandbox(sandbox(wire.into_inner(), problems)))
        }
        (None, Some(url)) => server(&url, &table, problems).map(Place::Server),
    };
    Some(Target { name: name?, system: System::MariaDb, place: place?, price, labels })
}

/// Keys that speak of a login make no sense beside a sandbox.
fn refuse_login(table: &TargetTable, problems: &mut Problems) {
    for (key, value) in [
        ("password_env", &table.password_env),
        ("password_file", &table.password_file),
        ("tls", &table.tls),
        ("tls_ca", &table.tls_ca),
    ] {
        if let Some(value) = value {
            problems
                .add(value.span(), format!("`{key}` belongs to a url, and this is a sandbox"))
                .help(format!("remove `{key}`: weighin makes the accounts of its sandboxes"));
        }
    }
}

fn sandbox(table: SandboxTable, problems: &mut Problems) -> SandboxSpec {
    SandboxSpec {
        settings: settings(table.settings, problems),
        restart: table.restart.unwrap_or(true),
        directory: path("directory", &table.directory, problems),
    }
}

fn server(
    url: &Spanned<String>,
    table: &TargetTable,
    problems: &mut Problems,
) -> Option<ServerAddress> {
    let password = match (&table.password_env, &table.password_file) {
        (Some(variable), Some(file)) => {
            problems
                .add(file.span(), "the password has two sources")
                .other(variable.span(), "the other one")
                .help("keep either password_env or password_file");
            None
        }
        (Some(variable), None) => {
            let name = variable.get_ref();
            let possible = !name.is_empty()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !possible {
                let message = "`password_env` must be the name of an environment variable";
                problems
                    .add(variable.span(), message)
                    .help("put the password into a variable, and the variable's name here")
                    .secret(); // what stands there may be the password itself
            }
            Some(PasswordSource::Environment(name.clone()))
        }
        (None, Some(_)) => {
            path("password_file", &table.password_file, problems).map(PasswordSource::File)
        }
        (None, None) => Some(PasswordSource::OptionFile),
    };
    let tls = tls(table, problems);
    match parse_url(url.get_ref()) {
        Ok(address) => Some(ServerAddress { password: password?, tls: tls?, ..address }),
        Err(error) => {
            problems.add(url.span(), error.to_string());
            None
        }
    }
}

fn tls(table: &TargetTable, problems: &mut Problems) -> Option<Tls> {
    let certificates = path("tls_ca", &table.tls_ca, problems);
    let mode = match &table.tls {
        Some(mode) => mode.get_ref().as_str(),
        None => "off",
    };
    if let (Some(file), true) = (&table.tls_ca, mode != "verified") {
        problems
            .add(file.span(), "`tls_ca` is used only to verify the server's certificate")
            .help("add tls = \"verified\", or remove `tls_ca`");
    }
    let modes = |mode: &str| match mode {
        "off" => Some(Tls::Off),
        "unverified" => Some(Tls::Unverified),
        "verified" => Some(Tls::Verified(certificates.clone())),
        _ => None,
    };
    match &table.tls {
        Some(_) => one_of("tls", &table.tls, TLS_MODES, modes, problems),
        None => Some(Tls::Off),
    }
}

fn path(key: &str, value: &Maybe<String>, problems: &mut Problems) -> Option<PathBuf> {
    let value = value.as_ref()?;
    if value.get_ref().is_empty() || value.get_ref().contains('\0') {
        problems.add(value.span(), format!("`{key}` must be a path"));
        return None;
    }
    Some(PathBuf::from(value.get_ref()))
}
