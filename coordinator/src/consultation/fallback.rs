//! The coordinator's own move, for when no player has one.

use monju_engine::{Answer, Control, Game, Limits, Player, PlayerSettings};
use std::time::Duration;
use tracing::warn;

/// Small enough to be over in milliseconds, enough to see what is hanging.
const NODES: u64 = 5_000;

/// For machines so busy that even so few nodes take long.
const PATIENCE: Duration = Duration::from_millis(100);

/// A legal move, or `resign` where there is none.
pub(super) async fn choose(game: Game) -> String {
    warn!("no player has a move; searching for one");
    let any = game.legal_moves().first().copied();
    let searched = tokio::task::spawn_blocking(move || search(&game)).await;
    match searched.ok().flatten().or(any.map(|mv| mv.to_string())) {
        Some(mv) => mv,
        None => "resign".to_owned(),
    }
}

fn search(game: &Game) -> Option<String> {
    let settings = PlayerSettings {
        hash_mib: 1,
        ..PlayerSettings::default()
    };
    let limits = Limits {
        nodes: Some(NODES),
        depth: None,
        time: Some(PATIENCE),
    };
    let mut player = Player::new(settings).ok()?;
    player.new_game(0);
    match player
        .think(game, &limits, &Control::new(), &mut |_| {})
        .answer
    {
        Answer::Move(mv) if game.is_legal(mv) => Some(mv.to_string()),
        _ => None,
    }
}
