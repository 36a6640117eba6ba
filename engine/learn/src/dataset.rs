//! Training examples of files, split into a training set and a validation set.

use crate::{
    example::{TrainingExample, TrainingExampleError},
    files::{FileError, check_named_once, check_not_copied, read},
};
use monju_engine::{counted, fnv1a, random::spread};
use std::{fmt::Write as _, path::PathBuf};

/// One game of so many is held out for validation, chosen by its first position alone: a network that
/// starts from another one and learns from more files is validated on games that neither has seen.
const VALIDATION_SHARE: u64 = 50;

/// Returns true if the game that begins with this example belongs to the validation set.
fn is_validation(first: &TrainingExample) -> bool {
    let (words, _) = first.position.as_chunks();
    let hash = (words.iter()).fold(0, |hash, word| spread(hash ^ u64::from_le_bytes(*word)));
    hash.is_multiple_of(VALIDATION_SHARE)
}

/// Training examples in the form that one learner needs.
pub trait ExampleSet: Default {
    /// Adds an example unless it is not quiet, since a static evaluation cannot foresee how checks and
    /// captures end. Returns true if it was added.
    ///
    /// # Errors
    /// The position cannot be decoded.
    fn add(&mut self, example: &TrainingExample) -> Result<bool, TrainingExampleError>;

    /// Returns the number of examples.
    fn len(&self) -> usize;

    /// Returns true if there are no examples.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The examples of all files.
#[derive(Debug, Default)]
pub(crate) struct Dataset<S> {
    pub training: S,
    pub validation: S,
    /// Number of positions that are not quiet.
    pub not_quiet: u64,
    /// Files that mark no ends of games.
    pub without_games: Vec<PathBuf>,
    /// Number of positions read from each file, and the FNV-1a hash of their bytes.
    pub contents: Vec<(usize, u64)>,
}

/// Error of reading training data.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// An example cannot be decoded.
    #[error("in {}, position {position}", path.display())]
    Example {
        /// The file.
        path: PathBuf,
        /// Number of the position, counted from 1.
        position: usize,
        /// Reason.
        source: TrainingExampleError,
    },
    /// The training set (true) or the validation set is empty.
    #[error(
        "too few games: the first position of each decides whether it is one of about {VALIDATION_SHARE} that is held out, and none \
         would be {}; add games",
        if *.0 { "left to learn from" } else { "held out" }
    )]
    TooFew(bool),
}

/// Returns the lines of a recipe that name the files of a training and what was read from them.
pub(crate) fn data_in_recipe(paths: &[PathBuf], contents: &[(usize, u64)]) -> String {
    let files = paths.iter().zip(contents);
    files
        .map(|(path, (positions, hash))| {
            let path = path.display();
            format!("# {path}\ndata {hash:016x}, {positions} positions\n")
        })
        .collect()
}

/// Returns whether positions stand in their games, whose last ones are marked.
pub(crate) fn marks_games(examples: &[[u8; TrainingExample::SIZE]]) -> bool {
    let ends = examples
        .iter()
        .filter(|example| TrainingExample::is_last_of_bytes(example));
    let breaks = examples.windows(2).filter(|pair| {
        !TrainingExample::is_last_of_bytes(&pair[0]) && !follows(&pair[0], &pair[1])
    });
    // Shuffled positions follow each other by chance.
    let (ends, breaks) = (ends.count(), breaks.count());
    ends > 0 && breaks <= ends
}

/// Returns whether a position can come after another one of its game.
fn follows(earlier: &[u8; TrainingExample::SIZE], later: &[u8; TrainingExample::SIZE]) -> bool {
    TrainingExample::ply_of_bytes(earlier) < TrainingExample::ply_of_bytes(later)
}

