//! Ways in for fuzz targets: what pages and metrics show of a coordinator's answers.

use crate::{council::CouncilHistory, metrics, server::json_text};
use monju_proto::{
    text::is_plain,
    v1::{Ballot, RosterResponse},
};

/// Shows a roster as page and metrics do.
///
/// # Panics
/// A name would steer a reader, or break the lines of the numbers.
pub fn roster(roster: &RosterResponse) {
    if let Some(event) = CouncilHistory::default().roster(roster) {
        shown(&json_text(&event));
    }
    let text = metrics::text(roster).expect("text");
    for line in text.lines() {
        shown(line);
        let is_number = line.starts_with("monju_");
        assert!(is_number || line.starts_with("# "), "{line:?}");
    }
}

/// Shows a ballot as the page does.
///
/// # Panics
/// A text would steer a reader.
pub fn ballot(ballot: &Ballot) {
    let mut history = CouncilHistory::default();
    if let Some(event) = history.ballot(ballot) {
        shown(&json_text(&event));
        shown(&json_text(&history.json()));
        let event = history.missed(ballot).expect("the last position");
        shown(&json_text(&event));
    }
}

fn shown(text: &str) {
    assert!(text.chars().all(is_plain), "{text:?}");
}
