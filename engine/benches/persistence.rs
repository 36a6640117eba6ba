//! Nodes saved by the extensions of the transposition table of Hosoe et al., section 4, as their section 5 counts them.
//!
//! `cargo bench -p monju-engine --bench persistence -- [--depth N] [--moves N] [--positions N] [--plain]`
//! plays games from middlegame positions at a fixed depth. Each position is searched by three players: one
//! with the table of today, one that forgets it before every search, and, with `--plain`, one whose table is
//! that before the paper's four extensions: it is forgotten, holds exact values alone and orders no moves.
//! A player searches every second position, as in a game. `--plain` leaves out pruning and reductions, as
//! the paper does at depth 3; with them, a table changes the tree. The result is deterministic.

use monju_engine::{
    Answer, Control, Game, Limits, Player, PlayerSettings, SearchChoices, bench::MIDDLEGAME,
};

/// Returns the number after an option, or `default`.
fn option(name: &str, default: u32) -> u32 {
    let arguments: Vec<String> = std::env::args().collect();
    let at = arguments.iter().position(|argument| argument == name);
    at.map_or(default, |at| {
        let text = arguments.get(at + 1).map_or("", String::as_str);
        text.parse()
            .unwrap_or_else(|_| panic!("{name} takes a number, not '{text}'"))
    })
}

/// Options of the three players, beside those of the plain search.
const TABLES: [&str; 3] = [
    "table=1",
    "table=1,table_persistence=0",
    "table=2,table_persistence=0",
];

fn player(table: &str, is_plain: bool) -> Player {
    let plain = match is_plain {
        // The plain search has no table.
        true => format!("{},", SearchChoices::plain()).replace("table=0,", ""),
        false => String::new(),
    };
    let settings = PlayerSettings {
        search: format!("{plain}{table}").parse().expect("search options"),
        ..PlayerSettings::default()
    };
    Player::new(settings).expect("good settings")
}

fn main() {
    let limits = Limits {
        depth: Some(option("--depth", 12)),
        ..Limits::default()
    };
    let moves = option("--moves", 20);
    let positions = option("--positions", MIDDLEGAME.len() as u32) as usize;
    let is_plain = std::env::args().any(|argument| argument == "--plain");
    let tables = &TABLES[..2 + usize::from(is_plain)];
    // The players of each side.
    let mut players =
        [0, 1].map(|_| Vec::from_iter(tables.iter().map(|table| player(table, is_plain))));
    let mut total = vec![0; tables.len()];
    for sfen in MIDDLEGAME.into_iter().take(positions) {
        let mut game = Game::from_usi(sfen).expect("a good position");
        for player in players.iter_mut().flatten() {
            player.new_game(0);
        }
        let mut nodes = vec![0; tables.len()];
        for ply in 0..moves {
            let mut answers = Vec::new();
            for (player, nodes) in players[ply as usize % 2].iter_mut().zip(&mut nodes) {
                let outcome = player.think(&game, &limits, &Control::new(), &mut |_| ());
                answers.push(outcome.answer);
                // The first search of each side has no earlier entries.
                *nodes += if ply < 2 { 0 } else { outcome.line.nodes };
            }
            let Answer::Move(mv) = answers[0] else { break };
            game.play(mv).expect("a legal move");
        }
        println!("{}  {sfen}", described(&nodes));
        for (sum, nodes) in total.iter_mut().zip(nodes) {
            *sum += nodes;
        }
    }
    println!("{}  in total", described(&total));
}

/// Returns the nodes of each player, with the part that the first one saves.
fn described(nodes: &[u64]) -> String {
    let texts = nodes
        .iter()
        .zip(["kept", "forgotten", "before"])
        .map(|(&of, name)| {
            let saved = 100.0 * (1.0 - nodes[0] as f64 / of as f64);
            format!("{of:>10} {name} ({saved:.1} % saved)")
        });
    texts.collect::<Vec<_>>().join("")
}
