//! Steps as a row of operations with jumps, and what variables hold.

use super::{
    Expression, Function, Initial, Parameter, Parts, RowRead, StatementKind, Step, Value, ValueType,
};

/// What a run does next. The ones that the built-in workloads are made of have forms of their own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// The statement, in its first text.
    Execute {
        statement: u32,
        edge: Edge,
    },
    /// The statement, in the text that the variable tells.
    ExecuteOne {
        statement: u32,
        variable: u32,
        edge: Edge,
    },
    /// So many numbers for variables one after another.
    Draw {
        variable: u32,
        times: u32,
        source: u32,
    },
    /// One variable plus a number.
    Shift {
        variable: u32,
        from: u32,
        by: i32,
    },
    Set {
        variable: u32,
        expression: u32,
    },
    /// A value of a source, in the row that the expression tells.
    Pick {
        variable: u32,
        source: u32,
        row: Option<u32>,
    },
    Begin {
        counter: u32,
        times: u32,
    },
    /// Back to that place unless it was the last time.
    Again {
        counter: u32,
        to: u32,
    },
    Unless {
        expression: u32,
        to: u32,
    },
    Jump {
        to: u32,
    },
    OpenPipeline,
    EndPipeline,
    Think {
        expression: u32,
        /// In nanoseconds.
        unit: u64,
    },
    /// The transaction is over.
    End,
}

/// What a statement does to the transaction that the server has open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    None,
    Opens,
    Closes,
}

