//! The account of a client.

use std::fmt;

/// An account on a server.
#[derive(Clone)]
pub struct Login {
    /// `host:port`.
    pub server: String,
    /// Name of the account.
    pub user: String,
    /// Its password, which is never shown.
    pub password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{}", self.user, self.server)
    }
}
