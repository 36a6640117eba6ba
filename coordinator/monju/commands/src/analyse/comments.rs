//! The view as comments of a game record, with the words by which ShogiHome knows them.

use monju_engine::Color;
use monju_page::view::{MoveText, PositionView};
use monju_proto::v1::score::Kind;

/// Number of moves of a line in a comment.
const LINE_LENGTH: usize = 12;

/// Returns the lines of comment on a position.
pub fn of(view: &PositionView) -> Vec<String> {
    let mut lines = Vec::new();
    let winner = |mates| match (mates, view.side) {
        (true, Color::Black) | (false, Color::White) => "先手勝ち",
        _ => "後手勝ち",
    };
    match view.score {
        Some(Kind::Mate(plies)) => {
            lines.push(format!("#詰み={}:{}手", winner(plies > 0), plies.abs()));
        }
        // GUIs know no word for it.
        Some(Kind::MateOfUnknownLength(mates)) => {
            lines.push(format!("詰み（手数不明）、{}", winner(mates)));
        }
        Some(Kind::Cp(_)) | None => {
            lines.extend(
                view.score_of_black()
                    .map(|score| format!("#評価値={score}")),
            );
        }
    }
    if !view.line.is_empty() {
        let moves = view.line.iter().take(LINE_LENGTH);
        let mut moves: Vec<String> = moves.map(|mv| mv.japanese.clone()).collect();
        moves[0] = with_square(&view.line[0]);
        lines.push(format!("#読み筋={}", moves.concat()));
    }
    if view.depth > 0 {
        lines.push(format!("#深さ={}", view.depth));
    }
    lines.push("#エンジン=Monju".to_owned());
    if let Some(rate) = view.win_rate_of_black() {
        lines.push(format!("先手の勝率 {:.1}%", 100.0 * rate));
    }
    let votes: Vec<String> = (view.votes.iter())
        .map(|(mv, votes)| format!("{} {votes}票", mv.japanese))
        .collect();
    let divided = if view.is_divided() {
        "（意見が割れた）"
    } else {
        ""
    };
    lines.push(format!("合議 {}{divided}", votes.join("、")));
    lines
}

/// Returns the Japanese notation of a move with its square in place of 同: ShogiHome reads a line of play
/// without the move before it.
fn with_square(mv: &MoveText) -> String {
    let square = || {
        let mut square = mv.usi.chars().skip(2);
        let file = square.next()?.to_digit(10)?.checked_sub(1)?;
        let rank = u32::from(square.next()?).checked_sub('a'.into())?;
        let digit = |digits: &str, index: u32| digits.chars().nth(index as usize);
        Some([
            digit("１２３４５６７８９", file)?,
            digit("一二三四五六七八九", rank)?,
        ])
    };
    match square() {
        Some(square) => mv.japanese.replacen('同', &String::from_iter(square), 1),
        None => mv.japanese.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_have_the_words_that_guis_know() {
        let text = |usi: &str, japanese: &str| MoveText {
            usi: usi.to_owned(),
            japanese: japanese.to_owned(),
        };
        let mut view = PositionView {
            plies: 1,
            sfen: String::new(),
            side: Color::White,
            played: None,
            best: text("3c3d", "△３四歩(33)"),
            score: Some(Kind::Cp(-25)),
            win_rate: Some(0.49),
            is_calibrated: true,
            depth: 14,
            line: vec![text("3c3d", "△３四歩(33)"), text("2g2f", "▲２六歩(27)")],
            votes: vec![
                (text("3c3d", "△３四歩(33)"), 2),
                (text("8c8d", "△８四歩(83)"), 2),
            ],
            voters: Vec::new(),
            loss: None,
        };
        assert_eq!(
            of(&view),
            [
                "#評価値=25",
                "#読み筋=△３四歩(33)▲２六歩(27)",
                "#深さ=14",
                "#エンジン=Monju",
                "先手の勝率 51.0%",
                "合議 △３四歩(33) 2票、△８四歩(83) 2票（意見が割れた）",
            ]
        );
        // The parser of ShogiHome does not know the move before the line.
        view.line = vec![text("3a2b", "△同銀(31)"), text("P*2b", "▲同歩打")];
        assert_eq!(of(&view)[1], "#読み筋=△２二銀(31)▲同歩打");
        view.score = Some(Kind::Mate(7));
        assert_eq!(of(&view)[0], "#詰み=後手勝ち:7手");
        view.score = Some(Kind::Mate(-4));
        assert_eq!(of(&view)[0], "#詰み=先手勝ち:4手");
        view.score = Some(Kind::MateOfUnknownLength(true));
        assert_eq!(of(&view)[0], "詰み（手数不明）、後手勝ち");
    }
}
