//! Addresses of stores.

use super::error::StoreError;
use std::{fmt, path::PathBuf, str::FromStr};

/// Address of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// An SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL URL.
    Postgres(String),
}

impl FromStr for Address {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        match text.split_once(':') {
            Some(("postgres" | "postgresql", server)) if server.starts_with("//") => {
                Ok(Self::Postgres(text.to_owned()))
            }
            Some(("sqlite", file)) if !file.trim_start_matches('/').is_empty() => {
                let file = file.strip_prefix("//").unwrap_or(file);
                // Other programs write a whole path with a slash of its own behind these.
                let whole = file.strip_prefix("//").map(|rest| format!("/{rest}"));
                Ok(Self::Sqlite(whole.map_or_else(|| file.into(), Into::into)))
            }
            Some(("postgres" | "postgresql" | "sqlite" | "", _)) => {
                Err(StoreError::Address(without_password(text)))
            }
            Some(_) if text.contains("://") => Err(StoreError::Address(without_password(text))),
            _ if text.is_empty() => Err(StoreError::Address(String::new())),
            _ => Ok(Self::Sqlite(text.into())),
        }
    }
}

/// Shows the file, or the URL without its password, because reports and terminals are shown to others.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(file) => write!(f, "{}", file.display()),
            Self::Postgres(url) => f.write_str(&without_password(url)),
        }
    }
}

/// Removes the password from a URL. PGPASSWORD or a password file is the place for it.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once(':') else {
        return url.to_owned();
    };
    let (slashes, rest) = match rest.strip_prefix("//") {
        Some(rest) => ("//", rest),
        None => ("", rest),
    };
    // Everything before the last @ belongs to the user, so a password may contain any character.
    let (user, server) = match rest.rsplit_once('@') {
        Some((user, server)) => (user.split([':', '?', '/']).next(), server),
        None => (None, rest),
    };
    let user = user.map_or_else(String::new, |user| format!("{user}@"));
    let (server, query) = match server.split_once('?') {
        Some((server, query)) => (server, Some(query)),
        None => (server, None),
    };
    let kept: Vec<&str> = query
        .into_iter()
        .flat_map(|query| query.split('&'))
        .filter(|parameter| !parameter.starts_with("password="))
        .collect();
    let query = match kept.is_empty() {
        true => String::new(),
        false => format!("?{}", kept.join("&")),
    };
    format!("{scheme}:{slashes}{user}{server}{query}")
}
