//! The run behind `monju learn time-control`.

use super::{
    measure::{RightMoveShares, TIME_SHARES, bound_for, curve},
    states::{SearchState, states_of, team_states_of},
    trainer::{TimeControlTraining, importance},
};
use crate::{
    files::{FileError, check_outputs, with_suffix, write_atomically},
    logistic::{Regression, loss, value},
    progress::ProgressObserver,
    searches::{DividedGames, LoggedGame, LogsError},
    setting::SettingError,
};
use monju_engine::judge::{JudgeKind, JudgeWeights};
use std::{fmt, path::PathBuf};

/// Training of the judge from logs.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeControlRun {
    /// The searches to be judged: each search of the logs by itself, or all searches for a move as those of a team.
    pub kind: JudgeKind,
    /// Logs of searches.
    pub logs: Vec<PathBuf>,
    /// The weights to write.
    pub output: PathBuf,
    /// Settings.
    pub settings: TimeControlTraining,
}

/// Error of a training.
#[derive(Debug, thiserror::Error)]
pub enum TimeControlRunError {
    /// A file is named twice, or cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The logs cannot be read, or hold too little to learn from.
    #[error(transparent)]
    Logs(#[from] LogsError),
    /// There is nothing to learn from.
    #[error("{}", match .0 {
        JudgeKind::Search => "the logs have too few searches of two iterations and more to learn from and to hold out; \
            make more, with more --nodes",
        JudgeKind::Team => "the logs have too few searches of teams to learn from and to hold out; make them with \
            'monju learn searches --players 3'",
    })]
    NoStates(JudgeKind),
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// Result of a training, on the searches of games that are held out.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeControlSummary {
    /// Searches that were learned from, and those that are held out.
    pub searches: [usize; 2],
    /// Loss before and after.
    pub loss: [f64; 2],
    /// Right moves by mean time of a fixed time, of the judge made by hand, and of the learned one.
    pub curves: [(&'static str, RightMoveShares); 3],
}

impl TimeControlRun {
    /// Trains for some seconds, and writes the weights and their recipe at the end.
    ///
    /// # Errors
    /// A file cannot be read or written or has other content, or a setting is out of range.
    pub fn run(
        &self,
        progress: &mut dyn ProgressObserver,
    ) -> Result<TimeControlSummary, TimeControlRunError> {
        self.settings.check()?;
        let inputs = self.logs.iter().map(PathBuf::as_path);
        let recipe_path = with_suffix(&self.output, ".recipe");
        check_outputs(inputs, &[self.output.clone(), recipe_path.clone()])?;
        let games = DividedGames::read(&self.logs)?;
        let summary = match self.kind {
            JudgeKind::Search => self.learn(&games, states_of, progress),
            JudgeKind::Team => self.learn(&games, team_states_of, progress),
        }?;
        let (kind, settings) = (self.kind, &self.settings);
        let recipe = format!("{}kind = {kind:?}\n{settings:#?}\n", games.recipe);
        write_atomically(&recipe_path, recipe.as_bytes())?;
        Ok(summary)
    }

    fn learn<const N: usize>(
        &self,
        games: &DividedGames,
        states_of: fn(&LoggedGame, bool) -> Vec<SearchState<N>>,
        progress: &mut dyn ProgressObserver,
    ) -> Result<TimeControlSummary, TimeControlRunError> {
        let of = |games: &[LoggedGame], with_cuts| {
            let states = games.iter().flat_map(|game| states_of(game, with_cuts));
            states.collect::<Vec<_>>()
        };
        let (training, validation) = (of(&games.training, true), of(&games.validation, false));
        if training.is_empty() || validation.is_empty() {
            return Err(TimeControlRunError::NoStates(self.kind));
        }
        let whole = of(&games.training, false);
        let waste = self.settings.waste;
        let settings = self.settings.regression;
        let weigh = |states: &[SearchState<N>]| importance(states, waste);
        let mut regression =
            Regression::new(settings, self.kind.features(), &training, weigh(&training));
        let held_out = weigh(&validation);
        let before = loss(regression.weights(), &validation, &held_out);
        progress.begin(self.settings.regression.epochs, 0, "epochs");
        for epoch in 1..=self.settings.regression.epochs {
            let loss = regression.pass();
            progress.advance(epoch, &format!("loss {loss:.4}"));
        }
        progress.finish(self.settings.regression.epochs, "");
        let mut weights = regression.weights().to_vec();
        let after = loss(&weights, &validation, &held_out);
        // The first feature is always present: it carries the bound at which searches take their share.
        let values: Vec<f32> = training
            .iter()
            .map(|state| value(&weights, state))
            .collect();
        weights[0] -= bound_for(&training, &values, self.settings.share);
        let rounded = JudgeWeights::rounded(self.kind, &weights);
        write_atomically(&self.output, &rounded.to_bytes())?;
        let of = |urge: &dyn Fn(&SearchState<N>) -> f32| {
            let urges: Vec<f32> = validation.iter().map(urge).collect();
            curve(&validation, &urges)
        };
        let searches =
            |states: &[SearchState<N>]| states.iter().filter(|state| state.begins).count();
        Ok(TimeControlSummary {
            // Each search to learn from stands there at several lengths.
            searches: [searches(&whole), searches(&validation)],
            loss: [before, after],
            curves: [
                ("fixed", of(&|state| state.share)),
                ("agreement", of(&|state| state.share / state.difficulty)),
                ("learned", of(&|state| value(&weights, state))),
            ],
        })
    }
}

impl fmt::Display for TimeControlSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [training, validation] = self.searches;
        let [before, after] = self.loss;
        writeln!(
            f,
            "{training} searches to learn from, {validation} held out; loss there {after:.4}, {before:.4} before"
        )?;
        write!(f, "mean time   ")?;
        for share in TIME_SHARES {
            write!(f, "{:>7.1} %", 100.0 * share)?;
        }
        writeln!(f, " of the longest")?;
        for (name, curve) in &self.curves {
            write!(f, "{name:<12}")?;
            for right in curve {
                write!(f, "{:>7.2} %", 100.0 * right)?;
            }
            writeln!(f, " right moves")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        progress::NoProgress,
        searches::{SearchGamesSettings, SearchesRun},
    };
    use monju_engine::{Model, PlayerSettings};
    use std::fs;

    #[test]
    fn a_judge_learned_from_logs_beats_a_fixed_time_on_other_games() {
        for (kind, players) in [(JudgeKind::Search, 1), (JudgeKind::Team, 3)] {
            beats_a_fixed_time(kind, players);
        }
    }

    fn beats_a_fixed_time(kind: JudgeKind, players: usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let openings = folder.path().join("openings.sfen");
        let first = [
            "7g7f", "2g2f", "6g6f", "5g5f", "1g1f", "9g9f", "4g4f", "3g3f", "8g8f", "3i4h", "7i6h",
            "2h7h", "4i5h", "6i7h", "5i6h", "2h5h",
        ];
        let lines = first.map(|mv| format!("startpos moves {mv}\n"));
        fs::write(&openings, lines.concat()).expect("writable");
        let log = folder.path().join("log");
        let searches = SearchesRun {
            output: log.clone(),
            games: first.len(),
            openings,
            settings: SearchGamesSettings {
                player: PlayerSettings {
                    evaluator: Model::material(),
                    hash_mib: 1,
                    sigma: 30.0,
                    ..PlayerSettings::default()
                },
                players,
                nodes: 1_500,
                maximum_plies: 40,
                ..SearchGamesSettings::default()
            },
        };
        searches.run(&mut NoProgress).expect("played");
        let run = TimeControlRun {
            kind,
            logs: vec![log],
            output: folder.path().join("weights"),
            settings: TimeControlTraining::default(),
        };
        let summary = run.run(&mut NoProgress).expect("trained");
        assert!(summary.loss[1] < summary.loss[0], "{summary}");
        let [fixed, _, learned] = &summary.curves;
        let sum = |curve: &RightMoveShares| curve.iter().sum::<f64>();
        assert!(sum(&learned.1) > sum(&fixed.1), "{summary}");
        let bytes = fs::read(&run.output).expect("weights");
        JudgeWeights::from_bytes(kind, &bytes).expect("whole");
        assert_eq!(run.run(&mut NoProgress).expect("again"), summary);
        assert_eq!(fs::read(&run.output).expect("weights"), bytes);
        let recipe = fs::read_to_string(with_suffix(&run.output, ".recipe")).expect("a recipe");
        for words in ["log\nlog = ", "waste: 0.3"] {
            assert!(recipe.contains(words), "{recipe}");
        }
        if players == 1 {
            let team = TimeControlRun {
                kind: JudgeKind::Team,
                ..run
            };
            let error = team.run(&mut NoProgress).expect_err("no teams");
            assert!(error.to_string().contains("--players"), "{error}");
        }
    }
}
