//! Serving a page over HTTP.

pub use axum::Router;

use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use monju_proto::{
    serve::{ConnectionLimits, is_loopback, limited},
    text::plain,
};
use serde_json::Value;
use std::{io, net::SocketAddr, pin::Pin, thread, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    runtime::Builder,
    sync::watch,
    task::JoinSet,
    time::timeout,
};
use tokio_stream::{Stream, StreamExt};

/// Greatest numbers of connections of a page at once: a browser that looks has one or two.
const LIMITS: ConnectionLimits = ConnectionLimits {
    all: 128,
    from_one: 64,
};

/// File descriptors of a page: its connections and its listener.
pub const DESCRIPTORS: usize = LIMITS.all + 1;

/// Time in which a connection has to send the header of a request, the first one and every one after an answer.
const HEADER_PATIENCE: Duration = Duration::from_secs(3);

/// Time after which a connection ends whose other end takes no more of an answer, which is kept for it meanwhile. Only
/// Linux knows it.
#[cfg(target_os = "linux")]
const READING_PATIENCE_MS: u32 = 30_000;

/// Niceness of the threads of pages.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 15;

/// Time for answers under way when the page ends; those that show events never end.
const END_PATIENCE: Duration = Duration::from_secs(1);

/// Pages load nothing, are framed by nobody, and talk to their own server alone.
const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
             frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        ),
    ),
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

/// Reason why a page is not served.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The system refuses the address.
    #[error("cannot serve on {address}: {source}; choose another HOST:PORT")]
    Listen {
        /// Address as it was given.
        address: String,
        /// Error of the system.
        source: io::Error,
    },
}

/// Listens on `host:port`; returns the address, which is told to the user. Beyond loopback a warning is logged:
/// whoever reaches the port can look.
///
/// # Errors
/// The system refuses the address.
pub async fn listen(address: &str) -> Result<(TcpListener, SocketAddr), PageError> {
    let fail = |source| PageError::Listen {
        address: address.to_owned(),
        source,
    };
    let listener = TcpListener::bind(address).await.map_err(fail)?;
    let local = listener.local_addr().map_err(fail)?;
    if !local.ip().is_loopback() {
        tracing::warn!(address = %local, "everybody who reaches this port can look at the page");
    }
    Ok((listener, local))
}

/// Greatest number of files that a page reads at once.
const READERS: usize = 2;

/// Runs what serves a page on a thread of its own, until the process ends. Those who look may ask as often as they
/// like: the threads that keep a game's clock go before this one, and those that it starts.
///
/// # Errors
/// The system refuses a thread.
pub fn in_background<F: Future<Output = ()>>(
    serve: impl FnOnce() -> F + Send + 'static,
) -> io::Result<()> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(READERS)
        .build()?;
    let run = move || {
        // Only Linux gives every thread a niceness of its own.
        #[cfg(target_os = "linux")]
        if let Err(error) = rustix::process::nice(NICENESS) {
            tracing::debug!(%error, "a page keeps its priority");
        }
        runtime.block_on(async { serve().await });
    };
    thread::Builder::new()
        .name("page".to_owned())
        .spawn(run)
        .map(drop)
}

/// Serves routes until `end` completes; all answers have the headers of pages. Connections beyond the limits are
/// closed at once, and those that ask for nothing a little later.
pub async fn serve(
    listener: TcpListener,
    routes: Router,
    end: impl Future<Output = ()> + Send + 'static,
) {
    serve_tcp(listener, routes, Box::pin(end)).await;
}

/// Boxed, so that HTTP is compiled here, once, and not with every program that has a page.
fn serve_tcp(
    listener: TcpListener,
    routes: Router,
    end: Pin<Box<dyn Future<Output = ()> + Send>>,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    let is_local = listener
        .local_addr()
        .is_ok_and(|address| address.ip().is_loopback());
    let routes = match is_local {
        true => routes.layer(axum::middleware::map_request(addressed_locally)),
        false => routes,
    };
    let connections = limited(listener, LIMITS).map(|(stream, permit)| {
        end_unread(&stream);
        (stream, permit)
    });
    serve_until(Box::pin(connections), routes, end)
}

