//! Tests of the play of one game.

use super::{
    super::testing::{MUTE, board, connected, summary},
    *,
};
use tokio::{io::AsyncWriteExt, sync::mpsc::unbounded_channel};

#[tokio::test]
async fn a_turn_goes_on_through_a_lost_connection() {
    let mut board = board(&[MUTE]).await;
    board.prepare(&summary("")).await.expect("ready");
    let start = Instant::now();
    board.begin(start);
    board.think().await.expect("asked");
    let lost = start + Duration::from_secs(28);
    board.resume(&summary(""), lost).await.expect("resumed");
    assert_eq!(
        (board.turn_began, &board.thinking),
        (start, &EngineTask::Move)
    );
    board.sent = Some(Sent {
        text: "+7776FU".to_owned(),
        mv: None,
        score: None,
    });
    board.resume(&summary(""), lost).await.expect("resumed");
    assert!(board.sent.is_some() && board.turn_began == start);
    // The move has arrived, and was answered meanwhile.
    let moves = summary("+7776FU,T9\n-3334FU,T7\n");
    board.resume(&moves, lost).await.expect("resumed");
    assert!(board.sent.is_none() && board.is_our_turn());
    assert_eq!(board.turn_began, lost);
    let thinking = &board.thinking;
    assert!(matches!(thinking, EngineTask::Discarded(_)), "{thinking:?}");
    assert_eq!(
        board.clocks.words(Color::Black),
        "btime 21000 wtime 23000 byoyomi 0"
    );
    board.close().await;
}

#[tokio::test]
async fn moves_before_the_game_add_no_time() {
    let mut board = board(&[MUTE]).await;
    let with_increment = |moves: &str| {
        let mut offered = summary(moves);
        for rule in &mut offered.rules {
            rule.increment = 10_000;
        }
        offered
    };
    let opening = "+7776FU,T1\n-3334FU,T1\n";
    let words = |board: &Board| board.clocks.words(Color::Black);
    board
        .prepare(&with_increment(opening))
        .await
        .expect("ready");
    assert_eq!(
        words(&board),
        "btime 20000 wtime 20000 binc 10000 winc 10000"
    );
    // A game that was adjourned goes on with what is left of its time.
    let adjourned = "+7776FU,T25\n-3334FU,T1\n";
    board
        .prepare(&with_increment(adjourned))
        .await
        .expect("ready");
    assert_eq!(
        words(&board),
        "btime 5000 wtime 20000 binc 10000 winc 10000"
    );
    // Moves of the game itself add their time, before a lost connection and after it.
    board
        .prepare(&with_increment(opening))
        .await
        .expect("ready");
    let moves = with_increment("+7776FU,T1\n-3334FU,T1\n+2726FU,T4\n-8384FU,T12\n");
    board.resume(&moves, Instant::now()).await.expect("resumed");
    assert_eq!(
        words(&board),
        "btime 26000 wtime 18000 binc 10000 winc 10000"
    );
    board.close().await;
}

/// An engine that ends when it is asked for a move.
const MORTAL: &str = "while read -r line; do case \"$line\" in usi) echo usiok ;; isready) echo readyok ;; \
    go*|quit) exit ;; esac; done";

#[tokio::test]
async fn an_engine_that_has_ended_when_a_line_of_the_server_comes_is_started_again() {
    let ponder = || EngineTask::Ponder("3c3d".parse().expect("a move"), None);
    // The moves of the game, the work of the engine, and the line of the server.
    let cases = [
        ("", EngineTask::Move, "+7776FU,T1"),
        ("+7776FU,T1\n", ponder(), "-3334FU,T1"),
        ("+7776FU,T1\n", ponder(), "-8384FU,T1"),
        ("", EngineTask::Move, "resume"),
    ];
    let mut board = board(&[MORTAL]).await;
    for (moves, thinking, line) in cases {
        board.prepare(&summary(moves)).await.expect("ready");
        board.think().await.expect("asked");
        let ended = board.engine.next().await;
        assert!(matches!(ended, Err(ChildError::Ended(_))), "{ended:?}");
        board.thinking = thinking;
        match line {
            "resume" => {
                let moves = summary("+7776FU,T9\n-3334FU,T7\n");
                let resumed = board.resume(&moves, Instant::now()).await;
                resumed.expect("the game goes on");
            }
            line => board.moved(line).await.expect("the game goes on"),
        }
        assert!(board.has_restarted, "{line}");
        assert_eq!(board.thinking, EngineTask::Nothing, "{line}");
        board.engine.ready().await.expect("a new engine");
    }
    board.close().await;
}

