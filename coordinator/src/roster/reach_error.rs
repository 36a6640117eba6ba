//! Failures of calls to workers and coordinators, for one line of text.

use crate::door::Offence;
use monju_proto::client::reason;
use std::time::Duration;
use tonic::{Code, Status};

/// Failure of a call to a worker or a coordinator. It has no source: its text names the cause in plain words.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReachError {
    /// No call has succeeded yet.
    #[error("not connected yet")]
    NotConnected,
    /// The first call failed.
    #[error("{}", first_reason(.0))]
    First(Box<Status>),
    /// A later call failed.
    #[error("{}", reason(.0))]
    Later(Box<Status>),
    /// It says what no worker can say.
    #[error(transparent)]
    Offence(#[from] Offence),
    /// It takes no more questions.
    #[error("it takes no new questions (draining)")]
    Draining,
    /// No answer came within this time.
    #[error("no answer within {} s", .0.as_secs())]
    Silent(Duration),
}

/// Returns the cause of a failed first call, with the most likely mistake if the cause is obscure.
pub fn first_reason(status: &Status) -> String {
    let reason = reason(status);
    let hangs_up = [
        "connection closed",
        "onnection reset",
        "broken pipe",
        "frame with invalid size",
    ];
    if hangs_up.iter().any(|words| reason.contains(words)) {
        "it hangs up at once; only one side may be using TLS (https:// and the certificates), or our certificate \
         may have been revoked"
            .to_owned()
    } else if reason.contains("CertificateExpired") {
        format!("{reason}; our certificate has expired, or the clock of its machine is wrong")
    } else if reason.contains("xpired") {
        format!(
            "{reason}; its certificate has expired, or the clock of one of the machines is wrong"
        )
    } else if reason.contains("invalid peer certificate") {
        format!(
            "{reason}; its certificate is another team's, or that of a role that ours may not reach; give both \
             sides folders of the same team, and connect to workers as a coordinator"
        )
    } else if status.code() == Code::Unimplemented {
        "it does not know this service; a worker may have been taken for a coordinator, or the reverse"
            .to_owned()
    } else {
        reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_obscure_first_failure_names_the_likely_mistake() {
        let texts = [
            "connection closed",
            "stream closed because of a broken pipe",
            "Connection reset by peer (os error 104)",
        ];
        let reasons = texts.map(|text| first_reason(&Status::unavailable(text)));
        assert_eq!(reasons[0], reasons[1]);
        assert_eq!(reasons[0], reasons[2]);
        assert!(reasons[0].contains("TLS"));
        let elsewhere = first_reason(&Status::unimplemented(""));
        assert!(elsewhere.contains("coordinator"), "{elsewhere}");
        for (text, words) in [
            (
                "invalid peer certificate: certificate expired: …",
                "its certificate has expired",
            ),
            (
                "invalid peer certificate: Expired",
                "its certificate has expired",
            ),
            (
                "received fatal alert: CertificateExpired",
                "our certificate has expired",
            ),
            ("invalid peer certificate: UnknownIssuer", "another team's"),
            (
                "invalid peer certificate: UnknownIssuer",
                "a role that ours",
            ),
        ] {
            let told = first_reason(&Status::unavailable(text));
            assert!(told.contains(words), "{told}");
        }
        let first = ReachError::First(Box::new(Status::unavailable("a manual")));
        assert!(std::error::Error::source(&first).is_none());
        let refused = Status::unavailable("connection refused");
        assert_eq!(first_reason(&refused), "connection refused");
    }
}
