//! `monju analyse`: the council's view of every position of a game.

mod ballot_file;
mod comments;
mod decided;
mod page;
mod setup;
mod table;

use super::{
    consult::{Prepared, prepare, present, why_no_votes},
    interrupted::Interrupted,
    output::print,
    progress::PositionsProgress,
};
use crate::runtime;
use anyhow::{Context, bail};
use ballot_file::BallotFile;
use decided::{Decided, by_rules};
use monju_coordinator::calibration::Calibration;
use monju_engine::{Game, Move, counted};
use monju_page::view::{self, PositionView};
use monju_proto::{
    build,
    client::ConsultationClient,
    convert::MOST_MOVES,
    v1::{Ballot, Begin, Limits, TieBreak},
};
use monju_records::CommentedGame;
use monju_team::{
    signals,
    team::{self, Choices, Team},
};
use serde_json::json;
use setup::Setup;
use std::{fs, ops::RangeInclusive, path::PathBuf};

/// One game to analyse.
#[derive(Debug)]
pub struct Analyse {
    /// The game.
    pub game: CommentedGame,
    /// The positions, by the number of moves before them, [`MOST_MOVES`] at most.
    pub plies: RangeInclusive<usize>,
    /// The players.
    pub choices: Choices,
    /// Seed of ties and noise.
    pub seed: u64,
    /// Limits of each consultation.
    pub limits: Limits,
    /// Folder of the files that are written.
    pub folder: PathBuf,
    /// Beginning of their names.
    pub name: String,
    /// Prints JSON instead of a table.
    pub json: bool,
}

