//! From the first byte to an open session.

mod scram;

use super::command::{BackendKey, push_text, write_message, write_ssl_request, write_startup};
use super::error::{ProtocolError, ServerError};
use super::frame::{CONTROL_LIMIT, Fields, Message, Messages, Want, tag};
use md5::{Digest, Md5};
use model::{AuthMethod, AuthMethods};
use scram::Scram;
pub use scram::ScramKeys;

/// Most bytes that a login takes from the server: some parameters and what authentication needs.
const MOST_BYTES: usize = 4 << 20;

/// What a login needs.
#[derive(Clone, Default)]
pub struct LoginOptions {
    pub user: String,
    /// Empty for none.
    pub password: Vec<u8>,
    /// Shared by all logins that these are cloned for.
    pub scram_keys: ScramKeys,
    /// That of the same name as the user when absent.
    pub database: Option<String>,
    pub tls: bool,
    /// Whether the transport cannot be listened to.
    pub local_transport: bool,
    /// Whether the server may be given the password as it is.
    pub may_reveal: bool,
    /// By which methods the server may ask.
    pub auth: AuthMethods,
    /// Whether the server lets the session change nothing.
    pub read_only: bool,
    /// What the session is called in the server's lists.
    pub application_name: &'static str,
}

impl std::fmt::Debug for LoginOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoginOptions")
            .field("user", &self.user)
            .field("database", &self.database)
            .field("tls", &self.tls)
            .field("local_transport", &self.local_transport)
            .field("may_reveal", &self.may_reveal)
            .finish_non_exhaustive()
    }
}

/// Why a login failed.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    #[error(transparent)]
    Server(Box<ServerError>),
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    #[error("what answers does not speak the PostgreSQL protocol")]
    NotPostgres,
    #[error("the server does not offer TLS")]
    TlsNotOffered,
    #[error("the server asks for a password, and there is none")]
    NoPassword,
    #[error("the server asks for the password as it is, on a connection without TLS")]
    CleartextRefused,
    #[error("the server asks for the password as it is, and is not verified")]
    WouldReveal,
    #[error("the server asks for the password hashed with MD5, on a connection without TLS")]
    Md5Refused,
    #[error("the server {asks}, and require_auth allows {allowed}")]
    NotAllowed { asks: &'static str, allowed: AuthMethods },
    #[error("the server asks for authentication by {0}, which weighin does not have")]
    Unsupported(String),
    #[error("the server did not prove that it knows the password: {0}")]
    NotProven(String),
    #[error("the server let the session in before it had proven that it knows the password")]
    Skipped,
    #[error("the server goes on talking and does not let the session in")]
    Endless,
}

/// What comes next in a login.
#[derive(Debug)]
pub enum LoginStep {
    /// Send what was appended, and show more.
    NeedMore {
        consumed: usize,
    },
    /// Start TLS on the transport, and call [`Login::tls_started`].
    StartTls {
        consumed: usize,
    },
    Done {
        consumed: usize,
        session: SessionInfo,
    },
}

/// What the server has told of an open session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionInfo {
    /// As `server_version` has it; empty where a pooler does not tell.
    pub server_version: String,
    pub key: BackendKey,
    /// Whether a backslash stands for itself in a text.
    pub standard_strings: bool,
}

/// A login under way.
#[derive(Debug)]
pub struct Login {
    options: LoginOptions,
    stage: Stage,
    messages: Messages,
    session: SessionInfo,
    /// What binds the login to the encrypted channel.
    binding: Option<Vec<u8>>,
    /// Whether the server has asked who this is.
    was_asked: bool,
    received: usize,
}

#[derive(Debug)]
enum Stage {
    /// Waiting for the byte that says whether there is TLS.
    AskedForTls,
    /// TLS is being set up.
    StartingTls,
    Authenticating(Option<Box<Scram>>),
    /// Let in; the server tells of itself.
    In,
}

impl Login {
    /// Begins a login: appends what the client says first.
    pub fn begin(options: LoginOptions, out: &mut Vec<u8>) -> Self {
        let tls = options.tls;
        let mut login = Self {
            options,
            stage: Stage::AskedForTls,
            messages: Messages::default(),
            session: SessionInfo { standard_strings: true, ..SessionInfo::default() },
            binding: None,
            was_asked: false,
            received: 0,
        };
        match tls {
            true => write_ssl_request(out),
            false => login.start(out),
        }
        login
    }

