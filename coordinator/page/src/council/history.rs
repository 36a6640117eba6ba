//! The games that the page knows: those of its own time, the last ones.

use crate::view::{MoveText, View, compare};
use monju_coordinator::ballot::names;
use monju_engine::{Color, Game};
use monju_proto::v1::{Ballot, RosterResponse, Vote};
use serde_json::{Value, json};
use std::collections::VecDeque;

/// Number of games that are kept.
const GAMES: usize = 20;

/// Number of positions that are kept of a game.
const POSITIONS: usize = 1_000;

/// The last games, the current one at the end.
#[derive(Debug, Default)]
pub struct History {
    games: VecDeque<ObservedGame>,
    workers: Value,
}

#[derive(Debug)]
struct ObservedGame {
    id: String,
    positions: Vec<Position>,
}

#[derive(Clone, Debug)]
struct Position {
    view: View,
    is_decided: bool,
    last_move: Option<String>,
    clock: Value,
    players: Value,
}

impl History {
    /// Enters a ballot, decided or as it stands. Returns the event for pages; `None` for a position that makes no
    /// sense.
    pub fn ballot(&mut self, ballot: &Ballot) -> Option<Value> {
        let game = Game::try_from(ballot.position.as_ref()?).ok()?;
        let position = Position::of(&game, ballot);
        let index = match self.games.iter().position(|game| game.id == ballot.game_id) {
            Some(index) => index,
            None => {
                if self.games.len() == GAMES {
                    self.games.pop_front();
                }
                self.games.push_back(ObservedGame {
                    id: ballot.game_id.clone(),
                    positions: Vec::new(),
                });
                self.games.len() - 1
            }
        };
        let observed = &mut self.games[index];
        observed.enter(position, &game);
        let position = observed.positions.last()?.json();
        Some(json!({ "kind": "position", "game": observed.id, "position": position }))
    }

    /// Enters the workers; returns an event if they have changed.
    pub fn roster(&mut self, roster: &RosterResponse) -> Option<Value> {
        let workers = roster.workers.iter().map(|worker| {
            json!({
                "name": worker.name,
                "connected": worker.connected,
                "failure": worker.failure,
                "players": worker.players.len(),
            })
        });
        self.workers(workers.collect())
    }

    /// Enters that no coordinator is there; returns an event if that is new.
    pub fn nobody(&mut self) -> Option<Value> {
        self.workers(Value::Null)
    }

    fn workers(&mut self, workers: Value) -> Option<Value> {
        if workers == self.workers {
            return None;
        }
        self.workers = workers.clone();
        Some(json!({ "kind": "workers", "workers": workers }))
    }

    /// Returns everything.
    pub fn json(&self) -> Value {
        let game = |game: &ObservedGame| {
            let positions: Vec<Value> = game.positions.iter().map(Position::json).collect();
            json!({ "id": game.id, "positions": positions })
        };
        json!({
            "workers": self.workers,
            "games": self.games.iter().map(game).collect::<Vec<_>>(),
        })
    }
}

impl ObservedGame {
    /// Enters a position at the end, or in place of an earlier view of it. A move that was taken back takes the
    /// positions after it with it.
    fn enter(&mut self, mut position: Position, game: &Game) {
        let plies = position.view.plies;
        self.positions.retain(|known| known.view.plies < plies);
        if let Some(before) = self.positions.last_mut()
            && before.view.plies < plies
            && let Some(mv) = game.moves().get(before.view.plies)
        {
            let text = mv.to_string();
            // The move stands in Japanese notation where it was considered.
            let known = before
                .view
                .votes
                .iter()
                .map(|(mv, _)| mv)
                .find(|mv| mv.usi == text);
            before.view.played = Some(known.cloned().unwrap_or(MoveText {
                japanese: text.clone(),
                usi: text,
            }));
            let mut pair = [before.view.clone(), position.view.clone()];
            compare(&mut pair);
            let [seen, _] = pair;
            before.view = seen;
        }
        if self.positions.len() == POSITIONS {
            self.positions.remove(0);
        }
        position.view.plies = plies;
        self.positions.push(position);
    }
}

