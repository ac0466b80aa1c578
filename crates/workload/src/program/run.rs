use super::beginning::beginning;
use super::code::{Edge, Op};
use super::retry::Before;
use super::{
    Draws, EvaluationError, Expression, Program, RowsDue, Value, Variables, is_true, to_integer,
};
use std::sync::Arc;
use std::time::Duration;

/// One client's way through a program.
#[derive(Debug)]
pub struct Run {
    program: Arc<Program>,
    /// What parameters are taken from.
    pub variables: Variables,
    pub draws: Draws,
    counters: Box<[u32]>,
    /// The operation that comes next.
    place: usize,
    transaction: usize,
    under_way: bool,
    in_transaction: bool,
    error: Option<EvaluationError>,
    /// How long the client does nothing after the transaction that has ended.
    rest: Duration,
    /// What the transaction under way began with; absent where none is done again.
    before: Option<Box<Before>>,
    /// Whether it comes next again.
    again: bool,
}

/// What a client does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// Executes that statement, in its text of that number, from 0.
    Execute { statement: usize, text: usize },
    /// Sends the statements that come next without waiting.
    OpenPipeline,
    /// Waits for their answers.
    EndPipeline,
    /// Does nothing for so long.
    Think(Duration),
    /// The transaction is over.
    Ended,
    /// The transaction cannot go on: see [`Run::error`].
    Failed,
}

impl Run {
    /// The way of client number `client`, from 0, of `clients`.
    pub fn new(program: Arc<Program>, seed: u64, client: u32, clients: u32) -> Self {
        let parts = &program.parts;
        let variables = beginning(&parts.variables, seed, client);
        let draws = Draws::new(&parts.sources, seed, client, clients);
        Self {
            before: Before::room(&program, &variables, &draws),
            again: false,
            variables,
            draws,
            counters: vec![0; program.counters].into(),
            place: 0,
            transaction: 0,
            under_way: false,
            in_transaction: false,
            error: None,
            rest: Duration::ZERO,
            program,
        }
    }

    /// Whether the server has a transaction open, as far as its statements tell.
    pub fn in_transaction(&self) -> bool {
        self.in_transaction
    }

    /// The transaction under way, or the last one.
    pub fn transaction(&self) -> usize {
        self.transaction
    }

    /// How long the client does nothing after the transaction that has ended.
    #[inline]
    pub fn take_rest(&mut self) -> Option<Duration> {
        if self.rest.is_zero() {
            return None;
        }
        Some(std::mem::take(&mut self.rest))
    }

    /// Why the last transaction that failed for a value could not go on.
    pub fn error(&self) -> Option<EvaluationError> {
        self.error
    }

    /// The same in words, with the transaction and the command of its script.
    #[cold]
    pub fn error_in_words(&self) -> String {
        let Some(error) = self.error else { return String::new() };
        let parts = &self.program.parts;
        let name = |variable: u32| {
            parts.variables.get(variable as usize).map_or("", |variable| variable.name.as_str())
        };
        let at = self.place.checked_sub(1).and_then(|at| self.program.code.get(at));
        let command = match at {
            Some(Op::Set { variable, .. } | Op::Shift { variable, .. }) => {
                format!(" \\set {}:", name(*variable))
            }
            Some(Op::Pick { variable, .. }) => format!(" \\values {}:", name(*variable)),
            Some(Op::Unless { .. }) => " \\if or \\elif:".to_owned(),
            Some(Op::Think { .. }) => " \\sleep:".to_owned(),
            _ => String::new(),
        };
        let transaction = parts.transactions.get(self.transaction);
        let transaction = transaction.map_or("", |transaction| transaction.name.as_str());
        format!("{transaction}:{command} {error}")
    }

    /// Whether the transaction under way may be done again.
    pub fn can_retry(&self) -> bool {
        self.program.retries[self.transaction]
    }

    /// Abandons what is left of the current transaction, which comes next again, with the same values.
    /// Only where [`Self::can_retry`].
    pub fn again(&mut self) {
        self.restart();
        self.again = self.before.is_some();
    }

    /// Whether the transaction that was abandoned last comes next again.
    pub fn comes_again(&self) -> bool {
        self.again
    }

    /// Abandons what is left of the current transaction.
    pub fn restart(&mut self) {
        self.under_way = false;
        self.again = false;
        self.in_transaction = false;
        self.rest = Duration::ZERO;
    }

