//! `monju learn`: training of evaluators.

#[cfg(test)]
mod exported_games;
pub(super) mod progress;

use anyhow::Context;
use monju_engine::counted;
use monju_learn::{
    linear::LinearRun,
    material::MaterialRun,
    move_judges::MoveJudgeRun,
    nnue::{NetworkConversionRun, NetworkRun},
    ordering::OrderingRun,
    records::RecordsRun,
    searches::SearchesRun,
    self_play::SelfPlayRun,
    time_control::TimeControlRun,
};
use progress::TerminalProgress;
use std::{
    fmt::Display,
    io::{self, Write},
};

/// Imports game records, and prints the number of games and the reasons of rejections.
///
/// # Errors
/// The import fails.
pub fn records(run: &RecordsRun) -> anyhow::Result<()> {
    let summary = run.run(&mut TerminalProgress::default())?;
    print(format_args!(
        "{} with {} in {}{}\n",
        counted(summary.games, "game"),
        counted(summary.moves, "move"),
        run.output.display(),
        summary.collection
    ))
}

/// Trains the linear evaluator, and prints the report.
///
/// # Errors
/// The training fails.
pub fn linear(run: &LinearRun) -> anyhow::Result<()> {
    let report = run.run(&mut TerminalProgress::default())?;
    print(report)
}

/// Plays games of self-play.
///
/// # Errors
/// A file cannot be written, or the settings are unsuitable.
pub fn self_play(run: &SelfPlayRun) -> anyhow::Result<()> {
    Ok(run.run(&mut TerminalProgress::default())?)
}

/// Plays games of self-play, and logs their searches.
///
/// # Errors
/// A file cannot be written, or the settings are unsuitable.
pub fn searches(run: &SearchesRun) -> anyhow::Result<()> {
    Ok(run.run(&mut TerminalProgress::default())?)
}

/// Trains piece-square values, and prints their losses.
///
/// # Errors
/// The training fails.
pub fn material(run: &MaterialRun) -> anyhow::Result<()> {
    let summary = run.run(&mut TerminalProgress::default())?;
    print(format_args!(
        "{}: loss {:.5} on held-out games with {:.0} centipawns of the file to a unit of the logit, {:.5} with {:.0} before\n",
        run.output.display(),
        summary.after,
        summary.units[1],
        summary.before,
        summary.units[0]
    ))
}

/// Trains a network, and prints its hash.
///
/// # Errors
/// The training fails.
pub fn nnue(run: &NetworkRun) -> anyhow::Result<()> {
    let hash = run.run(&mut TerminalProgress::default())?;
    print(format_args!("{} {hash:016x}\n", run.output.display()))
}

/// Trains the judge of searches, and prints its measure.
///
/// # Errors
/// The training fails.
pub fn time_control(run: &TimeControlRun) -> anyhow::Result<()> {
    let summary = run.run(&mut TerminalProgress::default())?;
    print(summary)
}

/// Trains a judge of moves, and prints its measure.
///
/// # Errors
/// The training fails.
pub fn move_judge(run: &MoveJudgeRun) -> anyhow::Result<()> {
    let summary = run.run(&mut TerminalProgress::default())?;
    print(summary)
}

/// Learns an order of moves, and prints where it places the moves that cut.
///
/// # Errors
/// The training fails.
pub fn ordering(run: &OrderingRun) -> anyhow::Result<()> {
    let summary = run.run(&mut TerminalProgress::default())?;
    print(summary)
}

/// Converts a network, and prints the files with its hash.
///
/// # Errors
/// The conversion fails.
pub fn convert(run: &NetworkConversionRun) -> anyhow::Result<()> {
    let hash = run.run()?;
    for path in run.output.iter().chain(&run.nn_bin) {
        print(format_args!("{} {hash:016x}\n", path.display()))?;
    }
    Ok(())
}

fn print(text: impl Display) -> anyhow::Result<()> {
    write!(io::stdout().lock(), "{text}").context("cannot write to standard output")
}
