//! The service itself: who is there, what is refused, and what is served beside it.

use crate::support::{TestFolder, Think, endless, fake, go, in_process, nodes, start};
use monju_engine::Model;
use monju_proto::v1::{self, think_request::Message, worker_client::WorkerClient};
use monju_worker::{Drain, serve_tcp};
use std::{future::pending, time::Duration};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpStream},
    sync::oneshot,
    time::sleep,
};
use tonic::{Code, transport::Channel};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

#[tokio::test]
async fn an_unknown_player_is_not_found() {
    let table = fake(&[]) + "[[player]]\nname = \"other\"\n";
    let (_worker, client) = in_process(&table).await;
    let go = v1::Go {
        player: "nobody".to_owned(),
        ..go(endless())
    };
    let status = Think::go(&client, go).await.failure().await;
    assert_eq!(status.code(), Code::NotFound);
    assert!(status.message().contains("fake, other"), "{status}");
}

#[tokio::test]
async fn a_bad_position_is_refused_and_reaches_no_engine() {
    let folder = TestFolder::new();
    let (_worker, client) = in_process(&fake(&["--log", &folder.file("log")])).await;
    let position = |start: &str, moves: &[&str]| v1::Position {
        start: start.to_owned(),
        moves: moves.iter().map(|mv| (*mv).to_owned()).collect(),
        ..v1::Position::default()
    };
    let bad = [
        Some(position("startpos", &["7g7e"])),
        Some(position("startpos\nquit", &[])),
        Some(position("9/9/9 b - 1", &[])),
        Some(position("", &[])),
        None,
    ];
    for position in bad {
        let go = v1::Go {
            position: position.clone(),
            ..go(endless())
        };
        let status = Think::go(&client, go).await.failure().await;
        assert_eq!(status.code(), Code::InvalidArgument, "{position:?}");
        assert!(status.message().contains("position"), "{status}");
        assert!(!status.message().contains('\n'), "{status}");
    }
    Think::go(&client, go(nodes(10))).await.line().await;
    let lines = folder.lines("log");
    let positions = lines.iter().filter(|line| line.starts_with("position"));
    assert_eq!(positions.count(), 1);
}

#[tokio::test]
async fn words_out_of_order_are_refused() {
    let (_worker, client) = in_process(&fake(&[])).await;
    let mut early = Think::open(&client).await;
    early.stop().await;
    let status = early.failure().await;
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("must be go"), "{status}");

    let mut twice = Think::go(&client, go(endless())).await;
    twice.progress().await;
    twice.say(Message::Go(go(endless()))).await;
    let status = twice.failure().await;
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("second time"), "{status}");
}

#[tokio::test]
async fn players_are_described_before_they_are_ready() {
    let table = "[[player]]\nname = \"n\"\ncount = 2\nsigma = 50\nseed = 4\n\
                 evaluator = \"material\"\n\
                 [[player]]\nname = \"u\"\nkind = \"usi\"\ncommand = [\"/no/such/engine\"]\n";
    let (_worker, mut client) = in_process(table).await;
    let response = client.describe(v1::DescribeRequest::default()).await;
    let described = response.expect("described").into_inner();
    assert_eq!(described.name, "desk");
    assert_eq!(described.version, env!("CARGO_PKG_VERSION"));
    let native = |name: &str, noise_seed| v1::PlayerInfo {
        name: name.to_owned(),
        engine: "monju".to_owned(),
        evaluator: Model::material().to_string(),
        sigma: 50.0,
        noise_seed: Some(noise_seed),
        worker: "desk".to_owned(),
        noise_model: "position".to_owned(),
        ..v1::PlayerInfo::default()
    };
    let foreign = v1::PlayerInfo {
        name: "u".to_owned(),
        engine: "engine".to_owned(),
        worker: "desk".to_owned(),
        ..v1::PlayerInfo::default()
    };
    let settings: Vec<usize> = described
        .players
        .iter()
        .map(|player| player.settings.len())
        .collect();
    assert_eq!(settings, [2, 2, 2], "threads and hash_mib, command and go");
    let players = described.players.into_iter();
    let players: Vec<v1::PlayerInfo> = players
        .map(|player| v1::PlayerInfo {
            settings: Vec::new(),
            ..player
        })
        .collect();
    assert_eq!(players, [native("n-1", 4), native("n-2", 5), foreign]);
}

#[tokio::test]
async fn a_worker_is_served_over_tcp_until_it_is_told_to_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (end, ending) = oneshot::channel::<()>();
    let server = tokio::spawn(serve_tcp(
        listener,
        None,
        start(&fake(&[])),
        Drain::default(),
        async {
            let _ = ending.await;
        },
    ));
    let channel = Channel::from_shared(url)
        .expect("a url")
        .connect()
        .await
        .expect("a connection");

    let request = HealthCheckRequest {
        service: "monju.v1.Worker".to_owned(),
    };
    // Only when its engine has loaded can it vote.
    let mut health = HealthClient::new(channel.clone());
    let mut status = async || health.check(request.clone()).await.expect("checked");
    while status().await.into_inner().status() != ServingStatus::Serving {
        sleep(Duration::from_millis(10)).await;
    }

    let request = ServerReflectionRequest {
        message_request: Some(MessageRequest::FileContainingSymbol(
            "monju.v1.Worker".to_owned(),
        )),
        ..ServerReflectionRequest::default()
    };
    let mut reflection = ServerReflectionClient::new(channel.clone())
        .server_reflection_info(tokio_stream::once(request))
        .await
        .expect("reflected")
        .into_inner();
    let response = reflection.message().await.expect("reflected");
    let message = response.and_then(|response| response.message_response);
    assert!(
        matches!(message, Some(MessageResponse::FileDescriptorResponse(_))),
        "{message:?}"
    );
    drop(reflection);

    let client = WorkerClient::new(channel);
    let mut think = Think::go(&client, go(endless())).await;
    think.progress().await;
    end.send(()).expect("still serving");
    let status = think.failure().await;
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("shutting down"), "{status}");
    server.await.expect("no panic").expect("a clean end");
}

#[tokio::test]
async fn a_crowd_that_says_nothing_locks_nobody_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let server = serve_tcp(
        listener,
        None,
        start(&fake(&[])),
        Drain::default(),
        pending(),
    );
    let server = tokio::spawn(server);
    let mut crowd = Vec::new();
    for _ in 0..300 {
        crowd.push(TcpStream::connect(address).await.expect("accepted"));
    }
    let described = loop {
        let endpoint = Channel::from_shared(format!("http://{address}")).expect("a url");
        let Ok(channel) = endpoint.connect().await else {
            continue;
        };
        let mut client = WorkerClient::new(channel);
        match client.describe(v1::DescribeRequest::default()).await {
            Ok(described) => break described.into_inner(),
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    };
    assert_eq!(described.name, "desk");
    for mut idle in crowd {
        // The server introduces itself before it hangs up, which may reset the connection.
        let _ = idle.read_to_end(&mut Vec::new()).await;
    }
    server.abort();
}
