//! What targets cost at a rate, from what a real server was seen to send.

use crate::support::Workplace;
use serde_json::Value;

/// One charged by what it sends, one by the month. Trials of so many transactions that a machine which
/// stands still in one of them leaves no doubt about ten a second.
const STUDY: &str = r#"
[study]
name = "bill"
repeats = 4
seed = 5
answer_at = { rate = 10 }

[[target]]
name = "cloud"
sandbox = {}
[target.price]
currency = "USD"
date = "2026-11"
items = [{ name = "egress", amount = 0.09, per = "gb_sent" }]

[[target]]
name = "vps"
sandbox = {}
price = { monthly = 50, currency = "USD", date = "2026-10" }

[[test]]
workload = "oltp_point_select"
table_size = 1_000
clients = 2
warmup = "200ms"
transactions = 40_000
"#;

/// Seconds of a month ÷ bytes of a gigabyte.
const MONTH_IN_GB: f64 = 730.0 * 3600.0 / 1e9;

fn answers(place: &Workplace, further: &[&str]) -> Value {
    let words = ["advise", "bill.toml", "--rate", "10", "--json"];
    place.weighin(&[&words, further].concat()).json()
}

fn monthly<'a>(answers: &'a Value, target: &str) -> &'a Value {
    let targets = answers["tests"][0]["targets"].as_array().unwrap();
    &targets.iter().find(|one| one["target"] == target).unwrap()["monthly"]
}

#[test]
fn the_cheapest_target_at_a_rate_follows_from_what_it_sends() {
    let place = Workplace::new();
    place.write("bill.toml", STUDY);
    place.weighin(&["run", "bill.toml"]).done();
    let said = answers(&place, &[]);
    let cloud = monthly(&said, "cloud");
    // A row of 120 characters, with what the protocol adds.
    let each = cloud["amount"]["point"].as_f64().unwrap() / (10.0 * 0.09 * MONTH_IN_GB);
    assert!((125.0..500.0).contains(&each), "{each} bytes sent for a transaction");
    assert!(cloud["amount"]["interval"].is_array(), "{cloud}");
    assert_eq!((&cloud["date"], &cloud["used_at"]["clients"]), (&"2026-11".into(), &2.into()));
    let test = &said["tests"][0];
    assert_eq!(
        test["sufficient"],
        serde_json::json!(["cloud", "vps"]),
        "the cheapest first: {said:#}"
    );
    assert_eq!(test["break_evens"][0]["outcome"]["below"], "cloud", "{test}");
    let shown = place.weighin(&["advise", "bill.toml", "--rate", "10"]).done();
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.contains("Sufficient, cheapest first") && shown.contains("Break-even"),
        "{shown}"
    );
    assert!(
        shown.contains("prices of 2026-11; charges by use as measured at 2 clients"),
        "{shown}"
    );

    let first =
        place.weighin(&["report", "bill.toml", "--format", "markdown", "--out", "-"]).done();
    assert!(
        first.contains("For 10 transactions/s, choose cloud, the cheapest that is sufficient: "),
        "{first}"
    );
    let screen = first.split("## Findings").next().unwrap();
    assert_eq!(screen.matches("costs less than vps below").count(), 1, "once: {screen}");

    // Other prices for the same results.
    place.write("prices.toml", "[cloud]\nmonthly = 80\ncurrency = \"USD\"\n");
    let said = answers(&place, &["--prices", "prices.toml"]);
    assert_eq!(said["tests"][0]["sufficient"], serde_json::json!(["vps", "cloud"]));
    let words = ["report", "bill.toml", "--format", "json", "--prices", "prices.toml"];
    let report = place.weighin(&words).json();
    assert_eq!(report["targets"][0]["price"]["items"][0]["amount"], 80.0);
    place.write("other.toml", "[clod]\nmonthly = 80\ncurrency = \"USD\"\n");
    let refused = place.weighin(&["advise", "bill.toml", "--prices", "other.toml"]).err;
    assert!(refused.contains("`clod`") && refused.contains("cloud, vps"), "{refused}");

    // The same for Infracost.
    let words = ["advise", "bill.toml", "--rate", "1000", "--infracost"];
    let of = |resource: &str| place.weighin(&[&words[..], &[resource]].concat());
    let usage = of("cloud=aws_data_transfer.eu").done();
    let sent =
        usage.lines().find_map(|line| line.trim().strip_prefix("monthly_outbound_internet_gb: "));
    let sent: f64 = sent.unwrap().parse().unwrap();
    assert!((sent - each * 1000.0 * MONTH_IN_GB).abs() <= 1.0, "{usage}");
    assert!(of("cloud=azurerm_mysql.a").err.contains("aws_db_instance"));
}
