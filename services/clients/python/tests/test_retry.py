"""What is asked again, after which pause, and how often at most."""

from __future__ import annotations

import grpc
import pytest

from tabiya import RetryPolicy, TabiyaError
from tabiya.retry import RetryBudget

BUSY = grpc.StatusCode.RESOURCE_EXHAUSTED
GONE = grpc.StatusCode.UNAVAILABLE


def test_only_what_can_end_better_is_asked_again() -> None:
    policy = RetryPolicy()
    assert policy.pause(TabiyaError(GONE, "restarting"), 1) is not None
    assert policy.pause(TabiyaError(GONE, "restarting"), 6) is None
    # Without a time to come back the refusal is no matter of load.
    assert policy.pause(TabiyaError(BUSY, "too long"), 1) is None
    for code in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.INTERNAL):
        assert policy.pause(TabiyaError(code, ""), 1) is None


def test_the_servers_proposal_is_heeded_up_to_a_limit() -> None:
    policy = RetryPolicy()
    for _ in range(50):
        asked = policy.pause(TabiyaError(BUSY, "busy", retry_after=1.0), 1)
        assert asked is not None and 1.0 <= asked <= 1.5
    assert policy.pause(TabiyaError(BUSY, "busy", retry_after=1000.0), 1) == policy.longest_pause


def test_pauses_grow() -> None:
    policy = RetryPolicy(attempts=100, longest_pause=1e9)
    for attempt in (1, 2, 3, 10):
        pause = policy.pause(TabiyaError(GONE, ""), attempt)
        assert pause == pytest.approx(0.05 * 2 ** (attempt - 1), rel=0.26)


def test_ten_calls_earn_one_retry() -> None:
    budget = RetryBudget()
    assert sum(budget.spend() for _ in range(100)) == 20
    for _ in range(9):
        budget.earn()
    assert not budget.spend()
    budget.earn()
    assert budget.spend()
