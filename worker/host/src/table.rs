//! The `[[player]]` tables of the configuration, and the players they stand for.

use crate::{
    cores::CoreSet,
    go::GoForm,
    kind::SpecKind,
    options::UsiOptions,
    problem::{PlayerProblem, PlayersError},
    spec::{
        NativeSpec, PlayerKind, PlayerSpec, UsiSpec, check_count, check_hash, check_lane_search,
        check_lane_threads, check_lanes, check_sigma, check_threads,
    },
};
use monju_engine::{
    EvaluatorChoice, Limits,
    eval::{NoiseModel, Sigma},
};
use monju_proto::{
    convert::{GREATEST_WEIGHT, MOST_PLAYERS},
    text::{is_name, is_plain},
};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    time::Duration,
};

/// One `[[player]]` table, as written.
///
/// ```toml
/// [[player]]                       # three native players, monju-1 to monju-3
/// name = "monju"
/// count = 3
/// sigma = 50
///
/// [[player]]                       # gpsshogi
/// name = "gps"
/// kind = "usi"
/// command = ["/usr/games/gpsusi", "--node-count-hard-limit", "300000"]
/// options = { BookDepth = 0 }
/// go = ["byoyomi", "clock", "infinite"]
///
/// [[player]]                       # Fairy-Stockfish
/// name = "fairy"
/// kind = "usi"
/// command = ["/usr/games/fairy-stockfish"]
/// options = { UCI_Variant = "shogi", Threads = 1, Hash = 64 }
/// go = ["nodes", "depth", "movetime", "byoyomi", "clock", "increment", "infinite", "ponder"]
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerTable {
    /// Unique name without spaces.
    pub name: String,
    /// Number of such players; more than one are called `name-1`, `name-2`, and so on.
    #[serde(default = "one")]
    pub count: u32,
    /// `native` (the default) or `usi`.
    #[serde(default)]
    pub kind: SpecKind,

    /// Native: name of the static evaluation; `nnue` by default.
    pub evaluator: Option<String>,
    /// Native: the file of the evaluator's weights, taken from the configuration's folder; by
    /// default those that the program carries.
    pub weights: Option<PathBuf>,
    /// Native: standard deviation of the evaluation noise, a number of centipawns or a text such as
    /// "1/4 pawn exchange"; 0 by default.
    #[serde(default, deserialize_with = "crate::sigma::deserialize")]
    pub sigma: Option<Sigma>,
    /// Native: what the noise is added to, "position" (the default), "leaf" or "weights".
    pub noise_model: Option<String>,
    /// Native: fixes the noise seed; of several players, each takes the seed after those of the last one, which uses
    /// one per lane.
    pub seed: Option<u64>,
    /// Native: transposition table in MiB; by default a share of the worker's total.
    pub hash_mib: Option<u32>,
    /// Native: threads that search together; 1 by default, with which results can be repeated.
    pub threads: Option<u32>,
    /// Native: virtual players that one search carries, each of whom has noise and a vote of its own;
    /// 1 by default.
    pub lanes: Option<u32>,
    /// Native: switches and numbers of the search that differ from their default, such as
    /// "null_move=0, margin_scale=120".
    pub search: Option<String>,

    /// USI: the program and its arguments. A program with a path is taken from the configuration's
    /// folder, a bare name from `PATH` or from where Debian keeps games.
    pub command: Option<Vec<String>>,
    /// USI: the folder to run in, taken from the configuration's folder; by default the worker's.
    pub directory: Option<PathBuf>,
    /// USI: variables set in its environment, beside those of the worker.
    pub environment: Option<BTreeMap<String, String>>,
    /// USI: options set before `isready`.
    pub options: Option<UsiOptions>,
    /// USI: the forms of `go` that the engine survives; `["byoyomi", "infinite"]` by default, the
    /// safest. `infinite` must be among them.
    pub go: Option<Vec<GoForm>>,

    /// Own limit of nodes, instead of the ballot's.
    pub nodes: Option<u64>,
    /// Own limit of iterations, instead of the ballot's.
    pub depth: Option<u32>,
    /// Own thinking time in milliseconds, instead of the ballot's.
    pub time_ms: Option<u64>,
    /// The share of the ballot's time that it takes, up to 1, which is the default.
    pub clock_share: Option<f64>,
    /// Weight of its vote under the rule "weighted"; 1 by default.
    pub weight: Option<f64>,
}

