//! Sizes of crates and files, in lines.

use crate::workspace::{crates, read, shown};

/// Largest share of one crate in all Rust lines, in per cent.
const LARGEST_SHARE: usize = 35;

/// Most lines of one file.
const LONGEST_FILE: usize = 900;

#[test]
fn no_crate_has_more_than_a_third_of_the_lines() {
    let sizes: Vec<(String, usize)> = crates()
        .into_iter()
        .map(|one| {
            let lines = one.files.iter().map(|file| read(file).lines().count());
            (one.name, lines.sum())
        })
        .collect();
    let total: usize = sizes.iter().map(|(_, lines)| lines).sum();
    let too_large: Vec<_> = sizes
        .iter()
        .filter(|(_, lines)| lines * 100 > total * LARGEST_SHARE)
        .collect();
    assert!(too_large.is_empty(), "{too_large:?} of {total} lines");
}

#[test]
fn no_file_is_too_long() {
    let files = crates().into_iter().flat_map(|one| one.files);
    let too_long: Vec<String> = files
        .map(|file| (read(&file).lines().count(), file))
        .filter(|(lines, _)| *lines > LONGEST_FILE)
        .map(|(lines, file)| format!("{} has {lines} lines", shown(&file)))
        .collect();
    assert!(too_long.is_empty(), "{too_long:#?}");
}