impl Position {
    fn of(game: &Game, ballot: &Ballot) -> Self {
        let clock = ballot.limits.as_ref().and_then(|limits| limits.clock);
        let clock = clock.map(|clock| {
            json!({
                "black_ms": clock.black_ms,
                "white_ms": clock.white_ms,
                "byoyomi_ms": clock.byoyomi_ms,
            })
        });
        let side = game.position().side_to_move();
        let players: Vec<Value> = ballot
            .votes
            .iter()
            .map(|vote| player(game, vote, side))
            .collect();
        Self {
            view: View::of(game.moves().len(), game, ballot, None),
            is_decided: ballot.decision.is_some(),
            last_move: game.moves().last().map(ToString::to_string),
            clock: clock.unwrap_or(Value::Null),
            players: players.into(),
        }
    }

    fn json(&self) -> Value {
        let mut value = self.view.json();
        value["is_decided"] = self.is_decided.into();
        value["last_move"] = self.last_move.clone().into();
        value["clock"] = self.clock.clone();
        value["players"] = self.players.clone();
        value
    }
}

/// A player with its vote.
fn player(game: &Game, vote: &Vote, side: Color) -> Value {
    let info = vote.player.clone().unwrap_or_default();
    let line = vote.line.as_ref();
    let score = line
        .and_then(|line| line.score)
        .and_then(|score| score.centipawns());
    json!({
        "name": info.name,
        "worker": info.worker,
        "move": line.map(|_| vote.chosen()),
        "japanese": line.map(|_| MoveText::of(game, vote.chosen()).japanese),
        "score_of_black": score.map(|score| match side { Color::Black => score, Color::White => -score }),
        "depth": line.map(|line| line.depth),
        "arrival": names::arrival(vote.arrival()),
        "failure": vote.failure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::{Line, PlayerInfo, Position as WirePosition, Tally, WorkerStatus};

    fn ballot(id: &str, moves: &[&str], vote: &str) -> Ballot {
        Ballot {
            game_id: id.to_owned(),
            position: Some(WirePosition {
                start: "startpos".to_owned(),
                moves: moves.iter().map(|mv| (*mv).to_owned()).collect(),
                ..WirePosition::default()
            }),
            votes: vec![Vote {
                player: Some(PlayerInfo {
                    name: "one".to_owned(),
                    ..PlayerInfo::default()
                }),
                line: Some(Line {
                    r#move: vote.to_owned(),
                    pv: vec![vote.to_owned()],
                    ..Line::default()
                }),
                counted: true,
                ..Vote::default()
            }],
            tally: vec![Tally {
                r#move: vote.to_owned(),
                votes: 1,
            }],
            ..Ballot::default()
        }
    }

    #[test]
    fn a_game_grows_and_moves_that_are_taken_back_leave_it() {
        let mut history = History::default();
        let event = history.ballot(&ballot("g", &[], "7g7f")).expect("an event");
        assert_eq!(event["position"]["best"]["japanese"], "▲７六歩(77)");
        assert_eq!(event["position"]["is_decided"], false);
        history.ballot(&ballot("g", &["7g7f", "3c3d"], "2g2f"));
        let all = history.json();
        let positions = all["games"][0]["positions"].as_array().expect("positions");
        assert_eq!(positions.len(), 2);
        assert_eq!(positions[0]["played"]["japanese"], "▲７六歩(77)");
        assert_eq!(positions[1]["players"][0]["move"], "2g2f");
        history.ballot(&ballot("g", &["7g7f"], "3c3d"));
        let all = history.json();
        let plies: Vec<&Value> = (all["games"][0]["positions"].as_array().expect("positions"))
            .iter()
            .map(|position| &position["plies"])
            .collect();
        assert_eq!(plies, [0, 1]);
    }

    #[test]
    fn old_games_make_room_and_nonsense_is_no_event() {
        let mut history = History::default();
        for number in 0..GAMES + 3 {
            history.ballot(&ballot(&format!("g{number}"), &[], "7g7f"));
        }
        assert_eq!(history.games.len(), GAMES);
        assert_eq!(history.games[0].id, "g3");
        assert!(history.ballot(&ballot("g", &["7g7e"], "7g7f")).is_none());
        assert!(history.ballot(&Ballot::default()).is_none());
    }

    #[test]
    fn workers_are_an_event_when_they_change() {
        let mut history = History::default();
        let mut roster = RosterResponse {
            workers: vec![WorkerStatus {
                name: "desk".to_owned(),
                connected: true,
                ..WorkerStatus::default()
            }],
            ..RosterResponse::default()
        };
        assert!(history.roster(&roster).is_some());
        assert!(history.roster(&roster).is_none());
        roster.workers[0].connected = false;
        assert!(history.roster(&roster).is_some());
        assert!(history.nobody().is_some() && history.nobody().is_none());
    }
}
