//! Deciding recorded ballots again under any rule, and what the votes say about the voters.

mod agreement;
mod diversity;

pub use agreement::{Agreement, Member};
pub use diversity::{Diversity, MOST_COUNTED};

use crate::{
    ballot::{Lead, Method, decide, lead, tie_break, words},
    voting::Rule,
};
use monju_engine::{Color, Game};
use monju_proto::v1::{Ballot, Decision, TieBreak};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// How ballots are decided again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// The rule; as recorded when there is none.
    pub rule: Option<Rule>,
    /// The primary player, as recorded unless one is named.
    pub primary: Primary,
}

/// Whose move some rules follow, and which decides ties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Primary {
    /// The one of each ballot.
    #[default]
    AsRecorded,
    /// Nobody.
    None,
    /// Another one.
    Named(String),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The rule by which the ballots were decided again; null for the recorded ones.
    pub rule: Option<String>,
    /// Ballots in the logs.
    pub ballots: u64,
    /// Ballots with a vote that counts; the others were decided by the rules of the game, by a
    /// resignation, or without votes, and are left out of everything below.
    pub voted: u64,
    /// How many ballots were recorded under which rule.
    pub recorded_rules: BTreeMap<String, u64>,
    /// For every rule, how many decisions it would change.
    pub would_change: BTreeMap<String, u64>,
    /// The decisions that the rule changes.
    pub changes: Vec<Change>,
    /// How the decisions were found.
    pub grounds: BTreeMap<String, u64>,
    /// Who voted, how often, and how often the decision followed.
    pub members: Vec<Member>,
    /// The share of common ballots in which two members voted for the same move, by their order in
    /// `members`; null where they were never on one ballot.
    pub agreement: Vec<Vec<Option<f64>>>,
    /// How many different moves the votes named: all of a ballot, then by the noise of the players.
    pub diversity: Vec<Diversity>,
}

/// A decision that another rule changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
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
    pub fn run(&self, ballots: &[Ballot]) -> Report {
        let mut report = Report {
            rule: self.rule.map(|rule| rule.name().to_owned()),
            ballots: ballots.len() as u64,
            voted: 0,
            recorded_rules: BTreeMap::new(),
            would_change: Rule::ALL.map(|rule| (rule.name().to_owned(), 0)).into(),
            changes: Vec::new(),
            grounds: BTreeMap::new(),
            members: Vec::new(),
            agreement: Vec::new(),
            diversity: Vec::new(),
        };
        let mut agreement = Agreement::default();
        let mut diversity = diversity::Counts::default();
        let mut leads = HashMap::new();
        for ballot in ballots {
            let Some(decision) = &ballot.decision else {
                continue;
            };
            let recorded = report.recorded_rules.entry(decision.rule.clone());
            *recorded.or_default() += 1;
            if let Some(again) = self.decide_again(ballot, decision, &mut leads, &mut report) {
                report.voted += 1;
                agreement.enter(&ballot.votes, &decision.r#move, &again);
                diversity.enter(&ballot.votes);
            }
        }
        (report.members, report.agreement) = agreement.tabulate();
        report.diversity = diversity.tabulate();
        report
    }

    /// The decision under the rule; `None` where votes did not decide.
    fn decide_again(
        &self,
        ballot: &Ballot,
        decision: &Decision,
        leads: &mut HashMap<(String, Color), Lead>,
        report: &mut Report,
    ) -> Option<String> {
        if decision.ends_game() || decision.tie_break() == TieBreak::Fallback {
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
        let method = |rule| Method {
            rule,
            primary,
            seed: ballot.seed,
            sfen: &sfen,
            ply: game.position().ply(),
            lead: led.as_ref(),
        };
        // Under `hand-over` the ballots of a side depend on those before.
        if let Some(lead) = lead(led.as_ref(), primary, &ballot.votes) {
            leads.insert(side, lead);
        }
        for rule in Rule::ALL {
            let choice = decide(method(rule), &ballot.votes)?;
            if choice.mv != decision.r#move {
                *report
                    .would_change
                    .entry(rule.name().to_owned())
                    .or_default() += 1;
            }
        }
        let rule = self.rule.or_else(|| decision.rule.parse().ok())?;
        let choice = decide(method(rule), &ballot.votes)?;
        let ground = words::tie_break(tie_break(choice.ground));
        *report.grounds.entry(ground.to_owned()).or_default() += 1;
        if choice.mv != decision.r#move {
            report.changes.push(Change {
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
