//! One game: two sides under a referee that knows the rules.

#[cfg(test)]
mod tests;

use super::{
    notes::{Note, Notes},
    record::{Cause, Ending, GameResult, Incident, PlayedGame, Side},
    side::{Answer, Seat},
    specification::{Adjudication, DeclarationRule, RepetitionRule},
    store::Effort,
};
use monju_coordinator::record::schema::{self, LogLine, LoggedBallot, Winner};
use monju_engine::{self as engine, Color, Game, Move, Repetition, Score};
use monju_proto::v1::{Arrival, Ballot, TieBreak, Vote};
use std::{collections::BTreeSet, time::Duration};

/// From the end of the margin until a decision has come: it is nobody's time.
const DELIVERY: Duration = Duration::from_millis(100);

/// What a game is played with, beside its two sides.
#[derive(Clone, Debug)]
pub struct GamePlan<'a> {
    /// Unique among all games that its players ever see.
    pub id: &'a str,
    /// 0 or 1: the first side has Black, or White.
    pub number: u32,
    /// What it starts from.
    pub opening: &'a str,
    /// Seeds of the sides: first, second.
    pub seeds: [u64; 2],
    /// When it ends before a side is mated or resigns.
    pub adjudication: Adjudication,
    /// Whether ballots are kept.
    pub ballots: bool,
}

/// A finished game with what went wrong in it.
pub type Finished = (PlayedGame, Vec<Incident>);

/// How and for whom a game ended.
type End = (Option<Side>, Ending);

/// Plays a game to its end.
///
/// # Errors
/// The machinery failed: nothing can be said about the game.
pub async fn play(plan: &GamePlan<'_>, seats: [&mut Seat; 2]) -> Result<Finished, Incident> {
    let mut table = Table::new(plan)?;
    for side in [Side::First, Side::Second] {
        let prepared = seats[side.index()].new_game(plan.id).await;
        prepared.map_err(|lost| table.incident(side, Cause::Disconnect, lost.0))?;
    }
    let end = loop {
        if let Some(end) = table.by_rules().or_else(|| table.adjudicated()) {
            break end;
        }
        let side = table.to_move();
        let seat = &mut *seats[side.index()];
        let answer = seat
            .consult(&table.game, plan.id, plan.seeds[side.index()])
            .await;
        let answer = answer.map_err(|lost| table.incident(side, Cause::Disconnect, lost.0))?;
        if let Some(end) = table.hear(side, seat, answer)? {
            break end;
        }
    };
    Ok(table.finish(end))
}

/// The board and the score sheet.
struct Table<'a> {
    plan: &'a GamePlan<'a>,
    game: Game,
    opening_plies: u32,
    effort: [Effort; 2],
    ballots: String,
    incidents: Vec<Incident>,
    /// Of every move that was decided here.
    notes: Vec<Note>,
}

impl<'a> Table<'a> {
    fn new(plan: &'a GamePlan<'a>) -> Result<Self, Incident> {
        // Openings were checked when they were read.
        let game = Game::from_usi(plan.opening).map_err(|error| Incident {
            game: plan.number,
            cause: Cause::IllegalMove,
            side: Side::First,
            detail: format!("opening: {error}"),
        })?;
        Ok(Self {
            opening_plies: game.moves().len() as u32,
            game,
            plan,
            effort: [Effort::default(), Effort::default()],
            ballots: String::new(),
            incidents: Vec::new(),
            notes: Vec::new(),
        })
    }

    fn side_of(&self, color: Color) -> Side {
        match (self.plan.number, color) {
            (0, Color::Black) | (1, Color::White) => Side::First,
            _ => Side::Second,
        }
    }

    fn to_move(&self) -> Side {
        self.side_of(self.game.position().side_to_move())
    }

    fn incident(&self, side: Side, cause: Cause, detail: String) -> Incident {
        Incident {
            game: self.plan.number,
            cause,
            side,
            detail,
        }
    }

    /// What the rules say before anybody is asked.
    fn by_rules(&self) -> Option<End> {
        let mover = self.to_move();
        if self.game.legal_moves().is_empty() {
            return Some((Some(mover.other()), Ending::Mate));
        }
        match (self.game.repetition(), self.plan.adjudication.repetition) {
            (Repetition::None, _) | (_, RepetitionRule::PlayOn) => {}
            (Repetition::PerpetualCheckBy(checker), RepetitionRule::Rules) => {
                let loser = self.side_of(checker);
                return Some((Some(loser.other()), Ending::PerpetualCheck));
            }
            (Repetition::Draw, _) | (_, RepetitionRule::Draw) => {
                return Some((None, Ending::Repetition));
            }
        }
        let plies = self.game.moves().len() as u32;
        (plies >= self.plan.adjudication.maximum_plies).then_some((None, Ending::MaximumPlies))
    }

