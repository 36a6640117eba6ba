//! The pages in a real browser, which follows a game that a script plays, and an experiment.

use monju_engine::Game;
use monju_tests::{
    alone,
    browser::{Browser, Look},
    cluster::{ServiceProcess, eventually},
    command::output_of,
    data::repository,
    process::free_address,
    skip::skipped,
    usi::Usi,
};
use std::net::TcpStream;

/// Pieces as the page writes them, by their letters.
const PIECES: [(&str, &str); 14] = [
    ("P", "歩"),
    ("L", "香"),
    ("N", "桂"),
    ("S", "銀"),
    ("G", "金"),
    ("B", "角"),
    ("R", "飛"),
    ("K", "玉"),
    ("+P", "と"),
    ("+L", "杏"),
    ("+N", "圭"),
    ("+S", "全"),
    ("+B", "馬"),
    ("+R", "龍"),
];

/// Returns the squares of a position as the page shows them, rank by rank: a piece, `v` before one of White's, or
/// nothing.
fn squares(game: &Game) -> Vec<String> {
    let sfen = game.position().to_string();
    let board = sfen.split(' ').next().expect("a board").replace('/', "");
    let mut squares = Vec::new();
    let mut promoted = "";
    for letter in board.chars() {
        if letter == '+' {
            promoted = "+";
        } else if let Some(empty) = letter.to_digit(10) {
            squares.extend((0..empty).map(|_| String::new()));
        } else {
            let name = format!("{promoted}{}", letter.to_ascii_uppercase());
            let (_, piece) = PIECES
                .iter()
                .find(|(known, _)| *known == name)
                .expect("a piece");
            let side = if letter.is_lowercase() { "v" } else { "" };
            squares.push(format!("{side}{piece}"));
            promoted = "";
        }
    }
    squares
}

/// Returns the squares of the page's board.
fn shown_squares(browser: &mut Browser) -> Vec<String> {
    let shown = browser.evaluate(
        "[...document.querySelectorAll('#board span')]
           .map(square => (square.classList.contains('white') ? 'v' : '') + square.textContent)",
    );
    serde_json::from_value(shown).expect("a list")
}

/// Width of a narrow phone in pixels.
const NARROW: u32 = 360;

/// Fails where the page is wider than a narrow phone.
fn assert_narrow(browser: &mut Browser) {
    let width = browser.evaluate("document.documentElement.scrollWidth");
    assert!(width.as_u64() <= Some(NARROW.into()), "{width} pixels");
}

/// Waits until the page shows the decision after so many moves.
fn wait_for_decision(browser: &mut Browser, plies: usize) {
    browser.wait(&format!(
        "$('where').textContent.startsWith('{plies} moves decided ')"
    ));
}

