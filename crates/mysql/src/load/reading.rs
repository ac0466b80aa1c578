use super::classify::broken;
use crate::protocol::{Columns, Dialect, Reply, RowReader};
use engine::{OperationError, SessionError};
use sql::{Statements, read_row, wrong_rows};
use workload::program::{RowRead, Run, Statement};

/// Takes values out of answers, for the statements that variables read from.
pub(super) struct Reading {
    reader: RowReader,
    /// Those of each statement that was prepared, by place, and then of each that travels as text.
    columns: Box<[Columns]>,
    /// Which of them the answer under way has.
    current: usize,
    /// How many rows it has.
    rows: u64,
    text: Vec<u8>,
}

impl Reading {
    pub(super) fn new(dialect: Dialect, statements: &Statements) -> Self {
        let places = statements.per_client() + statements.program().statements().len();
        Self {
            reader: RowReader::new(dialect),
            columns: vec![Columns::default(); places].into(),
            current: 0,
            rows: 0,
            text: Vec::new(),
        }
    }

    /// The statement in that place was prepared.
    pub(super) fn prepared(&mut self, place: usize, columns: Columns) {
        self.columns[place] = columns;
    }

    /// A statement was sent whose answer begins with that sequence number.
    pub(super) fn expect(&mut self, place: usize, sequence: u8, binary: bool, row: RowRead) {
        self.current = place;
        self.rows = 0;
        self.reader.expect(sequence, binary, row == RowRead::Last);
    }

    pub(super) fn receive(&mut self, input: &[u8]) -> Result<(usize, Option<Reply>), SessionError> {
        let columns = &mut self.columns[self.current];
        self.reader.receive(input, columns).map_err(broken)
    }

    /// Why variables cannot read from the answer that has come.
    pub(super) fn wrong_rows(&self, statement: &Statement) -> Option<Box<OperationError>> {
        wrong_rows(statement, self.rows)
    }

    /// Gives the variables that read from a statement the values of its answer, which has so many rows.
    pub(super) fn take(
        &mut self,
        statement: &Statement,
        rows: u64,
        run: &mut Run,
    ) -> Result<(), SessionError> {
        self.rows = rows;
        let columns = &self.columns[self.current];
        let read = |column, value: &mut _| self.reader.read(columns, column, value).map_err(broken);
        read_row(
            statement,
            rows,
            &mut run.variables,
            |name| columns.find(name),
            read,
            &mut self.text,
        )
    }
}
