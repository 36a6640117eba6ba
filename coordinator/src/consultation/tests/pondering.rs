//! Tests of pondering on several replies at once.

use super::*;
use crate::{
    book::OpeningBook,
    fallback::{FallbackSearcher, RunningFallback},
    roster::Link,
    testing::Cable,
};
use monju_engine::{Move, book::Book};

const PREDICTED: &str = "startpos moves 7g7f 3c3d";
const PLAYED: &str = "startpos moves 7g7f 8c8d";

/// `b` expects another reply than the one that is pondered on.
fn spread() -> ConsultationSetup {
    ConsultationSetup {
        ponder_targets: PonderTargets::Replies(HashMap::from([(
            "b".to_owned(),
            "8c8d".to_owned(),
        )])),
        ..setup_on(PREDICTED, ponder())
    }
}

fn team() -> FakeWorker {
    let script = [Stream("2g2f"), Listen, Wait(10), Answer("2g2f")];
    ["a", "b", "c"]
        .into_iter()
        .fold(FakeWorker::named("desk"), |worker, name| {
            worker.player(name, &script)
        })
}

/// Runs a consultation with one command after a second.
async fn outcome(
    roster: &Roster,
    setup: ConsultationSetup,
    command: ConsultationCommand,
) -> ConsultationOutcome {
    let (sender, receiver) = mpsc::channel(1);
    let (standings, _reader) = mpsc::channel(64);
    let slots = roster.slots();
    let speak = async {
        time::sleep(Duration::from_secs(1)).await;
        let _ = sender.send(command).await;
        sender.closed().await;
    };
    let consultation = consult(setup, &slots, receiver, standings, None);
    tokio::select! {
        outcome = consultation => outcome,
        () = async { speak.await; future::pending().await } => unreachable!("never ends"),
    }
}

