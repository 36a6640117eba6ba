//! The progress of a single player's search as `info` lines.

use crate::info_line::InfoLine;
use monju_coordinator::calibration::uncalibrated_win_rate;
use monju_engine::{Bound, Line, Move, RootMove, Score};

/// Returns the `info` lines: the principal variation, and behind it the other moves of the last ranking that has ended.
/// None without a principal variation. Ranks are told if `multi_pv` asks for several moves: always all, so that what a
/// GUI keeps of each names no move twice.
pub fn line_texts(line: &Line, multi_pv: Option<u32>) -> Vec<String> {
    let Some(first) = line.pv.first() else {
        return Vec::new();
    };
    let wanted = multi_pv.map_or(1, |wanted| wanted as usize);
    let first_rank = (wanted > 1).then_some(1);
    let mut texts = vec![text(
        line, first_rank, line.depth, line.score, line.bound, &line.pv,
    )];
    let others = line.candidates.iter().filter(|ranked| ranked.mv != *first);
    for (rank, ranked) in (2..=wanted).zip(others) {
        let depth = line.ranked_depth;
        texts.push(text(
            line,
            Some(rank),
            depth,
            ranked.score,
            Bound::Exact,
            &ranked.pv,
        ));
    }
    texts
}

/// Returns the `info string` with the win rate of the principal variation or, where their ranking ends, of all
/// ranked moves; `None` if the score is a bound. A single player has no calibration.
pub fn win_rates(line: &Line) -> Option<String> {
    let first = line.pv.first().filter(|_| line.bound == Bound::Exact)?;
    let mut moves = vec![(*first, line.score)];
    if line.ranked_depth == line.depth {
        let others = line.candidates.iter().skip(1);
        moves.extend(others.map(|ranked| (ranked.mv, ranked.score)));
    }
    let rates: Vec<String> = (moves.into_iter())
        .map(|(mv, score)| {
            format!(
                "{mv} {:.1}%",
                100.0 * uncalibrated_win_rate(score.to_centipawns())
            )
        })
        .collect();
    Some(format!(
        "info string win rate, uncalibrated: {}",
        rates.join(", ")
    ))
}

/// Returns the `info` line of the root move under search.
pub fn root_move_text(root_move: RootMove) -> String {
    let RootMove { mv, number, depth } = root_move;
    format!("info depth {depth} currmove {mv} currmovenumber {number}")
}

fn text(
    line: &Line,
    rank: Option<usize>,
    depth: u32,
    score: Score,
    bound: Bound,
    pv: &[Move],
) -> String {
    let pv: Vec<String> = pv.iter().map(ToString::to_string).collect();
    let seconds = line.time.as_secs_f64();
    let line = InfoLine {
        depth,
        selective_depth: line.selective_depth,
        score: Some(score_text(score, bound)),
        nodes: line.nodes,
        // No division by zero in the first microsecond.
        nodes_per_second: (line.nodes as f64 / seconds.max(1e-6)) as u64,
        hash_full: line.hash_full,
        time: line.time,
        multipv: rank,
        pv: pv.join(" "),
    };
    line.to_string()
}

fn score_text(score: Score, bound: Bound) -> String {
    let mut text = match score {
        Score::Cp(cp) => format!("cp {cp}"),
        Score::Mate(plies) => format!("mate {plies}"),
    };
    match bound {
        Bound::Exact => {}
        Bound::Lower => text.push_str(" lowerbound"),
        Bound::Upper => text.push_str(" upperbound"),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::{Candidate, Game};
    use std::time::Duration;

    fn line() -> Line {
        let game = Game::startpos();
        let pv = vec![game.parse_move("7g7f").expect("legal")];
        Line {
            depth: 3,
            selective_depth: 9,
            nodes: 5_000,
            time: Duration::from_millis(20),
            ..Line::unsearched(pv, Score::Cp(-12), Bound::Lower)
        }
    }

    #[test]
    fn a_line_shows_everything_with_the_pv_last() {
        let mut line = line();
        assert_eq!(
            line_texts(&line, None),
            [
                "info depth 3 seldepth 9 score cp -12 lowerbound nodes 5000 nps 250000 time 20 pv 7g7f"
            ]
        );
        (line.score, line.bound) = (Score::Mate(5), Bound::Exact);
        line.hash_full = Some(17);
        let text = &line_texts(&line, None)[0];
        assert!(text.contains(" score mate 5 nodes 5000 nps 250000 hashfull 17 time "));
        line.pv.clear();
        assert!(line_texts(&line, None).is_empty());
    }

    #[test]
    fn win_rates_are_those_of_exact_scores() {
        let mut line = line();
        assert_eq!(win_rates(&line), None);
        line.bound = Bound::Exact;
        assert_eq!(
            win_rates(&line).as_deref(),
            Some("info string win rate, uncalibrated: 7g7f 49.5%")
        );
        line.candidates = ranked();
        line.ranked_depth = 3;
        assert_eq!(
            win_rates(&line).as_deref(),
            Some("info string win rate, uncalibrated: 7g7f 49.5%, 2g2f 49.2%")
        );
        line.pv.clear();
        assert_eq!(win_rates(&line), None);
    }

    fn ranked() -> Vec<Candidate> {
        let game = Game::startpos();
        [("7g7f", -12), ("2g2f", -20)]
            .map(|(mv, score)| {
                let mv = game.parse_move(mv).expect("legal");
                Candidate {
                    mv,
                    score: Score::Cp(score),
                    bound: Bound::Exact,
                    pv: vec![mv],
                }
            })
            .to_vec()
    }

    #[test]
    fn every_line_names_each_rank_once() {
        let mut line = line();
        assert_eq!(line_texts(&line, Some(2)).len(), 1, "no ranking yet");
        line.candidates = ranked();
        line.ranked_depth = 3;
        let texts = line_texts(&line, Some(2));
        assert_eq!(texts.len(), 2);
        assert!(texts[0].ends_with(" multipv 1 pv 7g7f"), "{texts:?}");
        assert!(texts[1].contains(" score cp -20 nodes "), "{texts:?}");
        assert!(texts[1].ends_with(" multipv 2 pv 2g2f"), "{texts:?}");
        // The second of the last iteration leads in this one: the first of it is the second now.
        line.depth = 4;
        line.pv = vec![line.candidates[1].mv];
        let texts = line_texts(&line, Some(2));
        assert_eq!(texts.len(), 2);
        assert!(texts[0].ends_with(" multipv 1 pv 2g2f"), "{texts:?}");
        assert!(texts[1].starts_with("info depth 3 "), "{texts:?}");
        assert!(texts[1].ends_with(" multipv 2 pv 7g7f"), "{texts:?}");
        assert_eq!(line_texts(&line, None).len(), 1);
    }
}
