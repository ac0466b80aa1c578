//! The packets that all replies are made of.

use super::capabilities::Dialect;
use super::error::{MAX_COLUMNS, ProtocolError, ServerError};
use super::frame::{ERR, FULL, Start};
use super::wire::Fields;

/// First byte of an OK packet.
pub(super) const OK: u8 = 0x00;
/// First byte of an EOF packet, and of the OK packet that takes its place.
pub(super) const EOF: u8 = 0xFE;
/// First byte of a request for a local file.
const LOCAL_INFILE: u8 = 0xFB;

/// Status flag: another result follows this one.
const MORE_RESULTS: u16 = 1 << 3;

/// Longest packet that is neither a row nor a definition, in bytes: the largest is an error
/// message or a file name.
pub(super) const CONTROL_LIMIT: usize = 1 << 16;

/// What an OK packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OkPacket {
    pub(super) affected_rows: u64,
    pub(super) more_results: bool,
}

/// The packet that a reply to a query starts with.
pub(super) enum Head<'a> {
    Ok(OkPacket),
    Err(Box<ServerError>),
    /// The server asks for that file.
    LocalInfile {
        filename: &'a [u8],
    },
    /// Rows with that many columns follow, after their definitions if there are any.
    Columns {
        count: u64,
        defined: bool,
    },
}

impl<'a> Head<'a> {
    pub(super) fn parse(packet: &'a [u8], dialect: Dialect) -> Result<Self, ProtocolError> {
        const WHAT: &str = "the start of a reply";
        match packet {
            [] => Err(ProtocolError::Empty(WHAT)),
            [OK, rest @ ..] => Ok(Self::Ok(parse_ok(rest)?)),
            [ERR, rest @ ..] => Ok(Self::Err(Box::new(parse_err(rest)?))),
            [LOCAL_INFILE, filename @ ..] => Ok(Self::LocalInfile { filename }),
            [EOF, ..] => Err(ProtocolError::Unexpected { expected: WHAT, first: EOF }),
            counted => {
                let mut fields = Fields::new(counted, "a column count");
                let count = fields.lenenc_int()?;
                if count == 0 {
                    return Err(ProtocolError::Empty("a list of columns"));
                }
                if count > MAX_COLUMNS {
                    return Err(ProtocolError::TooManyColumns(count));
                }
                let defined = !dialect.cache_metadata || fields.u8()? != 0;
                Ok(Self::Columns { count, defined })
            }
        }
    }
}

/// Whether a packet that came where a row may come ends the rows.
#[inline]
pub(super) fn ends_rows(start: Start, dialect: Dialect) -> bool {
    // A row starts with 0xFE only if its first column takes 16 MiB or more.
    let longest = if dialect.deprecate_eof { FULL - 1 } else { 8 };
    match start.first {
        Some(ERR) => true,
        Some(EOF) => start.length <= longest,
        _ => false,
    }
}

/// Reads the packet that ends rows: `Ok` with whether another result follows.
pub(super) fn parse_end(
    packet: &[u8],
    dialect: Dialect,
) -> Result<Result<bool, Box<ServerError>>, ProtocolError> {
    match packet {
        [ERR, rest @ ..] => Ok(Err(Box::new(parse_err(rest)?))),
        [EOF, rest @ ..] if dialect.deprecate_eof => Ok(Ok(parse_ok(rest)?.more_results)),
        [EOF, rest @ ..] => {
            let mut fields = Fields::new(rest, "an EOF packet");
            let _warnings = fields.u16()?;
            Ok(Ok(fields.u16()? & MORE_RESULTS != 0))
        }
        [first, ..] => {
            Err(ProtocolError::Unexpected { expected: "the end of a result", first: *first })
        }
        [] => Err(ProtocolError::Empty("the end of a result")),
    }
}

/// Reads an OK packet after its first byte.
fn parse_ok(rest: &[u8]) -> Result<OkPacket, ProtocolError> {
    let mut fields = Fields::new(rest, "an OK packet");
    let affected_rows = fields.lenenc_int()?;
    let _last_insert_id = fields.lenenc_int()?;
    let status = fields.u16()?;
    Ok(OkPacket { affected_rows, more_results: status & MORE_RESULTS != 0 })
}

/// Reads an ERR packet after its first byte. Errors that come before the handshake, such as "too
/// many connections", have no SQL state.
pub(super) fn parse_err(rest: &[u8]) -> Result<ServerError, ProtocolError> {
    let mut fields = Fields::new(rest, "an ERR packet");
    let code = fields.u16()?;
    let (sql_state, message) = match fields.rest() {
        [b'#', a, b, c, d, e, message @ ..] => ([*a, *b, *c, *d, *e], message),
        message => (*b"HY000", message),
    };
    Ok(ServerError { code, sql_state, message: String::from_utf8_lossy(message).into_owned() })
}
