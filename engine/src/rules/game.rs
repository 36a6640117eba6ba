use super::{
    color::Color,
    declaration::EnteringKingRule,
    excerpt::excerpt,
    move_list::MoveList,
    moves::{Move, MoveError},
    piece::PieceKind,
    position::Position,
    repetition::{KeyHistoryEntry, Repetition, judge},
    sfen::SfenError,
};
use crate::names::UnknownName;
use std::num::NonZeroU32;

/// Error of a text that is not a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// The start position is invalid.
    #[error(transparent)]
    Sfen(#[from] SfenError),
    /// A move of the history is invalid.
    #[error("move {ply}: {source}")]
    Move {
        /// Number of the move, counted from 1.
        ply: usize,
        /// Error of the move.
        source: MoveError,
    },
    /// A word other than `moves` follows the start position.
    #[error("'{0}' after startpos, expected 'moves'")]
    Word(String),
    /// A rule is unknown.
    #[error(transparent)]
    Rule(#[from] UnknownName),
}

/// A game: a start position and the moves played, with the position reached.
///
/// ```
/// use monju_engine::{Color, Game, Repetition};
/// let mut game = Game::startpos();
/// let mv = game.parse_move("7g7f")?;
/// game.play(mv)?;
/// assert_eq!(game.position().side_to_move(), Color::White);
/// assert_eq!(game.legal_moves().len(), 30);
/// assert_eq!(game.repetition(), Repetition::None);
/// # Ok::<(), monju_engine::MoveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    start: String,
    moves: Vec<Move>,
    position: Position,
    key_history: Vec<KeyHistoryEntry>,
    rules: GameRules,
}

/// The rules in which games differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameRules {
    /// The rule by which a king that has entered the opponent's camp wins.
    pub entering_king: EnteringKingRule,
    /// Number of plies after which a game is drawn, unless the last one mates.
    pub maximum_plies: Option<NonZeroU32>,
    /// Worth of a draw to Black and to White, in centipawns: 0, unless the result of a match asks for more.
    pub draw_values: [i32; 2],
}

impl GameRules {
    /// Returns the rules with a draw that is worth to the opponent what it costs `us`: a search from the opponent's
    /// position takes the worth of draws from the opponent, and they are to be those of the searches after it.
    #[must_use]
    pub fn with_draws_of(mut self, us: Color) -> Self {
        self.draw_values[(!us).index()] = self.draw_values[us.index()].saturating_neg();
        self
    }
}

impl Game {
    /// Returns an even game before its first move.
    pub fn startpos() -> Self {
        Self::from_position("startpos".to_owned(), Position::startpos())
    }

    fn from_position(start: String, position: Position) -> Self {
        let key_history = vec![KeyHistoryEntry::of(&position)];
        Self {
            start,
            moves: Vec::new(),
            position,
            key_history,
            rules: GameRules::default(),
        }
    }

    /// Returns the game under these rules.
    #[must_use]
    pub fn with_rules(self, rules: GameRules) -> Self {
        Self { rules, ..self }
    }

    /// Returns the rules of the game.
    pub fn rules(&self) -> GameRules {
        self.rules
    }

