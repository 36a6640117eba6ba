//! Values of arguments that several commands have.

use clap::{
    Arg, Command,
    builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser},
    error::ErrorKind,
};
use monju_coordinator::roster::{self, AddressError};
use monju_engine::{
    Game, Model, PlayerError, PlayerSettings, counted,
    eval::{Noise, NoiseError, Sigma, SigmaError},
    search::MAX_TABLE_MIB,
};
use monju_experiment::store::Address;
use monju_proto::{
    certificates::{self, CertificatesError, LastDay, NotADay, SHARED},
    convert::MOST_PLAYERS,
};
use monju_records::{CommentedGame, ReadGameError};
use monju_team::config::{NameError, check_name, is_listen_address};
use std::{
    error::Error, ffi::OsStr, num::ParseIntError, ops::RangeInclusive, path::Path, str::FromStr,
    time::SystemTime,
};
use strum::VariantNames;

/// Numbers of native players that one process hosts.
pub const PLAYERS: RangeInclusive<i64> = 1..=MOST_PLAYERS as i64;

/// Numbers of threads of one player.
pub const THREADS: RangeInclusive<i64> = 1..=PlayerSettings::MAX_THREADS as i64;

/// Parser of the size of a transposition table, in MiB.
pub fn table_mib<T>() -> RangedU64ValueParser<T>
where
    T: TryFrom<u64, Error: Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    RangedU64ValueParser::new().range(1..=MAX_TABLE_MIB as u64)
}

/// Parser of the address of a store. An error does not repeat what was typed, which may hold a password.
#[derive(Clone, Copy, Debug)]
pub struct StoreAddress;

impl TypedValueParser for StoreAddress {
    type Value = Address;

    fn parse_ref(
        &self,
        _: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Address, clap::Error> {
        let text = value.to_str().unwrap_or_default();
        let address = text.parse::<Address>();
        address.map_err(|error| no_sense(format!("--store: {error}")))
    }
}

/// Error of the value of an argument.
#[derive(Debug, thiserror::Error)]
pub enum ValueError {
    /// The text is no day.
    #[error(transparent)]
    NotADay(#[from] NotADay),
    /// The last day of certificates is over.
    #[error("that day is past; give a later one")]
    PastDay,
    /// The text cannot be the name of one member.
    #[error("expected a role with a name, such as worker-pc5")]
    NotAMember,
    /// The text is no standard deviation.
    #[error(transparent)]
    NotASigma(#[from] SigmaError),
    /// The standard deviation is out of range.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The text has no host or no port.
    #[error("expected HOST:PORT, such as 127.0.0.1:7411")]
    NoListenAddress,
    /// The number of games is odd, 0 or no number.
    #[error("expected an even number above 0: every opening is played with both colours")]
    NotEven,
    /// The text is no whole number.
    #[error("not a number")]
    NotANumber(#[from] ParseIntError),
    /// The number is not positive, or no number.
    #[error("expected a number above 0")]
    NotPositive,
    /// The number of lanes or threads is out of range.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The text has no '='.
    #[error("expected NAME=VALUE")]
    NoAssignment,
}

/// Parses the name of a value of an enumeration.
pub fn named<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantNames + FromStr<Err: Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS).try_map(|name| name.parse())
}

/// Parses the last day of certificates that are made now.
pub fn last_day(text: &str) -> Result<LastDay, ValueError> {
    let day: LastDay = text.parse()?;
    match day.is_over(SystemTime::now()) {
        true => Err(ValueError::PastDay),
        false => Ok(day),
    }
}

/// Parses the name of a member to add to a team with roles.
pub fn new_member(text: &str) -> Result<String, ValueError> {
    match certificates::check_name(text) {
        Ok(()) => Ok(text.to_owned()),
        Err(_) => Err(ValueError::NotAMember),
    }
}

/// Parses the name of a member of a team, or that of all members that share a folder.
pub fn member(text: &str) -> Result<String, CertificatesError> {
    match text == SHARED {
        true => Ok(text.to_owned()),
        false => certificates::check_name(text).map(|()| text.to_owned()),
    }
}

/// Parses the standard deviation of noise.
pub fn sigma(text: &str) -> Result<Sigma, ValueError> {
    let sigma: Sigma = text.parse()?;
    // The exact value of a share depends on the evaluator, which is not loaded yet.
    let given = sigma.in_centipawns(&Model::material());
    Noise::check(given)?;
    Ok(sigma)
}

/// Parses the URL of a worker or coordinator.
pub fn url(text: &str) -> Result<String, AddressError> {
    roster::address(text).map(|_| text.to_owned())
}

/// Parses the place that a service listens at.
pub fn listen(text: &str) -> Result<String, ValueError> {
    match is_listen_address(text) {
        true => Ok(text.to_owned()),
        false => Err(ValueError::NoListenAddress),
    }
}

/// Parses the name of a worker.
pub fn name(text: &str) -> Result<String, NameError> {
    check_name(text).map(|()| text.to_owned())
}

/// Parses a number of games, of which every opening has two.
pub fn even(text: &str) -> Result<u32, ValueError> {
    match text.parse::<u32>() {
        Ok(games) if games > 0 && games % 2 == 0 => Ok(games),
        _ => Err(ValueError::NotEven),
    }
}

/// Parses a finite number above 0.
pub fn positive(text: &str) -> Result<f64, ValueError> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err(ValueError::NotPositive),
    }
}

