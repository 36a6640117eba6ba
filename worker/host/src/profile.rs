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
        limits: own_limits(&player.limits),
        clock_share: player.clock_share,
        ..v1::PlayerInfo::default()
    }
}

/// Adds the settings of a native player.
pub fn native(info: &mut v1::PlayerInfo, spec: &NativeSpec, evaluator: &Model, hash_mib: u32) {
    info.engine = "monju".to_owned();
    info.evaluator = evaluator.to_string();
    info.sigma = spec.sigma.in_centipawns(evaluator);
    if info.sigma > 0.0 {
        info.noise_model = spec.noise_model.name().to_owned();
    }
    info.noise_seed = spec.seed;
    info.settings = [
        ("threads", spec.threads.to_string()),
        ("hash_mib", hash_mib.to_string()),
    ]
    .map(|(name, value)| setting(name, value))
    .to_vec();
    if spec.lanes > 1 {
        info.lanes = spec.lanes;
        info.settings.push(setting("lanes", spec.lanes.to_string()));
    }
    let search = spec.search.to_string();
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

fn own_limits(own: &Limits) -> Option<v1::Limits> {
    (*own != Limits::default()).then(|| own.into())
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
