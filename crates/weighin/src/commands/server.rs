use crate::arguments::{ServerArguments, TlsMode};
use crate::exit::CliError;
use crate::signals;
use campaign::Login;
use model::{PasswordSource, ServerKey, System, Tls};

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
    if let Some(path) = &arguments.server_public_key {
        address.server_key = ServerKey::Pinned(path.clone());
    } else if arguments.get_server_public_key {
        address.server_key = ServerKey::Request;
    }
    if address.server_key != ServerKey::default() && system != System::MariaDb {
        return Err(CliError::usage(
            "only MySQL has public keys for passwords",
            "leave --server-public-key and --get-server-public-key out",
        ));
    }
    Ok(Login::of(system, &address)?.stopped_by(&signals::stop()))
}
