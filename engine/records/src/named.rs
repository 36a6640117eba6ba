//! Compares the pieces that a file names with those that move. The library goes by the squares alone, and would read
//! `２二馬(88)` as a bishop that does not promote.

use crate::{record::GameRecord, rejection::Rejection};
use monju_engine::rules::PieceKind;

/// Other names than those that [`PieceKind::japanese`] gives.
const OTHER_NAMES: [(&str, PieceKind); 6] = [
    ("成歩", PieceKind::ProPawn),
    ("杏", PieceKind::ProLance),
    ("圭", PieceKind::ProKnight),
    ("全", PieceKind::ProSilver),
    ("竜", PieceKind::Dragon),
    ("王", PieceKind::King),
];

/// Refuses a game in which another piece moves than the one that the file names, in `named` by the moves in order.
///
/// # Errors
/// The pieces are not the same.
pub fn check_named_pieces(
    game: &GameRecord,
    named: impl IntoIterator<Item = Option<PieceKind>>,
) -> Result<(), Rejection> {
    let mut position = game.start();
    for ((number, &mv), named) in (1..).zip(game.moves()).zip(named) {
        if let Some(named) = named
            && let Some(from) = mv.from()
            && let Some((_, moved)) = position.piece(from).get()
        {
            // Some programs name the promoted piece, as CSA does. Where the move promotes, that is no contradiction.
            let is_same = named == moved || (mv.is_promotion() && named == moved.promoted());
            if !is_same {
                return Err(Rejection::other_piece(number, named, moved));
            }
        }
        position.make(mv);
    }
    Ok(())
}

/// Returns the piece of a move of a KIF file, such as `同　成銀(31)`.
pub fn piece_of_kif(text: &str) -> Option<PieceKind> {
    let mut letters = text.chars();
    // The square has two characters.
    if letters.next()? != '同' {
        letters.next();
    }
    let rest = letters.as_str().trim_start();
    let own = PieceKind::ALL.map(|kind| (kind.japanese(), kind));
    let mut names = OTHER_NAMES.iter().chain(&own);
    names
        .find(|(name, _)| rest.starts_with(name))
        .map(|&(_, kind)| kind)
}

/// Returns the pieces of the moves of a JKF file, in which they have the codes of CSA.
pub fn pieces_of_jkf(moves: &[serde_json::Value]) -> impl Iterator<Item = Option<PieceKind>> {
    let moves = moves.iter().filter_map(|entry| entry.get("move"));
    moves.map(|mv| {
        let code = mv.get("piece")?.as_str()?;
        PieceKind::ALL.into_iter().find(|kind| kind.csa() == code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_kif_have_one_character_or_two() {
        for (text, kind) in [
            ("７六歩(77)", Some(PieceKind::Pawn)),
            ("同　銀成(31)", Some(PieceKind::Silver)),
            ("同成銀(31)", Some(PieceKind::ProSilver)),
            ("２二全(31)", Some(PieceKind::ProSilver)),
            ("５八王(59)", Some(PieceKind::King)),
            ("22竜(28)", Some(PieceKind::Dragon)),
            ("投了", None),
            ("", None),
        ] {
            assert_eq!(piece_of_kif(text), kind, "{text}");
        }
    }
}
