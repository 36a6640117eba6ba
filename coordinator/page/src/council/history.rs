//! The games that the page knows: those of its own time, the last ones, and how a game is shown.

use crate::view::{MoveText, PositionView, compare};
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
pub struct CouncilHistory {
    games: VecDeque<GameView>,
    workers: Value,
}

/// The positions of a game, ply by ply from the first that the council was asked about.
#[derive(Debug)]
pub struct GameView {
    id: String,
    positions: Vec<GamePosition>,
}

/// A position of a game.
#[derive(Clone, Debug)]
struct GamePosition {
    plies: usize,
    sfen: String,
    is_handicap: bool,
    last_move: Option<String>,
    /// The game's move in the position, once it is known.
    played: Option<MoveText>,
    /// The council's view; `None` where it was not asked, as at the opponent's moves.
    council: Option<CouncilView>,
}

/// The council's view of a position.
#[derive(Clone, Debug)]
struct CouncilView {
    view: PositionView,
    is_decided: bool,
    clock: Value,
    /// JSON text, which takes a twentieth of the memory of its value.
    players: Box<str>,
}

impl CouncilHistory {
    /// Enters a ballot, decided or as it stands. Returns the event for pages; `None` for a position that makes no
    /// sense.
    pub fn ballot(&mut self, ballot: &Ballot) -> Option<Value> {
        let index = match self.games.iter().position(|game| game.id == ballot.game_id) {
            Some(index) => index,
            None => {
                Game::try_from(ballot.position.as_ref()?).ok()?;
                if self.games.len() == GAMES {
                    // Looks, and the positions of an analysis, which are games of their own, push no game out.
                    let look = self.games.iter().position(|game| game.positions.len() == 1);
                    self.games.remove(look.unwrap_or(0));
                }
                self.games.push_back(GameView::new(ballot.game_id.clone()));
                self.games.len() - 1
            }
        };
        let observed = &mut self.games[index];
        let from = observed.enter(ballot)?;
        Some(observed.event(from))
    }

    /// Takes a position back that the game has not reached. Returns the event for pages; `None` if it is not the last.
    pub fn missed(&mut self, ballot: &Ballot) -> Option<Value> {
        let mut games = self.games.iter_mut();
        let observed = games.find(|game| game.id == ballot.game_id)?;
        let from = observed.take_back(ballot)?;
        Some(observed.event(from))
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

    /// Returns the workers, the last game, and the names of the games before it. Their positions are asked for one
    /// game at a time: all together would be many megabytes for a phone.
    pub fn json(&self) -> Value {
        let last = self.games.len().saturating_sub(1);
        let games = self.games.iter().enumerate();
        let games = games.map(|(index, game)| match index == last {
            true => game.json(),
            false => json!({ "id": game.id, "length": game.positions.len(), "positions": null }),
        });
        json!({ "workers": self.workers, "games": games.collect::<Vec<_>>() })
    }

    /// Returns a game with all its positions; `None` if it is not known.
    pub fn game(&self, id: &str) -> Option<Value> {
        let game = self.games.iter().find(|game| game.id == id)?;
        Some(game.json())
    }
}

impl GameView {
    /// Returns a game without positions.
    fn new(id: String) -> Self {
        Self {
            id,
            positions: Vec::new(),
        }
    }

    /// Returns the game of these ballots. Those that make no sense are left out.
    pub fn of(id: String, ballots: &[Ballot]) -> Self {
        let mut game = Self::new(id);
        for ballot in ballots {
            game.enter(ballot);
        }
        game
    }

    /// Returns the game with all its positions.
    pub fn json(&self) -> Value {
        let positions: Vec<Value> = self.positions.iter().map(GamePosition::json).collect();
        json!({ "id": self.id, "positions": positions })
    }

    /// Returns the event that replaces the positions from an index on. The pages keep what comes before.
    fn event(&self, from: usize) -> Value {
        let (before, changed) = self.positions.split_at(from);
        let positions: Vec<Value> = changed.iter().map(GamePosition::json).collect();
        let after = before.last().map(|last| last.plies);
        json!({
            "kind": "positions",
            "game": self.id,
            "length": self.positions.len(),
            "after": after,
            "positions": positions,
        })
    }

