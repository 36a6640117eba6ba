//! The team of an analysis: everything of it that decides the answers, from its ballots or from its roster.

use monju_coordinator::{ballot::players_of, choices::ConsultationChoices};
use monju_engine::counted;
use monju_proto::v1::{Ballot, Limits, PlayerInfo, RosterResponse};

/// The team that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    rule: String,
    primary: String,
    /// The players in the order of their names; `None` where some are out of reach.
    players: Option<Vec<PlayerSetup>>,
}

/// A player: its name, and each of its settings with a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PlayerSetup {
    name: String,
    settings: Vec<(String, String)>,
}

impl Setup {
    /// Returns the team that gave a ballot.
    pub fn of_ballot(ballot: &Ballot) -> Self {
        let rule = ballot.decision.as_ref().map(|decision| &decision.rule);
        let players = ballot.votes.iter().filter_map(|vote| vote.player.as_ref());
        Self {
            rule: rule.cloned().unwrap_or_default(),
            primary: ballot.primary.clone(),
            players: Some(sorted(players)),
        }
    }

    /// Returns the team of a roster under the choices that its consultations name.
    pub fn of_roster(roster: &RosterResponse, choices: &ConsultationChoices) -> Self {
        let is_whole = roster.workers.iter().all(|worker| worker.connected);
        let players = roster.workers.iter().flat_map(|worker| &worker.players);
        // A ballot has an entry for each virtual player.
        let players: Vec<PlayerInfo> = players.cloned().flat_map(players_of).collect();
        let rule = choices.rule.map(|rule| rule.name().to_owned());
        Self {
            rule: rule.unwrap_or_else(|| roster.rule.clone()),
            primary: choices
                .primary
                .clone()
                .unwrap_or_else(|| roster.primary.clone()),
            players: is_whole.then(|| sorted(players.iter())),
        }
    }

    /// Returns the first difference from another team in words; `None` if both give the same answers.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.rule != other.rule {
            return Some(format!("the rule {}, not {}", self.rule, other.rule));
        }
        let named = |name: &str| if name.is_empty() { "nobody" } else { name }.to_owned();
        if self.primary != other.primary {
            let names = [named(&self.primary), named(&other.primary)];
            return Some(format!("{} as the primary, not {}", names[0], names[1]));
        }
        let (own, others) = (self.players.as_ref()?, other.players.as_ref()?);
        if own.len() != others.len() {
            return Some(format!(
                "{}, not {}",
                counted(own.len(), "player"),
                others.len()
            ));
        }
        own.iter()
            .zip(others)
            .find_map(|(own, other)| own.difference(other))
    }
}

impl PlayerSetup {
    fn of(player: &PlayerInfo) -> Self {
        let mut settings = vec![
            ("evaluator".to_owned(), player.evaluator.clone()),
            ("weights".to_owned(), player.weights_hash.clone()),
            ("sigma".to_owned(), player.sigma.to_string()),
            ("noise model".to_owned(), player.noise_model.clone()),
            (
                "weight".to_owned(),
                player.weight.unwrap_or(1.0).to_string(),
            ),
            ("limits".to_owned(), limits(player.limits.as_ref())),
            (
                "clock share".to_owned(),
                player
                    .clock_share
                    .map_or(String::new(), |share| share.to_string()),
            ),
        ];
        settings.retain(|(_, value)| !value.is_empty());
        let own = player.settings.iter();
        let mut own: Vec<_> = own
            .map(|setting| (setting.name.clone(), setting.value.clone()))
            .collect();
        own.sort();
        settings.extend(own);
        // Ballots tell players of the same name apart by their workers.
        // Virtual players are numbered behind that.
        let numbered = player.name.rsplit_once('#').filter(|_| player.lanes > 1);
        let (own_name, lane) = match numbered {
            Some((name, lane)) => (name, format!("#{lane}")),
            None => (&*player.name, String::new()),
        };
        let name = own_name.split('@').next().unwrap_or_default();
        Self {
            name: format!("{name}{lane}"),
            settings,
        }
    }

    fn difference(&self, other: &Self) -> Option<String> {
        let Self { name, settings } = self;
        if *name != other.name {
            return Some(format!("the player {name}, not {}", other.name));
        }
        let value = |settings: &[(String, String)], key: &str| {
            let found = settings.iter().find(|(name, _)| name == key);
            found.map_or("none".to_owned(), |(_, value)| value.clone())
        };
        let keys = settings.iter().chain(&other.settings).map(|(key, _)| key);
        let mut values = keys.map(|key| (key, value(settings, key), value(&other.settings, key)));
        let (key, own, others) = values.find(|(_, own, others)| own != others)?;
        Some(format!("{name} with {key} {own}, not {others}"))
    }
}

