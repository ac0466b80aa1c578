//! How to log in to a server.

use crate::keys::target::TLS_MODES;
use crate::keys::value::one_of;
use crate::keys::{Maybe, TargetTable};
use crate::problem::Problems;
use model::system::Feature;
use model::{Endpoint, PasswordSource, ServerAddress, ServerKey, System, Tls};
use std::path::PathBuf;
use toml::Spanned;

/// Where a secret comes from that a variable or a file holds; the option files where neither is named.
pub(crate) fn secret_source(
    what: &str,
    (env_key, variable): (&str, &Maybe<String>),
    (file_key, file): (&str, &Maybe<String>),
    problems: &mut Problems,
) -> Option<PasswordSource> {
    match (variable, file) {
        (Some(variable), Some(file)) => {
            let keys = [env_key, file_key].map(|key| problems.key(key));
            problems
                .add(file.span(), format!("the {what} has two sources"))
                .other(variable.span(), "the other one")
                .help(format!("keep either {}", keys.join(" or ")));
            None
        }
        (Some(variable), None) => {
            let name = variable.get_ref();
            let possible = !name.is_empty()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !possible {
                let key = problems.key(env_key);
                let message = format!("{key} must be the name of an environment variable");
                problems
                    .add(variable.span(), message)
                    .help(format!("put the {what} into a variable, and the variable's name here"))
                    .secret(); // what stands there may be the secret itself
            }
            Some(PasswordSource::Environment(name.clone()))
        }
        (None, Some(_)) => path(file_key, file, problems).map(PasswordSource::File),
        (None, None) => Some(PasswordSource::OptionFile),
    }
}

/// How to log in to a server, wherever it is.
pub(crate) fn login(
    table: &TargetTable,
    system: System,
    problems: &mut Problems,
) -> Option<ServerAddress> {
    let password = secret_source(
        "password",
        ("password_env", &table.password_env),
        ("password_file", &table.password_file),
        problems,
    );
    let tls = tls(table, problems);
    let server_key = server_key(table, system, problems)?;
    let compression = compression(table, system, problems);
    Some(ServerAddress {
        endpoint: Endpoint::NotUp,
        user: None,
        database: String::new(),
        password: password?,
        tls: tls?,
        compression,
        server_key,
        auth: model::AuthMethods::default(),
    })
}

fn compression(table: &TargetTable, system: System, problems: &mut Problems) -> bool {
    let Some(at) = table.compression.place() else { return false };
    if !system.has(Feature::Compression) {
        let key = problems.key("compression");
        problems
            .add(at, format!("only {} compress what travels", Feature::Compression.products()))
            .help(format!("leave out {key}"));
    }
    table.compression.value()
}

fn server_key(table: &TargetTable, system: System, problems: &mut Problems) -> Option<ServerKey> {
    let (file, any) = (&table.server_public_key, &table.get_server_public_key);
    let at = file.as_ref().map(Spanned::span).or(any.as_ref().map(Spanned::span));
    let keys = ["server_public_key", "get_server_public_key"].map(|key| problems.key(key));
    if let (Some(at), true) = (at, !system.has(Feature::PasswordKeys)) {
        problems
            .add(
                at,
                format!("only {} has public keys for passwords", Feature::PasswordKeys.products()),
            )
            .help(format!("leave out {}", keys.join(" and ")));
        return None;
    }
    match (file, any.as_ref().map(Spanned::get_ref)) {
        (Some(file), Some(true)) => {
            problems
                .add(file.span(), "one key is trusted, and any key is")
                .help(format!("keep either {}", keys.join(" or ")));
            None
        }
        (Some(_), _) => path("server_public_key", file, problems).map(ServerKey::Pinned),
        (None, Some(true)) => Some(ServerKey::Request),
        (None, Some(false)) => Some(ServerKey::Refuse),
        (None, None) => Some(ServerKey::OptionFile),
    }
}

fn tls(table: &TargetTable, problems: &mut Problems) -> Option<Tls> {
    let certificates = path("tls_ca", &table.tls_ca, problems);
    let mode = match &table.tls {
        Some(mode) => mode.get_ref().as_str(),
        None => "off",
    };
    if let (Some(file), true) = (&table.tls_ca, mode != "verified") {
        let notation = problems.notation;
        let key = notation.key("tls_ca");
        problems
            .add(file.span(), format!("{key} is used only to verify the server's certificate"))
            .help(format!("add {}, or leave {key} out", notation.setting("tls", "\"verified\"")));
    }
    let [off, unverified, verified] = TLS_MODES;
    let verified = (verified, Tls::Verified(certificates));
    let modes = [(off, Tls::Off), (unverified, Tls::Unverified), verified];
    match &table.tls {
        Some(_) => one_of("tls", &table.tls, &modes, problems),
        None => Some(Tls::Off),
    }
}

pub(crate) fn path(key: &str, value: &Maybe<String>, problems: &mut Problems) -> Option<PathBuf> {
    let value = value.as_ref()?;
    // A line break would begin another line of a server's configuration.
    if value.get_ref().is_empty() || value.get_ref().contains(char::is_control) {
        problems.add(value.span(), format!("{} must be a path", problems.key(key)));
        return None;
    }
    Some(PathBuf::from(value.get_ref()))
}
