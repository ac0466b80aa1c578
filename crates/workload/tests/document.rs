//! The examples of docs/scripts.md are scripts that run, with the results that stand beside them.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use workload::program::{Initial, Next, Program, Run, Value, ValuesBuilder};
use workload::script::{Options, Parsed, Script, ScriptError, Syntax, parse};

fn document() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scripts.md");
    fs::read_to_string(path).unwrap()
}

/// The blocks of code of a kind.
fn blocks<'d>(document: &'d str, kind: &str) -> Vec<&'d str> {
    let begin = format!("```{kind}\n");
    let blocks = document.split(&begin).skip(1);
    blocks.map(|block| block.split_once("```").unwrap().0).collect()
}

/// The cells of the rows of tables whose heading has these cells.
fn rows<'d>(document: &'d str, heading: &str) -> Vec<Vec<&'d str>> {
    let (_, table) = document.split_once(heading).unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

fn read(text: &str) -> Result<Parsed, ScriptError> {
    let script = Script {
        name: "example".to_owned(),
        file: Some("checkout.sql".to_owned()),
        text: text.to_owned(),
        weight: 1,
    };
    let variables = BTreeMap::from([("default_seed".to_owned(), Initial::Integer(5432))]);
    parse(&[script], &Options { prepared: true, syntax: Syntax::STANDARD, variables })
}

/// The client's variables after a transaction that nobody answers, and their names.
fn run(text: &str) -> (Run, Vec<String>) {
    let parsed = read(text).unwrap_or_else(|error| panic!("{error}"));
    assert!(parsed.notes().len() <= 1, "{:?}", parsed.notes());
    let parts = parsed.with_values(|_| -> Result<_, ScriptError> {
        let mut values = ValuesBuilder::new(100);
        values.push(b"7").unwrap();
        Ok(Arc::new(values.finish().unwrap()))
    });
    let parts = parts.unwrap();
    let names = parts.variables.iter().map(|variable| variable.name.clone()).collect();
    let mut run = Run::new(Arc::new(Program::new(parts)), 7, 0, 1);
    loop {
        match run.advance() {
            Next::Ended => return (run, names),
            // What is computed of answers has no value here.
            Next::Failed => panic!("{:?}: {text}", run.error()),
            Next::Execute { .. } | Next::Think(_) | Next::OpenPipeline | Next::EndPipeline => {}
        }
    }
}

fn value(expression: &str) -> (Value, String) {
    let (run, names) = run(&format!("\\set it {expression}"));
    let number = names.iter().position(|name| name == "it").unwrap();
    let mut text = Vec::new();
    let value = run.variables.get(number);
    run.variables.append(value, &mut text);
    (value, String::from_utf8(text).unwrap())
}

#[test]
fn examples_are_scripts_that_run() {
    let document = document();
    let scripts = blocks(&document, "sql");
    assert_eq!(scripts.len(), 6);
    scripts.into_iter().for_each(|script| drop(run(script)));
}

#[test]
fn functions_have_the_values_that_stand_beside_them() {
    let document = document();
    let functions = rows(&document, "| Function | Value | Example | Result |");
    assert_eq!(functions.len(), 17);
    for row in functions {
        let [function, _, example, result] = row[..] else { panic!("{row:?}") };
        let (_, text) = value(example.trim_matches('`'));
        assert_eq!(text, result.trim_matches('`'), "{function}");
    }
    let random = rows(&document, "| Function | Distribution | Example |");
    assert_eq!(random.len(), 4);
    for row in random {
        let (number, _) = value(row[2].trim_matches('`'));
        assert!(matches!(number, Value::Integer(1..=10)), "{row:?}");
    }
}

#[test]
fn functions_and_the_error_are_those_of_the_document() {
    let document = document();
    let error = read("\n\\set item 1 + randm(1, 10)").unwrap_err().to_string();
    assert_eq!(blocks(&document, "text"), [format!("{error}\n")]);
    let (_, listed) = error.split_once("there are ").unwrap();
    for function in listed.split(", ") {
        assert!(document.contains(&format!("`{function}(")), "{function} is not described");
    }
}
