//! The check of every call: a member whose certificate is not revoked, with a role that may make it.

use super::connection::Caller;
use crate::{role::Role, tls::MemberInfo};
use std::{
    convert::Infallible,
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
        + NamedService,
    S::Future: Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = GuardedResponse> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        match request.extensions_mut().remove::<Caller>() {
            Some(Caller::Member(member)) => {
                let call = request.uri().path().rsplit('/').next().unwrap_or_default();
                if let Err(refusal) = admit::<S>(&member, call) {
                    return Box::pin(async move { Ok(refusal.into_http()) });
                }
                request.extensions_mut().insert(member.tcp);
            }
            // Connections without certificates are let in, or not, by the address that the service listens at.
            Some(Caller::Anybody(tcp)) => {
                request.extensions_mut().insert(tcp);
            }
            Some(Caller::ThisProcess) | None => {}
        }
        Box::pin(self.0.call(request))
    }
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
