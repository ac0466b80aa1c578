//! A headless Chromium, driven over its pipe of DevTools messages.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What one answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

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
        let profile = TempDir::new().unwrap();
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
        let to = child.stdin.take().unwrap();
        let out = child.stdout.take().unwrap();
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
        browser
    }

    /// Sends an order and gives its answer.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
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
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
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
        self.evaluate("window.isBefore = true");
        self.call("Page.navigate", json!({ "url": url }));
        self.wait_for("!window.isBefore && document.readyState === 'complete'");
    }

    /// Waits until a condition holds.
    pub fn wait_for(&mut self, condition: &str) {
        let until = Instant::now() + PATIENCE;
        while self.evaluate(&format!("Boolean({condition})")) != json!(true) {
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
