//! The referee: the board, the rules, the clocks and the score sheet of one game.

use super::plan::{Finished, GamePlan};
use crate::{
    clock::GameClocks,
    contestant::{ClockReading, TurnAnswer, time_limit},
    notes::{Note, Notes},
    record::{Cause, Effort, GameEnding, Incident, MatchOutcome, MatchSide, PlayedGame},
    specification::{CrashRule, DeclarationRule, Members, RepetitionRule, SideEnsemble},
};
use monju_coordinator::record::schema::{self, LogLine, LoggedBallot, Winner};
use monju_engine::{Answer, Color, Game, Move, Repetition};
use monju_proto::v1::{Arrival, Ballot, TieBreak, Vote};
use std::{collections::BTreeSet, time::Duration};

/// Time for the delivery of a team's decision after the end of the margin; it counts for neither side.
const DELIVERY: Duration = Duration::from_millis(100);

/// Moves of each member's line that are kept in ballots.
const LOGGED_MOVES: usize = 2;

/// Score of every mate in game records, a value of their format, and the greatest that an evaluation has there.
const MATE_SCORE: i32 = 31_000;

/// A move that loses on time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LateMove {
    /// Time beyond the limit and the margin; the margin itself for a move that never came.
    by: Duration,
    detail: String,
}

/// Winner of a game, `None` for a draw, and the reason for which it ended.
type GameEnd = (Option<MatchSide>, GameEnding);

/// The referee of one game.
pub(super) struct Referee<'a> {
    plan: &'a GamePlan<'a>,
    /// Ensembles of the first and of the second side.
    ensembles: &'a [SideEnsemble; 2],
    clocks: GameClocks,
    game: Game,
    opening_plies: u32,
    effort: [Effort; 2],
    ballots: String,
    incidents: Vec<Incident>,
    /// One note for every move after the opening.
    notes: Notes,
}

impl<'a> Referee<'a> {
    /// The referee at the beginning of a game.
    ///
    /// # Errors
    /// The opening is not a game.
    pub fn new(plan: &'a GamePlan<'a>, ensembles: &'a [SideEnsemble; 2]) -> Result<Self, Incident> {
        // Openings were checked when they were read.
        let game = Game::from_usi(plan.opening).map_err(|error| Incident {
            game: plan.number,
            cause: Cause::IllegalMove,
            side: MatchSide::First,
            detail: format!("opening: {error}"),
            stall: None,
        })?;
        Ok(Self {
            opening_plies: game.moves().len() as u32,
            game,
            plan,
            ensembles,
            clocks: GameClocks::new(ensembles.each_ref().map(|ensemble| ensemble.clock)),
            effort: [Effort::default(), Effort::default()],
            ballots: String::new(),
            incidents: Vec::new(),
            notes: Notes::default(),
        })
    }

    /// The game so far.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The clock of a side, if it has one.
    pub fn clock(&self, side: MatchSide) -> Option<ClockReading> {
        let black = self.side_of(Color::Black);
        Some(ClockReading {
            words: self.clocks.go_words(side, black)?,
            allowed: self.clocks.allowed(side)?,
        })
    }

    fn side_of(&self, color: Color) -> MatchSide {
        match (self.plan.number, color) {
            (0, Color::Black) | (1, Color::White) => MatchSide::First,
            _ => MatchSide::Second,
        }
    }

    /// The side to move.
    pub fn to_move(&self) -> MatchSide {
        self.side_of(self.game.position().side_to_move())
    }

    fn incident(&self, side: MatchSide, cause: Cause, detail: String) -> Incident {
        Incident {
            game: self.plan.number,
            cause,
            side,
            detail,
            stall: None,
        }
    }

    /// The incident of a move that loses on time, with the longest stall of the machine meanwhile.
    fn time_loss(&self, side: MatchSide, late: LateMove, stall: Duration) -> Incident {
        let stalled = match stall.as_millis() {
            0 => String::new(),
            stall => format!(", and the machine stalled for {stall} ms"),
        };
        let detail = format!("{}{stalled}", late.detail);
        Incident {
            stall: (stall > late.by).then_some(stall),
            ..self.incident(side, Cause::TimeLoss, detail)
        }
    }

