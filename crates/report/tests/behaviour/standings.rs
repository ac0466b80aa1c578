//! The table of all tests and targets that several tests begin with.

use crate::support;
use analyse::{MatrixPlace, analyse};
use report::Format;

/// Seven servers in six tests, each measured once, of which three could not finish one.
fn acceptance_of_servers() -> model::Dataset {
    let table = include_str!("../../../analyse/tests/fixtures/002-aws-bmt.csv");
    test_support::imported("002", table)
}

/// The row of a target in the first table of the page, cell by cell, without markup.
fn row(page: &str, target: &str) -> Vec<String> {
    let table = &page[page.find("<table class=\"standings\"").unwrap()..];
    let table = &table[..table.find("</table>").unwrap()];
    let row = table.split("<tr").find(|row| row.contains(&format!("{target}</th>"))).unwrap();
    let cells = row.split("<t").skip(1).map(|cell| {
        let text = cell.split('<').map(|part| part.split_once('>').map_or("", |(_, text)| text));
        text.collect::<Vec<&str>>().join(" ").split_whitespace().collect::<Vec<&str>>().join(" ")
    });
    cells.collect()
}

#[test]
fn each_cell_has_its_ratio_to_the_best_and_a_failure_its_reason() {
    let data = acceptance_of_servers();
    let page = support::rendered(&data, Format::Html).replace('\u{a0}', " ");
    assert_eq!(
        row(&page, "aurora-r3.2xlarge")[1..4],
        [
            "× 1.56 6 h 55 min",
            "✕ failed lost connection",
            "✕ failed /tmp too small (120 GB for a 200 GB table)"
        ]
    );
    assert_eq!(row(&page, "ec2-tuned")[2], "first 31 min 5 s");
    assert!(page.contains("idc-fio has the best figure in 4 of 6 tests and ec2-tuned in 2."));
    assert!(page.contains("what was measured once is no verdict"));
}

#[test]
fn every_format_that_people_read_has_the_same_table() {
    let data = acceptance_of_servers();
    let markdown = support::rendered(&data, Format::Markdown).replace('\u{a0}', " ");
    let row = markdown.lines().find(|line| line.starts_with("| aurora-r3.2xlarge |")).unwrap();
    assert!(row.contains("| failed (/tmp too small (120 GB for a 200 GB table)) |"), "{row}");
    let terminal = report::terminal_summary(&support::analysis(&data), 140, false);
    let row = terminal.lines().find(|line| line.trim().starts_with("aurora-r3.2xlarge ")).unwrap();
    assert!(row.contains("× 1.56") && row.contains("failed"), "{row}");
    let json: serde_json::Value =
        serde_json::from_str(&support::rendered(&data, Format::Json)).unwrap();
    let cell = &json["matrix"][2]["cells"][1];
    assert_eq!(cell["place"]["failure"]["message"], "/tmp too small (120 GB for a 200 GB table)");
    assert_eq!(json["matrix"][0]["cells"][0]["place"]["place"], 1);
}

#[test]
fn a_verdict_says_who_is_clearly_behind_by_how_much() {
    let data = support::acceptance();
    let analysis = analyse(&data);
    for test in &analysis.matrix {
        assert_eq!(test.cells[1].place, MatrixPlace::Best { clear: true }, "{}", test.test);
        assert_eq!(test.cells[0].place, MatrixPlace::Behind, "{}", test.test);
        let behind = test.cells[0].behind.unwrap();
        let (low, high) = behind.interval.unwrap();
        assert!(1.0 < low && low < behind.point && behind.point < high, "{behind:?}");
    }
    let page = support::rendered(&data, Format::Html).replace('\u{a0}', " ");
    assert!(row(&page, "current")[1].starts_with("× 1.90 behind 1.65–2.20; 94.9 at 2 clients"));
    assert_eq!(row(&page, "current")[4], "23.00 EUR");
    assert!(page.contains("candidate is first in all 3 tests."));
}

#[test]
fn a_place_that_several_share_is_nobodys_first() {
    let mut table = "target,test,metric,value,clients,block\n".to_owned();
    for block in 1..=4_u32 {
        for (test, speeds) in [("one", [100.0, 100.2, 50.0]), ("two", [100.0, 60.0, 50.0])] {
            for (target, speed) in ["a", "b", "c"].into_iter().zip(speeds) {
                let noise = 1.0 + f64::from(block * 3 % 4) / 400.0;
                table += &format!("{target},{test},throughput,{},4,{block}\n", speed * noise);
            }
        }
    }
    let page = support::rendered(&test_support::imported("tied", &table), Format::Markdown);
    let said = "a is first in 1 of 2 tests; in one test several share the first place.";
    assert!(page.contains(said), "{page}");
}

