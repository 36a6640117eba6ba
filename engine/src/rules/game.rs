use super::{
    excerpt::excerpt,
    move_list::MoveList,
    moves::{Move, MoveError},
    position::Position,
    repetition::{KeyHistoryEntry, Repetition, judge},
    sfen::SfenError,
};

/// Why a text is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// The start position.
    #[error(transparent)]
    Sfen(#[from] SfenError),
    /// A move of the history.
    #[error("move {ply}: {source}")]
    Move {
        /// Which move, counted from 1.
        ply: usize,
        /// What is wrong with it.
        source: MoveError,
    },
    /// Something else than `moves` after the start position.
    #[error("'{0}' after startpos, expected 'moves'")]
    Word(String),
}

/// A position with the moves that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    start: String,
    moves: Vec<Move>,
    position: Position,
    key_history: Vec<KeyHistoryEntry>,
}

impl Game {
    /// The even game, before the first move.
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
        }
    }

    /// Reads `startpos [moves …]`, `sfen <board side hands ply> [moves …]`, or either of these
    /// after the word `position`, or a bare SFEN. Every move must be legal.
    ///
    /// # Errors
    /// Says what is wrong with the start position, or which move is wrong and why.
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

    /// As [`Game::from_usi`], from the parts that the wire carries: `start` is `startpos` or SFEN.
    ///
    /// # Errors
    /// As [`Game::from_usi`].
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

    /// `startpos`, or the SFEN that the moves start from.
    pub fn start(&self) -> &str {
        &self.start
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position reached.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Every position from the start to the one reached, in order.
    pub(crate) fn key_history(&self) -> &[KeyHistoryEntry] {
        &self.key_history
    }

    /// Plays a move.
    ///
    /// # Errors
    /// Refuses an illegal move and changes nothing.
    pub fn play(&mut self, mv: Move) -> Result<(), MoveError> {
        if !self.position.is_legal(mv) {
            return Err(MoveError::Illegal(mv));
        }
        self.position.make(mv);
        self.moves.push(mv);
        self.key_history.push(KeyHistoryEntry::of(&self.position));
        Ok(())
    }

    /// Parses a move and checks that it is legal here.
    ///
    /// # Errors
    /// The text is no move, or the move is not legal.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let mv: Move = text.parse()?;
        if self.position.is_legal(mv) {
            Ok(mv)
        } else {
            Err(MoveError::Illegal(mv))
        }
    }

    /// Whether a move is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.position.is_legal(mv)
    }

    /// All legal moves, in a fixed order.
    pub fn legal_moves(&self) -> Vec<Move> {
        MoveList::legal(&self.position).to_vec()
    }

    /// Whether the side to move may declare a win now (27-point rule).
    pub fn can_declare_win(&self) -> bool {
        self.position.can_declare_win()
    }

    /// What repetition says about the position reached.
    pub fn repetition(&self) -> Repetition {
        judge(&self.key_history)
    }
}
