use super::*;

#[tokio::test]
async fn a_file_that_is_not_there_is_not_made_by_looking() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("absent.db");
    let address = Address::Sqlite(file.clone());
    let plan = Plan {
        name: "absent".to_owned(),
        specification: String::new(),
        build: String::new(),
        cells: vec!["all".to_owned()],
        pairs: 1,
    };
    assert!(open(&address, &plan, Opening::Look).await.is_err());
    assert!(!file.exists());
}

#[test]
fn addresses_are_read() {
    let file = |text: &str| Ok::<_, String>(Address::Sqlite(text.into()));
    let read = |text: &str| text.parse::<Address>().map_err(|error| error.to_string());
    assert_eq!(read("a/b.db"), file("a/b.db"));
    assert_eq!(read("sqlite:b.db"), file("b.db"));
    assert_eq!(read("sqlite:///tmp/b.db"), file("/tmp/b.db"));
    assert_eq!(
        read("postgres://u@h/d"),
        Ok(Address::Postgres("postgres://u@h/d".to_owned()))
    );
    for bad in ["", "mysql://h/d", "sqlite:"] {
        assert!(read(bad).is_err(), "{bad}");
    }
}
