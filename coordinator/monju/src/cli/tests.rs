//! Arguments as they are understood.

use super::*;
use clap::CommandFactory;

fn parse(arguments: &[&str]) -> Command {
    let arguments = ["monju"].iter().chain(arguments);
    let parsed = CommandLine::try_parse_from(arguments).expect("understood");
    parsed.command.expect("a command")
}

#[test]
fn the_definition_is_sound() {
    CommandLine::command().debug_assert();
}

/// All commands, with the whole of their names.
fn all_commands() -> Vec<clap::Command> {
    fn gather(command: clap::Command, all: &mut Vec<clap::Command>) {
        for one in command.get_subcommands() {
            gather(one.clone(), all);
        }
        all.push(command);
    }
    let mut command = CommandLine::command();
    command.build();
    let mut all = Vec::new();
    gather(command, &mut all);
    all
}

#[test]
fn help_fits_into_a_terminal_of_80_columns() {
    for command in all_commands() {
        let mut command = command.term_width(80);
        let help = command.render_long_help().to_string();
        for line in help.lines() {
            // The example of a command is one line, to be copied.
            assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
        }
    }
}

#[test]
fn every_usage_names_what_is_required() {
    for mut command in all_commands() {
        let usage = command.render_usage().to_string();
        let required = command.get_arguments().filter(|one| one.is_required_set());
        for argument in required {
            let name = argument
                .get_long()
                .map_or(argument.get_id().as_str(), |long| long);
            let named = usage.to_lowercase().contains(&name.to_lowercase());
            let values = argument.get_value_names().unwrap_or_default();
            let has_value = values.iter().any(|value| usage.contains(value.as_str()));
            assert!(named || has_value, "{} in {usage}", argument.get_id());
        }
    }
}

#[test]
fn a_position_may_be_several_words() {
    let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let words: Vec<&str> = ["consult", "sfen"]
        .into_iter()
        .chain(sfen.split(' '))
        .collect();
    let Command::Consult(arguments) = parse(&[&words[..], &["--nodes", "9"]].concat()) else {
        panic!("another command")
    };
    let consult = arguments.resolve().expect("a position");
    assert_eq!(consult.game.position().to_string(), sfen);
    assert_eq!((consult.nodes, consult.seed), (Some(9), 1));
}

#[test]
fn a_conversion_without_an_output_is_refused() {
    let understood = |words: &[&str]| {
        let words = [&["monju", "learn", "convert", "net.nnue"], words].concat();
        CommandLine::try_parse_from(words).is_ok()
    };
    assert!(!understood(&[]));
    assert!(!understood(&["--drop-missing"]));
    assert!(understood(&["--output", "a.nnue"]));
    assert!(understood(&["--output", "a.nnue", "--nn-bin", "nn.bin"]));
}

#[test]
fn perft_takes_its_depth_from_the_end() {
    let resolve = |words: &[&str]| match parse(&[&["perft"], words].concat()) {
        Command::Perft(arguments) => arguments.resolve(),
        _ => panic!("another command"),
    };
    let perft = resolve(&["startpos", "moves", "7g7f", "4"]).expect("understood");
    assert_eq!((perft.game.moves().len(), perft.depth), (1, 4));
    let bare = resolve(&["5"]).expect("understood");
    assert_eq!(
        (bare.game.start(), bare.game.moves().len()),
        ("startpos", 0)
    );
    for wrong in [&["startpos"][..], &["startpos", "x"], &["nonsense", "3"]] {
        assert!(resolve(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man1");
    manual::write_pages(CommandLine::command(), &pages).expect("pages");
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).expect(name);
    for one in CommandLine::command().get_subcommands() {
        let text = page(&format!("monju-{}.1", one.get_name()));
        assert!(text.contains(".SH SYNOPSIS"), "{}", one.get_name());
    }
    assert!(page("monju.1").contains("players"));
    assert!(page("monju-experiment-run.1").contains("\\-\\-store"));
    assert!(!pages.join("monju-help.1").exists());
}

#[test]
fn completions_know_the_commands_and_their_options() {
    use clap::ValueEnum;
    for shell in clap_complete::Shell::value_variants() {
        let mut script = Vec::new();
        clap_complete::generate(*shell, &mut CommandLine::command(), "monju", &mut script);
        let script = String::from_utf8(script).expect("text");
        assert!(script.contains("experiment") && script.contains("coordinator"));
        assert!(script.contains("evaluator"), "{shell}");
    }
}
