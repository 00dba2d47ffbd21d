"""Streams of items with a bounded number in flight, resumed when the connection breaks.

Items are taken from the source on the caller's thread, ahead of the answers, while there is room in flight: answers that
are there wait while the source does. A source whose items depend on earlier answers needs `in_flight=1`.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import grpc
from google.protobuf.message import Message

from tabiya import v1
from tabiya.calls import Caller, remaining
from tabiya.errors import InvalidArgument, TabiyaError, Unavailable, from_call, from_item
from tabiya.progress import Meter, Progress

T = TypeVar("T")
A = TypeVar("A")
R = TypeVar("R", bound="Response")


class Response(Protocol):
    """One item's answer on the wire."""

    index: int
    error: v1.ItemError

    def HasField(self, field_name: Any) -> bool: ...  # noqa: N802 - protobuf's name


@dataclass(frozen=True)
class Answer(Generic[T, A]):
    """What became of one item."""

    index: int
    """The item's place in what was given, from 0."""
    item: T
    """The item as it was given. A board that is played on since shows its new position."""
    response: A | None
    """The answer, if there is one."""
    error: TabiyaError | None
    """Why there is none."""

    def result(self) -> A:
        """The answer; raises the error if there is none."""
        if self.response is None:
            raise self.error or TabiyaError(grpc.StatusCode.UNKNOWN, "neither an answer nor an error")
        return self.response


class _Conversation:
    """One stream: what is sent goes out on gRPC's thread, what comes in is put into a queue by a thread of ours."""

    def __init__(self, start: Callable[[Iterator[Message]], Any]) -> None:
        self._outbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._call = start(iter(self._outbox.get, None))
        self._reader = threading.Thread(target=self._read, name="tabiya-answers", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        try:
            for response in self._call:
                self._inbox.put(response)
        except grpc.RpcError as failure:
            self._inbox.put(from_call(failure))
        else:
            self._inbox.put(None)

    def send(self, request: Message) -> None:
        self._outbox.put(request)

    def finish(self) -> None:
        """Nothing more will be sent."""
        self._outbox.put(None)

    def receive(self, wait: bool) -> Any:
        """An answer, an error, or `None` at the end; raises `queue.Empty` if it may not wait and nothing is there."""
        return self._inbox.get(block=wait)

    def close(self) -> None:
        self._call.cancel()
        self._outbox.put(None)
        self._reader.join()


class Exchange(Generic[T, A, R]):
    """The items of one bulk call on their way."""

    def __init__(
        self,
        caller: Caller,
        path: str,
        response: type[R],
        items: Iterable[T],
        request: Callable[[int, T], Message],
        answer: Callable[[R], A],
        in_flight: int,
        ordered: bool,
        progress: Progress,
        timeout: float | None,
    ) -> None:
        if in_flight < 1:
            raise ValueError(f"in_flight is {in_flight}, not at least 1")
        self._caller = caller
        self._method: grpc.StreamStreamMultiCallable[Message, R] = caller.channel.stream_stream(
            path,
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=response.FromString,  # type: ignore[attr-defined]
        )
        self._items = iter(items)
        self._request = request
        self._answer = answer
        self._in_flight = in_flight
        self._ordered = ordered
        self._meter = Meter(progress, len(items) if isinstance(items, Sized) else None)
        self._end = None if timeout is None else time.monotonic() + timeout
        self._exhausted = False
        self._taken = 0
        self._handed = 0
        # Items without an answer, by their place in what was given.
        self._pending: dict[int, tuple[T, Message]] = {}
        # Answers that are not handed out yet: wrong items, and, in order, those that came early.
        self._held: dict[int, Answer[T, A]] = {}

    def run(self) -> Iterator[Answer[T, A]]:
        """Hands out the answers."""
        failures = 0
        self._caller.count()
        try:
            while True:
                answered = self._handed + len(self._held)
                failure: TabiyaError | None = None
                try:
                    yield from self._converse()
                    return
                except TabiyaError as error:
                    failure = error
                # Progress earns patience: only failures in a row count. The budget of retries is for single calls; a
                # stream is one call however often it is resumed, and its pauses grow.
                failures = 1 if self._handed + len(self._held) > answered else failures + 1
                pause = self._caller.policy.pause(failure, failures)
                left = remaining(self._end)
                if pause is None or (left is not None and pause >= left):
                    raise failure
                time.sleep(pause)
                self._caller.count(retry=True)
        finally:
            self._meter.close()

    def _take(self) -> tuple[int, Message] | None:
        """The next item, if it can be sent; marks the end of the items."""
        try:
            item = next(self._items)
        except StopIteration:
            self._exhausted = True
            return None
        place = self._taken
        self._taken += 1
        try:
            request = self._request(place, item)
        except (ValueError, TypeError) as reason:
            self._held[place] = Answer(place, item, None, InvalidArgument(grpc.StatusCode.INVALID_ARGUMENT, str(reason)))
            return None
        self._pending[place] = (item, request)
        return place, request

    def _ready(self) -> Iterator[Answer[T, A]]:
        """Hands out what may be handed out now."""
        while self._held:
            place = self._handed if self._ordered else next(iter(self._held))
            answer = self._held.pop(place, None)
            if answer is None:
                return
            self._handed += 1
            self._meter.step()
            yield answer

    def _converse(self) -> Iterator[Answer[T, A]]:
        """One stream: sends what has no answer, then new items, and hands out the answers."""
        while not self._pending and not self._exhausted:
            self._take()
            yield from self._ready()
        if not self._pending:
            return
        # For each unanswered item, by its place in this stream: its place in what was given.
        places = dict(enumerate(sorted(self._pending)))
        sent = len(places)
        conversation = _Conversation(
            lambda requests: self._method(requests, timeout=remaining(self._end), metadata=self._caller.metadata())
        )
        try:
            for place in places.values():
                conversation.send(self._pending[place][1])
            if self._exhausted:
                conversation.finish()
            while True:
                # What has been handed out in order makes room, not what waits for its turn.
                may_take = not self._exhausted and self._taken - self._handed < self._in_flight
                try:
                    message = conversation.receive(wait=not may_take)
                except queue.Empty:
                    taken = self._take()
                    if taken is not None:
                        places[sent] = taken[0]
                        sent += 1
                        conversation.send(taken[1])
                    elif self._exhausted:
                        conversation.finish()
                    yield from self._ready()
                    continue
                if isinstance(message, TabiyaError):
                    raise message
                if message is None:
                    if self._exhausted and not self._pending:
                        return
                    raise Unavailable(grpc.StatusCode.UNAVAILABLE, "the server ended the stream early")
                self._accept(message, places)
                yield from self._ready()
        finally:
            conversation.close()

    def _accept(self, message: R, places: dict[int, int]) -> None:
        place = places.pop(message.index, None)
        if place is None:
            raise TabiyaError(grpc.StatusCode.DATA_LOSS, "the server answered an item that was not asked")
        item, _ = self._pending.pop(place)
        failed = message.HasField("error")
        self._held[place] = Answer(
            place,
            item,
            None if failed else self._answer(message),
            from_item(message.error) if failed else None,
        )
