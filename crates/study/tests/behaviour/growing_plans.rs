//! Plans that grow while they run, by repeats or by levels: what a user reads where that makes no sense.

use study::parse;

const HEAD: &str = "[study]\nname = \"s\"\n";
const TARGET: &str = "[[target]]\nname = \"a\"\nsandbox = {}\n";
const TEST: &str = "[[test]]\nworkload = \"oltp_read_only\"\nclients = [1]\n";

/// The message for a text that must be refused.
fn refusal(text: &str) -> String {
    parse(text, "s.toml").expect_err(text).to_string()
}

#[track_caller]
fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
}

#[test]
fn a_budget_is_a_time_or_an_amount_that_the_prices_turn_into_one() {
    let until = "repeats = { until = \"resolved\" }";
    let written = |until: &str, budget: &str, price: &str| {
        let other = TARGET.replace("\"a\"", "\"b\"");
        format!("{HEAD}{until}\nbudget = \"{budget}\"\n{TARGET}{price}{other}{price}{TEST}")
    };
    let price = |amount: &str| format!("\nprice = {{ {amount}, currency = \"EUR\" }}\n");
    let refused = |budget: &str, price: &str| refusal(&written(until, budget, price));
    assert_says(&refusal(&written("repeats = 5", "4h", "")), &["`budget` needs repeats", "until"]);
    assert_says(&refused("4", ""), &["`budget`", "\"4h\"", "\"50 EUR\""]);
    assert_says(&refused("0s", ""), &["`budget` must be more than nothing"]);
    assert_says(&refused("50 EUR", ""), &["a has no price", "or a `budget` of time"]);
    assert_says(&refused("50 USD", &price("monthly = 730")), &["a is paid in EUR"]);
    assert_says(&refused("50 EUR", &price("monthly = 0")), &["no target costs anything"]);
    for bad in ["-5 EUR", "5 eur", "nan EUR", "1e400 EUR"] {
        assert_says(&refused(bad, &price("monthly = 730")), &["`budget`"]);
    }
    // A euro an hour each: fifty are 25 hours of both.
    let read = parse(&written(until, "50 EUR", &price("monthly = 730")), "s.toml").unwrap();
    let budget = read.budget.expect("a budget");
    assert_eq!(budget.time.as_secs(), 25 * 3600);
    let time =
        parse(&written(until, "1h30m", ""), "s.toml").unwrap().budget.expect("a budget").time;
    assert_eq!(time.as_secs(), 5400);
}

#[test]
fn repeats_until_resolved_need_sense() {
    let other = TARGET.replace("\"a\"", "\"b\"");
    let refused =
        |table: &str| refusal(&format!("{HEAD}repeats = {{ {table} }}\n{TARGET}{other}{TEST}"));
    assert_says(&refused("until = \"done\""), &["`until` cannot be `done`", "\"resolved\""]);
    assert_says(&refused("min = 1, until = \"resolved\""), &["`min` must be from 2 to 100"]);
    assert_says(&refused("max = 101, until = \"resolved\""), &["`max` must be from 2 to 100"]);
    assert_says(&refused("min = 9, max = 4, until = \"resolved\""), &["`min` is 9", "at least"]);
    assert_says(&refused("min = 3, max = 9"), &["a whole number, or a table", "until"]);
    assert_says(
        &refusal(&format!("{HEAD}repeats = \"3\"\n{TARGET}{TEST}")),
        &["a whole number, or a table"],
    );
    let lone = refusal(&format!("{HEAD}repeats = {{ until = \"resolved\" }}\n{TARGET}{TEST}"));
    assert_says(&lone, &["`until` needs two targets"]);
}

#[test]
fn levels_that_place_themselves_need_sense() {
    let test = |clients: &str| format!("[[test]]\nworkload = \"oltp_read_only\"\n{clients}\n");
    let refused = |clients: &str| refusal(&format!("{HEAD}{TARGET}{}", test(clients)));
    assert_says(&refused("clients = \"many\""), &["`clients` cannot be `many`", "\"auto\""]);
    assert_says(&refused("clients = { from = 9, to = 4 }"), &["`from` is 9 and `to` is 4"]);
    assert_says(&refused("clients = { from = 0 }"), &["`from` must be from 1 to 65535"]);
    assert_says(&refused("clients = { step = 1 }"), &["`step` must be from 1.1 to 16, not 1"]);
    assert_says(&refused("clients = { step = 2, resolution = 3 }"), &["`step` must be the larger"]);
    assert_says(
        &refused("clients = { most = 3 }"),
        &["the first pass has 5 levels", "raise `most`, to 100 at most"],
    );
    let fine = "clients = { step = 1.1, resolution = 1.05, to = 65_535 }";
    assert_says(&refused(fine), &["the first pass has 103 levels and `most` is 100"]);
    let most = "clients = { from = 65_535 }";
    assert_says(&refused(most), &["`from` is 65535 and `to` is 65535", "`to` must be above"]);
    let high = parse(&format!("{HEAD}{TARGET}{}", test("clients = { from = 40_000 }")), "s.toml");
    let high = high.unwrap();
    let numbers: Vec<u32> = high.tests[0].levels().iter().map(|level| level.clients).collect();
    assert_eq!(numbers, [40_000, 65_535]);
    assert_says(&refused("clients = { upto = 3 }"), &["upto"]);
    let rate = refused("clients = \"auto\"\nrate = [100]");
    assert_says(&rate, &["cannot place levels beside `rate`", "one number"]);
    let slo = refused("clients = \"auto\"\nslo = \"p95 < 20ms\"");
    assert_says(&slo, &["cannot place levels beside `slo`"]);
    let once = refusal(&format!("{HEAD}repeats = 1\n{TARGET}{}", test("clients = \"auto\"")));
    assert_says(&once, &["one repeat", "write repeats = 3"]);
    let budget = format!(
        "{HEAD}repeats = {{ until = \"resolved\" }}\nbudget = \"4h\"\n{TARGET}{}",
        test("clients = \"auto\"")
    );
    assert_says(&refusal(&budget), &["`budget` does not work with levels that place themselves"]);
    let beside = "[[test]]\ntask = \"statement\"\nstatements = \"scan\"\nworkload = \"oltp_read_only\"\n\
                  clients = \"auto\"\n";
    let beside = refusal(&format!("{HEAD}{TARGET}{beside}"));
    assert_says(&beside, &["do not place themselves beside statements"]);
}
