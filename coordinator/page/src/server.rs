//! Serving a page over HTTP.

pub use axum::Router;

use axum::{
    http::{HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use serde_json::Value;
use std::{io, net::SocketAddr, pin::Pin};
use tokio::net::TcpListener;

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
    #[error("cannot serve the page on {address}: {source}; choose another --page HOST:PORT")]
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

/// Serves routes until `end` completes; all answers have the headers of pages.
///
/// # Errors
/// Those of the system.
pub async fn serve(
    listener: TcpListener,
    routes: Router,
    end: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    serve_until(listener, routes, Box::pin(end)).await
}

/// Boxed, so that HTTP is compiled here, once, and not with every program that has a page.
fn serve_until(
    listener: TcpListener,
    routes: Router,
    end: Pin<Box<dyn Future<Output = ()> + Send>>,
) -> Pin<Box<dyn Future<Output = io::Result<()>> + Send>> {
    let routes = routes.layer(axum::middleware::map_response(headed));
    let server = axum::serve(listener, routes).with_graceful_shutdown(end);
    Box::pin(server.into_future())
}

/// Returns an answer in JSON.
pub(crate) fn json(value: &Value) -> Response {
    let text = value.to_string();
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

async fn headed(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, value);
    }
    response
}
