use super::capabilities::Dialect;
use super::error::{ProtocolError, ServerError};
use super::frame::{Packets, Start, Want};
use super::packet::{CONTROL_LIMIT, Head, OkPacket, ends_rows, parse_end};

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Done, without rows.
    Ok {
        /// Rows inserted, deleted or changed.
        affected_rows: u64,
        /// Whether the reply to another statement of the same command follows.
        more_results: bool,
    },
    /// Done, with rows.
    Rows {
        /// How many there were.
        rows: u64,
        /// Whether the reply to another statement of the same command follows.
        more_results: bool,
    },
    /// The server waits for a file: answer with [`super::write_infile_chunk`] and
    /// [`super::write_infile_end`].
    LocalInfile {
        /// The file's name as the statement gave it.
        filename: Box<str>,
        /// Sequence number of the first packet of the answer.
        sequence: u8,
    },
    /// Refused, or failed on the way.
    Err(Box<ServerError>),
}

/// Reads the reply to `COM_QUERY`, `COM_STMT_EXECUTE` or `COM_PING`, counts rows and looks at
/// nothing in them.
///
/// This is on the load engine's hot path: bytes are taken in slices of any size, rows are neither
/// copied nor decoded, and nothing is allocated for a reply without error (a packet that is cut
/// between two slices may be copied, into memory that is kept).
#[derive(Debug)]
pub struct ResponseReader {
    dialect: Dialect,
    packets: Packets,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// The first packet of a reply comes next.
    Head,
    /// That many column definitions come next.
    Definitions { left: u64 },
    /// The EOF packet after the definitions comes next.
    DefinitionsEnd,
    /// Rows come next, after that many.
    Rows { seen: u64 },
}

/// Sequence number of the first packet of a reply to a command of one frame.
const FIRST_SEQUENCE: u8 = 1;

impl ResponseReader {
    /// A reader for the replies of one connection.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, packets: Packets::in_dialect(dialect, FIRST_SEQUENCE), state: State::Head }
    }

    /// Forgets a reply that is under way. Not needed between replies.
    pub fn reset(&mut self) {
        self.expect_sequence(FIRST_SEQUENCE);
    }

    /// Prepares for a reply that starts with that sequence number: after a command of several
    /// frames or the end of a local file.
    pub fn expect_sequence(&mut self, sequence: u8) {
        self.state = State::Head;
        self.packets.reset(sequence);
    }

    /// Takes bytes up to the end of a reply; returns how many were taken, and the reply if it has
    /// ended. Without a reply all bytes were taken.
    ///
    /// # Errors
    /// When the bytes are not a reply in this dialect; the connection must be given up then.
    #[inline]
    pub fn receive(&mut self, input: &[u8]) -> Result<(usize, Option<Reply>), ProtocolError> {
        let Self { dialect, packets, state } = self;
        let dialect = *dialect;
        let mut rest = input;
        loop {
            let now = *state;
            let Some(packet) = packets.next(&mut rest, |start| want(now, start, dialect))? else {
                return Ok((input.len(), None));
            };
            let reply = match now {
                State::Rows { seen } => {
                    if !ends_rows(packet.start, dialect) {
                        *state = State::Rows { seen: seen + 1 };
                        continue;
                    }
                    match parse_end(packet.payload, dialect)? {
                        Ok(more_results) => Reply::Rows { rows: seen, more_results },
                        Err(error) => Reply::Err(error),
                    }
                }
                State::Definitions { left } => {
                    *state = after_definition(left - 1, dialect);
                    continue;
                }
                State::DefinitionsEnd => {
                    *state = State::Rows { seen: 0 };
                    match parse_end(packet.payload, dialect)? {
                        Ok(_) => continue,
                        Err(error) => Reply::Err(error),
                    }
                }
                State::Head => match Head::parse(packet.payload, dialect)? {
                    Head::Columns { count, defined } => {
                        *state = after_definition(if defined { count } else { 0 }, dialect);
                        continue;
                    }
                    Head::Ok(OkPacket { affected_rows, more_results }) => {
                        Reply::Ok { affected_rows, more_results }
                    }
                    Head::Err(error) => Reply::Err(error),
                    Head::LocalInfile { filename } => {
                        let filename = String::from_utf8_lossy(filename).into();
                        Reply::LocalInfile { filename, sequence: packets.next_sequence() }
                    }
                },
            };
            self.end_reply(&reply);
            return Ok((input.len() - rest.len(), Some(reply)));
        }
    }

    /// Gets ready for the next reply. The numbers go on within a command.
    fn end_reply(&mut self, reply: &Reply) {
        self.state = State::Head;
        let goes_on = match reply {
            Reply::Ok { more_results, .. } | Reply::Rows { more_results, .. } => *more_results,
            Reply::LocalInfile { .. } => true,
            Reply::Err(_) => false,
        };
        if !goes_on {
            self.packets.reset(FIRST_SEQUENCE);
        }
    }
}

/// The state when that many definitions are still to come.
fn after_definition(left: u64, dialect: Dialect) -> State {
    match left {
        0 if dialect.deprecate_eof => State::Rows { seen: 0 },
        0 => State::DefinitionsEnd,
        left => State::Definitions { left },
    }
}

fn want(state: State, start: Start, dialect: Dialect) -> Want {
    match state {
        State::Definitions { .. } => Want::Skip,
        State::Rows { .. } if !ends_rows(start, dialect) => Want::Skip,
        _ => Want::Collect { limit: CONTROL_LIMIT },
    }
}
