//! The one place that converts between messages and the engine's types.

use crate::v1::{self, score::Kind};
use monju_engine::{
    Answer, Bound, Candidate, EnteringKingRule, Game, GameError, GameRules, Limits, Line, Move,
    MoveError, Outcome, Score, rules::MOST_LEGAL_MOVES,
};
use std::{num::NonZeroU32, time::Duration};

/// Length in plies that stands for the unknown length of a mate, and for longer ones.
pub const UNKNOWN_LENGTH: i32 = 1_000;

/// Returns a duration in whole milliseconds, at most the largest number.
pub fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// As [`milliseconds`], for the shorter fields of messages.
pub fn short_milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

/// Greatest number of moves of a question: the longest games have a few hundred.
pub const MOST_MOVES: usize = 4_096;

/// Greatest weight of a vote: sums of weights stay finite, and exact enough to be compared.
pub const GREATEST_WEIGHT: f64 = 1e6;

/// Greatest number of players of one worker.
pub const MOST_PLAYERS: u32 = 1_000;

// A coordinator quarantines a player that says more than the next three, so a worker passes on no more of what an
// engine says.

/// Greatest depth of a search. Engines use high numbers for a mate that they have found.
pub const GREATEST_DEPTH: u32 = 1_000_000;

/// Greatest number of nodes or milliseconds of a search, which JSON still carries.
pub const GREATEST_NUMBER: u64 = 1 << 53;

/// Greatest length of a variation, in moves.
pub const LONGEST_VARIATION: usize = 1_024;

/// Greatest length of the start of a question, in bytes.
const LONGEST_START: usize = 512;

/// Reason why a question is not read.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    /// More moves than any game has.
    #[error("the position has {0} moves; at most {MOST_MOVES} are allowed")]
    Moves(usize),
    /// A start that is longer than any SFEN.
    #[error("the start of the position has {0} bytes; at most {LONGEST_START} are allowed")]
    Start(usize),
    /// It is no game.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The process is ending.
    #[error("the position was not read, because the process ends")]
    Ending,
}

/// Number of moves that are read at once: a tenth of a millisecond, less than the way to another thread.
const FEW_MOVES: usize = 512;

/// Reads the position of a question, a long one on a thread where that keeps nobody waiting.
///
/// # Errors
/// It is too long, or no game.
pub async fn read_question(position: v1::Position) -> Result<Game, QuestionError> {
    if position.moves.len() <= FEW_MOVES {
        return read_question_at_once(&position);
    }
    check_length(&position)?;
    let read = tokio::task::spawn_blocking(move || Game::try_from(&position)).await;
    Ok(read.map_err(|_| QuestionError::Ending)??)
}

/// Reads the position of a question at once.
///
/// # Errors
/// It is too long, or no game.
pub fn read_question_at_once(position: &v1::Position) -> Result<Game, QuestionError> {
    check_length(position)?;
    Ok(Game::try_from(position)?)
}

/// Reads the moves that a question chooses among: the legal ones, each once.
pub fn read_search_moves(game: &Game, texts: &[String]) -> Vec<Move> {
    let texts = &texts[..texts.len().min(MOST_LEGAL_MOVES)];
    let mut moves = game.legal_moves();
    moves.retain(|mv| texts.contains(&mv.to_string()));
    moves
}

fn check_length(position: &v1::Position) -> Result<(), QuestionError> {
    let (moves, start) = (position.moves.len(), position.start.len());
    if moves > MOST_MOVES {
        return Err(QuestionError::Moves(moves));
    }
    if start > LONGEST_START {
        return Err(QuestionError::Start(start));
    }
    Ok(())
}

impl From<&Game> for v1::Position {
    fn from(game: &Game) -> Self {
        let [draw_value_black, draw_value_white] = game.rules().draw_values;
        Self {
            draw_value_black,
            draw_value_white,
            start: game.start().to_owned(),
            moves: game.usi_moves(),
            entering_king_rule: match game.rules().entering_king {
                EnteringKingRule::CSARule27 => String::new(),
                rule => rule.to_string(),
            },
            maximum_plies: game.rules().maximum_plies.map_or(0, NonZeroU32::get),
        }
    }
}

impl TryFrom<&v1::Position> for Game {
    type Error = GameError;

    fn try_from(position: &v1::Position) -> Result<Self, GameError> {
        let rule = Some(&position.entering_king_rule).filter(|name| !name.is_empty());
        let rules = GameRules {
            entering_king: rule
                .map(|name| name.parse())
                .transpose()?
                .unwrap_or_default(),
            maximum_plies: NonZeroU32::new(position.maximum_plies),
            draw_values: [position.draw_value_black, position.draw_value_white],
        };
        Ok(Self::from_parts(&position.start, &position.moves)?.with_rules(rules))
    }
}

