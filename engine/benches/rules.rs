//! Speed of move generation and make/unmake beside the crates `haitaka` and `rsshogi`, in one process.
//!
//! `cargo bench -p monju-engine --bench rules` prints nodes per second and the ratio to the faster of
//! the two crates, as medians over rounds in which the three take turns. `--quick` lowers the depths.

use monju_engine::{
    Position,
    rules::{perft, perft_every_leaf},
};
use std::time::Instant;

/// Names, positions, depths, and the numbers of lines of that depth and of one ply less.
const POSITIONS: [(&str, &str, u32, [u64; 2]); 2] = [
    (
        "startpos",
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        5,
        [19_861_490, 719_731],
    ),
    (
        "many drops",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        4,
        [516_925_165, 4_809_015],
    ),
];
const ROUNDS: usize = 3;

fn haitaka_perft<const BULK: bool>(board: &haitaka::Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    let mut visit = |moves: haitaka::PieceMoves| {
        if BULK && depth == 1 {
            nodes += moves.into_iter().len() as u64;
        } else {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                nodes += haitaka_perft::<BULK>(&child, depth - 1);
            }
        }
        false
    };
    board.generate_board_moves(&mut visit);
    board.generate_drops(&mut visit);
    nodes
}

fn rsshogi_perft<const BULK: bool>(position: &mut rsshogi::board::Position, depth: u32) -> u64 {
    use rsshogi::board::{Move32List, generate_legal_all_move32};
    if depth == 0 {
        return 1;
    }
    let mut moves = Move32List::new();
    generate_legal_all_move32(position, &mut moves);
    if BULK && depth == 1 {
        return moves.len() as u64;
    }
    let mut nodes = 0;
    for &mv in moves.iter() {
        position.apply_move32(mv);
        nodes += rsshogi_perft::<BULK>(position, depth - 1);
        // SAFETY: the move is the one that was applied last.
        unsafe { position.undo_move32_unchecked(mv) };
    }
    nodes
}

/// Returns the nodes and the million nodes per second.
fn speed(run: impl FnOnce() -> u64) -> (u64, f64) {
    let start = Instant::now();
    let nodes = run();
    (nodes, nodes as f64 / start.elapsed().as_secs_f64() / 1e6)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn compare(title: &str, expected: u64, mut run: [Box<dyn FnMut() -> u64 + '_>; 3]) {
    let mut speeds = [const { Vec::new() }; 3];
    let mut ratios = Vec::new();
    let mut counts = [0; 3];
    for _ in 0..ROUNDS {
        for ((run, speeds), count) in run.iter_mut().zip(&mut speeds).zip(&mut counts) {
            let (nodes, million) = speed(run);
            *count = nodes;
            speeds.push(million);
        }
        let last = |index: usize| speeds[index][speeds[index].len() - 1];
        ratios.push(last(0) / last(1).max(last(2)));
    }
    assert!(
        counts == [expected; 3],
        "{title}: the three count {counts:?}, not {expected}"
    );
    let [monju, haitaka, rsshogi] = speeds.map(|mut speeds| median(&mut speeds));
    println!(
        "{title:32} monju {monju:8.1}  haitaka {haitaka:8.1}  rsshogi {rsshogi:8.1} M/s  \
         ratio to the faster {:.2}",
        median(&mut ratios)
    );
}

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    for (name, sfen, depth, counts) in POSITIONS {
        let depth = depth - u32::from(quick);
        let expected = counts[usize::from(quick)];
        let mut ours = Position::from_sfen(sfen).expect("legal position");
        let haitaka: haitaka::Board = sfen.parse().expect("legal position");
        let mut rsshogi = rsshogi::board::Position::from_sfen(sfen).expect("legal position");
        let mut other = rsshogi.clone();
        let mut again = ours.clone();
        compare(
            &format!("{name}, depth {depth}, bulk"),
            expected,
            [
                Box::new(|| perft(&mut ours, depth)),
                Box::new(|| haitaka_perft::<true>(&haitaka, depth)),
                Box::new(|| rsshogi_perft::<true>(&mut rsshogi, depth)),
            ],
        );
        compare(
            &format!("{name}, depth {depth}, every leaf"),
            expected,
            [
                Box::new(|| perft_every_leaf(&mut again, depth)),
                Box::new(|| haitaka_perft::<false>(&haitaka, depth)),
                Box::new(|| rsshogi_perft::<false>(&mut other, depth)),
            ],
        );
    }
}
