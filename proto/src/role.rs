//! The roles of a team's members, and the calls that each may make.

use crate::v1::{coordinator_server, worker_server};
use std::str::FromStr;
use strum::Display;
use tonic_health::pb::health_server;
use tonic_reflection::pb::{
    v1::server_reflection_server, v1alpha::server_reflection_server as old_reflection_server,
};

/// The role of a member by its certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display)]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// A member of a team without roles, which may do everything.
    Member,
    /// Hosts players. It may enrol itself and nothing else.
    Worker,
    /// Directs workers.
    Coordinator,
    /// Plays and consults.
    Gui,
    /// Looks.
    Observer,
}

/// The end of the name by which a certificate tells its role.
const SUFFIX: &str = ".role.monju";

/// Text that is no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no role; expected worker, coordinator, gui or observer")]
pub struct NotARole(String);

impl Role {
    /// The roles of a team with roles.
    pub const ALL: [Self; 4] = [Self::Worker, Self::Coordinator, Self::Gui, Self::Observer];

    /// Returns the name by which a certificate tells this role.
    pub fn certificate_name(self) -> String {
        format!("{self}{SUFFIX}")
    }

    /// Returns the role that a name in a certificate tells.
    pub fn of_name(name: &str) -> Option<Self> {
        name.strip_suffix(SUFFIX)?.parse().ok()
    }

    /// Tells whether this role may make a call of a service. All members may ask for the health of one, and those that
    /// direct what it can do: one call of reflection asks as many questions as it likes.
    pub fn may_call(self, service: &str, call: &str) -> bool {
        match (service, self) {
            (health_server::SERVICE_NAME, _) => true,
            (
                server_reflection_server::SERVICE_NAME | old_reflection_server::SERVICE_NAME,
                Self::Gui | Self::Coordinator,
            ) => true,
            (_, Self::Member) => true,
            (coordinator_server::SERVICE_NAME, Self::Worker) => call == "Enrol",
            (coordinator_server::SERVICE_NAME, Self::Observer) => {
                matches!(call, "Roster" | "Watch")
            }
            (coordinator_server::SERVICE_NAME, Self::Gui | Self::Coordinator) => call != "Enrol",
            (worker_server::SERVICE_NAME, Self::Coordinator) => true,
            _ => false,
        }
    }
}

impl FromStr for Role {
    type Err = NotARole;

    /// Reads a role of a team with roles; no certificate tells that its member has none.
    fn from_str(text: &str) -> Result<Self, NotARole> {
        let role = Self::ALL.into_iter().find(|role| role.to_string() == text);
        role.ok_or_else(|| NotARole(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_may_do_what_it_is_for() {
        let services = [
            (
                coordinator_server::SERVICE_NAME,
                &["Consult", "PrepareGame", "Hold", "Roster", "Watch", "Enrol"][..],
            ),
            (
                worker_server::SERVICE_NAME,
                &["Describe", "Think", "Examine", "Drain"],
            ),
            (
                server_reflection_server::SERVICE_NAME,
                &["ServerReflectionInfo"],
            ),
            (health_server::SERVICE_NAME, &["Check"]),
        ];
        let allowed = |role: Role| {
            let calls = services.iter().flat_map(|(service, calls)| {
                calls
                    .iter()
                    .filter(move |call| role.may_call(service, call))
            });
            calls.copied().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(allowed(Role::Observer), "Roster Watch Check");
        assert_eq!(allowed(Role::Worker), "Enrol Check");
        assert_eq!(
            allowed(Role::Gui),
            "Consult PrepareGame Hold Roster Watch ServerReflectionInfo Check"
        );
        assert_eq!(
            allowed(Role::Coordinator),
            "Consult PrepareGame Hold Roster Watch Describe Think Examine Drain ServerReflectionInfo Check"
        );
        assert_eq!(allowed(Role::Member).split(' ').count(), 12);
        for role in Role::ALL {
            assert_eq!(Role::of_name(&role.certificate_name()), Some(role));
        }
        assert_eq!(Role::of_name("member.role.monju"), None);
        assert_eq!(Role::of_name("worker.monju"), None);
    }
}
