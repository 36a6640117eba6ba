//! `monju csa` against a small server of the CSA protocol: games one after the other, with one login and with several,
//! a connection that breaks in mid-game, a wrong password, a server that speaks nonsense, and a lost terminal.

use monju_engine::{Color, Game, Move};
use monju_tests::{
    alone,
    binary::monju,
    command::{complaint_of, run},
};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    thread::{self, JoinHandle},
};
#[cfg(unix)]
use {
    monju_tests::{
        cluster::eventually,
        process::{PATIENCE, Process},
    },
    std::time::{Duration, Instant},
};

/// What the server does behind the last lines of a game.
#[derive(PartialEq, Eq)]
enum AfterGame {
    /// It waits for the logout.
    WaitsForLogout,
    /// It closes the connection, as floodgate's does.
    Closes,
    /// It offers the next game with the same login, as the protocol has it.
    GoesOn,
}

/// One game of a connection of the client, as the server plays it.
struct ConnectionScript {
    game: &'static str,
    client: Color,
    /// Moves before this connection.
    before: Vec<String>,
    /// Moves of the whole game after which `end` comes.
    moves: usize,
    /// Last lines; without any the connection is cut.
    end: &'static [&'static str],
    after: AfterGame,
    /// Lines of the clock.
    time: &'static str,
}

impl ConnectionScript {
    fn new(game: &'static str, client: Color, moves: usize, end: &'static [&'static str]) -> Self {
        Self {
            game,
            client,
            before: Vec::new(),
            moves,
            end,
            after: AfterGame::WaitsForLogout,
            time: "Total_Time:0\nByoyomi:400",
        }
    }
}

/// The server's end of a connection.
struct ServerEnd {
    lines: BufReader<TcpStream>,
    stream: TcpStream,
    has_login: bool,
}

impl ServerEnd {
    fn accept(listener: &TcpListener) -> Self {
        let (stream, _) = listener.accept().expect("a client");
        Self {
            lines: BufReader::new(stream.try_clone().expect("a second handle")),
            stream,
            has_login: false,
        }
    }

    fn say(&mut self, text: &str) {
        self.stream
            .write_all(format!("{text}\n").as_bytes())
            .expect("the client reads");
    }

    /// The next line that is not empty; `None` at the end.
    fn hear(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end();
            if !line.is_empty() {
                return Some(line.to_owned());
            }
        }
    }

    fn log_in(&mut self) {
        let login = self.hear().expect("a login");
        let user = login.split(' ').nth(1).expect("a name");
        self.say(&format!("LOGIN:{user} OK"));
        self.has_login = true;
    }

    fn refuse(mut self) {
        self.hear().expect("a login");
        self.say("LOGIN:incorrect");
    }

    /// Logs the client in, unless it is, and proposes a game.
    fn propose(&mut self, script: &ConnectionScript, played: &[String]) {
        if !self.has_login {
            self.log_in();
        }
        let side = match script.client {
            Color::Black => '+',
            Color::White => '-',
        };
        let moves: String = played.iter().map(|mv| format!("{mv},T0\n")).collect();
        let id = script.game;
        self.say(&format!(
            "BEGIN Game_Summary\nProtocol_Version:1.2\nFormat:Shogi 1.0\nGame_ID:{id}\nName+:sente\nName-:gote\n\
             Your_Turn:{side}\nTo_Move:+\nMax_Moves:256\nBEGIN Time\nTime_Unit:1msec\n{}\n\
             Least_Time_Per_Move:0\nEND Time\nBEGIN Position\nPI\n+\n{moves}END Position\nEND Game_Summary",
            script.time
        ));
    }

    /// Logs the client in, unless it is, and proposes a game, to which it agrees.
    fn offer(&mut self, script: &ConnectionScript, played: &[String]) {
        self.propose(script, played);
        let agreed = format!("AGREE {}", script.game);
        assert_eq!(self.hear().as_deref(), Some(&*agreed));
    }

    /// Waits until the client logs out.
    fn see_off(&mut self) {
        while let Some(line) = self.hear() {
            if line == "LOGOUT" {
                self.say("LOGOUT:completed");
            }
        }
    }

