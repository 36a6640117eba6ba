//! The check of every call: a member whose certificate is not revoked, with a role that may make it. All calls but the
//! questions to players come at a pace.

use super::{
    caller::{Caller, CallerOrigin},
    pace::Rate,
};
use crate::{
    role::Role,
    text::excerpt,
    tls::MemberInfo,
    v1::{coordinator_server, worker_server},
};
use std::{
    convert::Infallible,
    mem,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tonic::{
    Code, Status,
    body::Body,
    codegen::{Service, http},
    service::Routes,
    transport::{Server, server},
};
use tower::{
    Layer,
    layer::util::{Identity, Stack},
};

/// The rate of calls over one connection that only look, that are refused, or that nothing answers to.
const LOOKS: Rate = Rate {
    interval: Duration::from_millis(250),
    burst: 4,
};

/// The rate of those by which a session has its players, and of its questions that have failed.
const SESSIONS: Rate = Rate {
    interval: Duration::from_millis(125),
    burst: 16,
};

/// The rate of those that direct a worker or measure how far away it is, which a coordinator does over one connection.
const DIRECTIONS: Rate = Rate {
    interval: Duration::from_millis(15),
    burst: 64,
};

/// Greatest length of the name of a call in a refusal, in characters.
const LONGEST_CALL: usize = 100;

/// A server whose calls are checked.
pub type CheckedServer = Server<Stack<GuardLayer, Identity>>;

/// Services whose calls are checked.
pub type Router = server::Router<Stack<GuardLayer, Identity>>;

/// Puts all services behind a [`Guard`].
#[derive(Clone, Copy, Debug)]
pub struct GuardLayer;

impl Layer<Routes> for GuardLayer {
    type Service = Guard<Routes>;

    fn layer(&self, routes: Routes) -> Guard<Routes> {
        Guard(routes)
    }
}

/// Services whose calls are checked.
#[derive(Clone, Debug)]
pub struct Guard<S>(S);

type GuardedResponse = Result<http::Response<Body>, Infallible>;

impl<S> Service<http::Request<Body>> for Guard<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = GuardedResponse> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        let caller = request.extensions_mut().remove::<Caller>();
        let (service, call) = names(request.uri().path());
        let admission = match caller.as_ref().map(|caller| &caller.origin) {
            Some(CallerOrigin::Member(member)) => admit(member, service, call),
            // Connections without certificates are let in, or not, by the address that the service listens at.
            Some(CallerOrigin::Anybody(_) | CallerOrigin::ThisProcess) | None => Ok(()),
        };
        let (before, after) = rates(service, call);
        let pace = caller.and_then(|caller| {
            let tcp = match caller.origin {
                CallerOrigin::Member(member) => member.tcp,
                CallerOrigin::Anybody(tcp) => tcp,
                CallerOrigin::ThisProcess => return None,
            };
            request.extensions_mut().insert(tcp);
            Some(caller.pace)
        });
        let Some(pace) = pace else {
            return Box::pin(self.0.call(request));
        };
        if let Err(refusal) = admission {
            let turn = pace.turn(LOOKS);
            return Box::pin(async move {
                turn.await;
                Ok(refusal.into_http())
            });
        }
        let turn = before.map(|rate| pace.turn(rate));
        // The service that is ready is the one that was asked.
        let next = self.0.clone();
        let mut ready = mem::replace(&mut self.0, next);
        Box::pin(async move {
            if let Some(turn) = turn {
                turn.await;
            }
            let response = ready.call(request).await?;
            if let Some(rate) = after
                && has_failed(&response)
            {
                pace.turn(rate).await;
            }
            Ok(response)
        })
    }
}

/// Returns the service and the call that a path names.
fn names(path: &str) -> (&str, &str) {
    let path = path.strip_prefix('/').unwrap_or(path);
    path.split_once('/').unwrap_or((path, ""))
}

