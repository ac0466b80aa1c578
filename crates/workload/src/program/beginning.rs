use super::{Initial, Value, Variable, Variables};
use crate::Stream;

/// What variables hold at the beginning, of client number `client`.
pub(super) fn beginning(all: &[Variable], seed: u64, client: u32) -> Variables {
    let mut variables = Variables::new(all.len());
    for (number, variable) in all.iter().enumerate() {
        match &variable.initial {
            None => {}
            Some(Initial::Integer(value)) => variables.set(number, Value::Integer(*value)),
            Some(Initial::Double(value)) => variables.set(number, Value::Double(*value)),
            Some(Initial::Text(text)) => variables.set_text(number, text.as_bytes()),
            Some(Initial::Client) => variables.set(number, Value::Integer(client.into())),
            Some(Initial::Seed) => variables.set(number, Value::Integer(seed as i64)),
            Some(Initial::HashSeed) => {
                let seed = Stream::new(seed, "hashes", 0).bits();
                variables.set(number, Value::Integer(seed as i64));
            }
        }
    }
    variables
}
