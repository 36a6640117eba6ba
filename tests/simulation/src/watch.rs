//! Looks at the ballots of the coordinators, for what must never be there, and for those that are missing.

use crate::{
    cluster::Cluster,
    plan::{Plan, Seat},
    worker::position_tag,
};
use monju_coordinator::{
    ballot::{VotingMethod, decide, tie_break},
    voting::Rule,
};
use monju_engine::{Answer, Game};
use monju_proto::v1::{Arrival, Ballot, Decision, TieBreak, Vote};
use std::{cmp::Reverse, collections::HashMap, time::Duration};
use tokio::time::Instant;

/// Questions within which a worker votes again.
const QUESTIONS: u32 = 2;
/// Shortest time of a question in which a worker has to vote.
const LEAST_TIME: Duration = Duration::from_millis(100);

/// Shortest time of a question that has to be decided by a ballot.
const LEAST_TIME_OF_A_TEAM: Duration = Duration::from_millis(900);
/// Time after which a proxy that was started without a team has found one: it tries again every 5 s, and gives each
/// coordinator 3 s to answer.
const FINDING_PATIENCE: Duration = Duration::from_secs(15);

/// What is known of the coordinators and the workers.
pub struct Watch {
    seats: Vec<WatchedCoordinator>,
    question: Option<WatchedQuestion>,
    /// Questions without a ballot, one after the other, while a coordinator was well.
    undecided: u32,
    /// The last moment at which a coordinator fell ill.
    coordinator_fell_ill: Option<Instant>,
    /// The moment from which the proxy that runs has a team.
    has_team_from: Option<Instant>,
    /// The number of ballots so far.
    pub ballots: u64,
    /// Votes that were counted.
    pub counted: u64,
}

/// A coordinator.
struct WatchedCoordinator {
    well_since: Option<Instant>,
    /// The workers by its ballots.
    workers: Vec<WatchedWorker>,
}

/// The question that the proxy answers.
struct WatchedQuestion {
    tag: u64,
    asked: Instant,
    /// There is a ballot about it.
    is_decided: bool,
}

struct WatchedWorker {
    name: String,
    /// Its votes prove something: it is honest, and its clock is not slow.
    is_judged: bool,
    well_since: Option<Instant>,
    /// Questions since then that it has missed.
    missed: u32,
    is_back: bool,
}

impl Watch {
    /// Nothing is known yet.
    pub fn new(plan: &Plan) -> Self {
        let workers = || {
            let workers = plan.clocks.iter().enumerate();
            workers.map(|(number, clock)| WatchedWorker {
                name: format!("worker-{}", number + 1),
                is_judged: plan.hostile != Some(number) && *clock >= 100,
                well_since: None,
                missed: 0,
                is_back: false,
            })
        };
        let seats = plan.seats.iter().map(|_| WatchedCoordinator {
            well_since: None,
            workers: workers().collect(),
        });
        Self {
            seats: seats.collect(),
            question: None,
            undecided: 0,
            coordinator_fell_ill: None,
            has_team_from: None,
            ballots: 0,
            counted: 0,
        }
    }

    /// Notes which coordinators can be asked and which workers can vote from now on.
    pub fn look(&mut self, cluster: &Cluster) {
        for (number, seat) in self.seats.iter_mut().enumerate() {
            let was_well = seat.well_since.is_some();
            since(&mut seat.well_since, cluster.seats[number].is_well());
            if was_well && seat.well_since.is_none() {
                self.coordinator_fell_ill = Some(Instant::now());
            }
            for (place, worker) in seat.workers.iter_mut().enumerate() {
                if since(&mut worker.well_since, cluster.is_well(number, place)) {
                    worker.missed = 0;
                    worker.is_back = false;
                }
            }
        }
    }

