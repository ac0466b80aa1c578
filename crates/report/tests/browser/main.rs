//! The page in a real browser: it opens, and its switches do what they say.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

#[path = "../support/mod.rs"]
mod support;

use report::{Format, render};
use serde_json::json;
use std::fs;
use tempfile::TempDir;
use test_support::{Browser, Rules};

/// Windows of a large screen, a small one, and a phone.
const WIDTHS: [u32; 3] = [LARGE, SMALL, PHONE];
const LARGE: u32 = 1_440;
const SMALL: u32 = 1_100;
const PHONE: u32 = 390;

/// The page of a dataset in a file, and the address of that.
struct Page {
    _directory: TempDir,
    url: String,
    /// How large it is, in bytes.
    size: usize,
}

impl Page {
    fn of_dataset(dataset: &model::Dataset) -> Self {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("report.html");
        let mut page = Vec::new();
        render(&support::analysis(dataset), Format::Html, &mut page).unwrap();
        fs::write(&path, &page).unwrap();
        let url = format!("file://{}", path.display());
        Self { _directory: directory, url, size: page.len() }
    }
}

/// A browser at a page.
fn at(page: &Page, width: u32) -> Browser {
    let mut browser = Browser::start();
    browser.resize(width);
    browser.open(&page.url);
    browser
}

const UNFOLD: &str =
    "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })";

/// Looks at a page in both themes in every window, unfolded: it fits, axe finds nothing, and the page
/// neither complains nor asks for anything. It comes up in one theme or the other, and changes to that
/// one while it is open. A theme changes colours alone, so that one is held against all rules that do
/// not look at colours; of those that do the windows take turns, since what lies behind a text depends on
/// the window: light in the one named first, dark in the other.
fn fits_and_is_accessible(dataset: &model::Dataset, colours_in: [u32; 2]) {
    let page = Page::of_dataset(dataset);
    let mut browser = Browser::start();
    let themes = ["light", "dark"];
    for (turn, width) in WIDTHS.into_iter().enumerate() {
        browser.resize(width);
        browser.media(themes[(turn + 1) % 2], "screen");
        browser.open(&page.url);
        browser.evaluate(UNFOLD);
        let mut papers = Vec::new();
        for at in [turn + 1, turn] {
            let theme = themes[at % 2];
            browser.media(theme, "screen");
            assert_eq!(browser.beyond(), json!(0), "{width} pixels, {theme}");
            let mut violations = Vec::new();
            if theme == "light" {
                violations.extend(browser.violations_of(Rules::OfForm));
            }
            if width == colours_in[at % 2] {
                violations.extend(browser.violations_of(Rules::OfColours));
            }
            assert_eq!(violations, Vec::<String>::new(), "{width} pixels, {theme}");
            papers.push(browser.evaluate("getComputedStyle(document.body).backgroundColor"));
        }
        assert_ne!(papers[0], papers[1], "the themes differ");
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
    assert_eq!(browser.requests, Vec::<String>::new());
}

#[test]
fn rules_of_colours_and_all_others_find_what_is_theirs() {
    let mut browser = Browser::start();
    browser.open(
        "data:text/html,<html lang=en><title>A page</title><main><h1>A field</h1>\
         <p style='color:%23eee;background:%23fff'>Pale</p><input></main>",
    );
    let found = |violations: Vec<String>, rule: &str| {
        assert!(matches!(&violations[..], [only] if only.contains(rule)), "{violations:?}");
    };
    found(browser.violations_of(Rules::OfColours), "color-contrast: ");
    found(browser.violations_of(Rules::OfForm), "label: ");
}

#[test]
fn a_page_with_latencies_by_the_second_fits_and_is_accessible() {
    fits_and_is_accessible(&support::with_latencies(), [LARGE, PHONE]);
}

#[test]
fn a_page_of_fifty_imported_targets_fits_and_is_accessible() {
    fits_and_is_accessible(&support::crowd(50), [SMALL, LARGE]);
}

#[test]
fn a_page_of_failures_fits_and_is_accessible() {
    fits_and_is_accessible(&support::failures(), [PHONE, SMALL]);
}

#[test]
fn a_page_of_an_acceptance_fits_and_is_accessible() {
    let data = support::acceptance();
    let page = Page::of_dataset(&data);
    let mut browser = at(&page, LARGE);
    let said = browser.evaluate("document.body.textContent").as_str().unwrap().to_owned();
    for part in ["catch-up", "primary lost", "Around the failover", "add column"] {
        assert!(said.contains(part), "no {part}");
    }
    fits_and_is_accessible(&data, [LARGE, SMALL]);
}

#[test]
fn the_table_of_all_tests_sorts_by_a_column_and_keeps_its_first_one_in_view() {
    let table = include_str!("../../../analyse/tests/fixtures/002-aws-bmt.csv");
    let data = test_support::imported("002", table);
    let page = Page::of_dataset(&data);
    let mut browser = at(&page, PHONE);
    let names =
        "[...document.querySelectorAll('.standings tbody th')].map((t) => t.innerText.trim())";
    let sort = |browser: &mut Browser, column: usize| {
        let button = format!("document.querySelectorAll('.standings thead button')[{column}]");
        browser.evaluate(&format!("{button}.click()"));
        browser.evaluate(&format!("{button}.parentNode.ariaSort"))
    };
    let written = browser.evaluate(names);
    assert_eq!(written[0], "idc-fio");
    assert_eq!(sort(&mut browser, 2), "ascending");
    let sorted = browser.evaluate(names);
    assert_eq!([&sorted[0], &sorted[1], &sorted[2]], ["ec2-tuned", "idc-fio", "ec2-three-volumes"]);
    assert_eq!(sort(&mut browser, 2), "descending");
    assert_eq!(browser.evaluate(names)[6], "ec2-tuned");
    assert_eq!(sort(&mut browser, 0), "ascending");
    assert_eq!(browser.evaluate(names), written, "by name is as it was written");
    let scrolled = "(() => { const table = document.querySelector('.standings');
        table.parentNode.scrollLeft = 400;
        const box = table.parentNode.getBoundingClientRect();
        return [table.parentNode.scrollLeft > 100,
            table.querySelector('tbody th').getBoundingClientRect().left - box.left] })()";
    assert_eq!(browser.evaluate(scrolled), json!([true, 0]));
    assert_eq!(browser.complaints, Vec::<String>::new());
    fits_and_is_accessible(&data, [PHONE, LARGE]);
}

