//! Support for the tests of the service: a worker with fake engines, and one think at a time.

use monju_host::{PlayerTable, validate_players};
use monju_host::{Players, PlayersSettings};
use monju_proto::v1::{self, think_request, think_response, worker_client::WorkerClient};
use monju_worker::InProcessWorker;
use serde::Deserialize;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming, transport::Channel};

#[derive(Deserialize)]
struct PlayerTables {
    player: Vec<PlayerTable>,
}

/// Starts a worker from `[[player]]` tables.
pub fn start(tables: &str) -> Players {
    let tables: PlayerTables = toml::from_str(tables).expect("valid tables");
    Players::start(PlayersSettings {
        name: "desk".to_owned(),
        hash_mib: 16,
        players: validate_players(&tables.player, Path::new("")).expect("valid players"),
    })
    .expect("the worker starts")
}

/// Starts a worker inside this process from `[[player]]` tables.
pub async fn in_process(tables: &str) -> (InProcessWorker, WorkerClient<Channel>) {
    let worker = InProcessWorker::serve(start(tables))
        .await
        .expect("the worker is served");
    let client = WorkerClient::new(worker.channel());
    (worker, client)
}

/// The table of a fake engine called `fake`.
pub fn fake(switches: &[&str]) -> String {
    let program = env!("CARGO_BIN_EXE_fake-usi-engine");
    let command: Vec<&str> = [program]
        .into_iter()
        .chain(switches.iter().copied())
        .collect();
    format!("[[player]]\nname = \"fake\"\nkind = \"usi\"\ncommand = {command:?}\n")
}

/// A folder that goes away with the test.
pub struct TestFolder(PathBuf);

impl TestFolder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("monju-worker-{}-{number}", process::id()));
        // One of a process with the same number that was killed may be there.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("UTF-8").to_owned()
    }

    /// The lines of a file in it.
    pub fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.0.join(name)).expect("a file");
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A go for the player `fake` from the even game.
pub fn go(limits: v1::Limits) -> v1::Go {
    v1::Go {
        player: "fake".to_owned(),
        game_id: "game".to_owned(),
        position: Some(v1::Position {
            start: "startpos".to_owned(),
            moves: Vec::new(),
            ..v1::Position::default()
        }),
        limits: Some(limits),
        noise_seed: 0,
        claim: None,
        opponents_turn: false,
        search_moves: Vec::new(),
    }
}

/// Limits of so many nodes.
pub fn nodes(nodes: u64) -> v1::Limits {
    v1::Limits {
        nodes: Some(nodes),
        ..v1::Limits::default()
    }
}

/// No limits.
pub fn endless() -> v1::Limits {
    v1::Limits::default()
}

/// An open think stream. Dropping it closes the stream.
pub struct Think {
    up: mpsc::Sender<v1::ThinkRequest>,
    down: Streaming<v1::ThinkResponse>,
}

impl Think {
    /// Opens the stream without a word.
    pub async fn open(client: &WorkerClient<Channel>) -> Self {
        let (up, requests) = mpsc::channel(4);
        let down = client
            .clone()
            .think(ReceiverStream::new(requests))
            .await
            .expect("the stream opens before go")
            .into_inner();
        Self { up, down }
    }

    /// Opens the stream and says go.
    pub async fn go(client: &WorkerClient<Channel>, go: v1::Go) -> Self {
        let think = Self::open(client).await;
        think.say(think_request::Message::Go(go)).await;
        think
    }

    pub async fn say(&self, message: think_request::Message) {
        let request = v1::ThinkRequest {
            message: Some(message),
        };
        self.up.send(request).await.expect("the stream is open");
    }

    pub async fn stop(&self) {
        self.say(think_request::Message::Stop(v1::Stop {})).await;
    }

    pub async fn ponder_hit(&self, limits: v1::Limits) {
        self.say(think_request::Message::PonderHit(v1::PonderHit {
            limits: Some(limits),
        }))
        .await;
    }

    /// The next progress.
    pub async fn progress(&mut self) -> v1::Line {
        match self.next().await {
            Ok(think_response::Message::Progress(line)) => line,
            other => panic!("expected progress: {other:?}"),
        }
    }

    /// The answer, and the progress that came before it.
    pub async fn answer(&mut self) -> Result<(v1::ThinkResult, Vec<v1::Line>), Status> {
        let mut progress = Vec::new();
        loop {
            match self.next().await? {
                think_response::Message::Progress(line) => progress.push(line),
                think_response::Message::Result(result) => {
                    let after = self.down.message().await.expect("a clean end");
                    assert_eq!(after, None, "the result is the last message");
                    return Ok((result, progress));
                }
            }
        }
    }

    /// The line of the answer.
    pub async fn line(&mut self) -> v1::Line {
        let (result, _) = self.answer().await.expect("an answer");
        result.line.expect("a line")
    }

    /// The status that ended it.
    pub async fn failure(&mut self) -> Status {
        self.answer().await.expect_err("a failure")
    }

    async fn next(&mut self) -> Result<think_response::Message, Status> {
        let response = self.down.message().await?.expect("a message");
        Ok(response.message.expect("a content"))
    }
}
