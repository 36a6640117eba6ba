//! The conditions of a game, as the server offers them.

use super::clock::{ChargeRule, TimeRule};
use monju_engine::Color;
use monju_proto::text::excerpt;
use monju_records::{Rejection, TimedGame, csa_position};
use std::{collections::HashMap, num::ParseIntError};

/// Reason why the conditions of a game make no sense.
#[derive(Debug, thiserror::Error)]
pub enum SummaryError {
    /// A line is missing.
    #[error("the line {0} is missing")]
    Missing(&'static str),
    /// The value of a line is none of those that the protocol has.
    #[error("{key}:{value}")]
    Value {
        /// Name of the line.
        key: &'static str,
        /// The beginning of its value.
        value: String,
    },
    /// The value of a line is no number.
    #[error("{key}:{value}: {source}")]
    Number {
        /// Name of the line.
        key: &'static str,
        /// The beginning of its value.
        value: String,
        /// Error of the number.
        source: ParseIntError,
    },
    /// The position cannot be read.
    #[error("position: {0}")]
    Position(#[source] Rejection),
}

/// The conditions of a game.
#[derive(Clone, Debug)]
pub struct GameSummary {
    /// Name of the game at the server.
    pub id: String,
    /// Names of Black and White.
    pub names: [String; 2],
    /// Our side.
    pub ours: Color,
    /// The position, with the moves so far and their times in seconds.
    pub timed: TimedGame,
    /// The time of both sides.
    pub rules: [TimeRule; 2],
    /// How the server charges the moves of each side.
    pub charges: [ChargeRule; 2],
    /// Number of moves after which the game is drawn, if it is told.
    pub most_moves: Option<u32>,
}

impl GameSummary {
    /// Reads the lines between `BEGIN Game_Summary` and `END Game_Summary`.
    ///
    /// # Errors
    /// A line is missing or makes no sense.
    pub fn parse(lines: &[String]) -> Result<Self, SummaryError> {
        let mut keys: HashMap<String, String> = HashMap::new();
        let mut position: Vec<&str> = Vec::new();
        let mut section = "";
        for line in lines {
            if let Some(name) = line.strip_prefix("BEGIN ") {
                section = name;
            } else if line.starts_with("END ") {
                section = "";
            } else if section == "Position" {
                position.push(line);
            } else if let Some((key, value)) = line.split_once(':') {
                keys.insert(format!("{section}/{key}"), value.to_owned());
            }
        }
        let text = |key: &'static str| {
            let found = keys.get(&format!("/{key}"));
            found
                .map(|value| excerpt(value, 100))
                .ok_or(SummaryError::Missing(key))
        };
        let ours = match text("Your_Turn")?.as_str() {
            "+" => Color::Black,
            "-" => Color::White,
            other => return Err(wrong("Your_Turn", other)),
        };
        let mut charges = [ChargeRule::default(); 2];
        let mut rules = [TimeRule::default(); 2];
        for (side, own) in ["Time+", "Time-"].into_iter().enumerate() {
            // A section of one side comes before that of both.
            let value = |key: &str| {
                let found = [own, "Time"]
                    .iter()
                    .find_map(|name| keys.get(&format!("{name}/{key}")));
                found.map(String::as_str)
            };
            let unit = unit_of(value("Time_Unit").unwrap_or("1sec"))?;
            let time = |key: &'static str| {
                let text = value(key).unwrap_or("0");
                let count: u64 = text.parse().map_err(|source| SummaryError::Number {
                    key,
                    value: excerpt(text, 100),
                    source,
                })?;
                Ok::<u64, SummaryError>(count.saturating_mul(unit))
            };
            rules[side] = TimeRule {
                total: time("Total_Time")?,
                byoyomi: time("Byoyomi")?,
                increment: time("Increment")?,
            };
            charges[side] = ChargeRule {
                unit,
                rounds_up: value("Time_Roundup") == Some("YES"),
                least: time("Least_Time_Per_Move")?,
            };
        }
        let timed = csa_position(&position.join("\n"));
        Ok(Self {
            id: text("Game_ID")?,
            names: [text("Name+")?, text("Name-")?],
            ours,
            timed: timed.map_err(SummaryError::Position)?,
            rules,
            charges,
            most_moves: keys.get("/Max_Moves").and_then(|value| value.parse().ok()),
        })
    }

