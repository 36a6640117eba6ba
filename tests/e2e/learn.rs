//! `monju learn`: from game records to weights that a player searches with.

use monju_tests::{
    command::{complaint_of, json_of, output_of},
    data::data,
};
use std::fs;

/// Every command obeys its options and reads the files of the commands before it.
#[test]
fn game_records_become_weights_of_a_player() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (games, records, linear) = (at("games.sfen"), at("games.records"), at("linear.bin"));
    let openings = data("openings/taya_36ply.sfen");
    let openings: Vec<&str> = openings.lines().take(100).collect();
    fs::write(&games, openings.join("\n")).expect("written");

    let output = output_of(&["learn", "records", &games, "--output", &records]);
    assert!(output.starts_with("100 games with 3600 moves"), "{output}");

    let options = "--seed 5 --window 0 --steps 3 --batch 16 --depth 1 --rate 2 --width 50 \
                   --tolerance 100 --penalty 0 --threads 1";
    let mut learn = vec!["learn", "linear", "--games", &records, "--output", &linear];
    learn.extend(options.split(' '));
    learn.extend(["--measured", "20"]);
    let report = output_of(&learn);
    assert!(report.contains(options), "{report}");
    assert!(report.contains("on 20 held-out positions"), "{report}");
    learn.push("--resume");
    assert_eq!(output_of(&learn), report, "a finished training");

    let (data, evaluator) = (at("games.psv"), format!("linear:{linear}"));
    let options = "--positions 8000 --nodes 30 --sigma 7 --seed 3 --opening-plies 10 --random-plies 4 \
                   --maximum-plies 60 --decided-score 2000 --hash 1 --threads 2";
    let mut play = vec!["learn", "selfplay", "--output", &data];
    play.extend(["--evaluator", &evaluator, "--openings", &games]);
    play.extend(options.split_whitespace());
    output_of(&play);
    let recipe = fs::read_to_string(at("games.psv.recipe")).expect("a recipe");
    for line in [
        "nodes = 30",
        "sigma = 7",
        "seed = 3",
        "opening_plies = 10",
        "random_plies = 4",
        "maximum_plies = 60",
        "decided_score = 2000",
        "hash_mib = 1",
    ] {
        assert!(
            recipe.lines().any(|other| other == line),
            "{line}: {recipe}"
        );
    }

    let (material, network, nn_bin) = (at("material.txt"), at("network"), at("nn.bin"));
    output_of(&["learn", "material", &data, "--output", &material]);
    let mut train = vec![
        "learn", "nnue", &data, "--output", &network, "--nn-bin", &nn_bin,
    ];
    let options = "--architecture k-p --epochs 1 --batch 200 --rate 0.002 --lambda 0.7 --trace-decay 0.5 \
                   --scale 500 --seed 9 --threads 1";
    train.extend(options.split_whitespace());
    output_of(&train);
    let recipe = fs::read_to_string(at("network.recipe")).expect("a recipe");
    for line in [
        "epochs: 1,",
        "batch: 200,",
        "rate: 0.002,",
        "lambda: 0.7,",
        "trace_decay: 0.5,",
        "scale: 500.0,",
        "seed: 9,",
        "threads: 1,",
    ] {
        assert!(
            recipe.lines().any(|other| other.trim() == line),
            "{line}: {recipe}"
        );
    }

    let nodes = |evaluator: &str| {
        let arguments = ["bench", "--depth", "3", "--json", "--evaluator", evaluator];
        json_of(&arguments)["nodes"].as_u64().expect("a number")
    };
    let [own, foreign] = [&network, &nn_bin].map(|file| nodes(&format!("nnue:{file}")));
    assert_eq!(own, foreign, "both files hold the same network");
    assert_ne!(own, nodes("nnue"));
    assert_ne!(nodes(&evaluator), nodes("linear"));
    assert_ne!(nodes(&format!("material:{material}")), nodes("material"));

    let mistaken = format!("linear:{network}");
    let complaint = complaint_of(&["bench", "--depth", "1", "--evaluator", &mistaken]);
    assert!(complaint.contains(&network), "{complaint}");
}
