//! Programs that users write: parameters of all types, branches, pauses, values out of answers.

use super::{END, OK, packets};
use crate::load::{MysqlWire, ProgramSession};
use crate::protocol::LoginOptions;
use engine::{Event, Session, SessionError};
use model::{ErrorClass, RequestTally};
use sql::Statements;
use std::sync::Arc;
use std::time::Duration;
use workload::program::{
    Column, Expression, Function, Parameter, Parts, Program, Read, RowRead, RowsDue, Statement,
    StatementKind, Step, Text, Transaction, Variable,
};

fn statement(name: &str, kind: StatementKind, text: &str, parameters: &[usize]) -> Statement {
    Statement {
        name: name.to_owned(),
        kind,
        texts: vec![Text::cut(text)],
        parameters: parameters.iter().map(|number| Parameter::Variable(*number)).collect(),
        prepared: true,
        rows_due: RowsDue::Any,
        reads: vec![],
        row_read: RowRead::First,
    }
}

fn execute(statement: usize) -> Step {
    Step::Execute { statement, text: None }
}

fn set(variable: usize, value: Expression) -> Step {
    Step::Set { variable, value }
}

fn variables(names: &[&str]) -> Vec<Variable> {
    names.iter().map(|name| Variable { name: (*name).to_owned(), initial: None }).collect()
}

const ID: usize = 0;
const RATE: usize = 1;
const BALANCE: usize = 2;

/// Reads a balance, thinks, and changes it where it is above 100.
fn withdrawal(prepared: bool) -> Parts {
    let mut balance = statement(
        "balance",
        StatementKind::Select,
        "SELECT owner, balance FROM account WHERE id=?",
        &[ID],
    );
    balance.reads = vec![Read { column: Column::Name("Balance".to_owned()), variable: BALANCE }];
    let mut statements = vec![
        statement("begin", StatementKind::Begin, "BEGIN", &[]),
        balance,
        statement(
            "withdraw",
            StatementKind::Update,
            "UPDATE account SET balance=?*? WHERE id=?",
            &[BALANCE, RATE, ID],
        ),
        statement("commit", StatementKind::Commit, "COMMIT", &[]),
    ];
    statements.iter_mut().for_each(|statement| statement.prepared = prepared);
    let rich =
        Expression::call(Function::Less, [Expression::integer(100), Expression::Variable(BALANCE)]);
    Parts {
        statements,
        transactions: vec![Transaction {
            name: "withdrawal".to_owned(),
            weight: 1,
            steps: vec![
                set(ID, Expression::integer(7)),
                set(RATE, Expression::double(0.5)),
                execute(0),
                execute(1),
                Step::Think { time: Expression::integer(20), unit: Duration::from_millis(1) },
                Step::If { branches: vec![(rich, vec![execute(2)])], otherwise: vec![] },
                execute(3),
                Step::Think { time: Expression::integer(3), unit: Duration::from_secs(1) },
            ],
        }],
        variables: variables(&["id", "rate", "balance"]),
        sources: vec![],
    }
}

fn definition(name: &str, kind: u8) -> Vec<u8> {
    let mut out = b"\x03def\0\0\0".to_vec();
    out.push(name.len() as u8);
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(&[0, 12, 45, 0, 11, 0, 0, 0, kind, 0, 0, 0, 0, 0]);
    out
}

/// A session that has logged in and prepared its statements.
struct Talk {
    session: ProgramSession<true>,
    out: Vec<u8>,
    tally: RequestTally,
    prepared: bool,
}

impl Talk {
    fn new(parts: Parts) -> Self {
        let statements = Arc::new(Statements::new(Program::new(parts), 1, 1));
        let wire = MysqlWire::new(LoginOptions::default(), &statements);
        let session = ProgramSession::new(wire, Arc::clone(&statements), 0);
        let prepared = statements.per_client() > 0;
        let mut talk = Self { session, out: Vec::new(), tally: RequestTally::default(), prepared };
        talk.session.open(&mut talk.out);
        // MySQL 8 without TLS, and with ends of rows of their own.
        let greeting =
            b"\x0a8.0.40\0\x01\0\0\0abcdefgh\0\x01\xa2\x2d\x02\0\x08\0\x15\0\0\0\0\0\0\0\0\0\0\
            ijklmnopqrst\0mysql_native_password\0";
        talk.hear(&packets(0, &[greeting])).unwrap();
        talk.said();
        let mut event = talk.hear(&packets(2, &[OK])).unwrap();
        for (place, (number, text)) in statements.to_prepare().iter().enumerate() {
            let sql = statements.program().statements()[*number].texts[*text].with_marks();
            assert_eq!(talk.said()[5..], *sql.as_bytes());
            let parameters = sql.matches('?').count() as u8;
            let columns = if sql.starts_with("SELECT") { 2 } else { 0 };
            let head = [0, place as u8 + 1, 0, 0, 0, columns, 0, parameters, 0, 0, 0, 0];
            let (owner, balance) = (definition("owner", 253), definition("balance", 8));
            let mark = definition("?", 253);
            let mut all: Vec<&[u8]> = vec![&head];
            if parameters > 0 {
                all.extend((0..parameters).map(|_| &mark[..]));
                all.push(END);
            }
            if columns > 0 {
                all.extend([&owner[..], &balance[..], END]);
            }
            event = talk.hear(&packets(1, &all)).unwrap();
        }
        assert!(matches!(event, Event::Ready), "{event:?}");
        talk
    }

