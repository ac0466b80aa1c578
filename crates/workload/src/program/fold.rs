//! What is the same in every transaction is computed once.

use super::{Expression, Function, Initial, Parts, Source, Step, Value, Variables};
use crate::program::source::Draws;
use std::collections::HashMap;

impl Parts {
    /// Replaces what depends on no client and no random number by its value, and random numbers
    /// between two constants by a source.
    pub fn fold_constants(&mut self) {
        let mut constants: Vec<Option<Value>> =
            self.variables.iter().map(|variable| constant(variable.initial.as_ref())).collect();
        for transaction in &self.transactions {
            forget_set(&transaction.steps, &mut constants);
        }
        for statement in &self.statements {
            statement.reads.iter().for_each(|read| constants[read.variable] = None);
        }
        let mut folding =
            Folding { constants, sources: &mut self.sources, between: HashMap::new() };
        for transaction in &mut self.transactions {
            folding.steps(&mut transaction.steps);
        }
    }
}

fn constant(initial: Option<&Initial>) -> Option<Value> {
    match initial? {
        Initial::Integer(number) => Some(Value::Integer(*number)),
        Initial::Double(number) => Some(Value::Double(*number)),
        Initial::Text(_) | Initial::Client | Initial::Seed | Initial::HashSeed => None,
    }
}

/// Variables to which steps give a value are not constant.
fn forget_set(steps: &[Step], constants: &mut [Option<Value>]) {
    for step in steps {
        match step {
            Step::Set { variable, .. } | Step::Pick { variable, .. } => constants[*variable] = None,
            Step::Repeat { steps, .. } | Step::Pipeline(steps) => forget_set(steps, constants),
            Step::If { branches, otherwise } => {
                branches.iter().for_each(|(_, steps)| forget_set(steps, constants));
                forget_set(otherwise, constants);
            }
            Step::Execute { .. } | Step::Think { .. } => {}
        }
    }
}

struct Folding<'a> {
    /// By variable, what it always holds.
    constants: Vec<Option<Value>>,
    sources: &'a mut Vec<Source>,
    /// The sources made here, by their ranges.
    between: HashMap<(u32, u32), usize>,
}

impl Folding<'_> {
    fn steps(&mut self, steps: &mut [Step]) {
        for step in steps {
            match step {
                Step::Set { value, .. } => {
                    self.fold(value);
                    self.draw_from_source(value);
                }
                Step::Pick { row, .. } => row.iter_mut().for_each(|row| self.fold(row)),
                Step::Think { time, .. } => self.fold(time),
                Step::Repeat { steps, .. } | Step::Pipeline(steps) => self.steps(steps),
                Step::If { branches, otherwise } => {
                    for (condition, steps) in branches {
                        self.fold(condition);
                        self.steps(steps);
                    }
                    self.steps(otherwise);
                }
                Step::Execute { .. } => {}
            }
        }
    }

    fn fold(&self, expression: &mut Expression) {
        match expression {
            Expression::Constant(_) | Expression::Source(_) => {}
            Expression::Variable(variable) => {
                if let Some(value) = self.constants[*variable] {
                    *expression = Expression::Constant(value);
                }
            }
            Expression::Call(function, arguments) => {
                arguments.iter_mut().for_each(|argument| self.fold(argument));
                let known = |one: &Expression| matches!(one, Expression::Constant(_));
                if function.is_random() || !arguments.iter().all(known) {
                    return;
                }
                // What has no value says so whenever it is asked for it.
                let nothing = Variables::new(0);
                if let Ok(value) = expression.evaluate(&nothing, &mut Draws::new(&[], 0, 0, 1)) {
                    *expression = Expression::Constant(value);
                }
            }
            Expression::Case { branches, otherwise } => {
                for (condition, value) in branches {
                    self.fold(condition);
                    self.fold(value);
                }
                otherwise.iter_mut().for_each(|value| self.fold(value));
            }
        }
    }

    /// Drawing from a source takes no arguments.
    fn draw_from_source(&mut self, expression: &mut Expression) {
        let Expression::Call(Function::Random, arguments) = expression else { return };
        let [Expression::Constant(Value::Integer(low)), Expression::Constant(Value::Integer(high))] =
            arguments.as_slice()
        else {
            return;
        };
        let (Ok(low), Ok(high)) = (u32::try_from(*low), u32::try_from(*high)) else { return };
        if low > high {
            return;
        }
        let sources = &mut *self.sources;
        let source = *self.between.entry((low, high)).or_insert_with(|| {
            sources.push(Source::Between { low, high });
            sources.len() - 1
        });
        *expression = Expression::Source(source);
    }
}