    /// Plays; returns the moves and the lines of the client.
    fn play(&mut self, script: &ConnectionScript) -> (Vec<String>, Vec<String>) {
        let mut played = script.before.clone();
        let mut heard = Vec::new();
        let mut game = Game::startpos();
        let named = |game: &Game, text: &str| -> Option<Move> {
            let legal = game.legal_moves();
            legal
                .into_iter()
                .find(|&mv| game.position().csa_move(mv) == text)
        };
        for text in &played {
            let mv = named(&game, text).expect("a legal move");
            game.play(mv).expect("legal");
        }
        self.offer(script, &played);
        if script.before.is_empty() {
            self.say(&format!("START:{}", script.game));
        }
        while played.len() < script.moves {
            let text = match game.position().side_to_move() == script.client {
                true => {
                    let line = self.hear().expect("a move");
                    heard.push(line.clone());
                    line.split(',').next().expect("a move").to_owned()
                }
                false => game.position().csa_move(game.legal_moves()[0]),
            };
            let mv = named(&game, &text).unwrap_or_else(|| panic!("{text} is illegal"));
            game.play(mv).expect("legal");
            self.say(&format!("{text},T5"));
            played.push(text);
        }
        for line in script.end {
            self.say(line);
        }
        if !script.end.is_empty() && script.after == AfterGame::WaitsForLogout {
            self.see_off();
        }
        (played, heard)
    }
}

/// Starts a server that plays these scripts; a script without moves before it goes on with those of the cut one.
fn serve(scripts: Vec<ConnectionScript>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let server = thread::spawn(move || {
        let mut all = Vec::new();
        let mut cut: Option<(&str, Vec<String>)> = None;
        let mut kept = None;
        for mut script in scripts {
            if let Some((_, moves)) = cut.take().filter(|(game, _)| *game == script.game) {
                script.before = moves;
            }
            let mut peer = (kept.take()).unwrap_or_else(|| ServerEnd::accept(&listener));
            let (played, heard) = peer.play(&script);
            all.extend(heard);
            if script.end.is_empty() {
                cut = Some((script.game, played));
            }
            if script.after == AfterGame::GoesOn {
                kept = Some(peer);
            }
        }
        all
    });
    (address, server)
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// The arguments of a client with an engine that answers within the time.
fn arguments<'a>(server: &'a str, folder: &'a Path, password: &'a Path) -> Vec<&'a str> {
    let login = ["csa", "--server", server, "--user", "Monju"];
    let files = ["--password-file", path(password), "--records", path(folder)];
    [&login[..], &files].concat()
}

fn engine() -> [&'static str; 6] {
    [
        "--",
        path(monju()),
        "engine",
        "--evaluator",
        "material",
        "--hash",
    ]
}

fn password(folder: &Path) -> std::path::PathBuf {
    let file = folder.join("password");
    fs::write(&file, "floodgate-300-10F,secret\n").expect("written");
    file
}

#[test]
fn games_are_played_one_after_the_other_and_kept() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let password = password(folder.path());
    let (server, played) = serve(vec![
        ConnectionScript {
            after: AfterGame::GoesOn,
            ..ConnectionScript::new("one", Color::Black, 5, &["%TORYO,T1", "#RESIGN", "#WIN"])
        },
        ConnectionScript {
            after: AfterGame::Closes,
            ..ConnectionScript::new("two/2", Color::White, 7, &["#TIME_UP", "#LOSE"])
        },
        ConnectionScript::new("three", Color::Black, 4, &["#CHUDAN"]),
    ]);
    let own = ["--games", "3", "--comments", "--option", "NetworkDelay2=50"];
    let client = arguments(&server, folder.path(), &password);
    let ended = run(&[&client[..], &own, &engine(), &["4"]].concat());
    assert!(ended.status.success(), "{}", ended.errors);
    for text in [
        "game 1 of 3: won by resignation after 5 moves",
        "game 2 of 3: lost by time loss after 7 moves; 1 won, 1 lost, 0 drawn",
        "game 3 of 3: broken off by interruption",
    ] {
        assert!(ended.errors.contains(text), "no {text}: {}", ended.errors);
    }
    assert!(!ended.errors.contains("secret"), "{}", ended.errors);
    // The server closed the connection once, which is no trouble.
    assert!(!ended.errors.contains("trying again"), "{}", ended.errors);
    let heard = played.join().expect("the server's part");
    assert!(heard[0].contains(",'* "), "{heard:?}");
    let record = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
    let one = record("one.csa");
    assert!(
        one.contains("N+sente\nN-gote\n") && one.ends_with("%TORYO\n"),
        "{one}"
    );
    assert!(one.contains("'** "), "{one}");
    assert!(record("two_2.csa").contains("%TIME_UP"));
    assert!(record("three.csa").ends_with("%CHUDAN\n"));
}

