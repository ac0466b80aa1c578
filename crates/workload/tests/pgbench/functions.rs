use crate::server::Postgres;
use crate::support::{Client, SEED};
use std::collections::BTreeMap;
use workload::program::Value;

const EXACT: &[&str] = &[
    "1 + 2 * 3 - 4 / 2 % 3",
    "(1 + 2) * -3",
    "7 / -2",
    "-7 % 3",
    "- 2 + 3",
    "7.0 / 2",
    "1 / 3.0",
    "2 + 3 << 1 & 7 | 8 # 3",
    "~5 & 255",
    "1 | 2 + 4 = 7",
    "1 < 2 and 2 <= 2 or not 3 > 4",
    "not 1 = 2 and true",
    "not false or true",
    "1 <> 1.0",
    "1 != 2",
    "2 >= 3",
    "null + 1",
    "null is null",
    "1 = 2 is null",
    "1 + null isnull",
    "not null notnull",
    "null = null",
    "false and null",
    "null and false",
    "true or null",
    "null or true",
    "true is true",
    "1 is not true",
    "abs(-5)",
    "abs(-5.5)",
    "double(3)",
    "int(3.5)",
    "int(4.5)",
    "int(-3.7)",
    "exp(1)",
    "ln(10)",
    "ln(-1)",
    "sqrt(2)",
    "sqrt(-1)",
    "pi()",
    "pow(2, 10)",
    "power(2.5, -1)",
    "pow(-8, 1.0 / 3)",
    "mod(17, 5)",
    "mod(-17, 5)",
    "mod(7.5, 3)",
    "greatest(1, 2.5, 3)",
    "least(3, -1, 2)",
    "least(1.5, 2)",
    "greatest(5)",
    "hash(10)",
    "hash(10, 7)",
    "hash(-1)",
    "hash_fnv1a(10)",
    "hash_fnv1a(123456789, 42)",
    "hash_fnv1a(-5, -6)",
    "hash_murmur2(10)",
    "hash_murmur2(123456789, 42)",
    "hash_murmur2(-5, -6)",
    "permute(0, 1)",
    "permute(5, 10)",
    "permute(5, 10, 11)",
    "permute(123456, 1000000)",
    "permute(-3, 1000, -4)",
    "permute(987654321987, 9000000000000000000, 3)",
    "case when 1 > 2 then 1 when 2 > 1 then 2 else 3 end",
    "case when 1 > 2 then 1 end",
    "case when null then 1 else 2.5 end",
    "-9223372036854775808",
    "9223372036854775807",
    "1e10",
    "1.5e-7",
    "123456789.123456789",
    ".5 + 1.",
    "1 << 63",
    "-1 >> 1",
    "5 / 2.0 * 2",
    "true",
    "NULL",
    ":scale * 100000",
    ":client_id",
    "debug(4)",
];

/// What pgbench shows of values that are debugged, in their order.
fn debugged(stderr: &[u8]) -> Vec<String> {
    let said = String::from_utf8_lossy(stderr);
    let shown = said.lines().filter_map(|line| line.split_once("): "));
    let shown = shown.filter(|(head, _)| head.contains("debug(script="));
    shown.map(|(_, value)| value.to_owned()).collect()
}

#[test]
fn expressions_have_the_values_that_pgbench_gives_them() {
    let Some(postgres) = Postgres::start() else { return };
    let seed = format!("default_seed={SEED}");
    let mut differ = Vec::new();
    for expression in EXACT {
        let script = format!("\\set x debug({expression})\n");
        let theirs = postgres.run(&script, &["-t", "1", "-D", &seed]);
        let theirs = debugged(&theirs.stderr).pop().unwrap_or_default();
        let ours = Client::new(&format!("\\set x {expression}")).and_then(|mut client| {
            client.transaction()?;
            Ok(client.shown("x"))
        });
        let ours = ours.unwrap_or_else(|error| error);
        if ours != theirs {
            differ.push(format!("{expression}: {ours}, and pgbench gives {theirs}"));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// The numbers that an expression gave, and how often each.
fn counted(numbers: impl Iterator<Item = i64>) -> BTreeMap<i64, f64> {
    let mut counts = BTreeMap::new();
    numbers.for_each(|number| *counts.entry(number).or_insert(0.0) += 1.0);
    counts
}

#[test]
fn random_numbers_have_the_distributions_of_pgbench() {
    const DRAWS: usize = 20_000;
    let Some(postgres) = Postgres::start() else { return };
    for expression in [
        "random(-3, 6)",
        "random_exponential(1, 10, 2.5)",
        "random_gaussian(1, 10, 2.5)",
        "random_zipfian(1, 10, 1.2)",
        "random_zipfian(5, 14, 2.5)",
        "case when random(1, 4) = 1 then 0 else random(1, 2) end",
    ] {
        let script = format!("\\set x debug({expression})\n");
        let seeded = ["-t", &DRAWS.to_string(), "--random-seed", "7"];
        let theirs = debugged(&postgres.run(&script, &seeded).stderr);
        let number = |shown: &String| shown.strip_prefix("int ").unwrap().parse().unwrap();
        let theirs = counted(theirs.iter().map(number));
        let mut client = Client::new(&format!("\\set x {expression}")).unwrap();
        let ours = counted((0..DRAWS).map(|_| {
            client.transaction().unwrap();
            match client.value("x") {
                Value::Integer(number) => number,
                other => panic!("{other:?}"),
            }
        }));
        assert_eq!(theirs.values().sum::<f64>(), DRAWS as f64);
        // Two samples of one size: the square of each difference over its sum.
        let numbers: Vec<i64> = ours.keys().chain(theirs.keys()).copied().collect();
        let numbers = counted(numbers.into_iter());
        let count = |of: &BTreeMap<i64, f64>, number: &i64| of.get(number).copied().unwrap_or(0.0);
        let difference = |number: &i64| {
            let (one, other) = (count(&ours, number), count(&theirs, number));
            (one - other).powi(2) / (one + other)
        };
        let chi: f64 = numbers.keys().map(difference).sum();
        // Of nine degrees of freedom at most, it exceeds this once in a hundred thousand times; both seeds
        // are fixed.
        assert!(chi < 38.0, "{expression}: {chi}\n{ours:?}\n{theirs:?}");
    }
}
