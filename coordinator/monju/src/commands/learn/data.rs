//! Samples from files, some of them held out to measure on.

use super::inputs::read_file;
use anyhow::{Context, bail};
use monju_coordinator::seed::{HASH_OF_NOTHING, hash_on, spread};
use monju_learn::{Sample, SampleError};
use std::path::PathBuf;

/// One of so many games is held out, whatever other games there are: a network that begins with another
/// one, and learns from more files, is still measured on games that neither has learned from.
const HELD_OUT: u64 = 50;

/// Whether the game that begins with this sample is held out.
fn is_held_out(sample: &Sample) -> bool {
    let (words, _) = sample.position.as_chunks();
    let hash = (words.iter()).fold(0, |hash, word| spread(hash ^ u64::from_le_bytes(*word)));
    hash.is_multiple_of(HELD_OUT)
}

/// The positions of all files, in sets as a learner wants them.
#[derive(Debug, Default)]
pub struct Data<S> {
    pub learned: S,
    pub held_out: S,
    /// Positions that are not quiet.
    pub left_out: u64,
    /// Of each file, what was read of it: so many positions, and the FNV-1a of their bytes.
    pub contents: Vec<(usize, u64)>,
}

/// Reads all files. What follows the last whole sample of a file that still grows is ignored.
/// `prepare` may change the samples of a game; `add` tells whether one was quiet, and so taken into
/// the set.
///
/// # Errors
/// A file cannot be read, or holds something else.
pub fn read<S: Default>(
    paths: &[PathBuf],
    prepare: impl Fn(&mut [Sample]),
    add: impl Fn(&mut S, &Sample) -> Result<bool, SampleError>,
) -> anyhow::Result<Data<S>> {
    let mut data = Data::default();
    for path in paths {
        let bytes = read_file(path)?;
        let (samples, _) = bytes.as_chunks::<{ Sample::SIZE }>();
        let hash = hash_on(HASH_OF_NOTHING, samples.as_flattened());
        data.contents.push((samples.len(), hash));
        // Other programs do not say where games end; to them every position is one by itself.
        let has_games = samples
            .iter()
            .any(|sample| sample[Sample::SIZE - 1] & 1 == 1);
        let place = |index: usize| format!("in {}, position {}", path.display(), index + 1);
        let mut game: Vec<Sample> = Vec::new();
        for (index, sample) in samples.iter().enumerate() {
            let sample = Sample::from_bytes(sample).with_context(|| place(index))?;
            let is_last = sample.is_last || !has_games;
            game.push(sample);
            if !is_last && index + 1 < samples.len() {
                continue;
            }
            let set = match is_held_out(&game[0]) {
                true => &mut data.held_out,
                false => &mut data.learned,
            };
            prepare(&mut game);
            let first = index + 1 - game.len();
            for (number, sample) in game.drain(..).enumerate() {
                let taken = add(set, &sample).with_context(|| place(first + number))?;
                data.left_out += u64::from(!taken);
            }
        }
    }
    Ok(data)
}

impl<S> Data<S> {
    /// Refuses data that cannot be learned from, and says how much there is.
    ///
    /// # Errors
    /// There is nothing to learn from, or nothing to validate on.
    pub fn check(&self, len: impl Fn(&S) -> usize) -> anyhow::Result<()> {
        let [learned, held_out] = [&self.learned, &self.held_out].map(len);
        eprintln!(
            "{learned} positions to learn from, {held_out} to validate on; {} were not quiet",
            self.left_out
        );
        if learned == 0 || held_out == 0 {
            bail!("too few positions: one game of {HELD_OUT} is held out");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::{Game, Position};
    use std::fs;

    /// The first position after three moves whose game is held out, or is not.
    fn first(is_wanted: bool) -> Sample {
        let mut game = Game::startpos();
        game.play("7g7f".parse().unwrap()).unwrap();
        let mut samples = game.legal_moves().into_iter().flat_map(|reply| {
            let mut after = game.clone();
            after.play(reply).unwrap();
            let moves = after.legal_moves();
            let third = move |mv| {
                let mut third = after.clone();
                third.play(mv).unwrap();
                sample_of(third.position(), false)
            };
            moves.into_iter().map(third)
        });
        samples
            .find(|sample| is_held_out(sample) == is_wanted)
            .expect("one of a thousand positions")
    }

    fn sample_of(position: &Position, is_last: bool) -> Sample {
        Sample {
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
        // Two games of 3 and 2 positions, the first to be held out, and one that is still being played.
        let start = |is_last| sample_of(&Position::startpos(), is_last);
        let samples = [
            first(true),
            start(false),
            start(true),
            first(false),
            start(true),
            first(false),
        ];
        let mut bytes: Vec<u8> = samples.iter().flat_map(Sample::to_bytes).collect();
        bytes.extend([0; 7]);
        fs::write(&path, &bytes).unwrap();
        let count = |game: &mut [Sample]| {
            let count = game.len() as i16;
            game.iter_mut().for_each(|sample| sample.score = count);
        };
        let add = |set: &mut Vec<i16>, sample: &Sample| {
            sample.position()?;
            set.push(sample.score);
            Ok(true)
        };
        let paths = [path];
        let data = read(&paths, count, add).unwrap();
        assert_eq!(data.held_out, [3, 3, 3]);
        assert_eq!(data.learned, [2, 2, 1]);
        let whole = &bytes[..6 * Sample::SIZE];
        assert_eq!(data.contents, [(6, hash_on(HASH_OF_NOTHING, whole))]);

        // As other programs write them, without ends of games.
        let mut foreign = bytes.clone();
        for sample in foreign.as_chunks_mut::<{ Sample::SIZE }>().0 {
            sample[Sample::SIZE - 1] = 0;
        }
        fs::write(&paths[0], &foreign).unwrap();
        let data = read(&paths, count, add).unwrap();
        let single = samples.iter().filter(|sample| is_held_out(sample)).count();
        assert_eq!(
            (data.held_out.len(), data.learned.len()),
            (single, 6 - single)
        );
        assert!(single >= 1 && data.held_out.iter().all(|&length| length == 1));

        // The board of the fifth position.
        bytes[4 * Sample::SIZE..][..32].fill(0xff);
        fs::write(&paths[0], &bytes).unwrap();
        let error = format!("{:#}", read(&paths, count, add).unwrap_err());
        assert!(error.contains("games.psv, position 5"), "{error}");
    }
}
