//! Scripts of transactions.

use super::{KIB, MIB, text};
use crate::Target;
use crate::input::Input;
use std::collections::BTreeMap;
use std::sync::Arc;
use workload::program::{Initial, Next, Parts, Program, Run, ValuesBuilder};
use workload::script::{
    Options, Parsed, Placeholder, Script, ScriptError, Syntax, builtin, builtin_names, parse,
};

/// How scripts are to be read, then two scripts, cut by a zero byte.
pub(super) const SCRIPT: Target = Target {
    name: "script",
    run: |data| {
        let mut input = Input::new(data);
        let options = options(input.byte());
        let scripts = input.rest().splitn(2, |&byte| byte == 0).map(|part| script(&text(part)));
        read(&scripts.collect::<Vec<_>>(), &options);
    },
    seeds: || {
        let own = [
            "\\set a 1\n\\startpipeline\nBEGIN;\n\\if :a\nUPDATE t SET x = :a;\n\\endif\n\\sleep 1 us\nEND;\n\
             \\endpipeline\nSELECT 1 AS b \\gset\n",
            "\\set a random_zipfian(1, 10 * :scale, 1.1) + case when :a is null then 1 end\n\
             \\values id[:id_rows] file.csv 'id'\n\\values b = SELECT 1;\n\\if not :id < ~3\n\
             SELECT a, b.*, count(*) AS n FROM t_:a WHERE x = ':a' AND y = :id::int /* :b */; \\gset p_\n\
             \\elif :p_n << 2 # 1\n-- name: x\nSELECT E'\\'', \"a\", $x$ ; $x$ \\; SELECT 1 \\aset\n\
             \\else\n\\sleep :p_n ms\n\\endif\nINSERT INTO t VALUES (:p_z, hash(1)) # ;\n",
            "CREATE FUNCTION f() BEGIN ATOMIC SELECT 1; END;\0\\set x 1\nSELECT `a;`, :x",
        ];
        let built_in = builtin_names().filter_map(builtin).map(|script| script.text);
        let texts = own.map(str::to_owned).into_iter().chain(built_in);
        let seed = |(number, text): (u8, String)| [&[number][..], text.as_bytes()].concat();
        (0..).zip(texts).map(seed).collect()
    },
    mutations: 300,
    longest: 8 * KIB,
    memory: 8 * MIB,
    dictionary: dictionary!(script),
};

fn options(bits: u8) -> Options {
    let bit = |number: u8| bits & (1 << number) != 0;
    let syntax = match bit(0) {
        true => Syntax::STANDARD,
        false => Syntax {
            placeholder: Placeholder::QuestionMark,
            backslash_escapes: bit(1),
            backticks: bit(2),
            dollar_quotes: bit(3),
            hash_comments: bit(4),
            nested_comments: bit(5),
            folds_names: bit(6),
            pipelines: bit(5),
        },
    };
    let variables = BTreeMap::from([("text".to_owned(), Initial::Text("a'b".to_owned()))]);
    Options { prepared: bit(7), syntax, variables }
}

fn script(text: &str) -> Script {
    let name = text.chars().take(5).collect();
    Script { name, file: None, text: text.to_owned(), weight: 1 }
}

fn read(scripts: &[Script], options: &Options) {
    let parsed = match parse(scripts, options) {
        Ok(parsed) => parsed,
        Err(error) => return shown(&error, scripts),
    };
    parsed.notes().iter().for_each(|note| shown(note, scripts));
    let Ok(parts) = with_values(parsed) else { return };
    for statement in &parts.statements {
        assert_eq!(statement.texts[0].0.len(), statement.parameters.len() + 1);
        shown_in_line(&statement.name);
    }
    read_again(&parts, options);
    let program = Arc::new(Program::new(parts));
    let mut run = Run::new(program, 7, 1, 3);
    for _ in 0..3 {
        while !matches!(run.advance(), Next::Ended | Next::Failed) {}
        run.restart();
    }
}

fn with_values(parsed: Parsed) -> Result<Parts, ScriptError> {
    parsed.with_values(|need| {
        let failed = |error: workload::program::ValuesError| need.failed(&error.to_string(), "");
        let mut values = ValuesBuilder::new(KIB);
        for value in [b"1", b"2", b"x"] {
            values.push(value).map_err(failed)?;
        }
        values.finish().map(Arc::new).map_err(failed)
    })
}

/// What a script was cut into is cut no further, and loses nothing more.
fn read_again(parts: &Parts, options: &Options) {
    let plain = |statement: &&workload::program::Statement| {
        statement.parameters.is_empty() && !statement.texts[0].0[0].contains(':')
    };
    for statement in parts.statements.iter().filter(plain).take(20) {
        let text = &statement.texts[0].0[0];
        let again = parse(&[script(text)], options).and_then(Parsed::without_values);
        let Ok(again) = again else { panic!("{text:?}: {again:?}") };
        let texts: Vec<&String> = again.statements.iter().map(|one| &one.texts[0].0[0]).collect();
        assert_eq!(texts, [text]);
    }
}

/// An error leads to a place of a script, and shows nothing that deceives.
fn shown(error: &ScriptError, scripts: &[Script]) {
    let lines = scripts.iter().map(|script| script.text.matches('\n').count() + 1).max();
    assert!((1..=lines.unwrap_or(1)).contains(&error.line), "{error:?}");
    assert!(error.column >= 1);
    error.to_string().lines().for_each(shown_in_line);
}

fn shown_in_line(line: &str) {
    assert!(!line.contains(model::text::deceives), "{line:?}");
    assert!(line.len() < 4 * KIB);
}