#[test]
fn a_browser_follows_a_game_and_opens_it_again() {
    let _alone = alone();
    let Some(mut browser) = Browser::start() else {
        skipped("the page in a browser: chromium is not installed");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("ballots.jsonl");
    let address = free_address();
    let log = log.to_str().expect("a path in UTF-8");
    let mut usi = Usi::start(&[
        "--players",
        "3",
        "--sigma",
        "50",
        "--page",
        &address,
        "--log",
        log,
    ]);
    usi.handshake();
    usi.new_game();
    eventually("the page's server", || TcpStream::connect(&address).ok());
    browser.look(Look::DESK);
    browser.open(&format!("http://{address}/"));
    assert_eq!(browser.text("where"), "waiting for a game");

    // The council plays both sides; the page follows by itself.
    let mut game = Game::startpos();
    for plies in 0..6 {
        let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
        let position = match plies {
            0 => "startpos".to_owned(),
            _ => format!("startpos moves {}", moves.join(" ")),
        };
        let (black, white) = (600 - 10 * plies, 500 - 7 * plies);
        let go = format!("go btime {black}000 wtime {white}000 byoyomi 1000 nodes 2000");
        let answer = usi.think(&position, &go);
        wait_for_decision(&mut browser, plies);
        let game_shown = browser.evaluate("$('games').selectedOptions[0].textContent");
        let game_shown = game_shown.as_str().expect("a text");
        assert!(
            game_shown.ends_with(&format!(" ({})", plies + 1)),
            "{game_shown}"
        );
        assert_eq!(
            shown_squares(&mut browser),
            squares(&game),
            "after {plies} moves"
        );
        let clocks = [
            ("black", format!("▲ Black {black} s + 1 s")),
            ("white", format!("△ White {white} s + 1 s")),
        ];
        for (side, clock) in clocks {
            let shown = browser.text(side);
            assert!(shown.starts_with(&clock), "no {clock} in {shown}");
        }
        // As if the side to move had thought until its time was over.
        let left = browser.evaluate(
            "(() => { const view = views()[now], side = view.sfen.split(' ')[1] === 'b' ? 'black' : 'white';
               view.clock.runs = true;
               running = game.id + ' ' + view.plies;
               since = performance.now() - view.clock[side + '_ms'] - 10_000;
               const shown = names();
               view.clock.runs = false;
               return shown.join(', '); })()",
        );
        let expected = match plies % 2 {
            0 => format!("Black 0 s + 0 s, White {white} s + 1 s"),
            _ => format!("Black {black} s + 1 s, White 0 s + 0 s"),
        };
        assert_eq!(left, expected);
        let moved = browser.evaluate(
            "[...document.querySelectorAll('#board span')].findIndex(one => one.classList.contains('moved'))",
        );
        let destination = game.moves().last().map_or(-1, |mv| {
            let name = mv.to_string().into_bytes();
            let (file, rank) = (name[2] - b'0', name[3] - b'a');
            i64::from(rank) * 9 + 9 - i64::from(file)
        });
        assert_eq!(moved, destination, "after {plies} moves");
        // Three players have voted, and the page says who for what.
        let votes = browser.evaluate(
            "[...document.querySelectorAll('.vote')].reduce((sum, vote) => sum + parseInt(vote.children[2].textContent), 0)",
        );
        assert_eq!(votes, 3);
        let players = browser.text("players");
        for player in ["monju-1", "monju-2", "monju-3"] {
            assert!(players.contains(player), "{players}");
        }
        let mv = game.parse_move(&answer.bestmove).expect("a legal move");
        assert!(browser.text("where").ends_with(&game.japanese(mv)));
        assert!(
            browser
                .text("line")
                .starts_with(&format!("line {}", game.japanese(mv)))
        );
        game.play(mv).expect("legal");
    }

    // Earlier positions by button and key, and the other language.
    browser.evaluate("$('first').click()");
    assert_eq!(shown_squares(&mut browser), squares(&Game::startpos()));
    browser.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }))");
    assert!(browser.text("where").starts_with("1 moves decided "));
    browser.evaluate("$('language').click()");
    assert!(browser.text("where").starts_with("1手目 決定 "));
    assert!(browser.text("black").starts_with("▲ 先手 590秒 + 1秒"));
    assert_eq!(browser.evaluate("document.documentElement.lang"), "ja");

    // The game from the log, also by its address alone, in the dark and on a phone.
    usi.send("gameover win");
    let has_result = || {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        text.contains("\"kind\":\"result\"").then_some(())
    };
    eventually("the result in the log", has_result);
    browser.evaluate("$('past').open = true");
    browser.wait("$('archive').children.length === 1");
    let row = browser.text("archive");
    assert!(
        row.contains("先手勝ち") || row.contains("後手勝ち"),
        "{row}"
    );
    let wood = browser.evaluate("getComputedStyle($('board')).backgroundColor");
    browser.evaluate("$('archive').children[0].click()");
    browser.wait("!$('present').hidden && $('where').textContent.startsWith('0手目 決定 ')");
    let key = browser.evaluate("location.hash");
    let key = key.as_str().expect("a fragment");
    browser.look(Look {
        width: NARROW,
        is_dark: true,
        ..Look::DESK
    });
    browser.open(&format!("http://{address}/{key}/4"));
    wait_for_decision(&mut browser, 4);
    let mut fourth = Game::startpos();
    for &mv in &game.moves()[..4] {
        fourth.play(mv).expect("legal");
    }
    assert_eq!(shown_squares(&mut browser), squares(&fourth));
    assert!(browser.text("players").contains("monju-3"));
    assert_ne!(
        browser.evaluate("getComputedStyle($('board')).backgroundColor"),
        wood
    );
    assert_narrow(&mut browser);
    // Everything about a player is on the screen of a phone, also its state.
    let players = browser.evaluate(
        "[...$('players').children].map(row => [...row.children].map(cell => {
           const box = cell.getBoundingClientRect();
           return box.width > 0 && box.left >= 0 && box.right <= 360 ? cell.textContent : null; }))",
    );
    let players: Vec<Vec<Option<String>>> = serde_json::from_value(players).expect("rows of texts");
    assert_eq!(players.len(), 3);
    for player in players {
        assert_eq!(player.len(), 6, "{player:?}");
        assert_eq!(player[5].as_deref(), Some("final"), "{player:?}");
        assert!(player.iter().all(Option::is_some), "{player:?}");
    }
    browser.evaluate("$('present').click()");
    browser.wait("$('present').hidden");
    browser.open(&format!("http://{address}/#0123456789abcdef"));
    browser.wait("$('past-note').textContent === 'the log does not have this game'");

    // In the next game, the one before it is asked for when it is chosen.
    usi.new_game();
    usi.think("startpos moves 2g2f 8c8d", "go nodes 2000");
    browser.open(&format!("http://{address}/"));
    wait_for_decision(&mut browser, 2);
    browser.evaluate("$('games').selectedIndex = 0, $('games').dispatchEvent(new Event('change'))");
    wait_for_decision(&mut browser, 5);
    browser.evaluate("$('first').click()");
    assert_eq!(shown_squares(&mut browser), squares(&Game::startpos()));

    // A game that is on the page's list and that the server has dropped since leaves no board behind.
    browser.evaluate(
        "games.unshift({ id: 'dropped', length: 9, positions: null }), showGames(),
         $('games').selectedIndex = 0, $('games').dispatchEvent(new Event('change'))",
    );
    browser.wait("$('where').textContent === 'this game is no longer kept'");
    assert_eq!(shown_squares(&mut browser), [""; 0]);
    assert_eq!(browser.evaluate("$('players').children.length"), 0);
    // It stays chosen while the present game goes on.
    usi.think("startpos moves 2g2f 8c8d 2f2e 8d8e", "go nodes 2000");
    browser.wait("games[games.length - 1].positions.length === 3");
    assert_eq!(browser.text("where"), "this game is no longer kept");
    browser.evaluate("$('games').selectedIndex = 2, $('games').dispatchEvent(new Event('change'))");
    wait_for_decision(&mut browser, 4);
    assert!(usi.quit().status.success());
}

