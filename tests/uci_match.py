"""Plays whole games between two copies of a UCI engine and judges them.

    python3 tests/uci_match.py --engine "target/release/tabiya uci" --games 200 --base 1 --increment 0.01

Every move must be legal and every engine must stay alive. A side loses on time when it goes over its clock by more
than the margin, as match runners have it. Every second game is Chess960. The last line is a JSON object with what was
seen; the exit code is 0 if there was no illegal move, no crash and no loss on time.
"""

import argparse
import asyncio
import json
import random
import shlex
import sys
import time

import chess
import chess.engine

OPENING_PLIES = 8
LONGEST_GAME = 400


class Report:
    """What was seen in all games."""

    def __init__(self):
        self.games = 0
        self.plies = 0
        self.illegal_moves = 0
        self.crashes = 0
        self.time_losses = 0
        self.worst_overshoot_ms = None
        self.results = {}

    def overshoot(self, milliseconds):
        if self.worst_overshoot_ms is None or milliseconds > self.worst_overshoot_ms:
            self.worst_overshoot_ms = round(milliseconds, 1)

    def is_clean(self):
        return not (self.illegal_moves or self.crashes or self.time_losses)


def opening(seed):
    """A start position and some random moves from it, the same for the same seed."""
    chance = random.Random(seed)
    while True:
        board = chess.Board.from_chess960_pos(chance.randrange(960)) if seed % 2 else chess.Board()
        for _ in range(OPENING_PLIES):
            board.push(chance.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
        else:
            return board


async def play(seed, engines, options, report):
    """One game. The clocks are this runner's own, measured around each call."""
    board = opening(seed)
    clocks = {chess.WHITE: options.base, chess.BLACK: options.base}
    result = "1/2-1/2"
    while board.ply() < LONGEST_GAME:
        outcome = board.outcome(claim_draw=True)
        if outcome is not None:
            result = outcome.result()
            break
        side = board.turn
        limit = chess.engine.Limit(
            white_clock=max(clocks[chess.WHITE], 0.001),
            black_clock=max(clocks[chess.BLACK], 0.001),
            white_inc=options.increment,
            black_inc=options.increment,
        )
        loses = "0-1" if side == chess.WHITE else "1-0"
        begun = time.perf_counter()
        try:
            answer = await engines[side].play(board, limit, game=seed)
        except chess.engine.EngineTerminatedError:
            report.crashes += 1
            result = loses
            break
        except chess.engine.EngineError as error:
            print(f"game {seed}: {board.fen()}: {error}", file=sys.stderr)
            report.illegal_moves += 1
            result = loses
            break
        spent = time.perf_counter() - begun
        report.overshoot((spent - clocks[side]) * 1000)
        if spent > clocks[side] + options.margin / 1000:
            report.time_losses += 1
            result = loses
            break
        clocks[side] += options.increment - spent
        if answer.move not in board.legal_moves:
            print(f"game {seed}: {board.fen()}: {answer.move}", file=sys.stderr)
            report.illegal_moves += 1
            result = loses
            break
        board.push(answer.move)
        report.plies += 1
    report.games += 1
    report.results[result] = report.results.get(result, 0) + 1


async def pair(seeds, options, report):
    """Two engines that play games until none is left."""
    command = shlex.split(options.engine)
    transports = []
    engines = {}
    for side in (chess.WHITE, chess.BLACK):
        transport, engines[side] = await chess.engine.popen_uci(command)
        transports.append(transport)
    while seeds:
        await play(seeds.pop(0), engines, options, report)
    for engine in engines.values():
        try:
            await engine.quit()
        except chess.engine.EngineError:
            pass
    for transport in transports:
        transport.close()


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", required=True, help="command line of the engine")
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--base", type=float, default=1.0, help="clock of each side in seconds")
    parser.add_argument("--increment", type=float, default=0.01, help="seconds added after each move")
    parser.add_argument("--margin", type=float, default=1000, help="milliseconds over the clock that are forgiven")
    parser.add_argument("--concurrency", type=int, default=1, help="games at once")
    options = parser.parse_args()
    report = Report()
    seeds = list(range(options.games))
    await asyncio.gather(*(pair(seeds, options, report) for _ in range(options.concurrency)))
    print(json.dumps(vars(report)))
    return 0 if report.is_clean() and report.games == options.games else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
