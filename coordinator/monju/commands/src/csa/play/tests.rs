//! Tests of the play of one game.

use super::{
    super::testing::{MUTE, board, conditions, connected, summary},
    seat::EngineEvent,
    *,
};
use std::{
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt},
    sync::mpsc::unbounded_channel,
    time::{advance, pause, sleep, timeout},
};

/// The engine of a board that has one.
fn seated(board: &mut Board) -> &mut UsiChild {
    board.seated().expect("an engine")
}

/// Starts an engine in place of the one that has failed.
async fn start(board: &mut Board) {
    assert!(board.engine.is_none());
    board.begin_to_start();
    match board.next_of_engine().await {
        EngineEvent::Started(Ok(Ok(engine))) => board.take_up(engine),
        _ => panic!("no engine"),
    }
}

/// Plays until the server hears a line.
async fn line_of(
    board: &mut Board,
    connection: &mut CsaConnection,
    server: &mut (impl AsyncBufReadExt + Unpin),
) -> String {
    let (_interrupt, mut interrupts) = unbounded_channel();
    let mut is_last = false;
    let mut line = String::new();
    tokio::select! {
        left = board.play(connection, &mut interrupts, &mut is_last) => panic!("{left:?}"),
        _ = server.read_line(&mut line) => {}
    }
    line
}

#[tokio::test]
async fn a_turn_goes_on_through_a_lost_connection() {
    let mut board = board(&[MUTE]).await;
    board.prepare(&summary("")).await.expect("ready");
    let start = Instant::now() - Duration::from_secs(29);
    board.begin(start);
    board.think().await.expect("asked");
    let lost = start + Duration::from_secs(28);
    board.resume(&summary(""), lost).await;
    assert_eq!(
        (board.turn_began, &board.thinking),
        (start, &EngineTask::Move)
    );
    board.sent = Some(Sent {
        text: "+7776FU".to_owned(),
        mv: None,
        score: None,
    });
    board.resume(&summary(""), lost).await;
    assert!(board.sent.is_some() && board.turn_began == start);
    // The move has arrived, and was answered meanwhile.
    let moves = summary("+7776FU,T9\n-3334FU,T7\n");
    board.resume(&moves, lost).await;
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
    board.resume(&moves, Instant::now()).await;
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
        let ended = seated(&mut board).next().await;
        assert!(matches!(ended, Err(ChildError::Ended(_))), "{ended:?}");
        board.thinking = thinking;
        match line {
            "resume" => {
                let moves = summary("+7776FU,T9\n-3334FU,T7\n");
                board.resume(&moves, Instant::now()).await;
            }
            line => board.moved(line).await,
        }
        assert_eq!(board.failures, 1, "{line}");
        assert_eq!(board.thinking, EngineTask::Nothing, "{line}");
        start(&mut board).await;
        seated(&mut board).ready().await.expect("a new engine");
    }
    board.close().await;
}

/// An engine that never answers, and makes a file when it hears of a position after 3c3d.
const NOTING: &str = "while read -r line; do case \"$line\" in usi) echo usiok ;; isready) echo readyok ;; \
    position*3c3d*) : > \"$0\" ;; quit) exit ;; esac; done";

/// Waits until there is a file.
async fn appearance_of(file: &Path) {
    while !file.exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_second_failure_leaves_our_move_to_the_substitute_and_the_next_one_to_an_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = folder.path().join("asked");
    let mut board = board(&[NOTING, asked.to_str().expect("a path in UTF-8")]).await;
    let (mut connection, mut server) = connected().await;
    board.prepare(&summary("")).await.expect("ready");
    board.restart(ChildError::Deaf);
    start(&mut board).await;
    board.think().await.expect("asked");
    board.restart(ChildError::Deaf);
    assert!(board.engine.is_none() && board.owes_move());
    let stopped = board.stop().await;
    assert!(stopped.is_err(), "it is not waited for");
    let line = line_of(&mut board, &mut connection, &mut server).await;
    let game = &board.game;
    let mut moves = game.legal_moves().into_iter();
    assert!(
        moves.any(|mv| game.position().csa_move(mv) == line.trim_end()),
        "{line}"
    );
    // The engine is started again in the opponent's time, and the opponent's move is heard meanwhile.
    let lines = format!("{},T1\n-3334FU,T1\n", line.trim_end());
    server.write_all(lines.as_bytes()).await.expect("sent");
    let (_interrupt, mut interrupts) = unbounded_channel();
    let mut is_last = false;
    tokio::select! {
        left = board.play(&mut connection, &mut interrupts, &mut is_last) => panic!("{left:?}"),
        () = appearance_of(&asked) => {}
    }
    assert!(board.engine.is_some());
    assert_eq!(board.thinking, EngineTask::Move);
    let played = board.break_off().await;
    assert_eq!((played.outcome, played.ending), (None, "interruption"));
    board.close().await;
}