    /// Reads `startpos [moves …]`, `sfen <board side hands ply> [moves …]`, or either of these
    /// after the word `position`, or a bare SFEN. Every move must be legal.
    ///
    /// # Errors
    /// The start position is invalid, or a move is.
    ///
    /// ```
    /// use monju_engine::Game;
    /// let game = Game::from_usi("startpos moves 7g7f 3c3d")?;
    /// assert_eq!(game.moves().len(), 2);
    /// assert!(Game::from_usi("startpos moves 7g7e").is_err());
    /// # Ok::<(), monju_engine::GameError>(())
    /// ```
    pub fn from_usi(text: &str) -> Result<Self, GameError> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if words.first() == Some(&"position") {
            words.remove(0);
        }
        if words.first() == Some(&"sfen") {
            words.remove(0);
        }
        let split = words.iter().position(|&word| word == "moves");
        let (start, moves) = match split {
            Some(at) => (&words[..at], &words[at + 1..]),
            None => (&words[..], &[][..]),
        };
        if let ["startpos", word, ..] = start[..] {
            return Err(GameError::Word(excerpt(word)));
        }
        Self::from_parts(&start.join(" "), moves)
    }

    /// Reads a game from separate parts; `start` is `startpos` or SFEN.
    ///
    /// # Errors
    /// The same as those of [`Game::from_usi`].
    pub fn from_parts<S: AsRef<str>>(start: &str, moves: &[S]) -> Result<Self, GameError> {
        let mut game = if start == "startpos" {
            Self::startpos()
        } else {
            let position = Position::from_sfen(start)?;
            Self::from_position(position.to_string(), position)
        };
        for (index, text) in moves.iter().enumerate() {
            game.parse_move(text.as_ref())
                .and_then(|mv| game.play(mv))
                .map_err(|source| GameError::Move {
                    ply: index + 1,
                    source,
                })?;
        }
        Ok(game)
    }

    /// Returns the start position: `startpos` or SFEN.
    pub fn start(&self) -> &str {
        &self.start
    }

    /// Returns the moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns the moves so far as USI text.
    ///
    /// ```
    /// use monju_engine::Game;
    /// let game = Game::from_usi("startpos moves 7g7f 3c3d")?;
    /// assert_eq!(game.usi_moves(), ["7g7f", "3c3d"]);
    /// # Ok::<(), monju_engine::GameError>(())
    /// ```
    pub fn usi_moves(&self) -> Vec<String> {
        self.moves.iter().map(Move::to_string).collect()
    }

    /// Returns the game as USI text: `startpos` or `sfen …`, then `moves …` if there are moves. The
    /// text is that of a USI `position` command without its first word.
    ///
    /// ```
    /// use monju_engine::Game;
    /// let text = "startpos moves 7g7f 3c3d";
    /// assert_eq!(Game::from_usi(text)?.to_usi(), text);
    /// # Ok::<(), monju_engine::GameError>(())
    /// ```
    pub fn to_usi(&self) -> String {
        let mut text = match self.start.as_str() {
            "startpos" => "startpos".to_owned(),
            sfen => format!("sfen {sfen}"),
        };
        if !self.moves.is_empty() {
            text.push_str(" moves ");
            text.push_str(&self.usi_moves().join(" "));
        }
        text
    }

    /// Tells whether this is a handicap game: White, who begins it, has laid aside some of its pieces.
    ///
    /// ```
    /// use monju_engine::Game;
    /// let without_lance = "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    /// assert!(Game::from_usi(without_lance)?.is_handicap());
    /// assert!(!Game::startpos().is_handicap());
    /// # Ok::<(), monju_engine::GameError>(())
    /// ```
    pub fn is_handicap(&self) -> bool {
        let Ok(start) = Position::from_sfen(&self.start) else {
            return false;
        };
        let even = Position::startpos();
        let has_all = |color, kind| start.pieces(color, kind) == even.pieces(color, kind);
        let has_no_other = |kind| {
            let own = start.pieces(Color::White, kind);
            own & even.pieces(Color::White, kind) == own
        };
        start.side_to_move() == Color::White
            && Color::ALL
                .iter()
                .all(|&color| start.hand(color) == even.hand(color))
            && PieceKind::ALL
                .iter()
                .all(|&kind| has_all(Color::Black, kind) && has_no_other(kind))
            && !PieceKind::ALL
                .iter()
                .all(|&kind| has_all(Color::White, kind))
    }

    /// Returns the position reached.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the key history: every position from the start to the one reached.
    pub(crate) fn key_history(&self) -> &[KeyHistoryEntry] {
        &self.key_history
    }

    /// Plays a move.
    ///
    /// # Errors
    /// The move is illegal; the game stays unchanged.
    pub fn play(&mut self, mv: Move) -> Result<(), MoveError> {
        if !self.position.is_legal(mv) {
            return Err(MoveError::Illegal(mv));
        }
        self.position.make(mv);
        self.moves.push(mv);
        self.key_history.push(KeyHistoryEntry::of(&self.position));
        Ok(())
    }

    /// Parses a move and checks that it is legal in the position reached.
    ///
    /// # Errors
    /// The text is not a move, or the move is illegal.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let mv: Move = text.parse()?;
        if self.position.is_legal(mv) {
            Ok(mv)
        } else {
            Err(MoveError::Illegal(mv))
        }
    }

    /// Tells whether a move is legal in the position reached.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.position.is_legal(mv)
    }

    /// Returns all legal moves, in a fixed order.
    pub fn legal_moves(&self) -> Vec<Move> {
        MoveList::legal(&self.position).to_vec()
    }

    /// Tells whether the side to move may declare a win now.
    pub fn can_declare_win(&self) -> bool {
        self.position.can_declare_win(self.rules.entering_king)
    }

    /// Returns the move by which the king of the side to move wins now, under the try rule.
    pub fn winning_try(&self) -> Option<Move> {
        self.position.winning_try(self.rules.entering_king)
    }

    /// Judges the position reached by the repetition rule.
    pub fn repetition(&self) -> Repetition {
        judge(&self.key_history)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_written_with_their_history() {
        for text in [
            "startpos",
            "startpos moves 7g7f 3c3d",
            "sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1",
            "sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves P*5e",
        ] {
            let game = Game::from_usi(text).expect("a game");
            assert_eq!(game.to_usi(), text);
            assert_eq!(Game::from_usi(&game.to_usi()), Ok(game));
        }
    }
}
