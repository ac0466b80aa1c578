use super::row::{c_template, pad_template};
use super::statement::{Statement, Wording};
use crate::program::{
    Expression, Function, Parameter, Parts, Program, RowRead, RowsDue, Source, Step, Text,
    Transaction, Variable,
};
use model::{Oltp, OltpDialect, OltpTransaction};

/// The transactions of a workload of the family as a program.
///
/// ```
/// use workload::oltp::{StatementKind, program};
/// use workload::program::{Next, Run};
/// // What sysbench 1.0 prints of a transaction of oltp_read_write: 14 reads, 4 writes, 2 other.
/// let tables = model::Oltp::preset(model::OltpMix::ReadWrite);
/// let program = std::sync::Arc::new(program(&tables));
/// let mut run = Run::new(program.clone(), 7, 0, 1);
/// let mut counts = [0; 3];
/// while let Next::Execute { statement, .. } = run.advance() {
///     counts[match program.statements()[statement].kind {
///         StatementKind::Select => 0,
///         StatementKind::Begin | StatementKind::Commit => 2,
///         _ => 1,
///     }] += 1;
/// }
/// assert_eq!(counts, [14, 4, 2]);
/// ```
pub fn program(workload: &Oltp) -> Program {
    program_in(workload, &Wording::default())
}

/// The same in the words of a kind of server.
pub fn program_in(workload: &Oltp, wording: &Wording) -> Program {
    let writer = Writer { workload, wording, statements: Statement::all_of(&workload.transaction) };
    let statements = writer.statements.iter().map(|statement| writer.statement(*statement));
    let steps = writer.steps();
    Program::new(Parts {
        statements: statements.collect(),
        transactions: vec![Transaction { name: workload.mix.name().to_owned(), weight: 1, steps }],
        variables: writer.variables(),
        sources: writer.sources(),
    })
}

/// The variables, by number. What comes after them are the values of lists.
const TABLE: usize = 0;
const FIRST: usize = 1;
const SECOND: usize = 2;
const LIST: usize = 3;

/// The sources, by number.
const TABLES: usize = 0;
const KEYS: usize = 1;
const OWN_KEYS: usize = 2;
const UNIQUE_NUMBER: usize = 3;
const UNIQUE_ROW: usize = 4;
const BULK: usize = 5;

struct Writer<'a> {
    workload: &'a Oltp,
    wording: &'a Wording,
    statements: Vec<Statement>,
}

/// A run of equal statements: what one `execute_…` of sysbench's script does.
struct Group {
    statement: Statement,
    count: u32,
    /// Each is followed by the insert that puts its row back.
    put_back: bool,
}

fn groups(transaction: &OltpTransaction) -> impl Iterator<Item = Group> {
    let t = transaction;
    let edge = u32::from(t.explicit);
    [
        (Statement::Begin, edge, false),
        (Statement::PointSelect, t.point_selects, false),
        (Statement::PadSelect, t.pad_selects, false),
        (Statement::SimpleRange, t.simple_ranges, false),
        (Statement::SumRange, t.sum_ranges, false),
        (Statement::OrderRange, t.order_ranges, false),
        (Statement::DistinctRange, t.distinct_ranges, false),
        (Statement::IndexUpdate, t.index_updates, false),
        (Statement::NonIndexUpdate, t.non_index_updates, false),
        (Statement::Delete, t.delete_inserts, true),
        (Statement::Delete, t.deletes, false),
        (Statement::InsertRow, t.inserts, false),
        (Statement::RandomPoints, t.random_points, false),
        (Statement::RandomRanges, t.random_ranges, false),
        (Statement::BulkInsert, t.bulk_inserts, false),
        (Statement::Commit, edge, false),
    ]
    .into_iter()
    .filter(|(_, count, _)| *count > 0)
    .map(|(statement, count, put_back)| Group { statement, count, put_back })
}

fn draw(variable: usize, source: usize) -> Step {
    Step::Set { variable, value: Expression::Source(source) }
}

fn shift(variable: usize, from: usize, by: i64) -> Step {
    let sum = [Expression::Variable(from), Expression::integer(by)];
    Step::Set { variable, value: Expression::call(Function::Add, sum) }
}

fn set(variable: usize, value: i64) -> Step {
    Step::Set { variable, value: Expression::integer(value) }
}

