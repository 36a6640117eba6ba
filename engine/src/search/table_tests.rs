//! The transposition table helps from search to search, and its bounds are true.

use super::{
    limits::{Control, Limits},
    memory::SearchMemory,
    options::{SearchChoices, SearchOptions},
    search_value::TranspositionTable,
    start::{PlayersNoise, search},
    value::{DECIDED, Value},
};
use crate::{
    eval::{Material, MaterialValues, MaterialWeights, Noise},
    rules::Game,
    search::{Bound, Line, Score},
};
use std::sync::Arc;

type Memory = SearchMemory<Material, Value>;

const MIDDLEGAMES: [&str; 3] = [
    "ln1gk1snl/6gb1/p2p1pppp/1rP1p4/9/1SpP1P3/PP2PSP1P/2GS3R1/LN2KG1NL b Pbp 55",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
];

fn memory(options: &str) -> Memory {
    let evaluator = Material::new(Arc::new(MaterialWeights::new(&MaterialValues::flat())));
    let choices: SearchChoices = options.parse().expect("search options");
    let options = choices.over(SearchOptions::default());
    SearchMemory::new(4, 1, &evaluator, options).expect("megabytes")
}

/// Searches the position of a game to a depth.
fn searched(memory: &mut Memory, game: &Game, depth: u32) -> Line {
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let control = Control::new();
    control.apply(&limits);
    let noise = Noise::new(0.0, 0).expect("no noise");
    let players = PlayersNoise {
        evaluations: &noise,
        leaves: None,
        count: 1,
    };
    let moves = game.legal_moves();
    search(
        game,
        &moves,
        &limits,
        &control,
        memory,
        players,
        &mut |_| (),
    )
}

#[test]
fn a_table_that_is_kept_saves_nodes_in_the_next_search() {
    // A search of the same position to the same depth begins at depth 1 again. Without pruning, the entries do
    // not change the shape of its tree.
    let plain = SearchChoices::plain().to_string();
    let nodes = |table: &str| -> u64 {
        let mut memory = memory(&plain.replace("table=0", table));
        let games = MIDDLEGAMES.iter().map(|start| {
            memory.clear();
            let game = Game::from_usi(start).expect("a position");
            searched(&mut memory, &game, 3);
            searched(&mut memory, &game, 3).nodes
        });
        games.sum()
    };
    let (kept, forgotten) = (nodes("table=1"), nodes("table=1,table_persistence=0"));
    assert!(kept * 2 < forgotten, "{kept} nodes, {forgotten} without");
}

/// Returns the games after each move.
fn children(game: &Game) -> Vec<Game> {
    let after = |mv| {
        let mut child = game.clone();
        child.play(mv).expect("legal");
        child
    };
    game.legal_moves().into_iter().map(after).collect()
}

/// Without pruning, the value of a position is that of its minimax tree, whatever the table holds: each
/// entry has to agree with a search without a table.
#[test]
fn the_bounds_in_the_table_are_true() {
    let plain = format!("{},mate_in_one=0,mate_distance=0", SearchChoices::plain());
    let with_table = plain.replace("table=0", "table=1");
    let mut exact = memory(&plain);
    let mut kinds = [0; 3];
    for start in MIDDLEGAMES {
        let game = Game::from_usi(start).expect("a position");
        let mut memory = memory(&with_table);
        searched(&mut memory, &game, 3);
        // Upper bounds are two plies away.
        let near = children(&game);
        let far = near.iter().flat_map(children);
        for child in near.iter().cloned().chain(far) {
            let Some(entry) = memory.table.get(child.position().key()) else {
                continue;
            };
            if entry.depth < 1 || entry.value.abs() >= DECIDED {
                continue;
            }
            exact.clear();
            let Score::Cp(truth) = searched(&mut exact, &child, entry.depth as u32).score else {
                continue;
            };
            let (is_true, kind) = match entry.bounds {
                Bound::Exact => (entry.value == truth, 0),
                Bound::Lower => (entry.value <= truth, 1),
                Bound::Upper => (entry.value >= truth, 2),
            };
            let depth = entry.depth;
            assert!(
                is_true,
                "{}: {:?} {}, not {truth} at {depth}",
                child.to_usi(),
                entry.bounds,
                entry.value
            );
            kinds[kind] += 1;
        }
    }
    let compared: i32 = kinds.iter().sum();
    assert!(compared > 60 && !kinds.contains(&0), "{kinds:?}");
}
