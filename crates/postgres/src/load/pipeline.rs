//! Statements that are sent without waiting: one Sync ends them, and until then nobody answers. Where one
//! is refused the server passes over those after it.

use super::classify::broken;
use super::wire::{PostgresWire, quote};
use crate::protocol::{Answer, PipedAnswer, take_back_sync, write_sync, write_text_execution};
use engine::SessionError;
use sql::{Piped, PipelineWire, Statements};
use workload::program::Run;

impl PipelineWire for PostgresWire {
    fn write(
        &mut self,
        statements: &Statements,
        (statement, text): (usize, usize),
        run: &mut Run,
        out: &mut Vec<u8>,
    ) {
        match statements.place(statement, text) {
            Some(place) => {
                let parameters = &statements.program().statements()[statement].parameters;
                self.write_prepared(place, parameters, run, out);
                take_back_sync(out);
            }
            None => {
                let template = &self.texts[statement][text];
                write_text_execution(out, |out| {
                    template.write(run, quote, out);
                });
            }
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        write_sync(out);
    }

    fn receive(&mut self, input: &[u8]) -> Result<(usize, Option<Piped>), SessionError> {
        let (consumed, answer) = self.reader.receive_piped(input).map_err(broken)?;
        let piped = answer.map(|answer| match answer {
            PipedAnswer::Done { rows, affected_rows } => Piped::Done { rows, affected_rows },
            PipedAnswer::Ended(Answer::Done { .. }) => Piped::Ended,
            PipedAnswer::Ended(Answer::Failed(error, transaction)) => {
                let (error, rolled_back) = self.failed(*error, transaction);
                Piped::Failed { error, rolled_back }
            }
        });
        Ok((consumed, piped))
    }
}
