use model::Oltp;
use protocol::mysql::{ExecuteTemplate, ParamKind};
use workload::oltp::{Statement, Step};

/// What all clients of an OLTP load share: which statements to prepare, and their packets.
#[derive(Clone, Debug)]
pub struct OltpStatements {
    workload: Oltp,
    seed: u64,
    /// What to prepare on every connection, in this order.
    to_prepare: Vec<(Statement, u32)>,
    /// By statement: its packet, and the place of its first table in `to_prepare`.
    packets: [Option<(ExecuteTemplate, usize)>; Statement::ALL.len()],
}

impl OltpStatements {
    /// The statements of a workload. The seed is that of the trial.
    pub fn new(workload: &Oltp, seed: u64) -> Self {
        let mut to_prepare = Vec::new();
        let mut packets = [const { None }; Statement::ALL.len()];
        for &statement in Statement::of(workload.mix) {
            packets[statement as usize] = Some((packet(statement), to_prepare.len()));
            if statement.is_per_table() {
                to_prepare.extend((1..=workload.tables).map(|table| (statement, table)));
            } else {
                to_prepare.push((statement, 0));
            }
        }
        Self { workload: workload.clone(), seed, to_prepare, packets }
    }

    /// How many statements each client prepares. The server must allow clients × this many
    /// (`max_prepared_stmt_count`).
    pub fn per_client(&self) -> usize {
        self.to_prepare.len()
    }

    pub(super) fn workload(&self) -> (&Oltp, u64) {
        (&self.workload, self.seed)
    }

    /// Text of the statement to prepare in that place.
    pub(super) fn sql(&self, place: usize) -> Option<String> {
        self.to_prepare.get(place).map(|(statement, table)| statement.sql(*table))
    }

    /// The packet for a step, and the place of its statement.
    #[inline]
    pub(super) fn packet(&self, step: &Step) -> (&ExecuteTemplate, usize) {
        let (packet, first) = self.packets[step.statement as usize]
            .as_ref()
            .expect("a source yields only statements of its mix: tested in workload");
        (packet, first + step.table.saturating_sub(1) as usize)
    }
}

fn packet(statement: Statement) -> ExecuteTemplate {
    let kinds: Vec<ParamKind> = statement
        .parameters()
        .iter()
        .map(|parameter| match parameter.length() {
            None => ParamKind::Int,
            Some(length) => ParamKind::Str(length as u8),
        })
        .collect();
    ExecuteTemplate::new(&kinds)
}
