"""Holds the answers of `monju mate` against the rules of cshogi.

A mate's line must be legal, check at every ply of the attacker, and end in mate. It may not be
shorter than the mate of the file unless cshogi finds that mate as well, and must be as long with
--shortest. A mate of the file must not be denied.

    .venv/bin/python tests/referee/mates.py --monju target/release/monju FILE...

Each FILE has a position and the length of its mate, separated by a tab, in each line. The exit
status is 1 when an answer is wrong.
"""

import argparse
import json
import subprocess
import sys

import cshogi

# Longest mate that is proved again without a table.
PROVED_AGAIN = 5


def mates_within(board, plies):
    """Tells whether the side to move mates by checks within a number of plies."""
    for move in list(board.legal_moves):
        board.push(move)
        found = board.is_check() and all_answers_lose(board, plies - 1)
        board.pop()
        if found:
            return True
    return False


def all_answers_lose(board, plies):
    """Tells whether the side to move, in check, is mated within a number of plies."""
    answers = list(board.legal_moves)
    if answers and plies < 2:
        return False
    for move in answers:
        board.push(move)
        mated = mates_within(board, plies - 1)
        board.pop()
        if not mated:
            return False
    return True


def fault_of_line(sfen, moves):
    """Returns what is wrong with the line of a mate, or None."""
    board = cshogi.Board(sfen)
    for ply, text in enumerate(moves):
        legal = {cshogi.move_to_usi(move): move for move in board.legal_moves}
        if text not in legal:
            return f"{text} at ply {ply + 1} is not legal"
        board.push(legal[text])
        if ply % 2 == 0 and not board.is_check():
            return f"{text} at ply {ply + 1} is no check"
    if len(moves) % 2 == 0 or not board.is_check() or list(board.legal_moves):
        return "the line does not end in mate"
    return None


def fault_of_answer(sfen, plies, answer, shortest):
    """Returns what is wrong with an answer, or None; `plies` is the length in the file, if any."""
    if answer["result"] == "no_mate" and plies is not None:
        return f"no mate, but the file has one in {plies}"
    if answer["result"] != "mate":
        return None
    fault = fault_of_line(sfen, answer["moves"])
    if fault or plies is None or answer["plies"] == plies:
        return fault
    if answer["plies"] < plies:
        if answer["plies"] <= PROVED_AGAIN and mates_within(cshogi.Board(sfen), answer["plies"]):
            print(f"the file errs: {sfen} is a mate in {answer['plies']}, not {plies}")
            return None
        return f"a mate in {answer['plies']}, but the file has {plies}"
    if shortest and answer["shortest"]:
        return f"a mate in {answer['plies']} as the shortest, but the file has {plies}"
    return None


def problems(path, step):
    """Yields positions with the length of their mates, or None, from every `step`-th line."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    for line in lines[::step]:
        fields = line.split("\t")
        known = len(fields) > 1 and fields[1].isdigit()
        yield fields[0], int(fields[1]) if known else None


def check_file(path, arguments):
    """Asks about every position of a file; prints a summary and returns the number of faults."""
    counts = {"mate": 0, "no_mate": 0, "unknown": 0, "refused": 0}
    longer, unproved, faults, times = 0, 0, 0, []
    options = ["--json", "--time", str(arguments.time)]
    if arguments.shortest:
        options.append("--shortest")
    for sfen, plies in problems(path, arguments.step):
        command = [arguments.monju, "mate", "sfen", *sfen.split(), *options]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode == 2:
            # A position that cannot exist, such as one with two pawns on a file.
            counts["refused"] += 1
            continue
        answer = json.loads(ended.stdout)
        counts[answer["result"]] += 1
        times.append(answer["time_us"] / 1000)
        if answer["result"] == "mate":
            longer += plies is not None and answer["plies"] > plies
            unproved += not answer["shortest"]
        fault = fault_of_answer(sfen, plies, answer, arguments.shortest)
        if fault:
            faults += 1
            print(f"fault: {sfen}: {fault}")
    times.sort()
    quantile = lambda share: times[int((len(times) - 1) * share)] if times else 0.0
    print(
        f"{path}: {counts}, {faults} faults, {longer} longer than the file's, "
        f"{unproved} not proved the shortest, ms median {quantile(0.5):.2f}, p90 {quantile(0.9):.2f}"
    )
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--monju", required=True, help="the program")
    parser.add_argument("--time", type=int, default=10_000, help="milliseconds for a problem")
    parser.add_argument("--step", type=int, default=1, help="take every STEP-th problem")
    parser.add_argument("--shortest", action="store_true", help="ask for the shortest mates")
    parser.add_argument("files", nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    faults = sum(check_file(path, arguments) for path in arguments.files)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
