//! From a connected line to an open session.

use super::failure::login_failure;
use crate::names::APPLICATION_NAME;
use crate::protocol::{
    Login, LoginError, LoginOptions, LoginStep, ScramKeys, SessionInfo, certificate_hash,
    write_ssl_request,
};
use model::{Endpoint, Failure, ServerAddress};
use system::client::{Credentials, Line, Transport, broken_login};

/// What sessions log in with, those of loads too.
pub(crate) fn login_options(address: &ServerAddress, credentials: &Credentials) -> LoginOptions {
    LoginOptions {
        user: credentials.user.clone(),
        password: credentials.password().bytes().to_vec(),
        database: Some(address.database.clone()).filter(|name| !name.is_empty()),
        tls: asks_for_tls(address),
        local_transport: matches!(address.endpoint, Endpoint::Socket(_)),
        may_reveal: credentials.may_reveal(),
        auth: address.auth,
        read_only: false,
        application_name: APPLICATION_NAME,
        scram_keys: ScramKeys::default(),
    }
}

/// Servers do not encrypt Unix sockets.
fn asks_for_tls(address: &ServerAddress) -> bool {
    address.tls.is_certain() && !matches!(address.endpoint, Endpoint::Socket(_))
}

/// Logs in. What the server has sent after the login is returned too.
pub(super) fn log_in(
    line: Line,
    address: &ServerAddress,
    credentials: &Credentials,
    options: LoginOptions,
) -> Result<(Transport, SessionInfo, Vec<u8>), Failure> {
    let endpoint = &address.endpoint;
    let failed = |error: &LoginError| login_failure(error, address, credentials);
    let (mut input, mut output) = (Vec::new(), Vec::new());
    let mut login = Login::begin(options, &mut output);
    let mut transport = Transport::plain(line);
    loop {
        transport.send(&output).map_err(|error| broken_login(&error, endpoint))?;
        output.clear();
        match login.receive(&input, &mut output).map_err(|error| failed(&error))? {
            LoginStep::Done { consumed, session } => {
                input.drain(..consumed);
                return Ok((transport, session, input));
            }
            LoginStep::StartTls { consumed } => {
                input.drain(..consumed);
                transport = start_tls(transport, &input, address)?;
                if let Some(hash) = transport.peer_certificate().and_then(certificate_hash) {
                    login.bind(hash);
                }
                login.tls_started(&mut output);
            }
            LoginStep::NeedMore { consumed } => {
                input.drain(..consumed);
                if output.is_empty() {
                    transport
                        .receive(&mut input)
                        .map_err(|error| broken_login(&error, endpoint))?;
                }
            }
        }
    }
}

/// Whoever is in between could have put bytes there before the encryption began.
fn start_tls(
    transport: Transport,
    input: &[u8],
    address: &ServerAddress,
) -> Result<Transport, Failure> {
    if !input.is_empty() {
        return Err(Failure::new(
            model::FailureKind::Tls,
            format!("{} sent data before TLS began", address.endpoint),
            "if there is a proxy in between, connect to the server itself",
        ));
    }
    transport.start_tls(address)
}

/// A line without a login, encrypted where the address asks for that.
pub(super) fn encrypted(line: Line, address: &ServerAddress) -> Result<Transport, Failure> {
    let endpoint = &address.endpoint;
    let mut transport = Transport::plain(line);
    if !asks_for_tls(address) {
        return Ok(transport);
    }
    let (mut request, mut answer) = (Vec::new(), Vec::new());
    write_ssl_request(&mut request);
    transport.send(&request).map_err(|error| broken_login(&error, endpoint))?;
    transport.receive(&mut answer).map_err(|error| broken_login(&error, endpoint))?;
    match answer.split_first() {
        Some((b'S', rest)) => start_tls(transport, rest, address),
        _ => Err(super::failure::no_tls(endpoint)),
    }
}
