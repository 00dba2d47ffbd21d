"""Jobs, against a stand-in of the service that loses connections where a real one would have to be killed to."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import chess
import grpc
import pytest

from tabiya import Client, RetryPolicy, TabiyaError, v1


class StandIn:
    """Jobs in memory; every item is answered with its own index as the number of nodes."""

    def __init__(self) -> None:
        self.jobs: dict[str, list[v1.SubmitJobRequest]] = {}
        self.calls: list[str] = []
        self.failures = 0
        """How many of the next calls fail."""
        self.looks = 0

    def serve(self) -> tuple[grpc.Server, str]:
        server = grpc.server(ThreadPoolExecutor(4))
        unary, stream = grpc.unary_unary_rpc_method_handler, grpc.unary_stream_rpc_method_handler
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "SubmitJob": unary(self.submit, v1.SubmitJobRequest.FromString, v1.SubmitJobResponse.SerializeToString),
            "UploadJob": grpc.stream_unary_rpc_method_handler(
                self.upload, v1.UploadJobRequest.FromString, v1.UploadJobResponse.SerializeToString
            ),
            "GetJob": unary(self.get, v1.GetJobRequest.FromString, v1.GetJobResponse.SerializeToString),
            "ListJobs": unary(self.list, v1.ListJobsRequest.FromString, v1.ListJobsResponse.SerializeToString),
            "CancelJob": unary(self.cancel, v1.CancelJobRequest.FromString, v1.CancelJobResponse.SerializeToString),
            "StreamResults": stream(
                self.results, v1.StreamResultsRequest.FromString, v1.StreamResultsResponse.SerializeToString
            ),
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("tabiya.v1.JobService", handlers),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        return server, f"127.0.0.1:{port}"

    def _fail(self, name: str, context: grpc.ServicerContext) -> None:
        self.calls.append(name)
        if self.failures:
            self.failures -= 1
            context.abort(grpc.StatusCode.UNAVAILABLE, "gone")

    def _job(self, name: str) -> v1.Job:
        items = sum(len(part.items) for part in self.jobs[name])
        return v1.Job(job_id=name, state=v1.JOB_STATE_RUNNING, items=items)

    def submit(self, request: v1.SubmitJobRequest, context: grpc.ServicerContext) -> v1.SubmitJobResponse:
        existed = request.job_id in self.jobs
        # Lost on the way back: the job is there, and the caller does not know.
        self.jobs.setdefault(request.job_id, [request])
        self._fail("submit", context)
        return v1.SubmitJobResponse(job=self._job(request.job_id), existed=existed)

    def upload(self, requests: Iterator[v1.UploadJobRequest], context: grpc.ServicerContext) -> v1.UploadJobResponse:
        parts = [request.part for request in requests]
        self._fail("upload", context)
        self.jobs[parts[0].job_id] = parts
        return v1.UploadJobResponse(job=self._job(parts[0].job_id))

    def get(self, request: v1.GetJobRequest, context: grpc.ServicerContext) -> v1.GetJobResponse:
        if request.job_id not in self.jobs:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such job")
        job = self._job(request.job_id)
        self.looks += 1
        if self.looks > 2:
            job.state = v1.JOB_STATE_COMPLETED
        return v1.GetJobResponse(job=job)

    def list(self, request: v1.ListJobsRequest, context: grpc.ServicerContext) -> v1.ListJobsResponse:
        names = sorted(self.jobs)
        start = int(request.page_token or 0)
        following = str(start + 2) if start + 2 < len(names) else ""
        jobs = [self._job(name) for name in names[start : start + 2]]
        return v1.ListJobsResponse(jobs=jobs, next_page_token=following)

    def cancel(self, request: v1.CancelJobRequest, context: grpc.ServicerContext) -> v1.CancelJobResponse:
        return v1.CancelJobResponse(job=v1.Job(job_id=request.job_id, state=v1.JOB_STATE_CANCELLED))

    def results(
        self, request: v1.StreamResultsRequest, context: grpc.ServicerContext
    ) -> Iterator[v1.StreamResultsResponse]:
        self.calls.append(f"results after {request.after or 'nothing'}")
        items = [item for part in self.jobs[request.job_id] for item in part.items]
        start = int(request.after or -1) + 1
        for index in range(start, len(items)):
            if self.failures and index == start + 2:
                self.failures -= 1
                context.abort(grpc.StatusCode.UNAVAILABLE, "gone")
            result = v1.StreamResultsResponse(cursor=str(index), item_id=items[index].item_id, index=index)
            if items[index].position.fen == "bad":
                result.error.CopyFrom(v1.ItemError(code=13, message="no answer"))
            else:
                result.response.stats.nodes = index
            yield result


@pytest.fixture
def stand_in() -> Iterator[tuple[StandIn, Client]]:
    service = StandIn()
    server, address = service.serve()
    with Client(address, retries=RetryPolicy(first_pause=0.01)) as client:
        yield service, client
    server.stop(None)


def test_a_job_is_submitted_once_whatever_happens(stand_in: tuple[StandIn, Client]) -> None:
    service, client = stand_in
    service.failures = 2
    board = chess.Board()
    board.push_san("e4")
    job = client.jobs.submit([None, board], nodes=100, multipv=2, item_id=lambda board: "a" if board is None else "b")
    assert service.calls == ["submit"] * 3 and len(service.jobs) == 1
    (request,) = service.jobs[job.job_id]
    assert [item.item_id for item in request.items] == ["a", "b"]
    assert request.items[1].position.moves == ["e2e4"]
    assert (request.limits.nodes, request.multipv) == (100, 2)


def test_a_long_job_goes_in_parts(stand_in: tuple[StandIn, Client]) -> None:
    service, client = stand_in
    service.failures = 1
    job = client.jobs.submit([None] * 2_500, job_id="long", nodes=100)
    assert job.items == 2_500 and service.calls == ["upload", "upload"]
    assert [len(part.items) for part in service.jobs["long"]] == [1_000, 1_000, 500]
    assert [part.job_id for part in service.jobs["long"]] == ["long", "", ""]
    client.jobs.submit(pgn=["1. e4 *", "1. d4 *"], job_id="games", depth=3)
    assert [part.pgn for part in service.jobs["games"]] == ["1. e4 *", "1. d4 *"]


def test_results_go_on_where_they_broke_off(stand_in: tuple[StandIn, Client]) -> None:
    service, client = stand_in
    boards = [None] * 4 + ["bad"] + [None]
    client.jobs.submit(boards, job_id="job", nodes=100)
    service.calls.clear()
    service.failures = 2
    results = list(client.jobs.results("job"))
    assert [result.index for result in results] == list(range(6))
    assert service.calls == ["results after nothing", "results after 1", "results after 3"]
    assert results[4].response is None and results[4].error is not None
    assert results[4].error.code is grpc.StatusCode.INTERNAL
    assert results[5].response is not None and results[5].response.stats.nodes == 5
    assert [result.index for result in client.jobs.results("job", after=results[3].cursor)] == [4, 5]


def test_waiting_listing_and_cancelling(stand_in: tuple[StandIn, Client]) -> None:
    service, client = stand_in
    for name in "abcde":
        client.jobs.submit([None], job_id=name, nodes=1)
    assert [job.job_id for job in client.jobs.list()] == list("abcde")
    assert client.jobs.wait("a", poll=0.01).state == v1.JOB_STATE_COMPLETED
    service.looks = 0
    with pytest.raises(TimeoutError, match="0 of 1"):
        client.jobs.wait("a", poll=0.01, timeout=0.0)
    assert client.jobs.cancel("b").state == v1.JOB_STATE_CANCELLED
    with pytest.raises(TabiyaError) as unknown:
        client.jobs.get("z")
    assert unknown.value.code is grpc.StatusCode.NOT_FOUND
