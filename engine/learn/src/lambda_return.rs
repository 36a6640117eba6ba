//! λ-returns: scores that take the rest of the game into account (Sutton 1988).

use crate::{example::TrainingExample, win_probability};

/// Replaces each score of a game by its λ-return: a mean of the score itself, of the scores that
/// follow and of the result.
///
/// The mean is taken over win probabilities, σ(score / `scale`), and a value `n` plies later counts
/// `decay`ⁿ times as much. The score of a search with few nodes is noisy; later searches see beyond
/// its horizon. A `decay` of 0 leaves the scores unchanged, a `decay` of 1 keeps only the result.
pub(crate) fn apply_lambda_returns(game: &mut [TrainingExample], decay: f64, scale: f64) {
    if decay <= 0.0 {
        return;
    }
    // Ply and λ-return of the position after the current one, from the side to move there.
    let mut later: Option<(u16, f64)> = None;
    for example in game.iter_mut().rev() {
        let own = win_probability::from_score(f64::from(example.score), scale);
        let following = match later {
            _ if example.is_last => Some(f64::midpoint(1.0, f64::from(example.result))),
            Some((ply, value)) if example.ply.checked_add(1) == Some(ply) => Some(1.0 - value),
            // Positions are missing in between, or the end of the game has not been written.
            _ => None,
        };
        let mut mean = own;
        if let Some(following) = following {
            mean = (1.0 - decay) * own + decay * following;
            example.score = win_probability::to_score(mean, scale);
        }
        later = Some((example.ply, mean));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::rules::Position;

    /// A game with these scores; the result is that of the side to move at its end.
    fn game(scores: &[i16], result: i8) -> Vec<TrainingExample> {
        let position = Position::startpos().to_packed().unwrap();
        let count = scores.len();
        let examples = scores
            .iter()
            .enumerate()
            .map(|(index, &score)| TrainingExample {
                position,
                score,
                best_move: "7g7f".parse().unwrap(),
                ply: index as u16 + 10,
                result: if (count - 1 - index).is_multiple_of(2) {
                    result
                } else {
                    -result
                },
                is_last: index + 1 == count,
            });
        examples.collect()
    }

    fn returns(mut game: Vec<TrainingExample>, decay: f64) -> Vec<i16> {
        apply_lambda_returns(&mut game, decay, 600.0);
        game.iter().map(|example| example.score).collect()
    }

    #[test]
    fn later_values_count_with_the_sign_of_the_side_to_move() {
        // Only the last search sees that the side to move there has lost.
        let [first, second, third, last] = returns(game(&[0, 0, 0, -3000], -1), 0.5)[..] else {
            panic!("four positions");
        };
        // The mean of an almost lost game and a lost one.
        assert!((-3420..-3400).contains(&last), "{last}");
        // The mean of an even game and an almost won one: about three to one.
        assert!((640..660).contains(&third), "{third}");
        assert!(second < 0 && first > 0 && first < -second && -second < third);
    }

    #[test]
    fn a_draw_halves_a_good_score_and_a_decay_of_1_leaves_the_result() {
        let drawn = returns(game(&[600], 0), 0.5);
        assert!(drawn[0] > 250 && drawn[0] < 300, "{drawn:?}");
        let won = returns(game(&[-700, 900, -200], 1), 1.0);
        assert!(won[0] > 10_000 && won[1] < -10_000 && won[2] > 10_000);
    }

    #[test]
    fn scores_stay_without_decay_and_where_the_rest_of_the_game_is_missing() {
        assert_eq!(returns(game(&[100, 250, -80], 1), 0.0), [100, 250, -80]);
        let mut gap = game(&[100, 250], 1);
        gap[1].ply += 1;
        assert_eq!(returns(gap, 0.9)[0], 100);
        let mut begun = game(&[100, 250], 1);
        begun[1].is_last = false;
        assert_eq!(returns(begun, 0.9)[1], 250);
    }
}