#[test]
fn a_phone_shows_the_unfolded_page_in_reasonable_length_with_every_table_in_its_own_box() {
    let page = Page::of_dataset(&support::usual());
    let mut browser = at(&page, PHONE);
    browser.evaluate(UNFOLD);
    let length = browser.evaluate("document.documentElement.scrollHeight").as_f64().unwrap();
    assert!(length < 35_000.0, "{length} pixels");
    assert_eq!(browser.beyond(), json!(0));
    // What is wider than its box can be scrolled to its end there, with the first column in view.
    let cut_off = "[...document.querySelectorAll('table, .timelines')].filter((e) => {
        const box = e.matches('.timelines') ? e : e.closest('.scroll');
        const end = document.documentElement.clientWidth;
        return !box || box.getBoundingClientRect().right > end
            || !['auto', 'scroll'].includes(getComputedStyle(box).overflowX); }).length";
    assert_eq!(browser.evaluate(cut_off), json!(0));
    let leaves = "[...document.querySelectorAll('.scroll')].filter((box) => {
        box.scrollLeft = 10000;
        const first = box.querySelector('tbody tr > :first-child');
        return first && Math.abs(first.getBoundingClientRect().left - box.getBoundingClientRect().left) > 1;
        }).length";
    assert_eq!(browser.evaluate(leaves), json!(0));
}

#[test]
fn a_page_with_names_that_are_long_and_hostile_fits_and_is_accessible() {
    fits_and_is_accessible(&support::hostile(), [PHONE, LARGE]);
}