    /// The winner on whom both sides have agreed for long enough.
    fn adjudicated(&self) -> Option<End> {
        let Adjudication {
            score: Some(limit),
            score_plies,
            ..
        } = self.plan.adjudication
        else {
            return None;
        };
        let recent = self.notes.len().checked_sub(score_plies as usize)?;
        let recent = &self.notes[recent..];
        let all =
            |test: &dyn Fn(i32) -> bool| recent.iter().all(|note| note.score.is_some_and(test));
        let winner = if all(&|score| score > limit) {
            Color::Black
        } else if all(&|score| score < -limit) {
            Color::White
        } else {
            return None;
        };
        Some((Some(self.side_of(winner)), Ending::Adjudication))
    }

    /// Enters what a side answered; the end, when it is one.
    fn hear(&mut self, side: Side, seat: &Seat, answer: Answer) -> Result<Option<End>, Incident> {
        let Answer { ballot, elapsed } = answer;
        let (time_ms, mover) = (
            elapsed.as_millis() as u64,
            self.game.position().side_to_move(),
        );
        self.judge_members(side, &ballot)?;
        self.count(side, &ballot, time_ms);
        if self.plan.ballots {
            self.record(ballot.clone());
        }
        let limits = &seat.ensemble().limits;
        if let Some(limit_ms) = limits.time_ms {
            let margin = seat.ensemble().margin;
            let allowed = Duration::from_millis(limit_ms) + margin + DELIVERY;
            // What a program thought of on the way is not its move, where it had a margin to name it.
            let is_missing =
                |vote: &Vote| matches!(vote.arrival(), Arrival::Provisional | Arrival::Late);
            let nobody_moved = !ballot.votes.is_empty() && ballot.votes.iter().all(is_missing);
            if elapsed > allowed || nobody_moved && !margin.is_zero() {
                let detail = format!("{} ms for a move of {limit_ms} ms", elapsed.as_millis());
                self.incidents
                    .push(self.incident(side, Cause::TimeLoss, detail));
                return Ok(Some((Some(side.other()), Ending::TimeLoss)));
            }
        }
        let Some(decision) = &ballot.decision else {
            return Err(self.incident(side, Cause::Disconnect, "no decision".to_owned()));
        };
        let decided = match decision.tie_break() == TieBreak::Fallback {
            false => decision.answer(&self.game),
            true => match self.foul(&ballot) {
                Some(mv) => Ok(engine::Answer::Move(mv)),
                None => return self.nobody_voted(side, &ballot).map(Some),
            },
        };
        let played = match decided {
            Ok(engine::Answer::Resign) => {
                return Ok(Some((Some(side.other()), Ending::Resignation)));
            }
            Ok(engine::Answer::Win) => {
                let winner = match self.plan.adjudication.declaration {
                    DeclarationRule::Win => Some(side),
                    DeclarationRule::Draw => None,
                };
                return Ok(Some((winner, Ending::Declaration)));
            }
            Ok(engine::Answer::Move(mv)) => self.game.play(mv),
            Err(error) => Err(error),
        };
        if let Err(error) = played {
            self.incidents
                .push(self.incident(side, Cause::IllegalMove, error.to_string()));
            return Ok(Some((Some(side.other()), Ending::IllegalMove)));
        }
        let score = median_score(&ballot);
        self.notes.push(Note {
            time_ms,
            score: match mover {
                Color::Black => score,
                Color::White => score.map(|score| -score),
            },
        });
        Ok(None)
    }

