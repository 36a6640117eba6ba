//! The report in JSON.

use super::findings::{CellFindings, Findings};
use crate::{record::MatchSide, statistics::GameTally, unix_time::milliseconds};
use serde_json::{Map, Value, json};

/// Writes one object with the keys
///
/// - `name`, `title`, `seed` and `specification` of the file of the report;
/// - `origins[]`: seeds and specifications of the games, `null` where they were not written down;
/// - `builds[]`: builds with the numbers of their games;
/// - `sources[]`: versions and commits with the numbers of their games, `null` where they were not written down;
/// - `plans[]`: plans, base cells and stopping rules by which it was played, with the moments of their first runs and
///   the games that were finished by then; the base is empty for none, and `null` where it was not written down;
/// - `machines[]`: machines with the numbers of their games and the ends of the first and the last, in
///   milliseconds since 1970, `null` where they were not written down;
/// - `base`: the cells with which the others are compared, by the label or by some parameters; left out without one;
/// - `absent[]`: cells that are not in the file, with the numbers of their games; left out without any;
/// - `stop`: the sequential test that ends cells;
/// - `cells[]`: the findings of every cell, with its `base` where not all have the same.
pub fn json(report: &Findings<'_>) -> Value {
    let specification = report.specification;
    let with_base = |cell: &CellFindings<'_>| {
        let mut value = cell_json(cell);
        if let Some(label) = cell.base_of_its_own(specification) {
            value["base"] = json!(label);
        }
        value
    };
    let cells: Vec<Value> = report.cells.iter().map(with_base).collect();
    let mut report_json = json!({
        "name": specification.name,
        "title": specification.title,
        "seed": specification.seed,
        "specification": specification.hash,
        "origins": report.origins.iter().map(|(origin, games)| json!({
            "seed": origin.as_ref().map(|origin| origin.seed),
            "specification": origin.as_ref().map(|origin| &origin.specification),
            "games": games,
        })).collect::<Vec<_>>(),
        "builds": report.builds.iter().map(|(build, games)| json!({
            "build": build,
            "games": games,
        })).collect::<Vec<_>>(),
        "sources": report.sources.iter().map(|(source, games)| json!({
            "source": source,
            "games": games,
        })).collect::<Vec<_>>(),
        "plans": report.plans.iter().map(|plan| json!({
            "since_unix_ms": milliseconds(plan.since),
            "finished_games": plan.finished,
            "planned_games": plan.planned.usual,
            "planned_games_in": plan.planned.in_cells,
            "cells": plan.cells,
            "base": plan.base,
            "stop": plan.stop,
            "specification": plan.specification,
        })).collect::<Vec<_>>(),
        "machines": report.machines.iter().map(|(machine, share)| {
            let known = |time| machine.as_ref().map(|_| milliseconds(time));
            json!({
                "machine": machine,
                "first_unix_ms": known(share.first),
                "last_unix_ms": known(share.last),
                "games": share.games,
            })
        }).collect::<Vec<_>>(),
        "stop": specification.stop.map(|sprt| json!({
            "model": sprt.model.name(),
            "elo0": sprt.elo0,
            "elo1": sprt.elo1,
            "alpha": sprt.alpha,
            "beta": sprt.beta,
            "minimum_pairs": sprt.minimum_pairs,
        })),
        "cells": cells,
    });
    if let Some(base) = &specification.report.base {
        report_json["base"] = json!(base);
    }
    if !report.absent.is_empty() {
        let absent = report.absent.iter().map(|(label, games)| {
            json!({
                "label": label,
                "games": games,
            })
        });
        report_json["absent"] = absent.collect();
    }
    report_json
}

fn cell_json(cell: &CellFindings<'_>) -> Value {
    let parameters: Map<String, Value> = cell
        .cell
        .parameters
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    let score = |score: &GameTally| json!({ "wins": score.wins, "draws": score.draws, "losses": score.losses });
    let effort = |side: MatchSide| {
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
            "planned": cell.cell.pairs,
            "finished": cell.pairs.pairs(),
            "leased": standing.leased,
            "given_up": cell.counted.given_up,
            "by_half_points": cell.pairs.0,
        },
        "games_without_say": cell.without_say,
        "games_of_other_settings": cell.other_games,
        "specification": cell.cell.hash,
        "adjudication": cell.cell.adjudication,
        "builds": cell.builds.iter().map(|(build, games)| json!({
            "build": build,
            "games": games,
        })).collect::<Vec<_>>(),
        "score": score(&cell.score),
        "as_black": score(&cell.by_colour[0]),
        "as_white": score(&cell.by_colour[1]),
        "win_rate": cell.score.win_rate(),
        "own_opponent": cell.cell.is_own_opponent(),
        "wilson95": cell.interval.map(|interval| [interval.low, interval.high]),
        "stars": cell.stars.to_string(),
        "normal_p": cell.test.map(|test| test.normal_p),
        "exact_p": cell.test.map(|test| test.exact_p),
        "holm_p": cell.test.map(|test| test.holm_p),
        "elo": cell.elo.map(|elo| json!({
            "elo": elo.elo,
            "interval95": elo.interval.map(|interval| [interval.low, interval.high]),
            "superiority": elo.superiority,
        })),
        "compared_with_base": cell.comparison.map(|compared| json!({
            "difference": compared.difference,
            "interval95": [compared.interval.low, compared.interval.high],
            "z": compared.z,
            "p": compared.p,
            "exact": compared.is_exact,
            "holm_p": compared.holm_p,
            "stars": compared.stars.to_string(),
        })),
        "paired_with_base": cell.paired.map(|paired| json!({
            "pairs": paired.pairs,
            "difference": paired.difference,
            "interval95": paired.interval.map(|interval| [interval.low, interval.high]),
            "p": paired.p,
            "holm_p": paired.holm_p,
        })),
        "verdict": cell.verdict_word(),
        "sprt": cell.counted.ratio.map(|ratio| json!({
            "llr": ratio.value,
            "bounds": [ratio.lower, ratio.upper],
            "pairs": cell.counted.seen,
        })),
        "endings": cell.endings,
        "different_games": cell.different.different,
        "most_repeated_game": cell.different.most_often,
        "mean_plies": cell.mean_plies(),
        "effort": { "first": effort(MatchSide::First), "second": effort(MatchSide::Second) },
        "incidents": cell.incidents.iter().map(|incident| json!({
            "pair": incident.pair,
            "game": incident.game,
            "cause": incident.cause,
            "side": incident.side.map(MatchSide::name),
            "detail": incident.detail,
            "stall_ms": incident.stall.map(|stall| stall.as_millis() as u64),
        })).collect::<Vec<_>>(),
        "published": cell.published,
        "published_moves": cell.published_moves,
    })
}
