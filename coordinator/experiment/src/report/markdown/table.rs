//! Texts within tables.

/// A text within a table, whose columns `|` separates.
pub(super) fn in_table(text: &str) -> String {
    text.replace(['\n', '\r'], " ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use crate::{
        record::MatchOutcome,
        report::{
            gather, markdown,
            tests::{FILE, finish, played},
        },
        specification::Specification,
        store::{self, Address, OpenMode},
    };

    #[tokio::test]
    async fn a_name_may_have_the_letter_that_separates_columns() {
        let (_, _, folder) = played().await;
        let text = FILE
            .replace("players = [1, 4]", "players = [1]\nside = [\"A|B\"]")
            .replace("first = \"council\"", "first = \"$side\"")
            .replace("[ensemble.council]", "[ensemble.\"A|B\"]")
            .replace(
                "published = [[\"49.50%\"], [\"—\"]]\npublished_moves = [[3, 1], []]\n",
                "",
            );
        let specification = Specification::parse(&text, &folder.path().join("t.toml"));
        let specification = specification.expect("a good file");
        let address = Address::Sqlite(folder.path().join("other.db"));
        let store = store::open(&address, &specification.plan("build 1"), OpenMode::PLAY).await;
        let store = store.expect("a store");
        finish(
            (&specification, &*store),
            [MatchOutcome::Win; 2],
            Vec::new(),
        )
        .await;
        let report = gather(&specification, &*store).await.expect("a report");
        let text = markdown(&report, "monju experiment run t.toml", None);
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        let mut rows = text
            .lines()
            .filter(|line| line.contains("A\\|B") && line.starts_with('|'));
        let row = rows.find(|line| line.contains("+2")).expect("a row");
        let heading = text.lines().find(|line| line.starts_with("| cell | games"));
        assert_eq!(columns(row), columns(heading.expect("a heading")), "{text}");
        assert!(
            !text
                .replace("A\\|B", "")
                .lines()
                .any(|line| line.starts_with('|') && line.contains("A|B"))
        );
    }
}