#[test]
fn targets_are_switched_on_and_off_and_the_axis_follows() {
    let page = Page::of_dataset(&support::with_latencies());
    let mut browser = at(&page, LARGE);
    let figure = "document.querySelector('#answer figure')";
    let drawn = |browser: &mut Browser| {
        browser.evaluate(&format!(
            "{figure}.querySelector('.chart.wide').outerHTML.replaceAll(' style=\"\"', '')"
        ))
    };
    let top = |browser: &mut Browser| {
        let labels = format!(
            "[...{figure}.querySelectorAll('.chart.wide .ticks text')].map((mark) => mark.textContent)"
        );
        browser.evaluate(&labels).as_array().unwrap().last().unwrap().as_str().unwrap().to_owned()
    };
    let click = |browser: &mut Browser, button: usize| {
        browser.evaluate(&format!("{figure}.querySelectorAll('.legend button')[{button}].click()"));
    };
    let pressed = |browser: &mut Browser| {
        browser.evaluate(&format!(
            "[...{figure}.querySelectorAll('.legend button')].map((b) => b.ariaPressed)"
        ))
    };
    let visible = |browser: &mut Browser| {
        browser.evaluate(&format!("[...{figure}.querySelectorAll('.chart.wide .series')].filter((s) => getComputedStyle(s).display !== 'none').map((s) => s.dataset.name)"))
    };
    let before = drawn(&mut browser);
    assert_eq!(pressed(&mut browser), json!(["true", "true"]));
    assert_eq!(top(&mut browser), "1,250");
    click(&mut browser, 1);
    assert_eq!(pressed(&mut browser), json!(["true", "false"]));
    assert_eq!(visible(&mut browser), json!(["durable"]));
    assert_eq!(top(&mut browser), "500", "the axis ends above what is left");
    // With the last one off there is an axis all the same.
    click(&mut browser, 0);
    assert_eq!(visible(&mut browser), json!([]));
    assert!(!drawn(&mut browser).as_str().unwrap().contains("NaN"));
    click(&mut browser, 0);
    // The other one by keyboard.
    browser.evaluate(&format!("{figure}.querySelectorAll('.legend button')[1].focus()"));
    browser.press(" ", " ", 32);
    browser.wait_for(&format!(
        "{figure}.querySelectorAll('.legend button')[1].ariaPressed === 'true'"
    ));
    assert_eq!(drawn(&mut browser), before, "it is as it was");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn an_axis_is_linear_or_logarithmic_and_figures_stay_where_they_belong() {
    let page = Page::of_dataset(&support::with_latencies());
    let mut browser = at(&page, LARGE);
    let figure = "document.querySelector('#answer figure')";
    // For every mark the figure that the axis gives for its place, and the one that it shows.
    let read = format!(
        "(() => {{ const chart = {figure}.querySelector('.chart.wide');
        const ticks = [...chart.querySelectorAll('.ticks text')].map((t) => [Number(t.textContent.replace(/,/g, '')), Number(t.getAttribute('y')) - 4]);
        const [a, b] = [ticks[1], ticks.at(-1)];
        const isLog = {figure}.querySelector('figcaption button').ariaPressed === 'true';
        const value = (y) => {{ const share = (y - a[1]) / (b[1] - a[1]);
            return isLog ? a[0] * (b[0] / a[0]) ** share : a[0] + (b[0] - a[0]) * share; }};
        return [...chart.querySelectorAll('.series .mark')].filter((m) => m.parentNode.style.display !== 'none').map((m) =>
            [value(m.transform.baseVal.getItem(0).matrix.f), Number(m.dataset.y.replace(/,/g, ''))]); }})()"
    );
    let check = |browser: &mut Browser, how: &str| {
        let marks = browser.evaluate(&read);
        let marks = marks.as_array().unwrap();
        assert!(marks.len() >= 5, "{how}: {marks:?}");
        for mark in marks {
            let [at, shown] = [0, 1].map(|i| mark[i].as_f64().unwrap());
            assert!((at / shown - 1.0).abs() < 0.01, "{how}: {at} for {shown}");
        }
    };
    check(&mut browser, "linear");
    browser.evaluate(&format!("{figure}.querySelector('figcaption button').click()"));
    check(&mut browser, "logarithmic");
    browser.evaluate(&format!("{figure}.querySelector('.legend button').click()"));
    check(&mut browser, "logarithmic without the first");
    // A chart that is drawn on a logarithmic axis becomes linear, and says so.
    let of_test = "document.querySelector('#test-0 figure')";
    browser.evaluate(UNFOLD);
    let first = format!("{of_test}.querySelector('.chart.wide .ticks text').textContent");
    assert_ne!(browser.evaluate(&first), json!("0"));
    browser.evaluate(&format!("{of_test}.querySelector('figcaption button').click()"));
    assert_eq!(browser.evaluate(&first), json!("0"));
    assert_eq!(browser.evaluate(&format!("{of_test}.querySelector('.scale').hidden")), json!(true));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn values_show_under_the_pointer_without_those_that_are_off() {
    let page = Page::of_dataset(&support::with_latencies());
    let mut browser = at(&page, 1_100);
    let point = "(() => { const chart = document.querySelector('#answer .chart.wide');
        const box = chart.getBoundingClientRect();
        chart.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + box.width / 2, clientY: box.top + 50 }));
        return document.getElementById('tip').innerText; })()";
    let said = browser.evaluate(point).as_str().unwrap().to_owned();
    assert!(
        said.contains("clients") && said.contains("durable") && said.contains("relaxed"),
        "{said}"
    );
    browser.evaluate("document.querySelector('#answer .legend button').click()");
    let said = browser.evaluate(point).as_str().unwrap().to_owned();
    assert!(!said.contains("durable") && said.contains("relaxed"), "{said}");
}

