use std::sync::Arc;
use workload::program::{Program, RowRead, RowsDue, Run, StatementKind};

/// What all clients of a load share: its program, and which statements to prepare.
#[derive(Clone, Debug)]
pub struct Statements {
    program: Arc<Program>,
    seed: u64,
    clients: u32,
    /// What to prepare on every connection, in this order: statements and their texts.
    to_prepare: Vec<(usize, usize)>,
    /// By statement.
    forms: Box<[Form]>,
}

/// What of a statement matters at every execution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) kind: StatementKind,
    pub(crate) rows_due: RowsDue,
    /// The row of its answer from which variables take values, where they do, or would if there were
    /// another number of rows.
    pub(crate) row_read: Option<RowRead>,
    /// The place of its first text among those that are prepared; absent where it travels as text.
    pub(crate) first: Option<usize>,
}

impl Statements {
    /// Those of a program run by so many clients. The seed is that of the trial.
    pub fn new(program: Program, seed: u64, clients: u32) -> Self {
        let mut to_prepare = Vec::new();
        let mut forms = Vec::new();
        for (number, statement) in program.statements().iter().enumerate() {
            let first = statement.prepared.then_some(to_prepare.len());
            if first.is_some() {
                to_prepare.extend((0..statement.texts.len()).map(|text| (number, text)));
            }
            let (kind, rows_due) = (statement.kind, statement.rows_due);
            let reads = !statement.reads.is_empty() || statement.row_read == RowRead::Only;
            let row_read = reads.then_some(statement.row_read);
            forms.push(Form { kind, rows_due, row_read, first });
        }
        Self { program: Arc::new(program), seed, clients, to_prepare, forms: forms.into() }
    }

    /// How many statements each client prepares.
    pub fn per_client(&self) -> usize {
        self.to_prepare.len()
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// A client's way through the program.
    pub fn run(&self, client: u32) -> Run {
        Run::new(Arc::clone(&self.program), self.seed, client, self.clients)
    }

    /// What to prepare on every connection, in this order: statements and their texts.
    pub fn to_prepare(&self) -> &[(usize, usize)] {
        &self.to_prepare
    }

    /// The place of a statement's text among those that are prepared; absent where it travels as text.
    #[inline]
    pub fn place(&self, statement: usize, text: usize) -> Option<usize> {
        Some(self.forms[statement].first? + text)
    }

    /// The row of the answer to a statement from which variables take values, where they do.
    #[inline]
    pub fn row_read(&self, statement: usize) -> Option<RowRead> {
        self.forms[statement].row_read
    }

    /// Whether variables take values from any answer.
    pub fn any_reads(&self) -> bool {
        self.forms.iter().any(|form| form.row_read.is_some())
    }

    #[inline]
    pub(crate) fn form(&self, statement: usize) -> &Form {
        &self.forms[statement]
    }
}
