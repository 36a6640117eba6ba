//! A scripted USI engine for tests: it plays nothing, and misbehaves as its arguments say.
//!
//! Switches:
//! `--log FILE` appends every line it receives; `--lifeline ADDRESS` keeps a TCP connection open as
//! long as it lives and repeats them there; `--answer TEXT` is what follows `bestmove`; `--garbage` mixes nonsense
//! into its output; `--flood` talks without end while it searches; `--ignore-quit` goes on after `quit` and the end
//! of its input; `--hasty` ends every search at once, even an infinite one; `--resign-endless` resigns at once at
//! every `go infinite`, and plays on at any other.
//! `--crash-on-form WORD` ends the process at every `go` with that word in it. Once per MARK file,
//! over all its lives: `--crash-on-go MARK`, `--crash-after-answer MARK` and `--hang-on-stop MARK`.
#![forbid(unsafe_code)]
#![expect(
    clippy::disallowed_methods,
    reason = "it crashes in the middle of its work"
)]

use std::{
    env,
    fs::{File, OpenOptions},
    io::{self, BufRead, Write},
    net::TcpStream,
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// Exit status of a wanted crash.
const CRASH: i32 = 3;

#[derive(Default)]
struct EngineScript {
    log: Option<File>,
    lifeline: Option<TcpStream>,
    answer: Option<String>,
    garbage: bool,
    flood: bool,
    ignore_quit: bool,
    hasty: bool,
    resign_endless: bool,
    crash_on_go: Option<String>,
    crash_on_form: Option<String>,
    crash_after_answer: Option<String>,
    hang_on_stop: Option<String>,
}

impl EngineScript {
    fn from_arguments() -> io::Result<Self> {
        let mut script = Self::default();
        let mut arguments = env::args().skip(1);
        while let Some(switch) = arguments.next() {
            let mut value = || arguments.next().ok_or(io::ErrorKind::InvalidInput);
            match switch.as_str() {
                "--log" => {
                    let file = OpenOptions::new()
                        .create(true)
                        .append(true)
                        .open(value()?)?;
                    script.log = Some(file);
                }
                "--lifeline" => script.lifeline = Some(TcpStream::connect(value()?)?),
                "--answer" => script.answer = Some(value()?),
                "--garbage" => script.garbage = true,
                "--flood" => script.flood = true,
                "--ignore-quit" => script.ignore_quit = true,
                "--hasty" => script.hasty = true,
                "--resign-endless" => script.resign_endless = true,
                "--crash-on-go" => script.crash_on_go = Some(value()?),
                "--crash-on-form" => script.crash_on_form = Some(value()?),
                "--crash-after-answer" => script.crash_after_answer = Some(value()?),
                "--hang-on-stop" => script.hang_on_stop = Some(value()?),
                _ => return Err(io::ErrorKind::InvalidInput.into()),
            }
        }
        Ok(script)
    }

    fn answer(&self) -> io::Result<()> {
        if self.garbage {
            say("bestmoves are overrated\r")?;
        }
        say(&format!(
            "bestmove {}",
            self.answer.as_deref().unwrap_or("7g7f ponder 3c3d")
        ))?;
        if once(&self.crash_after_answer) {
            process::exit(CRASH);
        }
        Ok(())
    }
}

/// Returns true the first time that a mark is asked for; false without a mark.
fn once(mark: &Option<String>) -> bool {
    mark.as_ref().is_some_and(|mark| {
        let created = OpenOptions::new().write(true).create_new(true).open(mark);
        created.is_ok()
    })
}

fn say(line: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")?;
    output.flush()
}

fn think(script: &EngineScript) -> io::Result<()> {
    if script.garbage {
        io::stdout().write_all(b"\xff\xfe\x00 what?\r\n\r\n")?;
        say("info depth depth score cp many nodes -1 pv")?;
        say("info multipv 2 depth 30 score cp 999 pv 1g1f")?;
        say("readyok")?;
        say("info string pv 9i9h")?;
        say("info depth 3 seldepth 5 nodes 1234 score cp 42 pv 7g7f 3c3d 2g2f\r")
    } else {
        say("info depth 3 seldepth 5 nodes 1234 score cp 42 pv 7g7f 3c3d 2g2f")
    }
}

/// Talk without end, or until it is told to end; then nothing more is said.
struct Flood {
    goes_on: Arc<AtomicBool>,
    talker: JoinHandle<io::Result<()>>,
}

impl Flood {
    fn start() -> Self {
        let goes_on = Arc::new(AtomicBool::new(true));
        let listener = Arc::clone(&goes_on);
        let talker = thread::spawn(move || {
            let words = "info string and another thing\n".repeat(1000);
            while listener.load(Ordering::Relaxed) {
                io::stdout().write_all(words.as_bytes())?;
            }
            io::stdout().flush()
        });
        Self { goes_on, talker }
    }

    fn end(self) -> io::Result<()> {
        self.goes_on.store(false, Ordering::Relaxed);
        self.talker.join().expect("the flood only writes")
    }
}

fn main() -> io::Result<()> {
    let mut script = EngineScript::from_arguments()?;
    eprintln!("the fake engine is here");
    let mut searching = false;
    let mut flood = None;
    for line in io::stdin().lock().lines() {
        let line = line?;
        if let Some(log) = &mut script.log {
            writeln!(log, "{line}")?;
        }
        if let Some(lifeline) = &mut script.lifeline {
            writeln!(lifeline, "{line}")?;
        }
        match line.split_whitespace().next().unwrap_or_default() {
            "usi" => {
                say("id name Fake Engine 1.0")?;
                say("option name Some Option type spin default 1 min 0 max 9")?;
                say(
                    "option name EnteringKingRule type combo default NoEnteringKing var CSARule27",
                )?;
                say("usiok")?;
            }
            "isready" => say("readyok")?,
            "go" => {
                let form = script.crash_on_form.as_deref();
                let is_deadly = form.is_some_and(|word| line.contains(word));
                if is_deadly || once(&script.crash_on_go) {
                    process::exit(CRASH);
                }
                think(&script)?;
                let resigns = script.resign_endless && line == "go infinite";
                searching = line == "go infinite" && !script.hasty && !resigns;
                if resigns {
                    say("bestmove resign")?;
                } else if !searching {
                    script.answer()?;
                } else if script.flood {
                    flood = Some(Flood::start());
                }
            }
            "stop" if searching && !once(&script.hang_on_stop) => {
                searching = false;
                flood.take().map_or(Ok(()), Flood::end)?;
                script.answer()?;
            }
            "quit" if !script.ignore_quit => return Ok(()),
            _ => {}
        }
    }
    if script.ignore_quit {
        // Long enough for any test, and yet no process is left behind for ever.
        thread::sleep(Duration::from_secs(60));
    }
    Ok(())
}
