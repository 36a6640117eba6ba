//! A ballot that is being filled.

use super::{
    danger::Judgements, entry::BallotEntry, header::BallotHeader, lanes, meaning::VoteMeaning,
    ranking,
};
use crate::{
    book::BookAnswer,
    voting::{self, VoteCount},
};
use monju_engine::{Game, Move, danger::Danger};
use monju_proto::v1::{
    Arrival, Ballot, Decision, Line, PlayerInfo, Position, Tally, ThinkResult, Vote,
};
use std::{ops::Range, time::Duration};

/// A ballot that is being filled. Players are identified by their index in the given order; a player
/// that carries virtual players has an entry for each of these.
#[derive(Debug)]
pub struct OpenBallot {
    pub(super) header: BallotHeader,
    pub(super) game: Game,
    /// The only moves that count; all, if there are none.
    among: Vec<Move>,
    pub(super) entries: Vec<BallotEntry>,
    /// The entries of each player.
    places: Vec<Range<usize>>,
    /// Judgements on the moves, where the rule or the time policy asks for them.
    judgements: Option<Judgements>,
}

impl OpenBallot {
    /// An empty ballot for the current position of `game`. Each player comes with its noise seed.
    pub fn new(
        header: BallotHeader,
        game: Game,
        players: impl IntoIterator<Item = (PlayerInfo, u64)>,
    ) -> Self {
        let mut entries = Vec::new();
        let mut places = Vec::new();
        for (info, given) in players {
            let first = entries.len();
            for (lane, info) in (0..).zip(lanes::players_of(info)) {
                let seed = info.noise_seed.unwrap_or(lanes::seed_of(given, lane));
                entries.push(BallotEntry::new(info, seed));
            }
            places.push(first..entries.len());
        }
        let judgements = header.rule.judges_danger().then(Judgements::default);
        Self {
            judgements,
            header,
            game,
            among: Vec::new(),
            entries,
            places,
        }
    }

    /// Counts votes for these moves alone, if there are any.
    pub fn choose_among(&mut self, moves: Vec<Move>) {
        self.among = moves;
    }

    /// Returns the only moves that count; none, if all do.
    pub fn among(&self) -> &[Move] {
        &self.among
    }

    /// Judges the danger after one move, whatever the rule is, unless the time ends before; nothing else than a legal
    /// move is judged.
    pub fn judge(&mut self, mv: &str, is_due: impl Fn() -> bool) {
        if let Ok(mv) = self.game.parse_move(mv) {
            let judgements = self.judgements.get_or_insert_default();
            judgements.judge_one(&self.game, [mv], is_due);
        }
    }

    /// Judges the danger after one of the moves that count and are not judged yet, where the rule asks for it;
    /// returns false if there is none, or if the time is over.
    pub fn judge_one(&mut self, is_due: impl Fn() -> bool) -> bool {
        let Some(mut judgements) = self.judgements.take() else {
            return false;
        };
        let judged = judgements.judge_one(&self.game, self.counted().map(|(_, mv)| mv), is_due);
        self.judgements = Some(judgements);
        judged
    }

    /// Returns the game whose position is voted on.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the identity of the ballot.
    pub fn header(&self) -> &BallotHeader {
        &self.header
    }

    /// Enters a line that a player streamed.
    pub fn progress(&mut self, player: usize, line: Line, arrived: Duration) {
        for (lane, place) in (0..).zip(self.places[player].clone()) {
            let line = lanes::line_of(&line, lane);
            self.entries[place].progress(&self.game, &self.among, line, arrived);
        }
    }

    /// Enters the result of a player.
    pub fn result(&mut self, player: usize, result: ThinkResult, arrived: Duration) {
        let Some(line) = result.line else {
            self.fail(player, "the result has no line".to_owned(), arrived);
            return;
        };
        for (lane, place) in (0..).zip(self.places[player].clone()) {
            let line = lanes::line_of(&line, lane);
            let seed = result.noise_seed.map(|seed| lanes::seed_of(seed, lane));
            self.entries[place].result(&self.game, &self.among, line, seed, arrived);
        }
    }

    /// Enters a vote of each player from an opening book. `draw` is called with the players' ballot names.
    pub fn vote_by_book(&mut self, draw: impl Fn(&str) -> Option<BookAnswer>) {
        for entry in &mut self.entries {
            if let Some(BookAnswer { mv, reply }) = draw(&entry.info.name) {
                let pv = [mv].into_iter().chain(reply);
                let line = Line {
                    r#move: mv.to_string(),
                    pv: pv.map(|mv| mv.to_string()).collect(),
                    ..Line::default()
                };
                entry.result(&self.game, &self.among, line, None, Duration::ZERO);
            }
        }
    }