/// The session ended with the first record that could not be written, and that game was lost.
#[test]
fn a_record_that_cannot_be_written_costs_neither_its_game_nor_the_next() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let password = password(folder.path());
    let records = folder.path().join("records");
    let (address, played) = server({
        let records = records.clone();
        move |listener| {
            let script = |game, end| ConnectionScript {
                after: AfterGame::Closes,
                ..ConnectionScript::new(game, Color::Black, 4, end)
            };
            let mut peer = ServerEnd::accept(&listener);
            // The client has tried the folder, and has left nothing in it.
            fs::remove_dir(&records).expect("an empty folder");
            peer.play(&script("one", &["#RESIGN", "#WIN"]));
            drop(peer);
            // The next login comes after the attempt to write.
            let mut peer = ServerEnd::accept(&listener);
            fs::create_dir(&records).expect("made");
            peer.play(&script("two", &["#TIME_UP", "#LOSE"]));
        }
    });
    let own = ["--option", "NetworkDelay2=50", "--games", "2"];
    let client = arguments(&address, &records, &password);
    let ended = run(&[&client[..], &own, &engine(), &["4"]].concat());
    assert_eq!(ended.status.code(), Some(1), "{}", ended.errors);
    for text in [
        "game 1 of 2: won by resignation after 4 moves; 1 won, 0 lost, 0 drawn; cannot write ",
        "\nN+sente\nN-gote\n",
        "game 2 of 2: lost by time loss after 4 moves; 1 won, 1 lost, 0 drawn; ",
        "1 record could not be written",
    ] {
        assert!(ended.errors.contains(text), "no {text}: {}", ended.errors);
    }
    assert!(records.join("two.csa").exists() && !records.join("one.csa").exists());
    played.join().expect("the server's part");

    #[cfg(target_os = "linux")]
    {
        let client = arguments("127.0.0.1:1", Path::new("/proc"), &password);
        let line = complaint_of(&[&client[..], &engine(), &["4"]].concat());
        assert!(line.contains("cannot write records into /proc: "), "{line}");
        assert!(!line.contains(".record"), "{line}");
    }
}

#[test]
fn a_game_outlives_its_connection() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let password = password(folder.path());
    let (server, played) = serve(vec![
        ConnectionScript::new("long", Color::Black, 4, &[]),
        ConnectionScript::new("long", Color::Black, 8, &["#SENNICHITE", "#DRAW"]),
    ]);
    let own = ["--option", "NetworkDelay2=50", "--no-ponder"];
    let client = arguments(&server, folder.path(), &password);
    let ended = run(&[&client[..], &own, &engine(), &["4"]].concat());
    assert!(ended.status.success(), "{}", ended.errors);
    assert!(
        ended.errors.contains("connecting again"),
        "{}",
        ended.errors
    );
    let text = "drawn by repetition after 8 moves";
    assert!(ended.errors.contains(text), "{}", ended.errors);
    played.join().expect("the server's part");
}

/// Starts a server; returns its address.
fn server<T: Send + 'static>(
    part: impl FnOnce(TcpListener) -> T + Send + 'static,
) -> (String, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    (address, thread::spawn(move || part(listener)))
}