    /// A vote for a move that is legal, but loses by perpetual check, which a team does not count. What repetition
    /// means is said before the next move.
    fn foul(&self, ballot: &Ballot) -> Option<Move> {
        let mut illegal = ballot
            .votes
            .iter()
            .filter(|vote| vote.arrival() == Arrival::Illegal);
        illegal.find_map(|vote| {
            let line = vote.line.as_ref()?;
            self.game.parse_move(&line.r#move).ok()
        })
    }

    /// A member that fails makes the game worthless: with a voice less, the side is another one.
    /// Illegal votes are noted; the others decide.
    fn judge_members(&mut self, side: Side, ballot: &Ballot) -> Result<(), Incident> {
        for vote in &ballot.votes {
            let name = vote
                .player
                .as_ref()
                .map_or("?", |player| player.name.as_str());
            let detail = format!("{name}: {}", vote.failure);
            match vote.arrival() {
                Arrival::Failed => return Err(self.incident(side, Cause::Crash, detail)),
                Arrival::Illegal | Arrival::DeclaredWin => {
                    self.incidents
                        .push(self.incident(side, Cause::IllegalMove, detail));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// No vote counts: illegal moves and missing ones cost the game.
    fn nobody_voted(&mut self, side: Side, ballot: &Ballot) -> Result<End, Incident> {
        let arrivals = || ballot.votes.iter().map(|vote| vote.arrival());
        let winner = Some(side.other());
        if arrivals().any(|arrival| matches!(arrival, Arrival::Illegal | Arrival::DeclaredWin)) {
            Ok((winner, Ending::IllegalMove))
        } else if arrivals().any(|arrival| arrival == Arrival::Late) {
            self.incidents
                .push(self.incident(side, Cause::TimeLoss, "no vote in time".to_owned()));
            Ok((winner, Ending::TimeLoss))
        } else if ballot.votes.is_empty() {
            Err(self.incident(side, Cause::Disconnect, "no players".to_owned()))
        } else {
            Ok((winner, Ending::Resignation))
        }
    }

    fn count(&mut self, side: Side, ballot: &Ballot, elapsed_ms: u64) {
        let effort = &mut self.effort[side.index()];
        effort.time_ms += elapsed_ms;
        let lines = ballot.votes.iter().filter_map(|vote| vote.line.as_ref());
        effort.nodes += lines.map(|line| line.nodes).sum::<u64>();
        let counted = ballot.votes.iter().filter(|vote| vote.counted);
        let moves: BTreeSet<&str> = counted
            .filter_map(|vote| vote.line.as_ref())
            .map(|line| line.r#move.as_str())
            .collect();
        if !moves.is_empty() {
            effort.moves += 1;
            effort.variety.note(moves.len() as u32);
        }
    }

    /// Notes a ballot as the log of a coordinator does, with the first moves of each line only:
    /// that is all that another rule needs.
    fn record(&mut self, mut ballot: Ballot) {
        for line in ballot
            .votes
            .iter_mut()
            .filter_map(|vote| vote.line.as_mut())
        {
            line.pv.truncate(LOGGED_MOVES);
        }
        if let Ok(logged) = LoggedBallot::of(&ballot, 0) {
            self.write(&LogLine::Ballot(Box::new(logged)));
        }
    }

    fn record_end(&mut self, (winner, ending): End) {
        let black = self.side_of(Color::Black);
        self.write(&LogLine::Result(schema::GameResult {
            version: schema::VERSION,
            game_id: self.plan.id.to_owned(),
            winner: match winner {
                None => Winner::Draw,
                Some(side) if side == black => Winner::Black,
                Some(_) => Winner::White,
            },
            reason: ending.name().to_owned(),
        }));
    }

    fn write(&mut self, line: &LogLine) {
        // Scores are integers, which JSON can always hold.
        if let Ok(line) = line.render() {
            self.ballots.push_str(&line);
        }
    }

    fn finish(mut self, end: End) -> Finished {
        if self.plan.ballots {
            self.record_end(end);
        }
        let (winner, ending) = end;
        let mut moves = match self.game.start() {
            "startpos" => "startpos".to_owned(),
            sfen => format!("sfen {sfen}"),
        };
        if !self.game.moves().is_empty() {
            moves.push_str(" moves");
        }
        for mv in self.game.moves() {
            moves.push(' ');
            moves.push_str(&Move::to_string(mv));
        }
        let played = PlayedGame {
            result: GameResult::won_by(winner),
            ending,
            opening_plies: self.opening_plies,
            moves,
            plies: self.game.moves().len() as u32,
            effort: self.effort,
            ballots: self.ballots,
            notes: Notes(self.notes),
        };
        (played, self.incidents)
    }
}

/// Moves of each member's line that are kept.
const LOGGED_MOVES: usize = 2;

/// Score of every mate in the records of games, a value of their format: more than any evaluation.
const MATE_SCORE: i32 = 31_000;

/// The middle one of the scores of the votes that count, from the side to move: one member alone
/// neither ends a game nor keeps it going.
fn median_score(ballot: &Ballot) -> Option<i32> {
    let counted = ballot.votes.iter().filter(|vote| vote.counted);
    let mut scores: Vec<i32> = counted
        .filter_map(|vote| match vote.line.as_ref()?.score.as_ref()?.value()? {
            Score::Cp(cp) => Some(cp),
            Score::Mate(plies) => Some(if plies > 0 { MATE_SCORE } else { -MATE_SCORE }),
        })
        .collect();
    scores.sort_unstable();
    scores.get(scores.len() / 2).copied()
}
