//! The council's page: over HTTP, and in a real browser where one is installed.

use monju_tests::{
    alone,
    binary::monju,
    cluster::{ServiceProcess, TestCluster, coordinator_over, eventually},
    command::output_of,
    data::repository,
    process::{PATIENCE, Process, free_address},
    skip::skipped,
    usi::Usi,
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, Stdio},
};

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

/// Opens the page in a browser, where one is installed, until certain texts are on it.
fn shown_in_a_browser(address: &str, texts: &[&str]) {
    // What is on a page changes from second to second, such as between two games.
    eventually("the texts on the page", || {
        let browser = Command::new("chromium")
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
            .arg(format!("http://{address}/"))
            .output();
        let Ok(shown) = browser else {
            skipped("the page in a browser: chromium is not installed");
            return Some(());
        };
        let shown = String::from_utf8_lossy(&shown.stdout);
        let missing = texts.iter().find(|text| !shown.contains(**text));
        if let Some(text) = missing {
            eprintln!("no {text} in {shown}");
        }
        missing.is_none().then_some(())
    });
}

/// Writes a small experiment of so many games, and returns its file.
fn experiment(folder: &Path, games: u32, nodes: u32) -> String {
    let file = folder.join("small.toml");
    let openings = repository().join("configs/openings/records2016_24ply.sfen");
    let side = |name: &str| {
        format!(
            "[ensemble.{name}]\nhash_mib = 1\nnodes = {nodes}\nplayer = [{{ name = \"{name}\" }}]\n"
        )
    };
    let text = format!(
        "version = 1\nname = \"small\"\ntitle = \"<Small>\"\ngames = {games}\nopenings = {openings:?}\nfirst = \"a\"\n\
         second = \"b\"\n{}{}[adjudication]\nmaximum_plies = 40\n",
        side("a"),
        side("b")
    );
    std::fs::write(&file, text).expect("written");
    file.to_str().expect("a path in UTF-8").to_owned()
}

fn state_of(address: &str) -> Value {
    serde_json::from_str(&get(address, "/state").1).expect("JSON")
}

/// Returns the events of a page as they come.
fn events_of(address: &str) -> impl Iterator<Item = Value> + use<> {
    let lines = BufReader::new(ask(address, "/events")).lines();
    lines.filter_map(|line| {
        let line = line.expect("a line");
        let event = line.strip_prefix("data: ")?;
        Some(serde_json::from_str(event).expect("JSON"))
    })
}

#[test]
fn an_experiment_is_shown() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let file = experiment(folder.path(), 4, 100);
    output_of(&["experiment", "run", &file]);
    let address = free_address();
    let arguments = ["experiment", "serve", &file, "--page", &address];
    let server = Process::start(monju(), &arguments);
    eventually("the page's server", || TcpStream::connect(&address).ok());
    let state = state_of(&address);
    assert_eq!(state["cells"][0]["finished"], 2, "{state:#}");
    assert!(state["cells"][0]["score"].is_number(), "{state:#}");
    assert_eq!(state["incidents"], Value::Array(Vec::new()));
    let (head, page) = get(&address, "/");
    assert!(head.contains("content-security-policy"), "{head}");
    assert!(page.contains("\\u003cSmall>"), "{page}");
    let (head, report) = get(&address, "/report");
    assert!(
        head.starts_with("HTTP/1.1 200") && report.contains("<svg"),
        "{head}"
    );
    shown_in_a_browser(&address, &["&lt;Small&gt;", "4 of 4 games"]);
    // What was known of a store that is lost is not taken for what is so now.
    let store = Path::new(&file).with_extension("db");
    fs::write(&store, [7; 9_000]).expect("written");
    eventually("a store that does not answer", || {
        state_of(&address)["lost"]["reason"]
            .is_string()
            .then_some(())
    });
    let (head, _) = get(&address, "/metrics");
    assert!(head.starts_with("HTTP/1.1 503"), "{head}");
    shown_in_a_browser(&address, &["The store does not answer"]);
    #[cfg(unix)]
    {
        server.signal(rustix::process::Signal::INT);
        assert!(server.wait(PATIENCE).status.success());
    }
}

