//! Scripts that make data: one statement after another, over one connection.

use super::file::DataReader;

use super::work::Work;
use super::{SqlConnection, shortened, while_doing};
use model::{DataFile, Failure, FailureKind};
use workload::data::{ScriptError, ScriptReader, ScriptStatement, StatementFacts};

/// Bytes of a line, which a dump's inserts are.
const LONGEST_LINE: u64 = 64 << 20;

impl Work<'_> {
    /// Runs a script, to its end.
    pub(super) fn run_script(&self, file: &DataFile) -> Result<(), Failure> {
        let mut connection = self.server.connect()?;
        let mut reader = DataReader::open(file, &|| self.check_stop())?;
        let mut statements = ScriptReader::new(self.server.syntax());
        let wrong = |error: ScriptError| {
            let message = format!("{}, {error}", file.name);
            Failure::new(FailureKind::Other, message, "correct the script there")
        };
        let (mut line, mut found) = (Vec::new(), Vec::new());
        while reader.line(LONGEST_LINE, &mut line)? {
            statements.line(&line, &mut found).map_err(wrong)?;
            for statement in found.drain(..) {
                self.run_statement(file, &statement, connection.as_mut())?;
            }
            self.has_done(reader.progress());
            line.clear();
        }
        reader.check()?;
        match statements.end().map_err(wrong)? {
            Some(last) => self.run_statement(file, &last, connection.as_mut()),
            None => Ok(()),
        }
    }

    fn run_statement(
        &self,
        file: &DataFile,
        statement: &ScriptStatement,
        connection: &mut dyn SqlConnection,
    ) -> Result<(), Failure> {
        self.check_stop()?;
        let ScriptStatement { line, text } = statement;
        let place = || format!("{}, line {line} («{}»)", file.name, shortened(text));
        let facts = StatementFacts::from_text(text, &self.server.syntax());
        let extends = facts.extends && self.elsewhere.is_some();
        let extends = extends.then(|| "an extension stays when the data is removed".to_owned());
        if let Some(why) = facts.refused.as_ref().or(extends.as_ref()) {
            return Err(Failure::new(
                FailureKind::NotPermitted,
                format!("{}: weighin does not run it: {why}", place()),
                "leave it out of the script, and do it yourself where it is needed",
            ));
        }
        let is_elsewhere = |name: &&String| {
            self.elsewhere.iter().flatten().any(|other| other.eq_ignore_ascii_case(name))
        };
        if let Some(other) = facts.qualifiers.iter().find(is_elsewhere) {
            return Err(Failure::new(
                FailureKind::NotPermitted,
                format!("{}: weighin does not run it: it names the database {other}", place()),
                "write names without a database: all is made in that of the target",
            ));
        }
        if let Some((kind, name)) = &facts.makes {
            self.note_object(*kind, name)?;
        }
        match connection.execute(text) {
            Ok(_) => Ok(()),
            Err(error) => Err(while_doing(&place(), error.failure)),
        }
    }
}
