//! Tests of the service over gRPC, with scripted workers.

mod reservation;

use super::*;
use crate::{
    roster::Link,
    server,
    testing::{Cable, FakeFallback, FakeWorker, PlayerStep::*},
};
use monju_proto::client::coordinator_client;
use monju_proto::serve::{self, ServerTask};
use monju_proto::v1::{
    Arrival, ConsultationPonderHit, Limits, Position, StopConsultation, TieBreak,
    coordinator_client::CoordinatorClient, think_request,
};
use tonic::{Code, transport::Channel};

struct Served {
    service: Service,
    client: CoordinatorClient<Channel>,
    _servers: (ServerTask, ServerTask),
}

fn service(roster: Roster, primary: Option<&str>) -> Service {
    let ensemble = Ensemble {
        settings: ConsultationSettings::default(),
        primary: primary.map(str::to_owned),
        overhead: Duration::ZERO,
        calibration: Arc::default(),
        resignation: None,
        book: None,
    };
    Service::new(ensemble, roster, None, Arc::new(FakeFallback))
}

async fn serve(worker: FakeWorker, primary: Option<&str>) -> Served {
    let (link, worker_server) = worker.link();
    let service = service(Roster::new(vec![link]), primary);
    service.settle().await;
    let router = server::router(service.clone()).await.expect("descriptors");
    let (channel, server) = serve::in_process(router);
    Served {
        service,
        client: coordinator_client(channel),
        _servers: (worker_server, server),
    }
}

fn three_opinions() -> FakeWorker {
    FakeWorker::named("desk")
        .player("a", &[Stream("9g9f"), Wait(300), Answer("7g7f")])
        .player("b", &[Answer("2g2f")])
        .player("c", &[Answer("5g5f")])
}

fn begin(start: &str) -> Begin {
    Begin {
        game_id: "game".to_owned(),
        position: Some(Position {
            start: start.to_owned(),
            moves: Vec::new(),
            ..Position::default()
        }),
        limits: Some(Limits {
            time_ms: Some(1_000),
            ..Limits::default()
        }),
        seed: 1,
        ..Begin::default()
    }
}

fn request(message: consult_request::Message) -> ConsultRequest {
    ConsultRequest {
        message: Some(message),
    }
}

async fn refused(served: &mut Served, begin: Begin) -> Status {
    let requests = tokio_stream::once(request(consult_request::Message::Begin(begin)));
    let answer = served.client.consult(requests).await;
    answer.map(|_| ()).expect_err("refused")
}

