use crate::load::READER;
use model::SqlSyntax;
use workload::draft::{LoggedStatements, StatementLog, StatementTally};

/// Reads a slow log.
#[derive(Debug)]
pub(crate) struct SlowLog {
    tally: StatementTally,
    /// The statement that is read.
    statement: String,
    seconds: f64,
    /// Whether a statement comes: what stands elsewhere are the words of the server that wrote it.
    is_due: bool,
}

impl Default for SlowLog {
    fn default() -> Self {
        let syntax = READER.system.facts().sql.copied().unwrap_or(SqlSyntax::STANDARD);
        Self {
            tally: StatementTally::new(syntax),
            statement: String::new(),
            seconds: 0.0,
            is_due: false,
        }
    }
}

impl SlowLog {
    fn end(&mut self) {
        self.tally.add(&std::mem::take(&mut self.statement), self.seconds);
    }
}

impl StatementLog for SlowLog {
    fn wanted(&self) -> &'static str {
        "the slow log of the server, a text file"
    }

    fn line(&mut self, line: &str) {
        let line = line.trim_end();
        if let Some(comment) = line.strip_prefix('#') {
            self.end();
            if let Some(rest) = comment.trim_start().strip_prefix("Query_time:") {
                let number = rest.split_whitespace().next().and_then(|word| word.parse().ok());
                self.seconds = number.unwrap_or(0.0);
                self.is_due = true;
            }
            return;
        }
        let is_of_session = |word: &str| {
            let begin = line.get(..word.len());
            self.statement.is_empty() && begin.is_some_and(|begin| begin.eq_ignore_ascii_case(word))
        };
        if is_of_session("SET timestamp=") || is_of_session("use ") {
            return;
        }
        if !self.is_due {
            return;
        }
        StatementTally::append(&mut self.statement, line);
        if line.ends_with(';') {
            self.end();
            self.is_due = false;
        }
    }

    fn finish(mut self: Box<Self>) -> LoggedStatements {
        self.end();
        self.tally.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_log_is_summed_up_without_values() {
        let mut log = Box::new(SlowLog::default());
        let text = "/usr/sbin/mariadbd, Version: 10.11. started with:\n# Time: 1\n# User@Host: a[a] @ [::1]\n\
             # Query_time: 0.5  Lock_time: 0\nuse shop;\nSET timestamp=17;\nSELECT *\nFROM t -- all\nWHERE id = 5;\n\
             # Query_time: 0.25  Lock_time: 0\nSET timestamp=17;\nSELECT * FROM t WHERE id = 6;\n\
             # Query_time: 2  Lock_time: 0\nUPDATE t SET a = 'x' WHERE id = 7;\n\
             /usr/sbin/mariadbd, Version: 10.11. started with:\nTcp port: 3306\nTime Id Command Argument\n\
             # Time: 2\n";
        text.lines().for_each(|line| log.line(line));
        let found: Vec<(String, u64)> =
            log.finish().statements.into_iter().map(|one| (one.text, one.count)).collect();
        let update = ("UPDATE t SET a = ? WHERE id = ?".to_owned(), 1);
        assert_eq!(found, [update, ("SELECT * FROM t WHERE id = ?".to_owned(), 2)]);
    }
}
