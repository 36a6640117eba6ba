use super::*;
use std::{fs, path::Path};

const GOOD: &str = r#"version = 1
name = "good"
games = 4
openings = "openings.sfen"
first = "council"
second = "single"
[grid]
players = [1, 4]
sigma = [25, 50.5]
[ensemble.council]
nodes = 100
[[ensemble.council.player]]
name = "n"
count = "$players"
sigma = "$sigma"
[ensemble.single]
depth = 3
[[ensemble.single.player]]
name = "s"
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = "# two\nstartpos moves 7g7f\n\nstartpos moves 2g2f\n";
    fs::write(folder.path().join("openings.sfen"), openings).expect("a writable folder");
    folder
}

fn parse(text: &str) -> Result<Specification, String> {
    let folder = folder();
    Specification::parse(text, &folder.path().join("x.toml")).map_err(|error| {
        let folder = format!("{}/", folder.path().display());
        error.to_string().replace(&folder, "")
    })
}

fn good(text: &str) -> Specification {
    parse(text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_grid_is_every_combination_in_the_order_of_the_file() {
    let specification = good(GOOD);
    let labels: Vec<&str> = specification
        .cells
        .iter()
        .map(|cell| &*cell.label)
        .collect();
    assert_eq!(
        labels,
        [
            "players=1 sigma=25",
            "players=1 sigma=50.5",
            "players=4 sigma=25",
            "players=4 sigma=50.5"
        ]
    );
    let Members::Embedded { players, .. } = &specification.cells[3].first.members else {
        panic!("players elsewhere")
    };
    assert_eq!(players.len(), 4);
    assert!(specification.cells.iter().all(|cell| cell.pairs == 2));
    assert_eq!(specification.values("sigma"), ["25", "50.5"]);
    assert!(specification.cells[0].first.varies() && !specification.cells[0].second.varies());
}

#[test]
fn a_cell_may_have_another_number_of_games() {
    let with = |games: &str| GOOD.replace("[grid]", &format!("[games_in]\n{games}\n[grid]"));
    let specification = good(&with("\"players=4 sigma=25\" = 2"));
    let pairs: Vec<u32> = specification.cells.iter().map(|cell| cell.pairs).collect();
    assert_eq!(pairs, [2, 2, 1, 2]);
    assert_eq!(
        (specification.all_games(), specification.most_games()),
        (14, 4)
    );
    let (usual, hash) = (good(GOOD), &specification.cells[2].hash);
    assert_eq!(hash, &usual.cells[2].hash, "no game depends on it");
    for (games, what) in [
        ("\"players=4\" = 2", "games_in names no cell: 'players=4'"),
        (
            "\"players=4 sigma=25\" = 3",
            "games must be an even number from 2 to 20000000, not 3",
        ),
    ] {
        let line = parse(&with(games)).expect_err("refused");
        assert!(line.contains(what), "{line}");
    }
}

#[test]
fn conditions_are_single_rows() {
    let text = GOOD
        .replace("first = \"council\"", "first = \"$side\"")
        .replace("[grid]\nplayers = [1, 4]\n", "[[condition]]\nrow = \"one\"\nside = \"single\"\nplayers = 1\n[[condition]]\nrow = \"four\"\nside = \"council\"\nplayers = 4\n[grid]\n")
        .replace("games = 4", "games = 2");
    let specification = good(&text);
    assert_eq!(specification.cells.len(), 4);
    assert_eq!(
        specification.cells[0].label,
        "row=one side=single players=1 sigma=25"
    );
    assert_eq!(specification.cells[0].first.name, "single");
    assert_eq!(specification.cells[2].first.name, "council");
}

#[test]
fn a_grid_may_be_over_any_setting_of_a_game() {
    let text = r#"version = 1
name = "any"
games = 4
openings = "openings.sfen"
first = "$side"
second = "single"
[grid]
side = ["council", "single"]
rule = ["majority", "optimistic"]
threads = [1, 2]
lanes = [1, 4]
plies = [60, 80]
repetition = ["rules", "play-on"]
[ensemble.council]
rule = "$rule"
nodes = 100
[[ensemble.council.player]]
name = "n"
threads = "$threads"
sigma = 50
[[ensemble.council.player]]
name = "t"
lanes = "$lanes"
sigma = 50
[ensemble.single]
depth = 3
[[ensemble.single.player]]
name = "s"
sigma = 1
[adjudication]
maximum_plies = "$plies"
repetition = "$repetition"
"#;
    let specification = good(text);
    assert_eq!(specification.cells.len(), 64);
    let last = &specification.cells[31];
    assert_eq!(
        last.label,
        "side=council rule=optimistic threads=2 lanes=4 plies=80 repetition=play-on"
    );
    let Members::Embedded { players, rule, .. } = &last.first.members else {
        panic!("players elsewhere")
    };
    let native = |index: usize| match &players[index].kind {
        monju_host::PlayerKind::Native(native) => native,
        monju_host::PlayerKind::Usi(_) => panic!("a foreign engine"),
    };
    assert_eq!((native(0).threads, native(1).lanes), (2, 4));
    assert_eq!(rule.to_string(), "optimistic");
    assert_eq!(last.adjudication.maximum_plies, 80);
    assert_eq!(last.adjudication.repetition, RepetitionRule::PlayOn);
    let first = specification.cells[0].adjudication;
    assert_eq!((first.maximum_plies, first.score), (60, Some(3000)));
    assert_eq!(first.repetition, RepetitionRule::Rules);
    assert_eq!(first.declaration, DeclarationRule::Win);
}

#[test]
fn the_hash_covers_everything_that_games_depend_on() {
    let hash = good(GOOD).hash;
    let (grid, ensembles) = GOOD.split_once("[ensemble.council]").expect("an ensemble");
    let (council, single) = ensembles.split_once("[ensemble.single]").expect("another");
    let single_first = format!("{grid}[ensemble.single]{single}[ensemble.council]{council}");
    for same in [
        GOOD.replace("games = 4", "games = 8"),
        GOOD.replace("name = \"good\"", "name = \"good\"\ntitle = \"A table\""),
        GOOD.replace("version = 1", "# remark\nversion = 1"),
        GOOD.replace(
            "first = \"council\"\nsecond = \"single\"",
            "second = \"single\"\nfirst = \"council\"",
        ),
        GOOD.replace(
            "name = \"n\"\ncount = \"$players\"",
            "count = \"$players\"\nname = \"n\"",
        ),
        single_first,
    ] {
        assert_ne!(same, GOOD);
        assert_eq!(good(&same).hash, hash, "{same}");
    }
    for other in [
        GOOD.replace("nodes = 100", "nodes = 101"),
        GOOD.replace("[25, 50.5]", "[25, 51]"),
        GOOD.replace("games = 4", "games = 4\nseed = 2"),
        format!("{GOOD}[adjudication]\nscore = 100\n"),
        format!("{GOOD}[adjudication]\ndeclaration = \"draw\"\n"),
        format!("{GOOD}[adjudication]\nrepetition = \"play-on\"\n"),
    ] {
        assert_ne!(good(&other).hash, hash, "{other}");
    }
}

#[test]
fn the_hash_of_a_cell_covers_what_its_own_games_depend_on() {
    let hashes = |text: &str| -> Vec<(String, String)> {
        let cells = good(text).cells.into_iter();
        cells.map(|cell| (cell.label, cell.hash)).collect()
    };
    let before = hashes(GOOD);
    let own: std::collections::BTreeSet<_> = before.iter().map(|(_, hash)| hash).collect();
    assert_eq!(own.len(), 4, "{before:?}");
    for grown in [
        GOOD.replace("[25, 50.5]", "[25, 50.5, 100]"),
        GOOD.replace("games = 4", "games = 2\nseed = 1"),
        GOOD.replace("name = \"good\"", "name = \"better\""),
        format!("{GOOD}[ensemble.other]\nnodes = 5\nplayer = [{{ name = \"o\" }}]\n"),
        GOOD.replace("ensemble.single", "ensemble.lone")
            .replace("second = \"single\"", "second = \"lone\""),
    ] {
        let after = hashes(&grown);
        assert!(
            before.iter().all(|cell| after.contains(cell)),
            "{grown}\n{after:?}"
        );
    }
    for other in [
        GOOD.replace("nodes = 100", "nodes = 101"),
        GOOD.replace("depth = 3", "depth = 4"),
        GOOD.replace("games = 4", "games = 4\nseed = 2"),
        format!("{GOOD}[adjudication]\nscore = 100\n"),
    ] {
        let after = hashes(&other);
        assert!(
            before.iter().all(|cell| !after.contains(cell)),
            "{other}\n{after:?}"
        );
    }
}

#[test]
fn openings_are_common_where_the_file_says_so() {
    let drawn = |text: &str| -> Vec<Vec<usize>> {
        let specification = good(text);
        let cells = specification.cells.iter();
        cells
            .map(|cell| {
                (0..20)
                    .map(|pair| specification.opening(cell, pair))
                    .collect()
            })
            .collect()
    };
    let own = drawn(GOOD);
    assert!(own.iter().any(|openings| *openings != own[0]));
    let text = GOOD.replace("games = 4", "games = 4\ncommon_openings = true");
    let common = drawn(&text);
    assert!(common.iter().all(|openings| *openings == common[0]));
    assert!(common[0].contains(&0) && common[0].contains(&1));
    let (one, other) = (good(GOOD), good(&text));
    assert_ne!(one.cells[0].hash, other.cells[0].hash, "other games");
}

#[test]
fn the_path_of_openings_starts_from_the_folder_of_the_file() {
    let absent = parse(&GOOD.replace("openings.sfen", "absent.sfen"));
    let line = absent.expect_err("no such file");
    let advice = "correct the path, which starts from the folder of this file";
    assert!(line.ends_with(advice), "{line}");
}

#[test]
fn every_mistake_is_named_with_its_line() {
    let repeated = GOOD
        .replace("games = 4", "games = 6")
        .replace("sigma = \"$sigma\"", "seed = 1 # \"$sigma\"");
    for (text, expected) in [
        (
            GOOD.replace("nodes = 100", "nodse = 100"),
            "x.toml:11: unknown key `nodse`",
        ),
        (
            GOOD.replace("count = \"$players\"", "count = 0 # \"$players\""),
            "x.toml:12: ",
        ),
        (
            GOOD.replace("[1, 4]", "[]"),
            "x.toml:8: the grid is empty: players has no values",
        ),
        (
            GOOD.replace("players = [1, 4]\nsigma = [25, 50.5]\n", ""),
            "x.toml:7: the grid is empty",
        ),
        (
            GOOD.replace("\"$sigma\"", "\"$sgima\""),
            "x.toml:9: nothing depends on 'sigma'",
        ),
        (
            GOOD.replace("sigma = \"$sigma\"", "# sigma = \"$sigma\""),
            "x.toml:9: nothing depends on 'sigma'",
        ),
        (
            GOOD.replace("depth = 3", "depth = \"$deep\""),
            "x.toml:17: no parameter is called 'deep'",
        ),
        (
            GOOD.replace("[1, 4]", "[1, 1]"),
            "x.toml:8: players has 1 twice",
        ),
        (
            // A number and a text that read alike would share a cell.
            GOOD.replace("[25, 50.5]", "[25, 50.5, \"25\"]"),
            "x.toml:9: sigma has \"25\" twice",
        ),
        (
            GOOD.replace("[25, 50.5]", "[25, 50.5, 25.0]"),
            "x.toml:9: sigma has 25.0 twice",
        ),
        (
            GOOD.replace("openings.sfen", "absent.sfen"),
            "x.toml:4: the openings absent.sfen",
        ),
        (
            GOOD.replace("nodes = 100\n", "nodes = 100\nhash_mib = 99999999\n"),
            "x.toml:12: hash must be between 1 and 1048576 MiB, not 99999999",
        ),
        (
            GOOD.replace("games = 4", "games = 5"),
            "x.toml:3: games must be an even number from 2 to 20000000, not 5",
        ),
        (
            GOOD.replace("games = 4", "games = 4294967294"),
            "x.toml:3: games must be an even number from 2 to 20000000, not 4294967294",
        ),
        (
            GOOD.replace("first = \"council\"", "first = \"x\""),
            "x.toml:5: first names no ensemble",
        ),
        (
            GOOD.replace("depth = 3\n", "depth = 3\ntls = \"team\"\n"),
            "x.toml:18: certificates are for a coordinator elsewhere",
        ),
        (
            GOOD.replace("depth = 3\n", ""),
            "x.toml:16: 'single' would think for ever",
        ),
        (
            format!("{GOOD}kind = \"usi\"\ncommand = [\"a\"]\n"),
            "x.toml:18: player 's' has a limit of depth, which its go does not list",
        ),
        (
            GOOD.replace("depth = 3", "depth = 3\nbyoyomi_ms = 100"),
            "x.toml:18: byoyomi_ms needs an engine",
        ),
        (
            engine("engine = { command = [] }\nnodes = 1"),
            "x.toml:17: player \"single\": kind \"usi\" needs a command",
        ),
        (
            engine("engine = { command = [\"a\"] }\nnodes = 1\nrule = \"majority\""),
            "x.toml:19: rule does not go with an engine",
        ),
        (
            engine("engine = { command = [\"a\"] }\nincrement_ms = 10\nbyoyomi_ms = 10"),
            "x.toml:18: USI has either byoyomi or an increment",
        ),
        (
            engine("engine = { command = [\"a\"] }\nincrement_ms = 10"),
            "x.toml:18: a clock needs main_time_ms or byoyomi_ms",
        ),
        (
            engine("engine = { command = [\"a\"] }"),
            "x.toml:16: 'single' would think for ever",
        ),
        (
            engine("engine = { command = [\"a\"], go = \"nodes 5\" }\nnodes = 10"),
            "x.toml:17: go replaces nodes",
        ),
        (
            engine("engine = { command = [\"a\"], ponder = true }\nnodes = 10"),
            "x.toml:17: ponder is for games on a clock",
        ),
        (
            engine(
                "engine = { command = [\"a\"], ponder = true }\nbyoyomi_ms = 10\nnodes_per_ms = 2",
            ),
            "x.toml:17: ponder is for a clock of time alone, without nodes_per_ms",
        ),
        (
            engine("engine = { comand = [\"a\"] }"),
            "x.toml:17: unknown key `comand`",
        ),
        (
            GOOD.replace("version = 1", "version = 2"),
            "x.toml:1: version 2",
        ),
        (
            GOOD.replace("games = 4", "games = 4\nseed = \"$players\""),
            "x.toml:4: seed is the same for all cells",
        ),
        (
            format!("{GOOD}[adjudication]\nrepetition = \"win\"\n"),
            "x.toml:21: unknown variant `win`; expected one of `rules`, `draw`, `play-on`",
        ),
        (
            format!("{GOOD}[adjudication]\nscore_plies = 0\n"),
            "x.toml:21: score_plies must be at least 2",
        ),
        (repeated, "x.toml:3: 2 openings are not enough for 3 pairs"),
        (
            format!("{GOOD}[stop]\nelo0 = 0\nelo1 = 232\n"),
            "x.toml:22: normalized Elo lies between -200 and 200",
        ),
        (
            format!("{GOOD}[stop]\nelo0 = 5\nelo1 = 0\n"),
            "x.toml:22: elo1 must be greater",
        ),
        (
            format!("{GOOD}[report]\nrows = \"x\"\n"),
            "x.toml:21: rows names no parameter",
        ),
        (
            format!("{GOOD}[report]\nbase = \"players=2\"\n"),
            "x.toml:21: base names no cell: 'players=2'",
        ),
        (
            format!("{GOOD}[report]\npublished = [[\"1\"]]\n"),
            "x.toml:21: published has 1 numbers for 4 cells",
        ),
        (
            format!("{GOOD}[report]\ncolumns = \"sigma\"\n"),
            "x.toml:21: columns needs rows",
        ),
        (
            GOOD.replace("depth = 3", "depth = 3\nprimary = \"q\""),
            "x.toml:18: primary 'q' is no player",
        ),
        (
            engine("coordinator = \"http://127.0.0.1:1\"\ntime_ms = 10\nprimary = \"q\""),
            "x.toml:19: a coordinator has its own primary player",
        ),
        (
            engine("coordinator = \"http://127.0.0.1:1\"\ntime_ms = 10\nhash_mib = 16"),
            "x.toml:19: a coordinator has its own tables",
        ),
    ] {
        let error = parse(&text).expect_err(expected);
        assert!(error.starts_with(expected), "{error}\nexpected {expected}");
        assert!(!error.contains('\n'));
    }
}

#[test]
fn rules_without_scores_to_go_by_are_known() {
    let with = |rule: &str, other: &str| {
        let text = GOOD.replacen("nodes = 100", &format!("nodes = 100\nrule = \"{rule}\""), 1);
        let other =
            format!("[[ensemble.council.player]]\nname = \"m\"\n{other}\n[ensemble.single]");
        let found = good(&text.replacen("[ensemble.single]", &other, 1)).unguided_rules();
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let cells = "in 'players=1 sigma=25' and 3 more cells";
    let found = with("optimistic", "evaluator = \"material\"");
    let expected = "rule 'optimistic' of 'council' cannot compare the scores of material, nnue";
    let [found] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(
        found.starts_with(&format!("{cells}, {expected}")),
        "{found}"
    );
    assert_eq!(
        with("careful", "")[0].matches("knows no win rates").count(),
        1
    );
    for (rule, other) in [
        ("optimistic", ""),
        ("majority", "evaluator = \"material\""),
        ("weighted", "evaluator = \"material\""),
    ] {
        assert!(with(rule, other).is_empty(), "{rule} {other}");
    }
    let foreign = |programs: [&str; 2]| {
        let text = GOOD.replacen("nodes = 100", "nodes = 100\nrule = \"optimistic\"", 1);
        let one = format!(
            "[[ensemble.council.player]]\nname = \"n\"\nkind = \"usi\"\ncommand = [\"{}\"]",
            programs[0]
        );
        let other = format!(
            "[[ensemble.council.player]]\nname = \"m\"\nkind = \"usi\"\ncommand = [\"{}\"]",
            programs[1]
        );
        let old =
            "[[ensemble.council.player]]\nname = \"n\"\ncount = \"$players\"\nsigma = \"$sigma\"";
        assert!(text.contains(old));
        let go = "go = [\"nodes\", \"byoyomi\", \"infinite\"]";
        let text = text.replacen(old, &format!("{one}\n{go}\n{other}\n{go}"), 1);
        let text = text.replacen(
            "name = \"s\"",
            "name = \"s\"\nsigma = \"$sigma\"\ncount = \"$players\"",
            1,
        );
        let found = good(&text).unguided_rules();
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(foreign(["/a/gps", "/a/gps"]).is_empty());
    assert!(foreign(["/a/gps", "/b/gps"])[0].ends_with("unless the programs are the same engine"));
    // One player decides alone.
    let alone = GOOD.replacen("depth = 3", "depth = 3\nrule = \"careful\"", 1);
    assert!(good(&alone).unguided_rules().is_empty());
}

#[test]
fn a_calibration_is_read_and_counts_by_its_content() {
    let folder = folder();
    let path = folder.path().join("x.toml");
    let text = GOOD.replacen("nodes =", "calibration = \"rates.toml\"\nnodes =", 1);
    assert_ne!(text, GOOD);
    let error = Specification::parse(&text, &path).expect_err("no file");
    assert!(error.to_string().contains("rates.toml"), "{error}");
    let hash = |scale| {
        let curve = format!(
            "version = 1\n[[engine]]\nname = \"monju\"\nscale = {scale}\noffset = 0.0\n\
             against = \"results\"\nvotes = 50\ngames = 9\n"
        );
        fs::write(folder.path().join("rates.toml"), curve).expect("writable");
        let read = Specification::parse(&text, &path).unwrap_or_else(|error| panic!("{error}"));
        assert!(read.cells[0].first.calibration().is_some());
        assert!(
            read.uncalibrated_rules().is_empty(),
            "the majority needs none"
        );
        read.cells[0].hash.clone()
    };
    assert_ne!(hash("300.0"), hash("400.0"));
    assert_eq!(hash("300.0"), hash("300.0"));
    let careful = text.replacen("nodes =", "rule = \"careful\"\nnodes =", 1);
    let careful = Specification::parse(&careful, &path).unwrap_or_else(|error| panic!("{error}"));
    assert!(careful.unguided_rules().is_empty());
    let unknown = careful.uncalibrated_rules()[0].to_string();
    assert!(
        unknown.contains("the calibration of 'council' does not have monju/nnue#"),
        "{unknown}"
    );
    // Scores of one scale are compared as they are.
    let optimistic = text.replacen("nodes =", "rule = \"optimistic\"\nnodes =", 1);
    let optimistic =
        Specification::parse(&optimistic, &path).unwrap_or_else(|error| panic!("{error}"));
    assert!(optimistic.uncalibrated_rules().is_empty());
}

/// [`GOOD`] with these keys instead of the players and limits of the second side.
fn engine(keys: &str) -> String {
    let (before, _) = GOOD.split_once("depth = 3").expect("a limit");
    format!("{before}{keys}\n")
}

#[test]
fn a_side_may_be_a_usi_engine_with_a_clock() {
    let text = engine(
        "main_time_ms = 1000\nincrement_ms = 10\nmargin_ms = 50\n\
         [ensemble.single.engine]\ncommand = [\"./fairy\", \"-q\"]\noptions = { Threads = 2 }\n\
         go = \"go nodes 5\"",
    );
    let side = good(&text).cells.remove(0).second;
    let Members::Engine(engine) = &side.members else {
        panic!("{side:?}")
    };
    assert!(engine.spec.program.ends_with("fairy"), "{engine:?}");
    assert_eq!(engine.spec.arguments, ["-q"]);
    assert_eq!(engine.spec.options.0.len(), 1);
    assert_eq!(engine.go.as_deref(), Some("nodes 5"));
    let clock = side.clock.expect("a clock");
    let milliseconds = [clock.main, clock.byoyomi, clock.increment].map(|time| time.as_millis());
    assert_eq!(milliseconds, [1000, 0, 10]);
    assert_eq!(side.margin.as_millis(), 50);
    assert!(side.is_timed() && side.varies());
}

#[test]
fn words_of_go_limit_time_if_they_name_one() {
    for (go, is_timed) in [
        ("nodes 5", false),
        ("depth 3 nodes 5", false),
        ("nodes 5 movetime 10", true),
        ("btime 0 wtime 0 byoyomi 100", true),
        ("infinite", true),
        ("own words", true),
    ] {
        let text = engine(&format!(
            "[ensemble.single.engine]\ncommand = [\"./fairy\"]\ngo = \"{go}\""
        ));
        let side = good(&text).cells.remove(0).second;
        assert_eq!(side.is_timed(), is_timed, "{go}");
    }
}

/// The voters of the timed side thought one after another within one limit, as those of the other side do.
#[test]
fn a_team_that_takes_turns_does_not_stay_for_a_side_that_is_limited_in_time() {
    let side = |limit: &str| {
        good(&GOOD.replace("depth = 3", limit))
            .cells
            .remove(0)
            .second
    };
    let (nodes, time) = (side("nodes = 100"), side("time_ms = 100"));
    assert_eq!(nodes.members, time.members);
    assert!(!nodes.same_team(&time));
    assert!(nodes.same_team(&side("nodes = 200")));
    assert!(time.same_team(&side("time_ms = 200")));
}

#[test]
fn weights_are_read_and_hashed_by_their_content() {
    let embedded = |name: &str| {
        let weights = concat!(env!("CARGO_MANIFEST_DIR"), "/../../engine/weights/");
        fs::read(format!("{weights}{name}")).expect("the weights of the build")
    };
    let folder = folder();
    let named = |file: &str| {
        let text = GOOD.replace(
            "count = \"$players\"",
            &format!("count = \"$players\"\nweights = \"{file}\"\nevaluator = \"linear\""),
        );
        Specification::parse(&text, &folder.path().join("x.toml")).map(|parsed| parsed.hash)
    };
    let missing = named("own.bin").expect_err("no file").to_string();
    assert!(
        missing.contains("x.toml:12: ") && missing.contains("own.bin"),
        "{missing}"
    );
    let linear = embedded("linear.bin");
    fs::write(folder.path().join("own.bin"), &linear).expect("a writable folder");
    let hash = named("own.bin").expect("weights");
    assert_ne!(hash, good(GOOD).hash);
    fs::write(folder.path().join("own.bin"), &linear[..100]).expect("a writable folder");
    assert!(named("own.bin").is_err(), "truncated");
}

#[test]
fn an_impossible_opening_is_named() {
    let folder = folder();
    fs::write(folder.path().join("openings.sfen"), "startpos moves 7g7e\n").expect("writable");
    let error = Specification::parse(GOOD, &folder.path().join("x.toml")).expect_err("no game");
    assert!(
        error.to_string().contains("openings.sfen:1: move 1"),
        "{error}"
    );
}

#[test]
fn a_figure_alone_needs_no_games() {
    let specification = good("version = 1\nname = \"f\"\n[report]\ncondorcet = [3, 5]\n");
    assert!(specification.cells.is_empty());
    assert_eq!(specification.report.condorcet, [3, 5]);
}

#[test]
fn the_template_documents_every_key_with_its_default() {
    let path = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../configs/experiments/template.toml"
    ));
    let template = fs::read_to_string(path).expect("the template");
    let read =
        |text: &str| Specification::parse(text, path).unwrap_or_else(|error| panic!("{error}"));
    let plain = read(&template);
    for key in [
        "seed",
        "ballots",
        "common_openings",
        "rule",
        "margin_ms",
        "crash",
        "hash_mib",
        "maximum_plies",
        "score",
        "score_plies",
        "declaration",
        "repetition",
    ] {
        let commented = format!("\n#{key} = ");
        assert!(template.contains(&commented), "{key}");
        let mut said = read(&template.replace(&commented, &format!("\n{key} = ")));
        for (cell, plain) in said.cells.iter_mut().zip(&plain.cells) {
            // The text counts, as it is written.
            cell.hash.clone_from(&plain.hash);
        }
        assert_eq!(said.cells, plain.cells, "{key}");
        assert_eq!(
            (said.seed, said.ballots, said.common_openings),
            (plain.seed, plain.ballots, plain.common_openings),
            "{key}"
        );
    }
    // The error about an unknown key lists all keys of the table.
    for table in [
        "",
        "ensemble.single",
        "ensemble.fairy.engine",
        "adjudication",
        "stop",
        "report",
    ] {
        let text = match table {
            "" => format!("bogus = 1\n{template}"),
            "stop" | "ensemble.fairy.engine" => format!("{template}\n[{table}]\nbogus = 1\n"),
            table => template.replace(&format!("[{table}]\n"), &format!("[{table}]\nbogus = 1\n")),
        };
        let error = Specification::parse(&text, path)
            .expect_err("unknown")
            .to_string();
        let (_, known) = error.split_once("expected one of").expect("a list");
        for key in known.split('`').skip(1).step_by(2) {
            let documented = ["\n", "\n#", "\n[", "\n#[", "\n[[", "\n#[["]
                .iter()
                .any(|begin| template.contains(&format!("{begin}{key}")))
                || template.contains(&format!("[[ensemble.council.{key}]]"))
                || template.contains(&format!("[ensemble.fairy.{key}]"));
            assert!(documented, "{table}: {key}");
        }
    }
}

const BOOK: &str = "monju book 1\n\
    sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n";

#[test]
fn an_ensemble_may_have_a_book_whose_moves_are_part_of_the_hash() {
    let folder = folder();
    let path = folder.path().join("x.toml");
    let with = |table: &str| {
        let text = GOOD.replace("nodes = 100\n", &format!("nodes = 100\n{table}"));
        let specification = Specification::parse(&text, &path);
        specification.map_err(|error| error.to_string())
    };
    let book = "book = { file = \"a.book\", plies = 20, voting = true }\n";
    let complaint = with(book).expect_err("no such book");
    assert!(
        complaint.contains("x.toml:") && complaint.contains("a.book"),
        "{complaint}"
    );
    let write = |moves: &str| {
        fs::write(folder.path().join("a.book"), format!("{BOOK}{moves}")).expect("written");
    };
    write("7g7f 1\n");
    let one = with(book).expect("a book");
    let side = &one.cells[0].first;
    assert_eq!(side.book(), Some(&*folder.path().join("a.book")));
    assert!(side.varies());
    write("7g7f 1\n2g2f 1\n");
    let other = with(book).expect("a book");
    assert_ne!(one.hash, other.hash);
    assert_ne!(one.cells[0].hash, other.cells[0].hash);
    for (wrong, expected) in [
        ("book = { plies = 3 }\n", "a book needs file"),
        (
            "book = { file = \"a.book\", plies = 0 }\n",
            "plies must be at least 1",
        ),
        (
            "book = { file = \"a.book\", votes = true }\n",
            "unknown key `votes`",
        ),
    ] {
        let complaint = with(wrong).expect_err("refused");
        assert!(complaint.contains(expected), "{complaint}");
    }
}

/// Letters that TOML escapes were read as others.
#[test]
fn a_value_within_a_text_stays_as_it_is() {
    let grid = r#"sigma = [25, 50.5]
folder = ['C:\temp']"#;
    for text in [r#""${folder}\\x.bin""#, r"'${folder}\x.bin'"] {
        let file = GOOD.replace("sigma = [25, 50.5]", grid);
        let file = file.replace("name = \"s\"", &format!("name = \"s\"\nweights = {text}"));
        let refused = parse(&file).expect_err("there are no weights");
        assert!(refused.contains(r"C:\\temp\\x.bin"), "{refused}");
    }
}
