//! The views as an aligned table.

use super::decided::Decided;
use crate::text_table::{Align, align};
use monju_engine::counted;
use monju_page::view::{PositionView, is_calibrated};
use monju_proto::v1::score::Kind;
use std::fmt::Write;

const HEADINGS: [&str; 8] = [
    "moves",
    "played",
    "",
    "council",
    "votes",
    "for Black",
    "win rate",
    "",
];

const SIDES: [Align; 8] = {
    use Align::{Left, Right};
    [Right, Left, Left, Left, Right, Right, Right, Left]
};

/// Returns the table, what its marks mean, and the positions that the rules decide.
pub fn render(views: &[PositionView], decided: &[Decided]) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
    rows.extend(views.iter().map(|view| row(view).to_vec()));
    let mut text = String::new();
    align(&mut text, &SIDES, &rows);
    let divided = views.iter().filter(|view| view.is_divided()).count();
    let _ = writeln!(
        text,
        "\n{}, divided in {divided}; ? and ?? cost 10 and 20 points of win rate",
        counted(views.len(), "position")
    );
    if !is_calibrated(views) {
        text.push_str(
            "win rates are not calibrated: 1 / (1 + exp(-score / 600)); see 'monju calibrate'\n",
        );
    }
    for (plies, by) in decided {
        let moves = counted(plies, "move");
        let _ = writeln!(text, "decided by the rules after {moves}: {by}");
    }
    text
}

fn row(view: &PositionView) -> [String; 8] {
    let score = match (view.score, view.score_of_black()) {
        (Some(Kind::Mate(plies)), Some(black)) => {
            format!("mate {:+}", plies.abs() * black.signum())
        }
        (Some(Kind::MateOfUnknownLength(_)), Some(black)) => match black > 0 {
            true => "mate +".to_owned(),
            false => "mate -".to_owned(),
        },
        (_, Some(black)) => format!("{black:+}"),
        (_, None) => "-".to_owned(),
    };
    let rate = view.win_rate_of_black();
    [
        view.plies.to_string(),
        view.played
            .as_ref()
            .map_or("-".to_owned(), |mv| mv.japanese.clone()),
        view.mark().to_owned(),
        view.best.japanese.clone(),
        format!("{}/{}", view.votes_for_best(), view.all_votes()),
        score,
        rate.map_or("-".to_owned(), |rate| format!("{:.0}%", 100.0 * rate)),
        match view.is_divided() {
            true => "divided".to_owned(),
            false => String::new(),
        },
    ]
}