#[cfg(unix)]
#[test]
fn a_runner_shows_its_games_while_it_plays() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let file = experiment(folder.path(), 2_000, 5_000);
    let runner = ServiceProcess::experiment(&file, "1");
    let address = runner.address.clone();
    let runner = runner.process;
    // Its own games are shown as they stand, long before the first sign of life.
    let game = eventually("a game under way", || {
        let state = state_of(&address);
        let game = state["under_way"][0].clone();
        let is_played = game["plies"].as_u64() > Some(24);
        is_played.then_some((state, game))
    });
    let (state, game) = game;
    assert_eq!(
        (&state["runners"], &state["leased"]),
        (&1.into(), &1.into())
    );
    assert!(
        game["sfen"].is_string() && game["moved"].is_string(),
        "{game:#}"
    );
    let players = [&game["black"], &game["white"]];
    assert!(players.contains(&&"a".into()) && players.contains(&&"b".into()));
    let (head, numbers) = get(&address, "/metrics");
    assert!(head.contains("text/plain; version=0.0.4"), "{head}");
    let leased = "monju_experiment_pairs_leased{experiment=\"small\"} 1.0";
    assert!(numbers.lines().any(|line| line == leased), "{numbers}");
    shown_in_a_browser(
        &address,
        &["Under way: 1 runner", "<span class=\"white\">玉</span>"],
    );
    // The page stays until the pair under way is finished.
    runner.signal(rustix::process::Signal::INT);
    assert_eq!(runner.wait(PATIENCE).status.code(), Some(75));
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

    let mut events = events_of(&address);
    let everything = events.next().expect("an event");
    assert_eq!(
        (&everything["kind"], &everything["games"]),
        (&"all".into(), &json!([]))
    );
    usi.think("startpos", "go nodes 2000");
    let answer = usi.think("startpos moves 7g7f 3c3d", "go nodes 2000");
    let state: Value = eventually("the second position", || {
        let state = state_of(&address);
        let last = &state["games"][0]["positions"][2];
        (last["is_decided"] == true).then(|| state.clone())
    });
    let positions = &state["games"][0]["positions"];
    assert_eq!(positions[0]["played"]["move"], "7g7f");
    assert_eq!(positions[1]["last_move"], "7g7f");
    assert_eq!(positions[2]["best"]["move"], answer.bestmove.as_str());
    assert_eq!(positions[2]["players"].as_array().map(Vec::len), Some(3));
    assert_eq!(state["workers"][0]["connected"], true);
    // The workers may have been told before.
    let position = events.find(|event| event["kind"] == "positions");
    assert_eq!(position.expect("an event")["positions"][0]["plies"], 0);
    let everything = events_of(&address).next().expect("an event");
    assert_eq!(everything["games"], state["games"]);
    assert!(get(&address, "/none").0.starts_with("HTTP/1.1 404"));

    let best = positions[2]["best"]["japanese"].as_str().expect("a move");
    shown_in_a_browser(
        &address,
        &[best, "monju-3", "<span class=\"white\">玉</span>"],
    );

    // An earlier game is asked for on its own.
    usi.new_game();
    usi.think("startpos moves 2g2f 8c8d", "go nodes 2000");
    let state: Value = eventually("the next game", || {
        let state = state_of(&address);
        (state["games"][1]["positions"][0]["is_decided"] == true).then(|| state.clone())
    });
    let earlier = &state["games"][0];
    assert_eq!(
        (&earlier["length"], &earlier["positions"]),
        (&3.into(), &Value::Null)
    );
    let path = format!("/games/{}", earlier["id"].as_str().expect("a name"));
    let game: Value = serde_json::from_str(&get(&address, &path).1).expect("JSON");
    assert_eq!(game["positions"], *positions);
    assert!(get(&address, "/games/none").0.starts_with("HTTP/1.1 404"));
    assert!(usi.quit().status.success());
}

