#!/usr/bin/env python3
"""Referees games between a USI engine under test and an opponent.

The rules are those of the independent library `cshogi`: legality of every move, check, mate and
declaration. Fourfold repetition is counted here, because that library calls a draw at the second
occurrence already. The clock is the referee's own: from the line `go …` leaving to the line
`bestmove …` arriving.

Prints one JSON object a game, then one with the summary. Exit status: 0 when every game was
finished and the engine under test kept the rules and its time; 1 when it made an illegal move, a
false declaration, lost on time, crashed or broke the protocol; 2 when the opponent or the
arguments spoiled a game.
"""

import argparse
import json
import queue
import shlex
import subprocess
import sys
import threading
import time

import cshogi

# How long an engine may take for what is not on the clock.
SETUP_SECONDS = 60.0
# How long a side whose clock is not enforced may think before it counts as hung.
HANG_SECONDS = 60.0
# How long the engine under test gets to obey `quit`.
QUIT_SECONDS = 5.0

FAULTS = {"illegal_move", "false_declaration", "time", "crash", "protocol"}


class EngineFault(Exception):
    """What an engine did wrong: a reason out of FAULTS, and a line about it."""

    def __init__(self, reason, detail):
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Engine:
    """A USI engine as a child process."""

    def __init__(self, name, command, options, log):
        self.name = name
        self.log = log
        self.lines = queue.Queue()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log or subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        threading.Thread(target=self._read, daemon=True).start()
        self.send("usi")
        self.wait_for("usiok", SETUP_SECONDS)
        for option in options:
            option_name, _, value = option.partition("=")
            self.send(f"setoption name {option_name} value {value}")

    def _read(self):
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), line.rstrip("\r\n")))
        self.lines.put((time.monotonic(), None))

    def note(self, direction, line):
        if self.log:
            print(f"{time.monotonic():.3f} {self.name} {direction} {line}", file=self.log, flush=True)

    def send(self, line):
        self.note("<", line)
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise EngineFault("crash", f"{self.name} does not read '{line}': {error}") from error

    def wait_for(self, word, seconds):
        """The first line that begins with `word`, and when it came."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                arrived, line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise EngineFault("time", f"{self.name}: no '{word}' within {seconds:.1f} s") from None
            if line is None:
                raise EngineFault("crash", f"{self.name} ended, expected '{word}'")
            self.note(">", line)
            first = line.split(" ", 1)[0]
            if first == word:
                return arrived, line
            if first == "bestmove":
                raise self.unasked(line)

    def new_game(self):
        self.send("isready")
        self.wait_for("readyok", SETUP_SECONDS)
        self.send("usinewgame")

    def expect_no_bestmove(self):
        """Every `go` has exactly one answer; what has come since is looked at here.

        One that is still on its way is taken for the next answer: only `isready` makes sure.
        """
        while True:
            try:
                _, line = self.lines.get_nowait()
            except queue.Empty:
                return
            if line is None:
                raise EngineFault("crash", f"{self.name} ended between two moves")
            self.note(">", line)
            if line.split(" ", 1)[0] == "bestmove":
                raise self.unasked(line)

    def unasked(self, line):
        return EngineFault("protocol", f"{self.name}: unasked '{line}'")

    def think(self, position, go, seconds):
        """The move, and the seconds it took by the referee's clock."""
        self.expect_no_bestmove()
        self.send(position)
        started = time.monotonic()
        self.send(go)
        arrived, line = self.wait_for("bestmove", seconds)
        words = line.split()
        if len(words) < 2:
            raise EngineFault("protocol", f"{self.name}: '{line}' names no move")
        return words[1], arrived - started

    def quit(self):
        """Whether it obeyed within the time; it is killed otherwise."""
        try:
            self.send("quit")
            self.process.wait(timeout=QUIT_SECONDS)
            return True
        except (EngineFault, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
            return False


class Repetition:
    """Counts how often a position has occurred, and who has been giving check."""

    def __init__(self, board):
        self.keys = [self.key(board)]
        self.checks = [board.is_check()]

    @staticmethod
    def key(board):
        return board.sfen().rsplit(" ", 1)[0]

    def verdict(self, board):
        """After a move: None, "draw", or the side (cshogi.BLACK or WHITE) that loses by perpetual check."""
        key = self.key(board)
        self.keys.append(key)
        self.checks.append(board.is_check())
        if self.keys.count(key) < 4:
            return None
        first = self.keys.index(key)
        # Positions after the mover's moves since the first occurrence, and after the other side's.
        mover = self.checks[len(self.checks) - 1 : first : -2]
        other = self.checks[len(self.checks) - 2 : first : -2]
        if all(mover):
            return opposite(board.turn)
        if all(other):
            return board.turn
        return "draw"


def opposite(color):
    return cshogi.WHITE if color == cshogi.BLACK else cshogi.BLACK


def is_usi_move(text):
    """Whether the text has the form of a move; the library reads some others as moves too."""

    def square(part):
        return len(part) == 2 and part[0] in "123456789" and part[1] in "abcdefghi"

    if len(text) == 4 and text[1] == "*":
        return text[0] in "PLNSGBR" and square(text[2:])
    return len(text) in (4, 5) and square(text[:2]) and square(text[2:4]) and text[4:] in ("", "+")


class Side:
    """One engine with its clock."""

    def __init__(self, engine, go, limit_ms):
        self.engine = engine
        self.go = go
        # None: this side's clock is not enforced.
        self.limit_ms = limit_ms

    def think(self, position):
        allowed = HANG_SECONDS if self.limit_ms is None else self.limit_ms / 1000.0
        # One that is late is still heard for a while, to tell a late answer from none.
        text, seconds = self.engine.think(position, self.go, max(allowed * 4, HANG_SECONDS))
        if seconds > allowed:
            raise EngineFault("time", f"{text} after {seconds * 1000:.0f} ms, allowed {allowed * 1000:.0f} ms")
        return text, seconds


def play(sides, opening, max_plies):
    """Plays one game. `sides` maps colours to sides. Returns a dictionary for its JSON line."""
    board = cshogi.Board()
    for text in opening:
        if not is_usi_move(text) or not board.is_legal(board.move_from_usi(text)):
            sys.exit(f"match.py: {text} in the opening is not legal")
        board.push_usi(text)
    # The history counts from the end of the opening: an opening repeats nothing.
    repetition = Repetition(board)
    moves = list(opening)
    slowest = {cshogi.BLACK: 0.0, cshogi.WHITE: 0.0}

    def ended(winner, reason, detail=""):
        return {
            "winner": winner,
            "reason": reason,
            "detail": detail,
            "plies": len(moves),
            "slowest_ms": {sides[color].engine.name: round(slowest[color] * 1000) for color in slowest},
            "moves": " ".join(moves[len(opening):]),
        }

    for side in sides.values():
        try:
            side.engine.new_game()
        except EngineFault as fault:
            fault.engine = side.engine
            raise
    while True:
        color = board.turn
        side = sides[color]
        mated = not any(True for _ in board.legal_moves)
        if len(moves) >= max_plies and not mated:
            return ended(None, "max_plies")
        try:
            text, seconds = side.think(f"position startpos moves {' '.join(moves)}".removesuffix(" moves "))
            slowest[color] = max(slowest[color], seconds)
            if text == "resign":
                return ended(opposite(color), "mate" if mated else "resign")
            if text == "win":
                if not board.is_nyugyoku():
                    raise EngineFault("false_declaration", f"'win' in {board.sfen()}")
                return ended(color, "declaration")
            if not is_usi_move(text) or not board.is_legal(board.move_from_usi(text)):
                raise EngineFault("illegal_move", f"{text} in {board.sfen()}")
        except EngineFault as fault:
            fault.engine = side.engine
            result = ended(opposite(color), fault.reason, fault.detail)
            result["fault_of"] = side.engine.name
            return result
        board.push_usi(text)
        moves.append(text)
        verdict = repetition.verdict(board)
        if verdict == "draw":
            return ended(None, "repetition")
        if verdict is not None:
            return ended(opposite(verdict), "perpetual_check")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", required=True, help="command of the engine under test")
    parser.add_argument("--engine-name", default="monju")
    parser.add_argument("--engine-option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--opponent", required=True, help="command of the opponent")
    parser.add_argument("--opponent-name", default="opponent")
    parser.add_argument("--opponent-option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--byoyomi", type=int, required=True, help="milliseconds a move of the engine under test; enforced")
    parser.add_argument("--opponent-byoyomi", type=int, required=True, help="milliseconds a move of the opponent; not enforced")
    parser.add_argument("--openings", required=True, help="file of 'startpos moves …' lines")
    parser.add_argument("--openings-from", type=int, default=0, help="number of the first opening taken, from 0")
    parser.add_argument("--games-a-side", type=int, default=1, help="games with each colour; each opening is played with both")
    parser.add_argument("--max-plies", type=int, default=256, help="a game of this length is a draw")
    parser.add_argument("--log", help="file for all USI traffic and the engines' standard error")
    return parser.parse_args()


def main():
    args = arguments()
    with open(args.openings, encoding="utf-8") as file:
        openings = [line.split()[2:] for line in file if line.startswith("startpos moves ")]
    log = open(args.log, "a", encoding="utf-8") if args.log else None
    results = []
    status = 0
    under_test = opponent = None
    try:
        under_test = Engine(args.engine_name, shlex.split(args.engine), args.engine_option, log)
        opponent = Engine(args.opponent_name, shlex.split(args.opponent), args.opponent_option, log)
        ours = Side(under_test, f"go btime 0 wtime 0 byoyomi {args.byoyomi}", args.byoyomi)
        theirs = Side(opponent, f"go byoyomi {args.opponent_byoyomi}", None)
        for pair in range(args.games_a_side):
            opening = openings[(args.openings_from + pair) % len(openings)]
            for color in (cshogi.BLACK, cshogi.WHITE):
                sides = {color: ours, opposite(color): theirs}
                result = play(sides, opening, args.max_plies)
                winner = result["winner"]
                result = {
                    "game": len(results) + 1,
                    "black": sides[cshogi.BLACK].engine.name,
                    "white": sides[cshogi.WHITE].engine.name,
                    **result,
                    "winner": None if winner is None else sides[winner].engine.name,
                }
                print(json.dumps(result), flush=True)
                results.append(result)
                # After a fault the match is over, and the engine may not be there any more.
                if result["reason"] in FAULTS:
                    status = 1 if result["fault_of"] == under_test.name else 2
                    break
                for side in sides.values():
                    outcome = "draw" if winner is None else "win" if sides[winner] is side else "lose"
                    try:
                        side.engine.send(f"gameover {outcome}")
                    except EngineFault as fault:
                        fault.engine = side.engine
                        raise
            if status:
                break
    except EngineFault as fault:
        engine = getattr(fault, "engine", under_test if opponent is None else opponent)
        name = engine.name if engine else args.engine_name
        print(f"match.py: {name}: {fault}", file=sys.stderr)
        status = 2 if engine is not None and engine is opponent else 1
    finally:
        if opponent:
            opponent.quit()
        if under_test and not under_test.quit() and status == 0:
            print(f"match.py: {under_test.name} did not obey quit within {QUIT_SECONDS:.0f} s", file=sys.stderr)
            status = 1
    score = {outcome: 0 for outcome in ("wins", "losses", "draws")}
    for result in results:
        score["draws" if result["winner"] is None else "wins" if result["winner"] == args.engine_name else "losses"] += 1
    print(json.dumps({"summary": {"games": len(results), **score, "exit_status": status}}), flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
