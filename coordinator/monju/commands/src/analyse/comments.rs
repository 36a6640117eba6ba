//! The view as comments of a game record, with the words by which ShogiHome knows them.

use monju_engine::Color;
use monju_page::view::{MoveText, PositionView};
use monju_proto::v1::score::Kind;
use std::fmt::Write;

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
        Some(Kind::MateOfUnknownLength(mates)) => {
            lines.push(format!("#詰み={}", winner(mates)));
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
        let black = if view.is_handicap { "下手" } else { "先手" };
        lines.push(format!("{black}の勝率 {:.1}%", 100.0 * rate));
    }
    lines.push(votes(view));
    lines
}

/// Returns the council's move and the votes, those for this move first: it need not have most of them.
fn votes(view: &PositionView) -> String {
    let all = view.all_votes();
    let mut text = format!("合議の手 {}", view.best.japanese);
    if all > 0 {
        let _ = write!(text, " {}/{all}票", view.votes_for_best());
    }
    let others = view.votes.iter().filter(|(mv, _)| *mv != view.best);
    let others: Vec<String> = others
        .map(|(mv, votes)| format!("{} {votes}票", mv.japanese))
        .collect();
    if !others.is_empty() {
        let _ = write!(text, "、ほかに {}", others.join("、"));
    }
    if view.is_divided() {
        text.push_str("（意見が割れた）");
    }
    text
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
            is_handicap: false,
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
                "合議の手 △３四歩(33) 2/4票、ほかに △８四歩(83) 2票（意見が割れた）",
            ]
        );
        // A rule may decide for a move that most players did not vote for.
        view.best = text("8c8d", "△８四歩(83)");
        view.votes[0].1 = 3;
        view.is_handicap = true;
        assert_eq!(
            of(&view)[4..],
            [
                "下手の勝率 51.0%",
                "合議の手 △８四歩(83) 2/5票、ほかに △３四歩(33) 3票"
            ]
        );
        // Moves of the book have no votes.
        view.votes.clear();
        assert_eq!(of(&view)[5], "合議の手 △８四歩(83)");
        // The parser of ShogiHome does not know the move before the line.
        view.line = vec![text("3a2b", "△同銀(31)"), text("P*2b", "▲同歩打")];
        assert_eq!(of(&view)[1], "#読み筋=△２二銀(31)▲同歩打");
        view.score = Some(Kind::Mate(7));
        assert_eq!(of(&view)[0], "#詰み=後手勝ち:7手");
        view.score = Some(Kind::Mate(-4));
        assert_eq!(of(&view)[0], "#詰み=先手勝ち:4手");
        view.score = Some(Kind::MateOfUnknownLength(true));
        assert_eq!(of(&view)[0], "#詰み=後手勝ち");
    }
}
