//! Everything, for programs.

use super::{CellReport, Report, markdown::verdict_word};
use crate::experiment::{record::Side, statistics::Score};
use serde_json::{Map, Value, json};

/// One object: `name`, `title`, `builds`, `cells[]`; `seed` and `specification` of the file that is
/// reported, and `origins[]`: by which the games were played (`null` where nobody wrote it down);
/// `stop`: the sequential test that ends cells.
pub fn json(report: &Report<'_>) -> Value {
    let specification = report.specification;
    let cells: Vec<Value> = report
        .cells
        .iter()
        .map(|cell| cell_json(report, cell))
        .collect();
    json!({
        "name": specification.name,
        "title": specification.title,
        "seed": specification.seed,
        "specification": specification.hash,
        "origins": report.origins.iter().map(|(origin, games)| json!({
            "seed": origin.as_ref().map(|origin| origin.seed),
            "specification": origin.as_ref().map(|origin| &origin.specification),
            "games": games,
        })).collect::<Vec<_>>(),
        "builds": report.builds,
        "stop": specification.stop.map(|sprt| json!({
            "model": sprt.model.name(),
            "elo0": sprt.elo0,
            "elo1": sprt.elo1,
            "alpha": sprt.alpha,
            "beta": sprt.beta,
        })),
        "cells": cells,
    })
}

fn cell_json(report: &Report<'_>, cell: &CellReport<'_>) -> Value {
    let parameters: Map<String, Value> = cell
        .cell
        .parameters
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    let score =
        |score: &Score| json!({ "wins": score.wins, "draws": score.draws, "losses": score.losses });
    let effort = |side: Side| {
        let effort = &cell.effort[side.index()];
        let variety: Map<String, Value> = effort
            .variety
            .0
            .iter()
            .map(|(moves, positions)| (moves.to_string(), json!(positions)))
            .collect();
        json!({
            "nodes": effort.nodes,
            "time_ms": effort.time_ms,
            "moves": effort.moves,
            "positions_by_different_moves": variety,
        })
    };
    let standing = &cell.standing;
    json!({
        "parameters": parameters,
        "first": cell.cell.first.name,
        "second": cell.cell.second.name,
        "pairs": {
            "planned": report.specification.pairs,
            "finished": cell.pairs.pairs(),
            "leased": standing.leased,
            "given_up": cell.counted.given_up,
            "by_half_points": cell.pairs.0,
        },
        "games_without_say": cell.without_say,
        "score": score(&cell.score),
        "as_black": score(&cell.by_colour[0]),
        "as_white": score(&cell.by_colour[1]),
        "win_rate": cell.score.win_rate(),
        "wilson95": [cell.interval.low, cell.interval.high],
        "stars": cell.stars.to_string(),
        "normal_p": cell.normal_p,
        "exact_p": cell.exact_p,
        "holm_p": cell.holm_p,
        "elo": cell.elo.map(|elo| json!({
            "elo": elo.elo,
            "interval95": elo.interval.map(|interval| [interval.low, interval.high]),
            "superiority": elo.superiority,
        })),
        "verdict": verdict_word(report, cell),
        "sprt": cell.counted.evidence.map(|evidence| json!({
            "llr": evidence.ratio,
            "bounds": [evidence.lower, evidence.upper],
            "pairs": cell.counted.seen,
        })),
        "endings": cell.endings,
        "mean_plies": cell.mean_plies(),
        "effort": { "first": effort(Side::First), "second": effort(Side::Second) },
        "incidents": cell.incidents.iter().map(|incident| json!({
            "pair": incident.pair,
            "game": incident.game,
            "cause": incident.cause,
            "side": incident.side.map(Side::name),
            "detail": incident.detail,
        })).collect::<Vec<_>>(),
        "published": cell.published,
        "published_moves": cell.published_moves,
    })
}