impl Writer<'_> {
    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (number, group) in groups(&self.workload.transaction).enumerate() {
            // Generation 0.5 picks one table for all of a transaction, others one for each kind of
            // statement, also where it needs none.
            if number == 0 || self.workload.dialect != OltpDialect::Sysbench05 {
                steps.push(draw(TABLE, TABLES));
            }
            let mut one = self.values(&group);
            one.push(self.execute(group.statement));
            if group.put_back {
                one.push(draw(SECOND, KEYS));
                one.push(self.execute(Statement::Insert));
            }
            steps.push(Step::Repeat { times: group.count, steps: one });
        }
        steps
    }

    fn execute(&self, statement: Statement) -> Step {
        let number = self.statements.iter().position(|one| *one == statement);
        Step::Execute {
            statement: number.unwrap_or(self.statements.len()),
            text: statement.is_per_table().then_some(TABLE),
        }
    }

    /// What gives its values to the statement that follows, in the order in which they are drawn.
    fn values(&self, group: &Group) -> Vec<Step> {
        let workload = self.workload;
        let old = workload.dialect == OltpDialect::Sysbench04;
        let list = |number: u32| LIST + number as usize;
        match group.statement {
            Statement::Begin | Statement::Commit | Statement::BulkInsert => vec![],
            Statement::RandomPoints => {
                (0..workload.points).map(|point| draw(list(point), OWN_KEYS)).collect()
            }
            Statement::RandomRanges => {
                let ends = |range: u32| {
                    let (low, high) = (list(2 * range), list(2 * range + 1));
                    [draw(low, OWN_KEYS), shift(high, low, workload.delta.into())]
                };
                (0..workload.ranges).flat_map(ends).collect()
            }
            Statement::InsertRow => {
                // The server gives the number where it counts rows.
                let id = match (workload.schema.auto_increment, workload.dialect) {
                    (true, _) => set(FIRST, 0),
                    (false, OltpDialect::Sysbench10) => draw(FIRST, UNIQUE_NUMBER),
                    (false, _) => draw(FIRST, UNIQUE_ROW),
                };
                vec![draw(SECOND, KEYS), id]
            }
            Statement::Delete if !group.put_back && old => vec![draw(FIRST, UNIQUE_ROW)],
            statement if statement.is_range() => self.range(statement),
            _ => vec![draw(FIRST, KEYS)],
        }
    }

    /// A row, and the last one of the range that starts with it.
    fn range(&self, statement: Statement) -> Vec<Step> {
        let (size, rows) =
            (i64::from(self.workload.range_size), i64::from(self.workload.table_size));
        let mut steps = vec![draw(FIRST, KEYS)];
        let mut width = size - 1;
        if self.workload.dialect == OltpDialect::Sysbench04 {
            // It kept ranges within the table, and took one row more here.
            width += i64::from(statement == Statement::DistinctRange);
            let last = Expression::integer((rows - size).max(1));
            let kept = Expression::call(Function::Least, [Expression::Variable(FIRST), last]);
            steps.push(Step::Set { variable: FIRST, value: kept });
        }
        steps.push(shift(SECOND, FIRST, width));
        steps
    }

    fn statement(&self, statement: Statement) -> crate::program::Statement {
        let workload = self.workload;
        let tables = if statement.is_per_table() { workload.tables } else { 1 };
        let texts =
            (1..=tables).map(|table| Text::cut(&statement.text(workload, self.wording, table)));
        crate::program::Statement {
            name: statement.name().to_owned(),
            kind: statement.kind(),
            texts: texts.collect(),
            parameters: self.parameters(statement),
            prepared: statement.is_prepared(workload),
            rows_due: self.rows_due(statement),
            reads: vec![],
            row_read: RowRead::First,
        }
    }

    fn parameters(&self, statement: Statement) -> Vec<Parameter> {
        let workload = self.workload;
        let [first, second] = [FIRST, SECOND].map(Parameter::Variable);
        let list =
            |length: u32| (0..length as usize).map(|n| Parameter::Variable(LIST + n)).collect();
        let c = Parameter::Digits(c_template(workload.dialect));
        let pad = Parameter::Digits(pad_template(workload.dialect));
        match statement {
            Statement::Begin | Statement::Commit => vec![],
            Statement::PointSelect
            | Statement::PadSelect
            | Statement::IndexUpdate
            | Statement::Delete => vec![first],
            // Generation 0.5 lets the server add the width of the range.
            Statement::SimpleRange
            | Statement::SumRange
            | Statement::OrderRange
            | Statement::DistinctRange => match workload.dialect {
                OltpDialect::Sysbench05 => vec![first, first],
                _ => vec![first, second],
            },
            Statement::NonIndexUpdate => vec![c, first],
            Statement::Insert if workload.dialect == OltpDialect::Sysbench04 => vec![first],
            Statement::InsertRow if self.wording.omits_id(workload) => vec![second, c, pad],
            Statement::Insert | Statement::InsertRow => vec![first, second, c, pad],
            Statement::RandomPoints => list(workload.points),
            Statement::RandomRanges => list(2 * workload.ranges),
            Statement::BulkInsert => vec![Parameter::Made(BULK)],
        }
    }

    /// On a table that holds the rows 1 to `table_size` without a gap. Where rows go for good, or for
    /// the time between two transactions, answers may well lack them. Of sums and distinct values the
    /// number says nothing.
    fn rows_due(&self, statement: Statement) -> RowsDue {
        let mix = &self.workload.transaction;
        if mix.deletes > 0 || mix.delete_inserts > 0 && !mix.explicit {
            return RowsDue::Any;
        }
        match statement {
            Statement::PointSelect | Statement::PadSelect => RowsDue::Exactly(1),
            Statement::SimpleRange | Statement::OrderRange => {
                RowsDue::Range { first: FIRST, last: SECOND, end: self.workload.table_size.into() }
            }
            _ => RowsDue::Any,
        }
    }

    fn variables(&self) -> Vec<Variable> {
        let mix = &self.workload.transaction;
        let points = self.workload.points * u32::from(mix.random_points > 0);
        let ends = 2 * self.workload.ranges * u32::from(mix.random_ranges > 0);
        let list = (1..=points.max(ends)).map(|number| format!("value{number}"));
        ["table", "first", "second"]
            .into_iter()
            .map(str::to_owned)
            .chain(list)
            .map(|name| Variable { name, initial: None })
            .collect()
    }

    /// In the order of their numbers.
    fn sources(&self) -> Vec<Source> {
        let workload = self.workload;
        let (distribution, rows) = (workload.distribution, workload.table_size);
        vec![
            Source::Between { low: 1, high: workload.tables },
            Source::Keys { distribution, parameters: workload.keys, low: 1, high: rows },
            Source::OwnPart { distribution, parameters: workload.keys, rows },
            Source::UniqueNumber,
            Source::UniqueRow { rows },
            Source::BulkRows { dialect: workload.dialect, limit: None },
        ]
    }
}

#[cfg(test)]
mod tests;
