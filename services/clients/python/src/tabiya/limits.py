"""When a search ends."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from tabiya import v1


def duration(seconds: float) -> Duration:
    """Seconds as the protocol has them."""
    whole = Duration()
    whole.FromNanoseconds(round(seconds * 1e9))
    return whole


def limits(
    nodes: int | None = None,
    depth: int | None = None,
    time: float | None = None,
    mate: int | None = None,
) -> v1.Limits | None:
    """The limits that are given; `time` in seconds."""
    if nodes is None and depth is None and time is None and mate is None:
        return None
    return v1.Limits(
        nodes=nodes or 0,
        depth=depth or 0,
        mate=mate or 0,
        time=None if time is None else duration(time),
    )