impl<S: ExampleSet> Dataset<S> {
    /// Reads all files; `prepare` may change the examples of each game. An incomplete example at the
    /// end of a file that still grows is ignored.
    ///
    /// # Errors
    /// A file cannot be read, holds something else, or would count twice.
    pub fn read(
        paths: &[PathBuf],
        prepare: impl Fn(&mut [TrainingExample]),
    ) -> Result<Self, DatasetError> {
        check_named_once(paths)?;
        let mut data = Self::default();
        for path in paths {
            let bytes = read(path)?;
            let (examples, _) = bytes.as_chunks::<{ TrainingExample::SIZE }>();
            let hash = fnv1a(examples.as_flattened());
            data.contents.push((examples.len(), hash));
            check_not_copied(paths, &data.contents)?;
            // Other programs do not mark the ends of games, or shuffle positions; then every position is its own game.
            let has_games = marks_games(examples);
            if !has_games && !examples.is_empty() {
                data.without_games.push(path.clone());
            }
            let invalid = |index| {
                move |source| DatasetError::Example {
                    path: path.clone(),
                    position: index + 1,
                    source,
                }
            };
            let mut game: Vec<TrainingExample> = Vec::new();
            for (index, bytes) in examples.iter().enumerate() {
                let example = TrainingExample::from_bytes(bytes).map_err(invalid(index))?;
                let next = examples.get(index + 1);
                // A game that was cut short has no mark.
                let is_cut = next.is_some_and(|next| !follows(bytes, next));
                let is_last = example.is_last || is_cut || !has_games;
                game.push(example);
                if !is_last && index + 1 < examples.len() {
                    continue;
                }
                let set = match is_validation(&game[0]) {
                    true => &mut data.validation,
                    false => &mut data.training,
                };
                prepare(&mut game);
                let first = index + 1 - game.len();
                for (number, example) in game.drain(..).enumerate() {
                    let is_added = set.add(&example).map_err(invalid(first + number))?;
                    data.not_quiet += u64::from(!is_added);
                }
            }
        }
        Ok(data)
    }

    /// Describes the sizes of the sets.
    pub fn summary(&self) -> String {
        let mut summary = format!(
            "{} positions to learn from, {} to validate on; {} were not quiet",
            self.training.len(),
            self.validation.len(),
            self.not_quiet
        );
        if !self.without_games.is_empty() {
            let _ = write!(
                summary,
                "; {} shuffled or without ends of games, so that positions are held out whose neighbours are learned from, and losses \
                 on them promise too much",
                counted(self.without_games.len() as u64, "file")
            );
        }
        summary
    }

