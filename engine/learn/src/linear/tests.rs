use super::*;
use crate::records::GameResult;
use monju_engine::{eval::LinearWeights, rules::Game};

/// Games in which a fixed rule chooses among the legal moves.
fn games(count: u64) -> Vec<Record> {
    let game = |seed| {
        let mut game = Game::startpos();
        let mut random = Random::new(seed, 0);
        for _ in 0..40 {
            let legal = game.legal_moves();
            if legal.is_empty() {
                break;
            }
            game.play(legal[random.below(legal.len())]).expect("legal");
        }
        Record::new(None, game.moves().to_vec(), GameResult::Unknown).expect("a record")
    };
    (0..count).map(game).collect()
}

fn settings() -> Settings {
    Settings {
        steps: 6,
        batch: 64,
        rate: 2.0,
        ..Settings::default()
    }
}

#[test]
fn learning_makes_the_objective_smaller() {
    let settings = Settings {
        steps: 30,
        ..settings()
    };
    let mut trainer = Trainer::new(settings, games(2));
    while !trainer.is_finished() {
        trainer.step();
    }
    let mean =
        |steps: &[Step]| steps.iter().map(|step| step.loss).sum::<f32>() / steps.len() as f32;
    let history = trainer.history();
    let (before, after) = (mean(&history[..5]), mean(&history[25..]));
    assert!(after < 0.8 * before, "{before} and then {after}");
}

#[test]
fn a_resumed_run_equals_one_that_never_stopped() {
    let mut whole = Trainer::new(settings(), games(3));
    let mut half = Trainer::new(settings(), games(3));
    for _ in 0..3 {
        whole.step();
        half.step();
    }
    let mut resumed = Trainer::resume(settings(), games(3), &half.checkpoint()).expect("resumed");
    while !whole.is_finished() {
        assert_eq!(whole.step(), resumed.step());
    }
    assert!(resumed.is_finished());
    assert_eq!(whole.weights(), resumed.weights());
}

#[test]
fn bytes_that_are_no_checkpoint_are_refused() {
    let resume = |bytes: &[u8]| Trainer::resume(settings(), games(1), bytes).err();
    assert_eq!(resume(b"monju records v1\n"), Some(CheckpointError::Header));
    let bytes = Trainer::new(settings(), games(1)).checkpoint();
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
fn chance_is_one_in_the_number_of_legal_moves() {
    let rate = measure(
        &Arc::new(LinearWeights::material()),
        &settings(),
        &games(1),
        1000,
    );
    assert!(rate.positions > 20 && rate.matched <= rate.positions);
    assert!((0.01..0.2).contains(&rate.chance()), "{}", rate.chance());
}
