/// Most columns of a result: the limit of a table's columns in MariaDB and MySQL.
pub(super) const MAX_COLUMNS: u64 = 4096;

/// An error that the server reported in an ERR packet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (error {code}, SQL state {})", self.sql_state_str())]
pub struct ServerError {
    /// The server's error number, such as 1213 for a deadlock.
    pub code: u16,
    /// Five ASCII characters; `HY000` where the server sent none, as it does before the login.
    pub sql_state: [u8; 5],
    /// The server's words.
    pub message: String,
}

impl ServerError {
    /// The SQL state as text.
    pub fn sql_state_str(&self) -> &str {
        std::str::from_utf8(&self.sql_state).unwrap_or("?????")
    }
}

/// Bytes that the MySQL protocol does not allow at that place. The connection is of no use after
/// this: nobody knows where the next packet starts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// A packet ended before its last field.
    #[error("the server sent a packet that is too short to be {0}")]
    Truncated(&'static str),
    /// A packet of another kind than those that may come next.
    #[error("the server sent a packet that starts with 0x{first:02x} in place of {expected}")]
    Unexpected {
        /// What may come next.
        expected: &'static str,
        /// First byte of the packet.
        first: u8,
    },
    /// A packet without content where there must be some.
    #[error("the server sent an empty packet in place of {0}")]
    Empty(&'static str),
    /// Rows in text form without the names of their columns.
    #[error("the server left out the column definitions of a query")]
    MissingDefinitions,
    /// A packet out of order: replies and commands no longer match.
    #[error("the server's packets are out of order: number {got} came in place of {expected}")]
    Sequence {
        /// The number that was next.
        expected: u8,
        /// The number that came.
        got: u8,
    },
    /// What was compressed is not what the server says of it.
    #[error("what the server compressed {0}")]
    Compression(&'static str),
    /// More columns than any server has.
    #[error("the server announced {0} columns, where servers have at most {MAX_COLUMNS}")]
    TooManyColumns(u64),
    /// Rows that take more memory than an answer in control work may.
    #[error("the server's answer takes more than {} MiB, far more than was asked for", limit >> 20)]
    TooMuch {
        /// What is accepted, in bytes.
        limit: usize,
    },
    /// A packet longer than anything that can be meant at that place.
    #[error(
        "the server announced a packet of at least {length} bytes, where at most {limit} make sense"
    )]
    TooLong {
        /// Announced length in bytes.
        length: usize,
        /// Longest length that is accepted, in bytes.
        limit: usize,
    },
}

/// Why a login did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// The server refused, in its own words.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The account uses an authentication plugin that is not implemented.
    #[error("the account uses the authentication plugin {0}, which weighin does not have")]
    UnsupportedPlugin(String),
    /// The server predates the 4.1 protocol (2004), or its account has a password hash of that
    /// time.
    #[error("the server asks for the authentication of MySQL before 4.1, which is not secure")]
    TooOld,
    /// TLS was asked for and the server does not have it.
    #[error("the server does not offer TLS")]
    TlsNotOffered,
    /// Compression was asked for and the server does not have it.
    #[error("the server does not offer compression with zlib")]
    CompressionNotOffered,
    /// The server asked for the password in clear on a connection that others can read.
    #[error("the server asks for the password in clear text on a connection without TLS")]
    CleartextRefused,
    /// It asks for the password as it is, or encrypted with a key of its own, and is not verified.
    #[error(
        "the server asks for the password as it is, and nothing shows that it is the right server"
    )]
    WouldReveal,
    /// Something was sent between the greeting and the start of TLS: whoever sent it may have
    /// altered it.
    #[error("the server, or someone in between, sent data before TLS began")]
    DataBeforeTls,
    /// A user or database name holds a zero byte, which the protocol cannot express.
    #[error("the {0} name holds a zero byte")]
    ZeroByte(&'static str),
    /// The password would have to be encrypted with an RSA key that whoever answers at the address
    /// may have sent: the connection is not encrypted and no key is pinned.
    #[error("the server asks for the password by an RSA key that nothing vouches for")]
    KeyNotTrusted,
    /// The server goes on asking and never decides.
    #[error("the server goes on asking for more in the login and never ends it")]
    Endless,
    /// The RSA key that the server sent for encrypting the password is of no use.
    #[error("the server's RSA key for exchanging the password is {0}")]
    BadServerKey(&'static str),
    /// The server sent a challenge that the authentication plugin does not understand.
    #[error("the server's challenge does not fit the authentication plugin {0}")]
    BadChallenge(String),
    /// What the other side sends is not the MySQL protocol.
    #[error("the other side does not speak the MySQL protocol: {0}")]
    NotMySql(ProtocolError),
    /// The server broke the protocol in the middle of the login.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
}