    /// Notes that a proxy is ready that was just started.
    pub fn proxy_is_ready(&mut self) {
        let is_reached = self.seats.iter().any(|seat| seat.well_since.is_some());
        let now = Instant::now();
        self.has_team_from = Some(if is_reached {
            now
        } else {
            now + FINDING_PATIENCE
        });
        self.question = None;
        self.undecided = 0;
    }

    /// Notes a question about a game.
    pub fn asked(&mut self, game: &Game) {
        self.question = Some(WatchedQuestion {
            tag: position_tag(game),
            asked: Instant::now(),
            is_decided: false,
        });
    }

    /// Judges the question that has been answered, of so much time: while a coordinator is well, one of them decides.
    /// One in which a coordinator falls ill, perhaps with half of the votes, may be lost, but the next one then is
    /// not. Returns what is wrong.
    pub fn answered(&mut self, time: Duration) -> Option<String> {
        let question = self.question.take()?;
        let from = self.has_team_from.filter(|from| *from <= question.asked)?;
        let well_since = self.seats.iter().filter_map(|seat| seat.well_since).min();
        let well_since = well_since.filter(|since| *since <= question.asked);
        let (Some(since), false) = (well_since, question.is_decided) else {
            self.undecided = 0;
            return None;
        };
        if time < LEAST_TIME_OF_A_TEAM {
            return None;
        }
        if self
            .coordinator_fell_ill
            .is_some_and(|ill| ill >= question.asked)
        {
            self.undecided = 1;
            return None;
        }
        self.undecided += 1;
        (self.undecided == QUESTIONS).then(|| {
            format!(
                "a coordinator is well for {} ms, and none decides in {QUESTIONS} questions",
                since.max(from).elapsed().as_millis()
            )
        })
    }

    /// Checks a decided ballot of a coordinator. Returns what is wrong with it.
    pub fn judge(&mut self, seat: Seat, ballot: &Ballot) -> Vec<String> {
        self.ballots += 1;
        let mut wrong = Vec::new();
        let game = ballot.position.as_ref().map(Game::try_from);
        let Some(Ok(game)) = game else {
            return vec![format!("ballot {} has no position", ballot.id)];
        };
        if let Some(question) = &mut self.question {
            question.is_decided |= question.tag == position_tag(&game);
        }
        let decision = ballot.decision.clone().unwrap_or_default();
        if decision.answer(&game).is_err() {
            wrong.push(format!(
                "ballot {} decides on '{}'",
                ballot.id, decision.r#move
            ));
        }
        for vote in ballot.votes.iter().filter(|vote| vote.counted) {
            self.counted += 1;
            let line = vote.line.clone().unwrap_or_default();
            let name = name_of(vote);
            if vote.arrived_ms > decision.elapsed_ms {
                wrong.push(format!(
                    "ballot {} counts a vote of {name} that came after {} ms, {} ms after its decision",
                    ballot.id,
                    vote.arrived_ms,
                    vote.arrived_ms - decision.elapsed_ms
                ));
            }
            if line.nodes != position_tag(&game) {
                wrong.push(format!(
                    "ballot {} counts a vote of {name} about another position",
                    ballot.id
                ));
            }
            if game.parse_move(vote.chosen()).is_err() {
                wrong.push(format!("ballot {} counts '{}'", ballot.id, vote.chosen()));
            }
        }
        wrong.extend(other_choice(ballot, &decision, &game));
        let time = Duration::from_millis(decision.elapsed_ms);
        if time >= LEAST_TIME && !ballot.votes.is_empty() && !is_settled(ballot) {
            wrong.extend(self.seats[seat].who_is_missing(ballot, Instant::now() - time));
        }
        wrong
    }
}

