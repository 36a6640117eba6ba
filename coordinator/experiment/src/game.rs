//! One game: two sides under a referee that knows the rules.

mod plan;
mod referee;

#[cfg(test)]
mod tests;

pub use plan::{Finished, GamePlan};

use super::{
    contestant::{Contestant, ContestantError, MoveQuestion, TurnAnswer},
    record::{Incident, MatchSide},
    store::GameUnderWay,
};
use referee::Referee;

/// Plays a game to its end.
///
/// # Errors
/// A side failed, which leaves the game without a result.
pub async fn play(
    plan: &GamePlan<'_>,
    mut sides: [&mut Contestant; 2],
) -> Result<Finished, Incident> {
    let ensembles = sides.each_ref().map(|side| side.ensemble().clone());
    let mut referee = Referee::new(plan, &ensembles)?;
    let failed = |side: MatchSide, error: &ContestantError| Incident {
        game: plan.number,
        cause: error.cause(),
        side,
        detail: error.to_string(),
        stall: None,
    };
    for side in [MatchSide::First, MatchSide::Second] {
        let prepared = sides[side.index()].new_game(plan.id).await;
        prepared.map_err(|error| failed(side, &error))?;
    }
    let end = loop {
        if let Some(end) = referee.by_rules().or_else(|| referee.adjudicated()) {
            break end;
        }
        if let Some(watch) = plan.watch {
            watch.send_replace(GameUnderWay {
                game: plan.number,
                position: referee.game().to_usi(),
            });
        }
        let side = referee.to_move();
        let question = MoveQuestion {
            game: referee.game(),
            game_id: plan.id,
            seed: plan.seeds[side.index()],
            clock: referee.clock(side),
        };
        let waiting = side.other();
        let clock = referee.clock(waiting);
        sides[waiting.index()].ponder(referee.game(), clock).await;
        let heard = match answer(side, sides.each_mut(), &question).await {
            Ok(answer) => referee.hear(side, answer),
            Err(error) => Err(failed(side, &error)),
        };
        let end = match heard {
            Err(incident) => Some(referee.lost_by_crash(incident)?),
            Ok(end) => end,
        };
        if let Some(end) = end {
            break end;
        }
    };
    // Those of the preparation and of the game.
    for side in [MatchSide::First, MatchSide::Second] {
        let contestant = &mut sides[side.index()];
        // An engine that does not end its thought is killed, and its reports with it.
        referee.note_errors(side, contestant.take_errors());
        contestant.stop_pondering().await;
        referee.note_errors(side, contestant.take_errors());
    }
    Ok(referee.finish(end))
}

/// The answer of the side to move, while the other one is listened to.
async fn answer(
    side: MatchSide,
    sides: [&mut &mut Contestant; 2],
    question: &MoveQuestion<'_>,
) -> Result<TurnAnswer, ContestantError> {
    let [first, second] = sides;
    let (asked, waiting) = match side {
        MatchSide::First => (first, second),
        MatchSide::Second => (second, first),
    };
    tokio::select! {
        answer = asked.ask(question) => answer,
        never = waiting.attend() => match never {},
    }
}
