//! From the greeting to the last prepared statement.

use super::{Prepared, ProgramSession, Stage};
use crate::load::classify::{broken, operation_error};
use crate::load::reading::Reading;
use crate::protocol::{
    Dialect, LoginStep, PrepareReader, Reply, ResponseReader, write_prepare, write_query,
};
use engine::{Event, SessionError};

/// MySQL prepares no BEGIN, MariaDB does: as sysbench does it, the statement is sent as text then.
const ER_UNSUPPORTED_PS: u16 = 1295;

impl<const BY_STATEMENT: bool> ProgramSession<BY_STATEMENT> {
    pub(super) fn log_in(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(usize, Event), SessionError> {
        let Stage::LoggingIn(login) = &mut self.stage else {
            return Err(SessionError::Protocol("a greeting after the login".to_owned()));
        };
        match login.receive(input, out).map_err(|error| SessionError::Login(Box::new(error)))? {
            LoginStep::NeedMore { consumed } => Ok((consumed, Event::More)),
            LoginStep::StartTls { consumed } => Ok((consumed, Event::StartTls)),
            LoginStep::Done { consumed, session } => {
                self.reader = ResponseReader::new(session.dialect);
                self.compression = session.dialect.compressed.then(Box::default);
                let reading = || Box::new(Reading::new(session.dialect, &self.statements));
                self.reading = self.statements.any_reads().then(reading);
                Ok((consumed, self.open_session(session.dialect, out)))
            }
        }
    }

    /// Sends what comes before all other statements, where there is such.
    fn open_session(&mut self, dialect: Dialect, out: &mut Vec<u8>) -> Event {
        match self.statements.opening() {
            Some(sql) => {
                write_query(sql, out);
                self.stage = Stage::Opening(dialect);
                Event::More
            }
            None => self.prepare_next(dialect, out),
        }
    }

    pub(super) fn opening(
        &mut self,
        dialect: Dialect,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(usize, Event), SessionError> {
        let (consumed, reply) = self.reader.receive(input).map_err(broken)?;
        match reply {
            None => Ok((consumed, Event::More)),
            Some(Reply::Err(error)) => {
                Err(SessionError::LoginRefused(Box::new(operation_error(*error))))
            }
            Some(_) => Ok((consumed, self.prepare_next(dialect, out))),
        }
    }

    fn prepare_next(&mut self, dialect: Dialect, out: &mut Vec<u8>) -> Event {
        match self.statements.sql(self.prepared.len()) {
            Some(sql) => {
                write_prepare(&sql, out);
                let reader = match self.statements.reads(self.prepared.len()) {
                    true => PrepareReader::with_columns(dialect),
                    false => PrepareReader::new(dialect),
                };
                self.stage = Stage::Preparing(Box::new(reader), dialect);
                Event::More
            }
            None => {
                self.stage = Stage::Idle;
                Event::Ready
            }
        }
    }

    pub(super) fn prepare(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(usize, Event), SessionError> {
        let Stage::Preparing(reader, dialect) = &mut self.stage else {
            return Err(SessionError::Protocol("a statement that was not prepared".to_owned()));
        };
        let dialect = *dialect;
        let (consumed, prepared) = reader.receive(input).map_err(broken)?;
        match prepared {
            None => Ok((consumed, Event::More)),
            Some(Ok(prepared)) => {
                if let Some(reading) = &mut self.reading {
                    reading.prepared(self.prepared.len(), reader.take_columns());
                }
                self.prepared.push(Prepared::Id(prepared.id));
                Ok((consumed, self.prepare_next(dialect, out)))
            }
            Some(Err(error)) => {
                let place = self.prepared.len();
                let statement = self.statements.sql(place).unwrap_or_default();
                if error.code == ER_UNSUPPORTED_PS && self.statements.is_constant(place) {
                    self.prepared.push(Prepared::Text(statement.into()));
                    return Ok((consumed, self.prepare_next(dialect, out)));
                }
                let error = Box::new(operation_error(error));
                Err(SessionError::Prepare { statement, error })
            }
        }
    }
}
