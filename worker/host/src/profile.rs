//! Descriptions of players for rosters and ballots.

use crate::spec::{NativeSpec, PlayerSpec, UsiSpec};
use monju_engine::{Limits, Model};
use monju_proto::v1;

/// Describes a player by the settings that all players have.
pub fn common(worker: &str, player: &PlayerSpec) -> v1::PlayerInfo {
    v1::PlayerInfo {
        name: player.name.clone(),
        worker: worker.to_owned(),
        weight: (player.weight != 1.0).then_some(player.weight),
        limits: (player.limits != Limits::default()).then(|| (&player.limits).into()),
        clock_share: player.clock_share,
        ..v1::PlayerInfo::default()
    }
}

/// Adds the settings of a native player.
pub fn native(info: &mut v1::PlayerInfo, spec: &NativeSpec, evaluator: &Model, hash_mib: u32) {
    let NativeSpec {
        sigma,
        noise_model,
        seed,
        threads,
        lanes,
        search,
        // `evaluator` and `hash_mib` are what came of these.
        evaluator: _,
        hash_mib: _,
        // They change no move but by the clock.
        cores: _,
    } = spec;
    info.engine = "monju".to_owned();
    info.evaluator = evaluator.to_string();
    info.sigma = sigma.in_centipawns(evaluator);
    if info.sigma > 0.0 {
        info.noise_model = noise_model.name().to_owned();
    }
    info.noise_seed = *seed;
    info.settings = [
        ("threads", threads.to_string()),
        ("hash_mib", hash_mib.to_string()),
    ]
    .map(|(name, value)| setting(name, value))
    .to_vec();
    if *lanes > 1 {
        info.lanes = *lanes;
        info.settings.push(setting("lanes", lanes.to_string()));
    }
    let search = search.to_string();
    if !search.is_empty() {
        info.settings.push(setting("search", search));
    }
}

/// Adds the settings of a USI engine, which has not told its name yet.
pub fn usi(info: &mut v1::PlayerInfo, spec: &UsiSpec) {
    let program = spec.program.file_name().unwrap_or_default();
    info.engine = program.to_string_lossy().into_owned();
    let mut command = vec![spec.program.display().to_string()];
    command.extend(spec.arguments.iter().cloned());
    let forms: Vec<&str> = spec.go.iter().map(|form| form.name()).collect();
    info.settings = vec![
        setting("command", command.join(" ")),
        setting("go", forms.join(" ")),
    ];
    for (name, value) in &spec.options.0 {
        info.settings
            .push(setting(&format!("option {name}"), value.to_string()));
    }
}

fn setting(name: &str, value: String) -> v1::Setting {
    v1::Setting {
        name: name.to_owned(),
        value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlayerKind, noise_players};
    use monju_engine::eval::Sigma;

    #[test]
    fn a_profile_says_what_makes_a_player_differ() {
        let sigma = Sigma::PawnExchanges(0.25);
        let mut player = noise_players("monju", 1, sigma).expect("valid").remove(0);
        player.limits.nodes = Some(500);
        let PlayerKind::Native(spec) = &player.kind else {
            panic!("not native")
        };
        let mut info = common("desk", &player);
        let model = Model::material();
        native(&mut info, spec, &model, 64);
        let quarter = model.pawn_exchange() / 4.0;
        assert_eq!((info.sigma, &*info.noise_model), (quarter, "position"));
        assert_eq!(info.limits.expect("limits").nodes, Some(500));
        assert_eq!((info.weight, info.clock_share), (None, None));
        assert_eq!(info.settings[1], setting("hash_mib", "64".to_owned()));
    }
}
