//! How much faster one player becomes with two threads.
//!
//! `cargo bench -p monju-engine --bench threads -- [--depth N] [--threads N] [--positions N]`
//! searches 24 middlegame positions to a fixed depth with one thread and with several in turn, and
//! prints the ratio of nodes per second and the speed-up of the time to depth as geometric means.
//! The machine should be idle: a core that something else uses is a thread that waits. The nodes
//! of one thread are the signature of the search, the same on every machine.

use monju_engine::{Control, Game, Limits, Player, PlayerSettings};
use std::time::{Duration, Instant};

/// 36 plies into the game, from a book of balanced openings.
const POSITIONS: [&str; 24] = [
    "l3k1snl/3g2gb1/2nspp1p1/prpp2p2/8p/P1P2PP2/1P1PPSN1P/1BG1KG3/LNS4RL b Pp 37",
    "lr2k2nl/4g1g2/2ns1sbp1/p1ppppp1p/1p5P1/P1PP1PP1P/1PBSPSN2/2GKG4/LN5RL b - 37",
    "ln5nl/2gsksg2/p1ppppp1p/9/4+B1P2/P6r1/3PPP2P/1SGK3P1/LN3GSNL b B2Pr2p 37",
    "l6nl/3gk1gs1/p1nspp1p1/2pp2p1p/Pr7/2P2PPRP/1P1PP1N2/2GK2S2/LNS2G2L b BPbp 37",
    "l4k1nl/1r1sg1g2/p1n2psp1/2pbp1p2/1p1p1P1Pp/P1P1PSP2/1PSP2N1P/2G1G2R1/LNBK4L b - 37",
    "ln5nl/1sgkg2r1/pp1pps2p/2p2pp2/9/1RPS2P1P/P2PPP1P1/3G2GS1/LN2K2NL b BPbp 37",
    "l3k2nl/1r1g2g2/2ns1sbp1/p1ppppp1p/1p5P1/P1PP1PP1P/1PBSPSN2/2G1G2R1/LNK5L b - 37",
    "ln5nl/1pgsk1g2/p1pppp2p/7r1/6s2/3P5/P1NSPPP1P/2G1K1GP1/LR4SNL b B2Pb2p 37",
    "l5knl/1r2g1g2/p1n1psbp1/2ppspp1p/Pp5P1/2PPP1P1P/1PBSSPN2/2GKG2R1/LN6L b - 37",
    "lnsg2g1l/1p2ks3/p1ppppnpp/6p2/9/P8/2NPPPP1P/1SG1K1S2/L4G1NL b RB2Prbp 37",
    "l6nl/1r1kg1g2/2nspsbpp/p1pp1pp2/1p7/P1P1S2P1/1PSPP1P1P/2G1G2R1/LNK1B2NL b P 37",
    "ln2k1snl/1r2g1g2/3sp2p1/p1pp1pp1p/9/P1P2PP1P/1P1PPSN2/1SG1G2R1/LN2K3L b BPbp 37",
    "ln2k2nl/1r2g1g2/3pp1spp/p1ps1p3/6SPP/1pP6/PPSPPP3/2G4R1/LN2KG1NL b BPbp 37",
    "l2g3nl/2s1k1gs1/2nppp1pp/1r4p2/2P6/p4PS1P/PP1PP1P2/2GKG2R1/LNS4NL b B2Pbp 37",
    "l4gknl/1r2g1sb1/p1n1p2p1/2pps1p1p/1p3p3/2PPP1P1P/PPSG1PN2/1BG1KS1R1/LN6L b P 37",
    "l4gknl/3rg1sb1/p1n1pp1p1/2pps1p2/1p6p/P1PPP1P2/1PSG1PN1P/1BG1KS1R1/LN6L b P 37",
    "l4gknl/3rg1s2/p1n1ppbp1/2p3p1p/1p1s3P1/P1P1P1P1P/1PSG1PN2/2G1KS1R1/LNB5L b Pp 37",
    "lr1g2snl/2s2kgb1/2nppp1p1/p1p3p1p/9/P1P3P1P/3PPPS2/1BGKG2R1/LNS4NL b 2Pp 37",
    "l2g2snl/2s1k1g2/p1nppp1pp/r5p2/1Pp6/P2b1P3/1GN1P1P1P/1BSKGS1R1/L6NL b P3p 37",
    "ln6l/1pgsk1g2/p2pppn1p/2p2sp2/9/2PPPP1r1/P3G1P1P/1R1S1SGP1/LN2K2NL b BPbp 37",
    "l2g3nl/1r2k1gs1/p1nsppbpp/2pp2p2/1p4P2/P1P4SP/1P1PPP3/1SG1K2R1/LN3G1NL b Bp 37",
    "l5knl/1r2g1gb1/p1ns1p1p1/1ppppspRp/9/P1PPPSP2/1PS2PN1P/1BG1G4/LN1K4L b P 37",
    "l6nl/1r1sg1gk1/p1np2sp1/1ppbppp2/7Pp/P1PPPBP2/1PSG1PS1P/2G4R1/LNK4NL b - 37",
    "ln3k1nl/2r1gsgb1/p2p1p1pp/1sP1p4/9/3S5/PP1PPPP1P/1BG4R1/LN1K1GSNL b 3Pp 37",
];

