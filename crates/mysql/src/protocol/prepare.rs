use super::capabilities::Dialect;
use super::error::{ProtocolError, ServerError};
use super::frame::{ERR, Packets, Want};
use super::packet::{CONTROL_LIMIT, OK, parse_err};
use super::row::Columns;
use super::wire::Fields;

/// A prepared statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The server's number for it, valid on its connection.
    pub id: u32,
    /// How many parameters it has.
    pub params: u16,
    /// How many columns its rows have; 0 when it gives no rows.
    pub columns: u16,
}

/// Reads the reply to one `COM_STMT_PREPARE`; serves the next one afterwards.
#[derive(Debug)]
pub struct PrepareReader {
    dialect: Dialect,
    packets: Packets,
    /// The statement, once its first packet was read, and how many packets are still to skip.
    begun: Option<(Prepared, u32)>,
    /// Of the last statement that has rows, where they are wanted.
    columns: Option<Columns>,
}

impl PrepareReader {
    /// A reader for the replies of one connection.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, packets: Packets::in_dialect(dialect, 1), begun: None, columns: None }
    }

    /// The same, which keeps what columns the rows of a statement have ([`Self::take_columns`]).
    pub fn with_columns(dialect: Dialect) -> Self {
        Self { columns: Some(Columns::default()), ..Self::new(dialect) }
    }

    /// The columns of the statement that was prepared.
    pub fn take_columns(&mut self) -> Columns {
        self.columns.take().unwrap_or_default()
    }

    /// Takes bytes up to the end of a reply; returns how many were taken, and the reply if it has
    /// ended: the statement, or the error that the server reported.
    ///
    /// # Errors
    /// When the bytes are not such a reply; the connection must be given up then.
    pub fn receive(
        &mut self,
        input: &[u8],
    ) -> Result<(usize, Option<Result<Prepared, ServerError>>), ProtocolError> {
        let mut rest = input;
        loop {
            if let Some((prepared, 0)) = self.begun {
                self.end_reply();
                return Ok((input.len() - rest.len(), Some(Ok(prepared))));
            }
            let end = u32::from(!self.dialect.deprecate_eof);
            let is_column = self.columns.is_some()
                && self.begun.is_some_and(|(prepared, left)| {
                    left > end && left <= u32::from(prepared.columns) + end
                });
            let skipping = self.begun.is_some() && !is_column;
            let packet = self.packets.next(&mut rest, |_| match skipping {
                true => Want::Skip,
                false => Want::Collect { limit: CONTROL_LIMIT },
            })?;
            let Some(packet) = packet else { return Ok((input.len(), None)) };
            match &mut self.begun {
                Some((_, left)) => {
                    *left -= 1;
                    if let (true, Some(columns)) = (is_column, &mut self.columns) {
                        columns.add(packet.payload)?;
                    }
                }
                None => match parse_head(packet.payload)? {
                    Ok(prepared) => {
                        self.begun = Some((prepared, definition_packets(prepared, self.dialect)));
                    }
                    Err(error) => {
                        self.end_reply();
                        return Ok((input.len() - rest.len(), Some(Err(error))));
                    }
                },
            }
        }
    }

    fn end_reply(&mut self) {
        self.begun = None;
        self.packets.reset(1);
    }
}

fn parse_head(packet: &[u8]) -> Result<Result<Prepared, ServerError>, ProtocolError> {
    const WHAT: &str = "the reply to a prepare command";
    match packet {
        [OK, rest @ ..] => {
            let mut fields = Fields::new(rest, WHAT);
            let id = fields.u32()?;
            let columns = fields.u16()?;
            let params = fields.u16()?;
            Ok(Ok(Prepared { id, params, columns }))
        }
        [ERR, rest @ ..] => Ok(Err(parse_err(rest)?)),
        [first, ..] => Err(ProtocolError::Unexpected { expected: WHAT, first: *first }),
        [] => Err(ProtocolError::Empty(WHAT)),
    }
}

/// How many packets describe parameters and columns.
fn definition_packets(prepared: Prepared, dialect: Dialect) -> u32 {
    [prepared.params, prepared.columns]
        .into_iter()
        .filter(|&definitions| definitions > 0)
        .map(|definitions| u32::from(definitions) + u32::from(!dialect.deprecate_eof))
        .sum()
}
