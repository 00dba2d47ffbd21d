"""When and how often a call is asked again."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass

import grpc

from tabiya.errors import TabiyaError


@dataclass(frozen=True)
class RetryPolicy:
    """When and how often a call is asked again. All times in seconds."""

    attempts: int = 6
    """How often one call is asked at most, the first time included."""
    first_pause: float = 0.05
    """Pause before the second time; it doubles with each further one."""
    longest_pause: float = 5.0
    """Greatest pause, whatever the server proposes."""

    def pause(self, error: TabiyaError, attempt: int) -> float | None:
        """The pause before the call may be asked again; `None` if it may not."""
        if attempt >= self.attempts or not is_transient(error):
            return None
        own = self.first_pause * 2.0 ** min(attempt - 1, 16)
        # Callers that were turned away together shall not come back together; and before the time that the server
        # proposes it would only refuse again.
        pause = max(own * random.uniform(0.75, 1.25), (error.retry_after or 0.0) * random.uniform(1.0, 1.5))
        return min(pause, self.longest_pause)


def is_transient(error: TabiyaError) -> bool:
    """Whether the same call can have a better end."""
    if error.code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return error.retry_after is not None
    return error.code is grpc.StatusCode.UNAVAILABLE


class RetryBudget:
    """Keeps repeated calls to about a tenth of all: a server in trouble shall not be asked twice as much."""

    MOST = 200

    def __init__(self) -> None:
        self._tenths = self.MOST
        self._lock = threading.Lock()

    def earn(self) -> None:
        """Earns a tenth of a retry."""
        with self._lock:
            self._tenths = min(self._tenths + 1, self.MOST)

    def spend(self) -> bool:
        """Spends a retry; false if there is none."""
        with self._lock:
            if self._tenths < 10:
                return False
            self._tenths -= 10
            return True
