//! Games for tuning options of the search: the pairs of one update, and screening tests.

use super::{
    contestant::{BoardResources, ContestantError},
    game::{self, GamePlan},
    openings::Openings,
    paired_match::IN_MEMORY,
    pairing::Pairing,
    record::Incident,
    specification::{
        Adjudication, CrashRule, DeclarationRule, Members, RepetitionRule, SideEnsemble,
        Specification,
    },
    spsa::{PairPoints, Spsa, SpsaError},
    statistics::Sprt,
};
use monju_coordinator::voting::Rule;
use monju_engine::{EvaluatorChoice, SearchChoices, eval::Sigma, random::SplitMix64};
use monju_host::{PlayerKind, PlayersError, noise_players};
use monju_proto::v1::Limits;
use monju_team::config::{BookConfig, ConfigError};
use std::{env, path::PathBuf, sync::Arc, time::Duration};
use tokio::{
    sync::Semaphore,
    task::{JoinError, JoinSet},
};

/// Transposition table of each player, in MiB.
const HASH_MIB: u32 = 4;

/// Rules that end a tuning game early.
const ADJUDICATION: Adjudication = Adjudication {
    maximum_plies: 256,
    score: Some(2000),
    score_plies: 6,
    declaration: DeclarationRule::Win,
    repetition: RepetitionRule::Rules,
};

/// Settings of the games of a tuning.
#[derive(Clone, Debug)]
pub struct TuningGames {
    /// Static evaluation of both sides.
    pub evaluator: EvaluatorChoice,
    /// Nodes of a move.
    pub nodes: u64,
    /// Pairs of games in an update.
    pub pairs: usize,
    /// Seed of the variations and of the choice of openings.
    pub seed: u32,
    /// Games at the same time.
    pub jobs: usize,
    /// Openings, each played with both colours.
    pub openings: Arc<Openings>,
}