/// Reads the words of a position; without any it is the start position.
///
/// # Errors
/// The words are no position, which is an error of the arguments.
pub fn position(words: &[String]) -> Result<Game, clap::Error> {
    if words.is_empty() {
        return Ok(Game::startpos());
    }
    let text = words.join(" ");
    Game::from_usi(&text).map_err(|error| no_sense(format!("position '{text}': {error}")))
}

/// Reads a game, and warns of an ending that is unknown.
///
/// # Errors
/// The file cannot be read; or its name tells no format or it has fewer games, which are errors of the arguments.
pub fn game(path: &Path, number: usize) -> anyhow::Result<CommentedGame> {
    let game = CommentedGame::read(path, number).map_err(|error| match error {
        ReadGameError::Format(_) | ReadGameError::Number { .. } => {
            anyhow::Error::from(no_sense(error.to_string()))
        }
        ReadGameError::File { .. } | ReadGameError::Game { .. } => error.into(),
    })?;
    if let Some(word) = game.unknown_ending() {
        let path = path.display();
        monju_commands::tell!(
            "warning: {path}: the unknown word '{word}' is taken for the end of the game"
        );
    }
    Ok(game)
}

/// Tells whether a single argument may be a position: every SFEN separates its ranks by slashes.
fn is_position_like(argument: &str) -> bool {
    argument.starts_with("startpos") || argument.contains('/')
}

/// Reads a position: the words of one, or a file with a game, and of its moves the first `plies`.
///
/// # Errors
/// The words are no position, the file cannot be read, it has no such game, or the game is shorter.
pub fn position_or_game(
    words: &[String],
    number: usize,
    plies: Option<usize>,
) -> anyhow::Result<Game> {
    let game = match words {
        [path] if Path::new(path).extension().is_some() => {
            game(Path::new(path), number)?.game().clone()
        }
        [word] if !is_position_like(word) => {
            let what = "neither a position (startpos, or an SFEN) nor the name of a game's file, such as game.kif";
            return Err(no_sense(format!("'{word}' is {what}")).into());
        }
        words => {
            if number != 1 {
                let what = format!("--game {number}: a position is no file of games");
                return Err(no_sense(what).into());
            }
            position(words)?
        }
    };
    let Some(plies) = plies else {
        return Ok(game);
    };
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    let Some(first) = moves.get(..plies) else {
        let count = counted(moves.len(), "move");
        let what = format!("--ply {plies}: the game has {count}");
        return Err(no_sense(what).into());
    };
    Ok(Game::from_parts(game.start(), first)?)
}

/// An error of the arguments.
pub fn no_sense(message: String) -> clap::Error {
    clap::Error::raw(ErrorKind::ValueValidation, message)
}
