//! The run behind `monju learn ordering`.

use super::{
    measure::{StageOrder, measure},
    nodes::{CutNode, nodes_of},
    trainer::OrderTrainer,
};
use crate::{
    descent::DescentSettings,
    files::{FileError, check_outputs, with_suffix, write_atomically},
    progress::ProgressObserver,
    searches::{DividedGames, LoggedGame, LogsError},
    setting::SettingError,
};
use monju_engine::search::{MoveJudgement, MoveWeights, OrderStage};
use std::{
    fmt::{self, Write as _},
    path::PathBuf,
};

/// Training of the order of moves from nodes that a move has cut.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderingRun {
    /// Logs of searches with samples.
    pub logs: Vec<PathBuf>,
    /// The weights to write.
    pub output: PathBuf,
    /// Settings; a step is made for each batch of nodes.
    pub settings: DescentSettings,
}

/// Error of a training.
#[derive(Debug, thiserror::Error)]
pub enum OrderingRunError {
    /// A file is named twice, or cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The logs cannot be read, or hold too little to learn from.
    #[error(transparent)]
    Logs(#[from] LogsError),
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// No node of the games tells anything.
    #[error(
        "the logs have no samples of the order of moves; make some with 'monju learn searches --samples ordering'"
    )]
    NoSamples,
}

/// Result of a training, on the nodes of games that are held out.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderingSummary {
    /// Nodes that were learned from.
    pub nodes: usize,
    /// The order of each stage.
    pub stages: Vec<StageOrder>,
}

impl OrderingRun {
    /// Returns the settings that the command has by default.
    pub fn settings() -> DescentSettings {
        DescentSettings {
            epochs: 12,
            batch: 256,
            rate: 0.003,
            penalty: 0.1,
            seed: 1,
        }
    }

    /// Trains for some minutes, and writes the weights and their recipe at the end.
    ///
    /// # Errors
    /// A file cannot be read or written or has other content, or a setting is out of range.
    pub fn run(
        &self,
        progress: &mut dyn ProgressObserver,
    ) -> Result<OrderingSummary, OrderingRunError> {
        let settings = self.settings;
        settings.check()?;
        let recipe_path = with_suffix(&self.output, ".recipe");
        let inputs = self.logs.iter().map(PathBuf::as_path);
        check_outputs(inputs, &[self.output.clone(), recipe_path.clone()])?;
        let DividedGames {
            training,
            validation,
            mut recipe,
        } = DividedGames::read(&self.logs)?;
        let nodes = |games: Vec<LoggedGame>| {
            games
                .into_iter()
                .flat_map(nodes_of)
                .collect::<Vec<CutNode>>()
        };
        let (training, validation) = (nodes(training), nodes(validation));
        if training.is_empty() || validation.is_empty() {
            return Err(OrderingRunError::NoSamples);
        }
        let mut trainer = OrderTrainer::new(settings, &training);
        progress.begin(settings.epochs, 0, "epochs");
        for epoch in 1..=settings.epochs {
            let early = trainer.pass();
            progress.advance(epoch, &format!("{early:.3} moves too early"));
        }
        progress.finish(settings.epochs, "");
        let weights = MoveWeights::rounded(MoveJudgement::Ordering, &trainer.weights());
        write_atomically(&self.output, &weights.to_bytes(MoveJudgement::Ordering))?;
        let DescentSettings {
            epochs,
            batch,
            rate,
            penalty,
            seed,
        } = settings;
        let _ = write!(
            recipe,
            "judgement = \"{}\"\nepochs = {epochs}\nbatch = {batch}\nrate = {rate}\npenalty = {penalty}\nseed = {seed}\n",
            MoveJudgement::Ordering
        );
        write_atomically(&recipe_path, recipe.as_bytes())?;
        let stages = [OrderStage::Noisy, OrderStage::Quiet, OrderStage::Evasion];
        Ok(OrderingSummary {
            nodes: training.len(),
            stages: (stages.into_iter())
                .map(|stage| measure(&validation, stage, &weights))
                .collect(),
        })
    }
}

impl fmt::Display for OrderingSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} nodes to learn from; held out:", self.nodes)?;
        for stage in &self.stages {
            let StageOrder {
                stage,
                nodes,
                first: [first, first_after],
                place: [place, place_after],
            } = stage;
            writeln!(
                f,
                "{:<8} {nodes:>7} nodes, the move that cuts is first in {:.1} % before and {:.1} % after, its mean \
                 place {place:.2} before and {place_after:.2} after",
                stage.to_string(),
                100.0 * first,
                100.0 * first_after,
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        progress::NoProgress,
        searches::{Sampling, SearchGamesSettings, SearchesRun},
    };
    use monju_engine::{Model, PlayerSettings};
    use std::fs;

    #[test]
    fn an_order_is_learned_from_searches_and_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let openings = ["7g7f", "2g2f", "5g5f", "6g6f"].map(|mv| format!("startpos moves {mv}\n"));
        fs::write(path("openings"), openings.concat()).expect("writable");
        let searches = |judgement, output| SearchesRun {
            output,
            games: 4,
            openings: path("openings"),
            settings: SearchGamesSettings {
                player: PlayerSettings {
                    evaluator: Model::material(),
                    hash_mib: 1,
                    ..PlayerSettings::default()
                },
                nodes: 2_000,
                maximum_plies: 20,
                sampling: Some(Sampling {
                    judgement,
                    every: 10,
                }),
                ..SearchGamesSettings::default()
            },
        };
        let log = path("searches.log");
        let searches_run = searches(MoveJudgement::Ordering, log.clone());
        searches_run.run(&mut NoProgress).expect("played");
        let run = |logs: &[PathBuf], output: &str| OrderingRun {
            logs: logs.to_vec(),
            output: path(output),
            settings: DescentSettings {
                epochs: 3,
                ..OrderingRun::settings()
            },
        };
        let first = run(std::slice::from_ref(&log), "one.bin");
        let summary = first.run(&mut NoProgress).expect("learned");
        assert!(summary.nodes > 100, "{summary}");
        assert!(summary.stages.iter().all(|stage| stage.place[0] >= 1.0));
        let again = run(std::slice::from_ref(&log), "two.bin");
        assert_eq!(again.run(&mut NoProgress).expect("learned"), summary);
        let files = [&first, &again].map(|run| fs::read(&run.output).expect("weights"));
        assert_eq!(files[0], files[1]);
        let weights = MoveWeights::from_bytes(MoveJudgement::Ordering, &files[0]);
        weights.expect("weights of the order");

        let other = path("margins.log");
        let searches_run = searches(MoveJudgement::Margins, other.clone());
        searches_run.run(&mut NoProgress).expect("played");
        let error = run(&[other], "three.bin").run(&mut NoProgress);
        let error = error.expect_err("other samples").to_string();
        assert!(error.contains("--samples ordering"), "{error}");
    }
}
