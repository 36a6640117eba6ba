use super::{
    checkpoint::CheckpointError,
    move_match::measure,
    trainer::LinearTrainer,
    training::{LinearTraining, TrainingStep},
};
use monju_engine::random::SplitMix64;
use monju_engine::{eval::LinearWeights, rules::Game};
use monju_records::{GameRecord, RecordedResult};
use std::sync::Arc;

/// Games of random moves.
pub(super) fn games(count: u64) -> Vec<GameRecord> {
    let game = |seed| {
        let mut game = Game::startpos();
        let mut random = SplitMix64::new(seed, 0);
        for _ in 0..40 {
            let legal = game.legal_moves();
            if legal.is_empty() {
                break;
            }
            game.play(legal[random.below(legal.len())]).expect("legal");
        }
        GameRecord::new(None, game.moves().to_vec(), RecordedResult::Unknown).expect("a record")
    };
    (0..count).map(game).collect()
}

fn settings() -> LinearTraining {
    LinearTraining {
        steps: 6,
        batch: 64,
        rate: 2.0,
        ..LinearTraining::default()
    }
}

#[test]
fn training_reduces_the_loss() {
    let settings = LinearTraining {
        steps: 30,
        ..settings()
    };
    let mut trainer = LinearTrainer::new(settings, games(2));
    while !trainer.is_finished() {
        trainer.step();
    }
    let mean = |steps: &[TrainingStep]| {
        steps.iter().map(|step| step.loss).sum::<f32>() / steps.len() as f32
    };
    let history = trainer.history();
    let (before, after) = (mean(&history[..5]), mean(&history[25..]));
    assert!(after < 0.8 * before, "{before} and then {after}");
}

#[test]
fn a_resumed_training_equals_an_uninterrupted_one() {
    let mut whole = LinearTrainer::new(settings(), games(3));
    let mut half = LinearTrainer::new(settings(), games(3));
    for _ in 0..3 {
        whole.step();
        half.step();
    }
    let mut resumed =
        LinearTrainer::resume(settings(), games(3), &half.checkpoint()).expect("resumed");
    while !whole.is_finished() {
        assert_eq!(whole.step(), resumed.step());
    }
    assert!(resumed.is_finished());
    assert_eq!(whole.weights(), resumed.weights());
}

#[test]
fn foreign_and_damaged_checkpoints_are_refused() {
    let resume = |bytes: &[u8]| LinearTrainer::resume(settings(), games(1), bytes).err();
    assert_eq!(resume(b"monju records v1\n"), Some(CheckpointError::Header));
    let bytes = LinearTrainer::new(settings(), games(1)).checkpoint();
    assert_eq!(
        resume(&bytes[..bytes.len() - 1]),
        Some(CheckpointError::Damaged)
    );
    assert_eq!(resume(&bytes[..30]), Some(CheckpointError::Damaged));
    for place in [20, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x40;
        assert_eq!(
            resume(&damaged),
            Some(CheckpointError::Damaged),
            "byte {place}"
        );
    }
}

#[test]
fn random_moves_match_once_in_the_number_of_legal_moves() {
    let rate = measure(
        &Arc::new(LinearWeights::material()),
        &settings(),
        &games(1),
        1000,
    );
    assert!(rate.positions > 20 && rate.matched <= rate.positions);
    assert!((0.01..0.2).contains(&rate.chance()), "{}", rate.chance());
}
