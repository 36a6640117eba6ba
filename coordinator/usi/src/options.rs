//! The USI options of the proxy: what it declares, and what a GUI has set.

use super::values::{HASH_DEFAULT, HASH_MAXIMUM, OptionError, evaluator, number, sigma, small};
use monju_coordinator::{
    choices::ConsultationChoices, clock::TimePolicy, names::UnknownName, pondering::Pondering,
    voting::Rule,
};
use monju_engine::{EvaluatorChoice, eval::Sigma};
use monju_team::team::Choices;
use std::{path::PathBuf, str::FromStr, time::Duration};

const PLAYERS_MAXIMUM: u32 = 256;
const OVERHEAD_MAXIMUM_MS: u64 = 60_000;
/// The value of `Rule`, `TimePolicy` and `Pondering` that leaves them to the configuration.
const RULE_DEFAULT: &str = "config";

/// What a GUI has set. `None` is the declared default: GUIs send every default back, so a default
/// never overrides the command line or the configuration file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    hash_mib: Option<u32>,
    config: Option<String>,
    coordinator: Option<String>,
    players: Option<u32>,
    sigma: Option<Sigma>,
    evaluator: Option<EvaluatorChoice>,
    consultation: ConsultationChoices,
    seed: Option<u64>,
    tls: Option<String>,
    move_overhead: Duration,
}

impl Options {
    /// The `option` lines, in the order in which a GUI shows them.
    pub fn declarations() -> Vec<String> {
        let rules = values(Rule::ALL);
        let ponderings = values(Pondering::ALL);
        let time_policies = values(TimePolicy::ALL);
        vec![
            format!(
                "option name USI_Hash type spin default {HASH_DEFAULT} min 1 max {HASH_MAXIMUM}"
            ),
            "option name USI_Ponder type check default false".to_owned(),
            "option name ConfigFile type string default <empty>".to_owned(),
            "option name Coordinator type string default <empty>".to_owned(),
            format!("option name Players type spin default 0 min 0 max {PLAYERS_MAXIMUM}"),
            "option name Sigma type string default <empty>".to_owned(),
            "option name Evaluator type string default <empty>".to_owned(),
            format!("option name Rule type combo default {RULE_DEFAULT} var {RULE_DEFAULT}{rules}"),
            format!(
                "option name TimePolicy type combo default {RULE_DEFAULT} var {RULE_DEFAULT}{time_policies}"
            ),
            format!(
                "option name Pondering type combo default {RULE_DEFAULT} \
                 var {RULE_DEFAULT}{ponderings}"
            ),
            "option name Seed type string default <empty>".to_owned(),
            "option name TLS type string default <empty>".to_owned(),
            format!("option name MoveOverhead type spin default 0 min 0 max {OVERHEAD_MAXIMUM_MS}"),
        ]
    }

    /// Sets an option. Options that are not ours are passed over: they are never handed on to the
    /// players, each of which has its own share of threads and memory.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let value = if value == "<empty>" { "" } else { value };
        match name.to_ascii_lowercase().as_str() {
            "usi_hash" => {
                let hash = number("USI_Hash", value, 1, HASH_MAXIMUM.into())?;
                self.hash_mib = small(hash).filter(|hash| *hash != HASH_DEFAULT);
            }
            "configfile" => self.config = text(value),
            "coordinator" => self.coordinator = text(value),
            "players" => {
                let players = number("Players", value, 0, PLAYERS_MAXIMUM.into())?;
                self.players = small(players).filter(|players| *players != 0);
            }
            "sigma" => self.sigma = sigma(value)?,
            "evaluator" => self.evaluator = evaluator(value)?,
            "rule" => {
                self.consultation.rule = choice(value).map_err(OptionError::Rule)?;
            }
            "timepolicy" | "tempo" => {
                self.consultation.time_policy = choice(value).map_err(OptionError::TimePolicy)?;
            }
            "pondering" => {
                self.consultation.pondering = choice(value).map_err(OptionError::Pondering)?;
            }
            "seed" => {
                self.seed = match value {
                    "" => None,
                    _ => number("Seed", value, 0, u64::MAX)?,
                }
            }
            "tls" => self.tls = text(value),
            "moveoverhead" => {
                let overhead = number("MoveOverhead", value, 0, OVERHEAD_MAXIMUM_MS)?;
                self.move_overhead = Duration::from_millis(overhead.unwrap_or_default());
            }
            _ => tracing::debug!(name, value, "option is not ours"),
        }
        Ok(())
    }

    /// The seed that makes a session's games repeatable, if one was set.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// What is set aside of every clock at least, beside what the configuration and measurement say.
    pub fn move_overhead(&self) -> Duration {
        self.move_overhead
    }

    /// What was chosen on the command line, with what the GUI has set on top.
    pub fn over(&self, base: &Choices) -> Choices {
        Choices {
            config: self
                .config
                .as_ref()
                .map(PathBuf::from)
                .or(base.config.clone()),
            coordinator: self.coordinator.clone().or(base.coordinator.clone()),
            players: self.players.or(base.players),
            sigma: self.sigma.or(base.sigma),
            evaluator: self.evaluator.clone().or(base.evaluator.clone()),
            consultation: self.consultation.or(base.consultation),
            hash_mib: self.hash_mib.or(base.hash_mib),
            log: base.log.clone(),
            tls: self.tls.as_ref().map(PathBuf::from).or(base.tls.clone()),
        }
    }
}