#[tokio::test]
async fn an_engine_that_cannot_be_started_is_tried_twice_for_each_move() {
    let mut board = board(&[MUTE]).await;
    let (mut connection, mut server) = connected().await;
    board.prepare(&summary("")).await.expect("ready");
    board.spec = UsiSpec::of_program("/no/such/program");
    board.restart(ChildError::Deaf);
    let replies = async {
        let mut game = Game::startpos();
        let text = |game: &Game, mv: Move| game.position().csa_move(mv);
        for _ in 0..3 {
            let mut line = String::new();
            server.read_line(&mut line).await.expect("a move");
            let mut moves = game.legal_moves().into_iter();
            let ours = moves.find(|&mv| text(&game, mv) == line.trim_end());
            game.play(ours.expect("a legal move")).expect("legal");
            let reply = game.legal_moves()[0];
            let lines = format!("{},T1\n{},T1\n", line.trim_end(), text(&game, reply));
            server.write_all(lines.as_bytes()).await.expect("sent");
            game.play(reply).expect("legal");
        }
    };
    let (_interrupt, mut interrupts) = unbounded_channel();
    let mut is_last = false;
    tokio::select! {
        left = board.play(&mut connection, &mut interrupts, &mut is_last) => panic!("{left:?}"),
        () = replies => {}
    }
    assert!(board.failures <= MOST_FAILURES, "{}", board.failures);
    board.close().await;
}

/// An engine that thinks of a move and never answers.
const THINKER: &str = "while read -r line; do case \"$line\" in usi) echo usiok ;; isready) echo readyok ;; \
    go*) echo info depth 1 pv 2g2f ;; quit) exit ;; esac; done";

#[tokio::test]
async fn the_move_that_a_late_engine_has_thought_of_leaves_before_the_end_of_the_clock() {
    let mut board = board(&[THINKER]).await;
    let (mut connection, mut server) = connected().await;
    board.prepare(&summary("")).await.expect("ready");
    board.begin(Instant::now() - Duration::from_secs(28));
    board.think().await.expect("asked");
    let heard = board.next_of_engine().await;
    let heard = board.take_in(heard, &mut connection).await;
    heard.expect("the game goes on");
    let (end, reserve) = board.end_of_clock().expect("a clock");
    assert_eq!(end, board.turn_began + Duration::from_secs(30));
    assert_eq!(board.hurry_at(), Some(end - reserve));
    board.hurry(&mut connection).await.expect("connected");
    assert!(board.is_hurried && board.owes_move());
    assert_eq!(board.hurry_at(), Some(end - reserve / 2));
    board.hurry(&mut connection).await.expect("connected");
    assert_eq!((board.hurry_at(), board.end_of_clock()), (None, None));
    assert!(matches!(board.thinking, EngineTask::Discarded(_)));
    let mut line = String::new();
    server.read_line(&mut line).await.expect("a move");
    assert_eq!(line, "+2726FU\n");
    // What the late search still says is no answer, and none to the next question.
    let late = [
        UsiMessage::Info("depth 2 pv 1g1f".to_owned()),
        UsiMessage::BestMove(EngineAnswer {
            mv: "1g1f".to_owned(),
            ponder: None,
        }),
    ];
    for message in late {
        let heard = board.hear(message, &mut connection).await;
        heard.expect("the game goes on");
    }
    assert_eq!(board.thinking, EngineTask::Nothing);
    board.close().await;
}

#[tokio::test]
async fn the_clock_of_a_silent_engine_is_watched() {
    let mut board = board(&[THINKER]).await;
    let (mut connection, mut server) = connected().await;
    board.prepare(&summary("")).await.expect("ready");
    board.begin(Instant::now());
    board.think().await.expect("asked");
    let heard = board.next_of_engine().await;
    let heard = board.take_in(heard, &mut connection).await;
    heard.expect("the game goes on");
    let (end, _) = board.end_of_clock().expect("a clock");
    tokio::time::pause();
    let line = line_of(&mut board, &mut connection, &mut server).await;
    assert_eq!(line, "+2726FU\n");
    assert!(Instant::now() < end);
    board.close().await;
}

/// An engine that closes its output when it is asked for a move, makes a file then, and lives on.
const SPEECHLESS: &str = "while read -r line; do case \"$line\" in usi) echo usiok ;; isready) echo readyok ;; \
    go*) exec > /dev/null; : > \"$0\" ;; quit) exit ;; esac; done";

