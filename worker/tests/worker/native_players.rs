//! Native players behind the service.

use crate::support::{Think, endless, go, in_process, nodes};
use monju_proto::v1;

const NOISY: &str = "[[player]]\nname = \"n\"\nsigma = 50\nhash_mib = 4\n";

fn native(limits: v1::Limits) -> v1::Go {
    v1::Go {
        player: "n".to_owned(),
        ..go(limits)
    }
}

/// The answer to a go, with what may differ between runs left out.
async fn timeless(tables: &str, go: v1::Go) -> v1::ThinkResult {
    let (_worker, client) = in_process(tables).await;
    let (mut result, _) = Think::go(&client, go)
        .await
        .answer()
        .await
        .expect("an answer");
    let line = result.line.as_mut().expect("a line");
    line.time_ms = 0;
    // The table is counted once a search has lasted a while.
    line.hash_full = None;
    result
}

#[tokio::test]
async fn the_same_seed_and_nodes_give_the_same_answer() {
    let seeded = |noise_seed| v1::Go {
        noise_seed,
        ..native(nodes(20_000))
    };
    let first = timeless(NOISY, seeded(1)).await;
    let again = timeless(NOISY, seeded(1)).await;
    let other = timeless(NOISY, seeded(2)).await;
    assert_eq!(first, again);
    assert_eq!(first.noise_seed, Some(1));
    assert_eq!(other.noise_seed, Some(2));
    assert_ne!(first.line, other.line, "another seed is another player");
}

#[tokio::test]
async fn a_fixed_seed_makes_games_alike() {
    let table = format!("{NOISY}seed = 9\n");
    let seeded = |noise_seed| v1::Go {
        noise_seed,
        ..native(nodes(5_000))
    };
    let result = timeless(&table, seeded(1)).await;
    assert_eq!(result, timeless(&table, seeded(2)).await);
    assert_eq!(result.noise_seed, Some(9));
}

#[tokio::test]
async fn a_player_chooses_among_the_moves_asked_for() {
    let among = |moves: &[&str]| v1::Go {
        search_moves: moves.iter().map(ToString::to_string).collect(),
        ..native(nodes(2_000))
    };
    for _ in 0..2 {
        let result = timeless(NOISY, among(&["9g9f", "1a1b", "1g1f"])).await;
        let chosen = result.line.expect("a line").r#move;
        assert!(["9g9f", "1g1f"].contains(&&*chosen), "{chosen}");
    }
    let unrestricted = timeless(NOISY, among(&["1a1b"])).await;
    assert_eq!(unrestricted, timeless(NOISY, among(&[])).await);
}

#[tokio::test]
async fn own_limits_replace_the_ballots() {
    let result = timeless(&format!("{NOISY}depth = 2\n"), native(endless())).await;
    assert_eq!(result.line.expect("a line").depth, 2);
}

