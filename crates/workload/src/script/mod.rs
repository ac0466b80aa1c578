//! Scripts in the language of pgbench, as a [`Program`](crate::program::Program).
//!
//! ```
//! use workload::program::{Next, Program, Run};
//! use workload::script::{Options, Script, Syntax, parse};
//! let script = Script {
//!     name: "browse".to_owned(),
//!     file: None,
//!     text: "\\set id random(1, 100)\nSELECT name FROM customer WHERE id = :id;".to_owned(),
//!     weight: 1,
//! };
//! let options =
//!     Options { prepared: true, syntax: Syntax::STANDARD, variables: Default::default() };
//! let parts = parse(&[script], &options).unwrap().without_values().unwrap();
//! assert_eq!(parts.statements[0].name, "SELECT customer");
//! let text = parts.statements[0].texts[0].with_numbers();
//! assert_eq!(text, "SELECT name FROM customer WHERE id = $1");
//! let mut run = Run::new(std::sync::Arc::new(Program::new(parts)), 7, 0, 1);
//! assert_eq!(run.advance(), Next::Execute { statement: 0, text: 0 });
//! ```

mod build;
mod builtin;
mod commands;
mod cut;
mod describe;
mod error;
mod formula;
mod line;
mod names;
mod needed;
mod options;
mod pipeline;
mod row_formula;
#[cfg(test)]
mod tests;

pub use builtin::{
    BuiltinWorkload, PARTITIONS, builtin, builtin_file, builtin_names, builtin_workload,
    builtin_workload_names, has_partitions,
};
pub use error::ScriptError;
pub use needed::{Need, Needed};
pub use options::{Options, Placeholder, Script, Syntax};
pub use row_formula::{RowFormula, variables_of};

use crate::program::{Initial, Parts, Source, Values};
use build::Builder;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Scripts that have been read, but for the values that they pick from.
#[derive(Clone, Debug)]
pub struct Parsed {
    parts: Parts,
    needs: Vec<Need>,
    notes: Vec<ScriptError>,
    reads: BTreeSet<String>,
}

/// Reads scripts, each of which becomes a transaction.
///
/// # Errors
/// When one of them could not be run; the error shows where and why.
pub fn parse(scripts: &[Script], options: &Options) -> Result<Parsed, ScriptError> {
    if scripts.is_empty() {
        let help = "name at least one";
        return Err(ScriptError::of_script(&Script::default(), "there is no script", help));
    }
    let mut builder = Builder::new(options);
    for (number, script) in scripts.iter().enumerate() {
        if script.weight == 0 {
            let help = "give it a weight of at least 1, or leave the script out";
            return Err(ScriptError::of_script(script, "a script of weight 0 never runs", help));
        }
        builder.script(number, script)?;
    }
    let built = builder.finish(scripts)?;
    let build::Built { parts, needs, notes, reads } = built;
    Ok(Parsed { parts, needs, notes, reads })
}

impl Parsed {
    /// The values that scripts need before they can run.
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }

    /// What may not be meant as it is written.
    pub fn notes(&self) -> &[ScriptError] {
        &self.notes
    }

    /// The variables that the scripts read.
    pub fn reads(&self) -> &BTreeSet<String> {
        &self.reads
    }

    /// The same with those values that are to be had already: then no more is needed of them.
    ///
    /// # Errors
    /// The first that getting values gave; [`Need::failed`] makes one.
    pub fn fill<E>(
        mut self,
        mut get: impl FnMut(&Need) -> Result<Option<Arc<Values>>, E>,
    ) -> Result<Self, E> {
        let mut left = Vec::new();
        for need in std::mem::take(&mut self.needs) {
            match get(&need)? {
                Some(values) => self.put(&need, values),
                None => left.push(need),
            }
        }
        self.needs = left;
        Ok(self)
    }

    /// The parts of a program, with values from whoever can read files and ask servers.
    ///
    /// # Errors
    /// The first that getting values gave; [`Need::failed`] makes one.
    pub fn with_values<E>(
        self,
        mut get: impl FnMut(&Need) -> Result<Arc<Values>, E>,
    ) -> Result<Parts, E> {
        let mut filled = self.fill(|need| get(need).map(Some))?;
        filled.parts.fold_constants();
        Ok(filled.parts)
    }

    fn put(&mut self, need: &Need, values: Arc<Values>) {
        for count in &need.counts {
            let rows = i64::try_from(values.len()).unwrap_or(i64::MAX);
            self.parts.variables[*count].initial = Some(Initial::Integer(rows));
        }
        self.parts.sources[need.source] = Source::Values(values);
    }

    /// The parts of a program that needs no values.
    ///
    /// # Errors
    /// When it needs some.
    pub fn without_values(self) -> Result<Parts, ScriptError> {
        self.with_values(|need| {
            let help = "take the values from a query, or from a load that reads files";
            Err(need.failed("values of a file or a query are not to be had here", help))
        })
    }
}