/// Error of a tuning game.
#[derive(Debug, thiserror::Error)]
pub enum TuningError {
    /// The options of a side are wrong.
    #[error(transparent)]
    Spsa(#[from] SpsaError),
    /// A side failed.
    #[error("a {} of the {} side: {}", .0.cause.name(), .0.side.name(), .0.detail)]
    Game(Incident),
    /// A side does not start.
    #[error("a side does not start: {0}")]
    Start(#[from] ContestantError),
    /// The player of a side is wrong.
    #[error(transparent)]
    Player(#[from] PlayersError),
    /// A game panicked.
    #[error("a game ended: {0}")]
    Panicked(#[source] JoinError),
}

impl TuningGames {
    /// Plays the pairs of the next update, in the order of their numbers. `tell` gets how many are over, one after the
    /// other.
    ///
    /// # Errors
    /// A game failed.
    pub async fn play(
        &self,
        spsa: &Spsa,
        mut tell: impl FnMut(usize),
    ) -> Result<Vec<PairPoints>, TuningError> {
        let resources = BoardResources::new(self.jobs);
        let boards = Arc::new(Semaphore::new(self.jobs));
        let mut tasks = JoinSet::new();
        for index in 0..self.pairs {
            let number = (spsa.updates * self.pairs + index) as u64;
            let mut random = SplitMix64::from_state(u64::from(self.seed) << 32 ^ number);
            let up: Vec<bool> = (0..spsa.parameters.len())
                .map(|_| random.next() >> 63 == 1)
                .collect();
            let openings = self.openings.lines();
            let opening = openings[random.next() as usize % openings.len()].clone();
            let [first, second] = spsa.sides(&up)?;
            let ensembles = [self.ensemble(first)?, self.ensemble(second)?];
            let (resources, boards) = (resources.clone(), Arc::clone(&boards));
            tasks.spawn(async move {
                // A closed semaphore would hand out no boards; this one is never closed.
                let _board = boards.acquire_owned().await;
                let points = play_pair(&ensembles, &opening, &resources).await;
                (index, up, points)
            });
        }
        let mut outcomes = vec![(Vec::new(), 0.0); self.pairs];
        let mut over = 0;
        while let Some(ended) = tasks.join_next().await {
            let (index, up, points) = ended.map_err(TuningError::Panicked)?;
            outcomes[index] = (up, points?);
            over += 1;
            tell(over);
        }
        Ok(outcomes)
    }

    /// A side with one player whose search has these options.
    fn ensemble(&self, search: SearchChoices) -> Result<SideEnsemble, TuningError> {
        let mut players = noise_players("tuned", 1, Sigma::ZERO)?;
        for player in &mut players {
            if let PlayerKind::Native(native) = &mut player.kind {
                native.evaluator = self.evaluator.clone();
                native.hash_mib = Some(HASH_MIB);
                native.search = search;
            }
        }
        Ok(SideEnsemble {
            name: "tuned".to_owned(),
            members: Members::Embedded {
                players,
                rule: Rule::default(),
                primary: None,
                calibration: None,
                book: BookConfig::default(),
            },
            limits: Limits {
                nodes: Some(self.nodes),
                ..Limits::default()
            },
            clock: None,
            nodes_time: None,
            margin: Duration::ZERO,
            crash: CrashRule::default(),
        })
    }
}

/// Plays an opening with both colours; returns the points by which the first side won.
async fn play_pair(
    ensembles: &[SideEnsemble; 2],
    opening: &str,
    board: &BoardResources,
) -> Result<f64, TuningError> {
    let mut pairing = Pairing::default();
    let mut half_points = 0;
    for number in 0..2 {
        let sides = pairing.arrange([&ensembles[0], &ensembles[1]], board).await;
        let sides = sides.map_err(|(_, error)| error)?;
        let plan = GamePlan {
            id: &format!("tuning/{number}"),
            number,
            opening,
            seeds: [1, 2],
            adjudication: ADJUDICATION,
            ballots: false,
            watch: None,
        };
        let (played, _) = game::play(&plan, sides).await.map_err(TuningError::Game)?;
        half_points += played.result.half_points();
    }
    pairing.clear().await;
    Ok(f64::from(half_points) - 2.0)
}

/// A screening: changes of the search, each against the search as it is.
#[derive(Clone, Debug)]
pub struct Screening {
    /// Name in the store.
    pub name: String,
    /// Changes, each one or several options of the search.
    pub changes: Vec<SearchChoices>,
    /// Static evaluation of both sides.
    pub evaluator: EvaluatorChoice,
    /// Nodes of a move.
    pub nodes: u64,
    /// Largest number of games for a change, which is even.
    pub games: u32,
    /// Seed of the order of openings.
    pub seed: u32,
    /// File of openings, of which the last fifth is held out.
    pub openings: PathBuf,
    /// Sequential test that ends the games of a change.
    pub stop: Sprt,
}

impl Screening {
    /// The specification, with a cell for every change.
    ///
    /// # Errors
    /// The openings are wrong or too few, or a change is there twice.
    pub fn specification(&self) -> Result<Specification, ConfigError> {
        let changes = self.changes.iter().map(ToString::to_string);
        let side = |name: &str, search: Option<&str>| {
            let mut player = toml::Table::new();
            player.insert("name".to_owned(), name.into());
            player.insert("evaluator".to_owned(), self.evaluator.to_string().into());
            if let Some(search) = search {
                player.insert("search".to_owned(), search.into());
            }
            toml::toml! {
                hash_mib = 16
            }
            .into_iter()
            .chain([
                ("nodes".to_owned(), integer(self.nodes)),
                ("player".to_owned(), vec![toml::Value::Table(player)].into()),
            ])
            .collect::<toml::Table>()
        };
        let mut table = toml::Table::new();
        for (key, value) in [
            ("version", integer(1)),
            ("name", self.name.clone().into()),
            ("seed", integer(self.seed.into())),
            ("games", integer(self.games.into())),
            ("ballots", false.into()),
            (
                "openings",
                self.openings.to_string_lossy().into_owned().into(),
            ),
            ("first", "changed".into()),
            ("second", "default".into()),
        ] {
            table.insert(key.to_owned(), value);
        }
        let grid = [("search".to_owned(), changes.collect::<Vec<_>>().into())];
        table.insert(
            "grid".to_owned(),
            grid.into_iter().collect::<toml::Table>().into(),
        );
        let ensembles = [
            (
                "changed".to_owned(),
                side("changed", Some("$search")).into(),
            ),
            ("default".to_owned(), side("default", None).into()),
        ];
        let ensembles = ensembles.into_iter().collect::<toml::Table>();
        table.insert("ensemble".to_owned(), ensembles.into());
        table.insert("stop".to_owned(), self.stop.table().into());
        let folder = env::current_dir().unwrap_or_default();
        let parsed = Specification::parse(&table.to_string(), &folder.join(IN_MEMORY))?;
        let openings = parsed.openings.clone().without_held_out();
        parsed
            .with_openings(openings, "without the last fifth")
            .with_enough_openings()
    }
}

/// A number of TOML, which has 64 bits with a sign.
fn integer(value: u64) -> toml::Value {
    toml::Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{spsa::TunedParameter, statistics::EloModel};
    use std::fs;

    const OPENINGS: &str = "startpos moves 7g7f 3c3d\nstartpos moves 2g2f 8c8d\n";

    #[tokio::test]
    async fn an_update_is_the_same_for_any_number_of_jobs() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("openings.sfen");
        fs::write(&file, OPENINGS).expect("writable");
        let play = async |jobs| {
            let games = TuningGames {
                evaluator: "material".parse().expect("an evaluator"),
                nodes: 60,
                pairs: 3,
                seed: 1,
                jobs,
                openings: Arc::new(Openings::read(&file).expect("openings")),
            };
            let parameter = TunedParameter::parse("margin_scale:50", games.evaluator.kind);
            let spsa = Spsa::new(vec![parameter.expect("known")], 4, 0.05, String::new());
            games.play(&spsa, |_| ()).await.expect("played")
        };
        let one = play(1).await;
        assert_eq!(one.len(), 3);
        assert!(
            one.iter()
                .all(|(up, points)| up.len() == 1 && points.abs() <= 2.0)
        );
        assert_eq!(one, play(2).await);
    }

    #[test]
    fn a_screening_has_a_cell_for_every_change() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("openings.sfen");
        let more = "startpos moves 5g5f\nstartpos moves 6g6f\nstartpos moves 9g9f\n";
        fs::write(&file, format!("{OPENINGS}{more}")).expect("writable");
        let change = |text: &str| text.parse::<SearchChoices>().expect("options");
        let screening = Screening {
            name: "screening".to_owned(),
            changes: vec![change("null_move=0"), change("probcut=0,margin_scale=80")],
            evaluator: EvaluatorChoice::default(),
            nodes: 25_000,
            games: 4,
            seed: 1,
            openings: file,
            stop: Sprt {
                model: EloModel::Normalized,
                elo0: 0.0,
                elo1: 10.0,
                alpha: 0.05,
                beta: 0.05,
                minimum_pairs: 10,
            },
        };
        let more = Screening {
            games: 10,
            ..screening.clone()
        };
        let error = more.specification().expect_err("one opening is held out");
        assert!(
            error
                .to_string()
                .contains("4 openings are not enough for 5 pairs"),
            "{error}"
        );
        let specification = screening.specification().expect("sound");
        assert_eq!(specification.cells.len(), 2);
        assert_eq!(specification.cells[0].first.limits.nodes, Some(25_000));
        assert_eq!(specification.stop, Some(screening.stop));
        assert_ne!(
            specification.cells[0].first.members,
            specification.cells[1].first.members
        );
    }
}
