#!/usr/bin/env python3
"""Measures the time from `go mate` to `checkmate`, as a GUI sees it.

    tests/referee/go_mate.py mate03.tsv mate05.tsv -- target/release/monju engine

Each file has a problem a line: a SFEN, and after a tab whatever else it says of it. Lines with `#` are comments.
"""

import argparse
import statistics
import subprocess
import sys
import time


class Engine:
    """A USI engine as a child process."""

    def __init__(self, command):
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def say(self, line):
        self.child.stdin.write(line + "\n")

    def hear(self, word):
        for line in self.child.stdout:
            if line.startswith(word):
                return line.split()
        sys.exit(f"go_mate.py: the engine has ended before '{word}'")


def problems(path, most):
    """Returns the first positions of a file."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split("\t")[0].strip() for line in file if not line.startswith("#")]
    return [line for line in lines if line][:most]


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("files", nargs="+", help="files of problems")
    words.add_argument("--most", type=int, default=300, help="problems of each file")
    words.add_argument("--limit", type=int, default=10_000, help="milliseconds for a problem")
    if "--" not in sys.argv:
        words.error("the engine is missing: -- PROGRAM ARGUMENTS")
    at = sys.argv.index("--")
    arguments, command = words.parse_args(sys.argv[1:at]), sys.argv[at + 1 :]
    engine = Engine(command)
    engine.say("usi")
    engine.hear("usiok")
    engine.say("isready")
    engine.hear("readyok")
    engine.say("usinewgame")
    for path in arguments.files:
        taken, unsolved = [], 0
        for sfen in problems(path, arguments.most):
            engine.say(f"position sfen {sfen}")
            begun = time.perf_counter()
            engine.say(f"go mate {arguments.limit}")
            answer = engine.hear("checkmate")
            taken.append(1000 * (time.perf_counter() - begun))
            unsolved += len(answer) < 2 or answer[1] in ("nomate", "timeout", "notimplemented")
        if not taken:
            sys.exit(f"go_mate.py: no problems in {path}")
        taken.sort()
        median, slow = statistics.median(taken), taken[len(taken) * 9 // 10]
        print(f"{path}: {len(taken)} problems, median {median:.2f} ms, p90 {slow:.2f} ms, most {taken[-1]:.1f} ms, {unsolved} unsolved")
    engine.say("quit")


if __name__ == "__main__":
    main()
