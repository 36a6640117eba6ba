//! Tests of who may ask the players.

use super::*;
use monju_proto::reservation::{Session, is_held};
use monju_proto::v1::{Decision, Line, PlayerInfo, Vote};
use tonic::Streaming;

const LEASE: Duration = Duration::from_secs(4);

fn claim(session: &Session, purpose: Purpose) -> Option<Claim> {
    Some(session.claim(purpose, LEASE))
}

async fn prepare(
    served: &mut Served,
    game: &str,
    claim: Option<Claim>,
) -> Result<PrepareGameResponse, Status> {
    let request = PrepareGameRequest {
        game_id: game.to_owned(),
        claim,
    };
    let answer = served.client.prepare_game(request).await;
    answer.map(Response::into_inner)
}

/// Begins a consultation; the sender can stop it.
async fn asked(
    served: &mut Served,
    claim: Option<Claim>,
    limits: Limits,
) -> Result<(mpsc::Sender<ConsultRequest>, Streaming<ConsultResponse>), Status> {
    let begin = Begin {
        claim,
        limits: Some(limits),
        ..begin("startpos")
    };
    let (sender, receiver) = mpsc::channel(2);
    let first = request(consult_request::Message::Begin(begin));
    sender.send(first).await.expect("room");
    let answer = served.client.consult(ReceiverStream::new(receiver)).await?;
    Ok((sender, answer.into_inner()))
}

fn one_second() -> Limits {
    Limits {
        time_ms: Some(1_000),
        ..Limits::default()
    }
}