impl WatchedCoordinator {
    fn who_is_missing(&mut self, ballot: &Ballot, begun: Instant) -> Vec<String> {
        let mut missing = Vec::new();
        for worker in self.workers.iter_mut().filter(|worker| worker.is_judged) {
            let is_whole = worker.well_since.is_some_and(|since| since <= begun);
            if !is_whole || worker.is_back {
                continue;
            }
            let vote = ballot
                .votes
                .iter()
                .find(|vote| name_of(vote) == worker.name);
            let has_voted = vote.is_some_and(|vote| {
                matches!(vote.arrival(), Arrival::Final | Arrival::Provisional)
            });
            if has_voted {
                worker.is_back = true;
                continue;
            }
            worker.missed += 1;
            if worker.missed == QUESTIONS {
                let failure = vote.map_or("not on the ballot", |vote| match &*vote.failure {
                    "" => "late",
                    failure => failure,
                });
                missing.push(format!(
                    "{} is well for {} ms and does not vote in {QUESTIONS} questions: {failure}",
                    worker.name,
                    worker
                        .well_since
                        .map_or(0, |since| since.elapsed().as_millis())
                ));
            }
        }
        missing
    }
}

/// Decides once more from the votes of a ballot, unless something else has decided: the rules of the game, the opening
/// book, or a search in place of the players. Returns what is wrong with the decision.
fn other_choice(ballot: &Ballot, decision: &Decision, game: &Game) -> Option<String> {
    match decision.tie_break() {
        TieBreak::Fallback | TieBreak::Rules | TieBreak::Book | TieBreak::Resignation => {
            return None;
        }
        TieBreak::None
        | TieBreak::Random
        | TieBreak::Primary
        | TieBreak::Score
        | TieBreak::Majority => {}
    }
    let Ok(rule) = decision.rule.parse::<Rule>() else {
        return Some(format!(
            "ballot {} is decided by the rule '{}'",
            ballot.id, decision.rule
        ));
    };
    let sfen = game.position().to_string();
    let method = VotingMethod {
        rule,
        primary: Some(&*ballot.primary).filter(|primary| !primary.is_empty()),
        seed: ballot.seed,
        sfen: &sfen,
        ply: game.position().ply(),
        // No simulated team decides by `hand-over`.
        lead: None,
    };
    let (mv, ground) = match decide(method, &ballot.votes) {
        Some(choice) => (choice.mv, tie_break(choice.ground)),
        // Without a vote that counts, all players have resigned.
        None => {
            let mut votes = ballot.votes.iter();
            let all_resign = votes.all(|vote| vote.chosen() == Answer::RESIGN);
            match all_resign && !ballot.votes.is_empty() {
                true => (Answer::RESIGN.to_owned(), TieBreak::None),
                false => return Some(format!("ballot {} is decided without votes", ballot.id)),
            }
        }
    };
    let is_same = mv == decision.r#move && ground == decision.tie_break();
    (!is_same).then(|| {
        format!(
            "ballot {} decides on '{}' ({}), where its votes choose '{mv}' ({}): {ballot:?}",
            ballot.id,
            decision.r#move,
            decision.tie_break().as_str_name(),
            ground.as_str_name()
        )
    })
}

/// Notes if something is well now. Returns true if that is new.
fn since(well_since: &mut Option<Instant>, is_well: bool) -> bool {
    let is_new = is_well && well_since.is_none();
    match is_well {
        true if is_new => *well_since = Some(Instant::now()),
        true => {}
        false => *well_since = None,
    }
    is_new
}

/// Tells whether the counted votes settle the ballot, whatever the others would have been, so that it may end
/// early.
fn is_settled(ballot: &Ballot) -> bool {
    let (mut counts, mut others) = (HashMap::<&str, usize>::new(), 0);
    for vote in &ballot.votes {
        match vote.counted {
            true => *counts.entry(vote.chosen()).or_default() += 1,
            // A player that has failed votes no more.
            false => others += usize::from(vote.failure.is_empty()),
        }
    }
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_unstable_by_key(|&count| Reverse(count));
    let second = counts.get(1).copied().unwrap_or_default();
    counts.first().is_some_and(|&most| most > second + others)
}

fn name_of(vote: &Vote) -> &str {
    vote.player.as_ref().map_or("", |player| &*player.name)
}
