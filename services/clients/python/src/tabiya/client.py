"""The client."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, TypeVar

from google.protobuf.message import Message

from tabiya import v1
from tabiya.bulk import Answer, Exchange
from tabiya.calls import Caller, Statistics
from tabiya.connection import Tls, Token, connect
from tabiya.jobs import Jobs
from tabiya.limits import limits
from tabiya.position import BoardLike, position
from tabiya.progress import Progress
from tabiya.retry import RetryPolicy

B = TypeVar("B", bound=BoardLike)
A = TypeVar("A", bound=Message)

RULES = "/tabiya.v1.RulesService"
ARBITER = "/tabiya.v1.ArbiterService"
SEARCH = "/tabiya.v1.SearchService"

IN_FLIGHT = 256
"""Items of a stream that are sent and unanswered at most, unless the call says otherwise."""

ALONG_GAME_IN_FLIGHT = 512
"""The least for games that are searched as a whole: the server cuts them after 256 positions."""

POSITIONS_A_MESSAGE = 1_024
"""Positions in one message of `evaluate`: a quarter of what a server takes, for long histories."""


class Client:
    """A connection to Tabiya. Threads may share it.

    Boards are python-chess boards, anything with `.fen()` and `.move_stack`, FENs, positions of the protocol, or `None`
    for the standard start. Times are in seconds. Errors are `TabiyaError`; a call that fails on the way, or that a busy
    or restarting server turns away, is asked again within a budget of a tenth of all calls.
    """

    def __init__(
        self,
        endpoint: str | Sequence[str] = "127.0.0.1:50051",
        *,
        tls: Tls | bool | None = None,
        token: Token | None = None,
        insecure: bool = False,
        timeout: float | None = 60.0,
        retries: RetryPolicy = RetryPolicy(),
    ) -> None:
        """Does not wait for a connection.

        `endpoint`: `HOST:PORT`, `http://…`, `https://…`, or a list of addresses; calls are spread over all addresses of a
        name or list. `insecure` lets a token travel in the clear beyond this machine. `timeout` is for each call except
        searches and streams, repetitions included.
        """
        self._channel = connect(endpoint, tls, token, insecure)
        self._caller = Caller(self._channel, retries, token)
        self._timeout = timeout

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection, and what is under way on it."""
        self._channel.close()

    @property
    def statistics(self) -> Statistics:
        """What has been asked so far, and asked again."""
        return self._caller.statistics

    def _ask(self, path: str, answer: type[A], request: Message, timeout: float | None) -> A:
        return self._caller.unary(path, answer, request, self._timeout if timeout is None else timeout)

    @property
    def jobs(self) -> Jobs:
        """Durable jobs."""
        return Jobs(self._caller, self._timeout)

    # Rules

    def legal_moves(
        self, board: BoardLike = None, *, include_fen: bool = False, timeout: float | None = None
    ) -> v1.LegalMovesResponse:
        """The legal moves of a position, and what the board alone decides about it."""
        request = v1.LegalMovesRequest(position=position(board), include_fen=include_fen)
        return self._ask(f"{RULES}/LegalMoves", v1.LegalMovesResponse, request, timeout)

    def legal_moves_many(
        self, boards: Iterable[B], *, include_fen: bool = False, **stream: Any
    ) -> Iterator[Answer[B, v1.LegalMovesResponse]]:
        """The legal moves of many positions, in order. Further arguments as in `analyse_many`."""

        def request(place: int, board: B) -> Message:
            return v1.BatchLegalMovesRequest(id=str(place), position=position(board), include_fen=include_fen)

        path = f"{RULES}/BatchLegalMoves"
        return self._many(path, v1.BatchLegalMovesResponse, boards, request, lambda each: each.response, **stream)

    def play_moves(
        self,
        moves: Iterable[str],
        board: BoardLike = None,
        *,
        notation: v1.MoveNotation | None = None,
        timeout: float | None = None,
    ) -> v1.PlayMovesResponse:
        """Plays moves in UCI, SAN or Chinese notation and writes each in all three, with the FEN after it."""
        request = v1.PlayMovesRequest(position=position(board), moves=moves, notation=notation)
        return self._ask(f"{RULES}/PlayMoves", v1.PlayMovesResponse, request, timeout)

    def perft(
        self, depth: int, board: BoardLike = None, *, divide: bool = False, timeout: float | None = None
    ) -> v1.PerftResponse:
        """Counts the legal move sequences of a length."""
        request = v1.PerftRequest(position=position(board), depth=depth, divide=divide)
        return self._ask(f"{RULES}/Perft", v1.PerftResponse, request, timeout)

    # Arbiter

    def adjudicate(
        self,
        board: BoardLike = None,
        *,
        pgn: str | None = None,
        ruleset: str = "",
        events: Iterable[v1.Event] = (),
        timeout: float | None = None,
        **fields: Any,
    ) -> v1.AdjudicateResponse:
        """Decides a game, given by its board or as PGN. `fields`: further ones of `AdjudicateRequest`."""
        request = v1.AdjudicateRequest(ruleset=ruleset, events=events, **fields, **_game(board, pgn))
        return self._ask(f"{ARBITER}/Adjudicate", v1.AdjudicateResponse, request, timeout)

    def adjudicate_many(
        self, games: Iterable[v1.BatchAdjudicateRequest], **stream: Any
    ) -> Iterator[Answer[v1.BatchAdjudicateRequest, v1.AdjudicateResponse]]:
        """Decides many games, in order. Further arguments as in `analyse_many`."""
        path = f"{ARBITER}/BatchAdjudicate"
        response = v1.BatchAdjudicateResponse
        return self._many(path, response, games, lambda _, game: game, lambda each: each.response, **stream)

    def compare_rulings(
        self,
        rulesets: Iterable[str],
        board: BoardLike = None,
        *,
        pgn: str | None = None,
        events: Iterable[v1.Event] = (),
        timeout: float | None = None,
        **fields: Any,
    ) -> v1.CompareRulingsResponse:
        """Decides a game by several rulesets. `fields`: further ones of `CompareRulingsRequest`."""
        request = v1.CompareRulingsRequest(rulesets=rulesets, events=events, **fields, **_game(board, pgn))
        return self._ask(f"{ARBITER}/CompareRulings", v1.CompareRulingsResponse, request, timeout)

    def prove_mate(
        self,
        board: BoardLike,
        side: v1.Color,
        *,
        nodes: int | None = None,
        time: float | None = None,
        with_certificate: bool = False,
        timeout: float | None = None,
    ) -> v1.ProveMateResponse:
        """Whether a side can still mate by any series of legal moves."""
        request = v1.ProveMateRequest(
            position=position(board),
            side=side,
            limits=limits(nodes=nodes, time=time),
            with_certificate=with_certificate,
        )
        return self._ask(f"{ARBITER}/ProveMate", v1.ProveMateResponse, request, timeout)

    def rulesets(self, *, timeout: float | None = None) -> v1.ListRulesetsResponse:
        """The rulesets that the server knows."""
        return self._ask(f"{ARBITER}/ListRulesets", v1.ListRulesetsResponse, v1.ListRulesetsRequest(), timeout)

    def standings(self, request: v1.StandingsRequest, *, timeout: float | None = None) -> v1.StandingsResponse:
        """Ranks an event."""
        return self._ask(f"{ARBITER}/Standings", v1.StandingsResponse, request, timeout)

    # Search

    def best_move(
        self,
        board: BoardLike = None,
        *,
        nodes: int | None = None,
        depth: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        timeout: float | None = None,
        **fields: Any,
    ) -> v1.BestMoveResponse:
        """The best move. One limit is needed, or `timeout`: the best so far is answered before it.

        `fields`: further ones of `BestMoveRequest`, such as `multipv`, `search_moves`, `backend`, `threads`.
        """
        request = v1.BestMoveRequest(position=position(board), limits=limits(nodes, depth, time, mate), **fields)
        return self._caller.unary(f"{SEARCH}/BestMove", v1.BestMoveResponse, request, timeout)

    def analyse(
        self,
        board: BoardLike = None,
        *,
        nodes: int | None = None,
        depth: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        timeout: float | None = None,
        **fields: Any,
    ) -> Iterator[v1.AnalyzeResponse]:
        """`best_move` with a message for each finished iteration; the last one has `stopped_by`. Asked only once."""
        request = v1.AnalyzeRequest(position=position(board), limits=limits(nodes, depth, time, mate), **fields)
        return self._caller.server_stream(f"{SEARCH}/Analyze", v1.AnalyzeResponse, request, timeout)

    def analyse_many(
        self,
        boards: Iterable[B],
        *,
        nodes: int | None = None,
        depth: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        along_game: bool = False,
        game: Callable[[B], str] | None = None,
        in_flight: int = IN_FLIGHT,
        ordered: bool = False,
        progress: Progress = False,
        timeout: float | None = None,
        **fields: Any,
    ) -> Iterator[Answer[B, v1.AnalyzeResponse]]:
        """Searches many positions, each with these limits; answers come as they finish, or in order if `ordered`.

        `boards` is read as answers come, at most `in_flight` ahead of what was handed out, so it may be endless. A wrong
        position has an `error` in its answer, and the others go on. The stream is resumed when the connection breaks.
        `along_game` searches each game from its end and carries what was learnt along; `game` names a board's game where
        the moves alone do not tell. `progress`: `True` for a bar (needs tqdm), or a function of done and total.
        `fields`: further ones of `BatchAnalyzeRequest`.
        """
        mode = v1.BULK_MODE_ALONG_GAME if along_game else v1.BULK_MODE_INDEPENDENT
        ends = limits(nodes, depth, time, mate)

        def request(place: int, board: B) -> Message:
            name = game(board) if game is not None else ""
            return v1.BatchAnalyzeRequest(
                id=str(place), position=position(board), limits=ends, bulk_mode=mode, game=name, **fields
            )

        return self._many(
            f"{SEARCH}/BatchAnalyze",
            v1.BatchAnalyzeResponse,
            boards,
            request,
            lambda each: each.response,
            in_flight=max(in_flight, ALONG_GAME_IN_FLIGHT) if along_game else in_flight,
            ordered=ordered,
            progress=progress,
            timeout=timeout,
        )

    def evaluate(
        self,
        boards: Iterable[BoardLike],
        *,
        backend: v1.Backend | None = None,
        network: str = "",
        timeout: float | None = None,
    ) -> list[v1.Evaluation]:
        """The network's value of each position, without searching."""
        positions = [position(board) for board in boards]
        evaluations: list[v1.Evaluation] = []
        for start in range(0, len(positions), POSITIONS_A_MESSAGE):
            part = positions[start : start + POSITIONS_A_MESSAGE]
            request = v1.EvaluateRequest(positions=part, backend=backend, network=network)
            evaluations += self._ask(f"{SEARCH}/Evaluate", v1.EvaluateResponse, request, timeout).evaluations
        return evaluations

    def evaluate_many(
        self, boards: Iterable[B], *, backend: v1.Backend | None = None, network: str = "", **stream: Any
    ) -> Iterator[Answer[B, v1.Evaluation]]:
        """The network's value of many positions, in order. Further arguments as in `analyse_many`."""

        def request(place: int, board: B) -> Message:
            return v1.BatchEvaluateRequest(id=str(place), position=position(board), backend=backend, network=network)

        path = f"{SEARCH}/BatchEvaluate"
        response = v1.BatchEvaluateResponse
        return self._many(path, response, boards, request, lambda each: each.response.evaluations[0], **stream)

    def engine_info(self, *, timeout: float | None = None) -> v1.GetEngineInfoResponse:
        """What the server computes with and what it allows."""
        return self._ask(f"{SEARCH}/GetEngineInfo", v1.GetEngineInfoResponse, v1.GetEngineInfoRequest(), timeout)

    def _many(
        self,
        path: str,
        response: Any,
        items: Iterable[Any],
        request: Callable[[int, Any], Message],
        answer: Callable[[Any], Any],
        *,
        in_flight: int = IN_FLIGHT,
        ordered: bool = True,
        progress: Progress = False,
        timeout: float | None = None,
    ) -> Iterator[Answer[Any, Any]]:
        exchange: Exchange[Any, Any, Any] = Exchange(
            self._caller, path, response, items, request, answer, in_flight, ordered, progress, timeout
        )
        return exchange.run()


def _game(board: BoardLike, pgn: str | None) -> dict[str, Any]:
    if pgn is None:
        return {"position": position(board)}
    if board is not None:
        raise ValueError("a game is given by its board or by its PGN, not both")
    return {"pgn": pgn}
