//! Scores that know how the game went on.

use super::{Sample, outlook};

/// Replaces each score of a game by a mean of its own, of all that follow, and of the result:
/// λ-returns, as temporal-difference learning has them (Sutton 1988).
///
/// The mean is one of probabilities to win, σ(score / `scale`), and what stands `n` plies later
/// counts `decay`ⁿ times as much. A search of few nodes errs; the searches after it find what was
/// beyond its horizon. With a `decay` of 0 all stays as it is, with 1 the result is all that counts.
pub fn look_ahead(game: &mut [Sample], decay: f64, scale: f64) {
    if decay <= 0.0 {
        return;
    }
    // What the side to move at some ply may hope for.
    let mut later: Option<(u16, f64)> = None;
    for sample in game.iter_mut().rev() {
        let own = outlook::probability(f64::from(sample.score), scale);
        let outlook = match later {
            _ if sample.is_last => Some(f64::midpoint(1.0, f64::from(sample.result))),
            Some((ply, value)) if sample.ply.checked_add(1) == Some(ply) => Some(1.0 - value),
            // Positions are missing in between, or the game has not been written to its end.
            _ => None,
        };
        let mut mean = own;
        if let Some(outlook) = outlook {
            mean = (1.0 - decay) * own + decay * outlook;
            sample.score = outlook::score(mean, scale);
        }
        later = Some((sample.ply, mean));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::rules::Position;

    /// A game with these scores; the result is that of the side to move at its end.
    fn game(scores: &[i16], result: i8) -> Vec<Sample> {
        let position = Position::startpos().to_packed().unwrap();
        let count = scores.len();
        let samples = scores.iter().enumerate().map(|(index, &score)| Sample {
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
        samples.collect()
    }

    fn looked_ahead(mut game: Vec<Sample>, decay: f64) -> Vec<i16> {
        look_ahead(&mut game, decay, 600.0);
        game.iter().map(|sample| sample.score).collect()
    }

    #[test]
    fn what_comes_later_counts_with_the_sign_of_the_side_to_move() {
        // Only the end knows that the side to move there has lost.
        let [first, second, third, last] = looked_ahead(game(&[0, 0, 0, -3000], -1), 0.5)[..]
        else {
            panic!("four positions");
        };
        // Half of a game almost lost, and half of one lost.
        assert!((-3420..-3400).contains(&last), "{last}");
        // Half of an even game, and half of one almost won: about three to one.
        assert!((640..660).contains(&third), "{third}");
        assert!(second < 0 && first > 0 && first < -second && -second < third);
    }

    #[test]
    fn a_draw_halves_what_was_hoped_for_and_all_weight_on_the_end_leaves_the_result() {
        let drawn = looked_ahead(game(&[600], 0), 0.5);
        assert!(drawn[0] > 250 && drawn[0] < 300, "{drawn:?}");
        let won = looked_ahead(game(&[-700, 900, -200], 1), 1.0);
        assert!(won[0] > 10_000 && won[1] < -10_000 && won[2] > 10_000);
    }

    #[test]
    fn without_decay_and_where_the_rest_is_missing_scores_stay() {
        assert_eq!(
            looked_ahead(game(&[100, 250, -80], 1), 0.0),
            [100, 250, -80]
        );
        let mut gap = game(&[100, 250], 1);
        gap[1].ply += 1;
        assert_eq!(looked_ahead(gap, 0.9)[0], 100);
        let mut begun = game(&[100, 250], 1);
        begun[1].is_last = false;
        assert_eq!(looked_ahead(begun, 0.9)[1], 250);
    }
}
