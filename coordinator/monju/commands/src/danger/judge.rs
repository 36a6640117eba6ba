//! One position, as text or as JSON.

use crate::output::print;
use monju_engine::{
    Color, Game,
    danger::{Danger, DangerOutcome, DangerSettings, LAST_LENGTH, Step, discriminate},
};
use serde_json::json;
use std::fmt::Write;

/// A search on one position.
#[derive(Clone, Debug)]
pub struct Judge {
    /// The position with its history.
    pub game: Game,
    /// The assumption, and the effort.
    pub settings: DangerSettings,
    /// One JSON object instead of text.
    pub json: bool,
}

impl Judge {
    /// Searches, and prints the result to standard output.
    ///
    /// # Errors
    /// Standard output is closed.
    pub fn run(&self) -> anyhow::Result<()> {
        let outcome = discriminate(self.game.position(), self.settings);
        print(&match self.json {
            true => self.json(&outcome),
            false => self.text(&outcome),
        })
    }

    fn json(&self, outcome: &DangerOutcome) -> String {
        let line: Vec<String> = outcome.line.iter().map(Step::to_string).collect();
        let object = json!({
            "position": self.game.to_usi(),
            "worse": side(self.settings.worse),
            "absolute": self.settings.absolute,
            "result": outcome.danger.name(),
            "line": line,
            "japanese": self.japanese(outcome),
            "nodes": outcome.generated,
            "expanded": outcome.expanded,
            "material_before": outcome.before,
            "material_after": outcome.after,
            "mates": outcome.mates,
        });
        format!("{object:#}\n")
    }

    fn text(&self, outcome: &DangerOutcome) -> String {
        let worse = self.settings.worse;
        let (attacker, defender) = (title(worse), title(!worse));
        let meaning = match (outcome.danger, self.settings.absolute) {
            (Danger::Holds, false) => {
                format!("{defender} keeps its material until all attacks have ended")
            }
            (Danger::Holds, true) => format!("{defender} stays ahead until all attacks have ended"),
            (Danger::Fails, _) if outcome.mates => format!("{attacker} mates"),
            (Danger::Fails, false) => format!("{attacker} wins material"),
            (Danger::Fails, true) => format!("{defender} is not ahead, or does not stay so"),
            (Danger::Unknown, _) if outcome.expanded < self.settings.nodes => {
                format!("attacks of more than {LAST_LENGTH} steps are not followed")
            }
            (Danger::Unknown, _) => format!("{} nodes were not enough", self.settings.nodes),
        };
        let mut text = format!("position  {}\n", self.game.to_usi());
        let _ = writeln!(text, "assumed   {attacker} stands worse");
        let _ = writeln!(text, "result    {}: {meaning}", outcome.danger);
        if !outcome.line.is_empty() {
            let moves: Vec<String> = outcome.line.iter().map(Step::to_string).collect();
            let _ = writeln!(text, "line      {}", moves.join(" "));
            let _ = writeln!(text, "          {}", self.japanese(outcome).join(" "));
        }
        let DangerOutcome {
            generated,
            expanded,
            before,
            after,
            ..
        } = outcome;
        let _ = writeln!(
            text,
            "material  {before:+} centipawns for {defender}, {after:+} after the line"
        );
        let _ = writeln!(text, "nodes     {generated} generated, {expanded} expanded");
        text
    }

    /// Returns the line in Japanese notation.
    fn japanese(&self, outcome: &DangerOutcome) -> Vec<String> {
        let mut game = self.game.clone();
        let mut texts = Vec::new();
        for step in &outcome.line {
            match step {
                Step::Move(mv) => {
                    texts.push(game.japanese(*mv));
                    if game.play(*mv).is_err() {
                        break;
                    }
                }
                Step::Pass => {
                    let mut position = game.position().clone();
                    texts.push(match position.side_to_move() {
                        Color::Black => "▲手抜き".to_owned(),
                        Color::White => "△手抜き".to_owned(),
                    });
                    position.make_pass();
                    let Ok(passed) = Game::from_usi(&position.to_string()) else {
                        break;
                    };
                    game = passed;
                }
            }
        }
        texts
    }
}

fn side(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

fn title(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}
