//! How a statement is sent, and what variables read from its answer.

use super::{Prepared, ProgramSession, Stage};
use crate::load::classify::broken;
use crate::load::statements::{Fixed, Way};
use crate::protocol::{ParamType, ParamValue, Reply, write_query};
use engine::{OperationError, SessionError};
use model::ErrorClass;
use std::sync::Arc;
use workload::program::{Parameter, Value};

impl<const BY_STATEMENT: bool> ProgramSession<BY_STATEMENT> {
    #[inline]
    pub(super) fn write(&mut self, statement: usize, text: usize, out: &mut Vec<u8>) {
        let form = self.statements.form(statement);
        self.rows_due = self.run.rows_due(form.rows_due);
        self.reads = form.reads;
        self.sequence = 1;
        match &form.way {
            Way::Fixed { packet, values, first } => {
                let place = first + text;
                let id = match &self.prepared[place] {
                    Prepared::Id(id) => *id,
                    Prepared::Text(sql) => {
                        write_query(&**sql, out);
                        return;
                    }
                };
                let first_time = !std::mem::replace(&mut self.executed[place], true);
                let mut slots = packet.write(id, first_time, out);
                for (index, value) in values.iter().enumerate() {
                    match value {
                        Fixed::Integer(variable) => {
                            slots.set_int(index, self.run.integer(*variable));
                        }
                        Fixed::Digits(template) => {
                            self.run.draws.fill(template, slots.str_slot(index));
                        }
                    }
                }
            }
            Way::Text(templates) => {
                self.text.clear();
                let rows = templates[text].write(&mut self.run, &mut self.text);
                self.bulk_rows[1] = rows;
                let sequence = write_query(&self.text, out);
                self.expect(sequence);
            }
            Way::Typed { .. } => self.write_typed(statement, text, out),
        }
        if self.reads {
            self.expect_row(statement, text);
        }
    }

    /// The answer to what was sent begins with that sequence number: another than usual after a
    /// command of several frames.
    #[inline]
    fn expect(&mut self, sequence: u8) {
        if sequence != 1 && !self.reads {
            self.reader.expect_sequence(sequence);
        }
        self.sequence = sequence;
    }

    /// Appends the execution of a statement whose values have no fixed length.
    fn write_typed(&mut self, statement: usize, text: usize, out: &mut Vec<u8>) {
        let statements = Arc::clone(&self.statements);
        let Way::Typed { types, parameters, first } = &statements.form(statement).way else {
            return;
        };
        let place = first + text;
        let Prepared::Id(id) = self.prepared[place] else { return };
        let first_time = !std::mem::replace(&mut self.executed[place], true);
        self.execution.begin(id, first_time, types);
        for parameter in parameters {
            self.text.clear();
            let value = match *parameter {
                Parameter::Variable(variable) | Parameter::Verbatim(variable) => {
                    self.run.variables.get(variable)
                }
                Parameter::Digits(template) => {
                    self.text.resize(template.len(), 0);
                    self.run.draws.fill(template, &mut self.text);
                    self.execution.value(ParamValue::Text(&self.text));
                    continue;
                }
                // What a source makes is not prepared.
                Parameter::Made(_) => Value::Null,
            };
            let value = match (value, types[self.execution.values()]) {
                (Value::Null, _) => ParamValue::Null,
                (Value::Integer(number), ParamType::Int) => ParamValue::Int(number),
                (Value::Double(number), ParamType::Double) => ParamValue::Double(number),
                (Value::Text(holder), _) => ParamValue::Text(self.run.variables.text(holder)),
                (Value::Boolean(is), _) => ParamValue::Text(if is { b"1" } else { b"0" }),
                (value, _) => {
                    self.run.variables.append(value, &mut self.text);
                    ParamValue::Text(&self.text)
                }
            };
            self.execution.value(value);
        }
        let sequence = self.execution.end(out);
        self.expect(sequence);
    }

    /// Variables read from the answer to what was sent.
    #[cold]
    fn expect_row(&mut self, statement: usize, text: usize) {
        let (place, binary) = match &self.statements.form(statement).way {
            Way::Fixed { first, .. } | Way::Typed { first, .. } => {
                (first + text, matches!(self.prepared[first + text], Prepared::Id(_)))
            }
            Way::Text(_) => (self.statements.per_client() + statement, false),
        };
        if let Some(reading) = &mut self.reading {
            let row = self.statements.program().statements()[statement].row_read;
            reading.expect(place, self.sequence, binary, row);
        }
    }

    /// Takes in an answer from which variables read.
    #[cold]
    pub(super) fn receive_row(
        &mut self,
        input: &[u8],
    ) -> Result<(usize, Option<Reply>), SessionError> {
        let (Some(reading), Stage::Executing(statement)) = (&mut self.reading, &self.stage) else {
            return self.reader.receive(input).map_err(broken);
        };
        let received = reading.receive(input)?;
        if let (_, Some(Reply::Rows { rows, .. })) = received {
            reading.take(&self.statements, *statement, rows, &mut self.run)?;
        }
        Ok(received)
    }

    /// Why variables cannot read from the answer to a statement that succeeded.
    #[cold]
    pub(super) fn misread(&self, statement: usize) -> Option<Box<OperationError>> {
        let statement = &self.statements.program().statements()[statement];
        let wrong = self.reading.as_ref()?.wrong_rows(statement)?;
        Some(Box::new(OperationError {
            class: ErrorClass::Statement,
            code: "gset".to_owned(),
            sql_state: String::new(),
            message: format!("{}: {wrong}", statement.name),
        }))
    }
}
