//! A headless Chromium, driven by its own protocol over a pipe: no driver and no library between.

use crate::process::PATIENCE;
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Interval of the looks at a page whose text is waited for.
const INTERVAL: Duration = Duration::from_millis(50);

/// A browser with one page. Dropping it ends its processes.
#[derive(Debug)]
pub struct Browser {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<Value>,
    session: Option<String>,
    number: u64,
    _profile: TempDir,
}

/// Size and colours of a page.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The colours are those for the dark.
    pub is_dark: bool,
    /// Language of the reader, such as `ja`.
    pub language: &'static str,
}

impl Look {
    /// A window on a desk, light, in English.
    pub const DESK: Self = Self {
        width: 1100,
        height: 800,
        is_dark: false,
        language: "en",
    };
}

impl Browser {
    /// Starts a browser with an empty page; `None` where Chromium is not installed.
    pub fn start() -> Option<Self> {
        let profile = tempfile::tempdir().expect("a folder");
        // The protocol's pipes are the descriptors 3 and 4; the wrapper of Debian passes them on.
        let arguments = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run --remote-debugging-pipe";
        let script = format!(
            "exec chromium {arguments} --user-data-dir=\"$0\" about:blank 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null"
        );
        let installed = Command::new("sh")
            .args(["-c", "command -v chromium"])
            .output();
        if !installed.is_ok_and(|found| found.status.success()) {
            return None;
        }
        let mut child = Command::new("sh")
            .args(["-c", &script])
            .arg(profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let output = child.stdout.take().expect("a piped standard output");
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("the browser speaks JSON");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Self {
            requests: child.stdin.take().expect("a piped standard input"),
            child,
            answers,
            session: None,
            number: 0,
            _profile: profile,
        };
        let page = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", attach);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        Some(browser)
    }

    /// Calls a method of the browser's protocol; returns its result.
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let number = self.number;
        let mut request = json!({ "id": number, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            request["sessionId"] = session.clone().into();
        }
        let mut bytes = request.to_string().into_bytes();
        bytes.push(0);
        self.requests.write_all(&bytes).expect("the browser reads");
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let answer = self.answers.recv_timeout(left);
            let answer = answer.unwrap_or_else(|error| panic!("{method}: no answer: {error}"));
            if answer["id"] == number {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// Sets size, colours and language of the pages that are opened from now on.
    pub fn look(&mut self, look: Look) {
        let size = json!({
            "width": look.width, "height": look.height, "deviceScaleFactor": 1, "mobile": look.width < 600
        });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = if look.is_dark { "dark" } else { "light" };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", media);
        let agent = self.evaluate("navigator.userAgent");
        let language = json!({ "userAgent": agent, "acceptLanguage": look.language });
        self.call("Emulation.setUserAgentOverride", language);
    }

    /// Opens an address, and waits until the page and its first script are there.
    pub fn open(&mut self, address: &str) {
        // An address that differs by its fragment alone would not load the page again.
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        let opened = self.call("Page.navigate", json!({ "url": address }));
        assert!(opened["errorText"].is_null(), "{address}: {opened}");
        self.wait(&format!(
            "location.href.startsWith({address:?}) && document.readyState === 'complete'"
        ));
    }

    /// Returns the value of a JavaScript expression on the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let outcome = self.call("Runtime.evaluate", parameters);
        assert!(
            outcome["exceptionDetails"].is_null(),
            "{expression}: {outcome}"
        );
        outcome["result"]["value"].clone()
    }

    /// Waits until an expression is true on the page.
    pub fn wait(&mut self, expression: &str) {
        let begun = Instant::now();
        while self.evaluate(expression) != true {
            if begun.elapsed() > PATIENCE {
                let text = self.evaluate("document.body.innerText");
                panic!("{expression} does not come true; the page shows: {text}");
            }
            thread::sleep(INTERVAL);
        }
    }

    /// Returns the text of an element, which the page must have.
    pub fn text(&mut self, id: &str) -> String {
        let text = self.evaluate(&format!("document.getElementById({id:?}).innerText"));
        text.as_str()
            .unwrap_or_else(|| panic!("no #{id}"))
            .to_owned()
    }

    /// Writes a picture of the page as PNG.
    pub fn picture(&mut self, file: &Path) {
        let picture = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let data = picture["data"].as_str().expect("a picture");
        let bytes = base64(data);
        fs::write(file, bytes).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends when its pipe is closed, but a test does not wait for that.
        let _ = self
            .requests
            .write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(INTERVAL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Decodes base64 as browsers write it.
fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.bytes().take_while(|&byte| byte != b'=') {
        let value = ALPHABET.iter().position(|&known| known == byte);
        let value = value.unwrap_or_else(|| panic!("{byte} is not base64"));
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_of_every_length() {
        for (text, bytes) in [
            ("", ""),
            ("TQ==", "M"),
            ("TW8=", "Mo"),
            ("TW9u", "Mon"),
            ("TW9uag==", "Monj"),
        ] {
            assert_eq!(base64(text), bytes.as_bytes(), "{text}");
        }
    }
}