#[test]
fn panels_over_time_tell_their_values_under_the_pointer_and_by_keys() {
    let dataset = support::with_latencies();
    let page = Page::of_dataset(&dataset);
    let mut browser = at(&page, 1_100);
    browser.evaluate(UNFOLD);
    let record = dataset.trials.iter().find(|record| record.load().is_some()).unwrap();
    let chart = format!("document.querySelector('#t{} .panels')", record.position);
    // In the middle of a second, which the point of the line stands at.
    let second =
        record.load().unwrap().intervals.iter().find(|of| of.start.as_secs() == 5).unwrap();
    let rate = second.transactions as f64 / second.length.as_secs_f64();
    let moment = second.start.as_secs_f64() + second.length.as_secs_f64() / 2.0;
    let point = format!(
        "(() => {{ const chart = {chart};
            const [from, until, left, right] = chart.dataset.time.split(' ').map(Number);
            const box = chart.getBoundingClientRect();
            const x = left + (right - left) * ({moment} - from) / (until - from);
            chart.dispatchEvent(new PointerEvent('pointermove', {{
                clientX: box.left + box.width * x / chart.viewBox.baseVal.width, clientY: box.top + 9 }}));
            return document.getElementById('tip').innerText; }})()"
    );
    let said = browser.evaluate(&point).as_str().unwrap().to_owned();
    let value = said.split("transactions/s").nth(1).unwrap().trim().lines().next().unwrap();
    let value: f64 = value.replace(',', "").parse().unwrap();
    assert!((value / rate - 1.0).abs() < 0.02, "{value} for {rate}: {said}");
    assert!(said.contains("latency, ms") && said.contains('–'), "{said}");
    assert!(said.contains("in use"), "the lines of a panel have names: {said}");
    assert!(said.starts_with("5.5 s"), "{said}");
    // By keys as well, and gone with Escape.
    let key = |key: &str| {
        format!(
            "{chart}.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}' }})); \
             document.getElementById('tip').innerText.split('\\n')[0]"
        )
    };
    assert_eq!(browser.evaluate(&key("ArrowRight")), json!("6.5 s"));
    browser.evaluate(&key("Escape"));
    assert_eq!(browser.evaluate("document.getElementById('tip').hidden"), json!(true));
}

#[test]
fn a_line_whose_panel_has_another_without_points_is_told_by_its_name() {
    let mut dataset = support::usual();
    let record = dataset.trials.iter().position(|record| record.load().is_some()).unwrap();
    // The first trial reads nothing, others do: that has no time to wait for.
    for (number, trial) in dataset.trials.iter_mut().enumerate() {
        for disk in trial.sampling.samples.iter_mut().flat_map(|sample| &mut sample.disks) {
            disk.read_await_ms = (number != record).then_some(1.5);
            disk.write_await_ms = Some(2.5);
        }
    }
    let page = Page::of_dataset(&dataset);
    let mut browser = at(&page, 1_100);
    browser.evaluate(UNFOLD);
    let said = browser.evaluate(&format!(
        "(() => {{ const chart = document.querySelector('#t{} .panels');
            const box = chart.getBoundingClientRect();
            chart.dispatchEvent(new PointerEvent('pointermove', {{
                clientX: box.left + box.width / 2, clientY: box.top + 9 }}));
            return document.getElementById('tip').innerText; }})()",
        dataset.trials[record].position
    ));
    let said = said.as_str().unwrap();
    let waits = said.split("await, ms, vda").nth(1).unwrap().trim().lines().next().unwrap();
    assert!(waits.starts_with("writes 2.5"), "{said}");
    let rate = said.split("transactions/s").nth(1).unwrap().trim().lines().next().unwrap();
    assert!(rate.replace(',', "").parse::<f64>().is_ok(), "one line needs no name: {said}");
}

