"""A real server for the tests: the program that `TABIYA_BIN` names."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import IO

import grpc
import pytest

from tabiya import Client


class Server:
    """`tabiya serve` on free ports, or on one that it had before."""

    def __init__(self, *arguments: str, listen: str = "127.0.0.1:0") -> None:
        program = os.environ["TABIYA_BIN"]
        command = [program, "serve", "--listen", listen, "--admin-listen", "127.0.0.1:0", "--no-gpu", *arguments]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TABIYA_")}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout is not None and self.process.stderr is not None
        self.log: list[str] = []
        threading.Thread(target=self._read_log, args=(self.process.stderr,), daemon=True).start()
        self.address = self._line("listening on ")
        self.admin = self._line("admin on ")

    def _read_log(self, pipe: IO[str]) -> None:
        self.log.extend(pipe)

    def _line(self, start: str) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        assert line.startswith(start), f"{line!r} instead of {start!r}: {''.join(self.log)}"
        return line.removeprefix(start)

    def wait_until_ready(self) -> None:
        """Waits until it would get calls from a balancer."""
        begun = time.monotonic()
        with grpc.insecure_channel(self.admin) as channel:
            # grpc.health.v1: field 1 of the request is the name, field 1 of the answer the status, 1 means serving.
            check: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
                "/grpc.health.v1.Health/Check",
                request_serializer=lambda message: message,
                response_deserializer=lambda message: message,
            )
            while check(b"\n\x09readiness", timeout=60) != b"\x08\x01":
                assert time.monotonic() - begun < 120
                time.sleep(0.02)

    def terminate(self) -> int:
        """Ends it as an orchestrator does; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=120)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    if "TABIYA_BIN" not in os.environ:
        pytest.fail("TABIYA_BIN names no program")
    started = Server()
    yield started
    started.kill()


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.address) as connected:
        yield connected


@pytest.fixture
def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@pytest.fixture
def silent() -> Iterator[str]:
    """An address where connections are taken and nothing is ever said."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield "127.0.0.1:{}".format(listener.getsockname()[1])