    /// Enters that a player failed, with the reason. Its last streamed line stands. Returns true if a vote of it
    /// was waited for.
    pub fn fail(&mut self, player: usize, reason: String, arrived: Duration) -> bool {
        let mut was_thinking = false;
        for place in self.places[player].clone() {
            was_thinking |= self.entries[place].fail(reason.clone(), arrived);
        }
        was_thinking
    }

    /// Returns true if a player has failed.
    pub fn has_failed(&self, player: usize) -> bool {
        let mut entries = self.entries[self.places[player].clone()].iter();
        entries.any(BallotEntry::has_failed)
    }

    /// Returns true if a player has failed and was not called back since.
    pub fn is_lost(&self, player: usize) -> bool {
        let mut entries = self.entries[self.places[player].clone()].iter();
        entries.any(BallotEntry::is_lost)
    }

    /// Waits again for a failed player that is asked once more. Its last line stands until it sends
    /// another one.
    pub fn ask_again(&mut self, player: usize) {
        self.entries[self.places[player].clone()]
            .iter_mut()
            .for_each(BallotEntry::ask_again);
    }

    /// Accepts votes of a failed player that is asked once more, without waiting for it: it counts as
    /// failed until it sends something.
    pub fn call_back(&mut self, player: usize) {
        self.entries[self.places[player].clone()]
            .iter_mut()
            .for_each(BallotEntry::call_back);
    }

    /// Returns true if every player has failed.
    pub fn is_deserted(&self) -> bool {
        self.entries.iter().all(BallotEntry::has_failed)
    }

    /// Returns true if no vote is waited for any more.
    pub fn is_complete(&self) -> bool {
        !self.entries.iter().any(BallotEntry::is_thinking)
    }

    /// Returns the ballot as it stands, undecided.
    pub fn standing(&self) -> Ballot {
        self.record(Arrival::Unspecified, None)
    }

    /// Returns the ballot with its decision.
    pub fn close(&self, decision: Decision) -> Ballot {
        self.record(Arrival::Late, Some(decision))
    }

    fn record(&self, silent: Arrival, decision: Option<Decision>) -> Ballot {
        let votes = self.votes(silent);
        let decision = decision.map(|decision| Decision {
            win_rate: decision
                .win_rate
                .or(ranking::win_rate(&votes, &decision.r#move)),
            ..decision
        });
        Ballot {
            id: self.header.id,
            game_id: self.header.game_id.clone(),
            position: Some(Position::from(&self.game)),
            seed: self.header.seed,
            votes,
            tally: self
                .tally()
                .into_iter()
                .map(|count| Tally {
                    r#move: count.mv,
                    votes: count.votes,
                })
                .collect(),
            decision,
            primary: self.header.primary.clone().unwrap_or_default(),
            // The consultation knows them.
            limits: None,
            deadline_ms: None,
        }
    }

    /// Returns all votes; `silent` is the arrival of players without one.
    pub(super) fn votes(&self, silent: Arrival) -> Vec<Vote> {
        let calibration = &self.header.calibration;
        let entries = self.entries.iter();
        entries
            .map(|entry| {
                let vote = entry.vote(silent, calibration);
                let judged = self.judgements.as_ref().filter(|_| vote.counted);
                let judgement = judged.map(|judgements| {
                    // Without time for it, nothing is known; the time policy asks about the leading move alone.
                    let all_are_asked_for = self.header.rule.judges_danger();
                    judgements
                        .on(vote.chosen())
                        .or(all_are_asked_for.then_some(Danger::Unknown))
                });
                Vote {
                    danger: judgement.flatten().map_or("", Danger::name).to_owned(),
                    ..vote
                }
            })
            .collect()
    }

    fn tally(&self) -> Vec<VoteCount> {
        let moves: Vec<String> = self.counted().map(|(_, mv)| mv.to_string()).collect();
        voting::tally(moves.iter().map(String::as_str))
    }

    /// Returns the lines and moves of the votes that count.
    pub(super) fn counted(&self) -> impl Iterator<Item = (&Line, Move)> {
        self.entries
            .iter()
            .filter_map(|entry| match (&entry.meaning, &entry.line) {
                (VoteMeaning::Legal(mv), Some(line)) => Some((line, *mv)),
                _ => None,
            })
    }
}
