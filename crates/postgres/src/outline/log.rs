use model::SqlSyntax;
use workload::draft::{LoggedStatements, StatementLog, StatementTally};

/// Reads a server's log in the format that it has on stderr, whatever `log_line_prefix` is.
#[derive(Debug)]
pub(crate) struct ServerLog {
    tally: StatementTally,
    /// The statement whose further lines may come.
    statement: String,
    seconds: f64,
}

impl Default for ServerLog {
    fn default() -> Self {
        let tally = StatementTally::new(SqlSyntax::STANDARD);
        Self { tally, statement: String::new(), seconds: 0.0 }
    }
}

impl ServerLog {
    fn end(&mut self) {
        self.tally.add(&std::mem::take(&mut self.statement), self.seconds);
    }
}

impl StatementLog for ServerLog {
    fn wanted(&self) -> &'static str {
        "a log of the server in the format of stderr, in English, with log_min_duration_statement = 0 or \
         log_statement = 'all'"
    }

    fn line(&mut self, line: &str) {
        let line = line.trim_end();
        // Further lines of a message are indented by a tab.
        if let Some(more) = line.strip_prefix('\t') {
            if !self.statement.is_empty() {
                StatementTally::append(&mut self.statement, more);
            }
            return;
        }
        self.end();
        if let Some((seconds, statement)) =
            line.split_once("LOG:  ").and_then(|(_, said)| logged(said))
        {
            self.seconds = seconds;
            StatementTally::append(&mut self.statement, statement);
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
