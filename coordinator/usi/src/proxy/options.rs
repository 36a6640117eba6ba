//! The USI options of the proxy.

use crate::book_options::{self, BookOptions, HasBookOptions};
use crate::clock_options::{self, ClockOptions, HasClockOptions};
use crate::option_table::{
    HASH_DEFAULT, HASH_RANGE, MULTI_PV_RANGE, OptionKind, UsiOption, evaluator, sigma, with_weights,
};
use crate::rule_options::{self, HasGameRules};
use monju_coordinator::{
    choices::ConsultationChoices, clock::TimePolicy, pondering::Pondering, voting::Rule,
};
use monju_engine::{EvaluatorChoice, GameRules, PlayerSettings, eval::Sigma, names::UnknownName};
use monju_team::team::Choices;
use std::{fmt, path::PathBuf};
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

/// The word that leaves `Rule`, `TimePolicy` and `Pondering` to the configuration.
const CONFIGURED: &str = "config";

/// Makes the kind of an option that chooses a value of an enumeration for a field of
/// [`ConsultationChoices`], or leaves it to the configuration.
macro_rules! consultation_choice {
    ($type:ty, $field:ident) => {
        OptionKind::Combo {
            default: || CONFIGURED.to_owned(),
            words: || configured_or(<$type>::ALL),
            set: |options, value| {
                options.consultation.$field = value.map(str::parse).transpose()?;
                Ok(())
            },
        }
    };
}

