"""Client of Tabiya, a chess service.

    from tabiya import Client

    with Client("127.0.0.1:50051") as client:
        print(client.best_move(nodes=20_000).best_move)
"""

# First: the other modules read the messages through the package.
from tabiya import v1 as v1  # isort: skip
from tabiya.bulk import Answer
from tabiya.calls import Statistics
from tabiya.client import Client
from tabiya.connection import Tls
from tabiya.errors import DeadlineExceeded, InvalidArgument, TabiyaError, Unavailable, Violation
from tabiya.jobs import JobResult, Jobs
from tabiya.position import Board, BoardLike, HistoryLost, position
from tabiya.retry import RetryPolicy
from tabiya.rows import row

__all__ = [
    "Answer",
    "Board",
    "BoardLike",
    "Client",
    "DeadlineExceeded",
    "HistoryLost",
    "InvalidArgument",
    "JobResult",
    "Jobs",
    "RetryPolicy",
    "Statistics",
    "TabiyaError",
    "Tls",
    "Unavailable",
    "Violation",
    "position",
    "row",
    "v1",
]
