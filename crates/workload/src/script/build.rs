//! Puts the parts of a program together, script by script.

use super::commands::{self, Command};
use super::cut::{self, Cutter, End};
use super::describe::Described;
use super::error::{Problem, ScriptError};
use super::names::{Names, is_name};
use super::needed::{Need, Needed};
use super::options::{Options, Placeholder, Script};
use super::pipeline::Pipeline;
use crate::program::{
    Column, Expression, Initial, Parameter, Parts, Read, RowRead, RowsDue, Source, Statement, Step,
    Text, Transaction, Values,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// How deep `\if` may be nested.
const DEEPEST: usize = 64;
/// How many different columns and queries values may come from.
const MOST_NEEDS: usize = 256;
/// How many places are pointed to that may not be meant so.
const MOST_NOTES: usize = 20;

pub(super) struct Builder<'a> {
    options: &'a Options,
    names: Names,
    statements: Vec<Statement>,
    /// Statements that are the same are one.
    known: HashMap<Same, usize>,
    labels: HashSet<String>,
    /// By label, the last number given to one.
    numbers: HashMap<String, usize>,
    transactions: Vec<Transaction>,
    needs: Vec<Need>,
    /// Queries are those of all scripts; a file lies beside the script that names it.
    sources: HashMap<(Option<usize>, Needed), usize>,
    /// Statements from whose answers variables are read by name.
    open: Vec<Open>,
    /// What looks like a variable in quotes: script, place and name.
    quoted: Vec<(usize, usize, String)>,
}

/// What makes two statements the same.
#[derive(PartialEq, Eq, Hash)]
struct Same {
    name: Option<String>,
    pieces: Vec<String>,
    variables: Vec<(bool, usize)>,
    row_read: RowRead,
    prefix: Option<String>,
}

struct Open {
    statement: usize,
    script: usize,
    at: usize,
    prefix: String,
}

/// What was read of one script so far.
struct Body<'t> {
    number: usize,
    text: &'t str,
    blocks: Vec<Block>,
    pipeline: Pipeline,
    steps: Vec<Step>,
    /// The statements of the last command: what follows may read from their answers.
    pending: Vec<cut::Statement<'t>>,
    empty: bool,
}

/// An `\if` whose end has not come.
struct Block {
    at: usize,
    /// What stands before it.
    before: Vec<Step>,
    branches: Vec<(Expression, Vec<Step>)>,
    /// The condition of the branch that is read; none after `\else`.
    condition: Option<Expression>,
}

/// A `\gset` or `\aset`.
struct ReadCommand {
    at: usize,
    /// Where its line ends.
    end: usize,
    only: bool,
    prefix: String,
}

impl<'a> Builder<'a> {
    pub(super) fn new(options: &'a Options) -> Self {
        Self {
            options,
            names: Names::new(&options.variables),
            statements: vec![],
            known: HashMap::new(),
            numbers: HashMap::new(),
            labels: HashSet::new(),
            transactions: vec![],
            needs: vec![],
            sources: HashMap::new(),
            open: vec![],
            quoted: vec![],
        }
    }

    /// Reads a script.
    pub(super) fn script(&mut self, number: usize, script: &Script) -> Result<(), ScriptError> {
        self.names.begin_script(number);
        let text = &script.text;
        // To a server it may be the end of a statement.
        if let Some(at) = text.find('\0') {
            let help = "a script is text in UTF-8, without zero bytes";
            return Err(ScriptError::new(
                script,
                Problem::new(at, "a zero byte stands here", help),
            ));
        }
        let (blocks, pipeline) = (vec![], Pipeline::default());
        let body =
            Body { number, text, blocks, pipeline, steps: vec![], pending: vec![], empty: true };
        let steps = self.body(script, body).map_err(|problem| ScriptError::new(script, problem))?;
        let (name, weight) = (script.name.clone(), script.weight);
        self.transactions.push(Transaction { name, weight, steps });
        Ok(())
    }