/// Lets the system end a connection whose other end is gone, or does not read on.
fn end_unread(stream: &TcpStream) {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(stream, READING_PATIENCE_MS) {
        tracing::debug!(%error, "a connection to a page has no end if it is not read");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}

/// Refuses a request that a browser sends to another name than that of this machine: a foreign page whose name leads
/// to loopback would read this one.
async fn addressed_locally(request: Request) -> Result<Request, (StatusCode, &'static str)> {
    let host = request.headers().get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    match is_loopback(name) {
        true => Ok(request),
        false => Err((
            StatusCode::FORBIDDEN,
            "this page is for this machine alone; open it by the address that it was announced with\n",
        )),
    }
}

/// Serves connections until `end` completes. Each one comes with what it keeps until it ends.
fn serve_until<S, P>(
    mut connections: Pin<Box<dyn Stream<Item = (S, P)> + Send>>,
    routes: Router,
    mut end: Pin<Box<dyn Future<Output = ()> + Send>>,
) -> Pin<Box<dyn Future<Output = ()> + Send>>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    P: Send + 'static,
{
    let routes = routes.layer(axum::middleware::map_response(headed));
    Box::pin(async move {
        let (ending, told) = watch::channel(());
        let mut answering = JoinSet::new();
        loop {
            tokio::select! {
                () = &mut end => break,
                Some((stream, permit)) = connections.next() => {
                    let (routes, told) = (routes.clone(), told.clone());
                    answering.spawn(async move {
                        answer(stream, routes, told).await;
                        drop(permit);
                    });
                }
                Some(_) = answering.join_next() => {}
            }
        }
        drop((connections, ending));
        // Dropping the rest ends it.
        let _ = timeout(END_PATIENCE, answering.join_all()).await;
    })
}

/// Answers the requests of one connection until it ends, or the present one once the sender of `told` is gone.
async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    routes: Router,
    mut told: watch::Receiver<()>,
) {
    let service = TowerToHyperService::new(routes);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_PATIENCE)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        _ = told.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection to a page has failed");
    }
}

/// Returns a value in JSON. Names and reasons in it may come from strangers, and nothing in it turns or hides the text
/// of a page; control characters are escapes.
pub fn json_text(value: &Value) -> String {
    plain(&value.to_string()).into_owned()
}

