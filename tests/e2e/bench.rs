//! `monju bench`.

use monju_tests::{
    command::{complaint_of, json_of, output_of, refusal_of, without_times},
    data::data,
    foreign::fairy_stockfish,
};

#[test]
fn the_signature_is_the_same_every_time_and_the_sum_of_its_parts() {
    let arguments = ["bench", "--depth", "4", "--json"];
    let bench = json_of(&arguments);
    assert_eq!(
        without_times(bench.clone()),
        without_times(json_of(&arguments))
    );
    assert_eq!(bench["depth"], 4);
    assert!(bench["nps"].as_u64().is_some() && bench["time_ms"].as_u64().is_some());
    let positions = bench["positions"].as_array().expect("a list");
    assert_eq!(positions.len(), 24);
    let nodes = positions.iter().map(|position| position["nodes"].as_u64());
    let sum: u64 = nodes.map(|nodes| nodes.expect("a number")).sum();
    assert_eq!(bench["nodes"], sum);

    let output = output_of(&["bench", "--depth", "4"]);
    let last = output.lines().last().expect("a total");
    assert!(
        last.starts_with(&format!("{sum} nodes at depth 4 in ")),
        "{last}"
    );
    assert_eq!(output.lines().count(), 25);
}

#[test]
fn noise_is_another_search_that_its_seed_repeats() {
    let nodes = |seed| {
        let arguments = [
            "bench", "--depth", "4", "--json", "--sigma", "50", "--seed", seed,
        ];
        json_of(&arguments)["nodes"].as_u64().expect("a number")
    };
    assert_eq!(nodes("1"), nodes("1"));
    assert_ne!(nodes("1"), nodes("2"));
}

#[test]
fn lanes_can_have_their_noise_at_the_leaves() {
    let nodes = |model| {
        let lanes = ["--lanes", "4", "--depth", "4", "--positions", "2"];
        let noise = ["--json", "--sigma", "50", "--noise-model", model];
        let object = json_of(&[&["bench"], &lanes[..], &noise[..]].concat());
        assert_eq!(object["noise_model"], model);
        object["lanes"][1]["nodes"].as_u64().expect("a number")
    };
    assert_ne!(nodes("position"), nodes("leaf"));
    let shared = ["--lanes", "4", "--noise-model", "weights"];
    let line = refusal_of(&[&["bench"], &shared[..]].concat());
    assert!(line.contains("--noise-model position or leaf"), "{line}");
}

#[test]
fn another_engine_is_compared_position_by_position() {
    let Some(engine) = fairy_stockfish() else {
        return;
    };
    let engine = engine.to_str().expect("a path in UTF-8");
    let arguments = ["bench", "--json", "--movetime", "30", "--against", engine];
    let options = ["UCI_Variant=shogi", "Threads=1"];
    let options = options.map(|option| ["--against-option", option]).concat();
    let object = json_of(&[&arguments[..], &options[..]].concat());
    assert!(
        object["ratio"].as_f64().is_some_and(|ratio| ratio > 0.0),
        "{object}"
    );
    assert!(object["nps"].as_u64() > Some(0) && object["against_nps"].as_u64() > Some(0));
    assert_eq!(object["positions"].as_array().map(Vec::len), Some(24));
}

#[test]
fn evaluators_are_compared_in_one_run() {
    let evaluators = "--evaluators=material,linear,nnue";
    let object = json_of(&["bench", "--json", "--movetime", "20", evaluators]);
    let costs = object["evaluators"].as_array().expect("a list");
    let names: Vec<_> = costs
        .iter()
        .filter_map(|cost| cost["evaluator"].as_str()?.split('#').next())
        .collect();
    assert_eq!(names, ["material", "linear", "nnue"]);
    assert_eq!(costs[0]["ratio"], 1.0);
    for cost in costs {
        assert!(cost["nps"].as_u64() > Some(0), "{object}");
        assert!(cost["evaluation_ns"].as_u64() > Some(0), "{object}");
    }
}

#[test]
fn more_nodes_reach_a_greater_depth() {
    let numbers = ["--nodes", "30000,1000", "--positions", "2"];
    let object = json_of(&[&["bench", "--json"], &numbers[..]].concat());
    assert_eq!(object["positions"], 2);
    let rows = object["rows"].as_array().expect("rows");
    assert_eq!(
        (&rows[0]["nodes"], &rows[1]["nodes"]),
        (&1000.into(), &30_000.into())
    );
    assert!(
        rows[0]["depth"].as_f64() < rows[1]["depth"].as_f64(),
        "{object}"
    );
    assert!(rows[0]["branching_factor"].is_null());
    assert!(rows[1]["branching_factor"].as_f64() > Some(1.0), "{object}");
    let table = output_of(&[&["bench"], &numbers[..]].concat());
    assert_eq!(table.lines().count(), 4, "{table}");
}

#[test]
fn what_cannot_be_measured_is_refused_in_one_line() {
    let missing = complaint_of(&["bench", "--against", "/no/such/engine"]);
    assert!(missing.contains("/no/such/engine"), "{missing}");
    let aimless = complaint_of(&["bench", "--rounds", "3"]);
    assert!(aimless.contains("--threads"), "{aimless}");
}

#[cfg(unix)]
#[test]
fn a_program_that_is_no_engine_is_told_from_one() {
    let line = complaint_of(&["bench", "--against", "true"]);
    assert!(line.contains("'true' has ended"), "{line}");
}

#[test]
fn mate_problems_cost_less_with_each_part_of_the_mate_search() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("problems.tsv");
    let problems: Vec<String> = data("mate/mates.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .step_by(40)
        .map(str::to_owned)
        .collect();
    std::fs::write(&file, problems.join("\n")).expect("a file");
    let file = file.to_string_lossy();
    let object = json_of(&["bench", "--mates", &file, "--mate-nodes", "20000", "--json"]);
    assert_eq!(object["problems"], problems.len());
    let rows = object["rows"].as_array().expect("a list");
    let names: Vec<_> = rows.iter().map(|row| row["search"].as_str()).collect();
    let expected = ["df-pn", "df-pn, dominance", "df-pn+", "solved, shortened"];
    assert_eq!(names, expected.map(Some));
    for row in rows {
        assert_eq!(
            (&row["wrong"], &row["no_mates"]),
            (&0.into(), &0.into()),
            "{row}"
        );
    }
    let nodes = |index: usize| rows[index]["nodes"].as_f64().expect("a number");
    assert!(nodes(2) < nodes(0), "{object:#}");

    let line = complaint_of(&["bench", "--mates", "absent.tsv"]);
    assert!(line.contains("absent.tsv"), "{line}");
    refusal_of(&["bench", "--mates", &file, "--depth", "5"]);
}
