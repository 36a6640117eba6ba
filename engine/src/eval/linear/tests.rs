use super::*;
use crate::{
    eval::{Material, Noise, material::MaterialWeights},
    rules::Game,
};

fn random_game(seed: u64) -> Game {
    let mut state = seed;
    let mut game = Game::startpos();
    for _ in 0..300 {
        let moves = game.legal_moves();
        if moves.is_empty() {
            break;
        }
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
        let mv = moves[(state >> 33) as usize % moves.len()];
        game.play(mv).expect("legal");
    }
    game
}

/// Returns the positions of a game in order, each with its move.
fn replay(game: &Game) -> Vec<(Position, Move)> {
    let mut position = Position::startpos();
    let step = |&mv: &Move| {
        let before = position.clone();
        position.make(mv);
        (before, mv)
    };
    game.moves().iter().map(step).collect()
}

#[test]
fn material_values_without_relations_are_the_material_evaluator() {
    let weights = Arc::new(LinearWeights::new(&Values::material()));
    let (mut linear, mut material) = (
        Linear::new(weights),
        Material::new(MaterialWeights::embedded()),
    );
    for (position, _) in replay(&random_game(5)) {
        linear.reset(&position);
        material.reset(&position);
        assert_eq!(linear.evaluate(&position), material.evaluate(&position));
    }
}

#[test]
fn following_moves_and_taking_them_back_equals_starting_afresh() {
    let weights = Arc::new(LinearWeights::sample());
    for seed in 1..6 {
        let game = random_game(seed);
        let steps = replay(&game);
        let value = |position: &Position| {
            let mut fresh = Linear::new(Arc::clone(&weights));
            fresh.reset(position);
            fresh.evaluate(position)
        };
        let mut followed = Linear::new(Arc::clone(&weights));
        followed.reset(&Position::startpos());
        for (number, (position, mv)) in steps.iter().enumerate() {
            // Some values are never computed.
            if number % 3 != 1 {
                assert_eq!(followed.evaluate(position), value(position));
            }
            followed.push(position, *mv);
        }
        assert_eq!(followed.evaluate(game.position()), value(game.position()));
        for (number, (position, _)) in steps.iter().enumerate().rev() {
            followed.pop();
            if number % 5 != 2 {
                assert_eq!(followed.evaluate(position), value(position));
            }
        }
    }
}

#[test]
fn the_other_side_sees_the_negative() {
    let weights = Arc::new(LinearWeights::sample());
    let mut linear = Linear::new(weights);
    for (mut position, _) in replay(&random_game(9)) {
        if position.in_check() {
            continue;
        }
        linear.reset(&position);
        let own = linear.evaluate(&position);
        position.make_pass();
        let other = linear.evaluate(&position);
        let turns = 2 * linear.weights.turn / UNIT;
        assert!((own + other - turns).abs() <= 1, "{own} and {other}");
    }
}

#[test]
fn noise_changes_every_weight_and_leaves_the_symmetry() {
    let plain = LinearWeights::material();
    assert!((150.0..300.0).contains(&plain.pawn_exchange()));
    let noise = Noise::new(5.0, 3).expect("noise");
    let noisy = Arc::new(plain.perturbed(&noise));
    assert_ne!(noisy.hash(), plain.hash());
    assert_eq!(noisy.hash(), plain.perturbed(&noise).hash());
    let mut linear = Linear::new(Arc::clone(&noisy));
    let start = Position::startpos();
    linear.reset(&start);
    assert_eq!(
        linear.evaluate(&start),
        noisy.turn / UNIT,
        "both sides are alike"
    );
}