#[test]
fn one_test_has_no_such_table() {
    let page = support::rendered(&support::usual(), Format::Html);
    assert!(!page.contains("<table class=\"standings\""));
}

#[test]
fn who_asks_what_transactions_cost_reads_it_first_and_break_evens_beside_it() {
    let mut data = support::dataset(&support::Shape {
        targets: &["own", "rented"],
        levels: 4,
        repeats: 3,
        troubles: false,
    });
    let item = |amount, per| model::PriceItem { name: "x".into(), amount, per, quantity: None };
    let price = |items| Some(model::Price::from_items("EUR", items));
    data.study.answer_by = Some(model::AnswerBy::Cost);
    data.study.targets[0].price = price(vec![item(900.0, model::PriceUnit::Month)]);
    data.study.targets[1].price = price(vec![item(0.5, model::PriceUnit::MillionRequests)]);
    let page = support::rendered(&data, Format::Html).replace('\u{a0}', " ");
    let screen = &page[page.find("id=\"answer\"").unwrap()..];
    let screen = &screen[..screen.find("</section>").unwrap()];
    let said = screen.split("class=\"headline\"").nth(1).unwrap();
    assert!(
        said.starts_with(
            ">A million transactions cost least on rented: 0.500 EUR at 8 clients; 2.03 × as much"
        ),
        "{}",
        &said[..200]
    );
    assert_eq!(row(screen, "rented")[1], "✓ cheapest 0.500 EUR at 8 clients");
    assert!(row(screen, "own")[1].contains("as much"), "{:?}", row(screen, "own"));
    let break_even = "rented costs less than own below";
    assert_eq!(screen.matches(break_even).count(), 1);
    let findings =
        &page[page.find("id=\"findings\"").unwrap()..page.find("id=\"test-0\"").unwrap()];
    assert!(!findings.contains(break_even), "the first screen has said it");
    let markdown = support::rendered(&data, Format::Markdown);
    assert!(markdown.contains(break_even));
}

#[test]
fn who_asks_about_a_load_is_answered_for_it_before_anything_else() {
    let mut data = support::dataset(&support::Shape {
        targets: &["own", "rented"],
        levels: 4,
        repeats: 3,
        troubles: false,
    });
    for (target, monthly) in data.study.targets.iter_mut().zip([900.0, 60.0]) {
        target.price = Some(model::Price::monthly(monthly, "EUR"));
    }
    let load = model::AskedLoad::Clients(4);
    data.study.answer_at = Some(model::AnswerAt { load, slo: "p95 < 500ms".parse().ok() });
    let said = "For 4 clients and p95 < 500 ms, choose rented, the cheapest that is sufficient: 60.00 EUR a \
                month. Sufficient too: own for 900.00 EUR a month.";
    let page = support::rendered(&data, Format::Html).replace('\u{a0}', " ");
    let page = page.replace("&lt;", "<");
    let first = page.split("class=\"headline\"").nth(1).unwrap();
    assert!(first.starts_with(&format!(">{said}")), "{}", &first[..300]);
    // What decides the test itself follows, and is no second headline.
    assert_eq!(page.matches("class=\"headline\"").count(), 1);
    assert!(first.contains("Choose rented"), "{}", &first[..2_000]);
    let terminal = report::terminal_summary(&support::analysis(&data), 400, false);
    assert!(
        terminal.find("Sufficient too").unwrap() < terminal.find("Choose").unwrap(),
        "{terminal}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&support::rendered(&data, Format::Json)).unwrap();
    let asked = &json["asked"];
    assert_eq!(asked["question"]["clients"], 4);
    assert!(asked["question"]["rate"].is_null());
    assert_eq!(asked["tests"][0]["sufficient"], serde_json::json!(["rented", "own"]));
    data.study.answer_at = None;
    let json: serde_json::Value =
        serde_json::from_str(&support::rendered(&data, Format::Json)).unwrap();
    assert!(json["asked"].is_null());
}

#[test]
fn what_cannot_be_judged_stands_on_the_first_screen_as_it_is_printed() {
    let table = include_str!("../../../analyse/tests/fixtures/003-storage-cluster.csv");
    let data = test_support::imported("003", table);
    let markdown = support::rendered(&data, Format::Markdown);
    let heading = "| test | iops per volume, 1/s | read latency, ms |";
    let screen = markdown.split("## Findings").next().unwrap();
    assert!(screen.contains(heading), "{screen}");
    assert!(
        screen.contains("| t1 o32 b16k random, read\\_percent 100 | 475,000 | 0.2 |"),
        "{screen}"
    );
    assert!(support::rendered(&data, Format::Html).contains("iops per volume, 1/s</th>"));
    assert!(report::terminal_summary(&support::analysis(&data), 160, false).contains("475,000"));
}