    /// The end of the game by the rules, before the side to move is asked.
    pub fn by_rules(&self) -> Option<GameEnd> {
        let mover = self.to_move();
        if self.game.legal_moves().is_empty() {
            return Some((Some(mover.other()), GameEnding::Mate));
        }
        match (self.game.repetition(), self.plan.adjudication.repetition) {
            (Repetition::None, _) | (_, RepetitionRule::PlayOn) => {}
            (Repetition::PerpetualCheckBy(checker), RepetitionRule::Rules) => {
                let loser = self.side_of(checker);
                return Some((Some(loser.other()), GameEnding::PerpetualCheck));
            }
            (Repetition::Draw, _) | (_, RepetitionRule::Draw) => {
                return Some((None, GameEnding::Repetition));
            }
        }
        let plies = self.game.moves().len() as u32;
        (plies >= self.plan.adjudication.maximum_plies).then_some((None, GameEnding::MaximumPlies))
    }

    /// The end of the game by agreement of both sides on the winner.
    pub fn adjudicated(&self) -> Option<GameEnd> {
        let winner = self.notes.agreed_winner(&self.plan.adjudication)?;
        Some((Some(self.side_of(winner)), GameEnding::Adjudication))
    }

    /// Enters the answer of a side; returns the end of the game if it ends it.
    ///
    /// # Errors
    /// A member failed, or no decision came.
    pub fn hear(
        &mut self,
        side: MatchSide,
        answer: TurnAnswer,
    ) -> Result<Option<GameEnd>, Incident> {
        let TurnAnswer {
            ballot,
            elapsed,
            stall,
        } = answer;
        let (time_ms, mover) = (
            elapsed.as_millis() as u64,
            self.game.position().side_to_move(),
        );
        self.judge_members(side, &ballot)?;
        self.count(side, &ballot, time_ms);
        if self.plan.ballots {
            self.record(ballot.clone());
        }
        if let Some(late) = self.late_move(side, &ballot, elapsed) {
            self.incidents.push(self.time_loss(side, late, stall));
            return Ok(Some((Some(side.other()), GameEnding::TimeLoss)));
        }
        self.clocks.spend(side, elapsed);
        let Some(decision) = &ballot.decision else {
            return Err(self.incident(side, Cause::Disconnect, "no decision".to_owned()));
        };
        let decided = match decision.tie_break() == TieBreak::Fallback {
            false => decision.answer(&self.game),
            true => match self.uncounted_move(&ballot) {
                Some(mv) => Ok(Answer::Move(mv)),
                None => return self.without_votes(side, &ballot, stall).map(Some),
            },
        };
        let played = match decided {
            Ok(Answer::Resign) => {
                return Ok(Some((Some(side.other()), GameEnding::Resignation)));
            }
            Ok(Answer::Win) => {
                let winner = match self.plan.adjudication.declaration {
                    DeclarationRule::Win => Some(side),
                    DeclarationRule::Draw => None,
                };
                return Ok(Some((winner, GameEnding::Declaration)));
            }
            Ok(Answer::Move(mv)) => self.game.play(mv),
            Err(error) => Err(error),
        };
        if let Err(error) = played {
            self.incidents
                .push(self.incident(side, Cause::IllegalMove, error.to_string()));
            return Ok(Some((Some(side.other()), GameEnding::IllegalMove)));
        }
        let score = median_score(&ballot);
        self.notes.0.push(Note {
            time_ms,
            score: match mover {
                Color::Black => score,
                Color::White => score.map(|score| -score),
            },
        });
        Ok(None)
    }

    /// The end of the game where a crash loses it.
    ///
    /// # Errors
    /// The incident itself, where it leaves the game without a result.
    pub fn lost_by_crash(&mut self, incident: Incident) -> Result<GameEnd, Incident> {
        let side = incident.side;
        let rule = self.ensembles[side.index()].crash;
        if incident.cause != Cause::Crash || rule != CrashRule::Loss {
            return Err(incident);
        }
        self.incidents.push(incident);
        Ok((Some(side.other()), GameEnding::Crash))
    }

    /// Records errors that the engine of a side has reported; the game counts.
    pub fn note_errors(&mut self, side: MatchSide, errors: Vec<String>) {
        for error in errors {
            (self.incidents).push(self.incident(side, Cause::Reported, error));
        }
    }

