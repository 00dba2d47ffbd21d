"""Prints outcome and distance of each position: oracle.py FOLDER FILE, a FEN a line."""

import sys

import chess
import chess.syzygy

with chess.syzygy.open_tablebase(sys.argv[1]) as tables, open(sys.argv[2]) as questions:
    for line in questions:
        board = chess.Board(line.strip())
        print(tables.probe_wdl(board), tables.probe_dtz(board))