#[test]
fn a_figure_of_the_first_screen_leads_to_its_cell_and_from_there_to_a_trial() {
    let page = Page::of_dataset(&support::with_latencies());
    let mut browser = at(&page, 1_100);
    browser.evaluate("document.querySelector('#answer td a').click()");
    browser.wait_for("document.querySelector('tr:target')?.checkVisibility()");
    browser.evaluate("document.querySelector('tr:target .trials a').click()");
    browser.wait_for("document.querySelector('figure:target svg')?.checkVisibility()");
    browser.evaluate("document.querySelector('figure:target figcaption a').click()");
    browser.wait_for("document.querySelector('tr:target')?.checkVisibility()");
    assert_eq!(browser.evaluate("!!document.querySelector('#trials tr:target')"), json!(true));
}

#[test]
fn links_unfold_what_they_lead_to_and_paper_has_no_folds_and_no_buttons() {
    let page = Page::of_dataset(&support::with_latencies());
    let mut browser = at(&page, LARGE);
    let open = "document.getElementById('trials').closest('details').open";
    assert_eq!(browser.evaluate(open), json!(false));
    browser.evaluate("document.querySelector('a[href=\"#trials\"]').click()");
    browser.wait_for(open);
    browser.media("light", "print");
    let seen = "[...document.querySelectorAll('figcaption button')].filter((b) => b.checkVisibility()).length";
    assert_eq!(browser.evaluate(seen), json!(0));
    let paper = browser.call("Page.printToPDF", json!({ "preferCSSPageSize": true }));
    let paper = paper["data"].as_str().unwrap();
    // Base64 of `%PDF-`, and more than a blank page.
    assert!(paper.starts_with("JVBERi0") && paper.len() > 50_000, "{}", paper.len());
}

/// The text of the table of repeats of the first figure, cell by cell, a line for each row.
const REPEATS: &str = "[...document.querySelectorAll('#answer .repeats-of tr')].map((row) => \
    [...row.cells].map((cell) => cell.innerText.trim()).join('|'))";

