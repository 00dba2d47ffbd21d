"""Jobs, against a server that keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import grpc
import pytest

from conftest import Server
from tabiya import Client, InvalidArgument, RetryPolicy, TabiyaError, v1

MATE = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"
"""White mates in one: Ra8."""


@pytest.fixture(scope="module")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server("--jobs-dir", str(tmp_path_factory.mktemp("jobs")))
    server.wait_until_ready()
    yield server
    server.kill()


@pytest.fixture
def jobs(keeper: Server) -> Iterator[Client]:
    with Client(keeper.address) as client:
        yield client


def code(error: pytest.ExceptionInfo[TabiyaError]) -> grpc.StatusCode:
    return error.value.code


def test_a_job_is_done_and_read(jobs: Client) -> None:
    board = chess.Board()
    board.push_san("e4")

    def name(source: object) -> str:
        return "start" if source is None else "mate" if source == MATE else "moved"

    asked = {"job_id": "three", "nodes": 50, "item_id": name}
    job = jobs.jobs.submit([None, board, MATE], **asked)
    assert (job.job_id, job.items, job.limits.nodes) == ("three", 3, 50)
    assert job.engine_version and len(job.network_hash) == 64
    ended = jobs.jobs.wait("three", poll=0.05, timeout=120)
    assert (ended.state, ended.results, ended.errors) == (v1.JOB_STATE_COMPLETED, 3, 0)
    results = {result.item_id: result for result in jobs.jobs.results("three")}
    assert {name: result.index for name, result in results.items()} == {"start": 0, "moved": 1, "mate": 2}
    assert all(result.error is None for result in results.values())
    mate = results["mate"].response
    assert mate is not None and mate.best_move == "a1a8" and results["mate"].fen == MATE
    moved = results["moved"].response
    assert moved is not None and chess.Move.from_uci(moved.best_move) in board.legal_moves
    # From a cursor on, and the same job again.
    everything = [result.cursor for result in jobs.jobs.results("three", follow=False)]
    assert [result.cursor for result in jobs.jobs.results("three", after=everything[0])] == everything[1:]
    assert jobs.jobs.submit([None, board, MATE], **asked).digest == job.digest
    with pytest.raises(TabiyaError) as other:
        jobs.jobs.submit([None], job_id="three", nodes=50)
    assert code(other) is grpc.StatusCode.ALREADY_EXISTS
    assert "three" in [each.job_id for each in jobs.jobs.list()]


def test_games_become_items(jobs: Client) -> None:
    job = jobs.jobs.submit(pgn=["1. e4 e5 *", "1. d4 *"], job_id="games", nodes=20)
    assert job.items == 5
    jobs.jobs.wait("games", poll=0.05, timeout=120)
    assert {result.item_id for result in jobs.jobs.results("games")} == {"1.0", "1.1", "1.2", "2.0", "2.1"}


def test_more_items_than_fit_into_a_message(jobs: Client) -> None:
    job = jobs.jobs.submit([None] * 4_100, job_id="long", nodes=1_000_000)
    assert job.items == 4_100
    ended = jobs.jobs.cancel("long")
    assert ended.state == v1.JOB_STATE_CANCELLED and ended.results < 4_100
    assert jobs.jobs.get("long").HasField("expire_time")


def test_what_is_wrong_with_a_job_is_told(jobs: Client) -> None:
    with pytest.raises(InvalidArgument) as refused:
        jobs.jobs.submit([None, "no position"], nodes=20)
    assert refused.value.violations[0].field == "items[1].position.fen"
    for wrong in (lambda: jobs.jobs.get("nobody"), lambda: jobs.jobs.cancel("nobody")):
        with pytest.raises(TabiyaError) as unknown:
            wrong()
        assert code(unknown) is grpc.StatusCode.NOT_FOUND


def test_results_outlive_the_death_of_their_server(tmp_path: Path) -> None:
    folder = ("--jobs-dir", str(tmp_path))
    server = Server(*folder)
    patient = RetryPolicy(attempts=100, longest_pause=1.0)
    with Client(server.address, retries=patient) as client:
        # Long enough that most of them are still to be done after three.
        client.jobs.submit([None] * 30, job_id="job", nodes=200_000)
        seen = []
        for result in client.jobs.results("job"):
            seen.append(result.index)
            if len(seen) == 3:
                assert client.jobs.get("job").state == v1.JOB_STATE_RUNNING
                server.kill()
                server = Server(*folder, listen=server.address)
        assert sorted(seen) == list(range(30))
        assert client.jobs.get("job").state == v1.JOB_STATE_COMPLETED
    server.kill()
