//! The two contestants of a board.

use super::{
    contestant::{BoardResources, Contestant, ContestantError},
    record::MatchSide,
    specification::SideEnsemble,
};

/// The two contestants of a board, as far as they are started. One that also plays the next pair stays.
#[derive(Debug, Default)]
pub struct Pairing([Option<Contestant>; 2]);

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
        for contestant in &mut self.0 {
            if let Some(contestant) = contestant.take() {
                contestant.close().await;
            }
        }
    }
}

/// Keeps a contestant with the right members, or starts another one in its place.
async fn prepare<'a>(
    place: &'a mut Option<Contestant>,
    ensemble: &SideEnsemble,
    board: &BoardResources,
) -> Result<&'a mut Contestant, ContestantError> {
    let kept = match place.take() {
        Some(mut contestant) if contestant.ensemble().same_team(ensemble) => {
            contestant.adopt(ensemble);
            contestant
        }
        other => {
            if let Some(other) = other {
                other.close().await;
            }
            Contestant::start(ensemble, board).await?
        }
    };
    Ok(place.insert(kept))
}
