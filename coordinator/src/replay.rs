//! Deciding recorded ballots again under any rule, and statistics of the voters.

mod diversity;
mod voters;

pub use diversity::{Diversity, MOST_COUNTED};
pub use voters::{Voter, VoterTable};

use crate::{
    ballot::{Lead, VotingMethod, decide, judge_votes, lead, names, tie_break},
    voting::Rule,
};
use monju_engine::{Color, Game};
use monju_proto::v1::{Ballot, Decision, TieBreak};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// The method by which ballots are decided again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// The rule; `None` for the recorded one.
    pub rule: Option<Rule>,
    /// The primary player.
    pub primary: Primary,
}

/// The player that some rules follow, and that decides ties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Primary {
    /// The recorded one of each ballot.
    #[default]
    AsRecorded,
    /// No player.
    None,
    /// The player of this name.
    Named(String),
}

/// The result of a replay.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplayReport {
    /// The rule by which the ballots were decided again; null for the recorded ones.
    pub rule: Option<String>,
    /// Number of ballots in the logs.
    pub ballots: u64,
    /// Number of ballots with a vote that counts. The others were decided by the rules of the game, by
    /// a resignation, or without votes, and are left out below.
    pub voted: u64,
    /// Number of ballots by their recorded rule.
    pub recorded_rules: BTreeMap<String, u64>,
    /// Number of decisions that each rule would change.
    pub would_change: BTreeMap<String, u64>,
    /// The decisions that the rule changes.
    pub changes: Vec<ChangedDecision>,
    /// Number of decisions by their ground.
    pub grounds: BTreeMap<String, u64>,
    /// The voters, with the numbers of their votes and of the decisions that followed them.
    pub members: Vec<Voter>,
    /// Share of common ballots in which two members voted for the same move, in the order of `members`;
    /// null for members without a common ballot.
    pub agreement: Vec<Vec<Option<f64>>>,
    /// Number of different moves of a ballot: of all votes, then by the noise of the players.
    pub diversity: Vec<Diversity>,
}

/// A decision that another rule changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedDecision {
    /// The game.
    pub game_id: String,
    /// Number of the ballot.
    pub id: u64,
    /// The position as SFEN.
    pub sfen: String,
    /// The recorded move.
    pub recorded: String,
    /// The move under the rule.
    pub replayed: String,
}

impl Replay {
    /// Decides every ballot again.
    pub fn run(&self, ballots: &[Ballot]) -> ReplayReport {
        let mut report = ReplayReport {
            rule: self.rule.map(|rule| rule.name().to_owned()),
            ballots: ballots.len() as u64,
            voted: 0,
            recorded_rules: BTreeMap::new(),
            would_change: (Rule::ALL.iter())
                .map(|rule| (rule.name().to_owned(), 0))
                .collect(),
            changes: Vec::new(),
            grounds: BTreeMap::new(),
            members: Vec::new(),
            agreement: Vec::new(),
            diversity: Vec::new(),
        };
        let mut voters = VoterTable::default();
        let mut diversity = diversity::DiversityCounter::default();
        let mut leads = HashMap::new();
        for ballot in ballots {
            let Some(decision) = &ballot.decision else {
                continue;
            };
            let recorded = report.recorded_rules.entry(decision.rule.clone());
            *recorded.or_default() += 1;
            if let Some(again) = self.decide_again(ballot, decision, &mut leads, &mut report) {
                report.voted += 1;
                voters.enter(&ballot.votes, &decision.r#move, &again);
                diversity.enter(&ballot.votes);
            }
        }
        (report.members, report.agreement) = voters.tabulate();
        report.diversity = diversity.tabulate();
        report
    }

    /// Returns the decision under the rule; `None` if votes did not decide.
    fn decide_again(
        &self,
        ballot: &Ballot,
        decision: &Decision,
        leads: &mut HashMap<(String, Color), Lead>,
        report: &mut ReplayReport,
    ) -> Option<String> {
        // Votes on the moves of a book say nothing about searches, and the majority alone decides on them.
        if decision.ends_game() || decision.tie_break() == TieBreak::Fallback || decision.book {
            return None;
        }
        let position = ballot.position.clone().unwrap_or_default();
        let game = Game::try_from(&position).ok()?;
        let sfen = game.position().to_string();
        let primary = match &self.primary {
            Primary::AsRecorded if ballot.primary.is_empty() => None,
            Primary::AsRecorded => Some(&*ballot.primary),
            Primary::None => None,
            Primary::Named(name) => Some(&**name),
        };
        let side = (ballot.game_id.clone(), game.position().side_to_move());
        let led = leads.get(&side).cloned();
        let method = |rule| VotingMethod {
            rule,
            primary,
            seed: ballot.seed,
            sfen: &sfen,
            ply: game.position().ply(),
            lead: led.as_ref(),
        };
        // Under `hand-over`, a ballot depends on the earlier ones of its side.
        if let Some(lead) = lead(led.as_ref(), primary, &ballot.votes) {
            leads.insert(side, lead);
        }
        // Judgements that were recorded stay, so that a later build decides as the ballot was decided.
        let mut votes = ballot.votes.clone();
        judge_votes(&game, &mut votes);
        let rule = self.rule.or_else(|| decision.rule.parse().ok())?;
        let choice = decide(method(rule), &votes)?;
        for &rule in Rule::ALL {
            let changes =
                decide(method(rule), &votes).is_some_and(|choice| choice.mv != decision.r#move);
            if changes {
                *report
                    .would_change
                    .entry(rule.name().to_owned())
                    .or_default() += 1;
            }
        }
        let ground = names::tie_break(tie_break(choice.ground));
        *report.grounds.entry(ground.to_owned()).or_default() += 1;
        if choice.mv != decision.r#move {
            report.changes.push(ChangedDecision {
                game_id: ballot.game_id.clone(),
                id: ballot.id,
                sfen,
                recorded: decision.r#move.clone(),
                replayed: choice.mv.clone(),
            });
        }
        Some(choice.mv)
    }
}

#[cfg(test)]
pub(crate) mod tests;
