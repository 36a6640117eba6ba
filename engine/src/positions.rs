//! Positions for measurements and tests.

/// The positions of the benchmark, as SFEN: the start position and the positions by which other
/// engines are measured. These are the benchmark of Apery, the problems that once broke the GPSShogi
/// cluster, and the benchmark of YaneuraOu, each position once, as in
/// `tests/data/problems/bench_positions.tsv`.
pub const POSITIONS: [&str; 24] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9",
    "ln1Rnk1s1/5g3/p2p3pp/2psp1p2/5S1P1/1SP3P1P/PP1PP4/4KG3/L+p+r5L b B2GNPbnlp 71",
    "1n3gknl/5g1np/3+B1g3/3Bp1pp+S/5p2N/3PP1PS1/+l1+s1gPK2/+r1P2R3/2L5L w S3P5p 126",
    "l5knl/7b1/p3pg1gp/1pr3Pp1/5pS2/1PpGP4/2gpBPS1P/4K2R1/LN5NL w 2Sn5p 74",
    "l2g1p1+Rl/3Sgk3/2Ssp1n1p/pRpp2P2/1N4p2/1BP1PP3/PP1g4P/Lpg6/K3N2NL b S3Pb 99",
    "+P5R+Sl/3sG3k/p1np2g2/4pp1rp/2p3p2/3GPG2P/P1BP1lN2/3S1KPp1/LNs5L b BNP3p 89",
    "ln2Rg3/5rksl/p1p4pp/1p2pPp2/9/2Pp5/PP2P1PPP/4G3L/LN4SNK b 2GNP2b2sp 67",
    "ln3k2l/1rb1g1G2/p3ps+RPp/2pS1N3/5pS1P/2PP2p2/PP2PP3/1GK3G2/LN3b2L w SN2P2p 102",
    "lnB4+R1/k1sg5/1ppg4p/p2p2p2/5p3/P1P3P1P/1P3P3/LSS1+p+r3/KN1G3NL b NLPbgs3p 79",
    "ln5nl/1r1s1s1k1/p3p2pp/2P2pp2/3png3/1PGPG4/P1G2PPPP/2KR5/s4b1NL w SL3Pb 92",
    "k1g1R2nl/ls5b1/ppN1+N2pp/3g2p2/P1Pp5/2SG1PPP1/1SB5P/KG2r+p3/LN1s4L w 4Pp 88",
    "l1+NB2p+R1/1SSp5/1p2+b3+P/k1G1p4/pgll1p3/2p1P4/PP1P1P3/LSG3+r2/K1G5+p w S2P3n2p 132",
    "4+P+P3/1+LK1+P+R3/G+N+P+P1+B+B2/9/1+N2+p4/1+p1+p+pp+s+p1/1+p+p+s+p+p+s+n1/1k1+s+p+l+l2/2+p+r1+n3 b 3GLP 1",
    "1K7/+P2+P5/1+LS+P+N+P3/P1p1L1N2/5+b1p1/6n2/1g+r+p+p+p+b2/2+sk1+l3/+rs2P4 w GS2gnl7p 210",
    "1K7/+P2+P5/1+LS+P+N+P3/P1p1L1N2/5+b3/6np1/1g+r+p+p+p+b2/2+sk1+l3/+rs2P4 b GS2gnl7p 211",
    "ln5nl/3r2gk1/1+B1p1g1pp/2p1pp3/1p4pNP/2PPP1bP1/pPS1GPP2/2G4R1/1+lK5L b 2Ssnp 1",
    "ln4gnk/5rgsl/2bps4/p1p1ppppp/1p1P5/P1P1PPPPP/1PB1SGNS1/6GK1/LN1R4L b - 69",
    "ln4knl/2+P6/pr1+Pppsgp/6pp1/2p1S4/1s3P2P/Pp1SP1P2/2G1G2R1/LNK4NL b GP2b2p 57",
    "ln1gk1snl/6gb1/p2p1pppp/1rP1p4/9/1SpP1P3/PP2PSP1P/2GS3R1/LN2KG1NL b Pbp 55",
    "ln1gk1snl/6gb1/p2p1pppp/2P1p4/1r7/1SpP1P3/PP2PSP1P/2GS3R1/LN2KG1NL w Pbp 54",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
];

/// Middlegame positions after 36 plies, as SFEN, from a book of balanced openings. The speed-up by
/// threads is measured with them.
pub const MIDDLEGAME: [&str; 24] = [
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