/// Returns an answer in JSON.
pub(crate) fn json(value: &Value) -> Response {
    let text = json_text(value);
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

async fn headed(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{
        response::sse::{Event, KeepAlive, Sse},
        routing::get,
    };
    use std::{convert::Infallible, future::pending};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
        sync::mpsc,
        time::Instant,
    };
    use tokio_stream::wrappers::ReceiverStream;

    const QUESTION: &[u8] = b"GET / HTTP/1.1\r\nHost: monju\r\n\r\n";

    fn routes() -> Router {
        let events = || async {
            let events = tokio_stream::pending::<Result<Event, Infallible>>();
            Sse::new(events).keep_alive(KeepAlive::default())
        };
        Router::new()
            .route("/", get(|| async { "the page" }))
            .route("/events", get(events))
    }

    /// A page that is served over memory until the sender is dropped.
    fn page() -> mpsc::Sender<(DuplexStream, ())> {
        let (sender, connections) = mpsc::channel(1);
        let end = {
            let sender = sender.downgrade();
            async move {
                // The sender in the test is the only one.
                while let Some(sender) = sender.upgrade() {
                    drop(sender);
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        };
        let connections = Box::pin(ReceiverStream::new(connections));
        tokio::spawn(serve_until(connections, routes(), Box::pin(end)));
        sender
    }

    /// Sends the words, reads until the end, and returns the text and the time until then.
    async fn ask(page: &mpsc::Sender<(DuplexStream, ())>, words: &[u8]) -> (String, Duration) {
        let (mut near, far) = duplex(10_000);
        page.send((far, ())).await.expect("a page");
        let begun = Instant::now();
        near.write_all(words).await.expect("room");
        let mut text = String::new();
        near.read_to_string(&mut text).await.expect("text");
        (text, begun.elapsed())
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_connection_that_is_not_read_ends() {
        let (listener, address) = listen("127.0.0.1:0").await.expect("a port");
        let (near, far) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (near, (far, _)) = (near.expect("a way"), far.expect("a connection"));
        end_unread(&far);
        let timeout = rustix::net::sockopt::tcp_user_timeout(&far);
        assert_eq!(timeout, Ok(READING_PATIENCE_MS));
        drop(near);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_asks_for_nothing_is_closed() {
        let page = page();
        for words in [&b""[..], b"GET / HTTP/1.1\r\nHost: mon"] {
            let (text, time) = ask(&page, words).await;
            assert_eq!((text.contains("the page"), time), (false, HEADER_PATIENCE));
        }
        // One that was answered may ask again for as long.
        let (text, time) = ask(&page, QUESTION).await;
        assert!(
            text.ends_with("the page") && text.contains("no-referrer"),
            "{text}"
        );
        assert_eq!(time, HEADER_PATIENCE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_viewer_of_events_stays_until_the_page_ends() {
        const HOUR: Duration = Duration::from_secs(3_600);
        let page = page();
        let (mut near, far) = duplex(10_000);
        page.send((far, ())).await.expect("a page");
        let question = b"GET /events HTTP/1.1\r\nHost: monju\r\n\r\n";
        near.write_all(question).await.expect("room");
        let begun = Instant::now();
        let mut read = [0; 1_000];
        while begun.elapsed() < HOUR {
            let bytes = near.read(&mut read).await.expect("a connection");
            assert_ne!(bytes, 0, "closed after {:?}", begun.elapsed());
        }
        drop(page);
        let ended = Instant::now();
        near.read_to_end(&mut Vec::new()).await.expect("an end");
        assert!(ended.elapsed() <= END_PATIENCE + Duration::from_secs(1));
    }

    #[tokio::test]
    async fn idle_connections_beyond_the_limit_are_closed_and_a_viewer_gets_its_page_after_them() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(serve(listener, routes(), pending()));
        let mut idle = Vec::new();
        for _ in 0..LIMITS.from_one {
            idle.push(TcpStream::connect(address).await.expect("accepted"));
        }
        let look = async |host: &str| {
            let mut viewer = TcpStream::connect(address).await.expect("accepted");
            let mut text = String::new();
            // A connection that is closed at once may be reset.
            let question = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let _ = viewer.write_all(question.as_bytes()).await;
            let _ = viewer.read_to_string(&mut text).await;
            text.contains("the page")
        };
        assert!(!look("localhost").await, "more connections than the limit");
        drop(idle);
        while !look("localhost").await {}
        // The idle ones have had the turns of a while.
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(2)).await;
        tokio::time::resume();
        for (host, is_served) in [
            ("LOCALHOST:7480", true),
            ("127.0.0.1:7480", true),
            ("[::1]:7480", true),
            ("[::1]", true),
            ("monju.example:7480", false),
            ("localhost.example", false),
            ("192.0.2.1", false),
            ("", false),
        ] {
            assert_eq!(look(host).await, is_served, "{host}");
        }
    }

    #[tokio::test]
    async fn a_port_in_use_is_refused_in_the_words_of_no_single_flag() {
        let (_held, local) = listen("127.0.0.1:0").await.expect("a free port");
        let refused = listen(&local.to_string()).await;
        let line = refused.expect_err("in use").to_string();
        assert!(
            line.starts_with(&format!("cannot serve on {local}: ")),
            "{line}"
        );
        assert!(line.ends_with("choose another HOST:PORT"), "{line}");
    }
}
