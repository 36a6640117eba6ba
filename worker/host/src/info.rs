//! The `info` and `bestmove` lines of USI engines.

use monju_engine::rules::MOST_LEGAL_MOVES;
use monju_proto::{
    convert::{GREATEST_DEPTH, GREATEST_NUMBER, LONGEST_VARIATION, milliseconds},
    v1,
};
use std::{collections::BTreeMap, str::FromStr, time::Duration};

/// Greatest rank that is listened to.
const GREATEST_RANK: u32 = MOST_LEGAL_MOVES as u32;

/// The state of an engine's search, gathered from its `info` lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineInfo {
    depth: u32,
    selective_depth: u32,
    nodes: u64,
    hash_full: Option<u32>,
    score: Option<v1::Score>,
    pv: Vec<String>,
    /// By rank, the moves of a MultiPV search.
    ranked: BTreeMap<u32, v1::Candidate>,
}

impl EngineInfo {
    /// Takes in the text that follows `info`. Returns true when it brought a principal variation, which is
    /// reported as progress. Further lines of a MultiPV search only add to the ranking; unknown words and
    /// malformed numbers are ignored.
    pub fn hear(&mut self, info: &str) -> bool {
        let heard = InfoWords::parse(info);
        if let (Some(rank), Some(mv)) = (heard.rank, heard.pv.first())
            && rank <= GREATEST_RANK
        {
            let candidate = v1::Candidate {
                r#move: mv.clone(),
                score: heard.score(),
                pv: heard.pv.clone(),
            };
            self.ranked.insert(rank, candidate);
        }
        if heard.rank.is_some_and(|rank| rank > 1) {
            return false;
        }
        if let Some(nodes) = heard.nodes {
            self.nodes = nodes;
        }
        self.hash_full = heard.hash_full.or(self.hash_full);
        if heard.pv.is_empty() {
            // Some engines tell a score alone, at a mate for example; it counts until a line comes.
            if self.pv.is_empty() && heard.score.is_some() {
                self.score = heard.score();
                self.depth = heard.depth.unwrap_or(self.depth);
            }
            return false;
        }
        self.depth = heard.depth.unwrap_or(self.depth);
        self.selective_depth = heard.selective_depth.unwrap_or(self.selective_depth);
        let is_better_known = self.pv.first() == heard.pv.first() && heard.is_within(self.score);
        if !is_better_known {
            self.score = heard.score();
        }
        self.pv = heard.pv;
        true
    }

    /// Returns the state as progress, `elapsed` after `go`.
    pub fn line(&self, elapsed: Duration) -> v1::Line {
        v1::Line {
            r#move: self.pv.first().cloned().unwrap_or_default(),
            score: self.score,
            depth: self.depth,
            selective_depth: self.selective_depth,
            nodes: self.nodes,
            time_ms: milliseconds(elapsed),
            pv: self.pv.clone(),
            candidates: self.candidates(),
            lanes: Vec::new(),
            hash_full: self.hash_full,
        }
    }

