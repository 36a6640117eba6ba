//! Parts that the tests of the client share: a server's end of a connection, and on Unix a game and its engine.

use super::login::Login;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};
#[cfg(unix)]
use {
    super::{connection::CsaConnection, play::Board, summary::GameSummary},
    monju_host::{UsiSpec, usi_child::UsiChild},
};

/// A server that nobody has connected to, and an account there.
pub async fn server() -> (TcpListener, Login) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let login = Login {
        server: listener.local_addr().expect("an address").to_string(),
        user: "Monju".to_owned(),
        password: "word".to_owned(),
    };
    (listener, login)
}

/// Answers the login of a client; returns the server's end of the connection.
pub async fn answer_login(listener: &TcpListener, answer: &str) -> BufReader<TcpStream> {
    let (stream, _) = listener.accept().await.expect("a client");
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).await.expect("a login");
    stream.write_all(answer.as_bytes()).await.expect("read");
    stream
}

/// Lets a client in; returns the server's end of the connection.
pub async fn let_in(listener: &TcpListener) -> BufReader<TcpStream> {
    answer_login(listener, "LOGIN:Monju OK\n").await
}

/// A connection after its login, and the server's end of it.
#[cfg(unix)]
pub async fn connected() -> (CsaConnection, BufReader<TcpStream>) {
    let (listener, login) = server().await;
    let (connection, end) = tokio::join!(CsaConnection::log_in(&login), let_in(&listener));
    (connection.expect("a login"), end)
}

/// Lines with the conditions of a game in which we are Black, after these moves.
#[cfg(unix)]
pub fn conditions(moves: &str) -> String {
    format!(
        "Game_ID:one\nName+:a\nName-:b\nYour_Turn:+\nBEGIN Time\nTotal_Time:30\nEND Time\n\
         BEGIN Position\nPI\n+\n{moves}END Position\n"
    )
}

/// A game in which we are Black, after these moves.
#[cfg(unix)]
pub fn summary(moves: &str) -> GameSummary {
    let lines: Vec<String> = conditions(moves).lines().map(str::to_owned).collect();
    GameSummary::parse(&lines).expect("conditions")
}

/// An engine that gets ready and never answers.
#[cfg(unix)]
pub const MUTE: &str = "while read -r line; do case \"$line\" in usi) echo usiok ;; isready) echo readyok ;; \
    quit) exit ;; esac; done";

/// A board with this engine, a shell script with arguments.
#[cfg(unix)]
pub async fn board(script: &[&str]) -> Board {
    let arguments = [&["-c"], script].concat();
    let spec = UsiSpec {
        arguments: arguments.into_iter().map(str::to_owned).collect(),
        ..UsiSpec::of_program("/bin/sh")
    };
    let engine = UsiChild::start("test".to_owned(), spec.clone()).await;
    Board::new(engine.expect("an engine"), spec, false, false).expect("a thread")
}
