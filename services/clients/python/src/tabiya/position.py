"""Boards of other libraries as positions of the protocol."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Protocol, Union

from tabiya import v1


class Board(Protocol):
    """A board such as python-chess has: any object with these two will do."""

    @property
    def move_stack(self) -> Sequence[Any]:
        """The moves that led here: objects with `.uci()`, or UCI texts."""

    def fen(self) -> str:
        """The position in Forsyth-Edwards notation."""


BoardLike = Union[Board, str, v1.Position, None]
"""A board, a FEN, a position of the protocol, or `None` for the standard start."""


class HistoryLost(UserWarning):
    """A board has moves behind it but no way back to its start, so only its FEN was sent."""


def position(board: BoardLike) -> v1.Position:
    """The board as a position with its history.

    The start is found by `board.root()` where the board has that, as in python-chess. Without it, or behind a null move,
    the FEN alone is sent, and repetitions before it do not count.
    """
    if board is None:
        return v1.Position()
    if isinstance(board, v1.Position):
        return board
    if isinstance(board, str):
        return v1.Position(fen=board)
    variant = getattr(board, "uci_variant", None) or "chess"
    if variant != "chess":
        raise ValueError(f"the variant {variant!r} is not served")
    setup = v1.VARIANT_CHESS960 if getattr(board, "chess960", False) else v1.VARIANT_UNSPECIFIED
    moves = [move if isinstance(move, str) else str(move.uci()) for move in board.move_stack]
    root = getattr(board, "root", None)
    if moves and root is not None and "0000" not in moves:
        return v1.Position(fen=root().fen(), moves=moves, variant=setup)
    if moves and root is None:
        warnings.warn("the board has moves but no root(): its history is not sent", HistoryLost, stacklevel=3)
    return v1.Position(fen=board.fen(), variant=setup)
