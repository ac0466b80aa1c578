/// An error that the server reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    pub severity: Severity,
    /// Five characters of ASCII, such as `40001`.
    pub sql_state: [u8; 5],
    /// The server's words.
    pub message: String,
    /// More of them; empty where there are none.
    pub detail: String,
    /// What the server suggests; empty where that is nothing.
    pub hint: String,
    /// A prepared statement would give other columns now than it did when it was prepared, because a table
    /// was changed: in this session it is of no use any more.
    pub is_stale_plan: bool,
}

/// What becomes of the session after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The statement failed.
    Error,
    /// The server closes the connection.
    Fatal,
}

/// The routine of the server that says so.
const STALE_PLAN: &[u8] = b"RevalidateCachedQuery";
/// The state of an error that came without one: an internal error.
const NO_STATE: [u8; 5] = *b"XX000";

impl ServerError {
    /// The SQL state as text.
    pub fn sql_state_str(&self) -> &str {
        std::str::from_utf8(&self.sql_state).unwrap_or("?????")
    }

    /// An error that came by another way, as its state and message.
    pub(crate) fn of_state(sql_state: &str, message: &str) -> Self {
        Self {
            severity: Severity::Error,
            sql_state: sql_state.as_bytes().try_into().unwrap_or(NO_STATE),
            message: message.to_owned(),
            detail: String::new(),
            hint: String::new(),
            is_stale_plan: false,
        }
    }

    /// Whether the server closes the connection after it.
    pub fn is_last_word(&self) -> bool {
        self.severity == Severity::Fatal
    }

    /// Reads the fields of an ErrorResponse or NoticeResponse.
    pub(super) fn parse(mut body: &[u8]) -> Result<Self, ProtocolError> {
        let mut error = Self::of_state("", "");
        let mut severity: Option<&[u8]> = None;
        loop {
            let (&kind, rest) = body.split_first().ok_or(ProtocolError::Truncated("an error"))?;
            if kind == 0 {
                break;
            }
            let end = rest.iter().position(|&byte| byte == 0);
            let (value, after) = rest.split_at(end.ok_or(ProtocolError::Truncated("an error"))?);
            body = &after[1..];
            let text = || String::from_utf8_lossy(value).into_owned();
            match kind {
                // The first may be in the language of the server; servers before 9.6 send it alone.
                b'S' => severity = severity.or(Some(value)),
                b'V' => severity = Some(value),
                b'C' => error.sql_state = value.try_into().unwrap_or(NO_STATE),
                b'M' => error.message = text(),
                b'D' => error.detail = text(),
                b'H' => error.hint = text(),
                // Whatever the language of the message.
                b'R' => error.is_stale_plan = value == STALE_PLAN,
                _ => {}
            }
        }
        if matches!(severity, Some(b"FATAL" | b"PANIC")) {
            error.severity = Severity::Fatal;
        }
        if !error.sql_state.iter().all(u8::is_ascii_alphanumeric) {
            error.sql_state = NO_STATE;
        }
        Ok(error)
    }
}

impl std::error::Error for ServerError {}

impl std::fmt::Display for ServerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if !self.detail.is_empty() {
            write!(f, "; {}", self.detail)?;
        }
        if !self.hint.is_empty() {
            write!(f, "; the server suggests: {}", self.hint)?;
        }
        write!(f, " (SQL state {})", self.sql_state_str())
    }
}

/// Bytes that the protocol does not allow at that place. The connection is of no use after this:
/// nobody knows where the next message starts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    #[error("the server sent a message that is too short to be {0}")]
    Truncated(&'static str),
    #[error("the server sent a message of the type {} in place of {expected}", shown(*tag))]
    Unexpected { expected: &'static str, tag: u8 },
    #[error("the server sent a message of the type {} with the impossible length {length}", shown(*tag))]
    BadLength { tag: u8, length: i32 },
    #[error(
        "the server sent a message of the type {} of {length} bytes, where {limit} at most make \
         sense", shown(*tag)
    )]
    TooLong { tag: u8, length: usize, limit: usize },
    #[error("the server sent more than {} MiB of rows", limit >> 20)]
    TooMuch { limit: usize },
    #[error("the server sent rows without saying what their columns are")]
    NoColumns,
    #[error("the server expects the data of a COPY, which the statement should not have asked for")]
    UnwantedCopy,
    #[error(
        "it lets the session write (default_transaction_read_only is off), which something in a script \
         brought about; say writes = true with the test where the script may change data"
    )]
    MayWrite,
}

fn shown(tag: u8) -> String {
    match tag {
        b'!'..=b'~' => format!("«{}»", char::from(tag)),
        other => format!("0x{other:02x}"),
    }
}