    /// Removes the last position if it is that of a ballot, and the move that leads to it. Returns the index of the
    /// first position that has changed.
    fn take_back(&mut self, ballot: &Ballot) -> Option<usize> {
        let game = Game::try_from(ballot.position.as_ref()?).ok()?;
        let sfen = game.position().to_string();
        self.positions.pop_if(|last| last.sfen == sfen)?;
        let last = self.positions.len().saturating_sub(1);
        if let Some(position) = self.positions.last_mut() {
            position.played = None;
        }
        self.compare(last);
        Some(last)
    }

    /// Enters a ballot at the end, or in place of an earlier view of its position; positions on the way from the
    /// last one are filled in. A move that was taken back takes the positions after it with it, and so does another
    /// line of play. Returns the index of the first position that has changed; `None` for a position that makes no
    /// sense.
    fn enter(&mut self, ballot: &Ballot) -> Option<usize> {
        let game = Game::try_from(ballot.position.as_ref()?).ok()?;
        let plies = game.moves().len();
        self.positions.truncate(self.on_the_way(&game)?);
        let known = self.positions.len();
        let mut replayed = Game::from_parts::<&str>(game.start(), &[]).ok()?;
        // Positions before the first question have nothing to show.
        let first = self.positions.last().map_or(plies, |last| last.plies);
        for (index, &mv) in game.moves().iter().enumerate() {
            let played = (index >= first).then(|| MoveText::of(&replayed, &mv.to_string()));
            if index > first {
                self.positions.push(GamePosition::of(&replayed, None));
            }
            if let (Some(last), Some(_)) = (self.positions.last_mut(), &played) {
                last.played = played;
            }
            replayed.play(mv).ok()?;
        }
        self.positions.push(GamePosition::of(&game, Some(ballot)));
        self.compare(known.saturating_sub(1));
        let surplus = self.positions.len().saturating_sub(POSITIONS);
        self.positions.drain(..surplus);
        Some(known.saturating_sub(1 + surplus))
    }

    /// Returns the number of positions that lie on the way to the end of a game: a GUI may look at several lines of
    /// play under one name.
    fn on_the_way(&self, game: &Game) -> Option<usize> {
        let mut replayed = Game::from_parts::<&str>(game.start(), &[]).ok()?;
        let mut known = self.positions.iter().peekable();
        let mut count = 0;
        for (plies, &mv) in game.moves().iter().enumerate() {
            if let Some(next) = known.next_if(|next| next.plies == plies) {
                if next.sfen != replayed.position().to_string() {
                    break;
                }
                count += 1;
            }
            replayed.play(mv).ok()?;
        }
        Some(count)
    }

    /// Finds what the moves from the position at an index on have cost, where the council saw both sides of them.
    fn compare(&mut self, from: usize) {
        for index in from..self.positions.len() {
            let (before, after) = self.positions.split_at_mut(index + 1);
            let Some(GamePosition {
                council: Some(seen),
                played,
                ..
            }) = before.last_mut()
            else {
                continue;
            };
            // Another move may have been played there before.
            seen.view.played.clone_from(played);
            seen.view.loss = None;
            if let Some(next) = after.first().and_then(|after| after.council.as_ref()) {
                let mut pair = [seen.view.clone(), next.view.clone()];
                compare(&mut pair);
                let [view, _] = pair;
                seen.view = view;
            }
        }
    }
}

impl GamePosition {
    fn of(game: &Game, ballot: Option<&Ballot>) -> Self {
        Self {
            plies: game.moves().len(),
            sfen: game.position().to_string(),
            is_handicap: game.is_handicap(),
            last_move: game.moves().last().map(ToString::to_string),
            played: None,
            council: ballot.map(|ballot| CouncilView::of(game, ballot)),
        }
    }

