use std::collections::BTreeMap;
use std::sync::Arc;
use workload::program::{Initial, Next, Program, Run, Value};
use workload::script::{Options, Parsed, Script, ScriptError, Syntax, parse};

/// The seed of hashes and permutations that a script leaves out.
pub const SEED: i64 = 5432;

pub fn read(text: &str) -> Result<Parsed, ScriptError> {
    read_with(text, true)
}

pub fn read_with(text: &str, prepared: bool) -> Result<Parsed, ScriptError> {
    let variables = BTreeMap::from([("default_seed".to_owned(), Initial::Integer(SEED))]);
    let options = Options { prepared, syntax: Syntax::STANDARD, variables };
    let script = Script { name: "script".to_owned(), file: None, text: text.to_owned(), weight: 1 };
    parse(&[script], &options)
}

/// A client that runs a script.
pub struct Client {
    run: Run,
    names: Vec<String>,
}

impl Client {
    pub fn new(text: &str) -> Result<Self, String> {
        let parts =
            read(text).and_then(Parsed::without_values).map_err(|error| error.to_string())?;
        let names = parts.variables.iter().map(|variable| variable.name.clone()).collect();
        Ok(Self { run: Run::new(Arc::new(Program::new(parts)), 7, 0, 1), names })
    }

    /// Goes through one transaction, whose statements nobody answers.
    pub fn transaction(&mut self) -> Result<(), String> {
        loop {
            match self.run.advance() {
                Next::Ended => return Ok(()),
                Next::Failed => return Err(self.run.error().unwrap().to_string()),
                Next::Execute { .. } | Next::Think(_) | Next::OpenPipeline | Next::EndPipeline => {}
            }
        }
    }

    pub fn value(&self, name: &str) -> Value {
        let number = self.names.iter().position(|one| one == name).unwrap();
        self.run.variables.get(number)
    }

    /// A value as pgbench shows one that is debugged.
    pub fn shown(&self, name: &str) -> String {
        let mut text = Vec::new();
        let value = self.value(name);
        self.run.variables.append(value, &mut text);
        let text = String::from_utf8(text).unwrap();
        match value {
            Value::Null => "null".to_owned(),
            Value::Boolean(_) => format!("boolean {text}"),
            Value::Integer(_) => format!("int {text}"),
            Value::Double(_) => format!("double {text}"),
            Value::Text(_) => format!("text {text}"),
        }
    }
}