/// Returns the rate of a call, and the one by which it waits once it has failed. Questions to players do not wait, nor
/// do those that a player does not answer: the coordinator counts on being told.
fn rates(service: &str, call: &str) -> (Option<Rate>, Option<Rate>) {
    match (service, call) {
        (worker_server::SERVICE_NAME, "Think") => (None, None),
        (worker_server::SERVICE_NAME, _) => (Some(DIRECTIONS), None),
        (coordinator_server::SERVICE_NAME, "Consult") => (None, Some(SESSIONS)),
        (coordinator_server::SERVICE_NAME, "PrepareGame" | "FinishGame" | "Hold" | "Release") => {
            (Some(SESSIONS), None)
        }
        _ => (Some(LOOKS), None),
    }
}

/// Tells whether a call has failed before it answered anything.
fn has_failed(response: &http::Response<Body>) -> bool {
    Status::from_header_map(response.headers()).is_some_and(|status| status.code() != Code::Ok)
}

fn admit(member: &MemberInfo, service: &str, call: &str) -> Result<(), Status> {
    let denied = |reason: String| Err(Status::permission_denied(reason));
    if let Err(revoked) = member.check() {
        return denied(revoked.to_string());
    }
    match member.role.may_call(service, call) {
        true => Ok(()),
        false => {
            let others = Role::ALL.into_iter();
            let others = others.filter(|role| role.may_call(service, call));
            let others: Vec<String> = others.map(|role| role.to_string()).collect();
            let others = match others.is_empty() {
                true => "there is no such call".to_owned(),
                false => format!("use the certificate of role {}", others.join(" or ")),
            };
            denied(format!(
                "role {} may not call {}; {others}",
                member.role,
                excerpt(call, LONGEST_CALL)
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Ready;
    use tokio::{
        net::{TcpListener, TcpStream},
        time::Instant,
    };
    use tonic::transport::server::Connected;

    /// Services that do nothing, or fail.
    #[derive(Clone)]
    struct Idle(Code);

    impl Service<http::Request<Body>> for Idle {
        type Response = http::Response<Body>;
        type Error = Infallible;
        type Future = Ready<GuardedResponse>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: http::Request<Body>) -> Self::Future {
            std::future::ready(Ok(Status::new(self.0, "").into_http()))
        }
    }

    /// Makes a hundred calls one after the other; returns the time that they took.
    async fn time_of(path: &str, ended: Code, caller: &Caller) -> Duration {
        let begun = Instant::now();
        for _ in 0..100 {
            let mut request = http::Request::new(Body::empty());
            *request.uri_mut() = path.parse().expect("a path");
            request.extensions_mut().insert(caller.clone());
            let _ = Guard(Idle(ended)).call(request).await;
        }
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn all_calls_have_a_pace_but_the_questions_to_players() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let stream = TcpStream::connect(address).await.expect("a connection");
        let caller = || Caller::from(CallerOrigin::Anybody(stream.connect_info()));
        let time_at = |rate: Rate| rate.interval * (100 - rate.burst);
        let [looked, held, directed] = [LOOKS, SESSIONS, DIRECTIONS].map(time_at);
        for (path, ended, least) in [
            ("/monju.v1.Coordinator/Consult", Code::Ok, Duration::ZERO),
            ("/monju.v1.Coordinator/Consult", Code::InvalidArgument, held),
            ("/monju.v1.Coordinator/Roster", Code::Ok, looked),
            ("/monju.v1.Coordinator/Hold", Code::Ok, held),
            ("/monju.v1.Worker/Think", Code::Ok, Duration::ZERO),
            ("/monju.v1.Worker/Think", Code::Unavailable, Duration::ZERO),
            ("/monju.v1.Worker/Describe", Code::Ok, directed),
            ("/grpc.health.v1.Health/Check", Code::Ok, looked),
            ("/none/None", Code::Unimplemented, looked),
            ("/", Code::Unimplemented, looked),
        ] {
            let caller = caller();
            let time = time_of(path, ended, &caller).await;
            let is_paced = (least..=least + LOOKS.interval).contains(&time);
            assert!(is_paced, "{path} {ended:?}: {time:?}");
            // A connection that is slow with one kind of call asks the players as before.
            let time = time_of("/monju.v1.Coordinator/Consult", Code::Ok, &caller).await;
            assert_eq!(time, Duration::ZERO, "{path}");
        }
        let here = Caller::from(CallerOrigin::ThisProcess);
        let time = time_of("/none/None", Code::Unimplemented, &here).await;
        assert_eq!(time, Duration::ZERO);
    }
}