    fn body<'t>(&mut self, script: &'t Script, mut body: Body<'t>) -> Result<Vec<Step>, Problem> {
        let mut cutter = Cutter::new(&script.text, self.options.syntax);
        let mut joint = false;
        loop {
            let (statement, end) = cutter.next()?;
            if let Some(statement) = statement {
                if !joint {
                    self.flush(&mut body, None)?;
                }
                joint = true;
                body.pending.push(statement);
            }
            joint &= end == End::Joint;
            match end {
                End::Semicolon | End::Joint => {}
                End::Backslash => {
                    let at = cutter.at() - 1;
                    let (command, end) = commands::read(&script.text, at + 1, &mut self.names)?;
                    cutter.go_on(end);
                    self.command(script, &mut body, command, at, end)?;
                }
                End::Script => break,
            }
        }
        self.flush(&mut body, None)?;
        body.pipeline.has_ended(body.blocks.len())?;
        if let Some(block) = body.blocks.last() {
            return Err(Problem::new(block.at, "this \\if has no \\endif", "add \\endif"));
        }
        if body.empty {
            let help = "write at least one statement";
            return Err(Problem::new(0, "the script contains nothing to run", help));
        }
        Ok(body.steps)
    }

    fn command(
        &mut self,
        script: &Script,
        body: &mut Body<'_>,
        command: Command,
        at: usize,
        end: usize,
    ) -> Result<(), Problem> {
        let read = match command {
            Command::Read { only, prefix } => {
                if body.pending.is_empty() {
                    let help = "write it behind the statement that it reads from";
                    let what = if only { "\\gset" } else { "\\aset" };
                    return Err(Problem::new(at, format!("{what} follows no statement"), help));
                }
                body.pipeline.allows_reads(at, only)?;
                return self.flush(body, Some(ReadCommand { at, end, only, prefix }));
            }
            other => other,
        };
        self.flush(body, None)?;
        body.empty &= matches!(read, Command::Nothing);
        match read {
            Command::Set { variable, value } => body.steps.push(Step::Set { variable, value }),
            Command::Sleep { time, unit } => body.steps.push(Step::Think { time, unit }),
            Command::Values { name, variable, row, needed } => {
                let source = self.need(script, body.number, at, &name, needed)?;
                body.steps.push(Step::Pick { variable, source, row });
            }
            Command::If(condition) => {
                if body.blocks.len() >= DEEPEST {
                    let message = format!("\\if is nested more than {DEEPEST} deep");
                    return Err(Problem::new(at, message, "use \\elif, or join conditions"));
                }
                body.blocks.push(Block {
                    at,
                    before: std::mem::take(&mut body.steps),
                    branches: vec![],
                    condition: Some(condition),
                });
            }
            Command::StartPipeline => {
                body.pipeline.start(at, self.options, body.blocks.len(), &mut body.steps)?;
            }
            Command::EndPipeline => body.pipeline.end(at, body.blocks.len(), &mut body.steps)?,
            Command::Elif(condition) => body.next_branch(at, "elif", Some(condition))?,
            Command::Else => body.next_branch(at, "else", None)?,
            Command::Endif => body.end_block(at)?,
            Command::Read { .. } | Command::Nothing => {}
        }
        Ok(())
    }

    /// Values that a variable picks from: the number of their source.
    fn need(
        &mut self,
        script: &Script,
        number: usize,
        at: usize,
        name: &str,
        needed: Needed,
    ) -> Result<usize, Problem> {
        let count = self.names.number(&format!("{name}_rows"));
        let of_script = matches!(needed, Needed::Column { .. }).then_some(number);
        let key = (of_script, needed.clone());
        if let Some(source) = self.sources.get(&key) {
            self.needs[*source].counts.push(count);
            return Ok(*source);
        }
        let source = self.needs.len();
        if source >= MOST_NEEDS {
            let message =
                format!("there are more than {MOST_NEEDS} columns and queries for values");
            return Err(Problem::new(at, message, "take several variables from one of them"));
        }
        self.sources.insert(key, source);
        let place = ScriptError::new(script, Problem::new(at, "these values are missing", ""));
        self.needs.push(Need { needed, script: number, source, counts: vec![count], place });
        Ok(source)
    }

    /// Adds the statements of the last command, and what variables read from their answers.
    fn flush(&mut self, body: &mut Body<'_>, read: Option<ReadCommand>) -> Result<(), Problem> {
        let pending = std::mem::take(&mut body.pending);
        let last = pending.len().saturating_sub(1);
        for (number, statement) in pending.into_iter().enumerate() {
            // Of several statements in one command \gset means the last.
            let read = read.as_ref().filter(|read| number == last || !read.only);
            let statement = self.statement(body, statement, read)?;
            body.steps.push(Step::Execute { statement, text: None });
            body.empty = false;
        }
        Ok(())
    }

    fn statement(
        &mut self,
        body: &Body<'_>,
        cut: cut::Statement<'_>,
        read: Option<&ReadCommand>,
    ) -> Result<usize, Problem> {
        let prepared = self.options.prepared && !cut.variables.iter().any(|one| one.joined);
        if let (Placeholder::QuestionMark, Some(at), true) =
            (self.options.syntax.placeholder, cut.question_mark, prepared)
        {
            let help = "write a variable as in :name; put ? in quotes where it is a text";
            return Err(Problem::new(at, "parameters are not written as ?", help));
        }
        let quoted = cut.quoted.iter().map(|one| (body.number, one.at, one.name.to_owned()));
        self.quoted.extend(quoted);
        let names = &mut self.names;
        let variables = cut.variables.iter().map(|one| (one.joined, names.read(one.name, one.at)));
        let variables: Vec<(bool, usize)> = variables.collect();
        let described = Described::new(body.text, &cut);
        let (mut reads, mut open, mut row_read) = (vec![], false, RowRead::First);
        if let Some(read) = read {
            let columns = described.columns(self.options.syntax.folds_names);
            let Some(columns) = columns else {
                let message = "the statement before this gives no rows to read from";
                let help = "write it behind a SELECT, or add RETURNING";
                return Err(Problem::new(read.at, message, help));
            };
            row_read = if read.only { RowRead::Only } else { RowRead::Last };
            open = columns.open;
            let names = columns.names.into_iter().enumerate();
            for (number, name) in names.filter_map(|(number, name)| Some((number, name?))) {
                let name = format!("{}{name}", read.prefix);
                if is_name(&name) {
                    let variable = self.names.set(&name, read.end);
                    reads.push(Read { column: Column::Number(number), variable });
                }
            }
        }
        let same = Same {
            name: cut.name.map(str::to_owned),
            pieces: cut.pieces.clone(),
            variables: variables.clone(),
            row_read,
            prefix: read.map(|read| read.prefix.clone()),
        };
        let number = match self.known.get(&same) {
            Some(known) => *known,
            None => {
                let label = cut.name.map_or_else(|| described.label(), str::to_owned);
                self.known.insert(same, self.statements.len());
                let parameter = |(joined, variable)| match joined {
                    true => Parameter::Verbatim(variable),
                    false => Parameter::Variable(variable),
                };
                let statement = Statement {
                    name: self.unique(label),
                    kind: described.kind,
                    texts: vec![Text(cut.pieces)],
                    parameters: variables.into_iter().map(parameter).collect(),
                    prepared,
                    rows_due: RowsDue::Any,
                    reads,
                    row_read,
                };
                self.statements.push(statement);
                self.statements.len() - 1
            }
        };
        if let (true, Some(read)) = (open, read) {
            let prefix = read.prefix.clone();
            let (script, at) = (body.number, read.end);
            self.open.push(Open { statement: number, script, at, prefix });
        }
        Ok(number)
    }

    /// A name that no statement has.
    fn unique(&mut self, label: String) -> String {
        // Names reach reports and terminals.
        let label = model::text::excerpt(&label, 64).into_owned();
        let mut name = label.clone();
        while !self.labels.insert(name.clone()) {
            let number = self.numbers.entry(label.clone()).or_insert(1);
            *number += 1;
            name = format!("{label} {number}");
        }
        name
    }

    /// Puts everything together once all scripts have been read.
    pub(super) fn finish(mut self, scripts: &[Script]) -> Result<Built, ScriptError> {
        self.read_by_name();
        let error =
            |(script, problem): (usize, Problem)| ScriptError::new(&scripts[script], problem);
        self.names.check().map_err(error)?;
        let Self { names, mut statements, quoted, .. } = self;
        for statement in &mut statements {
            statement.reads.retain(|read| names.is_read(read.variable));
            inline(statement, &names, self.options.prepared);
        }
        let note = |(script, at, name): &(usize, usize, String)| {
            let message = format!(":{name} stands in quotes, where it is no variable");
            let help = "join texts and values in SQL, or put the whole text into the variable";
            let problem = Problem::new(*at, message, help);
            names.has_value(name).then(|| ScriptError::new(&scripts[*script], problem))
        };
        let notes = quoted.iter().filter_map(note).take(MOST_NOTES).collect();
        let reads = names.read_anywhere();
        let empty = || Source::Values(Arc::new(Values::default()));
        let parts = Parts {
            statements,
            transactions: self.transactions,
            variables: names.into_variables(),
            sources: self.needs.iter().map(|_| empty()).collect(),
        };
        Ok(Built { parts, needs: self.needs, notes, reads })
    }

    /// Variables that get no value otherwise are columns of an answer of which no more is known.
    fn read_by_name(&mut self) {
        let mut read = HashSet::new();
        for (name, script, at) in self.names.without_value() {
            let fits =
                |open: &&Open| name.len() > open.prefix.len() && name.starts_with(&open.prefix);
            // They stand in the order of their places.
            let above = self.open.partition_point(|open| (open.script, open.at) <= (script, at));
            let first = self.open.partition_point(|open| open.script < script);
            let Some(open) = self.open[first..above.max(first)].iter().rev().find(fits) else {
                continue;
            };
            self.names.begin_script(script);
            let variable = self.names.set(&name, open.at);
            let column = Column::Name(name[open.prefix.len()..].to_owned());
            if read.insert((open.statement, variable)) {
                self.statements[open.statement].reads.push(Read { column, variable });
            }
        }
    }
}

