"""What can go wrong with a call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import grpc

from tabiya import v1
from tabiya.details_pb2 import BadRequest, RetryInfo, Status

_CODES = {code.value[0]: code for code in grpc.StatusCode}


@dataclass(frozen=True)
class Violation:
    """A field that was refused."""

    field: str
    """Its path, such as `position.fen`."""
    reason: str
    """Why."""
    value: str = ""
    """The value, cut to 64 bytes; empty where `reason` has it."""


class TabiyaError(Exception):
    """A call, or an item of a stream, that has no answer."""

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        violations: Iterable[Violation] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.violations = tuple(violations)
        self.retry_after = retry_after
        """Seconds after which the server proposes to ask again."""

    def __str__(self) -> str:
        # The message names the first violation already.
        others = "".join(f"; {each.field} {each.reason}" for each in self.violations[1:])
        return f"{self.code.name}: {self.message}{others}"


class InvalidArgument(TabiyaError, ValueError):
    """The request is wrong; `violations` tells where."""


class DeadlineExceeded(TabiyaError, TimeoutError):
    """There was no answer in time."""


class Unavailable(TabiyaError, ConnectionError):
    """No server could be reached."""


_CLASSES = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgument,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceeded,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
}


def _error(
    code: grpc.StatusCode,
    message: str,
    violations: Iterable[Violation] = (),
    retry_after: float | None = None,
) -> TabiyaError:
    return _CLASSES.get(code, TabiyaError)(code, message, violations, retry_after)


def from_call(error: grpc.RpcError) -> TabiyaError:
    """The error that a call ended with."""
    if not isinstance(error, grpc.Call):
        return _error(grpc.StatusCode.UNKNOWN, str(error))
    violations: list[Violation] = []
    retry_after = None
    for key, value in error.trailing_metadata() or ():
        if key != "grpc-status-details-bin" or not isinstance(value, bytes):
            continue
        try:
            details = Status.FromString(value).details
            for each in details:
                if each.type_url.endswith("/google.rpc.BadRequest"):
                    bad = BadRequest.FromString(each.value)
                    violations += [Violation(v.field, v.description) for v in bad.field_violations]
                elif each.type_url.endswith("/google.rpc.RetryInfo"):
                    delay = RetryInfo.FromString(each.value).retry_delay
                    retry_after = delay.seconds + delay.nanos / 1e9
        except Exception:  # Details are extra: the error itself counts, and protobuf's error types differ by version.
            break
    return _error(error.code(), error.details() or "", violations, retry_after)


def from_item(error: v1.ItemError) -> TabiyaError:
    """The error of one item of a stream."""
    violations = [Violation(each.field, each.reason, each.value) for each in error.violations]
    return _error(_CODES.get(error.code, grpc.StatusCode.UNKNOWN), error.message, violations)
