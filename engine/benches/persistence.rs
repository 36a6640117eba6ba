//! Nodes saved by keeping the entries of the transposition table from search to search (paper 004,
//! section 5).
//!
//! `cargo bench -p monju-engine --bench persistence -- [--depth N] [--moves N] [--positions N]`
//! plays games from middlegame positions at a fixed depth. Each position is searched by a player that
//! keeps its table and by one that does not, and the nodes of both are printed. A player searches
//! every second position, as in a game. The result is deterministic.

use monju_engine::{Answer, Control, Game, Limits, Player, PlayerSettings, bench::MIDDLEGAME};

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

fn player(table_persistence: i32) -> Player {
    let settings = PlayerSettings {
        search: format!("table_persistence={table_persistence}")
            .parse()
            .expect("a search option"),
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
    // For each side, one player that keeps its table and one that does not.
    let mut players = [0, 1].map(|_| [player(1), player(0)]);
    let mut total = [0; 2];
    for sfen in MIDDLEGAME.into_iter().take(positions) {
        let mut game = Game::from_usi(sfen).expect("a good position");
        for pair in &mut players {
            for player in pair {
                player.new_game(0);
            }
        }
        let mut nodes = [0; 2];
        for ply in 0..moves {
            let pair = &mut players[ply as usize % 2];
            let mut answers = [Answer::Resign; 2];
            for (at, player) in pair.iter_mut().enumerate() {
                let outcome = player.think(&game, &limits, &Control::new(), &mut |_| ());
                answers[at] = outcome.answer;
                // The first search of each side has no earlier entries.
                nodes[at] += if ply < 2 { 0 } else { outcome.line.nodes };
            }
            let Answer::Move(mv) = answers[0] else { break };
            game.play(mv).expect("a legal move");
        }
        println!(
            "{:>10} nodes kept {:>10} forgotten  {sfen}",
            nodes[0], nodes[1]
        );
        total[0] += nodes[0];
        total[1] += nodes[1];
    }
    println!(
        "{} nodes with entries kept, {} without: {:.1} % saved",
        total[0],
        total[1],
        100.0 * (1.0 - total[0] as f64 / total[1] as f64)
    );
}