/// All options, in the order in which a GUI shows them.
pub const OPTIONS: &[UsiOption<ProxyOptions>] = {
    let [delay, delay_2, overhead, minimum, whole_seconds] = clock_options::rows();
    let [entering_king, maximum_plies, draw_black, draw_white] = rule_options::rows();
    let [own_book, book_file, book_plies] = book_options::rows();
    &[
        UsiOption {
            name: "USI_Hash",
            aliases: &[],
            help: "transposition tables of all players of this process together, in MiB",
            kind: OptionKind::Spin {
                default: HASH_DEFAULT,
                range: HASH_RANGE,
                set: |options, value| options.hash_mib = value,
            },
        },
        UsiOption {
            name: "USI_Ponder",
            aliases: &[],
            help: "no effect: the GUI decides when to ponder",
            kind: OptionKind::IgnoredCheck,
        },
        UsiOption {
            name: "Role",
            aliases: &[],
            help: "team, single (one player, no noise unless Sigma is set), or mate (a mate solver with all the memory)",
            kind: OptionKind::Combo {
                default: || UsiRole::default().to_string(),
                words: || Vec::from_iter(UsiRole::VARIANTS.iter().map(ToString::to_string)),
                set: |options, value| {
                    options.role = value.map(str::parse).transpose()?.unwrap_or_default();
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "ConfigFile",
            aliases: &[],
            help: "configuration of the team",
            kind: OptionKind::File {
                set: |options, value| {
                    options.config = value.map(PathBuf::from);
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "Coordinator",
            aliases: &[],
            help: "URL of a running coordinator; further ones, after a space, take over when it fails",
            kind: OptionKind::Text {
                set: |options, value| {
                    let mut urls = value
                        .unwrap_or_default()
                        .split([' ', ','])
                        .filter(|url| !url.is_empty())
                        .map(str::to_owned);
                    options.coordinator = urls.next();
                    options.standby = urls.collect();
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "Players",
            aliases: &[],
            help: "number of players in this process; 0: as configured",
            kind: OptionKind::Spin {
                default: 0,
                range: 0..=256,
                set: |options, value| options.players = value,
            },
        },
        UsiOption {
            name: "Sigma",
            aliases: &[],
            help: "standard deviation of the noise: centipawns, or '1/4 pawn exchange'; empty: as configured",
            kind: OptionKind::Text {
                set: |options, value| {
                    options.sigma = sigma(value)?;
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "Evaluator",
            aliases: &[],
            help: "evaluator of the players: NAME or NAME:FILE; empty: as configured",
            kind: OptionKind::Text {
                set: |options, value| {
                    options.evaluator = evaluator(value)?;
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "EvalFile",
            aliases: &[],
            help: "weights file for the evaluator (by default nnue); empty: as configured",
            kind: OptionKind::File {
                set: |options, value| {
                    options.eval_file = value.map(PathBuf::from);
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "Threads",
            aliases: &[],
            help: "threads of each player in this process; 0: as configured",
            kind: OptionKind::Spin {
                default: 0,
                range: 0..=PlayerSettings::MAX_THREADS as u32,
                set: |options, value| options.threads = value,
            },
        },
        UsiOption {
            name: "MultiPV",
            aliases: &[],
            help: "moves that every player ranks; the lines show the median of their scores",
            kind: OptionKind::Spin {
                default: 1,
                range: MULTI_PV_RANGE,
                set: |options, value| options.multi_pv = value,
            },
        },
        UsiOption {
            name: "Rule",
            aliases: &[],
            help: "voting rule",
            kind: consultation_choice!(Rule, rule),
        },
        UsiOption {
            name: "Primary",
            aliases: &[],
            help: "name of the player that some rules follow, and that decides ties; empty: as configured",
            kind: OptionKind::Text {
                set: |options, value| {
                    options.consultation.primary = value.map(str::to_owned);
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "ResignBelow",
            aliases: &[],
            help: "win rate in percent below which the team resigns; 0: as configured",
            kind: OptionKind::Spin {
                default: 0,
                range: 0..=49,
                set: |options, value| options.resign_below = value,
            },
        },
        UsiOption {
            name: "TimePolicy",
            aliases: &["Tempo"],
            help: "use of the time on the clock",
            kind: consultation_choice!(TimePolicy, time_policy),
        },
        UsiOption {
            name: "Pondering",
            aliases: &[],
            help: "positions that the team ponders on",
            kind: consultation_choice!(Pondering, pondering),
        },
        UsiOption {
            name: "Seed",
            aliases: &[],
            help: "seed that makes the games of a session repeatable; empty: new seeds",
            kind: OptionKind::LargeNumber {
                set: |options, value| options.seed = value,
            },
        },
        UsiOption {
            name: "TLS",
            aliases: &[],
            help: "folder of the team's certificates",
            kind: OptionKind::Text {
                set: |options, value| {
                    options.tls = value.map(PathBuf::from);
                    Ok(())
                },
            },
        },
        own_book,
        book_file,
        book_plies,
        entering_king,
        maximum_plies,
        draw_black,
        draw_white,
        delay,
        delay_2,
        overhead,
        minimum,
        whole_seconds,
    ]
};

/// The role of `monju usi`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = unknown_role)]
pub enum UsiRole {
    /// A team of players.
    #[default]
    Team,
    /// One native player, as `monju engine` is.
    Single,
    /// A solver of mates, which has all the memory; moves are found by one player with a small table.
    Mate,
}

fn unknown_role(name: &str) -> UnknownName {
    UnknownName::new::<UsiRole>("role", name)
}

/// The values that a GUI has set; `None` is the declared default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProxyOptions {
    role: UsiRole,
    hash_mib: Option<u32>,
    config: Option<PathBuf>,
    coordinator: Option<String>,
    standby: Vec<String>,
    players: Option<u32>,
    sigma: Option<Sigma>,
    evaluator: Option<EvaluatorChoice>,
    eval_file: Option<PathBuf>,
    threads: Option<u32>,
    multi_pv: Option<u32>,
    resign_below: Option<u32>,
    consultation: ConsultationChoices,
    seed: Option<u64>,
    tls: Option<PathBuf>,
    clock: ClockOptions,
    rules: GameRules,
    book: BookOptions,
}

impl HasBookOptions for ProxyOptions {
    fn book(&mut self) -> &mut BookOptions {
        &mut self.book
    }
}

impl HasGameRules for ProxyOptions {
    fn game_rules(&mut self) -> &mut GameRules {
        &mut self.rules
    }
}

impl HasClockOptions for ProxyOptions {
    fn clock(&mut self) -> &mut ClockOptions {
        &mut self.clock
    }
}

impl ProxyOptions {
    /// Returns the seed that makes a session's games repeatable, if one was set.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// Returns the role.
    pub fn role(&self) -> UsiRole {
        self.role
    }

    /// Returns the number of moves that each player ranks, if several are asked for.
    pub fn multi_pv(&self) -> Option<u32> {
        self.multi_pv
    }

    /// Returns the options about the clock.
    pub fn clock(&self) -> &ClockOptions {
        &self.clock
    }

    /// Returns the rules of the game.
    pub fn rules(&self) -> GameRules {
        self.rules
    }

    /// Returns the choices of the command line, overridden by the GUI's.
    pub fn over(&self, base: &Choices) -> Choices {
        let Self {
            // The proxy and its searches have these.
            role: _,
            multi_pv: _,
            seed: _,
            clock: _,
            rules: _,
            hash_mib,
            config,
            coordinator,
            standby,
            players,
            sigma,
            evaluator,
            eval_file,
            threads,
            resign_below,
            consultation,
            tls,
            book,
        } = self.clone();
        let base = base.clone();
        let consultation = ConsultationChoices {
            without_book: book.without,
            book_plies: book.plies,
            ..consultation
        };
        Choices {
            config: config.or(base.config),
            standby: match coordinator {
                Some(_) => standby,
                None => base.standby,
            },
            coordinator: coordinator.or(base.coordinator),
            players: players.or(base.players),
            sigma: sigma.or(base.sigma),
            evaluator: with_weights(evaluator.or(base.evaluator), eval_file),
            threads: threads.or(base.threads),
            consultation: consultation.or(base.consultation),
            resign_below: resign_below.or(base.resign_below),
            hash_mib: hash_mib.or(base.hash_mib),
            log: base.log,
            book: book.file.or(base.book),
            tls: tls.or(base.tls),
        }
    }
}

fn configured_or(values: &[impl fmt::Display]) -> Vec<String> {
    let values = values.iter().map(ToString::to_string);
    [CONFIGURED.to_owned()].into_iter().chain(values).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option_table::{self, declarations};

    fn options(settings: &[(&str, &str)]) -> ProxyOptions {
        let mut options = ProxyOptions::default();
        for (name, value) in settings {
            option_table::set(OPTIONS, &mut options, name, value).expect("a good value");
        }
        options
    }

    #[test]
    fn the_declared_lines_stay_the_same() {
        assert_eq!(
            declarations(OPTIONS),
            [
                "option name USI_Hash type spin default 256 min 1 max 1048576",
                "option name USI_Ponder type check default false",
                "option name Role type combo default team var team var single var mate",
                "option name ConfigFile type filename default <empty>",
                "option name Coordinator type string default <empty>",
                "option name Players type spin default 0 min 0 max 256",
                "option name Sigma type string default <empty>",
                "option name Evaluator type string default <empty>",
                "option name EvalFile type filename default <empty>",
                "option name Threads type spin default 0 min 0 max 256",
                "option name MultiPV type spin default 1 min 1 max 16",
                "option name Rule type combo default config var config var majority \
                 var weighted var optimistic var pessimistic var majority-then-optimistic \
                 var mean-score var ranked var primary-unless-outvoted var careful var single \
                 var alternate var hand-over",
                "option name Primary type string default <empty>",
                "option name ResignBelow type spin default 0 min 0 max 49",
                "option name TimePolicy type combo default config var config var fixed \
                 var decided var agreement var careful var learned",
                "option name Pondering type combo default config var config var predicted \
                 var spread var opponent",
                "option name Seed type string default <empty>",
                "option name TLS type string default <empty>",
                "option name USI_OwnBook type check default true",
                "option name BookFile type filename default <empty>",
                "option name BookPlies type spin default 0 min 0 max 1000",
                "option name EnteringKingRule type combo default CSARule27 var NoEnteringKing \
                 var CSARule24 var CSARule24H var CSARule27 var CSARule27H var TryRule",
                "option name MaxMovesToDraw type spin default 0 min 0 max 100000",
                "option name DrawValueBlack type spin default 0 min -30000 max 30000",
                "option name DrawValueWhite type spin default 0 min -30000 max 30000",
                "option name NetworkDelay type spin default 120 min 0 max 60000",
                "option name NetworkDelay2 type spin default 1120 min 0 max 60000",
                "option name MoveOverhead type spin default 0 min 0 max 60000",
                "option name MinimumThinkingTime type spin default 0 min 0 max 60000",
                "option name RoundUpToFullSecond type check default false",
            ]
        );
    }

    #[test]
    fn defaults_sent_back_leave_the_command_line_alone() {
        let base = Choices {
            config: Some("a.toml".into()),
            coordinator: Some("http://127.0.0.1:1".to_owned()),
            standby: vec!["http://127.0.0.1:2".to_owned()],
            players: Some(3),
            sigma: Some(50.0.into()),
            evaluator: Some("material".parse().expect("known")),
            consultation: ConsultationChoices {
                rule: Some(Rule::Majority),
                time_policy: Some(TimePolicy::Fixed),
                pondering: Some(Pondering::Spread),
                primary: Some("monju-2".to_owned()),
                without_book: false,
                book_plies: Some(24),
            },
            threads: Some(2),
            resign_below: Some(1),
            hash_mib: Some(64),
            log: None,
            book: Some("a.book".into()),
            tls: Some("team".into()),
        };
        let mut echoed = ProxyOptions::default();
        for line in declarations(OPTIONS) {
            let words: Vec<&str> = line.split(' ').collect();
            option_table::set(OPTIONS, &mut echoed, words[2], words[6]).expect("its own default");
        }
        assert_eq!(echoed, ProxyOptions::default());
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
            ("Primary", "player 3"),
            ("Threads", "4"),
            ("ResignBelow", "2"),
            ("EvalFile", "D:\\my nets\\nn.bin"),
            ("MoveOverhead", "250"),
            ("USI_OwnBook", "false"),
            ("BookFile", "C:\\my books\\user book.db"),
            ("BookPlies", "30"),
        ]);
        assert_eq!(
            set.clock.delays().known,
            Some(std::time::Duration::from_millis(250))
        );
        let choices = set.over(&base);
        assert_eq!(choices.players, Some(5));
        assert_eq!(choices.sigma, Some(Sigma::ZERO));
        assert_eq!(choices.hash_mib, Some(32));
        assert_eq!(choices.config, Some("C:\\My Dir\\monju.toml".into()));
        let consultation = ConsultationChoices {
            rule: Some(Rule::Majority),
            time_policy: Some(TimePolicy::Decided),
            pondering: Some(Pondering::Spread),
            primary: Some("player 3".to_owned()),
            without_book: true,
            book_plies: Some(30),
        };
        assert_eq!(choices.book, Some("C:\\my books\\user book.db".into()));
        assert_eq!(choices.consultation, consultation);
        assert_eq!((choices.threads, choices.resign_below), (Some(4), Some(2)));
        let evaluator = choices.evaluator.map(|choice| choice.to_string());
        assert_eq!(evaluator.as_deref(), Some("nnue:D:\\my nets\\nn.bin"));
        assert_eq!(choices.tls, Some("team".into()));
    }

    #[test]
    fn the_time_policy_keeps_its_old_name() {
        assert_eq!(
            options(&[("Tempo", "fixed")]),
            options(&[("TimePolicy", "fixed")])
        );
        assert_ne!(options(&[("Tempo", "fixed")]), ProxyOptions::default());
    }

    #[test]
    fn the_default_takes_a_value_back() {
        let set = options(&[
            ("Players", "5"),
            ("Players", "0"),
            ("Coordinator", "http://a:1"),
            ("Coordinator", "<empty>"),
            ("Rule", "majority"),
            ("Rule", "config"),
            ("Seed", "7"),
            ("Seed", ""),
            ("Sigma", "10"),
            ("Sigma", "-1"),
            ("USI_OwnBook", "false"),
            ("USI_OwnBook", "true"),
            ("BookFile", "a.book"),
            ("BookFile", "<empty>"),
        ]);
        assert_eq!(set, ProxyOptions::default());
    }

    #[test]
    fn several_coordinators_replace_those_of_the_command_line() {
        let base = Choices {
            coordinator: Some("http://a:1".to_owned()),
            standby: vec!["http://b:1".to_owned()],
            ..Choices::default()
        };
        for (value, coordinator, standby) in [
            ("http://c:1", "http://c:1", &[][..]),
            ("http://c:1 http://d:1", "http://c:1", &["http://d:1"]),
            ("http://c:1, http://d:1", "http://c:1", &["http://d:1"]),
            ("<empty>", "http://a:1", &["http://b:1"]),
        ] {
            let chosen = options(&[("Coordinator", value)]).over(&base);
            assert_eq!(chosen.coordinator.as_deref(), Some(coordinator));
            assert_eq!(chosen.standby, standby, "{value}");
        }
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
            let refused = option_table::set(OPTIONS, &mut set, name, value);
            let error = refused.expect_err("a bad value").to_string();
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
        assert_eq!(set, before);
        assert_eq!(
            options(&[("Seed", "18446744073709551615")]).seed(),
            Some(u64::MAX)
        );
    }

    #[test]
    fn options_of_other_engines_are_ignored() {
        let set = options(&[
            ("Hash", "9999"),
            ("USI_Ponder", "true"),
            ("UCI_Variant", "shogi"),
        ]);
        assert_eq!(set, ProxyOptions::default());
    }
}
