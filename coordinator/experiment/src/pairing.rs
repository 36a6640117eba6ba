//! The two contestants of a board.

use super::{
    contestant::{BoardResources, Contestant, ContestantError},
    record::MatchSide,
    specification::SideEnsemble,
};
use monju_host::CoreSet;

/// The two contestants of a board, as far as they are started. One that also plays the next pair, on the same cores,
/// stays.
#[derive(Debug, Default)]
pub struct Pairing([Option<SeatedContestant>; 2]);

/// A contestant with the cores on which it was started.
#[derive(Debug)]
struct SeatedContestant {
    contestant: Contestant,
    cores: CoreSet,
}

impl Pairing {
    /// Starts the contestants of both ensembles, after ending those with other members.
    ///
    /// # Errors
    /// A side cannot be started or reached.
    pub async fn arrange(
        &mut self,
        ensembles: [&SideEnsemble; 2],
        board: &BoardResources,
    ) -> Result<[&mut Contestant; 2], (MatchSide, ContestantError)> {
        let [first, second] = &mut self.0;
        let boards = board.of_sides(ensembles);
        let first = prepare(first, ensembles[0], &boards[0])
            .await
            .map_err(|error| (MatchSide::First, error))?;
        let second = prepare(second, ensembles[1], &boards[1])
            .await
            .map_err(|error| (MatchSide::Second, error))?;
        Ok([first, second])
    }

    /// Ends both sides.
    pub async fn clear(&mut self) {
        for place in &mut self.0 {
            if let Some(seated) = place.take() {
                seated.contestant.close().await;
            }
        }
    }
}

/// Keeps a contestant with the right members, or starts another one in its place.
async fn prepare<'a>(
    place: &'a mut Option<SeatedContestant>,
    ensemble: &SideEnsemble,
    board: &BoardResources,
) -> Result<&'a mut Contestant, ContestantError> {
    let kept = match place.take() {
        Some(mut seated)
            if seated.contestant.ensemble().same_team(ensemble) && seated.cores == board.cores =>
        {
            seated.contestant.adopt(ensemble);
            seated
        }
        other => {
            if let Some(other) = other {
                other.contestant.close().await;
            }
            SeatedContestant {
                contestant: Contestant::start(ensemble, board).await?,
                cores: board.cores.clone(),
            }
        }
    };
    Ok(&mut place.insert(kept).contestant)
}