    fn json(&self) -> Value {
        let mut value = match &self.council {
            Some(council) => council.json(),
            None => json!({
                "best": null,
                "score_of_black": null,
                "mate": null,
                "win_rate_of_black": null,
                "depth": 0,
                "line": [],
                "votes": [],
                "is_divided": false,
                "mark": "",
                "is_decided": false,
                "clock": null,
                "players": [],
            }),
        };
        value["plies"] = self.plies.into();
        value["sfen"] = self.sfen.clone().into();
        value["is_handicap"] = self.is_handicap.into();
        value["last_move"] = self.last_move.clone().into();
        value["played"] = self.played.as_ref().map_or(Value::Null, MoveText::json);
        value
    }
}

impl CouncilView {
    fn of(game: &Game, ballot: &Ballot) -> Self {
        let limits = ballot.limits.unwrap_or_default();
        let runs = !limits.ponder && ballot.decision.is_none();
        let clock = limits.clock.map(|clock| {
            json!({
                "runs": runs,
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
            view: PositionView::of(game.moves().len(), game, ballot, None),
            is_decided: ballot.decision.is_some(),
            clock: clock.unwrap_or(Value::Null),
            players: Value::from(players).to_string().into(),
        }
    }

    fn json(&self) -> Value {
        let mut value = self.view.json();
        value["is_decided"] = self.is_decided.into();
        value["clock"] = self.clock.clone();
        value["players"] = serde_json::from_str(&self.players).unwrap_or_default();
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
    use monju_proto::v1::{
        Decision, Line, PlayerInfo, Position as WirePosition, Tally, WorkerStatus,
    };

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
    fn an_earlier_game_comes_without_its_positions() {
        let mut history = CouncilHistory::default();
        history.ballot(&ballot("first", &[], "7g7f"));
        history.ballot(&ballot("second", &[], "2g2f"));
        let all = history.json();
        let earlier = json!({ "id": "first", "length": 1, "positions": null });
        assert_eq!(all["games"][0], earlier);
        assert_eq!(all["games"][1], history.game("second").expect("a game"));
        let first = history.game("first").expect("a game");
        assert_eq!(first["positions"][0]["best"]["move"], "7g7f");
        assert_eq!(history.game("third"), None);
    }

    /// The positions of an analysis are games of their own, and no game was left on the page.
    #[test]
    fn looks_push_no_game_out() {
        let mut history = CouncilHistory::default();
        history.ballot(&ballot("game", &[], "7g7f"));
        history.ballot(&ballot("game", &["7g7f", "3c3d"], "2g2f"));
        for look in 0..2 * GAMES {
            history.ballot(&ballot(&format!("look-{look}"), &["7g7f"], "3c3d"));
        }
        assert!(history.game("game").is_some());
        assert_eq!(history.games.len(), GAMES);
        assert!(history.game(&format!("look-{}", 2 * GAMES - 1)).is_some());
        for game in 0..GAMES {
            let id = format!("game-{game}");
            history.ballot(&ballot(&id, &[], "7g7f"));
            history.ballot(&ballot(&id, &["7g7f", "3c3d"], "2g2f"));
        }
        assert!(history.game("game").is_none(), "the oldest of games");
    }

    #[test]
    fn a_game_grows_and_moves_that_are_taken_back_leave_it() {
        let mut history = CouncilHistory::default();
        let event = history.ballot(&ballot("g", &[], "7g7f")).expect("an event");
        assert_eq!(event["positions"][0]["best"]["japanese"], "▲７六歩(77)");
        assert_eq!(event["positions"][0]["is_decided"], false);
        let event = history.ballot(&ballot("g", &["7g7f", "3c3d"], "2g2f"));
        let event = event.expect("an event");
        let all = history.json();
        let positions = all["games"][0]["positions"].as_array().expect("positions");
        assert_eq!(event["positions"].as_array(), Some(positions));
        assert_eq!(positions.len(), 3);
        assert_eq!(positions[0]["played"]["japanese"], "▲７六歩(77)");
        // The opponent's position is there without the council.
        assert_eq!(positions[1]["last_move"], "7g7f");
        assert_eq!(positions[1]["played"]["japanese"], "△３四歩(33)");
        assert_eq!(positions[1]["best"], Value::Null);
        assert_eq!(positions[2]["players"][0]["move"], "2g2f");
        // The same position again is an event of it and the one before.
        let event = history.ballot(&ballot("g", &["7g7f", "3c3d"], "2g2f"));
        let event = event.expect("an event");
        assert_eq!(
            event["positions"].as_array(),
            Some(&positions[1..].to_vec())
        );
        history.ballot(&ballot("g", &["7g7f"], "3c3d"));
        let all = history.json();
        let plies: Vec<&Value> = (all["games"][0]["positions"].as_array().expect("positions"))
            .iter()
            .map(|position| &position["plies"])
            .collect();
        assert_eq!(plies, [0, 1]);
    }

    #[test]
    fn another_line_of_play_leaves_nothing_of_the_one_before() {
        let mut history = CouncilHistory::default();
        history.ballot(&ballot("g", &["7g7f"], "3c3d"));
        let event = history.ballot(&ballot("g", &["2g2f", "3c3d"], "7g7f"));
        let event = event.expect("an event");
        // The page keeps no position of before.
        assert_eq!(event["after"], Value::Null);
        let plies = |value: &Value| -> Vec<u64> {
            let positions = value["positions"].as_array().expect("positions");
            positions
                .iter()
                .filter_map(|one| one["plies"].as_u64())
                .collect()
        };
        assert_eq!(plies(&event), [2]);
        assert_eq!(plies(&history.game("g").expect("a game")), [2]);
        let event = history.ballot(&ballot("g", &["2g2f", "3c3d", "7g7f", "8c8d"], "1g1f"));
        let event = event.expect("an event");
        assert_eq!(
            (plies(&event), &event["after"]),
            (vec![2, 3, 4], &Value::Null)
        );
        let event = history.ballot(&ballot("g", &["2g2f", "3c3d", "7g7f", "4c4d"], "1g1f"));
        let event = event.expect("an event");
        assert_eq!((plies(&event), &event["after"]), (vec![3, 4], &json!(2)));
    }

    /// The mark of a mistake stayed where the move was taken back and the council's own was played.
    #[test]
    fn a_move_in_place_of_a_mistake_has_no_mark() {
        let rated = |moves: &[&str], vote: &str, rate: f64| {
            let decision = Decision {
                r#move: vote.to_owned(),
                win_rate: Some(rate),
                ..Decision::default()
            };
            Ballot {
                decision: Some(decision),
                ..ballot("g", moves, vote)
            }
        };
        let mut history = CouncilHistory::default();
        let mark = |history: &CouncilHistory| {
            let game = history.game("g").expect("a game");
            game["positions"][0]["mark"].clone()
        };
        let mistake = rated(&["2g2f"], "8c8d", 0.9);
        history.ballot(&rated(&[], "7g7f", 0.6));
        history.ballot(&mistake);
        assert_eq!(mark(&history), "??");
        history.missed(&mistake);
        assert_eq!(mark(&history), "");
        for moves in [&["7g7f"][..], &["7g7f", "3c3d"]] {
            history.ballot(&mistake);
            assert_eq!(mark(&history), "??");
            history.ballot(&rated(moves, "2g2f", 0.9));
            assert_eq!(mark(&history), "", "{moves:?}");
        }
    }

    #[test]
    fn a_missed_ponder_leaves_with_the_move_that_led_to_it() {
        let mut history = CouncilHistory::default();
        history.ballot(&ballot("g", &[], "7g7f"));
        let ponder = ballot("g", &["7g7f", "3c3d"], "2g2f");
        history.ballot(&ponder);
        let event = history.missed(&ponder).expect("an event");
        assert_eq!(event["after"], 0);
        let positions = event["positions"].as_array().expect("positions");
        assert_eq!((positions.len(), &positions[0]["plies"]), (1, &json!(1)));
        assert_eq!(positions[0]["played"], Value::Null);
        // It is gone, or was never shown.
        assert!(history.missed(&ponder).is_none());
        let event = history.ballot(&ballot("g", &["7g7f", "8c8d"], "2g2f"));
        assert_eq!(event.expect("an event")["after"], 0);
    }

    #[test]
    fn a_game_that_is_met_later_begins_there_and_a_long_one_keeps_its_end() {
        let mut game = GameView::new("g".to_owned());
        assert_eq!(game.enter(&ballot("g", &["7g7f", "3c3d"], "2g2f")), Some(0));
        assert_eq!(game.positions.len(), 1);
        let mut moves = vec!["7g7f", "3c3d"];
        let there_and_back = ["2h5h", "8b5b", "5h2h", "5b8b"];
        moves.extend(there_and_back.iter().cycle().take(POSITIONS + 1));
        let from = game.enter(&ballot("g", &moves, "2g2f"));
        assert_eq!((game.positions.len(), from), (POSITIONS, Some(0)));
        assert_eq!(game.positions[0].plies, 4);
        assert!(game.positions[POSITIONS - 1].council.is_some());
    }

    #[test]
    fn old_games_make_room_and_nonsense_is_no_event() {
        let mut history = CouncilHistory::default();
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
        let mut history = CouncilHistory::default();
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
