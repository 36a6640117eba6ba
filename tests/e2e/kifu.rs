//! The endings of games in CSA files, as an independent library reads them.

use monju_experiment::{kifu::Kifu, record::MatchOutcome};
use monju_tests::foreign::referee_python;
use std::{fmt::Write, fs, process::Command};

/// Prints the last word of each file with the winner that `cshogi` reads: 1 for Black, 2 for White, 0 for neither.
const READER: &str = "
import pathlib, sys
from cshogi import CSA
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    game = CSA.Parser.parse_file(str(path))[0]
    print(path.stem, game.endgame, game.win)
";

#[test]
fn other_programs_read_the_winner_of_every_ending() {
    let Some(python) = referee_python() else {
        return;
    };
    // Black is to move after an even number of moves.
    let black_to_move = "startpos moves 7g7f 3c3d";
    let white_to_move = "startpos moves 7g7f";
    let [win, loss, draw] = [MatchOutcome::Win, MatchOutcome::Loss, MatchOutcome::Draw];
    let games = [
        ("resignation", black_to_move, loss, "%TORYO 2"),
        ("resignation", white_to_move, win, "%TORYO 1"),
        ("declaration", black_to_move, win, "%KACHI 1"),
        ("declaration", white_to_move, loss, "%KACHI 2"),
        ("declaration", black_to_move, draw, "%JISHOGI 0"),
        ("time loss", black_to_move, loss, "%TIME_UP 2"),
        ("time loss", white_to_move, win, "%TIME_UP 1"),
        ("illegal move", black_to_move, loss, "%ILLEGAL_MOVE 2"),
        ("illegal move", white_to_move, win, "%ILLEGAL_MOVE 1"),
        ("perpetual check", black_to_move, win, "%-ILLEGAL_ACTION 1"),
        ("perpetual check", white_to_move, loss, "%+ILLEGAL_ACTION 2"),
        ("perpetual check", black_to_move, loss, "%ILLEGAL_MOVE 2"),
        ("mate", black_to_move, loss, "%TORYO 2"),
        ("adjudication", black_to_move, win, "%TORYO 1"),
        ("adjudication", black_to_move, loss, "%TORYO 2"),
        ("repetition", black_to_move, draw, "%SENNICHITE 0"),
        ("maximum plies", white_to_move, draw, "%JISHOGI 0"),
        ("interruption", white_to_move, draw, "%CHUDAN 0"),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let mut expected = String::new();
    let comments = ["build: 0.1.0 (a commit)".to_owned(), "seed: 7".to_owned()];
    for (number, (ending, moves, result, read)) in games.into_iter().enumerate() {
        let kifu = Kifu {
            event: "endings",
            comments: &comments,
            names: ["sente", "gote"],
            moves,
            notes: &[],
            ending,
            result,
            first_is_black: true,
        };
        let text = kifu.csa().expect("a game");
        fs::write(folder.path().join(format!("{number:02}.csa")), text).expect("written");
        writeln!(expected, "{number:02} {read}").expect("written");
    }
    let output = Command::new(python)
        .args(["-c", READER])
        .arg(folder.path())
        .output()
        .expect("python starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}
