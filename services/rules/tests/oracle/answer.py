"""The other opinion in a test: python-chess on positions that come in one a line.

`answer.py games FILE...` prints the FEN of every position of the main lines of PGN files.
`answer.py answer` reads `VARIANT<tab>FEN` lines and answers each with one line:
FEN as python-chess writes it, whether the side to move is in check, and its moves as `UCI=SAN`, blank-separated.
"""

import sys

import chess
import chess.pgn


def games(paths):
    for path in paths:
        with open(path, encoding="utf-8-sig") as file:
            while (game := chess.pgn.read_game(file)) is not None:
                variant = "960" if game.board().chess960 else "standard"
                board = game.board()
                print(variant, board.fen(en_passant="legal"), sep="\t")
                for move in game.mainline_moves():
                    board.push(move)
                    print(variant, board.fen(en_passant="legal"), sep="\t")


def answer():
    for line in sys.stdin:
        variant, fen = line.rstrip("\n").split("\t")
        board = chess.Board(fen, chess960=variant == "960")
        moves = [f"{board.uci(move)}={board.san(move)}" for move in board.legal_moves]
        print(board.fen(en_passant="legal"), int(board.is_check()), " ".join(moves), sep="\t", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "games":
        games(sys.argv[2:])
    else:
        answer()
