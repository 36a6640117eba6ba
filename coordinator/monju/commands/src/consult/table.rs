//! The ballot as an aligned table.

use crate::text_table::{Align, align_within, centipawns};
use monju_coordinator::{
    ballot::{names, ranking},
    usi_text,
};
use monju_engine::{Game, counted};
use monju_proto::v1::{Ballot, Bound, Decision, Score, TieBreak, Vote, score::Kind};
use std::fmt::Write;

const HEADINGS: [&str; 9] = [
    "player", "made of", "move", "", "score", "depth", "nodes", "time", "arrival",
];

const SIDES: [Align; 9] = {
    use Align::{Left, Right};
    [Left, Left, Left, Left, Right, Right, Right, Right, Left]
};

/// Columns that a narrow terminal does without, the first ones first.
const DISPENSABLE: [&str; 4] = ["made of", "nodes", "time", "depth"];

/// Number of moves of the line of play that are shown.
const LINE_LENGTH: usize = 12;

/// Returns the decided ballot, for a terminal of so many columns if it is for one.
pub(super) fn render(game: &Game, ballot: &Ballot, columns: Option<usize>) -> String {
    let mut text = format!("position  {}\n\n", game.to_usi());
    write_votes(&mut text, game, ballot, columns);
    for vote in &ballot.votes {
        if !vote.failure.is_empty() {
            let name = vote.player.as_ref().map_or("?", |player| &player.name);
            let _ = writeln!(text, "{name}: {}", vote.failure);
        }
    }
    write_lead(&mut text, game, ballot);
    if let Some(decision) = &ballot.decision {
        let _ = writeln!(text, "decision  {}", explain(game, ballot, decision));
    }
    text
}

/// Returns the votes as they stand for a terminal of this size: without the players where they are too many.
pub(super) fn standing(game: &Game, ballot: &Ballot, (lines, columns): (usize, usize)) -> String {
    let mut text = String::new();
    if ballot.votes.len() + 5 <= lines {
        write_votes(&mut text, game, ballot, Some(columns));
    }
    write_lead(&mut text, game, ballot);
    text
}

/// Writes a row for every player, with the columns that have room.
fn write_votes(text: &mut String, game: &Game, ballot: &Ballot, columns: Option<usize>) {
    if !ballot.votes.is_empty() {
        let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
        rows.extend(ballot.votes.iter().map(|vote| row(game, vote).to_vec()));
        align_within(text, &SIDES, &rows, &DISPENSABLE, columns);
        text.push('\n');
    }
}

/// Writes the votes by move, and the line of play of the decided or leading move.
fn write_lead(text: &mut String, game: &Game, ballot: &Ballot) {
    if !ballot.tally.is_empty() {
        let counts = ballot.tally.iter().map(|count| {
            let japanese = usi_text::japanese(game, &count.r#move).unwrap_or_default();
            format!("{} {japanese} {}", count.r#move, count.votes)
        });
        let _ = writeln!(text, "tally     {}", counts.collect::<Vec<_>>().join(", "));
    }
    let line = ranking::rank(ballot, 1)
        .first()
        .map_or_else(Vec::new, |ranked| line_of(game, ranked.pv));
    if !line.is_empty() {
        let _ = writeln!(text, "line      {}", line.join(" "));
    }
}

/// Returns the legal beginning of a line of play in Japanese notation.
fn line_of(game: &Game, pv: &[String]) -> Vec<String> {
    let mut game = game.clone();
    let mut line = Vec::new();
    for usi in pv.iter().take(LINE_LENGTH) {
        let Ok(mv) = game.parse_move(usi) else { break };
        line.push(game.japanese(mv));
        if game.play(mv).is_err() {
            break;
        }
    }
    line
}

fn row(game: &Game, vote: &Vote) -> [String; 9] {
    let player = vote.player.clone().unwrap_or_default();
    let made_of = match vote.noise_seed {
        Some(seed) => format!("σ={} seed={seed}", centipawns(player.sigma)),
        None => player.engine.clone(),
    };
    let arrival = names::arrival(vote.arrival()).to_owned();
    let absent = || "-".to_owned();
    let Some(line) = &vote.line else {
        return [
            player.name,
            made_of,
            absent(),
            String::new(),
            absent(),
            absent(),
            absent(),
            absent(),
            arrival,
        ];
    };
    let score = line.score.as_ref().map_or_else(absent, |score| {
        let bound = match score.bound() {
            Bound::Lower => "≥",
            Bound::Upper => "≤",
            Bound::Exact | Bound::Unspecified => "",
        };
        let rate = vote
            .win_rate
            .map_or(String::new(), |rate| format!(" {:.0}%", rate * 100.0));
        format!("{bound}{}{rate}", shown(score))
    });
    [
        player.name,
        made_of,
        line.r#move.clone(),
        usi_text::japanese(game, &line.r#move).unwrap_or_default(),
        score,
        line.depth.to_string(),
        grouped(line.nodes),
        format!("{}.{:03} s", line.time_ms / 1000, line.time_ms % 1000),
        arrival,
    ]
}

fn explain(game: &Game, ballot: &Ballot, decision: &Decision) -> String {
    let mv = &decision.r#move;
    let votes = ballot
        .tally
        .iter()
        .find(|count| count.r#move == *mv)
        .map_or(0, |count| count.votes);
    let total: u32 = ballot.tally.iter().map(|count| count.votes).sum();
    let total = counted(total, "vote");
    let reason = match decision.tie_break() {
        TieBreak::None if decision.resigns() => "every player resigned".to_owned(),
        TieBreak::None => format!("{votes} of {total}"),
        TieBreak::Random => format!("{votes} of {total}, drawn among equals by the seed"),
        TieBreak::Primary => {
            format!("{votes} of {total}, the primary's move, as the rule had no other")
        }
        TieBreak::Score => format!("{votes} of {total}, the best by score among equals"),
        TieBreak::Majority => {
            format!("{votes} of {total}, the majority instead, as the rule had nothing to go by")
        }
        TieBreak::Resignation => "the team resigned".to_owned(),
        TieBreak::Book => "from the opening book, without a consultation".to_owned(),
        TieBreak::Fallback => "no votes; the coordinator's own move".to_owned(),
        TieBreak::Rules if decision.declares_win() => "by declaration".to_owned(),
        TieBreak::Rules => "mated".to_owned(),
    };
    let shown = match usi_text::japanese(game, mv) {
        Some(japanese) => format!("{mv} {japanese}"),
        None => mv.clone(),
    };
    // The voting rule is not to blame for what was decided without votes.
    let rule = match decision.tie_break() {
        TieBreak::Rules | TieBreak::Book | TieBreak::Fallback => String::new(),
        _ => format!(" by {}", decision.rule),
    };
    let elapsed = decision.elapsed_ms;
    format!(
        "{shown}{rule}: {reason}; {}.{:03} s",
        elapsed / 1000,
        elapsed % 1000
    )
}

/// Formats a score from the side to move: `+123`, `mate 7`, or `mate +` without a known length.
fn shown(score: &Score) -> String {
    match score.kind {
        Some(Kind::Cp(cp)) => format!("{cp:+}"),
        Some(Kind::Mate(plies)) => format!("mate {plies}"),
        Some(Kind::MateOfUnknownLength(mates)) => {
            format!("mate {}", if mates { '+' } else { '-' })
        }
        None => "-".to_owned(),
    }
}

/// Formats a number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
