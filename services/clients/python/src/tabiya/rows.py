"""Answers as rows of a table."""

from __future__ import annotations

from typing import Any

from tabiya import v1
from tabiya.bulk import Answer


def score(value: v1.Score) -> tuple[int | None, int | None]:
    """Centipawns and moves to mate, from the side to move: one of the two."""
    if value.WhichOneof("kind") == "mate_in":
        return None, value.mate_in
    return value.centipawns, None


def row(answer: Answer[Any, v1.AnalyzeResponse]) -> dict[str, Any]:
    """An analysis as a flat row, such as `pandas.DataFrame(map(row, client.analyse_many(…)))` takes.

    `cp` and `mate` are from the side to move, one of them `None`; `pv` is in UCI notation; a position without an answer
    has `error` and nothing else.
    """
    cells: dict[str, Any] = dict.fromkeys(
        ("index", "best_move", "cp", "mate", "win", "draw", "loss", "pv", "depth", "nodes", "error")
    )
    cells["index"] = answer.index
    if answer.response is None:
        cells["error"] = str(answer.error)
        return cells
    response = answer.response
    cells["best_move"] = response.best_move or None
    cells["nodes"] = response.stats.nodes
    if response.lines:
        line = response.lines[0]
        cells["cp"], cells["mate"] = score(line.score)
        if line.score.HasField("wdl"):
            wdl = line.score.wdl
            cells["win"], cells["draw"], cells["loss"] = wdl.win, wdl.draw, wdl.loss
        cells["pv"] = " ".join(line.moves)
        cells["depth"] = line.depth
    return cells
