//! Ways in for fuzz targets: what a GUI says, and what a coordinator answers.

use crate::{
    best_move::BestMove,
    command::GuiCommand,
    engine::options as engine_options,
    option_table,
    output::Output,
    proxy::{ballot_lines, options as proxy_options, steady_scores::SteadyScores},
};
use monju_coordinator::clock::{ClockRules, budget};
use monju_engine::{Answer, Color, Game};
use monju_proto::{text::is_plain, v1::Ballot};
use std::time::Duration;

/// Hears the lines of a GUI as both front ends do.
///
/// # Panics
/// A budget does not fit the clock.
pub fn gui(lines: &str) {
    let mut team = proxy_options::ProxyOptions::default();
    let mut single = engine_options::EngineOptions::default();
    for line in lines.lines() {
        match GuiCommand::parse(line) {
            GuiCommand::SetOption { name, value } => {
                let value = value.unwrap_or_default();
                // Errors are told to the GUI.
                let _ = option_table::set(proxy_options::OPTIONS, &mut team, &name, &value);
                let _ = option_table::set(engine_options::OPTIONS, &mut single, &name, &value);
            }
            GuiCommand::Position(text) => {
                // An error is told at the next `go`.
                let _ = Game::from_usi(&text).map(|game| game.with_rules(team.rules()));
            }
            GuiCommand::Go(go) => {
                let rules = ClockRules {
                    minimum: team.clock().minimum_thinking_time(),
                    whole_seconds: team.clock().counts_whole_seconds(),
                    ..ClockRules::default()
                };
                for side in [Color::Black, Color::White] {
                    if let Some(budget) = budget(&go.limits, side, rules) {
                        assert!(budget.least <= budget.normal, "{budget:?} of {line}");
                        assert!(budget.normal <= budget.most, "{budget:?} of {line}");
                    }
                }
            }
            _ => {}
        }
    }
}

/// Tells a GUI the problems of a preparation.
///
/// # Panics
/// They would steer the GUI.
pub fn problems(problems: Vec<String>) {
    let (output, mut lines) = Output::channel();
    output.error(&problems.join("; "));
    let line = lines.try_recv().expect("a line");
    assert!(
        line.starts_with("info string error") && line.chars().all(is_plain),
        "{line:?}"
    );
}

/// Shows a ballot of a coordinator, and returns the answer that the GUI gets.
///
/// # Panics
/// A line would steer the GUI, or an answer is against the rules.
pub fn ballot(game: &Game, ballot: &Ballot) {
    let (output, mut lines) = Output::channel();
    let elapsed = Duration::from_millis(9);
    let mut steady = SteadyScores::default();
    steady.observe(ballot, elapsed);
    for line in ballot_lines::candidates(game, ballot, elapsed, 3, &steady) {
        output.say(line);
    }
    for analysis in [None, Some(&steady)] {
        if let Some(shares) = ballot_lines::shares(ballot, analysis) {
            output.say(shares);
        }
    }
    output.say(ballot_lines::verdict(ballot));
    while let Ok(line) = lines.try_recv() {
        assert!(
            line.starts_with("info ") && line.chars().all(is_plain),
            "{line:?}"
        );
    }
    let decided = ballot.decision.as_ref();
    let decided = decided.and_then(|decision| BestMove::from_decision(game, decision));
    for answer in decided
        .into_iter()
        .chain(BestMove::from_standing(game, ballot))
    {
        let text = answer.to_string();
        let mv = text.split(' ').next().unwrap_or_default();
        let allowed = Answer::parse_allowed(game, mv);
        assert!(allowed.is_ok(), "{text}: {allowed:?}");
    }
}