    /// Goes on to the next statement, or what else takes time.
    #[inline]
    pub fn advance(&mut self) -> Next {
        if !self.under_way {
            self.choose();
        }
        // Operations are looked at where they stand: copying one costs as much as what it does.
        let Self { program, variables, draws, counters, .. } = self;
        let mut place = self.place;
        loop {
            let op = &program.code[place];
            place += 1;
            match op {
                Op::Draw { variable, times, source } => {
                    let values = &mut variables.values[*variable as usize..][..*times as usize];
                    draws.fill_values(*source as usize, values);
                }
                Op::ExecuteOne { statement, variable, edge } => {
                    // Counted from 1.
                    let text = variables.integer(*variable as usize).max(1) as usize - 1;
                    let (statement, edge) = (*statement, *edge);
                    self.place = place;
                    return self.execute(statement, text, edge);
                }
                Op::Again { counter, to } => {
                    let left = &mut counters[*counter as usize];
                    *left -= 1;
                    if *left > 0 {
                        place = *to as usize;
                    }
                }
                Op::Begin { counter, times } => counters[*counter as usize] = *times,
                Op::Shift { variable, from, by } => {
                    // Only variables that hold integers, whenever they are read, are added to so.
                    let sum = variables.integer(*from as usize).checked_add((*by).into());
                    let Some(sum) = sum else {
                        return self.fail(place, EvaluationError::OutOfRange("a result"));
                    };
                    variables.values[*variable as usize] = Value::Integer(sum);
                }
                Op::Execute { statement, edge } => {
                    let (statement, edge) = (*statement, *edge);
                    self.place = place;
                    return self.execute(statement, 0, edge);
                }
                Op::Jump { to } => place = *to as usize,
                Op::End => {
                    self.under_way = false;
                    return Next::Ended;
                }
                Op::OpenPipeline => {
                    self.place = place;
                    return Next::OpenPipeline;
                }
                Op::EndPipeline => {
                    self.place = place;
                    return Next::EndPipeline;
                }
                Op::Set { variable, expression } => {
                    match program.set(*variable, *expression, variables, draws) {
                        Ok(()) => {}
                        Err(error) => return self.fail(place, error),
                    }
                }
                Op::Pick { variable, source, row } => {
                    match program.pick(*variable, *source, *row, variables, draws) {
                        Ok(()) => {}
                        Err(error) => return self.fail(place, error),
                    }
                }
                Op::Unless { expression, to } => {
                    match program.evaluate(*expression, variables, draws) {
                        Ok(value) if is_true(value) => {}
                        Ok(_) => place = *to as usize,
                        Err(error) => return self.fail(place, error),
                    }
                }
                Op::Think { expression, unit } => {
                    let value = program.evaluate(*expression, variables, draws);
                    let unit = *unit;
                    self.place = place;
                    let ends = matches!(program.code[place], Op::End);
                    match value {
                        // What comes last belongs to no transaction.
                        Ok(value) if ends => {
                            self.rest = pause(value, unit);
                            self.under_way = false;
                            return Next::Ended;
                        }
                        Ok(value) => return Next::Think(pause(value, unit)),
                        Err(error) => return self.fail(place, error),
                    }
                }
            }
        }
    }

    #[inline]
    fn execute(&mut self, statement: u32, text: usize, edge: Edge) -> Next {
        if edge != Edge::None {
            self.in_transaction = edge == Edge::Opens;
        }
        Next::Execute { statement: statement as usize, text }
    }

    #[cold]
    fn fail(&mut self, place: usize, error: EvaluationError) -> Next {
        self.place = place;
        self.error = Some(error);
        Next::Failed
    }

    /// Picks the transaction that comes next.
    #[inline]
    fn choose(&mut self) {
        self.under_way = true;
        if std::mem::take(&mut self.again) {
            if let Some(before) = &self.before {
                before.give_back(&mut self.variables, &mut self.draws);
            }
            self.place = self.program.starts[self.transaction] as usize;
            return;
        }
        if self.program.starts.len() > 1 {
            let mut at = self.draws.stream.below(self.program.total_weight.max(1));
            let weights = self.program.parts.transactions.iter().map(|one| u64::from(one.weight));
            self.transaction = 0;
            for (number, weight) in weights.enumerate() {
                self.transaction = number;
                if at < weight {
                    break;
                }
                at -= weight;
            }
        }
        self.place = self.program.starts[self.transaction] as usize;
        if let Some(before) =
            self.before.as_mut().filter(|_| self.program.retries[self.transaction])
        {
            before.keep(&self.variables, &self.draws);
        }
    }

    /// Rows that the answer to a statement must have; 0 where nothing can be said of it.
    #[inline]
    pub fn rows_due(&self, due: RowsDue) -> u64 {
        match due {
            RowsDue::Any => 0,
            RowsDue::Exactly(rows) => rows,
            RowsDue::Range { first, last, end } => {
                let rows = self.integer(last).min(end) - self.integer(first) + 1;
                u64::try_from(rows).unwrap_or(0)
            }
        }
    }

    /// The number that a variable of integers holds.
    #[inline]
    pub fn integer(&self, variable: usize) -> i64 {
        self.variables.integer(variable)
    }
}

impl Program {
    #[inline(never)]
    fn evaluate(
        &self,
        expression: u32,
        variables: &Variables,
        draws: &mut Draws,
    ) -> Result<Value, EvaluationError> {
        self.expressions[expression as usize].evaluate(variables, draws)
    }

    #[inline(never)]
    fn set(
        &self,
        variable: u32,
        expression: u32,
        variables: &mut Variables,
        draws: &mut Draws,
    ) -> Result<(), EvaluationError> {
        // A text is copied as it is: only what computes takes it for a number.
        let value = match &self.expressions[expression as usize] {
            Expression::Variable(from) => variables.get(*from),
            other => other.evaluate(variables, draws)?,
        };
        variables.set(variable as usize, value);
        Ok(())
    }

    #[inline(never)]
    fn pick(
        &self,
        variable: u32,
        source: u32,
        row: Option<u32>,
        variables: &mut Variables,
        draws: &mut Draws,
    ) -> Result<(), EvaluationError> {
        let row = match row {
            Some(row) => Some(to_integer(self.evaluate(row, variables, draws)?)?),
            None => None,
        };
        draws.pick(source as usize, row, variable as usize, variables)
    }
}

/// So many units, which are nanoseconds; too much and too little end at the edges.
fn pause(times: Value, unit: u64) -> Duration {
    Duration::from_nanos(match times {
        Value::Integer(number) => unit.saturating_mul(number.max(0) as u64),
        Value::Double(number) => (unit as f64 * number) as u64,
        _ => 0,
    })
}