/// The limits that a search obeys: nodes, depth and time. The game's clock is the coordinator's business,
/// so it is left out. A limit of 0 becomes 1, since every vote needs some thought.
impl From<&v1::Limits> for Limits {
    fn from(limits: &v1::Limits) -> Self {
        let v1::Limits {
            nodes,
            depth,
            time_ms,
            clock: _,
            ponder: _,
            multi_pv,
        } = *limits;
        Self {
            nodes: nodes.map(|nodes| nodes.max(1)),
            depth: depth.map(|depth| depth.max(1)),
            time: time_ms.map(|time_ms| Duration::from_millis(time_ms.max(1))),
            multi_pv,
            ..Self::default()
        }
    }
}

impl From<&Limits> for v1::Limits {
    fn from(limits: &Limits) -> Self {
        Self {
            nodes: limits.nodes,
            depth: limits.depth,
            time_ms: limits.time.map(milliseconds),
            clock: None,
            ponder: false,
            multi_pv: limits.multi_pv,
        }
    }
}

impl From<Bound> for v1::Bound {
    fn from(bound: Bound) -> Self {
        match bound {
            Bound::Exact => Self::Exact,
            Bound::Lower => Self::Lower,
            Bound::Upper => Self::Upper,
        }
    }
}

/// An exact score, which ranks against others of its scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankedScore {
    /// A value in the engine's own centipawns.
    Centipawns(i32),
    /// The side to move mates in so many plies.
    Mates(i32),
    /// The side to move is mated in so many plies.
    Mated(i32),
}

impl v1::Score {
    /// The message of a score with its bound.
    pub fn new(score: Score, bound: Bound) -> Self {
        let kind = match score {
            Score::Cp(cp) => Kind::Cp(cp),
            Score::Mate(plies) => Kind::Mate(plies),
        };
        Self {
            kind: Some(kind),
            bound: v1::Bound::from(bound).into(),
        }
    }

    /// Returns the value as the engine has it, whatever its bound; a mate of unknown length counts as one
    /// in 1000 plies. `None` without a value.
    pub fn value(&self) -> Option<Score> {
        Some(match self.kind? {
            Kind::Cp(cp) => Score::Cp(cp),
            Kind::Mate(plies) => Score::Mate(plies),
            Kind::MateOfUnknownLength(true) => Score::Mate(UNKNOWN_LENGTH),
            Kind::MateOfUnknownLength(false) => Score::Mate(-UNKNOWN_LENGTH),
        })
    }

    /// Returns the value as one number, whatever its bound: centipawns, where mates count as
    /// [`Score::to_centipawns`] says.
    pub fn centipawns(&self) -> Option<i32> {
        self.value().map(Score::to_centipawns)
    }

    /// Returns the score for a comparison with others; `None` for bounds, which do not rank.
    pub fn ranked(&self) -> Option<RankedScore> {
        let plies = |plies: i32| plies.saturating_abs().min(UNKNOWN_LENGTH);
        Some(match self.value().filter(|_| self.is_exact())? {
            Score::Cp(cp) => RankedScore::Centipawns(cp),
            Score::Mate(length) if length > 0 => RankedScore::Mates(plies(length)),
            Score::Mate(length) => RankedScore::Mated(plies(length)),
        })
    }

    /// Returns true when the score is the value itself rather than a bound of it.
    pub fn is_exact(&self) -> bool {
        !matches!(self.bound(), v1::Bound::Lower | v1::Bound::Upper)
    }
}

fn texts(moves: &[Move]) -> Vec<String> {
    moves.iter().map(Move::to_string).collect()
}

impl From<&Candidate> for v1::Candidate {
    fn from(candidate: &Candidate) -> Self {
        Self {
            r#move: candidate.mv.to_string(),
            score: Some(v1::Score::new(candidate.score, candidate.bound)),
            pv: texts(&candidate.pv),
        }
    }
}

impl From<&Line> for v1::Line {
    fn from(line: &Line) -> Self {
        let pv = texts(&line.pv);
        Self {
            r#move: pv.first().cloned().unwrap_or_default(),
            score: Some(v1::Score::new(line.score, line.bound)),
            depth: line.depth,
            selective_depth: line.selective_depth,
            nodes: line.nodes,
            time_ms: milliseconds(line.time),
            pv,
            candidates: line.candidates.iter().map(v1::Candidate::from).collect(),
            lanes: line.lanes.iter().map(v1::Candidate::from).collect(),
            hash_full: line.hash_full,
        }
    }
}

impl From<&Outcome> for v1::Line {
    fn from(outcome: &Outcome) -> Self {
        Self {
            r#move: outcome.answer.to_string(),
            ..Self::from(&outcome.line)
        }
    }
}

impl v1::Line {
    /// Returns the move that the line stands for: its own, or else the first of its variation. Empty
    /// without either.
    pub fn chosen(&self) -> &str {
        match self.pv.first() {
            Some(first) if self.r#move.is_empty() => first,
            _ => &self.r#move,
        }
    }
}

impl v1::Vote {
    /// Returns the move that the vote stands for; empty without a line.
    pub fn chosen(&self) -> &str {
        self.line.as_ref().map_or("", v1::Line::chosen)
    }
}