#[tokio::test]
async fn stop_brings_the_vote() {
    let (_worker, client) = in_process(NOISY).await;
    let mut think = Think::go(&client, native(endless())).await;
    let progress = think.progress().await;
    assert_eq!(progress.pv.first(), Some(&progress.r#move));
    think.stop().await;
    assert_eq!(think.line().await.r#move.len(), 4);
}

#[tokio::test]
async fn a_second_coordinator_waits_for_the_first() {
    let (_worker, client) = in_process(NOISY).await;
    let mut earlier = Think::go(&client, native(endless())).await;
    earlier.progress().await;
    let of_another_game = |limits| v1::Go {
        game_id: "another".to_owned(),
        ..native(limits)
    };
    // One that has no time to wait is told why it has no vote.
    let hurried = v1::Limits {
        time_ms: Some(50),
        ..v1::Limits::default()
    };
    let mut hurried = Think::go(&client, of_another_game(hurried)).await;
    let refusal = hurried.failure().await;
    assert!(
        refusal.message().contains("busy with game 'game'"),
        "{refusal}"
    );
    // The first goes on all the while, and ends when its owner says so.
    let mut later = Think::go(&client, of_another_game(nodes(1_000))).await;
    let depth = earlier.progress().await.depth;
    while earlier.progress().await.depth < depth + 2 {}
    earlier.stop().await;
    assert!(!earlier.line().await.r#move.is_empty());
    assert!(!later.line().await.r#move.is_empty());
}

/// As after a connection was lost of which only the coordinator knows.
#[tokio::test]
async fn a_later_question_in_the_same_game_ends_the_earlier_search() {
    let (_worker, client) = in_process(NOISY).await;
    let mut earlier = Think::go(&client, native(endless())).await;
    earlier.progress().await;
    let mut later = Think::go(&client, native(nodes(1_000))).await;
    assert!(!later.line().await.r#move.is_empty());
    assert!(!earlier.line().await.r#move.is_empty());
}

/// As from a coordinator that wakes up after another one has taken its game over.
#[tokio::test]
async fn a_question_about_an_earlier_position_of_the_game_waits() {
    let (_worker, client) = in_process(NOISY).await;
    let of = |moves: &[&str], limits| {
        let position = v1::Position {
            start: "startpos".to_owned(),
            moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
            ..v1::Position::default()
        };
        v1::Go {
            position: Some(position),
            ..native(limits)
        }
    };
    let mut present = Think::go(&client, of(&["7g7f", "3c3d"], endless())).await;
    present.progress().await;
    let mut stale = Think::go(&client, of(&["7g7f"], nodes(1_000))).await;
    let depth = present.progress().await.depth;
    while present.progress().await.depth < depth + 2 {}
    // The next question of the game replaces the running search, and not the one that waits.
    let mut next = Think::go(&client, of(&["7g7f", "3c3d", "2g2f"], nodes(1_000))).await;
    assert!(!present.line().await.r#move.is_empty());
    assert!(!next.line().await.r#move.is_empty());
    assert!(!stale.line().await.r#move.is_empty());
}

#[tokio::test]
async fn a_think_that_nobody_wants_any_more_is_not_waited_for() {
    let (_worker, client) = in_process(NOISY).await;
    let mut earlier = Think::go(&client, native(endless())).await;
    earlier.progress().await;
    drop(earlier);
    let mut later = Think::go(&client, native(nodes(1_000))).await;
    assert!(!later.line().await.r#move.is_empty());
}

#[tokio::test]
async fn limits_count_from_the_ponder_hit() {
    let (_worker, client) = in_process(NOISY).await;
    let ponder = v1::Limits {
        ponder: true,
        ..nodes(1)
    };
    let mut think = Think::go(&client, native(ponder)).await;
    while think.progress().await.depth < 4 {}
    think
        .ponder_hit(v1::Limits {
            depth: Some(1),
            ..v1::Limits::default()
        })
        .await;
    assert!(think.line().await.depth >= 4);
}

#[tokio::test]
async fn moves_are_ranked_while_pondering_too() {
    let (_worker, client) = in_process(NOISY).await;
    let ponder = v1::Limits {
        ponder: true,
        multi_pv: Some(3),
        ..endless()
    };
    let mut think = Think::go(&client, native(ponder)).await;
    while think.progress().await.depth < 3 {}
    think.ponder_hit(nodes(10)).await;
    assert_eq!(think.line().await.candidates.len(), 3);
}

#[tokio::test]
async fn an_answer_while_pondering_is_held_until_the_hit() {
    let (_worker, client) = in_process(NOISY).await;
    let mated = v1::Position {
        start: "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1".to_owned(),
        moves: Vec::new(),
        ..v1::Position::default()
    };
    let go = v1::Go {
        position: Some(mated),
        ..native(v1::Limits {
            ponder: true,
            ..v1::Limits::default()
        })
    };
    let mut think = Think::go(&client, go).await;
    think.ponder_hit(nodes(100)).await;
    let line = think.line().await;
    assert_eq!(line.r#move, "resign");
    assert!(line.pv.is_empty());
}

#[tokio::test]
async fn closing_ends_a_running_search() {
    let (worker, client) = in_process(NOISY).await;
    let mut think = Think::go(&client, native(endless())).await;
    think.progress().await;
    worker.close().await;
    let status = think.failure().await;
    assert!(status.message().contains("shutting down"), "{status}");
}