#[test]
fn a_browser_shows_an_analysis_in_the_language_of_its_reader() {
    let _alone = alone();
    let Some(mut browser) = Browser::start() else {
        skipped("the page of an analysis in a browser: chromium is not installed");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("game.usi");
    std::fs::write(&file, "startpos moves 7g7f 3c3d 2g2f\n").expect("written");
    let file = file.to_str().expect("a path in UTF-8");
    output_of(&["analyse", file, "--players", "3", "--nodes", "500"]);
    let page = folder.path().join("game.analysis.html");
    let page = format!("file://{}", page.display());
    for (language, after, uncalibrated, heading, forward) in [
        ("en", "0 moves", "not calibrated", "council", "on"),
        ("ja", "0手目まで", "未較正", "合議", "進む"),
    ] {
        browser.look(Look {
            language,
            ..Look::DESK
        });
        browser.open(&page);
        assert_eq!(browser.text("title"), "game");
        assert_eq!(browser.evaluate("document.documentElement.lang"), language);
        for (id, expected) in [
            ("where", after),
            ("players", uncalibrated),
            ("headings", heading),
        ] {
            let shown = browser.text(id);
            assert!(shown.contains(expected), "no {expected} in {shown}");
        }
        let label = browser.evaluate("$('on').getAttribute('aria-label')");
        assert_eq!(label, forward);
        assert_eq!(browser.evaluate("$('list').children.length"), 4);
    }
    // The position stays when the language changes.
    browser.evaluate("$('on').click()");
    assert!(
        browser
            .text("where")
            .starts_with("1手目まで　本譜 △３四歩(33)")
    );
    browser.evaluate("$('language').click()");
    assert!(
        browser
            .text("where")
            .starts_with("1 moves　played △３四歩(33)")
    );
    assert!(browser.text("score").starts_with("score "));
    assert!(browser.text("black").starts_with("▲ Black　in hand none"));

    // Nothing comes from outside, and the page fits on a phone.
    let outside = browser.evaluate("performance.getEntriesByType('resource').length");
    assert_eq!(outside, 0);
    browser.look(Look {
        width: NARROW,
        is_dark: true,
        ..Look::DESK
    });
    browser.open(&page);
    assert_narrow(&mut browser);
    // The board stays in its place when the list, which lies below it, scrolls to the position.
    browser.evaluate("$('on').click()");
    assert!(browser.text("where").starts_with("1"));
    assert_eq!(browser.evaluate("scrollY"), 0);
}

#[test]
fn a_browser_follows_an_experiment_and_opens_its_report() {
    let _alone = alone();
    let Some(mut browser) = Browser::start() else {
        skipped("the page of an experiment in a browser: chromium is not installed");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("votes.toml");
    let openings = repository().join("configs/openings/records2016_24ply.sfen");
    let text = format!(
        "version = 1\nname = \"votes\"\ntitle = \"More players\"\ngames = 2000\nopenings = {openings:?}\n\
         first = \"council\"\nsecond = \"single\"\n[grid]\nplayers = [1, 3]\n\
         [ensemble.council]\nhash_mib = 1\nnodes = 400\nplayer = [{{ name = \"v\", count = \"$players\", sigma = 50 }}]\n\
         [ensemble.single]\nhash_mib = 1\nnodes = 400\nplayer = [{{ name = \"s\" }}]\n"
    );
    std::fs::write(&file, text).expect("written");
    let file = file.to_str().expect("a path in UTF-8");
    let runner = ServiceProcess::experiment(file, "1");
    let address = &runner.address;
    browser.look(Look::DESK);
    browser.open(&format!("http://{address}/"));
    assert_eq!(browser.text("title"), "More players");

    // Cells, the sum and the bar go on by themselves, pair after pair.
    let finished = "2 * $('progress').value";
    browser.wait("$('cells').children.length === 2 && $('progress').value >= 2");
    let before = browser.evaluate(finished);
    browser.wait(&format!("{finished} > {before}"));
    browser.wait(&format!(
        "$('sum').textContent.startsWith({finished} + ' of 4000 games, ')"
    ));
    assert!(browser.text("cells").contains("players=3"));

    // The board shows the game under way.
    browser.wait(
        "!$('games').hidden && document.querySelectorAll('#board span').length === 81
           && [...document.querySelectorAll('#board span')].filter(one => one.textContent === '玉').length === 2",
    );
    let light = browser.evaluate("getComputedStyle($('board')).backgroundColor");
    browser.look(Look {
        width: NARROW,
        is_dark: true,
        ..Look::DESK
    });
    browser.open(&format!("http://{address}/"));
    browser.wait("$('cells').children.length === 2");
    let dark = browser.evaluate("getComputedStyle($('board')).backgroundColor");
    assert_ne!(dark, light);

    // The report is one file, with figures and nothing from outside.
    browser.open(&format!("http://{address}/report"));
    let figures = browser.evaluate("document.querySelectorAll('svg').length");
    assert!(figures.as_u64() > Some(0), "{figures} figures");
    let outside = browser.evaluate("performance.getEntriesByType('resource').length");
    assert_eq!(outside, 0);
    let text = browser.evaluate("document.body.textContent");
    let text = text.as_str().expect("text");
    assert!(
        text.contains("More players") && text.contains("players=3"),
        "{text}"
    );
}