impl v1::Decision {
    /// Reads the decision in the position that it is about.
    ///
    /// # Errors
    /// The rules do not allow it.
    pub fn answer(&self, game: &Game) -> Result<Answer, MoveError> {
        Answer::parse_allowed(game, &self.r#move)
    }

    /// Returns true for a decision to resign.
    pub fn resigns(&self) -> bool {
        self.r#move == Answer::RESIGN
    }

    /// Returns true for a decision to declare a win.
    pub fn declares_win(&self) -> bool {
        self.r#move == Answer::WIN
    }

    /// Returns true for a decision that ends the game, by resignation or declaration.
    pub fn ends_game(&self) -> bool {
        self.resigns() || self.declares_win()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_back_and_errors_are_kept() {
        let text = "sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves P*5e";
        let game = Game::from_usi(text).expect("a game");
        let position = v1::Position::from(&game);
        assert_eq!(position.moves, ["P*5e"]);
        assert_eq!(Game::try_from(&position), Ok(game));
        let rules = GameRules {
            entering_king: EnteringKingRule::TryRule,
            maximum_plies: NonZeroU32::new(256),
            draw_values: [-20, 10],
        };
        let ruled = Game::startpos().with_rules(rules);
        let position = v1::Position::from(&ruled);
        assert_eq!(Game::try_from(&position), Ok(ruled));
        let unknown = v1::Position {
            entering_king_rule: "Rule28".to_owned(),
            ..position
        };
        let error = Game::try_from(&unknown).expect_err("an unknown rule");
        assert!(error.to_string().contains("CSARule27H"), "{error}");
        let illegal = v1::Position {
            start: "startpos".to_owned(),
            moves: vec!["7g7f".to_owned(), "7g7f".to_owned()],
            ..v1::Position::default()
        };
        let error = Game::try_from(&illegal).expect_err("an illegal move");
        assert!(error.to_string().contains('2'), "{error}");
    }

    #[tokio::test]
    async fn a_question_that_is_longer_than_any_game_is_refused_unread() {
        let there = ["5i5h", "5a5b", "5h5i", "5b5a"];
        let question = |moves: usize| v1::Position {
            start: "startpos".to_owned(),
            moves: there
                .iter()
                .cycle()
                .take(moves)
                .map(|mv| (*mv).to_owned())
                .collect(),
            ..v1::Position::default()
        };
        let game = read_question(question(MOST_MOVES)).await.expect("a game");
        assert_eq!(game.moves().len(), MOST_MOVES);
        let refused = read_question(question(MOST_MOVES + 1)).await;
        let refused = refused.expect_err("too long").to_string();
        assert!(refused.contains("4097 moves"), "{refused}");
        let start = v1::Position {
            start: "9/".repeat(1_000),
            moves: Vec::new(),
            ..v1::Position::default()
        };
        let refused = read_question(start)
            .await
            .expect_err("too long")
            .to_string();
        assert!(refused.contains("2000 bytes"), "{refused}");
    }

    #[test]
    fn the_clock_is_not_a_limit_and_zero_is_one() {
        let limits = Limits::from(&v1::Limits {
            nodes: Some(0),
            time_ms: Some(0),
            clock: Some(v1::Clock::default()),
            ..v1::Limits::default()
        });
        assert_eq!(limits.nodes, Some(1));
        assert_eq!(limits.depth, None);
        assert_eq!(limits.time, Some(Duration::from_millis(1)));
        assert_eq!(v1::Limits::from(&limits).time_ms, Some(1));
    }

    #[test]
    fn scores_keep_their_values_and_bounds() {
        for (score, bound) in [
            (Score::Cp(-31), Bound::Exact),
            (Score::Mate(3), Bound::Lower),
            (Score::Mate(0), Bound::Upper),
        ] {
            let message = v1::Score::new(score, bound);
            assert_eq!(message.value(), Some(score));
            assert_eq!(message.is_exact(), bound == Bound::Exact);
        }
        let mated = v1::Score {
            kind: Some(Kind::MateOfUnknownLength(false)),
            ..v1::Score::default()
        };
        assert_eq!(mated.value(), Some(Score::Mate(-1_000)));
        assert_eq!(v1::Score::default().value(), None);
    }

    #[test]
    fn a_line_stands_for_its_move_or_the_first_of_its_variation() {
        let mut line = v1::Line {
            pv: vec!["7g7f".to_owned(), "3c3d".to_owned()],
            ..v1::Line::default()
        };
        assert_eq!(line.chosen(), "7g7f");
        line.r#move = "2g2f".to_owned();
        assert_eq!(line.chosen(), "2g2f");
        assert_eq!(v1::Line::default().chosen(), "");
        assert_eq!(v1::Vote::default().chosen(), "");
    }

    #[test]
    fn durations_too_long_for_a_field_are_its_largest_number() {
        assert_eq!(milliseconds(Duration::from_micros(1_999)), 1);
        assert_eq!(milliseconds(Duration::MAX), u64::MAX);
        assert_eq!(short_milliseconds(Duration::MAX), u32::MAX);
    }
}
