"""A server that turns callers away, and says when to come back."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import grpc
import pytest

from conftest import Server
from tabiya import Client, RetryPolicy, TabiyaError


def test_a_client_comes_back_when_the_server_proposes(tmp_path: Path) -> None:
    made = [os.environ["TABIYA_BIN"], "token", "new", "site", "--role", "read"]
    token, _, entry = subprocess.run(made, check=True, capture_output=True, text=True).stdout.partition("\n")
    callers = tmp_path / "tokens.toml"
    callers.write_text(entry.rstrip() + "\npositions_per_second = 2\n")
    server = Server("--tokens", str(callers))
    once = RetryPolicy(attempts=1)
    try:
        with Client(server.address, token=token, retries=once) as hasty, Client(server.address, token=token) as patient:
            begun, came_back = time.monotonic(), 0
            # On a machine that stands still for as long as the pause nobody has to come back.
            while came_back < 5:
                assert time.monotonic() - begun < 120, "never refused"
                with pytest.raises(TabiyaError) as refused:
                    while True:
                        asked = time.monotonic()
                        hasty.legal_moves()
                error = refused.value
                assert error.code is grpc.StatusCode.RESOURCE_EXHAUSTED
                assert error.retry_after is not None and 0 < error.retry_after <= 1
                before = patient.statistics.retries
                assert len(patient.legal_moves().moves) == 20
                retries = patient.statistics.retries - before
                assert retries <= 1
                if retries:
                    came_back += 1
                    assert time.monotonic() - asked >= error.retry_after
            assert hasty.statistics.retries == 0
    finally:
        server.kill()