/// Returns the end of a consultation.
async fn end(mut stream: Streaming<ConsultResponse>) -> Result<Ballot, Status> {
    loop {
        let response = stream.message().await?.expect("an end");
        if let Some(Message::Ballot(ballot)) = response.message {
            return Ok(ballot);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_disturbs_a_running_game() {
    let worker = three_opinions();
    let (told, players) = (worker.told.clone(), worker.reservation.clone());
    let mut served = serve(worker, None).await;
    let [gui, other] = ["the first GUI", "the second GUI"].map(Session::new);
    let game = || claim(&gui, Purpose::Game);
    prepare(&mut served, "game", game()).await.expect("free");
    for (others, other) in [
        ("a look", None),
        ("an analysis", claim(&other, Purpose::Analysis)),
        ("a game", claim(&other, Purpose::Game)),
    ] {
        // A session that lives renews its claim.
        let hold = HoldRequest { claim: game() };
        served.client.hold(hold).await.expect("its own");
        let hold = HoldRequest {
            claim: other.clone(),
        };
        let refused = [
            asked(&mut served, other, one_second()).await.map(|_| ()),
            served.client.hold(hold).await.map(|_| ()),
        ];
        for refused in refused {
            let status = refused.expect_err(others);
            assert_eq!(status.code(), Code::FailedPrecondition, "{others}");
            assert!(status.message().contains("the first GUI"), "{status}");
        }
    }
    let status = prepare(&mut served, "look", None).await.expect_err("held");
    assert!(status.message().contains("the first GUI"), "{status}");
    assert_eq!(*told.lock().expect("told"), ["new game game"]);
    // The workers are held, too, and told by whom.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let held = players.held().expect("held").to_string();
    assert!(held.contains("the first GUI"), "{held}");
    let asked = asked(&mut served, game(), one_second()).await;
    let (_stop, stream) = asked.expect("its own");
    let ballot = end(stream).await.expect("decided");
    assert_eq!(ballot.votes.iter().filter(|vote| vote.counted).count(), 3);
    let roster = served.client.roster(RosterRequest {}).await;
    let held = roster.expect("a roster").into_inner().held_by;
    assert!(held.contains("the first GUI"), "{held}");
    let release = ReleaseRequest {
        session: gui.id().to_owned(),
    };
    served.client.release(release).await.expect("released");
    assert_eq!(players.held(), None, "the workers are told at once");
    prepare(&mut served, "look", None).await.expect("free");
}

/// Refused ponders of other games pushed the running one out of what is remembered.
#[tokio::test(start_paused = true)]
async fn a_refused_ponder_leaves_the_replies_that_the_game_expects() {
    let mut served = serve(three_opinions(), None).await;
    let gui = Session::new("the first GUI");
    prepare(&mut served, "game", claim(&gui, Purpose::Game))
        .await
        .expect("free");
    let position = |moves: &[&str]| Position {
        start: "startpos".to_owned(),
        moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
        ..Position::default()
    };
    let line = Line {
        r#move: "7g7f".to_owned(),
        pv: vec!["7g7f".to_owned(), "3c3d".to_owned()],
        ..Line::default()
    };
    let vote = Vote {
        player: Some(PlayerInfo::default()),
        line: Some(line),
        counted: true,
        ..Vote::default()
    };
    served.service.inner.ponders.remember(&Ballot {
        game_id: "game".to_owned(),
        position: Some(position(&[])),
        votes: vec![vote],
        decision: Some(Decision {
            r#move: "7g7f".to_owned(),
            ..Decision::default()
        }),
        ..Ballot::default()
    });
    for number in 0..100 {
        let ponder = Limits {
            ponder: true,
            ..Limits::default()
        };
        let begin = Begin {
            game_id: format!("other {number}"),
            pondering: "spread".to_owned(),
            limits: Some(ponder),
            ..begin("startpos")
        };
        let status = refused(&mut served, begin).await;
        assert_eq!(status.code(), Code::FailedPrecondition, "{number}");
    }
    let pondered = position(&["7g7f", "3c3d"]);
    let expected = served.service.inner.ponders.predictions("game", &pondered);
    assert_eq!(expected.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_game_takes_the_players_from_an_analysis_and_a_look() {
    let worker = FakeWorker::named("desk").player("a", &[Stream("7g7f"), Listen]);
    let requests = worker.requests.clone();
    let mut served = serve(worker, None).await;
    let [gui, other] = ["the first GUI", "the second GUI"].map(Session::new);
    let (game, analysis) = (claim(&gui, Purpose::Game), claim(&other, Purpose::Analysis));
    let endless = Limits::default();
    let (_stop, look) = asked(&mut served, None, endless).await.expect("free");
    let asked_next = asked(&mut served, analysis, endless).await;
    let (_stop_too, analysis) = asked_next.expect("higher");
    let status = end(look).await.expect_err("taken");
    assert!(status.message().contains("an analysis"), "{status}");
    let prepared = prepare(&mut served, "game", game.clone()).await;
    prepared.expect("higher");
    let status = end(analysis).await.expect_err("taken");
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(status.message().contains("the first GUI"), "{status}");
    let asked = asked(&mut served, game, one_second()).await;
    let (_stop, stream) = asked.expect("its own");
    end(stream).await.expect("decided");
    // The workers know for whom they think.
    let requests = requests.lock().expect("requests");
    let claims: Vec<Option<Purpose>> = requests
        .iter()
        .filter_map(|request| match request {
            monju_proto::v1::think_request::Message::Go(go) => Some(go.claim.as_ref()),
            _ => None,
        })
        .map(|claim| claim.map(Claim::purpose))
        .collect();
    assert_eq!(claims, [None, Some(Purpose::Analysis), Some(Purpose::Game)]);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_gone_gives_its_players_to_the_game_that_waits() {
    let mut served = serve(three_opinions(), None).await;
    let [gone, restarted] = ["a GUI", "its successor"].map(Session::new);
    let first = claim(&gone, Purpose::Game);
    prepare(&mut served, "one", first).await.expect("free");
    let next = claim(&restarted, Purpose::Game);
    let prepared = prepare(&mut served, "two", next).await;
    prepared.expect("free after the lease");
}

/// Both a GUI and its coordinator were started again: only the workers remember the session before it.
#[tokio::test(start_paused = true)]
async fn a_worker_joins_as_soon_as_the_lease_of_a_session_that_is_gone_ends() {
    let worker = three_opinions();
    let (told, players) = (worker.told.clone(), worker.reservation.clone());
    let [gone, restarted] = ["a GUI", "its successor"].map(Session::new);
    let entered = players.enter(claim(&gone, Purpose::Game).as_ref(), None);
    drop(entered.expect("free"));
    let begun = Instant::now();
    let mut served = serve(worker, None).await;
    let look = prepare(&mut served, "look", None).await.expect("free");
    assert!(look.problems[0].contains("a GUI"), "{look:?}");
    assert!(begun.elapsed() < LEASE / 4, "a look does not wait");
    let next = claim(&restarted, Purpose::Game);
    let prepared = prepare(&mut served, "game", next).await.expect("free");
    assert_eq!(prepared.problems, [""; 0]);
    assert!(begun.elapsed() < LEASE + LEASE_POLL * 2);
    assert_eq!(*told.lock().expect("told"), ["new game game"]);
}

#[tokio::test(start_paused = true)]
async fn a_game_whose_workers_another_game_keeps_is_refused_at_the_end_of_the_patience() {
    let worker = three_opinions();
    let players = worker.reservation.clone();
    let [other, gui] = ["another GUI", "a GUI"].map(Session::new);
    let entered = players.enter(claim(&other, Purpose::Game).as_ref(), None);
    let _call = entered.expect("free");
    let mut served = serve(worker, None).await;
    let begun = Instant::now();
    let prepared = prepare(&mut served, "game", claim(&gui, Purpose::Game)).await;
    let refused = prepared.expect_err("held");
    assert!(refused.message().contains("another GUI"), "{refused}");
    assert!((LEASE_PATIENCE..LEASE_PATIENCE + SETTLING).contains(&begun.elapsed()));
    // The other game may come to this coordinator at once.
    let asked = asked(&mut served, claim(&other, Purpose::Game), one_second()).await;
    let (_stop, stream) = asked.expect("its own workers");
    assert_eq!(end(stream).await.expect("decided").votes.len(), 3);
}

/// A GUI whose game was refused kept its coordinator from a game that lost its own one.
#[tokio::test(start_paused = true)]
async fn a_game_comes_to_a_coordinator_that_another_one_asks_in_vain() {
    let worker = three_opinions();
    let players = worker.reservation.clone();
    let [playing, refused] = ["a GUI", "a refused GUI"].map(Session::new);
    let [game, vain] = [&playing, &refused].map(|session| claim(session, Purpose::Game));
    let _call = players.enter(game.as_ref(), None).expect("free");
    let mut served = serve(worker, None).await;
    let in_vain = asked(&mut served, vain.clone(), one_second()).await;
    let (_stop, in_vain) = in_vain.expect("free, as far as it knows");
    let hold = HoldRequest {
        claim: vain.clone(),
    };
    served.client.hold(hold.clone()).await.expect("its own");
    end(in_vain).await.expect("decided");
    // The worker has said for whom it holds its players.
    tokio::time::sleep(Duration::from_secs(2)).await;
    served.client.hold(hold.clone()).await.expect("its own");
    let next = asked(&mut served, game, one_second()).await;
    let (_stop, stream) = next.expect("its own workers");
    end(stream).await.expect("decided");
    let status = served.client.hold(hold).await.expect_err("confirmed");
    assert!(
        is_held(&status) && status.message().contains("a GUI"),
        "{status}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_refuses_a_game_for_another_reason_is_not_told_again() {
    let worker = three_opinions().refusing("about to end");
    let told = worker.told.clone();
    let mut served = serve(worker, None).await;
    let gui = Session::new("a GUI");
    let prepared = prepare(&mut served, "game", claim(&gui, Purpose::Game)).await;
    let problems = prepared.expect("free").problems;
    assert!(problems[0].ends_with("about to end"), "{problems:?}");
    assert_eq!(*told.lock().expect("told"), ["new game refused"]);
}

/// A session that had gone to another coordinator lost its workers to the next GUI of this one.
#[tokio::test(start_paused = true)]
async fn a_session_that_went_elsewhere_keeps_its_workers() {
    let worker = three_opinions();
    let players = worker.reservation.clone();
    let mut served = serve(worker, None).await;
    let [gui, other] = ["a GUI", "another GUI"].map(Session::new);
    let game = claim(&gui, Purpose::Game);
    let prepared = prepare(&mut served, "one", game.clone()).await;
    prepared.expect("free");
    let _call = players.enter(game.as_ref(), None).expect("its own");
    tokio::time::sleep(LEASE * 2).await;
    let prepared = prepare(&mut served, "two", claim(&other, Purpose::Game)).await;
    let refused = prepared.expect_err("held");
    assert!(
        is_held(&refused) && refused.message().contains("a GUI"),
        "{refused}"
    );
    tokio::time::sleep(LEASE).await;
    let held = players.held().expect("held").to_string();
    assert!(held.contains("a GUI"), "{held}");
}
