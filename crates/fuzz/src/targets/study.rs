//! Study files.

use super::{KIB, MIB, text};
use crate::Target;
use crate::input::Input;
use crate::seeds::study as seeds;
use ::study::{estimate, expand, parse, scaled, space};
use model::Study;
use std::sync::OnceLock;

/// A whole file.
pub(super) const TEXT: Target = Target {
    name: "study_text",
    mutations: 150,
    run: |data| drop(planned(&text(data))),
    seeds: seeds::texts,
    longest: 8 * KIB,
    memory: 256 * MIB,
    dictionary: dictionary!(study),
};

/// A valid study of which keys get other values.
pub(super) const KEYS: Target = Target {
    name: "study_keys",
    mutations: 100,
    run: keys,
    seeds: || (0..40).map(|line| vec![line % 5, 0, line, 0, line, 1]).collect(),
    longest: 512,
    memory: 256 * MIB,
    dictionary: dictionary!(study),
};

/// Values that a key may be given, right and wrong.
const VALUES: &[&str] = &[
    "0",
    "1",
    "-1",
    "3",
    "1000",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "0.5",
    "1e308",
    "-0.0",
    "inf",
    "nan",
    "true",
    "false",
    "\"\"",
    "\"1s\"",
    "\"500ms\"",
    "\"30d\"",
    "\"720h\"",
    "\"1e999s\"",
    "\"4KiB\"",
    "\"16 EiB\"",
    "\"64k\"",
    "[]",
    "[1]",
    "[1, 4, 16]",
    "[0]",
    "[4294967295]",
    "{}",
    "{ monthly = 1, currency = \"EUR\" }",
    "\"p99 <= 10ms\"",
    "\"max < 1ns\"",
    "\"t1 o32 b16k\"",
    "\"redo log\"",
    "\"t256 o65535 b64m\"",
    "\"1:10\"",
    "\"0:0\"",
    "\"1-1024\"",
    "\"zipfian\"",
    "\"sequential\"",
    "\"poisson\"",
    "\"mysql://u@[::1]:3306/db\"",
    "\"redis://h/15\"",
    "\"../../etc\"",
    "\"\\u0000\"",
    "\"\\u202e\"",
    "2026-11-22T12:00:00Z",
    "\"cold\"",
    "\"oltp_insert\"",
    "\"key_value\"",
];

/// Byte 0: which study. Then for each change: its kind, its line, its value.
fn keys(data: &[u8]) {
    let mut input = Input::new(data);
    static STUDIES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let studies = STUDIES.get_or_init(seeds::texts);
    let file = text(&studies[usize::from(input.byte()) % studies.len()]);
    let mut lines: Vec<String> = file.lines().map(str::to_owned).collect();
    while !input.is_empty() {
        let kind = input.byte() % 6;
        let at = input.below(lines.len());
        let key = lines[at].split(" = ").next().unwrap_or_default().to_owned();
        match kind {
            0 | 1 => {
                let value = VALUES[usize::from(input.byte()) % VALUES.len()];
                lines[at] = format!("{key} = {value}");
            }
            2 => {
                let length = input.below(24);
                let value = text(input.bytes(length));
                lines[at] = format!("{key} = \"{}\"", value.escape_default());
            }
            3 => drop(lines.remove(at)),
            4 => {
                let line = lines[at].clone();
                lines.insert(input.below(lines.len()), line);
            }
            _ => {
                // A value within an inline table or list.
                let value = VALUES[usize::from(input.byte()) % VALUES.len()];
                let parts: Vec<&str> = lines[at].split(", ").collect();
                let part = input.below(parts.len());
                let changed = parts.iter().enumerate().map(|(number, old)| match number == part {
                    true => match old.rsplit_once("= ") {
                        Some((name, _)) => format!("{name}= {value}"),
                        None => value.to_owned(),
                    },
                    false => (*old).to_owned(),
                });
                lines[at] = changed.collect::<Vec<_>>().join(", ");
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    planned(&lines.join("\n"));
}

/// Everything that is done with a study before it runs.
fn planned(text: &str) -> Option<Study> {
    let study = match parse(text, "fuzz.toml") {
        Ok(study) => study,
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty());
            super::output::assert_shown(&message);
            return None;
        }
    };
    let trials = trials(&study);
    // What is valid may be large; a plan of millions of trials is slow, not wrong.
    if trials <= 2_000 {
        let plan = expand(&study, study.seed);
        assert!(plan.blocks.iter().map(|block| block.trials.len() as u64).sum::<u64>() <= trials);
        let _ = estimate(&plan, &study);
        assert_eq!(plan, expand(&study, study.seed), "a seed has one plan");
    }
    let _ = space(&study);
    for factor in [0.001, 1.0, 1000.0] {
        let _ = scaled(&study, factor);
    }
    Some(study)
}

/// How many trials a plan has at most.
fn trials(study: &Study) -> u64 {
    let levels: u64 = study.tests.iter().map(|test| test.levels().len() as u64).sum();
    u64::from(study.repeats) * levels * study.measured().count() as u64
}
