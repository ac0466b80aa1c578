use super::capabilities::{self, Agreed, Dialect};
use super::error::{LoginError, ProtocolError};
use super::frame::{ERR, HEADER, parse_header, write_packet};
use super::login::auth::Authentication;
use super::login::greeting::Greeting;
use super::packet::{CONTROL_LIMIT, EOF, OK, parse_err};
use super::wire::Fields;

mod auth;
mod greeting;
mod options;
mod server_key;

pub use options::{LoginOptions, ServerKey};
pub use server_key::check as check_server_key;

/// First byte of a packet that carries more data for the authentication plugin.
const MORE_DATA: u8 = 0x01;
/// Collation of the connection until something else is set: `utf8mb4_general_ci`, which all
/// servers since 5.5 have.
const COLLATION: u8 = 45;
/// Most packets that a server sends in one login: the longest exchange of the plugins here takes six.
const MAX_PACKETS: u32 = 16;
/// Longest packet that the client is willing to receive, in bytes.
const MAX_PACKET: u32 = 1 << 30;

/// What a login has come to. `consumed` bytes of the input are done with; the caller keeps the
/// others and gives them again, with what comes after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginStep {
    /// Send what was appended, if anything, and call again with more input.
    NeedMore {
        /// Bytes taken from the input.
        consumed: usize,
    },
    /// Send what was appended, start TLS on the transport, and call [`Login::tls_started`].
    StartTls {
        /// Bytes taken from the input: all.
        consumed: usize,
    },
    /// The session is open.
    Done {
        /// Bytes taken from the input.
        consumed: usize,
        /// What was agreed.
        session: SessionInfo,
    },
}

/// An open session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// The server's version as `VERSION()` gives it.
    pub server_version: String,
    /// The server's number for the connection, as `KILL` takes it.
    pub connection_id: u32,
    /// How replies are written.
    pub dialect: Dialect,
    /// Whether the server would have compressed what travels, asked or not.
    pub offers_compression: bool,
}

/// The state machine of a login: greeting, TLS, authentication.
#[derive(Debug)]
pub struct Login {
    options: LoginOptions,
    state: State,
    /// Sequence number of the next packet to send or receive.
    sequence: u8,
    /// Packets received so far.
    packets: u32,
}

#[derive(Debug)]
enum State {
    /// The server speaks first.
    Greeting,
    /// The caller is starting TLS; the packet to send then is ready.
    Tls(Box<Session>, Vec<u8>),
    /// The server decides, or asks.
    Authentication(Box<Session>),
}

/// What is known once the server has greeted.
#[derive(Debug)]
struct Session {
    server_version: String,
    connection_id: u32,
    agreed: Agreed,
    offers_compression: bool,
    authentication: Authentication,
}

impl Login {
    /// A login that waits for the server's greeting.
    pub fn new(options: LoginOptions) -> Self {
        Self { options, state: State::Greeting, sequence: 0, packets: 0 }
    }

