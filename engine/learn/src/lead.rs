//! Games that end early because one side is far ahead.

use monju_engine::rules::Color;

/// A lead that ends a game once it lasts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecisiveLead {
    /// The least score that counts, in centipawns; 0 for none.
    score: i32,
    /// Consecutive searches that end a game.
    searches: usize,
    side: Color,
    lasts: usize,
}

impl DecisiveLead {
    /// Creates the rule; with a score of 0 or less, no lead ends a game.
    pub fn new(score: i32, searches: usize) -> Self {
        Self {
            score,
            searches,
            side: Color::Black,
            lasts: 0,
        }
    }

    /// Notes what a search of the side to move has found, in centipawns. Returns the side that has led for long enough
    /// by the searches of both sides, if one has.
    pub fn after(&mut self, to_move: Color, score: i32) -> Option<Color> {
        let side = if score > 0 { to_move } else { !to_move };
        if self.score <= 0 || score.abs() < self.score {
            self.lasts = 0;
            return None;
        }
        self.lasts = match self.side == side {
            true => self.lasts + 1,
            false => 1,
        };
        self.side = side;
        (self.lasts >= self.searches).then_some(side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the winner after scores from the sides to move, Black's first.
    fn winner(score: i32, scores: &[i32]) -> Option<Color> {
        let mut lead = DecisiveLead::new(score, 4);
        let sides = [Color::Black, Color::White].into_iter().cycle();
        let mut found = sides
            .zip(scores)
            .map(|(side, &score)| lead.after(side, score));
        found.find_map(|found| found)
    }

    #[test]
    fn a_lead_decides_when_both_sides_see_it_for_long_enough() {
        let white = Some(Color::White);
        assert_eq!(winner(100, &[-100, 150, -300, 100]), white);
        assert_eq!(winner(100, &[100, -100, 100, -100]), Some(Color::Black));
        assert_eq!(winner(100, &[-100, 150, -300]), None);
        assert_eq!(winner(100, &[-100, 150, -99, 100, -100, 100]), None);
        // Each side believes itself ahead.
        assert_eq!(winner(100, &[900, 900, 900, 900, 900]), None);
        // Three searches for Black, and then four for White.
        assert_eq!(winner(100, &[100, -100, 100, 100, -100, 100, -100]), white);
    }

    #[test]
    fn a_score_of_0_decides_no_game() {
        for score in [0, -1] {
            assert_eq!(winner(score, &[3_000, -3_000, 3_000, -3_000, 3_000]), None);
        }
    }
}
