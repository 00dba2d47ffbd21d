"""Calls that are asked again when that can help."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import grpc
from google.protobuf.message import Message

from tabiya.connection import Token
from tabiya.errors import from_call
from tabiya.retry import RetryBudget, RetryPolicy

A = TypeVar("A", bound=Message)


@dataclass(frozen=True)
class Statistics:
    """What a client has asked so far."""

    calls: int
    """Calls of the program's, streams among them."""
    retries: int
    """How often one was asked again."""


class Caller:
    """Asks, with the token, and again within the budget."""

    def __init__(self, channel: grpc.Channel, policy: RetryPolicy, token: Token | None) -> None:
        self.channel = channel
        self.policy = policy
        self._token = token
        self._budget = RetryBudget()
        self._lock = threading.Lock()
        self._calls = 0
        self._retries = 0

    @property
    def statistics(self) -> Statistics:
        with self._lock:
            return Statistics(self._calls, self._retries)

    def count(self, retry: bool = False) -> None:
        with self._lock:
            if retry:
                self._retries += 1
            else:
                self._calls += 1

    def metadata(self) -> tuple[tuple[str, str], ...]:
        token = self._token() if callable(self._token) else self._token
        return () if token is None else (("authorization", f"Bearer {token}"),)

    def unary(self, path: str, answer: type[A], request: Message, timeout: float | None) -> A:
        """Asks until there is an answer, an error that stays, no retry left, or no time."""
        method = self.channel.unary_unary(
            path, request_serializer=type(request).SerializeToString, response_deserializer=answer.FromString
        )
        return self._ask(lambda left: method(request, timeout=left, metadata=self.metadata()), timeout)

    def client_stream(self, path: str, answer: type[A], requests: Sequence[Message], timeout: float | None) -> A:
        """`unary` for a call that takes a stream, for one that may be sent again as a whole."""
        method = self.channel.stream_unary(
            path, request_serializer=type(requests[0]).SerializeToString, response_deserializer=answer.FromString
        )
        return self._ask(lambda left: method(iter(requests), timeout=left, metadata=self.metadata()), timeout)

    def _ask(self, call: Callable[[float | None], A], timeout: float | None) -> A:
        self.count()
        end = None if timeout is None else time.monotonic() + timeout
        attempt = 1
        while True:
            left = remaining(end)
            try:
                response = call(left)
            except grpc.RpcError as failure:
                error = from_call(failure)
            else:
                self._budget.earn()
                return response
            pause = self.policy.pause(error, attempt)
            left = remaining(end)
            # A pause that takes all the time left would only hide what is wrong.
            if pause is None or (left is not None and pause >= left) or not self._budget.spend():
                raise error
            time.sleep(pause)
            self.count(retry=True)
            attempt += 1

    def server_stream(self, path: str, answer: type[A], request: Message, timeout: float | None) -> Iterator[A]:
        """Asks once and hands out the answers; leaving the iteration ends the call."""
        method = self.channel.unary_stream(
            path, request_serializer=type(request).SerializeToString, response_deserializer=answer.FromString
        )
        self.count()
        call = method(request, timeout=timeout, metadata=self.metadata())
        try:
            yield from call
        except grpc.RpcError as failure:
            raise from_call(failure) from None
        finally:
            call.cancel()


def remaining(end: float | None) -> float | None:
    """Seconds until then, at least none."""
    return None if end is None else max(end - time.monotonic(), 0.0)
