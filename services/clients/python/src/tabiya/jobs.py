"""Durable jobs: bulk work that outlives calls, connections and processes."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from tabiya import v1
from tabiya.calls import Caller
from tabiya.errors import TabiyaError, from_item
from tabiya.limits import limits
from tabiya.position import BoardLike, position

B = TypeVar("B", bound=BoardLike)

SERVICE = "/tabiya.v1.JobService"

ITEMS_A_MESSAGE = 1_000
"""Items in one message of an upload: a quarter of what a server takes, for long histories."""

ENDED = (v1.JOB_STATE_COMPLETED, v1.JOB_STATE_COMPLETED_WITH_ERRORS, v1.JOB_STATE_CANCELLED)


@dataclass(frozen=True)
class JobResult:
    """One item's result."""

    item_id: str
    """The item's name: its place in the job, from 0, unless it was given one."""
    index: int
    """The item's place in the job, from 0."""
    fen: str
    """The position that was searched."""
    response: v1.AnalyzeResponse | None
    """The answer, if there is one."""
    error: TabiyaError | None
    """Why there is none."""
    cursor: str
    """Where to go on after this one."""


class Jobs:
    """The jobs of a server: `client.jobs`."""

    def __init__(self, caller: Caller, timeout: float | None) -> None:
        self._caller = caller
        self._timeout = timeout

    def submit(
        self,
        boards: Iterable[B] = (),
        *,
        pgn: str | Iterable[str] = (),
        job_id: str | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        along_game: bool = False,
        item_id: Callable[[B], str] | None = None,
        game: Callable[[B], str] | None = None,
        timeout: float | None = None,
        **fields: Any,
    ) -> v1.Job:
        """Stores a job and begins it.

        `boards`, or `pgn`: games as one text, or as texts of whole games, a few MiB each at most. Submitting again with
        the same `job_id` and content gives the same job; without a `job_id` one is made up, so that a repetition on the
        way is no second job. `item_id` and `game` name a board's item and game. `fields`: further ones of
        `SubmitJobRequest`.
        """
        texts = [pgn] if isinstance(pgn, str) else list(pgn)
        items = [
            v1.JobItem(
                item_id=item_id(board) if item_id is not None else "",
                position=position(board),
                game=game(board) if game is not None else "",
            )
            for board in boards
        ]
        first = v1.SubmitJobRequest(
            job_id=job_id or uuid.uuid4().hex,
            limits=limits(nodes, depth, time, mate),
            bulk_mode=v1.BULK_MODE_ALONG_GAME if along_game else v1.BULK_MODE_INDEPENDENT,
            **fields,
        )
        parts = [v1.SubmitJobRequest(pgn=text) for text in texts]
        parts += [
            v1.SubmitJobRequest(items=items[start : start + ITEMS_A_MESSAGE])
            for start in range(0, len(items), ITEMS_A_MESSAGE)
        ]
        if parts:
            first.MergeFrom(parts[0])
        if len(parts) < 2:
            answer = self._caller.unary(f"{SERVICE}/SubmitJob", v1.SubmitJobResponse, first, self._wait(timeout))
            return answer.job
        messages = [v1.UploadJobRequest(part=part) for part in (first, *parts[1:])]
        path = f"{SERVICE}/UploadJob"
        return self._caller.client_stream(path, v1.UploadJobResponse, messages, self._wait(timeout)).job

    def get(self, job_id: str, *, timeout: float | None = None) -> v1.Job:
        """How far a job is."""
        request = v1.GetJobRequest(job_id=job_id)
        return self._caller.unary(f"{SERVICE}/GetJob", v1.GetJobResponse, request, self._wait(timeout)).job

    def list(self, *, timeout: float | None = None) -> Iterator[v1.Job]:
        """All jobs, the newest first."""
        token = ""
        while True:
            request = v1.ListJobsRequest(page_token=token)
            page = self._caller.unary(f"{SERVICE}/ListJobs", v1.ListJobsResponse, request, self._wait(timeout))
            yield from page.jobs
            token = page.next_page_token
            if not token:
                return

    def cancel(self, job_id: str, *, timeout: float | None = None) -> v1.Job:
        """Ends a job early. What it has found stays readable."""
        request = v1.CancelJobRequest(job_id=job_id)
        return self._caller.unary(f"{SERVICE}/CancelJob", v1.CancelJobResponse, request, self._wait(timeout)).job

    def results(self, job_id: str, *, after: str = "", follow: bool = True) -> Iterator[JobResult]:
        """Results in the order in which they were stored, with `follow` until the job has ended.

        A broken stream is gone on with; `after` is the `cursor` of the last result that is known already.
        """
        failures = 0
        while True:
            request = v1.StreamResultsRequest(job_id=job_id, after=after, follow=follow)
            answers = self._caller.server_stream(f"{SERVICE}/StreamResults", v1.StreamResultsResponse, request, None)
            try:
                for answer in answers:
                    after, failures = answer.cursor, 0
                    yield _result(answer)
                return
            except TabiyaError as error:
                failures += 1
                pause = self._caller.policy.pause(error, failures)
                if pause is None:
                    raise
                time.sleep(pause)
                self._caller.count(retry=True)

    def wait(self, job_id: str, *, poll: float = 1.0, timeout: float | None = None) -> v1.Job:
        """The job once it has ended; looks every `poll` seconds, for at most `timeout`."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            job = self.get(job_id)
            if job.state in ENDED:
                return job
            if end is not None and time.monotonic() + poll > end:
                raise TimeoutError(f"job {job_id}: {job.results} of {job.items} items after {timeout} seconds")
            time.sleep(poll)

    def _wait(self, timeout: float | None) -> float | None:
        return self._timeout if timeout is None else timeout


def _result(answer: v1.StreamResultsResponse) -> JobResult:
    failed = answer.HasField("error")
    return JobResult(
        item_id=answer.item_id,
        index=answer.index,
        fen=answer.fen,
        response=None if failed else answer.response,
        error=from_item(answer.error) if failed else None,
        cursor=answer.cursor,
    )