impl Analyse {
    /// Consults about every position, prints the views and writes the files.
    ///
    /// # Errors
    /// A choice is wrong, a player or a file fails, or it was [`Interrupted`].
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("cannot make the folder {}", self.folder.display()))?;
        let positions = self.positions()?;
        let mut ballots =
            BallotFile::open(&self.path("jsonl"), &positions, &self.limits, self.seed)?;
        let (decided, open): (Vec<_>, Vec<_>) = positions[self.plies.clone()]
            .iter()
            .partition(|(_, game)| by_rules(game).is_some());
        // Ballots of another run are shown only if they are of this team.
        if !open.is_empty() || !ballots.is_empty() {
            let mut team = team::assemble(&self.choices).await?;
            let outcome = self.consult(&mut team, &open, &mut ballots).await;
            team.close().await;
            outcome?;
        }
        let decided: Vec<Decided> = (decided.iter())
            .filter_map(|(plies, game)| Some((*plies, by_rules(game)?)))
            .collect();
        let moves = self.game.game().moves();
        let ballots = positions
            .iter()
            .filter_map(|(plies, game)| Some((*plies, game, ballots.of(*plies)?)));
        let mut views: Vec<PositionView> = ballots
            .map(|(plies, game, ballot)| {
                PositionView::of(plies, game, ballot, moves.get(plies).copied())
            })
            .collect();
        view::compare(&mut views);
        self.write(&views, &decided)
    }

    /// Returns the positions of the game that players can be asked about, by the number of moves before them.
    fn positions(&self) -> anyhow::Result<Vec<(usize, Game)>> {
        let whole = self.game.game();
        let moves: Vec<String> = whole.moves().iter().map(Move::to_string).collect();
        (0..=moves.len().min(MOST_MOVES))
            .map(|plies| Ok((plies, Game::from_parts(whole.start(), &moves[..plies])?)))
            .collect()
    }

    /// Consults about the positions that have no ballot yet. The ballots that are there must be of the same team.
    async fn consult(
        &self,
        team: &mut Team,
        positions: &[&(usize, Game)],
        ballots: &mut BallotFile,
    ) -> anyhow::Result<()> {
        let roster = present(team, &self.choices).await?;
        ballots.check_team(&Setup::of_roster(&roster, &team.consultation))?;
        let is_told = !roster.calibration.is_empty() || roster.build == build::name();
        // Older coordinators do not tell theirs.
        if is_told {
            ballots.check_calibration(&Calibration::of_curves(&roster.calibration))?;
        }
        let left: Vec<&(usize, Game)> = (positions.iter().copied())
            .filter(|(plies, _)| ballots.of(*plies).is_none())
            .collect();
        if left.is_empty() {
            return Ok(());
        }
        ballots.check_builds(&roster)?;
        let prepared = prepare(team, &self.choices).await?;
        let progress = PositionsProgress::begin(positions.len(), left.len());
        let mut stopped = std::pin::pin!(signals::termination());
        for (done, (plies, game)) in left.iter().enumerate() {
            let ballot = tokio::select! {
                ballot = self.ask(team, &prepared, game) => ballot?,
                () = &mut stopped => {
                    let left = counted(left.len() - done, "position");
                    let resume = Some("the same command".to_owned());
                    return Err(Interrupted::with(&left, resume).into());
                }
            };
            ballots.add(*plies, ballot)?;
            progress.advance();
        }
        Ok(())
    }

    /// Consults about one position. It is a game of its own, for which the players' tables are empty: an
    /// analysis that goes on finds what it would have found in one run. Where no player has answered, as on a machine
    /// that was busy for a moment, they are asked once more.
    async fn ask(&self, team: &Team, prepared: &Prepared, game: &Game) -> anyhow::Result<Ballot> {
        let mut ballot = self.ask_once(team, prepared, game).await?;
        if !is_answered(&ballot) {
            ballot = self.ask_once(team, prepared, game).await?;
        }
        if is_answered(&ballot) {
            return Ok(ballot);
        }
        let plies = counted(game.moves().len(), "move");
        let why = why_no_votes(&ballot, &prepared.roster, &prepared.problems);
        bail!("after {plies}: {why}; the same command goes on with this position");
    }

    async fn ask_once(
        &self,
        team: &Team,
        prepared: &Prepared,
        game: &Game,
    ) -> anyhow::Result<Ballot> {
        let begin = team.consultation.named_in(Begin {
            game_id: format!("{}-{}", prepared.game_id, game.moves().len()),
            position: Some(game.into()),
            limits: Some(self.limits),
            seed: self.seed,
            // The players are asked what they think, also in the opening.
            without_book: true,
            ..Begin::default()
        });
        let consultation = ConsultationClient::begin(team.client.clone(), begin);
        Ok(consultation.decided().await?)
    }

    /// Writes the commented games and the page, and prints the table.
    fn write(self, views: &[PositionView], decided: &[Decided]) -> anyhow::Result<()> {
        let names = self.game.names().map(|name| name.map(str::to_owned));
        let data = json!({
            "event": self.game.event(),
            "black": names[0],
            "white": names[1],
            "calibrated": view::is_calibrated(views),
            "positions": views.iter().map(PositionView::json).collect::<Vec<_>>(),
            "decided_by_rules": (decided.iter())
                .map(|(plies, by)| json!({ "plies": plies, "by": by }))
                .collect::<Vec<_>>(),
        });
        let write = |extension: &str, text: String| {
            let path = self.path(extension);
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
        };
        let mut commented = self.game.clone();
        for view in views {
            commented.comment(view.plies, &comments::of(view));
        }
        let kif = commented
            .kif()
            .context("the game cannot be written as KIF")?;
        // The extension of KIF in UTF-8: programs decode .kif as Shift_JIS, which lacks letters that names may have.
        write("kifu", kif)?;
        if self.game.lacks_variations() {
            tell!("warning: variations are left out; only those of a KIF file are kept");
        }
        match commented.csa() {
            Ok(csa) => write("csa", csa)?,
            Err(error) => {
                let error = anyhow::Error::from(error);
                tell!("warning: the game cannot be written as CSA: {error:#}");
            }
        }
        write("html", page::render(&self.name, &data))?;
        match self.json {
            true => print(&(serde_json::to_string_pretty(&data)? + "\n")),
            false => {
                let written =
                    ["kifu", "csa", "html", "jsonl"].map(|extension| self.path(extension));
                let written = written.iter().filter(|path| path.exists());
                let written: Vec<String> = written.map(|path| path.display().to_string()).collect();
                let table = table::render(views, decided);
                print(&format!("{table}\nwritten: {}\n", written.join(", ")))
            }
        }
    }

    fn path(&self, extension: &str) -> PathBuf {
        self.folder
            .join(format!("{}.analysis.{extension}", self.name))
    }
}

/// Tells whether a player has answered: the fallback search alone is no view of the team.
fn is_answered(ballot: &Ballot) -> bool {
    let decision = ballot.decision.as_ref();
    decision.is_some_and(|decision| decision.tie_break() != TieBreak::Fallback)
}