fn one() -> u32 {
    1
}

/// Checks all `[[player]]` tables of a configuration and expands them into players. Relative paths
/// are taken from `folder`, the folder of the configuration file.
pub fn validate_players(
    tables: &[PlayerTable],
    folder: &Path,
) -> Result<Vec<PlayerSpec>, PlayersError> {
    let folder = env::current_dir().unwrap_or_default().join(folder);
    let mut players: Vec<PlayerSpec> = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let fail = |problem| PlayersError {
            index,
            player: table.name.clone(),
            problem,
        };
        for player in table.expand(&folder).map_err(fail)? {
            if players.iter().any(|other| other.name == player.name) {
                return Err(fail(PlayerProblem::Taken(player.name)));
            }
            if players.len() == MOST_PLAYERS as usize {
                return Err(fail(PlayerProblem::TooMany));
            }
            players.push(player);
        }
    }
    Ok(players)
}

impl PlayerTable {
    fn expand(&self, folder: &Path) -> Result<Vec<PlayerSpec>, PlayerProblem> {
        self.check_name()?;
        check_count(self.count)?;
        let limits = self.limits()?;
        let weight = self.weight.unwrap_or(1.0);
        if !(0.0..=GREATEST_WEIGHT).contains(&weight) {
            return Err(PlayerProblem::Weight(weight));
        }
        let kind = match self.kind {
            SpecKind::Native => PlayerKind::Native(Box::new(self.native(folder)?)),
            SpecKind::Usi => PlayerKind::Usi(self.usi(folder)?),
        };
        let players = (1..=self.count).map(|number| {
            let mut player = PlayerSpec {
                name: self.name.clone(),
                limits: limits.clone(),
                clock_share: self.clock_share,
                weight,
                kind: kind.clone(),
            };
            if self.count > 1 {
                player.name = format!("{}-{number}", self.name);
            }
            if let PlayerKind::Native(native) = &mut player.kind {
                let step = u64::from(number - 1) * u64::from(native.lanes);
                native.seed = self.seed.map(|seed| seed.wrapping_add(step));
            }
            player
        });
        Ok(players.collect())
    }

    fn check_name(&self) -> Result<(), PlayerProblem> {
        match is_name(&self.name) {
            true => Ok(()),
            false => Err(PlayerProblem::Name),
        }
    }

    fn limits(&self) -> Result<Limits, PlayerProblem> {
        let zeros = [
            ("nodes", self.nodes == Some(0)),
            ("depth", self.depth == Some(0)),
            ("time_ms", self.time_ms == Some(0)),
        ];
        for (key, zero) in zeros {
            if zero {
                return Err(PlayerProblem::ZeroLimit(key));
            }
        }
        match self.clock_share {
            Some(share) if !(share > 0.0 && share <= 1.0) => {
                return Err(PlayerProblem::ClockShare(share));
            }
            Some(_) if self.time_ms.is_some() => return Err(PlayerProblem::TimeTwice),
            _ => {}
        }
        Ok(Limits {
            nodes: self.nodes,
            depth: self.depth,
            time: self.time_ms.map(Duration::from_millis),
            ..Limits::default()
        })
    }

    fn native(&self, folder: &Path) -> Result<NativeSpec, PlayerProblem> {
        only(
            SpecKind::Usi,
            [
                ("command", self.command.is_some()),
                ("directory", self.directory.is_some()),
                ("environment", self.environment.is_some()),
                ("options", self.options.is_some()),
                ("go", self.go.is_some()),
            ],
        )?;
        let sigma = self.sigma.unwrap_or_default();
        check_sigma(sigma)?;
        if let Some(hash_mib) = self.hash_mib {
            check_hash(hash_mib)?;
        }
        let threads = self.threads.unwrap_or(1);
        check_threads(threads)?;
        let lanes = self.lanes.unwrap_or(1);
        check_lanes(lanes)?;
        check_lane_threads(lanes, threads)?;
        let noise_model = match &self.noise_model {
            Some(name) => name.parse()?,
            None => NoiseModel::default(),
        };
        if lanes > 1 && (sigma == Sigma::default() || noise_model == NoiseModel::Weights) {
            return Err(PlayerProblem::LanesAlike);
        }
        let search = self.search.as_deref().map(str::parse).transpose()?;
        let search = search.unwrap_or_default();
        check_lane_search(lanes, &search)?;
        Ok(NativeSpec {
            evaluator: self.evaluator(folder)?,
            sigma,
            noise_model,
            seed: self.seed,
            hash_mib: self.hash_mib,
            threads,
            lanes,
            search,
            cores: CoreSet::default(),
        })
    }

