//! Lines of a native search as the wire has them.

use crate::limits::milliseconds;
use monju_engine::{Bound, Candidate, Line, Outcome, Score};
use monju_proto::v1;

pub fn line_of_outcome(outcome: &Outcome) -> v1::Line {
    v1::Line {
        r#move: outcome.answer.to_string(),
        ..line_of(&outcome.line)
    }
}

pub fn line_of(line: &Line) -> v1::Line {
    let pv: Vec<String> = line.pv.iter().map(ToString::to_string).collect();
    let bound = match line.bound {
        Bound::Exact => v1::Bound::Exact,
        Bound::Lower => v1::Bound::Lower,
        Bound::Upper => v1::Bound::Upper,
    };
    v1::Line {
        r#move: pv.first().cloned().unwrap_or_default(),
        score: Some(score(line.score, bound)),
        depth: line.depth,
        selective_depth: line.selective_depth,
        nodes: line.nodes,
        time_ms: milliseconds(line.time),
        pv,
        candidates: line.candidates.iter().map(candidate).collect(),
        lanes: line.lanes.iter().map(candidate).collect(),
    }
}

fn candidate(candidate: &Candidate) -> v1::Candidate {
    v1::Candidate {
        r#move: candidate.mv.to_string(),
        score: Some(score(candidate.score, v1::Bound::Exact)),
    }
}

fn score(score: Score, bound: v1::Bound) -> v1::Score {
    let kind = match score {
        Score::Cp(cp) => v1::score::Kind::Cp(cp),
        Score::Mate(plies) => v1::score::Kind::Mate(plies),
    };
    v1::Score {
        kind: Some(kind),
        bound: bound.into(),
    }
}
