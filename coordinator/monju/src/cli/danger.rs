//! The command line of `monju danger`.

use super::parsers::{no_sense, position_or_game};
use clap::{Args, ValueEnum};
use monju_commands::danger::{DangerCommand, Judge, Survey};
use monju_engine::{
    Color,
    danger::{DEFAULT_NODES, DangerSettings, presumed_worse},
};
use std::path::PathBuf;

pub const HELP: &str = "\
One player is assumed to stand worse and attacks; the other keeps what it has, or does not. The answer is 'holds' \
(every attack fails), 'fails' (an attack wins material or mates) or 'unknown' (--nodes were not enough, or attacks are \
too long). Only captures, promotions, threats of these and checks are searched, and the answers to them.

Examples:
  monju danger startpos moves 7g7f 3c3d
  monju danger game.kif --ply 60 --worse white
  monju danger --survey configs/openings/records2016_24ply.sfen --plies 20";

/// Everything after `monju danger`.
#[derive(Debug, Args)]
pub struct DangerArguments {
    /// startpos, startpos moves …, sfen …, a bare SFEN, or a game (KIF, KI2, CSA, JKF, USI); default: startpos
    position: Vec<String>,
    /// Number of the position's moves to play; default: all
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Number of the game in a file of several
    #[arg(long, value_name = "N", default_value = "1")]
    game: usize,
    /// The side that is assumed to stand worse; default: the one with less material, of equals the side to move
    #[arg(long, value_name = "SIDE")]
    worse: Option<SideArgument>,
    /// Most nodes to expand
    #[arg(long, default_value = DEFAULT_NODES.to_string(), value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Demands more points than the opponent has, as the paper does, instead of no fewer than now
    #[arg(long)]
    absolute: bool,
    /// Judges every opening of a file instead, with the side to move worse, and counts the answers
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "ply", "game", "worse"])]
    survey: Option<PathBuf>,
    /// Random moves after each opening of the survey; default: 0
    #[arg(long, value_name = "N")]
    plies: Option<u32>,
    /// Seed of these moves; default: 1
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

/// A side, as the command line names it.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SideArgument {
    Black,
    White,
}

impl DangerArguments {
    /// Makes the command of these arguments.
    ///
    /// # Errors
    /// The position is wrong, or the file of the game cannot be read.
    pub fn resolve(self) -> anyhow::Result<DangerCommand> {
        if let Some(openings) = self.survey {
            return Ok(DangerCommand::Survey(Survey {
                openings,
                plies: self.plies.unwrap_or(0),
                seed: self.seed.unwrap_or(1),
                absolute: self.absolute,
                nodes: self.nodes,
                json: self.json,
            }));
        }
        // A rule of the parser would not see this: --survey and a position exclude each other.
        if self.plies.is_some() || self.seed.is_some() {
            let what = "--plies and --seed are for random moves of a survey; add --survey FILE";
            return Err(no_sense(what.to_owned()).into());
        }
        let game = position_or_game(&self.position, self.game, self.ply)?;
        let worse = match self.worse {
            Some(SideArgument::Black) => Color::Black,
            Some(SideArgument::White) => Color::White,
            None => presumed_worse(game.position()),
        };
        Ok(DangerCommand::Judge(Box::new(Judge {
            game,
            settings: DangerSettings {
                worse,
                absolute: self.absolute,
                nodes: self.nodes,
            },
            json: self.json,
        })))
    }
}