#[tokio::test]
async fn a_move_that_came_while_the_engine_was_started_again_has_begun_our_turn_then() {
    let mut board = board(&[MUTE]).await;
    let (mut connection, mut server) = connected().await;
    let (_interrupt, mut interrupts) = unbounded_channel();
    let offered = summary("+7776FU,T1\n");
    board.prepare(&offered).await.expect("ready");
    board.restart(ChildError::Deaf).await.expect("started");
    assert!(board.unread_since.is_some());
    let mut is_last = false;
    let playing = board.play(&mut connection, &mut interrupts, &mut is_last);
    let waited = tokio::time::timeout(Duration::from_millis(1), playing).await;
    assert!(waited.is_err() && board.unread_since.is_none());
    // The same, but the opponent moves before the engine is there.
    board.prepare(&offered).await.expect("ready");
    let line = b"-3334FU,T1\n";
    server.write_all(line).await.expect("sent");
    board.restart(ChildError::Deaf).await.expect("started");
    let started = Instant::now();
    drop(server);
    let playing = board.play(&mut connection, &mut interrupts, &mut is_last);
    let left = playing.await.expect("the user stays");
    assert!(matches!(left, Left::Lost(_)), "{left:?}");
    assert_eq!(board.thinking, EngineTask::Move);
    assert!(board.turn_began < started);
    // The connection was lost with the move.
    board.prepare(&offered).await.expect("ready");
    board.restart(ChildError::Deaf).await.expect("started");
    let started = Instant::now();
    let moved = summary("+7776FU,T1\n-3334FU,T1\n");
    board.resume(&moved, started).await.expect("resumed");
    assert!(board.turn_began < started);
    board.close().await;
}

#[tokio::test]
async fn a_game_that_cannot_go_on_is_broken_off_and_the_next_one_has_an_engine() {
    let mut board = board(&[MUTE]).await;
    board.prepare(&summary("")).await.expect("ready");
    let again = board.restart(ChildError::Deaf).await;
    again.expect("the first failure");
    // It hangs in its search, and names no move at the end of the game.
    board.think().await.expect("asked");
    let left = board.restart(ChildError::Deaf).await;
    assert!(matches!(left, Err(Left::Unplayable(_))), "{left:?}");
    let stopped = board.engine.stop().await;
    assert!(stopped.is_err(), "it is not waited for");
    let played = board.break_off().await;
    assert_eq!((played.outcome, played.ending), (None, "interruption"));
    board.prepare(&summary("")).await.expect("ready again");
    let left = board.moved("+7775FU,T1").await;
    let Err(Left::Unplayable(reason)) = left else {
        panic!("{left:?}");
    };
    assert_eq!(reason, "the server plays +7775FU, which is illegal here");
    board.close().await;
}

#[tokio::test]
async fn an_engine_that_ignores_stop_in_mid_game_is_not_waited_for_long() {
    let mut board = board(&[MUTE]).await;
    board
        .prepare(&summary("+7776FU,T1\n"))
        .await
        .expect("ready");
    board.think().await.expect("asked");
    board.thinking = EngineTask::Ponder("3c3d".parse().expect("a move"), None);
    board.moved("-8384FU,T1").await.expect("a missed ponder");
    tokio::time::pause();
    let heard = board.listen().await;
    assert!(
        matches!(heard, Err(ChildError::IgnoredStop(_))),
        "{heard:?}"
    );
    board.close().await;
}