#[test]
fn the_next_game_takes_the_place_of_a_lost_one() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let password = password(folder.path());
    let (address, played) = serve(vec![
        ConnectionScript::new("ended", Color::Black, 4, &[]),
        ConnectionScript::new("next", Color::White, 3, &["#TIME_UP", "#WIN"]),
    ]);
    let own = ["--option", "NetworkDelay2=50", "--games", "2"];
    let client = arguments(&address, folder.path(), &password);
    let ended = run(&[&client[..], &own, &engine(), &["4"]].concat());
    assert!(ended.status.success(), "{}", ended.errors);
    for text in [
        "the server has ended the game ended",
        "game 1 of 2: broken off by interruption after 4 moves",
        "game 2 of 2: won by time loss after 3 moves",
    ] {
        assert!(ended.errors.contains(text), "no {text}: {}", ended.errors);
    }
    let record = fs::read_to_string(folder.path().join("ended.csa")).expect("a record");
    assert!(record.ends_with("%CHUDAN\n"), "{record}");
    played.join().expect("the server's part");

    // One game too many is called off.
    let (address, heard) = server(|listener| {
        ServerEnd::accept(&listener).play(&ConnectionScript::new("ended", Color::Black, 4, &[]));
        let mut peer = ServerEnd::accept(&listener);
        peer.propose(&ConnectionScript::new("next", Color::Black, 0, &[]), &[]);
        let heard = peer.hear();
        peer.see_off();
        heard
    });
    let client = arguments(&address, folder.path(), &password);
    let ended = run(&[&client[..], &own[..2], &engine(), &["4"]].concat());
    assert!(ended.status.success(), "{}", ended.errors);
    let heard = heard.join().expect("the server's part");
    assert_eq!(heard.as_deref(), Some("REJECT next"));
}

#[test]
fn trouble_with_the_server_is_waited_out() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let password = password(folder.path());
    let (address, played) = server(|listener| {
        // The server closes while a game is waited for, and still counts the old connection afterwards.
        ServerEnd::accept(&listener).log_in();
        ServerEnd::accept(&listener).refuse();
        let script = |before, moves, end| ConnectionScript {
            before,
            after: AfterGame::Closes,
            ..ConnectionScript::new("one", Color::Black, moves, end)
        };
        let (before, _) = ServerEnd::accept(&listener).play(&script(Vec::new(), 4, &[]));
        ServerEnd::accept(&listener).refuse();
        ServerEnd::accept(&listener).play(&script(before, 6, &["#SENNICHITE", "#DRAW"]));
        let next = ConnectionScript::new("two", Color::White, 3, &["#TIME_UP", "#WIN"]);
        ServerEnd::accept(&listener).play(&next);
    });
    let own = ["--option", "NetworkDelay2=50", "--games", "2"];
    let client = arguments(&address, folder.path(), &password);
    let ended = run(&[&client[..], &own, &engine(), &["4"]].concat());
    assert!(ended.status.success(), "{}", ended.errors);
    let tally = "game 2 of 2: won by time loss after 3 moves; 1 won, 0 lost, 1 drawn";
    assert!(ended.errors.contains(tally), "{}", ended.errors);
    let waits = ended.errors.matches("; trying again").count();
    assert_eq!(waits, 3, "{}", ended.errors);
    played.join().expect("the server's part");
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_is_heard_while_the_connection_is_lost() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let password = password(folder.path());
    let (address, listener) = server(|listener| {
        ServerEnd::accept(&listener).play(&ConnectionScript::new("lost", Color::Black, 4, &[]));
        // The client is let in again, and no game follows.
        let mut peer = ServerEnd::accept(&listener);
        peer.log_in();
        (listener, peer)
    });
    let client = arguments(&address, folder.path(), &password);
    let mut words = client;
    words.extend(engine());
    words.push("4");
    let client = Process::start(monju(), &words);
    let _server = listener.join().expect("the server's part");
    client.signal(rustix::process::Signal::INT);
    eventually("the first interrupt", || {
        client
            .errors()
            .contains("this game is the last one")
            .then_some(())
    });
    client.signal(rustix::process::Signal::INT);
    let ended = client.wait(PATIENCE);
    assert_eq!(ended.status.code(), Some(1), "{}", ended.errors);
    let text = "interrupted; the server will count the game as lost";
    assert!(ended.errors.contains(text), "{}", ended.errors);
    // The moves of the game were lost with it.
    let record = fs::read_to_string(folder.path().join("lost.csa")).expect("a record");
    assert!(record.ends_with("%CHUDAN\n"), "{record}");
}