/// The flag fell while the end of the engine was waited for.
#[tokio::test]
async fn an_engine_that_closes_its_output_near_the_end_of_the_clock_is_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let closed = folder.path().join("closed");
    let mut board = board(&[SPEECHLESS, closed.to_str().expect("a path in UTF-8")]).await;
    let (mut connection, mut server) = connected().await;
    board.prepare(&summary("")).await.expect("ready");
    board.begin(Instant::now());
    board.think().await.expect("asked");
    appearance_of(&closed).await;
    // The end of its output is read, and that of the process waited for.
    let heard = timeout(Duration::from_millis(100), board.listen()).await;
    assert!(heard.is_err(), "{heard:?}");
    let (end, reserve) = board.end_of_clock().expect("a clock");
    pause();
    advance((end - reserve).saturating_duration_since(Instant::now())).await;
    board.hurry(&mut connection).await.expect("connected");
    assert!(Instant::now() < end - reserve / 2);
    assert!(board.engine.is_none());
    let line = line_of(&mut board, &mut connection, &mut server).await;
    assert!(line.starts_with('+'), "{line}");
    assert!(Instant::now() < end);
    board.close().await;
}

/// The flag fell while the engine was killed.
#[tokio::test]
async fn an_engine_that_plays_a_foul_near_the_end_of_the_clock_is_not_waited_for() {
    let mut board = board(&[MUTE]).await;
    let (mut connection, mut server) = connected().await;
    board.prepare(&summary("")).await.expect("ready");
    board.begin(Instant::now());
    board.think().await.expect("asked");
    let (end, reserve) = board.end_of_clock().expect("a clock");
    pause();
    advance((end - reserve).saturating_duration_since(Instant::now())).await;
    let now = Instant::now();
    let foul = UsiMessage::BestMove(EngineAnswer {
        mv: "7g7e".to_owned(),
        ponder: None,
    });
    let heard = board.hear(foul, &mut connection).await;
    heard.expect("the game goes on");
    assert_eq!(Instant::now(), now);
    assert!(board.engine.is_none());
    let line = line_of(&mut board, &mut connection, &mut server).await;
    assert!(line.starts_with('+'), "{line}");
    assert!(Instant::now() < end);
    board.close().await;
}

/// Seconds for which the machine of a test has been asleep.
static ASLEEP_S: AtomicU64 = AtomicU64::new(0);

fn asleep() -> Duration {
    Duration::from_secs(ASLEEP_S.load(Ordering::Relaxed))
}

/// A notebook whose lid was closed in our turn lost on time.
#[tokio::test]
async fn time_asleep_in_our_turn_is_taken_off_the_clock() {
    let mut board = board(&[THINKER]).await;
    let (mut connection, mut server) = connected().await;
    board.prepare(&summary("")).await.expect("ready");
    board.asleep = SleepMeter::of(asleep);
    // That of the opponent's turn is none of ours.
    ASLEEP_S.store(100, Ordering::Relaxed);
    board.begin(Instant::now());
    board.think().await.expect("asked");
    let heard = board.next_of_engine().await;
    let heard = board.take_in(heard, &mut connection).await;
    heard.expect("the game goes on");
    pause();
    let falls_asleep = async {
        sleep(Duration::from_secs(5)).await;
        ASLEEP_S.store(120, Ordering::Relaxed);
    };
    let line = line_of(&mut board, &mut connection, &mut server);
    let (line, ()) = tokio::join!(line, falls_asleep);
    assert_eq!(line, "+2726FU\n");
    // Of the 30 s, the opponent would have had to wait for 20 alone.
    let turn = board.turn_began.elapsed();
    assert!(
        turn > Duration::from_secs(29) && turn < Duration::from_secs(30),
        "{turn:?}"
    );
    board.close().await;
}

