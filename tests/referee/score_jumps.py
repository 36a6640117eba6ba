#!/usr/bin/env python3
"""Measures how steady the score of a move is while a team analyses, as a GUI sees it.

    tests/referee/score_jumps.py --positions 10 --seconds 20 -- target/release/monju usi --players 4

Each position is searched by `go infinite`. A jump is the difference between two consecutive scores of one move, in
centipawns, at whatever rank; scores that are bounds or mates are left out. The `info string share of votes` tells
whether the move has lost or won votes between the two: then another voter speaks, otherwise the voters have searched on.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import threading
import time

OPENINGS = pathlib.Path(__file__).resolve().parents[1] / "data/openings/taya_36ply.sfen"
SHARES = "info string share of votes: "


def field(words, name):
    """Returns the word behind `name`, if it is there."""
    return words[words.index(name) + 1] if name in words else None


def read_info(line):
    """Returns the move and its score, if the line is an `info` with an exact score in centipawns."""
    words = line.split()
    if words[:1] != ["info"] or "pv" not in words or field(words, "score") != "cp":
        return None
    if "lowerbound" in words or "upperbound" in words:
        return None
    return field(words, "pv"), int(field(words, "cp"))


def updates(lines):
    """Yields the scores by move and the shares of votes by move of each update, until the answer.

    The lines of an update begin with that of rank 1; the shares come after them, if they have changed.
    """
    scores, shares = {}, {}
    for line in lines:
        if line.startswith("bestmove"):
            break
        if line.startswith(SHARES):
            parts = line[len(SHARES) :].strip().split(", ")
            shares = {part.split()[0]: part.split()[1] for part in parts}
            continue
        if " multipv 1 " in line and scores:
            yield scores, shares
            scores = {}
        info = read_info(line)
        if info is not None:
            scores[info[0]] = info[1]
    yield scores, shares


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--skip-seconds", type=float, default=1, help="left out at the start of each search")
    parser.add_argument("--option", action="append", default=[], help="NAME=VALUE")
    parser.add_argument("engine", nargs="+")
    arguments = parser.parse_args()

    engine = subprocess.Popen(arguments.engine, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(line):
        engine.stdin.write(line + "\n")
        engine.stdin.flush()

    def wait(word):
        for line in engine.stdout:
            if line.split()[:1] == [word]:
                return
        sys.exit(f"the engine ended before {word}")

    say("usi")
    wait("usiok")
    for option in arguments.option:
        name, _, value = option.partition("=")
        say(f"setoption name {name} value {value}")
    by_voters, by_search = [], []
    # Every tenth opening: neighbours in the file are alike.
    for position in OPENINGS.read_text().splitlines()[::10][: arguments.positions]:
        say("isready")
        wait("readyok")
        say("usinewgame")
        say(f"position {position}")
        say("go infinite")
        begun = time.monotonic()
        threading.Timer(arguments.seconds, say, ["stop"]).start()
        known = {}
        for scores, shares in updates(engine.stdout):
            for move, score in scores.items():
                share = shares.get(move)
                if time.monotonic() - begun > arguments.skip_seconds and move in known:
                    before, last = known[move]
                    (by_search if share == last else by_voters).append(abs(score - before))
                known[move] = (score, share)
    say("quit")
    engine.wait()

    for name, jumps in [("another voter speaks", by_voters), ("the same voters search on", by_search)]:
        if not jumps:
            print(f"{name}: none")
            continue
        jumps.sort()
        quantile = jumps[min(len(jumps) - 1, int(0.99 * len(jumps)))]
        print(
            f"{name}: {len(jumps)} pairs, mean {statistics.mean(jumps):.1f}, 99 % {quantile}, "
            f"largest {jumps[-1]} centipawns"
        )


if __name__ == "__main__":
    main()