    /// Returns a move that loses on time.
    fn late_move(&self, side: MatchSide, ballot: &Ballot, elapsed: Duration) -> Option<LateMove> {
        let ensemble = &self.ensembles[side.index()];
        let margin = ensemble.margin;
        let late = |limit: Duration, by: Duration| LateMove {
            by,
            detail: format!(
                "{} ms for a move of {} ms",
                elapsed.as_millis(),
                limit.as_millis()
            ),
        };
        if matches!(ensemble.members, Members::Engine(_)) {
            let limit = time_limit(ensemble, self.clocks.allowed(side))?;
            let by = elapsed.saturating_sub(limit + margin);
            return (!by.is_zero()).then(|| late(limit, by));
        }
        let limit = Duration::from_millis(ensemble.limits.time_ms?);
        let by = elapsed.saturating_sub(limit + margin + DELIVERY);
        if !by.is_zero() {
            return Some(late(limit, by));
        }
        // With a margin to name its move, a program is not held to a thought on the way.
        let is_missing =
            |vote: &Vote| matches!(vote.arrival(), Arrival::Provisional | Arrival::Late);
        let without_move = !ballot.votes.is_empty() && ballot.votes.iter().all(is_missing);
        (without_move && !margin.is_zero()).then(|| late(limit, margin))
    }

    /// A vote for a legal move that loses by perpetual check, which a team does not count. The rules of
    /// repetition apply to it before the next move.
    fn uncounted_move(&self, ballot: &Ballot) -> Option<Move> {
        let mut illegal = ballot
            .votes
            .iter()
            .filter(|vote| vote.arrival() == Arrival::Illegal);
        illegal.find_map(|vote| {
            let line = vote.line.as_ref()?;
            self.game.parse_move(&line.r#move).ok()
        })
    }

    /// Records illegal votes, without which the others decide. The failure of a member ends the game
    /// without a result, because the side would be another one without it.
    fn judge_members(&mut self, side: MatchSide, ballot: &Ballot) -> Result<(), Incident> {
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

    /// The end of the game when no vote counts: illegal and missing moves lose.
    fn without_votes(
        &mut self,
        side: MatchSide,
        ballot: &Ballot,
        stall: Duration,
    ) -> Result<GameEnd, Incident> {
        let arrivals = || ballot.votes.iter().map(|vote| vote.arrival());
        let winner = Some(side.other());
        if arrivals().any(|arrival| matches!(arrival, Arrival::Illegal | Arrival::DeclaredWin)) {
            Ok((winner, GameEnding::IllegalMove))
        } else if arrivals().any(|arrival| arrival == Arrival::Late) {
            let late = LateMove {
                by: self.ensembles[side.index()].margin,
                detail: "no vote in time".to_owned(),
            };
            self.incidents.push(self.time_loss(side, late, stall));
            Ok((winner, GameEnding::TimeLoss))
        } else if ballot.votes.is_empty() {
            Err(self.incident(side, Cause::Disconnect, "no players".to_owned()))
        } else {
            Ok((winner, GameEnding::Resignation))
        }
    }

    /// Adds the effort of one move.
    fn count(&mut self, side: MatchSide, ballot: &Ballot, elapsed_ms: u64) {
        let effort = &mut self.effort[side.index()];
        effort.time_ms += elapsed_ms;
        let lines = ballot.votes.iter().filter_map(|vote| vote.line.as_ref());
        effort.nodes += lines.map(|line| line.nodes).sum::<u64>();
        let decision = ballot.decision.as_ref();
        if decision.is_some_and(|decision| decision.book) {
            // Votes on the moves of a book say nothing about searches.
            return;
        }
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

    /// Writes a ballot in the form of a coordinator's log, with only the first moves of each line, which is
    /// all that another rule needs.
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

    fn record_end(&mut self, (winner, ending): GameEnd) {
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

    /// The finished game.
    pub fn finish(mut self, end: GameEnd) -> Finished {
        if self.plan.ballots {
            self.record_end(end);
        }
        let (winner, ending) = end;
        let played = PlayedGame {
            result: MatchOutcome::won_by(winner),
            ending,
            opening_plies: self.opening_plies,
            moves: self.game.to_usi(),
            plies: self.game.moves().len() as u32,
            effort: self.effort,
            ballots: self.ballots,
            notes: self.notes,
        };
        (played, self.incidents)
    }
}

/// Median score of the votes that count, from the side to move, so that a single one of three or more members neither
/// ends a game nor keeps it going; of an even number, the better for the side to move of the two in the middle.
fn median_score(ballot: &Ballot) -> Option<i32> {
    let counted = ballot.votes.iter().filter(|vote| vote.counted);
    let mut scores: Vec<i32> = counted
        .filter_map(|vote| vote.line.as_ref()?.score.as_ref()?.centipawns())
        .map(|score| score.clamp(-MATE_SCORE, MATE_SCORE))
        .collect();
    scores.sort_unstable();
    scores.get(scores.len() / 2).copied()
}
