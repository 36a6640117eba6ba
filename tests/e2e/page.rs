//! The council's page: over HTTP, and in a real browser where one is installed.

use monju_tests::{alone, cluster::eventually, skip::skipped, usi::Usi};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::Command,
};

/// A free port of this machine.
fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").to_string()
}

/// Asks the server for a path; returns the connection.
fn ask(address: &str, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("the page's server");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    stream
}

/// Returns the head and the body of an answer.
fn get(address: &str, path: &str) -> (String, String) {
    let mut text = String::new();
    ask(address, path)
        .read_to_string(&mut text)
        .expect("an answer in UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
    (head.to_owned(), body.to_owned())
}

#[test]
fn a_game_is_shown_while_it_is_played() {
    let _alone = alone();
    let address = free_address();
    let mut usi = Usi::start(&["--players", "3", "--page", &address]);
    usi.handshake();
    usi.new_game();
    let (head, page) = get(&address, "/");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    for text in [
        "content-security-policy: default-src 'none'",
        "x-content-type-options: nosniff",
    ] {
        assert!(head.contains(text), "{head}");
    }
    assert!(page.contains("drawBoard") && !page.contains("STYLE"));

    let mut events = BufReader::new(ask(&address, "/events")).lines();
    usi.think("startpos", "go nodes 2000");
    let answer = usi.think("startpos moves 7g7f 3c3d", "go nodes 2000");
    let state: Value = eventually("the second position", || {
        let state: Value = serde_json::from_str(&get(&address, "/state").1).expect("JSON");
        let last = &state["games"][0]["positions"][1];
        (last["is_decided"] == true).then(|| state.clone())
    });
    let positions = &state["games"][0]["positions"];
    assert_eq!(positions[0]["played"]["move"], "7g7f");
    assert_eq!(positions[1]["best"]["move"], answer.bestmove.as_str());
    assert_eq!(positions[1]["players"].as_array().map(Vec::len), Some(3));
    assert_eq!(state["workers"][0]["connected"], true);
    let event = events.find_map(|line| {
        line.expect("a line")
            .strip_prefix("data: ")
            .map(str::to_owned)
    });
    let event: Value = serde_json::from_str(&event.expect("an event")).expect("JSON");
    assert_eq!(event["kind"], "position");
    assert!(get(&address, "/none").0.starts_with("HTTP/1.1 404"));

    let browser = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("http://{address}/"))
        .output();
    match browser {
        Ok(shown) => {
            let shown = String::from_utf8_lossy(&shown.stdout);
            let best = positions[1]["best"]["japanese"].as_str().expect("a move");
            for text in [best, "monju-3", "<span class=\"white\">玉</span>"] {
                assert!(shown.contains(text), "no {text} in {shown}");
            }
        }
        Err(_) => skipped("the page in a browser: chromium is not installed"),
    }
    assert!(usi.quit().status.success());
}
