//! The GUI's side of recorded sessions, replayed.
//!
//! The transcripts are ShogiHome's (MIT licence): its bridge to CSA servers talking to an engine.
//! The engine's recorded moves are what the scripted coordinator decides on.

use super::{
    gui::{Assembly, Gui},
    scripted_coordinator::ScriptStep,
};
use monju_engine::Game;
use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
};

fn transcripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/usi");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of transcripts")
        .map(|entry| entry.expect("an entry").path().join("usi.log"))
        .filter(|file| file.is_file())
        .collect();
    files.sort();
    files
}

/// Returns the recorded best moves in order, as (move, move to ponder on).
fn best_moves(log: &str) -> VecDeque<(&'static str, &'static str)> {
    log.lines()
        .filter_map(|line| line.strip_prefix("send:bestmove "))
        .map(|answer| {
            // Scripts are made of literals; a test may leak a few kilobytes.
            let answer: &'static str = answer.trim().to_owned().leak();
            answer.split_once(" ponder ").unwrap_or((answer, ""))
        })
        .collect()
}

async fn replay(file: &Path) {
    let log = fs::read_to_string(file).expect("a transcript");
    let decisions = Mutex::new(best_moves(&log));
    let mut gui = Gui::with(Assembly::default(), move |begin| {
        let next = decisions.lock().expect("no panic").pop_front();
        // A search that ran when the game ended has no recorded move.
        let (mv, ponder) = next.unwrap_or(("resign", ""));
        let mut steps = vec![ScriptStep::Decide(mv, ponder)];
        if begin.limits.expect("limits").ponder {
            steps.insert(0, ScriptStep::AwaitRelease);
        }
        steps
    });
    let mut game = Game::startpos();
    let mut thinking = false;
    let mut pondering = false;
    for line in log.lines() {
        if let Some(said) = line.strip_prefix("recv:") {
            if said.starts_with("position ") {
                game = Game::from_usi(said).expect("a GUI's position is legal");
            }
            if said.starts_with("go ") {
                assert!(
                    !thinking,
                    "{}: the GUI waits for its answer",
                    file.display()
                );
                thinking = true;
                pondering = said.starts_with("go ponder");
            }
            if pondering && (said.starts_with("ponderhit") || said == "stop") {
                let early = gui.wait(1).await;
                assert!(
                    early.iter().all(|line| line.starts_with("info ")),
                    "{early:?}"
                );
                pondering = false;
            }
            gui.say(said);
        } else if let Some(recorded) = line.strip_prefix("send:bestmove ") {
            let answer = gui.best_move().await;
            thinking = false;
            let said = answer.strip_prefix("bestmove ").expect("a best move");
            let recorded = recorded.trim();
            if recorded != "win" || game.can_declare_win() {
                assert_eq!(said, recorded, "{}", file.display());
            } else {
                let mv = said.split(' ').next().expect("a word");
                game.parse_move(mv).expect("a legal move instead");
            }
        } else if line == "send:usiok" || line == "send:readyok" {
            gui.hear_until(&line["send:".len()..]).await;
        }
    }
    let rest = gui.end().await;
    let best_moves = rest.iter().filter(|line| line.starts_with("bestmove"));
    assert!(
        best_moves.count() <= usize::from(thinking),
        "{}: {rest:?}",
        file.display()
    );
}

#[tokio::test(start_paused = true)]
async fn recorded_games_are_played_through() {
    let files = transcripts();
    assert_eq!(files.len(), 24);
    for file in files {
        replay(&file).await;
    }
}
