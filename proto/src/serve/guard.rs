//! The check of every call: a member whose certificate is not revoked, with a role that may make it. Calls that only
//! look, and those that are refused, come at a pace.

use super::{
    connection::{Caller, CallerOrigin},
    pace::Pace,
};
use crate::{role::Role, tls::MemberInfo};
use std::{
    convert::Infallible,
    mem,
    pin::Pin,
    task::{Context, Poll},
};
use tonic::{
    Status,
    body::Body,
    codegen::{Service, http},
    server::NamedService,
};

/// A service whose calls are checked.
#[derive(Clone, Debug)]
pub struct Guard<S>(pub S);

impl<S: NamedService> NamedService for Guard<S> {
    const NAME: &'static str = S::NAME;
}

type GuardedResponse = Result<http::Response<Body>, Infallible>;

impl<S> Service<http::Request<Body>> for Guard<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>
        + NamedService
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
        let call = request.uri().path().rsplit('/').next().unwrap_or_default();
        let only_looks = Role::Observer.may_call(S::NAME, call);
        let admission = match caller.as_ref().map(|caller| &caller.origin) {
            Some(CallerOrigin::Member(member)) => admit::<S>(member, call),
            // Connections without certificates are let in, or not, by the address that the service listens at.
            Some(CallerOrigin::Anybody(_) | CallerOrigin::ThisProcess) | None => Ok(()),
        };
        let pace = caller.and_then(|caller| {
            let tcp = match caller.origin {
                CallerOrigin::Member(member) => member.tcp,
                CallerOrigin::Anybody(tcp) => tcp,
                CallerOrigin::ThisProcess => return None,
            };
            request.extensions_mut().insert(tcp);
            Some(caller.pace)
        });
        let pace = match admission {
            Err(refusal) => return refuse(pace.unwrap_or_default(), refusal),
            Ok(()) => pace.filter(|_| only_looks),
        };
        let Some(pace) = pace else {
            return Box::pin(self.0.call(request));
        };
        let turn = pace.turn();
        // The service that is ready is the one that was asked.
        let next = self.0.clone();
        let mut ready = mem::replace(&mut self.0, next);
        Box::pin(async move {
            turn.await;
            ready.call(request).await
        })
    }
}

fn refuse(pace: Pace, refusal: Status) -> Pin<Box<dyn Future<Output = GuardedResponse> + Send>> {
    let turn = pace.turn();
    Box::pin(async move {
        turn.await;
        Ok(refusal.into_http())
    })
}

fn admit<S: NamedService>(member: &MemberInfo, call: &str) -> Result<(), Status> {
    let denied = |reason: String| Err(Status::permission_denied(reason));
    if let Err(revoked) = member.check() {
        return denied(revoked.to_string());
    }
    match member.role.may_call(S::NAME, call) {
        true => Ok(()),
        false => {
            let others = Role::ALL.into_iter();
            let others = others.filter(|role| role.may_call(S::NAME, call));
            let others: Vec<String> = others.map(|role| role.to_string()).collect();
            denied(format!(
                "role {} may not call {call}; use the certificate of role {}",
                member.role,
                others.join(" or ")
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::coordinator_server;
    use std::{future::Ready, time::Duration};
    use tokio::{
        net::{TcpListener, TcpStream},
        time::Instant,
    };
    use tonic::transport::server::Connected;

    /// A coordinator that does nothing.
    #[derive(Clone)]
    struct Idle;

    impl NamedService for Idle {
        const NAME: &'static str = coordinator_server::SERVICE_NAME;
    }

    impl Service<http::Request<Body>> for Idle {
        type Response = http::Response<Body>;
        type Error = Infallible;
        type Future = Ready<GuardedResponse>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: http::Request<Body>) -> Self::Future {
            std::future::ready(Ok(http::Response::new(Body::empty())))
        }
    }

    /// Makes calls one after the other; returns the time that they took.
    async fn time_of(call: &str, caller: &Caller) -> Duration {
        let begun = Instant::now();
        for _ in 0..100 {
            let mut request = http::Request::new(Body::empty());
            let path = format!("/{}/{call}", Idle::NAME);
            *request.uri_mut() = path.parse().expect("a path");
            request.extensions_mut().insert(caller.clone());
            let _ = Guard(Idle).call(request).await;
        }
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_look_have_a_pace_and_those_who_play_have_none() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let stream = TcpStream::connect(address).await.expect("a connection");
        let caller = Caller::from(CallerOrigin::Anybody(stream.connect_info()));
        assert_eq!(time_of("Consult", &caller).await, Duration::ZERO);
        assert!(time_of("Roster", &caller).await > Duration::from_secs(5));
        assert_eq!(time_of("Consult", &caller).await, Duration::ZERO);
        let here = Caller::from(CallerOrigin::ThisProcess);
        assert_eq!(time_of("Roster", &here).await, Duration::ZERO);
    }
}