/// The number after an option, or `default`.
fn option(name: &str, default: u32) -> u32 {
    let arguments: Vec<String> = std::env::args().collect();
    let at = arguments.iter().position(|argument| argument == name);
    at.map_or(default, |at| {
        let text = arguments.get(at + 1).map_or("", String::as_str);
        text.parse()
            .unwrap_or_else(|_| panic!("{name} takes a number, not '{text}'"))
    })
}

fn player(threads: usize) -> Player {
    let settings = PlayerSettings {
        hash_mib: 256,
        threads,
        ..PlayerSettings::default()
    };
    Player::new(settings).expect("valid settings")
}

/// Nodes and time of one search with an empty table.
fn search(player: &mut Player, sfen: &str, depth: u32) -> (u64, Duration) {
    let game = Game::from_usi(sfen).expect("legal position");
    player.new_game(0);
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let start = Instant::now();
    let outcome = player.think(&game, &limits, &Control::new(), &mut |_| ());
    (outcome.line.nodes, start.elapsed())
}

fn geometric_mean(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (sum / values.len() as f64).exp()
}

fn main() {
    let depth = option("--depth", 14);
    let threads = option("--threads", 2) as usize;
    let count = option("--positions", POSITIONS.len() as u32) as usize;
    let (mut one, mut many) = (player(1), player(threads));
    let (mut speeds, mut times) = (Vec::new(), Vec::new());
    let (mut signature, mut alone, mut together) = (0, Duration::ZERO, Duration::ZERO);
    for sfen in POSITIONS.iter().take(count) {
        let (nodes, time) = search(&mut one, sfen, depth);
        let (nodes_together, time_together) = search(&mut many, sfen, depth);
        let speedup = time.as_secs_f64() / time_together.as_secs_f64();
        let extra = nodes_together as f64 / nodes as f64;
        println!(
            "{:6.2} s {nodes:10} nodes  {:6.2} s {nodes_together:10} nodes  nodes/s x {:.2}  \
             nodes x {extra:.2}  time to depth x {speedup:.2}",
            time.as_secs_f64(),
            time_together.as_secs_f64(),
            speedup * extra,
        );
        signature += nodes;
        alone += time;
        together += time_together;
        speeds.push(speedup * extra);
        times.push(speedup);
    }
    println!(
        "depth {depth}: 1 thread {signature} nodes in {:.1} s; {threads} threads {:.1} s; geometric \
         means: nodes/s x {:.3}, nodes x {:.3}, time to depth x {:.3}",
        alone.as_secs_f64(),
        together.as_secs_f64(),
        geometric_mean(&speeds),
        geometric_mean(&speeds) / geometric_mean(&times),
        geometric_mean(&times),
    );
}