    fn evaluator(&self, folder: &Path) -> Result<EvaluatorChoice, PlayerProblem> {
        let evaluator = self.evaluator.as_deref().map(str::parse).transpose()?;
        let mut evaluator: EvaluatorChoice = evaluator.unwrap_or_default();
        if let Some(weights) = &self.weights {
            if evaluator.weights.is_some() {
                return Err(PlayerProblem::WeightsTwice);
            }
            evaluator.weights = Some(weights.clone());
        }
        evaluator.weights = evaluator.weights.map(|path| folder.join(path));
        Ok(evaluator)
    }

    fn usi(&self, folder: &Path) -> Result<UsiSpec, PlayerProblem> {
        only(
            SpecKind::Native,
            [
                ("evaluator", self.evaluator.is_some()),
                ("weights", self.weights.is_some()),
                ("sigma", self.sigma.is_some()),
                ("noise_model", self.noise_model.is_some()),
                ("seed", self.seed.is_some()),
                ("hash_mib", self.hash_mib.is_some()),
                ("threads", self.threads.is_some()),
                ("lanes", self.lanes.is_some()),
                ("search", self.search.is_some()),
            ],
        )?;
        let command = self.command.as_deref().unwrap_or_default();
        let (program, arguments) = match command {
            [program, arguments @ ..] if !program.is_empty() => (program, arguments),
            _ => return Err(PlayerProblem::Command),
        };
        for text in command {
            plain_text("command", text)?;
        }
        let environment = self.environment.clone().unwrap_or_default();
        for (variable, value) in &environment {
            if variable.is_empty() || variable.contains(['=', '\0']) {
                return Err(PlayerProblem::Variable(variable.clone()));
            }
            plain_text("environment", value)?;
        }
        let options = self.options.clone().unwrap_or_default();
        for (option, value) in &options.0 {
            plain_text("options", option)?;
            plain_text("options", &value.to_string())?;
        }
        let go = self
            .go
            .clone()
            .unwrap_or_else(|| vec![GoForm::Byoyomi, GoForm::Infinite]);
        if !go.contains(&GoForm::Infinite) {
            return Err(PlayerProblem::GoWithoutInfinite);
        }
        Ok(UsiSpec {
            program: program_path(program, folder),
            arguments: arguments.to_vec(),
            directory: self.directory.as_ref().map(|path| folder.join(path)),
            environment,
            options,
            go,
            cores: CoreSet::default(),
        })
    }
}

/// A bare name stays, to be found in `PATH`. A relative path is made absolute, because platforms
/// differ in whether it starts at the folder of the parent or of the child.
fn program_path(program: &str, folder: &Path) -> PathBuf {
    let path = Path::new(program);
    if path.components().count() > 1 {
        folder.join(path)
    } else {
        path.to_owned()
    }
}

