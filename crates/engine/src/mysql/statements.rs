use super::text::TextTemplate;
use model::Oltp;
use protocol::mysql::{ExecuteTemplate, ParamKind};
use std::sync::Arc;
use workload::oltp::{BulkLimit, BulkSource, OltpSource, Parameter, Statement, Step};

/// What all clients of an OLTP load share: which statements to prepare, and the packets of all.
#[derive(Clone, Debug)]
pub struct OltpStatements {
    workload: Oltp,
    seed: u64,
    clients: u32,
    /// Whether every client always sees all rows that the tables began with.
    keeps_rows: bool,
    /// What to prepare on every connection, in this order.
    to_prepare: Vec<(Statement, u32)>,
    /// By statement: how it is sent; `None` for those that the workload does not have.
    forms: [Option<Form>; Statement::ALL.len()],
    bulk_limit: Option<Arc<BulkLimit>>,
}

/// How a statement is sent.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// Prepared beforehand; values travel in binary form.
    Prepared {
        packet: ExecuteTemplate,
        values: Box<[Value]>,
        /// Place of its first table in `to_prepare`.
        first: usize,
    },
    /// As text, by table.
    Text(Box<[TextTemplate]>),
    /// As text that its source makes.
    Bulk,
}

/// A value of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// A number.
    Number(Parameter),
    /// A string of that pattern, with a random digit for each `#`.
    Digits(&'static [u8]),
}

impl OltpStatements {
    /// The statements of a workload run by so many clients. The seed is that of the trial.
    pub fn new(workload: &Oltp, seed: u64, clients: u32) -> Self {
        let mut to_prepare = Vec::new();
        let mut forms = [const { None }; Statement::ALL.len()];
        for statement in Statement::of(&workload.transaction) {
            let tables = if statement.is_per_table() { workload.tables } else { 1 };
            forms[statement as usize] = Some(if statement == Statement::BulkInsert {
                Form::Bulk
            } else if statement.is_prepared(workload) {
                let values = values(&statement.text(workload, 1).1, workload);
                let form = Form::Prepared {
                    packet: packet(&values),
                    values: values.into(),
                    first: to_prepare.len(),
                };
                to_prepare.extend((1..=tables).map(|table| (statement, table)));
                form
            } else {
                let template = |table| {
                    let (text, parameters) = statement.text(workload, table);
                    TextTemplate::new(&text, values(&parameters, workload))
                };
                Form::Text((1..=tables).map(template).collect())
            });
        }
        let mix = &workload.transaction;
        let keeps_rows = mix.deletes == 0 && (mix.delete_inserts == 0 || mix.explicit);
        let (workload, bulk_limit) = (workload.clone(), None);
        Self { workload, seed, clients, keeps_rows, to_prepare, forms, bulk_limit }
    }

    /// The same with a limit of the rows that all clients insert in bulk; see
    /// [`BulkLimit::statements`] for the operations that this takes.
    pub fn with_bulk_limit(self, limit: BulkLimit) -> Self {
        Self { bulk_limit: Some(Arc::new(limit)), ..self }
    }

    /// Where the rows of a client come from that are inserted in bulk.
    pub(super) fn bulk_source(&self, client: u32) -> Option<BulkSource> {
        let inserts = self.workload.transaction.bulk_inserts > 0;
        let source = || BulkSource::new(self.workload.dialect, client);
        inserts.then(|| source().limited(self.bulk_limit.clone()))
    }

    /// How many statements each client prepares. The server must allow clients × this many
    /// (`max_prepared_stmt_count`).
    pub fn per_client(&self) -> usize {
        self.to_prepare.len()
    }

    /// Rows that the answer to a step must have; 0 where nothing can be said of it. Where rows go
    /// for good, or for the time between two transactions, answers may well lack them.
    #[inline]
    pub(super) fn rows_due(&self, step: &Step) -> u64 {
        if self.keeps_rows { step.rows_due(self.workload.table_size) } else { 0 }
    }

    /// The transactions of a client.
    pub(super) fn source(&self, client: u32) -> OltpSource {
        OltpSource::new(&self.workload, self.seed, client, self.clients)
    }

    /// Text of the statement to prepare in that place.
    pub(super) fn sql(&self, place: usize) -> Option<String> {
        let (statement, table) = self.to_prepare.get(place)?;
        Some(statement.text(&self.workload, *table).0)
    }

    /// Whether the statement to prepare in that place has no values.
    pub(super) fn is_constant(&self, place: usize) -> bool {
        self.to_prepare.get(place).is_some_and(|(statement, _)| {
            matches!(self.form(*statement), Form::Prepared { values, .. } if values.is_empty())
        })
    }

    /// How the statement of a step is sent.
    #[inline]
    pub(super) fn form(&self, statement: Statement) -> &Form {
        self.forms[statement as usize]
            .as_ref()
            .expect("a source yields only statements of its transaction: tested in workload")
    }
}

fn values(parameters: &[Parameter], workload: &Oltp) -> Vec<Value> {
    parameters
        .iter()
        .map(|parameter| match parameter.template(workload.dialect) {
            None => Value::Number(*parameter),
            Some(template) => Value::Digits(template),
        })
        .collect()
}

fn packet(values: &[Value]) -> ExecuteTemplate {
    let kinds: Vec<ParamKind> = values
        .iter()
        .map(|value| match value {
            Value::Number(_) => ParamKind::Int,
            Value::Digits(template) => ParamKind::Str(template.len() as u8),
        })
        .collect();
    ExecuteTemplate::new(&kinds)
}

/// The number that a parameter stands for.
#[inline]
pub(super) fn number(parameter: Parameter, step: &Step, source: &mut OltpSource) -> i64 {
    match parameter {
        Parameter::First => step.first,
        Parameter::Second => step.second,
        Parameter::OwnKey => source.own_key(),
        Parameter::OwnKeyPlusDelta => source.own_key_plus_delta(),
        // Strings have patterns; see `values`.
        Parameter::C | Parameter::Pad => 0,
    }
}
