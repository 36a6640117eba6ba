//! The progress of a single player's search as an `info` line.

use crate::info_line::InfoLine;
use monju_engine::{Bound, Line, Score};

/// Returns the `info` line; `None` without a principal variation.
pub fn line_text(line: &Line) -> Option<String> {
    if line.pv.is_empty() {
        return None;
    }
    let pv: Vec<String> = line.pv.iter().map(ToString::to_string).collect();
    let seconds = line.time.as_secs_f64();
    let line = InfoLine {
        depth: line.depth,
        selective_depth: line.selective_depth,
        score: Some(score_text(line)),
        nodes: line.nodes,
        // No division by zero in the first microsecond.
        nodes_per_second: (line.nodes as f64 / seconds.max(1e-6)) as u64,
        time: line.time,
        multipv: None,
        pv: pv.join(" "),
    };
    Some(line.to_string())
}

fn score_text(line: &Line) -> String {
    let mut text = match line.score {
        Score::Cp(cp) => format!("cp {cp}"),
        Score::Mate(plies) => format!("mate {plies}"),
    };
    match line.bound {
        Bound::Exact => {}
        Bound::Lower => text.push_str(" lowerbound"),
        Bound::Upper => text.push_str(" upperbound"),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::Game;
    use std::time::Duration;

    #[test]
    fn a_line_shows_everything_with_the_pv_last() {
        let game = Game::startpos();
        let mut line = Line {
            pv: vec![game.parse_move("7g7f").expect("legal")],
            score: Score::Cp(-12),
            bound: Bound::Lower,
            depth: 3,
            selective_depth: 9,
            nodes: 5_000,
            time: Duration::from_millis(20),
            candidates: Vec::new(),
            lanes: Vec::new(),
        };
        assert_eq!(
            line_text(&line).as_deref(),
            Some(
                "info depth 3 seldepth 9 score cp -12 lowerbound nodes 5000 nps 250000 time 20 pv 7g7f"
            )
        );
        (line.score, line.bound) = (Score::Mate(5), Bound::Exact);
        let text = line_text(&line).expect("a line");
        assert!(text.contains(" score mate 5 nodes "), "{text}");
        line.pv.clear();
        assert_eq!(line_text(&line), None);
    }
}
