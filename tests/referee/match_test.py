"""A referee that never blames anyone proves nothing: here it meets engines that break the rules.

Run by `python -m unittest match_test` in this folder, with `cshogi` installed.
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import cshogi

import match

HERE = Path(__file__).parent
RULES = HERE.parent / "data" / "rules"

# A USI engine that shuffles its rook while that is legal, resigns otherwise, and does what its
# argument names at its second move.
FAKE_ENGINE = """
import sys, time
fault, moves_made, color = sys.argv[1], 0, None
for line in sys.stdin:
    words = line.split()
    if words[0] == "usi":
        print("usiok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        color, moves_made = len(words[3:]) % 2, len(words[3:]) // 2
    elif words[0] == "go":
        there, back = (("2h3h", "3h2h"), ("8b7b", "7b8b"))[color]
        move = there if moves_made % 2 == 0 else back
        if moves_made == 1:
            if fault == "crash":
                sys.exit(1)
            if fault == "late":
                time.sleep(3.0)
            resigns = ("resign", "resigns_twice")
            move = {"illegal": "5i5a", "nonsense": "7g7f7", "win": "win"}.get(fault, move)
            move = "resign" if fault in resigns else move
            if fault == "resigns_twice":
                print("bestmove", move, flush=True)
        print("bestmove", move, flush=True)
    elif words[0] == "quit" and fault != "stays":
        break
"""


class RefereeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.fake = Path(self.folder.name) / "fake.py"
        self.fake.write_text(FAKE_ENGINE)
        self.openings = Path(self.folder.name) / "openings.sfen"
        self.openings.write_text("startpos moves \n")

    def referee(self, engine_fault, opponent_fault):
        fake = f"{sys.executable} {self.fake}"
        run = subprocess.run(
            [sys.executable, HERE / "match.py", "--engine", f"{fake} {engine_fault}"]
            + ["--opponent", f"{fake} {opponent_fault}", "--openings", self.openings]
            + ["--byoyomi", "2000", "--opponent-byoyomi", "2000"],
            capture_output=True,
            text=True,
            check=False,
        )
        games = [json.loads(line) for line in run.stdout.splitlines()]
        self.complaints = run.stderr
        return run.returncode, games[0], games[-1]["summary"]

    def test_good_engines_repeat_four_times_and_draw(self):
        status, game, summary = self.referee("none", "none")
        self.assertEqual(status, 0)
        self.assertEqual((game["reason"], game["winner"], game["plies"]), ("repetition", None, 12))
        self.assertEqual(summary["draws"], 2)

    def test_resigning_is_no_fault(self):
        status, game, summary = self.referee("resign", "none")
        self.assertEqual(status, 0)
        self.assertEqual((game["reason"], game["winner"]), ("resign", "opponent"))
        self.assertEqual(summary["losses"], 2)

    def test_every_fault_of_the_engine_under_test_is_seen(self):
        for fault, reason in [
            ("illegal", "illegal_move"),
            ("nonsense", "illegal_move"),
            ("win", "false_declaration"),
            ("late", "time"),
            ("crash", "crash"),
        ]:
            with self.subTest(fault):
                status, game, _ = self.referee(fault, "none")
                self.assertEqual((status, game["reason"], game["fault_of"]), (1, reason, "monju"))

    def test_a_second_answer_after_the_game_is_seen_before_the_next(self):
        status, game, summary = self.referee("resigns_twice", "none")
        self.assertEqual((status, game["reason"], summary["games"]), (1, "resign", 1))
        self.assertIn("protocol: monju: unasked 'bestmove resign'", self.complaints)

    def test_a_second_answer_that_has_arrived_is_not_taken_for_the_next(self):
        engine = match.Engine("fake", [sys.executable, self.fake, "none"], [], None)
        self.addCleanup(engine.quit)
        engine.lines.put((0.0, "bestmove 2h3h"))
        with self.assertRaises(match.EngineFault) as fault:
            engine.think("position startpos moves", "go", 60.0)
        self.assertEqual(fault.exception.reason, "protocol")

    def test_faults_of_the_opponent_are_not_blamed_on_the_engine_under_test(self):
        status, game, _ = self.referee("none", "illegal")
        self.assertEqual((status, game["fault_of"]), (2, "opponent"))

    def test_an_engine_that_does_not_quit_is_seen(self):
        status, _, _ = self.referee("stays", "none")
        self.assertEqual(status, 1)


class RepetitionTest(unittest.TestCase):
    def test_published_repetitions(self):
        expected_verdicts = {"none": None, "draw": "draw", "black": cshogi.BLACK, "white": cshogi.WHITE}
        for line in (RULES / "repetition.jsonl").read_text().splitlines():
            vector = json.loads(line)
            with self.subTest(vector["id"]):
                board = cshogi.Board() if vector["start"] == "startpos" else cshogi.Board(vector["start"])
                repetition = match.Repetition(board)
                verdict = None
                for move in vector["moves"]:
                    self.assertIsNone(verdict)
                    board.push_usi(move)
                    verdict = repetition.verdict(board)
                self.assertEqual(verdict, expected_verdicts[vector["expect"]])


if __name__ == "__main__":
    unittest.main()