    /// Checks that neither set is empty.
    ///
    /// # Errors
    /// One of them is.
    pub fn check(&self) -> Result<(), DatasetError> {
        match (self.training.is_empty(), self.validation.is_empty()) {
            (false, false) => Ok(()),
            (is_training, _) => Err(DatasetError::TooFew(is_training)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::{Game, Position};
    use std::fs;

    /// Scores of the examples.
    #[derive(Default)]
    struct Scores(Vec<i16>);

    impl ExampleSet for Scores {
        fn add(&mut self, example: &TrainingExample) -> Result<bool, TrainingExampleError> {
            example.position()?;
            self.0.push(example.score);
            Ok(true)
        }

        fn len(&self) -> usize {
            self.0.len()
        }
    }

    /// Returns the first position after three moves whose game is a validation game, or is not.
    fn first(is_wanted: bool) -> TrainingExample {
        let mut game = Game::startpos();
        game.play("7g7f".parse().unwrap()).unwrap();
        let mut examples = game.legal_moves().into_iter().flat_map(|reply| {
            let mut after = game.clone();
            after.play(reply).unwrap();
            let moves = after.legal_moves();
            let third = move |mv| {
                let mut third = after.clone();
                third.play(mv).unwrap();
                example_of(third.position(), false)
            };
            moves.into_iter().map(third)
        });
        examples
            .find(|example| is_validation(example) == is_wanted)
            .expect("one of a thousand positions")
    }

    fn example_of(position: &Position, is_last: bool) -> TrainingExample {
        TrainingExample {
            position: position.to_packed().unwrap(),
            score: 0,
            best_move: "7g7f".parse().unwrap(),
            ply: 1,
            result: 0,
            is_last,
        }
    }

    #[test]
    fn games_are_prepared_whole_and_a_damaged_position_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.psv");
        // Games of 3 and 2 positions, the first one for validation, and an unfinished one.
        let start = |is_last| example_of(&Position::startpos(), is_last);
        let mut examples = [
            first(true),
            start(false),
            start(true),
            first(false),
            start(true),
            first(false),
        ];
        for (example, ply) in examples.iter_mut().zip([1, 2, 3, 1, 2, 1]) {
            example.ply = ply;
        }
        let mut bytes: Vec<u8> = examples
            .iter()
            .flat_map(TrainingExample::to_bytes)
            .collect();
        bytes.extend([0; 7]);
        fs::write(&path, &bytes).unwrap();
        let count = |game: &mut [TrainingExample]| {
            let count = game.len() as i16;
            game.iter_mut().for_each(|example| example.score = count);
        };
        let paths = [path];
        let data = Dataset::<Scores>::read(&paths, count).unwrap();
        assert_eq!(data.validation.0, [3, 3, 3]);
        assert_eq!(data.training.0, [2, 2, 1]);
        let whole = &bytes[..6 * TrainingExample::SIZE];
        assert_eq!(data.contents, [(6, fnv1a(whole))]);

        // The same positions under another name.
        let copy = folder.path().join("copy.psv");
        fs::write(&copy, whole).unwrap();
        let twice = [paths[0].clone(), copy];
        let error = Dataset::<Scores>::read(&twice, count).err().unwrap();
        let expected = format!("copy.psv holds the same as {}", paths[0].display());
        assert!(error.to_string().contains(&expected), "{error}");

        // The files of other programs, without ends of games.
        let mut foreign = bytes.clone();
        for example in foreign.as_chunks_mut::<{ TrainingExample::SIZE }>().0 {
            example[TrainingExample::SIZE - 1] = 0;
        }
        fs::write(&paths[0], &foreign).unwrap();
        let data = Dataset::<Scores>::read(&paths, count).unwrap();
        let single = examples.iter().filter(|first| is_validation(first)).count();
        assert_eq!(
            (data.validation.len(), data.training.len()),
            (single, 6 - single)
        );
        assert!(
            data.summary()
                .contains("; 1 file shuffled or without ends of games")
        );
        assert!(single >= 1 && data.validation.0.iter().all(|&length| length == 1));

        // Shuffled positions, with the marks of their games.
        let mut shuffled = bytes.clone();
        for (place, example) in (shuffled.as_chunks_mut::<{ TrainingExample::SIZE }>().0)
            .iter_mut()
            .enumerate()
        {
            example[36] = 9 - place as u8;
            example[TrainingExample::SIZE - 1] = u8::from(place == 4);
        }
        fs::write(&paths[0], &shuffled).unwrap();
        let data = Dataset::<Scores>::read(&paths, count).unwrap();
        assert_eq!(data.without_games, paths);
        assert!(data.validation.0.iter().all(|&length| length == 1));

        // A game that was cut short, and another one after it.
        let mut cut = bytes.clone();
        cut[3 * TrainingExample::SIZE - 1] = 0;
        fs::write(&paths[0], &cut).unwrap();
        let data = Dataset::<Scores>::read(&paths, count).unwrap();
        assert_eq!(
            (data.validation.0, data.training.0),
            (vec![3; 3], vec![2, 2, 1])
        );

        // Damage to the board of the fifth position.
        bytes[4 * TrainingExample::SIZE..][..32].fill(0xff);
        fs::write(&paths[0], &bytes).unwrap();
        let error = Dataset::<Scores>::read(&paths, count).err().unwrap();
        let error = error.to_string();
        assert!(error.contains("games.psv, position 5"), "{error}");
    }
}
