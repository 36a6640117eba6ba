//! Arguments as they are understood.

use super::*;
use clap::CommandFactory;

fn parse(arguments: &[&str]) -> Role {
    let arguments = ["monju"].iter().chain(arguments);
    let parsed = CommandLine::try_parse_from(arguments).expect("understood");
    parsed.role.expect("a command")
}

#[test]
fn the_definition_is_sound() {
    CommandLine::command().debug_assert();
}

#[test]
fn a_position_may_be_several_words() {
    let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let words: Vec<&str> = ["consult", "sfen"]
        .into_iter()
        .chain(sfen.split(' '))
        .collect();
    let Role::Consult(arguments) = parse(&[&words[..], &["--nodes", "9"]].concat()) else {
        panic!("another command")
    };
    let consult = arguments.resolve().expect("a position");
    assert_eq!(consult.game.position().to_string(), sfen);
    assert_eq!((consult.nodes, consult.seed), (Some(9), 1));
}

#[test]
fn perft_takes_its_depth_from_the_end() {
    let resolve = |words: &[&str]| match parse(&[&["perft"], words].concat()) {
        Role::Perft(arguments) => arguments.resolve(),
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
