//! The council's view of one position.

use monju_coordinator::{ballot::ranking, calibration::uncalibrated_win_rate, usi_text};
use monju_engine::{Color, Game, Move};
use monju_proto::v1::{self, Ballot, Tally, score::Kind};
use serde_json::{Value, json};

/// Loss of win rate from which a move is a mistake, and from which it is a blunder.
const MISTAKE: f64 = 0.1;
const BLUNDER: f64 = 0.2;

/// The view of one position.
#[derive(Clone, Debug)]
pub struct PositionView {
    /// Number of moves before the position.
    pub plies: usize,
    /// The position as SFEN.
    pub sfen: String,
    /// The side to move.
    pub side: Color,
    /// The game is a handicap game, in which the sides have names of their own.
    pub is_handicap: bool,
    /// The game's move in the position, in USI and Japanese notation.
    pub played: Option<MoveText>,
    /// The council's move.
    pub best: MoveText,
    /// Its score from the side to move: the median of the players'.
    pub score: Option<Kind>,
    /// Expected result for the side to move, from 0 to 1.
    pub win_rate: Option<f64>,
    /// The win rate comes from a calibration.
    pub is_calibrated: bool,
    /// Depth of the line of play.
    pub depth: u32,
    /// The line of play.
    pub line: Vec<MoveText>,
    /// Votes by move, most first.
    pub votes: Vec<(MoveText, u32)>,
    /// Name of each counted player with its move.
    pub voters: Vec<(String, String)>,
    /// Win rate that the played move has cost, once the next position is known.
    pub loss: Option<f64>,
}

/// A move in both notations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveText {
    /// USI.
    pub usi: String,
    /// Japanese notation; the same as USI for words such as `resign`.
    pub japanese: String,
}

impl MoveText {
    /// Returns a move, or a word in the place of one, in both notations.
    pub fn of(game: &Game, usi: &str) -> Self {
        Self {
            usi: usi.to_owned(),
            japanese: usi_text::japanese(game, usi).unwrap_or_else(|| usi.to_owned()),
        }
    }

    /// Returns the move as JSON.
    pub fn json(&self) -> Value {
        json!({ "move": self.usi, "japanese": self.japanese })
    }
}

