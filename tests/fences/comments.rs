//! Comments are sentences, not relative clauses, and fit in a line.

use crate::workspace::{crates, read, shown};

/// First words of a relative clause.
const RELATIVES: [&str; 8] = [
    "What", "How", "Whether", "Who", "Whoever", "Whose", "Where", "Whom",
];

/// One comment block in so many may begin with such a word.
const ONE_IN: usize = 50;

/// Most columns of a comment.
const WIDEST: usize = 120;

#[test]
fn few_comments_are_relative_clauses() {
    let (mut blocks, mut relative) = (0, Vec::new());
    for file in crates().into_iter().flat_map(|one| one.files) {
        for (number, first) in first_lines_of_comments(&read(&file)) {
            blocks += 1;
            let word = first.split([' ', ',']).next().unwrap_or_default();
            if RELATIVES.contains(&word) && first.len() > word.len() {
                relative.push(format!("{}:{number}: {first}", shown(&file)));
            }
        }
    }
    assert!(
        relative.len() * ONE_IN <= blocks,
        "{} of {blocks} comment blocks begin with a relative clause: {relative:#?}",
        relative.len()
    );
}

#[test]
fn comments_fit_in_a_line() {
    let mut too_wide = Vec::new();
    for file in crates().into_iter().flat_map(|one| one.files) {
        for (index, line) in read(&file).lines().enumerate() {
            let comment = line.trim_start();
            // The row of a table is one line.
            let is_text = comment.starts_with("//") && !comment.starts_with("//! |");
            if is_text && line.chars().count() > WIDEST {
                too_wide.push(format!("{}:{}", shown(&file), index + 1));
            }
        }
    }
    assert!(too_wide.is_empty(), "wider than {WIDEST}: {too_wide:#?}");
}

/// The first line of every block of comments, with its number.
fn first_lines_of_comments(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        let comment = line.trim_start().strip_prefix("//");
        if let Some(comment) = comment
            && !inside
        {
            let first = comment.trim_start_matches(['/', '!']).trim_start();
            found.push((index + 1, first));
        }
        inside = comment.is_some();
    }
    found
}
