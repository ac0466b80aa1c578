//! The studies of a directory, for browsers.

use super::Outcome;
use crate::Exit;
use crate::arguments::ServeArguments;
use crate::exit::CliError;
use crate::messages::{shown, tell};
use crate::signals;
use model::PasswordSource;
use serve::{Door, DoorOptions, Pem, serve_directory};
use std::net::SocketAddr;
use std::path::PathBuf;
use system::client::{LoginEnvironment, SecretRules, certificate_and_key, visitors_token};

/// Who may ask for what weighin shows over HTTP, as the command line says.
pub(super) struct Visitors<'a> {
    pub(super) listen: SocketAddr,
    pub(super) token_file: Option<&'a PathBuf>,
    pub(super) token_env: Option<&'a String>,
    pub(super) certificate: Option<&'a PathBuf>,
    pub(super) key: Option<&'a PathBuf>,
    pub(super) names: &'a [String],
    /// What these options begin with.
    pub(super) prefix: &'static str,
}

impl Visitors<'_> {
    /// # Errors
    /// When something of it cannot be read, or is missing for such an address.
    pub(super) fn door(&self) -> Result<Door, CliError> {
        let named_here = SecretRules::command_line(false);
        let environment = LoginEnvironment::of_this_process(&named_here);
        let source = match (self.token_file, self.token_env) {
            (Some(path), _) => Some(PasswordSource::File(path.clone())),
            (None, name) => name.map(|name| PasswordSource::Environment(name.clone())),
        };
        let token = source.map(|source| visitors_token(&source, &environment)).transpose()?;
        let tls = match self.certificate.zip(self.key) {
            None => None,
            Some((certificate, key)) => {
                let (certificate, key) = certificate_and_key(certificate, key, &environment)?;
                Some(Pem { certificate, key: key.bytes().to_vec() })
            }
        };
        let options = DoorOptions {
            listen: self.listen,
            token: token.map(|token| token.bytes().to_vec()),
            tls,
            names: self.names.to_vec(),
            prefix: self.prefix,
        };
        Door::new(options).map_err(|failure| CliError::usage(failure.message, failure.remedy))
    }
}

/// Shows the studies of a directory until it is stopped.
pub(crate) fn serve(arguments: &ServeArguments) -> Outcome {
    let stop = signals::stop();
    let visitors = Visitors {
        listen: arguments.listen,
        token_file: arguments.token_file.as_ref(),
        token_env: arguments.token_env.as_ref(),
        certificate: arguments.certificate.as_ref(),
        key: arguments.key.as_ref(),
        names: &arguments.names,
        prefix: "--",
    };
    let door = visitors.door()?;
    let scheme = if arguments.certificate.is_some() { "https" } else { "http" };
    serve_directory(&arguments.directory, arguments.reading.limit(), door, &stop, |address| {
        let directory = shown(&arguments.directory);
        tell(&format!(
            "the studies in {directory} are shown at {scheme}://{address}/; Ctrl-C ends it"
        ));
    })?;
    Ok(Exit::Done)
}