fn sorted<'a>(players: impl Iterator<Item = &'a PlayerInfo>) -> Vec<PlayerSetup> {
    let mut players: Vec<PlayerSetup> = players.map(PlayerSetup::of).collect();
    players.sort();
    players
}

fn limits(limits: Option<&Limits>) -> String {
    let Some(limits) = limits else {
        return String::new();
    };
    let numbers = [
        ("nodes", limits.nodes),
        ("depth", limits.depth.map(u64::from)),
        ("time_ms", limits.time_ms),
    ];
    let numbers = numbers
        .iter()
        .filter_map(|(name, number)| Some(format!("{name} {}", (*number)?)));
    numbers.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::{Decision, Setting, Vote, WorkerStatus};

    fn player(name: &str, evaluator: &str, sigma: f64) -> PlayerInfo {
        PlayerInfo {
            name: name.to_owned(),
            evaluator: evaluator.to_owned(),
            sigma,
            settings: vec![Setting {
                name: "threads".to_owned(),
                value: "1".to_owned(),
            }],
            ..PlayerInfo::default()
        }
    }

    fn ballot(players: &[PlayerInfo]) -> Ballot {
        let vote = |player: &PlayerInfo| Vote {
            player: Some(player.clone()),
            ..Vote::default()
        };
        Ballot {
            votes: players.iter().map(vote).collect(),
            decision: Some(Decision {
                rule: "majority".to_owned(),
                ..Decision::default()
            }),
            ..Ballot::default()
        }
    }

    fn roster(players: &[PlayerInfo]) -> RosterResponse {
        RosterResponse {
            rule: "majority".to_owned(),
            workers: vec![WorkerStatus {
                connected: true,
                players: players.to_vec(),
                ..WorkerStatus::default()
            }],
            ..RosterResponse::default()
        }
    }

    fn difference(roster: &RosterResponse) -> Option<String> {
        let known = ballot(&[
            player("one@desk", "linear", 50.0),
            player("two", "linear", 50.0),
        ]);
        let choices = ConsultationChoices::default();
        Setup::of_ballot(&known).difference(&Setup::of_roster(roster, &choices))
    }

    #[test]
    fn the_same_team_has_no_difference() {
        let players = [player("two", "linear", 50.0), player("one", "linear", 50.0)];
        assert_eq!(difference(&roster(&players)), None);
    }

    #[test]
    fn virtual_players_of_a_worker_are_those_of_the_ballots() {
        let lanes = |name: &str| PlayerInfo {
            lanes: 2,
            ..player(name, "nnue", 50.0)
        };
        let known = ballot(&Vec::from_iter(players_of(lanes("vec@desk"))));
        let told = roster(&[lanes("vec")]);
        let now = Setup::of_roster(&told, &ConsultationChoices::default());
        assert_eq!(Setup::of_ballot(&known).difference(&now), None);
    }

    #[test]
    fn whatever_decides_the_answers_is_a_difference() {
        let one = player("one", "linear", 50.0);
        let two = player("two", "linear", 50.0);
        let mut threads = two.clone();
        threads.settings[0].value = "2".to_owned();
        for (players, expected) in [
            (vec![one.clone()], "2 players, not 1"),
            (
                vec![one.clone(), player("zero", "linear", 50.0)],
                "the player two, not zero",
            ),
            (vec![one.clone(), threads], "two with threads 1, not 2"),
            (
                vec![one.clone(), player("two", "linear", 0.0)],
                "two with sigma 50, not 0",
            ),
            (
                vec![one.clone(), player("two", "material", 50.0)],
                "two with evaluator linear, not material",
            ),
        ] {
            let expected = Some(expected.to_owned());
            let mut roster = roster(&players);
            assert_eq!(difference(&roster), expected);
            roster.workers[0].connected = false;
            assert_eq!(
                difference(&roster),
                None,
                "players out of reach may be the same"
            );
        }
        let mut other = roster(&[one, two]);
        other.primary = "one".to_owned();
        assert_eq!(
            difference(&other),
            Some("nobody as the primary, not one".to_owned())
        );
        other.rule = "optimistic".to_owned();
        assert_eq!(
            difference(&other),
            Some("the rule majority, not optimistic".to_owned())
        );
    }
}
