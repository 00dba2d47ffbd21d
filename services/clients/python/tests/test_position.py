"""Boards become positions with their history."""

from __future__ import annotations

import chess
import chess.variant
import pytest

from tabiya import HistoryLost, position, v1

START = chess.STARTING_FEN


def test_texts_and_positions_go_as_they_are() -> None:
    assert position(None) == v1.Position()
    assert position("some fen") == v1.Position(fen="some fen")
    given = v1.Position(moves=["e2e4"])
    assert position(given) is given


def test_a_board_brings_its_moves() -> None:
    board = chess.Board()
    for move in ("Nf3", "Nf6", "Ng1", "Ng8"):
        board.push_san(move)
    assert position(board) == v1.Position(fen=START, moves=["g1f3", "g8f6", "f3g1", "f6g8"])


def test_chess960_is_said() -> None:
    board = chess.Board.from_chess960_pos(0)
    assert position(board).variant == v1.VARIANT_CHESS960


def test_behind_a_null_move_only_the_board_counts() -> None:
    board = chess.Board()
    board.push(chess.Move.null())
    board.push_san("e5")
    assert position(board) == v1.Position(fen=board.fen())


def test_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match="atomic"):
        position(chess.variant.AtomicBoard())


class Plain:
    """All that is asked for, and no more."""

    def __init__(self, fen: str, moves: list[str]) -> None:
        self._fen = fen
        self.move_stack = moves

    def fen(self) -> str:
        return self._fen


def test_any_object_with_a_fen_and_moves_will_do() -> None:
    assert position(Plain(START, [])) == v1.Position(fen=START)
    with pytest.warns(HistoryLost):
        assert position(Plain("8/8/8/8/8/4k3/8/4K2R w - - 0 1", ["h2h1"])).moves == []
