use super::record::{CsvRecord, Line, Record, json};
use model::SqlSyntax;
use workload::draft::{LoggedStatements, StatementLog, StatementTally};

/// Reads a server's log: csvlog, jsonlog, or the format that it has on stderr, whatever `log_line_prefix` is.
#[derive(Debug)]
pub(crate) struct ServerLog {
    tally: StatementTally,
    /// The statement whose further lines may come.
    statement: String,
    seconds: f64,
    csv: CsvRecord,
}

impl Default for ServerLog {
    fn default() -> Self {
        let tally = StatementTally::new(SqlSyntax::STANDARD);
        Self { tally, statement: String::new(), seconds: 0.0, csv: CsvRecord::default() }
    }
}

impl ServerLog {
    fn end(&mut self) {
        self.tally.add(&std::mem::take(&mut self.statement), self.seconds);
    }

    /// A message may tell of a statement, whose further lines may come.
    fn message(&mut self, said: &str) {
        self.end();
        if let Some((seconds, statement)) = logged(said) {
            self.seconds = seconds;
            StatementTally::append(&mut self.statement, statement);
        }
    }

    /// A message that is all there.
    fn record(&mut self, record: &Record) {
        if record.severity == "LOG" {
            self.message(&record.message);
        }
        self.end();
    }
}

impl StatementLog for ServerLog {
    fn wanted(&self) -> &'static str {
        "a log of the server in the format of stderr, csvlog or jsonlog, in English, with \
         log_min_duration_statement = 0 or log_statement = 'all'"
    }

    fn line(&mut self, line: &str) {
        let line = line.trim_end();
        match self.csv.line(line) {
            Line::Ends(record) => return self.record(&record),
            Line::GoesOn => return,
            Line::Other => {}
        }
        if let Some(record) = json(line) {
            return self.record(&record);
        }
        // Further lines of a message are indented by a tab.
        if let Some(more) = line.strip_prefix('\t') {
            if !self.statement.is_empty() {
                StatementTally::append(&mut self.statement, more);
            }
            return;
        }
        match line.split_once("LOG:  ") {
            Some((_, said)) => self.message(said),
            None => self.end(),
        }
    }

    fn finish(mut self: Box<Self>) -> LoggedStatements {
        self.end();
        self.tally.finish()
    }
}

/// What a message says of a statement that ran: how long, where it says so, and its text. One that was only
/// parsed or bound has a message of its own for that.
fn logged(said: &str) -> Option<(f64, &str)> {
    let (seconds, said) = match said.strip_prefix("duration: ") {
        None => (0.0, said),
        Some(rest) => {
            let (number, rest) = rest.split_once(" ms")?;
            (number.parse::<f64>().ok()? / 1e3, rest.trim_start())
        }
    };
    let statement = match said.strip_prefix("statement: ") {
        Some(statement) => statement,
        None => said.strip_prefix("execute ")?.split_once(": ")?.1,
    };
    Some((seconds, statement))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_formats_of_a_log_tell_the_same() {
        let csv = "2026-11-28 00:10:00.123 UTC,\"ann\",\"shop\",17,\"[local]\",6745.11,3,\"SELECT\",\
             2026-11-28 00:09:59 UTC,3/12,0,LOG,00000,\"duration: 0.250 ms  statement: SELECT a -- b\n\
             FROM t\nWHERE \"\"c\"\" = 'x'\",,,,,,,,,\"psql\",\"client backend\",,0\n\
             2026-11-28 00:10:00.123 UTC,\"ann\",\"shop\",17,\"[local]\",6745.11,4,\"SELECT\",\
             2026-11-28 00:09:59 UTC,3/12,0,ERROR,42P01,\"duration: 0.250 ms  statement: SELECT 9\",,,,,,,,,\
             \"psql\",\"client backend\",,0\n";
        let json = "{\"error_severity\":\"LOG\",\"message\":\"duration: 0.250 ms  statement: SELECT a -- b\\nFROM \
             t\\nWHERE \\\"c\\\" = 'x'\"}\n{\"error_severity\":\"ERROR\",\"message\":\"statement: SELECT 9\"}\n";
        let stderr = "2026-11-28 [17] LOG:  duration: 0.250 ms  statement: SELECT a -- b\n\
             \tFROM t\n\tWHERE \"c\" = 'x'\n2026-11-28 [17] ERROR:  statement: SELECT 9\n";
        for text in [csv, json, stderr] {
            let mut log = Box::new(ServerLog::default());
            text.lines().for_each(|line| log.line(line));
            let found = log.finish().statements;
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].text, "SELECT a FROM t WHERE \"c\" = ?");
        }
    }

    #[test]
    fn statements_of_all_protocols_are_summed_up_without_values() {
        let mut log = Box::new(ServerLog::default());
        let text = "2026-11-27 20:00:00.123 UTC [17] LOG:  starting PostgreSQL 15\n\
             2026-11-27 20:00:00.123 UTC [17] ann@shop LOG:  duration: 0.250 ms  statement: SELECT *\n\
             \tFROM t -- all of it\n\tWHERE id = 5\n\
             2026-11-27 20:00:00.124 UTC [17] LOG:  duration: 0.1 ms  parse <unnamed>: SELECT 1\n\
             2026-11-27 20:00:00.124 UTC [17] LOG:  duration: 0.1 ms  bind <unnamed>: SELECT 1\n\
             2026-11-27 20:00:00.124 UTC [17] LOG:  duration: 0.5 ms  execute S_1: SELECT * FROM t WHERE id = $1\n\
             2026-11-27 20:00:00.124 UTC [17] DETAIL:  parameters: $1 = 'x'\n\
             2026-11-27 20:00:00.125 UTC [17] LOG:  statement: UPDATE t SET a = 'LOG:  x' WHERE id = 7\n\
             2026-11-27 20:00:00.125 UTC [17] LOG:  duration: 9.0 ms\n\
             2026-11-27 20:00:00.126 UTC [17] ERROR:  relation \"u\" does not exist\n\
             2026-11-27 20:00:00.126 UTC [17] STATEMENT:  SELECT * FROM u\n\
             LOG:  execute <unnamed>: SELECT 2\n";
        text.lines().for_each(|line| log.line(line));
        let found: Vec<(String, u64)> =
            log.finish().statements.into_iter().map(|one| (one.text, one.count)).collect();
        assert_eq!(
            found,
            [
                ("SELECT * FROM t WHERE id = ?".to_owned(), 2),
                ("SELECT ?".to_owned(), 1),
                ("UPDATE t SET a = ? WHERE id = ?".to_owned(), 1),
            ]
        );
    }
}