/// A lost terminal made the game under way the last one by its first SIGHUP, and forfeited it by its second one.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_that_goes_away_costs_no_game() {
    use std::sync::mpsc;
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let password = password(folder.path());
    let (plays, playing) = mpsc::channel();
    let (go_on, told) = mpsc::channel();
    let (address, played) = server(move |listener| {
        let mut peer = ServerEnd::accept(&listener);
        peer.play(&ConnectionScript::new("one", Color::Black, 5, &[]));
        plays.send(()).expect("the test waits");
        told.recv().expect("the test goes on");
        peer.say("#CHUDAN");
        peer.play(&ConnectionScript::new("two", Color::White, 3, &["#CHUDAN"]));
    });
    // The test itself may run under nohup.
    let mut words = vec!["--default-signal=HUP", path(monju())];
    words.extend(arguments(&address, folder.path(), &password));
    words.extend(["--games", "2", "--option", "NetworkDelay2=50"]);
    words.extend(engine());
    words.push("4");
    let client = Process::start(Path::new("env"), &words);
    playing.recv_timeout(PATIENCE).expect("a game");
    client.signal(rustix::process::Signal::HUP);
    eventually("the first SIGHUP", || {
        client
            .errors()
            .contains("the terminal is gone")
            .then_some(())
    });
    client.signal(rustix::process::Signal::HUP);
    go_on.send(()).expect("the server waits");
    let ended = client.wait(PATIENCE);
    assert!(ended.status.success(), "{}", ended.errors);
    let text = "game 2 of 2: broken off by interruption after 3 moves";
    assert!(ended.errors.contains(text), "{}", ended.errors);
    assert!(!ended.errors.contains("the last one"), "{}", ended.errors);
    played.join().expect("the server's part");
}

/// An engine that answers by a table and writes down what it hears.
#[cfg(unix)]
const SCRIPT: &str = r#"
while read -r line; do
  echo "$line" >> "$0"
  case "$line" in
    usi) echo "id name $1"; echo usiok ;;
    isready) echo readyok ;;
    position*) position="$line" ;;
    "go ponder"*) ;;
    go*|ponderhit*) case "$position" in
      *startpos) echo bestmove 7g7f ponder 3c3d ;;
      *"7g7f 3c3d") echo bestmove 2g2f ponder 8c8d ;;
      *) echo bestmove resign ;;
    esac ;;
    stop) echo bestmove 1g1f ;;
    quit) exit ;;
  esac
done
"#;

