"""Servers that are replaced while callers go on: nobody notices.

200 calls a second, which have to be held; `TABIYA_ROLLOUT_RATE` sets another rate, for a machine that cannot hold this one,
and what is held is then only printed.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from conftest import Server
from tabiya import Client, RetryPolicy

RATE = int(os.environ.get("TABIYA_ROLLOUT_RATE", "200"))
THREADS = 8
SETTINGS = ("--drain-delay", "1", "--drain-grace", "20")


class Callers:
    """Legal moves at a steady rate from several threads, and a search now and then."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.errors: list[str] = []
        self.made = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self.begun = time.monotonic()
        self._threads = [threading.Thread(target=self._call, args=(number,)) for number in range(THREADS)]
        for thread in self._threads:
            thread.start()

    def _call(self, number: int) -> None:
        due = self.begun + number / RATE
        while not self._stop.is_set():
            # Calls that are late are made up for.
            time.sleep(max(due - time.monotonic(), 0.0))
            due += THREADS / RATE
            with self._lock:
                self.made += 1
                searches = self.made % 20 == 0
            try:
                if searches:
                    assert self.client.best_move(nodes=300).best_move
                else:
                    assert len(self.client.legal_moves().moves) == 20
            except Exception as error:
                self.errors.append(repr(error))

    def end(self) -> None:
        """Ends them, and says what they met with."""
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=120)
            assert not thread.is_alive()
        held = self.made / (time.monotonic() - self.begun)
        statistics = self.client.statistics
        print(f"{held:.0f} calls a second of {RATE} held; {statistics}")
        assert self.errors == []
        assert "TABIYA_ROLLOUT_RATE" in os.environ or held >= 0.95 * RATE, f"{held:.0f} calls a second"
        assert statistics.calls == self.made
        assert statistics.retries * 10 <= statistics.calls


def run(
    servers: list[Server], happen: Callable[[list[Server]], None], retries: RetryPolicy = RetryPolicy()
) -> None:
    """Lets something happen to servers under load; callers ask again as often as any do, unless told otherwise."""
    try:
        for server in servers:
            server.wait_until_ready()
        with Client([server.address for server in servers], retries=retries) as client:
            callers = Callers(client)
            try:
                happen(servers)
                # Both are back in use.
                time.sleep(2)
            finally:
                callers.end()
    finally:
        for server in servers:
            server.kill()


def test_a_rolling_restart_is_not_noticed() -> None:
    def happen(servers: list[Server]) -> None:
        for place, server in enumerate(servers):
            time.sleep(2)
            assert server.terminate() == 0
            servers[place] = Server(*SETTINGS, listen=server.address)
            servers[place].wait_until_ready()

    run([Server(*SETTINGS), Server(*SETTINGS)], happen)


def test_the_sudden_death_of_a_server_is_not_noticed() -> None:
    def happen(servers: list[Server]) -> None:
        for place, server in enumerate(servers):
            time.sleep(3)
            server.kill()
            time.sleep(2)
            servers[place] = Server(*SETTINGS, listen=server.address)
            servers[place].wait_until_ready()

    # A death gives no notice: calls meet it until the client has found out.
    run([Server(*SETTINGS), Server(*SETTINGS)], happen, RetryPolicy(attempts=10))
