//! `monju mate`: looks for a mate by checks alone, and prints the whole line.

mod progress;

use crate::{output::print, runtime};
use anyhow::{Context, bail};
use monju_engine::{
    Game, counted,
    mate::{Gap, MateQuestion, Solution, Verdict, solve_mate},
    on_search_stack,
};
use monju_team::signals;
use progress::MateProgressLine;
use serde_json::json;
use std::{
    fmt::Write,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::task::spawn_blocking;

/// A mate problem and the form of its answer.
#[derive(Clone, Debug)]
pub struct MateCommand {
    /// The position, with the game before it.
    pub game: Game,
    /// The effort.
    pub question: MateQuestion,
    /// Longest time.
    pub time: Option<Duration>,
    /// One JSON object instead of text.
    pub json: bool,
}

impl MateCommand {
    /// Looks for a mate, and prints the answer to standard output. An interrupt ends the search.
    ///
    /// # Errors
    /// The limits or an interrupt leave the question open, or standard output is closed.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let (stop, command) = (Arc::clone(&interrupted), self.clone());
        let mut work = spawn_blocking(move || on_search_stack(|| command.solve(&stop)));
        let solved = tokio::select! {
            solved = &mut work => solved,
            () = signals::termination() => {
                interrupted.store(true, Ordering::Relaxed);
                work.await
            }
        };
        let solved = solved.context("the search failed")?;
        let (solution, time) = solved.context("cannot start the search thread")?;
        print(&match self.json {
            true => self.object(&solution, time),
            false => self.text(&solution, time),
        })?;
        let interrupted = interrupted.load(Ordering::Relaxed);
        match open_question(&self.question, &solution) {
            Some(_) if interrupted => bail!("interrupted"),
            Some(question) => bail!("{question}"),
            None => Ok(()),
        }
    }

    fn solve(&self, interrupted: &AtomicBool) -> (Solution, Duration) {
        let begun = Instant::now();
        let mut progress = MateProgressLine::begin();
        let solution = solve_mate(self.game.position(), &self.question, |state| {
            progress.show(state);
            interrupted.load(Ordering::Relaxed)
                || self.time.is_some_and(|time| begun.elapsed() >= time)
        });
        (solution, begun.elapsed())
    }

    fn object(&self, solution: &Solution, time: Duration) -> String {
        let (result, line, shortest) = match &solution.verdict {
            Verdict::Mate { line, shortest } => ("mate", Some(line), Some(shortest)),
            Verdict::NoMate => ("no_mate", None, None),
            Verdict::Unknown(_) => ("unknown", None, None),
        };
        let moves = line.into_iter().flatten().map(ToString::to_string);
        let object = json!({
            "position": self.game.to_usi(),
            "result": result,
            "plies": line.map(Vec::len),
            "moves": moves.collect::<Vec<_>>(),
            "shortest": shortest,
            "nodes": solution.nodes,
            "time_ms": time.as_millis() as u64,
            "time_us": time.as_micros() as u64,
        });
        format!("{object:#}\n")
    }

    fn text(&self, solution: &Solution, time: Duration) -> String {
        let mut text = format!("position  {}\n", self.game.to_usi());
        let _ = match &solution.verdict {
            Verdict::Mate { line, shortest } => {
                let moves: Vec<String> = line.iter().map(ToString::to_string).collect();
                let known = match shortest {
                    true => "the shortest",
                    false => "a shorter one is possible",
                };
                write!(
                    text,
                    "mate      in {}, {known}\nmoves     {}\n\n{}\n",
                    counted(line.len(), "ply"),
                    moves.join(" "),
                    japanese(&self.game, line)
                )
            }
            Verdict::NoMate => writeln!(text, "no mate   by checks alone"),
            Verdict::Unknown(_) => writeln!(text, "unknown"),
        };
        let _ = writeln!(
            text,
            "searched  {} in {:.3} s",
            counted(solution.nodes, "position"),
            time.as_secs_f64()
        );
        text
    }
}

/// Numbers the moves of a line in Japanese notation, a check and its answer in each row.
fn japanese(game: &Game, line: &[monju_engine::Move]) -> String {
    let mut game = game.clone();
    let mut text = String::new();
    for (index, &mv) in line.iter().enumerate() {
        let written = game.japanese(mv);
        let _ = match index % 2 {
            0 => write!(text, "{:>4}  {written}", index + 1),
            _ => writeln!(text, "  {written}"),
        };
        if game.play(mv).is_err() {
            break;
        }
    }
    if line.len() % 2 == 1 {
        text.push('\n');
    }
    text
}

/// Returns the part of the question that has no answer, and what would help.
fn open_question(question: &MateQuestion, solution: &Solution) -> Option<&'static str> {
    match solution.verdict {
        Verdict::Unknown(Gap::Ended | Gap::Nodes) => Some(
            "neither a mate nor its absence is proved within the limits; give more --nodes or --time",
        ),
        Verdict::Unknown(Gap::TooLong) => {
            Some("there is no mate as short as the longest line that is followed")
        }
        Verdict::Unknown(Gap::Memory) => Some("there is no memory for the table; free some"),
        Verdict::Unknown(Gap::Contradiction) => {
            Some("a mate was found, but its line contradicts itself; give more --hash")
        }
        Verdict::Mate {
            shortest: false, ..
        } if question.shortest => Some(
            "the mate is not proved to be the shortest within the limits; give more --nodes or --time",
        ),
        Verdict::Mate { .. } | Verdict::NoMate => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_by_checks_and_answers() {
        let game = Game::from_usi("sfen 8k/9/7GP/9/9/9/9/9/9 b G 1").unwrap();
        let line = ["1c1b+", "1a1b"].map(|mv| mv.parse().unwrap());
        assert_eq!(japanese(&game, &line), "   1  ▲１二歩成(13)  △同玉(11)\n");
        assert_eq!(japanese(&game, &line[..1]), "   1  ▲１二歩成(13)\n");
    }
}
