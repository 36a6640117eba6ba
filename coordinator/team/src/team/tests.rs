//! Tests of the choices that apply, and of those that cannot.

use super::{embedded::remove_inapplicable, *};
use crate::config::Config;
use monju_coordinator::{choices::ConsultationChoices, voting::Rule};
use monju_engine::{Model, eval::Sigma};
use monju_host::PlayerKind;
use std::path::Path;

fn config(text: &str) -> Config {
    Config::parse(text, Path::new("monju.toml")).expect("right")
}

fn sigmas(config: &Config, choices: &Choices) -> Vec<(String, Option<f64>)> {
    let players = local_players(DEFAULT_TEAM, config, choices).expect("applicable");
    players
        .into_iter()
        .map(|player| match player.kind {
            PlayerKind::Native(native) => {
                let sigma = native.sigma.in_centipawns(&Model::material());
                (player.name, Some(sigma))
            }
            PlayerKind::Usi(_) => (player.name, None),
        })
        .collect()
}

const MIXED: &str = "[[player]]\nname = \"a\"\nsigma = 10\n\
                     [[player]]\nname = \"b\"\nkind = \"usi\"\ncommand = [\"b\"]";
const REMOTE: &str = "[coordinator]\nworkers = [\"http://127.0.0.1:1\"]";

#[test]
fn without_configuration_there_are_noise_players() {
    let players = sigmas(&Config::default(), &Choices::default());
    assert!((3..=16).contains(&players.len()));
    assert_eq!(players[0], ("monju-1".to_owned(), Some(DEFAULT_SIGMA)));
}

#[test]
fn a_number_of_players_replaces_the_native_ones_of_the_configuration() {
    let choices = Choices {
        players: Some(2),
        ..Choices::default()
    };
    let natives = [("monju-1", Some(50.0)), ("monju-2", Some(50.0))];
    for (text, others) in [
        // A GUI that kept the option from before lost the other programs of the configuration without a word.
        (MIXED, &[("b", None)][..]),
        (REMOTE, &[]),
        ("", &[]),
    ] {
        let expected = natives.iter().chain(others);
        let expected: Vec<_> = expected
            .map(|(name, sigma)| ((*name).to_owned(), *sigma))
            .collect();
        assert_eq!(sigmas(&config(text), &choices), expected);
    }
}

#[test]
fn sigma_applies_to_the_native_players() {
    let choices = Choices {
        sigma: Some(25.0.into()),
        ..Choices::default()
    };
    assert_eq!(
        sigmas(&config(MIXED), &choices),
        [("a".to_owned(), Some(25.0)), ("b".to_owned(), None)]
    );
    let error =
        local_players(DEFAULT_TEAM, &config(REMOTE), &choices).expect_err("no native players");
    assert!(error.to_string().contains("sigma"), "{error}");
}

#[test]
fn remote_workers_need_no_local_players() {
    assert_eq!(sigmas(&config(REMOTE), &Choices::default()), []);
}

#[test]
fn impossible_numbers_are_refused() {
    for (players, sigma) in [
        (Some(0), None),
        (Some(3), Some(f64::NAN)),
        (None, Some(-1.0)),
    ] {
        let choices = Choices {
            players,
            sigma: sigma.map(Sigma::from),
            ..Choices::default()
        };
        assert!(local_players(DEFAULT_TEAM, &Config::default(), &choices).is_err());
        assert!(local_players(DEFAULT_TEAM, &config(MIXED), &choices).is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn choices_that_a_remote_coordinator_cannot_apply_are_refused() {
    let choices = Choices {
        coordinator: Some("http://127.0.0.1:7410".to_owned()),
        sigma: Some(50.0.into()),
        ..Choices::default()
    };
    let error = assemble(&choices).await.expect_err("refused");
    let line = error.to_string();
    assert!(line.starts_with("sigma cannot be chosen"), "{line}");
}

#[tokio::test]
async fn an_unreachable_coordinator_is_one_line_with_the_remedy() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", free.local_addr().expect("its address"));
    drop(free);
    let choices = Choices {
        coordinator: Some(url.clone()),
        ..Choices::default()
    };
    let error = assemble(&choices)
        .await
        .expect_err("no coordinator")
        .to_string();
    assert!(
        error.contains(&url) && error.contains("monju coordinator"),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1);
}

#[test]
fn a_team_goes_on_without_choices_that_cannot_be_applied() {
    let mut config = Config::default();
    config.coordinator.log = Some("/absent/folder/log".into());
    config.ensemble.calibration = Some("/absent/calibration.toml".into());
    let mut choices = Choices {
        consultation: ConsultationChoices {
            rule: Some(Rule::PrimaryUnlessOutvoted),
            ..ConsultationChoices::default()
        },
        ..Choices::default()
    };
    let ignored = remove_inapplicable(&mut config, &mut choices);
    for (what, words) in ignored.iter().map(IgnoredChoice::note).zip([
        "needs a primary",
        "nothing is recorded",
        "not compared",
    ]) {
        assert!(what.contains(words), "{what}");
    }
    assert_eq!(ignored.len(), 3);
    assert_eq!(choices.consultation.rule, None);
    assert_eq!(config.coordinator.log, None);
    assert_eq!(config.ensemble.calibration, None);
}

#[test]
fn a_primary_that_is_no_player_is_named_and_left_out() {
    let chosen = |name: &str| Choices {
        players: Some(2),
        consultation: ConsultationChoices {
            primary: Some(name.to_owned()),
            rule: Some(Rule::PrimaryUnlessOutvoted),
            ..ConsultationChoices::default()
        },
        ..Choices::default()
    };
    let mut choices = chosen("monju-2");
    assert!(remove_inapplicable(&mut Config::default(), &mut choices).is_empty());
    let decides = ensemble(&Config::default(), &choices).expect("an ensemble");
    assert_eq!(decides.primary.as_deref(), Some("monju-2"));

    let mut choices = chosen("nobody");
    let ignored = remove_inapplicable(&mut Config::default(), &mut choices);
    let ignored: Vec<String> = ignored.iter().map(ToString::to_string).collect();
    assert!(ignored[0].contains("monju-1, monju-2"), "{ignored:?}");
    assert!(ignored[1].contains("--primary"), "{ignored:?}");
    assert_eq!(choices.consultation, ConsultationChoices::default());

    // Players elsewhere are not known before they have answered.
    let mut choices = chosen("nobody");
    let config = &mut config(REMOTE);
    assert!(remove_inapplicable(config, &mut choices).is_empty());
}

#[test]
fn a_resignation_needs_win_rates_and_threads_need_native_players() {
    let mut choices = Choices {
        resign_below: Some(3),
        threads: Some(2),
        ..Choices::default()
    };
    let foreign = "[[player]]\nname = \"b\"\nkind = \"usi\"\ncommand = [\"b\"]";
    let ignored = remove_inapplicable(&mut config(foreign), &mut choices);
    let ignored: Vec<String> = ignored.iter().map(ToString::to_string).collect();
    assert!(ignored[0].contains("no native players"), "{ignored:?}");
    assert!(ignored[1].contains("needs win rates"), "{ignored:?}");
    assert_eq!(choices, Choices::default());
}
