use super::*;
use sqlx::{AnyConnection, Connection, Executor};

fn plan() -> ExperimentPlan {
    ExperimentPlan {
        name: "absent".to_owned(),
        specification: String::new(),
        seed: 1,
        build: String::new(),
        cells: Vec::new(),
        registered: RegisteredPlan::default(),
    }
}

async fn refusal(address: &Address, opening: OpenMode) -> String {
    let opened = open(address, &plan(), opening).await;
    opened.expect_err("refused").to_string()
}

#[tokio::test]
async fn a_file_that_is_not_there_is_not_made_by_looking() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("no/absent.db");
    let error = refusal(&Address::Sqlite(file.clone()), OpenMode::Look).await;
    assert!(
        error.contains("there is no store") && error.contains("absent.db"),
        "{error}"
    );
    assert!(!file.parent().expect("a folder").exists());
}

#[tokio::test]
async fn other_files_and_dead_servers_are_refused_at_once_with_the_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("damaged.db");
    std::fs::write(&file, [7; 5000]).expect("written");
    let address = Address::Sqlite(file.clone());
    let play = OpenMode::PLAY;
    // A UDP socket takes the port without listening on it.
    let port = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = port.local_addr().expect("an address").port();
    let server = Address::Postgres(format!("postgres://me:secret@127.0.0.1:{port}/db"));
    for opening in [OpenMode::Look, play] {
        let error = refusal(&address, opening).await;
        assert!(error.contains("damaged.db: "), "{error}");
        assert!(error.contains("file is not a database"), "{error}");
        let error = refusal(&server, opening).await;
        assert!(
            error.contains(&format!("postgres://me@127.0.0.1:{port}/db: ")),
            "{error}"
        );
        assert!(
            error.contains("refused") && !error.contains("timed out"),
            "{error}"
        );
    }
    assert!(
        std::fs::read(&file).expect("a file") == [7; 5000],
        "it is left alone"
    );
}

#[tokio::test]
async fn tables_of_another_program_are_told() {
    sqlx::any::install_default_drivers();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("theirs.db");
    let url = format!("sqlite:{}?mode=rwc", file.display());
    let mut theirs = AnyConnection::connect(&url).await.expect("a new file");
    let made = theirs
        .execute("CREATE TABLE experiments (title TEXT)")
        .await;
    made.expect("made");
    theirs.close().await.expect("closed");
    for opening in [OpenMode::Look, OpenMode::PLAY] {
        let error = refusal(&Address::Sqlite(file.clone()), opening).await;
        assert!(error.contains("may be another program's"), "{error}");
    }
}

#[test]
fn addresses_are_shown_without_passwords() {
    for (url, shown) in [
        ("postgres://me:secret@host/db", "postgres://me@host/db"),
        ("postgres://me:s@cret@host:5/db", "postgres://me@host:5/db"),
        (
            "postgres://host/db?user=me&password=secret",
            "postgres://host/db?user=me",
        ),
        ("postgres://host/db", "postgres://host/db"),
    ] {
        assert_eq!(Address::Postgres(url.to_owned()).to_string(), shown);
    }
}

#[test]
fn addresses_are_read() {
    let file = |text: &str| Ok::<_, String>(Address::Sqlite(text.into()));
    let read = |text: &str| text.parse::<Address>().map_err(|error| error.to_string());
    assert_eq!(read("a/b.db"), file("a/b.db"));
    assert_eq!(read("sqlite:b.db"), file("b.db"));
    assert_eq!(read("sqlite:///tmp/b.db"), file("/tmp/b.db"));
    assert_eq!(read("sqlite:////tmp/b.db"), file("/tmp/b.db"));
    assert_eq!(read("sqlite://b.db"), file("b.db"));
    assert_eq!(
        read("postgres://u@h/d"),
        Ok(Address::Postgres("postgres://u@h/d".to_owned()))
    );
    for bad in ["", "mysql://h/d", "sqlite:", "postgres:/h/d"] {
        assert!(read(bad).is_err(), "{bad}");
    }
    // A mistake in the scheme showed the password.
    for bad in [
        "mysql://me:secret@h/d",
        "postgres:/me:secret@h/d",
        "postgresql:me:secret@h/d",
        "postgress://me:sec?ret@h/d",
    ] {
        let error = read(bad).expect_err(bad);
        assert!(error.contains("@h/d'") && !error.contains("ret"), "{error}");
    }
}
