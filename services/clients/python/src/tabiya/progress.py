"""How far a stream of items is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Union

Progress = Union[bool, Callable[[int, Union[int, None]], None]]
"""`True` for a bar, or a function that is told how many are done, of how many (`None` if that is not known)."""


class Meter:
    """Tells the progress of one stream."""

    def __init__(self, progress: Progress, total: int | None) -> None:
        self._total = total
        self._done = 0
        self._tell = progress if callable(progress) else None
        self._bar = None
        if progress is True:
            try:
                from tqdm.auto import tqdm
            except ImportError as missing:
                raise ImportError("a progress bar needs tqdm: pip install 'tabiya[progress]'") from missing
            self._bar = tqdm(total=total, unit="pos", smoothing=0.1)

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        if self._bar is not None:
            self._bar.update()
        if self._tell is not None:
            self._tell(self._done, self._total)

    def close(self) -> None:
        """The stream has ended."""
        if self._bar is not None:
            self._bar.close()
