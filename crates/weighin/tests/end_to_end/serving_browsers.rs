//! The pages of `weighin serve` in a real browser.

use crate::support::{Frozen, Namespace, Serving, Workplace, light_study, wait_for};
use serde_json::{Value, json};
use test_support::Browser;

const TOKEN: &str = "a-token-of-24-characters";
const NONE: [String; 0] = [];

impl Serving {
    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

/// A results file of a study of two targets at two levels, of which one became that much faster.
fn import(place: &Workplace, out: &str, faster: f64) {
    let mut table = "target,test,clients,repeat,metric,value,unit\n".to_owned();
    for clients in [1, 8] {
        for repeat in 1..=4 {
            for (target, rate) in [("old", 100.0), ("new", 120.0 * faster)] {
                let rate = rate * f64::from(clients) * (1.0 + f64::from(repeat) / 200.0);
                table +=
                    &format!("{target},oltp,{clients},{repeat},transactions_per_s,{rate:.2},1/s\n");
            }
        }
    }
    place.write("r.csv", table);
    // Under another name until it is complete, as whoever copies a file into the directory should.
    let name = format!("{out}.part");
    place.weighin(&["import", "csv", "r.csv", "--out", &name, "--name", "oltp"]).done();
    std::fs::rename(place.path(&name), place.path(out)).unwrap();
}

/// Opens a page in both themes and at three widths, and has axe judge each.
fn accessible(browser: &mut Browser, url: &str) {
    for scheme in ["light", "dark"] {
        browser.media(scheme, "screen");
        for width in [1_440, 1_100, 390] {
            browser.resize(width);
            browser.open(url);
            assert_eq!(browser.beyond(), json!(0), "{url} at {width} pixels, {scheme}");
            assert_eq!(browser.violations(), NONE, "{url} at {width} pixels, {scheme}");
        }
    }
}

fn text(browser: &mut Browser) -> String {
    browser.evaluate("document.body.innerText").as_str().unwrap_or_default().to_owned()
}

/// Types a token into the form and sends it as a person does.
fn log_in(browser: &mut Browser, token: &str) {
    browser.evaluate("document.querySelector('[type=password]').focus()");
    browser.type_text(token);
    browser.follow(|browser| browser.press("Enter", "\r", 13));
}

#[test]
fn the_login_form_lets_in_with_the_token_and_says_what_is_wrong() {
    Namespace::undisturbed(log_in_and_look_around);
}

fn log_in_and_look_around() {
    let place = Workplace::new();
    place.write("token", format!("{TOKEN}\n"));
    import(&place, "one.weighin", 1.0);
    let serving = Serving::start(&place, &["--token-file", "token"]);
    let mut browser = Browser::start();
    accessible(&mut browser, &serving.url("/"));
    log_in(&mut browser, "this is not the token");
    let said = text(&mut browser);
    assert!(said.contains("This is not the token"), "{said}");
    assert_eq!(browser.violations(), NONE);
    // A browser says of every refusal that the page was one; nothing else is wrong.
    let others = |browser: &Browser| -> Vec<String> {
        browser.complaints.iter().filter(|said| !said.contains("401")).cloned().collect()
    };
    assert_eq!(others(&browser), NONE);
    log_in(&mut browser, TOKEN);
    assert!(text(&mut browser).contains("Studies in"), "{}", text(&mut browser));
    let before = browser.complaints.len();
    // The session holds for further pages and for what the page asks for by itself.
    browser.wait_for("document.querySelector('.runs .title a')");
    browser.follow(|browser| {
        browser.evaluate("document.querySelector('.runs .title a').click()");
    });
    assert!(text(&mut browser).contains("16 trials"), "{}", text(&mut browser));
    assert_eq!(browser.complaints[before..], NONE);
    serving.ends();
}

#[test]
fn every_kind_of_page_is_accessible_and_breaks_no_rule_of_its_own() {
    Namespace::undisturbed(look_at_every_kind_of_page);
}

fn look_at_every_kind_of_page() {
    let place = Workplace::new();
    import(&place, "one.weighin", 1.0);
    import(&place, "two.weighin", 1.2);
    place.write("half.weighin", "no database");
    let serving = Serving::start(&place, &[]);
    wait_for("all files", || !serving.shown("/").contains("is being read"));
    let runs = serving.runs();
    assert_eq!(runs.len(), 2);
    let ids: Vec<&str> = runs.iter().map(|run| &run["/runs/".len()..]).collect();
    let compare = format!("/compare?old={}&new={}", ids[0], ids[1]);
    let mut browser = Browser::start();
    let report = format!("{}/report", runs[0]);
    for (path, says) in [
        ("/", "cannot be read"),
        (&runs[0], "Latest trials"),
        (&report, "Not valid for"),
        (&compare, "What changed"),
        ("/history", "History"),
    ] {
        accessible(&mut browser, &serving.url(path));
        let said = text(&mut browser);
        assert!(said.contains(says), "{path}: {said}");
    }
    assert_eq!(browser.complaints, NONE);
    // Everything came from this place.
    let foreign = browser
        .requests
        .iter()
        .filter(|url| !url.starts_with(&serving.url("/")) && !url.starts_with("data:"));
    assert_eq!(foreign.count(), 0, "{:?}", browser.requests);
    // The form of the list leads to the comparison.
    browser.open(&serving.url("/"));
    browser.follow(|browser| {
        browser.evaluate("document.querySelector('form button').click()");
    });
    assert!(text(&mut browser).contains("What changed"));
    serving.ends();
}

#[test]
fn an_open_page_shows_what_comes_and_goes_on_without_being_loaded_again() {
    Namespace::undisturbed(watch_what_comes);
}

fn watch_what_comes() {
    let place = Workplace::new();
    let serving = Serving::start(&place, &[]);
    let mut browser = Browser::start();
    browser.open(&serving.url("/"));
    browser.evaluate("window.stays = true");
    assert!(text(&mut browser).contains("no results file"));
    import(&place, "one.weighin", 1.0);
    browser.wait_for("document.querySelectorAll('.runs .title a').length === 1");
    // Two can be compared; what was chosen stays chosen when a third comes.
    import(&place, "two.weighin", 1.1);
    browser.wait_for("document.querySelectorAll('select[name=old] option').length === 2");
    assert!(text(&mut browser).contains("file two.weighin"), "{}", text(&mut browser));
    browser.evaluate(
        "(() => { const old = document.querySelector('select[name=old]');
                  old.selectedIndex = 0; window.chosen = old.value; old.focus(); })()",
    );
    import(&place, "three.weighin", 1.2);
    wait_for("the third run", || serving.runs().len() == 3);
    browser.evaluate("document.activeElement.blur()");
    browser.wait_for("document.querySelectorAll('select[name=old] option').length === 3");
    assert_eq!(
        browser.evaluate("document.querySelector('select[name=old]').value === window.chosen"),
        Value::Bool(true)
    );
    // A run that goes on: the list, then its page.
    place.write("duel.toml", light_study("warmup = \"200ms\"\nduration = \"3s\""));
    let run = place.start(&["run", "duel.toml", "--plain"]);
    // Until its page is open, however long this machine takes for that.
    let frozen = Frozen::under_load(&run);
    browser.wait_for("document.querySelector('.runs .live')");
    assert_eq!(browser.evaluate("window.stays"), Value::Bool(true));
    let path = serving.runs().into_iter().find(|path| {
        let page = serving.shown(path);
        page.contains("● running")
    });
    browser.open(&serving.url(&path.expect("the run that goes on")));
    browser.evaluate("window.stays = true");
    drop(frozen);
    // Trials come one by one, until all are there.
    browser.wait_for(
        "document.querySelector('progress')?.value > 0 || !document.querySelector('progress')",
    );
    assert_eq!(browser.violations(), NONE);
    browser.wait_for("document.querySelector('#part .good')?.innerText.includes('finished')");
    assert!(text(&mut browser).contains("8 trials"), "{}", text(&mut browser));
    assert_eq!(browser.evaluate("window.stays"), Value::Bool(true));
    assert_eq!(browser.complaints, NONE);
    assert_eq!(run.end().code, Some(0));
    // When weighin ends, the page says that it is gone.
    serving.ends();
    browser.wait_for("!document.getElementById('lost').hidden");
    place.assert_no_server_left();
}
