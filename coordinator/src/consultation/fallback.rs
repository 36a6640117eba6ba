//! The coordinator's own move, for when no player has one.

use monju_engine::{Answer, Control, Game, Limits, Player, PlayerSettings, STACK_BYTES};
use std::{
    thread,
    time::{Duration, Instant},
};
use tokio::sync::oneshot;
use tracing::warn;

/// Without time: small enough to be over in milliseconds, enough to see what is hanging.
const NODES: u64 = 5_000;

/// For machines so busy that even so few nodes take long.
const PATIENCE: Duration = Duration::from_millis(40);

/// With time, a search worth the name.
const HASH_MIB: usize = 64;

/// A legal move, or `resign` where there is none. `left` is the time that the players would have
/// had; `control` ends the search earlier.
pub(super) async fn choose(game: Game, left: Duration, control: Control) -> String {
    warn!(
        left_ms = left.as_millis(),
        "no player has a move; searching for one"
    );
    let until = Instant::now() + left;
    let any = game.legal_moves().first().copied();
    let (answer, searched) = oneshot::channel();
    let thread = thread::Builder::new()
        .name("fallback".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || answer.send(search(&game, until, &control)));
    let searched = match thread {
        Ok(_) => searched.await.ok().flatten(),
        Err(_) => None,
    };
    match searched.or(any.map(|mv| mv.to_string())) {
        Some(mv) => mv,
        None => "resign".to_owned(),
    }
}

/// Making a player takes time, too, on a machine that had none so far: it is taken off.
fn search(game: &Game, until: Instant, control: &Control) -> Option<String> {
    let left = || until.saturating_duration_since(Instant::now());
    let is_long = left() > PATIENCE;
    let settings = PlayerSettings {
        hash_mib: if is_long { HASH_MIB } else { 1 },
        ..PlayerSettings::default()
    };
    let mut player = Player::new(settings).ok()?;
    player.new_game(0);
    let limits = if is_long {
        Limits {
            time: Some(left()),
            ..Limits::default()
        }
    } else {
        Limits {
            nodes: Some(NODES),
            time: Some(PATIENCE),
            ..Limits::default()
        }
    };
    match player.think(game, &limits, control, &mut |_| {}).answer {
        Answer::Move(mv) if game.is_legal(mv) => Some(mv.to_string()),
        _ => None,
    }
}
