//! Words and numbers that the table and the JSON share.

use monju_engine::Game;
use monju_proto::v1::{Arrival, Score, TieBreak, score::Kind};

/// How a vote arrived, in one word.
pub(super) fn arrival(arrival: Arrival) -> &'static str {
    match arrival {
        Arrival::Unspecified => "thinking",
        Arrival::Final => "final",
        Arrival::Provisional => "provisional",
        Arrival::Late => "late",
        Arrival::Failed => "failed",
        Arrival::Illegal => "illegal",
        Arrival::Resigned => "resigned",
        Arrival::DeclaredWin => "declared-win",
    }
}

/// How a tie was broken, in one word.
pub(super) fn tie_break(tie_break: TieBreak) -> &'static str {
    match tie_break {
        TieBreak::None => "none",
        TieBreak::Random => "random",
        TieBreak::Primary => "primary",
        TieBreak::Fallback => "fallback",
        TieBreak::Rules => "rules",
    }
}

/// The move in Japanese notation, where it is a legal one.
pub(super) fn japanese(game: &Game, mv: &str) -> Option<String> {
    game.parse_move(mv).ok().map(|mv| game.japanese(mv))
}

/// The score from the side to move: `+123`, `mate 7`, or `mate +` without a known length.
pub(super) fn score(score: &Score) -> String {
    match score.kind {
        Some(Kind::Cp(cp)) => format!("{cp:+}"),
        Some(Kind::Mate(plies)) => format!("mate {plies}"),
        Some(Kind::MateOfUnknownLength(mates)) => {
            format!("mate {}", if mates { '+' } else { '-' })
        }
        None => "-".to_owned(),
    }
}

/// The position as USI writes it, history included.
pub(super) fn position(game: &Game) -> String {
    let mut text = match game.start() {
        "startpos" => "startpos".to_owned(),
        sfen => format!("sfen {sfen}"),
    };
    if !game.moves().is_empty() {
        text.push_str(" moves");
        for mv in game.moves() {
            text.push(' ');
            text.push_str(&mv.to_string());
        }
    }
    text
}
