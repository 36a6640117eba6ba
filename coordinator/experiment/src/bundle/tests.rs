use super::*;
use crate::{
    report::{csv, gather, json, markdown, tests::played},
    store::{Store, StoreError},
};
use std::{fs, time::Duration};

#[tokio::test]
async fn a_sealed_report_is_that_of_the_store() {
    let (specification, store, folder) = played().await;
    let out = folder.path().join("sealed");
    let sealed = seal(&specification, &*store, &out, true).await;
    assert_eq!(sealed.expect("a bundle").games, 4);
    assert!(is_bundle(&out) && !is_bundle(folder.path()));
    // The bundle stands alone.
    let openings = folder.path().join("openings.sfen");
    fs::remove_file(openings).expect("removed");

    let (read, bundle) = Bundle::read(&out).expect("a bundle");
    let theirs = gather(&specification, &*store).await.expect("a report");
    let ours = gather(&read, &bundle).await.expect("a report");
    assert_eq!(csv(&ours).expect("CSV"), csv(&theirs).expect("CSV"));
    assert_eq!(json(&ours), json(&theirs));
    assert_eq!(
        markdown(&ours, "play", None),
        markdown(&theirs, "play", None)
    );
    for cell in 0..specification.cells.len() {
        let (of_store, of_bundle) = (
            store.records(cell, 0, 9).await,
            bundle.records(cell, 0, 9).await,
        );
        assert_eq!(of_bundle.expect("records"), of_store.expect("records"));
        let (of_store, of_bundle) = (
            store.outcomes(cell, 1).await,
            bundle.outcomes(cell, 1).await,
        );
        assert_eq!(of_bundle.expect("outcomes"), of_store.expect("outcomes"));
    }
    let lease = bundle.lease("r", Duration::from_secs(1)).await;
    assert!(matches!(lease, Err(StoreError::Sealed)), "{lease:?}");
}

#[tokio::test]
async fn ballots_are_sealed_by_choice() {
    let (specification, store, folder) = played().await;
    for ballots in [true, false] {
        let out = folder.path().join(format!("sealed-{ballots}"));
        let sealed = seal(&specification, &*store, &out, ballots).await;
        sealed.expect("a bundle");
        let (_, bundle) = Bundle::read(&out).expect("a bundle");
        let records = bundle.records(0, 0, 1).await.expect("records");
        assert_eq!(records[0].ballots.is_empty(), !ballots);
    }
}

#[tokio::test]
async fn changed_files_and_full_folders_are_refused() {
    let (specification, store, folder) = played().await;
    let full = seal(&specification, &*store, folder.path(), false).await;
    let full = full.expect_err("refused").to_string();
    assert!(full.contains("is not empty; name a new folder"), "{full}");

    for name in [SPECIFICATION, OPENINGS, MANIFEST, GAMES] {
        let out = folder.path().join(format!("sealed-{name}"));
        let sealed = seal(&specification, &*store, &out, false).await;
        sealed.expect("a bundle");
        let mut bytes = fs::read(out.join(name)).expect("a file");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(out.join(name), bytes).expect("writable");
        let error = Bundle::read(&out).expect_err("changed").to_string();
        assert!(
            error.contains(name) && error.contains("is not the file that was sealed"),
            "{error}"
        );
    }
}
