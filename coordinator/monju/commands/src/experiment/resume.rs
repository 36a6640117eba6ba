//! The command that plays an experiment, for typing it again.

use monju_experiment::store::Address;
use std::path::Path;

/// The command that plays an experiment.
pub(super) fn run_command(file: &Path, address: &Address) -> String {
    command("run", file, address)
}

/// The command that reports an experiment with another base cell than that of its file.
pub(super) fn report_command(file: &Path, address: &Address, base: &str) -> String {
    format!(
        "{} --base {}",
        command("report", file, address),
        quoted(base)
    )
}

fn command(verb: &str, file: &Path, address: &Address) -> String {
    let mut command = format!(
        "monju experiment {verb} {}",
        quoted(&file.display().to_string())
    );
    let store = match address {
        Address::Sqlite(store) if *store == file.with_extension("db") => None,
        other => Some(other.to_string()),
    };
    if let Some(store) = store {
        command.push_str(&format!(" --store {}", quoted(&store)));
    }
    command
}

/// A word for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:@=+,".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
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
        assert_eq!(
            report_command(file, &here, "sigma=1/4"),
            "monju experiment report 'my tables/a.toml' --base sigma=1/4"
        );
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