#[tokio::test]
async fn the_number_of_moves_of_one_game_is_not_that_of_the_next() {
    let mut board = board(&[MUTE]).await;
    let mut most = async |most_moves| {
        let conditions = GameSummary {
            most_moves,
            ..summary("")
        };
        board.prepare(&conditions).await.expect("ready");
        let mut set = board.conditions.iter();
        let most = set.find(|(name, _)| *name == MOST_MOVES);
        most.map(|(_, value)| value.to_string())
    };
    assert_eq!(most(None).await, None);
    assert_eq!(most(Some(256)).await.as_deref(), Some("256"));
    assert_eq!(most(None).await.as_deref(), Some("0"));
    assert_eq!(most(None).await.as_deref(), Some("0"));
    let own = OptionValue::Text("320".to_owned());
    board.spec.options.0.push((MOST_MOVES.to_owned(), own));
    let own = board.conditions_of(&summary(""));
    assert!(own.contains(&(MOST_MOVES, OptionValue::Text("320".to_owned()))));
    // How the server counts is known to the user, if the user says so.
    let drops = |conditions: &[(&str, OptionValue)]| {
        let drops = (conditions.iter()).find(|(name, _)| *name == FULL_SECONDS);
        drops.map(|(_, value)| value.to_string())
    };
    assert_eq!(drops(&own).as_deref(), Some("true"));
    let own = OptionValue::Switch(false);
    board.spec.options.0.push((FULL_SECONDS.to_owned(), own));
    assert_eq!(drops(&board.conditions_of(&summary(""))), None);
    board.close().await;
}

#[tokio::test]
async fn an_engine_that_died_between_two_games_is_started_again() {
    let mut board = board(&[MUTE]).await;
    board.prepare(&summary("")).await.expect("ready");
    board.break_off().await;
    board.engine.kill().await;
    board.prepare(&summary("")).await.expect("ready again");
    assert!(!board.has_restarted, "the game has a start of its own");
    board.engine.ready().await.expect("a new engine");
    board.close().await;
}

/// An engine that says whether the one before it is alive.
const SUCCESSOR: &str = "kill -0 $(cat \"$0\") && echo info string error: it lives; echo $$ > \"$0\"; \
    while read -r line; do case \"$line\" in usi) echo usiok ;; isready) echo readyok ;; quit) exit ;; esac; done";

#[tokio::test]
async fn an_engine_is_gone_before_another_takes_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let number = folder.path().join("number");
    let mut board = board(&[SUCCESSOR, number.to_str().expect("a path in UTF-8")]).await;
    board.start_again().await.expect("started");
    let reports = board.engine.take_reports();
    assert!(reports.errors().is_empty(), "{reports:?}");
    board.close().await;
}

/// An engine that writes down what it hears, and has an option for the greatest number of moves.
const LISTENER: &str = "while read -r line; do echo \"$line\" >> \"$0\"; case \"$line\" in \
    usi) echo option name MaxMovesToDraw type spin default 0; echo usiok ;; isready) echo readyok ;; \
    quit) exit ;; esac; done";

#[tokio::test]
async fn an_engine_started_again_in_mid_game_hears_the_conditions_of_the_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("heard");
    let log = log.to_str().expect("a path in UTF-8");
    let mut board = board(&[LISTENER, log]).await;
    let conditions = GameSummary {
        most_moves: Some(256),
        ..summary("")
    };
    board.prepare(&conditions).await.expect("ready");
    board.restart(ChildError::Deaf).await.expect("started");
    board.close().await;
    let heard = std::fs::read_to_string(log).expect("a log");
    // The first engine is killed, maybe before it has written down more.
    let ready = heard.matches("setoption name MaxMovesToDraw value 256\nisready\n");
    assert_eq!(ready.count(), 2, "{heard}");
    assert!(!heard.contains("RoundUpToFullSecond"), "{heard}");
}