impl Edge {
    fn for_kind(kind: StatementKind) -> Self {
        match kind {
            StatementKind::Begin => Self::Opens,
            StatementKind::Commit | StatementKind::Rollback => Self::Closes,
            _ => Self::None,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Compiled {
    pub(super) code: Vec<Op>,
    pub(super) expressions: Vec<Expression>,
    pub(super) starts: Vec<u32>,
    pub(super) counters: usize,
    /// The last place that an operation jumps to.
    jumped_to: usize,
    pub(super) types: Vec<ValueType>,
}

pub(super) fn compile(parts: &Parts) -> Compiled {
    let mut compiled = Compiled { types: Types::infer(parts), ..Compiled::default() };
    for transaction in &parts.transactions {
        let start = compiled.here();
        compiled.starts.push(start);
        compiled.steps(&transaction.steps, 0);
        compiled.code.push(Op::End);
    }
    compiled.check(parts);
    for op in &mut compiled.code {
        if let Op::Execute { statement, edge } | Op::ExecuteOne { statement, edge, .. } = op {
            *edge = Edge::for_kind(parts.statements[*statement as usize].kind);
        }
    }
    compiled
}

impl Compiled {
    /// Where the next operation stands, to which others jump.
    fn here(&mut self) -> u32 {
        self.jumped_to = self.code.len();
        self.code.len() as u32
    }

    fn expression(&mut self, expression: &Expression) -> u32 {
        self.expressions.push(expression.clone());
        self.expressions.len() as u32 - 1
    }

    fn steps(&mut self, steps: &[Step], depth: u32) {
        for step in steps {
            self.step(step, depth);
        }
    }

    fn step(&mut self, step: &Step, depth: u32) {
        match step {
            Step::Execute { statement, text } => {
                let statement = *statement as u32;
                // Set when all statements are known to be there.
                let edge = Edge::None;
                self.code.push(match text {
                    None => Op::Execute { statement, edge },
                    Some(variable) => {
                        Op::ExecuteOne { statement, variable: *variable as u32, edge }
                    }
                });
            }
            Step::Set { variable, value } => {
                let op = self.set(*variable as u32, value);
                self.push_merged(op);
            }
            Step::Pick { variable, source, row } => {
                let row = row.as_ref().map(|row| self.expression(row));
                let (variable, source) = (*variable as u32, *source as u32);
                self.code.push(Op::Pick { variable, source, row });
            }
            Step::Repeat { times: 0, .. } => {}
            Step::Repeat { times: 1, steps } => self.steps(steps, depth),
            Step::Repeat { times, steps } => {
                self.counters = self.counters.max(depth as usize + 1);
                self.code.push(Op::Begin { counter: depth, times: *times });
                let to = self.here();
                self.steps(steps, depth + 1);
                self.code.push(Op::Again { counter: depth, to });
            }
            Step::If { branches, otherwise } => self.branches(branches, otherwise, depth),
            Step::Pipeline(steps) => {
                self.code.push(Op::OpenPipeline);
                self.steps(steps, depth);
                self.code.push(Op::EndPipeline);
            }
            Step::Think { time, unit } => {
                let expression = self.expression(time);
                let unit = u64::try_from(unit.as_nanos()).unwrap_or(u64::MAX);
                self.code.push(Op::Think { expression, unit });
            }
        }
    }

    /// Draws of one source for variables in a row are one operation.
    fn push_merged(&mut self, op: Op) {
        let next = self.code.len();
        if let Op::Draw { variable: this, source: from, .. } = op
            && self.jumped_to < next
            && let Some(Op::Draw { variable, times, source }) = self.code.last_mut()
            && *source == from
            && *variable + *times == this
        {
            *times += 1;
            return;
        }
        self.code.push(op);
    }

    fn set(&mut self, variable: u32, value: &Expression) -> Op {
        match value {
            Expression::Source(source) => Op::Draw { variable, times: 1, source: *source as u32 },
            Expression::Call(Function::Add, arguments) => match arguments.as_slice() {
                [Expression::Variable(from), Expression::Constant(Value::Integer(by))]
                    if i32::try_from(*by).is_ok() && self.types[*from] == ValueType::Integer =>
                {
                    Op::Shift { variable, from: *from as u32, by: *by as i32 }
                }
                _ => Op::Set { variable, expression: self.expression(value) },
            },
            _ => Op::Set { variable, expression: self.expression(value) },
        }
    }

    fn branches(&mut self, branches: &[(Expression, Vec<Step>)], otherwise: &[Step], depth: u32) {
        let mut ends = Vec::new();
        for (condition, steps) in branches {
            let expression = self.expression(condition);
            let test = self.code.len();
            self.code.push(Op::Unless { expression, to: 0 });
            self.steps(steps, depth);
            ends.push(self.code.len());
            self.code.push(Op::Jump { to: 0 });
            let to = self.here();
            self.code[test] = Op::Unless { expression, to };
        }
        self.steps(otherwise, depth);
        let to = self.here();
        for end in ends {
            self.code[end] = Op::Jump { to };
        }
    }

    fn check(&self, parts: &Parts) {
        let known = |number: u32, of: usize| assert!((number as usize) < of, "a step's number");
        for op in &self.code {
            match *op {
                Op::Execute { statement, .. } => known(statement, parts.statements.len()),
                Op::ExecuteOne { statement, variable, .. } => {
                    known(statement, parts.statements.len());
                    known(variable, parts.variables.len());
                }
                Op::Draw { variable, times, source } => {
                    known(variable + times - 1, parts.variables.len());
                    known(source, parts.sources.len());
                }
                Op::Pick { variable, source, .. } => {
                    known(variable, parts.variables.len());
                    known(source, parts.sources.len());
                }
                Op::Shift { variable, from, .. } => {
                    known(variable.max(from), parts.variables.len());
                }
                Op::Set { variable, .. } => known(variable, parts.variables.len()),
                _ => {}
            }
        }
        let mut read = |variable| known(variable as u32, parts.variables.len());
        self.expressions.iter().for_each(|one| one.for_each_variable(&mut read));
        for statement in &parts.statements {
            for text in &statement.texts {
                assert_eq!(text.0.len(), statement.parameters.len() + 1, "{}", statement.name);
            }
        }
    }
}

/// What is known of variables while the steps are gone through.
struct Types<'a> {
    parts: &'a Parts,
    /// What was seen to be put into each; `None` before anything was.
    seen: Vec<Option<ValueType>>,
    /// Read before anything was put into it: it may hold nothing.
    unset: Vec<bool>,
}

impl<'a> Types<'a> {
    fn infer(parts: &'a Parts) -> Vec<ValueType> {
        let seen = parts.variables.iter().map(|variable| {
            variable.initial.as_ref().map(|initial| match initial {
                Initial::Integer(_) | Initial::Client | Initial::Seed | Initial::HashSeed => {
                    ValueType::Integer
                }
                Initial::Double(_) => ValueType::Double,
                Initial::Text(_) => ValueType::Text,
            })
        });
        let seen: Vec<_> = seen.collect();
        let begins: Vec<bool> = seen.iter().map(Option::is_some).collect();
        let mut types = Self { parts, unset: vec![false; seen.len()], seen };
        // A type that another depends on may become known later: each round settles at least one.
        for _ in 0..=2 * parts.variables.len() {
            let before = types.seen.clone();
            for transaction in &parts.transactions {
                types.steps(&transaction.steps, &mut begins.clone());
            }
            if types.seen == before {
                break;
            }
        }
        let Self { seen, unset, .. } = types;
        let settle = |(seen, unset)| match (seen, unset) {
            (Some(known), false) => known,
            _ => ValueType::Text,
        };
        seen.into_iter().zip(unset).map(settle).collect()
    }

    fn put(&mut self, variable: usize, what: Option<ValueType>) {
        let Some(what) = what else { return };
        let known = self.seen[variable].get_or_insert(what);
        if *known != what {
            *known = ValueType::Text;
        }
    }

    fn read(&mut self, variable: usize, set: &[bool]) {
        self.unset[variable] |= !set[variable];
    }

    fn read_all(&mut self, expression: &Expression, set: &[bool]) {
        expression.for_each_variable(&mut |variable| self.unset[variable] |= !set[variable]);
    }

    fn steps(&mut self, steps: &[Step], set: &mut Vec<bool>) {
        for step in steps {
            match step {
                Step::Execute { statement, text } => self.executed(*statement, *text, set),
                Step::Set { variable, value } => {
                    self.read_all(value, set);
                    self.put(*variable, self.type_of(value));
                    set[*variable] = true;
                }
                Step::Pick { variable, source, row } => {
                    row.iter().for_each(|row| self.read_all(row, set));
                    self.put(*variable, Some(self.parts.sources[*source].type_of_values()));
                    set[*variable] = true;
                }
                Step::Repeat { times: 0, .. } => {}
                Step::Repeat { steps, .. } | Step::Pipeline(steps) => self.steps(steps, set),
                Step::If { branches, otherwise } => {
                    let mut ways = Vec::new();
                    for (condition, steps) in branches {
                        self.read_all(condition, set);
                        let mut way = set.clone();
                        self.steps(steps, &mut way);
                        ways.push(way);
                    }
                    self.steps(otherwise, set);
                    for way in ways {
                        set.iter_mut().zip(way).for_each(|(all, one)| *all &= one);
                    }
                }
                Step::Think { time, .. } => self.read_all(time, set),
            }
        }
    }

    fn executed(&mut self, statement: usize, text: Option<usize>, set: &mut [bool]) {
        let statement = &self.parts.statements[statement];
        for parameter in &statement.parameters {
            if let Parameter::Variable(variable) | Parameter::Verbatim(variable) = parameter {
                self.read(*variable, set);
            }
        }
        text.iter().for_each(|variable| self.read(*variable, set));
        for read in &statement.reads {
            self.put(read.variable, Some(ValueType::Text));
            set[read.variable] |= statement.row_read != RowRead::Last;
        }
    }

    /// `None` while it is not known. What may be NULL counts as a text.
    fn type_of(&self, expression: &Expression) -> Option<ValueType> {
        use Function::{Abs, Add, Divide, Double, Exp, Ln, Multiply, Pi, Power, Sqrt, Subtract};
        let all = |arguments: &[Expression]| {
            let mut all = Some(ValueType::Integer);
            for argument in arguments {
                all = match (all, self.type_of(argument)?) {
                    (_, ValueType::Text) | (Some(ValueType::Text), _) => Some(ValueType::Text),
                    (_, ValueType::Double) => Some(ValueType::Double),
                    (all, ValueType::Integer) => all,
                };
            }
            all
        };
        match expression {
            Expression::Constant(Value::Integer(_)) | Expression::Source(_) => {
                Some(ValueType::Integer)
            }
            Expression::Constant(Value::Double(_)) => Some(ValueType::Double),
            Expression::Constant(_) => Some(ValueType::Text),
            Expression::Variable(variable) => match self.unset[*variable] {
                true => Some(ValueType::Text),
                false => self.seen[*variable],
            },
            Expression::Call(function, arguments) => {
                let arguments = all(arguments)?;
                Some(match (function, arguments) {
                    (_, ValueType::Text) => ValueType::Text,
                    (Add | Subtract | Multiply | Divide | Abs, number) => number,
                    (Function::Least | Function::Greatest, number) => number,
                    (Double | Pi | Sqrt | Ln | Exp | Power, _) => ValueType::Double,
                    (function, _) if function.gives_boolean() => ValueType::Text,
                    _ => ValueType::Integer,
                })
            }
            Expression::Case { branches, otherwise } => {
                let Some(otherwise) = otherwise else { return Some(ValueType::Text) };
                let otherwise = self.type_of(otherwise);
                let kinds = branches.iter().map(|(_, value)| self.type_of(value));
                let mut kinds = kinds.chain([otherwise]);
                let first = kinds.next()??;
                match kinds.all(|kind| kind == Some(first)) {
                    true => Some(first),
                    false => Some(ValueType::Text),
                }
            }
        }
    }
}