    fn hear(&mut self, input: &[u8]) -> Result<Event, SessionError> {
        let (consumed, event) = self.session.receive(input, &mut self.out, &mut self.tally)?;
        assert_eq!(consumed, input.len());
        Ok(event)
    }

    fn ok(&mut self) -> Event {
        self.hear(&packets(1, &[OK])).unwrap()
    }

    /// What was sent since it was last asked.
    fn said(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// Begins a transaction up to its pause, of an account that holds so much.
    fn up_to_the_pause(&mut self, balance: i64) {
        self.session.begin(&mut self.out);
        assert!(self.session.take_event().is_none());
        assert!(matches!(self.ok(), Event::More));
        let (owner, column) = (definition("owner", 253), definition("balance", 8));
        let row = match self.prepared {
            true => [&[0, 0, 2, b'm', b'e'][..], &balance.to_le_bytes()].concat(),
            false => {
                let text = balance.to_string();
                [b"\x02me", &[text.len() as u8][..], text.as_bytes()].concat()
            }
        };
        let answer = packets(1, &[&[2], &owner, &column, END, &row, END]);
        // Cut in the middle of the row.
        let cut = answer.len() - 12;
        let (consumed, event) =
            self.session.receive(&answer[..cut], &mut self.out, &mut self.tally).unwrap();
        assert!(matches!(event, Event::More));
        let event = self.hear(&answer[consumed..]).unwrap();
        assert!(matches!(event, Event::Pause(time) if time == Duration::from_millis(20)));
        self.said();
    }
}

#[test]
fn a_value_of_an_answer_decides_a_branch_and_becomes_a_parameter() {
    let mut talk = Talk::new(withdrawal(true));
    talk.said();
    talk.up_to_the_pause(250);
    talk.session.resume(&mut talk.out);
    // No value is NULL; types are sent the first time: a text that was read, a double, an integer.
    let types = [1, 254, 0, 5, 0, 8, 0];
    let mut values = b"\x03250".to_vec();
    values.extend_from_slice(&0.5_f64.to_le_bytes());
    values.extend_from_slice(&7_i64.to_le_bytes());
    assert_eq!(talk.said()[14..], [&[0][..], &types, &values].concat());
    assert!(matches!(talk.ok(), Event::More));
    // The pause at the end belongs to no transaction.
    assert!(matches!(talk.ok(), Event::Done));
    let pause = talk.session.take_event();
    assert!(matches!(pause, Some(Event::Pause(time)) if time == Duration::from_secs(3)));
    talk.up_to_the_pause(99);
    talk.session.resume(&mut talk.out);
    assert_eq!(talk.said()[4..9], [0x17, 4, 0, 0, 0], "the account is too low: COMMIT");
    assert!(matches!(talk.ok(), Event::Done));
    assert_eq!(talk.tally.kinds[..6], [2, 0, 1, 0, 2, 2]);
}

#[test]
fn without_preparing_values_stand_in_the_text() {
    let mut talk = Talk::new(withdrawal(false));
    talk.up_to_the_pause(250);
    talk.session.resume(&mut talk.out);
    let said = talk.said();
    assert_eq!(
        String::from_utf8_lossy(&said[5..]),
        "UPDATE account SET balance='250'*0.5 WHERE id=7"
    );
    assert_eq!(talk.session.names(), ["begin", "balance", "withdraw", "commit"]);
}

#[test]
fn a_value_that_cannot_be_computed_fails_the_transaction_and_rolls_it_back() {
    let mut parts = withdrawal(true);
    let zero = Expression::call(Function::Divide, [Expression::integer(1), Expression::integer(0)]);
    parts.transactions[0].steps.insert(3, set(BALANCE, zero));
    let mut talk = Talk::new(parts);
    talk.session.begin(&mut talk.out);
    talk.said();
    assert!(matches!(talk.ok(), Event::More));
    assert_eq!(talk.said()[5..], *b"ROLLBACK");
    let Event::Failed(error) = talk.ok() else { panic!("it failed") };
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::Statement, "script"));
    let message = &error.message;
    assert!(message.contains(": \\set ") && message.ends_with(": division by zero"), "{error:?}");
}