    /// The transport is encrypted; appends what follows.
    pub fn tls_started(&mut self, out: &mut Vec<u8>) {
        self.start(out);
    }

    /// Binds the login to the encrypted channel by the hash of the server's certificate, as
    /// `tls-server-end-point` has it.
    pub fn bind(&mut self, certificate_hash: Vec<u8>) {
        self.binding = Some(certificate_hash);
    }

    fn start(&mut self, out: &mut Vec<u8>) {
        self.stage = Stage::Authenticating(None);
        let options = &self.options;
        let mut parameters = vec![("user", options.user.as_str())];
        parameters.extend(options.database.as_deref().map(|name| ("database", name)));
        parameters.push(("application_name", options.application_name));
        parameters.push(("client_encoding", "UTF8"));
        // What else is compared or read depends on neither place nor time.
        parameters.push(("DateStyle", "ISO"));
        if options.read_only {
            parameters.push(("default_transaction_read_only", "on"));
        }
        write_startup(&parameters, out);
    }

    /// Takes what has come, and appends what is to be sent. Bytes that it did not take are to be shown
    /// again with more.
    ///
    /// # Errors
    /// When the server refuses, or asks for what it must not get.
    pub fn receive(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<LoginStep, LoginError> {
        if matches!(self.stage, Stage::AskedForTls) {
            return self.answer_about_tls(input);
        }
        let mut rest = input;
        loop {
            // Before the login nothing long makes sense.
            let want = |_| Want::Whole { limit: CONTROL_LIMIT };
            let message = match self.messages.next(&mut rest, want) {
                // What answers something else does not begin with the type of a message.
                Err(_) if self.received == 0 && !matches!(input.first(), Some(b'R' | b'E')) => {
                    return Err(LoginError::NotPostgres);
                }
                other => other?,
            };
            let Some(message) = message else {
                return Ok(LoginStep::NeedMore { consumed: input.len() - rest.len() });
            };
            self.received += message.body.len() + 1;
            if self.received > MOST_BYTES {
                return Err(LoginError::Endless);
            }
            if self.take(message, out)? {
                let session = std::mem::take(&mut self.session);
                return Ok(LoginStep::Done { consumed: input.len() - rest.len(), session });
            }
        }
    }

    fn answer_about_tls(&mut self, input: &[u8]) -> Result<LoginStep, LoginError> {
        match input.first() {
            None => Ok(LoginStep::NeedMore { consumed: 0 }),
            Some(b'S') => {
                self.stage = Stage::StartingTls;
                Ok(LoginStep::StartTls { consumed: 1 })
            }
            Some(b'N') => Err(LoginError::TlsNotOffered),
            // Nobody has vouched for the words of an error here: they are not shown.
            Some(b'E') => Err(LoginError::TlsNotOffered),
            Some(_) => Err(LoginError::NotPostgres),
        }
    }

    /// Takes a message; true where the session is open.
    fn take(&mut self, message: Message<'_>, out: &mut Vec<u8>) -> Result<bool, LoginError> {
        let Message { tag, body } = message;
        match (tag, &self.stage) {
            (tag::ERROR, _) => return Err(LoginError::Server(Box::new(ServerError::parse(body)?))),
            (tag::AUTHENTICATION, Stage::Authenticating(_)) => self.authenticate(body, out)?,
            (tag::PARAMETER_STATUS, _) => self.parameter(body)?,
            (tag::NOTICE | tag::NOTIFICATION, _) => {}
            // The server speaks an earlier minor version, or knows not all options: there are none.
            (tag::NEGOTIATE_VERSION, Stage::Authenticating(_)) => {}
            (tag::BACKEND_KEY, Stage::In) => {
                let mut fields = Fields::new(body, "a key");
                self.session.key = BackendKey { process: fields.u32()?, secret: fields.u32()? };
            }
            (tag::READY, Stage::In) => return Ok(true),
            (tag, _) if self.received <= body.len() + 1 && !tag.is_ascii_alphanumeric() => {
                return Err(LoginError::NotPostgres);
            }
            (tag, _) => {
                let expected = "a step of the login";
                return Err(ProtocolError::Unexpected { expected, tag }.into());
            }
        }
        Ok(false)
    }

    fn parameter(&mut self, body: &[u8]) -> Result<(), LoginError> {
        let mut fields = Fields::new(body, "a parameter");
        let (name, value) = (fields.zero_terminated()?, fields.zero_terminated()?);
        match name {
            b"server_version" => {
                self.session.server_version = String::from_utf8_lossy(value).into_owned();
            }
            b"standard_conforming_strings" => self.session.standard_strings = value == b"on",
            _ => {}
        }
        Ok(())
    }

    fn authenticate(&mut self, body: &[u8], out: &mut Vec<u8>) -> Result<(), LoginError> {
        let Stage::Authenticating(scram) = &mut self.stage else { return Ok(()) };
        let options = &self.options;
        let private = options.tls || options.local_transport;
        let mut fields = Fields::new(body, "a step of authentication");
        let step = fields.u32()?;
        check_allowed(step, self.was_asked, options.auth)?;
        self.was_asked = true;
        match step {
            0 if scram.as_ref().is_some_and(|scram| !scram.is_proven()) => {
                return Err(LoginError::Skipped);
            }
            0 => self.stage = Stage::In,
            3 | 5 | 10 if options.password.is_empty() => return Err(LoginError::NoPassword),
            3 if !private => return Err(LoginError::CleartextRefused),
            3 if !options.may_reveal => return Err(LoginError::WouldReveal),
            3 => write_message(b'p', out, |out| push_text(&options.password, out)),
            5 if !private && !options.may_reveal => return Err(LoginError::Md5Refused),
            5 => {
                let salt = fields.bytes(4)?;
                let hash = md5_hash(options.user.as_bytes(), &options.password, salt);
                write_message(b'p', out, |out| push_text(hash.as_bytes(), out));
            }
            10 => {
                let offered = fields.rest();
                let (password, keys) = (&options.password, options.scram_keys.clone());
                let begun =
                    Scram::begin(offered, password, keys, self.binding.take(), options.tls)?;
                begun.write_first(out);
                *scram = Some(Box::new(begun));
            }
            11 => scram_of(scram)?.answer(fields.rest(), out)?,
            12 => scram_of(scram)?.finish(fields.rest())?,
            other => return Err(LoginError::Unsupported(method(other).to_owned())),
        }
        Ok(())
    }
}

/// `md5` and MD5(MD5(password, user) in hexadecimal digits, salt) in hexadecimal digits.
fn md5_hash(user: &[u8], password: &[u8], salt: &[u8]) -> String {
    let digits = |first: &[u8], then: &[u8]| -> String {
        let hash = Md5::new().chain_update(first).chain_update(then).finalize();
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    format!("md5{}", digits(digits(password, user).as_bytes(), salt))
}

/// Before anything is sent that the server asks for.
fn check_allowed(step: u32, was_asked: bool, allowed: AuthMethods) -> Result<(), LoginError> {
    let (method, asks) = match step {
        0 if !was_asked => (AuthMethod::None, "lets everybody in without asking who it is"),
        3 => (AuthMethod::Password, "asks for the password as it is"),
        5 => (AuthMethod::Md5, "asks for the password hashed with MD5"),
        7 | 8 => (AuthMethod::Gss, "asks for authentication by GSSAPI"),
        9 => (AuthMethod::Sspi, "asks for authentication by SSPI"),
        10 => (AuthMethod::ScramSha256, "asks for authentication by SCRAM-SHA-256"),
        _ => return Ok(()),
    };
    match allowed.allow(method) {
        true => Ok(()),
        false => Err(LoginError::NotAllowed { asks, allowed }),
    }
}

fn scram_of(scram: &mut Option<Box<Scram>>) -> Result<&mut Scram, LoginError> {
    scram.as_deref_mut().ok_or_else(|| {
        let expected = "the beginning of an authentication";
        ProtocolError::Unexpected { expected, tag: tag::AUTHENTICATION }.into()
    })
}

/// Methods that weighin does not have.
fn method(number: u32) -> &'static str {
    match number {
        2 => "Kerberos",
        7 | 8 => "GSSAPI",
        9 => "SSPI",
        _ => "an unknown method",
    }
}