/// What scripts came to.
pub(super) struct Built {
    pub(super) parts: Parts,
    pub(super) needs: Vec<Need>,
    pub(super) notes: Vec<ScriptError>,
    pub(super) reads: BTreeSet<String>,
}

impl Body<'_> {
    fn block(&mut self, at: usize, command: &str) -> Result<&mut Block, Problem> {
        let message = format!("\\{command} without an \\if before it");
        self.blocks.last_mut().ok_or_else(|| Problem::new(at, message, "add \\if, or leave it out"))
    }

    /// Ends a branch and begins the next.
    fn next_branch(
        &mut self,
        at: usize,
        command: &str,
        condition: Option<Expression>,
    ) -> Result<(), Problem> {
        self.pipeline.has_ended(self.blocks.len())?;
        let steps = std::mem::take(&mut self.steps);
        let block = self.block(at, command)?;
        let Some(before) = std::mem::replace(&mut block.condition, condition) else {
            let message = format!("\\{command} after \\else");
            return Err(Problem::new(at, message, "\\else comes last, before \\endif"));
        };
        block.branches.push((before, steps));
        Ok(())
    }

    fn end_block(&mut self, at: usize) -> Result<(), Problem> {
        self.block(at, "endif")?;
        self.pipeline.has_ended(self.blocks.len())?;
        let steps = std::mem::take(&mut self.steps);
        let Some(mut block) = self.blocks.pop() else { return Ok(()) };
        let otherwise = match block.condition.take() {
            Some(condition) => {
                block.branches.push((condition, steps));
                vec![]
            }
            None => steps,
        };
        self.steps = block.before;
        self.steps.push(Step::If { branches: block.branches, otherwise });
        Ok(())
    }
}

/// Puts values that never change into the text where they are parts of words.
fn inline(statement: &mut Statement, names: &Names, prepared: bool) {
    let mut pieces = std::mem::take(&mut statement.texts[0].0).into_iter();
    let mut text = vec![pieces.next().unwrap_or_default()];
    let mut parameters = Vec::new();
    for (parameter, piece) in statement.parameters.iter().zip(pieces) {
        let constant = match parameter {
            Parameter::Verbatim(variable) => match names.constant(*variable) {
                Some(Initial::Integer(number)) => Some(number.to_string()),
                Some(Initial::Text(text)) => Some(text.clone()),
                _ => None,
            },
            _ => None,
        };
        match (constant, text.last_mut()) {
            (Some(constant), Some(last)) => {
                last.push_str(&constant);
                last.push_str(&piece);
            }
            _ => {
                parameters.push(*parameter);
                text.push(piece);
            }
        }
    }
    let verbatim = |one: &Parameter| matches!(one, Parameter::Verbatim(_));
    statement.prepared = prepared && !parameters.iter().any(verbatim);
    statement.parameters = parameters;
    statement.texts[0] = Text(text);
}