/// The answer to the second statement: these balances.
fn balances(balances: &[i64]) -> Vec<u8> {
    let (owner, column) = (definition("owner", 253), definition("balance", 8));
    let row = |balance: &i64| [&[0, 0, 2, b'm', b'e'][..], &balance.to_le_bytes()].concat();
    let rows: Vec<Vec<u8>> = balances.iter().map(row).collect();
    let mut all: Vec<&[u8]> = vec![&[2], &owner, &column, END];
    all.extend(rows.iter().map(Vec::as_slice));
    all.push(END);
    packets(1, &all)
}

#[test]
fn an_answer_without_the_one_row_that_is_read_fails_the_transaction_as_an_error_of_the_statement() {
    let mut parts = withdrawal(true);
    parts.statements[1].row_read = RowRead::Only;
    let mut talk = Talk::new(parts);
    for (rows, wrong) in [(&[][..], 0), (&[1, 2, 3], 3)] {
        talk.session.begin(&mut talk.out);
        assert!(matches!(talk.ok(), Event::More));
        talk.said();
        assert!(matches!(talk.hear(&balances(rows)).unwrap(), Event::More));
        let answered = talk.session.take_answered().unwrap();
        assert_eq!((answered.kind, answered.refused), (1, true));
        assert_eq!(talk.said()[5..], *b"ROLLBACK");
        let Event::Failed(error) = talk.ok() else { panic!("it failed") };
        assert_eq!((error.class, error.name().as_str()), (ErrorClass::Statement, "gset"));
        let message = format!("balance: \\gset needs one row, the answer has {wrong}");
        assert_eq!(error.message, message);
    }
    talk.session.begin(&mut talk.out);
    talk.ok();
    assert!(matches!(talk.hear(&balances(&[1])).unwrap(), Event::Pause(_)));
    // The server executed each of them.
    assert_eq!(talk.tally.kinds[..7], [3, 0, 0, 0, 3, 0, 2]);
}

#[test]
fn the_last_row_is_read_where_there_may_be_any_number_and_without_one_nothing_changes() {
    let mut parts = withdrawal(true);
    parts.statements[1].row_read = RowRead::Last;
    let mut talk = Talk::new(parts);
    // Only above 100 there is an UPDATE, with the balance as its first value.
    for (rows, read) in [(&[101, 102, 250][..], "250"), (&[], "250"), (&[300], "300")] {
        talk.session.begin(&mut talk.out);
        talk.ok();
        assert!(matches!(talk.hear(&balances(rows)).unwrap(), Event::Pause(_)));
        talk.said();
        talk.session.resume(&mut talk.out);
        let said = talk.said();
        let value = [&[read.len() as u8][..], read.as_bytes()].concat();
        assert!(said.windows(value.len()).any(|bytes| bytes == value), "{read}: {said:?}");
        assert!(matches!(talk.ok(), Event::More));
        assert!(matches!(talk.ok(), Event::Done));
        talk.session.take_event();
    }
}

#[test]
fn a_column_that_the_answer_lacks_ends_the_load() {
    let mut parts = withdrawal(true);
    parts.statements[1].reads[0].column = Column::Name("saldo".to_owned());
    let mut talk = Talk::new(parts);
    talk.session.begin(&mut talk.out);
    talk.ok();
    let (owner, balance) = (definition("owner", 253), definition("balance", 8));
    let row = [&[0, 0, 0][..], &1_i64.to_le_bytes()].concat();
    let answer = packets(1, &[&[2], &owner, &balance, END, &row, END]);
    let error = talk.hear(&answer).unwrap_err().to_string();
    assert!(error.ends_with("the answer to balance has no column saldo"), "{error}");
}

#[test]
fn transactions_are_told_apart() {
    let mut parts = withdrawal(true);
    let other = Transaction {
        name: "nothing".to_owned(),
        weight: 1_000_000,
        steps: vec![Step::Repeat { times: 2, steps: vec![execute(3)] }],
    };
    parts.transactions.push(other);
    let mut talk = Talk::new(parts);
    assert_eq!(talk.session.names().len(), 4);
    assert_eq!(talk.session.transaction_names(), ["withdrawal", "nothing"]);
    talk.session.begin(&mut talk.out);
    assert!(matches!(talk.ok(), Event::More));
    assert!(matches!(talk.ok(), Event::Done));
    assert_eq!(talk.session.transaction(), Some(1));
}
