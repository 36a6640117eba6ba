//! Positions of a game that the rules decide.

use monju_engine::{Answer, Game, Repetition};

/// A position that the rules decide: the number of moves before it, and the words of the rules.
pub type Decided = (usize, &'static str);

/// Returns the words of the rules about a position that they decide, which nobody is asked about.
pub fn by_rules(game: &Game) -> Option<&'static str> {
    if let Some(answer) = Answer::by_rules(game) {
        return Some(answer.rule(game));
    }
    match game.repetition() {
        Repetition::None => None,
        Repetition::Draw => Some("drawn by repetition"),
        Repetition::PerpetualCheckBy(_) => Some("ended by perpetual check"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_tell_why_a_position_is_not_asked_about() {
        let kings = "5i5h 5a5b 5h5i 5b5a";
        let checks = "9b9a 5a5b 9a9b 5b5a";
        for (text, expected) in [
            ("startpos".to_owned(), None),
            (
                "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b".to_owned(),
                Some("mate"),
            ),
            (
                "sfen 8k/6G2/9/7N1/9/9/9/9/4K4 w - 1".to_owned(),
                Some("no legal move"),
            ),
            (
                "sfen 1+R1K1G+R2/GSGSG+B+B2/PPPP5/9/9/9/9/9/4k4 b - 1".to_owned(),
                Some("won by an entering king"),
            ),
            (format!("startpos moves {kings}"), None),
            (
                format!("startpos moves {kings} {kings} {kings}"),
                Some("drawn by repetition"),
            ),
            (
                format!(
                    "sfen 9/4k4/9/9/R8/9/9/9/4K4 b - 1 moves 9e9b 5b5a {checks} {checks} {checks}"
                ),
                Some("ended by perpetual check"),
            ),
        ] {
            let game = Game::from_usi(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(by_rules(&game), expected, "{text}");
        }
    }
}