#[tokio::test(start_paused = true)]
async fn standings_come_before_the_decided_ballot_and_watchers_get_it() {
    let mut served = serve(three_opinions(), Some("b")).await;
    let mut watch = served
        .client
        .watch(WatchRequest { standings: true })
        .await
        .expect("watch")
        .into_inner();
    let requests = tokio_stream::once(request(consult_request::Message::Begin(begin("startpos"))));
    let mut stream = served
        .client
        .consult(requests)
        .await
        .expect("begun")
        .into_inner();
    let mut messages = Vec::new();
    while let Some(response) = stream.message().await.expect("no error") {
        messages.push(response.message.expect("a message"));
    }
    let Some(Message::Ballot(ballot)) = messages.pop() else {
        panic!("the last message is the ballot")
    };
    assert!(!messages.is_empty());
    for message in messages {
        let Message::Standing(standing) = message else {
            panic!("one ballot only")
        };
        assert_eq!(standing.decision, None);
        assert_eq!(standing.limits, ballot.limits);
    }
    let decision = ballot.decision.as_ref().expect("decided");
    assert_eq!(decision.r#move, "2g2f");
    assert!(
        ballot
            .votes
            .iter()
            .all(|vote| vote.arrival() == Arrival::Final)
    );
    let mut watched = Vec::new();
    while watched.last() != Some(&ballot) {
        let response = watch.message().await.expect("no error").expect("a ballot");
        watched.extend(response.ballot);
    }
    watched.pop();
    assert!(!watched.is_empty() && watched.iter().all(|ballot| ballot.decision.is_none()));
}

#[tokio::test(start_paused = true)]
async fn watchers_get_no_standings_that_they_have_not_asked_for() {
    let mut served = serve(three_opinions(), Some("b")).await;
    let request_of_watcher = WatchRequest { standings: false };
    let mut watch = (served
        .client
        .watch(request_of_watcher)
        .await
        .expect("watch"))
    .into_inner();
    let requests = tokio_stream::once(request(consult_request::Message::Begin(begin("startpos"))));
    let mut stream = (served.client.consult(requests).await.expect("begun")).into_inner();
    while stream.message().await.expect("no error").is_some() {}
    let watched = watch.message().await.expect("no error").expect("a ballot");
    assert!(
        watched
            .ballot
            .is_some_and(|ballot| ballot.decision.is_some())
    );
}

#[tokio::test(start_paused = true)]
async fn commands_travel_upstream() {
    let worker = FakeWorker::named("desk").player("a", &[Stream("7g7f"), Listen, Answer("2g2f")]);
    let mut served = serve(worker, None).await;
    for message in [
        consult_request::Message::Stop(StopConsultation {}),
        consult_request::Message::PonderHit(ConsultationPonderHit::default()),
    ] {
        let mut ponder = begin("startpos");
        ponder.limits.as_mut().expect("limits").ponder = true;
        let (sender, receiver) = mpsc::channel(2);
        let first = request(consult_request::Message::Begin(ponder));
        sender.send(first).await.expect("room");
        let answer = served.client.consult(ReceiverStream::new(receiver)).await;
        let mut stream = answer.expect("begun").into_inner();
        tokio::time::sleep(Duration::from_secs(5)).await;
        sender.send(request(message)).await.expect("room");
        let mut last = None;
        while let Some(response) = stream.message().await.expect("no error") {
            last = response.message;
        }
        let Some(Message::Ballot(ballot)) = last else {
            panic!("no ballot")
        };
        assert_eq!(ballot.decision.expect("decided").r#move, "2g2f");
    }
}

#[tokio::test(start_paused = true)]
async fn a_consultation_that_does_not_begin_ends() {
    let mut served = serve(three_opinions(), None).await;
    let (_sender, receiver) = mpsc::channel(1);
    let answer = served.client.consult(ReceiverStream::new(receiver)).await;
    assert_eq!(answer.expect_err("silence").code(), Code::DeadlineExceeded);
}

#[tokio::test(start_paused = true)]
async fn bad_requests_are_refused_with_the_reason() {
    let mut served = serve(three_opinions(), None).await;

    let mut illegal = begin("startpos");
    illegal.position.as_mut().expect("a position").moves = vec!["7g7e".to_owned()];
    let status = refused(&mut served, illegal).await;
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("7g7e"), "{}", status.message());

    let mut unruly = begin("startpos");
    unruly.rule = "seniority".to_owned();
    let status = refused(&mut served, unruly).await;
    assert_eq!(status.code(), Code::InvalidArgument);
    let message = status.message();
    assert!(
        message.starts_with("unknown rule 'seniority'; expected one of: majority, "),
        "{message}"
    );

    let stop = request(consult_request::Message::Stop(StopConsultation {}));
    let answer = served.client.consult(tokio_stream::once(stop)).await;
    let status = answer.map(|_| ()).expect_err("refused");
    assert_eq!(status.code(), Code::InvalidArgument);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_longer_than_any_game_is_refused() {
    let mut served = serve(three_opinions(), None).await;
    for (moves, code) in [(5_000, Code::InvalidArgument), (600_000, Code::OutOfRange)] {
        let mut long = begin("startpos");
        let position = long.position.as_mut().expect("a position");
        position.moves = vec!["7g7f".to_owned(); moves];
        assert_eq!(refused(&mut served, long).await.code(), code, "{moves}");
    }
}

#[tokio::test(start_paused = true)]
async fn consultations_beyond_the_room_are_refused() {
    let mut served = serve(three_opinions(), None).await;
    let places = Arc::clone(&served.service.inner.places);
    let most = u32::try_from(CONSULTATIONS).expect("few");
    let running = places.acquire_many(most).await.expect("room");
    let status = refused(&mut served, begin("startpos")).await;
    assert_eq!(status.code(), Code::ResourceExhausted);
    drop(running);
    assert_eq!(decided(&mut served, begin("startpos")).await.len(), 4);
    // The end of a consultation gives its place back.
    drop(places.acquire_many(most).await.expect("room again"));
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_ends_sends_questions_to_another_one() {
    let mut served = serve(three_opinions(), None).await;
    let running = Arc::clone(&served.service.inner.places).acquire_owned();
    let running = running.await.expect("room");
    let service = served.service.clone();
    let ended = tokio::spawn(async move { service.drained(Duration::from_secs(60)).await });
    tokio::task::yield_now().await;
    let status = refused(&mut served, begin("startpos")).await;
    assert_eq!(status.code(), Code::Unavailable);
    assert!(!ended.is_finished(), "a consultation is under way");
    drop(running);
    ended.await.expect("drained");
}

#[tokio::test(start_paused = true)]
async fn the_coordinator_is_healthy_while_a_vote_is_possible() {
    let cable = Cable::default();
    let patience = Duration::from_secs(1);
    let link = Link::watch("http://cable".to_owned(), cable.channel(), patience);
    let service = service(Roster::new(vec![link]), None);
    let is_ready = service.is_ready();
    let mut seen = Vec::new();
    for is_plugged in [false, true, false] {
        match is_plugged {
            true => cable.plug(three_opinions()),
            false => cable.cut(),
        }
        tokio::time::sleep(patience * 5).await;
        seen.push(is_ready());
    }
    assert_eq!(seen, [Some(false), Some(true), Some(false)]);
    drop(service);
    assert_eq!(is_ready(), None);
}

#[tokio::test(start_paused = true)]
async fn the_roster_names_workers_and_players() {
    let mut served = serve(three_opinions(), Some("b")).await;
    let roster = served
        .client
        .roster(RosterRequest {})
        .await
        .expect("roster")
        .into_inner();
    assert_eq!(
        (roster.rule.as_str(), roster.primary.as_str()),
        ("majority", "b")
    );
    assert_eq!(roster.workers.len(), 1);
    assert_eq!(roster.workers[0].address, "in-process");
    assert_eq!(roster.workers[0].players.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn preparing_a_game_reaches_the_players() {
    let worker = three_opinions();
    let told = worker.told.clone();
    let mut served = serve(worker, None).await;
    let game_id = "g1".to_owned();
    let claim = None;
    let request = PrepareGameRequest { game_id, claim };
    served.client.prepare_game(request).await.expect("prepared");
    assert_eq!(*told.lock().expect("told"), ["new game g1"]);
}

#[tokio::test(start_paused = true)]
async fn a_spread_ponder_keeps_the_search_about_the_played_move() {
    let worker = FakeWorker::named("desk")
        .player("a", &[Stream("7g7f 3c3d"), Listen, Answer("7g7f 3c3d")])
        .player("b", &[Stream("7g7f 8c8d"), Listen, Answer("7g7f 8c8d")]);
    let told = worker.told.clone();
    let mut served = serve(worker, None).await;
    let asked_on = |moves: &[&str], ponder| Begin {
        position: Some(Position {
            start: "startpos".to_owned(),
            moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
            ..Position::default()
        }),
        limits: Some(Limits {
            time_ms: Some(1_000),
            ponder,
            ..Limits::default()
        }),
        pondering: "spread".to_owned(),
        ..begin("startpos")
    };
    for (moves, ponder) in [
        (&[][..], false),
        (&["7g7f", "3c3d"], true),
        (&["7g7f", "8c8d"], false),
    ] {
        told.lock().expect("told").clear();
        let begin = consult_request::Message::Begin(asked_on(moves, ponder));
        let (requests, upstream) = mpsc::channel(2);
        requests.send(request(begin)).await.expect("room");
        let answers = served.client.consult(ReceiverStream::new(upstream)).await;
        let mut answers = answers.expect("taken").into_inner();
        if ponder {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let stop = consult_request::Message::Stop(StopConsultation {});
            requests.send(request(stop)).await.expect("room");
        }
        while answers.message().await.expect("no failure").is_some() {}
    }
    let told = told.lock().expect("told");
    let of = |what: &str| told.iter().filter(|line| line.starts_with(what)).count();
    assert_eq!(
        (of("ponder hit"), of("go a"), of("go b")),
        (1, 1, 0),
        "{told:?}"
    );
}

fn begin_with(game: &str, moves: &[&str]) -> Begin {
    let mut begin = begin("startpos");
    begin.rule = Rule::HandOver.name().to_owned();
    begin.game_id = game.to_owned();
    let position = begin.position.as_mut().expect("a position");
    position.moves = moves.iter().map(|mv| (*mv).to_owned()).collect();
    begin
}

/// Returns the decided move; a ponder is stopped.
async fn decided(served: &mut Served, begin: Begin) -> String {
    let stops = begin.limits.is_some_and(|limits| limits.ponder);
    let (sender, receiver) = mpsc::channel(2);
    let first = request(consult_request::Message::Begin(begin));
    sender.send(first).await.expect("room");
    if stops {
        let stop = request(consult_request::Message::Stop(StopConsultation {}));
        sender.send(stop).await.expect("room");
    }
    let answer = served.client.consult(ReceiverStream::new(receiver)).await;
    let mut stream = answer.expect("begun").into_inner();
    loop {
        let response = stream.message().await.expect("no error");
        if let Some(Message::Ballot(ballot)) = response.expect("a ballot").message {
            return ballot.decision.expect("decided").r#move;
        }
    }
}

/// A primary whose namesake's machine was off had its full name in vain, and did not lead.
#[tokio::test(start_paused = true)]
async fn the_primary_may_have_its_full_name_while_it_has_no_namesake() {
    for (primary, asked, expected) in [
        (Some("a@desk"), "", "a"),
        (Some("c"), "a@desk", "a"),
        (Some("c"), "a@attic", "c"),
        (None, "a@attic", "a@attic"),
    ] {
        let mut served = serve(three_opinions(), primary).await;
        let begin = Begin {
            primary: asked.to_owned(),
            ..begin("startpos")
        };
        let requests = tokio_stream::once(request(consult_request::Message::Begin(begin)));
        let stream = served.client.consult(requests).await.expect("begun");
        let mut stream = stream.into_inner();
        let mut last = None;
        while let Some(response) = stream.message().await.expect("no error") {
            last = response.message;
        }
        let Some(Message::Ballot(ballot)) = last else {
            panic!("{last:?}")
        };
        assert_eq!(ballot.primary, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn the_leader_of_a_side_is_remembered_from_move_to_move() {
    let worker = FakeWorker::named("desk")
        .player("a", &[Answer("7g7f")])
        .player("b", &[Answer("2g2f")])
        .player("c", &[Answer("8c8d")]);
    let mut served = serve(worker, None).await;
    let mut decide = async |begin| decided(&mut served, begin).await;
    assert_eq!(decide(begin_with("one", &[])).await, "7g7f");
    // The first player's move is illegal here, but the opponent has not played to this position.
    let after = ["7g7f", "3c3d"];
    let mut ponder = begin_with("one", &after);
    ponder.limits.as_mut().expect("limits").ponder = true;
    assert_eq!(decide(ponder).await, "2g2f");
    assert_eq!(decide(begin_with("one", &[])).await, "7g7f");
    // The other side has its own leader.
    assert_eq!(decide(begin_with("one", &["7g7f"])).await, "8c8d");
    assert_eq!(decide(begin_with("one", &[])).await, "7g7f");
    // The game reaches that position now.
    assert_eq!(decide(begin_with("one", &after)).await, "2g2f");
    assert_eq!(
        decide(begin_with("one", &[])).await,
        "2g2f",
        "the second player leads now"
    );
    assert_eq!(decide(begin_with("another", &[])).await, "7g7f");
}

/// Returns the move of a consultation about the start position that ends with `last`, ten seconds after it began. Its
/// only worker describes itself after five.
async fn decided_by_a_late_worker(limits: Limits, last: consult_request::Message) -> String {
    let cable = Cable::default();
    let address = "http://cable".to_owned();
    let link = Link::watch(address, cable.channel(), Duration::from_secs(3));
    let service = service(Roster::new(vec![link]), None);
    let router = server::router(service).await.expect("descriptors");
    let (channel, _server) = serve::in_process(router);
    let begin = Begin {
        limits: Some(limits),
        ..begin("startpos")
    };
    let (requests, upstream) = mpsc::channel(2);
    let first = request(consult_request::Message::Begin(begin));
    requests.send(first).await.expect("room");
    let mut client = coordinator_client(channel);
    let answers = client.consult(ReceiverStream::new(upstream)).await;
    let mut answers = answers.expect("begun").into_inner();
    sleep(Duration::from_secs(5)).await;
    cable.plug(FakeWorker::named("desk").player("a", &[Listen, Answer("2g2f")]));
    sleep(Duration::from_secs(5)).await;
    requests.send(request(last)).await.expect("room");
    loop {
        let response = answers.message().await.expect("no error");
        if let Some(Message::Ballot(ballot)) = response.expect("a ballot").message {
            break ballot.decision.expect("decided").r#move;
        }
    }
}

/// No worker has described itself when the analysis begins.
#[tokio::test(start_paused = true)]
async fn an_analysis_waits_for_its_first_player() {
    let stop = consult_request::Message::Stop(StopConsultation {});
    let decided = decided_by_a_late_worker(Limits::default(), stop).await;
    assert_eq!(decided, "2g2f");
}

#[tokio::test(start_paused = true)]
async fn a_ponder_waits_for_its_first_player() {
    let limits = Limits {
        time_ms: Some(1_000),
        ponder: true,
        ..Limits::default()
    };
    let hit = consult_request::Message::PonderHit(ConsultationPonderHit::default());
    assert_eq!(decided_by_a_late_worker(limits, hit).await, "2g2f");
}

/// A coordinator that has just been started is asked for a move, which has a second: the workers `0` and `1` are
/// there after these times, in milliseconds. Returns the ballot and the time of its players, in milliseconds.
async fn asked_at_the_start(there_after: [Option<u64>; 2]) -> (Ballot, Vec<u64>) {
    let cables = [Cable::default(), Cable::default()];
    let links = cables.iter().enumerate().map(|(index, cable)| {
        let address = format!("http://cable-{index}");
        Link::watch(address, cable.channel(), Duration::from_secs(3))
    });
    let service = service(Roster::new(links.collect()), None);
    let router = server::router(service).await.expect("descriptors");
    let (channel, _server) = serve::in_process(router);
    let workers = [0, 1].map(|index| {
        let worker = FakeWorker::named(&index.to_string());
        worker.player("a", &[Listen, Answer("2g2f")])
    });
    let heard = workers.each_ref().map(|worker| worker.requests.clone());
    for ((cable, worker), after) in cables.into_iter().zip(workers).zip(there_after) {
        let Some(after) = after else { continue };
        tokio::spawn(async move {
            sleep(Duration::from_millis(after)).await;
            cable.plug(worker);
        });
    }
    let (requests, upstream) = mpsc::channel(2);
    let first = request(consult_request::Message::Begin(begin("startpos")));
    requests.send(first).await.expect("room");
    let mut client = coordinator_client(channel);
    let begun = Instant::now();
    let answers = client.consult(ReceiverStream::new(upstream)).await;
    let mut answers = answers.expect("begun").into_inner();
    let ballot = loop {
        let response = answers.message().await.expect("no error");
        if let Some(Message::Ballot(ballot)) = response.expect("a ballot").message {
            break ballot;
        }
    };
    assert!(
        begun.elapsed() <= Duration::from_secs(1),
        "{:?}",
        begun.elapsed()
    );
    let times = heard.iter().flat_map(|heard| {
        let heard = heard.lock().expect("heard");
        let time = |request: &think_request::Message| match request {
            think_request::Message::Go(go) => go.limits?.time_ms,
            _ => None,
        };
        heard.iter().filter_map(time).collect::<Vec<_>>()
    });
    (ballot, times.collect())
}

#[tokio::test(start_paused = true)]
async fn a_move_waits_a_little_for_workers_that_have_not_been_found() {
    let chosen = |ballot: &Ballot| {
        let decision = ballot.decision.as_ref().expect("decided");
        (decision.r#move.clone(), decision.tie_break())
    };
    let by_players = ("2g2f".to_owned(), TieBreak::None);
    let (ballot, times) = asked_at_the_start([Some(0), Some(100)]).await;
    assert_eq!(
        (chosen(&ballot), ballot.votes.len()),
        (by_players.clone(), 2)
    );
    assert!(
        times.iter().all(|time| (700..900).contains(time)),
        "{times:?}"
    );

    // A part of the time is all that it waits, and the players get the rest.
    let (ballot, times) = asked_at_the_start([Some(0), Some(400)]).await;
    assert_eq!((chosen(&ballot), ballot.votes.len()), (by_players, 1));
    assert!(
        times.iter().all(|time| (700..=750).contains(time)),
        "{times:?}"
    );

    let (ballot, times) = asked_at_the_start([None, None]).await;
    assert_eq!((chosen(&ballot).1, times.len()), (TieBreak::Fallback, 0));
}
