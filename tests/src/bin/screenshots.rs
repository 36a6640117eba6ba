//! Takes the pictures of the documentation from the pages that `monju` serves, with Chromium.
//!
//! ```text
//! cargo build --release
//! MONJU_BINARY=target/release/monju cargo run -p monju-tests --bin screenshots
//! ```
//!
//! They need a Japanese font (Debian: `fonts-noto-cjk`), and become a third of their size where `pngquant` is
//! installed.
#![forbid(unsafe_code)]

#[cfg(not(unix))]
fn main() {
    eprintln!("screenshots: the browser is driven over pipes that this system does not have");
}

#[cfg(unix)]
fn main() {
    pictures::take();
}

#[cfg(unix)]
mod pictures {
    use monju_tests::{
        browser::{Browser, Look},
        cluster::ServiceProcess,
        command::output_of,
        data::{opening, repository},
        process::free_address,
        usi::Usi,
    };
    use std::{
        fs,
        path::{Path, PathBuf},
        process::Command,
    };

    /// Moves that are played after the opening.
    const MOVES: usize = 14;

    const DARK: Look = Look {
        is_dark: true,
        language: "ja",
        ..Look::DESK
    };

    const PHONE: Look = Look {
        width: 390,
        height: 844,
        language: "ja",
        ..Look::DESK
    };

    /// Takes all pictures.
    pub fn take() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut browser = Browser::start().expect("chromium is installed");
        let game = council(&mut browser, folder.path());
        analysis(&mut browser, folder.path(), &game);
        experiment(&mut browser, folder.path());
    }

    /// The page of a council that plays a game; returns the game.
    fn council(browser: &mut Browser, folder: &Path) -> String {
        let log = folder.join("ballots.jsonl");
        let log = log.to_str().expect("a path in UTF-8");
        let address = free_address();
        let players = ["--players", "5", "--sigma", "60"];
        let mut usi = Usi::start(&[&players[..], &["--page", &address, "--log", log]].concat());
        usi.handshake();
        let mut position = String::new();
        for number in [1, 0] {
            usi.new_game();
            position = opening(number);
            for plies in 0..MOVES {
                let (black, white) = (1200 - 11 * plies, 1180 - 9 * plies);
                let go = format!("go btime {black}000 wtime {white}000 byoyomi 10000 nodes 20000");
                let answer = usi.think(&position, &go);
                position = format!("{position} {}", answer.bestmove);
            }
            if number > 0 {
                usi.send("gameover lose");
            }
        }
        usi.think(
            &position,
            "go btime 1040000 wtime 1050000 byoyomi 10000 nodes 20000",
        );
        let page = format!("http://{address}/");
        for (name, look) in [
            ("council-light", Look::DESK),
            ("council-dark", DARK),
            ("council-phone", PHONE),
        ] {
            browser.look(look);
            browser.open(&page);
            browser.wait("$('votes').children.length > 0");
            browser.evaluate("$('past').open = true");
            browser.wait("$('archive').children.length > 1");
            save(browser, name);
        }
        assert!(usi.quit().status.success());
        position
    }

    /// The page of an analysed game.
    fn analysis(browser: &mut Browser, folder: &Path, game: &str) {
        let file = folder.join("game.usi");
        fs::write(&file, format!("{game}\n")).expect("written");
        let file = file.to_str().expect("a path in UTF-8");
        let players = ["--players", "5", "--sigma", "60", "--nodes", "10000"];
        output_of(&[&["analyse", file, "--from", "20"], &players[..]].concat());
        browser.look(Look::DESK);
        let page = folder.join("game.analysis.html");
        browser.open(&format!("file://{}", page.display()));
        browser.evaluate(
            "for (let i = 0; i < 18; i++) document.getElementById('on').click(); scrollTo(0, 0)",
        );
        save(browser, "analysis");
    }

    /// The page of an experiment while it is played.
    fn experiment(browser: &mut Browser, folder: &Path) {
        let file = folder.join("votes.toml");
        let openings = repository().join("configs/openings/records2016_24ply.sfen");
        let text = format!(
            "version = 1\nname = \"votes\"\ntitle = \"Do more players vote better?\"\ngames = 400\nopenings = {openings:?}\n\
             first = \"council\"\nsecond = \"single\"\n\
             [grid]\nplayers = [3, 6]\nsigma = [50, 100]\n\
             [ensemble.council]\nhash_mib = 8\nnodes = 400\nplayer = [{{ name = \"v\", count = \"$players\", sigma = \"$sigma\" }}]\n\
             [ensemble.single]\nhash_mib = 8\nnodes = 400\nplayer = [{{ name = \"s\" }}]\n"
        );
        fs::write(&file, text).expect("written");
        let file = file.to_str().expect("a path in UTF-8");
        let runner = ServiceProcess::experiment(file, "2");
        let address = &runner.address;
        browser.look(Look::DESK);
        browser.open(&format!("http://{address}/"));
        browser.wait("$('cells').children.length === 4 && $('under-way').children.length > 0");
        // Some pairs make the intervals.
        browser.wait("Number($('cells').children[0].children[1].textContent) >= 6");
        save(browser, "experiment");
    }

    /// Writes a picture into docs/images.
    fn save(browser: &mut Browser, name: &str) {
        let file: PathBuf = repository().join("docs/images").join(format!("{name}.png"));
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        browser.picture(&file);
        let quantized = Command::new("pngquant")
            .args([
                "--force",
                "--ext",
                ".png",
                "--skip-if-larger",
                "--strip",
                "64",
            ])
            .arg(&file)
            .status();
        if quantized.is_err() {
            eprintln!("pngquant is not installed, {} is large", file.display());
        }
        println!("{}", file.display());
    }
}
