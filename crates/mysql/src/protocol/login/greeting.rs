use crate::protocol::capabilities::{MYSQL, PLUGIN_AUTH, SECURE_CONNECTION};
use crate::protocol::error::{LoginError, ProtocolError};
use crate::protocol::wire::Fields;

/// The version of the protocol since MySQL 3.21.
const PROTOCOL_VERSION: u8 = 10;
/// What MariaDB 10 puts before its version, for the sake of old replicas.
const MARIADB_PREFIX: &str = "5.5.5-";
/// How much of a version is kept, in bytes: the longest real ones have some 60.
const LONGEST_VERSION: usize = 255;
/// Bytes of the first part of the challenge.
const FIRST_PART: usize = 8;

/// The server's first packet.
///
/// mysql_common has a parser for it, but that one overflows on lengths that a broken server may
/// send.
#[derive(Debug)]
pub(super) struct Greeting {
    pub(super) server_version: String,
    pub(super) connection_id: u32,
    /// Capabilities.
    pub(super) flags: u32,
    /// MariaDB's extended capabilities; meaningless if the server is none.
    pub(super) extended: u32,
    /// The challenge of the default plugin, without the zero byte at its end.
    pub(super) challenge: Vec<u8>,
    /// The default plugin, if the server has plugins.
    pub(super) plugin: Option<String>,
}

impl Greeting {
    pub(super) fn parse(packet: &[u8]) -> Result<Self, LoginError> {
        const WHAT: &str = "a MySQL server's greeting";
        let mut fields = Fields::new(packet, WHAT);
        match fields.u8().map_err(LoginError::NotMySql)? {
            PROTOCOL_VERSION => {}
            version if version < PROTOCOL_VERSION => return Err(LoginError::TooOld),
            first => {
                let other = ProtocolError::Unexpected { expected: WHAT, first };
                return Err(LoginError::NotMySql(other));
            }
        }
        Self::parse_fields(fields).map_err(LoginError::NotMySql)
    }

    fn parse_fields(mut fields: Fields<'_>) -> Result<Self, ProtocolError> {
        let version = fields.zero_terminated()?;
        let version = String::from_utf8_lossy(&version[..version.len().min(LONGEST_VERSION)]);
        let version = version.into_owned();
        let connection_id = fields.u32()?;
        let mut challenge = fields.bytes(FIRST_PART)?.to_vec();
        let _filler = fields.u8()?;
        let low = fields.u16()?;
        let _collation = fields.u8()?;
        let _status = fields.u16()?;
        let flags = u32::from(low) | u32::from(fields.u16()?) << 16;
        let challenge_length = usize::from(fields.u8()?);
        let _reserved = fields.bytes(6)?;
        let extended = fields.u32()?;
        if flags & SECURE_CONNECTION != 0 {
            // The second part takes 13 bytes or more, whatever the length says.
            let second = fields.bytes(challenge_length.saturating_sub(FIRST_PART).max(13))?;
            challenge.extend_from_slice(second.strip_suffix(&[0]).unwrap_or(second));
        }
        let plugin = (flags & PLUGIN_AUTH != 0).then(|| {
            // Some versions forget the zero byte at the end.
            let name = fields.rest();
            String::from_utf8_lossy(name.strip_suffix(&[0]).unwrap_or(name)).into_owned()
        });
        let server_version = match version.strip_prefix(MARIADB_PREFIX) {
            Some(own) if flags & MYSQL == 0 || own.contains("MariaDB") => own.to_owned(),
            _ => version,
        };
        Ok(Self { server_version, connection_id, flags, extended, challenge, plugin })
    }
}