fn only<const N: usize>(
    belongs_to: SpecKind,
    keys: [(&'static str, bool); N],
) -> Result<(), PlayerProblem> {
    match keys.into_iter().find(|(_, given)| *given) {
        Some((key, _)) => Err(PlayerProblem::ForeignKey { key, belongs_to }),
        None => Ok(()),
    }
}

fn plain_text(key: &'static str, text: &str) -> Result<(), PlayerProblem> {
    // What a worker would say of it is no more than a coordinator listens to.
    match text.chars().all(is_plain) {
        true => Ok(()),
        false => Err(PlayerProblem::Control {
            key,
            text: text.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{noise_players, options::OptionValue};

    #[derive(Debug, Deserialize)]
    struct File {
        player: Vec<PlayerTable>,
    }

    fn players(text: &str) -> Result<Vec<PlayerSpec>, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        validate_players(&file.player, Path::new("folder")).map_err(|error| error.to_string())
    }

    fn complaint(keys: &str) -> String {
        let text = format!("[[player]]\nname = \"x\"\n{keys}");
        players(&text).expect_err(keys)
    }

    fn native(player: &PlayerSpec) -> &NativeSpec {
        match &player.kind {
            PlayerKind::Native(native) => native,
            PlayerKind::Usi(_) => panic!("{} is not native", player.name),
        }
    }

    fn usi(player: &PlayerSpec) -> &UsiSpec {
        match &player.kind {
            PlayerKind::Usi(usi) => usi,
            PlayerKind::Native(_) => panic!("{} is native", player.name),
        }
    }

    #[test]
    fn a_name_is_enough_for_a_native_player() {
        let players = players("[[player]]\nname = \"alone\"").expect("valid");
        assert_eq!(players.len(), 1);
        assert_eq!(players[0].name, "alone");
        assert_eq!(players[0].limits, Limits::default());
        assert_eq!(native(&players[0]).sigma, Sigma::ZERO);
        assert_eq!(native(&players[0]).seed, None);
    }

    #[test]
    fn a_count_numbers_the_names_and_the_seeds() {
        let players = players(
            "[[player]]\nname = \"n\"\ncount = 3\nsigma = 50\nlanes = 2\nseed = 7\nnodes = 1000\ntime_ms = 20\nsearch = \"null_move=0\"",
        )
        .expect("valid");
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["n-1", "n-2", "n-3"]);
        for (player, seed) in players.iter().zip([7, 9, 11]) {
            assert_eq!(native(player).seed, Some(seed));
            assert_eq!(native(player).sigma, Sigma::Centipawns(50.0));
            assert_eq!(native(player).search.to_string(), "null_move=0");
            assert_eq!(player.limits.nodes, Some(1000));
            assert_eq!(player.limits.time, Some(Duration::from_millis(20)));
        }
    }

    #[test]
    fn a_usi_player_keeps_all_that_was_written() {
        let players = players(
            r#"
            [[player]]
            name = "fairy"
            kind = "usi"
            command = ["engines/fairy", "--quiet"]
            directory = "data"
            environment = { LANG = "C" }
            options = { "Minimum Thinking Time" = 0, UCI_Variant = "shogi", Ponder = false }
            go = ["nodes", "infinite"]
            [[player]]
            name = "gps"
            kind = "usi"
            command = ["gpsusi"]
            "#,
        )
        .expect("valid");
        let folder = env::current_dir().expect("a folder").join("folder");
        let fairy = usi(&players[0]);
        assert_eq!(fairy.program, folder.join("engines/fairy"));
        assert_eq!(fairy.arguments, ["--quiet"]);
        assert_eq!(fairy.directory, Some(folder.join("data")));
        assert_eq!(fairy.environment["LANG"], "C");
        assert_eq!(fairy.go, [GoForm::Nodes, GoForm::Infinite]);
        // In the order of the file.
        assert_eq!(
            fairy.options.0,
            [
                ("Minimum Thinking Time".to_owned(), OptionValue::Number(0)),
                (
                    "UCI_Variant".to_owned(),
                    OptionValue::Text("shogi".to_owned())
                ),
                ("Ponder".to_owned(), OptionValue::Switch(false)),
            ]
        );
        let gps = usi(&players[1]);
        assert_eq!(gps.program, Path::new("gpsusi"));
        assert_eq!(gps.go, [GoForm::Byoyomi, GoForm::Infinite]);
    }

    #[test]
    fn the_tables_together_have_no_more_players_than_a_coordinator_takes() {
        let tables = |second: u32| {
            let table = |name: &str, count: u32| {
                format!("[[player]]\nname = \"{name}\"\ncount = {count}\n")
            };
            players(&format!("{}{}", table("a", 600), table("b", second)))
        };
        assert_eq!(tables(400).expect("valid").len(), 1_000);
        let complaint = tables(401).expect_err("too many");
        assert!(complaint.contains("player \"b\""), "{complaint}");
        assert!(complaint.contains("more than 1000 players"), "{complaint}");
    }

    #[test]
    fn every_mistake_is_named_on_one_line() {
        let table = [
            ("count = 0", "count must be between 1 and 1000, not 0"),
            (
                "command = [\"gpsusi\"]",
                "command belongs to players of kind \"usi\"",
            ),
            (
                "kind = \"usi\"\ncommand = [\"a\"]\nsigma = 1.5",
                "sigma belongs to players of kind \"native\"",
            ),
            ("sigma = -1", "sigma must be 0 or a number of centipawns"),
            ("sigma = 0.1", "from 0.25 to 4000, not 0.1"),
            (
                "sigma = \"99 pawn exchanges\"",
                "sigma must be 0 or a number of centipawns",
            ),
            ("noise_model = \"pink\"", "unknown noise model 'pink'"),
            (
                "weight = -1",
                "weight must be a number from 0 to 1,000,000, not -1",
            ),
            ("clock_share = 0", "clock_share must be above 0"),
            ("clock_share = 0.5\ntime_ms = 9", "leave one out"),
            ("evaluator = \"magic\"", "unknown evaluator 'magic'"),
            (
                "hash_mib = 0",
                "hash must be between 1 and 1048576 MiB, not 0",
            ),
            ("threads = 0", "threads must be between 1 and 256, not 0"),
            ("lanes = 17", "lanes must be between 1 and 16, not 17"),
            ("lanes = 8", "they need a sigma above 0"),
            (
                "search = \"null_move\"",
                "search option 'null_move' has no value",
            ),
            (
                "search = \"nul_move=0\"",
                "unknown search option 'nul_move'",
            ),
            (
                "lanes = 2\nsigma = 5\nsearch = \"danger=100\"",
                "lanes search without danger: leave danger=100 out",
            ),
            (
                "kind = \"usi\"\ncommand = [\"a\"]\nsearch = \"null_move=0\"",
                "search belongs to players of kind \"native\"",
            ),
            (
                "lanes = 2\nsigma = 5\nnoise_model = \"weights\"",
                "noise_model = \"position\" or \"leaf\"",
            ),
            ("nodes = 0", "nodes must be at least 1"),
            ("kind = \"usi\"", "needs a command"),
            ("kind = \"usi\"\ncommand = []", "needs a command"),
            (
                "kind = \"usi\"\ncommand = [\"a\"]\ngo = [\"nodes\"]",
                "go must contain \"infinite\"",
            ),
            (
                "kind = \"usi\"\ncommand = [\"a\"]\noptions = { A = \"1\\nquit\" }",
                "options may not contain line breaks",
            ),
            (
                "kind = \"usi\"\ncommand = [\"a\"]\nenvironment = { \"A=B\" = \"1\" }",
                "variable named \"A=B\"",
            ),
        ];
        for (keys, expected) in table {
            let complaint = complaint(keys);
            assert!(complaint.contains(expected), "{keys}: {complaint}");
            assert!(complaint.starts_with("player \"x\": "), "{complaint}");
            assert!(!complaint.contains('\n'), "{complaint}");
        }
    }

    #[test]
    fn unknown_keys_and_forms_are_refused() {
        assert!(complaint("sgima = 1").contains("sgima"));
        assert!(complaint("kind = \"uci\"").contains("uci"));
        let usi = "kind = \"usi\"\ncommand = [\"a\"]\n";
        assert!(complaint(&format!("{usi}go = [\"mate\"]")).contains("mate"));
        let hidden = complaint(&format!("{usi}options = {{ A = \"\u{202a}C:/nets\" }}"));
        assert!(hidden.contains("show nothing"), "{hidden}");
        let float = complaint(&format!("{usi}options = {{ A = 1.5 }}"));
        assert!(
            float.contains("a string, an integer or a boolean"),
            "{float}"
        );
    }

    #[test]
    fn names_are_unique_and_printable() {
        for name in ["", "a b", "a\\tb", &"x".repeat(65)] {
            let text = format!("[[player]]\nname = \"{name}\"");
            let complaint = players(&text).expect_err(name);
            assert!(complaint.contains("name must be"), "{complaint}");
        }
        let twice = "[[player]]\nname = \"a\"\ncount = 2\n[[player]]\nname = \"a-2\"";
        let complaint = players(twice).expect_err("a-2 twice");
        assert!(complaint.contains("\"a-2\" is taken"), "{complaint}");
    }

    #[test]
    fn the_embedded_ensemble_is_numbered_from_one() {
        let players = noise_players("monju", 2, 30.0).expect("valid");
        assert_eq!(players[0].name, "monju-1");
        assert_eq!(players[1].name, "monju-2");
        assert_eq!(native(&players[1]).sigma, Sigma::Centipawns(30.0));
        assert_eq!(
            noise_players("monju", 1, 0.0).expect("valid")[0].name,
            "monju-1"
        );
        assert!(noise_players("monju", 0, 0.0).is_err());
        assert!(noise_players("monju", 1, f64::NAN).is_err());
    }
}