#[test]
fn the_repeats_of_one_level_show_as_dots_and_figures_for_the_targets_that_are_on() {
    let data = support::with_latencies();
    let page = Page::of_dataset(&data);
    let mut browser = at(&page, LARGE);
    let shown = "document.querySelector('#answer .repeats-of')?.checkVisibility() ?? false";
    assert_eq!(browser.evaluate(shown), json!(false), "nobody asked for them");
    // By keyboard: the level is typed into the list that has the focus.
    browser.evaluate("document.querySelector('#answer figcaption select').focus()");
    browser.press("4", "4", 52);
    browser.wait_for(shown);
    let rows = browser.evaluate(REPEATS);
    let rows: Vec<&str> = rows.as_array().unwrap().iter().filter_map(|row| row.as_str()).collect();
    // What each trial measured, in the order of targets and repeats; one failed and one is suspect.
    let figure = |target: &str, repeat: u32| {
        let of_level = |record: &&model::TrialRecord| {
            let key = &record.key;
            key.target == target && key.level.clients == 4 && key.repeat == repeat
        };
        let load = data.trials.iter().find(of_level)?.load()?;
        Some(load.measure.transactions as f64 / load.measure.elapsed.as_secs_f64())
    };
    let number = |said: &str| said.replace(['?', ' ', ','], "").parse::<f64>();
    assert!(rows[0].starts_with("target|") && rows[0].ends_with("|repeat 1|repeat 2|repeat 3"));
    let mut told = Vec::new();
    for (row, target) in rows[1..].iter().zip(["durable", "relaxed"]) {
        let [name, _, _, repeats @ ..] = &row.split('|').collect::<Vec<&str>>()[..] else {
            panic!("{row}")
        };
        assert_eq!((*name, repeats.len()), (target, 3), "{row}");
        for (said, repeat) in repeats.iter().zip(1..) {
            let due = figure(target, repeat);
            assert_eq!(number(said).is_ok(), due.is_some(), "{row}");
            let Some(due) = due else { continue };
            assert!((number(said).unwrap() / due - 1.0).abs() < 0.005, "{said} for {due}");
            assert_eq!(said.starts_with("? "), (target, repeat) == ("relaxed", 1), "{row}");
        }
        told.push(repeats.iter().filter_map(|said| number(said).ok()).collect::<Vec<f64>>());
    }
    assert_eq!(told.iter().map(Vec::len).collect::<Vec<usize>>(), [2, 3]);
    assert_eq!(browser.violations(), Vec::<String>::new());
    // The dots lie where the figures are on the scale of all rows, which its heading says.
    let (least, most) = rows[0].split('|').nth(1).unwrap().split_once(" to ").unwrap();
    let (least, most) = (number(least).unwrap(), number(most).unwrap());
    let dots = "[...document.querySelectorAll('#answer .strip')].map((strip) => \
        [...strip.querySelectorAll('circle')].map((dot) => Number(dot.getAttribute('cx'))))";
    let dots = browser.evaluate(dots);
    for (at, figures) in dots.as_array().unwrap().iter().zip(&told) {
        let at = at.as_array().unwrap();
        assert_eq!(at.len(), figures.len());
        for (at, figure) in at.iter().zip(figures) {
            let share = (at.as_f64().unwrap() - 8.0) / 184.0;
            let due = (figure - least) / (most - least);
            assert!((share - due).abs() < 1e-6, "{share} for {due}");
        }
    }
    // A target that is switched off has no row; the scale follows.
    browser.evaluate("document.querySelector('#answer .legend button').click()");
    let rows = browser.evaluate(REPEATS);
    assert_eq!(rows.as_array().unwrap().len(), 2, "{rows}");
    assert!(rows[1].as_str().unwrap().starts_with("relaxed"), "{rows}");
    // The first choice takes the table away; other figures have lists of their own.
    browser.evaluate("document.querySelector('#answer figcaption select').focus()");
    browser.press("Home", "", 36);
    browser.wait_for(&format!("!({shown})"));
    browser.evaluate(UNFOLD);
    let lists = "document.querySelectorAll('#test-0 figcaption select').length > 0";
    assert_eq!(browser.evaluate(lists), json!(true));
    // It fits a phone.
    browser.resize(390);
    browser.open(&page.url);
    browser.evaluate(
        "(() => { const list = document.querySelector('#answer figcaption select');
        list.value = 4; list.dispatchEvent(new Event('change')); })()",
    );
    browser.wait_for(shown);
    assert_eq!(browser.beyond(), json!(0));
    assert_eq!(browser.violations(), Vec::<String>::new());
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn without_script_the_page_is_complete() {
    let page = Page::of_dataset(&support::with_latencies());
    let mut browser = Browser::start();
    browser.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    browser.resize(LARGE);
    browser.call("Page.navigate", json!({ "url": page.url }));
    browser.wait_for("document.readyState === 'complete' && document.querySelector('#answer')");
    assert_eq!(browser.evaluate("document.querySelectorAll('button, select').length"), json!(0));
    let drawn = "document.querySelectorAll('#answer .chart.wide .series').length";
    assert_eq!(browser.evaluate(drawn), json!(2));
}

#[test]
fn a_page_of_the_size_of_the_demo_is_small_and_no_longer_than_four_screens() {
    let height = |data: &model::Dataset, before: &str| {
        let page = Page::of_dataset(data);
        assert!(page.size < 300_000, "{} bytes", page.size);
        let mut browser = at(&page, LARGE);
        browser.evaluate(before);
        browser.evaluate("document.documentElement.scrollHeight").as_f64().unwrap()
    };
    // With its test unfolded, and, where trials failed, with all findings in sight.
    let unfolded = height(
        &support::demo(),
        "document.querySelector('#test-0').closest('details').open = true",
    );
    assert!(unfolded < 3_600.0, "{unfolded} pixels");
    let troubled = height(&support::with_latencies(), "0");
    assert!(troubled < 3_600.0, "{troubled} pixels");
    eprintln!("{unfolded} pixels, {troubled} with failed trials");
}

#[test]
fn a_page_of_ten_thousand_trials_is_small_and_painted_quickly() {
    let page = Page::of_dataset(&support::enormous());
    assert!(page.size < 3_000_000, "{} bytes", page.size);
    let mut browser = at(&page, LARGE);
    let painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
    browser.wait_for(painted);
    let painted = browser.evaluate(painted).as_f64().unwrap();
    // A second on a machine that is idle; others may be at work on this one.
    assert!(painted < 5_000.0, "{painted} ms");
    // All its repeats at once are no trouble for a switch.
    browser.evaluate("document.querySelector('#answer figcaption button').click()");
    eprintln!("{} bytes, painted after {painted} ms", page.size);
    assert_eq!(browser.complaints, Vec::<String>::new());
}