/// Lists the values of an enumeration in the declaration of a combo box.
fn values(all: &[impl ToString]) -> String {
    let values = all
        .iter()
        .map(|value| format!(" var {}", value.to_string()));
    values.collect()
}

/// Reads a choice; `None` for the default, which leaves it to the configuration.
fn choice<T: FromStr<Err = UnknownName>>(value: &str) -> Result<Option<T>, UnknownName> {
    match value {
        "" | RULE_DEFAULT => Ok(None),
        _ => value.parse().map(Some),
    }
}

fn text(value: &str) -> Option<String> {
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(settings: &[(&str, &str)]) -> Options {
        let mut options = Options::default();
        for (name, value) in settings {
            options.set(name, value).expect("a good value");
        }
        options
    }

    #[test]
    fn declarations_are_what_every_gui_can_read() {
        for line in Options::declarations() {
            let words: Vec<&str> = line.split(' ').collect();
            assert!(words.iter().all(|word| !word.is_empty()), "{line}");
            assert_eq!(words[0], "option");
            assert_eq!(words[1], "name");
            assert_eq!(words[3], "type");
            assert_eq!(words[5], "default");
            let rest = &words[7..];
            match words[4] {
                "spin" => {
                    let number = |word: &str| word.parse::<i64>().expect("a number");
                    assert_eq!((rest[0], rest[2], rest.len()), ("min", "max", 4));
                    assert!((number(rest[1])..=number(rest[3])).contains(&number(words[6])));
                }
                "combo" => {
                    assert!(
                        rest.chunks(2)
                            .all(|pair| pair.len() == 2 && pair[0] == "var")
                    );
                    assert!(rest.chunks(2).any(|pair| pair[1] == words[6]));
                }
                "check" | "string" => assert!(rest.is_empty()),
                other => panic!("{other}"),
            }
        }
    }

    #[test]
    fn defaults_sent_back_leave_the_command_line_alone() {
        let base = Choices {
            config: Some("a.toml".into()),
            coordinator: Some("http://127.0.0.1:1".to_owned()),
            players: Some(3),
            sigma: Some(50.0.into()),
            evaluator: Some("material".parse().expect("known")),
            consultation: ConsultationChoices {
                rule: Some(Rule::Majority),
                time_policy: Some(TimePolicy::Fixed),
                pondering: Some(Pondering::Spread),
            },
            hash_mib: Some(64),
            log: None,
            tls: Some("team".into()),
        };
        let mut echoed = Options::default();
        for line in Options::declarations() {
            let words: Vec<&str> = line.split(' ').collect();
            echoed.set(words[2], words[6]).expect("its own default");
        }
        assert_eq!(echoed, Options::default());
        assert_eq!(echoed.over(&base), base);
    }

    #[test]
    fn values_override_the_command_line() {
        let base = Choices {
            players: Some(3),
            sigma: Some(50.0.into()),
            ..Choices::default()
        };
        let set = options(&[
            ("Players", "5"),
            ("Sigma", "0"),
            ("USI_Hash", "32"),
            ("ConfigFile", "C:\\My Dir\\monju.toml"),
            ("Rule", "majority"),
            ("TimePolicy", "decided"),
            ("Pondering", "spread"),
            ("TLS", "team"),
            ("MoveOverhead", "250"),
        ]);
        assert_eq!(set.move_overhead(), Duration::from_millis(250));
        let choices = set.over(&base);
        assert_eq!(choices.players, Some(5));
        assert_eq!(choices.sigma, Some(Sigma::ZERO));
        assert_eq!(choices.hash_mib, Some(32));
        assert_eq!(choices.config, Some("C:\\My Dir\\monju.toml".into()));
        let chosen = ConsultationChoices {
            rule: Some(Rule::Majority),
            time_policy: Some(TimePolicy::Decided),
            pondering: Some(Pondering::Spread),
        };
        assert_eq!(choices.consultation, chosen);
        assert_eq!(choices.tls, Some("team".into()));
    }

    #[test]
    fn setting_back_to_the_default_takes_a_value_away() {
        let set = options(&[
            ("Players", "5"),
            ("Players", "0"),
            ("Coordinator", "http://a:1"),
            ("Coordinator", "<empty>"),
            ("Seed", "7"),
            ("Seed", ""),
            ("Sigma", "10"),
            ("Sigma", "-1"),
        ]);
        assert_eq!(set, Options::default());
    }

    #[test]
    fn bad_values_are_refused_in_one_line_and_change_nothing() {
        let mut set = options(&[("Players", "5"), ("Rule", "majority")]);
        let before = set.clone();
        for (name, value) in [
            ("Players", "many"),
            ("Players", "-1"),
            ("Players", "100000"),
            ("Sigma", "-2"),
            ("USI_Hash", ""),
            ("Seed", "18446744073709551616"),
            ("Evaluator", "magic"),
            ("Rule", "coin"),
            ("TimePolicy", "presto"),
            ("Pondering", "nothing"),
        ] {
            let error = set.set(name, value).expect_err("a bad value").to_string();
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
        assert_eq!(set, before);
        assert_eq!(
            options(&[("Seed", "18446744073709551615")]).seed(),
            Some(u64::MAX)
        );
    }

    #[test]
    fn options_of_others_are_passed_over() {
        let set = options(&[
            ("Threads", "64"),
            ("MultiPV", "5"),
            ("Hash", "9999"),
            ("USI_Ponder", "true"),
            ("UCI_Variant", "shogi"),
        ]);
        assert_eq!(set, Options::default());
    }
}
