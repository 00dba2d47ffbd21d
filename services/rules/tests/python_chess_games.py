"""Prints what python-chess reads from a PGN file, one JSON object a game. Exit code 77: the package is missing."""
import json
import sys

try:
    import chess
    import chess.pgn
except ImportError:
    sys.exit(77)


def lines(board, node, path, out):
    if not node.variations:
        out.append(" ".join(path))
    for child in node.variations:
        path.append(board.uci(child.move, chess960=board.chess960))
        board.push(child.move)
        lines(board, child, path, out)
        board.pop()
        path.pop()


sys.setrecursionlimit(10_000)
with open(sys.argv[1], encoding="utf-8-sig") as file:
    while (game := chess.pgn.read_game(file)) is not None:
        board = game.board()
        moves, all_lines = [], []
        lines(board, game, [], all_lines)
        for move in game.mainline_moves():
            moves.append(board.uci(move, chess960=board.chess960))
            board.push(move)
        print(json.dumps({
            "tags": sorted(game.headers.items()),
            "moves": moves,
            "lines": sorted(all_lines),
            "chess960": board.chess960,
        }))
