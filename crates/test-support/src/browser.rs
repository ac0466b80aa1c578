//! A headless Chromium, driven over its pipe of DevTools messages.

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What one answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Rules of axe that look at colours, which depend on the theme.
const OF_COLOURS: [&str; 2] = ["color-contrast", "link-in-text-block"];

/// Some of the rules of axe.
#[derive(Clone, Copy, Debug)]
pub enum Rules {
    /// Those that look at no colour.
    OfForm,
    /// Those of colours: most of the work of a long page.
    OfColours,
}

/// A browser with one page. It ends with the value.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// What the page complained of: exceptions, errors on its console.
    pub complaints: Vec<String>,
    /// What the page asked for, its own address aside.
    pub requests: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// One that shows nothing yet.
    pub fn start() -> Self {
        let profile = TempDir::new().expect("a temporary directory");
        // Chromium talks on descriptors 3 and 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "chromium"])
            .args(["--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-quic"])
            .args(["--disable-component-update", "--disable-sync", "--hide-scrollbars"])
            .args(["--disable-dev-shm-usage", "--password-store=basic"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let to = child.stdin.take().expect("a pipe");
        let out = child.stdout.take().expect("a pipe");
        let (send, from) = channel();
        thread::spawn(move || {
            for message in BufReader::new(out).split(0) {
                let Ok(message) = message else { break };
                let Ok(message) = serde_json::from_slice(&message) else { continue };
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Self {
            child,
            to,
            from,
            session: None,
            last: 0,
            complaints: Vec::new(),
            requests: Vec::new(),
            _profile: profile,
        };
        let page = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        // Whatever else the browser shows on a busy machine: a page that nobody sees waits.
        browser.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        browser
    }

    /// Sends an order and gives its answer.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.ask(method, parameters).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Sends an order and gives its answer, or why it was refused.
    fn ask(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.last += 1;
        let mut order = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            order["sessionId"] = json!(session);
        }
        let sent =
            self.to.write_all(format!("{order}\0").as_bytes()).and_then(|()| self.to.flush());
        assert!(sent.is_ok(), "Chromium is not there: scripts/setup test installs it");
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let answer = self.from.recv_timeout(left).unwrap_or_else(|error| {
                panic!("no answer to {method} ({error}); scripts/setup test installs Chromium")
            });
            if answer["id"] == self.last {
                return match &answer["error"] {
                    Value::Null => Ok(answer["result"].clone()),
                    error => Err(error.clone()),
                };
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let said = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.complaints.push(said["exceptionDetails"].to_string()),
            "Log.entryAdded" => self.complaints.push(said["entry"].to_string()),
            "Runtime.consoleAPICalled" if said["type"] == "error" => {
                self.complaints.push(said["args"].to_string());
            }
            "Network.requestWillBeSent" => {
                let url = said["request"]["url"].as_str().unwrap_or_default();
                if said["type"] != "Document" {
                    self.requests.push(url.to_owned());
                }
            }
            _ => {}
        }
    }

    /// A window of that width, as of a computer or, below 600 pixels, a phone.
    pub fn resize(&mut self, width: u32) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600 }),
        );
    }

    /// Dark or light, on screen or on paper.
    pub fn media(&mut self, scheme: &str, medium: &str) {
        let feature = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": medium, "features": feature }));
    }

    /// Opens an address and waits until all of it is there.
    pub fn open(&mut self, url: &str) {
        self.follow(|browser| {
            browser.call("Page.navigate", json!({ "url": url }));
        });
    }

    /// Does what leads to another page, and waits until all of that is there.
    pub fn follow(&mut self, act: impl FnOnce(&mut Self)) {
        self.evaluate("window.isBefore = true");
        act(self);
        self.wait_for("!window.isBefore && document.readyState === 'complete'");
    }

    /// Waits until a condition holds, of this page or of one that comes meanwhile.
    pub fn wait_for(&mut self, condition: &str) {
        let until = Instant::now() + PATIENCE;
        let asked = json!({ "expression": format!("Boolean({condition})") });
        loop {
            // A page that is just leaving refuses.
            let answer = self.ask("Runtime.evaluate", asked.clone());
            if let Ok(answer) = answer {
                assert!(answer["exceptionDetails"].is_null(), "{condition}: {answer}");
                if answer["result"]["value"] == json!(true) {
                    return;
                }
            }
            assert!(Instant::now() < until, "it never came to be: {condition}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The value of an expression in the page; a promise is waited for.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let answer = self.call(
            "Runtime.evaluate",
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true }),
        );
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// What violates the rules of axe, one rule a line.
    pub fn violations(&mut self) -> Vec<String> {
        let rules = [Rules::OfForm, Rules::OfColours];
        rules.into_iter().flat_map(|rules| self.violations_of(rules)).collect()
    }

    /// What violates some of them.
    pub fn violations_of(&mut self, rules: Rules) -> Vec<String> {
        self.evaluate(&format!("{}; true", axe()));
        let which = match rules {
            Rules::OfForm => {
                let off = OF_COLOURS.map(|rule| format!("'{rule}': {{ enabled: false }}"));
                format!("rules: {{ {} }}", off.join(", "))
            }
            Rules::OfColours => {
                let names = OF_COLOURS.map(|rule| format!("'{rule}'"));
                format!("runOnly: {{ type: 'rule', values: [{}] }}", names.join(", "))
            }
        };
        let context = match rules {
            Rules::OfForm => "document",
            // Further rows look as those before them, and each takes its time.
            Rules::OfColours => "{ exclude: ['tbody tr:nth-child(n+21)'] }",
        };
        let found = self.evaluate(&format!(
            "axe.run({context}, {{ resultTypes: ['violations'], selectors: false, {which} }}).then((found) => \
             found.violations.map((rule) => rule.id + ': ' + rule.nodes.slice(0, 3).map( \
             (node) => node.html.slice(0, 200)).join(' | ')))",
        ));
        found.as_array().into_iter().flatten().map(Value::to_string).collect()
    }

    /// How many pixels the page is wider than its window.
    pub fn beyond(&mut self) -> Value {
        self.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    }

    /// Types into what has the focus.
    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Presses and releases a key.
    pub fn press(&mut self, key: &str, text: &str, code: u32) {
        for kind in ["keyDown", "keyUp"] {
            let mut event =
                json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its processes end when the one that started them does.
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The rules of accessibility that a page can be held against, as a script.
fn axe() -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let caches = match std::env::var_os("WEIGHIN_TEST_SERVERS") {
        Some(cache) => vec![PathBuf::from(cache)],
        None => {
            vec!["/var/cache/weighin-test-servers".into(), home.join(".cache/weighin-test-servers")]
        }
    };
    let mut scripts = caches.iter().map(|cache| cache.join("axe-core-4.12.1/axe.min.js"));
    let script = scripts.find_map(|path| fs::read_to_string(path).ok());
    script.expect("scripts/servers fetches axe-core")
}
