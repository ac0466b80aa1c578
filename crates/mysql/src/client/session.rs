//! From a connected line to an open session.

use super::failure::login_failure;
use super::server_key::server_key;
use crate::protocol::{Login, LoginError, LoginOptions, LoginStep, SessionInfo};
use model::{Endpoint, Failure, ServerAddress, Tls};
use system::client::{Credentials, Line, Transport, broken_login};

/// Logs in. What the server has sent after the login is returned too.
pub(super) fn log_in(
    line: Line,
    address: &ServerAddress,
    credentials: &Credentials,
) -> Result<(Transport, SessionInfo, Vec<u8>), Failure> {
    let endpoint = &address.endpoint;
    let mut login = Login::new(LoginOptions {
        user: credentials.user.clone(),
        password: credentials.password().bytes().to_vec(),
        database: Some(address.database.clone()).filter(|name| !name.is_empty()),
        tls: address.tls != Tls::Off,
        compression: false,
        local_transport: matches!(endpoint, Endpoint::Socket(_)),
        local_infile: true,
        server_key: server_key(address)?,
        may_reveal: credentials.may_reveal(),
    });
    let (mut input, mut output) = (Vec::new(), Vec::new());
    let mut transport = Transport::plain(line);
    loop {
        let step = login
            .receive(&input, &mut output)
            .map_err(|error| login_failure(&error, address, credentials))?;
        transport.send(&output).map_err(|error| broken_login(&error, endpoint))?;
        output.clear();
        match step {
            LoginStep::Done { consumed, session } => {
                input.drain(..consumed);
                // The clients of loads ask for it; nothing may begin where they would be refused.
                if address.compression && !session.offers_compression {
                    let error = LoginError::CompressionNotOffered;
                    return Err(login_failure(&error, address, credentials));
                }
                return Ok((transport, session, input));
            }
            LoginStep::StartTls { consumed } => {
                input.drain(..consumed);
                transport = transport.start_tls(address)?;
                login.tls_started(&mut output);
            }
            LoginStep::NeedMore { consumed } => {
                input.drain(..consumed);
                transport.receive(&mut input).map_err(|error| broken_login(&error, endpoint))?;
            }
        }
    }
}