#[test]
fn a_second_engine_plays_without_the_page_of_the_first() {
    let _alone = alone();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    let mut usi = Usi::start(&["--players", "1", "--page", &address]);
    usi.handshake();
    let remark = format!("no page: cannot serve on {address}: ");
    for _ in 0..2 {
        usi.send("isready");
    }
    let heard = usi.expect("readyok");
    let told = format!("info string {remark}");
    assert_eq!(
        heard.iter().filter(|line| line.starts_with(&told)).count(),
        1,
        "{heard:?}"
    );
    // It is told once.
    assert_eq!(usi.expect("readyok"), ["readyok"]);
    usi.send("usinewgame");
    let answer = usi.think("startpos", "go nodes 500");
    assert_ne!(answer.bestmove, "resign");
    let ended = usi.quit();
    assert!(ended.status.success(), "{}", ended.errors);
    let complaint = format!("monju: {remark}");
    assert!(
        ended
            .errors
            .lines()
            .any(|line| line.starts_with(&complaint)),
        "{}",
        ended.errors
    );
}

#[test]
fn the_page_follows_the_coordinator_that_is_asked() {
    let _alone = alone();
    let mut cluster = TestCluster::of_three_noise_players();
    let urls: Vec<String> = cluster.workers.iter().map(ServiceProcess::url).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let second = coordinator_over(folder.path(), &urls, "");
    let (first, second) = (cluster.coordinator.url(), second.url());
    let address = free_address();
    let arguments = [
        "--coordinator",
        &first,
        "--coordinator",
        &second,
        "--page",
        &address,
    ];
    let mut usi = Usi::ready(&arguments);
    let mut position = "startpos".to_owned();
    let mut plies = 0;
    let mut shown_move = |usi: &mut Usi| {
        eventually("a move on the page", || {
            let answer = usi.think(&position, "go nodes 2000");
            let moves = if plies == 0 { " moves" } else { "" };
            position = format!("{position}{moves} {}", answer.bestmove);
            let asked = plies;
            plies += 1;
            let state = state_of(&address);
            let games = state["games"].as_array().expect("games");
            let mut positions = games
                .iter()
                .flat_map(|game| game["positions"].as_array().into_iter().flatten());
            positions.any(|seen| seen["plies"] == asked).then_some(())
        });
    };
    shown_move(&mut usi);
    cluster.coordinator.process.kill();
    shown_move(&mut usi);
    eventually("the workers of the second", || {
        let state = state_of(&address);
        (state["workers"].as_array().map(Vec::len) == Some(3)).then_some(())
    });
    assert!(usi.quit().status.success());
}

#[test]
fn a_coordinator_tells_its_numbers_and_logs_in_json() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("team.toml");
    std::fs::write(
        &config,
        "version = 1\n[[player]]\nname = \"one\"\nhash_mib = 8\n",
    )
    .expect("written");
    let address = free_address();
    let mut coordinator = Command::new(monju())
        .args([
            "coordinator",
            "--listen",
            "127.0.0.1:0",
            "--metrics",
            &address,
            "--config",
        ])
        .arg(&config)
        .env("MONJU_LOG_FORMAT", "json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("monju starts");
    let mut lines = BufReader::new(coordinator.stdout.take().expect("piped")).lines();
    let listening = lines.next().expect("a line").expect("text");
    let url = format!("http://{}", listening.trim_start_matches("listening on "));
    output_of(&["consult", "--coordinator", &url, "--nodes", "500"]);
    let (head, text) = get(&address, "/metrics");
    assert!(head.contains("text/plain; version=0.0.4"), "{head}");
    for line in [
        "monju_decisions_total 1",
        "monju_fallbacks_total 0",
        "monju_player_in_time{player=\"one\"} 1.0",
    ] {
        assert!(text.lines().any(|one| one == line), "no {line} in\n{text}");
    }
    coordinator.kill().expect("it runs");
    let mut errors = String::new();
    let mut log = coordinator.stderr.take().expect("piped");
    log.read_to_string(&mut errors).expect("text");
    coordinator.wait().expect("it ends");
    let line = |text| serde_json::from_str(text).unwrap_or_else(|_| panic!("no JSON: {text}"));
    let logged: Vec<Value> = errors.lines().map(line).collect();
    let url = format!("http://{address}/metrics");
    for (key, value) in [("message", "coordinator listening"), ("url", &url)] {
        assert!(logged.iter().any(|line| line[key] == value), "{errors}");
    }
}
