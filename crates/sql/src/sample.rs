//! Statements of a program with values in them, to be explained.

use crate::TextTemplate;
use std::sync::Arc;
use workload::program::{Next, Program, Run, StatementKind, Value};

/// Steps after which what was not met has no values: a branch may never be taken.
const MOST_STEPS: usize = 20_000;

/// A statement as it could be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleStatement {
    pub name: String,
    pub sql: String,
    /// Whether clients prepare it when they log in.
    pub prepared: bool,
}

/// Those that read or write tables, each once, with values as a client would have them; 1 where only
/// the server knows one. `quote` appends a text as the server takes one.
pub fn sample_statements(program: Program, quote: fn(&[u8], &mut Vec<u8>)) -> Vec<SampleStatement> {
    let program = Arc::new(program);
    let mut run = Run::new(Arc::clone(&program), 1, 0, 1);
    let mut found: Vec<Option<String>> = vec![None; program.statements().len()];
    for _ in 0..MOST_STEPS {
        match run.advance() {
            Next::Execute { statement, text } => {
                let own = &program.statements()[statement];
                if found[statement].is_none() {
                    let text = &own.texts[text.min(own.texts.len().saturating_sub(1))];
                    let mut sql = Vec::new();
                    TextTemplate::new(text, &own.parameters).write(&mut run, quote, &mut sql);
                    found[statement] = Some(String::from_utf8_lossy(&sql).into_owned());
                }
                for read in &own.reads {
                    run.variables.set(read.variable, Value::Integer(1));
                }
            }
            Next::Failed => run.restart(),
            Next::Think(_) | Next::OpenPipeline | Next::EndPipeline | Next::Ended => {}
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    let explained = |kind| {
        use StatementKind::{Delete, Insert, Select, Update};
        matches!(kind, Select | Insert | Update | Delete)
    };
    let all = program.statements().iter().zip(found);
    all.filter(|(own, _)| explained(own.kind))
        .filter_map(|(own, sql)| {
            Some(SampleStatement { name: own.name.clone(), sql: sql?, prepared: own.prepared })
        })
        .collect()
}
