use crate::arguments::{ServerArguments, TlsMode};
use crate::exit::CliError;
use campaign::Login;
use model::{PasswordSource, Tls};

/// How to log in to the server that the arguments name.
pub(super) fn login(arguments: &ServerArguments) -> Result<Login, CliError> {
    let (system, mut address) = study::parse_url(&arguments.url).map_err(|error| {
        CliError::usage(
            error.to_string(),
            "write it as mysql://USER@HOST:PORT/DATABASE or redis://HOST:PORT/NUMBER",
        )
    })?;
    if let Some(name) = &arguments.password_env {
        address.password = PasswordSource::Environment(name.clone());
    }
    if let Some(path) = &arguments.password_file {
        address.password = PasswordSource::File(path.clone());
    }
    address.tls = match (arguments.tls, &arguments.tls_ca) {
        (TlsMode::Verified, roots) => Tls::Verified(roots.clone()),
        (_, Some(_)) => {
            return Err(CliError::usage(
                "--tls-ca is only of use with --tls verified",
                "add --tls verified, or leave --tls-ca out",
            ));
        }
        (TlsMode::Off, None) => Tls::Off,
        (TlsMode::Unverified, None) => Tls::Unverified,
    };
    Ok(Login::of(system, &address)?)
}