    /// Takes what was received and appends what is to be sent.
    ///
    /// # Errors
    /// When the server refuses, asks for what must not or cannot be done, or does not speak the
    /// protocol. The connection must be closed then.
    pub fn receive(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<LoginStep, LoginError> {
        let mut rest = input;
        while let Some((payload, sequence, after)) =
            whole_packet(rest).map_err(|e| self.blame(e))?
        {
            rest = after;
            let consumed = input.len() - rest.len();
            if sequence != self.sequence && payload.first() != Some(&ERR) {
                let order = ProtocolError::Sequence { expected: self.sequence, got: sequence };
                return Err(self.blame(order));
            }
            self.sequence = sequence.wrapping_add(1);
            self.packets += 1;
            if self.packets > MAX_PACKETS {
                return Err(LoginError::Endless);
            }
            if let [ERR, error @ ..] = payload {
                return Err(LoginError::Server(parse_err(error).map_err(|e| self.blame(e))?));
            }
            match &mut self.state {
                State::Greeting => {
                    if self.greet(payload, out)? {
                        if !rest.is_empty() {
                            return Err(LoginError::DataBeforeTls);
                        }
                        return Ok(LoginStep::StartTls { consumed });
                    }
                }
                State::Tls(..) => return Err(LoginError::DataBeforeTls),
                State::Authentication(session) => {
                    if payload.first() == Some(&OK) {
                        let session = SessionInfo {
                            server_version: std::mem::take(&mut session.server_version),
                            connection_id: session.connection_id,
                            dialect: session.agreed.dialect(),
                            offers_compression: session.offers_compression,
                        };
                        return Ok(LoginStep::Done { consumed, session });
                    }
                    if let Some(answer) =
                        answer(payload, &mut session.authentication, &self.options)?
                    {
                        self.sequence = write_packet(self.sequence, &[], &answer, out);
                    }
                }
            }
        }
        Ok(LoginStep::NeedMore { consumed: input.len() - rest.len() })
    }

    /// The transport is encrypted now: appends what goes on with the login. Does nothing unless
    /// [`LoginStep::StartTls`] came before.
    pub fn tls_started(&mut self, out: &mut Vec<u8>) {
        self.state = match std::mem::replace(&mut self.state, State::Greeting) {
            State::Tls(session, response) => {
                self.sequence = write_packet(self.sequence, &[], &response, out);
                State::Authentication(session)
            }
            other => other,
        };
    }

    /// Answers the greeting; true if TLS must be started first.
    fn greet(&mut self, payload: &[u8], out: &mut Vec<u8>) -> Result<bool, LoginError> {
        let options = &self.options;
        if options.user.contains('\0') {
            return Err(LoginError::ZeroByte("user"));
        }
        if options.database.as_ref().is_some_and(|name| name.contains('\0')) {
            return Err(LoginError::ZeroByte("database"));
        }
        let greeting = Greeting::parse(payload)?;
        let wanted = [
            (options.database.is_some(), capabilities::CONNECT_WITH_DB),
            (options.local_infile, capabilities::LOCAL_FILES),
            (options.tls, capabilities::SSL),
            (options.compression, capabilities::COMPRESS),
        ];
        let wanted = wanted.iter().filter(|(asked, _)| *asked).fold(0, |all, (_, flag)| all | flag);
        let agreed = Agreed::with_server(greeting.flags, greeting.extended, wanted);
        if !agreed.has(capabilities::PROTOCOL_41) || !agreed.has(capabilities::SECURE_CONNECTION) {
            return Err(LoginError::TooOld);
        }
        if options.tls && !agreed.has(capabilities::SSL) {
            return Err(LoginError::TlsNotOffered);
        }
        if options.compression && !agreed.has(capabilities::COMPRESS) {
            return Err(LoginError::CompressionNotOffered);
        }
        let (authentication, answer) = Authentication::begin(&greeting, options)?;
        let response = response(options, agreed, &authentication, &answer);
        let session = Box::new(Session {
            server_version: greeting.server_version,
            connection_id: greeting.connection_id,
            agreed,
            offers_compression: greeting.flags & capabilities::COMPRESS != 0,
            authentication,
        });
        if options.tls {
            self.sequence = write_packet(self.sequence, &[], &response_head(agreed), out);
            self.state = State::Tls(session, response);
        } else {
            self.sequence = write_packet(self.sequence, &[], &response, out);
            self.state = State::Authentication(session);
        }
        Ok(options.tls)
    }

    /// Before the greeting, a protocol error means that something else listens there.
    fn blame(&self, error: ProtocolError) -> LoginError {
        match self.state {
            State::Greeting => LoginError::NotMySql(error),
            _ => LoginError::Protocol(error),
        }
    }
}

/// A packet with its sequence number, and what comes after it.
type WholePacket<'a> = (&'a [u8], u8, &'a [u8]);

fn whole_packet(input: &[u8]) -> Result<Option<WholePacket<'_>>, ProtocolError> {
    let Some((&header, rest)) = input.split_first_chunk::<HEADER>() else { return Ok(None) };
    let (length, sequence) = parse_header(header);
    if length > CONTROL_LIMIT {
        return Err(ProtocolError::TooLong { length, limit: CONTROL_LIMIT });
    }
    Ok(rest.split_at_checked(length).map(|(payload, rest)| (payload, sequence, rest)))
}

/// What to send back, if anything, to a packet that comes while the server makes up its mind.
fn answer(
    payload: &[u8],
    authentication: &mut Authentication,
    options: &LoginOptions,
) -> Result<Option<Vec<u8>>, LoginError> {
    const WHAT: &str = "the answer to a login";
    match payload {
        // Sent to accounts whose password hash is older than the 4.1 protocol.
        [EOF] => Err(LoginError::TooOld),
        [EOF, request @ ..] => {
            let mut fields = Fields::new(request, "a request to authenticate anew");
            let plugin = fields.zero_terminated()?;
            authentication.switch(plugin, fields.rest(), options)
        }
        [MORE_DATA, data @ ..] => authentication.go_on(data, options),
        [first, ..] => Err(ProtocolError::Unexpected { expected: WHAT, first: *first }.into()),
        [] => Err(ProtocolError::Empty(WHAT).into()),
    }
}

/// The answer to the greeting: account, database, and the first answer of the plugin.
fn response(
    options: &LoginOptions,
    agreed: Agreed,
    authentication: &Authentication,
    answer: &[u8],
) -> Vec<u8> {
    let mut packet = response_head(agreed).to_vec();
    packet.extend_from_slice(options.user.as_bytes());
    packet.push(0);
    // The plugins that a login begins with answer in 32 bytes at most: one byte holds the length.
    packet.push(answer.len() as u8);
    packet.extend_from_slice(answer);
    if let Some(database) = &options.database
        && agreed.has(capabilities::CONNECT_WITH_DB)
    {
        packet.extend_from_slice(database.as_bytes());
        packet.push(0);
    }
    if agreed.has(capabilities::PLUGIN_AUTH) {
        packet.extend_from_slice(authentication.plugin().as_bytes());
        packet.push(0);
    }
    packet
}

/// The first 32 bytes of the answer to the greeting. Alone they ask for TLS.
fn response_head(agreed: Agreed) -> [u8; 32] {
    let mut head = [0; 32];
    head[..4].copy_from_slice(&agreed.flags.to_le_bytes());
    head[4..8].copy_from_slice(&MAX_PACKET.to_le_bytes());
    head[8] = COLLATION;
    head[28..].copy_from_slice(&agreed.extended.to_le_bytes());
    head
}