/// A move of the opponent that came while the machine was asleep seemed to be new.
#[tokio::test]
async fn a_turn_that_began_while_the_machine_was_asleep_has_run_since() {
    static ASLEEP_S: AtomicU64 = AtomicU64::new(0);
    let falls_asleep = |seconds| ASLEEP_S.fetch_add(seconds, Ordering::Relaxed);
    let mut board = board(&[MUTE]).await;
    board.prepare(&summary("")).await.expect("ready");
    board.asleep = SleepMeter::of(|| Duration::from_secs(ASLEEP_S.load(Ordering::Relaxed)));
    pause();
    for charge in &mut board.charges {
        charge.least = 1_000;
    }
    for (ours, awake_s, asleep_s, theirs, expected_s) in [
        ("+7776FU,T0", 4, 12, "-3334FU,T10", 6.0),
        ("+2726FU,T7", 9, 0, "-8384FU,T2", 0.0),
        ("+2625FU,T0", 1, 3, "-8485FU,T1", 3.0),
        ("+9796FU,T3", 9, 3, "-9394FU,T12", 0.0),
        ("+1716FU,T0", 9, 3, "-1314FU", 0.0),
    ] {
        board.moved(ours).await;
        sleep(Duration::from_secs(awake_s)).await;
        falls_asleep(asleep_s);
        board.count_sleep();
        board.moved(theirs).await;
        let run = board.turn_began.elapsed().as_secs_f64();
        assert!((run - expected_s).abs() < 0.01, "{theirs}: {run}");
    }
    // Our move has gone, and both lines come when the machine wakes up.
    sleep(Duration::from_secs(5)).await;
    falls_asleep(20);
    board.moved("+3938GI,T5").await;
    board.moved("-7172GI,T8").await;
    let run = board.turn_began.elapsed().as_secs_f64();
    assert!((11.9..12.1).contains(&run), "{run}");
    // It wakes up in its turn, which is over when the next one begins.
    board.moved("+4746FU,T14").await;
    sleep(Duration::from_secs(2)).await;
    board.moved("-6364FU,T2").await;
    assert_eq!(board.turn_began.elapsed(), Duration::ZERO);
    // A sleep of the opponent's turn is over long before the connection is lost, and its move comes.
    board.moved("+6766FU,T0").await;
    sleep(Duration::from_secs(4)).await;
    falls_asleep(600);
    board.count_sleep();
    sleep(Duration::from_secs(10)).await;
    let lost = Instant::now();
    sleep(Duration::from_secs(6)).await;
    let moves: Vec<String> = board.game.moves().iter().map(ToString::to_string).collect();
    let mut taken_up = summary("");
    let moves = format!("startpos moves {} 6d6e", moves.join(" "));
    taken_up.timed.game = Game::from_usi(&moves).expect("legal");
    taken_up.timed.times = vec![Duration::ZERO; taken_up.timed.game.moves().len()];
    *taken_up.timed.times.last_mut().expect("a move") = Duration::from_secs(614);
    board.resume(&taken_up, lost).await;
    let run = board.turn_began.elapsed().as_secs_f64();
    assert!((5.9..6.1).contains(&run), "{run}");
    board.close().await;
}

#[tokio::test]
async fn a_declaration_leaves_where_the_rules_allow_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = folder.path().join("asked");
    let mut board = board(&[FOUL, "win", asked.to_str().expect("a path in UTF-8")]).await;
    let (mut connection, mut server) = connected().await;
    let entered = "P1 * +RY * +OU * +KI+RY *  * \nP2+KI+GI+KI+GI+KI+UM+UM *  * \nP3+FU+FU+FU+FU *  *  *  *  * \n\
        P9 *  *  *  * -OU *  *  *  * \n";
    let lines = conditions("").replace("PI\n", entered);
    let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    let offered = GameSummary::parse(&lines).expect("conditions");
    board.prepare(&offered).await.expect("ready");
    let line = line_of(&mut board, &mut connection, &mut server).await;
    assert_eq!(line, "%KACHI\n");
    board.close().await;
}

#[tokio::test]
async fn a_search_of_no_use_says_nothing_of_the_present_position() {
    let mut board = board(&[MUTE]).await;
    let (mut connection, _server) = connected().await;
    board
        .prepare(&summary("+7776FU,T1\n"))
        .await
        .expect("ready");
    board.think().await.expect("asked");
    board.thinking = EngineTask::Ponder("8c8d".parse().expect("a move"), None);
    board.moved("-3334FU,T1").await;
    let late = UsiMessage::Info("depth 2 pv 1g1f".to_owned());
    let heard = board.hear(late, &mut connection).await;
    heard.expect("the game goes on");
    assert!(board.info.line(Duration::ZERO).pv.is_empty());
    board.close().await;
}

#[tokio::test]
async fn a_server_that_takes_a_game_up_again_leaves_time_for_a_move() {
    let mut board = board(&[MUTE]).await;
    board.prepare(&summary("")).await.expect("ready");
    let long_ago = Instant::now() - Duration::from_secs(105);
    let moves = summary("+7776FU,T9\n-3334FU,T7\n");
    board.resume(&moves, long_ago).await;
    let (end, reserve) = board.end_of_clock().expect("our turn");
    assert!(end - reserve > Instant::now() + Duration::from_secs(1));
    board.close().await;
}

