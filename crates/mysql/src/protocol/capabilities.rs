//! Capability flags: what client and server agree on in the handshake.

/// How a server writes its replies, as agreed in the handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Rows end with an OK packet, and no EOF packet follows column definitions.
    pub deprecate_eof: bool,
    /// MariaDB: a result set says whether its column definitions follow, and they do not when a
    /// prepared statement is executed again with the same columns.
    pub cache_metadata: bool,
    /// Everything after the login goes through [`super::Compressed`]. Frames of packets are not
    /// numbered one after another then: where servers flush, they go on with the number of the
    /// compressed frame.
    pub compressed: bool,
}

/// MySQL's client and connectors; a MariaDB server leaves it unset and has extended flags then.
pub(super) const MYSQL: u32 = 1;
pub(super) const LONG_FLAG: u32 = 1 << 2;
pub(super) const CONNECT_WITH_DB: u32 = 1 << 3;
pub(super) const COMPRESS: u32 = 1 << 5;
pub(super) const LOCAL_FILES: u32 = 1 << 7;
pub(super) const PROTOCOL_41: u32 = 1 << 9;
pub(super) const SSL: u32 = 1 << 11;
pub(super) const TRANSACTIONS: u32 = 1 << 13;
pub(super) const SECURE_CONNECTION: u32 = 1 << 15;
/// Without these two, statements that call procedures with rows are refused.
const MULTI_RESULTS: u32 = 1 << 17;
const PS_MULTI_RESULTS: u32 = 1 << 18;
pub(super) const PLUGIN_AUTH: u32 = 1 << 19;
pub(super) const PLUGIN_AUTH_LENENC_DATA: u32 = 1 << 21;
pub(super) const DEPRECATE_EOF: u32 = 1 << 24;

/// Extended flag of MariaDB 10.6 and later (bit 36 where both halves are counted together).
pub(super) const MARIADB_CACHE_METADATA: u32 = 1 << 4;

/// The flags that both sides have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agreed {
    pub(super) flags: u32,
    /// MariaDB's extended flags; 0 for MySQL.
    pub(super) extended: u32,
}

impl Agreed {
    /// What to answer to a server's flags. `wanted` are the flags that depend on the login.
    pub(super) fn with_server(flags: u32, extended: u32, wanted: u32) -> Self {
        let always = LONG_FLAG
            | PROTOCOL_41
            | TRANSACTIONS
            | SECURE_CONNECTION
            | MULTI_RESULTS
            | PS_MULTI_RESULTS
            | PLUGIN_AUTH
            | PLUGIN_AUTH_LENENC_DATA
            | DEPRECATE_EOF;
        let is_mariadb = flags & MYSQL == 0;
        let agreed = flags & (always | wanted);
        // Result sets without definitions are only specified together with rows that end with OK.
        let extended = if is_mariadb && agreed & DEPRECATE_EOF != 0 {
            extended & MARIADB_CACHE_METADATA
        } else {
            0
        };
        // A server reads the extended flags only if the client leaves MYSQL unset.
        let mysql = if is_mariadb { 0 } else { MYSQL };
        Self { flags: agreed | mysql, extended }
    }

    pub(super) fn has(self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    pub(super) fn dialect(self) -> Dialect {
        Dialect {
            deprecate_eof: self.has(DEPRECATE_EOF),
            cache_metadata: self.extended & MARIADB_CACHE_METADATA != 0,
            compressed: self.has(COMPRESS),
        }
    }
}
