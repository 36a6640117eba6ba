//! `monju experiment`: runs, watches and reports experiments.

mod progress;
mod report;
mod run;
mod status;

pub use report::Report;
pub use run::Run;
pub use status::Status;

use crate::experiment::store::Address;
use std::path::Path;

/// The command that plays an experiment, to be typed again.
fn run_command(file: &Path, address: &Address) -> String {
    let mut command = format!(
        "monju experiment run {}",
        quoted(&file.display().to_string())
    );
    let store = match address {
        Address::Sqlite(store) if *store == file.with_extension("db") => None,
        Address::Sqlite(store) => Some(store.display().to_string()),
        Address::Postgres(url) => Some(without_password(url)),
    };
    if let Some(store) = store {
        command.push_str(&format!(" --store {}", quoted(&store)));
    }
    command
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:@=+,".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Reports and terminals are shown around; PGPASSWORD or a password file is not.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    match rest.split_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{host}")
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_typed_again() {
        let file = Path::new("my tables/a.toml");
        let here = Address::Sqlite("my tables/a.db".into());
        assert_eq!(
            run_command(file, &here),
            "monju experiment run 'my tables/a.toml'"
        );
        let there = Address::Postgres("postgres://me:secret@host/db".to_owned());
        assert_eq!(
            run_command(Path::new("a.toml"), &there),
            "monju experiment run a.toml --store postgres://me@host/db"
        );
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