    /// Returns the ranking, each move at its best rank; empty with fewer than two moves.
    fn candidates(&self) -> Vec<v1::Candidate> {
        let mut candidates: Vec<v1::Candidate> = Vec::new();
        for ranked in self.ranked.values() {
            if candidates
                .iter()
                .all(|better| better.r#move != ranked.r#move)
            {
                candidates.push(ranked.clone());
            }
        }
        if candidates.len() < 2 {
            candidates.clear();
        }
        candidates
    }

    /// Returns the state as an answer. The score belongs to the last principal variation; when the engine plays another
    /// move, that of its rank takes the place, or none. Without any variation it is the position's.
    pub fn answer(mut self, best: EngineAnswer, elapsed: Duration) -> v1::Line {
        if self.pv.first() != Some(&best.mv) {
            if !self.pv.is_empty() {
                let ranked = self.ranked.values().find(|other| other.r#move == best.mv);
                self.score = ranked.and_then(|other| other.score);
                self.pv = ranked.map_or_else(Vec::new, |other| other.pv.clone());
            }
            if self.pv.is_empty() && looks_like_move(&best.mv) {
                self.pv.push(best.mv.clone());
            }
        }
        if self.pv.len() == 1 {
            self.pv.extend(best.ponder);
        }
        v1::Line {
            r#move: best.mv,
            ..self.line(elapsed)
        }
    }
}

/// The values of one `info` line.
#[derive(Default)]
struct InfoWords {
    depth: Option<u32>,
    selective_depth: Option<u32>,
    nodes: Option<u64>,
    hash_full: Option<u32>,
    score: Option<v1::score::Kind>,
    bound: Option<v1::Bound>,
    /// The number of the line in a MultiPV search.
    rank: Option<u32>,
    pv: Vec<String>,
}

impl InfoWords {
    fn score(&self) -> Option<v1::Score> {
        self.score.map(|kind| v1::Score {
            kind: Some(kind),
            bound: self.bound.unwrap_or(v1::Bound::Exact).into(),
        })
    }

    /// Returns whether its score is a bound that an exact one in centipawns keeps, which is the better knowledge then.
    fn is_within(&self, exact: Option<v1::Score>) -> bool {
        let known = exact.filter(|score| score.bound() == v1::Bound::Exact);
        let (Some(v1::score::Kind::Cp(known)), Some(v1::score::Kind::Cp(heard))) =
            (known.and_then(|score| score.kind), self.score)
        else {
            return false;
        };
        match self.bound {
            // It has risen at least as far: what is known promises too little rather than too much.
            Some(v1::Bound::Lower) => true,
            Some(v1::Bound::Upper) => known <= heard,
            Some(v1::Bound::Exact | v1::Bound::Unspecified) | None => false,
        }
    }

    fn parse(info: &str) -> Self {
        let mut heard = Self::default();
        let mut words = info.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "depth" => heard.depth = depth(&mut words),
                "seldepth" => heard.selective_depth = depth(&mut words),
                "nodes" => {
                    heard.nodes = number(&mut words).map(|nodes: u64| nodes.min(GREATEST_NUMBER));
                }
                "hashfull" => {
                    heard.hash_full = number(&mut words).map(|share: u32| share.min(1_000))
                }
                "multipv" => heard.rank = number(&mut words),
                "score" => heard.score = score(&mut words),
                "lowerbound" => heard.bound = Some(v1::Bound::Lower),
                "upperbound" => heard.bound = Some(v1::Bound::Upper),
                "pv" => {
                    while let Some(mv) = words.next_if(|word| looks_like_move(word)) {
                        if heard.pv.len() < LONGEST_VARIATION {
                            heard.pv.push(mv.to_owned());
                        }
                    }
                }
                "string" => break,
                _ => {}
            }
        }
        heard
    }
}

type RemainingWords<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

/// Takes the next word if it is a number; another word stays, since it may be a keyword.
fn number<T: FromStr>(words: &mut RemainingWords<'_>) -> Option<T> {
    let value = words.peek()?.parse().ok()?;
    words.next();
    Some(value)
}

/// Takes the next word if it is a depth.
fn depth(words: &mut RemainingWords<'_>) -> Option<u32> {
    number(words).map(|depth: u32| depth.min(GREATEST_DEPTH))
}

/// Reads the words that follow `score`. Engines write mates of unknown length as `+`, `-`, `+0` and `-0`.
fn score(words: &mut RemainingWords<'_>) -> Option<v1::score::Kind> {
    use v1::score::Kind;
    if words.next_if_eq(&"cp").is_some() {
        return number::<i64>(words).map(|cp| Kind::Cp(saturate(cp)));
    }
    words.next_if_eq(&"mate")?;
    for (text, wins) in [("+", true), ("+0", true), ("-", false), ("-0", false)] {
        if words.next_if_eq(&text).is_some() {
            return Some(Kind::MateOfUnknownLength(wins));
        }
    }
    number::<i64>(words).map(|plies| Kind::Mate(saturate(plies)))
}

/// Returns a number that has a negative, too.
fn saturate(value: i64) -> i32 {
    value.clamp((-i32::MAX).into(), i32::MAX.into()) as i32
}

/// Tells whether a word has the form `7g7f`, `8h2b+` or `P*5e`.
fn looks_like_move(word: &str) -> bool {
    let file = |byte: u8| (b'1'..=b'9').contains(&byte);
    let rank = |byte: u8| (b'a'..=b'i').contains(&byte);
    match *word.as_bytes() {
        [piece, b'*', to_file, to_rank] => {
            b"PLNSGBR".contains(&piece) && file(to_file) && rank(to_rank)
        }
        [from_file, from_rank, to_file, to_rank]
        | [from_file, from_rank, to_file, to_rank, b'+'] => {
            file(from_file) && rank(from_rank) && file(to_file) && rank(to_rank)
        }
        _ => false,
    }
}

/// The answer to a `go`. The move may be `resign`, `win`, or any other word of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineAnswer {
    /// The move, as the engine wrote it.
    pub mv: String,
    /// The reply that the engine would ponder on.
    pub ponder: Option<String>,
}

impl EngineAnswer {
    /// Reads the words that follow `bestmove`; `None` without a move.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let mv = words.next()?.to_owned();
        let ponder = (words.next() == Some("ponder"))
            .then(|| words.next())
            .flatten()
            .filter(|reply| looks_like_move(reply))
            .map(str::to_owned);
        Some(Self { mv, ponder })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use v1::score::Kind;

