use super::text::quote;
use crate::protocol::{ExecuteTemplate, ExecuteWriter, ParamKind, ParamType, ParamValue};
use sql::{Statements, TextTemplate};
use std::sync::Arc;
use workload::program::{Parameter, Program, Run, Statement, Value, ValueType};

/// How a statement is sent.
pub(super) enum Encoding {
    /// Prepared beforehand; values of fixed length travel in binary form.
    Fixed {
        packet: ExecuteTemplate,
        values: Box<[Fixed]>,
        /// Place of its first text among those that are prepared.
        first: usize,
    },
    /// Prepared beforehand; values of these types travel in binary form.
    Typed {
        types: Box<[ParamType]>,
        parameters: Box<[Parameter]>,
        /// As above.
        first: usize,
    },
    /// As text, by number.
    Text(Box<[TextTemplate]>),
}

/// A value that takes as many bytes as ever.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fixed {
    /// The integer that a variable holds.
    Integer(usize),
    /// A string of that pattern, with a random digit for each `#`.
    Digits(&'static [u8]),
}

/// The statements of a load as they are sent, by number.
pub(super) fn ways(statements: &Statements) -> Arc<[Encoding]> {
    let program = statements.program();
    let all = program.statements().iter().enumerate();
    all.map(|(number, statement)| match statements.place(number, 0) {
        Some(first) => prepared(statement, program, first),
        None => {
            let template = |text| TextTemplate::new(text, &statement.parameters);
            Encoding::Text(statement.texts.iter().map(template).collect())
        }
    })
    .collect()
}

fn prepared(statement: &Statement, program: &Program, first: usize) -> Encoding {
    let fixed: Vec<Fixed> = statement
        .parameters
        .iter()
        .filter_map(|parameter| match *parameter {
            Parameter::Variable(one) if program.type_of(one) == ValueType::Integer => {
                Some(Fixed::Integer(one))
            }
            Parameter::Digits(template) => Some(Fixed::Digits(template)),
            _ => None,
        })
        .collect();
    if fixed.len() < statement.parameters.len() {
        let parameters = statement.parameters.clone().into_boxed_slice();
        let types = parameters.iter().map(|parameter| param_type(*parameter, program)).collect();
        return Encoding::Typed { types, parameters, first };
    }
    let kind = |value: &Fixed| match value {
        Fixed::Integer(_) => ParamKind::Int,
        Fixed::Digits(template) => ParamKind::Str(template.len() as u8),
    };
    let kinds: Vec<ParamKind> = fixed.iter().map(kind).collect();
    Encoding::Fixed { packet: ExecuteTemplate::new(&kinds), values: fixed.into(), first }
}

fn param_type(parameter: Parameter, program: &Program) -> ParamType {
    match parameter {
        Parameter::Variable(one) => match program.type_of(one) {
            ValueType::Integer => ParamType::Int,
            ValueType::Double => ParamType::Double,
            ValueType::Text => ParamType::Text,
        },
        Parameter::Digits(_) | Parameter::Verbatim(_) | Parameter::Made(_) => ParamType::Text,
    }
}

/// What puts statements together whose values have no fixed length, in memory that is kept.
#[derive(Default)]
pub(super) struct Composer {
    /// A text, or a value while it is put into words.
    text: Vec<u8>,
    execution: ExecuteWriter,
}

impl Composer {
    /// A statement as text, and how many rows it inserts that a source made.
    #[inline]
    pub(super) fn text(&mut self, template: &TextTemplate, run: &mut Run) -> (&[u8], u64) {
        self.text.clear();
        let rows = template.write(run, quote, &mut self.text);
        (&self.text, rows)
    }

    /// Appends the execution of a prepared statement, and returns the sequence number of its reply.
    /// `first` is for the first on its connection.
    pub(super) fn execute(
        &mut self,
        (id, first): (u32, bool),
        (types, parameters): (&[ParamType], &[Parameter]),
        run: &mut Run,
        out: &mut Vec<u8>,
    ) -> u8 {
        self.execution.begin(id, first, types);
        for (parameter, kind) in parameters.iter().zip(types) {
            self.text.clear();
            let value = match *parameter {
                Parameter::Variable(variable) | Parameter::Verbatim(variable) => {
                    run.variables.get(variable)
                }
                Parameter::Digits(template) => {
                    self.text.resize(template.len(), 0);
                    run.draws.fill(template, &mut self.text);
                    self.execution.value(ParamValue::Text(&self.text));
                    continue;
                }
                // What a source makes is not prepared.
                Parameter::Made(_) => Value::Null,
            };
            let value = match (value, kind) {
                (Value::Null, _) => ParamValue::Null,
                (Value::Integer(number), ParamType::Int) => ParamValue::Int(number),
                (Value::Double(number), ParamType::Double) => ParamValue::Double(number),
                (Value::Text(holder), _) => ParamValue::Text(run.variables.text(holder)),
                (Value::Boolean(is), _) => ParamValue::Text(if is { b"1" } else { b"0" }),
                (value, _) => {
                    run.variables.append(value, &mut self.text);
                    ParamValue::Text(&self.text)
                }
            };
            self.execution.value(value);
        }
        self.execution.end(out)
    }
}
