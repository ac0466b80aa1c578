use super::text::TextTemplate;
use crate::protocol::{ExecuteTemplate, ParamKind, ParamType};
use std::sync::Arc;
use workload::program::{
    Parameter, Program, RowRead, RowsDue, Run, Statement, StatementKind, ValueType,
};

/// What all clients of a load share: its program, which statements to prepare, and the packets of all.
#[derive(Clone, Debug)]
pub struct Statements {
    program: Arc<Program>,
    seed: u64,
    clients: u32,
    /// What to prepare on every connection, in this order: statements and their texts.
    to_prepare: Vec<(usize, usize)>,
    /// By statement.
    forms: Box<[Form]>,
    /// What each connection begins with, before anything is prepared.
    opening: Option<&'static str>,
}

/// A statement as it is sent, and what of its answer matters.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) kind: StatementKind,
    pub(super) rows_due: RowsDue,
    pub(super) way: Way,
    /// Whether variables take values from its answer, or would if it had another number of rows.
    pub(super) reads: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Way {
    /// Prepared beforehand; values of fixed length travel in binary form.
    Fixed {
        packet: ExecuteTemplate,
        values: Box<[Fixed]>,
        /// Place of its first text in `to_prepare`.
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

impl Statements {
    /// Those of a program run by so many clients. The seed is that of the trial.
    pub fn new(program: Program, seed: u64, clients: u32) -> Self {
        let mut to_prepare = Vec::new();
        let mut forms = Vec::new();
        for (number, statement) in program.statements().iter().enumerate() {
            let way = if statement.prepared {
                let first = to_prepare.len();
                to_prepare.extend((0..statement.texts.len()).map(|text| (number, text)));
                prepared(statement, &program, first)
            } else {
                let template = |text| TextTemplate::new(text, &statement.parameters);
                Way::Text(statement.texts.iter().map(template).collect())
            };
            forms.push(Form {
                kind: statement.kind,
                rows_due: statement.rows_due,
                way,
                reads: !statement.reads.is_empty() || statement.row_read == RowRead::Only,
            });
        }
        Self {
            program: Arc::new(program),
            seed,
            clients,
            to_prepare,
            forms: forms.into(),
            opening: None,
        }
    }

    /// The same on connections that the server lets change nothing.
    #[must_use]
    pub fn reading_only(self) -> Self {
        Self { opening: Some("SET SESSION TRANSACTION READ ONLY"), ..self }
    }

    pub(super) fn opening(&self) -> Option<&'static str> {
        self.opening
    }

    /// How many statements each client prepares. The server must allow clients × this many
    /// (`max_prepared_stmt_count`).
    pub fn per_client(&self) -> usize {
        self.to_prepare.len()
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// A client's way through the program.
    pub(super) fn run(&self, client: u32) -> Run {
        Run::new(Arc::clone(&self.program), self.seed, client, self.clients)
    }

    /// Text of the statement to prepare in that place.
    pub(super) fn sql(&self, place: usize) -> Option<String> {
        let (statement, text) = self.to_prepare.get(place)?;
        Some(self.program.statements()[*statement].texts[*text].with_marks())
    }

    /// Whether the statement to prepare in that place has no values.
    pub(super) fn is_constant(&self, place: usize) -> bool {
        let statement = self.to_prepare.get(place).map(|(statement, _)| *statement);
        statement.is_some_and(|number| self.program.statements()[number].parameters.is_empty())
    }

    /// Whether variables read from the answers to the statement to prepare in that place.
    pub(super) fn reads(&self, place: usize) -> bool {
        self.to_prepare.get(place).is_some_and(|(statement, _)| self.forms[*statement].reads)
    }

    /// Whether variables read from any answer.
    pub(super) fn any_reads(&self) -> bool {
        self.forms.iter().any(|form| form.reads)
    }

    #[inline]
    pub(super) fn form(&self, statement: usize) -> &Form {
        &self.forms[statement]
    }
}

fn prepared(statement: &Statement, program: &Program, first: usize) -> Way {
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
        return Way::Typed { types, parameters, first };
    }
    let kind = |value: &Fixed| match value {
        Fixed::Integer(_) => ParamKind::Int,
        Fixed::Digits(template) => ParamKind::Str(template.len() as u8),
    };
    let kinds: Vec<ParamKind> = fixed.iter().map(kind).collect();
    Way::Fixed { packet: ExecuteTemplate::new(&kinds), values: fixed.into(), first }
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