impl PositionView {
    /// Returns the view of a decided ballot.
    pub fn of(plies: usize, game: &Game, ballot: &Ballot, played: Option<Move>) -> Self {
        let ranked = ranking::rank(ballot, 1);
        let first = ranked.first();
        let decision = ballot.decision.clone().unwrap_or_default();
        // While the players think, the leading move stands for the decision.
        let best = match (decision.r#move.as_str(), first) {
            ("", Some(first)) => first.mv,
            (decided, _) => decided,
        };
        let score = (first.and_then(|ranked| ranked.score)).and_then(|score| score.kind);
        let calibrated = decision
            .win_rate
            .or_else(|| ranking::win_rate(&ballot.votes, best));
        let votes = ballot.tally.iter();
        let counted = ballot.votes.iter().filter(|vote| vote.counted);
        Self {
            plies,
            sfen: game.position().to_string(),
            side: game.position().side_to_move(),
            is_handicap: game.is_handicap(),
            played: played.map(|mv| MoveText::of(game, &mv.to_string())),
            best: MoveText::of(game, best),
            score,
            win_rate: calibrated.or(score.map(|score| uncalibrated_win_rate(centipawns(score)))),
            is_calibrated: calibrated.is_some(),
            depth: first.map_or(0, |ranked| ranked.line.depth),
            line: first.map_or(Vec::new(), |ranked| line_of(game, ranked.pv)),
            votes: votes
                .map(|Tally { r#move, votes }| (MoveText::of(game, r#move), *votes))
                .collect(),
            voters: counted
                .map(|vote| {
                    let player = vote.player.clone().unwrap_or_default();
                    (player.name, vote.chosen().to_owned())
                })
                .collect(),
            loss: None,
        }
    }

    /// Returns the score for Black in centipawns, mates as large numbers.
    pub fn score_of_black(&self) -> Option<i32> {
        let score = centipawns(self.score?);
        Some(match self.side {
            Color::Black => score,
            Color::White => -score,
        })
    }

    /// Returns the win rate of Black.
    pub fn win_rate_of_black(&self) -> Option<f64> {
        let rate = self.win_rate?;
        Some(match self.side {
            Color::Black => rate,
            Color::White => 1.0 - rate,
        })
    }

    /// Returns the number of all votes.
    pub fn all_votes(&self) -> u32 {
        self.votes.iter().map(|(_, votes)| votes).sum()
    }

    /// Returns the votes for the council's move, which need not be those of most players.
    pub fn votes_for_best(&self) -> u32 {
        self.votes_for(&self.best)
    }

    /// Returns the votes for the move that was played.
    pub fn votes_for_played(&self) -> u32 {
        self.played.as_ref().map_or(0, |mv| self.votes_for(mv))
    }

    fn votes_for(&self, mv: &MoveText) -> u32 {
        let votes = self.votes.iter().find(|(voted, _)| voted == mv);
        votes.map_or(0, |(_, votes)| *votes)
    }

    /// Tells whether there are votes, and no move has more than half of them.
    pub fn is_divided(&self) -> bool {
        let all = self.all_votes();
        all > 0 && self.votes.iter().all(|(_, votes)| 2 * votes <= all)
    }

    /// Returns `??` for a blunder, `?` for a mistake, and nothing for other moves.
    pub fn mark(&self) -> &'static str {
        match self.loss {
            Some(BLUNDER..) => "??",
            Some(MISTAKE..) => "?",
            _ => "",
        }
    }

    /// Returns the view as JSON.
    pub fn json(&self) -> Value {
        let votes = self.votes.iter().map(|(mv, votes)| {
            let voters: Vec<&String> = (self.voters.iter())
                .filter(|(_, choice)| *choice == mv.usi)
                .map(|(name, _)| name)
                .collect();
            json!({ "move": mv.usi, "japanese": mv.japanese, "votes": votes, "players": voters })
        });
        let mate = match self.score {
            Some(Kind::Mate(plies)) => json!(plies),
            Some(Kind::MateOfUnknownLength(_)) => json!("unknown"),
            Some(Kind::Cp(_)) | None => Value::Null,
        };
        json!({
            "plies": self.plies,
            "sfen": self.sfen,
            "is_handicap": self.is_handicap,
            "played": self.played.as_ref().map(MoveText::json),
            "best": self.best.json(),
            "score_of_black": self.score_of_black(),
            "mate": mate,
            "win_rate_of_black": self.win_rate_of_black().map(rounded),
            "depth": self.depth,
            "line": self.line.iter().map(MoveText::json).collect::<Vec<_>>(),
            "votes": votes.collect::<Vec<_>>(),
            "votes_for_best": self.votes_for_best(),
            "votes_for_played": self.votes_for_played(),
            "is_divided": self.is_divided(),
            "loss": self.loss.map(rounded),
            "mark": self.mark(),
        })
    }
}

/// Finds what each played move has cost: the win rate before it, less that after it.
pub fn compare(views: &mut [PositionView]) {
    for index in 1..views.len() {
        let after = &views[index];
        let (plies, rate) = (after.plies, after.win_rate);
        let before = &mut views[index - 1];
        if before.plies + 1 == plies
            && let (Some(before_rate), Some(after_rate)) = (before.win_rate, rate)
            && before.played.as_ref() != Some(&before.best)
        {
            before.loss = Some((before_rate - (1.0 - after_rate)).max(0.0));
        }
    }
}

/// Tells whether all win rates come from a calibration.
pub fn is_calibrated(views: &[PositionView]) -> bool {
    views.iter().all(|view| view.is_calibrated)
}

/// Returns a score as one number, in which mates are far from all others.
fn centipawns(score: Kind) -> i32 {
    let score = v1::Score {
        kind: Some(score),
        ..v1::Score::default()
    };
    score.centipawns().unwrap_or_default()
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// Returns the legal beginning of a line.
fn line_of(game: &Game, pv: &[String]) -> Vec<MoveText> {
    let mut game = game.clone();
    let mut line = Vec::new();
    for usi in pv {
        let Ok(mv) = game.parse_move(usi) else { break };
        line.push(MoveText::of(&game, usi));
        if game.play(mv).is_err() {
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::{Bound, Decision, Line, PlayerInfo, Score as WireScore, Vote};

    /// A ballot of players with these moves and scores.
    fn ballot(votes: &[(&str, i32)]) -> Ballot {
        let vote = |(index, &(mv, score)): (usize, &(&str, i32))| Vote {
            player: Some(PlayerInfo {
                name: format!("monju-{}", index + 1),
                ..PlayerInfo::default()
            }),
            line: Some(Line {
                r#move: mv.to_owned(),
                score: Some(WireScore {
                    kind: Some(Kind::Cp(score)),
                    bound: Bound::Exact.into(),
                }),
                pv: vec![mv.to_owned()],
                depth: 9,
                ..Line::default()
            }),
            counted: true,
            ..Vote::default()
        };
        let mut tally: Vec<Tally> = Vec::new();
        for (mv, _) in votes {
            match tally.iter_mut().find(|tally| tally.r#move == *mv) {
                Some(tally) => tally.votes += 1,
                None => tally.push(Tally {
                    r#move: (*mv).to_owned(),
                    votes: 1,
                }),
            }
        }
        Ballot {
            votes: votes.iter().enumerate().map(vote).collect(),
            decision: Some(Decision {
                r#move: votes[0].0.to_owned(),
                ..Decision::default()
            }),
            tally,
            ..Ballot::default()
        }
    }

    fn views(played: &str) -> Vec<PositionView> {
        let mut game = Game::startpos();
        let mv = game.parse_move(played).expect("legal");
        let first = ballot(&[("7g7f", 60), ("7g7f", 80), ("2g2f", 900)]);
        let first = PositionView::of(0, &game, &first, Some(mv));
        game.play(mv).expect("legal");
        let second = ballot(&[("3c3d", 240), ("8c8d", 240)]);
        let mut views = vec![first, PositionView::of(1, &game, &second, None)];
        compare(&mut views);
        views
    }

    #[test]
    fn scores_are_medians_and_belong_to_black() {
        let [first, second] = views("2g2f").try_into().expect("two");
        assert_eq!(first.score_of_black(), Some(60));
        assert_eq!(second.score_of_black(), Some(-240));
        let rate = second.win_rate_of_black().expect("a win rate");
        assert!((rate - 0.4013).abs() < 1e-4, "{rate}");
        assert!(!first.is_calibrated);
        assert_eq!(first.best.japanese, "▲７六歩(77)");
    }

    #[test]
    fn the_council_is_divided_without_more_than_half_of_the_votes() {
        let [first, second] = views("2g2f").try_into().expect("two");
        assert_eq!((first.votes_for_best(), first.all_votes()), (2, 3));
        assert_eq!(first.votes_for_played(), 1);
        assert!(!first.is_divided());
        assert!(second.is_divided());
        let of_the_book = PositionView {
            votes: Vec::new(),
            ..first
        };
        assert!(!of_the_book.is_divided());
    }

    #[test]
    fn the_length_of_a_mate_is_told_where_it_is_known() {
        let game = Game::startpos();
        let json = |kind| {
            let mut ballot = ballot(&[("7g7f", 60)]);
            ballot.votes[0].line.as_mut().expect("a line").score = Some(WireScore {
                kind: Some(kind),
                bound: Bound::Exact.into(),
            });
            PositionView::of(0, &game, &ballot, None).json()
        };
        assert_eq!(json(Kind::Mate(-6))["mate"], -6);
        let unknown = json(Kind::MateOfUnknownLength(false));
        assert_eq!(unknown["mate"], "unknown");
        assert!(
            unknown["score_of_black"].as_i64() < Some(-10_000),
            "{unknown}"
        );
        assert_eq!(json(Kind::Cp(60))["mate"], Value::Null);
    }

    #[test]
    fn moves_that_lose_win_rate_are_marked() {
        let [first, second] = views("2g2f").try_into().expect("two");
        let loss = first.loss.expect("known");
        assert!((loss - 0.1237).abs() < 1e-4, "{loss}");
        assert_eq!((first.mark(), second.mark()), ("?", ""));
        // The council's own move is none, whatever the next position shows.
        assert_eq!(views("7g7f")[0].loss, None);
    }
}