/// Returns the requests to the players without stops: the last move of a go, or `hit`.
fn requested(requests: &[Message]) -> Vec<String> {
    requests
        .iter()
        .filter_map(|request| match request {
            Message::Go(go) => {
                let position = go.position.as_ref().expect("a position");
                let last = position.moves.last().expect("a move");
                Some(format!("{} {last}", go.player))
            }
            Message::PonderHit(_) => Some("hit".to_owned()),
            Message::Stop(_) => None,
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn each_player_ponders_on_the_reply_that_it_expects() {
    let worker = team();
    let requests = worker.requests.clone();
    let (roster, _server) = worker.roster().await;
    let hit = ConsultationCommand::PonderHit(HitClock::default());
    let ballot = outcome(&roster, spread(), hit).await.ballot;
    let mut told = requested(&requests.lock().expect("requests"));
    let mut after_the_hit = told.split_off(3);
    told.sort();
    assert_eq!(told, ["a 3c3d", "b 8c8d", "c 3c3d"]);
    // Two searches go on; the third player is asked about the played move.
    after_the_hit.sort();
    assert_eq!(after_the_hit, ["b 3c3d", "hit", "hit"]);
    let ballot = ballot.expect("decided");
    assert!(ballot.votes.iter().all(|vote| vote.counted));
}

#[tokio::test(start_paused = true)]
async fn players_search_the_opponents_position_and_are_asked_anew_after_the_hit() {
    let worker = team();
    let requests = worker.requests.clone();
    let (roster, _server) = worker.roster().await;
    let setup = ConsultationSetup {
        ponder_targets: PonderTargets::OpponentsPosition,
        ..setup_on(PREDICTED, ponder())
    };
    let hit = ConsultationCommand::PonderHit(HitClock::default());
    let ballot = outcome(&roster, setup, hit).await.ballot.expect("decided");
    assert!(ballot.votes.iter().all(|vote| vote.counted));
    let requests = requests.lock().expect("requests");
    let goes = requests.iter().filter_map(|request| match request {
        Message::Go(go) => Some((go.position.clone()?.moves.len(), go.opponents_turn)),
        Message::PonderHit(_) => panic!("no search goes on"),
        Message::Stop(_) => None,
    });
    let goes = Vec::from_iter(goes);
    assert_eq!(goes[..3], [(1, true); 3]);
    assert_eq!(goes[3..], [(2, false); 3]);
}

/// A book that knows the position after the predicted reply.
fn book() -> OpeningBook {
    const BOOK: &[u8] = b"monju book 1\n\
        sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3\n2g2f 1\n";
    OpeningBook::new(Arc::new(Book::from_bytes(BOOK).expect("a book")))
}

#[tokio::test(start_paused = true)]
async fn players_ponder_beside_the_book() {
    let opponents = ConsultationSetup {
        ponder_targets: PonderTargets::OpponentsPosition,
        ..spread()
    };
    let predicted = setup_on(PREDICTED, ponder());
    for (setup, expected) in [
        (predicted, &[][..]),
        (spread(), &["b 8c8d"]),
        (opponents, &["a 7g7f", "b 7g7f", "c 7g7f"]),
    ] {
        let worker = team();
        let requests = worker.requests.clone();
        let (roster, _server) = worker.roster().await;
        let setup = ConsultationSetup {
            book: Some(book()),
            ..setup
        };
        let hit = ConsultationCommand::PonderHit(HitClock::default());
        let ballot = outcome(&roster, setup, hit).await.ballot.expect("decided");
        assert_eq!(decision(&ballot), ("2g2f", TieBreak::Book, 1_000));
        assert!(ballot.votes.is_empty(), "nobody votes");
        let mut told = requested(&requests.lock().expect("requests"));
        told.sort();
        assert_eq!(told, expected);
    }
    let (roster, _server) = team().roster().await;
    let setup = ConsultationSetup {
        book: Some(book()),
        ..spread()
    };
    let missed = outcome(&roster, setup, ConsultationCommand::Stop).await;
    assert!(missed.kept.is_some(), "the search of b goes on");
}

/// A fallback search that must not begin.
#[derive(Debug)]
struct NoFallback;

impl FallbackSearcher for NoFallback {
    fn begin(&self, _: &Game, _: &[Move], _: Duration) -> RunningFallback {
        panic!("a search for an answer that is discarded");
    }
}

#[tokio::test(start_paused = true)]
async fn a_missed_ponder_without_votes_is_answered_without_a_search() {
    let (roster, _server) = team().roster().await;
    let setup = ConsultationSetup {
        ponder_targets: PonderTargets::OpponentsPosition,
        fallback: Arc::new(NoFallback),
        ..setup_on(PREDICTED, ponder())
    };
    let missed = outcome(&roster, setup, ConsultationCommand::Stop).await;
    let ballot = missed.ballot.expect("decided");
    let (mv, tie_break, elapsed_ms) = decision(&ballot);
    assert_eq!((tie_break, elapsed_ms), (TieBreak::Fallback, 1_000));
    let game = Game::from_usi(PREDICTED).expect("a position");
    assert!(game.parse_move(mv).is_ok(), "{mv}");
}

#[tokio::test(start_paused = true)]
async fn a_search_about_the_played_reply_goes_on() {
    let worker = team();
    let requests = worker.requests.clone();
    let (roster, _server) = worker.roster().await;
    let missed = outcome(&roster, spread(), ConsultationCommand::Stop).await;
    let ballot = missed.ballot.expect("a ballot");
    let elapsed = ballot.decision.expect("decided").elapsed_ms;
    assert_eq!(elapsed, 1_000, "no player is waited for");
    requests.lock().expect("requests").clear();

    let (_commands, receiver) = mpsc::channel(1);
    let (standings, _reader) = mpsc::channel(64);
    let played = setup_on(PLAYED, time_limit(1_000));
    let slots = roster.slots();
    let next = consult(played, &slots, receiver, standings, missed.kept).await;
    let mut told = requested(&requests.lock().expect("requests"));
    told.sort();
    assert_eq!(told, ["a 8c8d", "c 8c8d", "hit"]);
    let ballot = next.ballot.expect("decided");
    assert_eq!(arrivals(&ballot), [Arrival::Final; 3]);
    assert!(next.kept.is_none());
}

#[tokio::test(start_paused = true)]
async fn searches_about_other_replies_end() {
    let worker = team();
    let requests = worker.requests.clone();
    let (roster, _server) = worker.roster().await;
    let missed = outcome(&roster, spread(), ConsultationCommand::Stop).await;
    requests.lock().expect("requests").clear();
    let (_commands, receiver) = mpsc::channel(1);
    let (standings, _reader) = mpsc::channel(64);
    let played = setup_on("startpos moves 7g7f 4a3b", time_limit(1_000));
    let slots = roster.slots();
    let next = consult(played, &slots, receiver, standings, missed.kept).await;
    let mut told = requested(&requests.lock().expect("requests"));
    told.sort();
    assert_eq!(told, ["a 4a3b", "b 4a3b", "c 4a3b"]);
    assert!(
        next.ballot
            .expect("decided")
            .votes
            .iter()
            .all(|vote| vote.counted)
    );
}

#[tokio::test(start_paused = true)]
async fn lines_of_a_former_search_are_not_votes() {
    // The ponder on another reply streams on after it was given up, about its own position.
    let worker = FakeWorker::named("desk").player(
        "b",
        &[
            Stream("9g9f"),
            Wait(1_005),
            Stream("9g9f"),
            Listen,
            Answer("2g2f"),
        ],
    );
    let (roster, _server) = worker.roster().await;
    let ballot = outcome(
        &roster,
        spread(),
        ConsultationCommand::PonderHit(HitClock::default()),
    )
    .await
    .ballot;
    let ballot = ballot.expect("decided");
    let vote = &ballot.votes[0];
    assert!(
        vote.arrived_ms >= 1_000,
        "a line of the former search was taken: {vote:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_player_lost_during_a_ponder_is_asked_again() {
    let cable = Cable::default();
    cable.plug(FakeWorker::named("desk").player("a", &[Stream("7g7f"), Listen]));
    let patience = Duration::from_secs(3);
    let link = Link::watch("http://cable".to_owned(), cable.channel(), patience);
    let roster = Roster::new(vec![link]);
    roster.settle(patience).await;
    let outage = async {
        time::sleep(Duration::from_millis(200)).await;
        cable.cut();
        time::sleep(Duration::from_millis(200)).await;
        cable.plug(FakeWorker::named("desk").player("a", &[Answer("2g2f")]));
        future::pending().await
    };
    let hit = vec![(1_000, ConsultationCommand::PonderHit(HitClock::default()))];
    let ballot = tokio::select! {
        ballot = run(&roster, setup(ponder()), hit) => ballot,
        () = outage => unreachable!("never ends"),
    };
    assert_eq!(decision(&ballot).0, "2g2f");
    assert_eq!(arrivals(&ballot), [Arrival::Final]);
}

/// It thinks on until the hit, and its proxy hears at once that the team is there.
#[tokio::test(start_paused = true)]
async fn a_player_lost_early_in_a_long_ponder_ponders_again() {
    let cable = Cable::default();
    cable.plug(FakeWorker::named("desk").player("a", &[Listen]));
    let patience = Duration::from_secs(3);
    let link = Link::watch("http://cable".to_owned(), cable.channel(), patience);
    let roster = Roster::new(vec![link]);
    roster.settle(patience).await;
    let (_commands, receiver) = mpsc::channel(1);
    let (standings, mut reader) = mpsc::channel(64);
    let slots = roster.slots();
    let consultation = consult(setup(ponder()), &slots, receiver, standings, None);
    let observed = async {
        let first = reader.recv().await.expect("a standing");
        assert_eq!(arrivals(&first), [Arrival::Unspecified]);
        cable.cut();
        time::sleep(Duration::from_millis(200)).await;
        cable.plug(FakeWorker::named("desk").player("a", &[Stream("2g2f"), Listen]));
        loop {
            let next = reader.recv().await.expect("a standing");
            if arrivals(&next) == [Arrival::Provisional] {
                break;
            }
        }
    };
    tokio::select! {
        _ = consultation => unreachable!("no hit"),
        seen = time::timeout(Duration::from_secs(60), observed) => seen.expect("it ponders again"),
    }
}

/// Its players search until they are stopped.
#[tokio::test(start_paused = true)]
async fn the_only_move_is_played_at_the_ponder_hit() {
    let worker = FakeWorker::named("desk").player("a", &[Stream("1i2h"), Listen, Wait(60_000)]);
    let (roster, _server) = worker.roster().await;
    let only_move = setup_on("4k3r/9/9/9/9/9/9/6s2/8K b - 1", ponder());
    assert_eq!(only_move.game.legal_moves().len(), 1);
    let setup = ConsultationSetup {
        time_policy: TimePolicy::Agreement,
        ..only_move
    };
    let hit = vec![(5_000, ConsultationCommand::PonderHit(HitClock::default()))];
    let ballot = run(&roster, setup, hit).await;
    let (_, _, elapsed) = decision(&ballot);
    assert!((5_000..5_100).contains(&elapsed), "{elapsed}");
}

#[tokio::test(start_paused = true)]
async fn illegal_predictions_are_not_pondered_on() {
    let worker = team();
    let requests = worker.requests.clone();
    let (roster, _server) = worker.roster().await;
    let setup = ConsultationSetup {
        ponder_targets: PonderTargets::Replies(HashMap::from([(
            "b".to_owned(),
            "7g7f".to_owned(),
        )])),
        ..setup_on(PREDICTED, ponder())
    };
    outcome(
        &roster,
        setup,
        ConsultationCommand::PonderHit(HitClock::default()),
    )
    .await;
    let mut told = requested(&requests.lock().expect("requests"));
    told.sort();
    assert_eq!(told, ["a 3c3d", "b 3c3d", "c 3c3d", "hit", "hit", "hit"]);
}
