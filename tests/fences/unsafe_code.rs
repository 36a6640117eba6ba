//! `unsafe` stands in the engine alone.

use crate::workspace::{crates, read, shown};

#[test]
fn every_other_crate_forbids_unsafe_code() {
    let mut wrong = Vec::new();
    for member in crates() {
        if member.name == "monju-engine" {
            continue;
        }
        let source = member.folder.join("src");
        let roots = ["lib.rs", "main.rs"].map(|root| source.join(root));
        let roots = roots.iter().filter(|root| root.exists());
        let open = roots.filter(|root| !read(root).contains("#![forbid(unsafe_code)]"));
        wrong.extend(open.map(|root| shown(root)));
    }
    assert!(wrong.is_empty(), "no forbid(unsafe_code): {wrong:#?}");
}
