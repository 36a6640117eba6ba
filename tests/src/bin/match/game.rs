//! One game under a referee that knows the rules.

use crate::{clock::Clock, engine::Engine};
use anyhow::Context as _;
use monju_engine::{Color, Game, Repetition};
use std::time::Duration;

/// A game's result as the first engine sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Result {
    Win,
    Draw,
    Loss,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct Report {
    pub result: Result,
    pub reason: String,
    pub plies: usize,
}

/// How games are played.
#[derive(Clone, Debug)]
pub struct Referee {
    /// The `go` lines of the first and the second engine, where the clock does not make them.
    pub go: [Option<String>; 2],
    pub clock: Clock,
    pub maximum_plies: usize,
    pub adjudication: i32,
}

/// How long beyond its limit an engine is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Plies on which both engines have to agree before a game is adjudicated.
const AGREEMENT: usize = 6;

impl Referee {
    /// Plays one game; `black` says which of the two engines has Black.
    pub fn play(
        &self,
        engines: &mut [Engine; 2],
        black: usize,
        opening: &str,
    ) -> anyhow::Result<Report> {
        let mut game = Game::from_usi(opening).context("an opening is not playable")?;
        for engine in engines.iter_mut() {
            engine.new_game()?;
        }
        let mut scores: Vec<i32> = Vec::new();
        let mut left = [self.clock.main; 2];
        loop {
            let mover = match game.position().side_to_move() {
                Color::Black => black,
                Color::White => 1 - black,
            };
            let end = |winner: Option<usize>, reason: String| Report {
                result: match winner {
                    Some(0) => Result::Win,
                    Some(_) => Result::Loss,
                    None => Result::Draw,
                },
                reason,
                plies: game.moves().len(),
            };
            if game.legal_moves().is_empty() {
                return Ok(end(Some(1 - mover), "mate".to_owned()));
            }
            match game.repetition() {
                Repetition::None => {}
                Repetition::Draw => return Ok(end(None, "repetition".to_owned())),
                Repetition::PerpetualCheckBy(side) => {
                    let mover_checked = side == game.position().side_to_move();
                    let loser = if mover_checked { mover } else { 1 - mover };
                    return Ok(end(Some(1 - loser), "perpetual check".to_owned()));
                }
            }
            if game.moves().len() >= self.maximum_plies {
                return Ok(end(None, "maximum plies".to_owned()));
            }
            if let Some(winner) = self.adjudicate(&scores, mover) {
                return Ok(end(Some(winner), "adjudication".to_owned()));
            }

            let position = position_line(&game);
            let go = match &self.go[mover] {
                Some(go) => go.clone(),
                None => self.clock.go(left[black], left[1 - black]),
            };
            let limit = self.clock.limit(left[mover]);
            let reply = engines[mover].go(&position, &go, limit + PATIENCE)?;
            left[mover] = self.clock.after(left[mover], reply.elapsed);
            if reply.elapsed > limit {
                let reason = format!("time: {} ms", reply.elapsed.as_millis());
                return Ok(end(Some(1 - mover), reason));
            }
            match reply.mv.as_str() {
                "resign" => return Ok(end(Some(1 - mover), "resignation".to_owned())),
                "win" if game.can_declare_win() => {
                    return Ok(end(Some(mover), "declaration".to_owned()));
                }
                text => match game.parse_move(text) {
                    Ok(mv) => {
                        scores.push(reply.score.unwrap_or(0));
                        game.play(mv).context("a legal move was refused")?;
                    }
                    Err(error) => {
                        let reason = format!("illegal: {error}: {position}");
                        return Ok(end(Some(1 - mover), reason));
                    }
                },
            }
        }
    }

    /// The winner when both sides have agreed on one for long enough.
    fn adjudicate(&self, scores: &[i32], mover: usize) -> Option<usize> {
        if self.adjudication == 0 || scores.len() < AGREEMENT {
            return None;
        }
        // The last score is the opponent's; from there they alternate.
        let recent = scores.iter().rev().take(AGREEMENT).enumerate();
        let mut for_opponent = recent.map(|(i, &s)| if i % 2 == 0 { s } else { -s });
        if for_opponent.clone().all(|score| score > self.adjudication) {
            Some(1 - mover)
        } else if for_opponent.all(|score| score < -self.adjudication) {
            Some(mover)
        } else {
            None
        }
    }
}

fn position_line(game: &Game) -> String {
    let start = match game.start() {
        "startpos" => "startpos".to_owned(),
        sfen => format!("sfen {sfen}"),
    };
    let mut line = format!("position {start}");
    if !game.moves().is_empty() {
        line.push_str(" moves");
    }
    for mv in game.moves() {
        line.push_str(&format!(" {mv}"));
    }
    line
}