#[cfg(unix)]
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the server of the test is a thread beside real processes"
)]
fn the_engine_ponders_while_its_move_is_on_its_way_to_the_server() {
    let _alone = alone();
    for (name, late_clock) in [("Monju of a test", true), ("Another engine", false)] {
        let folder = tempfile::tempdir().expect("a folder");
        let password = password(folder.path());
        let log = folder.path().join("heard");
        let heard = {
            let log = log.clone();
            move || -> Vec<String> {
                let text = fs::read_to_string(&log).unwrap_or_default();
                text.lines().map(str::to_owned).collect()
            }
        };
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let server = thread::spawn({
            let heard = heard.clone();
            move || {
                let script = ConnectionScript {
                    time: "Total_Time:60000\nByoyomi:1000",
                    ..ConnectionScript::new("early", Color::Black, 0, &[])
                };
                // A ponder begins before the server has said anything about the move.
                let wait_for_ponders = |number: usize| {
                    let begun = Instant::now();
                    let ponders = || {
                        heard()
                            .iter()
                            .filter(|line| line.starts_with("go ponder"))
                            .count()
                    };
                    while ponders() < number {
                        assert!(
                            begun.elapsed() < PATIENCE,
                            "no ponder {number}: {:?}",
                            heard()
                        );
                        thread::sleep(Duration::from_millis(10));
                    }
                };
                let mut peer = ServerEnd::accept(&listener);
                peer.offer(&script, &[]);
                // The engine is ready before its clock runs: at its start, and again with the game's options.
                let asked = heard().iter().filter(|line| *line == "isready").count();
                assert_eq!(asked, 2, "{:?}", heard());
                peer.say("START:early");
                assert_eq!(peer.hear().as_deref(), Some("+7776FU"));
                wait_for_ponders(1);
                peer.say("+7776FU,T5");
                peer.say("-3334FU,T7");
                assert_eq!(peer.hear().as_deref(), Some("+2726FU"));
                wait_for_ponders(2);
                // The connection breaks, and the move with it.
                drop(peer);
                let mut peer = ServerEnd::accept(&listener);
                let before = ["+7776FU".to_owned(), "-3334FU".to_owned()];
                peer.offer(&script, &before);
                assert_eq!(peer.hear().as_deref(), Some("+2726FU"));
                peer.say("+2726FU,T5");
                peer.say("-4132KI,T7");
                assert_eq!(peer.hear().as_deref(), Some("%TORYO"));
                for line in ["%TORYO,T1", "#RESIGN", "#LOSE"] {
                    peer.say(line);
                }
                while peer.hear().is_some_and(|line| line != "LOGOUT") {}
                peer.say("LOGOUT:completed");
            }
        });
        let client = arguments(&address, folder.path(), &password);
        let engine = ["--", "/bin/sh", "-c", SCRIPT, path(&log), name];
        let ended = run(&[&client[..], &engine].concat());
        server.join().expect("the server's part");
        assert!(ended.status.success(), "{}", ended.errors);
        let text = "lost by resignation after 4 moves";
        assert!(ended.errors.contains(text), "{}", ended.errors);

        let heard = heard();
        let place = |begin: &str| heard.iter().position(|line| line.starts_with(begin));
        let hit = &heard[place("ponderhit").expect("a hit")];
        let ponder = &heard[place("go ponder").expect("a ponder")];
        if late_clock {
            assert_eq!(ponder, "go ponder");
            assert_eq!(hit, "ponderhit btime 59995 wtime 59993 byoyomi 1000");
        } else {
            let words: Vec<&str> = ponder.split(' ').collect();
            let left: u64 = words[3].parse().expect("a time");
            assert!(left <= 59_000, "{ponder}");
            assert_eq!(hit, "ponderhit");
        }
        // The move that was lost with the connection is sent again without a search, and the ponder behind it goes on
        // until the unexpected reply.
        let count = |begin: &str| heard.iter().filter(|line| line.starts_with(begin)).count();
        assert_eq!(
            (count("go ponder"), count("stop"), count("go btime")),
            (2, 1, 2),
            "{heard:?}"
        );
    }
}

/// An engine that ends at its first question the first two times that it is started, and resigns later.
#[cfg(unix)]
const FRAIL: &str = r#"
echo start >> "$0"
while read -r line; do
  case "$line" in
    usi) echo usiok ;;
    isready) echo readyok ;;
    go*) test "$(wc -l < "$0")" -gt 2 || exit 3; echo bestmove resign ;;
    quit) exit ;;
  esac
done
"#;

#[cfg(unix)]
#[test]
fn a_game_whose_engine_fails_twice_goes_on() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let password = password(folder.path());
    let (address, played) = server(|listener| {
        let mut peer = ServerEnd::accept(&listener);
        peer.offer(&ConnectionScript::new("one", Color::Black, 0, &[]), &[]);
        peer.say("START:one");
        // The first move is one that the engine has not made.
        let first = peer.hear().expect("a move");
        assert!(first.starts_with('+'), "{first}");
        peer.say(&format!("{first},T1"));
        peer.say("-3334FU,T1");
        assert_eq!(peer.hear().as_deref(), Some("%TORYO"));
        for line in ["%TORYO,T1", "#RESIGN", "#LOSE"] {
            peer.say(line);
        }
        peer.see_off();
    });
    let starts = folder.path().join("starts");
    let own = ["--", "/bin/sh", "-c", FRAIL, path(&starts)];
    let client = arguments(&address, folder.path(), &password);
    let ended = run(&[&client[..], &own].concat());
    assert!(ended.status.success(), "{}", ended.errors);
    for text in [
        "the engine failed, and is started again: the engine ended (exit status: 3)",
        "is played in the engine's place",
        "lost by resignation after 2 moves; 0 won, 1 lost, 0 drawn",
    ] {
        assert!(ended.errors.contains(text), "no {text}: {}", ended.errors);
    }
    played.join().expect("the server's part");
}