/// An engine that answers its first question by what it is told, and its second one by a move.
const FOUL: &str = "while read -r line; do case \"$line\" in usi) echo usiok ;; isready) echo readyok ;; \
    go*) test -e \"$1\" && echo bestmove 2g2f || echo bestmove $0; touch \"$1\" ;; quit) exit ;; esac; done";

#[tokio::test]
async fn an_answer_that_the_rules_forbid_does_not_leave() {
    let folder = tempfile::tempdir().expect("a folder");
    for answer in ["win", "7g7e", "(none)"] {
        let asked = folder.path().join(answer);
        let mut board = board(&[FOUL, answer, asked.to_str().expect("a path in UTF-8")]).await;
        let (mut connection, mut server) = connected().await;
        board.prepare(&summary("")).await.expect("ready");
        let line = line_of(&mut board, &mut connection, &mut server).await;
        assert_eq!(line, "+2726FU\n", "{answer}");
        board.close().await;
    }
}

/// An engine that does not know increments.
const PLAIN: &str = "while read -r line; do case \"$line\" in usi) echo usiok ;; isready) echo readyok ;; \
    go*binc*) exit 3 ;; go*) echo \"info string $line\"; echo bestmove 2g2f ;; quit) exit ;; esac; done";

#[tokio::test]
async fn an_engine_that_knows_no_increments_is_told_byoyomi() {
    let mut board = board(&[PLAIN]).await;
    let (mut connection, mut server) = connected().await;
    let mut offered = summary("");
    for rule in &mut offered.rules {
        rule.increment = 10_000;
    }
    board.prepare(&offered).await.expect("ready");
    let line = line_of(&mut board, &mut connection, &mut server).await;
    assert_eq!(line, "+2726FU\n");
    assert!(board.knows_no_increments);
    assert_eq!(
        board.words(board.clocks),
        "btime 20000 wtime 20000 byoyomi 10000"
    );
    board.close().await;
}

#[tokio::test]
async fn a_server_that_tells_of_a_foul_may_end_the_game_by_it() {
    let mut board = board(&[MUTE]).await;
    let (mut connection, mut server) = connected().await;
    let offered = summary("+7776FU,T1\n");
    let (_interrupt, mut interrupts) = unbounded_channel();
    let mut is_last = false;
    board.prepare(&offered).await.expect("ready");
    let lines = b"-3333FU,T2\n#ILLEGAL_MOVE\n#WIN\n";
    server.write_all(lines).await.expect("sent");
    let playing = board.play(&mut connection, &mut interrupts, &mut is_last);
    let Left::Over(played) = playing.await else {
        panic!("the game is over");
    };
    assert_eq!(played.outcome, Some(MatchOutcome::Win));
    // One that says nothing more is left.
    board.prepare(&offered).await.expect("ready");
    board.moved("-3333FU,T2").await;
    tokio::time::pause();
    let playing = board.play(&mut connection, &mut interrupts, &mut is_last);
    let Left::Unplayable(reason) = playing.await else {
        panic!("the game cannot go on");
    };
    assert_eq!(reason, "the server plays -3333FU, which is illegal here");
    tokio::time::resume();
    // One that takes the game up again without the foul goes on with it.
    board.prepare(&offered).await.expect("ready");
    board.moved("-3333FU,T2").await;
    board.resume(&offered, Instant::now()).await;
    board.moved("-3334FU,T2").await;
    assert!(board.owes_move());
    board.close().await;
}

#[test]
fn parts_of_a_second_are_charged_as_a_whole_one() {
    let units = ["3", "3.500", "0", "-1", "", "x", "NaN"].map(units_of);
    assert_eq!(units, [Some(3), Some(4), Some(0), None, None, None, None]);
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
    board.moved("-8384FU,T1").await;
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
    seated(&mut board).kill().await;
    board.prepare(&summary("")).await.expect("ready again");
    assert_eq!(board.failures, 0, "the game has a start of its own");
    seated(&mut board).ready().await.expect("a new engine");
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
    let reports = seated(&mut board).take_reports();
    assert!(reports.errors().is_empty(), "{reports:?}");
    // In mid-game it is not waited for, and the other one is started behind its end all the same.
    board.restart(ChildError::Deaf);
    start(&mut board).await;
    let reports = seated(&mut board).take_reports();
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
    board.restart(ChildError::Deaf);
    start(&mut board).await;
    board.close().await;
    let heard = std::fs::read_to_string(log).expect("a log");
    // The first engine is killed, maybe before it has written down more.
    let ready = heard.matches("setoption name MaxMovesToDraw value 256\nisready\n");
    assert_eq!(ready.count(), 2, "{heard}");
    assert!(!heard.contains("RoundUpToFullSecond"), "{heard}");
}