    /// Returns a line for people.
    pub fn heading(&self) -> String {
        let rule = &self.rules[self.ours.index()];
        let seconds = |ms: u64| ms as f64 / 1_000.0;
        let TimeRule {
            total,
            byoyomi,
            increment,
        } = *rule;
        let extra = match (byoyomi, increment) {
            (0, 0) => String::new(),
            (0, increment) => format!(" and {} s a move", seconds(increment)),
            (byoyomi, _) => format!(", then {} s a move", seconds(byoyomi)),
        };
        let [black, white] = &self.names;
        format!(
            "{}: {black} against {white}, {} s{extra}",
            self.id,
            seconds(total)
        )
    }
}

/// Returns the error of a line whose value the protocol has not.
fn wrong(key: &'static str, value: &str) -> SummaryError {
    SummaryError::Value {
        key,
        value: excerpt(value, 100),
    }
}

/// Milliseconds of a unit such as `1sec`, `10msec` or `min`.
fn unit_of(text: &str) -> Result<u64, SummaryError> {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let (count, word) = text.split_at(digits);
    let one = match word {
        "msec" => 1,
        "sec" => 1_000,
        "min" => 60_000,
        _ => return Err(wrong("Time_Unit", text)),
    };
    let count: u64 = if count.is_empty() {
        1
    } else {
        count.parse().unwrap_or(0)
    };
    match count {
        1..=1_000_000 => Ok(count * one),
        _ => Err(wrong("Time_Unit", text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;

    const SUMMARY: &str = "Protocol_Version:1.2\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\n\
        Game_ID:20150505-CSA25-3-5-7\nName+:TANUKI\nName-:KITSUNE\nYour_Turn:-\nTo_Move:+\nMax_Moves:256\n\
        BEGIN Time\nTime_Unit:1sec\nTotal_Time:600\nByoyomi:10\nLeast_Time_Per_Move:1\nEND Time\n\
        BEGIN Position\nPI\n+\n+2726FU,T12\nEND Position";

    fn parse(text: &str) -> Result<GameSummary, SummaryError> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        GameSummary::parse(&lines)
    }

    #[test]
    fn conditions_are_read() {
        let summary = parse(SUMMARY).expect("conditions");
        assert_eq!(summary.ours, Color::White);
        assert_eq!(summary.names, ["TANUKI", "KITSUNE"]);
        assert_eq!(summary.charges.map(|charge| charge.unit), [1_000; 2]);
        assert_eq!(summary.most_moves, Some(256));
        assert_eq!(summary.rules[0], summary.rules[1]);
        assert_eq!(
            (summary.rules[0].total, summary.rules[0].byoyomi),
            (600_000, 10_000)
        );
        assert_eq!(summary.timed.game.moves().len(), 1);
        assert_eq!(
            summary.heading(),
            "20150505-CSA25-3-5-7: TANUKI against KITSUNE, 600 s, then 10 s a move"
        );
    }

    #[test]
    fn each_side_may_have_its_own_time() {
        let text = SUMMARY.replace(
            "END Time\n",
            "END Time\nBEGIN Time-\nTime_Unit:1min\nTotal_Time:5\nIncrement:1\nEND Time-\n",
        );
        let text = text.replace("Increment:1\n", "Increment:1\nTime_Roundup:YES\n");
        let summary = parse(&text).expect("conditions");
        let charge = |unit, rounds_up| ChargeRule {
            unit,
            rounds_up,
            least: unit,
        };
        assert_eq!(
            summary.charges,
            [charge(1_000, false), charge(60_000, true)]
        );
        let rules = summary.rules;
        assert_eq!(rules[0].total, 600_000);
        assert_eq!((rules[1].total, rules[1].increment), (300_000, 60_000));
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        for (from, to, named) in [
            ("Your_Turn:-", "Your_Turn:?", "Your_Turn:?"),
            ("Game_ID:", "Name:", "the line Game_ID is missing"),
            ("Time_Unit:1sec", "Time_Unit:1week", "Time_Unit:1week"),
            ("Total_Time:600", "Total_Time:-1", "Total_Time:-1"),
            ("+2726FU", "+2725FU", "position"),
        ] {
            let error = parse(&SUMMARY.replace(from, to)).expect_err(to);
            assert!(error.to_string().contains(named), "{error}");
            let has_source = to == "Total_Time:-1" || to == "+2725FU";
            assert_eq!(error.source().is_some(), has_source, "{error}");
        }
    }
}