    fn heard(info: &str) -> (bool, v1::Line) {
        let mut thought = EngineInfo::default();
        let progress = thought.hear(info);
        (progress, thought.line(Duration::from_millis(7)))
    }

    fn score(kind: Kind, bound: v1::Bound) -> Option<v1::Score> {
        Some(v1::Score {
            kind: Some(kind),
            bound: bound.into(),
        })
    }

    #[test]
    fn a_full_line_becomes_progress() {
        let (progress, line) = heard(
            "depth 14 seldepth 18 multipv 1 score cp -110 upperbound nodes 288293 nps 287717 \
             hashfull 142 tbhits 0 time 1002 pv 5g5f 6c6d B*4e 8h2b+",
        );
        assert!(progress);
        assert_eq!(line.r#move, "5g5f");
        assert_eq!(line.pv, ["5g5f", "6c6d", "B*4e", "8h2b+"]);
        assert_eq!(line.score, score(Kind::Cp(-110), v1::Bound::Upper));
        assert_eq!((line.depth, line.selective_depth), (14, 18));
        assert_eq!((line.nodes, line.time_ms), (288293, 7));
    }

    #[test]
    fn an_exact_score_is_kept_before_a_bound_that_agrees_with_it() {
        let mut info = EngineInfo::default();
        let mut last = |line: &str| {
            info.hear(line);
            info.line(Duration::ZERO).score
        };
        let exact = |cp| score(Kind::Cp(cp), v1::Bound::Exact);
        assert_eq!(last("depth 9 score cp 480 pv 7g7f"), exact(480));
        assert_eq!(last("depth 10 score cp 490 lowerbound pv 7g7f"), exact(480));
        assert_eq!(last("depth 10 score cp 520 upperbound pv 7g7f"), exact(480));
        let fell = score(Kind::Cp(300), v1::Bound::Upper);
        assert_eq!(last("depth 10 score cp 300 upperbound pv 7g7f"), fell);
        assert_eq!(last("depth 10 score cp 310 pv 7g7f"), exact(310));
        let other = score(Kind::Cp(350), v1::Bound::Lower);
        assert_eq!(last("depth 11 score cp 350 lowerbound pv 2g2f"), other);
    }

    #[test]
    fn a_move_of_another_rank_has_the_score_of_its_rank() {
        let mut info = EngineInfo::default();
        for line in [
            "multipv 0 score cp 500 pv 2g2f",
            "multipv 2 score cp 480 pv 7g7f 3c3d",
        ] {
            info.hear(line);
        }
        let best = |mv: &str| EngineAnswer {
            mv: mv.to_owned(),
            ponder: None,
        };
        let line = info.clone().answer(best("7g7f"), Duration::ZERO);
        assert_eq!(line.score, score(Kind::Cp(480), v1::Bound::Exact));
        assert_eq!(line.pv, ["7g7f", "3c3d"]);
        let line = info.answer(best("5g5f"), Duration::ZERO);
        assert_eq!((line.score, line.pv.len()), (None, 1));
    }

    #[test]
    fn every_way_to_write_a_score() {
        let table = [
            ("cp 31", Kind::Cp(31), v1::Bound::Exact),
            ("cp +31 lowerbound", Kind::Cp(31), v1::Bound::Lower),
            ("cp 99999999999", Kind::Cp(i32::MAX), v1::Bound::Exact),
            ("mate 3", Kind::Mate(3), v1::Bound::Exact),
            ("mate -4", Kind::Mate(-4), v1::Bound::Exact),
            ("mate 0", Kind::Mate(0), v1::Bound::Exact),
            ("mate +", Kind::MateOfUnknownLength(true), v1::Bound::Exact),
            ("mate -", Kind::MateOfUnknownLength(false), v1::Bound::Exact),
            ("mate +0", Kind::MateOfUnknownLength(true), v1::Bound::Exact),
            (
                "mate -0",
                Kind::MateOfUnknownLength(false),
                v1::Bound::Exact,
            ),
        ];
        for (text, kind, bound) in table {
            let (progress, line) = heard(&format!("score {text} pv 7g7f"));
            assert!(progress, "{text}");
            assert_eq!(line.score, score(kind, bound), "{text}");
        }
    }

    #[test]
    fn malformed_lines_are_ignored_without_losing_the_rest() {
        let (progress, line) = heard("depth pv 7g7f nodes many score cp seldepth 5");
        assert!(progress);
        assert_eq!(line.pv, ["7g7f"]);
        assert_eq!((line.depth, line.selective_depth, line.nodes), (0, 5, 0));
        assert_eq!(line.score, None);
        for nonsense in [
            "",
            "pv",
            "pv hello",
            "score",
            "score mate",
            "multipv 2 pv 7g7f",
            "string pv 7g7f",
            "depth -3 nodes -1 \u{fffd}",
        ] {
            assert!(!heard(nonsense).0, "{nonsense}");
        }
    }

    #[test]
    fn a_variation_ends_where_the_moves_end() {
        let (_, line) = heard("pv 7g7f 3c3d rep_draw 2g2f depth 9");
        assert_eq!(line.pv, ["7g7f", "3c3d"]);
        assert_eq!(line.depth, 9);
    }

    #[test]
    fn the_answer_keeps_the_score_of_its_own_variation_only() {
        let mut thought = EngineInfo::default();
        thought.hear("depth 9 nodes 500 score cp 12 pv 7g7f 3c3d 2g2f");
        let answer = |text: &str| {
            let best = EngineAnswer::parse(text).expect("a move");
            thought.clone().answer(best, Duration::ZERO)
        };

        let same = answer("7g7f ponder 3c3d");
        assert_eq!(same.pv, ["7g7f", "3c3d", "2g2f"]);
        assert_eq!(same.score, score(Kind::Cp(12), v1::Bound::Exact));

        let other = answer("2g2f ponder 8c8d");
        assert_eq!(other.r#move, "2g2f");
        assert_eq!(other.pv, ["2g2f", "8c8d"]);
        assert_eq!((other.score, other.depth, other.nodes), (None, 9, 500));

        let resign = answer("resign");
        assert_eq!(resign.r#move, "resign");
        assert!(resign.pv.is_empty());
        assert_eq!(resign.score, None);
    }

    #[test]
    fn a_score_without_a_variation_counts_until_one_comes() {
        let mut thought = EngineInfo::default();
        assert!(!thought.hear("depth 3 score mate 5"));
        let best = EngineAnswer::parse("7g7f").expect("a move");
        let answer = thought.clone().answer(best, Duration::ZERO);
        assert_eq!(answer.score, score(Kind::Mate(5), v1::Bound::Exact));
        assert_eq!((answer.depth, answer.pv), (3, vec!["7g7f".to_owned()]));
        thought.hear("depth 4 score cp 12 pv 7g7f");
        thought.hear("depth 5 score cp -900 nodes 7");
        let line = thought.line(Duration::ZERO);
        assert_eq!(line.score, score(Kind::Cp(12), v1::Bound::Exact));
        assert_eq!((line.depth, line.nodes), (4, 7));
    }

    #[test]
    fn the_lines_of_a_multipv_search_are_a_ranking() {
        let mut thought = EngineInfo::default();
        assert!(thought.hear("depth 9 multipv 1 score cp 12 pv 7g7f 3c3d"));
        assert!(thought.line(Duration::ZERO).candidates.is_empty());
        assert!(!thought.hear("depth 9 multipv 2 score cp 3 pv 2g2f"));
        assert!(!thought.hear("depth 9 multipv 3 score mate -4 pv 9g9f"));
        // Half of the next iteration: the old second has become the first.
        assert!(thought.hear("depth 10 multipv 1 score cp 20 pv 2g2f"));
        let line = thought.line(Duration::ZERO);
        let moves: Vec<&str> = line
            .candidates
            .iter()
            .map(|ranked| ranked.r#move.as_str())
            .collect();
        assert_eq!(moves, ["2g2f", "9g9f"]);
        assert_eq!(
            line.candidates[0].score,
            score(Kind::Cp(20), v1::Bound::Exact)
        );
        assert_eq!(line.r#move, "2g2f");
    }

    #[test]
    fn numbers_and_lengths_beyond_reason_do_not_cost_the_vote() {
        let long = "7g7f ".repeat(2_000);
        let (_, line) = heard(&format!(
            "depth 4294967295 seldepth 4294967295 nodes 18446744073709551615 pv {long}"
        ));
        assert_eq!((line.depth, line.selective_depth), (1_000_000, 1_000_000));
        assert_eq!(line.nodes, 1 << 53);
        assert_eq!(line.pv.len(), 1_024);
        let mut thought = EngineInfo::default();
        for rank in 1..2_000 {
            thought.hear(&format!("multipv {rank} pv 7g7f"));
        }
        assert_eq!(thought.ranked.len(), 593);
    }

    #[test]
    fn a_bestmove_needs_a_move() {
        assert_eq!(EngineAnswer::parse(""), None);
        let silly = EngineAnswer::parse("9z9z ponder").expect("passed through");
        assert_eq!((silly.mv.as_str(), silly.ponder), ("9z9z", None));
    }
}
