//! From a connected socket to an open session.

use super::credentials::Credentials;
use super::failure::login_failure;
use super::tls;
use super::transport::{Socket, Transport};
use model::{Endpoint, Failure, FailureKind, ServerAddress, Tls};
use protocol::mysql::{Login, LoginOptions, LoginStep, SessionInfo};
use rustls::ClientConnection;
use std::io::{self, ErrorKind, Read, Write};

/// How much is read at once, in bytes.
const READ_SIZE: usize = 64 * 1024;

/// Logs in. What the server has sent after the login is returned too.
pub(super) fn log_in(
    socket: Socket,
    address: &ServerAddress,
    credentials: &Credentials,
) -> Result<(Transport, SessionInfo, Vec<u8>), Failure> {
    let endpoint = &address.endpoint;
    let mut login = Login::new(LoginOptions {
        user: credentials.user.clone(),
        password: credentials.password().bytes().to_vec(),
        database: Some(address.database.clone()).filter(|name| !name.is_empty()),
        tls: address.tls != Tls::Off,
        local_transport: matches!(socket, Socket::Unix(_)),
        local_infile: true,
    });
    let (mut input, mut output) = (Vec::new(), Vec::new());
    let mut transport = Transport::Plain(socket);
    loop {
        let step = login
            .receive(&input, &mut output)
            .map_err(|error| login_failure(&error, endpoint, &address.database, credentials))?;
        transport
            .write_all(&output)
            .and_then(|()| transport.flush())
            .map_err(|error| broken_login(&error, endpoint))?;
        output.clear();
        match step {
            LoginStep::Done { consumed, session } => {
                input.drain(..consumed);
                return Ok((transport, session, input));
            }
            LoginStep::StartTls { consumed } => {
                input.drain(..consumed);
                transport = start_tls(transport, address)?;
                login.tls_started(&mut output);
            }
            LoginStep::NeedMore { consumed } => {
                input.drain(..consumed);
                read_more(&mut transport, &mut input)
                    .map_err(|error| broken_login(&error, endpoint))?;
            }
        }
    }
}

pub(super) fn start_tls(
    transport: Transport,
    address: &ServerAddress,
) -> Result<Transport, Failure> {
    let endpoint = &address.endpoint;
    let (Transport::Plain(socket), Some(config)) = (transport, tls::client_config(&address.tls)?)
    else {
        return Err(Failure::new(FailureKind::Tls, "TLS was started twice, or not asked for", ""));
    };
    let session = ClientConnection::new(config, tls::server_name(endpoint)?)
        .map_err(|error| tls::failure(&error, endpoint))?;
    Transport::encrypt(socket, session).map_err(|error| {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(error) => tls::failure(error, endpoint),
            None => broken_login(&error, endpoint),
        }
    })
}

/// A connection that broke before the session was open.
pub(super) fn broken_login(error: &io::Error, endpoint: &Endpoint) -> Failure {
    if is_timeout(error) {
        return Failure::new(
            FailureKind::TimedOut,
            format!("{endpoint} takes connections and does not go on with the login in time"),
            "check that a server of the target's kind listens there, and that it is not stuck",
        );
    }
    Failure::new(
        FailureKind::ServerLost,
        format!("{endpoint} closed the connection in the middle of the login: {error}"),
        "look into the server's error log; it may be starting, stopping, or refuse this host",
    )
}

/// Whether the time allowed ran out; which kind it is depends on the system.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Appends what the other side sends next; waits for it.
pub(super) fn read_more(transport: &mut Transport, input: &mut Vec<u8>) -> io::Result<()> {
    let start = input.len();
    input.resize(start + READ_SIZE, 0);
    let received = loop {
        match transport.read(&mut input[start..]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    input.truncate(start + *received.as_ref().unwrap_or(&0));
    match received? {
        0 => Err(io::Error::new(ErrorKind::UnexpectedEof, "the server closed the connection")),
        _ => Ok(()),
    }
}