#[test]
fn a_refused_login_and_nonsense_are_one_line_each() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let password = password(folder.path());
    let answers = |answer: String| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let server = thread::spawn(move || {
            let mut peer = ServerEnd::accept(&listener);
            peer.hear().expect("a login");
            // The client may hang up in the middle of nonsense.
            let _ = peer.stream.write_all(answer.as_bytes());
            while peer.hear().is_some() {}
        });
        (address, server)
    };
    for (answer, expected) in [
        ("LOGIN:incorrect\n".to_owned(), "refuses the login of Monju"),
        ("x".repeat(20_000), "more than 8192 bytes"),
        (
            "LOGIN:Monju OK\nBEGIN Game_Summary\nYour_Turn:?\nEND Game_Summary\n".to_owned(),
            "makes no sense: Your_Turn:?",
        ),
    ] {
        let (server, thread) = answers(answer);
        let client = arguments(&server, folder.path(), &password);
        let run = ended_line(&[&client[..], &engine(), &["4"]].concat());
        assert!(run.contains(expected), "{run}");
        assert!(!run.contains("secret"), "{run}");
        thread.join().expect("the server's part");
    }
    let missing = folder.path().join("missing");
    let client = arguments("127.0.0.1:1", folder.path(), &missing);
    assert!(complaint_of(&client).contains("cannot read the password"));
}

#[test]
fn errors_that_the_engine_reports_are_told_once_a_game() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let password = password(folder.path());
    let game = |name| ConnectionScript::new(name, Color::Black, 4, &["#CHUDAN"]);
    let (server, played) = serve(vec![
        ConnectionScript {
            after: AfterGame::Closes,
            ..game("one")
        },
        game("two"),
    ]);
    let client = arguments(&server, folder.path(), &password);
    let own = ["--games", "2", "--option", "BookFile=/nope"];
    let ended = run(&[&client[..], &own, &engine(), &["4"]].concat());
    assert!(ended.status.success(), "{}", ended.errors);
    let told = "the engine says: error: cannot read the book \"/nope\"";
    assert_eq!(ended.errors.matches(told).count(), 2, "{}", ended.errors);
    played.join().expect("the server's part");
}

/// Text that is being selected in a terminal stopped the client at its next line, and its clock ran on.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_that_takes_no_more_lines_stops_no_game() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let password = password(folder.path());
    let script = ConnectionScript::new("one", Color::Black, 4, &["#CHUDAN"]);
    let (server, played) = serve(vec![script]);
    let client = arguments(&server, folder.path(), &password);
    let own = ["--option", "BookFile=/nope"];
    let (_unread, mut errors) = std::io::pipe().expect("a pipe");
    // As much as a pipe holds.
    errors.write_all(&[b'.'; 1 << 16]).expect("written");
    let mut client = std::process::Command::new(monju())
        .args([&client[..], &own, &engine(), &["4"]].concat())
        .stderr(errors)
        .spawn()
        .expect("started");
    let ended = eventually("the end of the client", || {
        client.try_wait().expect("a child")
    });
    assert!(ended.success(), "{ended}");
    played.join().expect("the server's part");
}

/// The last line of the errors of a client that fails.
fn ended_line(arguments: &[&str]) -> String {
    let ended = run(arguments);
    assert_eq!(ended.status.code(), Some(1), "{}", ended.errors);
    ended.errors.lines().last().unwrap_or_default().to_owned()
}
